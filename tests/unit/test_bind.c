/*
 * test_bind.c - from the arguments of a call to parameters: types, constants, defaults, heuristics
 */
#include "scene.h"

/* arguments */

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
    bad[0] = of_int("n", 4), bad[1] = of_int("BLOCK", 4);
    refused(s, TILEC_REFUSED, bad, 2,
            "hint: `add` takes x, y, out, n, BLOCK, and was given n, BLOCK: write x=VALUE, too; "
            "`tilec list test.py` shows a call");
    refused(s, TILEC_REFUSED, good, 4,
            "hint: by position there are arguments for `x`, `y`, `out`, `n`; is one missing");
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
    WRONG(3, ((tilec_arg){.kind = TILEC_ARG_STRING, .text = "4"}), TILEC_REFUSED,
          "hint: it is the text of a number: pass the number, n=4");
    WRONG(3, ((tilec_arg){.kind = TILEC_ARG_STRING}), TILEC_BAD_ARGUMENT, "NULL");
    WRONG(3, ((tilec_arg){.kind = TILEC_ARG_OBJECT, .text = "key"}), TILEC_REFUSED,
          "`n` is a run-time parameter; an object cannot be passed");
    WRONG(4, ((tilec_arg){.kind = TILEC_ARG_OBJECT, .text = "key"}), TILEC_REFUSED,
          "`BLOCK` is an object of the caller's");
    WRONG(4, ((tilec_arg){.kind = TILEC_ARG_OBJECT}), TILEC_BAD_ARGUMENT, "NULL");
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

/* A product is added as it is where the launch says so: that is other code, beside the usual. */
static void test_enable_fp_fusion(void **state)
{
    Scene *s = *state;
    const int64_t shape[] = {1};
    float out[1] = {1};
    tilec_arg args[] = {
        of_floats(out, shape),
        {.kind = TILEC_ARG_FLOAT, .real = 1 + 0x1p-12},
        {.name = "enable_fp_fusion", .kind = TILEC_ARG_BOOL},
    };

    load(s, HEAD "@triton.jit\ndef k(out, a): tl.store(out, a * a - (1 + 2.0**-11))\n");
    for (int said = 0; said < 6; said++) {
        args[2].integer = said % 2;
        args[2].kind = said < 4 ? TILEC_ARG_BOOL : TILEC_ARG_INT;
        launch(s, "interp", 1, args, 3);
        assert_true(out[0] == (said % 2 ? 0x1p-24F : 0));
        launch(s, "interp", 1, args, 2);
        assert_true(out[0] == 0);
    }
    args[2].kind = TILEC_ARG_NONE;
    launch(s, "interp", 1, args, 3);
    assert_true(out[0] == 0);
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

/* One form for whatever is given. */
static void test_unspecialised(void **state)
{
    Scene *s = *state;
    _Alignas(64) static float memory[64];
    const int64_t shape[] = {1}, values[] = {0, 1, 7, 48, -3};
    static Binding b;
    uint64_t hash = 0;

    load(s, HEAD "@triton.jit\ndef k(p, v, w=1): pass\n");
    for (int i = 0; i < COUNT(values); i++) {
        const tilec_arg args[] = {
            {.kind = TILEC_ARG_TENSOR, .tensor = {memory + 4 * i + i % 2, TILEC_FP32, 1, shape}},
            of_int(NULL, values[i])};
        Request r = {.file = s->file,
                     .kernel = &s->file->kernels[0],
                     .args = args,
                     .nargs = 2,
                     .options.unspecialised = 1,
                     .binding = &b};
        memset(&b, 0, sizeof b);
        assert_int_equal(bind_request(&r, NULL), TILEC_OK);
        assert_int_equal(b.nslots, 3);
        assert_int_equal(b.params[0].divisible, 1);
        assert_int_equal(b.params[1].divisible, 1);
        assert_true(i == 0 || b.hash == hash);
        hash = b.hash;
    }
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
    assert_true(bind_one(s, &a, 1)->params[0].is_constexpr);
    assert_int_equal(bind_one(s, &a, 1)->nslots, 0);
    a = of_int(NULL, 0);
    assert_int_equal(bind_one(s, &a, 1)->params[0].divisible, 16);
    a = of_int(NULL, 48);
    assert_int_equal(bind_one(s, &a, 1)->params[0].divisible, 16);
    hash = bind_one(s, &a, 1)->hash;
    a = of_int(NULL, -32);
    assert_int_equal(bind_one(s, &a, 1)->slots[0], (uint32_t)-32);
    assert_true(bind_one(s, &a, 1)->hash == hash); /* one compiled kernel serves both */
    a = of_int(NULL, 49);
    assert_int_equal(bind_one(s, &a, 1)->params[0].divisible, 1);
    assert_false(bind_one(s, &a, 1)->hash == hash);
    a = (tilec_arg){.kind = TILEC_ARG_BOOL, .integer = 1};
    assert_false(bind_one(s, &a, 1)->params[0].is_constexpr); /* True is not 1 */
    for (int offset = 0; offset < 64; offset += 4) {
        a = of_floats(memory + offset / 4, shape);
        int wanted = offset == 0 ? 64 : offset % 16 == 0 ? 16 : 1;
        assert_int_equal(bind_one(s, &a, 1)->params[0].divisible, wanted);
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
    for (int i = 0; i < COUNT(args); i++) {
        for (int k = 0; k < i; k++) {
            uint64_t hash = bind_one(s, &args[i], 1)->hash;
            assert_false(bind_one(s, &args[k], 1)->hash == hash);
        }
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
    assert_false(b->params[0].is_constexpr);
    assert_int_equal(b->slots[0], 5);
    assert_int_equal((int)b->params[1].constant.integer, 32);
    assert_int_equal((int)b->params[2].constant.integer, 8);
    b = bind_one(s, &given, 1);
    assert_int_equal((int)b->params[2].constant.integer, 64);
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
    assert_int_equal((int)bind_one(s, &a, 1)->params[1].constant.integer, 4);
    assert_int_equal(tilec_param_info(s->file, NULL, 1, &p), TILEC_OK);
    assert_true(p.has_default);
    Request r = {.file = s->file,
                 .kernel = &s->file->kernels[0],
                 .args = &a,
                 .nargs = 1,
                 .options = {.num_warps = 8},
                 .binding = bind_one(s, &a, 1)};
    assert_int_equal(bind_request(&r, NULL), TILEC_OK);
    assert_int_equal((int)r.binding->params[1].constant.integer, 8);
}

static void test_configurations_that_cannot_be_read(void **state)
{
    Scene *s = *state;

    load(s, HEAD "import os\n"
                 "@triton.autotune(configs=os.getenv('TILEC_TEST_CONFIGS'), key=[])\n"
                 "@triton.jit\ndef k(n, A: tl.constexpr): pass\n");
    tilec_arg n = of_int("n", 5);
    refused(s, TILEC_REFUSED, &n, 1, "hint: it comes from `os.getenv('TILEC_TEST_CONFIGS')`");
}

/* Tuples and functions are constants; each value compiles anew, and equal ones do not. */
static void test_tuples_and_functions(void **state)
{
    Scene *s = *state;
    const tilec_arg one = of_int(NULL, 1), two = of_int(NULL, 2);
    const tilec_arg inner = {.kind = TILEC_ARG_TUPLE, .items = &two, .nitems = 1};
    const tilec_arg items[] = {one, inner};
    tilec_arg circle = {.name = "T", .kind = TILEC_ARG_TUPLE, .nitems = 1};
    tilec_arg args[] = {
        {.name = "T", .kind = TILEC_ARG_TUPLE, .items = items, .nitems = 2},
        {.name = "F", .kind = TILEC_ARG_FUNCTION, .text = "f"},
        {.name = "n", .kind = TILEC_ARG_FUNCTION, .text = "f"},
    };

    load(s, HEAD "@triton.jit\ndef k(T: tl.constexpr, F: tl.constexpr, n=3): F(f(g(T[0])))\n"
                 "@triton.jit\ndef f(x): return x\n@triton.jit\ndef g(x): return -x\n");
    uint64_t hash = bind_one(s, args, 2)->hash;
    assert_true(bind_one(s, args, 2)->hash == hash);
    args[1].text = "g";
    assert_true(bind_one(s, args, 2)->hash != hash);
    args[0].nitems = 1;
    args[1].text = "f";
    assert_true(bind_one(s, args, 2)->hash != hash);
    bind_one(s, args, 3); /* R24, R144: also where the parameter is no constexpr */
    args[1].text = "h";
    refused(s, TILEC_REFUSED, args, 2, "no @triton.jit function `h`, which is given for `F`");
    args[1].text = NULL;
    refused(s, TILEC_BAD_ARGUMENT, args, 2, "no @triton.jit function `NULL`");
    circle.items = &circle;
    args[0] = circle;
    refused(s, TILEC_BAD_ARGUMENT, args, 1, "the tuple given for `T` holds what is no constant");
    args[0].nitems = -1;
    refused(s, TILEC_BAD_ARGUMENT, args, 1, "the tuple given for `T` holds what is no constant");
}

/* R24: in a tuple for a parameter that is no constexpr, numbers but 1 are run-time values. */
static void test_run_time_tuples(void **state)
{
    Scene *s = *state;
    const tilec_arg half = {.kind = TILEC_ARG_FLOAT, .real = 0.5};
    const tilec_arg large = {.kind = TILEC_ARG_UINT, .uinteger = UINT64_MAX};
    const tilec_arg items[] = {of_int(NULL, 1), of_int(NULL, 8), half, large};
    const tilec_arg all[] = {{.kind = TILEC_ARG_TUPLE, .items = items, .nitems = 4},
                             {.kind = TILEC_ARG_FUNCTION, .text = "f"}};
    float out[6] = {0};
    const int64_t shape[] = {6};
    const tilec_arg args[] = {of_floats(out, shape),
                              {.kind = TILEC_ARG_TUPLE, .items = all, .nitems = 2}};

    load(s, HEAD "@triton.jit\ndef k(p, t):\n"
                 "    s = t[0]\n"
                 "    f(s[0])\n"
                 "    tl.static_assert(s[1].dtype == tl.int32)\n"
                 "    tl.static_assert(s[2].dtype == tl.float32)\n"
                 "    tl.static_assert(s[3].dtype == tl.uint64)\n"
                 "    tl.store(p + tl.arange(0, 2), t[1](s[2] * s[1]))\n"
                 "@triton.jit\ndef f(x): return -x\n");
    launch(s, "interp", 1, args, 2);
    assert_true(out[0] == -4 && out[1] == -4 && out[2] == 0);
    tilec_unload(s->file);
    load(s, HEAD "@triton.jit\ndef k(p, t): tl.arange(f(0), t[0][1])\n"
                 "@triton.jit\ndef f(x): return -x\n");
    refused(s, TILEC_REFUSED, args, 2, "must be of type tl.constexpr");
    tilec_unload(s->file);
    load(s, HEAD "@triton.jit\ndef k(p, t: tl.int32): f(t)\n"
                 "@triton.jit\ndef f(x): return -x\n");
    refused(s, TILEC_REFUSED, args, 2, "`t` is annotated as i32; a tuple was given");
}

/* What a tuple holds is as it would be alone: arrays, constants, tuples with names. */
static void test_values_in_tuples(void **state)
{
    Scene *s = *state;
    float x[4] = {1, 2, 3, 4}, out[4] = {0};
    const int64_t shape[] = {4};
    const tilec_arg four = of_int(NULL, 4);
    tilec_arg inner[] = {of_int(NULL, 7), {.kind = TILEC_ARG_NONE}};
    tilec_arg items[] = {of_floats(x, shape),
                         {.name = "n", .kind = TILEC_ARG_CONSTEXPR, .items = &four, .nitems = 1},
                         {.name = "more", .kind = TILEC_ARG_TUPLE, .items = inner, .nitems = 2}};
    tilec_arg args[] = {of_floats(out, shape),
                        {.kind = TILEC_ARG_TUPLE, .items = items, .nitems = 3}};

    items[0].name = "x";
    load(s, HEAD "@triton.jit\ndef k(p, t):\n"
                 "    i = tl.arange(0, t.n)\n"
                 "    tl.static_assert(t[2][1] is None)\n"
                 "    tl.static_assert(t.more[0].dtype == tl.int32)\n"
                 "    tl.store(p + i, tl.load(t.x + i) * t.more[0])\n");
    launch(s, "interp", 1, args, 2);
    assert_true(out[0] == 7 && out[3] == 28);
    Binding b = *bind_one(s, args, 2);
    assert_int_equal(b.nslots, 3);
    assert_int_equal((int)b.slots[2], 7);
    inner[0] = of_int(NULL, 9); /* the same code serves both */
    assert_true(bind_one(s, args, 2)->hash == b.hash);
    inner[0] = of_int(NULL, 1);
    assert_false(bind_one(s, args, 2)->hash == b.hash);
    inner[0] = of_int(NULL, 7);
    items[2].name = "less";
    assert_false(bind_one(s, args, 2)->hash == b.hash);
    items[2].nitems = 1;
    refused(s, TILEC_REFUSED, args, 2, "has no attribute `more`");
}

static void test_wrong_tuples(void **state)
{
    Scene *s = *state;
    const int64_t shape[] = {1};
    tilec_arg many[MAX_PARAMS], circle = {.kind = TILEC_ARG_TUPLE, .nitems = 1};
    tilec_arg tuple = {.kind = TILEC_ARG_TUPLE, .items = many, .nitems = MAX_PARAMS - 1};

    load(s, HEAD "@triton.jit\ndef k(t): pass\n");
    for (int i = 0; i < MAX_PARAMS; i++)
        many[i] = of_int(NULL, i + 2);
    assert_int_equal(bind_one(s, &tuple, 1)->nslots, MAX_PARAMS - 1);
    tuple.nitems++;
    refused(s, TILEC_REFUSED, &tuple, 1, "with `t` a launch has more than 192 arguments");
    tuple.nitems = 2;
    many[1] = of_floats(NULL, shape);
    refused(s, TILEC_BAD_ARGUMENT, &tuple, 1, "the tensor given for `t[1]` is wrong");
    many[1] = (tilec_arg){.name = "name", .kind = TILEC_ARG_STRING, .text = "relu"};
    refused(s, TILEC_REFUSED, &tuple, 1, "`t.name` is a run-time parameter; a string");
    circle.items = &circle;
    refused(s, TILEC_BAD_ARGUMENT, &circle, 1, "holds tuples more than 8 deep");
}

/* A descriptor is its array's pointer, extents and strides, of which the last one is known. */
static void test_descriptors(void **state)
{
    Scene *s = *state;
    float x[6] = {1, 2, 3, 4, 5, 6}, out[8] = {0};
    const int64_t shape[] = {2, 3}, all[] = {8}, apart[] = {3, 2};
    tilec_arg block[] = {of_int(NULL, 2), of_int(NULL, 4)};
    tilec_arg args[] = {
        of_floats(out, all),
        {.kind = TILEC_ARG_DESCRIPTOR, .tensor = {x, TILEC_FP32, 2, shape}, .items = block}};

    load(s, HEAD "@triton.jit\ndef k(p, d):\n"
                 "    i = tl.arange(0, 2)[:, None] * 4 + tl.arange(0, 4)[None, :]\n"
                 "    tl.store(p + i, d.load([1, 0]) + d.shape[0])\n");
    refused(s, TILEC_BAD_ARGUMENT, args, 2, "the extents of the tiles");
    args[1].nitems = 2;
    launch(s, "interp", 1, args, 2);
    for (int i = 0; i < 8; i++)
        assert_true(out[i] == (i < 3 ? x[3 + i] : 0) + 2);
    Binding b = *bind_one(s, args, 2);
    assert_int_equal(b.nslots, 5);
    args[1].integer = 1;
    assert_false(bind_one(s, args, 2)->hash == b.hash);
    launch(s, "interp", 1, args, 2);
    assert_true(out[2] == 8 && isnan(out[3]) && isnan(out[4]));
    args[1].tensor.strides = apart;
    refused(s, TILEC_REFUSED, args, 2, "the last of its strides is not 1");
}

/* heuristics */

#define HEURISTIC_HEAD                                                                             \
    "import math\nimport os\nimport torch\n" HEAD                                                  \
    "SIZES = [16, 32, 64]\ndef half(n, by=2):\n    'half of it'\n    return n // by\n"             \
    "loop = lambda a: loop(a)\nsizes = lambda a: a['x'].size()\ndef loud(args):\n    "             \
    "print(args)\n    return 1\n"                                                                  \
    "def big(args): return half(args['n'], by()) > SIZES[-1]\nby = lambda: 2\n"                    \
    "TABLE = {'b': 3}\n"                                                                           \
    "def steps(args):\n    n, out = args['n'], []\n    while n > 16:\n        n //= 4\n"           \
    "        out.append(n)\n    for i in range(3): out += [i] if i else []\n    return len(out)\n" \
    "GROWN = 1\nGROWN += 1\nEITHER = 2\nif torch.cuda.is_available(): EITHER = 3\n"

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
        {"lambda a: isinstance(a['x'], torch.Tensor) and not isinstance(a['n'], torch.Tensor)", 1},
        {"lambda a: isinstance(None, (torch.Tensor, int))", 0},
        {"lambda a: 3 if torch.version.hip else 4", 4},
        {"lambda a: [i for i, x in enumerate(SIZES) if x == a['B']][0]", 2},
        {"lambda a: int(math.sqrt(float(a['n'])))", 64},
        {"lambda a: sum((1, a['B']))", 65},
        {"lambda a: 'a' in 'abc'", 1},
        {"steps", 6},
        {"lambda a: SIZES.index(64) + TABLE.get('b')", 5},
        {"lambda a: tl.float32.itemsize", 4},
        {"lambda a: {'a': 1, **TABLE}.get('b', 4)", 3},
        {"lambda a: a['x'].dtype.is_floating() and a['x'].dtype.primitive_bitwidth == 16", 1},
        {"lambda a: len(f'{a[\"n\"]}-{SIZES[1:]}')", 13},
    };

    for (int i = 0; i < COUNT(cases); i++) {
        const Const *c = &bind_heuristic(*state, cases[i].function)->params[3].constant;

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
        {"lambda a: os.cpu_count()", "note: what `os.cpu_count` is cannot be known here\n"},
        {"lambda a: a['n'] // a['none'].x", "note: None has no attribute `x`\n"},
        {"lambda a: a['n'] // 0", "note: division by zero: 4096 and 0\n"},
        {"lambda a: a['nothing']", "note: `nothing` has no value\n"},
        {"lambda a: a['E']", "note: `E` has no value\n"},
        {"lambda a: a['x']", "note: `x` is an array, which has no value here\n"},
        {"lambda a: a['x'].storage()", "note: what `storage` of an array is cannot be told here\n"},
        {"lambda a: a['x'].size(2)", "note: the array has 2 dimensions\n"},
        {"lambda a: LIMIT", "note: `LIMIT` is not defined\n"},
        {"lambda a: GROWN", "note: what `GROWN` holds depends on more than its assignment\n"},
        {"lambda a: EITHER", "note: what `EITHER` holds depends on more than its assignment\n"},
        {"lambda a: SIZES[3]", "note: there are only 3 elements\n"},
        {"lambda a: a['n'] < 'text'", "note: these two have no order: 4096 and 'text'\n"},
        {"lambda a, b: 1", "note: lambda() is missing its argument `b`\n"},
        {"lambda: 1", "note: lambda() takes 0 arguments but 1 were given\n"},
        {"lambda **a: 1", "note: lambda() takes 0 arguments but 1 were given\n"},
        {"loud", "note: `print` is not defined\n"},
        {"os.cpu_count", "note: what `os.cpu_count` is cannot be known here\n"},
        {"lambda a: half(1, 2, 3)", "note: half() takes 2 arguments but 3 were given\n"},
        {"lambda a: len(range(10**9))", "note: evaluating this takes too long\n"},
        {"lambda a: big", "note: this gives a function, which no constexpr can be\n"},
        {"lambda a: a", "note: this gives the arguments, which no constexpr can be\n"},
        {"lambda a: SIZES[0](1)", "note: 16 cannot be called\n"},
        {"lambda a: loop(a)", "note: this is nested too deeply\n"},
        {"lambda a: min()", "note: min() is missing its argument `values`\n"},
        {"lambda a: len(itertools.product(3, SIZES))", "note: 3 cannot be iterated\n"},
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
        assert_int_equal((int)bind_one(s, args, 4)->params[3].constant.integer, 3);
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
    assert_int_equal((int)b->params[1].constant.integer, 80);
    assert_int_equal((int)b->params[2].constant.integer, 25);
    args[1] = of_int("B", 10);
    b = bind_one(s, args, 2);
    assert_int_equal((int)b->params[1].constant.integer, 50);
    assert_int_equal((int)b->params[2].constant.integer, 10);
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
    refused(s, TILEC_REFUSED, &x, 1, "note: nothing is as large as this array\n");
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

/* A configuration that cannot be read sets constexprs, if anything, and no arguments. */
static void test_unread_configurations(void **state)
{
    Scene *s = *state;
    tilec_arg x = of_int("x", 1);

    load(s, HEAD "@triton.autotune(configs=settings.get('k'), key=['n'])\n"
                 "@triton.jit\ndef k(x, n, B: tl.constexpr): pass\n");
    refused(s, TILEC_REFUSED, &x, 1,
            "the constexpr `B` was not given\n"
            "    def k(x, n, B: tl.constexpr): pass\n"
            "                ^~~~~~~~~~~~~~~\n"
            "test.py:4:26: note: `settings` is not defined\n"
            "    @triton.autotune(configs=settings.get('k'), key=['n'])\n"
            "                             ^~~~~~~~\n"
            "hint: it comes from `settings.get('k')`, which is not a constant of the file");
    tilec_prepare(s->file, NULL, &x, 1, NULL, &s->error);
    assert_non_null(strstr(s->error, "argument `n` was not given\n"));
    const char *hint = strstr(s->error, "hint: it comes from"); /* B's, and no other */
    assert_non_null(hint);
    assert_null(strstr(hint + 1, "hint: it comes from"));
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_arguments_by_position_and_name),
        TEST(test_wrong_arguments_are_named_at_their_place),
        TEST(test_a_launch_option_of_any_integer_kind),
        TEST(test_enable_fp_fusion),
        TEST(test_run_time_types),
        TEST(test_specialisation),
        TEST(test_unspecialised),
        TEST(test_constants_of_different_types_do_not_meet),
        TEST(test_defaults_and_tuning),
        TEST(test_values_of_defaults_are_told),
        TEST(test_options_fill_parameters_of_their_name),
        TEST(test_configurations_that_cannot_be_read),
        TEST(test_tuples_and_functions),
        TEST(test_run_time_tuples),
        TEST(test_values_in_tuples),
        TEST(test_wrong_tuples),
        TEST(test_descriptors),
        TEST(test_heuristics_are_evaluated),
        TEST(test_heuristics_that_cannot_be_evaluated),
        TEST(test_heuristics_see_earlier_values),
        TEST(test_heuristics_of_absurd_shapes),
        TEST(test_heuristics_without_their_arguments),
        TEST(test_unread_configurations),
        TEST(test_computed_values_specialise),
        TEST(test_values_of_parameters_are_told),
        TEST(test_annotated_values_are_checked),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
