/*
 * records.c - what the programs of a launch say
 *
 * The buffer that ir.h describes lies in the GPU's memory, is made ready in front of the launch of
 * a kernel that may say something and read behind its end: only the parts that programs have used,
 * since most say nothing.  It is kept for the next launch in the same context, which clears what
 * was used; of a launch that said nothing that is nothing at all.
 */
#include <stdlib.h>
#include <string.h>

#include "device_cuda.h"

struct CudaRecords {
    CudaRecords *next; /* among the spare ones */
    CuContext context; /* whose memory it is */
    unsigned long long context_id;
    CuAddress at;
    size_t bytes;
    RecordBuffer head;                                         /* as it is there */
    RecordBuffer begin;                                        /* as the launch wants it */
    uint64_t used_from[RECORDS_KINDS], used_to[RECORDS_KINDS]; /* words that are not zeros */
};

/* --- spare ones --- */

/* One of this context, which is no longer a spare one then; NULL: there is none. */
static CudaRecords *take_spare(const CudaScope *s, unsigned long long context_id)
{
    CudaRecords **link = &s->state->spare, *r;

    pthread_mutex_lock(&s->state->lock);
    while ((r = *link) && (r->context != s->context || r->context_id != context_id))
        link = &r->next;
    if (r)
        *link = r->next;
    pthread_mutex_unlock(&s->state->lock);
    return r;
}

static void keep_spare(const CudaScope *s, CudaRecords *r)
{
    pthread_mutex_lock(&s->state->lock);
    r->next = s->state->spare;
    s->state->spare = r;
    pthread_mutex_unlock(&s->state->lock);
}

void cuda_records_drop(const CudaScope *s, CudaRecords *r)
{
    s->driver->release(r->at); /* what is wrong with it was said before */
    free(r);
}

/* The memory of a context that the program has destroyed went with it. */
void cuda_records_free(const CudaDriver *d, CudaRecords *r)
{
    unsigned long long id;
    CuContext ignored;

    if (d && d->context_id(r->context, &id) == CU_SUCCESS && id == r->context_id &&
        d->context_push(r->context) == CU_SUCCESS) {
        d->release(r->at);
        d->context_pop(&ignored);
    }
    free(r);
}

void cuda_records_close(CudaState *state)
{
    const CudaDriver *d = cuda_driver();

    for (CudaRecords *r = state->spare, *next; r; r = next) {
        next = r->next;
        cuda_records_free(d, r);
    }
    state->spare = NULL;
}

/* --- in front of a launch --- */

/* All of it is to be cleared. */
static RunStatus new_records(const CudaScope *s, size_t bytes, CudaRecords **out, char **error)
{
    CudaRecords *r = calloc(1, sizeof *r);

    if (!r)
        return RUN_NO_MEMORY;
    CuResult result = s->driver->alloc(&r->at, bytes);
    if (result != CU_SUCCESS) {
        free(r);
        return cuda_refuse(result, error,
                           "no memory for what programs say, %zu bytes on number %d of the "
                           "device `cuda`",
                           bytes, s->id);
    }
    r->bytes = bytes;
    r->used_to[0] = (bytes - sizeof r->head) / sizeof(uint32_t);
    *out = r;
    return RUN_OK;
}

/* A spare one that is large enough, else a new one in its place. */
static RunStatus find_records(const CudaScope *s, size_t bytes, CudaRecords **out, char **error)
{
    unsigned long long id = 0;

    s->driver->context_id(s->context, &id);
    *out = take_spare(s, id);
    if (*out && (*out)->bytes >= bytes)
        return RUN_OK;
    if (*out)
        cuda_records_drop(s, *out);
    RunStatus status = new_records(s, bytes, out, error);
    if (status != RUN_OK)
        return status;
    (*out)->context = s->context;
    (*out)->context_id = id;
    return RUN_OK;
}

/* What is queued here reads `begin`, which is there until the launch has ended. */
static CuResult make_ready(const CudaScope *s, CuStream stream, CudaRecords *r, RecordRoom room)
{
    CuResult result = CU_SUCCESS;

    record_buffer_begin(&r->begin, room);
    for (int k = 0; k < RECORDS_KINDS && result == CU_SUCCESS; k++) {
        if (r->used_from[k] < r->used_to[k])
            result = s->driver->fill_32(r->at + sizeof r->head + 4 * r->used_from[k], 0,
                                        r->used_to[k] - r->used_from[k], stream);
    }
    if (result == CU_SUCCESS && memcmp(&r->head, &r->begin, sizeof r->head) != 0)
        result = s->driver->copy_to_device(r->at, &r->begin, sizeof r->begin, stream);
    return result;
}

RunStatus cuda_records_open(const CudaScope *s, CuStream stream, RecordRoom room, CudaRecords **out,
                            char **error)
{
    RunStatus status = find_records(s, record_buffer_bytes(room), out, error);

    if (status != RUN_OK)
        return status;
    CuResult result = make_ready(s, stream, *out, room);
    if (result == CU_SUCCESS)
        return RUN_OK;
    cuda_records_drop(s, *out);
    return cuda_refuse(result, error, "preparing for what programs say");
}

CuAddress cuda_records_address(const CudaRecords *r)
{
    return r->at;
}

/* --- behind it --- */

/* The head, and which words were used, with the end of the launch. */
static CuResult fetch_head(const CudaScope *s, CuStream stream, CudaRecords *r)
{
    CuResult result = s->driver->copy_to_host(&r->head, r->at, sizeof r->head, stream);

    if (result == CU_SUCCESS)
        result = s->driver->stream_wait(stream);
    for (int k = 0; k < RECORDS_KINDS && result == CU_SUCCESS; k++)
        record_buffer_used(&r->head, r->bytes, k, &r->used_from[k], &r->used_to[k]);
    return result;
}

static CuResult fetch_words(const CudaScope *s, CuStream stream, const CudaRecords *r,
                            RecordBuffer *b)
{
    CuResult result = CU_SUCCESS;

    for (int k = 0; k < RECORDS_KINDS && result == CU_SUCCESS; k++) {
        uint64_t from = r->used_from[k], to = r->used_to[k];
        if (from < to)
            result = s->driver->copy_to_host(b->data + from, r->at + sizeof *b + 4 * from,
                                             4 * (size_t)(to - from), stream);
    }
    return result == CU_SUCCESS ? s->driver->stream_wait(stream) : result;
}

static bool is_silent(const CudaRecords *r)
{
    return memcmp(&r->head, &r->begin, sizeof r->head) == 0;
}

static RunStatus hand_over(const CudaScope *s, CuStream stream, const CudaRecords *r,
                           RecordPort *port, CuResult *result)
{
    RecordBuffer *b = calloc(1, r->bytes); /* pages that nobody touches cost nothing */

    if (!b)
        return RUN_NO_MEMORY;
    memcpy(b, &r->head, sizeof *b);
    *result = fetch_words(s, stream, r, b);
    if (*result == CU_SUCCESS)
        record_buffer_drain(b, r->bytes, port);
    free(b);
    return *result == CU_SUCCESS ? RUN_OK : RUN_FAILED;
}

RunStatus cuda_records_drain(const CudaScope *s, CuStream stream, CudaRecords *r, RecordPort *port,
                             char **error)
{
    CuResult result = fetch_head(s, stream, r);
    RunStatus status = result != CU_SUCCESS ? RUN_FAILED
                       : is_silent(r)       ? RUN_OK
                                            : hand_over(s, stream, r, port, &result);

    if (result != CU_SUCCESS) {
        cuda_records_drop(s, r);
        return cuda_refuse(result, error, "a launch on number %d of the device `cuda`", s->id);
    }
    keep_spare(s, r);
    return status;
}

CuResult cuda_records_read(const CudaScope *s, CudaRecords *r, RecordRoom room,
                           const DeviceHear *hear, const void *speaker)
{
    CuResult result = fetch_head(s, NULL, r);

    if (result != CU_SUCCESS || is_silent(r))
        return result;
    RecordPort *port = hear->begin(hear->user, speaker);
    if (port)
        hand_over(s, NULL, r, port, &result);
    hear->end(hear->user);
    if (result == CU_SUCCESS)
        result = make_ready(s, NULL, r, room);
    return result == CU_SUCCESS ? s->driver->stream_wait(NULL) : result;
}
