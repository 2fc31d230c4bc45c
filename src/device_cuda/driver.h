/*
 * driver.h - what we use of NVIDIA's driver: its library is opened at run time, by a table
 *
 * The declarations are ours, since no header of NVIDIA's is needed to build tilec; names, numbers
 * and meanings are those of the CUDA driver API, where "_v2" is part of the symbol that programs
 * have been linked with since 64-bit addresses.  Contexts, modules, functions, streams and events
 * are pointers that only the driver looks into.
 */
#ifndef TILEC_DEVICE_CUDA_DRIVER_H
#define TILEC_DEVICE_CUDA_DRIVER_H

#include "../device/device.h"

typedef struct CuContext *CuContext;
typedef struct CuModule *CuModule;
typedef struct CuFunction *CuFunction;
typedef struct CuStream *CuStream;
typedef struct CuEvent *CuEvent;
typedef struct CuLink *CuLink;
typedef uint64_t CuAddress; /* CUdeviceptr */

/* Results that are told apart; every other one is only shown. */
typedef int CuResult;
enum {
    CU_SUCCESS = 0,
    CU_OUT_OF_MEMORY = 2,
    CU_NO_DEVICE = 100,
    CU_ILLEGAL_ADDRESS = 700,
    CU_MISALIGNED_ADDRESS = 716,
    CU_LAUNCH_FAILED = 719
};
enum { /* CUdevice_attribute */
       CU_DEVICE_PROCESSORS = 16,
       CU_DEVICE_MAJOR = 75,
       CU_DEVICE_MINOR = 76,
       CU_DEVICE_SHARED_OPTIN = 97
};
enum { /* CUfunction_attribute */
       CU_FUNC_SHARED = 1,
       CU_FUNC_LOCAL = 3,
       CU_FUNC_REGISTERS = 4,
       CU_FUNC_MAX_DYNAMIC_SHARED = 8
};
enum { CU_JIT_ERROR_LOG = 5, CU_JIT_ERROR_LOG_BYTES = 6, CU_JIT_LINE_INFO = 13 }; /* CUjit_option */
enum { CU_JIT_INPUT_PTX = 1 };
enum { CU_CAPTURE_RELAXED = 2 };
enum { CU_EVENT_DEFAULT = 0 };

/*    name in CudaDriver     symbol                          what it takes; all give a CuResult */
/* clang-format off */
#define CUDA_ENTRIES(ENTRY)                                                                        \
    ENTRY(init,              "cuInit",                       (unsigned flags))                     \
    ENTRY(version,           "cuDriverGetVersion",           (int *version))                       \
    ENTRY(error_name,        "cuGetErrorName",               (CuResult r, const char **name))      \
    ENTRY(error_text,        "cuGetErrorString",             (CuResult r, const char **text))      \
    ENTRY(device_count,      "cuDeviceGetCount",             (int *count))                         \
    ENTRY(device_get,        "cuDeviceGet",                  (int *device, int number))            \
    ENTRY(device_name,       "cuDeviceGetName",              (char *name, int size, int device))   \
    ENTRY(device_memory,     "cuDeviceTotalMem_v2",          (size_t *bytes, int device))          \
    ENTRY(device_attribute,  "cuDeviceGetAttribute",         (int *v, int which, int device))      \
    ENTRY(primary_retain,    "cuDevicePrimaryCtxRetain",     (CuContext *ctx, int device))         \
    ENTRY(primary_release,   "cuDevicePrimaryCtxRelease_v2", (int device))                         \
    ENTRY(context_current,   "cuCtxGetCurrent",              (CuContext *ctx))                     \
    ENTRY(context_device,    "cuCtxGetDevice",               (int *device))                        \
    ENTRY(context_id,        "cuCtxGetId",                   (CuContext ctx, unsigned long long *id)) \
    ENTRY(context_wait,      "cuCtxSynchronize",             (void))                               \
    ENTRY(context_push,      "cuCtxPushCurrent_v2",          (CuContext ctx))                      \
    ENTRY(context_pop,       "cuCtxPopCurrent_v2",           (CuContext *ctx))                     \
    ENTRY(module_load,       "cuModuleLoadDataEx",           (CuModule *m, const void *image, unsigned n, \
                                                              const int *options, void **values))  \
    ENTRY(module_unload,     "cuModuleUnload",               (CuModule m))                         \
    ENTRY(module_function,   "cuModuleGetFunction",          (CuFunction *f, CuModule m, const char *name)) \
    ENTRY(function_get,      "cuFuncGetAttribute",           (int *value, int which, CuFunction f)) \
    ENTRY(function_set,      "cuFuncSetAttribute",           (CuFunction f, int which, int value)) \
    ENTRY(launch,            "cuLaunchKernel",               (CuFunction f, unsigned gx, unsigned gy, \
                                                              unsigned gz, unsigned bx, unsigned by, \
                                                              unsigned bz, unsigned shared, CuStream s, \
                                                              void **args, void **extra))          \
    ENTRY(alloc,             "cuMemAlloc_v2",                (CuAddress *p, size_t bytes))         \
    ENTRY(release,           "cuMemFree_v2",                 (CuAddress p))                        \
    ENTRY(host_alloc,        "cuMemHostAlloc",               (void **p, size_t bytes, unsigned flags)) \
    ENTRY(host_release,      "cuMemFreeHost",                (void *p))                            \
    ENTRY(alloc_in,          "cuMemAllocAsync",              (CuAddress *p, size_t bytes, CuStream s)) \
    ENTRY(release_in,        "cuMemFreeAsync",               (CuAddress p, CuStream s))            \
    ENTRY(copy_to_device,    "cuMemcpyHtoDAsync_v2",         (CuAddress to, const void *from, size_t n, CuStream s)) \
    ENTRY(copy_to_host,      "cuMemcpyDtoHAsync_v2",         (void *to, CuAddress from, size_t n, CuStream s)) \
    ENTRY(copy_on_device,    "cuMemcpyDtoDAsync_v2",         (CuAddress to, CuAddress from, size_t n, CuStream s)) \
    ENTRY(copy_to_peer,      "cuMemcpyPeerAsync",            (CuAddress to, CuContext to_ctx, CuAddress from, \
                                                              CuContext from_ctx, size_t n, CuStream s)) \
    ENTRY(fill_8,            "cuMemsetD8Async",              (CuAddress p, unsigned char v, size_t n, CuStream s)) \
    ENTRY(fill_16,           "cuMemsetD16Async",             (CuAddress p, unsigned short v, size_t n, CuStream s)) \
    ENTRY(fill_32,           "cuMemsetD32Async",             (CuAddress p, unsigned v, size_t n, CuStream s)) \
    ENTRY(fill_rows_32,      "cuMemsetD2D32Async",           (CuAddress p, size_t pitch, unsigned v, \
                                                              size_t width, size_t height, CuStream s)) \
    ENTRY(stream_wait,       "cuStreamSynchronize",          (CuStream s))                         \
    ENTRY(stream_capturing,  "cuStreamIsCapturing",          (CuStream s, int *status))            \
    ENTRY(capture_mode,      "cuThreadExchangeStreamCaptureMode", (int *mode))                     \
    ENTRY(event_new,         "cuEventCreate",                (CuEvent *e, unsigned flags))         \
    ENTRY(event_record,      "cuEventRecord",                (CuEvent e, CuStream s))              \
    ENTRY(event_wait,        "cuEventSynchronize",           (CuEvent e))                          \
    ENTRY(event_between,     "cuEventElapsedTime",           (float *milliseconds, CuEvent a, CuEvent b)) \
    ENTRY(event_free,        "cuEventDestroy_v2",            (CuEvent e))                          \
    ENTRY(tensor_map,        "cuTensorMapEncodeTiled",       (void *map, int type, unsigned rank, void *address, \
                                                              const uint64_t *extents, const uint64_t *strides, \
                                                              const uint32_t *box, const uint32_t *steps, \
                                                              int interleave, int swizzle, int promotion, \
                                                              int fill))                           \
    ENTRY(link_new,          "cuLinkCreate_v2",              (unsigned n, const int *options, void **values, CuLink *l)) \
    ENTRY(link_add,          "cuLinkAddData_v2",             (CuLink l, int type, void *data, size_t n, \
                                                              const char *name, unsigned noptions, \
                                                              const int *options, void **values))  \
    ENTRY(link_complete,     "cuLinkComplete",               (CuLink l, void **image, size_t *n))  \
    ENTRY(link_free,         "cuLinkDestroy",                (CuLink l))
/* clang-format on */

typedef struct {
#define ENTRY_FIELD(name, symbol, params) CuResult(*name) params;
    CUDA_ENTRIES(ENTRY_FIELD)
#undef ENTRY_FIELD
} CudaDriver;

enum { CUDA_UNITS = 64 }; /* GPUs of a machine; further ones are not seen */

/* One GPU. */
typedef struct {
    DeviceUnit about;
    int device; /* the driver's number of it */
    int shared; /* bytes of shared memory that a program may have */
    char name[96], arch[16];
} CudaUnit;

/* The library and what it found, which are the same for the whole process: opened with the first
 * question, from any thread. */
const char *cuda_missing(void);      /* what is not there; NULL: nothing */
const CudaDriver *cuda_driver(void); /* NULL while something is missing */
int cuda_driver_major(void);         /* the version of CUDA that it is for; 0: there is none */
const char *cuda_label(void);      /* that number in words, since code is made for drivers of one */
int cuda_count(void);              /* GPUs that can be used; 0 while something is missing */
const CudaUnit *cuda_unit(int id); /* below cuda_count() */

/* What the driver refused, as a diagnostic: "error: DOING: NAME: text", and the status for it.
 * *error gets it, or NULL when memory is out. */
RunStatus cuda_refuse(CuResult r, char **error, const char *fmt, ...) PRINTF(3, 4);

#endif
