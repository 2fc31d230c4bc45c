/*
 * look.c - requests that look: threads, calls, scopes, expressions
 *
 * A grid may have millions of programs, and an editor lists its threads at each stop: of many only
 * the first are told, `launch` says how many, and those in which the run has stood.  A program in
 * which it does not stand has one call, of the kernel, which has not begun or has ended.
 */
#include <ctype.h>
#include <string.h>

#include "inside.h"

/* --- tickets --- */

Ticket *new_ticket(Dap *p, TicketKind kind, int64_t *number)
{
    const Ticket h = {.kind = kind};

    vec_push(p->moment, &p->tickets, h);
    *number = p->first_ticket + p->tickets.len - 1;
    return &p->tickets.at[p->tickets.len - 1];
}

const Ticket *find_ticket(const Dap *p, int64_t number)
{
    int64_t i = number - p->first_ticket;

    if (i < 0 || i >= p->tickets.len)
        client_stop(p->client, CLIENT_USAGE,
                    "the number %lld is of no call and no variables at this stop",
                    (long long)number);
    return &p->tickets.at[i];
}

/* --- threads --- */

static void put_thread(Dap *p, int64_t program)
{
    int32_t at[3];

    program_at(program, p->launch->grid, at);
    json_object(&p->body, NULL);
    json_int(&p->body, "id", program + 1);
    json_text(&p->body, "name",
              arena_printf(p->scratch, "program (%d, %d, %d)", at[0], at[1], at[2]));
    json_object_end(&p->body);
}

void request_threads(Dap *p)
{
    bool runs = p->debugger && p->stage != OVER;
    const int32_t *grid = runs ? p->launch->grid : (const int32_t[3]){0};
    int64_t n = (int64_t)grid[0] * grid[1] * grid[2], first = MIN(n, p->most_threads);

    json_array(&p->body, "threads");
    for (int64_t i = 0; i < first; i++)
        put_thread(p, i);
    for (int i = 0; i < p->visited.len; i++) {
        if (runs && p->visited.at[i] >= first)
            put_thread(p, p->visited.at[i]);
    }
    json_array_end(&p->body);
}

/* --- calls --- */

static void put_call(Dap *p, const InterpPlace *at, const char *name, const Place *line)
{
    int64_t number;
    Ticket *h = new_ticket(p, TICKET_CALL, &number);

    h->at = *at;
    json_object(&p->body, NULL);
    json_int(&p->body, "id", number);
    json_printable(&p->body, "name", name);
    dap_put_place(p, &p->body, line);
    if (!at->frame)
        json_text(&p->body, "presentationHint", "subtle");
    json_object_end(&p->body);
}

/* Of a program in which the run does not stand. */
static void put_kernel(Dap *p, int64_t program)
{
    const InterpPlace nowhere = {0};
    bool is_before = program > p->stop->moment.program;
    const char *name = arena_printf(p->scratch, "%s (%s)", p->launch->kernel,
                                    is_before ? "has not begun" : "has ended");

    put_call(p, &nowhere, name, &p->kernel_at);
}

void request_stackTrace(Dap *p)
{
    int64_t program = want_whole(p, p->args, "threadId") - 1;
    int64_t first = want_whole_or(p, p->args, "startFrame", 0);
    int64_t levels = want_whole_or(p, p->args, "levels", 0), i = 0;
    InterpPlace at = p->stop->place;
    bool is_here = program == p->stop->moment.program && at.frame;

    json_array(&p->body, "stackFrames");
    for (bool is_more = is_here; is_more; is_more = interp_caller(&at), i++) {
        const Place line = debug_line(&at);
        if (i >= first && (levels <= 0 || i < first + levels))
            put_call(p, &at, debug_function(&at, p->scratch), &line);
    }
    if (!is_here && first <= 0)
        put_kernel(p, program);
    json_array_end(&p->body);
    json_int(&p->body, "totalFrames", is_here ? i : 1);
}

/* --- scopes --- */

static void put_scope(Dap *p, TicketKind kind, const InterpPlace *at, const char *name,
                      const char *hint)
{
    int64_t number;
    Ticket *h = new_ticket(p, kind, &number);

    h->at = *at;
    json_object(&p->body, NULL);
    json_text(&p->body, "name", name);
    json_text(&p->body, "presentationHint", hint);
    json_int(&p->body, "variablesReference", number);
    json_bool(&p->body, "expensive", false);
    json_object_end(&p->body);
}

/* The place of a call that the editor names; without one, where the run stands. */
static InterpPlace place_wanted(Dap *p, int64_t number)
{
    if (number == 0)
        return p->stop->place;
    const Ticket *h = find_ticket(p, number);
    if (h->kind != TICKET_CALL)
        client_stop(p->client, CLIENT_USAGE, "the number %lld is of no call", (long long)number);
    return h->at;
}

void request_scopes(Dap *p)
{
    const InterpPlace at = place_wanted(p, want_whole(p, p->args, "frameId"));

    json_array(&p->body, "scopes");
    if (at.frame)
        put_scope(p, TICKET_NAMES, &at, "Names", "locals");
    put_scope(p, TICKET_ARRAYS, &at, "Arrays", "globals");
    json_array_end(&p->body);
}

/* --- expressions --- */

/* Without blanks around it. */
static const char *trimmed(Arena *a, const char *s)
{
    static const char blanks[] = " \t\r\n";
    size_t n;

    s += strspn(s, blanks);
    for (n = strlen(s); n > 0 && strchr(blanks, s[n - 1]);)
        n--;
    return arena_strndup(a, s, n);
}

typedef struct {
    Dap *dap;
    DebugPicture of;
    double end; /* of the time that there is for it */
} Pictured;

static bool is_late(void *pictured)
{
    return os_seconds() > ((const Pictured *)pictured)->end;
}

static void put_picture(void *pictured, const DebugLaunch *fresh)
{
    Pictured *w = pictured;
    Dap *p = w->dap;
    const char *ended;
    const DebugAccessWish wish = {.launch = fresh, .interrupts = is_late, .ctx = w};
    const Accessed *x = debug_picture_take(p->debugger, &w->of, wish, &ended);
    Text t = text_new(p->scratch);

    text_put(&t, "");
    if (ended)
        text_printf(&t, "up to where it ended: %s", ended);
    debug_put_picture(p->debugger, &t, &w->of, x, -1);
    json_printable(&p->body, "result", t.s);
    json_text(&p->body, "type", "picture");
    json_int(&p->body, "variablesReference", 0);
}

/* `picture x access now`, of the debugger's console: nobody waits longer than some seconds. */
static bool evaluates_picture(Dap *p, const char *text)
{
    static const char command[] = "picture ";
    static const double most = 10;
    Pictured w = {.dap = p, .end = os_seconds() + most};

    if (strncmp(text, command, sizeof command - 1) != 0)
        return false;
    text += sizeof command - 1;
    if (!debug_picture_named(p->debugger, text + strspn(text, " \t"), &w.of))
        client_stop(p->client, CLIENT_USAGE,
                    "`picture` is of who reads and writes an array here: picture x access, picture "
                    "x access now, picture x programs");
    p->host->afresh(p->host->ctx, put_picture, &w);
    return true;
}

void request_evaluate(Dap *p)
{
    const char *text = want_text(p, p->args, "expression");
    const char *context = got_text(want_maybe(p, p->args, "context", GOT_TEXT));
    const InterpPlace at = place_wanted(p, want_whole_or(p, p->args, "frameId", 0));
    bool is_whole = context && (strcmp(context, "repl") == 0 || strcmp(context, "clipboard") == 0);
    const DebugValues none = {0};
    DebugValue v;

    text = trimmed(p->moment, text);
    if (!*text)
        client_stop(p->client, CLIENT_USAGE, "`expression` is empty");
    if (is_whole && evaluates_picture(p, text))
        return;
    if (!at.frame && p->stop->place.frame && !debug_array_named(p->debugger, text, &none))
        client_stop(p->client, CLIENT_USAGE,
                    "the run does not stand in this program: it has no "
                    "names yet, or none any more");
    debug_look_up(p->debugger, &at, text, p->moment, &v);
    dap_put_value(p, &p->body, "result", text, &v, is_whole);
}

/* --- completions --- */

static bool is_name_part(int c)
{
    return isalnum(c) || c == '_' || c >= 0x80;
}

static void put_completion(Dap *p, const char *name, int64_t start, int64_t length)
{
    json_object(&p->body, NULL);
    json_printable(&p->body, "label", name);
    json_text(&p->body, "type", "variable");
    json_int(&p->body, "start", start + p->first_column);
    json_int(&p->body, "length", length);
    json_object_end(&p->body);
}

/* Names that begin with what stands in front of the cursor; behind a point there are none. */
void request_completions(Dap *p)
{
    const char *text = want_text(p, p->args, "text");
    int64_t column = want_whole(p, p->args, "column") - p->first_column;
    const InterpPlace at = place_wanted(p, want_whole_or(p, p->args, "frameId", 0));
    int64_t end = MIN(MAX(column, 0), (int64_t)strlen(text)), begin = end;
    DebugValues names = {0};

    while (begin > 0 && is_name_part((unsigned char)text[begin - 1]))
        begin--;
    if (at.frame && (begin == 0 || text[begin - 1] != '.'))
        names = debug_names(p->debugger, &at, p->moment);
    json_array(&p->body, "targets");
    for (int i = 0; i < names.len; i++) {
        if (strncmp(names.at[i].name, text + begin, (size_t)(end - begin)) == 0)
            put_completion(p, names.at[i].name, begin, end - begin);
    }
    json_array_end(&p->body);
}
