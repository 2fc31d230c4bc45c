/*
 * blocks.h - blocks of elements that rounds of all programs add to: blocks.c finds them,
 * block_masks.c what of them is there, and block_nests.c builds the loops in which each program
 * sums up its own
 */
#ifndef TILEC_GRAD_GATHER_BLOCKS_H
#define TILEC_GRAD_GATHER_BLOCKS_H

#include "transposed.h"

enum { MOST_DEPTH = 64, MOST_TAPS = 16, MOST_LOOPS = 4, MOST_ARRAYS = 8 };
typedef struct {
    Tap tap;
    GradArray *array;
} BlockTap;
typedef struct {
    Grad *g;
    int axis;
    int64_t step;
    BlockTap taps[MOST_TAPS];
    int ntaps;
    const Op *loops[MOST_LOOPS]; /* in the order of the program */
    int nloops;
    bool is_covered[MOST_LOOPS]; /* some program has each block among its rounds */
    GradArray *arrays[MOST_ARRAYS];
    const Tap *stored[MOST_ARRAYS]; /* whose mask says what of a block is there */
    int narrays;
    bool by_program;           /* where rounds begin or end */
    Poly end;                  /* the number of each block's first round is less */
    GradOps made[MOST_ARRAYS]; /* stores of sums */
    Map *knows; /* MAP_KEY of a value: whether it goes by the program; see blocks_knows() */
    /* while a nest is built: */
    const Value *begin;      /* of all blocks; NULL: that is 0 */
    Value *block;            /* the number of the block's first round */
    Value *program;          /* whose work it is */
    Map *outer, *inner;      /* MAP_KEY of a value: what it is for that */
    Map *inside;             /* MAP_KEY of a value: whether it is made for each program */
    int loop;                /* whose rounds they are: a number in `loops` */
    Builder ahead, *builder; /* for what does not go by the program, and for what does */
} Blocks;

/* blocks.c */
bool blocks_knows(Blocks *b,
                  const Value *v); /* does it go by the program's number along the axis? */
bool blocks_multiple(const Value *v, int64_t step);
/* Is x, of a round of one loop, what y is of the same round of another? */
bool blocks_same(const Value *x, const Op *one, const Value *y, const Op *other);
int blocks_loop(const Blocks *b, const Op *loop); /* its number; -1: it is none of them */

/* block_masks.c */
/* Numbers that are no less than what ends rounds, which is more than 0 where there are any: at most
 * MOST_ENDS. */
void blocks_ends(Value *end, Value **out, int *n);
/* Of each array the tap whose mask says for all rounds what is there; false: none does. */
bool blocks_find_masks(Blocks *b);
/* Is all that the mask of the other tap says said by this one, too? */
bool blocks_say_all(const Tap *stored, const Tap *other);
/* Are there no rounds before 0? */
bool blocks_begin(const Tap *t);
/* Does the mask say which rounds have the element? */
bool blocks_say_rounds(const Value *mask, const Op *loop);
/* What is loaded in rounds of another loop from there, where its mask is true in all rounds of this
 * one; NULL. */
Op *blocks_twin(Blocks *b, const Op *load);

/* lags.c: where the address of the array's atomic goes by how far a round lies behind the program's
 * own lanes, the atomic stands in a loop that counts that; false: nothing has changed */
bool blocks_count_lags(Grad *g, const GradArray *a, int axis);

/* block_nests.c: false: nothing was built */
bool blocks_nest(Blocks *b);

#endif
