/*
 * suspect.h - what is allowed in a kernel and surely not meant, as far as its IR shows it
 *
 * Each suspect_*.c looks at one function as it was lowered, helpers too, changes nothing, and warns
 * of one kind of mistake: of what is allowed, and surely or nearly surely not what was meant.  A
 * warning says where, why, and what to write instead; what is often right is not warned of.
 */
#ifndef TILEC_SUSPECT_SUSPECT_H
#define TILEC_SUSPECT_SUSPECT_H

#include "../formula/formula.h"

/* suspect.c: look for all of them.  Before all passes, and before check_records: of a module as it
 * was lowered, which stays as it is. */
void suspect_warn_of_all(const Module *m, Diags *d);

/* --- for suspect_*.c --- */

Suspicion suspect_begun;    /* suspect_begun.c: what one program begins, and all add to */
Suspicion suspect_again;    /* suspect_again.c: what is done twice, or for nothing */
Suspicion suspect_border;   /* suspect_border.c: neighbours in the next row */
Suspicion suspect_carried;  /* suspect_carried.c: what rounds carry to no end */
Suspicion suspect_counted;  /* suspect_counted.c: lanes that are not there, and counted */
Suspicion suspect_dealt;    /* suspect_dealt.c: totals of all pieces of dealt work */
Suspicion suspect_drawn;    /* suspect_drawn.c: random numbers that all programs share */
Suspicion suspect_exchange; /* suspect_exchange.c: lanes that exchange values without a barrier */
Suspicion suspect_gaps;     /* suspect_gaps.c: tiles that rounds leave out */
Suspicion suspect_kept;     /* suspect_kept.c: rounds that overwrite each other, or have no end */
Suspicion suspect_lanes;    /* suspect_lanes.c: two lanes of one store at one address */
Suspicion suspect_limit;    /* suspect_limit.c: numbers of elements compared with a float */
Suspicion suspect_local;    /* suspect_local.c: what counts within a round's tile only */
Suspicion suspect_mask;     /* suspect_mask.c: a mask of rows that leaves out columns */
Suspicion suspect_mean;     /* suspect_mean.c: a sum divided by the lanes of its tile */
Suspicion suspect_causal;   /* suspect_causal.c: causal masks that are turned around */
Suspicion suspect_axes;     /* suspect_axes.c: what rows were loaded for, given to columns */
Suspicion suspect_crossed;  /* suspect_crossed.c: what belongs to rows, and meets columns */
Suspicion suspect_named;    /* suspect_named.c: vectors along the other dimension */
Suspicion suspect_never;    /* suspect_never.c: what can have one outcome only */
Suspicion suspect_partial;  /* suspect_partial.c: parts of lanes, put together otherwise */
Suspicion suspect_programs; /* suspect_programs.c: loops that share out to too many */
Suspicion suspect_radix;    /* suspect_radix.c: parts of an index that do not fit together */
Suspicion suspect_rest;     /* suspect_rest.c: whole tiles of a row that a mask says has more */
Suspicion suspect_rounds;   /* suspect_rounds.c: what the rounds of a loop do not add up */
Suspicion suspect_scan;     /* suspect_scan.c: scans that begin anew in each round */
Suspicion suspect_shares;   /* suspect_shares.c: what all programs add, though it is there once */
Suspicion suspect_start;    /* suspect_start.c: what rounds begin with, and decides them */
Suspicion suspect_stored;   /* suspect_stored.c: what is stored to the array of another */
Suspicion suspect_turned;   /* suspect_turned.c: offsets turned around, and elements not */
Suspicion suspect_unmoved;  /* suspect_unmoved.c: rounds that all load the same */
Suspicion suspect_unrolled; /* suspect_unrolled.c: rounds that are written out one by one */
Suspicion suspect_whole;    /* suspect_whole.c: tiles as a whole where their rows count */
Suspicion suspect_wrap;     /* suspect_wrap.c: remainders of what begins below 0 */

/* suspect_mean.c, for src/check/check_means.c */
/* What the quotient is of: a sum along an axis, by its extent; NULL: it is none of these. */
const Op *mean_divided_sum(const Op *op);
/* What the mask compares with a bound along `dim`, and the bound; NULL: not just that. */
const Value *mean_compared_along(const Value *mask, int dim, int depth, Value **bound);
const Value *mean_limited_along(const Value *mask, int dim, int depth); /* .. without the bound */
const Op *mean_range_of(const Value *index); /* tl.arange from 0 on; NULL: it is another one */
/* The mask of the one load that the value is made of, element by element; NULL. */
Value *mean_mask_of(const Value *v, int depth);
bool mean_is_same(const Value *a, const Value *b); /* one number, converted or not */

#endif
