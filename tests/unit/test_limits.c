/*
 * test_limits.c - what a kernel may ask of the front end: long ones compile, endless ones are
 * refused
 *
 * The kernels are generated.  None may take more than a moment: a test that seems to hang has
 * failed.
 */
#include <setjmp.h>
#include <stdio.h>
#include <string.h>

#include "../../src/api/language.h"
#include "../../src/lower/lowering.h"

#include <cmocka.h> /* behind base.h, because it makes fail() a macro */

/* What the compiler says of a file whose kernel is `k()`: the first line, and that there is only
 * one error; "" when nothing. */
static const char *complaint(Arena *a, const char *text)
{
    Diags *d = diags_new(a, NULL);
    const Source *src = source_add(diags_sources(d), "t.py", text, strlen(text));
    Interner *interner = interner_new(a);
    FrontFile *file = front_parse(a, interner, &triton_language, src, NULL, d);

    if (file && diag_errors(d) == 0)
        front_lower(file, "k", NULL, 0, NULL, a, d);
    const char *said = diags_text(d, a);
    const char *first = strstr(said, ": error: ");
    if (first && strstr(first + 1, ": error: "))
        fail_msg("more than one error:\n%s", said);
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

/* Each tuple holds the one before twice: 2^31 numbers at the end. */
static void test_tuples_that_double(void **state)
{
    Arena *a = *state;
    Text t = text_new(a);

    put_kernel(&t);
    text_put(&t, "    t0 = (1, 2)\n");
    for (int i = 1; i <= 30; i++)
        text_printf(&t, "    t%d = (t%d, t%d)\n", i, i - 1, i - 1);
    assert_string_equal(complaint(a, t.s), "t.py:20:11: error: the tuple would be too long");

    t = text_new(a);
    put_kernel(&t);
    text_put(&t, "    t: tl.constexpr = (1, 2)\n    for i in tl.static_range(40):\n");
    text_put(&t, "        t = t + t\n");
    assert_string_equal(complaint(a, t.s), "t.py:7:13: error: the tuple would be too long");
}

static void test_comprehensions_in_each_other(void **state)
{
    Arena *a = *state;
    Text t = text_new(a);

    put_kernel(&t);
    text_put(&t, "    t = (0,) * 300\n    u = [[[0 for a in t] for b in t] for c in t]\n");
    assert_string_equal(complaint(a, t.s), "t.py:6:10: error: the tuple would be too long");

    t = text_new(a);
    put_kernel(&t);
    text_put(&t,
             "    t = (0,) * 250\n    u = [len([len([0 for a in t]) for b in t]) for c in t]\n");
    assert_string_equal(complaint(a, t.s),
                        "t.py:6:19: error: the kernel repeats itself for more than "
                        "1000000 statements");
}

/* What is copied over and over counts as well. */
static void test_tuples_that_are_assigned(void **state)
{
    Arena *a = *state;
    Text t = text_new(a);

    put_kernel(&t);
    text_put(&t, "    t = (0,) * 60000\n    for i in tl.static_range(60000):\n        t = t\n");
    assert_string_equal(complaint(a, t.s),
                        "t.py:7:9: error: the kernel repeats itself for more than "
                        "1000000 statements");
}

static void test_strings_that_double(void **state)
{
    Arena *a = *state;
    Text t = text_new(a);

    text_put(&t, "import triton\nimport triton.language as tl\n@triton.constexpr_function\n"
                 "def double():\n    s = 'abc'\n");
    put_times(&t, 40, "    s = f'{s}{s}'\n");
    text_put(&t, "    return s\n@triton.jit\ndef k():\n    tl.static_print(double())\n");
    assert_string_equal(complaint(a, t.s), "t.py:24:9: error: the string would be too long");
}

/* An `if` with n branches, in a kernel whose condition is `what` == i. */
static const char *branches(Arena *a, const char *what, int n)
{
    Text t = text_new(a);

    put_kernel(&t);
    text_printf(&t, "    if %s == 0:\n        x = 0\n", what);
    for (int i = 1; i < n; i++)
        text_printf(&t, "    elif %s == %d:\n        x = %d\n", what, i, i);
    text_printf(&t, "    else:\n        x = %d\n", n);
    text_put(&t, "    tl.static_assert(x.dtype == tl.int32)\n");
    return t.s;
}

static void test_branches_of_an_if(void **state)
{
    Arena *a = *state;

    assert_string_equal(complaint(a, branches(a, "7", 900)), "");
    assert_string_equal(complaint(a, branches(a, "901", 900)), "");
    assert_string_equal(complaint(a, branches(a, "tl.program_id(0)", 370)), "");
    const char *said = complaint(a, branches(a, "7", 20000));
    assert_string_equal(said, "t.py:1805:5: error: an `if` has at most 900 branches");
    said = complaint(a, branches(a, "tl.program_id(0)", 900));
    assert_non_null(strstr(said, "too deeply nested"));
}

/* Each call makes another instance of the helper: 20,000 of them took minutes when a name for the
 * next one was looked for among all before it. */
static void test_many_instances(void **state)
{
    Arena *a = *state;
    Text t = text_new(a);

    text_put(&t, "import triton\nimport triton.language as tl\n@triton.jit\n"
                 "def f(s, i):\n    return s + i\n@triton.jit\ndef f__2(s):\n    return s\n");
    put_kernel(&t);
    text_put(&t, "    s = tl.program_id(0)\n    for i in tl.static_range(20000):\n"
                 "        s = f(s, i)\n    s = f__2(s)\n");
    assert_string_equal(complaint(a, t.s), "");
}

/* Hints are looked for only where they are shown: 20,000 names took 3 s and 1.9 GB. */
static void test_many_undefined_names(void **state)
{
    Arena *a = *state;
    Diags *d = diags_new(a, NULL);
    Text t = text_new(a);

    put_kernel(&t);
    for (int i = 0; i < 20000; i++)
        text_printf(&t, "    x%d = tl.exp(wrong_%d)\n", i, i);
    const Source *src = source_add(diags_sources(d), "t.py", t.s, t.len);
    FrontFile *file = front_parse(a, interner_new(a), &triton_language, src, NULL, d);
    size_t before = arena_used(a);
    assert_null(front_lower(file, "k", NULL, 0, NULL, a, d));
    assert_int_equal(diag_errors(d), 20000);
    assert_true(arena_used(a) - before < 32 << 20);
}

/* 10^6 lines took 1.8 GB before they were refused. */
static void test_long_text(void **state)
{
    Arena *a = *state;
    Text t = text_new(a);

    put_kernel(&t);
    text_put(&t, "    s = 1.0\n");
    put_times(&t, 250000, "    s = s * s + 1.0\n");
    assert_string_equal(complaint(a, t.s), "t.py:4:1: error: this function has 4882 KiB of text, "
                                           "and at most 4096 are read");
    assert_true(arena_used(a) < 64 << 20);
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
        TEST(test_tuples_that_double),
        TEST(test_comprehensions_in_each_other),
        TEST(test_tuples_that_are_assigned),
        TEST(test_strings_that_double),
        TEST(test_branches_of_an_if),
        TEST(test_many_instances),
        TEST(test_many_undefined_names),
        TEST(test_long_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
