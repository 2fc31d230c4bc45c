/*
 * trouble.c - stopping with a reason, and what a misspelt word was probably meant to be
 */
#include "cli.h"

#include <stdio.h>

/* What users and files wrote is in these texts: it must not drive the terminal. */
static const char *printable(Cli *c, const char *fmt, va_list ap)
{
    Text t = text_new(c->arena);

    text_put(&t, "");
    if (c->origin)
        text_put_printable(&t, arena_printf(c->arena, "%s:%d: ", c->origin->file, c->origin->line));
    text_put_printable(&t, arena_vprintf(c->arena, fmt, ap));
    return t.s;
}

void stop(Cli *c, CliCode code, const char *fmt, ...)
{
    va_list ap;

    c->code = code;
    va_start(ap, fmt);
    c->trouble = printable(c, fmt, ap);
    c->trouble_at = c->origin;
    va_end(ap);
    fail(&c->guard);
}

void stop_at_file(Cli *c, const char *path, const char *why)
{
    c->trouble_file = path;
    stop(c, CLI_FILES, "%s: %s", path, why);
}

bool attempt(Cli *c, void (*work)(Cli *c, void *context), void *context)
{
    const Guard outer = c->guard;
    const Origin *origin = c->origin;
    volatile bool done = false;

    c->status = TILEC_OK;
    c->reason = 0;
    c->trouble_file = NULL;
    c->diagnosed = false;
    if (setjmp(c->guard.env) == 0) {
        work(c, context);
        done = true;
    } else if (c->guard.why == GUARD_NO_MEMORY) {
        c->code = CLI_REFUSED;
        c->status = TILEC_NO_MEMORY;
        c->trouble = "out of memory";
    }
    c->guard = outer;
    c->origin = origin;
    return done;
}

void complain(Cli *c, CliCode code, const char *fmt, ...)
{
    va_list ap;

    c->code = code;
    c->status = TILEC_OK;
    c->trouble_at = c->origin;
    va_start(ap, fmt);
    c->trouble = printable(c, fmt, ap);
    va_end(ap);
    fprintf(stderr, "tilec: %s\n", c->trouble);
    if (c->json)
        vec_push(c->arena, &c->problems, problem_kept(c));
}

void warn(Cli *c, const char *fmt, ...)
{
    va_list ap;

    if (c->quiet)
        return;
    va_start(ap, fmt);
    fprintf(stderr, "tilec: warning: %s\n", printable(c, fmt, ap));
    va_end(ap);
}

void print_line(FILE *out, const char *text)
{
    Guard guard;
    Arena *volatile arena = NULL;

    if (setjmp(guard.env) == 0) {
        arena = arena_new(&guard);
        Text t = text_new(arena);
        text_put_printable(&t, text);
        fprintf(out, "%s\n", t.s);
    }
    arena_free(arena);
}

void tell(void *unused, const char *text)
{
    (void)unused;
    fputs(text, stderr);
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
