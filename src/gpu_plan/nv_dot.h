/*
 * nv_dot.h - how a product is computed: what the plan says of a dot, for those who carry it out
 *
 * By instructions for matrices, whose fragments layout_mma() describes, or by multiply-adds.
 * nv_dot.c chooses; nv_mma.c and nv_fma.c emit.
 */
#ifndef TILEC_GPU_PLAN_NV_DOT_H
#define TILEC_GPU_PLAN_NV_DOT_H

#include "nv_plan.h"

typedef enum { DOT_FMA, DOT_MMA } NvDotKind;

/* What an element of an operand becomes for the instruction.  One of fp32 can be the sum of several
 * pieces, each the rest of those before it, rounded. */
typedef enum {
    PIECE_OWN,  /* its own bits */
    PIECE_FP16, /* of fp8 */
    PIECE_BF16,
    PIECE_TF32
} MmaPiece;

/* mma.sync.aligned.NAME */
typedef struct {
    const char *name;
    int bytes; /* of an element in fragments, which are those of mma_shape() */
    MmaPiece piece;
    int pieces;          /* 1: the product is one instruction, else one for each pair of pieces */
    int halves;          /* 2: elements are twice as long for the instruction, which takes half of
                            a fragment's K: the lower half of each word's, then the upper one's */
    char operand, sum;   /* registers of operands and of the sum, as LLVM's constraints say */
    DType a, b;          /* of the operands that it is for */
    unsigned precisions; /* of fp32, a bit for each; 0: whatever is asked for */
} MmaInstruction;

/* An op between the tile in shared memory and the operand (nv_late.c). */
typedef struct {
    const Op *op;
    int main;                                   /* which of its operands comes from there */
    const NvTile *in[MAX_ELEMENTWISE_OPERANDS]; /* the others, in the layout of the fragments */
} NvLate;

/* How words of an operand's fragments come. */
typedef enum {
    OPERAND_REGISTERS, /* it is in the instruction's layout */
    OPERAND_MATRICES,  /* from shared memory, by ldmatrix */
    OPERAND_VECTORS    /* from shared memory, by usual loads */
} OperandWay;
typedef struct {
    OperandWay way;
    bool trans;          /* of ldmatrix */
    MatrixAccess matrix; /* for it */
    NvLate *late;        /* what the tile in memory still goes through, in order */
    int nlate;
    int nvector;                    /* bits: elements of a usual load, */
    int8_t vector[MAX_VECTOR_BITS]; /* which are these bits of the register's number */
} NvOperand;

typedef struct {
    NvDotKind kind;
    const Layout *layout[3];   /* of MMA_A, MMA_B, MMA_ACC */
    const MmaInstruction *mma; /* NULL: multiply-adds */
    MmaTiling tiling;
    MmaRegisters regs[3];
    NvOperand operand[2];
    int32_t m, n, k;
} NvDot;

/* nv_late.c */
/* What is to be in shared memory for an operand of a dot: itself, or what it is made of by ops that
 * come later, which are filled in; `out` may be NULL. */
const Value *nv_late_source(NvPlan *p, const Op *dot, MmaPart part, NvOperand *out);
/* Want what those ops need beside, in that layout, for the step of the dot. */
void nv_late_want(NvPlan *p, NvStep *s, NvOperand *o, const Layout *l);

#endif
