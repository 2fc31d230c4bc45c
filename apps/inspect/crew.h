/*
 * crew.h - what crew.c and share.c have in common: who has which batch, and what came of it
 *
 * Everything here belongs to whoever holds the lock.
 */
#ifndef INSPECT_CREW_H
#define INSPECT_CREW_H

#include "inspect.h"
#include "ranks.h"

#include <pthread.h>

typedef struct {
    int first, n; /* images */
} Batch;
typedef struct {
    pthread_mutex_t lock;
    pthread_cond_t changed; /* for the calling thread, which waits for the others */
    pthread_cond_t arrived; /* for those that wait for batches from another rank */
    const Job *job;
    Outputs *outputs; /* of the first rank, as the four below */
    Sheet *sheet;
    Result **waiting; /* by batch; those that are done and not written */
    int nbatches;
    int next, written; /* the first batch that nobody has; that is not written */
    int away;          /* ranks that have not said good-bye */
    /* of the others: batches that nobody here has begun, and results that are not sent */
    Batch *stock;
    int nstock, stock_cap;
    Result **outbox;
    int noutbox, outbox_cap;
    int asked;   /* batches that were asked for and have not come */
    bool ended;  /* there are no more */
    int seen;    /* images that are done or have failed, for progress */
    int working; /* threads */
    bool halted;
    Summary summary;
} Crew;

/* crew.c */
void crew_halt(Crew *c, const char *why, int code); /* the first trouble counts */
bool crew_next(Crew *c, Batch *out);                /* of all; false: there are none */
void crew_take(Crew *c, Result *r);                 /* on the first rank */

/* share.c: nothing, where there is one rank */
void share_exchange(Crew *c); /* the messages that there are, and that are to be sent */
bool share_is_over(const Crew *c);
void share_leave(Crew *c);            /* behind it all */
bool share_next(Crew *c, Batch *out); /* on another rank: waits for a batch; false: no more */
void share_give(Crew *c, Result *r);  /* what came of it */

#endif
