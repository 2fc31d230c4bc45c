/*
 * test_stack.c - calls on threads that have little stack
 */
#include "scene.h"

/* base */

static void note_room(void *left)
{
    *(size_t *)left = os_stack_left();
}

static void test_work_gets_the_stack_that_it_asks_for(void **state)
{
    size_t here = os_stack_left(), left = 0;

    (void)state;
    assert_true(here > 64 << 10);
    assert_int_equal(os_with_stack(here / 2, note_room, &left), 0);
    assert_true(left < here && left > here / 2);
    assert_int_equal(os_with_stack(here + 1, note_room, &left), 0);
    assert_true(left > here);
    assert_int_not_equal(os_with_stack(SIZE_MAX / 4, note_room, &left), 0);
}

/* the API */

enum { LITTLE = 64 << 10 };

/* Call fn(scene) on a thread with that little stack; expect that it gives TILEC_OK. */
static void with_little_stack(Scene *s, void *(*fn)(void *scene))
{
    pthread_attr_t attributes;
    pthread_t thread;
    void *problem = s;

    assert_int_equal(pthread_attr_init(&attributes), 0);
    assert_int_equal(pthread_attr_setstacksize(&attributes, LITTLE), 0);
    assert_int_equal(pthread_create(&thread, &attributes, fn, s), 0);
    assert_int_equal(pthread_join(thread, &problem), 0);
    pthread_attr_destroy(&attributes);
    if (problem)
        print_error("%s", s->error);
    assert_null(problem);
}

static void *load_deep(void *scene)
{
    Scene *s = scene;
    enum { DEPTH = 60 };
    char text[1024] = HEAD "@triton.jit\ndef k(x):\n    tl.store(x, ";

    for (int i = 0; i < DEPTH; i++)
        strcat(text, "(1 + ");
    strcat(text, "1");
    for (int i = 0; i < DEPTH; i++)
        strcat(text, ")");
    strcat(text, ")\n");
    return tilec_load_string(s->ctx, "deep.py", text, strlen(text), &s->file, &s->error) == TILEC_OK
               ? NULL
               : s;
}

static void *launch_deep(void *scene)
{
    Scene *s = scene;
    float x[1] = {0};
    const int64_t shape[] = {1};
    const tilec_arg args[] = {of_floats(x, shape)};
    const int32_t grid[3] = {1, 1, 1};
    const tilec_launch_options interp = {.device = "interp"};

    if (tilec_launch(s->file, NULL, grid, args, 1, &interp, &s->error) != TILEC_OK)
        return s;
    /* cold, then warm */
    for (int i = 0; has_cpu() && i < 2; i++) {
        if (tilec_launch(s->file, NULL, grid, args, 1, NULL, &s->error) != TILEC_OK)
            return s;
    }
    return x[0] == 61 ? NULL : s;
}

static void test_calls_on_a_thread_with_little_stack(void **state)
{
    with_little_stack(*state, load_deep);
    with_little_stack(*state, launch_deep);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_work_gets_the_stack_that_it_asks_for),
        TEST(test_calls_on_a_thread_with_little_stack),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
