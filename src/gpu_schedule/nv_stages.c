/*
 * nv_stages.c - how many of the stages that are wanted for a loop's copies fit
 */
#include "nv_schedule.h"

static void mark_buffers(const NvBlock *b, bool *used)
{
    for (int i = 0; i < b->steps.len; i++) {
        const NvStep *s = b->steps.at[i];
        for (int k = 0; k < s->uses.len; k++)
            used[s->uses.at[k].buffer] = true;
        for (int r = 0; r < COUNT(s->body); r++) {
            if (s->body[r])
                mark_buffers(s->body[r], used);
        }
    }
}

/* Bytes of shared memory that the loop uses beside the copies, at most. */
static int64_t other_bytes(const NvPlan *p, const NvBlock *body, const bool *copied)
{
    bool *used = NEW_N(p->arena, bool, p->buffers.len + 1);
    int64_t bytes = 0;

    mark_buffers(body, used);
    for (int i = 0; i < p->buffers.len; i++)
        bytes += used[i] && !copied[i] ? p->buffers.at[i].bytes : 0;
    return bytes;
}

int64_t nv_programs_by_shared(const NvPlan *p, int64_t bytes)
{
    enum { SYSTEM = 1 << 10 }; /* bytes of each block that are not its own */

    return (p->chip->shared + SYSTEM) / (bytes + SYSTEM);
}

int64_t nv_programs_beside(const NvPlan *p, const NvBlock *body, const bool *copied, int64_t bytes)
{
    return nv_programs_by_shared(p, other_bytes(p, body, copied) + bytes);
}

/* As many stages as fit, and no more than leave room for a second warp on each of the four
 * schedulers, if two do: while one warp computes what follows a product, another one multiplies,
 * which hides more than a copy that is asked for yet earlier.  Fewer than two are none. */
int nv_stages_that_fit(const NvPlan *p, const NvBlock *body, const bool *copied, int64_t bytes,
                       int wanted)
{
    int64_t other = other_bytes(p, body, copied), room = p->chip->shared - other;
    int stages = (int)MIN(wanted, MAX(room, 0) / MAX(bytes, 1));

    for (int fewer = stages; fewer >= 2; fewer--) {
        if (nv_programs_by_shared(p, other + fewer * bytes) * p->warps >= NV_ENOUGH_WARPS)
            return fewer;
    }
    return stages;
}
