/*
 * rows.c - tiles whose rows are computed apart become a loop over the rows
 *
 * Takes and gives verified IR, for targets that run a tile as loops.  Those need a nest for each
 * reduction whose result the whole tile waits for:
 *
 *     x = load(.. [R,C]);  y = x - max(x, 1)[:, None];  store(.., exp(y) / sum(exp(y), 1)[:, None])
 *
 * goes through memory three times, R rows at a time.  Where nothing goes from one row to another,
 * each row may as well come to its end before the next one begins, as if the program had one row:
 *
 *     for r in 0 .. R:  x = load(.. [C]);  y = x - max(x, 0);  store(.., exp(y) / sum(exp(y), 0))
 *
 * From a reduction along the last dimension on, up and down, each value gets the dimension that is
 * the rows', -1 where it has none: what all rows have alike stays in front of the loop.  A value
 * that would need two, or an op that looks across rows, leaves all as it is.  So do effects that
 * are not row by row, and memory that may be written in one row and read in another.
 */
#include <string.h>

#include "opt_target.h"
#include "../ir/analysis.h"

enum {
    NO_ROWS = -1,
    LEAST_COLUMNS = 64, /* of shorter rows vectors along the other dimension may be better */
    MOST_TRIES = 16     /* each looks at the whole kernel */
};

typedef struct {
    Func *func;
    Arena *arena;
    UseLists uses;
    Block *block; /* whose tiles these are; the loop will stand at its end */
    int32_t rows;
    int nvalues; /* that there were when `dim` was made */
    int8_t *dim; /* by the value's id: the dimension of rows */
    VEC(Value *) todo;
    VEC(Op *) loads;
    VEC(Op *) stores;
    bool fails;
    Value *row;  /* i32: the loop's counter */
    Op *end;     /* the first op in the block that is new */
    Map *values; /* what they are in one row */
} Rows;

static int rows_of(const Rows *x, const Value *v)
{
    return v->id < x->nvalues ? x->dim[v->id] : NO_ROWS;
}

/* --- which dimension is the rows' ------------------------------------------------------------ */

static void mark(Rows *x, Value *v, int d)
{
    const Type *t = v->type;

    if (t->rank > 0 && rows_of(x, v) == d)
        return;
    x->fails |= t->rank == 0 || t->handle != HANDLE_NONE || rows_of(x, v) != NO_ROWS ||
                (t->dims[d] != x->rows && t->dims[d] != 1) || !block_encloses(x->block, v->block);
    if (x->fails)
        return;
    x->dim[v->id] = (int8_t)d;
    vec_push(x->arena, &x->todo, v);
}

/* The first of the op's values that has rows: a result, else an operand; NULL. */
static const Value *known_operand(const Rows *x, const Op *op)
{
    for (int i = 0; i < op->noperands; i++) {
        if (rows_of(x, op->operands[i]) != NO_ROWS)
            return op->operands[i];
    }
    return NULL;
}

static const Value *known_result(const Rows *x, const Op *op)
{
    for (int i = 0; i < op->nresults; i++) {
        if (rows_of(x, op->results[i]) != NO_ROWS)
            return op->results[i];
    }
    return NULL;
}

static void mark_all(Rows *x, const Op *op, int of_operands, int of_results)
{
    for (int i = 0; i < op->noperands; i++)
        mark(x, op->operands[i], of_operands);
    for (int i = 0; i < op->nresults; i++)
        mark(x, op->results[i], of_results);
}

/* All of the op's tiles have one shape. */
static void relate_same(Rows *x, const Op *op)
{
    const Value *in = known_operand(x, op), *out = known_result(x, op);
    int d = rows_of(x, in ? in : out);

    mark_all(x, op, d, d);
}

static void relate_expand(Rows *x, const Op *op)
{
    int axis = (int)attr_axis(op), in = rows_of(x, op->operands[0]);
    int out = rows_of(x, op->results[0]);

    if (in != NO_ROWS)
        mark(x, op->results[0], in + (axis <= in));
    else if (out != axis)
        mark(x, op->operands[0], out - (axis < out));
}

static void relate_permute(Rows *x, const Op *op)
{
    int n, in = rows_of(x, op->operands[0]);
    const int64_t *dims = attr_dims(op, &n);

    if (in == NO_ROWS) {
        mark(x, op->operands[0], (int)dims[rows_of(x, op->results[0])]);
        return;
    }
    for (int i = 0; i < n; i++) {
        if (dims[i] == in)
            mark(x, op->results[0], i);
    }
}

static void relate_combined(Rows *x, const Op *op)
{
    const Value *in = known_operand(x, op), *out = known_result(x, op);
    int axis = (int)attr_axis(op), drops = op->code == OP_reduce;
    int d = in ? rows_of(x, in) : rows_of(x, out) + (drops && axis <= rows_of(x, out));

    x->fails |=
        d == axis || (in ? in : out)->type->rank == 0 || op->operands[0]->type->dims[axis] == 1;
    for (int i = 0; i < op->nresults; i++) /* [R,1]: a row is no tile, and what is reduced is */
        x->fails |= op->results[i]->type->rank > 1 && type_numel(op->results[i]->type) == x->rows;
    if (!x->fails)
        mark_all(x, op, d, d - (drops && axis < d));
}

/* What a loop carries in place i. */
static void relate_carried(Rows *x, const Op *loop, int i, int d)
{
    mark(x, loop->operands[FOR_BOUNDS + i], d);
    mark(x, loop->regions[0]->args[1 + i], d);
    mark(x, loop->results[i], d);
    mark(x, opt_last(loop->regions[0])->operands[i], d);
}

static void relate_loop(Rows *x, const Op *loop)
{
    for (int i = 0; i < loop->nresults && !x->fails; i++) {
        const Value *same[] = {loop->operands[FOR_BOUNDS + i], loop->regions[0]->args[1 + i],
                               loop->results[i], opt_last(loop->regions[0])->operands[i]};
        for (int k = 0; k < COUNT(same); k++) {
            if (rows_of(x, same[k]) != NO_ROWS)
                relate_carried(x, loop, i, rows_of(x, same[k]));
        }
    }
}

/* Rows come first, and stay whole. */
static void relate_reshape(Rows *x, const Op *op)
{
    const Type *from = op->operands[0]->type, *to = op->results[0]->type;

    x->fails |= from->rank == 0 || to->rank == 0 || from->dims[0] != to->dims[0];
    if (!x->fails)
        mark_all(x, op, 0, 0);
}

/* Of an op one of whose values has rows: the others' dimensions follow. */
static void relate(Rows *x, const Op *op)
{
    switch (op->code) {
    case OP_const:
    case OP_splat:
        break;
    case OP_arange:
        x->fails |= op->results[0]->type->dims[0] != x->rows;
        break;
    case OP_expand:
        relate_expand(x, op);
        break;
    case OP_permute:
        relate_permute(x, op);
        break;
    case OP_reshape:
        relate_reshape(x, op);
        break;
    case OP_reduce:
    case OP_scan:
        relate_combined(x, op);
        break;
    case OP_for:
        relate_loop(x, op);
        break;
    case OP_yield:
        x->fails |= op->block == x->block || !op->block->owner || op->block->owner->code != OP_for;
        if (!x->fails)
            relate_loop(x, op->block->owner);
        break;
    case OP_broadcast:
    case OP_addptr:
    case OP_load:
    case OP_store:
    case OP_hint:
        relate_same(x, op);
        break;
    default:
        x->fails |= !op_is_elementwise(op);
        if (!x->fails)
            relate_same(x, op);
        break;
    }
}

static void spread(Rows *x)
{
    while (x->todo.len > 0 && !x->fails) {
        const Value *v = x->todo.at[--x->todo.len];
        const Use *uses = uses_of(&x->uses, v);
        const Op *owner = v->def ? NULL : v->block->owner;

        x->fails |= !v->def && (!owner || owner->code != OP_for);
        if (!x->fails)
            relate(x, v->def ? v->def : owner);
        for (int i = 0; i < uses_count(&x->uses, v) && !x->fails; i++)
            relate(x, uses[i].op);
    }
}

/* --- may the rows come one after the other? -------------------------------------------------- */

static bool has_rows(const Rows *x, const Op *op)
{
    if (known_operand(x, op) || known_result(x, op))
        return true;
    for (int r = 0; r < COUNT(op->regions) && !op_has(op, COMBINES); r++) {
        for (const Op *in = op->regions[r] ? op->regions[r]->first : NULL; in; in = in->next) {
            if (has_rows(x, in))
                return true;
        }
    }
    return false;
}

/* Nobody behind a loop of rows needs what it hands on but rows. */
static bool hands_on_rows(const Rows *x, const Op *loop)
{
    for (int i = 0; i < loop->nresults; i++) {
        if (rows_of(x, loop->results[i]) == NO_ROWS && uses_count(&x->uses, loop->results[i]) > 0)
            return false;
    }
    return loop->code == OP_for;
}

static void look_at(Rows *x, Block *b)
{
    for (Op *op = b->first; op && !x->fails; op = op->next) {
        bool rows = has_rows(x, op);

        if (op_only_reads(op)) {
            x->fails |= op->code != OP_load || op_is_volatile(op);
            vec_push(x->arena, &x->loads, op);
        } else if (op->code == OP_store && rows)
            vec_push(x->arena, &x->stores, op);
        else if (op_has(op, READS | WRITES | EFFECT) && op->code != OP_assume)
            x->fails = true;
        if (op->regions[0] && !op_has(op, COMBINES)) {
            x->fails |= rows && !hands_on_rows(x, op);
            for (int r = 0; r < COUNT(op->regions) && op->regions[r]; r++)
                look_at(x, op->regions[r]);
        }
    }
}

/* Each store has memory of its own, but for loads of the very same elements. */
static bool memory_is_apart(const Rows *x, const AxisFacts *facts)
{
    const PointerBases *bases = ir_pointer_bases(x->func, x->arena);

    for (int i = 0; i < x->stores.len; i++) {
        Value *p = x->stores.at[i]->operands[STORE_PTR];
        uint64_t own = ir_bases_of(bases, p);
        for (int k = 0; k < i; k++) {
            if (ir_bases_of(bases, x->stores.at[k]->operands[STORE_PTR]) & own)
                return false;
        }
        for (int k = 0; k < x->loads.len; k++) {
            const Value *q = x->loads.at[k]->operands[LOAD_PTR];
            bool same = q == p && access_distinct(x->arena, facts, p);
            if (!same && (ir_bases_of(bases, q) & own))
                return false;
        }
    }
    return true;
}

/* --- is it worth it? ------------------------------------------------------------------------- */

/* Rows lie along the last dimension. */
static bool lies_in_rows(const Rows *x, const AxisFacts *facts, const Value *p)
{
    int last = p->type->rank - 1;

    return last < 1 || p->type->dims[last] == 1 || rows_of(x, p) == NO_ROWS ||
           (rows_of(x, p) != last && axis_of(facts, p)->contiguity[last] > 1);
}

static bool all_lie_in_rows(const Rows *x, const AxisFacts *facts)
{
    for (int i = 0; i < x->loads.len; i++) {
        if (!lies_in_rows(x, facts, x->loads.at[i]->operands[LOAD_PTR]))
            return false;
    }
    for (int i = 0; i < x->stores.len; i++) {
        if (!lies_in_rows(x, facts, x->stores.at[i]->operands[STORE_PTR]))
            return false;
    }
    return true;
}

static bool is_no_reduction(const Op *op, void *ctx)
{
    (void)ctx;
    return op->code != OP_reduce;
}

/* Does a tile wait for what its rows are reduced to, or go around in a loop? */
static bool waits(const Rows *x, const Block *b)
{
    for (const Op *op = b->first; op; op = op->next) {
        const Value *in = op_operand(op, 0);
        if (op->code == OP_for && has_rows(x, op))
            return true;
        if (op->code == OP_expand && rows_of(x, in) != NO_ROWS &&
            ir_slice(x->func, x->arena, &in, 1, is_no_reduction, NULL))
            return true;
    }
    return false;
}

/* --- one row --------------------------------------------------------------------------------- */

/* A row of one element is that. */
static const Type *row_type(const Rows *x, const Value *v)
{
    int d = rows_of(x, v);
    Type t = *v->type;

    if (d == NO_ROWS)
        return v->type;
    if (type_numel(&t) == t.dims[d])
        return type_element(x->func->module, &t);
    for (int i = d; i + 1 < t.rank; i++)
        t.dims[i] = t.dims[i + 1];
    t.dims[--t.rank] = 0;
    return type_of(x->func->module, t);
}

static Value *in_row(const Rows *x, Value *v)
{
    Value *made = map_get(x->values, MAP_KEY(v));

    return made ? made : v;
}

/* The same op on what its operands are in one row. */
static Op *same_op(const Rows *x, Builder *b, const Op *op)
{
    const Type *types[op->nresults + 1];

    for (int i = 0; i < op->nresults; i++)
        types[i] = row_type(x, op->results[i]);
    return op_clone_as(b, op, types, x->values);
}

/* Dimensions are renamed, or repeat. */
static Value *moved(const Rows *x, Builder *b, const Op *op, const Type *to)
{
    Value *v = in_row(x, op->operands[0]);

    if (v->type == to)
        return v;
    if (v->type->rank == 0)
        return build_splat(b, v, to);
    if (op->code == OP_broadcast)
        return build_broadcast(b, v, to);
    if (op->code != OP_permute)
        return build_reshape(b, v, to->rank, to->dims);
    int n, d = rows_of(x, op->operands[0]), dims[MAX_RANK], rank = 0;
    const int64_t *old = attr_dims(op, &n);
    for (int i = 0; i < n; i++) {
        if (old[i] != d)
            dims[rank++] = (int)(old[i] - (d < old[i]));
    }
    return build_permute(b, v, dims);
}

static void lower_block(const Rows *x, Builder *b, const Block *from);

static void lower_loop(const Rows *x, Builder *b, const Op *loop)
{
    Value *operands[loop->noperands];
    const Type *types[loop->nresults + 1];

    for (int i = 0; i < loop->noperands; i++)
        operands[i] = in_row(x, loop->operands[i]);
    for (int i = 0; i < loop->nresults; i++)
        types[i] = row_type(x, loop->results[i]);
    Op *copy = build_op(b, OP_for, loop->noperands, operands, loop->nattrs, loop->attrs,
                        loop->nresults, types);
    for (int i = 0; i < loop->regions[0]->nargs; i++) {
        Value *arg = loop->regions[0]->args[i];
        Value *new = block_add_arg(copy->regions[0], row_type(x, arg));
        new->name = arg->name;
        map_put(x->values, MAP_KEY(arg), new);
    }
    for (int i = 0; i < loop->nresults; i++)
        map_put(x->values, MAP_KEY(loop->results[i]), copy->results[i]);
    Builder in = builder_into(b, copy->regions[0]);
    lower_block(x, &in, loop->regions[0]);
}

static void lower_combined(const Rows *x, Builder *b, const Op *op)
{
    int64_t axis = attr_axis(op);
    Op *copy = same_op(x, b, op);

    attr_set(copy, ATTR_axis, axis - (rows_of(x, op->operands[0]) < axis));
    for (int i = 0; i < op->nresults; i++)
        copy->results[i]->extents = NULL; /* they followed the axis of the tile */
}

static void lower(const Rows *x, Builder *b, const Op *op)
{
    Value *v = op->nresults == 1 ? op->results[0] : NULL, *made = NULL;
    const Type *to = v ? row_type(x, v) : NULL;

    b->span = op->span;
    b->site = op->site;
    b->mark = op->mark;
    switch (op->code) {
    case OP_for:
        lower_loop(x, b, op);
        return;
    case OP_reduce:
    case OP_scan:
        lower_combined(x, b, op);
        return;
    case OP_arange:
        made = build_binary(b, OP_add, x->row, build_int(b, to, attr_start(op)));
        break;
    case OP_splat:
        made = to->rank == 0 ? in_row(x, op->operands[0]) : NULL;
        break;
    case OP_broadcast:
    case OP_expand:
    case OP_permute:
    case OP_reshape:
        made = moved(x, b, op, to);
        break;
    case OP_hint:
        made = attr_hint_kind(op) == HINT_LIKELY ? NULL : in_row(x, op->operands[0]);
        break;
    default:
        break;
    }
    if (made)
        map_put(x->values, MAP_KEY(v), made);
    else
        same_op(x, b, op);
}

/* Within a loop, what has no rows is made anew as well; and so is a tile that is loaded, which
 * would have to be kept for all rows otherwise. */
static void lower_block(const Rows *x, Builder *b, const Block *from)
{
    for (const Op *op = from->first; op && op != x->end; op = op->next) {
        if (has_rows(x, op) && op->code != OP_yield)
            lower(x, b, op);
        else if (from != x->block || (op->code == OP_load && op->results[0]->type->rank > 0))
            op_clone(b, op, x->values);
    }
}

static void make_loop(Rows *x)
{
    Builder b = builder_before(opt_last(x->block));
    const Type *i32 = type_scalar(x->func->module, DT_I32);
    Value *zero = build_int(&b, i32, 0);
    Value *rows = build_int(&b, i32, x->rows), *bounds[] = {zero, rows, build_int(&b, i32, 1)};

    x->end = bounds[0]->def;
    Op *loop = build_op(&b, OP_for, FOR_BOUNDS, bounds, 0, NULL, 0, NULL);
    attr_set(loop, ATTR_any_order, 1);
    x->row = block_add_arg(loop->regions[0], i32);
    x->values = map_new(x->arena);
    Builder in = builder_into(&b, loop->regions[0]);
    lower_block(x, &in, x->block);
    build_yield(&in, OP_yield, 0, NULL);
    for (Op *op = x->end->prev, *prev; op; op = prev) {
        prev = op->prev;
        if (has_rows(x, op))
            op_remove(op);
    }
}

/* --- which tiles ----------------------------------------------------------------------------- */

/* The rows that an op reduces, within a block.  False: nothing is changed. */
static bool take_apart(Func *f, const Op *reduce, Block *b, Arena *a)
{
    Rows x = {.func = f, .arena = a, .block = b, .rows = reduce->operands[0]->type->dims[0]};

    x.uses = ir_uses(f, a);
    x.nvalues = f->nvalues;
    x.dim = arena_alloc(a, (size_t)f->nvalues);
    memset(x.dim, NO_ROWS, (size_t)f->nvalues);
    mark(&x, reduce->operands[0], 0);
    spread(&x);
    if (!x.fails)
        look_at(&x, x.block);
    if (x.fails || x.stores.len == 0 || !waits(&x, x.block))
        return false;
    const AxisFacts *facts = axis_analyse(f, a);
    if (!all_lie_in_rows(&x, facts) || !memory_is_apart(&x, facts))
        return false;
    make_loop(&x);
    return true;
}

/* A reduction of long rows. */
static bool is_of_rows(const Op *op)
{
    const Type *t = op->noperands > 0 ? op->operands[0]->type : NULL;

    return op->code == OP_reduce && t->rank >= 2 && attr_axis(op) == t->rank - 1 &&
           t->dims[0] > 1 && t->dims[t->rank - 1] >= LEAST_COLUMNS;
}

/* In its own block, or with the loops around it. */
static bool try_blocks(Func *f, const Op *reduce, Arena *a, int *tries)
{
    for (Block *b = reduce->block; b && *tries > 0; b = b->owner ? b->owner->block : NULL) {
        (*tries)--;
        if (take_apart(f, reduce, b, a))
            return true;
    }
    return false;
}

static bool visit(Func *f, const Block *b, Arena *a, int *tries)
{
    for (const Op *op = b->first; op; op = op->next) {
        if (is_of_rows(op) && try_blocks(f, op, a, tries))
            return true;
        for (int r = 0; r < COUNT(op->regions) && !op_has(op, COMBINES); r++) {
            if (op->regions[r] && visit(f, op->regions[r], a, tries))
                return true;
        }
    }
    return false;
}

void opt_rows(Func *f)
{
    int tries = MOST_TRIES;

    opt_resolve_all(f->body);
    visit(f, f->body, f->module->arena, &tries);
}
