/*
 * gpu_answers.c - what a GPU gives for the micro-kernels of micro.def
 *
 *     cc -O1 -o gpu_answers gpu_answers.c -ldl && ./gpu_answers > gpu_answers.txt
 *
 * Needs micro.h and micro.def beside it, libcuda.so.1 and a GPU of compute capability 9.0; no
 * toolkit.  Writes a line for each row: its name, then a hash of the results where they must be
 * exact, else the results themselves; with --full always these.  Rows that the driver refuses or
 * that fail are named on stderr and left out.
 */
#include <dlfcn.h>
#include <stdlib.h>

#include "micro.h"

#define MICRO(name, text, results, inputs, ulps, ...) {#name, text, results, inputs, ulps, NULL},
static const Micro micros[] = {
#include "micro.def"
};
#undef MICRO

/* The few entries of the driver that this needs, by the types that cuda.h gives them. */
typedef int Result;
static struct {
    Result (*init)(unsigned);
    Result (*device)(int *, int);
    Result (*name)(char *, int, int);
    Result (*retain)(void **, int);
    Result (*set_current)(void *);
    Result (*load)(void **, const void *, unsigned, int *, void **);
    Result (*unload)(void *);
    Result (*function)(void **, void *, const char *);
    Result (*allocate)(unsigned long long *, size_t);
    Result (*to_device)(unsigned long long, const void *, size_t);
    Result (*from_device)(void *, unsigned long long, size_t);
    Result (*launch)(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                     void *, void **, void **);
    Result (*synchronize)(void);
} cuda;

static void open_driver(void)
{
    const struct {
        void *entry;
        const char *name;
    } entries[] = {{&cuda.init, "cuInit"},
                   {&cuda.device, "cuDeviceGet"},
                   {&cuda.name, "cuDeviceGetName"},
                   {&cuda.retain, "cuDevicePrimaryCtxRetain"},
                   {&cuda.set_current, "cuCtxSetCurrent"},
                   {&cuda.load, "cuModuleLoadDataEx"},
                   {&cuda.unload, "cuModuleUnload"},
                   {&cuda.function, "cuModuleGetFunction"},
                   {&cuda.allocate, "cuMemAlloc_v2"},
                   {&cuda.to_device, "cuMemcpyHtoD_v2"},
                   {&cuda.from_device, "cuMemcpyDtoH_v2"},
                   {&cuda.launch, "cuLaunchKernel"},
                   {&cuda.synchronize, "cuCtxSynchronize"}};
    void *library = dlopen("libcuda.so.1", RTLD_NOW);

    for (size_t i = 0; i < sizeof entries / sizeof *entries; i++) {
        void *found = library ? dlsym(library, entries[i].name) : NULL;

        if (!found) {
            fprintf(stderr, "%s is missing\n", library ? entries[i].name : "libcuda.so.1");
            exit(1);
        }
        memcpy(entries[i].entry, &found, sizeof found);
    }
}

static void must(Result r, const char *what)
{
    if (r == 0)
        return;
    fprintf(stderr, "%s: error %d\n", what, r);
    exit(1);
}

/* Run one row; false when the driver refuses it. */
static bool run(const Micro *m, unsigned long long in, unsigned long long out, uint64_t *values)
{
    static char text[16384];
    static uint64_t inputs[MICRO_MOST * MICRO_THREADS];
    void *module, *function, *params[] = {&in, &out};

    micro_kernel(m, text, sizeof text);
    for (int k = 0; m->inputs[k]; k++) {
        for (int t = 0; t < MICRO_THREADS; t++)
            inputs[k * MICRO_THREADS + t] = micro_input(m, k, t);
    }
    if (cuda.load(&module, text, 0, NULL, NULL) != 0)
        return false;
    memset(values, 0, MICRO_MOST * MICRO_THREADS * sizeof *values);
    must(cuda.function(&function, module, "micro"), "cuModuleGetFunction");
    must(cuda.to_device(in, inputs, sizeof inputs), "cuMemcpyHtoD");
    must(cuda.to_device(out, values, MICRO_MOST * MICRO_THREADS * sizeof *values), "cuMemcpyHtoD");
    must(cuda.launch(function, 1, 1, 1, MICRO_THREADS, 1, 1, 0, NULL, params, NULL),
         "cuLaunchKernel");
    must(cuda.synchronize(), m->name);
    must(cuda.from_device(values, out, MICRO_MOST * MICRO_THREADS * sizeof *values),
         "cuMemcpyDtoH");
    cuda.unload(module);
    return true;
}

static void print(const Micro *m, const uint64_t *values, bool full)
{
    if (m->ulps == 0 && !full) {
        printf("%s hash %016llx\n", m->name, (unsigned long long)micro_hash(m, values));
        return;
    }
    printf("%s values", m->name);
    for (int i = 0; i < MICRO_THREADS * (int)strlen(m->results); i++)
        printf(" %llx", (unsigned long long)values[i]);
    printf("\n");
}

int main(int argc, char **argv)
{
    bool full = argc > 1 && strcmp(argv[1], "--full") == 0;
    static uint64_t values[MICRO_MOST * MICRO_THREADS];
    unsigned long long in, out;
    char name[100] = "";
    void *context;
    int device, refused = 0;

    open_driver();
    must(cuda.init(0), "cuInit");
    must(cuda.device(&device, 0), "cuDeviceGet");
    cuda.name(name, sizeof name, device);
    must(cuda.retain(&context, device), "cuDevicePrimaryCtxRetain");
    must(cuda.set_current(context), "cuCtxSetCurrent");
    must(cuda.allocate(&in, sizeof values), "cuMemAlloc");
    must(cuda.allocate(&out, sizeof values), "cuMemAlloc");
    printf("# %s\n", name);
    for (size_t i = 0; i < sizeof micros / sizeof *micros; i++) {
        if (run(&micros[i], in, out, values)) {
            print(&micros[i], values, full);
            continue;
        }
        fprintf(stderr, "%s: refused\n", micros[i].name);
        refused++;
    }
    fprintf(stderr, "%d of %d rows refused\n", refused, (int)(sizeof micros / sizeof *micros));
    return 0;
}
