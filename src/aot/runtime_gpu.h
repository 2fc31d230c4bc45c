/*
 * runtime_gpu.h - what headers for NVIDIA's GPUs have beside runtime.h: launches through the driver
 *
 * The object has the PTX of each specialisation as data (src/gen's nv_build.c).  This opens the
 * driver, loads that into the context that is current, and launches it; all of it are static
 * functions, so that a program needs no library of ours, and none of NVIDIA's to be built.
 */
#include "runtime.h"

/*! runtime_gpu */

#ifndef TILEC_AOT_GPU
#define TILEC_AOT_GPU
#include <dlfcn.h>
#include <stdlib.h>

/* A number that a call knows: a constant, and parameters, of 4 or 8 bytes, times constants; 0
 * bytes: there is no such term. */
typedef struct {
    int64_t constant;
    int64_t scale[3];
    int32_t param[3];
    int32_t bytes[3];
} tilec_aot_sum;

/* A tensor map of which the driver makes 128 bytes: extents in elements, strides in bytes. */
typedef struct {
    tilec_aot_sum extent[5];
    tilec_aot_sum stride[5]; /* in place of dimension 0's: what must not be negative, either */
    int32_t box[5];
    int32_t rank, element, swizzle;
    int32_t pointer; /* which argument is the address of the tensor */
    int32_t arg;     /* and which one the map goes to */
    int32_t unused;
} tilec_aot_map;

/* A specialisation, in the object. */
typedef struct tilec_aot_kernel {
    const char *image; /* its PTX */
    int32_t threads;   /* that run a program */
    int32_t shared;    /* bytes of shared memory, beside those that the image declares */
    int64_t workspace; /* bytes of it that each program has for itself; 0: none */
    int32_t own;       /* parameters that a call gives; the others are where workspaces lie */
    int32_t params;    /* of all */
    void *loaded;      /* a list of tilec_aot_loaded */
    int32_t nmaps;     /* tensor maps, which are parameters behind all others */
    const tilec_aot_map *maps;
    struct tilec_aot_kernel
        *plain;        /* for calls that give no such maps; NULL where there are none */
    const char *entry; /* of the image */
} tilec_aot_kernel;

/* .. in one context, whose number no other ever has. */
typedef struct tilec_aot_loaded {
    struct tilec_aot_loaded *next;
    unsigned long long context;
    void *function;
} tilec_aot_loaded;

/* What is called of the driver; 0 is success. */
typedef struct {
    int (*init)(unsigned flags);
    int (*text)(int result, const char **text);
    int (*device)(int *device, int number);
    int (*primary)(void **context, int device);
    int (*current)(void **context);
    int (*number)(void *context, unsigned long long *number);
    int (*push)(void *context);
    int (*pop)(void **context);
    int (*load)(void **module, const void *image, unsigned n, int *options, void **values);
    int (*find)(void **function, void *module, const char *name);
    int (*set)(void *function, int attribute, int value);
    int (*take)(unsigned long long *address, size_t bytes, void *stream);
    int (*give)(unsigned long long address, void *stream);
    int (*map)(void *map, int type, unsigned rank, void *address, const unsigned long long *extent,
               const unsigned long long *stride, const unsigned *box, const unsigned *step,
               int interleave, int swizzle, int promotion, int fill); /* NULL: there is none */
    int (*launch)(void *function, unsigned x, unsigned y, unsigned z, unsigned threads,
                  unsigned one, unsigned also_one, unsigned shared, void *stream, void **args,
                  void **extra);
} tilec_aot_driver;

/* Why the last call of this thread from this file gave TILEC_AOT_FAILED; else NULL. */
static __thread const char *tilec_aot_problem;

static inline const char *tilec_aot_gpu_problem(void)
{
    return tilec_aot_problem;
}

static inline int tilec_aot_find(void *library, const char *name, void *to)
{
    void *found = dlsym(library, name);

    memcpy(to, &found, sizeof found);
    return found != NULL;
}

static inline int tilec_aot_read_driver(tilec_aot_driver *d)
{
    const char *path = getenv("TILEC_LIBCUDA");
    void *l = dlopen(path && *path ? path : "libcuda.so.1", RTLD_NOW);

    tilec_aot_problem = "there is no NVIDIA driver: libcuda.so.1 cannot be opened";
    if (!l)
        return 0;
    tilec_aot_problem = "the NVIDIA driver is older than that of CUDA 12.0";
    if (!tilec_aot_find(l, "cuInit", &d->init) ||
        !tilec_aot_find(l, "cuGetErrorString", &d->text) ||
        !tilec_aot_find(l, "cuDeviceGet", &d->device) ||
        !tilec_aot_find(l, "cuDevicePrimaryCtxRetain", &d->primary) ||
        !tilec_aot_find(l, "cuCtxGetCurrent", &d->current) ||
        !tilec_aot_find(l, "cuCtxGetId", &d->number) ||
        !tilec_aot_find(l, "cuCtxPushCurrent_v2", &d->push) ||
        !tilec_aot_find(l, "cuCtxPopCurrent_v2", &d->pop) ||
        !tilec_aot_find(l, "cuModuleLoadDataEx", &d->load) ||
        !tilec_aot_find(l, "cuModuleGetFunction", &d->find) ||
        !tilec_aot_find(l, "cuFuncSetAttribute", &d->set) ||
        !tilec_aot_find(l, "cuMemAllocAsync", &d->take) ||
        !tilec_aot_find(l, "cuMemFreeAsync", &d->give) ||
        !tilec_aot_find(l, "cuLaunchKernel", &d->launch))
        return 0;
    if (!tilec_aot_find(l, "cuTensorMapEncodeTiled", &d->map))
        d->map = NULL;
    tilec_aot_problem = "the NVIDIA driver cannot be started";
    return d->init(0) == 0;
}

/* Threads may open it at the same time: they find the same, and one of them keeps it. */
static inline const tilec_aot_driver *tilec_aot_open(void)
{
    static tilec_aot_driver *opened;
    tilec_aot_driver *d = __atomic_load_n(&opened, __ATOMIC_ACQUIRE), *other = NULL;

    if (d)
        return d;
    tilec_aot_problem = "out of memory";
    d = (tilec_aot_driver *)malloc(sizeof *d);
    if (!d || !tilec_aot_read_driver(d)) {
        free(d);
        return NULL;
    }
    if (__atomic_compare_exchange_n(&opened, &other, d, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
        return d;
    free(d);
    return other;
}

/* The function in the current context; more shared memory than 48 KiB has to be asked for. */
static inline int tilec_aot_load(const tilec_aot_driver *d, const tilec_aot_kernel *k,
                                 tilec_aot_loaded *l)
{
    void *module = NULL;
    int result = d->load(&module, k->image, 0, NULL, NULL);

    if (result == 0)
        result = d->find(&l->function, module, k->entry);
    if (result == 0 && k->shared > 48 * 1024)
        result = d->set(l->function, 8, k->shared); /* the most dynamic shared memory */
    return result;
}

/* The same, loaded once.  Where two threads do it at the same time both are kept. */
static inline int tilec_aot_function(const tilec_aot_driver *d, tilec_aot_kernel *k, void *context,
                                     void **function)
{
    unsigned long long number = 0;
    void *first = __atomic_load_n(&k->loaded, __ATOMIC_ACQUIRE);
    tilec_aot_loaded *l;
    int result = d->number(context, &number);

    for (l = (tilec_aot_loaded *)first; l && l->context != number; l = l->next)
        continue;
    if (l || result != 0) {
        *function = l ? l->function : NULL;
        return result;
    }
    l = (tilec_aot_loaded *)malloc(sizeof *l);
    if (!l)
        return 2; /* CUDA's number for it */
    l->context = number;
    result = tilec_aot_load(d, k, l);
    if (result != 0) {
        free(l);
        return result;
    }
    *function = l->function;
    do
        l->next = (tilec_aot_loaded *)first;
    while (!__atomic_compare_exchange_n(&k->loaded, &first, (void *)l, 0, __ATOMIC_ACQ_REL,
                                        __ATOMIC_ACQUIRE));
    return 0;
}

static inline int tilec_aot_start(const tilec_aot_driver *d, const tilec_aot_kernel *k,
                                  void *function, void **args, const int32_t grid[3], void *stream)
{
    return d->launch(function, (unsigned)grid[0], (unsigned)grid[1], (unsigned)grid[2],
                     (unsigned)k->threads, 1, 1, (unsigned)k->shared, stream, args, NULL);
}

/* The same with workspaces for all programs: memory of the stream, which is taken in front of them
 * and given back behind them, and waits for neither. */
static inline int tilec_aot_start_with(const tilec_aot_driver *d, const tilec_aot_kernel *k,
                                       void *function, void **args, const int32_t grid[3],
                                       void *stream)
{
    unsigned long long address = 0, bytes = (unsigned long long)k->workspace;
    int params = k->params + k->nmaps; /* the latter are there */
    void **all = (void **)malloc((size_t)params * sizeof *all);
    int result = 2; /* CUDA's number for too little memory */
    int i, given;

    for (i = 0; i < 3; i++) {
        if (__builtin_mul_overflow(bytes, (unsigned long long)grid[i], &bytes))
            bytes = ~0ull >> 1; /* nobody has that */
    }
    if (all)
        result = d->take(&address, (size_t)bytes, stream);
    if (result == 0) {
        for (i = 0; i < params; i++)
            all[i] = i < k->own || i >= k->params ? args[i] : &address;
        result = tilec_aot_start(d, k, function, all, grid, stream);
        given = d->give(address, stream);
        result = result == 0 ? given : result;
    }
    free(all);
    return result;
}

/* 0: it does not fit, or is negative. */
static inline int tilec_aot_find_sum(const tilec_aot_sum *s, void **args, unsigned long long *out)
{
    int64_t sum = s->constant, wide;
    int32_t value;
    int i;

    for (i = 0; i < 3 && s->bytes[i] != 0; i++) {
        if (s->bytes[i] == 4) {
            memcpy(&value, args[s->param[i]], sizeof value);
            wide = value;
        } else {
            memcpy(&wide, args[s->param[i]], sizeof wide);
        }
        if (__builtin_mul_overflow(wide, s->scale[i], &wide) ||
            __builtin_add_overflow(sum, wide, &sum))
            return 0;
    }
    *out = (unsigned long long)sum;
    return sum >= 0;
}

/* 0: the arguments give no such map, or the driver knows of none. */
static inline int tilec_aot_make_map(const tilec_aot_driver *d, const tilec_aot_map *m, void **args,
                                     void *map)
{
    static const int types[] = {0, 0, 1, 0, 2, 0, 0, 0, 4}; /* unsigned integers, by their bytes */
    unsigned long long extent[5], stride[5];
    unsigned box[5];
    const unsigned step[5] = {1, 1, 1, 1, 1};
    void *address;
    int i;

    if (!d->map)
        return 0;
    for (i = 0; i < m->rank; i++) {
        box[i] = (unsigned)m->box[i];
        if (!tilec_aot_find_sum(&m->extent[i], args, &extent[i]) || extent[i] == 0 ||
            !tilec_aot_find_sum(&m->stride[i], args, &stride[i]))
            return 0;
    }
    memcpy(&address, args[m->pointer], sizeof address);
    return d->map(map, types[m->element], (unsigned)m->rank, address, extent, stride + 1, box, step,
                  0, m->swizzle, 2, 0) == 0;
}

enum { TILEC_AOT_MAPS = 4, TILEC_AOT_PARAMS = 256 };
typedef struct {
    unsigned char at[TILEC_AOT_MAPS][128] __attribute__((aligned(64)));
} tilec_aot_maps;

/* Maps behind the arguments, which become those; 0: there are none for them. */
static inline int tilec_aot_add_maps(const tilec_aot_driver *d, const tilec_aot_kernel *k,
                                     void **args, tilec_aot_maps *maps, void **all)
{
    int i;

    if (k->nmaps > TILEC_AOT_MAPS || k->params + k->nmaps > TILEC_AOT_PARAMS)
        return 0;
    for (i = 0; i < k->own; i++)
        all[i] = args[i];
    for (i = 0; i < k->nmaps; i++) {
        if (!tilec_aot_make_map(d, &k->maps[i], args, maps->at[i]))
            return 0;
        all[k->maps[i].arg] = maps->at[i];
    }
    return 1;
}

/* In the context that is current, or the primary one of the first GPU. */
static inline int tilec_aot_launch(tilec_aot_kernel *k, void **args, const int32_t grid[3],
                                   void *stream)
{
    const tilec_aot_driver *d = tilec_aot_open();
    void *context = NULL, *function = NULL, *all[TILEC_AOT_PARAMS];
    tilec_aot_maps maps;
    int result, device = 0, pushed = 0;

    if (!d)
        return TILEC_AOT_FAILED;
    if (k->nmaps > 0 && !tilec_aot_add_maps(d, k, args, &maps, all))
        k = k->plain;
    else if (k->nmaps > 0)
        args = all;
    result = d->current(&context);
    if (result == 0 && !context) {
        result = d->device(&device, 0);
        if (result == 0)
            result = d->primary(&context, device);
        if (result == 0)
            result = d->push(context);
        pushed = result == 0;
    }
    if (result == 0)
        result = tilec_aot_function(d, k, context, &function);
    if (result == 0)
        result = k->workspace > 0 ? tilec_aot_start_with(d, k, function, args, grid, stream)
                                  : tilec_aot_start(d, k, function, args, grid, stream);
    if (pushed)
        d->pop(&context);
    tilec_aot_problem = NULL;
    if (result != 0 && d->text(result, &tilec_aot_problem) != 0)
        tilec_aot_problem = "the driver refuses";
    return result == 0 ? TILEC_AOT_OK : TILEC_AOT_FAILED;
}

/* Does a GPU take the grid? */
static inline bool tilec_aot_fits(const int32_t grid[3])
{
    return grid[0] >= 0 && grid[1] >= 0 && grid[1] <= 65535 && grid[2] >= 0 && grid[2] <= 65535;
}
#endif
