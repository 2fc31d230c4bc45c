/*
 * test_host.c - names that the program which loads a file answers for
 */
#include <limits.h>

#include "scene.h"

/* One row for each name that the host knows; a question matches when all that is not NULL does. */
typedef struct {
    const char *name, *module, *function;
    tilec_name answer;
} Row;

typedef struct {
    const Row *rows;
    int nrows;
    int asked;
    char log[2048]; /* "module:function:name " for each question */
} Host;

static bool matches(const char *wanted, const char *is)
{
    return !wanted || (is && strcmp(wanted, is) == 0);
}

static void answer(void *user, const tilec_question *q, tilec_name *out)
{
    Host *h = user;
    size_t n = strlen(h->log);

    h->asked++;
    snprintf(h->log + n, sizeof h->log - n, "%s:%s:%s ", q->module ? q->module : "",
             q->function ? q->function : "", q->name);
    assert_int_equal(out->kind, TILEC_NAME_UNKNOWN);
    assert_int_equal(out->line, 1);
    for (int i = 0; i < h->nrows; i++) {
        const Row *r = &h->rows[i];

        if (strcmp(r->name, q->name) == 0 && matches(r->module, q->module) &&
            matches(r->function, q->function))
            *out = r->answer;
    }
}

static void load_asking(Scene *s, Host *h, const char *text)
{
    const tilec_load_options o = {.resolve = answer, .user = h};
    tilec_status status =
        tilec_load(s->ctx, "test.py", text, strlen(text), &o, &s->file, &s->error);

    if (status != TILEC_OK)
        print_error("%s", s->error);
    assert_int_equal(status, TILEC_OK);
}

static tilec_status run(Scene *s, const char *kernel, float *data)
{
    const int64_t shape[] = {4};
    const tilec_arg args[] = {of_floats(data, shape)};
    const int32_t grid[3] = {1, 1, 1};
    const tilec_launch_options options = {.device = "interp"};

    tilec_free(s->error);
    s->error = NULL;
    return tilec_launch(s->file, kernel, grid, args, 1, &options, &s->error);
}

static void runs(Scene *s, const char *kernel, float expected)
{
    float data[4] = {1, 2, 3, 4};

    if (run(s, kernel, data) != TILEC_OK)
        fail_msg("%s", s->error);
    assert_float_equal(data[0], expected, 0);
}

static void refuses(Scene *s, const char *kernel, const char *text)
{
    float data[4] = {0};

    assert_int_equal(run(s, kernel, data), TILEC_REFUSED);
    if (!strstr(s->error, text))
        fail_msg("no \"%s\" in:\n%s", text, s->error);
}

#define VALUE(...)                                                                                 \
    {                                                                                              \
        .kind = TILEC_NAME_VALUE, .value = { __VA_ARGS__ }                                         \
    }
#define TEXT(s) .text = s, .length = sizeof s - 1

static void test_values(void **state)
{
    const Row rows[] = {
        {"WIDTH", NULL, NULL, {TILEC_NAME_VALUE, of_int(NULL, 8), .is_constexpr = 1}},
        {"PLAIN", NULL, NULL, VALUE(.kind = TILEC_ARG_INT, .integer = 3)},
        {"TYPE", NULL, NULL, VALUE(.kind = TILEC_ARG_DTYPE, .dtype = TILEC_FP16)},
        {"NOTHING", NULL, NULL, VALUE(.kind = TILEC_ARG_NONE)},
        {"TENSOR", NULL, NULL, VALUE(.kind = TILEC_ARG_TENSOR)},
        {"CAUGHT", NULL, "outer.inner", {TILEC_NAME_VALUE, of_int(NULL, 5), .is_constexpr = 1}},
    };
    Host h = {rows, COUNT(rows)};
    Scene *s = *state;

    load_asking(s, &h,
                HEAD "WIDTH = tl.constexpr(4)\n"
                     "@triton.jit\ndef width(x): tl.store(x, WIDTH)\n"
                     "@triton.jit\ndef again(x): tl.store(x, WIDTH + WIDTH)\n"
                     "@triton.jit\ndef plain(x): tl.store(x, PLAIN)\n"
                     "@triton.jit\ndef default(x, n=PLAIN): tl.store(x, n)\n"
                     "@triton.jit\ndef typed(x):\n"
                     "    tl.store(x, tl.load(x).to(TYPE) if NOTHING is None else 2.5)\n"
                     "@triton.jit\ndef tensor(x): tl.store(x, TENSOR)\n"
                     "def outer(CAUGHT):\n"
                     "    @triton.jit\n    def inner(x): tl.store(x, CAUGHT)\n");
    runs(s, "width", 8);
    runs(s, "again", 16);
    refuses(s, "plain", "Cannot access global variable `PLAIN`");
    runs(s, "default", 3);
    runs(s, "typed", 1);
    refuses(s, "tensor", "`TENSOR` is not defined");
    runs(s, "inner", 5);
    runs(s, "outer.inner", 5);
    int before = h.asked;
    runs(s, "width", 8);
    assert_int_equal(h.asked, before); /* a launch that is compiled asks nothing */
}

static const char helper[] =
    "    @wrapped\n    def scale(x):\n        return x * FACTOR + tiny(x)\n";
static const char broken[] = "def broken(x):\n    return x + missing\n";
static const char computed[] = "def computed(n):\n    m = n * 2\n    return m + FACTOR\n";

static const char pair[] =
    "    @made\n    class Pair:\n        first: constexpr\n"
    "        second: tensor = FACTOR\n\n        @jit\n        def sum(self):\n"
    "            return self.first + self.second * tiny(1.0)\n";
static const char color[] = "class Color(Kind):\n    RED = 1\n    BLUE = FACTOR\n";

static void test_classes(void **state)
{
    const tilec_arg items[] = {of_int("name", 4), of_int("value", 5)};
    const Row rows[] = {
        {"Two",
         NULL,
         NULL,
         {TILEC_NAME_CLASS, .role = TILEC_ROLE_AGGREGATE, TEXT(pair), .function = "Pair",
          .module = "pkg.ops", .path = "pkg/ops.py", .line = 7}},
        {"Tint",
         NULL,
         NULL,
         {TILEC_NAME_CLASS, .role = TILEC_ROLE_ENUM, TEXT(color), .function = "Color",
          .module = "pkg.ops"}},
        {"Odd",
         NULL,
         NULL,
         {TILEC_NAME_CLASS, .role = (tilec_role)99, TEXT(color), .function = "Color"}},
        {"none", NULL, NULL, {TILEC_NAME_CLASS, .role = TILEC_ROLE_ENUM, TEXT("x = 1\n")}},
        {"FACTOR", "pkg.ops", NULL, {TILEC_NAME_VALUE, of_int(NULL, 3), .is_constexpr = 1}},
        {"tiny", "pkg.ops", "Pair.sum", {TILEC_NAME_LANGUAGE, .module = "triton.language.exp2"}},
        {"named",
         NULL,
         NULL,
         {TILEC_NAME_VALUE,
          {.kind = TILEC_ARG_TUPLE, .items = items, .nitems = 2},
          .is_constexpr = 1}},
    };
    Host h = {rows, COUNT(rows)};
    Scene *s = *state;

    load_asking(s, &h,
                "import triton\nimport triton.language as tl\n\n"
                "@triton.jit\ndef jit(x): tl.store(x, Two(4).sum())\n"
                "@triton.jit\ndef wrong(x): tl.store(x, Two(4).third)\n"
                "@triton.jit\ndef member(x): tl.store(x, Tint.BLUE.value + Tint.RED.value)\n"
                "@triton.jit\ndef odd(x): Odd()\n"
                "@triton.jit\ndef nothing(x): none()\n"
                "@triton.jit\ndef fields(x): tl.store(x, named.value - named.name)\n");
    runs(s, "jit", 10);
    refuses(s, "wrong", "(constexpr 4, constexpr 3) has no attribute `third`");
    runs(s, "member", 4);
    refuses(s, "odd", "`Color` is neither a NamedTuple nor under @triton.aggregate");
    refuses(s, "nothing", "`none` is not defined");
    runs(s, "fields", 1);
}

static void test_functions(void **state)
{
    const Row rows[] = {
        {"scaled",
         NULL,
         NULL,
         {TILEC_NAME_FUNCTION, TEXT(helper), .function = "scale", .module = "pkg.ops",
          .path = "pkg/ops.py", .line = 40}},
        {"broken",
         NULL,
         NULL,
         {TILEC_NAME_FUNCTION, TEXT(broken), .module = "pkg.ops", .path = "pkg/ops.py",
          .line = 70}},
        {"late",
         NULL,
         NULL,
         {TILEC_NAME_FUNCTION, TEXT(broken), .function = "broken", .line = INT_MAX}},
        {"computed",
         NULL,
         NULL,
         {TILEC_NAME_FUNCTION, .role = TILEC_ROLE_CONSTEXPR, TEXT(computed), .module = "pkg.ops"}},
        {"plain",
         NULL,
         NULL,
         {TILEC_NAME_FUNCTION, .role = TILEC_ROLE_PYTHON, TEXT(computed), .function = "computed",
          .module = "pkg.ops"}},
        {"empty", NULL, NULL, {TILEC_NAME_FUNCTION, TEXT("x = 1\n")}},
        {"FACTOR", "pkg.ops", NULL, {TILEC_NAME_VALUE, of_int(NULL, 3), .is_constexpr = 1}},
        {"tiny", "pkg.ops", "scale", {TILEC_NAME_LANGUAGE, .module = "triton.language.exp2"}},
    };
    Host h = {rows, COUNT(rows)};
    Scene *s = *state;

    load_asking(s, &h,
                "import triton\nimport triton.language as tl\n\n"
                "@triton.jit\ndef jit(x): tl.store(x, scaled(tl.load(x)))\n"
                "@triton.jit\ndef bad(x): tl.store(x, broken(tl.load(x)))\n"
                "@triton.jit\ndef behind(x): tl.store(x, late(tl.load(x)))\n"
                "@triton.jit\ndef static(x): tl.store(x, computed(4))\n"
                "@triton.jit\ndef default(x, n=plain(5)): tl.store(x, n)\n"
                "@triton.jit\ndef host(x): tl.store(x, plain(5))\n"
                "@triton.jit\ndef none(x): tl.store(x, empty(5))\n");
    runs(s, "jit", 5);
    refuses(s, "bad", "pkg/ops.py:71:16: error: `missing` is not defined");
    refuses(s, "bad", "test.py:7:25: note: in `broken`, called from here");
    refuses(s, "behind", "<host>:1073741825:16: error: `missing` is not defined");
    runs(s, "static", 11);
    runs(s, "default", 13);
    refuses(s, "host", "`computed` is plain Python");
    refuses(s, "none", "`empty` is not defined");
}

static void test_modules(void **state)
{
    const Row rows[] = {
        {"lang", NULL, NULL, {TILEC_NAME_LANGUAGE, .module = "triton.language"}},
        {"wrong", NULL, NULL, {TILEC_NAME_LANGUAGE, .module = "torch.nn"}},
        {"settings", NULL, NULL, {TILEC_NAME_MODULE, .module = "pkg.settings"}},
        {"listed",
         NULL,
         NULL,
         {TILEC_NAME_MODULE, .module = "kit.listed", .path = "tests/lang/kit/ops/listed.py"}},
        {"WIDTH", "pkg.settings", NULL, VALUE(.kind = TILEC_ARG_INT, .integer = 6)},
    };
    Host h = {rows, COUNT(rows)};
    Scene *s = *state;

    load_asking(s, &h,
                "import triton\n"
                "@triton.jit\ndef language(x): lang.store(x, lang.load(x) + 1)\n"
                "@triton.jit\ndef member(x): lang.store(x, settings.WIDTH)\n"
                "@triton.jit\ndef read(x): lang.store(x, listed.thrice(lang.load(x)))\n"
                "@triton.jit\ndef absent(x): lang.store(x, settings.HEIGHT)\n"
                "@triton.jit\ndef nowhere(x): wrong.relu(x)\n");
    runs(s, "language", 2);
    runs(s, "member", 6);
    runs(s, "read", 3);
    refuses(s, "absent", "pkg.settings binds no `HEIGHT`");
    refuses(s, "nowhere", "`wrong` is `torch.nn` to the host, which the language does not have");
    assert_non_null(strstr(h.log, ":language:lang "));
    assert_non_null(strstr(h.log, "kit.listed::thrice "));
}

/* What is no value of a kernel: it may be looked at, and whoever uses it is told what it is. */
static void test_objects(void **state)
{
    static const char advice[] = "pass it as an argument";
    const Row rows[] = {
        {"torch", NULL, NULL, {TILEC_NAME_MODULE, .module = "torch"}},
        {"tanh", "torch", NULL, {TILEC_NAME_LIBRARY, .module = "torch.tanh"}},
        {"float32", "torch", NULL, {TILEC_NAME_LIBRARY, .module = "torch.float32"}},
        {"ARRAY",
         NULL,
         NULL,
         {TILEC_NAME_OBJECT, .text = "an array", .hint = advice, .is_constexpr = 1}},
        {"BARE", NULL, NULL, {TILEC_NAME_OBJECT, .text = "an array", .hint = advice}},
        {"SET", NULL, NULL, {TILEC_NAME_OBJECT, .text = "a set", .is_constexpr = 1}},
        {"taken", NULL, NULL, {TILEC_NAME_LIBRARY, .module = "torch.exp"}},
        {"CFG", NULL, NULL, {TILEC_NAME_OBJECT, .text = "a Cfg", .module = "cfg"}},
        {"WIDTH", "cfg", NULL, VALUE(.kind = TILEC_ARG_INT, .integer = 6)},
        {"NO_TEXT", NULL, NULL, {TILEC_NAME_OBJECT}},
    };
    Host h = {rows, COUNT(rows)};
    Scene *s = *state;

    load_asking(s, &h,
                HEAD "@triton.jit\ndef width(x): tl.store(x, CFG.WIDTH)\n"
                     "@triton.jit\ndef f(c: tl.constexpr): return c.WIDTH\n"
                     "@triton.jit\ndef passed(x): tl.store(x, f(CFG))\n"
                     "@triton.jit\ndef there(x):\n"
                     "    tl.store(x, 2.0 if ARRAY is not None and None is not CFG else 1.0)\n"
                     "@triton.jit\ndef dtype(x):\n"
                     "    tl.store(x, 2.0 if x.dtype.element_ty == torch.float32 else 1.0)\n"
                     "@triton.jit\ndef array(x): tl.store(x, ARRAY)\n"
                     "@triton.jit\ndef equal(x): tl.store(x, 2.0 if ARRAY == 1 else 1.0)\n"
                     "@triton.jit\ndef same(x): tl.store(x, 2.0 if CFG is CFG else 1.0)\n"
                     "@triton.jit\ndef marked(x): tl.store(x, SET)\n"
                     "@triton.jit\ndef chosen(x): tl.store(x, 1 if SET else 2)\n"
                     "@triton.jit\ndef taken_call(x): tl.store(x, taken(1.0))\n"
                     "@triton.jit\ndef bare(x): tl.store(x, BARE)\n"
                     "@triton.jit\ndef sum(x): tl.store(x, -CFG)\n"
                     "@triton.jit\ndef full(x): tl.store(x, tl.full((), 1, torch.float32))\n"
                     "@triton.jit\ndef call(x): tl.store(x, torch.tanh(1.0))\n"
                     "@triton.jit\ndef unknown(x): tl.store(x, NO_TEXT)\n");
    runs(s, "width", 6);
    runs(s, "passed", 6);
    runs(s, "there", 2);
    runs(s, "dtype", 2);
    refuses(s, "array", "`ARRAY` is an array, for which a kernel has no value");
    refuses(s, "array", "hint: pass it as an argument");
    refuses(s, "marked", "`SET` is a set, for which a kernel has no value");
    refuses(s, "chosen", "`SET` is a set, for which a kernel has no value");
    refuses(s, "taken_call", "hint: the language has it as `tl.exp`");
    refuses(s, "equal", "`ARRAY` is an array, for which");
    refuses(s, "same", "`CFG` is a Cfg, for which");
    refuses(s, "bare", "Cannot access global variable `BARE`");
    refuses(s, "bare", "hint: it is an array: pass it as an argument");
    refuses(s, "sum", "`CFG` is a Cfg, for which a kernel has no value");
    refuses(s, "sum", "`object.NAME`");
    refuses(s, "full", "hint: the language has it as `tl.float32`");
    refuses(s, "call", "`tanh` comes from module `torch`");
    refuses(s, "unknown", "`NO_TEXT` is not defined");
}

static const char method[] = "    def scaled(x, n, FACTOR: tl.constexpr = WIDTH):\n"
                             "        tl.store(x, tl.load(x) * FACTOR + len(SIZES) + n)\n"
                             "        wrong.store(x)\n";
enum { NWHOLE = sizeof method - 1 - (sizeof "        wrong.store(x)\n" - 1) };

static tilec_status load_kernel(Scene *s, Host *h, const tilec_name *kernel)
{
    const tilec_load_options o = {.resolve = answer, .user = h};

    tilec_unload(s->file);
    s->file = NULL;
    return tilec_load_function(s->ctx, kernel, &o, &s->file, &s->error);
}

/* A kernel that is given by itself, as the one that an interpreter of Python found. */
static void test_kernel(void **state)
{
    static const char *const unspecialised[] = {"n"};
    const tilec_arg sizes[] = {of_int(NULL, 3), of_int(NULL, 4)};
    const Row rows[] = {
        {"tl", "pkg.net", NULL, {TILEC_NAME_LANGUAGE, .module = "triton.language"}},
        {"WIDTH", "pkg.net", NULL, VALUE(.kind = TILEC_ARG_INT, .integer = 6)},
        {"SIZES",
         "pkg.net",
         "scaled",
         {TILEC_NAME_VALUE,
          {.kind = TILEC_ARG_TUPLE, .items = sizes, .nitems = 2},
          .is_constexpr = 1}},
    };
    Host h = {rows, COUNT(rows)};
    tilec_name kernel = {.text = method,
                         .length = NWHOLE,
                         .function = "scaled",
                         .module = "pkg.net",
                         .path = "pkg/net.py",
                         .line = 30,
                         .unspecialised = unspecialised,
                         .nunspecialised = 1};
    const int64_t shape[] = {1};
    const int32_t grid[3] = {1, 1, 1};
    const void *first = NULL, *second = NULL, *third = NULL;
    float data[] = {2};
    tilec_arg args[] = {of_floats(data, shape), of_int(NULL, 1)};
    tilec_launch_options options = {.device = "interp", .compiled = &first};
    Scene *s = *state;

    assert_int_equal(load_kernel(s, &h, &kernel), TILEC_OK);
    assert_int_equal(tilec_kernel_count(s->file), 1);
    assert_string_equal(tilec_only_kernel(s->file), "scaled");
    assert_int_equal(tilec_launch(s->file, NULL, grid, args, 2, &options, NULL), TILEC_OK);
    assert_float_equal(data[0], 15, 0);
    options.compiled = &second; /* 1 is not compiled in, so that 2 needs no other code */
    args[1].integer = 2;
    assert_int_equal(tilec_launch(s->file, "scaled", grid, args, 2, &options, NULL), TILEC_OK);
    assert_float_equal(data[0], 94, 0);
    assert_non_null(first);
    assert_ptr_equal(first, second);
    options.compiled = &third;
    args[1] = (tilec_arg){.kind = TILEC_ARG_FLOAT, .real = 1};
    assert_int_equal(tilec_prepare(s->file, NULL, args, 2, &options, NULL), TILEC_OK);
    assert_ptr_not_equal(first, third);

    kernel.length = sizeof method - 1;
    assert_int_equal(load_kernel(s, &h, &kernel), TILEC_OK);
    assert_int_equal(tilec_launch(s->file, NULL, grid, args, 2, NULL, &s->error), TILEC_REFUSED);
    assert_non_null(strstr(s->error, "pkg/net.py:32:9: error: `wrong` is not defined"));
    tilec_free(s->error);
    kernel.function = "other";
    assert_int_equal(load_kernel(s, &h, &kernel), TILEC_REFUSED);
    tilec_free(s->error);
    kernel.function = NULL;
    assert_int_equal(load_kernel(s, &h, &kernel), TILEC_BAD_ARGUMENT);
}

static const char applying[] = "def applying(x, f):\n    tl.store(x, f(tl.load(x)) + f(1))\n";
static const char tripled[] = "@anything\ndef tripled(x):\n    return x * FACTOR\n";
static const char halved[] = "def halved(n):\n    return n / FACTOR\n";

static tilec_status apply(Scene *s, const char *function, float *data)
{
    const int64_t shape[] = {1};
    const tilec_arg args[] = {of_floats(data, shape),
                              {.kind = TILEC_ARG_FUNCTION, .text = function}};
    const int32_t grid[3] = {1, 1, 1};
    const tilec_launch_options options = {.device = "interp"};

    tilec_free(s->error);
    return tilec_launch(s->file, NULL, grid, args, 2, &options, &s->error);
}

/* Functions of the host as arguments. */
static void test_added_functions(void **state)
{
    const Row rows[] = {
        {"tl", NULL, NULL, {TILEC_NAME_LANGUAGE, .module = "triton.language"}},
        {"FACTOR", "three", NULL, {TILEC_NAME_VALUE, of_int(NULL, 3), .is_constexpr = 1}},
        {"FACTOR", "two", NULL, {TILEC_NAME_VALUE, of_int(NULL, 2), .is_constexpr = 1}},
    };
    Host h = {rows, COUNT(rows)};
    const tilec_name kernel = {TEXT(applying), .function = "applying", .module = "main"};
    tilec_name function = {TEXT(tripled), .function = "tripled", .module = "three"};
    float data[] = {2};
    Scene *s = *state;

    assert_int_equal(load_kernel(s, &h, &kernel), TILEC_OK);
    assert_int_equal(apply(s, "three.tripled", data), TILEC_REFUSED);
    assert_int_equal(tilec_add_function(s->file, "three.tripled", &function, NULL), TILEC_OK);
    assert_int_equal(apply(s, "three.tripled", data), TILEC_OK);
    assert_float_equal(data[0], 9, 0);
    function.module = "two";
    assert_int_equal(tilec_add_function(s->file, "two.tripled", &function, NULL), TILEC_OK);
    assert_int_equal(apply(s, "two.tripled", data), TILEC_OK);
    assert_float_equal(data[0], 20, 0);
    assert_int_equal(tilec_add_function(s->file, "three.tripled", &function, NULL), TILEC_OK);
    assert_int_equal(apply(s, "three.tripled", data), TILEC_OK);
    assert_float_equal(data[0], 63, 0);

    function = (tilec_name){TEXT(halved), .role = TILEC_ROLE_CONSTEXPR, .module = "two"};
    tilec_free(s->error);
    assert_int_equal(tilec_add_function(s->file, "half", &function, &s->error), TILEC_REFUSED);
    assert_non_null(strstr(s->error, "the text has no function `half`"));
    function.role = TILEC_ROLE_PYTHON;
    assert_int_equal(tilec_add_function(s->file, "halved", &function, NULL), TILEC_BAD_ARGUMENT);
    assert_int_equal(tilec_add_function(s->file, NULL, &function, NULL), TILEC_BAD_ARGUMENT);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_values),  TEST(test_classes), TEST(test_functions),       TEST(test_modules),
        TEST(test_objects), TEST(test_kernel),  TEST(test_added_functions),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
