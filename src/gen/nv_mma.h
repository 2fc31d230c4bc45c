/*
 * nv_mma.h - operands of mma.sync as words of fragments, whatever they come from
 */
#ifndef TILEC_GEN_NV_MMA_H
#define TILEC_GEN_NV_MMA_H

#include "nv.h"
#include "nv_dot.h"

enum { MMA_MOST_PIECES = 3 };

/* One operand of a dot while the instructions are listed. */
typedef struct {
    Nv *n;
    const NvDot *dot;
    MmaPart part;
    const NvTile *tile;
    int per_word; /* elements */
    int words;    /* of a fragment of one thread */
    Holder surplus;
    const Val *regs;            /* of the tile in registers; else */
    Val *read;                  /* what has been read: matrix words, or elements; NULL: not yet */
    Val *made[MMA_MOST_PIECES]; /* words, by fragment; NULL: not yet */
} MmaOperand;

/* A fragment's number among those of its warp: along the batch, and in its matrix. */
typedef struct {
    int batch, row, column;
} MmaFragment;

/* nv_fragment.c */
/* Start on operand a or b of the dot of a step, which must be computed or in shared memory. */
void nv_operand_begin(Nv *n, const NvStep *s, MmaPart part, MmaOperand *out);
/* Word `word` of piece `piece` of a fragment.  What lies in shared memory is read when it is first
 * asked for. */
Val nv_operand_word(MmaOperand *o, const MmaFragment *f, int word, int piece);

#endif
