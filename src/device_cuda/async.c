/*
 * async.c - launches that nobody waits for although their kernels assert
 *
 * A kernel that asserts finds a buffer for records (ir.h) that stays with its code in a context: a
 * launch has nothing to prepare and nothing to read, and one that is captured into a graph finds it
 * whenever the graph runs.  Who fails also writes a word of the host's memory, one for all, at
 * which those look who want to know; only where it is set are the buffers read.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>

#include "device_cuda.h"

struct CudaAsync {
    CudaAsync *next;
    const CudaCode *code;
    const void *name; /* DeviceLaunch.async */
    int id;           /* of the GPU */
    CuContext context;
    unsigned long long context_id;
    CudaRecords *records;
    RecordRoom room;
};

/* --- in front of launches --- */

/* Under the lock. */
static CudaAsync *find(const CudaScope *s, const CudaCode *code, unsigned long long id)
{
    CudaAsync *a = s->state->asyncs;

    while (a && (a->code != code || a->context != s->context || a->context_id != id))
        a = a->next;
    return a;
}

/* The word that says that something has failed, on the first call. */
static CuResult make_word(const CudaScope *s)
{
    enum { PORTABLE = 1, MAPPED = 2 };
    void *word = NULL;

    if (atomic_load(&s->state->told))
        return CU_SUCCESS;
    CuResult r = s->driver->host_alloc(&word, sizeof(uint32_t), PORTABLE | MAPPED);
    if (r == CU_SUCCESS) {
        *(uint32_t *)word = 0;
        atomic_store(&s->state->told, (volatile uint32_t *)word);
    }
    return r;
}

/* One that is ready for launches in any stream. */
static RunStatus make_buffer(const CudaScope *s, const DeviceLaunch *l, CudaAsync *a, char **error)
{
    CuResult r = make_word(s);

    if (r != CU_SUCCESS)
        return cuda_refuse(r, error, "no memory that says what failed");
    a->room = l->room;
    a->room.told = (uint64_t)(uintptr_t)atomic_load(&s->state->told);
    RunStatus status = cuda_records_open(s, l->stream, a->room, &a->records, error);
    if (status != RUN_OK)
        return status;
    r = s->driver->stream_wait(l->stream);
    if (r == CU_SUCCESS)
        return RUN_OK;
    cuda_records_drop(s, a->records);
    return cuda_refuse(r, error, "preparing for what programs say");
}

/* Under the lock. */
static RunStatus add(const CudaScope *s, const CudaCode *code, const DeviceLaunch *l,
                     unsigned long long id, CudaAsync **out, char **error)
{
    CudaAsync *a = calloc(1, sizeof *a);
    RunStatus status = a ? make_buffer(s, l, a, error) : RUN_NO_MEMORY;

    if (status != RUN_OK) {
        free(a);
        return status;
    }
    a->code = code;
    a->name = l->async;
    a->id = s->id;
    a->context = s->context;
    a->context_id = id;
    a->next = s->state->asyncs;
    s->state->asyncs = a;
    *out = a;
    return RUN_OK;
}

static RunStatus refuse_capture(char **error)
{
    if (asprintf(error, "error: the first launch of a kernel that asserts cannot be captured into "
                        "a graph\nhint: launch it once before, as it is captured\n") < 0)
        *error = NULL;
    return RUN_FAILED;
}

RunStatus cuda_async_open(const CudaScope *s, const CudaCode *code, const DeviceLaunch *l,
                          CuAddress *at, char **error)
{
    unsigned long long id = 0;
    RunStatus status = RUN_OK;

    s->driver->context_id(s->context, &id);
    pthread_mutex_lock(&s->state->async_lock);
    CudaAsync *a = find(s, code, id);
    if (!a)
        status =
            cuda_is_captured(s, l->stream) ? refuse_capture(error) : add(s, code, l, id, &a, error);
    pthread_mutex_unlock(&s->state->async_lock);
    if (status == RUN_OK)
        *at = cuda_records_address(a->records);
    return status;
}

/* --- behind them --- */

/* In its context, behind all that runs there; contexts that are gone have nothing to say. */
static CuResult read_one(CudaState *state, const CudaAsync *a, const DeviceHear *hear)
{
    const CudaDriver *d = cuda_driver();
    const CudaScope s = {.driver = d, .state = state, .id = a->id, .context = a->context};
    unsigned long long id;
    CuContext ignored;

    if (d->context_id(a->context, &id) != CU_SUCCESS || id != a->context_id)
        return CU_SUCCESS;
    CuResult r = d->context_push(a->context);
    if (r != CU_SUCCESS)
        return r;
    r = d->context_wait();
    if (r == CU_SUCCESS && hear)
        r = cuda_records_read(&s, a->records, a->room, hear, a->name);
    d->context_pop(&ignored);
    return r;
}

/* All of them; who is not heard is only waited for. */
static RunStatus read_all(CudaState *state, const DeviceHear *hear, char **error)
{
    CuResult r = CU_SUCCESS;

    pthread_mutex_lock(&state->async_lock);
    for (const CudaAsync *a = state->asyncs; a && r == CU_SUCCESS; a = a->next)
        r = read_one(state, a, hear);
    pthread_mutex_unlock(&state->async_lock);
    return r == CU_SUCCESS ? RUN_OK : cuda_refuse(r, error, "launches that nobody has waited for");
}

RunStatus cuda_async_hear(void *cuda, bool waits, const DeviceHear *hear, char **error)
{
    CudaState *state = cuda;
    volatile uint32_t *told = atomic_load_explicit(&state->told, memory_order_acquire);
    RunStatus status = RUN_OK;

    *error = NULL;
    if (!told)
        return RUN_OK;
    if (waits)
        status = read_all(state, NULL, error);
    if (status != RUN_OK || !*told)
        return status;
    *told = 0; /* before they are read: who fails from here on says so again */
    return read_all(state, hear, error);
}

void cuda_async_close(CudaState *state, const CudaCode *code)
{
    const CudaDriver *d = cuda_driver();
    CudaAsync **link = &state->asyncs, *a;

    pthread_mutex_lock(&state->async_lock);
    while ((a = *link)) {
        if (code && a->code != code) {
            link = &a->next;
            continue;
        }
        *link = a->next;
        cuda_records_free(d, a->records);
        free(a);
    }
    if (!code && d && atomic_load(&state->told))
        d->host_release((void *)(uintptr_t)atomic_load(&state->told));
    pthread_mutex_unlock(&state->async_lock);
}
