/*
 * gpu_wgmma.c - do a GPU's wgmma instructions give what wgmma_case.h expects?
 *
 *     cc -O1 -o gpu_wgmma gpu_wgmma.c -ldl -lm && ./gpu_wgmma [STEP]
 *
 * Needs gpu_driver.h and wgmma_case.h beside it, libcuda.so.1 and a GPU of compute capability 9.0.
 * Each STEP-th case is run, 11 unless it is given, and compared bit by bit; then those whose
 * patterns of swizzling do not begin at a multiple of 1024 bytes.  Cases that differ, or that the
 * driver refuses, are named, and make it fail.  Then it says how far results are away where sums
 * are rounded.
 */
#include "gpu_driver.h"
#include "wgmma_case.h"

typedef unsigned long long Address;
static WgmmaData data;
static uint32_t out[WGMMA_COLUMNS / 2][WGMMA_THREADS];
static Address image, left, before, after;
static struct {
    int good, differ, refused;
} sums;

static Address allocate(size_t bytes)
{
    Address a = 0;

    must(cuda.allocate(&a, bytes), "cuMemAlloc");
    return a;
}

static bool run(const char *name)
{
    void *module, *function, *params[] = {&image, &left, &before, &after};

    if (cuda.load(&module, data.text, 0, NULL, NULL) != 0)
        return false;
    memset(out, 0xff, sizeof out);
    must(cuda.function(&function, module, "product"), "cuModuleGetFunction");
    must(cuda.to_device(image, data.image, sizeof data.image), "cuMemcpyHtoD");
    must(cuda.to_device(left, data.left, sizeof data.left), "cuMemcpyHtoD");
    must(cuda.to_device(before, data.before, sizeof data.before), "cuMemcpyHtoD");
    must(cuda.to_device(after, out, sizeof out), "cuMemcpyHtoD");
    must(cuda.launch(function, 1, 1, 1, WGMMA_THREADS, 1, 1, 0, NULL, params, NULL),
         "cuLaunchKernel");
    must(cuda.synchronize(), name);
    must(cuda.from_device(out, after, sizeof out), "cuMemcpyDtoH");
    cuda.unload(module);
    return true;
}

static int differences(const WgmmaCase *c)
{
    int n = 0;

    for (int r = 0; r < wgmma_results(c); r++) {
        for (int t = 0; t < WGMMA_THREADS; t++)
            n += out[r][t] != data.after[r][t];
    }
    return n;
}

static void ask(const WgmmaCase *c, uint64_t seed)
{
    char name[200];
    int n;

    wgmma_name(c, name, sizeof name);
    wgmma_make(c, &data, seed);
    if (!run(name)) {
        printf("refused: %s\n", name);
        sums.refused++;
        return;
    }
    n = differences(c);
    sums.good += n == 0;
    sums.differ += n > 0;
    if (n > 0)
        printf("%d of %d registers differ: %s\n", n, wgmma_results(c) * WGMMA_THREADS, name);
}

/* How far is the GPU away, in units of the largest result? */
static void measure(const WgmmaCase *c, uint64_t seed)
{
    bool half = strcmp(c->d, "f16") == 0;
    double most = 0, largest = 0;
    int n = 0;
    char name[200];

    wgmma_name(c, name, sizeof name);
    wgmma_make(c, &data, seed);
    if (!run(name)) {
        printf("refused: %s\n", name);
        return;
    }
    for (int r = 0; r < wgmma_results(c); r++) {
        for (int i = 0; i < WGMMA_THREADS * (half ? 2 : 1); i++) {
            int t = half ? i / 2 : i, shift = half ? 16 * (i % 2) : 0;
            uint32_t mask = half ? 0xffff : UINT32_MAX;
            double is = wgmma_decode(c->d, out[r][t] >> shift & mask);
            double wanted = wgmma_decode(c->d, data.after[r][t] >> shift & mask);

            n += is != wanted;
            most = fmax(most, fabs(is - wanted));
            largest = fmax(largest, fabs(wanted));
        }
    }
    printf("%6d results differ, by 2^%.1f of the largest at most: %s\n", n, log2(most / largest),
           name);
}

int main(int argc, char **argv)
{
    int step = argc > 1 ? atoi(argv[1]) : 11;
    char device[100] = "";
    WgmmaCase c;

    open_device(device, sizeof device);
    image = allocate(sizeof data.image);
    left = allocate(sizeof data.left);
    before = allocate(sizeof data.before);
    after = allocate(sizeof data.after);
    for (int i = 0; i<WGMMA_CASES; i += step> 0 ? step : 1) {
        if (wgmma_case(i, &c))
            ask(&c, (uint64_t)i);
    }
    printf("%s: %d cases agree, %d differ, %d refused\n", device, sums.good, sums.differ,
           sums.refused);
    for (int i = 0; wgmma_shifted_case(i, &c); i++)
        ask(&c, (uint64_t)i);
    printf("%s: with those of other base offsets %d agree, %d differ, %d refused\n", device,
           sums.good, sums.differ, sums.refused);
    for (int i = 0; wgmma_rough_case(i, &c); i++)
        measure(&c, (uint64_t)i);
    return sums.differ + sums.refused > 0;
}
