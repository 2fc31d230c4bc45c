/*
 * emit_half.c - fp16 on machines that compute with it
 *
 * In registers fp16 is fp32 that the format can hold (emit.h).  Here an op takes off the conversion
 * that an operand ends with, computes with what is below, and puts a conversion behind its result,
 * which the next op takes off again; those that nobody wants LLVM drops.  The bits are the same:
 * fp32 has more than twice the digits of fp16, so that a sum, product, quotient or root which is
 * rounded to fp32 first comes to the same number.
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
    Val halves[MAX_ELEMENTWISE_OPERANDS];

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
