/*
 * bind.c - which argument of a call goes to which parameter (R22, R141)
 *
 * The one rule for all calls: functions of kernels and of the language (src/lower, src/tl),
 * Python's own, and those of the host's files.  Only names and numbers are looked at; what is
 * bound, and the words for what is wrong, are the caller's.
 */
#include <string.h>

#include "python.h"

/* How many arguments the parameters take by position; -1: any number. */
static int most_positional(const PyParam *params, int n)
{
    int most = 0;

    for (int i = 0; i < n; i++) {
        if (params[i].star)
            return *params[i].name ? -1 : most; /* `*` alone takes nothing */
        most += !params[i].dict && !params[i].by_name;
    }
    return most;
}

static int count_positional(const char *const *words, int nargs)
{
    int n = 0;

    for (int i = 0; i < nargs; i++)
        n += words[i] == NULL;
    return n;
}

/* A star takes the rest; out[] has the first of these. */
static void bind_positions(const PyParam *params, int n, const char *const *words, int nargs,
                           int *out)
{
    int at = 0;

    for (int i = 0; i < nargs && at < n && !params[at].by_name; i++) {
        if (words[i])
            continue;
        if (out[at] < 0)
            out[at] = i;
        at += !params[at].star;
    }
}

/* The parameter of that name; -1: there is none, or it takes no name. */
static int param_named(const PyParam *params, int n, const char *word)
{
    for (int i = 0; i < n; i++) {
        if (!params[i].star && !params[i].dict &&
            (params[i].name == word || strcmp(params[i].name, word) == 0))
            return i;
    }
    return -1;
}

bool py_bind(const PyParam *params, int n, const char *const *words, int nargs, int *out,
             const PyBindReport *report)
{
    int most = most_positional(params, n), given = count_positional(words, nargs);
    bool takes_any = n > 0 && params[n - 1].dict, good = true;

    for (int i = 0; i < n; i++)
        out[i] = -1;
    if (most >= 0 && given > most)
        return report->wrong(report->context, PY_BIND_TOO_MANY, most);
    bind_positions(params, n, words, nargs, out);
    for (int i = 0; i < nargs; i++) {
        int k = words[i] ? param_named(params, n, words[i]) : -1;

        if (!words[i] || (k < 0 && takes_any))
            continue;
        if (k >= 0 && out[k] < 0)
            out[k] = i;
        else
            good = report->wrong(report->context, k < 0 ? PY_BIND_UNEXPECTED : PY_BIND_TWICE, i);
    }
    for (int i = 0; good && i < n; i++) {
        if (out[i] < 0 && !params[i].has_default && !params[i].star && !params[i].dict)
            good = report->wrong(report->context, PY_BIND_MISSING, i);
    }
    return good;
}
