/*
 * device.c - the table of devices
 */
#include <string.h>

#include "device.h"

#define ROW_OF_DEVICE(name) &name##_device,
static const Device *const devices[] = {DEVICES(ROW_OF_DEVICE)};
#undef ROW_OF_DEVICE

const Device *device_at(int i)
{
    return i >= 0 && i < DEVICE_COUNT ? devices[i] : NULL;
}

int device_listed(void)
{
    int n = 0;

    while (n < DEVICE_COUNT && !devices[n]->internal)
        n++;
    return n;
}

int device_find(const char *name)
{
    for (int i = 0; i < DEVICE_COUNT; i++) {
        if (!name || strcmp(devices[i]->name, name) == 0)
            return i;
    }
    return -1;
}

const char *device_missing(const Device *d)
{
    return d->missing ? d->missing() : NULL;
}

const char *device_arch(const Device *d, int id)
{
    DeviceUnit unit;

    return d->arrays && d->arrays->unit(id, &unit) ? unit.arch : NULL;
}

/* --- the tensor maps that a recipe asks for --- */

/* False: it does not fit. */
static bool add_term(const GenSum *s, int i, const uint64_t *args, int64_t *sum)
{
    uint64_t bits = s->bytes[i] ? args[s->param[i]] : 0;
    int64_t value = s->bytes[i] == 4 ? (int32_t)(uint32_t)bits : (int64_t)bits;

    return !__builtin_mul_overflow(value, s->scale[i], &value) &&
           !__builtin_add_overflow(*sum, value, sum);
}

/* False: it does not fit, or is negative. */
static bool find_sum(const GenSum *s, const uint64_t *args, uint64_t *out)
{
    int64_t sum = s->constant;

    for (int i = 0; i < GEN_TERMS; i++) {
        if (!add_term(s, i, args, &sum))
            return false;
    }
    *out = (uint64_t)sum;
    return sum >= 0;
}

const char *device_tensor_map(const GenMap *m, const uint64_t *args, TensorMap *out)
{
    *out = (TensorMap){.address = args[m->pointer],
                       .rank = (uint8_t)m->rank,
                       .element = (uint8_t)m->element,
                       .swizzle = (uint8_t)m->swizzle};
    for (int d = 0; d < MIN(m->rank, TENSOR_MAP_RANK); d++) {
        out->box[d] = (uint32_t)m->box[d];
        if (!find_sum(&m->extent[d], args, &out->extent[d]) ||
            !find_sum(&m->stride[d], args, &out->stride[d]))
            return "an extent or a stride of a tensor map is negative, or far too large";
    }
    out->stride[0] = out->element;
    return tensor_map_refuse(out);
}

bool device_maps_fit(const GenRecipe *r, const uint64_t *args)
{
    for (int i = 0; i < r->nmaps; i++) {
        TensorMap map;
        if (device_tensor_map(&r->maps[i], args, &map))
            return false;
    }
    return true;
}
