/*
 * legalise_block.c - block pointers and descriptors as tiles of pointers and masks
 *
 * Takes verified IR without calls that hand over handles, and gives verified IR without handles.
 * Every handle becomes its parts, which are scalars: base, shape, strides and, for a block pointer,
 * offsets (semantics R230).  A load or store builds what the parts stand for (R231):
 *     pointers = base + sum(offset_d * stride_d) + sum(arange_d * stride_d)
 *     mask     = for checked d: 0 <= offset_d + arange_d < shape_d
 *
 * What a loop carries or an `if` gives becomes its parts there; only the offsets, where the handle
 * is known to be an earlier one that was advanced.
 */
#include "opt.h"

typedef struct {
    int rank;
    Value *base;
    Value *shape[MAX_RANK], *strides[MAX_RANK], *offsets[MAX_RANK]; /* int64 */
} Parts;

typedef struct {
    Module *module;
    Arena *arena;
    Map *parts; /* handle to its Parts */
    Map *roots; /* what a loop or an `if` that is no more gave: root_of() it */
} Blocks;

typedef VEC(Value *) Values;
typedef VEC(const Type *) Types;

static void expand_block(Blocks *c, Block *b);

static bool is_handle(const Value *v)
{
    return v->type->handle != HANDLE_NONE;
}

static Parts *parts_of(Blocks *c, const Value *v)
{
    Parts *p = map_get(c->parts, MAP_KEY(ir_resolve((Value *)v)));

    if (!p)
        bug("a handle of unknown making");
    return p;
}

static Parts *new_parts(Blocks *c, const Value *handle)
{
    Parts *p = NEW(c->arena, Parts);

    p->rank = handle->type->rank;
    map_put(c->parts, MAP_KEY(handle), p);
    return p;
}

/* --- what it stands for --- */

/* 0..block_d-1 as int64 along dimension d, 1 elsewhere. */
static Value *coordinate(Builder *b, const Type *block, int d)
{
    Value *v = build_cast(b, build_arange(b, 0, block->dims[d]), DT_I64, ROUND_NEAREST);

    for (int i = 0; i < block->rank; i++) {
        if (i != d)
            v = build_expand(b, v, i);
    }
    return v;
}

static Value *with_scalar(Builder *b, OpCode code, Value *tile, Value *scalar)
{
    return build_binary(b, code, tile, build_splat(b, scalar, tile->type));
}

static Value *pointers(Builder *b, const Parts *p, const Type *block)
{
    Value *base = p->base;

    for (int d = 0; d < p->rank; d++)
        base = build_addptr(b, base, build_binary(b, OP_mul, p->offsets[d], p->strides[d]));
    Value *tile = build_splat(b, base, block);
    for (int d = 0; d < p->rank; d++) {
        Value *step = with_scalar(b, OP_mul, coordinate(b, block, d), p->strides[d]);
        tile = build_addptr(b, tile, build_broadcast(b, step, block));
    }
    return tile;
}

/* Which lanes of dimension d are inside; negative coordinates are out too. */
static Value *inside_along(Builder *b, const Parts *p, const Type *block, int d)
{
    Value *at = with_scalar(b, OP_add, coordinate(b, block, d), p->offsets[d]);
    Value *low = build_binary(b, OP_ge, at, build_const(b, at->type, 0));

    return build_binary(b, OP_and, low, with_scalar(b, OP_lt, at, p->shape[d]));
}

/* Where an access may take place: NULL for everywhere. */
static Value *boundary_mask(Builder *b, const Parts *p, const Op *op)
{
    const Type *block = op->operands[BLOCK_HANDLE]->type;
    const int64_t *dims;
    Value *mask = NULL;
    int n;

    dims = attr_boundary(op, &n);
    bool all = block->handle == HANDLE_DESCRIPTOR;
    for (int k = 0; k < (all ? block->rank : n); k++) {
        Value *m = build_broadcast(b, inside_along(b, p, block, all ? k : (int)dims[k]), block);
        mask = mask ? build_binary(b, OP_and, mask, m) : m;
    }
    return mask;
}

/* --- accesses --- */

/* The parts at this access: a descriptor gets its offsets here, from operand `first` on. */
static Parts parts_at(Blocks *c, const Op *op, int first)
{
    Parts p = *parts_of(c, op->operands[BLOCK_HANDLE]);

    for (int d = 0; d < op->noperands - first; d++)
        p.offsets[d] = op->operands[first + d];
    return p;
}

static void put_hints(Op *access, const Op *like)
{
    attr_set(access, ATTR_cache, attr_cache(like));
    attr_set(access, ATTR_evict, attr_evict(like));
}

static void expand_load(Blocks *c, Op *op)
{
    const Parts p = parts_at(c, op, 1);
    const Type *block = op->operands[BLOCK_HANDLE]->type;
    Builder b = builder_before(op);
    Value *mask = boundary_mask(&b, &p, op), *other = NULL;
    Value *from = pointers(&b, &p, block);

    if (mask && (attr_padding(op) == PAD_NAN || block->padding == PAD_NAN)) {
        Value *nan = build_float(&b, type_scalar(c->module, block->dtype), __builtin_nan(""));
        other = build_splat(&b, nan, block);
    }
    Op *load = build_load(&b, from, mask, other);
    put_hints(load, op);
    load->results[0]->name = op->results[0]->name;
    op->results[0]->repl = load->results[0];
    op_remove(op);
}

static void expand_store(Blocks *c, Op *op)
{
    const Parts p = parts_at(c, op, 2);
    Builder b = builder_before(op);
    Value *v[3] = {
        [STORE_DATA] = op->operands[BLOCK_DATA], [STORE_MASK] = boundary_mask(&b, &p, op)};

    v[STORE_PTR] = pointers(&b, &p, op->operands[BLOCK_HANDLE]->type);
    put_hints(build_op(&b, OP_store, v[STORE_MASK] ? 3 : 2, v, 0, NULL, 0, NULL), op);
    op_remove(op);
}

/* --- making --- */

static void take_parts(Blocks *c, const Op *op)
{
    Parts *p = new_parts(c, op->results[0]);

    p->base = op->operands[0];
    for (int d = 0; d < p->rank; d++) {
        p->shape[d] = op->operands[1 + d];
        p->strides[d] = op->operands[1 + p->rank + d];
        if (op->code == OP_make_block_ptr)
            p->offsets[d] = op->operands[1 + 2 * p->rank + d];
    }
}

static Value *part_of(Blocks *c, const Op *op)
{
    const Parts *p = parts_of(c, op->operands[BLOCK_HANDLE]);
    int64_t k = attr_part(op);

    if (k == 2 * p->rank)
        return p->base;
    return k < p->rank ? p->shape[k] : p->strides[k - p->rank];
}

static bool is_zero(const Value *v)
{
    int64_t n;

    return value_const_int(v, &n) && n == 0;
}

static void advance(Blocks *c, Op *op)
{
    Parts *p = new_parts(c, op->results[0]);
    Builder b = builder_before(op);

    *p = *parts_of(c, op->operands[BLOCK_HANDLE]);
    for (int d = 0; d < p->rank; d++) {
        if (!is_zero(op->operands[1 + d]))
            p->offsets[d] = build_binary(&b, OP_add, p->offsets[d], op->operands[1 + d]);
    }
}

/* A handle that leads nowhere: what a name holds in the arm that does not set it. */
static void no_block(Blocks *c, Op *op)
{
    const Type *t = op->results[0]->type;
    Parts *p = new_parts(c, op->results[0]);
    Builder b = builder_before(op);
    Value *zero = build_const(&b, type_scalar(c->module, DT_I64), 0);

    p->base = build_const(&b, type_pointer(c->module, t->dtype, t->is_const), 0);
    for (int d = 0; d < p->rank; d++)
        p->shape[d] = p->strides[d] = zero;
    for (int d = 0; t->handle == HANDLE_BLOCK_PTR && d < p->rank; d++)
        p->offsets[d] = zero;
}

/* --- handing over --- */

/* The handle that v is an advanced form of, as far as can be seen; v itself when nothing can.  Of
 * what a loop gives that is its initial value, when each round only advances it. */
static Value *root_of(const Blocks *c, Value *v)
{
    for (;;) {
        v = ir_resolve(v);
        const Op *op = v->def;
        Value *known = map_get(c->roots, MAP_KEY(v));
        if (known) {
            return known;
        } else if (op && op->code == OP_advance) {
            v = op->operands[0];
        } else if (op && op->code == OP_for) {
            const Block *body = op->regions[0];
            if (root_of(c, body->last->operands[v->index]) != body->args[1 + v->index])
                return v;
            v = op->operands[FOR_BOUNDS + v->index];
        } else if (op && op->code == OP_if) {
            Value *root = root_of(c, op->regions[0]->last->operands[v->index]);
            if (root != root_of(c, op->regions[1]->last->operands[v->index]))
                return v;
            v = root;
        } else {
            return v;
        }
    }
}

/* Put the parts of a handle behind each other; the offsets only, when the rest is known. */
static void put_parts(Blocks *c, Values *out, const Parts *p, bool offsets_only)
{
    if (!offsets_only)
        vec_push(c->arena, out, p->base);
    for (int d = 0; d < p->rank; d++) {
        if (!offsets_only) {
            vec_push(c->arena, out, p->shape[d]);
            vec_push(c->arena, out, p->strides[d]);
        }
        if (p->offsets[d])
            vec_push(c->arena, out, p->offsets[d]);
    }
}

/* The same list read back: what is not in it is as in `like`. */
static void get_parts(Parts *p, const Parts *like, Value *const **next, bool offsets_only)
{
    *p = *like;
    if (!offsets_only)
        p->base = *(*next)++;
    for (int d = 0; d < p->rank; d++) {
        if (!offsets_only) {
            p->shape[d] = *(*next)++;
            p->strides[d] = *(*next)++;
        }
        if (p->offsets[d])
            p->offsets[d] = *(*next)++;
    }
}

/* A list of values with the parts of handles in their places.  `only` says of which just the
 * offsets are handed over; NULL: of none. */
static Values flat(Blocks *c, int n, Value *const *values, const bool *only)
{
    Values out = {0};

    for (int i = 0; i < n; i++) {
        if (is_handle(values[i]))
            put_parts(c, &out, parts_of(c, values[i]), only[i]);
        else
            vec_push(c->arena, &out, values[i]);
    }
    return out;
}

/* New results stand for old ones. */
static void replace_results(Blocks *c, const Op *op, Value *const *next, Value *const *like,
                            const bool *only)
{
    for (int i = 0; i < op->nresults; i++) {
        Value *old = op->results[i];

        if (is_handle(old)) {
            map_put(c->roots, MAP_KEY(old), only[i] ? root_of(c, like[i]) : old);
            get_parts(new_parts(c, old), parts_of(c, like[i]), &next, only[i]);
            continue;
        }
        (*next)->name = old->name;
        old->repl = *next++;
    }
}

/* The arguments of a region from `first` on: handles become arguments for their parts. */
static void replace_args(Blocks *c, Block *region, int first, Value *const *like, const bool *only)
{
    Value **old = region->args;
    int n = region->nargs;

    region->args = NULL;
    region->nargs = region->args_cap = 0;
    for (int i = 0; i < n; i++) {
        if (i < first || !is_handle(old[i])) {
            Value *arg = block_add_arg(region, old[i]->type);
            arg->name = old[i]->name;
            old[i]->repl = arg;
            continue;
        }
        const Parts *from = parts_of(c, like[i - first]);
        Values sources = {0}, args = {0};
        put_parts(c, &sources, from, only[i - first]);
        for (int k = 0; k < sources.len; k++)
            vec_push(c->arena, &args, block_add_arg(region, sources.at[k]->type));
        Value *const *next = args.at;
        get_parts(new_parts(c, old[i]), from, &next, only[i - first]);
    }
}

/* The terminator with its operands from `first` on taken apart. */
static void replace_end(Blocks *c, Op *end, int first, const bool *only)
{
    Builder b = builder_before(end);
    Values values = {0};

    for (int i = 0; i < first; i++)
        vec_push(c->arena, &values, end->operands[i]);
    Values rest = flat(c, end->noperands - first, end->operands + first, only);
    for (int i = 0; i < rest.len; i++)
        vec_push(c->arena, &values, rest.at[i]);
    build_yield(&b, end->code, values.len, values.at);
    op_remove(end);
}

/* A copy of op with these operands and result types, which takes its regions over. */
static Op *rebuild(Blocks *c, Op *op, const Values *operands, const Values *results)
{
    Builder b = builder_before(op);
    Types types = {0};

    for (int i = 0; i < results->len; i++)
        vec_push(c->arena, &types, results->at[i]->type);
    Op *new = build_op(&b, op->code, operands->len, operands->at, op->nattrs, op->attrs, types.len,
                       types.at ? types.at : (const Type *[]){NULL});
    for (int r = 0; r < COUNT(op->regions); r++) {
        new->regions[r] = op->regions[r];
        if (new->regions[r])
            new->regions[r]->owner = new;
    }
    return new;
}

static bool some_handle(Value *const *values, int n)
{
    for (int i = 0; i < n; i++) {
        if (is_handle(values[i]))
            return true;
    }
    return false;
}

static void expand_for(Blocks *c, Op *op)
{
    Block *body = op->regions[0];
    Value **init = op->operands + FOR_BOUNDS;
    bool only[op->nresults + 1];
    Values operands = {0};

    for (int i = 0; i < op->nresults; i++)
        only[i] =
            is_handle(init[i]) && root_of(c, opt_last(body)->operands[i]) == body->args[1 + i];
    for (int i = 0; i < FOR_BOUNDS; i++)
        vec_push(c->arena, &operands, op->operands[i]);
    Values carried = flat(c, op->nresults, init, only);
    for (int i = 0; i < carried.len; i++)
        vec_push(c->arena, &operands, carried.at[i]);
    replace_args(c, body, 1, init, only);
    expand_block(c, body);
    replace_end(c, opt_last(body), 0, only);
    Op *new = rebuild(c, op, &operands, &carried);
    replace_results(c, op, new->results, init, only);
    op_remove(op);
}

static void expand_if(Blocks *c, Op *op)
{
    bool *only = NEW_N(c->arena, bool, op->nresults);
    Value **like = NEW_N(c->arena, Value *, op->nresults);
    Values condition = {0};

    for (int i = 0; i < op->nresults; i++) {
        Value *root = root_of(c, op->results[i]);
        only[i] = is_handle(op->results[i]) && root != op->results[i];
        like[i] = only[i] ? root : op->results[i];
    }
    for (int r = 0; r < 2; r++)
        expand_block(c, op->regions[r]);
    for (int i = 0; i < op->nresults; i++) {
        if (!only[i])
            like[i] = opt_last(op->regions[0])->operands[i]; /* for how many parts there are */
    }
    Values results = flat(c, op->nresults, opt_last(op->regions[0])->operands, only);
    vec_push(c->arena, &condition, op->operands[0]);
    for (int r = 0; r < 2; r++)
        replace_end(c, opt_last(op->regions[r]), 0, only);
    Op *new = rebuild(c, op, &condition, &results);
    replace_results(c, op, new->results, like, only);
    op_remove(op);
}

/* Which values that go round are only advanced, `state`, and which of those that the condition
 * hands on are an advanced form of one, which stands in `like` then: what it was in front of the
 * loop. */
static void find_advanced(const Blocks *c, const Op *loop, bool *state, bool *passed, Value **like)
{
    const Block *before = loop->regions[0], *body = loop->regions[1];
    Value *const *given = opt_last(before)->operands + 1;

    for (int i = 0; i < loop->noperands; i++) {
        Value *root = root_of(c, opt_last(body)->operands[i]);
        if (root->block == body && !root->def)
            root = root_of(c, given[root->index]);
        state[i] = is_handle(root) && root == before->args[i];
    }
    for (int i = 0; i < loop->nresults; i++) {
        const Value *root = root_of(c, given[i]);
        passed[i] =
            is_handle(given[i]) && root->block == before && !root->def && state[root->index];
        like[i] = passed[i] ? loop->operands[root->index] : given[i];
    }
}

static void expand_while(Blocks *c, Op *op)
{
    Block *before = op->regions[0], *body = op->regions[1];
    bool *state = NEW_N(c->arena, bool, op->noperands + 1);
    bool *passed = NEW_N(c->arena, bool, op->nresults + 1);
    Value **like = NEW_N(c->arena, Value *, op->nresults + 1);

    find_advanced(c, op, state, passed, like);
    Values operands = flat(c, op->noperands, op->operands, state);
    replace_args(c, before, 0, op->operands, state);
    expand_block(c, before);
    Op *condition = opt_last(before);
    Values results = flat(c, op->nresults, condition->operands + 1, passed);
    replace_args(c, body, 0, like, passed);
    expand_block(c, body);
    replace_end(c, condition, 1, passed);
    replace_end(c, opt_last(body), 0, state);
    Op *new = rebuild(c, op, &operands, &results);
    replace_results(c, op, new->results, like, passed);
    op_remove(op);
}

/* Handles go in or come out. */
static void expand_control(Blocks *c, Op *op)
{
    if (op->code == OP_for)
        expand_for(c, op);
    else if (op->code == OP_while)
        expand_while(c, op);
    else if (op->code == OP_if)
        expand_if(c, op);
    else if (!op_has(op, ENDS)) /* those go with the op around them */
        bug("%s takes a handle", op_info(op->code)->name);
}

static void expand_regions(Blocks *c, Op *op)
{
    for (int r = 0; r < COUNT(op->regions); r++) {
        if (op->regions[r])
            expand_block(c, op->regions[r]);
    }
}

static void expand_op(Blocks *c, Op *op)
{
    switch (op->code) {
    case OP_make_block_ptr:
    case OP_make_descriptor:
        take_parts(c, op);
        op_remove(op);
        return;
    case OP_advance:
        advance(c, op);
        op_remove(op);
        return;
    case OP_handle_part:
        op->results[0]->repl = part_of(c, op);
        op_remove(op);
        return;
    case OP_load_block:
        expand_load(c, op);
        return;
    case OP_store_block:
        expand_store(c, op);
        return;
    case OP_const:
        if (!is_handle(op->results[0]))
            return;
        no_block(c, op);
        op_remove(op);
        return;
    default:
        if (some_handle(op->operands, op->noperands) || some_handle(op->results, op->nresults))
            expand_control(c, op);
        else
            expand_regions(c, op);
    }
}

static void expand_block(Blocks *c, Block *b)
{
    for (Op *op = b->first, *next; op; op = next) {
        next = op->next;
        ir_resolve_operands(op);
        expand_op(c, op);
    }
}

void opt_expand_blocks(Module *m)
{
    for (int i = 0; i < m->nfuncs; i++) {
        Blocks c = {m, m->arena, map_new(m->arena), map_new(m->arena)};
        expand_block(&c, m->funcs[i]->body);
        opt_resolve_all(m->funcs[i]->body);
    }
}
