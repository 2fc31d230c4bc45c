/*
 * test_aot.c - calls what `tilec build` made of kernels.py, and compares with what `tilec run`
 * gives
 *
 * C99 and C++17; tests/cli/build.sh compiles and runs it.  Arrays come from .npy files in the
 * folder that is the only argument: inputs NAME.KERNEL.npy, and the results of `tilec run`, to
 * which ours must be equal bit for bit.
 */
#include <stdio.h>
#include <stdlib.h>

#include "add_kernel.h"
#include "guarded.h"
#include "halves.h"
#include "scale_rows.h"
#include "pairs.h"
#include "small.h"
#include "sort_tiles.h"

static const char *folder;
static int failures;

#define CHECK(what)                                                                                \
    do {                                                                                           \
        if (!(what)) {                                                                             \
            printf("%s:%d: %s\n", __FILE__, __LINE__, #what);                                      \
            failures++;                                                                            \
        }                                                                                          \
    } while (0)

/* The elements of NAME.npy, which are `bytes`, behind `room` bytes that keep them from being
 * aligned. */
static unsigned char *load(const char *name, size_t bytes, size_t room)
{
    char path[4096];
    unsigned char head[10];
    unsigned char *data = (unsigned char *)malloc(bytes + room) + room;
    FILE *f;

    snprintf(path, sizeof path, "%s/%s.npy", folder, name);
    f = fopen(path, "rb");
    if (!f || fread(head, 1, sizeof head, f) != sizeof head ||
        fseek(f, 10 + head[8] + 256L * head[9], SEEK_SET) != 0 ||
        fread(data, 1, bytes, f) != bytes || fgetc(f) != EOF) {
        printf("%s cannot be read\n", path);
        exit(1);
    }
    fclose(f);
    return data;
}

static void *fresh(size_t bytes, size_t room)
{
    return (unsigned char *)calloc(1, bytes + room) + room;
}

static void same(const char *name, const void *got, size_t bytes)
{
    const unsigned char *want = load(name, bytes, 0), *have = (const unsigned char *)got;
    size_t i = 0;

    while (i < bytes && want[i] == have[i])
        i++;
    if (i < bytes) {
        printf("%s: byte %lu differs\n", name, (unsigned long)i);
        failures++;
    }
}

static void test_add(size_t room)
{
    enum { N = 10007 };
    const float *x = (const float *)load("x.add_kernel", N * sizeof(float), room);
    const float *y = (const float *)load("y.add_kernel", N * sizeof(float), room);
    float *out = (float *)fresh(N * sizeof(float), room);
    int32_t grid[3];

    CHECK(add_kernel(x, y, out, N, 256) == TILEC_AOT_OK);
    same("out.add_kernel", out, N * sizeof(float));
    memset(out, 0, N * sizeof(float));
    CHECK(add_kernel(x, y, out, N, 1024) == TILEC_AOT_OK);
    same("out.add_kernel", out, N * sizeof(float));
    CHECK(add_kernel(x, y, out, N, 512) == TILEC_AOT_REFUSED);
    CHECK(add_kernel(x, y, out, -5000, 256) == TILEC_AOT_BAD_ARGUMENT);
    CHECK(add_kernel(x, y, out, 0, 256) == TILEC_AOT_OK);

    /* in parts, the last one first, as threads might */
    memset(out, 0, N * sizeof(float));
    add_kernel_grid(x, y, out, N, 256, grid);
    CHECK(grid[0] == 40 && grid[1] == 1 && grid[2] == 1);
    CHECK(add_kernel_range(x, y, out, N, 256, grid, 13, 40) == TILEC_AOT_OK);
    CHECK(out[0] == 0 && out[N - 1] != 0);
    CHECK(add_kernel_range(x, y, out, N, 256, grid, 0, 13) == TILEC_AOT_OK);
    same("out.add_kernel", out, N * sizeof(float));
    CHECK(add_kernel_range(x, y, out, N, 256, grid, 13, 13) == TILEC_AOT_OK);
    CHECK(add_kernel_range(x, y, out, N, 256, grid, 0, 41) == TILEC_AOT_BAD_ARGUMENT);
    CHECK(add_kernel_range(x, y, out, N, 256, grid, -1, 4) == TILEC_AOT_BAD_ARGUMENT);

    /* a value with code of its own */
    memset(out, 0, N * sizeof(float));
    CHECK(add_kernel(x, y, out, 7, 256) == TILEC_AOT_OK);
    CHECK(out[6] == x[6] + y[6] && out[7] == 0);
}

static void test_scale_rows(size_t room)
{
    enum { ROWS = 13, COLUMNS = 777 };
    const size_t bytes = ROWS * COLUMNS * sizeof(float);
    const float *x = (const float *)load("x.scale_rows", bytes, room);
    const float *factors = (const float *)load("factors.scale_rows", ROWS * sizeof(float), room);
    float *out = (float *)fresh(bytes, room);

    CHECK(scale_rows(out, x, factors, ROWS, COLUMNS, COLUMNS, ROWS, 1, 1) == TILEC_AOT_OK);
    same("out.scale_rows", out, bytes);
}

static void test_sort_tiles(size_t room)
{
    const size_t bytes = 12288 * sizeof(float);
    const float *x = (const float *)load("x.sort_tiles", bytes, room);
    float *out = (float *)fresh(bytes, room);

    CHECK(sort_tiles(out, x, 3, 1, 1) == TILEC_AOT_OK);
    same("out.sort_tiles", out, bytes);
}

static void test_halves(size_t room)
{
    enum { N = 1001 };
    const uint16_t *x = (const uint16_t *)load("x.halves", N * sizeof(uint16_t), room);
    uint16_t *out = (uint16_t *)fresh(N * sizeof(uint16_t), room);

    CHECK(halves(out, x, N, 16, 1, 1) == TILEC_AOT_OK);
    same("out.halves", out, N * sizeof(uint16_t));
}

static void test_guarded(void)
{
    int32_t x[100], out[100];
    int i;

    for (i = 0; i < 100; i++)
        x[i] = i, out[i] = -1;
    CHECK(guarded(out, x, 99, 100, true, 4, 1, 1) == TILEC_AOT_OK);
    CHECK(out[0] == 1 && out[98] == 99 && out[99] == -1);
    CHECK(guarded(out, x, 99, 50, false, 4, 1, 1) == TILEC_AOT_FAULT);
    CHECK(out[31] == 31 && out[98] == 99); /* the programs behind it have not run */
    CHECK(guarded(out, x, 99, 100, false, 4, 1, 1) == TILEC_AOT_OK);
    CHECK(guarded(out, x, 99, 100, false, 4, -1, 1) == TILEC_AOT_BAD_ARGUMENT);
    CHECK(guarded(out, x, 99, 100, false, INT32_MAX, INT32_MAX, 5) == TILEC_AOT_BAD_ARGUMENT);
}

static void test_small(void)
{
    int64_t x[20], out[20];
    int i;

    for (i = 0; i < 20; i++)
        x[i] = i, out[i] = -1;
    CHECK(small(out, x, 19, 16, 2, 1, 1) == TILEC_AOT_OK);
    CHECK(out[0] == 16002 && out[18] == 16056 && out[19] == -1);
    CHECK(pairs(out) == TILEC_AOT_OK && out[0] == 7 && out[1] == 9);
    CHECK(small(out, x, 19, 64, 1, 1, 1) == TILEC_AOT_OK);
    CHECK(out[0] == 64002 && out[18] == 64056);
}

int main(int argc, char **argv)
{
    size_t room;

    if (argc != 2)
        return 2;
    folder = argv[1];
    for (room = 0; room <= 8; room += 4) { /* malloc() gives multiples of 16 */
        test_add(room);
        test_scale_rows(room);
        test_sort_tiles(room);
    }
    test_halves(0);
    test_halves(2);
    test_guarded();
    test_small();
    CHECK(add_kernel_cpu() == add_kernel_cpu());
    printf("%s\n", add_kernel_cpu());
    return failures > 0;
}
