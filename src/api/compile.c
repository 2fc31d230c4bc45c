/*
 * compile.c - the compiler, on one page
 *
 *     parse     front_parse()    text -> syntax tree, once a file (load.c)
 *     bind      bind_request()   arguments of a call -> types, constants, hints
 *     lower     front_lower()    syntax tree -> tile IR
 *     key       cache_key()      IR, options, machine, build -> 128 bits
 *     cache     cache_get()      key -> object, when it was made before; else
 *     optimise  opt_run()          IR -> better IR
 *     generate  Target.emit()      IR -> object
 *     load      Device.load()    object -> code
 *
 * The key is made from the IR before the passes: they are a function of it and of the build, whose
 * id is in the key, so that a hit pays for neither passes nor LLVM.
 *
 * Up to the lowering a compile holds the file's lock; the rest, which takes nearly all of the time,
 * does not, and so nothing behind the lowering may add a name to the file's.  Who needs what
 * another thread is making waits for that one.
 */
#include <stdlib.h>
#include <string.h>

#include "api.h"
#include "../opt_target/opt_target.h"
#include "../suspect/suspect.h"

/* --- lower, optimise, generate: the steps --- */

/* Which accesses can be checked, by slot. */
typedef struct {
    const Binding *binding;
    Diags *diags; /* NULL: what is not checked is not told */
    int *views; /* how many dimensions the view of an array has; all are dense where there are only
                 * types */
    int slot;   /* of the next run-time part */
} Views;

static void find_views(Views *v, const FrontParam *p, const FrontArg *a)
{
    for (int i = 0; i < a->nparts; i++)
        find_views(v, p, &a->parts[i]);
    if (a->is_constexpr || a->form != FRONT_VALUE)
        return;
    const tilec_tensor *t = v->binding->tensors[v->slot];
    int *view = &v->views[v->slot++];
    *view = !a->pointer ? -1 : t ? view_dims(t) : 0;
    if (a->pointer && *view < 0 && v->diags)
        diag(v->diags, DIAG_WARNING, p->span,
             "`%s` is a bare pointer: what is accessed through it is not checked", p->name);
}

/* NULL when accesses are not to be checked.  Says what cannot be, to whoever asked. */
static const int *views_of(const Request *r, Arena *a, Diags *d)
{
    const FrontKernel *k = r->kernel->signature;
    Views v = {r->binding, r->checks_unasked ? NULL : d, NEW_N(a, int, r->binding->nslots + 1), 0};

    if (!r->options.check)
        return NULL;
    for (int i = 0; i < k->nparams; i++)
        find_views(&v, &k->params[i], &r->binding->params[i]);
    return v.views;
}

/* Is the IR verified after every pass?  Debug builds always do, others when they are told to; the
 * tests tell them. */
static bool verifies(void)
{
#ifdef NDEBUG
    return os_env("TILEC_VERIFY") != NULL;
#else
    return true;
#endif
}

/* All floats as fp64; false after an error. */
static bool widen(Module *m, Diags *d)
{
    int errors = diag_errors(d);

    opt_inline(m, d);
    if (diag_errors(d) > errors)
        return false;
    opt_expand_blocks(m);
    check_widen(module_kernel(m));
    return !verifies() || ir_verify(m, d);
}

/* Sums of products with one rounding, for every device; false after an error. */
static bool fuse(Module *m, Diags *d)
{
    int errors = diag_errors(d);

    opt_fuse(m, d);
    return diag_errors(d) == errors && (!verifies() || ir_verify(m, d));
}

/* `bounded` NULL, or what is to be programs_bounded_by_data(). */
static const Func *lower_kernel(const Request *r, Arena *a, Diags *d, bool *bounded)
{
    const FrontKernel *k = r->kernel->signature;
    const Device *device = device_at(r->device);
    const CheckWish wish = {.views = views_of(r, a, d),
                            .values = !r->checks_unasked,
                            .stores = !r->checks_unasked && device->finds_races,
                            .names = request_names(r)};
    const FrontLaunch launch = {.num_warps = device->schedules ? r->binding->num_warps : 0,
                                .drops_asserts = r->binding->drops_asserts,
                                .finds_overflow = r->binding->finds_overflow,
                                .wide_floats = r->options.wide_floats == 2};
    Module *m = front_lower(r->file->parsed, r->kernel->name, r->binding->params, k->nparams,
                            &launch, a, d);

    if (!m)
        return NULL;
    if (!r->options.wide_floats)
        suspect_warn_of_all(m, d);
    Func *f = module_kernel(m);
    if (f->num_warps == 0)
        f->num_warps = r->binding->num_warps;
    f->num_stages = r->binding->num_stages;
    f->maxnreg = r->binding->maxnreg;
    if (bounded)
        *bounded = programs_bounded_by_data(m);
    if (!check_records(m, &wish, d))
        return NULL;
    if (r->options.wide_floats && !widen(m, d))
        return NULL;
    if (r->binding->fuses && !fuse(m, d))
        return NULL;
    return module_kernel(m);
}

const Func *compile_lower(const Request *r, Arena *a, Diags *d)
{
    return lower_kernel(r, a, d, NULL);
}

const Func *compile_optimise(const Func *f, const Device *device, const Target *target,
                             const GenOptions *o, Diags *d)
{
    OptOptions options = {.native = target ? target->native_math : NULL,
                          .straight_math = target && target->straight_math,
                          .windows = target && target->windows && !o->debug,
                          .schedules = device->schedules,
                          .disjoint = o->disjoint,
                          .takes = target ? target->takes : NULL,
                          .verify = verifies()};

    module_kernel(f->module)->most_programs = o->few_programs ? ir_most_programs(f->module) : 0;
    return opt_run(f->module, &options, d) ? module_kernel(f->module) : NULL;
}

static const Target *target_of_plugin(const GenPlugin *p, const char *name)
{
    for (int i = 0; i < p->ntargets; i++) {
        if (strcmp(p->targets[i]->name, name) == 0)
            return p->targets[i];
    }
    return NULL;
}

const Target *compile_target(tilec_context *ctx, const Device *d, Arena *a, const char **why)
{
    const GenPlugin *p = atomic_load_explicit(&ctx->plugin, memory_order_acquire);

    if (d->target)
        return d->target;
    if (!p)
        p = ctx->plugin_path ? run_plugin_at(a, ctx->plugin_path, why)
                             : run_plugin_or_last(a, ctx->last_plugin, why);
    if (!p)
        return NULL;
    atomic_store_explicit(&ctx->plugin, p, memory_order_release);
    *why = "the code generator has no target for this device";
    return target_of_plugin(p, d->target_name);
}

/* One form for all grids is what `unspecialised` asks for. */
static bool has_few_programs(const Request *r, int32_t most)
{
    bool few = most > 0 && !r->options.unspecialised;

    for (int i = 0; few && r->grid && i < 3; i++)
        few = r->grid[i] <= most;
    return few;
}

GenOptions compile_options(const Request *r, const Device *d, uint64_t stored,
                           int32_t most_programs)
{
    LaunchFacts facts = {.arch = r->binding->arch,
                         .lines = r->detail >= TILEC_DEBUG_LINES,
                         .debug = r->detail >= TILEC_DEBUG_NAMES,
                         .spans = r->options.on_span != NULL,
                         .few_programs = has_few_programs(r, most_programs),
                         .programs = r->programs,
                         .threads = r->options.threads};

    if (!d->options)
        return (GenOptions){0};
    facts.disjoint = memory_disjoint(r->binding, stored, &facts.bytes);
    GenOptions o = d->options(&facts);
    o.folder = facts.lines ? r->file->folder : NULL;
    o.no_tensors = r->no_tensors;
    return o;
}

/* --- one request on its way --- */

typedef struct {
    Request *request;
    const Device *device;
    Specialisation *spec;
    const Func *func;   /* as lowered, in `ir`; NULL before that */
    int values;         /* that it has, as lowered */
    Arena *ir;          /* of its own, since a device may run what is in it */
    GenOptions options; /* for this launch */
    int index;          /* of the variant that it wants */
    bool claimed;       /* to be made here */
    void *begun;        /* what the device has begun for it; NULL: nothing */
    Variant *variant;   /* that was made */
    double start;
} Compilation;

/* --- optimise and generate: what a cache miss costs --- */

static bool knows_arch(const Target *t, const char *arch)
{
    for (int i = 0; t->archs && t->archs[i]; i++) {
        if (strcmp(t->archs[i], arch) == 0)
            return true;
    }
    return !t->archs;
}

tilec_status compile_check_arch(Job *job, const Target *t, const char *arch)
{
    Text all = text_new(job->arena);

    if (knows_arch(t, arch))
        return TILEC_OK;
    for (int i = 0; t->archs[i]; i++)
        text_printf(&all, "%s%s", i == 0 ? "" : t->archs[i + 1] ? ", " : " and ", t->archs[i]);
    job_refuse(job, TILEC_NOT_FOUND, "no code can be made for `%s`", arch);
    diag(job->diags, DIAG_HINT, (Span){0}, "there are %s", all.s);
    return TILEC_NOT_FOUND;
}

/* What the target makes code of. */
static tilec_status optimise_for(Job *job, const Func *lowered, const Device *device,
                                 const Target *target, const GenOptions *o, const Func **out)
{
    tilec_status known = compile_check_arch(job, target, o->cpu);

    if (known != TILEC_OK)
        return known;
    *out = compile_optimise(lowered, device, target, o, job->diags);
    if (!*out || !opt_refuse_asm((*out)->module, target->takes, device->name, job->diags))
        return TILEC_REFUSED;
    return TILEC_OK;
}

tilec_status compile_emit(Job *job, const Func *lowered, const Device *device, const Target *target,
                          const GenOptions *o, GenStage stage, GenOutput *out)
{
    const Func *f;
    tilec_status status = optimise_for(job, lowered, device, target, o, &f);

    if (status != TILEC_OK)
        return status;
    return target->emit(f, o, stage, job->arena, out, job->diags) ? TILEC_OK : TILEC_FAILED;
}

/* What the device makes of a target's output; *wish: the budget that would have been better. */
static tilec_status assemble(Job *job, const Request *r, const GenOptions *o, void **begun,
                             GenOutput *out, GenBudget *wish)
{
    const Device *d = device_at(r->device);
    const GenOutput made = *out;
    char *error = NULL;

    if (!d->assemble)
        return TILEC_OK;
    void *state = api_device_state(r->file->ctx, r->device);
    RunStatus assembled = d->assemble(state, *begun, &made, o, job->arena, out, wish, &error);
    *begun = NULL;
    return job_device_status(job, assembled, error);
}

/* The target's output as the device keeps it. */
static tilec_status make_object(Job *job, const Request *r, const Func *f, const Target *target,
                                const GenOptions *o, void **begun, GenOutput *out, GenBudget *wish,
                                CompileParts *parts)
{
    double start = os_seconds();

    *wish = o->budget;
    if (!target->emit(f, o, GEN_OBJECT, job->arena, out, job->diags))
        return TILEC_FAILED;
    double emitted = os_seconds();
    tilec_status status = assemble(job, r, o, begun, out, wish);
    parts->emit += emitted - start;
    parts->assemble += device_at(r->device)->assemble ? os_seconds() - emitted : 0;
    return status;
}

tilec_status compile_object(Job *job, const Request *r, const Func *lowered, const Target *target,
                            const GenOptions *o, void **begun, GenOutput *out, CompileParts *parts)
{
    double start = os_seconds();
    GenOptions other = *o;
    GenOutput tried;
    GenBudget wish;
    const Func *f;
    tilec_status status = optimise_for(job, lowered, device_at(r->device), target, o, &f);

    parts->emit = os_seconds() - start;
    parts->assemble = 0;
    if (status == TILEC_OK)
        status = make_object(job, r, f, target, o, begun, out, &other.budget, parts);
    while (status == TILEC_OK && other.budget != o->budget) {
        status = make_object(job, r, f, target, &other, begun, &tried, &wish, parts);
        if (wish == other.budget) {
            *out = tried;
            return status;
        }
        other.budget = wish; /* one fewer, or as before: it did not turn out better */
    }
    return status;
}

static tilec_status generate(Job *job, Compilation *c, GenOutput *out)
{
    CompileParts *parts = &c->variant->parts;
    double start = os_seconds();
    const char *why;

    c->begun = c->device->expect ? c->device->expect(&c->options) : NULL;
    const Target *target = compile_target(c->request->file->ctx, c->device, job->arena, &why);

    if (!target)
        return job_refuse(job, TILEC_FAILED, "no code generator: %s", why);
    parts->generator = os_seconds() - start;
    return compile_object(job, c->request, c->func, target, &c->options, &c->begun, out, parts);
}

/* --- load --- */

static RunStatus load_output(Compilation *c, const GenOutput *output, const char **why)
{
    const DeviceObject object = {output, c->func};

    if (output) {
        c->variant->recipe = output->recipe;
        c->variant->whole = output->parts == 1;
    }
    return c->device->load(&object, &c->variant->code, why);
}

/* The code that the cache has; false for a miss, or when it is an object that does not load: made
 * by an earlier version, or forged. */
static bool load_cached(Job *job, Compilation *c, Cache *cache, Hash128 key)
{
    const char *why;
    GenOutput object;

    if (!cache_get(cache, key, job->arena, &object))
        return false;
    RunStatus status = load_output(c, &object, &why);
    if (status == RUN_BAD_OBJECT)
        cache_remove(cache, key);
    c->variant->from_cache = status == RUN_OK;
    return status == RUN_OK;
}

static tilec_status refuse_load(Job *job, RunStatus status, const char *why)
{
    return job_refuse(job, status == RUN_NO_MEMORY ? TILEC_NO_MEMORY : TILEC_FAILED,
                      "the compiled kernel cannot be loaded: %s", why);
}

static const double slow = 1; /* seconds */

/* Making code took long: say so where a loop that is unrolled makes most of what there is. */
static void tell_slow(Job *job, const Compilation *c, double seconds)
{
    const Unrolled *most = ir_most_unrolled(c->func->module, c->values);

    if (!most)
        return;
    diag(job->diags, DIAG_WARNING, most->span,
         "compiling took %.1f s: this loop is unrolled %d times, with what is in it to %d of the "
         "kernel's %d operations",
         seconds, most->rounds, most->values, c->values);
    diag(job->diags, DIAG_HINT, (Span){0},
         "`range` in the place of `tl.static_range` keeps a loop, if nothing in it has "
         "to be a constant");
}

/* What makes the device's code. */
static const char *target_text(const Device *d, Arena *a)
{
    return arena_printf(a, "%s %s", d->target_name, d->assemble ? d->assembler() : "");
}

/* An object from the cache, or a new one. */
static tilec_status load_object(Job *job, Compilation *c)
{
    Cache *cache = c->request->file->ctx->cache;
    GenOutput object;
    const char *why;

    if (!c->device->schedules)
        opt_drop_schedule(c->func->module); /* code that is the same has the same key */
    Hash128 key = cache_key(c->func, target_text(c->device, job->arena), &c->options, job->arena);
    if (load_cached(job, c, cache, key))
        return TILEC_OK;
    tilec_status status = generate(job, c, &object);
    if (status != TILEC_OK)
        return status;
    double seconds = c->variant->parts.emit + c->variant->parts.assemble;
    if (seconds > slow)
        tell_slow(job, c, seconds);
    double start = os_seconds();
    RunStatus loaded = load_output(c, &object, &why);
    if (loaded != RUN_OK)
        return refuse_load(job, loaded, why);
    cache_put(cache, key, &object); /* a full disk is no reason to fail */
    c->variant->parts.keep = os_seconds() - start;
    return TILEC_OK;
}

/* For a device that runs IR as it was lowered, but for handles. */
static tilec_status load_lowered(Job *job, Compilation *c)
{
    const char *why;

    const OptOptions options = {.schedules = c->device->schedules};
    opt_legalise(c->func->module, &options, job->diags);
    if (diag_errors(job->diags) > 0 ||
        !opt_refuse_asm(c->func->module, NULL, c->device->name, job->diags))
        return TILEC_REFUSED;
    RunStatus loaded = load_output(c, NULL, &why);
    if (loaded != RUN_OK)
        return refuse_load(job, loaded, why);
    c->variant->ir = c->ir;
    c->ir = NULL;
    return TILEC_OK;
}

/* --- all of it --- */

static tilec_status lower(Job *job, Compilation *c)
{
    Specialisation *s = c->spec;

    if (c->func)
        return TILEC_OK;
    c->ir = arena_new(&job->guard);
    bool bounded = false;
    c->func = lower_kernel(c->request, c->ir, job->diags, &bounded);
    if (!c->func)
        return TILEC_REFUSED;
    c->values = c->func->nvalues;
    if (!atomic_load_explicit(&s->lowered, memory_order_relaxed)) {
        s->use = ir_memory_use(c->func, job->arena);
        s->programs = programs_of(c->func);
        s->programs.bounded_by_data = bounded;
        s->most_programs = ir_most_programs(c->func->module);
        s->roams = (s->use.loaded | s->use.stored) == EVERY_PARAM;
        speech_prepare(s, c->request, c->func, &job->guard);
        atomic_store_explicit(&s->lowered, true, memory_order_release);
    }
    return TILEC_OK;
}

/* Find out what is wanted, which needs the IR the first time, and that nobody else is at it. */
static tilec_status choose_variant(Job *job, Compilation *c)
{
    Specialisation *s = c->spec;
    bool known = atomic_load_explicit(&s->lowered, memory_order_relaxed);
    tilec_status status = known ? TILEC_OK : lower(job, c);

    if (status != TILEC_OK)
        return status;
    c->options = compile_options(c->request, c->device, s->use.stored, s->most_programs);
    c->index = spec_variant_index(&c->options);
    while (s->making[c->index])
        job_wait(job, c->request->file);
    return TILEC_OK;
}

/* Under the file's lock. */
static tilec_status prepare(Job *job, void *compilation)
{
    Compilation *c = compilation;
    Request *r = c->request;
    tilec_status status = bind_request(r, job);

    if (status != TILEC_OK)
        return status;
    c->spec = spec_find(r->file, r->binding);
    if (!c->spec && !(c->spec = spec_add(r->file, r->binding)))
        return TILEC_NO_MEMORY;
    status = choose_variant(job, c);
    if (status != TILEC_OK || spec_ready(r))
        return status; /* another thread was faster */
    status = lower(job, c);
    c->claimed = status == TILEC_OK;
    if (c->claimed)
        c->spec->making[c->index] = true;
    return status;
}

static tilec_status make_variant(Job *job, void *compilation)
{
    Compilation *c = compilation;

    if (!c->claimed)
        return TILEC_OK;
    c->variant = calloc(1, sizeof *c->variant);
    if (!c->variant)
        return TILEC_NO_MEMORY;
    c->variant->device = c->device;
    c->variant->spans = c->options.spans;
    c->variant->clocks = c->options.clocks;
    tilec_status status = c->device->target_name ? load_object(job, c) : load_lowered(job, c);
    c->variant->seconds = os_seconds() - c->start;
    return status;
}

/* Under the file's lock: show what was made, or free what there is of it. */
static void publish(Job *job, void *compilation, tilec_status status)
{
    Compilation *c = compilation;
    Specialisation *s = c->spec;

    if (c->begun) /* making code was left early */
        c->device->abandon(c->begun);
    if (status != TILEC_OK)
        spec_free_variant(c->variant);
    arena_free(c->ir);
    if (!c->claimed)
        return;
    if (status == TILEC_OK) {
        atomic_store_explicit(&s->variants[c->index], c->variant, memory_order_release);
        job->repeats = s->told;
        s->told = true;
    }
    s->making[c->index] = false;
    pthread_cond_broadcast(&c->request->file->made);
}

tilec_status compile_request(Request *r, char **error, char **message)
{
    static const FileJob steps = {.locked = prepare, .unlocked = make_variant, .finish = publish};
    Compilation c = {.request = r, .device = device_at(r->device), .start = os_seconds()};

    return job_run_on_file(r->file, &steps, &c, error, message);
}
