/*
 * cpu.h - what the files of the CPU target share
 *
 * Carrying out a plan (plan.h), in reading order:
 *   cpu.c         the kernel function: programs of the grid, steps, loops, ifs, scalar values
 *   cpu_nest.c    the loops of a nest: levels, segments, masks that become bounds
 *   cpu_eval.c    the value of a tile at the place where the loops stand
 *   cpu_row.c     first values of rows, of what steps evenly along the inner dimension
 *   cpu_memory.c  loads and stores of vectors, buffers and scalars
 *   cpu_strided.c loads of interleaved fields; cpu_atomic.c
 *   cpu_detour.c  fast paths that all lanes must agree on; cpu_divide.c
 *   cpu_reduce.c  reductions; cpu_scan.c scans
 *   cpu_dot.c     matrix products
 *   cpu_record.c  prints, and what was found wrong
 *   cpu_code.c    what all of these call: slots, loops, what a body has computed
 * emit.h has one elementwise op on scalars or vectors, and says what register form is.
 */
#ifndef TILEC_GEN_CPU_H
#define TILEC_GEN_CPU_H

#include "emit.h"
#include "plan.h"

_Static_assert((int)MAX_LANES <= (int)LLVM_MAX_LANES, "llvm.c must take what the nests make");

typedef struct {
    Arena *arena;
    const Plan *plan;
    const Func *func;
    const GenOptions *options;
    Llvm *l;
    Emit e;
    Bld b;     /* where code goes outside of nests */
    Bld entry; /* the head of the function, for stack slots */
    Val fn, args, grid, scratch;
    Val program[3], programs[3]; /* i32 */
    Val *scalars;                /* by value id: rank-0 values in register form */
    const Machine *machine;
    bool nontemporal_used;
    LLVMBasicBlockRef leave; /* where a call of the kernel goes that must end early */
} Cpu;

/* What a tile is at the current place: a vector along the inner dimension, or one scalar for all
 * its lanes.  level: the innermost loop that it changes with (0 = none).  known: an i1 whose value
 * is the same for every lane here. */
typedef enum { KNOWN_NOT, KNOWN_TRUE, KNOWN_FALSE } Known;
typedef struct {
    Val v;
    bool vec;
    int level;
    Known known;
    bool local; /* follows from a mask that is known in this segment only */
} Ev;

typedef enum { SEGMENT_MAIN, SEGMENT_MIXED, SEGMENT_DEAD } Segment;

/* Where a bound of the plan ends in this row: the mask is true for inner indices below `count`,
 * false from `none` on.  The two are the same but where the values compared may wrap in between. */
typedef struct {
    Val count, none; /* i64, known in front of the inner loop */
} Cut;

/* What has been computed in a body: values, those of its lane 0, masks of accesses, addresses,
 * interleaved loads. */
typedef enum { MEMO_INNER, MEMO_LANE, MEMO_MASK, MEMO_ROW, MEMO_GROUPS, MEMO_TABLES } MemoTable;
typedef struct Memo Memo;
struct Memo {
    Map *table[MEMO_TABLES];
    const Memo *under; /* holds what this one does not, or NULL */
};

/* What the evaluation of a value asks for: a value, the mask of an access, or the first value of a
 * row.  `next` counts what has itself been asked for on its behalf (cpu_eval.c). */
typedef enum { ASK_VALUE, ASK_MASK, ASK_ROW } AskKind;
typedef struct {
    AskKind kind;
    Value *value;
    int8_t map[MAX_RANK];
    int next;
} Ask;

typedef struct Reduction Reduction;

typedef struct {
    Cpu *c;
    const Nest *nest;
    int rank, inner;       /* inner: the dimension run in vectors */
    int lanes, unroll;     /* the nest's */
    Bld at[MAX_RANK + 1];  /* at[l]: code that changes with loop l; at[rank] is the inner body */
    Val counter[MAX_RANK]; /* phis of the scalar loops, by dimension */
    Val index[MAX_RANK];   /* i64 by dimension; of the inner one, the chunk's first */
    int level_of_dim[MAX_RANK];
    bool scalar_lane; /* evaluate the first lane only, as a scalar */
    bool in_body;     /* code for the inner level can be placed now */
    bool stored;      /* this body has written to memory or a buffer */
    bool in_detour;   /* code that is placed now will rarely run */
    Segment segment;
    Val lane_ok;       /* lanes inside the extent, or NULL for all */
    VEC(Cut) cuts;     /* by nest->bounds */
    VEC(Ask) asked;    /* being evaluated, each for the one before it */
    Memo memo;         /* of this body */
    Map *outer, *rows; /* across bodies */
    VEC(Val) ahead;    /* by nest->ahead: where the next program's row is thought to begin */
    Reduction *reductions;
    Val running[MAX_COMBINED]; /* slots of a scan's running values */
    int copy;                  /* which of the unrolled bodies this is */
    int values;                /* computed in this body so far */
} NestCg;

/* A counted loop of at least one trip that goes up to a constant. */
typedef struct {
    LLVMBasicBlockRef head, before;
    Val index; /* i64 */
} Loop;

/* cpu_code.c */
LLVMBasicBlockRef cpu_block(Cpu *c); /* a new one, behind all others */
/* Code for the body goes to c->b between the two. */
Loop cpu_loop_begin(Cpu *c);
/* The counter runs from 0 in steps of `step` below `limit`, at least once; c->b goes on behind the
 * loop. */
void cpu_loop_end(Cpu *c, const Loop *l, int64_t limit, int64_t step);
Val cpu_slot(Cpu *c, LLVMTypeRef t);       /* a stack slot in the entry block */
Val cpu_buffer(Cpu *c, Bld b, int buffer); /* where it begins, in this thread's scratch */
Memo cpu_memo_new(Arena *a);               /* empty; shares nothing */
void *cpu_recall(const NestCg *n, MemoTable table, uint64_t key); /* NULL: not in this body */
/* With as much of the map as v has dimensions. */
Ask cpu_ask(AskKind kind, Value *v, const int8_t *map);
Val cpu_vectorise(NestCg *n, Ev e); /* to all lanes of the inner body */
/* Is v a bound of the plan, and this segment on one side of it?  uniform_too: bounds of whole rows.
 */
bool cpu_bound_known(const NestCg *n, const Value *v, const int8_t *map, bool uniform_too,
                     Known *out);
/* i1: does the body stand at the first element or vector along an axis, in that direction? */
Val cpu_at_first(const NestCg *n, int axis, bool backwards);

/* cpu.c */
/* Evaluate a reduce or scan region on given values: n earlier, n later, n results. */
void cpu_region(Cpu *c, Bld b, const Block *region, const Val *args, int lanes, Val *results);
/* The same for the root `op` of a nest, serial or not; just the later values where `first`. */
void cpu_combine(NestCg *n, const Op *op, Val first, const Val *args, Val *results);

/* cpu_nest.c */
/* All of it, from c->b on; c->b stands behind it at the end. */
void cpu_nest(Cpu *c, const Nest *n);

/* cpu_eval.c */
/* Evaluate what a question needs before the question itself, however long that chain is. */
void cpu_answer(NestCg *n, Ask question);
/* Made once a body; a scalar is known before. */
Ev cpu_eval(NestCg *n, Value *v, const int8_t *map);
/* For an access that changes with the inner dimension: bounds of whole rows count as well. */
Ev cpu_eval_mask(NestCg *n, Value *v, const int8_t *map);

/* cpu_row.c */
bool cpu_depends(const NestCg *n, const Value *v, const int8_t *map); /* on the inner dimension */
Access cpu_access(const NestCg *n, Value *v, const int8_t *map); /* along the inner dimension */
Ev cpu_row(NestCg *n, Value *v, const int8_t *map);    /* at the first element; v steps evenly */
Ev cpu_chunk(NestCg *n, Value *v, const int8_t *map);  /* at the first lane of this body */
Val cpu_scale(NestCg *n, const Access *a, int *level); /* what multiplies the stride, as an i64 */
/* Was it computed before? */
bool cpu_row_known(const NestCg *n, const Value *v, const int8_t *map);
/* The i-th thing that cpu_row() asks for; false: no more. */
bool cpu_row_asks(const NestCg *n, Value *v, const int8_t *map, int i, Ask *out);
void cpu_row_compute(NestCg *n, Value *v, const int8_t *map); /* once all that is known */

/* cpu_memory.c */
/* By the form that the plan has for it, in register form; `other` or 0 where it is masked off. */
Ev cpu_eval_load(NestCg *n, Value *v, const int8_t *map);
bool cpu_load_asks(NestCg *n, Value *v, const int8_t *map, int i,
                   Ask *out); /* see cpu_row_asks() */
/* The buffer's tile of that shape, which begins at the element `first`. */
Ev cpu_eval_buffer(NestCg *n, int buffer, int64_t first, const int8_t *map, const Type *shape);
/* One body's part of a store, by the form in its plan; nothing where the mask is known to be
 * false. */
void cpu_store_root(NestCg *n, const Root *r);
/* Put a tile's value at the current place into a buffer of that shape; lanes beyond the extent are
 * left alone. */
void cpu_fill(NestCg *n, int buffer, const Type *shape, const int8_t *map, Ev e);
/* In register form; mask and other may be NULL.  Where it is masked off, scratch is read instead:
 * no branch. */
Val cpu_scalar_load(Cpu *c, Bld b, const Type *t, Val ptr, Val mask, Val other);
/* Lanes that are masked off are zero.  `size`: bytes of an element. */
Val cpu_masked_load(Cpu *c, Bld b, LLVMTypeRef vector, Val ptr, int size, Val mask);
/* Mask may be NULL; where it is not set, a spot of scratch that nobody reads is written. */
void cpu_scalar_store(Cpu *c, Bld b, DType t, Val ptr, Val v, Val mask);
/* Address of an element of a buffer: index[d] for each dimension d of `shape`, NULL for 0. */
Val cpu_element(Cpu *c, Bld b, int buffer, const Type *shape, const Val *index);
int cpu_buffer_size(const Cpu *c, int buffer); /* bytes of an element */
/* As it lies there; one element when lanes is 0. */
LLVMTypeRef cpu_buffer_type(Cpu *c, int buffer, int lanes);
/* Between what a buffer holds and register form. */
Val cpu_from_buffer(Cpu *c, Bld b, int buffer, Val v);
Val cpu_to_buffer(Cpu *c, Bld b, int buffer, Val v); /* the other way */

/* cpu_strided.c: the vector of a load of FORM_RECORD, as it lies in memory; zero where the mask, if
 * there is one, is not set */
Val cpu_record_load(NestCg *n, Value *v, const int8_t *map, const AccessPlan *a, Val mask);

/* cpu_detour.c: what is computed where not all lanes may go the usual way */
typedef struct {
    Val usual;                       /* the result where they may */
    LLVMBasicBlockRef before, after; /* where the usual way ends, where both meet */
    const Memo *memo;                /* of the usual way */
    bool nested;                     /* in the detour of another */
} Detour;
/* Branch on `all` (i1, of all lanes); code for the inner body belongs to the detour until _end(),
 * which gives what holds behind both. */
Detour cpu_detour_begin(NestCg *n, Val all, Val usual);
/* `rare` is the result of the detour; what was computed in it alone is forgotten. */
Val cpu_detour_end(NestCg *n, const Detour *d, Val rare);
/* All lanes of a vector of i1. */
Val cpu_all(NestCg *n, Val lanes);

/* cpu_divide.c: x / s for a vector x and a float scalar s made outside of the inner loop */
Val cpu_divide(NestCg *n, Ev x, Ev s);

/* cpu_atomic.c */
void cpu_atomic_root(NestCg *n, const Op *op); /* in a serial nest */
/* `in`: its operands, as scalars. */
Val cpu_scalar_atomic(Cpu *c, Bld b, const Op *op, const Val *in);

/* cpu_reduce.c */
void cpu_reduce_begin(NestCg *n); /* in front of the inner loops */
/* One body's part, into the running values of cpu_reduce_begin(). */
void cpu_reduce_body(NestCg *n, const Op *op);
/* The part of a row where every bound mask is false, all at once; false: it must be looped over. */
bool cpu_reduce_dead(NestCg *n, const Op *op, Val count);
void cpu_reduce_end(NestCg *n); /* behind the inner loops */

/* cpu_scan.c */
void cpu_scan_begin(NestCg *n, const Op *op); /* in front of the inner loop */
void cpu_scan_body(NestCg *n, const Op *op);  /* one body's part, in the order of the scan */

/* cpu_dot.c */
/* Between buffers; the result's holds the accumulator before. */
void cpu_dot(Cpu *c, const Op *op, DotShape shape);

/* cpu_record.c: what programs say, through the port that a hidden parameter points to (ir.h) */
/* `buffers` as in Step.  Behind an assertion, code goes on where nothing comes by. */
void cpu_record(Cpu *c, const Op *op, const int *buffers);
void cpu_record_program(Cpu *c); /* at the head of a program: not if another one failed */

#endif
