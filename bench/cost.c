/*
 * cost.c - what a launch costs beside the kernel itself: the first one of a process on a GPU, part
 * by part, and those behind it on every device
 *
 * The first one is a process of its own, which bench/gpu.py starts.  Of the others the host's share
 * alone counts: the kernel is empty, and on a GPU launches are queued, beside the driver's own
 * call.
 */
#define _GNU_SOURCE
#include "bench.h"

#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- the first launch of a process --- */

enum { BOXES = 256, ROWS = 256, N = BOXES * ROWS, BLOCK = 1024, MOST_ARRAYS = 3 };

typedef struct {
    const char *name, *file, *kernel;
    int32_t programs;
    int narrays; /* the last one is written */
    size_t elements[MOST_ARRAYS];
    tilec_arg rest[3];
    float result; /* of the first element, where all of the others' are their index mod 7 */
} First;

static const First firsts[] = {
    {"add",
     "add.py",
     "add_kernel",
     (N + BLOCK - 1) / BLOCK,
     3,
     {N, N, N},
     {{.name = "n", .kind = TILEC_ARG_INT, .integer = N},
      {.name = "BLOCK", .kind = TILEC_ARG_INT, .integer = BLOCK}},
     10},
    {"giou",
     "giou.py",
     "giou_kernel",
     ROWS,
     3,
     {4 * N, 4 * N, N},
     {{.name = "n_boxes", .kind = TILEC_ARG_INT, .integer = BOXES},
      {.name = "eps", .kind = TILEC_ARG_FLOAT, .real = 1e-5},
      {.name = "BLOCK", .kind = TILEC_ARG_INT, .integer = BOXES}},
     1},
};

typedef struct {
    tilec_context *tilec;
    tilec_file *file;
    void *arrays[MOST_ARRAYS];
    int64_t shapes[MOST_ARRAYS];
    tilec_arg args[MOST_ARRAYS + 3];
    int nargs;
} Process;

static const tilec_launch_options on_gpu = {.device = "cuda"};

static void need(tilec_status status, const char *what, char *error)
{
    if (status != TILEC_OK)
        bench_stop(what, error);
}

/* Arrays in the GPU's memory: element i is 5 + i mod 2. */
static void fill_arrays(Process *p, const First *f)
{
    static float host[4 * N];
    char *error = NULL;

    for (int i = 0; i < 4 * N; i++)
        host[i] = (float)(i % 4 < 2 ? 5 : 6);
    for (int i = 0; i < f->narrays; i++) {
        size_t bytes = f->elements[i] * sizeof *host;
        const tilec_place from = {.data = host};

        need(tilec_alloc(p->tilec, "cuda", 0, bytes, &p->arrays[i], &error), "memory", error);
        const tilec_place to = {p->arrays[i], TILEC_MEMORY_DEVICE, 0};
        need(tilec_copy(p->tilec, "cuda", to, from, bytes, NULL, &error), "a copy", error);
        p->shapes[i] = (int64_t)f->elements[i];
        p->args[p->nargs++] = (tilec_arg){
            .kind = TILEC_ARG_TENSOR,
            .tensor = {p->arrays[i], TILEC_FP32, 1, &p->shapes[i], NULL, TILEC_MEMORY_DEVICE, 0}};
    }
    for (int i = 0; i < (int)(sizeof f->rest / sizeof *f->rest) && f->rest[i].name; i++)
        p->args[p->nargs++] = f->rest[i];
}

static void launch_first(Process *p, const First *f)
{
    const int32_t grid[3] = {f->programs, 1, 1};
    const tilec_place from = {p->arrays[f->narrays - 1], TILEC_MEMORY_DEVICE, 0};
    float result = 0;
    const tilec_place to = {.data = &result};
    char *error = NULL;

    need(tilec_launch(p->file, f->kernel, grid, p->args, p->nargs, &on_gpu, &error), f->name,
         error);
    need(tilec_copy(p->tilec, "cuda", to, from, sizeof result, NULL, &error), "a copy", error);
    if (fabsf(result - f->result) > 1e-4F)
        bench_stop(f->name, "it computes something else\n");
}

static tilec_stats stats_of(const Process *p, const First *f)
{
    const int32_t grid[3] = {f->programs, 1, 1};
    tilec_stats stats;
    char *error = NULL;

    need(tilec_launch_stats(p->file, f->kernel, grid, p->args, p->nargs, &on_gpu, &stats, &error),
         f->name, error);
    return stats;
}

/* Milliseconds from one moment to the next. */
static double lap(double *since)
{
    double before = *since;

    *since = now();
    return (*since - before) * 1e3;
}

static void put(const char *part, double milliseconds)
{
    printf("%s %.3f\n", part, milliseconds);
}

int bench_first(const char *kernels, const char *name, double born)
{
    const First *f = strcmp(name, firsts[0].name) == 0 ? &firsts[0] : &firsts[1];
    Process p = {0};
    tilec_unit unit;
    char path[4096], *error = NULL;
    double at = born;

    put("process", lap(&at));
    need(tilec_open(NULL, &p.tilec, &error), "tilec_open", error);
    if (tilec_unit_info(p.tilec, "cuda", 0, &unit) != TILEC_OK)
        bench_stop("there is no GPU", NULL);
    put("driver", lap(&at));
    fill_arrays(&p, f);
    put("context", lap(&at));
    snprintf(path, sizeof path, "%s/%s", kernels, f->file);
    need(tilec_load_file(p.tilec, path, &p.file, &error), path, error);
    put("parse", lap(&at));
    need(tilec_prepare(p.file, f->kernel, p.args, p.nargs, &on_gpu, &error), path, error);
    put("prepare", lap(&at));
    launch_first(&p, f);
    put("launch", lap(&at));
    put("total", (now() - born) * 1e3);
    launch_first(&p, f);
    put("again", lap(&at));
    tilec_stats s = stats_of(&p, f);
    put("generator", s.generator_seconds * 1e3);
    put("emit", s.emit_seconds * 1e3);
    put("assemble", s.assemble_seconds * 1e3);
    for (int i = 0; i < f->narrays; i++)
        tilec_release(p.tilec, "cuda", 0, p.arrays[i], NULL);
    tilec_unload(p.file);
    tilec_close(p.tilec);
    return 0;
}

/* --- the others --- */

enum { ROUNDS = 20, LAUNCHES = 500 }; /* fewer than a GPU's queue holds */

/* Of the driver, for its own launches. */
typedef struct {
    int (*retain)(void **context, int device);
    int (*push)(void *context);
    int (*load)(void **module, const void *image, unsigned n, int *options, void **values);
    int (*function)(void **function, void *module, const char *name);
    int (*launch)(void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                  unsigned bz, unsigned shared, void *stream, void **args, void **extra);
    void *kernel; /* that does nothing */
} Raw;

static const char empty_ptx[] = ".version 8.0\n.target sm_80\n.address_size 64\n"
                                ".visible .entry tilec_kernel(.param .u64 a, .param .u64 b,\n"
                                "    .param .u64 c, .param .u32 n)\n{\n  ret;\n}\n";

static void find(void *lib, const char *symbol, void *entry)
{
    void *found = dlsym(lib, symbol);

    if (!found)
        bench_stop(symbol, NULL);
    memcpy(entry, &found, sizeof found);
}

/* Makes the context current in which both kinds of launches happen. */
static void open_driver(Raw *raw)
{
    const char *path = getenv("TILEC_LIBCUDA");
    void *lib = dlopen(path ? path : "libcuda.so.1", RTLD_NOW | RTLD_LOCAL), *context, *module;
    int (*device_get)(int *device, int number), device;

    if (!lib)
        bench_stop("libcuda.so.1", NULL);
    find(lib, "cuDeviceGet", &device_get);
    find(lib, "cuDevicePrimaryCtxRetain", &raw->retain);
    find(lib, "cuCtxPushCurrent_v2", &raw->push);
    find(lib, "cuModuleLoadDataEx", &raw->load);
    find(lib, "cuModuleGetFunction", &raw->function);
    find(lib, "cuLaunchKernel", &raw->launch);
    if (device_get(&device, 0) || raw->retain(&context, device) || raw->push(context) ||
        raw->load(&module, empty_ptx, 0, NULL, NULL) ||
        raw->function(&raw->kernel, module, "tilec_kernel"))
        bench_stop("the driver's own launch", NULL);
}

static double raw_seconds(const Raw *raw)
{
    uint64_t slots[4] = {0};
    void *args[] = {&slots[0], &slots[1], &slots[2], &slots[3]};
    double start = now();

    for (int i = 0; i < LAUNCHES; i++)
        raw->launch(raw->kernel, 1, 1, 1, 128, 1, 1, 0, NULL, args, NULL);
    return (now() - start) / LAUNCHES;
}

static double our_seconds(tilec_file *file, const char *device, const tilec_arg *args, int nargs)
{
    const tilec_launch_options options = {.device = device};
    const int32_t grid[3] = {1, 1, 1};
    char *error = NULL;
    double start = now();

    for (int i = 0; i < LAUNCHES; i++)
        need(tilec_launch(file, NULL, grid, args, nargs, &options, &error), device, error);
    return (now() - start) / LAUNCHES;
}

/* The best of some rounds: what disturbs only adds. */
static double cost_on(tilec_context *tilec, tilec_file *file, const char *device, void *data,
                      const Raw *raw, double *raw_best)
{
    static const int64_t shape[] = {16};
    tilec_arg args[4] = {[3] = {.kind = TILEC_ARG_INT, .integer = 7}};
    double best = INFINITY;

    for (int i = 0; i < 3; i++)
        args[i] = (tilec_arg){.kind = TILEC_ARG_TENSOR,
                              .tensor = {data, TILEC_FP32, 1, shape, NULL,
                                         raw ? TILEC_MEMORY_DEVICE : TILEC_MEMORY_HOST, 0}};
    for (int i = 0; i < ROUNDS; i++) {
        best = fmin(best, our_seconds(file, device, args, 4));
        if (!raw)
            continue;
        tilec_wait(tilec, device, 0, NULL, NULL);
        *raw_best = fmin(*raw_best, raw_seconds(raw));
        tilec_wait(tilec, device, 0, NULL, NULL);
    }
    return best;
}

static void show_gpu_cost(tilec_context *tilec, tilec_file *file)
{
    double raw_best = INFINITY;
    Raw raw;
    char *error = NULL;
    void *data;

    open_driver(&raw);
    need(tilec_alloc(tilec, "cuda", 0, 64, &data, &error), "memory", error);
    double ours = cost_on(tilec, file, "cuda", data, &raw, &raw_best);
    printf("a launch on cuda: %.2f us, of the driver alone %.2f us\n", ours * 1e6, raw_best * 1e6);
    tilec_release(tilec, "cuda", 0, data, NULL);
}

int bench_launches(void)
{
    static const char source[] = "import triton\n\n@triton.jit\ndef k(a, b, c, n): pass\n";
    static float data[16];
    tilec_context *tilec;
    tilec_file *file;
    char *error = NULL;

    need(tilec_open("", &tilec, &error), "tilec_open", error);
    need(tilec_load_string(tilec, "empty.py", source, sizeof source - 1, &file, &error), "empty.py",
         error);
    printf("a launch on cpu: %.2f us\n", cost_on(tilec, file, "cpu", data, NULL, NULL) * 1e6);
    if (tilec_unit_count(tilec, "cuda") > 0)
        show_gpu_cost(tilec, file);
    tilec_unload(file);
    tilec_close(tilec);
    return 0;
}
