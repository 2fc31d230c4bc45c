/*
 * matrix.c - ldmatrix, stmatrix and mma.sync
 *
 * Where the elements of a matrix lie in the registers of a warp follows one rule.  With P elements
 * in a register of 32 bits, a lane has row `lane / 4` and columns `lane % 4 * P` up to P more; the
 * second register of the left operand has the row 8 below, the third and fourth the columns 4 * P
 * to the right.  The right operand is the same, transposed, and results are pairs of columns.
 *
 * Products are exact; a sum of f16, bf16, tf32 and f8 products and its addend is rounded once, from
 * double.  Chips cut bits off on the way, so their last bits differ (docs/simulator.md).
 */
#include <math.h>
#include <string.h>

#include "../base/base.h"
VECTOR_LOOPS /* in front of the functions of headers, too: they are inlined */

#include "lanes.h"
#include "small.h"

enum { MOST_K = 32, ROWS = 16, COLUMNS = 8, QUAD = 4 };

bool matrix_whole_warp(Warp *w, uint32_t mask)
{
    if (mask == ALL_LANES)
        return true;
    fault(w, SIM_SYNC, __builtin_ctz(~mask),
          "a matrix instruction that a part of the warp does not reach");
    return false;
}

/* --- ldmatrix and stmatrix: 8x8 matrices of 16-bit elements --- */

/* The element at which lane and half of its register lie. */
static uint32_t matrix_row(const Inst *in, uint32_t lane, uint32_t half)
{
    return has(in, MOD_TRANS) ? lane % QUAD * 2 + half : lane / QUAD;
}
static uint32_t matrix_column(const Inst *in, uint32_t lane, uint32_t half)
{
    return has(in, MOD_TRANS) ? lane / QUAD : lane % QUAD * 2 + half;
}

/* The rows in the host's memory. */
static bool resolve_rows(Warp *w, const Inst *in, uint32_t mask, AccessKind kind, char *host[LANES])
{
    uint32_t lanes = 8 * (uint32_t)in->nops;
    uint32_t who = lanes == LANES ? ALL_LANES : (UINT32_C(1) << lanes) - 1;
    uint64_t address[LANES];

    access_addresses(w, &in->at[0], address);
    return matrix_whole_warp(w, mask) &&
           access_resolve(w, (PtxSpace)in->space, kind, 16, who, address, host);
}

void matrix_load(Warp *w, const Inst *in, uint32_t mask)
{
    char *host[LANES];

    if (!resolve_rows(w, in, mask, ACCESS_READ, host))
        return;
    for (int m = 0; m < in->nops; m++) {
        uint16_t *d = OPERAND(w, in, m, uint16_t);

        for (uint32_t i = 0; i < 2 * LANES; i++) {
            const char *row = host[8 * (uint32_t)m + matrix_row(in, i / 2, i % 2)];

            memcpy(&d[i], row + 2 * matrix_column(in, i / 2, i % 2), 2);
        }
    }
}

void matrix_store(Warp *w, const Inst *in, uint32_t mask)
{
    char *host[LANES];

    if (!resolve_rows(w, in, mask, ACCESS_WRITE, host))
        return;
    for (int m = 0; m < in->nops; m++) {
        const uint16_t *s = OPERAND(w, in, m, uint16_t);

        for (uint32_t i = 0; i < 2 * LANES; i++) {
            char *row = host[8 * (uint32_t)m + matrix_row(in, i / 2, i % 2)];

            memcpy(row + 2 * matrix_column(in, i / 2, i % 2), &s[i], 2);
        }
    }
}

/* --- mma --- */

/* What the operands of one instruction are. */
typedef struct {
    const Inst *in;
    int rows, k;
    int results, lefts, rights; /* registers */
    PtxType d, a, b, c;
} Shape;

/* Left operands have a register for each 8 rows and 4 * P columns, right ones for each 4 * P. */
static Shape shape_of(const Inst *in, int rows)
{
    Shape s = {.in = in,
               .rows = rows,
               .d = (PtxType)in->type[0],
               .a = (PtxType)in->type[1],
               .b = (PtxType)in->type[2],
               .c = (PtxType)in->type[3]};
    int per = MAX(32 / ptx_type_bits[s.a], 1);

    s.results = s.d == PTX_F16 ? 2 : rows / 4;
    s.rights = (in->nops - 2 * s.results) * 8 / (rows + 8);
    s.lefts = s.rights * rows / 8;
    s.k = s.rights * QUAD * per;
    return s;
}

void matrix_widen(PtxType t, const void *from, int n, double *out)
{
    if (t == PTX_F64) {
        memcpy(out, from, (size_t)n * sizeof *out);
    } else if (t == PTX_S8) {
        for (int i = 0; i < n; i++)
            out[i] = ((const int8_t *)from)[i];
    } else if (t == PTX_U8) {
        for (int i = 0; i < n; i++)
            out[i] = ((const uint8_t *)from)[i];
    } else {
        small_widen(t, from, n, out);
    }
}

/* The elements of a register, those of lane 0 first. */
static void widen(Warp *w, uint32_t place, PtxType t, int per, double *out)
{
    matrix_widen(t, REG(w, place, char), LANES * per, out);
}

static void gather_operands(Warp *w, const Shape *s, double a[ROWS][MOST_K],
                            double b[MOST_K][COLUMNS])
{
    int per = MAX(32 / ptx_type_bits[s->a], 1), halves = s->rows / 8, quad = QUAD * per;
    double row[LANES * 4] = {0};

    for (int r = 0; r < s->lefts; r++) { /* a row of the matrix is `quad` elements of a register */
        widen(w, s->in->op[s->results + r], s->a, per, row);
        for (int i = 0; i < 8; i++)
            memcpy(&a[i + 8 * (r % halves)][quad * (r / halves)], &row[i * quad],
                   (size_t)quad * sizeof *row);
    }
    for (int r = 0; r < s->rights; r++) {
        widen(w, s->in->op[s->results + s->lefts + r], s->b, per, row);
        for (int i = 0; i < 8 * quad; i++)
            b[quad * r + i % quad][i / quad] = row[i];
    }
}

WIDE_LOOPS void multiply_matrices_loops(const Shape *s, double a[ROWS][MOST_K],
                                        double b[MOST_K][COLUMNS], double d[ROWS][COLUMNS])
{
    for (int i = 0; i < s->rows; i++) {
        double sums[COLUMNS] = {0};

        for (int k = 0; k < s->k; k++) {
            for (int j = 0; j < COLUMNS; j++)
                /* NOLINTNEXTLINE(*UndefinedBinaryOperatorResult): s->k columns were gathered */
                sums[j] += a[i][k] * b[k][j];
        }
        memcpy(d[i], sums, sizeof sums);
    }
}
WIDE(static, multiply_matrices,
     (const Shape *s, double a[ROWS][MOST_K], double b[MOST_K][COLUMNS], double d[ROWS][COLUMNS]),
     (s, a, b, d))

/* f64 adds the products to the addend one by one, each rounded. */
static double add_in_order(const Shape *s, const double *a, double b[MOST_K][COLUMNS], int column,
                           double c)
{
    for (int k = 0; k < s->k; k++)
        c = fma(a[k], b[k][column], c);
    return c;
}

int32_t matrix_add_int(const Inst *in, double sum, int32_t c)
{
    int64_t all = (int64_t)sum + c;

    if (!has(in, MOD_SATFINITE))
        return (int32_t)(uint32_t)all;
    return (int32_t)(all > INT32_MAX ? INT32_MAX : all < INT32_MIN ? INT32_MIN : all);
}

uint32_t matrix_add_float(double sum, float c)
{
    double all = odd_add(sum, c);

    return isnan(all) ? NAN_F32 : bits_of((float)all);
}

uint16_t matrix_add_half(double sum, uint16_t c)
{
    double all = odd_add(sum, small_to_double(PTX_F16, c));

    return (uint16_t)small_from_double(PTX_F16, all, ROUND_NEAREST, false);
}

/* The result of each lane: columns 2 * (lane % 4) and the next, row lane / 4, and 8 rows below. */
static void scatter_sums(Warp *w, const Shape *s, double a[ROWS][MOST_K], double b[MOST_K][COLUMNS],
                         double sums[ROWS][COLUMNS])
{
    const Inst *in = s->in;
    int first = in->nops - s->results; /* of the addend */

    for (uint32_t lane = 0; lane < LANES; lane++) {
        for (int e = 0; e < s->rows / 4; e++) {
            int row = (int)(lane / QUAD) + 8 * (e / 2), column = (int)(lane % QUAD) * 2 + e % 2;
            double sum = sums[row][column];

            if (s->d == PTX_F64) {
                double c = OPERAND(w, in, first + e, double)[lane];

                OPERAND(w, in, e, double)
                [lane] = add_in_order(s, a[row], b, column, c);
            } else if (s->d == PTX_S32) {
                OPERAND(w, in, e, int32_t)
                [lane] = matrix_add_int(in, sum, OPERAND(w, in, first + e, int32_t)[lane]);
            } else if (s->d == PTX_F32) {
                OPERAND(w, in, e, uint32_t)
                [lane] = matrix_add_float(sum, OPERAND(w, in, first + e, float)[lane]);
            } else {
                uint32_t i = 2 * lane + (uint32_t)e % 2;
                uint16_t c = OPERAND(w, in, first + e / 2, uint16_t)[i];

                OPERAND(w, in, e / 2, uint16_t)[i] = matrix_add_half(sum, c);
            }
        }
    }
}

static void matrix_multiply_add(Warp *w, const Inst *in, uint32_t mask, int rows)
{
    double a[ROWS][MOST_K], b[MOST_K][COLUMNS], sums[ROWS][COLUMNS];
    Shape s = shape_of(in, rows);

    if (!matrix_whole_warp(w, mask))
        return;
    gather_operands(w, &s, a, b);
    multiply_matrices(&s, a, b, sums);
    scatter_sums(w, &s, a, b, sums);
}

void matrix_mma(Warp *w, const Inst *in, uint32_t mask)
{
    matrix_multiply_add(w, in, mask, ROWS);
}

/* m8n8k4 of f64 */
void matrix_mma8(Warp *w, const Inst *in, uint32_t mask)
{
    matrix_multiply_add(w, in, mask, 8);
}
