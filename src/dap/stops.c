/*
 * stops.c - requests about reasons to stop: an editor gives all of a kind each time, anew
 */
#include <string.h>

#include "inside.h"

/* --- what was asked for before --- */

static bool is_text(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

/* Delete those of a file (NULL: of functions), or the watches. */
static void forget(Dap *p, const char *file, bool is_watch)
{
    int kept = 0;

    for (int i = 0; i < p->asked.len; i++) {
        const Asked *a = &p->asked.at[i];
        if (a->is_watch == is_watch && is_text(a->file, file))
            debug_delete(p->debugger, a->number);
        else
            p->asked.at[kept++] = *a;
    }
    p->asked.len = kept;
}

static void note(Dap *p, int number, const char *file, bool is_watch)
{
    Arena *a = p->client->arena;
    const Asked asked = {number, file ? arena_printf(a, "%s", file) : NULL, is_watch};

    vec_push(a, &p->asked, asked);
}

/* --- breakpoints --- */

/* The source that an editor knows by that path: the same file. */
static const Source *source_named(const Dap *p, const char *path)
{
    const OsEntry wanted = os_entry(path);
    DebugSources all = debug_sources(p->debugger, p->scratch);

    for (int i = 0; i < all.len && wanted.kind == OS_FILE; i++) {
        const OsEntry e = os_entry(all.at[i]->path);
        if (e.kind == OS_FILE && e.device == wanted.device && e.number == wanted.number)
            return all.at[i];
    }
    return NULL;
}

static void put_unverified(Dap *p, const char *why)
{
    json_object(&p->body, NULL);
    json_bool(&p->body, "verified", false);
    json_printable(&p->body, "message", why);
    json_object_end(&p->body);
}

static void put_break(Dap *p, const DebugBreak *b)
{
    json_object(&p->body, NULL);
    json_int(&p->body, "id", b->number);
    json_bool(&p->body, "verified", true);
    dap_put_source(p, &p->body, b->source);
    json_int(&p->body, "line", b->line - 1 + p->first_line);
    json_object_end(&p->body);
}

/* A text among what is wanted that is not empty, kept; NULL: there is none. */
static const char *text_of(const Dap *p, const Got *wanted, const char *name)
{
    const char *text = got_text(want_maybe(p, wanted, name, GOT_TEXT));

    return text && *text ? arena_printf(p->client->arena, "%s", text) : NULL;
}

/* False: its number of hits is none. */
static bool when_of(const Dap *p, const Got *wanted, DebugWhen *out)
{
    const char *hits = text_of(p, wanted, "hitCondition");

    *out = (DebugWhen){.condition = text_of(p, wanted, "condition"),
                       .log = text_of(p, wanted, "logMessage")};
    return !hits || debug_hits_read(hits, &out->hits);
}

static const char no_hits[] = "a number of hits is 3, >=3, >3 or %3";

static void set_break(Dap *p, const char *path, const Source *source, const Got *wanted)
{
    static const int32_t any[3] = {-1, -1, -1};
    int64_t line = line_from(p, want_whole(p, wanted, "line"));
    DebugWhen when;

    if (!when_of(p, wanted, &when)) {
        put_unverified(p, no_hits);
        return;
    }
    if (!source) {
        put_unverified(p, "the kernel has no statement in this file");
        return;
    }
    if (line < 1 || line > INT32_MAX) {
        put_unverified(p, "there is no such line");
        return;
    }
    const char *why;
    const DebugBreak *b = debug_break(p->debugger, source->path, (int)line, NULL, any, &when, &why);
    if (!b) {
        put_unverified(p, why ? why
                              : "no statement of this kernel, or of its helpers, begins in this "
                                "line, or behind it in the same function");
        return;
    }
    note(p, b->number, path, false);
    put_break(p, b);
}

void request_setBreakpoints(Dap *p)
{
    const char *path = want_text(p, want(p, p->args, "source", GOT_OBJECT), "path");
    const Got *all = want_maybe(p, p->args, "breakpoints", GOT_ARRAY);
    const Source *source = source_named(p, path);

    forget(p, path, false);
    json_array(&p->body, "breakpoints");
    for (int i = 0; i < got_length(all); i++)
        set_break(p, path, source, got_item(all, i));
    json_array_end(&p->body);
}

void request_setFunctionBreakpoints(Dap *p)
{
    static const int32_t any[3] = {-1, -1, -1};
    const Got *all = want(p, p->args, "breakpoints", GOT_ARRAY);

    forget(p, NULL, false);
    json_array(&p->body, "breakpoints");
    for (int i = 0; i < got_length(all); i++) {
        const char *name = want_text(p, got_item(all, i), "name");
        DebugWhen when;
        bool is_when = when_of(p, got_item(all, i), &when);
        const char *why = is_when ? NULL : no_hits;
        const DebugBreak *b =
            is_when ? debug_break(p->debugger, NULL, 0, name, any, &when, &why) : NULL;
        if (b) {
            note(p, b->number, NULL, false);
            put_break(p, b);
        } else {
            put_unverified(p, why ? why : "this is no function that the kernel calls");
        }
    }
    json_array_end(&p->body);
}

/* --- what is caught --- */

static int kind_of(const Dap *p, const char *filter)
{
    if (filter && strcmp(filter, "nan") == 0)
        return DEBUG_NAN;
    if (filter && strcmp(filter, "inf") == 0)
        return DEBUG_INF;
    client_stop(p->client, CLIENT_USAGE, "there is no exception `%s`: they are nan and inf",
                filter ? filter : "?");
}

void request_setExceptionBreakpoints(Dap *p)
{
    const Got *names = want(p, p->args, "filters", GOT_ARRAY);
    const Got *options = want_maybe(p, p->args, "filterOptions", GOT_ARRAY);
    int kinds = 0;

    for (int i = 0; i < got_length(names); i++)
        kinds |= kind_of(p, got_text(got_item(names, i)));
    for (int i = 0; i < got_length(options); i++)
        kinds |= kind_of(p, want_text(p, got_item(options, i), "filterId"));
    debug_catch(p->debugger, kinds);
}

void request_exceptionInfo(Dap *p)
{
    bool is_fault = p->stop->why == DEBUG_FAULT;

    want_whole(p, p->args, "threadId");
    if (!is_fault && p->stop->why != DEBUG_CAUGHT)
        client_stop(p->client, CLIENT_USAGE, "no exception is why the run stands here");
    json_text(&p->body, "exceptionId", is_fault ? "fault" : "caught");
    json_printable(&p->body, "description", p->stop->text ? p->stop->text : "");
    json_text(&p->body, "breakMode", is_fault ? "unhandled" : "always");
}

/* --- elements --- */

typedef struct {
    Dap *p;
    const char *element;
    const DebugWatch *watch;
} Watching;

static void watch(void *what)
{
    Watching *w = what;

    w->watch =
        debug_watch_element(w->p->debugger, arena_printf(w->p->client->arena, "%s", w->element));
}

/* Why the element cannot be watched; NULL: it is. */
static const char *try_watch(Dap *p, const char *element, const DebugWatch **out)
{
    Watching w = {.p = p, .element = element};
    const char *why = dap_attempt(p, watch, &w);

    *out = w.watch;
    return why;
}

/* "out" and "[3,7]" of the array's rows are "out[3,7]". */
static const char *element_named(const Dap *p, const char *name)
{
    int64_t number = want_whole_or(p, p->args, "variablesReference", 0);

    if (number == 0)
        return name;
    const Ticket *h = find_ticket(p, number);
    if (h->kind == TICKET_TILE && !h->tile && *name == '[')
        return arena_printf(p->scratch, "%s%s", h->expression, name);
    return name;
}

void request_dataBreakpointInfo(Dap *p)
{
    const char *element = element_named(p, want_text(p, p->args, "name"));
    const DebugWatch *w;
    const char *why = try_watch(p, element, &w);

    if (w)
        debug_delete(p->debugger, w->number);
    json_printable(&p->body, "dataId", why ? NULL : element);
    json_printable(&p->body, "description", why ? why : element);
    if (why)
        return;
    json_array(&p->body, "accessTypes");
    json_text(&p->body, NULL, "write");
    json_array_end(&p->body);
    json_bool(&p->body, "canPersist", true);
}

void request_setDataBreakpoints(Dap *p)
{
    const Got *all = want(p, p->args, "breakpoints", GOT_ARRAY);

    forget(p, NULL, true);
    json_array(&p->body, "breakpoints");
    for (int i = 0; i < got_length(all); i++) {
        const DebugWatch *w;
        const char *why = try_watch(p, want_text(p, got_item(all, i), "dataId"), &w);
        if (why) {
            put_unverified(p, why);
            continue;
        }
        note(p, w->number, NULL, true);
        json_object(&p->body, NULL);
        json_int(&p->body, "id", w->number);
        json_bool(&p->body, "verified", true);
        json_object_end(&p->body);
    }
    json_array_end(&p->body);
}
