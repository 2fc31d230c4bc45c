/*
 * dark.c - pictures that are black: --save of what lies between 0 and 1
 *
 * The pixels of a picture lie between 0 and 255, or 65535.  Who stores `v > t`, or v / 255, has a
 * file that shows nothing.
 */
#include "batch.h"

#include <string.h>

static bool is_picture(const IoName *name)
{
    static const char *const suffixes[] = {".png", ".pgm", ".ppm"};

    for (int i = 0; i < COUNT(suffixes); i++) {
        if (strcmp(name->suffix, suffixes[i]) == 0)
            return true;
    }
    return false;
}

/* Is 1 the greatest of all? */
static bool ends_at_one(Store *store, const Array *a)
{
    const Array dense = array_cast(store, a, a->dtype);
    int64_t n = array_numel(a);
    double v[ARRAY_LANES], greatest = 0;

    for (int64_t i = 0; i < n && greatest <= 1; i += ARRAY_LANES) {
        int64_t lanes = MIN(ARRAY_LANES, n - i);

        array_numbers(&dense, i, lanes, v);
        for (int64_t k = 0; k < lanes; k++)
            greatest = MAX(greatest, v[k]);
    }
    return greatest == 1;
}

void save_warn_of_dark(const Saving *s, const SaveText *save, const Array *pixels)
{
    const IoName name = io_name(s->store->arena, save->path);

    if (s->file || !is_picture(&name) || !ends_at_one(s->store, pixels))
        return;
    client_warn(s->store->client,
                "%s: none of its pixels is more than 1, and %d is white: it is black\n"
                "hint: store %s in the kernel",
                shown_name(s->store->arena, name.path), pixels->dtype == TILEC_U8 ? 255 : 65535,
                save->converts ? "255 * v" : "tl.where(condition, 255, 0)");
}
