/*
 * arrays.c - memory of GPUs: allocate, release, copy, fill, wait
 *
 * Every call is one of the driver's in the right context, on the caller's stream.  The driver's
 * calls for copies return when the work is queued, so a copy with the host on the default stream
 * waits for it.
 */
#include "device_cuda.h"

/* What is wrong with a call of the driver, if anything is. */
#define result(r, error, ...) ((r) == CU_SUCCESS ? RUN_OK : cuda_refuse(r, error, __VA_ARGS__))

static bool unit_on_cuda(int id, DeviceUnit *out)
{
    int count = cuda_count();

    if (id < -1 || id >= count || count == 0)
        return false;
    *out = cuda_unit(id < 0 ? cuda_current() : id)->about;
    return true;
}

static CuAddress address(const void *data)
{
    return (CuAddress)(uintptr_t)data;
}

static RunStatus alloc_on_cuda(void *state, int id, size_t bytes, void **data, char **error)
{
    CudaScope s;
    CuAddress p;
    RunStatus status = cuda_enter(state, id, &s, error);

    if (status != RUN_OK)
        return status;
    CuResult r = s.driver->alloc(&p, bytes);
    cuda_leave(&s);
    if (r == CU_SUCCESS)
        *data = (void *)(uintptr_t)p;
    return result(r, error, "no %zu bytes on number %d of the device `cuda`", bytes, id);
}

static RunStatus release_on_cuda(void *state, int id, void *data, char **error)
{
    CudaScope s;
    RunStatus status = cuda_enter(state, id, &s, error);

    if (status != RUN_OK)
        return status;
    CuResult r = s.driver->release(address(data));
    cuda_leave(&s);
    return result(r, error, "an array of number %d of the device `cuda` cannot be released", id);
}

/* From one GPU to another one, in the context of the first. */
static RunStatus copy_to_peer(CudaState *state, const CudaScope *s, const DeviceCopy *c,
                              char **error)
{
    CuContext from;
    RunStatus status = cuda_context(state, c->from_id, &from, error);

    if (status != RUN_OK)
        return status;
    CuResult r = s->driver->copy_to_peer(address(c->to), s->context, address(c->from), from,
                                         c->bytes, c->stream);
    return result(r, error,
                  "%zu bytes cannot be copied from number %d to number %d of the device "
                  "`cuda`",
                  c->bytes, c->from_id, c->to_id);
}

static CuResult start_copy(const CudaScope *s, const DeviceCopy *c)
{
    if (c->from_memory == MEMORY_HOST)
        return s->driver->copy_to_device(address(c->to), c->from, c->bytes, c->stream);
    if (c->to_memory == MEMORY_HOST)
        return s->driver->copy_to_host(c->to, address(c->from), c->bytes, c->stream);
    return s->driver->copy_on_device(address(c->to), address(c->from), c->bytes, c->stream);
}

static RunStatus copy_in(CudaState *state, const CudaScope *s, const DeviceCopy *c, char **error)
{
    bool with_host = c->to_memory == MEMORY_HOST || c->from_memory == MEMORY_HOST;

    if (!with_host && c->to_id != c->from_id)
        return copy_to_peer(state, s, c, error);
    CuResult r = start_copy(s, c);
    if (r == CU_SUCCESS && with_host && !c->stream)
        r = s->driver->stream_wait(NULL);
    return result(r, error, "%zu bytes cannot be copied %s number %d of the device `cuda`",
                  c->bytes, c->to_memory == MEMORY_DEVICE ? "to" : "from", s->id);
}

static RunStatus copy_on_cuda(void *state, const DeviceCopy *c, char **error)
{
    CudaScope s;
    int id = c->to_memory == MEMORY_DEVICE ? c->to_id : c->from_id;
    RunStatus status = cuda_enter(state, id, &s, error);

    if (status != RUN_OK)
        return status;
    status = copy_in(state, &s, c, error);
    cuda_leave(&s);
    return status;
}

/* Elements of 8 bytes are two columns of 4 bytes each, unless they are alike. */
static CuResult fill_64(const CudaDriver *d, const DeviceFill *f)
{
    CuAddress p = address(f->data);
    unsigned low = (unsigned)f->value, high = (unsigned)(f->value >> 32);

    if (low == high)
        return d->fill_32(p, low, 2 * f->count, f->stream);
    CuResult r = d->fill_rows_32(p, 8, low, 1, f->count, f->stream);
    return r == CU_SUCCESS ? d->fill_rows_32(p + 4, 8, high, 1, f->count, f->stream) : r;
}

static CuResult start_fill(const CudaDriver *d, const DeviceFill *f)
{
    CuAddress p = address(f->data);

    switch (f->size) {
    case 1:
        return d->fill_8(p, (unsigned char)f->value, f->count, f->stream);
    case 2:
        return d->fill_16(p, (unsigned short)f->value, f->count, f->stream);
    case 4:
        return d->fill_32(p, (unsigned)f->value, f->count, f->stream);
    default:
        return fill_64(d, f);
    }
}

static RunStatus fill_on_cuda(void *state, const DeviceFill *f, char **error)
{
    CudaScope s;
    RunStatus status = cuda_enter(state, f->id, &s, error);

    if (status != RUN_OK)
        return status;
    CuResult r = start_fill(s.driver, f);
    cuda_leave(&s);
    return result(r, error, "%zu elements cannot be filled on number %d of the device `cuda`",
                  f->count, f->id);
}

static RunStatus wait_on_cuda(void *state, int id, void *stream, char **error)
{
    CudaScope s;
    RunStatus status = cuda_enter(state, id, &s, error);

    if (status != RUN_OK)
        return status;
    CuResult r = s.driver->stream_wait(stream);
    cuda_leave(&s);
    return result(r, error, "waiting for number %d of the device `cuda`", id);
}

const DeviceArrays cuda_arrays = {.count = cuda_count,
                                  .unit = unit_on_cuda,
                                  .alloc = alloc_on_cuda,
                                  .release = release_on_cuda,
                                  .copy = copy_on_cuda,
                                  .fill = fill_on_cuda,
                                  .wait = wait_on_cuda};
