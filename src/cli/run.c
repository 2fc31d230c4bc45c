/*
 * run.c - `tilec run`: launch a kernel once, save and show what came out, time it
 *
 * Results are those of the first run: timed runs, which may change their arrays again and again,
 * come after --save and --show.
 */
#include "cli.h"

#include <stdio.h>
#include <string.h>

enum { LEAST_RUNS = 5, MOST_RUNS = 10000 };
static const double budget = 1.0; /* seconds of timed runs when no number is given */

static void evaluate_grid(Cli *c, const Options *o, const Names *names, int32_t grid[3])
{
    Const v[3];
    int n;

    if (!o->grid)
        stop(c, CLI_USAGE, "how many programs? --grid E[,E[,E]] is missing");
    n = value_parse_list(c, names, "--grid", o->grid, v, 3);
    for (int i = 0; i < 3; i++) {
        grid[i] = 1;
        if (i >= n)
            continue;
        if (v[i].kind != CONST_INT || v[i].integer < 0 || v[i].integer > INT32_MAX)
            stop(c, CLI_USAGE,
                 "--grid: each value must be an integer from 0 to 2^31 - 1, not %s\n"
                 "    %s%s",
                 const_brief(&v[i], c->arena), o->grid,
                 v[i].kind == CONST_FLOAT
                     ? "\nhint: `/` gives a float; cdiv(A,B) divides and rounds up"
                     : "");
        grid[i] = (int32_t)v[i].integer;
    }
}

/* x[0], x['ptr']: an array in an argument. */
static const Array *array_inside(Cli *c, const Names *names, const char *option, const char *text)
{
    Const v = value_parse(c, names, option, text);
    const Array *array = value_array(&v);

    if (!array)
        stop(c, CLI_USAGE, "%s %s: it is %s, not an array", option, text, const_kind_name(&v));
    return array;
}

static const Array *find_array(Cli *c, const Names *names, const char *option, const char *name)
{
    if (strchr(name, '['))
        return array_inside(c, names, option, name);
    const char **known = NEW_N(c->arena, const char *, names->len + 1);

    for (int i = 0; i < names->len; i++) {
        known[i] = names->at[i].name;
        if (strcmp(known[i], name) != 0)
            continue;
        const Array *array = value_array(&names->at[i].value);
        if (!array)
            stop(c, CLI_USAGE, "%s %s: it is %s, not an array", option, name,
                 const_kind_name(&names->at[i].value));
        return array;
    }
    stop(c, CLI_USAGE, "%s %s: there is no such argument%s", option, name,
         hint_text(c->arena, name, known, names->len));
}

/* A kernel may run for hours: what it cannot be saved to is better known before. */
static void check_path(Cli *c, const Options *o, int i)
{
    const char *path = o->saves.at[i].path;
    int error = os_check_output(path);

    if (error)
        stop(c, CLI_FILES, "%s: %s", path, strerror(error));
    for (int k = 0; k < i; k++) {
        if (os_same_output(o->saves.at[k].path, path))
            stop(c, CLI_USAGE, "--save %s=%s: '%s' is saved to that file already",
                 o->saves.at[i].name, path, o->saves.at[k].name);
    }
}

/* Names and files are checked before anything runs. */
static void check_outputs(Cli *c, const Options *o, const Names *names)
{
    for (int i = 0; i < o->saves.len; i++)
        find_array(c, names, "--save", o->saves.at[i].name);
    for (int i = 0; i < o->shows.len; i++)
        find_array(c, names, "--show", o->shows.at[i]);
    for (int i = 0; i < o->saves.len; i++)
        check_path(c, o, i);
}

/* One that fails must not cost the others. */
static void write_outputs(Cli *c, const Options *o, const Names *names)
{
    Text t = text_new(c->arena);

    for (int i = 0; i < o->saves.len; i++) {
        const SaveText *save = &o->saves.at[i];
        int error = npy_save(c, save->path, find_array(c, names, "--save", save->name));
        if (error)
            complain(c, CLI_FILES, "'%s' could not be saved: %s: %s", save->name, save->path,
                     strerror(error));
    }
    for (int i = 0; i < o->shows.len; i++)
        show_array(&t, o->shows.at[i], find_array(c, names, "--show", o->shows.at[i]));
    if (o->shows.len > 0 && fputs(t.s, o->json ? stderr : stdout) == EOF)
        complain(c, CLI_FILES, "what --show prints could not be written");
}

/* What a launch tells beside its results. */
typedef struct {
    bool json;
    Counting counting;
} Listener;

/* What kernels print: on stdout, unless that is for JSON.  What failed is the error of the launch.
 */
static void hear(void *listener, const tilec_record *record)
{
    FILE *out = ((const Listener *)listener)->json ? stderr : stdout;

    if (record->kind == TILEC_RECORD_PRINT)
        print_line(out, record->text);
    if (record->kind == TILEC_RECORD_LOST)
        fprintf(stderr, "tilec: warning: %s\n", record->text);
}

static void hear_count(void *listener, const tilec_count *count)
{
    counting_add(&((Listener *)listener)->counting, count);
}

static double launch(Cli *c, const Options *o, const int32_t grid[3], const Arguments *a)
{
    char *error = NULL;
    double start = os_seconds();

    check(c, tilec_launch(c->file, o->kernel, grid, a->args, a->count, &o->launch, &error), &error);
    return o->launch.seconds ? *o->launch.seconds : os_seconds() - start;
}

/* Compile, then launch, so that only the kernel itself is blamed for what the launch reaches. */
static double launch_first(Cli *c, const Options *o, const int32_t grid[3], const Arguments *a)
{
    char *error = NULL;
    double start = os_seconds();

    check(c, tilec_prepare(c->file, o->kernel, a->args, a->count, &o->launch, &error), &error);
    crash_watch(c, o->kernel);
    launch(c, o, grid, a);
    crash_unwatch();
    return os_seconds() - start;
}

/* Runs until the number or the budget is used up; the first tenth only warms up. */
static void time_runs(Cli *c, const Options *o, const Arguments *a, Timing *t)
{
    double *seconds = NEW_N(c->arena, double, o->runs ? o->runs : MOST_RUNS);
    Progress p = progress_start("timing");
    crash_watch(c, o->kernel);
    double once = launch(c, o, t->grid, a), started;
    int wanted = o->runs ? o->runs : (int)MAX(LEAST_RUNS, MIN(MOST_RUNS, budget / once)), n;

    for (int i = 0; i < wanted / 10; i++)
        launch(c, o, t->grid, a);
    started = os_seconds();
    for (n = 0; n < wanted; n++) {
        if (!o->runs && n >= LEAST_RUNS && os_seconds() - started > budget)
            break;
        seconds[n] = launch(c, o, t->grid, a);
        progress_at(&p, (double)n / wanted);
    }
    crash_unwatch();
    progress_end(&p);
    timing_summary(t, seconds, n);
}

static void report(Cli *c, const Options *o, const Arguments *a, Timing *t)
{
    char *error = NULL;

    check(c,
          tilec_launch_stats(c->file, o->kernel, t->grid, a->args, a->count, &o->launch, &t->stats,
                             &error),
          &error);
    if (o->time)
        time_runs(c, o, a, t);
    fputs(o->json ? timing_json(c->arena, t) : timing_table(c->arena, t), stdout);
}

void command_run(Cli *c, int argc, char **argv)
{
    Options o = options_parse(c, COMMAND_RUN, argc, argv);
    Listener listener = {.json = o.json, .counting = {.arena = c->arena}};
    Timing t = {0};
    Arguments a;
    double seconds = 0;

    o.launch.on_message = tell;
    args_open_kernel(c, &o);
    a = args_evaluate(c, &o);
    args_add_defaults(c, &o, &a); /* R330: a grid sees all bound arguments */
    evaluate_grid(c, &o, &a.names, t.grid);
    check_outputs(c, &o, &a.names);
    t.kernel = o.kernel;
    t.device = o.launch.device ? o.launch.device : "cpu";
    c->device = o.launch.device;
    c->device_id = o.device_id;
    o.launch.seconds = move_there(c, &a) ? &seconds : NULL; /* the device's clock knows better */
    o.launch.on_record = hear;
    o.launch.on_count = o.count ? hear_count : NULL;
    o.launch.user = &listener;
    t.first = launch_first(c, &o, t.grid, &a);
    move_back(c);
    o.launch.on_message = NULL; /* it has said it */
    o.launch.on_record = NULL;
    o.launch.on_count = NULL;
    write_outputs(c, &o, &a.names);
    if (o.count && o.json)
        t.lines = counting_json(&listener.counting);
    else if (o.count)
        fputs(counting_table(&listener.counting), stdout);
    if (o.time || o.json)
        report(c, &o, &a, &t);
}
