/*
 * launch.c - the entry points of tilec.h about one call of a kernel: launch it, prepare or show it
 *
 * A launch first tries the quick way, bind, look up, run: without locks, and without memory unless
 * heuristics must be evaluated.  Whatever is not there or not right takes the slow way, a job that
 * compiles or says what is wrong.
 */
#include <stdlib.h>

#include "api.h"
#include "../warn/warn.h"

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
        if (!t || !t->data || (uintptr_t)t->data >= NO_MEMORY_BELOW)
            continue;
        const char *name = request_name_of_tensor(r, t);
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
                               .divergent = w->divergent,
                               .special = w->special,
                               .tensor = w->tensor,
                               .apart = w->apart,
                               .cycles = w->cycles,
                               .memory_waits = w->memory_waits,
                               .shared_waits = w->shared_waits,
                               .barrier_waits = w->barrier_waits};

    o->on_count(o->user, &count);
}

static void pass_counter(void *options, const char *name, double value)
{
    const tilec_launch_options *o = options;

    o->on_counter(o->user, &(tilec_counter){name, value});
}

/* "x[3]"; or that it is outside of x */
static void put_place(Text *out, const Request *r, const tilec_tensor *t, uint64_t address,
                      bool outside)
{
    const char *name = request_name_of_tensor(r, t);
    int64_t size = (int64_t)tilec_dtype_size(t->dtype);
    int64_t bytes = (int64_t)(address - (uint64_t)(uintptr_t)t->data);

    text_put(out, name ? name : "an item of a tuple");
    bytes -= bytes % size < 0 ? size : 0;
    if (outside)
        place_put_outside(out, t, bytes / size);
    else
        place_put(out, t, bytes / size);
}

/* As DeviceLaunch.describe. */
static const char *describe_place(void *request, Arena *a, int i, uint64_t address, bool outside)
{
    const Request *r = request;
    const tilec_tensor *t = memory_of_range(r->binding, i), *other = NULL;
    Text out = text_new(a);

    put_place(&out, r, t, address, outside);
    if (!outside)
        other = memory_shared(r->binding, t, address);
    if (other) {
        text_put(&out, " (in the same memory as ");
        put_place(&out, r, other, address, false);
        text_put(&out, ")");
    }
    return out.s;
}

/* --- warnings --- */

static void say(void *request, const char *text)
{
    const Request *r = request;

    if (r->options.on_message)
        r->options.on_message(r->options.user, text);
}

typedef struct {
    Span span;
    const char *what, *hint;
} Warning;

static tilec_status render(Job *job, void *warning)
{
    const Warning *w = warning;

    diag(job->diags, DIAG_WARNING, w->span, "%s", w->what);
    diag(job->diags, DIAG_HINT, (Span){0}, "%s", w->hint);
    return TILEC_FAULT;
}

static void say_at(void *request, Span span, const char *what, const char *hint)
{
    const Request *r = request;
    Warning w = {span, what, hint};
    char *text = NULL;

    job_run_with_places(r->file, render, &w, &text);
    if (text) /* else there was no memory for it */
        say(request, text);
    free(text);
}

static Launch launch_of(const Request *r, const int32_t *grid, unsigned *said)
{
    return (Launch){.kernel = r->kernel->name,
                    .signature = r->kernel->signature,
                    .args = r->args,
                    .nargs = r->nargs,
                    .slots = r->binding->slots,
                    .tensors = r->binding->tensors,
                    .nslots = r->binding->nslots,
                    .grid = grid,
                    .programs = &r->spec->programs,
                    .checks = r->options.check,
                    .told = r->spec->launches_told,
                    .said = said,
                    .say = say,
                    .say_at = say_at,
                    .user = (void *)r};
}

/* As DeviceLaunch.on_part. */
typedef struct {
    const Request *request;
    const int32_t *grid;
    uint64_t cut; /* as of warn_of_run() */
} Part;

static void tell_part(void *part, int i, const unsigned char *read)
{
    const Part *p = part;
    unsigned said = 0;
    const Launch l = launch_of(p->request, p->grid, &said);

    warn_of_loaded(&l, memory_of_range(p->request->binding, i), read);
}

/* As DeviceLaunch.on_run. */
static void tell_run(void *part, int i, Span span, const ElementRun *run)
{
    Part *p = part;
    unsigned said = 0;
    const Launch l = launch_of(p->request, p->grid, &said);

    warn_of_run(&l, memory_of_range(p->request->binding, i), span,
                &(RowRun){run->first, run->lanes, run->is_cut}, &p->cut);
}

static tilec_status launch_on_device(const Request *r, const int32_t *grid, const uint64_t *slots,
                                     RecordPort *records, char **error)
{
    const Device *device = device_at(r->device);
    const Speech *speech = r->spec->speech;
    MemoryRange ranges[MAX_PARAMS];
    Part part = {r, grid, 0};
    DeviceLaunch launch = {.args = slots,
                           .nargs = speech ? speech_nargs(speech) : r->binding->nslots,
                           .grid = {grid[0], grid[1], grid[2]},
                           .threads = r->options.threads,
                           .id = r->binding->id,
                           .stream = r->options.stream,
                           .seconds = device->arrays ? r->options.seconds : NULL,
                           .records = records,
                           .records_arg = speech ? speech_records_arg(speech) : -1,
                           .room = speech ? speech_room(r) : (RecordRoom){0},
                           .async = speech_async(r),
                           .sources = r->file->sources,
                           .on_count = r->options.on_count ? pass_count : NULL,
                           .count_user = (void *)&r->options,
                           .on_counter = r->options.on_counter ? pass_counter : NULL,
                           .counter_user = (void *)&r->options,
                           .ranges = ranges,
                           .nranges = device->wants_ranges ? memory_ranges(r->binding, ranges) : -1,
                           .describe = describe_place,
                           .describe_user = (void *)r,
                           .roams = r->spec->roams,
                           .waits = r->spec->programs.waits,
                           .spans = r->variant->spans,
                           .clocks = r->variant->clocks,
                           .atomics = r->spec->programs.has_atomics,
                           .races = r->options.check && !r->checks_unasked,
                           .on_part = tell_part,
                           .on_run = r->options.on_message ? tell_run : NULL,
                           .part_user = &part};
    char *text = NULL;

    if (request_observer(r)) {
        launch.observer = r->observed->observer;
        launch.first = r->observed->first;
        launch.last = r->observed->last;
        launch.on_part = NULL;
        launch.on_run = NULL;
    }

    if (grid[0] == 0 || grid[1] == 0 || grid[2] == 0) {
        warn_of_none(&(Launch){.grid = grid, .say = say, .user = (void *)r});
        return TILEC_OK;
    }
    if (r->options.on_message) {
        unsigned said = 0;
        const Launch l = launch_of(r, grid, &said);
        warn_of_launch(&l);
    }
    tilec_status fits = check_device_grid(r, grid, error);
    if (fits == TILEC_OK)
        fits = check_addresses(r, error);
    if (fits != TILEC_OK)
        return fits;
    void *state = api_device_state(r->file->ctx, r->device);
    bool timed = r->options.on_span || (r->options.seconds && !device->arrays);
    launch.stints = spans_begin(r);
    double start = timed ? os_seconds() : 0;
    ranges_push(r->kernel->name);
    RunStatus status = progress_launch(r, state, &launch, &text);
    ranges_pop();
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

    return refuse_request(
        r, TILEC_BAD_ARGUMENT, error,
        "the array given for `%s` is read-only, and the kernel writes to it: a copy of "
        "it can be written, x.copy() of NumPy",
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

tilec_status api_launch_observed(tilec_file *file, const char *kernel, const int32_t grid[3],
                                 const tilec_arg *args, int nargs,
                                 const tilec_launch_options *options, const Observed *observed,
                                 char **error)
{
    Binding binding;
    Request r = {.binding = &binding, .observed = observed, .grid = grid};
    tilec_launch_options on_interp = options ? *options : (tilec_launch_options){0};

    if (observed && observed->observer) {
        on_interp.device = "interp";
        options = &on_interp;
    }
    tilec_status status = request_open(&r, file, kernel, args, nargs, options, error);
    if (status == TILEC_OK)
        status = check_grid(&r, grid, error);
    /* else arrays are blamed that are not on it */
    if (status == TILEC_OK && !api_available(device_at(r.device), error))
        status = TILEC_FAILED;
    if (status == TILEC_OK) {
        r.programs = grid_programs(grid);
        status = request_ready(&r, error);
    }
    if (status != TILEC_OK)
        return status;
    return run_request(&r, grid, error);
}

tilec_status tilec_launch(tilec_file *file, const char *kernel, const int32_t grid[3],
                          const tilec_arg *args, int nargs, const tilec_launch_options *options,
                          char **error)
{
    return api_launch_observed(file, kernel, grid, args, nargs, options, NULL, error);
}

tilec_status tilec_async_fault(tilec_context *ctx, const char *device, int waits, char **error)
{
    api_no_error(error);
    if (!handle_is_context(ctx))
        return api_refuse(error, TILEC_BAD_ARGUMENT, "%s", handle_problem_of_context(ctx));
    int number = api_device(device, error);
    if (number < 0)
        return TILEC_NOT_FOUND;
    void *state = atomic_load_explicit(&ctx->states[number], memory_order_acquire);
    const Device *d = device_at(number);
    return state && d->hear ? speech_hear(d, state, waits != 0, error) : TILEC_OK;
}

tilec_status tilec_prepare(tilec_file *file, const char *kernel, const tilec_arg *args, int nargs,
                           const tilec_launch_options *options, char **error)
{
    Binding binding;
    Request r = {.binding = &binding};
    tilec_status status = request_open(&r, file, kernel, args, nargs, options, error);
    return status == TILEC_OK ? request_ready(&r, error) : status;
}

tilec_status tilec_launch_memory(tilec_file *file, const char *kernel, const tilec_arg *args,
                                 int nargs, const tilec_launch_options *options,
                                 void (*on_tensor)(void *user, const tilec_tensor *tensor,
                                                   int uses),
                                 void *user, char **error)
{
    Binding binding;
    Request r = {.binding = &binding};
    tilec_status status = request_open(&r, file, kernel, args, nargs, options, error);
    if (status == TILEC_OK && !on_tensor)
        return api_refuse(error, TILEC_BAD_ARGUMENT, "tilec_launch_memory: on_tensor is NULL");
    if (status == TILEC_OK)
        status = request_ready(&r, error);
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
    tilec_status status = request_open(&r, file, kernel, args, nargs, options, error);
    if (status != TILEC_OK)
        return status;
    if (!out)
        return api_refuse(error, TILEC_BAD_ARGUMENT, "tilec_param_value: out is NULL");
    if (i < 0 || i >= r.kernel->signature->nparams)
        return api_refuse(error, TILEC_NOT_FOUND, "kernel `%s` has no parameter %d", r.kernel->name,
                          i);
    status = request_run_on_file(&r, &param_value, &job, error);
    if (status == TILEC_OK)
        *out = job.value;
    return status;
}

static tilec_status count_launch(StatsJob *asked, tilec_file *file, const char *kernel,
                                 const int32_t *grid, const tilec_arg *args, int nargs,
                                 const tilec_launch_options *options, char **error)
{
    Binding binding;
    Request r = {.binding = &binding, .grid = grid};
    tilec_status status = request_open(&r, file, kernel, args, nargs, options, error);
    StatsJob job = *asked;

    job.request = &r;
    job.grid = grid;
    if (status == TILEC_OK)
        status = check_grid(&r, grid, error);
    if (status == TILEC_OK)
        status = request_ready(&r, error);
    if (status == TILEC_OK)
        status = request_run_on_file(&r, &dump_stats, &job, error);
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
    tilec_status status = request_open(&r, file, kernel, args, nargs, options, error);
    if (status != TILEC_OK)
        return status;
    if (!stage || !text)
        return api_refuse(error, TILEC_BAD_ARGUMENT, "tilec_dump: %s is NULL",
                          stage ? "text" : "stage");
    status = request_run_on_file(&r, &dump_stage, &job, error);
    if (status == TILEC_OK)
        *text = job.text;
    return status;
}

tilec_status tilec_derive(tilec_file *file, const char *kernel, const char *of,
                          const char *const *wrt, int nwrt, const tilec_arg *args, int nargs,
                          const tilec_launch_options *options, tilec_derived **derived,
                          char **error)
{
    Binding binding;
    Request r = {.binding = &binding, .shown = true};
    DeriveJob job = {.request = &r, .of = of, .wrt = wrt, .nwrt = nwrt};
    tilec_status status = request_open(&r, file, kernel, args, nargs, options, error);

    if (status != TILEC_OK)
        return status;
    if (!of || !derived || !wrt)
        return api_refuse(error, TILEC_BAD_ARGUMENT, "tilec_derive: %s is NULL",
                          !of    ? "of"
                          : !wrt ? "wrt"
                                 : "derived");
    if (nwrt < 1)
        return api_refuse(error, TILEC_BAD_ARGUMENT, "tilec_derive: there is nothing in wrt");
    if (r.options.tape < TILEC_TAPE_RECOMPUTE)
        return api_refuse(error, TILEC_BAD_ARGUMENT, "tilec_derive: tape is %d rounds",
                          r.options.tape);
    for (int i = 0; i < nwrt; i++) {
        if (!wrt[i])
            return api_refuse(error, TILEC_BAD_ARGUMENT, "tilec_derive: wrt[%d] is NULL", i);
    }
    status = request_run_on_file(&r, &derive_gradients, &job, error);
    if (status == TILEC_OK)
        *derived = job.derived;
    return status;
}

tilec_status tilec_reproduce(tilec_file *file, const char *kernel, const int32_t grid[3],
                             const tilec_arg *args, int nargs, const tilec_launch_options *options,
                             char **text, char **error)
{
    Binding binding;
    Request r = {.binding = &binding, .shown = true};
    ReproduceJob job = {.request = &r, .grid = grid};
    tilec_status status = request_open(&r, file, kernel, args, nargs, options, error);

    if (status != TILEC_OK)
        return status;
    if (!grid || !text)
        return api_refuse(error, TILEC_BAD_ARGUMENT, "tilec_reproduce: %s is NULL",
                          grid ? "text" : "grid");
    status = request_run_on_file(&r, &reproduce_launch, &job, error);
    if (status == TILEC_OK)
        *text = job.text;
    return status;
}

const char *tilec_stage_name(int i)
{
    return dump_stage_name(i);
}
