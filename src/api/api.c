/*
 * api.c - the entry points of tilec.h about contexts, files, kernels and devices
 *
 * Each checks what the caller gave, and calls what does the work.  Those about one call of a kernel
 * are in launch.c, those about a device's memory in arrays.c.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "api.h"

_Static_assert((int)TILEC_MEMORY_DEVICE == (int)MEMORY_DEVICE, "tilec_memory and device.h agree");
_Static_assert((int)TILEC_FP64 == (int)DT_FP64 && (int)DT_FP64 == DT_COUNT - 1 &&
                   (int)TILEC_FP8E4NV == (int)DT_FP8E4NV,
               "tilec_dtype and dtypes.h list the same types in the same order");

/* --- errors --- */

void api_error(char **error, const char *fmt, ...)
{
    va_list ap;
    char *text;

    if (!error)
        return;
    va_start(ap, fmt);
    if (vasprintf(&text, fmt, ap) < 0)
        text = NULL;
    va_end(ap);
    char *shown = text ? printable_copy(text, false) : NULL; /* callers' words are in it */
    if (!shown || asprintf(error, "error: %s\n", shown) < 0)
        *error = NULL;
    free(shown);
    free(text);
}

void api_no_error(char **error)
{
    if (error)
        *error = NULL;
}

tilec_status api_status(RunStatus s)
{
    switch (s) {
    case RUN_OK:
        return TILEC_OK;
    case RUN_NO_MEMORY:
        return TILEC_NO_MEMORY;
    case RUN_BAD_GRID:
        return TILEC_BAD_ARGUMENT;
    case RUN_STOPPED:
        return TILEC_REFUSED;
    case RUN_FAULT:
        return TILEC_FAULT;
    case RUN_CANCELLED:
        return TILEC_CANCELLED;
    default:
        return TILEC_FAILED;
    }
}

tilec_status api_device_status(RunStatus status, char *text, char **error)
{
    if (status != RUN_OK && !text)
        return api_refuse(error, api_status(status), "%s", run_status_text(status));
    if (error)
        *error = text;
    else
        free(text);
    return api_status(status);
}

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

void *api_device_state(tilec_context *ctx, int number)
{
    const Device *device = device_at(number);
    void *state = atomic_load_explicit(&ctx->states[number], memory_order_acquire);

    if (state || !device->open)
        return state;
    pthread_mutex_lock(&ctx->lock);
    state = atomic_load_explicit(&ctx->states[number], memory_order_relaxed);
    if (!state) {
        state = device->open();
        atomic_store_explicit(&ctx->states[number], state, memory_order_release);
    }
    pthread_mutex_unlock(&ctx->lock);
    return state;
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

/* --- kernels --- */

int tilec_kernel_count(const tilec_file *file)
{
    return handle_is_file(file) ? file->nkernels : 0;
}

const char *tilec_kernel_name(const tilec_file *file, int i)
{
    return handle_is_file(file) && i >= 0 && i < file->nkernels ? file->kernels[i].name : NULL;
}

const char *tilec_only_kernel(const tilec_file *file)
{
    return handle_is_file(file) && file->only ? file->only->name : NULL;
}

const Kernel *api_find_kernel(const tilec_file *file, const char *name)
{
    if (!name)
        return file->only;
    for (int i = 0; i < file->nkernels; i++) {
        if (strcmp(file->kernels[i].name, name) == 0)
            return &file->kernels[i];
    }
    for (int i = 0; i < file->nkernels; i++) {
        if (strcmp(file->kernels[i].full_name, name) == 0)
            return &file->kernels[i];
    }
    return NULL;
}

int tilec_param_count(const tilec_file *file, const char *kernel)
{
    const Kernel *k = handle_is_file(file) ? api_find_kernel(file, kernel) : NULL;

    return k && k->signature ? k->signature->nparams : -1;
}

tilec_status tilec_param_info(const tilec_file *file, const char *kernel, int i, tilec_param *out)
{
    const Kernel *k = handle_is_file(file) ? api_find_kernel(file, kernel) : NULL;

    if (!handle_is_file(file) || !out)
        return TILEC_BAD_ARGUMENT;
    if (!k || !k->signature || i < 0 || i >= k->signature->nparams)
        return TILEC_NOT_FOUND;
    const FrontParam *p = &k->signature->params[i];
    const Fallback *f = &k->fallbacks[i];
    bool computed =
        f->heuristic >= 0 && strcmp(k->tuning->heuristics[f->heuristic].name, p->name) == 0;
    *out = (tilec_param){.name = p->name,
                         .is_constexpr = p->is_constexpr,
                         .has_default = computed || f->known,
                         .is_computed = computed,
                         .line = p->line,
                         .value = {.name = p->name}};
    out->has_value = out->has_default && !out->is_computed &&
                     bind_argument_of(&k->fallbacks[i].value, &out->value);
    return TILEC_OK;
}

/* --- devices --- */

int tilec_device_count(const tilec_context *ctx)
{
    return handle_is_context(ctx) ? device_listed() : 0;
}

tilec_status tilec_device_info(const tilec_context *ctx, int i, tilec_device *out)
{
    const Device *d = i < device_listed() ? device_at(i) : NULL;

    if (!handle_is_context(ctx) || !out)
        return TILEC_BAD_ARGUMENT;
    if (!d)
        return TILEC_NOT_FOUND;
    *out = (tilec_device){.name = d->name,
                          .description = d->describe(),
                          .available = !device_missing(d),
                          .threads = d->threads(),
                          .missing = device_missing(d),
                          .finds_races = d->finds_races};
    return TILEC_OK;
}

static tilec_status explain_device(Job *job, void *name)
{
    Text all = text_new(job->arena);
    bool is_large = false; /* PyTorch and CUDA's own documents write it so */
    int n = device_listed();

    for (int i = 0; i < n; i++) {
        text_printf(&all, "%s%s", i == 0 ? "" : i < n - 1 ? ", " : " and ", device_at(i)->name);
        is_large |= strcasecmp(name, device_at(i)->name) == 0;
    }
    return job_refuse(job, TILEC_NOT_FOUND, "there is no device `%s`; there are %s%s",
                      (const char *)name, all.s, is_large ? ", in small letters" : "");
}

int api_device(const char *name, char **error)
{
    int number = device_find(name);

    if (number < 0)
        job_run(explain_device, (void *)name, error, NULL);
    return number;
}

bool api_available(const Device *d, char **error)
{
    const char *missing = device_missing(d);

    if (missing)
        api_error(error,
                  "the device `%s` cannot be used here: %s\n"
                  "hint: `sim` simulates a GPU, `cpu` and `interp` are always there",
                  d->name, missing);
    return !missing;
}

const char *api_refuse_arch(const Device *d, const char *arch, bool runs)
{
    if (!d->has_archs)
        return "its code is for this machine alone";
    return d->refuse_arch ? d->refuse_arch(arch, runs) : NULL;
}

/* --- small things --- */

const char *tilec_version(void)
{
    return TILEC_VERSION;
}

const char *tilec_status_text(tilec_status s)
{
    static const char *const texts[] = {
        [TILEC_OK] = "done",
        [TILEC_REFUSED] = "the kernel or an argument is wrong",
        [TILEC_NOT_FOUND] = "no such kernel, parameter or device",
        [TILEC_IO] = "a file could not be read or written",
        [TILEC_NO_MEMORY] = "out of memory",
        [TILEC_BAD_ARGUMENT] = "wrong use of the library",
        [TILEC_FAILED] = "the machine or the installation refused",
        [TILEC_FAULT] = "an assertion or a check found something wrong",
        [TILEC_CANCELLED] = "the launch was cancelled",
    };

    return (unsigned)s < (unsigned)COUNT(texts) ? texts[s] : "unknown status";
}

size_t tilec_dtype_size(tilec_dtype t)
{
    return (unsigned)t < (unsigned)DT_COUNT ? (size_t)dtype_size((DType)t) : 0;
}

const char *tilec_dtype_name(tilec_dtype t)
{
    return (unsigned)t < (unsigned)DT_COUNT ? dtype_name((DType)t) : NULL;
}

void tilec_free(void *p)
{
    free(p);
}
