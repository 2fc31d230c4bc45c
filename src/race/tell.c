/*
 * tell.c - a race as a diagnostic
 */
#include "race.h"

static void tell_of_lanes(Diags *d, const Race *race, const char *access, const char *what, Span at,
                          Span other_at)
{
    const char *does = race->other_stores ? "changes" : "loads";

    diag(d, DIAG_ERROR, at, "race: %s %s, which another lane of the program %s", access, what,
         does);
    diag(d, DIAG_NOTE, other_at,
         "here the other lane %s it; on a GPU lanes are in warps, of which each runs on its own",
         does);
    diag(d, DIAG_HINT, (Span){0}, "tl.debug_barrier() between the two: all lanes wait there");
}

static void tell_of_programs(Diags *d, const Race *race, const char *access, const char *what,
                             Span at, Span other_at, const int32_t grid[3])
{
    const char *does = race->other_stores ? "changes" : "loads";
    int32_t p[3];

    program_at(race->other, grid, p);
    diag(d, DIAG_ERROR, at, "race: %s %s, which program (%d, %d, %d) %s", access, what, p[0], p[1],
         p[2], does);
    diag(d, DIAG_NOTE, other_at,
         "here program (%d, %d, %d) %s it; programs run in any order, and at the same time", p[0],
         p[1], p[2], does);
    diag(d, DIAG_NOTE, (Span){0},
         "several programs add to one element by tl.atomic_add, or one waits for the other by "
         "atomics with acquire and release");
}

void race_tell(Diags *d, const Race *race, const char *access, const char *what, Span at,
               Span other_at, const int32_t grid[3])
{
    switch (race->kind) {
    case RACE_PROGRAMS:
        tell_of_programs(d, race, access, what, at, other_at, grid);
        return;
    case RACE_LANES:
        tell_of_lanes(d, race, access, what, at, other_at);
        return;
    case RACE_BLANK:
        diag(d, DIAG_ERROR, at, "%s %s, which nobody has written: it holds what `empty` left",
             access, what);
        diag(d, DIAG_HINT, (Span){0},
             "zeros begins with 0; a mask leaves out what no lane has stored to");
        return;
    }
}
