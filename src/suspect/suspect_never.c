/*
 * suspect_never.c - what can have one outcome only
 *
 *   - v < m where m is tl.minimum(m, v), and its kin: the least was kept first, and compared then;
 *   - tl.minimum(tl.maximum(v, 6), 0): the limits stand the wrong way around, and one is left;
 *   - tl.where(mask, 0, v), stored under that mask: what is chosen is where nobody looks;
 *   - tl.min(tl.load(.., other=-float("inf"))), and tl.min(tl.where(keep, tl.exp(x), 0.0)), where
 *     what is left out wins;
 *   - v == -1 where v is uint8, and other numbers that a type does not have;
 *   - tl.arange(0, BLOCK) == BLOCK, which no lane is;
 *   - i[:, None] >= i[:, None], of an index and itself;
 *   - tl.where(c, v, v), and tl.max(tl.exp(x - tl.max(x))), which is 1;
 *   - (i >= 0) | (i < n), which all are, and (i < 0) & (i >= n), which none is;
 *   - v // 255 of a uint8 that becomes a float: 0 or 1;
 *   - tl.exp(m - m), which is 1, and j + i < start where j counts from `start` on;
 *   - end - start of two loads from one address, and range(start, end) of these;
 *   - while tl.atomic_cas(lock, 1, 0) == 1, which goes on as long as it succeeds.
 */
#include "suspect.h"

#include <math.h>

enum { SAME_DEPTH = 12 };

/* --- comparisons with the lesser or greater of two --- */

static bool is_least(const Op *op)
{
    return op && (op->code == OP_min || op->code == OP_minnan);
}

static bool is_greatest(const Op *op)
{
    return op && (op->code == OP_max || op->code == OP_maxnan);
}

static bool has_operand(const Op *op, const Value *v)
{
    return ir_same(op->operands[0], v, SAME_DEPTH) || ir_same(op->operands[1], v, SAME_DEPTH);
}

/* `less` < `more`, which never holds; gives what they are, or NULL. */
static const char *why_never_less(const Value *less, const Value *more)
{
    if (is_least(more->def) && has_operand(more->def, less))
        return "less than the lesser of itself";
    if (is_greatest(less->def) && has_operand(less->def, more))
        return "greater than the greater of itself";
    return NULL;
}

static void look_at_comparison(const Suspect *s, const Op *op)
{
    bool turned = op->code == OP_gt;
    const char *why = why_never_less(op->operands[turned], op->operands[!turned]);

    if (why)
        tell_warn(s, op, "compare with what was kept so far, and keep the new one then",
                  "this is always false: nothing is %s and another one", why);
}

/* --- comparisons with itself --- */

static void look_at_itself(const Suspect *s, const Op *op)
{
    uint64_t bits;
    bool holds = op->code == OP_eq || op->code == OP_le || op->code == OP_ge;

    if (!op_has(op, COMPARES) || op->results[0]->type->rank == 0 || !opt_is_int(op->operands[0]) ||
        value_constant(op->operands[0], &bits) ||
        !ir_same(op->operands[0], op->operands[1], SAME_DEPTH))
        return;
    tell_warn(s, op, "is one of the two the index of another dimension, or another tile?",
              "this is always %s: both sides are the same", holds ? "true" : "false");
}

/* --- both limits of an index --- */

/* i >= 0 with `lower`, i < n without; not: i < 0, i >= n.  Gives i. */
static const Value *limited(const Value *v, bool lower, bool not )
{
    const Op *op = ir_unmoved(v)->def;
    int64_t least;
    bool is_less = op && (op->code == OP_lt || op->code == OP_le);
    bool is_more = op && (op->code == OP_gt || op->code == OP_ge);

    if ((lower != not ? !is_more : !is_less) || !opt_is_int(op->operands[0]))
        return NULL;
    bool is_number = value_const_signed(op->operands[1], &least);
    return is_number == lower && (!lower || least <= 1) ? op->operands[0] : NULL;
}

static void look_at_both(const Suspect *s, const Op *op)
{
    bool none = op->code == OP_and;

    for (int i = 0; i < 2; i++) {
        const Value *low = limited(op->operands[i], true, none);
        const Value *high = low ? limited(op->operands[1 - i], false, none) : NULL;
        if (high && ir_same(ir_unmoved(low), ir_unmoved(high), SAME_DEPTH))
            tell_warn(s, op, "(i >= 0) & (i < n) is inside, (i < 0) | (i >= n) outside", "%s",
                      none ? "this is always false: nothing is below 0 and at least n"
                           : "this is always true: what is below 0 is less than n, too");
    }
}

/* --- limits --- */

/* Of a tile or number, one for all. */
static bool read_number(const Value *v, double *out)
{
    uint64_t bits;

    if (!value_constant(v, &bits) || v->type->pointer)
        return false;
    *out = scalar_to_double(v->type->dtype, bits);
    return true;
}

/* The limit of one of them, and the other operand. */
static bool read_limit(const Op *op, double *limit, const Value **of)
{
    for (int i = 0; i < 2; i++) {
        if (read_number(op->operands[i], limit)) {
            *of = op->operands[1 - i];
            return true;
        }
    }
    return false;
}

/* min(max(v, low), high) with low > high, or the same from above. */
static void look_at_limits(const Suspect *s, const Op *op)
{
    const Value *inner, *v;
    double outer_limit, inner_limit;
    uint64_t bits;

    if (!read_limit(op, &outer_limit, &inner))
        return;
    const Op *first = inner->def;
    bool opposite = is_least(op) ? is_greatest(first) : is_least(first);
    if (!opposite || !read_limit(first, &inner_limit, &v) || value_constant(v, &bits) ||
        !(is_least(op) ? inner_limit > outer_limit : inner_limit < outer_limit))
        return;
    tell_warn(s, op,
              "the lower limit stands first in tl.clamp(x, low, high), which is "
              "tl.minimum(tl.maximum(x, low), high)",
              "this is always %g: nothing is at least %g and at most %g", outer_limit,
              is_least(op) ? inner_limit : outer_limit, is_least(op) ? outer_limit : inner_limit);
}

/* --- what is chosen where nobody looks --- */

static void look_at_store(const Suspect *s, const Op *op)
{
    const Value *mask = op_operand(op, STORE_MASK);
    const Op *choice = ir_bare(op->operands[STORE_DATA])->def;
    uint64_t bits;

    if (!mask || !choice || choice->code != OP_select || value_constant(mask, &bits) ||
        !value_constant(choice->operands[1], &bits) || value_constant(choice->operands[2], &bits) ||
        !ir_same(choice->operands[0], mask, SAME_DEPTH))
        return;
    tell_warn(s, op, "tl.where(condition, where it holds, elsewhere)",
              "all that is stored is the constant of tl.where, whose condition is the mask: are "
              "its values turned around?");
}

/* --- a choice between one and the same --- */

/* Of numbers of lanes alone, as where tl.cat chooses between two tiles? */
static bool is_of_lanes(const Value *v, int depth)
{
    const Op *op = v->def;

    if (!op || depth == 0)
        return false;
    for (int i = 0; i < op->noperands; i++) {
        if (!is_of_lanes(op->operands[i], depth - 1))
            return false;
    }
    return op_has(op, FOLDS) || op_has(op, MOVES) || op->noperands == 0;
}

static void look_at_choice(const Suspect *s, const Op *op)
{
    uint64_t bits;

    if (!value_constant(op->operands[0], &bits) && !value_constant(op->operands[1], &bits) &&
        op->operands[0]->type->rank > 0 && !is_of_lanes(op->operands[0], SAME_DEPTH) &&
        ir_same(op->operands[1], op->operands[2], SAME_DEPTH))
        tell_warn(s, op, "tl.where(condition, where it holds, elsewhere)",
                  "both values of this choice are the same");
}

/* tl.max(tl.exp(x - tl.max(x))) */
static void look_at_one(const Suspect *s, const Op *op)
{
    OpCode how = op->noperands == 1 ? ir_combine_code(op) : OP_COUNT;
    const Op *power = ir_uncast(op->operands[0])->def;
    const Op *difference = power && (power->code == OP_exp || power->code == OP_exp2)
                               ? ir_uncast(power->operands[0])->def
                               : NULL;

    if ((how != OP_max && how != OP_maxnan) || !difference || difference->code != OP_sub)
        return;
    const Op *greatest = ir_bare(difference->operands[1])->def;
    if (greatest && ir_reduces(greatest) && greatest->noperands == 1 &&
        ir_combine_code(greatest) == how && attr_axis(greatest) == attr_axis(op) &&
        ir_same(ir_bare(greatest->operands[0]), ir_bare(difference->operands[0]), SAME_DEPTH))
        tell_warn(s, op, "a softmax divides by the sum: tl.sum(tl.exp(x - tl.max(x)))",
                  "this is always 1: the greatest of all is what was subtracted");
}

/* --- lanes that are left out and win --- */

/* What stands for lanes that a mask leaves out of the tile; NULL: nothing does. */
static const Value *filling_of(const Value *v)
{
    const Op *op = ir_uncast(v)->def;

    if (!op)
        return NULL;
    if (op->code == OP_select)
        return op->operands[2];
    return op_only_reads(op) ? op_operand(op, ir_access(op).other) : NULL;
}

/* Is it an exponential, an absolute value, or made of such? */
static bool is_never_negative(const Value *v, int depth)
{
    const Op *op = ir_uncast(ir_bare(v))->def;
    double number;

    if (read_number(v, &number))
        return number >= 0;
    if (!op || depth == 0)
        return false;
    if (op->code == OP_exp || op->code == OP_exp2 || op->code == OP_abs)
        return true;
    bool is_kept = op->code == OP_sort || op->code == OP_div || op->code == OP_add ||
                   op->code == OP_mul || (ir_reduces(op) && op->noperands == 1);
    for (int i = 0; is_kept && i < op->noperands; i++) {
        if (!is_never_negative(op->operands[i], depth - 1))
            return false;
    }
    return is_kept;
}

/* tl.min(tl.where(keep, weights, 0.0)) */
static bool is_least_of_all(const Value *v, bool least)
{
    const Op *op = ir_uncast(v)->def;
    double number;

    return least && op && op->code == OP_select && read_number(op->operands[2], &number) &&
           number == 0 && is_never_negative(op->operands[1], SAME_DEPTH);
}

static void look_at_reduction(const Suspect *s, const Op *op)
{
    OpCode how = op->noperands == 2 ? ir_combine_kind(op).winner : ir_combine_code(op);
    bool least = how == OP_min || how == OP_minnan, greatest = how == OP_max || how == OP_maxnan;
    const Value *filling = least || greatest ? filling_of(op->operands[0]) : NULL;
    double number;

    if (!filling || !dtype_is_float(filling->type->dtype) || !read_number(filling, &number) ||
        (!is_least_of_all(op->operands[0], least) && (!isinf(number) || (number < 0) != least)))
        return;
    tell_warn(s, op,
              least ? "other=float(\"inf\") for a minimum" : "other=-float(\"inf\") for a maximum",
              "this is always a lane that the mask leaves out, where there is one: it is %s "
              "than all that is there",
              least ? "less" : "greater");
}

/* --- numbers that a type lacks --- */

/* The type that a value was widened from. */
static DType own_type(const Value *v)
{
    v = ir_unmoved(v);
    while (v->def && v->def->code == OP_cast && opt_is_int(v->def->operands[0]) &&
           dtype_bits(v->def->operands[0]->type->dtype) < dtype_bits(v->type->dtype))
        v = ir_unmoved(v->def->operands[0]);
    return v->type->dtype;
}

static void look_at_equal(const Suspect *s, const Op *op)
{
    for (int i = 0; i < 2; i++) {
        const Value *v = op->operands[i];
        DType t = opt_is_int(v) ? own_type(v) : DT_FP32;
        int64_t number;
        if (!dtype_is_int(t) || t == DT_I1 || dtype_bits(t) > 16 ||
            !value_const_signed(op->operands[1 - i], &number))
            continue;
        int bits = dtype_bits(t), sign = dtype_is_signed(t);
        int64_t most = (INT64_C(1) << (bits - sign)) - 1, least = sign ? -most - 1 : 0;
        if (number <= most && number >= least)
            continue;
        tell_warn(s, op,
                  arena_printf(s->arena,
                               "it has %lld to %lld: compare with one of these, or let the "
                               "array be of a wider type",
                               (long long)least, (long long)most),
                  "this is always %s: %s has no %lld", op->code == OP_eq ? "false" : "true",
                  dtype_long_name(t), (long long)number);
        return;
    }
}

/* --- lanes that a tile lacks --- */

/* An index of the tile, or one that begins elsewhere: i, or i + 1. */
static bool is_lane(const Value *v)
{
    const Op *op = ir_bare(v)->def;
    int64_t by;

    if (op && (op->code == OP_add || op->code == OP_sub) && value_const_int(op->operands[1], &by))
        op = ir_bare(op->operands[0])->def;
    return op && op->code == OP_arange;
}

static void look_at_lane(const Suspect *s, const Op *op)
{
    for (int i = 0; i < 2; i++) {
        int64_t number;
        if (!is_lane(op->operands[i]) || !value_const_signed(op->operands[1 - i], &number))
            continue;
        const Axis *a = axis_of(tell_axis(s), op->operands[i]);
        if (!a || !a->has_range || (number >= a->lo && number <= a->hi))
            continue;
        tell_warn(s, op, "the last one of tl.arange(0, BLOCK) is BLOCK - 1",
                  "this is always %s: the lanes of the tile are %lld to %lld, and none is %lld",
                  op->code == OP_eq ? "false" : "true", (long long)a->lo, (long long)a->hi,
                  (long long)number);
        return;
    }
}

/* --- two that are the same --- */

/* Does nothing between the two change memory? */
static bool is_quiet(const Op *from, const Op *to)
{
    const Op *op = from;

    while (op && op != to && !op_contains(op, WRITES | EFFECT))
        op = op->next;
    return op == to;
}

/* One number of the launch, or loaded from one address without a write in between. */
static bool same_number(const Value *a, const Value *b)
{
    const Op *first = (a = ir_bare(a))->def, *second = (b = ir_bare(b))->def;

    if (a == b)
        return first ? first->code == OP_load : a->block->owner == NULL;
    if (!first || !second || first->code != OP_load || second->code != OP_load ||
        first->noperands != second->noperands || op_is_volatile(first) ||
        first->block != second->block)
        return false;
    for (int i = 0; i < first->noperands; i++) {
        if (!ir_same(first->operands[i], second->operands[i], SAME_DEPTH))
            return false;
    }
    return is_quiet(first, second) || is_quiet(second, first);
}

static void look_at_difference(const Suspect *s, const Op *op)
{
    if (opt_is_int(op->operands[0]) && same_number(op->operands[0], op->operands[1]))
        tell_warn(s, op, "is one of the two at another place, as ends + 1 is?",
                  "this is always 0: both are the same number");
}

/* tl.exp(m - m) */
static void look_at_power(const Suspect *s, const Op *op)
{
    const Op *difference = ir_bare(op->operands[0])->def;

    if (difference && difference->code == OP_sub && ir_bare(difference->operands[0])->def &&
        ir_same(difference->operands[0], difference->operands[1], SAME_DEPTH))
        tell_warn(s, difference, "the value of the round before less the new one: m - new",
                  "this is always 0: it is the difference of a value and itself");
}

/* Is it j + tl.arange(..), of a loop that begins at that number, or more? */
static bool begins_at(const Value *v, const Value *number, int depth)
{
    v = ir_bare(v);
    const Op *op = v->def, *loop = v->block->owner;
    int64_t c;

    if (!op)
        return loop && loop->code == OP_for && v->index == 0 &&
               ir_bare(loop->operands[FOR_LO]) == number &&
               value_const_signed(loop->operands[FOR_STEP], &c) && c > 0;
    for (int i = 0; op->code == OP_add && depth > 0 && i < 2; i++) {
        const Value *other = ir_bare(op->operands[1 - i]);
        bool adds = (other->def && other->def->code == OP_arange) ||
                    (value_const_signed(other, &c) && c >= 0);
        if (adds && begins_at(op->operands[i], number, depth - 1))
            return true;
    }
    return false;
}

/* j + i < begin, of a j that goes from `begin` on */
static void look_at_begin(const Suspect *s, const Op *op)
{
    const Value *number = ir_bare(op->operands[1]);

    if (op->code == OP_lt && number->type->rank == 0 && opt_is_int(number) &&
        !value_constant(number, &(uint64_t){0}) && begins_at(op->operands[0], number, SAME_DEPTH))
        tell_warn(s, op, "compare with where the loop ends",
                  "this is always false: the loop counts from that number on");
}

static void look_at_bounds(const Suspect *s, const Op *op)
{
    if (same_number(op->operands[FOR_LO], op->operands[FOR_HI]))
        tell_warn(s, op, "is one of the two at another place, as ends + 1 is?",
                  "this loop has no rounds: it ends at the number where it begins");
}

/* while cas(p, expected, new) == expected */
static void look_at_lock(const Suspect *s, const Op *op)
{
    const Op *compare = opt_last(op->regions[0])->operands[0]->def;

    for (int i = 0; compare && compare->code == OP_eq && i < 2; i++) {
        const Op *cas = ir_bare(compare->operands[i])->def;
        if (!cas || cas->code != OP_atomic_cas ||
            !ir_same(ir_bare(cas->operands[CAS_EXPECTED]), ir_bare(compare->operands[1 - i]),
                     SAME_DEPTH))
            continue;
        tell_warn(s, cas,
                  "tl.atomic_cas(lock, 0, 1) takes a lock that is free, and gives what was "
                  "there: while tl.atomic_cas(lock, 0, 1) == 1",
                  "this loop goes on where the exchange succeeds, and ends where it fails");
    }
}

/* --- quotients of bytes --- */

/* v // 255 of a uint8, which becomes a float */
static void look_at_quotient(const Suspect *s, const Op *op)
{
    const UseLists *uses = tell_uses(s);
    int64_t by;

    if (ir_uncast(op->operands[0])->type->dtype != DT_U8 ||
        !value_const_int(op->operands[1], &by) || by <= UINT8_MAX / 2)
        return;
    for (int i = 0; i < uses_count(uses, op->results[0]); i++) {
        const Op *cast = uses_of(uses, op->results[0])[i].op;
        if (cast->code == OP_cast && dtype_is_float(cast->results[0]->type->dtype)) {
            tell_warn(s, op, "v.to(tl.float32) / 255",
                      "this quotient of whole numbers is 0 or 1: the fraction is lost before it "
                      "is a float");
            return;
        }
    }
}

static void look_at(Op *op, void *suspect)
{
    const Suspect *s = suspect;

    look_at_itself(s, op);
    switch (op->code) {
    case OP_or:
    case OP_and:
        look_at_both(s, op);
        break;
    case OP_select:
        look_at_choice(s, op);
        break;
    case OP_sub:
        look_at_difference(s, op);
        break;
    case OP_div:
        look_at_quotient(s, op);
        break;
    case OP_reduce:
        look_at_reduction(s, op);
        look_at_one(s, op);
        break;
    case OP_for:
        look_at_bounds(s, op);
        break;
    case OP_while:
        look_at_lock(s, op);
        break;
    case OP_lt:
    case OP_gt:
        look_at_comparison(s, op);
        look_at_begin(s, op);
        break;
    case OP_exp:
    case OP_exp2:
        look_at_power(s, op);
        break;
    case OP_eq:
    case OP_ne:
        look_at_equal(s, op);
        look_at_lane(s, op);
        break;
    case OP_min:
    case OP_minnan:
    case OP_max:
    case OP_maxnan:
        look_at_limits(s, op);
        break;
    case OP_store:
        look_at_store(s, op);
        break;
    default:
        break;
    }
}

void suspect_never(const Suspect *s)
{
    ir_walk(s->func->body, look_at, (void *)s);
}
