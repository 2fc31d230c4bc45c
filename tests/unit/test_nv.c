/*
 * test_nv.c - the target for NVIDIA GPUs: plans, and code that NVIDIA's assembler takes
 *
 * Every tests/gen/NAME.ir is planned and compiled for each of the chips below.  NAME.layout beside
 * it, when there is one, is the wanted text of the plan for the first chip (TILEC_UPDATE=1 writes).
 * Where ptxas is installed it has to take the code.  What the code computes is tested where it
 * runs: see versus.h.  TILEC_CASE=add takes the cases with that in their name; TILEC_SHOW=layout,
 * llvm or ptx prints that.
 */
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../src/gen/gen.h"
#include "../../src/opt/opt.h"
#include "../../src/run/run.h"

#include <cmocka.h> /* after base.h: both have a fail() */

static const char *const chips[] = {"sm_80", "sm_90a"};

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

/* Fails with what ptxas says. */
static void assemble(Arena *a, const char *name, const char *chip, const GenOutput *code)
{
    char path[] = "/tmp/tilec-nv-XXXXXX";
    int file = mkstemp(path);

    assert_true(file >= 0);
    assert_int_equal(write(file, code->data, code->len), (ssize_t)code->len);
    close(file);
    const char *command =
        arena_printf(a, "ptxas -arch=%s -o /dev/null %s >%s.out 2>&1", chip, path, path);
    int status = system(command);
    char *said = "";
    size_t len;
    const char *out = arena_printf(a, "%s.out", path);
    os_read_file(a, out, 1 << 20, &said, &len);
    unlink(out);
    if (status != 0)
        fail_msg("%s for %s: ptxas says %s\n%s", name, chip, said, code->data);
    unlink(path);
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

    if (c->target->emit(c->func, &o, stage, c->arena, out, d))
        return true;
    const char *said = diags_text(d, c->arena);
    if (!strstr(said, "not yet on this target"))
        fail_msg("%s for %s: %s", c->name, chip, said);
    return false;
}

static void check_layout(const Case *c, const char *path)
{
    GenOutput out;
    char *want;
    size_t len;

    if (os_read_file(c->arena, path, 1 << 20, &want, &len) != 0)
        return;
    assert_true(emit(c, chips[0], GEN_LAYOUT, &out));
    if (getenv("TILEC_UPDATE"))
        assert_int_equal(os_write_file(path, out.data, out.len), 0);
    else
        assert_string_equal(out.data, want);
}

/* Gives how many chips there is code for. */
static int check_code(const Case *c)
{
    int made = 0;

    for (int i = 0; i < COUNT(chips); i++) {
        GenOutput out;
        if (!emit(c, chips[i], GEN_OBJECT, &out))
            continue;
        made++;
        assert_int_equal(out.warps & (out.warps - 1), 0);
        assert_non_null(strstr(out.data, ".entry tilec_kernel"));
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
    OptOptions o = {.native = t->native_math, .schedules = true, .verify = true};

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
    Case c = {t, a, name, read_kernel(a, name, text, len, t), with_ptxas};
    show(&c);
    check_layout(&c, arena_printf(a, "%.*slayout", (int)strlen(path) - 2, path));
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

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_cases)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
