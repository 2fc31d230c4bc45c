/*
 * tune.c - `tilec run --tune`: which values of some parameters make a kernel fastest
 *
 * Candidates are the combinations of the values that --tune lists, or the configurations of
 * @triton.autotune.  They share the arrays that do not depend on what is tuned.  Each runs once, on
 * the arrays as they were, must write all that any writes, and give what most of these give; those
 * are then timed in turns, so that a machine which gets slower or faster does so for all, and a
 * difference counts only where it stands out from what rounds differ by.
 */
#include "call.h"

#include <stdio.h>
#include <string.h>

/* --- arguments --- */

static void evaluate(Cli *c, void *candidate)
{
    Candidate *k = candidate;

    (void)c;
    call_open(&k->call);
    call_evaluate(&k->call);
}

static void say_problem(Tuner *t, Candidate *k)
{
    k->row.problem = t->cli->trouble;
    k->row.problem_json = problem_kept(t->cli);
    terminal_say_trouble("tilec: %s: %s\n", k->row.text, k->row.problem);
}

static void evaluate_candidates(Tuner *t)
{
    Cli *c = t->cli;
    const Candidate *first = NULL;

    t->first_block = c->store.blocks.len;
    for (int i = 0; i < t->candidates.len; i++) {
        Candidate *k = &t->candidates.at[i];

        if (first)
            variant_share(c, &k->options, &t->names, &first->call.args.names);
        call_init(&k->call, c, &k->options);
        k->call.silent = first != NULL;
        k->call.first_block = t->first_block;
        if (!cli_attempt(c, evaluate, k))
            say_problem(t, k);
        else if (!first)
            first = k;
    }
    Call all = {.cli = c, .first_block = t->first_block};
    fresh_copy(&all, c->store.blocks.len);
    t->kept = all.kept;
}

/* --- do they agree? --- */

static void keep_outputs(const Tuner *t, Candidate *k)
{
    const Names *names = &k->call.args.names;

    for (int i = 0; i < names->len; i++) {
        const Array *a = value_array(&names->at[i].value);
        Result out = {.name = names->at[i].name};

        if (!a)
            continue;
        out.array = array_new(&t->cli->store, a->dtype, a->ndim, a->shape);
        array_copy_dense(a, out.array.data);
        vec_push(t->cli->arena, &k->outputs, out);
    }
}

/* The array in which it differs from what another one gave; NULL.  Those of other shapes, such as
 * partial sums, cannot be compared. */
static const char *difference_from(const Tuner *t, const Candidate *k, const Candidate *other)
{
    for (int i = 0; i < other->outputs.len; i++) {
        const Result *want = &other->outputs.at[i];
        const Named *v = args_value(&k->call.args.names, want->name);
        const Array *got = v ? value_array(&v->value) : NULL;

        if (got && array_has_shape_of(got, &want->array) &&
            !difference_is_small(&t->cli->store, got, &want->array))
            return want->name;
    }
    return NULL;
}

/* The first candidate that gave the same, or this one. */
static int group_of(Tuner *t, int number)
{
    Candidate *k = &t->candidates.at[number];

    for (int i = 0; i < number; i++) {
        const Candidate *other = &t->candidates.at[i];

        if (other->row.problem || other->group != i)
            continue;
        const char *name = difference_from(t, k, other);
        if (!name)
            return i;
        k->row.differs = k->row.differs ? k->row.differs : name;
    }
    keep_outputs(t, k);
    return number;
}

static void count_left(Candidate *k)
{
    const Unwritten *u = &k->call.unwritten;

    for (int i = 0; u->wanted && i < u->arrays.len; i++) {
        k->left += u->arrays.at[i].count;
        k->left_in = u->arrays.at[i].count > 0 ? u->arrays.at[i].name : k->left_in;
    }
}

static void run_first(Cli *c, void *candidate)
{
    Candidate *k = candidate;
    int before = c->store.blocks.len;
    Comparisons compared = compare_prepare(&k->call);

    k->call.unwritten.wanted = true;
    call_launch(&k->call);
    unwritten_find(&k->call);
    count_left(k);
    if (!compare_finish(&k->call, &compared))
        cli_stop(c, CLI_REFUSED, "%s", comparison_text(&c->store, &compared));
    array_free_from(&c->store, before); /* what it was compared with */
    call_count(&k->call);
}

/* The same in silence; what fails fails again. */
static const char *try_first(Cli *c, void *candidate)
{
    Candidate *k = candidate;

    k->call.silent = true;
    k->call.options.launch.on_message = NULL;
    cli_attempt(c, run_first, k);
    return NULL;
}

/* Find those that end the process, which the others need. */
static void try_candidates(Tuner *t)
{
    Cli *c = t->cli;
    const char *why;

    for (int i = 0; i < t->candidates.len; i++) {
        Candidate *k = &t->candidates.at[i];

        if (k->row.problem || trial_run(c, 0, try_first, k, &why))
            continue;
        k->row.problem = why;
        k->row.problem_json = problem_of_fault(c, why, CLI_REFUSED);
        terminal_say_trouble("tilec: %s: %s\n", k->row.text, why);
    }
}

static void run_candidates(Tuner *t)
{
    Cli *c = t->cli;

    for (int i = 0; i < t->candidates.len; i++) {
        Candidate *k = &t->candidates.at[i];

        if (k->row.problem)
            continue;
        fresh_restore(&k->call, &t->kept);
        if (cli_attempt(c, run_first, k))
            k->group = group_of(t, i);
        else
            say_problem(t, k);
    }
}

/* The first of those that leave the fewest elements as they were; NULL: none runs. */
static const Candidate *fullest(const Tuner *t)
{
    const Candidate *best = NULL;

    for (int i = 0; i < t->candidates.len; i++) {
        const Candidate *k = &t->candidates.at[i];
        if (!k->row.problem && (!best || k->left < best->left))
            best = k;
    }
    return best;
}

/* As far as it writes all that any does. */
static int size_of_group(const Tuner *t, int group, int64_t left)
{
    int n = 0;

    for (int i = 0; i < t->candidates.len; i++) {
        const Candidate *k = &t->candidates.at[i];
        n += !k->row.problem && k->group == group && k->left == left;
    }
    return n;
}

static void refuse_candidate(const Tuner *t, Candidate *k, const Candidate *right)
{
    Cli *c = t->cli;

    if (k->left > right->left)
        cli_complain(
            c, CLI_REFUSED,
            "%s leaves %lld element%s of '%s' as `empty` made them, which %s writes: it is "
            "not recommended, however fast%s",
            k->row.text, (long long)(k->left - right->left), k->left - right->left == 1 ? "" : "s",
            k->left_in, right->row.text,
            memcmp(k->call.timing.grid, right->call.timing.grid, sizeof k->call.timing.grid) == 0
                ? "\nhint: both have one grid: cdiv(n, BLOCK) goes with the parameter"
                : "");
    else
        cli_complain(c, CLI_REFUSED,
                     "%s gives another '%s' than %s: it is not recommended, however fast",
                     k->row.text, k->row.differs ? k->row.differs : "result", right->row.text);
}

/* Those that do not give what most give are out.  The first of equal groups is right. */
static void choose_group(Tuner *t)
{
    const Candidate *full = fullest(t);
    int best = -1, most = 0;

    if (!full)
        cli_stop(t->cli, CLI_REFUSED, "--tune: no configuration runs");
    for (int i = 0; i < t->candidates.len; i++) {
        int size = size_of_group(t, i, full->left);
        if (size > most) {
            most = size;
            best = i;
        }
    }
    t->right = best;
    for (int i = 0; i < t->candidates.len; i++) {
        Candidate *k = &t->candidates.at[i];

        k->row.is_in = !k->row.problem && k->group == best;
        if (k->row.is_in || k->row.problem)
            continue;
        if (!k->row.differs)
            k->row.differs = difference_from(t, &t->candidates.at[best], k);
        refuse_candidate(t, k, &t->candidates.at[best]);
    }
}

/* --- time --- */

static void run_fresh(Cli *c, void *candidate)
{
    Candidate *k = candidate;

    (void)c;
    k->seconds = call_again(&k->call);
}

/* As tilec_tune() wants it; what fails here is kept as trouble. */
static tilec_status run_candidate(void *tuner, int i, double *seconds)
{
    Tuner *t = tuner;
    Candidate *k = &t->candidates.at[i];

    if (!k->row.is_in)
        return TILEC_REFUSED;
    if (k->call.timing.stats.in_place)
        fresh_restore(&k->call, &t->kept);
    if (!cli_attempt(t->cli, run_fresh, k))
        return interrupt_noted() ? TILEC_CANCELLED : TILEC_FAILED;
    *seconds = k->seconds;
    return TILEC_OK;
}

static int tell_progress(void *tuner, double share)
{
    progress_at(&((Tuner *)tuner)->progress, share);
    return interrupt_noted();
}

static void take_trial(void *tuner, const tilec_trial *trial)
{
    Tuner *t = tuner;
    Candidate *k = &t->candidates.at[trial->number], *same = NULL;

    if (trial->same_as >= 0)
        same = &t->candidates.at[trial->same_as];
    k->row.is_left = k->row.is_in && trial->status == TILEC_CANCELLED;
    k->row.is_in = k->row.is_in && (same ? same->row.is_in : trial->nrounds > 0);
    k->row.is_slower = same ? same->row.is_slower : trial->is_slower;
    k->row.same_as = same ? same->row.text : NULL;
    if (same)
        k->row.times = same->row.times;
    else if (k->row.is_in)
        k->row.times = times_of(t->cli->arena, trial->rounds, trial->nrounds);
}

/* Those of --tune NAME=VALUES have no values here: what they are is what run_candidate() runs. */
static const tilec_config *configurations(const Tuner *t)
{
    tilec_config *all = NEW_N(t->cli->arena, tilec_config, t->candidates.len);

    for (int i = 0; i < t->candidates.len && t->is_autotune; i++)
        tilec_config_info(t->cli->file, t->candidates.at[i].options.kernel,
                          t->candidates.at[i].config, &all[i]);
    return all;
}

static const char *result_of(const Tuner *t, bool json, bool interrupted)
{
    Arena *a = t->cli->arena;
    int n = t->candidates.len;
    TunedRow *rows = NEW_N(a, TunedRow, n);
    const Timing *best = &t->candidates.at[t->best].call.timing;
    const Tuned out = {best->kernel, best->device, rows, n, t->best, interrupted};

    for (int i = 0; i < n; i++) {
        rows[i] = t->candidates.at[i].row;
        rows[i].stats = t->candidates.at[i].call.timing.stats;
    }
    return json ? tuned_json(a, &out) : tuned_table(a, &out);
}

/* By Ctrl-C, while they were timed: what is known so far. */
NORETURN static void end_interrupted(Tuner *t, const Options *o)
{
    Cli *c = t->cli;
    int timed = 0, rounds = 0;

    for (int i = 0; i < t->candidates.len; i++) {
        const TunedRow *k = &t->candidates.at[i].row;

        if (!k->is_in || k->times.n == 0)
            continue;
        if (timed++ == 0 || k->times.median < t->candidates.at[t->best].row.times.median)
            t->best = i;
        rounds = MAX(rounds, k->times.n);
    }
    if (timed > 0) {
        fputs(result_of(t, o->json, true), o->json ? stdout : c->tells);
        fflush(o->json ? stdout : c->tells);
    }
    const char *kept = t->is_autotune ? "; what was kept of earlier ones stays" : "";
    if (timed == 0)
        terminal_say("tilec stopped: none of %d configurations is timed yet%s\n", t->candidates.len,
                     kept);
    else
        terminal_say("tilec stopped: %d of %d configurations are timed, in %d round%s%s\n", timed,
                     t->candidates.len, rounds, rounds == 1 ? "" : "s", kept);
    interrupt_end();
}

static void measure(Tuner *t, const Options *o)
{
    const Candidate *right = &t->candidates.at[t->right];
    const Call *k = &right->call;
    tilec_launch_options launch = k->options.launch;
    const tilec_tune_options options = {.configs = configurations(t),
                                        .nconfigs = t->candidates.len,
                                        .run = run_candidate,
                                        .rounds = o->runs,
                                        .anew = 1,
                                        .unkept = !t->is_autotune,
                                        .device_id = o->device_id,
                                        .on_trial = take_trial,
                                        .on_progress = tell_progress,
                                        .user = t};
    tilec_choice best;
    char *error = NULL;

    launch.on_message = cli_tell;
    interrupt_says("in the middle of the first round"); /* by a second signal */
    interrupt_defer(true);                              /* what was measured is told */
    for (int i = 0; i < t->candidates.len; i++)
        t->candidates.at[i].call.options.launch.cancel = interrupt_flag();
    t->progress = progress_start(t->cli->quiet, "tuning");
    tilec_status status = tilec_tune(t->cli->file, right->options.kernel, NULL, k->args.args,
                                     k->args.count, &launch, &options, &best, &error);
    progress_end(&t->progress);
    interrupt_defer(false);
    if (status == TILEC_CANCELLED)
        end_interrupted(t, o);
    interrupt_says("the fastest is found: %s", t->candidates.at[best.number].row.text);
    if (status == TILEC_FAILED && t->cli->trouble)
        cli_stop(t->cli, CLI_REFUSED, "%s", t->cli->trouble);
    cli_check(t->cli, status, &error);
    t->best = best.number;
}

/* --save and --show, before anything runs. */
static void check_outputs(const Tuner *t)
{
    for (int i = 0; i < t->candidates.len; i++) {
        if (t->candidates.at[i].row.problem)
            continue;
        outputs_check(&t->candidates.at[i].call);
        return;
    }
}

/* They are about the fastest, which runs once more on the arrays as they were. */
static void write_best(Call *k, const KeptBlocks *kept)
{
    fresh_restore(k, kept);
    call_again(k);
    move_back(k);
    outputs_write(k);
}

void tune_run(Cli *c, const Options *o)
{
    Tuner t = {.cli = c};
    Options open = *o;

    if (o->count)
        cli_stop(c, CLI_USAGE, "--tune makes many calls: --count is for one");
    if (o->profile || o->trace)
        cli_stop(c, CLI_USAGE, "--tune makes many calls: --profile and --trace are for one");
    args_open_kernel(c, &open);
    open.uses_tuned = false;
    tune_list(&t, &open);
    evaluate_candidates(&t);
    check_outputs(&t);
    interrupt_says("none of %d configurations is timed yet", t.candidates.len);
    if (trial_is_needed(&open))
        try_candidates(&t);
    run_candidates(&t);
    c->code = CLI_DONE; /* the others go on without those that failed */
    choose_group(&t);
    measure(&t, o);
    fputs(result_of(&t, o->json, false), o->json ? stdout : c->tells);
    if (o->saves.len > 0 || o->shows.len > 0)
        write_best(&t.candidates.at[t.best].call, &t.kept);
    call_close(&t.candidates.at[0].call); /* the arrays of all */
}
