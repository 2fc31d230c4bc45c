/*
 * loose.c - which powers and quotients of fp32 need not be right to their last bit
 *
 * A value is *loose* if nothing that a kernel makes of it shows a relative error of some 2^-20, nor
 * that a number below 2^-126 counts as 0: it is rounded to 16 bits or less, or summed up with many
 * others, by way of products, quotients and sums of numbers without a sign.  (Of a sum of 64
 * numbers the roundings alone may come to 2^-18 of what their magnitudes add up to, in some order,
 * and of the numbers' own errors, of either sign, most cancels.)  What is stored as fp32, compared,
 * subtracted or made an integer is not, nor what a loop carries so.  But (v - c) + c, as in 1 +
 * tanh written as 2/(1 + e) - 1, shows no more of v's error than v does if v is not below 0: what
 * it has of another size is the rounding of v - c.  And 1 - e^x, or another number near 1 with a
 * power, shows errors of e^x where x is small; there a loose power is as near as any is said to be.
 * And a sum all of whose parts are v times something, as s * x + s, has v's relative error,
 * whatever cancels.
 *
 * Whole numbers that floor() and its like make for integers alone, bounded by whole ones or chosen
 * on the way, need not be made: rounding keeps the order, so the conversion can round what is
 * chosen.
 *
 * To be loose is a property of all uses, not to be below 0 one of all that a value is made of. Both
 * are supposed of every value at first and taken back where they do not hold, until all do.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "axis.h"
#include "../ir/analysis.h"

enum {
    MANY = 64, /* numbers of a sum that hides the errors of each */
    LEAST_EXPONENT = -100
};

typedef struct {
    uint8_t *facts;
    bool changed;
    UseLists uses;
} Search;

static bool has(const Search *s, const Value *v, NumberFact fact)
{
    return s->facts[v->id] & fact;
}

static void take_back(Search *s, const Value *v, NumberFact fact)
{
    s->changed = s->changed || has(s, v, fact);
    s->facts[v->id] &= (uint8_t)~fact;
}

static bool is_single(const Value *v)
{
    return !v->type->pointer && v->type->dtype == DT_FP32;
}

/* --- numbers without a sign, and what is not tiny --- */

static double constant(const Value *v)
{
    float x;
    uint32_t bits = (uint32_t)attr_bits(v->def);

    memcpy(&x, &bits, sizeof x);
    return (double)x;
}

static bool all_have(const Search *s, const Op *op, int first, int count, NumberFact fact)
{
    for (int i = first; i < first + count; i++) {
        if (!has(s, op->operands[i], fact))
            return false;
    }
    return true;
}

/* NaN for what is none of fp32. */
static double constant_of(const Value *v)
{
    return v->def && v->def->code == OP_const && is_single(v) ? constant(v) : NAN;
}

static bool is_factor(const Op *op, int i)
{
    return op->code == OP_fma && i < 2;
}

/* Is what a sum has of its operand i, of an fma's factors their product, not below 0? */
static bool part_is_unsigned(const Search *s, const Op *op, int i)
{
    if (!is_factor(op, i))
        return has(s, op->operands[i], NUMBER_UNSIGNED);
    return op->operands[0] == op->operands[1] || all_have(s, op, 0, 2, NUMBER_UNSIGNED);
}

/* Is all that an add or fma sums up not below 0? */
static bool parts_are_unsigned(const Search *s, const Op *op)
{
    return part_is_unsigned(s, op, 0) && part_is_unsigned(s, op, op->noperands - 1);
}

/* The constant c > 0 that the op adds to, or takes from (then also: adds as -c), that part of it;
 * or 0. */
static double offset(const Op *op, int i, bool taken)
{
    bool subtracts = op->code == OP_sub && i == 0;

    if (op->code != OP_add && !subtracts && !is_factor(op, i))
        return 0;
    double c = constant_of(op->operands[is_factor(op, i) ? 2 : 1 - i]);
    return fmax(subtracts == taken ? c : -c, 0);
}

/* Is operand i of the op some v - c, and the op adds that c? */
static bool restores(const Search *s, const Op *op, int i)
{
    const Op *lessened = op->operands[i]->def;
    double c = is_factor(op, i) ? 0 : offset(op, i, false);

    for (int k = 0; c > 0 && lessened && k < lessened->noperands; k++) {
        if (offset(lessened, k, true) == c && part_is_unsigned(s, lessened, k))
            return true;
    }
    return false;
}

static bool sums(const Op *op)
{
    return ir_reduces(op) && ir_combine_kind(op).neutral == OP_add;
}

static bool makes_unsigned(const Search *s, const Op *op)
{
    switch (op->code) {
    case OP_const:
        return constant(op->results[0]) >= 0;
    case OP_exp:
    case OP_exp2:
    case OP_exp10:
    case OP_abs:
        return true;
    case OP_mul:
        if (op->operands[0] == op->operands[1])
            return true;
        return all_have(s, op, 0, 2, NUMBER_UNSIGNED);
    case OP_fma:
        return parts_are_unsigned(s, op);
    case OP_add:
    case OP_div:
    case OP_min:
        return all_have(s, op, 0, 2, NUMBER_UNSIGNED);
    case OP_max:
        return has(s, op->operands[0], NUMBER_UNSIGNED) || has(s, op->operands[1], NUMBER_UNSIGNED);
    case OP_select:
        return all_have(s, op, 1, 2, NUMBER_UNSIGNED);
    default:
        return (sums(op) || (op_has(op, MOVES) && op->noperands == 1)) &&
               has(s, op->operands[0], NUMBER_UNSIGNED);
    }
}

/* A number above 0 that v is not below, unless it is NaN; 0: in a few steps none is found. */
static double least_of(const Value *v, int depth)
{
    enum { MOST = 6 };
    const Op *op = v->def;

    if (!op || !is_single(v) || depth == MOST)
        return 0;
    switch (op->code) {
    case OP_const:
        return fmax(constant(v), 0);
    case OP_max:
        return fmax(least_of(op->operands[0], depth + 1), least_of(op->operands[1], depth + 1));
    case OP_min:
    case OP_mul: {
        double a = least_of(op->operands[0], depth + 1), b = least_of(op->operands[1], depth + 1);
        return op->code == OP_min ? fmin(a, b) : a * b;
    }
    case OP_div: {
        double by = constant_of(op->operands[1]);
        return by > 0 && by <= FLT_MAX ? least_of(op->operands[0], depth + 1) / by : 0;
    }
    default:
        if (!op_has(op, MOVES) || op->noperands != 1)
            return 0;
        return least_of(op->operands[0], depth + 1);
    }
}

/* Not below 2^LEAST_EXPONENT, or a NaN. */
static bool makes_large(const Search *s, const Op *op)
{
    const double least = ldexp(1, LEAST_EXPONENT);

    switch (op->code) {
    case OP_const:
        return constant(op->results[0]) >= least;
    case OP_fma:
        return parts_are_unsigned(s, op) && has(s, op->operands[2], NUMBER_LARGE);
    case OP_add:
        return all_have(s, op, 0, 2, NUMBER_UNSIGNED) &&
               (has(s, op->operands[0], NUMBER_LARGE) || has(s, op->operands[1], NUMBER_LARGE));
    case OP_max:
        return has(s, op->operands[0], NUMBER_LARGE) || has(s, op->operands[1], NUMBER_LARGE);
    case OP_select:
        return all_have(s, op, 1, 2, NUMBER_LARGE);
    case OP_min:
    case OP_mul:
    case OP_div:
        return least_of(op->results[0], 0) >= least;
    default:
        return op_has(op, MOVES) && op->noperands == 1 && has(s, op->operands[0], NUMBER_LARGE);
    }
}

/* --- uses --- */

/* Is it v - c for a v that is not below 0, and only v - c + c is used further? */
static bool lessens(const Search *s, const Op *op, int i)
{
    return offset(op, i, true) > 0 && part_is_unsigned(s, op, i) &&
           has(s, op->results[0], NUMBER_RESTORED);
}

/* Is it the difference of a power and a number near 1, either way? */
static bool differs_from_one(const Op *op, int i)
{
    const Value *v = op->operands[i];
    double c = op->noperands == 2 ? fabs(constant_of(op->operands[1 - i])) : 0;

    return v->def && (v->def->code == OP_exp || v->def->code == OP_exp2) && c >= 0.5 && c <= 2;
}

/* Is it v times what v does not show in, as far as we look? */
static bool scales(const Value *part, const Value *v, int depth)
{
    enum { MOST = 4 };
    const Op *op = part->def;

    if (part == v)
        return true;
    if (!op || depth == MOST)
        return false;
    switch (op->code) {
    case OP_mul:
        return scales(op->operands[0], v, depth + 1) != scales(op->operands[1], v, depth + 1);
    case OP_neg:
    case OP_div:
        return scales(op->operands[0], v, depth + 1);
    default:
        return op_has(op, MOVES) && op->noperands == 1 && scales(op->operands[0], v, depth + 1);
    }
}

/* Are all parts of that sum or difference, which may be loose? */
static bool sums_multiples(const Search *s, const Op *op, const Value *v)
{
    if ((op->code != OP_add && op->code != OP_sub && op->code != OP_fma) ||
        !has(s, op->results[0], NUMBER_LOOSE))
        return false;
    if (op->code == OP_fma && scales(op->operands[0], v, 0) == scales(op->operands[1], v, 0))
        return false;
    return (op->code == OP_fma || scales(op->operands[0], v, 0)) &&
           scales(op->operands[op->noperands - 1], v, 0);
}

static bool hides(const Search *s, const Op *op, int i);

/* Does it, a multiple of v, show no error that v brings? */
static bool is_summed_with(const Search *s, const Value *multiple, const Value *v, int depth)
{
    enum { MOST = 3 };
    const Use *u = uses_of(&s->uses, multiple);

    for (int i = 0; i < uses_count(&s->uses, multiple); i++) {
        const Op *op = u[i].op;
        const Value *next =
            op->nresults == 1 && scales(op->results[0], v, 0) ? op->results[0] : NULL;
        bool hidden = next ? has(s, next, NUMBER_LOOSE) : hides(s, op, u[i].operand);
        if (!hidden && !sums_multiples(s, op, v) &&
            !(next && depth < MOST && is_summed_with(s, next, v, depth + 1)))
            return false;
    }
    return true;
}

/* Does the op hide an error of that operand, if its own result may have one? */
static bool hides(const Search *s, const Op *op, int i)
{
    const Value *result = op->nresults == 1 ? op->results[0] : NULL;
    bool passes = result && has(s, result, NUMBER_LOOSE);

    switch (op->code) {
    case OP_cast:
        return dtype_is_float(result->type->dtype) && dtype_bits(result->type->dtype) <= 16;
    case OP_div: /* where a divisor becomes 0 the quotient becomes infinite */
        if (i == 0 && !passes)
            return is_summed_with(s, result, op->operands[i], 0);
        return passes && (i == 0 || has(s, op->operands[1], NUMBER_LARGE));
    case OP_mul:
    case OP_neg:
        return passes || is_summed_with(s, result, op->operands[i], 0);
    case OP_abs:
    case OP_min:
    case OP_max:
        return passes;
    case OP_select:
        return i > 0 && passes;
    case OP_sub:
        return (passes && differs_from_one(op, i)) || lessens(s, op, i) ||
               sums_multiples(s, op, op->operands[i]);
    case OP_fma:
        return (passes && parts_are_unsigned(s, op)) || lessens(s, op, i) ||
               sums_multiples(s, op, op->operands[i]);
    case OP_add:
        return sums_multiples(s, op, op->operands[i]) ||
               (passes && (all_have(s, op, 0, 2, NUMBER_UNSIGNED) || differs_from_one(op, i))) ||
               lessens(s, op, i);
    default:
        if (sums(op))
            return op->operands[0]->type->dims[attr_axis(op)] >= MANY ||
                   (passes && has(s, op->operands[0], NUMBER_UNSIGNED));
        return passes && op_has(op, MOVES) && op->noperands == 1;
    }
}

static bool rounds(OpCode code)
{
    return code == OP_floor || code == OP_ceil || code == OP_trunc || code == OP_rint;
}

/* Where a value is, through bounds and choices, the whole number that one of floor() and its like
 * makes, and whole constants: which.  OP_COUNT: it is something else; `kind` as it comes: it is but
 * constants. */
static OpCode rounding_of(const Value *v, OpCode kind, int depth)
{
    enum { MOST = 8 };
    const Op *op = v->def;
    double c = constant_of(v);

    if (!op || !is_single(v) || depth == MOST || kind == OP_COUNT)
        return OP_COUNT;
    if (c == floor(c))
        return kind;
    if (rounds(op->code))
        return kind == OP_const || kind == op->code ? op->code : OP_COUNT;
    bool chooses = op->code == OP_select, bounds = op->code == OP_min || op->code == OP_max ||
                                                   op->code == OP_minnan || op->code == OP_maxnan;
    if (!chooses && !bounds && !(op_has(op, MOVES) && op->noperands == 1))
        return OP_COUNT;
    for (int i = chooses; i < op->noperands; i++)
        kind = rounding_of(op->operands[i], kind, depth + 1);
    return kind;
}

OpCode axis_cut_rounding(const Op *cast)
{
    const Type *t = cast->results[0]->type;
    bool becomes = cast->code == OP_cast && !t->pointer && dtype_is_int(t->dtype) &&
                   t->dtype != DT_I1 && dtype_bits(t->dtype) <= 32;
    OpCode kind = becomes ? rounding_of(cast->operands[0], OP_const, 0) : OP_COUNT;

    return rounds(kind) ? kind : OP_COUNT;
}

/* Does nothing come of that operand but integers, whose conversions can round it? */
static bool cuts(const Search *s, const Op *op, int i)
{
    bool passes = op->nresults == 1 && has(s, op->results[0], NUMBER_CUT);

    switch (op->code) {
    case OP_cast:
        return axis_cut_rounding(op) != OP_COUNT;
    case OP_select:
        return i > 0 && passes;
    case OP_min:
    case OP_max:
    case OP_minnan:
    case OP_maxnan:
        return passes;
    default:
        return passes && op_has(op, MOVES) && op->noperands == 1;
    }
}

/* --- two walks --- */

/* What a loop carries and what an if gives are names of what begins and ends there. */
typedef void SameValue(Search *s, const Value *to, const Value *from);

static void for_names(Search *s, const Op *op, SameValue *same)
{
    for (int i = 0; i < op->nresults; i++) {
        if (op->code == OP_for) {
            const Block *body = op->regions[0];
            const Value *begins = op->operands[FOR_BOUNDS + i], *ends = body->last->operands[i];
            same(s, body->args[i + 1], begins);
            same(s, body->args[i + 1], ends);
            same(s, op->results[i], begins);
            same(s, op->results[i], ends);
        }
        for (int r = 0; op->code == OP_if && r < COUNT(op->regions); r++) {
            if (op->regions[r])
                same(s, op->results[i], op->regions[r]->last->operands[i]);
        }
    }
}

static void made_alike(Search *s, const Value *to, const Value *from)
{
    if (!has(s, from, NUMBER_UNSIGNED))
        take_back(s, to, NUMBER_UNSIGNED);
    if (!has(s, from, NUMBER_LARGE))
        take_back(s, to, NUMBER_LARGE);
}

static void used_alike(Search *s, const Value *to, const Value *from)
{
    if (!has(s, to, NUMBER_LOOSE))
        take_back(s, from, NUMBER_LOOSE);
    take_back(s, from, NUMBER_RESTORED | NUMBER_CUT);
}

static bool names_values(const Op *op)
{
    return op->code == OP_for || op->code == OP_if;
}

/* Forward: what an op makes. */
static void visit_makers(Op *op, void *search)
{
    Search *s = search;

    if (names_values(op)) {
        for_names(s, op, made_alike);
        return;
    }
    for (int i = 0; i < op->nresults; i++) {
        if (!is_single(op->results[i]) || !makes_unsigned(s, op))
            take_back(s, op->results[i], NUMBER_UNSIGNED);
        if (!is_single(op->results[i]) || !makes_large(s, op))
            take_back(s, op->results[i], NUMBER_LARGE);
    }
}

static void visit_users(Search *s, const Op *op)
{
    const Op *owner = op->block->last == op ? op->block->owner : NULL;

    if (names_values(op)) {
        for_names(s, op, used_alike);
        for (int i = 0; i < (op->code == OP_for ? FOR_BOUNDS : 1); i++)
            take_back(s, op->operands[i], NUMBER_LOOSE | NUMBER_RESTORED | NUMBER_CUT);
        return;
    }
    for (int i = 0; i < op->noperands && !(owner && names_values(owner)); i++) {
        if (!hides(s, op, i))
            take_back(s, op->operands[i], NUMBER_LOOSE);
        if (!restores(s, op, i) || !has(s, op->results[0], NUMBER_LOOSE))
            take_back(s, op->operands[i], NUMBER_RESTORED);
        if (!cuts(s, op, i))
            take_back(s, op->operands[i], NUMBER_CUT);
    }
}

/* From the last op to the first, so that one walk does for all that no loop carries. */
static void walk_back(Search *s, const Block *b)
{
    for (const Op *op = b->last; op; op = op->prev) {
        visit_users(s, op);
        for (int r = 0; r < COUNT(op->regions); r++) {
            if (op->regions[r])
                walk_back(s, op->regions[r]);
        }
    }
}

/* Arguments of blocks that are no loops' know nothing. */
static void visit_arguments(Op *op, void *search)
{
    Search *s = search;

    for (int r = 0; r < COUNT(op->regions); r++) {
        const Block *b = op->regions[r];
        for (int i = 0; b && i < b->nargs; i++) {
            if (op->code != OP_for || i == 0)
                s->facts[b->args[i]->id] = 0;
        }
    }
}

const uint8_t *axis_number_facts(const Func *f, Arena *a)
{
    size_t n = (size_t)f->nvalues + 1;
    Search s = {.facts = NEW_N(a, uint8_t, n), .uses = ir_uses(f, a)};

    memset(s.facts, NUMBER_LOOSE | NUMBER_UNSIGNED | NUMBER_LARGE | NUMBER_RESTORED | NUMBER_CUT,
           n);
    for (int i = 0; i < f->body->nargs; i++)
        s.facts[f->body->args[i]->id] = 0;
    ir_walk(f->body, visit_arguments, &s);
    do {
        s.changed = false;
        ir_walk(f->body, visit_makers, &s);
    } while (s.changed);
    do {
        s.changed = false;
        walk_back(&s, f->body);
    } while (s.changed);
    return s.facts;
}
