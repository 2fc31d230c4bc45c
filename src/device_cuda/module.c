/*
 * module.c - compiled kernels, in each context that they are launched in
 *
 * An object is code for one chip, or PTX where nothing could assemble it before.  It is loaded into
 * a context with the first launch there.  Launches find what was loaded in a list that only grows
 * at its front, without a lock; a context is known by the driver's number for it, since another one
 * may later have the same address.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device_cuda.h"

enum { WARP = 32, FREE_SHARED = 48 << 10, LOG_BYTES = 8 << 10 };

typedef struct Loaded Loaded;
struct Loaded {
    const Loaded *next;
    CuContext context;
    unsigned long long context_id;
    CuModule module;
    CuFunction function;
};

struct CudaCode {
    char *image; /* a NUL behind it: the driver takes PTX as a C string */
    char entry[GEN_ENTRY];
    int warps;
    size_t shared;
    GenRecipe recipe;
    pthread_mutex_t lock;       /* held while it is loaded */
    _Atomic(CudaState *) state; /* that has buffers for it; NULL: none has */
    _Atomic(const Loaded *) loaded;
};

RunStatus cuda_load(const DeviceObject *object, void **code, const char **why)
{
    const GenOutput *o = object->output;
    CudaCode *c = calloc(1, sizeof *c);

    if (c)
        c->image = calloc(1, o->len + 1);
    if (!c || !c->image) {
        free(c);
        *why = run_status_text(RUN_NO_MEMORY);
        return RUN_NO_MEMORY;
    }
    memcpy(c->image, o->data, o->len);
    gen_entry_name(object->func ? object->func->name : NULL, c->entry);
    c->warps = o->warps;
    c->shared = o->shared;
    c->recipe = o->recipe;
    pthread_mutex_init(&c->lock, NULL);
    *code = c;
    *why = "it says nothing of its warps";
    if (c->warps > 0)
        return RUN_OK;
    cuda_unload(c);
    return RUN_BAD_OBJECT;
}

void cuda_unload(void *code)
{
    const CudaDriver *d = cuda_driver();
    CudaCode *c = code;
    CuContext ignored;

    if (atomic_load(&c->state))
        cuda_async_close(atomic_load(&c->state), c);
    for (const Loaded *l = atomic_load(&c->loaded), *next; l; l = next) {
        next = l->next;
        if (d && d->context_push(l->context) == CU_SUCCESS) {
            d->module_unload(l->module);
            d->context_pop(&ignored);
        }
        free((void *)l);
    }
    pthread_mutex_destroy(&c->lock);
    free(c->image);
    free(c);
}

/* --- loading --- */

/* What the driver's assembler says about PTX comes behind what it refuses. */
static RunStatus refuse_image(CuResult r, const char *log, char **error)
{
    return cuda_refuse(r, error, "%s%sa kernel cannot be loaded", log, log[0] ? "\n" : "");
}

static RunStatus load_image(const CudaScope *s, const CudaCode *c, CuModule *module, char **error)
{
    static const int options[] = {CU_JIT_ERROR_LOG, CU_JIT_ERROR_LOG_BYTES};
    char log[LOG_BYTES] = "";
    void *values[] = {log, (void *)(uintptr_t)sizeof log};
    int mode = CU_CAPTURE_RELAXED; /* a module is no part of what this thread may be capturing */

    s->driver->capture_mode(&mode);
    CuResult r = s->driver->module_load(module, c->image, COUNT(options), options, values);
    s->driver->capture_mode(&mode);
    return r == CU_SUCCESS ? RUN_OK : refuse_image(r, log, error);
}

/* Let the kernel have its shared memory; more than some has to be asked for. */
static RunStatus allow_shared(const CudaScope *s, const CudaCode *c, CuFunction f, char **error)
{
    const CudaUnit *u = cuda_unit(s->id);

    if (c->shared > (size_t)u->shared) {
        if (asprintf(error,
                     "error: a program of the kernel needs %zu bytes of shared memory; on number "
                     "%d of the device `cuda`, %s, it can have %d\n"
                     "hint: smaller tiles, or fewer num_stages, need less\n",
                     c->shared, s->id, u->name, u->shared) < 0)
            *error = NULL;
        return RUN_FAILED;
    }
    if (c->shared <= FREE_SHARED)
        return RUN_OK;
    CuResult r = s->driver->function_set(f, CU_FUNC_MAX_DYNAMIC_SHARED, (int)c->shared);
    return r == CU_SUCCESS ? RUN_OK
                           : cuda_refuse(r, error, "%zu bytes of shared memory", c->shared);
}

static RunStatus prepare(const CudaScope *s, const CudaCode *c, Loaded *l, char **error)
{
    RunStatus status = load_image(s, c, &l->module, error);

    if (status != RUN_OK)
        return status;
    CuResult r = s->driver->module_function(&l->function, l->module, c->entry);
    status = r == CU_SUCCESS ? allow_shared(s, c, l->function, error)
                             : cuda_refuse(r, error, "a kernel has no entry `%s`", c->entry);
    if (status != RUN_OK)
        s->driver->module_unload(l->module);
    return status;
}

static const Loaded *find_loaded(const CudaCode *c, CuContext context, unsigned long long id)
{
    const Loaded *l = atomic_load_explicit(&c->loaded, memory_order_acquire);

    while (l && (l->context != context || l->context_id != id))
        l = l->next;
    return l;
}

/* Under the lock. */
static RunStatus load_module(CudaCode *c, const CudaScope *s, unsigned long long id,
                             const Loaded **out, char **error)
{
    *out = find_loaded(c, s->context, id);
    if (*out)
        return RUN_OK;
    Loaded *l = calloc(1, sizeof *l);
    if (!l)
        return RUN_NO_MEMORY;
    RunStatus status = prepare(s, c, l, error);
    if (status != RUN_OK) {
        free(l);
        return status;
    }
    l->context = s->context;
    l->context_id = id;
    l->next = atomic_load_explicit(&c->loaded, memory_order_relaxed);
    atomic_store_explicit(&c->loaded, l, memory_order_release);
    *out = l;
    return RUN_OK;
}

RunStatus cuda_kernel(CudaCode *c, const CudaScope *s, CudaKernel *out, char **error)
{
    unsigned long long id = 0;
    RunStatus status = RUN_OK;

    *error = NULL;
    s->driver->context_id(s->context, &id);
    const Loaded *l = find_loaded(c, s->context, id);
    if (!l) {
        pthread_mutex_lock(&c->lock);
        status = load_module(c, s, id, &l, error);
        pthread_mutex_unlock(&c->lock);
    }
    if (status == RUN_OK)
        *out =
            (CudaKernel){l->function, (unsigned)c->warps * WARP, (unsigned)c->shared, &c->recipe};
    return status;
}

RunStatus cuda_async(CudaCode *c, const CudaScope *s, const DeviceLaunch *l, CuAddress *at,
                     char **error)
{
    atomic_store_explicit(&c->state, s->state, memory_order_relaxed);
    return cuda_async_open(s, c, l, at, error);
}

/* --- what it takes --- */

static CuResult ask_attributes(const CudaDriver *d, CuFunction f, CodeFacts *out)
{
    int fixed = 0;
    CuResult r = d->function_get(&out->registers, CU_FUNC_REGISTERS, f);

    if (r == CU_SUCCESS)
        r = d->function_get(&out->local, CU_FUNC_LOCAL, f);
    if (r == CU_SUCCESS)
        r = d->function_get(&fixed, CU_FUNC_SHARED, f);
    out->shared += fixed;
    return r;
}

RunStatus cuda_facts(void *state, void *code, int id, CodeFacts *out, char **error)
{
    CudaCode *c = code;
    CudaScope s;
    CudaKernel k;
    RunStatus status = cuda_enter(state, id, &s, error);

    if (status != RUN_OK)
        return status;
    status = cuda_kernel(c, &s, &k, error);
    *out = (CodeFacts){.warps = c->warps, .shared = (int)c->shared};
    CuResult r = status == RUN_OK ? ask_attributes(s.driver, k.function, out) : CU_SUCCESS;
    cuda_leave(&s);
    return r == CU_SUCCESS ? status : cuda_refuse(r, error, "asking about a kernel");
}
