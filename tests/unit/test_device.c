/*
 * test_device.c - devices as rows, and the way of a kernel to one: by the device "null", whose
 * target needs no code generator
 */
#include "scene.h"

#include "../../src/device_null/device_null.h"

static const tilec_launch_options null_options = {.device = "null"};

static void test_null_is_found_but_not_listed(void **state)
{
    Scene *s = *state;
    tilec_device d;

    for (int i = 0; tilec_device_info(s->ctx, i, &d) == TILEC_OK; i++)
        assert_string_not_equal(d.name, "null");
    assert_true(device_find("null") >= tilec_device_count(s->ctx));
    assert_int_equal(device_find("nil"), -1);
    assert_int_equal(device_find(NULL), 0);
    assert_null(device_at(-1));
    assert_null(device_at(DEVICE_COUNT));
}

/* One call of add_kernel on "null". */
static tilec_arg of_device(float *data, const int64_t *shape, int id)
{
    tilec_arg a = of_floats(data, shape);

    a.tensor.memory = TILEC_MEMORY_DEVICE;
    a.tensor.device_id = id;
    return a;
}

static tilec_status call_null(Scene *s, int64_t block)
{
    static _Alignas(16) float x[4], out[4];
    const int64_t shape[] = {4};
    const int32_t grid[3] = {1, 1, 1};
    const tilec_arg args[] = {of_device(x, shape, 0), of_device(x, shape, 0),
                              of_device(out, shape, 0), of_int(NULL, 4), of_int(NULL, block)};

    return tilec_launch(s->file, NULL, grid, args, 5, &null_options, NULL);
}

static void test_null_compiles_each_specialisation_once(void **state)
{
    Scene *s = *state;
    int before = null_objects_made();

    load(s, add_source);
    for (int i = 0; i < 6; i++)
        assert_int_equal(call_null(s, 16 + i % 2), TILEC_OK);
    assert_int_equal(null_objects_made(), before + 2);
}

/* What a device's target follows makes other code, in this process and in the cache. */
static void test_wishes_are_part_of_what_is_compiled(void **state)
{
    Scene *s = *state;
    const int32_t grid[3] = {1, 1, 1};
    int before = null_objects_made();

    load(s, HEAD "@triton.jit\ndef k(): pass\n");
    for (int i = 0; i < 4; i++) {
        const tilec_launch_options options = {.device = "null", .num_warps = 4 << i % 2};
        assert_int_equal(tilec_launch(s->file, NULL, grid, NULL, 0, &options, NULL), TILEC_OK);
    }
    assert_int_equal(null_objects_made(), before + 2);
}

static int objects_of(Scene *s, const tilec_arg *args, int n)
{
    const int32_t grid[3] = {1, 1, 1};
    int before = null_objects_made();

    assert_int_equal(tilec_launch(s->file, NULL, grid, args, n, &null_options, &s->error),
                     TILEC_OK);
    return null_objects_made() - before;
}

/* As named arguments, which are no parameters of the kernel, or by its decorators. */
static void test_wishes_come_in_all_of_the_languages_ways(void **state)
{
    static const char tuned[] =
        HEAD "@triton.autotune(configs=[triton.Config({}, num_warps=2, num_stages=5)], key=[])\n"
             "@triton.heuristics({'num_stages': lambda args: 3})\n"
             "@triton.jit\ndef k(): pass\n";
    const tilec_arg warps[] = {of_int("num_warps", 8)}, odd[] = {of_int("num_warps", 6)};
    const tilec_arg wrong[] = {{.name = "num_stages", .kind = TILEC_ARG_FLOAT, .real = 1.5}};
    Scene *s = *state;
    char *text = NULL;

    load(s, tuned);
    assert_int_equal(objects_of(s, NULL, 0), 1);
    assert_int_equal(objects_of(s, warps, 1), 1);
    assert_int_equal(objects_of(s, warps, 1), 0);
    assert_int_equal(tilec_dump(s->file, NULL, "opt", NULL, 0, &null_options, &text, NULL),
                     TILEC_OK);
    assert_non_null(strstr(text, "num_warps=2 num_stages=3"));
    tilec_free(text);
    assert_int_equal(tilec_dump(s->file, NULL, "opt", warps, 1, &null_options, &text, NULL),
                     TILEC_OK);
    assert_non_null(strstr(text, "num_warps=8 num_stages=3"));
    tilec_free(text);
    refused(s, TILEC_REFUSED, odd, 1, "num_warps must be a power of 2");
    refused(s, TILEC_REFUSED, wrong, 1, "num_stages must be a whole number");
    refused(s, TILEC_REFUSED, (tilec_arg[]){of_int("num_ctas", 0)}, 1,
            "num_ctas must be a whole number of 1 or more, not 0");
    refused(s, TILEC_REFUSED, (tilec_arg[]){of_int("maxnreg", -1)}, 1,
            "maxnreg must be a whole number of 0 or more, not -1");
    refused(s, TILEC_REFUSED, (tilec_arg[]){of_int("num_ctas", 3)}, 1,
            "num_ctas must be a power of 2 (1, 2), not 3");
    refused(s, TILEC_REFUSED,
            (tilec_arg[]){{.name = "maxnreg", .kind = TILEC_ARG_STRING, .text = "a"}}, 1,
            "maxnreg must be a whole number of 0 or more, not ");
}

/* What code is made for, where the device leaves a choice. */
static void test_archs(void **state)
{
    const tilec_launch_options less = {.device = "null", .arch = "less"};
    const tilec_launch_options nothing = {.device = "null", .arch = "nothing"};
    const tilec_launch_options cpu = {.device = "cpu", .arch = "less"};
    const int32_t grid[3] = {1, 1, 1};
    Scene *s = *state;
    char *text = NULL;
    int before = null_objects_made();

    load(s, HEAD "@triton.jit\ndef k(): pass\n");
    for (int i = 0; i < 4; i++) {
        const tilec_launch_options *o = i % 2 == 0 ? &less : &null_options;
        assert_int_equal(tilec_launch(s->file, NULL, grid, NULL, 0, o, NULL), TILEC_OK);
    }
    assert_int_equal(null_objects_made(), before + 2);
    assert_int_equal(tilec_dump(s->file, NULL, "asm", NULL, 0, &less, &text, NULL), TILEC_OK);
    assert_non_null(strstr(text, "asm of k for less"));
    tilec_free(text);
    assert_int_equal(tilec_launch(s->file, NULL, grid, NULL, 0, &nothing, &s->error),
                     TILEC_NOT_FOUND);
    assert_string_equal(s->error, "error: no code can be made for `nothing`\n"
                                  "hint: there are none and less\n");
    tilec_free(s->error);
    assert_int_equal(tilec_dump(s->file, NULL, "asm", NULL, 0, &cpu, &text, &s->error),
                     TILEC_BAD_ARGUMENT);
    assert_string_equal(s->error,
                        "error: the device `cpu` does not take code for `less`: it is none of "
                        "the levels of this architecture: x86-64, x86-64-v2 to x86-64-v4\n");
    tilec_free(s->error);
    const tilec_launch_options interp = {.device = "interp", .arch = "less"};
    assert_int_equal(tilec_launch(s->file, NULL, grid, NULL, 0, &interp, &s->error),
                     TILEC_BAD_ARGUMENT);
    assert_non_null(strstr(s->error, "its code is for this machine alone"));
}

/* The levels of x86-64: code for each can be looked at; what this machine has can be run, and is
 * other code. */
static void test_levels(void **state)
{
    static const char *const registers[] = {"xmm", "xmm", "ymm", "zmm"};
    const tilec_arg types[] = {
        {.name = "x", .kind = TILEC_ARG_TYPE, .dtype = TILEC_FP32, .pointer = 1},
        {.name = "y", .kind = TILEC_ARG_TYPE, .dtype = TILEC_FP32, .pointer = 1},
        {.name = "out", .kind = TILEC_ARG_TYPE, .dtype = TILEC_FP32, .pointer = 1},
        {.name = "n", .kind = TILEC_ARG_TYPE, .dtype = TILEC_I32},
        of_int("BLOCK", 256)};
    const int32_t grid[3] = {1, 1, 1};
    int64_t shape[] = {100};
    float x[100], out[100];
    const void *code[5] = {NULL};
    Scene *s = *state;

    if (!has_cpu() || !cpu_device.level(0))
        return;
    for (int i = 0; i < 100; i++)
        x[i] = (float)i;
    load(s, add_source);
    for (int i = 0; cpu_device.level(i); i++) {
        const tilec_launch_options o = {
            .device = "cpu", .arch = cpu_device.level(i)->name, .compiled = &code[i]};
        const tilec_arg args[] = {of_floats(x, shape), of_floats(x, shape), of_floats(out, shape),
                                  of_int(NULL, 100), of_int(NULL, 256)};
        char *text = NULL;
        assert_int_equal(tilec_dump(s->file, NULL, "asm", types, 5, &o, &text, &s->error),
                         TILEC_OK);
        assert_non_null(strstr(text, registers[i]));
        if (i < 3)
            assert_null(strstr(text, registers[i] == registers[i + 1] ? "ymm" : registers[i + 1]));
        tilec_free(text);
        if (cpu_device.refuse_arch(o.arch, true)) {
            assert_int_equal(tilec_launch(s->file, NULL, grid, args, 5, &o, NULL),
                             TILEC_BAD_ARGUMENT);
            continue;
        }
        out[99] = 0;
        assert_int_equal(tilec_launch(s->file, NULL, grid, args, 5, &o, &s->error), TILEC_OK);
        assert_true(out[99] == 198);
        for (int k = 0; k < i; k++)
            assert_ptr_not_equal(code[i], code[k]);
    }
}

/* Levels without instructions for fp16 call functions for it. */
static void test_levels_know_fp16(void **state)
{
    static const char text[] =
        HEAD "@triton.jit\n"
             "def halve(x, out):\n"
             "    i = tl.arange(0, 64)\n"
             "    tl.store(out + i, (tl.load(x + i).to(tl.float32) / 3).to(tl.float16))\n";
    static _Alignas(64) uint16_t x[64], out[64];
    const int32_t grid[3] = {1, 1, 1};
    int64_t shape[] = {64};
    Scene *s = *state;

    if (!has_cpu() || !cpu_device.level(0))
        return;
    for (int i = 0; i < 64; i++)
        x[i] = (uint16_t)scalar_from_double(DT_FP16, i < 32 ? i - 9 : ldexp(i, 3 * (i - 60)));
    load(s, text);
    for (int i = 0; cpu_device.level(i); i++) {
        const tilec_launch_options o = {.device = "cpu", .arch = cpu_device.level(i)->name};
        const tilec_arg args[] = {
            {.kind = TILEC_ARG_TENSOR, .tensor = {x, TILEC_FP16, 1, shape}},
            {.kind = TILEC_ARG_TENSOR, .tensor = {out, TILEC_FP16, 1, shape}}};
        if (cpu_device.refuse_arch(o.arch, true))
            continue;
        memset(out, 0xff, sizeof out);
        assert_int_equal(tilec_launch(s->file, NULL, grid, args, 2, &o, &s->error), TILEC_OK);
        for (int k = 0; k < 64; k++) {
            float third = (float)scalar_to_double(DT_FP16, x[k]) / 3;
            assert_int_equal(out[k], scalar_from_double(DT_FP16, third));
        }
    }
}

/* Another context finds the objects; other targets' are not among them. */
static void test_null_objects_are_cached(void **state)
{
    char folder[] = "/tmp/tilec-test-XXXXXX", command[64];
    int before = null_objects_made();

    assert_non_null(mkdtemp(folder));
    for (int i = 0; i < 2; i++) {
        tear_down(state);
        Scene *s = *state = calloc(1, sizeof *s);
        assert_int_equal(tilec_open(folder, &s->ctx, NULL), TILEC_OK);
        load(s, add_source);
        assert_int_equal(call_null(s, 16), TILEC_OK);
    }
    assert_int_equal(null_objects_made(), before + 1);
    snprintf(command, sizeof command, "rm -r %s", folder);
    assert_int_equal(system(command), 0);
}

static void test_null_prints_what_it_was_asked_for(void **state)
{
    Scene *s = *state;
    char *text = NULL;

    load(s, HEAD "@triton.jit\ndef k(x, B: tl.constexpr): tl.store(x, B)\n");
    const tilec_arg args[] = {{.kind = TILEC_ARG_TYPE, .dtype = TILEC_FP16, .pointer = 1},
                              of_int(NULL, 7)};
    assert_int_equal(tilec_dump(s->file, NULL, "asm", args, 2, &null_options, &text, &s->error),
                     TILEC_OK);
    assert_non_null(strstr(text, "null target: asm of k for none, disjoint 1\n"));
    assert_non_null(strstr(text, "kernel"));
    tilec_free(text);
}

/* The target's row says which texts it has; without a device the first one is taken that has it. */
static void test_stages_are_those_of_the_target(void **state)
{
    Scene *s = *state;
    char *text = NULL;

    load(s, HEAD "@triton.jit\ndef k(): pass\n");
    assert_int_equal(tilec_dump(s->file, NULL, "ptx", NULL, 0, &null_options, &text, &s->error),
                     TILEC_OK);
    assert_non_null(strstr(text, "null target: ptx of k"));
    tilec_free(text);
    assert_int_equal(tilec_dump(s->file, NULL, "plan", NULL, 0, &null_options, &text, &s->error),
                     TILEC_BAD_ARGUMENT);
    assert_string_equal(s->error, "error: code for the device `null` has no stage `plan`\n"
                                  "hint: it has ast, ir, vars, opt, layout, llvm, asm or ptx\n");
    tilec_free(s->error);
    s->error = NULL;
    const tilec_launch_options cpu = {.device = "cpu"};
    assert_int_equal(tilec_dump(s->file, NULL, "ptx", NULL, 0, &cpu, &text, NULL),
                     has_cpu() ? TILEC_BAD_ARGUMENT : TILEC_FAILED);
}

/* Arrays of a device: there and back, and from one to another. */
static void test_device_arrays(void **state)
{
    const float x[] = {1, 2, 3, 4}, seven = 7;
    float back[4];
    Scene *s = *state;
    void *a, *b;
    int before = null_pieces();

    assert_int_equal(tilec_unit_count(s->ctx, "null"), 2);
    assert_int_equal(tilec_alloc(s->ctx, "null", 0, sizeof x, &a, &s->error), TILEC_OK);
    assert_int_equal(tilec_alloc(s->ctx, "null", 1, sizeof x, &b, &s->error), TILEC_OK);
    assert_int_equal(null_pieces(), before + 2);
    const tilec_place on_0 = {a, TILEC_MEMORY_DEVICE, 0}, on_1 = {b, TILEC_MEMORY_DEVICE, 1};
    const tilec_place host = {back, TILEC_MEMORY_HOST, 0};
    assert_int_equal(
        tilec_copy(s->ctx, "null", on_0, (tilec_place){(void *)x, 0, 0}, sizeof x, NULL, &s->error),
        TILEC_OK);
    assert_int_equal(tilec_fill(s->ctx, "null", 0, (float *)a + 1, &seven, 4, 2, NULL, &s->error),
                     TILEC_OK);
    assert_int_equal(tilec_copy(s->ctx, "null", on_1, on_0, sizeof x, NULL, &s->error), TILEC_OK);
    assert_int_equal(tilec_copy(s->ctx, "null", host, on_1, sizeof x, NULL, &s->error), TILEC_OK);
    assert_memory_equal(back, ((float[]){1, 7, 7, 4}), sizeof back);
    assert_int_equal(tilec_wait(s->ctx, "null", 1, NULL, &s->error), TILEC_OK);
    assert_int_equal(tilec_release(s->ctx, "null", 0, a, &s->error), TILEC_OK);
    assert_int_equal(tilec_release(s->ctx, "null", 1, b, &s->error), TILEC_OK);
    assert_int_equal(tilec_release(s->ctx, "null", 1, NULL, &s->error), TILEC_OK);
    assert_int_equal(null_pieces(), before);
}

#define REFUSES(status, text, call)                                                                \
    do {                                                                                           \
        assert_int_equal(call, status);                                                            \
        assert_non_null(s->error);                                                                 \
        if (!strstr(s->error, text))                                                               \
            fail_msg("wanted %s\ngot %s", text, s->error);                                         \
        tilec_free(s->error);                                                                      \
        s->error = NULL;                                                                           \
    } while (0)

static void test_wrong_calls_about_arrays(void **state)
{
    Scene *s = *state;
    float cell[4];
    void *a;
    const tilec_place host = {cell, TILEC_MEMORY_HOST, 0}, beyond = {cell, TILEC_MEMORY_DEVICE, 2};
    const tilec_place foreign = {cell, TILEC_MEMORY_DEVICE, 0};
    tilec_context *ctx = s->ctx;
    char **e = &s->error;

    REFUSES(TILEC_BAD_ARGUMENT, "`cpu` has no memory of its own",
            tilec_alloc(ctx, NULL, 0, 8, &a, e));
    REFUSES(TILEC_NOT_FOUND, "no device `nil`", tilec_alloc(ctx, "nil", 0, 8, &a, e));
    REFUSES(TILEC_NOT_FOUND, "no number 2", tilec_alloc(ctx, "null", 2, 8, &a, e));
    REFUSES(TILEC_NOT_FOUND, "no number -1", tilec_wait(ctx, "null", -1, NULL, e));
    REFUSES(TILEC_NO_MEMORY, "which exists for tests and has 1048576 bytes",
            tilec_alloc(ctx, "null", 0, (size_t)1 << 40, &a, e));
    REFUSES(TILEC_BAD_ARGUMENT, "NULL", tilec_alloc(ctx, "null", 0, 8, NULL, e));
    REFUSES(TILEC_BAD_ARGUMENT, "NULL", tilec_alloc(NULL, "null", 0, 8, &a, e));
    REFUSES(TILEC_FAILED, "is no array of number 1", tilec_release(ctx, "null", 1, cell, e));
    REFUSES(TILEC_BAD_ARGUMENT, "both places", tilec_copy(ctx, "null", host, host, 4, NULL, e));
    REFUSES(TILEC_NOT_FOUND, "no number 2", tilec_copy(ctx, "null", host, beyond, 4, NULL, e));
    REFUSES(TILEC_FAILED, "not in memory of number 0",
            tilec_copy(ctx, "null", foreign, host, 4, NULL, e));
    REFUSES(TILEC_BAD_ARGUMENT, "NULL",
            tilec_copy(ctx, "null", (tilec_place){0}, foreign, 4, NULL, e));
    REFUSES(TILEC_BAD_ARGUMENT, "tilec_memory",
            tilec_copy(ctx, "null", (tilec_place){cell, 9, 0}, foreign, 4, NULL, e));
    REFUSES(TILEC_BAD_ARGUMENT, "not 3", tilec_fill(ctx, "null", 0, cell, cell, 3, 1, NULL, e));
    REFUSES(TILEC_BAD_ARGUMENT, "too many",
            tilec_fill(ctx, "null", 0, cell, cell, 8, SIZE_MAX, NULL, e));
    REFUSES(TILEC_FAILED, "not in memory", tilec_fill(ctx, "null", 0, cell, cell, 4, 1, NULL, e));
    null_set_missing("there is no such thing");
    REFUSES(TILEC_FAILED, "there is no such thing", tilec_alloc(ctx, "null", 0, 8, &a, e));
    null_set_missing(NULL);
    assert_int_equal(tilec_wait(ctx, "cpu", 0, NULL, e), TILEC_OK);
    assert_int_equal(tilec_unit_count(ctx, "nil"), 0);
    assert_int_equal(tilec_unit_count(NULL, NULL), 0);
    assert_int_equal(tilec_unit_count(ctx, NULL), 1);
}

static void test_units(void **state)
{
    Scene *s = *state;
    tilec_unit u;

    assert_int_equal(tilec_unit_info(s->ctx, "null", 1, &u), TILEC_OK);
    assert_string_equal(u.name, "second nothing");
    assert_string_equal(u.arch, "less");
    assert_int_equal(u.memory, 1 << 20);
    assert_int_equal(tilec_unit_info(s->ctx, "null", 2, &u), TILEC_NOT_FOUND);
    assert_int_equal(tilec_unit_info(s->ctx, "cpu", 0, &u), TILEC_OK);
    assert_null(u.arch);
    assert_true(u.processors > 0 && u.memory == 0);
    assert_int_equal(tilec_unit_info(s->ctx, "cpu", 0, NULL), TILEC_BAD_ARGUMENT);
}

/* A launch runs where its tensors are, in code for that chip. */
static void test_launches_run_where_their_tensors_are(void **state)
{
    static _Alignas(16) float x[4];
    const int64_t shape[] = {4};
    const int32_t grid[3] = {1, 1, 1};
    double seconds = -1;
    const tilec_launch_options options = {.device = "null", .stream = x, .seconds = &seconds};
    Scene *s = *state;
    int before = null_objects_made();

    load(s, HEAD "@triton.jit\ndef k(x, y): tl.store(x, 1.0)\n");
    for (int id = 0; id < 2; id++) {
        const tilec_arg args[] = {of_device(x, shape, id), of_device(x, shape, id)};
        assert_int_equal(tilec_launch(s->file, NULL, grid, args, 2, &options, &s->error), TILEC_OK);
        assert_int_equal(null_launched_id(), id);
    }
    assert_ptr_equal(null_launched_stream(), x);
    assert_true(seconds == 0);
    assert_int_equal(null_objects_made(), before + 2);
    const tilec_arg apart[] = {of_device(x, shape, 0), of_device(x, shape, 1)};
    REFUSES(TILEC_BAD_ARGUMENT, "`y` is on number 1 of the device `null`, others on number 0",
            tilec_launch(s->file, NULL, grid, apart, 2, &options, &s->error));
    const tilec_arg beyond[] = {of_device(x, shape, 0), of_device(x, shape, 7)};
    REFUSES(TILEC_NOT_FOUND, "`y` is on number 7 of the device `null`, which has 2",
            tilec_launch(s->file, NULL, grid, beyond, 2, &options, &s->error));
    const tilec_arg elsewhere[] = {of_floats(x, shape), of_floats(x, shape)};
    REFUSES(TILEC_BAD_ARGUMENT,
            "`x` is in the host's memory; the device `null` works on a device's",
            tilec_launch(s->file, NULL, grid, elsewhere, 2, &options, &s->error));
    tilec_stats stats;
    const tilec_arg good[] = {of_device(x, shape, 0), of_device(x, shape, 0)};
    assert_int_equal(tilec_launch_stats(s->file, NULL, grid, good, 2, &options, &stats, &s->error),
                     TILEC_OK);
    assert_true(stats.warps == 1 && stats.registers == 2 && stats.shared_bytes == 3 &&
                stats.local_bytes == 4);
    char *text = NULL;
    assert_int_equal(tilec_dump(s->file, NULL, "asm", elsewhere, 2, &options, &text, &s->error),
                     TILEC_OK);
    tilec_free(text);
}

/* Code for a device can be made where there is none. */
static void test_what_is_missing_stops_launches_only(void **state)
{
    Scene *s = *state;
    const int32_t grid[3] = {1, 1, 1};

    load(s, HEAD "@triton.jit\ndef k(): pass\n");
    null_set_missing("there is no such thing");
    assert_int_equal(tilec_prepare(s->file, NULL, NULL, 0, &null_options, NULL), TILEC_OK);
    tilec_status status = tilec_launch(s->file, NULL, grid, NULL, 0, &null_options, &s->error);
    null_set_missing(NULL);
    assert_int_equal(status, TILEC_FAILED);
    assert_string_equal(s->error,
                        "error: the device `null` cannot be used here: there is no such thing\n"
                        "hint: `sim` simulates a GPU, `cpu` and `interp` are always there\n");
    tilec_free(s->error);
    s->error = NULL;
    assert_int_equal(tilec_launch(s->file, NULL, grid, NULL, 0, &null_options, NULL), TILEC_OK);
}

/* Many threads that want the same are served by one compile, which takes a while: the passes have
 * much to do. */
static const char long_source[] = HEAD "@triton.jit\n"
                                       "def add(x, y, out, n, BLOCK: tl.constexpr):\n"
                                       "    i = tl.arange(0, BLOCK)\n"
                                       "    v = tl.load(x + i)\n"
                                       "    for j in tl.static_range(200):\n"
                                       "        v = tl.sin(v) + tl.load(y + i + j)\n"
                                       "    tl.store(out + i, v)\n";

static void *launch_null(void *scene)
{
    return call_null(scene, 64) == TILEC_OK ? scene : NULL;
}

static void test_threads_wait_for_the_one_that_compiles(void **state)
{
    Scene *s = *state;
    pthread_t threads[8];
    void *served;
    int before = null_objects_made();

    load(s, long_source);
    for (int i = 0; i < COUNT(threads); i++)
        assert_int_equal(pthread_create(&threads[i], NULL, launch_null, s), 0);
    for (int i = 0; i < COUNT(threads); i++) {
        pthread_join(threads[i], &served);
        assert_non_null(served);
    }
    assert_int_equal(null_objects_made(), before + 1);
}

/* Would wait for ever if a compile held what others need. */
static void test_nothing_else_waits_for_a_compile(void **state)
{
    Scene *s = *state;
    float x[4] = {1, 2, 3, 4}, out[4];
    const int64_t shape[] = {4};
    const int32_t grid[3] = {1, 1, 1};
    const tilec_arg args[] = {of_floats(x, shape), of_floats(x, shape), of_floats(out, shape),
                              of_int(NULL, 4), of_int(NULL, 64)};
    const tilec_launch_options interp = {.device = "interp"};
    tilec_stats stats;
    pthread_t thread;
    void *served = NULL;
    char *text = NULL;

    load(s, add_source);
    null_hold();
    assert_int_equal(pthread_create(&thread, NULL, launch_null, s), 0);
    for (int i = 0; i < 3; i++) { /* in front of the compile, and while it lasts */
        assert_int_equal(tilec_dump(s->file, NULL, "ir", args, 5, &null_options, &text, NULL),
                         TILEC_OK);
        tilec_free(text);
        assert_int_equal(tilec_launch(s->file, NULL, grid, args, 5, &interp, NULL), TILEC_OK);
        assert_int_equal(tilec_launch_stats(s->file, NULL, grid, args, 5, &interp, &stats, NULL),
                         TILEC_OK);
        usleep(20000);
    }
    null_release();
    pthread_join(thread, &served);
    assert_non_null(served);
    assert_true(out[3] == 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_null_is_found_but_not_listed),
        TEST(test_null_compiles_each_specialisation_once),
        TEST(test_wishes_are_part_of_what_is_compiled),
        TEST(test_wishes_come_in_all_of_the_languages_ways),
        TEST(test_archs),
        TEST(test_levels),
        TEST(test_levels_know_fp16),
        TEST(test_device_arrays),
        TEST(test_wrong_calls_about_arrays),
        TEST(test_units),
        TEST(test_launches_run_where_their_tensors_are),
        TEST(test_null_objects_are_cached),
        TEST(test_null_prints_what_it_was_asked_for),
        TEST(test_stages_are_those_of_the_target),
        TEST(test_what_is_missing_stops_launches_only),
        TEST(test_threads_wait_for_the_one_that_compiles),
        TEST(test_nothing_else_waits_for_a_compile),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
