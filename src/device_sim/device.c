/*
 * device.c - the device "sim": NVIDIA's GPUs in the simulator of src/sim
 *
 * It takes the PTX of the target "nv" as it is and runs it on the host's memory and threads, with
 * every access checked against the tensors of the launch.  PTX that the simulator does not know is
 * told by the first launch, which has the room to say what it is.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../device/device.h"
#include "../sim/sim.h"

static const char default_arch[] = "sm_90a";

/* One kernel; `module` is NULL when `error` says why there is none. */
typedef struct {
    SimModule *module;
    const SimKernel *kernel;
    SimError error;
    int warps;
    size_t shared;
    GenRecipe recipe;
} SimCode;

static const char *describe_sim(void)
{
    return "simulates NVIDIA GPUs";
}

static GenOptions options_for_sim(const LaunchFacts *facts)
{
    return (GenOptions){.cpu = facts->arch ? facts->arch : default_arch,
                        .features = "",
                        .disjoint = facts->disjoint,
                        .lines = true};
}

static void unload_for_sim(void *code)
{
    SimCode *c = code;

    sim_unload(c->module);
    free(c);
}

static RunStatus load_for_sim(const DeviceObject *object, void **code, const char **why)
{
    const GenOutput *ptx = object->output;
    SimCode *c = calloc(1, sizeof *c);

    *why = run_status_text(RUN_NO_MEMORY);
    if (!c)
        return RUN_NO_MEMORY;
    SimStatus status = sim_load(ptx->data, ptx->len, &c->module, &c->error);
    if (status == SIM_OK)
        c->kernel = sim_kernel(c->module, NULL);
    if (status == SIM_NO_MEMORY || (status == SIM_OK && !c->kernel)) {
        unload_for_sim(c);
        *why = status == SIM_OK ? "it has no entry" : *why;
        return status == SIM_OK ? RUN_BAD_OBJECT : RUN_NO_MEMORY;
    }
    c->warps = ptx->warps;
    c->shared = ptx->shared;
    c->recipe = ptx->recipe;
    *code = c;
    return RUN_OK;
}

static RunStatus facts_of_sim(void *state, void *code, int id, CodeFacts *out, char **error)
{
    const SimCode *c = code;

    (void)state;
    (void)id;
    *error = NULL;
    *out = (CodeFacts){.warps = c->warps, .shared = (int)c->shared};
    return RUN_OK;
}

/* The source file that a line of the PTX names, or NULL. */
static const Source *source_named(const SourceMap *m, const char *path)
{
    const Source *src;

    for (uint32_t at = 1; (src = source_of(m, at)) != NULL;
         at = src->base + (uint32_t)src->len + 1) {
        if (strcmp(src->path, path) == 0)
            return src;
    }
    return NULL;
}

/* Where a line and column lie in the sources; {0,0} when they are in none. */
static Span span_of(const SourceMap *m, const char *file, int line, int column)
{
    const Source *src = line > 0 ? source_named(m, file) : NULL;

    if (!src || line < src->line)
        return (Span){0};
    const char *s = src->text, *end = src->text + src->len;
    for (int i = src->line; i < line && s; i++) {
        s = memchr(s, '\n', (size_t)(end - s));
        s = s ? s + 1 : NULL;
    }
    if (!s)
        return (Span){0};
    uint32_t at = (uint32_t)MIN((s - src->text) + MAX(column - 1, 0), (ptrdiff_t)src->len);
    return source_span(src, at, at);
}

static Span span_of_error(const Diags *d, const SimError *e)
{
    return span_of(diags_sources(d), e->file, e->line, e->column);
}

/* Outside of which array; where that is not sure there is a note. */
static void put_outside(Diags *d, const SimError *e, const DeviceLaunch *l, Arena *a)
{
    const char *what = l->describe(l->describe_user, a, e->range, e->address, true);

    diag(d, DIAG_ERROR, span_of_error(d, e), "%s %s", e->access, what);
    if (l->nranges > 1)
        diag(d, DIAG_NOTE, (Span){0}, "of the launch's arrays this is the nearest to the address");
}

static void put_race(Diags *d, const SimError *e, const DeviceLaunch *l, Arena *a)
{
    const char *what = l->describe(l->describe_user, a, e->range, e->address, false);
    Span there = span_of(diags_sources(d), e->other_file, e->other_line, e->other_column);

    race_tell(d, &e->race, e->access, what, span_of_error(d, e), there, l->grid);
}

/* By which programs tell them apart; a race says that it is one. */
static const char *const titles[] = {[SIM_CODE] = "in the code: ",
                                     [SIM_ACCESS] = "",
                                     [SIM_RACE] = "",
                                     [SIM_SYNC] = "synchronisation: "};

/* What went wrong, in terms of the launch's arrays where it is about these. */
static void put_error(Diags *d, const SimError *e, const DeviceLaunch *l, Arena *a)
{
    bool is_known = l->describe && e->access && e->range >= 0 && e->range < l->nranges;

    if (is_known && e->is_race)
        put_race(d, e, l, a);
    else if (is_known)
        put_outside(d, e, l, a);
    else
        diag(d, DIAG_ERROR, span_of_error(d, e), "%s%s", titles[e->kind], e->text);
}

/* A whole diagnostic for free(); NULL when memory is out. */
static char *diagnostic(const SimError *e, const DeviceLaunch *l)
{
    Guard guard = {0};
    Arena *a = arena_new(NULL);
    char *text = NULL;

    if (!a)
        return NULL;
    arena_set_guard(a, &guard);
    if (setjmp(guard.env) == 0) {
        Diags *d = diags_new(a, l->sources);
        const char *ptx = e->ptx + strspn(e->ptx, " \t");

        put_error(d, e, l, a);
        if (e->warp >= 0)
            diag(d, DIAG_NOTE, (Span){0}, "in program (%d, %d, %d), warp %d%s", e->program[0],
                 e->program[1], e->program[2], e->warp,
                 e->lane >= 0 ? arena_printf(a, ", lane %d", e->lane) : "");
        if (e->ptx_line > 0)
            diag(d, DIAG_NOTE, (Span){0}, "line %d of the PTX: %s", e->ptx_line, ptx);
        text = strdup(diags_text(d, a));
    }
    arena_free(a);
    return text;
}

static RunStatus run_status(SimStatus s)
{
    switch (s) {
    case SIM_OK:
        return RUN_OK;
    case SIM_NO_MEMORY:
        return RUN_NO_MEMORY;
    case SIM_FAULT:
        return RUN_FAULT;
    case SIM_CANCELLED:
        return RUN_CANCELLED;
    default:
        return RUN_FAILED;
    }
}

/* What a launch has of its own: arguments, what it may reach, and where its programs say something
 * when it hears them. */
typedef struct {
    uint64_t *args;
    SimRange *ranges;
    int nranges;
    RecordBuffer *records; /* or NULL */
    void *workspace;       /* of all programs, or NULL */
    _Alignas(TENSOR_MAP_ALIGN) unsigned char maps[GEN_MAPS][TENSOR_MAP_BYTES];
} Belongings;

static void free_belongings(const Belongings *b)
{
    free(b->args);
    free(b->ranges);
    free(b->records);
    free(b->workspace);
}

static void add_range(Belongings *b, const void *at, size_t bytes)
{
    if (b->nranges >= 0)
        b->ranges[b->nranges++] = (SimRange){.address = (uint64_t)(uintptr_t)at, .bytes = bytes};
}

/* What the recipe asks for; nothing in it is known.  False: memory is out. */
static bool bring_workspace(const DeviceLaunch *l, const GenRecipe *r, Belongings *b)
{
    int64_t bytes = device_workspace_bytes(r, l->grid);

    if (bytes == 0)
        return true;
    if (bytes < 0 || !(b->workspace = aligned_alloc(WORKSPACE_ALIGN, (size_t)bytes)))
        return false;
    memset(b->workspace, 0xff, (size_t)bytes);
    b->args[r->workspace_arg] = (uint64_t)(uintptr_t)b->workspace;
    add_range(b, b->workspace, (size_t)bytes);
    return true;
}

/* The tensor maps of the recipe; false: there are none for these arguments, and the error says why.
 */
static bool bring_maps(const GenRecipe *r, Belongings *b, SimError *e)
{
    for (int i = 0; i < r->nmaps; i++) {
        TensorMap map;
        const char *why = device_tensor_map(&r->maps[i], b->args, &map);

        if (!why)
            why = sim_encode_tensor_map(&map, b->maps[i]);
        if (why) {
            snprintf(e->text, sizeof e->text, "argument %d: %s", r->maps[i].pointer, why);
            return false;
        }
        b->args[r->maps[i].arg] = (uint64_t)(uintptr_t)b->maps[i];
    }
    return true;
}

/* False: memory is out. */
static bool make_belongings(const DeviceLaunch *l, const GenRecipe *recipe, Belongings *b)
{
    bool hears = l->records && l->records_arg >= 0;
    size_t bytes = record_buffer_bytes(l->room);

    *b = (Belongings){.args = calloc((size_t)l->nargs + 1 + GEN_MAPS, sizeof *b->args),
                      .ranges = calloc((size_t)MAX(l->nranges, 0) + 2, sizeof *b->ranges),
                      .nranges = l->nranges,
                      .records = hears ? calloc(1, bytes) : NULL};
    if (!b->args || !b->ranges || (hears && !b->records))
        return false;
    if (l->nargs > 0)
        memcpy(b->args, l->args, sizeof *b->args * (size_t)l->nargs);
    for (int i = 0; i < l->nranges; i++)
        b->ranges[i] = (SimRange){.address = l->ranges[i].address,
                                  .bytes = l->ranges[i].bytes,
                                  .unit = l->ranges[i].unit,
                                  .blank = l->ranges[i].blank};
    if (hears) {
        record_buffer_begin(b->records, l->room);
        b->args[l->records_arg] = (uint64_t)(uintptr_t)b->records;
        add_range(b, b->records, bytes);
    }
    return bring_workspace(l, recipe, b);
}

static RunStatus run_simulator(const SimCode *c, const DeviceLaunch *l, SimError *e,
                               const Belongings *b)
{
    SimLaunch asked = {.grid = {l->grid[0], l->grid[1], l->grid[2]},
                       .warps = c->warps,
                       .shared = c->shared,
                       .args = b->args,
                       .ranges = b->ranges,
                       .nranges = b->nranges,
                       .threads = l->threads > 0 ? l->threads : os_cpu_count(),
                       .roams = l->roams,
                       .races = l->races,
                       .watch = l->watch,
                       .stints = l->stints};
    SimCounts counts = {0};

    asked.counts = l->on_count ? &counts : NULL;
    SimStatus status = sim_launch(c->kernel, &asked, e);
    if (b->records)
        record_buffer_drain(b->records, record_buffer_bytes(l->room), l->records);
    if (status == SIM_OK) {
        for (int i = 0; i < counts.count; i++)
            l->on_count(l->count_user, &counts.lines[i]);
    }
    free(counts.lines);
    return run_status(status);
}

static RunStatus launch_on_sim(void *state, void *code, const DeviceLaunch *l, char **error)
{
    const SimCode *c = code;
    Belongings own;
    SimError e = c->error;
    RunStatus status = RUN_NO_MEMORY;

    (void)state;
    *error = NULL;
    if (make_belongings(l, &c->recipe, &own))
        status = c->module && bring_maps(&c->recipe, &own, &e) ? run_simulator(c, l, &e, &own)
                                                               : RUN_FAILED;
    free_belongings(&own);
    if (status != RUN_OK && status != RUN_CANCELLED && (status != RUN_NO_MEMORY || e.text[0]))
        *error = diagnostic(&e, l);
    return status;
}

const Device sim_device = {
    .name = "sim",
    .target_name = "nv",
    .schedules = true,
    .has_archs = true,
    .finds_races = true,
    .counts = true,
    .wants_ranges = true,
    .most_y_and_z = 65535, /* as the GPUs that it stands for */
    .describe = describe_sim,
    .threads = os_cpu_count,
    .options = options_for_sim,
    .load = load_for_sim,
    .unload = unload_for_sim,
    .facts = facts_of_sim,
    .launch = launch_on_sim,
};
