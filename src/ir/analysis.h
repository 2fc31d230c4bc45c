/*
 * analysis.h - what can be asked of IR as it stands: uses, memory, what a reduction combines with
 *
 * Nothing here changes a function, and none of it needs a pass before it.  Axes, steps and ranges
 * are src/opt's.
 */
#ifndef TILEC_IR_ANALYSIS_H
#define TILEC_IR_ANALYSIS_H

#include "ir.h"

/* same.c: is it computed in the same way?  `depth` bounds the work; false where that is not known,
 * and of what memory holds. */
bool ir_same(const Value *a, const Value *b, int depth);

/* moves.c: what the elements of a value are, without the ops that only move them, without
 * conversions, without either. */
const Value *ir_unmoved(const Value *v);
const Value *ir_uncast(const Value *v);
const Value *ir_bare(const Value *v);

/* uses.c: who uses each value, as the function is now; in the order of the ops. */
typedef struct {
    Op *op;
    int operand; /* which of its operands */
} Use;
typedef struct {
    const int *start; /* by value id: the first of its uses in `all`; the next value's ends them */
    const Use *all;
} UseLists;
/* In the arena.  Any change of the function makes it stale. */
UseLists ir_uses(const Func *f, Arena *a);
static inline int uses_count(const UseLists *u, const Value *v)
{
    return u->start[v->id + 1] - u->start[v->id];
}
static inline const Use *uses_of(const UseLists *u, const Value *v)
{
    return u->all + u->start[v->id];
}

/* combine.c: what a reduce or scan combines with */
typedef struct {
    const Op
        *only; /* the region is this op on its two arguments, in some order; NULL: it is more */
    OpCode neutral; /* of `only`, earlier element first, when some element changes nothing in it;
                     * else OP_COUNT, and what follows says nothing */
    double real;    /* that element: of a float type */
    uint64_t bits;  /* .. and of another */
    /* OP_max, OP_min: of two pairs (value, index) the one with the larger or smaller value stays,
     * of equal ones that with the lower index; numbers win over NaN.  Else OP_COUNT. */
    OpCode winner;
} CombineKind;
CombineKind ir_combine_kind(const Op *op); /* op: reduce or scan; nothing is built */
/* The one op that it does to two elements, in a function of its own or not; OP_COUNT: it is more.
 */
OpCode ir_combine_code(const Op *op);
uint64_t ir_extreme(DType t,
                    bool highest); /* the largest or smallest of an integer type, as bits */
static inline bool ir_reduces(const Op *op) /* NULL does not */
{
    return op && op->code == OP_reduce;
}

/* trace.c: the parameters that a function, helpers included, reads and writes through; it may name
 * too many, but never too few.  Bit i stands for parameter i; 64 and up share bit 63. */
#define EVERY_PARAM UINT64_MAX /* or memory of which none says where it is */
typedef struct {
    uint64_t loaded, stored;
} MemoryUse;
MemoryUse ir_memory_use(const Func *f, Arena *a); /* through calls; works in the arena */
/* The same of one value: the parameters that an address in it may come from, and more, never less.
 * No bit in common: two pointers come from different parameters. */
typedef struct PointerBases PointerBases;
/* Of the function as it is now, in the arena. */
const PointerBases *ir_pointer_bases(const Func *f, Arena *a);
/* Of a value that it had then; bits as in MemoryUse. */
uint64_t ir_bases_of(const PointerBases *b, const Value *v);

/* memory.c: the memory that an op reads or writes */
typedef struct {
    int effect; /* READS, WRITES or both; 0: none, or nobody knows where, as of a call */
    /* Which operands, whether this op is given them or not (op_operand()); -1: it never is.  */
    int pointer;   /* addresses, or a handle */
    int data;      /* what is written, or combined with what is there */
    int compared;  /* what has to be there */
    int mask;      /* the lanes that do it */
    int other;     /* what the other lanes give */
    int64_t bytes; /* of all lanes; an op with both effects reads and writes so many */
} OpAccess;
OpAccess ir_access(const Op *op);
bool op_only_reads(const Op *op);  /* a load, of whatever kind */
bool op_is_volatile(const Op *op); /* a load that happens as often as it is written */

/* slice.c: see each op that these values depend on, once or for each of its results, until one says
 * that this is enough; false: one did.  Works in the arena. */
typedef bool SliceVisit(const Op *op, void *ctx); /* false: enough */
bool ir_slice(const Func *f, Arena *a, const Value *const *values, int n, SliceVisit *visit,
              void *ctx);

/* waits.c: some `while` of the module may go round until another program writes what it looks at;
 * works in the arena. */
bool ir_waits(const Module *m, Arena *a);

/* programs.c: with no more programs along any axis no product of a program's number and a constant
 * of the kernels is above 2^30, so far as that is seen; 0: there is none. */
int32_t ir_most_programs(const Module *m);

#endif
