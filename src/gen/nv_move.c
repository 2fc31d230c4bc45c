/*
 * nv_move.c - moves that are no linear map of layouts, through shared memory
 *
 * A reshape that regroups extents which are no powers of two, and a slice of which some thread
 * would need what another one has.  The operand is laid down in row-major order, without padding,
 * and the result's elements are read from where they come from.
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
    int bytes = nv_exchanged_bytes(t);
    Val offset = LLVMBuildMul(n->b, row_major(n, t, at), llvm_int(n->l->i32, bytes), "");

    return nv_shared_at(n, s->uses.at[0].buffer, offset);
}

/* Operand 0, in its buffer. */
static void lay_down(Nv *n, const NvStep *s)
{
    const NvTile *tile = s->in[0];
    const Type *t = tile->value->type;
    int bytes = nv_exchanged_bytes(t);
    Inverse inverse;

    layout_invert(tile->layout, &inverse);
    Val first = nv_is_first(n, inverse.copies.lane | inverse.copies.warp << LAYOUT_LANE_BITS);
    for (int r = 0; r < nv_count(tile); r++) {
        Val at[MAX_RANK] = {NULL}, words[2], v;
        NvPlace p = {.how = "st.shared", .bytes = bytes};
        if (!nv_live(tile, r))
            continue;
        for (int d = 0; d < t->rank; d++)
            at[d] = nv_index(n, tile->layout, r, d);
        p.address = nv_laid_down_at(n, s, t, at);
        p.predicate = nv_both(n, first, nv_exists(n, tile->layout, r));
        v = nv_to_exchanged(n, t, nv_get(n, tile)[r]);
        nv_pack(n, &v, 1, bytes, words);
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
    int bytes = nv_exchanged_bytes(t);
    Val *out = nv_set(n, tile);

    for (int r = 0; r < nv_count(tile); r++) {
        Val at[MAX_RANK] = {NULL}, words[2], v;
        NvPlace p = {.how = "ld.shared", .bytes = bytes};
        if (!nv_live(tile, r))
            continue;
        for (int d = 0; d < t->rank; d++)
            at[d] = nv_index(n, tile->layout, r, d);
        p.address = place_of_source(n, s, at);
        p.predicate = nv_exists(n, tile->layout, r);
        nv_read(n, &p, NULL, words);
        nv_unpack(n, words, 1, bytes, &v);
        out[r] = nv_from_exchanged(n, t, v);
    }
}

void nv_move(Nv *n, const NvStep *s)
{
    if (s->op->code == OP_histogram) {
        nv_histogram(n, s);
        return;
    }
    lay_down(n, s);
    nv_wait_block(n);
    if (s->op->code == OP_gather)
        nv_gather(n, s);
    else
        read_result(n, s);
}
