/*
 * test_api.c - the C API: files, diagnostics, launching, dumping, lack of memory
 *
 * Kernels run on the interpreter, and on the CPU too where the code generator can be loaded.
 */
#include "../../src/api/language.h"
#include "scene.h"
#include "threads.h"

#include <dirent.h>

/* loading */

static void test_kernels_and_parameters_are_listed(void **state)
{
    Scene *s = *state;
    tilec_param p;

    load(s, HEAD "@triton.jit\ndef one(a, n=3, B: tl.constexpr = 16): pass\n\n"
                 "def host(): return 1\n\n"
                 "@triton.jit\ndef two(): pass\n");
    assert_int_equal(tilec_kernel_count(s->file), 2);
    assert_string_equal(tilec_kernel_name(s->file, 0), "one");
    assert_string_equal(tilec_kernel_name(s->file, 1), "two");
    assert_null(tilec_kernel_name(s->file, 2));
    assert_null(tilec_kernel_name(s->file, -1));
    assert_int_equal(tilec_param_count(s->file, "one"), 3);
    assert_int_equal(tilec_param_count(s->file, "two"), 0);
    assert_true(tilec_param_count(s->file, "three") < 0);
    assert_true(tilec_param_count(s->file, NULL) < 0); /* two kernels: which? */
    assert_null(tilec_only_kernel(s->file));
    assert_int_equal(tilec_param_info(s->file, "one", 2, &p), TILEC_OK);
    assert_string_equal(p.name, "B");
    assert_true(p.is_constexpr && p.has_default);
    assert_int_equal(p.line, 5);
    assert_int_equal(tilec_param_info(s->file, "one", 0, &p), TILEC_OK);
    assert_false(p.is_constexpr || p.has_default);
    assert_int_equal(tilec_param_info(s->file, "one", 3, &p), TILEC_NOT_FOUND);
}

static void test_helpers_are_not_the_only_kernel(void **state)
{
    Scene *s = *state;

    load(s, HEAD "@triton.jit\ndef helper(a, b): return a\n\n"
                 "@triton.jit\ndef kernel(x): tl.store(x, helper(1, 2))\n");
    assert_int_equal(tilec_kernel_count(s->file), 2);
    assert_string_equal(tilec_only_kernel(s->file), "kernel");
    assert_int_equal(tilec_param_count(s->file, NULL), 1);
    assert_null(tilec_only_kernel(NULL));
    tilec_unload(s->file);
    s->file = NULL;
    load(s, HEAD "@triton.jit\ndef helper(a, b): return a\n\nfirst = helper\nadd = first\n\n"
                 "@triton.jit\ndef kernel(x): tl.store(x, add(1, 2))\n");
    assert_string_equal(tilec_only_kernel(s->file), "kernel");
    tilec_unload(s->file);
    s->file = NULL;
    load(s, HEAD "@triton.jit\ndef a(x): b(x)\n\n@triton.jit\ndef b(x): a(x)\n");
    assert_null(tilec_only_kernel(s->file));
    assert_int_equal(tilec_kernel_count(NULL), 0);
    assert_int_equal(tilec_device_count(NULL), 0);
    assert_true(tilec_param_count(NULL, "a") < 0);
}

static void test_version(void **state)
{
    char text[32];

    (void)state;
    snprintf(text, sizeof text, "%d.%d.%d", TILEC_VERSION_MAJOR, TILEC_VERSION_MINOR,
             TILEC_VERSION_PATCH);
    assert_string_equal(TILEC_VERSION, text);
    assert_string_equal(tilec_version(), text);
#if TILEC_VERSION_NUMBER < 100 || TILEC_VERSION_NUMBER >= 1000000
    fail();
#endif
}

/* What a newer program may set and this library does not know is not passed over. */
static void test_room_for_later_versions(void **state)
{
    Scene *s = *state;
    static const char text[] = HEAD "@triton.jit\ndef k(x): tl.store(x, 1.0)\n";
    float x[1] = {0};
    const int64_t shape[] = {1};
    tilec_arg arg = {.kind = TILEC_ARG_TENSOR,
                     .tensor = {.data = x, .dtype = TILEC_FP32, .ndim = 1, .shape = shape}};
    tilec_launch_options o = {.device = "interp"};
    const int32_t grid[3] = {1, 1, 1};

    assert_int_equal(tilec_load_string(s->ctx, "k.py", text, strlen(text), &s->file, NULL),
                     TILEC_OK);
    assert_int_equal(tilec_launch(s->file, "k", grid, &arg, 1, &o, NULL), TILEC_OK);
    for (int i = 0; i < (int)(sizeof o.reserved / sizeof *o.reserved); i++) {
        o.reserved[i] = x;
        assert_int_equal(tilec_launch(s->file, "k", grid, &arg, 1, &o, &s->error),
                         TILEC_BAD_ARGUMENT);
        assert_non_null(strstr(s->error, "reserved is not zero: a newer library than tilec"));
        tilec_free(s->error);
        o.reserved[i] = NULL;
    }
    for (int i = 0; i < (int)(sizeof arg.tensor.reserved / sizeof *arg.tensor.reserved); i++) {
        arg.tensor.reserved[i] = x;
        assert_int_equal(tilec_launch(s->file, "k", grid, &arg, 1, &o, &s->error),
                         TILEC_BAD_ARGUMENT);
        assert_non_null(strstr(s->error, "its `reserved` is not zero"));
        tilec_free(s->error);
        arg.tensor.reserved[i] = NULL;
    }
    s->error = NULL;
}

static void test_files_that_cannot_be_loaded(void **state)
{
    Scene *s = *state;

    assert_int_equal(tilec_load_file(s->ctx, "/nowhere/k.py", &s->file, &s->error), TILEC_IO);
    assert_non_null(strstr(s->error, "/nowhere/k.py"));
    assert_null(s->file);
    tilec_free(s->error);
    assert_int_equal(tilec_load_file(s->ctx, NULL, &s->file, &s->error), TILEC_BAD_ARGUMENT);
    tilec_free(s->error);
    assert_int_equal(tilec_load_file(s->ctx, "/nowhere/k.py", &s->file, NULL), TILEC_IO);
    assert_int_equal(tilec_load_string(s->ctx, NULL, "x = 1\n", 6, &s->file, &s->error),
                     TILEC_REFUSED);
    assert_non_null(strstr(s->error, "<string>: error: there is no function with @triton.jit"));
    assert_null(s->file);
}

static tilec_status load_with(Scene *s, const char *name, const char *text,
                              const tilec_load_options *options)
{
    tilec_free(s->error);
    s->error = NULL;
    tilec_unload(s->file);
    s->file = NULL;
    return tilec_load(s->ctx, name, text, strlen(text), options, &s->file, &s->error);
}

static void test_options_of_loading(void **state)
{
    Scene *s = *state;
    static const char text[] =
        HEAD "from kit.ops.listed import thrice\nfrom .more import plus_one\n"
             "@triton.jit\ndef far(x): tl.store(x, thrice(N))\n\n"
             "@triton.jit\ndef near(x): tl.store(x, plus_one(1))\n";
    const char *const paths[] = {"tests/lang"};
    const tilec_define defines[] = {{"N", "7"}}, none[] = {{"N", ";"}}, null[] = {{"N", NULL}};
    tilec_load_options o = {.paths = paths, .npaths = 1, .defines = defines, .ndefines = 1};
    const tilec_arg x = {.kind = TILEC_ARG_TYPE, .dtype = TILEC_FP32, .pointer = 1};
    char *ir;

    assert_int_equal(load_with(s, NULL, text, &o), TILEC_OK);
    assert_int_equal(tilec_dump(s->file, "far", "ir", &x, 1, NULL, &ir, &s->error), TILEC_OK);
    tilec_free(ir);
    assert_int_equal(tilec_dump(s->file, "near", "ir", &x, 1, NULL, &ir, &s->error), TILEC_REFUSED);
    assert_non_null(strstr(s->error, "stands in no folder"));
    assert_int_equal(load_with(s, "tests/lang/kit/loose/text.py", text, &o), TILEC_OK);
    assert_int_equal(tilec_dump(s->file, "near", "ir", &x, 1, NULL, &ir, &s->error), TILEC_OK);
    tilec_free(ir);
    assert_int_equal(load_with(s, NULL, text, NULL), TILEC_OK);
    assert_int_equal(tilec_dump(s->file, "far", "ir", &x, 1, NULL, &ir, &s->error), TILEC_REFUSED);
    o.ndefines = -1;
    assert_int_equal(load_with(s, NULL, text, &o), TILEC_BAD_ARGUMENT);
    o.defines = null;
    o.ndefines = 1;
    assert_int_equal(load_with(s, NULL, text, &o), TILEC_BAD_ARGUMENT);
    o.defines = none;
    assert_int_equal(load_with(s, NULL, text, &o), TILEC_REFUSED);
    o.ndefines = 0;
    o.paths = NULL;
    assert_int_equal(load_with(s, NULL, text, &o), TILEC_BAD_ARGUMENT);
}

static void test_a_broken_kernel_does_not_spoil_the_others(void **state)
{
    Scene *s = *state;
    const int32_t grid[3] = {1, 1, 1};

    load(s, HEAD "@triton.jit\ndef broken(x):\n    y = = 1\n\n@triton.jit\ndef fine(): pass\n");
    assert_int_equal(tilec_launch(s->file, "broken", grid, NULL, 0, NULL, &s->error),
                     TILEC_REFUSED);
    assert_non_null(strstr(s->error, "test.py:6"));
    tilec_free(s->error);
    const tilec_launch_options options = {.device = "interp"};
    assert_int_equal(tilec_launch(s->file, "fine", grid, NULL, 0, &options, &s->error), TILEC_OK);
}

/* what @triton.autotune says */

static void test_configurations_are_listed(void **state)
{
    static const char source[] =
        HEAD "def zero(args): pass\n"
             "WIDE = triton.Config({'BLOCK': 512, 'NAME': 'w'}, num_warps=8)\n"
             "@triton.autotune(configs=[triton.Config({'BLOCK': 64}, pre_hook=zero), WIDE, "
             "wherever()],\n"
             "                 key=['n', 'm'])\n"
             "@triton.jit\n"
             "def tuned(n, m, BLOCK: tl.constexpr, NAME: tl.constexpr = None): pass\n"
             "@triton.jit\n"
             "def plain(n): pass\n";
    Scene *s = *state;
    tilec_config c;

    load(s, source);
    assert_int_equal(tilec_config_count(s->file, "tuned"), 3);
    assert_int_equal(tilec_config_info(s->file, "tuned", 1, &c), TILEC_OK);
    assert_string_equal(c.values[0].name, "BLOCK");
    assert_true(c.values[0].kind == TILEC_ARG_INT && c.values[0].integer == 512);
    assert_string_equal(c.values[1].text, "w");
    assert_string_equal(c.values[2].name, "num_warps");
    assert_int_equal(c.values[2].integer, 8);
    assert_int_equal(tilec_config_info(s->file, "tuned", 2, &c), TILEC_REFUSED);
    assert_non_null(strstr(tilec_config_problem(s->file, "tuned", 2),
                           "error: the configurations of @triton.autotune cannot be told from the "
                           "file: `wherever` is not defined\n"));
    assert_null(tilec_config_problem(s->file, "tuned", 0));
    assert_null(tilec_config_problem(s->file, "tuned", 3));
    assert_null(tilec_config_problem(NULL, NULL, 0));
    assert_string_equal(tilec_config_hook(s->file, "tuned", 0), "zero");
    assert_null(tilec_config_hook(s->file, "tuned", 1));
    assert_null(tilec_config_hook(s->file, "plain", 0));
    assert_int_equal(tilec_config_info(s->file, "tuned", 3, &c), TILEC_NOT_FOUND);
    assert_int_equal(tilec_config_info(s->file, "tuned", 0, NULL), TILEC_BAD_ARGUMENT);
    assert_string_equal(tilec_tuning_key(s->file, "tuned", 1), "m");
    assert_null(tilec_tuning_key(s->file, "tuned", 2));
    assert_int_equal(tilec_config_count(s->file, "plain"), 0);
    assert_null(tilec_tuning_key(s->file, "plain", 0));
    assert_int_equal(tilec_config_count(NULL, NULL), 0);
    assert_null(tilec_cache_folder(s->ctx)); /* it was opened without one */
}

/* calling */

static void test_wrong_calls(void **state)
{
    Scene *s = *state;
    const int32_t grid[3] = {1, 1, 1}, bad_grid[3] = {1, -1, 1};
    tilec_launch_options options = {.device = "tpu"};
    tilec_stats stats;
    char *text;

    load(s, HEAD "@triton.jit\ndef kernel(): pass\n");
#define FAILS(status, call)                                                                        \
    do {                                                                                           \
        assert_int_equal(call, status);                                                            \
        assert_non_null(s->error);                                                                 \
        tilec_free(s->error);                                                                      \
        s->error = NULL;                                                                           \
    } while (0)
    FAILS(TILEC_NOT_FOUND, tilec_launch(s->file, "kernle", grid, NULL, 0, NULL, &s->error));
    assert_int_equal(tilec_launch(s->file, NULL, grid, NULL, 0, &options, &s->error),
                     TILEC_NOT_FOUND);
    assert_string_equal(s->error,
                        "error: there is no device `tpu`; there are cpu, interp, cuda and sim\n");
    tilec_free(s->error);
    FAILS(TILEC_BAD_ARGUMENT, tilec_launch(s->file, NULL, bad_grid, NULL, 0, NULL, &s->error));
    FAILS(TILEC_BAD_ARGUMENT, tilec_launch(s->file, NULL, NULL, NULL, 0, NULL, &s->error));
    FAILS(TILEC_BAD_ARGUMENT, tilec_launch(s->file, NULL, grid, NULL, -1, NULL, &s->error));
    FAILS(TILEC_BAD_ARGUMENT, tilec_launch(s->file, NULL, grid, NULL, 1, NULL, &s->error));
    FAILS(TILEC_BAD_ARGUMENT, tilec_launch(NULL, NULL, grid, NULL, 0, NULL, &s->error));
    options = (tilec_launch_options){.threads = -1};
    FAILS(TILEC_BAD_ARGUMENT, tilec_prepare(s->file, NULL, NULL, 0, &options, &s->error));
    FAILS(TILEC_BAD_ARGUMENT,
          tilec_launch_stats(s->file, NULL, grid, NULL, 0, NULL, NULL, &s->error));
    FAILS(TILEC_BAD_ARGUMENT,
          tilec_launch_stats(s->file, NULL, NULL, NULL, 0, NULL, &stats, &s->error));
    assert_int_equal(tilec_dump(s->file, NULL, "soup", NULL, 0, NULL, &text, &s->error),
                     TILEC_BAD_ARGUMENT);
    assert_string_equal(
        s->error, "error: there is no stage `soup`\n"
                  "hint: ast, ir, vars, opt, plan, schedule, layout, llvm, asm, ptx or sass\n");
    tilec_free(s->error);
    FAILS(TILEC_BAD_ARGUMENT, tilec_dump(s->file, NULL, NULL, NULL, 0, NULL, &text, &s->error));
#undef FAILS
    assert_int_equal(tilec_launch(s->file, "kernle", grid, NULL, 0, NULL, NULL), TILEC_NOT_FOUND);
    tilec_unload(NULL);
    tilec_close(NULL);
    tilec_free(NULL);
}

/* Programs that link us choose their locale; where there is none such this tests less. */
/* what a successful compile says */

static void keep_message(void *user, const char *text)
{
    char **kept = user;

    assert_null(*kept);
    *kept = strdup(text);
}

/* Launch, or dump the IR, and give what was said; NULL when nothing was. */
static char *said_by(Scene *s, const char *device, const tilec_arg *args, int n, bool dump)
{
    char *said = NULL, *text = NULL;
    const int32_t grid[3] = {1, 1, 1};
    const tilec_launch_options options = {
        .device = device, .on_message = keep_message, .user = &said};
    tilec_stats stats;

    if (dump)
        assert_int_equal(tilec_dump(s->file, NULL, "ir", args, n, &options, &text, NULL), TILEC_OK);
    else
        assert_int_equal(tilec_launch(s->file, NULL, grid, args, n, &options, NULL), TILEC_OK);
    tilec_free(text);
    assert_int_equal(tilec_launch_stats(s->file, NULL, grid, args, n, &options, &stats, NULL),
                     TILEC_OK);
    return said;
}

static void expect_said(Scene *s, const char *device, const tilec_arg *args, bool dump,
                        const char *want)
{
    char *said = said_by(s, device, args, 2, dump);

    if (want)
        assert_string_equal(said, want);
    else
        assert_null(said);
    free(said);
}

/* 0.1 is another number in fp32, 0.5 is the same; with an annotation none is rounded. */
static void test_floats_that_are_rounded_are_told_of(void **state)
{
    static const char wanted[] =
        "test.py:7:18: warning: `f` is computed with in fp64, but was rounded to fp32, as a float "
        "is whose parameter does not say its type\n"
        "        tl.store(x, (v * f + f) * g)\n"
        "                     ^~~~~\n"
        "hint: the whole value comes with `f: tl.float64`\n";
    static const char source[] = HEAD "@triton.jit\n"
                                      "def k(x, f, g: tl.float64):\n"
                                      "    v = tl.load(x)\n"
                                      "    tl.store(x, (v * f + f) * g)\n";
    const struct {
        double f, g;
        const char *said;
    } rows[] = {{0.5, 0.1, NULL}, {0.1, 0.1, wanted}};
    Scene *s = *state;
    double cell;
    const int64_t one = 1;

    for (int i = 0; i < COUNT(rows); i++) {
        cell = 1;
        tilec_unload(s->file);
        load(s, source);
        const tilec_arg args[] = {
            {.kind = TILEC_ARG_TENSOR, .tensor = {&cell, TILEC_FP64, 1, &one}},
            {.kind = TILEC_ARG_FLOAT, .real = rows[i].f},
            {.kind = TILEC_ARG_FLOAT, .real = rows[i].g}};
        char *said = said_by(s, "interp", args, 3, false);
        if (rows[i].said)
            assert_string_equal(said, rows[i].said);
        else
            assert_null(said);
        free(said);
    }
}

static void test_messages_of_a_success(void **state)
{
    static const char
        two[] = "test.py:6:5: static_print: B is 2\n"
                "        tl.static_print('B is', B)\n"
                "        ^~~~~~~~~~~~~~~~~~~~~~~~~~\n"
                "test.py:8:9: warning: `a` is declared tl.constexpr but its value is only known at "
                "run time: fp32\n"
                "            a: tl.constexpr = tl.load(x)\n"
                "            ^~~~~~~~~~~~~~~~~~~~~~~~~~~~\n",
        three[] =
            "test.py:6:5: static_print: B is 3\n"
            "        tl.static_print('B is', B)\n"
            "        ^~~~~~~~~~~~~~~~~~~~~~~~~~\n"
            "test.py:8:9: warning: `a` is declared tl.constexpr but its value is only known at "
            "run time: fp32\n"
            "            a: tl.constexpr = tl.load(x)\n"
            "            ^~~~~~~~~~~~~~~~~~~~~~~~~~~~\n";
    Scene *s = *state;
    float x[1];
    const int64_t shape[] = {1};
    tilec_arg args[] = {of_floats(x, shape), of_int("B", 2)};

    load(s, HEAD "@triton.jit\ndef k(x, B: tl.constexpr):\n    tl.static_print('B is', B)\n"
                 "    for i in range(4):\n        a: tl.constexpr = tl.load(x)\n"
                 "    tl.store(x, 1.0)\n");
    expect_said(s, "interp", args, false, two);
    expect_said(s, "interp", args, false, NULL);
    expect_said(s, "interp", args, true, two);
    if (has_cpu())
        expect_said(s, "cpu", args, false, two);
    args[1].integer = 3;
    expect_said(s, "interp", args, false, three);
}

static void test_numbers_in_another_locale(void **state)
{
    Scene *s = *state;

    setlocale(LC_ALL, "de_DE.UTF-8");
    load(s, HEAD "@triton.jit\ndef k():\n"
                 "    tl.static_assert(float('0.5') == 0.5)\n"
                 "    tl.static_assert(False, f'{0.5} {2.0} {1e+30}')\n");
    refused(s, TILEC_REFUSED, NULL, 0, "0.5 2.0 1e+30");
    setlocale(LC_ALL, "C");
}

/* Lowering once more keeps nothing in the file, wherever in memory it works. */
static void test_files_do_not_grow(void **state)
{
    Scene *s = *state;
    const FrontArg args[] = {
        {.name = "p", .dtype = DT_FP32, .pointer = true, .divisible = 16},
        {.name = "n", .dtype = DT_I32, .divisible = 1},
    };
    Arena *arenas[4];
    size_t used = 0;

    load(s, HEAD "@triton.jit\ndef put(p, v): tl.store(p, v)\n"
                 "@triton.jit\ndef k(p, n): put(p + n, 1.0)\n");
    for (int i = 0; i < COUNT(arenas); i++) {
        arenas[i] = arena_new(NULL);
        Diags *d = diags_new(arenas[i], NULL);
        assert_non_null(front_lower(s->file->parsed, "k", args, 2, NULL, arenas[i], d));
        assert_true(i == 0 || arena_used(s->file->arena) == used);
        used = arena_used(s->file->arena);
    }
    for (int i = 0; i < COUNT(arenas); i++)
        arena_free(arenas[i]);
}

static void test_what_stops_the_interpreter(void **state)
{
    Scene *s = *state;
    const tilec_arg n = of_int(NULL, 3);

    load(s, HEAD "@triton.jit\ndef k(n):\n    tl.assume(n > 5)\n");
    refused(s, TILEC_REFUSED, &n, 1, "test.py:6:5: error: the assumption does not hold");
    tilec_unload(s->file);
    s->file = NULL;
    load(s, HEAD "@triton.jit\ndef h(n):\n    tl.assume(n > 5)\n"
                 "@triton.jit\ndef k(n):\n    h(n)\n");
    refused(s, TILEC_REFUSED, &n, 1,
            "        ^~~~~~~~~~~~~~~~\n"
            "test.py:9:5: note: in `h`, called from here\n");
}

/* what launches promise */

static bool disjoint(uint64_t stored, tilec_tensor first, tilec_tensor second, double *bytes)
{
    static Binding b;

    b.nslots = 2;
    b.tensors[0] = &first;
    b.tensors[1] = &second;
    return memory_disjoint(&b, stored, bytes);
}

static void test_overlapping_tensors(void **state)
{
    static float m[1000];
    const int64_t ten[] = {10}, back[] = {-1}, matrix[] = {10, 10}, wide[] = {100, 1}, none[] = {0};
    tilec_tensor front = {m, TILEC_FP32, 1, ten}, next = {m + 10, TILEC_FP32, 1, ten};
    tilec_tensor reversed = {m + 19, TILEC_FP32, 1, ten, back};
    tilec_tensor window = {m, TILEC_FP32, 2, matrix, wide};
    tilec_tensor beside = {m + 20, TILEC_FP32, 2, matrix, wide};
    tilec_tensor bare = {m + 900, TILEC_FP32, -1}, empty = {m, TILEC_FP32, 1, none};
    const int64_t huge[] = {(int64_t)1 << 61}, far[] = {INT64_MAX / 4};
    tilec_tensor below = {m, TILEC_FP32, 1, huge, back}, above = {m, TILEC_FP32, 1, far};
    tilec_tensor last = {(void *)(UINTPTR_MAX - 100), TILEC_FP32, 1, ten};
    tilec_tensor around = {(void *)(UINTPTR_MAX - 100), TILEC_FP32, 2, matrix, wide};
    tilec_tensor repeated = {m + 10, TILEC_FP32, 1, ten, none}; /* one element, ten times */
    double bytes;

    (void)state;
    assert_true(disjoint(3, front, next, &bytes));
    assert_true(bytes == 80);
    assert_true(disjoint(3, front, reversed, &bytes));
    assert_false(disjoint(1, next, reversed, &bytes));
    assert_false(disjoint(2, next, reversed, &bytes));
    assert_true(disjoint(0, next, reversed, &bytes));  /* both only read */
    assert_false(disjoint(1, window, beside, &bytes)); /* interleaved: not known to be apart */
    assert_true(bytes == 800);
    assert_false(disjoint(1, front, bare, &bytes));
    assert_true(disjoint(0, front, bare, &bytes));
    assert_true(disjoint(3, front, empty, &bytes));
    assert_false(disjoint(3, front, below, &bytes)); /* below address 0 */
    assert_false(disjoint(3, front, above, &bytes));
    assert_true(disjoint(3, front, last, &bytes));
    assert_false(disjoint(3, front, around, &bytes)); /* beyond the last address */
    assert_true(disjoint(3, front, repeated, &bytes));
    assert_true(bytes == 44);
}

/* The parameters that a kernel stores through, from the text of its IR. */
static uint64_t stored_by(const char *source, const tilec_arg *args, int n)
{
    Arena *a = arena_new(NULL);
    Diags *d = diags_new(a, NULL);
    Source src = {"test.py", source, strlen(source)};
    FrontFile *f = front_parse(a, interner_new(a), &triton_language, &src, NULL, d);
    FrontArg front[8];

    assert_non_null(f);
    const FrontKernel *k = front_kernel(f, front_kernel_name(f, front_kernel_count(f) - 1), a, d);
    assert_non_null(k);
    assert_int_equal(k->nparams, n);
    for (int i = 0; i < n; i++)
        front[i] = (FrontArg){.name = k->params[i].name,
                              .dtype = (DType)args[i].dtype,
                              .pointer = args[i].pointer != 0,
                              .divisible = 1};
    Module *m = front_lower(f, k->name, front, n, NULL, a, d);
    if (!m)
        print_error("%s", diags_text(d, a));
    assert_non_null(m);
    const Func *kernel = NULL;
    for (int i = 0; i < m->nfuncs; i++) {
        if (m->funcs[i]->is_kernel)
            kernel = m->funcs[i];
    }
    uint64_t stored = ir_memory_use(kernel, a).stored;
    arena_free(a);
    return stored;
}

static void test_what_is_stored_through(void **state)
{
    const tilec_arg p = {.dtype = TILEC_FP32, .pointer = 1}, i = {.dtype = TILEC_I32};
    const tilec_arg four[] = {p, p, p, i};

    (void)state;
    assert_int_equal(stored_by(HEAD "@triton.jit\ndef k(a, b, c, n):\n"
                                    "    tl.store(c + n, tl.load(a) + tl.load(b))\n",
                               four, 4),
                     4);
    assert_int_equal(stored_by(HEAD "@triton.jit\ndef k(a, b, c, n):\n"
                                    "    q = a + tl.arange(0, 8)\n"
                                    "    for j in range(n):\n"
                                    "        tl.store(q, tl.load(b))\n"
                                    "        q += 8\n",
                               four, 4),
                     1);
    assert_int_equal(stored_by(HEAD "@triton.jit\ndef k(a, b, c, n):\n"
                                    "    q = a\n"
                                    "    if n > 3:\n"
                                    "        q = b\n"
                                    "    tl.atomic_add(q, 1.0)\n",
                               four, 4),
                     3);
    assert_int_equal(stored_by(HEAD "@triton.jit\ndef put(q, v):\n    tl.store(q, v)\n"
                                    "@triton.jit\ndef pick(x, y):\n    return y\n"
                                    "@triton.jit\ndef k(a, b, c, n):\n"
                                    "    put(pick(a, b), tl.load(c))\n",
                               four, 4) &
                         4,
                     0);
    assert_true(stored_by(HEAD "@triton.jit\ndef put(q, v):\n    tl.store(q, v)\n"
                               "@triton.jit\ndef pick(x, y):\n    return y\n"
                               "@triton.jit\ndef k(a, b, c, n):\n"
                               "    put(pick(a, b), tl.load(c))\n",
                          four, 4) &
                2);
}

/* devices and dumps */

static void test_devices(void **state)
{
    Scene *s = *state;
    tilec_device d;

    assert_int_equal(tilec_device_count(s->ctx), 4);
    assert_int_equal(tilec_device_info(s->ctx, 0, &d), TILEC_OK);
    assert_string_equal(d.name, "cpu");
    assert_true(d.threads >= 1 && d.description && d.available);
    assert_int_equal(tilec_device_info(s->ctx, 4, &d), TILEC_NOT_FOUND);
    assert_int_equal(tilec_device_info(s->ctx, 0, NULL), TILEC_BAD_ARGUMENT);
    for (int t = 0; t <= TILEC_FP64; t++)
        assert_true(tilec_dtype_size((tilec_dtype)t) > 0 && tilec_dtype_name((tilec_dtype)t));
    assert_string_equal(tilec_dtype_name(TILEC_BF16), "bf16");
    assert_int_equal(tilec_dtype_size((tilec_dtype)-1), 0);
    assert_null(tilec_dtype_name((tilec_dtype)100));
}

static void test_dump_shows_stages(void **state)
{
    Scene *s = *state;
    const tilec_arg pointer = {.kind = TILEC_ARG_TYPE, .dtype = TILEC_FP16, .pointer = 1};
    const tilec_arg args[] = {
        pointer, pointer, pointer, {.kind = TILEC_ARG_TYPE, .dtype = TILEC_I32}, of_int(NULL, 224)};
    static const char *const stages[] = {"ast",    "ir",   "vars", "opt", "plan", "schedule",
                                         "layout", "llvm", "asm",  "ptx", "sass"};
    const tilec_launch_options cpu = {.device = "cpu"};

    for (int i = 0; i < COUNT(stages); i++)
        assert_string_equal(tilec_stage_name(i), stages[i]);
    assert_null(tilec_stage_name(COUNT(stages)));
    assert_null(tilec_stage_name(-1));
    load(s, add_source);
    for (int i = 0; i < COUNT(stages); i++) {
        char *text = NULL;
        bool gpu = i == 6 || i >= 9;
        if (i >= 4 && (gpu || !has_cpu()))
            continue;
        if (tilec_dump(s->file, NULL, stages[i], args, 5, &cpu, &text, &s->error) != TILEC_OK)
            print_error("%s: %s", stages[i], s->error);
        assert_non_null(text);
        assert_true(strlen(text) > 20);
        if (i == 1 || i == 3)
            assert_non_null(strstr(text, "fp16[BLOCK=224]"));
        tilec_free(text);
    }
}

static void test_stages_without_a_code_generator(void **state)
{
    static const struct {
        const char *stage;
        tilec_status status;
    } cases[] = {{"ast", TILEC_OK},      {"ir", TILEC_OK},       {"opt", TILEC_OK},
                 {"plan", TILEC_FAILED}, {"llvm", TILEC_FAILED}, {"asm", TILEC_FAILED}};
    Scene *s = *state;
    char *saved = os_env("TILEC_PLUGIN") ? strdup(os_env("TILEC_PLUGIN")) : NULL;

    load(s, HEAD "@triton.jit\ndef k(): pass\n");
    setenv("TILEC_PLUGIN", "/nowhere/tilec-llvm.so", 1);
    for (int i = 0; i < COUNT(cases); i++) {
        char *text = NULL;
        assert_int_equal(tilec_dump(s->file, NULL, cases[i].stage, NULL, 0, NULL, &text, NULL),
                         cases[i].status);
        tilec_free(text);
    }
    unsetenv("TILEC_PLUGIN");
    if (saved)
        setenv("TILEC_PLUGIN", saved, 1);
    free(saved);
}

static void test_stats(void **state)
{
    Scene *s = *state;
    static float x[1000], y[1000], out[1000];
    const int64_t shape[] = {1000};
    const int32_t grid[3] = {10, 1, 1};
    const tilec_launch_options options = {.device = "interp"};
    const tilec_arg args[] = {of_floats(x, shape), of_floats(y, shape), of_floats(out, shape),
                              of_int(NULL, 1000), of_int(NULL, 100)};
    tilec_stats stats;

    load(s, add_source);
    assert_int_equal(tilec_launch_stats(s->file, NULL, grid, args, 5, &options, &stats, &s->error),
                     TILEC_OK);
    assert_true(stats.flops == 1000);
    assert_true(stats.bytes == 12000);
    assert_false(stats.from_cache);
    assert_true(out[0] == 0);

    /* of arrays that it does not go through it moves no more than that part */
    const int32_t three[3] = {3, 1, 1};
    assert_int_equal(tilec_launch_stats(s->file, NULL, three, args, 5, &options, &stats, &s->error),
                     TILEC_OK);
    assert_true(stats.bytes == 3600);
}

typedef struct {
    const tilec_tensor *tensors[8];
    int uses[8], n;
} Uses;

static void keep_use(void *uses, const tilec_tensor *tensor, int bits)
{
    Uses *u = uses;

    u->tensors[u->n] = tensor;
    u->uses[u->n++] = bits;
}

static void test_launch_memory(void **state)
{
    Scene *s = *state;
    static float x[1000], y[1000], out[1000];
    const int64_t shape[] = {1000};
    const tilec_launch_options options = {.device = "interp"};
    const tilec_arg args[] = {of_floats(x, shape), of_floats(y, shape), of_floats(out, shape),
                              of_int(NULL, 1000), of_int(NULL, 100)};
    Uses u = {.n = 0};

    load(s, add_source);
    assert_int_equal(tilec_launch_memory(s->file, NULL, args, 5, &options, keep_use, &u, &s->error),
                     TILEC_OK);
    assert_int_equal(u.n, 3);
    for (int i = 0; i < 3; i++) {
        assert_ptr_equal(u.tensors[i], &args[i].tensor);
        assert_int_equal(u.uses[i], i < 2 ? TILEC_LOADS | TILEC_LOADS_FIRST : TILEC_STORES);
    }
    assert_true(out[0] == 0);
    assert_int_equal(tilec_launch_memory(s->file, NULL, args, 5, &options, NULL, &u, &s->error),
                     TILEC_BAD_ARGUMENT);
}

/* the CPU device */

static void test_cpu_agrees_with_the_interpreter(void **state)
{
    Scene *s = *state;
    enum { N = 4000 };
    static float x[N + 8], y[N + 8], a[N + 8], b[N + 8];
    const int64_t shape[] = {N};

    if (!has_cpu())
        skip();
    load(s, add_source);
    for (int i = 0; i < N; i++) {
        x[i] = (float)i / 3;
        y[i] = (float)(N - i);
    }
    for (int shift = 0; shift < 3; shift++) { /* alignments, and overlap of x and the output */
        memcpy(a, x, sizeof a);
        memcpy(b, x, sizeof b);
        tilec_arg args[] = {of_floats(a, shape), of_floats(y, shape), of_floats(a + shift, shape),
                            of_int(NULL, N), of_int(NULL, 224)};
        launch(s, "interp", 1, args, 5);
        args[0] = of_floats(b, shape);
        args[2] = of_floats(b + shift, shape);
        launch(s, "cpu", 1, args, 5);
        assert_memory_equal(a, b, sizeof a);
    }
    tilec_arg args[] = {of_floats(x, shape), of_floats(y, shape), of_floats(a, shape),
                        of_int(NULL, N), of_int(NULL, 224)};
    launch(s, "cpu", (N + 223) / 224, args, 5);
    for (int i = 0; i < N; i++)
        assert_true(a[i] == x[i] + y[i]);
}

static int threads_at_start; /* sanitizers have some of their own */

/* One program, or one thread, needs no others, however much scratch memory it takes. */
static void test_cpu_starts_threads_when_they_are_needed(void **state)
{
    Scene *s = *state;
    enum { N = 4096, ROWS = 64 };
    static float x[ROWS * N], out[ROWS * N];
    const int64_t shape[] = {ROWS * N};
    const tilec_arg args[] = {of_floats(x, shape), of_floats(out, shape), of_int("N", N)};
    const int32_t one[3] = {1, 1, 1}, many[3] = {ROWS, 1, 1};
    const tilec_launch_options alone = {.threads = 1};
    int before = thread_count(threads_at_start);

    if (!has_cpu())
        skip();
    load(s, HEAD "@triton.jit\ndef k(x, out, N: tl.constexpr):\n"
                 "    at = tl.program_id(0) * N + tl.arange(0, N)\n"
                 "    e = tl.exp(tl.load(x + at))\n"
                 "    tl.store(out + at, e / tl.sum(e, axis=0))\n");
    assert_int_equal(tilec_launch(s->file, NULL, one, args, 3, NULL, NULL), TILEC_OK);
    assert_int_equal(tilec_launch(s->file, NULL, many, args, 3, &alone, NULL), TILEC_OK);
    assert_int_equal(thread_count(before), before);
    assert_true(out[ROWS * N - 1] == 1.0F / N);
    assert_int_equal(tilec_launch(s->file, NULL, many, args, 3, NULL, NULL), TILEC_OK);
    int all = before + os_cpu_count() - 1;
    assert_int_equal(thread_count(all), all);
}

/* Launch add_kernel in a new context; gives whether the code came from the cache. */
static bool launch_with_cache(void **state, const char *folder, int warps)
{
    float x[4] = {1, 2, 3, 4}, out[4] = {0};
    const int64_t shape[] = {4};
    const int32_t grid[3] = {1, 1, 1};
    const tilec_arg args[] = {of_floats(x, shape), of_floats(x, shape), of_floats(out, shape),
                              of_int(NULL, 4), of_int(NULL, 4)};
    tilec_stats stats;
    Scene *s;

    tear_down(state);
    s = *state = calloc(1, sizeof *s);
    assert_int_equal(tilec_open(folder, &s->ctx, NULL), TILEC_OK);
    load(s, add_source);
    tilec_launch_options options = {.device = "cpu", .num_warps = warps};
    assert_int_equal(tilec_launch(s->file, NULL, grid, args, 5, &options, &s->error), TILEC_OK);
    assert_true(out[3] == 8);
    assert_int_equal(tilec_launch_stats(s->file, NULL, grid, args, 5, &options, &stats, &s->error),
                     TILEC_OK);
    assert_true(stats.compile_seconds > 0);
    return stats.from_cache;
}

/* The only entry of a cache. */
static Hash128 only_key(const char *folder)
{
    DIR *dir = opendir(folder);
    unsigned long long hi = 0, lo = 0;
    int n = 0;

    assert_non_null(dir);
    for (struct dirent *e; (e = readdir(dir)) != NULL;)
        n += sscanf(e->d_name, "%16llx%16llx.tilec", &hi, &lo) == 2;
    closedir(dir);
    assert_int_equal(n, 1);
    return (Hash128){.hi = hi, .lo = lo};
}

static void test_cpu_uses_the_cache_of_another_context(void **state)
{
    char folder[] = "/tmp/tilec-test-XXXXXX", command[64], text[] = "not an object";
    GenOutput forged = {.data = text, .len = sizeof text, .scratch = 64};
    Cache *cache;

    if (!has_cpu())
        skip();
    assert_non_null(mkdtemp(folder));
    assert_false(launch_with_cache(state, folder, 4));
    assert_true(launch_with_cache(state, folder, 4));
    assert_true(launch_with_cache(state, folder, 8)); /* which says nothing to a CPU */
    /* an entry that is sound but does not load is a miss, and is made anew */
    assert_int_equal(cache_open(folder, &cache), RUN_OK);
    assert_int_equal(cache_put(cache, only_key(folder), &forged), RUN_OK);
    cache_close(cache);
    assert_false(launch_with_cache(state, folder, 4));
    assert_true(launch_with_cache(state, folder, 4));
    snprintf(command, sizeof command, "rm -r %s", folder);
    assert_int_equal(system(command), 0);
}

/* Whatever allocation fails, the call says so, and the same call works afterwards. */
static void check_lack_of_memory(Scene *s, const char *source)
{
    float x[4] = {1, 2, 3, 4}, out[4];
    const int64_t shape[] = {4};
    const int32_t grid[3] = {1, 1, 1};
    const tilec_launch_options options = {.device = "interp"};
    const tilec_arg args[] = {of_floats(x, shape), of_floats(x, shape), of_floats(out, shape),
                              of_int(NULL, 4), of_int(NULL, 4)};
    tilec_status status = TILEC_NO_MEMORY;
    int failures = 0;

    for (long n = 1; status != TILEC_OK; n++) {
        arena_inject_failure(n);
        status = tilec_load_string(s->ctx, "m.py", source, strlen(source), &s->file, NULL);
        arena_inject_failure(-1);
        assert_true(status == TILEC_OK || (status == TILEC_NO_MEMORY && !s->file));
        failures += status != TILEC_OK;
    }
    status = TILEC_NO_MEMORY;
    for (long n = 1; status != TILEC_OK; n++) {
        arena_inject_failure(n);
        status = tilec_launch(s->file, NULL, grid, args, 5, &options, &s->error);
        arena_inject_failure(-1);
        assert_true(status == TILEC_OK || status == TILEC_NO_MEMORY);
        failures += status != TILEC_OK;
        tilec_free(s->error);
        s->error = NULL;
    }
    assert_true(failures > 2);
    assert_true(out[3] == 8);
}

static void test_lack_of_memory(void **state)
{
    Scene *s = *state;

    check_lack_of_memory(s, add_source);
    tilec_unload(s->file);
    s->file = NULL;
    check_lack_of_memory(s, computed_source);
}

/* tilec_reproduce(): names for what has none, values for what is computed, and what is refused */
static void test_a_launch_as_a_file(void **state)
{
    Scene *s = *state;
    float x[4] = {1, 2, 3, 5}, out[4] = {0};
    const int64_t shape[] = {4};
    const int32_t grid[3] = {1, 1, 1};
    tilec_arg args[] = {of_floats(x, shape), of_floats(x, shape), of_floats(out, shape),
                        of_int(NULL, 4), of_int(NULL, 4)};
    tilec_status status = TILEC_NO_MEMORY;
    char *text = NULL;

    load(s, computed_source);
    for (long n = 1; status != TILEC_OK; n++) {
        arena_inject_failure(n);
        status = tilec_reproduce(s->file, NULL, grid, args, 5, NULL, &text, NULL);
        arena_inject_failure(-1);
        assert_true(status == TILEC_OK || status == TILEC_NO_MEMORY);
    }
    assert_non_null(strstr(text, "# tilec: call add:repro --grid 1,1,1\n"
                                 "#     x=data(fp32,(4,),'AACAPwAAAEAAAEBAAACgQA==')\n"
                                 "#     y=x\n"
                                 "#     out=full(fp32,(4,),0)\n"
                                 "#     n=4\n"
                                 "#     width=4\n"
                                 "#     BLOCK=4\n"
                                 "#     name='ab'\n"));
    assert_null(strstr(text, "heuristics"));
    tilec_free(text);
    assert_int_equal(tilec_reproduce(s->file, NULL, NULL, args, 5, NULL, &text, NULL),
                     TILEC_BAD_ARGUMENT);
    assert_int_equal(tilec_reproduce(s->file, NULL, grid, args, 5, NULL, NULL, NULL),
                     TILEC_BAD_ARGUMENT);
    assert_int_equal(tilec_reproduce(s->file, NULL, grid, args, 2, NULL, &text, NULL),
                     TILEC_REFUSED);
    args[1].tensor.ndim = -1;
    assert_int_equal(tilec_reproduce(s->file, NULL, grid, args, 5, NULL, &text, &s->error),
                     TILEC_REFUSED);
    assert_non_null(strstr(s->error, "`y` cannot be written to a file"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_kernels_and_parameters_are_listed),
        TEST(test_helpers_are_not_the_only_kernel),
        TEST(test_version),
        TEST(test_room_for_later_versions),
        TEST(test_files_that_cannot_be_loaded),
        TEST(test_options_of_loading),
        TEST(test_a_broken_kernel_does_not_spoil_the_others),
        TEST(test_configurations_are_listed),
        TEST(test_wrong_calls),
        TEST(test_messages_of_a_success),
        TEST(test_floats_that_are_rounded_are_told_of),
        TEST(test_numbers_in_another_locale),
        TEST(test_files_do_not_grow),
        TEST(test_what_stops_the_interpreter),
        TEST(test_overlapping_tensors),
        TEST(test_what_is_stored_through),
        TEST(test_devices),
        TEST(test_dump_shows_stages),
        TEST(test_stages_without_a_code_generator),
        TEST(test_launch_memory),
        TEST(test_stats),
        TEST(test_cpu_agrees_with_the_interpreter),
        TEST(test_cpu_starts_threads_when_they_are_needed),
        TEST(test_cpu_uses_the_cache_of_another_context),
        TEST(test_lack_of_memory),
        TEST(test_a_launch_as_a_file),
    };

    threads_at_start = threads_now();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
