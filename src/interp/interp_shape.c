/*
 * interp_shape.c - ops that make tiles and move elements: arange, those with MOVES, gather,
 * histogram, sort
 *
 * All moving is machine_copy_strided: a grid of elements from one set of strides to another.
 * Elements have 1, 2, 4 or 8 bytes and are moved as unsigned integers of that size.
 */
#include <stdlib.h>
#include <string.h>

#include "machine.h"

VECTOR_LOOPS

/* body with E as the unsigned type of `size` bytes */
#define FOR_SIZE(size, body)                                                                       \
    switch (size) {                                                                                \
    case 1: {                                                                                      \
        typedef uint8_t E;                                                                         \
        body break;                                                                                \
    }                                                                                              \
    case 2: {                                                                                      \
        typedef uint16_t E;                                                                        \
        body break;                                                                                \
    }                                                                                              \
    case 4: {                                                                                      \
        typedef uint32_t E;                                                                        \
        body break;                                                                                \
    }                                                                                              \
    default: {                                                                                     \
        typedef uint64_t E;                                                                        \
        body break;                                                                                \
    }                                                                                              \
    }

void machine_fill(void *dst, const void *one, size_t size, size_t n)
{
    FOR_SIZE(size, {
        E *d = dst;
        const E x = *(const E *)one;
        for (size_t i = 0; i < n; i++)
            d[i] = x;
    })
}

/* One row of elements. */
static void copy_row(void *dst, int64_t dst_step, const void *src, int64_t src_step, int64_t n,
                     size_t size)
{
    if (dst_step == 1 && src_step == 1) {
        memcpy(dst, src, (size_t)n * size);
        return;
    }
    if (dst_step == 1 && src_step == 0) {
        machine_fill(dst, src, size, (size_t)n);
        return;
    }
    if (dst_step == 1 && src_step == 2) { /* what reduce does most: a step known to the compiler */
        FOR_SIZE(size, {
            E *d = dst;
            const E *s = src;
            for (int64_t i = 0; i < n; i++)
                d[i] = s[2 * i];
        })
        return;
    }
    FOR_SIZE(size, {
        E *d = dst;
        const E *s = src;
        for (int64_t i = 0; i < n; i++)
            d[i * dst_step] = s[i * src_step];
    })
}

/* A grid with dims of 1 left out and neighbours that step alike made one: fewer, longer rows.  Most
 * have one or two, and what is behind `rank` costs nothing. */
typedef struct {
    int rank;
    int64_t dims[MAX_RANK], dst[MAX_RANK], src[MAX_RANK];
} Grid;

static void simplify_grid(int rank, const int64_t *dims, const int64_t *dst, const int64_t *src,
                          Grid *g)
{
    g->rank = 0;
    for (int i = 0; i < rank; i++) {
        int last = g->rank - 1;
        if (dims[i] == 1)
            continue;
        if (last >= 0 && g->dst[last] == dst[i] * dims[i] && g->src[last] == src[i] * dims[i]) {
            g->dims[last] *= dims[i];
        } else {
            last = g->rank++;
            g->dims[last] = dims[i];
        }
        g->dst[last] = dst[i];
        g->src[last] = src[i];
    }
    if (g->rank == 0) {
        g->rank = 1;
        g->dims[0] = g->dst[0] = g->src[0] = 1;
    }
}

/* All but the last dim count like an odometer. */
void machine_copy_strided(void *dst, const int64_t *dst_strides, const void *src,
                          const int64_t *src_strides, int rank, const int64_t *dims, size_t size)
{
    Grid g;
    int64_t at[MAX_RANK], to = 0, from = 0;
    int row, d;

    simplify_grid(rank, dims, dst_strides, src_strides, &g);
    row = g.rank - 1;
    for (d = 0; d < row; d++)
        at[d] = 0;
    do {
        copy_row((char *)dst + (size_t)to * size, g.dst[row],
                 (const char *)src + (size_t)from * size, g.src[row], g.dims[row], size);
        for (d = row - 1; d >= 0; d--) {
            to += g.dst[d];
            from += g.src[d];
            if (++at[d] < g.dims[d])
                break;
            to -= g.dst[d] * g.dims[d];
            from -= g.src[d] * g.dims[d];
            at[d] = 0;
        }
    } while (d >= 0);
}

static void row_major(const Type *t, int64_t *strides)
{
    int64_t n = 1;

    for (int i = t->rank - 1; i >= 0; i--) {
        strides[i] = n;
        n *= t->dims[i];
    }
}

/* i32, wrapping never needed: the verifier has seen that the values fit. */
void machine_arange(const Op *op, int32_t *dst)
{
    int32_t start = (int32_t)attr_start(op), n = op->results[0]->type->dims[0];

    for (int32_t i = 0; i < n; i++)
        dst[i] = start + i;
}

void machine_move(const Op *op, void *to_elements, const void *from_elements)
{
    const Type *from = op->operands[0]->type, *to = op->results[0]->type;
    int64_t dims[MAX_RANK], dst[MAX_RANK], src[MAX_RANK], steps[MAX_RANK], first = 0;
    const size_t size = value_size(op->results[0]);
    Move m;

    if (!op_move(op, &m))
        bug("%s moves elements in no known way", op_info(op->code)->name);
    row_major(to, dst);
    row_major(from, src);
    for (int i = 0; i < to->rank; i++) {
        dims[i] = to->dims[i];
        steps[i] = 0;
    }
    for (int i = 0; i < from->rank; i++) {
        first += m.start[i] * src[i];
        if (m.follows[i] >= 0)
            steps[m.follows[i]] += src[i];
    }
    machine_copy_strided(to_elements, dst, (const char *)from_elements + (size_t)first * size,
                         steps, to->rank, dims, size);
}

/* Element i of a tile of any integers. */
static int64_t int_at(const void *tile, DType t, size_t i)
{
    size_t size = (size_t)dtype_size(t);
    uint64_t bits = 0;

    memcpy(&bits, (const char *)tile + i * size, size);
    return scalar_to_int(t, bits);
}

void exec_gather(Frame *f, const Op *op)
{
    int axis = (int)attr_axis(op);
    CombineView from = combine_view(op->operands[GATHER_SOURCE]->type, axis);
    CombineView to = combine_view(op->results[0]->type, axis);
    DType t = op->operands[GATHER_INDEX]->type->dtype;
    const char *src = operand(f, op, GATHER_SOURCE);
    const void *index = operand(f, op, GATHER_INDEX);
    size_t size = value_size(op->results[0]), n = value_numel(op->results[0]);
    char *dst = result(f, op);

    for (size_t i = 0; i < n; i++) {
        int64_t row = (int64_t)i / to.inner / to.length, column = (int64_t)i % to.inner;
        int64_t at = int_at(index, t, i);

        if (at < 0 || at >= from.length)
            memset(dst + i * size, 0, size);
        else
            memcpy(dst + i * size,
                   src + (size_t)((row * from.length + at) * from.inner + column) * size, size);
    }
}

void exec_histogram(Frame *f, const Op *op)
{
    const Value *v = op->operands[HISTOGRAM_VALUES];
    const uint8_t *mask = op->noperands > HISTOGRAM_MASK ? operand(f, op, HISTOGRAM_MASK) : NULL;
    size_t n = value_numel(v), bins = value_numel(op->results[0]);
    int32_t *counts = result(f, op);

    memset(counts, 0, bins * sizeof *counts);
    for (size_t i = 0; i < n; i++) {
        int64_t bin = int_at(operand(f, op, HISTOGRAM_VALUES), v->type->dtype, i);

        if ((!mask || mask[i]) && bin >= 0 && bin < (int64_t)bins)
            counts[bin]++;
    }
}

/* --- sort --- */

/* Unsigned numbers in the order that is asked for; the same again gives the element back. */
static uint64_t key_flip(const Op *op)
{
    DType t = op->operands[0]->type->dtype;
    uint64_t sign = dtype_is_signed(t) ? UINT64_C(1) << 63 : 0;

    return attr_descending(op) ? ~sign : sign;
}

static int by_key(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

void exec_sort(Frame *f, const Op *op)
{
    const Type *from = op->operands[0]->type, *to = op->results[0]->type;
    size_t columns = (size_t)from->dims[from->rank - 1], kept = (size_t)to->dims[to->rank - 1];
    size_t rows = value_numel(op->operands[0]) / columns, size = value_size(op->operands[0]);
    const uint64_t flip = key_flip(op);
    uint64_t *keys = op_temp(f, slots_of_op(f, op), 0);
    char *dst = result(f, op);

    for (size_t r = 0; r < rows; r++) {
        for (size_t i = 0; i < columns; i++)
            keys[i] = (uint64_t)int_at(operand(f, op, 0), from->dtype, r * columns + i) ^ flip;
        qsort(keys, columns, sizeof *keys, by_key);
        for (size_t i = 0; i < kept; i++) {
            uint64_t bits = keys[i] ^ flip;
            memcpy(dst + (r * kept + i) * size, &bits, size);
        }
    }
}
