/*
 * products.c - products of matrices in many block shapes, sizes and ways of writing them
 *
 *     tilec-bench --products FILE [WORD...]
 *
 * FILE has the kernels (products.py); rows whose names have all of the words.  On one thread, by
 * the time of the CPU, since others may use it: rounds of the product and, between them, probes of
 * multiply-adds of fp32 and of memory.  Prints the least time, and what share of the best of each
 * probe that is.
 */
#include "bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    const char *kernel; /* of the file */
    tilec_dtype dtype;
    int64_t m, n, k, batches;
    int block[3];
    bool a_turned, b_turned; /* their columns are dense */
} Product;

enum {
    LEAST_ROUNDS = 5,
    MOST_ROUNDS = 4000,
    ROUNDS_OF_MEMORY = 5, /* of the first ones: it empties the caches */
    LAST_OF_MEMORY = 100,
    SAMPLES = 257,
    STREAM_BYTES = 64 << 20
};
static const double longest = 1; /* seconds of a row's rounds */

typedef struct {
    tilec_context *tilec;
    tilec_file *file;
    char **words;
    int nwords;
    Stream stream;
} Products;

/* --- elements --- */

static int bytes_of(tilec_dtype t)
{
    return t == TILEC_FP32 || t == TILEC_I32 ? 4 : t == TILEC_I8 ? 1 : 2;
}

/* Whole numbers that all dtypes have. */
static int value_at(int64_t i)
{
    uint64_t z = (uint64_t)(i + 1) * 0x9e3779b97f4a7c15u;

    return (int)((z ^ (z >> 29)) % 17) - 8;
}

/* Of 16 bits: floats whose lower bits are zero, and of fp16 small whole numbers. */
static uint16_t half_of(tilec_dtype t, int v)
{
    float x = (float)v;
    uint32_t bits;

    memcpy(&bits, &x, 4);
    if (t == TILEC_BF16 || v == 0)
        return (uint16_t)(bits >> 16);
    return (uint16_t)((bits >> 16 & 0x8000) | (((bits >> 23 & 0xff) - 112) << 10) |
                      (bits >> 13 & 0x3ff));
}

static void put(void *data, tilec_dtype t, int64_t i, int v)
{
    if (t == TILEC_FP32)
        ((float *)data)[i] = (float)v;
    else if (t == TILEC_I8)
        ((int8_t *)data)[i] = (int8_t)v;
    else
        ((uint16_t *)data)[i] = half_of(t, v);
}

static double get(const void *data, tilec_dtype t, int64_t i)
{
    uint16_t half = t == TILEC_BF16 || t == TILEC_FP16 ? ((const uint16_t *)data)[i] : 0;
    uint32_t bits = (uint32_t)half << 16;
    float x;

    if (t == TILEC_FP32)
        return (double)((const float *)data)[i];
    if (t == TILEC_I32)
        return ((const int32_t *)data)[i];
    if (t == TILEC_I8)
        return ((const int8_t *)data)[i];
    memcpy(&x, &bits, 4);
    if (t == TILEC_BF16)
        return (double)x;
    double size = half >> 10 & 31 ? ldexp(1024 + (half & 1023), (half >> 10 & 31) - 25)
                                  : ldexp(half & 1023, -24);
    return half & 0x8000 ? -size : size;
}

/* --- launches --- */

static tilec_arg *next_arg(Launch *l, const char *name, tilec_arg_kind kind)
{
    tilec_arg *a = &l->args[l->nargs++];

    *a = (tilec_arg){.name = name, .kind = kind};
    return a;
}

static void put_int(Launch *l, const char *name, int64_t v)
{
    next_arg(l, name, TILEC_ARG_INT)->integer = v;
}

static void put_array(Launch *l, const char *name, tilec_dtype t, int64_t n, bool filled)
{
    int64_t *shape = l->shapes[l->nargs];
    tilec_arg *a = next_arg(l, name, TILEC_ARG_TENSOR);

    shape[0] = n;
    a->tensor = (tilec_tensor){
        .data = pages((size_t)n * (size_t)bytes_of(t)), .dtype = t, .ndim = 1, .shape = shape};
    for (int64_t i = 0; filled && i < n; i++)
        put(a->tensor.data, t, i, value_at(i + 1000 * l->nargs));
}

static tilec_dtype result_of(const Product *p)
{
    return p->dtype == TILEC_I8 ? TILEC_I32 : p->dtype;
}

static bool is_activated(const Product *p)
{
    return strcmp(p->kernel, "activated") == 0;
}

static void prepare(const Product *p, Launch *l)
{
    put_array(l, "a", p->dtype, p->batches * p->m * p->k, true);
    put_array(l, "b", p->dtype, p->batches * p->k * p->n, true);
    put_array(l, "c", result_of(p), p->batches * p->m * p->n, false);
    put_int(l, "M", p->m);
    put_int(l, "N", p->n);
    put_int(l, "K", p->k);
    put_int(l, "am", p->a_turned ? 1 : p->k);
    put_int(l, "ak", p->a_turned ? p->m : 1);
    put_int(l, "bk", p->b_turned ? 1 : p->n);
    put_int(l, "bn", p->b_turned ? p->k : 1);
    put_int(l, "cm", p->n);
    put_int(l, "BLOCK_M", p->block[0]);
    put_int(l, "BLOCK_N", p->block[1]);
    put_int(l, "BLOCK_K", p->block[2]);
    if (is_activated(p))
        put_array(l, "bias", TILEC_FP32, p->n, true);
    l->grid[0] = (int32_t)((p->n + p->block[1] - 1) / p->block[1]);
    l->grid[1] = (int32_t)((p->m + p->block[0] - 1) / p->block[0]);
    l->grid[2] = (int32_t)p->batches;
}

/* Is element (i, j) of a batch what it should be? */
static bool is_right(const Product *p, const Launch *l, int64_t batch, int64_t i, int64_t j)
{
    const void *a = l->args[0].tensor.data, *b = l->args[1].tensor.data;
    double sum = 0;

    for (int64_t k = 0; k < p->k; k++) {
        int64_t x = p->a_turned ? k * p->m + i : i * p->k + k;
        int64_t y = p->b_turned ? j * p->k + k : k * p->n + j;
        sum +=
            get(a, p->dtype, batch * p->m * p->k + x) * get(b, p->dtype, batch * p->k * p->n + y);
    }
    if (is_activated(p))
        sum = fmax(sum + get(l->args[l->nargs - 1].tensor.data, TILEC_FP32, j), 0);
    double got = get(l->args[2].tensor.data, result_of(p), (batch * p->m + i) * p->n + j);
    return fabs(got - sum) <= (bytes_of(p->dtype) == 2 ? fabs(sum) / 128 : 0);
}

static bool all_right(const Product *p, const Launch *l)
{
    int64_t n = p->batches * p->m * p->n;

    for (int64_t s = 0; s < SAMPLES; s++) {
        int64_t at = s * (n - 1) / (SAMPLES - 1);
        if (!is_right(p, l, at / (p->m * p->n), at / p->n % p->m, at % p->n))
            return false;
    }
    return true;
}

static double launch(const Products *b, const Product *p, const Launch *l)
{
    const tilec_launch_options options = {.threads = 1};
    double start = cpu_now();
    char *error;

    if (tilec_launch(b->file, p->kernel, l->grid, l->args, l->nargs, &options, &error) != TILEC_OK)
        bench_stop(p->kernel, error);
    return cpu_now() - start;
}

/* --- rows --- */

static double operations(const Product *p)
{
    return 2.0 * (double)p->batches * (double)p->m * (double)p->n * (double)p->k;
}

static double bytes(const Product *p)
{
    double a = (double)p->m * (double)p->k, b = (double)p->k * (double)p->n;

    return (double)p->batches *
           ((a + b) * bytes_of(p->dtype) + (double)p->m * (double)p->n * bytes_of(result_of(p)));
}

static void name_of(const Product *p, char *name, size_t size)
{
    const char *dtype = p->dtype == TILEC_FP32   ? "fp32"
                        : p->dtype == TILEC_BF16 ? "bf16"
                        : p->dtype == TILEC_FP16 ? "fp16"
                                                 : "int8";

    snprintf(name, size, "%s %lldx%lldx%lldx%lld %s %s%s %dx%dx%d", dtype, (long long)p->batches,
             (long long)p->m, (long long)p->n, (long long)p->k, p->kernel, p->a_turned ? "t" : "n",
             p->b_turned ? "t" : "n", p->block[0], p->block[1], p->block[2]);
}

static bool is_wanted(const Products *b, const char *name)
{
    for (int i = 0; i < b->nwords; i++) {
        if (!strstr(name, b->words[i]))
            return false;
    }
    return true;
}

static int run_row(Products *b, const Product *p)
{
    double multiplied = 0, moved = 0, least = INFINITY, total = 0;
    char name[128];
    Launch l = {0};

    name_of(p, name, sizeof name);
    if (!is_wanted(b, name))
        return 0;
    prepare(p, &l);
    launch(b, p, &l);
    bool right = all_right(p, &l);
    for (int n = 0; n < LEAST_ROUNDS || (n < MOST_ROUNDS && total < longest); n++) {
        double t = launch(b, p, &l);
        total += t;
        least = fmin(least, t);
        multiplied = fmax(multiplied, fma_rate_by(1, cpu_now));
        if (n % ROUNDS_OF_MEMORY == 0 && n < LAST_OF_MEMORY)
            moved = fmax(moved, stream_rate_by(&b->stream, 1, cpu_now));
    }
    printf("%-60s %9.3f ms %7.1f GFLOP/s %5.3f of FMA %5.3f of memory%s\n", name, 1e3 * least,
           operations(p) / least / 1e9, operations(p) / least / multiplied,
           bytes(p) / least / moved, right ? "" : "  WRONG");
    fflush(stdout);
    case_release(&l);
    return !right;
}

/* --- what is measured --- */

static const int blocks[][3] = {{32, 32, 32},   {64, 64, 32},   {64, 64, 64},   {128, 64, 32},
                                {64, 128, 32},  {128, 128, 32}, {128, 128, 64}, {128, 256, 32},
                                {256, 128, 64}, {256, 256, 64}};
static const char *const writings[] = {"wrapped",     "masked", "block_pointers",
                                       "descriptors", "plain",  "activated"};
static const int64_t sizes[] = {256, 512, 1023, 1024, 1025, 2048};
static const tilec_dtype dtypes[] = {TILEC_FP32, TILEC_BF16, TILEC_FP16, TILEC_I8};
#define COUNT(a) ((int)(sizeof(a) / sizeof(a)[0]))

/* Matrices that are one row or column, or few, and batches of small ones. */
static const Product narrow[] = {
    {"masked", TILEC_FP32, 1, 4096, 4096, 1, {1, 64, 64}, false, false},
    {"masked", TILEC_FP32, 1, 4096, 4096, 1, {1, 64, 64}, false, true},
    {"masked", TILEC_FP32, 1, 4096, 4096, 1, {16, 64, 64}, false, false},
    {"masked", TILEC_FP32, 1, 4096, 4096, 1, {16, 64, 64}, false, true},
    {"masked", TILEC_FP32, 4096, 1, 4096, 1, {64, 1, 64}, false, false},
    {"masked", TILEC_FP32, 4096, 1, 4096, 1, {64, 16, 64}, false, false},
    {"masked", TILEC_FP32, 1, 4096, 4096, 1, {1, 1024, 16}, false, false},
    {"masked", TILEC_FP32, 1, 4096, 4096, 1, {1, 512, 64}, false, false},
    {"masked", TILEC_FP32, 1, 4096, 4096, 1, {1, 16, 512}, false, true},
    {"masked", TILEC_FP32, 4096, 1, 4096, 1, {16, 1, 512}, false, false},
    {"masked", TILEC_BF16, 1, 4096, 4096, 1, {1, 16, 512}, false, true},
    {"masked", TILEC_BF16, 4096, 1, 4096, 1, {16, 1, 512}, false, false},
    {"masked", TILEC_I8, 1, 4096, 4096, 1, {1, 16, 512}, false, true},
    {"masked", TILEC_I8, 4096, 1, 4096, 1, {16, 1, 512}, false, false},
    {"masked", TILEC_FP32, 16, 4096, 4096, 1, {16, 64, 64}, false, false},
    {"masked", TILEC_FP32, 16, 4096, 4096, 1, {16, 256, 64}, false, false},
    {"masked", TILEC_FP32, 16, 4096, 4096, 1, {16, 64, 64}, false, true},
    {"masked", TILEC_FP32, 4096, 16, 4096, 1, {64, 16, 64}, false, false},
    {"masked", TILEC_FP32, 4096, 64, 64, 1, {64, 64, 64}, false, false},
    {"masked", TILEC_FP32, 64, 64, 4096, 1, {64, 64, 64}, false, false},
    {"masked", TILEC_FP32, 16, 16, 16, 4096, {16, 16, 16}, false, false},
    {"masked", TILEC_FP32, 32, 32, 32, 2048, {32, 32, 32}, false, false},
    {"masked", TILEC_FP32, 16, 16, 16, 256, {16, 16, 16}, false, false},
    {"masked", TILEC_FP32, 32, 32, 32, 64, {32, 32, 32}, false, false},
    {"masked", TILEC_FP32, 64, 64, 64, 16, {64, 64, 64}, false, false},
    {"masked", TILEC_FP32, 100, 100, 100, 8, {32, 32, 32}, false, false},
    {"masked", TILEC_FP32, 64, 64, 64, 512, {64, 64, 64}, false, false},
    {"masked", TILEC_FP32, 64, 64, 64, 512, {32, 32, 32}, false, false},
    {"masked", TILEC_FP32, 100, 100, 100, 200, {32, 32, 32}, false, false},
    {"masked", TILEC_FP32, 512, 512, 512, 1, {512, 512, 512}, false, false},
    {"masked", TILEC_FP32, 256, 256, 256, 4, {256, 256, 256}, false, false},
};

/* Which rows there are: masks take all sizes and turns; others what tells them apart. */
static bool makes_sense(const Product *p)
{
    bool plain = strcmp(p->kernel, "plain") == 0, turned = p->a_turned || p->b_turned;

    if (plain && (p->m % 256 != 0 || turned))
        return false;
    if (p->dtype == TILEC_I8 && is_activated(p))
        return false;
    if (strcmp(p->kernel, "descriptors") == 0 && (turned || p->m % 16 != 0))
        return false; /* of which columns are dense, and rows whole pieces of 16 bytes */
    return true;
}

static int run_square(Products *b, tilec_dtype t, int64_t size, const char *kernel)
{
    int wrong = 0;

    for (int i = 0; i < COUNT(blocks) * 4; i++) {
        Product p = {kernel, t, size, size, size, 1, {0}, i & 1, i & 2};
        memcpy(p.block, blocks[i / 4], sizeof p.block);
        wrong += makes_sense(&p) ? run_row(b, &p) : 0;
    }
    return wrong;
}

int bench_products(const char *file, char **words, int nwords)
{
    Products b = {.words = words, .nwords = nwords};
    int wrong = 0;
    char *error;

    if (tilec_open(NULL, &b.tilec, &error) != TILEC_OK ||
        tilec_load_file(b.tilec, file, &b.file, &error) != TILEC_OK)
        bench_stop(file, error);
    b.stream = stream_new(STREAM_BYTES);
    for (int i = 0; i < COUNT(narrow); i++)
        wrong += run_row(&b, &narrow[i]);
    for (int t = 0; t < COUNT(dtypes); t++) {
        for (int s = 0; s < COUNT(sizes); s++) {
            for (int w = 0; w < COUNT(writings); w++)
                wrong += run_square(&b, dtypes[t], sizes[s], writings[w]);
        }
    }
    tilec_unload(b.file);
    tilec_close(b.tilec);
    return wrong > 0;
}
