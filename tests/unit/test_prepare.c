/*
 * test_prepare.c - tilec_prepare_all(): several launches made ready at once
 */
#include "scene.h"

#include <pthread.h>

static const char copy_source[] =
    HEAD "@triton.jit\n"
         "def copy(x, y, n, B: tl.constexpr):\n"
         "    tl.static_print('block', B)\n"
         "    i = tl.program_id(0) * B + tl.arange(0, B)\n"
         "    tl.store(y + i, tl.load(x + i, mask=i < n), mask=i < n)\n";

enum { N = 100, BLOCKS = 5, NARGS = 4 };
static const int64_t shape[] = {N};

/* What was heard, in order, and from where. */
typedef struct {
    char text[1024];
    int count;
    pthread_t caller;
} Heard;

static void hear(void *user, const char *text)
{
    Heard *h = user;

    assert_true(pthread_equal(h->caller, pthread_self()));
    assert_true(strlen(h->text) + strlen(text) < sizeof h->text);
    strcat(h->text, text);
    h->count++;
}

/* Copies by blocks of 16, 32, .. */
typedef struct {
    float x[N], y[N];
    tilec_arg args[BLOCKS][NARGS];
    tilec_preparation list[BLOCKS];
    tilec_launch_options options;
    Heard heard;
} Copies;

static void make_copies(Copies *c, const Scene *s, const char *device)
{
    *c = (Copies){.options = {.device = device, .on_message = hear, .user = &c->heard},
                  .heard = {.caller = pthread_self()}};
    for (int i = 0; i < N; i++)
        c->x[i] = (float)i;
    for (int i = 0; i < BLOCKS; i++) {
        const tilec_arg args[NARGS] = {of_floats(c->x, shape), of_floats(c->y, shape),
                                       of_int("n", N), of_int("B", 16 << i)};

        memcpy(c->args[i], args, sizeof args);
        c->list[i] = (tilec_preparation){.file = s->file,
                                         .kernel = "copy",
                                         .args = c->args[i],
                                         .nargs = NARGS,
                                         .options = &c->options};
    }
}

static void count_compiles(void *user, const tilec_span *span)
{
    *(int *)user += span->kind == TILEC_SPAN_COMPILE;
}

static void launch_copy(Copies *c, int i, int *compiles)
{
    const int32_t grid[3] = {(N + (16 << i) - 1) / (16 << i), 1, 1};
    tilec_launch_options options = {
        .device = c->options.device, .on_span = count_compiles, .user = compiles};

    memset(c->y, 0, sizeof c->y);
    assert_int_equal(tilec_launch(c->list[i].file, "copy", grid, c->args[i], NARGS, &options, NULL),
                     TILEC_OK);
    assert_memory_equal(c->x, c->y, sizeof c->x);
}

static void check_all_are_ready(Scene *s, const char *device, int threads)
{
    Copies c;
    int compiles = 0;

    make_copies(&c, s, device);
    assert_int_equal(tilec_prepare_all(c.list, BLOCKS, threads), TILEC_OK);
    for (int i = 0; i < BLOCKS; i++) {
        assert_int_equal(c.list[i].status, TILEC_OK);
        assert_null(c.list[i].error);
        launch_copy(&c, i, &compiles);
    }
    assert_int_equal(compiles, 0);
    assert_int_equal(c.heard.count, BLOCKS);
    const char *at = c.heard.text;
    for (int i = 0; i < BLOCKS; i++) {
        char block[16];

        snprintf(block, sizeof block, "block %d\n", 16 << i);
        at = strstr(at, block);
        assert_non_null(at);
    }
}

static void test_launches_find_all_compiled(void **state)
{
    static const char *const devices[] = {"interp", "cpu"};
    static const int threads[] = {0, 1, 3, 100};

    for (int d = 0; d < COUNT(devices); d++) {
        for (int i = 0; i < COUNT(threads); i++) {
            load(*state, copy_source);
            check_all_are_ready(*state, devices[d], threads[i]);
        }
    }
}

/* The same one several times is compiled once, whoever comes first. */
static void test_equal_ones_are_made_once(void **state)
{
    Copies c;

    load(*state, copy_source);
    make_copies(&c, *state, "interp");
    for (int i = 1; i < BLOCKS; i++)
        c.list[i].args = c.args[0];
    assert_int_equal(tilec_prepare_all(c.list, BLOCKS, 0), TILEC_OK);
    for (int i = 0; i < BLOCKS; i++)
        assert_int_equal(c.list[i].status, TILEC_OK);
    assert_int_equal(c.heard.count, 1);
}

static void test_each_tells_what_is_wrong_with_it(void **state)
{
    Copies c;

    load(*state, copy_source);
    make_copies(&c, *state, "interp");
    c.list[1].nargs = 2;
    c.list[3].kernel = "move";
    assert_int_equal(tilec_prepare_all(c.list, BLOCKS, 2), TILEC_OK);
    assert_int_equal(c.list[0].status, TILEC_OK);
    assert_int_equal(c.list[1].status, TILEC_REFUSED);
    assert_non_null(strstr(c.list[1].error, "`n`"));
    assert_int_equal(c.list[3].status, TILEC_NOT_FOUND);
    assert_non_null(strstr(c.list[3].error, "move"));
    assert_int_equal(c.list[4].status, TILEC_OK);
    assert_int_equal(c.heard.count, 3);
    tilec_free(c.list[1].error);
    tilec_free(c.list[3].error);
}

static void test_bad_lists(void **state)
{
    Copies c;

    load(*state, copy_source);
    make_copies(&c, *state, "interp");
    assert_int_equal(tilec_prepare_all(NULL, 0, 0), TILEC_OK);
    assert_int_equal(tilec_prepare_all(NULL, 1, 0), TILEC_BAD_ARGUMENT);
    assert_int_equal(tilec_prepare_all(c.list, -1, 0), TILEC_BAD_ARGUMENT);
    assert_int_equal(tilec_prepare_all(c.list, BLOCKS, -1), TILEC_BAD_ARGUMENT);
    assert_int_equal(c.heard.count, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_launches_find_all_compiled),
        TEST(test_equal_ones_are_made_once),
        TEST(test_each_tells_what_is_wrong_with_it),
        TEST(test_bad_lists),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
