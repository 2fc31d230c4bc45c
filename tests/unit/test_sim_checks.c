/*
 * test_sim_checks.c - what the simulator stops, and what it counts
 *
 * Each kernel of tests/sim/checks.ptx is launched once as it should be, and once with something
 * that would be wrong on a GPU, often without anybody noticing.
 */
#include "sim_run.h"

enum { N = 128 };

typedef struct {
    char *text;
    SimRun run;
    uint32_t out[N], in[N];
} Scene;

static void open_scene(Scene *s, int warps)
{
    s->text = sim_file("checks.ptx");
    s->run = sim_open(s->text, warps);
    s->run.launch.shared = 4 * N;
    for (uint32_t i = 0; i < N; i++) {
        s->in[i] = 1000 + i;
        s->out[i] = 0;
    }
}

static void close_scene(Scene *s)
{
    sim_close(&s->run);
    free(s->text);
}

/* The launch must stop with that message. */
static void stops(SimRun *r, const char *kernel, const char *why)
{
    sim_go(r, kernel);
    if (!strstr(r->error.text, why))
        fprintf(stderr, "'%s' is not in '%s'\n", why, r->error.text);
    assert_int_equal(r->status, SIM_FAULT);
    assert_non_null(strstr(r->error.text, why));
    assert_true(r->error.ptx_line > 0);
}

static void test_race_of_a_read(void **state)
{
    Scene s;

    (void)state;
    open_scene(&s, 4);
    sim_array(&s.run, 0, s.out, sizeof s.out);
    s.run.args[1] = 1;
    sim_run(&s.run, "race_read");
    for (uint32_t i = 0; i < N; i++)
        assert_int_equal(s.out[i], (i + 32) % N);
    s.run.args[1] = 0;
    s.run.launch.grid[0] = 2;
    stops(&s.run, "race_read", ""); /* which one is met first depends on the turns */
    assert_true(strstr(s.run.error.text, "a race: it reads") ||
                strstr(s.run.error.text, "nobody has written"));
    close_scene(&s);
}

static void test_race_of_a_write(void **state)
{
    Scene s;

    (void)state;
    open_scene(&s, 2);
    stops(&s.run, "race_write", "a race: it writes byte");
    assert_non_null(strstr(s.run.error.text, "warp 0 read with no barrier between"));
    close_scene(&s);
    open_scene(&s, 1); /* one warp alone cannot race */
    sim_run(&s.run, "race_write");
    close_scene(&s);
}

static void test_atomics_do_not_race(void **state)
{
    Scene s;

    (void)state;
    open_scene(&s, 4);
    sim_array(&s.run, 0, s.out, sizeof s.out);
    s.run.args[1] = 1;
    sim_run(&s.run, "atomics");
    assert_int_equal(s.out[0], N * (N - 1) / 2);
    s.run.args[1] = 0;
    stops(&s.run, "atomics", "a race");
    close_scene(&s);
}

static void test_shared_memory(void **state)
{
    Scene s;

    (void)state;
    open_scene(&s, 1);
    s.run.args[0] = 60;
    sim_run(&s.run, "shared_word");
    s.run.args[0] = 64;
    stops(&s.run, "shared_word", "reads byte 64 of shared memory, which nobody has written");
    s.run.args[0] = 4 * N;
    stops(&s.run, "shared_word", "reads 4 bytes at 512 of 512 bytes of shared memory");
    s.run.args[0] = 2;
    stops(&s.run, "shared_word", "not a multiple of 4");
    close_scene(&s);
}

/* What a block wrote to shared memory is not there for the next one. */
static void test_blocks_are_apart(void **state)
{
    static const char text[] = SIM_HEAD
        ".visible .entry k()\n{\n.shared .align 4 .b8 sm[128];\n.reg .pred %p<2>;\n"
        ".reg .b32 %r<5>;\nmov.u32 %r1, %ctaid.x;\nsetp.ne.s32 %p1, %r1, 0;\nmov.b32 %r2, sm;\n"
        "mov.u32 %r3, %laneid;\nmad.lo.s32 %r2, %r3, 4, %r2;\n@%p1 bra L;\n"
        "st.shared.b32 [%r2], %r3;\nL:\nld.shared.b32 %r4, [%r2];\nret;\n}\n";
    SimRun r = sim_open(text, 1);

    (void)state;
    sim_run(&r, "k");
    r.launch.grid[0] = 2;
    stops(&r, "k", "nobody has written");
    assert_int_equal(r.error.program[0], 1);
    sim_close(&r);
}

static void test_missing_warps(void **state)
{
    Scene s;

    (void)state;
    open_scene(&s, 4);
    s.run.args[0] = 4;
    sim_run(&s.run, "missing");
    s.run.args[0] = 0;
    sim_run(&s.run, "missing");
    s.run.args[0] = 3;
    stops(&s.run, "missing", "warp 3 has ended");
    close_scene(&s);
}

static void test_parts_of_a_warp(void **state)
{
    Scene s;

    (void)state;
    open_scene(&s, 1);
    s.run.args[0] = 32;
    sim_run(&s.run, "parted");
    sim_run(&s.run, "shuffle");
    s.run.args[0] = 7;
    stops(&s.run, "parted", "a barrier that a part of the warp does not reach");
    stops(&s.run, "shuffle", "a lane of the mask 0xffffffff is elsewhere");
    close_scene(&s);
}

static void test_barriers_of_pairs(void **state)
{
    Scene s;

    (void)state;
    open_scene(&s, 4);
    sim_array(&s.run, 0, s.out, sizeof s.out);
    sim_run(&s.run, "pairs");
    for (uint32_t i = 0; i < N; i++)
        assert_int_equal(s.out[i], i ^ 32);
    s.run.args[1] = 1;
    stops(&s.run, "pairs", "");
    assert_true(strstr(s.run.error.text, "a race") ||
                strstr(s.run.error.text, "nobody has written"));
    close_scene(&s);
}

static void test_copies(void **state)
{
    Scene s;

    (void)state;
    open_scene(&s, 4);
    sim_array(&s.run, 0, s.out, sizeof s.out);
    sim_array(&s.run, 1, s.in, sizeof s.in - 4 * 5); /* what is not copied may lie outside */
    s.run.args[2] = 5;
    sim_run(&s.run, "copies");
    for (uint32_t i = 0; i < N; i++)
        assert_int_equal(s.out[i], i < N - 5 ? 1000 + i : 0);
    for (s.run.args[3] = 1; s.run.args[3] <= 2; s.run.args[3]++)
        stops(&s.run, "copies", "while cp.async copies to it: a wait is missing");
    s.run.args[2] = 4;
    s.run.args[3] = 0;
    stops(&s.run, "copies", "reads 4 bytes at offset 492 of an array of 492 bytes");
    assert_int_equal(s.run.error.warp, 3);
    assert_int_equal(s.run.error.lane, 123 % 32);
    close_scene(&s);
}

static void test_read_only_memory(void **state)
{
    Scene s;

    (void)state;
    open_scene(&s, 1);
    sim_array(&s.run, 0, s.out, sizeof s.out);
    s.run.args[1] = 1;
    s.run.ranges[0].read_only = true;
    stops(&s.run, "strided", "writes memory that is read-only");
    close_scene(&s);
}

static void test_place_of_a_fault(void **state)
{
    Arena *a = arena_new(NULL);
    Scene s;

    (void)state;
    open_scene(&s, 1);
    sim_array(&s.run, 0, s.out, sizeof s.out);
    s.run.args[1] = 5; /* 5 * 26 is the first that lies behind the end */
    stops(&s.run, "strided", "writes 4 bytes at offset 520 of an array of 512 bytes");
    assert_string_equal(s.run.error.file, "made/up.py");
    assert_int_equal(s.run.error.line, 12);
    assert_int_equal(s.run.error.column, 5);
    assert_int_equal(s.run.error.lane, 26);
    const char *text = sim_error_text(&s.run.error, a);
    assert_non_null(strstr(text, "made/up.py:12:5: error: it writes"));
    assert_non_null(strstr(text, "in program (0, 0, 0), warp 0, lane 26"));
    arena_free(a);
    close_scene(&s);
}

/* Only where a launch has a limit: loops may be long. */
static void test_endless_loops(void **state)
{
    Scene s;

    (void)state;
    open_scene(&s, 2);
    s.run.launch.turns = 2;
    stops(&s.run, "endless", "it has not ended behind more than 20000 instructions");
    sim_array(&s.run, 0, s.out, sizeof s.out);
    s.run.args[1] = 1;
    sim_run(&s.run, "strided");
    close_scene(&s);
}

/* counters */

/* Of a line of the source that has one. */
static const WorkCount *work_of(const SimRun *r, int number)
{
    for (int i = 0; i < r->counts.count; i++) {
        if (r->counts.lines[i].line == number)
            return &r->counts.lines[i].work;
    }
    fail_msg("line %d did nothing", number);
    return NULL;
}

/* Sectors of the store to global memory and waves of the one to shared memory, for a stride. */
static void expect_counts(uint32_t stride, uint64_t lines, uint64_t sectors, uint64_t waves)
{
    Scene s;

    open_scene(&s, 1);
    sim_array(&s.run, 0, s.out, sizeof s.out);
    s.run.args[1] = stride;
    s.run.launch.counts = &s.run.counts;
    s.run.launch.nranges = -1;
    s.run.launch.shared = 4 * 32 * 32;
    static uint32_t wide[32 * 32] __attribute__((aligned(128)));
    s.run.args[0] = (uint64_t)(uintptr_t)wide;
    sim_run(&s.run, "strided");
    assert_string_equal(s.run.counts.lines[0].file, "made/up.py");
    assert_int_equal(work_of(&s.run, 12)->global_requests, 1);
    assert_int_equal(work_of(&s.run, 12)->global_lines, lines);
    assert_int_equal(work_of(&s.run, 12)->global_sectors, sectors);
    assert_int_equal(work_of(&s.run, 13)->shared_requests, 1);
    assert_int_equal(work_of(&s.run, 13)->shared_waves, waves);
    assert_int_equal(work_of(&s.run, 13)->shared_extra, waves - 1);
    assert_int_equal(work_of(&s.run, 14)->branches, 1);
    assert_int_equal(work_of(&s.run, 14)->divergent, 1);
    assert_int_equal(work_of(&s.run, 11)->instructions, 4);
    assert_int_equal(work_of(&s.run, 11)->lanes, 4 * 32);
    assert_int_equal(work_of(&s.run, 14)->lanes, 32 + 8 + 24); /* the branch is executed by 8 */
    close_scene(&s);
}

static void test_counters(void **state)
{
    (void)state;
    expect_counts(1, 1, 4, 1);    /* 128 bytes in a row */
    expect_counts(2, 2, 8, 2);    /* every other bank */
    expect_counts(0, 1, 1, 1);    /* one word for all */
    expect_counts(8, 8, 32, 8);   /* a sector for each lane */
    expect_counts(31, 31, 32, 1); /* an odd stride meets all banks */
    expect_counts(32, 32, 32, 32);
}

/* Copies of 512 bytes in a row to places in shared memory `stride` bytes apart. */
static void expect_copies(uint32_t stride, uint64_t lines, uint64_t sectors)
{
    static char wide[512] __attribute__((aligned(128)));
    Scene s;

    open_scene(&s, 1);
    sim_array(&s.run, 0, wide, sizeof wide);
    s.run.args[1] = stride;
    s.run.launch.counts = &s.run.counts;
    s.run.launch.shared = (size_t)stride * 31 + 16;
    sim_run(&s.run, "copies_apart");
    assert_int_equal(work_of(&s.run, 21)->global_requests, 1);
    assert_int_equal(work_of(&s.run, 21)->global_lines, lines);
    assert_int_equal(work_of(&s.run, 21)->global_sectors, sectors);
    assert_int_equal(work_of(&s.run, 22)->global_requests, 0);
    close_scene(&s);
}

static void test_counters_of_copies(void **state)
{
    (void)state;
    expect_copies(16, 4, 16);   /* lines to lines */
    expect_copies(32, 8, 16);   /* half lines: each line is asked for twice */
    expect_copies(64, 16, 16);  /* two lanes of one sector share a line */
    expect_copies(128, 32, 32); /* each lane alone, so sectors come twice */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_race_of_a_read),
        cmocka_unit_test(test_race_of_a_write),
        cmocka_unit_test(test_atomics_do_not_race),
        cmocka_unit_test(test_shared_memory),
        cmocka_unit_test(test_blocks_are_apart),
        cmocka_unit_test(test_missing_warps),
        cmocka_unit_test(test_parts_of_a_warp),
        cmocka_unit_test(test_barriers_of_pairs),
        cmocka_unit_test(test_copies),
        cmocka_unit_test(test_read_only_memory),
        cmocka_unit_test(test_place_of_a_fault),
        cmocka_unit_test(test_endless_loops),
        cmocka_unit_test(test_counters),
        cmocka_unit_test(test_counters_of_copies),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
