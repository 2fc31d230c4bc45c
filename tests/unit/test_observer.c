/*
 * test_observer.c - stop in a kernel, look at its tiles, step out of a helper
 *
 * A helper looks the same whether it is called or was inlined.
 */
#include <setjmp.h>

#include "../../src/api/language.h"
#include "../../src/lower/lowering.h"
#include "../../src/opt_target/opt_target.h"
#include "debugger.h"

#include <cmocka.h> /* behind base.h, because it makes fail() a macro */

static const char source[] = "import triton\n"
                             "import triton.language as tl\n"
                             "@triton.jit\n"
                             "def thrice(v):\n"
                             "    w = v + v\n"
                             "    return w + v\n"
                             "@triton.jit\n"
                             "def larger(a, b):\n"
                             "    return tl.maximum(a, b)\n"
                             "@triton.jit\n"
                             "def k(x, out, n, B: tl.constexpr):\n"
                             "    at = tl.program_id(0) * B + tl.arange(0, B)\n"
                             "    total = tl.zeros((B,), tl.float32)\n"
                             "    for i in range(n):\n"
                             "        tile = tl.load(x + at, mask=at != 5)\n"
                             "        total += thrice(tile)\n"
                             "    top = tl.reduce(total, 0, larger)\n"
                             "    tl.store(out + at, total - top, mask=at < 7)\n";

/* What is seen in program (1, 0, 0) of two, from its first op on. */
static void check(bool inlined, bool tells_calls, const char *const *commands, InterpStatus want,
                  const char *seen)
{
    static const FrontArg params[] = {
        {.name = "x", .dtype = DT_FP32, .pointer = true, .divisible = 16},
        {.name = "out", .dtype = DT_FP32, .pointer = true, .divisible = 16},
        {.name = "n", .dtype = DT_I32, .divisible = 1},
        {.name = "B", .is_constexpr = true, .constant = {.kind = CONST_INT, .integer = 4}}};
    float x[8] = {0, 1, 2, 3, 4, 5, 6, 7}, out[8] = {0};
    const uint64_t args[] = {(uintptr_t)x, (uintptr_t)out, 2};
    Arena *a = arena_new(NULL);
    Diags *diags = diags_new(a, NULL);
    const Source *src = source_add(diags_sources(diags), "k.py", source, strlen(source));
    FrontFile *file = front_parse(a, interner_new(a), &triton_language, src, NULL, diags);
    Module *m = front_lower(file, "k", params, COUNT(params), NULL, a, diags);
    Debugger d = {.arena = a,
                  .sources = diags_sources(diags),
                  .commands = commands,
                  .program = 1,
                  .tells_calls = tells_calls,
                  .out = out,
                  .seen = text_new(a)};
    InterpObserver observer = debugger_observer(&d);
    InterpLaunch launch = {.args = args, .grid = {2, 1, 1}, .last = 2, .observer = &observer};

    assert_non_null(m);
    assert_true(!inlined || opt_run_pass(m, "inline", diags));
    InterpStatus status = interp_run(m->funcs[0], &launch, diags);
    assert_string_equal(d.seen.s, seen);
    assert_int_equal(status, want);
    arena_free(a);
}

#define COMMANDS(...) ((const char *const[]){__VA_ARGS__, NULL})

static void test_stops_and_steps_out(void **state)
{
    (void)state;
    for (int inlined = 0; inlined < 2; inlined++)
        check(inlined, false,
              COMMANDS("line 5", "v", "w", "line 6", "w", "up", "tile", "total", "i", "tiles",
                       "out", "total", "line 15", "line 18", "total", "B", "top", "at"),
              INTERP_STOPPED,
              "k:12\n"
              "round 0\n"
              "thrice:5 < k:16\n"
              "v: 4 0 6 7\n"
              "w: no such name\n"
              "thrice:6 < k:16\n"
              "w: 8 0 12 14\n"
              "tile: 4 0 6 7\n"
              "total: 0 0 0 0\n"
              "i: 0\n"
              "tiles: no such name\n"
              "k:16\n" /* the sum is still to be made */
              "total: 0 0 0 0\n"
              "round 1\n"
              "k:15\n"
              "k:18\n"
              "total: 24 0 36 42\n"
              "B = 4\n"
              "top: 42\n"
              "at: 4 5 6 7\n");
}

static void test_calls_and_rounds(void **state)
{
    (void)state;
    for (int inlined = 0; inlined < 2; inlined++)
        check(inlined, true, COMMANDS("run"), INTERP_OK,
              "enter k:11\n"
              "k:12\n"
              "round 0\n"
              "enter thrice:4 < k:16\n"
              "leave thrice:4 < k:16\n"
              "round 1\n"
              "enter thrice:4 < k:16\n"
              "leave thrice:4 < k:16\n"
              "enter larger:8 < k:17\n" /* of three pairs */
              "leave larger:8 < k:17\n"
              "enter larger:8 < k:17\n"
              "leave larger:8 < k:17\n"
              "enter larger:8 < k:17\n"
              "leave larger:8 < k:17\n"
              "store of 4 bytes to 4 5 6\n"
              "leave k:11\n");
}

/* --- values that are there, and those that are not --- */

/* The arm that is not taken has none, not even those of the program before; the others keep theirs,
 * also where a loop swaps what it carries. */
static const char arms[] = "kernel @k(%p: *i32) {\n"
                           "  %pid = program_id axis=0 : i32\n"
                           "  %one = const 1 : i32\n"
                           "  %three = const 3 : i32\n"
                           "  %taken = eq %pid, %one : i1\n"
                           "  %r = if %taken : i32 {\n"
                           "    %a = add %pid, %one : i32\n"
                           "    yield %a\n"
                           "  } {\n"
                           "    %b = sub %pid, %one : i32\n"
                           "    yield %b\n"
                           "  }\n"
                           "  %x, %y = for %pid, %three, %one, %one, %three : i32, i32 {\n"
                           "      (%i: i32, %u: i32, %v: i32)\n"
                           "    yield %v, %u\n"
                           "  }\n"
                           "  %last = add %x, %r : i32\n"
                           "  store %p, %last\n"
                           "  return\n"
                           "}\n";

typedef struct {
    const Func *func;
    const InterpFrame *frame; /* now */
    Text seen;
} Values;

static const char *name_of(const Value *v)
{
    return v->name ? v->name : "?";
}

static void show_value(Values *values, const Value *v)
{
    const int32_t *element = interp_value(values->frame, v);

    if (v->type->dtype == DT_I32 && element)
        text_printf(&values->seen, " %s=%d", name_of(v), *element);
    else if (!element)
        text_printf(&values->seen, " %s-", name_of(v));
}

static void show_values(Op *op, void *values)
{
    for (int i = 0; i < op->nresults; i++)
        show_value(values, op->results[i]);
    for (int i = 1; op->code == OP_for && i < op->regions[0]->nargs; i++)
        show_value(values, op->regions[0]->args[i]);
}

static bool show_all_at_store(void *context, const InterpFrame *f, const Op *op)
{
    Values *values = context;

    values->frame = f;
    if (op->code == OP_store) {
        ir_walk(values->func->body, show_values, values);
        text_put(&values->seen, "\n");
    }
    return true;
}

static const char *values_seen(Arena *a, bool kept)
{
    int32_t memory = 0;
    const uint64_t args[] = {(uintptr_t)&memory};
    Diags *d = diags_new(a, NULL);
    Module *m =
        ir_read(a, interner_new(a), source_add(diags_sources(d), "k.ir", arms, strlen(arms)), d);

    assert_non_null(m);
    Values values = {m->funcs[0], NULL, text_new(a)};
    InterpObserver o = {.ctx = &values, .keeps_values = kept, .op = show_all_at_store};
    InterpLaunch launch = {.args = args, .grid = {3, 1, 1}, .last = 3, .observer = &o};
    assert_int_equal(interp_run(m->funcs[0], &launch, d), INTERP_OK);
    assert_int_equal(memory, 3 + 1); /* of program 2: one swap */
    return values.seen.s;
}

static void test_values_are_there_or_not(void **state)
{
    Arena *a = arena_new(NULL);

    (void)state;
    assert_string_equal(values_seen(a, true),
                        " pid=0 one=1 three=3 r=-1 a- b=-1 x=3 y=1 u=3 v=1 last=2\n"
                        " pid=1 one=1 three=3 r=2 a=2 b- x=1 y=3 u=1 v=3 last=3\n"
                        " pid=2 one=1 three=3 r=1 a- b=1 x=3 y=1 u=3 v=1 last=4\n");
    const char *seen = values_seen(a, false);
    assert_null(strchr(seen, '='));
    arena_free(a);
}

/* --- results that are taken instead of computed --- */

static const char costly[] = "kernel @k(%p: *fp32) {\n"
                             "  %at = arange start=0 : i32[4]\n"
                             "  %from = splat %p : *fp32[4]\n"
                             "  %places = addptr %from, %at : *fp32[4]\n"
                             "  %v = load %places : fp32[4]\n"
                             "  %e = exp %v : fp32[4]\n"
                             "  %twice = add %e, %e : fp32[4]\n"
                             "  store %places, %twice\n"
                             "  return\n"
                             "}\n";

typedef struct {
    float room[4];
    bool is_there;
    int asked;
} Recalled;

static void *recall(void *recalled, size_t bytes, bool *is_there)
{
    Recalled *r = recalled;

    assert_int_equal(bytes, sizeof r->room);
    r->asked++;
    *is_there = r->is_there;
    return r->room;
}

static void run_costly(Recalled *r, float memory[4])
{
    const uint64_t args[] = {(uintptr_t)memory};
    Arena *a = arena_new(NULL);
    Diags *d = diags_new(a, NULL);
    Module *m = ir_read(a, interner_new(a),
                        source_add(diags_sources(d), "k.ir", costly, strlen(costly)), d);
    const InterpObserver o = {.ctx = r, .keeps_values = true, .recall = recall};
    const InterpLaunch launch = {.args = args, .grid = {1, 1, 1}, .last = 1, .observer = &o};

    assert_non_null(m);
    assert_int_equal(interp_run(m->funcs[0], &launch, d), INTERP_OK);
    arena_free(a);
}

/* Only of what costs much: of the sum nobody is asked. */
static void test_results_are_recalled(void **state)
{
    float first[4] = {0}, second[4] = {0};
    Recalled r = {.is_there = false};

    (void)state;
    run_costly(&r, first);
    assert_int_equal(r.asked, 1);
    assert_true(r.room[3] == 1 && first[3] == 2);
    r = (Recalled){.room = {1, 2, 3, 4}, .is_there = true};
    run_costly(&r, second);
    assert_int_equal(r.asked, 1);
    assert_true(second[0] == 2 && second[3] == 8); /* of what was there */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stops_and_steps_out),
        cmocka_unit_test(test_calls_and_rounds),
        cmocka_unit_test(test_values_are_there_or_not),
        cmocka_unit_test(test_results_are_recalled),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
