/*
 * nv_atomic_plan.c - atomics: who does each, who learns what memory held, who waits for whom
 *
 * A tile's atomics are spread like a load.  Of threads that hold copies one does it, and of a
 * scalar the first of all; what it finds reaches the others through shared memory.
 *
 * Sums of floats that are neighbours in one thread are one instruction where the chip has it: pairs
 * of 16 bits, and from sm_90 on 16 bytes.
 *
 * An atomic that releases says to other programs that all threads of this one have done what stands
 * in front of it, so they meet before.  After one that acquires they meet again, if anybody looks
 * at what it has found; if not, nothing can follow from it.
 */
#include "nv_atomic.h"

int nv_atomic_bits(const NvPlan *p, const Op *op)
{
    enum { HALVES = 1, WORDS = 2, BYTES_16 = 3 };

    if (op->code != OP_atomic_rmw || attr_rmw_kind(op) != RMW_ADD)
        return 0;
    switch (op->operands[RMW_DATA]->type->dtype) {
    case DT_FP16:
        return chip_has(p->chip, CHIP_WIDE_ATOMICS) ? BYTES_16 : HALVES;
    case DT_BF16:
        return chip_has(p->chip, CHIP_WIDE_ATOMICS) ? BYTES_16 : 0;
    case DT_FP32:
        return chip_has(p->chip, CHIP_WIDE_ATOMICS) ? WORDS : 0;
    default:
        return 0;
    }
}

void nv_choose_atomic(NvPlan *p, const Op *op)
{
    *nv_value(p, op->results[0]) = (NvValue){0};
    if (nv_is_tile(op->results[0]))
        nv_set_home(p, op->results[0], nv_coalesced(p, op), NV_PLAIN);
}

static const NvAtomic *plan_atomic(NvPlan *p, NvStep *s, const Layout *l, bool used)
{
    NvAtomic *a = NEW(p->arena, NvAtomic);
    Sem sem = attr_sem(s->op);

    *a = (NvAtomic){.used = used};
    s->once = nv_once(p, s, l, 1, used);
    a->releases = sem == SEM_ACQ_REL || sem == SEM_RELEASE;
    a->acquires = used && (sem == SEM_ACQ_REL || sem == SEM_ACQUIRE);
    if (a->releases && !p->alone)
        s->before = nv_wait_warps(p);
    if (a->acquires && !p->alone)
        s->within = nv_wait_warps(p);
    return a;
}

void nv_list_atomic(NvPlan *p, const Op *op)
{
    NvStep *s = nv_step(p, NV_ATOMIC, op);
    bool used = nv_value(p, op->results[0])->tiles.len > 0;

    s->out[0] = nv_result(p, op, 0);
    const Layout *l = s->out[0]->layout;
    s->detail = plan_atomic(p, s, l, used);
    s->access = nv_access(p, op, l, true);
    for (int i = 0; i < op->noperands; i++)
        nv_want(p, s, i, l);
    nv_list(p, s);
}
