/*
 * tell.c - a race as a diagnostic
 */
#include "race.h"

void race_tell(Diags *d, const Race *race, const char *access, const char *what, Span at,
               Span other_at, const int32_t grid[3])
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
