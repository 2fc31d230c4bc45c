/*
 * pack.c - what became of files, and which there are, as bytes for another rank
 *
 * Ranks of one job are the same program on like machines, so numbers go as they lie in memory.
 */
#include "batch.h"

#include <stdlib.h>
#include <string.h>

/* --- putting --- */

static void put_int(Text *out, int64_t v)
{
    text_putn(out, (const char *)&v, sizeof v);
}

/* With its length in front; NULL has one of -1. */
static void put_text(Text *out, const char *s)
{
    put_int(out, s ? (int64_t)strlen(s) : -1);
    if (s)
        text_putn(out, s, strlen(s));
}

/* --- taking --- */

typedef struct {
    const char *at, *end;
    bool damaged;
} Bytes;

static int64_t take_int(Bytes *b)
{
    int64_t v = 0;

    if (b->end - b->at < (ptrdiff_t)sizeof v) {
        b->damaged = true;
        return 0;
    }
    memcpy(&v, b->at, sizeof v);
    b->at += sizeof v;
    return v;
}

/* Gives its length, -1 for NULL. */
static int64_t take_length(Bytes *b)
{
    const int64_t n = take_int(b);

    if (n < -1 || n > b->end - b->at)
        b->damaged = true;
    return b->damaged ? -1 : n;
}

/* From malloc(). */
static char *take_text(Bytes *b)
{
    const int64_t n = take_length(b);
    char *s = n < 0 ? NULL : strndup(b->at, (size_t)n);

    b->at += MAX(n, 0);
    return s;
}

/* --- results --- */

static char **texts_of(CrewResult *r, int k)
{
    char **const texts[] = {&r->told,     &r->trouble, &r->problem,
                            &r->compared, &r->warning, &r->unwritten};

    return k < COUNT(texts) ? texts[k] : NULL;
}

void crew_pack(Text *out, int i, const CrewResult *given)
{
    CrewResult r = *given;

    put_int(out, i);
    put_int(out, r.failed);
    put_int(out, r.code);
    put_int(out, r.status);
    put_int(out, r.reason);
    text_putn(out, (const char *)&r.seconds, sizeof r.seconds);
    for (int k = 0; texts_of(&r, k); k++)
        put_text(out, *texts_of(&r, k));
    put_int(out, r.nrows);
    for (int k = 0; k < r.nrows; k++)
        put_text(out, r.rows[k]);
}

static void take_rows(Bytes *b, CrewResult *r)
{
    const int64_t n = take_int(b);

    if (n < 0 || n > (b->end - b->at) / (int64_t)sizeof n) {
        b->damaged = true;
        return;
    }
    r->rows = n ? calloc((size_t)n, sizeof *r->rows) : NULL;
    r->nrows = r->rows ? (int)n : 0;
    for (int k = 0; k < r->nrows; k++)
        r->rows[k] = take_text(b);
}

bool crew_unpack(const void *bytes, size_t n, int *i, CrewResult *r)
{
    Bytes b = {bytes, (const char *)bytes + n, false};
    int64_t seconds;

    *r = (CrewResult){0};
    *i = (int)take_int(&b);
    r->failed = take_int(&b) != 0;
    r->code = (int)take_int(&b);
    r->status = (tilec_status)take_int(&b);
    r->reason = (int)take_int(&b);
    seconds = take_int(&b);
    memcpy(&r->seconds, &seconds, sizeof r->seconds);
    for (int k = 0; texts_of(r, k); k++)
        *texts_of(r, k) = take_text(&b);
    take_rows(&b, r);
    if (!b.damaged && b.at == b.end)
        return true;
    crew_result_free(r);
    return false;
}

/* --- files --- */

void files_pack(Text *out, const EachFiles *files)
{
    for (int i = 0; i < files->len; i++) {
        put_int(out, files->at[i].index);
        put_text(out, files->at[i].path);
    }
}

bool files_unpack(Arena *a, const void *bytes, size_t n, EachFiles *out)
{
    Bytes b = {bytes, (const char *)bytes + n, false};

    *out = (EachFiles){0};
    while (b.at < b.end && !b.damaged) {
        const int index = (int)take_int(&b);
        const int64_t length = take_length(&b);

        if (length < 0)
            return false;
        vec_push(a, out, ((EachFile){arena_strndup(a, b.at, (size_t)length), index}));
        b.at += length;
    }
    return !b.damaged;
}
