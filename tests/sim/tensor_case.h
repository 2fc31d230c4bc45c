/*
 * tensor_case.h - kernels that copy tiles by tensor maps, and what must come of them
 *
 * A kernel brings one tile to shared memory, stores the shared memory as it is, and copies the tile
 * into another tensor at the same place.  test_sim_tensor.c runs them in the simulator,
 * gpu_tensor.c on a GPU.  What is expected is said element by element, and not as src/sim does it.
 */
#ifndef TILEC_TEST_TENSOR_CASE_H
#define TILEC_TEST_TENSOR_CASE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { TENSOR_RANK = 5, TENSOR_BYTES = 1 << 16, TENSOR_TILE = 1 << 14, TENSOR_THREADS = 64 };

typedef struct {
    int rank, element, swizzle; /* bytes; bytes of its rows, 0: none */
    int extent[TENSOR_RANK];
    int stride[TENSOR_RANK]; /* bytes; of dimension 0 an element's */
    int box[TENSOR_RANK], first[TENSOR_RANK];
} TensorCase;

static const TensorCase tensor_cases[] = {
    {1, 4, 0, {100}, {4}, {32}, {8}},
    {1, 4, 0, {100}, {4}, {32}, {88}},
    {1, 1, 0, {50}, {1}, {64}, {-16}},
    {1, 8, 128, {77}, {8}, {16}, {70}},
    /* whole tiles of every swizzle */
    {2, 2, 0, {64, 40}, {2, 128}, {32, 16}, {8, 3}},
    {2, 2, 32, {64, 40}, {2, 128}, {16, 32}, {16, 5}},
    {2, 2, 64, {64, 40}, {2, 128}, {32, 32}, {32, 1}},
    {2, 2, 128, {128, 40}, {2, 256}, {64, 32}, {64, 7}},
    {2, 1, 128, {256, 40}, {1, 256}, {128, 24}, {64, 7}},
    {2, 4, 128, {64, 40}, {4, 256}, {32, 24}, {4, 7}},
    /* out at each side and corner, and beside all; strides with gaps */
    {2, 2, 128, {100, 40}, {2, 208}, {64, 32}, {64, 16}},
    {2, 2, 128, {100, 40}, {2, 208}, {64, 32}, {-8, 16}},
    {2, 2, 128, {100, 40}, {2, 208}, {64, 32}, {40, -9}},
    {2, 2, 64, {100, 40}, {2, 208}, {32, 32}, {-24, -31}},
    {2, 2, 32, {100, 40}, {2, 208}, {16, 64}, {96, 39}},
    {2, 2, 0, {100, 40}, {2, 208}, {8, 8}, {104, 0}},
    {2, 2, 0, {100, 40}, {2, 208}, {8, 8}, {0, -8}},
    {2, 2, 0, {3, 5}, {2, 16}, {64, 64}, {0, 0}},
    {2, 1, 0, {33, 17}, {1, 48}, {16, 256}, {16, -100}},
    {2, 4, 0, {50, 17}, {4, 208}, {12, 3}, {44, 15}},
    /* more dimensions, one with the strides of two exchanged */
    {2, 2, 128, {64, 8}, {2, 128}, {64, 8}, {0, 0}},
    {3, 2, 128, {72, 9, 5}, {2, 144, 1296}, {64, 4, 3}, {16, 6, 3}},
    {3, 2, 64, {72, 9, 5}, {2, 144, 1296}, {32, 4, 3}, {-8, -2, -1}},
    {3, 4, 32, {20, 6, 7}, {4, 560, 80}, {8, 4, 4}, {16, 3, 5}},
    {3, 8, 0, {10, 6, 7}, {8, 80, 480}, {2, 4, 4}, {8, 3, 5}},
    {4, 2, 128, {64, 5, 4, 3}, {2, 128, 640, 2560}, {64, 2, 3, 2}, {8, 4, 2, -1}},
    {5, 2, 32, {24, 3, 4, 3, 2}, {2, 48, 144, 576, 1728}, {16, 2, 2, 2, 2}, {16, -1, 3, 1, 1}},
};
enum { TENSOR_CASES = sizeof tensor_cases / sizeof *tensor_cases };

/* What a kernel has in front of it, and what must come of it; the image is of shared memory. */
typedef struct {
    char text[8000];
    _Alignas(256) uint8_t from[TENSOR_BYTES], to[TENSOR_BYTES], image[TENSOR_TILE];
    uint8_t to_after[TENSOR_BYTES], image_after[TENSOR_TILE];
    int bytes; /* of the tile */
} TensorData;

static inline void tensor_name(const TensorCase *c, char *out, size_t size)
{
    int n = snprintf(out, size, "%d-d, %d bytes, swizzle %d, box", c->rank, c->element, c->swizzle);

    for (int d = 0; d < c->rank; d++)
        n += snprintf(out + n, size - (size_t)n, " %d", c->box[d]);
    n += snprintf(out + n, size - (size_t)n, ", first");
    for (int d = 0; d < c->rank; d++)
        n += snprintf(out + n, size - (size_t)n, " %d", c->first[d]);
}

/* Where a byte of the tile lies in shared memory: rows of the swizzle are packed to lines of 128
 * bytes, and a line's number says how units of 16 bytes change places in its rows. */
static inline int tensor_place(int swizzle, int at)
{
    int row, unit;

    if (swizzle == 0)
        return at;
    row = at / swizzle;
    unit = at % swizzle / 16;
    if (swizzle == 128)
        unit ^= row % 8;
    else if (swizzle == 64)
        unit ^= row / 2 % 4;
    else
        unit ^= row / 4 % 2;
    return row * swizzle + unit * 16 + at % 16;
}

/* A store must not begin in front of its tensor. */
static inline bool tensor_stores(const TensorCase *c)
{
    for (int d = 0; d < c->rank; d++) {
        if (c->first[d] < 0)
            return false;
    }
    return true;
}

/* Of element `number` of the tile: is it inside, and where is it in the tensor?  *unit: is that so
 * of the first one of its 16 bytes, which a store writes all? */
static inline bool tensor_inside(const TensorCase *c, int number, int *offset, bool *unit)
{
    bool inside = true, others = true;
    int along = c->first[0] + number % c->box[0], each = 16 / c->element;

    *offset = 0;
    for (int d = 0; d < c->rank; d++) {
        int at = c->first[d] + number % c->box[d];

        number /= c->box[d];
        inside = inside && at >= 0 && at < c->extent[d];
        others = others && (d == 0 || (at >= 0 && at < c->extent[d]));
        *offset += at * c->stride[d];
    }
    *unit = others && along >= 0 && along / each * each < c->extent[0];
    return inside;
}

static inline void tensor_expect(const TensorCase *c, TensorData *t)
{
    for (int i = 0; i < t->bytes / c->element; i++) {
        bool unit;
        int offset, inside = tensor_inside(c, i, &offset, &unit);

        for (int b = 0; b < c->element; b++) {
            int place = tensor_place(c->swizzle, i * c->element + b);

            t->image_after[place] = inside ? t->from[offset + b] : 0;
            if (unit && tensor_stores(c))
                t->to_after[offset + b] = t->image_after[place];
        }
    }
}

/* The parameters are the two maps, where the image goes, the tile's bytes, and the coordinates. */
static inline void tensor_text(const TensorCase *c, char *out, size_t size)
{
    char coordinates[100] = "";
    size_t n = 0, used = 0;

    for (int d = 0; d < c->rank; d++)
        used += (size_t)snprintf(coordinates + used, sizeof coordinates - used, "%s%%c%d",
                                 d ? ", " : "", d);
#define PUT(...) n += (size_t)snprintf(out + n, size - n, __VA_ARGS__)
    PUT(".version 8.0\n.target sm_90a\n.address_size 64\n"
        ".visible .entry tile(.param .align 64 .b8 from[128], .param .align 64 .b8 to[128], "
        ".param .u64 image, .param .u32 bytes");
    for (int d = 0; d < c->rank; d++)
        PUT(", .param .u32 first%d", d);
    PUT(")\n{\n.shared .align 1024 .b8 tile_memory[%d];\n.shared .align 8 .b8 bar[8];\n"
        ".reg .pred %%p<4>;\n.reg .b32 %%r<10>;\n.reg .b32 %%c<5>;\n.reg .b64 %%rd<10>;\n"
        "mov.b64 %%rd1, from;\ncvta.param.u64 %%rd2, %%rd1;\n"
        "mov.b64 %%rd3, to;\ncvta.param.u64 %%rd4, %%rd3;\n"
        "ld.param.b64 %%rd5, [image];\nld.param.b32 %%r1, [bytes];\n",
        TENSOR_TILE);
    for (int d = 0; d < c->rank; d++)
        PUT("ld.param.b32 %%c%d, [first%d];\n", d, d);
    PUT("mov.u32 %%r2, %%tid.x;\nmov.b32 %%r3, tile_memory;\nmov.b32 %%r4, bar;\n"
        "setp.ne.s32 %%p1, %%r2, 0;\n@%%p1 bra $ready;\n"
        "prefetch.tensormap [%%rd2];\n"
        "cp.async.bulk.prefetch.tensor.%dd.L2.global.tile [%%rd2, {%s}];\n"
        "mbarrier.init.shared::cta.b64 [%%r4], 1;\nfence.mbarrier_init.release.cluster;\n"
        "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%%r4], %%r1;\n"
        "cp.async.bulk.tensor.%dd.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
        "[%%r3], [%%rd2, {%s}], [%%r4];\n",
        c->rank, coordinates, c->rank, coordinates);
    PUT("$ready:\nbar.sync 0;\n"
        "$wait:\nmbarrier.try_wait.parity.shared::cta.b64 %%p2, [%%r4], 0;\n@!%%p2 bra $wait;\n"
        "shl.b32 %%r5, %%r2, 2;\n"
        "$next:\nsetp.ge.u32 %%p3, %%r5, %%r1;\n@%%p3 bra $stored;\n"
        "add.s32 %%r6, %%r3, %%r5;\nld.shared.b32 %%r7, [%%r6];\n"
        "cvt.u64.u32 %%rd6, %%r5;\nadd.s64 %%rd6, %%rd5, %%rd6;\nst.global.b32 [%%rd6], %%r7;\n"
        "add.s32 %%r5, %%r5, %d;\nbra.uni $next;\n"
        "$stored:\n@%%p1 bra $end;\n",
        4 * TENSOR_THREADS);
    if (tensor_stores(c))
        PUT("cp.async.bulk.tensor.%dd.global.shared::cta.tile.bulk_group [%%rd4, {%s}], [%%r3];\n"
            "cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;\n",
            c->rank, coordinates);
    PUT("$end:\nret;\n}\n");
#undef PUT
}

static inline void tensor_make(const TensorCase *c, TensorData *t)
{
    uint32_t seed = 12345;

    for (int i = 0; i < TENSOR_BYTES; i++) {
        seed = seed * 1664525u + 1013904223u;
        t->from[i] = (uint8_t)(seed >> 24);
    }
    memset(t->to, 0xee, sizeof t->to);
    memset(t->image, 0xdd, sizeof t->image);
    memset(t->to_after, 0xee, sizeof t->to_after);
    memset(t->image_after, 0xdd, sizeof t->image_after);
    t->bytes = c->element;
    for (int d = 0; d < c->rank; d++)
        t->bytes *= c->box[d];
    tensor_expect(c, t);
    tensor_text(c, t->text, sizeof t->text);
}

#endif
