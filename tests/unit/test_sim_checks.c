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
/* --- short kernels: %rd1 is the array, %r1 the thread, %r3 where shared memory begins --- */

#define KERNEL(text)                                                                               \
    SIM_HEAD ".extern .shared .align 16 .b8 dynamic[];\n"                                          \
             ".entry k(.param .u64 out)\n{\n"                                                      \
             ".local .align 8 .b8 own[8];\n"                                                       \
             ".reg .pred %p<4>;\n.reg .b32 %r<9>;\n.reg .b64 %rd<5>;\n"                            \
             "ld.param.b64 %rd1, [out];\nmov.u32 %r1, %tid.x;\nmov.b32 %r3, dynamic;\n" text       \
             "ret;\n}\n"

static void run_short(const char *text, int warps, uint32_t out[N], const char *why)
{
    SimRun r = sim_open(text, warps);

    r.launch.shared = sizeof(uint32_t) * N;
    sim_array(&r, 0, out, sizeof(uint32_t) * N);
    if (why)
        stops(&r, "k", why);
    else
        sim_run(&r, "k");
    sim_close(&r);
}

static void test_misuse(void **state)
{
    static const struct {
        const char *text;
        int warps;
        const char *why;
    } wrong[] = {
        {KERNEL("bar.sync %r1;\n"), 1, "the lanes of a warp name different barriers"},
        {KERNEL("bar.sync 1, 64;\n"), 1, "barrier 1 of 64 threads in a block of 32"},
        {KERNEL("setp.lt.u32 %p1, %r1, 32;\n@%p1 bra A;\nbar.sync 1, 64;\nbra B;\n"
                "A:\nbar.sync 1, 96;\nB:\n"),
         3, "where others wait for"},
        {KERNEL("shfl.sync.idx.b32 %r2, %r1, 0, 31, 1;\n"), 1,
         "a lane that is not in the mask 0x00000001"},
        {KERNEL("setp.ge.u32 %p1, %r1, 16;\n@%p1 bra A;\n"
                "shfl.sync.idx.b32 %r2, %r1, 20, 31, 65535;\nA:\n"),
         1, "it reads a register of lane 20, which does not take part"},
        {KERNEL("T: .branchtargets A, B;\nbrx.idx %r1, T;\nA:\nB:\n"), 1,
         "index 2 of a jump table with 2 targets"},
        {KERNEL("trap;\n"), 1, "the program stopped itself with trap"},
        {KERNEL("cp.async.ca.shared.global [%r3], [%rd1], 5;\n"), 1, "cp.async of 5 bytes"},
        {KERNEL("mov.b32 %r2, 8;\nsetp.eq.s32 %p1, %r1, 0;\n@%p1 cp.async.ca.shared.global [%r3], "
                "[%rd1], 4, %r2;\n"),
         1, "cp.async of 4 bytes out of 8"},
        {KERNEL("mov.b64 %rd2, own;\nld.local.b32 %r2, [%rd2+8];\n"), 1,
         "it reads 4 bytes at 8 of 8 bytes of local memory"},
        {KERNEL("st.global.b32 [%rd1+512], %r1;\n"), 1,
         "it writes 4 bytes at offset 512 of an array of 512 bytes"},
        {KERNEL("mov.b64 %rd2, 64;\nst.global.b32 [%rd2], %r1;\n"), 1,
         "it writes 4 bytes at address 0x40, which no argument reaches"},
    };
    uint32_t out[N];

    (void)state;
    for (int i = 0; i < COUNT(wrong); i++)
        run_short(wrong[i].text, wrong[i].warps, out, wrong[i].why);
}

#define STORE(reg)                                                                                 \
    "mul.wide.u32 %rd4, %r1, 4;\nadd.s64 %rd4, %rd1, %rd4;\nst.global.b32 [%rd4], " reg ";\n"

/* One of the lanes that ask is elected, the first one; those behind a branch elect their own. */
static void test_elections(void **state)
{
    uint32_t out[N] = {0};

    (void)state;
    run_short(KERNEL("setp.lt.u32 %p1, %r1, 8;\n@%p1 bra A;\n"
                     "elect.sync %r2|%p2, 0xffffff00;\nbra B;\n"
                     "A:\nelect.sync %r2|%p2, 0xff;\nB:\n"
                     "selp.b32 %r4, 100, 0, %p2;\nadd.s32 %r2, %r2, %r4;\n" STORE("%r2")),
              1, out, NULL);
    for (uint32_t i = 0; i < 32; i++)
        assert_int_equal(out[i], (i < 8 ? 0 : 8) + (i == 0 || i == 8 ? 100 : 0));
}

/* What generic addresses point to; and time does not go back. */
static void test_spaces_and_clocks(void **state)
{
    uint32_t out[N] = {0};

    (void)state;
    run_short(KERNEL("cvt.u64.u32 %rd2, %r3;\ncvta.shared.u64 %rd2, %rd2;\n"
                     "isspacep.shared %p1, %rd2;\nselp.b32 %r2, 1, 0, %p1;\n"
                     "isspacep.global %p1, %rd2;\nselp.b32 %r4, 2, 0, %p1;\nor.b32 %r2, %r2, %r4;\n"
                     "isspacep.global %p1, %rd1;\nselp.b32 %r4, 4, 0, %p1;\nor.b32 %r2, %r2, %r4;\n"
                     "mov.b64 %rd2, own;\ncvta.local.u64 %rd2, %rd2;\n"
                     "isspacep.local %p1, %rd2;\nselp.b32 %r4, 8, 0, %p1;\nor.b32 %r2, %r2, %r4;\n"
                     "mov.u64 %rd2, %clock64;\nmov.u64 %rd3, %clock64;\n"
                     "setp.ge.u64 %p1, %rd3, %rd2;\n"
                     "selp.b32 %r4, 16, 0, %p1;\nor.b32 %r2, %r2, %r4;\n" STORE("%r2")),
              1, out, NULL);
    for (int i = 0; i < 32; i++)
        assert_int_equal(out[i], 1 | 4 | 8 | 16);
    for (int again = 0; again < 2; again++) { /* which time it is depends on the program alone */
        run_short(KERNEL("mov.u64 %rd2, %globaltimer;\nmov.u64 %rd3, %globaltimer;\n"
                         "cvt.u32.u64 %r2, %rd3;\n" STORE("%r2")),
                  1, out, NULL);
        for (int i = 0; i < 32; i++)
            assert_int_equal(out[i], 2000);
    }
}

/* Who arrives need not wait; who waits sees what was written before. */
static void test_arrival(void **state)
{
    uint32_t out[N] = {0};

    (void)state;
    run_short(KERNEL("and.b32 %r4, %r1, 31;\nshl.b32 %r4, %r4, 2;\nadd.s32 %r3, %r3, %r4;\n"
                     "setp.ge.u32 %p1, %r1, 32;\n@%p1 bra A;\n"
                     "add.s32 %r2, %r1, 7;\nst.shared.b32 [%r3], %r2;\nbar.arrive 1, 64;\nret;\n"
                     "A:\nbar.sync 1, 64;\nld.shared.b32 %r2, [%r3];\n" STORE("%r2")),
              2, out, NULL);
    for (uint32_t i = 0; i < 32; i++) {
        assert_int_equal(out[i], 0);
        assert_int_equal(out[32 + i], i + 7);
    }
}

/* Copies whose source is ignored are zeros. */
static void test_ignored_copies(void **state)
{
    uint32_t out[N];

    (void)state;
    for (uint32_t i = 0; i < N; i++)
        out[i] = 1 + i;
    run_short(KERNEL("shl.b32 %r4, %r1, 2;\nadd.s32 %r3, %r3, %r4;\n"
                     "mul.wide.u32 %rd2, %r1, 4;\nadd.s64 %rd2, %rd1, %rd2;\n"
                     "setp.lt.u32 %p1, %r1, 8;\n"
                     "cp.async.ca.shared.global [%r3], [%rd2], 4, %p1;\n"
                     "cp.async.wait_all;\nld.shared.b32 %r2, [%r3];\n" STORE("%r2")),
              1, out, NULL);
    for (uint32_t i = 0; i < 32; i++)
        assert_int_equal(out[i], i < 8 ? 0 : 1 + i);
}

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

/* Two warps, of which the second loads once more in front of a barrier. */
static void test_waits(void **state)
{
    Scene s;

    (void)state;
    open_scene(&s, 2);
    sim_array(&s.run, 0, s.out, sizeof s.out);
    s.run.launch.counts = &s.run.counts;
    sim_run(&s.run, "paced");
    assert_int_equal(work_of(&s.run, 31)->cycles, 2 * (4 + 1));
    assert_int_equal(work_of(&s.run, 31)->memory_waits, 0); /* who needs it waits */
    assert_int_equal(work_of(&s.run, 32)->memory_waits, 2 * 800);
    assert_int_equal(work_of(&s.run, 32)->cycles, 2 * 801);
    assert_int_equal(work_of(&s.run, 33)->apart, 2);
    assert_int_equal(work_of(&s.run, 33)->cycles, 2 * (4 + 1)); /* which waits for arithmetic */
    assert_int_equal(work_of(&s.run, 34)->special, 2);
    assert_int_equal(work_of(&s.run, 35)->shared_waits, 2 * 30);
    assert_int_equal(work_of(&s.run, 35)->apart, 0);
    assert_int_equal(work_of(&s.run, 36)->memory_waits, 800);
    assert_int_equal(work_of(&s.run, 37)->barrier_waits, 802);
    assert_int_equal(work_of(&s.run, 38)->barrier_waits, 0);
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
        cmocka_unit_test(test_misuse),
        cmocka_unit_test(test_elections),
        cmocka_unit_test(test_spaces_and_clocks),
        cmocka_unit_test(test_arrival),
        cmocka_unit_test(test_ignored_copies),
        cmocka_unit_test(test_endless_loops),
        cmocka_unit_test(test_counters),
        cmocka_unit_test(test_counters_of_copies),
        cmocka_unit_test(test_waits),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
