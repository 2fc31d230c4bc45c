/*
 * effort.c - how long each part of a GPU would be busy with what was counted, and with which the
 * kernel is over: a model, by which hints are weighed against each other
 *
 * A part that is shared is busy for its work by its rate.  A warp alone takes the cycles that the
 * simulator gives it (src/sim/pace.c), as often as programs come after each other; where that is
 * longer than any part is busy, the kernel is bound by latency.  Else it lasts as long as the
 * busiest part, and once as long as a program, in which that part begins and ends.
 */
#include "report.h"

enum { SECTOR = 32, SCHEDULERS = 4 };
enum { CACHE_BYTES = 64, TENSOR_FLOPS = 4096 }; /* a cycle of a multiprocessor; of 16-bit floats */
enum { SPECIAL_CYCLES = 2 };                    /* 16 of a warp's 32 lanes a cycle */
static const double clock_rate = 1.7e9;

static const char *const names[EFFORT_PARTS] = {
    "instructions are issued",    "memory is busy",       "the L2 is busy", "shared memory is busy",
    "special functions are busy", "tensor cores are busy"};

const char *effort_name(EffortPart part)
{
    return names[part];
}

static void find_parts(const RunView *v, Effort *e)
{
    const Occupancy *o = v->occupancy;
    const tilec_count sum = view_counted(v);
    double units = (double)MIN(o->grid, o->multiprocessors);
    double warps = (double)MIN((o->grid + o->multiprocessors - 1) / o->multiprocessors,
                               (int64_t)MAX(o->programs, 1)) *
                   o->warps;
    double flops = sum.tensor > 0 ? MAX(v->timing.stats.flops, 0) : 0;

    e->cycles[EFFORT_ISSUE] = (double)sum.instructions / units / MIN(warps, SCHEDULERS);
    e->cycles[EFFORT_MEMORY] = MAX(v->timing.stats.bytes, 0) / o->bandwidth * clock_rate;
    e->cycles[EFFORT_CACHE] = (double)sum.global_sectors * SECTOR / units / CACHE_BYTES;
    e->cycles[EFFORT_SHARED] = (double)sum.shared_waves / units;
    e->cycles[EFFORT_SPECIAL] = (double)sum.special * SPECIAL_CYCLES / units;
    e->cycles[EFFORT_TENSOR] = flops / units / TENSOR_FLOPS;
    e->program = (double)sum.cycles / (double)o->grid / o->warps;
}

bool effort_find(const RunView *v, Effort *out)
{
    const Occupancy *o = v->occupancy;

    *out = (Effort){0};
    if (!v->counting || !o || o->grid <= 0 || o->wave <= 0)
        return false;
    find_parts(v, out);
    for (int i = 1; i < EFFORT_PARTS; i++) {
        if (out->cycles[i] > out->cycles[out->most])
            out->most = (EffortPart)i;
    }
    double chain = out->program * MAX(1, (double)o->grid / (double)o->wave);
    out->total = MAX(chain, out->cycles[out->most] + out->program);
    return out->total > 0;
}

double effort_busy(const Effort *e, EffortPart part)
{
    return e->cycles[part] / e->total;
}
