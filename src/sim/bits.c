/*
 * bits.c - fields, counts and permutations of bits
 */
#include "../base/base.h"
VECTOR_LOOPS /* in front of the functions of headers, too: they are inlined */

#include "lanes.h"

static uint64_t reverse64(uint64_t x)
{
    uint64_t r = 0;

    for (int i = 0; i < 64; i++)
        r |= (x >> i & 1) << (63 - i);
    return r;
}

EACH1(bits_popc_32, uint32_t, uint32_t, __builtin_popcount(x))
EACH1(bits_popc_64, uint32_t, uint64_t, __builtin_popcountll(x))
EACH1(bits_clz_32, uint32_t, uint32_t, x ? __builtin_clz(x) : 32)
EACH1(bits_clz_64, uint32_t, uint64_t, x ? __builtin_clzll(x) : 64)
EACH1(bits_brev_32, uint32_t, uint32_t, reverse64(x) >> 32)
EACH1(bits_brev_64, uint64_t, uint64_t, reverse64(x))

/* The highest bit that differs from the sign, as a position or as the shift that brings it up. */
static uint32_t find_high(uint64_t x, int bits, bool shift)
{
    if (x == 0)
        return UINT32_MAX;
    int at = 63 - __builtin_clzll(x);
    return (uint32_t)(shift ? bits - 1 - at : at);
}
static uint64_t unsign(int64_t x)
{
    return (uint64_t)(x < 0 ? ~x : x);
}
EACH1(bits_find_u32, uint32_t, uint32_t, find_high(x, 32, has(in, MOD_SHIFTAMT)))
EACH1(bits_find_u64, uint32_t, uint64_t, find_high(x, 64, has(in, MOD_SHIFTAMT)))
EACH1(bits_find_s32, uint32_t, int32_t, find_high(unsign(x), 32, has(in, MOD_SHIFTAMT)))
EACH1(bits_find_s64, uint32_t, int64_t, find_high(unsign(x), 64, has(in, MOD_SHIFTAMT)))

/* So many ones in the lowest bits. */
static uint64_t ones(uint32_t n)
{
    return n >= 64 ? UINT64_MAX : (UINT64_C(1) << n) - 1;
}

/* The field of `len` bits from `at` on; positions and lengths count modulo 256.  What lies beyond
 * the field, and beyond the number, is zeros or copies of the field's highest bit that there is. */
static uint64_t extract(uint64_t x, uint32_t at, uint32_t len, uint32_t bits, bool is_signed)
{
    at &= 255;
    len &= 255;
    uint32_t width = at >= bits ? 0 : MIN(len, bits - at);
    uint64_t value = at >= bits ? 0 : x >> at & ones(width);
    uint32_t top = MIN(at + len - 1, bits - 1);
    bool extends = is_signed && len > 0 && (x >> top & 1);
    return extends ? value | (ones(bits) & ~ones(width)) : value;
}
EACH3(bits_extract_u32, uint32_t, uint32_t, uint32_t, uint32_t, extract(x, y, z, 32, false))
EACH3(bits_extract_s32, uint32_t, uint32_t, uint32_t, uint32_t, extract(x, y, z, 32, true))
EACH3(bits_extract_u64, uint64_t, uint64_t, uint32_t, uint32_t, extract(x, y, z, 64, false))
EACH3(bits_extract_s64, uint64_t, uint64_t, uint32_t, uint32_t, extract(x, y, z, 64, true))

static uint64_t insert(uint64_t x, uint64_t into, uint32_t at, uint32_t len, uint32_t bits)
{
    at &= 255;
    len &= 255;
    if (at >= bits)
        return into;
    uint64_t field = ones(len) << at;
    return (into & ~field) | (x << at & field);
}
#define INSERT(bits, T)                                                                            \
    void bits_insert_##bits(Warp *w, const Inst *in, uint32_t mask)                                \
    {                                                                                              \
        T *d = OPERAND(w, in, 0, T), *x = OPERAND(w, in, 1, T), *into = OPERAND(w, in, 2, T);      \
        uint32_t *at = OPERAND(w, in, 3, uint32_t), *len = OPERAND(w, in, 4, uint32_t);            \
                                                                                                   \
        FOR_LANES(i, mask)                                                                         \
        d[i] = (T)insert(x[i], into[i], at[i], len[i], bits);                                      \
    }
INSERT(32, uint32_t)
INSERT(64, uint64_t)

/* shf: a word out of two.  .clamp stops at 32, .wrap takes the shift modulo 32. */
static uint32_t funnel(const Inst *in, uint32_t low, uint32_t high, uint32_t by, bool left)
{
    uint64_t both = (uint64_t)high << 32 | low;

    by = has(in, MOD_WRAP) ? by & 31 : MIN(by, 32);
    return (uint32_t)(left ? both << by >> 32 : both >> by);
}
EACH3(bits_funnel_l, uint32_t, uint32_t, uint32_t, uint32_t, funnel(in, x, y, z, true))
EACH3(bits_funnel_r, uint32_t, uint32_t, uint32_t, uint32_t, funnel(in, x, y, z, false))

/* The bytes of two words by the nibbles of a selector: which byte, or its sign eight times. */
static uint32_t permute(uint32_t x, uint32_t y, uint32_t selector)
{
    uint64_t both = (uint64_t)y << 32 | x;
    uint32_t out = 0;

    for (int i = 0; i < 4; i++) {
        uint32_t pick = selector >> (4 * i) & 15;
        uint32_t byte = (uint32_t)(both >> (8 * (pick & 7))) & 0xff;

        if (pick & 8)
            byte = byte & 0x80 ? 0xff : 0;
        out |= byte << (8 * i);
    }
    return out;
}

/* The selector that one of prmt's modes stands for, with the position in its lowest bits. */
static uint32_t mode_selector(const Inst *in, uint32_t z)
{
    static const struct {
        PtxModifier mode;
        uint16_t selector[4];
    } modes[] = {
        {MOD_F4E, {0x3210, 0x4321, 0x5432, 0x6543}}, {MOD_B4E, {0x5670, 0x6701, 0x7012, 0x0123}},
        {MOD_RC8, {0x0000, 0x1111, 0x2222, 0x3333}}, {MOD_ECL, {0x3210, 0x3211, 0x3222, 0x3333}},
        {MOD_ECR, {0x0000, 0x1110, 0x2210, 0x3210}}, {MOD_RC16, {0x1010, 0x3232, 0x1010, 0x3232}}};

    for (int i = 0; i < COUNT(modes); i++) {
        if (has(in, modes[i].mode))
            return modes[i].selector[z & 3];
    }
    return z;
}
EACH3(bits_permute, uint32_t, uint32_t, uint32_t, uint32_t, permute(x, y, mode_selector(in, z)))

static uint32_t lookup3(uint32_t x, uint32_t y, uint32_t z, uint32_t table)
{
    uint32_t out = 0;

    for (int k = 0; k < 8; k++) {
        if (table >> k & 1)
            out |= (k & 4 ? x : ~x) & (k & 2 ? y : ~y) & (k & 1 ? z : ~z);
    }
    return out;
}
EACH3(bits_lookup3, uint32_t, uint32_t, uint32_t, uint32_t, lookup3(x, y, z, (uint32_t)in->number))

/* A field's worth of ones, and a field's sign or zeros above it. */
static uint32_t field_mask(const Inst *in, uint32_t at, uint32_t len)
{
    bool clamp = has(in, MOD_CLAMP);

    at = clamp ? MIN(at, 32) : at & 31;
    len = clamp ? MIN(len, 32) : len & 31;
    return (uint32_t)(((UINT64_C(1) << len) - 1) << at);
}
static uint32_t extend_field(const Inst *in, uint32_t x, uint32_t len, bool is_signed)
{
    len = has(in, MOD_CLAMP) ? MIN(len, 32) : len & 31;
    if (len == 0)
        return 0;
    uint32_t up = x << (32 - len);
    return is_signed ? (uint32_t)((int32_t)up >> (32 - len)) : up >> (32 - len);
}
EACH2(bits_mask, uint32_t, uint32_t, uint32_t, field_mask(in, x, y))
EACH2(bits_extend_u32, uint32_t, uint32_t, uint32_t, extend_field(in, x, y, false))
EACH2(bits_extend_s32, uint32_t, uint32_t, uint32_t, extend_field(in, x, y, true))

/* --- predicates: a mask each --- */

#define PREDICATES(name, expr)                                                                     \
    void name(Warp *w, const Inst *in, uint32_t mask)                                              \
    {                                                                                              \
        uint32_t x = *OPERAND(w, in, 1, uint32_t), y = *OPERAND(w, in, in->nops - 1, uint32_t);    \
                                                                                                   \
        (void)y;                                                                                   \
        write_predicate(w, in->op[0], expr, mask);                                                 \
    }
PREDICATES(predicate_and, x &y)
PREDICATES(predicate_or, x | y)
PREDICATES(predicate_xor, x ^ y)
PREDICATES(predicate_not, ~x)
PREDICATES(predicate_mov, in->not_op ? ~x : x)
