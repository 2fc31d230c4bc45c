/*
 * taps.c - atomics in loops, of transposed.c: where their loops end, and which of them are two
 * parts of one
 *
 * Programs that look at all rounds up to their own mostly do so in two loops: one up to their own
 * lanes, without masks, and one through these, with masks.  What the second hands on is what the
 * first does, where its masks are true; that they are in all rounds of the first, or that what is
 * handed on is 0 anyway, is proven by domain.c.
 */
#include "../opt/opt.h"
#include "gather.h"
#include "transposed.h"

const int8_t tap_sides[MAX_RANK] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};

static void add_ends(Tap *t, Value *hi)
{
    const Op *least = opt_made_by(hi, OP_min);

    if (least && t->nends < MOST_ENDS - 1) {
        add_ends(t, least->operands[0]);
        add_ends(t, least->operands[1]);
    } else if (t->nends < MOST_ENDS) {
        t->ends[t->nends++] = hi;
    }
}

static Value *before_rounding(Value *v)
{
    const Op *cast = opt_made_by(v, OP_cast);

    return cast && dtype_is_float(cast->operands[0]->type->dtype) &&
                   dtype_size(cast->operands[0]->type->dtype) > dtype_size(v->type->dtype)
               ? cast->operands[0]
               : v;
}

bool tap_in_loop(Op *op, Tap *t)
{
    const Op *loop = op->block->owner;

    if (!loop || loop->code != OP_for || loop->block->owner)
        return false;
    *t = (Tap){.op = op, .loop = loop, .counter = loop->regions[0]->args[0]};
    t->pointer = op->operands[STORE_PTR];
    t->mask = op_operand(op, STORE_MASK);
    t->data = before_rounding(op->operands[STORE_DATA]);
    t->lo = loop->operands[FOR_LO];
    add_ends(t, loop->operands[FOR_HI]);
    return true;
}

/* In a loop that steps by one, and stands in no other. */
bool tap_of(Op *op, Tap *t)
{
    int64_t step, lo;

    return tap_in_loop(op, t) && value_const_int(t->loop->operands[FOR_STEP], &step) && step == 1 &&
           (!value_const_int(t->lo, &lo) || lo >= 0);
}

bool tap_polynomial(const Value *v, Poly *out)
{
    PolyScope scope = {0};

    return poly_of(&scope, v, tap_sides, out);
}

bool tap_add_end_limit(const Tap *t, const Value *end, Limits *l)
{
    Poly p, hi;

    if (!tap_polynomial(t->counter, &p) || !tap_polynomial(end, &hi) || !poly_add(&p, &hi, -1))
        return false;
    limits_add(l, &p);
    return true;
}

/* --- loops in two parts --- */

/* Is what part `a` hands on what part `b` does in the rounds of a?  All is said of b's counter. */
typedef struct {
    Domain domain;
    const Tap *a, *b;
    Limits rounds; /* of a */
} Match;

/* The mask of b is true where a hands on anything: in its rounds, where `beside` is not 0. */
static bool is_true_in(Match *m, const Value *mask, const Value *beside, const int8_t *sides)
{
    Limits wanted = {0}, given = m->rounds;

    if (beside)
        limits_of_nonzero(&m->domain, &given, beside, sides);
    limits_of_mask(&wanted, mask, sides);
    for (int i = 0; i < wanted.n; i++) {
        if (!domain_implies(&m->domain, &given, &wanted.at[i]))
            return false;
    }
    return !wanted.others;
}

static bool matches(Match *m, const Value *x, const Value *y, const int8_t *sides, int depth);

static bool is_same_op(const Op *x, const Op *y)
{
    if (x->code != y->code || x->noperands != y->noperands || x->nresults != 1 ||
        x->nattrs != y->nattrs || x->results[0]->type != y->results[0]->type)
        return false;
    for (int i = 0; i < x->nattrs; i++) {
        if (x->attrs[i] != y->attrs[i])
            return false;
    }
    if (op_has(x, COMBINES))
        return ir_combine_code(x) != OP_COUNT && ir_combine_code(x) == ir_combine_code(y);
    return !x->regions[0] && (op_has(x, PURE) || op_only_reads(x));
}

static bool all_match(Match *m, const Op *x, const Op *y, const int8_t *sides, int depth)
{
    int8_t of[MAX_RANK];

    if (!is_same_op(x, y))
        return false;
    for (int i = 0; i < x->noperands; i++) {
        gather_operand_sides(x, x->operands[i], sides, of);
        if (x->code == OP_reduce) {
            if (m->domain.nsides == MOST_SIDES_ANEW)
                return false;
            of[attr_axis(x)] = (int8_t)domain_add_side(&m->domain, x, of);
        }
        if (!matches(m, x->operands[i], y->operands[i], of, depth - 1))
            return false;
    }
    return true;
}

static bool matches(Match *m, const Value *x, const Value *y, const int8_t *sides, int depth)
{
    const Op *op = y->def;
    uint64_t p, q;

    if (x == y || (x == m->a->counter && y == m->b->counter))
        return true;
    if (depth == 0 || !op)
        return false;
    if (value_constant(x, &p) && value_constant(y, &q))
        return p == q && x->type == y->type;
    if (op->code == OP_select && value_constant(op->operands[2], &q) && q == 0 &&
        !opt_made_by(x, OP_select) && is_true_in(m, op->operands[0], x, sides))
        return matches(m, x, op->operands[1], sides, depth - 1);
    for (int i = 0; i < 2 && op->code == OP_and; i++) {
        if (is_true_in(m, op->operands[i], NULL, sides))
            return matches(m, x, op->operands[1 - i], sides, depth - 1);
    }
    return x->def && all_match(m, x->def, op, sides, depth);
}

/* What a hands on in rounds that b, begun where a does, would not have, is 0. */
static bool ends_hold(Match *m)
{
    Limits given = m->rounds;

    limits_of_nonzero(&m->domain, &given, m->a->data, tap_sides);
    for (int i = 0; i < m->b->nends; i++) {
        Limits end = {0};
        if (!tap_add_end_limit(m->b, m->b->ends[i], &end) ||
            !domain_implies(&m->domain, &given, &end.at[0]))
            return false;
    }
    return true;
}

enum { DEEPEST = 64 };

static bool masks_match(Match *m)
{
    const Value *a = m->a->mask, *b = m->b->mask;

    if (!b)
        return !a;
    return a ? matches(m, a, b, tap_sides, DEEPEST) : is_true_in(m, b, NULL, tap_sides);
}

/* Do the rounds of b follow those of a, in which it would do the same? */
static bool is_part_of(Grad *g, const Tap *a, const Tap *b)
{
    Match m = {.domain = domain_of(g, a->data->type, b->counter), .a = a, .b = b};
    Tap turned = *a;

    if (a->loop == b->loop || a->loop->operands[FOR_HI] != b->lo)
        return false;
    turned.counter = b->counter;
    for (int i = 0; i < a->nends; i++) {
        if (!tap_add_end_limit(&turned, a->ends[i], &m.rounds))
            return false;
    }
    if (!masks_match(&m))
        return false;
    return matches(&m, a->pointer, b->pointer, tap_sides, DEEPEST) &&
           matches(&m, a->data, b->data, tap_sides, DEEPEST) && ends_hold(&m);
}

void tap_join_parts(Grad *g, Tap *all, int n)
{
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < n; k++) {
            if (i == k || all[i].part || all[k].part || !all[i].op || !all[k].op ||
                !is_part_of(g, &all[i], &all[k]))
                continue;
            all[k].lo = all[i].lo;
            all[k].part = all[i].op;
            all[i].op = NULL;
            break;
        }
    }
}

PolyAtom tap_atom(const Value *v)
{
    return (PolyAtom){v, MAX_RANK + v->id};
}

/* What the atom is multiplied by, in the one term that has it. */
bool tap_factors_of(const Poly *p, PolyAtom atom, PolyTerm *out)
{
    const PolyTerm one = {1, 1, {atom}};
    int found = 0;

    for (int i = 0; i < p->count; i++) {
        for (int k = 0; k < p->terms[i].count; k++) {
            if (p->terms[i].of[k].key == atom.key && found++ == 0 &&
                !poly_divide(&p->terms[i], &one, out))
                return false;
        }
    }
    return found == 1;
}
