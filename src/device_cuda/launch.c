/*
 * launch.c - run a kernel over its grid, one block of warps a program
 *
 * On the way to the driver there is no lock, and nothing is allocated or waited for, so a launch
 * may be captured into a graph.  Only what wants to know something of the end waits: the time, and
 * what the programs say.
 */
#define _GNU_SOURCE
#include <stdio.h>

#include "device_cuda.h"

enum { MOST_Y_AND_Z = 65535, MOST_PARAMS = 4096 / 8 }; /* the driver's limit is 4 KiB of them */

static RunStatus refuse_grid(const int32_t *grid, char **error)
{
    if (asprintf(error,
                 "error: the grid %dx%dx%d is too large for the device `cuda`: along y and z it "
                 "has at most %d programs\n",
                 grid[0], grid[1], grid[2], MOST_Y_AND_Z) < 0)
        *error = NULL;
    return RUN_BAD_GRID;
}

static RunStatus refuse_args(int nargs, char **error)
{
    if (asprintf(error,
                 "error: a kernel on the device `cuda` can have %d parameters at most, those for "
                 "checks included; this one has %d\n",
                 MOST_PARAMS, nargs) < 0)
        *error = NULL;
    return RUN_FAILED;
}

static CuResult start(const CudaScope *s, const CudaKernel *k, const DeviceLaunch *l)
{
    void *args[MOST_PARAMS];

    for (int i = 0; i < l->nargs; i++)
        args[i] = (void *)&l->args[i];
    return s->driver->launch(k->function, (unsigned)l->grid[0], (unsigned)l->grid[1],
                             (unsigned)l->grid[2], k->threads, 1, 1, k->shared, l->stream, args,
                             NULL);
}

/* Two events around a launch, and the time between them. */
static CuResult time_between(const CudaScope *s, const CudaKernel *k, const DeviceLaunch *l,
                             CuEvent before, CuEvent after)
{
    const CudaDriver *d = s->driver;
    float milliseconds = 0;
    CuResult r = d->event_record(before, l->stream);

    if (r == CU_SUCCESS)
        r = start(s, k, l);
    if (r == CU_SUCCESS)
        r = d->event_record(after, l->stream);
    if (r == CU_SUCCESS)
        r = d->event_wait(after);
    if (r == CU_SUCCESS)
        r = d->event_between(&milliseconds, before, after);
    *l->seconds = milliseconds * 1e-3;
    return r;
}

static CuResult start_timed(const CudaScope *s, const CudaKernel *k, const DeviceLaunch *l)
{
    CuEvent before = NULL, after = NULL;
    CuResult r = s->driver->event_new(&before, CU_EVENT_DEFAULT);

    if (r == CU_SUCCESS)
        r = s->driver->event_new(&after, CU_EVENT_DEFAULT);
    if (r == CU_SUCCESS)
        r = time_between(s, k, l, before, after);
    if (after)
        s->driver->event_free(after);
    if (before)
        s->driver->event_free(before);
    return r;
}

/* What waits cannot be captured, and would spoil what is. */
static bool is_captured(const CudaScope *s, const DeviceLaunch *l)
{
    int capturing = 0;

    return s->driver->stream_capturing(l->stream, &capturing) == CU_SUCCESS && capturing;
}

static RunStatus refuse_capture(char **error)
{
    if (asprintf(error, "error: a launch that is timed, or whose programs may say something, waits "
                        "for its end; it cannot be captured into a graph\n") < 0)
        *error = NULL;
    return RUN_FAILED;
}

static RunStatus launch_in(const CudaScope *s, CudaCode *code, const DeviceLaunch *l, char **error)
{
    CudaKernel k;
    RunStatus status = cuda_kernel(code, s, &k, error);

    if (status != RUN_OK)
        return status;
    if ((l->seconds || l->records) && is_captured(s, l))
        return refuse_capture(error);
    CuResult r = l->seconds ? start_timed(s, &k, l) : start(s, &k, l);
    if (r == CU_SUCCESS && l->records && !l->seconds)
        r = s->driver->stream_wait(l->stream);
    return r == CU_SUCCESS
               ? RUN_OK
               : cuda_refuse(r, error, "a launch on number %d of the device `cuda`", s->id);
}

RunStatus cuda_launch(void *state, void *code, const DeviceLaunch *l, char **error)
{
    CudaScope s;

    *error = NULL;
    if (l->nargs > MOST_PARAMS)
        return refuse_args(l->nargs, error);
    if (l->grid[1] > MOST_Y_AND_Z || l->grid[2] > MOST_Y_AND_Z)
        return refuse_grid(l->grid, error);
    RunStatus status = cuda_enter(state, l->id, &s, error);
    if (status != RUN_OK)
        return status;
    status = launch_in(&s, code, l, error);
    cuda_leave(&s);
    return status;
}
