/*
 * fold_algebra.c - identities of arithmetic, comparisons and select
 *
 * Everything here is exact.  Integers wrap, so they may be reassociated; of the identities of real
 * numbers floats keep only those that hold for signed zeros, infinities and NaN.  The fp8 formats
 * take part in none, since rounding a value of theirs again may change it.
 *
 * The rules that need no thought are rows of tables.
 */
#include <math.h>

#include "fold.h"

typedef enum { INTS, FLOATS, NUMBERS } Kind;
typedef enum { GIVES_OTHER, GIVES_ZERO, GIVES_ONES } Gives;

static bool is_kind(const Value *v, Kind kind)
{
    if (v->type->pointer || dtype_is_fp8(v->type->dtype))
        return false;
    return kind == NUMBERS || dtype_is_int(v->type->dtype) == (kind == INTS);
}

static bool is_bool(const Value *v)
{
    return !v->type->pointer && v->type->dtype == DT_I1;
}

/* x op constant.  In commutative ops on either side. */
/* clang-format off */
static const struct {
    OpCode op;
    Kind kind;
    double constant; /* -1 on ints: all ones */
    Gives gives;
} with_constant[] = {
    /* op       kind     constant  gives */
    {OP_add,    INTS,    0,        GIVES_OTHER},
    {OP_add,    FLOATS, -0.0,      GIVES_OTHER}, /* x + (+0) is not x when x is -0 */
    {OP_sub,    INTS,    0,        GIVES_OTHER},
    {OP_sub,    FLOATS,  0,        GIVES_OTHER},
    {OP_mul,    INTS,    1,        GIVES_OTHER},
    {OP_mul,    FLOATS,  1,        GIVES_OTHER},
    {OP_mul,    INTS,    0,        GIVES_ZERO},
    {OP_div,    INTS,    1,        GIVES_OTHER},
    {OP_div,    FLOATS,  1,        GIVES_OTHER},
    {OP_div,    INTS,    0,        GIVES_ZERO},  /* as ops.h defines it */
    {OP_rem,    INTS,    1,        GIVES_ZERO},
    {OP_rem,    INTS,    0,        GIVES_ZERO},
    {OP_mulhi,  INTS,    0,        GIVES_ZERO},
    {OP_and,    INTS,    0,        GIVES_ZERO},
    {OP_and,    INTS,   -1,        GIVES_OTHER},
    {OP_or,     INTS,    0,        GIVES_OTHER},
    {OP_or,     INTS,   -1,        GIVES_ONES},
    {OP_xor,    INTS,    0,        GIVES_OTHER},
    {OP_shl,    INTS,    0,        GIVES_OTHER},
    {OP_shr,    INTS,    0,        GIVES_OTHER},
};

/* constant op x, where the op does not commute */
static const struct {
    OpCode op;
    Gives gives;
} zero_first[] = {
    {OP_div, GIVES_ZERO}, {OP_rem, GIVES_ZERO}, {OP_shl, GIVES_ZERO}, {OP_shr, GIVES_ZERO},
};

/* x op x */
static const struct {
    OpCode op;
    Kind kind;
    Gives gives;
} with_itself[] = {
    /* op        kind     gives */
    {OP_sub,     INTS,    GIVES_ZERO},
    {OP_xor,     INTS,    GIVES_ZERO},
    {OP_rem,     INTS,    GIVES_ZERO},
    {OP_and,     INTS,    GIVES_OTHER},
    {OP_or,      INTS,    GIVES_OTHER},
    {OP_min,     NUMBERS, GIVES_OTHER},
    {OP_max,     NUMBERS, GIVES_OTHER},
    {OP_minnan,  FLOATS,  GIVES_OTHER},
    {OP_maxnan,  FLOATS,  GIVES_OTHER},
    {OP_eq,      INTS,    GIVES_ONES},
    {OP_le,      INTS,    GIVES_ONES},
    {OP_ge,      INTS,    GIVES_ONES},
    {OP_ne,      INTS,    GIVES_ZERO},
    {OP_lt,      NUMBERS, GIVES_ZERO},
    {OP_gt,      NUMBERS, GIVES_ZERO},
};

/* not (x op y) */
static const struct {
    OpCode op, inverse;
    Kind kind; /* a comparison with NaN is false, so on floats only eq and ne are opposites */
} opposites[] = {
    {OP_eq, OP_ne, NUMBERS}, {OP_ne, OP_eq, NUMBERS}, {OP_lt, OP_ge, INTS},
    {OP_ge, OP_lt, INTS},    {OP_gt, OP_le, INTS},    {OP_le, OP_gt, INTS},
};
/* clang-format on */

static Value *give(Op *op, Gives gives, Value *other)
{
    const Type *t = op->results[0]->type;

    if (gives == GIVES_OTHER)
        return other;
    return fold_const(op, t, gives == GIVES_ZERO ? 0 : ~(uint64_t)0);
}

static bool is_number(const Value *v, double want)
{
    uint64_t bits;

    if (opt_is_int(v))
        return fold_is_const(v, (int64_t)want);
    return value_constant(v, &bits) && bits == scalar_from_double(v->type->dtype, want);
}

static Value *fold_with_constant(Op *op)
{
    for (int side = 1; side >= (op_has(op, COMMUTES) ? 0 : 1); side--) {
        Value *constant = op->operands[side], *other = op->operands[1 - side];
        uint64_t bits;
        if (!value_constant(constant, &bits))
            continue;
        for (int i = 0; i < COUNT(with_constant); i++) {
            if (with_constant[i].op == op->code && is_kind(other, with_constant[i].kind) &&
                is_number(constant, with_constant[i].constant))
                return give(op, with_constant[i].gives, other);
        }
    }
    return NULL;
}

static Value *fold_zero_first(Op *op)
{
    if (!fold_is_const(op->operands[0], 0))
        return NULL;
    for (int i = 0; i < COUNT(zero_first); i++) {
        if (zero_first[i].op == op->code)
            return give(op, zero_first[i].gives, NULL);
    }
    if (op->code == OP_sub)
        return fold_unary(op, OP_neg, op->operands[1], NULL);
    return NULL;
}

static Value *fold_with_itself(Op *op)
{
    if (op->operands[0] != op->operands[1])
        return NULL;
    for (int i = 0; i < COUNT(with_itself); i++) {
        if (with_itself[i].op == op->code && is_kind(op->operands[0], with_itself[i].kind))
            return give(op, with_itself[i].gives, op->operands[0]);
    }
    return NULL;
}

static bool is_fixed(const Value *v)
{
    uint64_t bits;

    return value_constant(v, &bits);
}

/* What is cheaper to compute together: constants are settled at once, scalars before tiles. */
static int rank_of(const Value *v)
{
    return is_fixed(v) ? 0 : opt_is_uniform(v) ? 1 : 2;
}

static bool reassociates(const Op *op)
{
    switch (op->code) {
    case OP_add:
    case OP_mul:
    case OP_and:
    case OP_or:
    case OP_xor:
        return opt_is_int(op->results[0]);
    default:
        return false;
    }
}

/* Integer chains: (x + u) + w = x + (u + w) where u and w are uniform, or constants.  What is
 * uniform stands on the right, so that one pattern finds it. */
static Value *fold_chain(Op *op)
{
    if (!reassociates(op))
        return NULL;
    Value *x = op->operands[0], *y = op->operands[1];
    if (rank_of(x) < rank_of(y))
        return fold_binary(op, op->code, y, x);
    const Op *inner = opt_made_by(x, op->code);
    if (!inner || rank_of(y) == 2 || rank_of(inner->operands[1]) == 2)
        return NULL;
    Value *both = fold_binary(op, op->code, inner->operands[1], y);
    return fold_binary(op, op->code, inner->operands[0], both);
}

/* Let constants take part in chains of additions. */
static Value *fold_sub(Op *op)
{
    const Value *y = op->operands[1];
    uint64_t bits;

    if (!opt_is_int(y) || !dtype_is_signed(y->type->dtype) || !value_constant(y, &bits))
        return NULL;
    return fold_binary(op, OP_add, op->operands[0], fold_const(op, y->type, -bits));
}

/* Division by a power of two is multiplication by its reciprocal, to the last bit. */
static Value *fold_float_div(Op *op)
{
    const Value *y = op->operands[1];
    uint64_t bits;
    int exponent;

    if (!is_kind(y, FLOATS) || !value_constant(y, &bits))
        return NULL;
    DType t = y->type->dtype;
    double divisor = scalar_to_double(t, bits);
    if (fabs(frexp(divisor, &exponent)) != 0.5 || isinf(1 / divisor))
        return NULL;
    uint64_t reciprocal = scalar_from_double(t, 1 / divisor);
    if (scalar_to_double(t, reciprocal) != 1 / divisor)
        return NULL;
    return fold_binary(op, OP_mul, op->operands[0], fold_const(op, y->type, reciprocal));
}

/* Comparing a bool, or a bool that was made a number, with a constant. */
static Value *fold_bool_compare(Op *op)
{
    Value *x = op->operands[0], *y = op->operands[1];
    const Op *cast = opt_made_by(x, OP_cast);

    if (cast && is_bool(cast->operands[0]) && fold_is_const(y, 0))
        x = cast->operands[0];
    else if (!is_bool(x) || !is_fixed(y))
        return NULL;
    bool same = fold_is_const(y, 1) == (op->code == OP_eq);
    return same ? x : fold_unary(op, OP_not, x, NULL);
}

static Value *fold_not(Op *op)
{
    Value *x = op->operands[0];

    if (opt_made_by(x, OP_not))
        return x->def->operands[0];
    for (int i = 0; i < COUNT(opposites) && is_bool(x); i++) {
        if (opt_made_by(x, opposites[i].op) && is_kind(x->def->operands[0], opposites[i].kind))
            return fold_binary(op, opposites[i].inverse, x->def->operands[0], x->def->operands[1]);
    }
    return NULL;
}

static Value *fold_sign(Op *op)
{
    Value *x = op->operands[0];

    if (!is_kind(x, NUMBERS))
        return NULL;
    if (op->code == OP_neg)
        return opt_made_by(x, OP_neg) ? x->def->operands[0] : NULL;
    if (opt_made_by(x, OP_abs) || dtype_is_unsigned(x->type->dtype))
        return x;
    return opt_made_by(x, OP_neg) ? fold_unary(op, OP_abs, x->def->operands[0], NULL) : NULL;
}

/* Is v, which is x or x plus or minus a constant, moved to that side of x, or nowhere? */
static bool is_moved(const Value *v, const Value *x, bool up)
{
    const Op *op = v->def;
    uint64_t bits;

    if (v == x)
        return true;
    for (int side = 0; op && (op->code == OP_add || op->code == OP_sub) && side < 2; side++) {
        const Value *c = op->operands[1 - side];
        if (op->operands[side] != x || (side == 1 && op->code == OP_sub) ||
            !value_constant(c, &bits))
            continue;
        double by = scalar_to_double(c->type->dtype, bits);
        return up == (op->code == OP_add) ? by >= 0 : by <= 0;
    }
    return false;
}

/* x >= 0 ? floor(x + c) : ceil(x - c) cuts either, as rounding halves away from 0 does, and NaN
 * stays: so does one trunc(), which a conversion to an integer is anyway. */
static Value *fold_cut(Op *op)
{
    Op *compare = op->operands[0]->def;
    OpCode code = compare ? compare->code : OP_COUNT;
    bool above = code == OP_ge || code == OP_gt, below = code == OP_le || code == OP_lt;
    uint64_t bits;

    if ((!above && !below) || !is_kind(compare->operands[0], FLOATS) ||
        !value_constant(compare->operands[1], &bits) ||
        scalar_to_double(compare->operands[1]->type->dtype, bits) != 0)
        return NULL;
    const Value *x = compare->operands[0];
    const Op *up = opt_made_by(op->operands[above ? 1 : 2], OP_floor);
    const Op *down = opt_made_by(op->operands[above ? 2 : 1], OP_ceil);
    if (!up || !down || !is_moved(up->operands[0], x, true) ||
        !is_moved(down->operands[0], x, false))
        return NULL;
    Value *yes = (above ? up : down)->operands[0], *no = (above ? down : up)->operands[0];
    Value *arms[] = {op->operands[0], yes, no};
    return fold_unary(op, OP_trunc, fold_new(op, OP_select, 3, arms, 0, NULL, NULL), NULL);
}

/* x > y ? x : y, of integers. */
static Value *fold_extreme(Op *op)
{
    const Op *compare = op->operands[0]->def;
    Value *yes = op->operands[1], *no = op->operands[2];

    if (!compare || !is_kind(yes, INTS) || is_bool(yes))
        return NULL;
    bool above = compare->code == OP_gt || compare->code == OP_ge;
    bool below = compare->code == OP_lt || compare->code == OP_le;
    bool same = compare->operands[0] == yes && compare->operands[1] == no;
    if ((!above && !below) ||
        (!same && (compare->operands[0] != no || compare->operands[1] != yes)))
        return NULL;
    return fold_binary(op, above == same ? OP_max : OP_min, yes, no);
}

static Value *fold_select(Op *op)
{
    Value *c = op->operands[0], *yes = op->operands[1], *no = op->operands[2];

    if (yes == no || fold_is_const(c, 1))
        return yes;
    if (fold_is_const(c, 0))
        return no;
    if (opt_made_by(c, OP_not))
        return fold_new(op, OP_select, 3, (Value *[]){c->def->operands[0], no, yes}, 0, NULL, NULL);
    if (yes->type != c->type) {
        Value *extreme = fold_extreme(op);
        return extreme ? extreme : fold_cut(op);
    }
    if (fold_is_const(yes, 1) && fold_is_const(no, 0))
        return c;
    if (fold_is_const(yes, 0) && fold_is_const(no, 1))
        return fold_unary(op, OP_not, c, NULL);
    return NULL;
}

/* Two steps of constant length are one; addresses wrap at 64 bits, so that is exact. */
static Value *merge_steps(Op *op, const Op *inner)
{
    Value *first = inner->operands[1], *second = op->operands[1];
    int64_t x, y;

    if (!value_const_int(first, &x) || !value_const_int(second, &y))
        return NULL;
    const Type *t = type_with_dtype(op->block->func->module, second->type, DT_I64);
    Value *sum = fold_const(op, t, (uint64_t)x + (uint64_t)y);
    return fold_binary(op, OP_addptr, inner->operands[0], sum);
}

/* Do all the pointers come from one, by adding offsets and moving dimensions a few times?  A
 * uniform step is moved through all of that, so long chains are left as they are: every step of
 * them would make the chain anew. */
static bool has_uniform_base(const Value *p)
{
    enum { FEW = 16 };

    for (int i = 0; i < FEW && !opt_is_uniform(p) && p->def; i++) {
        if (p->def->code != OP_addptr && !op_has(p->def, MOVES))
            return false;
        p = p->def->operands[0];
    }
    return opt_is_uniform(p);
}

/* Pointers: (base + tile) + uniform = (base + uniform) + tile, through changes of shape too.  The
 * step of a whole tile of pointers becomes one scalar addition, and the tile of offsets stays the
 * same for all steps. */
static Value *step_base(Op *op, Op *inner)
{
    Value *from = inner->operands[0], *offset = op->operands[1];
    Module *m = op->block->func->module;

    if (inner->code == OP_addptr) {
        from = fold_binary(op, OP_addptr, from, offset);
        return fold_binary(op, OP_addptr, from, inner->operands[1]);
    }
    Builder b = builder_before(op);
    offset = fold_unary(op, OP_splat, opt_uniform_scalar(&b, offset),
                        type_with_shape(m, offset->type, from->type));
    from = fold_binary(op, OP_addptr, from, offset);
    return fold_new(op, inner->code, 1, &from, inner->nattrs, inner->attrs, op->results[0]->type);
}

static Value *fold_addptr(Op *op)
{
    Value *p = op->operands[0], *offset = op->operands[1];
    Op *inner = p->def;

    if (fold_is_const(offset, 0))
        return p;
    if (!inner || (inner->code != OP_addptr && !op_has(inner, MOVES)))
        return NULL;
    Value *merged = inner->code == OP_addptr ? merge_steps(op, inner) : NULL;
    if (merged || !opt_is_uniform(offset) || opt_is_uniform(p) || !has_uniform_base(p))
        return merged;
    return step_base(op, inner);
}

/* What only one op, or two alike, can do. */
static Value *fold_special(Op *op)
{
    switch (op->code) {
    case OP_sub:
        return fold_sub(op);
    case OP_div:
        return fold_float_div(op);
    case OP_eq:
    case OP_ne:
        return fold_bool_compare(op);
    case OP_not:
        return fold_not(op);
    case OP_neg:
    case OP_abs:
        return fold_sign(op);
    case OP_select:
        return fold_select(op);
    case OP_addptr:
        return fold_addptr(op);
    default:
        return fold_chain(op);
    }
}

Value *fold_algebra(Op *op)
{
    Value *v = NULL;

    if (op->noperands == 2 && op_has(op, FOLDS) &&
        ((v = fold_with_constant(op)) || (v = fold_zero_first(op)) || (v = fold_with_itself(op))))
        return v;
    return op_is_elementwise(op) ? fold_special(op) : NULL;
}
