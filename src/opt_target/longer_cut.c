/*
 * longer_cut.c - do masks leave out the rounds that a longer one has beyond the last?
 *
 * Those whose end is the loop's do: k + lanes < hi, or lanes < n - k * BLOCK in cdiv(n, BLOCK)
 * rounds.  Loads give 0 there, mostly, and so do sums and products of these; what is added to a sum
 * then changes nothing, where it began as 0: 0 + -0 is 0.
 */
#include "longer.h"

/* Where its elements come from, shapes aside. */
static const Value *source(const Value *v)
{
    while (v->def &&
           (v->def->code == OP_splat || v->def->code == OP_expand || v->def->code == OP_broadcast))
        v = v->def->operands[0];
    return v;
}

static bool counts_lanes(const Value *v)
{
    return source(v)->def && source(v)->def->code == OP_arange && attr_start(source(v)->def) == 0;
}

/* Is it n of the loop's counter; 1: the counter itself? */
static bool is_counter(const Longer *x, const Value *v, int64_t n)
{
    const Value *counter = x->loop->regions[0]->args[0];
    const Op *op = source(v)->def;
    int64_t by;

    if (n == 1 || !op || op->code != OP_mul)
        return n == 1 && source(v) == counter;
    return (source(op->operands[0]) == counter && value_const_int(op->operands[1], &by) &&
            by == n) ||
           (source(op->operands[1]) == counter && value_const_int(op->operands[0], &by) && by == n);
}

bool longer_is_before_end(const Longer *x, const Op *op)
{
    const Op *index = op->code == OP_lt ? source(op->operands[0])->def : NULL;

    if (!index || index->code != OP_add || source(op->operands[1]) != x->loop->operands[FOR_HI] ||
        x->step != x->lanes || !dtype_is_signed(index->results[0]->type->dtype))
        return false;
    const Value *p = index->operands[0], *q = index->operands[1];
    return (counts_lanes(p) && is_counter(x, q, 1)) || (counts_lanes(q) && is_counter(x, p, 1));
}

/* lanes < n - counter * lanes, of cdiv(n, lanes) rounds */
static bool is_among_left(const Longer *x, const Op *op)
{
    const Op *left = op->code == OP_lt ? source(op->operands[1])->def : NULL;
    const Op *rounds = x->loop->operands[FOR_HI]->def, *up;
    int64_t lo, by, more;

    if (!left || left->code != OP_sub || x->step != 1 || !counts_lanes(op->operands[0]) ||
        !is_counter(x, left->operands[1], x->lanes) ||
        !value_const_signed(x->loop->operands[FOR_LO], &lo) || lo != 0)
        return false;
    if (!rounds || rounds->code != OP_div || !value_const_int(rounds->operands[1], &by) ||
        by != x->lanes)
        return false;
    up = rounds->operands[0]->def;
    return up && up->code == OP_add && value_const_int(up->operands[1], &more) && more == by - 1 &&
           source(up->operands[0]) == source(left->operands[0]);
}

/* Is a mask false in all rounds that are no more?  What is not is asked once. */
static bool is_cut(const Longer *x, const Value *mask)
{
    const Op *op = mask ? source(mask)->def : NULL;

    if (!op || map_get(x->uncut, MAP_KEY(op)))
        return false;
    bool cut = op->code == OP_and ? is_cut(x, op->operands[0]) || is_cut(x, op->operands[1])
                                  : longer_is_before_end(x, op) || is_among_left(x, op);
    if (!cut)
        map_put(x->uncut, MAP_KEY(op), (void *)op);
    return cut;
}

static bool is_zero(const Value *v)
{
    uint64_t bits;

    return value_constant(v, &bits) && bits == 0;
}

static bool is_zero_behind(const Longer *x, const Value *v, int most);

static bool finds_zero(const Longer *x, const Value *v, int most)
{
    const Op *op = v->def;

    if (!op || most == 0)
        return false;
    switch (op->code) {
    case OP_load:
        return is_cut(x, op_operand(op, LOAD_MASK)) &&
               (!op_operand(op, LOAD_OTHER) || is_zero(op->operands[LOAD_OTHER]));
    case OP_cast:
    case OP_abs:
    case OP_splat:
    case OP_expand:
    case OP_broadcast:
    case OP_permute:
        return is_zero_behind(x, op->operands[0], most - 1);
    case OP_mul:
    case OP_add:
    case OP_sub:
        return is_zero_behind(x, op->operands[0], most - 1) &&
               is_zero_behind(x, op->operands[1], most - 1);
    case OP_select:
        return is_cut(x, op->operands[0]) && is_zero(op->operands[2]);
    default:
        return is_zero(v);
    }
}

/* Is it 0 there, of what masks cut?  What is, is asked once; what is not ends it all. */
static bool is_zero_behind(const Longer *x, const Value *v, int most)
{
    if (map_get(x->zeros, MAP_KEY(v)))
        return true;
    if (!finds_zero(x, v, most))
        return false;
    map_put(x->zeros, MAP_KEY(v), (void *)v);
    return true;
}

bool longer_is_cut(const Longer *x)
{
    for (const Op *op = x->loop->regions[0]->first; op; op = op->next) {
        bool scalar = op->code == OP_load && op->results[0]->type->rank == 0;
        if (op->code == OP_load && !scalar && !is_cut(x, op_operand(op, LOAD_MASK)))
            return false;
    }
    for (int i = 0; i < x->loop->nresults; i++) {
        const Op *reduce = longer_reduced(x, i);
        if (reduce && (ir_combine_kind(reduce).neutral != OP_add ||
                       !is_zero(x->loop->operands[FOR_BOUNDS + i]) ||
                       !is_zero_behind(x, reduce->operands[0], LONGER_MOST_BACK)))
            return false;
    }
    return true;
}
