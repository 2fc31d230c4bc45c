/*
 * order.c - tells src/race/ what the warps of a program do to global memory, and reports races
 */
#include <stdio.h>
#include <string.h>

#include "execute.h"

static Races *races_of(const Warp *w)
{
    return w->worker->launch->races;
}

/* Lanes of one program are in order: the code has barriers wherever one may need another's. */
static RaceAt place_of(const Warp *w)
{
    return (RaceAt){w->inst ? w->inst->place : 0, RACE_ANY_LANE};
}

static void report(Warp *w, int lane, const char *does, const char *access, const Race *race)
{
    const Launch *l = w->worker->launch;
    const PtxPlace *place = &w->module->places.at[race->other_place];
    SimError *e = &w->worker->error;
    int32_t other[3];

    if (w->worker->status != SIM_OK)
        return;
    program_at(race->other, l->asked->grid, other);
    if (race->kind == RACE_BLANK)
        fault(w, SIM_RACE, lane, "it %s memory that nobody has written", does);
    else
        fault(w, SIM_RACE, lane,
              "a race: it %s memory that program (%d, %d, %d) %s, and nothing orders the two", does,
              other[0], other[1], other[2], race->other_stores ? "changes" : "loads");
    e->access = access;
    e->address = race->address;
    e->range = access_range(l, race->address);
    e->is_race = true;
    e->race = *race;
    if (race->other_place > 0 && place->file) {
        snprintf(e->other_file, sizeof e->other_file, "%s", place->file);
        e->other_line = place->line;
        e->other_column = place->column;
    }
}

bool order_load(Warp *w, int lane, const char *host, uint32_t bytes)
{
    Race race;

    if (!races_of(w) || race_load(races_of(w), &w->block->race, place_of(w), host, bytes, &race))
        return true;
    report(w, lane, "reads", "load of", &race);
    return false;
}

void order_store(Warp *w, int lane, char *host, const void *bytes, uint32_t n)
{
    Race race;

    if (!races_of(w))
        memcpy(host, bytes, n);
    else if (!race_store(races_of(w), &w->block->race, place_of(w), host, bytes, n, &race))
        report(w, lane, "writes", "store to", &race);
}

void order_fence(Warp *w)
{
    if (races_of(w))
        race_fence(races_of(w), &w->block->race);
}

bool order_atomic(Warp *w, int lane, const char *host, uint32_t bytes, bool reads)
{
    Race race;

    if (!races_of(w) || race_atomic(races_of(w), &w->block->race, host, bytes, reads, &race))
        return true;
    report(w, lane, "updates", "atomic on", &race);
    return false;
}

void order_seen(Warp *w, const char *host, uint32_t bytes)
{
    if (races_of(w))
        race_seen(races_of(w), &w->block->race, host, bytes);
}

void order_observe(Warp *w, const char *host, uint32_t bytes)
{
    if (races_of(w))
        race_observe(races_of(w), &w->block->race, host, bytes);
}
