/*
 * launch.c - run a kernel over its grid, one block of warps a program
 *
 * On the way to the driver there is no lock, and nothing is allocated but in the stream or waited
 * for, so a launch may be captured into a graph.  Only what wants to know something of the end
 * waits: the time, and what the programs say.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>

#include "device_cuda.h"

enum { MOST_PARAMS = 4096 / 8 }; /* the driver's limit is 4 KiB of them */

static RunStatus refuse_args(int nargs, char **error)
{
    if (asprintf(error,
                 "error: a kernel on the device `cuda` can have %d parameters at most, those for "
                 "checks included; this one has %d\n",
                 MOST_PARAMS, nargs) < 0)
        *error = NULL;
    return RUN_FAILED;
}

/* A launch on its way: the kernel, and the buffer that its programs say something in. */
typedef struct {
    const CudaScope *scope;
    const DeviceLaunch *launch;
    CudaKernel kernel;
    CuAddress records; /* where that is */
    int records_arg;   /* the argument that it goes to; -1: there is no buffer */
    bool hears;        /* it is read behind the launch */
    CuAddress workspace;
    int workspace_arg; /* likewise; -1: there is none */
    CuAddress spans;   /* where programs note when they ran, of code that does */
    CuAddress clocks;  /* .. and how long lines took */
    _Alignas(TENSOR_MAP_ALIGN) unsigned char maps[GEN_MAPS][TENSOR_MAP_BYTES];
} Run;

/* What the driver makes of a tensor map: by element, CU_TENSOR_MAP_DATA_TYPE_UINT8, _UINT16,
 * _UINT32 or _UINT64, since copies do not look at elements; zeros from outside. */
static CuResult encode_map(const CudaDriver *d, const TensorMap *t, void *out)
{
    static const int types[] = {[1] = 0, [2] = 1, [4] = 2, [8] = 4};
    static const uint32_t steps[TENSOR_MAP_RANK] = {1, 1, 1, 1, 1};
    enum { NOT_INTERLEAVED, L2_128 = 2, ZEROS = 0 };

    return d->tensor_map(out, types[t->element], t->rank, (void *)(uintptr_t)t->address, t->extent,
                         t->stride + 1, t->box, steps, NOT_INTERLEAVED, t->swizzle, L2_128, ZEROS);
}

/* What this thread has encoded last: launches with the same arguments, which most are, ask the
 * driver for nothing.  Whatever the context, the driver makes the same of a map. */
enum { KEPT_MAPS = 16 }; /* by four bits of a hash */
typedef struct {
    _Alignas(TENSOR_MAP_ALIGN) unsigned char bytes[TENSOR_MAP_BYTES];
    TensorMap map; /* of rank 0: none */
} KeptMap;

static CuResult find_map(const CudaDriver *d, const TensorMap *t, void *out)
{
    static _Thread_local KeptMap kept[KEPT_MAPS];
    uint64_t hash = (t->address >> 8) + 7 * t->box[0] + t->box[1] + t->extent[0];
    KeptMap *k = &kept[hash * UINT64_C(0x9e3779b97f4a7c15) >> 60];
    CuResult result = CU_SUCCESS;

    if (!tensor_map_equal(&k->map, t)) {
        k->map.rank = 0;
        result = encode_map(d, t, k->bytes);
        if (result == CU_SUCCESS)
            k->map = *t;
    }
    memcpy(out, k->bytes, TENSOR_MAP_BYTES);
    return result;
}

/* Those that the kernel's recipe asks for.  They travel as parameters, by value, so a captured
 * launch keeps them. */
static RunStatus make_maps(Run *run, char **error)
{
    const GenRecipe *r = run->kernel.recipe;

    for (int i = 0; i < r->nmaps; i++) {
        TensorMap map;
        const char *why = device_tensor_map(&r->maps[i], run->launch->args, &map);

        if (why && asprintf(error, "error: argument %d: %s\n", r->maps[i].pointer, why) < 0)
            *error = NULL;
        if (why)
            return RUN_FAILED;
        CuResult result = find_map(run->scope->driver, &map, run->maps[i]);
        if (result != CU_SUCCESS)
            return cuda_refuse(result, error, "a tensor map of argument %d", r->maps[i].pointer);
    }
    return RUN_OK;
}

static CuResult start_kernel(const Run *run)
{
    const DeviceLaunch *l = run->launch;
    const CudaKernel *k = &run->kernel;
    void *args[MOST_PARAMS + GEN_MAPS + 2];
    int behind = l->nargs + k->recipe->nmaps;

    for (int i = 0; i < l->nargs; i++)
        args[i] = (void *)(i == run->records_arg     ? &run->records
                           : i == run->workspace_arg ? &run->workspace
                                                     : &l->args[i]);
    for (int i = 0; i < k->recipe->nmaps; i++)
        args[k->recipe->maps[i].arg] = (void *)run->maps[i];
    if (l->spans)
        args[behind++] = (void *)&run->spans;
    if (l->clocks)
        args[behind] = (void *)&run->clocks;
    return run->scope->driver->launch(k->function, (unsigned)l->grid[0], (unsigned)l->grid[1],
                                      (unsigned)l->grid[2], k->threads, 1, 1, k->shared, l->stream,
                                      args, NULL);
}

/* Two events around a launch, and the time between them. */
static CuResult time_between(const Run *run, CuEvent before, CuEvent after)
{
    const CudaDriver *d = run->scope->driver;
    float milliseconds = 0;
    CuResult r = d->event_record(before, run->launch->stream);

    if (r == CU_SUCCESS)
        r = start_kernel(run);
    if (r == CU_SUCCESS)
        r = d->event_record(after, run->launch->stream);
    if (r == CU_SUCCESS)
        r = d->event_wait(after);
    if (r == CU_SUCCESS)
        r = d->event_between(&milliseconds, before, after);
    *run->launch->seconds = milliseconds * 1e-3;
    return r;
}

static CuResult start_timed(const Run *run)
{
    const CudaDriver *d = run->scope->driver;
    CuEvent before = NULL, after = NULL;
    CuResult r = d->event_new(&before, CU_EVENT_DEFAULT);

    if (r == CU_SUCCESS)
        r = d->event_new(&after, CU_EVENT_DEFAULT);
    if (r == CU_SUCCESS)
        r = time_between(run, before, after);
    if (after)
        d->event_free(after);
    if (before)
        d->event_free(before);
    return r;
}

/* What waits cannot be captured, and would spoil what is. */
bool cuda_is_captured(const CudaScope *s, CuStream stream)
{
    int capturing = 0;

    return s->driver->stream_capturing(stream, &capturing) == CU_SUCCESS && capturing;
}

static RunStatus refuse_capture(char **error)
{
    if (asprintf(error, "error: a launch that is timed, or whose programs may say something, waits "
                        "for its end; it cannot be captured into a graph\n") < 0)
        *error = NULL;
    return RUN_FAILED;
}

static RunStatus launched(const Run *run, CuResult r, char **error)
{
    return r == CU_SUCCESS ? RUN_OK
                           : cuda_refuse(r, error, "a launch on number %d of the device `cuda`",
                                         run->scope->id);
}

static RunStatus start_counted(void *run, char **error)
{
    CuResult r = start_kernel(run);

    return r == CU_SUCCESS ? RUN_OK : cuda_refuse(r, error, "a launch that is counted");
}

static RunStatus start(Run *run, char **error)
{
    const DeviceLaunch *l = run->launch;
    const CudaCounted counted = {start_counted, run, l->on_counter, l->counter_user};

    if (l->on_counter)
        return cuda_count_launch(run->scope, &counted, error);
    return launched(run, l->seconds ? start_timed(run) : start_kernel(run), error);
}

static CuResult open_notes(Run *run)
{
    const DeviceLaunch *l = run->launch;
    CuResult r = l->spans ? cuda_spans_open(run->scope, l, &run->spans) : CU_SUCCESS;

    return r == CU_SUCCESS && l->clocks ? cuda_clocks_open(run->scope, l, &run->clocks) : r;
}

static CuResult tell_notes(const Run *run)
{
    const DeviceLaunch *l = run->launch;
    CuResult r = l->spans ? cuda_spans_tell(run->scope, l, run->spans) : CU_SUCCESS;

    return r == CU_SUCCESS && l->clocks ? cuda_clocks_tell(run->scope, l, run->clocks) : r;
}

/* What programs note, if they do, is had by waiting for the end. */
static RunStatus go(Run *run, char **error)
{
    const CudaDriver *d = run->scope->driver;
    RunStatus status = launched(run, open_notes(run), error);

    if (status == RUN_OK)
        status = start(run, error);
    if (status == RUN_OK)
        status = launched(run, tell_notes(run), error);
    if (run->spans)
        d->release_in(run->spans, run->launch->stream);
    if (run->clocks)
        d->release_in(run->clocks, run->launch->stream);
    return status;
}

/* With a buffer for what programs say, handed over behind their end. */
static RunStatus go_and_hear(Run *run, char **error)
{
    const DeviceLaunch *l = run->launch;
    CudaRecords *records;
    RunStatus status = cuda_records_open(run->scope, l->stream, l->room, &records, error);

    if (status != RUN_OK)
        return status;
    run->records = cuda_records_address(records);
    status = go(run, error);
    if (status == RUN_OK)
        return cuda_records_drain(run->scope, l->stream, records, l->records, error);
    cuda_records_drop(run->scope, records);
    return status;
}

static RunStatus go_or_hear(Run *run, char **error)
{
    return run->hears ? go_and_hear(run, error) : go(run, error);
}

/* With the workspace that the kernel's recipe asks for: memory of the stream, which is taken in
 * front of the kernel and given back behind it without waiting for either, in captures too. */
static RunStatus go_with_workspace(Run *run, char **error)
{
    const CudaDriver *d = run->scope->driver;
    const GenRecipe *recipe = run->kernel.recipe;
    int64_t bytes = device_workspace_bytes(recipe, run->launch->grid);
    CuResult r = CU_OUT_OF_MEMORY;

    if (bytes >= 0)
        r = d->alloc_in(&run->workspace, (size_t)bytes, run->launch->stream);
    if (r != CU_SUCCESS)
        return cuda_refuse(r, error, "a workspace of %lld bytes for each of %lld programs",
                           (long long)recipe->workspace,
                           (long long)run->launch->grid[0] * run->launch->grid[1] *
                               run->launch->grid[2]);
    run->workspace_arg = recipe->workspace_arg;
    RunStatus status = go_or_hear(run, error);
    r = d->release_in(run->workspace, run->launch->stream);
    return status == RUN_OK && r != CU_SUCCESS ? cuda_refuse(r, error, "giving a workspace back")
                                               : status;
}

static RunStatus launch_in(const CudaScope *s, CudaCode *code, const DeviceLaunch *l, char **error)
{
    Run run = {.scope = s,
               .launch = l,
               .records_arg = l->records || l->async ? l->records_arg : -1,
               .hears = l->records && l->records_arg >= 0,
               .workspace_arg = -1};
    RunStatus status = cuda_kernel(code, s, &run.kernel, error);

    if (status != RUN_OK)
        return status;
    status = make_maps(&run, error);
    if (status != RUN_OK)
        return status;
    bool waits = l->seconds || l->spans || l->clocks || l->on_counter || run.hears;
    if (waits && cuda_is_captured(s, l->stream))
        return refuse_capture(error);
    if (l->async)
        status = cuda_async(code, s, l, &run.records, error);
    if (status != RUN_OK)
        return status;
    return run.kernel.recipe->workspace > 0 ? go_with_workspace(&run, error)
                                            : go_or_hear(&run, error);
}

RunStatus cuda_launch(void *state, void *code, const DeviceLaunch *l, char **error)
{
    CudaScope s;

    *error = NULL;
    if (l->nargs > MOST_PARAMS)
        return refuse_args(l->nargs, error);
    RunStatus status = cuda_enter(state, l->id, &s, error);
    if (status != RUN_OK)
        return status;
    status = launch_in(&s, code, l, error);
    cuda_leave(&s);
    return status;
}
