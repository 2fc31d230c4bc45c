/*
 * axis_internal.h - what the files of the axis analysis share; only they include it
 *
 * axis.h defines the facts.  In here divisibility 0 stands for "by everything".
 */
#ifndef TILEC_AXIS_INTERNAL_H
#define TILEC_AXIS_INTERNAL_H

#include "axis.h"

/* axis_lattice.c */
typedef __int128 Wide;                       /* products of two i64 */
int64_t axis_power_of_two_in(int64_t n);     /* the largest that divides n; 0 for 0 */
int64_t axis_multiply(int64_t a, int64_t b); /* a divisor of the product when it is too large */
bool axis_is_int(const Type *t);             /* integers and bools, tile or scalar; no pointers */
bool axis_dtype_range(DType t, int64_t *lo, int64_t *hi); /* false from 64 bits on */
/* What holds for every value of the type: runs of 1, the range of its dtype. */
Axis axis_unknown(const Type *t);
/* In the dimensions that the type has. */
bool axis_equal(const Type *t, const Axis *a, const Axis *b);
Axis axis_meet(const Type *t, const Axis *a, const Axis *b); /* what holds for both */
/* Of a value whose exact result is in [lo, hi] and a multiple of `divisibility`, before it may have
 * wrapped. */
Axis axis_scalar_range(const Type *t, int64_t lo, int64_t hi, int64_t divisibility);
bool axis_is_value(const Axis *a, int64_t *v); /* known to be this one number */
/* Aligned runs of a and of b elements along `extent`: the length of aligned runs that stay inside
 * of both.  A run as long as the extent contains everything. */
int64_t axis_common_run(int64_t a, int64_t b, int64_t extent);
/* What the elements at the starts of other contiguous runs, runs[d] long, are multiples of. */
int64_t axis_divisibility_at(const Axis *a, const Type *t, const int64_t *runs);
/* What every element is a multiple of. */
int64_t axis_divisibility_of_all(const Axis *a, const Type *t);
/* The exact result is in [lo, hi] if that is known; where it may have wrapped, the range is that of
 * the dtype, and of the divisibility a power of two is left. */
void axis_set_range(Axis *a, const Type *t, bool known, Wide lo, Wide hi);
/* The user says so: add n to what it is a multiple of already.  What is no number above 0 is no
 * promise. */
void axis_promise_multiple(Axis *a, int64_t n);

/* axis_rules.c: of the one result of an op without regions; `in` holds the facts on its operands */
Axis axis_transfer(const Op *op, const Axis *const *in);
/* Constancy that every elementwise op keeps, and nothing else. */
Axis axis_elementwise(const Op *op, const Axis *const *in);

/* axis_arithmetic.c: the same of arithmetic and comparisons; NULL: it is neither */
typedef Axis AxisRule(const Op *op, const Axis *const *in);
AxisRule *axis_arithmetic(OpCode code);

#endif
