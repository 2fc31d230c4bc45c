/*
 * source.c - from byte offsets in a file to lines and columns
 */
#include <string.h>

#include "base.h"

Place source_place(const Source *src, uint32_t offset)
{
    size_t at = MIN((size_t)offset, src->len);
    const char *p = src->text, *end = src->text + src->len, *stop = src->text + at;
    Place place = {.line = 1};

    for (const char *nl; (nl = memchr(p, '\n', (size_t)(stop - p))); p = nl + 1)
        place.line++;
    place.text = p;
    place.column = (int)(stop - p) + 1;

    const char *nl = memchr(p, '\n', (size_t)(end - p));
    place.length = (int)((nl ? nl : end) - p);
    if (place.length > 0 && p[place.length - 1] == '\r')
        place.length--;
    return place;
}
