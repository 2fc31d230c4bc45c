/*
 * axis_rules.c - what each op makes of the facts on its operands
 *
 * opt.h defines the facts.  The lattice first: how runs combine, what divisibility is worth at the
 * starts of other runs, ranges that give up when the dtype could wrap.  Then one rule an op, found
 * through axis_transfer().
 *
 * Where an integer may have wrapped around, of its divisibility only the power of two is left: the
 * number of values of a dtype is a multiple of that and of nothing else.
 */
#include "opt.h"

enum { LOAD_VOLATILE = 2 }; /* index into the attributes of a load */

typedef __int128 Wide;

/* numbers */

int64_t axis_gcd(int64_t a, int64_t b)
{
    while (b != 0) {
        int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

static int64_t power_of_two_in(int64_t n)
{
    return n & -n;
}

static int64_t multiply(int64_t a, int64_t b)
{
    int64_t product;

    if (!__builtin_mul_overflow(a, b, &product))
        return product;
    return multiply(MIN(power_of_two_in(a), 1 << 15), MIN(power_of_two_in(b), 1 << 15));
}

static bool dtype_range(DType t, int64_t *lo, int64_t *hi)
{
    int bits = dtype_bits(t);

    if (!dtype_is_int(t) || bits > 32)
        return false;
    *lo = dtype_is_signed(t) ? -((int64_t)1 << (bits - 1)) : 0;
    *hi = ((int64_t)1 << (dtype_is_signed(t) ? bits - 1 : bits)) - 1;
    return true;
}

static bool is_int(const Type *t)
{
    return !t->pointer && dtype_is_int(t->dtype);
}

/* the lattice */

Axis axis_unknown(const Type *t)
{
    Axis a = {.divisibility = 1};

    for (int d = 0; d < MAX_RANK; d++)
        a.contiguity[d] = a.constancy[d] = 1;
    a.has_range = is_int(t) && dtype_range(t->dtype, &a.lo, &a.hi);
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
static int64_t common_run(int64_t a, int64_t b, int64_t extent)
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
static int64_t divisibility_at(const Axis *a, const Type *t, const int64_t *runs)
{
    int64_t unit = t->pointer ? dtype_size(t->dtype) : 1;
    int64_t all = has_runs(a, t) ? axis_gcd(a->divisibility, unit) : a->divisibility;
    int64_t result = a->divisibility;
    bool any = false;

    for (int d = 0; d < t->rank; d++) {
        int64_t old = a->contiguity[d], new = runs[d];
        if (new == 1)
            continue;
        any = true;
        if (old == 1)
            result = axis_gcd(result, all);
        else if (new >= t->dims[d])
            continue; /* only index 0 */
        else if (old >= t->dims[d])
            result = axis_gcd(result, new *unit);
        else
            result = axis_gcd(result, axis_gcd(old, new) == old ? 0 : axis_gcd(old, new) * unit);
    }
    return any ? result : all;
}

static const int64_t no_runs[MAX_RANK] = {1, 1, 1, 1, 1, 1, 1, 1};

static int64_t divisibility_of_all(const Axis *a, const Type *t)
{
    return divisibility_at(a, t, no_runs);
}

Axis axis_meet(const Type *t, const Axis *a, const Axis *b)
{
    Axis r = axis_unknown(t);

    for (int d = 0; d < t->rank; d++) {
        r.contiguity[d] = common_run(a->contiguity[d], b->contiguity[d], t->dims[d]);
        r.constancy[d] = common_run(a->constancy[d], b->constancy[d], t->dims[d]);
    }
    r.divisibility =
        axis_gcd(divisibility_at(a, t, r.contiguity), divisibility_at(b, t, r.contiguity));
    if (a->has_range && b->has_range) {
        r.has_range = true;
        r.lo = MIN(a->lo, b->lo);
        r.hi = MAX(a->hi, b->hi);
    }
    return r;
}

/* The result lies between lo and hi unless it wrapped, which these bounds tell. */
static void set_range(Axis *a, const Type *t, bool known, Wide lo, Wide hi)
{
    int64_t least = INT64_MIN, most = INT64_MAX;
    bool narrow = dtype_range(t->dtype, &least, &most);

    if (!narrow && dtype_is_unsigned(t->dtype))
        least = 0;
    if (known && lo >= least && hi <= most) {
        a->has_range = true;
        a->lo = (int64_t)lo;
        a->hi = (int64_t)hi;
        return;
    }
    a->divisibility = power_of_two_in(a->divisibility);
    a->has_range = narrow;
    a->lo = narrow ? least : 0;
    a->hi = narrow ? most : 0;
}

Axis axis_scalar_range(const Type *t, int64_t lo, int64_t hi, int64_t divisibility)
{
    Axis a = axis_unknown(t);

    a.divisibility = divisibility;
    set_range(&a, t, true, lo, hi);
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

static bool is_value(const Axis *a, int64_t *v)
{
    *v = a->lo;
    return a->has_range && a->lo == a->hi;
}

/* Constancy that every elementwise op keeps, and nothing else. */
static Axis elementwise(const Op *op, const Axis *const *in)
{
    const Type *t = op->results[0]->type;
    Axis r = axis_unknown(t);

    for (int d = 0; d < t->rank; d++) {
        r.constancy[d] = t->dims[d];
        for (int i = 0; i < op->noperands; i++)
            r.constancy[d] = common_run(r.constancy[d], in[i]->constancy[d], t->dims[d]);
    }
    return r;
}

/* values */

static Axis of_const(const Op *op)
{
    const Type *t = op->results[0]->type;
    uint64_t bits = (uint64_t)op->attrs[0];
    Axis r = axis_unknown(t);

    for (int d = 0; d < t->rank; d++)
        r.constancy[d] = t->dims[d];
    if (!is_int(t))
        return r;
    int64_t v = scalar_to_int(t->dtype, bits);
    bool known = v >= 0 || dtype_is_signed(t->dtype); /* else a u64 that i64 cannot hold */
    r.divisibility = v == INT64_MIN ? (int64_t)1 << 62 : v < 0 ? -v : v;
    set_range(&r, t, known, v, v);
    return r;
}

static Axis of_arange(const Op *op)
{
    const Type *t = op->results[0]->type;
    int64_t start = op->attrs[0];
    Axis r = axis_unknown(t);

    r.contiguity[0] = t->dims[0];
    r.divisibility = start < 0 ? -start : start;
    set_range(&r, t, true, start, start + t->dims[0] - 1);
    return r;
}

/* shape */

static Axis of_broadcast(const Op *op, const Axis *x)
{
    const Type *from = op->operands[0]->type, *to = op->results[0]->type;
    Axis r = *x;

    for (int d = 0; d < to->rank; d++) {
        if (from->rank == 0 || from->dims[d] == 1)
            r.constancy[d] = to->dims[d];
    }
    return r;
}

static Axis of_expand(const Op *op, const Axis *x)
{
    Axis r = *x;

    r.contiguity[op->attrs[0]] = r.constancy[op->attrs[0]] = 1;
    for (int d = (int)op->attrs[0]; d < op->operands[0]->type->rank; d++) {
        r.contiguity[d + 1] = x->contiguity[d];
        r.constancy[d + 1] = x->constancy[d];
    }
    return r;
}

static Axis of_permute(const Op *op, const Axis *x)
{
    Axis r = *x;

    for (int d = 0; d < op->nattrs; d++) {
        r.contiguity[d] = x->contiguity[op->attrs[d]];
        r.constancy[d] = x->constancy[op->attrs[d]];
    }
    return r;
}

/* Do the dims differ only in how many 1s there are?  Then the facts move with them. */
static bool moves_ones(const Type *from, const Type *to, const Axis *x, Axis *result)
{
    Axis r = *result;
    int i = 0;

    for (int d = 0; d < to->rank; d++) {
        if (to->dims[d] == 1)
            continue;
        while (i < from->rank && from->dims[i] == 1)
            i++;
        if (i == from->rank || from->dims[i] != to->dims[d])
            return false;
        r.contiguity[d] = x->contiguity[i];
        r.constancy[d] = x->constancy[i++];
    }
    r.divisibility = x->divisibility;
    *result = r;
    return true; /* what is left has as many elements as nothing: 1s */
}

/* Equal elements in a row, when all elements are laid in one. */
static int64_t flat_constancy(const Axis *x, const Type *t)
{
    int64_t run = 1;

    for (int d = t->rank - 1; d >= 0; d--) {
        if (x->constancy[d] < t->dims[d])
            return run * axis_gcd(x->constancy[d], t->dims[d]);
        run *= t->dims[d];
    }
    return run;
}

static int innermost(const Type *t)
{
    int d = t->rank - 1;

    while (d > 0 && t->dims[d] == 1)
        d--;
    return d;
}

/* Rows are laid end to end and cut anew. */
static Axis of_reshape(const Op *op, const Axis *x)
{
    const Type *from = op->operands[0]->type, *to = op->results[0]->type;
    int64_t total = type_numel(to), stride = 1, runs[MAX_RANK] = {1, 1, 1, 1, 1, 1, 1, 1};
    Axis r = axis_unknown(to);

    r.has_range = x->has_range;
    r.lo = x->lo;
    r.hi = x->hi;
    if (moves_ones(from, to, x, &r))
        return r;
    int last = innermost(from), inner = innermost(to);
    int64_t row = from->dims[last], equal = flat_constancy(x, from);
    int64_t run = x->contiguity[last] >= row ? row : axis_gcd(x->contiguity[last], row);
    for (int d = to->rank - 1; d >= 0; stride *= to->dims[d--]) {
        if (equal == total)
            r.constancy[d] = to->dims[d];
        else if (equal % stride == 0)
            r.constancy[d] = axis_gcd(equal / stride, to->dims[d]);
    }
    runs[last] = run == total ? to->dims[inner] : axis_gcd(run, to->dims[inner]);
    r.contiguity[inner] = runs[last];
    r.divisibility = divisibility_at(x, from, runs);
    return r;
}

/* arithmetic */

static Axis of_add(const Op *op, const Axis *const *in)
{
    const Axis *x = in[0], *y = in[1];
    const Type *t = op->results[0]->type;
    bool minus = op->code == OP_sub;
    Axis r = elementwise(op, in);

    if (!is_int(t))
        return r;
    for (int d = 0; d < t->rank; d++) {
        int64_t e = t->dims[d], *run = &r.contiguity[d];
        *run = common_run(x->contiguity[d], y->constancy[d], e);
        if (minus) /* both step alike */
            r.constancy[d] = MAX(r.constancy[d], common_run(x->contiguity[d], y->contiguity[d], e));
        else
            *run = MAX(*run, common_run(x->constancy[d], y->contiguity[d], e));
    }
    r.divisibility =
        axis_gcd(divisibility_at(x, t, r.contiguity), divisibility_at(y, t, r.contiguity));
    set_range(&r, t, x->has_range && y->has_range, (Wide)x->lo + (minus ? -(Wide)y->hi : y->lo),
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
    set_range(r, t, known && x->has_range, least, most);
}

static Axis of_mul(const Op *op, const Axis *const *in)
{
    const Axis *x = in[0], *y = in[1];
    const Type *t = op->results[0]->type;
    Axis r = elementwise(op, in);

    if (!is_int(t))
        return r;
    r.divisibility = multiply(divisibility_of_all(x, t), divisibility_of_all(y, t));
    set_product(&r, t, x, y->has_range, y->lo, y->hi);
    return r;
}

static Axis of_shl(const Op *op, const Axis *const *in)
{
    const Type *t = op->results[0]->type;
    Axis r = elementwise(op, in);
    int64_t k;

    if (!is_value(in[1], &k) || k < 0 || k >= MIN(dtype_bits(t->dtype), 62))
        return r;
    int64_t factor = (int64_t)1 << k;
    r.divisibility = multiply(divisibility_of_all(in[0], t), factor);
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

/* The quotient by c is the same within each group. */
static void set_quotient(Axis *r, const Type *t, const Axis *x, int64_t c)
{
    int64_t all = divisibility_of_all(x, t);

    for (int d = 0; d < t->rank; d++)
        r->constancy[d] = MAX(r->constancy[d], group(x, t, d, c));
    if (all % c == 0)
        r->divisibility = all / c;
}

/* What is left over modulo c steps like x within each group. */
static void set_remainder(Axis *r, const Type *t, const Axis *x, int64_t c)
{
    for (int d = 0; d < t->rank; d++)
        r->contiguity[d] = group(x, t, d, c);
    r->divisibility = axis_gcd(divisibility_at(x, t, r->contiguity), c);
}

/* Division truncates, so groups of equal quotients are cut differently below zero. */
static Axis of_div(const Op *op, const Axis *const *in)
{
    const Axis *x = in[0], *y = in[1];
    const Type *t = op->results[0]->type;
    Axis r = elementwise(op, in);
    bool positive = x->has_range && x->lo >= 0;
    int64_t c;

    if (!is_int(t) || !is_value(y, &c) || c <= 0)
        return r;
    if (positive || dtype_is_unsigned(t->dtype))
        set_quotient(&r, t, x, c);
    if (x->has_range)
        set_range(&r, t, true, x->lo / c, x->hi / c);
    return r;
}

static Axis of_rem(const Op *op, const Axis *const *in)
{
    const Axis *x = in[0], *y = in[1];
    const Type *t = op->results[0]->type;
    Axis r = elementwise(op, in);
    bool positive = (x->has_range && x->lo >= 0) || dtype_is_unsigned(t->dtype);
    int64_t c;

    if (!is_int(t) || !is_value(y, &c) || c <= 0)
        return r;
    if (x->has_range && x->lo >= 0 && x->hi < c)
        return *x;
    if (positive)
        set_remainder(&r, t, x, c);
    else
        r.divisibility = axis_gcd(divisibility_of_all(x, t), c);
    set_range(&r, t, true, positive ? 0 : 1 - c, c - 1);
    return r;
}

/* Bits kept by a constant mask: the low ones are a remainder, all but those a rounding down; both
 * hold below zero too. */
static Axis of_and(const Op *op, const Axis *const *in)
{
    const Axis *x = in[0], *y = in[1];
    const Type *t = op->results[0]->type;
    Axis r = elementwise(op, in);
    int64_t mask, dx = divisibility_of_all(x, t), dy = divisibility_of_all(y, t);
    bool x_positive = x->has_range && x->lo >= 0, y_positive = y->has_range && y->lo >= 0;

    dx = power_of_two_in(dx);
    dy = power_of_two_in(dy);
    r.divisibility = dx == 0 || dy == 0 ? 0 : MAX(dx, dy);
    if (is_value(y, &mask) && mask >= 0 && (mask & (mask + 1)) == 0 && mask < INT64_MAX)
        set_remainder(&r, t, x, mask + 1);
    for (int d = 0; d < t->rank && is_value(y, &mask) && mask == -power_of_two_in(mask); d++)
        r.constancy[d] = MAX(r.constancy[d], group(x, t, d, -mask));
    if (x_positive || y_positive)
        set_range(&r, t, true, 0,
                  x_positive && y_positive ? MIN(x->hi, y->hi)
                  : x_positive             ? x->hi
                                           : y->hi);
    return r;
}

static Axis of_or_xor(const Op *op, const Axis *const *in)
{
    const Type *t = op->results[0]->type;
    int64_t dx = divisibility_of_all(in[0], t), dy = divisibility_of_all(in[1], t), most = 1;
    Axis r = elementwise(op, in);

    r.divisibility = axis_gcd(power_of_two_in(dx), power_of_two_in(dy));
    if (!in[0]->has_range || !in[1]->has_range || in[0]->lo < 0 || in[1]->lo < 0)
        return r;
    while (most - 1 < MAX(in[0]->hi, in[1]->hi) && most < (int64_t)1 << 62)
        most *= 2;
    if (most < (int64_t)1 << 62)
        set_range(&r, t, true, 0, most - 1);
    return r;
}

/* Arithmetic shifts round down, so groups need no sign; u64 beyond i64 has no range here. */
static Axis of_shr(const Op *op, const Axis *const *in)
{
    const Type *t = op->results[0]->type;
    Axis r = elementwise(op, in);
    int64_t k;

    if (!is_value(in[1], &k) || k < 0 || k >= MIN(dtype_bits(t->dtype), 62))
        return r;
    set_quotient(&r, t, in[0], (int64_t)1 << k);
    if (in[0]->has_range)
        set_range(&r, t, true, in[0]->lo >> k, in[0]->hi >> k);
    return r;
}

static Axis of_min_max(const Op *op, const Axis *const *in)
{
    const Axis *x = in[0], *y = in[1];
    const Type *t = op->results[0]->type;
    bool least = op->code == OP_min;
    Axis r = elementwise(op, in);

    if (!is_int(t))
        return r;
    r.divisibility = axis_gcd(divisibility_of_all(x, t), divisibility_of_all(y, t));
    if (x->has_range && y->has_range)
        set_range(&r, t, true, least ? MIN(x->lo, y->lo) : MAX(x->lo, y->lo),
                  least ? MIN(x->hi, y->hi) : MAX(x->hi, y->hi));
    return r;
}

static Axis of_sign(const Op *op, const Axis *const *in)
{
    const Axis *x = in[0];
    const Type *t = op->results[0]->type;
    Axis r = elementwise(op, in);

    if (!is_int(t))
        return r;
    if (op->code == OP_abs && ((x->has_range && x->lo >= 0) || dtype_is_unsigned(t->dtype)))
        return *x;
    r.divisibility = divisibility_of_all(x, t);
    Wide lo = x->lo, hi = x->hi;
    if (op->code == OP_neg)
        set_range(&r, t, x->has_range, -hi, -lo);
    else
        set_range(&r, t, x->has_range, lo > 0 ? lo : hi < 0 ? -hi : 0, MAX(-lo, hi));
    return r;
}

/* choices and conversions */

static Axis of_select(const Op *op, const Axis *const *in)
{
    const Type *t = op->results[0]->type;
    Axis r = axis_meet(t, in[1], in[2]);
    int64_t runs[MAX_RANK] = {0};

    for (int d = 0; d < t->rank; d++) {
        runs[d] = common_run(r.contiguity[d], in[0]->constancy[d], t->dims[d]);
        r.constancy[d] = common_run(r.constancy[d], in[0]->constancy[d], t->dims[d]);
    }
    r.divisibility = divisibility_at(&r, t, runs);
    for (int d = 0; d < t->rank; d++)
        r.contiguity[d] = runs[d];
    return r;
}

static Axis of_pointer_cast(const Op *op, const Axis *x)
{
    const Type *from = op->operands[0]->type, *to = op->results[0]->type;
    Axis r = *x;

    if (dtype_size(from->dtype) == dtype_size(to->dtype))
        return r;
    for (int d = 0; d < to->rank; d++)
        r.contiguity[d] = 1;
    r.divisibility = divisibility_of_all(x, from);
    return r;
}

/* Do the values of the range, or of dtype `from`, all exist in `to`? */
static bool fits(const Axis *x, DType from, DType to)
{
    int64_t lo = INT64_MIN, hi = INT64_MAX;

    if (!x->has_range)
        return dtype_bits(to) == 64 && dtype_is_unsigned(from) == dtype_is_unsigned(to);
    if (!dtype_range(to, &lo, &hi))
        lo = dtype_is_unsigned(to) ? 0 : INT64_MIN;
    return x->lo >= lo && x->hi <= hi;
}

/* A run that starts at a multiple of its length, a power of two, never crosses the largest value.
 */
static void align_runs(Axis *a, const Type *t, int bits)
{
    int64_t runs[MAX_RANK] = {0};

    for (int d = 0; d < t->rank; d++) {
        int64_t run = power_of_two_in(axis_gcd(a->contiguity[d], a->divisibility));
        runs[d] = a->contiguity[d] > 1 ? MIN(run, (int64_t)1 << (bits - 1)) : 1;
    }
    a->divisibility = divisibility_at(a, t, runs);
    for (int d = 0; d < t->rank; d++)
        a->contiguity[d] = runs[d];
}

/* The facts on integers that are about to be extended.  A run of i32 is taken not to cross the
 * largest value; small integers do that in earnest, and unsigned ones around 0. */
static Axis before_extension(const Axis *x, const Type *t)
{
    int64_t lo, hi;
    Axis a = *x;

    if (t->dtype != DT_I32 && dtype_range(t->dtype, &lo, &hi) && x->lo <= lo && x->hi >= hi)
        align_runs(&a, t, dtype_bits(t->dtype));
    return a;
}

static Axis of_cast(const Op *op, const Axis *const *in)
{
    const Axis *x = in[0];
    const Type *from = op->operands[0]->type, *to = op->results[0]->type;
    Axis r = elementwise(op, in);

    if (from->pointer && to->pointer)
        return of_pointer_cast(op, x);
    if (!is_int(from) || !is_int(to) || to->dtype == DT_I1)
        return r;
    bool kept = fits(x, from->dtype, to->dtype);
    r = before_extension(x, from);
    if (!kept)
        align_runs(&r, from, dtype_bits(to->dtype));
    set_range(&r, to, kept && x->has_range, x->lo, x->hi);
    return r;
}

static Axis of_bitcast(const Op *op, const Axis *const *in)
{
    const Type *from = op->operands[0]->type, *to = op->results[0]->type;

    return is_int(from) && is_int(to) ? of_cast(op, in) : elementwise(op, in);
}

/* x < y where x counts up from a multiple of the divisibility and y is the same for all: the
 * answer changes only at multiples of what both are divisible by. */
static void set_threshold(Axis *r, const Type *t, const Axis *x, const Axis *y)
{
    int64_t c = divisibility_of_all(y, t);

    for (int d = 0; d < t->rank; d++) {
        int64_t run = group(x, t, d, c);
        r->constancy[d] = MAX(r->constancy[d], common_run(run, y->constancy[d], t->dims[d]));
    }
}

static Axis of_compare(const Op *op, const Axis *const *in)
{
    const Type *t = op->operands[0]->type;
    Axis r = elementwise(op, in);

    if (!is_int(t))
        return r;
    if (op->code == OP_lt || op->code == OP_ge)
        set_threshold(&r, t, in[0], in[1]);
    if (op->code == OP_gt || op->code == OP_le)
        set_threshold(&r, t, in[1], in[0]);
    return r;
}

/* memory */

static Axis of_addptr(const Op *op, const Axis *const *in)
{
    const Type *t = op->results[0]->type, *offset = op->operands[1]->type;
    const Axis *p = in[0], steps = before_extension(in[1], offset), *x = &steps;
    Axis r = elementwise(op, in);

    for (int d = 0; d < t->rank; d++)
        r.contiguity[d] = MAX(common_run(p->contiguity[d], x->constancy[d], t->dims[d]),
                              common_run(p->constancy[d], x->contiguity[d], t->dims[d]));
    int64_t step = multiply(divisibility_at(x, offset, r.contiguity), dtype_size(t->dtype));
    r.divisibility = power_of_two_in(axis_gcd(divisibility_at(p, t, r.contiguity), step));
    return r;
}

static Axis of_load(const Op *op, const Axis *const *in)
{
    const Type *t = op->results[0]->type;

    return op->attrs[LOAD_VOLATILE] ? axis_unknown(t) : elementwise(op, in);
}

/* promises (semantics R300) */

/* A run of n elements, as the user says.  Starts of longer runs were starts before. */
static void promise_run(Axis *a, const Type *t, int d, int64_t n)
{
    int64_t runs[MAX_RANK] = {0};

    for (int i = 0; i < t->rank; i++)
        runs[i] = a->contiguity[i];
    runs[d] = MAX(runs[d], MIN(n, t->dims[d]));
    a->divisibility = divisibility_at(a, t, runs);
    a->contiguity[d] = runs[d];
}

/* The promise is on the first elements of runs, so it needs to know the runs; what it says of
 * single elements is only believed for scalars. */
static void promise_multiples(Axis *a, const Type *t, const int64_t *values)
{
    int64_t common = 0;

    for (int d = 0; d < t->rank; d++) {
        if (a->contiguity[d] > 1)
            common = axis_gcd(common, values[d]);
    }
    if (t->rank == 0)
        common = values[0];
    if (common > 0)
        axis_promise_multiple(a, common);
}

static Axis of_hint(const Op *op, const Axis *const *in)
{
    const Type *t = op->results[0]->type;
    const int64_t *values = op->attrs + 1;
    const Op *inner = op->operands[0]->def;
    Axis r = *in[0];

    if (op->attrs[0] == HINT_MULTIPLE_OF)
        promise_multiples(&r, t, values);
    for (int d = 0; d < t->rank; d++) {
        if (op->attrs[0] == HINT_MAX_CONTIGUOUS)
            promise_run(&r, t, d, values[d]);
        if (op->attrs[0] == HINT_MAX_CONSTANCY)
            r.constancy[d] = MAX(r.constancy[d], MIN(values[d], t->dims[d]));
    }
    /* max_contiguous(multiple_of(x, m), n): now the runs that m is about are known */
    if (op->attrs[0] == HINT_MAX_CONTIGUOUS && inner && inner->code == OP_hint &&
        inner->attrs[0] == HINT_MULTIPLE_OF)
        promise_multiples(&r, t, inner->attrs + 1);
    return r;
}

/* The rules that read operands as a list, by op. */
typedef Axis Rule(const Op *op, const Axis *const *in);
static Rule *const rules[OP_COUNT] = {
    [OP_add] = of_add,    [OP_sub] = of_add,         [OP_mul] = of_mul,
    [OP_div] = of_div,    [OP_rem] = of_rem,         [OP_and] = of_and,
    [OP_or] = of_or_xor,  [OP_xor] = of_or_xor,      [OP_shl] = of_shl,
    [OP_shr] = of_shr,    [OP_min] = of_min_max,     [OP_max] = of_min_max,
    [OP_neg] = of_sign,   [OP_abs] = of_sign,        [OP_select] = of_select,
    [OP_cast] = of_cast,  [OP_bitcast] = of_bitcast, [OP_eq] = of_compare,
    [OP_ne] = of_compare, [OP_lt] = of_compare,      [OP_le] = of_compare,
    [OP_gt] = of_compare, [OP_ge] = of_compare,      [OP_addptr] = of_addptr,
    [OP_load] = of_load,  [OP_hint] = of_hint,
};

Axis axis_transfer(const Op *op, const Axis *const *in)
{
    const Type *t = op->results[0]->type;

    switch (op->code) {
    case OP_const:
        return of_const(op);
    case OP_program_id:
        return axis_scalar_range(t, 0, INT32_MAX - 1, 1);
    case OP_num_programs:
        return axis_scalar_range(t, 1, INT32_MAX, 1);
    case OP_arange:
        return of_arange(op);
    case OP_splat:
    case OP_broadcast:
        return of_broadcast(op, in[0]);
    case OP_expand:
        return of_expand(op, in[0]);
    case OP_reshape:
        return of_reshape(op, in[0]);
    case OP_permute:
        return of_permute(op, in[0]);
    default:
        break;
    }
    if (rules[op->code])
        return rules[op->code](op, in);
    return op_is_elementwise(op) ? elementwise(op, in) : axis_unknown(t);
}
