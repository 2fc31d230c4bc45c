/*
 * test_ranges.c - launches are ranges of NVTX where a tool looks on, and else nothing is opened
 */
#include "scene.h"

#include <dlfcn.h>

enum { N = 10 };

/* What the stand-in was told, from now on. */
static char *heard_of(const char *library)
{
    void *lib = dlopen(library, RTLD_NOW | RTLD_LOCAL),
         *symbol = lib ? dlsym(lib, "fake_nvtx_heard") : NULL;
    char *(*heard)(void);

    assert_non_null(symbol);
    memcpy(&heard, &symbol, sizeof symbol);
    char *text = heard();
    text[0] = '\0';
    return text;
}

static tilec_status add(Scene *s, const char *device, int32_t programs)
{
    static float x[N], out[N];
    static const int64_t shape[] = {N};
    const tilec_arg args[] = {of_floats(x, shape), of_floats(x, shape), of_floats(out, shape),
                              of_int(NULL, N), of_int("BLOCK", 4)};
    const tilec_launch_options options = {.device = device};
    const int32_t grid[3] = {programs, 1, 1};

    return tilec_launch(s->file, "add", grid, args, 5, &options, &s->error);
}

/* A context of its own, since it is the opening that looks at the environment. */
static void launch_all(const char *devices[])
{
    Scene s = {0};

    assert_int_equal(tilec_open("", &s.ctx, NULL), TILEC_OK);
    load(&s, add_source);
    for (int i = 0; devices[i]; i++)
        assert_int_equal(add(&s, devices[i], 3), TILEC_OK);
    assert_int_not_equal(add(&s, "interp", -1), TILEC_OK);
    tilec_free(s.error);
    tilec_unload(s.file);
    tilec_close(s.ctx);
}

static void test_nobody_looks_on(void **state)
{
    const char *heard = heard_of(getenv("TILEC_FAKE_NVTX"));

    (void)state;
    launch_all((const char *[]){"interp", NULL});
    assert_string_equal(heard, "");
}

/* A tool that is not there, and a library that is none. */
static void test_no_library(void **state)
{
    static const char *const names[] = {"/nowhere/libToolsInjection64.so", "libm.so.6"};
    const char *heard = heard_of(getenv("TILEC_FAKE_NVTX"));

    (void)state;
    for (int i = 0; i < 2; i++) {
        setenv("NVTX_INJECTION64_PATH", names[i], 1);
        launch_all((const char *[]){"interp", NULL});
    }
    assert_string_equal(heard, "");
}

/* Behind the others: it stays for as long as the process does, and comes once. */
static void test_each_launch(void **state)
{
    const char *fake = getenv("TILEC_FAKE_NVTX");
    const char *heard = heard_of(fake);

    (void)state;
    setenv("NVTX_INJECTION64_PATH", fake, 1);
    launch_all((const char *[]){"interp", has_cpu() ? "cpu" : "interp", NULL});
    assert_string_equal(heard, "[add ][add ]");
    launch_all((const char *[]){"interp", NULL});
    assert_string_equal(heard, "[add ][add ][add ]");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nobody_looks_on),
        cmocka_unit_test(test_no_library),
        cmocka_unit_test(test_each_launch),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
