/*
 * tune.c - tilec_tune(): the fastest of several configurations
 *
 * A list becomes candidates; what is known of all of them needs no runs.  Else each runs once, to
 * be compiled and to show that it does, those that do are timed in turns, and what is found is
 * written down.  Who gives a run() of its own decides what a run is; all else is the same.
 */
#include <stdlib.h>
#include <string.h>

#include "tuning.h"

bool tune_runs(const Candidate *k)
{
    return k->same_as < 0 && k->status == TILEC_OK && k->text;
}

/* --- cancelling --- */

bool tune_goes_on(const Tuning *t, double share)
{
    const tilec_tune_options *o = &t->options;

    return !wish_is_there(o->cancel) && !(o->on_progress && o->on_progress(o->user, share) != 0);
}

tilec_status tune_refuse_cancelled(const Tuning *t)
{
    return api_refuse(t->error, TILEC_CANCELLED, "tuning was cancelled");
}

/* --- runs --- */

static tilec_status run_once(Tuning *t, int i, double *seconds, char **error)
{
    return t->options.run ? t->options.run(t->options.user, i, seconds)
                          : launches_run(t, i, seconds, error);
}

bool tune_is_late(const Tuning *t)
{
    return t->options.seconds > 0 && os_seconds() - t->started > t->options.seconds;
}

/* A time that was measured elsewhere, once. */
static void take_time(Candidate *k, double seconds)
{
    k->times = (TunedTimes){.is_known = true, .median = seconds, .low = seconds, .high = seconds};
}

static tilec_status run_first(Tuning *t, int i)
{
    Candidate *k = &t->all[i];
    double seconds = 0;

    k->status = run_once(t, i, &seconds, &k->error);
    if (k->status == TILEC_CANCELLED)
        return tune_refuse_cancelled(t);
    if (k->status == TILEC_OK && t->options.measures)
        take_time(k, seconds);
    return TILEC_OK;
}

/* Each once, or until time is up and one has. */
static tilec_status run_all(Tuning *t)
{
    bool any = false;

    for (int i = 0; i < t->count; i++) {
        tilec_status status = TILEC_OK;

        if (!tune_runs(&t->all[i]))
            continue;
        if (any && tune_is_late(t))
            t->all[i].status = TILEC_CANCELLED;
        else
            status = run_first(t, i);
        if (status != TILEC_OK)
            return status;
        any = any || t->all[i].status == TILEC_OK;
        if (!tune_goes_on(t, 0))
            return tune_refuse_cancelled(t);
    }
    return TILEC_OK;
}

/* As the first one that fails. */
static tilec_status refuse_all(Tuning *t)
{
    for (int i = 0; i < t->count; i++) {
        Candidate *k = &t->all[i];

        if (k->status == TILEC_OK || k->status == TILEC_CANCELLED)
            continue;
        if (!k->error)
            return api_refuse(t->error, k->status, "no configuration runs");
        if (t->error)
            *t->error = strdup(k->error);
        return k->status;
    }
    return api_refuse(t->error, TILEC_REFUSED, "no configuration runs");
}

/* --- time --- */

typedef struct {
    Tuning *tuning;
    tilec_status status; /* why it has ended */
} Turns;

static bool run_in_turn(void *turns, int i, double *seconds)
{
    Turns *m = turns;

    m->status = run_once(m->tuning, i, seconds, m->tuning->error);
    if (m->status == TILEC_CANCELLED)
        tune_refuse_cancelled(m->tuning);
    else if (m->status != TILEC_OK && m->tuning->options.run)
        api_error(m->tuning->error, "a run has failed that had not before");
    return m->status == TILEC_OK;
}

static bool tell_progress(void *turns, double share)
{
    Turns *m = turns;

    if (!tune_goes_on(m->tuning, share))
        m->status = tune_refuse_cancelled(m->tuning);
    return m->status == TILEC_OK;
}

static void take_rounds(Tuning *t, Candidate *k)
{
    const Measured *m = &k->measured;

    k->times = (TunedTimes){.is_known = true,
                            .median = m->times.median,
                            .low = times_quantile(t->arena, m->rounds, m->nrounds, 0.2),
                            .high = times_quantile(t->arena, m->rounds, m->nrounds, 0.8)};
}

static tilec_status time_in_turns(Tuning *t)
{
    Turns turns = {.tuning = t};
    Measuring how = {
        .rounds = t->options.rounds, .run = run_in_turn, .progress = tell_progress, .user = &turns};
    Measured *all = NEW_N(t->arena, Measured, t->count);

    if (t->options.seconds > 0)
        how.seconds = MAX(t->started + t->options.seconds - os_seconds(), 1e-9);
    for (int i = 0; i < t->count; i++)
        all[i].is_in = tune_runs(&t->all[i]);
    measure_in_turns(&how, t->arena, all, t->count);
    for (int i = 0; i < t->count; i++) {
        t->all[i].measured = all[i];
        if (all[i].nrounds > 0)
            take_rounds(t, &t->all[i]);
    }
    return turns.status;
}

/* --- what comes of it --- */

/* The least median; of equal ones the first. */
static void choose(Tuning *t)
{
    t->best = -1;
    for (int i = 0; i < t->count; i++) {
        const Candidate *k = &t->all[i];

        if (k->same_as < 0 && k->times.is_known && !k->times.fails &&
            (t->best < 0 || k->times.median < t->all[t->best].times.median))
            t->best = i;
    }
}

static void tell_trials(const Tuning *t)
{
    for (int i = 0; i < t->count && t->options.on_trial; i++) {
        const Candidate *k = &t->all[i];
        const tilec_trial trial = {.number = i,
                                   .same_as = k->same_as,
                                   .status = k->status,
                                   .error = k->error,
                                   .median = k->times.median,
                                   .low = k->times.low,
                                   .high = k->times.high,
                                   .rounds = k->measured.rounds,
                                   .nrounds = k->measured.nrounds,
                                   .is_slower = k->measured.is_slower};

        t->options.on_trial(t->options.user, &trial);
    }
}

static void keep(Tuning *t, const tilec_launch_options *caller)
{
    const char *path = t->options.unkept ? NULL : key_path(t);
    int error;

    for (int i = 0; i < t->count; i++) {
        Candidate *k = &t->all[i];

        if (k->text && k->status != TILEC_OK && k->status != TILEC_CANCELLED)
            k->times = (TunedTimes){.is_known = true, .fails = true};
    }
    error = path ? store_write(t, path) : 0;
    if (error && caller && caller->on_message)
        caller->on_message(caller->user,
                           arena_printf(t->arena, "warning: what was found is not kept: %s: %s\n",
                                        shown_name(t->arena, path), strerror(error)));
}

/* Is it known which of all are how fast? */
static bool look_up(Tuning *t)
{
    const char *path = t->options.unkept ? NULL : key_path(t);
    bool all = true;

    if (path)
        store_read(t, path);
    for (int i = 0; i < t->count; i++)
        all = all && (!tune_runs(&t->all[i]) || t->all[i].times.is_known);
    for (int i = 0; i < t->count; i++) {
        if (t->all[i].times.fails)
            t->all[i].status = TILEC_REFUSED;
    }
    choose(t);
    return all && t->best >= 0;
}

/* What was not timed by then was cancelled. */
static void tell_cancelled(Tuning *t)
{
    for (int i = 0; i < t->count; i++) {
        Candidate *k = &t->all[i];

        if (tune_runs(k) && !k->times.is_known)
            k->status = TILEC_CANCELLED;
    }
    tell_trials(t);
}

static tilec_status measure(Tuning *t, const tilec_launch_options *caller)
{
    tilec_status status = t->options.run ? TILEC_OK : launches_prepare(t);

    if (status == TILEC_OK)
        status = run_all(t);
    if (status != TILEC_OK)
        return status;
    for (int i = 0; i < t->count && !t->options.measures; i++) {
        if (!tune_runs(&t->all[i]))
            continue;
        status = time_in_turns(t);
        break;
    }
    if (status != TILEC_OK)
        return status;
    choose(t);
    if (t->best < 0)
        return refuse_all(t);
    keep(t, caller);
    return TILEC_OK;
}

/* --- the two calls --- */

static tilec_status check(const Tuning *t, const tilec_tune_options *o, const void *out)
{
    for (int i = 0; i < COUNT(o->reserved); i++) {
        if (o->reserved[i])
            return api_refuse(t->error, TILEC_BAD_ARGUMENT,
                              "tilec_tune_options.reserved is not zero: a newer library than tilec "
                              "%s is needed, or the options were not initialised",
                              tilec_version());
    }
    if (t->file && !handle_is_file(t->file))
        return api_refuse(t->error, TILEC_BAD_ARGUMENT, "%s", handle_problem_of_file(t->file));
    if (!t->file || !out || t->nargs < 0 || (t->nargs > 0 && !t->args))
        return api_refuse(t->error, TILEC_BAD_ARGUMENT,
                          "the file, the arguments or what receives the result are NULL");
    if (o->nconfigs < 0 || (o->nconfigs > 0 && !o->configs) || o->nkeys < 0 ||
        (o->nkeys > 0 && !o->keys))
        return api_refuse(t->error, TILEC_BAD_ARGUMENT, "the configurations or keys are NULL");
    if (o->rounds < 0 || !(o->seconds >= 0) || t->launch.threads < 0)
        return api_refuse(t->error, TILEC_BAD_ARGUMENT,
                          "the rounds, seconds or threads are negative, or no number");
    return TILEC_OK;
}

/* What launches would refuse themselves, they refuse. */
static tilec_status open_kernel(Tuning *t, const char *name)
{
    if (api_device(t->launch.device, t->error) < 0)
        return TILEC_NOT_FOUND;
    t->kernel = api_find_kernel(t->file, name);
    if (t->kernel && t->kernel->signature)
        return TILEC_OK;
    return tilec_prepare(t->file, name, NULL, 0, &t->launch, t->error);
}

/* Nobody hears of single launches. */
static void be_silent(tilec_launch_options *o, const tilec_tune_options *tune)
{
    o->on_record = NULL;
    o->on_count = NULL;
    o->on_counter = NULL;
    o->on_progress = NULL;
    o->on_span = NULL;
    o->compiled = NULL;
    if (!o->cancel)
        o->cancel = tune->cancel;
}

static tilec_status list_and_look(Tuning *t, const char *kernel, const void *out, bool *known)
{
    tilec_status status = check(t, &t->options, out);

    if (status == TILEC_OK)
        status = open_kernel(t, kernel);
    if (status == TILEC_OK)
        status = config_list(t);
    *known = status == TILEC_OK && !t->options.anew && look_up(t);
    return status;
}

static void give_choice(const Tuning *t, bool known, tilec_choice *out)
{
    const Candidate *k = &t->all[t->best];

    *out = (tilec_choice){
        .number = t->best, .config = k->config, .seconds = k->times.median, .was_known = known};
}

static void end(Tuning *t)
{
    for (int i = 0; i < t->count; i++)
        free(t->all[i].error);
    launches_restore(t);
    launches_close(t);
    arena_free(t->arena);
}

/* The fields that both calls have; false: memory is out. */
static bool begin(Tuning *t, const tilec_launch_options *launch, const tilec_tune_options *options)
{
    api_no_error(t->error);
    if (launch)
        t->launch = *launch;
    if (options)
        t->options = *options;
    be_silent(&t->launch, &t->options);
    t->started = os_seconds();
    t->arena = arena_new(NULL);
    if (t->arena)
        arena_set_guard(t->arena, &t->guard);
    return t->arena != NULL;
}

static tilec_status tune(Tuning *t, const char *kernel, const tilec_launch_options *launch,
                         tilec_choice *out)
{
    tilec_status status;
    bool known;

    if (setjmp(t->guard.env) != 0)
        return api_refuse(t->error, TILEC_NO_MEMORY, "out of memory");
    status = list_and_look(t, kernel, out, &known);
    if (status != TILEC_OK)
        return status;
    if (!t->grid && !t->options.grid && !t->options.run)
        return api_refuse(t->error, TILEC_BAD_ARGUMENT, "the grid is NULL");
    if (!known) {
        for (int i = 0; i < t->count; i++) { /* times of another day are no measure for others */
            t->all[i].times = (TunedTimes){0};
            t->all[i].status = t->all[i].text ? TILEC_OK : t->all[i].status;
        }
        status = measure(t, launch);
        if (status == TILEC_CANCELLED)
            tell_cancelled(t);
    }
    if (status != TILEC_OK)
        return status;
    tell_trials(t);
    give_choice(t, known, out);
    return TILEC_OK;
}

tilec_status tilec_tune(tilec_file *file, const char *kernel, const int32_t grid[3],
                        const tilec_arg *args, int nargs, const tilec_launch_options *launch,
                        const tilec_tune_options *options, tilec_choice *out, char **error)
{
    Tuning t = {
        .file = file, .grid = grid, .args = args, .nargs = nargs, .best = -1, .error = error};
    tilec_status status;

    if (!begin(&t, launch, options))
        return api_refuse(error, TILEC_NO_MEMORY, "out of memory");
    status = tune(&t, kernel, launch, out);
    end(&t);
    return status;
}

static tilec_status find(Tuning *t, const char *kernel, tilec_choice *out)
{
    tilec_status status;
    bool known;

    if (setjmp(t->guard.env) != 0)
        return api_refuse(t->error, TILEC_NO_MEMORY, "out of memory");
    t->options.anew = 0;
    status = list_and_look(t, kernel, out, &known);
    if (status != TILEC_OK)
        return status;
    if (t->best < 0)
        return api_refuse(t->error, TILEC_NOT_FOUND, "nothing is known of such a call of `%s`",
                          t->kernel->name);
    tell_trials(t);
    give_choice(t, true, out);
    return TILEC_OK;
}

tilec_status tilec_tuned(tilec_file *file, const char *kernel, const tilec_arg *args, int nargs,
                         const tilec_launch_options *launch, const tilec_tune_options *options,
                         tilec_choice *out, char **error)
{
    Tuning t = {.file = file, .args = args, .nargs = nargs, .best = -1, .error = error};
    tilec_status status;

    if (!begin(&t, launch, options))
        return api_refuse(error, TILEC_NO_MEMORY, "out of memory");
    status = find(&t, kernel, out);
    end(&t);
    return status;
}

const tilec_arg *tilec_config_value(const tilec_config *config, const char *name)
{
    for (int i = 0; config && name && i < config->nvalues; i++) {
        if (config->values[i].name && strcmp(config->values[i].name, name) == 0)
            return &config->values[i];
    }
    return NULL;
}
