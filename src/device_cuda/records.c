/*
 * records.c - the buffer that programs say something in
 *
 * It is as RecordBuffer of ir.h has it, in the GPU's memory, made for one launch of a kernel that
 * may say something and read behind its end: only the parts that programs have used, since most
 * say nothing.
 */
#include <stdlib.h>

#include "../run/record.h"
#include "device_cuda.h"

RunStatus cuda_records_open(const CudaScope *s, CuStream stream, CuAddress *buffer, char **error)
{
    const CudaDriver *d = s->driver;
    RecordBuffer header;
    CuResult r = d->alloc(buffer, RECORD_BUFFER_BYTES);

    if (r != CU_SUCCESS)
        return cuda_refuse(r, error,
                           "no memory for what programs say, %d bytes on number %d of "
                           "the device `cuda`",
                           RECORD_BUFFER_BYTES, s->id);
    record_buffer_begin(&header, RECORD_BUFFER_BYTES);
    r = d->fill_32(*buffer, 0, RECORD_BUFFER_BYTES / 4, stream);
    if (r == CU_SUCCESS)
        r = d->copy_to_device(*buffer, &header, sizeof header, stream);
    if (r == CU_SUCCESS) /* the header is on this stack */
        r = d->stream_wait(stream);
    if (r == CU_SUCCESS)
        return RUN_OK;
    d->release(*buffer);
    return cuda_refuse(r, error, "preparing for what programs say");
}

/* The words that programs of one kind have used, to where they were. */
static CuResult fetch_words(const CudaScope *s, CuStream stream, CuAddress buffer, RecordBuffer *b,
                            uint64_t from, uint64_t to)
{
    CuAddress at = buffer + sizeof *b + 4 * from;

    return from < to ? s->driver->copy_to_host(b->data + from, at, 4 * (size_t)(to - from), stream)
                     : CU_SUCCESS;
}

static CuResult fetch_records(const CudaScope *s, CuStream stream, CuAddress buffer,
                              RecordBuffer *b)
{
    uint64_t all = (RECORD_BUFFER_BYTES - sizeof *b) / 4, from = 0;
    CuResult r = s->driver->copy_to_host(b, buffer, sizeof *b, stream);

    if (r == CU_SUCCESS)
        r = s->driver->stream_wait(stream);
    for (int k = 0; k < RECORDS_KINDS && r == CU_SUCCESS; k++) {
        uint64_t end = MIN(b->end[k], all);
        r = fetch_words(s, stream, buffer, b, from, MIN(b->used[k], end));
        from = end;
    }
    return r == CU_SUCCESS ? s->driver->stream_wait(stream) : r;
}

RunStatus cuda_records_drain(const CudaScope *s, CuStream stream, CuAddress buffer,
                             RecordPort *port, char **error)
{
    RecordBuffer *b = calloc(1, RECORD_BUFFER_BYTES); /* pages that nobody touches cost nothing */

    if (!b)
        return RUN_NO_MEMORY;
    CuResult r = fetch_records(s, stream, buffer, b);
    if (r == CU_SUCCESS)
        record_buffer_drain(b, RECORD_BUFFER_BYTES, port);
    free(b);
    return r == CU_SUCCESS
               ? RUN_OK
               : cuda_refuse(r, error, "a launch on number %d of the device `cuda`", s->id);
}

void cuda_records_close(const CudaScope *s, CuAddress buffer)
{
    s->driver->release(buffer); /* what is wrong with it was said before */
}
