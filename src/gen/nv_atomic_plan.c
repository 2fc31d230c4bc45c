/*
 * nv_atomic_plan.c - atomics: who does each, who learns what memory held, who waits for whom
 *
 * A tile's atomics are spread like a load.  Of threads that hold copies one does it, and of a
 * scalar the first of all; what it finds reaches the others through shared memory.
 *
 * An atomic that releases says to other programs that all threads of this one have done what stands
 * in front of it, so they meet before.  After one that acquires they meet again, if anybody looks
 * at what it has found; if not, nothing can follow from it.
 */
#include "nv_atomic.h"

void nv_choose_atomic(NvPlan *p, const Op *op)
{
    *nv_value(p, op->results[0]) = (NvValue){0};
    if (nv_is_tile(op->results[0]))
        nv_set_home(p, op->results[0], nv_coalesced(p, op), NV_PLAIN);
}

static uint32_t copies_of(const NvPlan *p, const Layout *l)
{
    Inverse v;

    if (!l)
        return p->alone ? 0 : UINT32_MAX;
    layout_invert(l, &v);
    return v.copies.lane | v.copies.warp << LAYOUT_LANE_BITS;
}

/* Room for what each thread that is no copy finds, in each of its registers. */
static int old_values(NvPlan *p, const Layout *l, uint32_t copies)
{
    uint32_t threads = (uint32_t)(p->warps * NV_LANES - 1);
    int64_t n = l ? layout_registers(l) : 1;

    if ((copies & threads) == 0)
        return NV_NO_BUFFER;
    return nv_buffer(p, (n * NV_OLD_BYTES) << __builtin_popcount(threads & ~copies));
}

static const NvAtomic *plan_atomic(NvPlan *p, NvStep *s, const Layout *l, bool used)
{
    NvAtomic *a = NEW(p->arena, NvAtomic);
    Sem sem = attr_sem(s->op);

    *a = (NvAtomic){.copies = copies_of(p, l), .used = used, .buffer = NV_NO_BUFFER};
    a->releases = sem == SEM_ACQ_REL || sem == SEM_RELEASE;
    a->acquires = used && (sem == SEM_ACQ_REL || sem == SEM_ACQUIRE);
    if (used && !p->alone)
        a->buffer = old_values(p, l, a->copies);
    if (a->buffer != NV_NO_BUFFER) {
        nv_use(p, s, a->buffer, true, false);
        nv_use(p, s, a->buffer, false, true);
    }
    a->meets = a->acquires && !p->alone;
    s->waits = a->releases && !p->alone;
    s->syncs = a->meets || a->buffer != NV_NO_BUFFER;
    return a;
}

void nv_list_atomic(NvPlan *p, const Op *op)
{
    NvStep *s = nv_step(p, NV_ATOMIC, op);
    bool used = nv_value(p, op->results[0])->tiles.len > 0;

    s->out[0] = nv_result(p, op, 0);
    const Layout *l = s->out[0]->layout;
    s->detail = plan_atomic(p, s, l, used);
    s->access = nv_access(p, op, l, false);
    for (int i = 0; i < op->noperands; i++)
        nv_want(p, s, i, l);
    nv_list(p, s);
}
