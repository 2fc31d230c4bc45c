/*
 * formula_narrow.c - sums and products of 8 and 16 bits that wrap around before they are read
 *
 * (a + a + a) // 3 of uint8 is 29 where a is 200: a sum keeps the type of what is added, and wraps.
 * That does no harm as long as only the low bits count: sums and products of it, bits that are cut
 * out, a store of the same width.  It does where the number itself is asked for: it is divided,
 * compared, made wider.  So each such question goes back through sums and products to one that may
 * leave the range of its type, by what the axis analysis knows.
 *
 * Sums and products along an axis are such, too, where a function of the kernel makes them: those
 * of tl.sum are wider.  So is -a of an unsigned type, 256 - a, where it is asked for or stored as
 * it is.
 *
 * Nothing is said of what looks meant: a sum compared with what was added (did it carry?), bits by
 * `&`, remainders of powers of two, hashes of 16 bits, offsets, what was made narrow here.
 */
#include "formula.h"

enum { MOST_NARROW = 16, DEEPEST_CHAIN = 1000, ADDRESS_DEPTH = 12 };

typedef struct {
    const Suspect *s;
    const AxisFacts *facts;
    const UseLists *uses;
    const Op **wraps; /* by value id: the op that may have wrapped; see `nothing` */
} Narrow;

static const Op nothing; /* it was looked for and not found */

static bool is_narrow(const Value *v)
{
    return opt_is_int(v) && v->type->handle == HANDLE_NONE && v->type->dtype != DT_I1 &&
           dtype_bits(v->type->dtype) <= MOST_NARROW;
}

/* --- may it wrap? --- */

static void range_of_type(DType t, int64_t *lo, int64_t *hi)
{
    int bits = dtype_bits(t) - dtype_is_signed(t);

    *hi = ((int64_t)1 << bits) - 1;
    *lo = dtype_is_signed(t) ? -*hi - 1 : 0;
}

static void range_of(const Narrow *n, const Value *v, int64_t *lo, int64_t *hi)
{
    const Axis *a = axis_of(n->facts, v);

    range_of_type(v->type->dtype, lo, hi);
    if (a && a->has_range) {
        *lo = MAX(*lo, a->lo);
        *hi = MIN(*hi, a->hi);
    }
}

/* x * 40503 in 16 bits is meant to. */
static bool is_hash(const Op *op)
{
    int64_t c;

    return op->code == OP_mul && dtype_bits(op->results[0]->type->dtype) == MOST_NARROW &&
           (value_const_int(op->operands[0], &c) || value_const_int(op->operands[1], &c)) &&
           (c > UINT8_MAX || c < INT8_MIN);
}

/* max(a, b) - min(a, b) is not negative. */
static bool is_distance(const Op *sum)
{
    const Op *x = sum->operands[0]->def, *y = sum->operands[1]->def;

    return sum->code == OP_sub && x && y && x->code == OP_max && y->code == OP_min;
}

/* Weights and zero points of 4 bits lie in int8, too: their differences have room. */
static bool is_signed_difference(const Op *op)
{
    return op->code == OP_sub && dtype_is_signed(op->results[0]->type->dtype);
}

/* (exponent.to(tl.uint8) + 127).to(tl.uint8): who makes bytes of something wider counts modulo 256.
 */
static bool is_of_narrowed(const Op *op)
{
    int bits = dtype_bits(op->results[0]->type->dtype);

    for (int i = 0; i < op->noperands; i++) {
        const Op *x = ir_unmoved(op->operands[i])->def;
        if (x && x->code == OP_cast && dtype_bits(x->operands[0]->type->dtype) > bits)
            return true;
    }
    return false;
}

/* May the exact result of this sum, difference or product lie beyond its type? */
static bool may_wrap(const Narrow *n, const Op *op)
{
    int64_t x[2], y[2], least, most, lo, hi;

    range_of(n, op->operands[0], &x[0], &x[1]);
    range_of(n, op->operands[1], &y[0], &y[1]);
    switch (op->code) {
    case OP_add:
        lo = x[0] + y[0];
        hi = x[1] + y[1];
        break;
    case OP_sub:
        lo = x[0] - y[1];
        hi = x[1] - y[0];
        break;
    default:
        lo = MIN(MIN(x[0] * y[0], x[1] * y[1]), MIN(x[0] * y[1], x[1] * y[0]));
        hi = MAX(MAX(x[0] * y[0], x[1] * y[1]), MAX(x[0] * y[1], x[1] * y[0]));
    }
    range_of_type(op->results[0]->type->dtype, &least, &most);
    return (lo < least || hi > most) && !is_hash(op) && !is_distance(op) &&
           !is_signed_difference(op) && !is_of_narrowed(op);
}

/* Of elements along an axis, by a function: may the exact one lie beyond its type? */
static bool may_wrap_along(const Narrow *n, const Op *op)
{
    OpCode by = ir_combine_code(op);
    int64_t least, most, lo, hi, count = op->operands[0]->type->dims[attr_axis(op)];

    if (op->noperands != 1 || (by != OP_add && by != OP_mul) || count == 1)
        return false;
    range_of(n, op->operands[0], &lo, &hi);
    range_of_type(op->results[0]->type->dtype, &least, &most);
    return by == OP_mul ? lo < -1 || hi > 1 : lo * count < least || hi * count > most;
}

static bool is_sum(const Op *op)
{
    return op->code == OP_add || op->code == OP_sub || op->code == OP_mul;
}

/* -a of what has no sign. */
static bool is_negation(const Op *op)
{
    return op->code == OP_neg && dtype_is_unsigned(op->results[0]->type->dtype);
}

/* The sum that may have wrapped before this was made of it, and whose low bits it still has; NULL:
 * none. */
static const Op *wrapped(Narrow *n, const Value *v, int depth)
{
    const Op *op = v->def, *found = NULL;

    if (!is_narrow(v) || !op || depth == DEEPEST_CHAIN)
        return NULL;
    if (n->wraps[v->id])
        return n->wraps[v->id] == &nothing ? NULL : n->wraps[v->id];
    n->wraps[v->id] = &nothing;
    if ((is_sum(op) && may_wrap(n, op)) || is_negation(op) ||
        (op_has(op, COMBINES) && may_wrap_along(n, op)))
        found = op;
    for (int i = 0; !found && i < op->noperands; i++) {
        if (is_sum(op) || op_has(op, MOVES) || op->code == OP_neg ||
            (op->code == OP_select && i > 0) ||
            (op->code == OP_cast &&
             dtype_bits(op->operands[0]->type->dtype) >= dtype_bits(v->type->dtype)))
            found = wrapped(n, op->operands[i], depth + 1);
    }
    if (found)
        n->wraps[v->id] = found;
    return found;
}

/* --- what is asked of it --- */

/* Does it store elements of an array with their signs turned? */
static bool stores_negation(const Op *op, int i)
{
    const Op *made = ir_unmoved(op->operands[i])->def;
    const Op *from = made && is_negation(made) ? ir_unmoved(made->operands[0])->def : NULL;

    return op->code == OP_store && i == STORE_DATA && from && op_only_reads(from);
}

static bool is_operand_of(const Value *v, const Op *sum)
{
    const Op *made = ir_unmoved(v)->def;

    for (int i = 0; i < sum->noperands; i++) {
        if (sum->operands[i] == v || (made && ir_unmoved(sum->operands[i])->def == made))
            return true;
    }
    return false;
}

/* What an op does with the number in its operand i, not with its low bits alone; NULL: nothing. */
static const char *reads(const Op *op, int i)
{
    const Type *to = op->nresults > 0 ? op->results[0]->type : NULL;
    int64_t c;

    switch (op->code) {
    case OP_div:
        return "it is divided";
    case OP_rem:
        if (value_const_int(op->operands[1], &c) && c > 0 && (c & (c - 1)) == 0)
            return NULL;
        return "its remainder is taken";
    case OP_abs:
        return "its absolute value is taken";
    case OP_shr:
        return i == 0 ? "it is shifted" : NULL;
    case OP_store:
        return stores_negation(op, i) ? "it is stored" : NULL;
    case OP_min:
    case OP_max:
    case OP_lt:
    case OP_le:
    case OP_gt:
    case OP_ge:
        return "it is compared";
    case OP_cast:
        if (dtype_is_float(to->dtype) ||
            dtype_bits(to->dtype) > dtype_bits(op->operands[0]->type->dtype))
            return "it is converted to";
        return NULL;
    default:
        return NULL;
    }
}

/* a + b < a: did it carry? */
static bool asks_for_carry(const Op *op, int i, const Op *sum)
{
    return op_has(op, COMPARES) && is_operand_of(op->operands[1 - i], sum);
}

/* Of differences of loaded numbers, whose signs are looked at, the operators warn (operators.c). */
static bool is_of_loaded(const Op *sum)
{
    for (int i = 0; i < sum->noperands; i++) {
        const Op *made = ir_unmoved(sum->operands[i])->def;
        if (!made || !op_only_reads(made))
            return false;
    }
    return true;
}

/* Is a difference only looked at for being 0, which it is as well where it has wrapped, or `told`
 * of its sign? */
static bool is_zero_asked(const Narrow *n, const Op *op, int i, bool told)
{
    int64_t zero;

    if (op->code == OP_abs)
        return told;
    if (op_has(op, COMPARES))
        return (told || op->code == OP_eq || op->code == OP_ne) &&
               value_const_int(op->operands[1 - i], &zero) && zero == 0;
    if (op->code != OP_cast)
        return false;
    const Use *use = uses_of(n->uses, op->results[0]);
    for (int k = 0; k < uses_count(n->uses, op->results[0]); k++) {
        if (use[k].op->code == OP_cast || !is_zero_asked(n, use[k].op, use[k].operand, told))
            return false;
    }
    return true;
}

/* "above 255" */
static const char *beyond(const Narrow *n, const Op *sum)
{
    DType t = sum->results[0]->type->dtype;
    int64_t lo, hi;

    range_of_type(t, &lo, &hi);
    if (dtype_is_signed(t))
        return arena_printf(n->s->arena, "beyond %d and %d", (int)lo, (int)hi);
    return sum->code == OP_sub || sum->code == OP_neg
               ? "below 0"
               : arena_printf(n->s->arena, "above %d", (int)hi);
}

static void tell(const Narrow *n, const Op *op, const Op *sum, const char *read)
{
    if (sum->code == OP_sub && diag_warned(n->s->diags, sum->span))
        return; /* that it is never negative */

    DType t = sum->results[0]->type->dtype;
    const char *name = dtype_triton_name(t);
    OpCode by = op_has(sum, COMBINES) ? ir_combine_code(sum) : sum->code;
    const char *what = by == OP_add   ? "sum"
                       : by == OP_sub ? "difference"
                       : by == OP_neg ? "negation"
                                      : "product";
    const char *to = op->code == OP_cast ? dtype_triton_name(op->results[0]->type->dtype) : "";

    tell_warn(n->s, sum,
              arena_printf(n->s->arena,
                           "convert what it is made of first, .to(tl.int32); `& 0x%x` behind it "
                           "says that it is meant",
                           (1 << dtype_bits(t)) - 1),
              "this %s of %s is %s, too: %s it wraps around before %s%s%s", what, name, name,
              beyond(n, sum), read, *to ? " " : "", to);
}

/* Indices that are kept narrow are as small as they have to be. */
static bool is_offset(const Narrow *n, const Value *v, int depth)
{
    const Use *use = uses_of(n->uses, v);
    int count = uses_count(n->uses, v);

    for (int i = 0; i < count; i++) {
        const Op *op = use[i].op;
        bool goes_on = op->code == OP_add || op->code == OP_sub || op->code == OP_mul ||
                       op->code == OP_cast || op_has(op, MOVES);
        if (op->code != OP_addptr &&
            (depth == 0 || !goes_on || !is_offset(n, op->results[0], depth - 1)))
            return false;
    }
    return count > 0;
}

static void look_at(Op *op, void *narrow)
{
    Narrow *n = narrow;

    for (int i = 0; i < op->noperands; i++) {
        const char *read = is_narrow(op->operands[i]) ? reads(op, i) : NULL;
        const Op *sum = read ? wrapped(n, op->operands[i], 0) : NULL;
        bool is_zero = sum && sum->code == OP_sub && is_zero_asked(n, op, i, is_of_loaded(sum));
        bool is_index = sum && op->code == OP_cast && is_offset(n, op->results[0], ADDRESS_DEPTH);
        if (sum && !is_zero && !is_index && !asks_for_carry(op, i, sum))
            tell(n, op, sum, read);
    }
}

static bool is_narrow_sum(const Op *op)
{
    return op->nresults > 0 && (is_sum(op) || op->code == OP_neg || op_has(op, COMBINES)) &&
           is_narrow(op->results[0]);
}

void formula_narrow(const Suspect *s)
{
    if (!tell_any(s, is_narrow_sum))
        return;
    Narrow n = {.s = s,
                .facts = tell_axis(s),
                .uses = tell_uses(s),
                .wraps = NEW_N(s->arena, const Op *, s->func->nvalues + 1)};
    ir_walk(s->func->body, look_at, &n);
}
