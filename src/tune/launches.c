/*
 * launches.c - runs of a configuration by the library itself
 *
 * A kernel that writes what it also reads does something else each time, and its arrays would be
 * other ones after tuning.  So what such configurations write is copied before anything runs, put
 * back before each of their runs, outside of its time, and at the end.  What is only written is
 * left as the last run has it.
 */
#include <stdlib.h>
#include <string.h>

#include "tuning.h"

/* The arguments of the call and those of a configuration, without what is meant for others. */
static void add_arguments(Tuning *t, Candidate *k)
{
    k->args = NEW_N(t->arena, tilec_arg, t->nargs + k->config.nvalues + 1);
    if (t->nargs > 0)
        memcpy(k->args, t->args, sizeof *k->args * (size_t)t->nargs);
    k->nargs = t->nargs;
    for (int i = 0; i < k->config.nvalues; i++) {
        if (config_takes(t->kernel, k->config.values[i].name))
            k->args[k->nargs++] = k->config.values[i];
    }
    for (int i = 0; i < 3; i++)
        k->grid[i] = t->options.grid ? 1 : t->grid[i];
    if (t->options.grid)
        t->options.grid(t->options.user, &k->config, k->grid);
}

tilec_status launches_run(Tuning *t, int i, double *seconds, char **error)
{
    const Candidate *k = &t->all[i];
    tilec_launch_options options = t->launch;

    if (k->in_place)
        launches_restore(t);
    options.seconds = seconds;
    return tilec_launch(t->file, t->kernel->full_name, k->grid, k->args, k->nargs, &options, error);
}

/* --- what they change --- */

/* The bytes between its first element and its last one; false: nobody knows. */
static bool place_of(const tilec_tensor *x, KeptArray *out)
{
    int64_t first = 0, last = 0, dense = 1;
    int64_t size = (int64_t)tilec_dtype_size(x->dtype);

    for (int d = x->ndim - 1; d >= 0; d--) {
        int64_t reach = (x->shape[d] - 1) * (x->strides ? x->strides[d] : dense);

        if (x->shape[d] == 0)
            return false;
        dense *= x->shape[d];
        first += MIN(reach, 0);
        last += MAX(reach, 0);
    }
    out->place = (tilec_place){(char *)x->data + first * size, x->memory, x->device_id};
    out->bytes = (size_t)((last - first + 1) * size);
    return x->ndim >= 0;
}

static void find_changed(void *tuning, const tilec_tensor *x, int uses)
{
    Tuning *t = tuning;
    KeptArray new = {0};

    if (!(uses & TILEC_STORES) || t->nkept == COUNT(t->kept) || !place_of(x, &new))
        return;
    for (int i = 0; i < t->nkept; i++) {
        if (t->kept[i].place.data == new.place.data && t->kept[i].bytes >= new.bytes)
            return;
    }
    t->kept[t->nkept++] = new;
}

static tilec_status copy(const Tuning *t, const KeptArray *k, bool back)
{
    const tilec_place kept = {k->copy, k->place.memory, k->place.device_id};

    if (k->place.memory == TILEC_MEMORY_DEVICE)
        return tilec_copy(t->file->ctx, t->launch.device, back ? k->place : kept,
                          back ? kept : k->place, k->bytes, t->launch.stream, NULL);
    memcpy(back ? k->place.data : k->copy, back ? k->copy : k->place.data, k->bytes);
    return TILEC_OK;
}

static tilec_status keep(const Tuning *t, KeptArray *k)
{
    tilec_status status = TILEC_OK;

    if (k->place.memory == TILEC_MEMORY_DEVICE)
        status = tilec_alloc(t->file->ctx, t->launch.device, k->place.device_id, k->bytes, &k->copy,
                             NULL);
    else if (!os_has_memory(k->bytes) || !(k->copy = malloc(k->bytes)))
        status = TILEC_NO_MEMORY;
    if (status == TILEC_OK)
        status = copy(t, k, false);
    if (status != TILEC_OK)
        return api_refuse(t->error, status,
                          "there is no memory for a copy of what the kernel changes");
    return TILEC_OK;
}

void launches_restore(Tuning *t)
{
    for (int i = 0; i < t->nkept; i++) {
        if (t->kept[i].copy)
            copy(t, &t->kept[i], true);
    }
}

/* What the first one says that says something; the others say the same. */
static void tell_once(void *tuning, const char *text)
{
    Tuning *t = tuning;

    if (t->launch.on_message)
        t->launch.on_message(t->launch.user, text);
    t->launch.on_message = NULL;
}

/* As many at a time as there are CPUs, until time is up; what was not begun by then is compiled
 * when it is looked at. */
static tilec_status compile_all(Tuning *t)
{
    tilec_preparation *list = NEW_N(t->arena, tilec_preparation, t->count);
    Candidate **of = NEW_N(t->arena, Candidate *, t->count);
    tilec_launch_options options = t->launch;
    int n = 0, batch = os_cpu_count();

    if (options.on_message) {
        options.on_message = tell_once;
        options.user = t;
    }
    for (int i = 0; i < t->count; i++) {
        Candidate *k = &t->all[i];

        if (!tune_runs(k))
            continue;
        add_arguments(t, k);
        of[n] = k;
        list[n++] = (tilec_preparation){.file = t->file,
                                        .kernel = t->kernel->full_name,
                                        .args = k->args,
                                        .nargs = k->nargs,
                                        .options = &options};
    }
    for (int i = 0; i < n && !tune_is_late(t); i += batch) {
        tilec_prepare_all(list + i, MIN(batch, n - i), 0);
        for (int j = i; j < MIN(i + batch, n); j++) {
            of[j]->status = list[j].status;
            of[j]->error = list[j].error;
        }
        if (!tune_goes_on(t, 0))
            return tune_refuse_cancelled(t);
    }
    return TILEC_OK;
}

/* See what the runs of one that can be compiled would change. */
static void look_at(Tuning *t, Candidate *k)
{
    const char *name = t->kernel->full_name;
    tilec_stats stats;

    k->status = tilec_launch_stats(t->file, name, k->grid, k->args, k->nargs, &t->launch, &stats,
                                   &k->error);
    k->in_place = k->status == TILEC_OK && stats.in_place;
    if (k->in_place)
        tilec_launch_memory(t->file, name, k->args, k->nargs, &t->launch, find_changed, t, NULL);
}

tilec_status launches_prepare(Tuning *t)
{
    tilec_status status = compile_all(t);
    bool any = false;

    for (int i = 0; i < t->count && status == TILEC_OK; i++) {
        Candidate *k = &t->all[i];

        if (!tune_runs(k))
            continue;
        if (any && tune_is_late(t))
            k->status = TILEC_CANCELLED;
        else
            look_at(t, k);
        any = any || k->status == TILEC_OK;
        if (!tune_goes_on(t, 0))
            return tune_refuse_cancelled(t);
    }
    for (int i = 0; i < t->nkept && status == TILEC_OK; i++)
        status = keep(t, &t->kept[i]);
    return status;
}

void launches_close(Tuning *t)
{
    for (int i = 0; i < t->nkept; i++) {
        KeptArray *k = &t->kept[i];

        if (k->place.memory == TILEC_MEMORY_DEVICE)
            tilec_release(t->file->ctx, t->launch.device, k->place.device_id, k->copy, NULL);
        else
            free(k->copy);
    }
    t->nkept = 0;
}
