/*
 * test_plans.c - how kernels of kernels/ and of tests/num/programs are planned
 *
 * Each line of tests/gen/plans/cases names a file, a kernel and what it gets:
 *     n:i32  n:i32:16  p:*fp32:16   a run-time argument by type, and what it is divisible by
 *     N=64  S='text'  B=True  E=None  D=fp16  T=(1,2)   a compile-time one
 * The plan is that of tests/gen/plans/KERNEL.plan, for one CPU whatever this one is, and that of
 * KERNEL.layout for a GPU; there is one for a chip of 64 lanes, too.  A fusion that is lost, a load
 * that has become a gather, or a conversion that goes through memory, shows there.  TILEC_UPDATE=1
 * rewrites them; look at what changed.  On the way, what the IR prints, as lowered and behind the
 * passes, reads back.
 */
#include <ctype.h>
#include <dirent.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../src/api/language.h"
#include "../../src/lower/lowering.h"
#include "constant_text.h"
#include "../../src/gen/gen.h"
#include "../../src/ir/analysis.h"
#include "../../src/gpu_plan/chip.h"
#include "../../src/opt_target/opt_target.h"
#include "../../src/run/run.h"

#include <cmocka.h> /* behind base.h, because it makes fail() a macro */

enum { MAX_ARGS = 64 };

static const char avx512[] = "+avx,+f16c,+avx2,+fma,+bmi,+bmi2,+lzcnt,+popcnt,"
                             "+avx512f,+avx512cd,+avx512bw,+avx512dq,+avx512vl";

static FrontArg argument(Arena *arena, char *word)
{
    char *mark = word + strcspn(word, ":=");
    FrontArg a = {.name = word, .is_constexpr = *mark == '='};

    *mark++ = 0;
    if (a.is_constexpr) {
        a.constant = constant_from_text(arena, mark);
        return a;
    }
    char *divisible = strchr(mark, ':');
    a.pointer = *mark == '*';
    mark += a.pointer;
    a.divisible = divisible ? strtol(divisible + 1, NULL, 10) : 0;
    if (!dtype_from_name(mark, strcspn(mark, ":"), &a.dtype))
        fail_msg("no dtype %s", mark);
    return a;
}

/* What is planned for, by the plugin's number of the target. */
static const struct {
    const char *ending;
    GenStage stage;
    GenOptions options;
} planned[] = {
    {"plan", GEN_PLAN, {.cpu = "x86-64", .features = avx512, .disjoint = true, .streaming = true}},
    {"layout", GEN_LAYOUT, {.cpu = "sm_90a", .features = "", .disjoint = true}},
    /* nothing is kept of this one: that there is a plan, which is whole, is the test */
    {NULL, GEN_LAYOUT, {.cpu = chip_64_lanes, .features = "", .disjoint = true}},
};

static Module *lowered(Arena *a, const char *file, const char *kernel, const FrontArg *args, int n,
                       Diags *d)
{
    const char *path = arena_printf(a, "%s/%s", getenv("TILEC_SOURCE"), file);
    char *text;
    size_t len;

    assert_int_equal(os_read_file(a, path, 1 << 20, &text, &len), 0);
    const Source *src = source_add(diags_sources(d), file, text, len);
    FrontFile *f = front_parse(a, interner_new(a), &triton_language, src, NULL, d);
    Module *m = f ? front_lower(f, kernel, args, n, NULL, a, d) : NULL;
    if (!m)
        fail_msg("%s", diags_text(d, a));
    return m;
}

static void check_reads_back(Arena *a, const Module *m)
{
    const char *text = ir_print(m, a);
    Diags *d = diags_new(a, NULL);
    const Source *src = source_add(diags_sources(d), "printed", text, strlen(text));
    const Module *again = ir_read(a, interner_new(a), src, d);

    if (!again)
        fail_msg("%s\nin\n%s", diags_text(d, a), text);
    assert_string_equal(ir_print(again, a), text);
}

static const char *plan_of(Arena *a, const GenPlugin *plugin, int which, const char *file,
                           const char *kernel, const FrontArg *args, int n)
{
    Diags *d = diags_new(a, NULL);
    const Target *target = plugin->targets[planned[which].stage == GEN_LAYOUT];
    OptOptions o = {.native = target->native_math,
                    .straight_math = target->straight_math,
                    .windows = target->windows,
                    .schedules = planned[which].stage == GEN_LAYOUT,
                    .disjoint = planned[which].options.disjoint,
                    .takes = target->takes};
    GenOutput out;

    Module *m = lowered(a, file, kernel, args, n, d);
    check_reads_back(a, m);
    module_kernel(m)->most_programs = ir_most_programs(m); /* as of a usual launch */
    if (!opt_run(m, &o, d))
        fail_msg("%s", diags_text(d, a));
    check_reads_back(a, m);
    if (!target->emit(m->funcs[0], &planned[which].options, planned[which].stage, a, &out, d))
        fail_msg("%s", diags_text(d, a));
    return out.data;
}

static void check_text(Arena *a, const char *path, const char *got)
{
    char *want = "";
    size_t len;

    if (getenv("TILEC_UPDATE")) {
        assert_int_equal(os_write_file(path, got, strlen(got)), 0);
        return;
    }
    if (os_read_file(a, path, 1 << 20, &want, &len) != 0 || strcmp(want, got) != 0)
        fail_msg("%s is not what is planned now, which is\n%s", path, got);
}

/* Are all layouts of a plan those of 64 lanes? */
static void check_lanes(Arena *a, const char *plan)
{
    char *rest, *text = arena_strndup(a, plan, strlen(plan));

    for (char *l = strtok_r(text, "\n", &rest); l; l = strtok_r(NULL, "\n", &rest)) {
        const char *lanes = strncmp(l, "layout ", 7) == 0 ? strstr(l, " lanes ") : NULL;
        const char *end = lanes ? strstr(lanes, " warps") : NULL;
        int spaces = 0;
        for (const char *c = lanes; c && c < (end ? end : c + strlen(c)); c++)
            spaces += *c == ' ';
        if (lanes && end)
            assert_int_equal(spaces, 1 + 6); /* in front of `lanes`, and of what each bit moves */
    }
}

static void check_line(const GenPlugin *plugin, const char *folder, char *line)
{
    Arena *a = arena_new(NULL);
    FrontArg args[MAX_ARGS];
    char *rest, *file = strtok_r(line, " ", &rest), *kernel = strchr(file, ':') + 1;
    int n = 0;

    kernel[-1] = 0;
    for (char *w = strtok_r(NULL, " ", &rest); w && n < MAX_ARGS; w = strtok_r(NULL, " ", &rest))
        args[n++] = argument(a, w);
    for (int i = 0; i < COUNT(planned); i++) {
        const char *plan = plan_of(a, plugin, i, file, kernel, args, n);
        if (planned[i].ending)
            check_text(a, arena_printf(a, "%s/%s.%s", folder, kernel, planned[i].ending), plan);
        else
            check_lanes(a, plan);
    }
    arena_free(a);
}

static void test_plans(void **state)
{
    Arena *a = arena_new(NULL);
    const char *why, *folder = arena_printf(a, "%s/tests/gen/plans", getenv("TILEC_SOURCE"));
    const GenPlugin *plugin = run_plugin(a, &why);
    char *text, *rest;
    size_t len;

    (void)state;
    if (!plugin)
        fail_msg("no code generator: %s", why);
    assert_int_equal(os_read_file(a, arena_printf(a, "%s/cases", folder), 1 << 20, &text, &len), 0);
    for (char *l = strtok_r(text, "\n", &rest); l; l = strtok_r(NULL, "\n", &rest))
        check_line(plugin, folder, l);
    arena_free(a);
}

/* --- are these all kernels? --- */

static bool is_word_char(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* A kernel around instructions that it is given, a line of which no case can write. */
static const char of_any_text[] = "run_texts";

static bool is_in_docstring(const char *text, const char *at)
{
    static const char quotes[] = "\"\"\"";
    bool is_in = false;

    for (const char *q = strstr(text, quotes); q && q < at; q = strstr(q + strlen(quotes), quotes))
        is_in = !is_in;
    return is_in;
}

/* Do other functions call it, or hand it on? */
static bool is_helper(const char *text, const char *name)
{
    static const char def[] = "def ";
    size_t n = strlen(name);

    for (const char *at = strstr(text, name); at; at = strstr(at + n, name)) {
        bool is_word = at > text && !is_word_char(at[-1]) && !is_word_char(at[n]);
        bool is_defined = at >= text + strlen(def) && memcmp(at - strlen(def), def, 4) == 0;
        if (is_word && !is_defined && strchr("(,)", at[n]) && !is_in_docstring(text, at))
            return true;
    }
    return false;
}

/* Gives how many kernels the file has, each of which has a line. */
static int check_file(Arena *a, const char *cases, const char *file)
{
    const char *path = arena_printf(a, "%s/%s", getenv("TILEC_SOURCE"), file);
    bool is_jit = false;
    char *text, *rest;
    size_t len;
    int kernels = 0;

    assert_int_equal(os_read_file(a, path, 1 << 20, &text, &len), 0);
    const char *whole = arena_strndup(a, text, len);
    for (char *l = strtok_r(text, "\n", &rest); l; l = strtok_r(NULL, "\n", &rest)) {
        is_jit |= *l == '@' && strstr(l, "jit") != NULL;
        if (strncmp(l, "def ", 4) != 0)
            continue;
        const char *name = arena_strndup(a, l + 4, strcspn(l + 4, "("));
        if (is_jit && strcmp(name, of_any_text) != 0 && !is_helper(whole, name)) {
            kernels++;
            if (!strstr(cases, arena_printf(a, "%s:%s ", file, name)))
                fail_msg("tests/gen/plans/cases has no line for %s of %s (then: TILEC_UPDATE=1)",
                         name, file);
        }
        is_jit = false;
    }
    return kernels;
}

static void test_every_kernel_has_a_plan(void **state)
{
    static const char *const folders[] = {"kernels", "tests/num/programs"};
    Arena *a = arena_new(NULL);
    const char *root = getenv("TILEC_SOURCE");
    int kernels = 0;
    char *cases;
    size_t len;

    (void)state;
    assert_int_equal(
        os_read_file(a, arena_printf(a, "%s/tests/gen/plans/cases", root), 1 << 20, &cases, &len),
        0);
    for (int i = 0; i < COUNT(folders); i++) {
        DIR *dir = opendir(arena_printf(a, "%s/%s", root, folders[i]));
        assert_non_null(dir);
        for (struct dirent *e = readdir(dir); e; e = readdir(dir)) {
            size_t n = strlen(e->d_name);
            if (n > 3 && strcmp(e->d_name + n - 3, ".py") == 0)
                kernels += check_file(a, cases, arena_printf(a, "%s/%s", folders[i], e->d_name));
        }
        closedir(dir);
    }
    assert_true(kernels > 70);
    arena_free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_every_kernel_has_a_plan),
                                       cmocka_unit_test(test_plans)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
