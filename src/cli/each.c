/*
 * each.c - `run --each PATTERN`: the same call for every file, or with --batch for several at once
 *
 * What such a command line may not say, and the calls that src/batch asks for: each is one of
 * `tilec run` on a worker that has the library and the file of the command.
 */
#include "each.h"

#include <stdlib.h>
#include <string.h>

/* --- a file --- */

static void call_file(Each *e, Store *worker, const EachGroup *group, const Saves *saves,
                      int threads, bool again)
{
    const Eaches *a = eaches_of(e);
    Cli *c = cli_of(worker->client);
    Options o = *a->options;
    Call k;

    o.saves = *saves;
    o.launch.threads = threads;
    c->each = group;
    call_init(&k, c, &o);
    k.silent = a->tests;
    k.again = again; /* what the compiler says was heard */
    if (c->share)
        atomic_store(c->share, 0);
    crash_file_begin(group->files[0].path);
    call_run(&k);
    if (c->share)
        atomic_store(c->share, 0);
}

static void add_rows(Store *worker, const char **rows, int n)
{
    Cli *c = cli_of(worker->client);

    c->rows = rows;
    c->nrows = n;
}

static void end_file(const EachFile *f)
{
    crash_file_end(f->path);
}

/* --- a batch --- */

typedef struct {
    Cli cli;
    Call call;
} BatchCall;

/* What --save writes: arrays with a part for each file. */
static const Array *const *find_outputs(Cli *c, const Call *k, const Options *o, int n)
{
    const Array **out = NEW_N(c->arena, const Array *, o->saves.len + 1);

    for (int i = 0; i < o->saves.len; i++) {
        const SaveText *save = &o->saves.at[i];

        out[i] = outputs_find(c, &k->args.names, "--save", save->name);
        if (out[i]->ndim == 0 || out[i]->shape[0] != n)
            cli_stop(
                c, CLI_USAGE,
                "--save %s=%s: with --batch its first extent has to be the number of files, here "
                "%d",
                save->name, save->path, n);
    }
    return out;
}

static void call_batch(Store *worker, void *context, int unused)
{
    EachLaunch *l = context;
    const Eaches *a = eaches_of(l->each);
    Cli *c = cli_of(worker->client);
    Call *k = &((BatchCall *)l->own)->call;
    Options o = *a->options;

    (void)unused;
    each_pile(l, worker);
    c->each = &l->group;
    o.saves.len = 0; /* they are written a part at a time */
    call_init(k, c, &o);
    k->silent = a->tests;
    k->again = l->again;
    call_open(k);
    call_evaluate(k);
    l->outputs = find_outputs(c, k, a->options, l->group.n);
    call_run_evaluated(k);
}

static CrewResult launch_batch(EachLaunch *l)
{
    const Cli *c = eaches_of(l->each)->cli;
    BatchCall *own = l->own = calloc(1, sizeof *own);

    if (!own)
        return (CrewResult){.failed = true, .code = CLI_REFUSED, .status = TILEC_NO_MEMORY};
    own->cli = (Cli){.tilec = c->tilec, .file = c->file, .json = c->json, .quiet = c->quiet};
    for (int i = 0; i < l->group.n; i++)
        crash_file_begin(l->group.files[i].path);
    return worker_attempt(&own->cli, call_batch, l, 0);
}

static void release_batch(EachLaunch *l)
{
    BatchCall *own = l->own;

    if (own)
        worker_release(&own->cli);
    free(own);
}

/* --- all of them --- */

/* Launches side by side tell how far they are together, if there is anybody to see it. */
static void share_progress(const Eaches *a)
{
    for (int i = 0; i < a->each.crew.n && os_terminal_draws(2); i++)
        cli_of(a->each.crew.workers[i])->share = &a->shares[i];
}

static void work(Each *e, bool begins, bool launches)
{
    Eaches *a = eaches_of(e);

    interrupt_defer(begins);
    if (launches && begins) {
        share_progress(a);
        crash_watch(&a->words); /* once, not for each launch */
    } else if (launches) {
        crash_unwatch();
    }
}

static char *problem_of(Each *e, int code, const char *why)
{
    const Cli failed = {.code = (CliCode)code, .trouble = why};

    (void)e;
    return problem_json(&failed);
}

static bool is_interrupted(void)
{
    return interrupt_noted() != 0;
}

static void stop_early(Each *e, const EachFile *f, CrewResult *r)
{
    Eaches *a = eaches_of(e);
    Cli *c = a->cli;
    const char *why = arena_printf(c->arena, "%s", r->trouble);

    progress_end(&a->progress);
    c->status = r->status;
    c->diagnosis = why;
    c->trouble_file = f->path;
    const CliCode code = (CliCode)r->code;
    crew_result_free(r);
    cli_stop(c, code, "with %s: %s", shown_name(c->arena, f->path), why);
}

static const EachHost host = {.call = call_file,
                              .add_rows = add_rows,
                              .end_file = end_file,
                              .launch = launch_batch,
                              .release = release_batch,
                              .works = work,
                              .tell = tell_file,
                              .warn = tell_warning,
                              .complain = tell_complaint,
                              .progress = tell_progress,
                              .keep_tables = tell_keep_tables,
                              .problem = problem_of,
                              .is_interrupted = is_interrupted,
                              .end_interrupted = tell_interrupted,
                              .stop_early = stop_early};

/* --- what the command line says --- */

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

static int threads_of(const Options *o, const Ranks *ranks)
{
    if (o->launch.threads)
        return o->launch.threads;
    return ranks->size > 1 ? ranks_cpus(ranks) : os_cpu_count();
}

/* Of several GPUs each rank of a machine has another one, unless --device says which. */
static int unit_of(const Cli *c, const Options *o, const Ranks *ranks)
{
    const int units = o->launch.device ? tilec_unit_count(c->tilec, o->launch.device) : 0;

    return units > 1 && !strchr(o->devices, ':') ? ranks->host_rank % units : o->device_id;
}

/* --- the whole --- */

static void eaches_init(Eaches *a, Cli *c, const Options *o, Ranks ranks)
{
    Each *e = &a->each;

    *a = (Eaches){.cli = c, .options = o};
    *e = (Each){.client = &c->client,
                .store = &c->store,
                .host = &host,
                .saves = &o->saves,
                .compress = o->compress,
                .batch = o->batch,
                .wants_json = o->json,
                .skips = o->skip_existing,
                .ranks = ranks,
                .threads = threads_of(o, &ranks),
                .launch_threads = o->launch.threads};
    for (int i = 0; i < o->args.len; i++)
        vec_push(c->arena, &e->values,
                 ((EachText){o->args.at[i].name, o->args.at[i].text, o->args.at[i].origin}));
    for (int i = 0; i < o->compares.len; i++)
        vec_push(c->arena, &e->others,
                 ((EachText){"--compare", o->compares.at[i].with, o->compares.at[i].origin}));
}

/* With the files, and an open kernel. */
static void go(Eaches *a)
{
    Cli *c = a->cli;
    Each *e = &a->each;

    e->crew = workers_new(c, MAX(1, MIN(e->threads, e->files.len)));
    a->shares = NEW_N(c->arena, atomic_int, e->crew.n);
    a->words = crash_words(c, a->options->kernel, a->options->launch.check);
    a->progress = progress_start(c->quiet, "files");
    a->started = os_seconds();
    each_go(e);
}

static void open_kernel(Eaches *a, Options *o)
{
    Cli *c = a->cli;

    args_open_kernel(c, o);
    o->device_id = unit_of(c, o, &a->each.ranks);
    if (a->each.ranks.size > 1)
        o->launch.threads = a->each.launch_threads = a->each.threads;
}

/* On the first rank, which may be the only one. */
static void lead(Eaches *a, Options *o)
{
    Cli *c = a->cli;
    Each *e = &a->each;

    refuse_options(c, o);
    refuse_unused(c, o);
    o->saves = each_mark_gathered(&c->client, &o->saves);
    c->tells = o->json || save_uses_stdout(c->arena, &o->saves) ? stderr : stdout;
    open_kernel(a, o);
    e->files = each_find(&c->store, &o->eaches);
    const Saving saving = saving_of(c, o);
    each_check_outputs(&saving, &e->files);
    warn_unkept(c, o);
    each_look_at_outputs(e);
    go(a);
    tell_end(a);
    if (e->failed)
        c->code = e->halted ? CLI_FILES : CLI_REFUSED;
}

/* On another one, where the first one says what there is to say. */
static void assist(Eaches *a, Options *o)
{
    Cli *c = a->cli;
    const bool quiet = c->quiet;

    interrupt_tells_json(NULL); /* mpirun ends it where the first one fails */
    if (!each_hear_files(&a->each))
        return;
    c->quiet = true;
    o->saves = each_mark_gathered(&c->client, &o->saves);
    open_kernel(a, o);
    c->quiet = quiet;
    go(a);
}

static void lead_or_assist(Cli *c, void *eaches)
{
    Eaches *a = eaches;
    Options *o = NEW(c->arena, Options);

    *o = *a->options;
    a->options = o;
    a->each.saves = &o->saves;
    if (each_assists(&a->each))
        assist(a, o);
    else
        lead(a, o);
}

/* What stops this rank is not to leave the others waiting. */
void each_run(Cli *c, const Options *o)
{
    Eaches *a = NEW(c->arena, Eaches);
    bool done, assists;

    eaches_init(a, c, o, ranks_find());
    each_open(&a->each);
    assists = each_assists(&a->each);
    done = cli_attempt(c, lead_or_assist, a);
    if (!done && assists)
        each_excuse(&a->each, c->code, c->trouble);
    if (assists)
        c->code = CLI_DONE; /* that of the first one counts */
    if (!each_close(&a->each))
        c->code = CLI_REFUSED;
    if (!done && !assists)
        fail(&c->guard);
}

bool each_test(Cli *c, const Options *o, EachTest *out)
{
    Eaches *a = NEW(c->arena, Eaches);
    char *text = NULL;
    size_t n;

    eaches_init(a, c, o, (Ranks){.size = 1, .host_size = 1});
    a->tests = true;
    c->tells = open_memstream(&text, &n);
    if (!c->tells)
        cli_stop(c, CLI_REFUSED, "there is no memory");
    each_open(&a->each);
    a->each.files = each_find(&c->store, &o->eaches);
    go(a);
    each_close(&a->each);
    if (a->each.failed)
        fprintf(c->tells, "%d of %d files failed", a->each.failed, a->each.files.len);
    fclose(c->tells);
    out->why = *text ? arena_strndup(c->arena, text, strlen(text)) : NULL;
    out->compared = o->json ? a->each.json.compared.s : NULL;
    free(text);
    return a->each.failed == 0;
}
