/*
 * clamp.c - loads at an index that is kept within limits, as masked loads beside two edges
 *
 * Takes and gives verified IR; for targets that want OptOptions.windows.  What repeats the border
 * of an image is written as
 *
 *     load(row + min(max(columns + d, 0), W - 1))
 *
 * and its addresses follow the columns in no even way, though all but a few are neighbours.  It is
 * one element below the limits, one above them, and between them a load of neighbours whose mask
 * ends somewhere:
 *
 *     load(row + columns + d, mask=inside, other=select(above, high, low))
 *
 * Each of the two is read under one number for all of the tile, whether the first index is below,
 * or the last one above: so nothing is read that was not before, since the rest of the address
 * stays along the dimension of the index.  Where limits cross, the op that is done last says what
 * all elements are.  As in poly.h an index is taken not to wrap within a tile.
 */
#include "opt_target.h"
#include "../ir/analysis.h"

enum {
    DEEPEST = 16,     /* ops between an address and the clamp */
    LEAST_EXTENT = 16 /* of the dimension that the index goes along */
};

typedef struct {
    Op *op;
    int operand; /* that which leads to the clamp */
} Step;

typedef struct {
    Op *load;
    Builder b;
    Value *clamp, *index;
    Value *low, *high; /* limits, the same in all of the tile; NULL: there is none on this side */
    bool high_last;    /* of two: the upper one is asked for last */
    Step path[DEEPEST];
    int steps; /* .. from the clamp to the address */
} Clamp;

/* --- indices --- */

/* By what v goes up from one element to the next along the one dimension that it follows: 1, or 0
 * where it is one number; -1: nobody knows. */
static int step_of(const Value *v, int depth)
{
    if (v->type->rank == 0 || opt_is_uniform(v))
        return 0;
    const Op *op = v->def;
    if (!op || depth == 0)
        return -1;
    if (op->code == OP_arange)
        return op->results[0]->type->dims[0] >= LEAST_EXTENT ? 1 : -1;
    if (op->code == OP_expand || op->code == OP_broadcast)
        return step_of(op->operands[0], depth - 1);
    if (op->code != OP_add && op->code != OP_sub)
        return -1;
    int x = step_of(op->operands[0], depth - 1), y = step_of(op->operands[1], depth - 1);
    return x < 0 || y < 0 || x + y > 1 || (op->code == OP_sub && y > 0) ? -1 : x + y;
}

/* The first, or last, element of what step_of() knows. */
static Value *element(Builder *b, Value *v, bool last)
{
    if (v->type->rank == 0 || opt_is_uniform(v))
        return opt_uniform_scalar(b, v);
    const Op *op = v->def;
    if (op->code == OP_arange) {
        const Type t = {.dtype = v->type->dtype};
        int64_t start = attr_start(op);
        return build_int(b, type_of(b->module, t), last ? start + v->type->dims[0] - 1 : start);
    }
    Value *x = element(b, op->operands[0], last);
    if (op->code != OP_add && op->code != OP_sub)
        return x;
    return build_binary(b, op->code, x, element(b, op->operands[1], last));
}

/* --- which loads --- */

/* Is v the larger, or smaller, of a number and something else? */
static bool limits(const Value *v, OpCode code, Value **other, Value **limit)
{
    const Op *op = opt_made_by(v, code);

    for (int i = 0; op && i < 2; i++) {
        if (step_of(op->operands[i], DEEPEST) != 0)
            continue;
        *limit = op->operands[i];
        *other = op->operands[1 - i];
        return true;
    }
    return false;
}

/* Is v an index within limits? */
static bool is_clamp(Value *v, Clamp *c)
{
    DType t = v->type->dtype;
    Value *inner;

    c->low = c->high = NULL;
    if (v->type->rank == 0 || v->type->pointer || (t != DT_I32 && t != DT_I64))
        return false;
    c->high_last = limits(v, OP_min, &inner, &c->high);
    if (!c->high_last && !limits(v, OP_max, &inner, &c->low))
        return false;
    c->clamp = v;
    if (!limits(inner, c->high_last ? OP_max : OP_min, &c->index,
                c->high_last ? &c->low : &c->high))
        c->index = inner;
    return step_of(c->index, DEEPEST) == 1;
}

/* May v differ along this dimension? */
static bool goes_along(const Value *v, int dim, int depth)
{
    const Op *op = v->def;

    if (v->type->rank == 0 || v->type->dims[dim] == 1 || opt_is_uniform(v))
        return false;
    if (!op || depth == 0)
        return true;
    if (op->code == OP_expand) /* dim is not the new one, which has one element */
        return goes_along(op->operands[0], dim - (dim > (int)attr_axis(op)), depth - 1);
    if (op->code != OP_broadcast && op->code != OP_addptr && !op_is_elementwise(op))
        return true;
    for (int i = 0; i < op->noperands; i++) {
        if (goes_along(op->operands[i], dim, depth - 1))
            return true;
    }
    return false;
}

/* Does all that is added to the clamp stay along the dimension of its index? */
static bool rest_stays(const Clamp *c)
{
    int dim = 0;

    while (!goes_along(c->index, dim, DEEPEST))
        dim++;
    for (int k = 0; k < c->steps; k++) {
        const Op *op = c->path[k].op;
        dim += op->code == OP_expand && attr_axis(op) <= dim;
        if ((op->code == OP_add || op->code == OP_addptr) &&
            goes_along(op->operands[1 - c->path[k].operand], dim, DEEPEST))
            return false;
    }
    return true;
}

/* Is it added to the address, times 1? */
static bool find_clamp(Value *v, int depth, Clamp *c)
{
    Op *op = v->def;

    if (is_clamp(v, c))
        return true;
    if (!op || depth == DEEPEST ||
        (op->code != OP_addptr && op->code != OP_add && op->code != OP_expand &&
         op->code != OP_broadcast && op->code != OP_cast))
        return false;
    for (int i = 0; i < op->noperands; i++) {
        const Type *t = op->operands[i]->type;
        if (op->code == OP_cast && (t->pointer || t->dtype != DT_I32))
            continue;
        if (find_clamp(op->operands[i], depth + 1, c)) {
            c->path[c->steps++] = (Step){op, i};
            return true;
        }
    }
    return false;
}

/* --- what takes their place --- */

/* The address with another index in place of the clamp. */
static Value *address(Clamp *c, Value *index)
{
    for (int k = 0; k < c->steps; k++) {
        const Op *op = c->path[k].op;
        Value *operands[2] = {op->operands[0], op->noperands > 1 ? op->operands[1] : NULL};
        const Type *t = op->results[0]->type;
        operands[c->path[k].operand] = index;
        index = build_op(&c->b, op->code, op->noperands, operands, op->nattrs, op->attrs, 1, &t)
                    ->results[0];
    }
    return index;
}

/* What is asked of the index, in the shape of the load. */
static Value *as_mask(Clamp *c, Value *asked)
{
    for (int k = 0; k < c->steps; k++) {
        const Op *op = c->path[k].op;
        if (op->code != OP_expand && op->code != OP_broadcast)
            continue;
        const Type *t = type_with_dtype(c->b.module, op->results[0]->type, DT_I1);
        asked = build_op(&c->b, op->code, 1, &asked, op->nattrs, op->attrs, 1, &t)->results[0];
    }
    return asked;
}

static Value *load_at(Clamp *c, Value *index, Value *mask, Value *other)
{
    const Op *op = c->load;
    const Type *t = op->results[0]->type;
    Value *operands[LOAD_OTHER + 1] = {
        [LOAD_PTR] = address(c, index), [LOAD_MASK] = mask, [LOAD_OTHER] = other};

    return build_op(&c->b, OP_load, other ? LOAD_OTHER + 1 : LOAD_MASK + 1, operands, op->nattrs,
                    op->attrs, 1, &t)
        ->results[0];
}

/* The one element on a side of the limits, where the tile has any that is there. */
static Value *edge(Clamp *c, bool above)
{
    Builder *b = &c->b;
    Value *limit = above ? c->high : c->low, *far = above ? c->low : c->high;
    Value *own = opt_uniform_scalar(b, limit), *x = element(b, c->index, above);
    Value *beyond = far ? opt_uniform_scalar(b, far) : NULL;
    OpCode code = above ? OP_gt : OP_lt;
    bool last = above == c->high_last;

    if (beyond && last)
        x = build_binary(b, above ? OP_max : OP_min, x, beyond);
    Value *some = build_binary(b, code, x, own);
    if (beyond && !last)
        some = build_binary(b, OP_and, some, build_binary(b, above ? OP_ge : OP_le, own, beyond));
    return load_at(c, limit, build_splat(b, some, c->load->results[0]->type), NULL);
}

/* What is beside the limits: of two, that which is asked for last is right where both might be. */
static Value *edges(Clamp *c)
{
    Builder *b = &c->b;

    if (!c->low || !c->high)
        return edge(c, c->high != NULL);
    Value *last = c->high_last ? c->high : c->low, *inner = c->clamp->def->operands[0];
    if (inner == last)
        inner = c->clamp->def->operands[1];
    Value *is_last = build_binary(b, c->high_last ? OP_gt : OP_lt, inner, last);
    Value *x = edge(c, c->high_last), *y = edge(c, !c->high_last);
    return build_select(b, as_mask(c, is_last), x, y);
}

static void rewrite(Clamp *c)
{
    Builder *b = &c->b;
    Value *inside = NULL, *other = edges(c);

    if (c->low)
        inside = build_binary(b, OP_ge, c->index, c->low);
    if (c->high) {
        Value *below = build_binary(b, OP_le, c->index, c->high);
        inside = inside ? build_binary(b, OP_and, inside, below) : below;
    }
    c->load->results[0]->repl = load_at(c, c->index, as_mask(c, inside), other);
    op_remove(c->load);
}

static bool is_plain_load(const Op *op)
{
    return op->code == OP_load && op->results[0]->type->rank > 0 &&
           !op->results[0]->type->pointer && !op_is_volatile(op) && !op_operand(op, LOAD_MASK);
}

static void visit_block(Block *b)
{
    for (Op *op = b->first, *next; op; op = next) {
        Clamp c = {.load = op};
        next = op->next;
        for (int r = 0; r < COUNT(op->regions) && !op_has(op, COMBINES); r++) {
            if (op->regions[r])
                visit_block(op->regions[r]);
        }
        if (!is_plain_load(op) || !find_clamp(op->operands[LOAD_PTR], 0, &c) || !rest_stays(&c))
            continue;
        c.b = builder_before(op);
        rewrite(&c);
    }
}

void opt_clamp(Func *f)
{
    opt_resolve_all(f->body);
    visit_block(f->body);
    opt_resolve_all(f->body);
}
