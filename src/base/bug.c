/*
 * bug.c - the end of the road for internal errors
 *
 * Bad input never comes here: it gets a diagnostic (diag.c).
 */
#include <stdio.h>
#include <stdlib.h>

#include "base.h"

void bug_at(const char *file, int line, const char *fmt, ...)
{
    va_list ap;

    fprintf(stderr, "tilec: internal error at %s:%d: ", file, line);
    va_start(ap, fmt);
    vfprintf(stderr, fmt, ap);
    va_end(ap);
    fputc('\n', stderr);
    fflush(stderr);
    abort();
}
