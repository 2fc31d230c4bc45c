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

void each_warn(Each *e, int i, CrewResult *r)
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

    each_warn(e, i, r);
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

void each_tell_text(Each *e, const EachFile *f, const char *text, bool failed)
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
    each_tell_text(e, f, o->told, o->trouble != NULL);
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
    int first;   /* the file of piece 0 */
    int threads; /* of a launch */
    bool again;  /* one was done before */
} Run;

static void run_file(Client *client, void *context, int i)
{
    Cli *c = cli_of(client);
    const Run *r = context;
    const EachFile *f = &r->each->files.at[r->first + i];
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

    crash_file_end(r->each->files.at[r->first + i].path);
    return each_settle(r->each, r->first + i, result);
}

static void watch_files(void *context)
{
    each_watch(((const Run *)context)->each);
}

/* The first ones alone, up to one that is done.  What has nothing to do with the file ends the
 * command where the next one has it, too: what is wrong with the call is so for all.  Gives how
 * many there were. */
static int run_first_files(Each *e, const CrewTask *task)
{
    CrewResult held = {0}; /* of the last file, which may stop the command */
    int first = 0;

    for (; first < e->files.len && e->done == e->failed && !e->halted; first++) {
        CrewResult r = crew_do(&e->crew, task, first);
        bool is_of_call = each_is_of_call(&r) && !is_of_machine(&r);

        crash_file_end(e->files.at[first].path);
        if (held.failed && is_of_call) {
            crew_result_free(&r); /* which says the same */
            each_stop_early(e, first - 1, &held);
        }
        if (held.failed)
            each_settle(e, first - 1, &held);
        held = (CrewResult){0};
        if (is_of_call)
            held = r;
        else
            each_settle(e, first, &r);
        each_tell(e);
    }
    if (held.failed)
        each_stop_early(e, first - 1, &held);
    return first;
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
    const CrewTask task = {run_file, settle_file, watch_files, &run};
    const LastWords words = crash_words(e->cli, e->options->kernel, e->options->launch.check);
    int first = run_first_files(e, &task);

    run.again = true;
    run.first = first;
    run.threads = MAX(1, e->threads / e->crew.n);
    crash_watch(&words); /* once, not for each launch */
    share_progress(e);
    if (first < e->files.len && !e->halted)
        each_crew_run(e, e->files.len - first, &task);
    crash_unwatch();
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

/* On stderr for people; --json has the same on stdout. */
static void tell_sums(const Each *e, double seconds)
{
    Text t = text_new(e->cli->arena);

    if (interrupt_noted()) {
        terminal_say("tilec: stopped: %d of %d files are done\n", e->done - e->failed,
                     e->files.len);
        return;
    }
    text_printf(&t, "tilec: %d of %d files in %.2f s, %.0f files/s", e->done - e->failed,
                e->files.len, seconds, e->files.len / seconds);
    if (e->options->skip_existing)
        text_printf(&t, "; %d skipped%s", e->skipped,
                    e->files.len > 0 ? ""
                                     : ": all outputs are there, and not older than their files");
    if (e->replaced)
        text_printf(&t, "; %d older output%s replaced", e->replaced, e->replaced > 1 ? "s" : "");
    if (e->failed)
        text_printf(&t, "; %d failed", e->failed);
    if (e->stale)
        text_printf(&t, ", of which %d %s outputs of an earlier run", e->stale,
                    e->stale == 1 ? "has" : "have");
    if (e->left)
        text_printf(&t, "; %d left, which would fail alike", e->left);
    if (e->options->compares.len > 0)
        text_printf(&t, "; compared: %d agree, %d differ%s", e->done - e->failed, e->differ,
                    e->differ == 1 ? "s" : "");
    terminal_say("%s\n", t.s);
    if (e->halted == EMFILE || e->halted == ENFILE)
        terminal_say("hint: `ulimit -n N` lets a process have N files open\n");
}

static void sum_up(Each *e)
{
    double seconds = os_seconds() - e->started;

    progress_end(&e->progress);
    if (!e->options->quiet)
        tell_sums(e, seconds);
    if (e->options->json)
        each_json_print(e, seconds);
}

/* What is done is kept, and told.  Files that are still being worked on do not count. */
static NORETURN void end_interrupted(Each *e)
{
    e->left = settle_rest(e);
    if (!e->tests) {
        write_gathered(e);
        sum_up(e);
        fflush(stdout);
    }
    interrupt_end();
}

void each_watch(Each *e)
{
    static const double patience = 0.3; /* seconds */
    double now = os_seconds();

    each_tell(e);
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
    e->threads = o->launch.threads ? o->launch.threads : os_cpu_count();
    e->crew = workers_new(c, MAX(1, MIN(e->threads, e->files.len)));
    e->shares = NEW_N(c->arena, atomic_int, e->crew.n);
    e->progress = progress_start(c->quiet, "files");
    e->started = os_seconds();
    if (o->batch)
        batch_run(e);
    else
        run_files(e);
    if (interrupt_noted())
        end_interrupted(e);
    e->left = settle_rest(e);
}

void each_run(Cli *c, const Options *given)
{
    Options o = *given;
    Each e = {.cli = c, .options = &o, .shapes = {.lock = PTHREAD_MUTEX_INITIALIZER}};

    refuse_options(c, &o);
    refuse_unused(c, &o);
    o.saves = each_mark_gathered(&c->client, &o.saves);
    c->tells = o.json || save_uses_stdout(c->arena, &o.saves) ? stderr : stdout;
    args_open_kernel(c, &o);
    e.files = each_find(&c->store, &o.eaches);
    const Saving saving = saving_of(c, &o);
    each_check_outputs(&saving, &e.files);
    warn_unkept(c, &o);
    look_at_outputs(&e);
    run_all(&e);
    write_gathered(&e);
    checked_tell(o.launch.check && !checked_races(c, o.launch.device));
    sum_up(&e);
    if (e.failed)
        c->code = e.halted ? CLI_FILES : CLI_REFUSED;
}

bool each_test(Cli *c, const Options *o, EachTest *out)
{
    Each e = {.cli = c, .options = o, .tests = true, .shapes = {.lock = PTHREAD_MUTEX_INITIALIZER}};
    char *text = NULL;
    size_t n;

    c->tells = open_memstream(&text, &n);
    if (!c->tells)
        cli_stop(c, CLI_REFUSED, "there is no memory");
    e.files = each_find(&c->store, &o->eaches);
    run_all(&e);
    if (e.failed)
        fprintf(c->tells, "%d of %d files failed", e.failed, e.files.len);
    fclose(c->tells);
    out->why = *text ? arena_strndup(c->arena, text, strlen(text)) : NULL;
    out->compared = o->json ? e.json.compared.s : NULL;
    free(text);
    return e.failed == 0;
}
