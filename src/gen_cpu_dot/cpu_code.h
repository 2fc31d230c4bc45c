/*
 * cpu_code.h - what all files of the CPU target share: a kernel's function while code is made for
 * it, places for code and data, counted loops, buffers
 */
#ifndef TILEC_GEN_CPU_DOT_CPU_CODE_H
#define TILEC_GEN_CPU_DOT_CPU_CODE_H

#include "../gen/emit.h"
#include "../plan/plan.h"

typedef struct TallyCode TallyCode; /* cpu.h */

/* A tile of memory that a product may read instead of its buffer (cpu_place.c). */
typedef struct {
    Val when;        /* i1; NULL: it may not */
    Val base, pitch; /* the first element; i64: elements from one row to the next */
} Placed;

/* Where a nest has read an operand of a product: stack slots of i64. */
typedef struct {
    Val last, pitch;        /* its last row, 0: none since the product; and from one to the next */
    Val first, jump, steps; /* the first row before, how far it went, and mostly goes each time */
} SourceRows;

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
    bool launched;               /* by a launch of this library, which says whether it is .. */
    Val alone;                   /* .. alone (GEN_ALONE), i1; NULL: nobody knows */
    Val program[3], programs[3]; /* i32 */
    Val strip, strip_begin;      /* columns of the grid, i64 (cpu_programs.c); NULL: it has none */
    Val part, parts; /* i64: which of how many parts of the program this is; NULL: it is whole */
    Val *from, *to;  /* .. by number in plan->split.ranges: where its range begins and ends */
    Val *scalars;    /* by value id: rank-0 values in register form */
    Val *shift;      /* by buffer: bytes from the first tile to this round's, or NULL */
    Placed *placed;  /* by buffer: where an operand of the next product is in place */
    Val *in_slot;    /* by buffer: .. and to the first tile of the slot, or NULL */
    Val *slot;  /* by 1 + number in plan->keeps: the slot of this round, i64; NULL: the only one */
    Val *begin; /* the same: stack slot of the first of a loop's slots, of several; */
    Val *taken; /* .. and of this round's, behind the nest that fills it */
    Val trips;  /* of the loop around, i64, where there are slots */
    Val *stale; /* the same: stack slot of an i1, was its tile, or one beside it, filled anew? */
    Val round; /* of the innermost loop, whose tiles lie together: its number, i64, from 0 on, .. */
    Val is_last;         /* .. and whether there is none behind it, i1 */
    SourceRows *sources; /* by buffer: of operands that products ask for */
    const Machine *machine;
    bool nontemporal_used;
    TallyCode *tallies;      /* by number in plan->tallies */
    TallyCode *tally;        /* the one that the nest at hand adds to; NULL: to memory */
    LLVMBasicBlockRef leave; /* where a call of the kernel goes that must end early */
    struct CpuDebug *debug;  /* NULL: nobody asked for it */
} Cpu;

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
void cpu_loop_end_at(Cpu *c, const Loop *l, Val limit, int64_t step); /* up to an i64 */
Val cpu_slot(Cpu *c, LLVMTypeRef t); /* a stack slot in the entry block */
/* Where its tile is, in this thread's scratch; of several that lie together, this round's. */
Val cpu_buffer(Cpu *c, Bld b, int buffer);
Val cpu_buffer_start(Cpu *c, Bld b, int buffer); /* .. where the first of these is */
int cpu_buffer_size(const Cpu *c, int buffer);   /* bytes of an element */
/* As it lies there; one element when lanes is 0. */
LLVMTypeRef cpu_buffer_type(Cpu *c, int buffer, int lanes);
/* Between what a buffer holds and register form. */
Val cpu_from_buffer(Cpu *c, Bld b, int buffer, Val v);
Val cpu_to_buffer(Cpu *c, Bld b, int buffer, Val v); /* the other way */

void cpu_prefetch_line(Cpu *c, Bld b, Val row, int64_t offset, int level); /* of the cache: 1, 2 */

#endif
