/*
 * cases.c - the kernels that are measured: arguments, and references computed in C
 *
 * A case's arrays are larger together than the caches of most machines (128 MB each where memory
 * is the bound).  Errors are relative to the largest expected value, computed in double.
 */
#include "bench.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double eps = 1e-5; /* of the kernels that take one */

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

static void put_none(Launch *l, const char *name)
{
    next_arg(l, name, TILEC_ARG_NONE);
}

static void put_float(Launch *l, const char *name, double v)
{
    next_arg(l, name, TILEC_ARG_FLOAT)->real = v;
}

static void put_text(Launch *l, const char *name, const char *v)
{
    next_arg(l, name, TILEC_ARG_STRING)->text = v;
}

static void put_flag(Launch *l, const char *name, bool v)
{
    next_arg(l, name, TILEC_ARG_BOOL)->integer = v;
}

/* A new fp32 array; an extent of 0 is no dimension. */
static float *put_array(Launch *l, const char *name, int64_t d0, int64_t d1, int64_t d2)
{
    int64_t *shape = l->shapes[l->nargs];
    tilec_arg *a = next_arg(l, name, TILEC_ARG_TENSOR);
    int64_t n = d0 * (d1 ? d1 : 1) * (d2 ? d2 : 1);

    memcpy(shape, (int64_t[]){d0, d1, d2}, 3 * sizeof *shape);
    a->tensor = (tilec_tensor){.data = pages((size_t)n * sizeof(float)),
                               .dtype = TILEC_FP32,
                               .ndim = 1 + (d1 > 0) + (d2 > 0),
                               .shape = shape};
    return a->tensor.data;
}

/* Uniform in [-1, 1), by SplitMix64. */
static float *put_random(Launch *l, const char *name, int64_t d0, int64_t d1, int64_t d2)
{
    uint64_t seed = (uint64_t)l->nargs << 32;
    float *x = put_array(l, name, d0, d1, d2);
    int64_t n = d0 * (d1 ? d1 : 1) * (d2 ? d2 : 1);

    for (int64_t k = 0; k < n; k++) {
        uint64_t z = seed + (uint64_t)(k + 1) * 0x9e3779b97f4a7c15u;

        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
        x[k] = (float)((z ^ (z >> 31)) >> 40) / 8388608.f - 1;
    }
    return x;
}

static const float *array(const Launch *l, const char *name)
{
    for (int i = 0; i < l->nargs; i++) {
        if (strcmp(l->args[i].name, name) == 0)
            return l->args[i].tensor.data;
    }
    return NULL;
}

void case_release(Launch *l)
{
    for (int i = 0; i < l->nargs; i++) {
        if (l->args[i].kind == TILEC_ARG_TENSOR)
            free(l->args[i].tensor.data);
    }
    memset(l, 0, sizeof *l);
}

static void set_grid(Launch *l, int64_t programs)
{
    l->grid[0] = (int32_t)programs;
    l->grid[1] = l->grid[2] = 1;
}

/* The largest error and the largest wanted value so far. */
typedef struct {
    double error, size;
} Worst;

static void judge(Worst *w, double got, double want)
{
    double e = fabs(got - want);

    if (!(e <= w->error)) /* NaN counts as infinitely wrong */
        w->error = isnan(e) ? INFINITY : e;
    w->size = fmax(w->size, fabs(want));
}

static double relative(const Worst *w)
{
    return w->size > 0 ? w->error / w->size : w->error;
}

/* add: rows x columns elements in a line */

static void prepare_add(const Case *c, Launch *l)
{
    int64_t n = c->rows * c->columns;

    put_random(l, "x", n, 0, 0);
    put_random(l, "y", n, 0, 0);
    put_array(l, "out", n, 0, 0);
    put_int(l, "n", n);
    put_int(l, "BLOCK", 1024);
    set_grid(l, (n + 1023) / 1024);
}

static double error_add(const Case *c, const Launch *l)
{
    const float *x = array(l, "x"), *y = array(l, "y"), *out = array(l, "out");
    Worst w = {0, 0};

    for (int64_t k = 0; k < c->rows * c->columns; k++)
        judge(&w, (double)out[k], (double)x[k] + (double)y[k]);
    return relative(&w);
}

/* square and softmax: rows of a matrix */

static void prepare_rows(const Case *c, Launch *l)
{
    put_random(l, "x", c->rows, c->columns, 0);
    put_array(l, "out", c->rows, c->columns, 0);
    put_int(l, "x_stride", c->columns);
    put_int(l, "out_stride", c->columns);
    put_int(l, "n_cols", c->columns);
    put_int(l, "BLOCK", c->columns);
    set_grid(l, c->rows);
}

static double error_square(const Case *c, const Launch *l)
{
    const float *x = array(l, "x"), *out = array(l, "out");
    Worst w = {0, 0};

    for (int64_t k = 0; k < c->rows * c->columns; k++)
        judge(&w, (double)out[k], (double)x[k] * (double)x[k]);
    return relative(&w);
}

static double error_softmax(const Case *c, const Launch *l)
{
    Worst w = {0, 0};

    for (int64_t i = 0; i < c->rows; i++) {
        const float *x = array(l, "x") + i * c->columns, *out = array(l, "out") + i * c->columns;
        double sum = 0;

        for (int64_t j = 0; j < c->columns; j++)
            sum += exp((double)x[j]);
        for (int64_t j = 0; j < c->columns; j++)
            judge(&w, (double)out[j], exp((double)x[j]) / sum);
    }
    return relative(&w);
}

/* layer norm: rows of a matrix */

static void prepare_norm(const Case *c, Launch *l)
{
    put_random(l, "x", c->rows, c->columns, 0);
    put_array(l, "y", c->rows, c->columns, 0);
    put_random(l, "weight", c->columns, 0, 0);
    put_random(l, "bias", c->columns, 0, 0);
    put_array(l, "mean", c->rows, 0, 0);
    put_array(l, "rstd", c->rows, 0, 0);
    put_int(l, "n_cols", c->columns);
    put_int(l, "x_row", c->columns);
    put_int(l, "y_row", c->columns);
    put_float(l, "eps", eps);
    put_int(l, "BLOCK", c->columns);
    set_grid(l, c->rows);
}

static double error_norm(const Case *c, const Launch *l)
{
    const float *weight = array(l, "weight"), *bias = array(l, "bias");
    Worst w = {0, 0};

    for (int64_t i = 0; i < c->rows; i++) {
        const float *x = array(l, "x") + i * c->columns, *y = array(l, "y") + i * c->columns;
        double mean = 0, variance = 0, n = (double)c->columns;

        for (int64_t j = 0; j < c->columns; j++)
            mean += (double)x[j] / n;
        for (int64_t j = 0; j < c->columns; j++)
            variance += ((double)x[j] - mean) * ((double)x[j] - mean) / n;
        for (int64_t j = 0; j < c->columns; j++)
            judge(&w, (double)y[j],
                  ((double)x[j] - mean) / sqrt(variance + eps) * (double)weight[j] +
                      (double)bias[j]);
    }
    return relative(&w);
}

/* GIoU: rows samples of columns boxes */

/* Give every box a size, and leave the last fifth of each sample's true boxes empty. */
static void make_boxes(const Case *c, float *boxes, bool truth)
{
    for (int64_t k = 0; k < c->rows * c->columns; k++) {
        float *box = boxes + 4 * k;

        box[2] = box[0] + 1.1f + box[2];
        box[3] = box[1] + 1.1f + box[3] + 1;
        if (truth && k % c->columns >= c->columns * 4 / 5)
            memset(box, 0, 4 * sizeof *box);
    }
}

static void prepare_giou(const Case *c, Launch *l)
{
    make_boxes(c, put_random(l, "pred", c->rows, c->columns, 4), false);
    make_boxes(c, put_random(l, "gt", c->rows, c->columns, 4), true);
    put_array(l, "out", c->rows, c->columns, 0);
    put_int(l, "n_boxes", c->columns);
    put_float(l, "eps", eps);
    put_int(l, "BLOCK", c->columns);
    set_grid(l, c->rows);
}

static double giou(const float *p, const float *g)
{
    double pl = (double)p[0], pt = (double)p[1], pr = (double)p[2], pb = (double)p[3];
    double gl = (double)g[0], gt = (double)g[1], gr = (double)g[2], gb = (double)g[3];
    double common = fmax(fmin(pr, gr) - fmax(pl, gl), 0) * fmax(fmin(pb, gb) - fmax(pt, gt), 0);
    double total = (pr - pl) * (pb - pt) + (gr - gl) * (gb - gt) - common;
    double around = (fmax(pr, gr) - fmin(pl, gl)) * (fmax(pb, gb) - fmin(pt, gt));

    return gb > 0 ? common / (total + eps) - (around - total) / (around + eps) : 0;
}

static double error_giou(const Case *c, const Launch *l)
{
    const float *pred = array(l, "pred"), *gt = array(l, "gt"), *out = array(l, "out");
    Worst w = {0, 0};

    for (int64_t k = 0; k < c->rows * c->columns; k++)
        judge(&w, (double)out[k], giou(pred + 4 * k, gt + 4 * k));
    return relative(&w);
}

/* matmul: square matrices of `rows` */

static void prepare_matmul(const Case *c, Launch *l)
{
    static const char *const strides[] = {"stride_am", "stride_bk", "stride_cm"};
    static const char *const ones[] = {"stride_ak", "stride_bn", "stride_cn"};
    int64_t n = c->rows, block_m = 64, block_n = 128, block_k = 64;

    put_random(l, "a", n, n, 0);
    put_random(l, "b", n, n, 0);
    put_array(l, "c", n, n, 0);
    put_int(l, "M", n);
    put_int(l, "N", n);
    put_int(l, "K", n);
    for (int i = 0; i < 3; i++) {
        put_int(l, strides[i], n);
        put_int(l, ones[i], 1);
    }
    put_int(l, "BLOCK_M", block_m);
    put_int(l, "BLOCK_N", block_n);
    put_int(l, "BLOCK_K", block_k);
    put_int(l, "GROUP_M", 8);
    set_grid(l, (n + block_m - 1) / block_m * ((n + block_n - 1) / block_n));
}

/* Every 37th row, since the reference is slow. */
static double error_matmul(const Case *c, const Launch *l)
{
    const float *a = array(l, "a"), *b = array(l, "b"), *out = array(l, "c");
    int64_t n = c->rows;
    double *row = calloc((size_t)n, sizeof *row);
    Worst w = {0, 0};

    if (!row)
        bench_stop("out of memory", NULL);
    for (int64_t i = 0; i < n; i += 37) {
        memset(row, 0, (size_t)n * sizeof *row);
        for (int64_t k = 0; k < n; k++) {
            for (int64_t j = 0; j < n; j++)
                row[j] += (double)a[i * n + k] * (double)b[k * n + j];
        }
        for (int64_t j = 0; j < n; j++)
            judge(&w, (double)out[i * n + j], row[j]);
    }
    free(row);
    return relative(&w);
}

/* the gradient of layer norm: rows of a matrix, 16 a program */

static void prepare_norm_backward(const Case *c, Launch *l)
{
    int64_t each = 16, programs = (c->rows + each - 1) / each;

    put_random(l, "d_y", c->rows, c->columns, 0);
    put_random(l, "x", c->rows, c->columns, 0);
    put_random(l, "weight", c->columns, 0, 0);
    put_random(l, "mean", c->rows, 0, 0);
    put_random(l, "rstd", c->rows, 0, 0);
    put_array(l, "d_x", c->rows, c->columns, 0);
    put_array(l, "weight_sums", programs, c->columns, 0);
    put_array(l, "bias_sums", programs, c->columns, 0);
    put_int(l, "n_rows", c->rows);
    put_int(l, "n_cols", c->columns);
    put_int(l, "d_y_row", c->columns);
    put_int(l, "x_row", c->columns);
    put_int(l, "d_x_row", c->columns);
    put_int(l, "ROWS", each);
    put_int(l, "BLOCK", c->columns);
    set_grid(l, programs);
}

static double error_norm_backward(const Case *c, const Launch *l)
{
    const float *weight = array(l, "weight");
    double n = (double)c->columns;
    Worst w = {0, 0};

    for (int64_t i = 0; i < c->rows; i++) {
        const float *x = array(l, "x") + i * c->columns, *d_y = array(l, "d_y") + i * c->columns;
        const float *d_x = array(l, "d_x") + i * c->columns;
        double mean = (double)array(l, "mean")[i], rstd = (double)array(l, "rstd")[i];
        double along = 0, shift = 0;

        for (int64_t j = 0; j < c->columns; j++) {
            double g = (double)d_y[j] * (double)weight[j];

            along += g * ((double)x[j] - mean) * rstd / n;
            shift += g / n;
        }
        for (int64_t j = 0; j < c->columns; j++)
            judge(&w, (double)d_x[j],
                  rstd * ((double)d_y[j] * (double)weight[j] -
                          ((double)x[j] - mean) * rstd * along - shift));
    }
    return relative(&w);
}

/* cross entropy with its gradient: rows of logits, of which every 11th is ignored */

static void prepare_entropy(const Case *c, Launch *l)
{
    int64_t *shape = l->shapes[1];
    int64_t *targets = pages((size_t)c->rows * sizeof *targets);

    put_random(l, "logits", c->rows, c->columns, 0);
    for (int64_t i = 0; i < c->rows; i++)
        targets[i] = i % 11 == 10 ? -100 : i * 7919 % c->columns;
    shape[0] = c->rows;
    next_arg(l, "targets", TILEC_ARG_TENSOR)->tensor =
        (tilec_tensor){.data = targets, .dtype = TILEC_I64, .ndim = 1, .shape = shape};
    put_array(l, "losses", c->rows, 0, 0);
    put_array(l, "lse", c->rows, 0, 0);
    put_array(l, "gradient", c->rows, c->columns, 0);
    put_random(l, "factor", 1, 0, 0);
    put_int(l, "n_cols", c->columns);
    put_int(l, "logits_row", c->columns);
    put_int(l, "gradient_row", c->columns);
    put_int(l, "ignore_index", -100);
    put_float(l, "smoothing", 0);
    put_float(l, "z", 0);
    put_int(l, "SMOOTHED", 0);
    put_int(l, "BLOCK", 4096);
    set_grid(l, c->rows);
}

static double error_entropy(const Case *c, const Launch *l)
{
    const int64_t *targets = l->args[1].tensor.data;
    double factor = (double)array(l, "factor")[0];
    Worst losses = {0, 0}, gradients = {0, 0};

    for (int64_t i = 0; i < c->rows; i++) {
        const float *x = array(l, "logits") + i * c->columns;
        const float *gradient = array(l, "gradient") + i * c->columns;
        double sum = 0, counts = targets[i] >= 0;

        for (int64_t j = 0; j < c->columns; j++)
            sum += exp((double)x[j]);
        judge(&losses, (double)array(l, "losses")[i],
              targets[i] >= 0 ? log(sum) - (double)x[targets[i]] : 0);
        for (int64_t j = 0; j < c->columns; j++)
            judge(&gradients, (double)gradient[j],
                  counts * factor * (exp((double)x[j]) / sum - (j == targets[i])));
    }
    return fmax(relative(&losses), relative(&gradients));
}

/* rotary embedding: rows positions of 32 heads of q and 8 of k, each of `columns` elements */

enum { HEADS = 32, KV_HEADS = 8 };

/* Put the three strides of a contiguous array [1, rows, heads, columns]. */
static void put_strides(const Case *c, Launch *l, const char *const names[3], int64_t heads)
{
    put_int(l, names[0], c->rows * heads * c->columns);
    put_int(l, names[1], heads * c->columns);
    put_int(l, names[2], c->columns);
}

static void prepare_turns(const Case *c, Launch *l, bool interleaved)
{
    static const char *const strides[4][3] = {{"q_batch", "q_row", "q_head"},
                                              {"k_batch", "k_row", "k_head"},
                                              {"q_out_batch", "q_out_row", "q_out_head"},
                                              {"k_out_batch", "k_out_row", "k_out_head"}};
    int64_t block_t = 16, d = c->columns;

    put_random(l, "q", c->rows, HEADS, d);
    put_random(l, "k", c->rows, KV_HEADS, d);
    put_array(l, "q_out", c->rows, HEADS, d);
    put_array(l, "k_out", c->rows, KV_HEADS, d);
    put_random(l, "cos", c->rows, d / 2, 0);
    put_random(l, "sin", c->rows, d / 2, 0);
    put_none(l, "positions");
    put_int(l, "offset", 0);
    put_float(l, "log_base", 0);
    put_int(l, "length", c->rows);
    put_int(l, "heads", HEADS);
    put_int(l, "kv_heads", KV_HEADS);
    put_int(l, "positions_batch", 0);
    for (int i = 0; i < 4; i++)
        put_strides(c, l, strides[i], i % 2 ? KV_HEADS : HEADS);
    put_int(l, "D", d);
    put_int(l, "D_ROT", d);
    put_int(l, "INTERLEAVED", interleaved);
    put_int(l, "INVERSE", 0);
    put_int(l, "IN_PLACE", 0);
    put_int(l, "BLOCK_T", block_t);
    put_int(l, "BLOCK", d / 2);
    put_int(l, "BLOCK_REST", 1);
    set_grid(l, (c->rows + block_t - 1) / block_t);
}

static void prepare_rope(const Case *c, Launch *l)
{
    prepare_turns(c, l, false);
}

static void prepare_rope_pairs(const Case *c, Launch *l)
{
    prepare_turns(c, l, true);
}

/* Pair j is at elements step * j and step * j + other. */
static double error_turns(const Case *c, const Launch *l, int64_t step, int64_t other)
{
    int64_t half = c->columns / 2;
    Worst w = {0, 0};

    for (int64_t i = 0; i < c->rows * HEADS; i++) {
        const float *x = array(l, "q") + i * c->columns, *out = array(l, "q_out") + i * c->columns;
        const float *cosine = array(l, "cos") + i / HEADS * half;
        const float *sine = array(l, "sin") + i / HEADS * half;

        for (int64_t j = 0; j < half; j++) {
            int64_t at = step * j;
            double a = (double)x[at], b = (double)x[at + other];

            judge(&w, (double)out[at], a * (double)cosine[j] - b * (double)sine[j]);
            judge(&w, (double)out[at + other], b * (double)cosine[j] + a * (double)sine[j]);
        }
    }
    return relative(&w);
}

static double error_rope(const Case *c, const Launch *l)
{
    return error_turns(c, l, 1, c->columns / 2);
}

static double error_rope_pairs(const Case *c, const Launch *l)
{
    return error_turns(c, l, 2, 1);
}

/* attention: eight heads of `rows` queries and keys, `columns` wide, each query seeing all keys */

enum { ATTENTION_HEADS = 8 };

static void prepare_attention(const Case *c, Launch *l)
{
    static const char *const arrays[] = {"q", "k", "v", "out"};
    static const char *const strides[4][3] = {{"q_batch", "q_head", "q_row"},
                                              {"k_batch", "k_head", "k_row"},
                                              {"v_batch", "v_head", "v_row"},
                                              {"out_batch", "out_head", "out_row"}};
    int64_t block = 64, heads = ATTENTION_HEADS, d = c->columns;

    for (int i = 0; i < 3; i++)
        put_random(l, arrays[i], heads, c->rows, d);
    put_array(l, arrays[3], heads, c->rows, d);
    put_array(l, "lse", heads, c->rows, 0);
    put_float(l, "scale", 0.125);
    put_int(l, "group", 1);
    put_int(l, "q_length", c->rows);
    put_int(l, "k_length", c->rows);
    for (int i = 0; i < 4; i++) {
        put_int(l, strides[i][0], heads * c->rows * d);
        put_int(l, strides[i][1], c->rows * d);
        put_int(l, strides[i][2], d);
    }
    put_int(l, "CAUSAL", 0);
    put_int(l, "D", d);
    put_int(l, "BLOCK_D", d);
    put_int(l, "BLOCK_M", block);
    put_int(l, "BLOCK_N", block);
    set_grid(l, (c->rows + block - 1) / block);
    l->grid[1] = ATTENTION_HEADS;
}

/* Judge the row of one query against all keys of its head. */
static void judge_query(const Case *c, const Launch *l, int64_t head, int64_t query, Worst *w)
{
    int64_t d = c->columns, first = head * c->rows * d;
    const float *q = array(l, "q") + first + query * d, *k = array(l, "k") + first;
    const float *v = array(l, "v") + first, *out = array(l, "out") + first + query * d;
    double sum = 0, *row = calloc((size_t)d, sizeof *row);

    if (!row)
        bench_stop("out of memory", NULL);
    for (int64_t j = 0; j < c->rows; j++) {
        double score = 0, weight;

        for (int64_t i = 0; i < d; i++)
            score += (double)q[i] * (double)k[j * d + i];
        weight = exp(0.125 * score);
        sum += weight;
        for (int64_t i = 0; i < d; i++)
            row[i] += weight * (double)v[j * d + i];
    }
    for (int64_t i = 0; i < d; i++)
        judge(w, (double)out[i], row[i] / sum);
    free(row);
}

/* Every 37th row, since the reference is slow. */
static double error_attention(const Case *c, const Launch *l)
{
    Worst w = {0, 0};

    for (int64_t i = 0; i < ATTENTION_HEADS * c->rows; i += 37)
        judge_query(c, l, i / c->rows, i % c->rows, &w);
    return relative(&w);
}

/* dilate: rows images of columns x columns pixels by DILATE x DILATE */

enum { DILATE = 15 };

static void put_image_strides(Launch *l, const char *between, const char *along, int64_t side)
{
    put_int(l, between, side * side);
    put_int(l, along, side);
}

static void prepare_dilate(const Case *c, Launch *l)
{
    int64_t side = c->columns, block_h = 64, block_w = 256;

    put_random(l, "x", c->rows, side, side);
    put_array(l, "out", c->rows, side, side);
    put_int(l, "H", side);
    put_int(l, "W", side);
    put_image_strides(l, "image_stride", "row_stride", side);
    put_image_strides(l, "out_image", "out_row", side);
    put_int(l, "value", 0);
    next_arg(l, "threshold", TILEC_ARG_NONE);
    put_text(l, "OP", "dilate");
    put_int(l, "KH", DILATE);
    put_int(l, "KW", DILATE);
    put_int(l, "ANCHOR_Y", DILATE / 2);
    put_int(l, "ANCHOR_X", DILATE / 2);
    put_text(l, "BORDER", "none");
    put_int(l, "BLOCK_H", block_h);
    put_int(l, "BLOCK_W", block_w);
    l->grid[0] = (int32_t)((side + block_w - 1) / block_w);
    l->grid[1] = (int32_t)((side + block_h - 1) / block_h);
    l->grid[2] = (int32_t)c->rows;
}

static double dilated(const float *image, int64_t side, int64_t y, int64_t x)
{
    double most = -INFINITY;

    for (int64_t i = y - DILATE / 2; i <= y + DILATE / 2; i++) {
        for (int64_t j = x - DILATE / 2; j <= x + DILATE / 2; j++) {
            if (i >= 0 && i < side && j >= 0 && j < side)
                most = fmax(most, (double)image[i * side + j]);
        }
    }
    return most;
}

/* Every 61st pixel. */
static double error_dilate(const Case *c, const Launch *l)
{
    const float *x = array(l, "x"), *out = array(l, "out");
    int64_t size = c->columns * c->columns;
    Worst w = {0, 0};

    for (int64_t k = 0; k < c->rows * size; k += 61) {
        int64_t at = k % size;

        judge(&w, (double)out[k],
              dilated(x + k - at, c->columns, at / c->columns, at % c->columns));
    }
    return relative(&w);
}

/* timex: 8 samples of rows channels and columns times */

enum { SAMPLES = 8 };

static void prepare_timex(const Case *c, Launch *l)
{
    int64_t T = c->columns, block_t = 64, block_b = 16;

    put_random(l, "k", SAMPLES, c->rows, T);
    put_random(l, "w", c->rows, T, 0);
    put_array(l, "out", SAMPLES, c->rows, T);
    put_int(l, "B", SAMPLES);
    put_int(l, "T", T);
    put_float(l, "eps", 0.5);
    put_int(l, "k_batch", c->rows * T);
    put_int(l, "k_channel", T);
    put_int(l, "w_channel", T);
    put_int(l, "out_batch", c->rows * T);
    put_int(l, "out_channel", T);
    put_flag(l, "TOEPLITZ", true);
    put_int(l, "BLOCK_B", block_b);
    put_int(l, "BLOCK_T", block_t);
    put_int(l, "BLOCK_U", 64);
    put_flag(l, "REVERSED", false);
    l->grid[0] = (int32_t)((T + block_t - 1) / block_t);
    l->grid[1] = (int32_t)c->rows;
    l->grid[2] = (SAMPLES + 15) / 16;
}

/* Every 37th time. */
static double error_timex(const Case *c, const Launch *l)
{
    const float *k = array(l, "k"), *weights = array(l, "w"), *out = array(l, "out");
    int64_t T = c->columns;
    Worst w = {0, 0};

    for (int64_t row = 0; row < SAMPLES * c->rows; row++) {
        const float *last = weights + row % c->rows * T + T - 1;

        for (int64_t t = 0; t < T; t += 37) {
            double sum = 0.5;

            for (int64_t u = 0; u <= t; u++)
                sum += (double)last[u - t] * (double)k[row * T + u];
            judge(&w, (double)out[row * T + t], sum);
        }
    }
    return relative(&w);
}

/* find: a template of FIND x FIND pixels in rows images of columns x columns */

enum { FIND = 33, FIND_Y = 16, FIND_X = 64 };

static void prepare_find(const Case *c, Launch *l)
{
    int64_t side = c->columns, positions = side - FIND + 1;
    int64_t pieces = (positions + FIND_Y - 1) / FIND_Y * ((positions + FIND_X - 1) / FIND_X);

    put_random(l, "x", c->rows, side, side);
    put_random(l, "templates", FIND, FIND, 0);
    put_array(l, "scores", c->rows, pieces, 0);
    put_array(l, "places", c->rows, pieces, 0);
    l->args[l->nargs - 1].tensor.dtype = TILEC_I32;
    put_int(l, "H", side);
    put_int(l, "W", side);
    put_int(l, "top", 0);
    put_int(l, "left", 0);
    put_int(l, "rows", positions);
    put_int(l, "columns", positions);
    put_image_strides(l, "image_stride", "row_stride", side);
    put_int(l, "template_image", 0);
    put_int(l, "template_stride", FIND * FIND);
    put_int(l, "template_row", FIND);
    put_int(l, "TH", FIND);
    put_int(l, "TW", FIND);
    put_flag(l, "NORMALISED", false);
    put_int(l, "BLOCK_Y", FIND_Y);
    put_int(l, "BLOCK_X", FIND_X);
    l->grid[0] = (int32_t)pieces;
    l->grid[1] = 1;
    l->grid[2] = (int32_t)c->rows;
}

static double response(const float *x, const float *t, int64_t side)
{
    double sum = 0;

    for (int64_t i = 0; i < FIND; i++) {
        for (int64_t j = 0; j < FIND; j++)
            sum += (double)x[i * side + j] * (double)t[i * FIND + j];
    }
    return sum;
}

/* The largest response of the first piece of every image. */
static double error_find(const Case *c, const Launch *l)
{
    const float *x = array(l, "x"), *t = array(l, "templates"), *scores = array(l, "scores");
    int64_t side = c->columns;
    Worst w = {0, 0};

    for (int64_t k = 0; k < c->rows; k++) {
        double most = -INFINITY;

        for (int64_t p = 0; p < FIND_Y * FIND_X; p++)
            most =
                fmax(most, response(x + k * side * side + p / FIND_X * side + p % FIND_X, t, side));
        judge(&w, (double)scores[k * l->grid[0]], most);
    }
    return relative(&w);
}

/* clang-format off */
const Case cases[] = {
/*   name          file             kernel               rows   columns bound          floor */
    {"add",        "add.py",        "add_kernel",        32768, 1024,   MEMORY_BOUND,  0.8,
     prepare_add,  error_add},
    {"square",     "square.py",     "square_kernel",     32768, 1024,   MEMORY_BOUND,  0.8,
     prepare_rows, error_square},
    {"softmax",    "softmax.py",    "softmax_kernel",    32768, 1024,   MEMORY_BOUND,  0.8,
     prepare_rows, error_softmax},
    {"layer norm", "norms.py",      "norm_kernel",       4096,  8192,   MEMORY_BOUND,  0.8,
     prepare_norm, error_norm},
    {"norm gradient", "norms.py",   "norm_backward_kernel", 4096, 8192,  MEMORY_BOUND,  0.5,
     prepare_norm_backward, error_norm_backward},
    {"cross entropy", "cross_entropy.py", "cross_entropy_kernel", 1024, 32000, MEMORY_BOUND, 0.4,
     prepare_entropy, error_entropy},
    {"rope",       "rope.py",       "rope_kernel",       4096,  128,    MEMORY_BOUND,  0.5,
     prepare_rope, error_rope},
    {"rope pairs", "rope.py",       "rope_kernel",       4096,  128,    MEMORY_BOUND,  0.3,
     prepare_rope_pairs, error_rope_pairs},
    {"giou",       "giou.py",       "giou_kernel",       32768, 256,    MEMORY_BOUND,  0.5,
     prepare_giou, error_giou},
    {"matmul",     "matmul.py",     "matmul_kernel",     1024,  1024,   COMPUTE_BOUND, 0.5,
     prepare_matmul, error_matmul},
    {"attention",  "attention.py",  "attention_kernel",  1024,  64,     COMPUTE_BOUND, 0.1,
     prepare_attention, error_attention},
    {"dilate 15",  "morphology.py", "rectangle_kernel",  128,   512,    MEMORY_BOUND,  0.1,
     prepare_dilate, error_dilate},
    {"timex",      "timex.py",      "timex_kernel",      64,    768,    COMPUTE_BOUND, 0.1,
     prepare_timex, error_timex},
    {"find 33",    "registration.py", "find_kernel",     16,    256,    COMPUTE_BOUND, 0.1,
     prepare_find, error_find},
};
/* clang-format on */
const int case_count = sizeof cases / sizeof cases[0];
