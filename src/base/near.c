/*
 * near.c - what a misspelt word was probably meant to be
 */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base.h"

/* Edits to get from a to b, where swapping two neighbours is one; at most `limit` + 1. */
static int edit_distance(const char *a, const char *b, int limit)
{
    enum { LONGEST = 64 };
    int na = (int)strlen(a), nb = (int)strlen(b);
    int d[LONGEST + 1][LONGEST + 1]; /* of the first i letters of a and j of b */

    if (na > LONGEST || nb > LONGEST || abs(na - nb) > limit)
        return limit + 1;
    for (int i = 0; i <= na; i++)
        d[i][0] = i;
    for (int j = 1; j <= nb; j++)
        d[0][j] = j;
    for (int i = 1; i <= na; i++) {
        for (int j = 1; j <= nb; j++) {
            int change = d[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
            d[i][j] = MIN(change, MIN(d[i - 1][j], d[i][j - 1]) + 1);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                d[i][j] = MIN(d[i][j], d[i - 2][j - 2] + 1);
        }
    }
    return MIN(d[na][nb], limit + 1);
}

const char *near_name(const char *word, const char *const *candidates, int n)
{
    int limit = MAX(1, (int)strlen(word) / 3), best = limit + 1;
    const char *found = NULL;

    for (int i = 0; i < n; i++) {
        if (strcasecmp(word, candidates[i]) == 0)
            return candidates[i];
        int d = edit_distance(word, candidates[i], limit);
        if (d < best && d < (int)strlen(word)) {
            best = d;
            found = candidates[i];
        }
    }
    return found;
}
