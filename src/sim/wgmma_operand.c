/*
 * wgmma_operand.c - where the operands of wgmma are, and what comes of them
 *
 * A descriptor of 64 bits says where an operand lies in shared memory, in units of 16 bytes, which
 * hold elements side by side along one dimension: along k, or, if it is transposed, along rows of A
 * or columns of B.  Its fields, by the PTX ISA, "Matrix Descriptor Format":
 *
 *   0-13   start address / 16          16-29  leading dimension byte offset / 16
 *   32-45  stride dimension byte offset / 16
 *   49-51  base offset                 62-63  swizzle: 0 none, 1 128 bytes, 2 64 bytes, 3 32 bytes
 *
 * With a swizzle of W units a pattern has 8 lines of W units each.  A line is a row of A or a
 * column of B, of which an instruction takes two units side by side; the next 8 lines are at the
 * stride.  Without a swizzle W is 1, and the second unit is at the leading offset.  Transposed, a
 * line is one k, and W units of it are side by side; the next 8 are at the stride, the next W units
 * at the leading offset.  Without a swizzle it is the other way around.
 *
 * The unit of an address, in its row of 128 bytes, is then changed by xor with the number of that
 * row: the address's own bits, whence patterns lie at multiples of 8 rows, or the base offset says
 * where they begin.
 */
#include <string.h>

#include "../base/base.h"
VECTOR_LOOPS /* in front of the functions of headers, too: they are inlined */

#include "small.h"
#include "wgmma.h"

enum { QUAD = 4, LINES = 8 };

static bool is_negative(const Warp *w, const Inst *in, int op)
{
    return op < in->nops && *OPERAND(w, in, op, int32_t) < 0;
}

static bool is_set(const Warp *w, const Inst *in, int op)
{
    return op < in->nops && *OPERAND(w, in, op, int32_t) != 0;
}

ProductShape wgmma_shape(const Warp *w, const Inst *in)
{
    bool registers = in->run == wgmma_mma_registers;
    int results = wgmma_results(in);
    int b = results + (registers ? 4 : 1), signs = b + 2, across = signs + 2;

    return (ProductShape){.results = results,
                          .a = results,
                          .b = b,
                          .a_in_registers = registers,
                          .a_across = !registers && is_set(w, in, across),
                          .b_across = is_set(w, in, across + !registers),
                          .negative = is_negative(w, in, signs) != is_negative(w, in, signs + 1),
                          .k = 256 / ptx_type_bits[in->type[1]]};
}

/* --- descriptors --- */

/* The field of 14 bits that begins there, in bytes. */
static uint32_t bytes_at(uint64_t descriptor, int bit)
{
    return (uint32_t)(descriptor >> bit & 0x3fff) * CHUNK;
}

/* Units of 16 bytes that lie side by side in a pattern. */
static uint32_t pattern_width(uint64_t descriptor)
{
    static const uint32_t widths[] = {1, 8, 4, 2};

    return widths[descriptor >> 62];
}

static uint32_t swizzle(uint64_t descriptor, uint32_t at)
{
    uint32_t base = (uint32_t)(descriptor >> 49 & 7), row = (at >> 7) - base;

    return at ^ (row & (pattern_width(descriptor) - 1)) << 4;
}

uint32_t wgmma_chunk(uint64_t descriptor, bool across, uint32_t line, uint32_t part)
{
    uint32_t at = bytes_at(descriptor, 0), leading = bytes_at(descriptor, 16);
    uint32_t stride = bytes_at(descriptor, 32), width = pattern_width(descriptor);

    at += line % LINES * width * CHUNK;
    if (width == 1)
        at += across ? line / LINES * leading + part * stride
                     : line / LINES * stride + part * leading;
    else if (across)
        at += line / LINES * stride + part / width * leading + part % width * CHUNK;
    else
        at += line / LINES * stride + part * CHUNK;
    return swizzle(descriptor, at);
}

static const char *chunk_of(const Warp *w, uint64_t descriptor, bool across, int line, int part)
{
    return w->block->shared + wgmma_chunk(descriptor, across, (uint32_t)line, (uint32_t)part);
}

/* --- operands --- */

/* As the left operand of mma.sync (matrix.c). */
static void gather_registers(Warp *w, const Product *p, const ProductShape *s,
                             double a[WGMMA_ROWS][WGMMA_MOST_K])
{
    PtxType type = (PtxType)p->in->type[1];
    int per = 32 / ptx_type_bits[type], quad = QUAD * per;
    double elements[LANES * 4];

    for (int r = 0; r < 4; r++) {
        matrix_widen(type, OPERAND(w, p->in, s->a + r, char), LANES * per, elements);
        for (int i = 0; i < 8; i++)
            memcpy(&a[i + 8 * (r % 2)][quad * (r / 2)], &elements[i * quad],
                   (size_t)quad * sizeof *elements);
    }
}

/* The rows of A of a warp, and below the columns of B, as numbers. */
static void gather_a(Warp *w, const Product *p, const ProductShape *s,
                     double a[WGMMA_ROWS][WGMMA_MOST_K])
{
    PtxType type = (PtxType)p->in->type[1];
    int per = CHUNK * 8 / ptx_type_bits[type], first = w->index % GROUP_WARPS * WGMMA_ROWS;
    double part[CHUNK];

    if (s->a_in_registers) {
        gather_registers(w, p, s, a);
        return;
    }
    for (int i = 0; i < WGMMA_ROWS && !s->a_across; i++) {
        for (int k = 0; k < s->k; k += per)
            matrix_widen(type, chunk_of(w, p->a, false, first + i, k / per), per, &a[i][k]);
    }
    for (int k = 0; k < s->k && s->a_across; k++) {
        for (int i = 0; i < WGMMA_ROWS; i += per) {
            matrix_widen(type, chunk_of(w, p->a, true, k, (first + i) / per), per, part);
            for (int e = 0; e < per; e++)
                a[i + e][k] = part[e];
        }
    }
}

static void gather_b(Warp *w, const Product *p, const ProductShape *s,
                     double b[WGMMA_MOST_K][WGMMA_MOST_COLUMNS])
{
    PtxType type = (PtxType)p->in->type[2];
    int per = CHUNK * 8 / ptx_type_bits[type], columns = p->in->columns;
    double part[CHUNK];

    for (int k = 0; k < s->k && s->b_across; k++) {
        for (int j = 0; j < columns; j += per)
            matrix_widen(type, chunk_of(w, p->b, true, k, j / per), per, &b[k][j]);
    }
    for (int j = 0; j < columns && !s->b_across; j++) {
        for (int k = 0; k < s->k; k += per) {
            matrix_widen(type, chunk_of(w, p->b, false, j, k / per), per, part);
            for (int e = 0; e < per; e++)
                b[k + e][j] = part[e];
        }
    }
}

/* --- products --- */

WIDE_LOOPS void multiply_rows_loops(int k, int columns, double a[WGMMA_ROWS][WGMMA_MOST_K],
                                    double b[WGMMA_MOST_K][WGMMA_MOST_COLUMNS],
                                    double d[WGMMA_ROWS][WGMMA_MOST_COLUMNS])
{
    for (int i = 0; i < WGMMA_ROWS; i++) {
        for (int j = 0; j < columns; j += 8) {
            double sums[8] = {0};

            for (int n = 0; n < k; n++) {
                for (int e = 0; e < 8; e++)
                    sums[e] += a[i][n] * b[n][j + e];
            }
            memcpy(&d[i][j], sums, sizeof sums);
        }
    }
}
WIDE(static, multiply_rows,
     (int k, int columns, double a[WGMMA_ROWS][WGMMA_MOST_K],
      double b[WGMMA_MOST_K][WGMMA_MOST_COLUMNS], double d[WGMMA_ROWS][WGMMA_MOST_COLUMNS]),
     (k, columns, a, b, d))

void wgmma_multiply_rows(int k, int columns, double a[WGMMA_ROWS][WGMMA_MOST_K],
                         double b[WGMMA_MOST_K][WGMMA_MOST_COLUMNS],
                         double d[WGMMA_ROWS][WGMMA_MOST_COLUMNS])
{
    multiply_rows(k, columns, a, b, d);
}

static void put_sum(Warp *w, const Product *p, int block, uint32_t lane, int e, double sum)
{
    const Inst *in = p->in;

    if (in->type[0] == PTX_F32) {
        uint32_t *d = OPERAND(w, in, 4 * block + e, uint32_t) + lane;

        *d = matrix_add_float(sum, p->adds ? float_of(*d) : 0);
    } else if (in->type[0] == PTX_S32) {
        int32_t *d = OPERAND(w, in, 4 * block + e, int32_t) + lane;

        *d = matrix_add_int(in, sum, p->adds ? *d : 0);
    } else {
        uint16_t *d = OPERAND(w, in, 2 * block + e / 2, uint16_t) + 2 * lane + e % 2;

        *d = matrix_add_half(sum, p->adds ? *d : 0);
    }
}

/* Of each 8 columns a lane has 2 * (lane % 4) and the next, of row lane / 4 and of 8 rows below. */
static void put_sums(Warp *w, const Product *p, double sign,
                     double sums[WGMMA_ROWS][WGMMA_MOST_COLUMNS])
{
    for (int block = 0; block < p->in->columns / 8; block++) {
        for (uint32_t lane = 0; lane < LANES; lane++) {
            for (int e = 0; e < 4; e++) {
                uint32_t row = lane / QUAD + 8 * ((uint32_t)e / 2);
                uint32_t column = 8 * (uint32_t)block + lane % QUAD * 2 + (uint32_t)e % 2;

                put_sum(w, p, block, lane, e, sign * sums[row][column]);
            }
        }
    }
}

void wgmma_multiply(Warp *first, const Product *p)
{
    double a[WGMMA_ROWS][WGMMA_MOST_K], b[WGMMA_MOST_K][WGMMA_MOST_COLUMNS];
    double sums[WGMMA_ROWS][WGMMA_MOST_COLUMNS];
    ProductShape s = wgmma_shape(first, p->in);

    gather_b(first, p, &s, b);
    for (int i = 0; i < GROUP_WARPS; i++) {
        gather_a(first + i, p, &s, a);
        multiply_rows(s.k, p->in->columns, a, b, sums);
        put_sums(first + i, p, s.negative ? -1 : 1, sums);
    }
}
