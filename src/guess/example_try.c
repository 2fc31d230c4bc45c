/*
 * example_try.c - run a draft of a call in the interpreter, in a process of its own
 *
 * Every access is checked: one outside of its array touches nothing and is told with its offset, so
 * that one run says how large arrays must be.  Outputs begin as array_fill_unwritten() leaves them.
 */
#include "example.h"
#include "../arrays/value.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

/* What the child leaves for its parent, in memory that both see. */
typedef struct {
    bool is_over, is_cut_short;
    int64_t failures;
    TriedArray arrays[];
} Report;

typedef struct {
    const Maker *maker;
    const Draft *draft;
    Report *report;
} Attempt;

/* What has gone well so long, on the CPU, is taken to go on so. */
static int is_enough(void *unused, const tilec_progress *progress)
{
    (void)unused, (void)progress;
    return clock() > CLOCKS_PER_SEC / 2;
}

static int param_named(const Maker *m, const char *name)
{
    for (int i = 0; i < m->guess->n; i++) {
        if (strcmp(m->of.f->params[i].name, name) == 0)
            return i;
    }
    return -1;
}

/* "load of x": how far outside. */
static void hear(void *attempt, const tilec_record *record)
{
    const Attempt *t = attempt;
    const char *last = strrchr(record->message, ' ');
    int i = record->kind == TILEC_RECORD_CHECK && last ? param_named(t->maker, last + 1) : -1;

    if (record->kind != TILEC_RECORD_CHECK)
        return;
    t->report->failures += record->failures;
    if (i < 0)
        return;
    TriedArray *a = &t->report->arrays[i];
    a->least = MIN(a->least, record->offset);
    a->most = MAX(a->most, record->offset);
}

/* Is the element as array_fill_unwritten() leaves it? */
static bool is_unwritten(const Array *a, int64_t at)
{
    const unsigned char *byte = (const unsigned char *)a->data;
    size_t size = tilec_dtype_size(a->dtype);
    const int pattern = array_unwritten_byte(a->dtype);
    bool is_so = true;

    for (size_t i = 0; i < size; i++)
        is_so &= byte[(size_t)at * size + i] == pattern;
    return is_so;
}

static tilec_status launch(const Attempt *t, const ExampleCall *k, char **error)
{
    const tilec_launch_options options = {
        .device = "interp", /* it checks accesses, and without `check` no races */
        .on_progress = is_enough,
        .on_record = hear,
        .user = (void *)t};

    return tilec_launch(t->maker->of.file, t->maker->of.kernel, k->grid, k->args, k->nargs,
                        &options, error);
}

/* Bytes of any value may be what the kernel wrote: another value in their places, and another
 * launch, which writes them again, tell. */
enum { OTHER_BYTE = 0x5a };

static void settle_bytes(const Attempt *t, const ExampleCall *k, const Array *a)
{
    int64_t n = array_numel(a);
    unsigned char *now = a->data, *first = arena_alloc(t->maker->c->arena, (size_t)n + 1);

    memcpy(first, now, (size_t)n);
    memset(now, OTHER_BYTE, (size_t)n);
    if (launch(t, k, NULL) != TILEC_OK)
        return;
    for (int64_t at = 0; at < n; at++)
        now[at] = first[at] == 0xff && now[at] == OTHER_BYTE ? 0xff : 0;
}

static void see_written(const Array *a, TriedArray *out)
{
    int64_t n = array_numel(a);

    for (int64_t at = 0; at < n; at++) {
        int64_t rest = at;

        if (is_unwritten(a, at)) {
            out->unwritten++;
            continue;
        }
        for (int d = a->ndim - 1; d >= 0; rest /= a->shape[d--]) {
            if (d < EXAMPLE_DIMS)
                out->written[d] = MAX(out->written[d], rest % a->shape[d] + 1);
        }
    }
}

/* The array that an argument of the call is, if it is one to be written; else NULL. */
static const Array *output_of(const Attempt *t, const ExampleCall *k, int i, int *param)
{
    const Array *a = value_array(&k->names.at[i].value);

    *param = param_named(t->maker, k->names.at[i].name);
    return a && *param >= 0 && t->draft->args[*param].fill == FILL_EMPTY ? a : NULL;
}

static void see_outputs(const Attempt *t, const ExampleCall *k)
{
    const Array *a;
    int param;

    for (int i = 0; i < k->names.len; i++) {
        if (!(a = output_of(t, k, i, &param)))
            continue;
        if (tilec_dtype_size(a->dtype) == 1)
            settle_bytes(t, k, a);
        see_written(a, &t->report->arrays[param]);
    }
}

static void run_once(Client *c, void *context)
{
    Attempt *t = context;
    char *error = NULL;
    tilec_status status;
    const Example e = draft_example(t->maker, t->draft);
    const ExampleCall k = t->maker->host->evaluate(c, &t->maker->of, &e);

    status = launch(t, &k, &error);
    t->report->is_cut_short = status == TILEC_CANCELLED;
    if (status != TILEC_CANCELLED)
        client_check(c, NULL, status, &error);
    tilec_free(error);
    if (status == TILEC_OK)
        see_outputs(t, &k);
    t->report->is_over = true;
}

/* The first line of why it does not run. */
static const char *find_problem(Client *c, void *context)
{
    const Attempt *t = context;
    const char *why = t->maker->host->attempt(c, run_once, context);

    return why ? arena_strndup(c->arena, why, strcspn(why, "\n")) : NULL;
}

/* N of "k.py:N:5: error: ..."; 0: there is none. */
static int line_of(const char *problem)
{
    const char *error = strstr(problem, ": error: ");
    int colons = 0;

    while (error && error > problem && colons < 2)
        colons += *--error == ':';
    return colons == 2 ? atoi(error + 1) : 0;
}

static Came how_far(const Tried *t, const Report *r, bool ended)
{
    if (r->failures > 0)
        return CAME_OUTSIDE;
    if (!r->is_over)
        return ended ? CAME_NOWHERE : CAME_INTO_LOOP;
    if (r->is_cut_short)
        return CAME_SO_FAR;
    return t->unwritten > 0 ? CAME_THROUGH : CAME_TO_ALL;
}

static void read_report(const Maker *m, const Draft *d, const Report *r, bool ended, Tried *out)
{
    out->arrays = NEW_N(m->c->arena, TriedArray, m->guess->n + 1);
    memcpy(out->arrays, r->arrays, sizeof *out->arrays * (size_t)m->guess->n);
    for (int i = 0; i < m->guess->n; i++) {
        if (d->args[i].fill == FILL_EMPTY && m->guess->at[i].is_pointer) {
            out->unwritten += r->arrays[i].unwritten;
            out->outputs += draft_numel(&d->args[i]);
        }
    }
    out->failures = r->failures;
    out->line = out->problem ? line_of(out->problem) : 0;
    out->came = how_far(out, r, ended);
}

Tried example_try(const Maker *m, const Draft *d)
{
    enum { MOST_SECONDS = 2 };
    size_t size = sizeof(Report) + sizeof(TriedArray) * (size_t)(m->guess->n + 1);
    Report *r = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    Attempt t = {.maker = m, .draft = d, .report = r};
    Tried out = {0};
    bool ended;

    if (r == MAP_FAILED)
        client_stop(m->c, CLIENT_REFUSED, "there is no memory for a trial");
    for (int i = 0; i < m->guess->n; i++)
        r->arrays[i].most = -1;
    ended = m->host->trial(m->c, MOST_SECONDS, find_problem, &t, &out.problem);
    read_report(m, d, r, ended, &out);
    munmap(r, size);
    return out;
}
