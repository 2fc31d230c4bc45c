/*
 * runs.c - tiles as long as a row that begin within one and end in the next
 *
 * tl.load(table + id + columns), which lacks the id * D, takes D elements from the middle of a row
 * on; so does pid * BLOCK of a row of `columns`, a stride of another array, and a row of an array
 * that lies by columns.  All of these stay within the array, and give numbers.
 *
 * Told of an array without gaps, of two dimensions or more, where a run of elements is as long as
 * one of its extents, or as its rows, planes or images are, begins at no multiple of that, and goes
 * over the end of a row.  Who goes through an array as one run of elements begins at multiples of
 * the tile, and neighbours are fewer than a row, or lie within it.  Of runs of another length, as
 * of rows that are two shorter, where a mask ends them, and more than once.
 */
#include <stdio.h>

#include "warn.h"
#include "../tensor/tensor.h"

/* Elements that lie one behind the other in its memory; 0: it has gaps, or places for several. */
static int64_t row_of(const tilec_tensor *t)
{
    int64_t all = 1, reach = 1, row = 0;

    for (int i = 0; i < t->ndim; i++) {
        if (t->shape[i] < 1 || (t->shape[i] > 1 && tensor_stride(t, i) < 1))
            return 0;
        all *= t->shape[i];
        reach += (t->shape[i] - 1) * tensor_stride(t, i);
        if (t->shape[i] > 1 && tensor_stride(t, i) == 1)
            row = t->shape[i];
    }
    return reach == all && row < all ? row : 0;
}

static bool is_extent(const tilec_tensor *t, int64_t n)
{
    for (int i = 0; i < t->ndim; i++) {
        if (t->shape[i] == n || (t->shape[i] > 1 && tensor_stride(t, i) == n))
            return true;
    }
    return false;
}

/* Whole rows, planes or images, or what is left of one. */
static bool ends_with_row(const tilec_tensor *t, const RowRun *run)
{
    for (int i = 0; i < t->ndim; i++) {
        int64_t step = tensor_stride(t, i);
        if (t->shape[i] > 1 && step > 1 && (run->first + run->lanes) % step == 0)
            return true;
    }
    return false;
}

/* Does the mask end it in another row than it begins in, and neither where the array ends nor at a
 * multiple of what it takes?  So does the last program of those that go through the array as one
 * run of n elements: it is one. */
static bool is_other_row(const tilec_tensor *t, const RowRun *run, int64_t all)
{
    return run->is_cut && run->first % run->lanes != 0 && run->first + run->lanes < all &&
           !ends_with_row(t, run);
}

void warn_of_run(const Launch *l, const tilec_tensor *t, Span span, const RowRun *run,
                 uint64_t *cut)
{
    int64_t row = t && t->ndim > 1 ? row_of(t) : 0, all = 1;
    char what[400];
    int slot = 0;

    if (row == 0 || run->first % run->lanes == 0 ||
        run->first / row == (run->first + run->lanes - 1) / row)
        return;
    for (int i = 0; i < t->ndim; i++)
        all *= t->shape[i];
    while (slot < l->nslots && l->tensors[slot] != t)
        slot++;
    uint64_t bit = UINT64_C(1) << slot % 64, before = *cut;
    *cut |= is_other_row(t, run, all) ? bit : 0;
    if (!is_extent(t, run->lanes) && !(before & *cut & bit && is_other_row(t, run, all)))
        return;
    if (!warn_claim(l, TOLD_RUN, slot))
        return;
    snprintf(
        what, sizeof what,
        "this takes %lld elements of `%.60s` one behind the other, from number %lld of a row of "
        "%lld on: it ends in another row",
        (long long)run->lanes, warn_name_of(l, t), (long long)(run->first % row), (long long)row);
    l->say_at(
        l->user, span, what,
        "an index of rows is multiplied by their stride, table + row * x.stride(0) + columns; "
        "and are the strides those of this array?");
}
