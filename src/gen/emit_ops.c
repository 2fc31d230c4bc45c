/*
 * emit_ops.c - one elementwise op as LLVM instructions
 *
 * The meaning is scalar.c's, bit for bit (src/ir/scalar_*_ops.h); APPROX ops do not arrive here,
 * math/math.c has turned them into these.  Operands and results are in register form, scalars or
 * vectors alike.  Small floats compute in fp32 and are rounded after each op.
 */
#include "emit.h"

Val emit_constant(const Emit *e, const Type *t, uint64_t bits)
{
    if (t->pointer)
        return LLVMConstIntToPtr(LLVMConstInt(e->l->i64, bits, 0), e->l->ptr);
    if (!dtype_is_float(t->dtype))
        return LLVMConstInt(t->dtype == DT_I1 ? e->l->i1 : emit_memory_type(e, t->dtype), bits, 0);
    if (t->dtype == DT_FP64)
        return LLVMConstBitCast(LLVMConstInt(e->l->i64, bits, 0), e->l->f64);
    uint32_t single = (uint32_t)bits;
    if (t->dtype != DT_FP32) {
        const int64_t rounding = ROUND_NEAREST;
        uint32_t out = 0;
        scalar_apply(OP_cast, &rounding, t->dtype, DT_FP32, (const void *[]){&bits}, &out, 1);
        single = out;
    }
    return LLVMConstBitCast(LLVMConstInt(e->l->i32, single, 0), e->l->f32);
}

/* --- floats --- */

/* A constant, or a vector of one, that is neither NaN nor zero. */
static bool is_plain_constant(Val y)
{
    LLVMBool lossy;

    if (llvm_lanes(y) > 0 && LLVMIsConstant(y))
        y = LLVMGetAggregateElement(y, 0);
    if (!y || !LLVMIsAConstantFP(y))
        return false;
    double v = LLVMConstRealGetDouble(y, &lossy);
    return v == v && v != 0;
}

/* (x < y or `either` is NaN) ? x : y, in the form that becomes one minps or maxps and a blend. */
static Val float_pick(Bld b, LLVMRealPredicate p, Val x, Val y, Val either)
{
    if (either == x && is_plain_constant(y)) /* then one instruction that passes NaN on does it */
        return LLVMBuildSelect(b, LLVMBuildFCmp(b, p, y, x, ""), y, x, "");
    Val r = LLVMBuildSelect(b, LLVMBuildFCmp(b, p, x, y, ""), x, y, "");
    return LLVMBuildSelect(b, llvm_is_nan(b, either), x, r, "");
}

/* The same by the machine's own instruction, for which -0 is less than 0. */
static Val machine_pick(const Emit *e, Bld b, OpCode code, Val x, Val y)
{
    const char *name = code == OP_min      ? "llvm.minnum"
                       : code == OP_max    ? "llvm.maxnum"
                       : code == OP_minnan ? "llvm.minimum"
                                           : "llvm.maximum";

    return llvm_call2(e->l, b, name, x, y);
}

static Val float_min_max(const Emit *e, Bld b, const Op *op, Val x, Val y)
{
    OpCode code = op->code;
    LLVMRealPredicate p = code == OP_min || code == OP_minnan ? LLVMRealOLT : LLVMRealOGT;

    if (e->picks_floats)
        return machine_pick(e, b, code, x, y);
    if ((code == OP_min || code == OP_max) && emit_is_number(op->operands[1]))
        return LLVMBuildSelect(b, LLVMBuildFCmp(b, p, x, y, ""), x, y, "");
    return float_pick(b, p, x, y, code == OP_min || code == OP_max ? y : x);
}

static Val float_round_away(const Emit *e, Bld b, Val x)
{
    Val t = llvm_call1(e->l, b, "llvm.trunc", x);
    Val rest = llvm_call1(e->l, b, "llvm.fabs", LLVMBuildFSub(b, x, t, ""));
    Val up = LLVMBuildFCmp(b, LLVMRealOGE, rest, llvm_real(LLVMTypeOf(x), 0.5), "");
    Val one = llvm_call2(e->l, b, "llvm.copysign", llvm_real(LLVMTypeOf(x), 1), x);

    return LLVMBuildSelect(b, up, LLVMBuildFAdd(b, t, one, ""), t, "");
}

static Val float_isinf(const Emit *e, Bld b, Val x)
{
    Val inf = llvm_real(LLVMTypeOf(x), __builtin_inf());

    return LLVMBuildFCmp(b, LLVMRealOEQ, llvm_call1(e->l, b, "llvm.fabs", x), inf, "");
}

/* x * 2^k in three steps; the first two stop short of the subnormals, so that only the last one
 * rounds.  k beyond three times the largest exponent cannot change the result further. */
static Val float_ldexp(const Emit *e, Bld b, Val x, Val k, DType t)
{
    bool wide = t == DT_FP64;
    LLVMTypeRef it = llvm_like(wide ? e->l->i64 : e->l->i32, x);
    int mantissa = wide ? 52 : 23, bias = wide ? 1023 : 127;
    LLVMTypeRef kt = llvm_like(e->l->i64, x);

    k = LLVMBuildIntCast2(b, k, kt, 1, "");
    k = llvm_call2(e->l, b, "llvm.smax", k, llvm_int(kt, -3 * bias));
    k = llvm_call2(e->l, b, "llvm.smin", k, llvm_int(kt, 3 * bias));
    k = LLVMBuildIntCast2(b, k, it, 1, "");
    Val left = k;
    for (int step = 0; step < 3; step++) {
        int lowest = 1 - bias + (step < 2 ? mantissa + 1 : 0);
        Val now = llvm_call2(e->l, b, "llvm.smax", left, llvm_int(it, lowest));
        now = llvm_call2(e->l, b, "llvm.smin", now, llvm_int(it, bias));
        left = LLVMBuildSub(b, left, now, "");
        Val bits = LLVMBuildAdd(b, now, llvm_int(it, bias), "");
        bits = LLVMBuildShl(b, bits, llvm_int(it, mantissa), "");
        x = LLVMBuildFMul(b, x, llvm_from_bits(e->l, b, bits), "");
    }
    return x;
}

/* What is left of r after taking off a multiple of `by`, exactly: both are positive and finite, and
 * r is less than 2^(mantissa) times as large.  The quotient is at most 1 too large. */
static Val take_off(const Emit *e, Bld b, Val r, Val by)
{
    LLVMTypeRef t = LLVMTypeOf(r);
    Val quotient = llvm_call1(e->l, b, "llvm.trunc", LLVMBuildFDiv(b, r, by, ""));
    Val rest = emit_fma(e, b, LLVMBuildFNeg(b, quotient, ""), by, r);
    Val low = LLVMBuildFCmp(b, LLVMRealOLT, rest, llvm_real(t, 0), "");

    return LLVMBuildSelect(b, low, LLVMBuildFAdd(b, rest, by, ""), rest, "");
}

/* `small` times a power of two: with r's exponent less `bits`, where that is more than its own.  A
 * subnormal one is made normal first, if it does not exceed r then. */
static Val scale_up(const Emit *e, Bld b, Val r, Val small, int mantissa, int bits)
{
    LLVMTypeRef ft = LLVMTypeOf(r);
    Val raised = LLVMBuildFMul(b, small, llvm_real(ft, (double)((int64_t)2 << mantissa)), "");
    Val have = llvm_bits(e->l, b, small), want = llvm_bits(e->l, b, r);
    LLVMTypeRef t = LLVMTypeOf(have);
    Val none = llvm_int(t, 0), below = llvm_int(t, ((int64_t)1 << mantissa) - 1);
    Val is_tiny = LLVMBuildICmp(b, LLVMIntULE, have, below, "");
    Val fits = LLVMBuildFCmp(b, LLVMRealOGE, r, raised, "");

    small = LLVMBuildSelect(b, LLVMBuildAnd(b, is_tiny, fits, ""), raised, small, "");
    have = llvm_bits(e->l, b, small);
    Val least = LLVMBuildLShr(b, have, llvm_int(t, mantissa), "");
    Val exponent = LLVMBuildLShr(b, want, llvm_int(t, mantissa), "");
    exponent = LLVMBuildSub(b, exponent, llvm_int(t, bits), "");
    exponent = llvm_call2(e->l, b, "llvm.smax", exponent, least);
    Val up = LLVMBuildShl(b, exponent, llvm_int(t, mantissa), "");
    up = llvm_from_bits(e->l, b, LLVMBuildOr(b, up, LLVMBuildAnd(b, have, below, ""), ""));
    return LLVMBuildSelect(b, LLVMBuildICmp(b, LLVMIntEQ, least, none, ""), small, up, "");
}

/* |x| rem |y|, in a loop that takes off as many bits of the quotient as a division gives. */
static Val rem_loop(const Emit *e, Bld b, Val x, Val y, DType t)
{
    int mantissa = t == DT_FP64 ? 52 : 23;
    LLVMBasicBlockRef before = LLVMGetInsertBlock(b);
    Val fn = LLVMGetBasicBlockParent(before);
    LLVMBasicBlockRef head = LLVMAppendBasicBlockInContext(e->l->ctx, fn, ""),
                      body = LLVMAppendBasicBlockInContext(e->l->ctx, fn, ""),
                      after = LLVMAppendBasicBlockInContext(e->l->ctx, fn, "");

    LLVMBuildBr(b, head);
    LLVMPositionBuilderAtEnd(b, head);
    Val r = LLVMBuildPhi(b, LLVMTypeOf(x), "");
    LLVMBuildCondBr(b, LLVMBuildFCmp(b, LLVMRealOGE, r, y, ""), body, after);
    LLVMPositionBuilderAtEnd(b, body);
    Val next = take_off(e, b, r, scale_up(e, b, r, y, mantissa, mantissa - 2));
    LLVMBuildBr(b, head);
    LLVMAddIncoming(r, (Val[]){x, next}, (LLVMBasicBlockRef[]){before, body}, 2);
    LLVMPositionBuilderAtEnd(b, after);
    return r;
}

/* For machines without it; scalars only. */
static Val float_rem(const Emit *e, Bld b, Val x, Val y, DType t)
{
    LLVMTypeRef ft = LLVMTypeOf(x);
    Val inf = llvm_real(ft, __builtin_inf()), none = llvm_real(ft, 0);
    Val a = llvm_call1(e->l, b, "llvm.fabs", x), by = llvm_call1(e->l, b, "llvm.fabs", y);
    Val finite = LLVMBuildFCmp(b, LLVMRealOLT, a, inf, "");
    Val nonzero = LLVMBuildFCmp(b, LLVMRealOGT, by, none, "");
    Val good = LLVMBuildAnd(b, finite, nonzero, "");
    Val start = LLVMBuildSelect(b, good, a, none, "");
    Val r = rem_loop(e, b, start, LLVMBuildSelect(b, good, by, inf, ""), t);
    Val signed_r = llvm_call2(e->l, b, "llvm.copysign", r, x);

    return LLVMBuildSelect(b, good, signed_r, llvm_real(ft, __builtin_nan("")), "");
}

static LLVMRealPredicate float_predicate(OpCode code)
{
    switch (code) {
    case OP_eq:
        return LLVMRealOEQ;
    case OP_ne:
        return LLVMRealUNE;
    case OP_lt:
        return LLVMRealOLT;
    case OP_le:
        return LLVMRealOLE;
    case OP_gt:
        return LLVMRealOGT;
    default:
        return LLVMRealOGE;
    }
}

static Val float_op(const Emit *e, Bld b, const Op *op, DType t, const Val *in)
{
    Val x = in[0], y = op->noperands > 1 ? in[1] : NULL;
    Llvm *l = e->l;

    switch (op->code) {
    case OP_add:
        return LLVMBuildFAdd(b, x, y, "");
    case OP_sub:
        return LLVMBuildFSub(b, x, y, "");
    case OP_mul:
        return LLVMBuildFMul(b, x, y, "");
    case OP_div:
        return LLVMBuildFDiv(b, x, y, "");
    case OP_rem:
        return e->no_rem ? float_rem(e, b, x, y, t) : LLVMBuildFRem(b, x, y, "");
    case OP_neg:
        return LLVMBuildFNeg(b, x, "");
    case OP_abs:
        return llvm_call1(l, b, "llvm.fabs", x);
    case OP_min:
    case OP_max:
    case OP_minnan:
    case OP_maxnan:
        return float_min_max(e, b, op, x, y);
    case OP_fma:
        return emit_fma(e, b, x, y, in[2]);
    case OP_eq:
    case OP_ne:
    case OP_lt:
    case OP_le:
    case OP_gt:
    case OP_ge:
        return LLVMBuildFCmp(b, float_predicate(op->code), x, y, "");
    case OP_isnan:
        return llvm_is_nan(b, x);
    case OP_isinf:
        return float_isinf(e, b, x);
    case OP_sqrt:
        return llvm_call1(l, b, "llvm.sqrt", x);
    case OP_floor:
        return llvm_call1(l, b, "llvm.floor", x);
    case OP_ceil:
        return llvm_call1(l, b, "llvm.ceil", x);
    case OP_trunc:
        return llvm_call1(l, b, "llvm.trunc", x);
    case OP_rint:
        return llvm_call1(l, b, "llvm.rint", x);
    case OP_round:
        return float_round_away(e, b, x);
    case OP_copysign:
        return llvm_call2(l, b, "llvm.copysign", x, y);
    case OP_ldexp:
        return float_ldexp(e, b, x, y, t);
    default:
        bug("%s has no float form", op_info(op->code)->name);
    }
}

/* --- everything else --- */

static Val bitcast(const Emit *e, Bld b, const Op *op, Val x)
{
    DType from = op->operands[0]->type->dtype, to = op->results[0]->type->dtype;

    if (from == DT_I1)
        return x;
    Val memory = emit_to_memory(e, b, x, from);
    memory = LLVMBuildBitCast(b, memory, llvm_like(emit_memory_type(e, to), x), "");
    return emit_from_memory(e, b, memory, to);
}

static Val cast(const Emit *e, Bld b, const Op *op, Val x)
{
    const Type *from = op->operands[0]->type, *to = op->results[0]->type;

    if (from->pointer && to->pointer)
        return x;
    if (to->pointer)
        return LLVMBuildIntToPtr(b, x, llvm_like(e->l->ptr, x), "");
    if (!from->pointer)
        return emit_cast(e, b, x, from->dtype, to->dtype, attr_rounding(op));
    Val address = LLVMBuildPtrToInt(b, x, llvm_like(e->l->i64, x), "");
    return emit_cast(e, b, address, DT_U64, to->dtype, ROUND_NEAREST);
}

/* In long code, scalar offsets are extended by the address itself: LLVM would extend a number
 * that is also used as it is once, and cut it back for every other use, in quadratic time. */
static Val addptr(const Emit *e, Bld b, const Op *op, Val p, Val offset)
{
    DType t = op->operands[1]->type->dtype, element = op->operands[0]->type->dtype;
    LLVMTypeRef i64 = llvm_like(e->l->i64, offset);

    if (!dtype_is_signed(t))
        offset = LLVMBuildZExtOrBitCast(b, offset, i64, "");
    else if (llvm_lanes(offset) > 0 || !e->long_code)
        offset = LLVMBuildSExtOrBitCast(b, offset, i64, "");
    if (e->whole_addresses) {
        Val at = LLVMBuildPtrToInt(b, p, e->l->i64, "");
        offset = LLVMBuildSExtOrBitCast(b, offset, e->l->i64, "");
        offset = LLVMBuildMul(b, offset, llvm_int(e->l->i64, dtype_size(element)), "");
        return LLVMBuildIntToPtr(b, LLVMBuildAdd(b, at, offset, ""), e->l->ptr, "");
    }
    return LLVMBuildGEP2(b, emit_memory_type(e, element), p, &offset, 1, "");
}

/* Ops on the sign alone stay within a format, but for those without a minus zero.  Rounding would
 * clamp the infinities of fp8e5. */
static bool keeps_format(OpCode code, DType t)
{
    return (code == OP_neg || code == OP_abs || code == OP_copysign) && t != DT_FP8E4B8 &&
           t != DT_FP8E5B16;
}

Val emit_op(const Emit *e, Bld b, const Op *op, const Val *in)
{
    DType t = op->noperands > 0 ? op->operands[0]->type->dtype : DT_I1;
    Val half = emit_half(e, b, op, in);

    if (half)
        return half;
    switch (op->code) {
    case OP_select:
        return LLVMBuildSelect(b, in[0], in[1], in[2], "");
    case OP_cast:
        return cast(e, b, op, in[0]);
    case OP_bitcast:
        return bitcast(e, b, op, in[0]);
    case OP_addptr:
        return addptr(e, b, op, in[0], in[1]);
    case OP_hint:
        return in[0];
    default:
        break;
    }
    if (!dtype_is_float(t))
        return emit_int(e, b, op, t, in);
    Val r = float_op(e, b, op, t, in);
    bool is_float = op->nresults > 0 && dtype_is_float(op->results[0]->type->dtype);
    return is_float && !keeps_format(op->code, t) ? emit_round(e, b, r, t) : r;
}

/* How often the body runs, unsigned: (hi - lo - 1) / step + 1 upwards, mirrored downwards. */
Val emit_trip_count(Bld b, Val lo, Val hi, Val step)
{
    LLVMTypeRef t = LLVMTypeOf(step);
    Val none = llvm_int(t, 0), one = llvm_int(t, 1);
    Val up = LLVMBuildICmp(b, LLVMIntSGT, step, none, "");
    Val first = LLVMBuildSelect(b, up, lo, hi, ""), end = LLVMBuildSelect(b, up, hi, lo, "");
    Val stride = LLVMBuildSelect(b, up, step, LLVMBuildNeg(b, step, ""), "");
    Val some = LLVMBuildICmp(b, LLVMIntSLT, first, end, "");

    some = LLVMBuildAnd(b, some, LLVMBuildICmp(b, LLVMIntNE, step, none, ""), "");
    Val divisor =
        LLVMBuildSelect(b, LLVMBuildICmp(b, LLVMIntEQ, stride, none, ""), one, stride, "");
    Val span = LLVMBuildSub(b, LLVMBuildSub(b, end, first, ""), one, "");
    Val trips = LLVMBuildAdd(b, LLVMBuildUDiv(b, span, divisor, ""), one, "");
    return LLVMBuildSelect(b, some, trips, none, "");
}

Val emit_unrounded(const Emit *e, Bld b, const Op *op, const Val *in)
{
    return float_op(e, b, op, op->operands[0]->type->dtype, in);
}
