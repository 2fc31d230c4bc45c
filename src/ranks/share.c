/*
 * share.c - the items of a job on several ranks: who has which, and what came of them
 *
 * The first rank tells the others the job, and answers each that asks with the next `chunk` items,
 * or with none.  Another one asks as long as it has less than `ahead` of them, sends what came of
 * each, and leaves when it has nothing more to say; that it has left the first one answers too, so
 * that no message is on its way when both end.  A thread, the messenger, has all calls of MPI: it
 * lets go of the lock while one may take its time.  Nobody tells when a message comes, so it looks
 * a thousand times a second where something happens, and less often the longer nothing does:
 * another rank asks before it needs an answer.
 */
#define _GNU_SOURCE
#include "ranks.h"

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ASK = 1, CHUNK, JOB, ITEMS, RESULT, HALT, LEAVE, LEFT };
static const double first_look = 0.001, looks_apart = 0.008; /* seconds */

typedef struct {
    int first, n;
} Range;
typedef struct {
    RanksMessage *first, **end;
} Queue;
typedef struct {
    int asks; /* without an answer */
    bool has_left;
} Other;
struct Share {
    Ranks *ranks;
    pthread_t messenger;
    pthread_mutex_t lock;   /* for all below */
    pthread_cond_t changed; /* for everybody but the messenger, which waits for .. */
    pthread_cond_t wanted;  /* .. this */
    bool has_messenger, has_begun;
    bool halts;    /* no more items, for anybody */
    bool closes;   /* nobody here has anything to say */
    char *trouble; /* NULL */
    int chunk;     /* items that another rank is given at once */
    /* of the first rank */
    int items, next;
    const void *job;
    size_t job_size;
    bool has_job, hands_out;
    bool told, told_halt; /* the others */
    Other *others;        /* by rank; the one of the first is nobody's */
    int away;             /* of them have not left */
    Queue inbox;
    /* of another rank */
    RanksMessage *heard; /* the job; NULL */
    Range *stock;        /* items that no thread here has; at most ahead + 1 ranges */
    int nstock, ahead;
    int asked;  /* answers that are to come */
    bool empty; /* the first rank has no more */
    Queue outbox;
    bool leaves, has_left;
};

/* --- parts --- */

static bool is_first(const Share *s)
{
    return s->ranks->rank == 0;
}

static void queue_put(Queue *q, RanksMessage *m)
{
    m->next = NULL;
    if (!q->first)
        q->end = &q->first;
    *q->end = m;
    q->end = &m->next;
}

static RanksMessage *queue_get(Queue *q)
{
    RanksMessage *m = q->first;

    if (m)
        q->first = m->next;
    return m;
}

static void queue_free(Queue *q)
{
    for (RanksMessage *m; (m = queue_get(q));)
        free(m);
}

/* The first one counts; takes the text. */
static void note_trouble(Share *s, char *why)
{
    if (!why)
        return;
    if (s->trouble)
        free(why);
    else
        s->trouble = why;
    s->halts = true;
    pthread_cond_broadcast(&s->changed);
}

static void note_no_memory(Share *s)
{
    note_trouble(s, strdup("there is no memory for messages between ranks"));
}

/* On the messenger's thread, without the lock while it takes its time. */
static void send(Share *s, int to, int tag, const void *bytes, size_t n)
{
    char *why;

    if (s->trouble)
        return;
    pthread_mutex_unlock(&s->lock);
    why = ranks_send(s->ranks, to, tag, bytes, n);
    pthread_mutex_lock(&s->lock);
    note_trouble(s, why);
}

static void send_all(Share *s, int tag, const void *bytes, size_t n)
{
    for (int rank = 1; rank < s->ranks->size; rank++) {
        if (!s->others[rank].has_left)
            send(s, rank, tag, bytes, n);
    }
}

/* --- the first rank --- */

static Range next_range(Share *s, int most)
{
    const int left = s->halts ? 0 : s->items - s->next;
    const Range r = {s->next, left < most ? left : most};

    s->next += r.n;
    return r;
}

static void answer_asks(Share *s)
{
    for (int rank = 1; rank < s->ranks->size && (s->hands_out || s->halts); rank++) {
        while (s->others[rank].asks) {
            const Range r = next_range(s, s->chunk);

            s->others[rank].asks--;
            send(s, rank, ITEMS, &r, sizeof r);
        }
    }
}

static void serve(Share *s)
{
    if (s->has_job && !s->told) {
        s->told = true;
        send_all(s, CHUNK, &s->chunk, sizeof s->chunk);
        send_all(s, JOB, s->job, s->job_size);
    }
    if (s->halts && !s->told_halt) {
        s->told_halt = true;
        send_all(s, HALT, NULL, 0);
    }
    answer_asks(s);
}

static void hear_at_first(Share *s, RanksMessage *m)
{
    switch (m->tag) {
    case ASK:
        s->others[m->rank].asks++;
        break;
    case RESULT:
        queue_put(&s->inbox, m);
        pthread_cond_broadcast(&s->changed);
        return;
    case LEAVE:
        s->others[m->rank] = (Other){.has_left = true};
        s->away--;
        send(s, m->rank, LEFT, NULL, 0);
        pthread_cond_broadcast(&s->changed);
        break;
    }
    free(m);
}

/* --- another rank --- */

static int in_stock(const Share *s)
{
    int n = 0;

    for (int i = 0; i < s->nstock; i++)
        n += s->stock[i].n;
    return n;
}

/* Has it less than a thread each needs now, and half a range, in which an answer comes? */
static bool lacks_items(const Share *s)
{
    return s->ahead && s->asked * s->chunk + in_stock(s) < s->ahead + s->chunk / 2;
}

static void ask_and_give(Share *s)
{
    for (RanksMessage *m; !s->trouble && (m = queue_get(&s->outbox));) {
        send(s, 0, RESULT, m->bytes, m->n);
        free(m);
    }
    while (s->heard && !s->empty && !s->halts && !s->trouble && lacks_items(s)) {
        s->asked++;
        send(s, 0, ASK, NULL, 0);
    }
    if (s->closes && !s->leaves && !s->outbox.first) {
        s->leaves = true;
        send(s, 0, LEAVE, NULL, 0);
    }
}

static void hear_items(Share *s, const RanksMessage *m)
{
    Range r = {0, 0};

    s->asked--;
    if (m->n == sizeof r)
        memcpy(&r, m->bytes, sizeof r);
    if (r.n > 0 && s->nstock <= s->ahead)
        s->stock[s->nstock++] = r;
    else
        s->empty = true;
}

static void hear_at_another(Share *s, RanksMessage *m)
{
    switch (m->tag) {
    case CHUNK:
        if (m->n == sizeof s->chunk)
            memcpy(&s->chunk, m->bytes, sizeof s->chunk);
        break;
    case JOB:
        free(s->heard);
        s->heard = m;
        m = NULL;
        break;
    case ITEMS:
        hear_items(s, m);
        break;
    case HALT:
        s->halts = true;
        break;
    case LEFT:
        s->has_left = true;
        break;
    }
    free(m);
    pthread_cond_broadcast(&s->changed);
}

/* --- the messenger --- */

static RanksMessage *receive(Share *s)
{
    char *why = NULL;
    RanksMessage *m;

    pthread_mutex_unlock(&s->lock);
    m = ranks_receive(s->ranks, &why);
    pthread_mutex_lock(&s->lock);
    note_trouble(s, why);
    return m;
}

/* Some of the messages that there are, so that those who ask need not wait for those who tell;
 * false: there were none. */
static bool hear(Share *s)
{
    enum { MOST_AT_ONCE = 64 };
    int n = 0;

    for (RanksMessage *m; n < MOST_AT_ONCE && !s->trouble && (m = receive(s)); n++) {
        if (is_first(s))
            hear_at_first(s, m);
        else
            hear_at_another(s, m);
    }
    return n > 0;
}

static bool is_done(const Share *s)
{
    if (s->trouble)
        return s->closes;
    return s->closes && (is_first(s) ? s->away == 0 : s->has_left);
}

/* False: it was for the whole time. */
static bool wait_until(pthread_cond_t *cond, Share *s, double seconds)
{
    const int64_t second = 1000000000;
    struct timespec t;

    clock_gettime(CLOCK_REALTIME, &t);
    const int64_t at = t.tv_nsec + (int64_t)(seconds * (double)second);
    t.tv_sec += (time_t)(at / second);
    t.tv_nsec = (long)(at % second);
    return pthread_cond_timedwait(cond, &s->lock, &t) == 0;
}

static void *run_messenger(void *share)
{
    Share *s = share;
    char *why = ranks_begin(s->ranks);
    double pause = first_look;
    bool is_well;

    pthread_mutex_lock(&s->lock);
    s->away = s->ranks->size - 1;
    s->has_begun = true;
    note_trouble(s, why);
    pthread_cond_broadcast(&s->changed);
    while (!is_done(s)) {
        if (is_first(s))
            serve(s);
        else
            ask_and_give(s);
        if (hear(s) || is_done(s) || wait_until(&s->wanted, s, pause))
            pause = first_look;
        else
            pause = pause < looks_apart ? 2 * pause : looks_apart;
    }
    is_well = !s->trouble;
    pthread_mutex_unlock(&s->lock);
    if (is_well) /* else the others may not come there */
        ranks_end(s->ranks);
    return NULL;
}

/* --- for all --- */

static void discard(Share *s)
{
    queue_free(&s->inbox);
    queue_free(&s->outbox);
    free(s->trouble);
    free(s->others);
    free(s->stock);
    free(s->heard);
    pthread_cond_destroy(&s->changed);
    pthread_cond_destroy(&s->wanted);
    pthread_mutex_destroy(&s->lock);
    free(s);
}

/* NULL, or why there is none. */
static char *start_messenger(Share *s)
{
    char *why = ranks_open(s->ranks);

    if (why)
        return why;
    s->others = calloc((size_t)s->ranks->size, sizeof *s->others);
    if (!s->others || pthread_create(&s->messenger, NULL, run_messenger, s) != 0)
        return strdup("there is no thread for messages between ranks");
    s->has_messenger = true;
    pthread_mutex_lock(&s->lock);
    while (!s->has_begun)
        pthread_cond_wait(&s->changed, &s->lock);
    why = s->trouble ? strdup(s->trouble) : NULL;
    pthread_mutex_unlock(&s->lock);
    return why;
}

Share *share_open(Ranks *ranks, char **why)
{
    Share *s = calloc(1, sizeof *s);

    *why = NULL;
    if (!s) {
        *why = strdup("there is no memory");
        return NULL;
    }
    s->ranks = ranks;
    s->chunk = 1;
    pthread_mutex_init(&s->lock, NULL);
    pthread_cond_init(&s->changed, NULL);
    pthread_cond_init(&s->wanted, NULL);
    if (ranks->size < 2 || !(*why = start_messenger(s)))
        return s;
    share_close(s);
    return NULL;
}

static void let_go_and_wake(Share *s)
{
    pthread_cond_signal(&s->wanted);
    pthread_mutex_unlock(&s->lock);
}

bool share_next(Share *s, int *item)
{
    bool found;

    pthread_mutex_lock(&s->lock);
    while (!is_first(s) && !s->nstock && !s->empty && !s->halts)
        pthread_cond_wait(&s->changed, &s->lock);
    if (is_first(s)) {
        const Range r = next_range(s, 1);

        *item = r.first;
        found = r.n > 0;
    } else if ((found = s->nstock && !s->halts)) {
        *item = s->stock[0].first++;
        if (--s->stock[0].n == 0)
            memmove(s->stock, s->stock + 1, (size_t)--s->nstock * sizeof *s->stock);
    }
    let_go_and_wake(s);
    return found;
}

void share_halt(Share *s)
{
    pthread_mutex_lock(&s->lock);
    s->halts = true;
    pthread_cond_broadcast(&s->changed);
    let_go_and_wake(s);
}

const char *share_trouble(Share *s)
{
    const char *trouble;

    pthread_mutex_lock(&s->lock);
    trouble = s->trouble;
    pthread_mutex_unlock(&s->lock);
    return trouble;
}

void share_close(Share *s)
{
    if (!s)
        return;
    pthread_mutex_lock(&s->lock);
    s->closes = s->halts = true;
    let_go_and_wake(s);
    if (s->has_messenger)
        pthread_join(s->messenger, NULL);
    discard(s);
}

/* --- on the first rank --- */

void share_tell(Share *s, int items, int chunk, const void *job, size_t n)
{
    pthread_mutex_lock(&s->lock);
    s->items = items;
    s->chunk = chunk;
    s->job = job;
    s->job_size = n;
    s->has_job = true;
    let_go_and_wake(s);
}

void share_begin(Share *s)
{
    pthread_mutex_lock(&s->lock);
    s->hands_out = true;
    let_go_and_wake(s);
}

RanksMessage *share_take(Share *s)
{
    RanksMessage *m;

    pthread_mutex_lock(&s->lock);
    m = queue_get(&s->inbox);
    pthread_mutex_unlock(&s->lock);
    return m;
}

static bool is_over(const Share *s)
{
    return !s->has_messenger || s->trouble || (s->away == 0 && !s->inbox.first);
}

bool share_is_over(Share *s)
{
    bool over;

    pthread_mutex_lock(&s->lock);
    over = is_over(s);
    pthread_mutex_unlock(&s->lock);
    return over;
}

void share_wait(Share *s, double seconds)
{
    pthread_mutex_lock(&s->lock);
    if (!is_over(s) && !s->inbox.first)
        wait_until(&s->changed, s, seconds);
    pthread_mutex_unlock(&s->lock);
}

/* --- on the others --- */

bool share_hear(Share *s, const void **job, size_t *n)
{
    pthread_mutex_lock(&s->lock);
    while (!s->heard && !s->halts)
        pthread_cond_wait(&s->changed, &s->lock);
    if (s->heard) {
        *job = s->heard->bytes;
        *n = s->heard->n;
    }
    pthread_mutex_unlock(&s->lock);
    return s->heard != NULL;
}

void share_ask(Share *s, int ahead)
{
    Range *stock = calloc((size_t)ahead + 1, sizeof *stock);

    pthread_mutex_lock(&s->lock);
    if (stock) {
        free(s->stock);
        s->stock = stock;
        s->ahead = ahead;
    } else
        note_no_memory(s);
    let_go_and_wake(s);
}

void share_give(Share *s, const void *bytes, size_t n)
{
    RanksMessage *m = malloc(sizeof *m + n);

    if (m) {
        *m = (RanksMessage){.n = n};
        if (n)
            memcpy(m->bytes, bytes, n);
    }
    pthread_mutex_lock(&s->lock);
    if (m)
        queue_put(&s->outbox, m);
    else
        note_no_memory(s);
    let_go_and_wake(s);
}
