/*
 * fold.h - what the parts of the folder share; only fold*.c include it
 *
 * A rule takes an op with one result whose operands are settled and gives the value to use in its
 * place, or NULL.  What it builds goes in front of the op, through the makers below, which fold it
 * again.
 */
#ifndef TILEC_OPT_FOLD_H
#define TILEC_OPT_FOLD_H

#include "opt.h"

/* fold.c */
Value *fold_new(Op *at, OpCode code, int n, Value *const *operands, int nattrs,
                const int64_t *attrs, const Type *given); /* NULL where the table rules */
Value *fold_unary(Op *at, OpCode code, Value *x, const Type *given); /* no attributes */
/* No attributes; the operands give the type. */
Value *fold_binary(Op *at, OpCode code, Value *x, Value *y);
/* A new one in front of `at`; the bits of an element. */
Value *fold_const(Op *at, const Type *t, uint64_t bits);
/* Of operands each of whose elements are equal: computed once, and spread. */
Value *fold_uniform(Op *op);
bool fold_is_const(const Value *v, int64_t want); /* ints and bools, scalar or tile */
Value *fold_algebra(Op *op); /* fold_algebra.c: arithmetic, comparisons, select */
Value *fold_compare(Op *op); /* fold_compare.c: of widened integers */
Value *fold_choice(Op *op);  /* fold_choice.c: what takes long of one of two numbers */
Value *fold_cast(Op *op);    /* fold_cast.c: conversions */
Value *fold_shape(Op *op);   /* fold_shape.c: splat, broadcast, expand, reshape, permute */
bool fold_reduction(Op *op); /* fold_shape.c: reduce, scan; sets repl of all results */
Value *fold_load(Op *op);    /* fold_memory.c: constant masks, one address for all */
Op *fold_write(Op *op);      /* fold_memory.c: the op to use in its place, NULL for none */
/* fold_control.c: `if` and loops before their regions are folded (gives the op to go on with: `op`
 * itself when it stays) and after (true when it is replaced and may be removed). */
Op *fold_control_before(Op *op);
bool fold_control_after(Op *op); /* `if` and `while`; everything else stays */

#endif
