/*
 * against.c - `tilec run --against`: a call and another version of it, which is as fast?
 *
 * The other version is another kernel, or the same one with other values.  What does not depend on
 * these is shared, so both work on the same memory; it is put back wherever one could see what the
 * other, or a run before, has left.  First each runs once and the results are compared.  Then both
 * are timed in turns, the order changing from round to round, so that a machine which gets slower
 * does so for both; times.c makes a ratio of the rounds.
 */
#include "call.h"

#include <stdio.h>
#include <string.h>

/* Fewer rounds have no interval of the usual confidence. */
enum { LEAST_ROUNDS = 6, MOST_ROUNDS = 300, MOST_RUNS_A_VISIT = 1000 };
static const double visit_seconds = 4e-3; /* of a round, for each version */
static const double least_seconds = 0.5, most_seconds = 4, narrow = 0.01;

typedef struct {
    const char *name; /* as texts call it */
    tilec_file *file;
    Call call;
    bool *changes;      /* the block of that number */
    KeptBlocks in_runs; /* what each run must find as it was, */
    KeptBlocks in_turn; /* .. and what the first run behind the other version's must */
    double *rounds;     /* seconds of a run in each */
    bool restores;
} Version;

struct Against {
    Cli *cli;
    const AgainstText *text;
    Version now, other;
    KeptBlocks before; /* all arrays */
    CompareText compare;
    const char *told[2]; /* what --compare finds, and what the other version does: text, or JSON */
    int nrounds;
    TimesRatio ratio;
};

/* All that follows is about its file. */
static Call *use(Version *v)
{
    v->call.cli->file = v->file;
    return &v->call;
}

static void refuse_mixtures(Cli *c, const Options *o)
{
    if (o->saves.len > 0 || o->shows.len > 0 || o->count)
        cli_stop(c, CLI_USAGE,
                 "--against runs two versions: --save, --show and --count are for one");
    if (o->profile || o->trace)
        cli_stop(c, CLI_USAGE, "--against runs two versions: --profile and --trace are for one");
    if (o->launch.check || o->launch.debug)
        cli_stop(c, CLI_USAGE,
                 "--against takes times, which --check and --debug make longer: they are "
                 "for runs without it");
}

/* --- the versions --- */

static void open_version(Version *v, Cli *c, const Options *o, const char *name)
{
    call_init(&v->call, c, o);
    call_open(&v->call);
    v->file = c->file;
    v->name = name;
    v->call.last_words = crash_words(c, name, v->call.options.launch.check);
}

/* "old.py:k BLOCK=64" */
static const char *name_of_other(const Against *g, const Options *o)
{
    Text t = text_new(g->cli->arena);

    text_put(&t, "");
    if (g->text->file)
        text_printf(&t, "%s:%s", g->text->file, o->kernel);
    else if (g->text->kernel)
        text_printf(&t, ":%s", o->kernel);
    for (int i = 0; i < g->text->values.len; i++) {
        const ArgText *value = &g->text->values.at[i];

        if (value->text != g->compare.rtol && value->text != g->compare.atol)
            text_printf(&t, "%s%s=%s", t.len ? " " : "", value->name, value->text);
    }
    return t.len ? t.s : "the same call";
}

static const char *name_of_this(const Against *g, const Options *o)
{
    if (g->text->file)
        return arena_printf(g->cli->arena, "%s:%s", o->file, o->kernel);
    if (g->text->kernel)
        return arena_printf(g->cli->arena, ":%s", o->kernel);
    return "this call";
}

/* The other version's kernel: of its file that of the same name, when none is named. */
static void open_other_kernel(Against *g, Options *o)
{
    Cli *c = g->cli;
    const char *same = o->kernel;

    if (g->text->file) {
        c->file = NULL;
        o->file = g->text->file;
        args_open_file(c, o);
    }
    if (g->text->file || g->text->kernel)
        o->kernel = g->text->kernel;
    if (!o->kernel && tilec_param_count(c->file, same) >= 0)
        o->kernel = same;
    args_open_kernel(c, o);
}

/* A value of the other version: of a parameter, a hint of the launch, its grid, or how near the
 * results must be. */
static void set_value(Against *g, Options *o, const ArgText *value)
{
    const char **special = strcmp(value->name, "grid") == 0   ? &o->grid
                           : strcmp(value->name, "rtol") == 0 ? &g->compare.rtol
                           : strcmp(value->name, "atol") == 0 ? &g->compare.atol
                                                              : NULL;

    if (!special || args_takes(g->cli, o, value->name))
        variant_set(g->cli, o, value->name, value->text);
    else
        *special = value->text;
}

static Options options_of_other(Against *g)
{
    Cli *c = g->cli;
    Options o = variant_of(c, &g->now.call.options);
    Values changed = {0};

    c->client.origin = g->text->origin;
    open_other_kernel(g, &o);
    for (int i = 0; i < o.args.len; i++)
        o.args.at[i].may_lack = g->text->file || g->text->kernel;
    for (int i = 0; i < g->text->values.len; i++) {
        set_value(g, &o, &g->text->values.at[i]);
        vec_push(c->arena, &changed, g->text->values.at[i].name);
    }
    c->client.origin = NULL;
    variant_share(c, &o, &changed, &g->now.call.args.names);
    return o;
}

/* Behind this one. */
static void open_other(Against *g)
{
    Cli *c = g->cli;
    Options o = options_of_other(g);

    open_version(&g->other, c, &o, name_of_other(g, &o));
    g->other.call.silent = true;
    g->other.call.first_block = g->now.call.first_block;
    call_evaluate(&g->other.call);
    g->compare.with = shown_name(c->arena, g->other.name);
}

static void open_versions(Against *g, const Options *given)
{
    Cli *c = g->cli;
    Options o = *given;

    o.time = false; /* what runs must find is kept here */
    args_open_kernel(c, &o);
    open_version(&g->now, c, &o, name_of_this(g, &o));
    call_evaluate(&g->now.call);
    open_other(g);
}

/* --- results --- */

static void restore_all(Against *g)
{
    for (int i = 0; i < g->before.len; i++)
        fresh_put(&g->now.call, &g->before.at[i]);
}

/* The first run. */
static void launch(Against *g, Version *v)
{
    Call *k = use(v);

    call_launch(k);
    call_count(k);
    v->changes = NEW_N(g->cli->arena, bool, g->cli->store.blocks.len);
    for (int i = 0; i < g->before.len; i++) {
        const KeptBlock *kept = &g->before.at[i];
        const Storage *s = &g->cli->store.blocks.at[kept->block];

        v->changes[kept->block] = memcmp(s->memory, kept->copy, s->bytes) != 0;
    }
}

/* Without a word of its own the library says that a kernel reads nothing that it writes. */
static void find_restores(Against *g, Version *v, const Version *before)
{
    for (int i = 0; i < g->before.len; i++) {
        const KeptBlock kept = g->before.at[i];

        if (v->changes[kept.block] && v->call.timing.stats.in_place)
            vec_push(g->cli->arena, &v->in_runs, kept);
        else if (before->changes[kept.block] && !v->changes[kept.block])
            vec_push(g->cli->arena, &v->in_turn, kept);
    }
    v->restores = v->in_runs.len > 0;
}

/* Each runs once; gives whether the results are what they should be. */
static bool compare_versions(Against *g)
{
    Cli *c = g->cli;
    Call *k = use(&g->now), all = {.cli = c, .first_block = k->first_block};
    Comparisons by_user = compare_prepare(k), by_other;
    bool right;

    fresh_copy(&all, g->other.call.end_block);
    g->before = all.kept;
    launch(g, &g->other);
    by_other = compare_with_call(k, &g->other.call, &g->compare, &g->before);
    restore_all(g);
    launch(g, &g->now);
    right = compare_finish(k, &by_user);
    right &= compare_finish(k, &by_other);
    g->told[0] = k->options.json ? comparison_json(&c->store, &by_user)
                                 : comparison_text(&c->store, &by_user);
    g->told[1] = k->options.json ? comparison_json(&c->store, &by_other)
                                 : comparison_text(&c->store, &by_other);
    if (compare_warning(k, &by_other))
        call_warn(k, compare_warning(k, &by_other));
    restore_all(g);
    find_restores(g, &g->now, &g->other);
    find_restores(g, &g->other, &g->now);
    return right;
}

/* --- times --- */

/* The median of some runs of it, the first of which finds the caches as the other one left them. */
static double visit(Against *g, Version *v)
{
    Call *k = use(v);
    double runs[MOST_RUNS_A_VISIT], spent = 0;
    int n = 0;

    fresh_restore(k, &v->in_turn);
    while (n < MOST_RUNS_A_VISIT && spent < visit_seconds) {
        fresh_restore(k, &v->in_runs);
        runs[n] = call_again(k);
        spent += runs[n++];
    }
    const double median = times_median(g->cli->arena, runs, n);
    return MAX(median, 1e-9); /* its clock may stand still for so long */
}

static bool is_enough(Against *g, double spent, double *look)
{
    if (g->nrounds < LEAST_ROUNDS || g->nrounds % 2 || spent < *look)
        return false;
    *look = 1.5 * spent;
    g->ratio = times_ratio(g->cli->arena, g->other.rounds, g->now.rounds, g->nrounds);
    return spent > most_seconds || g->ratio.high / g->ratio.low <= (1 + narrow) * (1 + narrow);
}

static void measure(Against *g)
{
    Cli *c = g->cli;
    int wanted = g->now.call.options.runs, most = wanted ? wanted : MOST_ROUNDS;
    Version *turns[] = {&g->now, &g->other};
    Progress p = progress_start(c->quiet, "comparing");
    double look = least_seconds, started, spent = 0;

    for (int i = 0; i < 2; i++) {
        turns[i]->rounds = NEW_N(c->arena, double, most);
        visit(g, turns[i]);
    }
    started = os_seconds();
    while (g->nrounds < most && (wanted || !is_enough(g, spent, &look))) {
        for (int i = 0; i < 2; i++) {
            Version *v = turns[i ^ (g->nrounds & 1)];

            v->rounds[g->nrounds] = visit(g, v);
        }
        g->nrounds++;
        spent = os_seconds() - started;
        progress_at(&p, wanted ? (double)g->nrounds / most : MIN(spent / most_seconds, 1));
    }
    progress_end(&p);
    for (int i = 0; i < 2; i++)
        turns[i]->call.timing.times = times_of(c->arena, turns[i]->rounds, g->nrounds);
    g->ratio = times_ratio(c->arena, g->other.rounds, g->now.rounds, g->nrounds);
}

/* --- telling --- */

static void put_row(Table *t, const Version *v)
{
    const Timing *now = &v->call.timing;

    table_put(t, v->name);
    table_put(t, timing_duration(t->arena, now->times.median));
    table_put(t, times_unsure_text(t->arena, &now->times));
    table_put(t, timing_duration(t->arena, now->times.min));
    table_put(t, timing_rate(t->arena, now->stats.bytes, now->times.median));
    table_put(t, timing_rate(t->arena, now->stats.flops, now->times.median));
    table_printf(t, "%d,%d,%d", now->grid[0], now->grid[1], now->grid[2]);
}

static const char *times_text(Arena *a, double ratio)
{
    return arena_printf(a, ratio < 10 ? "%.3f" : "%.1f", ratio);
}

static void put_ratio(Text *t, const Against *g)
{
    const TimesRatio *r = &g->ratio;
    bool is_sure = r->low > 1 || r->high < 1;
    Arena *a = t->arena;

    text_printf(t, "%s%s is %s times as fast as %s%s: between %s and %s with %.0f%% confidence\n",
                is_sure ? "" : "no sure difference: ", shown_name(a, g->now.name),
                times_text(a, r->ratio), shown_name(a, g->other.name),
                r->high < 1 ? ", so slower" : "", times_text(a, r->low), times_text(a, r->high),
                100 * r->confidence);
}

static const char *text_of(const Against *g)
{
    static const char *const titles[] = {"version", "median",  "sure to", "min",
                                         "GB/s",    "GFLOP/s", "grid"};
    Arena *a = g->cli->arena;
    Text out = text_new(a);
    Table table = table_titled(a, titles, COUNT(titles), 1);

    put_row(&table, &g->now);
    put_row(&table, &g->other);
    text_printf(&out, "in turns on %s, %d round%s\n%s", g->now.call.timing.device, g->nrounds,
                g->nrounds == 1 ? "" : "s", table_text(&table));
    put_ratio(&out, g);
    if (g->now.restores || g->other.restores)
        text_put(&out,
                 "arrays that are both read and written were restored before each run, outside of "
                 "its time\n");
    return out.s;
}

static void put_version(Text *t, const char *key, Version *v)
{
    v->call.timing.fresh = v->restores;
    json_object(t, key);
    json_text(t, "name", v->name);
    json_object(t, "timing");
    timing_put_json(t, &v->call.timing);
    json_object_end(t);
    json_object_end(t);
}

static const char *json_of(Against *g, bool right)
{
    const TimesRatio *r = &g->ratio;
    Text t = text_new(g->cli->arena);

    json_object(&t, NULL);
    json_int(&t, "rounds", g->nrounds);
    json_number(&t, "ratio", r->ratio, 6);
    json_number(&t, "ratio_low", r->low, 6);
    json_number(&t, "ratio_high", r->high, 6);
    json_number(&t, "confidence", r->confidence, 4);
    json_bool(&t, "significant", r->low > 1 || r->high < 1);
    json_bool(&t, "pass", right);
    json_value(&t, "results", g->told[1]);
    if (g->now.call.options.compares.len > 0)
        json_value(&t, "compare", g->told[0]);
    put_version(&t, "this", &g->now);
    put_version(&t, "other", &g->other);
    problem_put_all(&t, g->cli);
    json_object_end(&t);
    text_put(&t, "\n");
    return t.s;
}

Comparisons against_prepare(Call *k, AgainstRun *run, void *what)
{
    Cli *c = k->cli;
    Against *g = NEW(c->arena, Against); /* what is compared with what stays */
    Call all = {.cli = c, .first_block = k->first_block};

    *g = (Against){.cli = c,
                   .text = &k->options.against,
                   .now = {.file = c->file, .name = k->options.kernel, .call = *k}};
    open_other(g);
    fresh_copy(&all, g->other.call.end_block);
    g->before = all.kept;
    launch(g, &g->other);
    Comparisons out = compare_with_call(use(&g->now), &g->other.call, &g->compare, &g->before);
    restore_all(g);
    if (run) {
        run(what, use(&g->other), g->compare.with);
        restore_all(g);
        use(&g->now);
    }
    return out;
}

/* --- for a report --- */

Against *against_both(Cli *c, const Options *o, bool timed)
{
    Against *g = NEW(c->arena, Against);

    *g = (Against){.cli = c, .text = &o->against};
    open_versions(g, o);
    if (!compare_versions(g))
        cli_warn(c, "the results differ:\n%s%s", g->told[0], g->told[1]);
    if (timed)
        measure(g);
    return g;
}

Call *against_call(Against *g, int i)
{
    Version *v = i == 0 ? &g->now : &g->other;

    restore_all(g);
    v->call.kept = v->in_runs;
    return use(v);
}

const char *against_name(const Against *g, int i)
{
    return i == 0 ? g->now.name : g->other.name;
}

const char *against_sentence(const Against *g)
{
    Text t = text_new(g->cli->arena);

    if (g->nrounds == 0)
        return NULL;
    put_ratio(&t, g);
    t.s[t.len - 1] = '\0'; /* the end of its line */
    return t.s;
}

void against_run(Cli *c, const Options *o)
{
    Against g = {.cli = c, .text = &o->against};
    bool right;

    refuse_mixtures(c, o);
    open_versions(&g, o);
    right = compare_versions(&g);
    if (!right)
        c->code = CLI_REFUSED;
    if (!o->json)
        printf("%s%s", g.told[0], g.told[1]);
    measure(&g);
    fputs(o->json ? json_of(&g, right) : text_of(&g), stdout);
    call_close(&g.now.call); /* the arrays of both */
}
