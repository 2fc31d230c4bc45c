/*
 * test_gen.c - the CPU target, and the GPU target in the simulator, against the interpreter
 *
 * Every tests/gen/NAME.ir is run by the interpreter as it is written and by the CPU target after
 * the pass pipeline, on the same inputs, under several launch promises and program splits.  Lines
 * in front of the IR say how:
 *
 *     # grid: 3 2 1
 *     # close: 1e-5          relative error that is allowed; bit for bit without this line
 *     # x: randn 4096        a pointer: elements; also `ints N LO HI`, `zeros N`, `specials N`
 *     # n: 1000              a scalar
 *
 *     # gpu zeros: alike     in the simulator zeros of both signs are the same: of max(0, -0) it
 * gives the greater one, the interpreter the second
 *
 *     # parts: 16          in so many parts a program may be run, each on its own
 * (src/split/split.c), or `some`; 1 for none
 *
 *     # llvm: 4 = load <8    how often a text stands in the LLVM IR for AVX2; any number of lines
 *     # llvm of AVX-512: 0 x the same for AVX-512
 *
 * NAME.plan beside it, when there is one, is the wanted text of the plan for AVX-512, NAME.schedule
 * that of the schedules of its nests (TILEC_UPDATE=1 writes); NAME.vnni.plan and NAME.amx.plan
 * those for machines with more, NAME.neon.plan that for AArch64.
 *
 * Every case is also compiled with the lines of its source in it, which must not change the code.
 * Code is also made for machines of other widths than this one's, and run where this one has all
 * that they have.  Scratch memory ends where a page begins that nobody may touch.
 */
#include <dirent.h>
#include <elf.h>
#include <limits.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../../src/interp/interp.h"
#include "../../src/opt_target/opt_target.h"
#include "../../src/device_cpu/device_cpu.h"

#include "made.h"
#include <cmocka.h> /* after base.h: both have a fail() */

enum { MAX_PARAMS = 32, GUARD_ELEMENTS = 64 };

typedef struct {
    bool pointer;
    DType dtype;
    size_t n;
    uint8_t *start; /* what the case begins with */
    uint64_t bits;  /* of a scalar */
} Input;

typedef struct {
    Arena *arena;
    const char *name, *text;
    int32_t grid[3];
    double close;
    bool zeros_alike; /* for GPUs */
    Input inputs[MAX_PARAMS];
    int n;
} Case;

/* --- inputs --- */

static uint64_t random_bits(uint64_t *state)
{
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static double uniform(uint64_t *state)
{
    return (double)(random_bits(state) >> 11) / 9007199254740992.0;
}

static double special(uint64_t *state)
{
    static const double values[] = {0.0,   -0.0, 1.0,   -1.0, INFINITY, -INFINITY, NAN,
                                    1e-40, 3e38, 65504, 1e-7, 448,      0.1};
    uint64_t r = random_bits(state);
    return r % 3 == 0 ? values[(r >> 8) % COUNT(values)] : 8 * uniform(state) - 4;
}

static double draw(const char *kind, uint64_t *state, double lo, double hi)
{
    if (strcmp(kind, "zeros") == 0)
        return 0;
    if (strcmp(kind, "ints") == 0)
        return floor(lo + uniform(state) * (hi - lo));
    if (strcmp(kind, "specials") == 0)
        return special(state);
    return sqrt(-2 * log(1 - uniform(state))) * cos(6.283185307179586 * uniform(state));
}

static void fill_array(Case *c, Input *in, const char *spec, uint64_t seed)
{
    char kind[16];
    double lo = 0, hi = 0;
    size_t size = (size_t)dtype_size(in->dtype);
    if (sscanf(spec, "%15s %zu %lf %lf", kind, &in->n, &lo, &hi) < 2)
        fail_msg("%s: cannot read the input '%s'", c->name, spec);
    in->start = arena_alloc(c->arena, (in->n + 2 * GUARD_ELEMENTS) * size);
    for (size_t i = 0; i < in->n + 2 * GUARD_ELEMENTS; i++) {
        uint64_t bits = scalar_from_double(in->dtype, draw(kind, &seed, lo, hi));
        memcpy(in->start + i * size, &bits, size);
    }
}

static const char *directive(const Case *c, const char *key)
{
    char wanted[64];
    snprintf(wanted, sizeof wanted, "# %s:", key);
    const char *at = strstr(c->text, wanted);
    return at ? at + strlen(wanted) : NULL;
}

static void read_inputs(Case *c, const Func *f)
{
    for (c->n = 0; c->n < f->nparams && f->params[c->n].kind == PARAM_USER; c->n++)
        continue;
    for (int i = 0; i < c->n; i++) {
        const Type *t = f->body->args[i]->type;
        const char *spec = directive(c, f->params[i].name);
        Input *in = &c->inputs[i];
        if (spec == NULL)
            fail_msg("%s: no line for parameter %s", c->name, f->params[i].name);
        *in = (Input){.pointer = t->pointer, .dtype = t->dtype};
        if (t->pointer)
            fill_array(c, in, spec, (uint64_t)i + 1);
        else
            in->bits = scalar_from_double(t->dtype, strtod(spec, NULL));
    }
}

static size_t input_bytes(const Input *in)
{
    return (in->n + 2 * GUARD_ELEMENTS) * (size_t)dtype_size(in->dtype);
}

/* A fresh copy of all arrays; the slots point behind the guard elements.  The arrays lie one behind
 * the other in every copy, so that kernels which compare addresses give the same everywhere. */
static void set_slots(Case *c, uint8_t **arrays, uint64_t *slots)
{
    size_t at[MAX_PARAMS], bytes = 0;

    for (int i = 0; i < c->n; i++) {
        at[i] = bytes;
        if (c->inputs[i].pointer)
            bytes += (input_bytes(&c->inputs[i]) + 63) / 64 * 64;
    }
    uint8_t *all = arena_alloc(c->arena, bytes + 64);
    all = (uint8_t *)(((uintptr_t)all + 63) / 64 * 64);
    for (int i = 0; i < c->n; i++) {
        const Input *in = &c->inputs[i];
        slots[i] = in->bits;
        if (!in->pointer)
            continue;
        arrays[i] = all + at[i];
        memcpy(arrays[i], in->start, input_bytes(in));
        slots[i] =
            (uint64_t)(uintptr_t)(arrays[i] + GUARD_ELEMENTS * (size_t)dtype_size(in->dtype));
    }
}

/* --- comparing --- */

static bool same(const Case *c, DType t, const uint8_t *x, const uint8_t *y, bool zeros_alike)
{
    uint64_t a = 0, b = 0;
    size_t size = (size_t)dtype_size(t);
    memcpy(&a, x, size);
    memcpy(&b, y, size);
    if (a == b)
        return true;
    if (!dtype_is_float(t))
        return false;
    double p = scalar_to_double(t, a), q = scalar_to_double(t, b);
    if (isnan(p) && isnan(q))
        return true;
    if (zeros_alike && p == 0 && q == 0)
        return true;
    return c->close > 0 && fabs(p - q) <= c->close * fmax(1, fabs(p));
}

static void compare(Case *c, uint8_t **want, uint8_t **got, bool zeros_alike, const char *how)
{
    for (int i = 0; i < c->n; i++) {
        const Input *in = &c->inputs[i];
        size_t size = in->pointer ? (size_t)dtype_size(in->dtype) : 1;
        for (size_t k = 0; in->pointer && k < in->n + 2 * GUARD_ELEMENTS; k++) {
            if (same(c, in->dtype, want[i] + k * size, got[i] + k * size, zeros_alike))
                continue;
            uint64_t a = 0, b = 0;
            memcpy(&a, want[i] + k * size, size);
            memcpy(&b, got[i] + k * size, size);
            fail_msg("%s (%s): parameter %d, element %ld: wanted %.9g (%llx), got %.9g (%llx)",
                     c->name, how, i, (long)k - GUARD_ELEMENTS, scalar_to_double(in->dtype, a),
                     (unsigned long long)a, scalar_to_double(in->dtype, b), (unsigned long long)b);
        }
    }
}

/* --- running --- */

static Module *read_module(Case *c, Diags *d)
{
    const Source *src = source_add(diags_sources(d), c->name, c->text, strlen(c->text));
    Module *m = ir_read(c->arena, interner_new(c->arena), src, d);
    if (m == NULL)
        fail_msg("%s", diags_text(d, c->arena));
    return m;
}

static Func *kernel_of(Module *m)
{
    for (int i = 0; i < m->nfuncs; i++) {
        if (m->funcs[i]->is_kernel)
            return m->funcs[i];
    }
    return NULL;
}

static void check_text(Case *c, const char *path, const char *text)
{
    char *want;
    size_t len;
    const char *update = getenv("TILEC_UPDATE");
    if (os_read_file(c->arena, path, 1 << 20, &want, &len) != 0)
        return;
    if (update != NULL)
        assert_int_equal(os_write_file(path, text, strlen(text)), 0);
    else
        assert_string_equal(text, want);
}

static GenOutput compile(Case *c, const GenPlugin *plugin, const Func *f, const GenOptions *o)
{
    Diags *d = diags_new(c->arena, NULL);
    GenOutput out;
    if (!made(plugin->targets[0], f, o, GEN_OBJECT, c->arena, &out, d))
        fail_msg("%s: %s", c->name, diags_text(d, c->arena));
    return out;
}

/* Bytes that end at a page which faults. */
typedef struct {
    uint8_t *pages, *at;
    size_t bytes;
} Scratch;

static Scratch scratch_new(size_t bytes)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE), room = (bytes + page - 1) / page * page;
    Scratch s = {.bytes = room + page};
    s.pages = mmap(NULL, s.bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(s.pages, MAP_FAILED);
    assert_int_equal(mprotect(s.pages + room, page, PROT_NONE), 0);
    assert_int_equal(bytes % 64, 0); /* or the end would not be the alignment that code expects */
    s.at = s.pages + room - bytes;
    memset(s.at, 0xff, bytes); /* NaN: nobody may rely on what is there, but for what is cleared */
    memset(s.at, 0, bytes < GEN_CLEARED ? bytes : GEN_CLEARED);
    return s;
}

static void run_compiled(Case *c, const GenPlugin *plugin, const Func *f, const GenOptions *o,
                         uint8_t **want, const char *how)
{
    uint8_t *arrays[MAX_PARAMS] = {NULL};
    uint64_t slots[MAX_PARAMS];
    Code *code;
    const char *why = NULL;
    GenOutput out = compile(c, plugin, f, o);
    if (code_load(out.data, out.len, &code, &why) != RUN_OK)
        fail_msg("%s (%s): the object does not load: %s", c->name, how, why);
    CpuKernel *kernel = (CpuKernel *)code_symbol(code, "tilec_kernel");
    set_slots(c, arrays, slots);
    Scratch scratch = scratch_new(out.scratch);
    int64_t programs = (int64_t)c->grid[0] * c->grid[1] * c->grid[2], half = programs / 2;
    kernel(slots, c->grid, 0, half, scratch.at);
    kernel(slots, c->grid, half, programs, scratch.at);
    compare(c, want, arrays, false, how);
    munmap(scratch.pages, scratch.bytes);
    code_free(code);
}

/* --- parts of programs --- */

/* All parts, the last one first, each with scratch memory of its own. */
static void run_parts(CpuKernel *kernel, Case *c, const uint64_t *slots, size_t scratch, int parts)
{
    const int32_t grid[] = {c->grid[0], c->grid[1], c->grid[2], parts};

    for (int64_t i = (int64_t)grid[0] * grid[1] * grid[2] * parts - 1; i >= 0; i--) {
        Scratch own = scratch_new(scratch);
        kernel(slots, grid, i, i + 1, own.at);
        munmap(own.pages, own.bytes);
    }
}

static void check_alike(Case *c, uint8_t **whole, uint8_t **parts)
{
    for (int i = 0; i < c->n; i++) {
        if (!whole[i] || memcmp(whole[i], parts[i], input_bytes(&c->inputs[i])) == 0)
            continue;
        compare(c, whole, parts, false, "in parts");
        fail_msg("%s in parts: parameter %d is another one", c->name, i);
    }
}

/* By threads of a pool. */
static void run_on_threads(CpuKernel *kernel, Case *c, const uint64_t *slots, size_t scratch,
                           int most, int threads)
{
    _Atomic uint32_t cost = 0;
    Pool *pool;
    const CpuLaunch launch = {.entry = kernel,
                              .scratch = scratch,
                              .args = slots,
                              .grid = {c->grid[0], c->grid[1], c->grid[2]},
                              .cost = &cost,
                              .parts = most};

    assert_int_equal(pool_new(threads, &pool), RUN_OK);
    assert_int_equal(cpu_launch(pool, &launch), RUN_OK);
    pool_free(pool);
}

/* Results of programs in parts are those of whole ones to the last bit. */
static void run_in_parts(Case *c, const GenPlugin *plugin, const Func *f, const GenOptions *o)
{
    static const int counts[] = {1, 2, 3, 7, 16, 61}, threads[] = {1, 2, 3, 16};
    uint8_t *whole[MAX_PARAMS] = {NULL}, *arrays[MAX_PARAMS] = {NULL};
    uint64_t slots[MAX_PARAMS];
    GenOptions plain = *o, in_parts = *o;
    Code *code;
    const char *why = NULL;

    in_parts.parts = true;
    GenOutput out = compile(c, plugin, f, &in_parts), plain_out = compile(c, plugin, f, &plain);
    int most = out.parts;
    assert_int_equal(plain_out.parts, most > 1 ? 0 : 1);
    int wanted = directive(c, "parts") ? atoi(directive(c, "parts")) : 0;
    if (directive(c, "parts") && (wanted > 0 ? most != wanted : most < 2))
        fail_msg("%s: a program may be run in %d parts", c->name, most);
    if (most < 2)
        return;
    set_slots(c, whole, slots);
    assert_int_equal(code_load(plain_out.data, plain_out.len, &code, &why), RUN_OK);
    run_parts((CpuKernel *)code_symbol(code, "tilec_kernel"), c, slots, plain_out.scratch, 1);
    code_free(code);
    assert_int_equal(code_load(out.data, out.len, &code, &why), RUN_OK);
    CpuKernel *kernel = (CpuKernel *)code_symbol(code, "tilec_kernel");
    for (int i = 0; i < COUNT(counts); i++) {
        set_slots(c, arrays, slots);
        run_parts(kernel, c, slots, out.scratch, counts[i] < most ? counts[i] : most);
        check_alike(c, whole, arrays);
    }
    for (int i = 0; i < COUNT(threads); i++) {
        set_slots(c, arrays, slots);
        run_on_threads(kernel, c, slots, out.scratch, most, threads[i]);
        check_alike(c, whole, arrays);
    }
    code_free(code);
}

/* --- GPUs --- */

static const Target *gpu_target(const GenPlugin *plugin)
{
    for (int i = 0; i < plugin->ntargets; i++) {
        if (strcmp(plugin->targets[i]->name, "nv") == 0)
            return plugin->targets[i];
    }
    fail_msg("the plugin has no target for GPUs");
    return NULL;
}

/* In the simulator as a device, with or without the promise that arrays lie apart. */
static void run_simulated(Case *c, const GenPlugin *plugin, bool disjoint, uint8_t **want)
{
    GenOptions o = {.cpu = "sm_90a", .disjoint = disjoint};
    OptOptions passes = {.native = plugin->targets[0]->native_math,
                         .schedules = true,
                         .disjoint = disjoint,
                         .verify = true};
    const Device *sim = device_at(device_find("sim"));
    uint8_t *arrays[MAX_PARAMS] = {NULL};
    uint64_t slots[MAX_PARAMS] = {0};
    Diags *d = diags_new(c->arena, NULL);
    GenOutput out;
    const DeviceObject object = {.output = &out};
    const char *why = NULL;
    char *error = NULL;
    void *code;

    Module *m = read_module(c, d);
    if (!opt_run(m, &passes, d))
        fail_msg("%s: %s", c->name, diags_text(d, c->arena));
    const Func *f = kernel_of(m);
    if (!made(gpu_target(plugin), f, &o, GEN_OBJECT, c->arena, &out, d))
        fail_msg("%s: %s", c->name, diags_text(d, c->arena));
    if (sim->load(&object, &code, &why) != RUN_OK)
        fail_msg("%s: %s", c->name, why);
    set_slots(c, arrays, slots);
    DeviceLaunch launch = {.grid = {c->grid[0], c->grid[1], c->grid[2]},
                           .args = slots,
                           .nargs = f->nparams,
                           .nranges = -1,
                           .threads = 1, /* one program after the other, as the interpreter does */
                           .records_arg = -1};
    if (sim->launch(NULL, code, &launch, &error) != RUN_OK)
        fail_msg("%s: %s", c->name, error);
    compare(c, want, arrays, c->zeros_alike,
            disjoint ? "simulated, disjoint" : "simulated, may alias");
    sim->unload(code);
}

/* --- other machines --- */

typedef struct {
    const char *name, *cpu, *features; /* as LLVM spells them */
    bool runs;        /* not SSE2: fp16 needs functions there that the loader does not provide */
    const char *plan; /* ending of the wanted plan for it, where a case has one; or NULL */
} Machine;

#define AVX512                                                                                     \
    "+avx,+f16c,+avx2,+fma,+bmi,+bmi2,+lzcnt,+popcnt,"                                             \
    "+avx512f,+avx512cd,+avx512bw,+avx512dq,+avx512vl"

#define X86 "x86-64"
#define ARM "generic"

static const Machine machines[] = {
    {"SSE2", X86, "", false, NULL},
    {"AVX", X86, "+avx,+f16c", true, NULL},
    {"AVX2", X86, "+avx,+f16c,+avx2,+fma,+bmi,+bmi2,+lzcnt,+popcnt", true, NULL},
    {"AVX-512", X86, AVX512, true, "plan"},
    {"VNNI", X86, AVX512 ",+avx512vnni", true, "vnni.plan"},
    {"AMX", X86, AVX512 ",+avx512vnni,+amx-tile,+amx-int8,+amx-bf16", true, "amx.plan"},
    {"NEON", ARM, "+neon", true, "neon.plan"},
    {"NEON 8.2", ARM, "+neon,+fullfp16,+lse,+rdm,+rcpc,+dotprod", true, NULL},
    {NULL, NULL, NULL, false, NULL}};

/* LLVM makes code for the instruction set of this process; all else is only planned for. */
static bool is_ours(const Machine *m)
{
#if defined(__x86_64__)
    return strcmp(m->cpu, X86) == 0;
#elif defined(__aarch64__)
    return strcmp(m->cpu, ARM) == 0;
#else
    return m->cpu == NULL;
#endif
}

/* The host's list ends without a comma, ours is compared name by name. */
static bool host_has(const Machine *m)
{
    char have[2048], name[32];
    snprintf(have, sizeof have, "%s,", host_cpu_features());
    for (const char *at = m->features; *at != 0; at += strcspn(at, ","), at += *at == ',') {
        snprintf(name, sizeof name, "%.*s,", (int)strcspn(at, ","), at);
        if (strstr(have, name) == NULL)
            return false;
    }
    return true;
}

static void run_on_others(Case *c, const GenPlugin *plugin, const Func *f, uint8_t **want)
{
    for (const Machine *m = machines; m->name != NULL; m++) {
        GenOptions o = {.cpu = m->cpu, .features = m->features, .disjoint = true};
        if (!is_ours(m) || !chosen(c->name, 8 + (uint64_t)(m - machines), 18))
            continue;
        if (m->runs && host_has(m))
            run_compiled(c, plugin, f, &o, want, m->name);
        else
            compile(c, plugin, f, &o);
    }
}

static int occurrences(const char *text, const char *what)
{
    int n = 0;
    for (const char *at = strstr(text, what); at != NULL; at = strstr(at + 1, what))
        n++;
    return n;
}

/* What the code is made of, where results do not tell. */
static void check_llvm(Case *c, const GenPlugin *plugin, const Func *f, const char *key,
                       const char *machine)
{
    const Machine *m = machines;
    while (m->name != NULL && strcmp(m->name, machine) != 0)
        m++;
    const char *line = strstr(c->text, key);
    if (line == NULL || m->name == NULL || !is_ours(m))
        return;
    GenOptions o = {.cpu = m->cpu, .features = m->features, .disjoint = true};
    GenOutput out;
    assert_true(
        made(plugin->targets[0], f, &o, GEN_LLVM, c->arena, &out, diags_new(c->arena, NULL)));
    for (; line != NULL; line = strstr(line + 1, key)) {
        char what[128];
        int want;
        if (sscanf(line + strlen(key), "%d %127[^\n]", &want, what) != 2)
            fail_msg("%s: cannot read '%.40s'", c->name, line);
        int got = occurrences(out.data, what);
        if (got != want)
            fail_msg("%s: '%s' stands %d times in the LLVM IR, not %d", c->name, what, got, want);
    }
}

/* --- plans and schedules
 * ----------------------------------------------------------------------------- */

enum { MAX_ENTRIES = 10000 };

/* Reads lines such as "    12: vector add (3, -, 5) at 1 for %x" of one schedule. */
typedef struct {
    const char *name;
    bool rows;                /* of the list in front of all bodies */
    int body;                 /* the list's number */
    int made_in[MAX_ENTRIES]; /* 0: not yet, or the list that it stands in; -1: rows */
} ScheduleCheck;

/* Every input stands before its entry: in this list, or in the one in front of all. */
static void check_entry(ScheduleCheck *s, const char *line, size_t len)
{
    char *at;
    long number = strtol(line, &at, 10), input;
    const char *inputs = memchr(line, '(', len), *end = inputs ? strchr(inputs, ')') : NULL;

    assert_true(*at == ':' && number >= 0 && number < MAX_ENTRIES);
    for (const char *p = inputs; p && p < end; p = strpbrk(p + 1, ",)")) {
        input = strtol(p + 1, &at, 10);
        bool none = at == p + 1; /* a dash */
        if (!none && (input < 0 || input >= MAX_ENTRIES || s->made_in[input] == 0 ||
                      (s->made_in[input] > 0 && s->made_in[input] != s->body)))
            fail_msg("%s: entry %ld of a schedule reads %ld, which is not before it: %.*s", s->name,
                     number, input, (int)len, line);
    }
    if (s->made_in[number] != 0)
        fail_msg("%s: entry %ld stands twice", s->name, number);
    s->made_in[number] = s->rows ? -1 : s->body;
}

static int check_order(const char *name, const char *text)
{
    ScheduleCheck *s = calloc(1, sizeof *s);
    int entries = 0;

    assert_non_null(s);
    s->name = name;
    for (const char *line = text; *line; line += strcspn(line, "\n"), line += *line == '\n') {
        size_t len = strcspn(line, "\n"), indent = strspn(line, " ");
        if (indent == 0) {
            memset(s->made_in, 0, sizeof s->made_in);
        } else if (indent == 2) {
            s->rows = strncmp(line, "  rows", 6) == 0;
            s->body++;
        } else {
            check_entry(s, line + indent, len - indent);
            entries++;
        }
    }
    free(s);
    return entries;
}

static const char *text_of(Case *c, const GenPlugin *plugin, const Func *f, const Machine *m,
                           GenStage stage)
{
    GenOptions o = {.cpu = m->cpu, .features = m->features, .disjoint = true, .streaming = true};
    GenOutput out;

    assert_true(plugin->targets[0]->emit(f, &o, stage, c->arena, &out, diags_new(c->arena, NULL)));
    return out.data;
}

/* The case's file with another ending. */
static const char *beside(Case *c, const char *path, const char *ending)
{
    return arena_printf(c->arena, "%.*s%s", (int)(strlen(path) - strlen("ir")), path, ending);
}

static void check_plans(Case *c, const GenPlugin *plugin, const Func *f, const char *path)
{
    for (const Machine *m = machines; m->name != NULL; m++) {
        const char *text = text_of(c, plugin, f, m, GEN_SCHEDULE);
        int entries = check_order(c->name, text);
        assert_true(entries > 0 || !strstr(text, "nest"));
        if (strcmp(m->name, "AVX-512") == 0)
            check_text(c, beside(c, path, "schedule"), text);
        if (m->plan)
            check_text(c, beside(c, path, m->plan), text_of(c, plugin, f, m, GEN_PLAN));
    }
}

/* --- lines of the source --- */

/* How comments begin in what LLVM prints of this machine's code, and whether the frame's
 * directives, which come with lines, leave instructions between them in their order. */
#ifdef __aarch64__
#define COMMENT "// "
enum { KEEPS_ORDER = false };
#else
#define COMMENT "# "
enum { KEEPS_ORDER = true };
#endif

/* What of an object is loaded: code and constants, without what unwinds the stack. */
static Text loaded_bytes(Arena *a, const GenOutput *object)
{
    const Elf64_Ehdr *head = (const void *)object->data;
    const Elf64_Shdr *section = (const void *)(object->data + head->e_shoff);
    const char *names = object->data + section[head->e_shstrndx].sh_offset;
    Text t = text_new(a);

    for (int i = 0; i < head->e_shnum; i++) {
        bool unwinds = strcmp(names + section[i].sh_name, ".eh_frame") == 0;
        if (section[i].sh_flags & SHF_ALLOC && section[i].sh_type == SHT_PROGBITS && !unwinds)
            text_putn(&t, object->data + section[i].sh_offset, section[i].sh_size);
    }
    return t;
}

/* To say where code comes from does not change it. */
static void check_lines(Case *c, const GenPlugin *plugin, const Func *f, const GenOptions *o)
{
    GenOptions lines = *o;
    lines.lines = true;
    GenOutput plain = compile(c, plugin, f, o), told = compile(c, plugin, f, &lines), text;
    Text want = loaded_bytes(c->arena, &plain), got = loaded_bytes(c->arena, &told);

    if (want.len == 0 || want.len != got.len ||
        (KEEPS_ORDER && memcmp(want.s, got.s, want.len) != 0))
        fail_msg("%s: lines change the code", c->name);
    assert_true(made(plugin->targets[0], f, &lines, GEN_ASM, c->arena, &text, NULL));
    if (!strstr(text.data, arena_printf(c->arena, COMMENT "%s:", c->name)))
        fail_msg("%s: no line in\n%s", c->name, text.data);
}

static void test_lines_of_inlined_ops(void **state)
{
    static const char source[] = "func @half(%x: fp32) -> fp32 {\n"
                                 "  %h = const 0.5 : fp32\n"
                                 "  %y = mul %x, %h : fp32\n"
                                 "  return %y\n"
                                 "}\n"
                                 "kernel @k(%p: *fp32) {\n"
                                 "  %x = load %p : fp32\n"
                                 "  %y = call @half(%x) : fp32\n"
                                 "  store %p, %y\n"
                                 "  return\n"
                                 "}\n";
    Arena *a = arena_new(NULL);
    Case c = {.arena = a, .name = "half.ir", .text = source};
    const char *why = NULL;
    const GenPlugin *plugin = run_plugin(a, &why);
    Diags *d = diags_new(a, NULL);
    Module *m = read_module(&c, d);
    OptOptions passes = {.verify = true};
    GenOptions o = {.cpu = host_cpu_name(), .features = host_cpu_features(), .lines = true};
    GenOutput out;

    (void)state;
    assert_true(opt_run(m, &passes, d));
    assert_true(plugin->targets[0]->emit(kernel_of(m), &o, GEN_ASM, a, &out, d));
    assert_non_null(strstr(out.data, COMMENT "half.ir:3:8 @[ half.ir:8:8 ]\n"));
    assert_non_null(strstr(out.data, COMMENT "half.ir:9:3\n"));
    assert_true(plugin->targets[0]->emit(kernel_of(m), &o, GEN_LLVM, a, &out, d));
    assert_non_null(strstr(out.data, "!DISubprogram(name: \"half\""));
    o.lines = false;
    assert_true(plugin->targets[0]->emit(kernel_of(m), &o, GEN_ASM, a, &out, d));
    assert_null(strstr(out.data, "half.ir"));
    arena_free(a);
}

/* The largest so far of each element is stored whole: masked stores of AVX2 take AMD's processors a
 * dozen cycles each.  The plugin makes code for the family of processors that it runs on. */
static void test_selects_are_stored_whole(void **state)
{
#ifndef __x86_64__
    skip();
#endif
    static const char source[] = "kernel @k(%p: *fp32, %q: *i32, %n: i32) {\n"
                                 "  %i = arange start=0 : i32[32]\n"
                                 "  %ps = splat %p : *fp32[32]\n"
                                 "  %px = addptr %ps, %i : *fp32[32]\n"
                                 "  %qs = splat %q : *i32[32]\n"
                                 "  %qx = addptr %qs, %i : *i32[32]\n"
                                 "  %x = load %px : fp32[32]\n"
                                 "  %old = load %qx : i32[32]\n"
                                 "  %zero = const 0.0 : fp32[32]\n"
                                 "  %most = max %x, %zero : fp32[32]\n"
                                 "  store %px, %most\n"
                                 "  %is = lt %old, %i : i1[32]\n"
                                 "  %new = select %is, %i, %old : i32[32]\n"
                                 "  store %qx, %new\n"
                                 "  return\n"
                                 "}\n";
    Arena *a = arena_new(NULL);
    Case c = {.arena = a, .name = "stores.ir", .text = source};
    const char *why = NULL;
    const GenPlugin *plugin = run_plugin(a, &why);
    Diags *d = diags_new(a, NULL);
    Module *m = read_module(&c, d);
    GenOptions o = {.cpu = "x86-64", .features = "+avx,+avx2,+fma", .disjoint = true};
    GenOutput out;

    (void)state;
    assert_true(plugin->targets[0]->emit(kernel_of(m), &o, GEN_ASM, a, &out, d));
    assert_non_null(strstr(out.data, "ymm"));
    assert_null(strstr(out.data, "maskmov"));
    arena_free(a);
}

/* A polynomial of eight numbers with so many coefficients. */
static const char *polynomial(Arena *a, int coefficients)
{
    Text t = text_new(a);

    text_printf(&t, "kernel @k(%%p: *fp32) {\n"
                    "  %%i = arange start=0 : i32[8]\n"
                    "  %%ps = splat %%p : *fp32[8]\n"
                    "  %%px = addptr %%ps, %%i : *fp32[8]\n"
                    "  %%x = load %%px : fp32[8]\n"
                    "  %%s0 = mul %%x, %%x : fp32[8]\n");
    for (int i = 1; i <= coefficients; i++)
        text_printf(&t,
                    "  %%c%d = const %d.5 : fp32[8]\n"
                    "  %%s%d = fma %%s%d, %%x, %%c%d : fp32[8]\n",
                    i, i, i, i - 1, i);
    text_printf(&t, "  store %%px, %%s%d\n  return\n}\n", coefficients);
    return t.s;
}

/* More of them than registers hold are operands in memory on AVX2: each one that is brought into
 * a register first takes an instruction. */
static void test_constants_are_operands(void **state)
{
#ifndef __x86_64__
    skip();
#endif
    static const int coefficients[] = {4, 30};
    (void)state;
    for (int k = 0; k < COUNT(coefficients); k++) {
        Arena *a = arena_new(NULL);
        Case c = {.arena = a, .name = "poly.ir", .text = polynomial(a, coefficients[k])};
        const char *why = NULL;
        const GenPlugin *plugin = run_plugin(a, &why);
        Diags *d = diags_new(a, NULL);
        Module *m = read_module(&c, d);
        GenOptions o = {.cpu = "x86-64", .features = "+avx,+avx2,+fma", .disjoint = true};
        GenOutput out;

        assert_true(plugin->targets[0]->emit(kernel_of(m), &o, GEN_ASM, a, &out, d));
        assert_non_null(strstr(out.data, "vfmadd"));
        assert_int_equal(strstr(out.data, "vbroadcastss") != NULL, coefficients[k] == 4);
        arena_free(a);
    }
}

/* Of a row's two vectors the second one must not be stored first: where they share a line of the
 * cache, the row takes half as long again. */
static void test_rows_are_stored_from_their_beginning(void **state)
{
#ifndef __x86_64__
    skip();
#endif
    static const char source[] = "kernel @k(%p: *fp32 div 16, %q: *fp32 div 16) {\n"
                                 "  %r = arange start=0 : i32[16]\n"
                                 "  %rx = expand %r axis=1 : i32[16,1]\n"
                                 "  %w = const 64 : i32[16,1]\n"
                                 "  %rw = mul %rx, %w : i32[16,1]\n"
                                 "  %c = arange start=0 : i32[64]\n"
                                 "  %cx = expand %c axis=0 : i32[1,64]\n"
                                 "  %rows = broadcast %rw : i32[16,64]\n"
                                 "  %columns = broadcast %cx : i32[16,64]\n"
                                 "  %at = add %rows, %columns : i32[16,64]\n"
                                 "  %ps = splat %p : *fp32[16,64]\n"
                                 "  %px = addptr %ps, %at : *fp32[16,64]\n"
                                 "  %x = load %px : fp32[16,64]\n"
                                 "  %qs = splat %q : *fp32[16,64]\n"
                                 "  %qx = addptr %qs, %at : *fp32[16,64]\n"
                                 "  %y = mul %x, %x : fp32[16,64]\n"
                                 "  store %qx, %y\n"
                                 "  return\n"
                                 "}\n";
    static const char store[] = "vmovups\t%zmm";
    Arena *a = arena_new(NULL);
    Case c = {.arena = a, .name = "rows.ir", .text = source};
    const char *why = NULL;
    const GenPlugin *plugin = run_plugin(a, &why);
    Diags *d = diags_new(a, NULL);
    Module *m = read_module(&c, d);
    GenOptions o = {.cpu = "x86-64-v4",
                    .features = "+avx,+avx2,+fma,+avx512f,+avx512bw,+avx512dq,+avx512vl",
                    .disjoint = true};
    GenOutput out;
    long last = LONG_MIN;
    int stores = 0;

    (void)state;
    assert_true(plugin->targets[0]->emit(kernel_of(m), &o, GEN_ASM, a, &out, d));
    for (const char *at = out.data; (at = strstr(at, store)); stores++) {
        at = strstr(at, ", ") + 2;
        long offset = *at == '(' ? 0 : strtol(at, NULL, 10);
        assert_true(offset > last);
        last = offset;
    }
    assert_true(stores > 1);
    arena_free(a);
}

static void run_case(Case *c, const GenPlugin *plugin, const char *path)
{
    uint8_t *want[MAX_PARAMS] = {NULL};
    uint64_t slots[MAX_PARAMS];
    Diags *d = diags_new(c->arena, NULL);
    Module *m = read_module(c, d);
    const char *grid = directive(c, "grid"), *close = directive(c, "close");
    if (grid == NULL || sscanf(grid, "%d %d %d", &c->grid[0], &c->grid[1], &c->grid[2]) != 3)
        fail_msg("%s: no grid line", c->name);
    c->close = close ? strtod(close, NULL) : 0;
    c->zeros_alike = directive(c, "gpu zeros") != NULL;
    read_inputs(c, kernel_of(m));
    set_slots(c, want, slots);
    InterpLaunch launch = {.args = slots, .last = (int64_t)c->grid[0] * c->grid[1] * c->grid[2]};
    memcpy(launch.grid, c->grid, sizeof c->grid);
    if (interp_run(kernel_of(m), &launch, d) != 0)
        fail_msg("%s: %s", c->name, diags_text(d, c->arena));
    Module *apart = read_module(c, d);
    OptOptions o = {.native = plugin->targets[0]->native_math,
                    .windows = plugin->targets[0]->windows,
                    .verify = true};
    OptOptions o_apart = o;
    o_apart.disjoint = true;
    if (!opt_run(m, &o, d) || !opt_run(apart, &o_apart, d))
        fail_msg("%s: %s", c->name, diags_text(d, c->arena));
    GenOptions safe = {.cpu = host_cpu_name(), .features = host_cpu_features()};
    GenOptions fast = safe;
    fast.disjoint = fast.streaming = true;
    check_plans(c, plugin, kernel_of(m), path);
    check_llvm(c, plugin, kernel_of(m), "# llvm:", "AVX2");
    check_llvm(c, plugin, kernel_of(m), "# llvm of AVX-512:", "AVX-512");
    if (chosen(c->name, 0, 18))
        check_lines(c, plugin, kernel_of(m), &fast);
    bool first = chosen(c->name, 3, 2); /* of two ways one, and thoroughly both */
    bool simulated = chosen(c->name, 2, 3), compiled = !simulated || chosen(c->name, 4, 3);
    if (compiled && first)
        run_compiled(c, plugin, kernel_of(m), &safe, want, "may alias");
    if (compiled && (!first || thorough()))
        run_compiled(c, plugin, kernel_of(apart), &fast, want, "disjoint, streaming");
    if (chosen(c->name, 5, 3) || directive(c, "parts"))
        run_in_parts(c, plugin, kernel_of(apart), &fast);
    safe.debug = true;
    if (chosen(c->name, 1, 12))
        run_compiled(c, plugin, kernel_of(m), &safe, want, "for debuggers");
    run_on_others(c, plugin, kernel_of(m), want);
    if (simulated && (!first || thorough()))
        run_simulated(c, plugin, false, want);
    if (simulated && first)
        run_simulated(c, plugin, true, want);
}

static void test_cases(void **state)
{
    (void)state;
    const char *why = NULL, *only = getenv("TILEC_CASE");
    Arena *a = arena_new(NULL);
    const GenPlugin *plugin = run_plugin(a, &why);
    if (plugin == NULL)
        fail_msg("no code generator: %s", why);
    const char *folder = arena_printf(a, "%s/tests/gen", getenv("TILEC_SOURCE"));
    DIR *dir = opendir(folder);
    assert_non_null(dir);
    int n = 0;
    for (struct dirent *e = readdir(dir); e != NULL; e = readdir(dir)) {
        size_t len = strlen(e->d_name);
        if (len < 4 || strcmp(e->d_name + len - 3, ".ir") != 0 ||
            (only && !strstr(e->d_name, only)))
            continue;
        char *text;
        size_t bytes;
        Case c = {.arena = arena_new(NULL), .name = e->d_name};
        const char *path = arena_printf(c.arena, "%s/%s", folder, e->d_name);
        assert_int_equal(os_read_file(c.arena, path, 1 << 20, &text, &bytes), 0);
        c.text = text;
        run_case(&c, plugin, path);
        arena_free(c.arena);
        n++;
    }
    closedir(dir);
    arena_free(a);
    assert_true(n > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_cases),
                                       cmocka_unit_test(test_lines_of_inlined_ops),
                                       cmocka_unit_test(test_selects_are_stored_whole),
                                       cmocka_unit_test(test_constants_are_operands),
                                       cmocka_unit_test(test_rows_are_stored_from_their_beginning)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
