/*
 * arrays.c - the entry points for arrays of devices that have memory of their own
 *
 * Each finds the device, checks what the caller gave, and hands on to DeviceArrays of its row
 * (device.h), which knows the memory.
 */
#include <string.h>

#include "api.h"

/* A device with memory, ready for a call. */
typedef struct {
    const Device *device;
    const DeviceArrays *arrays;
    void *state;
} Owner;

static bool has_unit(const Device *d, int id)
{
    return id >= 0 && id < (d->arrays ? d->arrays->count() : 1);
}

static tilec_status check_id(const Owner *o, int id, char **error)
{
    if (has_unit(o->device, id))
        return TILEC_OK;
    return api_refuse(error, TILEC_NOT_FOUND, "there is no number %d of the device `%s`", id,
                      o->device->name);
}

/* The device of that name, which must be here and have memory of its own. */
static tilec_status find_owner(tilec_context *ctx, const char *call, const char *name, int id,
                               Owner *o, char **error)
{
    if (error)
        *error = NULL;
    if (!handle_is_context(ctx))
        return api_refuse(error, TILEC_BAD_ARGUMENT, "%s: %s", call,
                          handle_problem_of_context(ctx));
    int number = api_device(name, error);
    if (number < 0)
        return TILEC_NOT_FOUND;
    o->device = device_at(number);
    o->arrays = o->device->arrays;
    if (!o->arrays)
        return api_refuse(error, TILEC_BAD_ARGUMENT,
                          "%s: the device `%s` has no memory of its own; it works on the host's",
                          call, o->device->name);
    if (!api_available(o->device, error))
        return TILEC_FAILED;
    o->state = api_device_state(ctx, number);
    return check_id(o, id, error);
}

int tilec_unit_count(const tilec_context *ctx, const char *device)
{
    const Device *d = handle_is_context(ctx) ? device_at(device_find(device)) : NULL;

    return !d ? 0 : d->arrays ? d->arrays->count() : 1;
}

tilec_status tilec_unit_info(const tilec_context *ctx, const char *device, int device_id,
                             tilec_unit *out)
{
    const Device *d = device_at(device_find(device));
    DeviceUnit unit;

    if (!handle_is_context(ctx) || !out)
        return TILEC_BAD_ARGUMENT;
    if (!d || !has_unit(d, device_id))
        return TILEC_NOT_FOUND;
    if (!d->arrays)
        unit = (DeviceUnit){.name = d->describe(), .processors = d->threads()};
    else if (!d->arrays->unit(device_id, &unit))
        return TILEC_NOT_FOUND;
    *out = (tilec_unit){unit.name, unit.arch, unit.memory, unit.processors};
    return TILEC_OK;
}

tilec_status tilec_alloc(tilec_context *ctx, const char *device, int device_id, size_t bytes,
                         void **out, char **error)
{
    Owner o;
    void *data = NULL;
    char *text = NULL;

    if (out)
        *out = NULL;
    tilec_status status = find_owner(ctx, "tilec_alloc", device, device_id, &o, error);
    if (status != TILEC_OK)
        return status;
    if (!out)
        return api_refuse(error, TILEC_BAD_ARGUMENT, "tilec_alloc: out is NULL");
    RunStatus run = o.arrays->alloc(o.state, device_id, MAX(bytes, 1), &data, &text);
    if (run == RUN_OK)
        *out = data;
    return api_device_status(run, text, error);
}

tilec_status tilec_release(tilec_context *ctx, const char *device, int device_id, void *data,
                           char **error)
{
    Owner o;
    char *text = NULL;
    tilec_status status = find_owner(ctx, "tilec_release", device, device_id, &o, error);

    if (status != TILEC_OK || !data)
        return status;
    RunStatus run = o.arrays->release(o.state, device_id, data, &text);
    return api_device_status(run, text, error);
}

/* One end of a copy. */
static tilec_status check_place(const Owner *o, const tilec_place *p, const char *end, size_t bytes,
                                char **error)
{
    if ((unsigned)p->memory > TILEC_MEMORY_DEVICE)
        return api_refuse(error, TILEC_BAD_ARGUMENT,
                          "tilec_copy: the memory of `%s` is none of tilec_memory", end);
    if (!p->data && bytes > 0)
        return api_refuse(error, TILEC_BAD_ARGUMENT, "tilec_copy: the address of `%s` is NULL",
                          end);
    return p->memory == TILEC_MEMORY_HOST ? TILEC_OK : check_id(o, p->device_id, error);
}

tilec_status tilec_copy(tilec_context *ctx, const char *device, tilec_place to, tilec_place from,
                        size_t bytes, void *stream, char **error)
{
    Owner o;
    char *text = NULL;
    tilec_status status = find_owner(ctx, "tilec_copy", device, 0, &o, error);

    if (status == TILEC_OK)
        status = check_place(&o, &to, "to", bytes, error);
    if (status == TILEC_OK)
        status = check_place(&o, &from, "from", bytes, error);
    if (status != TILEC_OK || bytes == 0)
        return status;
    if (to.memory == TILEC_MEMORY_HOST && from.memory == TILEC_MEMORY_HOST)
        return api_refuse(error, TILEC_BAD_ARGUMENT,
                          "tilec_copy: both places are in the host's memory");
    const DeviceCopy copy = {.to = to.data,
                             .from = from.data,
                             .bytes = bytes,
                             .to_memory = (MemoryKind)to.memory,
                             .from_memory = (MemoryKind)from.memory,
                             .to_id = to.device_id,
                             .from_id = from.device_id,
                             .stream = stream};
    RunStatus run = o.arrays->copy(o.state, &copy, &text);
    return api_device_status(run, text, error);
}

/* The element of 1, 2, 4 or 8 bytes as a number. */
static bool read_element(const void *value, size_t size, uint64_t *out)
{
    *out = 0;
    if (size != 1 && size != 2 && size != 4 && size != 8)
        return false;
    memcpy(out, value, size);
    return true;
}

tilec_status tilec_fill(tilec_context *ctx, const char *device, int device_id, void *data,
                        const void *value, size_t size, size_t count, void *stream, char **error)
{
    Owner o;
    char *text = NULL;
    tilec_status status = find_owner(ctx, "tilec_fill", device, device_id, &o, error);
    DeviceFill fill = {
        .id = device_id, .data = data, .size = (int)size, .count = count, .stream = stream};

    if (status != TILEC_OK)
        return status;
    if (!value || (!data && count > 0))
        return api_refuse(error, TILEC_BAD_ARGUMENT, "tilec_fill: the %s is NULL",
                          value ? "data" : "value");
    if (!read_element(value, size, &fill.value))
        return api_refuse(error, TILEC_BAD_ARGUMENT,
                          "tilec_fill: an element has 1, 2, 4 or 8 bytes, not %zu", size);
    if (count > SIZE_MAX / size)
        return api_refuse(error, TILEC_BAD_ARGUMENT, "tilec_fill: %zu elements are too many",
                          count);
    if (count == 0)
        return TILEC_OK;
    RunStatus run = o.arrays->fill(o.state, &fill, &text);
    return api_device_status(run, text, error);
}

tilec_status tilec_wait(tilec_context *ctx, const char *device, int device_id, void *stream,
                        char **error)
{
    const Device *d = device_at(device_find(device));
    Owner o;
    char *text = NULL;

    if (handle_is_context(ctx) && d && !d->arrays && !stream && has_unit(d, device_id)) {
        if (error)
            *error = NULL;
        return TILEC_OK;
    }
    tilec_status status = find_owner(ctx, "tilec_wait", device, device_id, &o, error);
    if (status != TILEC_OK)
        return status;
    RunStatus run = o.arrays->wait(o.state, device_id, stream, &text);
    return api_device_status(run, text, error);
}
