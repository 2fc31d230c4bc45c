/*
 * fake_cuda.c - a stand-in for libcuda.so.1, for machines without a GPU
 *
 * A kernel does nothing when it is launched, but what it was launched with is written down; an
 * image is any text.  All else works: memory is the host's, and every address, context, module and
 * event is looked for among those that there are.
 */
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fake_cuda.h"

/* found by their names alone, as the real ones are */
#pragma GCC diagnostic ignored "-Wmissing-prototypes"
#define API __attribute__((visibility("default")))
#define HAVE(x) ((int)(sizeof(x) / sizeof *(x)))

enum {
    OK,
    INVALID_VALUE = 1,
    OUT_OF_MEMORY = 2,
    NO_DEVICE = 100,
    INVALID_IMAGE = 200,
    INVALID_CONTEXT = 201,
    INVALID_PTX = 218,
    NOT_FOUND = 500
};

typedef struct {
    int device;
    unsigned long long id;
} Context;
typedef struct {
    char *at;
    size_t bytes;
    int device;
    const Context *context;
} Piece;
typedef struct Module Module;
struct Module {
    Module *next; /* of all that there are */
    Context *context;
    int nargs;   /* of its kernel: an image says "args=N" */
    int dynamic; /* shared memory that its function may have */
};

static Fake state = {.devices = 2,
                     .version = 12040,
                     .major = {9, 8, 8, 8},
                     .minor = {0, 0, 0, 0},
                     .memory = (size_t)1 << 30};
static Context primary[4], others[16];
static int nothers;
static unsigned long long next_id = 1;
static Piece pieces[256];
static int npieces;
static Module *modules;
static _Thread_local Context *stack[16];
static _Thread_local int depth;

API Fake *fake_state(void)
{
    return &state;
}

API void *fake_context(int device)
{
    others[nothers] = (Context){device, next_id++};
    return &others[nothers++];
}

API void *fake_top(void)
{
    return depth > 0 ? stack[depth - 1] : NULL;
}

static void free_module(Module *m)
{
    Module **link = &modules;

    while (*link != m)
        link = &(*link)->next;
    *link = m->next;
    free(m);
    state.modules--;
}

static void free_piece(int i)
{
    state.allocated -= pieces[i].bytes;
    free(pieces[i].at);
    pieces[i] = pieces[--npieces];
}

/* It takes with it what is its own; whatever is asked about it behind that is refused. */
API void fake_end(void *context)
{
    for (Module *m = modules, *next; m; m = next) {
        next = m->next;
        if (m->context == context)
            free_module(m);
    }
    for (int i = npieces - 1; i >= 0; i--) {
        if (pieces[i].context == context)
            free_piece(i);
    }
    ((Context *)context)->id = 0;
}

API void fake_current(void *context)
{
    depth = 0;
    if (context)
        stack[depth++] = context;
}

static bool forbidden_in_capture(const char *name)
{
    static const char *const names[] = {
        "cuMemAlloc_v2",  "cuMemFree_v2",       "cuStreamSynchronize", "cuCtxSynchronize",
        "cuMemHostAlloc", "cuEventSynchronize", "cuModuleLoadDataEx"};
    static _Thread_local bool relaxed;

    if (strcmp(name, "cuThreadExchangeStreamCaptureMode") == 0)
        relaxed = !relaxed;
    for (int i = 0; i < HAVE(names); i++) {
        if (strcmp(name, names[i]) == 0)
            return !relaxed;
    }
    return false;
}

/* What every call begins with: OK, or what it is to fail with. */
static int called(const char *name)
{
    if (!state.quiet && strlen(state.log) + strlen(name) + 2 < sizeof state.log) {
        strcat(state.log, name);
        strcat(state.log, " ");
    }
    if (state.capturing && forbidden_in_capture(name))
        state.violations++;
    if (state.fail && strcmp(state.fail, name) == 0 && state.after-- <= 0)
        return state.result;
    return OK;
}

/* The same for calls that need a current context. */
static int called_in_context(const char *name)
{
    int r = called(name);

    return r != OK ? r : depth == 0 ? INVALID_CONTEXT : OK;
}

/* One call at a time: held from the first line of a function to its end. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static pthread_mutex_t *take_lock(void)
{
    pthread_mutex_lock(&lock);
    return &lock;
}

static void leave_lock(pthread_mutex_t **held)
{
    pthread_mutex_unlock(*held);
}

#define LOCKED(r)                                                                                  \
    pthread_mutex_t *held_ __attribute__((cleanup(leave_lock))) = take_lock();                     \
    int r_ = (r);                                                                                  \
    if (r_ != OK)                                                                                  \
    return r_
#define CALL(name) LOCKED(called(name))
#define CALL_IN_CONTEXT(name) LOCKED(called_in_context(name))

/* devices */

API int cuInit(unsigned flags)
{
    CALL("cuInit");
    return flags == 0 ? OK : INVALID_VALUE;
}

API int cuDriverGetVersion(int *version)
{
    CALL("cuDriverGetVersion");
    *version = state.version;
    return OK;
}

API int cuGetErrorName(int r, const char **name)
{
    *name = r == OUT_OF_MEMORY ? "CUDA_ERROR_OUT_OF_MEMORY"
            : r == 700         ? "CUDA_ERROR_ILLEGAL_ADDRESS"
            : r == INVALID_PTX ? "CUDA_ERROR_INVALID_PTX"
                               : "CUDA_ERROR_FAKE";
    return OK;
}

API int cuGetErrorString(int r, const char **text)
{
    *text = r == OUT_OF_MEMORY ? "out of memory" : "a fake error";
    return OK;
}

API int cuDeviceGetCount(int *count)
{
    CALL("cuDeviceGetCount");
    *count = state.devices;
    return OK;
}

/* Numbers that are not those of the list, so that mixing them up shows. */
API int cuDeviceGet(int *device, int number)
{
    CALL("cuDeviceGet");
    *device = number + 40;
    return OK;
}

API int cuDeviceGetName(char *name, int size, int device)
{
    static const char text[] = "Fake GPU";

    CALL("cuDeviceGetName");
    (void)device;
    if (size < (int)sizeof text)
        return INVALID_VALUE;
    memcpy(name, text, sizeof text);
    return OK;
}

API int cuDeviceTotalMem_v2(size_t *bytes, int device)
{
    CALL("cuDeviceTotalMem_v2");
    (void)device;
    *bytes = state.memory;
    return OK;
}

API int cuDeviceGetAttribute(int *v, int which, int device)
{
    CALL("cuDeviceGetAttribute");
    switch (which) {
    case 16:
        *v = 132;
        return OK;
    case 75:
        *v = state.major[device - 40];
        return OK;
    case 76:
        *v = state.minor[device - 40];
        return OK;
    case 97:
        *v = 232448;
        return OK;
    default:
        return INVALID_VALUE;
    }
}

/* contexts */

API int cuDevicePrimaryCtxRetain(Context **ctx, int device)
{
    CALL("cuDevicePrimaryCtxRetain");
    if (state.retained[device - 40]++ == 0)
        primary[device - 40] = (Context){device - 40, next_id++};
    *ctx = &primary[device - 40];
    return OK;
}

API int cuDevicePrimaryCtxRelease_v2(int device)
{
    CALL("cuDevicePrimaryCtxRelease_v2");
    state.retained[device - 40]--;
    return OK;
}

API int cuCtxGetCurrent(Context **ctx)
{
    CALL("cuCtxGetCurrent");
    *ctx = fake_top();
    return OK;
}

API int cuCtxGetDevice(int *device)
{
    CALL_IN_CONTEXT("cuCtxGetDevice");
    *device = stack[depth - 1]->device + 40;
    return OK;
}

API int cuCtxGetId(const Context *ctx, unsigned long long *id)
{
    CALL("cuCtxGetId");
    *id = ctx->id;
    return ctx->id != 0 ? OK : INVALID_CONTEXT;
}

API int cuCtxPushCurrent_v2(Context *ctx)
{
    CALL("cuCtxPushCurrent_v2");
    if (ctx->id == 0)
        return INVALID_CONTEXT;
    stack[depth++] = ctx;
    return OK;
}

API int cuCtxPopCurrent_v2(Context **ctx)
{
    CALL_IN_CONTEXT("cuCtxPopCurrent_v2");
    *ctx = stack[--depth];
    return OK;
}

/* modules */

/* What an image says as "args=N"; of PTX, how many parameters its kernel has. */
static int args_of(const char *image)
{
    const char *said = strstr(image, "args=");
    int n = 0;

    if (said)
        return atoi(said + strlen("args="));
    for (const char *at = image; (at = strstr(at, "\t.param ")) != NULL; at++)
        n++;
    return n;
}

API int cuModuleLoadDataEx(Module **m, const char *image, unsigned n, const int *options,
                           void **values)
{
    CALL_IN_CONTEXT("cuModuleLoadDataEx");
    if (state.broken_ptx && strncmp(image, state.broken_ptx, strlen(state.broken_ptx)) == 0) {
        for (unsigned i = 0; i < n; i++) {
            if (options[i] == 5)
                strcpy(values[i], "line 1: this is no PTX");
        }
        return INVALID_PTX;
    }
    *m = calloc(1, sizeof **m);
    (*m)->context = stack[depth - 1];
    (*m)->nargs = args_of(image);
    (*m)->next = modules;
    modules = *m;
    state.modules++;
    return OK;
}

API int cuModuleUnload(Module *m)
{
    CALL_IN_CONTEXT("cuModuleUnload");
    state.wrong_context += m->context != stack[depth - 1];
    free_module(m);
    return OK;
}

/* A module and its function are one. */
API int cuModuleGetFunction(Module **f, Module *m, const char *name)
{
    CALL_IN_CONTEXT("cuModuleGetFunction");
    *f = m;
    snprintf(state.entry, sizeof state.entry, "%s", name);
    return OK;
}

API int cuFuncGetAttribute(int *value, int which, const Module *f)
{
    CALL_IN_CONTEXT("cuFuncGetAttribute");
    *value = which == 4 ? 42 : which == 3 ? state.local : 0;
    return f->context == stack[depth - 1] ? OK : INVALID_VALUE;
}

API int cuFuncSetAttribute(Module *f, int which, int value)
{
    CALL_IN_CONTEXT("cuFuncSetAttribute");
    if (which != 8)
        return INVALID_VALUE;
    f->dynamic = value;
    return OK;
}

API int cuLaunchKernel(const Module *f, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
                       unsigned by, unsigned bz, unsigned shared, void *stream, void **args,
                       void **extra)
{
    CALL_IN_CONTEXT("cuLaunchKernel");
    if (shared > 48 << 10 && (int)shared > f->dynamic)
        return INVALID_VALUE;
    state.wrong_context += f->context != stack[depth - 1];
    state.launched.device = stack[depth - 1]->device;
    memcpy(state.launched.grid, (unsigned[]){gx, gy, gz}, sizeof state.launched.grid);
    memcpy(state.launched.block, (unsigned[]){bx, by, bz}, sizeof state.launched.block);
    state.launched.shared = shared;
    state.launched.stream = stream;
    state.launched.dynamic = f->dynamic;
    for (int i = 0; i < FAKE_ARGS && i < f->nargs; i++)
        memcpy(&state.launched.args[i], args[i], sizeof state.launched.args[i]);
    state.launches++;
    if (state.kernel)
        state.kernel(state.launched.args[state.kernel_arg]);
    return extra ? INVALID_VALUE : OK;
}

API int cuTensorMapEncodeTiled(void *map, int type, unsigned rank, void *address,
                               const uint64_t *extents, const uint64_t *strides,
                               const uint32_t *box, const uint32_t *steps, int interleave,
                               int swizzle, int promotion, int fill)
{
    if (rank < 1 || rank > 5 || (uintptr_t)map % 64 != 0 || interleave != 0 || fill != 0 ||
        promotion > 3)
        return INVALID_VALUE;
    state.map.count++;
    state.map.type = type;
    state.map.swizzle = swizzle;
    state.map.rank = rank;
    state.map.address = (uint64_t)(uintptr_t)address;
    for (unsigned i = 0; i < rank; i++) {
        state.map.extent[i] = extents[i];
        state.map.box[i] = box[i];
        state.map.step[i] = steps[i];
        if (i > 0)
            state.map.stride[i - 1] = strides[i - 1];
    }
    memset(map, 0x5a, 128);
    return OK;
}

/* memory */

API int cuMemAlloc_v2(uint64_t *p, size_t bytes)
{
    CALL_IN_CONTEXT("cuMemAlloc_v2");
    if (state.allocated + bytes > state.memory || npieces == HAVE(pieces))
        return OUT_OF_MEMORY;
    char *at = aligned_alloc(256, (bytes + 255) / 256 * 256);
    pieces[npieces++] = (Piece){at, bytes, stack[depth - 1]->device, stack[depth - 1]};
    state.allocated += bytes;
    *p = (uint64_t)(uintptr_t)at;
    return OK;
}

API int cuMemAllocAsync(uint64_t *p, size_t bytes, void *stream)
{
    (void)stream;
    return cuMemAlloc_v2(p, bytes);
}

API int cuMemHostAlloc(void **p, size_t bytes, unsigned flags)
{
    (void)flags;
    CALL_IN_CONTEXT("cuMemHostAlloc");
    *p = calloc(1, bytes);
    state.pinned += *p != NULL;
    return *p ? OK : OUT_OF_MEMORY;
}

API int cuMemFreeHost(void *p)
{
    CALL("cuMemFreeHost");
    free(p);
    state.pinned--;
    return OK;
}

static int find_piece(uint64_t p, size_t bytes)
{
    for (int i = 0; i < npieces; i++) {
        uint64_t at = (uint64_t)(uintptr_t)pieces[i].at;
        if (p >= at && p + bytes <= at + pieces[i].bytes)
            return i;
    }
    return -1;
}

API int cuMemFree_v2(uint64_t p)
{
    CALL_IN_CONTEXT("cuMemFree_v2");
    int i = find_piece(p, 0);
    if (i < 0 || (uint64_t)(uintptr_t)pieces[i].at != p)
        return INVALID_VALUE;
    state.wrong_context += pieces[i].device != stack[depth - 1]->device;
    free_piece(i);
    return OK;
}

API int cuMemFreeAsync(uint64_t p, void *stream)
{
    (void)stream;
    return cuMemFree_v2(p);
}

static void *host(uint64_t p)
{
    return (void *)(uintptr_t)p;
}

API int cuMemcpyHtoDAsync_v2(uint64_t to, const void *from, size_t n, void *stream)
{
    CALL_IN_CONTEXT("cuMemcpyHtoDAsync_v2");
    (void)stream;
    if (find_piece(to, n) < 0)
        return INVALID_VALUE;
    memcpy(host(to), from, n);
    return OK;
}

API int cuMemcpyDtoHAsync_v2(void *to, uint64_t from, size_t n, void *stream)
{
    CALL_IN_CONTEXT("cuMemcpyDtoHAsync_v2");
    (void)stream;
    if (find_piece(from, n) < 0)
        return INVALID_VALUE;
    memcpy(to, host(from), n);
    return OK;
}

API int cuMemcpyDtoDAsync_v2(uint64_t to, uint64_t from, size_t n, void *stream)
{
    CALL_IN_CONTEXT("cuMemcpyDtoDAsync_v2");
    (void)stream;
    int a = find_piece(to, n), b = find_piece(from, n);
    if (a < 0 || b < 0)
        return INVALID_VALUE;
    state.wrong_context += pieces[a].device != pieces[b].device;
    memcpy(host(to), host(from), n);
    return OK;
}

API int cuMemcpyPeerAsync(uint64_t to, const Context *to_ctx, uint64_t from,
                          const Context *from_ctx, size_t n, void *stream)
{
    CALL_IN_CONTEXT("cuMemcpyPeerAsync");
    (void)stream;
    int a = find_piece(to, n), b = find_piece(from, n);
    if (a < 0 || b < 0)
        return INVALID_VALUE;
    state.wrong_context +=
        pieces[a].device != to_ctx->device || pieces[b].device != from_ctx->device;
    memcpy(host(to), host(from), n);
    return OK;
}

static int fill(uint64_t p, size_t pitch, const void *value, size_t size, size_t n)
{
    if (find_piece(p, (n - 1) * pitch + size) < 0)
        return INVALID_VALUE;
    for (size_t i = 0; i < n; i++)
        memcpy((char *)host(p) + i * pitch, value, size);
    return OK;
}

API int cuMemsetD8Async(uint64_t p, unsigned char v, size_t n, void *stream)
{
    CALL_IN_CONTEXT("cuMemsetD8Async");
    (void)stream;
    return fill(p, 1, &v, 1, n);
}

API int cuMemsetD16Async(uint64_t p, unsigned short v, size_t n, void *stream)
{
    CALL_IN_CONTEXT("cuMemsetD16Async");
    (void)stream;
    return fill(p, 2, &v, 2, n);
}

API int cuMemsetD32Async(uint64_t p, unsigned v, size_t n, void *stream)
{
    CALL_IN_CONTEXT("cuMemsetD32Async");
    (void)stream;
    return fill(p, 4, &v, 4, n);
}

API int cuMemsetD2D32Async(uint64_t p, size_t pitch, unsigned v, size_t width, size_t height,
                           void *stream)
{
    CALL_IN_CONTEXT("cuMemsetD2D32Async");
    (void)stream;
    return width == 1 ? fill(p, pitch, &v, 4, height) : INVALID_VALUE;
}

/* streams and events */

API int cuCtxSynchronize(void)
{
    CALL_IN_CONTEXT("cuCtxSynchronize");
    return state.later;
}

API int cuStreamSynchronize(void *stream)
{
    CALL_IN_CONTEXT("cuStreamSynchronize");
    (void)stream;
    return state.later;
}

API int cuStreamIsCapturing(void *stream, int *status)
{
    CALL("cuStreamIsCapturing");
    *status = state.capturing && stream == state.capturing;
    return OK;
}

API int cuThreadExchangeStreamCaptureMode(int *mode)
{
    CALL("cuThreadExchangeStreamCaptureMode");
    (void)mode;
    return OK;
}

API int cuEventCreate(void **e, unsigned flags)
{
    CALL_IN_CONTEXT("cuEventCreate");
    (void)flags;
    *e = malloc(1);
    state.events++;
    return OK;
}

API int cuEventRecord(void *e, void *stream)
{
    CALL_IN_CONTEXT("cuEventRecord");
    (void)e;
    (void)stream;
    return OK;
}

API int cuEventSynchronize(void *e)
{
    CALL_IN_CONTEXT("cuEventSynchronize");
    (void)e;
    return state.later;
}

API int cuEventElapsedTime(float *milliseconds, void *a, void *b)
{
    CALL_IN_CONTEXT("cuEventElapsedTime");
    *milliseconds = 1.5F;
    return a != b ? OK : INVALID_VALUE;
}

API int cuEventDestroy_v2(void *e)
{
    CALL_IN_CONTEXT("cuEventDestroy_v2");
    free(e);
    state.events--;
    return OK;
}

/* the assembler: its code is the text "cubin: " and the PTX */

typedef struct {
    char *image, *log;
} Link;

API int cuLinkCreate_v2(unsigned n, const int *options, void **values, Link **l)
{
    CALL_IN_CONTEXT("cuLinkCreate_v2");
    *l = calloc(1, sizeof **l);
    for (unsigned i = 0; i < n; i++) {
        if (options[i] == 5)
            (*l)->log = values[i];
    }
    state.links++;
    return OK;
}

API int cuLinkAddData_v2(Link *l, int type, const char *data, size_t n, const char *name,
                         unsigned noptions, const int *options, void **values)
{
    CALL_IN_CONTEXT("cuLinkAddData_v2");
    (void)name;
    (void)options;
    (void)values;
    if (type != 1 || n == 0 || data[n - 1] != '\0' || noptions != 0)
        return INVALID_VALUE;
    if (state.broken_ptx && strncmp(data, state.broken_ptx, strlen(state.broken_ptx)) == 0) {
        strcpy(l->log, "line 1: the driver knows no such PTX\n");
        return INVALID_PTX;
    }
    l->image = malloc(n + 8);
    strcpy(l->image, "cubin: ");
    strcat(l->image, data);
    return OK;
}

API int cuLinkComplete(const Link *l, void **image, size_t *n)
{
    CALL_IN_CONTEXT("cuLinkComplete");
    *image = l->image;
    *n = strlen(l->image);
    return OK;
}

API int cuLinkDestroy(Link *l)
{
    CALL("cuLinkDestroy");
    free(l->image);
    free(l);
    state.links--;
    return OK;
}
