/*
 * nv_words.c - one access of one thread to memory, as an instruction of PTX
 *
 * Written as inline assembly: LLVM has no loads and stores with a predicate and a vector, and makes
 * branches of masked ones.  What is read where the predicate is false is in the registers before.
 */
#include "nv_values.h"

#include <string.h>

static Val assembly(Nv *n, LLVMTypeRef type, const char *text, const char *constraints,
                    const Val *args, int nargs, bool effect)
{
    LLVMTypeRef *types = NEW_N(n->arena, LLVMTypeRef, nargs + 1);
    Val *in = NEW_N(n->arena, Val, nargs + 1);

    for (int i = 0; i < nargs; i++) {
        in[i] = args[i];
        types[i] = LLVMTypeOf(args[i]);
    }
    LLVMTypeRef fn = LLVMFunctionType(type, types, (unsigned)nargs, 0);
    Val code = LLVMGetInlineAsm(fn, text, strlen(text), constraints, strlen(constraints), effect, 0,
                                LLVMInlineAsmDialectATT, 0);
    return LLVMBuildCall2(n->b, fn, code, in, (unsigned)nargs, "");
}

Val nv_asm(Nv *n, LLVMTypeRef type, const char *text, const char *constraints, const Val *args,
           int nargs)
{
    return assembly(n, type, text, constraints, args, nargs, true);
}

Val nv_pure_asm(Nv *n, LLVMTypeRef type, const char *text, const char *constraints, const Val *args,
                int nargs)
{
    return assembly(n, type, text, constraints, args, nargs, false);
}

static int words_of(int bytes)
{
    return bytes <= 4 ? 1 : bytes / 4;
}

static LLVMTypeRef word_type(const Nv *n, int bytes)
{
    return bytes < 4 ? n->l->i16 : n->l->i32;
}

/* "{$0, $1}" or "$0", for words number `first` on. */
static void put_words(Text *t, int first, int count)
{
    if (count == 1) {
        text_printf(t, "$%d", first);
        return;
    }
    for (int i = 0; i < count; i++)
        text_printf(t, "%s$%d", i == 0 ? "{" : ", ", first + i);
    text_put(t, "}");
}

static void put_width(Text *t, const NvPlace *p)
{
    int words = words_of(p->bytes);

    if (words > 1)
        text_printf(t, ".v%d", words);
    text_printf(t, ".b%d ", p->bytes < 4 ? 8 * p->bytes : 32);
}

static void put_address(Text *t, const NvPlace *p, int operand)
{
    text_printf(t, "[$%d", operand);
    if (p->offset != 0)
        text_printf(t, "+%lld", (long long)p->offset);
    text_put(t, "]");
}

static const char *address_constraint(const Nv *n, const NvPlace *p)
{
    return LLVMTypeOf(p->address) == n->l->i64 ? "l" : "r";
}

/* What is less than a word comes into a whole register: of half a one the assembler would keep the
 * other half. */
void nv_read(Nv *n, const NvPlace *p, const Val *other, Val *words)
{
    int count = words_of(p->bytes), nargs = 0;
    LLVMTypeRef type = n->l->i32, types[NV_MOST_WORDS];
    Text t = text_new(n->arena), c = text_new(n->arena);
    Val args[NV_MOST_WORDS + 2];

    for (int i = 0; i < count; i++) {
        types[i] = type;
        text_put(&c, "=r,");
    }
    args[nargs++] = p->address;
    text_put(&c, address_constraint(n, p));
    if (p->predicate) {
        text_printf(&t, "@$%d ", count + nargs);
        args[nargs++] = p->predicate;
        text_put(&c, ",b");
        for (int i = 0; i < count; i++) {
            args[nargs++] =
                other ? LLVMBuildZExtOrBitCast(n->b, other[i], type, "") : llvm_int(type, 0);
            text_printf(&c, ",%d", i);
        }
    }
    text_put(&t, p->how);
    put_width(&t, p);
    put_words(&t, 0, count);
    text_put(&t, ", ");
    put_address(&t, p, count);
    text_put(&t, ";");
    text_put(&c, ",~{memory}");
    LLVMTypeRef result =
        count == 1 ? type : LLVMStructTypeInContext(n->l->ctx, types, (unsigned)count, 0);
    Val got = nv_asm(n, result, t.s, c.s, args, nargs);
    for (int i = 0; i < count; i++) {
        Val word = count == 1 ? got : LLVMBuildExtractValue(n->b, got, (unsigned)i, "");
        words[i] = LLVMBuildTruncOrBitCast(n->b, word, word_type(n, p->bytes), "");
    }
}

void nv_write(Nv *n, const NvPlace *p, const Val *words)
{
    int count = words_of(p->bytes), nargs = 0;
    Text t = text_new(n->arena), c = text_new(n->arena);
    Val args[NV_MOST_WORDS + 2];

    args[nargs++] = p->address;
    text_put(&c, address_constraint(n, p));
    for (int i = 0; i < count; i++) {
        args[nargs++] = words[i];
        text_put(&c, p->bytes < 4 ? ",h" : ",r");
    }
    if (p->predicate) {
        text_printf(&t, "@$%d ", nargs);
        args[nargs++] = p->predicate;
        text_put(&c, ",b");
    }
    text_put(&t, p->how);
    put_width(&t, p);
    put_address(&t, p, 0);
    text_put(&t, ", ");
    put_words(&t, 1, count);
    text_put(&t, ";");
    text_put(&c, ",~{memory}");
    nv_asm(n, n->l->none, t.s, c.s, args, nargs);
}

/* --- elements --- */

static LLVMTypeRef int_of(const Nv *n, int bytes)
{
    return bytes == 1 ? n->l->i8 : bytes == 2 ? n->l->i16 : bytes == 4 ? n->l->i32 : n->l->i64;
}

static Val at(const Nv *n, int i)
{
    return llvm_int(n->l->i32, i);
}

/* The two bytes that both are of, in their order, as an i16; NULL: they are not. */
static Val word_of_two(Nv *n, const Val *bytes)
{
    Val both = NULL;

    for (int i = 0; i < 2; i++) {
        Val v = bytes[i];
        if (!LLVMIsAExtractElementInst(v) || LLVMTypeOf(v) != n->l->i8)
            return NULL;
        Val from = LLVMGetOperand(v, 0), index = LLVMGetOperand(v, 1);
        if (LLVMGetVectorSize(LLVMTypeOf(from)) != 2 || (both && from != both) ||
            !LLVMIsAConstantInt(index) || LLVMConstIntGetZExtValue(index) != (unsigned)i)
            return NULL;
        both = from;
    }
    return LLVMBuildBitCast(n->b, both, n->l->i16, "");
}

/* Elements of less than a word, side by side. */
static Val pack_word(Nv *n, const Val *elements, int count, int bytes)
{
    LLVMTypeRef whole = count * bytes < 4 ? n->l->i16 : n->l->i32;
    Val halves[2] = {NULL};

    if (count == 1)
        return LLVMBuildZExtOrBitCast(n->b, elements[0], whole, "");
    Val known = bytes == 2 && count == 2 ? nv_word_of_halves(n, elements) : NULL;
    if (known)
        return known;
    for (int i = 0; bytes == 1 && i < count / 2; i++)
        halves[i] = word_of_two(n, elements + 2 * i);
    if (halves[0] && count == 2)
        return halves[0];
    if (halves[0] && halves[1])
        return pack_word(n, halves, 2, 2);
    Val v = LLVMGetPoison(LLVMVectorType(int_of(n, bytes), (unsigned)count));
    for (int i = 0; i < count; i++)
        v = LLVMBuildInsertElement(n->b, v, elements[i], at(n, i), "");
    return LLVMBuildBitCast(n->b, v, whole, "");
}

int nv_pack(Nv *n, const Val *elements, int count, int bytes, Val *words)
{
    int each = MAX(4 / bytes, 1), used = 0;

    if (bytes == 8) {
        for (int i = 0; i < count; i++) {
            words[used++] = LLVMBuildTrunc(n->b, elements[i], n->l->i32, "");
            Val high = LLVMBuildLShr(n->b, elements[i], llvm_int(n->l->i64, 32), "");
            words[used++] = LLVMBuildTrunc(n->b, high, n->l->i32, "");
        }
        return used;
    }
    for (int i = 0; i < count; i += each)
        words[used++] = pack_word(n, elements + i, MIN(each, count - i), bytes);
    return used;
}

static void unpack_word(Nv *n, Val word, int count, int bytes, Val *elements)
{
    LLVMTypeRef element = int_of(n, bytes);

    if (count == 1) {
        elements[0] = LLVMBuildTruncOrBitCast(n->b, word, element, "");
        return;
    }
    Val v = LLVMBuildBitCast(n->b, word, LLVMVectorType(element, (unsigned)count), "");
    for (int i = 0; i < count; i++)
        elements[i] = LLVMBuildExtractElement(n->b, v, at(n, i), "");
}

void nv_unpack(Nv *n, const Val *words, int count, int bytes, Val *elements)
{
    int each = MAX(4 / bytes, 1);

    for (int i = 0; bytes == 8 && i < count; i++) {
        Val low = LLVMBuildZExt(n->b, words[2 * i], n->l->i64, "");
        Val high = LLVMBuildZExt(n->b, words[2 * i + 1], n->l->i64, "");
        high = LLVMBuildShl(n->b, high, llvm_int(n->l->i64, 32), "");
        elements[i] = LLVMBuildOr(n->b, low, high, "");
    }
    for (int i = 0; bytes < 8 && i < count; i += each)
        unpack_word(n, words[i / each], MIN(each, count - i), bytes, elements + i);
}

/* --- as memory has it --- */

LLVMTypeRef nv_bits_type(const Nv *n, const Type *t)
{
    return LLVMIntTypeInContext(n->l->ctx, 8 * (unsigned)type_size(t));
}

Val nv_to_bits(Nv *n, const Type *t, Val v)
{
    if (t->pointer)
        return LLVMBuildPtrToInt(n->b, v, n->l->i64, "");
    return llvm_bits(n->l, n->b, emit_to_memory(&n->e, n->b, v, t->dtype));
}

Val nv_from_bits(Nv *n, const Type *t, Val v)
{
    if (t->pointer)
        return LLVMBuildIntToPtr(n->b, v, n->l->ptr, "");
    Val x = t->dtype == DT_BF16 ? nv_bf16_of_word(n, v) : NULL;
    if (x)
        return x;
    v = LLVMBuildBitCast(n->b, v, emit_memory_type(&n->e, t->dtype), "");
    return emit_from_memory(&n->e, n->b, v, t->dtype);
}
