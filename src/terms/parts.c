/*
 * parts.c - numbers that are divided into parts: pid // heads and pid % heads, and, of a flat index
 * i, a tile, i // W and i % W
 *
 *     x + n * C * HW + c * HW + p      n = i // HW, p = i % HW:  both parts of i, which tell it
 *
 * Parts are terms of an address as other numbers are, a remainder less than its divisor.  An
 * address that has all parts of a number tells it, and with it what it is made of: a program's
 * number, or of a flat index the lanes, rounds and programs that it is a sum of.
 */
#include "terms.h"

static const Value *without_casts(const Value *v)
{
    while (v->def && v->def->code == OP_cast)
        v = v->def->operands[0];
    return v;
}

bool terms_is_part(const Value *v)
{
    const Op *op = without_casts(v)->def;
    int64_t by;

    if (!op || (op->code != OP_div && op->code != OP_rem) || v->type->rank > 0)
        return false;
    if (value_const_int(op->operands[1], &by) ? by <= 0 : !terms_same_for_all(op->operands[1]))
        return false;
    return terms_made_by(op->operands[0], OP_program_id) || terms_is_part(op->operands[0]);
}

/* A quotient or remainder of a tile by a number that is the same for all; NULL: it is none. */
static const Op *division_of_tile(const Value *v)
{
    const Op *op = without_casts(v)->def;
    int64_t by;
    Poly p;

    if (!op || (op->code != OP_div && op->code != OP_rem) || v->type->rank == 0 ||
        !terms_polynomial(op->operands[1], &p))
        return NULL;
    return (poly_is_constant(&p, &by) ? by > 0 : terms_is_same_poly(&p)) ? op : NULL;
}

/* Of parts that are tiles, and of what they are parts of in turn, what is divided first. */
static const Value *whole_of(const Value *part)
{
    const Op *op;

    while ((op = division_of_tile(part)))
        part = op->operands[0];
    return part;
}

bool terms_is_any_part(const Value *v)
{
    Poly whole;

    if (v->type->rank == 0)
        return terms_is_part(v);
    return division_of_tile(v) && terms_polynomial(whole_of(v), &whole) &&
           terms_are_not_negative(&whole);
}

const Value *terms_divisor(const Value *part, int which)
{
    const Op *op = without_casts(part)->def;

    if (!terms_is_any_part(part))
        return NULL;
    if (which > 0)
        return terms_divisor(op->operands[0], which - 1);
    part = op->operands[1];
    while (part->def && part->def->code == OP_splat)
        part = part->def->operands[0];
    return part;
}

bool terms_has_parts(const Sum *s)
{
    for (int i = 0; i < s->n; i++) {
        if (s->at[i].is_part)
            return true;
    }
    return false;
}

bool terms_end_of(const Value *v, Poly *out)
{
    const Op *op = v->def, *loop = op ? NULL : v->block->owner, *rest;
    Poly all, by;

    if (!op)
        return loop && loop->code == OP_for && v->index == 0 &&
               terms_polynomial(loop->operands[FOR_HI], out);
    if (!terms_is_any_part(v))
        return false;
    if (op->code == OP_rem)
        return terms_polynomial(op->operands[1], out);
    rest = terms_made_by(op->operands[0], OP_rem); /* of x % (a * b) // a less than b */
    *out = (Poly){.count = 1};
    return rest && terms_polynomial(rest->operands[1], &all) &&
           terms_polynomial(op->operands[1], &by) && all.count == 1 && by.count == 1 &&
           poly_divide(&all.terms[0], &by.terms[0], &out->terms[0]);
}

void terms_add_own_bound(const Poly *j, PolyBounds *out)
{
    const Value *v = j->count == 1 && j->terms[0].count == 1 && j->terms[0].scale == 1
                         ? j->terms[0].of[0].value
                         : NULL;
    Poly below = *j, end;

    if (v && out->count < POLY_BOUNDS && terms_end_of(v, &end) && poly_add(&below, &end, -1))
        out->below[out->count++] = below;
}

/* --- numbers all of whose parts there are --- */

static bool is_same_number(const Value *a, const Value *b)
{
    int64_t x, y;

    a = without_casts(a);
    b = without_casts(b);
    return a == b || (value_const_int(a, &x) && value_const_int(b, &y) && x == y);
}

/* Is v / by / more what `quotient` is, v / (by * more)? */
static bool divides_further(const Op *quotient, const Op *first, const Value *more)
{
    Poly by, times, product, all;

    return first && is_same_number(quotient->operands[0], first->operands[0]) &&
           terms_polynomial(first->operands[1], &by) && terms_polynomial(more, &times) &&
           poly_product(&by, &times, &product) && terms_polynomial(quotient->operands[1], &all) &&
           poly_equal(&product, &all);
}

/* Quotient and remainder of the same by the same: what that is, too. */
static const Value *divided_into(const Value *a, const Value *b)
{
    const Op *x = without_casts(a)->def, *y = without_casts(b)->def;
    const bool is_pair = x && y && x->code == OP_div && y->code == OP_rem;
    const bool is_same = is_pair && is_same_number(x->operands[0], y->operands[0]) &&
                         is_same_number(x->operands[1], y->operands[1]);

    if (is_same ||
        (is_pair && divides_further(x, terms_made_by(y->operands[0], OP_div), y->operands[1])))
        return without_casts(y->operands[0]);
    return NULL;
}

/* Numbers that an address tells; of tiles the dimension that they lie along. */
typedef struct {
    const Value *number[2 * MOST_TERMS];
    int dim[2 * MOST_TERMS];
    int n;
} Known;

/* The parts that are terms, and behind them what these make together. */
static void find_known(const Sum *s, Known *out)
{
    out->n = 0;
    for (int i = 0; i < s->n; i++) {
        if (!s->at[i].is_part || s->at[i].by == 0)
            continue;
        out->number[out->n] = s->at[i].whose;
        out->dim[out->n++] = s->at[i].dim;
    }
    for (int i = 0; i < out->n; i++) {
        for (int k = 0; k < i; k++) {
            const Value *whole = divided_into(out->number[i], out->number[k]);
            whole = whole ? whole : divided_into(out->number[k], out->number[i]);
            if (!whole || out->dim[i] != out->dim[k] || out->n == (int)COUNT(out->number))
                continue;
            out->number[out->n] = whole;
            out->dim[out->n++] = out->dim[i];
        }
    }
}

unsigned terms_axes_of_parts(const Sum *s)
{
    Known known;
    unsigned axes = 0;

    find_known(s, &known);
    for (int i = 0; i < known.n; i++) {
        const Op *op = known.number[i]->def;
        if (op && op->code == OP_program_id)
            axes |= 1u << attr_axis(op);
    }
    return axes;
}

/* What a flat index is a sum of, where each of its numbers comes once. */
static void tell_whole(const Op *access, const Value *index, int dim, Sum *s)
{
    PolyScope scope = {0};
    int8_t map[MAX_RANK];
    Poly p;
    Sum terms;

    for (int d = 0; d < MAX_RANK; d++)
        map[d] = (int8_t)(index->type->rank == 1 ? dim : d);
    if (!poly_of(&scope, index, map, &p) || !terms_of_number(s, &p, &terms))
        return;
    terms_bound(access, &terms);
    if (!terms_are_levels(access, &terms, (Constants){0}))
        return;
    s->covered |= terms_programs(&terms);
    for (int i = 0; i < terms.n; i++) {
        const Term *t = &terms.at[i];
        if (!t->whose)
            s->told |= 1u << t->dim;
        else if (!t->is_part && t->whose != s->func && s->ntold < MOST_TOLD)
            s->told_rounds[s->ntold++] = t->whose;
    }
}

void terms_tell_wholes(const Op *access, Sum *s)
{
    Known known;

    if (!terms_has_parts(s))
        return;
    find_known(s, &known);
    for (int i = 0; i < known.n; i++) {
        const Value *v = known.number[i];
        if (v->type->rank > 0 && !terms_is_any_part(v))
            tell_whole(access, v, known.dim[i], s);
    }
}
