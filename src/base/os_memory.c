/*
 * os_memory.c - which addresses of the process are memory
 */
#define _GNU_SOURCE
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base.h"

/* False: no memory. */
static bool push(OsMapping **all, int *n, int *room, OsMapping m)
{
    if (*n == *room) {
        int more = MAX(256, 2 * *room);
        OsMapping *grown = realloc(*all, sizeof *grown * (size_t)more);

        if (!grown)
            return false;
        *all = grown;
        *room = more;
    }
    (*all)[(*n)++] = m;
    return true;
}

int os_mappings(OsMapping **out)
{
    FILE *f = fopen("/proc/self/maps", "re");
    char *line = NULL, access[5];
    size_t size = 0;
    int n = 0, room = 0;
    bool fits = true;
    OsMapping m;

    *out = NULL;
    while (f && fits && getline(&line, &size, f) > 0) {
        if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s", &m.start, &m.end, access) != 3 ||
            access[0] != 'r')
            continue;
        m.writable = access[1] == 'w';
        fits = push(out, &n, &room, m);
    }
    if (f)
        fclose(f);
    free(line);
    return n;
}
