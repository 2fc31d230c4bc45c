/*
 * interp.h - run a kernel's IR on host arrays, op by op, whole tiles at a time
 *
 * The oracle for every other target.  Takes IR in any stage (calls are followed).
 */
#ifndef TILEC_INTERP_H
#define TILEC_INTERP_H

#include "../ir/ir.h"
#include "../race/race.h"

/* --- who watches --- */

/* One activation of a function: of the kernel in one program, or of a helper. */
typedef struct InterpFrame InterpFrame;

/* Where a program stands, or one of the calls that it is in.  A helper that was inlined has no
 * frame of its own, but a site. */
typedef struct {
    const InterpFrame *frame;
    int site; /* as in Op, and so are these: */
    int mark;
    const Block *block;
    Span span;
} InterpPlace;

/* An access to memory by all lanes of a tile, or by a scalar. */
typedef struct {
    const Op *op;
    int effect; /* READS, WRITES or both */
    int64_t lanes;
    int size;                  /* bytes of an element */
    const uint64_t *addresses; /* one a lane */
    const uint8_t *mask;       /* the lanes that do it; NULL: all */
    const void *data;          /* what is written or combined, one a lane; NULL: nothing */
} InterpAccess;

/* What is called while programs run, on their thread; NULL where nobody asks.  None may fail. */
typedef struct InterpObserver {
    void *ctx;
    /* Every value that a frame has computed can be read until the frame is gone (interp_value()).
     * Each op then runs where it stands, and a combining region once for each pair of elements if
     * it tells of its ops; otherwise what is the same in all programs is computed before the first
     * one, untold. */
    bool keeps_values;
    /* In front of an op, the last one of each block too; false: end the launch here. */
    bool (*op)(void *ctx, const InterpFrame *f, const Op *op);
    /* .. and then, in front of what it does to memory */
    void (*access)(void *ctx, const InterpFrame *f, const InterpAccess *a);
    /* Room for so many bytes that an op gives, behind op(): what it gives there each time the
     * program runs.  *is_there: it holds them, and they are taken for it, not computed; else they
     * are put there.  NULL: there is no room.  Only of ops that cost much more than to copy that.
     */
    void *(*recall)(void *ctx, size_t bytes, bool *is_there);
    /* A round of a `for` or `while` begins; the first argument of its region says which. */
    void (*round)(void *ctx, const InterpFrame *f, const Op *loop);
    /* A program begins or ends, or a call of a helper, inlined or not. */
    void (*enter)(void *ctx, const InterpPlace *at);
    void (*leave)(void *ctx, const InterpPlace *at);
} InterpObserver;

/* observe.c: what may be asked in such a call */
const int32_t *interp_program(const InterpFrame *f); /* three numbers */
const Func *interp_func(const InterpFrame *f);
/* The elements, in memory form; NULL: the frame has not computed it (yet), or keeps no values. */
const void *interp_value(const InterpFrame *f, const Value *v);
/* From now on a value that was computed is this one. */
void interp_put_value(const InterpFrame *f, const Value *v, const void *elements);
InterpPlace interp_place(const InterpFrame *f, const Op *op);
/* Go on to the call that the place is in; false: it is in none. */
bool interp_caller(InterpPlace *at);
/* Of an op that combines elements: does it tell of the ops that do?  Not where that is one
 * operation, such as those of tl.sum and tl.max, and no function of the source. */
bool interp_tells_region(const Op *op);
int interp_depth(InterpPlace at); /* how many calls it is in */
/* What a name of the source means there; NULL: nothing.  Works in the arena. */
const Mark *interp_name(const InterpPlace *at, const char *name, Arena *a);

/* --- launches --- */

typedef struct {
    const uint64_t *args; /* one slot a parameter: pointer, or the value's bits zero-extended */
    int32_t grid[3];
    int64_t first, last; /* linear program ids [first, last); x fastest */
    Watch *watch;        /* NULL, or is told of each program, as worker 0 */
    Stints *stints;      /* NULL, or where programs are noted, as of worker 0 */
    RecordPort *records; /* takes what the programs say; NULL: an assertion that fails is an error,
                          * and nothing else is said */
    const InterpObserver *observer; /* NULL: nobody watches */
    Races *races;                   /* NULL, or look for races there, */
    /* .. which are told of this element of an array: "x[3]" */
    const char *(*describe)(void *user, Arena *a, uint64_t address);
    void *describe_user;
} InterpLaunch;

/* With a diagnostic unless OK, or stopped by an assertion that `records` took.  STOPPED: by that,
 * by who watches or observes, an assumption that does not hold, or calls that nest too deep;
 * programs have run then.  RACE: the same, by a race.
 */
typedef enum { INTERP_OK, INTERP_STOPPED, INTERP_RACE, INTERP_NO_MEMORY } InterpStatus;
/* On the calling thread alone, with memory of its own, which is gone at the end.  Addresses are
 * taken as they come: what checks them are ops (check_records()). */
InterpStatus interp_run(const Func *f, const InterpLaunch *launch, Diags *d);

/* count.c: what a launch does (its slots may end with the user's parameters), by dry runs of the
 * kernel for up to `sample` programs spread over the grid and scaling up. flops: float operations
 * on tile elements, masked lanes included, fma and dot 2 each, approximated functions 1.  int_ops:
 * those on integers that make what is stored, not addresses and masks.  int8_flops, bf16_flops: of
 * the float operations those of dots of such operands. */
typedef struct {
    double flops, int_ops, int8_flops, bf16_flops;
    bool known; /* false: control depends on tile data */
} InterpCounts;
/* The same of one op, in all programs; bytes: of elements that it reads and writes, each time,
 * those that a mask leaves out not counted, unless it depends on tile data. */
typedef struct {
    double flops, int_ops, bytes, int8_flops, bf16_flops;
} InterpWork;
typedef void InterpOpFn(void *ctx, const Op *op, const InterpWork *work);
/* OK or NO_MEMORY, without a diagnostic; *out is set when OK.  `fn`, if not NULL, is told of each
 * op that does something, in the order of the module, if all is known; it must not fail. */
InterpStatus interp_count(const Func *f, const InterpLaunch *launch, int sample, InterpCounts *out,
                          InterpOpFn *fn, void *ctx);

#endif
