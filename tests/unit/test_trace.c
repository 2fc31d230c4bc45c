/*
 * test_trace.c - the parameters that a function reads and writes through, and whether it waits
 */
#include <stdio.h>
#include <string.h>

#include "../../src/ir/analysis.h" /* before cmocka, which makes fail() a macro */
#include <cmocka.h>

#define EVERY_PARAM UINT64_MAX

static const Module *read_module(Arena *a, const char *text)
{
    Diags *d = diags_new(a, NULL);
    const Source source = {"test.ir", text, strlen(text)};
    const Module *m = ir_read(a, interner_new(a), &source, d);

    if (!m)
        print_error("%s\n", diags_text(d, a));
    assert_non_null(m);
    return m;
}

/* The last function of the module, which is its kernel. */
static MemoryUse use_in(const char *text)
{
    Arena *a = arena_new(NULL);
    const Module *m = read_module(a, text);
    MemoryUse use = ir_memory_use(m->funcs[m->nfuncs - 1], a);
    arena_free(a);
    return use;
}

/* The same of a kernel with three pointers, %n and %c. */
static MemoryUse use_of(const char *body)
{
    char text[4000];

    snprintf(text, sizeof text,
             "kernel @k(%%a: *i64, %%b: *i64, %%p: *i64, %%n: i64, %%c: i1) {\n"
             "%s\nreturn\n}\n",
             body);
    return use_in(text);
}

static void assert_use(MemoryUse use, uint64_t loaded, uint64_t stored)
{
    if (use.loaded != loaded || use.stored != stored)
        print_error("loaded %llx, stored %llx\n", (unsigned long long)use.loaded,
                    (unsigned long long)use.stored);
    assert_true(use.loaded == loaded);
    assert_true(use.stored == stored);
}

static void test_plain(void **state)
{
    (void)state;
    assert_use(use_of(""), 0, 0);
    assert_use(use_of("barrier"), 0, 0);
    assert_use(use_of("%x = load %a : i64\nstore %b, %x"), 1, 2);
    assert_use(use_of("%x = atomic_rmw %p, %n kind=xchg : i64"), 4, 4);
    assert_use(use_of("%q = select %c, %a, %b : *i64\n%r = addptr %q, %n : *i64\nstore %r, %n"), 0,
               3);
}

static void test_control(void **state)
{
    (void)state;
    assert_use(use_of("%i, %j = for %n, %n, %n, %a, %b : *i64, *i64 {\n"
                      "(%k: i64, %q: *i64, %r: *i64)\nyield %r, %p\n}\nstore %i, %n"),
               0, 7);
    assert_use(use_of("%q = if %c : *i64 {\nyield %a\n} {\nyield %p\n}\nstore %q, %n"), 0, 5);
    assert_use(use_of("%q, %r = while %a, %b : *i64, *i64 {\n(%s: *i64, %t: *i64)\n"
                      "condition %c, %t, %s\n} {\n(%u: *i64, %v: *i64)\nyield %v, %u\n}\n"
                      "store %r, %n"),
               0, 1);
}

/* The region gets elements on both sides, and what it gave itself. */
static void test_combine(void **state)
{
    static const char tile[] = "%as = splat %a : *i64[8]\n";
    char body[1000];

    (void)state;
    snprintf(body, sizeof body,
             "%s%%r = reduce %%as axis=0 : *i64 {\n(%%x: *i64, %%y: *i64)\nstore %%x, %%n\n"
             "yield %%p\n}",
             tile);
    assert_use(use_of(body), 0, 5);
    snprintf(body, sizeof body,
             "%s%%s = scan %%as axis=0 : *i64[8] {\n(%%x: *i64, %%y: *i64)\nstore %%b, %%n\n"
             "yield %%y\n}\n%%v = load %%s : i64[8]",
             tile);
    assert_use(use_of(body), 1, 2);
}

static void test_numbers(void **state)
{
    (void)state;
    assert_use(use_of("%i = cast %a : i64\n%k = const -16 : i64\n%j = and %i, %k : i64\n"
                      "%q = cast %j : *i64\nstore %q, %n"),
               0, 1);
    assert_use(use_of("%q = cast %n : *i64\nstore %q, %n"), 0, EVERY_PARAM);
    assert_use(use_of("%i = cast %a : i64\n%j = add %i, %n : i64\n"
                      "%q = cast %j : *i64\nstore %q, %n"),
               0, EVERY_PARAM);
    assert_use(use_of("%i = load %a : i64\n%q = cast %i : *i64\n%x = load %q : i64"), EVERY_PARAM,
               0);
    assert_use(use_of("%k = const 4096 : i64\n%z = cast %k : *i64\n"
                      "%q = select %c, %a, %z : *i64\nstore %q, %n"),
               0, EVERY_PARAM);
}

/* A callee's sets are in terms of what each call gives it. */
static void test_calls(void **state)
{
    (void)state;
    assert_use(use_in("func @swap(%x: *i64, %y: *i64) -> *i64, *i64 {\nreturn %y, %x\n}\n"
                      "func @copy(%x: *i64, %y: *i64) {\n%v = load %y : i64\nstore %x, %v\n"
                      "return\n}\n"
                      "func @at(%x: i64) -> *i64 {\n%q = cast %x : *i64\nreturn %q\n}\n"
                      "kernel @k(%a: *i64, %b: *i64, %p: *i64) {\n"
                      "%c, %d = call @swap(%a, %b) : *i64, *i64\ncall @copy(%c, %d)\n"
                      "%i = cast %p : i64\n%q = call @at(%i) : *i64\n%v = load %q : i64\n"
                      "return\n}\n"),
               5, 2);
    assert_use(use_in("func @at(%x: i64) -> *i64 {\n%q = cast %x : *i64\nreturn %q\n}\n"
                      "kernel @k(%a: *i64, %c: i1) {\n%k = const 4096 : i64\n"
                      "%q = call @at(%k) : *i64\n%r = select %c, %a, %q : *i64\n"
                      "%v = load %r : i64\nreturn\n}\n"),
               EVERY_PARAM, 0);
    assert_use(use_in("func @again(%x: *i64) -> *i64 {\n%y = call @again(%x) : *i64\nreturn %y\n}\n"
                      "kernel @k(%a: *i64) {\n%q = call @again(%a) : *i64\nreturn\n}\n"),
               EVERY_PARAM, EVERY_PARAM);
}

/* Functions that each call the next one ten times, twenty deep. */
static void test_many_calls(void **state)
{
    Arena *a = arena_new(NULL);
    Text t = text_new(a);

    (void)state;
    text_put(&t, "func @h0(%x: *i64) -> *i64 {\n%v = load %x : i64\nreturn %x\n}\n");
    for (int depth = 1; depth <= 20; depth++) {
        text_printf(&t, "func @h%d(%%x0: *i64) -> *i64 {\n", depth);
        for (int i = 0; i < 10; i++)
            text_printf(&t, "%%x%d = call @h%d(%%x%d) : *i64\n", i + 1, depth - 1, i);
        text_put(&t, "return %x10\n}\n");
    }
    text_put(&t, "kernel @k(%a: *i64, %b: *i64) {\n%q = call @h20(%b) : *i64\n"
                 "%k = const 1 : i64\nstore %q, %k\nreturn\n}\n");
    assert_use(use_in(t.s), 2, 2);
    arena_free(a);
}

/* Parameters from the 64th on share a bit. */
static void test_many_parameters(void **state)
{
    Arena *a = arena_new(NULL);
    Text t = text_new(a);

    (void)state;
    text_put(&t, "kernel @k(%p0: *i64");
    for (int i = 1; i < 70; i++)
        text_printf(&t, ", %%p%d: *i64", i);
    text_put(&t, ") {\n%k = const 1 : i64\nstore %p66, %k\n%v = load %p62 : i64\nreturn\n}\n");
    assert_use(use_in(t.s), UINT64_C(1) << 62, UINT64_C(1) << 63);
    arena_free(a);
}

/* The parameters that the first operand of the last store comes from. */
static uint64_t bases_of(const char *body)
{
    Arena *a = arena_new(NULL);
    const Source source = {"test.ir", body, strlen(body)};
    const Module *m = ir_read(a, interner_new(a), &source, diags_new(a, NULL));

    assert_non_null(m);
    const Func *f = m->funcs[0];
    uint64_t bases = ir_bases_of(ir_pointer_bases(f, a), f->body->last->prev->operands[0]);
    arena_free(a);
    return bases;
}

static void test_bases_of_values(void **state)
{
    (void)state;
    assert_int_equal(bases_of("kernel @k(%a: *i64, %b: *i64, %n: i64) {\n"
                              "%one = const 1 : i64\n%p = addptr %b, %n : *i64\n"
                              "%q, %m = while %p, %n : *i64, i64 {\n(%r: *i64, %i: i64)\n"
                              "%more = gt %i, %one : i1\ncondition %more, %r, %i\n} {\n"
                              "(%s: *i64, %j: i64)\n%t = addptr %s, %one : *i64\n"
                              "%k = sub %j, %one : i64\nyield %t, %k\n}\n"
                              "store %q, %m\nreturn\n}\n"),
                     2);
    assert_true(bases_of("kernel @k(%a: *i64, %n: i64) {\n%v = load %a : i64\n%p = cast %v : "
                         "*i64\nstore %p, %n\n"
                         "return\n}\n") == EVERY_PARAM);
    assert_true(bases_of("kernel @k(%a: *i64, %n: i64) {\n%p = cast %n : *i64\nstore %p, %n\n"
                         "return\n}\n") == EVERY_PARAM);
}

/* waits.c */

static bool waits(const char *body)
{
    Arena *a = arena_new(NULL);
    char text[4000];

    snprintf(text, sizeof text,
             "func @poll(%%q: *i32) -> i32 {\n%%v = load %%q volatile=1 : i32\nreturn %%v\n}\n"
             "kernel @k(%%p: *i32, %%n: i32, %%c: i1) {\n%s\nreturn\n}\n",
             body);
    bool found = ir_waits(read_module(a, text), a);
    arena_free(a);
    return found;
}

static void test_waits(void **state)
{
    (void)state;
    /* the condition asks memory itself, through a helper, by a flag that an arm gives */
    assert_true(waits("while {\n%v = load %p volatile=1 : i32\n%f = ne %v, %n : i1\n"
                      "condition %f\n} {\nyield\n}"));
    assert_true(waits("while {\n%v = load %p cache=cv : i32\n%f = ne %v, %n : i1\n"
                      "condition %f\n} {\nyield\n}"));
    assert_true(waits("while {\n%v = call @poll(%p) : i32\n%f = ne %v, %n : i1\n"
                      "condition %f\n} {\nyield\n}"));
    assert_true(waits("while %c { (%go: i1)\ncondition %go\n} {\n"
                      "%v = atomic_cas %p, %n, %n : i32\n%f = ne %v, %n : i1\n"
                      "%g = if %f : i1 {\nyield %c\n} {\nyield %f\n}\nyield %g\n}"));
    /* a loop in it does; the loop around it has an end of its own */
    assert_true(waits("for %n, %n, %n { (%i: i32)\nwhile {\n"
                      "%v = atomic_rmw %p, %i kind=add : i32\n%f = ne %v, %n : i1\n"
                      "condition %f\n} {\nyield\n}\nyield\n}"));
    /* asked in front of it, or for something else, or by a plain load */
    assert_false(waits("%v = atomic_rmw %p, %n kind=add : i32\n"
                       "while %v { (%i: i32)\n%f = lt %i, %n : i1\ncondition %f\n} {\n"
                       "yield %n\n}"));
    assert_false(waits("while %n { (%i: i32)\n%f = lt %i, %n : i1\ncondition %f\n} {\n"
                       "%v = atomic_rmw %p, %n kind=add : i32\nyield %n\n}"));
    assert_false(waits("while %n, %n { (%i: i32, %s: i32)\n%f = lt %i, %n : i1\n"
                       "condition %f\n} {\n%v = call @poll(%p) : i32\nyield %n, %v\n}"));
    assert_false(waits("while {\n%v = load %p : i32\n%f = ne %v, %n : i1\n"
                       "condition %f\n} {\nyield\n}"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plain),           cmocka_unit_test(test_control),
        cmocka_unit_test(test_combine),         cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_calls),           cmocka_unit_test(test_many_calls),
        cmocka_unit_test(test_many_parameters), cmocka_unit_test(test_bases_of_values),
        cmocka_unit_test(test_waits),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
