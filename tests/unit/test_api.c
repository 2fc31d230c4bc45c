/*
 * test_api.c - the C API: binding, diagnostics, launching, dumping, threads, lack of memory
 *
 * Kernels run on the interpreter, and on the CPU too where the code generator can be loaded.
 */
#define _GNU_SOURCE
#include <locale.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../src/api/api.h"
/* after base.h: cmocka makes fail() a macro */
#include <cmocka.h>

#define HEAD "import triton\nimport triton.language as tl\n\n"

static const char add_source[] =
    HEAD "@triton.jit\n"
         "def add(x, y, out, n, BLOCK: tl.constexpr):\n"
         "    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)\n"
         "    m = i < n\n"
         "    tl.store(out + i, tl.load(x + i, mask=m) + tl.load(y + i, mask=m), mask=m)\n";

/* The same, with a block that is computed: at least `width`, which is no launch's business. */
static const char computed_source[] = HEAD
    "import math\nLEAST = [1, 2]\n"
    "def widest(args): return max([args['width'], *[x + 1 for x in LEAST]])\n"
    "@triton.heuristics({'BLOCK': lambda args: triton.cdiv(widest(args), 1),\n"
    "                    'name': lambda args: 'a' + 'b' * 0 if args['n'] < 0 else 'a' + 'b'})\n"
    "@triton.jit\n"
    "def add(x, y, out, n, width: tl.constexpr, BLOCK: tl.constexpr, name: tl.constexpr):\n"
    "    tl.static_assert(name == 'ab')\n"
    "    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)\n"
    "    m = i < n\n"
    "    tl.store(out + i, tl.load(x + i, mask=m) + tl.load(y + i, mask=m), mask=m)\n";

/* help */

typedef struct {
    tilec_context *ctx;
    tilec_file *file;
    char *error;
} Scene;

static int set_up(void **state)
{
    Scene *s = calloc(1, sizeof *s);

    *state = s;
    return tilec_open("", &s->ctx, NULL);
}

static int tear_down(void **state)
{
    Scene *s = *state;

    tilec_unload(s->file);
    tilec_close(s->ctx);
    tilec_free(s->error);
    free(s);
    return 0;
}

static void load(Scene *s, const char *text)
{
    tilec_status status =
        tilec_load_string(s->ctx, "test.py", text, strlen(text), &s->file, &s->error);

    if (status != TILEC_OK)
        print_error("%s", s->error);
    assert_int_equal(status, TILEC_OK);
    assert_null(s->error);
}

static bool has_cpu(void)
{
    Arena *a = arena_new(NULL);
    const char *why;
    bool found = run_plugin(a, &why) != NULL;

    arena_free(a);
    return found;
}

static tilec_arg of_floats(float *data, const int64_t *shape)
{
    return (tilec_arg){.kind = TILEC_ARG_TENSOR, .tensor = {data, TILEC_FP32, 1, shape, NULL}};
}

static tilec_arg of_int(const char *name, int64_t v)
{
    return (tilec_arg){.name = name, .kind = TILEC_ARG_INT, .integer = v};
}

/* Launch on "interp" and expect success. */
static void launch(Scene *s, const char *device, int32_t programs, const tilec_arg *args, int n)
{
    const int32_t grid[3] = {programs, 1, 1};
    const tilec_launch_options options = {.device = device};
    tilec_status status = tilec_launch(s->file, NULL, grid, args, n, &options, &s->error);

    if (status != TILEC_OK)
        print_error("%s", s->error);
    assert_int_equal(status, TILEC_OK);
    assert_null(s->error);
}

/* The text of a failed launch, which must hold `wanted`. */
static void refused(Scene *s, tilec_status status, const tilec_arg *args, int n, const char *wanted)
{
    const int32_t grid[3] = {1, 1, 1};
    const tilec_launch_options options = {.device = "interp"};

    assert_int_equal(tilec_launch(s->file, NULL, grid, args, n, &options, &s->error), status);
    assert_non_null(s->error);
    if (!strstr(s->error, wanted))
        print_error("wanted: %s\ngot: %s", wanted, s->error);
    assert_non_null(strstr(s->error, wanted));
    tilec_free(s->error);
    s->error = NULL;
}

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

/* binding */

static void test_arguments_by_position_and_name(void **state)
{
    Scene *s = *state;
    float x[5] = {1, 2, 3, 4, 5}, y[5] = {10, 20, 30, 40, 50}, out[6] = {0, 0, 0, 0, 0, -1};
    const int64_t shape[] = {5};
    tilec_arg args[] = {of_floats(x, shape), of_floats(y, shape), of_int("BLOCK", 4),
                        of_int("n", 5), of_floats(out, shape)};

    args[4].name = "out";
    load(s, add_source);
    launch(s, "interp", 2, args, 5);
    for (int i = 0; i < 5; i++)
        assert_true(out[i] == x[i] + y[i]);
    assert_true(out[5] == -1);
    out[0] = 0;
    launch(s, "interp", 0, args, 5); /* an empty grid */
    assert_true(out[0] == 0);
}

static void test_wrong_arguments_are_named_at_their_place(void **state)
{
    Scene *s = *state;
    float x[4] = {0};
    const int64_t shape[] = {4}, negative[] = {-4};
    tilec_arg t = of_floats(x, shape);
    tilec_arg good[] = {t, t, t, of_int(NULL, 4), of_int(NULL, 4)}, bad[6];

#define WRONG(i, argument, status, text)                                                           \
    do {                                                                                           \
        memcpy(bad, good, sizeof good);                                                            \
        bad[i] = argument;                                                                         \
        refused(s, status, bad, MAX(i + 1, 5), text);                                              \
    } while (0)
    load(s, add_source);
    refused(s, TILEC_REFUSED, good, 4, "test.py:5:23: error: the constexpr `BLOCK` was not given");
    refused(s, TILEC_REFUSED, good, 2, "`out` was not given");
    WRONG(5, of_int(NULL, 4), TILEC_REFUSED, "argument 6 is one too many");
    WRONG(4, of_int("BLOK", 4), TILEC_NOT_FOUND, "hint: did you mean `BLOCK`?");
    WRONG(4, of_int("x", 4), TILEC_REFUSED, "`x` was given twice");
    WRONG(4, t, TILEC_REFUSED, "`BLOCK` is a constexpr; it cannot be a tensor");
    WRONG(4, ((tilec_arg){.name = "num_warps", .kind = TILEC_ARG_INT, .integer = 3}), TILEC_REFUSED,
          "num_warps must be a power of 2");
    WRONG(4, ((tilec_arg){.name = "num_warps", .kind = TILEC_ARG_FLOAT, .real = 4}), TILEC_REFUSED,
          "num_warps must be a power of 2");
    WRONG(3, ((tilec_arg){.kind = TILEC_ARG_STRING, .text = "relu"}), TILEC_REFUSED,
          "`n` is a run-time parameter; a string cannot be passed");
    WRONG(3, ((tilec_arg){.kind = TILEC_ARG_STRING}), TILEC_BAD_ARGUMENT, "NULL");
    WRONG(3, ((tilec_arg){.kind = (tilec_arg_kind)99}), TILEC_BAD_ARGUMENT, "tilec_arg_kind");
    WRONG(3, ((tilec_arg){.kind = TILEC_ARG_TYPE, .dtype = TILEC_I32}), TILEC_BAD_ARGUMENT,
          "tilec_dump");
    WRONG(0, of_floats(NULL, shape), TILEC_BAD_ARGUMENT, "data is NULL");
    WRONG(0, of_floats(x, NULL), TILEC_BAD_ARGUMENT, "no shape");
    WRONG(0, of_floats(x, negative), TILEC_BAD_ARGUMENT, "negative");
    t.tensor.dtype = (tilec_dtype)77;
    WRONG(0, t, TILEC_BAD_ARGUMENT, "dtype");
#undef WRONG
}

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
    FAILS(TILEC_NOT_FOUND, tilec_launch(s->file, NULL, grid, NULL, 0, &options, &s->error));
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
    FAILS(TILEC_BAD_ARGUMENT, tilec_dump(s->file, NULL, "soup", NULL, 0, NULL, &text, &s->error));
    FAILS(TILEC_BAD_ARGUMENT, tilec_dump(s->file, NULL, NULL, NULL, 0, NULL, &text, &s->error));
#undef FAILS
    assert_int_equal(tilec_launch(s->file, "kernle", grid, NULL, 0, NULL, NULL), TILEC_NOT_FOUND);
    tilec_unload(NULL);
    tilec_close(NULL);
    tilec_free(NULL);
}

/* What the arguments became, by looking at the lowered IR's signature. */
static void becomes(Scene *s, const char *source, const tilec_arg *args, int n, const char *wanted)
{
    char *text = NULL;

    load(s, source);
    if (tilec_dump(s->file, NULL, "ir", args, n, NULL, &text, &s->error) != TILEC_OK)
        print_error("%s", s->error);
    assert_non_null(text);
    if (!strstr(text, wanted))
        print_error("wanted: %s\ngot: %s", wanted, text);
    assert_non_null(strstr(text, wanted));
    tilec_free(text);
    tilec_unload(s->file);
    s->file = NULL;
}

static void test_a_launch_option_of_any_integer_kind(void **state)
{
    Scene *s = *state;
    const tilec_arg warps = {.name = "num_warps", .kind = TILEC_ARG_UINT, .uinteger = 8};

    load(s, HEAD "@triton.jit\ndef k(): pass\n");
    launch(s, "interp", 1, &warps, 1);
}

/* Programs that link us choose their locale; where there is none such this tests less. */
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
        Diags *d = diags_new(arenas[i]);
        assert_non_null(front_lower(s->file->front, "k", args, 2, arenas[i], d));
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
}

static void test_run_time_types(void **state)
{
    Scene *s = *state;
    const char *plain = HEAD "@triton.jit\ndef k(v): tl.assume(v == v)\n";
    tilec_arg a = {0};

    a = of_int(NULL, 7);
    becomes(s, plain, &a, 1, "i32");
    a = of_int(NULL, INT64_C(1) << 40);
    becomes(s, plain, &a, 1, "i64");
    a = of_int(NULL, -5);
    becomes(s, plain, &a, 1, "i32");
    a = (tilec_arg){.kind = TILEC_ARG_UINT, .uinteger = UINT64_MAX};
    becomes(s, plain, &a, 1, "u64");
    a = (tilec_arg){.kind = TILEC_ARG_FLOAT, .real = 1};
    becomes(s, plain, &a, 1, "fp32");
    a = (tilec_arg){.kind = TILEC_ARG_BOOL, .integer = 1};
    becomes(s, plain, &a, 1, "i1");
    a = of_int(NULL, 7);
    becomes(s, HEAD "@triton.jit\ndef k(v: tl.int64): tl.assume(v == v)\n", &a, 1, "i64");
    a = of_int(NULL, 1);
    becomes(s, HEAD "@triton.jit\ndef k(v: tl.int64): tl.assume(v == v)\n", &a, 1, "i64");
    becomes(s, HEAD "@triton.jit(do_not_specialize=['v'])\ndef k(v): tl.assume(v == v)\n", &a, 1,
            "i32");
}

/* The binding of one argument, seen from inside. */
static Binding *bind_one(Scene *s, const tilec_arg *a, int n)
{
    static Binding b;
    Request r = {
        .file = s->file, .kernel = &s->file->kernels[0], .args = a, .nargs = n, .binding = &b};

    memset(&b, 0, sizeof b);
    assert_int_equal(bind_request(&r, NULL), TILEC_OK);
    return &b;
}

static void test_specialisation(void **state)
{
    Scene *s = *state;
    _Alignas(64) static float memory[64];
    const int64_t shape[] = {1};
    tilec_arg a;
    uint64_t hash;

    load(s, HEAD "@triton.jit\ndef k(v): pass\n");
    a = of_int(NULL, 1);
    assert_true(bind_one(s, &a, 1)->front[0].is_constexpr);
    assert_int_equal(bind_one(s, &a, 1)->nslots, 0);
    a = of_int(NULL, 0);
    assert_int_equal(bind_one(s, &a, 1)->front[0].divisible, 16);
    a = of_int(NULL, 48);
    assert_int_equal(bind_one(s, &a, 1)->front[0].divisible, 16);
    hash = bind_one(s, &a, 1)->hash;
    a = of_int(NULL, -32);
    assert_int_equal(bind_one(s, &a, 1)->slots[0], (uint32_t)-32);
    assert_true(bind_one(s, &a, 1)->hash == hash); /* one compiled kernel serves both */
    a = of_int(NULL, 49);
    assert_int_equal(bind_one(s, &a, 1)->front[0].divisible, 1);
    assert_false(bind_one(s, &a, 1)->hash == hash);
    a = (tilec_arg){.kind = TILEC_ARG_BOOL, .integer = 1};
    assert_false(bind_one(s, &a, 1)->front[0].is_constexpr); /* True is not 1 */
    for (int offset = 0; offset < 64; offset += 4) {
        a = of_floats(memory + offset / 4, shape);
        int wanted = offset == 0 ? 64 : offset % 16 == 0 ? 16 : 1;
        assert_int_equal(bind_one(s, &a, 1)->front[0].divisible, wanted);
    }
}

static void test_constants_of_different_types_do_not_meet(void **state)
{
    Scene *s = *state;
    tilec_arg args[] = {of_int(NULL, 1),
                        {.kind = TILEC_ARG_BOOL, .integer = 1},
                        {.kind = TILEC_ARG_FLOAT, .real = 1},
                        {.kind = TILEC_ARG_STRING, .text = "1"},
                        {.kind = TILEC_ARG_STRING, .text = "2"},
                        {.kind = TILEC_ARG_DTYPE, .dtype = TILEC_I8},
                        {.kind = TILEC_ARG_NONE},
                        of_int(NULL, -1)};

    load(s, HEAD "@triton.jit\ndef k(v: tl.constexpr): pass\n");
    for (int i = 0; i < COUNT(args); i++)
        for (int k = 0; k < i; k++) {
            uint64_t hash = bind_one(s, &args[i], 1)->hash;
            assert_false(bind_one(s, &args[k], 1)->hash == hash);
        }
}

static void test_defaults_and_tuning(void **state)
{
    Scene *s = *state;
    Binding *b;
    tilec_arg given = of_int("B", 64);

    load(s, HEAD "@triton.autotune(configs=[triton.Config({'A': 32, 'B': 8}, num_warps=2),\n"
                 "                          triton.Config({'A': 64, 'B': 4})], key=[])\n"
                 "@triton.jit\n"
                 "def k(n=5, A: tl.constexpr = 1, B: tl.constexpr = 2, num_warps=None): pass\n");
    b = bind_one(s, NULL, 0);
    assert_false(b->front[0].is_constexpr);
    assert_int_equal(b->slots[0], 5);
    assert_int_equal((int)b->front[1].constant.integer, 32);
    assert_int_equal((int)b->front[2].constant.integer, 8);
    b = bind_one(s, &given, 1);
    assert_int_equal((int)b->front[2].constant.integer, 64);
}

static tilec_param param_info(const Scene *s, int i)
{
    tilec_param p;

    assert_int_equal(tilec_param_info(s->file, NULL, i, &p), TILEC_OK);
    return p;
}

static void test_values_of_defaults_are_told(void **state)
{
    Scene *s = *state;

    load(s, HEAD "@triton.autotune(configs=[triton.Config({'B': 32})], key=[])\n"
                 "@triton.jit\ndef k(a, B: tl.constexpr = 1, n=-5, u=2**63, r=0.5, t=True,\n"
                 "      z=None, s: tl.constexpr = 'hi', d: tl.constexpr = tl.bfloat16,\n"
                 "      p: tl.constexpr = (1, 2)): pass\n");
    assert_false(param_info(s, 0).has_value);
    assert_int_equal(param_info(s, 1).value.kind, TILEC_ARG_INT);
    assert_int_equal(param_info(s, 1).value.integer, 32);
    assert_string_equal(param_info(s, 1).value.name, "B");
    assert_int_equal(param_info(s, 2).value.integer, -5);
    assert_int_equal(param_info(s, 3).value.kind, TILEC_ARG_UINT);
    assert_true(param_info(s, 3).value.uinteger == (uint64_t)1 << 63);
    assert_true(param_info(s, 4).value.real == 0.5);
    assert_int_equal(param_info(s, 5).value.kind, TILEC_ARG_BOOL);
    assert_int_equal(param_info(s, 5).value.integer, 1);
    assert_int_equal(param_info(s, 6).value.kind, TILEC_ARG_NONE);
    assert_string_equal(param_info(s, 7).value.text, "hi");
    assert_int_equal(param_info(s, 8).value.kind, TILEC_ARG_DTYPE);
    assert_int_equal(param_info(s, 8).value.dtype, TILEC_BF16);
    assert_true(param_info(s, 9).has_default && !param_info(s, 9).has_value);
}

static void test_options_fill_parameters_of_their_name(void **state)
{
    Scene *s = *state;
    tilec_param p;

    load(s, HEAD "@triton.jit\ndef k(a, num_warps: tl.constexpr): pass\n");
    const tilec_arg warps[] = {of_int(NULL, 2), of_int("num_warps", 12)};
    refused(s, TILEC_REFUSED, warps, 2, "num_warps must be a power of 2");
    tilec_arg a = of_int("a", 5);
    assert_int_equal((int)bind_one(s, &a, 1)->front[1].constant.integer, 4);
    assert_int_equal(tilec_param_info(s->file, NULL, 1, &p), TILEC_OK);
    assert_true(p.has_default);
    Request r = {.file = s->file,
                 .kernel = &s->file->kernels[0],
                 .args = &a,
                 .nargs = 1,
                 .options = {.num_warps = 8},
                 .binding = bind_one(s, &a, 1)};
    assert_int_equal(bind_request(&r, NULL), TILEC_OK);
    assert_int_equal((int)r.binding->front[1].constant.integer, 8);
}

static void test_configurations_that_cannot_be_read(void **state)
{
    Scene *s = *state;

    load(s, HEAD "import os\n"
                 "@triton.autotune(configs=os.getenv('CONFIGS'), key=[])\n"
                 "@triton.jit\ndef k(n, A: tl.constexpr): pass\n");
    tilec_arg n = of_int("n", 5);
    refused(s, TILEC_REFUSED, &n, 1, "hint: it comes from `os.getenv('CONFIGS')`");
}

/* heuristics */

#define HEURISTIC_HEAD                                                                             \
    "import math\nimport os\nimport torch\n" HEAD                                                  \
    "SIZES = [16, 32, 64]\ndef half(n, by=2):\n    'half of it'\n    return n // by\n"             \
    "loop = lambda a: loop(a)\nsizes = lambda a: a['x'].size()\ndef loud(args):\n    "             \
    "print(args)\n    return 1\n"                                                                  \
    "def big(args): return half(args['n'], by()) > SIZES[-1]\nby = lambda: 2\n"

/* A kernel whose E is `function` of m = 4096, x = fp16[3, 5] with rows 8 apart, and none. */
static void load_heuristic(Scene *s, const char *function)
{
    char text[2048];

    snprintf(text, sizeof text,
             HEURISTIC_HEAD "@triton.autotune([triton.Config({'B': 64}, num_warps=2)], [])\n"
                            "@triton.heuristics({'E': %s})\n@triton.jit\n"
                            "def k(n, x, none, E: tl.constexpr, B: tl.constexpr, D=7): pass\n",
             function);
    tilec_unload(s->file);
    s->file = NULL;
    load(s, text);
}

static const int64_t heuristic_shape[] = {3, 5}, heuristic_strides[] = {8, 1};
static uint16_t heuristic_data[64];

static Binding *bind_heuristic(Scene *s, const char *function)
{
    const tilec_arg args[] = {
        of_int("n", 4096),
        {.name = "x",
         .kind = TILEC_ARG_TENSOR,
         .tensor = {heuristic_data, TILEC_FP16, 2, heuristic_shape, heuristic_strides}},
        {.name = "none", .kind = TILEC_ARG_NONE},
    };

    load_heuristic(s, function);
    return bind_one(s, args, 3);
}

static void test_heuristics_are_evaluated(void **state)
{
    static const struct {
        const char *function;
        int64_t want;
    } cases[] = {
        {"lambda args: args['n'] % args['B'] == 0", 1},
        {"lambda a: a['n'] // 3", 1365},
        {"lambda a: -a['n'] // 3", -1366},
        {"lambda a: a['D'] + a['num_warps']", 9},
        {"lambda a: a['num_stages']", 3},
        {"lambda a: 1 if a['n'] < 5000 and not a['B'] == 32 else 2", 1},
        {"lambda a: a['none'] or 5", 5},
        {"lambda a: 0 < a['B'] <= 64 < a['n']", 1},
        {"lambda a: min(a['n'], 128)", 128},
        {"lambda a: max(SIZES)", 64},
        {"lambda a: len(SIZES) + SIZES[-1]", 67},
        {"lambda a: triton.cdiv(a['n'] + 1, a['B'])", 65},
        {"lambda a: triton.next_power_of_2(a['n'] - 1)", 4096},
        {"lambda a: triton.next_power_of_2(0)", 0},
        {"lambda a: len(range(2**126, 2**126 - 1 + 2**126, 2**126))", 1},
        {"lambda a: len(range(-2**126, -2**126 - 2**126, -2**126 - 1))", 1},
        {"lambda a: int(math.log2(a['n']))", 12},
        {"lambda a: math.ceil(a['n'] / 3)", 1366},
        {"lambda a: half(a['n'])", 2048},
        {"lambda a: half(a['n'], 4) + half(by=3, n=9) if False else 3", 3},
        {"big", 1},
        {"lambda a: big(a)", 1},
        {"lambda _: sum_ if 0 else 8", 8},
        {"lambda a: (lambda b: b * 2)(a['B'])", 128},
        {"lambda a, more=SIZES: more[1]", 32},
        {"lambda a: a.get('nothing', 11)", 11},
        {"lambda a: a.get('nothing') is None", 1},
        {"lambda a: 'n' in a and 'nothing' not in a", 1},
        {"lambda a: a['x'] is not None", 1},
        {"lambda a: a['x'] == None", 0},
        {"lambda a: a['none'] is None", 1},
        {"lambda a: a['n'] is not None", 1},
        {"lambda a: a['x'].dtype == torch.float16", 1},
        {"lambda a: a['x'].dtype in [tl.float32, tl.bfloat16]", 0},
        {"lambda a: a['x'].element_size() + a['x'].dtype.itemsize + a['x'].itemsize", 6},
        {"lambda a: a['x'].numel() + a['x'].dim() + a['x'].ndim", 19},
        {"lambda a: a['x'].shape[0] * 100 + a['x'].shape[-1] * 10 + a['x'].size(1)", 355},
        {"lambda a: a['x'].stride(0) * 10 + a['x'].stride(-1)", 81},
        {"lambda a: len(a['x'].stride())", 2},
        {"lambda a: sizes(a)[0] + a['x'].stride()[0]", 11},
        {"lambda a: (a['x'].data_ptr() % 2 == 0)", 1},
        {"lambda a: [i for i, x in enumerate(SIZES) if x == a['B']][0]", 2},
    };

    for (int i = 0; i < COUNT(cases); i++) {
        const Const *c = &bind_heuristic(*state, cases[i].function)->front[3].constant;

        if (c->integer != cases[i].want)
            print_error("%s gives %ld\n", cases[i].function, (long)c->integer);
        assert_true(c->kind == CONST_INT || c->kind == CONST_BOOL);
        assert_true(c->integer == cases[i].want);
    }
}

static void test_heuristics_that_cannot_be_evaluated(void **state)
{
    static const struct {
        const char *function, *why;
    } cases[] = {
        {"lambda a: os.cpu_count()", "note: `os.cpu_count` cannot be called here\n"},
        {"lambda a: a['n'] // a['none'].x", "note: `none` is no array\n"},
        {"lambda a: a['n'] // 0", "note: division by zero\n"},
        {"lambda a: a['nothing']", "note: `nothing` has no value\n"},
        {"lambda a: a['E']", "note: `E` has no value\n"},
        {"lambda a: a['x']", "note: `x` is an array, which has no value here\n"},
        {"lambda a: a['x'].storage()", "note: what `storage` of an array is cannot be told here\n"},
        {"lambda a: a['x'].size(2)", "note: the array has 2 dimensions\n"},
        {"lambda a: LIMIT", "note: `LIMIT` is no constant of this file\n"},
        {"lambda a: SIZES[3]", "note: there are only 3 elements\n"},
        {"lambda a: a['n'] < 'text'", "note: these cannot be compared\n"},
        {"lambda a, b: 1", "note: it cannot be called with 1 arguments\n"},
        {"lambda: 1", "note: it takes 0 arguments, not 1\n"},
        {"lambda **a: 1", "note: it cannot be called with 1 arguments\n"},
        {"loud", "note: only functions of one `return` statement can be evaluated\n"},
        {"os.cpu_count", "note: this is no function of this file\n"},
        {"lambda a: half(1, 2, 3)", "note: it takes 2 arguments, not 3\n"},
        {"lambda a: len(range(10**9))", "note: evaluating this takes too long\n"},
        {"lambda a: big", "note: `big` is no constant of this file\n"},
        {"lambda a: a", "note: this is beyond what can be evaluated here\n"},
        {"lambda a: SIZES[0](1)", "note: `this` cannot be called here\n"},
        {"lambda a: loop(a)", "note: this is beyond what can be evaluated here\n"},
        {"lambda a: min()", "note: `min` does not take 0 arguments\n"},
        {"lambda a: len(itertools.product(3, SIZES))", "note: "},
    };
    Scene *s = *state;

    for (int i = 0; i < COUNT(cases); i++) {
        const tilec_arg args[] = {
            of_int("n", 4096),
            {.name = "x",
             .kind = TILEC_ARG_TENSOR,
             .tensor = {heuristic_data, TILEC_FP16, 2, heuristic_shape, heuristic_strides}},
            {.name = "none", .kind = TILEC_ARG_NONE},
            of_int("E", 3),
        };
        tilec_param p;

        load_heuristic(s, cases[i].function);
        refused(s, TILEC_REFUSED, args, 3, cases[i].why);
        refused(s, TILEC_REFUSED, args, 3,
                "`E` was not given, and its heuristic cannot be evaluated");
        assert_int_equal((int)bind_one(s, args, 4)->front[3].constant.integer, 3);
        assert_int_equal(tilec_param_info(s->file, NULL, 3, &p), TILEC_OK);
        assert_true(p.is_computed && p.has_default && !p.has_value);
    }
}

/* R341, R346: configurations first, then the functions in order, each seeing those before it. */
static void test_heuristics_see_earlier_values(void **state)
{
    Scene *s = *state;
    tilec_arg args[2] = {of_int("n", 100)};

    load(s,
         HEAD "@triton.autotune([triton.Config({'B': 64, 'C': 3})], [])\n"
              "@triton.heuristics({'B': lambda a: min(a['B'], a['n'] // 4),\n"
              "                    'num_warps': lambda a: a['B'] // 5,\n"
              "                    'W': lambda a: a['num_warps'] + a['C']})\n"
              "@triton.heuristics({'W': lambda a: 10 * a['W']})\n"
              "@triton.jit\ndef k(n, W: tl.constexpr, B: tl.constexpr, C: tl.constexpr): pass\n");
    const Binding *b = bind_one(s, args, 1);
    assert_int_equal((int)b->front[1].constant.integer, 80);
    assert_int_equal((int)b->front[2].constant.integer, 25);
    args[1] = of_int("B", 10);
    b = bind_one(s, args, 2);
    assert_int_equal((int)b->front[1].constant.integer, 50);
    assert_int_equal((int)b->front[2].constant.integer, 10);
}

/* A shape that no memory has is the tensor's fault, and none of the heuristic's business. */
static void test_heuristics_of_absurd_shapes(void **state)
{
    Scene *s = *state;
    const int64_t shape[] = {INT64_MAX, INT64_MAX, INT64_MAX};
    tilec_arg x = {.kind = TILEC_ARG_TENSOR, .tensor = {heuristic_data, TILEC_I8, 3, shape}};

    load(s,
         HEAD "@triton.heuristics({'E': lambda a: a['x'].numel(), 'F': lambda a: 1})\n"
              "@triton.heuristics(other.values)\n"
              "@triton.jit\ndef k(x, E: tl.constexpr, F: tl.constexpr, G: tl.constexpr): pass\n");
    refused(s, TILEC_REFUSED, &x, 1, "note: this is beyond what can be evaluated here\n");
    refused(s, TILEC_REFUSED, &x, 1, "`G` was not given");
    refused(s, TILEC_REFUSED, &x, 1, "note: what this gives cannot be read\n");
}

/* What follows from a missing argument is no news. */
static void test_heuristics_without_their_arguments(void **state)
{
    Scene *s = *state;
    tilec_arg x = of_int("x", 1);

    load(s, HEAD "@triton.heuristics({'E': lambda a: a['n'] > 1, 'F': lambda a: a['E']})\n"
                 "@triton.jit\ndef k(x, n, E: tl.constexpr, F: tl.constexpr): pass\n");
    refused(s, TILEC_REFUSED, &x, 1, "argument `n` was not given");
    tilec_prepare(s->file, NULL, &x, 1, NULL, &s->error);
    assert_null(strstr(s->error, "heuristic"));
    tilec_free(s->error);
    s->error = NULL;
}

/* A computed value makes the code that the same value makes when it is given. */
static void test_computed_values_specialise(void **state)
{
    Scene *s = *state;
    uint64_t hashes[4];
    const char *const kinds[] = {"a['n'] // 100", "a['n'] * 1.0", "(a['n'], 'x')",
                                 "'a' + ('b' if a['n'] > 500 else 'c')"};

    for (int i = 0; i < COUNT(kinds); i++) {
        char text[512];

        snprintf(text, sizeof text,
                 HEAD "@triton.heuristics({'E': lambda a: %s})\n@triton.jit\n"
                      "def k(n: tl.int32, E: tl.constexpr): pass\n",
                 kinds[i]);
        tilec_unload(s->file);
        s->file = NULL;
        load(s, text);
        for (int k = 0; k < 3; k++) {
            tilec_arg n = of_int("n", k == 0 ? 321 : 654 + (k == 2 ? 1 : 0));
            hashes[k] = bind_one(s, &n, 1)->hash;
        }
        assert_true(hashes[0] != hashes[1]);
        assert_true((hashes[1] == hashes[2]) == (i == 0 || i == 3));
    }
    tilec_arg given[] = {of_int("n", 500), {.name = "E", .kind = TILEC_ARG_STRING, .text = "ac"}};
    hashes[0] = bind_one(s, given, 1)->hash;
    assert_true(bind_one(s, given, 2)->hash == hashes[0]);
}

static void test_values_of_parameters_are_told(void **state)
{
    Scene *s = *state;
    tilec_arg args[] = {of_int("n", 100), of_int("C", 3)}, v;
    const tilec_launch_options options = {.num_warps = 16};

    load(s, HEAD "@triton.autotune([triton.Config({'B': 64})], [])\n"
                 "@triton.heuristics({'C': lambda a: a['B'] + a['n'],\n"
                 "                    'S': lambda a: 'b' + 'c', 'T': lambda a: (1, 2)})\n"
                 "@triton.jit\ndef k(n, C: tl.constexpr, B: tl.constexpr, S: tl.constexpr,\n"
                 "      T: tl.constexpr, num_warps: tl.constexpr, D=5): pass\n");
    assert_int_equal(tilec_param_value(s->file, NULL, 0, args, 1, NULL, &v, &s->error), TILEC_OK);
    assert_true(v.kind == TILEC_ARG_INT && v.integer == 100);
    assert_int_equal(tilec_param_value(s->file, NULL, 1, args, 1, NULL, &v, &s->error), TILEC_OK);
    assert_true(v.kind == TILEC_ARG_INT && v.integer == 164);
    assert_string_equal(v.name, "C");
    assert_int_equal(tilec_param_value(s->file, NULL, 1, args, 2, NULL, &v, &s->error), TILEC_OK);
    assert_true(v.integer == 3);
    assert_int_equal(tilec_param_value(s->file, NULL, 2, args, 1, NULL, &v, &s->error), TILEC_OK);
    assert_true(v.integer == 64);
    assert_int_equal(tilec_param_value(s->file, NULL, 3, args, 1, NULL, &v, &s->error), TILEC_OK);
    assert_string_equal(v.text, "bc");
    assert_int_equal(tilec_param_value(s->file, NULL, 5, args, 1, &options, &v, NULL), TILEC_OK);
    assert_true(v.integer == 16);
    assert_int_equal(tilec_param_value(s->file, NULL, 4, args, 1, NULL, &v, NULL), TILEC_NOT_FOUND);
    assert_int_equal(tilec_param_value(s->file, NULL, 7, args, 1, NULL, &v, NULL), TILEC_NOT_FOUND);
    assert_int_equal(tilec_param_value(s->file, NULL, 1, NULL, 0, NULL, &v, NULL), TILEC_REFUSED);
    assert_int_equal(tilec_param_value(s->file, NULL, 1, args, 1, NULL, NULL, NULL),
                     TILEC_BAD_ARGUMENT);
}

static void test_annotated_values_are_checked(void **state)
{
    Scene *s = *state;
    float x[4] = {0};
    const int64_t shape[] = {4};
    tilec_arg a;

    load(s, HEAD "@triton.jit\ndef k(v: tl.int8): pass\n");
    a = of_int(NULL, 127);
    assert_int_equal(bind_one(s, &a, 1)->slots[0], 127);
    a = of_int(NULL, -128);
    assert_int_equal(bind_one(s, &a, 1)->slots[0], 128); /* bits, zero-extended */
    a = of_int(NULL, 128);
    refused(s, TILEC_REFUSED, &a, 1, "too large");
    a = (tilec_arg){.kind = TILEC_ARG_FLOAT, .real = 1};
    refused(s, TILEC_REFUSED, &a, 1, "annotated as i8");
    a = of_floats(x, shape);
    refused(s, TILEC_REFUSED, &a, 1, "a tensor of fp32 was given");
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
    assert_true(disjoint(3, front, repeated, &bytes));
    assert_true(bytes == 44);
}

/* The parameters that a kernel stores through, from the text of its IR. */
static uint64_t stored_by(const char *source, const tilec_arg *args, int n)
{
    Arena *a = arena_new(NULL);
    Diags *d = diags_new(a);
    Source src = {"test.py", source, strlen(source)};
    FrontFile *f = front_parse(a, interner_new(a), &src, d);
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
    Module *m = front_lower(f, k->name, front, n, a, d);
    if (!m)
        print_error("%s", diags_text(d, a));
    assert_non_null(m);
    const Func *kernel = NULL;
    for (int i = 0; i < m->nfuncs; i++)
        if (m->funcs[i]->is_kernel)
            kernel = m->funcs[i];
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

    assert_int_equal(tilec_device_count(s->ctx), 2);
    assert_int_equal(tilec_device_info(s->ctx, 0, &d), TILEC_OK);
    assert_string_equal(d.name, "cpu");
    assert_true(d.threads >= 1 && d.description && d.available);
    assert_int_equal(tilec_device_info(s->ctx, 2, &d), TILEC_NOT_FOUND);
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
    static const char *const stages[] = {"ast", "ir", "opt", "plan", "llvm", "asm"};
    int count = has_cpu() ? COUNT(stages) : 3;

    load(s, add_source);
    for (int i = 0; i < count; i++) {
        char *text = NULL;
        if (tilec_dump(s->file, NULL, stages[i], args, 5, NULL, &text, &s->error) != TILEC_OK)
            print_error("%s: %s", stages[i], s->error);
        assert_non_null(text);
        assert_true(strlen(text) > 20);
        if (i == 1 || i == 2)
            assert_non_null(strstr(text, "fp16[224]"));
        tilec_free(text);
    }
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

static void test_cpu_uses_the_cache_of_another_context(void **state)
{
    Scene *s = *state;
    char folder[] = "/tmp/tilec-test-XXXXXX", command[64];
    float x[4] = {1, 2, 3, 4}, out[4];
    const int64_t shape[] = {4};
    const int32_t grid[3] = {1, 1, 1};
    const tilec_arg args[] = {of_floats(x, shape), of_floats(x, shape), of_floats(out, shape),
                              of_int(NULL, 4), of_int(NULL, 4)};

    if (!has_cpu())
        skip();
    assert_non_null(mkdtemp(folder));
    for (int round = 0; round < 2; round++) {
        tilec_stats stats;
        tear_down(state);
        s = *state = calloc(1, sizeof *s);
        assert_int_equal(tilec_open(folder, &s->ctx, NULL), TILEC_OK);
        load(s, add_source);
        memset(out, 0, sizeof out);
        launch(s, "cpu", 1, args, 5);
        assert_true(out[3] == 8);
        assert_int_equal(tilec_launch_stats(s->file, NULL, grid, args, 5, NULL, &stats, &s->error),
                         TILEC_OK);
        assert_int_equal(stats.from_cache, round);
        assert_true(stats.compile_seconds > 0);
    }
    snprintf(command, sizeof command, "rm -r %s", folder);
    assert_int_equal(system(command), 0);
}

/* many threads */

/* Each thread in a context of its own. */
static void *first_compile(void *right)
{
    Scene *s;
    const tilec_arg args[] = {
        {.kind = TILEC_ARG_TYPE, .dtype = TILEC_FP32, .pointer = 1},
        {.kind = TILEC_ARG_TYPE, .dtype = TILEC_FP32, .pointer = 1},
        {.kind = TILEC_ARG_TYPE, .dtype = TILEC_FP32, .pointer = 1},
        {.kind = TILEC_ARG_TYPE, .dtype = TILEC_I32},
        of_int(NULL, 64),
    };
    char *text = NULL;

    set_up((void **)&s);
    load(s, add_source);
    tilec_status status = tilec_dump(s->file, NULL, "asm", args, 5, NULL, &text, NULL);
    *(bool *)right = status == TILEC_FAILED || (status == TILEC_OK && strstr(text, "tilec_kernel"));
    tilec_free(text);
    tear_down((void **)&s);
    return NULL;
}

/* Runs first, before anything has opened the code generator. */
static void test_threads_compile_first(void **state)
{
    pthread_t threads[6];
    bool right[6];

    (void)state;
    for (int i = 0; i < COUNT(threads); i++)
        assert_int_equal(pthread_create(&threads[i], NULL, first_compile, &right[i]), 0);
    for (int i = 0; i < COUNT(threads); i++) {
        pthread_join(threads[i], NULL);
        assert_true(right[i]);
    }
}

typedef struct {
    Scene *scene;
    const char *device, *varied; /* the parameter that differs between launches, or NULL */
    int self;
    bool right;
} Worker;

static void *launch_many(void *arg)
{
    Worker *w = arg;
    enum { N = 300 };
    float x[N], out[N];
    const int64_t shape[] = {N};
    const int32_t grid[3] = {N / 50, 1, 1};
    const tilec_launch_options options = {.device = w->device};

    w->right = true;
    for (int round = 0; round < 20; round++) {
        /* all threads meet on some specialisations and not on others */
        const tilec_arg args[] = {of_floats(x, shape), of_floats(x, shape), of_floats(out, shape),
                                  of_int(NULL, N), of_int(w->varied, 50 + round % 5)};
        for (int i = 0; i < N; i++)
            x[i] = (float)(i + w->self), out[i] = 0;
        if (tilec_launch(w->scene->file, NULL, grid, args, 5, &options, NULL) != TILEC_OK)
            w->right = false;
        for (int i = 0; i < N; i++)
            w->right = w->right && out[i] == 2 * x[i];
    }
    return NULL;
}

static void check_threads(Scene *s, const char *device, const char *varied)
{
    pthread_t threads[6];
    Worker workers[6];

    for (int i = 0; i < COUNT(threads); i++) {
        workers[i] = (Worker){s, device, varied, i, false};
        assert_int_equal(pthread_create(&threads[i], NULL, launch_many, &workers[i]), 0);
    }
    for (int i = 0; i < COUNT(threads); i++) {
        pthread_join(threads[i], NULL);
        assert_true(workers[i].right);
    }
}

static void test_many_threads_launch(void **state)
{
    load(*state, add_source);
    check_threads(*state, "interp", NULL);
    if (has_cpu())
        check_threads(*state, "cpu", NULL);
}

/* Evaluating must leave no trace in the file. */
static void test_many_threads_evaluate_heuristics(void **state)
{
    load(*state, computed_source);
    check_threads(*state, "interp", "width");
    if (has_cpu())
        check_threads(*state, "cpu", "width");
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

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_threads_compile_first),
        TEST(test_kernels_and_parameters_are_listed),
        TEST(test_helpers_are_not_the_only_kernel),
        TEST(test_files_that_cannot_be_loaded),
        TEST(test_a_broken_kernel_does_not_spoil_the_others),
        TEST(test_arguments_by_position_and_name),
        TEST(test_wrong_arguments_are_named_at_their_place),
        TEST(test_wrong_calls),
        TEST(test_a_launch_option_of_any_integer_kind),
        TEST(test_numbers_in_another_locale),
        TEST(test_files_do_not_grow),
        TEST(test_what_stops_the_interpreter),
        TEST(test_run_time_types),
        TEST(test_specialisation),
        TEST(test_constants_of_different_types_do_not_meet),
        TEST(test_defaults_and_tuning),
        TEST(test_values_of_defaults_are_told),
        TEST(test_options_fill_parameters_of_their_name),
        TEST(test_configurations_that_cannot_be_read),
        TEST(test_heuristics_are_evaluated),
        TEST(test_heuristics_that_cannot_be_evaluated),
        TEST(test_heuristics_see_earlier_values),
        TEST(test_heuristics_of_absurd_shapes),
        TEST(test_heuristics_without_their_arguments),
        TEST(test_computed_values_specialise),
        TEST(test_values_of_parameters_are_told),
        TEST(test_annotated_values_are_checked),
        TEST(test_overlapping_tensors),
        TEST(test_what_is_stored_through),
        TEST(test_devices),
        TEST(test_dump_shows_stages),
        TEST(test_stats),
        TEST(test_cpu_agrees_with_the_interpreter),
        TEST(test_cpu_uses_the_cache_of_another_context),
        TEST(test_many_threads_launch),
        TEST(test_many_threads_evaluate_heuristics),
        TEST(test_lack_of_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
