/*
 * test_opt.c - the passes on small modules in text form
 *
 * Every tests/ir/NAME.ir begins with `# passes: NAMES`; NAME.want holds the text after those
 * passes.  Besides the passes of opt.h there are more words: `pipeline` runs all of them, `fuse`
 * what a launch with enable_fp_fusion begins with, `axis` gives the facts of the axis analysis in
 * place of the module, `access` the steps of its addresses, `unread` the reductions that count
 * lanes which a mask leaves out, `sites` the module with the calls that its ops came through.
 * TILEC_UPDATE=1 rewrites the .want files (read the difference before it is committed).
 */
#include <dirent.h>
#include <stdarg.h>
#include <string.h>

#include "../../src/ir/analysis.h"
#include "../../src/opt_target/opt_target.h"
#include "../../src/unread/unread.h"

#include <cmocka.h>

enum { FILE_LIMIT = 1 << 20, MAX_FILES = 1000 };

static bool ends_with(const char *s, const char *end)
{
    size_t n = strlen(s), m = strlen(end);

    return n >= m && strcmp(s + n - m, end) == 0;
}

typedef struct {
    Arena *arena;
    Text text;
} Unread;

static void tell_unread(Op *op, void *ctx)
{
    Unread *u = ctx;
    const Op *only = ir_reduces(op) ? ir_combine_kind(op).only : NULL;
    const Value *of;

    if (!only)
        return;
    const Op *load =
        unread_in_reduction(u->arena, only->code, op->operands[0], (int)attr_axis(op), &of);
    text_printf(&u->text, "%%%s: ", op->results[0]->name);
    text_printf(&u->text, load ? "counts lanes of %%%s in %%%s\n" : "counts none\n",
                load ? load->results[0]->name : "", of->name);
}

static const char *unread_text(const Func *f, Arena *a)
{
    Unread u = {a, text_new(a)};

    ir_walk(f->body, tell_unread, &u);
    return u.text.s;
}

/* What the passes make of the module, or the diagnostics. */
static const char *run_words(Arena *a, Module *m, char *words, Diags *d)
{
    const OptOptions options = {.verify = true};
    const char *facts = NULL;

    for (char *rest, *word = strtok_r(words, " \n", &rest); word;
         word = strtok_r(NULL, " \n", &rest)) {
        bool ran = true;
        facts = NULL;
        if (strcmp(word, "sites") == 0)
            facts = ir_print_sites(m, a);
        else if (strcmp(word, "axis") == 0)
            facts = axis_text(axis_analyse(m->funcs[0], a), m->funcs[0], a);
        else if (strcmp(word, "access") == 0)
            facts = access_text(axis_analyse(m->funcs[0], a), m->funcs[0], a);
        else if (strcmp(word, "unread") == 0)
            facts = unread_text(m->funcs[0], a);
        else if (strcmp(word, "fuse") == 0)
            opt_fuse(m, d);
        else if (strcmp(word, "pipeline") == 0)
            ran = opt_run(m, &options, d);
        else
            ran = opt_run_pass(m, word, d);
        if (!ran)
            return diag_errors(d) > 0 ? diags_text(d, a) : arena_printf(a, "no pass %s\n", word);
    }
    return facts ? facts : ir_print(m, a);
}

static const char *run_file(Arena *a, const char *path, const char *name)
{
    Diags *d = diags_new(a, NULL);
    char *text;
    size_t len;

    assert_int_equal(os_read_file(a, path, FILE_LIMIT, &text, &len), 0);
    const Source *source = source_add(diags_sources(d), name, text, len);
    Module *m = ir_read(a, interner_new(a), source, d);
    if (!m)
        return diags_text(d, a);
    const char *words = "# passes: ";
    if (strncmp(text, words, strlen(words)) != 0)
        return "the first line is not `# passes: NAMES`\n";
    words = text + strlen(words);
    return run_words(a, m, arena_strndup(a, words, strcspn(words, "\n")), d);
}

/* True when `got` is what the .want file says, which is written first when so asked. */
static bool matches(Arena *a, const char *path, const char *got)
{
    char *want = "";
    size_t len = 0;

    if (os_env("TILEC_UPDATE"))
        assert_int_equal(os_write_file(path, got, strlen(got)), 0);
    if (os_read_file(a, path, FILE_LIMIT, &want, &len) == 0 && strcmp(want, got) == 0)
        return true;
    print_error("%s: wanted\n%s\ngot\n%s\n", path, want, got);
    return false;
}

static bool check_file(const char *folder, const char *name)
{
    Arena *a = arena_new(NULL);
    const char *path = arena_printf(a, "%s/%s", folder, name);
    const char *want = arena_printf(a, "%.*s.want", (int)strlen(path) - 3, path);
    bool same = matches(a, want, run_file(a, path, name));

    arena_free(a);
    return same;
}

static void test_goldens(void **state)
{
    Arena *a = arena_new(NULL);
    const char *folder = arena_printf(a, "%s/tests/ir", os_env("TILEC_SOURCE"));
    DIR *dir = opendir(folder);
    int seen = 0, wrong = 0;

    (void)state;
    assert_non_null(dir);
    for (struct dirent *e = readdir(dir); e; e = readdir(dir)) {
        if (!ends_with(e->d_name, ".ir"))
            continue;
        seen++;
        wrong += !check_file(folder, e->d_name);
    }
    closedir(dir);
    arena_free(a);
    assert_true(seen > 0);
    assert_int_equal(wrong, 0);
}

static void test_names(void **state)
{
    Arena *a = arena_new(NULL);
    Module *m = module_new(a, interner_new(a), NULL);

    (void)state;
    assert_true(opt_run_pass(m, "dce", diags_new(a, NULL)));
    assert_false(opt_run_pass(m, "no such pass", diags_new(a, NULL)));
    arena_free(a);
}

/* Steps of whole tiles and uniform steps in turn: what fold makes of them grows as they do. */
static void test_long_chain(void **state)
{
    enum { STEPS = 500, MOST_A_STEP = 100 };
    Arena *a = arena_new(NULL);
    Module *m = module_new(a, interner_new(a), NULL);
    Func *f = func_new(m, "chain", (Span){0});
    Builder b = builder_at_end(f, f->body);

    (void)state;
    f->is_kernel = true;
    Value *base = func_add_param(f, "x", type_pointer(m, DT_I32, false), 16);
    Value *n = func_add_param(f, "n", type_scalar(m, DT_I32), 1);
    Value *tile = build_arange(&b, 0, 16);
    Value *p = build_splat(&b, base, tile->type);
    for (int i = 0; i < STEPS; i++) {
        p = build_addptr(&b, p, tile);
        p = build_addptr(&b, p, build_splat(&b, n, tile->type));
    }
    build_op(&b, OP_store, 2, (Value *[]){p, tile}, 2, (int64_t[]){0, 0}, 0, NULL);
    build_yield(&b, OP_return, 0, NULL);
    assert_true(ir_verify(m, diags_new(a, NULL)));
    opt_fold(f);
    assert_true(ir_verify(m, diags_new(a, NULL)));
    assert_in_range(opt_count_ops(f->body), STEPS, STEPS * MOST_A_STEP);
    arena_free(a);
}

/* A helper in a helper in a loop, called twice: each copy knows its own two calls. */
static void test_inlined_ops_know_their_calls(void **state)
{
    static const char text[] = "func @inner(%x: fp32) -> fp32 {\n"
                               "  %0 = sqrt %x : fp32\n"
                               "  return %0\n"
                               "}\n"
                               "func @outer(%x: fp32) -> fp32 {\n"
                               "  %0 = call @inner(%x) : fp32\n"
                               "  return %0\n"
                               "}\n"
                               "kernel @k(%p: *fp32, %n: i32) {\n"
                               "  %a = load %p : fp32\n"
                               "  for %n, %n, %n { (%i: i32)\n"
                               "    %b = call @outer(%a) : fp32\n"
                               "    store %p, %b\n"
                               "    yield\n"
                               "  }\n"
                               "  %c = call @outer(%a) : fp32\n"
                               "  store %p, %c\n"
                               "  return\n"
                               "}\n";
    static const char *const lines[] = {"k.ir:12:", "k.ir:16:"};
    Arena *a = arena_new(NULL);
    Diags *d = diags_new(a, NULL);
    const Source *src = source_add(diags_sources(d), "k.ir", text, strlen(text));
    Module *m = ir_read(a, interner_new(a), src, d);

    (void)state;
    assert_true(opt_run_pass(m, "inline", d));
    const Op *loop = m->funcs[0]->body->first->next;
    const Op *roots[] = {loop->regions[0]->first, loop->next};
    for (int i = 0; i < COUNT(roots); i++) {
        Diags *said = diags_new(a, diags_sources(d));

        assert_int_equal(roots[i]->code, OP_sqrt);
        ir_diag(said, DIAG_ERROR, roots[i], "no");
        const char *out = diags_text(said, a), *error = strstr(out, "k.ir:2:8: error: no\n"),
                   *inner = strstr(out, "k.ir:6:8: note: in `inner`, called from here\n"),
                   *outer = strstr(out, "note: in `outer`, called from here\n");
        assert_true(error && inner && outer && error < inner && inner < outer);
        assert_non_null(strstr(inner, lines[i]));
    }
    assert_int_equal(m->funcs[0]->body->first->site, 0);
    arena_free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_long_chain),
        cmocka_unit_test(test_inlined_ops_know_their_calls),
        cmocka_unit_test(test_goldens),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
