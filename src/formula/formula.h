/*
 * formula.h - what a kernel computes and surely does not mean: numbers that no formula has
 *
 * Each formula_*.c looks at one function as it was lowered, changes nothing, and warns of one kind
 * of mistake in what is computed of elements: sums, norms, softmaxes, types that lose digits.
 * Which elements these are is the matter of ../suspect/, which calls all of them.
 */
#ifndef TILEC_FORMULA_FORMULA_H
#define TILEC_FORMULA_FORMULA_H

#include "../tell/tell.h"

Suspicion formula_bits;    /* formula_bits.c: upper bits with a sign beside lower ones */
Suspicion formula_combine; /* formula_combine.c: functions that scans cannot combine by */
Suspicion formula_cut;     /* formula_cut.c: what is done to totals in each round */
Suspicion formula_early;   /* formula_early.c: fractions cut off in front of a factor */
Suspicion formula_softmax; /* formula_softmax.c: exp beside exp2, scores of 0 by a mask */
Suspicion formula_moments; /* formula_moments.c: means and variances that others go with */
Suspicion formula_narrow;  /* formula_narrow.c: integers of 8 and 16 bits that wrap around */
Suspicion formula_log;     /* formula_log.c: logarithms of what exp has made */
Suspicion formula_nothing; /* formula_nothing.c: divisions by zero, shifts by too much */
Suspicion formula_norm;    /* formula_norm.c: norms and variances of parts that do not fit */
Suspicion formula_power;   /* formula_power.c: `^` for a power */
Suspicion formula_quant;   /* formula_quant.c: scales that fit what is positive alone */
Suspicion formula_rescale; /* formula_rescale.c: sums of exp(x - m) when m changes */
Suspicion formula_scores;  /* formula_scores.c: keys that are not there, in a softmax */
Suspicion formula_state;   /* formula_state.c: running means that are not kept */
Suspicion formula_truth;   /* formula_truth.c: sums of conditions */
Suspicion formula_totals;  /* formula_totals.c: sums that loops keep in a type that loses them */
Suspicion formula_turn;    /* formula_turn.c: rotations with both signs alike */
Suspicion formula_twice;   /* formula_twice.c: scores that are scaled twice */

/* --- for formula_*.c --- */

/* formula_norm.c */
/* The same for all lanes, and known before anything is loaded. */
bool norm_is_given(const Value *v);
/* What it is without casts, and without a choice of 0 for lanes that are not there. */
const Value *norm_element(const Value *v);
bool norm_is_same(const Value *a, const Value *b); /* .. of both */
const Value *norm_squared(const Value *v);         /* x of x * x; NULL: it is no square */
/* The tile whose elements it sums up, along an axis or in the rounds of a loop; NULL: none. */
const Value *norm_summed(const Value *v);
/* The sum of which it is a given part, as a mean is; *part: whether it is less than the whole. */
const Value *norm_sum_of(const Value *v, bool *part);
const Value *norm_without_eps(const Value *v); /* without what keeps it from 0 */

#endif
