/*
 * test_crew.c - pieces of work that lack file handles, on threads that end in a certain order
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_last_one_tries_again_alone),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
