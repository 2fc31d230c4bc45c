/*
 * gpu_driver.h - the few entries of NVIDIA's driver that programs here need, and no toolkit
 */
#ifndef TILEC_TEST_GPU_DRIVER_H
#define TILEC_TEST_GPU_DRIVER_H

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* By the types that cuda.h gives them. */
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

/* The first device, ready for use; what it is called. */
static void open_device(char *name, int size)
{
    void *context;
    int device;

    open_driver();
    must(cuda.init(0), "cuInit");
    must(cuda.device(&device, 0), "cuDeviceGet");
    cuda.name(name, size, device);
    must(cuda.retain(&context, device), "cuDevicePrimaryCtxRetain");
    must(cuda.set_current(context), "cuCtxSetCurrent");
}

#endif
