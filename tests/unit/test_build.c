/*
 * test_build.c - tilec_build() and tilec_build_header(): what they refuse, and what they say of the
 * object and of its functions
 *
 * What the object and the header do is tested by tests/cli/build.sh.
 */
#include "scene.h"

#include <elf.h>

static const char *const all_levels[] = {"x86-64", "x86-64-v3", "x86-64-v4"};

static tilec_arg run_time(const char *name, tilec_dtype t, int pointer)
{
    return (tilec_arg){.name = name, .kind = TILEC_ARG_TYPE, .dtype = t, .pointer = pointer};
}

static tilec_build_options options_of(const tilec_build_form *forms, int n)
{
    return (tilec_build_options){.forms = forms,
                                 .nforms = n,
                                 .level_symbol = "level",
                                 .levels = all_levels,
                                 .nlevels = COUNT(all_levels)};
}

/* The status of a build that must fail, with this in its text. */
static void build_refused(Scene *s, tilec_status status, const tilec_build_options *o,
                          const char *text)
{
    tilec_object object = {0};

    assert_int_equal(tilec_build(s->file, NULL, o, &object, &s->error), status);
    assert_non_null(s->error);
    if (!strstr(s->error, text))
        print_error("wanted: %s\ngot: %s", text, s->error);
    assert_non_null(strstr(s->error, text));
    assert_null(object.data);
    tilec_free(s->error);
    s->error = NULL;
}

static bool has_levels(void)
{
    return has_cpu() && device_at(0)->level && device_at(0)->level(0);
}

static void test_an_object(void **state)
{
    Scene *s = *state;
    const tilec_arg args[] = {run_time("x", TILEC_FP32, 1), run_time("y", TILEC_FP32, 1),
                              run_time("out", TILEC_FP32, 1), run_time("n", TILEC_I32, 0),
                              of_int("BLOCK", 64)};
    const tilec_build_form forms[] = {{"first", args, 5}, {"second", args, 5}};
    const tilec_build_options o = options_of(forms, 2);
    tilec_object object;

    if (!has_levels())
        return;
    load(s, add_source);
    assert_int_equal(tilec_build(s->file, NULL, &o, &object, &s->error), TILEC_OK);
    assert_true(object.size > sizeof(Elf64_Ehdr));
    assert_memory_equal(object.data, ELFMAG, SELFMAG);
    assert_int_equal(((const Elf64_Ehdr *)object.data)->e_type, ET_REL);
    assert_int_equal(object.written, 1 << 2);
    assert_false(object.may_fault);
    tilec_free(object.data);
}

static void test_what_an_object_says(void **state)
{
    Scene *s = *state;
    const tilec_arg args[] = {run_time("a", TILEC_I32, 1), run_time("b", TILEC_I32, 1),
                              run_time("c", TILEC_I32, 1)};
    const tilec_build_form form = {"f", args, 3};
    const tilec_build_options o = options_of(&form, 1);
    tilec_object object;

    if (!has_levels())
        return;
    load(s, HEAD "@triton.jit\ndef k(a, b, c):\n"
                 "    tl.device_assert(tl.load(b) > 0)\n"
                 "    tl.atomic_add(c, 1)\n"
                 "    tl.store(a, 1)\n");
    assert_int_equal(tilec_build(s->file, NULL, &o, &object, &s->error), TILEC_OK);
    assert_int_equal(object.written, 1 | 4);
    assert_true(object.may_fault);
    tilec_free(object.data);
}

static tilec_build_options for_gpu(const tilec_build_form *form, const char *const *chips, int n)
{
    return (tilec_build_options){
        .forms = form, .nforms = 1, .levels = chips, .nlevels = n, .device = "cuda"};
}

/* Of one chip, without the function LEVEL; what speaks is refused. */
static void test_a_gpu(void **state)
{
    Scene *s = *state;
    const char *const chips[] = {"sm_80", "sm_90a"}, *const unknown[] = {"sm_999"};
    const char *const missing[] = {NULL};
    const tilec_arg args[] = {run_time("x", TILEC_FP32, 1)};
    const tilec_build_form form = {"f", args, 1};
    tilec_build_options o = for_gpu(&form, chips, 1);
    tilec_object object;

    if (!has_levels())
        return;
    load(s, HEAD "@triton.jit\ndef k(x): tl.store(x, 1)\n");
    assert_int_equal(tilec_build(s->file, NULL, &o, &object, &s->error), TILEC_OK);
    assert_memory_equal(object.data, ELFMAG, SELFMAG);
    assert_non_null(memmem(object.data, object.size, ".target sm_80", strlen(".target sm_80")));
    assert_int_equal(object.written, 1);
    tilec_free(object.data);
    o = for_gpu(&form, chips, 2);
    build_refused(s, TILEC_BAD_ARGUMENT, &o, "for the device `cuda` there is one level, the chip");
    o = for_gpu(&form, missing, 1);
    build_refused(s, TILEC_BAD_ARGUMENT, &o, "there is one level, the chip");
    o = for_gpu(&form, unknown, 1);
    build_refused(s, TILEC_NOT_FOUND, &o, "no code can be made for `sm_999`");
    o.device = "cpu";
    build_refused(s, TILEC_BAD_ARGUMENT, &o, "no identifier");
    o.device = "tpu";
    o.level_symbol = "level";
    build_refused(s, TILEC_NOT_FOUND, &o, "there is no device `tpu`");
    load(s, HEAD "@triton.jit\ndef k(x): tl.device_print('x', tl.load(x))\n");
    o = for_gpu(&form, chips, 1);
    build_refused(s, TILEC_REFUSED, &o, "the kernel prints or asserts");
}

static void test_misuse_of_build(void **state)
{
    Scene *s = *state;
    const tilec_arg args[] = {run_time("x", TILEC_FP32, 1)};
    const tilec_build_form good = {"f", args, 1}, bad = {"f-g", args, 1}, none = {NULL, args, 1};
    tilec_build_options o = options_of(&good, 1);
    tilec_object object;

    load(s, HEAD "@triton.jit\ndef k(x): tl.store(x, 1)\n");
    build_refused(s, TILEC_BAD_ARGUMENT, NULL, "no options");
    o.nforms = 0;
    build_refused(s, TILEC_BAD_ARGUMENT, &o, "no options, forms or levels");
    o = options_of(&bad, 1);
    build_refused(s, TILEC_BAD_ARGUMENT, &o, "no identifier");
    o = options_of(&none, 1);
    build_refused(s, TILEC_BAD_ARGUMENT, &o, "no identifier");
    o = options_of(&good, 1);
    o.level_symbol = NULL;
    build_refused(s, TILEC_BAD_ARGUMENT, &o, "no identifier");
    o = options_of(&good, 1);
    o.level_symbol = "f";
    build_refused(s, TILEC_BAD_ARGUMENT, &o, "two functions would be called `f`");
    const tilec_build_form twice[] = {good, good};
    o = options_of(twice, 2);
    build_refused(s, TILEC_BAD_ARGUMENT, &o, "two functions would be called `f`");
    o = options_of(&good, 1);
    o.num_stages = -1;
    build_refused(s, TILEC_BAD_ARGUMENT, &o, "num_stages cannot be negative; 0 is the default");
    o = options_of(&good, 1);
    assert_int_equal(tilec_build(s->file, NULL, &o, NULL, NULL), TILEC_BAD_ARGUMENT);
    assert_int_equal(tilec_build(NULL, NULL, &o, &object, NULL), TILEC_BAD_ARGUMENT);
    assert_int_equal(tilec_build(s->file, "nobody", &o, &object, NULL), TILEC_NOT_FOUND);
}

/* --- headers --- */

/* With this text in it, or a message that has it. */
static void header_says(Scene *s, tilec_status status, const tilec_build_options *o,
                        const char *function, const char *grid, const char *wanted)
{
    char *text = NULL;

    assert_int_equal(tilec_build_header(s->file, NULL, o, NULL, function, grid, &text, &s->error),
                     status);
    const char *got = status == TILEC_OK ? text : s->error;
    assert_non_null(got);
    if (!strstr(got, wanted))
        print_error("wanted: %s\ngot: %s", wanted, got);
    assert_non_null(strstr(got, wanted));
    tilec_free(text);
    tilec_free(s->error);
    s->error = NULL;
}

static tilec_arg compiled_in(const char *name, const tilec_arg *value)
{
    return (tilec_arg){.name = name, .kind = TILEC_ARG_CONSTEXPR, .items = value, .nitems = 1};
}

/* Parameters follow from the forms: given, chosen and fixed ones. */
static void test_a_header(void **state)
{
    Scene *s = *state;
    const tilec_arg seven = of_int(NULL, 7);
    tilec_arg wide = run_time("x", TILEC_FP32, 1);
    wide.integer = 64;
    const tilec_arg first[] = {wide, run_time("y", TILEC_FP16, 1), run_time("out", TILEC_FP32, 1),
                               compiled_in("n", &seven), of_int("BLOCK", 64)};
    const tilec_arg second[] = {run_time("x", TILEC_FP32, 1), run_time("y", TILEC_FP16, 1),
                                run_time("out", TILEC_FP32, 1), run_time("n", TILEC_I32, 0),
                                of_int("BLOCK", 128)};
    const tilec_build_form forms[] = {{"one", first, 5}, {"two", second, 5}};
    const tilec_build_options o = options_of(forms, 2);
    const char *const has[] = {
        "int one(const void *args",
        "int two(const void *args",
        "int level(void);",
        "int sum(float *x, uint16_t *y, float *out, int32_t n, int64_t BLOCK_)\n",
        "one: n == 7, BLOCK_ == 64, x begins at a multiple of 64 bytes, y begins at",
        "two: BLOCK_ == 128, x begins at a multiple of 16 bytes, y",
        "BLOCK_: 64 or 128\n",
        "    if (n == 7 && BLOCK_ == 64 && tilec_words[0] % 64 == 0 && tilec_words[1] % 16 == 0",
        "tilec_grid[0] = tilec_aot_extent(tilec_aot_cdiv((int64_t)n, (int64_t)BLOCK_));"};

    if (!has_levels())
        return;
    load(s, add_source);
    for (int i = 0; i < COUNT(has); i++)
        header_says(s, TILEC_OK, &o, "sum", "cdiv(n, BLOCK)", has[i]);
    header_says(s, TILEC_OK, &o, NULL, NULL, "TILEC_AOT_FUNCTION int add(float *x");
}

/* What calls have no word for is compiled in; what an object says makes arrays const. */
static void test_a_header_of_an_object(void **state)
{
    Scene *s = *state;
    const tilec_arg args[] = {run_time("x", TILEC_FP32, 1), run_time("y", TILEC_FP32, 1),
                              run_time("out", TILEC_FP32, 1), run_time("n", TILEC_I32, 0),
                              of_int("BLOCK", 64)};
    const tilec_build_form form = {"f", args, 5};
    const tilec_build_options o = options_of(&form, 1);
    const tilec_object object = {.written = 1 << 2};
    char *text = NULL;

    if (!has_levels())
        return;
    load(s, add_source);
    assert_int_equal(tilec_build_header(s->file, "add", &o, &object, NULL, NULL, &text, &s->error),
                     TILEC_OK);
    assert_non_null(strstr(text, "int add(const float *x, const float *y, float *out, int32_t n,"));
    assert_non_null(strstr(text, "Compiled in: BLOCK = 64.\n"));
    assert_non_null(strstr(text, "nothing has\n * run then.\n"));
    tilec_free(text);
    load(s, HEAD "@triton.jit\ndef k(): pass\n");
    const tilec_build_form nothing = {"f", NULL, 0};
    const tilec_build_options empty = options_of(&nothing, 1);
    header_says(s, TILEC_OK, &empty, NULL, "2, 3", "TILEC_AOT_FUNCTION int k(void)\n");
}

static void test_misuse_of_headers(void **state)
{
    Scene *s = *state;
    const tilec_arg values[] = {{.kind = TILEC_ARG_FLOAT, .real = 2},
                                {.kind = TILEC_ARG_FLOAT, .real = 3}};
    const tilec_arg wide[] = {run_time("x", TILEC_I64, 0)},
                    narrow[] = {run_time("x", TILEC_I32, 0)}, plain[] = {of_int("x", 5)},
                    two[] = {compiled_in("x", &values[0])},
                    three[] = {compiled_in("x", &values[1])};
    const tilec_build_form typed[] = {{"f", wide, 1}, {"g", narrow, 1}}, untyped = {"f", plain, 1},
                           floats[] = {{"f", two, 1}, {"g", three, 1}},
                           some[] = {{"f", two, 1}, {"g", wide, 1}};
    tilec_build_options o = options_of(typed, 1);

    if (!has_levels())
        return;
    load(s, HEAD "@triton.jit\ndef k(x): pass\n");
    header_says(s, TILEC_BAD_ARGUMENT, &o, "exp", NULL, "the C library has one");
    header_says(s, TILEC_BAD_ARGUMENT, &o, "a-b", NULL, "it has other signs than C's");
    header_says(s, TILEC_BAD_ARGUMENT, &o, "f", NULL, "two functions would be called `f`");
    header_says(s, TILEC_BAD_ARGUMENT, &o, NULL, "x / 2", "`/` gives a float");
    header_says(s, TILEC_BAD_ARGUMENT, &o, NULL, "1, 2, 3, 4", "one to three dimensions");
    header_says(s, TILEC_BAD_ARGUMENT, &o, NULL, "1 +", "the grid 1 +: ");
    o = options_of(typed, 2);
    header_says(s, TILEC_BAD_ARGUMENT, &o, NULL, NULL, "`x` has other types in other forms");
    o = options_of(&untyped, 1);
    header_says(s, TILEC_BAD_ARGUMENT, &o, NULL, NULL, "`x` has a value that is not compiled in");
    o = options_of(floats, 2);
    header_says(s, TILEC_BAD_ARGUMENT, &o, NULL, NULL, "only whole numbers");
    o = options_of(some, 2);
    header_says(s, TILEC_BAD_ARGUMENT, &o, NULL, NULL, "only whole numbers");
    o.nforms = 0;
    header_says(s, TILEC_BAD_ARGUMENT, &o, NULL, NULL, "no options, forms or levels");
    o = options_of(typed, 1);
    assert_int_equal(tilec_build_header(s->file, NULL, &o, NULL, NULL, NULL, NULL, NULL),
                     TILEC_BAD_ARGUMENT);
    assert_int_equal(tilec_build_header(NULL, NULL, &o, NULL, NULL, NULL, &s->error, NULL),
                     TILEC_BAD_ARGUMENT);
    load(s, HEAD "@triton.jit\ndef exp(x): pass\n");
    header_says(s, TILEC_BAD_ARGUMENT, &o, NULL, NULL, "hint: another one can be given");
}

static void test_levels_of_a_build(void **state)
{
    Scene *s = *state;
    const tilec_arg args[] = {run_time("x", TILEC_FP32, 1)};
    const tilec_build_form form = {"f", args, 1};
    const char *const unknown[] = {"x86-64", "x86-64-v7"}, *const twice[] = {"x86-64", "x86-64"};
    const char *const missing[] = {NULL};
    tilec_build_options o = options_of(&form, 1);

    if (!has_levels())
        return;
    load(s, HEAD "@triton.jit\ndef k(x): tl.store(x, 1)\n");
    o.levels = unknown;
    o.nlevels = 2;
    build_refused(s, TILEC_NOT_FOUND, &o, "there is no level `x86-64-v7`");
    o.levels = twice;
    build_refused(s, TILEC_BAD_ARGUMENT, &o, "does not come behind");
    o.levels = missing;
    o.nlevels = 1;
    build_refused(s, TILEC_NOT_FOUND, &o, "there is no level `NULL`");
}

/* What has no place in a function of C's, and wrong divisors. */
static void test_arguments_of_a_build(void **state)
{
    Scene *s = *state;
    const tilec_arg items[] = {run_time(NULL, TILEC_FP32, 1), of_int(NULL, 5)};
    const tilec_arg tuple = {.kind = TILEC_ARG_TUPLE, .items = items, .nitems = 2};
    tilec_arg odd = run_time("x", TILEC_FP32, 1);
    tilec_build_form form = {"f", &tuple, 1};
    const tilec_build_options o = options_of(&form, 1);

    if (!has_levels())
        return;
    load(s, HEAD "@triton.jit\ndef k(x): tl.store(x[0], x[1])\n");
    build_refused(s, TILEC_REFUSED, &o, "`x` is a tuple or a descriptor");
    odd.integer = 7;
    form.args = &odd;
    build_refused(s, TILEC_BAD_ARGUMENT, &o, "the type given for `x` is wrong");
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_an_object),
        TEST(test_what_an_object_says),
        TEST(test_a_gpu),
        TEST(test_misuse_of_build),
        TEST(test_levels_of_a_build),
        TEST(test_arguments_of_a_build),
        TEST(test_a_header),
        TEST(test_a_header_of_an_object),
        TEST(test_misuse_of_headers),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
