/*
 * test_symbols.c - what numbers were called: symbols, their text, and where the IR keeps them
 */
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include "../../src/api/language.h"
#include "../../src/lower/lowering.h"
#include "../../src/opt_target/opt_target.h"
#include "constant_text.h"

#include <cmocka.h> /* behind base.h, because it makes fail() a macro */

typedef struct {
    Arena *arena;
    Interner *interner;
    Diags *diags;
} Fixture;

static int setup(void **state)
{
    Fixture *f = calloc(1, sizeof *f);

    f->arena = arena_new(NULL);
    f->interner = interner_new(f->arena);
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    Fixture *f = *state;

    arena_free(f->arena);
    free(f);
    return 0;
}

static Module *read_text(Fixture *f, const char *text)
{
    f->diags = diags_new(f->arena, NULL);
    const Source *src = source_add(diags_sources(f->diags), "<string>", text, strlen(text));
    return ir_read(f->arena, f->interner, src, f->diags);
}

static const char constexprs[] = "constexpr BLOCK = 64\n"
                                 "constexpr K = -7\n"
                                 "constexpr EPS = 1e-05\n"
                                 "constexpr FLAG = True\n"
                                 "constexpr config.rows = 3\n"
                                 "constexpr SIZES[1] = 16\n"
                                 "constexpr t[2][10].n = 5\n";

/* --- text and value --- */

/* A constant that is called so, and the number that it is. */
static const struct {
    const char *label, *number, *type;
} labels[] = {
    {"BLOCK", "64", "i32"},
    {"BLOCK", "64.0", "fp32"},
    {"FLAG", "true", "i1"},
    {"EPS", "1e-05", "fp64"},
    {"config.rows", "3", "i64"},
    {"SIZES[1]", "16", "i32"},
    {"(SIZES[1] * t[2][10].n)", "80", "i32"},
    {"(BLOCK * 2)", "128", "i32"},
    {"(BLOCK * 2 + 1)", "129", "i32"},
    {"(BLOCK * (2 + config.rows))", "320", "i32"},
    {"(BLOCK - (K - 1))", "72", "i32"},
    {"(BLOCK - K - 1)", "70", "i32"},
    {"(BLOCK // 10)", "6", "i32"},
    {"(K // 2)", "-4", "i32"},
    {"(K % 4)", "1", "i32"},
    {"(BLOCK / 10)", "6.4", "fp64"},
    {"(-K)", "7", "i32"},
    {"(~K)", "6", "i32"},
    {"(-BLOCK // 10)", "-7", "i32"},
    {"(-(BLOCK // 10))", "-6", "i32"},
    {"(config.rows ** 4)", "81", "i32"},
    {"((BLOCK + 1) ** 2)", "4225", "i32"},
    {"(-config.rows ** 2)", "-9", "i32"},
    {"(1 << config.rows)", "8", "i32"},
    {"(BLOCK >> 2)", "16", "i32"},
    {"(BLOCK & 96 | 1)", "65", "i32"},
    {"(BLOCK ^ 3)", "67", "i32"},
    {"(cdiv(BLOCK, 7))", "10", "i32"},
    {"(min(BLOCK, 12) + max(K, -3))", "9", "i32"},
    {"(next_power_of_2(BLOCK + 1))", "128", "i32"},
    {"(EPS * 3)", "3.0000000000000004e-05", "fp64"},
    {"(BLOCK // 2.5)", "25.0", "fp32"},
    {"(FLAG + 1)", "2", "u8"},
    {"(BLOCK * -1)", "18446744073709551552", "u64"},
};

static void test_labels_read_back(void **state)
{
    Fixture *f = *state;

    for (int i = 0; i < COUNT(labels); i++) {
        const char *text =
            arena_printf(f->arena, "%s\nkernel @k() {\n  %%0 = const %s=%s : %s\n  return\n}\n",
                         constexprs, labels[i].label, labels[i].number, labels[i].type);
        Module *m = read_text(f, text);

        if (!m)
            fail_msg("%s\nin\n%s", diags_text(f->diags, f->arena), text);
        assert_string_equal(ir_print(m, f->arena), text);
    }
}

/* What no symbol can be. */
static const struct {
    const char *body, *message;
} refused[] = {
    {"%0 = const BLOCK=63 : i32", "`BLOCK` is not the number beside it"},
    {"%0 = const OTHER=63 : i32", "no `constexpr` of that name stands above"},
    {"%0 = const (BLOCK * 2=128 : i32", "expected `)`"},
    {"%0 = const (BLOCK // 0)=1 : i32", "this symbol has no value, or is too large"},
    {"%0 = const (BLOCK << 60)=1 : i32", "this symbol has no value, or is too large"},
    {"%0 = const (cdiv(BLOCK))=1 : i32", "expected `,` and another symbol"},
    {"%0 = const (99999999999999999999)=1 : i32", "not an integer of 64 bits"},
    {"%0 = const (1.2.3)=1 : fp32", "not a number"},
    {"%0 = const ()=1 : fp32", "expected a symbol such as BLOCK * 2"},
    {"%0 = const (BLOCK) 64 : i32", "expected `=`"},
    {"%0 = arange start=0 : i32[BLOCK=32]", "this symbol does not have the value 32"},
    {"%0 = const EPS=1e-05 : fp32\n%1 = const (EPS * 2)=1e-05 : fp32",
     "`EPS * 2` is not the number beside it"},
};

static void test_wrong_labels(void **state)
{
    Fixture *f = *state;

    for (int i = 0; i < COUNT(refused); i++) {
        const char *text = arena_printf(f->arena, "%s\nkernel @k() {\n%s\nreturn\n}\n", constexprs,
                                        refused[i].body);

        assert_null(read_text(f, text));
        if (!strstr(diags_text(f->diags, f->arena), refused[i].message))
            fail_msg("%s\nfor\n%s", diags_text(f->diags, f->arena), refused[i].body);
    }
    assert_null(read_text(f, "constexpr A = 1\nconstexpr A = 2\n"));
    assert_null(read_text(f, "constexpr A = 1\nconstexpr B = A\n"));
}

static void test_symbols_stay_small(void **state)
{
    Fixture *f = *state;
    const SymbolValue one = {.kind = SYMBOL_IS_INT, .integer = 1};
    const Symbol *s = symbol_of_name(f->arena, intern(f->interner, "N"), one);
    int made = 0;

    for (const Symbol *next = s; next; made++)
        next = symbol_apply(f->arena, SYMBOL_add, next, s);
    assert_int_equal(made, SYMBOL_MOST / 2);
    assert_null(symbol_of_number(
        f->arena, (SymbolValue){.kind = SYMBOL_IS_FLOAT, .real = __builtin_nan("")}));
}

/* --- ops and passes --- */

/* What the IR says of extents alone is handed on: the text without what follows from it. */
static void test_extents_follow(void **state)
{
    static const char text[] = "constexpr M = 64\n"
                               "constexpr N = 32\n"
                               "\n"
                               "kernel @k(%p: *fp32) {\n"
                               "  %0 = arange start=0 : i32[M=64]\n"
                               "  %1 = arange start=0 : i32[N=32]\n"
                               "  %2 = expand %0 axis=1 : i32[M=64,1]\n"
                               "  %3 = broadcast %2 : i32[M=64,32]\n"
                               "  %4 = expand %1 axis=0 : i32[1,N=32]\n"
                               "  %5 = broadcast %4 : i32[64,N=32]\n"
                               "  %6 = mul %3, %5 : i32[M=64,N=32]\n"
                               "  %7 = permute %6 dims=[1,0] : i32[N=32,M=64]\n"
                               "  %8 = cast %7 : fp32[N=32,M=64]\n"
                               "  %9 = cast %6 : fp32[M=64,N=32]\n"
                               "  %10 = const 0.0 : fp32[64,64]\n"
                               "  %11 = dot %9, %8, %10 : fp32[M=64,M=64]\n"
                               "  %12 = reduce %9 axis=0 : fp32[N=32] { (%13: fp32, %14: fp32)\n"
                               "    %15 = add %13, %14 : fp32\n"
                               "    yield %15\n"
                               "  }\n"
                               "  %16 = reshape %9 : fp32[2048]\n"
                               "  %17 = reshape %12 : fp32[1,N=32]\n"
                               "  %18 = histogram %1 : i32[32]\n"
                               "  return\n"
                               "}\n";
    Fixture *f = *state;
    Module *m = read_text(f, text);
    Map *values = map_new(f->arena);

    assert_non_null(m);
    Func *copy = func_new(m, "copy", (Span){0});
    Builder b = builder_at_end(copy, copy->body);
    for (const Op *op = m->funcs[0]->body->first; op; op = op->next) {
        Op *made = op_clone(&b, op, values);
        const Op *source = made;

        if (op->noperands == 0 || op->nresults == 0)
            continue;
        made->results[0]->extents = NULL;
        extents_follow(m, source);
        for (int d = 0; d < op->results[0]->type->rank; d++)
            assert_true(
                symbol_same(value_extent(made->results[0], d), value_extent(op->results[0], d)));
    }
}

/* Two that are merged have no name but the one that both have. */
static void test_merged_values(void **state)
{
    Fixture *f = *state;
    Module *m = read_text(f, "constexpr M = 64\n"
                             "constexpr N = 64\n"
                             "\n"
                             "kernel @k(%p: *i32) {\n"
                             "  %0 = arange start=0 : i32[M=64]\n"
                             "  %1 = arange start=0 : i32[N=64]\n"
                             "  %2 = const M=64 : i32\n"
                             "  %3 = const M=64 : i32\n"
                             "  %4 = const N=64 : i32\n"
                             "  %5 = const (N * 2)=128 : i32\n"
                             "  %6 = const (N * 2)=128 : i32\n"
                             "  store %p, %3\n"
                             "  store %p, %4\n"
                             "  store %p, %6\n"
                             "  %7 = splat %p : *i32[64]\n"
                             "  store %7, %1\n"
                             "  return\n"
                             "}\n");

    assert_non_null(m);
    assert_true(opt_run_pass(m, "cse", f->diags) && ir_verify(m, f->diags));
    assert_string_equal(ir_print(m, f->arena), "constexpr M = 64\n"
                                               "constexpr N = 64\n"
                                               "\n"
                                               "kernel @k(%p: *i32) {\n"
                                               "  %0 = arange start=0 : i32[64]\n"
                                               "  %1 = const 64 : i32\n"
                                               "  %2 = const (N * 2)=128 : i32\n"
                                               "  store %p, %1\n"
                                               "  store %p, %1\n"
                                               "  store %p, %2\n"
                                               "  %3 = splat %p : *i32[64]\n"
                                               "  store %3, %0\n"
                                               "  return\n"
                                               "}\n");
}

/* --- from the source --- */

/* The IR of a kernel of these arguments. */
static const char *lower(Fixture *f, const char *name, const char *text, const char *kernel,
                         const FrontArg *args, int n)
{
    f->diags = diags_new(f->arena, NULL);
    const Source *src = source_add(diags_sources(f->diags), name, text, strlen(text));
    FrontFile *file = front_parse(f->arena, f->interner, &triton_language, src, NULL, f->diags);
    Module *m = file ? front_lower(file, kernel, args, n, NULL, f->arena, f->diags) : NULL;

    if (!m || !ir_verify(m, f->diags))
        fail_msg("%s", diags_text(f->diags, f->arena));
    return ir_print(m, f->arena);
}

static void test_softmax(void **state)
{
    const FrontArg args[] = {
        {.name = "out", .dtype = DT_FP32, .pointer = true, .divisible = 16},
        {.name = "x", .dtype = DT_FP32, .pointer = true, .divisible = 16},
        {.name = "x_stride", .dtype = DT_I32},
        {.name = "out_stride", .dtype = DT_I32},
        {.name = "n_cols", .dtype = DT_I32},
        {.name = "BLOCK", .is_constexpr = true, .constant = const_int(1024)},
    };
    Fixture *f = *state;
    const char *root = os_env("TILEC_SOURCE");
    const char *golden = arena_printf(f->arena, "%s/tests/gen/softmax.lowered", root);
    char *text, *want;
    size_t len;

    assert_int_equal(os_read_file(f->arena, arena_printf(f->arena, "%s/kernels/softmax.py", root),
                                  1 << 20, &text, &len),
                     0);
    const char *got = lower(f, "softmax.py", text, "softmax_kernel", args, COUNT(args));
    if (os_env("TILEC_UPDATE"))
        assert_int_equal(os_write_file(golden, got, strlen(got)), 0);
    assert_int_equal(os_read_file(f->arena, golden, 1 << 20, &want, &len), 0);
    assert_string_equal(got, want);
}

/* A line of Python, and what its last tile is. */
static const struct {
    const char *line, *shape;
} shapes[] = {
    {"t = tl.arange(0, BLOCK)", "i32[BLOCK=8]"},
    {"t = tl.arange(BLOCK, 2 * BLOCK)", "i32[(2 * BLOCK - BLOCK)=8]"},
    {"t = tl.zeros((BLOCK // 2, 4), tl.float32)", "fp32[(BLOCK // 2)=4,4]"},
    {"t = tl.zeros([triton.cdiv(BLOCK, 3)], tl.float32)", "fp32[(cdiv(BLOCK, 3))=3]"},
    {"t = tl.zeros([tl.cdiv(BLOCK, 3)], tl.float32)", "fp32[(cdiv(BLOCK, 3))=3]"},
    {"t = tl.zeros([min(BLOCK, 4), int(BLOCK)], tl.float32)", "fp32[(min(BLOCK, 4))=4,BLOCK=8]"},
    {"t = tl.zeros([triton.next_power_of_2(BLOCK - 1)], tl.float32)",
     "fp32[(next_power_of_2(BLOCK - 1))=8]"},
    {"H: tl.constexpr = BLOCK * 2\n    t = tl.arange(0, H)[:, None] + tl.arange(0, BLOCK)",
     "i32[(BLOCK * 2)=16,BLOCK=8]"},
    {"t = tl.full((BLOCK,), 1, tl.int32)\n    t = t.to(tl.float32)", "fp32[BLOCK=8]"},
    {"t = tl.arange(0, BLOCK)\n    t = tl.zeros(t.shape, tl.int8)", "i8[BLOCK=8]"},
    {"t = tl.arange(0, BLOCK)\n    t = tl.reshape(t, t.shape[0] // 2, 2)", "i32[(BLOCK // 2)=4,2]"},
    {"t = tl.broadcast_to(tl.arange(0, 2)[:, None], 2, BLOCK)", "i32[2,BLOCK=8]"},
    {"t = twice(tl.arange(0, BLOCK))", "i32[BLOCK=8]"},
    {"t = tiles(BLOCK * 2)", "fp32[(BLOCK * 2)=16]"},
    {"t = tiles(16)", "fp32[16]"},
    {"t = tiles(double(BLOCK))", "fp32[(BLOCK * 2)=16]"},
    {"t = tl.arange(0, BLOCK)\n    for i in range(n):\n        t += i", "i32[BLOCK=8]"},
    {"for i in tl.static_range(BLOCK):\n        t = tl.zeros((i + 1,), tl.int32)", "i32[8]"},
    {"t = tl.zeros((shape.rows, shape.columns), tl.int32)", "i32[shape.rows=2,shape.columns=4]"},
    {"t = tl.arange(0, BLOCK if shape.rows == 2 else 4)", "i32[BLOCK=8]"},
    {"t = tl.arange(0, SIZES[1])", "i32[SIZES[1]=16]"},
    {"t = tl.arange(0, 2 * SIZES[-1])", "i32[(2 * SIZES[2])=4]"},
    {"t = tl.zeros((pair[1], SIZES[0]), tl.int32)", "i32[pair[1]=4,SIZES[0]=8]"},
    {"t = tl.zeros((given[0], given[1]), tl.int32)", "i32[given[0]=8,given[1]=2]"},
    {"SIZES: tl.constexpr = (4, 8, 32)\n    t = tl.arange(0, SIZES[1])", "i32[8]"},
};

static const char program[] =
    "import triton\n"
    "import triton.language as tl\n"
    "SIZES = tl.constexpr((8, 16, 2))\n"
    "@triton.jit\n"
    "def twice(x):\n"
    "    return x * 2\n"
    "@triton.jit\n"
    "def tiles(N: tl.constexpr):\n"
    "    return tl.zeros((N,), tl.float32)\n"
    "@triton.constexpr_function\n"
    "def double(n):\n"
    "    return n * 2\n"
    "@triton.jit\n"
    "def k(p, n, BLOCK: tl.constexpr, shape, pair, given: tl.constexpr):\n"
    "    %s\n"
    "    tl.store(p + t.to(tl.int32), t)\n";

static void test_shapes_keep_their_names(void **state)
{
    const FrontArg parts[] = {
        {.name = "rows", .is_constexpr = true, .constant = const_int(2)},
        {.name = "columns", .is_constexpr = true, .constant = const_int(4)},
    };
    const FrontArg pair[] = {
        {.dtype = DT_I32},
        {.is_constexpr = true, .constant = const_int(4)},
    };
    Fixture *f = *state;
    const FrontArg args[] = {
        {.name = "p", .dtype = DT_FP32, .pointer = true},
        {.name = "n", .dtype = DT_I32},
        {.name = "BLOCK", .is_constexpr = true, .constant = const_int(8)},
        {.name = "shape", .form = FRONT_TUPLE, .parts = parts, .nparts = COUNT(parts)},
        {.name = "pair", .form = FRONT_TUPLE, .parts = pair, .nparts = COUNT(pair)},
        {.name = "given",
         .is_constexpr = true,
         .constant = constant_from_text(f->arena, arena_strndup(f->arena, "(8,2)", 5))},
    };

    for (int i = 0; i < COUNT(shapes); i++) {
        const char *text = arena_printf(f->arena, program, shapes[i].line);
        const char *got = lower(f, "k.py", text, "k", args, COUNT(args));
        const char *want = strchr(shapes[i].shape, '[');

        /* the pointers that the tile is stored through have its shape */
        if (!strstr(got, arena_printf(f->arena, ": *fp32%s\n", want)))
            fail_msg("no %s in\n%s", want, got);
        if (!strstr(got, arena_printf(f->arena, ": %s\n", shapes[i].shape)) &&
            !strstr(got, arena_printf(f->arena, ": %s {", shapes[i].shape)))
            fail_msg("no %s in\n%s", shapes[i].shape, got);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_labels_read_back, setup, teardown),
        cmocka_unit_test_setup_teardown(test_wrong_labels, setup, teardown),
        cmocka_unit_test_setup_teardown(test_symbols_stay_small, setup, teardown),
        cmocka_unit_test_setup_teardown(test_extents_follow, setup, teardown),
        cmocka_unit_test_setup_teardown(test_merged_values, setup, teardown),
        cmocka_unit_test_setup_teardown(test_softmax, setup, teardown),
        cmocka_unit_test_setup_teardown(test_shapes_keep_their_names, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
