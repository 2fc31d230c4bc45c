/*
 * test_progress.c - a launch tells how far it is, what hangs, and can be cancelled between programs
 */
#include "scene.h"

#include <sys/resource.h>
#include <sys/wait.h>

/* The last programs wait until gate[0] is not 0; then each counts itself. */
static const char waiting_source[] = HEAD "@triton.jit\n"
                                          "def wait(gate, count, last):\n"
                                          "    if tl.program_id(0) >= tl.num_programs(0) - last:\n"
                                          "        open = tl.atomic_add(gate, 0)\n"
                                          "        while open == 0:\n"
                                          "            open = tl.atomic_add(gate, 0)\n"
                                          "    tl.atomic_add(count, 1)\n";

enum { PROGRAMS = 1000 };
static const char *const devices[] = {"cpu", "interp", "sim"};

/* One launch, and what was heard of it before its gate was opened. */
typedef struct {
    int32_t gate, count, last;
    int calls, answer;
    int64_t answers_from; /* once so many programs have begun; at least one */
    bool wrong;           /* something that it was told; the thread that hears it must not leave */
    int64_t begun, ended;
    double still_seconds;
    tilec_programs first;
    bool opens;  /* the gate, when nothing has moved for a while */
    bool warned; /* that nothing will be told */
} Watched;

static bool is_wrong(const Watched *before, const tilec_progress *p)
{
    return p->programs != PROGRAMS || p->begun < p->ended || p->begun > PROGRAMS ||
           p->seconds < p->still_seconds || p->nrunning > 64 ||
           (p->nrunning < 1 && p->begun > p->ended) || p->ended < before->ended;
}

/* A busy machine may not have let the first program begin yet. */
static int hear(void *user, const tilec_progress *p)
{
    Watched *w = user;

    w->wrong |= is_wrong(w, p);
    if (__atomic_load_n(&w->gate, __ATOMIC_SEQ_CST) == 0) {
        w->begun = p->begun;
        w->ended = p->ended;
        w->still_seconds = p->still_seconds;
        w->first = p->nrunning > 0 ? p->running[0] : (tilec_programs){0};
    }
    w->calls++;
    if (w->calls >= 3 && w->opens && p->begun > 0 && p->still_seconds > 0.15)
        __atomic_store_n(&w->gate, 1, __ATOMIC_SEQ_CST);
    return p->begun > 0 && p->begun >= w->answers_from ? w->answer : 0;
}

static void hear_warning(void *user, const char *text)
{
    ((Watched *)user)->warned |= strstr(text, "no further thread can be started") != NULL;
}

/* The launch is compiled, or with a grid made. */
static tilec_status call_waiting(Scene *s, const char *device, Watched *w, const int32_t *grid)
{
    const int64_t one[] = {1};
    tilec_arg args[] = {
        {.kind = TILEC_ARG_TENSOR, .tensor = {&w->gate, TILEC_I32, 1, one}},
        {.kind = TILEC_ARG_TENSOR, .tensor = {&w->count, TILEC_I32, 1, one}},
        of_int(NULL, w->last),
    };
    const tilec_launch_options o = {
        .device = device, .threads = 2, .on_progress = hear, .on_message = hear_warning, .user = w};

    return grid ? tilec_launch(s->file, NULL, grid, args, 3, &o, &s->error)
                : tilec_prepare(s->file, NULL, args, 3, &o, &s->error);
}

static tilec_status launch_waiting(Scene *s, const char *device, Watched *w)
{
    const int32_t grid[3] = {PROGRAMS, 1, 1};
    tilec_status status = call_waiting(s, device, w, grid);

    assert_false(w->wrong);
    return status;
}

static void test_a_launch_that_waits_is_told_and_goes_on(void **state)
{
    Scene *s = *state;

    load(s, waiting_source);
    for (int i = 0; i < COUNT(devices); i++) {
        Watched w = {.last = PROGRAMS, .opens = true};
        assert_int_equal(launch_waiting(s, devices[i], &w), TILEC_OK);
        assert_int_equal(w.count, PROGRAMS);
        assert_true(w.calls >= 3);
        assert_true(w.begun >= 1 && w.ended < PROGRAMS);
    }
}

/* What has begun ends; nothing else begins.  The gate opens in the call that cancels. */
static void test_a_launch_is_cancelled_between_programs(void **state)
{
    Scene *s = *state;

    load(s, waiting_source);
    for (int i = 0; i < COUNT(devices); i++) {
        Watched w = {.last = PROGRAMS, .opens = true, .answer = 1};
        assert_int_equal(launch_waiting(s, devices[i], &w), TILEC_CANCELLED);
        assert_non_null(strstr(s->error, "error: kernel `"));
        assert_non_null(strstr(s->error, "` of test.py: the launch was cancelled\n"));
        tilec_free(s->error);
        s->error = NULL;
        assert_true(w.still_seconds > 0.15);
        assert_true(w.first.first >= 0 && w.first.first < w.first.last);
        assert_true(w.count >= 1 && w.count == w.begun);
        assert_int_equal(launch_waiting(s, devices[i], &(Watched){.gate = 1, .last = 1}), TILEC_OK);
    }
}

/* A wish that comes when all programs have begun changes nothing. */
static void test_cancelling_too_late(void **state)
{
    Scene *s = *state;
    Watched w = {.last = 1, .opens = true, .answer = 1, .answers_from = PROGRAMS};

    load(s, waiting_source);
    assert_int_equal(launch_waiting(s, "cpu", &w), TILEC_OK);
    assert_int_equal(w.count, PROGRAMS);
}

/* Of those that took less than a tenth of a second; on a busy machine only a later one may. */
static void test_short_launches_say_nothing(void **state)
{
    Scene *s = *state;

    load(s, waiting_source);
    for (int i = 0; i < COUNT(devices); i++) {
        double seconds = 1;
        for (int tries = 0; tries < 100 && seconds > 0.1; tries++) {
            Watched w = {.gate = 1, .last = PROGRAMS};
            double start = os_seconds();
            assert_int_equal(launch_waiting(s, devices[i], &w), TILEC_OK);
            seconds = os_seconds() - start;
            assert_int_equal(w.count, PROGRAMS);
            assert_true(w.calls == 0 || seconds > 0.1);
        }
    }
}

/* In a process of a user who may start no more threads. */
static int launch_without_threads(Scene *s, const char *device)
{
    const struct rlimit none = {0, 0};
    Watched w = {.gate = 1, .last = PROGRAMS};

    if (setrlimit(RLIMIT_NPROC, &none) != 0 || (geteuid() == 0 && setuid(12345) != 0))
        return 2;
    if (launch_waiting(s, device, &w) != TILEC_OK || w.count != PROGRAMS)
        return 3;
    return w.warned ? 0 : 4;
}

static void test_without_threads_it_runs_unheard(void **state)
{
    Scene *s = *state;

    load(s, waiting_source);
    for (int i = 0; i < COUNT(devices); i++) {
        int status = 0;

        assert_int_equal(call_waiting(s, devices[i], &(Watched){.last = PROGRAMS}, NULL), TILEC_OK);
        pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0)
            _exit(launch_without_threads(s, devices[i]));
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFEXITED(status));
        assert_int_equal(WEXITSTATUS(status), 0);
    }
}

static volatile int wish;

static tilec_status launch_wishing(Scene *s, const tilec_launch_options *o, Watched *w)
{
    const int64_t one[] = {1};
    const int32_t grid[3] = {PROGRAMS, 1, 1};
    tilec_arg args[] = {
        {.kind = TILEC_ARG_TENSOR, .tensor = {&w->gate, TILEC_I32, 1, one}},
        {.kind = TILEC_ARG_TENSOR, .tensor = {&w->count, TILEC_I32, 1, one}},
        of_int(NULL, w->last),
    };

    return tilec_launch(s->file, NULL, grid, args, 3, o, &s->error);
}

static int make_a_wish(void *user, const tilec_progress *p)
{
    Watched *w = user;

    if (p->begun < 1)
        return 0;
    __atomic_store_n(&wish, 1, __ATOMIC_RELAXED);
    __atomic_store_n(&w->gate, 1, __ATOMIC_SEQ_CST);
    return 0;
}

/* Before the first program, and while the first ones run, whoever writes it. */
static void test_a_number_cancels(void **state)
{
    Scene *s = *state;

    load(s, waiting_source);
    for (int i = 0; i < COUNT(devices); i++) {
        Watched w = {.gate = 1, .last = PROGRAMS};
        tilec_launch_options o = {.device = devices[i], .threads = 2, .cancel = &wish, .user = &w};

        wish = 1;
        assert_int_equal(launch_wishing(s, &o, &w), TILEC_CANCELLED);
        assert_int_equal(w.count, 0);
        tilec_free(s->error);
        s->error = NULL;
        wish = w.gate = 0;
        o.on_progress = make_a_wish;
        assert_int_equal(launch_wishing(s, &o, &w), TILEC_CANCELLED);
        assert_in_range(w.count, 1, PROGRAMS - 1);
        tilec_free(s->error);
        s->error = NULL;
        wish = 0;
        o.on_progress = NULL;
        assert_int_equal(launch_wishing(s, &o, &w), TILEC_OK);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_a_launch_that_waits_is_told_and_goes_on),
        TEST(test_a_launch_is_cancelled_between_programs),
        TEST(test_cancelling_too_late),
        TEST(test_short_launches_say_nothing),
        TEST(test_without_threads_it_runs_unheard),
        TEST(test_a_number_cancels),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
