/*
 * flags.c - rows of bytes that are set or not: where they end, and whether they have gaps
 */
#include "base.h"

bool flags_begin_late(const unsigned char *set, int64_t n)
{
    int64_t i = 0;

    while (i < n && !set[i])
        i++;
    for (int64_t k = i; k < n; k++) {
        if (!set[k])
            return false;
    }
    return i > 0;
}

bool flags_in_blocks(const unsigned char *set, int64_t n, int64_t least)
{
    int64_t gap = 0;

    if (flags_begin_late(set, n))
        return true;
    for (int64_t i = 0; i < n; i++) {
        if (set[i] && gap > 0 && gap < least)
            return false;
        gap = set[i] ? 0 : gap + 1;
    }
    return set[0] != 0;
}

int64_t flags_end(const unsigned char *set, int64_t n)
{
    while (n > 0 && !set[n - 1])
        n--;
    return n;
}

int64_t flags_first_clear(const unsigned char *set)
{
    int64_t i = 0;

    while (set[i])
        i++;
    return i;
}
