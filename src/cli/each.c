/*
 * each.c - `run --each PATTERN`: the same call for every file, several files at once
 *
 * Reading, computing and writing of one file follow each other on one thread, and files are spread
 * over the threads: so all of it overlaps, and no result depends on how.  The first file that can
 * be read goes alone, since what is wrong with the call would be wrong for all of them.  What a
 * kernel prints and what failed is told in the order of the files.
 */
#include "each.h"
#include "../io/io.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A test's lines stand among those of its calls. */
static void tell_line(const Each *e, const char *text)
{
    Text t = text_new(e->cli->arena);

    if (e->tests) {
        terminal_line(e->cli->tells, text);
        return;
    }
    text_put_printable(&t, text);
    terminal_say_trouble("tilec: %s\n", t.s);
}

/* What was not written of file `i`; takes the texts. */
static void warn(Each *e, int i, CrewResult *r)
{
    Arena *a = e->cli->arena;

    if (r->warning && !e->cli->quiet) {
        progress_end(&e->progress);
        tell_line(
            e, arena_printf(a, "warning: %s: %s", shown_name(a, e->files.at[i].path), r->warning));
    }
    if (r->unwritten)
        each_json_unwritten(e, i, r->unwritten);
    free(r->warning);
    free(r->unwritten);
    r->warning = r->unwritten = NULL;
}

/* --- telling --- */

/* As a line of its own, behind the name of the file if the text does not begin with it. */
static void tell_trouble(Each *e, const EachFile *f, const char *why)
{
    const char *name = shown_name(e->cli->arena, f->path);
    size_t n = strlen(name);
    bool named = strncmp(why, name, n) == 0 && (why[n] == ':' || why[n] == '\0');

    progress_end(&e->progress);
    tell_line(e, arena_printf(e->cli->arena, "%s%s%s", named ? "" : name, named ? "" : ": ", why));
}

bool each_is_difference(const CrewResult *r)
{
    return r->failed && !r->trouble && r->told;
}

void each_blame(const Cli *c, CrewResult *r, const char *why)
{
    const Cli failed = {.code = (CliCode)r->code, .trouble = why};

    r->trouble = strdup(why);
    r->problem = c->json ? problem_json(&failed) : NULL;
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

bool each_settle(Each *e, int i, CrewResult *r)
{
    EachOutcome *o = &e->outcomes[i];
    bool is_made = !r->failed || each_is_difference(r);

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
    e->halted = is_of_machine(r) ? r->reason : e->halted;
    e->differ += each_is_difference(r);
    if (r->failed && !r->trouble)
        each_blame(e->cli, r, r->told ? "it is not what --compare says" : "there is no memory");
    *o = (EachOutcome){r->told,  r->trouble, r->problem, r->compared, r->rows,
                       r->nrows, r->seconds, is_made,    .done = true};
    *r = (CrewResult){.failed = r->failed};
    e->replaced += is_made && e->older ? e->older[i] : 0;
    e->stale += !is_made && e->older && e->older[i] > 0;
    e->failed += r->failed;
    e->done++;
    interrupt_says("%d of %d files are done", e->done - e->failed, e->files.len);
    if (o->rows) /* a crash is not to take them along */
        each_tell(e);
    return !each_is_over(e);
}

bool each_is_over(const Each *e)
{
    return e->halted || interrupt_noted();
}

/* What a call printed, under the name of its file. */
static void tell_text(Each *e, const EachFile *f, const char *text, bool failed)
{
    if (!text || !*text || (e->tests && !failed))
        return;
    progress_end(&e->progress);
    fprintf(e->cli->tells, "%s:\n%s", shown_name(e->cli->arena, f->path), text);
}

static void tell_file(Each *e, const EachFile *f, const EachOutcome *o)
{
    enum { MOST_OF_TEST = 5 };

    if (e->tests && o->trouble && ++e->troubles > MOST_OF_TEST)
        return;
    tell_text(e, f, o->told, o->trouble != NULL);
    if (o->trouble)
        tell_trouble(e, f, o->trouble);
}

/* Of files whose kernel is running: how much of them is done, together. */
static double running_share(const Each *e)
{
    int sum = 0;

    for (int i = 0; i < e->crew.n; i++)
        sum += atomic_load(&e->shares[i]);
    return sum / 1000.0;
}

/* For a signal that ends the command. */
static void publish(const Each *e)
{
    const int n = e->options->saves.len;
    GatheredTable *tables = NEW_N(e->cli->arena, GatheredTable, n + 1);
    Rescue *all = arena_alloc(e->cli->arena, sizeof *all + sizeof *all->at * (size_t)n);

    all->n = gathered_tables(&e->gathered, tables);
    for (int i = 0; i < all->n; i++) {
        all->at[i].path = tables[i].path;
        all->at[i].text = tables[i].text;
        all->at[i].length = tables[i].length;
    }
    rescue_publish(all);
}

static void write_gathered(const Each *e)
{
    rescue_publish(NULL);
    gathered_write(&e->cli->client, &e->gathered, stdout);
}

void each_tell(Each *e)
{
    for (; e->told < e->files.len && e->outcomes[e->told].done; e->told++) {
        EachOutcome *o = &e->outcomes[e->told];

        tell_file(e, &e->files.at[e->told], o);
        each_json_add(e, e->told);
        free(o->told);
        free(o->trouble);
        free(o->problem);
        free(o->compared);
        if (gathered_add(&e->gathered, o->rows))
            publish(e);
        crew_rows_free(o->rows, o->nrows);
        *o = (EachOutcome){.done = true};
    }
    if (!e->tests)
        progress_files(&e->progress, e->done + running_share(e), e->files.len);
}

/* Behind what has halted it the others are not told of. */
static int settle_rest(Each *e)
{
    int left = 0;

    for (int i = 0; i < e->files.len; i++) {
        left += !e->outcomes[i].done;
        e->outcomes[i].done = true;
    }
    each_tell(e);
    return left;
}

bool each_is_of_call(const CrewResult *r)
{
    bool is_own = r->code == CLI_FILES || r->status == TILEC_FAULT || each_is_difference(r) ||
                  (r->told && *r->told);

    return r->failed && !is_own;
}

void each_stop_early(Each *e, int i, CrewResult *r)
{
    const char *why;

    each_tell(e);
    progress_end(&e->progress);
    why = arena_printf(e->cli->arena, "%s", r->trouble ? r->trouble : "there is no memory");
    crew_result_free(r);
    e->cli->status = r->status;
    e->cli->diagnosis = why;
    e->cli->trouble_file = e->files.at[i].path;
    cli_stop(e->cli, (CliCode)r->code, "with %s: %s",
             shown_name(e->cli->arena, e->files.at[i].path), why);
}

/* --- one file --- */

typedef struct {
    Each *each;
    int threads; /* of a launch */
    bool again;  /* one was done before */
} Run;

static void run_file(Client *client, void *context, int i)
{
    Cli *c = cli_of(client);
    const Run *r = context;
    const EachFile *f = &r->each->files.at[i];
    EachGroup *group = NEW(c->arena, EachGroup);
    Options o = each_options(c, r->each->options, f);
    Call k;

    *group = (EachGroup){f, 1, false, &r->each->constants, &r->each->shapes};
    c->each = group;
    o.launch.threads = r->threads;
    call_init(&k, c, &o);
    k.silent = r->each->tests;
    k.again = r->again; /* what the compiler says was heard */
    if (c->share)
        atomic_store(c->share, 0);
    crash_file_begin(f->path);
    call_run(&k);
    if (c->share)
        atomic_store(c->share, 0);
}

static bool settle_file(void *context, int i, CrewResult *result)
{
    const Run *r = context;

    crash_file_end(r->each->files.at[i].path);
    return each_settle(r->each, i, result);
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
 * command where the next one has it, too: what is wrong with the call is so for all. */
static void run_first_files(Each *e, const CrewTask *task)
{
    CrewResult held = {0}; /* of the last file, which may stop the command */
    int i, last = 0;

    for (; e->done == e->failed && !e->halted && (i = each_next(e)) >= 0; last = i) {
        CrewResult r = crew_do(&e->crew, task, i);
        bool is_of_call = each_is_of_call(&r) && !is_of_machine(&r);

        crash_file_end(e->files.at[i].path);
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

/* Launches side by side tell how far they are together, if there is anybody to see it. */
static void share_progress(Each *e)
{
    for (int i = 0; i < e->crew.n && os_terminal_draws(2); i++)
        cli_of(e->crew.workers[i])->share = &e->shares[i];
}

static void run_files(Each *e)
{
    Run run = {.each = e, .threads = e->options->launch.threads};
    const CrewTask task = {run_file, settle_file, watch_files, &run, next_file};
    const LastWords words = crash_words(e->cli, e->options->kernel, e->options->launch.check);

    if (!each_assists(e)) {
        run_first_files(e, &task);
        share_begin(e->share);
    }
    run.again = true;
    run.threads = MAX(1, e->threads / e->crew.n);
    crash_watch(&words); /* once, not for each launch */
    share_progress(e);
    if (e->done < e->files.len && !e->halted)
        each_crew_run(e, e->files.len - e->done, &task);
    crash_unwatch();
}

int each_next(Each *e)
{
    int i;

    return share_next(e->share, &i) ? i : -1;
}

void each_crew_run(Each *e, int n, const CrewTask *task)
{
    interrupt_defer(true);
    crew_run(&e->crew, n, task);
    interrupt_defer(false);
}

/* --- all of them --- */

Options each_options(Cli *c, const Options *o, const EachFile *f)
{
    Options out = *o;

    out.saves = each_saves(&c->client, &o->saves, f);
    return out;
}

/* Leaves out what --skip-existing means, and finds e->older. */
static void look_at_outputs(Each *e)
{
    Client *c = &e->cli->client;
    const Saves *saves = &e->options->saves;

    if (e->options->skip_existing)
        e->skipped = each_skip_existing(c, saves, &e->files);
    e->older = NEW_N(c->arena, int, e->files.len + 1);
    for (int i = 0; i < e->files.len; i++)
        e->older[i] = each_older_outputs(c, saves, &e->files.at[i]);
}

static void refuse_options(Cli *c, const Options *o)
{
    if (o->profile || o->trace)
        cli_stop(c, CLI_USAGE, "--profile and --trace look at one call, and --each makes many");
    if (o->time)
        cli_stop(
            c, CLI_USAGE,
            "--time times one call; with --each the last line has files/s; for the kernel alone "
            "name one file in the place of {}, and leave --each away");
    if (o->count)
        cli_stop(
            c, CLI_USAGE,
            "--count counts one call, and --each makes many: name one file in the place of {}, "
            "and leave --each away");
}

bool each_is_read(const Options *o)
{
    for (int i = 0; i < o->args.len; i++) {
        if (each_has_place(o->args.at[i].text))
            return true;
    }
    return false;
}

/* Calls that do not ask which file they are for would all be the same. */
static void refuse_unused(Cli *c, const Options *o)
{
    if (!each_is_read(o))
        cli_stop(c, CLI_USAGE, "--each: no argument reads the files; x=@{} does");
}

/* A kernel may only print or assert: that is no mistake. */
static void warn_unkept(Cli *c, const Options *o)
{
    if (o->saves.len + o->shows.len + o->compares.len == 0)
        cli_warn(c,
                 "nothing keeps what comes out of these calls: --save 'NAME=out/{name}.png' writes "
                 "an array of each, --save NAME=all.csv rows of all, --show NAME prints, --compare "
                 "compares");
}

/* What arguments read from files whose names have no placeholder. */
static void load_constants(Each *e)
{
    Cli *c = e->cli;

    for (int i = 0; i < e->options->args.len; i++) {
        const ArgText *arg = &e->options->args.at[i];

        c->client.origin = arg->origin;
        FileTexts texts = value_files(&c->store, arg->name, arg->text);
        for (int k = 0; k < texts.len; k++) {
            const FileText *t = &texts.at[k];

            if (!each_has_place(t->path))
                vec_push(
                    c->arena, &e->constants,
                    ((EachArray){*t, file_load(&c->store, t->path, t->has_type ? &t->type : NULL),
                                 false}));
        }
    }
    c->client.origin = NULL;
}

/* What is done is kept, and told.  Files that are still being worked on do not count. */
static NORETURN void end_interrupted(Each *e)
{
    e->left = settle_rest(e);
    if (!e->tests && !each_assists(e)) {
        write_gathered(e);
        each_sum_up(e);
        fflush(stdout);
    }
    interrupt_end();
}

void each_watch(Each *e)
{
    static const double patience = 0.3; /* seconds */
    double now = os_seconds();

    each_take_theirs(e);
    each_tell(e);
    if (each_is_over(e))
        share_halt(e->share);
    if (!interrupt_noted())
        return;
    e->interrupted = e->interrupted > 0 ? e->interrupted : now;
    if (now - e->interrupted > patience)
        end_interrupted(e);
}

/* From the files to what became of them, with e->cli and e->options. */
static void run_all(Each *e)
{
    Cli *c = e->cli;
    const Options *o = e->options;

    load_constants(e);
    e->gathered = gathered_new(c->arena, &o->saves);
    if (o->json)
        each_json_begin(e);
    e->outcomes = NEW_N(c->arena, EachOutcome, e->files.len);
    e->threads = each_threads(e);
    e->crew = workers_new(c, MAX(1, MIN(e->threads, e->files.len)));
    e->shares = NEW_N(c->arena, atomic_int, e->crew.n);
    e->progress = progress_start(c->quiet, "files");
    e->started = os_seconds();
    if (each_assists(e))
        share_ask(e->share, o->batch ? 1 : e->crew.n);
    if (o->batch)
        batch_run(e);
    else
        run_files(e);
    each_wait_for_ranks(e);
    if (interrupt_noted())
        end_interrupted(e);
    e->left = settle_rest(e);
}

/* How many the files are in pieces of: with --batch ranges, else files that a rank takes at once.
 */
static void share_files(Each *e)
{
    const int n = e->files.len, most = 16;

    if (e->options->batch)
        each_share_files(e, (n + batch_range(e) - 1) / batch_range(e), 1);
    else
        each_share_files(e, n, MAX(1, MIN(most, n / (16 * e->ranks.size))));
}

/* On the first rank, which may be the only one. */
static void run_command(Cli *c, void *each)
{
    Each *e = each;
    const Options *o = e->options;

    c->tells = o->json || save_uses_stdout(c->arena, &o->saves) ? stderr : stdout;
    e->files = each_find(&c->store, &o->eaches);
    const Saving saving = saving_of(c, o);
    each_check_outputs(&saving, &e->files);
    warn_unkept(c, o);
    look_at_outputs(e);
    share_files(e);
    run_all(e);
    write_gathered(e);
    checked_tell(o->launch.check && !checked_races(c, o->launch.device));
    each_sum_up(e);
    if (e->failed)
        c->code = e->halted ? CLI_FILES : CLI_REFUSED;
}

static void open_and_run(Cli *c, void *each)
{
    Each *e = each;
    Options o = *e->options;
    const bool quiet = c->quiet;

    e->options = &o;
    if (!each_assists(e)) {
        refuse_options(c, &o);
        refuse_unused(c, &o);
    } else if (!each_hear_files(e)) {
        return;
    }
    c->quiet = quiet || each_assists(e); /* the first rank says it */
    o.saves = each_mark_gathered(&c->client, &o.saves);
    args_open_kernel(c, &o);
    each_choose_unit(e, &o);
    c->quiet = quiet;
    if (each_assists(e))
        run_all(e);
    else
        run_command(c, e);
}

void each_run(Cli *c, const Options *o)
{
    Each e = {.cli = c,
              .options = o,
              .ranks = ranks_find(),
              .shapes = {.lock = PTHREAD_MUTEX_INITIALIZER}};

    each_on_ranks(&e, open_and_run);
}

static void test_files(Cli *c, void *each)
{
    Each *e = each;

    e->files = each_find(&c->store, &e->options->eaches);
    share_files(e);
    run_all(e);
}

bool each_test(Cli *c, const Options *o, EachTest *out)
{
    Each e = {.cli = c,
              .options = o,
              .tests = true,
              .ranks = {.size = 1, .host_size = 1},
              .shapes = {.lock = PTHREAD_MUTEX_INITIALIZER}};
    char *text = NULL;
    size_t n;

    c->tells = open_memstream(&text, &n);
    if (!c->tells)
        cli_stop(c, CLI_REFUSED, "there is no memory");
    each_on_ranks(&e, test_files);
    if (e.failed)
        fprintf(c->tells, "%d of %d files failed", e.failed, e.files.len);
    fclose(c->tells);
    out->why = *text ? arena_strndup(c->arena, text, strlen(text)) : NULL;
    out->compared = o->json ? e.json.compared.s : NULL;
    free(text);
    return e.failed == 0;
}
