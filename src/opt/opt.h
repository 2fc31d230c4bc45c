/*
 * opt.h - passes over tile IR, and the analyses that targets ask
 *
 * A pass takes verified IR and gives verified IR, whatever the target.  Those that are for some
 * targets alone, and the order of all, stand in src/opt_target.
 */
#ifndef TILEC_OPT_H
#define TILEC_OPT_H

#include "../axis/access.h"
#include "../ir/ir.h"

/* Does a target take the op as it is?  Asked of what opt_legalise() can write in terms of ops that
 * every target has: those on block pointers and descriptors, and inline assembly. */
typedef bool (*OptTakes)(const Op *op);

/* What a target has and wants, for opt_run() of src/opt_target. */
typedef struct {
    /* which functions of fp32 the target has natively; those of smaller floats then compute in it,
     * and others are expanded by math.c.  OP_COUNT entries, or NULL for "expand every op that
     * math.c knows" */
    const bool *native;
    /* expansions without tables, and without parts that are rarely needed: a select computes both
     */
    bool straight_math;
    bool windows; /* tiles are kept in memory, and read from any place of it, and vectors have more
                   * lanes of smaller elements: for window.c, rows.c, pairs.c, narrow.c,
                   * thin.c */
    bool schedules; /* the target reads how many warps and stages are wished for */
    bool disjoint;  /* no two pointer arguments reach the same memory, or neither is written */
    OptTakes takes; /* of the target; NULL: no op that another one can be written with */
    bool verify;    /* after every pass; on in debug builds and in the tests */
    /* called with the IR before the first and after each pass when not NULL (dump) */
    void (*trace)(void *ctx, const char *pass, const Module *m);
    void *trace_ctx;
} OptOptions;

/* the passes, one file each */
/* What the options do not say that the target has is written in other ops, or dropped when it is
 * only a wish.  A diagnostic when helpers hand handles over and cannot be inlined. */
void opt_legalise(Module *m, const OptOptions *o, Diags *d);
void opt_expand_blocks(Module *m); /* handles become their parts; none is handed over */
/* The part of it that makes modules equal that differ in wishes only; for keys of compiled code. */
void opt_drop_schedule(Module *m);
/* What calls each other in a circle, or grows without measure, is a diagnostic; then the module is
 * not fit for other passes. */
void opt_inline(Module *m, Diags *d);
void opt_fold(Func *f); /* constants, algebra that is exact, branches on constants */
/* Keeps the first of equal ops; loads too, while nothing can have written between them. */
void opt_cse(Func *f);
void opt_dce(Func *f); /* also unused loop carries */
/* Loads too, out of loops that write nothing, where they would have run anyway. */
void opt_licm(Func *f);
void opt_assert(Func *f);   /* assert and check to the code that finds where they fail */
void opt_dot(Func *f);      /* x + dot(a, b, 0) becomes dot(a, b, x) */
void opt_promise(Func *f);  /* hints whose results nobody takes are taken from there on */
void opt_carry(Func *f);    /* carried tiles that step by a uniform scalar become a scalar carry */
void opt_settle(Func *f);   /* comparisons of tiles whose outcome ranges tell */
void opt_either(Func *f);   /* one division of what is chosen, not a choice between two */
void opt_contract(Func *f); /* 2^(a b - c), loosely: fma(a, b, -c) */
/* All a b + c of floats, and a b - c, whose products nobody else takes, as fma; inlines.  A
 * diagnostic as from opt_inline(). */
void opt_fuse(Module *m, Diags *d);

/* legalise_asm.c: texts of PTX whose instructions are all ops here become those. */
void opt_translate_asm(Module *m, OptTakes takes);
/* legalise_asm.c: report each inline_asm that is left, for a device whose target has none, with
 * what in its text is no op; false when there is any. */
bool opt_refuse_asm(Module *m, OptTakes takes, const char *device, Diags *d);

/* cse.c: do both compute the same?  `pairs` maps values that b is made of to their twins, which a
 * is made of; NULL: they are the same ones. */
bool opt_same_op(Arena *arena, const Op *a, const Op *b, Map *pairs);

/* help.c: what several passes ask of the IR */
bool opt_inside(const Block *b, const Op *op); /* b is a region of op, or nested in one */
bool opt_is_int(const Value *v);               /* integer or bool, scalar or tile; no pointer */
Op *opt_made_by(const Value *v, OpCode code);  /* the op behind v if it is one of these, or NULL */
bool opt_is_loop(const Op *op);                /* for, while */
bool opt_in_loop(const Block *b);              /* at any depth */
bool opt_commutes(const Op *op); /* to the last bit: not min and max on floats, for -0 and +0 */
Op *opt_last(const Block *b);    /* its terminator; a bug() when there is none */
/* 0, 1, .. along that axis of a tile? */
bool opt_is_index(const Value *v, int axis);
/* Every element of tile v equals one scalar: through splat, or a tile constant. */
bool opt_is_uniform(const Value *v);
/* The same loop with room for n values more, from `init` to `next`; gives it and their arguments.
 */
Op *opt_carry_more(Op *loop, int n, Value *const *init, Value *const *next, Value **out);
/* That scalar; a new constant where v is one.  A scalar is itself. */
Value *opt_uniform_scalar(Builder *b, Value *v);
/* Move the ops of a region, but not its terminator, in front of `before`.  Gives the first op
 * that moved, or `before`. */
Op *opt_splice(Block *from, Op *before);
/* How often the body of a `for` runs, when its bounds and step are constants. */
bool opt_trip_count(const Op *loop, uint64_t *trips);
int opt_count_ops(const Block *b); /* with all that is in their regions */
/* Does each store of a body without regions go to arrays of its own, which none of its loads reads?
 * False where there is none. */
bool opt_stores_apart(const Func *f, Arena *a);
void opt_resolve_all(Block *b); /* let every operand in it see v->repl */

/* masks.c */
const Value *opt_plain(const Value *v); /* what tiles only repeat, or have with other dimensions */
/* Is the part, which is plain, one of those of the mask that all must be true?  NULL: it has none.
 */
bool opt_mask_has(const Value *mask, const Value *part);
bool opt_masks_exclude(const Value *a, const Value *b); /* never both, in one lane */

/* shared.c: the dimension along which neighbours of a store's lanes have, for sure, one address and
 * values of their own; -1: none is known. */
int opt_shared_lanes(const AxisFacts *facts, const Op *store);
/* Is its mask, if it has one, made of comparisons of an index with a bound that is no number?  That
 * leaves on all lanes but the last ones. */
bool opt_stores_most_lanes(const Op *store);

#endif
