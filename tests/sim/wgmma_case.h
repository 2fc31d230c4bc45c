/*
 * wgmma_case.h - products by wgmma, as PTX, with inputs and the results that they must have
 *
 * A case is a kernel of one group of four warps: it copies an image to shared memory, takes its
 * registers from global memory, multiplies by some wgmma.mma_async one after the other along k, and
 * stores the registers.  test_sim_wgmma.c runs them in the simulator, gpu_wgmma.c on a GPU.
 *
 * Inputs are whole numbers so small that all sums are exact in any order, so results must be those
 * of plain loops bit by bit, but for cases that are rough.  Where operands lie in shared memory is
 * said here by formulas of their own, from the layouts that CUTLASS calls canonical.
 */
#ifndef TILEC_TEST_WGMMA_CASE_H
#define TILEC_TEST_WGMMA_CASE_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    WGMMA_ROWS = 64,
    WGMMA_COLUMNS = 256,
    WGMMA_STEPS = 4,
    WGMMA_K = 32 * WGMMA_STEPS,
    WGMMA_THREADS = 128,
    WGMMA_IMAGE = 48 << 10,
    WGMMA_TEXT = 64 << 10
};
typedef enum { IN_REGISTERS = -1, SWIZZLE_NONE, SWIZZLE_128, SWIZZLE_64, SWIZZLE_32 } WgmmaPlace;

typedef struct {
    const char *d, *a, *b; /* types */
    int columns, steps;
    WgmmaPlace a_place, b_place;
    bool a_across, b_across; /* elements of a column lie side by side */
    bool adds;               /* to what the registers have */
    bool a_negative, b_negative;
    bool saturates; /* .satfinite */
    bool apart;     /* parts of the operands lie in another order, or with gaps between */
    bool rough;     /* inputs have all bits that they may have, so that sums are rounded */
    bool flight;    /* each instruction is a group of its own, waited for later */
    int shift;      /* patterns begin so many rows of 128 bytes behind a multiple of 1024 */
} WgmmaCase;

typedef struct {
    double a[WGMMA_ROWS][WGMMA_K], b[WGMMA_K][WGMMA_COLUMNS], c[WGMMA_ROWS][WGMMA_COLUMNS];
    uint8_t image[WGMMA_IMAGE];                        /* of shared memory */
    uint32_t left[WGMMA_STEPS * 4][WGMMA_THREADS];     /* registers of A, */
    uint32_t before[WGMMA_COLUMNS / 2][WGMMA_THREADS]; /* of the addend, */
    uint32_t after[WGMMA_COLUMNS / 2][WGMMA_THREADS];  /* and of the result */
    char text[WGMMA_TEXT];
} WgmmaData;

/* --- types --- */

static inline int wgmma_bytes(const char *type)
{
    if (type[0] == 'e' || strchr(type, '8'))
        return 1;
    return strstr(type, "32") ? 4 : 2;
}

/* A number in such a format of so many exponent and mantissa bits, rounded. */
static inline uint32_t wgmma_small(double x, int exponent, int mantissa)
{
    int e, bias = (1 << (exponent - 1)) - 1;
    uint32_t sign = (uint32_t)(x < 0) << (exponent + mantissa);

    if (x == 0)
        return 0;
    frexp(x, &e); /* at least a half times 2^e */
    e = e + bias > 2 ? e + bias - 2 : 0;
    return sign + ((uint32_t)e << mantissa) +
           (uint32_t)rint(ldexp(fabs(x), mantissa + bias - 1 - e));
}

static inline int wgmma_mantissa(const char *type) /* -1: whole numbers */
{
    return strcmp(type, "f32") == 0                                ? 23
           : strcmp(type, "f16") == 0 || strcmp(type, "tf32") == 0 ? 10
           : strcmp(type, "bf16") == 0                             ? 7
           : strcmp(type, "e4m3") == 0                             ? 3
           : strcmp(type, "e5m2") == 0                             ? 2
                                                                   : -1;
}

static inline uint32_t wgmma_encode(const char *type, double x)
{
    int mantissa = wgmma_mantissa(type);
    int exponent = strcmp(type, "f16") == 0 || strcmp(type, "e5m2") == 0 ? 5
                   : strcmp(type, "e4m3") == 0                           ? 4
                                                                         : 8;

    if (mantissa < 0)
        return (uint32_t)(int64_t)x & (wgmma_bytes(type) == 1 ? 0xff : UINT32_MAX);
    if (strcmp(type, "tf32") == 0)
        mantissa = 23;
    return wgmma_small(x, exponent, mantissa);
}

/* A result of that type as a number. */
static inline double wgmma_decode(const char *type, uint32_t bits)
{
    float f;

    if (type[0] == 's')
        return (int32_t)bits;
    if (strcmp(type, "f16") == 0) {
        int e = (int)(bits >> 10 & 31);
        double size = ldexp((double)(bits & 1023) + (e > 0 ? 1024 : 0), (e > 0 ? e : 1) - 25);

        return bits & 0x8000 ? -size : size;
    }
    memcpy(&f, &bits, sizeof f);
    return f;
}

static inline int wgmma_k(const WgmmaCase *c) /* of one instruction */
{
    return 32 / wgmma_bytes(c->a);
}

/* --- where operands lie in shared memory --- */

typedef struct {
    WgmmaPlace place;
    bool across;
    int width;                 /* bytes of a row of the pattern */
    int bytes;                 /* of an element */
    int leading, stride, tile; /* offsets; `tile`: of parts along k that are wider than a row */
    int first, size;           /* of the image */
    int shift;
} WgmmaOperand;

/* Without swizzling. */
static inline int wgmma_plain_place(const WgmmaOperand *o, int line, int k)
{
    int at = o->across ? line * o->bytes : k * o->bytes; /* along what lies side by side */
    int other = o->across ? k : line;
    int in_row = other % 8 * o->width + at % o->width, part = at / o->width;

    if (o->place == SWIZZLE_NONE && o->across)
        return in_row + part * o->stride + other / 8 * o->leading;
    if (o->place == SWIZZLE_NONE)
        return in_row + part * o->leading + other / 8 * o->stride;
    if (o->across)
        return in_row + part * o->leading + other / 8 * o->stride;
    return in_row + part * o->tile + other / 8 * o->stride;
}

/* In the image; a pattern begins where the operand does. */
static inline int wgmma_place(const WgmmaOperand *o, int line, int k)
{
    int at = wgmma_plain_place(o, line, k);

    return o->first + (at ^ (at / 128 & (o->width / 16 - 1)) << 4);
}

static inline uint64_t wgmma_descriptor(const WgmmaOperand *o, int k)
{
    uint64_t start = (uint64_t)(o->first + wgmma_plain_place(o, 0, k)) >> 4;

    return start | (uint64_t)(o->leading >> 4) << 16 | (uint64_t)(o->stride >> 4) << 32 |
           (uint64_t)o->shift << 49 | (uint64_t)o->place << 62;
}

static inline WgmmaOperand wgmma_operand(const WgmmaCase *c, bool is_b, bool apart, int first)
{
    static const int widths[] = {16, 128, 64, 32};
    WgmmaPlace place = is_b ? c->b_place : c->a_place;
    WgmmaOperand o = {.place = place,
                      .across = is_b ? c->b_across : c->a_across,
                      .width = widths[place],
                      .bytes = wgmma_bytes(is_b ? c->b : c->a),
                      .first = first + (place == SWIZZLE_NONE ? 0 : 128 * c->shift),
                      .shift = place == SWIZZLE_NONE ? 0 : c->shift};
    int lines = is_b ? c->columns : WGMMA_ROWS, k = c->steps * wgmma_k(c), core = 8 * o.width;
    int parts = ((o.across ? lines : k) * o.bytes + o.width - 1) / o.width;
    int eights = (o.across ? k : lines) / 8;

    if (place == SWIZZLE_NONE && o.across) {
        o.stride = apart ? core : core * eights;
        o.leading = apart ? core * parts : core;
    } else if (place == SWIZZLE_NONE) {
        o.stride = apart ? core * parts : core;
        o.leading = apart ? core : core * eights;
    } else if (o.across) {
        o.stride = apart ? core * parts : core;
        o.leading = apart ? core : core * eights;
    } else {
        o.stride = apart ? 2 * core : core;
        o.leading = apart ? 0 : 16; /* not used */
        o.tile = eights * o.stride;
        core = o.stride;
    }
    o.size = core * parts * eights;
    return o;
}

/* --- inputs and results --- */

static inline uint32_t wgmma_random(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*state >> 33);
}

static inline double wgmma_number(const WgmmaCase *c, const char *type, uint64_t *state)
{
    int bits = wgmma_mantissa(type), x = (int)(wgmma_random(state) % 8);

    if (!c->rough)
        return type[0] == 'u' ? x : x - 4;
    if (bits < 0) /* any */
        return (int)(wgmma_random(state) % 256) - (type[0] == 'u' ? 0 : 128);
    double significand = 1 + ldexp(wgmma_random(state) % (UINT32_C(1) << bits), -bits);
    return ldexp(wgmma_random(state) % 2 ? significand : -significand, -x % 7);
}

/* Of a sum of integers, one that it may leave the integers from. */
static inline double wgmma_addend(const WgmmaCase *c, uint64_t *state)
{
    int x = (int)(wgmma_random(state) % 200) - 100;

    if (!c->rough || c->d[0] != 's')
        return x;
    return wgmma_random(state) % 2 ? INT32_MAX - abs(x) : INT32_MIN + abs(x);
}

static inline void wgmma_inputs(const WgmmaCase *c, WgmmaData *data, uint64_t seed)
{
    for (int i = 0; i < WGMMA_ROWS; i++) {
        for (int k = 0; k < WGMMA_K; k++)
            data->a[i][k] = wgmma_number(c, c->a, &seed);
        for (int j = 0; j < WGMMA_COLUMNS; j++)
            data->c[i][j] = wgmma_addend(c, &seed);
    }
    for (int k = 0; k < WGMMA_K; k++) {
        for (int j = 0; j < WGMMA_COLUMNS; j++)
            data->b[k][j] = wgmma_number(c, c->b, &seed);
    }
    for (int i = 0; i < WGMMA_IMAGE; i++) /* what is not an operand must not matter */
        data->image[i] = (uint8_t)wgmma_random(&seed);
}

static inline void wgmma_fill(const WgmmaCase *c, WgmmaData *data, const WgmmaOperand *o, bool is_b)
{
    int lines = is_b ? c->columns : WGMMA_ROWS;

    for (int line = 0; line < lines; line++) {
        for (int k = 0; k < c->steps * wgmma_k(c); k++) {
            uint32_t bits =
                is_b ? wgmma_encode(c->b, data->b[k][line]) : wgmma_encode(c->a, data->a[line][k]);

            memcpy(data->image + wgmma_place(o, line, k), &bits, (size_t)o->bytes);
        }
    }
}

/* Registers of A: as for mma.sync, 16 rows for each warp. */
static inline void wgmma_fill_left(const WgmmaCase *c, WgmmaData *data)
{
    int bytes = wgmma_bytes(c->a), per = 4 / bytes;

    for (int r = 0; r < c->steps * 4; r++) {
        for (int t = 0; t < WGMMA_THREADS; t++) {
            int row = t / 32 * 16 + t % 32 / 4 + r % 2 * 8;
            int k = r / 4 * wgmma_k(c) + r % 4 / 2 * 4 * per + t % 4 * per;

            data->left[r][t] = 0;
            for (int e = 0; e < per; e++)
                data->left[r][t] |= wgmma_encode(c->a, data->a[row][k + e]) << (8 * bytes * e);
        }
    }
}

static inline int wgmma_results(const WgmmaCase *c)
{
    return strcmp(c->d, "f16") == 0 ? c->columns / 4 : c->columns / 2;
}

/* What a register of the addend or the result has, of a matrix. */
static inline uint32_t wgmma_result(const WgmmaCase *c, double m[WGMMA_ROWS][WGMMA_COLUMNS], int r,
                                    int t)
{
    int row = t / 32 * 16 + t % 32 / 4, column = t % 4 * 2;

    if (strcmp(c->d, "f16") == 0) {
        row += r % 2 * 8;
        column += r / 2 * 8;
        return wgmma_encode("f16", m[row][column]) | wgmma_encode("f16", m[row][column + 1]) << 16;
    }
    return wgmma_encode(c->d, m[row + r % 4 / 2 * 8][column + r / 4 * 8 + r % 2]);
}

/* What one instruction makes of an addend and a sum. */
static inline double wgmma_add(const WgmmaCase *c, double addend, double sum)
{
    double all = addend + sum;

    if (c->d[0] != 's')
        return wgmma_decode(c->d, wgmma_encode(c->d, all));
    if (c->saturates)
        return all > INT32_MAX ? INT32_MAX : all < INT32_MIN ? INT32_MIN : all;
    return (int32_t)(uint32_t)(int64_t)all;
}

static inline void wgmma_multiply_plainly(const WgmmaCase *c, WgmmaData *data)
{
    static double d[WGMMA_ROWS][WGMMA_COLUMNS];
    double sign = c->a_negative != c->b_negative ? -1 : 1;

    for (int i = 0; i < WGMMA_ROWS; i++) {
        for (int j = 0; j < c->columns; j++) {
            d[i][j] = c->adds ? data->c[i][j] : 0;
            for (int first = 0; first < c->steps * wgmma_k(c); first += wgmma_k(c)) {
                double sum = 0;

                for (int k = first; k < first + wgmma_k(c); k++)
                    sum += data->a[i][k] * data->b[k][j];
                d[i][j] = wgmma_add(c, d[i][j], sign * sum);
            }
        }
    }
    for (int r = 0; r < wgmma_results(c); r++) {
        for (int t = 0; t < WGMMA_THREADS; t++) {
            data->before[r][t] = wgmma_result(c, data->c, r, t);
            data->after[r][t] = wgmma_result(c, d, r, t);
        }
    }
}

/* --- the kernel --- */

typedef struct {
    char *text;
    size_t len;
} WgmmaWriter;

#define WGMMA_PUT(w, ...)                                                                          \
    ((w)->len += (size_t)snprintf((w)->text + (w)->len, WGMMA_TEXT - (w)->len, __VA_ARGS__))

static inline void wgmma_put_head(WgmmaWriter *w, int bytes)
{
    WGMMA_PUT(w,
              ".version 8.6\n.target sm_90a\n.address_size 64\n"
              ".visible .entry product(.param .u64 p0, .param .u64 p1, .param .u64 p2, "
              ".param .u64 p3)\n{\n\t.shared .align 1024 .b8 sm[%d];\n\t.reg .pred %%p;\n"
              "\t.reg .b32 %%t, %%i, %%at, %%sm, %%adds, %%v<4>, %%a<16>, %%d<128>;\n"
              "\t.reg .b64 %%image, %%left, %%before, %%after, %%q, %%base, %%x, %%y;\n"
              "\tld.param.b64 %%image, [p0];\n\tld.param.b64 %%left, [p1];\n"
              "\tld.param.b64 %%before, [p2];\n\tld.param.b64 %%after, [p3];\n"
              "\tmov.u32 %%t, %%tid.x;\n\tmov.b32 %%sm, sm;\n\tmul.wide.u32 %%q, %%t, 4;\n"
              "\tadd.s64 %%left, %%left, %%q;\n\tadd.s64 %%before, %%before, %%q;\n"
              "\tadd.s64 %%after, %%after, %%q;\n\tshl.b32 %%i, %%t, 4;\n"
              "$copy:\n\tsetp.ge.u32 %%p, %%i, %d;\n\t@%%p bra $copied;\n"
              "\tcvt.u64.u32 %%q, %%i;\n\tadd.s64 %%q, %%image, %%q;\n"
              "\tld.global.v4.b32 {%%v0, %%v1, %%v2, %%v3}, [%%q];\n\tadd.s32 %%at, %%sm, %%i;\n"
              "\tst.shared.v4.b32 [%%at], {%%v0, %%v1, %%v2, %%v3};\n"
              "\tadd.s32 %%i, %%i, 2048;\n\tbra.uni $copy;\n"
              "$copied:\n\tfence.proxy.async.shared::cta;\n\tbar.sync 0;\n"
              "\tshr.u32 %%at, %%sm, 4;\n\tcvt.u64.u32 %%base, %%at;\n",
              bytes, bytes);
}

static inline void wgmma_put_list(WgmmaWriter *w, char letter, int first, int n)
{
    for (int i = 0; i < n; i++)
        WGMMA_PUT(w, "%s%%%c%d", i == 0 ? "{" : ", ", letter, first + i);
    WGMMA_PUT(w, "}");
}

/* One instruction, in braces as inline assembly is. */
static inline void wgmma_put_product(WgmmaWriter *w, const WgmmaCase *c, const WgmmaOperand *a,
                                     const WgmmaOperand *b, int step)
{
    bool integer = c->d[0] == 's', wide = wgmma_bytes(c->a) == 2;

    if (a)
        WGMMA_PUT(w, "\tadd.s64 %%x, %%base, %llu;\n",
                  (unsigned long long)wgmma_descriptor(a, step * wgmma_k(c)));
    WGMMA_PUT(w, "\tadd.s64 %%y, %%base, %llu;\n\tmov.b32 %%adds, %d;\n",
              (unsigned long long)wgmma_descriptor(b, step * wgmma_k(c)), step > 0 || c->adds);
    WGMMA_PUT(w,
              "\t{ .reg .pred p; setp.ne.b32 p, %%adds, 0; "
              "wgmma.mma_async.sync.aligned.m64n%dk%d%s.%s.%s.%s ",
              c->columns, wgmma_k(c), c->saturates ? ".satfinite" : "", c->d, c->a, c->b);
    wgmma_put_list(w, 'd', 0, wgmma_results(c));
    if (a)
        WGMMA_PUT(w, ", %%x");
    else {
        WGMMA_PUT(w, ", ");
        wgmma_put_list(w, 'a', step * 4, 4);
    }
    WGMMA_PUT(w, ", %%y, p");
    if (!integer)
        WGMMA_PUT(w, ", %d, %d", c->a_negative ? -1 : 1, c->b_negative ? -1 : 1);
    if (wide && a)
        WGMMA_PUT(w, ", %d", c->a_across);
    if (wide)
        WGMMA_PUT(w, ", %d", c->b_across);
    WGMMA_PUT(w, "; }\n");
    if (c->flight)
        WGMMA_PUT(w, "\twgmma.commit_group.sync.aligned;\n");
}

static inline void wgmma_put_kernel(WgmmaWriter *w, const WgmmaCase *c, const WgmmaOperand *a,
                                    const WgmmaOperand *b, int bytes)
{
    wgmma_put_head(w, bytes);
    for (int i = 0; !a && i < c->steps * 4; i++)
        WGMMA_PUT(w, "\tld.global.b32 %%a%d, [%%left+%d];\n", i, i * 4 * WGMMA_THREADS);
    for (int i = 0; i < wgmma_results(c); i++)
        WGMMA_PUT(w, "\tld.global.b32 %%d%d, [%%before+%d];\n", i, i * 4 * WGMMA_THREADS);
    WGMMA_PUT(w, "\twgmma.fence.sync.aligned;\n");
    for (int step = 0; step < c->steps; step++)
        wgmma_put_product(w, c, a, b, step);
    WGMMA_PUT(w, c->flight ? "\twgmma.wait_group.sync.aligned 1;\n"
                           : "\twgmma.commit_group.sync.aligned;\n");
    WGMMA_PUT(w, "\twgmma.wait_group.sync.aligned 0;\n");
    for (int i = 0; i < wgmma_results(c); i++)
        WGMMA_PUT(w, "\tst.global.b32 [%%after+%d], %%d%d;\n", i * 4 * WGMMA_THREADS, i);
    WGMMA_PUT(w, "\tret;\n}\n");
}

/* All of a case, by what does not fit into shared memory with gaps without them. */
static inline void wgmma_make(const WgmmaCase *c, WgmmaData *data, uint64_t seed)
{
    bool has_a = c->a_place != IN_REGISTERS, apart = c->apart;
    WgmmaOperand a = {0}, b;
    WgmmaWriter w = {.text = data->text};
    int end;

    do {
        if (has_a)
            a = wgmma_operand(c, false, apart, 0);
        b = wgmma_operand(c, true, apart, has_a ? (a.first + a.size + 1023) / 1024 * 1024 : 0);
        end = b.first + b.size;
    } while (end > WGMMA_IMAGE && apart && !(apart = false));
    end = (end + 15) / 16 * 16;
    if (end > WGMMA_IMAGE)
        abort();
    wgmma_inputs(c, data, seed);
    if (has_a)
        wgmma_fill(c, data, &a, false);
    wgmma_fill(c, data, &b, true);
    wgmma_fill_left(c, data);
    wgmma_multiply_plainly(c, data);
    wgmma_put_kernel(&w, c, has_a ? &a : NULL, &b, end);
}

/* --- cases --- */

static inline void wgmma_name(const WgmmaCase *c, char *out, size_t size)
{
    static const char *const places[] = {"registers", "none", "128", "64", "32"};

    snprintf(out, size, "m64n%dk%d.%s.%s.%s a %s%s b %s%s steps %d%s%s%s%s%s%s%s shift %d",
             c->columns, wgmma_k(c), c->d, c->a, c->b, places[c->a_place + 1],
             c->a_across ? " across" : "", places[c->b_place + 1], c->b_across ? " across" : "",
             c->steps, c->adds ? " adds" : "", c->a_negative ? " -a" : "",
             c->b_negative ? " -b" : "", c->saturates ? " satfinite" : "", c->apart ? " apart" : "",
             c->flight ? " flight" : "", c->rough ? " rough" : "", c->shift);
}

static const char *const wgmma_types[][3] = {
    {"f32", "f16", "f16"},   {"f16", "f16", "f16"},   {"f32", "bf16", "bf16"},
    {"f32", "tf32", "tf32"}, {"f32", "e4m3", "e4m3"}, {"f32", "e4m3", "e5m2"},
    {"f32", "e5m2", "e4m3"}, {"f16", "e5m2", "e5m2"}, {"f16", "e4m3", "e5m2"},
    {"s32", "s8", "s8"},     {"s32", "u8", "s8"},     {"s32", "s8", "u8"},
    {"s32", "u8", "u8"},
};
static const int wgmma_columns[] = {8, 24, 64, 128, 256, 80};
enum { WGMMA_TYPES = 13, WGMMA_WIDTHS = 6, WGMMA_CASES = WGMMA_TYPES * WGMMA_WIDTHS * 5 * 4 * 4 };

/* Case i of WGMMA_CASES; false: there is no such instruction. */
static inline bool wgmma_case(int i, WgmmaCase *c)
{
    uint64_t state = (uint64_t)i;
    const char *const *types = wgmma_types[i % WGMMA_TYPES];
    uint32_t bits = wgmma_random(&state) ^ wgmma_random(&state);

    i /= WGMMA_TYPES;
    *c = (WgmmaCase){.d = types[0], .a = types[1], .b = types[2]};
    c->columns = wgmma_columns[i % WGMMA_WIDTHS];
    i /= WGMMA_WIDTHS;
    c->a_place = (WgmmaPlace)(i % 5 - 1);
    i /= 5;
    c->b_place = (WgmmaPlace)(i % 4);
    i /= 4;
    c->a_across = i & 1;
    c->b_across = i >> 1 & 1;
    c->steps = 1 + (int)(bits % WGMMA_STEPS);
    c->adds = bits >> 4 & 1;
    c->apart = bits >> 5 & 1;
    c->flight = bits >> 6 & 1;
    c->a_negative = c->d[0] != 's' && (bits >> 7 & 1);
    c->b_negative = c->d[0] != 's' && (bits >> 8 & 1);
    c->saturates = c->d[0] == 's' && (bits >> 9 & 1);
    if (wgmma_bytes(c->a) != 2 && (c->a_across || c->b_across))
        return false;
    return !(c->a_across && c->a_place == IN_REGISTERS);
}

/* Case i of those whose patterns begin elsewhere; false: there are no more. */
static inline bool wgmma_shifted_case(int i, WgmmaCase *c)
{
    int place = i / 7 % 3;

    *c = (WgmmaCase){.d = "f32", .a = "bf16", .b = "bf16", .columns = 64, .steps = 4, .adds = true};
    c->shift = 1 + i % 7;
    c->a_place = c->b_place = (WgmmaPlace)(SWIZZLE_128 + place);
    c->a_across = c->b_across = i / 21;
    return i < 2 * 3 * 7;
}

/* Case i of those whose sums are rounded; false: there are no more. */
static inline bool wgmma_rough_case(int i, WgmmaCase *c)
{
    const char *const *types = wgmma_types[i % WGMMA_TYPES];

    *c = (WgmmaCase){.d = types[0], .a = types[1], .b = types[2], .columns = 128, .rough = true};
    c->steps = 1 + i / WGMMA_TYPES % 2 * 3;
    c->adds = i / WGMMA_TYPES / 2;
    c->a_place = c->b_place = SWIZZLE_128;
    c->saturates = c->d[0] == 's' && types[1][0] == types[2][0];
    return i < 4 * WGMMA_TYPES;
}

#endif
