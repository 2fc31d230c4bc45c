/*
 * workers.c - the threads of `run --each`: each works in a Cli of its own, with the library and the
 * file of the command
 */
#define _GNU_SOURCE
#include "each.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    CrewWork *work;
    void *context;
    int i;
} Piece;

static void do_piece(Cli *c, void *context)
{
    const Piece *piece = context;

    cli_start(c);
    piece->work(&c->store, piece->context, piece->i);
}

static void take_rows(const Cli *c, CrewResult *r)
{
    r->rows = c->nrows ? calloc((size_t)c->nrows, sizeof *r->rows) : NULL;
    r->nrows = r->rows ? c->nrows : 0;
    for (int i = 0; i < r->nrows; i++)
        r->rows[i] = c->rows[i] ? strdup(c->rows[i]) : NULL;
}

CrewResult worker_attempt(Cli *c, CrewWork *work, void *context, int i)
{
    CrewResult r = {.failed = true, .code = CLI_REFUSED, .status = TILEC_NO_MEMORY};
    Piece piece = {work, context, i};
    size_t size;
    double start = os_seconds();

    c->tells = open_memstream(&r.told, &size);
    if (!c->tells)
        return r;
    r.failed = !cli_attempt(c, do_piece, &piece);
    if (r.failed)
        r.trouble = strdup(c->trouble);
    if (r.failed && c->json)
        r.problem = problem_json(c);
    r.failed |= c->code != CLI_DONE;
    r.compared = c->compared ? strdup(c->compared) : NULL;
    r.warning = c->warning ? strdup(c->warning) : NULL;
    r.unwritten = c->unwritten ? strdup(c->unwritten) : NULL;
    take_rows(c, &r);
    r.code = (int)c->code;
    r.status = c->status;
    r.reason = c->reason;
    r.seconds = os_seconds() - start;
    fclose(c->tells);
    return r;
}

void worker_release(Cli *c)
{
    move_release(c, 0);
    array_free_from(&c->store, 0);
    arena_free(c->arena);
}

static CrewResult perform(Client *worker, const CrewTask *task, int i)
{
    Cli *c = cli_of(worker);
    const Cli before = *c;
    CrewResult r = worker_attempt(c, task->work, task->context, i);

    worker_release(c);
    *c = before;
    return r;
}

Crew workers_new(Cli *c, int n)
{
    Crew w = {.workers = NEW_N(c->arena, Client *, n), .n = n, .perform = perform};
    Cli *all = NEW_N(c->arena, Cli, n);

    for (int i = 0; i < n; i++) {
        all[i].tilec = c->tilec;
        all[i].file = c->file;
        all[i].json = c->json;
        all[i].quiet = c->quiet;
        w.workers[i] = &all[i].client;
    }
    return w;
}
