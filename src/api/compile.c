/*
 * compile.c - the compiler, on one page
 *
 *     parse     front_parse()    text -> syntax tree, once a file
 *     bind      bind_request()   arguments of a call -> types, constants, hints
 *     lower     front_lower()    syntax tree -> tile IR
 *     key       compile_key()    IR, options, machine, build -> 128 bits
 *     cache     cache_get()      key -> object, when it was made before; else
 *     optimise  opt_run()          IR -> better IR
 *     generate  Target.emit()      IR -> object
 *     load      code_load()      object -> code
 *
 * The key is made from the IR before the passes: they are a function of it and of the build, whose
 * id is in the key, so that a hit pays for neither passes nor LLVM.
 *
 * This file also holds the boundary of src/api/ that fail() and a lack of memory leave to:
 * everything here that allocates in an arena runs as a job.  Three more have a boundary each: to
 * the interpreter a lack of memory is a result (interp.c, count.c), a target must give LLVM's
 * memory back (gen/cpu.c), and the command ends with an exit code (cli/main.c).
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api.h"

#define MAX_SOURCE ((size_t)256 << 20)
/* What every device that compiles uses. */
static const char target_name[] = "cpu";
/* Launches that move less are never worth a look at the last-level cache. */
enum { SMALLEST_LLC = 1 << 20 };

/* the boundary */

typedef struct {
    Guard *guard;
    SourceMap *sources;
    JobFn *fn;
    void *what;
    Job job;
    tilec_status status;
    const char *text;
} Attempt;

/* Everything below runs inside of this.  False: it was left early, guard->why says how. */
static bool attempt(Attempt *t, void (*step)(Attempt *t))
{
    if (setjmp(t->guard->env) != 0)
        return false;
    step(t);
    return true;
}

static void run_step(Attempt *t)
{
    t->job.arena = arena_new(t->guard);
    t->job.diags = diags_new(t->job.arena, t->sources);
    t->status = t->fn(&t->job, t->what);
}

static void render_step(Attempt *t)
{
    t->text = diags_text(t->job.diags, t->job.arena);
}

/* What the job reported, for tilec_free(); NULL when that is nothing. */
static char *report_text(Attempt *t)
{
    bool any = t->job.diags && attempt(t, render_step) && t->text[0] != '\0';

    return any ? strdup(t->text) : NULL;
}

static char *error_text(Attempt *t)
{
    char *text = report_text(t);

    if (text)
        return text;
    return asprintf(&text, "error: %s\n", tilec_status_text(t->status)) < 0 ? NULL : text;
}

tilec_status job_run(Guard *guard, SourceMap *sources, JobFn *fn, void *what, char **error,
                     char **message)
{
    Attempt t = {.guard = guard, .sources = sources, .fn = fn, .what = what};

    if (!attempt(&t, run_step))
        t.status = guard->why == GUARD_NO_MEMORY ? TILEC_NO_MEMORY : TILEC_REFUSED;
    if (t.status != TILEC_OK && error)
        *error = error_text(&t);
    if (t.status == TILEC_OK && message)
        *message = t.job.repeats ? NULL : report_text(&t);
    arena_free(t.job.arena);
    return t.status;
}

tilec_status job_refuse(Job *job, tilec_status status, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    diag_v(job->diags, DIAG_ERROR, (Span){0}, fmt, ap);
    va_end(ap);
    return status;
}

/* parse */

/* The signature of one kernel, or the text that says what is wrong with it. */
static void describe_kernel(Job *job, tilec_file *f, Kernel *k)
{
    Diags *diags = diags_new(job->arena, f->sources);

    k->signature = front_kernel(f->parsed, k->name, f->arena, diags);
    if (k->signature && k->signature->nparams > MAX_PARAMS) {
        diag(diags, DIAG_ERROR, k->signature->span, "kernel `%s` has more than %d parameters",
             k->name, MAX_PARAMS);
        k->signature = NULL;
    }
    if (k->signature)
        bind_describe(f, k, f->arena);
    else
        k->problem = diags_text(diags, f->arena);
}

tilec_status compile_file(Job *job, void *load)
{
    LoadJob *l = load;
    tilec_file *f = l->file;
    char *text = NULL;
    size_t len = l->len;

    f->arena = arena_new(&f->guard);
    f->names = interner_new(f->arena);
    f->sources = source_map_new(f->arena);
    job->diags = diags_new(job->arena, f->sources);
    if (l->text)
        text = arena_strndup(f->arena, l->text, len);
    int status = l->text ? 0 : os_read_file(f->arena, l->path, MAX_SOURCE, &text, &len);
    if (status != 0)
        return job_refuse(job, TILEC_IO, "%s: %s", l->path, strerror(status));
    if (len > MAX_SOURCE)
        return job_refuse(job, TILEC_REFUSED, "%s: too large", l->path);
    f->source = source_add(f->sources, l->path, text, len);
    f->parsed = front_parse(f->arena, f->names, f->source, job->diags);
    if (!f->parsed)
        return TILEC_REFUSED;
    f->nkernels = front_kernel_count(f->parsed);
    f->kernels = NEW_N(f->arena, Kernel, MAX(f->nkernels, 1));
    for (int i = 0; i < f->nkernels; i++) {
        f->kernels[i] = (Kernel){.name = front_kernel_name(f->parsed, i), .index = i};
        describe_kernel(job, f, &f->kernels[i]);
    }
    f->only = front_only_kernel(f->parsed) < 0 ? NULL : &f->kernels[front_only_kernel(f->parsed)];
    return TILEC_OK;
}

/* lower, optimise, generate: the steps */

static const Func *kernel_of(const Module *m)
{
    for (int i = 0; i < m->nfuncs; i++)
        if (m->funcs[i]->is_kernel)
            return m->funcs[i];
    bug("a module without a kernel");
}

const Func *compile_lower(const Request *r, Arena *a, Diags *d)
{
    const FrontKernel *k = r->kernel->signature;
    const Module *m =
        front_lower(r->file->parsed, r->kernel->name, r->binding->params, k->nparams, a, d);

    return m ? kernel_of(m) : NULL;
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

const Func *compile_optimise(const Func *f, const Target *target, Diags *d)
{
    OptOptions options = {.native = target ? target->native_math : NULL, .verify = verifies()};

    return opt_run(f->module, &options, d) ? kernel_of(f->module) : NULL;
}

const Target *compile_target(tilec_context *ctx, Arena *a, const char **why)
{
    const GenPlugin *p = atomic_load_explicit(&ctx->plugin, memory_order_acquire);

    if (!p)
        p = run_plugin(a, why);
    if (!p)
        return NULL;
    atomic_store_explicit(&ctx->plugin, p, memory_order_release);
    for (int i = 0; i < p->ntargets; i++)
        if (strcmp(p->targets[i]->name, target_name) == 0)
            return p->targets[i];
    *why = "the code generator has no target for this CPU";
    return NULL;
}

/* What of the last-level cache a launch may count on.  Asking the system takes longer than one. */
static size_t llc_bytes(tilec_context *ctx)
{
    size_t bytes = atomic_load_explicit(&ctx->llc_bytes, memory_order_relaxed);

    if (bytes == 0) {
        bytes = os_last_level_cache_bytes();
        atomic_store_explicit(&ctx->llc_bytes, bytes, memory_order_relaxed);
    }
    return bytes;
}

GenOptions compile_options(const Request *r, uint64_t stored)
{
    GenOptions o = {.cpu = host_cpu_name(), .features = host_cpu_features()};
    double bytes;

    o.disjoint = memory_disjoint(r->binding, stored, &bytes);
    o.streaming = bytes > SMALLEST_LLC && bytes > (double)llc_bytes(r->file->ctx);
    return o;
}

/* key */

/* All of GenOptions.  That the list below has every field is for the compiler to check: one that
 * nobody printed would let launches find code that was made for others.  A promise of the launch
 * is also a bit of spec_variant_index(). */
static void put_options(Text *t, const GenOptions *o)
{
#pragma GCC diagnostic push
#pragma GCC diagnostic error "-Wmissing-field-initializers"
    const GenOptions all = {o->cpu, o->features, o->disjoint, o->streaming};
#pragma GCC diagnostic pop

    text_printf(t, "%s %s disjoint %d streaming %d", all.cpu, all.features, all.disjoint,
                all.streaming);
}

static Hash128 compile_key(const Func *f, const GenOptions *o, Arena *a)
{
    Text t = text_new(a);

    text_printf(&t, "tilec %s %s ", run_build_id(), target_name);
    put_options(&t, o);
    text_put(&t, "\n");
    text_put(&t, ir_print(f->module, a));
    return hash128_bytes(t.s, t.len);
}

/* optimise and generate: what a cache miss costs */

static tilec_status generate(Job *job, const Request *r, const Func *f, const GenOptions *o,
                             GenOutput *out)
{
    const char *why;
    const Target *target = compile_target(r->file->ctx, job->arena, &why);

    if (!target)
        return job_refuse(job, TILEC_FAILED, "no code generator: %s", why);
    f = compile_optimise(f, target, job->diags);
    if (!f)
        return TILEC_REFUSED;
    return target->emit(f, o, GEN_OBJECT, job->arena, out, job->diags) ? TILEC_OK : TILEC_FAILED;
}

/* load */

static RunStatus load(const GenOutput *object, Variant **out, const char **why)
{
    Variant *v = calloc(1, sizeof *v);

    *why = run_status_text(RUN_NO_MEMORY);
    if (!v)
        return RUN_NO_MEMORY;
    RunStatus status = code_load(object->data, object->len, &v->code, why);
    if (status == RUN_OK)
        v->entry = (CpuKernel *)code_symbol(v->code, "tilec_kernel");
    if (v->entry) {
        v->scratch = object->scratch;
        *out = v;
        return RUN_OK;
    }
    spec_free_variant(v);
    if (status != RUN_OK)
        return status;
    *why = "it has no entry";
    return RUN_BAD_OBJECT;
}

/* The code that the cache has; false for a miss, or when it is an object that does not load: made
 * by an earlier version, or forged. */
static bool load_cached(Job *job, Cache *cache, Hash128 key, Variant **out)
{
    const char *why;
    GenOutput object;

    if (!cache_get(cache, key, job->arena, &object))
        return false;
    RunStatus status = load(&object, out, &why);
    if (status == RUN_BAD_OBJECT)
        cache_remove(cache, key);
    return status == RUN_OK;
}

/* An object from the cache, or a new one. */
static tilec_status make_variant(Job *job, const Request *r, const Func *f, const GenOptions *o,
                                 Variant **out)
{
    Cache *cache = r->file->ctx->cache;
    Hash128 key = compile_key(f, o, job->arena);
    GenOutput object;
    const char *why;

    if (load_cached(job, cache, key, out)) {
        (*out)->from_cache = true;
        return TILEC_OK;
    }
    tilec_status status = generate(job, r, f, o, &object);
    if (status != TILEC_OK)
        return status;
    RunStatus loaded = load(&object, out, &why);
    if (loaded != RUN_OK)
        return job_refuse(job, loaded == RUN_NO_MEMORY ? TILEC_NO_MEMORY : TILEC_FAILED,
                          "the compiled kernel cannot be loaded: %s", why);
    cache_put(cache, key, &object); /* a full disk is no reason to fail */
    return TILEC_OK;
}

/* all of it */

/* The reference interpreter runs IR as it was lowered. */
static tilec_status make_interp(Job *job, const Request *r, Specialisation *s)
{
    double start = os_seconds();

    arena_free(s->arena); /* of an attempt that was left early */
    s->arena = NULL;
    s->arena = arena_new(&r->file->guard);
    s->func = compile_lower(r, s->arena, job->diags);
    s->seconds = os_seconds() - start;
    return s->func ? TILEC_OK : TILEC_REFUSED;
}

static tilec_status make_cpu(Job *job, const Request *r, Specialisation *s)
{
    double start = os_seconds();
    Variant *v = NULL;
    const Func *f = compile_lower(r, job->arena, job->diags);

    if (!f)
        return TILEC_REFUSED;
    if (!atomic_load_explicit(&s->ready, memory_order_relaxed))
        s->stored = ir_memory_use(f, job->arena).stored;
    GenOptions options = compile_options(r, s->stored);
    tilec_status status = make_variant(job, r, f, &options, &v);
    if (status != TILEC_OK)
        return status;
    v->seconds = os_seconds() - start;
    atomic_store_explicit(&s->variants[spec_variant_index(&options)], v, memory_order_release);
    return TILEC_OK;
}

tilec_status compile_request(Job *job, void *request)
{
    Request *r = request;
    tilec_status status = bind_request(r, job);

    if (status != TILEC_OK)
        return status;
    if (spec_ready(r))
        return TILEC_OK; /* another thread was faster */
    Specialisation *s = spec_find(r->file, r->binding);
    if (!s && !(s = spec_add(r->file, r->binding)))
        return TILEC_NO_MEMORY;
    job->repeats = atomic_load_explicit(&s->ready, memory_order_relaxed);
    status = r->device == DEVICE_INTERP ? make_interp(job, r, s) : make_cpu(job, r, s);
    if (status == TILEC_OK)
        atomic_store_explicit(&s->ready, true, memory_order_release);
    return status;
}
