/*
 * asm_rows.c - THE table of PTX instructions that are ops here
 *
 * A name is `OPCODE.WORD.TYPE`, with any number of words and types.  Rounding, saturation and
 * comparisons are words that count; those that only say how exact an instruction is (.approx, .ftz,
 * .full) are taken as leave to be more so.
 */
#include <string.h>

#include "asm.h"

static const AsmType types[] = {
    {"b8", DT_U8, 1, 8},        {"u8", DT_U8, 1, 8},           {"s8", DT_I8, 1, 8},
    {"b16", DT_U16, 1, 16},     {"u16", DT_U16, 1, 16},        {"s16", DT_I16, 1, 16},
    {"b32", DT_U32, 1, 32},     {"u32", DT_U32, 1, 32},        {"s32", DT_I32, 1, 32},
    {"b64", DT_U64, 1, 64},     {"u64", DT_U64, 1, 64},        {"s64", DT_I64, 1, 64},
    {"f16", DT_FP16, 1, 16},    {"bf16", DT_BF16, 1, 16},      {"f32", DT_FP32, 1, 32},
    {"f64", DT_FP64, 1, 64},    {"pred", DT_I1, 1, 1},         {"f16x2", DT_FP16, 2, 32},
    {"bf16x2", DT_BF16, 2, 32}, {"e4m3x2", DT_FP8E4NV, 2, 16}, {"e5m2x2", DT_FP8E5, 2, 16},
    {"e2m1x2", DT_U8, 2, 8},    {"tf32", DT_U32, 1, 32},       {"u16x2", DT_U16, 2, 32},
    {"s16x2", DT_I16, 2, 32},
};

const AsmType *asm_type(const char *name, size_t n)
{
    for (int i = 0; i < COUNT(types); i++) {
        if (strlen(types[i].name) == n && memcmp(types[i].name, name, n) == 0)
            return &types[i];
    }
    return NULL;
}

#define SIDES "rn rz rm rp "
#define SMALL "f16 bf16 f16x2 bf16x2"
#define INTS "u16 s16 u32 s32 u64 s64"
#define BITS "b16 b32 b64"
#define INT8S "u8 s8 " INTS
#define TESTS "eq ne lt le gt ge lo ls hi hs equ neu ltu leu gtu geu num nan ftz "
#define TESTED BITS " " INTS " f16 bf16 f32 f64"

/* clang-format off */
/* name       words                       types             result operands  make */
static const AsmRow rows[] = {
    {"add", SIDES "ftz sat",            "f32 f64",             "0", "00",    asm_toward, OP_add_toward},
    {"sub", SIDES "ftz sat",            "f32 f64",             "0", "00",    asm_toward, OP_sub},
    {"mul", SIDES "ftz sat",            "f32 f64",             "0", "00",    asm_toward, OP_mul_toward},
    {"div", SIDES "ftz approx full",    "f32 f64",             "0", "00",    asm_toward, OP_div_toward},
    {"fma", SIDES "ftz sat",            "f32 f64",             "0", "000",   asm_toward, OP_fma_toward},
    {"mad", SIDES "ftz sat",            "f32 f64",             "0", "000",   asm_toward, OP_fma_toward},
    {"sqrt", SIDES "ftz approx",        "f32 f64",             "0", "0",     asm_toward, OP_sqrt_toward},
    {"rcp", SIDES "ftz approx",         "f32 f64",             "0", "0",     asm_reciprocal},
    {"add", "rn ftz sat",               SMALL,                 "0", "00",    asm_float_op, OP_add},
    {"sub", "rn ftz sat",               SMALL,                 "0", "00",    asm_float_op, OP_sub},
    {"mul", "rn ftz sat",               SMALL,                 "0", "00",    asm_float_op, OP_mul},
    {"fma", "rn ftz sat relu",          SMALL,                 "0", "000",   asm_fma},
    {"neg", "ftz",                      "f32 f64 " SMALL,      "0", "0",     asm_float_op, OP_neg},
    {"abs", "ftz",                      "f32 f64 " SMALL,      "0", "0",     asm_float_op, OP_abs},
    {"min", "ftz NaN",                  "f32 f64 " SMALL,      "0", "00",    asm_least, OP_min},
    {"max", "ftz NaN",                  "f32 f64 " SMALL,      "0", "00",    asm_least, OP_max},
    {"ex2", "approx ftz",               "f32 " SMALL,          "0", "0",     asm_approx, OP_exp2},
    {"lg2", "approx ftz",               "f32",                 "0", "0",     asm_approx, OP_log2},
    {"sin", "approx ftz",               "f32",                 "0", "0",     asm_approx, OP_sin},
    {"cos", "approx ftz",               "f32",                 "0", "0",     asm_approx, OP_cos},
    {"tanh", "approx",                  "f32 " SMALL,          "0", "0",     asm_approx, OP_tanh},
    {"rsqrt", "approx ftz",             "f32 f64",             "0", "0",     asm_approx, OP_rsqrt},
    {"copysign", "",                    "f32 f64",             "0", "00",    asm_copysign},
    {"testp", "finite infinite number notanumber normal subnormal", "f32 f64", "p", "0", asm_testp},

    {"add", "",                         INTS " u16x2 s16x2",   "0", "00",    asm_int_op, OP_add},
    {"sub", "",                         INTS,                  "0", "00",    asm_int_op, OP_sub},
    {"add", "!sat",                     "s32",                 "0", "00",    asm_sat_int, OP_add},
    {"sub", "!sat",                     "s32",                 "0", "00",    asm_sat_int, OP_sub},
    {"mul.lo", "",                      INTS,                  "0", "00",    asm_int_op, OP_mul},
    {"mul.hi", "",                      INTS,                  "0", "00",    asm_high},
    {"mul.wide", "",                    "u16 s16 u32 s32",     "w", "00",    asm_wide},
    {"mad.lo", "",                      INTS,                  "0", "000",   asm_mad},
    {"mad.hi", "",                      INTS,                  "0", "000",   asm_mad_high},
    {"mad.wide", "",                    "u16 s16 u32 s32",     "w", "00w",   asm_mad_wide},
    {"div", "",                         INTS,                  "0", "00",    asm_int_op, OP_div},
    {"rem", "",                         INTS,                  "0", "00",    asm_int_op, OP_rem},
    {"min", "",                         INTS " u16x2 s16x2",   "0", "00",    asm_int_op, OP_min},
    {"max", "",                         INTS " u16x2 s16x2",   "0", "00",    asm_int_op, OP_max},
    {"neg", "",                         "s16 s32 s64",         "0", "0",     asm_int_op, OP_neg},
    {"abs", "",                         "s16 s32 s64",         "0", "0",     asm_int_op, OP_abs},
    {"sad", "",                         INTS,                  "0", "000",   asm_sad},
    {"dp4a", "",                        "u32 s32|u32 s32",     "0", "01i",   asm_dot4},
    {"and", "",                         "pred " BITS,          "0", "00",    asm_int_op, OP_and},
    {"or", "",                          "pred " BITS,          "0", "00",    asm_int_op, OP_or},
    {"xor", "",                         "pred " BITS,          "0", "00",    asm_int_op, OP_xor},
    {"not", "",                         "pred " BITS,          "0", "0",     asm_int_op, OP_not},
    {"cnot", "",                        BITS,                  "0", "0",     asm_cnot},
    {"shl", "",                         BITS,                  "0", "0i",    asm_shift, OP_shl},
    {"shr", "",                         BITS " " INTS,         "0", "0i",    asm_shift, OP_shr},
    {"shf.l", "wrap clamp",             "b32",                 "0", "00i",   asm_funnel, OP_shl},
    {"shf.r", "wrap clamp",             "b32",                 "0", "00i",   asm_funnel, OP_shr},
    {"lop3", "",                        "b32",                 "0", "000n",  asm_lop3},
    {"prmt", "f4e b4e rc8 ecl ecr rc16", "b32",                "0", "00i",   asm_prmt},
    {"bfe", "",                         "u32 s32 u64 s64",     "0", "0ii",   asm_extract},
    {"bfi", "",                         "b32 b64",             "0", "00ii",  asm_insert},
    {"popc", "",                        "b32 b64",             "i", "0",     asm_count, OP_popc},
    {"clz", "",                         "b32 b64",             "i", "0",     asm_count, OP_clz},
    {"brev", "",                        "b32 b64",             "0", "0",     asm_reverse},
    {"bfind", "shiftamt",               "u32 s32 u64 s64",     "i", "0",     asm_find},

    {"mov", "",                         "pred " BITS " " INTS " f16 bf16 f32 f64 f16x2 bf16x2", "0", "0", asm_move, .pairs = true},
    {"selp", "",                        TESTED,                "0", "00p",   asm_select},
    {"setp", TESTS "and or xor",        TESTED,                "p", "00",    asm_compare},
    {"setp", TESTS "and or xor",        TESTED,                "p", "00p",   asm_compare},
    {"set", TESTS,                      "u32 s32 f32|" TESTED, "0", "11",    asm_set},

    {"cvt", "sat",                      INT8S "|" INT8S,       "x", "x",     asm_convert},
    {"cvt", SIDES "sat",                "f16 bf16 f32 f64|" INT8S, "0", "x", asm_convert},
    {"cvt", "rni rzi rmi rpi ftz sat",  INT8S "|f16 bf16 f32 f64", "x", "1", asm_convert},
    {"cvt", SIDES "rni rzi rmi rpi ftz sat relu", "f16 bf16 f32 f64|f16 bf16 f32 f64", "0", "1", asm_convert},
    {"cvt", "!rna",                     "tf32|f32",            "0", "1",     asm_convert_tf32},
    {"cvt", "rn rz relu",               "f16x2 bf16x2|f32",    "0", "11",    asm_convert_pair, .pairs = true},
    {"cvt", "!rn !satfinite relu",      "e4m3x2 e5m2x2|f32",   "0", "11",    asm_convert_pair, .pairs = true},
    {"cvt", "!rn !satfinite relu",      "e4m3x2 e5m2x2|f16x2", "0", "1",     asm_from_pair, .pairs = true},
    {"cvt", "!rn relu",                 "f16x2|e4m3x2 e5m2x2", "0", "1",     asm_from_pair, .pairs = true},
    {"cvt", "!rn !satfinite relu",      "e2m1x2|f32",          "0", "11",    asm_to_fp4, .pairs = true},
    {"cvt", "!rn relu",                 "f16x2|e2m1x2",        "0", "1",     asm_from_fp4, .pairs = true},
};
/* clang-format on */

/* Is it one of the words of a list?  *must: with a `!` in front. */
static bool listed(const char *list, size_t nlist, const char *word, size_t n)
{
    const char *end = list + nlist;

    for (const char *s = list; s < end;) {
        size_t len = 0;

        while (s + len < end && s[len] != ' ')
            len++;
        size_t mark = *s == '!';
        if (len - mark == n && memcmp(s + mark, word, n) == 0)
            return true;
        s += len;
        s += s < end;
    }
    return false;
}

static bool types_fit(const AsmRow *row, const AsmInst *in)
{
    const char *s = row->types;

    for (int i = 0; i < in->ntypes; i++) {
        size_t n = strcspn(s, "|");
        const char *name = in->type[i]->name;

        if (!listed(s, n, name, strlen(name)))
            return false;
        s += n + (s[n] == '|');
        if (!*s && i < in->ntypes - 1)
            return false;
    }
    return !*s;
}

static bool words_fit(const AsmRow *row, const AsmInst *in)
{
    for (int i = 0; i < in->nwords; i++) {
        if (!listed(row->words, strlen(row->words), in->words[i], strlen(in->words[i])))
            return false;
    }
    for (const char *s = strchr(row->words, '!'); s; s = strchr(s + 1, '!')) {
        char word[ASM_MOST_LETTERS] = {0};
        memcpy(word, s + 1, strcspn(s + 1, " "));
        if (!asm_has(in, word))
            return false;
    }
    return true;
}

/* The words and types behind the name of a row; false: there are too many. */
static bool split_name(const char *rest, AsmInst *out)
{
    out->ntypes = out->nwords = 0;
    while (*rest == '.') {
        size_t n = strcspn(++rest, ".");
        const AsmType *t = asm_type(rest, n);

        if (t && out->ntypes < COUNT(out->type)) {
            out->type[out->ntypes++] = t;
        } else {
            if (t || out->nwords == ASM_MOST_PARTS || n >= ASM_MOST_LETTERS)
                return false;
            memcpy(out->words[out->nwords], rest, n);
            out->words[out->nwords++][n] = '\0';
        }
        rest += n;
    }
    return !*rest;
}

const AsmRow *asm_row(const char *name, int noperands, AsmInst *out)
{
    for (int i = 0; i < COUNT(rows); i++) {
        const AsmRow *row = &rows[i];
        size_t n = strlen(row->name);

        if (strncmp(name, row->name, n) != 0 || (name[n] != '.' && name[n]) ||
            (noperands >= 0 && (int)strlen(row->operands) != noperands))
            continue;
        if (split_name(name + n, out) && types_fit(row, out) && words_fit(row, out))
            return out->row = row;
    }
    return NULL;
}

bool asm_has(const AsmInst *in, const char *word)
{
    for (int i = 0; i < in->nwords; i++) {
        if (strcmp(in->words[i], word) == 0)
            return true;
    }
    return false;
}

Rounding asm_rounding(const AsmInst *in)
{
    static const char *const words[][2] = {{"rz", "rzi"}, {"rm", "rmi"}, {"rp", "rpi"}};
    static const Rounding sides[] = {ROUND_TO_ZERO, ROUND_DOWN, ROUND_UP};

    for (int i = 0; i < COUNT(sides); i++) {
        if (asm_has(in, words[i][0]) || asm_has(in, words[i][1]))
            return sides[i];
    }
    return ROUND_NEAREST;
}

/* --- making --- */

static const Type *asm_as(Asm *a, DType t)
{
    return type_with_dtype(a->b.module, a->shape, t);
}

Value *asm_int(Asm *a, DType t, int64_t v)
{
    return build_int(&a->b, asm_as(a, t), v);
}

Value *asm_float(Asm *a, DType t, double v)
{
    return build_float(&a->b, asm_as(a, t), v);
}

Value *asm_cast(Asm *a, Value *v, DType t)
{
    return v->type->dtype == t ? v : build_cast(&a->b, v, t, ROUND_NEAREST);
}

Value *asm_op(Asm *a, OpCode op, Value *x, Value *y)
{
    return y ? build_binary(&a->b, op, x, y) : build_unary(&a->b, op, x);
}

/* Without the way there and back. */
Value *asm_bitcast(Asm *a, Value *v, DType t)
{
    while (v->def && v->def->code == OP_bitcast && !v->def->operands[0]->type->pointer)
        v = v->def->operands[0];
    return v->type->dtype == t ? v : build_bitcast(&a->b, v, t);
}

Value *asm_bits(Asm *a, Value *v)
{
    static const DType by_bytes[] = {[1] = DT_U8, [2] = DT_U16, [4] = DT_U32, [8] = DT_U64};
    DType t = v->type->dtype;

    return t == DT_I1 ? v : asm_bitcast(a, v, by_bytes[dtype_size(t)]);
}
