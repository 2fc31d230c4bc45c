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

#endif
