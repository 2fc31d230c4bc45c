/*
 * batch.c - `run --each PATTERN --batch N`: one call for N files whose arrays have one shape
 *
 * In windows of N files, in the order of their names: the files of a window are read while the
 * results of the batch before are written, on all threads.  Which of them are a batch
 * batch/stacks.c says; its launch has all threads.
 */
#include "each.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A call for some files, from its launch until its results are written. */
typedef struct {
    Cli cli;
    Call call;
    EachGroup group;
    EachFile *files;
    const int *numbers; /* of the files, in Each.files */
    EachArrays arrays;
    const Array **saves; /* what is written a part at a time */
    bool differs;        /* of one file: it is not what --compare says */
    char *compared;      /* what compare_json() gave, for all of it */
    CrewResult said;     /* what it printed and warned of, which goes with its first file */
    double seconds;      /* of the call */
} Batch;

typedef struct {
    Each *each;
    Stacks stacks;
    int reading;    /* how many are in this window */
    Batch *writing; /* NULL: none */
    Batch *at_work; /* the last one that was launched */
} Batches;

/* --- reading and writing --- */

/* Part k of what is saved. */
static void write_one(Cli *c, const Batch *batch, const Options *given, int k)
{
    Options o = each_options(c, given, &batch->files[k]);
    const Array **parts = NEW_N(c->arena, const Array *, o.saves.len + 1);
    EachGroup *own = NEW(c->arena, EachGroup);

    *own = (EachGroup){&batch->files[k], 1, true, NULL, NULL};
    c->each = own;
    for (int i = 0; i < o.saves.len; i++) {
        const Array *whole = batch->saves[i];
        Array *part = NEW(c->arena, Array);

        part->data =
            (char *)whole->data + k * whole->strides[0] * (int64_t)tilec_dtype_size(whole->dtype);
        part->dtype = whole->dtype;
        part->ndim = whole->ndim - 1;
        memcpy(part->shape, whole->shape + 1, sizeof part->shape - sizeof part->shape[0]);
        memcpy(part->strides, whole->strides + 1, sizeof part->strides - sizeof part->strides[0]);
        parts[i] = part;
    }
    const Saving saving = saving_of(c, &o);
    c->rows = save_all(&saving, parts);
    c->nrows = o.saves.len;
}

static void do_piece(Client *client, void *context, int i)
{
    Cli *c = cli_of(client);
    Batches *b = context;

    if (i < b->reading)
        stacks_read(&c->store, &b->stacks, b->stacks.next + i);
    else
        write_one(c, b->writing, b->each->options, i - b->reading);
}

static void take_said(Batch *batch, CrewResult *r)
{
    free(r->told);
    r->told = batch->said.told;
    r->warning = batch->said.warning;
    r->unwritten = batch->said.unwritten;
    batch->said = (CrewResult){0};
}

static bool settle_piece(void *context, int i, CrewResult *r)
{
    Batches *b = context;

    if (i >= b->reading) {
        int number = b->writing->numbers[i - b->reading];

        r->seconds += b->stacks.loaded[number].seconds + b->writing->seconds / b->writing->group.n;
        r->failed |= b->writing->differs;
        if (b->writing->compared)
            r->compared = strdup(b->writing->compared);
        if (i == b->reading)
            take_said(b->writing, r);
        return each_settle(b->each, number, r);
    }
    b->stacks.loaded[b->stacks.next + i].seconds = r->seconds;
    if (r->failed)
        return each_settle(b->each, b->stacks.next + i, r);
    crew_result_free(r);
    return true;
}

static void watch(void *context)
{
    each_watch(((const Batches *)context)->each);
}

/* Read the next window and write the batch before. */
static void read_and_write(Batches *b, int window)
{
    const CrewTask task = {do_piece, settle_piece, watch, b};
    Each *e = b->each;
    Stacks *s = &b->stacks;

    b->reading = stacks_window(s, window);
    each_crew_run(e, b->reading + (b->writing ? b->writing->group.n : 0), &task);
    for (int i = s->next, end = s->next + b->reading; i < end; i++) {
        if (e->outcomes[i].done)
            stacks_unload(s, i);
        else
            vec_push(s->arena, &s->waiting, i);
    }
    s->next += b->reading;
}

/* --- the call --- */

/* What --save writes: arrays with a part for each file. */
static void find_saves(Cli *c, Batch *batch, const Options *o)
{
    batch->saves = NEW_N(c->arena, const Array *, o->saves.len + 1);
    for (int i = 0; i < o->saves.len; i++) {
        const SaveText *save = &o->saves.at[i];
        const Array *a = outputs_find(c, &batch->call.args.names, "--save", save->name);

        if (a->ndim == 0 || a->shape[0] != batch->group.n)
            cli_stop(
                c, CLI_USAGE,
                "--save %s=%s: with --batch its first extent has to be the number of files, here "
                "%d",
                save->name, save->path, batch->group.n);
        batch->saves[i] = a;
    }
}

typedef struct {
    const Batches *all;
    Batch *batch;
} Launch;

static void launch(Client *client, void *context, int unused)
{
    Cli *c = cli_of(client);
    const Launch *l = context;
    const Batches *b = l->all;
    Batch *batch = l->batch;
    Call *k = &batch->call;
    Options o = *b->each->options;

    (void)unused;
    c->each = &batch->group;
    batch->group.arrays = &batch->arrays;
    for (int i = 0; i < b->each->constants.len; i++)
        vec_push(c->arena, &batch->arrays, b->each->constants.at[i]);
    for (int i = 0; i < b->stacks.texts.len; i++)
        vec_push(c->arena, &batch->arrays,
                 ((EachArray){b->stacks.texts.at[i],
                              stacks_pile(&c->store, &b->stacks, batch->numbers, batch->group.n, i),
                              true}));
    o.saves.len = 0; /* they are written a part at a time */
    call_init(k, c, &o);
    k->silent = b->each->tests;
    k->again = b->each->done > b->each->failed;
    call_open(k);
    call_evaluate(k);
    find_saves(c, batch, b->each->options);
    call_run_evaluated(k);
}

static void close_batch(Batch *batch)
{
    if (batch) {
        worker_release(&batch->cli);
        crew_result_free(&batch->said);
        free(batch->compared);
    }
    free(batch);
}

/* All files of a batch fail with it. */
static void fail_batch(Each *e, const Batch *batch, CrewResult *r)
{
    const char *why = arena_printf(e->cli->arena, "it is in one batch with %s",
                                   shown_name(e->cli->arena, batch->files[0].path));

    if (each_is_of_call(r) && e->done == e->failed && !e->halted && !each_assists(e))
        each_stop_early(e, batch->numbers[0], r);
    each_settle(e, batch->numbers[0], r);
    for (int i = 1; i < batch->group.n; i++) {
        CrewResult same = {.failed = true, .code = r->code};

        each_blame(e->cli, &same, why);
        each_settle(e, batch->numbers[i], &same);
    }
}

/* --- one by one --- */

static Batch *run_batch(Batches *b, const int *numbers, int n);

static void read_again(Client *client, void *batches, int number)
{
    Batches *b = batches;

    stacks_read(&cli_of(client)->store, &b->stacks, number);
}

/* Which file of a batch is to blame?  Each becomes a batch of its own. */
static void run_one_by_one(Batches *b, const int *numbers, int n)
{
    const CrewTask task = {.work = read_again, .context = b};

    for (int i = 0; i < n && !each_is_over(b->each); i++) {
        CrewResult r = crew_do(&b->each->crew, &task, numbers[i]);

        if (r.failed) {
            each_settle(b->each, numbers[i], &r);
            continue;
        }
        crew_result_free(&r);
        b->writing = run_batch(b, &numbers[i], 1);
        if (b->writing)
            read_and_write(b, 0);
        close_batch(b->writing);
        b->writing = NULL;
    }
}

/* Launch these files; gives what is to be written, NULL behind a failure. */
static Batch *run_batch(Batches *b, const int *numbers, int n)
{
    Each *e = b->each;
    Batch *batch = b->at_work = calloc(1, sizeof *batch);
    CrewResult r;

    if (!batch)
        cli_stop(e->cli, CLI_REFUSED, "there is no memory");
    batch->files = NEW_N(e->cli->arena, EachFile, n);
    batch->numbers = numbers;
    batch->group = (EachGroup){batch->files, n, true, NULL, &e->shapes};
    for (int i = 0; i < n; i++)
        batch->files[i] = e->files.at[numbers[i]];
    batch->cli = (Cli){
        .tilec = e->cli->tilec, .file = e->cli->file, .json = e->cli->json, .quiet = e->cli->quiet};
    for (int i = 0; i < n; i++)
        crash_file_begin(batch->files[i].path);
    r = worker_attempt(&batch->cli, launch, &(Launch){b, batch}, 0);
    for (int i = 0; i < n; i++) {
        crash_file_end(batch->files[i].path);
        stacks_unload(&b->stacks, numbers[i]);
    }
    batch->differs = each_is_difference(&r);
    if (n > 1 && (batch->differs || (r.failed && r.status == TILEC_FAULT))) {
        crew_result_free(&r);
        close_batch(batch);
        run_one_by_one(b, numbers, n);
        return NULL;
    }
    if (r.failed && !batch->differs) {
        fail_batch(e, batch, &r);
        close_batch(batch);
        return NULL;
    }
    batch->seconds = r.seconds;
    batch->compared = r.compared;
    r.compared = NULL;
    batch->said = r;
    return batch;
}

/* Names of files with placeholders in the arguments and references. */
static void find_texts(Batches *b)
{
    const Options *o = b->each->options;
    Store *store = &b->each->cli->store;
    Stacks *s = &b->stacks;

    for (int i = 0; i < o->args.len; i++)
        stacks_add_texts(store, s, o->args.at[i].origin, o->args.at[i].name, o->args.at[i].text);
    if (s->texts.len == 0)
        cli_stop(b->each->cli, CLI_USAGE,
                 "--batch stacks arrays of files, and no argument reads one; x=@{} does");
    for (int i = 0; i < o->compares.len; i++)
        stacks_add_texts(store, s, o->compares.at[i].origin, "--compare", o->compares.at[i].with);
}

/* Long enough that files of several shapes make batches, and of few files short enough that several
 * ranks have some. */
int batch_range(const Each *e)
{
    enum { SHORTEST = 4, LONGEST = 8, LEAST_RANGES = 16 }; /* batches, and how many */
    const int n = MAX(1, MIN(e->options->batch, e->files.len));

    return n * MAX(SHORTEST, MIN(e->files.len / (LEAST_RANGES * n), LONGEST));
}

/* The next range of files; none are left where there is none. */
static void take_range(Batches *b)
{
    const int n = batch_range(b->each), i = each_next(b->each);

    if (i >= 0)
        stacks_take(&b->stacks, i * n, MIN((i + 1) * n, b->each->files.len));
}

/* Read, write and launch until there is nothing left. */
static void run_ranges(Batches *b)
{
    Each *e = b->each;
    int n = MIN(e->options->batch, e->files.len), got = 0;

    while (!each_is_over(e)) {
        int *numbers = NEW_N(e->cli->arena, int, n);

        if (stacks_are_empty(&b->stacks))
            take_range(b);
        if (stacks_are_empty(&b->stacks) && !b->writing)
            return;
        read_and_write(b, stacks_are_full(&b->stacks, n) ? 0 : n);
        close_batch(b->writing);
        b->writing = NULL;
        got = stacks_choose(&b->stacks, n, numbers);
        b->writing = got > 0 && !each_is_over(e) ? run_batch(b, numbers, got) : NULL;
        if (got > 0 && !each_assists(e))
            share_begin(e->share); /* what is wrong with the call would have stopped it */
        each_tell(e);
    }
}

void batch_run(Each *e)
{
    Batches *b = NEW(e->cli->arena, Batches); /* where it stays if the command is stopped */

    *b = (Batches){.each = e, .stacks = stacks_new(e->cli->arena, &e->files)};
    find_texts(b);
    run_ranges(b);
    if (!each_assists(e))
        share_begin(e->share);
}
