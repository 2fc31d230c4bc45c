/*
 * test_ir.c - types, building, editing, and the text form: what is read, printed and refused
 */
#include <stdlib.h>
#include <string.h>

#include "../../src/ir/analysis.h" /* before cmocka, which makes fail() a macro */
#include <cmocka.h>

typedef struct {
    Arena *arena;
    Interner *interner;
    Diags *diags;
} Fixture;

static int set_up(void **state)
{
    Fixture *f = calloc(1, sizeof *f);

    f->arena = arena_new(NULL);
    f->interner = interner_new(f->arena);
    f->diags = diags_new(f->arena, NULL);
    *state = f;
    return 0;
}

static int tear_down(void **state)
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

/* Read what must be right. */
static Module *must_read(Fixture *f, const char *text)
{
    Module *m = read_text(f, text);

    if (!m)
        print_error("%s\nin\n%s\n", diags_text(f->diags, f->arena), text);
    assert_non_null(m);
    return m;
}

/* Printing gives exactly `want`, and so does reading that and printing again. */
static void assert_prints(Fixture *f, const Module *m, const char *want)
{
    const char *text = ir_print(m, f->arena);

    assert_string_equal(text, want);
    assert_string_equal(ir_print(must_read(f, text), f->arena), want);
}

/* A file of the source tree.  (Inlined, gcc 12 takes what it gives for a pointer to a local.) */
static __attribute__((noinline)) const char *read_source_file(Fixture *f, const char *name)
{
    const char *root = os_env("TILEC_SOURCE");
    char *data;
    size_t len;

    name = arena_printf(f->arena, "%s/%s", root ? root : ".", name);
    assert_int_equal(os_read_file(f->arena, name, 1 << 20, &data, &len), 0);
    return data;
}

/* the text form */

static void mark_op(Op *op, void *ctx)
{
    ((bool *)ctx)[op->code] = true;
}

static void test_every_op_reads_and_prints(void **state)
{
    Fixture *f = *state;
    const char *text = strstr(read_source_file(f, "tests/unit/every_op.ir"), "\nkernel") + 1;
    Module *m = must_read(f, text);
    bool used[OP_COUNT] = {false};

    for (int i = 0; i < m->nfuncs; i++)
        ir_walk(m->funcs[i]->body, mark_op, used);
    for (int c = 0; c < OP_COUNT; c++) {
        if (!used[c])
            fail_msg("the module does not use %s", op_info(c)->name);
    }
    assert_prints(f, m, text);
}

/* Every block of IR that the documentation shows is right, and in the printer's form. */
static void test_documentation_is_right(void **state)
{
    Fixture *f = *state;
    const char *page = read_source_file(f, "docs/ir.md");
    int blocks = 0;

    for (const char *p = page; (p = strstr(p, "```ir\n")); blocks++) {
        const char *text = p + 6, *end = strstr(text, "```");

        assert_non_null(end);
        text = arena_strndup(f->arena, text, (size_t)(end - text));
        assert_prints(f, must_read(f, text), text);
        p = end;
    }
    assert_true(blocks >= 5);
}

/* The calls that ops were inlined through, where somebody asks. */
static void test_sites_read_and_print(void **state)
{
    static const char text[] = "site @1 @outer\n"
                               "site @2 @inner @1\n"
                               "kernel @k(%p: *fp32) {\n"
                               "  %0 = load %p : fp32 @1\n"
                               "  store %p, %0 @2\n"
                               "  return\n"
                               "}\n";
    Fixture *f = *state;
    const Module *m = must_read(f, text);
    const char *told = ir_print_sites(m, f->arena);

    assert_non_null(strstr(told, "site @2 @inner @1  # <string>:2:1\n"));
    assert_string_equal(strstr(told, "  %0 = load"), strstr(text, "  %0 = load"));
    assert_string_equal(ir_print_sites(must_read(f, told), f->arena), told);
    assert_null(strchr(strstr(ir_print(m, f->arena), "load"), '@'));
    assert_null(read_text(f, "site @2 @f\n"));
    assert_non_null(strstr(diags_text(f->diags, f->arena), "expected @1"));
    assert_null(read_text(f, "site @1 @f @1\n"));
    assert_non_null(strstr(diags_text(f->diags, f->arena), "there is no site @1"));
    assert_null(read_text(f, "kernel @k() {\n  return @1\n}\n"));
    assert_non_null(strstr(diags_text(f->diags, f->arena), "there is no site @1"));
}

/* Names are made unique in the order of definition; numbers are given anew. */
static void test_names_are_made_unique(void **state)
{
    Fixture *f = *state;
    Module *m = module_new(f->arena, f->interner, NULL);
    Func *fn = func_new(m, "odd name", (Span){0});
    const Type *i32 = type_scalar(m, DT_I32);

    fn->is_kernel = true;
    func_add_param(fn, "x", i32, 16);
    func_add_param(fn, "x", i32, 0);
    func_add_param(fn, "x.1", i32, 1);
    func_add_param(fn, "9 lives", i32, 0);
    func_add_param(fn, "\xc3\xa9", i32, 0);
    Builder b = builder_at_end(fn, fn->body);
    build_binary(&b, OP_add, fn->body->args[1], fn->body->args[2]);
    build_yield(&b, OP_return, 0, NULL);
    assert_true(ir_verify(m, f->diags));
    assert_prints(f, m,
                  "kernel @odd_name(%x: i32 div 16, %x.1: i32, %x.1.1: i32, %_9_lives: i32, "
                  "%\xc3\xa9: i32) {\n"
                  "  %0 = add %x.1, %x.1.1 : i32\n"
                  "  return\n"
                  "}\n");
}

static void test_reader_takes_free_form(void **state)
{
    Fixture *f = *state;
    Module *m = must_read(f, "# a comment\r\n"
                             "kernel @k(%p: *fp32,)\r\n"
                             "{ # another\r\n"
                             "\t%77 = load %p volatile=1\tcache=2 evict=normal : fp32 # here\r\n\n"
                             "  store %p, %77\n"
                             "return }");

    assert_prints(f, m,
                  "kernel @k(%p: *fp32) {\n"
                  "  %0 = load %p cache=cg volatile=1 : fp32\n"
                  "  store %p, %0\n"
                  "  return\n"
                  "}\n");
}

/* A constant as it is written, its type, its bits, and how it is printed. */
static void test_constants(void **state)
{
    static const struct {
        const char *written, *type;
        uint64_t bits;
        const char *printed; /* NULL: as written */
    } rows[] = {
        {"true", "i1", 1, NULL},
        {"0", "i1", 0, "false"},
        {"-1", "i32", 0xffffffff, NULL},
        {"0xffffffff", "i32", 0xffffffff, "-1"},
        {"4294967295", "u32", 0xffffffff, NULL},
        {"-9223372036854775808", "i64", (uint64_t)INT64_MIN, NULL},
        {"18446744073709551615", "u64", UINT64_MAX, NULL},
        {"-128", "i8[4]", 0x80, NULL},
        {"0x7f00dead", "*fp32", 0x7f00dead, NULL},
        {"1.5", "fp32", 0x3fc00000, NULL},
        {"1", "fp32", 0x3f800000, "1.0"},
        {"1000", "fp64", 0x408f400000000000, "1000.0"},
        {"-0.0", "fp64", 1ull << 63, NULL},
        {"0.1", "fp32", 0x3dcccccd, NULL},
        {"0.1", "fp64", 0x3fb999999999999a, NULL},
        {"0.3333333333333333", "fp64", 0x3fd5555555555555, NULL},
        {"1e-45", "fp32", 1, NULL},
        {"3.4028235e+38", "fp32", 0x7f7fffff, NULL},
        {"1e400", "fp64", 0x7ff0000000000000, "inf"},
        {"-inf", "fp16", 0xfc00, NULL},
        {"inf", "bf16", 0x7f80, NULL},
        {"0x7fc00001", "fp32", 0x7fc00001, NULL},
        {"0xff", "fp8e4nv", 0xff, NULL},
        {"448", "fp8e4nv", 0x7e, "448.0"},
        {"0x7f", "fp8e4b15", 0x7f, NULL},
    };
    Fixture *f = *state;

    for (int i = 0; i < COUNT(rows); i++) {
        const char *form = "func @f() {\n  %%0 = const %s : %s\n  return\n}\n";
        const char *printed = rows[i].printed ? rows[i].printed : rows[i].written;
        Module *m = must_read(f, arena_printf(f->arena, form, rows[i].written, rows[i].type));
        uint64_t bits = 0;

        assert_true(value_constant(m->funcs[0]->body->first->results[0], &bits));
        assert_int_equal(bits, rows[i].bits);
        assert_prints(f, m, arena_printf(f->arena, form, printed, rows[i].type));
    }
}

static void test_workspace(void **state)
{
    Fixture *f = *state;
    Module *m = module_new(f->arena, f->interner, NULL);
    Func *fn = func_new(m, "k", (Span){0});
    Builder b = builder_at_end(fn, fn->body);

    fn->is_kernel = true;
    func_add_param(fn, "n", type_scalar(m, DT_I32), 0);
    const Value *tape = func_add_workspace(fn, "tape", type_pointer(m, DT_FP32, false), 4096);
    build_yield(&b, OP_return, 0, NULL);
    assert_ptr_equal(func_hidden(fn, PARAM_WORKSPACE), tape);
    assert_prints(f, m,
                  "kernel @k(%n: i32, %tape: *fp32 div 64 hidden workspace 4096) {\n"
                  "  return\n"
                  "}\n");
}

/* Every bit pattern of the small formats survives the text form. */
static void test_small_floats_survive(void **state)
{
    static const DType types[] = {DT_FP8E4NV, DT_FP8E5, DT_FP8E4B8, DT_FP8E5B16, DT_FP8E4B15};
    Fixture *f = *state;

    for (int i = 0; i < COUNT(types); i++) {
        Module *m = module_new(f->arena, f->interner, NULL);
        Func *fn = func_new(m, "f", (Span){0});
        Builder b = builder_at_end(fn, fn->body);
        int bits = 0;

        for (; bits < 256; bits++)
            build_const(&b, type_scalar(m, types[i]), (uint64_t)bits);
        build_yield(&b, OP_return, 0, NULL);
        Module *again = must_read(f, ir_print(m, f->arena));
        bits = 0;
        for (const Op *op = again->funcs[0]->body->first; op->code == OP_const; op = op->next)
            assert_int_equal(op->attrs[0], bits++);
        assert_int_equal(bits, 256);
    }
}

/* what is refused */

/* The body of a kernel with one error in it, and a part of the message. */
static const struct {
    const char *body, *message;
} broken_bodies[] = {
    /* form */
    {"%0 = frobnicate %n : i32", "unknown op `frobnicate`"},
    {"%0 = add %n, %m : i32", "%m is not defined"},
    {"%n = const 1 : i32", "%n is already defined"},
    {"%0 = const 1 : i33", "unknown type `i33`"},
    {"%0 = const 256 : u8", "not a constant of type u8"},
    {"%0 = const -1 : u8", "not a constant of type u8"},
    {"%0 = const 1.5 : i32", "not a constant of type i32"},
    {"%0 = const nan : fp32", "not a constant of type fp32"},
    {"%0 = const 0x1p3 : fp32", "not a constant of type fp32"},
    {"%0 = const 1 : i32[4096,4097]", "a tile has at most 16777216 elements"},
    {"%0 = const 1 : i32[0]", "must be between 1 and 16777216"},
    {"%0 = const 1 : i32[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1]", "more than 16 dimensions"},
    {"%0 = const 1 : i32, i32", "1 results but 2 types"},
    {"%0 = program_id : i32", "program_id needs `axis=`"},
    {"%0 = program_id axis=99999999999999999999 : i32", "not an integer of 64 bits"},
    {"%0 = program_id axis=0 axis=0 : i32", "given twice"},
    {"%0 = load %p cache=often : fp32", "`cache` has no such value"},
    {"%0 = load %p colour=1 : fp32", "load has no attribute `colour`"},
    {"assert %c", "assert needs `message=`"},
    {"assert %c message=5", "expected a quoted text"},
    {"assert %c message=\"open", "the text has no end"},
    {"assert %c message=\"open\\\"", "a backslash stands before"},
    {"assert %c message=\"\\q\"", "a backslash stands before"},
    {"assert %c message=\"\\x00\"", "a backslash stands before"},
    {"assert %c message=\"\\x1\"", "a backslash stands before"},
    {"%0 = add %n, %n i32", "add has no attribute `i32`"},
    {"%0 = add %n, %n", "expected `:`"},
    {"%0 = add %n, %n : i32 %1 = add %n, %n : i32", "expected the end of the line"},
    {"call @nowhere()", "@nowhere is not defined"},
    {"if %c", "expected `{`"},
    {"if %c {", "found the end"},
    /* links */
    {"if %c {\n%0 = add %n, %n : i32\nyield\n} {\nyield\n}\nstore %pi, %0", "is not visible here"},
    {"if %c {\n} {\nyield\n}", "a block does not end in yield"},
    {"if %c {\nreturn\n} {\nyield\n}", "return: cannot end this block"},
    {"return\n%0 = add %n, %n : i32", "ends a block but is not its last op"},
    /* the table */
    {"%0 = add %n : i32", "takes 2 operands, not 1"},
    {"%0 = load %p, %c, %s, %s : fp32", "takes 1 to 3 operands, not 4"},
    {"for %n {\nyield\n}", "takes at least 3 operands, not 1"},
    {"%0 = add %n, %s : i32", "operand 1 is fp32 but must be of operand 0's type"},
    {"%0 = add %p, %p : *fp32", "operand 0 is *fp32 but must be a number"},
    {"%0 = exp %n : i32", "must be floating point"},
    {"%0 = and %s, %s : fp32", "must be an integer"},
    {"%0 = load %n : i32", "must be a pointer"},
    {"%0 = load %p, %n : fp32", "must be i1 in operand 0's shape"},
    {"store %p, %n", "must be what operand 0 points to"},
    {"%0 = addptr %p, %t : *fp32", "must be an integer in operand 0's shape"},
    {"assume %n", "must be an i1 scalar"},
    {"%0 = select %n, %n, %n : i32", "must be i1"},
    {"for %c, %c, %c { (%i: i1)\nyield\n}", "must be an integer scalar"},
    {"%0 = load %p cache=7 : fp32", "cache=7 is not between 0 and 6"},
    {"%0 = add %n, %n : i64", "the result is i64 but must be i32"},
    {"%0 = lt %n, %n : i32", "the result is i32 but must be i1"},
    {"%0 = load %p : *fp32", "the result is *fp32 but must be fp32"},
    {"%0, %1 = add %n, %n : i32, i32", "gives 1 results, not 2"},
    {"%0 = barrier : i32", "gives 0 results, not 1"},
    /* rules */
    {"%0 = program_id axis=3 : i32", "axis 3 is not between 0 and 2"},
    {"%0 = program_id axis=0 : i64", "result 0 is i64 but must be i32"},
    {"%0 = arange start=0 : i64[4]", "must be i32 of rank 1"},
    {"%0 = arange start=2147483647 : i32[2]", "do not fit i32"},
    {"%0 = splat %t : i32[6,4]", "the operand must be a scalar"},
    {"%0 = splat %n : i64[4]", "the element type changes from i32 to i64[4]"},
    {"%0 = broadcast %t : i32[8]", "i32[6] does not broadcast to i32[8]"},
    {"%0 = broadcast %n : i32[8]", "i32 does not broadcast to i32[8]"},
    {"%0 = expand %t axis=2 : i32[6,1]", "axis 2 is not between 0 and 1"},
    {"%0 = expand %t axis=0 : i32[6,1]", "must be i32[1,6]"},
    {"%0 = reshape %t : i32[2,2]", "the number of elements changes from 6 to 4"},
    {"%0 = permute %tt dims=[0,0] : i32[6,6]", "dims must name each of the 2 dimensions once"},
    {"%0 = permute %tt dims=[1] : i32[4]", "dims must name each of the 2 dimensions once"},
    {"%0 = permute %tt dims=[1,0] : i32[6,4]", "result 0 is i32[6,4] but must be i32[4,6]"},
    {"%0 = select %c, %t, %t : i32[6]", "the condition is i1, the choices are i32[6]"},
    {"%0 = select %c, %n, %s : i32", "the choices are i32 and fp32"},
    {"%0 = lookup8 %n table=[1,2] : i32", "takes 8 entries, not 2"},
    {"%0 = lookup8 %n table=[0,0,0,0,0,0,0,-1] : i32", "has the entry -1, which i32 does not hold"},
    {"%0 = cast %p : fp32", "cannot cast *fp32 to fp32"},
    {"%0 = cast %n : *fp32", "cannot cast i32 to *fp32"},
    {"%0 = cast %n : fp8e5", "cannot cast i32 to fp8e5"},
    {"%0 = cast %t : i64", "the shape changes from i32[6] to i64"},
    {"%0 = cast %n rounding=zero : i16", "only casts to floating types round toward a side"},
    {"%0 = cast %n rounding=zero : fp16", "casts of small floats round to nearest or toward zero"},
    {"%0 = add_toward %s, %s : fp32", "add_toward needs a side to round to"},
    {"%h = cast %s : fp16\n%0 = sqrt_toward %h rounding=up : fp16",
     "sqrt_toward is for fp32 and fp64, not fp16"},
    {"%0 = bitcast %n : i64", "cannot bitcast 32 bits to 64 bits"},
    {"%0 = bitcast %n : *i32", "pointers are converted by cast"},
    {"store %k, %n", "cannot store to a constant pointer"},
    {"%0 = atomic_rmw %k, %n kind=add : i32", "cannot store to a constant pointer"},
    {"%0 = atomic_rmw %p, %s kind=or : fp32", "bitwise kinds do not work on fp32"},
    {"%0 = hint %tt kind=multiple_of values=[4] : i32[6,4]", "takes 2 values, not 1"},
    {"%0 = hint %n kind=multiple_of values=[0] : i32", "promises 0"},
    {"%0 = hint %n kind=likely : i32", "about a condition"},
    {"%0 = reduce %n axis=0 : i32 { (%a: i32, %b: i32)\nyield %a\n}", "axis 0 is not between"},
    {"%0 = reduce %tt axis=1 : i32[4] { (%a: i32, %b: i32)\nyield %a\n}", "must be i32[6]"},
    {"%0 = reduce %t axis=0 : i32 { (%a: i32)\nyield %a\n}", "takes 1 arguments but must take 2"},
    {"%0 = reduce %t axis=0 : i32 { (%a: i32, %b: i64)\nyield %a\n}", "argument 1 of region 0"},
    {"%0 = reduce %t axis=0 : i32 { (%a: i32, %b: i32)\nyield\n}", "hands over 0 values"},
    {"%0 = reduce %t axis=0 : i32 { (%a: i32, %b: i32)\n%1 = add %t, %t : i32[6]\nyield %a\n}",
     "a tile inside a combine region"},
    {"%0 = reduce axis=0 : i32 { (%a: i32, %b: i32)\nyield %a\n}", "takes at least 1 operand"},
    {"%0 = reduce %t, %t, %t, %t, %t, %t, %t, %t, %t axis=0 : i32 { (%a: i32)\nyield %a\n}",
     "takes at most 8 operands, not 9"},
    {"%0 = scan %t axis=0 : i32 { (%a: i32, %b: i32)\nyield %a\n}", "must be i32[6]"},
    {"%0 = scan %t axis=0 reverse=2 : i32[6] { (%a: i32, %b: i32)\nyield %a\n}", "reverse=2"},
    {"%0 = dot %tt, %tt, %tt : i32[6,4]", "the shapes of i32[6,4], i32[6,4] and i32[6,4]"},
    {"%0 = cast %tt : i8[6,4]\n%1 = permute %0 dims=[1,0] : i8[4,6]\n%2 = const 0 : i64[6,6]\n"
     "%3 = dot %0, %1, %2 : i64[6,6]",
     "the dtypes of i8[6,4], i8[4,6] and i64[6,6] do not fit"},
    {"%0 = const 1 : i64\nfor %n, %0, %n { (%i: i32)\nyield\n}", "differ in type: i32, i64, i32"},
    {"for %n, %n, %n { (%i: i64)\nyield\n}", "argument 0 of region 0 is i64 but must be i32"},
    {"%0 = for %n, %n, %n, %s : fp32 { (%i: i32, %a: fp32)\nyield %i\n}", "value 0 is i32"},
    {"%0 = for %n, %n, %n, %s : i32 { (%i: i32, %a: fp32)\nyield %a\n}", "result 0 is i32"},
    {"while { \ncondition %c, %n\n} {\nyield\n}", "region 1 takes 0 arguments but must take 1"},
    {"while {\nyield\n} {\nyield\n}", "yield: cannot end this block"},
    {"%0 = if %c : i32 {\nyield %n\n} {\nyield\n}", "hands over 0 values but must hand over 1"},
    {"call @broken()", "@broken is a kernel"},
    {"%0 = call @one(%n, %n) : i32", "@one takes 1 arguments, not 2"},
    {"%0 = call @one(%s) : i32", "argument 0 is fp32 but must be i32"},
    {"%0 = call @one(%n) : i64", "result 0 is i64 but must be i32"},
    {"return %n", "hands over 1 values but must hand over 0"},
    /* handles and records */
    {"%0 = const 4 : i64\n%1 = ldexp %s, %0 : fp32", "the exponents are i64 but must be i32"},
    {"%0 = const 1 : block fp32[4]", "a handle that leads nowhere is 0"},
    {"%long = const 4 : i64\n"
     "%0 = make_block_ptr %pi, %long, %long, %long order=[0] : block fp32[4]",
     "block fp32[4] does not lead to *i32"},
    {"%long = const 4 : i64\n"
     "%0 = make_block_ptr %p, %long, %long, %long order=[0] : descriptor fp32[4]",
     "does not lead to *fp32"},
    {"%long = const 4 : i64\n"
     "%0 = make_block_ptr %k, %long, %long, %long order=[0] : block i32[4]",
     "does not lead to *ki32"},
    {"%long = const 4 : i64\n"
     "%0 = make_block_ptr %p, %long, %long order=[0] : block fp32[4]",
     "takes 3 scalars for each dimension, not 2"},
    {"%long = const 4 : i64\n"
     "%0 = make_descriptor %p, %long, %long, %long : descriptor fp32[4]",
     "takes 2 scalars for each dimension, not 3"},
    {"%long = const 4 : i64\n"
     "%0 = make_descriptor %p, %long, %n : descriptor fp32[4]",
     "operand 2 is i32 but must be i64"},
    {"%long = const 4 : i64\n"
     "%0 = make_block_ptr %p, %long, %long, %long, %long, %long, %long order=[0] : block fp32[4,4]",
     "order names 1 of 2 dimensions"},
    {"%long = const 4 : i64\n"
     "%0 = make_block_ptr %p, %long, %long, %long order=[1] : block fp32[4]",
     "1 is no dimension, or named twice"},
    {"%long = const 4 : i64\n"
     "%0 = make_block_ptr %p, %long, %long, %long, %long, %long, %long order=[0,0] : block "
     "fp32[4,4]",
     "0 is no dimension, or named twice"},
    {"%long = const 4 : i64\n"
     "%A = make_block_ptr %p, %long, %long, %long order=[0] : block fp32[4]\n"
     "%0 = advance %A, %long, %long : block fp32[4]",
     "takes 1 offsets, not 2"},
    {"%long = const 4 : i64\n"
     "%A = make_block_ptr %p, %long, %long, %long order=[0] : block fp32[4]\n"
     "%0 = advance %A, %n : block fp32[4]",
     "offset 0 is i32 but must be i64"},
    {"%long = const 4 : i64\n"
     "%D = make_descriptor %pi, %long, %long : descriptor i32[4]\n"
     "%0 = advance %D, %long : descriptor i32[4]",
     "a descriptor has no offsets"},
    {"%long = const 4 : i64\n"
     "%A = make_block_ptr %p, %long, %long, %long order=[0] : block fp32[4]\n"
     "%0 = load_block %A, %long : fp32[4]",
     "takes 0 offsets, not 1"},
    {"%long = const 4 : i64\n"
     "%A = make_block_ptr %p, %long, %long, %long order=[0] : block fp32[4]\n"
     "%0 = load_block %A boundary=[-1] : fp32[4]",
     "-1 is no dimension, or named twice"},
    {"%long = const 4 : i64\n"
     "%D = make_descriptor %pi, %long, %long : descriptor i32[4]\n"
     "%0 = load_block %D : i32[4]",
     "takes 1 offsets, not 0"},
    {"%long = const 4 : i64\n"
     "%D = make_descriptor %pi, %long, %long : descriptor i32[4]\n"
     "%0 = load_block %D, %long padding=nan : i32[4]",
     "i32 has no NaN"},
    {"record %n kind=assert message=\"a\"", "of this kind takes 2 operands, not 1"},
    {"record %n, %s kind=assert message=\"a\"", "operand 1 must be i32"},
};

/* The text must be refused with a message that holds `message`. */
static void assert_refused(Fixture *f, const char *text, const char *message)
{
    Module *m = read_text(f, text);
    const char *said = diags_text(f->diags, f->arena);

    if (m || !strstr(said, message))
        fail_msg("wanted: %s\nin:\n%s\nsaid: %s", message, text, said);
}

static void test_broken_bodies_are_refused(void **state)
{
    Fixture *f = *state;

    for (int i = 0; i < COUNT(broken_bodies); i++) {
        const char *body = broken_bodies[i].body;
        bool open = body[strlen(body) - 1] == '{';
        Text t = text_new(f->arena);

        text_put(&t,
                 "func @one(%n: i32) -> i32 {\nreturn %n\n}\n"
                 "kernel @broken(%n: i32, %c: i1, %s: fp32, %p: *fp32, %pi: *i32, %k: *ki32) {\n"
                 "%t = arange start=0 : i32[6]\n"
                 "%tt = const 7 : i32[6,4]\n");
        text_put(&t, body);
        text_put(&t, open ? "\n" : strncmp(body, "return", 6) == 0 ? "\n}\n" : "\nreturn\n}\n");
        assert_refused(f, t.s, broken_bodies[i].message);
    }
}

static void test_broken_functions_are_refused(void **state)
{
    static const struct {
        const char *text, *message;
    } rows[] = {
        {"kernel", "expected a name such as @add"},
        {"colonel @k() {\nreturn\n}", "expected `kernel` or `func`"},
        {"kernel @k(%x: i32 div 0) {\nreturn\n}", "must be between 1"},
        {"kernel @k(%x: i32, %x: i32) {\nreturn\n}", "%x is already defined"},
        {"kernel @k(%x: i32[4]) {\nreturn\n}", "parameter 0 of a kernel is a tile"},
        {"func @f(%r: *i8 hidden records) {\nreturn\n}", "this is no kernel"},
        {"kernel @k(%r: i64 hidden records) {\nreturn\n}", "parameter 0 must be a pointer"},
        {"kernel @k(%r: *i8 hidden records, %n: i32) {\nreturn\n}", "stands behind a hidden one"},
        {"kernel @k(%n: i32, %v: i64 hidden view 0 1) {\nreturn\n}", "is the view of no array"},
        {"kernel @k(%x: *i8, %v: i32 hidden view 0 1) {\nreturn\n}", "parameter 1 is damaged"},
        {"kernel @k(%x: *i8, %v: i64 hidden cache) {\nreturn\n}",
         "expected `records`, `view` or `workspace`"},
        {"kernel @k(%w: i64 hidden workspace 8) {\nreturn\n}",
         "parameter 0 must be a pointer that is stored through"},
        {"kernel @k(%w: *kfp32 hidden workspace 8) {\nreturn\n}",
         "parameter 0 must be a pointer that is stored through"},
        {"kernel @k(%w: *fp32 div 128 hidden workspace 8) {\nreturn\n}",
         "workspaces are multiples of 64"},
        {"kernel @k(%w: *fp32 hidden workspace 0) {\nreturn\n}", "must be between 1 and"},
        {"kernel @k() -> i32 {\n%0 = const 1 : i32\nreturn %0\n}", "a kernel gives no results"},
        {"func @f() {\nreturn\n}\nfunc @f() {\nreturn\n}", "@f is already defined"},
        {"func @f() -> i32 {\nreturn\n}", "hands over 0 values but must hand over 1"},
        {"kernel @k(%x: i32) {\n%t = arange start=0 : i32[6]\n"
         "%0 = reduce %t axis=0 : i32 { (%a: i32, %b: i32)\n"
         "%c = call @f(%a, %b) : i32\nyield %c\n}\nreturn\n}\n"
         "func @f(%a: i32, %b: i32) -> i32 {\n%c = call @g(%a) : i32\nreturn %c\n}\n"
         "func @g(%a: i32) -> i32 {\n%t = arange start=0 : i32[6]\n"
         "%c = call @f(%a, %a) : i32\nreturn %c\n}",
         "@f works on tiles, inside a combine region"},
        {"func @f() {\n}", "a block does not end in return"},
        {"func @f() {\n  return\n", "expected an op, found the end"},
    };
    Fixture *f = *state;

    for (int i = 0; i < COUNT(rows); i++)
        assert_refused(f, rows[i].text, rows[i].message);
}

static void test_diagnostics_point_at_the_op(void **state)
{
    Fixture *f = *state;

    assert_null(
        read_text(f, "func @f(%a: i32, %b: i64) {\n  %0 = add %a, %b : i32\n  return\n}\n"));
    assert_string_equal(
        diags_text(f->diags, f->arena),
        "<string>:2:8: error: add: operand 1 is i64 but must be of operand 0's type\n"
        "      %0 = add %a, %b : i32\n"
        "           ^~~\n"
        "note: in @f: %0 = add %a, %b : i32\n");
}

static void test_nesting_is_limited(void **state)
{
    Fixture *f = *state;
    Text t = text_new(f->arena);

    text_put(&t, "func @f(%c: i1) {\n");
    for (int i = 0; i < 100000; i++)
        text_put(&t, "if %c {\n");
    assert_null(read_text(f, t.s));
    assert_non_null(strstr(diags_text(f->diags, f->arena), "nested more than 200 deep"));
}

/* Wherever memory runs out, the reader, the verifier and the printer leave through the guard. */
static void test_running_out_of_memory(void **state)
{
    const char *text = read_source_file(*state, "tests/unit/every_op.ir");
    volatile bool finished = false;

    for (volatile long n = 1; !finished; n += 1 + n / 20) {
        Guard guard = {0};
        Fixture f = {.arena = arena_new(&guard)};

        if (setjmp(guard.env) == 0) {
            arena_inject_failure(n);
            f.interner = interner_new(f.arena);
            finished = ir_print(must_read(&f, text), f.arena) != NULL;
        }
        arena_inject_failure(-1);
        assert_int_equal(guard.why, finished ? GUARD_OK : GUARD_NO_MEMORY);
        arena_free(f.arena);
    }
}

/* What the text form cannot say. */
static void test_broken_links_are_refused(void **state)
{
    static const char *const messages[] = {"operand 0 is missing",
                                           "value id 1 is given out twice",
                                           "is not linked into its block",
                                           "takes 1 attributes",
                                           "do not fit i8",
                                           "came through call 1, which its module does not know",
                                           "has no type"};
    Fixture *f = *state;

    for (int i = 0; i < COUNT(messages); i++) {
        Module *m = must_read(f, "func @f(%a: i32) {\n"
                                 "  %0 = const 1 : i8\n"
                                 "  %1 = neg %a : i32\n"
                                 "  return\n"
                                 "}\n");
        Op *first = m->funcs[0]->body->first, *second = first->next;

        if (i == 0)
            second->operands[0] = NULL;
        else if (i == 1)
            second->results[0]->id = first->results[0]->id;
        else if (i == 2)
            second->prev = NULL;
        else if (i == 3)
            first->nattrs = 0;
        else if (i == 4)
            first->attrs[0] = 256;
        else if (i == 5)
            second->site = 1;
        else
            second->results[0]->type = NULL;
        assert_false(ir_verify(m, f->diags));
        if (!strstr(diags_text(f->diags, f->arena), messages[i]))
            fail_msg("wanted: %s, said: %s", messages[i], diags_text(f->diags, f->arena));
    }
}

/* types */

static void test_types(void **state)
{
    Fixture *f = *state;
    Module *m = module_new(f->arena, f->interner, NULL);
    const Type *tile = type_tile(m, DT_FP16, 2, (int32_t[]){3, 224});
    const Type *pointer = type_pointer(m, DT_I1, true);
    const Type *pointers = type_with_shape(m, pointer, tile);

    assert_ptr_equal(tile, type_tile(m, DT_FP16, 2, (int32_t[]){3, 224}));
    assert_ptr_not_equal(tile, type_tile(m, DT_FP16, 2, (int32_t[]){224, 3}));
    assert_ptr_not_equal(pointer, type_pointer(m, DT_I1, false));
    assert_string_equal(type_text(f->arena, tile), "fp16[3,224]");
    assert_string_equal(type_text(f->arena, pointers), "*ki1[3,224]");
    assert_ptr_equal(type_element(m, pointers), pointer);
    assert_ptr_equal(type_with_dtype(m, pointers, DT_FP16), tile);
    assert_int_equal(type_numel(tile), 3 * 224);
    assert_int_equal(type_numel(pointer), 1);
    assert_int_equal(type_size(pointers), 8);
    assert_int_equal(type_size(type_scalar(m, DT_I1)), 1);
    assert_true(type_same_shape(tile, pointers));
    assert_false(type_same_shape(tile, pointer));
}

static void test_dtype_names(void **state)
{
    (void)state;
    for (int t = 0; t < DT_COUNT; t++) {
        DType found = DT_COUNT;

        assert_true(dtype_from_name(dtype_name(t), strlen(dtype_name(t)), &found));
        assert_int_equal(found, t);
        assert_true(dtype_from_long_name(dtype_long_name(t), strlen(dtype_long_name(t)), &found));
        assert_int_equal(found, t);
        assert_int_equal(dtype_is_float(t) + dtype_is_signed(t) + dtype_is_unsigned(t), 1);
        if (dtype_is_float(t))
            assert_int_equal(dtype_bits(t), 1 + dtype_exponent_bits(t) + dtype_mantissa_bits(t));
    }
    assert_false(dtype_from_name("fp3", 3, &(DType){0}));
    assert_false(dtype_from_name("fp322", 5, &(DType){0}));
}

static void test_op_names(void **state)
{
    (void)state;
    for (int c = 0; c < OP_COUNT; c++) {
        OpCode found = OP_COUNT;

        assert_true(opcode_from_name(op_info(c)->name, strlen(op_info(c)->name), &found));
        assert_int_equal(found, c);
    }
    assert_false(opcode_from_name("ad", 2, &(OpCode){0}));
    assert_false(opcode_from_name("adds", 4, &(OpCode){0}));
}

static void test_elementwise_operands(void **state)
{
    int most = 0;

    (void)state;
    for (int c = 0; c < OP_COUNT; c++) {
        const char *operands = op_info((OpCode)c)->operands;
        TableWord word;
        int n = 0;

        while (op_is_elementwise(&(Op){.code = (OpCode)c}) && table_word(&operands, &word))
            n++;
        most = MAX(most, n);
    }
    assert_int_equal(most, MAX_ELEMENTWISE_OPERANDS);
}

/* building and editing */

/* func @f(%x: fp32[4], %n: i32) with a loop that adds x to itself n times. */
static Func *loop_function(Fixture *f)
{
    Module *m = must_read(f, "func @f(%x: fp32[4], %n: i32) -> fp32[4] {\n"
                             "  %0 = const 0 : i32\n"
                             "  %1 = const 1 : i32\n"
                             "  %2 = for %0, %n, %1, %x : fp32[4] { (%i: i32, %sum: fp32[4])\n"
                             "    %3 = add %sum, %x : fp32[4]\n"
                             "    yield %3\n"
                             "  }\n"
                             "  return %2\n"
                             "}\n");
    return m->funcs[0];
}

static void test_builder(void **state)
{
    Fixture *f = *state;
    Module *m = module_new(f->arena, f->interner, NULL);
    Func *fn = func_new(m, "f", (Span){0});
    Value *p = func_add_param(fn, "p", type_pointer(m, DT_FP32, false), 16);
    Value *n = func_add_param(fn, "n", type_scalar(m, DT_I32), 0);
    Builder b = builder_at_end(fn, fn->body);
    const Type *tile = type_tile(m, DT_I32, 1, (int32_t[]){224});
    Value *r = build_arange(&b, 1, 225);
    Value *mask = build_binary(&b, OP_lt, r, build_splat(&b, n, tile));
    Value *at = build_addptr(&b, build_splat(&b, p, tile), r);
    Value *x =
        build_op(&b, OP_load, 2, (Value *[]){at, mask}, 3, (int64_t[3]){0}, 0, NULL)->results[0];
    Value *y = build_select(&b, mask, build_unary(&b, OP_exp, x), build_float(&b, x->type, 0.1));
    Value *h = build_cast(&b, y, DT_FP16, ROUND_TO_ZERO);
    Value *e = build_expand(&b, build_bitcast(&b, h, DT_U16), 1);
    Value *t = build_permute(&b, e, (int[]){1, 0});
    Value *s = build_reshape(&b, t, 3, (int32_t[]){7, 8, 4});
    build_broadcast(&b, t, type_tile(m, DT_I1, 2, (int32_t[]){2, 224}));
    build_int(&b, type_scalar(m, DT_U8), -1);
    assert_ptr_equal(build_cast(&b, s, DT_U16, ROUND_NEAREST), s);
    assert_ptr_equal(build_splat(&b, n, n->type), n);
    build_yield(&b, OP_return, 0, NULL);
    builder_before(fn->body->last);
    Builder before = builder_before(fn->body->last);
    build_unary(&before, OP_neg, n);
    assert_true(ir_verify(m, f->diags));
    assert_prints(f, m,
                  "func @f(%p: *fp32 div 16, %n: i32) {\n"
                  "  %0 = arange start=1 : i32[224]\n"
                  "  %1 = splat %n : i32[224]\n"
                  "  %2 = lt %0, %1 : i1[224]\n"
                  "  %3 = splat %p : *fp32[224]\n"
                  "  %4 = addptr %3, %0 : *fp32[224]\n"
                  "  %5 = load %4, %2 : fp32[224]\n"
                  "  %6 = const 0.1 : fp32[224]\n"
                  "  %7 = exp %5 : fp32[224]\n"
                  "  %8 = select %2, %7, %6 : fp32[224]\n"
                  "  %9 = cast %8 rounding=zero : fp16[224]\n"
                  "  %10 = bitcast %9 : u16[224]\n"
                  "  %11 = expand %10 axis=1 : u16[224,1]\n"
                  "  %12 = permute %11 dims=[1,0] : u16[1,224]\n"
                  "  %13 = reshape %12 : u16[7,8,4]\n"
                  "  %14 = broadcast %12 : u16[2,224]\n"
                  "  %15 = const 255 : u8\n"
                  "  %16 = neg %n : i32\n"
                  "  return\n"
                  "}\n");
}

static void test_clone_is_deep(void **state)
{
    Fixture *f = *state;
    Func *fn = loop_function(f);
    Op *loop = fn->body->last->prev;
    Builder b = builder_before(fn->body->last);
    Map *values = map_new(f->arena);

    /* the copy starts from the result of the first loop */
    map_put(values, MAP_KEY(fn->body->args[0]), loop->results[0]);
    Op *copy = op_clone(&b, loop, values);
    fn->body->last->operands[0] = copy->results[0];
    assert_ptr_equal(map_get(values, MAP_KEY(loop->results[0])), copy->results[0]);
    assert_true(ir_verify(fn->module, f->diags));
    assert_prints(f, fn->module,
                  "func @f(%x: fp32[4], %n: i32) -> fp32[4] {\n"
                  "  %0 = const 0 : i32\n"
                  "  %1 = const 1 : i32\n"
                  "  %2 = for %0, %n, %1, %x : fp32[4] { (%i: i32, %sum: fp32[4])\n"
                  "    %3 = add %sum, %x : fp32[4]\n"
                  "    yield %3\n"
                  "  }\n"
                  "  %4 = for %0, %n, %1, %2 : fp32[4] { (%i.1: i32, %sum.1: fp32[4])\n"
                  "    %5 = add %sum.1, %2 : fp32[4]\n"
                  "    yield %5\n"
                  "  }\n"
                  "  return %4\n"
                  "}\n");
}

static void test_edit(void **state)
{
    Fixture *f = *state;
    Func *fn = loop_function(f);
    Op *zero = fn->body->first, *one = zero->next, *loop = one->next;
    UseLists uses = ir_uses(fn, f->arena);

    assert_int_equal(uses_count(&uses, fn->body->args[0]), 2);
    assert_ptr_equal(uses_of(&uses, fn->body->args[0])[0].op, loop);
    assert_int_equal(uses_of(&uses, fn->body->args[0])[0].operand, FOR_BOUNDS);
    assert_ptr_equal(uses_of(&uses, fn->body->args[0])[1].op, loop->regions[0]->first);
    assert_int_equal(uses_count(&uses, zero->results[0]), 1);
    assert_ptr_equal(uses_of(&uses, loop->results[0])[0].op, fn->body->last);

    op_insert_before(one, zero);
    assert_ptr_equal(fn->body->first, one);
    assert_ptr_equal(zero->next, loop);
    loop->results[0]->repl = loop->operands[FOR_BOUNDS];
    ir_resolve_operands(fn->body->last);
    op_remove(loop);
    op_append(fn->body, zero);
    assert_ptr_equal(fn->body->last, zero);
    op_insert_before(zero, zero->prev);
    assert_true(ir_verify(fn->module, f->diags));
    assert_prints(f, fn->module,
                  "func @f(%x: fp32[4], %n: i32) -> fp32[4] {\n"
                  "  %0 = const 1 : i32\n"
                  "  %1 = const 0 : i32\n"
                  "  return %x\n"
                  "}\n");
}

static void test_resolve_shortens_the_path(void **state)
{
    (void)state;
    Value chain[4] = {0};

    for (int i = 0; i < 3; i++)
        chain[i].repl = &chain[i + 1];
    assert_ptr_equal(ir_resolve(&chain[0]), &chain[3]);
    for (int i = 0; i < 3; i++)
        assert_ptr_equal(chain[i].repl, &chain[3]);
    assert_ptr_equal(ir_resolve(&chain[3]), &chain[3]);
}

static void test_questions_about_values_and_ops(void **state)
{
    Fixture *f = *state;
    Module *m = must_read(f, "func @f(%p: *i8, %c: i1) {\n"
                             "  %0 = const -3 : i8\n"
                             "  %1 = splat %0 : i8[4]\n"
                             "  %2 = expand %1 axis=0 : i8[1,4]\n"
                             "  %3 = broadcast %2 : i8[2,4]\n"
                             "  %4 = reshape %3 : i8[8]\n"
                             "  %5 = load %p : i8\n"
                             "  if %c {\n"
                             "    yield\n"
                             "  } {\n"
                             "    store %p, %5\n"
                             "    yield\n"
                             "  }\n"
                             "  return\n"
                             "}\n");
    const Op *op = m->funcs[0]->body->first;
    int64_t n = 0;

    for (int i = 0; i < 5; i++, op = op->next) {
        assert_true(value_const_int(op->results[0], &n));
        assert_int_equal(n, -3);
        assert_false(op_has_effects(op));
    }
    assert_false(value_const_int(op->results[0], &n));
    assert_true(op_has_effects(op));
    assert_false(op_is_elementwise(op));
    assert_true(op_has_effects(op->next));
    assert_false(value_const_int(m->funcs[0]->body->args[0], &n));
}

static const Op *op_of(const Module *m, OpCode code)
{
    for (const Op *op = m->funcs[0]->body->first; op; op = op->next) {
        if (op->code == code)
            return op;
    }
    fail_msg("no %s", op_info(code)->name);
    return NULL;
}

static void check_access(const Module *m, OpCode code, OpAccess want)
{
    OpAccess got = ir_access(op_of(m, code));

    assert_int_equal(got.effect, want.effect);
    assert_int_equal(got.pointer, want.pointer);
    assert_int_equal(got.data, want.data);
    assert_int_equal(got.compared, want.compared);
    assert_int_equal(got.mask, want.mask);
    assert_int_equal(got.other, want.other);
    assert_int_equal(got.bytes, want.bytes);
}

static void test_accesses(void **state)
{
    const Module *m =
        must_read(*state, "kernel @k(%p: *fp16, %q: *i32, %x: i32) {\n"
                          "  %f = const 1.0 : fp16[8]\n  %m = const true : i1[8]\n"
                          "  %ps = splat %p : *fp16[8]\n"
                          "  %v = load %ps, %m volatile=1 : fp16[8]\n"
                          "  store %ps, %v\n"
                          "  %r = atomic_rmw %ps, %f, %m kind=add : fp16[8]\n"
                          "  %c = atomic_cas %q, %x, %x : i32\n"
                          "  %i = const 64 : i64\n"
                          "  %b = make_descriptor %p, %i, %i, %i, %i : descriptor fp16[4,2]\n"
                          "  %w = load_block %b, %i, %i : fp16[4,2]\n"
                          "  store_block %b, %w, %i, %i\n"
                          "  barrier\n  return\n}\n");

    check_access(m, OP_load, (OpAccess){READS, 0, -1, -1, 1, 2, 16});
    check_access(m, OP_store, (OpAccess){WRITES, 0, 1, -1, 2, -1, 16});
    check_access(m, OP_atomic_rmw, (OpAccess){READS | WRITES, 0, 1, -1, 2, -1, 16});
    check_access(m, OP_atomic_cas, (OpAccess){READS | WRITES, 0, 2, 1, -1, -1, 4});
    check_access(m, OP_load_block, (OpAccess){READS, 0, -1, -1, -1, -1, 16});
    check_access(m, OP_store_block, (OpAccess){WRITES, 0, 1, -1, -1, -1, 16});
    check_access(m, OP_barrier, (OpAccess){0, -1, -1, -1, -1, -1, 0});
    check_access(m, OP_splat, (OpAccess){0, -1, -1, -1, -1, -1, 0});
    const Op *load = op_of(m, OP_load);
    assert_ptr_equal(op_operand(load, ir_access(load).mask), load->operands[1]);
    assert_null(op_operand(load, ir_access(load).other));
    assert_true(op_is_volatile(load) && op_only_reads(load));
    assert_false(op_is_volatile(op_of(m, OP_load_block)) || op_only_reads(op_of(m, OP_store)));
}

static void test_combine_kinds(void **state)
{
    static const struct {
        const char *type, *region;
        OpCode only, neutral;
        double real;
        uint64_t bits;
    } cases[] = {
        {"fp32", "%r = add %a, %b : fp32", OP_add, OP_add, -0.0, 0},
        {"fp32", "%r = add %b, %a : fp32", OP_add, OP_COUNT, 0, 0},
        {"fp32", "%r = sub %a, %b : fp32", OP_sub, OP_COUNT, 0, 0},
        {"fp16", "%r = maxnan %a, %b : fp16", OP_maxnan, OP_maxnan, -__builtin_inf(), 0},
        {"i8", "%r = max %a, %b : i8", OP_max, OP_max, 0, 0x80},
        {"i8", "%r = min %a, %b : i8", OP_min, OP_min, 0, 0x7f},
        {"u16", "%r = min %a, %b : u16", OP_min, OP_min, 0, 0xffff},
        {"i64", "%r = and %a, %b : i64", OP_and, OP_and, 0, UINT64_MAX},
        {"i32", "%r = mul %a, %b : i32", OP_mul, OP_mul, 0, 1},
        {"i32", "%s = add %a, %b : i32\n%r = add %s, %b : i32", OP_COUNT, OP_COUNT, 0, 0},
    };
    Fixture *f = *state;

    for (int i = 0; i < COUNT(cases); i++) {
        const char *t = cases[i].type;
        Module *m = must_read(
            f, arena_printf(f->arena,
                            "func @f(%%x: %s[4]) -> %s {\n%%y = reduce %%x axis=0 : %s {\n"
                            "(%%a: %s, %%b: %s)\n%s\nyield %%r\n}\nreturn %%y\n}\n",
                            t, t, t, t, t, cases[i].region));
        CombineKind kind = ir_combine_kind(m->funcs[0]->body->first);
        assert_int_equal(kind.only ? kind.only->code : OP_COUNT, cases[i].only);
        assert_int_equal(kind.neutral, cases[i].neutral);
        assert_true(kind.real == cases[i].real && kind.bits == cases[i].bits);
    }
}

/* Of pairs (a, i) and (b, j). */
static void test_winners(void **state)
{
    static const char ties[] = "%t = eq %a, %b : i1\n%f = lt %i, %j : i1\n%u = and %t, %f : i1\n";
    static const struct {
        const char *type, *stays;
        bool with_ties;
        OpCode winner;
    } cases[] = {
        {"i32", "%g = gt %a, %b : i1\n%s = or %g, %u : i1", true, OP_max},
        {"i32", "%g = lt %b, %a : i1\n%s = or %g, %u : i1", true, OP_max},
        {"i32", "%g = ge %b, %a : i1\n%n = not %g : i1\n%s = xor %n, %u : i1", true, OP_max},
        {"i32", "%g = lt %a, %b : i1\n%s = or %u, %g : i1", true, OP_min},
        {"i32", "%s = gt %a, %b : i1", false, OP_COUNT}, /* the last of equal ones */
        {"i32", "%g = gt %a, %j : i1\n%s = or %g, %u : i1", true, OP_COUNT},
        {"fp32", "%g = gt %a, %b : i1\n%s = or %g, %u : i1", true, OP_COUNT}, /* NaN is the later */
        {"fp32",
         "%g = gt %a, %b : i1\n%w = or %g, %u : i1\n%k = eq %a, %a : i1\n%o = or %k, %f : i1\n"
         "%y = ne %b, %b : i1\n%z = and %y, %o : i1\n%s = or %w, %z : i1",
         true, OP_max},
    };
    Fixture *f = *state;

    for (int i = 0; i < COUNT(cases); i++) {
        const char *t = cases[i].type;
        Module *m = must_read(
            f, arena_printf(f->arena,
                            "func @f(%%x: %s[4], %%at: i32[4]) -> %s {\n"
                            "%%v, %%p = reduce %%x, %%at axis=0 : %s, i32 {\n"
                            "(%%a: %s, %%i: i32, %%b: %s, %%j: i32)\n%s%s\n"
                            "%%c = select %%s, %%a, %%b : %s\n%%d = select %%s, %%i, %%j : i32\n"
                            "yield %%c, %%d\n}\nreturn %%v\n}\n",
                            t, t, t, t, t, cases[i].with_ties ? ties : "", cases[i].stays, t));
        assert_int_equal(ir_combine_kind(m->funcs[0]->body->first).winner, cases[i].winner);
    }
}

/* Each condition uses the one before twice: tried one by one they would be 2^60. */
static void test_long_conditions(void **state)
{
    Fixture *f = *state;
    const char *conditions = "%c0 = gt %a, %b : i1\n";

    for (int i = 1; i <= 60; i++)
        conditions =
            arena_printf(f->arena, "%s%%c%d = or %%c%d, %%c%d : i1\n", conditions, i, i - 1, i - 1);
    Module *m = must_read(
        f, arena_printf(f->arena,
                        "func @f(%%x: i32[4], %%at: i32[4]) -> i32 {\n"
                        "%%v, %%p = reduce %%x, %%at axis=0 : i32, i32 {\n"
                        "(%%a: i32, %%i: i32, %%b: i32, %%j: i32)\n%s"
                        "%%c = select %%c60, %%a, %%b : i32\n%%d = select %%c60, %%i, %%j : i32\n"
                        "yield %%c, %%d\n}\nreturn %%v\n}\n",
                        conditions));
    assert_int_equal(ir_combine_kind(m->funcs[0]->body->first).winner, OP_COUNT);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(test_every_op_reads_and_prints),
        TEST(test_sites_read_and_print),
        TEST(test_documentation_is_right),
        TEST(test_names_are_made_unique),
        TEST(test_reader_takes_free_form),
        TEST(test_constants),
        TEST(test_small_floats_survive),
        TEST(test_workspace),
        TEST(test_broken_bodies_are_refused),
        TEST(test_broken_functions_are_refused),
        TEST(test_diagnostics_point_at_the_op),
        TEST(test_nesting_is_limited),
        TEST(test_running_out_of_memory),
        TEST(test_broken_links_are_refused),
        TEST(test_types),
        TEST(test_dtype_names),
        TEST(test_op_names),
        TEST(test_elementwise_operands),
        TEST(test_builder),
        TEST(test_clone_is_deep),
        TEST(test_edit),
        TEST(test_resolve_shortens_the_path),
        TEST(test_questions_about_values_and_ops),
        TEST(test_accesses),
        TEST(test_combine_kinds),
        TEST(test_winners),
        TEST(test_long_conditions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
