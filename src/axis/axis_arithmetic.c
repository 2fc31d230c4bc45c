/*
 * axis_arithmetic.c - what sums, products, quotients, bits and comparisons make of the facts on
 * their operands
 *
 * Read axis_lattice.c first; axis_rules.c has the other ops.
 */
#include "axis_internal.h"

static Axis of_add(const Op *op, const Axis *const *in)
{
    const Axis *x = in[0], *y = in[1];
    const Type *t = op->results[0]->type;
    bool minus = op->code == OP_sub;
    Axis r = axis_elementwise(op, in);

    if (!axis_is_int(t))
        return r;
    for (int d = 0; d < t->rank; d++) {
        int64_t e = t->dims[d], *run = &r.contiguity[d];
        *run = axis_common_run(x->contiguity[d], y->constancy[d], e);
        if (minus) /* both step alike */
            r.constancy[d] =
                MAX(r.constancy[d], axis_common_run(x->contiguity[d], y->contiguity[d], e));
        else
            *run = MAX(*run, axis_common_run(x->constancy[d], y->contiguity[d], e));
    }
    r.divisibility = axis_gcd(axis_divisibility_at(x, t, r.contiguity),
                              axis_divisibility_at(y, t, r.contiguity));
    axis_set_range(&r, t, x->has_range && y->has_range,
                   (Wide)x->lo + (minus ? -(Wide)y->hi : y->lo),
                   (Wide)x->hi + (minus ? -(Wide)y->lo : y->hi));
    return r;
}

/* x * y, for y in a range too. */
static void set_product(Axis *r, const Type *t, const Axis *x, bool known, Wide lo, Wide hi)
{
    Wide corners[] = {x->lo * lo, x->lo * hi, x->hi * lo, x->hi * hi};
    Wide least = corners[0], most = corners[0];

    for (int i = 1; i < COUNT(corners); i++) {
        least = MIN(least, corners[i]);
        most = MAX(most, corners[i]);
    }
    axis_set_range(r, t, known && x->has_range, least, most);
}

static Axis of_mul(const Op *op, const Axis *const *in)
{
    const Axis *x = in[0], *y = in[1];
    const Type *t = op->results[0]->type;
    Axis r = axis_elementwise(op, in);
    int64_t one;

    if (!axis_is_int(t))
        return r;
    for (int i = 0; i < 2; i++) { /* a stride that is compiled in, in front of all passes */
        if (axis_is_value(in[i], &one) && one == 1)
            return *in[1 - i];
    }
    r.divisibility = axis_multiply(axis_divisibility_of_all(x, t), axis_divisibility_of_all(y, t));
    set_product(&r, t, x, y->has_range, y->lo, y->hi);
    return r;
}

static Axis of_shl(const Op *op, const Axis *const *in)
{
    const Type *t = op->results[0]->type;
    Axis r = axis_elementwise(op, in);
    int64_t k;

    if (!axis_is_value(in[1], &k) || k < 0 || k >= MIN(dtype_bits(t->dtype), 62))
        return r;
    int64_t factor = (int64_t)1 << k;
    r.divisibility = axis_multiply(axis_divisibility_of_all(in[0], t), factor);
    set_product(&r, t, in[0], true, factor, factor);
    return r;
}

/* How long are the aligned groups that stay within one multiple of c, where values start at
 * multiples of the divisibility and step by 1? */
static int64_t group(const Axis *x, const Type *t, int d, int64_t c)
{
    int64_t e = t->dims[d], run = x->contiguity[d];

    if (run == 1)
        return 1;
    int64_t n = axis_gcd(axis_gcd(x->divisibility, c), run >= e ? 0 : run);
    return n == 0 ? e : MIN(e, n);
}

/* The quotient by c of multiples of it, exact whatever their sign. */
static void set_exact_quotient(Axis *r, const Type *t, const Axis *x, int64_t c)
{
    int64_t all = axis_divisibility_of_all(x, t);

    if (all % c == 0)
        r->divisibility = all / c;
}

/* The quotient by c is the same within each group. */
static void set_quotient(Axis *r, const Type *t, const Axis *x, int64_t c)
{
    for (int d = 0; d < t->rank; d++)
        r->constancy[d] = MAX(r->constancy[d], group(x, t, d, c));
    set_exact_quotient(r, t, x, c);
}

/* So is that by multiples of c, as long as these are the same. */
static void set_unknown_quotient(Axis *r, const Type *t, const Axis *x, const Axis *y)
{
    int64_t c = axis_divisibility_of_all(y, t);

    for (int d = 0; c > 0 && d < t->rank; d++) {
        int64_t n = axis_common_run(group(x, t, d, c), y->constancy[d], t->dims[d]);
        r->constancy[d] = MAX(r->constancy[d], n);
    }
}

/* What is left over modulo c steps like x within each group. */
static void set_remainder(Axis *r, const Type *t, const Axis *x, int64_t c)
{
    for (int d = 0; d < t->rank; d++)
        r->contiguity[d] = group(x, t, d, c);
    r->divisibility = axis_gcd(axis_divisibility_at(x, t, r->contiguity), c);
}

/* The same modulo what is nowhere but a multiple of something, and the same along runs. */
static void set_unknown_remainder(Axis *r, const Type *t, const Axis *x, const Axis *y)
{
    int64_t c = axis_divisibility_of_all(y, t);

    for (int d = 0; c > 0 && d < t->rank; d++) {
        int64_t n = group(x, t, d, c);
        r->contiguity[d] = axis_common_run(n, y->constancy[d], t->dims[d]);
    }
    r->divisibility = axis_gcd(axis_divisibility_at(x, t, r->contiguity), c);
}

/* Division truncates, so groups of equal quotients are cut differently below zero. */
static Axis of_div(const Op *op, const Axis *const *in)
{
    const Axis *x = in[0], *y = in[1];
    const Type *t = op->results[0]->type;
    Axis r = axis_elementwise(op, in);
    bool positive = (x->has_range && x->lo >= 0) || dtype_is_unsigned(t->dtype);
    int64_t c;

    if (axis_is_int(t) && positive && !axis_is_value(y, &c))
        set_unknown_quotient(&r, t, x, y);
    if (!axis_is_int(t) || !axis_is_value(y, &c) || c <= 0)
        return r;
    if (positive)
        set_quotient(&r, t, x, c);
    else
        set_exact_quotient(&r, t, x, c);
    if (x->has_range)
        axis_set_range(&r, t, true, x->lo / c, x->hi / c);
    return r;
}

static Axis of_rem(const Op *op, const Axis *const *in)
{
    const Axis *x = in[0], *y = in[1];
    const Type *t = op->results[0]->type;
    Axis r = axis_elementwise(op, in);
    bool positive = (x->has_range && x->lo >= 0) || dtype_is_unsigned(t->dtype);
    int64_t c;

    if (axis_is_int(t) && positive && y->has_range && y->lo > 0 && !axis_is_value(y, &c)) {
        set_unknown_remainder(&r, t, x, y);
        if (x->has_range)
            axis_set_range(&r, t, true, 0, MIN(x->hi, y->hi - 1));
    }
    if (!axis_is_int(t) || !axis_is_value(y, &c) || c <= 0)
        return r;
    if (x->has_range && x->lo >= 0 && x->hi < c)
        return *x;
    if (positive)
        set_remainder(&r, t, x, c);
    else
        r.divisibility = axis_gcd(axis_divisibility_of_all(x, t), c);
    axis_set_range(&r, t, true, positive ? 0 : 1 - c, c - 1);
    return r;
}

/* Bits kept by a constant mask: the low ones are a remainder, all but those a rounding down; both
 * hold below zero too. */
static Axis of_and(const Op *op, const Axis *const *in)
{
    const Axis *x = in[0], *y = in[1];
    const Type *t = op->results[0]->type;
    Axis r = axis_elementwise(op, in);
    int64_t mask, dx = axis_divisibility_of_all(x, t), dy = axis_divisibility_of_all(y, t);
    bool x_positive = x->has_range && x->lo >= 0, y_positive = y->has_range && y->lo >= 0;

    dx = axis_power_of_two_in(dx);
    dy = axis_power_of_two_in(dy);
    r.divisibility = dx == 0 || dy == 0 ? 0 : MAX(dx, dy);
    bool known = axis_is_value(y, &mask) && mask > INT64_MIN && mask < INT64_MAX;
    if (known && mask >= 0 && (mask & (mask + 1)) == 0)
        set_remainder(&r, t, x, mask + 1);
    for (int d = 0; d < t->rank && known && mask <= 0 && (-mask & (-mask - 1)) == 0; d++)
        r.constancy[d] = MAX(r.constancy[d], group(x, t, d, -mask));
    if (x_positive || y_positive)
        axis_set_range(&r, t, true, 0,
                       x_positive && y_positive ? MIN(x->hi, y->hi)
                       : x_positive             ? x->hi
                                                : y->hi);
    return r;
}

static Axis of_or_xor(const Op *op, const Axis *const *in)
{
    const Type *t = op->results[0]->type;
    int64_t dx = axis_divisibility_of_all(in[0], t), dy = axis_divisibility_of_all(in[1], t),
            most = 1;
    Axis r = axis_elementwise(op, in);

    r.divisibility = axis_gcd(axis_power_of_two_in(dx), axis_power_of_two_in(dy));
    if (!in[0]->has_range || !in[1]->has_range || in[0]->lo < 0 || in[1]->lo < 0)
        return r;
    while (most - 1 < MAX(in[0]->hi, in[1]->hi) && most < (int64_t)1 << 62)
        most *= 2;
    if (most < (int64_t)1 << 62)
        axis_set_range(&r, t, true, 0, most - 1);
    return r;
}

/* Arithmetic shifts round down, so groups need no sign; u64 beyond i64 has no range here. */
static Axis of_shr(const Op *op, const Axis *const *in)
{
    const Type *t = op->results[0]->type;
    Axis r = axis_elementwise(op, in);
    int64_t k;

    if (!axis_is_value(in[1], &k) || k < 0 || k >= MIN(dtype_bits(t->dtype), 62))
        return r;
    set_quotient(&r, t, in[0], (int64_t)1 << k);
    if (in[0]->has_range)
        axis_set_range(&r, t, true, in[0]->lo >> k, in[0]->hi >> k);
    return r;
}

static Axis of_min_max(const Op *op, const Axis *const *in)
{
    const Axis *x = in[0], *y = in[1];
    const Type *t = op->results[0]->type;
    bool least = op->code == OP_min;
    Axis r = axis_elementwise(op, in);

    if (!axis_is_int(t))
        return r;
    r.divisibility = axis_gcd(axis_divisibility_of_all(x, t), axis_divisibility_of_all(y, t));
    if (x->has_range && y->has_range)
        axis_set_range(&r, t, true, least ? MIN(x->lo, y->lo) : MAX(x->lo, y->lo),
                       least ? MIN(x->hi, y->hi) : MAX(x->hi, y->hi));
    return r;
}

static Axis of_sign(const Op *op, const Axis *const *in)
{
    const Axis *x = in[0];
    const Type *t = op->results[0]->type;
    Axis r = axis_elementwise(op, in);

    if (!axis_is_int(t))
        return r;
    if (op->code == OP_abs && ((x->has_range && x->lo >= 0) || dtype_is_unsigned(t->dtype)))
        return *x;
    r.divisibility = axis_divisibility_of_all(x, t);
    Wide lo = x->lo, hi = x->hi;
    if (op->code == OP_neg)
        axis_set_range(&r, t, x->has_range, -hi, -lo);
    else
        axis_set_range(&r, t, x->has_range, lo > 0 ? lo : hi < 0 ? -hi : 0, MAX(-lo, hi));
    return r;
}

/* x < y where x counts up from a multiple of the divisibility and y is the same for all: the
 * answer changes only at multiples of what both are divisible by. */
static void set_threshold(Axis *r, const Type *t, const Axis *x, const Axis *y)
{
    int64_t c = axis_divisibility_of_all(y, t);

    for (int d = 0; d < t->rank; d++) {
        int64_t run = group(x, t, d, c);
        r->constancy[d] = MAX(r->constancy[d], axis_common_run(run, y->constancy[d], t->dims[d]));
    }
}

static Axis of_compare(const Op *op, const Axis *const *in)
{
    const Type *t = op->operands[0]->type;
    Axis r = axis_elementwise(op, in);

    if (!axis_is_int(t))
        return r;
    if (op->code == OP_lt || op->code == OP_ge)
        set_threshold(&r, t, in[0], in[1]);
    if (op->code == OP_gt || op->code == OP_le)
        set_threshold(&r, t, in[1], in[0]);
    return r;
}

AxisRule *axis_arithmetic(OpCode code)
{
    static AxisRule *const rules[OP_COUNT] = {
        [OP_add] = of_add,    [OP_sub] = of_add,    [OP_mul] = of_mul,     [OP_div] = of_div,
        [OP_rem] = of_rem,    [OP_and] = of_and,    [OP_or] = of_or_xor,   [OP_xor] = of_or_xor,
        [OP_shl] = of_shl,    [OP_shr] = of_shr,    [OP_min] = of_min_max, [OP_max] = of_min_max,
        [OP_neg] = of_sign,   [OP_abs] = of_sign,   [OP_eq] = of_compare,  [OP_ne] = of_compare,
        [OP_lt] = of_compare, [OP_le] = of_compare, [OP_gt] = of_compare,  [OP_ge] = of_compare,
    };

    return rules[code];
}
