/*
 * runs.c - the runs of elements that accesses of tiles take
 *
 * Where a launch is looked at, whoever made it is told of each access whose lanes take elements one
 * behind the other: how many, and from which one on.  What a run of them says of rows is not known
 * here (src/warn/runs.c).
 */
#include "device_interp.h"

enum { LEAST_RUN = 4 };

/* How many lanes the mask lets through, each an element behind the one before it; 0: they do not.
 */
static int64_t run_of(const InterpAccess *a, uint64_t *first)
{
    int64_t n = 0;

    for (int64_t i = 0; i < a->lanes; i++) {
        if (a->mask && !a->mask[i])
            continue;
        if (n == 0)
            *first = a->addresses[i];
        if (a->addresses[i] != *first + (uint64_t)n * (uint64_t)a->size)
            return 0;
        n++;
    }
    return n;
}

void runs_tell(void *launch, const InterpFrame *f, const InterpAccess *a)
{
    const DeviceLaunch *l = launch;
    uint64_t first;
    int64_t lanes = a->lanes < LEAST_RUN ? 0 : run_of(a, &first);

    (void)f;
    for (int i = 0; lanes >= LEAST_RUN && i < l->nranges; i++) {
        const MemoryRange *r = &l->ranges[i];
        if (first < r->address || first - r->address >= r->bytes || r->unit != (uint32_t)a->size)
            continue;
        const ElementRun run = {(int64_t)((first - r->address) / r->unit), lanes, lanes < a->lanes};
        l->on_run(l->part_user, i, a->op->span, &run);
        return;
    }
}
