/*
 * nv_once.c - what one thread does for all that hold copies of its elements
 *
 * A scalar is in every thread, and a small tile may be in several.  An atomic must happen once, and
 * a load of what another program may write meanwhile would give each warp a value of its own, on
 * which they would then part, or go around a loop a different number of times.  So of threads whose
 * numbers differ in nothing but the bits of copies the first one does it.  The others get what it
 * found through shared memory, or by a shuffle where all of them are in one warp.
 */
#include "nv.h"

enum { ROOM = 8 }; /* bytes for one value on its way */

static uint32_t threads_of(const NvPlan *p)
{
    return (uint32_t)(p->warps * NV_LANES - 1);
}

/* --- the plan --- */

static uint32_t copies_of(const NvPlan *p, const Layout *l)
{
    Inverse v;

    if (!l)
        return p->alone ? 0 : threads_of(p);
    layout_invert(l, &v);
    return (v.copies.lane | v.copies.warp << LAYOUT_LANE_BITS) & threads_of(p);
}

const NvOnce *nv_once(NvPlan *p, NvStep *s, const Layout *l, int results, bool told)
{
    NvOnce *once = NEW(p->arena, NvOnce);
    int64_t registers = (int64_t)results * (l ? layout_registers(l) : 1);

    *once = (NvOnce){.copies = copies_of(p, l), .buffer = NV_NO_BUFFER};
    once->told = told && once->copies != 0;
    if (!once->told || once->copies >> LAYOUT_LANE_BITS == 0)
        return once;
    int doers = 1 << __builtin_popcount(threads_of(p) & ~once->copies);
    once->buffer = nv_buffer(p, registers * doers * ROOM);
    nv_use(p, s, once->buffer, true, false);
    nv_use(p, s, once->buffer, false, true);
    s->syncs = true;
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

const NvOnce *nv_once_loaded(NvPlan *p, NvStep *s, const Layout *l)
{
    return copies_of(p, l) != 0 && may_change(p, s->op) ? nv_once(p, s, l, s->nout, true) : NULL;
}

/* --- emission --- */

Val nv_once_doer(Nv *n, const NvOnce *once)
{
    return once ? nv_is_first(n, once->copies) : NULL;
}

/* Where those who differ in nothing but copies meet: i32. */
static Val meeting_place(Nv *n, const NvOnce *once)
{
    uint32_t masks[LAYOUT_THREAD_BITS] = {0};
    int at = 0;

    for (int i = 0; i < LAYOUT_LANE_BITS + nv_warp_bits(n->plan); i++) {
        if ((once->copies >> i & 1) == 0)
            masks[i] = (uint32_t)ROOM << at++;
    }
    return nv_shared_at(n, once->buffer, nv_thread_map(n, masks));
}

static void tell_block(Nv *n, const NvOnce *once, Val *values, int count, int bytes)
{
    int doers = 1 << __builtin_popcount(threads_of(n->plan) & ~once->copies);
    NvPlace p = {.bytes = bytes, .address = meeting_place(n, once)};
    Val words[2], doer = nv_once_doer(n, once);

    for (int r = 0; r < count; r++) {
        if (!values[r])
            continue;
        p.how = "st.shared";
        p.offset = (int64_t)r * doers * ROOM;
        p.predicate = doer;
        nv_pack(n, &values[r], 1, bytes, words);
        nv_write(n, &p, words);
    }
    nv_wait_block(n);
    for (int r = 0; r < count; r++) {
        if (!values[r])
            continue;
        p.how = "ld.shared";
        p.offset = (int64_t)r * doers * ROOM;
        p.predicate = NULL;
        nv_read(n, &p, NULL, words);
        nv_unpack(n, words, 1, bytes, &values[r]);
    }
}

void nv_once_tell(Nv *n, const NvOnce *once, Val *values, int count, int bytes)
{
    if (!once || !once->told)
        return;
    if (once->buffer != NV_NO_BUFFER) {
        tell_block(n, once, values, count, bytes);
        return;
    }
    Val doer = LLVMBuildAnd(n->b, n->lane, llvm_int(n->l->i32, ~(int64_t)once->copies), "");
    for (int r = 0; r < count; r++)
        values[r] = values[r] ? nv_shuffle(n, values[r], doer) : NULL;
}
