/*
 * each_ranks.c - files of one job as one of several ranks, which mpirun or srun has started
 *
 * The first rank finds the files, looks at the outputs, runs the first file, tells everything and
 * writes the tables; the others are told which files there are, so that all have the same ones, and
 * give back what became of each, which the first one settles as it does its own.  So what is
 * written and said does not depend on how many ranks there are.
 */
#include "each.h"

#include <stdlib.h>
#include <string.h>

bool each_assists(const Each *e)
{
    return e->ranks.rank > 0;
}

void each_open(Each *e)
{
    char *why = NULL;

    e->share = share_open(&e->ranks, &why);
    if (e->share)
        return;
    const char *text = arena_printf(e->client->arena, "%s", why);
    free(why);
    client_stop(e->client, CLIENT_REFUSED, "%s", text);
}

bool each_close(Each *e)
{
    const bool is_well = !share_trouble(e->share);

    share_close(e->share);
    return is_well;
}

/* --- another rank --- */

bool each_hear_files(Each *e)
{
    const void *job;
    size_t n;

    if (!share_hear(e->share, &job, &n))
        return false;
    e->packed = text_new(e->client->arena);
    if (!files_unpack(e->client->arena, job, n, &e->files))
        client_stop(e->client, CLIENT_REFUSED, "a message between ranks is damaged");
    return true;
}

void each_send(Each *e, int i, CrewResult *r)
{
    e->packed.len = 0;
    crew_pack(&e->packed, i, r);
    share_give(e->share, e->packed.s, e->packed.len);
    crew_result_free(r);
}

void each_excuse(Each *e, int code, const char *why)
{
    CrewResult r = {.failed = true, .code = code, .trouble = strdup(why)};

    e->packed = text_new(e->client->arena);
    each_send(e, -1, &r);
}

/* --- the first rank --- */

/* Items are files, or with batches ranges of them. */
void each_share_files(Each *e)
{
    enum { MOST_AT_ONCE = 16 };
    const int n = e->files.len, range = batches_range(e);
    Text *files = NEW(e->client->arena, Text);

    *files = text_new(e->client->arena);
    if (e->ranks.size > 1)
        files_pack(files, &e->files);
    if (e->batch)
        share_tell(e->share, (n + range - 1) / range, 1, files->s, files->len);
    else
        share_tell(e->share, n, MAX(1, MIN(MOST_AT_ONCE, n / (16 * e->ranks.size))), files->s,
                   files->len);
}

/* Each rank looks at the first file of a shape: of what all of them find there one tells. */
static void drop_warning(const Each *e, CrewResult *r)
{
    if (!r->warning || !map_get(e->warned, hash_bytes(r->warning, strlen(r->warning), 0)))
        return;
    free(r->warning);
    free(r->unwritten);
    r->warning = r->unwritten = NULL;
}

static void settle(Each *e, const RanksMessage *m)
{
    Arena *a = e->client->arena;
    CrewResult r;
    int i;

    if (!crew_unpack(m->bytes, m->n, &i, &r) || i >= e->files.len) {
        e->host->complain(e, CLIENT_REFUSED,
                          arena_printf(a,
                                       "a message of rank %d is damaged: is it the same program "
                                       "there?",
                                       m->rank));
    } else if (i < 0) {
        e->host->complain(
            e, r.code,
            arena_printf(a, "rank %d takes no part: %s", m->rank, r.trouble ? r.trouble : ""));
        crew_result_free(&r);
    } else {
        drop_warning(e, &r);
        each_settle(e, i, &r);
    }
}

void each_take_theirs(Each *e)
{
    for (RanksMessage *m; !each_assists(e) && (m = share_take(e->share)) != NULL; free(m))
        settle(e, m);
}

void each_wait_for_ranks(Each *e)
{
    static const double a_while = 0.1; /* seconds */

    if (each_assists(e))
        return;
    e->host->works(e, true, false);
    while (!share_is_over(e->share)) {
        share_wait(e->share, a_while);
        each_watch(e);
    }
    e->host->works(e, false, false);
    if (share_trouble(e->share))
        e->host->complain(e, CLIENT_REFUSED, share_trouble(e->share));
}
