/*
 * nv_wgmma.h - a product of four warps while its instructions are listed: what nv_wgmma.c has for
 * nv_in_parts.c
 */
#ifndef TILEC_GEN_NV_NV_WGMMA_H
#define TILEC_GEN_NV_NV_WGMMA_H

#include "nv_mma.h"

enum {
    WGMMA_MOST_COLUMNS = 256,   /* of an instruction */
    WGMMA_FRAGMENT_COLUMNS = 8, /* of a fragment of the sum, */
    WGMMA_FRAGMENT = 4,         /* and how many registers of a thread that is */
    WGMMA_WORDS_OF_A = 4,       /* of a thread, where rows are in registers */
    WGMMA_MOST_SUM = WGMMA_ROWS * WGMMA_MOST_COLUMNS / 128 /* registers of a thread */
};

typedef struct {
    Nv *n;
    const NvStep *step;
    const NvDot *dot;
    MmaOperand rows;   /* of A, where it is in registers */
    Val descriptor[2]; /* i64: of the first instruction's operands in memory; else NULL */
    int columns;       /* of an instruction */
    bool fresh;        /* the sum begins at zero */
    Val never;         /* of products in parts, for WGMMA_IN_PLACE; NULL: there is none */
    const Val
        *given; /* the words of its rows, as nv_wgmma_rows() gives them; NULL: they are made */
    Val *sum;   /* registers */
} Wgmma;

/* The registers of an instruction's sum: first row and fragment of columns; a step along K. */
typedef struct {
    int row, column, k;
} WgmmaPlace;

/* Do the registers of the sum count so far? */
typedef enum {
    WGMMA_ADDS,
    WGMMA_ANEW,    /* no, and there are none yet */
    WGMMA_IN_PLACE /* no, but they are to be the same ones: the assembler, which would take others,
                      must not know that they do not */
} WgmmaSum;

/* Start on a step's operands; `most` columns of an instruction at most. */
void nv_wgmma_begin(Wgmma *x, int most);
/* The number of an operand's element at the row or column of the sum that the coordinate has, and
 * at k. */
uint32_t nv_wgmma_operand_at(const Wgmma *x, MmaPart part, uint32_t of_sum, int32_t k);
/* The descriptor (i64) of an operand's part that begins at that element of the sum, at k. */
Val nv_wgmma_descriptor(Wgmma *x, MmaPart part, uint32_t of_sum, int32_t k, int piece);
/* One instruction: that piece of B, the words of A (NULL: A is in memory) and the registers of the
 * sum, which become the new ones. */
void nv_wgmma_issue(Wgmma *x, const WgmmaPlace *p, int piece, const Val *words, WgmmaSum how,
                    Val *sums);
/* Registers go through that instruction as values: what they are is made in front, and what uses
 * them stands behind. */
void nv_wgmma_pass(Nv *n, const char *text, Val **regs, int count);

/* nv_in_parts.c: the whole of a product in parts (NvDot.part), added to the sum. */
void nv_multiply_in_parts(Wgmma *x);

#endif
