/*
 * nv_record_plan.c - what a record needs: its tiles in some layout, and a place where all threads
 * learn where it goes; and which vote is also on whether the program is to run at all
 *
 * When an assertion has failed, programs that have not begun are not to: all threads of one must
 * agree on what they read of that.  Where the first thing that the program does beside arithmetic
 * and loads is to vote on an assertion of its own, that is one vote, and nobody waits for the
 * answer in front of the loads.
 */
#include "nv_combine.h"

static const Layout *layout_of(NvPlan *p, const Value *v)
{
    return nv_home(p, v) ? nv_home(p, v) : nv_default_layout(p, v->type);
}

void nv_list_record(NvPlan *p, const Op *op)
{
    NvStep *s = nv_step(p, NV_RECORD, op);

    for (int i = 0; i < op->noperands; i++) {
        const Value *v = op->operands[i];
        nv_want(p, s, i, nv_is_tile(v) ? layout_of(p, v) : NULL);
        if (nv_is_tile(v))
            s->within = nv_wait_warps(p);
    }
    if (nv_meets(&s->within)) {
        int buffer = nv_buffer(p, sizeof(uint64_t));
        nv_use(p, s, buffer, true, false);
        nv_use(p, s, buffer, false, true);
    }
    nv_list(p, s);
}

/* What a program may do before it knows whether it is to run: nothing that takes long, or stays. */
static bool may_begin(const NvStep *s)
{
    bool loops = s->kind == NV_FOR || s->kind == NV_WHILE || s->kind == NV_IF;

    return !loops && (!s->op || !op_contains(s->op, WRITES | EFFECT));
}

/* The record of an assertion that a branch ends with; NULL: it does not. */
static const NvStep *assertion_at_end(const NvBlock *b)
{
    const NvStep *last = b && b->steps.len > 0 ? b->steps.at[b->steps.len - 1] : NULL;
    bool asserts = last && last->kind == NV_RECORD && attr_record_kind(last->op) == RECORD_ASSERT;

    return asserts ? last : NULL;
}

/* Is it a vote whether any thread has found something, which nobody asks for but that branch? */
static bool is_vote_of(const NvPlan *p, const NvStep *s, const NvStep *branch)
{
    const NvCombine *c = s && s->kind == NV_REDUCE ? s->detail : NULL;

    return c && c->votes && c->kind.neutral == OP_or && s->out[0] == branch->in[0] &&
           uses_count(&p->uses, s->out[0]->value) == 1;
}

void nv_find_look(NvPlan *p)
{
    const NvStep *vote = NULL;

    for (int i = 0; i < p->body->steps.len; i++) {
        const NvStep *s = p->body->steps.at[i];
        if (s->kind == NV_IF && is_vote_of(p, vote, s)) {
            p->looked = assertion_at_end(s->body[0]);
            p->look = p->looked ? vote : NULL;
        }
        if (!may_begin(s))
            return;
        if (s->kind == NV_REDUCE)
            vote = s;
    }
}
