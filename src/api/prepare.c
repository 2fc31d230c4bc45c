/*
 * prepare.c - tilec_prepare_all(): several launches made ready at once
 *
 * Threads take one entry of the list after the other.  What their compiles say is kept until all
 * are done, so that the caller hears it on its own thread and in the order of the list.
 */
#include <stdatomic.h>
#include <stdlib.h>

#include "api.h"

enum { MOST_THREADS = 16 }; /* each takes some tens of megabytes while LLVM is at work */

typedef struct {
    tilec_preparation *list;
    char **said; /* by entry; for free() */
    int n;
    atomic_int next;
} Preparing;

static void keep_text(void *said, const char *text)
{
    api_append(said, text);
}

static void prepare(tilec_preparation *p, char **said)
{
    tilec_launch_options options = p->options ? *p->options : (tilec_launch_options){0};

    if (options.on_message) {
        options.on_message = keep_text;
        options.user = said;
    }
    p->status = tilec_prepare(p->file, p->kernel, p->args, p->nargs, &options, &p->error);
}

static void *prepare_some(void *preparing)
{
    Preparing *all = preparing;

    for (int i; (i = atomic_fetch_add(&all->next, 1)) < all->n;)
        prepare(&all->list[i], &all->said[i]);
    return NULL;
}

static int threads_for(int n, int threads)
{
    int most = threads > 0 ? threads : os_cpu_count();

    return MIN(MIN(n, most), MOST_THREADS);
}

tilec_status tilec_prepare_all(tilec_preparation *list, int n, int threads)
{
    pthread_t others[MOST_THREADS];
    Preparing all = {.list = list, .n = n};
    int started = 0;

    if (n < 0 || (n > 0 && !list) || threads < 0)
        return TILEC_BAD_ARGUMENT;
    all.said = calloc((size_t)n + 1, sizeof *all.said);
    if (!all.said)
        return TILEC_NO_MEMORY;
    while (started + 1 < threads_for(n, threads) &&
           os_thread_start(&others[started], NULL, prepare_some, &all) == 0)
        started++;
    prepare_some(&all);
    for (int i = 0; i < started; i++)
        pthread_join(others[i], NULL);
    for (int i = 0; i < n; i++) {
        if (all.said[i])
            list[i].options->on_message(list[i].options->user, all.said[i]);
        free(all.said[i]);
    }
    free(all.said);
    return TILEC_OK;
}
