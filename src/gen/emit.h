/*
 * emit.h - elementwise ops as LLVM instructions, the same for every target with LLVM
 *
 * A target holds an Emit, which says the little that these instructions depend on beside the IR.
 * The meaning of an op is scalar.c's, so it is written down for machines once, here.
 *
 * Register form: values of fp16, bf16 and fp8 live as fp32 that the format can hold; i1 is one
 * bit; everything else is itself.  Memory form is what arrays hold.
 */
#ifndef TILEC_GEN_EMIT_H
#define TILEC_GEN_EMIT_H

#include "llvm.h"

/* What the machine has of its own for small floats, of scalars, to nearest.  NULL, or gives NULL:
 * integer arithmetic does it. */
typedef struct {
    void *target;
    Val (*round_bf16)(void *target, Val x);           /* fp32 to fp32 */
    Val (*encode)(void *target, Val x, DType t);      /* fp32 to the bits of fp8, saturated */
    Val (*encode_held)(void *target, Val x, DType t); /* the same of what fp8 can hold */
    Val (*decode)(void *target, Val bits, DType t);   /* and back */
} EmitSmall;

typedef struct {
    Llvm *l;
    EmitSmall small;
    int table_lanes;    /* that one instruction permutes: x86 8 or 16, NEON 4; 0: there is none */
    bool picks_bytes;   /* NVIDIA: one instruction picks bytes of two words by digits of a third */
    bool has_half;      /* x86: it computes with vectors of fp16 */
    bool moves_words;   /* vectors of floats of 16 bits change places and signs as integers */
    bool no_rem;        /* .. and LLVM has no exact remainder of floats for it */
    bool no_fma;        /* .. and calls a function of the C library for each llvm.fma */
    bool no_saturation; /* x86: LLVM takes conversions that saturate apart, lane by lane */
    bool picks_floats;  /* it has min and max that leave NaN out, or pass it on */
    /* Addresses are numbers: LLVM 22 takes an index of 32 bits that it sees extended for one that
     * does not wrap, and makes one address of another by adding what the indices differ in. */
    bool whole_addresses;
    bool long_code; /* so long that what LLVM does in quadratic time must be avoided */
} Emit;

/* emit_ops.c: operands and result in register form, scalars or vectors alike */
/* `in`: one for each operand, all of as many lanes; gives the result, rounded to its dtype. */
Val emit_op(const Emit *e, Bld b, const Op *op, const Val *in);
/* The same on floats, without that: for sums that are rounded at their end. */
Val emit_unrounded(const Emit *e, Bld b, const Op *op, const Val *in);
Val emit_constant(const Emit *e, const Type *t, uint64_t bits); /* scalar */

/* How often the body of a `for` runs: an unsigned number of the counter's type. */
Val emit_trip_count(Bld b, Val lo, Val hi, Val step);

/* emit_int.c: emit_op() where operands are integers of dtype t. */
Val emit_int(const Emit *e, Bld b, const Op *op, DType t, const Val *in);

/* emit_half.c: emit_op() of vectors of fp16 by the machine's own arithmetic, or of floats of 16
 * bits by their bits; NULL: there is none for the op, or no operand was such a vector. */
Val emit_half(const Emit *e, Bld b, const Op *op, const Val *in);

/* emit_atomic.c */
LLVMAtomicOrdering emit_ordering(Sem sem);
/* What LLVM calls it; false: machines have no instruction for it. */
bool emit_native_atomic(RmwKind kind, DType t, LLVMAtomicRMWBinOp *out);
/* An atomic of that kind with `data` on memory that holds `old`; all are the bits of
 * an element in memory, scalar integers */
Val emit_rmw_value(const Emit *e, Bld b, RmwKind kind, DType t, Val old, Val data);

/* emit_float.c */
/* Is no element of it a NaN, as far as its ops show? */
bool emit_is_number(const Value *v);
/* x * y + z of fp32 or fp64, rounded once */
Val emit_fma(const Emit *e, Bld b, Val x, Val y, Val z);
LLVMTypeRef emit_memory_type(const Emit *e, DType t); /* of one element; bf16, fp8 as integers */
/* Of what t can hold, see emit_round(): nothing is rounded here. */
Val emit_to_memory(const Emit *e, Bld b, Val x, DType t);
Val emit_from_memory(const Emit *e, Bld b, Val x, DType t); /* exact */
Val emit_round(const Emit *e, Bld b, Val x, DType t);       /* an fp32 result to what t can hold */
/* Between register forms, by the rules of scalar_cast(), to the last bit. */
Val emit_cast(const Emit *e, Bld b, Val x, DType from, DType to, Rounding r);
/* See the top; scalars when lanes is 0. */
LLVMTypeRef emit_register_type(const Emit *e, DType t, int lanes);
LLVMTypeRef emit_type(const Emit *e, const Type *t, int lanes); /* of t's elements */

/* The targets with LLVM, of src/gen_cpu_target/ and src/gen_nv/nv.c; plugin.c lists them. */
extern const Target cpu_target, nv_target;

#endif
