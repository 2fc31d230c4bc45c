/*
 * pairs.c - tiles of pairs, put together or taken apart, as two tiles
 *
 * Takes and gives verified IR, for targets that run a tile as loops: those run along the last
 * dimension, in vectors, and one of two elements fills none.  tl.interleave(a, b) makes [C,2] of
 * two tiles and [2 C] of that, tl.split() goes the other way.  Where nothing but elements that
 * stand alone is made of them, every other element is a tile of its own:
 *
 *     store(p + arange(2 C), f(interleave(a, b)))   ->  store(p + 2 arange(C), f(a))
 *                                                       store(p + 2 arange(C) + 1, f(b))
 *     lo, hi = split(reshape(load(p + arange(2 C)), C, 2))
 *                                                   ->  lo = load(p + 2 arange(C)), hi = ..
 *
 * What is left are accesses to fields of records, which the planner takes together (plan_access.c).
 * It begins at stores of what was put together, and at reductions of two elements, which is what
 * split() is, and goes back from there: through ops on single elements, loads, renamings.  Four or
 * eight tiles put together are pairs of pairs.  Elements of a pair that are known to be the same,
 * as masks mostly are, stay one tile.  What is loaded and wanted as a whole, too, stays as it is.
 */
#include <string.h>

#include "opt_target.h"
#include "../ir/analysis.h"

enum {
    MOST_ROUNDS = 64,
    MOST_WORK = 512, /* values of a round */
    DEEPEST = 100,
    LARGEST = 8 /* what is put together */
};

typedef struct {
    Func *func;
    const AxisFacts *axis;
    Map *parts[2]; /* what a value's even and odd elements are */
    Map *failed;   /* roots */
    UseLists uses;
    AccessSpace *along[MAX_RANK];
    int work, depth;
    bool of_store; /* the root is one */
} Pairs;

static Value *part(Pairs *x, Value *v, int which);
static bool has_pairs(Map *seen, const Value *v, int depth);

static int last_of(const Type *t)
{
    return t->dims[t->rank - 1];
}

/* Of two elements one is left, which needs no dimension. */
static const Type *half_type(const Pairs *x, const Type *of)
{
    Type t = *of;

    t.dims[t.rank - 1] /= 2;
    if (t.rank > 1 && last_of(&t) == 1)
        t.dims[--t.rank] = 0;
    return type_of(x->func->module, t);
}

static Value *in_shape(Builder *b, Value *v, int rank, const int32_t *dims)
{
    bool same = v->type->rank == rank;

    for (int d = 0; same && d < rank; d++)
        same = v->type->dims[d] == dims[d];
    return same ? v : build_reshape(b, v, rank, dims);
}

/* Is each element of even number like the one behind it? */
static bool are_alike(const Pairs *x, const Value *v)
{
    const Axis *a = axis_of(x->axis, v);

    return a && a->constancy[v->type->rank - 1] % 2 == 0;
}

static bool nothing_given(const void *whose, const Value *v)
{
    (void)whose;
    (void)v;
    return false;
}

/* By how much does it step along the last dimension? */
static bool steps(Pairs *x, Value *v, int64_t *stride)
{
    int last = v->type->rank - 1;

    if (!access_is_index(v->type))
        return false;
    if (!x->along[last])
        x->along[last] =
            access_space(x->func->module->arena, x->axis, last, 1, nothing_given, NULL);
    Access a = access_of(x->along[last], v, access_identity);
    *stride = a.stride;
    return a.ok && !a.chunked && !a.scale && (v->type->pointer || !a.widened);
}

static Value *next_one(Value *v, int64_t stride, Op *before)
{
    Builder b = builder_before(before);
    DType t = v->type->pointer ? DT_I64 : v->type->dtype;
    Value *step = build_int(&b, type_with_dtype(b.module, v->type, t), stride);

    return v->type->pointer ? build_addptr(&b, v, step) : build_binary(&b, OP_add, v, step);
}

/* What is known of runs of equal elements holds for every other one of these, too, and does not
 * show where offsets are compared, or divided: what steps by 2 is no run. */
static Value *tell_alike(const Pairs *x, Value *v, const Value *from)
{
    const Axis *a = axis_of(x->axis, from);
    int last = v->type->rank - 1;
    int64_t attrs[1 + MAX_RANK] = {HINT_MAX_CONSTANCY};

    bool steps_down = from->def->code == OP_div || from->def->code == OP_shr;

    if (from->type->rank != v->type->rank || a->constancy[last] % 4 != 0 ||
        (from->type->dtype != DT_I1 && !steps_down))
        return v;
    Builder b = builder_before(from->def);
    for (int d = 0; d <= last; d++)
        attrs[1 + d] = d == last ? a->constancy[d] / 2 : 1;
    return build_op(&b, OP_hint, 1, &v, 2 + last, attrs, 1, &v->type)->results[0];
}

/* The same op on those elements. */
static Op *same_op(Pairs *x, const Op *op, int which)
{
    Builder b = builder_before((Op *)op);
    Map *values = map_new(x->func->module->arena);

    for (int i = 0; i < op->noperands; i++) {
        Value *in = op->operands[i] ? part(x, op->operands[i], which) : NULL;
        if (op->operands[i] && !in)
            return NULL;
        if (in)
            map_put(values, MAP_KEY(op->operands[i]), in);
    }
    return op_clone(&b, op, values);
}

static Value *same_value(Pairs *x, const Op *op, int which)
{
    Op *copy = same_op(x, op, which);

    if (!copy)
        return NULL;
    copy->results[0]->type = half_type(x, op->results[0]->type);
    copy->results[0]->extents = NULL;
    return copy->results[0];
}

static Value *of_arange(Pairs *x, Op *op, int which)
{
    const Type *t = half_type(x, op->results[0]->type);
    Builder b = builder_before(op);
    Value *i = build_arange(&b, 0, t->dims[0]);

    i = build_binary(&b, OP_mul, i, build_int(&b, t, 2));
    return build_binary(&b, OP_add, i, build_int(&b, t, attr_start(op) + which));
}

/* Dimensions of 1 more, or whose element repeats. */
static Value *of_renaming(Pairs *x, Op *op, int which)
{
    Builder b = builder_before(op);
    const Type *t = half_type(x, op->results[0]->type);
    Value *in = part(x, op->operands[0], which);

    if (!in)
        return NULL;
    if (op->code == OP_expand)
        return in_shape(&b, in, t->rank, t->dims);
    return build_broadcast(&b, in_shape(&b, in, t->rank, in->type->dims), t);
}

/* Row-major, elements keep their parity where the last dimensions before and behind are even. */
static Value *of_reshape(Pairs *x, Op *op, int which)
{
    const Type *from = op->operands[0]->type, *t = half_type(x, op->results[0]->type);
    Value *in = from->rank > 0 && last_of(from) % 2 == 0 ? part(x, op->operands[0], which) : NULL;
    Builder b = builder_before(op);

    return in ? in_shape(&b, in, t->rank, t->dims) : NULL;
}

/* Of two elements along the last dimension, by an op that says what of them? */
static bool reduces_pairs(const Op *op)
{
    const Type *in = op->code == OP_reduce ? op->operands[0]->type : NULL;

    return in && op->nresults == 1 && op->results[0]->type->rank > 0 &&
           attr_axis(op) == in->rank - 1 && last_of(in) == 2 && ir_combine_code(op) != OP_COUNT;
}

/* Does nobody want all of it?  What is loaded would be loaded twice. */
static bool is_for_pairs(Pairs *x, Map *seen, const Value *v)
{
    for (int i = 0; i < uses_count(&x->uses, v); i++) {
        Op *op = uses_of(&x->uses, v)[i].op;
        bool ends = reduces_pairs(op) ||
                    (x->of_store && op->code == OP_store &&
                     has_pairs(map_new(x->func->module->arena), op->operands[STORE_DATA], 0));
        bool goes_on = op->nresults == 1 && (op_has(op, MOVES) || op_is_elementwise(op));
        if (ends || (goes_on && map_get(seen, MAP_KEY(op))))
            continue;
        if (!goes_on || x->work-- <= 0)
            return false;
        map_put(seen, MAP_KEY(op), op);
        if (!is_for_pairs(x, seen, op->results[0]))
            return false;
    }
    return true;
}

static Value *of_load(Pairs *x, Op *op, int which)
{
    bool whole = op_is_volatile(op) ||
                 (which == 0 && !is_for_pairs(x, map_new(x->func->module->arena), op->results[0]));

    return whole ? NULL : same_value(x, op, which);
}

static Value *of_op(Pairs *x, Op *op, int which)
{
    const Type *t = op->results[0]->type;
    Builder b = builder_before(op);
    uint64_t bits;

    switch (op->code) {
    case OP_const:
        return value_constant(op->results[0], &bits) ? build_const(&b, half_type(x, t), bits)
                                                     : NULL;
    case OP_splat:
        return build_splat(&b, op->operands[0], half_type(x, t));
    case OP_arange:
        return of_arange(x, op, which);
    case OP_expand:
    case OP_broadcast:
        return of_renaming(x, op, which);
    case OP_reshape:
        return of_reshape(x, op, which);
    case OP_hint:
        return part(x, op->operands[0], which);
    case OP_load:
        return of_load(x, op, which);
    default:
        return op->code == OP_addptr || (op_is_elementwise(op) && op->nresults == 1)
                   ? same_value(x, op, which)
                   : NULL;
    }
}

/* The elements of even, or odd, number along the last dimension, where that has not one for all.
 * NULL: nobody knows. */
static Value *part(Pairs *x, Value *v, int which)
{
    Value *made = map_get(x->parts[which], MAP_KEY(v));

    if (made || v->type->rank == 0 || last_of(v->type) == 1)
        return made ? made : v;
    if (!v->def || last_of(v->type) % 2 != 0 || x->work-- <= 0 || x->depth >= DEEPEST)
        return NULL;
    x->depth++;
    int64_t stride;
    if (which == 1 && are_alike(x, v)) {
        made = part(x, v, 0);
    } else if (which == 1 && steps(x, v, &stride)) {
        made = part(x, v, 0);
        made = made && stride != 0 ? next_one(made, stride, v->def) : made;
    } else
        made = of_op(x, v->def, which);
    if (made && which == 0 && are_alike(x, v))
        made = tell_alike(x, made, v);
    x->depth--;
    if (made)
        map_put(x->parts[which], MAP_KEY(v), made);
    return made;
}

/* --- where to begin --- */

static void begin(Pairs *x, const Op *root)
{
    Arena *a = x->func->module->arena;

    x->axis = axis_analyse(x->func, a);
    x->uses = ir_uses(x->func, a);
    x->parts[0] = map_new(a);
    x->parts[1] = map_new(a);
    memset(x->along, 0, sizeof x->along);
    x->of_store = root->code == OP_store;
    x->work = MOST_WORK;
    x->depth = 0;
}

static bool is_put_together(const Op *op)
{
    if (op->code != OP_reshape || op->operands[0]->type->rank == 0 ||
        op->results[0]->type->rank == 0)
        return false;
    int from = last_of(op->operands[0]->type), to = last_of(op->results[0]->type);
    return from % 2 == 0 && from <= LARGEST && to > from && to % from == 0;
}

/* Is it made of what was put together, element by element? */
static bool has_pairs(Map *seen, const Value *v, int depth)
{
    const Op *op = v->def;

    if (!op || v->type->rank == 0 || depth >= DEEPEST || map_get(seen, MAP_KEY(v)))
        return false;
    map_put(seen, MAP_KEY(v), seen);
    if (is_put_together(op))
        return true;
    for (int i = 0; op_is_elementwise(op) && i < op->noperands; i++) {
        if (op->operands[i] && has_pairs(seen, op->operands[i], depth + 1))
            return true;
    }
    return false;
}

static bool split_store(Pairs *x, Op *op)
{
    Value *data = op->operands[STORE_DATA];

    if (data->type->rank == 0 || last_of(data->type) % 2 != 0 ||
        !has_pairs(map_new(x->func->module->arena), data, 0))
        return false;
    begin(x, op);
    for (int i = 0; i < op->noperands; i++) {
        Value *v = op->operands[i];
        if (v && (!part(x, v, 0) || !part(x, v, 1)))
            return false;
    }
    same_op(x, op, 0);
    same_op(x, op, 1);
    op_remove(op);
    return true;
}

static bool split_reduction(Pairs *x, Op *op)
{
    const Type *out = op->results[0]->type;
    Builder b = builder_before(op);

    if (!reduces_pairs(op))
        return false;
    begin(x, op);
    Value *even = part(x, op->operands[0], 0), *odd = part(x, op->operands[0], 1);
    if (!even || !odd)
        return false;
    even = in_shape(&b, even, out->rank, out->dims);
    odd = in_shape(&b, odd, out->rank, out->dims);
    op->results[0]->repl = build_binary(&b, ir_combine_code(op), even, odd);
    opt_resolve_all(x->func->body);
    op_remove(op);
    return true;
}

static bool visit(Pairs *x, const Block *b)
{
    for (Op *op = b->first; op; op = op->next) {
        bool done = false;
        if (map_get(x->failed, MAP_KEY(op)))
            continue;
        if (op->code == OP_store)
            done = split_store(x, op);
        else if (op->code == OP_reduce)
            done = split_reduction(x, op);
        if (done)
            return true;
        map_put(x->failed, MAP_KEY(op), op);
        for (int r = 0; r < COUNT(op->regions) && !op_has(op, COMBINES); r++) {
            if (op->regions[r] && visit(x, op->regions[r]))
                return true;
        }
    }
    return false;
}

void opt_pairs(Func *f)
{
    Pairs x = {.func = f};

    opt_resolve_all(f->body);
    for (int i = 0; i < MOST_ROUNDS; i++) {
        x.failed = map_new(f->module->arena);
        if (!visit(&x, f->body))
            break;
        opt_fold(f);
        opt_resolve_all(f->body);
    }
}
