/*
 * nv_put.c - tiles in shared memory: their addresses, and stores of what registers hold
 *
 * Carries out what nv_put_plan.c says.  Padding is written too, as zeros.
 */
#include "nv.h"

void nv_threads_of(const Layout *l, uint32_t threads[LAYOUT_THREAD_BITS])
{
    for (int i = 0; i < NV_LANE_BITS; i++)
        threads[i] = l->lane[i];
    for (int i = 0; i < LAYOUT_THREAD_BITS - NV_LANE_BITS; i++)
        threads[NV_LANE_BITS + i] = i < l->nwarp ? l->warp[i] : 0;
}

void nv_shared_place(Nv *n, const NvTile *t, const uint32_t threads[LAYOUT_THREAD_BITS],
                     uint32_t fixed, NvPlace *out)
{
    nv_shared_place_by(n, t, threads, fixed, &(NvMoved){0}, out);
}

/* What the element's constant shares with the bits that threads move goes into the address, of
 * which there are few that differ; the rest is the instruction's constant. */
void nv_shared_place_by(Nv *n, const NvTile *t, const uint32_t threads[LAYOUT_THREAD_BITS],
                        uint32_t fixed, const NvMoved *by, NvPlace *out)
{
    uint32_t bytes = (uint32_t)t->memory.bytes, masks[LAYOUT_THREAD_BITS], moved = by->bits;
    uint32_t constant = shared_offset(&t->memory, fixed) * bytes;

    for (int i = 0; i < LAYOUT_THREAD_BITS; i++) {
        masks[i] = shared_offset(&t->memory, threads[i]) * bytes;
        moved |= masks[i];
    }
    LLVMBasicBlockRef now = nv_at_head(n);
    Val at = nv_thread_map(n, masks);
    if ((constant & moved) != 0)
        at = LLVMBuildXor(n->b, at, llvm_int(n->l->i32, constant & moved), "");
    if (!by->offset)
        at = nv_shared_at(n, t->buffer, at);
    nv_leave_head(n, now);
    if (by->offset)
        at = nv_shared_at(n, t->buffer, LLVMBuildXor(n->b, at, by->offset, ""));
    out->address = at;
    if (n->stage[t->buffer])
        out->address = LLVMBuildAdd(n->b, out->address, n->stage[t->buffer], "");
    out->offset = t->at + (int64_t)(constant & ~moved);
}

void nv_move_by_bit(Nv *n, const SharedLayout *memory, uint32_t coordinate, Val number, int bit,
                    NvMoved *to)
{
    uint32_t mask = shared_offset(memory, coordinate) * (uint32_t)memory->bytes;
    Val v = LLVMBuildLShr(n->b, number, llvm_int(n->l->i32, bit), "");

    v = LLVMBuildAnd(n->b, v, llvm_int(n->l->i32, 1), "");
    v = LLVMBuildMul(n->b, v, llvm_int(n->l->i32, mask), "");
    to->offset = to->offset ? LLVMBuildXor(n->b, to->offset, v, "") : v;
    to->bits |= mask;
}

/* Its bits; 0 where nothing exists. */
static Val bits_or_zero(Nv *n, const NvTile *t, int r)
{
    Val v = nv_get(n, t)[r];

    if (!v)
        return llvm_int(nv_bits_type(n, t->value->type), 0);
    Val there = nv_exists(n, t->layout, r);
    v = nv_to_bits(n, t->value->type, v);
    return there ? LLVMBuildSelect(n->b, there, v, LLVMConstNull(LLVMTypeOf(v)), "") : v;
}

void nv_put(Nv *n, const NvStep *s)
{
    nv_lay_down(n, s->in[0], s->out[0], s->detail);
}

void nv_lay_down(Nv *n, const NvTile *from, const NvTile *to, const NvPut *put)
{
    int count = 1 << put->nvector, bytes = to->memory.bytes;
    Val first = nv_is_first(n, put->copies);
    uint32_t threads[LAYOUT_THREAD_BITS];

    nv_threads_of(from->layout, threads);
    for (int r = 0; r < nv_count(from); r++) {
        NvPlace p = {.how = "st.shared", .predicate = first, .bytes = bytes * count};
        Val elements[NV_ACCESS_BYTES], words[NV_MOST_WORDS];
        if ((r & nv_vector_register(put->regs, 0, count - 1)) != 0)
            continue;
        nv_shared_place(n, to, threads, layout_at(from->layout, (Holder){.reg = (uint32_t)r}), &p);
        for (int i = 0; i < count; i++)
            elements[i] = bits_or_zero(n, from, nv_vector_register(put->regs, r, i));
        nv_pack(n, elements, count, bytes, words);
        nv_write(n, &p, words);
    }
    if (put->fence)
        nv_fence_unit(n);
}
