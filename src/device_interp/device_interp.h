/*
 * device_interp.h - what the files of this folder share; nothing outside of it includes this
 */
#ifndef TILEC_DEVICE_INTERP_H
#define TILEC_DEVICE_INTERP_H

#include "../device/device.h"
#include "../interp/interp.h"

/* profile.c: as in Device */
RunStatus op_clock_start(const char **why);
void op_clock_pause(bool paused);
void op_clock_stop(void (*on_sample)(void *ctx, const DeviceSample *sample), void *ctx);

/* One launch, whose time goes to the ops that it runs; in the arena. */
typedef struct OpClock OpClock;
OpClock *op_clock_new(Arena *a); /* NULL: nobody looks */
/* As InterpObserver.op: this one begins now. */
bool op_clock_at(void *clock, const InterpFrame *f, const Op *op);
void op_clock_end(OpClock *c, const SourceMap *sources); /* tell what has been; NULL is allowed */

/* runs.c: as InterpObserver.access, of a DeviceLaunch with on_run */
void runs_tell(void *launch, const InterpFrame *f, const InterpAccess *a);

#endif
