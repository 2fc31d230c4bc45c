/*
 * axis_lattice.c - how facts on values combine
 *
 * Runs that hold for two values at once, what divisibility is worth at the starts of other runs,
 * ranges that give up when the dtype could wrap, and what holds on either of two ways.  opt.h
 * defines the facts; axis_rules.c uses this for each op, axis.c where control meets.
 *
 * Where an integer may have wrapped around, of its divisibility only the power of two is left: the
 * number of values of a dtype is a multiple of that and of nothing else.
 */
#include "axis_internal.h"

/* --- numbers --- */

int64_t axis_gcd(int64_t a, int64_t b)
{
    while (b != 0) {
        int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

int64_t axis_power_of_two_in(int64_t n)
{
    return (int64_t)((uint64_t)n & -(uint64_t)n);
}

int64_t axis_multiply(int64_t a, int64_t b)
{
    int64_t product;

    if (!__builtin_mul_overflow(a, b, &product))
        return product;
    return axis_multiply(MIN(axis_power_of_two_in(a), 1 << 15),
                         MIN(axis_power_of_two_in(b), 1 << 15));
}

bool axis_dtype_range(DType t, int64_t *lo, int64_t *hi)
{
    int bits = dtype_bits(t);

    if (!dtype_is_int(t) || bits > 32)
        return false;
    *lo = dtype_is_signed(t) ? -((int64_t)1 << (bits - 1)) : 0;
    *hi = ((int64_t)1 << (dtype_is_signed(t) ? bits - 1 : bits)) - 1;
    return true;
}

bool axis_is_int(const Type *t)
{
    return !t->pointer && dtype_is_int(t->dtype);
}

/* --- the lattice --- */

Axis axis_unknown(const Type *t)
{
    Axis a = {.divisibility = 1};

    for (int d = 0; d < MAX_RANK; d++)
        a.contiguity[d] = a.constancy[d] = 1;
    a.has_range = axis_is_int(t) && axis_dtype_range(t->dtype, &a.lo, &a.hi);
    return a;
}

bool axis_equal(const Type *t, const Axis *a, const Axis *b)
{
    for (int d = 0; d < t->rank; d++) {
        if (a->contiguity[d] != b->contiguity[d] || a->constancy[d] != b->constancy[d])
            return false;
    }
    return a->divisibility == b->divisibility && a->has_range == b->has_range && a->lo == b->lo &&
           a->hi == b->hi;
}

/* Runs of a and runs of b, both aligned, along `extent` elements: how long are the aligned runs
 * that stay inside both?  One run over the whole dimension contains everything. */
int64_t axis_common_run(int64_t a, int64_t b, int64_t extent)
{
    return a >= extent ? b : b >= extent ? a : axis_gcd(a, b);
}

static bool has_runs(const Axis *a, const Type *t)
{
    for (int d = 0; d < t->rank; d++) {
        if (a->contiguity[d] > 1)
            return true;
    }
    return false;
}

/* What the elements at the starts of other contiguous runs (of `runs`, in the sense of opt.h) are
 * multiples of.  `unit` is the step inside of a's runs: 1, or the element size of pointers. */
int64_t axis_divisibility_at(const Axis *a, const Type *t, const int64_t *runs)
{
    int64_t unit = t->pointer ? dtype_size(t->dtype) : 1;
    int64_t all = has_runs(a, t) ? axis_gcd(a->divisibility, unit) : a->divisibility;
    int64_t result = a->divisibility;
    bool any = false;

    for (int d = 0; d < t->rank; d++) {
        int64_t had = a->contiguity[d], want = runs[d];
        if (want == 1)
            continue;
        any = true;
        if (had == 1)
            result = axis_gcd(result, all);
        else if (want >= t->dims[d])
            continue; /* only index 0 */
        else if (had >= t->dims[d])
            result = axis_gcd(result, want * unit);
        else
            result = axis_gcd(result, axis_gcd(had, want) == had ? 0 : axis_gcd(had, want) * unit);
    }
    return any ? result : all;
}

static const int64_t no_runs[MAX_RANK] = {1, 1, 1, 1, 1, 1, 1, 1};

int64_t axis_divisibility_of_all(const Axis *a, const Type *t)
{
    return axis_divisibility_at(a, t, no_runs);
}

Axis axis_meet(const Type *t, const Axis *a, const Axis *b)
{
    Axis r = axis_unknown(t);

    for (int d = 0; d < t->rank; d++) {
        r.contiguity[d] = axis_common_run(a->contiguity[d], b->contiguity[d], t->dims[d]);
        r.constancy[d] = axis_common_run(a->constancy[d], b->constancy[d], t->dims[d]);
    }
    r.divisibility = axis_gcd(axis_divisibility_at(a, t, r.contiguity),
                              axis_divisibility_at(b, t, r.contiguity));
    if (a->has_range && b->has_range) {
        r.has_range = true;
        r.lo = MIN(a->lo, b->lo);
        r.hi = MAX(a->hi, b->hi);
    }
    return r;
}

/* The result lies between lo and hi unless it wrapped, which these bounds tell. */
void axis_set_range(Axis *a, const Type *t, bool known, Wide lo, Wide hi)
{
    int64_t least = INT64_MIN, most = INT64_MAX;
    bool narrow = axis_dtype_range(t->dtype, &least, &most);

    if (!narrow && dtype_is_unsigned(t->dtype))
        least = 0;
    if (known && lo >= least && hi <= most) {
        a->has_range = true;
        a->lo = (int64_t)lo;
        a->hi = (int64_t)hi;
        return;
    }
    a->divisibility = axis_power_of_two_in(a->divisibility);
    a->has_range = narrow;
    a->lo = narrow ? least : 0;
    a->hi = narrow ? most : 0;
}

Axis axis_scalar_range(const Type *t, int64_t lo, int64_t hi, int64_t divisibility)
{
    Axis a = axis_unknown(t);

    a.divisibility = divisibility;
    axis_set_range(&a, t, true, lo, hi);
    return a;
}

void axis_promise_multiple(Axis *a, int64_t n)
{
    int64_t both;

    if (a->divisibility == 0 || n <= 0)
        return;
    if (!__builtin_mul_overflow(a->divisibility / axis_gcd(a->divisibility, n), n, &both))
        a->divisibility = both;
}

bool axis_is_value(const Axis *a, int64_t *v)
{
    *v = a->lo;
    return a->has_range && a->lo == a->hi;
}
