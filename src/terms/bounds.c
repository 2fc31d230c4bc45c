/*
 * bounds.c - what masks say of a sum's terms in numbers: `column < 13` of 16 lanes
 *
 *     x + row * 13 + column                            13 for each row, of lanes 13
 *     x + t * 13 + program_id * 8 + arange(0, 8)       of programs and lanes together 13
 *
 * Such terms become one, which runs so far.
 */
#include "terms.h"

/* Which of the terms an atom's is; -1: none. */
static int term_of(const Sum *s, const PolyAtom *atom, const PolyTerm *unit)
{
    const Op *def = atom->value ? atom->value->def : NULL;
    const Op *loop = atom->value && !def ? atom->value->block->owner : NULL;
    const bool is_program = def && def->code == OP_program_id;
    const void *whose = is_program ? (const void *)s->func : (const void *)loop;
    const int dim = !atom->value ? atom->key : is_program ? (int)attr_axis(def) : 0;

    if (atom->value && !is_program && !(loop && loop->code == OP_for && atom->value->index == 0))
        return -1;
    for (int i = 0; i < s->n; i++) {
        const Term *t = &s->at[i];
        if (t->whose == whose && t->dim == dim && t->by > 0 && t->from_zero &&
            terms_same_unit(&t->unit, unit))
            return i;
    }
    return -1;
}

/* What the address multiplies it by, beside the factors known at run time; 0: it is not there. */
static int64_t scale_of(const Sum *s, const PolyTerm *unit, const PolyAtom *atom)
{
    PolyTerm wanted = *unit;
    Poly with = {0}, atoms = {0}, factors = {0};

    wanted.scale = 1;
    if (!poly_push(&factors, &wanted) || !poly_push(&atoms, &(PolyTerm){1, 1, {*atom}}) ||
        !poly_product(&factors, &atoms, &with))
        return 0;
    for (int i = 0; i < s->raw.count; i++) {
        if (terms_same_unit(&s->raw.terms[i], &with.terms[0]))
            return s->raw.terms[i].scale;
    }
    return 0;
}

/* Terms that a bound is of, and how far they run together. */
typedef struct {
    Sum inner;
    bool is_in[MOST_TERMS];
    int64_t by, limit; /* the sum of those of the bound times this, which is less than the limit */
} Group;

/* The number of a program that all have: at least 0, so that without it the bound holds, too. */
static bool is_left_off(const Sum *s, const PolyTerm *t)
{
    const Op *def = t->count == 1 && t->of[0].value ? t->of[0].value->def : NULL;

    return t->scale > 0 && def && def->code == OP_program_id &&
           !(s->programs >> attr_axis(def) & 1);
}

static bool find_group(const Sum *s, const Poly *below, const PolyTerm *unit, Group *out)
{
    *out = (Group){.inner = *s};
    out->inner.n = 0;
    for (int i = 0; i < below->count; i++) {
        const PolyTerm *t = &below->terms[i];

        if (t->count == 0)
            out->limit = -t->scale;
        if (t->count == 0 || is_left_off(s, t))
            continue;
        int at = t->count == 1 && t->scale > 0 ? term_of(s, &t->of[0], unit) : -1;
        int64_t by = at >= 0 ? scale_of(s, unit, &t->of[0]) : 0;
        bool is_loop = at >= 0 && s->at[at].whose && s->at[at].whose != s->func;
        if (by <= 0 || out->is_in[at] || by % t->scale != 0 || (!is_loop && by != s->at[at].by))
            return false; /* loops that begin at a program's number add to its terms */
        by /= t->scale;
        if (out->by != 0 && by != out->by)
            return false;
        out->by = by;
        out->is_in[at] = true;
        out->inner.at[out->inner.n++] = s->at[at];
    }
    return out->inner.n > 0 && out->limit > 0 && terms_are_digits(&out->inner, (Constants){0});
}

static int64_t least_by(const Sum *s)
{
    int64_t least = s->at[0].by;

    for (int i = 1; i < s->n; i++) { /* digits are in order, but not multiples of each other */
        if (s->at[i].by % least != 0)
            return 0;
    }
    return least;
}

static void join(Sum *s, const Group *group)
{
    const int64_t by = least_by(&group->inner);
    Term joined = group->inner.at[0];
    int n = 0;

    if (by == 0)
        return;
    joined.count = (group->limit * group->by - 1) / by + 1;
    if (group->inner.n == 1 && joined.count >= group->inner.at[0].count &&
        group->inner.at[0].count > 0)
        return;
    for (int i = 0; i < s->n; i++) {
        if (!group->is_in[i])
            s->at[n++] = s->at[i];
    }
    s->at[n++] = joined;
    s->n = n;
}

/* Less than the least of two is less than either. */
static void split_minimum(const Poly *below, PolyBounds *out)
{
    for (int i = 0; i < below->count; i++) {
        const PolyTerm *t = &below->terms[i], back = {1, 1, {t->of[0]}};
        const Op *min = t->scale == -1 && t->count == 1 && t->of[0].value
                            ? terms_made_by(t->of[0].value, OP_min)
                            : NULL;
        for (int k = 0; min && k < 2 && out->count < POLY_BOUNDS; k++) {
            Poly end, one = *below;
            if (terms_polynomial(min->operands[k], &end) && poly_push(&one, &back) &&
                poly_add(&one, &end, -1))
                out->below[out->count++] = one;
        }
    }
}

void terms_bounds_of(const Op *access, PolyBounds *out)
{
    Value *mask = op_operand(access, ir_access(access).mask);
    PolyScope scope = {0};
    int8_t map[MAX_RANK];

    *out = (PolyBounds){0};
    for (int d = 0; d < MAX_RANK; d++)
        map[d] = (int8_t)d;
    if (mask)
        poly_bounds(&scope, mask, map, out);
    for (int i = 0, n = out->count; i < n; i++)
        split_minimum(&out->below[i], out);
}

/* Does a bound say that lane and counter together end where the loop does? */
static bool ends_with_loop(const PolyBounds *bounds, const Op *loop, int dim)
{
    const Value *counter = loop->regions[0]->args[0];
    Poly end, below = {0};
    bool found = false;

    if (!poly_push(&below, &(PolyTerm){1, 1, {{NULL, dim}}}) ||
        !poly_push(&below, &(PolyTerm){1, 1, {{counter, MAX_RANK + counter->id}}}) ||
        !terms_polynomial(loop->operands[FOR_HI], &end) || !poly_add(&below, &end, -1))
        return false;
    for (int i = 0; i < bounds->count; i++)
        found |= poly_equal(&bounds->below[i], &below);
    return found;
}

/* Rounds of blocks that a program has for itself, and lanes of these up to the last block's end:
 * counter + lane is a number of one round and lane of one program. */
static void join_blocks(Sum *s, const PolyBounds *bounds)
{
    for (int i = 0; i < s->n; i++) {
        const Op *loop = s->at[i].whose;
        int64_t step;

        if (s->at[i].is_part || !loop || (const void *)loop == s->func ||
            (const void *)loop == &terms_offset || loop->code != OP_for ||
            terms_axis_of_blocks(loop) < 0 || !value_const_int(loop->operands[FOR_STEP], &step))
            continue;
        for (int k = 0; k < s->n; k++) {
            const Term lane = s->at[k], *round = &s->at[i];
            if (lane.whose || lane.by != round->by || !terms_same_unit(&lane.unit, &round->unit) ||
                lane.count > step || !ends_with_loop(bounds, loop, lane.dim))
                continue;
            for (int at = k; at < s->n - 1; at++)
                s->at[at] = s->at[at + 1];
            s->n--;
            return;
        }
    }
}

void terms_bound(const Op *access, Sum *s)
{
    PolyBounds bounds;

    terms_bounds_of(access, &bounds);
    join_blocks(s, &bounds);
    for (int i = 0; i < bounds.count; i++) {
        for (int k = 0; k < s->n; k++) { /* of the factors of each term */
            const PolyTerm unit = s->at[k].unit;
            Group group;
            if (!find_group(s, &bounds.below[i], &unit, &group))
                continue;
            join(s, &group);
            break;
        }
    }
}

bool terms_end_by_mask(const Op *access, const Poly *p, Poly *out)
{
    PolyBounds bounds;

    terms_bounds_of(access, &bounds);
    terms_add_own_bound(p, &bounds);
    for (int i = 0; i < bounds.count; i++) {
        Poly end = *p;
        if (poly_add(&end, &bounds.below[i], -1) && terms_take_last(&end, 1, out) &&
            terms_is_same_poly(out))
            return true;
    }
    return false;
}

void terms_begin_by_mask(const Op *access, const Poly *p, Poly *out)
{
    PolyBounds bounds;

    terms_bounds_of(access, &bounds);
    *out = (Poly){0};
    for (int i = 0; i < bounds.count; i++) {
        Poly begin = bounds.below[i]; /* R - 1 - column */
        if (poly_add(&begin, p, 1) && terms_is_same_poly(&begin) &&
            poly_push(&begin, &(PolyTerm){.scale = 1}))
            *out = begin;
    }
}

bool terms_split_multiples(const Op *access, const Poly *p, int64_t by, Poly *out, int64_t *lanes)
{
    const Type *tile = access->operands[ir_access(access).pointer]->type;

    *out = (Poly){0};
    *lanes = 0;
    for (int i = 0; i < p->count; i++) {
        PolyTerm t = p->terms[i];
        const bool is_lane = t.count == 1 && !t.of[0].value && t.scale > 0;

        if (t.scale % by == 0) {
            t.scale /= by;
            if (!poly_push(out, &t))
                return false;
        } else if (is_lane) {
            *lanes += t.scale * (tile->dims[t.of[0].key] - 1);
        } else {
            return false;
        }
    }
    return true;
}

bool terms_undivided(Poly *p)
{
    for (int i = 0; i < p->count; i++) {
        const PolyTerm *t = &p->terms[i], back = {-t->scale, 1, {t->of[0]}};
        const Op *op = t->count == 1 && t->of[0].value ? t->of[0].value->def : NULL;
        int64_t by;
        Poly whole;

        if (t->scale < 0 && op && op->code == OP_div && value_const_int(op->operands[1], &by) &&
            by > 0 && t->scale % by == 0 && terms_polynomial(op->operands[0], &whole))
            return poly_add(p, &whole, t->scale / by) && poly_push(p, &back);
    }
    return true;
}
