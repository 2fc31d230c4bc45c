/*
 * nv_once.c - how those that hold copies learn what the one thread found that did the work
 *
 * Carries out what nv_once_plan.c says.
 */
#include "nv.h"

Val nv_once_doer(Nv *n, const NvOnce *once)
{
    return once ? nv_is_first(n, once->copies) : NULL;
}

/* Where those who differ in nothing but copies meet: i32. */
static Val meeting_place(Nv *n, const NvOnce *once)
{
    uint32_t masks[LAYOUT_THREAD_BITS] = {0};
    int at = 0;

    for (int i = 0; i < NV_LANE_BITS + nv_warp_bits(n->plan); i++) {
        if ((once->copies >> i & 1) == 0)
            masks[i] = (uint32_t)NV_ONCE_BYTES << at++;
    }
    return nv_shared_at(n, once->buffer, nv_thread_map(n, masks));
}

static void tell_block(Nv *n, const NvStep *s, Val *values, int count, int bytes)
{
    const NvOnce *once = s->once;
    int doers = 1 << __builtin_popcount(nv_threads(n->plan) & ~once->copies);
    NvPlace p = {.bytes = bytes, .address = meeting_place(n, once)};
    Val words[2], doer = nv_once_doer(n, once);

    for (int r = 0; r < count; r++) {
        if (!values[r])
            continue;
        p.how = "st.shared";
        p.offset = (int64_t)r * doers * NV_ONCE_BYTES;
        p.predicate = doer;
        nv_pack(n, &values[r], 1, bytes, words);
        nv_write(n, &p, words);
    }
    nv_wait(n, &s->within);
    for (int r = 0; r < count; r++) {
        if (!values[r])
            continue;
        p.how = "ld.shared";
        p.offset = (int64_t)r * doers * NV_ONCE_BYTES;
        p.predicate = NULL;
        nv_read(n, &p, NULL, words);
        nv_unpack(n, words, 1, bytes, &values[r]);
    }
}

void nv_once_tell(Nv *n, const NvStep *s, Val *values, int count, int bytes)
{
    const NvOnce *once = s->once;

    if (!once || !once->told)
        return;
    if (once->buffer != NV_NO_BUFFER) {
        tell_block(n, s, values, count, bytes);
        return;
    }
    Val doer = LLVMBuildAnd(n->b, n->lane, llvm_int(n->l->i32, ~(int64_t)once->copies), "");
    for (int r = 0; r < count; r++)
        values[r] = values[r] ? nv_shuffle(n, values[r], doer) : NULL;
}
