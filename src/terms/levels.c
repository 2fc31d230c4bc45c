/*
 * levels.c - terms of an address with the same factors, known at run time only, as digits
 *
 *     row * n + column          of n: row; of 1: column, which the mask says to be less than n
 *
 * Each level must be less than the quotient of the next one's factors and its own.
 */
#include <stdlib.h>

#include "terms.h"

int64_t terms_common_divisor(int64_t a, int64_t b)
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

int64_t terms_divisor_of_all(const Poly *p, int64_t divisor)
{
    for (int i = 0; i < p->count; i++)
        divisor = terms_common_divisor(divisor, p->terms[i].scale);
    return divisor;
}

/* Without the factor, if each term has it. */
static bool divide_by(Poly *p, const PolyTerm *factor)
{
    Poly out = {0};

    for (int i = 0; i < p->count; i++) {
        PolyTerm quotient;
        if (!poly_divide(&p->terms[i], factor, &quotient) || !poly_push(&out, &quotient))
            return false;
    }
    *p = out;
    return true;
}

void terms_divide_both(Poly *a, Poly *b)
{
    const int64_t divisor = terms_divisor_of_all(b, terms_divisor_of_all(a, 0));
    PolyTerm factors = b->count > 0 ? b->terms[0] : (PolyTerm){0};

    for (int i = 0; i < a->count && divisor > 1; i++)
        a->terms[i].scale /= divisor;
    for (int i = 0; i < b->count && divisor > 1; i++)
        b->terms[i].scale /= divisor;
    for (int i = 0; i < factors.count; i++) {
        const PolyTerm one = {1, 1, {factors.of[i]}};
        Poly x = *a, y = *b;
        if (a->count > 0 && divide_by(&x, &one) && divide_by(&y, &one)) {
            *a = x;
            *b = y;
        }
    }
}

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
            d = terms_common_divisor(d, s->at[i].by);
    }
    return d;
}

/* A loop from a constant on, upwards. */
static bool counts_from_zero(const Value *v)
{
    const Op *loop = v->def ? NULL : v->block->owner;
    int64_t lo, step;

    return loop && loop->code == OP_for && v->index == 0 &&
           value_const_int(loop->operands[FOR_LO], &lo) && lo >= 0 &&
           value_const_int(loop->operands[FOR_STEP], &step) && step > 0;
}

bool terms_take_last(const Poly *p, int sign, Poly *out)
{
    *out = (Poly){0};
    for (int i = 0; i < p->count; i++) {
        const PolyTerm *t = &p->terms[i];
        const Value *v = t->count == 1 ? t->of[0].value : NULL;
        const PolyTerm one = {-t->scale, 0, {{0}}};
        Poly end;
        const bool ends = (t->scale < 0) == (sign < 0) && v && terms_end_of(v, &end);

        if (ends ? !poly_add(out, &end, t->scale) || !poly_push(out, &one) : !poly_push(out, t))
            return false;
    }
    return true;
}

bool terms_are_not_negative(const Poly *p)
{
    Poly least;

    if (!terms_take_last(p, -1, &least))
        return false;
    for (int i = 0; i < least.count; i++) {
        const PolyTerm *t = &least.terms[i];
        for (int k = 0; k < t->count; k++) {
            const Value *v = t->of[k].value;
            const Op *op = v ? v->def : NULL;
            const bool is_number = op && (op->code == OP_program_id || op->code == OP_num_programs);
            if (v && !is_number && !terms_is_any_part(v) && !counts_from_zero(v))
                return false;
        }
        if (t->scale < 0)
            return false;
    }
    return true;
}

/* Does the mask of the access, its loop, or what a program is, say that j is less than the bound?
 */
static bool is_below(const Op *access, const Poly *j, const PolyTerm *bound)
{
    const Op *of =
        j->count == 1 && j->terms[0].count == 1 && j->terms[0].scale == 1 && j->terms[0].of[0].value
            ? j->terms[0].of[0].value->def
            : NULL;
    const Op *all = bound->count == 1 && bound->of[0].value ? bound->of[0].value->def : NULL;
    PolyBounds bounds;

    if (of && all && of->code == OP_program_id && all->code == OP_num_programs &&
        attr_axis(of) == attr_axis(all))
        return true;
    terms_bounds_of(access, &bounds);
    terms_add_own_bound(j, &bounds);
    for (int i = 0; i < bounds.count; i++) { /* below + bound - j >= 0, and below < 0 */
        Poly rest = bounds.below[i];
        if (poly_push(&rest, bound) && poly_add(&rest, j, -1) && terms_are_not_negative(&rest))
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

bool terms_are_levels(const Op *access, const Sum *s, Constants c)
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

/* Where the last parameter that it is made of stands. */
static int last_parameter(const PolyTerm *unit)
{
    int last = -1;

    for (int i = 0; i < unit->count; i++) {
        const Value *v = unit->of[i].value;
        while (v && v->def && v->def->noperands > 0)
            v = v->def->operands[0];
        last = v && !v->def ? MAX(last, v->index) : last;
    }
    return last;
}

/* v / d in place of which v is no less. */
static const Op *quotient_in(const PolyTerm *t, int *at)
{
    for (*at = 0; *at < t->count; (*at)++) {
        const Value *v = t->of[*at].value;
        if (v && v->def && v->def->code == OP_div && terms_same_for_all(v))
            return v->def;
    }
    return NULL;
}

/* Numbers of arguments, of which d is more than 0, as what it is the length of has elements. */
bool terms_without_quotient(const PolyTerm *t, PolyTerm *out)
{
    int at;
    const Op *op = quotient_in(t, &at);
    Poly whole, by, factors = {0}, product;
    PolyTerm rest = *t, less;

    if (!op || !terms_polynomial(op->operands[0], &whole) || whole.count != 1 ||
        !terms_polynomial(op->operands[1], &by) || by.count != 1 || by.terms[0].scale <= 0)
        return false;
    rest.of[at] = rest.of[--rest.count];
    if (poly_divide(&rest, &by.terms[0], &less)) /* v / d * d */
        rest = less;
    if (!poly_push(&factors, &rest) || !poly_product(&factors, &whole, &product))
        return false;
    *out = product.terms[0];
    return product.count == 1;
}

/* Is a, but for a quotient that it has for a factor of b, a part of that? */
static bool is_quotient_of(const PolyTerm *a, const PolyTerm *b)
{
    PolyTerm whole, quotient;

    if (!terms_without_quotient(a, &whole))
        return false;
    whole.scale = 1;
    return poly_divide(b, &whole, &quotient);
}

bool terms_is_lower(const PolyTerm *a, const PolyTerm *b)
{
    PolyTerm quotient, x = *a, y = *b;

    x.scale = y.scale = 1;
    if (a->count == b->count && poly_divide(&x, &y, &quotient) && quotient.count == 0)
        return a->scale < b->scale;
    if (is_quotient_of(&x, &y) || is_quotient_of(&y, &x))
        return is_quotient_of(&x, &y);
    if (a->count < b->count ? poly_divide(&y, &x, &quotient) : poly_divide(&x, &y, &quotient))
        return a->count < b->count;
    return last_parameter(a) > last_parameter(b);
}

bool terms_is_same_poly(const Poly *p)
{
    for (int i = 0; i < p->count; i++) {
        for (int k = 0; k < p->terms[i].count; k++) {
            const Value *v = p->terms[i].of[k].value;
            if (!v || !terms_same_for_all(v))
                return false;
        }
    }
    return true;
}

int terms_units(const Sum *s, PolyTerm units[MOST_UNITS])
{
    int n = 0;

    for (int i = 0; i < s->n; i++) {
        bool known = s->at[i].by == 0;
        for (int k = 0; k < n && !known; k++)
            known = terms_same_unit(&units[k], &s->at[i].unit);
        if (known)
            continue;
        if (n == MOST_UNITS || s->at[i].by < 0 || !s->at[i].from_zero)
            return -1;
        int at = n++;
        for (; at > 0 && terms_is_lower(&s->at[i].unit, &units[at - 1]); at--)
            units[at] = units[at - 1];
        units[at] = s->at[i].unit;
    }
    return n;
}

bool terms_of_unit(const Sum *s, const PolyTerm *unit, Poly *out)
{
    *out = (Poly){0};
    for (int i = 0; i < s->raw.count; i++) {
        PolyTerm rest, scaled = s->raw.terms[i];
        bool shared;
        const PolyAtom *atom = terms_split(s, &scaled, &rest, &shared);

        if (atom && terms_same_unit(&rest, unit) &&
            !poly_push(out, &(PolyTerm){scaled.scale, 1, {*atom}}))
            return false;
    }
    return true;
}

int64_t terms_common_factor(const Sum *level)
{
    Poly all = {0};

    for (int i = 0; i < level->n && i < POLY_TERMS; i++)
        all.terms[all.count++].scale = level->at[i].by;
    return level->n > 0 && level->n <= POLY_TERMS ? terms_divisor_of_all(&all, 0) : 1;
}

bool terms_round_up(Poly *bound, int64_t step)
{
    int64_t constant = 0, others = 0;

    for (int i = 0; i < bound->count; i++) {
        if (bound->terms[i].count == 0)
            constant = bound->terms[i].scale;
        else
            others = terms_common_divisor(others, bound->terms[i].scale);
    }
    const int64_t over = others % step == 0 ? ((constant % step) + step) % step : 1;
    return over == 0 || poly_push(bound, &(PolyTerm){.scale = step - over});
}
