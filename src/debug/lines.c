/*
 * lines.c - statements and lines: where an op stands in the source, and breakpoints
 *
 * The marks of a function say where its statements begin (ir/mark.h).  An op is of the last one
 * that was begun in front of it, in a block that it stands in, of the same call.
 */
#include <string.h>

#include "inside.h"

int statement_of(const InterpPlace *at)
{
    const Func *f = interp_func(at->frame);

    for (int i = MIN(at->mark, f->marks.len) - 1; i >= 0; i--) {
        const Mark *m = &f->marks.at[i];

        if (!m->name && m->site == at->site && block_encloses(m->block, at->block))
            return i;
    }
    return -1;
}

Place statement_place(const Func *f, int mark)
{
    Span span = mark >= 0 ? f->marks.at[mark].span : f->span;

    return source_place(f->module->sources, span.start);
}

/* To find a line goes through the text: each statement's is found once. */
int statement_line(Debugger *d, const Func *f, int mark)
{
    int *lines = map_get(d->lines, MAP_KEY(f));

    if (!lines) {
        lines = NEW_N(d->client->arena, int, f->marks.len + 1);
        map_put(d->lines, MAP_KEY(f), lines);
    }
    if (mark >= 0 && lines[mark] == 0)
        lines[mark] = statement_place(f, mark).line;
    return mark >= 0 ? lines[mark] : 0;
}

Place debug_line(const InterpPlace *at)
{
    return statement_place(interp_func(at->frame), statement_of(at));
}

const char *debug_function(const InterpPlace *at, Arena *a)
{
    return site_function(interp_func(at->frame), at->site, a);
}

DebugSources debug_sources(const Debugger *d, Arena *a)
{
    DebugSources all = {0};

    for (int i = 0; d->module && i < d->module->nfuncs; i++) {
        const Func *f = d->module->funcs[i];
        for (int k = 0; k < f->marks.len; k++) {
            const Mark *m = &f->marks.at[k];
            const Source *s = m->name ? NULL : source_of(d->module->sources, m->span.start);
            int n = 0;
            while (n < all.len && all.at[n] != s)
                n++;
            if (s && n == all.len)
                vec_push(a, &all, s);
        }
    }
    return all;
}

/* --- breakpoints --- */

static bool is_file(const Source *s, const char *name)
{
    size_t n = strlen(name), len = strlen(s->path);

    return len >= n && strcmp(s->path + len - n, name) == 0 &&
           (len == n || s->path[len - n - 1] == '/');
}

/* The statement that a breakpoint is for: the nearest from its line on. */
typedef struct {
    const Source *source;
    int line;
    const Func *func;
    int mark;
} BreakTarget;

/* Does the line begin with that word? */
static bool line_has(const char *line, const char *word)
{
    line += strspn(line, " \t");
    return strncmp(line, word, strlen(word)) == 0;
}

/* Does another function begin behind the line `from`, up to `to`?  Not the one that a decorator, or
 * `def` itself, is of. */
static bool is_other_function(const Source *s, int from, int to)
{
    const char *at = s->text;
    bool is_other = false, is_head = false;

    for (int line = s->line; at && line <= to; line++) {
        if (line == from)
            is_head = line_has(at, "@");
        if (line > from)
            is_other |= line_has(at, "def ") && !is_head;
        if (line > from && line_has(at, "def "))
            is_head = false;
        at = strchr(at, '\n');
        at = at ? at + 1 : NULL;
    }
    return is_other;
}

static void look_at_statements(Debugger *d, const Func *f, const char *file, int line,
                               BreakTarget *best)
{
    for (int i = 0; i < f->marks.len; i++) {
        const Mark *m = &f->marks.at[i];
        const Source *s = m->name ? NULL : source_of(f->module->sources, m->span.start);

        if (!s || (file ? !is_file(s, file) : s != d->launch.file->source))
            continue;
        int its = statement_line(d, f, i);
        if (its >= line && (!best->source || its < best->line) && !is_other_function(s, line, its))
            *best = (BreakTarget){s, its, f, i};
    }
}

/* The first statement of that function, which may have been inlined. */
static void look_for_function(const Func *f, const char *function, BreakTarget *best)
{
    for (int i = 0; i < f->marks.len && !best->source; i++) {
        const Mark *m = &f->marks.at[i];
        const CallSite *inlined = call_site(f->module, m->site);
        Place at = statement_place(f, i);

        if (!m->name && strcmp(inlined ? inlined->callee : f->name, function) == 0)
            *best = (BreakTarget){at.source, at.line, f, i};
    }
}

static BreakTarget find_target(Debugger *d, const char *file, int line, const char *function)
{
    BreakTarget best = {0};

    for (int i = 0; d->module && i < d->module->nfuncs; i++) {
        if (function)
            look_for_function(d->module->funcs[i], function, &best);
        else
            look_at_statements(d, d->module->funcs[i], file, line, &best);
    }
    return best;
}

const DebugBreak *debug_break(Debugger *d, const char *file, int line, const char *function,
                              const int32_t program[3], const DebugWhen *when, const char **why)
{
    BreakTarget at = find_target(d, file, line, function);

    *why = at.source ? hits_unfit(d, at.func, at.mark, when, d->client->arena) : NULL;
    if (!at.source || *why)
        return NULL;
    DebugBreak b = {.number = ++d->numbers,
                    .source = at.source,
                    .line = at.line,
                    .program = {program[0], program[1], program[2]},
                    .when = *when,
                    .logged = {-1, 0}};
    vec_push(d->client->arena, &d->breaks, b);
    return &d->breaks.at[d->breaks.len - 1];
}

const DebugBreak *debug_break_at(const Debugger *d, int i)
{
    return i < d->breaks.len ? &d->breaks.at[i] : NULL;
}

const DebugWatch *debug_watch(Debugger *d, const char *name, uint64_t address, tilec_dtype dtype)
{
    DebugWatch w = {++d->numbers, name, address, dtype};

    vec_push(d->client->arena, &d->watches, w);
    return &d->watches.at[d->watches.len - 1];
}

const DebugWatch *debug_watch_at(const Debugger *d, int i)
{
    return i < d->watches.len ? &d->watches.at[i] : NULL;
}

void debug_catch(Debugger *d, int kinds)
{
    d->catches = kinds;
}

int debug_caught(const Debugger *d)
{
    return d->catches;
}

bool debug_delete(Debugger *d, int number)
{
    int nbreaks = 0, nwatches = 0, had = d->breaks.len + d->watches.len;

    for (int i = 0; i < d->breaks.len; i++) {
        if (d->breaks.at[i].number != number)
            d->breaks.at[nbreaks++] = d->breaks.at[i];
    }
    for (int i = 0; i < d->watches.len; i++) {
        if (d->watches.at[i].number != number)
            d->watches.at[nwatches++] = d->watches.at[i];
    }
    d->breaks.len = nbreaks;
    d->watches.len = nwatches;
    return nbreaks + nwatches < had;
}
