/*
 * reach.c - grids that do not reach all of n elements, or reach beyond an array
 *
 * Most kernels give each program a tile of its own, i = pid * BLOCK + tl.arange(0, BLOCK), and mask
 * what is too much, i < n.  Then the grid says how many elements are stored to: n // BLOCK programs
 * leave the last ones out.  And where x + i is loaded, the launch knows how many elements x has: n
 * of another array, or a mask that is missing, reads what lies behind it, or ends the process.  A
 * grid of n programs for n elements is one of threads: nearly all of them have nothing to do.
 *
 * Found when the kernel is lowered (src/check/reach.c), and said once at a launch, in front of it.
 */
#include <stdio.h>

#include "api.h"

static void say(const Request *r, const char *what, const char *hint)
{
    char text[700];

    if (!programs_claim(r, TOLD_REACH))
        return;
    snprintf(text, sizeof text, "warning: kernel `%.100s`: %s\nhint: %s\n", r->kernel->name, what,
             hint);
    programs_say(r, text);
}

static const char *name_of(const Request *r, const tilec_tensor *t)
{
    const char *name = request_name_of_tensor(r, t);

    return name ? name : "an item of a tuple";
}

static const char *name_of_number(const Request *r, int64_t n)
{
    const FrontKernel *k = r->kernel->signature;

    for (int i = 0; i < k->nparams && i < r->nargs; i++) {
        const tilec_arg *a = &r->args[i];
        if (a->kind == TILEC_ARG_INT && !a->name && a->integer == n)
            return k->params[i].name;
    }
    return "n";
}

/* Elements of an array without gaps, or the places that they share; negative: nobody knows. */
static int64_t elements_of(const tilec_tensor *t)
{
    int64_t n = 1, places;

    if (!t || t->ndim < 0)
        return -1;
    if (memory_overlaps(t, &n, &places))
        return places;
    n = 1;
    for (int i = t->ndim - 1; i >= 0; i--) {
        if (t->shape[i] > 1 && memory_stride(t, i) != n)
            return -1;
        n *= t->shape[i];
    }
    return n;
}

static void warn_of_rest(const Request *r, const Reach *e, int32_t programs, int64_t end, int64_t n)
{
    char what[300];

    snprintf(
        what, sizeof what,
        "%d program%s along axis %d, with %d elements each, reach %lld of the %lld that its mask "
        "lets through, `%.60s`",
        programs, programs == 1 ? "" : "s", e->axis, e->step, (long long)end, (long long)n,
        name_of_number(r, n - e->includes));
    say(r, what, "cdiv(n, BLOCK) programs reach all of them; n // BLOCK leave out the rest");
}

static void warn_of_nothing(const Request *r, const Reach *e, int64_t n)
{
    char what[300];

    snprintf(what, sizeof what,
             "it stores nothing to `%.60s`: its mask compares with `%.60s`, which is %lld",
             name_of(r, r->binding->tensors[e->array]), name_of_number(r, n - e->includes),
             (long long)n);
    say(r, what, "a number of elements is 0 or more");
}

/* A grid of threads, as CUDA has it, is one program for each element. */
static void warn_of_threads(const Request *r, const Reach *e, int64_t n)
{
    char what[300];

    snprintf(what, sizeof what,
             "the grid has %lld programs along axis %d, as many as there are elements, and each "
             "program works on %d: all but %lld have nothing to do",
             (long long)n, e->axis, e->step, (long long)((n + e->step - 1) / e->step));
    say(r, what, "a grid counts programs and no threads: cdiv(n, BLOCK) of them");
}

static void warn_of_outside(const Request *r, const Reach *e, int64_t end)
{
    const tilec_tensor *t = r->binding->tensors[e->array];
    char what[300];
    int64_t elements, places;
    bool overlaps = memory_overlaps(t, &elements, &places);

    if (overlaps && e->stores) /* strides.c tells */
        return;
    snprintf(what, sizeof what, "it %s %lld elements of `%.60s`, which has %lld%s",
             e->stores ? "stores to" : "loads", (long long)end, name_of(r, t),
             (long long)elements_of(t), overlaps ? " in memory, each for several" : "");
    say(r, what,
        overlaps        ? "x.contiguous() has a place for each element; else the kernel goes by "
                          "strides that it is given"
        : e->includes   ? "i <= n lets through n + 1 elements, i < n as many as n"
        : e->limit >= 0 ? "does the number that its mask compares with belong to another array?"
                        : "a mask leaves out what the last program has too much, mask=i < n");
}

/* Rows as far apart as a number of the launch says. */
static void warn_of_rows(const Request *r, const Reach *e, int64_t programs, int64_t lanes)
{
    const tilec_tensor *t = r->binding->tensors[e->array];
    int64_t step = (int64_t)r->binding->slots[e->rows], there = elements_of(t);
    int64_t end = (programs - 1) * step + lanes;
    char what[300];

    if (r->options.check || there < 0 || step < 0 || step > INT32_MAX || lanes < 1 || end <= there)
        return;
    snprintf(what, sizeof what,
             "it %s %lld elements of `%.60s`, which has %lld: %lld rows, %lld apart",
             e->stores ? "stores to" : "loads", (long long)end, name_of(r, t), (long long)there,
             (long long)programs, (long long)step);
    say(r, what, "are there as many rows, and do they lie so far apart?");
}

/* How many elements the mask lets through. */
static int64_t number_of(const Request *r, const Reach *e)
{
    return e->limit < 0 ? INT64_MAX
                        : scalar_to_int(e->type, r->binding->slots[e->limit]) + e->includes;
}

void reaches_warn(const Request *r, const int32_t *grid)
{
    const Reaches *all = &r->spec->programs.reaches;

    for (int i = 0; i < all->n; i++) {
        const Reach *e = &all->at[i];
        int64_t end = (int64_t)(grid[e->axis] - 1) * e->step + e->lanes;
        int64_t n = number_of(r, e);
        int64_t there = elements_of(r->binding->tensors[e->array]);
        if (e->rows >= 0)
            warn_of_rows(r, e, grid[e->axis], MIN(e->lanes, n));
        else if (e->stores && n < 0)
            warn_of_nothing(r, e, n);
        else if (e->stores && !e->includes && e->step >= e->lanes && n < INT64_MAX &&
                 (int64_t)grid[e->axis] * e->step < n)
            warn_of_rest(r, e, grid[e->axis], end, n);
        else if (e->stores && e->step >= e->lanes && e->step > 1 && grid[e->axis] == n &&
                 n > e->step)
            warn_of_threads(r, e, n);
        else if (!r->options.check && e->is_all && there >= 0 && MIN(end, n) > there)
            warn_of_outside(r, e, MIN(end, n));
    }
}
