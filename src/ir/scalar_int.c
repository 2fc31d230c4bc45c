/*
 * scalar_int.c - the integer ops as loops, one function a dtype
 *
 * scalar_int_ops.h says what each op means; this file turns its rows into loops.  bool is an
 * unsigned integer of one bit (semantics R51) in a byte of 0 or 1.
 */
#include "scalar.h"

#define UNARY(op, e) SCALAR_LOOP(op, T, const T x = a[i], FIT(e))
#define BINARY(op, e) SCALAR_LOOP(op, T, const T x = a[i]; const T y = b[i], FIT(e))
#define COMPARE(op, e) SCALAR_LOOP(op, uint8_t, const T x = a[i]; const T y = b[i], e)

#define BEGIN(name)                                                                                \
    static bool name(OpCode op, const void *const *src, void *dst, size_t n)                       \
    {                                                                                              \
        const T *a = src[0], *b = src[1];                                                          \
        switch (op) {
#define END                                                                                        \
    default:                                                                                       \
        return false;                                                                              \
        }                                                                                          \
        }

#define FIT(e) (e)
#define SIGNED 1

#define T int8_t
#define S int8_t
#define U uint8_t
#define W uint32_t
#define D uint32_t
#define BITS 8
BEGIN(int_i8)
#include "scalar_int_ops.h"
END
#undef T
#undef SIGNED
#define T uint8_t
#define SIGNED 0
BEGIN(int_u8)
#include "scalar_int_ops.h"
END
#undef FIT
#undef BITS
#define FIT(e) ((e)&1)
#define BITS 1
BEGIN(int_i1)
#include "scalar_int_ops.h"
END
#undef FIT
#undef T
#undef S
#undef U
#undef BITS
#undef SIGNED

#define FIT(e) (e)
#define T int16_t
#define S int16_t
#define U uint16_t
#define BITS 16
#define SIGNED 1
BEGIN(int_i16)
#include "scalar_int_ops.h"
END
#undef T
#undef SIGNED
#define T uint16_t
#define SIGNED 0
BEGIN(int_u16)
#include "scalar_int_ops.h"
END
#undef T
#undef S
#undef U
#undef D
#undef BITS
#undef SIGNED

#define T int32_t
#define S int32_t
#define U uint32_t
#define D uint64_t
#define BITS 32
#define SIGNED 1
BEGIN(int_i32)
#include "scalar_int_ops.h"
END
#undef T
#undef SIGNED
#define T uint32_t
#define SIGNED 0
BEGIN(int_u32)
#include "scalar_int_ops.h"
END
#undef T
#undef S
#undef U
#undef W
#undef D
#undef BITS
#undef SIGNED

#define T int64_t
#define S int64_t
#define U uint64_t
#define W uint64_t
#define D unsigned __int128
#define BITS 64
#define SIGNED 1
BEGIN(int_i64)
#include "scalar_int_ops.h"
END
#undef T
#undef SIGNED
#define T uint64_t
#define SIGNED 0
BEGIN(int_u64)
#include "scalar_int_ops.h"
END

    bool
    scalar_int(OpCode op, DType t, const void *const *src, void *dst, size_t n)
{
    switch (t) {
    case DT_I1:
        return int_i1(op, src, dst, n);
    case DT_I8:
        return int_i8(op, src, dst, n);
    case DT_I16:
        return int_i16(op, src, dst, n);
    case DT_I32:
        return int_i32(op, src, dst, n);
    case DT_I64:
        return int_i64(op, src, dst, n);
    case DT_U8:
        return int_u8(op, src, dst, n);
    case DT_U16:
        return int_u16(op, src, dst, n);
    case DT_U32:
        return int_u32(op, src, dst, n);
    case DT_U64:
        return int_u64(op, src, dst, n);
    default:
        return false;
    }
}
