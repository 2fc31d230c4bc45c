/*
 * template.c - the image of what is looked for, and the neighbourhood in which defects stand out
 */
#include "device.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool is_flat(const Template *t)
{
    const size_t size = tilec_dtype_size(t->dtype), n = (size_t)t->height * (size_t)t->width;

    return memcmp(t->pixels, (char *)t->pixels + size, (n - 1) * size) == 0;
}

char *template_read(Template *t, const char *path)
{
    const Input input = {.path = path, .stack = -1};
    char *why = NULL, *all;
    Pixels p;

    if (!pixels_read(&p, NULL, &input, UINT64_MAX, &why)) {
        *t = (Template){NULL, p.dtype, (int)p.height, (int)p.width};
        if (p.height < 1 || p.width < 1 || p.height > 1 << 15 || p.width > 1 << 15) {
            why = format("it is of %lld x %lld pixels", (long long)p.height, (long long)p.width);
        } else {
            t->pixels = more(NULL, (size_t)(p.height * p.width) * tilec_dtype_size(p.dtype));
            pixels_put(&p, t->pixels, &why);
            if (!why && is_flat(t))
                why = format("all its pixels are alike: it would fit everywhere");
        }
        pixels_free(&p);
    }
    all = why ? format("--template %s: %s", path, why) : NULL;
    free(why);
    return all;
}

/* How many columns an ellipse of h rows and w columns has in row i to each side of its middle, as
 * OpenCV rounds it; -1: none. */
static int half_of(int h, int w, int i)
{
    const int r = h / 2, c = w / 2, dy = i - r;

    if (abs(dy) > r)
        return -1;
    return r ? (int)rint(c * sqrt((double)(r * r - dy * dy) / (r * r))) : c;
}

char *element_rows(const Options *o)
{
    const int h = o->element_size.height, w = o->element_size.width, middle = w / 2;
    Text rows = {0};

    if (o->element == RECTANGLE)
        return NULL;
    for (int i = 0; i < h; i++) {
        const int half = o->element == CROSS ? (i == h / 2 ? w : 0) : half_of(h, w, i);

        text_add(&rows, i ? "/" : "");
        for (int j = 0; j < w; j++)
            text_add_bytes(&rows, abs(j - middle) <= half ? "1" : "0", 1);
    }
    return rows.at;
}
