/*
 * plan_start.c - which products begin with what is computed in registers
 *
 * Attention scales its sum in each round and adds a product to it: `acc = tl.dot(p, v, acc *
 * alpha[:, None])`.  A nest would read and write the sum's buffer, and the product read and write
 * it again.  Where the nest does nothing but fill what the product adds to, of elements of buffers
 * and of scalars, the product computes that for each vector of a block in front of its sums.
 *
 * It is done later than written, so nothing between fills what it reads; of the sum's own buffer it
 * reads the element that it fills, since other blocks are there already.
 */
#include "plan_schedule_internal.h"

#include <string.h>

/* Ops that an element takes: a block has code for each of its vectors. */
enum { MOST_WORK = 16 };

static bool is_of_its_place(const Entry *e)
{
    return e->role == AS_VALUE && e->vector && e->number == 0 &&
           memcmp(e->map, plan_identity, 2) == 0;
}

static bool may_be_late(const Entry *e, int buffer)
{
    switch (e->kind) {
    case MAKE_SCALAR:
    case MAKE_KNOWN:
    case MAKE_ZERO:
    case MAKE_CONST:
    case MAKE_INDEX:
    case MAKE_OP:
    case MAKE_ROOT:
        return true;
    case MAKE_READ:
        return e->buffer != buffer || is_of_its_place(e);
    default:
        return false;
    }
}

static bool computes_late(const Nest *n, int buffer)
{
    static const Part parts[] = {PART_ROWS, PART_MAIN};
    const Schedule *s = n->schedule;
    bool fills = false;

    for (int k = 0; k < COUNT(parts); k++) {
        for (int i = 0; i < s->part[parts[k]].len; i++) {
            const Entry *e = &s->entries.at[s->part[parts[k]].at[i]];
            if (!may_be_late(e, buffer))
                return false;
            fills |= parts[k] == PART_MAIN && e->kind == MAKE_ROOT;
        }
    }
    return fills && n->bounds.len == 0;
}

static bool reads(const Nest *n, int buffer)
{
    for (int i = 0; i < n->schedule->entries.len; i++) {
        const Entry *e = &n->schedule->entries.at[i];
        if (e->kind == MAKE_READ && e->buffer == buffer)
            return true;
    }
    return false;
}

/* Does this step fill buffers that the nest does not read, and nothing else? */
static bool may_be_before(const Step *s, const Nest *n)
{
    if (s->kind == STEP_SCALAR)
        return !op_has(s->op, READS | WRITES | EFFECT);
    if (s->kind != STEP_NEST)
        return false;
    for (int i = 0; i < s->nest->roots.len; i++) {
        const Root *r = &s->nest->roots.at[i];
        if (r->kind != ROOT_FILL || reads(n, r->buffer))
            return false;
    }
    return true;
}

static bool is_plain_fill(const Nest *n)
{
    const Root *r = &n->roots.at[0];

    return n->roots.len == 1 && r->kind == ROOT_FILL && r->source == NO_BUFFER && n->rank == 2 &&
           n->order[1] == 1 && !n->serial && n->pieces.len == 0 && !n->schedule->strips &&
           !n->unless && n->keep == 0 && n->place == 0 && n->work <= MOST_WORK &&
           computes_late(n, r->buffer);
}

/* The nest that fills what the product adds to; NULL: it cannot be done later. */
static Nest *nest_of(const BlockPlan *b, int product, int buffer)
{
    for (int i = product - 1; i >= 0; i--) {
        Nest *n = b->steps.at[i].kind == STEP_NEST ? b->steps.at[i].nest : NULL;
        if (!n || n->roots.at[0].buffer != buffer || n->roots.at[0].kind != ROOT_FILL)
            continue;
        for (int k = i + 1; k < product; k++) {
            if (!is_plain_fill(n) || !may_be_before(&b->steps.at[k], n))
                return NULL;
        }
        return is_plain_fill(n) ? n : NULL;
    }
    return NULL;
}

static void look_at_product(const Plan *p, const BlockPlan *b, int number)
{
    Step *s = &b->steps.at[number];
    const Value *acc = s->op->operands[DOT_ACC], *sum = s->op->results[0];
    int buffer = plan_buffer(p, sum);

    if (s->dot.unit == DOT_AMX || s->dot.lanes == 1 || s->dot.rounds > 1 || sum->type->rank != 2 ||
        plan_register_dtype(sum->type->dtype) != sum->type->dtype || p->buffers.at[buffer].begins ||
        uses_count(&p->uses, acc) != 1)
        return;
    Nest *n = nest_of(b, number, buffer);
    if (!n || n->roots.at[0].value != acc)
        return;
    n->unless = s->op;
    s->dot.start = n;
}

static void look_at_block(const Plan *p, const BlockPlan *b)
{
    for (int i = 0; b && i < b->steps.len; i++) {
        if (b->steps.at[i].kind == STEP_DOT)
            look_at_product(p, b, i);
        look_at_block(p, b->steps.at[i].body[0]);
        look_at_block(p, b->steps.at[i].body[1]);
    }
}

void plan_starts(const Plan *p)
{
    if (!p->options->debug)
        look_at_block(p, p->body);
}
