/*
 * nv_pick.c - entries of small tables for four registers at once, and bits of a byte of a word
 *
 * The chip picks four bytes of eight by the digits of one number.  What eight entries differ in are
 * a byte or two, so one instruction for each finds those of four registers, and one more puts them
 * together for each register.  Codes that lie side by side in a word, as weights of four bits do,
 * are these digits as they are.
 *
 * What is shifted so far to the left that only its lowest bits are left comes from the word that it
 * lies in, too: nobody takes the byte out first.
 */
#include "nv_values.h"

enum { FOUR = 4, DIGIT = 4, ENTRIES = 8, INDEX_MASK = 7, WORD_BITS = 32 };

/* --- bits in words --- */

/* Where the lowest bits of a number are: so many of them, from bit `shift` of a word on. */
typedef struct {
    Val word; /* i32; NULL: nobody knows */
    int shift, bits;
} BitPlace;

static Val operand_of(Val v, LLVMOpcode code, unsigned i)
{
    bool is = v && LLVMIsAInstruction(v) && LLVMGetInstructionOpcode(v) == code;

    return is ? LLVMGetOperand(v, i) : NULL;
}

/* Of two that a constant chooses from, that one. */
static Val chosen(Val v)
{
    Val condition;

    while ((condition = operand_of(v, LLVMSelect, 0)) != NULL && LLVMIsAConstantInt(condition))
        v = LLVMGetOperand(v, LLVMConstIntGetZExtValue(condition) ? 1 : 2);
    return v;
}

/* Of an i32 that was a byte of a word, or the upper bits of one. */
static BitPlace place_of(const Nv *n, Val x)
{
    Val byte = chosen(operand_of(x, LLVMZExt, 0)), shifted = operand_of(byte, LLVMLShr, 0);
    Val by = operand_of(byte, LLVMLShr, 1);
    int shift = shifted && LLVMIsAConstantInt(by) ? (int)LLVMConstIntGetZExtValue(by) : 0;

    if (shifted && !LLVMIsAConstantInt(by))
        return (BitPlace){0};
    byte = shifted ? shifted : byte;
    Val which = operand_of(byte, LLVMExtractElement, 1);
    Val word = operand_of(operand_of(byte, LLVMExtractElement, 0), LLVMBitCast, 0);
    if (!word || LLVMTypeOf(byte) != n->l->i8 || LLVMTypeOf(word) != n->l->i32 ||
        !LLVMIsAConstantInt(which) || shift >= 8)
        return (BitPlace){0};
    return (BitPlace){word, 8 * (int)LLVMConstIntGetZExtValue(which) + shift, 8 - shift};
}

/* The word, shifted so that those bits are its lowest ones; others are above them. */
static Val lowest_bits(Nv *n, const BitPlace *p)
{
    return LLVMBuildLShr(n->b, p->word, llvm_int(n->l->i32, p->shift), "");
}

void nv_shift_bits(Nv *n, const Val *x, int by, int count, Val *out)
{
    for (int r = 0; r < count; r++) {
        BitPlace p = x[r] ? place_of(n, x[r]) : (BitPlace){0};
        if (p.word && p.bits >= WORD_BITS - by)
            out[r] = LLVMBuildShl(n->b, lowest_bits(n, &p), llvm_int(n->l->i32, by), "");
    }
}

/* --- entries --- */

/* Bytes in which entries differ from entry 0. */
typedef struct {
    int count, of[2];    /* which byte of the entry */
    uint32_t half[2][2]; /* the bytes of four entries each */
    int zero;            /* which of them never has its upper bit set; -1: none */
} Table;

static bool find_bytes(const int64_t *entries, Table *t)
{
    *t = (Table){.zero = -1};
    for (int k = 0; k < 4; k++) {
        uint32_t half[2] = {0, 0};
        for (int i = 0; i < ENTRIES; i++) {
            uint32_t byte = (uint32_t)(entries[i] ^ entries[0]) >> 8 * k & 0xff;
            half[i / 4] |= byte << 8 * (i % 4);
        }
        if (half[0] == 0 && half[1] == 0)
            continue;
        if (t->count == COUNT(t->of))
            return false;
        if (((half[0] | half[1]) & 0x80808080) == 0)
            t->zero = t->count;
        t->of[t->count] = k;
        t->half[t->count][0] = half[0];
        t->half[t->count++][1] = half[1];
    }
    return t->zero >= 0;
}

static Val permute(Nv *n, Val low, Val high, Val digits)
{
    return llvm_call(n->l, n->b, "llvm.nvvm.prmt", 0, NULL, 3, (Val[]){low, high, digits});
}

/* Four codes as the digits of a number. */
static Val digits_of(Nv *n, const Val *x)
{
    LLVMTypeRef i32 = n->l->i32;
    Val all = NULL, mask = llvm_int(i32, 0x1111 * INDEX_MASK);
    BitPlace first = place_of(n, x[0]);
    bool beside = first.word != NULL;

    for (int i = 1; i < FOUR && beside; i++) {
        BitPlace p = place_of(n, x[i]);
        beside = p.word == first.word && p.shift == first.shift + DIGIT * i;
    }
    if (beside)
        return LLVMBuildAnd(n->b, lowest_bits(n, &first), mask, "");
    for (int i = 0; i < FOUR; i++) {
        Val one = LLVMBuildAnd(n->b, x[i], llvm_int(i32, INDEX_MASK), "");
        one = LLVMBuildShl(n->b, one, llvm_int(i32, DIGIT * i), "");
        all = all ? LLVMBuildOr(n->b, all, one, "") : one;
    }
    return all;
}

static void pick_four(Nv *n, const Table *t, uint32_t entry, const Val *x, Val *out)
{
    enum { UPPER_BIT = 8 }; /* of a digit: all bits of the byte are as its upper one */
    LLVMTypeRef i32 = n->l->i32;
    Val digits = digits_of(n, x), found[2] = {llvm_int(i32, 0), llvm_int(i32, 0)};

    for (int k = 0; k < t->count; k++)
        found[k] = permute(n, llvm_int(i32, (int32_t)t->half[k][0]),
                           llvm_int(i32, (int32_t)t->half[k][1]), digits);
    for (int i = 0; i < FOUR; i++) {
        uint32_t which = 0;
        for (int byte = 0; byte < 4; byte++) {
            int from = FOUR * t->zero + i + UPPER_BIT;
            for (int k = 0; k < t->count; k++)
                from = t->of[k] == byte ? FOUR * k + i : from;
            which |= (uint32_t)from << DIGIT * byte;
        }
        out[i] = permute(n, found[0], found[1], llvm_int(i32, (int32_t)which));
        out[i] = LLVMBuildXor(n->b, out[i], llvm_int(i32, (int32_t)entry), "");
    }
}

void nv_pick_entries(Nv *n, const int64_t *entries, const Val *x, int count, Val *out)
{
    Table t;

    if (!find_bytes(entries, &t))
        return;
    for (int r = 0; r + FOUR <= count; r += FOUR) {
        if (x[r] && x[r + 1] && x[r + 2] && x[r + 3])
            pick_four(n, &t, (uint32_t)entries[0], x + r, out + r);
    }
}
