/*
 * trouble.c - stopping with a reason, and what a misspelt word was probably meant to be
 */
#include "cli.h"

#include <stdio.h>

void stop(Cli *c, CliCode code, const char *fmt, ...)
{
    va_list ap;

    c->code = code;
    va_start(ap, fmt);
    c->trouble = arena_vprintf(c->arena, fmt, ap);
    va_end(ap);
    fail(&c->guard);
}

void complain(Cli *c, CliCode code, const char *fmt, ...)
{
    va_list ap;

    c->code = code;
    va_start(ap, fmt);
    fprintf(stderr, "tilec: %s\n", arena_vprintf(c->arena, fmt, ap));
    va_end(ap);
}

void tell(void *unused, const char *text)
{
    (void)unused;
    fputs(text, stderr);
}

const char *hint_text(Arena *a, const char *word, const char *const *candidates, int n)
{
    const char *best = near_name(word, candidates, n);

    return best ? arena_printf(a, "; did you mean '%s'?", best) : "";
}
