/*
 * test_scalar.c - the scalar ops against slow references
 *
 * Formats are decoded and rounded here by arithmetic on long doubles (exact for everything that
 * a 64-bit integer or an fp64 holds), integers by arithmetic on 128 bits: nothing is shared with
 * src/ir/scalar*.c but the table of formats.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include "../../src/ir/ir.h" /* before cmocka.h, whose fail() is a macro */

#include "seed.h"
#include <cmocka.h>

typedef long double Real;
typedef __int128 Wide;

static const DType small_floats[] = {DT_FP16,    DT_BF16,     DT_FP8E4NV, DT_FP8E5,
                                     DT_FP8E4B8, DT_FP8E5B16, DT_FP8E4B15};
static const DType ints[] = {DT_I1, DT_I8, DT_I16, DT_I32, DT_I64, DT_U8, DT_U16, DT_U32, DT_U64};

static uint64_t random_bits(uint64_t *state)
{
    *state += 0x9e3779b97f4a7c15u;
    return hash_bytes(state, sizeof *state, 7);
}

/* One element through scalar_apply. */
static uint64_t apply(OpCode op, int64_t attr, DType in, DType out, uint64_t x, uint64_t y,
                      uint64_t z)
{
    const void *src[3] = {&x, &y, &z};
    uint64_t r = 0;

    assert_true(scalar_apply(op, &attr, in, out, src, &r, 1));
    return r;
}

static uint64_t cast(Rounding r, DType in, DType out, uint64_t x)
{
    return apply(OP_cast, r, in, out, x, 0, 0);
}

static uint64_t bits32(float f)
{
    uint32_t b;

    memcpy(&b, &f, 4);
    return b;
}

static uint64_t bits64(double d)
{
    uint64_t b;

    memcpy(&b, &d, 8);
    return b;
}

static float float_of(uint64_t b)
{
    float f;
    uint32_t b32 = (uint32_t)b;

    memcpy(&f, &b32, 4);
    return f;
}

static double double_of(uint64_t b)
{
    double d;

    memcpy(&d, &b, 8);
    return d;
}

/* --- references for floating point --- */

/* The value of a code, by the table of semantics R83. */
static Real decode(DType t, uint64_t code)
{
    int e = dtype_exponent_bits(t), m = dtype_mantissa_bits(t);
    uint64_t sign = code >> (e + m), field = code >> m & ((1u << e) - 1);
    uint64_t mantissa = code & (((uint64_t)1 << m) - 1);
    Real v;

    if (t == DT_FP8E4NV && (code & 0x7f) == 0x7f)
        return NAN;
    if ((t == DT_FP8E4B8 || t == DT_FP8E5B16) && code == 0x80)
        return NAN;
    if (field == (1u << e) - 1 && (!dtype_is_fp8(t) || t == DT_FP8E5))
        return mantissa ? NAN : sign ? -INFINITY : INFINITY;
    if (field == 0)
        v = ldexpl(mantissa, 1 - dtype_bias(t) - m);
    else
        v = ldexpl((Real)(mantissa + ((uint64_t)1 << m)), (int)field - dtype_bias(t) - m);
    return sign ? -v : v;
}

static uint64_t largest_code(DType t)
{
    switch (t) {
    case DT_FP16:
        return 0x7bff;
    case DT_BF16:
        return 0x7f7f;
    case DT_FP8E5:
        return 0x7b;
    case DT_FP8E4NV:
    case DT_FP8E4B15:
        return 0x7e;
    default:
        return 0x7f;
    }
}

/* The code of the largest number that is not above v >= 0, by bisection over the codes, which are
 * ordered like their values. */
static uint64_t code_below(DType t, Real v, uint64_t largest)
{
    uint64_t lo = 0, hi = largest;

    while (lo < hi) {
        uint64_t mid = (lo + hi + 1) / 2;
        if (decode(t, mid) <= v)
            lo = mid;
        else
            hi = mid - 1;
    }
    return lo;
}

/* The code that v rounds to under R82 and R84, for small formats except fp8e4b15. */
static uint64_t encode(DType t, Rounding r, Real v)
{
    int sign_shift = dtype_bits(t) - 1;
    uint64_t sign = signbit(v) ? (uint64_t)1 << sign_shift : 0;
    uint64_t largest = largest_code(t), code;
    bool fnuz = t == DT_FP8E4B8 || t == DT_FP8E5B16;
    Real a = fabsl(v), below, step;

    if (isinf(v))
        return dtype_is_fp8(t) ? sign | largest : sign | (largest + 1);
    code = code_below(t, a, largest);
    below = decode(t, code);
    step = below - (code ? decode(t, code - 1) : 0);
    if (code == 0)
        step = decode(t, 1);
    else if ((code & ((1u << dtype_mantissa_bits(t)) - 1)) == 0 &&
             code >> dtype_mantissa_bits(t) > 1)
        step *= 2; /* a power of two: the step grows above it */
    if (r == ROUND_NEAREST && (a - below > step / 2 || (a - below == step / 2 && code & 1)))
        code++;
    if (code > largest && dtype_is_fp8(t))
        code = largest;
    return fnuz && code == 0 ? 0 : sign | code;
}

/* R84's text for fp8e4b15, with the reference's own fp16 in between. */
static uint64_t encode_e4b15(Real v)
{
    uint64_t half = isnan(v) ? 0x7e00 : encode(DT_FP16, ROUND_TO_ZERO, v);
    uint64_t magnitude = MIN(half & 0x7fff, 0x3f00);

    return (half >> 15 << 7) | (magnitude + 64) / 128;
}

static void check_narrow(DType t, Rounding r, DType from, uint64_t bits)
{
    Real v = from == DT_FP64 ? (Real)double_of(bits) : (Real)float_of(bits);
    uint64_t got = cast(r, from, t, bits);

    if (t == DT_FP8E4B15)
        assert_int_equal(got, isnan(v) && signbit(v) ? 0xfe : encode_e4b15(v));
    else if (isnan(v))
        assert_true(isnan(decode(t, got)));
    else if (got != encode(t, r, v))
        fail_msg("%La to %s: %llx, not %llx", v, dtype_name(t), (unsigned long long)got,
                 (unsigned long long)encode(t, r, v));
}

/* --- conversions of floats --- */

static void test_widening_is_exact_for_every_code(void **state)
{
    (void)state;
    for (int f = 0; f < COUNT(small_floats); f++) {
        DType t = small_floats[f];
        for (uint64_t code = 0; code < (uint64_t)1 << dtype_bits(t); code++) {
            Real want = decode(t, code);
            float got = float_of(cast(ROUND_NEAREST, t, DT_FP32, code));
            double wide = double_of(cast(ROUND_NEAREST, t, DT_FP64, code));
            if (isnan(want)) {
                assert_true(isnan(got) && isnan(wide));
                continue;
            }
            assert_true(got == want && wide == want);
            assert_int_equal(signbit(got) != 0, signbit(want) != 0);
        }
    }
}

static void test_narrowing_gives_back_every_code(void **state)
{
    (void)state;
    for (int f = 0; f < COUNT(small_floats); f++) {
        DType t = small_floats[f];
        for (uint64_t code = 0; code < (uint64_t)1 << dtype_bits(t); code++) {
            Real v = decode(t, code);
            bool cut = t == DT_FP8E4B15 ? (code & 0x7f) == 0x7f : isinf(v) && dtype_is_fp8(t);
            for (int r = 0; r < 2 && !isnan(v) && !cut; r++) {
                assert_int_equal(cast(r, DT_FP32, t, bits32((float)v)), code);
                assert_int_equal(cast(r, DT_FP64, t, bits64((double)v)), code);
            }
        }
    }
}

/* Between neighbours: the middle, and the fp32s and fp64s closest to it, above, below, negative. */
static void test_narrowing_rounds_once_at_every_boundary(void **state)
{
    (void)state;
    for (int f = 0; f < COUNT(small_floats); f++) {
        DType t = small_floats[f];
        for (uint64_t code = 0; code < largest_code(t); code++) {
            double middle = (double)((decode(t, code) + decode(t, code + 1)) / 2);
            for (int way = -1; way <= 1; way++) {
                float near32 = way ? nextafterf((float)middle, way * INFINITY) : (float)middle;
                double near64 = way ? nextafter(middle, way * INFINITY) : middle;
                for (int r = 0; r < 2; r++) {
                    check_narrow(t, r, DT_FP32, bits32(near32));
                    check_narrow(t, r, DT_FP32, bits32(-near32));
                    check_narrow(t, r, DT_FP64, bits64(near64));
                    check_narrow(t, r, DT_FP64, bits64(-near64));
                }
            }
        }
    }
}

static void test_narrowing_of_extremes_and_random_bits(void **state)
{
    static const double extremes[] = {INFINITY,   65504,  65519.99, 65520,    65536,
                                      448,        464,    465,      480,      57344,
                                      61440,      61441,  240,      248,      249,
                                      1e-300,     1e300,  0.0,      -0.0,     3.4028234663852886e38,
                                      3.39e38,    3.4e38, 0x1p-149, 0x1p-133, 0x1p-134,
                                      0x1.8p-134, 1.75,   1.8,      1.9,      2.0,
                                      0x1p-1074};
    uint64_t seed = own_seed(1);

    (void)state;
    for (int f = 0; f < COUNT(small_floats); f++) {
        DType t = small_floats[f];
        for (int r = 0; r < 2; r++) {
            for (int i = 0; i < COUNT(extremes); i++) {
                check_narrow(t, r, DT_FP64, bits64(extremes[i]));
                check_narrow(t, r, DT_FP64, bits64(-extremes[i]));
                check_narrow(t, r, DT_FP32, bits32((float)extremes[i]));
                check_narrow(t, r, DT_FP32, bits32(-(float)extremes[i]));
            }
            check_narrow(t, r, DT_FP32, 0x7fc00000);
            check_narrow(t, r, DT_FP32, 0xff800001);
            check_narrow(t, r, DT_FP64, bits64(NAN));
            for (int i = 0; i < (thorough() ? 30000 : 10000); i++) {
                check_narrow(t, r, DT_FP32, random_bits(&seed) & UINT32_MAX);
                check_narrow(t, r, DT_FP64,
                             bits64(ldexp((double)random_bits(&seed),
                                          (int)(random_bits(&seed) % 80) - 110)));
            }
        }
    }
}

static void test_fp64_to_fp32(void **state)
{
    uint64_t seed = own_seed(2);

    (void)state;
    for (int i = 0; i < 100000; i++) {
        double d = double_of(random_bits(&seed));
        if (i & 1)
            d = ldexp((double)(int64_t)random_bits(&seed), (int)(random_bits(&seed) % 300) - 210);
        float nearest = float_of(cast(ROUND_NEAREST, DT_FP64, DT_FP32, bits64(d)));
        float cut = float_of(cast(ROUND_TO_ZERO, DT_FP64, DT_FP32, bits64(d)));
        if (isnan(d)) {
            assert_true(isnan(nearest) && isnan(cut));
            continue;
        }
        assert_true(nearest == (float)d);
        assert_true(fabs((double)cut) <= fabs(d));
        assert_true(isinf(d) ||
                    fabs((double)nextafterf(cut, d < 0 ? -INFINITY : INFINITY)) > fabs(d));
    }
    assert_true(isinf(float_of(cast(ROUND_TO_ZERO, DT_FP64, DT_FP32, bits64(-INFINITY)))));
    assert_int_equal(cast(ROUND_TO_ZERO, DT_FP64, DT_FP32, bits64(1e300)), 0x7f7fffff);
    assert_int_equal(cast(ROUND_TO_ZERO, DT_FP64, DT_FP32, bits64(-1e-300)), 0x80000000);
}

/* fp16 to bf16 and between fp8 formats goes by way of fp32. */
static void test_small_to_small(void **state)
{
    (void)state;
    for (int f = 0; f < COUNT(small_floats); f++) {
        for (int g = 0; g < COUNT(small_floats); g++) {
            DType in = small_floats[f], out = small_floats[g];
            for (uint64_t code = 0; f != g && code < (uint64_t)1 << dtype_bits(in); code += 3) {
                Real v = decode(in, code);
                uint64_t got = cast(ROUND_NEAREST, in, out, code);
                if (isnan(v) && out != DT_FP8E4B15)
                    assert_true(isnan(decode(out, got)));
                else if (!isnan(v))
                    assert_int_equal(got, out == DT_FP8E4B15 ? encode_e4b15(v)
                                                             : encode(out, ROUND_NEAREST, v));
            }
        }
    }
}

/* --- conversions with ints --- */

static Wide wide_of(DType t, uint64_t bits)
{
    int shift = 64 - dtype_bits(t);

    return dtype_is_signed(t) ? (Wide)((int64_t)(bits << shift) >> shift)
                              : (Wide)(bits << shift >> shift);
}

/* Small numbers, both ends of the range, and powers of two with their neighbours. */
static uint64_t interesting(DType t, uint64_t *seed)
{
    uint64_t r = random_bits(seed), bits;

    switch (r % 4) {
    case 0:
        bits = (r >> 8) % 8 - 4;
        break;
    case 1:
        bits = ((uint64_t)1 << (r >> 8) % 64) + (r >> 32) % 3 - 1;
        break;
    case 2:
        bits = ((uint64_t)1 << (dtype_bits(t) - 1)) + (r >> 8) % 3 - 1;
        break;
    default:
        bits = random_bits(seed) >> (r >> 8) % 64;
    }
    return scalar_truncate(t, dtype_bits(t) == 1 ? bits & 1 : bits);
}

static void test_ints_to_floats_round_once(void **state)
{
    uint64_t seed = own_seed(3);

    (void)state;
    for (int t = 0; t < COUNT(ints); t++) {
        for (int i = 0; i < (thorough() ? 30000 : 10000); i++) {
            uint64_t x = interesting(ints[t], &seed);
            Real v = (Real)wide_of(ints[t], x);
            assert_true(float_of(cast(0, ints[t], DT_FP32, x)) == (float)v);
            assert_true(double_of(cast(0, ints[t], DT_FP64, x)) == (double)v);
            assert_int_equal(cast(0, ints[t], DT_FP16, x), encode(DT_FP16, ROUND_NEAREST, v));
            assert_int_equal(cast(0, ints[t], DT_BF16, x), encode(DT_BF16, ROUND_NEAREST, v));
            assert_true(scalar_to_double(ints[t], x) == (double)v);
        }
    }
    /* half-way for bf16 but for one bit that fp64 cannot hold */
    assert_int_equal(cast(0, DT_I64, DT_BF16, 0x4040000000000001), 0x5e81);
    assert_int_equal(cast(0, DT_I64, DT_BF16, 0x4040000000000000), 0x5e80);
}

static uint64_t saturated(DType t, Real v)
{
    int bits = dtype_bits(t);
    Real past = ldexpl(1, dtype_is_signed(t) ? bits - 1 : bits);
    Real low = dtype_is_signed(t) ? -past : 0;

    if (t == DT_I1)
        return v != 0;
    if (isnan(v))
        return 0;
    v = truncl(v);
    Wide w = v >= past ? (((Wide)1 << (dtype_is_signed(t) ? bits - 1 : bits)) - 1)
             : v < low ? (Wide)low
                       : (Wide)v;
    return scalar_truncate(t, (uint64_t)w);
}

static void test_floats_to_ints_saturate(void **state)
{
    static const double edges[] = {0.0,
                                   -0.0,
                                   0.5,
                                   -0.5,
                                   0.999,
                                   1.5,
                                   -1.5,
                                   127,
                                   127.5,
                                   128,
                                   -128,
                                   -128.9,
                                   -129,
                                   255.9,
                                   256,
                                   32767.5,
                                   32768,
                                   -32769,
                                   65535.9,
                                   65536,
                                   2147483647,
                                   2147483647.5,
                                   2147483648.0,
                                   -2147483648.0,
                                   -2147483648.9,
                                   -2147483649.0,
                                   4294967295.0,
                                   4294967296.0,
                                   0x1p63,
                                   -0x1p63,
                                   0x1.fffffffffffffp62,
                                   -0x1.0000000000001p63,
                                   0x1p64,
                                   0x1.fffffffffffffp63,
                                   1e300,
                                   -1e300,
                                   INFINITY,
                                   -INFINITY,
                                   NAN};
    uint64_t seed = own_seed(4);

    (void)state;
    for (int t = 0; t < COUNT(ints); t++) {
        DType to = ints[t];
        for (int i = 0; i < COUNT(edges); i++) {
            float narrow = (float)edges[i];
            assert_int_equal(cast(0, DT_FP64, to, bits64(edges[i])), saturated(to, edges[i]));
            assert_int_equal(cast(0, DT_FP32, to, bits32(narrow)), saturated(to, narrow));
            assert_int_equal(scalar_from_double(to, edges[i]), saturated(to, edges[i]));
        }
        for (int i = 0; i < 10000; i++) {
            float f = float_of(random_bits(&seed));
            assert_int_equal(cast(0, DT_FP32, to, bits32(f)), saturated(to, f));
        }
        for (uint64_t code = 0; code < 65536; code += 5) {
            assert_int_equal(cast(0, DT_FP16, to, code), saturated(to, decode(DT_FP16, code)));
            assert_int_equal(cast(0, DT_BF16, to, code), saturated(to, decode(DT_BF16, code)));
        }
    }
    assert_int_equal(scalar_to_int(DT_FP32, bits32(-3.9f)), -3);
}

static void test_ints_to_ints(void **state)
{
    uint64_t seed = own_seed(5);

    (void)state;
    for (int s = 0; s < COUNT(ints); s++) {
        for (int t = 0; t < COUNT(ints); t++) {
            for (int i = 0; i < 500; i++) {
                uint64_t x = interesting(ints[s], &seed);
                uint64_t want = scalar_truncate(ints[t], (uint64_t)wide_of(ints[s], x));
                assert_int_equal(cast(0, ints[s], ints[t], x), want);
            }
        }
    }
    assert_int_equal(cast(0, DT_I32, DT_I1, 2), 1); /* R80: x != 0, not the low bit */
    assert_int_equal(cast(0, DT_FP32, DT_I1, bits32(NAN)), 1);
    assert_int_equal(scalar_to_int(DT_U32, 0xffffffff), 0xffffffff);
    assert_int_equal(scalar_to_int(DT_I8, 0xff), -1);
}

/* --- arithmetic on ints --- */

static Wide reference_int(OpCode op, DType t, Wide x, Wide y)
{
    int bits = dtype_bits(t);
    Wide ones = ((Wide)1 << bits) - 1, ux = x & ones, uy = y & ones;
    int count = 0;

    switch (op) {
    case OP_add:
        return x + y;
    case OP_sub:
        return x - y;
    case OP_mul:
        return (Wide)((unsigned __int128)x * (unsigned __int128)y);
    case OP_div:
        return y == 0 ? 0 : x / y;
    case OP_rem:
        return y == 0 ? 0 : x % y;
    case OP_mulhi:
        return (Wide)((unsigned __int128)ux * (unsigned __int128)uy >> bits);
    case OP_neg:
        return -x;
    case OP_abs:
        return x < 0 ? -x : x;
    case OP_and:
        return x & y;
    case OP_or:
        return x | y;
    case OP_xor:
        return x ^ y;
    case OP_not:
        return ~x;
    case OP_shl:
        return uy >= bits ? 0 : (Wide)((unsigned __int128)x << uy);
    case OP_shr:
        return uy >= bits ? (x < 0 ? -1 : 0) : x >> uy;
    case OP_min:
        return MIN(x, y);
    case OP_max:
        return MAX(x, y);
    case OP_eq:
        return x == y;
    case OP_ne:
        return x != y;
    case OP_lt:
        return x < y;
    case OP_le:
        return x <= y;
    case OP_gt:
        return x > y;
    case OP_ge:
        return x >= y;
    case OP_clz:
        while (count < bits && !(ux >> (bits - 1 - count) & 1))
            count++;
        return count;
    case OP_popc:
        for (int i = 0; i < bits; i++)
            count += (int)(ux >> i & 1);
        return count;
    default:
        fail_msg("no reference for %s", op_info(op)->name);
        return 0;
    }
}

static void test_int_ops_match_wide_arithmetic(void **state)
{
    static const OpCode ops[] = {OP_add, OP_sub, OP_mul, OP_div, OP_rem, OP_mulhi, OP_neg, OP_abs,
                                 OP_and, OP_or,  OP_xor, OP_not, OP_shl, OP_shr,   OP_min, OP_max,
                                 OP_eq,  OP_ne,  OP_lt,  OP_le,  OP_gt,  OP_ge,    OP_clz, OP_popc};
    uint64_t seed = own_seed(6);

    (void)state;
    for (int t = 0; t < COUNT(ints); t++) {
        for (int o = 0; o < COUNT(ops); o++) {
            bool compares = strcmp(op_info(ops[o])->result, "bool") == 0;
            DType out = compares ? DT_I1 : ints[t];
            for (int i = 0; i < 2000; i++) {
                uint64_t x = interesting(ints[t], &seed), y = interesting(ints[t], &seed);
                Wide r = reference_int(ops[o], ints[t], wide_of(ints[t], x), wide_of(ints[t], y));
                uint64_t want = (uint64_t)r;
                want = out == DT_I1 ? want & 1 : scalar_truncate(out, want);
                if (apply(ops[o], 0, ints[t], out, x, y, 0) != want)
                    fail_msg("%s %s of %llx, %llx: not %llx", op_info(ops[o])->name,
                             dtype_name(ints[t]), (unsigned long long)x, (unsigned long long)y,
                             (unsigned long long)want);
            }
        }
    }
}

static void test_int_division_corners(void **state)
{
    (void)state;
    assert_int_equal(apply(OP_div, 0, DT_I32, DT_I32, 0x80000000, 0xffffffff, 0), 0x80000000);
    assert_int_equal(apply(OP_rem, 0, DT_I32, DT_I32, 0x80000000, 0xffffffff, 0), 0);
    assert_int_equal(apply(OP_div, 0, DT_I64, DT_I64, (uint64_t)1 << 63, UINT64_MAX, 0),
                     (uint64_t)1 << 63);
    assert_int_equal(apply(OP_div, 0, DT_I8, DT_I8, 7, 0, 0), 0);
    assert_int_equal(apply(OP_rem, 0, DT_U64, DT_U64, 7, 0, 0), 0);
    assert_int_equal(apply(OP_div, 0, DT_I32, DT_I32, (uint32_t)-7, 2, 0), (uint32_t)-3);
    assert_int_equal(apply(OP_rem, 0, DT_I32, DT_I32, (uint32_t)-7, 2, 0), (uint32_t)-1);
}

/* --- arithmetic on floats --- */

static void test_small_arithmetic_rounds_once(void **state)
{
    static const OpCode ops[] = {OP_add, OP_sub, OP_mul, OP_div, OP_sqrt, OP_rem};
    static const DType types[] = {DT_FP16, DT_BF16, DT_FP8E4NV};
    uint64_t seed = own_seed(8);

    (void)state;
    for (int i = 0; i < (thorough() ? 60000 : 20000); i++) {
        DType t = types[i % 3];
        uint64_t x = random_bits(&seed) & (((uint64_t)1 << dtype_bits(t)) - 1);
        uint64_t y = random_bits(&seed) & (((uint64_t)1 << dtype_bits(t)) - 1);
        Real a = decode(t, x), b = decode(t, y);
        Real results[] = {a + b, a - b, a * b, a / b, sqrtl(a), fmodl(a, b)};
        for (int o = 0; o < COUNT(ops); o++) {
            uint64_t got = apply(ops[o], 0, t, t, x, y, 0);
            if (isnan(results[o]))
                assert_true(isnan(decode(t, got)));
            else
                assert_int_equal(got, encode(t, ROUND_NEAREST, results[o]));
        }
        assert_int_equal(apply(OP_lt, 0, t, DT_I1, x, y, 0), a < b);
        assert_int_equal(apply(OP_ne, 0, t, DT_I1, x, y, 0), a != b);
        assert_int_equal(apply(OP_isnan, 0, t, DT_I1, x, 0, 0), isnan(a) != 0);
        assert_int_equal(apply(OP_isinf, 0, t, DT_I1, x, 0, 0), isinf(a) != 0);
    }
}

static void test_sign_ops_touch_only_the_sign(void **state)
{
    (void)state;
    for (int f = 0; f < COUNT(small_floats); f++) {
        DType t = small_floats[f];
        uint64_t sign = (uint64_t)1 << (dtype_bits(t) - 1);
        bool fnuz = t == DT_FP8E4B8 || t == DT_FP8E5B16;
        for (uint64_t code = 0; code < 2 * sign; code++) {
            bool fixed = fnuz && (code == 0 || code == sign); /* 0 has no sign, nor has NaN */
            assert_int_equal(apply(OP_neg, 0, t, t, code, 0, 0), fixed ? code : code ^ sign);
            assert_int_equal(apply(OP_abs, 0, t, t, code, 0, 0), fixed ? code : code & ~sign);
            assert_int_equal(apply(OP_copysign, 0, t, t, code, sign | 1, 0),
                             fixed ? code : code | sign);
        }
    }
    assert_int_equal(apply(OP_neg, 0, DT_FP32, DT_FP32, 0, 0, 0), 0x80000000);
}

static void test_nan_in_min_max_and_compares(void **state)
{
    uint64_t nan = bits32(NAN), one = bits32(1), two = bits32(2);

    (void)state;
    assert_int_equal(apply(OP_min, 0, DT_FP32, DT_FP32, nan, one, 0), one);
    assert_int_equal(apply(OP_min, 0, DT_FP32, DT_FP32, one, nan, 0), one);
    assert_int_equal(apply(OP_max, 0, DT_FP32, DT_FP32, nan, one, 0), one);
    assert_int_equal(apply(OP_max, 0, DT_FP32, DT_FP32, one, nan, 0), one);
    assert_int_equal(apply(OP_max, 0, DT_FP32, DT_FP32, one, two, 0), two);
    assert_true(isnan(float_of(apply(OP_max, 0, DT_FP32, DT_FP32, nan, nan, 0))));
    for (int i = 0; i < 2; i++) {
        uint64_t x = i ? nan : one, y = i ? one : nan;
        assert_true(isnan(float_of(apply(OP_minnan, 0, DT_FP32, DT_FP32, x, y, 0))));
        assert_true(isnan(float_of(apply(OP_maxnan, 0, DT_FP32, DT_FP32, x, y, 0))));
        assert_int_equal(apply(OP_ne, 0, DT_FP32, DT_I1, x, y, 0), 1);
        assert_int_equal(apply(OP_eq, 0, DT_FP32, DT_I1, x, y, 0), 0);
        assert_int_equal(apply(OP_lt, 0, DT_FP32, DT_I1, x, y, 0), 0);
        assert_int_equal(apply(OP_le, 0, DT_FP32, DT_I1, x, y, 0), 0);
        assert_int_equal(apply(OP_gt, 0, DT_FP32, DT_I1, x, y, 0), 0);
        assert_int_equal(apply(OP_ge, 0, DT_FP32, DT_I1, x, y, 0), 0);
    }
    assert_int_equal(apply(OP_minnan, 0, DT_FP32, DT_FP32, one, two, 0), one);
    assert_int_equal(apply(OP_maxnan, 0, DT_FP32, DT_FP32, one, two, 0), two);
}

static void test_exact_functions(void **state)
{
    float eps = 0x1p-23f;
    double x = -2.5;

    (void)state;
    /* (1 + e)^2 - (1 + 2e) = e^2 only with one rounding */
    assert_true(float_of(apply(OP_fma, 0, DT_FP32, DT_FP32, bits32(1 + eps), bits32(1 + eps),
                               bits32(-1 - 2 * eps))) == eps * eps);
    assert_true(double_of(apply(OP_rint, 0, DT_FP64, DT_FP64, bits64(x), 0, 0)) == -2);
    assert_true(double_of(apply(OP_round, 0, DT_FP64, DT_FP64, bits64(x), 0, 0)) == -3);
    assert_true(double_of(apply(OP_floor, 0, DT_FP64, DT_FP64, bits64(x), 0, 0)) == -3);
    assert_true(double_of(apply(OP_ceil, 0, DT_FP64, DT_FP64, bits64(x), 0, 0)) == -2);
    assert_true(double_of(apply(OP_trunc, 0, DT_FP64, DT_FP64, bits64(x), 0, 0)) == -2);
    assert_true(float_of(apply(OP_ldexp, 0, DT_FP32, DT_FP32, bits32(3), (uint32_t)-150, 0)) ==
                ldexpf(3, -150));
    assert_true(double_of(apply(OP_ldexp, 0, DT_FP64, DT_FP64, bits64(3), 40, 0)) == ldexp(3, 40));
    assert_int_equal(apply(OP_ldexp, 0, DT_FP16, DT_FP16, 0x3c00, (uint32_t)-24, 0), 1);
    assert_int_equal(apply(OP_rem, 0, DT_FP32, DT_FP32, bits32(-7.5f), bits32(2), 0),
                     bits32(-1.5f));
    assert_true(isnan(float_of(apply(OP_sqrt, 0, DT_FP32, DT_FP32, bits32(-1), 0, 0))));
}

typedef struct {
    OpCode op;
    Real (*reference)(Real);
} Function;

static Real exp10_reference(Real x)
{
    return powl(10, x);
}
static Real rsqrt_reference(Real x)
{
    return 1 / sqrtl(x);
}

static void test_approximated_functions_are_close(void **state)
{
    static const Function functions[] = {
        {OP_rsqrt, rsqrt_reference},
        {OP_exp, expl},
        {OP_exp2, exp2l},
        {OP_exp10, exp10_reference},
        {OP_expm1, expm1l},
        {OP_log, logl},
        {OP_log2, log2l},
        {OP_log10, log10l},
        {OP_log1p, log1pl},
        {OP_sin, sinl},
        {OP_cos, cosl},
        {OP_tan, tanl},
        {OP_asin, asinl},
        {OP_acos, acosl},
        {OP_atan, atanl},
        {OP_sinh, sinhl},
        {OP_cosh, coshl},
        {OP_tanh, tanhl},
        {OP_asinh, asinhl},
        {OP_acosh, acoshl},
        {OP_atanh, atanhl},
        {OP_erf, erfl},
        {OP_erfc, erfcl},
        {OP_cbrt, cbrtl},
    };
    static const float points[] = {0,     1,      -1,    0.5f, -0.25f,   1e-6f,    3.7f,
                                   12.5f, 1e-40f, 1e30f, -50,  INFINITY, -INFINITY};

    (void)state;
    for (int f = 0; f < COUNT(functions); f++) {
        for (int i = 0; i < COUNT(points); i++) {
            float want = (float)functions[f].reference(points[i]);
            float got =
                float_of(apply(functions[f].op, 0, DT_FP32, DT_FP32, bits32(points[i]), 0, 0));
            double got64 =
                double_of(apply(functions[f].op, 0, DT_FP64, DT_FP64, bits64(points[i]), 0, 0));
            Real want64 = functions[f].reference(points[i]);
            assert_true(isnan(want) ? isnan(got) : got == want);
            if (isnan(want))
                assert_true(isnan(got64));
            else if (isinf((double)want64))
                assert_true(got64 == (double)want64);
            else
                assert_true(fabsl(got64 - want64) <= 4 * 0x1p-53 * fabsl(want64) + 0x1p-1074);
        }
    }
    assert_true(float_of(apply(OP_pow, 0, DT_FP32, DT_FP32, bits32(2), bits32(0.5f), 0)) ==
                (float)powl(2, 0.5));
    assert_true(float_of(apply(OP_atan2, 0, DT_FP32, DT_FP32, bits32(-1), bits32(-0.0f), 0)) ==
                (float)atan2l(-1, -0.0));
    assert_true(float_of(apply(OP_hypot, 0, DT_FP32, DT_FP32, bits32(3e30f), bits32(4e30f), 0)) ==
                (float)hypotl(3e30f, 4e30f));
}

/* --- arrays --- */

/* Whole arrays give what their elements give, at every length around the block size, in place. */
static void test_arrays_equal_elements(void **state)
{
    static const DType types[] = {DT_FP16, DT_FP32, DT_I16, DT_I64, DT_FP8E5};
    enum { LONGEST = 1000 };
    uint64_t x[LONGEST], y[LONGEST], seed = own_seed(9);

    (void)state;
    for (int t = 0; t < COUNT(types); t++) {
        size_t size = (size_t)dtype_size(types[t]);
        for (size_t n = 0; n <= LONGEST; n += n < 255 ? 51 : 1 + (n > 258) * 245) {
            for (size_t i = 0; i < n; i++) {
                uint64_t a = random_bits(&seed), b = random_bits(&seed);
                memcpy((char *)x + i * size, &a, size);
                memcpy((char *)y + i * size, &b, size);
            }
            uint64_t want[LONGEST];
            uint8_t less[LONGEST];
            const void *src[] = {x, y};
            for (size_t i = 0; i < n; i++) {
                uint64_t a = 0, b = 0, r;
                memcpy(&a, (char *)x + i * size, size);
                memcpy(&b, (char *)y + i * size, size);
                r = apply(OP_max, 0, types[t], types[t], a, b, 0);
                memcpy((char *)want + i * size, &r, size);
                less[i] = (uint8_t)apply(OP_lt, 0, types[t], DT_I1, a, b, 0);
            }
            uint8_t flags[LONGEST];
            assert_true(scalar_apply(OP_lt, NULL, types[t], DT_I1, src, flags, n));
            assert_memory_equal(flags, less, n);
            assert_true(scalar_apply(OP_max, NULL, types[t], types[t], src, x, n));
            assert_memory_equal(x, want, n * size);
        }
    }
}

static void test_select_and_bitcast(void **state)
{
    static const DType types[] = {DT_I1, DT_U8, DT_BF16, DT_FP32, DT_FP64};

    (void)state;
    for (int i = 0; i < COUNT(types); i++) {
        uint8_t c[3] = {1, 0, 1};
        uint64_t x[3], y[3], r[3];
        size_t size = (size_t)dtype_size(types[i]);
        const void *src[] = {c, x, y};
        memset(x, 1, sizeof x);
        memset(y, 0, sizeof y);
        assert_true(scalar_apply(OP_select, NULL, types[i], types[i], src, r, 3));
        assert_memory_equal(r, x, size);
        assert_memory_equal((char *)r + size, y, size);
        assert_memory_equal((char *)r + 2 * size, x, size);
    }
    assert_int_equal(apply(OP_bitcast, 0, DT_FP32, DT_I32, bits32(1), 0, 0), 0x3f800000);
    assert_int_equal(apply(OP_bitcast, 0, DT_I16, DT_FP16, 0xfc01, 0, 0), 0xfc01);
}

/* Each op has a meaning on every dtype that its row in ops.h allows, and on no other. */
static void test_meanings_follow_the_table(void **state)
{
    (void)state;
    for (int op = 0; op < OP_COUNT; op++) {
        const char *operands = op_info(op)->operands;
        if (!(op_info(op)->flags & FOLDS) || op == OP_cast || op == OP_bitcast || op == OP_select)
            continue;
        for (int t = 0; t < DT_COUNT; t++) {
            bool allowed = true;
            if (strncmp(operands, "int", 3) == 0)
                allowed = dtype_is_int(t);
            else if (strncmp(operands, "float", 5) == 0)
                allowed = dtype_is_float(t);
            if (op_info(op)->flags & TOWARD)
                allowed = t == DT_FP32 || t == DT_FP64;
            uint64_t x = 1, y = 1, z = 1, r = 0;
            const void *src[] = {&x, &y, &z};
            const int64_t attrs[8] = {0};
            assert_int_equal(scalar_apply(op, attrs, t, t, src, &r, 1), allowed);
        }
    }
}

static void test_constants_from_doubles(void **state)
{
    (void)state;
    assert_int_equal(scalar_from_double(DT_FP16, 1.5), 0x3e00);
    assert_int_equal(scalar_from_double(DT_BF16, 1e-7), 0x33d7); /* R46: rounded properly */
    assert_int_equal(scalar_from_double(DT_FP32, 0.1), 0x3dcccccd);
    assert_int_equal(scalar_from_double(DT_FP64, -2), 0xc000000000000000);
    assert_int_equal(scalar_from_double(DT_I8, 300), 127);
    assert_int_equal(scalar_truncate(DT_I1, 2), 1);
    assert_int_equal(scalar_truncate(DT_I8, 0x1ff), 0xff);
    assert_int_equal(scalar_truncate(DT_U64, UINT64_MAX), UINT64_MAX);
    assert_true(scalar_to_double(DT_I8, 0xff) == -1);
    assert_true(scalar_to_double(DT_FP8E4NV, 0x7e) == 448);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_widening_is_exact_for_every_code),
        cmocka_unit_test(test_narrowing_gives_back_every_code),
        cmocka_unit_test(test_narrowing_rounds_once_at_every_boundary),
        cmocka_unit_test(test_narrowing_of_extremes_and_random_bits),
        cmocka_unit_test(test_fp64_to_fp32),
        cmocka_unit_test(test_small_to_small),
        cmocka_unit_test(test_ints_to_floats_round_once),
        cmocka_unit_test(test_floats_to_ints_saturate),
        cmocka_unit_test(test_ints_to_ints),
        cmocka_unit_test(test_int_ops_match_wide_arithmetic),
        cmocka_unit_test(test_int_division_corners),
        cmocka_unit_test(test_small_arithmetic_rounds_once),
        cmocka_unit_test(test_sign_ops_touch_only_the_sign),
        cmocka_unit_test(test_nan_in_min_max_and_compares),
        cmocka_unit_test(test_exact_functions),
        cmocka_unit_test(test_approximated_functions_are_close),
        cmocka_unit_test(test_arrays_equal_elements),
        cmocka_unit_test(test_select_and_bitcast),
        cmocka_unit_test(test_meanings_follow_the_table),
        cmocka_unit_test(test_constants_from_doubles),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
