/*
 * nv_integer.c - integers of few bits as floats, by the bits of these
 *
 * 1.5 * 2^23 + x is a number of fp32 that has x in its low bits, and of a byte 2^23 + x is one,
 * where a permutation puts it; what was added is taken off again, exactly.  The chip's conversions
 * of words take eight times as long as an addition.  A whole number that is added then is added to
 * what is taken off.
 *
 * Bytes come as words of four.  What is done to each of them by a constant (&, |, ^, >>) is done to
 * the word, once for all.  Bytes as they came are left to the chip: a vector by a matrix of int8
 * takes 3 % longer by permutations.
 */
#include "nv_values.h"

#include <math.h>

enum { MOST = 1 << 22 };

/* A float that is sum - lift. */
typedef struct {
    Val sum;
    double lift;
} Lifted;

static Val lower(Nv *n, Val sum, double lift)
{
    Lifted *x = NEW(n->arena, Lifted);
    Val v = LLVMBuildFSub(n->b, sum, llvm_real(n->l->f32, lift), "");

    *x = (Lifted){sum, lift};
    map_put(n->lifted, (uintptr_t)v, x);
    return v;
}

/* --- bytes in words --- */

static bool is_instruction(Val v, LLVMOpcode code)
{
    return LLVMIsAInstruction(v) && LLVMGetInstructionOpcode(v) == code;
}

/* Which byte of which word nv_unpack() has made x of. */
static bool is_unpacked(const Nv *n, Val x, NvByte *out)
{
    if (!is_instruction(x, LLVMExtractElement) || LLVMTypeOf(x) != n->l->i8)
        return false;
    Val bytes = LLVMGetOperand(x, 0), which = LLVMGetOperand(x, 1);
    if (!is_instruction(bytes, LLVMBitCast) || !LLVMIsAConstantInt(which))
        return false;
    *out = (NvByte){.word = LLVMGetOperand(bytes, 0), .byte = (int)LLVMConstIntGetZExtValue(which)};
    return LLVMTypeOf(out->word) == n->l->i32;
}

bool nv_find_byte(const Nv *n, Val x, NvByte *out)
{
    if (is_unpacked(n, x, out))
        return true;
    if (!LLVMIsAInstruction(x) || LLVMTypeOf(x) != n->l->i8 || LLVMGetNumOperands(x) != 2)
        return false;
    Val by = LLVMGetOperand(x, 1);
    LLVMOpcode code = LLVMGetInstructionOpcode(x);
    bool is_known = code == LLVMAnd || code == LLVMOr || code == LLVMXor || code == LLVMLShr;
    if (!is_known || !LLVMIsAConstantInt(by) || !nv_find_byte(n, LLVMGetOperand(x, 0), out) ||
        out->count == COUNT(out->done))
        return false;
    out->done[out->count].code = code;
    out->done[out->count++].by = (uint32_t)LLVMConstIntGetZExtValue(by);
    return true;
}

/* What each byte of a word becomes by that constant. */
static Val of_all(Nv *n, LLVMOpcode code, Val word, uint32_t by)
{
    enum { EACH = 0x01010101, BYTE = 0xff };
    Val all = llvm_int(n->l->i32, by * EACH);

    switch (code) {
    case LLVMAnd:
        return LLVMBuildAnd(n->b, word, all, "");
    case LLVMOr:
        return LLVMBuildOr(n->b, word, all, "");
    case LLVMXor:
        return LLVMBuildXor(n->b, word, all, "");
    default:
        word = LLVMBuildLShr(n->b, word, llvm_int(n->l->i32, by), "");
        return LLVMBuildAnd(n->b, word, llvm_int(n->l->i32, (BYTE >> by) * (uint32_t)EACH), "");
    }
}

Val nv_word_of_byte(Nv *n, const NvByte *x)
{
    Val word = x->word;

    for (int i = 0; i < x->count; i++)
        word = of_all(n, x->done[i].code, word, x->done[i].by);
    return word;
}

bool nv_same_word(const NvByte *a, const NvByte *b)
{
    bool same = a->word == b->word && a->count == b->count;

    for (int i = 0; same && i < a->count; i++)
        same = a->done[i].code == b->done[i].code && a->done[i].by == b->done[i].by;
    return same;
}

/* 2^23 + x, of signed ones x + 128; NULL: the byte is of no word, or as it came: one conversion
 * takes it out of the word, too. */
static Val byte_as_float(Nv *n, Val x, bool is_signed)
{
    enum { BIAS = 0x80, SIGNS = 0x80808080, MAGIC = 0x4b000000, FROM_MAGIC = 0x7440 };
    NvByte at;

    if (!nv_find_byte(n, x, &at) || at.count == 0)
        return NULL;
    Val word = nv_word_of_byte(n, &at);
    if (is_signed)
        word = LLVMBuildXor(n->b, word, llvm_int(n->l->i32, SIGNS), "");
    Val args[] = {word, llvm_int(n->l->i32, MAGIC), llvm_int(n->l->i32, FROM_MAGIC | at.byte)};
    Val bits = llvm_call(n->l, n->b, "llvm.nvvm.prmt", 0, NULL, COUNT(args), args);
    return lower(n, llvm_from_bits(n->l, n->b, bits), 0x1p23 + (is_signed ? BIAS : 0));
}

/* --- casts --- */

static Val word_as_float(Nv *n, const Value *from, Val x)
{
    enum { MAGIC = 0x4b400000 }; /* the bits of 1.5 * 2^23 */
    const Axis *range = axis_of(n->plan->axis, from);

    if (!range->has_range || range->lo <= -MOST || range->hi >= MOST)
        return NULL;
    Val sum = LLVMBuildAdd(n->b, x, llvm_int(n->l->i32, MAGIC), "");
    return lower(n, llvm_from_bits(n->l, n->b, sum), 0x1.8p23);
}

Val nv_from_small_integer(Nv *n, const Op *op, Val x)
{
    const Type *t = op->operands[0]->type;
    DType to = op->results[0]->type->dtype;

    if (t->pointer || !dtype_is_int(t->dtype) || t->dtype == DT_I1 || !dtype_is_float(to) ||
        to == DT_FP64 || LLVMIsConstant(x))
        return NULL;
    Val v = dtype_bits(t->dtype) == 32  ? word_as_float(n, op->operands[0], x)
            : dtype_bits(t->dtype) == 8 ? byte_as_float(n, x, dtype_is_signed(t->dtype))
                                        : NULL;
    return v ? emit_round(&n->e, n->b, v, to) : NULL;
}

Val nv_add_whole(Nv *n, const Op *op, const Val *in)
{
    LLVMBool inexact;

    if ((op->code != OP_add && op->code != OP_sub) || op->results[0]->type->dtype != DT_FP32)
        return NULL;
    bool constant_first = op->code == OP_add && LLVMIsAConstantFP(in[0]);
    Val by = in[!constant_first];
    const Lifted *x = map_get(n->lifted, (uintptr_t)in[constant_first]);
    if (!x || !LLVMIsAConstantFP(by))
        return NULL;
    double c = LLVMConstRealGetDouble(by, &inexact), lift = x->lift + (op->code == OP_sub ? c : -c);
    bool exact = c == floor(c) && fabs(c) <= MOST && lift >= 0x1p22 && lift <= 0x1p24;
    return exact ? lower(n, x->sum, lift) : NULL;
}
