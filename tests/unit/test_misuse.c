/*
 * test_misuse.c - what callers of the C API give wrongly, and what the library says to it
 */
#include "scene.h"

#include <sys/prctl.h>
#include <sys/wait.h>

#ifndef PR_SET_MDWE /* of Linux 6.3 */
#define PR_SET_MDWE 65
#endif

static const char fill_source[] = HEAD "@triton.heuristics({'R': lambda a: a['x'].shape[-1]})\n"
                                       "@triton.jit\n"
                                       "def fill(x, R: tl.constexpr = 1): tl.store(x, 1.0)\n";
static float cell[4];
static const int64_t four[] = {4};
static const int32_t one[3] = {1, 1, 1};

/* Expect the status, and the text as part of the error; NULL: whatever it says. */
static void expect(Scene *s, tilec_status got, tilec_status status, const char *text)
{
    assert_int_equal(got, status);
    assert_non_null(s->error);
    if (text && !strstr(s->error, text))
        fail_msg("wanted: %s\ngot: %s", text, s->error);
    assert_int_equal(s->error[strlen(s->error) - 1], '\n');
    tilec_free(s->error);
    s->error = NULL;
}

static tilec_status fill(Scene *s, tilec_tensor t, tilec_launch_options options)
{
    const tilec_arg x = {.kind = TILEC_ARG_TENSOR, .tensor = t};

    options.device = options.device ? options.device : "interp";
    return tilec_launch(s->file, NULL, one, &x, 1, &options, &s->error);
}

static tilec_tensor good_tensor(void)
{
    return (tilec_tensor){.data = cell, .dtype = TILEC_FP32, .ndim = 1, .shape = four};
}

static void test_files_that_are_not_there(void **state)
{
    Scene *s = *state;
    tilec_file *file = NULL;

    expect(s, tilec_load_file(s->ctx, "", &file, &s->error), TILEC_IO,
           "a path without a name: No such");
    expect(s, tilec_load_file(s->ctx, "/nowhere/x.py", &file, &s->error), TILEC_IO,
           "/nowhere/x.py: No such");
    assert_null(file);
}

/* Names of files hold any bytes: in a message they are in one line, and drive no terminal. */
static void test_names_of_files_are_shown_in_one_line(void **state)
{
    static const char path[] = "/no\nwhere/\033[31m.py", shown[] = "/no\\nwhere/\\x1b[31m.py";
    static const char two[] = HEAD "@triton.jit\ndef a(x): pass\n@triton.jit\ndef b(x): pass\n";
    static const int32_t negative[3] = {-1, 1, 1};
    Scene *s = *state;
    char *text = NULL, wanted[200];
    tilec_file *file = NULL;
    const tilec_open_options options = {.plugin = "odd\033[31m"};
    tilec_context *ctx = NULL;

    snprintf(wanted, sizeof wanted, "error: %s: No such", shown);
    expect(s, tilec_load_file(s->ctx, path, &file, &s->error), TILEC_IO, wanted);
    assert_int_equal(tilec_load(s->ctx, path, two, sizeof two - 1, NULL, &file, NULL), TILEC_OK);
    snprintf(wanted, sizeof wanted, "error: %s has 2 kernels; which one?", shown);
    expect(s, tilec_launch(file, NULL, one, NULL, 0, NULL, &s->error), TILEC_NOT_FOUND, wanted);
    snprintf(wanted, sizeof wanted, "kernel `a` of %s: ", shown);
    expect(s, tilec_launch(file, "a", negative, NULL, 0, NULL, &s->error), TILEC_BAD_ARGUMENT,
           wanted);
    expect(s, tilec_launch(file, "c\033[31m", one, NULL, 0, NULL, &s->error), TILEC_NOT_FOUND,
           "has no kernel `c\\x1b[31m`");
    const tilec_arg x = {.kind = TILEC_ARG_INT, .integer = 7};
    assert_int_equal(tilec_dump(file, "a", "ir", &x, 1, NULL, &text, NULL), TILEC_OK);
    assert_null(strchr(text, '\033'));
    tilec_free(text);
    tilec_unload(file);
    expect(s, tilec_open_with(&options, &ctx, &s->error), TILEC_BAD_ARGUMENT,
           "the plugin `odd\\x1b[31m` is no absolute path");
}

static void test_a_cache_that_cannot_be_used_is_named_in_one_line(void **state)
{
    const tilec_open_options options = {.cache_folder = "/dev/null/\033[31m"};
    tilec_context *ctx = NULL;

    (void)state;
    assert_int_equal(tilec_open_with(&options, &ctx, NULL), TILEC_OK);
    assert_non_null(strstr(tilec_cache_problem(ctx), "cache folder /dev/null/\\x1b[31m is not"));
    tilec_close(ctx);
}

static void test_programs_newer_than_the_library_are_told(void **state)
{
    Scene *s = *state;
    tilec_context *ctx = NULL;

    expect(s, tilec_open_layout(TILEC_LAYOUT + 1, "", &ctx, &s->error), TILEC_FAILED,
           "a newer library is needed");
    expect(s, tilec_open_layout(0, "", &ctx, &s->error), TILEC_BAD_ARGUMENT, "no layout 0");
    assert_null(ctx);
}

/* A struct that grows needs a new layout once this one has been released: programs are compiled
 * with it.  Until then its row here may be edited. */
static void test_structs_are_as_large_as_their_layout_says(void **state)
{
    static const struct {
        const char *name;
        size_t now, layout_1; /* on 64-bit machines */
    } sizes[] = {
        {"tilec_tensor", sizeof(tilec_tensor), 64},
        {"tilec_arg", sizeof(tilec_arg), 136},
        {"tilec_param", sizeof(tilec_param), 168},
        {"tilec_launch_options", sizeof(tilec_launch_options), 200},
        {"tilec_programs", sizeof(tilec_programs), 16},
        {"tilec_progress", sizeof(tilec_progress), 56},
        {"tilec_span", sizeof(tilec_span), 56},
        {"tilec_line", sizeof(tilec_line), 96},
        {"tilec_record", sizeof(tilec_record), 88},
        {"tilec_count", sizeof(tilec_count), 152},
        {"tilec_device", sizeof(tilec_device), 40},
        {"tilec_unit", sizeof(tilec_unit), 32},
        {"tilec_place", sizeof(tilec_place), 16},
        {"tilec_stats", sizeof(tilec_stats), 112},
        {"tilec_config", sizeof(tilec_config), 16},
        {"tilec_trial", sizeof(tilec_trial), 64},
        {"tilec_tune_options", sizeof(tilec_tune_options), 176},
        {"tilec_choice", sizeof(tilec_choice), 40},
        {"tilec_define", sizeof(tilec_define), 16},
        {"tilec_question", sizeof(tilec_question), 32},
        {"tilec_name", sizeof(tilec_name), 240},
        {"tilec_load_options", sizeof(tilec_load_options), 48},
    };

    (void)state;
    assert_int_equal(TILEC_LAYOUT, 1);
    for (int i = 0; sizeof(void *) == 8 && i < COUNT(sizes); i++) {
        if (sizes[i].now != sizes[i].layout_1)
            print_error("%s has changed: see TILEC_LAYOUT\n", sizes[i].name);
        assert_int_equal(sizes[i].now, sizes[i].layout_1);
    }
}

static void test_tensors_that_make_no_sense(void **state)
{
    Scene *s = *state;
    tilec_tensor t = good_tensor();

    load(s, fill_source);
    assert_int_equal(fill(s, t, (tilec_launch_options){0}), TILEC_OK);
    t.ndim = TILEC_MAX_DIMS + 1;
    expect(s, fill(s, t, (tilec_launch_options){0}), TILEC_BAD_ARGUMENT, "too many dimensions");
    t.ndim = TILEC_UNEQUAL_LISTS;
    expect(s, fill(s, t, (tilec_launch_options){0}), TILEC_BAD_ARGUMENT,
           "not as many strides as extents");
    t = good_tensor();
    t.data = (char *)t.data + 1;
    expect(s, fill(s, t, (tilec_launch_options){0}), TILEC_BAD_ARGUMENT,
           "its address is no multiple of the size of its elements");
    t = good_tensor();
    t.dtype = (tilec_dtype)77;
    expect(s, fill(s, t, (tilec_launch_options){0}), TILEC_BAD_ARGUMENT, "none of tilec_dtype");
}

/* Calls of every kind with a file that is not to be used, and what those say that can. */
static void expect_no_file(Scene *s, tilec_file *f, const char *why)
{
    const tilec_arg x = {.kind = TILEC_ARG_TENSOR, .tensor = good_tensor()};
    const tilec_name helper = {
        .kind = TILEC_NAME_FUNCTION, .text = "def f(): pass\n", .length = 14};
    tilec_tune_options tune = {.rounds = 1};
    tilec_param param;
    tilec_config config;
    tilec_choice choice;
    char *text = NULL;

    expect(s, tilec_launch(f, NULL, one, &x, 1, NULL, &s->error), TILEC_BAD_ARGUMENT, why);
    expect(s, tilec_prepare(f, NULL, &x, 1, NULL, &s->error), TILEC_BAD_ARGUMENT, why);
    expect(s, tilec_dump(f, NULL, "ir", &x, 1, NULL, &text, &s->error), TILEC_BAD_ARGUMENT, why);
    expect(s, tilec_tune(f, NULL, one, &x, 1, NULL, &tune, &choice, &s->error), TILEC_BAD_ARGUMENT,
           why);
    expect(s, tilec_tuned(f, NULL, &x, 1, NULL, &tune, &choice, &s->error), TILEC_BAD_ARGUMENT,
           why);
    expect(s, tilec_add_function(f, "f", &helper, &s->error), TILEC_BAD_ARGUMENT, why);
    assert_int_equal(tilec_kernel_count(f), 0);
    assert_null(tilec_kernel_name(f, 0));
    assert_null(tilec_only_kernel(f));
    assert_int_equal(tilec_param_count(f, "fill"), -1);
    assert_int_equal(tilec_param_info(f, "fill", 0, &param), TILEC_BAD_ARGUMENT);
    assert_int_equal(tilec_config_count(f, "fill"), 0);
    assert_int_equal(tilec_config_info(f, "fill", 0, &config), TILEC_BAD_ARGUMENT);
}

/* More than the context keeps in mind, the last one first loaded again where the others lay. */
static void test_files_that_were_unloaded_are_told(void **state)
{
    enum { SOME = 40, KEPT = COUNT(((tilec_context *)NULL)->ended) };
    Scene *s = *state;
    tilec_file *gone[SOME];

    for (int i = 0; i < SOME; i++) {
        load(s, fill_source);
        assert_int_equal(fill(s, good_tensor(), (tilec_launch_options){0}), TILEC_OK);
        gone[i] = s->file;
        s->file = NULL;
    }
    for (int i = 0; i < SOME; i++)
        tilec_unload(gone[i]);
    for (int i = SOME - KEPT; i < SOME; i++) {
        tilec_unload(gone[i]);
        expect_no_file(s, gone[i], "the file was unloaded, or is none");
    }
    load(s, fill_source);
    assert_int_equal(fill(s, good_tensor(), (tilec_launch_options){0}), TILEC_OK);
}

static void test_files_may_outlive_their_context_but_not_be_used(void **state)
{
    Scene *s = *state;
    Scene other = {0};

    assert_int_equal(tilec_open("", &other.ctx, NULL), TILEC_OK);
    load(&other, fill_source);
    assert_int_equal(fill(&other, good_tensor(), (tilec_launch_options){0}), TILEC_OK);
    tilec_close(other.ctx);
    expect_no_file(s, other.file, "the context of the file was closed");
    tilec_unload(other.file);
}

/* Where it lay, which tools that look for that report. */
static void test_contexts_that_were_closed_are_told(void **state)
{
    Scene *s = *state;
    tilec_context *closed = NULL;
    tilec_file *file = NULL;
    void *memory = NULL;
    tilec_device device;

#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
    skip();
#endif
    assert_int_equal(tilec_open("", &closed, NULL), TILEC_OK);
    tilec_close(closed);
    tilec_close(closed);
    expect(s, tilec_load_string(closed, "k.py", fill_source, strlen(fill_source), &file, &s->error),
           TILEC_BAD_ARGUMENT, "tilec_load: the context was closed, or is none");
    expect(s, tilec_alloc(closed, "sim", 0, 8, &memory, &s->error), TILEC_BAD_ARGUMENT,
           "tilec_alloc: the context was closed, or is none");
    expect(s, tilec_profile_start(closed, NULL, &s->error), TILEC_BAD_ARGUMENT,
           "the context was closed, or is none");
    assert_int_equal(tilec_device_count(closed), 0);
    assert_int_equal(tilec_device_info(closed, 0, &device), TILEC_BAD_ARGUMENT);
    assert_null(tilec_cache_folder(closed));
}

/* Of a process whose memory cannot become executable; 0: the words are there. */
static int launch_hardened(Scene *s)
{
    const tilec_launch_options options = {.device = "cpu"};
    const tilec_arg x = {.kind = TILEC_ARG_TENSOR, .tensor = good_tensor()};
    const unsigned long no_new_executable_memory = 1;

    if (prctl(PR_SET_MDWE, no_new_executable_memory, 0, 0, 0) != 0)
        return 0; /* an older system */
    tilec_status status = tilec_launch(s->file, NULL, one, &x, 1, &options, &s->error);
    return status == TILEC_FAILED && s->error && strstr(s->error, "MemoryDenyWriteExecute") &&
                   strstr(s->error, "tilec build")
               ? 0
               : 1;
}

static void test_services_that_deny_executable_memory_are_told_a_way(void **state)
{
    Scene *s = *state;
    int status = -1;

    load(s, fill_source);
    if (!has_cpu())
        return;
    pid_t child = fork();
    if (child == 0)
        _exit(launch_hardened(s));
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static void ignore_line(void *user, const tilec_line *line)
{
    (void)line;
    ++*(int *)user;
}

static void test_samples_are_taken_by_one(void **state)
{
    Scene *s = *state;
    int lines = 0;

    expect(s, tilec_profile_start(NULL, NULL, &s->error), TILEC_BAD_ARGUMENT,
           "the context is NULL");
    expect(s, tilec_profile_start(s->ctx, "sim", &s->error), TILEC_BAD_ARGUMENT,
           "the device `sim` takes no samples");
    expect(s, tilec_profile_stop(s->ctx, "nil", ignore_line, &lines, &s->error), TILEC_NOT_FOUND,
           "there is no device `nil`");
    assert_int_equal(tilec_profile_stop(s->ctx, NULL, ignore_line, &lines, NULL), TILEC_OK);
    assert_int_equal(tilec_profile_start(s->ctx, NULL, NULL), TILEC_OK);
    expect(s, tilec_profile_start(s->ctx, "cpu", &s->error), TILEC_FAILED,
           "samples are being taken already");
    assert_int_equal(tilec_profile_stop(s->ctx, "cpu", NULL, NULL, NULL), TILEC_OK);
    assert_int_equal(tilec_profile_start(s->ctx, "interp", NULL), TILEC_OK);
    expect(s, tilec_profile_start(s->ctx, "interp", &s->error), TILEC_FAILED,
           "samples are being taken already");
    assert_int_equal(tilec_profile_stop(s->ctx, "interp", NULL, NULL, NULL), TILEC_OK);
    assert_int_equal(lines, 0);
}

static void test_debug_is_one_of_its_values(void **state)
{
    Scene *s = *state;

    load(s, fill_source);
    expect(s, fill(s, good_tensor(), (tilec_launch_options){.debug = (tilec_debug)3}),
           TILEC_BAD_ARGUMENT, "there is no tilec_debug 3");
}

static void test_read_only_tensors_are_not_written(void **state)
{
    Scene *s = *state;
    tilec_tensor t = good_tensor();

    load(s, fill_source);
    t.read_only = 1;
    cell[0] = 5;
    expect(s, fill(s, t, (tilec_launch_options){0}), TILEC_BAD_ARGUMENT,
           "error: kernel `fill` of test.py: the array given for `x` is read-only, and the kernel "
           "writes to it: a copy of it can be written, x.copy() of NumPy\n");
    assert_float_equal(cell[0], 5, 0);
}

static void test_tensors_elsewhere_are_refused_by_name(void **state)
{
    Scene *s = *state;
    tilec_tensor t = good_tensor();

    load(s, fill_source);
    t.memory = TILEC_MEMORY_DEVICE;
    expect(s, fill(s, t, (tilec_launch_options){0}), TILEC_BAD_ARGUMENT,
           "the tensor given for `x` is in a device's memory; the device `interp` works on the "
           "host's");
    t.memory = (tilec_memory)9;
    expect(s, fill(s, t, (tilec_launch_options){0}), TILEC_BAD_ARGUMENT, "none of tilec_memory");
    t.memory = TILEC_MEMORY_HOST;
    t.device_id = 1;
    expect(s, fill(s, t, (tilec_launch_options){0}), TILEC_BAD_ARGUMENT, "has no number 1");
}

static void test_options_that_make_no_sense(void **state)
{
    Scene *s = *state;

    load(s, fill_source);
    expect(s, fill(s, good_tensor(), (tilec_launch_options){.num_stages = INT32_MIN}),
           TILEC_BAD_ARGUMENT, "num_stages cannot be negative; 0 is the default");
    expect(s, fill(s, good_tensor(), (tilec_launch_options){.num_warps = -1}), TILEC_BAD_ARGUMENT,
           "num_warps cannot be negative; 0 is the default");
    expect(s, fill(s, good_tensor(), (tilec_launch_options){.stream = cell}), TILEC_BAD_ARGUMENT,
           "the device `interp` has no streams");
}

static void test_sources_that_are_too_long(void **state)
{
    Scene *s = *state;

    expect(s, tilec_load_string(s->ctx, "k.py", "x", SIZE_MAX, &s->file, &s->error), TILEC_REFUSED,
           "k.py: too large");
    assert_null(s->file);
}

/* Count in `user`, an int, what is said. */
static void count_warning(void *user, const char *text)
{
    assert_non_null(strstr(text, "nothing runs"));
    ++*(int *)user;
}

/* The kernel, and what -1 may come from. */
static void test_grids_that_make_no_sense(void **state)
{
    static const struct {
        int32_t grid[3];
        const char *words;
    } rows[] = {
        {{-1, 1, 1},
         "error: kernel `fill` of test.py: the grid -1x1x1 has a negative extent (-1 is also what "
         "TILEC_GRID and tilec::grid make of what does not fit into 32 bits)\n"},
        {{1, -7, 1}, "the grid 1x-7x1 has a negative extent"},
        {{INT32_MAX, INT32_MAX, INT32_MAX}, "has more than 2^62 programs"},
    };
    Scene *s = *state;
    const tilec_arg x = {.kind = TILEC_ARG_TENSOR, .tensor = good_tensor()};

    load(s, fill_source);
    for (int i = 0; i < COUNT(rows); i++)
        expect(s, tilec_launch(s->file, NULL, rows[i].grid, &x, 1, NULL, &s->error),
               TILEC_BAD_ARGUMENT, rows[i].words);
}

static void test_grids_without_programs(void **state)
{
    Scene *s = *state;
    const tilec_arg x = {.kind = TILEC_ARG_TENSOR, .tensor = good_tensor()};
    const int32_t forgotten[3] = {5}, flat[3] = {5, 7}, empty[3] = {0};
    int said = 0;
    const tilec_launch_options options = {
        .device = "interp", .on_message = count_warning, .user = &said};

    load(s, fill_source);
    cell[0] = 0;
    expect(s, tilec_launch(s->file, NULL, forgotten, &x, 1, &options, &s->error),
           TILEC_BAD_ARGUMENT, "the grid 5x0x0 has no programs; a dimension that is not used is 1");
    assert_int_equal(tilec_launch(s->file, NULL, flat, &x, 1, &options, NULL), TILEC_OK);
    assert_int_equal(said, 1);
    assert_int_equal(tilec_launch(s->file, NULL, empty, &x, 1, &options, NULL), TILEC_OK);
    assert_int_equal(said, 2);
    assert_true(cell[0] == 0);
    assert_int_equal(tilec_launch(s->file, NULL, one, &x, 1, &options, NULL), TILEC_OK);
    assert_int_equal(said, 2);
    assert_true(cell[0] == 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_files_that_are_not_there),
        TEST(test_names_of_files_are_shown_in_one_line),
        TEST(test_a_cache_that_cannot_be_used_is_named_in_one_line),
        TEST(test_programs_newer_than_the_library_are_told),
        TEST(test_structs_are_as_large_as_their_layout_says),
        TEST(test_tensors_that_make_no_sense),
        TEST(test_files_that_were_unloaded_are_told),
        TEST(test_files_may_outlive_their_context_but_not_be_used),
        TEST(test_contexts_that_were_closed_are_told),
        TEST(test_read_only_tensors_are_not_written),
        TEST(test_tensors_elsewhere_are_refused_by_name),
        TEST(test_options_that_make_no_sense),
        TEST(test_sources_that_are_too_long),
        TEST(test_grids_that_make_no_sense),
        TEST(test_services_that_deny_executable_memory_are_told_a_way),
        TEST(test_grids_without_programs),
        TEST(test_samples_are_taken_by_one),
        TEST(test_debug_is_one_of_its_values),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
