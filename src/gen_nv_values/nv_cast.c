/*
 * nv_cast.c - bf16 and fp8 by the chip's conversions; two bytes at a time to longer floats, for
 * operands of products
 *
 * An element of fp8 is exact in fp16, and so is an integer of a byte, by way of the number 1024 +
 * x, whose low byte it is: bytes are put into place by a permutation, and two elements are one
 * word.
 */
#include "nv_values.h"

/* Bytes of a word and, from 4 on, of another one. */
static Val permute(Nv *n, Val word, uint32_t other, const int bytes[4])
{
    int which = bytes[0] | bytes[1] << 4 | bytes[2] << 8 | bytes[3] << 12;
    Val args[] = {word, llvm_int(n->l->i32, other), llvm_int(n->l->i32, which)};

    return llvm_call(n->l, n->b, "llvm.nvvm.prmt", 0, NULL, COUNT(args), args);
}

/* --- of one element --- */

/* Of two the upper one is the bits of the fp32 that it is. */
static Val round_bf16(void *target, Val x)
{
    Nv *n = target;
    Val both = nv_pure_asm(n, n->l->i32, "cvt.rn.bf16x2.f32 $0, $1, 0f00000000;", "=r,f", &x, 1);

    return LLVMBuildBitCast(n->b, both, n->l->f32, "");
}

static bool converts_fp8(const Nv *n, DType t)
{
    return (t == DT_FP8E4NV || t == DT_FP8E5) && chip_has(n->plan->chip, CHIP_FP8_CAST);
}

/* The codes of two numbers side by side: an i16. */
static Val encode_two(Nv *n, Val low, Val high, DType t)
{
    static const char *const texts[] = {"cvt.rn.satfinite.e4m3x2.f32 $0, $1, $2;",
                                        "cvt.rn.satfinite.e5m2x2.f32 $0, $1, $2;"};

    return nv_pure_asm(n, n->l->i16, texts[t == DT_FP8E5], "=h,f,f", (Val[]){high, low}, 2);
}

static Val encode(void *target, Val x, DType t)
{
    Nv *n = target;

    if (!converts_fp8(n, t))
        return NULL;
    Val both = encode_two(n, x, llvm_real(n->l->f32, 0), t);
    return LLVMBuildTrunc(n->b, both, n->l->i8, "");
}

/* The sign of a NaN, which the conversions lose, is the code's bit 7 and fp32's bit 31. */
enum { SIGN_OF_CODE = 0x80, SIGN_SHIFT = 24 };

/* Infinities and the many NaNs of fp8e5 are better kept by arithmetic. */
static Val decode(void *target, Val bits, DType t)
{
    Nv *n = target;
    LLVMTypeRef i32 = n->l->i32;

    if (!converts_fp8(n, t) || t == DT_FP8E5)
        return NULL;
    Val code = LLVMBuildZExt(n->b, bits, n->l->i16, "");
    Val half = nv_pure_asm(n, i32, "cvt.rn.f16x2.e4m3x2 $0, $1;", "=r,h", &code, 1);
    half = LLVMBuildBitCast(n->b, LLVMBuildTrunc(n->b, half, n->l->i16, ""), n->l->f16, "");
    Val x = llvm_bits(n->l, n->b, LLVMBuildFPExt(n->b, half, n->l->f32, ""));
    Val sign =
        LLVMBuildAnd(n->b, LLVMBuildZExt(n->b, bits, i32, ""), llvm_int(i32, SIGN_OF_CODE), "");
    sign = LLVMBuildShl(n->b, sign, llvm_int(i32, SIGN_SHIFT), "");
    return LLVMBuildBitCast(n->b, LLVMBuildOr(n->b, x, sign, ""), n->l->f32, "");
}

/* An operand of an instruction of that kind; NULL: v is none. */
static Val operand_of(Val v, LLVMOpcode code, unsigned which)
{
    bool is = v && LLVMIsAInstruction(v) && LLVMGetInstructionOpcode(v) == code;

    return is ? LLVMGetOperand(v, which) : NULL;
}

/* The bits that decode() has made x of; NULL: it has not. */
static Val decoded(Val x)
{
    Val sign = operand_of(operand_of(x, LLVMBitCast, 0), LLVMOr, 1);

    return operand_of(operand_of(operand_of(sign, LLVMShl, 0), LLVMAnd, 0), LLVMZExt, 0);
}

static Val encode_held(void *target, Val x, DType t)
{
    Nv *n = target;

    if (!converts_fp8(n, t) || t == DT_FP8E5)
        return NULL;
    Val bits = decoded(x);
    if (bits && LLVMTypeOf(bits) == n->l->i8)
        return bits;
    Val sign = LLVMBuildLShr(n->b, llvm_bits(n->l, n->b, x), llvm_int(n->l->i32, SIGN_SHIFT), "");
    sign = LLVMBuildAnd(n->b, sign, llvm_int(n->l->i32, SIGN_OF_CODE), "");
    Val bit = LLVMBuildTrunc(n->b, sign, n->l->i8, "");
    return LLVMBuildOr(n->b, encode(target, x, t), bit, "");
}

/* Neighbours that are stored together stay in the word that the instruction has made. */
void nv_round_fp8(Nv *n, DType t, const Val *x, int count, Val *out)
{
    LLVMTypeRef codes = LLVMVectorType(n->l->i8, 2);

    if (!converts_fp8(n, t))
        return;
    for (int r = 0; r + 1 < count; r += 2) {
        if (!x[r] || !x[r + 1] || LLVMTypeOf(x[r]) != n->l->f32)
            continue;
        Val both = LLVMBuildBitCast(n->b, encode_two(n, x[r], x[r + 1], t), codes, "");
        for (int i = 0; i < 2; i++) {
            Val code = LLVMBuildExtractElement(n->b, both, llvm_int(n->l->i32, i), "");
            out[r + i] = emit_from_memory(&n->e, n->b, code, t);
        }
    }
}

EmitSmall nv_small_floats(Nv *n)
{
    return (EmitSmall){n, round_bf16, encode, encode_held, decode};
}

/* --- two at a time --- */

Val nv_fp8_halves(Nv *n, DType t, Val word, const int byte[2])
{
    enum { ZERO = 4 };

    if (t == DT_FP8E5) /* fp16 without its last byte */
        return permute(n, word, 0, (int[]){ZERO, byte[0], ZERO, byte[1]});
    if (t != DT_FP8E4NV || !chip_has(n->plan->chip, CHIP_FP8_CAST))
        return NULL;
    if (byte[0] % 2 == 0 && byte[1] == byte[0] + 1)
        word = LLVMBuildLShr(n->b, word, llvm_int(n->l->i32, 8 * byte[0]), "");
    else
        word = permute(n, word, 0, (int[]){byte[0], byte[1], ZERO, ZERO});
    word = LLVMBuildTrunc(n->b, word, n->l->i16, "");
    return nv_pure_asm(n, n->l->i32, "cvt.rn.f16x2.e4m3x2 $0, $1;", "=r,h", &word, 1);
}

/* x + 1024, of signed ones x + 128 + 1024, minus what was added. */
static Val integer_halves(Nv *n, bool is_signed, Val word, const int byte[2])
{
    enum { ABOVE = 4, SIGNS = 0x80808080 };
    LLVMTypeRef two = LLVMVectorType(n->l->f16, 2);
    Val added = llvm_real(two, is_signed ? 1024 + 128 : 1024);

    if (is_signed)
        word = LLVMBuildXor(n->b, word, llvm_int(n->l->i32, SIGNS), "");
    word = permute(n, word, 0x64, (int[]){byte[0], ABOVE, byte[1], ABOVE});
    return LLVMBuildFSub(n->b, LLVMBuildBitCast(n->b, word, two, ""), added, "");
}

bool nv_casts_bytes_to(DType t)
{
    return t == DT_FP16 || t == DT_BF16 || t == DT_FP32;
}

Val nv_byte_halves(Nv *n, DType from, Val word, const int byte[2])
{
    if (dtype_is_fp8(from))
        return nv_fp8_halves(n, from, word, byte);
    if (from != DT_I8 && from != DT_U8)
        return NULL;
    Val halves = integer_halves(n, from == DT_I8, word, byte);
    return LLVMBuildBitCast(n->b, halves, n->l->i32, "");
}

static Val multiply_add_bf16(Nv *n, Val a, uint32_t b, Val c)
{
    Val in[] = {a, llvm_int(n->l->i32, b), c};

    return nv_pure_asm(n, n->l->i32, "fma.rn.bf16x2 $0, $1, $2, $3;", "=r,r,r,r", in, COUNT(in));
}

Val nv_byte_bf16(Nv *n, DType from, Val word, const int byte[2])
{
    enum { ABOVE = 4, EXPONENT = 0x43, SIGNS = 0x00800080 };
    const uint32_t one = 0x3f803f80, minus_one = 0xbf80bf80, minus_256 = 0xc380c380;

    if (from != DT_I8 && from != DT_U8)
        return NULL;
    word = permute(n, word, EXPONENT, (int[]){byte[0], ABOVE, byte[1], ABOVE});
    Val low = LLVMBuildAnd(n->b, word, llvm_int(n->l->i32, ~(uint32_t)SIGNS), "");
    Val high = LLVMBuildAnd(n->b, word, llvm_int(n->l->i32, 0xff00ff00u | SIGNS), "");
    if (from == DT_I8)
        return multiply_add_bf16(n, high, minus_one, low);
    high = multiply_add_bf16(n, high, one, llvm_int(n->l->i32, minus_256));
    return multiply_add_bf16(n, high, one, low);
}
