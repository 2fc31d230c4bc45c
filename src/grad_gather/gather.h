/*
 * gather.h - derived kernels: in place of atomics plain stores, where each element can be made to
 * meet all that is handed to it
 */
#ifndef TILEC_GRAD_GATHER_GATHER_H
#define TILEC_GRAD_GATHER_GATHER_H

#include "../grad/grad.h"

/* gather.c: the kernel of the gradients of wish->of with respect to wish->wrt, out->func, which
 * takes the place of the kernel in its module, as lowered.  False: a diagnostic, with the place of
 * what cannot be derived.  Where out->missed is not 0 it is to be derived from the start, with
 * that among wish->parts. */
bool grad_derive(Module *m, const GradWish *wish, Arena *a, Diags *d, Grad *out);

/* plain.c: is the mask true at the first of two indices along the last axis? */
bool gather_is_first_of_two(const Value *mask);

/* --- inside of this folder --- */

/* picks.c: where its atomics are those of a row and of single elements of it, the row's lanes add
 * what is handed to these, and store it */
void gather_picks(Grad *g, GradArray *a);

/* windows.c: where its atomics are those of windows that are shifted from each other, each lane
 * gathers what its own element gets instead */
void gather_windows(Grad *g, GradArray *a);

/* transposed.c: what atomics of a loop add, each program sums up for elements of its own, where
 * these are numbered by rounds, or by rounds and lanes */
void gather_transposed(Grad *g, GradArray *a);
void gather_add_atomically(Grad *g, Op *store); /* what a store stores, in its place */

/* blocks.c: what atomics add to blocks that rounds of all programs go through, each program sums up
 * for blocks of its own */
void gather_blocks(Grad *g);

/* last_pass.c: where passes over the same elements hand something to each, the last adds it, or, if
 * nobody else meets them, stores it */
void gather_passes(Grad *g, GradArray *a);
void gather_in_last_pass(Grad *g, GradArray *a);
/* Does each access of a tile by itself meet no element twice, by whatever program? */
bool gather_is_alone_in_pass(Grad *g, const GradArray *a);

/* in_order.c: where several accesses of a program meet, but no two programs, each adds without
 * atomics */
void gather_in_order(Grad *g, GradArray *a);

/* anew.c: sides of the dimensions of x, which an op takes, from those of its result; -1: none */
void gather_operand_sides(const Op *op, const Value *x, const int8_t *sides, int8_t *out);

/* zeros.c: where an `if` says that nothing is handed to what one store fills, it stores zeros */
void gather_zeros(Grad *g, GradArray *a);

/* covers.c: of arrays that are stored, how many elements are */
void gather_find_covers(Grad *g);

/* masked.c: when all is done: no zeros in lanes that are not stored */
void gather_without_masks(Grad *g);

/* ties.c: what the smaller and the larger of two hand to one of them, compared once */
bool gather_join_ties(Grad *g, Diags *d);

/* inverses.c: several divisions by one tile as products with its inverse */
bool gather_share_inverses(Grad *g, Diags *d);

/* plain.c: as a person would write it */
bool gather_write_plainly(Grad *g, Diags *d);

#endif
