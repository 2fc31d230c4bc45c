/*
 * test_nv_sums.c - sums of products in tensor memory: which columns they have, and when there are
 * none
 *
 * Kernels of tests/gen are planned for a chip that has it.  Plans whose sums lie wrongly must be
 * told by the verifier.
 */
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include "../../src/gpu_plan/nv_dot.h"
#include "../../src/gpu_schedule/nv_ring.h"
#include "../../src/opt_target/opt_target.h"

#include <cmocka.h> /* behind base.h, because it makes fail() a macro */

static NvPlan *plan_text(Arena *a, const char *text, const char *chip)
{
    GenOptions *o = NEW(a, GenOptions);
    Diags *d = diags_new(a, NULL);
    OptOptions passes = {.schedules = true, .verify = true};
    const Source *source = source_add(diags_sources(d), "sums", text, strlen(text));
    Module *m = ir_read(a, interner_new(a), source, d);

    *o = (GenOptions){.cpu = chip, .features = "", .disjoint = true};
    NvPlan *p = m && opt_run(m, &passes, d) ? nv_plan_make(m->funcs[0], o, a, d) : NULL;
    if (!p)
        fail_msg("%s", diags_text(d, a));
    return p;
}

static NvPlan *plan_file(Arena *a, const char *name)
{
    const char *path = arena_printf(a, "%s/tests/gen/%s.ir", getenv("TILEC_SOURCE"), name);
    char *text;
    size_t len;

    assert_int_equal(os_read_file(a, path, 1 << 20, &text, &len), 0);
    return plan_text(a, text, "sm_100a");
}

/* The products of a block and of those in it, in the program's order. */
typedef VEC(NvStep *) Steps;
static void find_products(Arena *a, const NvBlock *b, Steps *out)
{
    for (int i = 0; i < b->steps.len; i++) {
        NvStep *s = b->steps.at[i];
        if (s->kind == NV_DOT)
            vec_push(a, out, s);
        for (int r = 0; r < COUNT(s->body); r++) {
            if (s->body[r])
                find_products(a, s->body[r], out);
        }
    }
}

static Steps products_of(const NvPlan *p)
{
    Steps out = {0};

    find_products(p->arena, p->body, &out);
    return out;
}

static NvDot *dot_of(const NvStep *s)
{
    return (NvDot *)s->detail;
}

/* --- one product --- */

/* The sums of the rows of a product of m by k by n. */
static NvPlan *plan_product(Arena *a, int m, int n, int warps, const char *chip)
{
    static const char text[] =
        "kernel @rows(%%a: *fp16 div 16, %%b: *fp16 div 16, %%c: *fp32 div 16) num_warps=%d {\n"
        "  %%m = arange start=0 : i32[%d]\n  %%n = arange start=0 : i32[%d]\n"
        "  %%k = arange start=0 : i32[32]\n  %%0 = expand %%m axis=1 : i32[%d,1]\n"
        "  %%1 = const 32 : i32[%d,1]\n  %%2 = mul %%0, %%1 : i32[%d,1]\n"
        "  %%3 = splat %%a : *fp16[%d,1]\n  %%4 = addptr %%3, %%2 : *fp16[%d,1]\n"
        "  %%5 = expand %%k axis=0 : i32[1,32]\n  %%6 = broadcast %%4 : *fp16[%d,32]\n"
        "  %%7 = broadcast %%5 : i32[%d,32]\n  %%8 = addptr %%6, %%7 : *fp16[%d,32]\n"
        "  %%x = load %%8 : fp16[%d,32]\n  %%9 = expand %%k axis=1 : i32[32,1]\n"
        "  %%10 = const %d : i32[32,1]\n  %%11 = mul %%9, %%10 : i32[32,1]\n"
        "  %%12 = splat %%b : *fp16[32,1]\n  %%13 = addptr %%12, %%11 : *fp16[32,1]\n"
        "  %%14 = expand %%n axis=0 : i32[1,%d]\n  %%15 = broadcast %%13 : *fp16[32,%d]\n"
        "  %%16 = broadcast %%14 : i32[32,%d]\n  %%17 = addptr %%15, %%16 : *fp16[32,%d]\n"
        "  %%y = load %%17 : fp16[32,%d]\n  %%18 = const 0.0 : fp32[%d,%d]\n"
        "  %%s = dot %%x, %%y, %%18 : fp32[%d,%d]\n  %%19 = splat %%c : *fp32[%d]\n"
        "  %%20 = addptr %%19, %%m : *fp32[%d]\n"
        "  %%21 = reduce %%s axis=1 : fp32[%d] { (%%22: fp32, %%23: fp32)\n"
        "    %%24 = add %%22, %%23 : fp32\n    yield %%24\n  }\n  store %%20, %%21\n  return\n}\n";

    return plan_text(a,
                     arena_printf(a, text, warps, m, n, m, m, m, m, m, m, m, m, m, n, n, n, n, n, n,
                                  m, n, m, n, m, m, m),
                     chip);
}

static void test_shapes(void **state)
{
    static const struct {
        int m, n, warps, rows, columns, all;
    } cases[] = {
        {64, 16, 4, 64, 16, 32},      {64, 256, 4, 64, 256, 256},   {128, 128, 4, 128, 128, 128},
        {128, 256, 8, 128, 128, 256}, {256, 128, 8, 128, 128, 256}, {256, 128, 4, 128, 256, 256},
        {128, 64, 16, 128, 16, 64},   {256, 256, 4, 128, 512, 512},
    };

    (void)state;
    for (int i = 0; i < COUNT(cases); i++) {
        Arena *a = arena_new(NULL);
        NvPlan *p = plan_product(a, cases[i].m, cases[i].n, cases[i].warps, "sm_100a");
        const NvDot *d = dot_of(products_of(p).at[0]);

        assert_true(d->in_tensor_memory);
        assert_int_equal(d->operand[MMA_A].way, OPERAND_MEMORY);
        assert_int_equal(nv_group_rows(d), cases[i].rows);
        assert_int_equal(d->columns, cases[i].columns);
        assert_int_equal(p->sum_columns, cases[i].all);
        assert_true(strstr(nv_plan_text(p, a), "sum in tensor memory from column 0 on"));
        arena_free(a);
    }
}

/* More columns than there are, rows too short, chips that have none. */
static void test_none(void **state)
{
    static const struct {
        int m, n;
        const char *chip, *why;
    } cases[] = {
        {256, 512, "sm_100a", "tensor memory has no room for its sum"},
        {32, 128, "sm_100a", "fewer than 64 rows"},
        {128, 128, "sm_100", "the chip has none"},
        {128, 128, "sm_120", "the chip has none"},
    };

    (void)state;
    for (int i = 0; i < COUNT(cases); i++) {
        Arena *a = arena_new(NULL);
        NvPlan *p = plan_product(a, cases[i].m, cases[i].n, 4, cases[i].chip);
        const NvDot *d = dot_of(products_of(p).at[0]);

        assert_false(d->in_tensor_memory);
        assert_string_equal(d->no_groups, cases[i].why);
        assert_int_equal(p->sum_columns, 0);
        arena_free(a);
    }
}

/* --- several --- */

static bool is_told(NvPlan *p, const char *part)
{
    Diags *before = p->diags, *d = diags_new(p->arena, NULL);

    p->diags = d;
    bool passed = nv_verify(p);
    p->diags = before;
    p->refused = false;
    if (!part)
        return passed;
    return !passed && strstr(diags_text(d, p->arena), part);
}

static void test_wrong_sums(void **state)
{
    static const char *const names[] = {"group_key", "sent_rounds", "attention"};

    (void)state;
    for (int i = 0; i < COUNT(names); i++) {
        Arena *a = arena_new(NULL);
        NvPlan *p = plan_file(a, names[i]);
        Steps all = products_of(p);

        assert_true(all.len > 0 && is_told(p, NULL));
        for (int k = 0; k < all.len; k++) {
            NvDot *d = dot_of(all.at[k]);
            int column = d->column;

            assert_true(d->in_tensor_memory);
            d->column = p->sum_columns;
            assert_true(is_told(p, "outside of the program's tensor memory"));
            d->column = column;
            d->operand[MMA_A].way = OPERAND_REGISTERS;
            assert_true(is_told(p, "rows"));
            d->operand[MMA_A].way = OPERAND_MEMORY;
        }
        assert_true(is_told(p, NULL));
        arena_free(a);
    }
}

/* Of the gradients of attention two products are under way together, and others one by one. */
static void test_apart(void **state)
{
    Arena *a = arena_new(NULL);
    NvPlan *p = plan_file(a, "group_key");
    Steps all = products_of(p);

    (void)state;
    assert_int_equal(all.len, 4);
    NvDot *one = dot_of(all.at[2]), *before = dot_of(all.at[1]);
    assert_true(one->column >= before->column + before->columns);
    assert_int_equal(dot_of(all.at[0])->column, dot_of(all.at[3])->column);
    one->column = before->column;
    assert_true(is_told(p, "where another one does that has not landed"));
    arena_free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_shapes), cmocka_unit_test(test_none),
                                       cmocka_unit_test(test_wrong_sums),
                                       cmocka_unit_test(test_apart)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
