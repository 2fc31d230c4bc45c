/*
 * test_nv.c - the target for NVIDIA GPUs: plans, and code that NVIDIA's assembler takes
 *
 * Every tests/gen/NAME.ir is planned and compiled for each of the chips below.  NAME.layout beside
 * it, when there is one, is the wanted text of the plan for the first chip, and NAME.CHIP.layout
 * that for another one (TILEC_UPDATE=1 writes).  Where ptxas is installed it has to take the code.
 * What the code computes is tested where it runs: see versus.h.  TILEC_CASE=add takes the cases
 * with that in their name; TILEC_SHOW=layout, llvm or ptx prints that.
 */
#define _GNU_SOURCE /* memmem */
#include <dirent.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "../../src/gen/gen.h"
#include "../../src/gpu_plan/chip.h"
#include "../../src/opt_target/opt_target.h"
#include "../../src/run/run.h"
#include "../../src/sim/sim.h"

#include "made.h"
#include <cmocka.h> /* after base.h: both have a fail() */

static const char *const chips[] = {"sm_80", "sm_90a", "sm_100", "sm_100a"};

static const Target *target_named(const GenPlugin *plugin, const char *name)
{
    for (int i = 0; i < plugin->ntargets; i++) {
        if (strcmp(plugin->targets[i]->name, name) == 0)
            return plugin->targets[i];
    }
    fail_msg("the plugin has no target '%s'", name);
    return NULL;
}

static bool has_ptxas(void)
{
    return system("command -v ptxas >/dev/null 2>&1") == 0;
}

/* What has been given to ptxas for one chip is given for others thoroughly, and sometimes. */
static bool may_assemble(Arena *a, const char *name, const char *chip)
{
    return has_ptxas() && chosen(arena_printf(a, "%s for %s", name, chip), 0, 3);
}

/* Fails with what ptxas says.  Gives the bytes of registers that it had to spill. */
static int assemble(Arena *a, const char *name, const char *chip, const GenOutput *code)
{
    char path[] = "/tmp/tilec-nv-XXXXXX";
    int file = mkstemp(path);

    assert_true(file >= 0);
    assert_int_equal(write(file, code->data, code->len), (ssize_t)code->len);
    close(file);
    const char *command =
        arena_printf(a, "ptxas -arch=%s -v -o /dev/null %s >%s.out 2>&1", chip, path, path);
    int status = system(command);
    char *said = "";
    size_t len;
    const char *out = arena_printf(a, "%s.out", path);
    os_read_file(a, out, 1 << 20, &said, &len);
    unlink(out);
    if (status != 0)
        fail_msg("%s for %s: ptxas says %s\n%s", name, chip, said, code->data);
    unlink(path);
    if (strstr(said, "serialized")) /* products that were to be in flight */
        fail_msg("%s for %s: ptxas says %s", name, chip, said);
    const char *spilled = strstr(said, "bytes stack frame, ");
    assert_non_null(spilled);
    return (int)strtol(strchr(spilled, ',') + 1, NULL, 10);
}

static GenStage shown(void)
{
    const char *show = getenv("TILEC_SHOW");

    if (!show)
        return GEN_OBJECT;
    return strcmp(show, "layout") == 0 ? GEN_LAYOUT
           : strcmp(show, "llvm") == 0 ? GEN_LLVM
                                       : GEN_PTX;
}

typedef struct {
    const Target *target;
    Arena *arena;
    const char *name;
    const Func *func;
    bool assemble;
} Case;

/* False: the target cannot do it yet, and says where. */
static bool emit(const Case *c, const char *chip, GenStage stage, GenOutput *out)
{
    Diags *d = diags_new(c->arena, NULL);
    GenOptions o = {.cpu = chip, .disjoint = true};

    if (made(c->target, c->func, &o, stage, c->arena, out, d))
        return true;
    const char *said = diags_text(d, c->arena);
    if (!strstr(said, "not yet on this target"))
        fail_msg("%s for %s: %s", c->name, chip, said);
    return false;
}

static void check_layout(const Case *c, const char *chip, const char *path)
{
    GenOutput out;
    char *want;
    size_t len;

    if (os_read_file(c->arena, path, 1 << 20, &want, &len) != 0)
        return;
    assert_true(emit(c, chip, GEN_LAYOUT, &out));
    if (getenv("TILEC_UPDATE"))
        assert_int_equal(os_write_file(path, out.data, out.len), 0);
    else
        assert_string_equal(out.data, want);
}

static bool is_power(int n)
{
    return n > 0 && (n & (n - 1)) == 0;
}

/*
 * Gives how many chips there is code for.  What is planned for 32 lanes can be for 64.  Beside the
 * warps that compute there may be one, or a group of four, that brings tiles.
 */
static int check_code(const Case *c)
{
    GenOutput out, wide;
    int made = 0;

    if (emit(c, chips[0], GEN_LAYOUT, &out))
        assert_true(emit(c, chip_64_lanes, GEN_LAYOUT, &wide));
    for (int i = 0; i < COUNT(chips); i++) {
        if (!chosen(c->name, (uint64_t)i, 3) || !emit(c, chips[i], GEN_OBJECT, &out))
            continue;
        made++;
        assert_true(is_power(out.warps) || is_power(out.warps - 1) || is_power(out.warps - 4));
        assert_non_null(strstr(out.data, arena_printf(c->arena, ".entry %s(", c->func->name)));
        if (c->assemble)
            assemble(c->arena, c->name, chips[i], &out);
    }
    return made;
}

static void show(const Case *c)
{
    GenOutput out;

    if (shown() != GEN_OBJECT && emit(c, chips[0], shown(), &out))
        printf("%s:\n%s\n", c->name, (char *)out.data);
}

static Func *read_kernel(Arena *a, const char *name, const char *text, size_t len, const Target *t)
{
    Diags *d = diags_new(a, NULL);
    const Source *src = source_add(diags_sources(d), name, text, len);
    Module *m = ir_read(a, interner_new(a), src, d);
    OptOptions o = {.native = t->native_math,
                    .straight_math = t->straight_math,
                    .schedules = true,
                    .disjoint = true,
                    .verify = true};

    if (!m || !opt_run(m, &o, d))
        fail_msg("%s: %s", name, diags_text(d, a));
    return m->funcs[0];
}

static int run_case(const Target *t, const char *folder, const char *name, bool with_ptxas)
{
    Arena *a = arena_new(NULL);
    const char *path = arena_printf(a, "%s/%s", folder, name);
    char *text;
    size_t len;

    assert_int_equal(os_read_file(a, path, 1 << 20, &text, &len), 0);
    Case c = {t, a, name, read_kernel(a, name, text, len, t), with_ptxas && chosen(name, 0, 12)};
    show(&c);
    int stem = (int)strlen(path) - 3;
    check_layout(&c, chips[0], arena_printf(a, "%.*s.layout", stem, path));
    for (int i = 1; i < COUNT(chips); i++)
        check_layout(&c, chips[i], arena_printf(a, "%.*s.%s.layout", stem, path, chips[i]));
    int made = check_code(&c);
    arena_free(a);
    return made;
}

static void test_cases(void **state)
{
    const char *why = NULL, *only = getenv("TILEC_CASE");
    Arena *a = arena_new(NULL);
    const GenPlugin *plugin = run_plugin(a, &why);
    int cases = 0, made = 0;

    (void)state;
    if (!plugin)
        fail_msg("no code generator: %s", why);
    const Target *t = target_named(plugin, "nv");
    const char *folder = arena_printf(a, "%s/tests/gen", getenv("TILEC_SOURCE"));
    DIR *dir = opendir(folder);
    bool with_ptxas = has_ptxas();
    assert_non_null(dir);
    for (struct dirent *e = readdir(dir); e; e = readdir(dir)) {
        size_t len = strlen(e->d_name);
        if (len < 4 || strcmp(e->d_name + len - 3, ".ir") != 0 ||
            (only && !strstr(e->d_name, only)))
            continue;
        cases++;
        made += run_case(t, folder, e->d_name, with_ptxas);
    }
    closedir(dir);
    printf("%d cases, code for %d of %d%s\n", cases, made, cases * COUNT(chips),
           with_ptxas ? ", all of which ptxas takes" : "; ptxas is not installed");
    arena_free(a);
    assert_true(made > 0);
}

/* --- arrays that nobody writes --- */

static int occurrences(const char *text, const char *what)
{
    int n = 0;

    for (const char *at = strstr(text, what); at; at = strstr(at + 1, what))
        n++;
    return n;
}

/* How often code for such a kernel, where x is read and y written, loads what it takes for
 * constant; `before`, `more`: ops in front of the loads and of the store. */
static int constant_loads(const char *before, const char *more, bool disjoint)
{
    const char *why = NULL;
    Arena *a = arena_new(NULL);
    const GenPlugin *plugin = run_plugin(a, &why);
    GenOptions o = {.cpu = chips[0], .disjoint = disjoint};
    GenOutput out;

    assert_non_null(plugin);
    const Target *t = target_named(plugin, "nv");
    const char *text = arena_printf(a,
                                    "kernel @k(%%x: *i32, %%y: *i32) {\n"
                                    "%s"
                                    "  %%a = load %%x : i32\n"
                                    "  %%b = load %%y : i32\n"
                                    "  %%c = add %%a, %%b : i32\n"
                                    "%s"
                                    "  store %%y, %%c\n"
                                    "  return\n"
                                    "}\n",
                                    before, more);
    Func *f = read_kernel(a, "constant.ir", text, strlen(text), t);
    assert_true(t->emit(f, &o, GEN_OBJECT, a, &out, diags_new(a, NULL)));
    int all = occurrences(out.data, "ld.global"), constant = occurrences(out.data, "ld.global.nc");
    arena_free(a);
    assert_int_equal(all, 2);
    return constant;
}

/* Ahead of time a launch learns the recipe from the object: bytes for each program, how many
 * parameters the caller gives, and how many there are. */
static void test_built_workspace(void **state)
{
    static const GenLevel level = {.name = "sm_80"};
    static const char text[] = "kernel @k(%x: *i32, %a: *i32 hidden workspace 900,"
                               " %b: *i32 hidden workspace 224) {\n"
                               "  %v = load %x : i32\n  store %a, %v\n  store %b, %v\n"
                               "  return\n}\n";
    const struct {
        int64_t workspace;
        int32_t own, params;
    } want = {960 + 256, 1, 3};
    const char *why = NULL;
    Arena *a = arena_new(NULL);
    const Target *t = target_named(run_plugin(a, &why), "nv");
    const Func *f = read_kernel(a, "built.ir", text, strlen(text), t);
    const GenForm form = {.symbol = "built", .funcs = &f};
    const GenBuild b = {.levels = &level, .nlevels = 1, .forms = &form, .nforms = 1};
    GenOutput out;

    (void)state;
    assert_true(t->build(&b, a, &out, diags_new(a, NULL)));
    assert_non_null(memmem(out.data, out.len, &want, sizeof want));
    arena_free(a);
}

static void test_constant_arrays(void **state)
{
    (void)state;
    static const char store[] = "  %zero = const 0 : i32\n  store %y, %zero\n";
    static const char atomic[] = "  %d = atomic_rmw %y, %c kind=add sem=relaxed scope=gpu : i32\n";

    assert_int_equal(constant_loads(store, "", true), 1);
    assert_int_equal(constant_loads(store, "", false), 0);
    assert_int_equal(constant_loads(store, atomic, true), 0);
    assert_int_equal(constant_loads("", "", true), 0); /* it could only be done later */
}

/* --- quotients and remainders by one number --- */

static void test_reciprocals(void **state)
{
    static const char text[] = "kernel @k(%x: *i32 div 16, %n: i32) {\n"
                               "  %i = arange start=0 : i32[1024]\n"
                               "  %ns = splat %n : i32[1024]\n"
                               "  %q = div %i, %ns : i32[1024]\n"
                               "  %r = rem %i, %ns : i32[1024]\n"
                               "  %both = xor %q, %r : i32[1024]\n"
                               "  %xs = splat %x : *i32[1024]\n"
                               "  %p = addptr %xs, %i : *i32[1024]\n"
                               "  store %p, %both\n"
                               "  return\n"
                               "}\n";
    const char *why = NULL;
    Arena *a = arena_new(NULL);
    const GenPlugin *plugin = run_plugin(a, &why);
    GenOptions o = {.cpu = chips[0], .disjoint = true};
    GenOutput out;

    (void)state;
    assert_non_null(plugin);
    const Target *t = target_named(plugin, "nv");
    Func *f = read_kernel(a, "reciprocals.ir", text, strlen(text), t);
    assert_true(t->emit(f, &o, GEN_OBJECT, a, &out, diags_new(a, NULL)));
    assert_int_equal(occurrences(out.data, "bfind.u32"), 1);
    arena_free(a);
}

/* --- tiles longer than registers --- */

/* Six tiles that are all in use at once: the sums of neighbours, multiplied; in place, too. */
static const char *long_kernel(Arena *a, int n, const char *dtype)
{
    enum { TILES = 6 };
    Text t = text_new(a), body = text_new(a);

    text_put(&t, "kernel @k(%n: i32");
    text_printf(&body, "  %%i = arange start=0 : i32[%d]\n  %%ns = splat %%n : i32[%d]\n", n, n);
    text_printf(&body, "  %%m = lt %%i, %%ns : i1[%d]\n", n);
    for (int k = 0; k < TILES; k++) {
        text_printf(&t, ", %%x%d: *%s div 16", k, dtype);
        text_printf(&body, "  %%s%d = splat %%x%d : *%s[%d]\n", k, k, dtype, n);
        text_printf(&body, "  %%p%d = addptr %%s%d, %%i : *%s[%d]\n", k, k, dtype, n);
        text_printf(&body, "  %%v%d = load %%p%d, %%m : %s[%d]\n", k, k, dtype, n);
    }
    for (int k = 0; k < TILES; k++)
        text_printf(&body, "  %%a%d = add %%v%d, %%v%d : %s[%d]\n", k, k, (k + 1) % TILES, dtype,
                    n);
    text_printf(&body, "  %%c0 = sub %%a0, %%v0 : %s[%d]\n", dtype, n);
    for (int k = 1; k < TILES; k++)
        text_printf(&body, "  %%c%d = mul %%c%d, %%a%d : %s[%d]\n", k, k - 1, k, dtype, n);
    text_printf(&t, ") {\n%s  store %%p0, %%c%d, %%m\n  return\n}\n", body.s, TILES - 1);
    return t.s;
}

static void test_long_tiles(void **state)
{
    static const char *const dtypes[] = {"fp32", "fp64", "i8", "i16"};
    static const int extents[] = {4096, 16384, 50000, 65536};
    const char *why = NULL;
    Arena *a = arena_new(NULL);
    const GenPlugin *plugin = run_plugin(a, &why);

    (void)state;
    assert_non_null(plugin);
    const Target *t = target_named(plugin, "nv");
    for (int i = 0; i < COUNT(dtypes) * COUNT(extents) && has_ptxas(); i++) {
        int n = extents[i / COUNT(dtypes)];
        const char *name = arena_printf(a, "%d of %s", n, dtypes[i % COUNT(dtypes)]);
        if (!chosen(name, 0, 8))
            continue;
        const char *text = long_kernel(a, n, dtypes[i % COUNT(dtypes)]);
        Case c = {t, a, name, read_kernel(a, name, text, strlen(text), t), true};
        GenOutput out;
        assert_true(emit(&c, chips[1], GEN_LAYOUT, &out));
        if (n > 4096)
            assert_non_null(strstr(out.data, "\nslices "));
        assert_true(emit(&c, chips[1], GEN_OBJECT, &out));
        assert_int_equal(assemble(a, name, chips[1], &out), 0);
    }
    arena_free(a);
}

/* --- atomics of neighbours --- */

/* How often `what` stands in code for 256 additions by 32 threads each of which has 8 neighbours.
 */
static int additions(const char *dtype, const char *chip, bool used, const char *what)
{
    const char *why = NULL;
    Arena *a = arena_new(NULL);
    const GenPlugin *plugin = run_plugin(a, &why);
    GenOutput out;

    assert_non_null(plugin);
    const Target *t = target_named(plugin, "nv");
    const char *store = used ? "  store %xp, %old\n" : "";
    const char *text = arena_printf(
        a,
        "kernel @k(%%x: *%s div 16, %%y: *%s div 16, %%n: i32 div 16) num_warps=1 {\n"
        "  %%i = arange start=0 : i32[256]\n"
        "  %%ns = splat %%n : i32[256]\n"
        "  %%m = lt %%i, %%ns : i1[256]\n"
        "  %%xs = splat %%x : *%s[256]\n"
        "  %%xp = addptr %%xs, %%i : *%s[256]\n"
        "  %%ys = splat %%y : *%s[256]\n"
        "  %%yp = addptr %%ys, %%i : *%s[256]\n"
        "  %%v = load %%xp : %s[256]\n"
        "  %%old = atomic_rmw %%yp, %%v, %%m kind=add sem=relaxed scope=gpu : %s[256]\n"
        "%s  return\n}\n",
        dtype, dtype, dtype, dtype, dtype, dtype, dtype, dtype, store);
    Case c = {t, a, "add.ir", read_kernel(a, "add.ir", text, strlen(text), t), false};
    assert_true(emit(&c, chip, GEN_OBJECT, &out));
    int n = occurrences(out.data, what);
    arena_free(a);
    return n;
}

static void test_neighbours(void **state)
{
    (void)state;
    assert_int_equal(additions("fp16", "sm_80", false, "red.relaxed.gpu.global.add.noftz.f16x2"),
                     4);
    assert_int_equal(additions("fp16", "sm_90a", true, "add.noftz.v4.f16x2 {"), 1);
    assert_int_equal(additions("bf16", "sm_80", true, ".cas.b16"), 8);
    assert_int_equal(
        additions("bf16", "sm_100", false, "red.relaxed.gpu.global.add.noftz.v4.bf16x2"), 1);
    assert_int_equal(additions("fp32", "sm_80", false, "red.relaxed.gpu.global.add.f32"), 8);
    assert_int_equal(additions("fp32", "sm_90a", false, "red.relaxed.gpu.global.add.v4.f32"), 2);
    assert_int_equal(additions("i32", "sm_90a", false, "red.relaxed.gpu.global.add.u32"), 8);
}

/* --- two elements in a word --- */

/* How often `what` stands in code for that op on 8 neighbours of each thread. */
static int of_pairs(const char *dtype, const char *chip, const char *op, const char *what)
{
    const char *why = NULL;
    Arena *a = arena_new(NULL);
    const GenPlugin *plugin = run_plugin(a, &why);
    GenOutput out;

    assert_non_null(plugin);
    const Target *t = target_named(plugin, "nv");
    const char *text =
        arena_printf(a,
                     "kernel @k(%%x: *%s div 16, %%y: *%s div 16) num_warps=1 {\n"
                     "  %%i = arange start=0 : i32[256]\n"
                     "  %%xs = splat %%x : *%s[256]\n"
                     "  %%xp = addptr %%xs, %%i : *%s[256]\n"
                     "  %%ys = splat %%y : *%s[256]\n"
                     "  %%yp = addptr %%ys, %%i : *%s[256]\n"
                     "  %%a = load %%xp : %s[256]\n"
                     "  %%b = load %%yp : %s[256]\n"
                     "  %%c = %s %%a, %%b : %s[256]\n"
                     "  store %%yp, %%c\n"
                     "  return\n"
                     "}\n",
                     dtype, dtype, dtype, dtype, dtype, dtype, dtype, dtype, op, dtype);
    Case c = {t, a, "pair.ir", read_kernel(a, "pair.ir", text, strlen(text), t), false};
    assert_true(emit(&c, chip, GEN_OBJECT, &out));
    int n = occurrences(out.data, what);
    arena_free(a);
    return n;
}

static void test_pairs(void **state)
{
    static const char round[] = "cvt.rn.bf16x2.f32";

    (void)state;
    assert_int_equal(of_pairs("fp16", "sm_80", "add", "add.rn.f16x2"), 4);
    assert_int_equal(of_pairs("fp16", "sm_80", "mul", "mul.rn.f16x2"), 4);
    assert_int_equal(of_pairs("fp16", "sm_80", "mul", "cvt."), 0); /* words stay whole */
    assert_int_equal(of_pairs("fp16", "sm_80", "max", "max.f16x2"), 4);
    assert_int_equal(of_pairs("bf16", "sm_80", "minnan", "min.NaN.bf16x2"), 4);
    assert_int_equal(of_pairs("bf16", "sm_90a", "sub", "sub.rn.bf16x2"), 4);
    assert_int_equal(of_pairs("bf16", "sm_90a", "sub", round), 0);
    assert_int_equal(of_pairs("bf16", "sm_80", "sub", round), 4);
    assert_int_equal(of_pairs("bf16", "sm_90a", "mul", round), 4); /* may round twice */
    assert_int_equal(of_pairs("u8", "sm_90a", "max", "max.u16x2"), 4);
    assert_int_equal(of_pairs("i16", "sm_90a", "min", "min.s16x2"), 4);
    assert_int_equal(of_pairs("u8", "sm_80", "max", "max.u16x2"), 0);
}

/* --- registers and lanes that change places --- */

/* A thread has 8 elements, and moves half of them to the lane that has the other row of 16: it
 * chooses for each two what it sends, and where what comes and what stays go. */
static void test_changing_places(void **state)
{
    static const char text[] = "kernel @k(%x: *i32 div 16, %y: *i32 div 16) num_warps=1 {\n"
                               "  %i = arange start=0 : i32[256]\n"
                               "  %xs = splat %x : *i32[256]\n"
                               "  %xp = addptr %xs, %i : *i32[256]\n"
                               "  %a = load %xp : i32[256]\n"
                               "  %b = reshape %a : i32[8,2,16]\n"
                               "  %c = add %b, %b : i32[8,2,16]\n"
                               "  %p = reduce %c axis=1 : i32[8,16] { (%d: i32, %e: i32)\n"
                               "    %f = add %d, %e : i32\n"
                               "    yield %f\n"
                               "  }\n"
                               "  %q = reduce %c axis=1 : i32[8,16] { (%g: i32, %h: i32)\n"
                               "    %j = max %g, %h : i32\n"
                               "    yield %j\n"
                               "  }\n"
                               "  %r = mul %p, %q : i32[8,16]\n"
                               "  %s = reduce %r axis=1 : i32[8] { (%t: i32, %u: i32)\n"
                               "    %v = add %t, %u : i32\n"
                               "    yield %v\n"
                               "  }\n"
                               "  %w = reduce %s axis=0 : i32 { (%k: i32, %l: i32)\n"
                               "    %m = add %k, %l : i32\n"
                               "    yield %m\n"
                               "  }\n"
                               "  store %y, %w\n"
                               "  return\n"
                               "}\n";
    const char *why = NULL;
    Arena *a = arena_new(NULL);
    const GenPlugin *plugin = run_plugin(a, &why);
    GenOutput out;

    (void)state;
    assert_non_null(plugin);
    const Target *t = target_named(plugin, "nv");
    Case c = {t, a, "places.ir", read_kernel(a, "places.ir", text, strlen(text), t), false};
    assert_true(emit(&c, "sm_90a", GEN_OBJECT, &out));
    assert_int_equal(occurrences(out.data, "shfl.sync.idx"), 4);
    assert_int_equal(occurrences(out.data, "selp."), 4 * 3);
    arena_free(a);
}

/* --- tables of eight entries --- */

/* How often `what` stands in code that looks up an element for each thread. */
static int of_lookups(const char *dtype, const char *table, const char *what)
{
    const char *why = NULL;
    Arena *a = arena_new(NULL);
    const GenPlugin *plugin = run_plugin(a, &why);
    GenOutput out;

    assert_non_null(plugin);
    const Target *t = target_named(plugin, "nv");
    const char *text = arena_printf(a,
                                    "kernel @k(%%x: *%s) num_warps=1 {\n"
                                    "  %%i = arange start=0 : i32[32]\n"
                                    "  %%xs = splat %%x : *%s[32]\n"
                                    "  %%xp = addptr %%xs, %%i : *%s[32]\n"
                                    "  %%v = load %%xp : %s[32]\n"
                                    "  %%f = lookup8 %%v table=[%s] : %s[32]\n"
                                    "  store %%xp, %%f\n"
                                    "  return\n"
                                    "}\n",
                                    dtype, dtype, dtype, dtype, table, dtype);
    Case c = {t, a, "lookup.ir", read_kernel(a, "lookup.ir", text, strlen(text), t), false};
    assert_true(emit(&c, "sm_90a", GEN_OBJECT, &out));
    int n = occurrences(out.data, what);
    arena_free(a);
    return n;
}

/* Each byte in which entries differ is picked, and all but the first are put beside others. */
static void test_lookups(void **state)
{
    static const char e2m1[] = "0,1056964608,1065353216,1069547520,1073741824,1077936128,"
                               "1082130432,1086324736";

    (void)state;
    assert_int_equal(of_lookups("u32", e2m1, "prmt.b32"), 3);
    assert_int_equal(of_lookups("u32", e2m1, "selp."), 0);
    assert_int_equal(of_lookups("u32", "1,2,3,4,5,6,7,8", "prmt.b32"), 1);
    assert_int_equal(of_lookups("i32", "1,300,5,70000,4294967295,6,7,8", "prmt.b32"), 7);
    assert_int_equal(of_lookups("u64", "1,2,3,4,5,6,7,8", "prmt.b32"), 0);
}

/* --- programs that stream --- */

typedef struct {
    const char *chip, *what; /* what: an op on the loaded tile */
    int elements, warps;
    bool apart;       /* each element in a line of its own */
    const char *room; /* NULL: as many registers as it needs */
} Stream;

static Func *stream_kernel(const Stream *s, const Target *t, Arena *a)
{
    const char *step = s->apart ? "  %c = const 64 : i32[#]\n  %at = mul %i, %c : i32[#]\n"
                                : "  %c = const 0 : i32[#]\n  %at = add %i, %c : i32[#]\n";
    const char *text =
        arena_printf(a,
                     "kernel @k(%%x: *fp32 div 16, %%y: *fp32 div 16) num_warps=%d {\n"
                     "  %%i = arange start=0 : i32[#]\n%s"
                     "  %%xs = splat %%x : *fp32[#]\n  %%xp = addptr %%xs, %%at : *fp32[#]\n"
                     "  %%v = load %%xp : fp32[#]\n  %%w = %s : fp32[#]\n"
                     "  %%ys = splat %%y : *fp32[#]\n  %%yp = addptr %%ys, %%i : *fp32[#]\n"
                     "  store %%yp, %%w\n  return\n}\n",
                     s->warps, step, s->what);
    Text sized = text_new(a);
    for (const char *c = text; *c; c++)
        text_printf(&sized, *c == '#' ? "%d" : "%c", *c == '#' ? s->elements : *c);
    return read_kernel(a, "stream.ir", sized.s, strlen(sized.s), t);
}

static const char *room_of(const Stream *s, const GenPlugin *plugin, Arena *a)
{
    const Target *t = target_named(plugin, "nv");
    Case c = {t, a, "stream.ir", stream_kernel(s, t, a), false};
    GenOutput out;

    assert_true(emit(&c, s->chip, GEN_OBJECT, &out));
    const char *asked = strstr(out.data, "\n.maxnreg "), *used = strstr(out.data, "setmaxnreg.dec");
    assert_int_equal(asked != NULL, used != NULL);
    return asked ? arena_printf(a, "%d", atoi(asked + strlen("\n.maxnreg "))) : NULL;
}

/* Programs that load 64 KiB on the chip that has setmaxnreg have registers for two.  Not where no
 * third one fits anyway, where warps are few or a thread needs more, where much is computed, or
 * where what is read lies apart. */
static void test_streams(void **state)
{
    static const Stream cases[] = {{"sm_90a", "mul %v, %v", 16384, 16, false, "64"},
                                   {"sm_90a", "mul %v, %v", 16384, 8, false, "128"},
                                   {"sm_90a", "mul %v, %v", 16384, 32, false, NULL},
                                   {"sm_90a", "mul %v, %v", 65536, 16, false, NULL},
                                   {"sm_90a", "mul %v, %v", 8192, 8, false, NULL},
                                   {"sm_90a", "mul %v, %v", 16384, 4, false, NULL},
                                   {"sm_90a", "exp %v", 16384, 16, false, NULL},
                                   {"sm_90a", "div %v, %v", 16384, 16, false, NULL},
                                   {"sm_90a", "mul %v, %v", 16384, 16, true, NULL},
                                   {"sm_90", "mul %v, %v", 16384, 16, false, NULL},
                                   {"sm_80", "mul %v, %v", 16384, 16, false, NULL},
                                   {"sm_100", "mul %v, %v", 16384, 16, false, NULL}};
    const char *why = NULL;
    Arena *a = arena_new(NULL);
    const GenPlugin *plugin = run_plugin(a, &why);

    (void)state;
    assert_non_null(plugin);
    for (int i = 0; i < COUNT(cases); i++) {
        const char *room = room_of(&cases[i], plugin, a), *want = cases[i].room;
        if ((room == NULL) != (want == NULL) || (room && strcmp(room, want) != 0))
            fail_msg("case %d: %s registers, not %s", i, room ? room : "no", want ? want : "none");
    }
    arena_free(a);
}

static int asked_for(const Target *t, const Func *f, GenBudget budget, Arena *a)
{
    const GenOptions o = {.cpu = "sm_90a", .disjoint = true, .budget = budget};
    GenOutput out;

    assert_true(t->emit(f, &o, GEN_OBJECT, a, &out, diags_new(a, NULL)));
    int asks = occurrences(out.data, "\n.maxnreg ") + occurrences(out.data, "\n.minnctapersm ");
    assert_true(out.budgeted == (asks > 0));
    assert_int_equal(occurrences(out.data, "setmaxnreg"), occurrences(out.data, "\n.maxnreg "));
    return asks;
}

/* A device's assembler may want the same kernel with another budget. */
static void test_budgets(void **state)
{
    static const Stream stream = {"sm_90a", "mul %v, %v", 16384, 16, false, "64"};
    const char *why = NULL, *path;
    Arena *a = arena_new(NULL);
    const GenPlugin *plugin = run_plugin(a, &why);
    char *text;
    size_t len;

    (void)state;
    assert_non_null(plugin);
    const Target *t = target_named(plugin, "nv");
    Func *f = stream_kernel(&stream, t, a);
    assert_int_equal(asked_for(t, f, GEN_BUDGET_PLAN, a), 1);
    assert_int_equal(asked_for(t, f, GEN_BUDGET_NONE, a), 0);
    path = arena_printf(a, "%s/tests/gen/softmax.ir", getenv("TILEC_SOURCE"));
    assert_int_equal(os_read_file(a, path, 1 << 20, &text, &len), 0);
    f = read_kernel(a, "softmax.ir", text, len, t);
    assert_int_equal(asked_for(t, f, GEN_BUDGET_PLAN, a), 0);
    assert_int_equal(asked_for(t, f, 2, a), 1);
    arena_free(a);
}

/* --- words that somebody else writes --- */

/* In each round a word and a tile of four are read, for 256 threads to store. */
static const char once_text[] = "kernel @k(%word: *i32, %out: *i32, %rounds: i32) num_warps=8 {\n"
                                "  %zero = const 0 : i32\n"
                                "  %one = const 1 : i32\n"
                                "  %size = const 256 : i32\n"
                                "  %i = arange start=0 : i32[256]\n"
                                "  %four = arange start=0 : i32[4]\n"
                                "  %ws = splat %word : *i32[4]\n"
                                "  %wp = addptr %ws, %four : *i32[4]\n"
                                "  for %zero, %rounds, %one { (%k: i32)\n"
                                "    %v = load %word volatile=1 : i32\n"
                                "    %t = load %wp volatile=1 : i32[4]\n"
                                "    %t2 = expand %t axis=0 : i32[1,4]\n"
                                "    %t3 = broadcast %t2 : i32[64,4]\n"
                                "    %t4 = reshape %t3 : i32[256]\n"
                                "    %vs = splat %v : i32[256]\n"
                                "    %two = mul %k, %size : i32\n"
                                "    %o = addptr %out, %two : *i32\n"
                                "    %o2 = addptr %o, %two : *i32\n"
                                "    %os = splat %o2 : *i32[256]\n"
                                "    %op = addptr %os, %i : *i32[256]\n"
                                "    store %op, %vs\n"
                                "    %oq = addptr %o2, %size : *i32\n"
                                "    %oqs = splat %oq : *i32[256]\n"
                                "    %oqp = addptr %oqs, %i : *i32[256]\n"
                                "    store %oqp, %t4\n"
                                "    yield\n"
                                "  }\n"
                                "  return\n"
                                "}\n";

static int32_t words[4];
static atomic_bool done;

static void *keep_writing(void *unused)
{
    for (int32_t i = 0; !atomic_load(&done); i++)
        __atomic_store_n(&words[i & 3], i, __ATOMIC_RELAXED);
    return unused;
}

static void test_once(void **state)
{
    enum { ROUNDS = 3000, N = 256 };
    static int32_t out[ROUNDS][2][N];
    const uint64_t args[] = {(uintptr_t)words, (uintptr_t)out, ROUNDS};
    const char *why = NULL;
    Arena *a = arena_new(NULL);
    const GenPlugin *plugin = run_plugin(a, &why);
    SimModule *code;
    SimError error;
    GenOutput made;
    pthread_t writer;

    (void)state;
    assert_non_null(plugin);
    const Target *t = target_named(plugin, "nv");
    Case c = {t, a, "once.ir", read_kernel(a, "once.ir", once_text, strlen(once_text), t), false};
    assert_true(emit(&c, chips[0], GEN_OBJECT, &made));
    assert_int_equal(sim_load(made.data, made.len, &code, &error), SIM_OK);
    SimLaunch launch = {
        .grid = {1, 1, 1}, .warps = made.warps, .shared = made.shared, .args = args, .nranges = -1};
    atomic_store(&done, false);
    assert_int_equal(pthread_create(&writer, NULL, keep_writing, NULL), 0);
    assert_int_equal(sim_launch(sim_kernel(code, NULL), &launch, &error), SIM_OK);
    atomic_store(&done, true);
    assert_int_equal(pthread_join(writer, NULL), 0);
    for (int k = 0; k < ROUNDS; k++) {
        for (int i = 0; i < N; i++) {
            assert_int_equal(out[k][0][i], out[k][0][0]);
            assert_int_equal(out[k][1][i], out[k][1][i & 3]);
        }
    }
    sim_unload(code);
    arena_free(a);
}

/* --- the user's own instructions --- */

/* Four bytes side by side in one register, and two results of one run. */
static const char inline_text[] =
    "kernel @k(%x: *u8 div 16, %y: *u8 div 16, %low: *i32 div 16, %high: *i32 div 16) {\n"
    "  %i = arange start=0 : i32[300]\n"
    "  %xs = splat %x : *u8[300]\n"
    "  %xp = addptr %xs, %i : *u8[300]\n"
    "  %v = load %xp : u8[300]\n"
    "  %w = inline_asm %v, %v asm=\"add.u32 $0, $1, $2;\" constraints=\"=r,r,r\" pack=4 : u8[300]\n"
    "  %ys = splat %y : *u8[300]\n"
    "  %yp = addptr %ys, %i : *u8[300]\n"
    "  store %yp, %w\n"
    "  %a, %b = inline_asm %i asm=\"{ and.b32 $0, $2, 7; shr.b32 $1, $2, 3; }\""
    " constraints=\"=r,=r,r\" pack=1 : i32[300], i32[300]\n"
    "  %ls = splat %low : *i32[300]\n"
    "  %lp = addptr %ls, %i : *i32[300]\n"
    "  store %lp, %a\n"
    "  %hs = splat %high : *i32[300]\n"
    "  %hp = addptr %hs, %i : *i32[300]\n"
    "  store %hp, %b\n"
    "  return\n"
    "}\n";

static void test_inline(void **state)
{
    enum { N = 300 };
    _Alignas(16) static uint8_t x[N], y[N];
    _Alignas(16) static int32_t low[N], high[N];
    const uint64_t args[] = {(uintptr_t)x, (uintptr_t)y, (uintptr_t)low, (uintptr_t)high};
    const char *why = NULL;
    Arena *a = arena_new(NULL);
    const GenPlugin *plugin = run_plugin(a, &why);
    SimModule *code;
    SimError error;
    GenOutput out;

    (void)state;
    assert_non_null(plugin);
    const Target *t = target_named(plugin, "nv");
    Func *f = read_kernel(a, "inline.ir", inline_text, strlen(inline_text), t);
    Case c = {t, a, "inline.ir", f, false};
    assert_true(emit(&c, chips[0], GEN_OBJECT, &out));
    for (int i = 0; i < N; i++)
        x[i] = (uint8_t)(i % 100);
    assert_int_equal(sim_load(out.data, out.len, &code, &error), SIM_OK);
    SimLaunch launch = {
        .grid = {1, 1, 1}, .warps = out.warps, .shared = out.shared, .args = args, .nranges = -1};
    assert_int_equal(sim_launch(sim_kernel(code, NULL), &launch, &error), SIM_OK);
    for (int i = 0; i < N; i++) {
        assert_int_equal(y[i], 2 * x[i]);
        assert_int_equal(low[i], i % 8);
        assert_int_equal(high[i], i / 8);
    }
    sim_unload(code);
    arena_free(a);
}

/* --- spans --- */

/* What a trace has of programs: each notes its start and its end in a place of its own, in the
 * order of the grid, and what it computes stays the same. */
static void test_spans(void **state)
{
    enum { N = 300, X = 3, Y = 2 };
    _Alignas(16) static uint8_t x[N], y[N];
    _Alignas(16) static int32_t low[N], high[N];
    static GenSpan spans[X * Y + 1];
    const uint64_t args[] = {(uintptr_t)x, (uintptr_t)y, (uintptr_t)low, (uintptr_t)high,
                             (uintptr_t)spans};
    const char *why = NULL;
    Arena *a = arena_new(NULL);
    const GenPlugin *plugin = run_plugin(a, &why);
    SimError error;

    (void)state;
    assert_non_null(plugin);
    const Target *t = target_named(plugin, "nv");
    Func *f = read_kernel(a, "inline.ir", inline_text, strlen(inline_text), t);
    for (int i = 0; i < COUNT(chips); i++) {
        GenOptions o = {.cpu = chips[i], .disjoint = true, .spans = true};
        GenOutput out;
        SimModule *code;

        memset(spans, 0, sizeof spans);
        assert_true(t->emit(f, &o, GEN_OBJECT, a, &out, diags_new(a, NULL)));
        if (may_assemble(a, "spans", chips[i]))
            assert_int_equal(assemble(a, "spans", chips[i], &out), 0);
        assert_int_equal(sim_load(out.data, out.len, &code, &error), SIM_OK);
        SimLaunch launch = {.grid = {X, Y, 1},
                            .warps = out.warps,
                            .shared = out.shared,
                            .args = args,
                            .nranges = -1};
        assert_int_equal(sim_launch(sim_kernel(code, NULL), &launch, &error), SIM_OK);
        for (int k = 0; k < X * Y; k++) {
            assert_true(spans[k].start > 0 && spans[k].end > spans[k].start);
            assert_int_equal(spans[k].unit, 0);
        }
        assert_true(spans[X * Y].start == 0 && spans[X * Y].end == 0);
        assert_int_equal(high[N - 1], (N - 1) / 8);
        sim_unload(code);
    }
    arena_free(a);
}

/* Kernels whose warps have parts of their own, too. */
static void test_spans_of_groups(void **state)
{
    static const char *const names[] = {"attention.ir", "matmul.ir"};
    const char *why = NULL;
    Arena *a = arena_new(NULL);
    const GenPlugin *plugin = run_plugin(a, &why);

    (void)state;
    assert_non_null(plugin);
    const Target *t = target_named(plugin, "nv");
    for (int i = 0; i < COUNT(names) * COUNT(chips); i++) {
        const char *name = names[i / COUNT(chips)], *chip = chips[i % COUNT(chips)];
        const char *path = arena_printf(a, "%s/tests/gen/%s", getenv("TILEC_SOURCE"), name);
        GenOptions o = {.cpu = chip, .disjoint = true, .spans = true, .clocks = true};
        GenOutput out;
        char *text;
        size_t len;

        assert_int_equal(os_read_file(a, path, 1 << 20, &text, &len), 0);
        const Func *f = read_kernel(a, name, text, len, t);
        assert_true(t->emit(f, &o, GEN_OBJECT, a, &out, diags_new(a, NULL)));
        assert_non_null(strstr(out.data, "%globaltimer"));
        assert_non_null(strstr(out.data, "%clock64"));
        if (may_assemble(a, name, chip))
            assemble(a, name, chip, &out);
    }
    arena_free(a);
}

/* --- clocks --- */

enum { CLOCKS = GEN_CLOCK_ROWS * GEN_CLOCKS };

/* The cycles of a line, of all rows. */
static uint64_t cycles_of(const GenClock *clocks, const SourceMap *sources, int line)
{
    uint64_t sum = 0;

    for (int i = 0; i < CLOCKS; i++) {
        if (clocks[i].place && source_place(sources, clocks[i].place).line == line)
            sum += clocks[i].cycles;
    }
    return sum;
}

/* A loop and an if, each line of which takes as many of the simulator's clock's steps as it is come
 * by: warps are two. */
static void test_clocks(void **state)
{
    static const char text[] = "kernel @k(%x: *i32 div 16, %n: i32) num_warps=2 {\n" /* 1 */
                               "  %i = arange start=0 : i32[64]\n"
                               "  %zero = const 0 : i32\n"
                               "  %one = const 1 : i32\n"
                               "  %xs = splat %x : *i32[64]\n"
                               "  %p = addptr %xs, %i : *i32[64]\n"
                               "  for %zero, %n, %one { (%k: i32)\n" /* 7 */
                               "    %v = load %p : i32[64]\n"
                               "    %ks = splat %k : i32[64]\n"
                               "    %w = add %v, %ks : i32[64]\n"
                               "    store %p, %w\n" /* 11 */
                               "    yield\n"
                               "  }\n"
                               "  %c = gt %n, %one : i1\n"
                               "  if %c {\n"
                               "    store %p, %i\n" /* 16 */
                               "    yield\n"
                               "  } {\n"
                               "    yield\n"
                               "  }\n"
                               "  return\n"
                               "}\n";
    _Alignas(16) static int32_t x[64];
    static GenClock clocks[CLOCKS];
    const char *why = NULL;
    Arena *a = arena_new(NULL);
    const GenPlugin *plugin = run_plugin(a, &why);
    SimError error;

    (void)state;
    assert_non_null(plugin);
    const Target *t = target_named(plugin, "nv");
    Func *f = read_kernel(a, "clocks.ir", text, strlen(text), t);
    for (int i = 0; i < COUNT(chips); i++) {
        GenOptions o = {.cpu = chips[i], .disjoint = true, .clocks = true};
        uint64_t seen[2][2];
        GenOutput out;
        SimModule *code;

        assert_true(t->emit(f, &o, GEN_OBJECT, a, &out, diags_new(a, NULL)));
        if (may_assemble(a, "clocks", chips[i]))
            assert_int_equal(assemble(a, "clocks", chips[i], &out), 0);
        assert_int_equal(sim_load(out.data, out.len, &code, &error), SIM_OK);
        for (int trips = 1; trips <= 2; trips++) {
            const uint64_t args[] = {(uintptr_t)x, (uint64_t)trips, (uintptr_t)clocks};
            SimLaunch launch = {.grid = {3, 1, 1},
                                .warps = out.warps,
                                .shared = out.shared,
                                .args = args,
                                .nranges = -1};
            memset(clocks, 0, sizeof clocks);
            assert_int_equal(sim_launch(sim_kernel(code, NULL), &launch, &error), SIM_OK);
            seen[trips - 1][0] = cycles_of(clocks, f->module->sources, 11);
            seen[trips - 1][1] = cycles_of(clocks, f->module->sources, 16);
            assert_int_equal(cycles_of(clocks, f->module->sources, 1), 0);
        }
        assert_true(seen[0][0] > 0);
        assert_int_equal(seen[1][0], 2 * seen[0][0]);
        assert_int_equal(seen[0][1], 0);
        assert_true(seen[1][1] > 0);
        assert_int_equal(x[63], 63);
        sim_unload(code);
    }
    arena_free(a);
}

/* The target takes no such kernel, and says why. */
static void check_refused(const char *text, const char *said)
{
    const char *why = NULL;
    Arena *a = arena_new(NULL);
    const GenPlugin *plugin = run_plugin(a, &why);
    GenOptions o = {.cpu = chips[0]};
    Diags *d = diags_new(a, NULL);
    GenOutput out;

    assert_non_null(plugin);
    const Target *t = target_named(plugin, "nv");
    Func *f = read_kernel(a, "wrong.ir", text, strlen(text), t);
    assert_false(t->emit(f, &o, GEN_OBJECT, a, &out, d));
    assert_non_null(strstr(diags_text(d, a), said));
    arena_free(a);
}

static void test_constraints(void **state)
{
    (void)state;
    check_refused(
        "kernel @k(%p: *i32) {\n"
        "  %x = load %p : i32\n"
        "  %y = inline_asm %x asm=\"mov.b32 $0, $1;\" constraints=\"=r,r,r\" pack=1 : i32\n"
        "  store %p, %y\n"
        "  return\n"
        "}\n",
        "do not fit 1 results and 1 operands");
}

/* --- what a block can be --- */

static void test_too_many_warps(void **state)
{
    (void)state;
    check_refused("kernel @k(%p: *i32) num_warps=64 {\n"
                  "  %c = const 1 : i32\n"
                  "  store %p, %c\n"
                  "  return\n"
                  "}\n",
                  "num_warps is 64; a GPU's block has at most 32");
}

/* Seconds of this thread for the plan of a kernel that adds up n tiles. */
static double plan_seconds(int n)
{
    const char *why = NULL;
    Arena *a = arena_new(NULL);
    const GenPlugin *plugin = run_plugin(a, &why);
    GenOptions o = {.cpu = chips[0]};
    struct timespec begin, end;
    Text text = text_new(a);
    GenOutput out;

    assert_non_null(plugin);
    const Target *t = target_named(plugin, "nv");
    text_put(&text, "kernel @k(%x: *i32 div 16) {\n"
                    "  %i = arange start=0 : i32[128]\n"
                    "  %xs = splat %x : *i32[128]\n"
                    "  %p0 = addptr %xs, %i : *i32[128]\n"
                    "  %s0 = load %p0 : i32[128]\n");
    for (int k = 1; k <= n; k++)
        text_printf(&text,
                    "  %%p%d = addptr %%p%d, %%s%d : *i32[128]\n"
                    "  %%s%d = load %%p%d : i32[128]\n",
                    k, k - 1, k - 1, k, k);
    text_printf(&text, "  store %%p0, %%s%d\n  return\n}\n", n);
    Func *f = read_kernel(a, "loads.ir", text.s, text.len, t);
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &begin);
    assert_true(t->emit(f, &o, GEN_LAYOUT, a, &out, diags_new(a, NULL)));
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &end);
    arena_free(a);
    return (double)(end.tv_sec - begin.tv_sec) + 1e-9 * (double)(end.tv_nsec - begin.tv_nsec);
}

/* Four times the loads take 4 times as long, not 16 times. */
static void test_many_accesses(void **state)
{
    (void)state;
    plan_seconds(100);
    double few = plan_seconds(2000), many = plan_seconds(8000);

    for (int tries = 0; tries < 9 && many >= 10 * few; tries++) /* something else ran beside it */
        few = plan_seconds(2000), many = plan_seconds(8000);
    if (many >= 10 * few)
        fail_msg("2,000 loads: %g s, 8,000: %g s", few, many);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_cases),
                                       cmocka_unit_test(test_spans),
                                       cmocka_unit_test(test_spans_of_groups),
                                       cmocka_unit_test(test_clocks),
                                       cmocka_unit_test(test_inline),
                                       cmocka_unit_test(test_constraints),
                                       cmocka_unit_test(test_constant_arrays),
                                       cmocka_unit_test(test_built_workspace),
                                       cmocka_unit_test(test_reciprocals),
                                       cmocka_unit_test(test_too_many_warps),
                                       cmocka_unit_test(test_many_accesses),
                                       cmocka_unit_test(test_long_tiles),
                                       cmocka_unit_test(test_once),
                                       cmocka_unit_test(test_neighbours),
                                       cmocka_unit_test(test_pairs),
                                       cmocka_unit_test(test_changing_places),
                                       cmocka_unit_test(test_lookups),
                                       cmocka_unit_test(test_streams),
                                       cmocka_unit_test(test_budgets)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
