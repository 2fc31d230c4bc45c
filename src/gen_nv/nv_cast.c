/*
 * nv_cast.c - two bytes at a time to longer floats, for operands of products
 *
 * An element of fp8 is exact in fp16, and so is an integer of a byte, by way of the number 1024 +
 * x, whose low byte it is: bytes are put into place by a permutation, and two elements are one
 * word.
 */
#include "nv_mma.h"

/* Bytes of a word and, from 4 on, of another one. */
static Val permute(Nv *n, Val word, uint32_t other, const int bytes[4])
{
    int which = bytes[0] | bytes[1] << 4 | bytes[2] << 8 | bytes[3] << 12;
    Val args[] = {word, llvm_int(n->l->i32, other), llvm_int(n->l->i32, which)};

    return llvm_call(n->l, n->b, "llvm.nvvm.prmt", 0, NULL, COUNT(args), args);
}

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
