/*
 * left_out.c - lanes behind the end of a row: no gradient comes from them, and none may
 *
 * A masked load gives such lanes what stands for an element, 0 mostly, and the store leaves them
 * out.  Their gradient is 0, and stays so until a slope is infinite there, as that of log is at 0:
 * 0 times that is no number, which does no harm in a lane of its own, but a sum over lanes takes it
 * to all.  So where both may come together, 0 is kept: where(d != 0, d * slope, 0).  In lanes that
 * only the store leaves out, loose.c's, values are any numbers, and the gradient of each counts.
 *
 * What a value is in a lane that every mask leaves out is told roughly, by its ops.  Where that is
 * wrong, a choice too many is written, or one too few, as if this file were not there.
 */
#include <math.h>

#include "facts.h"

enum { DEEPEST = 200 }; /* ops behind each other; each is looked at once, see there() */

/* What a value is there.  USUAL: a finite number, as in lanes that count; ANY: maybe not such as
 * these have, 0 or below it.  WILD: no number, or any infinity. */
typedef enum {
    ZERO,
    USUAL,
    ANY,
    HIGH,
    LOW,
    BELOW,
    ABOVE,
    WILD
} There; /* BELOW: finite, or LOW; ABOVE: or HIGH */

static There there(const Grad *g, const Value *v, int depth);

static bool is_finite(There x)
{
    return x == ZERO || x == USUAL || x == ANY;
}

static There of_finite(There x, There y)
{
    return x == ANY || y == ANY ? ANY : USUAL;
}

static There negated(There x)
{
    return x == HIGH ? LOW : x == LOW ? HIGH : x == BELOW ? ABOVE : x == ABOVE ? BELOW : x;
}

static There of_sum(There x, There y)
{
    if (x == ZERO || y == ZERO)
        return x == ZERO ? y : x;
    if (is_finite(x) && is_finite(y))
        return of_finite(x, y);
    if (is_finite(x) || is_finite(y))
        return is_finite(x) ? y : x;
    const bool both_low = (x == LOW || x == BELOW) && (y == LOW || y == BELOW);
    const bool both_high = (x == HIGH || x == ABOVE) && (y == HIGH || y == ABOVE);
    return x == y ? x : both_low ? LOW : both_high ? HIGH : WILD;
}

static There of_product(There x, There y)
{
    if (!is_finite(x) || !is_finite(y))
        return WILD;
    return x == ZERO || y == ZERO ? ZERO : of_finite(x, y);
}

static There of_quotient(There x, There y)
{
    if (y == ZERO || y == ANY || y == ABOVE || y == WILD || !is_finite(x))
        return WILD;
    return x == ZERO || !is_finite(y) ? ZERO : x;
}

static There of_extreme(There x, There y, There least)
{
    if (x == least || y == least) /* the other one is taken */
        return x == least ? y : x;
    if (x == ANY && y == USUAL) /* as that with a small number that keeps it from 0 */
        return USUAL;
    return x == y ? x : is_finite(x) && is_finite(y) ? of_finite(x, y) : WILD;
}

static There of_constant(const Value *v)
{
    uint64_t bits;

    if (!value_constant(v, &bits) || !dtype_is_float(v->type->dtype))
        return USUAL;
    double x = scalar_to_double(v->type->dtype, bits);
    return x == 0 ? ZERO : isnan(x) ? WILD : isinf(x) ? (x > 0 ? HIGH : LOW) : USUAL;
}

static There of_load(const Grad *g, const Op *op, int depth)
{
    const Value *other = op_operand(op, LOAD_OTHER);
    const There usual = grad_is_loose(g, op) ? ANY : USUAL;

    if (!op_operand(op, LOAD_MASK))
        return usual;
    There x = other ? there(g, other, depth) : ZERO;
    return is_finite(x) && usual == ANY ? ANY : x;
}

/* Of functions that 0 and infinities are something else for. */
static There of_function(OpCode code, There x)
{
    switch (code) {
    case OP_exp:
    case OP_exp2:
    case OP_exp10:
        return x == LOW ? ZERO : x == BELOW ? ANY : is_finite(x) ? USUAL : x;
    case OP_log:
    case OP_log2:
    case OP_log10:
        return x == ZERO ? LOW : x == LOW || x == BELOW || x == ABOVE || x == ANY ? WILD : x;
    case OP_rsqrt:
        return x == ZERO ? HIGH : x == HIGH ? ZERO : is_finite(x) && x != ANY ? x : WILD;
    case OP_sqrt:
    case OP_cbrt:
    case OP_abs:
        if (code == OP_sqrt)
            return x == LOW || x == BELOW || x == ABOVE || x == ANY ? WILD : x;
        return code == OP_abs ? (x == LOW ? HIGH : x == BELOW ? WILD : x) : x;
    case OP_tanh:
    case OP_erf:
        return x == HIGH || x == LOW || x == BELOW || x == ABOVE ? USUAL : x;
    default:
        return is_finite(x) ? of_finite(x, x) : WILD;
    }
}

/* Are lanes chosen along the axis alone, so that each row has some, if any counts? */
static bool has_chosen_lanes(const Op *reduce)
{
    const Op *choice = reduce->operands[0]->def;
    unsigned others = (1u << reduce->operands[0]->type->rank) - 1;

    others &= ~(1u << attr_axis(reduce));
    return choice && choice->code == OP_select && grad_can_drop(choice->operands[0], others);
}

/* The largest of a row's lanes; NULL: v is no such maximum, spread over the row. */
static const Op *largest_of_row(const Value *v)
{
    while (v->def && (v->def->code == OP_broadcast || v->def->code == OP_expand))
        v = v->def->operands[0];
    return v->def && ir_reduces(v->def) && v->def->noperands == 1 &&
                   ir_combine_code(v->def) == OP_max
               ? v->def
               : NULL;
}

/* The largest of finite lanes and of -inf is finite where there are both; 1 is among what exp makes
 * of all lanes less the largest, so that their sum is not 0. */
static There of_reduction(const Grad *g, const Op *op, There x, int depth)
{
    const OpCode code = ir_combine_code(op);
    const Op *exp = op->operands[0]->def;

    if (code == OP_max && x == BELOW && has_chosen_lanes(op))
        return USUAL;
    if (code != OP_add || x != ANY || !exp || (exp->code != OP_exp && exp->code != OP_exp2))
        return x;
    const Op *less = exp->operands[0]->def;
    const Op *largest = less && less->code == OP_sub ? largest_of_row(less->operands[1]) : NULL;
    return largest && largest->operands[0] == less->operands[0] &&
                   attr_axis(largest) == attr_axis(op) &&
                   there(g, largest->results[0], depth) == USUAL
               ? USUAL
               : x;
}

/* Times a number that is known: infinities keep their side, or change it.  A scale of scores is
 * more than 0, or what masks leave out would count. */
static There of_multiple(const Op *mul, There x, There y)
{
    for (int i = 0; i < 2; i++) {
        const There other = i == 0 ? y : x;
        const Value *v = mul->operands[i];
        uint64_t bits;
        const double by = value_constant(v, &bits) ? scalar_to_double(v->type->dtype, bits) : NAN;
        const bool is_scale = v->def && v->def->code == OP_splat;
        if (!is_finite(other) && (is_scale || (isfinite(by) && by != 0)))
            return (isfinite(by) ? by > 0 : is_scale) ? other : negated(other);
    }
    return of_product(x, y);
}

static There of_op(const Grad *g, const Op *op, int depth)
{
    There x = op->noperands > 0 ? there(g, op->operands[0], depth) : USUAL;
    There y = op->noperands > 1 ? there(g, op->operands[1], depth) : USUAL;

    switch (op->code) {
    case OP_add:
        return of_sum(x, y);
    case OP_sub:
        return of_sum(x, negated(y));
    case OP_mul:
        return of_multiple(op, x, y);
    case OP_fma:
        return of_sum(of_product(x, y), there(g, op->operands[2], depth));
    case OP_div:
        return of_quotient(x, y);
    case OP_neg:
        return negated(x);
    case OP_max:
        return of_extreme(x, y, LOW);
    case OP_min:
        return of_extreme(x, y, HIGH);
    case OP_select: {
        There z = there(g, op->operands[2], depth);
        if ((is_finite(y) || y == LOW) && (is_finite(z) || z == LOW) && (y == LOW) != (z == LOW))
            return BELOW;
        if ((is_finite(y) || y == HIGH) && (is_finite(z) || z == HIGH) &&
            (y == HIGH) != (z == HIGH))
            return ABOVE;
        return y == z ? y : is_finite(y) && is_finite(z) ? of_finite(y, z) : WILD;
    }
    case OP_dot: /* of a row that is left out, or a column */
        return of_sum(x == ZERO ? x : of_product(x, y), there(g, op->operands[2], depth));
    case OP_cast:
    case OP_hint:
        return x;
    default:
        break;
    }
    if (op->noperands == 1 && ir_reduces(op))
        return of_reduction(g, op, x, depth);
    if (op_has(op, MOVES | COMBINES))
        return x;
    if (op->noperands == 1 && op_has(op, FOLDS))
        return of_function(op->code, x);
    return is_finite(x) && is_finite(y) ? of_finite(x, y) : WILD;
}

/* A scalar is the same for lanes that count: its infinities are their own, unless a mask is made of
 * data, and so of it.  What comes out of a loop may be what that asks of, too, and is 0
 * where it began as that, as a sum to which nothing was added. */
static There of_scalar(const Grad *g, const Value *v)
{
    return g->data_leaves_out && dtype_is_float(v->type->dtype) && (!v->def || grad_is_active(g, v))
               ? ANY
               : USUAL;
}

/* What was found is kept: values that several ops have, as those of a recurrence written out, would
 * be gone through once for each way that leads to them. */
static There there(const Grad *g, const Value *v, int depth)
{
    const Op *op = v->def;

    if (depth == 0 || (op && op->code == OP_const))
        return op && op->code == OP_const ? of_constant(v) : USUAL;
    bool is_loop = op && op->regions[0] && !op_has(op, COMBINES);
    if (g->is_masked && v->type->rank > 0 && is_loop && op->code == OP_for &&
        of_constant(op->operands[FOR_BOUNDS + v->index]) == ZERO)
        return ZERO;
    if (v->type->rank == 0 || !op || is_loop)
        return of_scalar(g, v);
    const uintptr_t known = (uintptr_t)map_get(g->left_out, MAP_KEY(v));
    if (known)
        return (There)(known - 1);
    There x = op_only_reads(op) ? of_load(g, op, depth - 1) : of_op(g, op, depth - 1);
    map_put(g->left_out, MAP_KEY(v), (void *)((uintptr_t)x + 1));
    return x;
}

/* Is the slope towards operand i infinite there, or no number? */
static bool is_wild(const Grad *g, const Op *op, int i)
{
    There x = there(g, op->operands[0], DEEPEST);
    There y = op->noperands > 1 ? there(g, op->operands[1], DEEPEST) : USUAL;

    switch (op->code) {
    case OP_mul:
    case OP_fma:
        return i < 2 && !is_finite(i == 0 ? y : x);
    case OP_div:
        return y == ZERO || y == ANY || y == WILD || (i == 1 && !is_finite(x));
    case OP_exp:
    case OP_exp2:
    case OP_exp10:
        return x == HIGH || x == ABOVE || x == WILD || (x == ANY && g->data_leaves_out);
    case OP_log:
    case OP_log2:
    case OP_log10:
        return x == ZERO || x == ANY || x == WILD;
    case OP_log1p:
    case OP_asin:
    case OP_acos:
    case OP_atanh:
        return x == ANY || x == WILD;
    case OP_sqrt:
    case OP_rsqrt:
    case OP_cbrt:
    case OP_acosh:
    case OP_pow:
        return x != USUAL;
    case OP_atan2:
    case OP_hypot:
        return (x == ZERO && y == ZERO) || !is_finite(x) || !is_finite(y);
    default:
        return op_has(op, FOLDS) && op->noperands == 1 && x == WILD;
    }
}

static bool reaches_sum(const Grad *g, const Value *v, int depth);

static bool operand_reaches_sum(const Grad *g, const Op *op, int depth)
{
    for (int i = 0; i < op->noperands; i++) {
        if (reaches_sum(g, op->operands[i], depth - 1))
            return true;
    }
    return false;
}

/* Does a gradient of this tile reach a sum over lanes on its way to what it is computed from? */
static bool reaches_sum(const Grad *g, const Value *v, int depth)
{
    enum { REACHES = 1, REACHES_NOT };
    const Op *op = v->def;

    if (!op || depth == 0 || !grad_is_active(g, v))
        return op && depth == 0;
    if (op->code == OP_splat || op->code == OP_scan || op->code == OP_dot)
        return true;
    if (op->code == OP_broadcast && !type_same_shape(v->type, op->operands[0]->type))
        return grad_is_active(g, op->operands[0]);
    if (op->code == OP_for)
        return reaches_sum(g, op->regions[0]->last->operands[v->index], depth - 1);
    if (op->regions[0] || op_only_reads(op))
        return false;
    const uintptr_t known = (uintptr_t)map_get(g->to_sums, MAP_KEY(v));
    if (known)
        return known == REACHES;
    const bool reaches = operand_reaches_sum(g, op, depth);
    map_put(g->to_sums, MAP_KEY(v), (void *)(uintptr_t)(reaches ? REACHES : REACHES_NOT));
    return reaches;
}

bool grad_needs_zeros(const Grad *g, const Op *op, int i)
{
    const Value *x = op->operands[i];

    if (g->any_loose && (x->type->rank > 0 || g->data_leaves_out) && is_wild(g, op, i))
        return true;
    return x->type->rank > 0 && is_wild(g, op, i) && reaches_sum(g, x, DEEPEST);
}

bool grad_is_finite_left_out(const Grad *g, const Value *v)
{
    return is_finite(there(g, v, DEEPEST));
}
