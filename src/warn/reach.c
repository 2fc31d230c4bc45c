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

#include "warn.h"
#include "../tensor/tensor.h"

static void say(const Launch *l, Told kind, const Reach *e, const char *what, const char *hint)
{
    char text[700];

    if (!warn_claim(l, kind, e->array))
        return;
    snprintf(text, sizeof text, "warning: kernel `%.100s`: %s\nhint: %s\n", l->kernel, what, hint);
    warn_say(l, text);
}

static const char *name_of_number(const Launch *l, int64_t n)
{
    const FrontKernel *k = l->signature;

    for (int i = 0; i < k->nparams && i < l->nargs; i++) {
        const tilec_arg *a = &l->args[i];
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
    if (tensor_overlaps(t, &n, &places))
        return places;
    n = 1;
    for (int i = t->ndim - 1; i >= 0; i--) {
        if (t->shape[i] > 1 && tensor_stride(t, i) != n)
            return -1;
        n *= t->shape[i];
    }
    return n;
}

static void warn_of_rest(const Launch *l, const Reach *e, int32_t programs, int64_t end, int64_t n)
{
    char what[300];

    snprintf(
        what, sizeof what,
        "%d program%s along axis %d, with %d elements each, reach %lld of the %lld that its mask "
        "lets through, `%.60s`",
        programs, programs == 1 ? "" : "s", e->axis, e->step, (long long)end, (long long)n,
        name_of_number(l, n - e->includes));
    say(l, TOLD_REST, e, what,
        "cdiv(n, BLOCK) programs reach all of them; n // BLOCK leave out the rest");
}

static void warn_of_nothing(const Launch *l, const Reach *e, int64_t n)
{
    char what[300];

    snprintf(what, sizeof what,
             "it stores nothing to `%.60s`: its mask compares with `%.60s`, which is %lld",
             warn_name_of(l, l->tensors[e->array]), name_of_number(l, n - e->includes),
             (long long)n);
    say(l, TOLD_REST, e, what, "a number of elements is 0 or more");
}

/* A grid of threads, as CUDA has it, is one program for each element. */
static void warn_of_threads(const Launch *l, const Reach *e, int64_t n)
{
    char what[300];

    snprintf(what, sizeof what,
             "the grid has %lld programs along axis %d, as many as there are elements, and each "
             "program works on %d: all but %lld have nothing to do",
             (long long)n, e->axis, e->step, (long long)((n + e->step - 1) / e->step));
    say(l, TOLD_THREADS, e, what, "a grid counts programs and no threads: cdiv(n, BLOCK) of them");
}

static void warn_of_outside(const Launch *l, const Reach *e, int64_t end)
{
    const tilec_tensor *t = l->tensors[e->array];
    char what[300];
    int64_t elements, places;
    bool overlaps = tensor_overlaps(t, &elements, &places);

    if (overlaps && e->stores) /* strides.c tells */
        return;
    snprintf(what, sizeof what, "it %s %lld elements of `%.60s`, which has %lld%s",
             e->stores ? "stores to" : "loads", (long long)end, warn_name_of(l, t),
             (long long)elements_of(t), overlaps ? " in memory, each for several" : "");
    say(l, TOLD_OUTSIDE, e, what,
        overlaps        ? "x.contiguous() has a place for each element; else the kernel goes by "
                          "strides that it is given"
        : e->includes   ? "i <= n lets through n + 1 elements, i < n as many as n"
        : e->limit >= 0 ? "does the number that its mask compares with belong to another array?"
                        : "a mask leaves out what the last program has too much, mask=i < n");
}

/* Does the mask let through as many elements as an array of more dimensions has rows? */
static bool counts_rows(const tilec_tensor *t, int64_t n, int64_t there)
{
    return t && t->ndim > 1 && n > 1 && n == t->shape[0] && there > n && there != n * n;
}

/* .. or columns, of one row, where some of the programs, which reach all rows, have nothing to do?
 */
static bool counts_columns(const tilec_tensor *t, const Reach *e, int64_t n, int64_t end,
                           int64_t there)
{
    return t && t->ndim > 1 && n > 1 && n == t->shape[t->ndim - 1] && there > n && end >= there &&
           end - e->lanes >= n;
}

static void warn_of_row_count(const Launch *l, const Reach *e, int64_t n, bool columns)
{
    const tilec_tensor *t = l->tensors[e->array];
    char what[300];

    snprintf(what, sizeof what,
             "it %s %lld elements of `%.60s`, as many as it has %s, of %lld: its mask compares "
             "with `%.60s`",
             e->stores ? "stores to" : "loads", (long long)n, warn_name_of(l, t),
             columns ? "columns" : "rows", (long long)elements_of(t), name_of_number(l, n));
    say(l, TOLD_REST, e, what,
        columns ? "the grid reaches all rows: x.size of NumPy and x.numel() of PyTorch and of the "
                  "command count elements, x.shape[-1] those of one row"
                : "len(x) and x.shape[0] count rows: x.size of NumPy and x.numel() of PyTorch and "
                  "of the command count elements");
}

/* Rows as far apart as a number of the launch says. */
static void warn_of_far_rows(const Launch *l, const Reach *e, int64_t programs, int64_t lanes)
{
    const tilec_tensor *t = l->tensors[e->array];
    int64_t step = (int64_t)l->slots[e->rows], there = elements_of(t);
    int64_t end = (programs - 1) * step + lanes;
    char what[300];

    if (l->checks || there < 0 || step < 0 || step > INT32_MAX || lanes < 1 || end <= there)
        return;
    snprintf(what, sizeof what,
             "it %s %lld elements of `%.60s`, which has %lld: %lld rows, %lld apart",
             e->stores ? "stores to" : "loads", (long long)end, warn_name_of(l, t),
             (long long)there, (long long)programs, (long long)step);
    say(l, TOLD_OUTSIDE, e, what, "are there as many rows, and do they lie so far apart?");
}

/* How many elements the mask lets through. */
static int64_t number_of(const Launch *l, const Reach *e)
{
    uint64_t bits = e->limit < 0 ? INT64_MAX : l->slots[e->limit];

    if (e->limit < 0 || (e->type == DT_U64 && bits >= INT64_MAX))
        return INT64_MAX;
    return scalar_to_int(e->type, bits) + e->includes;
}

void warn_of_reach(const Launch *l)
{
    const Reaches *all = &l->programs->reaches;

    for (int i = 0; i < all->n; i++) {
        const Reach *e = &all->at[i];
        int64_t end = (int64_t)(l->grid[e->axis] - 1) * e->step + e->lanes;
        int64_t n = number_of(l, e);
        int64_t there = elements_of(l->tensors[e->array]);
        if (e->rows >= 0)
            warn_of_far_rows(l, e, l->grid[e->axis], MIN(e->lanes, n));
        else if (e->stores && n < 0)
            warn_of_nothing(l, e, n);
        else if (e->stores && !e->includes && e->step >= e->lanes && n < INT64_MAX &&
                 (int64_t)l->grid[e->axis] * e->step < n)
            warn_of_rest(l, e, l->grid[e->axis], end, n);
        else if (!e->includes && end >= n && counts_rows(l->tensors[e->array], n, there))
            warn_of_row_count(l, e, n, false);
        else if (!e->includes && counts_columns(l->tensors[e->array], e, n, end, there))
            warn_of_row_count(l, e, n, true);
        else if (e->stores && e->step >= e->lanes && e->step > 1 && l->grid[e->axis] == n &&
                 n > e->step)
            warn_of_threads(l, e, n);
        else if (!l->checks && e->is_all && there >= 0 && MIN(end, n) > there)
            warn_of_outside(l, e, MIN(end, n));
    }
}
