/*
 * test_crew.c - pieces of work that lack file handles, on threads that end in a certain order;
 * pieces that a task hands out, and what became of them as bytes
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "../../src/batch/batch.h"

#include <cmocka.h> /* after base.h: both have a fail() */

enum { WAITS = 0, HOLDS = 1, PIECES = 2 };

/* Piece HOLDS has the handles, and piece WAITS fails for want of them behind the other one's end.
 */
typedef struct {
    atomic_bool holder_is_over;
    atomic_int begun;
    int tries, settled[PIECES], failed;
} Room;

static CrewResult perform(Client *worker, const CrewTask *task, int i)
{
    Room *room = task->context;
    CrewResult r = {0};

    (void)worker;
    atomic_fetch_add(&room->begun, 1);
    while (i == HOLDS && atomic_load(&room->begun) < PIECES)
        ;
    if (i == HOLDS || room->tries++ > 0)
        return r;
    while (!atomic_load(&room->holder_is_over))
        ;
    r.failed = true;
    r.reason = EMFILE;
    r.trouble = strdup("Too many open files");
    return r;
}

/* Under the lock that its thread gives back when it has ended. */
static bool settle(void *context, int i, CrewResult *r)
{
    Room *room = context;

    room->settled[i]++;
    room->failed += r->failed;
    crew_result_free(r);
    if (i == HOLDS)
        atomic_store(&room->holder_is_over, true);
    return true;
}

static void watch(void *context)
{
    (void)context;
}

static void test_the_last_one_tries_again_alone(void **state)
{
    Room room = {.tries = 0};
    Client clients[PIECES] = {{0}}, *workers[PIECES] = {&clients[0], &clients[1]};
    const CrewTask task = {NULL, settle, watch, &room};
    Crew crew = {workers, PIECES, perform};

    (void)state;
    crew_run(&crew, PIECES, &task);
    assert_int_equal(room.tries, 2);
    assert_int_equal(room.settled[WAITS], 1);
    assert_int_equal(room.settled[HOLDS], 1);
    assert_int_equal(room.failed, 0);
}

/* --- pieces that somebody else counts --- */

enum { OTHERS = 40 };

typedef struct {
    atomic_int next;
    int settled[2 * OTHERS];
} Counter;

static int next_odd(void *context)
{
    const int i = 2 * atomic_fetch_add(&((Counter *)context)->next, 1) + 1;

    return i < 2 * OTHERS ? i : -1;
}

static CrewResult do_nothing(Client *worker, const CrewTask *task, int i)
{
    (void)worker;
    (void)task;
    (void)i;
    return (CrewResult){0};
}

static bool count(void *context, int i, CrewResult *r)
{
    (void)r;
    ((Counter *)context)->settled[i]++;
    return true;
}

static void test_a_task_hands_out_pieces(void **state)
{
    Counter counter = {.next = 0};
    Client clients[3] = {{0}}, *workers[3] = {&clients[0], &clients[1], &clients[2]};
    const CrewTask task = {NULL, count, watch, &counter, next_odd};
    Crew crew = {workers, 3, do_nothing};

    (void)state;
    crew_run(&crew, 3, &task);
    for (int i = 0; i < 2 * OTHERS; i++)
        assert_int_equal(counter.settled[i], i % 2);
}

/* --- as bytes --- */

static void check_same(const char *a, const char *b)
{
    if (a && b)
        assert_string_equal(a, b);
    else
        assert_true(a == b);
}

static void test_results_as_bytes(void **state)
{
    char *rows[] = {(char *)"file,x\na,1\n", NULL, (char *)""};
    const CrewResult r = {.failed = true,
                          .code = CLIENT_FILES,
                          .status = TILEC_FAULT,
                          .reason = ENOSPC,
                          .seconds = 0.25,
                          .told = (char *)"said\n",
                          .problem = (char *)"{}",
                          .warning = (char *)"",
                          .rows = rows,
                          .nrows = 3};
    Guard guard = {0};
    Arena *a = arena_new(&guard);
    Text bytes = text_new(a);
    CrewResult got;
    int number;

    (void)state;
    crew_pack(&bytes, 17, &r);
    assert_true(crew_unpack(bytes.s, bytes.len, &number, &got));
    assert_int_equal(number, 17);
    assert_true(got.failed && got.code == r.code && got.status == r.status);
    assert_true(got.reason == r.reason && got.seconds == r.seconds && got.nrows == 3);
    check_same(got.told, r.told);
    check_same(got.trouble, NULL);
    check_same(got.problem, r.problem);
    check_same(got.compared, NULL);
    check_same(got.warning, r.warning);
    check_same(got.unwritten, NULL);
    for (int i = 0; i < 3; i++)
        check_same(got.rows[i], rows[i]);
    crew_result_free(&got);
    for (size_t n = 0; n < bytes.len; n++)
        assert_false(crew_unpack(bytes.s, n, &number, &got));
    text_put(&bytes, "x");
    assert_false(crew_unpack(bytes.s, bytes.len, &number, &got));
    arena_free(a);
}

static void test_files_as_bytes(void **state)
{
    EachFile at[] = {{"in/a.png", 3}, {"", 0}, {"b", 9}};
    const EachFiles files = {at, 3, 3};
    Guard guard = {0};
    Arena *a = arena_new(&guard);
    Text bytes = text_new(a);
    EachFiles got;

    (void)state;
    files_pack(&bytes, &files);
    assert_true(files_unpack(a, bytes.s, bytes.len, &got));
    assert_int_equal(got.len, 3);
    for (int i = 0; i < 3; i++) {
        assert_string_equal(got.at[i].path, at[i].path);
        assert_int_equal(got.at[i].index, at[i].index);
    }
    assert_false(files_unpack(a, bytes.s, bytes.len - 1, &got));
    arena_free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_last_one_tries_again_alone),
        cmocka_unit_test(test_a_task_hands_out_pieces),
        cmocka_unit_test(test_results_as_bytes),
        cmocka_unit_test(test_files_as_bytes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
