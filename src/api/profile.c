/*
 * profile.c - what the lines of a source cost: samples of where threads are, and work that counts
 */
#include <stdlib.h>
#include <string.h>

#include "api.h"

tilec_line *line_list_at(LineList *l, const char *file, int line)
{
    for (int i = 0; i < l->n; i++) {
        tilec_line *known = &l->at[i];
        bool same_file = file && known->file ? strcmp(file, known->file) == 0 : file == known->file;
        if (known->line == line && same_file)
            return known;
    }
    tilec_line *at = realloc(l->at, sizeof *at * (size_t)(l->n + 1));
    if (!at)
        return NULL;
    l->at = at;
    at += l->n;
    *at = (tilec_line){.file = file ? strdup(file) : NULL, .line = line};
    if (file && !at->file)
        return NULL;
    l->n++;
    return at;
}

static int by_place(const void *a, const void *b)
{
    const tilec_line *x = a, *y = b;
    int files = x->file && y->file ? strcmp(x->file, y->file) : !x->file - !y->file;

    return files != 0 ? files : x->line - y->line;
}

void line_list_tell(LineList *l, void (*on_line)(void *user, const tilec_line *line), void *user)
{
    if (l->n > 0)
        qsort(l->at, (size_t)l->n, sizeof *l->at, by_place);
    for (int i = 0; on_line && i < l->n; i++)
        on_line(user, &l->at[i]);
    for (int i = 0; i < l->n; i++)
        free((char *)l->at[i].file);
    free(l->at);
    *l = (LineList){0};
}

/* A lack of memory loses a sample. */
static void add_sample(void *list, const DeviceSample *s)
{
    tilec_line *l = line_list_at(list, s->file, s->line);

    if (!l)
        return;
    l->clock = s->clock;
    l->samples += s->steps;
    l->cycles += s->cycles;
    l->instructions += s->instructions;
    l->cache_misses += s->misses;
}

static const Device *profiled_device(const tilec_context *ctx, const char *name, char **error,
                                     tilec_status *status)
{
    api_no_error(error);
    *status = TILEC_OK;
    if (!handle_is_context(ctx)) {
        *status = api_refuse(error, TILEC_BAD_ARGUMENT, "%s", handle_problem_of_context(ctx));
        return NULL;
    }
    int number = api_device(name, error);
    if (number < 0) {
        *status = TILEC_NOT_FOUND;
        return NULL;
    }
    const Device *d = device_at(number);
    if (d->profile_start)
        return d;
    *status = api_refuse(error, TILEC_BAD_ARGUMENT, "the device `%s` takes no samples", d->name);
    return NULL;
}

tilec_status tilec_profile_start(tilec_context *ctx, const char *device, char **error)
{
    tilec_status status;
    const Device *d = profiled_device(ctx, device, error, &status);

    if (!d)
        return status;
    const char *why = "";
    RunStatus started = d->profile_start(&why);
    if (started == RUN_FAILED)
        return api_refuse(error, TILEC_FAILED, "%s", why);
    return api_device_status(started, NULL, error);
}

tilec_status tilec_profile_pause(tilec_context *ctx, const char *device, int paused, char **error)
{
    tilec_status status;
    const Device *d = profiled_device(ctx, device, error, &status);

    if (d)
        d->profile_pause(paused != 0);
    return status;
}

tilec_status tilec_profile_stop(tilec_context *ctx, const char *device,
                                void (*on_line)(void *user, const tilec_line *line), void *user,
                                char **error)
{
    tilec_status status;
    const Device *d = profiled_device(ctx, device, error, &status);
    LineList lines = {0};

    if (!d)
        return status;
    d->profile_stop(add_sample, &lines);
    line_list_tell(&lines, on_line, user);
    return TILEC_OK;
}
