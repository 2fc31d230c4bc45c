/*
 * nv_wrap.c - rows that are loaded from the beginning again, and that nobody sees
 *
 * The usual product takes `(tile * BLOCK + arange) % M` as the rows that it loads, others
 * `where(rows < M, rows, 0)` or `minimum(rows, M - 1)`, so that no address is beyond the array, and
 * stores or adds to memory under the mask `rows < M`, or puts something else there: `where(rows <
 * M, product, -inf)`. Then it does not matter what the rows beyond M were.  Shown by following the
 * load's rows along their dimension through products, elementwise ops, loops and moves to every
 * store or selection, whose mask must have just that bound.
 */
#include "nv_ring.h"

typedef struct {
    const Value *value;
    int dim;
} Lane;

typedef struct {
    NvPlan *plan;
    const PolyWrap *wrap;
    Map *seen;
    VEC(Lane) todo;
} Follow;

static void follow(Follow *f, const Value *v, int dim)
{
    uint64_t key = ((uint64_t)v->id + 1) * MAX_RANK + (uint64_t)dim;

    if (map_get(f->seen, key))
        return;
    map_put(f->seen, key, (void *)v);
    vec_push(f->plan->arena, &f->todo, ((Lane){v, dim}));
}

/* index - bound < 0 is a part of that mask, along its dimension. */
static bool is_guarded(Follow *f, const Op *op, int mask, int dim)
{
    static const int8_t identity[MAX_RANK] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    PolyScope scope = {0};
    PolyBounds bounds;
    Poly wanted;

    if (mask >= op->noperands || !poly_turn(&f->wrap->index, f->wrap->dim, dim, &wanted) ||
        !poly_add(&wanted, &f->wrap->bound, -1))
        return false;
    poly_bounds(&scope, op->operands[mask], identity, &bounds);
    for (int i = 0; i < bounds.count; i++) {
        if (poly_equal(&bounds.below[i], &wanted))
            return true;
    }
    return false;
}

/* What the terminator hands over. */
static bool follow_end(Follow *f, const Op *end, int operand, int dim)
{
    const Op *owner = end->block->owner;

    if (end->code != OP_yield || !owner || (owner->code != OP_for && owner->code != OP_if))
        return false;
    if (owner->code == OP_for)
        follow(f, owner->regions[0]->args[operand + 1], dim);
    follow(f, owner->results[operand], dim);
    return true;
}

static bool follow_product(Follow *f, const Op *op, int operand, int dim)
{
    int rank = op->results[0]->type->rank, summed = operand == MMA_A ? rank - 1 : rank - 2;

    if (operand > MMA_ACC || (operand < MMA_ACC && dim == summed))
        return false;
    follow(f, op->results[0], dim);
    return true;
}

static bool follow_reduction(Follow *f, const Op *op, int dim)
{
    int axis = (int)attr_axis(op);

    if (axis < 0 || axis == dim)
        return false;
    for (int i = 0; i < op->nresults; i++)
        follow(f, op->results[i], dim - (dim > axis));
    return true;
}

/* The result's dimension that follows that of its operand. */
static bool follow_move(Follow *f, const Op *op, int dim)
{
    int8_t in[MAX_RANK], map[MAX_RANK];
    const Value *v = op->results[0];

    for (int d = 0; d < MAX_RANK; d++)
        map[d] = (int8_t)d;
    if (!access_renamed(v, map, in) || in[dim] < 0)
        return false;
    follow(f, v, in[dim]);
    return true;
}

static bool is_elementwise(const Op *op)
{
    return op_has(op, PURE) && !op_has(op, MOVES | COMBINES) && op->nresults == 1 &&
           !op->regions[0] && (op_has(op, FOLDS) || op->code == OP_hint);
}

static bool follow_lane(Follow *f, const Use *use, int dim)
{
    const Op *op = use->op;

    if (op_has(op, MOVES))
        return follow_move(f, op, dim);
    if (!is_elementwise(op) || op->operands[use->operand]->type->pointer)
        return false;
    follow(f, op->results[0], dim);
    return true;
}

static bool follow_use(Follow *f, const Use *use, int dim)
{
    const Op *op = use->op;

    switch (op->code) {
    case OP_store:
        return use->operand == STORE_DATA && is_guarded(f, op, STORE_MASK, dim);
    case OP_atomic_rmw:
        return use->operand == RMW_DATA && is_guarded(f, op, RMW_MASK, dim);
    case OP_for:
        if (use->operand < FOR_BOUNDS)
            return false;
        follow(f, op->regions[0]->args[use->operand - FOR_BOUNDS + 1], dim);
        follow(f, op->results[use->operand - FOR_BOUNDS], dim);
        return true;
    case OP_yield:
        return follow_end(f, op, use->operand, dim);
    case OP_dot:
        return follow_product(f, op, use->operand, dim);
    case OP_reduce:
        return follow_reduction(f, op, dim);
    case OP_select:
        if (use->operand == SELECT_THEN && is_guarded(f, op, SELECT_IF, dim))
            return true;
        return follow_lane(f, use, dim);
    default:
        return follow_lane(f, use, dim);
    }
}

bool nv_wrap_is_unseen(NvPlan *p, const Op *load, const PolyWrap *wrap)
{
    Follow f = {.plan = p, .wrap = wrap, .seen = map_new(p->arena)};
    bool unseen = true;

    follow(&f, load->results[0], wrap->dim);
    while (unseen && f.todo.len > 0) {
        Lane lane = f.todo.at[--f.todo.len];
        const Use *uses = uses_of(&p->uses, lane.value);
        for (int i = 0; unseen && i < uses_count(&p->uses, lane.value); i++)
            unseen = follow_use(&f, &uses[i], lane.dim);
    }
    return unseen;
}
