/*
 * emit_int.c - one elementwise op on integers as LLVM instructions
 *
 * Where scalar.c gives a meaning to what LLVM leaves undefined (divisors of 0, quotients beyond the
 * type, shifts by all bits or more), selects give it here.
 */
#include "emit.h"

static Val zero(Val x)
{
    return LLVMConstNull(LLVMTypeOf(x));
}

static Val size_of_int(Bld b, Val x)
{
    Val negated = LLVMBuildNeg(b, x, "");

    return LLVMBuildSelect(b, LLVMBuildICmp(b, LLVMIntSLT, x, zero(x), ""), negated, x, "");
}

/* y as a divisor that cannot trap: 1 in place of 0, and of -1 when the quotient would overflow. */
static Val safe_divisor(Bld b, Val y, bool is_signed)
{
    Val one = llvm_int(LLVMTypeOf(y), 1);
    Val bad = LLVMBuildICmp(b, LLVMIntEQ, y, zero(y), "");

    if (is_signed)
        bad = LLVMBuildOr(b, bad, LLVMBuildICmp(b, LLVMIntEQ, y, llvm_int(LLVMTypeOf(y), -1), ""),
                          "");
    return LLVMBuildSelect(b, bad, one, y, "");
}

static bool divides_safely(Val y)
{
    if (!LLVMIsAConstantInt(y))
        return false;
    long long v = LLVMConstIntGetSExtValue(y);
    return v != 0 && v != -1;
}

static Val int_div(Bld b, Val x, Val y, bool is_signed)
{
    Val d = divides_safely(y) ? y : safe_divisor(b, y, is_signed);
    Val q = is_signed ? LLVMBuildSDiv(b, x, d, "") : LLVMBuildUDiv(b, x, d, "");

    if (d == y)
        return q;
    if (is_signed) {
        Val minus = LLVMBuildICmp(b, LLVMIntEQ, y, llvm_int(LLVMTypeOf(y), -1), "");
        q = LLVMBuildSelect(b, minus, LLVMBuildNeg(b, x, ""), q, "");
    }
    Val none = LLVMBuildICmp(b, LLVMIntEQ, y, zero(y), "");
    return LLVMBuildSelect(b, none, zero(x), q, "");
}

static Val int_rem(Bld b, Val x, Val y, bool is_signed)
{
    /* the replaced divisors are 1, and x % 1 is the 0 that the rules want */
    Val d = divides_safely(y) ? y : safe_divisor(b, y, is_signed);
    return is_signed ? LLVMBuildSRem(b, x, d, "") : LLVMBuildURem(b, x, d, "");
}

/* LLVM's builder leaves a select by a constant to the passes, behind which nobody looks. */
static Val select_known(Bld b, Val which, Val yes, Val no)
{
    if (LLVMIsAConstantInt(which))
        return LLVMConstIntGetZExtValue(which) ? yes : no;
    return LLVMBuildSelect(b, which, yes, no, "");
}

static Val int_shift(Bld b, OpCode code, Val x, Val y, int bits, bool is_signed)
{
    LLVMTypeRef t = LLVMTypeOf(y);
    Val fits = LLVMBuildICmp(b, LLVMIntULT, y, llvm_int(t, bits), "");

    if (code == OP_shr && is_signed) {
        Val most = llvm_int(t, bits - 1);
        return LLVMBuildAShr(b, x, select_known(b, fits, y, most), "");
    }
    Val amount = select_known(b, fits, y, zero(y));
    Val r = code == OP_shl ? LLVMBuildShl(b, x, amount, "") : LLVMBuildLShr(b, x, amount, "");
    return select_known(b, fits, r, zero(x));
}

static Val int_mulhi(const Emit *e, Bld b, Val x, Val y, int bits)
{
    LLVMTypeRef wide = llvm_like(LLVMIntTypeInContext(e->l->ctx, 2 * (unsigned)bits), x);
    Val wide_y = LLVMBuildZExt(b, y, wide, "");
    Val p = LLVMBuildMul(b, LLVMBuildZExt(b, x, wide, ""), wide_y, "");

    return LLVMBuildTrunc(b, LLVMBuildLShr(b, p, llvm_int(wide, bits), ""), LLVMTypeOf(x), "");
}

static Val int_clz(const Emit *e, Bld b, Val x)
{
    LLVMTypeRef t = LLVMTypeOf(x);
    Val args[2] = {x, LLVMConstInt(e->l->i1, 0, 0)};

    return llvm_call(e->l, b, "llvm.ctlz", 1, &t, 2, args);
}

/* The position of the lowest set bit, counted from 1; 0 when there is none. */
static Val int_ffs(const Emit *e, Bld b, Val x)
{
    LLVMTypeRef t = LLVMTypeOf(x);
    Val args[2] = {x, LLVMConstInt(e->l->i1, 0, 0)};
    Val at = llvm_call(e->l, b, "llvm.cttz", 1, &t, 2, args);
    Val none = LLVMBuildICmp(b, LLVMIntEQ, x, zero(x), "");

    return LLVMBuildSelect(b, none, zero(x), LLVMBuildAdd(b, at, llvm_int(t, 1), ""), "");
}

static LLVMIntPredicate int_predicate(OpCode code, bool is_signed)
{
    switch (code) {
    case OP_eq:
        return LLVMIntEQ;
    case OP_ne:
        return LLVMIntNE;
    case OP_lt:
        return is_signed ? LLVMIntSLT : LLVMIntULT;
    case OP_le:
        return is_signed ? LLVMIntSLE : LLVMIntULE;
    case OP_gt:
        return is_signed ? LLVMIntSGT : LLVMIntUGT;
    default:
        return is_signed ? LLVMIntSGE : LLVMIntUGE;
    }
}

/* Half the choices remain for each of the three bits. */
static Val choose_of_eight(Bld b, const int64_t *table, Val x)
{
    LLVMTypeRef t = LLVMTypeOf(x);
    Val left[8];

    for (int i = 0; i < 8; i++)
        left[i] = llvm_int(t, table[i]);
    for (int n = 4, bit = 4; n > 0; n /= 2, bit /= 2) {
        Val masked = LLVMBuildAnd(b, x, llvm_int(t, bit), "");
        Val high = LLVMBuildICmp(b, LLVMIntNE, masked, zero(x), "");
        for (int i = 0; i < n; i++)
            left[i] = LLVMBuildSelect(b, high, left[i + n], left[i], "");
    }
    return left[0];
}

/* The eight entries, again and again. */
static Val entries_of(const Emit *e, const int64_t *table, int n)
{
    Val entries[16];

    for (int i = 0; i < n; i++)
        entries[i] = LLVMConstInt(e->l->i32, (uint64_t)table[i % 8], 0);
    return LLVMConstVector(entries, (unsigned)n);
}

/* NEON looks bytes up in two registers: the number of an entry becomes those of its bytes. */
static Val permute_bytes(const Emit *e, Bld b, const int64_t *table, Val x)
{
    LLVMTypeRef words = LLVMTypeOf(x), bytes = LLVMVectorType(e->l->i8, 16);
    Val entry = LLVMBuildAnd(b, x, llvm_int(words, 7), "");
    Val all_first = LLVMBuildMul(b, entry, llvm_int(words, 0x04040404), "");
    Val index = LLVMBuildAdd(b, all_first, llvm_int(words, 0x03020100), "");
    Val low = LLVMConstBitCast(entries_of(e, table, 4), bytes);
    Val high = LLVMConstBitCast(entries_of(e, table + 4, 4), bytes);
    Val in[] = {low, high, LLVMBuildBitCast(b, index, bytes, "")};

    return LLVMBuildBitCast(b, llvm_call(e->l, b, "llvm.aarch64.neon.tbl2", 1, &bytes, 3, in),
                            words, "");
}

/* AVX2 has one instruction that permutes eight lanes of 32 bits by the low bits of others, AVX-512
 * one for sixteen.  Narrower vectors are widened, wider ones halved. */
static Val permute_entries(const Emit *e, Bld b, const int64_t *table, Val x)
{
    int lanes = llvm_lanes(x), most = e->table_lanes, least = MIN(most, 8);
    int index[LLVM_MAX_LANES];

    for (int i = 0; i < MAX(lanes, least); i++)
        index[i] = lanes < least && i >= lanes ? -1 : i;
    if (lanes < least) {
        Val wide = llvm_shuffle(e->l, b, x, NULL, least, index);
        return llvm_slice(e->l, b, permute_entries(e, b, table, wide), 0, lanes);
    }
    if (lanes > most) {
        int half = lanes / 2;
        Val low = permute_entries(e, b, table, llvm_slice(e->l, b, x, 0, half));
        Val high = permute_entries(e, b, table, llvm_slice(e->l, b, x, half, half));
        return llvm_shuffle(e->l, b, low, high, lanes, index);
    }
    if (lanes == 4)
        return permute_bytes(e, b, table, x);
    return llvm_call(e->l, b, lanes == 8 ? "llvm.x86.avx2.permd" : "llvm.x86.avx512.permvar.si.512",
                     0, NULL, 2, (Val[]){entries_of(e, table, lanes), x});
}

/* A scalar lies where a lane does. */
static Val permute_scalar(const Emit *e, Bld b, const int64_t *table, Val x)
{
    Val none = LLVMGetPoison(LLVMVectorType(e->l->i32, 2)), first = llvm_int(e->l->i32, 0);
    Val pair = LLVMBuildInsertElement(b, none, x, first, "");

    return LLVMBuildExtractElement(b, permute_entries(e, b, table, pair), first, "");
}

/* NVIDIA's: four bytes of eight, by the low bits of four digits of a number. */
static Val pick_bytes(const Emit *e, Bld b, Val low, Val high, Val digits)
{
    return llvm_call(e->l, b, "llvm.nvvm.prmt", 0, NULL, 3, (Val[]){low, high, digits});
}

/* The word with `byte`, whose other bytes are 0, as its byte `to`.  Byte 0 of the word goes to
 * `from`, and nothing else is there; or, if that is -1, all that is below `to` stays. */
static Val put_byte(const Emit *e, Bld b, Val all, int from, Val byte, int to)
{
    uint32_t digits = 0;

    for (int i = 0; i < 4; i++) {
        int stays = from < 0 && i < to ? i : 5;
        digits |= (uint32_t)(i == to ? 4 : i == from ? 0 : stays) << 4 * i;
    }
    return pick_bytes(e, b, all, byte, llvm_int(e->l->i32, (int32_t)digits));
}

/* One of these picks a byte of the entry, for each byte in which entries differ; one more puts it
 * beside those that were picked before.  What differs from entry 0 is picked, so that bytes which
 * digits of 0 pick are 0. */
static Val pick_entries(const Emit *e, Bld b, const int64_t *table, Val x)
{
    LLVMTypeRef t = LLVMTypeOf(x), word = e->l->i32;
    int bytes = (int)LLVMGetIntTypeWidth(t) / 8, n = 0, first = 0;
    Val index = LLVMBuildAnd(b, LLVMBuildZExt(b, x, word, ""), llvm_int(word, 7), "");
    Val all = llvm_int(word, 0);

    for (int k = 0; k < bytes; k++) {
        uint32_t half[2] = {0, 0};
        for (int i = 0; i < 8; i++) {
            uint32_t byte = (uint32_t)(table[i] ^ table[0]) >> 8 * k & 0xff;
            half[i / 4] |= byte << 8 * (i % 4);
        }
        if (half[0] == 0 && half[1] == 0)
            continue;
        Val byte = pick_bytes(e, b, llvm_int(word, (int32_t)half[0]),
                              llvm_int(word, (int32_t)half[1]), index);
        all = n == 0 ? byte : put_byte(e, b, all, n == 1 ? first : -1, byte, k);
        first = n++ == 0 ? k : first;
    }
    if (n == 1)
        all = LLVMBuildShl(b, all, llvm_int(word, 8 * first), "");
    all = LLVMBuildXor(b, all, llvm_int(word, (int32_t)table[0]), "");
    return LLVMBuildTrunc(b, all, t, "");
}

static Val int_lookup(const Emit *e, Bld b, const Op *op, Val x)
{
    unsigned bits = llvm_lanes(x) ? 0 : LLVMGetIntTypeWidth(LLVMTypeOf(x));

    if (e->picks_bytes && bits >= 8 && bits <= 32)
        return pick_entries(e, b, op->attrs, x);
    bool narrow = LLVMTypeOf(x) != llvm_like(e->l->i32, x);

    if (narrow || e->table_lanes == 0)
        return choose_of_eight(b, op->attrs, x);
    return llvm_lanes(x) < 2 ? permute_scalar(e, b, op->attrs, x)
                             : permute_entries(e, b, op->attrs, x);
}

Val emit_int(const Emit *e, Bld b, const Op *op, DType t, const Val *in)
{
    bool s = dtype_is_signed(t);
    int bits = dtype_bits(t);
    Val x = in[0], y = op->noperands > 1 ? in[1] : NULL;

    switch (op->code) {
    case OP_add:
        return LLVMBuildAdd(b, x, y, "");
    case OP_sub:
        return LLVMBuildSub(b, x, y, "");
    case OP_mul:
        return LLVMBuildMul(b, x, y, "");
    case OP_div:
        return t == DT_I1 ? LLVMBuildAnd(b, x, y, "") : int_div(b, x, y, s);
    case OP_rem:
        return t == DT_I1 ? zero(x) : int_rem(b, x, y, s);
    case OP_mulhi:
        return t == DT_I1 ? zero(x) : int_mulhi(e, b, x, y, bits);
    case OP_neg:
        return LLVMBuildNeg(b, x, "");
    case OP_abs:
        return s ? size_of_int(b, x) : x;
    case OP_and:
        return LLVMBuildAnd(b, x, y, "");
    case OP_or:
        return LLVMBuildOr(b, x, y, "");
    case OP_xor:
        return LLVMBuildXor(b, x, y, "");
    case OP_not:
        return LLVMBuildNot(b, x, "");
    case OP_shl:
    case OP_shr:
        return t == DT_I1 ? LLVMBuildAnd(b, x, LLVMBuildNot(b, y, ""), "")
                          : int_shift(b, op->code, x, y, bits, s);
    case OP_min:
    case OP_max: {
        OpCode less = op->code == OP_min ? OP_lt : OP_gt;
        return LLVMBuildSelect(b, LLVMBuildICmp(b, int_predicate(less, s), x, y, ""), x, y, "");
    }
    case OP_eq:
    case OP_ne:
    case OP_lt:
    case OP_le:
    case OP_gt:
    case OP_ge:
        return LLVMBuildICmp(b, int_predicate(op->code, s), x, y, "");
    case OP_clz:
        return t == DT_I1 ? LLVMBuildNot(b, x, "") : int_clz(e, b, x);
    case OP_ffs:
        return t == DT_I1 ? x : int_ffs(e, b, x);
    case OP_lookup8:
        return int_lookup(e, b, op, x);
    case OP_popc:
        return t == DT_I1 ? x : llvm_call1(e->l, b, "llvm.ctpop", x);
    default:
        bug("%s has no integer form", op_info(op->code)->name);
    }
}
