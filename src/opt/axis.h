/*
 * axis.h - what the files of the axis analysis share; only axis*.c include it
 *
 * opt.h defines the facts.  In here divisibility 0 stands for "by everything".
 */
#ifndef TILEC_OPT_AXIS_H
#define TILEC_OPT_AXIS_H

#include "opt.h"

/* axis_lattice.c */
typedef __int128 Wide; /* products of two i64 */
int64_t axis_gcd(int64_t a, int64_t b);
int64_t axis_power_of_two_in(int64_t n);
int64_t axis_multiply(int64_t a, int64_t b); /* a divisor of the product when it is too large */
bool axis_is_int(const Type *t);
bool axis_dtype_range(DType t, int64_t *lo, int64_t *hi); /* false from 64 bits on */
Axis axis_unknown(const Type *t);
bool axis_equal(const Type *t, const Axis *a, const Axis *b);
Axis axis_meet(const Type *t, const Axis *a, const Axis *b); /* what holds for both */
Axis axis_scalar_range(const Type *t, int64_t lo, int64_t hi, int64_t divisibility);
bool axis_is_value(const Axis *a, int64_t *v); /* known to be this one number */
int64_t axis_common_run(int64_t a, int64_t b, int64_t extent);
int64_t axis_divisibility_at(const Axis *a, const Type *t, const int64_t *runs);
int64_t axis_divisibility_of_all(const Axis *a, const Type *t);
void axis_set_range(Axis *a, const Type *t, bool known, Wide lo, Wide hi);
void axis_promise_multiple(Axis *a, int64_t n);

/* axis_rules.c: of the one result of an op without regions; `in` holds the facts on its operands */
Axis axis_transfer(const Op *op, const Axis *const *in);

#endif
