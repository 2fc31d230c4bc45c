/*
 * test_limits.c - what a kernel may ask of the front end: long ones compile, endless ones are refused
 *
 * The kernels are generated.  None may take more than a moment: a test that seems to hang has failed.
 */
#include <setjmp.h>
#include <stdio.h>
#include <string.h>

#include "../../src/front/front.h"

#include <cmocka.h> /* behind base.h, because it makes fail() a macro */

/* The first line of what the compiler says of a file whose kernel is `k()`; "" when nothing. */
static const char *complaint(Arena *a, const char *text)
{
    Source src = {"t.py", text, strlen(text)};
    Diags *d = diags_new(a);
    Interner *names = interner_new(a);
    FrontFile *file = front_parse(a, names, &src, d);

    if (file && diag_errors(d) == 0)
        front_lower(file, "k", NULL, 0, a, d);
    const char *said = diags_text(d, a);
    return arena_printf(a, "%.*s", (int)strcspn(said, "\n"), said);
}

static void put_kernel(Text *t)
{
    text_put(t, "import triton\nimport triton.language as tl\n@triton.jit\ndef k():\n");
}

static void put_times(Text *t, int n, const char *s)
{
    for (int i = 0; i < n; i++)
        text_put(t, s);
}

/* A return that is not reached makes nothing of what follows. */
static void test_many_static_branches(void **state)
{
    Arena *a = *state;
    Text t = text_new(a);

    put_kernel(&t);
    put_times(&t, 50000, "    if True:\n        if False:\n            return\n");
    text_put(&t, "    wrong\n");
    assert_string_equal(complaint(a, t.s), "t.py:150005:5: error: `wrong` is not defined");
}

static int set_up(void **state)
{
    *state = arena_new(NULL);
    return 0;
}

static int tear_down(void **state)
{
    arena_free(*state);
    return 0;
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_many_static_branches),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
