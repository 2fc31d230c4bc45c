/*
 * context.c - which context of the driver a piece of work happens in
 */
#include <stdlib.h>

#include "device_cuda.h"

void *cuda_open(void)
{
    CudaState *s = calloc(1, sizeof *s);

    if (!s)
        return NULL;
    pthread_mutex_init(&s->lock, NULL);
    pthread_mutex_init(&s->async_lock, NULL);
    return s;
}

void cuda_close(void *state)
{
    const CudaDriver *d = cuda_driver();
    CudaState *s = state;

    cuda_async_close(s, NULL);
    cuda_records_close(s);
    for (int i = 0; d && i < CUDA_UNITS; i++) {
        if (atomic_load(&s->primary[i]))
            d->primary_release(cuda_unit(i)->device);
    }
    pthread_mutex_destroy(&s->async_lock);
    pthread_mutex_destroy(&s->lock);
    free(s);
}

/* The GPU of the current context; -1: there is none, or none that we know. */
static int current_unit(const CudaDriver *d, CuContext *context)
{
    int device;

    if (d->context_current(context) != CU_SUCCESS || !*context ||
        d->context_device(&device) != CU_SUCCESS)
        return -1;
    for (int i = 0; i < cuda_count(); i++) {
        if (cuda_unit(i)->device == device)
            return i;
    }
    return -1;
}

int cuda_current(void)
{
    const CudaDriver *d = cuda_driver();
    CuContext ignored;

    return d ? MAX(current_unit(d, &ignored), 0) : 0;
}

/* Retained once a state: its count goes down again with cuda_close(). */
static RunStatus primary_context(CudaState *s, const CudaDriver *d, int id, CuContext *out,
                                 char **error)
{
    CuResult r = CU_SUCCESS;

    *out = atomic_load_explicit(&s->primary[id], memory_order_acquire);
    if (*out)
        return RUN_OK;
    pthread_mutex_lock(&s->lock);
    *out = atomic_load_explicit(&s->primary[id], memory_order_relaxed);
    if (!*out) {
        r = d->primary_retain(out, cuda_unit(id)->device);
        if (r == CU_SUCCESS)
            atomic_store_explicit(&s->primary[id], *out, memory_order_release);
    }
    pthread_mutex_unlock(&s->lock);
    if (r == CU_SUCCESS)
        return RUN_OK;
    return cuda_refuse(r, error, "number %d of the device `cuda` cannot be used", id);
}

RunStatus cuda_context(CudaState *state, int id, CuContext *context, char **error)
{
    const CudaDriver *d = cuda_driver();

    *error = NULL;
    if (!state)
        return RUN_NO_MEMORY;
    if (!d)
        return RUN_FAILED;
    if (current_unit(d, context) == id)
        return RUN_OK;
    return primary_context(state, d, id, context, error);
}

RunStatus cuda_enter(CudaState *state, int id, CudaScope *scope, char **error)
{
    const CudaDriver *d = cuda_driver();
    CuContext current = NULL;

    *error = NULL;
    if (!state)
        return RUN_NO_MEMORY;
    if (!d)
        return RUN_FAILED;
    int here = current_unit(d, &current);
    *scope = (CudaScope){
        .driver = d, .state = state, .id = id >= 0 ? id : MAX(here, 0), .context = current};
    if (here == scope->id)
        return RUN_OK;
    RunStatus status = primary_context(state, d, scope->id, &scope->context, error);
    if (status != RUN_OK)
        return status;
    CuResult r = d->context_push(scope->context);
    if (r != CU_SUCCESS)
        return cuda_refuse(r, error, "number %d of the device `cuda` cannot be used", scope->id);
    scope->pushed = true;
    return RUN_OK;
}

void cuda_leave(CudaScope *scope)
{
    CuContext ignored;

    if (scope->pushed)
        scope->driver->context_pop(&ignored);
    scope->pushed = false;
}
