/*
 * interp_dot.c - products of tiles: a[..,M,K] b[..,K,N] + acc[..,M,N]
 *
 * fp16, bf16, fp8 and fp32 multiply and sum in fp32, fp64 in fp64, i8 in i32 with wrapping; k runs
 * from first to last.  The sum and the accumulator are added in that type and rounded once to the
 * accumulator's dtype.  Every `precision` is treated as ieee: more exact than asked is allowed.
 */
#include <string.h>

#include "machine.h"

VECTOR_LOOPS

DType dot_compute_dtype(const Op *op)
{
    DType t = op->operands[0]->type->dtype;

    return dtype_is_int(t) ? DT_I32 : t == DT_FP64 ? DT_FP64 : DT_FP32;
}

/* One product of matrices while it is computed. */
typedef struct {
    DType compute, acc_dtype;
    int64_t rows, depth, cols;
    void *sums;    /* DOT_ROWS rows of the product */
    void *widened; /* one row of the accumulator in the computing type */
} Dot;

/* Some rows of the product, at most DOT_ROWS: each row of b is read once for all of them. */
#define MULTIPLY(T, W)                                                                             \
    {                                                                                              \
        const T *x = a, *y = b;                                                                    \
        T *sums = d->sums;                                                                         \
        for (int64_t k = 0; k < d->depth; k++, y += d->cols) {                                     \
            for (int64_t m = 0; m < rows; m++) {                                                   \
                const W f = (W)x[m * d->depth + k];                                                \
                T *s = sums + m * d->cols;                                                         \
                EACH_LANE for (int64_t n = 0; n < d->cols; n++) s[n] = (T)((W)s[n] + f * (W)y[n]); \
            }                                                                                      \
        }                                                                                          \
        break;                                                                                     \
    }

static void multiply_rows(const Dot *d, const void *a, const void *b, int64_t rows)
{
    memset(d->sums, 0, (size_t)(rows * d->cols * dtype_size(d->compute)));
    switch (d->compute) {
    case DT_FP32:
        MULTIPLY(float, float)
    case DT_FP64:
        MULTIPLY(double, double)
    default:
        MULTIPLY(int32_t, uint32_t)
    }
}

static void convert(DType from, DType to, const void *src, void *dst, int64_t n)
{
    const int64_t rounding = ROUND_NEAREST;

    scalar_apply(OP_cast, &rounding, from, to, &src, dst, (size_t)n);
}

/* r = sums + acc; r may be acc. */
static void add_row(const Dot *d, const void *sums, const void *acc, void *r)
{
    const void *src[] = {sums, acc};

    if (d->acc_dtype == d->compute) {
        scalar_apply(OP_add, NULL, d->compute, d->compute, src, r, (size_t)d->cols);
        return;
    }
    convert(d->acc_dtype, d->compute, acc, d->widened, d->cols);
    src[1] = d->widened;
    scalar_apply(OP_add, NULL, d->compute, d->compute, src, d->widened, (size_t)d->cols);
    convert(d->compute, d->acc_dtype, d->widened, r, d->cols);
}

static void multiply(const Dot *d, const char *a, const char *b, const char *acc, char *r)
{
    int64_t size = dtype_size(d->compute), acc_row = d->cols * dtype_size(d->acc_dtype);

    for (int64_t m = 0; m < d->rows; m += DOT_ROWS) {
        int64_t rows = MIN(DOT_ROWS, d->rows - m);
        multiply_rows(d, a + m * d->depth * size, b, rows);
        for (int64_t i = 0; i < rows; i++)
            add_row(d, (char *)d->sums + i * d->cols * size, acc + (m + i) * acc_row,
                    r + (m + i) * acc_row);
    }
}

/* Operand i in the computing type: where it is, or converted into a temp. */
static const char *prepared(Frame *f, const Op *op, int i, DType compute)
{
    DType t = op->operands[i]->type->dtype;

    if (t == compute)
        return operand(f, op, i);
    void *temp = op_temp(f, slots_of_op(f, op), i);
    convert(t, compute, operand(f, op, i), temp, type_numel(op->operands[i]->type));
    return temp;
}

void exec_dot(Frame *f, const Op *op)
{
    const Type *a = op->operands[0]->type, *acc = op->operands[2]->type;
    const OpSlots *slots = slots_of_op(f, op);
    Dot d = {.compute = dot_compute_dtype(op),
             .acc_dtype = acc->dtype,
             .rows = acc->dims[acc->rank - 2],
             .depth = a->dims[a->rank - 1],
             .cols = acc->dims[acc->rank - 1],
             .sums = op_temp(f, slots, 2),
             .widened = op_temp(f, slots, 3)};
    int64_t batches = type_numel(acc) / (d.rows * d.cols), size = dtype_size(d.compute);
    int64_t acc_bytes = d.rows * d.cols * dtype_size(d.acc_dtype);
    const char *x = prepared(f, op, 0, d.compute), *y = prepared(f, op, 1, d.compute);

    for (int64_t i = 0; i < batches; i++)
        multiply(&d, x + i * d.rows * d.depth * size, y + i * d.depth * d.cols * size,
                 (char *)operand(f, op, 2) + i * acc_bytes, (char *)result(f, op) + i * acc_bytes);
}
