/*
 * block.c - the warps of a block, and the barriers where they wait for each other
 *
 * Warps run in turn.  A barrier opens when as many threads have come as it expects: all of the
 * block, or the number that is given.  When nobody can run and somebody waits, a warp is missing,
 * which on a GPU would hang or go on by luck; here it stops the launch.
 */
#include <string.h>

#include "execute.h"

/* The threads are known to each other from here on: what came before is in order for all. */
static void join_clocks(Warp *w, Barrier *b)
{
    shadow_tell(w, &b->joined);
    w->clock++;
}

static void leave_barrier(Warp *w, const Barrier *b)
{
    const Inst *in = w->inst;

    know_also(w->block, &w->seen, &b->joined);
    pace_leave(w, b);
    w->state = WARP_READY;
    if (in->run == barrier_popc) {
        FOR_LANES(lane, w->inst_mask)
        OPERAND(w, in, 0, uint32_t)
        [lane] = b->count;
    } else if (in->run == barrier_and || in->run == barrier_or) {
        write_predicate(w, in->op[0], in->run == barrier_and ? b->all : b->any, w->inst_mask);
    }
}

static void open_barrier(Block *block, Barrier *b)
{
    b->all = b->all ? ALL_LANES : 0;
    for (int i = 0; i < block->nwarps; i++) {
        if (b->waiting >> i & 1)
            leave_barrier(&block->warps[i], b);
    }
    *b = (Barrier){0};
}

/* The value that all lanes must agree on; false after a fault. */
static bool same_in_all(Warp *w, uint32_t place, uint32_t mask, uint32_t *value)
{
    const uint32_t *values = REG(w, place, uint32_t);

    *value = values[__builtin_ctz(mask)];
    FOR_LANES(lane, mask)
    {
        if (values[lane] != *value) {
            fault(w, SIM_SYNC, (int)lane, "the lanes of a warp name different barriers");
            return false;
        }
    }
    return true;
}

/* Come to barrier op[first], of op[first + 1] threads; NULL after a fault. */
static Barrier *arrive(Warp *w, const Inst *in, uint32_t mask, int first)
{
    Block *block = w->block;
    uint32_t id, threads = (uint32_t)block->nwarps * LANES;

    if (mask != w->live) {
        fault(w, SIM_SYNC, __builtin_ctz(w->live & ~mask),
              "a barrier that a part of the warp does not reach");
        return NULL;
    }
    if (!same_in_all(w, in->op[first], mask, &id))
        return NULL;
    if (in->op[first + 1] != NO_OPERAND && !same_in_all(w, in->op[first + 1], mask, &threads))
        return NULL;
    if (id >= BARRIERS || threads == 0 || threads % LANES != 0 ||
        threads > (uint32_t)block->nwarps * LANES) {
        fault(w, SIM_SYNC, -1, "barrier %u of %u threads in a block of %d", id, threads,
              block->nwarps * LANES);
        return NULL;
    }
    Barrier *b = &block->barriers[id];
    if (b->arrived == 0)
        *b = (Barrier){.expected = (int)threads, .all = ALL_LANES};
    if (b->expected != (int)threads) {
        fault(w, SIM_SYNC, -1, "barrier %u of %u threads, where others wait for %d", id, threads,
              b->expected);
        return NULL;
    }
    b->arrived += LANES;
    pace_arrive(w, b);
    join_clocks(w, b);
    return b;
}

static void wait_for_barrier(Warp *w, Barrier *b, uint32_t mask)
{
    b->waiting |= UINT32_C(1) << w->index;
    w->state = WARP_WAITS;
    w->stop = true;
    w->inst_mask = mask;
    if (b->arrived == b->expected)
        open_barrier(w->block, b);
}

void barrier_sync(Warp *w, const Inst *in, uint32_t mask)
{
    Barrier *b = arrive(w, in, mask, 0);

    if (b)
        wait_for_barrier(w, b, mask);
}

void barrier_arrive(Warp *w, const Inst *in, uint32_t mask)
{
    Barrier *b = arrive(w, in, mask, 0);

    if (b && b->arrived == b->expected)
        open_barrier(w->block, b);
}

/* bar.red: op 0 the result, 1 and 2 the barrier, 3 the predicate */
static void reduce_at_barrier(Warp *w, const Inst *in, uint32_t mask)
{
    uint32_t bits = *OPERAND(w, in, 3, uint32_t);
    Barrier *b = arrive(w, in, mask, 1);

    if (!b)
        return;
    bits = (in->not_op ? ~bits : bits) & mask;
    b->count += (uint32_t)__builtin_popcount(bits);
    b->all = b->all && bits == mask ? ALL_LANES : 0;
    b->any = b->any || bits ? ALL_LANES : 0;
    wait_for_barrier(w, b, mask);
}

void barrier_popc(Warp *w, const Inst *in, uint32_t mask)
{
    reduce_at_barrier(w, in, mask);
}

void barrier_and(Warp *w, const Inst *in, uint32_t mask)
{
    reduce_at_barrier(w, in, mask);
}

void barrier_or(Warp *w, const Inst *in, uint32_t mask)
{
    reduce_at_barrier(w, in, mask);
}

/* --- blocks --- */

static void set_special(Warp *w, PtxSpecial which, uint32_t value)
{
    uint32_t *lanes = REG(w, (uint32_t)which * SPECIAL_BYTES, uint32_t);

    for (int i = 0; i < LANES; i++)
        lanes[i] = value;
}

/* The special registers that differ from block to block. */
static void place_block(Block *b, const int32_t grid[3], int64_t program)
{
    program_at(program, grid, b->program);
    for (int i = 0; i < b->nwarps; i++) {
        for (int axis = 0; axis < 3; axis++)
            set_special(&b->warps[i], (PtxSpecial)(SPECIAL_CTAID_X + axis),
                        (uint32_t)b->program[axis]);
    }
}

/* Nobody can run: say who waits for whom. */
static void report_missing(Block *b)
{
    for (int i = 0; i < b->nwarps; i++) {
        Warp *w = &b->warps[i];
        int missing = 0;

        if (w->state != WARP_WAITS)
            continue;
        if (mbarrier_waits(w)) {
            mbarrier_report(w);
            return;
        }
        if (wgmma_waits(w)) {
            wgmma_report(w);
            return;
        }
        while (missing < b->nwarps - 1 &&
               (missing == i || (b->warps[missing].state == WARP_WAITS &&
                                 b->warps[missing].inst->op == w->inst->op)))
            missing++;
        bool done = b->warps[missing].state == WARP_DONE;
        fault(w, SIM_SYNC, -1, "the warps of the block wait here, and warp %d %s", missing,
              done ? "has ended" : "waits elsewhere");
        return;
    }
}

/* The launch has a limit, and a warp has come to it. */
static void report_endless(Block *b)
{
    for (int i = 0; i < b->nwarps; i++) {
        if (b->warps[i].state == WARP_READY) {
            fault(&b->warps[i], SIM_CODE, -1, "it has not ended behind more than %d instructions",
                  SIM_TURN);
            return;
        }
    }
}

bool block_run(Worker *worker, int64_t program)
{
    const int most = worker->launch->asked->turns;
    Block *b = &worker->block;
    int done = 0, turns = 0;

    place_block(b, worker->launch->asked->grid, program);
    memset(b->barriers, 0, sizeof b->barriers);
    b->mbarriers.len = b->loads.len = 0;
    b->clock = 0;
    shadow_start_block(b);
    b->race = race_begin(program);
    for (int i = 0; i < b->nwarps; i++)
        warp_start(&b->warps[i]);
    wgmma_start(b);
    tcgen05_start(b);
    while (done < b->nwarps && worker->status == SIM_OK && !worker->launch->stopped) {
        bool ran = false;

        done = 0;
        for (int i = 0; i < b->nwarps && worker->status == SIM_OK; i++) {
            Warp *w = &b->warps[i];

            if (w->state == WARP_READY) {
                warp_run(w);
                ran = true;
            }
            done += w->state == WARP_DONE;
        }
        if (!ran && done < b->nwarps)
            report_missing(b);
        if (++turns == most && done < b->nwarps)
            report_endless(b);
    }
    return worker->status == SIM_OK &&
           (done < b->nwarps || (bulk_end(b) && wgmma_end(b) && tcgen05_end(b)));
}
