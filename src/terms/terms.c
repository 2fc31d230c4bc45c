/*
 * terms.c - the address of an access as a sum of terms
 *
 * The address is a polynomial (axis/poly.c): what is the same for all, a constant, and terms of a
 * coefficient times a number that runs from 0 on: lanes along a dimension, rounds of a loop,
 * programs along an axis.
 */
#include <stdlib.h>

#include "terms.h"

enum { MOST_DEPTH = 64 };
enum { BACK_KEY = 1 << 30 }; /* more than the key of any other atom: rounds from the last on */

const char terms_offset = 0;

bool terms_same_unit(const PolyTerm *a, const PolyTerm *b)
{
    PolyTerm quotient;

    return a->count == b->count && poly_divide(a, b, &quotient) && quotient.count == 0;
}

static bool add_term(Sum *s, Term t)
{
    for (int i = 0; i < s->n; i++) {
        if (s->at[i].whose == t.whose && s->at[i].dim == t.dim &&
            terms_same_unit(&s->at[i].unit, &t.unit)) {
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

bool terms_same_for_all(const Value *v)
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
static bool is_shared(const Sum *s, const Value *v)
{
    return v && v->type->rank == 0 &&
           (s->programs ? same_for_programs(v, s->programs, MOST_DEPTH) : stays(v));
}

static bool add_value(Sum *s, const Value *v, const PolyTerm *by, int depth);

const Op *terms_made_by(const Value *v, OpCode code)
{
    while (v->def && v->def->code == OP_cast)
        v = v->def->operands[0];
    return v->def && v->def->code == code ? v->def : NULL;
}

/* The number that a constant multiplies; *times: that, or 1. */
static const Value *multiplied(const Value *v, int64_t *times)
{
    const Op *op = terms_made_by(v, OP_mul);

    *times = 1;
    return op && value_const_int(op->operands[1], times) && *times > 0 ? op->operands[0] : v;
}

int terms_axis_of_strides(const Op *loop, int64_t *times, const Value **from)
{
    int64_t by;
    const Value *lo = loop->operands[FOR_LO];
    const Op *sum = terms_made_by(lo, OP_add);

    *from = sum ? sum->operands[0] : NULL;
    const Op *first = terms_made_by(multiplied(sum ? sum->operands[1] : lo, times), OP_program_id);
    const Op *step = terms_made_by(multiplied(loop->operands[FOR_STEP], &by), OP_num_programs);

    return first && step && attr_axis(first) == attr_axis(step) && by == *times
               ? (int)attr_axis(first)
               : -1;
}

/* A counter whose step is known only at run time is another one in each round, and of programs that
 * step by their number from their own on in each program. */
static bool add_counter(Sum *s, const Op *loop, const PolyTerm *by, Term t, int depth)
{
    const Value *lo = loop->operands[FOR_LO];
    const bool steps = terms_made_by(loop->operands[FOR_STEP], OP_num_programs) != NULL;
    int64_t from, times;
    const Value *behind;
    const int axis = terms_axis_of_strides(loop, &times, &behind);

    if (axis < 0 ? !is_shared(s, lo) : behind && !is_shared(s, behind))
        return false;
    if (axis >= 0 && behind && !add_value(s, behind, by, depth + 1))
        return false;
    if (axis >= 0)
        s->covered |= 1u << axis;
    if (axis >= 0 && __builtin_mul_overflow(t.by, times, &t.by))
        return false;
    t.whose = loop;
    t.count = 0;
    t.from_zero =
        axis >= 0 ||
        (steps && (terms_made_by(lo, OP_program_id) || (value_const_int(lo, &from) && from >= 0)));
    return add_term(s, t);
}

/* v without casts, if it is made so; of its operands the other one than x: NULL: x is none. */
static const Value *beside(const Value *v, OpCode code, const Value *x)
{
    const Op *op = terms_made_by(v, code);

    return !op                    ? NULL
           : op->operands[0] == x ? op->operands[1]
           : op->operands[1] == x ? op->operands[0]
                                  : NULL;
}

int terms_axis_of_blocks(const Op *loop)
{
    const Value *lo = loop->operands[FOR_LO];
    const Op *first = terms_made_by(lo, OP_mul),
             *end = terms_made_by(loop->operands[FOR_HI], OP_min);

    for (int i = 0; first && i < 2; i++) {
        const Op *program = terms_made_by(first->operands[i], OP_program_id);
        const Value *each = first->operands[1 - i];
        const Value *next[2] = {loop->operands[FOR_HI], loop->operands[FOR_HI]};
        for (int k = 0; end && k < 2; k++)
            next[k] = end->operands[k];
        if (program && terms_same_for_all(each) &&
            (beside(next[0], OP_add, lo) == each || beside(next[1], OP_add, lo) == each))
            return (int)attr_axis(program);
    }
    return -1;
}

bool terms_shares_work(const Op *loop)
{
    return loop->code == OP_for && (terms_made_by(loop->operands[FOR_LO], OP_program_id) ||
                                    terms_axis_of_blocks(loop) >= 0);
}

/* The counter of a loop: where it begins, and a step for each round. */
static bool add_rounds(Sum *s, const Op *loop, const PolyTerm *by, Term t, int depth)
{
    const int axis = terms_axis_of_blocks(loop);
    int64_t step, lo;
    uint64_t trips;

    if (t.dim == BACKWARDS) {
        t.whose = loop;
        t.count = opt_trip_count(loop, &trips) && trips < INT32_MAX ? (int64_t)trips : 0;
        t.from_zero = true;
        return add_term(s, t);
    }
    if (axis >= 0 && value_const_int(loop->operands[FOR_STEP], &step) && step > 0) {
        s->covered |= 1u << axis;
        t.whose = loop;
        t.count = 0;
        t.from_zero = true;
        return add_term(s, t);
    }
    if (!value_const_int(loop->operands[FOR_STEP], &step))
        return add_counter(s, loop, by, t, depth);
    if (__builtin_mul_overflow(t.by, step, &t.by))
        return false;
    t.whose = loop;
    t.count = opt_trip_count(loop, &trips) && trips < INT32_MAX ? (int64_t)trips : 0;
    t.from_zero = value_const_int(loop->operands[FOR_LO], &lo) && lo >= 0 && step > 0;
    return add_term(s, t) && add_value(s, loop->operands[FOR_LO], by, depth + 1);
}

static bool add_part(Sum *s, const PolyAtom *atom, Term t)
{
    const Op *op = terms_made_by(atom->value, OP_rem);
    Poly size;

    t.whose = atom->value;
    t.dim = poly_dim_of_part(atom);
    t.is_part = true;
    if (!op || !terms_polynomial(op->operands[1], &size) || !poly_is_constant(&size, &t.count))
        t.count = 0;
    return add_term(s, t);
}

/* by: what it is multiplied by. */
static bool add_atom(Sum *s, const PolyAtom *atom, const PolyTerm *by, int depth)
{
    const Value *v = atom->value;
    Term t = {.by = by->scale, .unit = *by, .from_zero = true};

    t.unit.scale = 1;
    if (!v) {
        t.dim = atom->key;
        t.count = s->tile->dims[atom->key];
        return add_term(s, t);
    }
    if (v->def && v->def->code == OP_program_id) {
        t.whose = s->func;
        t.dim = (int)attr_axis(v->def);
        return add_term(s, t);
    }
    if (v->def && terms_is_any_part(v))
        return add_part(s, atom, t);
    const Op *loop = v->def ? NULL : v->block->owner;
    t.dim = atom->key >= BACK_KEY ? BACKWARDS : 0;
    return loop && loop->code == OP_for && v->index == 0 && add_rounds(s, loop, by, t, depth);
}

/* The atom of a term that is not the same for all, and the rest; NULL: all are, or several not. */
const PolyAtom *terms_split(const Sum *s, const PolyTerm *t, PolyTerm *rest, bool *shared)
{
    const PolyAtom *found = NULL;
    int others = 0;

    *rest = (PolyTerm){.scale = t->scale};
    for (int i = 0; i < t->count; i++) {
        if (is_shared(s, t->of[i].value)) {
            rest->of[rest->count++] = t->of[i];
        } else {
            found = &t->of[i];
            others++;
        }
    }
    *shared = others == 0;
    return others == 1 ? found : NULL;
}

static bool add_polynomial(Sum *s, const Poly *p, int depth)
{
    for (int i = 0; i < p->count; i++) {
        const PolyTerm *t = &p->terms[i];
        PolyTerm rest;
        bool shared;
        const PolyAtom *atom = terms_split(s, t, &rest, &shared);

        if (shared ? !poly_push(&s->shared, t) : !atom || !add_atom(s, atom, &rest, depth))
            return false;
    }
    return true;
}

static bool polynomial(const Value *v, bool parts, Poly *out)
{
    int8_t map[MAX_RANK];
    PolyScope scope = {.parts = parts};

    for (int d = 0; d < MAX_RANK; d++)
        map[d] = (int8_t)d;
    return poly_of(&scope, v, map, out);
}

bool terms_polynomial(const Value *v, Poly *out)
{
    return polynomial(v, false, out);
}

bool terms_address(const Op *access, Poly *out)
{
    return polynomial(access->operands[ir_access(access).pointer], true, out);
}

static bool add_value(Sum *s, const Value *v, const PolyTerm *by, int depth)
{
    Poly p, factor = {0}, product;

    return depth < MOST_DEPTH && terms_polynomial(v, &p) && poly_push(&factor, by) &&
           poly_product(&factor, &p, &product) && add_polynomial(s, &product, depth);
}

/* Where rounds are taken off, as of x + n - 1 - i, they are counted from the last one on: x + i. */
static bool count_back(Poly *p, const Value *counter)
{
    const Op *loop = counter->block->owner;
    const PolyAtom back = {counter, BACK_KEY + MAX_RANK + counter->id};
    Poly last, out = {0};
    int64_t lo, step;

    if (loop->code != OP_for || counter->index != 0 ||
        !terms_same_for_all(loop->operands[FOR_HI]) ||
        !value_const_int(loop->operands[FOR_LO], &lo) || lo < 0 ||
        !value_const_int(loop->operands[FOR_STEP], &step) || step != 1 ||
        !terms_polynomial(loop->operands[FOR_HI], &last) ||
        !poly_push(&last, &(PolyTerm){-1, 0, {{0}}}) ||
        !poly_push(&last, &(PolyTerm){-1, 1, {back}})) /* i = hi - 1 - back */
        return false;
    for (int i = 0; i < p->count; i++) {
        PolyTerm rest = {.scale = p->terms[i].scale};
        Poly factors = {0}, product;
        int times = 0;

        for (int k = 0; k < p->terms[i].count; k++) {
            if (p->terms[i].of[k].value == counter)
                times++;
            else
                rest.of[rest.count++] = p->terms[i].of[k];
        }
        if (times > 1 || (times == 1 && rest.scale > 0) || !poly_push(&factors, &rest) ||
            (times == 1 && !poly_product(&factors, &last, &product)) ||
            !poly_add(&out, times == 1 ? &product : &factors, 1))
            return false;
    }
    *p = out;
    return true;
}

static void count_rounds_back(Poly *p)
{
    for (int i = 0; i < p->count; i++) {
        for (int k = 0; k < p->terms[i].count && p->terms[i].scale < 0; k++) {
            const Value *v = p->terms[i].of[k].value;
            if (v && !v->def && v->block->owner && p->terms[i].of[k].key < BACK_KEY &&
                count_back(p, v)) {
                i = -1; /* they are other terms now */
                break;
            }
        }
    }
}

Sum terms_of(const Func *f, const Op *access, unsigned programs)
{
    const Value *pointer = access->operands[0];
    Sum s = {.programs = programs, .func = f, .tile = pointer->type};

    s.ok = terms_address(access, &s.raw);
    if (s.ok)
        count_rounds_back(&s.raw);
    s.ok = s.ok && add_polynomial(&s, &s.raw, 0);
    if (s.ok)
        terms_tell_wholes(access, &s);
    return s;
}

bool terms_of_number(const Sum *s, const Poly *number, Sum *out)
{
    *out = (Sum){.programs = s->programs, .func = s->func, .tile = s->tile, .raw = *number};
    out->ok = add_polynomial(out, number, 0);
    return out->ok;
}

bool terms_has(const Sum *s, const void *whose, int dim)
{
    if (!whose && s->told >> dim & 1)
        return true;
    for (int i = 0; i < s->ntold; i++) {
        if (s->told_rounds[i] == whose)
            return true;
    }
    for (int i = 0; i < s->n; i++) {
        if (s->at[i].whose == whose && s->at[i].dim == dim && s->at[i].by != 0)
            return true;
    }
    return false;
}

/* Those of the axes that have a term. */
unsigned terms_programs(const Sum *s)
{
    unsigned found = s->covered | terms_axes_of_parts(s);

    for (int axis = 0; axis < AXES; axis++)
        found |= terms_has(s, s->func, axis) ? 1u << axis : 0;
    return found & s->programs;
}

Sum terms_level(const Sum *s, const PolyTerm *unit)
{
    Sum level = *s;

    level.n = 0;
    for (int i = 0; i < s->n; i++) {
        if (terms_same_unit(&s->at[i].unit, unit) && s->at[i].by != 0)
            level.at[level.n++] = s->at[i];
    }
    return level;
}

Sum terms_without_offset(const Sum *level, int64_t *span)
{
    Sum rest = *level;

    rest.n = 0;
    *span = 0;
    for (int i = 0; i < level->n; i++) {
        const Term *t = &level->at[i];
        if (t->whose == &terms_offset)
            *span += t->by * (t->count - 1);
        else
            rest.at[rest.n++] = *t;
    }
    return rest;
}

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

bool terms_are_digits(Sum *s, Constants c)
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
