/*
 * test_cpu_memory.c - loads, stores and atomics against the interpreter: the CPU target, and the
 * GPU target in the simulator
 *
 * Every way to address memory with every dtype, under every promise of the launch: contiguous rows
 * with tails, strides, gathers and scatters through index tiles, one address for all lanes; no
 * mask, masks that are bounds, masks that are data; with and without `other`.  The guard elements
 * around all arrays must stay as they were.
 */

#include "versus_test.h"

enum { TILE = 37, PROGRAMS = 3, N = 100 }; /* the last tile is cut at 26 elements */

static const Engine engines[] = {ENGINE_CPU, ENGINE_CPU_DISJOINT, ENGINE_CPU_STREAMING};
static const Engine simulators[] = {ENGINE_SIM, ENGINE_SIM_DISJOINT};

static Case new_case(void)
{
    Case c = {.arena = arena_new(NULL), .plugin = plugin, .grid = {PROGRAMS, 1, 1}};
    return c;
}

static void add_array(Case *c, DType t, size_t n, const void *start)
{
    c->params[c->nparams++] = (Argument){.dtype = t, .n = n, .start = start};
}

static void add_scalar(Case *c, DType t, uint64_t bits)
{
    c->params[c->nparams++] = (Argument){.dtype = t, .bits = bits};
}

/* Numbers that every dtype tells apart, as far as it can. */
static void *data_of(Arena *a, DType t, size_t n)
{
    size_t size = (size_t)dtype_size(t);
    uint8_t *x = arena_alloc(a, n * size);
    uint64_t state = 7;
    for (size_t i = 0; i < n; i++) {
        uint64_t bits = scalar_from_double(t, random_below(&state, 200) - 90);
        if (t == DT_I1)
            bits = random_bits(&state) & 1;
        memcpy(x + i * size, &bits, size);
    }
    return x;
}

/* The numbers 0 to n-1 in disorder: no two lanes of a scatter meet. */
static void *shuffled(Arena *a, int n)
{
    int32_t *x = NEW_N(a, int32_t, n);
    uint64_t state = 3;
    for (int i = 0; i < n; i++) {
        int k = random_below(&state, i + 1);
        x[i] = x[k];
        x[k] = i;
    }
    return x;
}

/* --- loads and stores --- */

/* How a lane's offset comes from its index %at; every form ends in %o, below REACH. */
enum { REACH = 5 * PROGRAMS * TILE };
static const struct {
    const char *name, *text;
} addresses[] = {
    {"contiguous", "  %o = add %at, %zero : i32[37]\n"},
    {"stride 2", "  %k = const 2 : i32[37]\n  %o = mul %at, %k : i32[37]\n"},
    {"stride 3", "  %k = const 3 : i32[37]\n  %o = mul %at, %k : i32[37]\n"},
    {"stride 4", "  %k = const 2 : i32[37]\n  %o = shl %at, %k : i32[37]\n"},
    {"backwards", "  %k = const 110 : i32[37]\n  %o = sub %k, %at : i32[37]\n"},
    {"run-time stride", "  %k = splat %stride : i32[37]\n  %o = mul %at, %k : i32[37]\n"},
    {"index tile", "  %ip0 = splat %index : *i32[37]\n  %ip = addptr %ip0, %at : *i32[37]\n"
                   "  %o = load %ip : i32[37]\n"},
    {"offset by 1", "  %k = const 1 : i32[37]\n  %o = add %at, %k : i32[37]\n"},
};
/* One address for all lanes: no way to store. */
static const char *const one_address = "  %o = splat %pid : i32[37]\n";

static const struct {
    const char *name, *text; /* makes %m */
} masks[] = {
    {"no mask", ""},
    {"bound", "  %ns = splat %n : i32[37]\n  %m = lt %at, %ns : i1[37]\n"},
    {"bound within a tile", "  %ns = const 19 : i32[37]\n  %m = le %lane, %ns : i1[37]\n"},
    {"data", "  %mp0 = splat %flags : *i1[37]\n  %mp = addptr %mp0, %at : *i1[37]\n"
             "  %m = load %mp : i1[37]\n"},
    {"bound and data", "  %mp0 = splat %flags : *i1[37]\n  %mp = addptr %mp0, %at : *i1[37]\n"
                       "  %m0 = load %mp : i1[37]\n  %ns = splat %n : i32[37]\n"
                       "  %m1 = gt %ns, %at : i1[37]\n  %m = and %m0, %m1 : i1[37]\n"},
    {"never", "  %ns = const 0 : i32[37]\n  %m = lt %at, %ns : i1[37]\n"},
    {"by program",
     "  %one = const 1 : i32\n  %mine = eq %pid, %one : i1\n  %m = splat %mine : i1[37]\n"},
};

typedef struct {
    DType t;
    const char *address;
    int mask;
    bool other, scatter;
} MemoryAccess;

/* scatter: x is read in rows and out written through the address; else the other way round. */
static const char *text_of_access(Arena *a, const MemoryAccess *f)
{
    const char *t = dtype_name(f->t), *mask = f->mask ? ", %m" : "";
    Text s = text_new(a);
    text_printf(
        &s,
        "kernel @k(%%x: *%s, %%out: *%s, %%index: *i32, %%flags: *i1, %%n: i32, %%stride: i32) {\n",
        t, t);
    text_put(&s,
             "  %pid = program_id axis=0 : i32\n  %c = const 37 : i32\n  %b = mul %pid, %c : i32\n"
             "  %bs = splat %b : i32[37]\n  %lane = arange start=0 : i32[37]\n"
             "  %at = add %bs, %lane : i32[37]\n  %zero = const 0 : i32[37]\n");
    text_printf(&s, "%s%s", f->address, masks[f->mask].text);
    text_printf(&s, "  %%xs = splat %%x : *%s[37]\n  %%os = splat %%out : *%s[37]\n", t, t);
    text_printf(&s, "  %%xp = addptr %%xs, %s : *%s[37]\n", f->scatter ? "%at" : "%o", t);
    text_printf(&s, "  %%op = addptr %%os, %s : *%s[37]\n", f->scatter ? "%o" : "%at", t);
    if (f->other)
        text_printf(&s, "  %%other = cast %%lane : %s[37]\n", dtype_is_fp8(f->t) ? "fp32" : t);
    if (f->other && dtype_is_fp8(f->t))
        text_printf(&s, "  %%other8 = cast %%other : %s[37]\n", t);
    const char *other = !f->other ? "" : dtype_is_fp8(f->t) ? ", %other8" : ", %other";
    text_printf(&s, "  %%v = load %%xp%s%s : %s[37]\n", f->scatter && !f->other ? "" : mask, other,
                t);
    text_printf(&s, "  store %%op, %%v%s\n  return\n}\n", f->scatter ? mask : "");
    return s.s;
}

static void check_access(const MemoryAccess *f, Engine engine, const char *name)
{
    Case c = new_case();
    uint8_t *flags = data_of(c.arena, DT_I1, REACH);
    c.aligned = f->t % 2 == 0;
    add_array(&c, f->t, REACH, data_of(c.arena, f->t, REACH));
    add_array(&c, f->t, REACH, NULL);
    add_array(&c, DT_I32, PROGRAMS * TILE, shuffled(c.arena, PROGRAMS * TILE));
    add_array(&c, DT_I1, PROGRAMS * TILE, flags);
    add_scalar(&c, DT_I32, N);
    add_scalar(&c, DT_I32, 5);
    c.text = text_of_access(c.arena, f);
    versus_expect(&c, engine,
                  arena_printf(c.arena, "%s, %s, %s%s%s", dtype_name(f->t), name,
                               masks[f->mask].name, f->other ? ", other" : "",
                               f->scatter ? ", scatter" : ""));
    arena_free(c.arena);
}

/* Combinations under one promise each, in turn; all of them on two dtypes, a fifth on the others.
 */
static void test_loads_and_stores(void **state)
{
    (void)state;
    int turn = 0;
    for (DType t = 0; t < DT_COUNT; t++) {
        for (int i = 0; i <= COUNT(addresses); i++) {
            for (int m = 0; m < COUNT(masks); m++) {
                bool one = i == COUNT(addresses);
                MemoryAccess f = {t, one ? one_address : addresses[i].text, m, false, false};
                const char *name = one ? "one address" : addresses[i].name;
                turn += 1 + (m == 0);
                f.scatter = !one && turn % 2;
                f.other = m > 0 && turn % 3 == 0;
                if ((t + i + m) % 5 != 0 && t != DT_FP16 && t != DT_U8)
                    continue;
                if (thorough() || (t + m) % 2 == 0)
                    check_access(&f, engines[turn % COUNT(engines)], name);
                if (thorough() || (t + m) % 2 != 0)
                    check_access(&f, simulators[turn % COUNT(simulators)], name);
            }
        }
    }
}

/* --- atomics --- */

static const char *const kinds[] = {
    [RMW_ADD] = "add", [RMW_MAX] = "max", [RMW_MIN] = "min",  [RMW_AND] = "and",
    [RMW_OR] = "or",   [RMW_XOR] = "xor", [RMW_XCHG] = "xchg"};

/* Lanes meet in 10 cells.  What they find there depends on their order, which is not theirs for
 * floats on GPUs, where one max or min is two instructions: these have a cell each. */
enum { FEW_CELLS = 10, MANY_CELLS = PROGRAMS * TILE };

/* Programs of a device come in any order: what was there before, what stays where the last one
 * wins, and how a sum was rounded is known only where each cell is one element's alone. */
static bool is_ordered(DType t, const char *op, const char *attrs, bool used)
{
    bool last_wins = strcmp(op, "atomic_cas") == 0 || strstr(attrs, "xchg");
    bool rounds = dtype_is_float(t) && strstr(attrs, "add");

    return versus_device() == NULL || !(used || last_wins || rounds);
}

static int cells_for(DType t, const char *attrs, bool ordered)
{
    bool picks = strstr(attrs, "max") || strstr(attrs, "min");

    return !ordered || (dtype_is_float(t) && picks) ? MANY_CELLS : FEW_CELLS;
}

/* Both shapes of pointer: a tile, and one cell for all programs. */
static const char *atomic_text(Arena *a, DType t, const char *op, const char *attrs, int operands,
                               bool masked, bool used, bool ordered)
{
    const char *type = dtype_name(t);
    Text s = text_new(a);
    text_printf(
        &s, "kernel @k(%%x: *%s, %%cells: *%s, %%old: *%s, %%flags: *i1, %%one: *%s, %%y: *%s) {\n",
        type, type, type, type, type);
    text_put(&s,
             "  %pid = program_id axis=0 : i32\n  %c = const 37 : i32\n  %b = mul %pid, %c : i32\n"
             "  %bs = splat %b : i32[37]\n  %lane = arange start=0 : i32[37]\n"
             "  %at = add %bs, %lane : i32[37]\n");
    text_printf(&s, "  %%cells37 = const %d : i32[37]\n", cells_for(t, attrs, ordered));
    text_put(&s, "  %cell = rem %at, %cells37 : i32[37]\n  %fp0 = splat %flags : *i1[37]\n"
                 "  %fp = addptr %fp0, %at : *i1[37]\n  %m = load %fp : i1[37]\n"
                 "  %sfp = addptr %flags, %pid : *i1\n  %sm = load %sfp : i1\n");
    for (const char *name = "x"; name; name = *name == 'x' ? "y" : NULL) {
        text_printf(&s, "  %%%ss = splat %%%s : *%s[37]\n", name, name, type);
        text_printf(&s, "  %%%sp = addptr %%%ss, %%at : *%s[37]\n", name, name, type);
        text_printf(&s, "  %%%sv = load %%%sp : %s[37]\n", name, name, type);
        text_printf(&s, "  %%%sq = addptr %%%s, %%pid : *%s\n  %%%s1 = load %%%sq : %s\n", name,
                    name, type, name, name, type);
    }
    text_printf(&s, "  %%cs = splat %%cells : *%s[37]\n  %%cp = addptr %%cs, %%cell : *%s[37]\n",
                type, type);
    text_printf(&s, "  %%r = %s %%cp, %%xv%s%s%s : %s[37]\n", op, operands == 3 ? ", %yv" : "",
                masked ? ", %m" : "", attrs, type);
    if (ordered)
        text_printf(&s, "  %%r1 = %s %%one, %%x1%s%s%s : %s\n", op, operands == 3 ? ", %y1" : "",
                    masked ? ", %sm" : "", attrs, type);
    if (used) {
        text_printf(&s, "  %%os = splat %%old : *%s[37]\n  %%op = addptr %%os, %%at : *%s[37]\n",
                    type, type);
        text_put(&s, "  store %op, %r\n");
    }
    if (used && ordered) {
        text_put(&s, "  %c111 = const 111 : i32\n  %l = add %pid, %c111 : i32\n");
        text_printf(&s, "  %%op1 = addptr %%old, %%l : *%s\n  store %%op1, %%r1\n", type);
    }
    text_put(&s, "  return\n}\n");
    return s.s;
}

static void check_atomic(DType t, const char *op, const char *attrs, int operands, bool masked,
                         bool used, Engine engine)
{
    Case c = new_case();
    add_array(&c, t, PROGRAMS * TILE, data_of(c.arena, t, PROGRAMS * TILE));
    add_array(&c, t, MANY_CELLS, data_of(c.arena, t, MANY_CELLS));
    add_array(&c, t, PROGRAMS * TILE + PROGRAMS, NULL);
    add_array(&c, DT_I1, PROGRAMS * TILE, data_of(c.arena, DT_I1, PROGRAMS * TILE));
    add_array(&c, t, 1, NULL);
    add_array(&c, t, PROGRAMS * TILE, data_of(c.arena, t, PROGRAMS * TILE));
    c.text =
        atomic_text(c.arena, t, op, attrs, operands, masked, used, is_ordered(t, op, attrs, used));
    c.warps = t % 2 ? 4 : 1; /* more than the tile needs: there are copies */
    versus_expect(
        &c, engine,
        arena_printf(c.arena, "%s%s on %s%s", op, attrs, dtype_name(t), masked ? ", masked" : ""));
    arena_free(c.arena);
}

/* On all engines. */
static void check_everywhere(DType t, const char *op, const char *attrs, int operands, bool masked,
                             bool used)
{
    check_atomic(t, op, attrs, operands, masked, used, used ? ENGINE_CPU : ENGINE_CPU_DISJOINT);
    check_atomic(t, op, attrs, operands, masked, used, ENGINE_CPU_ALONE);
    check_atomic(t, op, attrs, operands, masked, used, used ? ENGINE_SIM : ENGINE_SIM_DISJOINT);
}

static void test_atomics(void **state)
{
    static const char *const orders[] = {"relaxed", "acquire scope=cta", "release scope=sys",
                                         "acq_rel"};

    (void)state;
    for (DType t = 0; t < DT_COUNT; t++) {
        for (int k = 0; k < COUNT(kinds); k++) {
            char attrs[60];
            if (dtype_is_float(t) && (k == RMW_AND || k == RMW_OR || k == RMW_XOR))
                continue;
            snprintf(attrs, sizeof attrs, " kind=%s sem=%s", kinds[k], orders[(t + k) % 4]);
            check_everywhere(t, "atomic_rmw", attrs, 2, (t + k) % 2, (t + k) % 3 != 0);
            if (t == DT_I32 || t == DT_FP32 || t == DT_BF16)
                check_everywhere(t, "atomic_rmw", attrs, 2, (t + k + 1) % 2, true);
        }
        check_everywhere(t, "atomic_cas", "", 3, false, t % 2);
    }
}

/* Rows that are added to memory, of which those of two programs have 20 elements in common. */
static void check_added_row(DType t, int mask, Engine engine)
{
    Case c = new_case();
    Text s = text_new(c.arena);
    const char *type = dtype_name(t);
    text_printf(&s, "kernel @k(%%x: *%s, %%out: *%s, %%flags: *i1, %%n: i32) {\n", type, type);
    text_put(&s, "  %pid = program_id axis=0 : i32\n  %c = const 37 : i32\n"
                 "  %b = mul %pid, %c : i32\n  %bs = splat %b : i32[37]\n"
                 "  %lane = arange start=0 : i32[37]\n  %at = add %bs, %lane : i32[37]\n"
                 "  %d = const 17 : i32\n  %e = mul %pid, %d : i32\n"
                 "  %es = splat %e : i32[37]\n  %to = add %es, %lane : i32[37]\n");
    text_put(&s, masks[mask].text);
    text_printf(&s, "  %%xs = splat %%x : *%s[37]\n  %%os = splat %%out : *%s[37]\n", type, type);
    text_printf(&s, "  %%xp = addptr %%xs, %%at : *%s[37]\n", type);
    text_printf(&s, "  %%op = addptr %%os, %%to : *%s[37]\n", type);
    text_printf(&s, "  %%v = load %%xp : %s[37]\n", type);
    text_printf(&s, "  %%old = atomic_rmw %%op, %%v%s kind=add : %s[37]\n  return\n}\n",
                mask ? ", %m" : "", type);
    add_array(&c, t, PROGRAMS * TILE, data_of(c.arena, t, PROGRAMS * TILE));
    add_array(&c, t, PROGRAMS * TILE, data_of(c.arena, t, PROGRAMS * TILE));
    add_array(&c, DT_I1, PROGRAMS * TILE, data_of(c.arena, DT_I1, PROGRAMS * TILE));
    add_scalar(&c, DT_I32, N);
    c.text = s.s;
    versus_expect(&c, engine, arena_printf(c.arena, "%s, %s", type, masks[mask].name));
    arena_free(c.arena);
}

static void test_atomics_of_rows(void **state)
{
    static const DType types[] = {DT_FP32, DT_FP64, DT_FP16, DT_BF16, DT_I32};
    static const Engine ways[] = {ENGINE_CPU, ENGINE_CPU_STREAMING, ENGINE_CPU_ALONE};

    (void)state;
    for (int i = 0; i < COUNT(types); i++) {
        for (int mask = 0; mask < COUNT(masks); mask++) {
            for (int k = 0; k < COUNT(ways); k++)
                check_added_row(types[i], mask, ways[k]);
        }
    }
}

/* --- runs of indices beside one number --- */

enum { RUN = 1024 };

/* A comparison of the indices of a run and %n, either way round, as a mask of loads. */
static void check_bound(const char *op, bool left, int32_t number, Engine engine)
{
    Case c = new_case();

    c.text =
        arena_printf(c.arena,
                     "kernel @k(%%x: *fp32 div 16, %%out: *fp32 div 16, %%n: i32) {\n"
                     "  %%pid = program_id axis=0 : i32\n  %%c = const %d : i32\n"
                     "  %%b = mul %%pid, %%c : i32\n  %%bs = splat %%b : i32[%d]\n"
                     "  %%lane = arange start=0 : i32[%d]\n  %%at = add %%bs, %%lane : i32[%d]\n"
                     "  %%ns = splat %%n : i32[%d]\n  %%m = %s %s : i1[%d]\n"
                     "  %%xs = splat %%x : *fp32[%d]\n  %%xp = addptr %%xs, %%at : *fp32[%d]\n"
                     "  %%v = load %%xp, %%m : fp32[%d]\n  %%os = splat %%out : *fp32[%d]\n"
                     "  %%op = addptr %%os, %%at : *fp32[%d]\n  %%k = const 7.0 : fp32[%d]\n"
                     "  %%w = select %%m, %%v, %%k : fp32[%d]\n  store %%op, %%w\n  return\n}\n",
                     RUN, RUN, RUN, RUN, RUN, op, left ? "%at, %ns" : "%ns, %at", RUN, RUN, RUN,
                     RUN, RUN, RUN, RUN, RUN);
    add_array(&c, DT_FP32, PROGRAMS * RUN, data_of(c.arena, DT_FP32, PROGRAMS * RUN));
    add_array(&c, DT_FP32, PROGRAMS * RUN, data_of(c.arena, DT_FP32, PROGRAMS * RUN));
    add_scalar(&c, DT_I32, (uint32_t)number);
    versus_expect(&c, engine,
                  arena_printf(c.arena, "%s, %s, n = %d", op, left ? "i, n" : "n, i", number));
    arena_free(c.arena);
}

static void test_bounds(void **state)
{
    static const char *const ops[] = {"lt", "le", "gt", "ge"};
    static const int32_t numbers[] = {INT32_MIN, -1,      0,           1,
                                      RUN + 345, 2 * RUN, 2 * RUN - 1, INT32_MAX};
    static const Engine ways[] = {ENGINE_CPU, ENGINE_SIM};

    (void)state;
    for (int i = 0; i < COUNT(ops) * COUNT(numbers) * COUNT(ways); i++) {
        Engine engine = ways[i % COUNT(ways)];
        int32_t number = numbers[i / COUNT(ways) % COUNT(numbers)];
        const char *op = ops[i / COUNT(ways) / COUNT(numbers)];
        check_bound(op, true, number, engine);
        check_bound(op, false, number, engine);
    }
}

/* Programs add to a number that is no atomic, one at a time, each with all of its threads: what the
 * one before has written is there when the lock is taken. */
static void test_lock(void **state)
{
    static const Engine ways[] = {ENGINE_INTERP, ENGINE_CPU, ENGINE_SIM, ENGINE_SIM_DISJOINT};
    static const char text[] = "kernel @k(%lock: *i32, %sums: *i32) {\n"
                               "  %free = const 0 : i32\n"
                               "  %taken = const 1 : i32\n"
                               "  %first = atomic_cas %lock, %free, %taken : i32\n"
                               "  %none = while %first : i32 { (%was: i32)\n"
                               "    %again = ne %was, %free : i1\n"
                               "    condition %again, %was\n"
                               "  } { (%was2: i32)\n"
                               "    %next = atomic_cas %lock, %free, %taken : i32\n"
                               "    yield %next\n"
                               "  }\n"
                               "  %at = arange start=0 : i32[256]\n"
                               "  %back = const 255 : i32[256]\n"
                               "  %from = sub %back, %at : i32[256]\n"
                               "  %base = splat %sums : *i32[256]\n"
                               "  %p = addptr %base, %from : *i32[256]\n"
                               "  %q = addptr %base, %at : *i32[256]\n"
                               "  %x = load %p cache=cg : i32[256]\n"
                               "  %y = add %x, %at : i32[256]\n"
                               "  store %q, %y\n"
                               "  %old = atomic_rmw %lock, %free kind=xchg : i32\n"
                               "  return\n"
                               "}\n";

    (void)state;
    for (int i = 0; i < COUNT(ways); i++) {
        Case c = {.arena = arena_new(NULL), .plugin = plugin, .text = text, .grid = {20, 1, 1}};
        c.params[c.nparams++] = (Argument){.dtype = DT_I32, .n = 1};
        c.params[c.nparams++] = (Argument){.dtype = DT_I32, .n = 256};
        c.warps = 4;
        versus_expect(&c, ways[i], "lock");
        arena_free(c.arena);
    }
}

/* Many threads of the CPU add into the same few cells; sums of ones are exact in any order. */
static void check_threads(DType t)
{
    Case c = new_case();
    Diags *d = diags_new(c.arena, NULL);
    c.text = atomic_text(c.arena, t, "atomic_rmw", " kind=add", 2, false, false, true);
    Module *m = versus_read(&c, d);
    OptOptions opt = {.native = plugin->targets[0]->native_math, .verify = true};
    assert_true(m != NULL && opt_run(m, &opt, d));
    GenOptions o = {.cpu = host_cpu_name(), .features = host_cpu_features()};
    GenOutput out;
    Code *code;
    const char *why = NULL;
    assert_true(plugin->targets[0]->emit(versus_kernel(m), &o, GEN_OBJECT, c.arena, &out, d));
    assert_int_equal(code_load(out.data, out.len, &code, &why), RUN_OK);
    enum { MANY = 3000 };
    size_t size = (size_t)dtype_size(t);
    uint8_t *x = arena_alloc(c.arena, MANY * TILE * size),
            *flags = arena_alloc(c.arena, MANY * TILE);
    uint8_t cells[10 * 8] = {0}, one[8] = {0};
    uint64_t unit = scalar_from_double(t, 1);
    for (size_t i = 0; i < MANY * TILE; i++)
        memcpy(x + i * size, &unit, size);
    const uint64_t slots[] = {(uintptr_t)x,     (uintptr_t)cells, 0,
                              (uintptr_t)flags, (uintptr_t)one,   (uintptr_t)x};
    Pool *pool;
    assert_int_equal(pool_new(4, &pool), RUN_OK);
    CpuLaunch launch = {.entry = (CpuKernel *)code_symbol(code, "tilec_kernel"),
                        .scratch = out.scratch,
                        .args = slots,
                        .grid = {MANY, 1, 1}};
    assert_int_equal(cpu_launch(pool, &launch), RUN_OK);
    pool_free(pool);
    code_free(code);
    for (int i = 0; i < 10; i++) {
        uint64_t bits = 0;
        memcpy(&bits, cells + (size_t)i * size, size);
        assert_true(scalar_to_double(t, bits) == MANY * TILE / 10);
    }
    uint64_t bits = 0;
    memcpy(&bits, one, size);
    assert_true(scalar_to_double(t, bits) == MANY);
    arena_free(c.arena);
}

static void test_threads(void **state)
{
    (void)state;
    check_threads(DT_I32);
    check_threads(DT_FP32);
    check_threads(DT_U64);
    check_threads(DT_FP64);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_loads_and_stores), cmocka_unit_test(test_atomics),
        cmocka_unit_test(test_atomics_of_rows),  cmocka_unit_test(test_lock),
        cmocka_unit_test(test_threads),          cmocka_unit_test(test_bounds),
    };
    return cmocka_run_group_tests(tests, versus_open, versus_close);
}
