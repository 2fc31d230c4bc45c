/*
 * quotients.c - gradients divided by what is the same along a row, as softmax has them
 *
 *     sum(d / total * p)              sum(d * p) / total
 *     d / total - s / total           (d - s) / total
 *     (d - s) / total * weights       (d - s) * p        where p = weights / total is known
 *
 * So elements are not divided once more, and it is written as books have it: (d - sum(d * p)) * p.
 */
#include "../opt/opt.h"
#include "grad.h"

/* Divided by one value, or one of each row. */
static Op *quotient(const Value *v)
{
    Op *op = opt_made_by(v, OP_div);
    const Value *by = op ? op->operands[1] : NULL;

    return by && (opt_made_by(by, OP_splat) || opt_made_by(by, OP_broadcast)) ? op : NULL;
}

Value *grad_sum_of_quotient(Grad *g, Value *x, int axis)
{
    const Op *product = opt_made_by(x, OP_mul);

    for (int i = 0; product && i < 2; i++) {
        const Op *q = quotient(product->operands[i]);
        if (!q || !grad_can_drop(q->operands[1], 1u << axis))
            continue;
        Value *whole = grad_binary(g, OP_mul, q->operands[0], product->operands[1 - i]);
        Value *sum = grad_sum_along(g, whole, axis);
        return grad_binary(g, OP_div, sum, grad_drop(g, q->operands[1], 1u << axis));
    }
    return NULL;
}

/* What v is, times `by`, if it is made by dividing; NULL. */
static Value *numerator(Grad *g, Value *v, const Value *by)
{
    const Op *op = v->def, *spread = by->def;

    if (!op)
        return NULL;
    if (op->code == OP_div)
        return op->operands[1] == by ? op->operands[0] : NULL;
    if (op->code == OP_neg) {
        Value *n = numerator(g, op->operands[0], by);
        return n ? grad_negated(g, n) : NULL;
    }
    if (!spread || spread->code != op->code || spread->nattrs != op->nattrs ||
        (op->nattrs > 0 && op->attrs[0] != spread->attrs[0]))
        return NULL;
    if (op->code != OP_splat && op->code != OP_broadcast && op->code != OP_expand)
        return NULL;
    Value *n = numerator(g, op->operands[0], spread->operands[0]);
    if (!n)
        return NULL;
    bool negative = opt_made_by(n, OP_neg) != NULL;
    n = negative ? n->def->operands[0] : n;
    n = build_op(&g->b, op->code, 1, &n, op->nattrs, op->attrs, 1, &v->type)->results[0];
    return negative ? grad_negated(g, n) : n;
}

Value *grad_sum_of_quotients(Grad *g, Value *x, Value *y)
{
    const Op *q = quotient(x);
    Value *n = q ? numerator(g, y, q->operands[1]) : NULL;

    if (!n)
        return NULL;
    return grad_binary(g, OP_div, grad_binary(g, OP_add, q->operands[0], n), q->operands[1]);
}

Value *grad_times_result(Grad *g, const Op *o, Value *d)
{
    Value *r = grad_value(g, o->results[0]);
    const Op *q = quotient(d);
    int n = q ? uses_count(&g->uses, o->results[0]) : 0;

    for (int i = 0; i < n; i++) {
        const Use *use = &uses_of(&g->uses, o->results[0])[i];
        bool is_known = use->op->code == OP_div && use->operand == 0 && use->op->block == o->block;
        if (is_known && grad_value(g, use->op->operands[1]) == q->operands[1])
            return grad_binary(g, OP_mul, q->operands[0], grad_value(g, use->op->results[0]));
    }
    return grad_binary(g, OP_mul, d, r);
}
