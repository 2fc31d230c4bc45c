/*
 * suspect_limit.c - numbers of elements that are compared with a float
 *
 * i < n where n is 8.5, or 1000.0: the integers become floats and the mask is what it would be for
 * another number, of 9 elements for 8.5, and of too few or too many where fp32 has no room for the
 * index.  A float got there from a `/` in the host's code.
 *
 * i < True is i < 1: a condition was given where a number is wanted, as by n=x.size > 0.
 *
 * Told of a mask of memory that compares an index, made of tl.arange by whole numbers, with a
 * parameter that is a float, as it is or with numbers added to it; and with a number that has a
 * fraction.  The same of a `while` and a whole number that its rounds add to.  Not where the index
 * was computed with as a float, such as a distance from a centre, nor where the limit is a product:
 * half of a width is a limit.
 */
#include "suspect.h"
#include "../ir/analysis.h"

#include <math.h>

enum { DEEPEST = 20, MASK_DEPTH = 8, MOST_LIMITS = 8 };

static const Value *unspread(const Value *v)
{
    while (v->def && (op_has(v->def, MOVES) || v->def->code == OP_cast))
        v = v->def->operands[0];
    return v;
}

/* Whole numbers that tl.arange counts. */
static bool counts(const Value *v, int depth)
{
    const Op *op = v->def;

    if (!op || depth == 0 || !opt_is_int(v))
        return false;
    if (op->code == OP_arange)
        return true;
    for (int i = 0; i < op->noperands && (op_has(op, FOLDS) || op_has(op, MOVES)); i++) {
        if (counts(op->operands[i], depth - 1))
            return true;
    }
    return false;
}

static const Value *unmoved(const Value *v)
{
    while (v->def && op_has(v->def, MOVES))
        v = v->def->operands[0];
    return v;
}

static bool is_index(const Value *v)
{
    v = unmoved(v);
    return v->def && v->def->code == OP_cast && counts(v->def->operands[0], DEEPEST);
}

/* A number that a while goes on with from round to round, by adding whole ones: of its condition.
 */
static bool is_counter(const Value *v)
{
    v = unspread(v);
    const Op *loop = v->def ? NULL : v->block->owner;
    if (!loop || loop->code != OP_while || v->block != loop->regions[0] || !opt_is_int(v))
        return false;
    const Op *next = loop->regions[1]->last->operands[v->index]->def;
    return next && next->code == OP_add && next->block == loop->regions[1];
}

/* The float that is the limit, a parameter or a number; NULL: it is none. */
static const Value *limit_in(const Value *v, int depth)
{
    uint64_t bits;

    v = unspread(v);
    if (!dtype_is_float(v->type->dtype) || v->type->rank > 0 || depth == 0)
        return NULL;
    if (value_constant(v, &bits)) {
        double n = scalar_to_double(v->type->dtype, bits);
        return isfinite(n) && n != floor(n) ? v : NULL;
    }
    if (!v->def)
        return v->block->owner ? NULL : v;
    if (v->def->code != OP_add && v->def->code != OP_sub)
        return NULL;
    const Value *first = limit_in(v->def->operands[0], depth - 1);
    return first ? first : limit_in(v->def->operands[1], depth - 1);
}

/* A parameter that is a condition; NULL: it is none. */
static const Value *condition_of_launch(const Value *v)
{
    v = unspread(v);
    return !v->def && !v->block->owner && v->type->rank == 0 && v->type->dtype == DT_I1 ? v : NULL;
}

static bool is_mask_of_memory(const UseLists *uses, const Value *v, int depth)
{
    const Use *at = uses_of(uses, v);

    for (int i = 0; i < uses_count(uses, v) && depth > 0; i++) {
        const Op *op = at[i].op;
        bool accesses = op_has(op, READS | WRITES) && op->code != OP_call;
        if (accesses && at[i].operand == ir_access(op).mask)
            return true;
        if ((op->code == OP_and || op_has(op, MOVES)) &&
            is_mask_of_memory(uses, op->results[0], depth - 1))
            return true;
    }
    return false;
}

static bool is_condition(const UseLists *uses, const Value *v)
{
    const Use *at = uses_of(uses, v);

    for (int i = 0; i < uses_count(uses, v); i++) {
        const Op *op = at[i].op, *loop = op->block->owner;
        if (loop && loop->code == OP_while && op == loop->regions[0]->last && at[i].operand == 0)
            return true;
    }
    return false;
}

typedef struct {
    const Suspect *s;
    const UseLists *uses;
    const Value *told[MOST_LIMITS]; /* once for each of these */
    int n;
} Limits;

static bool was_told(const Limits *l, const Value *limit)
{
    int i = 0;

    while (i < l->n && l->told[i] != limit)
        i++;
    return i < l->n || l->n == MOST_LIMITS;
}

static void tell(const Suspect *s, const Op *op, const Value *limit)
{
    uint64_t bits;

    if (limit->type->dtype == DT_I1)
        tell_warn(s, op, "give how many elements there are: True counts as 1",
                  "`%s` is True or False, and numbers of elements are compared with it",
                  limit->name ? limit->name : "the limit");
    else if (value_constant(limit, &bits))
        tell_warn(s, op, "a number of elements is a whole one: `//` divides to one",
                  "numbers of elements are compared with %g, which has a fraction",
                  scalar_to_double(limit->type->dtype, bits));
    else
        tell_warn(s, op,
                  "pass a whole number: `//` divides to one, and int(n) or n.to(tl.int32) makes "
                  "one of a float",
                  "`%s` is a float, %s, and numbers of elements are compared with it",
                  limit->name ? limit->name : "the limit", dtype_triton_name(limit->type->dtype));
}

static void look_at(Op *op, void *limits)
{
    Limits *l = limits;

    if (op->code != OP_lt && op->code != OP_le && op->code != OP_gt && op->code != OP_ge)
        return;
    for (int i = 0; i < 2; i++) {
        bool counter = is_counter(op->operands[i]);
        const Value *limit =
            counter || is_index(op->operands[i]) ? limit_in(op->operands[1 - i], 4) : NULL;
        if (!limit && counts(unmoved(op->operands[i]), DEEPEST))
            limit = condition_of_launch(op->operands[1 - i]);
        if (!limit || was_told(l, limit) ||
            !(counter ? is_condition(l->uses, op->results[0])
                      : is_mask_of_memory(l->uses, op->results[0], MASK_DEPTH)))
            continue;
        tell(l->s, op, limit);
        l->told[l->n++] = limit;
    }
}

void suspect_limit(const Suspect *s)
{
    Limits l = {.s = s, .uses = tell_uses(s)};

    ir_walk(s->func->body, look_at, &l);
}
