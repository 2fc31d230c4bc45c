/*
 * test_nonsense.c - every function of tilec.h with NULL, or with what makes no sense, in each of
 * its arguments: a status and a text, never a crash
 *
 * A row is a call that is right but for one argument.  What such a call would write to is looked
 * at: results are written on success only, and objects are NULL else.
 */
#include "scene.h"

static const char source[] = HEAD "@triton.jit\n"
                                  "def fill(x, n, B: tl.constexpr = 4):\n"
                                  "    tl.store(x + tl.arange(0, B), 1.0 * n)\n";
static float cells[4];
static const int64_t four[] = {4};
static const int32_t one[3] = {1, 1, 1};
static const tilec_launch_options on_interp = {.device = "interp"};

/* The results of all calls, none of which is to give one. */
typedef struct {
    tilec_context *context;
    tilec_file *file;
    tilec_stats stats;
    tilec_param param;
    tilec_config config;
    tilec_arg value;
    tilec_object object;
    tilec_choice choice;
    tilec_device device;
    tilec_unit unit;
    char *text;
    void *data;
} Results;

typedef struct {
    tilec_context *ctx;
    tilec_file *file;
    char *error;
    Results out;
    tilec_arg args[3];
} Nonsense;

static int open_nonsense(void **state)
{
    Nonsense *t = calloc(1, sizeof *t);

    *state = t;
    t->args[0] = of_floats(cells, four);
    t->args[1] = of_int(NULL, 3);
    t->args[2] = of_int("B", 4);
    return tilec_open("", &t->ctx, NULL) ||
           tilec_load_string(t->ctx, "test.py", source, strlen(source), &t->file, NULL);
}

static int close_nonsense(void **state)
{
    Nonsense *t = *state;

    tilec_unload(t->file);
    tilec_close(t->ctx);
    free(t);
    return 0;
}

/* The status that a row gave, the text that goes with it, and nothing else. */
static void told(Nonsense *t, tilec_status wanted, tilec_status got, const char *call)
{
    static const Results nothing;

    if (got != wanted)
        fail_msg("%s\ngave %d (%s), not %d", call, (int)got, t->error ? t->error : "", (int)wanted);
    if (!t->error || t->error[strlen(t->error) - 1] != '\n')
        fail_msg("%s\ngave no text, or no line", call);
    if (memcmp(&t->out, &nothing, sizeof nothing) != 0)
        fail_msg("%s\nwrote a result", call);
    tilec_free(t->error);
    t->error = NULL;
}

/* A row of a function without a text. */
static void gave(Nonsense *t, tilec_status wanted, tilec_status got, const char *call)
{
    t->error = strdup("\n");
    told(t, wanted, got, call);
}

#define WRONG(call) told(t, TILEC_BAD_ARGUMENT, call, #call)
#define GIVES(status, call) told(t, status, call, #call)
#define SILENT(status, call) gave(t, status, call, #call)

static void contexts_and_files(void **state)
{
    Nonsense *t = *state;
    const tilec_name fn = {.text = source, .length = strlen(source), .function = "fill"};
    const tilec_name no_text = {.function = "fill"};
    const tilec_name bad_role = {
        .text = source, .length = strlen(source), .function = "fill", .role = (tilec_role)99};
    const tilec_name plain = {
        .text = source, .length = strlen(source), .function = "fill", .role = TILEC_ROLE_PYTHON};
    const tilec_open_options relative = {.plugin = "tilec-llvm.so"};
    const tilec_load_options no_paths = {.npaths = 1}, no_defines = {.ndefines = 1};
    const tilec_load_options few_paths = {.npaths = -1}, few_defines = {.ndefines = -1};
    const char *const null_path[] = {NULL};
    const tilec_load_options path_null = {.npaths = 1, .paths = null_path};
    const tilec_define null_define = {NULL, NULL};
    const tilec_load_options define_null = {.ndefines = 1, .defines = &null_define};
    tilec_file **file = &t->out.file;
    size_t n = strlen(source);

    WRONG(tilec_open("", NULL, &t->error));
    WRONG(tilec_open_with(NULL, NULL, &t->error));
    WRONG(tilec_open_with(&relative, &t->out.context, &t->error));
    WRONG(tilec_open_layout(-1, "", &t->out.context, &t->error));
    WRONG(tilec_open_layout(1, "", NULL, &t->error));
    WRONG(tilec_open_options_layout(0, NULL, &t->out.context, &t->error));
    assert_null(tilec_cache_problem(NULL));
    assert_null(tilec_cache_folder(NULL));

    WRONG(tilec_load_file(NULL, "x.py", file, &t->error));
    WRONG(tilec_load_file(t->ctx, NULL, file, &t->error));
    WRONG(tilec_load_file(t->ctx, "x.py", NULL, &t->error));
    WRONG(tilec_load_string(NULL, "x.py", source, n, file, &t->error));
    WRONG(tilec_load_string(t->ctx, "x.py", NULL, n, file, &t->error));
    WRONG(tilec_load_string(t->ctx, "x.py", source, n, NULL, &t->error));
    GIVES(TILEC_REFUSED, tilec_load_string(t->ctx, "x.py", source, SIZE_MAX, file, &t->error));
    WRONG(tilec_load(NULL, "x.py", source, n, NULL, file, &t->error));
    WRONG(tilec_load(t->ctx, NULL, NULL, 0, NULL, file, &t->error));
    WRONG(tilec_load(t->ctx, "x.py", source, n, NULL, NULL, &t->error));
    WRONG(tilec_load(t->ctx, "x.py", source, n, &no_paths, file, &t->error));
    WRONG(tilec_load(t->ctx, "x.py", source, n, &few_paths, file, &t->error));
    WRONG(tilec_load(t->ctx, "x.py", source, n, &path_null, file, &t->error));
    WRONG(tilec_load(t->ctx, "x.py", source, n, &no_defines, file, &t->error));
    WRONG(tilec_load(t->ctx, "x.py", source, n, &few_defines, file, &t->error));
    WRONG(tilec_load(t->ctx, "x.py", source, n, &define_null, file, &t->error));
    WRONG(tilec_load_function(NULL, &fn, NULL, file, &t->error));
    WRONG(tilec_load_function(t->ctx, NULL, NULL, file, &t->error));
    WRONG(tilec_load_function(t->ctx, &no_text, NULL, file, &t->error));
    WRONG(tilec_load_function(t->ctx, &fn, NULL, NULL, &t->error));
    assert_int_equal(tilec_has_function(NULL, "f"), 0);
    assert_int_equal(tilec_has_function(t->file, NULL), 0);
    assert_int_equal(tilec_has_function(t->file, "..."), 0);
    WRONG(tilec_add_function(NULL, "f", &fn, &t->error));
    WRONG(tilec_add_function(t->file, NULL, &fn, &t->error));
    WRONG(tilec_add_function(t->file, "f", NULL, &t->error));
    WRONG(tilec_add_function(t->file, "f", &no_text, &t->error));
    WRONG(tilec_add_function(t->file, "f", &bad_role, &t->error));
    WRONG(tilec_add_function(t->file, "f", &plain, &t->error));
    tilec_unload(NULL);
    tilec_close(NULL);
}

static void descriptions(void **state)
{
    Nonsense *t = *state;
    tilec_param *param = &t->out.param;
    tilec_config *config = &t->out.config;
    tilec_arg *value = &t->out.value;

    assert_int_equal(tilec_kernel_count(NULL), 0);
    assert_null(tilec_kernel_name(NULL, 0));
    assert_null(tilec_kernel_name(t->file, -1));
    assert_null(tilec_kernel_name(t->file, 1));
    assert_null(tilec_only_kernel(NULL));
    assert_true(tilec_param_count(NULL, NULL) < 0);
    assert_true(tilec_param_count(t->file, "none") < 0);
    SILENT(TILEC_BAD_ARGUMENT, tilec_param_info(NULL, NULL, 0, param));
    SILENT(TILEC_BAD_ARGUMENT, tilec_param_info(t->file, NULL, 0, NULL));
    SILENT(TILEC_NOT_FOUND, tilec_param_info(t->file, NULL, -1, param));
    SILENT(TILEC_NOT_FOUND, tilec_param_info(t->file, NULL, INT32_MAX, param));
    SILENT(TILEC_NOT_FOUND, tilec_param_info(t->file, "none", 0, param));
    WRONG(tilec_param_value(NULL, NULL, 0, t->args, 3, NULL, value, &t->error));
    WRONG(tilec_param_value(t->file, NULL, 0, NULL, 3, NULL, value, &t->error));
    WRONG(tilec_param_value(t->file, NULL, 0, t->args, -1, NULL, value, &t->error));
    WRONG(tilec_param_value(t->file, NULL, 0, t->args, 3, NULL, NULL, &t->error));
    GIVES(TILEC_NOT_FOUND,
          tilec_param_value(t->file, NULL, -1, t->args, 3, NULL, value, &t->error));
    GIVES(TILEC_NOT_FOUND, tilec_param_value(t->file, NULL, 3, t->args, 3, NULL, value, &t->error));
    assert_int_equal(tilec_config_count(NULL, NULL), 0);
    assert_int_equal(tilec_config_count(t->file, "none"), 0);
    SILENT(TILEC_BAD_ARGUMENT, tilec_config_info(NULL, NULL, 0, config));
    SILENT(TILEC_BAD_ARGUMENT, tilec_config_info(t->file, NULL, 0, NULL));
    SILENT(TILEC_NOT_FOUND, tilec_config_info(t->file, NULL, 0, config));
    SILENT(TILEC_NOT_FOUND, tilec_config_info(t->file, NULL, -1, config));
    assert_null(tilec_config_problem(NULL, NULL, 0));
    assert_null(tilec_config_problem(t->file, NULL, -1));
    assert_null(tilec_config_hook(NULL, NULL, 0));
    assert_null(tilec_config_hook(t->file, NULL, 1 << 30));
    assert_null(tilec_tuning_key(NULL, NULL, 0));
    assert_null(tilec_tuning_key(t->file, NULL, -1));
    assert_null(tilec_stage_name(-1));
    assert_null(tilec_stage_name(1 << 30));
    assert_non_null(tilec_status_text((tilec_status)99));
    assert_int_equal(tilec_dtype_size((tilec_dtype)-1), 0);
    assert_null(tilec_dtype_name((tilec_dtype)99));
    tilec_free(NULL);
}

static void tell_line(void *user, const tilec_line *line)
{
    (void)user;
    (void)line;
}

static void tell_tensor(void *user, const tilec_tensor *tensor, int uses)
{
    (void)user;
    (void)tensor;
    (void)uses;
}

static void launches(void **state)
{
    const tilec_arg b = of_int("B", 4), unnamed = of_int(NULL, 4);
    const tilec_config one_config = {&b, 1}, bad_config = {&unnamed, 1};
    const tilec_tune_options tune = {.configs = &one_config, .nconfigs = 1};
    const tilec_tune_options no_configs = {.nconfigs = 1}, no_keys = {.nkeys = 1};
    const tilec_tune_options few_rounds = {.configs = &one_config, .nconfigs = 1, .rounds = -1};
    const tilec_tune_options no_name = {.configs = &bad_config, .nconfigs = 1};
    const tilec_tune_options newer = {.reserved = {&b}};
    Nonsense *t = *state;
    const tilec_arg *a = t->args;
    const int32_t negative[3] = {-1, 1, 1};
    const tilec_launch_options *o = &on_interp;
    tilec_stats *stats = &t->out.stats;
    char **error = &t->error;

    WRONG(tilec_launch(NULL, NULL, one, a, 3, o, error));
    WRONG(tilec_launch(t->file, NULL, NULL, a, 3, o, error));
    WRONG(tilec_launch(t->file, NULL, negative, a, 3, o, error));
    WRONG(tilec_launch(t->file, NULL, one, NULL, 3, o, error));
    WRONG(tilec_launch(t->file, NULL, one, a, -1, o, error));
    GIVES(TILEC_NOT_FOUND, tilec_launch(t->file, "", one, a, 3, o, error));
    WRONG(tilec_prepare(NULL, NULL, a, 3, o, error));
    WRONG(tilec_prepare(t->file, NULL, NULL, 3, o, error));
    WRONG(tilec_prepare(t->file, NULL, a, INT32_MIN, o, error));
    WRONG(tilec_launch_stats(NULL, NULL, one, a, 3, o, stats, error));
    WRONG(tilec_launch_stats(t->file, NULL, NULL, a, 3, o, stats, error));
    WRONG(tilec_launch_stats(t->file, NULL, negative, a, 3, o, stats, error));
    WRONG(tilec_launch_stats(t->file, NULL, one, NULL, 3, o, stats, error));
    WRONG(tilec_launch_stats(t->file, NULL, one, a, -1, o, stats, error));
    WRONG(tilec_launch_stats(t->file, NULL, one, a, 3, o, NULL, error));
    WRONG(tilec_launch_lines(NULL, NULL, one, a, 3, o, tell_line, NULL, error));
    WRONG(tilec_launch_lines(t->file, NULL, NULL, a, 3, o, tell_line, NULL, error));
    WRONG(tilec_launch_lines(t->file, NULL, one, NULL, 3, o, tell_line, NULL, error));
    WRONG(tilec_launch_lines(t->file, NULL, one, a, 3, o, NULL, NULL, error));
    WRONG(tilec_launch_memory(NULL, NULL, a, 3, o, tell_tensor, NULL, error));
    WRONG(tilec_launch_memory(t->file, NULL, NULL, 3, o, tell_tensor, NULL, error));
    WRONG(tilec_launch_memory(t->file, NULL, a, 3, o, NULL, NULL, error));
    WRONG(tilec_dump(NULL, NULL, "ir", a, 3, o, &t->out.text, error));
    WRONG(tilec_dump(t->file, NULL, NULL, a, 3, o, &t->out.text, error));
    WRONG(tilec_dump(t->file, NULL, "none", a, 3, o, &t->out.text, error));
    WRONG(tilec_dump(t->file, NULL, "ir", NULL, 3, o, &t->out.text, error));
    WRONG(tilec_dump(t->file, NULL, "ir", a, -1, o, &t->out.text, error));
    WRONG(tilec_dump(t->file, NULL, "ir", a, 3, o, NULL, error));
    tilec_choice *choice = &t->out.choice;
    WRONG(tilec_tune(NULL, NULL, one, a, 3, o, &tune, choice, error));
    WRONG(tilec_tune(t->file, NULL, NULL, a, 3, o, &tune, choice, error));
    WRONG(tilec_tune(t->file, NULL, one, NULL, 3, o, &tune, choice, error));
    WRONG(tilec_tune(t->file, NULL, one, a, -1, o, &tune, choice, error));
    WRONG(tilec_tune(t->file, NULL, one, a, 3, o, &tune, NULL, error));
    WRONG(tilec_tune(t->file, NULL, one, a, 3, o, &no_configs, choice, error));
    WRONG(tilec_tune(t->file, NULL, one, a, 3, o, &no_keys, choice, error));
    WRONG(tilec_tune(t->file, NULL, one, a, 3, o, &few_rounds, choice, error));
    WRONG(tilec_tune(t->file, NULL, one, a, 3, o, &no_name, choice, error));
    WRONG(tilec_tune(t->file, NULL, one, a, 3, o, &newer, choice, error));
    GIVES(TILEC_NOT_FOUND, tilec_tune(t->file, NULL, one, a, 3, o, NULL, choice, error));
    GIVES(TILEC_NOT_FOUND, tilec_tune(t->file, "none", one, a, 3, o, &tune, choice, error));
    WRONG(tilec_tuned(NULL, NULL, a, 3, o, &tune, choice, error));
    WRONG(tilec_tuned(t->file, NULL, a, 3, o, &tune, NULL, error));
    GIVES(TILEC_NOT_FOUND, tilec_tuned(t->file, NULL, a, 3, o, &tune, choice, error));
    assert_null(tilec_config_value(NULL, "B"));
    assert_null(tilec_config_value(&one_config, NULL));
}

/* Everything that one argument of a launch may get wrong. */
static void arguments(void **state)
{
    static const tilec_arg nested = {.kind = (tilec_arg_kind)-7};
    static const int64_t negative[] = {-4};
    const struct {
        tilec_status status;
        tilec_arg arg;
    } rows[] = {
        {TILEC_BAD_ARGUMENT, {.kind = (tilec_arg_kind)-1}},
        {TILEC_BAD_ARGUMENT, {.kind = (tilec_arg_kind)99}},
        {TILEC_NOT_FOUND, {.name = "", .kind = TILEC_ARG_INT}},
        {TILEC_NOT_FOUND, {.name = "\xff\xfe", .kind = TILEC_ARG_INT}},
        {TILEC_BAD_ARGUMENT, {.kind = TILEC_ARG_STRING}},
        {TILEC_BAD_ARGUMENT, {.kind = TILEC_ARG_FUNCTION}},
        {TILEC_BAD_ARGUMENT, {.kind = TILEC_ARG_OBJECT}},
        {TILEC_BAD_ARGUMENT, {.kind = TILEC_ARG_DTYPE, .dtype = (tilec_dtype)99}},
        {TILEC_BAD_ARGUMENT, {.kind = TILEC_ARG_TUPLE, .nitems = 2}},
        {TILEC_BAD_ARGUMENT, {.kind = TILEC_ARG_TUPLE, .nitems = -2, .items = &nested}},
        {TILEC_BAD_ARGUMENT, {.kind = TILEC_ARG_TUPLE, .nitems = 1, .items = &nested}},
        {TILEC_BAD_ARGUMENT, {.kind = TILEC_ARG_CONSTEXPR}},
        {TILEC_BAD_ARGUMENT, {.kind = TILEC_ARG_CONSTEXPR, .nitems = 1}},
        {TILEC_BAD_ARGUMENT, {.kind = TILEC_ARG_CONSTEXPR, .nitems = 1, .items = &nested}},
        {TILEC_BAD_ARGUMENT, {.kind = TILEC_ARG_TENSOR, .tensor = {cells, TILEC_FP32, 1}}},
        {TILEC_BAD_ARGUMENT, {.kind = TILEC_ARG_TENSOR, .tensor = {NULL, TILEC_FP32, 1, four}}},
        {TILEC_BAD_ARGUMENT,
         {.kind = TILEC_ARG_TENSOR, .tensor = {cells, TILEC_FP32, 1, negative}}},
        {TILEC_BAD_ARGUMENT,
         {.kind = TILEC_ARG_TENSOR, .tensor = {cells, (tilec_dtype)-1, 1, four}}},
        {TILEC_BAD_ARGUMENT,
         {.kind = TILEC_ARG_TENSOR, .tensor = {cells, TILEC_FP32, INT32_MAX, four}}},
        {TILEC_BAD_ARGUMENT,
         {.kind = TILEC_ARG_DESCRIPTOR, .tensor = {cells, TILEC_FP32, 1, four}, .nitems = 1}},
        {TILEC_BAD_ARGUMENT, {.kind = TILEC_ARG_DESCRIPTOR, .nitems = 1, .items = &nested}},
    };
    Nonsense *t = *state;
    char name[64];

    for (int i = 0; i < COUNT(rows); i++) {
        for (int at = 0; at < 3; at++) {
            tilec_arg a[3] = {t->args[0], t->args[1], t->args[2]};
            a[at] = rows[i].arg;
            if (at == 2 && !a[at].name)
                a[at].name = "B";
            snprintf(name, sizeof name, "row %d as argument %d", i, at);
            /* a wrong value may meet a parameter that takes no such kind first */
            tilec_status got = tilec_launch(t->file, NULL, one, a, 3, &on_interp, &t->error);
            bool other = got == TILEC_REFUSED && at != 0;
            told(t, other ? TILEC_REFUSED : rows[i].status, got, name);
        }
    }
}

static void builds(void **state)
{
    static const char *const levels[] = {"x86-64"};
    Nonsense *t = *state;
    const tilec_build_form form = {"fill_1", t->args, 3}, no_symbol = {NULL, t->args, 3};
    const tilec_build_form no_args = {"fill_1", NULL, 3}, few_args = {"fill_1", t->args, -1};
    const tilec_build_options good = {
        .forms = &form, .nforms = 1, .level_symbol = "level", .levels = levels, .nlevels = 1};
    const struct {
        const char *what;
        tilec_build_options options;
    } rows[] = {
        {"no forms", {NULL, 1, "level", levels, 1}},
        {"-1 forms", {&form, -1, "level", levels, 1}},
        {"a form without a symbol", {&no_symbol, 1, "level", levels, 1}},
        {"a form without arguments", {&no_args, 1, "level", levels, 1}},
        {"a form with -1 arguments", {&few_args, 1, "level", levels, 1}},
        {"no symbol", {&form, 1, NULL, levels, 1}},
        {"no levels", {&form, 1, "level", NULL, 1}},
        {"-1 levels", {&form, 1, "level", levels, -1}},
    };

    WRONG(tilec_build(NULL, NULL, &good, &t->out.object, &t->error));
    WRONG(tilec_build(t->file, NULL, NULL, &t->out.object, &t->error));
    WRONG(tilec_build(t->file, NULL, &good, NULL, &t->error));
    for (int i = 0; i < COUNT(rows); i++) {
        told(t, TILEC_BAD_ARGUMENT,
             tilec_build(t->file, NULL, &rows[i].options, &t->out.object, &t->error), rows[i].what);
    }
}

static void devices(void **state)
{
    Nonsense *t = *state;
    const tilec_place nowhere = {0}, wrong = {cells, (tilec_memory)99, 0};
    void **data = &t->out.data;
    char **error = &t->error;

    assert_int_equal(tilec_device_count(NULL), 0);
    SILENT(TILEC_BAD_ARGUMENT, tilec_device_info(NULL, 0, &t->out.device));
    SILENT(TILEC_BAD_ARGUMENT, tilec_device_info(t->ctx, 0, NULL));
    SILENT(TILEC_NOT_FOUND, tilec_device_info(t->ctx, -1, &t->out.device));
    SILENT(TILEC_NOT_FOUND, tilec_device_info(t->ctx, 1 << 30, &t->out.device));
    assert_int_equal(tilec_unit_count(NULL, "cpu"), 0);
    assert_int_equal(tilec_unit_count(t->ctx, "none"), 0);
    SILENT(TILEC_BAD_ARGUMENT, tilec_unit_info(NULL, "cpu", 0, &t->out.unit));
    SILENT(TILEC_BAD_ARGUMENT, tilec_unit_info(t->ctx, "cpu", 0, NULL));
    SILENT(TILEC_NOT_FOUND, tilec_unit_info(t->ctx, "cpu", -1, &t->out.unit));
    SILENT(TILEC_NOT_FOUND, tilec_unit_info(t->ctx, "none", 0, &t->out.unit));
    WRONG(tilec_alloc(NULL, "null", 0, 64, data, error));
    WRONG(tilec_alloc(t->ctx, "null", 0, 64, NULL, error));
    GIVES(TILEC_NOT_FOUND, tilec_alloc(t->ctx, "", 0, 64, data, error));
    WRONG(tilec_alloc(t->ctx, "cpu", 0, 64, data, error));
    WRONG(tilec_release(NULL, "cuda", 0, cells, error));
    WRONG(tilec_release(t->ctx, "cpu", 0, cells, error));
    WRONG(tilec_copy(NULL, "cuda", nowhere, nowhere, 4, NULL, error));
    WRONG(tilec_copy(t->ctx, "cpu", nowhere, nowhere, 4, NULL, error));
    WRONG(tilec_copy(t->ctx, "cpu", wrong, wrong, 4, NULL, error));
    WRONG(tilec_fill(NULL, "cuda", 0, cells, cells, 4, 1, NULL, error));
    WRONG(tilec_fill(t->ctx, "cpu", 0, cells, NULL, 4, 1, NULL, error));
    WRONG(tilec_wait(NULL, "cpu", 0, NULL, error));
    GIVES(TILEC_NOT_FOUND, tilec_wait(t->ctx, "none", 0, NULL, error));
    WRONG(tilec_wait(t->ctx, "cpu", 9, NULL, error));
    WRONG(tilec_wait(t->ctx, "cpu", 0, cells, error));
    WRONG(tilec_profile_start(NULL, NULL, error));
    GIVES(TILEC_NOT_FOUND, tilec_profile_start(t->ctx, "none", error));
    WRONG(tilec_profile_pause(NULL, NULL, 1, error));
    WRONG(tilec_profile_stop(NULL, NULL, tell_line, NULL, error));
}

/* All of it once more without a text: `error` may be NULL. */
static void without_a_text(void **state)
{
    Nonsense *t = *state;
    tilec_file *none;

    assert_int_equal(tilec_open("", NULL, NULL), TILEC_BAD_ARGUMENT);
    assert_int_equal(tilec_load_file(t->ctx, NULL, &none, NULL), TILEC_BAD_ARGUMENT);
    assert_int_equal(tilec_launch(t->file, NULL, NULL, NULL, 0, NULL, NULL), TILEC_BAD_ARGUMENT);
    assert_int_equal(tilec_dump(t->file, NULL, NULL, NULL, 0, NULL, NULL, NULL),
                     TILEC_BAD_ARGUMENT);
    assert_int_equal(tilec_build(NULL, NULL, NULL, NULL, NULL), TILEC_BAD_ARGUMENT);
    assert_int_equal(tilec_wait(NULL, NULL, 0, NULL, NULL), TILEC_BAD_ARGUMENT);
}

/* What was to be given and is not is NULL, so that giving it back is harmless. */
static void given_back(void **state)
{
    Nonsense *t = *state;
    tilec_context *context = (tilec_context *)t;
    tilec_file *files[3] = {(tilec_file *)t, (tilec_file *)t, (tilec_file *)t};
    void *data = t;

    assert_int_not_equal(tilec_open_layout(-1, "", &context, NULL), TILEC_OK);
    tilec_close(context);
    assert_int_equal(tilec_load_file(t->ctx, "no such file.py", &files[0], NULL), TILEC_IO);
    assert_int_equal(tilec_load_file(t->ctx, NULL, &files[1], NULL), TILEC_BAD_ARGUMENT);
    assert_int_equal(tilec_load_string(t->ctx, "x.py", NULL, 0, &files[2], NULL),
                     TILEC_BAD_ARGUMENT);
    for (int i = 0; i < COUNT(files); i++)
        tilec_unload(files[i]);
    assert_int_equal(tilec_alloc(t->ctx, "none", 0, 4, &data, NULL), TILEC_NOT_FOUND);
    assert_null(data);
}

#undef TEST
#define TEST(f) cmocka_unit_test_setup_teardown(f, open_nonsense, close_nonsense)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(contexts_and_files), TEST(descriptions), TEST(launches),
        TEST(arguments),          TEST(builds),       TEST(devices),
        TEST(without_a_text),     TEST(given_back),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
