/*
 * session.c - requests by name, and the life of a session: launch, run, end
 *
 * `launch` makes ready what is wanted and lets the run come to its first statement, where
 * breakpoints can be set; then it is answered, and the editor told that it may.  The run begins
 * with `configurationDone`.  While it goes on the stream is looked at now and then.
 */
#include <string.h>

#include "inside.h"

enum { OPS_A_LOOK = 256, FEW_THREADS = 64, MOST_THREADS = 10000, MOST_VISITED = 1000 };

/* --- memory --- */

/* Where the arenas leave. */
static void set_guard(Dap *p, Guard *guard)
{
    p->guard = guard;
    if (p->scratch)
        arena_set_guard(p->scratch, guard);
    if (p->moment)
        arena_set_guard(p->moment, guard);
}

/* Do `work` with a scratch of its own.  Without memory the session ends. */
static void guarded(Dap *p, void (*work)(Dap *p, const void *what), const void *what)
{
    Guard guard = {0}, *outer = p->guard;
    Arena *scratch = p->scratch;

    p->scratch = NULL;
    if (setjmp(guard.env) == 0) {
        p->scratch = arena_new(&guard);
        set_guard(p, &guard);
        work(p, what);
    } else {
        p->ends = p->has_left = true;
    }
    arena_free(p->scratch);
    p->scratch = scratch;
    set_guard(p, outer);
}

typedef struct {
    Dap *p;
    void (*work)(void *what);
    void *what;
} Attempt;

static void run_attempt(void *attempt)
{
    const Attempt *a = attempt;
    Guard guard = {0};

    if (setjmp(guard.env) != 0)
        client_stop(a->p->client, CLIENT_REFUSED, "out of memory");
    set_guard(a->p, &guard);
    a->work(a->what);
}

const char *dap_attempt(Dap *p, void (*work)(void *what), void *what)
{
    Guard *outer = p->guard;
    const char *why = p->host->attempt(p->host->ctx, run_attempt, &(Attempt){p, work, what});

    set_guard(p, outer);
    return why;
}

/* --- the beginning --- */

static void put_filter(Text *t, const char *name, const char *label, const char *text)
{
    json_object(t, NULL);
    json_text(t, "filter", name);
    json_text(t, "label", label);
    json_text(t, "description", text);
    json_bool(t, "default", false);
    json_object_end(t);
}

static void request_initialize(Dap *p)
{
    static const char *const can[] = {
        "supportsConfigurationDoneRequest", "supportsConditionalBreakpoints",
        "supportsFunctionBreakpoints",      "supportsDataBreakpoints",
        "supportsEvaluateForHovers",        "supportsStepBack",
        "supportsExceptionInfoRequest",     "supportsTerminateRequest",
        "supportsDelayedStackTraceLoading", "supportsClipboardContext",
        "supportsCompletionsRequest",       "supportsLogPoints",
        "supportsHitConditionalBreakpoints"};
    const Got *lines = want_maybe(p, p->args, "linesStartAt1", GOT_BOOL);
    const Got *columns = want_maybe(p, p->args, "columnsStartAt1", GOT_BOOL);

    p->first_line = !lines || got_is_true(lines);
    p->first_column = !columns || got_is_true(columns);
    for (int i = 0; i < COUNT(can); i++)
        json_bool(&p->body, can[i], true);
    json_array(&p->body, "exceptionBreakpointFilters");
    put_filter(&p->body, "nan", "NaN", "an operation makes NaN of operands without");
    put_filter(&p->body, "inf", "infinities", "an operation makes an infinity of finite operands");
    json_array_end(&p->body);
}

/* FILE[:KERNEL] and the words of `args`. */
static DapWanted wanted_of(const Dap *p)
{
    Arena *a = p->client->arena; /* the launch keeps its words */
    const char *program = want_text(p, p->args, "program");
    const char *kernel = got_text(want_maybe(p, p->args, "kernel", GOT_TEXT));
    const char *folder = got_text(want_maybe(p, p->args, "cwd", GOT_TEXT));
    const Got *args = want_maybe(p, p->args, "args", GOT_ARRAY);
    VEC(const char *) words = {0};

    vec_push(a, &words,
             kernel && *kernel ? arena_printf(a, "%s:%s", program, kernel)
                               : arena_printf(a, "%s", program));
    for (int i = 0; i < got_length(args); i++) {
        const char *word = got_text(got_item(args, i));
        if (!word)
            client_stop(p->client, CLIENT_USAGE, "each of `args` is to be a string");
        vec_push(a, &words, arena_printf(a, "%s", word));
    }
    return (DapWanted){folder ? arena_printf(a, "%s", folder) : NULL, words.at, words.len};
}

static bool wants(const Dap *p, const char *name)
{
    return got_is_true(want_maybe(p, p->args, name, GOT_BOOL));
}

static void request_launch(Dap *p)
{
    const DapWanted wanted = wanted_of(p);

    p->only_runs = wants(p, "noDebug");
    p->stops_on_entry = wants(p, "stopOnEntry") && !p->only_runs;
    p->stops_at_end = wants(p, "stopAtEnd") && !p->only_runs;
    p->most_threads = MIN(MAX(want_whole_or(p, p->args, "threads", FEW_THREADS), 1), MOST_THREADS);
    if (p->is_tried)
        client_stop(p->client, CLIENT_USAGE, "a session launches once");
    p->is_tried = true;
    p->launch = p->host->prepare(p->host->ctx, &wanted);
    p->answers_later = true;
}

static void request_configurationDone(Dap *p)
{
    if (p->is_configured)
        client_stop(p->client, CLIENT_USAGE, "the run has begun already");
    if (p->only_runs && p->stop->why != DEBUG_ENDED)
        debug_go_to_end(p->debugger);
    else if (!p->stops_on_entry && p->stop->why != DEBUG_ENDED)
        debug_restart(p->debugger);
    p->is_configured = p->moves = true;
}

/* --- the end --- */

static void request_terminate(Dap *p)
{
    p->ends = p->stage != BEFORE;
}

static void request_disconnect(Dap *p)
{
    p->ends = p->has_left = true;
}

/* --- requests --- */

static const struct {
    const char *name;
    int stages; /* in which it makes sense */
    void (*run)(Dap *p);
} requests[] = {
#define ROW(name, stages) {#name, stages, request_##name},
    ROW(initialize, ALWAYS) ROW(launch, BEFORE) ROW(configurationDone, STANDS)
        ROW(terminate, ALWAYS) ROW(disconnect, ALWAYS) REQUESTS(ROW)
#undef ROW
};

static const char *stage_text(Stage stage)
{
    switch (stage) {
    case BEFORE:
        return "nothing was launched yet";
    case RUNS:
        return "the run goes on: pause it first";
    case STANDS:
        return "the run has begun already";
    default:
        return "the launch is over";
    }
}

typedef struct {
    Dap *p;
    const Got *message;
    const char *command;
} Request;

static void run_request(void *request)
{
    const Request *r = request;
    Dap *p = r->p;

    p->args = want_maybe(p, r->message, "arguments", GOT_OBJECT);
    for (int i = 0; i < COUNT(requests); i++) {
        if (strcmp(requests[i].name, r->command) != 0)
            continue;
        if (!(requests[i].stages & (int)p->stage))
            client_stop(p->client, CLIENT_USAGE, "%s", stage_text(p->stage));
        requests[i].run(p);
        return;
    }
    client_stop(p->client, CLIENT_USAGE, "there is no request `%s` here", r->command);
}

/* What is no request is told, since nobody waits for an answer to it. */
static const char *problem_of(const Got *message, int64_t *seq)
{
    const char *type = got_text(got_member(message, "type"));

    if (got_kind(message) != GOT_OBJECT)
        return "a message is to be an object";
    if (!type || strcmp(type, "request") != 0)
        return "a message is to have `type` \"request\"";
    if (!got_whole(got_member(message, "seq"), seq))
        return "a request is to have a whole number `seq`";
    if (!got_text(got_member(message, "command")))
        return "a request is to have a string `command`";
    return NULL;
}

static void obey(Dap *p, const void *got)
{
    const Got *message = got;
    int64_t seq = 0;
    const char *type = got_text(got_member(message, "type"));
    bool is_answer = type && strcmp(type, "response") == 0; /* nothing was asked */
    const char *problem = is_answer ? NULL : problem_of(message, &seq);
    Request r = {p, message, got_text(got_member(message, "command"))};

    if (problem)
        send_output(p, "stderr", problem);
    if (problem || is_answer)
        return;
    p->body = text_new(p->scratch);
    p->answers_later = false;
    p->why = dap_attempt(p, run_request, &r);
    p->moves = p->moves && !p->why;
    if (p->answers_later && !p->why) {
        p->launch_waits = true;
        p->launch_seq = seq;
    } else {
        send_answer(p, seq, r.command);
    }
    p->args = NULL;
}

static void complain_of_json(Dap *p, const void *why)
{
    send_output(p, "stderr",
                arena_printf(p->scratch, "a message is no JSON: %s", (const char *)why));
}

static void complain(Dap *p, const void *text)
{
    send_output(p, "stderr", text);
}

/* One message, if one has come, or else bytes of one.  False: there is nothing, which only happens
 * unless it waits, or no more will come. */
static bool take_message(Dap *p, bool waits)
{
    const char *body = NULL, *why = NULL;
    size_t n = 0, room;
    char *to;
    long got;

    switch (stream_next(&p->stream, &body, &n, &why)) {
    case STREAM_GARBLED:
        guarded(p, complain, why);
        return true;
    case STREAM_MESSAGE: {
        Got *message = got_parse(body, n, &why);
        if (message)
            guarded(p, obey, message);
        else
            guarded(p, complain_of_json, why);
        got_free(message);
        return true;
    }
    default:
        to = stream_room(&p->stream, &room);
        got = to ? p->host->read(p->host->ctx, to, room, waits) : -1;
        if (got < 0)
            p->ends = p->has_left = true;
        else
            stream_add(&p->stream, (size_t)got);
        return got > 0;
    }
}

/* --- the run stands still --- */

static const char *reason_text(DebugWhy why)
{
    static const char *const texts[] = {[DEBUG_BEGINS] = "entry",
                                        [DEBUG_STEPPED] = "step",
                                        [DEBUG_CAME] = "goto",
                                        [DEBUG_BREAKPOINT] = "breakpoint",
                                        [DEBUG_WRITTEN] = "data breakpoint",
                                        [DEBUG_CAUGHT] = "exception",
                                        [DEBUG_INTERRUPTED] = "pause",
                                        [DEBUG_FAULT] = "exception",
                                        [DEBUG_ENDED] = "end"};

    return texts[why];
}

static void tell_stop(Dap *p, const void *unused)
{
    const DebugStop *s = p->stop;
    Text t = event_new(p, "stopped");

    (void)unused;
    json_text(&t, "reason", reason_text(s->why));
    if (s->why == DEBUG_FAULT)
        json_text(&t, "description", "the launch fails here");
    if (s->why == DEBUG_ENDED)
        json_text(&t, "description", "the launch has ended");
    if (s->text)
        json_printable(&t, "text", s->text);
    json_int(&t, "threadId", s->moment.program + 1);
    json_bool(&t, "allThreadsStopped", true);
    if (s->number > 0) {
        json_array(&t, "hitBreakpointIds");
        json_int(&t, NULL, s->number);
        json_array_end(&t);
    }
    event_send(p, &t);
}

/* The launch is answered where its run first stands. */
static void answer_launch(Dap *p, const void *why)
{
    p->why = why;
    p->body = text_new(p->scratch);
    send_answer(p, p->launch_seq, "launch");
    p->launch_waits = false;
    if (why)
        return;
    Text t = event_new(p, "initialized");
    event_send(p, &t);
}

static void note_kernel(Dap *p)
{
    InterpPlace at = p->stop->place;

    if (!at.frame)
        return;
    while (interp_caller(&at))
        continue;
    const Func *f = interp_func(at.frame);
    p->kernel_at = source_place(f->module->sources, f->span.start);
}

static void note_program(Dap *p)
{
    int64_t program = p->stop->moment.program;

    for (int i = 0; i < p->visited.len; i++) {
        if (p->visited.at[i] == program)
            return;
    }
    if (p->visited.len < MOST_VISITED)
        vec_push(p->client->arena, &p->visited, program);
}

static void begin_moment(Dap *p)
{
    p->first_ticket += p->tickets.len;
    memset(&p->tickets, 0, sizeof p->tickets);
    arena_free(p->moment);
    p->moment = arena_new(NULL);
    if (!p->moment)
        p->ends = p->has_left = true;
}

/* Obey until a request lets the run go on. */
static void stand(Dap *p)
{
    p->moves = false;
    p->stage = STANDS;
    while (!p->moves && !p->ends)
        take_message(p, true);
    p->stage = RUNS;
    if (p->ends)
        debug_end(p->debugger);
}

static void stopped(void *dap, const DebugStop *stop)
{
    Dap *p = dap;
    bool is_first = p->launch_waits;

    p->stop = stop;
    begin_moment(p);
    if (is_first && !p->ends) {
        note_kernel(p);
        guarded(p, answer_launch, NULL);
        stand(p);
        if (p->ends || (!p->stops_on_entry && stop->why != DEBUG_ENDED))
            return;
    }
    if (stop->why == DEBUG_ENDED && !p->stops_at_end)
        return;
    if (stop->why == DEBUG_FAULT && p->only_runs) {
        guarded(p, complain, stop->text);
        p->exit_code = 1;
        return;
    }
    note_program(p);
    if (!p->ends)
        guarded(p, tell_stop, NULL);
    stand(p);
}

static bool holds(void *dap, const InterpPlace *at, const char *condition)
{
    Dap *p = dap;
    const char *why = NULL;
    bool is_so = debug_holds(p->debugger, at, condition, &why);

    if (why)
        guarded(p, complain, why);
    return is_so;
}

static void tell_print(Dap *p, const void *text)
{
    send_output(p, "stdout", text);
}

static void printed(void *dap, const char *text)
{
    guarded(dap, tell_print, text);
}

static void tell_log(Dap *p, const void *text)
{
    send_output(p, "console", text);
}

static void logged(void *dap, const char *text)
{
    guarded(dap, tell_log, text);
}

static void said(void *dap, const char *text)
{
    guarded(dap, complain, text);
}

static const char *attempt(void *dap, void (*work)(void *what), void *what)
{
    return dap_attempt(dap, work, what);
}

static bool interrupts(void *dap)
{
    Dap *p = dap;

    if (++p->ops % OPS_A_LOOK != 0)
        return false;
    while (!p->ends && take_message(p, false))
        continue;
    bool stops = p->pauses || p->ends;
    p->pauses = false;
    return stops;
}

/* --- a session --- */

static void tell_end(Dap *p, const void *error)
{
    if (error)
        send_output(p, "stderr", error);
    Text t = event_new(p, "exited");
    json_int(&t, "exitCode", error ? 1 : p->exit_code);
    event_send(p, &t);
    t = event_new(p, "terminated");
    event_send(p, &t);
}

static void run(Dap *p)
{
    const DebugHost host = {.ctx = p,
                            .stopped = stopped,
                            .holds = holds,
                            .printed = printed,
                            .logged = logged,
                            .said = said,
                            .interrupts = interrupts,
                            .attempt = attempt};
    char *error = NULL;

    p->debugger = debug_new(p->client, p->launch, &host);
    p->stage = RUNS;
    tilec_status status = debug_run(p->debugger, &error);
    const char *why = status == TILEC_OK ? NULL : error ? error : tilec_status_text(status);
    p->stage = OVER;
    p->ends = false;
    if (p->launch_waits)
        guarded(p, answer_launch, why);
    else if (!p->has_left)
        guarded(p, tell_end, why);
    debug_free(p->debugger);
    p->debugger = NULL;
    tilec_free(error);
}

void dap_run(Client *client, const DapHost *host)
{
    Dap p = {.client = client,
             .host = host,
             .stage = BEFORE,
             .first_line = 1,
             .first_column = 1,
             .first_ticket = 1};

    while (!p.has_left && !p.launch_waits)
        take_message(&p, true);
    if (!p.has_left)
        run(&p);
    while (!p.has_left)
        take_message(&p, true);
    arena_free(p.moment);
    stream_free(&p.stream);
}
