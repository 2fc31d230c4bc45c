/*
 * gpu_answers.c - what a GPU gives for the micro-kernels of micro.def
 *
 *     cc -O1 -o gpu_answers gpu_answers.c -ldl && ./gpu_answers > gpu_answers.txt
 *
 * Needs gpu_driver.h, micro.h and micro.def beside it, libcuda.so.1 and a GPU of compute
 * capability 9.0; no toolkit.  Writes a line for each row: its name, then a hash of the results
 * where they must be exact, else the results themselves; with --full always these.  Rows that the
 * driver refuses or that fail are named on stderr and left out.
 */
#include "gpu_driver.h"
#include "micro.h"

#define MICRO(name, text, results, inputs, ulps, ...) {#name, text, results, inputs, ulps, NULL},
static const Micro micros[] = {
#include "micro.def"
};
#undef MICRO

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
    int refused = 0;

    open_device(name, sizeof name);
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
