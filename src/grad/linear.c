/*
 * linear.c - the sum of a gradient that is made of tiles whose sums are there already
 *
 *     tl.sum(tl.where(inside, a * s + b, 0.0))  is  s * tl.sum(a) + tl.sum(b)
 *
 * where a and b are 0 outside of the mask, and the forward, or a gradient before, has their sums.
 * So what a mean hands on waits for no other pass over the row.  What is the same along the axis
 * counts as often as the mask is true.  Sums of the forward stay as they are: some are what
 * rounding left.
 */
#include "../opt/opt.h"
#include "grad.h"

enum { MOST_DEPTH = 12 };

typedef struct {
    Grad *g;
    int axis;
    Value *mask; /* outside of which nothing is summed; NULL: all is */
} Parts;

static bool is_zero(const Value *v)
{
    uint64_t bits;

    return value_constant(v, &bits) && bits == 0;
}

/* In lanes where the mask is false, without a product of 0 and what may be no number. */
static bool is_zero_outside(const Parts *s, const Value *v, int depth)
{
    const Op *op = v->def;

    if (!op || depth == 0)
        return false;
    switch (op->code) {
    case OP_load:
        return op_operand(op, LOAD_MASK) == s->mask &&
               (!op_operand(op, LOAD_OTHER) || is_zero(op_operand(op, LOAD_OTHER)));
    case OP_select:
        return op->operands[0] == s->mask && is_zero(op->operands[2]);
    case OP_neg:
    case OP_cast:
        return is_zero_outside(s, op->operands[0], depth - 1);
    case OP_mul:
        if (grad_can_drop(op->operands[1], 1u << s->axis))
            return is_zero_outside(s, op->operands[0], depth - 1);
        if (grad_can_drop(op->operands[0], 1u << s->axis))
            return is_zero_outside(s, op->operands[1], depth - 1);
        return is_zero_outside(s, op->operands[0], depth - 1) &&
               is_zero_outside(s, op->operands[1], depth - 1);
    case OP_add:
    case OP_sub:
        return is_zero_outside(s, op->operands[0], depth - 1) &&
               is_zero_outside(s, op->operands[1], depth - 1);
    default:
        return false;
    }
}

static bool is_sum_of(const Op *op, const Value *v, int axis)
{
    return op->code == OP_reduce && op->nresults == 1 && op->operands[0] == v &&
           attr_axis(op) == axis && ir_combine_code(op) == OP_add;
}

/* By the forward, or by a gradient before; NULL: nobody has summed it. */
static Value *known_sum(const Parts *s, const Value *v)
{
    const Grad *g = s->g;

    if (s->mask && !is_zero_outside(s, v, MOST_DEPTH))
        return NULL;
    for (int i = 0; i < g->sums.len; i++) {
        const Op *op = g->sums.at[i];
        if (is_sum_of(op, v, s->axis) && block_encloses(op->block, g->b.block))
            return op->results[0];
    }
    bool is_forward = v->id < g->nfacts && v->block == g->func->body;
    for (int i = 0; is_forward && i < uses_count(&g->uses, v); i++) {
        const Op *op = uses_of(&g->uses, v)[i].op;
        if (is_sum_of(op, v, s->axis) && op->block == g->func->body)
            return op->results[0];
    }
    return NULL;
}

/* How many lanes are summed. */
static Value *count_of(const Parts *s, const Value *v)
{
    Grad *g = s->g;
    Value *one = s->mask ? build_cast(&g->b, s->mask, v->type->dtype, ROUND_NEAREST) : NULL;

    return one ? build_reduce_along(&g->b, OP_add, one, s->axis) : NULL;
}

static Value *sum_of(const Parts *s, Value *v, int depth);

/* Of x times, or divided by, what is the same for all that are summed. */
static Value *scaled_sum(const Parts *s, const Op *op, int tile, int depth)
{
    Value *by = op->operands[1 - tile];

    if (!grad_can_drop(by, 1u << s->axis))
        return NULL;
    Value *sum = sum_of(s, op->operands[tile], depth - 1);
    if (!sum || grad_is_number(sum, 0))
        return sum;
    return grad_binary(s->g, op->code, sum, grad_drop(s->g, by, 1u << s->axis));
}

static Value *plus(Grad *g, OpCode code, Value *x, Value *y)
{
    if (grad_is_number(y, 0))
        return x;
    if (grad_is_number(x, 0))
        return code == OP_add ? y : grad_negated(g, y);
    return grad_binary(g, code, x, y);
}

static Value *sum_of(const Parts *s, Value *v, int depth)
{
    const Op *op = v->def;
    Value *x = known_sum(s, v), *y;

    if (x || !op || depth == 0)
        return x;
    Value *mean = grad_mean_taken_off(s->g, v, s->axis, s->mask);
    if (mean)
        return grad_number(s->g, grad_drop(s->g, mean, 1u << s->axis), 0);
    if (grad_can_drop(v, 1u << s->axis)) {
        y = count_of(s, v);
        x = grad_drop(s->g, v, 1u << s->axis);
        return y ? grad_binary(s->g, OP_mul, x, y) : grad_scaled(s->g, x, v->type->dims[s->axis]);
    }
    switch (op->code) {
    case OP_add:
    case OP_sub:
        x = sum_of(s, op->operands[0], depth - 1);
        y = x ? sum_of(s, op->operands[1], depth - 1) : NULL;
        return y ? plus(s->g, op->code, x, y) : NULL;
    case OP_neg:
        x = sum_of(s, op->operands[0], depth - 1);
        return x ? grad_negated(s->g, x) : NULL;
    case OP_mul:
        x = scaled_sum(s, op, 0, depth);
        return x ? x : scaled_sum(s, op, 1, depth);
    case OP_div:
        return scaled_sum(s, op, 0, depth);
    case OP_select:
        if (s->mask || !is_zero(op->operands[2]))
            return NULL;
        return sum_of(&(Parts){s->g, s->axis, op->operands[0]}, op->operands[1], depth - 1);
    default:
        return NULL;
    }
}

/* Of what is no sum of others. */
static Value *new_sum(const Parts *s, Value *v)
{
    Grad *g = s->g;

    if (s->mask && !is_zero_outside(s, v, MOST_DEPTH))
        v = build_select(&g->b, s->mask, v, grad_number(g, v, 0));
    Value *sum = build_reduce_along(&g->b, OP_add, v, s->axis);
    vec_push(g->arena, &g->sums, sum->def);
    return sum;
}

static Value *rest_of(const Parts *s, Value *v, int depth);

/* The sum of what is not known, what it is multiplied by in front. */
static Value *sum_of_rest(const Parts *s, Value *v, int depth)
{
    const Op *op = v->def;
    Value *rest = rest_of(s, v, depth);

    for (int i = 0; !rest && op && i < 2 && (op->code == OP_mul || (op->code == OP_div && i == 0));
         i++) {
        Value *by = op->operands[1 - i];
        if (!grad_can_drop(by, 1u << s->axis))
            continue;
        Value *sum = new_sum(s, op->operands[i]);
        return grad_binary(s->g, op->code, sum, grad_drop(s->g, by, 1u << s->axis));
    }
    return rest ? rest : new_sum(s, v);
}

/* The sum, if that of some of its parts is 0; NULL: it is of none. */
static Value *rest_of(const Parts *s, Value *v, int depth)
{
    const Op *op = v->def;

    if (!op || depth == 0)
        return NULL;
    if (op->code == OP_select && !s->mask && is_zero(op->operands[2]))
        return rest_of(&(Parts){s->g, s->axis, op->operands[0]}, op->operands[1], depth - 1);
    if (op->code != OP_add && op->code != OP_sub)
        return NULL;
    for (int i = 0; i < 2; i++) {
        Value *known = sum_of(s, op->operands[i], depth - 1);
        if (!known || !grad_is_number(known, 0))
            continue;
        Value *rest = sum_of_rest(s, op->operands[1 - i], depth - 1);
        return i == 0 && op->code == OP_sub ? grad_negated(s->g, rest) : rest;
    }
    return NULL;
}

Value *grad_sum_along(Grad *g, Value *v, int axis)
{
    const bool wide = v->type->dtype == DT_FP32 || v->type->dtype == DT_FP64;
    const Parts all = {.g = g, .axis = axis};
    const int needs = g->needs.len;
    const bool may = wide && !grad_can_drop(v, 1u << axis);
    Value *sum = may ? sum_of(&all, v, MOST_DEPTH) : NULL;

    if (sum)
        return sum;
    g->needs.len = needs;
    sum = may ? rest_of(&all, v, MOST_DEPTH) : NULL;
    if (sum)
        return sum;
    g->needs.len = needs;
    return new_sum(&all, v);
}
