/*
 * sweep.c - `tilec run --sweep`: every combination of the values that arguments list, timed
 *
 * A combination is a call of its own, whose arrays end with it; random ones are the same in all.
 * One that fails is told and costs no other, but the exit code.
 */
#include "cli.h"

#include <stdio.h>
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
        c->origin = arg->origin;
        const Axis axis = {arg->name, range_expand(c, arg->name, arg->text)};
        vec_push(c->arena, &out, axis);
    }
    c->origin = NULL;
    if (out.len == 0)
        stop(c, CLI_USAGE,
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
            stop(c, CLI_USAGE, "--sweep: there are more than %d combinations", MOST_POINTS);
    }
    return (int)n;
}

/* What is refused is of no use many times. */
static void check_sweep(Cli *c, const Options *o)
{
    if (o->saves.len > 0 || o->shows.len > 0 || o->count)
        stop(c, CLI_USAGE, "--sweep makes many calls: --save, --show and --count are for one");
    if (o->profile || o->trace)
        stop(c, CLI_USAGE, "--sweep makes many calls: --profile and --trace are for one");
}

/* The options of one combination; its values are also those of the row. */
static Options options_at(Cli *c, const Point *p)
{
    Options o = variant_of(c, p->options);
    int rest = p->number;

    for (int i = p->axes->len - 1; i >= 0; i--) {
        const Axis *axis = &p->axes->at[i];
        const char *text = axis->values.at[rest % axis->values.len];

        p->row->values[i] = text;
        variant_set(c, &o, axis->name, text);
        rest /= axis->values.len;
    }
    o.time = true;
    o.seconds = point_seconds;
    return o;
}

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
        stop(c, CLI_REFUSED, "%s", compare_text(c, &compared));
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

static void add_point(Cli *c, Point *p)
{
    int blocks = c->blocks.len;

    if (attempt(c, run_point, p))
        return;
    p->row->problem = c->trouble;
    p->row->problem_json = problem_kept(c);
    move_release(c, blocks);
    array_free_from(c, blocks);
    fprintf(stderr, "tilec: %s: %s\n", name_of(c, p->sweep, p->row),
            fails_as_before(p) ? "fails like the one before" : c->trouble);
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
    Progress p = progress_start("sweep");

    if (o->plot)
        plot_check(c, o->plot);
    for (int i = 0; i < points; i++) {
        Point point = {&open, &axes, &s, i, &s.rows[i]};
        add_point(c, &point);
        progress_at(&p, (double)(i + 1) / points);
    }
    progress_end(&p);
    sweep_rank(&s);
    if (o->plot)
        plot_sweep(c, &s, o->plot);
    fputs(o->json  ? sweep_json(c->arena, &s)
          : o->csv ? sweep_csv(c->arena, &s)
                   : sweep_table(c->arena, &s),
          stdout);
}
