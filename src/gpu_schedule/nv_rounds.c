/*
 * nv_rounds.c - what a loop keeps over its rounds, and what a round asks for on behalf of the next
 *
 * Rows of products that a loop keeps in registers are made in front of it: code for the loop begins
 * with them (nv_hold.c), whatever its products wait for.
 *
 * Loads that only the next round reads (opt_ahead()) stand where a round begins, so that memory has
 * all of it for them.  The assembler has registers in mind and moves them down to where it ends,
 * and the next round waits.  So where threads meet in a round, and the loads are few, it is told
 * that something behind the last of them changes what they bring (nv_hold.c).  Where threads do not
 * meet, the assembler repeats the loop by itself, which this would forbid.  Where a round begins
 * with a wait for a ring, a loop of its own, nothing is moved over that, and loads stand in front.
 */
#include "../gpu_plan/nv_dot.h"
#include "nv_schedule.h"

enum { WORD = 4, MOST_ISSUED = 12 /* words of a thread */ };

/* --- rows that are kept --- */

/* Does a step of the block make the tile, or a step within one? */
static bool makes(const NvBlock *b, const NvTile *t)
{
    for (int i = 0; b && i < b->steps.len; i++) {
        const NvStep *s = b->steps.at[i];
        for (int k = 0; k < s->nout; k++) {
            if (s->out[k] == t)
                return true;
        }
        if (makes(s->body[0], t) || makes(s->body[1], t))
            return true;
    }
    return false;
}

/* Do all products in the block have their rows from outside of the loop, where it keeps them? */
static bool has_rows(const NvStep *loop, const NvBlock *b)
{
    for (int i = 0; b && i < b->steps.len; i++) {
        const NvStep *s = b->steps.at[i];
        const NvDot *d = s->kind == NV_DOT ? s->detail : NULL;
        if (d && d->kept == loop->op && makes(loop->body[0], s->in[MMA_A]))
            return false;
        if (!has_rows(loop, s->body[0]) || !has_rows(loop, s->body[1]))
            return false;
    }
    return true;
}

/* --- loads for the next round --- */

/* Does a step of the block read the tile, or a step within one? */
static bool reads(const NvBlock *b, const NvTile *t)
{
    for (int i = 0; b && i < b->steps.len; i++) {
        const NvStep *s = b->steps.at[i];
        for (int k = 0; k < s->nin; k++) {
            if (s->in[k] == t)
                return true;
        }
        if (s->ahead && reads(&s->ahead->steps, t))
            return true;
        for (int r = 0; r < COUNT(s->body); r++) {
            if (reads(s->body[r], t))
                return true;
            for (int k = 0; s->body[r] && k < s->body[r]->nends; k++) {
                if (s->body[r]->ends[k] == t)
                    return true;
            }
        }
    }
    return false;
}

static bool is_end(const NvBlock *b, const NvTile *t)
{
    for (int i = 0; i < b->nends; i++) {
        if (b->ends[i] == t)
            return true;
    }
    return false;
}

/* Is it for the next round alone? */
static bool is_for_next(const NvBlock *body, const NvStep *s)
{
    return s->kind == NV_LOAD && s->nout == 1 && s->out[0] && !s->once && !s->slice_of &&
           !s->detail && is_end(body, s->out[0]) && !reads(body, s->out[0]);
}

static bool threads_meet(const NvBlock *b)
{
    for (int i = 0; i < b->steps.len; i++) {
        if (nv_meets(&b->steps.at[i]->within))
            return true;
    }
    return false;
}

/* Of a thread, of registers that differ. */
static int64_t words_of(const NvStep *s)
{
    const NvTile *t = s->out[0];
    int64_t registers = t->layout ? layout_registers(t->layout) : 1;

    registers >>= __builtin_popcount(s->same);
    return (registers * type_size(t->value->type) + WORD - 1) / WORD;
}

static void issue_of_loop(const NvStep *loop)
{
    const NvBlock *body = loop->body[0];
    const NvStep *last = NULL;
    int64_t words = 0;

    for (int i = 0; i < body->steps.len; i++) {
        const NvStep *s = body->steps.at[i];
        if (!is_for_next(body, s))
            continue;
        last = s;
        words += words_of(s);
    }
    bool waits = loop->ahead && loop->ahead->fill;
    if (!last || words > MOST_ISSUED || waits || !threads_meet(body))
        return;
    for (int i = 0; i < body->steps.len; i++) {
        NvStep *s = body->steps.at[i];
        s->issued = is_for_next(body, s) ? last : NULL;
    }
}

static void issue(const NvBlock *b)
{
    for (int i = 0; b && i < b->steps.len; i++) {
        const NvStep *s = b->steps.at[i];
        if (s->kind == NV_FOR)
            issue_of_loop(s);
        issue(s->body[0]);
        issue(s->body[1]);
    }
}

void nv_issue_loads(NvPlan *p)
{
    issue(p->body);
}

/* --- whether a plan is right --- */

/* Does a step behind all of them issue what is loaded, and nobody read it in the block? */
static bool is_issued(const NvBlock *b)
{
    const NvStep *open = NULL;

    for (int i = 0; i < b->steps.len; i++) {
        const NvStep *s = b->steps.at[i];
        if (s->issued && (!is_for_next(b, s) || (open && s->issued != open)))
            return false;
        open = s->issued == s ? NULL : s->issued ? s->issued : open;
    }
    return !open;
}

const char *nv_loop_wrong(const NvStep *loop)
{
    if (loop->kind != NV_FOR)
        return NULL;
    if (!has_rows(loop, loop->body[0]))
        return "it makes rows that it is to keep";
    return is_issued(loop->body[0]) ? NULL : "loads for its next round are not issued";
}
