/*
 * march.c - loops that go through memory tile by tile
 *
 * A loop marches along tl.arange(0, E) where each of its rounds loads E elements further on, so
 * that tiles lie side by side: x + j + i in range(0, n, E), x + (j * E + i) * stride, or a pointer
 * that is moved by E * stride at the end of the round.  Then what counts along that tl.arange in
 * memory is j + i, and i alone only counts within a round.
 */
#include "march.h"
#include "../ir/analysis.h"

enum { MOST_TERMS = 16, DEEPEST = 16, SAME_DEPTH = 12 };

/* What is added up in an address or an index. */
typedef struct {
    const Value *v;
    bool is_step; /* that much is added in each round */
} Term;
typedef struct {
    const Op *loop;
    Term at[MOST_TERMS];
    int n;
} Terms;

static bool is_within(const Value *v, const Op *loop)
{
    for (const Block *b = v->block; b; b = b->owner ? b->owner->block : NULL) {
        if (b->owner == loop)
            return true;
    }
    return false;
}

static void note(Terms *t, const Value *v, bool is_step)
{
    if (t->n < MOST_TERMS)
        t->at[t->n++] = (Term){ir_bare(v), is_step};
}

static void find_terms(Terms *t, const Value *v, int depth);

/* What the loop carries: what it begins with, and what a round adds to it. */
static void find_carried(Terms *t, const Value *arg, int depth)
{
    const Value *init = t->loop->operands[FOR_BOUNDS + arg->index - 1];
    const Op *next = ir_bare(t->loop->regions[0]->last->operands[arg->index - 1])->def;

    if (!next || (next->code != OP_addptr && next->code != OP_add) ||
        ir_bare(next->operands[0]) != arg) {
        note(t, arg, false);
        return;
    }
    find_terms(t, init, depth - 1);
    note(t, next->operands[1], true);
}

static void find_terms(Terms *t, const Value *v, int depth)
{
    v = ir_bare(v);
    const Op *op = v->def;

    if (!op && t->loop && v->block->owner == t->loop && v->index > 0 && depth > 0) {
        find_carried(t, v, depth);
    } else if (!op || depth == 0 ||
               (op->code != OP_add && op->code != OP_addptr && op->code != OP_hint)) {
        note(t, v, false);
    } else {
        for (int i = 0; i < op->noperands; i++)
            find_terms(t, op->operands[i], depth - 1);
    }
}

static bool is_arange(const Value *v)
{
    return v->def && v->def->code == OP_arange;
}

/* tl.arange, or tl.arange * factor; NULL: it is another one. */
static const Value *index_of(const Value *v, const Value **factor)
{
    const Op *op = v->def;

    *factor = NULL;
    if (is_arange(v))
        return v;
    for (int i = 0; op && op->code == OP_mul && i < 2; i++) {
        const Value *index = ir_bare(op->operands[i]);
        if (!is_arange(index))
            continue;
        *factor = ir_bare(op->operands[1 - i]);
        return index;
    }
    return NULL;
}

/* Is it `number` * factor?  NULL: 1. */
static bool is_product(const Value *v, int64_t number, const Value *factor)
{
    const Op *op = ir_bare(v)->def;
    int64_t n, f = 1;

    if (value_const_int(v, &n))
        return (!factor || value_const_int(factor, &f)) && n == number * f;
    for (int i = 0; factor && op && op->code == OP_mul && i < 2; i++) {
        if (value_const_int(op->operands[i], &n) && n == number &&
            ir_same(ir_bare(op->operands[1 - i]), factor, SAME_DEPTH))
            return true;
    }
    return false;
}

/* How much more it is in each round: a constant. */
static bool grows_by(const Value *v, const Op *loop, int depth, int64_t *out)
{
    v = ir_bare(v);
    const Op *op = v->def;
    int64_t n;

    if (!op)
        return v == loop->regions[0]->args[0] && value_const_signed(loop->operands[FOR_STEP], out);
    for (int i = 0; depth > 0 && i < 2 && op->noperands == 2; i++) {
        const Value *other = op->operands[1 - i];
        bool is_factor = op->code == OP_mul && value_const_int(other, &n);
        bool is_summand = op->code == OP_add && !is_within(other, loop);
        if ((is_factor || is_summand) && grows_by(op->operands[i], loop, depth - 1, out)) {
            *out *= is_factor ? n : 1;
            return true;
        }
    }
    return false;
}

/* Is it number * factor more in each round? */
static bool goes_on_by(const Term *t, const Op *loop, int64_t number, const Value *factor)
{
    const Op *op = t->v->def;
    int64_t n, f = 1;

    if (t->is_step)
        return is_product(t->v, number, factor);
    if (grows_by(t->v, loop, DEEPEST, &n))
        return (!factor || value_const_int(factor, &f)) && n == number * f;
    for (int i = 0; factor && op && op->code == OP_mul && i < 2; i++) {
        if (ir_same(ir_bare(op->operands[1 - i]), factor, SAME_DEPTH) &&
            grows_by(op->operands[i], loop, DEEPEST, &n) && n == number)
            return true;
    }
    return false;
}

static const Value *march_of(const Value *v, const Op *loop, int depth);

/* The same within products, (j + i) * stride. */
static const Value *march_within(const Terms *t, const Op *loop, int depth)
{
    for (int i = 0; i < t->n && depth > 0; i++) {
        const Op *op = t->at[i].v->def;
        for (int k = 0; op && k < op->noperands &&
                        (op->code == OP_mul || op->code == OP_rem || op->code == OP_div);
             k++) {
            const Value *found = march_of(op->operands[k], loop, depth - 1);
            if (found)
                return found;
        }
    }
    return NULL;
}

static const Value *march_of(const Value *v, const Op *loop, int depth)
{
    Terms t = {.loop = loop};
    const Value *factor;

    find_terms(&t, v, DEEPEST);
    for (int i = 0; i < t.n; i++) {
        const Value *index = index_of(t.at[i].v, &factor);
        for (int k = 0; index && k < t.n; k++) {
            if (k != i && goes_on_by(&t.at[k], loop, index->type->dims[0], factor))
                return index;
        }
    }
    return march_within(&t, loop, depth);
}

const Value *axis_march(const Value *pointer, const Op *loop)
{
    return loop->code == OP_for ? march_of(pointer, loop, DEEPEST) : NULL;
}

/* --- tiles of programs --- */

/* pid * by along an axis of the grid. */
static bool is_program_times(const Value *v, int axis, int64_t *by)
{
    const Op *op = v->def;

    for (int i = 0; op && op->code == OP_mul && i < 2; i++) {
        const Op *id = ir_bare(op->operands[i])->def;
        if (id && id->code == OP_program_id && (axis < 0 || attr_axis(id) == axis) &&
            value_const_int(op->operands[1 - i], by))
            return true;
    }
    return false;
}

static const Value *program_march_of(const Value *v, int axis, int64_t *by, int depth)
{
    Terms t = {.loop = NULL};
    const Value *factor;

    find_terms(&t, v, DEEPEST);
    for (int i = 0; i < t.n; i++) {
        const Value *index = index_of(t.at[i].v, &factor);
        for (int k = 0; index && !factor && k < t.n; k++) {
            if (is_program_times(t.at[k].v, axis, by))
                return index;
        }
    }
    for (int i = 0; i < t.n && depth > 0; i++) {
        const Op *op = t.at[i].v->def;
        for (int k = 0; op && op->code == OP_mul && k < 2; k++) {
            const Value *found = program_march_of(op->operands[k], axis, by, depth - 1);
            if (found)
                return found;
        }
    }
    return NULL;
}

const Value *axis_program_march(const Value *pointer, int axis, int64_t *by)
{
    return program_march_of(pointer, axis, by, DEEPEST);
}
