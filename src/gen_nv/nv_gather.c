/*
 * nv_gather.c - gathers and histograms, through shared memory
 */
#include "nv.h"

/* An index of any integer type as an i32, and whether it is one of so many: the rest counts from
 * there on as none. */
typedef struct {
    Val at, valid;
} Index;

static Index index_of(Nv *n, const Type *t, Val v, int32_t extent)
{
    bool is_wide = dtype_bits(t->dtype) > 32;
    LLVMTypeRef type = is_wide ? n->l->i64 : n->l->i32;
    Val at = LLVMBuildIntCast2(n->b, v, type, dtype_is_signed(t->dtype), "");
    Val valid = LLVMBuildICmp(n->b, LLVMIntULT, at, llvm_int(type, extent), "");

    return (Index){LLVMBuildTruncOrBitCast(n->b, at, n->l->i32, ""), valid};
}

void nv_gather(Nv *n, const NvStep *s)
{
    const NvTile *tile = s->out[0], *index = s->in[GATHER_INDEX];
    const Type *source = s->op->operands[GATHER_SOURCE]->type;
    int axis = (int)attr_axis(s->op), bytes = nv_exchanged_bytes(n->plan, source);
    Val *out = nv_set(n, tile);

    for (int r = 0; r < nv_count(tile); r++) {
        Val at[MAX_RANK], words[2], v;
        NvPlace p = {.how = "ld.shared", .bytes = bytes};
        if (!nv_live(tile, r))
            continue;
        Index i = index_of(n, index->value->type, nv_get(n, index)[r], source->dims[axis]);
        for (int d = 0; d < source->rank; d++)
            at[d] = d == axis ? i.at : nv_index(n, tile->layout, r, d);
        p.address = nv_laid_down_at(n, s, source, at);
        p.predicate = nv_both(n, i.valid, nv_exists(n, tile->layout, r));
        nv_read(n, &p, NULL, words);
        nv_unpack(n, words, 1, bytes, &v);
        out[r] = nv_from_exchanged(n, source, v);
    }
}

/* --- histograms --- */

static Val first_of(Nv *n, const NvTile *t)
{
    Inverse v;

    layout_invert(t->layout, &v);
    return nv_is_first(n, v.copies.lane | v.copies.warp << NV_LANE_BITS);
}

/* The place of the bin that register r of the result is. */
static NvPlace bin_place(Nv *n, const NvStep *s, int r, const char *how)
{
    const NvTile *t = s->out[0];
    Val at = nv_index(n, t->layout, r, 0);
    Val address = nv_laid_down_at(n, s, t->value->type, &at);

    return (NvPlace){.how = how,
                     .bytes = dtype_size(DT_I32),
                     .address = address,
                     .predicate = nv_exists(n, t->layout, r)};
}

static void clear_bins(Nv *n, const NvStep *s)
{
    Val zero = llvm_int(n->l->i32, 0), first = first_of(n, s->out[0]);

    for (int r = 0; r < nv_count(s->out[0]); r++) {
        if (!nv_live(s->out[0], r))
            continue;
        NvPlace p = bin_place(n, s, r, "st.shared");
        p.predicate = nv_both(n, p.predicate, first);
        nv_write(n, &p, &zero);
    }
}

static void count_values(Nv *n, const NvStep *s)
{
    const NvTile *t = s->in[HISTOGRAM_VALUES];
    const Type *bins = s->op->results[0]->type;
    bool masked = s->nin > HISTOGRAM_MASK && s->in[HISTOGRAM_MASK];
    Val first = first_of(n, t);

    for (int r = 0; r < nv_count(t); r++) {
        if (!nv_live(t, r))
            continue;
        Index i = index_of(n, t->value->type, nv_get(n, t)[r], bins->dims[0]);
        Val exists = nv_exists(n, t->layout, r);
        Val counts = nv_both(n, nv_both(n, i.valid, first), exists);
        if (masked)
            counts = nv_both(n, counts, nv_get(n, s->in[HISTOGRAM_MASK])[r]);
        Val args[] = {nv_laid_down_at(n, s, bins, &i.at), counts};
        nv_asm(n, n->l->none, "@$1 red.shared.add.u32 [$0], 1;", "r,b,~{memory}", args, 2);
    }
}

void nv_histogram(Nv *n, const NvStep *s)
{
    Val *out = nv_set(n, s->out[0]);

    clear_bins(n, s);
    nv_wait(n, &s->within);
    count_values(n, s);
    nv_wait(n, &s->within);
    for (int r = 0; r < nv_count(s->out[0]); r++) {
        if (!nv_live(s->out[0], r))
            continue;
        NvPlace p = bin_place(n, s, r, "ld.shared");
        nv_read(n, &p, NULL, &out[r]);
    }
}
