/*
 * axis_rules.c - what each op makes of the facts on its operands
 *
 * One rule an op, found through axis_transfer() at the end.  Read axis_lattice.c first.
 */
#include "axis.h"

/* Constancy that every elementwise op keeps, and nothing else. */
static Axis elementwise(const Op *op, const Axis *const *in)
{
    const Type *t = op->results[0]->type;
    Axis r = axis_unknown(t);

    for (int d = 0; d < t->rank; d++) {
        r.constancy[d] = t->dims[d];
        for (int i = 0; i < op->noperands; i++)
            r.constancy[d] = axis_common_run(r.constancy[d], in[i]->constancy[d], t->dims[d]);
    }
    return r;
}

/* --- values --- */

static Axis of_const(const Op *op)
{
    const Type *t = op->results[0]->type;
    uint64_t bits = (uint64_t)attr_bits(op);
    Axis r = axis_unknown(t);

    for (int d = 0; d < t->rank; d++)
        r.constancy[d] = t->dims[d];
    if (!axis_is_int(t))
        return r;
    int64_t v = scalar_to_int(t->dtype, bits);
    bool known = v >= 0 || dtype_is_signed(t->dtype); /* else a u64 that i64 cannot hold */
    r.divisibility = v == INT64_MIN ? (int64_t)1 << 62 : v < 0 ? -v : v;
    axis_set_range(&r, t, known, v, v);
    return r;
}

static Axis of_arange(const Op *op)
{
    const Type *t = op->results[0]->type;
    int64_t start = attr_start(op);
    Axis r = axis_unknown(t);

    r.contiguity[0] = t->dims[0];
    r.divisibility = start < 0 ? -start : start;
    axis_set_range(&r, t, true, start, start + t->dims[0] - 1);
    return r;
}

/* --- shape --- */

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

/* Ops that take each dimension of the operand from some index on, to another place: facts go along.
 * Where that cuts runs, what is left of each begins within one. */
static Axis of_move(const Op *op, const Axis *x)
{
    const Type *from = op->operands[0]->type, *to = op->results[0]->type;
    Axis r = axis_unknown(to);
    Move m;

    op_move(op, &m);
    r.divisibility = x->divisibility;
    r.has_range = x->has_range;
    r.lo = x->lo;
    r.hi = x->hi;
    for (int d = 0; d < from->rank; d++) {
        int at = m.follows[d];
        int64_t run = axis_gcd(x->contiguity[d], m.start[d]);
        if (run < x->contiguity[d])
            r.divisibility =
                axis_gcd(r.divisibility, run * (from->pointer ? dtype_size(from->dtype) : 1));
        if (at < 0)
            continue;
        r.contiguity[at] = MIN(run, to->dims[at]);
        r.constancy[at] = MIN(axis_gcd(x->constancy[d], m.start[d]), to->dims[at]);
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
    r.divisibility = axis_divisibility_at(x, from, runs);
    return r;
}

/* --- arithmetic --- */

static Axis of_add(const Op *op, const Axis *const *in)
{
    const Axis *x = in[0], *y = in[1];
    const Type *t = op->results[0]->type;
    bool minus = op->code == OP_sub;
    Axis r = elementwise(op, in);

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
    Axis r = elementwise(op, in);

    if (!axis_is_int(t))
        return r;
    r.divisibility = axis_multiply(axis_divisibility_of_all(x, t), axis_divisibility_of_all(y, t));
    set_product(&r, t, x, y->has_range, y->lo, y->hi);
    return r;
}

static Axis of_shl(const Op *op, const Axis *const *in)
{
    const Type *t = op->results[0]->type;
    Axis r = elementwise(op, in);
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

/* The quotient by c is the same within each group. */
static void set_quotient(Axis *r, const Type *t, const Axis *x, int64_t c)
{
    int64_t all = axis_divisibility_of_all(x, t);

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
    Axis r = elementwise(op, in);
    bool positive = x->has_range && x->lo >= 0;
    int64_t c;

    if (!axis_is_int(t) || !axis_is_value(y, &c) || c <= 0)
        return r;
    if (positive || dtype_is_unsigned(t->dtype))
        set_quotient(&r, t, x, c);
    if (x->has_range)
        axis_set_range(&r, t, true, x->lo / c, x->hi / c);
    return r;
}

static Axis of_rem(const Op *op, const Axis *const *in)
{
    const Axis *x = in[0], *y = in[1];
    const Type *t = op->results[0]->type;
    Axis r = elementwise(op, in);
    bool positive = (x->has_range && x->lo >= 0) || dtype_is_unsigned(t->dtype);
    int64_t c;

    if (axis_is_int(t) && positive && y->has_range && y->lo > 0 && !axis_is_value(y, &c))
        set_unknown_remainder(&r, t, x, y);
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
    Axis r = elementwise(op, in);
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
    Axis r = elementwise(op, in);

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
    Axis r = elementwise(op, in);
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
    Axis r = elementwise(op, in);

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
    Axis r = elementwise(op, in);

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

/* --- choices and conversions --- */

static Axis of_select(const Op *op, const Axis *const *in)
{
    const Type *t = op->results[0]->type;
    Axis r = axis_meet(t, in[1], in[2]);
    int64_t runs[MAX_RANK] = {0};

    for (int d = 0; d < t->rank; d++) {
        runs[d] = axis_common_run(r.contiguity[d], in[0]->constancy[d], t->dims[d]);
        r.constancy[d] = axis_common_run(r.constancy[d], in[0]->constancy[d], t->dims[d]);
    }
    r.divisibility = axis_divisibility_at(&r, t, runs);
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
    r.divisibility = axis_divisibility_of_all(x, from);
    return r;
}

/* Do the values of the range, or of dtype `from`, all exist in `to`? */
static bool range_fits(const Axis *x, DType from, DType to)
{
    int64_t lo = INT64_MIN, hi = INT64_MAX;

    if (!x->has_range)
        return dtype_bits(to) == 64 && dtype_is_unsigned(from) == dtype_is_unsigned(to);
    if (!axis_dtype_range(to, &lo, &hi))
        lo = dtype_is_unsigned(to) ? 0 : INT64_MIN;
    return x->lo >= lo && x->hi <= hi;
}

/* A run that starts at a multiple of its length, a power of two, never crosses the largest value.
 * No tile is as long as the cap for wide integers. */
static void align_runs(Axis *a, const Type *t, int bits)
{
    int64_t runs[MAX_RANK] = {0}, longest = (int64_t)1 << MIN(bits - 1, 30);

    for (int d = 0; d < t->rank; d++) {
        int64_t run = axis_power_of_two_in(axis_gcd(a->contiguity[d], a->divisibility));
        runs[d] = a->contiguity[d] > 1 ? MIN(run, longest) : 1;
    }
    a->divisibility = axis_divisibility_at(a, t, runs);
    for (int d = 0; d < t->rank; d++)
        a->contiguity[d] = runs[d];
}

/* The facts on integers that are about to be extended.  A run of i32 is taken not to cross the
 * largest value; small integers do that in earnest, and unsigned ones around 0. */
static Axis before_extension(const Axis *x, const Type *t)
{
    int64_t lo, hi;
    Axis a = *x;

    if (t->dtype != DT_I32 && axis_dtype_range(t->dtype, &lo, &hi) && x->lo <= lo && x->hi >= hi)
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
    if (!axis_is_int(from) || !axis_is_int(to) || to->dtype == DT_I1)
        return r;
    bool kept = range_fits(x, from->dtype, to->dtype);
    r = before_extension(x, from);
    if (!kept)
        align_runs(&r, from, dtype_bits(to->dtype));
    axis_set_range(&r, to, kept && x->has_range, x->lo, x->hi);
    return r;
}

static Axis of_bitcast(const Op *op, const Axis *const *in)
{
    const Type *from = op->operands[0]->type, *to = op->results[0]->type;

    return axis_is_int(from) && axis_is_int(to) ? of_cast(op, in) : elementwise(op, in);
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
    Axis r = elementwise(op, in);

    if (!axis_is_int(t))
        return r;
    if (op->code == OP_lt || op->code == OP_ge)
        set_threshold(&r, t, in[0], in[1]);
    if (op->code == OP_gt || op->code == OP_le)
        set_threshold(&r, t, in[1], in[0]);
    return r;
}

/* --- memory --- */

static Axis of_addptr(const Op *op, const Axis *const *in)
{
    const Type *t = op->results[0]->type, *offset = op->operands[1]->type;
    const Axis *p = in[0], steps = before_extension(in[1], offset), *x = &steps;
    Axis r = elementwise(op, in);

    for (int d = 0; d < t->rank; d++)
        r.contiguity[d] = MAX(axis_common_run(p->contiguity[d], x->constancy[d], t->dims[d]),
                              axis_common_run(p->constancy[d], x->contiguity[d], t->dims[d]));
    int64_t step =
        axis_multiply(axis_divisibility_at(x, offset, r.contiguity), dtype_size(t->dtype));
    r.divisibility = axis_power_of_two_in(axis_gcd(axis_divisibility_at(p, t, r.contiguity), step));
    return r;
}

static Axis of_load(const Op *op, const Axis *const *in)
{
    const Type *t = op->results[0]->type;

    return attr_volatile(op) ? axis_unknown(t) : elementwise(op, in);
}

/* --- promises (semantics R300) --- */

/* A run of n elements, as the user says.  Starts of longer runs were starts before. */
static void promise_run(Axis *a, const Type *t, int d, int64_t n)
{
    int64_t runs[MAX_RANK] = {0};

    for (int i = 0; i < t->rank; i++)
        runs[i] = a->contiguity[i];
    runs[d] = MAX(runs[d], MIN(n, t->dims[d]));
    a->divisibility = axis_divisibility_at(a, t, runs);
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
    int n;
    const int64_t *values = attr_values(op, &n);
    const Op *inner = op->operands[0]->def;
    Axis r = *in[0];

    if (attr_hint_kind(op) == HINT_MULTIPLE_OF)
        promise_multiples(&r, t, values);
    for (int d = 0; d < t->rank; d++) {
        if (attr_hint_kind(op) == HINT_MAX_CONTIGUOUS)
            promise_run(&r, t, d, values[d]);
        if (attr_hint_kind(op) == HINT_MAX_CONSTANCY)
            r.constancy[d] = MAX(r.constancy[d], MIN(values[d], t->dims[d]));
    }
    /* max_contiguous(multiple_of(x, m), n): now the runs that m is about are known */
    if (attr_hint_kind(op) == HINT_MAX_CONTIGUOUS && inner && inner->code == OP_hint &&
        attr_hint_kind(inner) == HINT_MULTIPLE_OF)
        promise_multiples(&r, t, attr_values(inner, &n));
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
    case OP_reshape:
        return of_reshape(op, in[0]);
    default:
        break;
    }
    if (op_has(op, MOVES))
        return of_move(op, in[0]);
    if (rules[op->code])
        return rules[op->code](op, in);
    return op_is_elementwise(op) ? elementwise(op, in) : axis_unknown(t);
}
