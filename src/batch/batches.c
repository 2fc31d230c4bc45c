/*
 * batches.c - one call for N files whose arrays have one shape
 *
 * In windows of N files, in the order of their names: the files of a window are read while the
 * results of the batch before are written, on all threads.  Which of them are a batch stacks.c
 * says; its launch has all threads.
 */
#include "each.h"

#include <stdlib.h>
#include <string.h>

/* A call for some files, from its launch until its results are written. */
typedef struct {
    EachLaunch launch;
    EachFile *files;
    bool differs;    /* of one file: it is not what --compare says */
    char *compared;  /* for all of it */
    CrewResult said; /* what it printed and warned of, which goes with its first file */
    double seconds;  /* of the call */
} Batch;

typedef struct Batches {
    Each *each;
    Stacks stacks;
    int reading;    /* how many are in this window */
    Batch *writing; /* NULL: none */
    Batch *at_work; /* the last one that was launched: its memory is not lost with a stop */
} Batches;

/* --- reading and writing --- */

/* What belongs to file k of an array for all of them. */
static const Array *part_of(Arena *a, const Array *whole, int k)
{
    Array *part = NEW(a, Array);

    part->data =
        (char *)whole->data + k * whole->strides[0] * (int64_t)tilec_dtype_size(whole->dtype);
    part->dtype = whole->dtype;
    part->ndim = whole->ndim - 1;
    memcpy(part->shape, whole->shape + 1, sizeof part->shape - sizeof part->shape[0]);
    memcpy(part->strides, whole->strides + 1, sizeof part->strides - sizeof part->strides[0]);
    return part;
}

/* Part k of what is saved. */
static void write_one(Store *store, const Batch *batch, int k)
{
    const Each *e = batch->launch.each;
    const Saves saves = each_saves(store->client, e->saves, &batch->files[k]);
    const Saving saving = {.store = store,
                           .saves = &saves,
                           .file = batch->files[k].path,
                           .compress = e->compress,
                           .json = e->wants_json};
    const Array **parts = NEW_N(store->arena, const Array *, saves.len + 1);

    for (int i = 0; i < saves.len; i++)
        parts[i] = part_of(store->arena, batch->launch.outputs[i], k);
    e->host->add_rows(store, save_all(&saving, parts), saves.len);
}

static void do_piece(Store *store, void *context, int i)
{
    const Batches *b = context;

    if (i < b->reading)
        stacks_read(store, &b->stacks, b->stacks.next + i);
    else
        write_one(store, b->writing, i - b->reading);
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
        const EachLaunch *l = &b->writing->launch;
        int number = l->numbers[i - b->reading];

        r->seconds += b->stacks.loaded[number].seconds + b->writing->seconds / l->group.n;
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
    each_crew_run(e, b->reading + (b->writing ? b->writing->launch.group.n : 0), false, &task);
    for (int i = s->next, end = s->next + b->reading; i < end; i++) {
        if (e->outcomes[i].done)
            stacks_unload(s, i);
        else
            vec_push(s->arena, &s->waiting, i);
    }
    s->next += b->reading;
}

/* --- the call --- */

void each_pile(EachLaunch *l, Store *store)
{
    Arena *a = store->arena;
    const Each *e = l->each;
    const Stacks *s = &l->batches->stacks;

    for (int i = 0; i < e->constants.len; i++)
        vec_push(a, &l->arrays, e->constants.at[i]);
    for (int i = 0; i < s->texts.len; i++)
        vec_push(
            a, &l->arrays,
            ((EachArray){s->texts.at[i], stacks_pile(store, s, l->numbers, l->group.n, i), true}));
    l->group.arrays = &l->arrays;
}

static void close_batch(Batch *batch)
{
    if (batch) {
        batch->launch.each->host->release(&batch->launch);
        crew_result_free(&batch->said);
        free(batch->compared);
    }
    free(batch);
}

/* All files of a batch fail with it. */
static void fail_batch(Each *e, const Batch *batch, CrewResult *r)
{
    const char *why = arena_printf(e->client->arena, "it is in one batch with %s",
                                   shown_name(e->client->arena, batch->files[0].path));
    const int *numbers = batch->launch.numbers;

    if (each_is_of_call(r) && e->done == e->failed && !e->halted && !each_assists(e))
        each_stop_early(e, numbers[0], r);
    each_settle(e, numbers[0], r);
    for (int i = 1; i < batch->launch.group.n; i++) {
        CrewResult same = {.failed = true, .code = r->code};

        each_blame(e, &same, why);
        each_settle(e, numbers[i], &same);
    }
}

/* --- one by one --- */

static Batch *run_batch(Batches *b, const int *numbers, int n);

static void read_again(Store *store, void *batches, int number)
{
    stacks_read(store, &((const Batches *)batches)->stacks, number);
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

/* Its files in the arena, with what is read of them. */
static void gather_files(Batches *b, Batch *batch, const int *numbers, int n)
{
    Each *e = b->each;

    batch->files = NEW_N(e->client->arena, EachFile, n);
    for (int i = 0; i < n; i++)
        batch->files[i] = e->files.at[numbers[i]];
    batch->launch = (EachLaunch){.each = e,
                                 .batches = b,
                                 .numbers = numbers,
                                 .group = {batch->files, n, true, NULL, &e->shapes},
                                 .again = e->done > e->failed || each_assists(e)};
}

/* Launch these files; gives what is to be written, NULL behind a failure. */
static Batch *run_batch(Batches *b, const int *numbers, int n)
{
    Each *e = b->each;
    Batch *batch = b->at_work = calloc(1, sizeof *batch);
    CrewResult r;

    if (!batch)
        client_stop(e->client, CLIENT_REFUSED, "there is no memory");
    gather_files(b, batch, numbers, n);
    r = e->host->launch(&batch->launch);
    for (int i = 0; i < n; i++) {
        e->host->end_file(&batch->files[i]);
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

static void add_texts(Batches *b, const EachTexts *texts)
{
    for (int i = 0; i < texts->len; i++)
        stacks_add_texts(b->each->store, &b->stacks, texts->at[i].origin, texts->at[i].name,
                         texts->at[i].text);
}

/* Names of files with placeholders in what the call reads. */
static void find_texts(Batches *b)
{
    add_texts(b, &b->each->values);
    if (b->stacks.texts.len == 0)
        client_stop(b->each->client, CLIENT_USAGE,
                    "--batch stacks arrays of files, and no argument reads one; x=@{} does");
    add_texts(b, &b->each->others);
}

/* Long enough that files of several shapes make batches, and of few files short enough that several
 * ranks have some. */
int batches_range(const Each *e)
{
    enum { SHORTEST = 4, LONGEST = 8, LEAST_RANGES = 16 }; /* batches, and how many */
    const int n = MAX(1, MIN(e->batch, e->files.len));

    return n * MAX(SHORTEST, MIN(e->files.len / (LEAST_RANGES * n), LONGEST));
}

/* The next range of files; none are left where there is none. */
static void take_range(Batches *b)
{
    const int n = batches_range(b->each), i = each_next(b->each);

    if (i >= 0)
        stacks_take(&b->stacks, i * n, MIN((i + 1) * n, b->each->files.len));
}

/* Read, write and launch until there is nothing left. */
static void run_ranges(Batches *b)
{
    Each *e = b->each;
    int n = MIN(e->batch, e->files.len), got = 0;

    while (!each_is_over(e)) {
        int *numbers = NEW_N(e->client->arena, int, n);

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

void batches_run(Each *e)
{
    Batches *b = NEW(e->client->arena, Batches); /* where it stays if the command is stopped */

    *b = (Batches){.each = e, .stacks = stacks_new(e->client->arena, &e->files)};
    find_texts(b);
    run_ranges(b);
    if (!each_assists(e))
        share_begin(e->share);
}
