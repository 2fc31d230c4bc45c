/*
 * softmax.c - a kernel from a string, its parameters, strided data, and what errors look like
 *
 * Softmax over the rows of a matrix that is a window of a larger one: its rows lie 1000 elements
 * apart, of which it has 781.  The result goes to a dense matrix and is checked here.
 *
 *     cc softmax.c $(pkg-config --cflags --libs tilec) -lm && ./a.out
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tilec.h>

enum { ROWS = 300, COLUMNS = 781, PITCH = 1000, FIRST = 17, BLOCK = 1024 };

static const char source[] =
    "import triton\n"
    "import triton.language as tl\n"
    "\n"
    "@triton.jit\n"
    "def softmax(out, x, out_stride, x_stride, columns, BLOCK: tl.constexpr):\n"
    "    row = tl.program_id(0)\n"
    "    j = tl.arange(0, BLOCK)\n"
    "    inside = j < columns\n"
    "    v = tl.load(x + row * x_stride + j, mask=inside, other=-float('inf'))\n"
    "    e = tl.exp(v - tl.max(v, axis=0))\n"
    "    tl.store(out + row * out_stride + j, e / tl.sum(e, axis=0), mask=inside)\n";

/* Stop with the library's own text when something failed. */
static void check(tilec_status status, char **error)
{
    if (status == TILEC_OK)
        return;
    fprintf(stderr, "%s: %s", tilec_status_text(status), *error ? *error : "\n");
    tilec_free(*error);
    exit(1);
}

static void print_parameters(const tilec_file *file, const char *kernel)
{
    tilec_param p;

    printf("%s(", kernel);
    for (int i = 0; tilec_param_info(file, kernel, i, &p) == TILEC_OK; i++)
        printf("%s%s%s", i > 0 ? ", " : "", p.name, p.is_constexpr ? ": constexpr" : "");
    printf(")\n");
}

/* The largest difference to the same in double precision. */
static double largest_error(const float *x, const float *out)
{
    double worst = 0;

    for (int i = 0; i < ROWS; i++) {
        const float *row = x + i * PITCH;
        double top = row[0], sum = 0;
        for (int j = 0; j < COLUMNS; j++)
            top = fmax(top, row[j]);
        for (int j = 0; j < COLUMNS; j++)
            sum += exp(row[j] - top);
        for (int j = 0; j < COLUMNS; j++)
            worst = fmax(worst, fabs(out[i * COLUMNS + j] - exp(row[j] - top) / sum));
    }
    return worst;
}

int main(void)
{
    static float big[ROWS * PITCH], out[ROWS * COLUMNS];
    float *window = big + FIRST;
    const int64_t shape[] = {ROWS, COLUMNS}, strides[] = {PITCH, 1};
    const int32_t grid[] = {ROWS, 1, 1};
    tilec_arg args[] = {
        {.kind = TILEC_ARG_TENSOR,
         .tensor = {.data = out, .dtype = TILEC_FP32, .ndim = 2, .shape = shape}},
        {.kind = TILEC_ARG_TENSOR,
         .tensor =
             {.data = window, .dtype = TILEC_FP32, .ndim = 2, .shape = shape, .strides = strides}},
        {.name = "x_stride", .kind = TILEC_ARG_INT, .integer = PITCH},
        {.name = "out_stride", .kind = TILEC_ARG_INT, .integer = COLUMNS},
        {.name = "columns", .kind = TILEC_ARG_INT, .integer = COLUMNS},
        {.name = "BLOCK", .kind = TILEC_ARG_INT, .integer = BLOCK},
    };
    tilec_context *ctx;
    tilec_file *file;
    char *error = NULL;

    for (int i = 0; i < ROWS * PITCH; i++)
        big[i] = (float)(i % 2003 * 919 % 2003) / 250 - 4;
    check(tilec_open(NULL, &ctx, &error), &error);
    check(tilec_load_string(ctx, "softmax.py", source, strlen(source), &file, &error), &error);
    print_parameters(file, "softmax");

    /* what a mistake looks like: nothing has run, and the text says where and why */
    args[4].name = "colums";
    tilec_status status = tilec_launch(file, "softmax", grid, args, 6, NULL, &error);
    printf("status: %s\n%s", tilec_status_text(status), error ? error : "");
    tilec_free(error);
    args[4].name = "columns";

    check(tilec_launch(file, "softmax", grid, args, 6, NULL, &error), &error);
    printf("largest error %.1g\n", largest_error(window, out));
    int wrong = largest_error(window, out) > 1e-6;
    tilec_unload(file);
    tilec_close(ctx);
    return wrong;
}
