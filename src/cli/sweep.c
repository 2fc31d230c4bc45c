/*
 * sweep.c - `tilec run --sweep`: every combination of the values that arguments list, timed
 *
 * A combination is a call of its own, in a process of its own, whose arrays end with it; random
 * ones are the same in all.  One that fails is told and costs no other, but the exit code.
 */
#include "call.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_POINTS = 10000 };
static const double point_seconds = 0.2; /* of timed runs, when no number is given */

/* An argument that lists values. */
typedef struct {
    const char *name;
    Values values;
} Axis;
typedef VEC(Axis) Axes;

typedef struct {
    const Options *options;
    const Axes *axes;
    Sweep *sweep;
    int number; /* of the combination, the last axis fastest */
    SweepRow *row;
} Point;

static Axes find_axes(Cli *c, const Options *o)
{
    Axes out = {0};

    for (int i = 0; i < o->args.len; i++) {
        const ArgText *arg = &o->args.at[i];

        if (!range_is_several(arg->text))
            continue;
        c->client.origin = arg->origin;
        const Axis axis = {arg->name, range_expand(&c->store, arg->name, arg->text)};
        vec_push(c->arena, &out, axis);
    }
    c->client.origin = NULL;
    if (out.len == 0)
        cli_stop(c, CLI_USAGE,
                 "--sweep: no argument has several values; write n=1024..65536*4, "
                 "n=0..100+10 or BLOCK=64,128,256");
    return out;
}

static int count_points(Cli *c, const Axes *axes)
{
    int64_t n = 1;

    for (int i = 0; i < axes->len; i++) {
        n *= axes->at[i].values.len;
        if (n > MOST_POINTS)
            cli_stop(c, CLI_USAGE, "--sweep: there are more than %d combinations", MOST_POINTS);
    }
    return (int)n;
}

/* What is refused is of no use many times. */
static void check_sweep(Cli *c, const Options *o)
{
    if (o->saves.len > 0 || o->shows.len > 0 || o->count)
        cli_stop(c, CLI_USAGE, "--sweep makes many calls: --save, --show and --count are for one");
    if (o->profile || o->trace)
        cli_stop(c, CLI_USAGE, "--sweep makes many calls: --profile and --trace are for one");
}

static void choose_values(const Point *p)
{
    int rest = p->number;

    for (int i = p->axes->len - 1; i >= 0; i--) {
        const Values *values = &p->axes->at[i].values;

        p->row->values[i] = values->at[rest % values->len];
        rest /= values->len;
    }
}

/* The options of one combination. */
static Options options_at(Cli *c, const Point *p)
{
    Options o = variant_of(c, p->options);

    for (int i = p->axes->len - 1; i >= 0; i--)
        variant_set(c, &o, p->axes->at[i].name, p->row->values[i]);
    o.time = true;
    o.seconds = point_seconds;
    return o;
}

/* A call, with the time that it takes as the result. */
static void run_point(Cli *c, void *point)
{
    const Point *p = point;
    const Options o = options_at(c, p);
    Comparisons compared;
    Call k;

    call_init(&k, c, &o);
    k.silent = p->number > 0;
    call_open(&k);
    call_evaluate(&k);
    compared = compare_prepare(&k);
    call_launch(&k);
    if (!compare_finish(&k, &compared))
        cli_stop(c, CLI_REFUSED, "%s", comparison_text(&c->store, &compared));
    timing_measure(&k);
    p->row->timing = k.timing;
    p->sweep->kernel = k.timing.kernel;
    p->sweep->device = k.timing.device;
    call_close(&k);
}

/* "n=1024 BLOCK=64" */
static const char *name_of(Cli *c, const Sweep *s, const SweepRow *row)
{
    Text t = text_new(c->arena);

    text_put(&t, "");
    for (int i = 0; i < s->nnames; i++)
        text_printf(&t, "%s%s=%s", i ? " " : "", s->names[i], row->values[i]);
    return t.s;
}

/* The whole text again would bury what is said once. */
static bool fails_as_before(const Point *p)
{
    const char *before = p->number > 0 ? p->row[-1].problem : NULL;

    return before && strcmp(before, p->row->problem) == 0;
}

/* --- points in processes of their own, which a kernel may end --- */

/* What a child tells: the bytes of its Timing as digits, or behind FAILED the exit code, what
 * stopped it, and the same as JSON.  All that a Timing points to is older than the child, but for
 * `tuned`. */
#define FAILED "!"
#define SEPARATOR "\x1e"

static void put_bytes(Text *t, const void *from, size_t n)
{
    for (size_t i = 0; i < n; i++)
        text_printf(t, "%02x", ((const unsigned char *)from)[i]);
}

static void take_bytes(const char *text, void *to, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const char digits[] = {text[2 * i], text[2 * i + 1], '\0'};
        ((unsigned char *)to)[i] = (unsigned char)strtoul(digits, NULL, 16);
    }
}

static const char *tell_point(Cli *c, void *point)
{
    const Point *p = point;
    Text t = text_new(c->arena);

    if (!cli_attempt(c, run_point, point))
        return arena_printf(c->arena, FAILED "%d" SEPARATOR "%s" SEPARATOR "%s", (int)c->code,
                            c->trouble, problem_kept(c));
    p->row->timing.tuned = NULL;
    put_bytes(&t, &p->row->timing, sizeof p->row->timing);
    return t.s;
}

static void take_failure(Cli *c, SweepRow *row, const char *text)
{
    const char *trouble = strstr(text, SEPARATOR) + 1, *json = strstr(trouble, SEPARATOR);

    c->code = (CliCode)atoi(text + strlen(FAILED));
    row->problem = arena_strndup(c->arena, trouble, (size_t)(json - trouble));
    row->problem_json = json + 1;
}

static bool measure_apart(Cli *c, Point *p)
{
    const char *text;

    if (!trial_run(c, 0, tell_point, p, &text)) {
        c->code = CLI_REFUSED;
        p->row->problem = text;
        p->row->problem_json = problem_of_fault(c, text, CLI_REFUSED);
        return false;
    }
    if (!text || strncmp(text, FAILED, strlen(FAILED)) == 0) {
        take_failure(c, p->row, text ? text : FAILED "1" SEPARATOR "out of memory" SEPARATOR "{}");
        return false;
    }
    take_bytes(text, &p->row->timing, sizeof p->row->timing);
    p->sweep->kernel = p->row->timing.kernel;
    p->sweep->device = p->row->timing.device;
    return true;
}

/* False: the row says why it has no time. */
static bool measure_point(Cli *c, Point *p)
{
    if (trial_is_needed(p->options))
        return measure_apart(c, p);
    if (cli_attempt(c, run_point, p))
        return true;
    p->row->problem = c->trouble;
    p->row->problem_json = problem_kept(c);
    return false;
}

static void add_point(Cli *c, Point *p)
{
    int blocks = c->store.blocks.len;

    choose_values(p);
    if (measure_point(c, p))
        return;
    move_release(c, blocks);
    array_free_from(&c->store, blocks);
    if (interrupt_noted())
        return;
    terminal_say_trouble("tilec: %s: %s\n", name_of(c, p->sweep, p->row),
                         fails_as_before(p) ? "fails like the one before" : p->row->problem);
}

static Sweep sweep_of(Cli *c, const Axes *axes, int points)
{
    Sweep s = {.nnames = axes->len,
               .names = NEW_N(c->arena, const char *, axes->len),
               .rows = NEW_N(c->arena, SweepRow, points),
               .nrows = points};

    for (int i = 0; i < axes->len; i++)
        s.names[i] = axes->at[i].name;
    for (int i = 0; i < points; i++)
        s.rows[i].values = NEW_N(c->arena, const char *, axes->len);
    return s;
}

void sweep_run(Cli *c, const Options *o)
{
    check_sweep(c, o);
    const Axes axes = find_axes(c, o);
    int points = count_points(c, &axes);
    Options open = *o; /* the file stays open, for what is asked of the kernel */
    args_open_kernel(c, &open);
    Sweep s = sweep_of(c, &axes, points);
    Progress p = progress_start(c->quiet, "sweep");

    if (o->plot)
        plot_check(&c->client, o->plot);
    interrupt_defer(true); /* what was measured is told */
    for (int i = 0; i < s.nrows; i++) {
        Point point = {&open, &axes, &s, i, &s.rows[i]};
        add_point(c, &point);
        progress_at(&p, (double)(i + 1) / points);
        if (interrupt_noted())
            s.nrows = s.rows[i].problem ? i : i + 1; /* the signal has ended it, too */
    }
    interrupt_defer(false);
    progress_end(&p);
    sweep_rank(&s);
    if (o->plot && s.nrows > 0)
        plot_sweep(&c->client, &s, o->plot);
    fputs(o->json  ? sweep_json(c->arena, &s)
          : o->csv ? sweep_csv(c->arena, &s)
                   : sweep_table(c->arena, &s),
          stdout);
    if (!interrupt_noted())
        return;
    fflush(stdout);
    terminal_say("tilec stopped: %d of %d combinations are measured\n", s.nrows, points);
    interrupt_end();
}
