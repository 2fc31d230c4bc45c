/*
 * each_ranks.c - `run --each` as one of several ranks, which mpirun or srun has started
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

/* --- another rank --- */

bool each_hear_files(Each *e)
{
    const void *job;
    size_t n;

    if (!share_hear(e->share, &job, &n))
        return false;
    e->packed = text_new(e->cli->arena);
    if (!files_unpack(e->cli->arena, job, n, &e->files))
        cli_stop(e->cli, CLI_REFUSED, "a message between ranks is damaged");
    return true;
}

void each_send(Each *e, int i, CrewResult *r)
{
    e->packed.len = 0;
    crew_pack(&e->packed, i, r);
    share_give(e->share, e->packed.s, e->packed.len);
    crew_result_free(r);
}

/* Why it cannot take part: the first rank says it. */
static void send_trouble(Each *e)
{
    CrewResult r = {.failed = true, .code = (int)e->cli->code, .trouble = strdup(e->cli->trouble)};

    e->packed = text_new(e->cli->arena);
    each_send(e, -1, &r);
}

/* --- the first rank --- */

void each_share_files(Each *e, int items, int chunk)
{
    Text *files = NEW(e->cli->arena, Text);

    *files = text_new(e->cli->arena);
    if (e->ranks.size > 1)
        files_pack(files, &e->files);
    share_tell(e->share, items, chunk, files->s, files->len);
}

static void settle(Each *e, const RanksMessage *m)
{
    CrewResult r;
    int i;

    if (!crew_unpack(m->bytes, m->n, &i, &r) || i >= e->files.len) {
        cli_complain(e->cli, CLI_REFUSED,
                     "a message of rank %d is damaged: is it the same program there?", m->rank);
    } else if (i < 0) {
        progress_end(&e->progress);
        cli_complain(e->cli, (CliCode)r.code, "rank %d takes no part: %s", m->rank, r.trouble);
        crew_result_free(&r);
    } else {
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
    interrupt_defer(true);
    while (!share_is_over(e->share)) {
        share_wait(e->share, a_while);
        each_watch(e);
    }
    interrupt_defer(false);
    if (share_trouble(e->share))
        cli_complain(e->cli, CLI_REFUSED, "%s", share_trouble(e->share));
}

/* --- all --- */

int each_threads(const Each *e)
{
    const int given = e->options->launch.threads;

    return given ? given : e->ranks.size > 1 ? ranks_cpus(&e->ranks) : os_cpu_count();
}

void each_choose_unit(Each *e, Options *o)
{
    const int units = o->launch.device ? tilec_unit_count(e->cli->tilec, o->launch.device) : 0;

    if (units > 1 && !strchr(o->devices, ':'))
        o->device_id = e->ranks.host_rank % units;
    if (e->ranks.size > 1)
        o->launch.threads = each_threads(e);
}

void each_on_ranks(Each *e, void (*work)(Cli *c, void *each))
{
    Cli *c = e->cli;
    char *why = NULL;
    bool done;

    e->share = share_open(&e->ranks, &why);
    if (!e->share) {
        const char *text = arena_printf(c->arena, "%s", why);

        free(why);
        cli_stop(c, CLI_REFUSED, "%s", text);
    }
    if (each_assists(e)) /* mpirun ends it where the first one fails */
        interrupt_tells_json(NULL);
    done = cli_attempt(c, work, e);
    if (!done && each_assists(e)) {
        send_trouble(e);
        c->code = CLI_DONE; /* that of the first one counts */
    }
    if (each_assists(e) && share_trouble(e->share))
        c->code = CLI_REFUSED;
    share_close(e->share);
    if (!done && !each_assists(e))
        fail(&c->guard);
}
