/*
 * checked.c - what --check has not looked at
 *
 * Every device checks accesses.  Races between programs are found by those alone that run programs
 * one access at a time, and a check that finds nothing must not seem to say that there are none.
 */
#include "call.h"

#include <string.h>

bool checked_races(Cli *c, const char *device)
{
    tilec_device d;

    for (int i = 0; tilec_device_info(c->tilec, i, &d) == TILEC_OK; i++) {
        if (strcmp(d.name, device ? device : "cpu") == 0)
            return d.finds_races != 0;
    }
    return false;
}

bool checked_in_part(const Call *k)
{
    const int32_t *grid = k->timing.grid;

    return k->options.launch.check && MAX(grid[0], MAX(grid[1], grid[2])) > 1 &&
           !checked_races(k->cli, k->options.launch.device);
}

void checked_tell(bool in_part)
{
    if (in_part)
        terminal_say(
            "tilec: note: --check has looked at accesses; races between programs are looked for "
            "by --device interp and --device sim\n");
}
