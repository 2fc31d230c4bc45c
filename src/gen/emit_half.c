/*
 * emit_half.c - fp16 on machines that compute with it, and what needs the bits of 16 alone
 *
 * In registers fp16 is fp32 that the format can hold (emit.h).  Here an op takes off the conversion
 * that an operand ends with, computes with what is below, and puts a conversion behind its result,
 * which the next op takes off again; those that nobody wants LLVM drops.  The bits are the same:
 * fp32 has more than twice the digits of fp16, so that a sum, product, quotient or root which is
 * rounded to fp32 first comes to the same number.
 *
 * What picks elements, or changes their sign, does so with the bits that memory has, of fp16 and
 * bf16, on every machine.
 */
#include "emit.h"

static bool is_half(const Emit *e, Val x)
{
    LLVMTypeRef t = LLVMTypeOf(x);

    return LLVMGetTypeKind(t) == LLVMVectorTypeKind && LLVMGetElementType(t) == e->l->f16;
}

/* What x is a conversion of; NULL: it is none. */
static Val below(const Emit *e, Val x)
{
    return LLVMIsAFPExtInst(x) && is_half(e, LLVMGetOperand(x, 0)) ? LLVMGetOperand(x, 0) : NULL;
}

/* --- bits --- */

/* The words that x, a vector, is a conversion of, or the words of a constant; NULL: neither. */
static Val words_below(const Emit *e, Bld b, Val x, DType t)
{
    if (LLVMIsConstant(x))
        return llvm_bits(e->l, b, emit_to_memory(e, b, x, t));
    if (t == DT_FP16)
        return below(e, x) ? llvm_bits(e->l, b, below(e, x)) : NULL;
    Val shifted = LLVMIsABitCastInst(x) ? LLVMGetOperand(x, 0) : NULL;
    if (!shifted || !LLVMIsAInstruction(shifted) || LLVMGetInstructionOpcode(shifted) != LLVMShl ||
        LLVMGetOperand(shifted, 1) != llvm_int(LLVMTypeOf(shifted), 16))
        return NULL;
    Val wide = LLVMGetOperand(shifted, 0),
        words = LLVMIsAZExtInst(wide) ? LLVMGetOperand(wide, 0) : NULL;
    return words && LLVMTypeOf(words) == llvm_like(e->l->i16, x) ? words : NULL;
}

static Val by_words(const Emit *e, Bld b, const Op *op, const Val *in, DType t)
{
    int first = op->code == OP_select;
    Val words[MAX_ELEMENTWISE_OPERANDS];

    for (int i = first; i < op->noperands; i++) {
        words[i] = words_below(e, b, in[i], t);
        if (!words[i])
            return NULL;
    }
    LLVMTypeRef like = LLVMTypeOf(words[first]);
    if (op->code == OP_select)
        return LLVMBuildSelect(b, in[0], words[1], words[2], "");
    return op->code == OP_abs ? LLVMBuildAnd(b, words[0], llvm_int(like, 0x7fff), "")
                              : LLVMBuildXor(b, words[0], llvm_int(like, 0x8000), "");
}

/* NULL: the op wants more than bits, or operands are no words of 16. */
static Val emit_by_words(const Emit *e, Bld b, const Op *op, const Val *in)
{
    bool fits = op->code == OP_abs || op->code == OP_neg || op->code == OP_select;
    const Type *type = fits ? op->results[0]->type : NULL;

    if (!fits || !e->moves_words || type->pointer || llvm_lanes(in[op->noperands - 1]) == 0 ||
        (type->dtype != DT_FP16 && type->dtype != DT_BF16))
        return NULL;
    Val r = by_words(e, b, op, in, type->dtype);
    if (!r)
        return NULL;
    r = LLVMBuildBitCast(b, r, llvm_like(emit_memory_type(e, type->dtype), r), "");
    return emit_from_memory(e, b, r, type->dtype);
}

/* --- fp16 --- */

static bool computes(OpCode code)
{
    switch (code) {
    case OP_add:
    case OP_sub:
    case OP_mul:
    case OP_div:
    case OP_neg:
    case OP_abs:
    case OP_min:
    case OP_max:
    case OP_minnan:
    case OP_maxnan:
    case OP_sqrt:
    case OP_eq:
    case OP_ne:
    case OP_lt:
    case OP_le:
    case OP_gt:
    case OP_ge:
    case OP_isnan:
    case OP_select:
        return true;
    default:
        return false;
    }
}

static bool takes_halves(const Emit *e, const Op *op, const Val *in)
{
    bool any = false;

    if (!e->has_half || !computes(op->code))
        return false;
    for (int i = op->code == OP_select; i < op->noperands; i++) {
        if (op->operands[i]->type->pointer || op->operands[i]->type->dtype != DT_FP16)
            return false;
        any |= below(e, in[i]) != NULL;
    }
    return any;
}

Val emit_half(const Emit *e, Bld b, const Op *op, const Val *in)
{
    Val halves[MAX_ELEMENTWISE_OPERANDS], by_bits = emit_by_words(e, b, op, in);

    if (by_bits)
        return by_bits;
    if (!takes_halves(e, op, in))
        return NULL;
    for (int i = 0; i < op->noperands; i++) {
        bool chooses = op->code == OP_select && i == 0;
        halves[i] = chooses ? in[i] : below(e, in[i]);
        if (!halves[i])
            halves[i] = LLVMBuildFPTrunc(b, in[i], llvm_like(e->l->f16, in[i]), "");
    }
    Val r = op->code == OP_select ? LLVMBuildSelect(b, halves[0], halves[1], halves[2], "")
                                  : emit_unrounded(e, b, op, halves);
    return is_half(e, r) ? LLVMBuildFPExt(b, r, llvm_like(e->l->f32, r), "") : r;
}
