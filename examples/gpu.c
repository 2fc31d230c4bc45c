/*
 * gpu.c - the same as add.c, on the first NVIDIA GPU: arrays in its memory, and how long it took
 *
 *     cc gpu.c $(pkg-config --cflags --libs tilec) && ./a.out kernels/add.py
 */
#include <stdio.h>
#include <tilec.h>

enum { N = 1000000, BLOCK = 1024, ARRAYS = 3 };
static const char device[] = "cuda";
static float host[ARRAYS][N]; /* x, y, out */

static tilec_place on_gpu(void *data)
{
    return (tilec_place){.data = data, .memory = TILEC_MEMORY_DEVICE, .device_id = 0};
}

static tilec_arg tensor(void *data)
{
    static const int64_t shape[] = {N};

    return (tilec_arg){.kind = TILEC_ARG_TENSOR,
                       .tensor = {.data = data,
                                  .dtype = TILEC_FP32,
                                  .ndim = 1,
                                  .shape = shape,
                                  .memory = TILEC_MEMORY_DEVICE}};
}

/* Send x and y, launch, and fetch what came out; copies wait for what was queued before them. */
static tilec_status add(tilec_context *ctx, tilec_file *file, void *const *there, double *seconds,
                        char **error)
{
    const tilec_launch_options options = {.device = device, .seconds = seconds};
    const int32_t grid[] = {(N + BLOCK - 1) / BLOCK, 1, 1};
    const tilec_arg args[] = {tensor(there[0]),
                              tensor(there[1]),
                              tensor(there[2]),
                              {.kind = TILEC_ARG_INT, .integer = N},
                              {.kind = TILEC_ARG_INT, .integer = BLOCK}};
    tilec_status status = TILEC_OK;

    for (int i = 0; i < 2 && !status; i++)
        status = tilec_copy(ctx, device, on_gpu(there[i]), (tilec_place){.data = host[i]},
                            sizeof host[i], NULL, error);
    if (!status)
        status = tilec_launch(file, "add_kernel", grid, args, 5, &options, error);
    if (!status)
        status = tilec_copy(ctx, device, (tilec_place){.data = host[2]}, on_gpu(there[2]),
                            sizeof host[2], NULL, error);
    return status;
}

int main(int argc, char **argv)
{
    tilec_context *ctx = NULL;
    tilec_file *file = NULL;
    tilec_unit gpu;
    void *there[ARRAYS] = {NULL};
    double seconds = 0;
    char *error = NULL;
    tilec_status status;

    for (int i = 0; i < N; i++)
        host[0][i] = (float)i, host[1][i] = 0.5f;
    status = tilec_open(NULL, &ctx, &error);
    if (!status && tilec_unit_info(ctx, device, 0, &gpu) != TILEC_OK) {
        printf("there is no GPU here\n");
        tilec_close(ctx);
        return 0;
    }
    if (!status)
        status = tilec_load_file(ctx, argc > 1 ? argv[1] : "kernels/add.py", &file, &error);
    for (int i = 0; i < ARRAYS && !status; i++)
        status = tilec_alloc(ctx, device, 0, sizeof host[i], &there[i], &error);
    if (!status)
        status = add(ctx, file, there, &seconds, &error);
    if (status)
        fprintf(stderr, "%s: %s", tilec_status_text(status), error ? error : "\n");
    else
        printf("%g + %g = %g on %s, in %.1f us\n", host[0][N - 1], host[1][N - 1], host[2][N - 1],
               gpu.name, seconds * 1e6);
    for (int i = 0; i < ARRAYS; i++)
        tilec_release(ctx, device, 0, there[i], NULL);
    tilec_unload(file);
    tilec_close(ctx);
    tilec_free(error);
    return status != TILEC_OK;
}
