/*
 * device_null.h - what tests ask the device "null" about; the device is in its row of device.h
 */
#ifndef TILEC_DEVICE_NULL_H
#define TILEC_DEVICE_NULL_H

#include "../device/device.h"

/* memory.c: what it has of its own, a megabyte each of two of its kind */
extern const DeviceArrays null_arrays;
int null_pieces(void); /* that are allocated now, in this process */

/* What the last launch was told; -2 when there was none. */
int null_launched_id(void);
void *null_launched_stream(void); /* the caller's, which may be NULL */

/* How many objects its target has made in this process. */
int null_objects_made(void);

/* Let whoever makes an object wait in the midst of it, until it is released. */
void null_hold(void);
void null_release(void); /* by the thread that held it */

/* Let this process lack what the device needs; NULL: it has it. */
void null_set_missing(const char *what);

#endif
