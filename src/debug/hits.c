/*
 * hits.c - which hits of a breakpoint count, and what one says that does not stop
 *
 * A hit has a number by its moment among those that the breakpoint has seen, so that it is the same
 * whichever way the run comes there.
 */
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include "inside.h"

bool moment_is_before(DebugMoment a, DebugMoment b)
{
    return a.program != b.program ? a.program < b.program : a.step < b.step;
}

/* --- numbers of hits --- */

bool debug_hits_read(const char *text, DebugHits *out)
{
    static const struct {
        const char *sign;
        DebugHitsKind kind;
        int more;
    } signs[] = {{"==", HITS_AT, 0}, {">=", HITS_FROM, 0}, {">", HITS_FROM, 1},
                 {"=", HITS_AT, 0},  {"%", HITS_EACH, 0},  {"", HITS_AT, 0}};
    int i = 0;
    char *end;

    text += strspn(text, " \t");
    while (strncmp(text, signs[i].sign, strlen(signs[i].sign)) != 0)
        i++;
    text += strlen(signs[i].sign);
    *out = (DebugHits){signs[i].kind, strtoll(text, &end, 10) + signs[i].more};
    return end > text && !end[strspn(end, " \t")] && out->n >= 1;
}

void debug_hits_put(Text *t, const DebugHits *h)
{
    static const char *const signs[] = {[HITS_AT] = "", [HITS_FROM] = ">=", [HITS_EACH] = "%"};

    if (h->kind != HITS_ALL)
        text_printf(t, "%s%lld", signs[h->kind], (long long)h->n);
}

/* Which hit this is, from 1 on; it is put among those that were seen. */
static int64_t number_of(Debugger *d, DebugBreak *b)
{
    int at = b->seen.len;

    while (at > 0 && moment_is_before(d->now, b->seen.at[at - 1]))
        at--;
    if (at > 0 && !moment_is_before(b->seen.at[at - 1], d->now))
        return at;
    vec_push(d->client->arena, &b->seen, d->now);
    memmove(&b->seen.at[at + 1], &b->seen.at[at],
            sizeof *b->seen.at * (size_t)(b->seen.len - 1 - at));
    b->seen.at[at] = d->now;
    return at + 1;
}

bool hits_count(Debugger *d, DebugBreak *b)
{
    const DebugHits *h = &b->when.hits;
    int64_t number = number_of(d, b);

    switch (h->kind) {
    case HITS_AT:
        return number == h->n;
    case HITS_FROM:
        return number >= h->n;
    case HITS_EACH:
        return number % h->n == 0;
    default:
        return true;
    }
}

/* --- what it says --- */

/* The value of an expression, or why it has none. */
static void put_value(Debugger *d, const InterpPlace *at, const char *text, Text *out)
{
    DebugValue v;
    const char *why = NULL;

    if (debug_evaluate(d, at, text, out->arena, &v, &why))
        debug_put_brief(out, &v);
    else
        text_printf(out, "{%s: %.*s}", text, (int)strcspn(why, "\n"), why);
}

/* The next {EXPR} of a text, behind `*before` bytes; cuts *log up to behind it.  NULL: none comes.
 */
static const char *next_expression(const char **log, size_t *before, Arena *a)
{
    size_t n = strcspn(*log, "{"), length = strcspn(*log + n, "}");
    const char *begin = *log + n;

    *before = n;
    if (!begin[0] || !begin[length])
        return NULL;
    *log = begin + length + 1;
    return arena_strndup(a, begin + 1, length - 1);
}

static const char *said_by(Debugger *d, const InterpPlace *at, const char *log, Arena *a)
{
    Text t = text_new(a);
    const char *from = log, *expression;
    size_t before;

    text_put(&t, "");
    for (; (expression = next_expression(&log, &before, a)) != NULL; from = log) {
        text_putn(&t, from, before);
        put_value(d, at, expression, &t);
    }
    text_put(&t, log);
    return t.s;
}

const char *hits_unfit(Debugger *d, const Func *f, int mark, const DebugWhen *when, Arena *a)
{
    const char *log = when->log, *expression, *why = NULL;
    size_t before;

    if (when->condition)
        why = evaluate_unfit(d, f, mark, when->condition, true, a);
    while (log && !why && (expression = next_expression(&log, &before, a)) != NULL)
        why = evaluate_unfit(d, f, mark, expression, false, a);
    return why;
}

/* Once for each moment; nothing is kept. */
void hits_log(Debugger *d, DebugBreak *b, const InterpPlace *at)
{
    Guard guard = {0};
    Arena *volatile a = NULL;

    if (!moment_is_before(b->logged, d->now))
        return;
    b->logged = d->now;
    if (setjmp(guard.env) == 0) {
        a = arena_new(&guard);
        d->host->logged(d->host->ctx, said_by(d, at, b->when.log, a));
    }
    arena_free(a);
}
