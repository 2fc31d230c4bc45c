/*
 * nv_dot.h - how a product is computed: what the plan says of a dot, for those who carry it out
 *
 * By instructions for matrices, whose fragments layout_mma() describes, of a warp or of four warps
 * together, or by multiply-adds.  nv_dot.c chooses, nv_group_dot.c what four warps do together;
 * nv_mma.c, nv_wgmma.c and nv_fma.c emit.
 */
#ifndef TILEC_GPU_PLAN_NV_DOT_H
#define TILEC_GPU_PLAN_NV_DOT_H

#include "nv_plan.h"

typedef enum { DOT_FMA, DOT_MMA, DOT_WGMMA } NvDotKind;

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
    const char *name; /* NULL: it is for groups of warps alone */
    int bytes;        /* of an element in fragments, which are those of mma_shape() */
    MmaPiece piece;
    int pieces;          /* 1: the product is one instruction, else one for each pair of pieces */
    int halves;          /* 2: elements are twice as long for the instruction, which takes half of
                            a fragment's K: the lower half of each word's, then the upper one's */
    char operand, sum;   /* registers of operands and of the sum, as LLVM's constraints say */
    DType a, b;          /* of the operands that it is for */
    unsigned precisions; /* of fp32, a bit for each; 0: whatever is asked for */
    const char *group;   /* wgmma.mma_async.sync.aligned.m64nNkK.GROUP; NULL: there is none */
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
    OPERAND_VECTORS,   /* from shared memory, by usual loads */
    OPERAND_MEMORY     /* the instruction reads it there by itself: wgmma */
} OperandWay;
typedef struct {
    OperandWay way;
    bool trans;          /* of ldmatrix */
    bool boxes;          /* it lies as tensor copies bring it */
    MatrixAccess matrix; /* for it */
    WgmmaOperand memory; /* for wgmma, of a tile that lies so: */
    SharedLayout place;
    NvLate *late; /* what the tile in memory still goes through, in order */
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
    int32_t part; /* of K: the unit sums up so much by itself, from zero on, and threads add it to
                     the sum, rounded to nearest; 0: the sum goes through the unit */
    int32_t part_columns; /* of each such sum, at most; */
    int32_t part_words;   /* what it has in registers of a thread, with its rows; */
    int parts_at_once;    /* how many are under way */
    bool turned; /* the product's transpose is computed: the instruction's A is the op's b, and its
                    B  the op's a; in[], operand[], layout[] and regs[] are by the instruction's */
    const char *no_groups; /* why groups of four warps do not compute it; NULL: they do */
    const Op *kept; /* DOT_WGMMA: the loop that does not change its rows, which are in registers;
                       NULL: there is none */
    bool at_once;   /* DOT_WGMMA: its rows are there before its first instruction, and all go behind
                       one fence: the assembler makes as many groups of them as there are fences */
    bool in_tensor_memory; /* by tcgen05.mma: the sum lies there while it is under way, */
    int column;            /* .. from this column on, of those of the program (nv_sums.c), */
    int columns;           /* .. in so many for each group of warps */
    int in_flight; /* DOT_WGMMA: groups of instructions, the step's own among them, that may still
                      be under way behind it: the sum is the next round's, and nobody else's */
} NvDot;

/* Multiply-adds go along K in rounds of so many steps at least, as bits: no vector that is read for
 * them may hold two elements of one row that are further apart. */
enum { NV_ROUND_BITS = 2 };

/* Operands of a step of a product in pieces from here on: A and B as they are, in shared memory. */
enum { DOT_WHOLE = MMA_ACC + 1 };

/* Rows that a group of warps multiplies at a time. */
static inline int nv_group_rows(const NvDot *d)
{
    return d->tiling.tall ? 2 * WGMMA_ROWS : WGMMA_ROWS;
}

/* Does the unit keep too few bits of sums for all of K? */
static inline bool nv_sums_in_parts(const MmaInstruction *mma)
{
    return mma->group && (mma->pieces > 1 || dtype_is_fp8(mma->a));
}

/* Which operand of the op is that of the instruction. */
static inline MmaPart nv_dot_operand(const NvDot *d, MmaPart part)
{
    return d->turned ? (MmaPart)(MMA_B - part) : part;
}

/* nv_dot.c */
/* Is the register's bit one of K, beyond the shortest round? */
bool nv_is_far_along(const NvDot *d, int bit);
/* The access of who holds a tile in `l` and writes the longest vectors that begin as those of the
 * reader do; without a reader's vector the layout's own. */
SharedAccess nv_writer_of(const Layout *l, int bytes, const SharedAccess *reader);
/* Is it the left operand of another product, or made of one, element by element? */
bool nv_is_chained(NvPlan *p, const Op *dot);
/* Do an operand's elements, of a byte each, lie next to each other across K? */
bool nv_lies_across(NvPlan *p, const Op *op, MmaPart part);
/* The layout of a part in fragments, whose registers are filled in. */
const Layout *nv_mma_layout(NvPlan *p, NvDot *d, MmaPart part, const Type *t);
/* Is it cheaper where that operand, made of `v`, is to go to shared memory as a whole, or has it
 * to? */
bool nv_goes_through_memory(NvPlan *p, const NvDot *d, MmaPart part, const Value *v);
/* Want an operand of the step whose words threads have in registers when they multiply. */
void nv_want_fragments(NvPlan *p, NvStep *s, NvDot *d, MmaPart part);

/* nv_group_dot.c */
/* Can four warps compute it together, and does nothing speak against that?  Then fill in how; the
 * rest of *d is as for instructions of one warp. */
bool nv_plan_group_dot(NvPlan *p, const Op *op, NvDot *d);
/* Want the operands of its step. */
void nv_want_group_operands(NvPlan *p, NvStep *s, NvDot *d);
/* Which products of a loop may go on over the end of a round: into a->flying.  By tile: how often
 * it is read, and whether copies bring it. */
void nv_find_flying(NvPlan *p, const NvBlock *body, const int *users, const bool *copied,
                    NvAhead *a);
void nv_let_fly(const NvPlan *p, const NvStep *loop, NvAhead *a); /* have them do so */

/* Where things lie in the buffer of NvPlan.sums: the address of tensor memory, then for each group
 * of warps as many mbarriers as products of its may be under way. */
enum { NV_SUM_BARRIERS = 8, NV_SUM_BARRIER = 8 };
static inline int nv_group_count(const NvPlan *p)
{
    return p->warps >> WGMMA_WARP_BITS;
}

/* nv_late.c */
/* What is to be in shared memory for an operand of a dot: itself, or what it is made of by ops that
 * come later, which are filled in; `out` may be NULL. */
const Value *nv_late_source(NvPlan *p, const Op *dot, MmaPart part, NvOperand *out);
/* Want what those ops need beside, in that layout, for the step of the dot. */
void nv_late_want(NvPlan *p, NvStep *s, NvOperand *o, const Layout *l);

/* nv_registers.c: of a quarter of a multiprocessor, for one thread of each of its warps together:
 * it has its own, and its share of the warps, and hands them out by the unit. */
enum { NV_QUARTERS = 4, NV_REGISTER_UNIT = 8, NV_PRODUCER_REGISTERS = 24 };
int nv_quarter_registers(const NvPlan *p);
int nv_launched_registers(const NvPlan *p); /* of a thread, where a warp more of each is launched */
/* Of those, that a thread may have where a group of warps, the producer's, gives away its own. */
int nv_ring_registers(const NvPlan *p);

#endif
