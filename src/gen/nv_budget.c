/*
 * nv_budget.c - how many programs shall share a multiprocessor, which is how many registers a
 * thread may have
 *
 * Left alone, the assembler takes as few registers as it can, and loads what a row needs behind its
 * reductions piece by piece, each piece waiting for memory by itself.  Told how many programs there
 * shall be, it uses what they leave; where nothing is loaded there, it is not told.  What a program
 * without loops keeps over its barriers, or its widest tile, tells how many fit; what else it needs
 * comes and goes.
 *
 * The plan is whole, barriers and all.
 */
#include "nv_plan.h"

/* Tiles that one step makes and another one reads, by numbers of steps. */
typedef struct {
    int made, read;
} Life;

/* Registers that hold data: masks are in others, addresses and indices are made where they are
 * used. */
static int64_t data_registers(const NvPlan *p, const NvTile *t)
{
    const Type *type = t->value->type;

    if (!t->layout || type->pointer || type->dtype == DT_I1 || !nv_home(p, t->value))
        return 0;
    return (int64_t)layout_registers(t->layout) * (type_size(type) > 4 ? 2 : 1);
}

/* Of the steps of the kernel; NULL: some have steps within, of which nobody knows how often they
 * are done, or multiply, which is planned register by register. */
static const Life *lives_of(const NvPlan *p)
{
    Life *lives = NEW_N(p->arena, Life, p->tiles.len + 1);

    for (int i = 0; i < p->body->steps.len; i++) {
        const NvStep *s = p->body->steps.at[i];
        if (s->kind == NV_DOT || (s->body[0] && s->kind != NV_REDUCE && s->kind != NV_SCAN))
            return NULL;
        for (int k = 0; k < s->nin; k++) {
            if (s->in[k])
                lives[s->in[k]->id].read = i;
        }
        for (int k = 0; k < s->nout; k++) {
            if (s->out[k])
                lives[s->out[k]->id].made = i;
        }
    }
    return lives;
}

/* The most that stays in registers over a barrier; 0: there is none. */
static int64_t kept_registers(const NvPlan *p, const Life *lives)
{
    int64_t *change = NEW_N(p->arena, int64_t, p->body->steps.len + 1), kept = 0, most = 0;

    for (int t = 0; t < p->tiles.len; t++) {
        int64_t n = data_registers(p, p->tiles.at[t]);
        if (lives[t].made + 1 >= lives[t].read)
            continue;
        change[lives[t].made + 1] += n;
        change[lives[t].read] -= n;
    }
    for (int i = 0; i < p->body->steps.len; i++) {
        kept += change[i];
        if (p->body->steps.at[i]->syncs)
            most = MAX(most, kept);
    }
    return most;
}

/* Is data loaded behind a barrier, so that there is something to gather? */
static bool loads_behind_barrier(const NvPlan *p)
{
    bool synced = false;

    for (int i = 0; i < p->body->steps.len; i++) {
        const NvStep *s = p->body->steps.at[i];
        if (synced && s->kind == NV_LOAD && data_registers(p, s->out[0]) > 0)
            return true;
        synced = synced || s->syncs;
    }
    return false;
}

static int64_t widest_tile(const NvPlan *p)
{
    int64_t most = 0;

    for (int t = 0; t < p->tiles.len; t++) {
        int64_t n = data_registers(p, p->tiles.at[t]);
        most = MAX(most, n);
    }
    return most;
}

void nv_choose_budget(NvPlan *p)
{
    enum { UNIT = 8, ALWAYS = 16 };             /* registers; what any thread needs */
    enum { REGISTERS = 65536, THREADS = 1536 }; /* of every chip's multiprocessor */
    const Life *lives = lives_of(p);
    int64_t kept = lives ? kept_registers(p, lives) : 0, threads = (int64_t)p->warps * NV_LANES;

    if (kept == 0 || !loads_behind_barrier(p))
        return;
    kept = MAX(kept, widest_tile(p));
    int64_t each = (kept + kept / 4 + ALWAYS + UNIT - 1) / UNIT * UNIT;
    int64_t by_shared = nv_most_shared(p->chip) / MAX(p->shared, 1);
    p->together = (int)MIN(MIN(REGISTERS / each, THREADS) / threads, by_shared);
}
