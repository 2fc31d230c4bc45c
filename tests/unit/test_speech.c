/*
 * test_speech.c - what kernels say while they run: prints, assertions, checks of their accesses
 */
#include "scene.h"

#define KERNEL HEAD "@triton.jit\n"

static float cells[4096];
static const int64_t four[] = {4}, thousand[] = {1000}, all[] = {COUNT(cells)};

/* Everything that a launch said, one line a record. */
typedef struct {
    char text[1 << 16];
    size_t len;
    tilec_record last;
    int records;
} Heard;

static void hear(void *user, const tilec_record *r)
{
    static const char *const kinds[] = {"print", "assert", "check", "lost"};
    Heard *h = user;
    size_t room = sizeof h->text - h->len;
    int n = snprintf(h->text + h->len, room, "%s %d:%d: %s\n", kinds[r->kind], r->line, r->column,
                     r->text);

    h->len += MIN((size_t)n, room - 1);
    h->last = *r;
    h->records++;
}

static tilec_status launch_on(Scene *s, const char *device, int32_t programs, int threads,
                              const tilec_arg *args, int n, Heard *heard, bool check)
{
    const int32_t grid[3] = {programs, 1, 1};
    const tilec_launch_options options = {.device = device,
                                          .threads = threads,
                                          .on_record = heard ? hear : NULL,
                                          .user = heard,
                                          .check = check};

    tilec_free(s->error);
    s->error = NULL;
    if (heard)
        *heard = (Heard){0};
    return tilec_launch(s->file, NULL, grid, args, n, &options, &s->error);
}

static tilec_status run_on(Scene *s, const char *device, int32_t programs, const tilec_arg *args,
                           int n, Heard *heard, bool check)
{
    return launch_on(s, device, programs, 0, args, n, heard, check);
}

static int devices(void)
{
    return has_cpu() ? 3 : 1;
}

static const char *device(int i)
{
    static const char *const names[] = {"interp", "cpu", "sim"};

    return names[i];
}

static void expect_text(const char *got, const char *want)
{
    if (!got || !strstr(got, want))
        fail_msg("wanted: %s\ngot: %s", want, got ? got : "nothing");
}

static void test_prints_come_by_program(void **state)
{
    static const char want[] = "print 8:5: (0, 0, 0) v: [0.0 1.5], 0\n"
                               "print 9:5: (0, 0, 0) block 2\n"
                               "print 8:5: (1, 0, 0) v: [3.0 4.5], 1\n"
                               "print 9:5: (1, 0, 0) block 2\n";
    Scene *s = *state;
    Heard heard;

    load(s, KERNEL "def k(x, B: tl.constexpr):\n    p = tl.program_id(0)\n"
                   "    v = tl.load(x + p * B + tl.arange(0, B))\n"
                   "    tl.device_print('v', v.to(tl.float16), p)\n"
                   "    print(f'block {B}')\n");
    for (int i = 0; i < 4; i++)
        cells[i] = 1.5f * (float)i;
    for (int d = 0; d < devices(); d++) {
        const tilec_arg args[] = {of_floats(cells, four), of_int("B", 2)};
        assert_int_equal(run_on(s, device(d), 2, args, 2, &heard, false), TILEC_OK);
        assert_string_equal(heard.text, want);
        assert_int_equal(heard.last.program[0], 1);
        assert_string_equal(heard.last.file, "test.py");
        assert_int_equal(run_on(s, device(d), 2, args, 2, NULL, false), TILEC_OK);
    }
}

/* Of what is printed so many bytes. */
static void expect_bytes(Scene *s, const char *statement, const char *want, size_t n)
{
    char source[400];
    Heard heard;

    snprintf(source, sizeof source,
             KERNEL "def k(n, B: tl.constexpr):\n    i = tl.arange(0, B)\n    %s\n", statement);
    load(s, source);
    for (int d = 0; d < devices(); d++) {
        const tilec_arg args[] = {of_int("n", -7), of_int("B", 4)};
        if (run_on(s, device(d), 1, args, 2, &heard, false) != TILEC_OK)
            fail_msg("%s\n%s", statement, s->error);
        if (strncmp(heard.last.text ? heard.text : "", want, n) != 0)
            fail_msg("%s\nwanted: %s\ngot: %s", statement, want, heard.text);
    }
    tilec_unload(s->file);
    s->file = NULL;
}

static void expect_print(Scene *s, const char *statement, const char *want)
{
    expect_bytes(s, statement, want, strlen(want) + 1);
}

static void test_prints_of_threads(void **state)
{
    static const struct {
        const char *statement, *want;
    } cases[] = {
        {"print('', tl.arange(9, 11), n)", "print 7:5: pid (0, 0, 0) idx (0): (operand 0) 9\n"
                                           "pid (0, 0, 0) idx (1): (operand 0) 10\n"
                                           "pid (0, 0, 0) idx (): (operand 1) -7\n"},
        {"print('v', tl.arange(0, 2)[:, None] + tl.zeros((2, 1), tl.float32))",
         "print 7:5: pid (0, 0, 0) idx (0, 0) v: 0.000000\n"
         "pid (0, 0, 0) idx (1, 0) v: 1.000000\n"},
        {"tl.device_print('{}', tl.arange(0, 1).to(tl.int16) - 1, hex=True)",
         "print 7:5: pid (0, 0, 0) idx (0) {}: 0xffff\n"},
        {"print('w', tl.full((2,), -1.5, tl.float16), hex=True)",
         "print 7:5: pid (0, 0, 0) idx (0) w: -0x1.8p+0\n"
         "pid (0, 0, 0) idx (1) w: -0x1.8p+0\n"},
        {"print('here')", "print 7:5: pid (0, 0, 0) here\n"},
        {"print('b', tl.arange(0, 1) == 0)", "print 7:5: pid (0, 0, 0) idx (0) b: 1\n"},
    };

    setenv("TILEC_PRINT_THREADS", "1", 1);
    for (int i = 0; i < COUNT(cases); i++)
        expect_bytes(*state, cases[i].statement, cases[i].want, strlen(cases[i].want) - 1);
    unsetenv("TILEC_PRINT_THREADS");
}

#define SAYS "print 7:5: (0, 0, 0)"
static void test_what_prints_look_like(void **state)
{
    static const struct {
        const char *statement, *want;
    } rows[] = {
        {"print('x', n)", SAYS " x: -7\n"},
        {"print('x:', n)", SAYS " x: -7\n"},
        {"print('x: ', n)", SAYS " x: -7\n"},
        {"print('x ', n)", SAYS " x: -7\n"},
        {"print('', n)", SAYS ": -7\n"},
        {"print('a {b}')", SAYS " a {b}\n"},
        {"print('h', n, B, hex=True)", SAYS " h: 0xfffffff9, 0x00000004\n"},
        {"print('w', n * 0.3, float('inf'), i * 2.5, hex=True)",
         SAYS " w: -0x1.0ccccep+1, inf, [  0x0p+0 0x1.4p+1 0x1.4p+2 0x1.ep+2]\n"},
        {"print('n', n < 0, tl.float16, 'text', (n, 1.5))",
         SAYS " n: True, fp16, text, (-7, 1.5)\n"},
        {"print('i', i - 2)", SAYS " i: [-2 -1  0  1]\n"},
        {"print('f', i * 2.5)", SAYS " f: [0.0 2.5 5.0 7.5]\n"},
        {"print('f', tl.load((i * 0).to(tl.int64).to(tl.pointer_type(tl.int8)), mask=i < 0, "
         "other=3))",
         SAYS " f: [3 3 3 3]\n"},
        {"print('m', i[:, None] * 10 + tl.arange(0, 2))",
         SAYS " m: [[ 0  1]\n              [10 11]\n              [20 21]\n"
              "              [30 31]]\n"},
        {"print('long', tl.arange(0, 2048))", SAYS " long: [   0    1    2 ... 2045 2046 2047]\n"},
        {"print('deep', tl.zeros((64, 64), tl.int8))",
         SAYS " deep: [[0 0 0 ... 0 0 0]\n                 [0 0 0 ... 0 0 0]\n"
              "                 [0 0 0 ... 0 0 0]\n                 ...\n"
              "                 [0 0 0 ... 0 0 0]\n                 [0 0 0 ... 0 0 0]\n"
              "                 [0 0 0 ... 0 0 0]]\n"},
        {"print('inf', n * 1e38, 1e-7, 16777216.0)", SAYS " inf: -inf, 1e-07, 16777216.0\n"},
    };

    for (int i = 0; i < COUNT(rows); i++)
        expect_print(*state, rows[i].statement, rows[i].want);
}

static void test_prints_keep_their_order_in_loops(void **state)
{
    static const char want[] = "print 9:9: (0, 0, 0) before: 0, 1.0\n"
                               "print 11:9: (0, 0, 0) after: 2.0\n"
                               "print 9:9: (0, 0, 0) before: 1, 2.0\n"
                               "print 11:9: (0, 0, 0) after: 4.0\n";
    Scene *s = *state;
    Heard heard;

    load(s, KERNEL "def k(x, n):\n    p = tl.program_id(0)\n    tl.store(x, 1.0)\n"
                   "    for i in range(n):\n"
                   "        print('before', i, tl.load(x))\n"
                   "        tl.store(x, tl.load(x) * 2)\n"
                   "        print('after', tl.load(x))\n");
    for (int d = 0; d < devices(); d++) {
        const tilec_arg args[] = {of_floats(cells, four), of_int("n", 2)};
        assert_int_equal(run_on(s, device(d), 1, args, 2, &heard, false), TILEC_OK);
        assert_string_equal(heard.text, want);
    }
}

static void test_too_many_prints_are_counted(void **state)
{
    Scene *s = *state;
    Heard *heard = calloc(1, sizeof *heard);

    load(s, KERNEL "def k(n):\n    for i in range(n):\n        print('i', i)\n");
    for (int d = 0; d < devices(); d++) {
        const tilec_arg args[] = {of_int("n", 300000)};
        assert_int_equal(run_on(s, device(d), 1, args, 1, heard, false), TILEC_OK);
        assert_int_equal(heard->last.kind, TILEC_RECORD_LOST);
        assert_int_equal(heard->last.failures + heard->records - 1, 300000);
    }
    free(heard);
}

static const char assert_source[] =
    KERNEL "def inner(v, m):\n    tl.device_assert(v < 3, 'too large', mask=m)\n\n"
           "@triton.jit\ndef k(x, n, B: tl.constexpr):\n    p = tl.program_id(0)\n"
           "    i = tl.arange(0, B)\n    v = tl.load(x + i)\n    inner(v + p, i < n)\n"
           "    assert n < 9, f'{B} are few'\n    tl.store(x + 4 + p, 1.0)\n";

static void test_what_is_not_zero_ends_the_launch(void **state)
{
    Scene *s = *state;
    Heard heard;

    load(s, KERNEL "def k(x, n):\n    i = tl.arange(0, 4)\n    v = tl.load(x + i)\n"
                   "    tl.store(x + 4 + i, tl.expect_zero(v, i >= n) + 1)\n");
    for (int d = 0; d < devices(); d++) {
        memset(cells, 0, sizeof cells);
        cells[1] = 3;
        const tilec_arg good[] = {of_floats(cells, all), of_int("n", 2)};
        const tilec_arg bad[] = {of_floats(cells, all), of_int("n", 0)};
        assert_int_equal(run_on(s, device(d), 1, good, 2, &heard, false), TILEC_OK);
        assert_true(cells[4] == 1 && cells[5] == 4 && cells[7] == 1);
        assert_int_equal(run_on(s, device(d), 1, bad, 2, &heard, false), TILEC_FAULT);
        expect_text(s->error, "assertion failed: expected zero where the mask is true\n");
        expect_text(s->error, "note: in program (0, 0, 0), at [1] of the tile\n");
    }
}

static void test_an_assertion_ends_the_launch(void **state)
{
    Scene *s = *state;
    Heard heard;

    load(s, assert_source);
    for (int d = 0; d < devices(); d++) {
        const tilec_arg good[] = {of_floats(cells, all), of_int("n", 2), of_int("B", 4)};
        const tilec_arg bad[] = {of_floats(cells, all), of_int("n", 8), of_int("B", 4)};
        memset(cells, 0, sizeof cells);
        cells[2] = 1;
        cells[3] = 2;
        assert_int_equal(run_on(s, device(d), 2, good, 3, &heard, false), TILEC_OK);
        assert_int_equal(heard.records, 0);
        assert_true(cells[4] == 1 && cells[5] == 1);
        cells[4] = cells[5] = 0;
        /* one thread: another one's program may fail before it hears of the first */
        assert_int_equal(launch_on(s, device(d), 2000, 1, bad, 3, &heard, false), TILEC_FAULT);
        expect_text(s->error, "test.py:6:5: error: assertion failed: too large\n");
        expect_text(s->error, "note: in program (1, 0, 0), at [3] of the tile\n");
        expect_text(s->error, "test.py:13:5: note: in `inner`, called from here\n");
        assert_int_equal(heard.last.kind, TILEC_RECORD_ASSERT);
        assert_string_equal(heard.last.message, "too large");
        assert_int_equal(heard.last.element, 3);
        assert_true(cells[4] == 1 && cells[5] == 0); /* what stood behind it did not happen */
        assert_true(cells[4 + 1999] == 0);
        assert_int_equal(run_on(s, device(d), 2, bad, 3, NULL, false), TILEC_FAULT);
        assert_non_null(s->error);
    }
}

static void test_an_assertion_of_a_scalar(void **state)
{
    Scene *s = *state;
    Heard heard;

    load(s, assert_source);
    for (int d = 0; d < devices(); d++) {
        const tilec_arg args[] = {of_floats(cells, four), of_int("n", 9), of_int("B", 4)};
        memset(cells, 0, sizeof cells);
        assert_int_equal(run_on(s, device(d), 1, args, 3, &heard, false), TILEC_FAULT);
        expect_text(s->error, "error: assertion failed: 4 are few\n");
        expect_text(s->error, "note: in program (0, 0, 0)\n");
        assert_int_equal(heard.last.element, -1);
    }
}

/* In a loop, in an arm, in a function that combines elements; and it protects what is behind it. */
static void test_assertions_anywhere(void **state)
{
    Scene *s = *state;
    Heard heard;

    load(s, KERNEL "def both(a, b):\n    tl.device_assert(a < 900, 'a')\n    return a + b\n\n"
                   "@triton.jit\ndef k(x, n, B: tl.constexpr):\n    i = tl.arange(0, B)\n"
                   "    for j in range(n):\n"
                   "        if j > 2:\n            assert j < 5, 'loop'\n"
                   "        tl.device_assert(j * 1000000000 < 4000000001, 'far')\n"
                   "        x += j\n"
                   "    tl.store(x, tl.reduce(tl.where(i < n, i * 100, 0), 0, both))\n");
    for (int d = 0; d < devices(); d++) {
        static const struct {
            int n;
            const char *says;
        } rows[] = {{3, NULL}, {7, "assertion failed: loop"}};
        for (int i = 0; i < COUNT(rows); i++) {
            const tilec_arg args[] = {of_floats(cells, thousand), of_int("n", rows[i].n),
                                      of_int("B", 16)};
            assert_int_equal(run_on(s, device(d), 1, args, 3, &heard, false),
                             rows[i].says ? TILEC_FAULT : TILEC_OK);
            if (rows[i].says)
                expect_text(s->error, rows[i].says);
        }
    }
}

/* Code for what is never asserted is not touched; see also tests/gen. */
static void test_stats_and_dumps_of_speaking_kernels(void **state)
{
    Scene *s = *state;
    const int32_t grid[3] = {2, 1, 1};
    const tilec_arg args[] = {of_floats(cells, four), of_int("n", 2), of_int("B", 4)};
    tilec_stats stats;
    char *text = NULL;

    load(s, assert_source);
    for (int d = 0; d < devices(); d++) {
        const tilec_launch_options options = {.device = device(d)};
        assert_int_equal(
            tilec_launch_stats(s->file, NULL, grid, args, 3, &options, &stats, &s->error),
            TILEC_OK);
    }
    assert_int_equal(tilec_dump(s->file, NULL, "ir", args, 3, NULL, &text, &s->error), TILEC_OK);
    expect_text(text, "%records: *i8 hidden records)");
    expect_text(text, "message=\"too large\"");
    tilec_free(text);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_prints_come_by_program),
        TEST(test_what_prints_look_like),
        TEST(test_prints_of_threads),
        TEST(test_prints_keep_their_order_in_loops),
        TEST(test_too_many_prints_are_counted),
        TEST(test_what_is_not_zero_ends_the_launch),
        TEST(test_an_assertion_ends_the_launch),
        TEST(test_an_assertion_of_a_scalar),
        TEST(test_assertions_anywhere),
        TEST(test_stats_and_dumps_of_speaking_kernels),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
