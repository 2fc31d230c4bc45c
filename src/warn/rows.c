/*
 * rows.c - tiles that are shorter than the rows that they stand for
 *
 * A kernel whose programs take a row each, at = tl.arange(0, BLOCK) with mask=at < columns, needs
 * a BLOCK of `columns` or more: what is behind the tile is neither read nor written, and nothing
 * fails.
 *
 * Such tiles are found when the kernel is lowered (src/check/rows.c), and said once at a launch,
 * where the number is an extent of the array and greater than the tile.
 */
#include <stdio.h>

#include "warn.h"

static bool has_extent(const tilec_tensor *t, int64_t n)
{
    for (int i = 0; t && i < t->ndim; i++) {
        if (t->shape[i] == n)
            return true;
    }
    return false;
}

static void warn_of_tile(const Launch *l, const RowTile *e, int64_t n)
{
    const tilec_tensor *t = l->tensors[e->array];
    char text[700];

    if (!warn_claim(l, TOLD_ROWS, e->array))
        return;
    snprintf(text, sizeof text,
             "warning: kernel `%.100s`: it %s the first %d elements of `%.60s` along a dimension "
             "that has %lld: its tile ends there, and the mask lets through all of them\n"
             "hint: where no loop goes over a row, the tile is as long as the row, or longer: "
             "tilec takes %lld, Triton the next power of two\n",
             l->kernel, e->stores ? "stores" : "loads", e->lanes, warn_name_of(l, t), (long long)n,
             (long long)n);
    warn_say(l, text);
}

void warn_of_rows(const Launch *l)
{
    const RowTiles *all = &l->programs->rows;

    for (int i = 0; i < all->n; i++) {
        const RowTile *e = &all->at[i];
        int64_t n = e->limit < 0 ? e->number : scalar_to_int(e->type, l->slots[e->limit]);
        if (n > e->lanes && has_extent(l->tensors[e->array], n))
            warn_of_tile(l, e, n);
    }
}
