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
 * the tile, and neighbours are fewer than a row, or lie within it.
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

void warn_of_run(const Launch *l, const tilec_tensor *t, Span span, int64_t first, int64_t lanes)
{
    char what[400];
    int64_t row;

    if (!t || t->ndim < 2 || !is_extent(t, lanes) || first % lanes == 0 || (row = row_of(t)) == 0 ||
        first / row == (first + lanes - 1) / row)
        return;
    int slot = 0;
    while (slot < l->nslots && l->tensors[slot] != t)
        slot++;
    if (!warn_claim(l, TOLD_RUN, slot))
        return;
    snprintf(what, sizeof what,
             "this takes %lld elements of `%.60s` one behind the other, from number %lld of a row of "
             "%lld on: it ends in another row",
             (long long)lanes, warn_name_of(l, t), (long long)(first % row), (long long)row);
    l->say_at(l->user, span, what,
              "an index of rows is multiplied by their stride, table + row * x.stride(0) + columns; "
              "and are the strides those of this array?");
}
