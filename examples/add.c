/*
 * add.c - the shortest program: load kernels/add.py and add two arrays
 *
 *     cc add.c $(pkg-config --cflags --libs tilec) && ./a.out kernels/add.py
 */
#include <stdio.h>
#include <tilec.h>

enum { N = 100000, BLOCK = 1024 };

int main(int argc, char **argv)
{
    static float x[N], y[N], out[N];
    const int64_t shape[] = {N};
    const int32_t grid[] = {(N + BLOCK - 1) / BLOCK, 1, 1};
    const tilec_arg args[] = {
        {.kind = TILEC_ARG_TENSOR, .tensor = {x, TILEC_FP32, 1, shape}},
        {.kind = TILEC_ARG_TENSOR, .tensor = {y, TILEC_FP32, 1, shape}},
        {.kind = TILEC_ARG_TENSOR, .tensor = {out, TILEC_FP32, 1, shape}},
        {.kind = TILEC_ARG_INT, .integer = N},
        {.kind = TILEC_ARG_INT, .integer = BLOCK},
    };
    tilec_context *ctx = NULL;
    tilec_file *file = NULL;
    char *error = NULL;
    tilec_status status;

    for (int i = 0; i < N; i++)
        x[i] = (float)i, y[i] = 0.5f;
    if ((status = tilec_open(NULL, &ctx, &error)) ||
        (status = tilec_load_file(ctx, argc > 1 ? argv[1] : "kernels/add.py", &file, &error)) ||
        (status = tilec_launch(file, "add_kernel", grid, args, 5, NULL, &error)))
        fprintf(stderr, "%s: %s", tilec_status_text(status), error ? error : "\n");
    else
        printf("%g + %g = %g\n", x[N - 1], y[N - 1], out[N - 1]);
    tilec_unload(file);
    tilec_close(ctx);
    tilec_free(error);
    return status != TILEC_OK;
}
