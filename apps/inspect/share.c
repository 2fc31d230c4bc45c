/*
 * share.c - images of one job on several ranks
 *
 * The first rank hands out batches as others ask for them, writes the tables, and inspects images
 * itself.  The others ask ahead, one batch for each of their threads, so that no thread waits for
 * an answer, write the pictures of their images, and send back rows.  So what is written is the
 * same whatever the ranks.  Only the calling thread talks.
 */
#include "crew.h"

#include <stdlib.h>
#include <string.h>

enum { ASK = 1, BATCH, RESULT, LEAVE };

static bool is_first(const Crew *c)
{
    return c->job->ranks->rank == 0;
}

static void send(Crew *c, int to, int tag, const void *bytes, size_t n)
{
    char *why = ranks_send(c->job->ranks, to, tag, bytes, n);

    if (why)
        crew_halt(c, why, EXIT_SOME_FAILED);
    free(why);
}

/* --- on the first rank --- */

static void answer(Crew *c, int rank)
{
    Batch batch = {-1, 0};

    crew_next(c, &batch);
    send(c, rank, BATCH, &batch, sizeof batch);
}

static void hear_result(Crew *c, const Message *m)
{
    Result *r = more(NULL, sizeof *r);

    if (result_unpack(r, m->bytes, m->n)) {
        crew_take(c, r);
        return;
    }
    crew_halt(c, "a message between ranks is damaged: is it the same program on all of them?",
              EXIT_SOME_FAILED);
    free(r);
}

/* --- on the others --- */

static void hear_batch(Crew *c, const Message *m)
{
    Batch batch;

    c->asked--;
    memcpy(&batch, m->bytes, m->n < sizeof batch ? m->n : sizeof batch);
    if (m->n != sizeof batch || batch.first < 0) {
        c->ended = true;
    } else {
        ROOM(c->stock, c->nstock, c->stock_cap);
        c->stock[c->nstock++] = batch;
    }
    pthread_cond_broadcast(&c->arrived);
}

static void ask_ahead(Crew *c)
{
    while (!c->ended && !c->halted && !*c->job->stop && c->asked + c->nstock < c->job->workers) {
        c->asked++;
        send(c, 0, ASK, NULL, 0);
    }
}

static void send_results(Crew *c)
{
    while (c->noutbox && !*c->job->stop) {
        Result *r = c->outbox[--c->noutbox];
        Text bytes = {0};

        pthread_mutex_unlock(&c->lock); /* it may take its time to be heard */
        result_pack(r, &bytes);
        result_free(r);
        free(r);
        char *why = ranks_send(c->job->ranks, 0, RESULT, bytes.at, bytes.len);
        text_free(&bytes);
        pthread_mutex_lock(&c->lock);
        if (why)
            crew_halt(c, why, EXIT_SOME_FAILED);
        free(why);
    }
}

bool share_next(Crew *c, Batch *out)
{
    while (!c->nstock && !c->ended && !c->halted && !*c->job->stop)
        pthread_cond_wait(&c->arrived, &c->lock);
    if (!c->nstock || c->halted || *c->job->stop)
        return false;
    *out = c->stock[0];
    memmove(c->stock, c->stock + 1, (size_t)--c->nstock * sizeof *c->stock);
    pthread_cond_signal(&c->changed); /* one more is to be asked for */
    return true;
}

void share_give(Crew *c, Result *r)
{
    c->seen += r->done + r->failed;
    ROOM(c->outbox, c->noutbox, c->outbox_cap);
    c->outbox[c->noutbox++] = r;
    pthread_cond_signal(&c->changed);
}

/* --- on all --- */

static void hear(Crew *c, const Message *m)
{
    switch (m->tag) {
    case ASK:
        answer(c, m->from);
        break;
    case BATCH:
        hear_batch(c, m);
        break;
    case RESULT:
        hear_result(c, m);
        break;
    case LEAVE:
        c->away--;
        break;
    }
}

void share_exchange(Crew *c)
{
    char *why = NULL;
    Message m;

    if (!c->job->ranks->messages)
        return;
    if (!is_first(c)) {
        send_results(c);
        ask_ahead(c);
    }
    while (ranks_receive(c->job->ranks, &m, &why)) {
        hear(c, &m);
        free(m.bytes);
    }
    if (why)
        crew_halt(c, why, EXIT_SOME_FAILED);
    free(why);
    if (*c->job->stop)
        pthread_cond_broadcast(&c->arrived);
}

bool share_is_over(const Crew *c)
{
    if (!c->job->ranks->messages || *c->job->stop)
        return true;
    return is_first(c) ? c->away == 0 : c->noutbox == 0 && c->asked == 0;
}

void share_leave(Crew *c)
{
    if (c->job->ranks->messages && !is_first(c) && !*c->job->stop)
        send(c, 0, LEAVE, NULL, 0);
    for (int i = 0; i < c->noutbox; i++) {
        result_free(c->outbox[i]);
        free(c->outbox[i]);
    }
    free(c->outbox);
    free(c->stock);
}
