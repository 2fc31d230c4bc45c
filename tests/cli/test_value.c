/* test_value.c - the language of NAME=VALUE: values, errors, random numbers, show, hints */
#include "help.h"

#include <math.h>
#include <string.h>

/* Evaluate with x = arange(fp32, 4x6), n = 1000, and s = 'relu' before it. */
static Const eval(Cli *c, const char *text)
{
    Names names = {0};
    static const char *const before[][2] = {
        {"x", "arange(fp32,4x6)"}, {"n", "1000"}, {"s", "'relu'"}, {"t", "True"}};

    for (int i = 0; i < COUNT(before); i++) {
        Named named = {before[i][0], value_parse(&c->store, &names, before[i][0], before[i][1])};

        vec_push(c->arena, &names, named);
    }
    return value_parse(&c->store, &names, "v", text);
}

static Array array_of(Cli *c, const char *text)
{
    Const v = eval(c, text);

    assert_non_null(value_array(&v));
    return *value_array(&v);
}

/* The exit code that it stops with; the text is in c->trouble. */
static CliCode eval_stops(Cli *c, const char *text)
{
    c->trouble = NULL;
    if (setjmp(c->guard.env) != 0)
        return c->code;
    eval(c, text);
    return CLI_DONE;
}

static CliCode list_stops(Cli *c, const Names *names, const char *text, Const *out, int limit)
{
    if (setjmp(c->guard.env) != 0)
        return c->code;
    value_parse_list(&c->store, names, "--grid", text, out, limit);
    return CLI_DONE;
}

static void check_integers(void **state)
{
    static const struct {
        const char *text;
        long long want;
    } cases[] = {
        {"7", 7},
        {"0x1f", 31},
        {"-7", -7},
        {"1 + 2*3", 7},
        {"(1 + 2)*3", 9},
        {"-7 // 2", -4},
        {"7 // -2", -4},
        {"-7 % 3", 2},
        {"7 % -3", -2},
        {"2**10", 1024},
        {"-2**2", -4},
        {"2**3**2", 512},
        {"-1 ** 1000000007", -1},
        {"cdiv(n, 256)", 4},
        {"cdiv(0, 256)", 0},
        {"next_power_of_2(781)", 1024},
        {"next_power_of_2(1024)", 1024},
        {"next_power_of_2(1)", 1},
        {"next_power_of_2(0)", 0},
        {"cdiv(2**126 - 1 + 2**126, 2**126)", 2},
        {"max(2**53 + 1, 2**53, 2**53 - 1) - 2**53", 1},
        {"min(-2**53 - 1, -2**53) + 2**53", -1},
        {"(2**53 < 2**53 + 1) + 0", 1},
        {"(2**53 >= 2**53 + 1) + 0", 0},
        {"(-2)**127 % -1", 0},
        {"min(3, n, 2)", 2},
        {"max(3, n)", 1000},
        {"x.numel()", 24},
        {"x.shape(0)", 4},
        {"x.shape[1]", 6},
        {"x.shape(-1)", 6},
        {"x.stride(0)", 6},
        {"x.ndim", 2},
        {"x[1:, ::2].numel()", 9},
        {"x[1:, ::2].stride(1)", 2},
        {"x[:, 2].shape(0)", 4},
        {"x[::-1].stride(0)", -6},
        {"x[:, None].ndim * 10 + x[None, 0].ndim", 32},
        {"x[4:].numel()", 0},
        {"x[::-9223372036854775807 - 1].shape(0)", 1},
        {"x[::9223372036854775807].shape(0)", 1},
        {"x[-1][-1].ndim", 0},
        {"9223372036854775807", INT64_MAX},
        {"-9223372036854775808", INT64_MIN},
        {" n ", 1000},
        {"t + t", 2},
        {"64 if True else 3", 64},
        {"0 or n and 5", 5},
        {"not n", 0},
        {"3 in [1, 2, 3]", 1},
        {"sum([i * i for i in range(4) if i])", 14},
        {"len(f'{n}-{s}')", 9},
        {"int(math.sqrt(float(n)))", 31},
        {"triton.cdiv(n, 256) + tl.cdiv(n, 256)", 8},
        {"triton.next_power_of_2(n)", 1024},
        {"{'a': 7}['a']", 7},
        {"(lambda a, b=2: a * b)(21)", 42},
        {"float('1.5').is_integer() + 0", 0},
        {"x.shape(0) * x.shape[1] - x.numel()", 0},
        {"fp16.itemsize", 2},
        {"4x6 == x.shape", 1},
        {"x.itemsize() + x.element_size", 8},
        {"x.size(-1)", 6},
        {"1 if x != None else 0", 1},
        {"1 if x == None else 0", 0},
        {"len(x.strides) + x.dim()", 4},
        {"n if x is not None else 0", 1000},
    };
    Cli *c = *state;

    for (int i = 0; i < COUNT(cases); i++) {
        Const v = eval(c, cases[i].text);

        if (!const_is_integral(&v) || v.integer != cases[i].want)
            fail_msg("%s gave %lld", cases[i].text, (long long)v.integer);
    }
    assert_true(eval(c, "18446744073709551615").integer == (__int128)UINT64_MAX);
}

static void check_others(void **state)
{
    Cli *c = *state;

    assert_true(eval(c, "1/4").real == 0.25);
    assert_true(eval(c, "1e-5").real == 1e-5);
    assert_true(eval(c, ".5").real == 0.5);
    assert_true(eval(c, "2**-1").real == 0.5);
    assert_true(eval(c, "-7.5 // 2").real == -4);
    assert_true(signbit(eval(c, "-0.0").real));
    assert_true(isinf(eval(c, "-inf").real));
    assert_true(isnan(eval(c, "nan").real));
    assert_int_equal(eval(c, "n > 999").kind, CONST_BOOL);
    assert_true(eval(c, "n == 1000").integer == 1);
    assert_true(eval(c, "s == 'relu'").integer == 1);
    assert_true(eval(c, "x.dtype == fp32").integer == 1);
    assert_true(eval(c, "x.dtype != float32").integer == 0);
    assert_true(eval(c, "None == None").integer == 1);
    assert_string_equal(eval(c, "\"a b\"").text, "a b");
    assert_int_equal(eval(c, "None").kind, CONST_NONE);
    assert_int_equal(eval(c, "False").kind, CONST_BOOL);
    assert_int_equal((int)eval(c, "bf16").dtype, TILEC_BF16);
    assert_int_equal(eval(c, "x.shape").nitems, 2);
    assert_int_equal(eval(c, "(1, 2, 3)").nitems, 3);
    assert_int_equal(eval(c, "[7]").list->len, 1);
}

/* The values are CPython's. */
static void check_floats(void **state)
{
    static const struct {
        const char *text;
        double want;
    } cases[] = {
        {"5.0 % inf", 5},        {"-1 % inf", INFINITY},  {"5.0 // inf", 0},
        {"-5.0 // inf", -1},     {"6.0 // 0.1", 59},      {"1.0 // 0.1", 9},
        {"1e300 % 7.0", 1},      {"-7.5 % 2", 0.5},       {"7.5 % -2", -0.5},
        {"-7.5 // 2", -4},       {"-6.0 % 3", 0},         {"5 % 0.1", 0.09999999999999973},
        {"-1e-20 % 1.0", 1},     {"0.3 // -0.1", -3},     {"1e300 // 1e-5", 1e305},
        {"2.0 ** 0.5", M_SQRT2}, {"(-8.0) ** 3", -512.0}, {"0 ** 0.0", 1},
    };
    static const char *const truths[] = {
        "(1, 2) == (1, 2.0)",
        "(1, 2) != (1, 3)",
        "(1, 2) != (1, 2, 3)",
        "(1, ('a', None)) == (1, ('a', None))",
        "x.shape == (4, 6)",
        "9007199254740993 != 9007199254740992.0",
        "9007199254740992.0 < 9007199254740993",
        "9007199254740993 > 9007199254740992.0",
        "18446744073709551615 < 18446744073709551616.0",
        "-1 > -1.5",
        "1 < 1.5",
        "0 > -inf",
        "2 ** 126 < inf",
        "0.0 == -0.0",
        "nan != nan",
        "(nan <= 1) == (1 <= nan)",
        "(nan < 1) == False",
        "min(9007199254740993, 9007199254740992.0) == 9007199254740992.0",
    };
    Cli *c = *state;

    for (int i = 0; i < COUNT(cases); i++) {
        Const v = eval(c, cases[i].text);

        if (v.kind != CONST_FLOAT || v.real != cases[i].want)
            fail_msg("%s gave %.17g", cases[i].text, v.real);
    }
    assert_true(signbit(eval(c, "-0.0 // 1").real));
    assert_true(signbit(eval(c, "6.0 % -3").real));
    for (int i = 0; i < COUNT(truths); i++) {
        Const v = eval(c, truths[i]);

        if (v.kind != CONST_BOOL || v.integer != 1)
            fail_msg("%s is not true", truths[i]);
    }
}

static double at(const Array *a, int64_t i)
{
    return element(a, (int64_t[]){i});
}

static void check_arrays(void **state)
{
    Cli *c = *state;
    Array a = array_of(c, "full(i64, 3, 9007199254740993)");

    assert_int_equal(((int64_t *)a.data)[2], 9007199254740993);
    a = array_of(c, "full(u8, 3, -1)");
    assert_int_equal(((uint8_t *)a.data)[2], 255);
    a = array_of(c, "full(bf16, (2), 1/3)");
    assert_int_equal(((uint16_t *)a.data)[1], 0x3eab);
    a = array_of(c, "zeros(fp32, 0x781)");
    assert_int_equal(a.ndim, 2);
    assert_int_equal(a.shape[1], 781);
    a = array_of(c, "ones(fp64, (x.shape(0), 2))");
    assert_int_equal(a.shape[0], 4);
    assert_true(element(&a, (int64_t[]){3, 1}) == 1);
    a = array_of(c, "empty(fp16, 3)");
    assert_true(isnan(at(&a, 1)));
    a = array_of(c, "x[1:, ::2]");
    assert_true(element(&a, (int64_t[]){0, 1}) == 8);
    a = array_of(c, "x[::-1, 1]");
    assert_true(at(&a, 0) == 19);
    a = array_of(c, "x[10:20]");
    assert_int_equal(a.shape[0], 0);
    a = array_of(c, "arange(i8, 300)");
    assert_true(at(&a, 299) == 43);
}

/* One shape, one dtype, and the elements of an array that arithmetic gives. */
static void check_array_arithmetic(void **state)
{
    static const struct {
        const char *text;
        tilec_dtype dtype;
        int64_t n;
        double want[3];
    } cases[] = {
        {"arange(fp32, 3) * 2 - 1", TILEC_FP32, 3, {-1, 1, 3}},
        {"2 - arange(fp16, 3)", TILEC_FP16, 3, {2, 1, 0}},
        {"arange(i32, 3) * 0.5", TILEC_FP32, 3, {0, 0.5, 1}},
        {"arange(i8, 3) + 300", TILEC_I8, 3, {44, 45, 46}},
        {"arange(i32, 3) / 2", TILEC_FP32, 3, {0, 0.5, 1}},
        {"(arange(i32, 3) - 2) // 2", TILEC_I32, 3, {-1, -1, 0}},
        {"(arange(i32, 3) - 2) % 3", TILEC_I32, 3, {1, 2, 0}},
        {"(arange(fp64, 3) - 2.5) // 2", TILEC_FP64, 3, {-2, -1, -1}},
        {"arange(fp32, 3) ** 2", TILEC_FP32, 3, {0, 1, 4}},
        {"-arange(i32, 3)", TILEC_I32, 3, {0, -1, -2}},
        {"-arange(fp32, 3)", TILEC_FP32, 3, {0, -1, -2}},
        {"~arange(i32, 3)", TILEC_I32, 3, {-1, -2, -3}},
        {"~(arange(i32, 3) < 2)", TILEC_I1, 3, {0, 0, 1}},
        {"arange(u8, 3) << 1 | 1", TILEC_U8, 3, {1, 3, 5}},
        {"arange(i32, 3) < 2", TILEC_I1, 3, {1, 1, 0}},
        {"(arange(i32, 3) == arange(fp32, 3)) + 0", TILEC_I32, 3, {1, 1, 1}},
        {"arange(fp16, 3) + arange(bf16, 3)", TILEC_FP32, 3, {0, 2, 4}},
        {"arange(fp32, 3) + arange(fp64, 3)", TILEC_FP64, 3, {0, 2, 4}},
        {"arange(i8, 3) + arange(u8, 3)", TILEC_I16, 3, {0, 2, 4}},
        {"arange(i8, 3) + arange(u32, 3)", TILEC_I64, 3, {0, 2, 4}},
        {"arange(i64, 3) + arange(u8, 3)", TILEC_I64, 3, {0, 2, 4}},
        {"arange(i16, 3) + arange(u16, 3)", TILEC_I32, 3, {0, 2, 4}},
        {"arange(u16, 3) + arange(i32, 3)", TILEC_I32, 3, {0, 2, 4}},
        {"arange(i32, 3) + arange(i32, 3) * 1.5", TILEC_FP32, 3, {0, 2.5, 5}},
        {"(arange(i32, 3) < 2) + (arange(i32, 3) < 1)", TILEC_I32, 3, {2, 1, 0}},
        {"(arange(i32, 3) < 2) ^ (arange(i32, 3) < 1)", TILEC_I1, 3, {0, 1, 0}},
        {"+arange(i32, 3)", TILEC_I32, 3, {0, 1, 2}},
        {"-(arange(fp32, 3) - 1)", TILEC_FP32, 3, {1, 0, -1}},
        {"(arange(i32, 3) - 2) // 2", TILEC_I32, 3, {-1, -1, 0}},
        {"(arange(i32, 3) - 2) % 3", TILEC_I32, 3, {1, 2, 0}},
        {"arange(fp32, 3).astype(i8)", TILEC_I8, 3, {0, 1, 2}},
        {"x[-1, ::-2]", TILEC_FP32, 3, {23, 21, 19}},
        {"x[0][3:]", TILEC_FP32, 3, {3, 4, 5}},
        {"(arange(fp32, 3x1) + arange(fp32, 1x3))[1]", TILEC_FP32, 3, {1, 2, 3}},
        {"(x[:, 0] + x[0, :4])[1:]", TILEC_FP32, 3, {7, 14, 21}},
        {"(arange(fp32, 3) * 0.75).to(i32)", TILEC_I32, 3, {0, 0, 1}},
        {"zeros_like(x)[0, :3]", TILEC_FP32, 3, {0, 0, 0}},
        {"ones_like(x, i8)[0, :3]", TILEC_I8, 3, {1, 1, 1}},
        {"full_like(x, 2.5)[0, :3]", TILEC_FP32, 3, {2.5, 2.5, 2.5}},
        {"randint(i32, 3, 5, 6)", TILEC_I32, 3, {5, 5, 5}},
        {"randint(fp32, 3, -2, -1)", TILEC_FP32, 3, {-2, -2, -2}},
        {"randint(u64, 3, 0, 2**64, seed=4) == rand(u64, 3, seed=4)", TILEC_I1, 3, {1, 1, 1}},
        {"randint(i64, 3, -2**63, 2**63, seed=0) < 0", TILEC_I1, 3, {0, 1, 1}},
    };
    Cli *c = *state;

    for (int i = 0; i < COUNT(cases); i++) {
        Array a = array_of(c, cases[i].text);

        if (a.dtype != cases[i].dtype || a.ndim != 1 || a.shape[0] != cases[i].n)
            fail_msg("%s is %s", cases[i].text, tilec_dtype_name(a.dtype));
        for (int64_t k = 0; k < cases[i].n; k++) {
            if (element(&a, &k) != cases[i].want[k])
                fail_msg("%s has %g at %d", cases[i].text, element(&a, &k), (int)k);
        }
    }
    Array r = array_of(c, "randint(u8, 10000, 3, 7, seed=5)");
    int counts[7] = {0};
    for (int64_t k = 0; k < 10000; k++)
        counts[((uint8_t *)r.data)[k]]++;
    for (int v = 3; v < 7; v++)
        assert_in_range(counts[v], 2350, 2650);
}

/* The formulas of docs/cli.md, computed apart. */
/* The values are NumPy's; x is arange(fp32,4x6). */
static void check_reductions(void **state)
{
    static const char *const truths[] = {
        "x.sum() == 276.0",
        "x.sum() + 0.5 == 276.5",
        "x[1].prod() == 6.0*7*8*9*10*11",
        "x.mean() == 11.5",
        "x[1, None, 2:4].sum() == 17.0",
        "x.max() == 23.0 and x.min() == 0.0",
        "x[::-1].argmax() == 5 and x[::-1].argmin() == 18",
        "x.var() == 575/12 and x.std() == math.sqrt(575/12)",
        "x[:, 0].var(ddof=1) == 60.0",
        "sum(x[0]) == 15.0 and max(x[0]) == 5.0 and min(x[0]) == 0.0",
        "sum(x[0], 1) == 16.0",
        "any(x[0] > 4) and not all(x[0] > 4)",
        "(x < 24).all() and not (x > 23).any()",
        "(x > 20).sum() == 3",
        "(x == x.max()).sum() == 1",
        "x.sum(0).shape == (6,) and x.sum(axis=1).shape == (4,)",
        "x.sum(1, keepdims=True).shape == (4, 1) and x.sum(keepdim=True).shape == (1, 1)",
        "(x.sum(0) == arange(fp32,6)*4 + 36).all()",
        "(x.sum(dim=-1) == arange(fp32,4)*36 + 15).all()",
        "(x.argmax(0) == 3).all() and (x.argmax(1) == 5).all()",
        "((x - x.mean(1, keepdims=True)).sum(1) == 0).all()",
        "(full(fp32, 2x3x4, 2).prod(1) == 8).all()",
        "full(fp32, 2x3x4, 2).prod(1).shape == (2, 4)",
        "x.sum(0).dtype == fp32 and x.to(fp16).sum(0).dtype == fp16",
        "arange(i8, 3x2).sum(0).dtype == i64 and arange(u8, 3x2).sum(0).dtype == u64",
        "arange(i8, 3x2).max(0).dtype == i8 and arange(i8, 3x2).mean(0).dtype == fp64",
        "x.argmin(0).dtype == i64 and (x > 1).any(0).dtype == i1",
        "full(i8, 300, 100).sum() == 30000",
        "full(fp16, 4096, 1).sum() == 4096.0",
        "full(i64, 3, 2**53 + 1).sum() == 3 * 2**53 + 3",
        "full(u64, 2, 2**64 - 1).max() == 2**64 - 1",
        "full(i64, 2, -2**63).min() == -2**63",
        "x[4:].sum() == 0.0 and x[4:].prod() == 1.0 and x[4:].all()",
        "x[4:].sum(0).sum() == 0.0",
    };
    static const char *const nans[] = {
        "x[4:].mean()",
        "(x * nan).sum()",
        "(x + (x == 7) * nan).max()",
        "empty(fp32, 3).min()",
    };
    static const struct {
        const char *text, *trouble;
    } mistakes[] = {
        {"x.sum(2)", "the axis must be from -2 to 1 here, not 2"},
        {"x.sum(0, 1)", "it is sum([axis][, keepdims=True])"},
        {"x.sum(axes=0)", "it is sum([axis][, keepdims=True])"},
        {"x.var(ddof='a')", "it is var([axis][, keepdims=True][, ddof=0])"},
        {"x[4:].max()", "there is no element to take the max of"},
        {"max(x)", "max() takes an array of one dimension: x.max() is that of all elements"},
        {"x.summ()", "did you mean 'sum'?"},
    };
    Cli *c = *state;

    for (int i = 0; i < COUNT(truths); i++) {
        Const v = eval(c, truths[i]);

        if (v.kind != CONST_BOOL || v.integer != 1)
            fail_msg("%s is not true", truths[i]);
    }
    for (int i = 0; i < COUNT(nans); i++)
        assert_true(isnan(eval(c, nans[i]).real));
    for (int i = 0; i < COUNT(mistakes); i++) {
        assert_int_equal(eval_stops(c, mistakes[i].text), CLI_USAGE);
        if (!strstr(c->trouble, mistakes[i].trouble))
            fail_msg("%s: %s", mistakes[i].text, c->trouble);
    }
}

static void check_random(void **state)
{
    Cli *c = *state;
    Array a = array_of(c, "rand(u64, 3, seed=1234567)"), b;
    double sum = 0, squares = 0;

    /* the published first outputs of SplitMix64 seeded with 1234567 */
    assert_true(((uint64_t *)a.data)[0] == 6457827717110365317u);
    assert_true(((uint64_t *)a.data)[1] == 3203168211198807973u);
    assert_true(((uint64_t *)a.data)[2] == 9817491932198370423u);
    b = array_of(c, "rand(fp32, 3, seed=1234567)");
    assert_true(((float *)b.data)[0] == (float)(6457827717110365317u >> 40) / 16777216.f);
    b = array_of(c, "rand(bf16, 1000, seed=5)");
    for (int64_t i = 0; i < 1000; i++)
        assert_true(at(&b, i) >= 0 && at(&b, i) < 1);
    a = array_of(c, "randn(fp64, 100000)");
    for (int64_t i = 0; i < 100000; i++) {
        sum += at(&a, i);
        squares += at(&a, i) * at(&a, i);
    }
    assert_true(fabs(sum / 1e5) < 0.02);
    assert_true(fabs(squares / 1e5 - 1) < 0.02);
    c->store.random_arrays = 0;
    a = array_of(c, "rand(fp32, 9)");
    b = array_of(c, "rand(fp32, 9)");
    assert_memory_not_equal(a.data, b.data, 36);
    b = array_of(c, "rand(fp32, 9, seed=0)");
    assert_memory_equal(a.data, b.data, 36);
}

static void check_errors(void **state)
{
    static const char *const cases[][2] = {
        {"", "the value behind `=` is missing"},
        {"1 +", "expected an expression"},
        {"1 2", "nothing more"},
        {"(1", "this `(` is never closed"},
        {"relu", "needs quotes"},
        {"m", "not an earlier argument"},
        {"zeroes(fp32, 4)", "did you mean 'zeros'"},
        {"zeros(fp32)", "zeros(DTYPE, SHAPE)"},
        {"zeros(4, 4)", "must be a dtype"},
        {"zeros(fp32, -4)", "negative"},
        {"zeros(fp32, 4.0)", "a shape is"},
        {"zeros(fp32, 1x1x1x1x1x1x1x1x1)", "more than 8 dimensions"},
        {"zeros(fp32, (1,1,1,1,1,1,1,1,1))", "more than 8 dimensions"},
        {"zeros(fp32, (4294967296, 4294967296))", "address space"},
        {"full(i32, 4, 0.5)", "integer value"},
        {"randn(i32, 4)", "randn makes floats"},
        {"x + 'a'", "one side is a text"},
        {"x.numle()", "did you mean 'numel'"},
        {"x.shape(2)", "dimensions 0 to 1"},
        {"n.shape", "1000 has no attribute `shape`"},
        {"x[1,2,3]", "only 2 dimensions"},
        {"x[4]", "outside dimension 0"},
        {"x[::0]", "must not be 0"},
        {"x[]", "expected an expression"},
        {"1 // 0", "division by zero"},
        {"1 % 0.0", "division by zero"},
        {"0.0 ** -1", "negative power"},
        {"0 ** -1", "negative power"},
        {"(-8) ** 0.5", "complex"},
        {"été", "'été' is not an earlier argument"},
        {"2**200", "more than 128 bits"},
        {"(-2)**127 // -1", "more than 128 bits"},
        {"next_power_of_2(-1)", "has no value for -1"},
        {"999999999999999999999999999999999999999", "more than 127 bits"},
        {"'abc", "this string has no end"},
        {"1abc", "not a number"},
        {"@/nowhere.npy", "/nowhere.npy"},
        {"@/nowhere.npy:fp33", "not a dtype"},
        {"x + @", "the name of a file is missing"},
        {"ones(2) @ ones(2)", "there is no product of matrices here"},
        {"[1, 2]@x", "there is no product of matrices here"},
        {"1 if 0 else @/nowhere.npy:fp33", "not a dtype"},
        {"s < 1", "no order"},
        {"((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((("
         "((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((("
         "((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((1",
         "deep"},
        {"cdiv(1, 0)", "division by zero"},
        {"rand(fp32, 10, 100)", "hint: a shape of several extents is 10x100 or (10,100), or (h,w)"},
        {"rand(fp32, 10, sed=100)", "it is rand(DTYPE, SHAPE[, seed=N])"},
        {"f32", "did you mean 'fp32'?"},
        {"zeros(fp64, 3) + ones(fp64, 4)", "3 of one side and 4 of the other"},
        {"zeros(fp64, 3x4) + ones(fp64, 3)", "extents are compared from the last on"},
        {"zeros(fp64, 3)[0, None, 0]", "the array has only 1 dimension"},
        {"zeros(fp64, 1x1x1x1x1x1x1x1)[None]", "at most 8 dimensions"},
        {"arange(i32, 3) % 0", "division by zero"},
        {"x if x else 1", "neither true nor false"},
        {"nope.npy", "@nope.npy"},
        {"triton.cdiv(7)", "missing its argument `y`"},
        {"randint(u8, 3, 0, 300)", "u8 does not hold"},
        {"randint(i32, 3, 4, 4)", "LO < HI"},
        {"empty_like(3)", "must be an array, not an integer"},
        {"x @ x", "there is no product of matrices here"},
        {"x & 1", "fp32 has no such operator"},
        {"~x", "fp32 has no such operator"},
        {"x + None", "one side is None"},
        {"x < 'a'", "one side is a text"},
        {"x.numel(1)", "this takes no argument"},
        {"x.shape(1, 2)", "dimensions 0 to 1"},
        {"x.to(3)", "it is to(DTYPE)"},
        {"x.to()", "it is to(DTYPE)"},
        {"x['a']", "an index must be an integer"},
        {"x[1.5:]", "an index must be an integer"},
        {"full(fp32, 3, 'a')", "must be a number"},
        {"full(fp32, 3, 2, dtype=1)", "full(DTYPE, SHAPE"},
        {"zeros_like(x, 3)", "must be a dtype"},
        {"rand(fp32, 3, seed=0.5)", "the seed must be an integer"},
        {"randn(fp32, 3, seed='a')", "the seed must be an integer"},
        {"randint(i32, 3, 0.5, 2)", "bounds of randint are integers"},
        {"randint(i32, 3, 0, 2, seed=1.5)", "the seed must be an integer"},
        {"x[0]()", "cannot be called"},
    };
    Cli *c = *state;

    for (int i = 0; i < COUNT(cases); i++) {
        CliCode code = eval_stops(c, cases[i][0]);

        if (code == CLI_DONE || !strstr(c->trouble, cases[i][1]))
            fail_msg("'%s' gave: %s", cases[i][0], c->trouble ? c->trouble : "no error");
    }
    assert_int_equal(eval_stops(c, "x.numle()"), CLI_USAGE);
    assert_non_null(strstr(c->trouble, "\n    x.numle()\n      ^"));
    assert_int_equal(eval_stops(c, "'é' + '\33' + 1"), CLI_USAGE);
    assert_non_null(strstr(c->trouble, "\n    'é' + '\\x1b' + 1\n    ^~~~~~~~~~~~~~~~"));
}

static void check_lists(void **state)
{
    Cli *c = *state;
    Const v[3];
    Names none = {0};

    assert_int_equal(value_parse_list(&c->store, &none, "--grid", "cdiv(7, 2), 3", v, 3), 2);
    assert_true(v[0].integer == 4 && v[1].integer == 3);
    assert_int_equal(list_stops(c, &none, "1,2,3,4", v, 3), CLI_USAGE);
}

/* What --show prints of an array. */
static const char *shown(Cli *c, const Array *a, ShowWay way)
{
    Text t = text_new(c->arena);

    show_array(&t, "x", a, way, -1);
    return t.s;
}

static void check_show(void **state)
{
    static const struct {
        const char *array, *want;
    } cases[] = {
        {"x[:2, :3]",
         "x: fp32 2x3  min 0.  max 8.  mean 4  nan 0  inf 0\n[[0. 1. 2.]\n [6. 7. 8.]]\n"},
        {"arange(i32, 1000)", "x: i32 1000  min 0  max 999  mean 499.5\n"
                              "[  0   1   2 ... 997 998 999]\n"},
        {"full(fp32, (2,1,2), 1e20)",
         "x: fp32 2x1x2  min 1.e+20  max 1.e+20  mean 1e+20  nan 0  inf 0\n"
         "[[[1.e+20 1.e+20]]\n\n [[1.e+20 1.e+20]]]\n"},
        {"zeros(i1, 0)", "x: i1 0\n[]\n"},
        {"arange(i32, 4) < 1", "x: i1 4  mean 0.25\n[ True False False False]\n"},
        {"full(u64, 2, 18446744073709551615)[:1]",
         "x: u64 1  min 18446744073709551615  max 18446744073709551615  mean 1.84467e+19\n"
         "[18446744073709551615]\n"},
        {"zeros(fp32, (4611686018427387904, 4, 0))", "x: fp32 4611686018427387904x4x0\n[]\n"},
    };
    Cli *c = *state;

    for (int i = 0; i < COUNT(cases); i++) {
        Array a = array_of(c, cases[i].array);
        assert_string_equal(shown(c, &a, SHOW_BRIEF), cases[i].want);
    }
    Array whole = array_of(c, "arange(i32, 1000)");
    assert_null(strstr(shown(c, &whole, SHOW_WHOLE), "..."));
}

/* What is not finite is counted, and leaves the rest as it is. */
static void check_show_of_nothing_finite(void **state)
{
    static const uint16_t bits[] = {0x2e66, 0x7e00, 0x7c00, 0xfc00}; /* 0.1, NaN, inf, -inf */
    Cli *c = *state;
    Array a = array_of(c, "empty(fp16, 4)");

    assert_string_equal(shown(c, &a, SHOW_BRIEF), "x: fp16 4  nan 4  inf 0\n[nan nan nan nan]\n");
    memcpy(a.data, bits, sizeof bits);
    assert_string_equal(shown(c, &a, SHOW_BRIEF),
                        "x: fp16 4  min 0.1  max 0.1  mean 0.0999756  nan 1  inf 2\n"
                        "[ 0.1  nan  inf -inf]\n");
}

/* The lines of a picture behind the summary. */
static const char *drawn(Cli *c, const char *array, ShowWay way)
{
    Array a = array_of(c, array);
    assert_null(picture_problem(&a));
    return strchr(shown(c, &a, way), '\n') + 1;
}

static void check_pictures(void **state)
{
    Cli *c = *state;
    Array flat = array_of(c, "zeros(u8, (2, 2, 2, 2))"), none = array_of(c, "zeros(u8, (2, 0))"),
          four = array_of(c, "zeros(fp32, (2, 2, 4))"), alpha = array_of(c, "zeros(u8, (2, 2, 4))");

    assert_non_null(strstr(picture_problem(&flat), "HxW or HxWx3"));
    assert_non_null(picture_problem(&none));
    assert_non_null(picture_problem(&four));
    assert_null(picture_problem(&alpha));
    assert_string_equal(drawn(c, "full(u8, (2, 3), 255)", SHOW_PICTURE), "@@@\n"); /* no terminal */
    assert_string_equal(drawn(c, "zeros(u8, (3, 2))", SHOW_TEXT), "  \n  \n");
    assert_string_equal(drawn(c, "empty(fp32, (2, 1))", SHOW_TEXT), "?\n");
    assert_string_equal(drawn(c, "255 * (arange(u8, 4) // 2)", SHOW_TEXT), "  @@\n");
    assert_string_equal(drawn(c, "zeros(fp32, (1, 1, 3))", SHOW_BLOCKS),
                        "\033[38;2;0;0;0m\xe2\x96\x80\033[0m\n");
    assert_string_equal(drawn(c, "full(u8, (2, 1), 255)", SHOW_BLOCKS),
                        "\033[38;2;255;255;255;48;2;255;255;255m\xe2\x96\x80\033[0m\n");
    /* of any range: the least is black, the greatest white */
    assert_string_equal(drawn(c, "(arange(fp32, 2) * 2 - 1) * ones(fp32, (2, 2))", SHOW_TEXT),
                        " @\n");
    /* each pixel of what is shrunk is a mean: 160 columns on 80 */
    const char *wide = drawn(c, "arange(u8, 160) % 2 * ones(u8, (4, 160)) * 254", SHOW_TEXT);
    assert_int_equal(strspn(wide, "="), 80);
    assert_string_equal(wide + 80, "\n");
    /* enlarged to 160 a side: one band of sixels is 160 of colour 215, on all six lines */
    const char *sixels = drawn(c, "full(u8, (1, 1), 255)", SHOW_SIXEL);
    assert_non_null(strstr(sixels, "\033Pq\"1;1;160;160#0;2;0;0;0"));
    assert_non_null(strstr(sixels, "#215;2;100;100;100#215!160~$-"));
    const char *kitty = drawn(c, "full(u8, (1, 1), 255)", SHOW_KITTY);
    assert_ptr_equal(strstr(kitty, "\033_Ga=T,f=24,s=160,v=160,m=1;////"), kitty);
    assert_non_null(strstr(kitty, "\033\\\033_Gm=0;////"));
}

/* One notation for the whole array, and always a point. */
static void check_show_notation(void **state)
{
    static const struct {
        tilec_dtype dtype;
        double v[3];
        const char *want;
    } cases[] = {
        {TILEC_FP32, {10, 330, -1}, "[ 10. 330.  -1.]"},
        {TILEC_FP64, {0, 12500000, 0.5}, "[       0. 12500000.       0.5]"},
        {TILEC_FP32, {0.0002, 99999992, 0.1}, "[   0.0002 99999992.       0.1]"},
        {TILEC_FP64, {0.00009, 1, 0}, "[9.e-05 1.e+00 0.e+00]"},
        {TILEC_FP64, {1e8, 330, 1.25}, "[  1.e+08  3.3e+02 1.25e+00]"},
        {TILEC_FP64, {INFINITY, -INFINITY, 10}, "[ inf -inf  10.]"},
        {TILEC_BF16, {10, 330, 65536}, "[   10.   330. 65536.]"},
        {TILEC_FP64, {0.1 + 0.2, 1.0 / 3, 99999.5}, "[       0.3 0.33333333    99999.5]"},
    };
    Cli *c = *state;

    for (int i = 0; i < COUNT(cases); i++) {
        Array a = array_new(&c->store, cases[i].dtype, 1, (int64_t[]){3});

        for (int64_t k = 0; k < 3; k++) {
            Array one = {.data = (char *)a.data + k * (int64_t)tilec_dtype_size(a.dtype),
                         .dtype = a.dtype};
            array_fill(&one, cases[i].v[k]);
        }
        const char *elements = strchr(shown(c, &a, SHOW_BRIEF), '\n') + 1;
        assert_string_equal(elements, arena_printf(c->arena, "%s\n", cases[i].want));
    }
}

/* A clock may stand still for as long as a run takes. */
static void check_json_of_no_time(void **state)
{
    Cli *c = *state;
    double none[3] = {0};
    Timing t = {.kernel = "k", .device = "cpu", .grid = {1, 1, 1}, .stats = {.bytes = 8}};

    Text json = text_new(c->arena);

    t.times = times_of(c->arena, none, 3);
    timing_put_json(&json, &t);
    assert_non_null(strstr(json.s, "\"median_s\": 0"));
    assert_null(strstr(json.s, "null")); /* as infinity and NaN would be */
}

static void check_hints(void **state)
{
    static const char *const words[] = {"--grid", "--device", "--show", "--save"};

    (void)state;
    assert_string_equal(near_name("--gird", words, 4), "--grid");
    assert_string_equal(near_name("--divice", words, 4), "--device");
    assert_null(near_name("--colour", words, 4));
    assert_null(near_name("", words, 4));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(check_integers, open_cli, close_cli),
        cmocka_unit_test_setup_teardown(check_others, open_cli, close_cli),
        cmocka_unit_test_setup_teardown(check_floats, open_cli, close_cli),
        cmocka_unit_test_setup_teardown(check_arrays, open_cli, close_cli),
        cmocka_unit_test_setup_teardown(check_array_arithmetic, open_cli, close_cli),
        cmocka_unit_test_setup_teardown(check_reductions, open_cli, close_cli),
        cmocka_unit_test_setup_teardown(check_random, open_cli, close_cli),
        cmocka_unit_test_setup_teardown(check_errors, open_cli, close_cli),
        cmocka_unit_test_setup_teardown(check_lists, open_cli, close_cli),
        cmocka_unit_test_setup_teardown(check_show, open_cli, close_cli),
        cmocka_unit_test_setup_teardown(check_show_of_nothing_finite, open_cli, close_cli),
        cmocka_unit_test_setup_teardown(check_pictures, open_cli, close_cli),
        cmocka_unit_test_setup_teardown(check_show_notation, open_cli, close_cli),
        cmocka_unit_test_setup_teardown(check_json_of_no_time, open_cli, close_cli),
        cmocka_unit_test(check_hints),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
