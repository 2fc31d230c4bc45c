/*
 * cpu.h - what the files of the CPU target share
 *
 * Carrying out a plan (plan.h), in reading order:
 *   cpu.c         the kernel function: programs of the grid, steps, loops, ifs, scalar values
 *   cpu_nest.c    the loops of a nest: levels and segments
 *   cpu_segment.c the segments of an inner loop
 *   cpu_body.c    one step of the inner loop
 *   cpu_pieces.c  pieces of rows in which quotients stay
 *   cpu_entry.c   the entries of a schedule, one after the other
 *   cpu_bounds.c  in front of the inner loop: where masks cut the row, where the next one begins
 *   cpu_memory.c  loads and stores of vectors, buffers and scalars
 *   cpu_indexed.c loads at indices that may well lie together
 *   cpu_strided.c interleaved fields; cpu_atomic.c, cpu_tally.c
 *   cpu_pack.c    stores of what a mask keeps
 *   cpu_detour.c  fast paths that all lanes must agree on; cpu_divide.c
 *   cpu_gather.c  elements at places that a tile says, and histograms
 *   cpu_combine.c reductions; cpu_scan.c
 *   cpu_left_out.c nests that products may do without (cpu_dot.h has these)
 *   cpu_whole.c   loops of products that may be one of memory
 *   cpu_result.c  what becomes of results of products in registers
 *   cpu_programs.c the programs of a launch, in strips
 *   cpu_sort.c    rows in order
 *   cpu_record.c  prints, and what was found wrong
 *   cpu_debug.c   what names stand for, for debuggers
 *   cpu_made.c    what a body has computed
 * The first two, cpu_entry.c and cpu_combine.c call each other in a circle: a step may be a nest,
 * and a nest that combines by a function with loops has steps again.  No other files do.
 * emit.h has one elementwise op on scalars or vectors, and says what register form is.
 */
#ifndef TILEC_GEN_CPU_CPU_H
#define TILEC_GEN_CPU_CPU_H

#include "../gen_cpu_dot/cpu_dot.h"
#include "../split/split.h"

_Static_assert((int)MOST_APART <= (int)LLVM_MAX_LANES, "they become one vector");
_Static_assert((int)MAX_LANES <= (int)LLVM_MAX_LANES, "llvm.c must take what the nests make");

/* Of a table where a thread adds up. */
struct TallyCode {
    int buffer;
    Val is_on;        /* i1: the piece of the grid is worth it */
    Val skip, misses; /* stack slots of i32: runs of the nest without it; slots taken in this run */
};

/* What an entry of the schedule has given at the current place: a vector along the inner dimension,
 * or one scalar for all its lanes.  level: the innermost loop that it changes with (0 = none). */
typedef struct {
    Val v;
    bool vec;
    int level;
} Ev;

/* Where a bound of the plan holds in this row: the mask is true for inner indices from `first` on
 * and below `count`, false from `none` on.  These two are the same but where the values compared
 * may wrap in between.  A bound begins, or has an end: `first` is 0, or `count` the extent. */
typedef struct {
    Val first, count, none; /* i64, known in front of the inner loop; first: NULL for 0 */
    int level;              /* .. or of a loop further out: as of Ev */
} Cut;

/* A way that is computed where not all lanes may go the usual one (cpu_detour.c). */
typedef struct {
    Val usual;                       /* the result where they may */
    LLVMBasicBlockRef before, after; /* where the usual way ends, where both meet */
} Detour;

typedef struct Reduction Reduction;

/* What an entry of a schedule has given. */
typedef union {
    Val value;
    Val *fields; /* of MAKE_RECORD, by their offset from the first; a scan's results */
} Made;

/* One of the planes that go through a strip together: its index, and what is made for it. */
typedef struct {
    Val index;
    Made *made;
} Plane;

typedef struct {
    Cpu *c;
    const Nest *nest;
    int rank, inner;       /* inner: the dimension run in vectors */
    int lanes, unroll;     /* the nest's */
    int front;             /* the level of what stands in front of the segments */
    Bld at[MAX_RANK + 1];  /* at[l]: code that changes with loop l; at[rank] is the inner body */
    Val counter[MAX_RANK]; /* phis of the scalar loops, by dimension */
    Val index[MAX_RANK];   /* i64 by dimension; of the inner one, the chunk's first */
    Val begin, end; /* i64: of the row, or of the piece of it; known in front of the inner loop */
    int split;      /* the dimension of which this part of the program has a range; SPLIT_NONE */
    Val from, to;   /* that range, i64 */
    Val line;       /* of a nest that is lined: the first element at a line; i64, as `begin` */
    Val until;      /* elements from there on are not there; NULL: from `end` on */
    Val lane_ok;    /* lanes inside the extent, or NULL for all */
    Made *made;     /* by entry of the schedule */
    Detour detour;  /* that code is made for now */
    Cut *cuts;      /* by nest->bounds */
    bool full;      /* all of these hold all over the tile, and none is found */
    Val *ahead;     /* by nest->ahead: where the next program's row is thought to begin, or NULL */
    Reduction *reductions;
    Val running[MAX_UNROLL][MAX_COMBINED]; /* slots of a scan's running values: of a row, or by copy
                                            * of columns in a strip */
    int copy;                              /* which of the unrolled bodies this is */
    int copies;                            /* of a strip: how many there are */
    bool picks;                            /* .. whether it picks numbers (Schedule.picks) */
    Plane plane[MAX_PLANES];               /* that go through it together, .. */
    int result;             /* 1 + a buffer of which an element is at hand, in registers: .. */
    Val sum;                /* .. this one; 0: there is none */
    int planes, this_plane; /* .. how many, and for which code is made now */
    int times;              /* .. and for how many rows a body stands */
} NestCg;

/* cpu_made.c */
Ev cpu_made(const NestCg *n, int entry);               /* what it has given */
Val cpu_input(const NestCg *n, const Entry *e, int i); /* of input i; NULL where e has none */
Val cpu_vectorise(NestCg *n, Ev e);                    /* to all lanes of the inner body */
Val cpu_turned(const NestCg *n, Val v);                /* the last lane of a body's vector first */
Val cpu_lanes(NestCg *n, const Entry *e, int i);       /* the same of input i */
/* i1: does the body stand at the first element or vector along an axis, in that direction? */
Val cpu_at_first(const NestCg *n, int axis, bool backwards);

/* cpu.c */
/* The kernel as a function of that name in l's module, for l->cpu; `c` has plan, function and
 * options, and c->fn is it behind the call. */
void cpu_kernel(Cpu *c, Llvm *l, const char *name);
/* Evaluate a reduce or scan region on given values: n earlier, n later, n results. */
void cpu_region(Cpu *c, Bld b, const Block *region, const Val *args, int lanes, Val *results);
void cpu_scalar(Cpu *c, const Op *op); /* the step of an op on scalars, from c->b on */
/* The steps of a block, from c->b on: of the kernel's body, of an arm, of a combine function. */
void cpu_steps(Cpu *c, const BlockPlan *plan);

/* cpu_programs.c */
/* All of a launch, in the order in which they run, from `first` on below `last` (i64). */
void cpu_programs(Cpu *c, Val first, Val last);

/* cpu_nest.c */
/* All of it, from c->b on; c->b stands behind it at the end. */
void cpu_nest(Cpu *c, const Nest *n);

/* cpu_segment.c */
void cpu_segments(NestCg *n); /* of the row at hand, or a piece of it */

/* cpu_body.c */
/* Loops count up; a reverse scan sees its axis from the other end, at 0 the last whole vector. */
Val cpu_in_direction(const NestCg *n, Bld b, int dim, Val i);
/* Find the planes that go through a strip together, whose loop stands at the first of them. */
void cpu_begin_planes(NestCg *n);
/* Code from here on is for one of them. */
void cpu_plane(NestCg *n, int plane);
/* Code from here on is the body of copy `copy`, for a vector at i. */
void cpu_begin_body(NestCg *n, Part part, Val i, int copy);
/* One step of the inner loop: so many bodies side by side, from i on, or a strip of such columns.
 */
void cpu_bodies(NestCg *n, Part part, Val i, int copies);

/* cpu_pieces.c */
/* The quotient of MAKE_PIECE, or what is compared, where the piece begins; it may end the piece
 * earlier. */
Val cpu_piece(NestCg *n, const Entry *e);
Val cpu_remainder(NestCg *n, const Entry *e); /* of MAKE_REMAINDER */
/* i1: are all pieces of the nest, which has a whole one, long enough? */
Val cpu_pieces_pay(Cpu *c, const Nest *n);

/* cpu_entry.c */
/* Make code for its entries, those of that level or ANY_LEVEL. */
enum { ANY_LEVEL = -1 };
void cpu_part(NestCg *n, Part part, int level);
/* The same without what is found for whole rows, and what roots do. */
void cpu_values(NestCg *n, Part part, int level);

/* cpu_bounds.c */
Val cpu_some(NestCg *n);                   /* of MAKE_SOME */
void cpu_cut(NestCg *n, const Entry *e);   /* find where a bound ends in this row */
void cpu_line(NestCg *n, const Entry *e);  /* find the first line; sets `line` */
void cpu_ahead(NestCg *n, const Entry *e); /* guess where the next program's row begins */
/* The first of the unrolled bodies, at index i, asks for the lines of all. */
void cpu_prefetch(NestCg *n, Val i);

/* cpu_memory.c */
/* By the form that the plan has for it, in register form; its IN_DATA or 0 where it is masked off.
 */
Val cpu_load(NestCg *n, const Entry *e);
Val cpu_load_field(NestCg *n, const Entry *e); /* the same of a field of records */
typedef struct {
    int buffer;
    int64_t first;     /* the element where the tile begins */
    const Type *shape; /* of the tile, which is read at `map` */
    const int8_t *map;
    bool lane;        /* of the body's first lane alone */
    bool again;       /* from memory, whoever has it in registers */
    const Val *index; /* made in the body; NULL: where the loops stand */
} Reading;
Ev cpu_read(NestCg *n, const Reading *r); /* at the current place */
/* One body's part of a store, by the form in its plan. */
void cpu_store_root(NestCg *n, const Root *r, const Entry *e);
Val cpu_to_memory(NestCg *n, Ev e, DType t); /* to all lanes of the body, as t lies in memory */
/* The vector of lanes that are there and not masked off; NULL: all. */
Val cpu_mask(NestCg *n, const Entry *e);
/* Put a tile's value at the current place into a buffer of that shape; lanes beyond the extent are
 * left alone. */
void cpu_fill(NestCg *n, int buffer, const Type *shape, const int8_t *map, Ev e);
/* In register form; mask and other may be NULL.  Where it is masked off, scratch is read instead:
 * no branch. */
Val cpu_scalar_load(Cpu *c, Bld b, const Type *t, Val ptr, Val mask, Val other);
/* A vector, or one element.  again: from memory, whoever has it in registers.  A detour loads again
 * what the usual way has loaded, or that way had to keep it in registers. */
Val cpu_load_row(NestCg *n, LLVMTypeRef vector, Val ptr, int align, bool again);
/* i64: elements from one index to the next. */
Val cpu_step(NestCg *n, const Access *a, const Entry *e);
/* Lanes that are masked off are zero; the mask may be NULL. */
Val cpu_gather_pointers(Cpu *c, Bld b, LLVMTypeRef vector, Val ptrs, int align, Val mask);
/* Lanes that are masked off are zero.  `size`: bytes of an element. */
Val cpu_masked_load(Cpu *c, Bld b, LLVMTypeRef vector, Val ptr, int size, Val mask);
void cpu_masked_store(Cpu *c, Bld b, Val v, Val ptr, int size, Val mask);
/* Mask may be NULL; where it is not set, a spot of scratch that nobody reads is written. */
void cpu_scalar_store(Cpu *c, Bld b, DType t, Val ptr, Val v, Val mask);
/* Address of an element of a buffer: index[d] for each dimension d of `shape`, NULL for 0. */
Val cpu_element(Cpu *c, Bld b, int buffer, const Type *shape, const Val *index);
/* cpu_indexed.c */
Val cpu_load_indexed(NestCg *n, const Entry *e); /* of FORM_INDEXED, as it lies in memory */

/* cpu_strided.c */
/* Of FORM_BACKWARDS: a vector as it lies in memory, zero where it is masked off, and to memory. */
Val cpu_load_backwards(NestCg *n, const Entry *e, Val mask);
Val cpu_load_spread(NestCg *n, const Entry *e, Val mask); /* the same of FORM_SPREAD */
/* .. and of FORM_FLIPPED, of which the second gives where the vector begins, of such elements. */
Val cpu_load_flipped(NestCg *n, const Entry *e, Val mask);
Val cpu_flipped_pointer(NestCg *n, const AccessPlan *a, const Entry *e, LLVMTypeRef element);
Val cpu_flip(NestCg *n, Val v, int flip); /* lane k ^ flip becomes lane k */
void cpu_store_backwards(NestCg *n, const Root *r, const Entry *e, Val v, Val mask);
/* The vectors of all fields of a group of records, as they lie in memory; zero where they are
 * masked off. */
Val *cpu_records(NestCg *n, const Entry *e);
void cpu_store_records(NestCg *n, const Root *r,
                       const Entry *e); /* one body's part, of FORM_RECORD */

/* cpu_pack.c */
void cpu_store_packed(NestCg *n, const Root *r, const Entry *e, Val v, Val mask);
/* In all lanes how many of x are not 0. */
Val cpu_count_lanes(NestCg *n, Val x);

/* cpu_detour.c */
/* Branch on `all` (i1, of all lanes); code for the inner body belongs to the detour until _end(),
 * which gives what holds behind both. */
Detour cpu_detour_begin(NestCg *n, Val all, Val usual);
/* `rare` is the result of the detour. */
Val cpu_detour_end(NestCg *n, const Detour *d, Val rare);
/* All lanes of a vector of i1. */
Val cpu_all(NestCg *n, Val lanes);

/* cpu_divide.c: x / s for a vector x and a float scalar s made outside of the inner loop */
Val cpu_divide(NestCg *n, Ev x, Ev s);
/* The quotient or remainder of a vector of integers by such a scalar, as the entry's op says; by 0
 * the quotient is 0. */
Val cpu_divide_integers(NestCg *n, const Entry *e);

/* cpu_atomic.c */
void cpu_atomics_begin(Cpu *c);                                 /* in front of all programs */
void cpu_atomic_root(NestCg *n, const Root *r, const Entry *e); /* one body's part */
void cpu_atomic_nest(Cpu *c, const Nest *n);                    /* cpu_nest(), of an atomic */
/* `in`: its operands, as scalars; NULL for a mask that is true. */
Val cpu_scalar_atomic(Cpu *c, Bld b, const Op *op, const Val *in);

/* cpu_tally.c */
void cpu_tally_begin(Cpu *c, Val programs); /* in front of all of these, i64 */
void cpu_tally_nest(Cpu *c, const Nest *n); /* cpu_nest(), of an atomic that has a table */
void cpu_tally_add(Cpu *c, Bld b, int buffer, Val ptr, Val data);
void cpu_tally_end(Cpu *c); /* behind all programs */

/* cpu_gather.c */
Val cpu_gather(NestCg *n, const Entry *e); /* of MAKE_GATHER, in register form */
void cpu_count_begin(NestCg *n);           /* in front of all loops: no histogram has counted yet */
void cpu_count_end(NestCg *n);             /* behind them */
/* One body's part of a histogram. */
void cpu_count_body(NestCg *n, const Op *op, const Entry *e);

/* cpu_combine.c */
void cpu_reduce_begin(NestCg *n); /* in front of the inner loops */
/* In front of the rows of a strip, and behind them for one copy. */
void cpu_reduce_begin_strip(NestCg *n);
/* i1: is what a strip that picks began with still in some lane? */
Val cpu_reduce_none_picked(NestCg *n);
void cpu_reduce_end_strip(NestCg *n);
/* One body's part, into the running values of cpu_reduce_begin(). */
void cpu_reduce_body(NestCg *n, const Op *op, const Entry *e);
void cpu_reduce_rest(NestCg *n, const Op *op, const Entry *e); /* of MAKE_REST */
void cpu_reduce_end(NestCg *n);                                /* behind the inner loops */
/* The region of the root `op` on n earlier values and n later ones, serial or not; just the later
 * ones where `first`. */
void cpu_combine(NestCg *n, const Op *op, Val first, const Val *args, Val *results);
/* The element that changes nothing, of a kind that has one. */
Val cpu_neutral(Cpu *c, const Op *op, const CombineKind *kind);

/* cpu_scan.c */
void cpu_scan_begin(NestCg *n, const Root *r); /* in front of the inner loop */
/* One body's part, in the order of the scan; gives the results. */
Val *cpu_scan_body(NestCg *n, const Root *r, const Entry *e);

/* cpu_left_out.c */
/* cpu_nest(), where the tile is not there already, and this i1 is false; NULL: it is */
void cpu_keep_fill(Cpu *c, const Nest *n, Val unless);
void cpu_place_fill(Cpu *c, const Nest *n); /* the nest, unless its tile is read in place */
/* In front of a loop that ends, if `when`, with products that may store their results, or of such a
 * product: finds where. */
void cpu_place_results(Cpu *c, const Op *whole, Val when);
void cpu_place_store(Cpu *c, const Nest *n); /* unless the product has stored it */

/* cpu_whole.c */
/* In front of a loop of so many rounds that may be one product: does that where *whole, an i1,
 * holds.  Then come the rounds; the end takes what this gives. */
LLVMBasicBlockRef cpu_whole_begin(Cpu *c, const Step *s, Val trips, Val *whole);
void cpu_whole_end(Cpu *c, const Step *s, Val whole, LLVMBasicBlockRef after);

/* cpu_result.c */
extern const BlockCode cpu_block_code;

/* cpu_sort.c */
void cpu_sort(Cpu *c, const Op *op, SortShape shape); /* between buffers, row by row */

/* cpu_debug.c: what names stand for, where GenOptions.debug wants it known */
typedef struct CpuDebug CpuDebug;
void cpu_debug_begin(Cpu *c);                /* once the arguments are loaded */
void cpu_debug_program(Cpu *c);              /* at the head of a program */
void cpu_debug_step(Cpu *c, const Op *next); /* code for this op, or NULL, comes next */
/* In front of a step's code: a place for a debugger to stop at in each of its lines.  Gives the op
 * whose place all of the code then has, `op` where there are none. */
const Op *cpu_debug_lines(Cpu *c, const Step *s, const Op *op);
void cpu_debug_made(Cpu *c, const Step *s,
                    const Op *at); /* its code stands, at the place of `at` */

/* cpu_record.c: what programs say, through the port that a hidden parameter points to (ir.h) */
/* `buffers` as in Step.  Behind an assertion, code goes on where nothing comes by. */
void cpu_record(Cpu *c, const Op *op, const int *buffers);
void cpu_record_program(Cpu *c); /* at the head of a program: not if another one failed */

#endif
