/*
 * alone.c - is an element of an array met once?
 *
 * The address of an access is a polynomial (opt/poly.c): what is the same for all, a constant, and
 * terms of a coefficient times a number that runs from 0 on: lanes along a dimension, rounds of a
 * loop, programs along an axis. As digits of a number, terms give different sums where each
 * coefficient, from the smallest on, is larger than all that the terms before it reach.  How far
 * rounds and programs run is not known, so only the last may be one of them.  Several accesses to
 * one array must agree in all but the constant, which then is one more digit.
 */
#include <stdlib.h>

#include "../opt/opt.h"
#include "../opt/poly.h"
#include "grad.h"

enum { MOST_TERMS = 12, MOST_DEPTH = 64 };
typedef struct {
    const void *whose; /* NULL: of lanes */
    int dim;           /* .. along this one; the axis of programs */
    int64_t by, count; /* count 0: not known */
} Term;
typedef struct {
    Term at[MOST_TERMS];
    int n;
    Poly shared; /* what is the same for all that might meet, with the constant */
    bool ok;
    unsigned programs; /* axes along which programs are asked about: bits */
    const Grad *g;
    const Type *tile; /* of the access */
} Sum;

static bool add_term(Sum *s, Term t)
{
    for (int i = 0; i < s->n; i++) {
        if (s->at[i].whose == t.whose && s->at[i].dim == t.dim) {
            s->at[i].by += t.by;
            return true;
        }
    }
    if (s->n == MOST_TERMS)
        return false;
    s->at[s->n++] = t;
    return true;
}

static bool is_asked(unsigned programs, const Op *op)
{
    return op->code == OP_program_id && (programs >> attr_axis(op) & 1) != 0;
}

/* Made of arguments and constants alone? */
static bool same_for_programs(const Value *v, unsigned programs, int depth)
{
    if (!v->def)
        return !v->block->owner;
    if (depth == 0 || v->def->regions[0] || !op_has(v->def, PURE) || is_asked(programs, v->def) ||
        v->def->code == OP_arange)
        return false;
    for (int i = 0; i < v->def->noperands; i++) {
        if (!same_for_programs(v->def->operands[i], programs, depth - 1))
            return false;
    }
    return true;
}

bool grad_same_for_all(const Value *v)
{
    return v->type->rank == 0 && same_for_programs(v, EVERY_AXIS, MOST_DEPTH);
}

/* Does it stay while the loops around it go round?  Only what stands outside of all of them does.
 */
static bool stays(const Value *v)
{
    const Block *b = v->block;

    for (; b->owner; b = b->owner->block) {
        if (opt_is_loop(b->owner))
            return false;
    }
    return true;
}

/* Is that scalar the same for all that might meet? */
static bool is_shared(const Sum *s, const PolyAtom *atom)
{
    const Value *v = atom->value;

    return v && v->type->rank == 0 &&
           (s->programs ? same_for_programs(v, s->programs, MOST_DEPTH) : stays(v));
}

static bool all_shared(const Sum *s, const PolyTerm *t)
{
    for (int i = 0; i < t->count; i++) {
        if (!is_shared(s, &t->of[i]))
            return false;
    }
    return true;
}

static bool add_value(Sum *s, const Value *v, int64_t by, int depth);

/* The counter of a loop: where it begins, and a step for each round. */
static bool add_rounds(Sum *s, const Op *loop, int64_t by, int depth)
{
    int64_t step;
    uint64_t trips;

    if (!value_const_int(loop->operands[FOR_STEP], &step))
        return false;
    bool known = opt_trip_count(loop, &trips) && trips < INT32_MAX;
    return add_term(s,
                    (Term){.whose = loop, .by = by * step, .count = known ? (int64_t)trips : 0}) &&
           add_value(s, loop->operands[FOR_LO], by, depth + 1);
}

static bool add_atom(Sum *s, const PolyAtom *atom, int64_t by, int depth)
{
    const Value *v = atom->value;

    if (!v)
        return add_term(s, (Term){.dim = atom->key, .by = by, .count = s->tile->dims[atom->key]});
    if (v->def && v->def->code == OP_program_id)
        return add_term(s, (Term){.whose = s->g->func, .dim = (int)attr_axis(v->def), .by = by});
    const Op *loop = v->def ? NULL : v->block->owner;
    return loop && loop->code == OP_for && v->index == 0 && add_rounds(s, loop, by, depth);
}

static bool add_polynomial(Sum *s, const Poly *p, int64_t by, int depth)
{
    for (int i = 0; i < p->count; i++) {
        PolyTerm t = p->terms[i];

        if (__builtin_mul_overflow(t.scale, by, &t.scale))
            return false;
        if (all_shared(s, &t) ? !poly_push(&s->shared, &t)
                              : t.count > 1 || !add_atom(s, &t.of[0], t.scale, depth))
            return false;
    }
    return true;
}

static bool add_value(Sum *s, const Value *v, int64_t by, int depth)
{
    int8_t map[MAX_RANK];
    PolyScope scope = {0};
    Poly p;

    for (int d = 0; d < MAX_RANK; d++)
        map[d] = (int8_t)d;
    return depth < MOST_DEPTH && poly_of(&scope, v, map, &p) && add_polynomial(s, &p, by, depth);
}

static Sum sum_of(const Grad *g, const Op *access, unsigned programs)
{
    const Value *pointer = access->operands[0];
    Sum s = {.programs = programs, .g = g, .tile = pointer->type};

    s.ok = add_value(&s, pointer, 1, 0);
    return s;
}

static bool has_term(const Sum *s, const void *whose, int dim)
{
    for (int i = 0; i < s->n; i++) {
        if (s->at[i].whose == whose && s->at[i].dim == dim && s->at[i].by != 0)
            return true;
    }
    return false;
}

/* Those of the axes that have a term. */
static unsigned programs_of(const Sum *s)
{
    unsigned found = 0;

    for (int axis = 0; axis < AXES; axis++)
        found |= has_term(s, s->g->func, axis) ? 1u << axis : 0;
    return found & s->programs;
}

unsigned grad_programs_of(const Grad *g, const Op *access, unsigned programs)
{
    Sum s = sum_of(g, access, programs);

    return programs_of(&s);
}

/* Is there a term for everything that runs: lanes, rounds around the access, programs? */
static bool is_complete(const Grad *g, const Sum *s, const Op *access)
{
    const Type *t = access->operands[0]->type;
    const GradMeeting *meeting = grad_meeting(g, access);
    const Op *summed = meeting ? meeting->rounds : NULL;

    for (int d = 0; d < t->rank; d++) {
        if (t->dims[d] > 1 && !(meeting && meeting->lanes >> d & 1) && !has_term(s, NULL, d))
            return false;
    }
    for (const Op *o = access->block->owner; o; o = o->block->owner) {
        bool is_summed = summed && (o == summed || opt_inside(o->block, summed));
        if (opt_is_loop(o) && !is_summed && !has_term(s, o, 0))
            return false;
    }
    return programs_of(s) == s->programs;
}

static bool terms_agree(const Sum *a, const Sum *b)
{
    for (int i = 0; i < a->n; i++) {
        bool found = false;
        for (int k = 0; k < b->n; k++)
            found |= a->at[i].whose == b->at[k].whose && a->at[i].dim == b->at[k].dim &&
                     a->at[i].by == b->at[k].by && a->at[i].count == b->at[k].count;
        if (!found)
            return false;
    }
    return a->n == b->n;
}

/* How far two addresses that agree otherwise lie apart; false: that is not known. */
static bool distance(const Sum *a, const Sum *b, int64_t *out)
{
    Poly apart = a->shared;

    if (!terms_agree(a, b) || !poly_add(&apart, &b->shared, -1) || !poly_is_constant(&apart, out))
        return false;
    *out = llabs(*out);
    return true;
}

/* In different arms of one `if`: never both. */
static bool exclude_each_other(const Op *a, const Op *b)
{
    for (const Block *x = a->block; x->owner; x = x->owner->block) {
        for (const Block *y = b->block; y->owner; y = y->owner->block) {
            if (x->owner == y->owner && x->owner->code == OP_if && x != y)
                return true;
        }
    }
    return false;
}

/* Constants of several accesses: how far the nearest and the farthest lie apart.  0: there is one.
 */
typedef struct {
    int64_t gap, span;
} Constants;

static void sort_terms(Sum *s)
{
    for (int i = 1; i < s->n; i++) {
        for (int k = i; k > 0 && llabs(s->at[k].by) < llabs(s->at[k - 1].by); k--) {
            Term t = s->at[k];
            s->at[k] = s->at[k - 1];
            s->at[k - 1] = t;
        }
    }
}

/* One more digit, larger than those before, which reach so far. */
static bool add_digit(int64_t *reach, int64_t by, int64_t far)
{
    return by > *reach && !__builtin_add_overflow(*reach, far, reach);
}

static bool are_digits(Sum *s, Constants c)
{
    int64_t reach = 0, far;
    bool constants = c.gap == 0; /* are they among the digits? */

    sort_terms(s);
    for (int i = 0; i < s->n; i++) {
        const Term *t = &s->at[i];
        int64_t by = llabs(t->by);

        if (by == 0 || t->count == 1)
            continue;
        if (!constants && by >= c.gap) {
            if (!add_digit(&reach, c.gap, c.span))
                return false;
            constants = true;
        }
        if (t->count == 0)
            far = INT64_MAX - reach; /* nothing is larger */
        else if (__builtin_mul_overflow(by, t->count - 1, &far))
            return false;
        if (!add_digit(&reach, by, far))
            return false;
    }
    return constants || add_digit(&reach, c.gap, c.span);
}

/* The address without what is the same for all: how many elements it may reach from there. */
static int64_t reach_of(const Sum *s)
{
    int64_t reach = 1, far;

    for (int i = 0; i < s->n; i++) {
        const Term *t = &s->at[i];
        if (t->by < 0)
            return -1;
        if (t->by > 0 && (t->count == 0 || __builtin_mul_overflow(t->by, t->count - 1, &far) ||
                          __builtin_add_overflow(reach, far, &reach)))
            return 0;
    }
    return reach;
}

int64_t grad_reach(const Grad *g, const Op *access, unsigned programs)
{
    Sum s = sum_of(g, access, programs);
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
        else if (!v->type->pointer)
            return -1;
    }
    return reach;
}

bool grad_alone(const Grad *g, const GradOps *accesses, unsigned programs)
{
    Sum first = sum_of(g, accesses->at[0], programs);
    Constants c = {0};

    if (!first.ok || !is_complete(g, &first, accesses->at[0]))
        return false;
    for (int i = 1; i < accesses->len; i++) {
        Sum s = sum_of(g, accesses->at[i], programs);

        if (!s.ok || !is_complete(g, &s, accesses->at[i]))
            return false;
        for (int k = 0; k < i; k++) {
            Sum other = sum_of(g, accesses->at[k], programs);
            int64_t apart;
            if (!distance(&other, &s, &apart))
                return false;
            if (apart == 0 && exclude_each_other(accesses->at[i], accesses->at[k]))
                continue;
            if (apart == 0)
                return false;
            c.gap = c.gap == 0 ? apart : MIN(c.gap, apart);
            c.span = MAX(c.span, apart);
        }
    }
    return are_digits(&first, c);
}
