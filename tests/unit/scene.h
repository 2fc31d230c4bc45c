/*
 * scene.h - a context with one file, for the tests of the C API
 *
 * Included first, since it asks for all that the C library has.
 */
#ifndef TILEC_TEST_SCENE_H
#define TILEC_TEST_SCENE_H

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

static inline int set_up(void **state)
{
    Scene *s = calloc(1, sizeof *s);

    *state = s;
    return tilec_open("", &s->ctx, NULL);
}

/* .. whose code is kept for the next run, since it is what the code does that is tested. */
static inline int set_up_kept(void **state)
{
    Scene *s = calloc(1, sizeof *s);

    *state = s;
    return tilec_open(os_env("TILEC_CACHE_DIR") ? NULL : "", &s->ctx, NULL);
}

static inline int tear_down(void **state)
{
    Scene *s = *state;

    tilec_unload(s->file);
    tilec_close(s->ctx);
    tilec_free(s->error);
    free(s);
    return 0;
}

/* In place of what was loaded before. */
static inline void load(Scene *s, const char *text)
{
    tilec_unload(s->file);
    tilec_status status =
        tilec_load_string(s->ctx, "test.py", text, strlen(text), &s->file, &s->error);

    if (status != TILEC_OK)
        print_error("%s", s->error);
    assert_int_equal(status, TILEC_OK);
    assert_null(s->error);
}

static inline bool has_cpu(void)
{
    Arena *a = arena_new(NULL);
    const char *why;
    bool found = run_plugin(a, &why) != NULL;

    arena_free(a);
    return found;
}

static inline tilec_arg of_floats(float *data, const int64_t *shape)
{
    return (tilec_arg){.kind = TILEC_ARG_TENSOR, .tensor = {data, TILEC_FP32, 1, shape, NULL}};
}

static inline tilec_arg of_int(const char *name, int64_t v)
{
    return (tilec_arg){.name = name, .kind = TILEC_ARG_INT, .integer = v};
}

/* Launch on "interp" and expect success. */
static inline void launch(Scene *s, const char *device, int32_t programs, const tilec_arg *args,
                          int n)
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
static inline void refused(Scene *s, tilec_status status, const tilec_arg *args, int n,
                           const char *wanted)
{
    const int32_t grid[3] = {1, 1, 1};
    const tilec_launch_options options = {.device = "interp"};

    assert_int_equal(tilec_launch(s->file, NULL, grid, args, n, &options, &s->error), status);
    assert_non_null(s->error);
    if (!strstr(s->error, wanted))
        print_error("wanted: %s\ngot: %s", wanted, s->error);
    assert_non_null(strstr(s->error, wanted));
    assert_int_equal(s->error[strlen(s->error) - 1], '\n');
    tilec_free(s->error);
    s->error = NULL;
}

/* A GPU's limits, of which the simulator has the same. */
static inline void expect_grid_limits(Scene *s, const char *device)
{
    const tilec_launch_options options = {.device = device};
    const tilec_arg args[] = {of_int(NULL, 5)};
    char wanted[160];

    load(s, HEAD "@triton.jit\ndef k(n): pass\n");
    for (int d = 1; d < 3; d++) {
        int32_t grid[3] = {1, 1, 1};
        grid[d] = 65535;
        assert_int_equal(tilec_launch(s->file, NULL, grid, args, 1, &options, NULL), TILEC_OK);
        grid[d] = 65536;
        assert_int_equal(tilec_launch(s->file, NULL, grid, args, 1, &options, &s->error),
                         TILEC_BAD_ARGUMENT);
        snprintf(wanted, sizeof wanted,
                 "error: kernel `k` of test.py: the grid %dx%dx%d is too large for the device "
                 "`%s`: along y and z it has "
                 "at most 65535 programs\n",
                 grid[0], grid[1], grid[2], device);
        assert_string_equal(s->error, wanted);
        tilec_free(s->error);
        s->error = NULL;
    }
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

#endif
