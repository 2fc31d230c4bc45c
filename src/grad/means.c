/*
 * means.c - what is left when the mean has been taken off: its sum is 0
 *
 *     mean = tl.sum(x, axis=0) / n                  x is 0 where the mask leaves lanes out,
 *     rest = tl.where(columns < n, x - mean, 0.0)   which lets n of them through
 *
 * So the gradient of a mean asks for no sum of `rest`, and what norms hand on is written as books
 * have it.  That a tile has room for all n lanes is taken for granted, and said as strides are
 * (needs.c).
 *
 * A forward that does sum it has what rounding left in the mean:
 *
 *     left = tl.sum(rest, axis=0) / n
 *     tl.store(means + row, mean + left)
 *
 * There the mean is what is stored, from which nothing is left.
 */
#include "../opt/opt.h"
#include "grad.h"

enum { MOST_DEPTH = 8 };

/* A scalar, or a row of them, before it is spread over the tile. */
static const Value *before_spread(const Value *v)
{
    while (v->def &&
           (v->def->code == OP_splat || v->def->code == OP_broadcast || v->def->code == OP_expand))
        v = v->def->operands[0];
    return v;
}

/* As a number of elements: what was made a float of. */
static const Value *count_behind(const Value *v)
{
    v = before_spread(v);
    while (opt_made_by(v, OP_cast) && dtype_is_float(v->type->dtype))
        v = before_spread(v->def->operands[0]);
    return v;
}

/* Is it that constant, which a float may be, too? */
static bool is_constant(const Value *v, int64_t n)
{
    uint64_t bits;

    if (!value_constant(v, &bits))
        return false;
    return dtype_is_float(v->type->dtype) ? scalar_to_double(v->type->dtype, bits) == (double)n
                                          : bits == (uint64_t)n;
}

/* Where the mask is false, and NULL is true everywhere: 0? */
static bool is_zero_outside(const Value *x, const Value *mask, int depth)
{
    const Op *op = x->def;

    if (!mask || !op || depth == 0)
        return mask == NULL;
    if (op->code == OP_cast)
        return is_zero_outside(op->operands[0], mask, depth - 1);
    if (op->code == OP_select)
        return op->operands[0] == mask && grad_is_number(op->operands[2], 0);
    const Value *other = op->code == OP_load ? op_operand(op, LOAD_OTHER) : NULL;
    return op->code == OP_load && op_operand(op, LOAD_MASK) == mask &&
           (!other || grad_is_number(other, 0));
}

/* Does the mask let the first n lanes along the axis through, and no others of a row that it lets
 * any of through?  *lanes: n, which is the same for all. */
static bool lets_through(const Value *mask, int axis, const Value *n, Poly *lanes)
{
    int8_t map[MAX_RANK];
    PolyScope scope = {0};
    PolyBounds bounds = {0};
    Poly index = {0};
    bool found = false;

    for (int d = 0; d < MAX_RANK; d++)
        map[d] = (int8_t)d;
    poly_push(&index, &(PolyTerm){1, 1, {{NULL, axis}}});
    poly_bounds(&scope, mask, map, &bounds);
    if (bounds.others || n->type->rank > 0 || !poly_of(&scope, n, map, lanes))
        return false;
    for (int i = 0; i < bounds.count; i++) {
        Poly rest = bounds.below[i]; /* index - n < 0 */
        if (!poly_has_index(&rest, axis))
            continue;
        if (found || !poly_add(&rest, &index, -1) || !poly_add(&rest, lanes, 1) || rest.count > 0)
            return false;
        found = true;
    }
    return found && terms_is_same_poly(lanes);
}

/* Have all n lanes room in the tile?  Else the gradients are wrong, as is said. */
static bool have_room(Grad *g, const Poly *lanes, int64_t extent)
{
    const int before = g->needs.len;
    const PolyTerm room = {.scale = extent};

    for (int i = 0; i < g->nwrt; i++) {
        if (grad_need(g, &g->wrt[i], lanes, &room))
            continue;
        g->needs.len = before;
        return false;
    }
    return true;
}

/* Is v the mean of x along the axis? */
static bool is_mean(Grad *g, const Value *v, const Value *x, int axis, const Value *mask)
{
    const Op *op = before_spread(v)->def;
    const Op *sum = op && op->code == OP_div ? before_spread(op->operands[0])->def : NULL;
    const int64_t extent = x->type->dims[axis];
    Poly lanes;

    if (!sum || sum->code != OP_reduce || sum->nresults != 1 || sum->operands[0] != x ||
        attr_axis(sum) != axis || ir_combine_code(sum) != OP_add ||
        !is_zero_outside(x, mask, MOST_DEPTH))
        return false;
    const Value *n = count_behind(op->operands[1]);
    if (!mask)
        return is_constant(n, extent);
    return lets_through(mask, axis, n, &lanes) && have_room(g, &lanes, extent);
}

Value *grad_mean_taken_off(Grad *g, const Value *v, int axis, const Value *mask)
{
    const Op *op = v->def;

    if (g->wish->atomics == GRAD_ALL)
        return NULL;
    if (op && op->code == OP_select && grad_is_number(op->operands[2], 0) &&
        (!mask || op->operands[0] == mask)) {
        mask = op->operands[0];
        op = op->operands[1]->def;
    }
    if (!op || op->code != OP_sub || !grad_can_drop(op->operands[1], 1u << axis))
        return NULL;
    return is_mean(g, op->operands[1], op->operands[0], axis, mask) ? op->operands[1] : NULL;
}

/* --- sums of it that the forward has --- */

typedef struct {
    Grad *g;
    bool found;
} Search;

/* Is it made of the sum by dividing it? */
static bool is_part_of(const Value *v, const Value *sum)
{
    while (v != sum && v->def && (v->def->code == OP_div || v->def->code == OP_cast))
        v = v->def->operands[0];
    return v == sum;
}

/* Where the mean is stored, with what was left added; NULL. */
static Op *stored_with(Grad *g, const Value *mean, const Value *sum)
{
    for (int i = 0; i < uses_count(&g->uses, mean); i++) {
        const Op *add = uses_of(&g->uses, mean)[i].op;
        if (add->code != OP_add || uses_count(&g->uses, add->results[0]) != 1 ||
            !is_part_of(add->operands[add->operands[0] == mean], sum))
            continue;
        Op *store = uses_of(&g->uses, add->results[0])->op;
        if (store->code == OP_store && store->operands[STORE_DATA] == add->results[0] &&
            grad_is_stored_once(g, store))
            return store;
    }
    return NULL;
}

static void look_at(Op *op, void *search)
{
    Search *s = search;
    Value *mean = op->code == OP_reduce && op->nresults == 1 && ir_combine_code(op) == OP_add
                      ? grad_mean_taken_off(s->g, op->operands[0], (int)attr_axis(op), NULL)
                      : NULL;
    Op *store = mean ? stored_with(s->g, before_spread(mean), op->results[0]) : NULL;

    if (!store)
        return;
    Op *add = store->operands[STORE_DATA]->def;
    const int first = add->operands[0] == before_spread(mean) ? 0 : 1;
    Value *left = add->operands[1 - first];
    Builder b = builder_before(op);
    add->results[0]->repl = add->operands[first];
    op->results[0]->repl = build_float(&b, op->results[0]->type, 0);
    if (left != op->results[0])
        left->repl = op->results[0]->repl;
    s->found = true;
}

bool grad_take_means_as_stored(Grad *g)
{
    Search s = {.g = g};
    const int before = g->needs.len;

    if (g->wish->recompute || g->wish->fused)
        return false;
    ir_walk(g->func->body, look_at, &s);
    if (!s.found)
        g->needs.len = before;
    else
        opt_resolve_all(g->func->body);
    return s.found;
}
