/*
 * warp.c - the loop that runs instructions
 */
#include <stdlib.h>

#include "execute.h"

void *room_for_one(Warp *w, void *at, int len, int *cap, size_t bytes)
{
    int more = *cap ? 2 * *cap : 16;

    if (len < *cap)
        return at;
    at = realloc(at, (size_t)more * bytes);
    if (at) {
        *cap = more;
    } else {
        w->worker->status = SIM_NO_MEMORY;
        w->stop = true;
    }
    return at;
}

void warp_start(Warp *w)
{
    const PtxFunc *f = w->worker->launch->kernel->func;

    w->now = (Path){f->first, f->end, ALL_LANES, 0};
    w->live = ALL_LANES;
    w->state = WARP_READY;
    w->depth = 0;
    w->again = false;
    w->copies.len = 0;
    for (int i = 0; i < LANES; i++)
        w->copies.committed[i] = w->bulk_groups[i] = 0;
    w->stores.len = 0;
    pace_start(w);
}

void warp_end_lanes(Warp *w, uint32_t mask)
{
    w->live &= ~mask;
    w->now.mask &= w->live;
    for (int i = 0; i < w->depth; i++)
        w->waiting[i].mask &= w->live;
}

/* Take the next path that has lanes; false: there is none, the warp has ended. */
static bool next_path(Warp *w)
{
    while (w->now.mask == 0 || w->now.pc == w->now.meet) {
        if (w->depth == 0) {
            w->live = 0;
            w->state = WARP_DONE;
            return false;
        }
        w->now = w->waiting[--w->depth];
    }
    return true;
}

static void count_instruction(Warp *w, const Inst *in, uint32_t mask)
{
    WorkCount *c = &w->worker->counts[in - w->module->code.at];

    c->instructions++;
    c->lanes += (uint64_t)__builtin_popcount(mask);
    pace_step(w, in, c);
}

void warp_run(Warp *w)
{
    const Inst *code = w->module->code.at;

    w->stop = false;
    for (int left = SIM_TURN; left > 0 && !w->stop; left--) {
        if (w->now.mask == 0 || w->now.pc == w->now.meet) {
            if (!next_path(w))
                return;
        }
        const Inst *in = &code[w->now.pc++];
        uint32_t mask = w->now.mask;
        if (in->guard != NO_OPERAND) {
            uint32_t guard = *REG(w, in->guard, uint32_t);

            mask &= in->guard_not ? ~guard : guard;
        }
        w->inst = in;
        if (w->worker->counts && !w->again)
            count_instruction(w, in, mask);
        w->again = false;
        if (in->is_held && mask && !wgmma_may_touch(w, in))
            return;
        if (mask || in->is_control)
            in->run(w, in, mask);
    }
}
