/*
 * api.c - the entry points of tilec.h
 *
 * Each checks what the caller gave, and calls what does the work.  A launch first tries the quick
 * way, bind, look up, run: without locks, and without memory unless heuristics must be evaluated.
 * Whatever is not there or not right takes the slow way, a job that compiles or says what is
 * wrong.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api.h"

_Static_assert((int)TILEC_MEMORY_DEVICE == (int)MEMORY_DEVICE, "tilec_memory and device.h agree");
_Static_assert((int)TILEC_FP64 == (int)DT_FP64 && (int)DT_FP64 == DT_COUNT - 1 &&
                   (int)TILEC_FP8E4NV == (int)DT_FP8E4NV,
               "tilec_dtype and dtypes.h list the same types in the same order");

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
    if (!text || asprintf(error, "error: %s\n", text) < 0)
        *error = NULL;
    free(text);
}

static void no_error(char **error)
{
    if (error)
        *error = NULL;
}

/* contexts */

tilec_status tilec_open_layout(int layout, const char *cache_folder, tilec_context **out,
                               char **error)
{
    no_error(error);
    if (layout < 1)
        return api_refuse(error, TILEC_BAD_ARGUMENT, "tilec_open: there is no layout %d", layout);
    if (layout > TILEC_LAYOUT)
        return api_refuse(
            error, TILEC_FAILED,
            "the program was compiled for layout %d of tilec.h, and this is tilec " TILEC_VERSION
            ", which knows it up to %d: a newer library is needed",
            layout, TILEC_LAYOUT);
    if (!out)
        return api_refuse(error, TILEC_BAD_ARGUMENT, "tilec_open: out is NULL");
    tilec_context *ctx = calloc(1, sizeof *ctx);
    if (!ctx || cache_open(cache_folder, &ctx->cache) != RUN_OK) {
        free(ctx);
        return api_refuse(error, TILEC_NO_MEMORY, "out of memory");
    }
    pthread_mutex_init(&ctx->lock, NULL);
    *out = ctx;
    return TILEC_OK;
}

const char *tilec_cache_problem(const tilec_context *ctx)
{
    return ctx ? cache_problem(ctx->cache) : NULL;
}

void tilec_close(tilec_context *ctx)
{
    if (!ctx)
        return;
    for (int i = 0; i < DEVICE_COUNT; i++) {
        if (atomic_load(&ctx->states[i]))
            device_at(i)->close(atomic_load(&ctx->states[i]));
    }
    cache_close(ctx->cache);
    pthread_mutex_destroy(&ctx->lock);
    free(ctx);
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

/* files */

static tilec_status load_source(tilec_context *ctx, LoadJob *l, tilec_file **out, char **error)
{
    tilec_file *f = calloc(1, sizeof *f);

    if (!f)
        return api_refuse(error, TILEC_NO_MEMORY, "out of memory");
    f->ctx = ctx;
    pthread_mutex_init(&f->lock, NULL);
    pthread_cond_init(&f->made, NULL);
    l->file = f;
    tilec_status status = job_run(load_file, l, error, NULL);
    if (status == TILEC_OK)
        *out = f;
    else
        tilec_unload(f);
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

    no_error(error);
    if (!ctx || !(path || text) || !out)
        return api_refuse(error, TILEC_BAD_ARGUMENT, "tilec_load: an argument is NULL");
    if (options)
        l.options = *options;
    if (!are_load_options(&l.options))
        return api_refuse(error, TILEC_BAD_ARGUMENT, "tilec_load: the options are wrong");
    return load_source(ctx, &l, out, error);
}

tilec_status tilec_load_file(tilec_context *ctx, const char *path, tilec_file **out, char **error)
{
    if (!path)
        return api_refuse(error, TILEC_BAD_ARGUMENT, "tilec_load_file: an argument is NULL");
    return tilec_load(ctx, path, NULL, 0, NULL, out, error);
}

tilec_status tilec_load_string(tilec_context *ctx, const char *name, const char *text, size_t len,
                               tilec_file **out, char **error)
{
    if (!text)
        return api_refuse(error, TILEC_BAD_ARGUMENT, "tilec_load_string: an argument is NULL");
    return tilec_load(ctx, name, text, len, NULL, out, error);
}

void tilec_unload(tilec_file *file)
{
    if (!file)
        return;
    spec_free_all(file);
    arena_free(file->arena);
    pthread_cond_destroy(&file->made);
    pthread_mutex_destroy(&file->lock);
    free(file);
}

/* kernels */

int tilec_kernel_count(const tilec_file *file)
{
    return file ? file->nkernels : 0;
}

const char *tilec_kernel_name(const tilec_file *file, int i)
{
    return file && i >= 0 && i < file->nkernels ? file->kernels[i].name : NULL;
}

const char *tilec_only_kernel(const tilec_file *file)
{
    return file && file->only ? file->only->name : NULL;
}

static const Kernel *find_kernel(const tilec_file *file, const char *name)
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
    const Kernel *k = file ? find_kernel(file, kernel) : NULL;

    return k && k->signature ? k->signature->nparams : -1;
}

tilec_status tilec_param_info(const tilec_file *file, const char *kernel, int i, tilec_param *out)
{
    const Kernel *k = file ? find_kernel(file, kernel) : NULL;

    if (!file || !out)
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

/* devices */

int tilec_device_count(const tilec_context *ctx)
{
    return ctx ? device_listed() : 0;
}

tilec_status tilec_device_info(const tilec_context *ctx, int i, tilec_device *out)
{
    const Device *d = i < device_listed() ? device_at(i) : NULL;

    if (!ctx || !out)
        return TILEC_BAD_ARGUMENT;
    if (!d)
        return TILEC_NOT_FOUND;
    *out = (tilec_device){.name = d->name,
                          .description = d->describe(),
                          .available = !device_missing(d),
                          .threads = d->threads(),
                          .missing = device_missing(d)};
    return TILEC_OK;
}

/* requests */

/* Says why there is no such kernel: on a Request whose kernel is NULL. */
typedef struct {
    tilec_file *file;
    const char *name;
} Lookup;

static tilec_status explain_lookup(Job *job, void *lookup)
{
    const Lookup *l = lookup;
    const tilec_file *f = l->file;
    const char **names = NEW_N(job->arena, const char *, f->nkernels + 1), *near;
    Text all = text_new(job->arena);

    text_put(&all, "");
    for (int i = 0; i < f->nkernels; i++) {
        names[i] = f->kernels[i].name;
        text_printf(&all, "%s%s", i > 0 ? ", " : "", names[i]);
    }
    if (l->name)
        job_refuse(job, TILEC_NOT_FOUND, "%s has no kernel `%s`", f->source->path, l->name);
    else
        job_refuse(job, TILEC_NOT_FOUND, "%s has %d kernels; which one?", f->source->path,
                   f->nkernels);
    near = l->name ? near_name(l->name, names, f->nkernels) : NULL;
    if (near)
        diag(job->diags, DIAG_HINT, (Span){0}, "did you mean `%s`?", near);
    else if (f->nkernels > 0)
        diag(job->diags, DIAG_HINT, (Span){0}, "there are: %s", all.s);
    else
        diag(job->diags, DIAG_HINT, (Span){0}, "kernels are functions with @triton.jit");
    return TILEC_NOT_FOUND;
}

static tilec_status explain_device(Job *job, void *name)
{
    Text all = text_new(job->arena);
    int n = device_listed();

    for (int i = 0; i < n; i++)
        text_printf(&all, "%s%s", i == 0 ? "" : i < n - 1 ? ", " : " and ", device_at(i)->name);
    return job_refuse(job, TILEC_NOT_FOUND, "there is no device `%s`; there are %s",
                      (const char *)name, all.s);
}

/* Refuse with what `fn` has to say. */
static tilec_status explain(JobFn *fn, void *what, char **error)
{
    tilec_status status = job_run(fn, what, error, NULL);

    return status != TILEC_OK ? status : TILEC_NOT_FOUND;
}

int api_device(const char *name, char **error)
{
    int number = device_find(name);

    if (number < 0)
        explain(explain_device, (void *)name, error);
    return number;
}

static tilec_status find_request_kernel(Request *r, const char *name, char **error)
{
    r->kernel = find_kernel(r->file, name);
    if (!r->kernel) {
        Lookup lookup = {r->file, name};
        return explain(explain_lookup, &lookup, error);
    }
    if (r->kernel->signature)
        return TILEC_OK;
    if (error)
        *error = strdup(r->kernel->problem);
    return TILEC_REFUSED;
}

static tilec_status check_options(const Request *r, char **error)
{
    const tilec_launch_options *o = &r->options;
    const Device *d = device_at(r->device);

    if (o->threads < 0)
        return api_refuse(error, TILEC_BAD_ARGUMENT, "the number of threads is negative");
    if (o->num_warps < 0 || o->num_stages < 0)
        return api_refuse(error, TILEC_BAD_ARGUMENT, "num_%s is negative",
                          o->num_warps < 0 ? "warps" : "stages");
    if (o->stream && !d->has_streams)
        return api_refuse(error, TILEC_BAD_ARGUMENT, "the device `%s` has no streams", d->name);
    if (o->on_count && !d->counts)
        return api_refuse(error, TILEC_BAD_ARGUMENT, "the device `%s` does not count", d->name);
    if (o->arch && !d->has_archs && (o->device || !r->shown))
        return api_refuse(error, TILEC_BAD_ARGUMENT,
                          "code for the device `%s` is for this machine alone, not for `%s`",
                          d->name, o->arch);
    return TILEC_OK;
}

/* Everything about a call that can be checked without binding its arguments. */
static tilec_status open_request(Request *r, tilec_file *file, const char *kernel,
                                 const tilec_arg *args, int nargs,
                                 const tilec_launch_options *options, char **error)
{
    tilec_status status;

    no_error(error);
    if (!file || nargs < 0 || (nargs > 0 && !args))
        return api_refuse(error, TILEC_BAD_ARGUMENT, "the file or the arguments are NULL");
    r->file = file;
    r->args = args;
    r->nargs = nargs;
    r->options = options ? *options : (tilec_launch_options){0};
    r->spec = NULL;
    r->variant = NULL;
    r->device = api_device(r->options.device, error);
    if (r->device < 0)
        return TILEC_NOT_FOUND;
    status = check_options(r, error);
    return status == TILEC_OK ? find_request_kernel(r, kernel, error) : status;
}

/* Pass on what a call has to say, with no lock held. */
static void tell(const Request *r, char *message)
{
    if (message)
        r->options.on_message(r->options.user, message);
    free(message);
}

static tilec_status run_on_file(const Request *r, const FileJob *steps, void *what, char **error)
{
    char *message = NULL;
    tilec_status status =
        job_run_on_file(r->file, steps, what, error, r->options.on_message ? &message : NULL);

    tell(r, message);
    return status;
}

/* Bind the arguments, and compile unless that was done before. */
static tilec_status make_ready(Request *r, char **error)
{
    bool bound = bind_request(r, NULL) == TILEC_OK;
    char *message = NULL;

    if (bound && r->binding->typed_only)
        return api_refuse(error, TILEC_BAD_ARGUMENT, "TILEC_ARG_TYPE is for tilec_dump() only");
    if (bound && spec_ready(r))
        return TILEC_OK;
    tilec_status status = compile_request(r, error, r->options.on_message ? &message : NULL);
    tell(r, message);
    return status != TILEC_OK || spec_ready(r) ? status : TILEC_FAILED;
}

static tilec_status check_grid(const int32_t *grid, char **error)
{
    if (!grid)
        return api_refuse(error, TILEC_BAD_ARGUMENT, "the grid is NULL");
    if (grid_programs(grid) < 0)
        return api_refuse(error, TILEC_BAD_ARGUMENT, "the grid %dx%dx%d is negative or too large",
                          grid[0], grid[1], grid[2]);
    if (grid[0] > 0 && grid[1] == 0 && grid[2] == 0)
        return api_refuse(error, TILEC_BAD_ARGUMENT,
                          "the grid %dx0x0 has no programs; a dimension that is not used is 1",
                          grid[0]);
    return TILEC_OK;
}

/* Launching nothing may be meant, or a dimension was forgotten. */
static void warn_of_grid(const Request *r, const int32_t *grid)
{
    char text[128];

    if (!r->options.on_message)
        return;
    snprintf(text, sizeof text, "warning: the grid %dx%dx%d has no programs: nothing runs\n",
             grid[0], grid[1], grid[2]);
    r->options.on_message(r->options.user, text);
}

/* launching */

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
    default:
        return TILEC_FAILED;
    }
}

bool api_available(const Device *d, char **error)
{
    const char *missing = device_missing(d);

    if (missing)
        api_error(error, "the device `%s` cannot be used here: %s", d->name, missing);
    return !missing;
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

/* The counts of a line, as the caller of the launch gets them. */
static void pass_count(void *user, const LineCount *c)
{
    const tilec_launch_options *o = user;
    const tilec_count count = {.file = c->file,
                               .line = c->line,
                               .instructions = c->instructions,
                               .lanes = c->lanes,
                               .global_requests = c->global_requests,
                               .global_sectors = c->global_sectors,
                               .shared_requests = c->shared_requests,
                               .shared_waves = c->shared_waves,
                               .shared_extra = c->shared_extra,
                               .branches = c->branches,
                               .divergent = c->divergent};

    o->on_count(o->user, &count);
}

static tilec_status launch_on_device(const Request *r, const int32_t *grid, const uint64_t *slots,
                                     RecordPort *records, char **error)
{
    const Device *device = device_at(r->device);
    const Speech *speech = r->spec->speech;
    MemoryRange ranges[MAX_PARAMS];
    const DeviceLaunch launch = {.args = slots,
                                 .nargs = speech ? speech_nargs(speech) : r->binding->nslots,
                                 .grid = {grid[0], grid[1], grid[2]},
                                 .threads = r->options.threads,
                                 .id = r->binding->id,
                                 .stream = r->options.stream,
                                 .seconds = device->arrays ? r->options.seconds : NULL,
                                 .records = records,
                                 .records_arg = speech ? speech_records_arg(speech) : -1,
                                 .sources = r->file->sources,
                                 .on_count = r->options.on_count ? pass_count : NULL,
                                 .count_user = (void *)&r->options,
                                 .ranges = ranges,
                                 .nranges =
                                     device->wants_ranges ? memory_ranges(r->binding, ranges) : -1};
    char *text = NULL;

    if (!api_available(device, error))
        return TILEC_FAILED;
    if (grid[0] == 0 || grid[1] == 0 || grid[2] == 0) {
        warn_of_grid(r, grid);
        return TILEC_OK;
    }
    void *state = api_device_state(r->file->ctx, r->device);
    double start = r->options.seconds && !device->arrays ? os_seconds() : 0;
    RunStatus status = device->launch(state, r->variant->code, &launch, &text);
    if (r->options.seconds && !device->arrays)
        *r->options.seconds = os_seconds() - start;
    return api_device_status(status, text, error);
}

/* A request that is ready. */
static tilec_status run(const Request *r, const int32_t *grid, char **error)
{
    if (r->spec->speech)
        return speech_launch(r, grid, launch_on_device, error);
    return launch_on_device(r, grid, r->binding->slots, NULL, error);
}

tilec_status tilec_launch(tilec_file *file, const char *kernel, const int32_t grid[3],
                          const tilec_arg *args, int nargs, const tilec_launch_options *options,
                          char **error)
{
    Binding binding;
    Request r;

    r.binding = &binding;
    r.shown = false;
    tilec_status status = open_request(&r, file, kernel, args, nargs, options, error);
    if (status == TILEC_OK)
        status = check_grid(grid, error);
    if (status == TILEC_OK)
        status = make_ready(&r, error);
    if (status != TILEC_OK)
        return status;
    return run(&r, grid, error);
}

tilec_status tilec_prepare(tilec_file *file, const char *kernel, const tilec_arg *args, int nargs,
                           const tilec_launch_options *options, char **error)
{
    Binding binding;
    Request r;

    r.binding = &binding;
    r.shown = false;
    tilec_status status = open_request(&r, file, kernel, args, nargs, options, error);
    return status == TILEC_OK ? make_ready(&r, error) : status;
}

static const FileJob param_value = {.locked = bind_param_value};

tilec_status tilec_param_value(tilec_file *file, const char *kernel, int i, const tilec_arg *args,
                               int nargs, const tilec_launch_options *options, tilec_arg *out,
                               char **error)
{
    Binding binding;
    Request r;
    ValueJob job = {.request = &r, .param = i};

    r.binding = &binding;
    r.shown = false;
    tilec_status status = open_request(&r, file, kernel, args, nargs, options, error);
    if (status != TILEC_OK)
        return status;
    if (!out)
        return api_refuse(error, TILEC_BAD_ARGUMENT, "tilec_param_value: out is NULL");
    if (i < 0 || i >= r.kernel->signature->nparams)
        return api_refuse(error, TILEC_NOT_FOUND, "kernel `%s` has no parameter %d", r.kernel->name,
                          i);
    status = run_on_file(&r, &param_value, &job, error);
    if (status == TILEC_OK)
        *out = job.value;
    return status;
}

tilec_status tilec_launch_stats(tilec_file *file, const char *kernel, const int32_t grid[3],
                                const tilec_arg *args, int nargs,
                                const tilec_launch_options *options, tilec_stats *out, char **error)
{
    Binding binding;
    Request r;
    StatsJob job = {.request = &r, .grid = grid};

    r.binding = &binding;
    r.shown = false;
    tilec_status status = open_request(&r, file, kernel, args, nargs, options, error);
    if (status != TILEC_OK)
        return status;
    if (!out)
        return api_refuse(error, TILEC_BAD_ARGUMENT, "tilec_launch_stats: out is NULL");
    status = check_grid(grid, error);
    if (status == TILEC_OK)
        status = make_ready(&r, error);
    if (status == TILEC_OK)
        status = run_on_file(&r, &dump_stats, &job, error);
    if (status == TILEC_OK)
        *out = job.stats;
    return status;
}

tilec_status tilec_dump(tilec_file *file, const char *kernel, const char *stage,
                        const tilec_arg *args, int nargs, const tilec_launch_options *options,
                        char **text, char **error)
{
    Binding binding;
    Request r;
    DumpJob job = {.request = &r, .stage = stage};

    r.binding = &binding;
    r.shown = true;
    tilec_status status = open_request(&r, file, kernel, args, nargs, options, error);
    if (status != TILEC_OK)
        return status;
    if (!stage || !text)
        return api_refuse(error, TILEC_BAD_ARGUMENT, "tilec_dump: stage or text is NULL");
    status = run_on_file(&r, &dump_stage, &job, error);
    if (status == TILEC_OK)
        *text = job.text;
    return status;
}

const char *tilec_stage_name(int i)
{
    return dump_stage_name(i);
}

/* small things */

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
