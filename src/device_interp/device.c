/*
 * device.c - the device "interp": the reference interpreter of src/interp/
 *
 * It has no target: what is launched is the IR as it was lowered.  Diagnostics that stop a launch
 * are rendered here, in memory that ends with it.
 */
#define _GNU_SOURCE /* asprintf */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device_interp.h"

enum { STACK_NEEDED = 1 << 20 }; /* calls and loops of a kernel nest */

static const char *describe_interp(void)
{
    return "reference interpreter";
}

static int threads_of_interp(void)
{
    return 1;
}

static RunStatus load_for_interp(const DeviceObject *object, void **code, const char **why)
{
    *why = NULL;
    *code = (void *)object->func;
    return RUN_OK;
}

/* As InterpLaunch.describe. */
static const char *describe_element(void *launch, Arena *a, uint64_t address)
{
    const DeviceLaunch *l = launch;
    int i = 0;

    while (i + 1 < l->nranges && address - l->ranges[i].address >= l->ranges[i].bytes)
        i++;
    return l->describe(l->describe_user, a, i, address, false);
}

/* False: memory is out, and *error may say for what. */
static bool look_for_races(const DeviceLaunch *l, Races **out, char **error)
{
    int n = MAX(l->nranges, 0);
    RaceRange *ranges;

    *out = NULL;
    if (!l->races || grid_programs(l->grid) >= UINT32_MAX)
        return true;
    ranges = calloc((size_t)n + 1, sizeof *ranges);
    for (int i = 0; ranges && i < n; i++)
        ranges[i] = (RaceRange){l->ranges[i].address, l->ranges[i].bytes, l->ranges[i].unit,
                                l->ranges[i].blank};
    if (ranges)
        *out = races_new(ranges, n, grid_programs(l->grid));
    if (ranges && !*out) {
        char need[400];

        races_put_need(need, sizeof need, ranges, n);
        if (asprintf(error, "error: %s\n", need) < 0)
            *error = NULL;
    }
    free(ranges);
    return *out != NULL;
}

static RunStatus run_interpreter(const Func *f, const DeviceLaunch *l, Races *races, Arena *a,
                                 char **error)
{
    OpClock *clock = l->observer ? NULL : op_clock_new(a);
    const InterpObserver observer = {.ctx = clock, .op = op_clock_at};
    const InterpObserver runs = {.ctx = (void *)l, .access = runs_tell};
    const InterpObserver *asked = races && l->on_run ? &runs : l->observer;
    InterpLaunch launch = {.args = l->args,
                           .grid = {l->grid[0], l->grid[1], l->grid[2]},
                           .first = l->observer ? l->first : 0,
                           .last = l->observer ? l->last : grid_programs(l->grid),
                           .watch = l->watch,
                           .stints = l->stints,
                           .records = l->records,
                           .observer = clock ? &observer : asked,
                           .races = races,
                           .describe = describe_element,
                           .describe_user = (void *)l};
    Diags *diags = diags_new(a, l->sources);
    InterpStatus status = interp_run(f, &launch, diags);

    op_clock_end(clock, f->module->sources);
    switch (status) {
    case INTERP_OK:
        return RUN_OK;
    case INTERP_RACE:
        *error = strdup(diags_text(diags, a));
        return RUN_FAULT;
    case INTERP_STOPPED:
        if (watch_cut_short(l->watch))
            return RUN_CANCELLED;
        *error = strdup(diags_text(diags, a));
        return RUN_STOPPED;
    case INTERP_NO_MEMORY:
        return RUN_NO_MEMORY;
    }
    bug("a run of the interpreter ended in no known way");
}

/* One launch, and the memory for what it says. */
typedef struct {
    const Func *func;
    const DeviceLaunch *launch;
    char **error;
    Guard guard;
    Arena *arena;
    Races *races;
    RunStatus status;
} Launch;

static void run_guarded(void *launch)
{
    Launch *l = launch;

    if (setjmp(l->guard.env) == 0) {
        l->arena = arena_new(&l->guard);
        l->status = run_interpreter(l->func, l->launch, l->races, l->arena, l->error);
    }
    arena_free(l->arena);
}

static void tell_parts(const DeviceLaunch *l, const Races *races)
{
    for (int i = 0; races && i < l->nranges; i++) {
        const RaceRange range = {l->ranges[i].address, l->ranges[i].bytes, l->ranges[i].unit,
                                 false};
        unsigned char *read = malloc(range.bytes / MAX(range.unit, 1) + 1);
        if (read && races_part_read(races, &range, read))
            l->on_part(l->part_user, i, read);
        free(read);
    }
}

static RunStatus launch_on_interp(void *state, void *code, const DeviceLaunch *l, char **error)
{
    Launch now = {.func = code, .launch = l, .error = error, .status = RUN_NO_MEMORY};

    (void)state;
    *error = NULL;
    if (look_for_races(l, &now.races, error) && os_with_stack(STACK_NEEDED, run_guarded, &now) != 0)
        now.status = RUN_NO_THREADS;
    if (now.status == RUN_OK && l->on_part)
        tell_parts(l, now.races);
    races_free(now.races);
    return now.status;
}

const Device interp_device = {
    .name = "interp",
    .checks = true, /* it says what is right, and is slow anyway */
    .profile_start = op_clock_start,
    .profile_pause = op_clock_pause,
    .profile_stop = op_clock_stop,
    .finds_races = true,
    .wants_ranges = true,
    .describe = describe_interp,
    .threads = threads_of_interp,
    .load = load_for_interp,
    .launch = launch_on_interp,
};
