/*
 * check.h - kernels that look at what they do, and what a launch is to look at
 *
 * records.c makes ready what programs may say of themselves; with --check check*.c put assertions
 * into the code, of which the targets make what they make of assert().  programs.h is what a
 * kernel makes of its grid and its arrays, which src/warn compares with a launch.  All stand on the
 * passes and analyses of src/opt/.
 */
#ifndef TILEC_CHECK_H
#define TILEC_CHECK_H

#include "../ir/analysis.h"
#include "../opt/opt.h"

/* What programs are to say beside what is written. */
typedef struct {
    const int *views; /* each access, as check_accesses() has it; NULL: none */
    bool values;      /* then also what is wrong with what they compute and promise, */
    bool stores;      /* .. and stores of two lanes to one element, where no other program writes at
                       * the same time */
    bool names;       /* what names are given, as check_named() has it */
} CheckWish;
/* records.c: make ready what a kernel may say (assert, check, record), in front of all passes and
 * of the interpreter.  False: a diagnostic. */
bool check_records(Module *m, const CheckWish *wish, Diags *d);
void check_named(Func *f); /* named.c; of a kernel without calls */

/* Check every access of a kernel without calls whose pointer comes from an array of the launch.
 * views[i]: how many dimensions the view of the array behind parameter i has beside its tail
 * (ir.h); negative: nobody knows what is behind it, or it is no pointer. */
void check_accesses(Func *f, const int *views);
/* check_value.c: assert that no result of a division by zero is used, and that promises hold; and,
 * behind check_accesses(), that no two lanes of a store share an element. */
void check_values(Func *f);
void check_stores(Func *f);
/* check_spoils.c: where the op has no result, or not the one that was meant, as i1 in its shape,
 * and NULL where it always has; may it have none; what is said of that. */
Value *check_spoils(Builder *b, const Op *op);
bool check_may_spoil(const Op *op);
bool check_mends(const Op *op, const Op *source); /* is it right all the same: |-128| as a uint8 */
const char *check_spoilt_text(const Op *source);
void check_winners(Func *f); /* check_winner.c: nor that a masked lane is the greatest */
/* Does an exponential take it, through what works on elements? */
bool check_flows_into_power(const UseLists *uses, const Value *v, int depth);
void check_fractions(Func *f); /* check_fraction.c: nor that a store cuts off fractions */
void check_bins(Func *f);      /* check_bins.c: nor that tl.histogram leaves numbers out */
void check_counts(Func *f);    /* check_count.c: nor lanes that are not there are counted */
void check_columns(Func *f);   /* check_columns.c: nor columns that were loaded are negative */
void check_means(Func *f);    /* check_means.c: nor that sums are divided by lanes that were none */
void check_left_out(Func *f); /* check_left.c: nor is what a mask leaves out stored */
void check_starts(Func *f);   /* check_start.c: nor what a loop begins a maximum with */
/* Every float but in memory and parameters becomes fp64; without calls and handles. */
void check_widen(Func *f);

#endif
