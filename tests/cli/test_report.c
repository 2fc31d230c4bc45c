/*
 * test_report.c - occupancy, rules of advice, and how lines of the compiler's texts are tied to the
 * source
 */
#include <unistd.h>

#include "help.h"
#include "../../src/gpu_plan/chip.h"
#include "../../src/page/page.h"

/* --- traces --- */

/* Programs of a multiprocessor that run at once are in rows of their own, which have its name;
 * another one, and what comes later, is not. */
static void test_rows_of_multiprocessors(void **state)
{
    static const struct {
        int unit;
        double start, end;
        const char *row;
    } programs[] = {
        {3, 30, 40, "\"tid\": 1097"}, /* given in no order */
        {3, 10, 30, "\"tid\": 1097"},
        {3, 20, 35, "\"tid\": 1098"},
        {0, 20, 25, "\"tid\": 1001"},
    };
    Arena *a = arena_new(NULL);
    const char *path = arena_printf(a, "/tmp/tilec-trace-%ld.json", (long)getpid());
    Trace t = {.arena = a, .device = "cuda", .grid = {4, 1, 1}};
    char *text;
    size_t len;

    (void)state;
    trace_add(&t, &(tilec_span){.kind = TILEC_SPAN_LAUNCH, .name = "k", .start = 5, .end = 50});
    trace_add(&t, &(tilec_span){.kind = TILEC_SPAN_DEVICE, .name = "k", .start = 10, .end = 50});
    for (int i = 0; i < COUNT(programs); i++)
        trace_add(&t, &(tilec_span){.kind = TILEC_SPAN_PROGRAMS,
                                    .name = "k",
                                    .start = programs[i].start,
                                    .end = programs[i].end,
                                    .thread = programs[i].unit,
                                    .programs = {i, i + 1}});
    assert_int_equal(trace_write(&t, path), 0);
    assert_int_equal(os_read_file(a, path, 1 << 20, &text, &len), 0);
    assert_int_equal(unlink(path), 0);
    for (int i = 0; i < COUNT(programs); i++) {
        const char *event = strstr(text, arena_printf(a, "\"program %d\"", i));
        assert_non_null(event);
        const char *row = strstr(event, "\"tid\"");
        assert_memory_equal(row, programs[i].row, strlen(programs[i].row));
    }
    assert_non_null(strstr(text, "\"tid\": 1097, \"args\": {\"name\": \"multiprocessor 3\"}"));
    assert_non_null(strstr(text, "\"tid\": 1098, \"args\": {\"name\": \"multiprocessor 3\"}"));
    assert_non_null(strstr(text, "\"tid\": 1000, \"args\": {\"name\": \"cuda\"}"));
    assert_null(strstr(text, "multiprocessor 1"));
    assert_null(strstr(text, "worker"));
    arena_free(a);
}

/* --- occupancy --- */

/* What plans depend on, and what occupancy does, are two tables of one thing. */
static void test_limits_are_those_of_plans(void **state)
{
    (void)state;
    int rows = 0, warps, shared;

    for (int i = 0; chip_names[i]; i++) {
        const Chip *chip = chip_find(chip_names[i]);
        bool found = false;

        for (int k = 0; occupancy_chip(k, &warps, &shared); k++) {
            if (strcmp(occupancy_chip(k, &warps, &shared), chip->name) != 0)
                continue;
            found = true;
            assert_int_equal(warps << chip->lane_bits, chip->threads);
            assert_int_equal(shared - 1024, chip->shared);
        }
        assert_true(found);
        rows++;
    }
    assert_null(occupancy_chip(rows, &warps, &shared));
}

/* As NVIDIA's occupancy calculator has them. */
static void test_programs_at_once(void **state)
{
    static const struct {
        const char *arch;
        int warps, registers, shared, programs;
        const char *limit;
    } rows[] = {
        {"sm_90a", 4, 64, 0, 8, "registers"},
        {"sm_90a", 4, 168, 0, 3, "registers"},
        {"sm_90a", 4, 32, 0, 16, "warps"},
        {"sm_90a", 1, 16, 0, 32, "programs"},
        {"sm_90a", 8, 32, 100000, 2, "shared memory"},
        {"sm_90a", 4, 0, 0, 16, "warps"},
        {"sm_86", 4, 40, 0, 12, "warps"},
        {"sm_86", 8, 255, 0, 1, "registers"},
        {"sm_80", 4, 0, 167936 / 2 - 1024, 2, "shared memory"},
    };
    const int32_t grid[3] = {1000, 1, 1};

    (void)state;
    for (int i = 0; i < COUNT(rows); i++) {
        const tilec_stats stats = {
            .warps = rows[i].warps, .registers = rows[i].registers, .shared_bytes = rows[i].shared};
        Occupancy o;

        assert_true(occupancy_find(rows[i].arch, &stats, grid, 0, &o));
        assert_int_equal(o.programs, rows[i].programs);
        assert_string_equal(o.limit, rows[i].limit);
    }
}

static void test_waves(void **state)
{
    const tilec_stats stats = {.warps = 4, .registers = 64};
    const int32_t grid[3] = {10, 30, 1};
    Occupancy o;

    (void)state;
    assert_true(occupancy_find("sm_90", &stats, grid, 16, &o));
    assert_null(o.model); /* the machine's number was given */
    assert_int_equal(o.wave, 128);
    assert_int_equal(o.waves, 3);
    assert_int_equal(o.last, 44);
    assert_float_equal(occupancy_share(&o), 0.5, 1e-9);
    assert_float_equal(occupancy_tail(&o), 1 - 300.0 / 384, 1e-9);
    assert_false(occupancy_find("sm_11", &stats, grid, 16, &o));
    assert_false(occupancy_find("sm_90", &(tilec_stats){0}, grid, 16, &o));
}

/* So many registers a thread cost no program, and one unit more does. */
static void test_spare_registers(void **state)
{
    const int32_t grid[3] = {1, 1, 1};

    (void)state;
    for (int warps = 1; warps <= 32; warps++) {
        tilec_stats stats = {.warps = warps, .shared_bytes = 20000};
        Occupancy free, o;

        assert_true(occupancy_find("sm_90", &stats, grid, 0, &free));
        stats.registers = free.spare_registers;
        assert_true(occupancy_find("sm_90", &stats, grid, 0, &o));
        assert_int_equal(o.programs, free.programs);
        stats.registers = free.spare_registers + 8;
        if (stats.registers > 255)
            continue;
        assert_true(occupancy_find("sm_90", &stats, grid, 0, &o));
        assert_true(o.programs < free.programs);
    }
}

/* --- advice --- */

static const Advice *advice_called(const Advices *all, const char *id)
{
    for (int i = 0; i < all->len; i++) {
        if (strcmp(all->at[i].id, id) == 0)
            return &all->at[i];
    }
    return NULL;
}

/* A line that does this much, and nothing else. */
static Advices advice_of_line(Arena *a, tilec_count count, double bytes)
{
    ProfileLines lines = {.arena = a};
    Counting counting = {.arena = a};
    tilec_line line = {.file = "k.py", .line = 7, .bytes = bytes};

    count.file = "k.py";
    count.line = 7;
    counting_add(&counting, &count);
    profile_add(&lines, &line);
    return advice_find(&(RunView){.arena = a, .lines = &lines, .counting = &counting});
}

static void test_rules_by_counters(void **state)
{
    static const struct {
        const char *id;
        tilec_count is, is_not;
        double bytes;
    } rows[] = {
        {"uncoalesced",
         {.global_requests = 10, .global_sectors = 320},
         {.global_requests = 10, .global_sectors = 40},
         1280},
        {"uncoalesced",
         {.global_requests = 10, .global_sectors = 320},
         {.global_requests = 10, .global_sectors = 160},
         0},
        {"conflicts",
         {.shared_requests = 10, .shared_waves = 20, .shared_extra = 10},
         {.shared_requests = 10, .shared_waves = 40},
         0},
        {"divergent", {.branches = 10, .divergent = 5}, {.branches = 10}, 0},
        {"lanes", {.instructions = 10, .lanes = 80}, {.instructions = 10, .lanes = 300}, 0},
    };
    Cli *c = *state;

    for (int i = 0; i < COUNT(rows); i++) {
        const Advices there = advice_of_line(c->arena, rows[i].is, rows[i].bytes);
        const Advices not = advice_of_line(c->arena, rows[i].is_not, rows[i].bytes);
        const Advice *a = advice_called(&there, rows[i].id);

        assert_non_null(a);
        assert_string_equal(a->file, "k.py");
        assert_int_equal(a->line, 7);
        assert_true(a->weight > 0 && a->weight <= 1);
        assert_null(advice_called(&not, rows[i].id));
    }
}

/* Nothing that was not measured is told. */
static void test_no_figures_no_advice(void **state)
{
    Cli *c = *state;
    const Advices all = advice_find(&(RunView){.arena = c->arena, .timing = {.grid = {9, 1, 1}}});

    assert_int_equal(all.len, 0);
}

static void test_rules_by_occupancy(void **state)
{
    Cli *c = *state;
    Occupancy o;
    RunView v = {.arena = c->arena, .occupancy = &o, .timing = {.grid = {300, 1, 1}}};
    const tilec_stats few = {.warps = 4, .registers = 168}, many = {.warps = 4, .registers = 32};

    assert_true(occupancy_find("sm_90", &few, v.timing.grid, 16, &o)); /* 48 at once */
    Advices all = advice_find(&v);
    assert_non_null(advice_called(&all, "occupancy"));
    assert_null(advice_called(&all, "programs"));
    assert_true(occupancy_find("sm_90", &many, v.timing.grid, 16, &o)); /* 256 at once */
    all = advice_find(&v);
    assert_null(advice_called(&all, "occupancy"));
    assert_non_null(advice_called(&all, "tail"));
    assert_true(occupancy_find("sm_90", &many, v.timing.grid, 132, &o));
    all = advice_find(&v);
    assert_non_null(advice_called(&all, "programs"));
    v.timing.stats.local_bytes = 16;
    all = advice_find(&v);
    assert_non_null(advice_called(&all, "spills"));
}

/* A kernel lasts as long as its busiest part and a program, or as programs behind each other. */
static void test_effort(void **state)
{
    Cli *c = *state;
    Occupancy o;
    Counting counting = {.arena = c->arena};
    RunView v = {
        .arena = c->arena, .occupancy = &o, .counting = &counting, .timing = {.grid = {132, 1, 1}}};
    const tilec_stats takes = {.warps = 4, .registers = 32};
    const uint64_t warps = 132 * 4;
    Effort e;

    assert_true(occupancy_find("sm_90", &takes, v.timing.grid, 132, &o));
    counting_add(&counting, &(tilec_count){.file = "k.py",
                                           .line = 7,
                                           .instructions = warps * 1000,
                                           .lanes = warps * 1000 * 32,
                                           .global_sectors = 132 * 500,
                                           .cycles = warps * 5000,
                                           .memory_waits = warps * 4000});
    assert_true(effort_find(&v, &e));
    assert_float_equal(e.cycles[EFFORT_ISSUE], 1000, 1e-6); /* a warp for each scheduler */
    assert_float_equal(e.cycles[EFFORT_CACHE], 250, 1e-6);
    assert_int_equal(e.most, EFFORT_ISSUE);
    assert_float_equal(e.program, 5000, 1e-6);
    assert_float_equal(e.total, 6000, 1e-6);
    const Advices all = advice_find(&v);
    assert_non_null(advice_called(&all, "waits"));
    assert_float_equal(advice_called(&all, "waits")->weight, 0.8,
                       1e-6);        /* of 5 / 6 that are idle */
    v.timing.grid[0] = 132 * 16 * 2; /* of the same in all: two programs behind each other */
    assert_true(occupancy_find("sm_90", &takes, v.timing.grid, 132, &o));
    assert_true(effort_find(&v, &e));
    assert_float_equal(e.program, 5000 / 32.0, 1e-6);
    assert_float_equal(e.total, 1000 + 5000 / 32.0, 1e-6);
    v.occupancy = NULL;
    assert_false(effort_find(&v, &e));
}

/* Warps that wait for each other, and for shared memory, have rules of their own. */
static void test_rules_of_waits(void **state)
{
    static const struct {
        const char *id;
        tilec_count is;
    } rows[] = {
        {"waits", {.memory_waits = 400}},
        {"shared", {.shared_waits = 400}},
        {"barriers", {.barrier_waits = 400}},
    };
    Cli *c = *state;
    Occupancy o;
    RunView v = {.arena = c->arena, .occupancy = &o, .timing = {.grid = {132, 1, 1}}};

    assert_true(occupancy_find("sm_90", &(tilec_stats){.warps = 1, .registers = 32}, v.timing.grid,
                               132, &o));
    for (int i = 0; i < COUNT(rows); i++) {
        Counting counting = {.arena = c->arena};
        tilec_count count = rows[i].is;

        count.file = "k.py";
        count.line = 7;
        count.instructions = 100;
        count.lanes = 3200;
        count.cycles = 1000;
        counting_add(&counting, &count);
        v.counting = &counting;
        const Advices all = advice_find(&v);
        for (int k = 0; k < COUNT(rows); k++) {
            const Advice *a = advice_called(&all, rows[k].id);
            assert_int_equal(a != NULL, k == i);
            if (a)
                assert_int_equal(a->line, 7);
        }
    }
}

/* The line that most of what goes to a thread's own memory is of. */
static void test_line_of_spills(void **state)
{
    Cli *c = *state;
    RunView v = {.arena = c->arena, .timing = {.grid = {300, 1, 1}}};
    const ViewStage sass = {.name = "sass",
                            .text =
                                "        //## File \"k.py\", line 7\n"
                                "        /*0010*/  STL [R1], R4 ;\n"
                                "        //## File \"h.py\", line 3 inlined at \"k.py\", line 9\n"
                                "        /*0020*/  LDL R4, [R1] ;\n"
                                "        /*0030*/  STL.64 [R1+0x8], R6 ;\n"
                                "        /*0040*/  FADD R4, R4, R6 ;\n"};

    v.timing.stats = (tilec_stats){.registers = 255, .local_bytes = 340};
    vec_push(c->arena, &v.stages, sass);
    const Advices all = advice_find(&v);
    const Advice *a = advice_called(&all, "spills");
    assert_non_null(a);
    assert_string_equal(a->file, "h.py");
    assert_int_equal(a->line, 3);
    assert_float_equal(a->weight, 340 / (340 + 4 * 255.0), 1e-9);
}

/* Bytes of all resident programs against what must be on the way to keep memory busy. */
static void test_rule_of_latency(void **state)
{
    Cli *c = *state;
    Occupancy o;
    RunView v = {.arena = c->arena, .occupancy = &o, .timing = {.grid = {9000, 1, 1}}};
    const tilec_stats takes = {.warps = 4, .registers = 32}; /* 16 programs at once */
    Advices all;

    assert_true(occupancy_find("sm_90", &takes, v.timing.grid, 132, &o));
    assert_float_equal(o.flight, 4800e9 * 600e-9 / 132, 1);
    v.timing.stats.bytes = 9000 * 1000.0; /* 16 kB at once */
    all = advice_find(&v);
    assert_non_null(advice_called(&all, "flight"));
    assert_float_equal(advice_called(&all, "flight")->weight, 1 - 16000 / o.flight, 1e-9);
    v.timing.stats.bytes = 9000 * 1500.0;
    all = advice_find(&v);
    assert_null(advice_called(&all, "flight"));
    v.timing.stats = (tilec_stats){.bytes = 9e6, .flops = 9e8}; /* arithmetic is the limit */
    all = advice_find(&v);
    assert_null(advice_called(&all, "flight"));
    v.timing.stats = (tilec_stats){.bytes = 1e5};
    v.timing.grid[0] = 100; /* too few programs, which is another rule */
    assert_true(occupancy_find("sm_90", &takes, v.timing.grid, 132, &o));
    all = advice_find(&v);
    assert_null(advice_called(&all, "flight"));
    assert_non_null(advice_called(&all, "programs"));
}

/* --- roofs of a CPU --- */

static Profile profile_with(Cli *c, Timing *t, ProfileLines *lines, bool cached)
{
    const Peaks peaks = {.bytes = 30e9,
                         .near_bytes = 300e9,
                         .flops = 1e12,
                         .int8_flops = 1,
                         .bf16_flops = 1,
                         .cached = cached};

    *lines = (ProfileLines){.arena = c->arena};
    t->times.n = 100;
    return profile_of(t, &peaks, lines);
}

/* What a kernel moves in a second is said to come from where it may, and is never more than all. */
static void test_rule_of_memory(void **state)
{
    static const struct {
        double bytes, median, min, flops;
        bool cached;
        const char *rule, *share; /* NULL: nothing is said */
    } cases[] = {
        {24e6, 1e-3, 1e-3, 0, false, "memory", "80% of what memory gives: 24.0 of 30.0 GB/s"},
        {24e6, 1e-3, 1e-3, 0, true, "cache", "80% of what the cache gives: 24.0 of 30.0 GB/s"},
        {15e6, 1e-3, 1e-3, 0, false, NULL, NULL},
        /* faster than the probe, which a busy machine had held up */
        {38e6, 1e-3, 0.95e-3, 0, false, "memory", "95% of what memory gives: 38.0 of 40.0 GB/s"},
        /* .. by so much that its bytes come from nearer than arrays of that size */
        {90e6, 1e-3, 0.9e-3, 0, false, "cache", "90% of what the cache gives: 90.0 of 100.0 GB/s"},
        /* nobody knows what part of its arrays it moves */
        {90e6, 1e-3, 0.9e-3, -1, false, NULL, NULL},
    };
    Cli *c = *state;

    for (int i = 0; i < COUNT(cases); i++) {
        Timing t = {.times = {.median = cases[i].median, .min = cases[i].min},
                    .stats = {.bytes = cases[i].bytes, .flops = cases[i].flops}};
        ProfileLines lines;
        Profile p = profile_with(c, &t, &lines, cases[i].cached);
        RunView v = {.arena = c->arena, .profile = &p, .timing = t};
        const Advices all = advice_find(&v);
        const Advice *a = cases[i].rule ? advice_called(&all, cases[i].rule) : NULL;

        assert_true(profile_roofline(&p) <= 1);
        assert_true(!cases[i].rule == !a);
        if (a)
            assert_string_equal(a->figure, cases[i].share);
        else
            assert_true(!advice_called(&all, "memory") && !advice_called(&all, "cache"));
    }
}

/* Of a line that has a tenth of its time no rate is told. */
static void test_lines_beyond_the_roof(void **state)
{
    Cli *c = *state;
    Timing t = {.times = {.median = 1e-3, .min = 1e-3}, .stats = {.bytes = 20e6}};
    ProfileLines lines;
    Profile p;

    profile_with(c, &t, &lines, false);
    profile_add(&lines, &(tilec_line){.file = "k.py", .line = 1, .samples = 20, .bytes = 10e6});
    profile_add(&lines, &(tilec_line){.file = "k.py", .line = 2, .samples = 980, .bytes = 10e6});
    const Peaks peaks = {
        .bytes = 30e9, .near_bytes = 300e9, .flops = 1e12, .int8_flops = 1, .bf16_flops = 1};
    p = profile_of(&t, &peaks, &lines);
    assert_float_equal(profile_line_roofline(&p, &lines.lines.at[0]), 20.0 / 30, 1e-6);
    assert_true(profile_line_roofline(&p, &lines.lines.at[1]) < 0);
}

/* --- lines of the compiler's texts --- */

/* "TEXT<1 2" for each line of the stage, where the numbers are the lines that it is of. */
static const char *tied(Arena *a, const char *stage, const char *text)
{
    PageFiles files = files_new(a, 0, "k.py");
    const StageLines lines = stage_lines(&files, &(ViewStage){.name = stage, .text = text});
    Text out = text_new(a);

    text_put(&out, "");
    for (int i = 0; i < lines.len; i++) {
        text_printf(&out, "%s<", lines.at[i].text);
        for (int k = 0; k < lines.at[i].of.len; k++)
            text_printf(&out, "%s%d:%d", k ? " " : "", lines.at[i].of.at[k].file,
                        lines.at[i].of.at[k].line);
        text_put(&out, "\n");
    }
    return out.s;
}

static void test_lines_of_ops(void **state)
{
    Cli *c = *state;

    assert_string_equal(tied(c->arena, "ir:places",
                             "kernel @k() {\n"
                             "  %0 = add %a, %b : i32  # k.py:7\n"
                             "  %1 = mul %0 : i32  # h.py:3 @[ d/h.py:9 ] @[ k.py:12 ]\n"
                             "}\n"),
                        "kernel @k() {<\n"
                        "  %0 = add %a, %b : i32<0:7\n"
                        "  %1 = mul %0 : i32<1:3 2:9 0:12\n"
                        "}<\n");
}

static void test_lines_of_llvm(void **state)
{
    Cli *c = *state;

    assert_string_equal(
        tied(c->arena, "llvm",
             "define void @k() !dbg !1 {\n"
             "  %2 = add i32 %0, %1, !dbg !4\n"
             "  %3 = mul i32 %2, %2, !dbg !5\n"
             "  ret void\n"
             "}\n"
             "!0 = !DIFile(filename: \"k.py\", directory: \"\")\n"
             "!1 = distinct !DISubprogram(name: \"k\", scope: !0, file: !0, line: 5)\n"
             "!2 = !DIFile(filename: \"a\\5Cb.py\", directory: \"\")\n"
             "!3 = distinct !DISubprogram(name: \"h\", scope: !2, file: !2, line: 1)\n"
             "!4 = !DILocation(line: 7, column: 1, scope: !1)\n"
             "!5 = !DILocation(line: 2, column: 1, scope: !3, inlinedAt: !4)\n"),
        "define void @k() {<\n"
        "  %2 = add i32 %0, %1<0:7\n"
        "  %3 = mul i32 %2, %2<1:2 0:7\n"
        "  ret void<\n"
        "}<\n");
}

static void test_lines_of_assembly(void **state)
{
    Cli *c = *state;

    assert_string_equal(tied(c->arena, "asm",
                             "k:\n"
                             "\t.loc\t1 7 5 # k.py:7:5\n"
                             "# k.py:7:  x = f(y)\n"
                             "# %bb.3:                                #   in Loop: Header=BB0_2\n"
                             "\tmovl\t%eax, %ebx # 4-byte reload\n"
                             ".Ltmp1:\n"
                             "\t.loc\t1 2 5 # h.py:2:5 @[ k.py:7:9 ]\n"
                             "# h.py:2:  return y\n"
                             "#     called at k.py:7:  x = f(y)\n"
                             "\tretq\n"
                             ".Lfunc_end0:\n"),
                        "k:<\n"
                        "# %bb.3:                                #   in Loop: Header=BB0_2<0:7\n"
                        "\tmovl\t%eax, %ebx # 4-byte reload<0:7\n"
                        "\tretq<1:2 0:7\n"
                        ".Lfunc_end0:<\n");
    assert_string_equal(tied(c->arena, "ptx",
                             "// k.py:9:  y = 1\n"
                             "\tmov.u32 \t%r1, %tid.x;\n"
                             "}\n"),
                        "\tmov.u32 \t%r1, %tid.x;<0:9\n"
                        "}<\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows_of_multiprocessors),
        cmocka_unit_test(test_limits_are_those_of_plans),
        cmocka_unit_test(test_programs_at_once),
        cmocka_unit_test(test_waves),
        cmocka_unit_test(test_spare_registers),
        cmocka_unit_test_setup_teardown(test_rules_by_counters, open_cli, close_cli),
        cmocka_unit_test_setup_teardown(test_no_figures_no_advice, open_cli, close_cli),
        cmocka_unit_test_setup_teardown(test_rules_by_occupancy, open_cli, close_cli),
        cmocka_unit_test_setup_teardown(test_rule_of_latency, open_cli, close_cli),
        cmocka_unit_test_setup_teardown(test_rule_of_memory, open_cli, close_cli),
        cmocka_unit_test_setup_teardown(test_lines_beyond_the_roof, open_cli, close_cli),
        cmocka_unit_test_setup_teardown(test_effort, open_cli, close_cli),
        cmocka_unit_test_setup_teardown(test_rules_of_waits, open_cli, close_cli),
        cmocka_unit_test_setup_teardown(test_line_of_spills, open_cli, close_cli),
        cmocka_unit_test_setup_teardown(test_lines_of_ops, open_cli, close_cli),
        cmocka_unit_test_setup_teardown(test_lines_of_llvm, open_cli, close_cli),
        cmocka_unit_test_setup_teardown(test_lines_of_assembly, open_cli, close_cli),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
