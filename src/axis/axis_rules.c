/*
 * axis_rules.c - what each op makes of the facts on its operands
 *
 * One rule an op, found through axis_transfer() at the end.  Read axis_lattice.c first.
 */
#include "axis_internal.h"

Axis axis_elementwise(const Op *op, const Axis *const *in)
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
    Axis r = axis_elementwise(op, in);

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

    return axis_is_int(from) && axis_is_int(to) ? of_cast(op, in) : axis_elementwise(op, in);
}

/* --- memory --- */

static Axis of_addptr(const Op *op, const Axis *const *in)
{
    const Type *t = op->results[0]->type, *offset = op->operands[1]->type;
    const Axis *p = in[0], steps = before_extension(in[1], offset), *x = &steps;
    Axis r = axis_elementwise(op, in);

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

    return attr_volatile(op) ? axis_unknown(t) : axis_elementwise(op, in);
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

/* The rules that read operands as a list, by op; those of arithmetic are in axis_arithmetic.c. */
static AxisRule *const rules[OP_COUNT] = {
    [OP_select] = of_select, [OP_cast] = of_cast, [OP_bitcast] = of_bitcast,
    [OP_addptr] = of_addptr, [OP_load] = of_load, [OP_hint] = of_hint,
};

static int32_t most_programs(const Op *op)
{
    return op->block->func->most_programs > 0 ? op->block->func->most_programs : INT32_MAX;
}

Axis axis_transfer(const Op *op, const Axis *const *in)
{
    const Type *t = op->results[0]->type;

    switch (op->code) {
    case OP_const:
        return of_const(op);
    case OP_program_id:
        return axis_scalar_range(t, 0, most_programs(op) - 1, 1);
    case OP_num_programs:
        return axis_scalar_range(t, 1, most_programs(op), 1);
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
    AxisRule *rule = rules[op->code] ? rules[op->code] : axis_arithmetic(op->code);
    if (rule)
        return rule(op, in);
    return op_is_elementwise(op) ? axis_elementwise(op, in) : axis_unknown(t);
}
