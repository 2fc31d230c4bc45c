/*
 * test_marks.c - what names mean at an op, before and behind the inliner
 *
 * tests/lang/vars.py shows the marks of a function as they are lowered.
 */
#include <setjmp.h>
#include <string.h>

#include "../../src/api/language.h"
#include "../../src/lower/lowering.h"
#include "../../src/opt_target/opt_target.h"
#include "../../src/ir/mark.h"

#include <cmocka.h> /* behind base.h, because it makes fail() a macro */

static const char kernel[] = "import triton\n"
                             "import triton.language as tl\n"
                             "@triton.jit\n"
                             "def inner(x, P: tl.constexpr):\n"
                             "    y = x + P\n"
                             "    z = y\n"
                             "    if P > 1:\n"
                             "        return tl.sqrt(y)\n"
                             "    return z\n"
                             "@triton.jit\n"
                             "def outer(v):\n"
                             "    w = v * 3.0\n"
                             "    return inner(w, 2)\n"
                             "@triton.jit\n"
                             "def k(p, n, B: tl.constexpr):\n"
                             "    same = n\n"
                             "    for i in range(n):\n"
                             "        x = tl.load(p + i)\n"
                             "        tl.store(p + i, outer(x))\n"
                             "        late = B\n"
                             "    last = 1\n";

static Module *lower(Arena *a, Diags *d)
{
    static const FrontArg args[] = {
        {.name = "p", .dtype = DT_FP32, .pointer = true, .divisible = 16},
        {.name = "n", .dtype = DT_I32, .divisible = 1},
        {.name = "B", .is_constexpr = true, .constant = {.kind = CONST_INT, .integer = 64}},
    };
    const Source *src = source_add(diags_sources(d), "k.py", kernel, strlen(kernel));
    FrontFile *file = front_parse(a, interner_new(a), &triton_language, src, NULL, d);
    Module *m = front_lower(file, "k", args, COUNT(args), NULL, a, d);

    if (!m)
        fail_msg("%s", diags_text(d, a));
    return m;
}

typedef struct {
    OpCode code;
    const Op *op;
} Search;

static void look(Op *op, void *search)
{
    Search *s = search;

    if (op->code == s->code)
        s->op = op;
}

static const Op *find(const Func *f, OpCode code)
{
    Search s = {.code = code};

    ir_walk(f->body, look, &s);
    assert_non_null(s.op);
    return s.op;
}

/* The names of one frame. */
static const char *names(Arena *a, const Func *f, int site, int mark, const Block *block)
{
    MarkWalk w = mark_walk(f, site, a);
    Text t = text_new(a);

    mark_walk_to(&w, mark, block);
    text_put(&t, "");
    for (int i = 0; i < w.live.len; i++) {
        const Mark *m = mark_shown(&w, i);

        text_put(&t, m && t.len > 0 ? ", " : "");
        if (m)
            mark_put(&t, m);
    }
    return t.s;
}

static const Func *named(const Module *m, const char *name)
{
    for (int i = 0; i < m->nfuncs; i++) {
        if (strcmp(m->funcs[i]->name, name) == 0)
            return m->funcs[i];
    }
    fail_msg("no function %s", name);
    return NULL;
}

static void test_names_at_an_op(void **state)
{
    Arena *a = *state;
    Module *m = lower(a, diags_new(a, NULL));
    const Func *k = named(m, "k"), *inner = named(m, "inner");
    const Op *call = find(k, OP_call), *root = find(inner, OP_sqrt);

    assert_string_equal(names(a, inner, 0, root->mark, root->block),
                        "x: fp32, P = 2, y: fp32, z: fp32");
    assert_string_equal(names(a, k, 0, call->mark, call->block),
                        "p: *fp32, n: i32, B = 64, same: i32, i: i32, x: fp32");
    assert_string_equal(names(a, k, 0, k->marks.len, k->body),
                        "p: *fp32, n: i32, B = 64, same: i32, last: i32 = 1");
}

/* Three frames are behind an op that came through two calls. */
static void test_names_behind_the_inliner(void **state)
{
    Arena *a = *state;
    Diags *d = diags_new(a, NULL);
    Module *m = lower(a, d);

    assert_true(opt_run_pass(m, "inline", d));
    const Func *k = named(m, "k");
    const Op *root = find(k, OP_sqrt);
    const CallSite *in_inner = call_site(m, root->site);
    const CallSite *in_outer = call_site(m, in_inner->parent);

    assert_string_equal(in_inner->callee, "inner");
    assert_string_equal(in_outer->callee, "outer");
    assert_int_equal(in_outer->parent, 0);
    assert_string_equal(names(a, k, root->site, root->mark, root->block),
                        "x: fp32, P = 2, y: fp32, z: fp32");
    assert_string_equal(names(a, k, in_inner->parent, in_inner->mark, root->block),
                        "v: fp32, w: fp32");
    assert_string_equal(names(a, k, 0, in_outer->mark, root->block),
                        "p: *fp32, n: i32, B = 64, same: i32, i: i32, x: fp32");
}

static int set_up(void **state)
{
    *state = arena_new(NULL);
    return 0;
}

static int tear_down(void **state)
{
    arena_free(*state);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_names_at_an_op, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_names_behind_the_inliner, set_up, tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
