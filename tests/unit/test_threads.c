/*
 * test_threads.c - the C API on many threads at once
 *
 * Worth most in a build with -DTILEC_TSAN=ON.
 */
#include "scene.h"

/* Each thread in a context of its own. */
static void *first_compile(void *right)
{
    Scene *s;
    const tilec_arg args[] = {
        {.kind = TILEC_ARG_TYPE, .dtype = TILEC_FP32, .pointer = 1},
        {.kind = TILEC_ARG_TYPE, .dtype = TILEC_FP32, .pointer = 1},
        {.kind = TILEC_ARG_TYPE, .dtype = TILEC_FP32, .pointer = 1},
        {.kind = TILEC_ARG_TYPE, .dtype = TILEC_I32},
        of_int(NULL, 64),
    };
    char *text = NULL;

    set_up((void **)&s);
    load(s, add_source);
    tilec_status status = tilec_dump(s->file, NULL, "asm", args, 5, NULL, &text, NULL);
    *(bool *)right = status == TILEC_FAILED || (status == TILEC_OK && strstr(text, "tilec_kernel"));
    tilec_free(text);
    tear_down((void **)&s);
    return NULL;
}

/* Runs first, before anything has opened the code generator. */
static void test_threads_compile_first(void **state)
{
    pthread_t threads[6];
    bool right[6];

    (void)state;
    for (int i = 0; i < COUNT(threads); i++)
        assert_int_equal(pthread_create(&threads[i], NULL, first_compile, &right[i]), 0);
    for (int i = 0; i < COUNT(threads); i++) {
        pthread_join(threads[i], NULL);
        assert_true(right[i]);
    }
}

typedef struct {
    Scene *scene;
    const char *device, *varied; /* the parameter that differs between launches, or NULL */
    int self;
    bool right;
} Worker;

static void *launch_many(void *arg)
{
    Worker *w = arg;
    enum { N = 300 };
    float x[N], out[N];
    const int64_t shape[] = {N};
    const int32_t grid[3] = {N / 50, 1, 1};
    const tilec_launch_options options = {.device = w->device};

    w->right = true;
    for (int round = 0; round < 20; round++) {
        /* all threads meet on some specialisations and not on others */
        const tilec_arg args[] = {of_floats(x, shape), of_floats(x, shape), of_floats(out, shape),
                                  of_int(NULL, N), of_int(w->varied, 50 + round % 5)};
        for (int i = 0; i < N; i++)
            x[i] = (float)(i + w->self), out[i] = 0;
        if (tilec_launch(w->scene->file, NULL, grid, args, 5, &options, NULL) != TILEC_OK)
            w->right = false;
        for (int i = 0; i < N; i++)
            w->right = w->right && out[i] == 2 * x[i];
    }
    return NULL;
}

static void check_threads(Scene *s, const char *device, const char *varied)
{
    pthread_t threads[6];
    Worker workers[6];

    for (int i = 0; i < COUNT(threads); i++) {
        workers[i] = (Worker){s, device, varied, i, false};
        assert_int_equal(pthread_create(&threads[i], NULL, launch_many, &workers[i]), 0);
    }
    for (int i = 0; i < COUNT(threads); i++) {
        pthread_join(threads[i], NULL);
        assert_true(workers[i].right);
    }
}

static void test_many_threads_launch(void **state)
{
    load(*state, add_source);
    check_threads(*state, "interp", NULL);
    if (has_cpu())
        check_threads(*state, "cpu", NULL);
}

/* Evaluating must leave no trace in the file. */
static void test_many_threads_evaluate_heuristics(void **state)
{
    load(*state, computed_source);
    check_threads(*state, "interp", "width");
    if (has_cpu())
        check_threads(*state, "cpu", "width");
}

/* Compile, look and count at the same time in one file: each thread in an order of its own. */
enum { KINDS = 6 };

static tilec_status do_one(Scene *s, int kind, int64_t block, const tilec_arg *typed)
{
    float x[64] = {0}, out[64];
    const int64_t shape[] = {64};
    const int32_t grid[3] = {1, 1, 1};
    const tilec_arg args[] = {of_floats(x, shape), of_floats(x, shape), of_floats(out, shape),
                              of_int(NULL, 64), of_int(NULL, block)};
    const tilec_launch_options interp = {.device = "interp"}, null = {.device = "null"};
    tilec_arg of_null[COUNT(args)];
    tilec_stats stats;
    char *text = NULL;

    switch (kind) {
    case 0:
        return tilec_launch(s->file, NULL, grid, args, 5, &interp, NULL);
    case 1:
        memcpy(of_null, args, sizeof args);
        for (int i = 0; i < 3; i++)
            of_null[i].tensor.memory = TILEC_MEMORY_DEVICE;
        return tilec_launch(s->file, NULL, grid, of_null, 5, &null, NULL);
    case 2:
        return tilec_launch_stats(s->file, NULL, grid, args, 5, &interp, &stats, NULL);
    default:
        break;
    }
    if (kind == 3 || !has_cpu()) {
        tilec_status status = tilec_dump(s->file, NULL, "ir", typed, 5, NULL, &text, NULL);
        tilec_free(text);
        return status;
    }
    if (kind == 4) {
        tilec_status status = tilec_dump(s->file, NULL, "asm", typed, 5, NULL, &text, NULL);
        tilec_free(text);
        return status;
    }
    return tilec_launch(s->file, NULL, grid, args, 5, NULL, NULL);
}

static void *do_all(void *worker)
{
    Worker *w = worker;
    const tilec_arg pointer = {.kind = TILEC_ARG_TYPE, .dtype = TILEC_FP32, .pointer = 1};

    w->right = true;
    for (int i = 0; i < 2 * KINDS; i++) {
        int64_t block = 64 + (i + w->self) % 3;
        const tilec_arg typed[] = {pointer,
                                   pointer,
                                   pointer,
                                   {.kind = TILEC_ARG_TYPE, .dtype = TILEC_I32},
                                   of_int(NULL, block)};
        w->right &= do_one(w->scene, (i + w->self) % KINDS, block, typed) == TILEC_OK;
    }
    return NULL;
}

static void test_compiling_dumping_and_counting_at_once(void **state)
{
    pthread_t threads[6];
    Worker workers[6];

    load(*state, add_source);
    for (int i = 0; i < COUNT(threads); i++) {
        workers[i] = (Worker){.scene = *state, .self = i};
        assert_int_equal(pthread_create(&threads[i], NULL, do_all, &workers[i]), 0);
    }
    for (int i = 0; i < COUNT(threads); i++) {
        pthread_join(threads[i], NULL);
        assert_true(workers[i].right);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_threads_compile_first),
        TEST(test_many_threads_launch),
        TEST(test_many_threads_evaluate_heuristics),
        TEST(test_compiling_dumping_and_counting_at_once),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
