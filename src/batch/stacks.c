/*
 * stacks.c - files whose arrays have one shape, as one array each
 *
 * Files are taken in ranges, and read in windows, in the order of their names; those of one shape
 * gather, and N of them are a batch.  What is left of each shape at the end of a range is a smaller
 * one.  So which files are in which batch follows from their order alone, whoever has which range.
 */
#include "batch.h"

#include <string.h>

enum { MOST_WAITING = 4 }; /* windows of files that are read and in no batch yet */

Stacks stacks_new(Arena *a, const EachFiles *files)
{
    return (Stacks){.arena = a, .files = files, .loaded = NEW_N(a, StackedFile, files->len + 1)};
}

void stacks_add_texts(Store *store, Stacks *s, const Origin *origin, const char *name,
                      const char *value)
{
    Client *c = store->client;

    c->origin = origin;
    FileTexts texts = value_files(store, name, value);
    for (int k = 0; k < texts.len; k++) {
        if (each_has_place(texts.at[k].path))
            vec_push(s->arena, &s->texts, texts.at[k]);
    }
    c->origin = NULL;
}

/* --- reading --- */

void stacks_take(Stacks *s, int first, int end)
{
    s->next = first;
    s->end = end;
}

int stacks_window(Stacks *s, int n)
{
    n = MIN(n, s->end - s->next);
    for (int i = s->next; i < s->next + n; i++)
        s->loaded[i].arrays = NEW_N(s->arena, IoArray, s->texts.len + 1);
    return n;
}

void stacks_read(Store *store, const Stacks *s, int number)
{
    IoArray *arrays = s->loaded[number].arrays;

    for (int i = 0; i < s->texts.len; i++) {
        const FileText *t = &s->texts.at[i];
        const char *path = each_expand(store->client, &s->files->at[number], t->path);
        const tilec_io_options options = {.as = t->has_type ? &t->type : NULL, .keep_order = 1};
        char *error = NULL;

        io_array_free(&arrays[i]); /* of a piece that was put back */
        const tilec_status status = io_read(path, NULL, 0, &options, &arrays[i], &error);
        file_check(store, io_name(store->arena, path).path, status,
                   !status && arrays[i].drops_numbers, &error);
    }
}

void stacks_unload(const Stacks *s, int number)
{
    for (int i = 0; i < s->texts.len; i++)
        io_array_free(&s->loaded[number].arrays[i]);
}

/* --- which files go together --- */

static bool same_shapes(const Stacks *s, int x, int y)
{
    for (int i = 0; i < s->texts.len; i++) {
        const IoArray *p = &s->loaded[x].arrays[i], *q = &s->loaded[y].arrays[i];

        if (p->dtype != q->dtype || p->ndim != q->ndim ||
            memcmp(p->shape, q->shape, sizeof p->shape[0] * (size_t)p->ndim) != 0)
            return false;
    }
    return true;
}

/* The numbers of at most `n` waiting files like the one at `first`, in order; gives how many. */
static int gather(const Stacks *s, int first, int n, int *out)
{
    int got = 0;

    for (int i = first; i < s->waiting.len && got < n; i++) {
        if (same_shapes(s, s->waiting.at[first], s->waiting.at[i]))
            out[got++] = s->waiting.at[i];
    }
    return got;
}

static void stop_waiting(Stacks *s, const int *numbers, int n)
{
    int kept = 0, k = 0;

    for (int i = 0; i < s->waiting.len; i++) {
        if (k < n && s->waiting.at[i] == numbers[k])
            k++;
        else
            s->waiting.at[kept++] = s->waiting.at[i];
    }
    s->waiting.len = kept;
}

bool stacks_are_empty(const Stacks *s)
{
    return s->next == s->end && s->waiting.len == 0;
}

bool stacks_are_full(const Stacks *s, int n)
{
    return s->waiting.len > MOST_WAITING * n;
}

/* The first shape of which there are enough, or, when too many wait or no more come, the first of
 * all. */
int stacks_choose(Stacks *s, int n, int *out)
{
    bool any = s->next == s->end || stacks_are_full(s, n);
    int got = 0;

    for (int i = 0; i < s->waiting.len && got < n; i++)
        got = gather(s, i, n, out);
    if (got < n)
        got = any && s->waiting.len > 0 ? gather(s, 0, n, out) : 0;
    stop_waiting(s, out, got);
    return got;
}

Array stacks_pile(Store *store, const Stacks *s, const int *numbers, int n, int text)
{
    const IoArray *first = &s->loaded[numbers[0]].arrays[text];
    int64_t shape[ARRAY_MAX_DIMS] = {n};
    Array out;

    if (first->ndim == ARRAY_MAX_DIMS)
        client_stop(store->client, CLIENT_USAGE,
                    "--batch: arrays of %d dimensions cannot have one more", ARRAY_MAX_DIMS);
    memcpy(shape + 1, first->shape, sizeof shape - sizeof shape[0]);
    out = array_new(store, first->dtype, first->ndim + 1, shape);
    for (int i = 0; i < n; i++) {
        IoArray *from = &s->loaded[numbers[i]].arrays[text];
        Array a = {.data = from->data, .dtype = from->dtype, .ndim = from->ndim};

        memcpy(a.shape, from->shape, sizeof a.shape);
        memcpy(a.strides, from->strides, sizeof a.strides);
        array_copy_dense(&a, (char *)out.data + (size_t)i * array_bytes(&a));
        io_array_free(from);
    }
    return out;
}
