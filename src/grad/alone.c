/*
 * alone.c - is an element of an array met once?
 *
 * The address of an access is a polynomial (opt/poly.c): what is the same for all, a constant, and
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

/* Is there a term for everything that runs: lanes, rounds around the access, programs? */
static bool is_complete(const Grad *g, const Sum *s, const Op *access)
{
    const Type *t = access->operands[0]->type;
    const GradMeeting *meeting = grad_meeting(g, access);
    const Op *summed = meeting ? meeting->rounds : NULL;

    for (int d = 0; d < t->rank; d++) {
        if (t->dims[d] > 1 && !(meeting && meeting->lanes >> d & 1) && !terms_has(s, NULL, d))
            return false;
    }
    for (const Op *o = access->block->owner; o; o = o->block->owner) {
        bool is_summed = summed && (o == summed || opt_inside(o->block, summed));
        if (opt_is_loop(o) && !is_summed && !terms_has(s, o, 0))
            return false;
    }
    return terms_programs(s) == s->programs;
}

/* Rounds of one loop are digits as those of another are. */
static bool is_of_rounds(const Sum *s, const Term *t)
{
    return t->whose && t->whose != &terms_offset && t->whose != s->func;
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

static int64_t divisor_of(int64_t a, int64_t b)
{
    a = llabs(a);
    b = llabs(b);
    while (b != 0) {
        int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
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
        t->by = divisor_of(t->by, far);
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

/* --- levels --- */

/* The factors that come next, fewest first; false: there are no more. */
static bool next_unit(const Sum *s, const PolyTerm *unit, PolyTerm *out)
{
    bool found = false;

    for (int i = 0; i < s->n; i++) {
        const PolyTerm *u = &s->at[i].unit;
        if (s->at[i].by == 0 || u->count <= unit->count || (found && u->count >= out->count))
            continue;
        *out = *u;
        found = true;
    }
    return found;
}

/* What the coefficients of this level and all above it are multiples of. */
static int64_t common_divisor(const Sum *s, const PolyTerm *unit)
{
    int64_t d = 0;

    for (int i = 0; i < s->n; i++) {
        if (s->at[i].unit.count >= unit->count)
            d = divisor_of(d, s->at[i].by);
    }
    return d;
}

/* Never negative: constants, indices, and numbers of programs. */
static bool is_not_negative(const Poly *p)
{
    for (int i = 0; i < p->count; i++) {
        const PolyTerm *t = &p->terms[i];
        for (int k = 0; k < t->count; k++) {
            const Value *v = t->of[k].value;
            const Op *op = v ? v->def : NULL;
            if (v && (!op || (op->code != OP_program_id && op->code != OP_num_programs)))
                return false;
        }
        if (t->scale < 0)
            return false;
    }
    return true;
}

/* What a loop says of its counter, if j is one: less than its end. */
void terms_add_loop_bound(const Poly *j, PolyBounds *out)
{
    const Value *v = j->count == 1 && j->terms[0].count == 1 && j->terms[0].scale == 1
                         ? j->terms[0].of[0].value
                         : NULL;
    const Op *loop = v && !v->def ? v->block->owner : NULL;
    Poly below = *j, hi;

    if (loop && loop->code == OP_for && v->index == 0 && out->count < POLY_BOUNDS &&
        terms_polynomial(loop->operands[FOR_HI], &hi) && poly_add(&below, &hi, -1))
        out->below[out->count++] = below;
}

/* Does the mask of the access, its loop, or what a program is, say that j is less than the bound?
 */
static bool is_below(const Op *access, const Poly *j, const PolyTerm *bound)
{
    Value *mask = op_operand(access, ir_access(access).mask);
    const Op *of =
        j->count == 1 && j->terms[0].count == 1 && j->terms[0].scale == 1 && j->terms[0].of[0].value
            ? j->terms[0].of[0].value->def
            : NULL;
    const Op *all = bound->count == 1 && bound->of[0].value ? bound->of[0].value->def : NULL;
    PolyScope scope = {0};
    PolyBounds bounds = {0};
    int8_t map[MAX_RANK];

    if (of && all && of->code == OP_program_id && all->code == OP_num_programs &&
        attr_axis(of) == attr_axis(all))
        return true;
    for (int d = 0; d < MAX_RANK; d++)
        map[d] = (int8_t)d;
    if (mask)
        poly_bounds(&scope, mask, map, &bounds);
    terms_add_loop_bound(j, &bounds);
    for (int i = 0; i < bounds.count; i++) { /* below + bound - j >= 0, and below < 0 */
        Poly rest = bounds.below[i];
        if (poly_push(&rest, bound) && poly_add(&rest, j, -1) && is_not_negative(&rest))
            return true;
    }
    return false;
}

/* Is the level less than `divisor` times the bound, and not negative?  Its coefficients are
 * multiples of the divisor, but for low terms and `span` that do not reach it. */
static bool is_level_below(const Op *access, const Sum *level, const PolyTerm *unit,
                           const PolyTerm *bound, int64_t divisor, int64_t span)
{
    int64_t low = span, offset;
    Poly high = {0};

    terms_without_offset(level, &offset);
    if (low >= divisor || offset > 0)
        return false;
    for (int i = 0; i < level->n; i++) {
        const Term *t = &level->at[i];
        if (t->by < 0 || !t->from_zero)
            return false;
        if (t->by % divisor == 0 || t->count == 1)
            continue;
        if (t->by >= divisor || t->count == 0 || t->count > divisor)
            return false;
        low += t->by * (t->count - 1);
        if (low >= divisor)
            return false;
    }
    for (int i = 0; i < level->raw.count; i++) {
        PolyTerm rest, scaled = level->raw.terms[i];
        bool shared;
        const PolyAtom *atom = terms_split(level, &scaled, &rest, &shared);
        if (!atom || !terms_same_unit(&rest, unit) || scaled.scale % divisor != 0)
            continue;
        if (!poly_push(&high, &(PolyTerm){scaled.scale / divisor, 1, {*atom}}))
            return false;
    }
    return is_below(access, &high, bound);
}

/* Does no sum of the address's terms come twice?  Constants are of the lowest level. */
static bool are_levels(const Op *access, const Sum *s, Constants c)
{
    const Constants none = {0};
    PolyTerm unit = {.scale = 1}, next, bound;
    Sum level = terms_level(s, &unit);
    int64_t divisor = 1;

    while (next_unit(s, &unit, &next)) {
        int64_t above = common_divisor(s, &next);
        if (!poly_divide(&next, &unit, &bound) || above % divisor != 0 ||
            !is_level_below(access, &level, &unit, &bound, above, unit.count > 0 ? 0 : c.span) ||
            !terms_are_digits(&level, unit.count > 0 ? none : c))
            return false;
        unit = next;
        divisor = above;
        level = terms_level(s, &unit);
        for (int i = 0; i < s->n; i++) { /* of so many factors there is one level */
            if (s->at[i].by != 0 && s->at[i].unit.count == unit.count &&
                !terms_same_unit(&s->at[i].unit, &unit))
                return false;
        }
    }
    return terms_are_digits(&level, unit.count > 0 ? none : c);
}

/* The address without what is the same for all: how many elements it may reach from there. */
static int64_t reach_of(const Sum *s)
{
    int64_t reach = 1, far;

    for (int i = 0; i < s->n; i++) {
        const Term *t = &s->at[i];
        if (t->by < 0)
            return -1;
        if (t->by > 0 && (t->count == 0 || t->unit.count > 0 ||
                          __builtin_mul_overflow(t->by, t->count - 1, &far) ||
                          __builtin_add_overflow(reach, far, &reach)))
            return 0;
    }
    return reach;
}

/* Where the access reads anything, is the scalar more than 0?  Its mask says it of something that
 * is not negative to be less. */
static bool is_positive(const Op *access, const PolyTerm *scalar)
{
    Value *mask = op_operand(access, ir_access(access).mask);
    PolyScope scope = {0};
    PolyBounds bounds = {0};
    int8_t map[MAX_RANK];

    for (int d = 0; d < MAX_RANK; d++)
        map[d] = (int8_t)d;
    if (mask)
        poly_bounds(&scope, mask, map, &bounds);
    for (int i = 0; i < bounds.count; i++) { /* below = rest - scalar */
        PolyTerm one = *scalar;
        Poly rest = bounds.below[i];
        one.scale = 1;
        if (poly_push(&rest, &one) && is_not_negative(&rest))
            return true;
    }
    return false;
}

unsigned grad_programs_of(const Grad *g, const Op *access, unsigned programs)
{
    Sum s = terms_of(g->func, access, programs);

    return terms_programs(&s);
}

int64_t grad_reach(const Grad *g, const Op *access, unsigned programs)
{
    Sum s = terms_of(g->func, access, programs);
    int64_t reach = s.ok ? reach_of(&s) : -1;

    for (int i = 0; i < s.shared.count && reach >= 0; i++) {
        const PolyTerm *t = &s.shared.terms[i];
        const Value *v = t->count == 1 ? t->of[0].value : NULL;

        if (t->scale < 0 || (t->count > 0 && !v) || t->count > 1)
            return -1;
        if (t->count == 0)
            reach += reach > 0 ? t->scale : 0;
        else if (v->def && v->def->code == OP_program_id)
            reach = 0;
        else if (!v->type->pointer && !is_positive(access, t))
            return -1;
        else if (!v->type->pointer)
            reach = 0;
    }
    return reach;
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

/* What each two of the accesses differ by; false: some may meet. */
static bool find_distances(const Grad *g, const GradOps *accesses, unsigned programs, Constants *c,
                           Sum *s)
{
    for (int i = 1; i < accesses->len; i++) {
        const Sum one = terms_of(g->func, accesses->at[i], programs);

        if (!one.ok || !is_complete(g, &one, accesses->at[i]))
            return false;
        for (int k = 0; k < i; k++) {
            const Sum other = terms_of(g->func, accesses->at[k], programs);
            Poly apart;
            if (lies_in_front(&one, &other) || lies_in_front(&other, &one))
                continue;
            if (!distance(&other, &one, &apart))
                return false;
            if (apart.count == 0 && exclude_each_other(accesses->at[i], accesses->at[k]))
                continue;
            if (!add_distance(&apart, c, s))
                return false;
        }
    }
    return true;
}

/* The address of one of the accesses, with what all differ by. */
static Sum with_offsets(const Sum *all, const Op *access)
{
    Sum s = terms_of(all->func, access, all->programs);

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
static bool bounds_agree(const GradOps *accesses, const Sum *all)
{
    Sum bounded = *all;

    terms_bound(accesses->at[0], &bounded);
    for (int i = 1; i < accesses->len; i++) {
        Sum other = with_offsets(all, accesses->at[i]);
        terms_bound(accesses->at[i], &other);
        if (!terms_agree(&bounded, &other))
            return false;
    }
    return true;
}

/* Whose terms agree but for constants. */
static bool are_alone(Grad *g, const GradArray *a, const GradOps *accesses, unsigned programs)
{
    Sum all = terms_of(g->func, accesses->at[0], programs);
    const int needs = g->needs.len;
    Constants c = {0};

    if (!all.ok || !is_complete(g, &all, accesses->at[0]) ||
        !find_distances(g, accesses, programs, &c, &all))
        return false;
    const bool bounded = bounds_agree(accesses, &all);
    for (int i = 0; i < accesses->len; i++) {
        Sum s = with_offsets(&all, accesses->at[i]);
        if (s.ok && bounded)
            terms_bound(accesses->at[i], &s);
        if (!s.ok ||
            (!are_levels(accesses->at[i], &s, c) && !terms_need(g, a, accesses->at[i], &s, c))) {
            g->needs.len = needs;
            return false;
        }
    }
    return true;
}

/* Without lanes that lie so far apart at most, whatever is known at run time only; *reach: that
 * far.
 */
static Sum without_lanes(const Sum *s, int64_t *reach)
{
    Sum rest = *s;

    *reach = 0;
    rest.n = 0;
    for (int i = 0; i < s->n; i++) {
        const Term *t = &s->at[i];
        if (!t->whose && t->unit.count == 0 && t->by >= 0 && t->count > 0)
            *reach += t->by * (t->count - 1);
        else
            rest.at[rest.n++] = *t;
    }
    return rest;
}

/* Does one of both, of which lanes go otherwise, lie behind the other, in every program and round
 * between the same two of others?  So do pairs, 2 * i and 2 * i + 1, and what is behind them all.
 */
static bool lie_apart(Grad *g, const GradArray *a, const GradOps *both, unsigned programs)
{
    Sum s[2], rest[2];
    int64_t reach[2], behind, end;

    for (int i = 0; i < 2; i++) {
        s[i] = terms_of(g->func, both->at[i], programs);
        if (!s[i].ok || !is_complete(g, &s[i], both->at[i]))
            return false;
        terms_bound(both->at[i], &s[i]);
        rest[i] = without_lanes(&s[i], &reach[i]);
    }
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
        (g->wish->atomics || !terms_limit_programs(g, a, &level) ||
         !terms_are_digits(&level, (Constants){0})))
        return false;
    for (int i = 0; i < 2; i++) {
        const Constants c = {.span = end - reach[i]};
        if (!are_levels(both->at[i], &s[i], c) && !terms_need(g, a, both->at[i], &s[i], c))
            return false;
    }
    return true;
}

bool grad_alone(Grad *g, const GradArray *a, const GradOps *accesses, unsigned programs)
{
    const int needs = g->needs.len;
    bool good = are_alone(g, a, accesses, programs);

    if (good || accesses->len == 1)
        return good;
    good = true;
    for (int i = 0; i < accesses->len && good; i++) {
        for (int k = 0; k < i && good; k++) {
            Op *two[2] = {accesses->at[k], accesses->at[i]};
            const GradOps both = {.at = two, .len = 2};
            good = are_alone(g, a, &both, programs) || lie_apart(g, a, &both, programs);
        }
    }
    if (!good)
        g->needs.len = needs;
    return good;
}

/* The same terms of programs, and all that is the same for all but a constant? */
static bool programs_agree(const Grad *g, const Sum *a, const Sum *b, int64_t *apart)
{
    Poly rest = b->shared;

    for (int i = 0; i < a->n; i++) {
        bool found = a->at[i].whose != g->func || a->at[i].by == 0;
        for (int k = 0; k < b->n && !found; k++)
            found = a->at[i].whose == b->at[k].whose && a->at[i].dim == b->at[k].dim &&
                    a->at[i].by == b->at[k].by && terms_same_unit(&a->at[i].unit, &b->at[k].unit);
        if (!found)
            return false;
    }
    return terms_programs(a) == terms_programs(b) && poly_add(&rest, &a->shared, -1) &&
           poly_is_constant(&rest, apart);
}

/* Programs that differ along an axis that none asks about add the same to what is differentiated:
 * is there one?  That is taken for granted, or not with atomics, which then are right. */
bool grad_adds_once(Grad *g, const GradArray *a)
{
    PolyTerm product = {.scale = 1};
    Poly all = {0};

    if (!g->is_summed || g->wish->atomics)
        return !g->is_summed || g->asked == EVERY_AXIS;
    for (int axis = 0; axis < AXES; axis++) {
        const Value *programs = grad_number_of_programs(g, axis);
        if (!(g->asked >> axis & 1))
            product.of[product.count++] = (PolyAtom){programs, MAX_RANK + programs->id};
    }
    return product.count == 0 ||
           (poly_push(&all, &product) && grad_need(g, a, &all, &(PolyTerm){.scale = 1}));
}

bool grad_in_order(Grad *g, const GradArray *a, const GradOps *accesses, unsigned programs)
{
    const int needs = g->needs.len;
    const Sum first = terms_of(g->func, accesses->at[0], programs);
    int64_t least = 0, apart;
    const bool is_one = programs == 0; /* or what is differentiated were stored twice */
    bool good = !is_one || (!g->wish->atomics && grad_adds_once(g, a));

    for (int i = 0; i < accesses->len && good; i++) {
        const Sum s = terms_of(g->func, accesses->at[i], programs);
        const GradOps one = {.at = &accesses->at[i], .len = 1};
        good = s.ok && grad_alone(g, a, &one, programs) &&
               (is_one || programs_agree(g, &first, &s, &apart));
        least = good && !is_one ? MIN(least, apart) : 0;
    }
    for (int i = 0; i < accesses->len && good && !is_one; i++) {
        const Sum s = terms_of(g->func, accesses->at[i], programs);
        good = programs_agree(g, &first, &s, &apart) &&
               terms_apart(g, a, accesses->at[i], &s, apart - least);
    }
    if (!good)
        g->needs.len = needs;
    return good;
}
