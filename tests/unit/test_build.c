/*
 * test_build.c - tilec_build(): what it refuses, and what it says of the object that it gives
 *
 * What the object does is tested by tests/cli/build.sh.
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
    build_refused(s, TILEC_BAD_ARGUMENT, &o, "num_stages is negative");
    o = options_of(&good, 1);
    assert_int_equal(tilec_build(s->file, NULL, &o, NULL, NULL), TILEC_BAD_ARGUMENT);
    assert_int_equal(tilec_build(NULL, NULL, &o, &object, NULL), TILEC_BAD_ARGUMENT);
    assert_int_equal(tilec_build(s->file, "nobody", &o, &object, NULL), TILEC_NOT_FOUND);
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
        TEST(test_an_object),       TEST(test_what_an_object_says), TEST(test_a_gpu),
        TEST(test_misuse_of_build), TEST(test_levels_of_a_build),   TEST(test_arguments_of_a_build),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
