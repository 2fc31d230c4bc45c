/*
 * each.c - the same call for every file, several files at once
 *
 * Reading, computing and writing of one file follow each other on one thread, and files are spread
 * over the threads: so all of it overlaps, and no result depends on how.  The first file that can
 * be read goes alone, since what is wrong with the call would be wrong for all of them.  What a
 * kernel prints and what failed is told in the order of the files.
 */
#include "each.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* --- what became of a file --- */

/* Takes the texts. */
static void warn(Each *e, int i, CrewResult *r)
{
    if (r->warning)
        e->host->warn(e, &e->files.at[i], r->warning);
    if (r->warning)
        map_put(e->warned, hash_bytes(r->warning, strlen(r->warning), 0), e);
    if (r->unwritten)
        each_json_unwritten(e, i, r->unwritten);
    free(r->warning);
    free(r->unwritten);
    r->warning = r->unwritten = NULL;
}

bool each_is_difference(const CrewResult *r)
{
    return r->failed && !r->trouble && r->told;
}

void each_blame(Each *e, CrewResult *r, const char *why)
{
    r->trouble = strdup(why);
    r->problem = e->wants_json ? e->host->problem(e, r->code, why) : NULL;
}

/* Would every file meet it? */
static bool is_of_machine(const CrewResult *r)
{
    static const int reasons[] = {ENOSPC, EDQUOT, EROFS, EMFILE, ENFILE};
    bool found = false;

    for (int i = 0; i < COUNT(reasons) && r->failed; i++)
        found |= r->reason == reasons[i];
    return found;
}

static void note_outcome(Each *e, int i, CrewResult *r)
{
    EachOutcome *o = &e->outcomes[i];
    bool is_made = !r->failed || each_is_difference(r);

    e->halted = is_of_machine(r) ? r->reason : e->halted;
    e->differ += each_is_difference(r);
    if (r->failed && !r->trouble)
        each_blame(e, r, r->told ? "it is not what --compare says" : "there is no memory");
    *o = (EachOutcome){r->told,  r->trouble, r->problem, r->compared, r->rows,
                       r->nrows, r->seconds, is_made,    .done = true};
    *r = (CrewResult){.failed = r->failed};
    e->replaced += is_made && e->older ? e->older[i] : 0;
    e->stale += !is_made && e->older && e->older[i] > 0;
    e->failed += r->failed;
    e->done++;
    e->host->progress(e);
    if (o->rows) /* a crash is not to take them along */
        each_tell(e);
}

bool each_settle(Each *e, int i, CrewResult *r)
{
    if (each_assists(e)) {
        e->outcomes[i].done = true;
        each_send(e, i, r);
        return !each_is_over(e);
    }
    warn(e, i, r);
    if (is_of_machine(r) && e->halted) { /* of a file that was begun before */
        crew_result_free(r);
        return false;
    }
    note_outcome(e, i, r);
    return !each_is_over(e);
}

bool each_is_over(const Each *e)
{
    return e->halted || e->host->is_interrupted();
}

/* --- telling --- */

/* For a signal that ends the process. */
static void keep_tables(Each *e)
{
    GatheredTable *tables = NEW_N(e->client->arena, GatheredTable, e->saves->len + 1);

    e->host->keep_tables(e, tables, gathered_tables(&e->gathered, tables));
}

void each_tell(Each *e)
{
    for (; e->told < e->files.len && e->outcomes[e->told].done; e->told++) {
        EachOutcome *o = &e->outcomes[e->told];

        e->host->tell(e, &e->files.at[e->told], o->told, o->trouble);
        each_json_add(e, e->told);
        free(o->told);
        free(o->trouble);
        free(o->problem);
        free(o->compared);
        if (gathered_add(&e->gathered, o->rows))
            keep_tables(e);
        crew_rows_free(o->rows, o->nrows);
        *o = (EachOutcome){.done = true};
    }
    e->host->progress(e);
}

/* Behind what has halted it the others are not told of. */
static void settle_rest(Each *e)
{
    e->left = 0;
    for (int i = 0; i < e->files.len; i++) {
        e->left += !e->outcomes[i].done;
        e->outcomes[i].done = true;
    }
    each_tell(e);
}

bool each_is_of_call(const CrewResult *r)
{
    bool is_own = r->code == CLIENT_FILES || r->status == TILEC_FAULT || each_is_difference(r) ||
                  (r->told && *r->told);

    return r->failed && !is_own;
}

/* What is done is kept, and told.  Files that are still being worked on do not count. */
static void end_interrupted(Each *e)
{
    settle_rest(e);
    e->host->end_interrupted(e);
}

void each_watch(Each *e)
{
    static const double patience = 0.3; /* seconds */
    double now = os_seconds();

    each_take_theirs(e);
    each_tell(e);
    if (each_is_over(e))
        share_halt(e->share);
    if (!e->host->is_interrupted())
        return;
    e->interrupted = e->interrupted > 0 ? e->interrupted : now;
    if (now - e->interrupted > patience)
        end_interrupted(e);
}

/* --- one file --- */

typedef struct {
    Each *each;
    int threads; /* of a launch */
    bool again;  /* one was done before */
} Run;

static void run_file(Store *worker, void *context, int i)
{
    const Run *r = context;
    Each *e = r->each;
    const EachFile *f = &e->files.at[i];
    EachGroup *group = NEW(worker->arena, EachGroup);
    Saves *saves = NEW(worker->arena, Saves);

    *group = (EachGroup){f, 1, false, &e->constants, &e->shapes};
    *saves = each_saves(worker->client, e->saves, f);
    e->host->call(e, worker, group, saves, r->threads, r->again);
}

static bool settle_file(void *context, int i, CrewResult *result)
{
    Each *e = ((const Run *)context)->each;

    e->host->end_file(&e->files.at[i]);
    return each_settle(e, i, result);
}

static void watch_files(void *context)
{
    each_watch(((const Run *)context)->each);
}

static int next_file(void *context)
{
    return each_next(((const Run *)context)->each);
}

/* The first ones alone, up to one that is done.  What has nothing to do with the file ends the
 * whole where the next one has it, too: what is wrong with the call is so for all. */
static void run_first_files(Each *e, const CrewTask *task)
{
    CrewResult held = {0}; /* of the last file, which may stop it */
    int i, last = 0;

    for (; e->done == e->failed && !e->halted && (i = each_next(e)) >= 0; last = i) {
        CrewResult r = crew_do(&e->crew, task, i);
        bool is_of_call = each_is_of_call(&r) && !is_of_machine(&r);

        e->host->end_file(&e->files.at[i]);
        if (held.failed && is_of_call) {
            crew_result_free(&r); /* which says the same */
            each_stop_early(e, last, &held);
        }
        if (held.failed)
            each_settle(e, last, &held);
        held = (CrewResult){0};
        if (is_of_call)
            held = r;
        else
            each_settle(e, i, &r);
        each_tell(e);
    }
    if (held.failed)
        each_stop_early(e, last, &held);
}

static void run_files(Each *e)
{
    Run run = {.each = e, .threads = e->launch_threads};
    const CrewTask task = {run_file, settle_file, watch_files, &run, next_file};

    if (!each_assists(e)) {
        run_first_files(e, &task);
        share_begin(e->share);
    }
    run.again = true;
    run.threads = MAX(1, e->threads / e->crew.n);
    if (e->done < e->files.len && !e->halted)
        each_crew_run(e, e->files.len - e->done, true, &task);
}

int each_next(Each *e)
{
    int i;

    return share_next(e->share, &i) ? i : -1;
}

void each_crew_run(Each *e, int n, bool launches, const CrewTask *task)
{
    e->host->works(e, true, launches);
    crew_run(&e->crew, n, task);
    e->host->works(e, false, launches);
}

void each_stop_early(Each *e, int i, CrewResult *r)
{
    each_tell(e);
    if (!r->trouble)
        r->trouble = strdup("there is no memory");
    e->host->stop_early(e, &e->files.at[i], r);
}

/* --- all of them --- */

void each_look_at_outputs(Each *e)
{
    if (e->skips)
        e->skipped = each_skip_existing(e->client, e->saves, &e->files);
    e->older = NEW_N(e->client->arena, int, e->files.len + 1);
    for (int i = 0; i < e->files.len; i++)
        e->older[i] = each_older_outputs(e->client, e->saves, &e->files.at[i]);
}

/* What values read from files whose names have no placeholder. */
static void load_constants(Each *e)
{
    for (int i = 0; i < e->values.len; i++) {
        const EachText *value = &e->values.at[i];

        e->client->origin = value->origin;
        FileTexts texts = value_files(e->store, value->name, value->text);
        for (int k = 0; k < texts.len; k++) {
            const FileText *t = &texts.at[k];

            if (!each_has_place(t->path))
                vec_push(
                    e->client->arena, &e->constants,
                    ((EachArray){*t, file_load(e->store, t->path, t->has_type ? &t->type : NULL),
                                 false}));
        }
    }
    e->client->origin = NULL;
}

void each_go(Each *e)
{
    Arena *a = e->client->arena;

    pthread_mutex_init(&e->shapes.lock, NULL);
    if (!each_assists(e))
        each_share_files(e);
    load_constants(e);
    e->gathered = gathered_new(a, e->saves);
    if (e->wants_json)
        each_json_begin(e);
    e->outcomes = NEW_N(a, EachOutcome, e->files.len);
    e->warned = map_new(a);
    if (each_assists(e))
        share_ask(e->share, e->batch ? 1 : e->crew.n);
    if (e->batch)
        batches_run(e);
    else
        run_files(e);
    each_wait_for_ranks(e);
    if (e->host->is_interrupted())
        end_interrupted(e);
    settle_rest(e);
}
