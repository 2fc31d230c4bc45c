/*
 * rules.c - adjoints of arithmetic, of what moves elements, of reductions and products
 *
 * A rule takes the gradient d of the op's result, which has its type, and gives what the gradient
 * of operand i grows by, in the type of that; NULL: nothing.  rules_math.c has the functions.
 */
#include "../opt/opt.h"
#include <math.h>

#include "grad.h"

enum { MOST_FACTORS = 6 };

bool grad_is_number(const Value *v, double x)
{
    uint64_t bits;

    return v && value_constant(v, &bits) && dtype_is_float(v->type->dtype) &&
           scalar_to_double(v->type->dtype, bits) == x;
}

Value *grad_number(Grad *g, const Value *like, double x)
{
    Value *v = build_float(&g->b, like->type, x);

    value_shaped_like(g->func->module, v, like);
    return v;
}

/* A product or quotient of which an operand has a sign in front is itself without that one. */
static Value *without_sign(Grad *g, Value *x)
{
    const Op *op = opt_made_by(x, OP_mul) ? opt_made_by(x, OP_mul) : opt_made_by(x, OP_div);

    for (int i = 0; i < 2 && op; i++) {
        const Op *neg = opt_made_by(op->operands[i], OP_neg);
        Value *operands[2] = {op->operands[0], op->operands[1]};
        if (!neg)
            continue;
        operands[i] = neg->operands[0];
        return grad_binary(g, op->code, operands[0], operands[1]);
    }
    return NULL;
}

Value *grad_negated(Grad *g, Value *x)
{
    Op *neg = opt_made_by(x, OP_neg);
    uint64_t bits;

    if (neg)
        return neg->operands[0];
    if (!x->number && value_constant(x, &bits) && dtype_is_float(x->type->dtype))
        return grad_number(g, x, -scalar_to_double(x->type->dtype, bits));
    Value *plain = without_sign(g, x);
    return plain ? plain : build_unary(&g->b, OP_neg, x);
}

/* Is it made, element by element, of something that the axis was inserted in? */
static bool is_made_of_expanded(const Value *v, int axis, int depth)
{
    const Op *op = v->def;

    if (!op || depth == 0)
        return false;
    if (op->code == OP_expand)
        return attr_axis(op) == axis;
    for (int i = 0; i < op->noperands && op_is_elementwise(op); i++) {
        if (is_made_of_expanded(op->operands[i], axis, depth - 1))
            return true;
    }
    return false;
}

/* Along an axis; -1: all.  A sign stands in front of the sum. */
static Value *summed(Grad *g, Value *x, int axis)
{
    Op *neg = opt_made_by(x, OP_neg);

    if (neg)
        return grad_negated(g, summed(g, neg->operands[0], axis));
    for (int d = x->type->rank - 1; axis < 0 && d >= 0 && x->type->rank > 1; d--) {
        if (x->type->dims[d] == 1 && is_made_of_expanded(x, d, MOST_FACTORS))
            x = grad_drop(g, x, 1u << d);
    }
    if (axis < 0 && x->type->rank != 1)
        return build_reduce_all(&g->b, OP_add, x);
    Value *sum = grad_sum_of_quotient(g, x, MAX(axis, 0));
    return sum ? sum : grad_sum_along(g, x, MAX(axis, 0));
}

/* What v is where c does not hold, if it is 0 where it does, or no number: where(c, 0, y), and
 * products and quotients of it; NULL.  What they were made of stays, if it is asked for. */
static Value *otherwise(Grad *g, const Value *c, Value *v, bool holds, int depth)
{
    Op *op = v->def;

    if (!op || depth == 0)
        return NULL;
    if (op->code == OP_select && op->operands[0] == c)
        return grad_is_number(op->operands[holds ? 2 : 1], 0) ? op->operands[holds ? 1 : 2] : NULL;
    for (int i = 0; i < op->noperands; i++) {
        if (op->code != OP_mul && op->code != OP_neg && (op->code != OP_div || i > 0))
            return NULL;
        Value *x = otherwise(g, c, op->operands[i], holds, depth - 1);
        if (!x)
            continue;
        if (op->code == OP_neg)
            return grad_negated(g, x);
        return i == 0 ? grad_binary(g, op->code, x, op->operands[1])
                      : grad_binary(g, op->code, op->operands[0], x);
    }
    return NULL;
}

/* The condition of what is 0 where it does not hold, or where it does. */
static Value *condition_of(const Value *v, int depth)
{
    const Op *op = v->def;

    if (!op || depth == 0)
        return NULL;
    if (op->code == OP_select)
        return grad_is_number(op->operands[1], 0) || grad_is_number(op->operands[2], 0)
                   ? op->operands[0]
                   : NULL;
    if (op->code != OP_mul && op->code != OP_div && op->code != OP_neg)
        return NULL;
    Value *c = condition_of(op->operands[0], depth - 1);
    return c || op->code != OP_mul ? c : condition_of(op->operands[1], depth - 1);
}

/* where(c, x, y) + where(c, z, 0) */
static Value *more_of_arm(Grad *g, Op *arms, Value *b)
{
    Value *c = arms->operands[0], *x = arms->operands[1], *y = arms->operands[2];

    if (grad_is_number(x, 0) || grad_is_number(y, 0))
        return NULL;
    Value *more = otherwise(g, c, b, true, MOST_FACTORS);
    if (more)
        return build_select(&g->b, c, grad_binary(g, OP_add, x, more), y);
    more = otherwise(g, c, b, false, MOST_FACTORS);
    return more ? build_select(&g->b, c, x, grad_binary(g, OP_add, y, more)) : NULL;
}

/* where(c, x, 0) + where(c, 0, y) is where(c, x, y), as of what a round kept and what it changed,
 * and of the arms of a condition whose slopes differ; NULL: it is no such sum. */
static Value *either_of(Grad *g, Value *a, Value *b)
{
    Op *arms = opt_made_by(a, OP_select);
    Value *c = condition_of(a, MOST_FACTORS);
    Value *x = c ? otherwise(g, c, a, true, MOST_FACTORS) : NULL;
    Value *y = x ? otherwise(g, c, b, false, MOST_FACTORS) : NULL;

    if (y)
        return x == y ? x : build_select(&g->b, c, x, y);
    return arms ? more_of_arm(g, arms, b) : NULL;
}

Value *grad_binary(Grad *g, OpCode code, Value *x, Value *y)
{
    if ((code == OP_mul || code == OP_div) && grad_is_number(y, 1))
        return x;
    if (code == OP_mul && grad_is_number(x, 1))
        return y;
    if (code == OP_mul && grad_is_number(y, -1))
        return grad_negated(g, x);
    if (code == OP_mul && grad_is_number(x, -1))
        return grad_negated(g, y);
    Value *either = code == OP_add ? either_of(g, x, y) : NULL;
    if (code == OP_add && !either)
        either = either_of(g, y, x);
    if (code == OP_add && !either)
        either = grad_sum_of_quotients(g, x, y);
    if (either)
        return either;
    if (code == OP_add && opt_made_by(y, OP_neg))
        return build_binary(&g->b, OP_sub, x, y->def->operands[0]);
    if (code == OP_add && opt_made_by(x, OP_neg))
        return build_binary(&g->b, OP_sub, y, x->def->operands[0]);
    return build_binary(&g->b, code, x, y);
}

Value *grad_scaled(Grad *g, Value *x, double by)
{
    return grad_binary(g, OP_mul, x, grad_number(g, x, by));
}

/* The operand, and the result, where the builder is. */
static Value *in(const Grad *g, const Op *o, int i)
{
    return grad_value(g, o->operands[i]);
}

static Value *out(const Grad *g, const Op *o)
{
    return grad_value(g, o->results[0]);
}

/* d where the condition holds, else 0. */
static Value *where(Grad *g, Value *condition, Value *d)
{
    return build_select(&g->b, condition, d, grad_number(g, d, 0));
}

Value *adjoint_same(Grad *g, const Op *o, int i, Value *d)
{
    (void)g, (void)o, (void)i;
    return d;
}

Value *adjoint_add(Grad *g, const Op *o, int i, Value *d)
{
    return adjoint_same(g, o, i, d);
}

Value *adjoint_sub(Grad *g, const Op *o, int i, Value *d)
{
    (void)o;
    return i == 0 ? d : grad_negated(g, d);
}

/* Twice as much, of a row or a scalar before it is spread over the tile. */
static Value *doubled(Grad *g, Value *d)
{
    const Op *op = d->def;
    Value *less;

    if (!op || (op->code != OP_splat && op->code != OP_broadcast && op->code != OP_expand))
        return grad_scaled(g, d, 2);
    less = doubled(g, op->operands[0]);
    Value *made =
        build_op(&g->b, op->code, 1, &less, op->nattrs, op->attrs, 1, &d->type)->results[0];
    value_shaped_like(g->func->module, made, d);
    return made;
}

/* In z * x * x, d * x of z * x is handed on to x as d times z * x, as much as x has already; in
 * x * x both are one. */
Value *adjoint_mul(Grad *g, const Op *o, int i, Value *d)
{
    const Op *by = opt_made_by(d, OP_mul);

    for (int k = 0; by && k < 2; k++) {
        if (by->operands[k] == in(g, o, i))
            return grad_binary(g, OP_mul, by->operands[1 - k], out(g, o));
    }
    if (o->operands[0] == o->operands[1])
        return i == 0 ? grad_binary(g, OP_mul, doubled(g, d), in(g, o, 0)) : NULL;
    return grad_binary(g, OP_mul, d, in(g, o, 1 - i));
}

Value *adjoint_div(Grad *g, const Op *o, int i, Value *d)
{
    Value *quotient = grad_binary(g, OP_div, d, in(g, o, 1));

    return i == 0 ? quotient : grad_negated(g, grad_binary(g, OP_mul, quotient, out(g, o)));
}

/* x - trunc(x / y) * y */
Value *adjoint_rem(Grad *g, const Op *o, int i, Value *d)
{
    if (i == 0)
        return d;
    Value *whole = build_unary(&g->b, OP_trunc, grad_binary(g, OP_div, in(g, o, 0), in(g, o, 1)));
    return grad_negated(g, grad_binary(g, OP_mul, d, whole));
}

Value *adjoint_neg(Grad *g, const Op *o, int i, Value *d)
{
    (void)o, (void)i;
    return grad_negated(g, d);
}

/* d times the sign of x, which is 0 of 0, as PyTorch has it. */
static Value *by_sign(Grad *g, Value *x, Value *d)
{
    Value *zero = grad_number(g, x, 0);
    Value *negated = grad_negated(g, d);
    Value *falling = where(g, build_binary(&g->b, OP_lt, x, zero), negated);

    return build_select(&g->b, build_binary(&g->b, OP_gt, x, zero), d, falling);
}

Value *adjoint_abs(Grad *g, const Op *o, int i, Value *d)
{
    return by_sign(g, in(g, o, i), d);
}

/* To the operand that was taken; half to each where both are equal, as torch.maximum() does.  By
 * the result, so that a NaN on the other side changes nothing, where that is no number. */
Value *adjoint_extreme(Grad *g, const Op *o, int i, Value *d)
{
    Value *x = in(g, o, i), *y = in(g, o, 1 - i);
    const OpCode more = o->code == OP_max || o->code == OP_maxnan ? OP_gt : OP_lt;
    uint64_t bits;
    const bool is_number =
        value_constant(y, &bits) && !isnan(scalar_to_double(y->type->dtype, bits));
    Value *taken = where(
        g, is_number ? build_binary(&g->b, more, x, y) : build_binary(&g->b, OP_eq, x, out(g, o)),
        d);
    Value *half = grad_scaled(g, d, 0.5);

    return build_select(&g->b, build_binary(&g->b, OP_eq, x, y), half, taken);
}

Value *adjoint_fma(Grad *g, const Op *o, int i, Value *d)
{
    return i == 2 ? d : grad_binary(g, OP_mul, d, in(g, o, 1 - i));
}

Value *adjoint_select(Grad *g, const Op *o, int i, Value *d)
{
    Value *zero = grad_number(g, d, 0);

    return i == 1 ? build_select(&g->b, in(g, o, 0), d, zero)
                  : build_select(&g->b, in(g, o, 0), zero, d);
}

/* Of the size of x: the result is x or -x; 0 at 0. */
Value *adjoint_copysign(Grad *g, const Op *o, int i, Value *d)
{
    if (i == 1)
        return NULL;
    Value *x = in(g, o, 0);
    Value *negated = grad_negated(g, d);
    Value *kept = build_select(&g->b, build_binary(&g->b, OP_eq, x, out(g, o)), d, negated);
    return where(g, build_binary(&g->b, OP_ne, x, grad_number(g, x, 0)), kept);
}

Value *adjoint_ldexp(Grad *g, const Op *o, int i, Value *d)
{
    (void)i;
    return build_binary(&g->b, OP_ldexp, d, in(g, o, 1));
}

/* The rounding's gradient is one. */
Value *adjoint_cast(Grad *g, const Op *o, int i, Value *d)
{
    return build_cast(&g->b, d, o->operands[i]->type->dtype, ROUND_NEAREST);
}

/* --- ops that move elements: what was repeated is summed --- */

Value *adjoint_splat(Grad *g, const Op *o, int i, Value *d)
{
    (void)o, (void)i;
    return summed(g, d, -1);
}

Value *adjoint_broadcast(Grad *g, const Op *o, int i, Value *d)
{
    const Type *from = o->operands[i]->type;

    for (int axis = 0; axis < from->rank; axis++) {
        if (from->dims[axis] != d->type->dims[axis])
            d = build_expand(&g->b, summed(g, d, axis), axis);
    }
    return d;
}

Value *adjoint_reshape(Grad *g, const Op *o, int i, Value *d)
{
    const Value *x = o->operands[i];

    if (o->code == OP_expand && is_made_of_expanded(d, (int)attr_axis(o), MOST_FACTORS)) {
        d = grad_drop(g, d, 1u << attr_axis(o)); /* a * b of a[:, None] * b[:, None] */
        value_shaped_like(g->func->module, d, x);
        return d;
    }

    for (Op *e; (e = opt_made_by(d, OP_expand)) != NULL && d->type->rank > x->type->rank;)
        d = e->operands[0];
    if (type_same_shape(d->type, x->type))
        return d;
    d = build_reshape(&g->b, d, x->type->rank, x->type->dims);
    value_shaped_like(g->func->module, d, x);
    return d;
}

Value *adjoint_permute(Grad *g, const Op *o, int i, Value *d)
{
    int back[MAX_RANK], n;
    const int64_t *dims = attr_dims(o, &n);

    (void)i;
    for (int k = 0; k < n; k++)
        back[dims[k]] = k;
    return build_permute(&g->b, d, back);
}

/* --- along an axis --- */

/* A result of a reduction once for each element that it was made of. */
static Value *along(Grad *g, const Op *o, Value *v)
{
    const Value *x = o->operands[0];
    const Type *shape = type_with_dtype(g->func->module, x->type, v->type->dtype);

    if (opt_made_by(v, OP_neg)) /* a sign stands in front */
        return grad_negated(g, along(g, o, v->def->operands[0]));
    Value *whole = x->type->rank == 1
                       ? build_splat(&g->b, v, shape)
                       : build_broadcast(&g->b, build_expand(&g->b, v, (int)attr_axis(o)), shape);

    value_shaped_like(g->func->module, whole, x);
    return whole;
}

/* Of a maximum or minimum: an equal part to each element that has its value, as torch.amax(). */
static Value *to_extremes(Grad *g, const Op *o, Value *d)
{
    Value *x = in(g, o, 0);
    Value *taken = build_binary(&g->b, OP_eq, x, along(g, o, out(g, o)));
    Value *one = build_cast(&g->b, taken, x->type->dtype, ROUND_NEAREST);
    Value *count = build_reduce_along(&g->b, OP_add, one, (int)attr_axis(o));

    return where(g, taken, along(g, o, grad_binary(g, OP_div, d, count)));
}

bool grad_is_winner(const Op *op)
{
    return op->code == OP_reduce && op->noperands == 2 && ir_combine_kind(op).winner != OP_COUNT &&
           opt_is_index(op->operands[1], (int)attr_axis(op));
}

bool grad_winner(Grad *g, const Op *op)
{
    if (!grad_is_winner(op))
        return false;
    Value *d = grad_adjoint(g, op->results[0]);
    Value *place = along(g, op, grad_value(g, op->results[1]));
    Value *taken = build_binary(&g->b, OP_eq, in(g, op, 1), place);

    grad_name(g, op->results[0], d);
    grad_add(g, op->operands[0], where(g, taken, along(g, op, d)));
    return true;
}

Value *adjoint_reduce(Grad *g, const Op *o, int i, Value *d)
{
    CombineKind how = ir_combine_kind(o);
    OpCode code = how.only ? how.only->code : OP_COUNT;

    (void)i;
    if (code == OP_add)
        return along(g, o, d);
    if (code == OP_max || code == OP_min || code == OP_maxnan || code == OP_minnan)
        return to_extremes(g, o, d);
    grad_combining(g, o);
    return NULL;
}

/* Of a running sum: the same from the other end. */
Value *adjoint_scan(Grad *g, const Op *o, int i, Value *d)
{
    CombineKind how = ir_combine_kind(o);

    (void)i;
    if (!how.only || how.only->code != OP_add) {
        grad_combining(g, o);
        return NULL;
    }
    Op *scan = build_scan(&g->b, 1, &d, (int)attr_axis(o), !attr_reverse(o));
    Builder inside = builder_into(&g->b, scan->regions[0]);
    Value *sum =
        build_binary(&inside, OP_add, scan->regions[0]->args[0], scan->regions[0]->args[1]);
    build_yield(&inside, OP_yield, 1, &sum);
    return scan->results[0];
}

/* To a tile with a dimension more, which only `kept` of it has, or all but that. */
static Value *with_dimension(Grad *g, Value *v, int at, const Type *whole, bool kept)
{
    for (int d = 0; d < whole->rank; d++) {
        if (kept ? d != at : d == at)
            v = build_expand(&g->b, v, d);
    }
    const Type *type =
        type_with_shape(g->func->module, type_element(g->func->module, v->type), whole);
    return type_same_shape(v->type, type) ? v : build_broadcast(&g->b, v, type);
}

/* Each element gets what those handed on that picked it: a sum over all that might have. */
Value *adjoint_gather(Grad *g, const Op *o, int i, Value *d)
{
    const int axis = (int)attr_axis(o), at = axis + 1;
    const int count = o->operands[i]->type->dims[axis];
    Value *places = build_cast(&g->b, in(g, o, 1), DT_I32, ROUND_NEAREST);
    Type whole = *d->type;

    if (whole.rank == MAX_RANK)
        return NULL;
    whole.rank++;
    for (int k = whole.rank - 1; k > at; k--)
        whole.dims[k] = whole.dims[k - 1];
    whole.dims[at] = count;
    const Type *type = type_of(g->func->module, whole);
    Value *numbers = build_arange(&g->b, 0, count);
    Value *each = with_dimension(g, numbers, at, type, true);
    Value *picked = build_binary(&g->b, OP_eq, with_dimension(g, places, at, type, false), each);
    Value *parts = where(g, picked, with_dimension(g, d, at, type, false));
    return build_reduce_along(&g->b, OP_add, parts, axis);
}

static Value *transposed(Grad *g, Value *v)
{
    int dims[MAX_RANK], n = v->type->rank;

    for (int k = 0; k < n; k++)
        dims[k] = k < n - 2 ? k : 2 * n - 3 - k;
    return build_permute(&g->b, v, dims);
}

/* Of a b, for which d came: rows of a, or, for i = 0, columns of b, of which nothing came are 0, as
 * they may be no numbers where masks leave them out. */
static Value *where_something_came(Grad *g, Value *v, Value *d, int i)
{
    Builder *b = &g->b;
    const int across = d->type->rank - (i == 0 ? 2 : 1);
    Value *any = build_binary(b, OP_ne, d, grad_number(g, d, 0));

    any = build_reduce_along(b, OP_max, build_cast(b, any, DT_I32, ROUND_NEAREST), across);
    any = build_binary(b, OP_ne, any, build_const(b, any->type, 0));
    any = build_expand(b, any, across);
    return where(
        g, build_broadcast(b, any, type_with_dtype(g->func->module, v->type, any->type->dtype)), v);
}

/* a b + c: d b^T, a^T d, d.  The products take operands of one type, the forward's, and sum in that
 * of the forward's sum. */
Value *adjoint_dot(Grad *g, const Op *o, int i, Value *d)
{
    if (i == 2)
        return d;
    const Value *x = o->operands[i];
    Value *other = in(g, o, 1 - i);
    if (!grad_is_finite_left_out(g, o->operands[1 - i]))
        other = where_something_came(g, other, d, i);
    other = transposed(g, other);
    Value *narrow = build_cast(&g->b, d, other->type->dtype, ROUND_NEAREST);
    const Type *sum = type_with_dtype(g->func->module, x->type, d->type->dtype);
    Value *operands[3] = {i == 0 ? narrow : other, i == 0 ? other : narrow,
                          build_float(&g->b, sum, 0)};

    value_shaped_like(g->func->module, operands[2], x);
    Op *dot = build_op(&g->b, OP_dot, 3, operands, 2, o->attrs, 1, &sum);
    return build_cast(&g->b, dot->results[0], x->type->dtype, ROUND_NEAREST);
}
