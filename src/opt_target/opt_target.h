/*
 * opt_target.h - the order of all passes for a target, and those that are for some targets alone
 *
 * These rewrite tiles and loops for what a target does with them: one keeps tiles in memory and
 * runs them as loops, another has threads that wait where they use what they loaded.  OptOptions
 * says which it is.  A pass takes verified IR and gives verified IR.
 */
#ifndef TILEC_OPT_TARGET_H
#define TILEC_OPT_TARGET_H

#include "../opt/opt.h"

/* pipeline.c holds the one ordered list */
/* Leaves one function in the module: the kernel.  False: a diagnostic (an internal error found by
 * the verifier, or recursion that never ends). */
bool opt_run(Module *m, const OptOptions *o, Diags *d);
/* One pass by name ("inline", "fold", ...), with the verifier, for tests and gradients.  False:
 * there is none, or a diagnostic as from opt_run(). */
bool opt_run_pass(Module *m, const char *name, Diags *d);
const char *opt_pass_name(int i); /* NULL behind the last */

/* one file each; for targets that keep tiles in memory and run them as loops: */
/* Where programs have flat indices, i // N and i % N: tiles of rows and columns.  As opt_rows(). */
void opt_flat(Func *f);
void opt_widen(Func *f); /* tiles of short rows as tiles of longer ones; as opt_rows() */
/* Stores of tiles put together of two, and reductions that take such apart, as two of each. */
void opt_pairs(Func *f);
/* The same op over tiles that are one array a few places apart, by fewer loads and ops. */
void opt_window(Func *f);
void opt_clamp(Func *f); /* loads at an index within limits as masked ones, beside their edges */
/* Arithmetic on small integers that was widened, in their own size. */
void opt_narrow(Func *f);
/* Where tiles are reduced row by row: a loop over the rows.  No two pointer arguments reach memory
 * that is written. */
void opt_rows(Func *f);
void opt_pick(Func *f);        /* sums in which one element counts as that element */
void opt_thin(Func *f);        /* products of one row, or column, as sums of a tile */
void opt_unroll_sums(Func *f); /* four rounds in one, of loops that only add up tiles */
void opt_early(Func *f);       /* rounds add up what long tiles are reduced to */
void opt_longer(Func *f);      /* .. and go through more of a row where they reduce along it */

/* for targets whose threads wait where they use what they loaded: */
void opt_late(Func *f);     /* rounds add up tiles, which are reduced behind the loop */
void opt_straight(Func *f); /* rounds whose arms load, as rounds that load under masks */
void opt_ahead(Func *f, bool disjoint); /* a round asks for the loads of the next one */
void opt_whole(Func *f);                /* programs that lie inside are rid of their masks */

/* for all: `for` with unroll attribute n: -1 = wholly; and for the ones those that go through a
 * window, for the others short ones that load. */
void opt_unroll(Func *f, bool windows, bool short_loops);

#endif
