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
