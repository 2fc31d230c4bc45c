/*
 * nv_mma.h - operands of mma.sync as words of fragments, whatever they come from
 */
#ifndef TILEC_GEN_NV_NV_MMA_H
#define TILEC_GEN_NV_NV_MMA_H

#include "nv.h"
#include "../gpu_plan/nv_dot.h"

enum { MMA_MOST_PIECES = 3 };

/* One operand of a dot while the instructions are listed. */
typedef struct {
    Nv *n;
    const NvDot *dot;
    MmaPart part;
    const NvTile *tile; /* of the operand, or of what it is made of late (nv_late.c) */
    const Type *type;   /* of the operand */
    int per_word;       /* elements, as the instruction takes them */
    int words;          /* of a fragment of one thread */
    Holder surplus;
    const Val *regs; /* of the tile in registers; else */
    Val *read;       /* what has been read: matrix words, or bits of elements; NULL: not yet */
    int nread;       /* room in it */
    Val *made[MMA_MOST_PIECES]; /* words, by fragment; NULL: not yet */
} MmaOperand;

/* A fragment's number among those of its warp: along the batch, and in its matrix. */
typedef struct {
    int batch, row, column;
} MmaFragment;

/* What has been read of the operands in shared memory, as MmaOperand.read. */
typedef struct {
    Val *words[2];
    int count[2];
} NvReads;

/* nv_mma.c */
/* Read what the first step along K takes, from the stage of now. */
void nv_mma_read_first(Nv *n, const NvStep *product, NvReads *out);

/* nv_wgmma.c */
void nv_wgmma(Nv *n, const NvStep *s); /* a step of DOT_WGMMA */
/* The words of its rows, which are in registers; so many. */
Val *nv_wgmma_rows(Nv *n, const NvStep *s, int *count);

/* nv_hold.c: rows that a loop does not change (NvDot.kept) */
/* Those words of a product, in a round; NULL: they are not held. */
const Val *nv_held_rows(Nv *n, const NvStep *s, int count);
/* Wait for products; the registers of sums (NULL: none) that they leave become those that are
 * whole.
 */
typedef struct {
    Val *regs;
    int count;
    const NvStep *product;
} NvSum;
void nv_wgmma_land(Nv *n, const NvWait *wait, const NvSum *sums, int count);

/* nv_sums.c: products whose sums lie in tensor memory */
void nv_sum_multiply(Nv *n, const NvStep *s);
/* As nv_wgmma_land(); the registers become those that are read from there. */
void nv_sums_land(Nv *n, const NvWait *wait, const NvSum *sums, int count);
void nv_sums_wait(Nv *n, int in_flight); /* for all products but the last ones */

/* nv_ahead.c, of the loop whose round is being made */
/* What this round's product has of the round before; NULL: nothing. */
const NvReads *nv_ahead_early(Nv *n, const NvStep *product);
/* Wait for the next round's copies and have its stage be the one of now; behind the last round any
 * that was written.  Returns where the product is to leave what it reads there. */
NvReads *nv_ahead_turn(Nv *n);

/* nv_fragment.c */
/* Start on operand a or b of the dot of a step, which must be computed or in shared memory. */
void nv_operand_begin(Nv *n, const NvStep *s, MmaPart part, MmaOperand *out);
/* Have what a word of a fragment is made of in registers, as it lies in shared memory. */
void nv_operand_read(MmaOperand *o, const MmaFragment *f, int word);
/* Word `word` of piece `piece` of a fragment.  What lies in shared memory is read when it is first
 * asked for. */
Val nv_operand_word(MmaOperand *o, const MmaFragment *f, int word, int piece);

#endif
