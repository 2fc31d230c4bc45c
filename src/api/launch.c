/*
 * launch.c - the entry points of tilec.h about one call of a kernel: launch it, prepare or show it
 *
 * A launch first tries the quick way, bind, look up, run: without locks, and without memory unless
 * heuristics must be evaluated.  Whatever is not there or not right takes the slow way, a job that
 * compiles or says what is wrong.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api.h"

/* --- requests --- */

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
        job_refuse(job, TILEC_NOT_FOUND, "%s has no kernel `%s`", f->source->shown, l->name);
    else
        job_refuse(job, TILEC_NOT_FOUND, "%s has %d kernels; which one?", f->source->shown,
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

static tilec_status find_request_kernel(Request *r, const char *name, char **error)
{
    r->kernel = api_find_kernel(r->file, name);
    if (!r->kernel) {
        Lookup lookup = {r->file, name};
        return job_run(explain_lookup, &lookup, error, NULL);
    }
    if (r->kernel->signature)
        return TILEC_OK;
    if (error)
        *error = strdup(r->kernel->problem);
    return TILEC_REFUSED;
}

/* Does a program that is newer than this library ask for what that does not know? */
static bool has_unknown(const tilec_launch_options *o)
{
    for (int i = 0; i < COUNT(o->reserved); i++) {
        if (o->reserved[i])
            return true;
    }
    return false;
}

static tilec_status check_launch_options(const Request *r, char **error)
{
    const tilec_launch_options *o = &r->options;
    const Device *d = device_at(r->device);

    if (o->threads < 0)
        return api_refuse(error, TILEC_BAD_ARGUMENT, "the number of threads is negative");
    if (o->num_warps < 0 || o->num_stages < 0)
        return api_refuse(error, TILEC_BAD_ARGUMENT, "num_%s is negative",
                          o->num_warps < 0 ? "warps" : "stages");
    if ((unsigned)o->debug > TILEC_DEBUG_NAMES)
        return api_refuse(error, TILEC_BAD_ARGUMENT, "there is no tilec_debug %d", (int)o->debug);
    if (o->stream && !d->has_streams)
        return api_refuse(error, TILEC_BAD_ARGUMENT, "the device `%s` has no streams", d->name);
    if (o->on_count && !d->counts)
        return api_refuse(error, TILEC_BAD_ARGUMENT,
                          "the device `%s` does not count; the device `sim` does", d->name);
    const char *why = o->arch ? api_refuse_arch(d, o->arch, !r->shown) : NULL;
    if (why && (o->device || !r->shown))
        return api_refuse(error, TILEC_BAD_ARGUMENT,
                          "the device `%s` does not take code for `%s`: %s%s", d->name, o->arch,
                          why,
                          strncmp(o->arch, "sm_", 3) == 0 && !d->has_streams
                              ? "\nhint: it is of a GPU: the devices `cuda` and `sim` take it"
                              : "");
    return TILEC_OK;
}

static const char *why_no_call(const tilec_file *file, int nargs)
{
    if (!handle_is_file(file))
        return handle_problem_of_file(file);
    return nargs < 0 ? "the number of arguments is negative" : "the arguments are NULL";
}

enum { NO_MEMORY_BELOW = 4096 };

/* A number among the arguments that was not made one: to C it is the name, which comes first in a
 * tilec_arg.  -1: there is none. */
static int bare_number(const tilec_arg *args, int nargs)
{
    for (int i = 0; i < nargs; i++) {
        if (args[i].name && (uintptr_t)args[i].name < NO_MEMORY_BELOW)
            return i;
    }
    return -1;
}

/* Everything about a call that can be checked without binding its arguments; the rest of the
 * request is empty, but for its binding and whether it is shown. */
static tilec_status open_request(Request *r, tilec_file *file, const char *kernel,
                                 const tilec_arg *args, int nargs,
                                 const tilec_launch_options *options, char **error)
{
    tilec_status status;

    api_no_error(error);
    if (!handle_is_file(file) || nargs < 0 || (nargs > 0 && !args))
        return api_refuse(error, TILEC_BAD_ARGUMENT, "%s", why_no_call(file, nargs));
    int bare = bare_number(args, nargs);
    if (bare >= 0)
        return api_refuse(error, TILEC_BAD_ARGUMENT,
                          "argument %d is the number %d and no tilec_arg\nhint: TILEC_VALUE(n), or "
                          "TILEC_NAMED(BLOCK, n) for the parameter `BLOCK`, makes one of a number",
                          bare + 1, (int)(uintptr_t)args[bare].name);
    r->file = file;
    r->args = args;
    r->nargs = nargs;
    if (options)
        r->options = *options;
    if (has_unknown(&r->options)) /* in front of whatever may point to nowhere then */
        return api_refuse(
            error, TILEC_BAD_ARGUMENT,
            "tilec_launch_options.reserved is not zero: a newer library than tilec %s "
            "is needed, or the options were not initialised",
            tilec_version());
    r->device = api_device(r->options.device, error);
    if (r->device < 0)
        return TILEC_NOT_FOUND;
    r->checks_unasked = device_at(r->device)->checks && !r->options.check && !r->shown;
    r->options.check |= r->checks_unasked;
    r->detail = MAX(r->options.debug, file->ctx->detail);
    status = check_launch_options(r, error);
    return status == TILEC_OK ? find_request_kernel(r, kernel, error) : status;
}

/* Pass on what a call has to say, with no lock held. */
static void tell(const Request *r, char *message)
{
    if (message)
        r->options.on_message(r->options.user, message);
    free(message);
}

static tilec_status run_on_request_file(const Request *r, const FileJob *steps, void *what,
                                        char **error)
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
    tilec_status status = TILEC_OK;
    char *message = NULL;

    if (bound && r->binding->typed_only)
        return api_refuse(error, TILEC_BAD_ARGUMENT,
                          "TILEC_ARG_TYPE is for tilec_dump() and tilec_build() only");
    if (!bound || !spec_ready(r)) {
        double start = os_seconds();
        status = compile_request(r, error, r->options.on_message ? &message : NULL);
        tell(r, message);
        if (status == TILEC_OK && !spec_ready(r))
            status = TILEC_FAILED;
        if (status == TILEC_OK)
            spans_tell_compile(r, start);
    }
    if (status == TILEC_OK && r->options.compiled)
        *r->options.compiled = r->variant;
    return status;
}

/* What a launch is refused for that no line of the source tells: the kernel stands in front. */
#define refuse_request(r, status, error, format, ...)                                              \
    api_refuse(error, status, "kernel `%s` of %s: " format, (r)->kernel->name,                     \
               (r)->file->source->shown, __VA_ARGS__)

static tilec_status check_grid(const Request *r, const int32_t *grid, char **error)
{
    if (!grid)
        return refuse_request(r, TILEC_BAD_ARGUMENT, error, "%s", "the grid is NULL");
    if (grid[0] < 0 || grid[1] < 0 || grid[2] < 0)
        return refuse_request(r, TILEC_BAD_ARGUMENT, error,
                              "the grid %dx%dx%d has a negative extent (-1 is also what TILEC_GRID "
                              "and tilec::grid make of what does not fit into 32 bits)",
                              grid[0], grid[1], grid[2]);
    if (grid_programs(grid) < 0)
        return refuse_request(r, TILEC_BAD_ARGUMENT, error,
                              "the grid %dx%dx%d has more than 2^62 programs", grid[0], grid[1],
                              grid[2]);
    if (grid[0] > 0 && grid[1] == 0 && grid[2] == 0)
        return refuse_request(r, TILEC_BAD_ARGUMENT, error,
                              "the grid %dx0x0 has no programs; a dimension that is not used is 1",
                              grid[0]);
    return TILEC_OK;
}

/* NULL + i, or a number that was taken for an address; to compile, any address will do. */
static tilec_status check_addresses(const Request *r, char **error)
{
    for (int i = 0; i < r->binding->nslots; i++) {
        const tilec_tensor *t = r->binding->tensors[i];
        const char *name = t ? request_name_of_tensor(r, t) : NULL;
        if (t && t->data && (uintptr_t)t->data < NO_MEMORY_BELOW)
            return refuse_request(r, TILEC_BAD_ARGUMENT, error,
                                  "the address of `%s` is next to NULL, where no memory is",
                                  name ? name : "an item of a tuple");
    }
    return TILEC_OK;
}

static tilec_status check_device_grid(const Request *r, const int32_t *grid, char **error)
{
    const Device *d = device_at(r->device);

    if (d->most_y_and_z == 0 || (grid[1] <= d->most_y_and_z && grid[2] <= d->most_y_and_z))
        return TILEC_OK;
    return refuse_request(r, TILEC_BAD_ARGUMENT, error,
                          "the grid %dx%dx%d is too large for the device `%s`: along y and z it "
                          "has at most %d programs",
                          grid[0], grid[1], grid[2], d->name, d->most_y_and_z);
}

/* --- launching --- */

/* The counts of a line, as the caller of the launch gets them. */
static void pass_count(void *user, const LineCount *c)
{
    const tilec_launch_options *o = user;
    const WorkCount *w = &c->work;
    const tilec_count count = {.file = c->file,
                               .line = c->line,
                               .instructions = w->instructions,
                               .lanes = w->lanes,
                               .global_requests = w->global_requests,
                               .global_lines = w->global_lines,
                               .global_sectors = w->global_sectors,
                               .shared_requests = w->shared_requests,
                               .shared_waves = w->shared_waves,
                               .shared_extra = w->shared_extra,
                               .branches = w->branches,
                               .divergent = w->divergent};

    o->on_count(o->user, &count);
}

const char *request_name_of_tensor(const Request *r, const tilec_tensor *t)
{
    for (int i = 0; i < r->nargs; i++) {
        if (&r->args[i].tensor == t)
            return r->args[i].name ? r->args[i].name : r->kernel->signature->params[i].name;
    }
    return NULL;
}

/* As DeviceLaunch.describe. */
static const char *describe_place(void *request, Arena *a, int i, uint64_t address, bool outside)
{
    const Request *r = request;
    const tilec_tensor *t = memory_of_range(r->binding, i);
    const char *name = request_name_of_tensor(r, t);
    int64_t size = (int64_t)tilec_dtype_size(t->dtype);
    int64_t bytes = (int64_t)(address - (uint64_t)(uintptr_t)t->data);
    Text out = text_new(a);

    text_put(&out, name ? name : "an item of a tuple");
    bytes -= bytes % size < 0 ? size : 0;
    if (outside)
        place_put_outside(&out, t, bytes / size);
    else
        place_put(&out, t, bytes / size);
    return out.s;
}

/* As DeviceLaunch.on_part. */
typedef struct {
    const Request *request;
    const int32_t *grid;
} Part;

static void tell_part(void *part, int i, const unsigned char *read)
{
    const Part *p = part;

    loaded_warn(p->request, p->grid, memory_of_range(p->request->binding, i), read);
}

static tilec_status launch_on_device(const Request *r, const int32_t *grid, const uint64_t *slots,
                                     RecordPort *records, char **error)
{
    const Device *device = device_at(r->device);
    const Speech *speech = r->spec->speech;
    MemoryRange ranges[MAX_PARAMS];
    Part part = {r, grid};
    DeviceLaunch launch = {.args = slots,
                           .nargs = speech ? speech_nargs(speech) : r->binding->nslots,
                           .grid = {grid[0], grid[1], grid[2]},
                           .threads = r->options.threads,
                           .id = r->binding->id,
                           .stream = r->options.stream,
                           .seconds = device->arrays ? r->options.seconds : NULL,
                           .records = records,
                           .records_arg = speech ? speech_records_arg(speech) : -1,
                           .room = speech ? speech_room(speech) : (RecordRoom){0},
                           .sources = r->file->sources,
                           .on_count = r->options.on_count ? pass_count : NULL,
                           .count_user = (void *)&r->options,
                           .ranges = ranges,
                           .nranges = device->wants_ranges ? memory_ranges(r->binding, ranges) : -1,
                           .describe = describe_place,
                           .describe_user = (void *)r,
                           .roams = r->spec->roams,
                           .waits = r->spec->programs.waits,
                           .races = r->options.check && !r->checks_unasked,
                           .on_part = tell_part,
                           .part_user = &part};
    char *text = NULL;

    if (!api_available(device, error))
        return TILEC_FAILED;
    if (grid[0] == 0 || grid[1] == 0 || grid[2] == 0) {
        programs_warn_of_none(r, grid);
        return TILEC_OK;
    }
    if (r->options.on_message)
        programs_warn(r, grid);
    tilec_status fits = check_device_grid(r, grid, error);
    if (fits == TILEC_OK)
        fits = check_addresses(r, error);
    if (fits != TILEC_OK)
        return fits;
    void *state = api_device_state(r->file->ctx, r->device);
    bool timed = r->options.on_span || (r->options.seconds && !device->arrays);
    launch.stints = spans_begin(r);
    double start = timed ? os_seconds() : 0;
    RunStatus status = progress_launch(r, state, &launch, &text);
    if (r->options.seconds && !device->arrays)
        *r->options.seconds = os_seconds() - start;
    if (r->options.on_span)
        spans_tell_launch(r, launch.stints, start);
    if (status == RUN_CANCELLED && !text)
        return refuse_request(r, TILEC_CANCELLED, error, "%s", run_status_text(status));
    return api_device_status(status, text, error);
}

/* Say which array must stay as it is. */
static tilec_status refuse_read_only(const Request *r, const tilec_tensor *t, char **error)
{
    const char *name = request_name_of_tensor(r, t);

    return refuse_request(r, TILEC_BAD_ARGUMENT, error,
                          "the array given for `%s` is read-only, and the kernel writes to it",
                          name ? name : "an item of a tuple");
}

/* A request that is ready. */
static tilec_status run_request(const Request *r, const int32_t *grid, char **error)
{
    const tilec_tensor *wrong = memory_written_wrongly(r->binding, r->spec->use.stored);

    if (wrong)
        return refuse_read_only(r, wrong, error);
    if (r->spec->speech)
        return speech_launch(r, grid, launch_on_device, error);
    return launch_on_device(r, grid, r->binding->slots, NULL, error);
}

tilec_status tilec_launch(tilec_file *file, const char *kernel, const int32_t grid[3],
                          const tilec_arg *args, int nargs, const tilec_launch_options *options,
                          char **error)
{
    Binding binding;
    Request r = {.binding = &binding};
    tilec_status status = open_request(&r, file, kernel, args, nargs, options, error);
    if (status == TILEC_OK)
        status = check_grid(&r, grid, error);
    if (status == TILEC_OK)
        status = make_ready(&r, error);
    if (status != TILEC_OK)
        return status;
    return run_request(&r, grid, error);
}

tilec_status tilec_prepare(tilec_file *file, const char *kernel, const tilec_arg *args, int nargs,
                           const tilec_launch_options *options, char **error)
{
    Binding binding;
    Request r = {.binding = &binding};
    tilec_status status = open_request(&r, file, kernel, args, nargs, options, error);
    return status == TILEC_OK ? make_ready(&r, error) : status;
}

tilec_status tilec_launch_memory(tilec_file *file, const char *kernel, const tilec_arg *args,
                                 int nargs, const tilec_launch_options *options,
                                 void (*on_tensor)(void *user, const tilec_tensor *tensor,
                                                   int uses),
                                 void *user, char **error)
{
    Binding binding;
    Request r = {.binding = &binding};
    tilec_status status = open_request(&r, file, kernel, args, nargs, options, error);
    if (status == TILEC_OK && !on_tensor)
        return api_refuse(error, TILEC_BAD_ARGUMENT, "tilec_launch_memory: on_tensor is NULL");
    if (status == TILEC_OK)
        status = make_ready(&r, error);
    for (int i = 0; status == TILEC_OK && i < r.binding->nslots; i++) {
        if (r.binding->tensors[i])
            on_tensor(user, r.binding->tensors[i], memory_uses(r.spec, i));
    }
    return status;
}

static const FileJob param_value = {.locked = bind_param_value};

tilec_status tilec_param_value(tilec_file *file, const char *kernel, int i, const tilec_arg *args,
                               int nargs, const tilec_launch_options *options, tilec_arg *out,
                               char **error)
{
    Binding binding;
    Request r = {.binding = &binding};
    ValueJob job = {.request = &r, .param = i};
    tilec_status status = open_request(&r, file, kernel, args, nargs, options, error);
    if (status != TILEC_OK)
        return status;
    if (!out)
        return api_refuse(error, TILEC_BAD_ARGUMENT, "tilec_param_value: out is NULL");
    if (i < 0 || i >= r.kernel->signature->nparams)
        return api_refuse(error, TILEC_NOT_FOUND, "kernel `%s` has no parameter %d", r.kernel->name,
                          i);
    status = run_on_request_file(&r, &param_value, &job, error);
    if (status == TILEC_OK)
        *out = job.value;
    return status;
}

static tilec_status count_launch(StatsJob *asked, tilec_file *file, const char *kernel,
                                 const int32_t *grid, const tilec_arg *args, int nargs,
                                 const tilec_launch_options *options, char **error)
{
    Binding binding;
    Request r = {.binding = &binding};
    tilec_status status = open_request(&r, file, kernel, args, nargs, options, error);
    StatsJob job = *asked;

    job.request = &r;
    job.grid = grid;
    if (status == TILEC_OK)
        status = check_grid(&r, grid, error);
    if (status == TILEC_OK)
        status = make_ready(&r, error);
    if (status == TILEC_OK)
        status = run_on_request_file(&r, &dump_stats, &job, error);
    asked->stats = job.stats;
    return status;
}

tilec_status tilec_launch_stats(tilec_file *file, const char *kernel, const int32_t grid[3],
                                const tilec_arg *args, int nargs,
                                const tilec_launch_options *options, tilec_stats *out, char **error)
{
    StatsJob job = {0};

    if (!out)
        return api_refuse(error, TILEC_BAD_ARGUMENT, "tilec_launch_stats: out is NULL");
    tilec_status status = count_launch(&job, file, kernel, grid, args, nargs, options, error);
    if (status == TILEC_OK)
        *out = job.stats;
    return status;
}

tilec_status tilec_launch_lines(tilec_file *file, const char *kernel, const int32_t grid[3],
                                const tilec_arg *args, int nargs,
                                const tilec_launch_options *options,
                                void (*on_line)(void *user, const tilec_line *line), void *user,
                                char **error)
{
    LineList lines = {0};
    StatsJob job = {.lines = &lines};

    if (!on_line)
        return api_refuse(error, TILEC_BAD_ARGUMENT, "tilec_launch_lines: on_line is NULL");
    tilec_status status = count_launch(&job, file, kernel, grid, args, nargs, options, error);

    line_list_tell(&lines, status == TILEC_OK ? on_line : NULL, user);
    return status;
}

tilec_status tilec_dump(tilec_file *file, const char *kernel, const char *stage,
                        const tilec_arg *args, int nargs, const tilec_launch_options *options,
                        char **text, char **error)
{
    Binding binding;
    Request r = {.binding = &binding, .shown = true};
    DumpJob job = {.request = &r, .stage = stage};
    tilec_status status = open_request(&r, file, kernel, args, nargs, options, error);
    if (status != TILEC_OK)
        return status;
    if (!stage || !text)
        return api_refuse(error, TILEC_BAD_ARGUMENT, "tilec_dump: %s is NULL",
                          stage ? "text" : "stage");
    status = run_on_request_file(&r, &dump_stage, &job, error);
    if (status == TILEC_OK)
        *text = job.text;
    return status;
}

const char *tilec_stage_name(int i)
{
    return dump_stage_name(i);
}

/* --- building --- */

static bool is_identifier(const char *s)
{
    if (!s || (!isalpha((unsigned char)*s) && *s != '_'))
        return false;
    while (isalnum((unsigned char)*s) || *s == '_')
        s++;
    return *s == '\0';
}

/* Is it the name of two functions? */
static bool is_there_twice(const tilec_build_options *o, const char *symbol)
{
    int n = o->level_symbol && strcmp(o->level_symbol, symbol) == 0;

    for (int i = 0; i < o->nforms; i++)
        n += strcmp(o->forms[i].symbol, symbol) == 0;
    return n > 1;
}

/* Else what code is made for is a chip; of an unknown device more is said later. */
bool api_build_has_levels(const tilec_build_options *o)
{
    int device = device_find(o->device);

    return device < 0 || device_at(device)->level;
}

tilec_status api_check_build(const tilec_build_options *o, char **error)
{
    bool good = o && o->forms && o->nforms > 0 && o->levels && o->nlevels > 0;

    if (!good)
        return api_refuse(error, TILEC_BAD_ARGUMENT, "there are no options, forms or levels");
    for (int i = 0; i < o->nforms; i++)
        good = good && is_identifier(o->forms[i].symbol);
    if (!good || (api_build_has_levels(o) && !is_identifier(o->level_symbol)))
        return api_refuse(error, TILEC_BAD_ARGUMENT,
                          "the name of a function is no identifier of C's");
    for (int i = 0; i < o->nforms; i++) {
        if (is_there_twice(o, o->forms[i].symbol))
            return api_refuse(error, TILEC_BAD_ARGUMENT, "two functions would be called `%s`",
                              o->forms[i].symbol);
    }
    if (o->num_warps < 0 || o->num_stages < 0)
        return api_refuse(error, TILEC_BAD_ARGUMENT, "num_%s is negative",
                          o->num_warps < 0 ? "warps" : "stages");
    return TILEC_OK;
}

/* Of a device whose levels are chips, which open_request() has looked at. */
static tilec_status take_chip(const tilec_build_options *o, GenLevel *out, char **error)
{
    *out = (GenLevel){.name = o->levels[0]};
    return o->nlevels == 1 && out->name
               ? TILEC_OK
               : api_refuse(error, TILEC_BAD_ARGUMENT,
                            "tilec_build: for the device `%s` there is one level, the chip",
                            o->device);
}

/* Each of the caller's levels must stand behind the one before it in the device's. */
static tilec_status find_levels(const tilec_build_options *o, const Device *d, GenLevel *out,
                                char **error)
{
    int at = 0;

    if (!d->level && d->has_archs)
        return take_chip(o, out, error);
    for (int k = 0; k < o->nlevels; k++) {
        const GenLevel *level = NULL;
        bool known = false;
        for (int i = 0; o->levels[k] && d->level && d->level(i); i++) {
            bool same = strcmp(d->level(i)->name, o->levels[k]) == 0;
            known = known || same;
            if (!same || i < at)
                continue;
            level = d->level(i);
            at = i + 1;
            break;
        }
        if (level)
            out[k] = *level;
        else if (known)
            return api_refuse(error, TILEC_BAD_ARGUMENT,
                              "the level `%s` does not come behind the one in front of it",
                              o->levels[k]);
        else
            return api_refuse(error, TILEC_NOT_FOUND,
                              "there is no level `%s`; of x86-64 there are x86-64, x86-64-v2 "
                              "(SSE4.2), x86-64-v3 (AVX2, FMA) and x86-64-v4 (AVX-512)",
                              o->levels[k] ? o->levels[k] : "NULL");
    }
    return TILEC_OK;
}

static tilec_status open_form(Request *r, tilec_file *file, const char *kernel,
                              const tilec_build_options *o, int form, char **error)
{
    const tilec_launch_options options = {.device = o->device,
                                          .arch = api_build_has_levels(o) ? NULL : o->levels[0],
                                          .num_warps = o->num_warps,
                                          .num_stages = o->num_stages,
                                          .on_message = o->on_message,
                                          .user = o->user};

    r->shown = true;
    return open_request(r, file, kernel, o->forms[form].args, o->forms[form].nargs, &options,
                        error);
}

tilec_status api_open_build(tilec_file *file, const char *kernel, const tilec_build_options *o,
                            const Kernel **out, char **error)
{
    GenLevel *levels = calloc((size_t)o->nlevels, sizeof *levels);
    Request r = {0};
    tilec_status status = levels ? TILEC_OK : api_refuse(error, TILEC_NO_MEMORY, "out of memory");

    for (int i = 0; status == TILEC_OK && i < o->nforms; i++)
        status = open_form(&r, file, kernel, o, i, error);
    if (status == TILEC_OK)
        status = find_levels(o, device_at(r.device), levels, error);
    *out = r.kernel;
    free(levels);
    return status;
}

tilec_status tilec_build(tilec_file *file, const char *kernel, const tilec_build_options *options,
                         tilec_object *out, char **error)
{
    api_no_error(error);
    tilec_status status = api_check_build(options, error);
    if (status != TILEC_OK)
        return status;
    if (!out)
        return api_refuse(error, TILEC_BAD_ARGUMENT, "tilec_build: out is NULL");
    tilec_object object = {0};
    Request *requests = calloc((size_t)options->nforms, sizeof *requests);
    Binding *bindings = calloc((size_t)options->nforms, sizeof *bindings);
    GenLevel *levels = calloc((size_t)options->nlevels, sizeof *levels);
    BuildJob job = {.requests = requests,
                    .options = options,
                    .levels = levels,
                    .nlevels = options->nlevels,
                    .out = &object};
    if (!requests || !bindings || !levels)
        status = api_refuse(error, TILEC_NO_MEMORY, "out of memory");
    for (int i = 0; status == TILEC_OK && i < options->nforms; i++) {
        requests[i].binding = &bindings[i];
        status = open_form(&requests[i], file, kernel, options, i, error);
    }
    if (status == TILEC_OK)
        status = find_levels(options, device_at(requests[0].device), levels, error);
    if (status == TILEC_OK)
        status = run_on_request_file(&requests[0], &build_object, &job, error);
    if (status == TILEC_OK)
        *out = object;
    free(levels);
    free(bindings);
    free(requests);
    return status;
}
