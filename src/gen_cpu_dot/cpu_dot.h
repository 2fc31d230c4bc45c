/*
 * cpu_dot.h - products of tiles, which are in buffers, or where memory has them
 *
 *   cpu_dot.c       the product: blocks of it that stay in registers
 *   cpu_dot_step.c  steps of k in one of these
 *   cpu_dot_pack.c  its second operand in panels
 *   cpu_dot_tiles.c blocks by AMX
 *   cpu_dot_sum.c   where the sum begins and ends
 *   cpu_dot_live.c  how much of it counts
 *   cpu_dot_ahead.c what the cache is asked for
 *   cpu_dot_whole.c all rounds of a loop as one product
 *   cpu_dot_column.c blocks of one of a single column
 *   cpu_place.c     operands and results in place
 *   cpu_keep.c      tiles that stay for the next program
 *   cpu_code.c      what these call, and nests: slots, loops, buffers
 */
#ifndef TILEC_GEN_CPU_DOT_CPU_DOT_H
#define TILEC_GEN_CPU_DOT_CPU_DOT_H

#include "cpu_code.h"

/* What a product asks the cache for, of an operand of the next rounds: pieces of some lines, which
 * follow one another, or lie in rows, and these in tiles. */
typedef struct {
    Val next;              /* stack slot of an i64: number of the piece that comes next */
    Val when;              /* i1: it is asked for; NULL: always */
    Val base, pitch, tile; /* i64: where it begins; from a row, and a tile, to the next */
    int lines, in_row;     /* of a piece; pieces of a row */
    int rows;              /* of a tile; 0: there are none */
    int in_block, in_step; /* pieces in each block, or in each copied step of k */
} Asking;

/* Of so many rows of a block the address is kept where a is in place: from these on other ones are
 * 1, 2, 4 or 8 rows away. */
enum { DOT_PLACES = 4 };

/* Of a product what stays in registers while k runs. */
typedef struct {
    int rows, vectors, last; /* lanes of the last vector that exist */
    Val row, column;         /* i64: where it begins */
    Val mask;                /* of the lanes of its one vector, where nobody knows how many exist
                              * until the program runs; NULL: `last` of the last one do */
    Val sums[DOT_MAX_ROWS][DOT_MOST_VECTORS];
} DotBlock;

/* What nests around a product do, of a block of the sum: makes of what the buffer has what it
 * begins with, as that nest does, and stores what becomes of it, as that of the buffer does. */
typedef struct {
    void (*start)(Cpu *c, const Nest *n, DotBlock *b);
    void (*store)(Cpu *c, int buffer, const DotBlock *b);
} BlockCode;

/* A product of tiles; in batches, the one that code is made for now. */
typedef struct {
    Cpu *c;
    DotPlan plan;
    int64_t m, n, k; /* k: of a round */
    int64_t most_k;  /* of all rounds that are multiplied together: elements of a row of a */
    Val along;       /* i64: elements along k that there are; not 0 */
    DType in, out;   /* register dtypes of operands and accumulator */
    DType rounded;   /* what the accumulator's values must fit */
    int buffer[3];   /* by operand; that of the accumulator is the result's */
    Val base[3];     /* where they begin */
    int64_t down[3], across[3]; /* elements from a row, and a column, to the next one */
    Val pitch[3];               /* i64: .. from a row, known when the program runs; NULL: `down` */
    Val ends; /* i1: this product's sum is the result, and is stored; NULL: it never is */
    const BlockCode *code;
    Val begins;                        /* i1: the sum is zero before; NULL: it has something */
    Val smallest;                      /* slot: of bf16 that is packed, see cpu_dot_pack.c */
    Asking asking[2][2];               /* by operand: rows of memory, and slots */
    Val place[DOT_PLACES], down_bytes; /* .. of an a in place: of some rows, and from one to the
                                        * next one */
    Val walk[2]; /* in a block, by operand: its first element that a step of k reads; cpu_dot_step.c
                  */
    Val live[LIVES];    /* i64: so many rows, columns and elements along k; NULL: all */
    bool whole;         /* all rounds of the loop, `along` elements along k (cpu_dot_whole.c) */
    Val next[2];        /* of a whole one: where the next program's operands most likely are */
    Val mask;           /* of a whole one: DotBlock.mask of the block at hand */
    bool column;        /* .. it has one column, which is dense (cpu_dot_column.c), .. */
    bool dense_columns; /* .. or its columns are, whose pitch is b's */
    Val ahead; /* .. i64: bytes from a row of b to the one that its step asks for; NULL: none */
} Dot;

/* Elements along k that rows of packed operands have room for: whole groups. */
static inline int64_t cpu_dot_depth(const Dot *d)
{
    return (d->most_k + d->plan.group - 1) / d->plan.group * d->plan.group;
}

/* All rounds of a loop, where operands and the result lie in memory. */
typedef struct {
    Val live[LIVES]; /* i64: rows, columns, elements along k; none of them 0 */
    Placed of[2];    /* operands */
    bool stores;     /* the result: where its buffer is placed; else it goes to the buffer */
    int few, most;   /* as Whole has them */
    bool thin, column, dense_columns;
} WholeAt;

/* cpu_dot.c */
/* With nothing known but extents and buffers. */
Dot cpu_dot_of(Cpu *c, const Op *op, DotPlan plan, const BlockCode *code);
/* The acc of these rows and columns, of whose last vector `last` lanes exist, or those of d->mask.
 */
void cpu_dot_block(Dot *d, int rows, int vectors, int last, Val row, Val column);
/* Between buffers; the result's holds the accumulator before, where the plan has no `start`, and
 * gets the result where it is not stored. */
void cpu_dot(Cpu *c, const Op *op, DotPlan plan, const BlockCode *code);

/* cpu_dot_step.c */
/* The element at a row and a column, and so much further in both. */
Val cpu_dot_at(Dot *d, int which, Val row, int64_t row_offset, Val column, int64_t offset);
/* How many steps stand side by side in a loop. */
int cpu_dot_copies(const Dot *d);
void cpu_dot_multiply(Dot *d, DotBlock *b); /* adds to its sums */
/* From an operand's buffer, or memory, in the dtype of sums: an element, or so many lanes, but
 * those that d->mask leaves out. */
Val cpu_dot_load(Dot *d, int which, Val p, int lanes);
Val cpu_dot_multiply_add(Dot *d, Val a, Val b, Val acc);
/* sums + a b, of vectors of 16 i32 and of their 64 bytes: a unsigned, b signed. */
Val cpu_dot_bytes(Cpu *c, Val sums, Val a, Val b);

/* cpu_dot_column.c: the sums of a block of one vector, where that begins as zero; of one column
 * those in lane 0 */
void cpu_dot_column(Dot *d, DotBlock *b);

/* cpu_dot_whole.c */
void cpu_dot_whole(Cpu *c, const Op *op, DotPlan plan, const BlockCode *code, const WholeAt *at);

/* cpu_keep.c */
/* How many programs beside each other, where so many rounds (i64) of each have tiles in slots, may
 * come back to theirs. */
Val cpu_keep_loops(Cpu *c, const Keep *k, Val trips);
void cpu_keep_begin(Cpu *c); /* in front of all programs */
/* Code for filling a tile goes to c->b between the two: where it is not there already, and the i1
 * `unless` is false; NULL: it is. */
typedef struct {
    int keep;
    Val words; /* of the tile */
    LLVMBasicBlockRef after;
} Filling;
Filling cpu_keep_begin_fill(Cpu *c, int keep, Val unless);
void cpu_keep_end_fill(Cpu *c, const Filling *f);
void cpu_keep_pack(Dot *d); /* cpu_dot_pack(), in the same way */
/* Bytes from a buffer's slot to the one that comes next, i64; 0 where this one is shared. */
Val cpu_keep_behind(Cpu *c, int buffer);

/* cpu_place.c */
/* i1: may the product read the tile of that nest in place of the buffer, and where? */
Val cpu_place_find(Cpu *c, const Nest *n, int buffer);
/* Of the address of a tile: where that lies, if what follows one another along a dimension, up to
 * element `last` (i64), does so evenly; the pitch in bytes. */
Placed cpu_place_along(Cpu *c, const Value *address, int dim, Val last);
/* i1: do remainders that it is made of not come around, up to that element along a dimension? */
Val cpu_place_goes_on(Cpu *c, const Value *address, int dim, Val last);
/* i1: may it be read in place, so far as it goes by who reads it? */
Val cpu_place_wanted(Cpu *c, int buffer);
/* Where the last product may store what is in the buffer: if `when`, and all masks hold. */
void cpu_place_find_result(Cpu *c, int buffer, Val when);
/* i1: does the product that reads the buffer multiply tiles of each round by themselves? */
Val cpu_place_each(Cpu *c, int buffer);
/* The number of this round among those whose tiles lie together there. */
Val cpu_place_round(Cpu *c, int buffer, int rounds);
Val cpu_place_any(const Dot *d);  /* i1: is an operand in place? NULL: none may be */
Dot cpu_place_take(const Dot *d); /* .. what multiplies this round's tiles then */
void cpu_place_result(Dot *d, const Op *product); /* sets `ends` */
/* The element of an operand in place at a row and a column, and so much further. */
Val cpu_place_at(Dot *d, int which, Val row, Val column, int64_t offset);

/* cpu_dot_sum.c */
/* i1: does the sum begin as zero with this product?  NULL: it always has something. */
Val cpu_dot_begins(const Dot *d, const Op *product);
/* Sets the sums of a block; place: of each in the buffer. */
void cpu_dot_begin(Dot *d, DotBlock *b, Val (*place)[DOT_MOST_VECTORS]);
/* Of a vector of the block: which lanes exist; NULL: all. */
Val cpu_dot_lanes(Cpu *c, const DotBlock *b, int vector, int lanes);
/* The sums of a block go where the plan wants them; place: of each in the buffer. */
void cpu_dot_end(Dot *d, const DotBlock *b, Val (*place)[DOT_MOST_VECTORS]);

/* cpu_dot_live.c */
void cpu_dot_live(Dot *d); /* in front of the product: sets `live` */
/* i64: the smaller one of `end` and what lives; `end` itself where all does. */
Val cpu_dot_live_end(Dot *d, int which, int64_t end);
/* How many elements of an extent a comparison lets count, i64. */
Val cpu_dot_count(Cpu *c, const Value *v, int64_t extent);
/* Of a tile: its first element. */
Val cpu_dot_first(Cpu *c, const Value *v);
/* i1: the comparisons nest->full, all over their tiles. */
Val cpu_all_hold(Cpu *c, const Nest *n);

/* cpu_dot_pack.c */
void cpu_dot_pack_begin(Dot *d); /* nothing is known yet of what will be packed */
/* b to its panels, and what the plan wants to know of it. */
void cpu_dot_pack(Dot *d);
void cpu_dot_widen(Dot *d); /* a to 16 bits */
/* i1: is something of a or b, which is packed, a subnormal bf16? */
Val cpu_dot_has_subnormals(Dot *d);

/* cpu_dot_ahead.c */
/* A nest is at a row of what becomes this operand, so far from the one before. */
void cpu_dot_note_row(Cpu *c, Bld b, int buffer, Val row, Val step);
/* In front of so many blocks, each of which has so many steps of k. */
void cpu_dot_ahead_begin(Dot *d, int64_t blocks, int64_t steps);
void cpu_dot_ahead_block(Dot *d); /* in front of a block */
void cpu_dot_ahead_step(Dot *d);  /* in a step of k */

/* cpu_dot_tiles.c */
void cpu_dot_tiles_begin(Dot *d); /* in front of all blocks */
/* The block of acc at row i and column j. */
void cpu_dot_tiles(Dot *d, int rows, int vectors, Val i, Val j);
void cpu_dot_tiles_end(Dot *d); /* behind them */

#endif
