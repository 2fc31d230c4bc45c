/*
 * nv_split.c - fp32 as sums of pieces of bf16
 *
 * Carries out what nv_split_plan.c says.  A piece is the element without those before it, rounded
 * to the nearest number of bf16, so the rest is less than a half of its last bit, and three of them
 * are all of an element.  What is not finite, or nearly so, has pieces that are not: who multiplies
 * them sees that (nv_in_parts.c).
 */
#include "nv.h"

#include <math.h>

int nv_scale(int pieces)
{
    enum { ALL = 3, SCALE = 16 };

    return pieces == ALL ? SCALE : 0;
}

Val nv_scaled(Nv *n, Val v, int pieces)
{
    int scale = nv_scale(pieces);

    return scale ? LLVMBuildFMul(n->b, v, LLVMConstReal(n->l->f32, ldexp(1, scale)), "") : v;
}

/* The bits of a word's two elements, as fp32. */
static Val low_half(Nv *n, Val word)
{
    Val bits = LLVMBuildShl(n->b, word, llvm_int(n->l->i32, 16), "");
    return LLVMBuildBitCast(n->b, bits, n->l->f32, "");
}

static Val high_half(Nv *n, Val word)
{
    Val bits = LLVMBuildAnd(n->b, word, llvm_int(n->l->i32, (int64_t)0xffff0000), "");
    return LLVMBuildBitCast(n->b, bits, n->l->f32, "");
}

void nv_pieces_of_pair(Nv *n, const Val pair[2], int pieces, Val *words)
{
    Val rest[] = {pair[1], pair[0]}; /* as the instruction takes them */

    for (int i = 0; i < pieces; i++) {
        words[i] = nv_pure_asm(n, n->l->i32, "cvt.rn.bf16x2.f32 $0, $1, $2;", "=r,f,f", rest, 2);
        rest[0] = LLVMBuildFSub(n->b, rest[0], high_half(n, words[i]), "");
        rest[1] = LLVMBuildFSub(n->b, rest[1], low_half(n, words[i]), "");
    }
}

typedef struct {
    Nv *n;
    const NvStep *step;
    const NvSplit *split;
    uint32_t threads[LAYOUT_THREAD_BITS];
    Val first; /* this thread does it */
} Splitter;

static uint32_t coordinate_of(const Splitter *x, uint32_t reg)
{
    return layout_at(x->split->layout, (Holder){.reg = reg});
}

/* The elements of a vector that is laid down, read in shorter ones. */
static void read_elements(Splitter *x, uint32_t reg, Val *out)
{
    const NvSplit *s = x->split;
    Nv *n = x->n;
    int each = 1 << s->nread, count = 1 << s->nwrite;

    for (int at = 0; at < count; at += each) {
        NvPlace p = {.how = "ld.shared", .predicate = x->first, .bytes = 4 * each};
        uint32_t first = (uint32_t)nv_vector_register(s->write, (int)reg, at);
        Val words[NV_MOST_WORDS];
        nv_shared_place(n, x->step->in[0], x->threads, coordinate_of(x, first), &p);
        nv_read(n, &p, NULL, words);
        for (int i = 0; i < each; i++)
            out[at + i] = nv_scaled(n, LLVMBuildBitCast(n->b, words[i], n->l->f32, ""),
                                    x->step->out[0]->pieces);
    }
}

static void split_vector(Splitter *x, uint32_t reg)
{
    enum { MOST = NV_ACCESS_BYTES / 2, MOST_PIECES = 3 };
    Nv *n = x->n;
    const NvTile *to = x->step->out[0];
    int pairs = (1 << x->split->nwrite) / 2;
    Val elements[MOST], made[MOST_PIECES], words[MOST_PIECES][MOST / 2];

    read_elements(x, reg, elements);
    for (int i = 0; i < pairs; i++) {
        nv_pieces_of_pair(n, &elements[2 * i], to->pieces, made);
        for (int k = 0; k < to->pieces; k++)
            words[k][i] = made[k];
    }
    for (int k = 0; k < to->pieces; k++) {
        NvPlace p = {.how = "st.shared", .predicate = x->first, .bytes = 4 * pairs};
        nv_shared_place(n, to, x->threads, coordinate_of(x, reg), &p);
        p.offset += k * shared_bytes(&to->memory);
        nv_write(n, &p, words[k]);
    }
}

void nv_split(Nv *n, const NvStep *s)
{
    const NvSplit *split = s->detail;
    Splitter x = {.n = n, .step = s, .split = split, .first = nv_is_first(n, split->copies)};
    int vector = nv_vector_register(split->write, 0, (1 << split->nwrite) - 1);

    nv_threads_of(split->layout, x.threads);
    for (int r = 0; r < layout_registers(split->layout); r++) {
        if ((r & vector) == 0)
            split_vector(&x, (uint32_t)r);
    }
    nv_fence_unit(n);
}
