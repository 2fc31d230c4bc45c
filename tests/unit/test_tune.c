/*
 * test_tune.c - tilec_tune(): what is chosen, what it leaves behind, what is found again
 *
 * Where a choice is to be foreseen the times are given by run(), not by a clock.
 */
#include "scene.h"

#include <math.h>
#include <sys/wait.h>
#include <time.h>

static const char bump_source[] = HEAD
    "@triton.autotune(configs=[triton.Config({'B': 2}), triton.Config({'B': 4}, num_warps=8),\n"
    "                          triton.Config({'B': 3, 'waves_per_eu': 1})], key=['n'])\n"
    "@triton.jit\n"
    "def bump(x, n, B: tl.constexpr):\n"
    "    i = tl.program_id(0) * B + tl.arange(0, B)\n"
    "    tl.store(x + i, tl.load(x + i, mask=i < n) + 1, mask=i < n)\n";

enum { N = 12, MOST = 8 };
static const int64_t shape[] = {N};

/* What run() gives, and what was told. */
typedef struct {
    double seconds[MOST]; /* of each configuration; negative: it fails */
    int runs[MOST];
    tilec_trial trials[MOST];
    int ntrials;
    double share;
    int cancel_behind; /* so many reports; 0: never */
    int reports;
    bool is_cancelling;
} Tuned;

static tilec_status run(void *user, int number, double *seconds)
{
    Tuned *t = user;

    t->runs[number]++;
    *seconds = t->seconds[number];
    if (t->is_cancelling)
        return TILEC_CANCELLED;
    return *seconds < 0 ? TILEC_REFUSED : TILEC_OK;
}

static void on_trial(void *user, const tilec_trial *trial)
{
    Tuned *t = user;

    assert_int_equal(trial->number, t->ntrials);
    t->trials[t->ntrials++] = *trial;
}

static int on_progress(void *user, double share)
{
    Tuned *t = user;

    assert_true(share >= t->share && share <= 1);
    t->share = share;
    return t->cancel_behind && ++t->reports == t->cancel_behind;
}

static tilec_tune_options options_of(Tuned *t)
{
    return (tilec_tune_options){
        .run = run, .on_trial = on_trial, .on_progress = on_progress, .user = t};
}

static const tilec_launch_options on_interp = {.device = "interp"};

static tilec_status tune(Scene *s, int64_t n, const tilec_tune_options *options, tilec_choice *out)
{
    static float x[N];
    const tilec_arg args[] = {of_floats(x, shape), of_int("n", n)};

    tilec_free(s->error);
    return tilec_tune(s->file, "bump", NULL, args, 2, &on_interp, options, out, &s->error);
}

static tilec_status look_up(Scene *s, const tilec_arg *args, const tilec_launch_options *launch,
                            tilec_choice *out)
{
    return tilec_tuned(s->file, "bump", args, 2, launch, NULL, out, NULL);
}

/* --- choosing --- */

static void test_the_fastest_is_chosen(void **state)
{
    Tuned t = {.seconds = {1.02e-3, 1e-3, 8e-3}};
    const tilec_tune_options options = options_of(&t);
    tilec_choice choice;
    Scene *s = *state;

    load(s, bump_source);
    assert_int_equal(tune(s, N, &options, &choice), TILEC_OK);
    assert_int_equal(choice.number, 1);
    assert_false(choice.was_known);
    assert_true(choice.seconds == 1e-3);
    assert_int_equal(tilec_config_value(&choice.config, "B")->integer, 4);
    assert_null(tilec_config_value(&choice.config, "C"));
    assert_int_equal(t.ntrials, 3);
    assert_int_equal(t.trials[1].nrounds, 20);
    assert_int_equal(t.trials[2].nrounds, 3); /* far behind */
    assert_int_equal(t.runs[2], 1 + 3);       /* 8 ms are a visit */
    assert_int_equal(t.runs[1], 1 + 20 * 4);
    assert_true(t.trials[0].is_slower && !t.trials[1].is_slower && t.trials[2].is_slower);
    assert_true(t.trials[2].low == 8e-3 && t.trials[2].high == 8e-3);
}

/* Who is behind is left out, the sooner the farther; once one is left it is over, but rounds that
 * were asked for are run. */
static void test_who_is_behind_is_left_out(void **state)
{
    static const struct {
        double seconds;
        int asked, rounds, rounds_of_best;
    } cases[] = {
        {1.6e-3, 0, 3, 3},    {1.3e-3, 0, 5, 5},   {1.15e-3, 0, 8, 8}, {1.07e-3, 0, 12, 12},
        {1.04e-3, 0, 20, 20}, {1.3e-3, 16, 5, 16}, {1.6e-3, 2, 2, 2},
    };
    tilec_choice choice;
    Scene *s = *state;

    load(s, bump_source);
    for (int i = 0; i < COUNT(cases); i++) {
        Tuned t = {.seconds = {1e-3, -1, cases[i].seconds}};
        tilec_tune_options options = options_of(&t);

        options.rounds = cases[i].asked;
        options.anew = 1;
        assert_int_equal(tune(s, N, &options, &choice), TILEC_OK);
        assert_int_equal(choice.number, 0);
        assert_int_equal(t.trials[0].nrounds, cases[i].rounds_of_best);
        assert_int_equal(t.trials[2].nrounds, cases[i].rounds);
        assert_true(t.trials[2].is_slower == (cases[i].rounds >= 3));
    }
}

/* What stands around a run counts, too: a visit of short runs ends by the clock. */
static tilec_status run_slowly(void *user, int number, double *seconds)
{
    struct timespec while_ms = {0, 5000000};

    nanosleep(&while_ms, NULL);
    return run(user, number, seconds);
}

static void test_a_visit_ends_by_the_clock(void **state)
{
    Tuned t = {.seconds = {1e-6, 1e-6, 1e-6}};
    tilec_tune_options options = options_of(&t);
    tilec_choice choice;
    Scene *s = *state;

    load(s, bump_source);
    options.run = run_slowly;
    options.rounds = 2;
    assert_int_equal(tune(s, N, &options, &choice), TILEC_OK);
    for (int i = 0; i < 3; i++)
        assert_in_range(t.runs[i], 1 + 2, 1 + 2 * 3);
}

static void test_what_fails_is_out(void **state)
{
    Tuned t = {.seconds = {-1, 2e-3, 9e-3}};
    tilec_tune_options options = options_of(&t);
    tilec_choice choice;
    Scene *s = *state;

    load(s, bump_source);
    options.rounds = 2;
    assert_int_equal(tune(s, N, &options, &choice), TILEC_OK);
    assert_int_equal(choice.number, 1);
    assert_int_equal(t.trials[0].status, TILEC_REFUSED);
    assert_int_equal(t.runs[0], 1);
    assert_int_equal(t.trials[1].nrounds, 2);
    t = (Tuned){.seconds = {-1, -1, -1}};
    assert_int_equal(tune(s, N, &options, &choice), TILEC_REFUSED);
    assert_non_null(strstr(s->error, "no configuration runs"));
}

static void test_who_measures_is_asked_once(void **state)
{
    Tuned t = {.seconds = {3e-3, 2e-3, 1e-3}};
    tilec_tune_options options = options_of(&t);
    tilec_choice choice;
    Scene *s = *state;

    load(s, bump_source);
    options.measures = 1;
    assert_int_equal(tune(s, N, &options, &choice), TILEC_OK);
    assert_int_equal(choice.number, 2);
    for (int i = 0; i < 3; i++)
        assert_int_equal(t.runs[i], 1);
}

static void test_no_time_means_one_round(void **state)
{
    Tuned t = {.seconds = {3e-3, 2e-3, 1e-3}};
    tilec_tune_options options = options_of(&t);
    tilec_choice choice;
    Scene *s = *state;

    load(s, bump_source);
    options.seconds = 1e-9;
    assert_int_equal(tune(s, N, &options, &choice), TILEC_OK);
    assert_int_equal(choice.number, 0);
    assert_int_equal(t.trials[0].nrounds, 1);
    assert_int_equal(t.trials[1].status, TILEC_CANCELLED);
    assert_int_equal(t.runs[1], 0);
}

/* A list of the caller's; what only differs where nobody looks is the same. */
static void test_equal_code_is_measured_once(void **state)
{
    const tilec_arg a[] = {of_int("B", 4), of_int("num_warps", 4), of_int("waves_per_eu", 2)};
    const tilec_arg b[] = {of_int("num_warps", 8), of_int("B", 4)};
    const tilec_arg c[] = {of_int("num_warps", 4), of_int("B", 4), of_int("num_stages", 3)};
    const tilec_config configs[] = {{a, 3}, {b, 2}, {c, 3}, {NULL, 0}, {NULL, 0}};
    Tuned t = {.seconds = {1e-3, 1e-3, 1e-3, 1e-3, 1e-3}};
    tilec_tune_options options = options_of(&t);
    tilec_launch_options sim = {.device = "sim"};
    const tilec_arg n = of_int("n", 1);
    tilec_choice choice;
    Scene *s = *state;

    load(s, bump_source);
    options.configs = configs;
    options.nconfigs = COUNT(configs);
    options.rounds = 1;
    assert_int_equal(tune(s, N, &options, &choice), TILEC_OK);
    assert_int_equal(t.trials[1].same_as, 0);
    assert_int_equal(t.trials[2].same_as, 0);
    assert_int_equal(t.trials[4].same_as, -1); /* who gives no values knows what he means */
    assert_int_equal(t.runs[1], 0);
    t.ntrials = 0;
    t.share = 0;
    assert_int_equal(tilec_tune(s->file, "bump", NULL, &n, 1, &sim, &options, &choice, &s->error),
                     TILEC_OK);
    assert_int_equal(t.trials[1].same_as, -1); /* a GPU's warps are code */
    assert_int_equal(t.trials[2].same_as, 0);
}

static void test_cancelling(void **state)
{
    const volatile int now = 1;
    Tuned t = {.seconds = {1e-3, 1e-3, 1e-3}, .cancel_behind = 5};
    tilec_tune_options options = options_of(&t);
    tilec_choice choice = {.number = 77};
    Scene *s = *state;

    load(s, bump_source);
    assert_int_equal(tune(s, N, &options, &choice), TILEC_CANCELLED);
    assert_int_equal(t.ntrials, 3); /* three first runs, and two of the first round */
    assert_int_equal(t.trials[0].nrounds, 1);
    assert_int_equal(t.trials[1].nrounds, 1);
    assert_int_equal(t.trials[2].nrounds, 0);
    assert_int_equal(t.trials[1].status, TILEC_OK);
    assert_int_equal(t.trials[2].status, TILEC_CANCELLED);
    assert_true(fabs(t.trials[1].median - 1e-3) < 1e-9);
    t = (Tuned){.is_cancelling = true};
    assert_int_equal(tune(s, N, &options, &choice), TILEC_CANCELLED);
    t = (Tuned){0};
    options.cancel = &now;
    assert_int_equal(tune(s, N, &options, &choice), TILEC_CANCELLED);
    assert_int_equal(choice.number, 77);
    assert_non_null(strstr(s->error, "cancelled"));
}

/* --- launching --- */

static void grid_of_bump(void *user, const tilec_config *config, int32_t out[3])
{
    (void)user;
    assert_int_equal(out[1], 1);
    out[0] = (int32_t)((N + tilec_config_value(config, "B")->integer - 1) /
                       tilec_config_value(config, "B")->integer);
}

static void test_arrays_are_what_they_were(void **state)
{
    float x[N] = {5, 6, 7};
    const tilec_arg args[] = {of_floats(x, shape), of_int("n", N)};
    Tuned t = {0};
    const tilec_tune_options options = {
        .grid = grid_of_bump, .on_trial = on_trial, .rounds = 2, .user = &t};
    tilec_choice choice;
    Scene *s = *state;
    tilec_status status;

    load(s, bump_source);
    status = tilec_tune(s->file, NULL, NULL, args, 2, &on_interp, &options, &choice, &s->error);
    if (status != TILEC_OK)
        print_error("%s", s->error);
    assert_int_equal(status, TILEC_OK);
    assert_true(x[0] == 5 && x[2] == 7 && x[N - 1] == 0);
    assert_int_equal(t.trials[0].nrounds, 2);
    assert_int_equal(t.trials[2].status, TILEC_OK); /* waves_per_eu is nobody's here */
    assert_true(t.trials[choice.number].median == choice.seconds);
}

static void test_the_first_failure_is_told_when_none_runs(void **state)
{
    const tilec_tune_options options = {.grid = grid_of_bump};
    tilec_choice choice;
    Scene *s = *state;

    load(s, bump_source);
    assert_int_equal(
        tilec_tune(s->file, NULL, NULL, NULL, 0, &on_interp, &options, &choice, &s->error),
        TILEC_REFUSED);
    assert_non_null(strstr(s->error, "`x`"));
}

/* --- what is kept --- */

static int set_up_folder(void **state)
{
    char folder[] = "/tmp/tilec-test-tune-XXXXXX";
    Scene *s = calloc(1, sizeof *s);

    *state = s;
    return !mkdtemp(folder) || tilec_open(folder, &s->ctx, NULL);
}

static int tear_down_folder(void **state)
{
    Scene *s = *state;
    char command[256];

    snprintf(command, sizeof command, "rm -r '%s'", tilec_cache_folder(s->ctx));
    return system(command) != 0 || tear_down(state);
}

static void test_results_are_found_again(void **state)
{
    static float x[N];
    static uint16_t half[N];
    const tilec_arg args[] = {of_floats(x, shape), of_int(NULL, N)};
    const tilec_arg others[] = {of_floats(x, shape), of_int(NULL, N + 1)};
    const tilec_arg halves[] = {
        {.kind = TILEC_ARG_TENSOR, .tensor = {half, TILEC_FP16, 1, shape, NULL}}, of_int(NULL, N)};
    Tuned t = {.seconds = {3e-3, -1, 1e-3}};
    tilec_tune_options options = options_of(&t);
    tilec_launch_options sim = {.device = "sim"};
    tilec_choice choice;
    Scene *s = *state;

    load(s, bump_source);
    options.measures = 1;
    assert_int_equal(look_up(s, args, &on_interp, &choice), TILEC_NOT_FOUND);
    options.unkept = 1;
    assert_int_equal(tune(s, N, &options, &choice), TILEC_OK);
    assert_int_equal(look_up(s, args, &on_interp, &choice), TILEC_NOT_FOUND);
    options.unkept = 0;
    t.ntrials = 0;
    assert_int_equal(tune(s, N, &options, &choice), TILEC_OK);
    assert_int_equal(look_up(s, args, &on_interp, &choice), TILEC_OK);
    assert_int_equal(choice.number, 2);
    assert_true(choice.was_known && choice.seconds == 1e-3);
    assert_int_equal(look_up(s, others, &on_interp, &choice), TILEC_NOT_FOUND);
    assert_int_equal(look_up(s, halves, &on_interp, &choice), TILEC_NOT_FOUND);
    assert_int_equal(look_up(s, args, &sim, &choice), TILEC_NOT_FOUND);
    t = (Tuned){.seconds = {1e-3, 1e-3, 1e-3}};
    assert_int_equal(tune(s, N, &options, &choice), TILEC_OK);
    assert_true(choice.was_known && t.runs[0] == 0 && t.ntrials == 3);
    assert_int_equal(t.trials[1].status, TILEC_REFUSED);
    t = (Tuned){.seconds = {1e-3, 2e-3, 3e-3}};
    options.anew = 1;
    assert_int_equal(tune(s, N, &options, &choice), TILEC_OK);
    assert_int_equal(look_up(s, args, &on_interp, &choice), TILEC_OK);
    assert_int_equal(choice.number, 0);
}

/* A part of what is known is enough; one that nobody knows is not. */
static void test_lists_may_differ(void **state)
{
    const tilec_arg two[] = {of_int("B", 2)}, five[] = {of_int("B", 5)};
    const tilec_config known[] = {{two, 1}}, both[] = {{five, 1}, {two, 1}};
    Tuned t = {.seconds = {3e-3, 2e-3, 1e-3}};
    tilec_tune_options options = options_of(&t);
    tilec_choice choice;
    Scene *s = *state;

    load(s, bump_source);
    options.measures = 1;
    assert_int_equal(tune(s, N, &options, &choice), TILEC_OK);
    options.configs = known;
    options.nconfigs = 1;
    t.ntrials = 0;
    assert_int_equal(tune(s, N, &options, &choice), TILEC_OK);
    assert_true(choice.was_known && choice.number == 0 && choice.config.values == two);
    options.configs = both;
    options.nconfigs = 2;
    t = (Tuned){.seconds = {1e-3, 2e-3}};
    assert_int_equal(tune(s, N, &options, &choice), TILEC_OK);
    assert_false(choice.was_known);
    assert_true(t.runs[0] == 1 && t.runs[1] == 1);
}

/* Writers in other processes, and a reader that never sees half of a file. */
static void test_many_processes(void **state)
{
    static float x[N];
    const tilec_arg args[] = {of_floats(x, shape), of_int(NULL, N)};
    enum { WRITERS = 3, TIMES = 60 };
    Tuned t = {.seconds = {3e-3, 1e-3, 2e-3}};
    tilec_tune_options options = options_of(&t);
    tilec_choice choice;
    pid_t writers[WRITERS];
    Scene *s = *state;
    int ended;

    load(s, bump_source);
    options.measures = options.anew = 1;
    options.on_trial = NULL;
    options.on_progress = NULL;
    assert_int_equal(tune(s, N, &options, &choice), TILEC_OK);
    for (int w = 0; w < WRITERS; w++) {
        writers[w] = fork();
        for (int i = 0; writers[w] == 0; i++) {
            if (i == TIMES || tune(s, N, &options, &choice) != TILEC_OK)
                _exit(i != TIMES);
        }
    }
    for (int i = 0; i < TIMES; i++) {
        assert_int_equal(look_up(s, args, &on_interp, &choice), TILEC_OK);
        assert_int_equal(choice.number, 1);
    }
    for (int w = 0; w < WRITERS; w++) {
        assert_int_equal(waitpid(writers[w], &ended, 0), writers[w]);
        assert_true(WIFEXITED(ended) && WEXITSTATUS(ended) == 0);
    }
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
#define TEST_FOLDER(f) cmocka_unit_test_setup_teardown(f, set_up_folder, tear_down_folder)
    const struct CMUnitTest tests[] = {
        TEST(test_the_fastest_is_chosen),
        TEST(test_who_is_behind_is_left_out),
        TEST(test_a_visit_ends_by_the_clock),
        TEST(test_what_fails_is_out),
        TEST(test_who_measures_is_asked_once),
        TEST(test_no_time_means_one_round),
        TEST(test_equal_code_is_measured_once),
        TEST(test_cancelling),
        TEST(test_arrays_are_what_they_were),
        TEST(test_the_first_failure_is_told_when_none_runs),
        TEST_FOLDER(test_results_are_found_again),
        TEST_FOLDER(test_lists_may_differ),
        TEST_FOLDER(test_many_processes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
