/*
 * emit_atomic.c - what an atomic read-modify-write leaves in memory, for loops that compare and
 * swap
 *
 * For formats and kinds that a machine has no instruction for.  Everything is the bits of one
 * element as memory has them, an integer.
 */
#include "emit.h"

LLVMAtomicOrdering emit_ordering(Sem sem)
{
    switch (sem) {
    case SEM_ACQUIRE:
        return LLVMAtomicOrderingAcquire;
    case SEM_RELEASE:
        return LLVMAtomicOrderingRelease;
    case SEM_RELAXED:
        return LLVMAtomicOrderingMonotonic;
    default:
        return LLVMAtomicOrderingAcquireRelease;
    }
}

bool emit_native_atomic(RmwKind kind, DType t, LLVMAtomicRMWBinOp *out)
{
    bool is_float = dtype_is_float(t), is_signed = dtype_is_signed(t);

    switch (kind) {
    case RMW_ADD:
        *out = is_float     ? LLVMAtomicRMWBinOpFAdd
               : t == DT_I1 ? LLVMAtomicRMWBinOpXor /* modulo 2 in a byte of 0 or 1 */
                            : LLVMAtomicRMWBinOpAdd;
        return !is_float || dtype_bits(t) >= 32;
    case RMW_AND:
        *out = LLVMAtomicRMWBinOpAnd;
        return !is_float;
    case RMW_OR:
        *out = LLVMAtomicRMWBinOpOr;
        return !is_float;
    case RMW_XOR:
        *out = LLVMAtomicRMWBinOpXor;
        return !is_float;
    case RMW_XCHG:
        *out = LLVMAtomicRMWBinOpXchg;
        return !is_float;
    case RMW_MAX:
        *out = is_signed ? LLVMAtomicRMWBinOpMax : LLVMAtomicRMWBinOpUMax;
        return !is_float;
    case RMW_MIN:
        *out = is_signed ? LLVMAtomicRMWBinOpMin : LLVMAtomicRMWBinOpUMin;
        return !is_float;
    }
    return false;
}

/* Order of bit patterns as in R221: flip the magnitude of negative values. */
static Val order_key(Bld b, Val bits)
{
    LLVMTypeRef t = LLVMTypeOf(bits);
    int width = (int)LLVMGetIntTypeWidth(t);
    Val sign = LLVMBuildAShr(b, bits, llvm_int(t, width - 1), "");
    Val flip = LLVMBuildLShr(b, sign, llvm_int(t, 1), "");

    return LLVMBuildXor(b, bits, flip, "");
}

static Val float_value(const Emit *e, Bld b, RmwKind kind, DType t, Val old, Val data)
{
    LLVMTypeRef memory = emit_memory_type(e, t);

    if (kind == RMW_ADD) {
        Val x = emit_from_memory(e, b, LLVMBuildBitCast(b, old, memory, ""), t);
        Val y = emit_from_memory(e, b, LLVMBuildBitCast(b, data, memory, ""), t);
        Val sum = emit_round(e, b, LLVMBuildFAdd(b, x, y, ""), t);
        return LLVMBuildBitCast(b, emit_to_memory(e, b, sum, t), LLVMTypeOf(old), "");
    }
    LLVMIntPredicate p = kind == RMW_MAX ? LLVMIntSGT : LLVMIntSLT;
    Val before = order_key(b, old);
    Val wins = LLVMBuildICmp(b, p, order_key(b, data), before, "");
    return LLVMBuildSelect(b, wins, data, old, "");
}

static Val int_value(Bld b, RmwKind kind, DType t, Val old, Val data)
{
    bool is_signed = dtype_is_signed(t);
    LLVMIntPredicate greater = is_signed ? LLVMIntSGT : LLVMIntUGT;

    switch (kind) {
    case RMW_ADD: /* of i1 modulo 2, in a byte of 0 or 1 */
        return t == DT_I1 ? LLVMBuildXor(b, old, data, "") : LLVMBuildAdd(b, old, data, "");
    case RMW_AND:
        return LLVMBuildAnd(b, old, data, "");
    case RMW_OR:
        return LLVMBuildOr(b, old, data, "");
    case RMW_XOR:
        return LLVMBuildXor(b, old, data, "");
    case RMW_MAX:
        return LLVMBuildSelect(b, LLVMBuildICmp(b, greater, data, old, ""), data, old, "");
    case RMW_MIN:
        return LLVMBuildSelect(b, LLVMBuildICmp(b, greater, data, old, ""), old, data, "");
    default:
        bug("no atomic number %d", (int)kind);
    }
}

Val emit_rmw_value(const Emit *e, Bld b, RmwKind kind, DType t, Val old, Val data)
{
    if (kind == RMW_XCHG)
        return data;
    return dtype_is_float(t) ? float_value(e, b, kind, t, old, data)
                             : int_value(b, kind, t, old, data);
}
