/*
 * driver.c - open NVIDIA's driver, and see which GPUs there are
 *
 * Once a process, because the driver itself is: it cannot be closed, and a child that was forked
 * behind its start cannot use it.  What is missing is a text and no error: everything else works
 * without a GPU.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "driver.h"

enum { OLDEST = 12000 }; /* the version of CUDA whose driver knows the PTX that we make */

static struct {
    pthread_once_t once;
    CudaDriver entries;
    int version, count;
    CudaUnit units[CUDA_UNITS];
    bool lacks;
    char missing[256], label[32];
} driver = {.once = PTHREAD_ONCE_INIT};
static atomic_bool forked; /* this process is a child of the one that started the driver */

static void lack(const char *fmt, ...) PRINTF(1, 2);
static void lack(const char *fmt, ...)
{
    va_list ap;

    driver.lacks = true;
    va_start(ap, fmt);
    vsnprintf(driver.missing, sizeof driver.missing, fmt, ap);
    va_end(ap);
}

/* A function of the driver under the name that it has here; false: it has none. */
static bool find_entry(void *lib, const char *symbol, void *entry)
{
    void *found = os_library_symbol(lib, symbol);

    memcpy(entry, &found,
           sizeof found); /* a pointer to data, which ISO C does not make a function */
    if (!found)
        lack("the NVIDIA driver is too old: it has no %s", symbol);
    return found;
}

static bool load_library(void)
{
    const char *path = os_env("TILEC_LIBCUDA"), *error;
    void *lib = os_load_library(path ? path : "libcuda.so.1", &error);
    CudaDriver *d = &driver.entries;

    if (!lib) {
        lack("there is no NVIDIA driver: %s", error);
        return false;
    }
#define FIND_ENTRY(name, symbol, params)                                                           \
    if (!find_entry(lib, symbol, &d->name))                                                        \
        return false;
    CUDA_ENTRIES(FIND_ENTRY)
#undef FIND_ENTRY
    return true;
}

static const char *result_name(CuResult r)
{
    const char *name = NULL;

    return driver.entries.error_name(r, &name) == CU_SUCCESS && name ? name : "an unknown error";
}

static const char *result_text(CuResult r)
{
    const char *text = NULL;

    return driver.entries.error_text(r, &text) == CU_SUCCESS && text ? text : "of no known meaning";
}

static bool worked(CuResult r, const char *doing)
{
    if (r == CU_NO_DEVICE)
        lack("there is no NVIDIA GPU");
    else if (r != CU_SUCCESS)
        lack("the NVIDIA driver fails in %s: %s: %s", doing, result_name(r), result_text(r));
    return r == CU_SUCCESS;
}

static bool start_driver(void)
{
    const CudaDriver *d = &driver.entries;

    if (!worked(d->init(0), "cuInit") || !worked(d->version(&driver.version), "cuDriverGetVersion"))
        return false;
    if (driver.version < OLDEST) {
        lack("the NVIDIA driver is for CUDA %d.%d; %d.%d or a newer one is needed",
             driver.version / 1000, driver.version % 1000 / 10, OLDEST / 1000, OLDEST % 1000 / 10);
        return false;
    }
    if (!worked(d->device_count(&driver.count), "cuDeviceGetCount"))
        return false;
    driver.count = MIN(driver.count, CUDA_UNITS);
    snprintf(driver.label, sizeof driver.label, "cuda %d", driver.version / 1000);
    return worked(driver.count == 0 ? CU_NO_DEVICE : CU_SUCCESS, "cuDeviceGetCount");
}

/* "sm_80"; from 9.0 to 9.9 with an "a", for what the tensor cores of just that chip can do. */
static void name_arch(CudaUnit *u, int major, int minor)
{
    snprintf(u->arch, sizeof u->arch, "sm_%d%d%s", major, minor, major == 9 ? "a" : "");
}

static bool look_at_unit(int number)
{
    const CudaDriver *d = &driver.entries;
    CudaUnit *u = &driver.units[number];
    int major = 0, minor = 0, processors = 0;
    size_t bytes = 0;

    if (!worked(d->device_get(&u->device, number), "cuDeviceGet") ||
        !worked(d->device_name(u->name, sizeof u->name, u->device), "cuDeviceGetName") ||
        !worked(d->device_memory(&bytes, u->device), "cuDeviceTotalMem") ||
        !worked(d->device_attribute(&major, CU_DEVICE_MAJOR, u->device), "cuDeviceGetAttribute") ||
        !worked(d->device_attribute(&minor, CU_DEVICE_MINOR, u->device), "cuDeviceGetAttribute") ||
        !worked(d->device_attribute(&processors, CU_DEVICE_PROCESSORS, u->device),
                "cuDeviceGetAttribute") ||
        !worked(d->device_attribute(&u->shared, CU_DEVICE_SHARED_OPTIN, u->device),
                "cuDeviceGetAttribute"))
        return false;
    name_arch(u, major, minor);
    u->about =
        (DeviceUnit){.name = u->name, .arch = u->arch, .memory = bytes, .processors = processors};
    return true;
}

static void in_child(void)
{
    atomic_store(&forked, true);
}

static void open_driver(void)
{
    bool good = load_library() && start_driver();

    for (int i = 0; good && i < driver.count; i++)
        good = look_at_unit(i);
    if (!good)
        driver.count = 0;
    else if (pthread_atfork(NULL, NULL, in_child) != 0)
        lack("out of memory");
}

const char *cuda_missing(void)
{
    pthread_once(&driver.once, open_driver);
    if (driver.lacks)
        return driver.missing;
    return atomic_load_explicit(&forked, memory_order_relaxed)
               ? "the NVIDIA driver was started before this process was forked"
               : NULL;
}

const CudaDriver *cuda_driver(void)
{
    return cuda_missing() ? NULL : &driver.entries;
}

int cuda_driver_major(void)
{
    return cuda_missing() ? 0 : driver.version / 1000;
}

const char *cuda_label(void)
{
    return cuda_missing() ? "no driver" : driver.label;
}

int cuda_count(void)
{
    return cuda_missing() ? 0 : driver.count;
}

const CudaUnit *cuda_unit(int id)
{
    return &driver.units[id];
}

static bool is_fault(CuResult r)
{
    return r == CU_ILLEGAL_ADDRESS || r == CU_MISALIGNED_ADDRESS || r == CU_LAUNCH_FAILED;
}

RunStatus cuda_refuse(CuResult r, char **error, const char *fmt, ...)
{
    char *doing = NULL;
    va_list ap;

    va_start(ap, fmt);
    if (vasprintf(&doing, fmt, ap) < 0)
        doing = NULL;
    va_end(ap);
    if (!doing || asprintf(error, "error: %s: %s (%s)\n%s", doing, result_text(r), result_name(r),
                           is_fault(r) ? "note: a kernel that was launched before went wrong; this "
                                         "GPU does nothing more for this process\n"
                                         "hint: with checks (--check) the place is named\n"
                                       : "") < 0)
        *error = NULL;
    free(doing);
    return r == CU_OUT_OF_MEMORY ? RUN_NO_MEMORY : RUN_FAILED;
}
