/*
 * nv_pair.c - fp16, bf16 and short integers two at a time, as halves of a word
 *
 * Sums and products of fp16, and sums of bf16 where the chip has them, round once.  So do sums and
 * products of fp32 that are rounded behind it, as those of any other target: fp32 has the digits of
 * two such numbers and two more, which makes it all the same (S. A. Figueroa, "When is double
 * rounding innocuous?", 1995), and neither is ever too small for it but a product of bf16, which is
 * left to fp32.  So are multiply-adds, of which that is not true.  What picks one of two numbers
 * picks the same one.
 *
 * Other results of bf16 are computed as fp32 one by one, and rounded two at a time.
 *
 * Integers of 10 bits, and bytes, become fp16 so, too, by way of 1536 + x.  Where a mask has left
 * few bits of integers that were shifted, as of weights of four bits, it is applied to both.  Of
 * bytes and integers of 16 bits the chips that add bf16 find the least and the largest.
 *
 * Elements stay in the word where what follows takes them from there, which LLVM sees.
 */
#include "nv_values.h"

/* Of a byte that was computed as half of a word: which half, and of which. */
typedef struct {
    Val word;
    int half;
    bool is_signed;
} Half;

static Val byte_of_half(Nv *n, const Type *t, Val word, Val element, int half)
{
    Half *h = NEW(n->arena, Half);
    Val byte = LLVMBuildTrunc(n->b, element, n->l->i8, "");

    *h = (Half){word, half, dtype_is_signed(t->dtype)};
    map_put(n->halves, (uintptr_t)byte, h);
    return byte;
}

/* A pair in a word, an i32, as out[regs[0]] and out[regs[1]]. */
static void take_apart(Nv *n, const Type *t, Val word, const int regs[2], Val *out)
{
    Val elements[2];

    nv_unpack(n, &word, 2, 2, elements);
    for (int i = 0; i < 2; i++)
        out[regs[i]] = dtype_bits(t->dtype) == 8 ? byte_of_half(n, t, word, elements[i], i)
                                                 : nv_from_bits(n, t, elements[i]);
}

/* Two elements as halves of a word; bytes are as long as their sign or zeros make them. */
static Val put_together(Nv *n, const Type *t, const Val x[2])
{
    const Half *low = map_get(n->halves, (uintptr_t)x[0]);
    const Half *high = map_get(n->halves, (uintptr_t)x[1]);
    bool is_signed = dtype_is_signed(t->dtype);
    Val elements[2], word;

    if (low && high && low->word == high->word && low->half == 0 && high->half == 1 &&
        low->is_signed == is_signed && high->is_signed == is_signed)
        return low->word;
    for (int i = 0; i < 2; i++)
        elements[i] = dtype_bits(t->dtype) != 8 ? nv_to_bits(n, t, x[i])
                      : is_signed               ? LLVMBuildSExt(n->b, x[i], n->l->i16, "")
                                                : LLVMBuildZExt(n->b, x[i], n->l->i16, "");
    nv_pack(n, elements, 2, 2, &word);
    return word;
}

/* --- bf16 in words --- */

/* An operand of an instruction of that kind; NULL: v is none. */
static Val operand_of(Val v, LLVMOpcode code, unsigned which)
{
    bool is = v && LLVMIsAInstruction(v) && LLVMGetInstructionOpcode(v) == code;

    return is ? LLVMGetOperand(v, which) : NULL;
}

/* The word that one is half of, and which half; NULL: another thing. */
static Val word_behind(const Nv *n, Val element, bool *upper)
{
    Val word = operand_of(operand_of(element, LLVMExtractElement, 0), LLVMBitCast, 0);
    Val which = operand_of(element, LLVMExtractElement, 1);

    if (!word || LLVMTypeOf(word) != n->l->i32 || !LLVMIsAConstantInt(which))
        return NULL;
    *upper = LLVMConstIntGetZExtValue(which) == 1;
    return word;
}

/* LLVM would take the upper one out of the word, and then put it there again. */
Val nv_bf16_of_word(Nv *n, Val element)
{
    bool upper;
    Val word = word_behind(n, element, &upper);

    if (!word)
        return NULL;
    word = upper ? LLVMBuildAnd(n->b, word, llvm_int(n->l->i32, (int32_t)0xffff0000), "")
                 : LLVMBuildShl(n->b, word, llvm_int(n->l->i32, 16), "");
    return llvm_from_bits(n->l, n->b, word);
}

/* The word that has made an element of bf16, as it is for memory; NULL: none. */
static Val word_of_brain(Val element, int half)
{
    static const LLVMOpcode made[] = {LLVMShl, LLVMAnd};
    Val bits = operand_of(operand_of(element, LLVMTrunc, 0), LLVMLShr, 0);

    return operand_of(operand_of(operand_of(bits, LLVMBitCast, 0), LLVMBitCast, 0), made[half], 0);
}

static Val word_of_half(const Nv *n, Val element, int half)
{
    Val x =
        operand_of(operand_of(operand_of(element, LLVMBitCast, 0), LLVMFPTrunc, 0), LLVMFPExt, 0);
    bool upper;
    Val word = word_behind(n, operand_of(x, LLVMBitCast, 0), &upper);

    return word && upper == (half == 1) ? word : NULL;
}

Val nv_word_of_halves(const Nv *n, const Val elements[2])
{
    Val words[2];

    for (int i = 0; i < 2; i++) {
        words[i] = word_of_brain(elements[i], i);
        words[i] = words[i] ? words[i] : word_of_half(n, elements[i], i);
    }
    return words[0] == words[1] ? words[0] : NULL;
}

/* --- words --- */

/* How a word was made. */
typedef struct {
    const char *text, *constraints;
    Val in[2];
} Made;

static Val make_word(Nv *n, const char *text, const char *constraints, const Val in[2])
{
    Made *m = NEW(n->arena, Made);
    Val word = nv_pure_asm(n, n->l->i32, text, constraints, in, 2);

    *m = (Made){text, constraints, {in[0], in[1]}};
    map_put(n->made, (uintptr_t)word, m);
    return word;
}

Val nv_made_again(Nv *n, Val word)
{
    const Made *m = map_get(n->made, (uintptr_t)word);

    return m ? nv_asm(n, n->l->i32, m->text, m->constraints, m->in, 2) : word;
}

static const char copy[] = "{ .reg .b16 x, y; mov.b32 {x, y}, $1; mov.b32 $0, {x, y}; }";

Val nv_copy_number(Nv *n, Val number)
{
    bool wide = LLVMTypeOf(number) != n->l->i32;
    Val word = wide ? LLVMBuildTrunc(n->b, number, n->l->i32, "") : number;

    word = nv_asm(n, n->l->i32, copy, "=r,r", &word, 1);
    if (!wide)
        return word;
    Val high = LLVMBuildAnd(n->b, number, llvm_int(n->l->i64, ~(int64_t)UINT32_MAX), "");
    return LLVMBuildOr(n->b, high, LLVMBuildZExt(n->b, word, n->l->i64, ""), "");
}

void nv_copy_words(Nv *n, const NvTile *t)
{
    const Type *type = t->value->type;
    Val *element = n->regs[t->id], halves[2], word;

    for (int r = 0; r < nv_count(t); r += 2) {
        if (!element[r] && !element[r + 1]) /* beyond the extent */
            continue;
        for (int i = 0; i < 2; i++)
            halves[i] =
                element[r + i] ? nv_to_bits(n, type, element[r + i]) : llvm_int(n->l->i16, 0);
        nv_pack(n, halves, 2, 2, &word);
        word = nv_asm(n, n->l->i32, copy, "=r,r", &word, 1);
        nv_unpack(n, &word, 2, 2, halves);
        for (int i = 0; i < 2; i++)
            element[r + i] = element[r + i] ? nv_from_bits(n, type, halves[i]) : NULL;
    }
}

/* --- arithmetic --- */

/* The instruction for two elements; NULL: there is none that gives the same. */
static const char *instruction(const Nv *n, const Op *op)
{
    static const struct {
        OpCode code;
        const char *name;
        bool picks;
    } rows[] = {
        {OP_add, "add.rn", false},    {OP_sub, "sub.rn", false}, {OP_mul, "mul.rn", false},
        {OP_min, "min", true},        {OP_max, "max", true},     {OP_minnan, "min.NaN", true},
        {OP_maxnan, "max.NaN", true},
    };
    DType t = op->results[0]->type->dtype;
    bool brain = t == DT_BF16;
    bool adds = !brain || (op->code != OP_mul && chip_has(n->plan->chip, CHIP_PAIRS));

    if (dtype_is_int(t))
        return (op->code == OP_min || op->code == OP_max) && chip_has(n->plan->chip, CHIP_PAIRS)
                   ? arena_printf(n->arena, "%s.%c16x2 $0, $1, $2;", op_info(op->code)->name,
                                  dtype_is_signed(t) ? 's' : 'u')
                   : NULL;
    for (int i = 0; i < COUNT(rows); i++) {
        if (rows[i].code == op->code && (rows[i].picks || adds))
            return arena_printf(n->arena, "%s.%s $0, $1, $2;", rows[i].name,
                                brain ? "bf16x2" : "f16x2");
    }
    return NULL;
}

/* Of numbers that halves of a word hold? */
static bool goes_in_halves(const Type *t)
{
    return !t->pointer &&
           (t->dtype == DT_FP16 || t->dtype == DT_BF16 ||
            (dtype_is_int(t->dtype) && t->dtype != DT_I1 && dtype_bits(t->dtype) <= 16));
}

/* The next two registers from `r` on that there are, which then is behind them; false: there is one
 * at most. */
static bool next_pair(const Val *x, int count, int *r, int regs[2])
{
    int found = 0;

    for (; *r < count && found < 2; ++*r) {
        if (x[*r])
            regs[found++] = *r;
    }
    return found == 2;
}

static void compute_pairs(Nv *n, const Type *t, const char *text, Val *const in[2], int count,
                          Val *out)
{
    int regs[2];

    for (int r = 0; next_pair(in[0], count, &r, regs);) {
        Val words[2];
        for (int i = 0; i < 2; i++)
            words[i] = put_together(n, t, (Val[]){in[i][regs[0]], in[i][regs[1]]});
        take_apart(n, t, make_word(n, text, "=r,r,r", words), regs, out);
    }
}

/* Is it a cast to fp16 of words that are numbers of 10 bits, or fewer, or of bytes? */
static bool casts_few_bits(const Nv *n, const Op *op)
{
    enum { MOST = 512 };
    const Type *from = op->operands[0]->type;
    const Axis *range = axis_of(n->plan->axis, op->operands[0]);

    if (op->code != OP_cast || op->results[0]->type->dtype != DT_FP16 || from->pointer ||
        !dtype_is_int(from->dtype))
        return false;
    return dtype_bits(from->dtype) == 8 || (dtype_bits(from->dtype) == 32 && range->has_range &&
                                            range->lo >= -MOST && range->hi < MOST);
}

/* What is left of x by a constant that masks all but its low bits. */
static Val masked(Val x, uint32_t *mask)
{
    enum { MOST = 0x1ff };
    Val by = operand_of(x, LLVMAnd, 1);

    if (!by || !LLVMIsAConstantInt(by) || LLVMConstIntGetZExtValue(by) > MOST)
        return NULL;
    *mask = (uint32_t)LLVMConstIntGetZExtValue(by);
    return LLVMGetOperand(x, 0);
}

static Val halves_of_two(Nv *n, Val low, Val high)
{
    Val halves[2], word;

    halves[0] = LLVMBuildTrunc(n->b, low, n->l->i16, "");
    halves[1] = LLVMBuildTrunc(n->b, high, n->l->i16, "");
    nv_pack(n, halves, 2, 2, &word);
    return word;
}

enum {
    MAGIC = 0x6600,
    TWO = 0x10001
}; /* the bits of 1536, a number of fp16 with nine bits below
      its last ones, and two of a thing */

/* 1536 + x of two that were masked alike, as halves of a word; NULL: they were not. */
static Val lifted_masked(Nv *n, Val low, Val high)
{
    uint32_t a, b;
    Val x = masked(low, &a), y = masked(high, &b);

    if (!x || !y || a != b)
        return NULL;
    Val in[] = {halves_of_two(n, x, y), llvm_int(n->l->i32, a * TWO),
                llvm_int(n->l->i32, MAGIC * TWO)};
    return nv_pure_asm(n, n->l->i32, "lop3.b32 $0, $1, $2, $3, 0xea;", "=r,r,r,r", in, COUNT(in));
}

/* 1536 + x of two integers as halves of a word, and what is to be taken off: 1536, or, of a
 * difference of masked ones, 1536 + the second one. */
static void lift(Nv *n, const Val x[2], bool is_signed, Val out[2])
{
    Val less[] = {operand_of(x[0], LLVMSub, 1), operand_of(x[1], LLVMSub, 1)}, sums[2];

    out[0] = lifted_masked(n, x[0], x[1]);
    out[1] = llvm_int(n->l->i32, MAGIC * TWO);
    if (!out[0] && less[0] && less[1]) {
        out[0] = lifted_masked(n, LLVMGetOperand(x[0], 0), LLVMGetOperand(x[1], 0));
        Val by = out[0] ? lifted_masked(n, less[0], less[1]) : NULL;
        out[0] = by ? out[0] : NULL;
        out[1] = by ? by : out[1];
    }
    for (int i = 0; i < 2 && !out[0]; i++) {
        sums[i] = LLVMBuildIntCast2(n->b, x[i], n->l->i32, is_signed, "");
        sums[i] = LLVMBuildAdd(n->b, sums[i], llvm_int(n->l->i32, MAGIC), "");
    }
    if (!out[0])
        out[0] = halves_of_two(n, sums[0], sums[1]);
}

/* Two bytes of a word; NULL: they are of none. */
static Val cast_bytes(Nv *n, DType from, const Val x[2])
{
    NvByte at[2];

    if (dtype_bits(from) != 8 || !nv_find_byte(n, x[0], &at[0]) || !nv_find_byte(n, x[1], &at[1]) ||
        !nv_same_word(&at[0], &at[1]))
        return NULL;
    return nv_byte_halves(n, from, nv_word_of_byte(n, &at[0]), (int[]){at[0].byte, at[1].byte});
}

static void cast_pairs(Nv *n, const Op *op, const Val *x, int count, Val *out)
{
    DType from = op->operands[0]->type->dtype;
    int regs[2];

    for (int r = 0; next_pair(x, count, &r, regs);) {
        Val two[] = {x[regs[0]], x[regs[1]]}, word = cast_bytes(n, from, two);
        if (!word) {
            Val in[2];
            lift(n, two, dtype_is_signed(from), in);
            word = make_word(n, "sub.rn.f16x2 $0, $1, $2;", "=r,r,r", in);
        }
        take_apart(n, op->results[0]->type, word, regs, out);
    }
}

void nv_compute_pairs(Nv *n, const Op *op, Val *const in[2], int count, Val *out)
{
    const Type *t = op->results[0]->type;
    const char *text = goes_in_halves(t) && op->noperands == 2 ? instruction(n, op) : NULL;

    if (text)
        compute_pairs(n, t, text, in, count, out);
    else if (goes_in_halves(t) && casts_few_bits(n, op))
        cast_pairs(n, op, in[0], count, out);
}

/* --- rounding --- */

/* In place of what rounds one. */
static Val leave(void *target, Val x)
{
    Nv *n = target;

    n->left = true;
    return x;
}

void nv_begin_rounding(Nv *n, NvRounding *x, const Type *t)
{
    *x = (NvRounding){.type = t, .one = n->e.small.round_bf16};
    if (!t->pointer && t->dtype == DT_BF16)
        n->e.small.round_bf16 = leave;
}

void nv_round_with(Nv *n, NvRounding *x, int r, Val *out)
{
    bool left = n->left;

    n->left = false;
    if (!left)
        return;
    x->regs[x->found++] = r;
    if (x->found < 2)
        return;
    Val in[] = {out[r], out[x->regs[0]]};
    Val word = make_word(n, "cvt.rn.bf16x2.f32 $0, $1, $2;", "=r,f,f", in);
    take_apart(n, x->type, word, x->regs, out);
    x->found = 0;
}

void nv_end_rounding(Nv *n, const NvRounding *x, Val *out)
{
    n->e.small.round_bf16 = x->one;
    if (x->found > 0)
        out[x->regs[0]] = x->one(n, out[x->regs[0]]);
}
