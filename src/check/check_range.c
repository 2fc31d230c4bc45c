/*
 * check_range.c - the least and the largest offset of a tile, as scalars
 *
 * Most tiles of offsets are sums of counted indices and scalars.  Then two numbers say for a whole
 * tile that it is inside of its array, and nothing has to be asked of each element.  Interval
 * arithmetic in 64 bits over the definition of the tile; where 32-bit integers would wrap, or the
 * interval comes around, the range is not sound, which is an i1 as well: then the caller asks each
 * element.
 *
 * Masks that compare an index with a scalar cut its interval: behind `columns < n` an index is at
 * most n - 1.  The index must be the same value, at the same place in the tile, which a Seat says:
 * rows and columns are often one arange.
 */
#include "check_range.h"

enum { MOST_VISITS = 100, DEEPEST = 40, MOST_LIMITS = 8 };

/* A value, and which dimension of the whole tile each of its own follows; -1: none. */
typedef struct {
    const Value *value;
    int8_t dim[MAX_RANK];
} Seat;

/* What a mask says of the elements of a value: below or at most a scalar, or from it on. */
typedef struct {
    Seat seat;
    Value *limit;
    OpCode code; /* lt, le, gt, ge: value CODE limit */
} Limit;

typedef struct {
    Limit limits[MOST_LIMITS];
    int nlimits;
    Builder *b;
    const AxisFacts *facts;
    int known;
    int visits;
    const Type *i64;
} Ranges;

static bool range_of(Ranges *r, Seat s, int depth, OffsetRange *out);

/* A range that is not seen as a sum. */
static void set_plain(OffsetRange *x, Value *lo, Value *hi)
{
    x->lo = x->rest_lo = lo;
    x->hi = x->rest_hi = hi;
    x->nterms = 0;
}

/* --- seats --- */

static Seat seat_beside(const Seat *s, const Value *v)
{
    Seat out = *s;

    out.value = v;
    return out;
}

/* Through one op that moves elements; false when it is none, or moves them in another way. */
static bool step_down(Seat *s)
{
    const Op *op = s->value->def;
    Seat in = {0};
    Move move;

    if (!op || (op->code != OP_hint && !op_has(op, MOVES)))
        return false;
    if (op->code == OP_hint) {
        s->value = op->operands[0];
        return true;
    }
    if (!op_renames(op, &move))
        return false;
    in.value = op->operands[0];
    for (int d = 0; d < in.value->type->rank; d++)
        in.dim[d] = move.follows[d] < 0 ? -1 : s->dim[move.follows[d]];
    *s = in;
    return true;
}

static Seat step_to_source(Seat s)
{
    while (step_down(&s))
        continue;
    return s;
}

static bool same_seat(const Seat *x, const Seat *y)
{
    if (x->value != y->value)
        return false;
    for (int d = 0; d < x->value->type->rank; d++) {
        if (x->dim[d] != y->dim[d] && x->value->type->dims[d] > 1)
            return false;
    }
    return true;
}

/* --- limits --- */

static const OpCode mirrored[OP_COUNT] = {
    [OP_lt] = OP_gt, [OP_gt] = OP_lt, [OP_le] = OP_ge, [OP_ge] = OP_le};

static void note_compare(Ranges *r, const Seat *s)
{
    const Op *op = s->value->def;

    if (op->operands[0]->type->pointer || !dtype_is_int(op->operands[0]->type->dtype) ||
        op->operands[0]->type->dtype == DT_U64)
        return;
    for (int i = 0; i < 2 && r->nlimits < MOST_LIMITS; i++) {
        Seat x = step_to_source(seat_beside(s, op->operands[i]));
        Seat limit = step_to_source(seat_beside(s, op->operands[1 - i]));
        uint64_t bits;
        bool is_const = value_constant(limit.value, &bits);
        if (x.value->type->rank == 0 || (limit.value->type->rank > 0 && !is_const))
            continue;
        Value *v = (Value *)limit.value;
        if (v->type->rank > 0)
            v = build_const(r->b, type_element(r->b->module, v->type), bits);
        r->limits[r->nlimits++] = (Limit){x, build_cast(r->b, v, DT_I64, ROUND_NEAREST),
                                          i == 0 ? op->code : mirrored[op->code]};
    }
}

static void note_limits(Ranges *r, Seat s, int depth)
{
    s = step_to_source(s);
    if (!s.value->def || s.value->type->rank == 0 || depth > DEEPEST || r->visits++ > MOST_VISITS)
        return;
    if (s.value->def->code == OP_and) {
        note_limits(r, seat_beside(&s, s.value->def->operands[0]), depth + 1);
        note_limits(r, seat_beside(&s, s.value->def->operands[1]), depth + 1);
    } else if (mirrored[s.value->def->code]) {
        note_compare(r, &s);
    }
}

/* Cut the range of a value by what the mask says of it. */
static void apply_limits(Ranges *r, const Seat *s, OffsetRange *x)
{
    Value *one = build_int(r->b, r->i64, 1);

    for (int i = 0; i < r->nlimits; i++) {
        const Limit *l = &r->limits[i];
        bool strict = l->code == OP_lt || l->code == OP_gt,
             above = l->code == OP_gt || l->code == OP_ge;
        if (!same_seat(s, &l->seat))
            continue;
        Value *end = strict ? build_binary(r->b, above ? OP_add : OP_sub, l->limit, one) : l->limit;
        if (above)
            x->lo = build_binary(r->b, OP_max, x->lo, end);
        else
            x->hi = build_binary(r->b, OP_min, x->hi, end);
        set_plain(x, x->lo, x->hi);
    }
}

/* --- ranges --- */

static Value *number(const Ranges *r, int64_t v)
{
    return build_int(r->b, r->i64, v);
}

static void also(Ranges *r, OffsetRange *x, Value *condition)
{
    x->sound = x->sound ? build_binary(r->b, OP_and, x->sound, condition) : condition;
}

/* The range holds if it fits the type that it was computed in. */
static void must_fit(Ranges *r, DType t, OffsetRange *x)
{
    int bits = dtype_bits(t) - dtype_is_signed(t);
    int64_t most = bits >= 63 ? INT64_MAX : ((int64_t)1 << bits) - 1;

    if (bits >= 63) {
        also(r, x, build_binary(r->b, OP_le, x->lo, x->hi));
        return;
    }
    int64_t least = dtype_is_signed(t) ? -most - 1 : 0;
    also(r, x, build_binary(r->b, OP_ge, x->lo, number(r, least)));
    also(r, x, build_binary(r->b, OP_le, x->hi, number(r, most)));
}

static bool range_of_operand(Ranges *r, const Seat *s, int i, int depth, OffsetRange *out)
{
    return range_of(r, seat_beside(s, s->value->def->operands[i]), depth, out);
}

static bool both_ranges(Ranges *r, const Seat *s, int depth, OffsetRange *x, OffsetRange *y)
{
    return range_of_operand(r, s, 0, depth, x) && range_of_operand(r, s, 1, depth, y);
}

static bool range_of_sum(Ranges *r, const Seat *s, int depth, OffsetRange *out)
{
    const Op *op = s->value->def;
    bool minus = op->code == OP_sub;
    OffsetRange x, y;

    if (!both_ranges(r, s, depth, &x, &y))
        return false;
    Value *lo = build_binary(r->b, op->code, x.lo, minus ? y.hi : y.lo);
    *out = (OffsetRange){
        .lo = lo, .hi = build_binary(r->b, op->code, x.hi, minus ? y.lo : y.hi), .sound = x.sound};
    if (y.sound)
        also(r, out, y.sound);
    must_fit(r, op->results[0]->type->dtype, out);
    if (minus || x.nterms + y.nterms > RANGE_TERMS) {
        set_plain(out, out->lo, out->hi);
        return true;
    }
    out->rest_lo = build_binary(r->b, OP_add, x.rest_lo, y.rest_lo);
    out->rest_hi = build_binary(r->b, OP_add, x.rest_hi, y.rest_hi);
    for (int i = 0; i < x.nterms; i++)
        out->terms[out->nterms++] = x.terms[i];
    for (int i = 0; i < y.nterms; i++)
        out->terms[out->nterms++] = y.terms[i];
    return true;
}

/* By one number of at most 31 bits, so that nothing comes around in 64. */
static bool range_of_product(Ranges *r, const Seat *s, int depth, OffsetRange *out)
{
    const Op *op = s->value->def;
    OffsetRange x, y;

    if (dtype_bits(op->results[0]->type->dtype) > 32 || !both_ranges(r, s, depth, &x, &y))
        return false;
    if (y.lo != y.hi) {
        OffsetRange z = x;
        x = y;
        y = z;
    }
    if (y.lo != y.hi)
        return false;
    Value *a = build_binary(r->b, OP_mul, x.lo, y.lo), *c = build_binary(r->b, OP_mul, x.hi, y.lo);
    Value *lo = build_binary(r->b, OP_min, a, c);
    Value *hi = build_binary(r->b, OP_max, a, c);
    Value *zero = number(r, 0);
    *out = (OffsetRange){.lo = lo,
                         .hi = hi,
                         .sound = x.sound,
                         .rest_lo = zero,
                         .rest_hi = zero,
                         .terms = {{x.lo, x.hi, y.lo}},
                         .nterms = 1};
    if (y.sound)
        also(r, out, y.sound);
    must_fit(r, op->results[0]->type->dtype, out);
    return true;
}

static bool is_int(const Type *t)
{
    return !t->pointer && dtype_is_int(t->dtype) && t->dtype != DT_U64;
}

/* What is known of the values themselves: of remainders, flags, .. */
static bool range_of_facts(const Ranges *r, const Value *v, OffsetRange *out)
{
    const Axis *a = v->id < r->known ? axis_of(r->facts, v) : NULL;
    int bits = dtype_bits(v->type->dtype);

    if (!a || !a->has_range || (bits > 16 && (a->hi >= INT32_MAX || a->lo <= INT32_MIN)))
        return false;
    Value *hi = number(r, a->hi);
    set_plain(out, number(r, a->lo), hi);
    return true;
}

static bool range_of_arange(Ranges *r, const Op *op, OffsetRange *out)
{
    Value *hi = number(r, attr_start(op) + op->results[0]->type->dims[0] - 1);

    set_plain(out, number(r, attr_start(op)), hi);
    return true;
}

static bool range_of_op(Ranges *r, const Seat *s, int depth, OffsetRange *out)
{
    const Op *op = s->value->def;
    Seat in = *s;
    int64_t c;

    if (value_const_int(s->value, &c)) {
        Value *x = number(r, c);
        set_plain(out, x, x);
        return true;
    }
    switch (op->code) {
    case OP_arange:
        return range_of_arange(r, op, out);
    case OP_add:
    case OP_sub:
        return range_of_sum(r, s, depth, out);
    case OP_mul:
        return range_of_product(r, s, depth, out);
    case OP_cast: /* to what holds all of it */
        return is_int(op->operands[0]->type) &&
               dtype_bits(s->value->type->dtype) > dtype_bits(op->operands[0]->type->dtype) &&
               range_of_operand(r, s, 0, depth, out);
    default:
        return step_down(&in) && range_of(r, in, depth, out);
    }
}

static bool range_of(Ranges *r, Seat s, int depth, OffsetRange *out)
{
    const Value *v = s.value;

    *out = (OffsetRange){0};
    if (!is_int(v->type) || r->visits++ > MOST_VISITS || depth > DEEPEST)
        return false;
    if (v->type->rank == 0) {
        Value *x = build_cast(r->b, (Value *)v, DT_I64, ROUND_NEAREST);
        set_plain(out, x, x);
        return true;
    }
    if (!(v->def && range_of_op(r, &s, depth + 1, out)) && !range_of_facts(r, v, out))
        return false;
    apply_limits(r, &s, out);
    return true;
}

bool check_range(Builder *b, const AxisFacts *facts, int known, const Value *v, const Value *mask,
                 OffsetRange *out)
{
    Ranges r = {.b = b, .facts = facts, .known = known, .i64 = type_scalar(b->module, DT_I64)};
    Seat whole = {.value = v};

    for (int d = 0; d < v->type->rank; d++)
        whole.dim[d] = (int8_t)d;
    if (v->type->rank == 0)
        return false;
    if (mask)
        note_limits(&r, seat_beside(&whole, mask), 0);
    r.visits = 0;
    return range_of(&r, whole, 0, out);
}
