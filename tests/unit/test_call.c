/*
 * test_call.c - tilec_call.h: what its macros make of C's types, and launches with them; and a
 * context that is told where the code generator is
 */
#include "scene.h"

#include "tilec_call.h"

static void test_types_of_c(void **state)
{
    (void)state;
    bool flags[2] = {0};
    char letters[2] = {0};
    const int64_t *wide = NULL;
    const unsigned short *words = NULL;
    double *reals = NULL;

    assert_int_equal(TILEC_DTYPE_OF(flags), TILEC_I1);
    assert_int_equal(TILEC_DTYPE_OF(letters), (char)-1 < 0 ? TILEC_I8 : TILEC_U8);
    assert_int_equal(TILEC_DTYPE_OF(wide), TILEC_I64);
    assert_int_equal(TILEC_DTYPE_OF(words), TILEC_U16);
    assert_int_equal(TILEC_DTYPE_OF(reals), TILEC_FP64);
    assert_int_equal(TILEC_DTYPE_OF((uint32_t *)NULL), TILEC_U32);
    assert_int_equal(TILEC_DTYPE_OF((size_t *)NULL), TILEC_U64);
    assert_int_equal(TILEC_DTYPE_OF((int8_t *)NULL), TILEC_I8);
    assert_int_equal(TILEC_DTYPE_OF((uint8_t *)NULL), TILEC_U8);
    assert_int_equal(TILEC_DTYPE_OF((int16_t *)NULL), TILEC_I16);
    assert_int_equal(TILEC_DTYPE_OF((int32_t *)NULL), TILEC_I32);
    assert_int_equal(TILEC_DTYPE_OF((long long *)NULL), TILEC_I64);
    assert_int_equal(TILEC_DTYPE_OF((unsigned long long *)NULL), TILEC_U64);
    assert_int_equal(TILEC_DTYPE_OF((const float *)NULL), TILEC_FP32);
}

static void test_arrays(void **state)
{
    (void)state;
    float x[6] = {0};
    const float *constant = x;
    int rows = 2;
    tilec_arg a = TILEC_ARRAY(x, rows, 3), b = TILEC_ARRAY(constant, 6);
    tilec_arg c = TILEC_STRIDED(x, TILEC_LIST(3, rows), TILEC_LIST(1, 3));
    tilec_arg d = TILEC_ARRAY_OF(TILEC_BF16, x, 12);
    tilec_arg e = TILEC_STRIDED_OF(TILEC_FP16, x, TILEC_LIST(4), TILEC_LIST(3));

    assert_int_equal(a.kind, TILEC_ARG_TENSOR);
    assert_ptr_equal(a.tensor.data, x);
    assert_int_equal(a.tensor.ndim, 2);
    assert_int_equal(a.tensor.shape[0], 2);
    assert_int_equal(a.tensor.shape[1], 3);
    assert_null(a.tensor.strides);
    assert_false(a.tensor.read_only);
    assert_true(b.tensor.read_only);
    assert_int_equal(c.tensor.strides[1], 3);
    assert_int_equal(c.tensor.shape[1], 2);
    assert_int_equal(d.tensor.dtype, TILEC_BF16);
    assert_int_equal(e.tensor.strides[0], 3);
    assert_true(TILEC_STRIDED(x, TILEC_LIST(2, 3), TILEC_LIST(3)).tensor.ndim ==
                TILEC_UNEQUAL_LISTS);
}

static void test_values(void **state)
{
    (void)state;
    char text[] = "abc";
    bool yes = true;
    tilec_arg named = TILEC_NAMED(BLOCK, 64);

    assert_int_equal(TILEC_VALUE(-3).integer, -3);
    assert_int_equal(TILEC_VALUE(-3).kind, TILEC_ARG_INT);
    assert_int_equal(TILEC_VALUE((short)7).kind, TILEC_ARG_INT);
    assert_true(TILEC_VALUE(UINT64_MAX).uinteger == UINT64_MAX);
    assert_int_equal(TILEC_VALUE(UINT64_MAX).kind, TILEC_ARG_UINT);
    assert_true(TILEC_VALUE(1.5f).real == 1.5 && TILEC_VALUE(2.5).real == 2.5);
    assert_int_equal(TILEC_VALUE(2.5).kind, TILEC_ARG_FLOAT);
    assert_int_equal(TILEC_VALUE(yes).kind, TILEC_ARG_BOOL);
    assert_string_equal(TILEC_VALUE(text).text, "abc");
    assert_int_equal(TILEC_VALUE("abc").kind, TILEC_ARG_STRING);
    assert_int_equal(tilec_none().kind, TILEC_ARG_NONE);
    assert_int_equal(tilec_type(TILEC_FP16).dtype, TILEC_FP16);
    assert_string_equal(named.name, "BLOCK");
    assert_int_equal(named.integer, 64);
}

static void test_grids(void **state)
{
    (void)state;
    int64_t n = INT64_C(5000000000);

    assert_int_equal(tilec_cdiv(10, 4), 3);
    assert_int_equal(tilec_cdiv(8, 4), 2);
    assert_int_equal(tilec_cdiv(0, 4), 0);
    assert_int_equal(tilec_cdiv(8, 0), -1);
    assert_int_equal(tilec_cdiv(8, -4), -1);
    assert_int_equal(TILEC_GRID(7).programs[0], 7);
    assert_int_equal(TILEC_GRID(7).programs[1], 1);
    assert_int_equal(TILEC_GRID(7, 8).programs[1], 8);
    assert_int_equal(TILEC_GRID(7, 8).programs[2], 1);
    assert_int_equal(TILEC_GRID(7, 8, 9).programs[2], 9);
    assert_int_equal(TILEC_GRID(n).programs[0], -1); /* not what is left of it in 32 bits */
}

static void test_a_launch(void **state)
{
    Scene *s = *state;
    enum { N = 10 };
    float x[N], out[N];
    const float *y = x;
    const tilec_launch_options options = {.device = "interp"};

    for (int i = 0; i < N; i++)
        x[i] = (float)i;
    load(s, add_source);
    assert_int_equal(tilec_call_with(s->file, "add", TILEC_GRID(tilec_cdiv(N, 4)), &options,
                                     &s->error, TILEC_ARRAY(x, N), TILEC_ARRAY(y, N),
                                     TILEC_ARRAY(out, N), TILEC_VALUE(N), TILEC_NAMED(BLOCK, 4)),
                     TILEC_OK);
    for (int i = 0; i < N; i++)
        assert_true(out[i] == 2 * x[i]);
    assert_int_equal(tilec_call_with(s->file, "add", TILEC_GRID(1),
                                     TILEC_OPTIONS(.device = "interp", .check = 1), &s->error,
                                     TILEC_ARRAY(x, 3), TILEC_ARRAY(y, N), TILEC_ARRAY(out, N),
                                     TILEC_VALUE(N), TILEC_NAMED(BLOCK, 4)),
                     TILEC_FAULT);
    tilec_free(s->error);
    assert_int_equal(tilec_call(s->file, "add", TILEC_GRID(1), &s->error, TILEC_VALUE(1)),
                     TILEC_REFUSED);
    assert_non_null(strstr(s->error, "`y`"));
}

/* Whatever addresses and lengths come: with `unspecialised` it is one compile, and still right. */
static void test_unspecialised_launches_run_the_same_code(void **state)
{
    Scene *s = *state;
    enum { N = 80 };
    _Alignas(64) static float x[2 * N], out[2 * N];
    const void *compiled = NULL, *first = NULL;
    const tilec_launch_options options = {.unspecialised = 1, .compiled = &compiled};

    for (int i = 0; i < 2 * N; i++)
        x[i] = (float)i;
    load(s, add_source);
    for (int n = 1; n <= 64; n += n < 20 ? 1 : 15) {
        float *from = x + n % 7, *to = out + n % 5;
        for (int i = 0; i < N; i++)
            to[i] = -1;
        assert_int_equal(tilec_call_with(s->file, "add", TILEC_GRID(tilec_cdiv(n, 16)), &options,
                                         &s->error, TILEC_ARRAY(from, n), TILEC_ARRAY(x, n),
                                         TILEC_ARRAY(to, n), TILEC_VALUE(n),
                                         TILEC_NAMED(BLOCK, 16)),
                         TILEC_OK);
        for (int i = 0; i < n; i++)
            assert_true(to[i] == from[i] + x[i]);
        assert_true(to[n] == -1);
        assert_true(!first || compiled == first);
        first = compiled;
    }
}

/* What a kernel writes must not be const. */
static void test_constant_results(void **state)
{
    Scene *s = *state;
    float x[4] = {0};
    const float *out = x;

    load(s, add_source);
    assert_int_equal(tilec_call(s->file, "add", TILEC_GRID(1), &s->error, TILEC_ARRAY(x, 4),
                                TILEC_ARRAY(x, 4), TILEC_ARRAY(out, 4), TILEC_VALUE(4),
                                TILEC_NAMED(BLOCK, 4)),
                     TILEC_BAD_ARGUMENT);
    assert_non_null(strstr(s->error, "`out`"));
}

/* --- where the plugin is --- */

static tilec_status launch_with_plugin(const char *plugin, char **error)
{
    const tilec_open_options options = {.cache_folder = "", .plugin = plugin};
    float x[4] = {0};
    tilec_context *ctx = NULL;
    tilec_file *file = NULL;
    tilec_status status = tilec_open_with(&options, &ctx, error);

    if (status == TILEC_OK)
        status = tilec_load_string(ctx, NULL, add_source, sizeof add_source - 1, &file, error);
    if (status == TILEC_OK)
        status = tilec_call(file, NULL, TILEC_GRID(1), error, TILEC_ARRAY(x, 4), TILEC_ARRAY(x, 4),
                            TILEC_ARRAY(x, 4), TILEC_VALUE(4), TILEC_NAMED(BLOCK, 4));
    tilec_unload(file);
    tilec_close(ctx);
    return status;
}

static void test_the_place_of_the_plugin(void **state)
{
    Scene *s = *state;
    char *there = os_env("TILEC_PLUGIN") ? strdup(os_env("TILEC_PLUGIN")) : NULL;

    assert_int_equal(launch_with_plugin("/nowhere/tilec-llvm.so", &s->error), TILEC_FAILED);
    assert_non_null(strstr(s->error, "/nowhere/tilec-llvm.so"));
    tilec_free(s->error);
    assert_int_equal(launch_with_plugin("tilec-llvm.so", &s->error), TILEC_BAD_ARGUMENT);
    assert_non_null(strstr(s->error, "absolute"));
    tilec_free(s->error);
    s->error = NULL;
    if (there) {
        setenv("TILEC_PLUGIN", "/nowhere/tilec-llvm.so", 1); /* which the option goes before */
        assert_int_equal(launch_with_plugin(there, &s->error), TILEC_OK);
        setenv("TILEC_PLUGIN", there, 1);
    }
    free(there);
}

static void test_contexts_without_options(void **state)
{
    (void)state;
    tilec_context *ctx = NULL;
    char *error;

    assert_int_equal(tilec_open_with(NULL, &ctx, &error), TILEC_OK);
    tilec_close(ctx);
    assert_int_equal(tilec_open_with(NULL, NULL, &error), TILEC_BAD_ARGUMENT);
    tilec_free(error);
    assert_int_equal(tilec_open_options_layout(TILEC_LAYOUT + 1, NULL, &ctx, &error), TILEC_FAILED);
    tilec_free(error);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_types_of_c),
        cmocka_unit_test(test_arrays),
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_grids),
        TEST(test_a_launch),
        TEST(test_unspecialised_launches_run_the_same_code),
        TEST(test_constant_results),
        TEST(test_the_place_of_the_plugin),
        cmocka_unit_test(test_contexts_without_options),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
