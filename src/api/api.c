/*
 * api.c - the entry points of tilec.h about contexts and files
 *
 * Each checks what the caller gave, and calls what does the work.  Those about one call of a kernel
 * are in launch.c, those about kernels in kernels.c, about devices in devices.c and arrays.c.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api.h"

/* --- contexts --- */

tilec_status tilec_open_layout(int layout, const char *cache_folder, tilec_context **out,
                               char **error)
{
    const tilec_open_options options = {.cache_folder = cache_folder};

    return tilec_open_options_layout(layout, &options, out, error);
}

static tilec_status check_layout(int layout, char **error)
{
    if (layout < 1)
        return api_refuse(error, TILEC_BAD_ARGUMENT, "tilec_open: there is no layout %d", layout);
    if (layout > TILEC_LAYOUT)
        return api_refuse(
            error, TILEC_FAILED,
            "the program was compiled for layout %d of tilec.h, and this is tilec " TILEC_VERSION
            ", which knows it up to %d: a newer library is needed",
            layout, TILEC_LAYOUT);
    return TILEC_OK;
}

static void free_context(tilec_context *ctx)
{
    free(ctx->plugin_path);
    free(ctx->last_plugin);
    free(ctx);
}

/* NULL: memory ran out. */
static tilec_context *new_context(const tilec_open_options *o)
{
    tilec_context *ctx = calloc(1, sizeof *ctx);

    if (!ctx)
        return NULL;
    ctx->plugin_path = o->plugin ? strdup(o->plugin) : NULL;
    ctx->last_plugin = o->last_plugin ? strdup(o->last_plugin) : NULL;
    if ((o->plugin && !ctx->plugin_path) || (o->last_plugin && !ctx->last_plugin) ||
        cache_open(o->cache_folder, &ctx->cache) != RUN_OK) {
        free_context(ctx);
        return NULL;
    }
    pthread_mutex_init(&ctx->lock, NULL);
    ranges_open();
    ctx->speaks = os_wants("TILEC_MESSAGES");
    ctx->detail = os_wants("TILEC_DEBUG")  ? TILEC_DEBUG_NAMES
                  : os_wants("TILEC_PERF") ? TILEC_DEBUG_LINES
                                           : TILEC_DEBUG_NONE;
    atomic_store(&ctx->life, CONTEXT_LIVES);
    return ctx;
}

tilec_status tilec_open_options_layout(int layout, const tilec_open_options *options,
                                       tilec_context **out, char **error)
{
    static const tilec_open_options defaults;

    api_no_error(error);
    if (out)
        *out = NULL;
    tilec_status status = check_layout(layout, error);
    if (status != TILEC_OK)
        return status;
    if (!out)
        return api_refuse(error, TILEC_BAD_ARGUMENT, "tilec_open: out is NULL");
    if (options && options->plugin && options->plugin[0] != '/')
        return api_refuse(error, TILEC_BAD_ARGUMENT,
                          "tilec_open_with: the plugin `%s` is no absolute path", options->plugin);
    if (options && options->last_plugin && options->last_plugin[0] != '/')
        return api_refuse(error, TILEC_BAD_ARGUMENT,
                          "tilec_open_with: the last plugin `%s` is no absolute path",
                          options->last_plugin);
    tilec_context *ctx = new_context(options ? options : &defaults);
    if (!ctx)
        return api_refuse(error, TILEC_NO_MEMORY, "out of memory");
    *out = ctx;
    return TILEC_OK;
}

const char *tilec_cache_problem(const tilec_context *ctx)
{
    return handle_is_context(ctx) ? cache_problem(ctx->cache) : NULL;
}

const char *tilec_cache_folder(const tilec_context *ctx)
{
    return handle_is_context(ctx) ? cache_folder(ctx->cache) : NULL;
}

static void free_contents(tilec_file *f)
{
    spec_free_all(f);
    arena_free(f->arena);
    pthread_cond_destroy(&f->made);
    pthread_mutex_destroy(&f->lock);
}

void tilec_close(tilec_context *ctx)
{
    if (!handle_is_context(ctx))
        return;
    handle_end_context(ctx, free_contents);
    for (int i = 0; i < DEVICE_COUNT; i++) {
        if (atomic_load(&ctx->states[i]))
            device_at(i)->close(atomic_load(&ctx->states[i]));
    }
    progress_join(ctx);
    cache_close(ctx->cache);
    pthread_mutex_destroy(&ctx->lock);
    free_context(ctx);
}

/* --- files --- */

static tilec_status load_source(tilec_context *ctx, LoadJob *l, tilec_file **out, char **error)
{
    tilec_file *f = calloc(1, sizeof *f);

    if (!f)
        return api_refuse(error, TILEC_NO_MEMORY, "out of memory");
    pthread_mutex_init(&f->lock, NULL);
    pthread_cond_init(&f->made, NULL);
    f->ctx = ctx;
    l->file = f;
    tilec_status status = job_run(load_file, l, error, NULL);
    if (status == TILEC_OK) {
        handle_add_file(ctx, f);
        *out = f;
    } else {
        free_contents(f);
        free(f);
    }
    return status;
}

static bool are_load_options(const tilec_load_options *o)
{
    bool good = o->npaths >= 0 && o->ndefines >= 0;

    for (int i = 0; good && i < o->npaths; i++)
        good = o->paths && o->paths[i];
    for (int i = 0; good && i < o->ndefines; i++)
        good = o->defines && o->defines[i].name && o->defines[i].value;
    return good;
}

tilec_status tilec_load(tilec_context *ctx, const char *path, const char *text, size_t len,
                        const tilec_load_options *options, tilec_file **out, char **error)
{
    LoadJob l = {.path = path ? path : "<string>", .text = text, .len = len};

    api_no_error(error);
    if (out)
        *out = NULL;
    if (!ctx || !handle_is_context(ctx))
        return api_refuse(error, TILEC_BAD_ARGUMENT, "tilec_load: %s",
                          handle_problem_of_context(ctx));
    if (!path && !text)
        return api_refuse(error, TILEC_BAD_ARGUMENT,
                          "tilec_load: path and text are NULL: one of them says what to load");
    if (!out)
        return api_refuse(error, TILEC_BAD_ARGUMENT, "tilec_load: out is NULL");
    if (options)
        l.options = *options;
    if (!are_load_options(&l.options))
        return api_refuse(error, TILEC_BAD_ARGUMENT, "tilec_load: the options are wrong");
    return load_source(ctx, &l, out, error);
}

static bool are_names(const char *const *names, int n)
{
    bool good = names || n <= 0;

    for (int i = 0; good && i < n; i++)
        good = names[i] != NULL;
    return good;
}

/* Of a function that is given by itself, what must not be NULL and is; NULL: nothing. */
static const char *missing_in(const tilec_name *k)
{
    if (!k)
        return "what says the function";
    if (!k->text)
        return "the text of the function";
    if (!are_names(k->unspecialised, k->nunspecialised))
        return "a name in `unspecialised`";
    return are_names(k->unaligned, k->nunaligned) ? NULL : "a name in `unaligned`";
}

tilec_status tilec_load_function(tilec_context *ctx, const tilec_name *kernel,
                                 const tilec_load_options *options, tilec_file **out, char **error)
{
    LoadJob l = {.kernel = kernel};

    api_no_error(error);
    if (out)
        *out = NULL;
    if (!ctx || !handle_is_context(ctx))
        return api_refuse(error, TILEC_BAD_ARGUMENT, "tilec_load_function: %s",
                          handle_problem_of_context(ctx));
    const char *missing = missing_in(kernel);
    if (!missing && !kernel->function)
        missing = "the name of the function";
    if (missing || !out)
        return api_refuse(error, TILEC_BAD_ARGUMENT, "tilec_load_function: %s is NULL",
                          missing ? missing : "out");
    l.path = kernel->path ? kernel->path : "<string>";
    l.text = kernel->text;
    l.len = kernel->length;
    if (options)
        l.options = *options;
    if (!are_load_options(&l.options))
        return api_refuse(error, TILEC_BAD_ARGUMENT, "tilec_load_function: the options are wrong");
    return load_source(ctx, &l, out, error);
}

tilec_status tilec_add_function(tilec_file *file, const char *name, const tilec_name *function,
                                char **error)
{
    AddedJob added = {file, name, function};
    const FileJob steps = {.locked = load_function};

    api_no_error(error);
    if (!file || !handle_is_file(file))
        return api_refuse(error, TILEC_BAD_ARGUMENT, "tilec_add_function: %s",
                          handle_problem_of_file(file));
    const char *missing = name ? missing_in(function) : "the name";
    if (missing)
        return api_refuse(error, TILEC_BAD_ARGUMENT, "tilec_add_function: %s is NULL", missing);
    if (function->role > TILEC_ROLE_CONSTEXPR)
        return api_refuse(error, TILEC_BAD_ARGUMENT,
                          "tilec_add_function: `%s` has the role %d, which no function for kernels "
                          "has",
                          name, (int)function->role);
    return job_run_on_file(file, &steps, &added, error, NULL);
}

int tilec_has_function(tilec_file *file, const char *name)
{
    const FileJob steps = {.locked = find_function};
    AddedJob wanted = {.file = file, .name = name};

    return file && name && handle_is_file(file) &&
           job_run_on_file(file, &steps, &wanted, NULL, NULL) == TILEC_OK;
}

tilec_status tilec_load_file(tilec_context *ctx, const char *path, tilec_file **out, char **error)
{
    if (!path && out)
        *out = NULL;
    if (!path)
        return api_refuse(error, TILEC_BAD_ARGUMENT, "tilec_load_file: path is NULL");
    return tilec_load(ctx, path, NULL, 0, NULL, out, error);
}

tilec_status tilec_load_string(tilec_context *ctx, const char *name, const char *text, size_t len,
                               tilec_file **out, char **error)
{
    if (!text && out)
        *out = NULL;
    if (!text)
        return api_refuse(error, TILEC_BAD_ARGUMENT, "tilec_load_string: text is NULL");
    return tilec_load(ctx, name, text, len, NULL, out, error);
}

void tilec_unload(tilec_file *file)
{
    if (!file)
        return;
    int life = atomic_load(&file->life);
    if (life == FILE_WITHOUT_CONTEXT)
        handle_free_orphan(file);
    if (life != FILE_LIVES)
        return;
    free_contents(file);
    handle_end_file(file);
}
