/*
 * pack.c - what a batch gave as bytes, for the rank that writes the tables
 *
 * Ranks of one job are the same program on like machines, so numbers go as they lie in memory.
 */
#include "inspect.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    int first, n, done, failed, with_defects, nthumbs, code;
    int64_t defects;
    size_t images, defect_rows, said, fatal; /* bytes behind this; of `fatal` 0: it is NULL */
} Head;

void result_pack(const Result *r, Text *out)
{
    const Head head = {r->first,        r->n,
                       r->done,         r->failed,
                       r->with_defects, r->nthumbs,
                       r->code,         r->defects,
                       r->images.len,   r->defect_rows.len,
                       r->said.len,     r->fatal ? strlen(r->fatal) : 0};

    text_add_bytes(out, &head, sizeof head);
    text_add_bytes(out, r->images.at, r->images.len);
    text_add_bytes(out, r->defect_rows.at, r->defect_rows.len);
    text_add_bytes(out, r->said.at, r->said.len);
    text_add_bytes(out, r->fatal, head.fatal);
    text_add_bytes(out, r->thumbs, (size_t)r->nthumbs * sizeof *r->thumbs);
}

static const char *take_text(Text *to, const char *from, size_t n)
{
    if (n)
        text_add_bytes(to, from, n);
    return from + n;
}

bool result_unpack(Result *r, const void *bytes, size_t n)
{
    const char *at = (const char *)bytes + sizeof(Head);
    Text fatal = {0};
    Head head;

    if (n < sizeof head)
        return false;
    memcpy(&head, bytes, sizeof head);
    if (head.nthumbs < 0 || n != sizeof head + head.images + head.defect_rows + head.said +
                                     head.fatal + (size_t)head.nthumbs * sizeof(Thumb))
        return false;
    *r = (Result){.first = head.first,
                  .n = head.n,
                  .done = head.done,
                  .failed = head.failed,
                  .with_defects = head.with_defects,
                  .defects = head.defects,
                  .nthumbs = head.nthumbs,
                  .thumbs_cap = head.nthumbs,
                  .code = head.code};
    at = take_text(&r->images, at, head.images);
    at = take_text(&r->defect_rows, at, head.defect_rows);
    at = take_text(&r->said, at, head.said);
    at = take_text(&fatal, at, head.fatal);
    r->fatal = fatal.at;
    r->thumbs = more(NULL, (size_t)head.nthumbs * sizeof *r->thumbs);
    memcpy(r->thumbs, at, (size_t)head.nthumbs * sizeof *r->thumbs);
    return true;
}
