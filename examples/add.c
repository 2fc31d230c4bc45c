/*
 * add.c - the shortest program: load kernels/add.py and add two arrays
 *
 *     cc add.c $(pkg-config --cflags --libs tilec) && ./a.out kernels/add.py
 */
#include <stdio.h>
#include <tilec_call.h>

enum { N = 100000, BLOCK = 1024 };

int main(int argc, char **argv)
{
    static float x[N], y[N], out[N];
    tilec_context *ctx = NULL;
    tilec_file *file = NULL;
    char *error = NULL;
    tilec_status status;

    for (int i = 0; i < N; i++)
        x[i] = (float)i, y[i] = 0.5f;
    if ((status = tilec_open(NULL, &ctx, &error)) ||
        (status = tilec_load_file(ctx, argc > 1 ? argv[1] : "kernels/add.py", &file, &error)) ||
        (status = tilec_call(file, "add_kernel", TILEC_GRID(tilec_cdiv(N, BLOCK)), &error,
                             TILEC_ARRAY(x, N), TILEC_ARRAY(y, N), TILEC_ARRAY(out, N),
                             TILEC_VALUE(N), TILEC_NAMED(BLOCK, BLOCK))))
        fprintf(stderr, "%s: %s", tilec_status_text(status), error ? error : "\n");
    else
        printf("%g + %g = %g\n", x[N - 1], y[N - 1], out[N - 1]);
    tilec_unload(file);
    tilec_close(ctx);
    tilec_free(error);
    return status != TILEC_OK;
}
