/*
 * nv_calls.c - which calls the places in a PTX text were inlined through, for what reads those
 *
 * LLVM says of code for a GPU where it stands, and in comments alone which calls it was inlined
 * through: `.loc 1 6 19 // k.py:6:19 @[ k.py:12:24 ]`.  PTX has words for that, which assemblers
 * hand on to disassemblers and profilers, so this makes directives of the comments:
 *
 *     .loc 1 12 24
 *     .loc 1 6 19, function_name $L__helper1, inlined_at 1 12 24 // k.py:6:19 @[ k.py:12:24 ]
 *
 * A place that code was inlined at must have been spoken of before.  Names of helpers go to a
 * section at the end.  The code stays what it is.
 */
#include <stdlib.h>
#include <string.h>

#include "nv.h"

typedef struct {
    int file, line, column;
} PtxPoint;

typedef struct {
    Arena *arena;
    const Module *module;
    Text out;
    VEC(const char *) files; /* by their numbers; NULL: none of that */
    VEC(const char *) said;  /* the comments from a call on, of places that a .loc has been about */
    VEC(const char *) helpers; /* whose names are in the section */
} CallWriter;

enum { MOST_FILES = 4096 };
static const char location[] = "\t.loc\t", file_row[] = "\t.file\t", inlined[] = " @[ ";

/* The files stand at the end: `.file 1 "k.py"`. */
static void read_files(CallWriter *w, const char *ptx)
{
    for (const char *at = ptx; (at = strstr(at, file_row)) != NULL;) {
        char *name;
        long number = strtol(at + strlen(file_row), &name, 10);
        at = name;
        name += strspn(name, " \"");
        while (w->files.len <= number && number >= 0 && number < MOST_FILES)
            vec_push(w->arena, &w->files, NULL);
        if (number >= 0 && number < w->files.len)
            w->files.at[number] = arena_strndup(w->arena, name, strcspn(name, "\"\n"));
    }
}

/* `PATH:LINE:COLUMN` at the beginning of `text`; false: of a file that has no number. */
static bool read_point(const CallWriter *w, const char *text, PtxPoint *out)
{
    for (int i = 0; i < w->files.len; i++) {
        const char *path = w->files.at[i];
        size_t n = path ? strlen(path) : 0;
        char *end;
        if (n == 0 || strncmp(text, path, n) != 0 || text[n] != ':')
            continue;
        *out = (PtxPoint){.file = i, .line = (int)strtol(text + n + 1, &end, 10)};
        out->column = *end == ':' ? (int)strtol(end + 1, NULL, 10) : 0;
        return out->line > 0;
    }
    return false;
}

/* What was called there; its number among the names, from 1 on. */
static int helper_called_at(CallWriter *w, const PtxPoint *call)
{
    const char *name = "helper";

    for (int i = 1; i < w->module->sites.len; i++) {
        Place p = source_place(w->module->sources, w->module->sites.at[i].call.start);
        if (p.source && p.line == call->line && p.column == call->column &&
            strcmp(p.source->path, w->files.at[call->file]) == 0)
            name = w->module->sites.at[i].callee;
    }
    for (int i = 0; i < w->helpers.len; i++) {
        if (strcmp(w->helpers.at[i], name) == 0)
            return i + 1;
    }
    vec_push(w->arena, &w->helpers, name);
    return w->helpers.len;
}

static bool is_said(const CallWriter *w, const char *calls)
{
    for (int i = 0; i < w->said.len; i++) {
        if (strcmp(w->said.at[i], calls) == 0)
            return true;
    }
    return false;
}

/* `, function_name .., inlined_at ..` for what follows an inlined[]; nothing where there is none.
 */
static void put_call(CallWriter *w, const char *places)
{
    const char *call = strstr(places, inlined);
    PtxPoint at;

    if (call && read_point(w, call + strlen(inlined), &at))
        text_printf(&w->out, ", function_name $L__helper%d, inlined_at %d %d %d",
                    helper_called_at(w, &at), at.file, at.line, at.column);
}

/* A .loc for each of the places that code was inlined at, the outermost first. */
static void say_callers(CallWriter *w, const char *places)
{
    const char *call = strstr(places, inlined);
    PtxPoint at;

    if (!call)
        return;
    call += strlen(inlined);
    if (is_said(w, call) || !read_point(w, call, &at))
        return;
    say_callers(w, call);
    text_printf(&w->out, "%s%d %d %d", location, at.file, at.line, at.column);
    put_call(w, call);
    text_put(&w->out, "\n");
    vec_push(w->arena, &w->said, call);
}

/* One line of the text. */
static void put_line(CallWriter *w, const char *line)
{
    const char *comment =
        strncmp(line, location, strlen(location)) == 0 ? strstr(line, "//") : NULL;
    size_t n = comment ? (size_t)(comment - line) : 0;

    if (!comment || !strstr(comment, inlined)) {
        text_put(&w->out, line);
        return;
    }
    while (n > 0 && line[n - 1] == ' ')
        n--;
    say_callers(w, comment);
    text_putn(&w->out, line, n);
    put_call(w, comment);
    text_printf(&w->out, " %s", comment);
}

static void put_helpers(CallWriter *w)
{
    text_put(&w->out, "\n\t.section\t.debug_str\n\t{\n");
    for (int i = 0; i < w->helpers.len; i++) {
        text_printf(&w->out, "$L__helper%d:\n\t.b8 ", i + 1);
        for (const char *c = w->helpers.at[i]; *c; c++)
            text_printf(&w->out, "%d, ", (unsigned char)*c);
        text_put(&w->out, "0\n");
    }
    text_put(&w->out, "\t}\n");
}

void nv_say_calls(const Module *m, Arena *a, GenOutput *ptx)
{
    CallWriter w = {.arena = a, .module = m, .out = text_new(a)};

    if (m->sites.len <= 1 || !m->sources)
        return;
    text_put(&w.out, "");
    read_files(&w, ptx->data);
    for (const char *at = ptx->data; *at;) {
        size_t n = strcspn(at, "\n");
        n += at[n] == '\n';
        put_line(&w, arena_strndup(a, at, n));
        at += n;
    }
    if (w.helpers.len == 0)
        return;
    put_helpers(&w);
    ptx->data = w.out.s;
    ptx->len = strlen(w.out.s);
}
