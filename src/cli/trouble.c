/*
 * trouble.c - stopping with a reason, and what a misspelt word was probably meant to be
 *
 * A hint takes the word and the words that would have been right; it gives the nearest by edits
 * (insert, delete, replace, swap neighbours), if that is near enough to be worth saying.
 */
#include "cli.h"

#include <string.h>

void stop(Cli *c, CliCode code, const char *fmt, ...)
{
    va_list ap;

    c->code = code;
    va_start(ap, fmt);
    c->trouble = arena_vprintf(c->arena, fmt, ap);
    va_end(ap);
    fail(&c->guard);
}

enum { LONGEST = 32 }; /* longer words are not compared */

/* Edit distance where swapping two neighbours is one edit. */
static int distance(const char *a, const char *b)
{
    int la = (int)strlen(a), lb = (int)strlen(b);
    int d[LONGEST + 1][LONGEST + 1];

    if (la > LONGEST || lb > LONGEST)
        return LONGEST;
    for (int i = 0; i <= la; i++)
        d[i][0] = i;
    for (int j = 0; j <= lb; j++)
        d[0][j] = j;
    for (int i = 1; i <= la; i++)
        for (int j = 1; j <= lb; j++) {
            int replace = d[i - 1][j - 1] + (a[i - 1] != b[j - 1]);

            d[i][j] = MIN(replace, 1 + MIN(d[i - 1][j], d[i][j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                d[i][j] = MIN(d[i][j], d[i - 2][j - 2] + 1);
        }
    return d[la][lb];
}

const char *hint_nearest(const char *word, const char *const *candidates, int n)
{
    const char *best = NULL;
    int best_distance = MAX(1, (int)strlen(word) / 3) + 1;

    for (int i = 0; i < n; i++) {
        int d = distance(word, candidates[i]);

        if (d < best_distance) {
            best_distance = d;
            best = candidates[i];
        }
    }
    return best;
}

const char *hint_text(Arena *a, const char *word, const char *const *candidates, int n)
{
    const char *best = hint_nearest(word, candidates, n);

    return best ? arena_printf(a, "; did you mean '%s'?", best) : "";
}
