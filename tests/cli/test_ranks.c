/*
 * test_ranks.c - the items of a job on ranks that are threads of this process
 *
 * Messages go through memory in place of an MPI, whose calls all come from one thread of a rank: so
 * which rank is meant is what that thread has.
 */
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../src/ranks/ranks.h"

#include <cmocka.h>

enum { RANKS = 4, ITEMS = 1000, AHEAD = 3 };

/* --- messages --- */

typedef struct Mail {
    struct Mail *next;
    int from, tag;
    size_t n;
    char bytes[];
} Mail;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static Mail *boxes[RANKS];
static int begun, ended, known = RANKS;
static bool fails; /* from now on no message can be sent */
static _Thread_local int own;
static atomic_int looks[RANKS]; /* for messages, by rank */

static int begin(int *rank, int *size)
{
    own = *rank;
    *size = known;
    pthread_mutex_lock(&lock);
    begun++;
    pthread_mutex_unlock(&lock);
    return 0;
}

static int send_bytes(int to, int tag, const void *bytes, size_t n)
{
    Mail *m = malloc(sizeof *m + n), **end;
    bool lost;

    *m = (Mail){NULL, own, tag, n};
    if (n)
        memcpy(m->bytes, bytes, n);
    pthread_mutex_lock(&lock);
    lost = fails;
    for (end = &boxes[to]; *end; end = &(*end)->next)
        ;
    if (lost)
        free(m);
    else
        *end = m;
    pthread_mutex_unlock(&lock);
    return lost;
}

static int look(int *is_there, int *from, int *tag, size_t *n)
{
    atomic_fetch_add(&looks[own], 1);
    pthread_mutex_lock(&lock);
    *is_there = boxes[own] != NULL;
    if (*is_there) {
        *from = boxes[own]->from;
        *tag = boxes[own]->tag;
        *n = boxes[own]->n;
    }
    pthread_mutex_unlock(&lock);
    return 0;
}

static int take(int from, int tag, void *bytes, size_t n)
{
    Mail *m;

    (void)from;
    (void)tag;
    pthread_mutex_lock(&lock);
    m = boxes[own];
    boxes[own] = m->next;
    pthread_mutex_unlock(&lock);
    memcpy(bytes, m->bytes, n);
    free(m);
    return 0;
}

static int end(void)
{
    pthread_mutex_lock(&lock);
    ended++;
    pthread_mutex_unlock(&lock);
    return 0;
}

static void explain(int error, char *text, size_t room)
{
    snprintf(text, room, "error %d", error);
}

static const RanksTable messages = {RANKS_VERSION, begin, send_bytes, look, take, end, explain};

static int reset(void **state)
{
    (void)state;
    begun = ended = 0;
    known = RANKS;
    fails = false;
    for (int i = 0; i < RANKS; i++)
        assert_null(boxes[i]);
    return 0;
}

/* --- ranks --- */

/* What a test does on each rank. */
typedef void Act(Share *s, int rank, atomic_int *counts);
typedef struct {
    int rank;
    Act *act;
    atomic_int *counts;
} Member;

static void *be_rank(void *member)
{
    const Member *m = member;
    Ranks ranks = {m->rank, RANKS, m->rank, RANKS, &messages};
    char *why;
    Share *s = share_open(&ranks, &why);

    if (s)
        m->act(s, m->rank, m->counts);
    else
        atomic_fetch_add(&m->counts[strstr(why, "MPI knows of 1") ? 0 : 1], 1);
    free(why);
    share_close(s);
    return NULL;
}

static void run(Act *act, atomic_int *counts)
{
    pthread_t threads[RANKS];
    Member members[RANKS];

    for (int i = 0; i < RANKS; i++) {
        members[i] = (Member){i, act, counts};
        assert_int_equal(pthread_create(&threads[i], NULL, be_rank, &members[i]), 0);
    }
    for (int i = 0; i < RANKS; i++)
        pthread_join(threads[i], NULL);
}

static void collect(Share *s, atomic_int *counts)
{
    while (!share_is_over(s)) {
        share_wait(s, 10);
        for (RanksMessage *m; (m = share_take(s)); free(m)) {
            int item;

            memcpy(&item, m->bytes, sizeof item);
            atomic_fetch_add(&counts[item], 1);
        }
    }
}

/* One that has begun behind this call. */
static void wait_for_look(int rank)
{
    const int before = atomic_load(&looks[rank]);

    while (atomic_load(&looks[rank]) < before + 2)
        sched_yield();
}

/* On another rank, until it has none: what `after` of them gave; then it ends the job.  Before it
 * asks its messenger has the time to do so unasked. */
static void assist(Share *s, int rank, int after)
{
    const void *job;
    size_t n;
    int item;

    if (!share_hear(s, &job, &n))
        return;
    assert_int_equal(n, 4);
    assert_memory_equal(job, "job", 4);
    for (int i = 0; i < 6; i++)
        wait_for_look(i % 2 ? rank : 0);
    share_ask(s, AHEAD * rank);
    for (int done = 0; done < after && share_next(s, &item); done++)
        share_give(s, &item, sizeof item);
}

static void each_once(Share *s, int rank, atomic_int *counts)
{
    int item;

    if (rank) {
        assist(s, rank, ITEMS);
        return;
    }
    assert_true(share_next(s, &item) == false); /* there is no job yet */
    share_tell(s, ITEMS, 7, "job", 4);
    assert_true(share_next(s, &item)); /* before the others have any */
    assert_int_equal(item, 0);
    atomic_fetch_add(&counts[item], 1);
    share_begin(s);
    for (int i = 0; i < ITEMS / 8 && share_next(s, &item); i++) /* the others do the rest */
        atomic_fetch_add(&counts[item], 1);
    collect(s, counts);
    assert_null(share_trouble(s));
}

static void test_each_item_is_done_once(void **state)
{
    atomic_int counts[ITEMS] = {0};

    (void)state;
    run(each_once, counts);
    for (int i = 0; i < ITEMS; i++)
        assert_int_equal(counts[i], 1);
    assert_int_equal(ended, RANKS);
}

/* What is wrong with all items shows on the first one: the others have none, and end. */
static void first_stops(Share *s, int rank, atomic_int *counts)
{
    int item;

    (void)counts;
    if (rank) {
        assist(s, rank, ITEMS);
        assert_false(share_next(s, &item));
        return;
    }
    share_tell(s, ITEMS, 7, "job", 4);
    assert_true(share_next(s, &item));
    share_halt(s);
    assert_false(share_next(s, &item));
    collect(s, counts);
}

static void no_job(Share *s, int rank, atomic_int *counts)
{
    (void)counts;
    if (rank)
        assist(s, rank, ITEMS);
    else
        share_halt(s);
}

static void test_the_first_rank_stops(void **state)
{
    atomic_int counts[ITEMS] = {0};

    (void)state;
    run(first_stops, counts);
    run(no_job, counts);
    for (int i = 0; i < ITEMS; i++)
        assert_int_equal(counts[i], 0);
    assert_int_equal(ended, 2 * RANKS);
}

/* Ranks that leave early have their answers thrown away, and nobody waits for them. */
static void some_leave(Share *s, int rank, atomic_int *counts)
{
    int item;

    if (rank) {
        assist(s, rank, rank);
        return;
    }
    share_tell(s, ITEMS, 1, "job", 4);
    share_begin(s);
    collect(s, counts);
    while (share_next(s, &item))
        atomic_fetch_add(&counts[ITEMS], 1);
}

static void test_ranks_leave_early(void **state)
{
    atomic_int counts[ITEMS + 1] = {0};
    int theirs = 0;

    (void)state;
    run(some_leave, counts);
    for (int i = 0; i < ITEMS; i++)
        theirs += counts[i];
    assert_int_equal(theirs, 1 + 2 + 3);
    assert_in_range(counts[ITEMS], ITEMS - (1 + 2 + 3) * (1 + AHEAD), ITEMS - (1 + 2 + 3));
}

static void test_other_number_of_ranks(void **state)
{
    atomic_int counts[2] = {0};

    (void)state;
    known = 1;
    run(each_once, counts);
    assert_int_equal(counts[0], RANKS);
    assert_int_equal(counts[1], 0);
    assert_int_equal(ended, RANKS);
}

static void lines_break(Share *s, int rank, atomic_int *counts)
{
    int item, n = 0;

    if (rank) {
        assist(s, rank, 1);
        if (atomic_fetch_add(&counts[0], 1) == RANKS - 2) {
            pthread_mutex_lock(&lock);
            fails = true;
            pthread_mutex_unlock(&lock);
            atomic_fetch_add(&counts[0], 1);
        }
        while (atomic_load(&counts[0]) < RANKS)
            sched_yield();
        share_give(s, &n, sizeof n); /* which nobody hears either */
        while (share_next(s, &item))
            ;
        assert_non_null(strstr(share_trouble(s), "error 1"));
        return;
    }
    share_tell(s, INT_MAX, 1, "job", 4);
    share_begin(s);
    while (!share_is_over(s)) {
        if (atomic_load(&counts[0]) == RANKS)
            share_halt(s); /* which nobody hears */
        for (RanksMessage *m; (m = share_take(s));)
            free(m);
        share_wait(s, 0.01);
    }
    assert_non_null(strstr(share_trouble(s), "error 1"));
}

/* Where no message goes through nobody waits for ever. */
static void test_no_messages(void **state)
{
    atomic_int counts[1] = {0};

    (void)state;
    run(lines_break, counts);
    assert_int_equal(ended, 0);
    for (int i = 0; i < RANKS; i++) {
        for (Mail *m; (m = boxes[i]); free(m))
            boxes[i] = m->next;
    }
}

static void test_one_rank(void **state)
{
    Ranks ranks = {.size = 1, .host_size = 1};
    char *why;
    Share *s = share_open(&ranks, &why);
    int item, n = 0;

    (void)state;
    assert_null(why);
    share_tell(s, 5, 3, NULL, 0);
    share_begin(s);
    for (; share_next(s, &item); n++)
        assert_int_equal(item, n);
    assert_int_equal(n, 5);
    assert_null(share_take(s));
    assert_true(share_is_over(s));
    share_close(s);
}

static void set(const char *const pairs[][2])
{
    static const char *const names[] = {"OMPI_COMM_WORLD_RANK",
                                        "OMPI_COMM_WORLD_SIZE",
                                        "OMPI_COMM_WORLD_LOCAL_RANK",
                                        "OMPI_COMM_WORLD_LOCAL_SIZE",
                                        "PMI_RANK",
                                        "PMI_SIZE",
                                        "MPI_LOCALRANKID",
                                        "MPI_LOCALNRANKS",
                                        "SLURM_PROCID",
                                        "SLURM_STEP_NUM_TASKS",
                                        "SLURM_LOCALID",
                                        "SLURM_STEP_TASKS_PER_NODE"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        unsetenv(names[i]);
    for (; (*pairs)[0][0]; pairs++)
        setenv((*pairs)[0], (*pairs)[1], 1);
}

/* What each launcher says, and a job of Slurm in which nothing was started by srun. */
static void test_launchers(void **state)
{
    static const char *const mpirun[][2] = {{"OMPI_COMM_WORLD_RANK", "5"},
                                            {"OMPI_COMM_WORLD_SIZE", "8"},
                                            {"OMPI_COMM_WORLD_LOCAL_RANK", "1"},
                                            {"OMPI_COMM_WORLD_LOCAL_SIZE", "4"},
                                            {"SLURM_PROCID", "0"},
                                            {"SLURM_STEP_NUM_TASKS", "2"},
                                            {""}};
    static const char *const hydra[][2] = {{"PMI_RANK", "3"},
                                           {"PMI_SIZE", "6"},
                                           {"MPI_LOCALRANKID", "1"},
                                           {"MPI_LOCALNRANKS", "2"},
                                           {""}};
    static const char *const srun[][2] = {{"SLURM_PROCID", "7"},
                                          {"SLURM_STEP_NUM_TASKS", "12"},
                                          {"SLURM_LOCALID", "3"},
                                          {"SLURM_STEP_TASKS_PER_NODE", "4(x3)"},
                                          {""}};
    static const char *const batch[][2] = {{"SLURM_PROCID", "0"}, {"SLURM_LOCALID", "0"}, {""}};
    static const struct {
        const char *const (*pairs)[2];
        int rank, size, host_rank, host_size;
    } cases[] = {
        {mpirun, 5, 8, 1, 4}, {hydra, 3, 6, 1, 2}, {srun, 7, 12, 3, 4}, {batch, 0, 1, 0, 1}};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        set(cases[i].pairs);
        const Ranks r = ranks_find();
        assert_int_equal(r.rank, cases[i].rank);
        assert_int_equal(r.size, cases[i].size);
        assert_int_equal(r.host_rank, cases[i].host_rank);
        assert_int_equal(r.host_size, cases[i].host_size);
        assert_true(ranks_cpus(&r) >= 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_each_item_is_done_once, reset),
        cmocka_unit_test_setup(test_the_first_rank_stops, reset),
        cmocka_unit_test_setup(test_ranks_leave_early, reset),
        cmocka_unit_test_setup(test_other_number_of_ranks, reset),
        cmocka_unit_test_setup(test_no_messages, reset),
        cmocka_unit_test_setup(test_one_rank, reset),
        cmocka_unit_test_setup(test_launchers, reset),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
