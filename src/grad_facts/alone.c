/*
 * alone.c - is an element of an array met once?
 *
 * The address of an access is a polynomial (axis/poly.c): what is the same for all, a constant, and
 * terms of a coefficient times a number that runs from 0 on: lanes along a dimension, rounds of a
 * loop, programs along an axis. As digits of a number, terms give different sums where each
 * coefficient, from the smallest on, is larger than all that the terms before it reach.  How far
 * rounds and programs run is not known, so only the last may be one of them.  Several accesses to
 * one array must agree in all but the constant, which then is one more digit, and in multiples of
 * what is known at run time only, each of which is a term then: 0 and n of x + i and x + n + i.
 *
 * Where coefficients have factors that are known at run time only, as in row * n + column, terms
 * with the same factors are a level, and levels are the digits: the mask must say that each, as
 * `column < n` does, is less than the quotient of the next one's factors and its own.
 */
#include <stdlib.h>

#include "alone.h"

/* Does it say of the loop's counter that it is one number: `i == 0`, or, in the rounds that there
 * are, the last one, `i >= n - 1`? */
static bool says_round(const Op *compare, bool holds, const Op *loop)
{
    const Value *counter = loop->regions[0]->args[0];
    const PolyAtom atom = {counter, MAX_RANK + counter->id};
    Poly x, y, end;
    int64_t step, apart;
    bool has_counter = false;

    if (!compare || compare->noperands != 2 || !terms_polynomial(compare->operands[0], &x) ||
        !terms_polynomial(compare->operands[1], &y) || !poly_add(&x, &y, -1) ||
        !poly_push(&x, &(PolyTerm){-1, 1, {atom}}))
        return false; /* counter = -x */
    for (int i = 0; i < x.count; i++) {
        for (int k = 0; k < x.terms[i].count; k++)
            has_counter |= x.terms[i].of[k].value == counter;
    }
    if (has_counter || !terms_is_same_poly(&x))
        return false;
    if (compare->code == OP_eq)
        return holds;
    return compare->code == (holds ? OP_ge : OP_lt) &&
           terms_polynomial(loop->operands[FOR_HI], &end) && poly_add(&end, &x, 1) &&
           poly_is_constant(&end, &apart) && value_const_int(loop->operands[FOR_STEP], &step) &&
           step > 0 && apart <= step;
}

/* In one of its rounds alone, as an `if` around the access says. */
static bool is_in_one_round(const Op *access, const Op *loop)
{
    for (const Block *b = access->block; b->owner != loop; b = b->owner->block) {
        const Op *o = b->owner;
        if (o->code == OP_if && says_round(o->operands[0]->def, b == o->regions[0], loop))
            return true;
    }
    return false;
}

/* Is there a term for everything that runs: lanes, rounds around the access, programs?  Of a round
 * alone: for all but rounds. */
static bool is_complete(const Grad *g, const Sum *s, const Op *access, bool of_round)
{
    const Type *t = access->operands[0]->type;
    const GradMeeting *meeting = grad_meeting(g, access);
    const Op *summed = meeting ? meeting->rounds : NULL;

    for (int d = 0; d < t->rank; d++) {
        if (t->dims[d] > 1 && !(meeting && meeting->lanes >> d & 1) && !terms_has(s, NULL, d))
            return false;
    }
    for (const Op *o = access->block->owner; o && !of_round; o = o->block->owner) {
        bool is_summed = summed && (o == summed || opt_inside(o->block, summed));
        if (opt_is_loop(o) && !is_summed && !terms_has(s, o, 0) && !terms_has(s, o, BACKWARDS) &&
            !(o->code == OP_for && is_in_one_round(access, o)))
            return false;
    }
    return terms_programs(s) == s->programs;
}

/* Rounds of one loop are digits as those of another are. */
static bool is_of_rounds(const Sum *s, const Term *t)
{
    return t->whose && !t->is_part && t->whose != &terms_offset && t->whose != s->func;
}

static bool terms_agree(const Sum *a, const Sum *b)
{
    for (int i = 0; i < a->n; i++) {
        bool found = false;
        for (int k = 0; k < b->n; k++)
            found |= (a->at[i].whose == b->at[k].whose ||
                      (is_of_rounds(a, &a->at[i]) && is_of_rounds(b, &b->at[k]))) &&
                     a->at[i].dim == b->at[k].dim && a->at[i].from_zero == b->at[k].from_zero &&
                     a->at[i].by == b->at[k].by && a->at[i].count == b->at[k].count &&
                     terms_same_unit(&a->at[i].unit, &b->at[k].unit);
        if (!found)
            return false;
    }
    return a->n == b->n;
}

/* How far two addresses that agree otherwise lie apart; false: that is not known. */
static bool distance(const Sum *a, const Sum *b, Poly *out)
{
    *out = a->shared;
    return terms_agree(a, b) && poly_add(out, &b->shared, -1);
}

/* Two accesses lie so many times the unit apart, which is made of arguments. */
static bool add_offset(Sum *s, const PolyTerm *apart)
{
    const int64_t far = llabs(apart->scale);
    PolyTerm unit = *apart;

    unit.scale = 1;
    for (int i = 0; i < apart->count; i++) {
        if (!apart->of[i].value || !terms_same_for_all(apart->of[i].value))
            return false;
    }
    for (int i = 0; i < s->n; i++) {
        Term *t = &s->at[i];
        if (t->whose != &terms_offset)
            continue;
        if (!terms_same_unit(&t->unit, &unit)) /* which of them is more is not known */
            return false;
        int64_t span = MAX(t->by * (t->count - 1), far);
        t->by = terms_common_divisor(t->by, far);
        t->count = span / t->by + 1;
        return true;
    }
    if (s->n == MOST_TERMS || far == 0)
        return false;
    s->at[s->n++] =
        (Term){.whose = &terms_offset, .by = far, .count = 2, .unit = unit, .from_zero = true};
    return true;
}

/* What two accesses differ by: a constant, and terms of `s`; false: nothing, or more. */
static bool add_distance(const Poly *apart, Constants *c, Sum *s)
{
    for (int i = 0; i < apart->count; i++) {
        const PolyTerm *t = &apart->terms[i];
        const int64_t far = llabs(t->scale);

        if (t->count > 0 ? !add_offset(s, t) : far == 0)
            return false;
        if (t->count > 0)
            continue;
        c->gap = c->gap == 0 ? far : MIN(c->gap, far);
        c->span = MAX(c->span, far);
    }
    return apart->count > 0;
}

/* In different arms of one `if`, or with masks that are: never both. */
static bool exclude_each_other(const Op *a, const Op *b)
{
    for (const Block *x = a->block; x->owner; x = x->owner->block) {
        for (const Block *y = b->block; y->owner; y = y->owner->block) {
            if (x->owner == y->owner && x->owner->code == OP_if && x != y)
                return true;
        }
    }
    return opt_masks_exclude(op_operand(a, ir_access(a).mask), op_operand(b, ir_access(b).mask));
}

static bool is_one_element(const Sum *s)
{
    for (int i = 0; i < s->n; i++) {
        if (s->at[i].by != 0)
            return false;
    }
    return true;
}

/* One element in front of where the other access begins, as w of w + k with k from 1 on. */
static bool lies_in_front(const Sum *one, const Sum *other)
{
    Poly apart = other->shared;
    int64_t constant;

    for (int i = 0; i < other->n; i++) {
        const Term *t = &other->at[i];
        if (t->by < 0 || (t->by > 0 && (!t->from_zero || t->unit.count > 0)))
            return false;
    }
    return is_one_element(one) && poly_add(&apart, &one->shared, -1) &&
           poly_is_constant(&apart, &constant) && constant > 0;
}

/* Is it the term that is a multiple of more than all others reach?  Then it may begin anywhere. */
static bool is_highest(const Sum *s, int which)
{
    const Term *t = &s->at[which];

    for (int i = 0; i < s->n; i++) {
        const Term *other = &s->at[i];
        if (i == which || other->by == 0)
            continue;
        if (terms_same_unit(&other->unit, &t->unit) ? other->by >= t->by
                                                    : !terms_is_lower(&other->unit, &t->unit))
            return false;
    }
    return true;
}

/* Is it one more round of what the other does in a loop, so many in front of its rounds?  So is
 * x + c of x + t * C + c with t from 1 on.  Which of its terms that is; -1: it is not. */
static int term_of_round_before(const Sum *one, const Sum *other, int64_t *before)
{
    for (int i = 0; i < other->n; i++) {
        const Term *t = &other->at[i];
        PolyTerm step = t->unit, times;
        int64_t lo, by;
        Poly apart;

        if (!is_of_rounds(other, t) || t->by <= 0 || t->dim == BACKWARDS)
            continue;
        const Op *loop = t->whose;
        Sum rest = *other;
        rest.at[i] = rest.at[--rest.n];
        step.scale = t->by;
        if (distance(&rest, one, &apart) && apart.count == 1 &&
            poly_divide(&apart.terms[0], &step, &times) && times.count == 0 && times.scale > 0 &&
            value_const_int(loop->operands[FOR_LO], &lo) &&
            value_const_int(loop->operands[FOR_STEP], &by) &&
            (lo - times.scale * by >= 0 || is_highest(other, i))) {
            *before = times.scale;
            return i;
        }
    }
    return -1;
}

/* Addresses of accesses: as they are, and with all rounds where another one is a round before. */
typedef struct {
    Op *const *at;
    int len;
    Sum *own, *all;
    bool of_round; /* each may come to an element again in another round */
} Accesses;

static void add_rounds_before(const Accesses *of, Sum *s)
{
    int64_t before;

    for (int i = 0; i < of->len && s->ok; i++) {
        const Sum *other = &of->own[i];
        int term = other->ok ? term_of_round_before(s, other, &before) : -1;

        if (term >= 0)
            *s = *other;
        else
            term = other->ok ? term_of_round_before(other, s, &before) : -1;
        if (term >= 0 && s->at[term].count > 0)
            s->at[term].count += before;
    }
}

/* What each two of the accesses differ by; false: some may meet. */
static bool find_distances(const Grad *g, const Accesses *of, Constants *c, Sum *s)
{
    int64_t before;

    for (int i = 1; i < of->len; i++) {
        const Sum *alone = &of->own[i], *one = &of->all[i];

        if (!one->ok || !is_complete(g, one, of->at[i], of->of_round))
            return false;
        for (int k = 0; k < i; k++) {
            const Sum *first = &of->own[k], *other = &of->all[k];
            Poly apart;
            if (lies_in_front(alone, first) || lies_in_front(first, alone) ||
                term_of_round_before(alone, first, &before) >= 0 ||
                term_of_round_before(first, alone, &before) >= 0)
                continue;
            if (!distance(other, one, &apart))
                return false;
            if (apart.count == 0 && exclude_each_other(of->at[i], of->at[k]))
                continue;
            if (!add_distance(&apart, c, s))
                return false;
        }
    }
    return true;
}

/* The address of one of the accesses, with what all differ by. */
static Sum with_offsets(const Sum *all, const Accesses *of, int which)
{
    Sum s = of->all[which];

    for (int i = 0; i < all->n; i++) {
        if (all->at[i].whose != &terms_offset)
            continue;
        s.ok &= s.n < MOST_TERMS;
        if (s.ok)
            s.at[s.n++] = all->at[i];
    }
    return s;
}

/* As the masks of all accesses have it; as it was, where they say different things. */
static bool bounds_agree(const Accesses *of, const Sum *all)
{
    Sum bounded = *all;

    terms_bound(of->at[0], &bounded);
    for (int i = 1; i < of->len; i++) {
        Sum other = with_offsets(all, of, i);
        terms_bound(of->at[i], &other);
        if (!terms_agree(&bounded, &other))
            return false;
    }
    return true;
}

/* Whose terms agree but for constants. */
static bool are_alone(Grad *g, const GradArray *a, const Accesses *of)
{
    for (int i = 0; i < of->len; i++) {
        of->all[i] = of->own[i];
        add_rounds_before(of, &of->all[i]);
    }
    Sum all = of->all[0];
    const int needs = g->needs.len;
    Constants c = {0};

    if (!all.ok || !is_complete(g, &all, of->at[0], of->of_round) ||
        !find_distances(g, of, &c, &all))
        return false;
    const bool bounded = bounds_agree(of, &all);
    for (int i = 0; i < of->len; i++) {
        Sum s = with_offsets(&all, of, i);
        if (s.ok && bounded)
            terms_bound(of->at[i], &s);
        if (!s.ok || (!terms_are_levels(of->at[i], &s, c) && !terms_need(g, a, of->at[i], &s, c))) {
            g->needs.len = needs;
            return false;
        }
    }
    return true;
}

/* Without lanes that lie so far apart at most, whatever is known at run time only, but for those
 * that the other address has, too; *reach: that far. */
static Sum without_lanes(const Sum *s, const Sum *other, int64_t *reach)
{
    Sum rest = *s;

    *reach = 0;
    rest.n = 0;
    for (int i = 0; i < s->n; i++) {
        const Term *t = &s->at[i];
        bool both = false;
        for (int k = 0; k < other->n; k++)
            both |= !other->at[k].whose && other->at[k].dim == t->dim && other->at[k].by == t->by &&
                    other->at[k].count == t->count && other->at[k].unit.count == 0;
        if (!t->whose && !both && t->unit.count == 0 && t->by >= 0 && t->count > 0)
            *reach += t->by * (t->count - 1);
        else
            rest.at[rest.n++] = *t;
    }
    return rest;
}

/* Does one of both, of which lanes go otherwise, lie behind the other, in every program and round
 * between the same two of others?  So do pairs, 2 * i and 2 * i + 1, and what is behind them all.
 */
static bool lie_apart(Grad *g, const GradArray *a, const Accesses *both)
{
    Sum s[2] = {both->own[0], both->own[1]}, rest[2];
    int64_t reach[2], behind, end;

    for (int i = 0; i < 2; i++) {
        if (!s[i].ok || !is_complete(g, &s[i], both->at[i], false))
            return false;
        terms_bound(both->at[i], &s[i]);
    }
    for (int i = 0; i < 2; i++)
        rest[i] = without_lanes(&s[i], &s[1 - i], &reach[i]);
    Poly apart;
    if (!distance(&rest[0], &rest[1], &apart) || !poly_is_constant(&apart, &behind) ||
        rest[0].n == MOST_TERMS)
        return false;
    behind = -behind; /* the second one behind the first */
    if (behind <= reach[0] && -behind <= reach[1])
        return false;
    end = MAX(reach[0], behind + reach[1]) - MIN(0, behind);
    rest[0].at[rest[0].n++] = (Term){.by = 1, .count = end + 1, .unit.scale = 1, .from_zero = true};
    Sum level = terms_level(&rest[0], &(PolyTerm){.scale = 1});
    if (!terms_are_digits(&level, (Constants){0}) &&
        (grad_by_atomics(g, a) || !terms_limit_programs(g, a, &level) ||
         !terms_are_digits(&level, (Constants){0})))
        return false;
    for (int i = 0; i < 2; i++) {
        const Constants c = {.span = end - reach[i]};
        if (!terms_are_levels(both->at[i], &s[i], c) && !terms_need(g, a, both->at[i], &s[i], c))
            return false;
    }
    return true;
}

static bool lie_in_order(Grad *g, const GradArray *a, const Accesses *both)
{
    Sum rows[2];

    for (int i = 0; i < 2; i++) {
        const Sum *s = &both->own[i];
        rows[i] = *s;
        rows[i].n = 0;
        if (!s->ok || !is_complete(g, s, both->at[i], false))
            return false;
        for (int k = 0; k < s->n; k++) {
            if (s->at[k].unit.count > 0)
                rows[i].at[rows[i].n++] = s->at[k];
        }
    }
    return terms_agree(&rows[0], &rows[1]) && terms_in_order(g, a, both->at, both->own);
}

/* One that lies as what is differentiated does. */
static bool lies_as_stored(const Grad *g, const GradArray *a, const GradOps *accesses)
{
    for (int i = 0; i < g->as_stored.len && !grad_by_atomics(g, a) && accesses->len == 1; i++) {
        if (g->as_stored.at[i] == accesses->at[0])
            return true;
    }
    return false;
}

/* No two accesses meet, and none meets itself. */
static bool all_alone(Grad *g, const GradArray *a, const GradOps *accesses, unsigned programs)
{
    Sum *own = NEW_N(g->arena, Sum, 2 * accesses->len);
    const Accesses of = {accesses->at, accesses->len, own, own + accesses->len};
    const int needs = g->needs.len;

    for (int i = 0; i < of.len; i++)
        own[i] = terms_of(g->func, of.at[i], programs);
    bool good = are_alone(g, a, &of) || lies_as_stored(g, a, accesses);
    if (good || accesses->len == 1)
        return good;
    good = true;
    for (int i = 0; i < accesses->len && good; i++) {
        for (int k = 0; k < i && good; k++) {
            Op *const at[2] = {of.at[k], of.at[i]};
            Sum two[2] = {own[k], own[i]}, all[2];
            const Accesses both = {at, 2, two, all};
            good = are_alone(g, a, &both) || lie_in_order(g, a, &both) || lie_apart(g, a, &both);
        }
    }
    if (!good)
        g->needs.len = needs;
    return good;
}

bool grad_alone(Grad *g, const GradArray *a, const GradOps *accesses, unsigned programs)
{
    const int needs = g->needs.len;
    const bool good =
        all_alone(g, a, accesses, programs) && terms_need_divisors(g, a, accesses, programs);

    if (!good)
        g->needs.len = needs;
    return good;
}

/* The same terms of programs?  Then how far b lies behind a. */
static bool programs_agree(const Grad *g, const Sum *a, const Sum *b, Poly *apart)
{
    *apart = b->shared;
    for (int i = 0; i < a->n; i++) {
        bool found = a->at[i].whose != g->func || a->at[i].by == 0;
        for (int k = 0; k < b->n && !found; k++)
            found = a->at[i].whose == b->at[k].whose && a->at[i].dim == b->at[k].dim &&
                    a->at[i].by == b->at[k].by && terms_same_unit(&a->at[i].unit, &b->at[k].unit);
        if (!found)
            return false;
    }
    return terms_programs(a) == terms_programs(b) && poly_add(apart, &a->shared, -1);
}

/* Lie all others at, or behind, what this one begins with, so many lengths?  Then no program goes
 * into the next one's. */
static bool are_behind(Grad *g, const GradArray *a, const GradOps *accesses, int first,
                       unsigned programs)
{
    const Sum from = terms_of(g->func, accesses->at[first], programs);
    Poly apart;

    for (int i = 0; i < accesses->len; i++) {
        const Sum s = terms_of(g->func, accesses->at[i], programs);
        if (!from.ok || !s.ok || !programs_agree(g, &from, &s, &apart) ||
            !terms_is_same_poly(&apart))
            return false;
        for (int k = 0; k < apart.count; k++) {
            if (apart.terms[k].scale < 0)
                return false;
        }
        if (!terms_apart(g, a, accesses->at[i], &s, &apart))
            return false;
    }
    return true;
}

/* Programs that differ along an axis that none asks about add the same to what is differentiated:
 * is there one?  That is taken for granted, or not with atomics, which then are right. */
bool grad_adds_once(Grad *g, const GradArray *a)
{
    PolyTerm product = {.scale = 1};
    Poly all = {0};

    if (!g->is_summed || grad_by_atomics(g, a))
        return !g->is_summed || g->asked == EVERY_AXIS;
    for (int axis = 0; axis < AXES; axis++) {
        const Value *programs = grad_number_of_programs(g, axis);
        if (!(g->asked >> axis & 1))
            product.of[product.count++] = (PolyAtom){programs, MAX_RANK + programs->id};
    }
    return product.count == 0 ||
           (poly_push(&all, &product) && grad_need(g, a, &all, &(PolyTerm){.scale = 1}));
}

/* Of one access: does it meet no element twice in one round, and none of another program? */
static bool is_alone_in_round(Grad *g, const GradArray *a, Op *access, unsigned programs)
{
    Sum own = terms_of(g->func, access, programs), all;
    const Accesses of = {&access, 1, &own, &all, true};
    const GradOps one = {.at = &access, .len = 1};
    const int needs = g->needs.len;
    const bool good = are_alone(g, a, &of) && terms_need_divisors(g, a, &one, programs);

    if (!good)
        g->needs.len = needs;
    return good;
}

bool grad_in_order(Grad *g, const GradArray *a, const GradOps *accesses, unsigned programs,
                   bool *again)
{
    const int needs = g->needs.len;
    const bool is_one = programs == 0; /* or what is differentiated were stored twice */
    bool good = !is_one || (!grad_by_atomics(g, a) && grad_adds_once(g, a)), apart = is_one;

    *again = false;
    for (int i = 0; i < accesses->len && good; i++) {
        const GradOps one = {.at = &accesses->at[i], .len = 1};
        if (grad_alone(g, a, &one, programs))
            continue;
        *again = true;
        good = is_alone_in_round(g, a, accesses->at[i], programs);
    }
    apart |= accesses->len == 1 && !grad_by_atomics(g, a);
    for (int i = 0; i < accesses->len && good && !apart; i++) {
        const int before = g->needs.len;
        apart = are_behind(g, a, accesses, i, programs);
        g->needs.len = apart ? g->needs.len : before;
    }
    if (!good || !apart)
        g->needs.len = needs;
    return good && apart;
}
