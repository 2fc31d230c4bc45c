/*
 * micro.h - micro-kernels: one instruction each, fed with fixed random bits
 *
 * The same list makes three tests.  test_sim_micro.c runs each of them in the simulator and
 * compares with the C beside it; gpu_answers.c runs them on a GPU and writes what that gives; and
 * test_sim_micro.c compares the simulator with those answers, which are kept in gpu_answers.txt.
 *
 * A row has a name, the PTX, the letters of its results and of its inputs, how many units in the
 * last place a GPU's results may be away, and the results as C: d[0] and so on from the inputs x,
 * y, z, or a[k].  PTX without operands gets them, d0 first.  Rows without C have NONE there: warps
 * work together in them, and micro_warp.h computes them.
 *
 *   w i l  integers of 16, 32, 64 bits   s  a small one of 32 bits   c  a float of 32 bits that an
 *   F D    f32, f64                      H B  f16, bf16                 integer of 32 bits may hold
 *   X Y    f16x2, bf16x2                 E  two of fp8                m  a moderate f32
 *   x y    moderate f16x2, bf16x2        e  four moderate fp8         n  a moderate f64
 */
#ifndef TILEC_TEST_MICRO_H
#define TILEC_TEST_MICRO_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { MICRO_THREADS = 128, MICRO_MOST = 16, MICRO_TEXT = 4096 };

typedef void MicroFormula(const uint64_t *a, uint64_t *d);
typedef struct {
    const char *name, *text, *results, *inputs;
    int ulps;
    MicroFormula *formula; /* NULL: none */
} Micro;

static inline int micro_bits(char letter)
{
    return strchr("wHBE", letter) ? 16 : strchr("lDn", letter) ? 64 : 32;
}

/* One instruction as a kernel "micro" of two parameters, where inputs and results lie: 8 bytes for
 * each thread, one array of them behind the other. */
static inline void micro_kernel(const Micro *m, char *text, size_t size)
{
    int inputs = (int)strlen(m->inputs), results = (int)strlen(m->results), n = 0;
    bool plain = !strchr(m->text, '%');

#define PUT(...) n += snprintf(text + n, size - (size_t)n, __VA_ARGS__)
    PUT(".version 8.6\n.target sm_90a\n.address_size 64\n"
        ".visible .entry micro(.param .u64 p0, .param .u64 p1)\n{\n"
        "\t.shared .align 16 .b8 sm[8192];\n\t.reg .b32 %%t;\n\t.reg .b32 %%u<4>;\n"
        "\t.reg .pred %%p<4>;\n\t.reg .b64 %%in, %%out, %%at;\n");
    for (int i = 0; i < inputs; i++)
        PUT("\t.reg .b%d %%a%d;\n", micro_bits(m->inputs[i]), i);
    for (int i = 0; i < results; i++)
        PUT("\t.reg .b%d %%d%d;\n", micro_bits(m->results[i]), i);
    PUT("\tld.param.b64 %%in, [p0];\n\tld.param.b64 %%out, [p1];\n\tmov.u32 %%t, %%tid.x;\n"
        "\tmul.wide.u32 %%at, %%t, 8;\n\tadd.s64 %%in, %%in, %%at;\n\tadd.s64 %%out, %%out, "
        "%%at;\n");
    for (int i = 0; i < inputs; i++)
        PUT("\tld.global.b%d %%a%d, [%%in+%d];\n", micro_bits(m->inputs[i]), i,
            8 * MICRO_THREADS * i);
    PUT("\t%s", m->text);
    if (plain) {
        for (int i = 0; i < results; i++)
            PUT("%s %%d%d", i ? "," : "", i);
        for (int i = 0; i < inputs; i++)
            PUT(", %%a%d", i);
        PUT(";");
    }
    PUT("\n");
    for (int i = 0; i < results; i++)
        PUT("\tst.global.b%d [%%out+%d], %%d%d;\n", micro_bits(m->results[i]),
            8 * MICRO_THREADS * i, i);
    PUT("\tret;\n}\n");
#undef PUT
}

/* A generator that gives the same everywhere. */
static inline uint64_t micro_random(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

/* One of the values that go wrong first: ends of ranges, zeros, denormals, infinities, NaN. */
static inline uint64_t micro_edge(char letter, uint64_t r)
{
    static const uint32_t f32[] = {0,          0x80000000, 1,          0x807fffff,
                                   0x00800000, 0x7f7fffff, 0x7f800000, 0xff800000,
                                   0x7fc00000, 0x3f800000, 0xbf800000, 0x3f000000,
                                   0x4b000001, 0x33800000, 0x7f800001, 0x4effffff};
    static const uint16_t f16[] = {0,      0x8000, 1,      0x83ff, 0x0400, 0x7bff, 0x7c00, 0xfc00,
                                   0x7e00, 0x3c00, 0xbc00, 0x3800, 0x6401, 0x1000, 0x7c01, 0x77ff};
    static const uint64_t ints[] = {0,
                                    1,
                                    UINT64_MAX,
                                    2,
                                    UINT64_C(1) << 31,
                                    INT32_MAX,
                                    UINT64_C(1) << 63,
                                    INT64_MAX,
                                    0x8000,
                                    0x7fff,
                                    0xff,
                                    0x80,
                                    0xffffffff,
                                    31,
                                    32,
                                    33};
    uint64_t bits = f32[r % 16];

    switch (letter) {
    case 'F':
    case 'c':
    case 'm':
        return bits;
    case 'D': /* the same in 64 bits: wider exponents come from random bits */
        bits = (bits & 0x7f800000) == 0x7f800000
                   ? UINT64_C(0x7ff0000000000000) | (bits & 0x7fffff) << 29
               : (bits & 0x7fffffff) == 0 ? 0
                                          : ((bits & 0x7fffffff) << 29) + (UINT64_C(896) << 52);
        return bits | (uint64_t)(f32[r % 16] >> 31) << 63;
    case 'H':
        return f16[r % 16];
    case 'B':
        return f32[r % 16] >> 16;
    case 'X':
        return f16[r % 16] | (uint64_t)f16[r / 16 % 16] << 16;
    case 'Y':
        return f32[r % 16] >> 16 | (uint64_t)(f32[r / 16 % 16] & 0xffff0000);
    case 's':
        return ints[r % 16] & 63;
    default:
        return ints[r % 16];
    }
}

/* A number whose exponent lies near 0: sums and products of such are not all the same. */
static inline uint64_t micro_near(char letter, uint64_t r)
{
    uint64_t low = r >> 8;

    switch (letter) {
    case 'F':
    case 'm':
        return (low & 0x807fffff) | (127 - 6 + r % 13) << 23;
    case 'c':
        return (low & 0x807fffff) | (127 + r % 34) << 23;
    case 'e':
        return low & 0xb7b7b7b7;
    case 'n':
    case 'D':
        return (low << 8 & UINT64_C(0x800fffffffffffff)) | (1023 - 9 + r % 19) << 52;
    case 'H':
        return (low & 0x83ff) | (15 - 3 + r % 7) << 10;
    case 'B':
        return (low & 0x807f) | (127 - 4 + r % 9) << 7;
    case 'x':
    case 'X':
        return micro_near('H', r) | micro_near('H', low >> 17) << 16;
    case 'y':
    case 'Y':
        return micro_near('B', r) | micro_near('B', low >> 17) << 16;
    case 's':
        return r % 71;
    default:
        return r;
    }
}

/* Input k of a thread: edges against edges first, then numbers near each other, then any bits. */
static inline uint64_t micro_input(const Micro *m, int k, int thread)
{
    uint64_t seed = 0, r, value;
    char letter = m->inputs[k];

    for (const char *s = m->name; *s; s++)
        seed = seed * 131 + (unsigned char)*s;
    seed += (uint64_t)(k * MICRO_THREADS + thread) * 977;
    r = micro_random(&seed);
    if (strchr("mxyen", letter) || (thread >= 48 && thread < 104))
        value = micro_near(letter, r);
    else if (thread < 48)
        value = micro_edge(letter, k == 0 ? (uint64_t)thread : r);
    else
        value = letter == 's' ? r % 71 : r;
    return micro_bits(letter) == 64 ? value : value & ((UINT64_C(1) << micro_bits(letter)) - 1);
}

/* A result as it is compared: the bits of a NaN of f64 are promised by nobody. */
static inline uint64_t micro_result(char letter, uint64_t bits)
{
    bool is_nan = letter == 'D' && (bits & INT64_MAX) > UINT64_C(0x7ff0000000000000);

    return is_nan ? UINT64_C(0x7ff8000000000000) : bits;
}

/* What a GPU's answer to a row is compared by where it must be exact. */
static inline uint64_t micro_hash(const Micro *m, const uint64_t *out)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);

    for (int i = 0; i < MICRO_THREADS * (int)strlen(m->results); i++) {
        char letter = m->results[i / MICRO_THREADS];
        uint64_t value = micro_result(letter, out[i]);

        for (int shift = 0; shift < micro_bits(letter); shift += 8)
            hash = (hash ^ (value >> shift & 0xff)) * UINT64_C(0x100000001b3);
    }
    return hash;
}

#endif
