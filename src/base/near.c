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

/* Is one of the names the other with more words, joined by `_`, in front of it or behind? */
static bool has_words_of(const char *a, const char *b)
{
    size_t na = strlen(a), nb = strlen(b);

    if (na > nb)
        return has_words_of(b, a);
    return na > 0 && na < nb &&
           ((memcmp(a, b, na) == 0 && b[na] == '_') ||
            (memcmp(a, b + nb - na, na) == 0 && b[nb - na - 1] == '_'));
}

/* The only one that has more or fewer words; NULL: none, or several. */
static const char *only_with_words_of(const char *word, const char *const *candidates, int n)
{
    const char *found = NULL;

    for (int i = 0; i < n; i++) {
        if (!has_words_of(word, candidates[i]))
            continue;
        if (found)
            return NULL;
        found = candidates[i];
    }
    return found;
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
    return found ? found : only_with_words_of(word, candidates, n);
}

const char *text_of_word(const WordText *table, int n, const char *word)
{
    for (int i = 0; i < n; i++) {
        if (strcmp(table[i].word, word) == 0)
            return table[i].text;
    }
    return NULL;
}

const char *hint_text(Arena *a, const char *word, const char *const *candidates, int n)
{
    enum { MOST_LISTED = 16 };
    const char *best = near_name(word, candidates, n);
    Text all = text_new(a);

    if (best)
        return arena_printf(a, "; did you mean '%s'?", best);
    if (n == 0 || n > MOST_LISTED)
        return "";
    text_put(&all, n == 1 ? "; there is " : "; there are ");
    for (int i = 0; i < n; i++)
        text_printf(&all, "%s%s", i == 0 ? "" : i < n - 1 ? ", " : " and ", candidates[i]);
    return all.s;
}
