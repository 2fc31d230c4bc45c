/*
 * alone.c - is an element of an array met once?
 *
 * The offset of an access is written as a sum: a constant, and terms of a coefficient times a
 * number that runs from 0 on: lanes along a dimension, rounds of a loop, programs along an axis. As
 * digits of a number, terms give different sums where each coefficient, from the smallest on, is
 * larger than all that the terms before it reach.  How far rounds and programs run is not known, so
 * only the last may be one of them.  Scalars that are the same for all who might meet add nothing.
 * Several accesses to one array must agree in all but the constant, which then is one more digit.
 */
#include <stdlib.h>

#include "../opt/opt.h"
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
    int64_t constant;
    bool ok;
    bool programs; /* do programs meet, too? */
    const Grad *g;
} Sum;
typedef struct {
    int8_t of[MAX_RANK];
} Dims; /* which dimension of the access each of a value is */

static void add_term(Sum *s, Term t)
{
    for (int i = 0; i < s->n; i++) {
        if (s->at[i].whose == t.whose && s->at[i].dim == t.dim) {
            s->at[i].by += t.by;
            return;
        }
    }
    if (s->n == MOST_TERMS)
        s->ok = false;
    else
        s->at[s->n++] = t;
}

/* Is the scalar the same for every program?  Made of arguments and constants alone. */
static bool same_for_all(const Value *v, int depth)
{
    if (!v->def)
        return !v->block->owner;
    if (depth == 0 || v->def->regions[0] || !op_has(v->def, PURE) ||
        v->def->code == OP_program_id || v->def->code == OP_arange)
        return false;
    for (int i = 0; i < v->def->noperands; i++) {
        if (!same_for_all(v->def->operands[i], depth - 1))
            return false;
    }
    return true;
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

static void add_value(Sum *s, const Value *v, Dims dims, int64_t by, int depth);

static void add_rounds(Sum *s, const Value *v, Dims dims, int64_t by, int depth)
{
    const Op *loop = v->block->owner;
    int64_t step;
    uint64_t trips;

    if (!value_const_int(loop->operands[FOR_STEP], &step)) {
        s->ok = false;
        return;
    }
    bool known = opt_trip_count(loop, &trips) && trips < INT32_MAX;
    add_value(s, loop->operands[FOR_LO], dims, by, depth - 1);
    add_term(s, (Term){.whose = loop, .by = by * step, .count = known ? (int64_t)trips : 0});
}

/* Something with one value for all that might meet: it only has to be there in each access. */
static void add_scalar(Sum *s, const Value *v, int64_t by)
{
    s->ok &= v->type->rank == 0 && (s->programs ? same_for_all(v, MOST_DEPTH) : stays(v));
    add_term(s, (Term){.whose = v, .by = by, .count = 1});
}

static void add_product(Sum *s, const Op *op, Dims dims, int64_t by, int depth)
{
    int64_t n, product;

    for (int i = 0; i < 2; i++) {
        if (!value_const_int(op->operands[i], &n))
            continue;
        if (__builtin_mul_overflow(by, n, &product))
            s->ok = false;
        else
            add_value(s, op->operands[1 - i], dims, product, depth - 1);
        return;
    }
    add_scalar(s, op->results[0], by);
}

/* Of integers, to one that has room for all of them. */
static bool keeps_number(const Op *cast)
{
    const Type *from = cast->operands[0]->type, *to = cast->results[0]->type;

    return !from->pointer && dtype_is_int(from->dtype) && dtype_is_int(to->dtype) &&
           dtype_bits(to->dtype) >= dtype_bits(from->dtype);
}

static void add_op(Sum *s, const Op *op, Dims dims, int64_t by, int depth)
{
    switch (op->code) {
    case OP_add:
    case OP_addptr:
        add_value(s, op->operands[1], dims, by, depth - 1);
        add_value(s, op->operands[0], dims, by, depth - 1);
        return;
    case OP_sub:
        add_value(s, op->operands[0], dims, by, depth - 1);
        add_value(s, op->operands[1], dims, -by, depth - 1);
        return;
    case OP_mul:
        add_product(s, op, dims, by, depth);
        return;
    case OP_cast:
        if (!keeps_number(op))
            s->ok = false;
        add_value(s, op->operands[0], dims, by, depth - 1);
        return;
    case OP_hint:
    case OP_splat:
    case OP_broadcast:
        add_value(s, op->operands[0], dims, by, depth - 1);
        return;
    case OP_expand:
        for (int d = (int)attr_axis(op); d + 1 < op->results[0]->type->rank; d++)
            dims.of[d] = dims.of[d + 1];
        add_value(s, op->operands[0], dims, by, depth - 1);
        return;
    case OP_arange:
        s->constant += by * attr_start(op);
        add_term(s, (Term){.dim = dims.of[0], .by = by, .count = op->results[0]->type->dims[0]});
        return;
    case OP_program_id:
        add_term(s, (Term){.whose = s->g->func, .dim = (int)attr_axis(op), .by = by});
        return;
    default:
        add_scalar(s, op->results[0], by);
    }
}

static void add_value(Sum *s, const Value *v, Dims dims, int64_t by, int depth)
{
    int64_t n;

    if (depth == 0)
        s->ok = false;
    else if (!v->type->pointer && value_const_int(v, &n))
        s->constant += by * n;
    else if (v->def)
        add_op(s, v->def, dims, by, depth);
    else if (v->block->owner && v->block->owner->code == OP_for && v->index == 0)
        add_rounds(s, v, dims, by, depth);
    else
        add_scalar(s, v, by);
}

static Sum sum_of(const Grad *g, const Op *access, bool programs)
{
    Sum s = {.ok = true, .programs = programs, .g = g};
    Dims dims;

    for (int d = 0; d < MAX_RANK; d++)
        dims.of[d] = (int8_t)d;
    add_value(&s, access->operands[0], dims, 1, MOST_DEPTH);
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

/* Has each axis along which it asks for the number of its program a term? */
static bool has_programs(const Grad *g, const Sum *s, const Block *b)
{
    for (const Op *op = b->first; op; op = op->next) {
        if (op->code == OP_program_id && !has_term(s, g->func, (int)attr_axis(op)))
            return false;
        for (int r = 0; r < COUNT(op->regions) && op->regions[r]; r++) {
            if (!has_programs(g, s, op->regions[r]))
                return false;
        }
    }
    return true;
}

/* Is there a term for everything that runs: lanes, rounds around the access, programs? */
static bool is_complete(const Grad *g, const Sum *s, const Op *access)
{
    const Type *t = access->operands[0]->type;

    for (int d = 0; d < t->rank; d++) {
        if (t->dims[d] > 1 && !has_term(s, NULL, d))
            return false;
    }
    for (const Op *o = access->block->owner; o; o = o->block->owner) {
        if (opt_is_loop(o) && !has_term(s, o, 0))
            return false;
    }
    return !s->programs || has_programs(g, s, g->func->body);
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

        if (by == 0 || (t->whose == s->g->func && !s->programs) || t->count == 1)
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

bool grad_alone(const Grad *g, const GradOps *accesses, bool programs)
{
    Sum first = sum_of(g, accesses->at[0], programs);
    Constants c = {0};

    if (!first.ok || !is_complete(g, &first, accesses->at[0]))
        return false;
    for (int i = 1; i < accesses->len; i++) {
        Sum s = sum_of(g, accesses->at[i], programs);

        if (!s.ok || !is_complete(g, &s, accesses->at[i]) || !terms_agree(&first, &s))
            return false;
        for (int k = 0; k < i; k++) {
            int64_t apart = llabs(sum_of(g, accesses->at[k], programs).constant - s.constant);
            if (apart == 0)
                return false;
            c.gap = c.gap == 0 ? apart : MIN(c.gap, apart);
            c.span = MAX(c.span, apart);
        }
    }
    return are_digits(&first, c);
}
