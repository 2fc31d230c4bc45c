/*
 * stops.c - commands about reasons to stop: breakpoints, watches, what is caught
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "inside.h"

/* --- breakpoints --- */

/* " if " or " program ", outside of quotes and brackets as far as these texts have any; NULL. */
static const char *find_word(const char *text, const char *word)
{
    size_t n = strlen(word);

    for (const char *s = strstr(text, word); s; s = strstr(s + 1, word)) {
        bool begins = s > text && isblank((unsigned char)s[-1]);
        if (begins && (!s[n] || isblank((unsigned char)s[n])))
            return s;
    }
    return NULL;
}

/* "hits >=3" in a text, without which it is given. */
static const char *take_hits(const Prompt *p, const char *text, DebugHits *out)
{
    Arena *a = p->client->arena;
    const char *at = find_word(text, "hits");

    if (!at)
        return text;
    const char *word = skip_blanks(at + strlen("hits"));
    size_t n = strcspn(word, " \t");
    if (!debug_hits_read(arena_strndup(a, word, n), out))
        client_stop(p->client, CLIENT_USAGE, "hits %.*s: write 3, >=3, >3 or %%3", (int)n, word);
    return arena_printf(a, "%.*s%s", (int)(at - text), text, word + n);
}

/* "if EXPR", "hits N" and "program X,Y", in any order, behind where to stop; cuts *where. */
static const char *take_condition(const Prompt *p, const char **where, int32_t program[3])
{
    Arena *a = p->client->arena;
    const char *text = *where, *of = find_word(text, "program");
    const char *end = text + strlen(text), *behind = NULL;

    for (int i = 0; i < 3; i++)
        program[i] = -1;
    if (of) {
        behind = skip_blanks(of + strlen("program"));
        debug_program_named(p->debugger, &behind, true, program);
        text = arena_printf(a, "%.*s %s", (int)(of - text), text, behind);
        end = text + strlen(text);
    }
    const char *condition = find_word(text, "if");
    const char *stop = condition ? condition : end;
    while (stop > text && isblank((unsigned char)stop[-1]))
        stop--;
    *where = arena_strndup(a, text, (size_t)(stop - text));
    if (!condition)
        return NULL;
    condition = skip_blanks(condition + strlen("if"));
    while (end > condition && isblank((unsigned char)end[-1]))
        end--;
    return arena_strndup(a, condition, (size_t)(end - condition));
}

static const DebugBreak *set_break(Prompt *p, const char *where, const int32_t program[3],
                                   const DebugWhen *when)
{
    const char *colon = strrchr(where, ':'), *at = colon ? colon + 1 : where, *file = NULL;
    char *end;
    long line = strtol(at, &end, 10);
    bool is_line = *at && !*end;

    if (!*where && p->place.frame) {
        line = debug_line(&p->place).line;
        is_line = true;
    }
    if (colon)
        file = arena_strndup(p->client->arena, where, (size_t)(colon - where));
    const char *why;
    const DebugBreak *b =
        debug_break(p->debugger, file, (int)line, is_line ? NULL : where, program, when, &why);
    if (why)
        client_stop(p->client, CLIENT_REFUSED, "%s", why);
    if (!b && is_line)
        client_stop(
            p->client, CLIENT_USAGE,
            "no statement of this kernel, or of its helpers, begins in line %ld, or behind it "
            "in the same function",
            line);
    if (!b)
        client_stop(p->client, CLIENT_USAGE,
                    "`%s` is no line, and no function that this kernel calls: break 12, break "
                    "helpers.py:7, break helper",
                    where);
    say(p, "%s %d at %s:%d%s\n", when->log ? "log point" : "breakpoint", b->number,
        b->source->shown, b->line,
        is_line && line != b->line ? ", where the next statement begins" : "");
    return b;
}

void do_break(Prompt *p, const char *text)
{
    int32_t program[3];
    DebugWhen when = {0};
    const char *where = take_hits(p, text, &when.hits);

    when.condition = take_condition(p, &where, program);
    set_break(p, where, program, &when);
}

void do_log(Prompt *p, const char *text)
{
    static const int32_t any[3] = {-1, -1, -1};
    size_t n = strcspn(text, " \t");
    const DebugWhen when = {.log = skip_blanks(text + n)};

    if (!*when.log)
        client_stop(p->client, CLIENT_USAGE, "log what? log 12 mean {mean} of row {row}");
    set_break(p, arena_strndup(p->client->arena, text, n), any, &when);
}

/* One that cannot be asked is better seen than passed over. */
bool condition_holds(void *prompt, const InterpPlace *at, const char *condition)
{
    Prompt *p = prompt;
    const char *why = NULL;
    bool holds = debug_holds(p->debugger, at, condition, &why);

    if (why)
        complain(p, why);
    return holds;
}

/* --- watches --- */

void do_watch(Prompt *p, const char *text)
{
    const DebugWatch *w = debug_watch_element(p->debugger, text);

    say(p, "watch %d: %s\n", w->number, text);
}

/* --- what is caught --- */

/* That another run of the kernel does. */
static void look_for_races(Prompt *p)
{
    say(p, "races, and reads of what nobody has written, stop%s\n",
        debug_checks(p->debugger) ? "" : "; the launch begins anew");
    p->moves = !debug_checks(p->debugger);
    if (p->moves)
        debug_check(p->debugger);
}

void do_catch(Prompt *p, const char *text)
{
    static const char *const words[] = {"nan", "inf"};
    int kinds = debug_caught(p->debugger);

    if (strcmp(text, "none") == 0)
        kinds = 0;
    else if (strcmp(text, "oob") == 0)
        say(p, "accesses outside of arrays stop without being caught\n");
    else if (strcmp(text, "race") == 0 || strcmp(text, "uninitialised") == 0)
        look_for_races(p);
    else if (strcmp(text, "nan") == 0)
        kinds |= DEBUG_NAN;
    else if (strcmp(text, "inf") == 0)
        kinds |= DEBUG_INF;
    else if (!*text)
        client_stop(p->client, CLIENT_USAGE,
                    "catch what? nan, inf, oob, race, uninitialised, or none");
    else
        client_stop(p->client, CLIENT_USAGE,
                    "`catch %s`: it is nan, inf, oob, race, uninitialised, or none", text);
    debug_catch(p->debugger, kinds);
    for (int i = 0; i < COUNT(words); i++) {
        if (kinds >> i & 1)
            say(p, "caught: %s\n", words[i]);
    }
}

void do_delete(Prompt *p, const char *text)
{
    const DebugBreak *b;
    const DebugWatch *w;

    if (*text) {
        if (!debug_delete(p->debugger, (int)count_of(p, text)))
            client_stop(p->client, CLIENT_USAGE, "there is no breakpoint or watch %s", text);
        return;
    }
    while ((b = debug_break_at(p->debugger, 0)) != NULL)
        debug_delete(p->debugger, b->number);
    while ((w = debug_watch_at(p->debugger, 0)) != NULL)
        debug_delete(p->debugger, w->number);
}
