/*
 * versus.h - run one kernel through the interpreter and through a target, and compare
 *
 * For tests that write IR text on the fly.  The interpreter runs the text as it stands; the CPU
 * target, the GPU target in the simulator, or the interpreter again, what the passes have made of
 * it.  On one side of every array lies a page that cannot be touched, on the other guard elements,
 * which are compared too.  Scratch memory begins as NaN and ends at such a page.
 *
 * With TILEC_VERSUS_DEVICE=NAME in the environment the device of this name stands in for all
 * engines but the interpreter.
 */
#ifndef TILEC_TEST_VERSUS_H
#define TILEC_TEST_VERSUS_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../../src/interp/interp.h"
#include "../../src/opt_target/opt_target.h"
#include "../../src/device/device.h"
#include "../../src/device_cpu/device_cpu.h"
#include "../../src/sim/sim.h"

#include "made.h"

enum { VERSUS_PARAMS = 160, VERSUS_GUARD = 40 };

/* A kernel's argument: an array of n elements, or a scalar when n is 0. */
typedef struct {
    DType dtype;
    size_t n;
    const void *start; /* the array's first contents; NULL: zeros */
    uint64_t bits;     /* the scalar */
    double close;      /* difference allowed, relative above 1 and absolute below; 0: no bit */
    int inside;        /* 1 + the number of the earlier array that this one is a part of, or 0 */
    size_t offset;     /* where in that one it begins, in elements of one byte or more */
} Argument;

typedef struct {
    Arena *arena;
    const GenPlugin *plugin;
    const char *text;
    Argument params[VERSUS_PARAMS];
    int nparams;
    int32_t grid[3];
    int warps;        /* that are wished for; 0: nothing */
    const char *chip; /* that is simulated; NULL: the newest */
    bool aligned;     /* all arrays begin at a page; else every second one ends there */
} Case;

typedef enum {
    ENGINE_INTERP,
    ENGINE_CPU,
    ENGINE_CPU_DISJOINT,
    ENGINE_CPU_STREAMING,
    ENGINE_CPU_ALONE, /* as a launch on one thread says it (GEN_ALONE) */
    ENGINE_SIM,
    ENGINE_SIM_DISJOINT
} Engine;

static inline const char *engine_name(Engine e)
{
    static const char *const names[] = {
        "interpreter on optimised IR", "CPU, may alias", "CPU, disjoint",
        "CPU, disjoint, streaming",    "CPU, alone",     "GPU simulator, may alias",
        "GPU simulator, disjoint"};
    return names[e];
}

/* --- random numbers --- */

static inline uint64_t random_bits(uint64_t *state)
{
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static inline int random_below(uint64_t *state, int n)
{
    return (int)(random_bits(state) % (uint64_t)n);
}

/* --- arrays --- */

typedef struct {
    uint8_t *start;
    size_t bytes; /* without the forbidden pages around it */
} Pages;

static inline Pages pages_new(size_t bytes)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    Pages p = {.bytes = (bytes + page - 1) / page * page};
    p.start = mmap(NULL, p.bytes + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p.start == MAP_FAILED)
        bug("no memory for a test's array");
    p.start += page;
    mprotect(p.start, p.bytes, PROT_READ | PROT_WRITE);
    return p;
}

static inline void pages_free(Pages p)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    munmap(p.start - page, p.bytes + 2 * page);
}

typedef struct {
    Pages pages[VERSUS_PARAMS]; /* none for scalars and parts of others */
    uint64_t slots[VERSUS_PARAMS];
} Arrays;

/* Whether array i ends at its last page; the guard elements are then in front of it. */
static inline bool versus_ends(const Case *c, int i)
{
    return !c->aligned && i % 2 == 0;
}

static inline Arrays versus_arrays(const Case *c)
{
    Arrays a = {{{NULL, 0}}, {0}};
    for (int i = 0; i < c->nparams; i++) {
        const Argument *p = &c->params[i];
        size_t size = (size_t)dtype_size(p->dtype), bytes = p->n * size;
        a.slots[i] = p->bits;
        if (p->inside > 0)
            a.slots[i] = a.slots[p->inside - 1] + p->offset * size;
        if (p->n == 0 || p->inside > 0)
            continue;
        Pages *pages = &a.pages[i];
        *pages = pages_new(bytes + VERSUS_GUARD * size);
        memset(pages->start, p->dtype == DT_I1 ? 1 : 0x5a, pages->bytes);
        uint8_t *at = versus_ends(c, i) ? pages->start + pages->bytes - bytes : pages->start;
        memset(at, 0, bytes);
        if (p->start != NULL)
            memcpy(at, p->start, bytes);
        a.slots[i] = (uint64_t)(uintptr_t)at;
    }
    return a;
}

static inline void versus_free(const Case *c, const Arrays *a)
{
    for (int i = 0; i < c->nparams; i++) {
        if (a->pages[i].start != NULL)
            pages_free(a->pages[i]);
    }
}

/* The device that stands in for all engines but the interpreter; NULL: none does. */
static inline const Device *versus_device(void)
{
    const char *name = os_env("TILEC_VERSUS_DEVICE");
    int i = name != NULL ? device_find(name) : -1;
    if (name != NULL && i < 0)
        bug("no device is called %s", name);
    return name != NULL ? device_at(i) : NULL;
}

static inline bool versus_is_sim(Engine engine)
{
    return engine == ENGINE_SIM || engine == ENGINE_SIM_DISJOINT;
}

/* By code for GPUs. */
static inline bool versus_is_gpu(Engine engine)
{
    return versus_is_sim(engine) || (engine != ENGINE_INTERP && versus_device() != NULL);
}

/* fp8e4b15 has no NaN, but its largest value instead; of which sign, a GPU does not keep. */
static inline bool versus_was_nan(const Argument *p, uint64_t a, uint64_t b)
{
    enum { MAGNITUDE = 0x7f, LARGEST = 0x7e };
    return p->dtype == DT_FP8E4B15 && (a & MAGNITUDE) == LARGEST && (b & MAGNITUDE) == LARGEST;
}

static inline bool versus_same(const Argument *p, uint64_t a, uint64_t b, Engine engine)
{
    if (a == b || (versus_is_gpu(engine) && versus_was_nan(p, a, b)))
        return true;
    if (!dtype_is_float(p->dtype))
        return false;
    double x = scalar_to_double(p->dtype, a), y = scalar_to_double(p->dtype, b);
    if (isnan(x) || isnan(y))
        return isnan(x) && isnan(y);
    return p->close > 0 && fabs(x - y) <= p->close * fmax(1, fabs(x));
}

static inline bool versus_compare(const Case *c, const Arrays *want, const Arrays *got,
                                  Engine engine, Text *why)
{
    int wrong = 0;
    for (int i = 0; i < c->nparams; i++) {
        const Argument *p = &c->params[i];
        size_t size = (size_t)dtype_size(p->dtype);
        long first = versus_ends(c, i) ? -VERSUS_GUARD : 0, n = (long)p->n + VERSUS_GUARD;
        for (long k = first; want->pages[i].start != NULL && k < first + n; k++) {
            uint64_t a = 0, b = 0;
            memcpy(&a, (uint8_t *)(uintptr_t)want->slots[i] + k * (long)size, size);
            memcpy(&b, (uint8_t *)(uintptr_t)got->slots[i] + k * (long)size, size);
            if (versus_same(p, a, b, engine) || wrong++ >= 8)
                continue;
            text_printf(
                why, "%s: parameter %d (%s), element %ld: wanted %.9g (%llx), got %.9g (%llx)\n",
                engine_name(engine), i, dtype_name(p->dtype), k, scalar_to_double(p->dtype, a),
                (unsigned long long)a, scalar_to_double(p->dtype, b), (unsigned long long)b);
        }
    }
    return wrong == 0;
}

/* --- running --- */

static inline Func *versus_kernel(const Module *m)
{
    for (int i = 0; i < m->nfuncs; i++) {
        if (m->funcs[i]->is_kernel)
            return m->funcs[i];
    }
    return NULL;
}

static inline Module *versus_read(const Case *c, Diags *d)
{
    const Source *src = source_add(diags_sources(d), "kernel.ir", c->text, strlen(c->text));
    return ir_read(c->arena, interner_new(c->arena), src, d);
}

static inline int64_t versus_programs(const Case *c)
{
    return (int64_t)c->grid[0] * c->grid[1] * c->grid[2];
}

static inline bool versus_interpret(const Case *c, const Module *m, const Arrays *arrays, Diags *d)
{
    InterpLaunch launch = {.args = arrays->slots, .last = versus_programs(c)};
    memcpy(launch.grid, c->grid, sizeof c->grid);
    return interp_run(versus_kernel(m), &launch, d) == INTERP_OK;
}

static inline const Target *versus_target_named(const Case *c, const char *name)
{
    for (int i = 0; i < c->plugin->ntargets; i++) {
        if (strcmp(c->plugin->targets[i]->name, name) == 0)
            return c->plugin->targets[i];
    }
    bug("the plugin has no target '%s'", name);
}

static inline const Target *versus_target(const Case *c, Engine engine)
{
    return versus_target_named(c, versus_is_sim(engine) ? "nv" : "cpu");
}

/* Code for these arguments: without tensor maps where they give none. */
static inline bool versus_emit(const Case *c, const Target *t, const Module *m, GenOptions *o,
                               const Arrays *arrays, GenOutput *out, Diags *d)
{
    if (!made(t, versus_kernel(m), o, GEN_OBJECT, c->arena, out, d))
        return false;
    o->no_tensors = !device_maps_fit(&out->recipe, arrays->slots);
    return !o->no_tensors || made(t, versus_kernel(m), o, GEN_OBJECT, c->arena, out, d);
}

/* The tensor maps of a recipe, where programs find them. */
typedef struct {
    _Alignas(TENSOR_MAP_ALIGN) unsigned char bytes[GEN_MAPS][TENSOR_MAP_BYTES];
} Maps;

static inline void versus_encode(const GenRecipe *r, uint64_t *args, Maps *maps)
{
    for (int i = 0; i < r->nmaps; i++) {
        TensorMap map;
        const char *why = device_tensor_map(&r->maps[i], args, &map);
        if (why == NULL)
            why = sim_encode_tensor_map(&map, maps->bytes[i]);
        if (why != NULL)
            bug("%s", why);
        args[r->maps[i].arg] = (uint64_t)(uintptr_t)maps->bytes[i];
    }
}

static inline bool versus_simulated(const Case *c, const Module *m, const Arrays *arrays,
                                    Engine engine, Diags *d, Text *why)
{
    GenOptions o = {.cpu = c->chip ? c->chip : "sm_90a", .disjoint = engine == ENGINE_SIM_DISJOINT};
    GenOutput out;
    SimModule *code = NULL;
    SimError error;
    uint64_t args[VERSUS_PARAMS + GEN_MAPS];
    Maps maps;
    if (!versus_emit(c, versus_target(c, engine), m, &o, arrays, &out, d))
        return false;
    memcpy(args, arrays->slots, sizeof arrays->slots);
    versus_encode(&out.recipe, args, &maps);
    SimStatus status = sim_load(out.data, out.len, &code, &error);
    if (status == SIM_OK) {
        SimLaunch launch = {.grid = {c->grid[0], c->grid[1], c->grid[2]},
                            .warps = out.warps,
                            .shared = out.shared,
                            .args = args,
                            .nranges = -1};
        status = sim_launch(sim_kernel(code, NULL), &launch, &error);
    }
    if (status != SIM_OK)
        text_printf(why, "%s\n%s", sim_error_text(&error, c->arena), (char *)out.data);
    sim_unload(code);
    return status == SIM_OK;
}

/* The programs run in two halves. */
static inline bool versus_compiled(const Case *c, const Module *m, const Arrays *arrays,
                                   Engine engine, Diags *d, Text *why)
{
    GenOptions o = {.cpu = host_cpu_name(), .features = host_cpu_features()};
    o.disjoint = engine != ENGINE_CPU;
    o.streaming = engine == ENGINE_CPU_STREAMING;
    GenOutput out;
    Code *code = NULL;
    const char *reason = NULL;
    if (!made(versus_target(c, engine), versus_kernel(m), &o, GEN_OBJECT, c->arena, &out, d))
        return false;
    if (code_load(out.data, out.len, &code, &reason) != RUN_OK) {
        text_printf(why, "the object does not load: %s\n", reason);
        return false;
    }
    CpuKernel *kernel = (CpuKernel *)code_symbol(code, "tilec_kernel");
    size_t bytes = (out.scratch + 63) / 64 * 64;
    Pages pages = pages_new(bytes);
    void *scratch = pages.start + pages.bytes - bytes;
    memset(scratch, 0xff, bytes);
    memset(scratch, 0, MIN(bytes, (size_t)GEN_CLEARED));
    if (engine == ENGINE_CPU_ALONE)
        *(int64_t *)((char *)scratch + GEN_ALONE) = 1;
    int64_t programs = versus_programs(c), half = programs / 2;
    kernel(arrays->slots, c->grid, 0, half, scratch);
    kernel(arrays->slots, c->grid, half, programs, scratch);
    pages_free(pages);
    code_free(code);
    return true;
}

static inline const Target *versus_device_target(const Case *c, const Device *device)
{
    return versus_target_named(c, device->target_name);
}

/* What the device keeps, for all kernels of this process. */
static inline void *versus_state(const Device *device)
{
    static void *state;
    if (state == NULL && device->open != NULL)
        state = device->open();
    return state;
}

/* Copy an array, the guards around it included, to the memory at `there` or back. */
static inline RunStatus versus_move(const Device *device, Pages p, void *there, bool back,
                                    char **error)
{
    DeviceCopy copy = {.to = there, .from = p.start, .bytes = p.bytes};
    copy.to_memory = MEMORY_DEVICE;
    if (back) {
        copy.to = p.start;
        copy.from = there;
        copy.to_memory = MEMORY_HOST;
        copy.from_memory = MEMORY_DEVICE;
    }
    return device->arrays->copy(versus_state(device), &copy, error);
}

/* Launch where all arrays lie in memory of the device's own, and fetch them. */
static inline RunStatus versus_away(const Case *c, const Device *device, void *code,
                                    const Arrays *arrays, DeviceLaunch *launch, char **error)
{
    void *there[VERSUS_PARAMS] = {NULL}, *state = versus_state(device);
    uint64_t slots[VERSUS_PARAMS];
    RunStatus status = RUN_OK;
    for (int i = 0; i < c->nparams && status == RUN_OK; i++) {
        const Argument *p = &c->params[i];
        Pages pages = arrays->pages[i];
        slots[i] = arrays->slots[i];
        if (p->inside > 0)
            slots[i] = slots[p->inside - 1] + p->offset * (size_t)dtype_size(p->dtype);
        if (pages.start == NULL)
            continue;
        status = device->arrays->alloc(state, 0, pages.bytes, &there[i], error);
        if (status == RUN_OK)
            status = versus_move(device, pages, there[i], false, error);
        slots[i] += (uint64_t)(uintptr_t)there[i] - (uint64_t)(uintptr_t)pages.start;
    }
    launch->args = slots;
    if (status == RUN_OK)
        status = device->launch(state, code, launch, error);
    if (status == RUN_OK)
        status = device->arrays->wait(state, 0, NULL, error);
    for (int i = 0; i < c->nparams; i++) {
        if (there[i] != NULL && status == RUN_OK)
            status = versus_move(device, arrays->pages[i], there[i], true, error);
        char *ignored = NULL;
        if (there[i] != NULL)
            device->arrays->release(state, 0, there[i], &ignored);
        free(ignored);
    }
    return status;
}

/* What the kernel may touch. */
static inline int versus_ranges(const Case *c, const Arrays *arrays, MemoryRange *ranges)
{
    int n = 0;
    for (int i = 0; i < c->nparams; i++) {
        const Argument *p = &c->params[i];
        size_t bytes = p->n * (size_t)dtype_size(p->dtype);
        if (bytes > 0)
            ranges[n++] = (MemoryRange){.address = arrays->slots[i], .bytes = bytes};
    }
    return n;
}

static inline bool versus_launched(const Case *c, const Module *m, const Arrays *arrays,
                                   Engine engine, Diags *d, Text *why)
{
    const Device *device = versus_device();
    LaunchFacts facts = {.disjoint = engine != ENGINE_CPU && engine != ENGINE_SIM,
                         .arch = device_arch(device, 0)};
    GenOptions o = device->options != NULL ? device->options(&facts) : (GenOptions){NULL};
    GenOutput out;
    MemoryRange ranges[VERSUS_PARAMS];
    DeviceLaunch launch = {.args = arrays->slots,
                           .nargs = c->nparams,
                           .id = -1,
                           .records_arg = -1,
                           .ranges = ranges,
                           .nranges = -1};
    const char *reason = NULL;
    char *error = NULL;
    void *code = NULL;
    memcpy(launch.grid, c->grid, sizeof c->grid);
    if (!versus_emit(c, versus_device_target(c, device), m, &o, arrays, &out, d))
        return false;
    if (device->load(&(DeviceObject){.output = &out, .func = versus_kernel(m)}, &code, &reason) !=
        RUN_OK) {
        text_printf(why, "the code does not load: %s\n", reason != NULL ? reason : "");
        return false;
    }
    RunStatus status;
    if (device->arrays != NULL) {
        launch.id = 0;
        status = versus_away(c, device, code, arrays, &launch, &error);
    } else {
        launch.nranges = versus_ranges(c, arrays, ranges);
        status = device->launch(versus_state(device), code, &launch, &error);
    }
    if (status != RUN_OK)
        text_printf(why, "%s: %s\n", device->name, error ? error : run_status_text(status));
    free(error);
    device->unload(code);
    return status == RUN_OK;
}

/* True when the engine leaves in memory what the interpreter does with the text as it is. */
static inline bool versus_run(const Case *c, Engine engine, Text *why)
{
    Diags *d = diags_new(c->arena, NULL);
    Module *m = versus_read(c, d);
    Arrays want = versus_arrays(c), got = versus_arrays(c);
    const Device *device = engine != ENGINE_INTERP ? versus_device() : NULL;
    const Target *target =
        device != NULL ? versus_device_target(c, device) : versus_target(c, engine);
    OptOptions o = {
        .native = target->native_math, .straight_math = target->straight_math, .verify = true};
    o.schedules = device != NULL ? device->schedules : versus_is_sim(engine);
    o.takes = device != NULL ? target->takes : NULL;
    o.windows = target->windows;
    if (m != NULL)
        versus_kernel(m)->num_warps = c->warps;
    bool ok = m != NULL && versus_interpret(c, m, &want, d) && opt_run(m, &o, d);
    if (ok && engine == ENGINE_INTERP)
        ok = versus_interpret(c, m, &got, d);
    else if (ok && device != NULL)
        ok = versus_launched(c, m, &got, engine, d, why);
    else if (ok && versus_is_sim(engine))
        ok = versus_simulated(c, m, &got, engine, d, why);
    else if (ok)
        ok = versus_compiled(c, m, &got, engine, d, why);
    if (!ok)
        text_printf(why, "%s: %s\n", engine_name(engine), diags_text(d, c->arena));
    ok = ok && versus_compare(c, &want, &got, engine, why);
    versus_free(c, &want);
    versus_free(c, &got);
    return ok;
}

#endif
