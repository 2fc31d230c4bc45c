/*
 * cut.h - what the files share that cut a long function of LLVM's into short ones
 *
 *   cut.c         where, and llvm_cut()
 *   cut_order.c   the blocks of a function in order, and the places where it may be cut
 *   cut_pieces.c  functions from what lies between two of these places
 *   cut_values.c  values that one piece makes and another reads
 */
#ifndef TILEC_GEN_CUT_H
#define TILEC_GEN_CUT_H

#include "llvm.h"

/* A function that was cut out of another; number 0 is what is left of that one. */
typedef struct {
    Val fn;
    Val frame;               /* the memory that values go through */
    LLVMBasicBlockRef entry; /* its first block, for what must be there before all else */
    int caller;              /* the number of the piece that calls it */
    /* cut_values.c: the value that is asked about, which block reads it, or several */
    Val asked, loaded;
    LLVMBasicBlockRef reader;
    bool several;
} Piece;

typedef struct {
    LLVMBasicBlockRef block; /* NULL: is in a piece by now */
    int size;                /* its weight */
    int calls;               /* the number of the piece that it stands for, or 0 */
} CutBlock;

/* The place behind a block, from where one way goes on, and only from there to the next one.  What
 * lies between two places of one sign is entered and left at these two alone, but for ways to the
 * end of the function. */
typedef struct {
    uint64_t sign;
    int block; /* its number in Cut.blocks */
} CutPlace;

typedef struct {
    Llvm *l;
    Arena *arena;
    Val fn;
    LLVMBasicBlockRef end; /* where the function returns, if from there alone; no phis; or NULL */
    VEC(CutBlock) blocks;  /* every loop, and every arm of an if, in one row */
    VEC(CutPlace) places;
    VEC(Piece) pieces;
    Map *piece_of; /* a function's number in `pieces`, plus 1 */
} Cut;

/* cut.c: in instructions of the machine, about. */
int cut_block_weight(LLVMBasicBlockRef b);

void cut_order(Cut *c); /* cut_order.c: fills `blocks` and `places` */
/* cut_pieces.c: make a function of the blocks behind place `first` up to place `last`. */
void cut_out(Cut *c, int first, int last);
void cut_values(Cut *c); /* cut_values.c: when all pieces are cut out */

#endif
