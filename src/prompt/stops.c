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
        if (begins && isblank((unsigned char)s[n]))
            return s;
    }
    return NULL;
}

/* "if EXPR" and "program X,Y", in any order, behind where to stop; cuts *where. */
static const char *take_condition(const Prompt *p, const char **where, int32_t program[3])
{
    Arena *a = p->client->arena;
    const char *text = *where, *of = find_word(text, "program");
    const char *end = text + strlen(text), *behind = NULL;

    for (int i = 0; i < 3; i++)
        program[i] = -1;
    if (of) {
        behind = skip_blanks(of + strlen("program"));
        program_of(p, &behind, true, program);
        text = arena_printf(a, "%.*s %s", (int)(of - text), text, behind);
        end = text + strlen(text);
    }
    const char *condition = find_word(text, "if");
    const char *stop = condition ? condition : end;
    while (stop > text && isblank((unsigned char)stop[-1]))
        stop--;
    *where = arena_strndup(a, text, (size_t)(stop - text));
    condition = condition ? skip_blanks(condition + strlen("if")) : end;
    while (end > condition && isblank((unsigned char)end[-1]))
        end--;
    return end > condition ? arena_strndup(a, condition, (size_t)(end - condition)) : NULL;
}

void do_break(Prompt *p, const char *text)
{
    int32_t program[3];
    const char *where = text, *condition = take_condition(p, &where, program), *file = NULL;
    const char *colon = strrchr(where, ':'), *at = colon ? colon + 1 : where;
    char *end;
    long line = strtol(at, &end, 10);
    bool is_line = *at && !*end;

    if (!*where && p->place.frame) {
        line = debug_line(&p->place).line;
        is_line = true;
    }
    if (colon)
        file = arena_strndup(p->client->arena, where, (size_t)(colon - where));
    const DebugBreak *b =
        debug_break(p->debugger, file, (int)line, is_line ? NULL : where, program, condition);
    if (!b && is_line)
        client_stop(
            p->client, CLIENT_USAGE,
            "no statement of this kernel, or of its helpers, begins in line %ld or behind it",
            line);
    if (!b)
        client_stop(p->client, CLIENT_USAGE,
                    "`%s` is no line, and no function that this kernel calls: break 12, break "
                    "helpers.py:7, break helper",
                    where);
    say(p, "breakpoint %d at %s:%d%s\n", b->number, b->source->shown, b->line,
        is_line && line != b->line ? ", where the next statement begins" : "");
}

/* As Python has it; a tile is. */
static bool is_true(const DebugValue *v)
{
    const DebugTile *t = v->tiles;

    if (v->text || t->ndim > 0)
        return !v->text || (strcmp(v->text, "False") != 0 && strcmp(v->text, "0") != 0);
    uint64_t bits = element_get_bits(t->data, 0, (size_t)dtype_size(t->dtype));
    return scalar_to_double(t->dtype, bits) != 0;
}

/* It may be asked a great many times: nothing is kept.  One that cannot be asked is better seen
 * than passed over. */
bool condition_holds(void *prompt, const InterpPlace *at, const char *condition)
{
    const Prompt *p = prompt;
    Guard guard = {0};
    Arena *volatile a = NULL;
    volatile bool holds = true;

    if (setjmp(guard.env) == 0) {
        DebugValue v;
        const char *why = NULL;

        a = arena_new(&guard);
        if (debug_evaluate(p->debugger, at, condition, a, &v, &why))
            holds = is_true(&v);
        else
            p->host->complain(p->host->ctx, why);
    }
    arena_free(a);
    return holds;
}

/* --- watches --- */

static const char *name_of_array(const Prompt *p, const char *text)
{
    size_t n = strcspn(text, "[");

    for (int i = 0; i < p->names->len; i++) {
        const char *name = p->names->at[i].name;
        if (strlen(name) == n && memcmp(name, text, n) == 0 && value_array(&p->names->at[i].value))
            return name;
    }
    client_stop(p->client, CLIENT_USAGE,
                "`%s` is no element of an array of the launch: watch out[3,7]", text);
}

void do_watch(Prompt *p, const char *text)
{
    name_of_array(p, text);
    const Const v = value_parse(p->store, p->names, "watch", text);
    const Array *a = value_array(&v);

    if (!a || array_numel(a) != 1) {
        /* An element is a number in the language of values; a slice of one is where it is. */
        client_stop(p->client, CLIENT_USAGE, "`%s` is not one element: watch out[3,7]", text);
    }
    const DebugWatch *w = debug_watch(p->debugger, text, (uint64_t)(uintptr_t)a->data, a->dtype);
    say(p, "watch %d: %s\n", w->number, text);
}

/* --- what is caught --- */

void do_catch(Prompt *p, const char *text)
{
    static const char *const words[] = {"nan", "inf"};
    int kinds = debug_caught(p->debugger);

    if (strcmp(text, "none") == 0)
        kinds = 0;
    else if (strcmp(text, "oob") == 0)
        say(p, "accesses outside of arrays always stop\n");
    else if (strcmp(text, "race") == 0 || strcmp(text, "uninitialised") == 0)
        say(p, p->launch->options->check ? "these stop already\n"
                                         : "these are looked for with `tilec debug --check`\n");
    else if (strcmp(text, "nan") == 0)
        kinds |= DEBUG_NAN;
    else if (strcmp(text, "inf") == 0)
        kinds |= DEBUG_INF;
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
