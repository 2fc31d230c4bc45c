/*
 * shadow.c - who touched which byte of shared memory, and whether that was safe
 *
 * Every warp has a clock, which goes on when it comes to a barrier; `Warp.seen` says up to which
 * time of each other warp everything is in order before what it does now.  For each byte the last
 * write is kept, and the last reads of two different warps: an access that touches a byte which
 * another warp has touched at a time that is not in order, one of the two writing, is a race.
 *
 * Two readers are enough where barriers are for all warps: of two different ones at least one is
 * not the warp that writes next.  Atomic updates do not race with each other.
 *
 * wgmma reads in the name of a group of warps, whose clock counts its products.  Who writes must
 * know that it was waited for: by any warp of the group, since they multiply together.
 *
 * Times go on from block to block, so that what an earlier block left needs no clearing: it is
 * older than the block.  A byte that is that old was written by nobody.
 */
#include <stdlib.h>
#include <string.h>

#include "execute.h"

/* An event: its time, its warp, and what it was.  0: there was none. */
typedef uint32_t Event;
enum {
    EVENT_ATOMIC = 1,
    EVENT_COPYING = 2,
    EVENT_BULK = 3, /* cp.async.bulk has written it */
    EVENT_KINDS = 3,
    WARP_SHIFT = 2,
    TIME_SHIFT = 7
};
#define LAST_TIME (UINT32_MAX >> TIME_SHIFT)

struct Shadow {
    Event written, read[2];
};

Shadow *shadow_new(uint32_t bytes)
{
    return calloc(MAX(bytes, 1), sizeof(Shadow));
}

void shadow_free(Shadow *s)
{
    free(s);
}

static uint32_t time_of(Event e)
{
    return e >> TIME_SHIFT;
}

static int warp_of(Event e)
{
    return e >> WARP_SHIFT & (MAX_WARPS - 1);
}

static Event event(const Warp *w, uint32_t flags)
{
    return w->clock << TIME_SHIFT | (uint32_t)w->index << WARP_SHIFT | flags;
}

enum { FETCH = 16 }; /* bytes that wgmma reads together */

static uint32_t *fetched_at(const Block *b, uint32_t at)
{
    return &b->fetched[at / FETCH * MOST_GROUPS];
}

static uint32_t time_of_product(const Block *b, uint32_t number)
{
    return b->born + 1 + number;
}

static void forget_all(Block *b)
{
    for (uint32_t i = 0; i < b->shared_bytes; i++)
        b->shadow[i] = (Shadow){0};
    for (uint32_t i = 0; b->fetched && i < b->shared_bytes; i += FETCH)
        memset(fetched_at(b, i), 0, MOST_GROUPS * sizeof *b->fetched);
}

/* All clocks begin behind what any warp of the block before has seen. */
void shadow_start_block(Block *b)
{
    uint32_t last = b->born;

    for (int i = 0; i < b->nwarps; i++)
        last = MAX(last, b->warps[i].clock);
    for (int i = 0; i < MOST_GROUPS; i++)
        last = MAX(last, time_of_product(b, b->groups[i].done + (uint32_t)b->groups[i].len));
    if (last > LAST_TIME / 2) { /* they do not run out within one block */
        forget_all(b);
        last = 0;
    }
    b->born = last + 1;
    for (int i = 0; i < b->nwarps; i++) {
        b->warps[i].clock = b->born;
        for (int j = 0; j < MOST_KNOWN; j++)
            b->warps[i].seen.at[j] = last;
    }
}

/* Did that happen in this block, in another warp, and not in order before now? */
static bool races(const Warp *w, Event e)
{
    int other = warp_of(e);

    return time_of(e) >= w->block->born && other != w->index && time_of(e) > w->seen.at[other];
}

static bool report_race(Warp *w, int lane, uint32_t at, const char *does, const char *did,
                        Event other)
{
    fault(w, SIM_RACE, lane,
          "a race: it %s byte %u of shared memory, which warp %d %s with no barrier between", does,
          at, warp_of(other), did);
    return false;
}

static bool is_being_copied(const Warp *w, Event e)
{
    return (e & EVENT_KINDS) == EVENT_COPYING && time_of(e) >= w->block->born;
}

static bool report_copying(Warp *w, int lane, uint32_t at, const char *does)
{
    fault(w, SIM_SYNC, lane,
          "it %s byte %u of shared memory while cp.async copies to it: a wait is missing", does,
          at);
    return false;
}

/* Note a reader beside one of another warp. */
static void note_read(const Warp *w, Shadow *s, Event now)
{
    int slot = time_of(s->read[0]) >= w->block->born && warp_of(s->read[0]) != w->index;

    s->read[slot] = now;
}

static bool may_read(Warp *w, Event written, int lane, uint32_t at)
{
    if (time_of(written) < w->block->born) {
        fault(w, SIM_SYNC, lane, "it reads byte %u of shared memory, which nobody has written", at);
        return false;
    }
    if (is_being_copied(w, written))
        return report_copying(w, lane, at, "reads");
    return !races(w, written) || report_race(w, lane, at, "reads", "wrote", written);
}

static bool may_write(Warp *w, const Shadow *s, int lane, uint32_t at, uint32_t flags)
{
    bool both_atomic = flags == EVENT_ATOMIC && (s->written & EVENT_KINDS) == EVENT_ATOMIC;

    if (is_being_copied(w, s->written))
        return report_copying(w, lane, at, "writes");
    if (!both_atomic && races(w, s->written))
        return report_race(w, lane, at, "writes", "wrote", s->written);
    for (int i = 0; i < 2; i++) {
        if (races(w, s->read[i]))
            return report_race(w, lane, at, "writes", "read", s->read[i]);
    }
    return true;
}

static bool report_fetch(Warp *w, int lane, uint32_t at, int group, uint32_t number)
{
    bool is_mine = group == w->index / GROUP_WARPS;
    bool by_tensor = w->block->tensor != NULL;
    bool in_flight =
        is_mine && !by_tensor ? number < w->products.asked : number >= w->block->groups[group].done;
    const char *missing =
        by_tensor ? ": a wait for its tcgen05.commit is missing" : ": wgmma.wait_group is missing";
    int first = GROUP_WARPS * group;

    fault(w, in_flight ? SIM_SYNC : SIM_RACE, lane,
          "%sit writes byte %u of shared memory, which a %s of warps %d to %d reads%s",
          in_flight ? "" : "a race: ", at, by_tensor ? "tcgen05.mma" : "wgmma.mma_async", first,
          first + GROUP_WARPS - 1, in_flight ? missing : " with no barrier between");
    return false;
}

/* Does this warp know that wgmma has read this byte? */
static bool may_overwrite(Warp *w, int lane, uint32_t at)
{
    const Block *b = w->block;

    for (int i = 0; i < b->nwarps / GROUP_WARPS; i++) {
        uint32_t time = fetched_at(b, at)[i];

        if (time >= b->born && time > w->seen.at[known_group(b, i)])
            return report_fetch(w, lane, at, i, time - time_of_product(b, 0));
    }
    return true;
}

/* Neighbours mostly have the same history, which is looked at once. */
static bool read_bytes(Warp *w, int lane, uint32_t at, uint32_t bytes)
{
    Shadow *s = w->block->shadow + at;
    Event now = event(w, 0);

    for (uint32_t i = 0; i < bytes; i++) {
        if ((i == 0 || s[i].written != s[i - 1].written) &&
            !may_read(w, s[i].written, lane, at + i))
            return false;
        if (s[i].read[0] != now)
            note_read(w, &s[i], now);
    }
    return true;
}

static bool write_bytes(Warp *w, int lane, uint32_t at, uint32_t bytes, uint32_t flags)
{
    Shadow *s = w->block->shadow + at, known = {0};
    Event now = event(w, flags);

    for (uint32_t i = 0; i < bytes; i++) {
        bool same = s[i].written == known.written && s[i].read[0] == known.read[0] &&
                    s[i].read[1] == known.read[1];

        if (!same && !may_write(w, &s[i], lane, at + i, flags))
            return false;
        known = s[i];
        s[i].written = now;
    }
    for (uint32_t i = at; w->block->fetched && i < at + bytes; i = (i / FETCH + 1) * FETCH) {
        if (!may_overwrite(w, lane, i))
            return false;
    }
    return true;
}

bool shadow_access(Warp *w, AccessKind kind, int lane, uint32_t at, uint32_t bytes)
{
    switch (kind) {
    case ACCESS_READ:
        return read_bytes(w, lane, at, bytes);
    case ACCESS_WRITE:
        return write_bytes(w, lane, at, bytes, 0);
    case ACCESS_COPY:
        return write_bytes(w, lane, at, bytes, EVENT_COPYING);
    default: /* it reads what must be there, and writes */
        for (uint32_t i = 0; i < bytes; i++) {
            Event written = w->block->shadow[at + i].written;

            if (time_of(written) < w->block->born && !may_read(w, written, lane, at + i))
                return false;
        }
        return write_bytes(w, lane, at, bytes, EVENT_ATOMIC);
    }
}

void shadow_tell(Warp *w, Known *all)
{
    w->seen.at[w->index] = w->clock;
    know_also(w->block, all, &w->seen);
}

static bool is_fenced(Warp *w, int lane, uint32_t at, Event written, const char *reader)
{
    int other = warp_of(written);

    if ((written & EVENT_KINDS) == EVENT_BULK ||
        time_of(written) < w->seen.at[known_fence(w->block, other)])
        return true;
    fault(w, SIM_SYNC, lane,
          "%s reads byte %u of shared memory, which warp %d wrote with no fence.proxy.async behind",
          reader, at, other);
    return false;
}

bool shadow_fenced(Warp *w, int lane, uint32_t at, uint32_t bytes, const char *reader)
{
    for (uint32_t i = at; i < at + bytes; i++) {
        if (!is_fenced(w, lane, i, w->block->shadow[i].written, reader))
            return false;
    }
    return true;
}

bool shadow_may_fetch(Warp *w, uint32_t at, uint32_t bytes)
{
    const Shadow *s = w->block->shadow + at;

    for (uint32_t i = 0; i < bytes; i++) {
        if (i > 0 && s[i].written == s[i - 1].written)
            continue;
        if (!may_read(w, s[i].written, -1, at + i) ||
            !is_fenced(w, -1, at + i, s[i].written, "wgmma"))
            return false;
    }
    return true;
}

bool shadow_fetch(Warp *w, uint32_t at, uint32_t number)
{
    Block *b = w->block;

    if (!b->fetched)
        b->fetched = calloc(b->shared_bytes / FETCH + 1, MOST_GROUPS * sizeof *b->fetched);
    if (!b->fetched) {
        w->worker->status = SIM_NO_MEMORY;
        w->stop = true;
        return false;
    }
    fetched_at(b, at)[w->index / GROUP_WARPS] = time_of_product(b, number);
    return true;
}

void shadow_fetched(Warp *w, uint32_t count)
{
    uint32_t *known = &w->seen.at[known_group(w->block, w->index / GROUP_WARPS)];

    if (count > 0)
        *known = MAX(*known, time_of_product(w->block, count - 1));
}

void shadow_product_done(const Block *b, Known *all, int group, uint32_t count)
{
    uint32_t *known = &all->at[known_group(b, group)];

    if (count > 0)
        *known = MAX(*known, time_of_product(b, count - 1));
}

bool shadow_knows_product(const Warp *w, int group, uint32_t number)
{
    return w->seen.at[known_group(w->block, group)] >= time_of_product(w->block, number);
}

void shadow_end_copy(Warp *w, uint32_t at, uint32_t bytes, bool bulk)
{
    for (uint32_t i = 0; i < bytes; i++)
        w->block->shadow[at + i].written = event(w, bulk ? EVENT_BULK : 0);
}
