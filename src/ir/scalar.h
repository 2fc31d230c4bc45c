/*
 * scalar.h - what the scalar_*.c files share; nothing outside src/ir/ includes it
 *
 * All of them work on arrays in memory form (see scalar_apply in ir.h) in plain loops without
 * calls, so that the compiler turns them into vector code.
 */
#ifndef TILEC_SCALAR_H
#define TILEC_SCALAR_H

#include "ir.h"

VECTOR_LOOPS

/* Small floats are computed in fp32, this many elements at a time. */
enum { SCALAR_BLOCK = 256 };

/* scalar_int.c: ints and bool */
/* These three are parts of scalar_apply(): false where the op means nothing on such a dtype. */
bool scalar_int(OpCode op, DType t, const void *const *src, void *dst, size_t n);

/* scalar_float.c: fp32, fp64 */
bool scalar_float(OpCode op, DType t, const void *const *src, void *dst, size_t n);

/* scalar_toward.c: arithmetic that rounds to a side; a part of scalar_apply(), too */
bool scalar_toward(OpCode op, Rounding r, DType t, const void *const *src, void *dst, size_t n);
/* `in` is an integer of 32 or 64 bits, or fp64 */
void scalar_cast_toward(Rounding r, DType in, DType out, const void *src, void *dst, size_t n);

/* scalar_small.c: fp16, bf16, fp8* and the way between them and fp32 */
bool scalar_small(OpCode op, DType t, const void *const *src, void *dst, size_t n);
/* Of a float of 16 bits or less; exact. */
void scalar_widen(DType t, const void *src, float *dst, size_t n);
/* The other way, rounded once. */
void scalar_narrow(DType t, Rounding r, const float *src, void *dst, size_t n);

/* scalar_cast.c: every dtype to every dtype; `dst` may be `src` when its elements are no wider */
void scalar_cast(Rounding r, DType in, DType out, const void *src, void *dst, size_t n);

/* A case of a `switch` over ops: row `op` of scalar_*_ops.h as a loop that gives elements of R. */
#define SCALAR_LOOP(op, R, declare, e)                                                             \
    case OP_##op: {                                                                                \
        R *r = dst;                                                                                \
        EACH_LANE for (size_t i = 0; i < n; i++)                                                   \
        {                                                                                          \
            declare;                                                                               \
            r[i] = (R)(e);                                                                         \
        }                                                                                          \
        return true;                                                                               \
    }

#endif
