/*
 * nv_move.c - moves that are no linear map of layouts, through shared memory
 *
 * A reshape that regroups extents which are no powers of two, and a slice of which some thread
 * would need what another one has.  The operand is laid down in row-major order, without padding,
 * and the result's elements are read from where they come from, as nv_move_plan.c says.
 */
#include "nv.h"

/* The number in row-major order of an element whose indices are at[]. */
static Val row_major(Nv *n, const Type *t, const Val *at)
{
    Val sum = llvm_int(n->l->i32, 0);

    for (int d = 0; d < t->rank; d++) {
        sum = LLVMBuildMul(n->b, sum, llvm_int(n->l->i32, t->dims[d]), "");
        sum = LLVMBuildAdd(n->b, sum, at[d], "");
    }
    return sum;
}

Val nv_laid_down_at(Nv *n, const NvStep *s, const Type *t, const Val *at)
{
    int bytes = nv_exchanged_bytes(n->plan, t);
    Val offset = LLVMBuildMul(n->b, row_major(n, t, at), llvm_int(n->l->i32, bytes), "");

    return nv_shared_at(n, s->uses.at[0].buffer, offset);
}

/* The indices of the element in register r of a tile. */
static void indices_of(Nv *n, const NvTile *t, int r, Val at[MAX_RANK])
{
    for (int d = 0; d < t->layout->rank; d++)
        at[d] = nv_index(n, t->layout, r, d);
}

/* Operand 0, in its buffer. */
static void lay_down(Nv *n, const NvStep *s)
{
    const NvTile *tile = s->in[0];
    const Type *t = tile->value->type;
    int bytes = nv_exchanged_bytes(n->plan, t);
    const NvMove *m = s->detail;
    const int8_t *regs = m->put;
    Inverse inverse;

    layout_invert(tile->layout, &inverse);
    Val first = nv_is_first(n, inverse.copies.lane | inverse.copies.warp << NV_LANE_BITS);
    int count = 1 << m->put_bits;
    for (int r = 0; r < nv_count(tile); r++) {
        Val at[MAX_RANK] = {NULL}, elements[NV_ACCESS_BYTES], words[NV_MOST_WORDS];
        NvPlace p = {.how = "st.shared", .bytes = bytes * count};
        if (!nv_live(tile, r) || (r & nv_vector_register(regs, 0, count - 1)) != 0)
            continue;
        indices_of(n, tile, r, at);
        p.address = nv_laid_down_at(n, s, t, at);
        p.predicate = nv_both(n, first, nv_exists(n, tile->layout, r));
        for (int i = 0; i < count; i++) {
            Val v = nv_get(n, tile)[nv_vector_register(regs, r, i)];
            elements[i] = nv_to_exchanged(n, t, v);
        }
        nv_pack(n, elements, count, bytes, words);
        nv_write(n, &p, words);
    }
}

/* Where the element of the result at at[] lies in what the operand has laid down. */
static Val place_of_source(Nv *n, const NvStep *s, Val *at)
{
    const Type *from = s->op->operands[0]->type, *to = s->op->results[0]->type;
    int count;

    if (s->op->code != OP_slice)
        return nv_laid_down_at(n, s, to, at); /* the same order */
    const int64_t *starts = attr_starts(s->op, &count);
    for (int d = 0; d < count; d++)
        at[d] = LLVMBuildAdd(n->b, at[d], llvm_int(n->l->i32, starts[d]), "");
    return nv_laid_down_at(n, s, from, at);
}

static void read_result(Nv *n, const NvStep *s)
{
    const NvTile *tile = s->out[0];
    const Type *t = tile->value->type;
    int bytes = nv_exchanged_bytes(n->plan, t);
    const NvMove *m = s->detail;
    const int8_t *regs = m->get;
    int count = 1 << m->get_bits;
    Val *out = nv_set(n, tile);

    for (int r = 0; r < nv_count(tile); r++) {
        Val at[MAX_RANK] = {NULL}, elements[NV_ACCESS_BYTES], words[NV_MOST_WORDS];
        NvPlace p = {.how = "ld.shared", .bytes = bytes * count};
        if (!nv_live(tile, r) || (r & nv_vector_register(regs, 0, count - 1)) != 0)
            continue;
        indices_of(n, tile, r, at);
        p.address = place_of_source(n, s, at);
        p.predicate = nv_exists(n, tile->layout, r);
        nv_read(n, &p, NULL, words);
        nv_unpack(n, words, count, bytes, elements);
        for (int i = 0; i < count; i++)
            out[nv_vector_register(regs, r, i)] = nv_from_exchanged(n, t, elements[i]);
    }
}

void nv_move(Nv *n, const NvStep *s)
{
    if (s->op->code == OP_histogram) {
        nv_histogram(n, s);
        return;
    }
    lay_down(n, s);
    nv_wait(n, &s->within);
    if (s->op->code == OP_gather)
        nv_gather(n, s);
    else
        read_result(n, s);
}
