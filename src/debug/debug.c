/*
 * debug.c - the run of a debugger: launches that end where it must go again, and begin anew
 *
 * Forward a move only says what the run goes on for (a Wish), and the watcher (watcher.c) stops it.
 * Backward the launch is ended, what was written since a program's beginning is undone, and a
 * launch from that program on runs to a moment.  Which moment that is, where it is not known, is
 * found by a launch that notes the last one of a program, and of those in front until there is one.
 *
 * A launch that fails says so when it has ended.  Then it runs again up to the op that failed.
 */
#include <stdlib.h>
#include <string.h>

#include "inside.h"

/* --- launches --- */

static void on_fault(void *debugger)
{
    Debugger *d = debugger;

    d->failed = true;
}

static void on_record(void *debugger, const tilec_record *record)
{
    const Debugger *d = debugger;

    if (record->kind == TILEC_RECORD_PRINT && d->is_new)
        d->host->printed(d->host->ctx, record->text);
}

static void on_message(void *debugger, const char *text)
{
    const Debugger *d = debugger;

    d->host->said(d->host->ctx, text);
}

Debugger *debug_new(Client *c, const DebugLaunch *launch, const DebugHost *host)
{
    Debugger *d = NEW(c->arena, Debugger);

    d->client = c;
    d->launch = *launch;
    d->host = host;
    d->observer = watcher_observer(d);
    d->observed =
        (Observed){.observer = &d->observer, .on_fault = on_fault, .names = launch->says_names};
    d->lines = map_new(c->arena);
    d->farthest.program = -1;
    return d;
}

void debug_free(Debugger *d)
{
    evaluated_free(d);
    written_free(&d->journal);
    recalled_free(&d->recalled);
    free(d->begun);
    free(d->fault);
}

/* The programs from the first to the last of these. */
static tilec_status launch(Debugger *d, int64_t first, int64_t last, char **error)
{
    tilec_launch_options options = *d->launch.options;

    options.check |= d->checks;
    options.on_record = on_record;
    options.on_progress = NULL;
    if (d->host->said)
        options.on_message = on_message;
    options.user = d;
    d->observed.first = first;
    d->observed.last = last;
    d->failed = d->goes_again = false;
    written_undo(&d->journal, first);
    return api_launch_observed(d->launch.file, d->launch.kernel, d->launch.grid, d->launch.args,
                               d->launch.nargs, &options, &d->observed, error);
}

static int64_t programs_of_launch(const Debugger *d)
{
    const int32_t *grid = d->launch.grid;

    return (int64_t)grid[0] * grid[1] * grid[2];
}

int64_t debug_program_number(const Debugger *d, const int32_t at[3])
{
    const int32_t *grid = d->launch.grid;

    return at[0] + (int64_t)grid[0] * (at[1] + (int64_t)grid[1] * at[2]);
}

bool debug_checks(const Debugger *d)
{
    return d->checks || d->launch.options->check;
}

/* Where a launch must begin that goes to that program: what looks for races must see all. */
static int64_t first_for(const Debugger *d, int64_t program)
{
    return debug_checks(d) ? 0 : program;
}

static bool is_search(const Debugger *d)
{
    return d->wish.purpose == FOR_LAST_STOP || d->wish.purpose == FOR_LAST_STATEMENT;
}

/* Behind the launch of a search: the next one, or where it leads. */
static void follow_search(Debugger *d)
{
    if (d->found) {
        d->wish = (Wish){.purpose = FOR_MOMENT, .moment = d->last, .why = DEBUG_STEPPED};
    } else if (d->wish.moment.program == 0) {
        d->wish = (Wish){.purpose = FOR_PROGRAM, .why = DEBUG_BEGINS};
    } else {
        d->wish.moment = (DebugMoment){d->wish.moment.program - 1, INT64_MAX};
    }
}

static void stand_at_end(Debugger *d)
{
    DebugStop stop = {.why = DEBUG_ENDED, .moment = d->now};

    memcpy(stop.program, d->program, sizeof stop.program);
    d->has_ended = d->ends = d->stands = true;
    d->host->stopped(d->host->ctx, &stop);
    d->stands = false;
    d->has_ended = d->has_ended && d->ends;
}

/* The op that failed is the next thing to see, once its launch has said what was wrong. */
static void go_to_fault(Debugger *d, char *error)
{
    free(d->fault);
    d->fault = error;
    d->fault_at = d->now;
    d->wish = (Wish){.purpose = FOR_MOMENT, .moment = d->now, .why = DEBUG_FAULT};
}

/* One launch, and what is to be done behind it.  False: it could not run, or it is over. */
static bool run_once(Debugger *d, tilec_status *status, char **error)
{
    bool search = is_search(d);
    int64_t to = d->wish.moment.program;
    bool from_here = d->wish.purpose == FOR_STOPS || d->wish.purpose == FOR_STATEMENT;

    d->module = NULL;
    d->found = false;
    *status =
        launch(d, from_here ? 0 : first_for(d, to), search ? to + 1 : programs_of_launch(d), error);
    if (d->ends)
        return false;
    if (d->goes_again || search) {
        tilec_free(*error);
        *error = NULL;
        if (!d->goes_again)
            follow_search(d);
        return true;
    }
    if (*status != TILEC_OK && !d->module)
        return false;
    if (*status != TILEC_OK) {
        go_to_fault(d, *error);
        *error = NULL;
        return true;
    }
    stand_at_end(d);
    return !d->ends;
}

tilec_status debug_run(Debugger *d, char **error)
{
    tilec_status status = TILEC_OK;

    d->wish = (Wish){.purpose = FOR_PROGRAM, .why = DEBUG_BEGINS};
    *error = NULL;
    while (run_once(d, &status, error))
        continue;
    if (status != TILEC_OK && !d->ends)
        return status;
    tilec_free(*error);
    *error = NULL;
    return TILEC_OK;
}

/* --- moves --- */

static void go(Debugger *d, Wish wish)
{
    d->wish = wish;
    d->ends = false;
}

static void go_again(Debugger *d, Wish wish)
{
    if (d->journal.is_full)
        client_stop(
            d->client, CLIENT_REFUSED,
            "there was not enough memory to keep what the programs have written, so nothing "
            "can be run again");
    go(d, wish);
    d->goes_again = true;
}

void debug_end(Debugger *d)
{
    d->ends = true;
}

void debug_restart(Debugger *d)
{
    go_again(d, (Wish){.purpose = FOR_STOPS});
}

/* What looks for races has other ops, and moments of its own. */
void debug_check(Debugger *d)
{
    go_again(d, (Wish){.purpose = FOR_PROGRAM, .why = DEBUG_BEGINS});
    d->checks = true;
    d->farthest = (DebugMoment){-1, 0};
    recalled_forget(&d->recalled);
    for (int i = 0; i < d->breaks.len; i++) {
        d->breaks.at[i].seen.len = 0;
        d->breaks.at[i].logged = (DebugMoment){-1, 0};
    }
}

static void go_on(Debugger *d, Wish wish)
{
    if (d->has_ended)
        client_stop(
            d->client, CLIENT_USAGE,
            "the launch has ended: `back` and `reverse-continue` go back, `run` begins anew");
    if (d->fault && d->now.program == d->fault_at.program && d->now.step == d->fault_at.step)
        client_stop(
            d->client, CLIENT_USAGE,
            "the launch fails here: `back` and `reverse-continue` go back, `run` begins anew");
    wish.moment = d->now;
    go(d, wish);
}

void debug_continue(Debugger *d)
{
    go_on(d, (Wish){.purpose = FOR_STOPS});
}

void debug_step(Debugger *d, int64_t n)
{
    go_on(d, (Wish){.purpose = FOR_STATEMENT, .depth = MOST_DEPTH, .count = n});
}

void debug_next(Debugger *d, int64_t n)
{
    go_on(d, (Wish){.purpose = FOR_STATEMENT, .depth = d->depth, .count = n});
}

void debug_finish(Debugger *d)
{
    go_on(d, (Wish){.purpose = FOR_STATEMENT, .depth = d->depth - 1, .count = 1});
}

void debug_go_to(Debugger *d, DebugMoment moment)
{
    go_again(d, (Wish){.purpose = FOR_MOMENT, .moment = moment, .why = DEBUG_STEPPED});
}

void debug_differ(Debugger *d, DebugVersion *v, DebugMoment moment)
{
    if (!version_fits(v, d->launch.grid)) {
        debug_go_to(d, moment);
        return;
    }
    go_again(d, (Wish){.purpose = FOR_DIFFERENCE, .moment = moment, .why = DEBUG_STEPPED});
    d->version = v;
}

void debug_go_to_end(Debugger *d)
{
    go_on(d, (Wish){.purpose = FOR_END});
}

/* Behind the last op that has begun. */
static DebugMoment end_of_run(const Debugger *d)
{
    return (DebugMoment){d->now.program, d->has_ended ? INT64_MAX : d->now.step};
}

void debug_back(Debugger *d, int64_t n)
{
    DebugMoment end = end_of_run(d);
    int64_t known = (int64_t)d->nbegun;

    while (known > 0 && d->begun[known - 1].step >= end.step)
        known--;
    if (known >= n)
        debug_go_to(d, (DebugMoment){d->now.program, d->begun[known - n].step});
    else if (d->forgot_begun)
        go_again(d, (Wish){.purpose = FOR_LAST_STATEMENT,
                           .moment = end,
                           .from = end,
                           .why = DEBUG_STEPPED});
    else if (end.program == 0 && known == 0)
        client_stop(d->client, CLIENT_USAGE, "this is where the launch begins");
    else if (end.program == 0)
        debug_go_to_program(d, 0);
    else
        go_again(d, (Wish){.purpose = FOR_LAST_STATEMENT,
                           .moment = {end.program - 1, INT64_MAX},
                           .from = end,
                           .why = DEBUG_STEPPED});
}

void debug_reverse(Debugger *d)
{
    DebugMoment end = end_of_run(d);

    go_again(d, (Wish){.purpose = FOR_LAST_STOP, .moment = end, .from = end, .why = DEBUG_STEPPED});
}

void debug_go_to_program(Debugger *d, int64_t program)
{
    Wish wish = {.purpose = FOR_PROGRAM, .moment = {program, 0}, .why = DEBUG_CAME};

    if (!d->has_ended && program > d->now.program)
        go(d, wish);
    else
        go_again(d, wish);
}
