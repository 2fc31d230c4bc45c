/*
 * test_nv_send.c - which stores go by tensor copies: what the kernel, the chip and the launch must
 * say for it
 *
 * tests/gen/sent_rounds.ir is planned with a text in it changed, and sends its result or does not.
 */
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include "../../src/gpu_schedule/nv_ring.h"
#include "../../src/opt_target/opt_target.h"

#include <cmocka.h> /* behind base.h, because it makes fail() a macro */

/* With `to` for each `from`, of which there is one at least. */
static char *replaced(Arena *a, char *text, const char *from, const char *to)
{
    Text out = text_new(a);

    assert_non_null(strstr(text, from));
    for (char *at = strstr(text, from); at; at = strstr(text, from)) {
        text_printf(&out, "%.*s%s", (int)(at - text), text, to);
        text = at + strlen(from);
    }
    text_put(&out, text);
    return arena_printf(a, "%s", out.s);
}

/* The kernel, changed so, with one parameter more. */
static const char *changed(Arena *a, const char *from, const char *to)
{
    const char *path = arena_printf(a, "%s/tests/gen/sent_rounds.ir", getenv("TILEC_SOURCE"));
    char *text;
    size_t len;

    assert_int_equal(os_read_file(a, path, 1 << 20, &text, &len), 0);
    text = replaced(a, text, ") num_warps", ", %flag: *i32) num_warps");
    return from ? replaced(a, text, from, to) : text;
}

static NvPlan *plan_of(Arena *a, const char *text, const GenOptions *o)
{
    Diags *d = diags_new(a, NULL);
    OptOptions passes = {.schedules = true, .verify = true};
    const Source *source = source_add(diags_sources(d), "sent", text, strlen(text));
    Module *m = ir_read(a, interner_new(a), source, d);
    NvPlan *p = m && opt_run(m, &passes, d) ? nv_plan_make(m->funcs[0], o, a, d) : NULL;

    if (!p)
        fail_msg("%s", diags_text(d, a));
    return p;
}

static int count_kind(const NvBlock *b, NvStepKind kind)
{
    int n = 0;

    for (int i = 0; i < b->steps.len; i++) {
        const NvStep *s = b->steps.at[i];
        n += s->kind == kind;
        for (int r = 0; r < COUNT(s->body); r++)
            n += s->body[r] ? count_kind(s->body[r], kind) : 0;
    }
    return n;
}

static void expect_sends(const char *from, const char *to, const GenOptions *o, int sends)
{
    Arena *a = arena_new(NULL);
    NvPlan *p = plan_of(a, changed(a, from, to), o);
    int found = count_kind(p->body, NV_SEND);

    if (found != sends)
        fail_msg("%d are sent, not %d, where %s: %s", found, sends, to ? to : o->cpu,
                 nv_plan_text(p, a));
    /* one wait in the loop for each, and one at the end for all */
    assert_int_equal(count_kind(p->body, NV_SENT), sends > 0 ? sends + 1 : 0);
    arena_free(a);
}

#define STORE "    store %c_tile, %78, %inside\n"
#define BELOW "    %67 = lt %65, %66 : i1[1,64]\n"

static void test_what_the_kernel_says(void **state)
{
    static const GenOptions usual = {.cpu = "sm_90a", .disjoint = true};
    static const struct {
        const char *from, *to;
        int sends;
    } cases[] = {
        {NULL, NULL, 1},
        {"%m: i32", "%m: i32 div 4", 1},
        {"%n: i32 div 16", "%n: i32 div 8", 1},
        /* rows that do not end with 16 bytes, or begin at other places, or lie at one */
        {"%n: i32 div 16", "%n: i32 div 4", 0},
        {"%cm: i32 div 16", "%cm: i32 div 4", 0},
        {"%c_ptr: *fp16 div 16", "%c_ptr: *fp16 div 8", 0},
        /* a column less than what a multiple of 16 bytes is, and eight less */
        {BELOW,
         "    %n1 = const 1 : i32\n    %n2 = sub %n, %n1 : i32\n    %n3 = splat %n2 : i32[1,64]\n"
         "    %67 = lt %65, %n3 : i1[1,64]\n",
         0},
        {BELOW,
         "    %n1 = const 8 : i32\n    %n2 = sub %n, %n1 : i32\n    %n3 = splat %n2 : i32[1,64]\n"
         "    %67 = lt %65, %n3 : i1[1,64]\n",
         1},
        /* a mask that is no bound */
        {BELOW, "    %67 = ne %65, %66 : i1[1,64]\n", 0},
        /* the user says how it is to go through caches */
        {STORE, "    store %c_tile, %78, %inside cache=cs\n", 0},
        /* somebody else reads or writes there, or learns that it is there */
        {STORE, STORE STORE, 0},
        {STORE,
         STORE "    %f1 = const 1 : i32\n"
               "    %f2 = atomic_rmw %flag, %f1 kind=0 sem=0 scope=0 : i32\n",
         0},
        {STORE, STORE "    %f1 = const 1 : i32\n    store %flag, %f1\n", 1},
        {STORE,
         STORE "    %f1 = load %c_ptr : fp16\n    %f2 = cast %f1 : i32\n    store %flag, %f2\n", 0},
    };

    (void)state;
    for (int i = 0; i < COUNT(cases); i++)
        expect_sends(cases[i].from, cases[i].to, &usual, cases[i].sends);
}

static void test_what_the_launch_says(void **state)
{
    static const GenOptions options[] = {{.cpu = "sm_90", .disjoint = true},
                                         {.cpu = "sm_90a", .disjoint = false},
                                         {.cpu = "sm_90a", .disjoint = true, .no_tensors = true}};

    (void)state;
    for (int i = 0; i < COUNT(options); i++)
        expect_sends(NULL, NULL, &options[i], 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_what_the_kernel_says),
                                       cmocka_unit_test(test_what_the_launch_says)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
