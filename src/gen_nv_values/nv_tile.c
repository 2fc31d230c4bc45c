/*
 * nv_tile.c - the registers of a tile, and which element each of them is
 *
 * Layouts are linear: an index is what the thread contributes, moved by what the register's number
 * does.  The first part is computed once for each layout and dimension, at the head of the kernel;
 * the second one is a constant.  They hardly ever share bits, and then the sum is an addition that
 * cannot wrap, which LLVM folds into addresses.
 */
#include "nv_values.h"

LLVMBasicBlockRef nv_block(Nv *n)
{
    return LLVMAppendBasicBlockInContext(n->l->ctx, n->fn, "");
}

int nv_count(const NvTile *t)
{
    return t->layout ? layout_registers(t->layout) : 1;
}

bool nv_live(const NvTile *t, int r)
{
    return !t->layout || layout_register_live(t->layout, (uint32_t)r);
}

bool nv_turn(const Nv *n, const NvStep *s, const NvTile *t, int r)
{
    return nv_live(t, r) && (!s->slice_of || s->slice_of[r] == n->slice);
}

const Val *nv_get(const Nv *n, const NvTile *t)
{
    if (!n->regs[t->id])
        bug("a tile of value %d is used before it is computed", t->value->id);
    return n->regs[t->id];
}

Val *nv_set(Nv *n, const NvTile *t)
{
    return n->regs[t->id] = NEW_N(n->arena, Val, nv_count(t));
}

Val *nv_out(Nv *n, const NvStep *s, int i)
{
    return s->slice_of && n->slice > 0 ? n->regs[s->out[i]->id] : nv_set(n, s->out[i]);
}

Val nv_scalar(const Nv *n, const NvTile *t)
{
    return nv_get(n, t)[0];
}

LLVMTypeRef nv_type(const Nv *n, const NvTile *t)
{
    return emit_type(&n->e, t->value->type, 0);
}

int nv_vector_register(const int8_t *regs, int r, int i)
{
    for (int k = 0; i >> k != 0; k++)
        r |= (i >> k & 1) << regs[k];
    return r;
}

/* --- threads --- */

static int thread_bits(const Nv *n)
{
    return NV_LANE_BITS + nv_warp_bits(n->plan);
}

static Val shifted(Nv *n, Val v, int by)
{
    if (by > 0)
        return LLVMBuildShl(n->b, v, llvm_int(n->l->i32, by), "");
    return by < 0 ? LLVMBuildLShr(n->b, v, llvm_int(n->l->i32, -by), "") : v;
}

/* Bit i of the thread's number that moves bit k goes to the term of distance k - i: the number,
 * masked and shifted. */
Val nv_thread_map(Nv *n, const uint32_t *masks)
{
    uint32_t all = (1u << thread_bits(n)) - 1, covered = 0;
    Val sum = NULL;

    for (int by = -thread_bits(n); by < 32; by++) {
        uint32_t from = 0, to;
        for (int i = 0; i < thread_bits(n); i++) {
            int k = i + by;
            if (k >= 0 && k < 32 && masks[i] >> k & 1)
                from |= 1u << i;
        }
        if (from == 0)
            continue;
        to = by > 0 ? from << by : from >> -by;
        Val term = n->thread;
        if (from != all)
            term = LLVMBuildAnd(n->b, term, llvm_int(n->l->i32, from), "");
        term = shifted(n, term, by);
        if (sum)
            term = covered & to ? LLVMBuildXor(n->b, sum, term, "")
                                : LLVMBuildNUWAdd(n->b, sum, term, "");
        sum = term;
        covered |= to;
    }
    return sum ? sum : llvm_int(n->l->i32, 0);
}

/* What each bit of the thread's number moves: the layout's lanes, then its warps. */
static uint32_t moved_by(const Layout *l, int bit)
{
    return bit < NV_LANE_BITS              ? l->lane[bit]
           : bit - NV_LANE_BITS < l->nwarp ? l->warp[bit - NV_LANE_BITS]
                                           : 0;
}

/* What of the index along a dimension the threads move, and what the registers. */
typedef struct {
    Val part;            /* i32 */
    uint32_t bits, most; /* that threads move; the largest part */
} ThreadPart;

LLVMBasicBlockRef nv_at_head(Nv *n)
{
    LLVMBasicBlockRef now = LLVMGetInsertBlock(n->b), head = LLVMGetEntryBasicBlock(n->fn);

    LLVMPositionBuilderBefore(n->b, LLVMGetBasicBlockTerminator(head));
    return now;
}

/* Going there has taken the place in the source from the code that is there. */
void nv_leave_head(Nv *n, LLVMBasicBlockRef before)
{
    LLVMPositionBuilderAtEnd(n->b, before);
    llvm_lines_place(n->l, n->b);
}

static const ThreadPart *thread_part(Nv *n, const Layout *l, int dim)
{
    uint64_t key = MAP_KEY(l) * MAX_RANK + (uint64_t)dim;
    ThreadPart *t = map_get(n->parts, key);
    uint32_t masks[LAYOUT_THREAD_BITS] = {0};

    if (t)
        return t;
    t = NEW(n->arena, ThreadPart);
    for (int i = 0; i < LAYOUT_THREAD_BITS; i++) {
        masks[i] = (uint32_t)layout_index(l, moved_by(l, i), dim);
        t->bits |= masks[i];
    }
    LLVMBasicBlockRef now = nv_at_head(n);
    t->part = nv_thread_map(n, masks);
    nv_leave_head(n, now);
    map_put(n->parts, key, t);
    return t;
}

Val nv_index(Nv *n, const Layout *l, int r, int dim)
{
    const ThreadPart *t = thread_part(n, l, dim);
    uint32_t constant = (uint32_t)layout_index(l, layout_at(l, (Holder){.reg = (uint32_t)r}), dim);
    Val c = llvm_int(n->l->i32, constant);

    if (constant == 0)
        return t->part;
    if (t->bits == 0)
        return c;
    if (constant & t->bits)
        return LLVMBuildXor(n->b, t->part, c, "");
    Val sum = LLVMBuildNUWAdd(n->b, t->part, c, "");
    return sum;
}

bool nv_index_behind(Nv *n, const Layout *l, int r, int dim, int64_t *out)
{
    *out = layout_index(l, layout_at(l, (Holder){.reg = (uint32_t)r}), dim);
    return ((uint32_t)*out & thread_part(n, l, dim)->bits) == 0;
}

Val nv_exists(Nv *n, const Layout *l, int r)
{
    Val all = NULL;

    if (layout_register_exists(l, (uint32_t)r) == EXISTS_IN_ALL)
        return NULL;
    for (int d = 0; d < l->rank; d++) {
        if ((l->dims[d] & (l->dims[d] - 1)) == 0)
            continue;
        Val at = nv_index(n, l, r, d), end = llvm_int(n->l->i32, l->dims[d]);
        all = nv_both(n, all, LLVMBuildICmp(n->b, LLVMIntULT, at, end, ""));
    }
    return all;
}

Val nv_is_first(Nv *n, uint32_t copies)
{
    copies &= (1u << thread_bits(n)) - 1;
    if (copies == 0)
        return NULL;
    Val bits = LLVMBuildAnd(n->b, n->thread, llvm_int(n->l->i32, copies), "");
    return LLVMBuildICmp(n->b, LLVMIntEQ, bits, llvm_int(n->l->i32, 0), "");
}

Val nv_both(Nv *n, Val a, Val b)
{
    return !a ? b : !b ? a : LLVMBuildAnd(n->b, a, b, "");
}

Val nv_shared_at(Nv *n, int buffer, Val offset)
{
    int64_t start = n->plan->buffers.at[buffer].offset;
    Val at = LLVMBuildAdd(n->b, offset, llvm_int(n->l->i32, start), "");

    return LLVMBuildAdd(n->b, n->shared, at, "");
}
