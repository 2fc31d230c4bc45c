/*
 * tune.c - find the fastest block size of kernels/add.py, once: later runs know it
 *
 * A file whose kernel has @triton.autotune says itself what to try; that of add.py has not.
 *
 *     cc tune.c $(pkg-config --cflags --libs tilec) && ./a.out kernels/add.py
 */
#include <stdio.h>
#include <tilec_call.h>

enum { N = 65536 };

static const tilec_arg small = {.name = "BLOCK", .kind = TILEC_ARG_INT, .integer = 64};
static const tilec_arg large = {.name = "BLOCK", .kind = TILEC_ARG_INT, .integer = 4096};
static const tilec_config sizes[] = {{&small, 1}, {&large, 1}};

static void grid(void *user, const tilec_config *config, int32_t out[3])
{
    (void)user;
    out[0] = (int32_t)tilec_cdiv(N, tilec_config_value(config, "BLOCK")->integer);
}

static void tell(void *user, const tilec_trial *trial)
{
    (void)user;
    printf("configuration %d: %.2f us\n", trial->number, trial->median * 1e6);
}

int main(int argc, char **argv)
{
    static float x[N], y[N], out[N];
    const tilec_arg args[] = {TILEC_ARRAY(x, N), TILEC_ARRAY(y, N), TILEC_ARRAY(out, N),
                              TILEC_VALUE(N)};
    tilec_tune_options options = {.grid = grid, .seconds = 2, .on_trial = tell};
    tilec_context *ctx = NULL;
    tilec_file *file = NULL;
    tilec_choice best;
    char *error = NULL;
    tilec_status status;

    if (!(status = tilec_open(NULL, &ctx, &error)) &&
        !(status = tilec_load_file(ctx, argc > 1 ? argv[1] : "kernels/add.py", &file, &error))) {
        if (tilec_config_count(file, NULL) == 0)
            options.configs = sizes, options.nconfigs = 2;
        status = tilec_tune(file, NULL, NULL, args, 4, NULL, &options, &best, &error);
    }
    if (status)
        fprintf(stderr, "%s: %s", tilec_status_text(status), error ? error : "\n");
    else
        printf("BLOCK=%d is the fastest%s\n",
               (int)tilec_config_value(&best.config, "BLOCK")->integer,
               best.was_known ? ", as was known" : "");
    tilec_unload(file);
    tilec_close(ctx);
    tilec_free(error);
    return status != TILEC_OK;
}
