/*
 * nv_once_plan.c - what one thread does for all that hold copies of its elements
 *
 * A scalar is in every thread, and a small tile may be in several.  An atomic must happen once, and
 * a load of what another program may write meanwhile would give each warp a value of its own, on
 * which they would then part, or go around a loop a different number of times.  So of threads whose
 * numbers differ in nothing but the bits of copies the first one does it.  The others get what it
 * found through shared memory, or by a shuffle where all of them are in one warp (nv_once.c).
 *
 * A warp that has met reads one word once for all of its lanes.  So where all that hold copies of a
 * scalar are one warp, and no program waits for another one, each lane loads it: nothing has to be
 * told, which takes as long as the load itself in loops over scalars.
 */
#include "nv_plan.h"

static uint32_t copies_of(const NvPlan *p, const Layout *l)
{
    Inverse v;

    if (!l)
        return p->alone ? 0 : nv_threads(p);
    layout_invert(l, &v);
    return (layout_thread(l, v.copies)) & nv_threads(p);
}

const NvOnce *nv_once(NvPlan *p, NvStep *s, const Layout *l, int results, bool told)
{
    NvOnce *once = NEW(p->arena, NvOnce);
    int64_t registers = (int64_t)results * (l ? layout_registers(l) : 1);

    *once = (NvOnce){.copies = copies_of(p, l), .buffer = NV_NO_BUFFER};
    once->told = told && once->copies != 0;
    if (!once->told || once->copies >> p->chip->lane_bits == 0)
        return once;
    int doers = 1 << __builtin_popcount(nv_threads(p) & ~once->copies);
    once->buffer = nv_buffer(p, registers * doers * NV_ONCE_BYTES);
    nv_use(p, s, once->buffer, true, false);
    nv_use(p, s, once->buffer, false, true);
    s->within = nv_wait_warps(p);
    return once;
}

/* May somebody else write what it reads?  Tiles are read by each thread as long as no program waits
 * for another one: only such a program has a right to look while somebody writes, and of scalars
 * more is lost than elements. */
static bool may_change(const NvPlan *p, const Op *load)
{
    uint64_t read =
        p->options->disjoint ? ir_bases_of(p->bases, load->operands[LOAD_PTR]) : UINT64_MAX;

    if (attr_volatile(load) || attr_cache(load) == CACHE_CV)
        return true;
    return (read & p->written) != 0 && (p->meets || !nv_is_tile(load->results[0]));
}

/* Is it one word for all lanes of the only warp? */
static bool is_of_one_warp(const NvPlan *p, const Op *load)
{
    return p->warps == 1 && !p->meets && !op_is_volatile(load) && attr_cache(load) != CACHE_CV &&
           !nv_is_tile(load->results[0]);
}

const NvOnce *nv_once_loaded(NvPlan *p, NvStep *s, const Layout *l)
{
    bool once = copies_of(p, l) != 0 && may_change(p, s->op) && !is_of_one_warp(p, s->op);

    return once ? nv_once(p, s, l, s->nout, true) : NULL;
}
