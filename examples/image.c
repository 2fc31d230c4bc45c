/*
 * image.c - read a grey image, let a kernel make its bright spots larger, write the result
 *
 *     cc image.c $(pkg-config --cflags --libs tilec-io) && ./a.out dilate.py in.png out.png
 *
 * Without names it takes a small image of its own and prints numbers.  Any format does that
 * tilec_io.h knows: the suffixes say which.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tilec_call.h>
#include <tilec_io.h>

static const char own[] = "P2 7 5 255\n"
                          "0 0 0 0 0 0 0\n"
                          "0 9 0 0 0 0 0\n"
                          "0 0 0 0 0 7 0\n"
                          "0 0 0 0 0 0 0\n"
                          "5 0 0 0 0 0 0\n";

/* 0 for what is no grey image. */
static size_t grey_bytes(const tilec_tensor *t)
{
    return t->ndim == 2 ? (size_t)(t->shape[0] * t->shape[1]) * tilec_dtype_size(t->dtype) : 0;
}

int main(int argc, char **argv)
{
    const char *kernel = argc > 1 ? argv[1] : "examples/dilate.py";
    const char *in = argc > 2 ? argv[2] : "own.pgm", *out = argc > 3 ? argv[3] : "-.csv";
    tilec_context *ctx = NULL;
    tilec_file *file = NULL;
    tilec_tensor x = {0}, y;
    char *error = NULL;
    tilec_status status;

    status = argc > 2 ? tilec_io_read(in, NULL, &x, &error)
                      : tilec_io_decode(in, own, strlen(own), NULL, &x, &error);
    y = x; /* of the same shape and type, in memory of its own */
    y.data = !status && grey_bytes(&x) ? malloc(grey_bytes(&x)) : NULL;
    if (!status && !y.data) {
        fprintf(stderr, "%s: no grey image, or no memory for another one\n", in);
        status = TILEC_REFUSED;
    }
    if (!status && !(status = tilec_open(NULL, &ctx, &error)) &&
        !(status = tilec_load_file(ctx, kernel, &file, &error)))
        status = tilec_call(file, "dilate",
                            TILEC_GRID(tilec_cdiv(x.shape[1], 256), tilec_cdiv(x.shape[0], 8)),
                            &error, {.kind = TILEC_ARG_TENSOR, .tensor = y},
                            {.kind = TILEC_ARG_TENSOR, .tensor = x}, TILEC_VALUE(x.shape[0]),
                            TILEC_VALUE(x.shape[1]), TILEC_NAMED(R, 1));
    if (!status)
        status = tilec_io_write(out, &y, NULL, &error);
    if (error)
        fprintf(stderr, "%s", error);
    free(y.data);
    tilec_io_free(&x);
    tilec_unload(file);
    tilec_close(ctx);
    tilec_free(error);
    return status != TILEC_OK;
}
