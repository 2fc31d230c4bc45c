/*
 * opt.h - passes over tile IR, and the analyses that targets ask
 *
 * A pass takes verified IR and gives verified IR.  pipeline.c holds the one ordered list.
 */
#ifndef TILEC_OPT_H
#define TILEC_OPT_H

#include "../ir/ir.h"

/* pipeline.c */
typedef struct {
    /* which functions the target has natively; others are expanded by math.c.  OP_COUNT entries,
     * or NULL for "expand every op that math.c knows" */
    const bool *native;
    bool verify; /* after every pass; on in debug and test builds */
    /* called with the IR before the first and after each pass when not NULL (dump) */
    void (*trace)(void *ctx, const char *pass, const Module *m);
    void *trace_ctx;
} OptOptions;
/* Leaves one function in the module: the kernel.  False: a diagnostic (an internal error found by
 * the verifier, or recursion that never ends). */
bool opt_run(Module *m, const OptOptions *o, Diags *d);
/* One pass by name ("inline", "fold", ...), for tests; false when there is none. */
bool opt_run_pass(Module *m, const char *name, Diags *d);
const char *opt_pass_names(Arena *a); /* one a line with what each does */

/* the passes, one file each; true when something changed */
bool opt_inline(Module *m, Diags *d);
bool opt_fold(Func *f);   /* constants, algebra that is exact, branches on constants */
bool opt_cse(Func *f);
bool opt_dce(Func *f);    /* also unused loop carries */
bool opt_licm(Func *f);
bool opt_unroll(Func *f); /* `for` with unroll attribute n: -1 = wholly */
bool opt_carry(Func *f);  /* carried tiles that step by a uniform scalar become a scalar carry */
bool opt_math(Func *f, const bool *native); /* exp, log, ... to polynomials; 1-2 ULP */

/* axis.c: per value and dimension, what is known of the element values of int and pointer tiles.
 * Along dim d, starting from any multiple of the run length, elements come in runs:
 *   contiguity[d]   runs of n values that step by exactly 1 (pointers: by one element)
 *   constancy[d]    runs of n equal values
 *   divisibility    what the first value of every contiguous run is a multiple of (pointers: in
 *                   bytes), for scalars of the value itself
 * All at least 1 and at most the extent (divisibility at most 2^30). */
typedef struct {
    int64_t contiguity[MAX_RANK], constancy[MAX_RANK];
    int64_t divisibility;
    bool has_range; /* ints: lo <= every element <= hi */
    int64_t lo, hi;
} Axis;
typedef struct AxisFacts AxisFacts;
AxisFacts *axis_analyse(Func *f, Arena *a);
const Axis *axis_of(const AxisFacts *x, const Value *v);
const char *axis_text(const AxisFacts *x, const Func *f, Arena *a); /* one line a value, for tests */

#endif
