/*
 * test_sim_device.c - the device "sim" by way of tilec.h
 */
#include "scene.h"

enum { N = 1000 };

/* Add with claimed sizes; the text of what went wrong is in the scene. */
static tilec_status add(Scene *s, int claimed, const char *file)
{
    static float x[N], y[N], out[N];
    static const int64_t shape[] = {N};
    const tilec_arg args[] = {of_floats(x, shape), of_floats(y, shape), of_floats(out, shape),
                              of_int(NULL, claimed), of_int(NULL, 256)};
    const tilec_launch_options options = {.device = "sim"};
    const int32_t grid[] = {5, 1, 1};

    for (int i = 0; i < N; i++) {
        x[i] = (float)i;
        y[i] = 0.5f * (float)i;
        out[i] = -1;
    }
    load(s, file);
    tilec_status status = tilec_launch(s->file, NULL, grid, args, COUNT(args), &options, &s->error);
    for (int i = 0; i < N && status == TILEC_OK; i++)
        assert_true(out[i] == x[i] + y[i]);
    return status;
}

static void test_add(void **state)
{
    if (!has_cpu())
        skip();
    assert_int_equal(add(*state, N, add_source), TILEC_OK);
}

/* One element too many: the launch is stopped, and says by whom. */
static void test_outside(void **state)
{
    Scene *s = *state;

    if (!has_cpu())
        skip();
    assert_int_equal(add(s, N + 1, add_source), TILEC_FAULT);
    assert_non_null(strstr(s->error, "error: load of x[1000] is outside of its 1000 elements"));
    assert_non_null(strstr(s->error, "note: of the launch's arrays this is the nearest"));
    assert_non_null(strstr(s->error, "in program (3, 0, 0), warp "));
}

static void test_grids_that_are_too_large(void **state)
{
    if (!has_cpu())
        skip();
    expect_grid_limits(*state, "sim");
}

/* 4 warps and 5 programs: who is beyond n neither loads nor stores. */
static void sum_up(void *user, const tilec_count *count)
{
    tilec_count *sum = user;

    assert_string_equal(count->file, "test.py");
    assert_true(count->line > sum->line); /* in the order of the lines */
    sum->line = count->line;
    sum->global_requests += count->global_requests;
    sum->global_sectors += count->global_sectors;
}

static void test_counts(void **state)
{
    static float data[3 * N] __attribute__((aligned(128)));
    static const int64_t shape[] = {N};
    const tilec_arg args[] = {of_floats(data, shape), of_floats(data + 1024, shape),
                              of_floats(data + 2048 - 96, shape), of_int(NULL, N),
                              of_int(NULL, 256)};
    tilec_count sum = {0};
    tilec_launch_options options = {.device = "sim", .on_count = sum_up, .user = &sum};
    const int32_t grid[] = {4, 1, 1};
    Scene *s = *state;

    if (!has_cpu())
        skip();
    load(s, add_source);
    assert_int_equal(tilec_launch(s->file, NULL, grid, args, COUNT(args), &options, &s->error),
                     TILEC_OK);
    assert_int_equal(sum.global_sectors, 3 * N * sizeof(float) / 32);
    assert_true(sum.global_requests >= 3 * 8 && sum.global_requests <= 3 * 32);
    options.device = "cpu";
    assert_int_equal(tilec_launch(s->file, NULL, grid, args, COUNT(args), &options, &s->error),
                     TILEC_BAD_ARGUMENT);
}

/* Copies that run ahead of a loop count for the line that loads, products for theirs. */
enum { FIRST = 5, X = 9, Y = 10, DOT = 11, LAST = 12 }; /* lines of the kernel below */
static const char product_source[] =
    HEAD "@triton.jit\n"
         "def k(a, b, c, K, B: tl.constexpr):\n"
         "    i = tl.arange(0, B)\n"
         "    s = tl.zeros((B, B), tl.float32)\n"
         "    for k in range(0, K, B):\n"
         "        x = tl.load(a + i[:, None] * K + k + i[None, :])\n"
         "        y = tl.load(b + (k + i[:, None]) * B + i[None, :])\n"
         "        s = tl.dot(x, y, s)\n"
         "    tl.store(c + i[:, None] * B + i[None, :], s)\n";

static void keep_lines(void *user, const tilec_count *count)
{
    tilec_count *lines = user;

    if (!count->file)
        return; /* what LLVM has moved, and no line is to blame for */
    assert_in_range(count->line, FIRST, LAST);
    lines[count->line] = *count;
}

static void test_lines_of_a_product(void **state)
{
    enum { B = 64, K = 256 };
    static uint16_t a[B * K] __attribute__((aligned(128))), b[K * B] __attribute__((aligned(128)));
    static float c[B * B];
    static const int64_t operand[] = {B * K}, result[] = {B * B};
    const tilec_arg args[] = {{.kind = TILEC_ARG_TENSOR, .tensor = {a, TILEC_FP16, 1, operand}},
                              {.kind = TILEC_ARG_TENSOR, .tensor = {b, TILEC_FP16, 1, operand}},
                              of_floats(c, result),
                              of_int(NULL, K),
                              of_int(NULL, B)};
    tilec_count lines[LAST + 1] = {0};
    const tilec_launch_options options = {.device = "sim", .on_count = keep_lines, .user = lines};
    const int32_t grid[] = {1, 1, 1};
    Scene *s = *state;

    if (!has_cpu())
        skip();
    load(s, product_source);
    assert_int_equal(tilec_launch(s->file, NULL, grid, args, COUNT(args), &options, &s->error),
                     TILEC_OK);
    assert_int_equal(lines[FIRST].global_requests, 0);
    assert_int_equal(lines[X].global_sectors, sizeof a / 32);
    assert_int_equal(lines[Y].global_sectors, sizeof b / 32);
    assert_int_equal(lines[X].global_lines, sizeof a / 128); /* they fill lines there, too */
    assert_int_equal(lines[Y].global_lines, sizeof b / 128);
    assert_true(lines[DOT].shared_requests > 0 && lines[DOT].global_requests == 0);
}

static void test_facts(void **state)
{
    const Device *d = device_at(device_find("sim"));

    (void)state;
    assert_null(device_missing(d));
    assert_int_equal(d->memory, MEMORY_HOST);
    assert_false(d->internal);
}

/* What lines are told by comes from the file as it is now, though the code was kept. */
static const char writes_outside[] = "@triton.jit\ndef k(x): tl.store(x + 5, 1.0)\n";

static void expect_kept(const char *folder, const char *path, const char *before, int line,
                        bool from_cache)
{
    static float x[4];
    static const int64_t shape[] = {4};
    const tilec_arg args[] = {of_floats(x, shape)};
    const tilec_launch_options options = {.device = "sim"};
    const int32_t grid[] = {1, 1, 1};
    char text[256], place[64];
    tilec_stats stats;
    Scene s = {0};

    snprintf(text, sizeof text, HEAD "%s%s", before, writes_outside);
    snprintf(place, sizeof place, "%s:%d:11: error: store to", path, line);
    assert_int_equal(tilec_open(folder, &s.ctx, NULL), TILEC_OK);
    assert_int_equal(tilec_load_string(s.ctx, path, text, strlen(text), &s.file, NULL), TILEC_OK);
    assert_int_equal(tilec_launch(s.file, NULL, grid, args, 1, &options, &s.error), TILEC_FAULT);
    if (strncmp(s.error, place, strlen(place)) != 0)
        fail_msg("wanted: %s\ngot: %s", place, s.error);
    assert_int_equal(tilec_launch_stats(s.file, NULL, grid, args, 1, &options, &stats, NULL),
                     TILEC_OK);
    assert_int_equal(stats.from_cache, from_cache);
    assert_true((stats.emit_seconds > 0) == !from_cache && stats.assemble_seconds == 0);
    assert_true((stats.keep_seconds > 0) == !from_cache);
    assert_true(stats.generator_seconds + stats.emit_seconds + stats.keep_seconds <=
                stats.compile_seconds);
    tilec_unload(s.file);
    tilec_close(s.ctx);
    tilec_free(s.error);
}

static void test_files_that_moved(void **state)
{
    char folder[] = "/tmp/tilec-test-XXXXXX", command[64];

    (void)state;
    if (!has_cpu())
        skip();
    assert_non_null(mkdtemp(folder));
    expect_kept(folder, "old.py", "", 5, false);
    expect_kept(folder, "old.py", "", 5, true);
    expect_kept(folder, "new.py", "", 5, false);
    expect_kept(folder, "new.py", "\n\n", 7, false);
    expect_kept(folder, "old.py", "", 5, true);
    snprintf(command, sizeof command, "rm -r %s", folder);
    assert_int_equal(system(command), 0);
}

/* PTX that the simulator does not know is told by the launch, with its text. */
static void test_unknown_ptx(void **state)
{
    static char ptx[] = ".version 8.6\n.target sm_90a\n.address_size 64\n.entry k()\n{\n"
                        "\tfrobnicate.b32;\n}\n";
    const GenOutput output = {.data = ptx, .len = sizeof ptx - 1, .warps = 1};
    const DeviceObject object = {.output = &output};
    const DeviceLaunch l = {.grid = {1, 1, 1}, .nranges = -1};
    const Device *d = device_at(device_find("sim"));
    const char *why;
    char *error = NULL;
    void *code;

    (void)state;
    assert_int_equal(d->load(&object, &code, &why), RUN_OK);
    assert_int_equal(d->launch(NULL, code, &l, &error), RUN_FAILED);
    assert_non_null(error);
    assert_non_null(strstr(error, "unknown instruction 'frobnicate.b32'"));
    assert_non_null(strstr(error, "line 6 of the PTX"));
    free(error);
    d->unload(code);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_add),
        TEST(test_outside),
        TEST(test_grids_that_are_too_large),
        TEST(test_counts),
        TEST(test_lines_of_a_product),
        cmocka_unit_test(test_facts),
        cmocka_unit_test(test_files_that_moved),
        cmocka_unit_test(test_unknown_ptx),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
