/*
 * call.c - one call of a kernel: its file, arguments and grid, the launch, and what it told
 *
 * What a command line says comes in as Options, and a Call takes them step by step to results in
 * the host's arrays.  Results are those of the first run; further ones, which may change their
 * arrays again and again, say nothing.
 */
#define _GNU_SOURCE /* asprintf */
#include "call.h"

#include <stdio.h>
#include <string.h>

void call_init(Call *k, Cli *c, const Options *o)
{
    *k = (Call){.cli = c,
                .options = *o,
                .counting = {.arena = c->arena},
                .trace = {.arena = c->arena},
                .first_block = c->store.blocks.len};
    if (!c->each) /* else what is told is kept for later */
        c->tells = o->json || save_uses_stdout(c->arena, &o->saves) ? stderr : stdout;
    k->timing.device = o->launch.device ? o->launch.device : "cpu";
}

/* What the compiler says, and what is said of the launch. */
static void hear_message(void *call, const char *text)
{
    Cli *c = ((Call *)call)->cli;

    c->warned |= cli_is_warning(text);
    cli_tell(NULL, text);
}

void call_open(Call *k)
{
    if (k->options.profile)
        profiled_check(k->cli, &k->options);
    k->options.launch.on_message = k->silent || k->again || k->cli->quiet ? NULL : hear_message;
    k->options.launch.user = k;
    args_open_kernel(k->cli, &k->options);
    k->timing.kernel = k->options.kernel;
    k->last_words = crash_words(k->cli, k->options.kernel, k->options.launch.check);
}

/* --- evaluating --- */

/* What was most likely meant, as a line of its own, or "". */
static const char *grid_hint(const Const *v, const char *text)
{
    bool divides = strchr(text, '/') && !strstr(text, "//");

    if (v->kind == CONST_FLOAT && !divides)
        return "\nhint: with a point or an `e` a number is a float, and so is what is computed of "
               "it: int(1e6) is none";
    if (v->kind == CONST_FLOAT)
        return "\nhint: `/` gives a float; cdiv(A,B) divides and rounds up";
    if (v->kind == CONST_FUNCTION)
        return "\nhint: write what it computes, with the arguments' names: cdiv(n,BLOCK)";
    if (const_items(v, &(const Const *){NULL}, &(int){0}))
        return "\nhint: the extents stand side by side, without brackets: 4 or 4,8";
    return v->kind == CONST_STRING ? "\nhint: without quotes it is an expression" : "";
}

/* R330: it sees all bound arguments. */
void call_evaluate_grid(Cli *c, void *call)
{
    Call *k = call;
    const char *text = k->options.grid;
    Const v[3];
    int n;

    if (!text)
        cli_stop(c, CLI_USAGE,
                 "how many programs? --grid E[,E[,E]] is missing\n"
                 "hint: `tilec list %s` shows a call that can be copied",
                 shown_name(c->arena, k->options.file));
    c->client.origin = k->options.grid_origin;
    n = value_parse_list(&c->store, &k->args.names, "--grid", text, v, 3);
    for (int i = 0; i < 3; i++) {
        k->timing.grid[i] = 1;
        if (i >= n)
            continue;
        if (v[i].kind != CONST_INT || v[i].integer < 0 || v[i].integer > INT32_MAX)
            cli_stop(c, CLI_USAGE,
                     "--grid: each value must be an integer from 0 to 2^31 - 1, not %s\n"
                     "    %s%s",
                     const_brief(&v[i], c->arena), text, grid_hint(&v[i], text));
        k->timing.grid[i] = (int32_t)v[i].integer;
    }
    c->client.origin = NULL;
}

void call_evaluate(Call *k)
{
    k->args = args_evaluate(k->cli, &k->options);
    tuned_use(k);
    args_add_defaults(k->cli, &k->options, &k->args);
    k->end_block = k->cli->store.blocks.len;
    call_evaluate_grid(k->cli, k);
}

/* --- launching --- */

/* What kernels print: on stdout, unless that is for JSON.  What failed is the error of the launch.
 */
static void hear(void *call, const tilec_record *record)
{
    FILE *out = ((const Call *)call)->cli->tells;

    if (record->kind == TILEC_RECORD_PRINT)
        terminal_line(out, record->text);
    if (record->kind == TILEC_RECORD_LOST)
        terminal_say("tilec: warning: %s\n", record->text);
}

static void hear_count(void *call, const tilec_count *count)
{
    counting_add(&((Call *)call)->counting, count);
}

/* A launch beside others, whose files have a line already, and one in silence have none. */
static int hear_progress(void *call, const tilec_progress *t)
{
    Call *k = call;

    timeout_check(k, t);
    if (k->silent || k->cli->share)
        progress_warn_of_launch(&k->progress, k->timing.grid, t);
    else
        progress_of_launch(&k->progress, k->timing.grid, t);
    if (t->ended >= 0 && k->cli->share)
        atomic_store(k->cli->share, (int)(1000 * t->ended / MAX(t->programs, 1)));
    return 0;
}

/* Of further runs. */
static int hear_time(void *call, const tilec_progress *t)
{
    timeout_check(call, t);
    return 0;
}

static void hear_span(void *call, const tilec_span *span)
{
    trace_add(&((Call *)call)->trace, span);
}

static void listen(Call *k)
{
    tilec_launch_options *o = &k->options.launch;

    o->on_record = k->silent ? NULL : hear;
    o->on_progress = hear_progress;
    o->on_count = k->options.count ? hear_count : NULL;
    o->on_span = k->options.trace ? hear_span : NULL;
    o->user = k;
}

static void stop_listening(Call *k)
{
    k->options.launch.on_message = NULL; /* it has said it */
    k->options.launch.on_record = NULL;
    k->options.launch.on_count = NULL;
    k->options.launch.on_span = NULL;
    k->options.launch.on_progress = k->options.timeout > 0 ? hear_time : NULL;
}

/* An argument that is a tuple without brackets, as values of a sweep are written; NULL. */
static const ArgText *bare_tuple(Cli *c, const Options *o)
{
    for (int i = 0; i < o->args.len; i++) {
        const char *rest = o->args.at[i].text;

        if (!rest || !value_next_part(c->arena, &rest) || !value_next_part(c->arena, &rest))
            continue;
        return &o->args.at[i];
    }
    return NULL;
}

/* x=[1,2,3]; NULL. */
static const ArgText *list_of_values(const Options *o)
{
    for (int i = 0; i < o->args.len; i++) {
        if (o->args.at[i].text && o->args.at[i].text[0] == '[')
            return &o->args.at[i];
    }
    return NULL;
}

static void add_tuple_hint(Call *k, char **error)
{
    const ArgText *bare = bare_tuple(k->cli, &k->options);
    const ArgText *t = bare ? bare : list_of_values(&k->options);
    char *with_hint;

    if (!t || !*error ||
        asprintf(&with_hint,
                 bare ? "%shint: %s=%s is one tuple; --sweep runs each of its values\n"
                      : "%shint: %s=%s is a tuple; an array of values stands in a "
                        "file, @x.csv or @x.npy\n",
                 *error, t->name, t->text) < 0)
        return;
    tilec_free(*error);
    *error = with_hint;
}

static void check_call(Call *k, tilec_status status, char **error)
{
    if (status == TILEC_REFUSED)
        add_tuple_hint(k, error);
    cli_check(k->cli, status, error);
}

double call_again(Call *k)
{
    const Options *o = &k->options;
    char *error = NULL;
    double seconds, start;
    tilec_status status;

    k->cli->launched = true;
    crash_watch(&k->last_words);
    start = os_seconds();
    status = tilec_launch(k->cli->file, o->kernel, k->timing.grid, k->there, k->args.count,
                          &o->launch, &error);
    seconds = os_seconds() - start;
    crash_unwatch();
    progress_end(&k->progress);
    check_call(k, status, &error);
    return o->launch.seconds ? k->seconds : seconds;
}

/* Compile, so that only the kernel itself is blamed for what the launch reaches. */
static double prepare(Call *k)
{
    const Options *o = &k->options;
    char *error = NULL;
    double start = os_seconds();
    tilec_status status =
        tilec_prepare(k->cli->file, o->kernel, k->there, k->args.count, &o->launch, &error);

    check_call(k, status, &error);
    return os_seconds() - start;
}

void call_count(Call *k)
{
    const Options *o = &k->options;
    char *error = NULL;

    cli_check(k->cli,
              tilec_launch_stats(k->cli->file, o->kernel, k->timing.grid, k->there, k->args.count,
                                 &o->launch, &k->timing.stats, &error),
              &error);
}

static double launch_first(Call *k)
{
    double start = os_seconds();

    k->progress = progress_start(k->cli->quiet, k->options.kernel);
    call_again(k);
    return os_seconds() - start;
}

static void write_trace(Call *k)
{
    k->trace.device = k->timing.device;
    memcpy(k->trace.grid, k->timing.grid, sizeof k->trace.grid);
    int error = trace_write(&k->trace, k->options.trace);

    if (error)
        cli_complain(k->cli, CLI_FILES, "the trace could not be saved: %s: %s",
                     shown_name(k->cli->arena, k->options.trace), os_error_text(error));
}

void call_launch(Call *k)
{
    double start = os_seconds();

    if (move_there(k)) {
        k->options.launch.seconds = &k->seconds; /* the device's clock knows better */
        trace_copy(&k->trace, "copy to the device", start, move_bytes(k));
    }
    listen(k);
    k->timing.first = prepare(k);
    if (k->options.time) {
        call_count(k);
        fresh_keep(k);
    }
    overwritten_watch(k);
    unwritten_watch(k);
    k->first_seconds = launch_first(k);
    k->timing.first += k->first_seconds;
    stop_listening(k);
    start = os_seconds();
    move_back(k);
    if (k->options.launch.seconds)
        trace_copy(&k->trace, "copy from the device", start, move_bytes(k));
    if (k->options.trace)
        write_trace(k);
    fresh_settle(k);
}

void call_close(Call *k)
{
    move_release(k->cli, k->first_block);
    array_free_from(&k->cli->store, k->first_block);
}
