/*
 * test_count.c - the float operations that a launch is said to do
 */
/* the kernels inside IR() are not C */
/* clang-format off */
#include "interp_text.h"

static InterpCounts counts_of(const char *text, int programs, int sample, const uint64_t *args)
{
    Arena *a = arena_new(NULL);
    Diags *d = diags_new(a, NULL);
    const Func *f = kernel_of(a, text, d);
    InterpLaunch launch = {.args = args, .grid = {programs, 1, 1}, .first = 0, .last = programs};
    InterpCounts counts;

    assert_int_equal(interp_count(f, &launch, sample, &counts, NULL, NULL), INTERP_OK);
    arena_free(a);
    return counts;
}

static void test_counts_of_an_elementwise_kernel(void **state)
{
    Arena *a = arena_new(NULL);
    uint64_t args[] = {0, 0, 0, 781}; /* null pointers: nothing is touched */
    const char *text = spell_out(a, ADD_KERNEL, "BLOCK", "224");

    (void)state;
    for (int sample = 0; sample < 6; sample++) {
        InterpCounts c = counts_of(text, 4, sample, args);
        assert_true(c.known && c.flops == 4 * 224);
    }
    arena_free(a);
}

/* Loops of known length, long and short, with pointers carried; dot, fma and reductions. */
static void test_counts_follow_loops_and_calls(void **state)
{
    static const char text[] = IR(
    func @next(%p: *fp32[6,5], %q: *fp32[6,5]) -> *fp32[6,5], *fp32[6,5] {
        %one = const 1 : i32[6,5];
        %p2 = addptr %p, %one : *fp32[6,5];
        %v = load %p2 : fp32[6,5];
        %s = exp %v : fp32[6,5];
        %n = neg %s : fp32[6,5];
        return %q, %p2;
    }
    kernel @k(%n: i32, %a: *fp32, %b: *fp32, %c: *fp32, %unused: *fp32, %d: *fp32) {
        %zero = const 0 : i32;
        %one = const 1 : i32;
        %as = splat %a : *fp32[6,5];
        %bs = splat %b : *fp32[6,5];
        %x, %y = for %zero, %n, %one, %as, %bs : *fp32[6,5], *fp32[6,5] {
                (%i: i32, %p: *fp32[6,5], %q: *fp32[6,5]);
            %p2, %q2 = call @next(%p, %q) : *fp32[6,5], *fp32[6,5];
            yield %p2, %q2;
        }
        %v = load %x : fp32[6,5];
        %t = permute %v dims=[1,0] : fp32[5,6];
        %acc0 = const 0.0 : fp32[6,6];
        %many = const 1000 : i32;
        %acc = for %zero, %many, %one, %acc0 : fp32[6,6] { (%j: i32, %w: fp32[6,6]);
            %w2 = dot %v, %t, %w : fp32[6,6];
            yield %w2;
        }
        %r = reduce %acc axis=0 : fp32[6] { (%e: fp32, %f: fp32);
            %g = add %e, %f : fp32;
            yield %g;
        }
        %h = fma %r, %r, %r : fp32[6];
        %five = const 5 : i32;
        %less = lt %n, %five : i1;
        %o = select %less, %c, %d : *fp32;
        %os = splat %o : *fp32[6];
        store %os, %h;
        return;
    }
    );
    Arena *a = arena_new(NULL);
    uint64_t args[] = {7, 0, 0, 0, 0, 0};
    InterpCounts c = counts_of(spell_out(a, text, NULL, NULL), 3, 2, args);

    (void)state;
    assert_true(c.known);
    assert_true(c.flops == 3 * (7 * 30 + 1000.0 * 2 * 6 * 6 * 5 + 30 + 2 * 6));
    arena_free(a);
}

static void test_products_of_integers_count(void **state)
{
    static const char text[] = IR(
    kernel @k(%p: *i8, %o: *i32) {
        %a = const 2 : i8[4,8];
        %b = const 3 : i8[8,6];
        %zero = const 0 : i32[4,6];
        %r = dot %a, %b, %zero : i32[4,6];
        %os = splat %o : *i32[4,6];
        store %os, %r;
        return;
    }
    );
    Arena *a = arena_new(NULL);
    uint64_t args[] = {0, 0};
    InterpCounts c = counts_of(spell_out(a, text, NULL, NULL), 3, 3, args);

    (void)state;
    assert_true(c.known && c.flops == 3 * 2 * 4 * 6 * 8);
    arena_free(a);
}

/* Offsets, bounds and masks are no work of the user's, also where they are carried through a loop or
 * computed in a helper; what reaches a store is, on whatever way. */
static void test_integers_count_where_they_become_data(void **state)
{
    static const char text[] = IR(
    func @both(%v: i32[8], %at: i32[8]) -> i32[8], i32[8] {
        %two = const 2 : i32[8];
        %w = mul %v, %two : i32[8];
        %next = add %at, %two : i32[8];
        return %w, %next;
    }
    kernel @k(%p: *i32, %n: i32) {
        %zero = const 0 : i32;
        %one = const 1 : i32;
        %start = const 5 : i32[8];
        %lanes = arange start=0 : i32[8];
        %ps = splat %p : *i32[8];
        %sum, %at = for %zero, %n, %one, %start, %lanes : i32[8], i32[8] {
                (%i: i32, %s: i32[8], %o: i32[8]);
            %from = addptr %ps, %o : *i32[8];
            %limit = splat %n : i32[8];
            %far = add %o, %limit : i32[8];
            %inside = lt %far, %limit : i1[8];
            %v = load %from, %inside : i32[8];
            %w, %next = call @both(%v, %o) : i32[8], i32[8];
            %s2 = max %s, %w : i32[8];
            yield %s2, %next;
        }
        %r = reduce %sum axis=0 : i32 { (%e: i32, %f: i32);
            %g = xor %e, %f : i32;
            yield %g;
        }
        %rs = splat %r : i32[8];
        %to = addptr %ps, %lanes : *i32[8];
        store %to, %rs;
        return;
    }
    );
    Arena *a = arena_new(NULL);
    uint64_t args[] = {0, 3};
    InterpCounts c = counts_of(spell_out(a, text, NULL, NULL), 2, 2, args);

    (void)state;
    assert_true(c.known && c.flops == 0);
    assert_true(c.int_ops == 2 * (3 * (8 + 8) + 7)); /* mul and max, then xor */
    arena_free(a);
}

/* Those for which processors have units of their own, apart. */
static void test_products_of_narrow_types(void **state)
{
    static const char text[] = IR(
    kernel @k(%p: *i8, %q: *bf16, %r: *fp16) {
        %i = arange start=0 : i32[32];
        %at = reshape %i : i32[4,8];
        %ps = splat %p : *i8[4,8];
        %pp = addptr %ps, %at : *i8[4,8];
        %x = load %pp : i8[4,8];
        %xt = permute %x dims=[1,0] : i8[8,4];
        %xz = const 0 : i32[4,4];
        %xx = dot %x, %xt, %xz precision=ieee : i32[4,4];
        %qs = splat %q : *bf16[4,8];
        %qp = addptr %qs, %at : *bf16[4,8];
        %y = load %qp : bf16[4,8];
        %yt = permute %y dims=[1,0] : bf16[8,4];
        %z = const 0.0 : fp32[4,4];
        %yy = dot %y, %yt, %z precision=ieee : fp32[4,4];
        %rs = splat %r : *fp16[4,8];
        %rp = addptr %rs, %at : *fp16[4,8];
        %h = load %rp : fp16[4,8];
        %ht = permute %h dims=[1,0] : fp16[8,4];
        %hh = dot %h, %ht, %yy precision=ieee : fp32[4,4];
        return;
    }
    );
    Arena *a = arena_new(NULL);
    uint64_t args[] = {0, 0, 0};
    InterpCounts c = counts_of(spell_out(a, text, NULL, NULL), 3, 1, args);

    (void)state;
    assert_true(c.known && c.int8_flops == 3 * 2 * 4 * 8 * 4 && c.bf16_flops == c.int8_flops);
    assert_true(c.flops == 3 * c.int8_flops);
    arena_free(a);
}

static void test_counts_depend_on_arguments_not_on_data(void **state)
{
    static const char text[] = IR(
    kernel @k(%n: i32, %p: *i64, %x: *fp32) {
        %zero = const 0 : i32;
        %pid = program_id axis=0 : i32;
        %v = const 1.0 : fp32[10];
        %last, %rest = while %n, %zero : i32, i32 { (%i: i32, %u: i32);
            %c = gt %i, %pid : i1;
            condition %c, %i, %u;
        } { (%j: i32, %w: i32);
            %one = const 1 : i32;
            %k = sub %j, %one : i32;
            %s = add %v, %v : fp32[10];
            yield %k, %w;
        }
        BODY
        return;
    }
    );
    Arena *a = arena_new(NULL);
    uint64_t args[] = {5, 0, 0};
    const char *plain = spell_out(a, text, "BODY", "");
    const char *data = spell_out(a, text, "BODY",
                                 "%d = load %p : i64; %f = cast %d : *fp32; %g = load %f : fp32;"
                                 "%h = isnan %g : i1; if %h { yield; } { yield; }");

    (void)state;
    InterpCounts c = counts_of(spell_out(a, plain, NULL, NULL), 3, 3, args);
    assert_true(c.known && c.flops == 10 * (5 + 4 + 3));
    c = counts_of(spell_out(a, data, NULL, NULL), 3, 3, args);
    assert_false(c.known);
    arena_free(a);
}

static void test_counting_ends(void **state)
{
    static const char text[] = IR(
    kernel @k(%n: i32) {
        %true = const true : i1;
        while { condition %true; } { yield; }
        return;
    }
    );
    Arena *a = arena_new(NULL);
    uint64_t args[] = {5};

    (void)state;
    assert_false(counts_of(spell_out(a, text, NULL, NULL), 3, 3, args).known);
    arena_free(a);
}

/* --- bytes, and what masks leave of them --- */

typedef struct {
    double loaded, stored;
    int ops;
} Moved;

static void add_moved(void *ctx, const Op *op, const InterpWork *work)
{
    Moved *m = ctx;

    *(op->code == OP_load ? &m->loaded : &m->stored) += work->bytes;
    m->ops++;
}

static Moved moved_by(const char *text, int programs, int sample, const uint64_t *args)
{
    Arena *a = arena_new(NULL);
    const Func *f = kernel_of(a, text, diags_new(a, NULL));
    InterpLaunch launch = {.args = args, .grid = {programs, 1, 1}, .first = 0, .last = programs};
    InterpCounts counts;
    Moved moved = {0};

    assert_int_equal(interp_count(f, &launch, sample, &counts, add_moved, &moved), INTERP_OK);
    arena_free(a);
    return moved;
}

static void test_bytes_of_a_tail_are_its_own(void **state)
{
    Arena *a = arena_new(NULL);
    uint64_t args[] = {0, 0, 0, 781};
    Moved m = moved_by(spell_out(a, ADD_KERNEL, "BLOCK", "224"), 4, 4, args);

    (void)state;
    assert_true(m.loaded == 2 * 781 * 4 && m.stored == 781 * 4);
    arena_free(a);
}

/* In two dimensions, moved, in the rounds of a loop and through a helper's parameters. */
static void test_masks_are_followed(void **state)
{
    static const char text[] = IR(
    func @read(%p: *fp16[4,8], %inside: i1[4,8]) -> fp16[4,8] {
        %v = load %p, %inside : fp16[4,8];
        return %v;
    }
    kernel @k(%p: *fp16, %rows: i32, %columns: i32) {
        %zero = const 0 : i32;
        %four = const 4 : i32;
        %pid = program_id axis=0 : i32;
        %ps = splat %p : *fp16[4,8];
        %c = arange start=0 : i32[8];
        %cs = expand %c axis=0 : i32[1,8];
        %most = splat %columns : i32[1,8];
        %cin = lt %cs, %most : i1[1,8];
        %call = broadcast %cin : i1[4,8];
        for %zero, %rows, %four { (%i: i32);
            %r = arange start=0 : i32[4];
            %is = splat %i : i32[4];
            %at = add %r, %is : i32[4];
            %ats = expand %at axis=1 : i32[4,1];
            %end = splat %rows : i32[4,1];
            %rin = lt %ats, %end : i1[4,1];
            %rall = broadcast %rin : i1[4,8];
            %inside = and %rall, %call : i1[4,8];
            %v = call @read(%ps, %inside) : fp16[4,8];
            %flat = permute %v dims=[1,0] : fp16[8,4];
            %other = permute %inside dims=[1,0] : i1[8,4];
            %to = permute %ps dims=[1,0] : *fp16[8,4];
            store %to, %flat, %other;
            yield;
        }
        return;
    }
    );
    Arena *a = arena_new(NULL);
    uint64_t args[] = {0, 10, 5};
    Moved m = moved_by(spell_out(a, text, NULL, NULL), 3, 3, args);

    (void)state;
    assert_true(m.loaded == 3 * 10 * 5 * 2 && m.stored == 3 * 10 * 5 * 2);
    arena_free(a);
}

static void test_masks_of_data_count_all_lanes(void **state)
{
    static const char text[] = IR(
    kernel @k(%p: *i32, %n: i32) {
        %ps = splat %p : *i32[16];
        %ns = splat %n : i32[16];
        %at = arange start=0 : i32[16];
        %first = lt %at, %ns : i1[16];
        %v = load %ps, %first : i32[16];
        %inside = lt %v, %ns : i1[16];
        store %ps, %v, %inside;
        return;
    }
    );
    Arena *a = arena_new(NULL);
    uint64_t args[] = {0, 5};
    Moved m = moved_by(spell_out(a, text, NULL, NULL), 2, 2, args);

    (void)state;
    assert_true(m.loaded == 2 * 5 * 4 && m.stored == 2 * 16 * 4);
    arena_free(a);
}

/* A part of the work would pass for all of it. */
static void test_lines_are_told_all_or_nothing(void **state)
{
    static const char text[] = IR(
    kernel @k(%p: *i32) {
        %zero = const 0 : i32;
        %one = const 1 : i32;
        %n = load %p : i32;
        for %zero, %n, %one { (%i: i32);
            store %p, %i;
            yield;
        }
        return;
    }
    );
    Arena *a = arena_new(NULL);
    uint64_t args[] = {0};
    Moved m = moved_by(spell_out(a, text, NULL, NULL), 2, 2, args);

    (void)state;
    assert_int_equal(m.ops, 0);
    arena_free(a);
}

/* Programs that take many steps are counted as far as there are steps, all over the grid: program p
 * makes 40 + p / 8 rounds of 60. */
static void test_long_programs_are_counted_by_fewer(void **state)
{
    static const char text[] = IR(
    kernel @k(%a: *fp32) {
        %zero = const 0 : i32;
        %one = const 1 : i32;
        %eight = const 8 : i32;
        %forty = const 40 : i32;
        %sixty = const 60 : i32;
        %p = program_id axis=0 : i32;
        %part = div %p, %eight : i32;
        %n = add %forty, %part : i32;
        %as = splat %a : *fp32[10];
        %start = const 0.0 : fp32[10];
        %sum = for %zero, %n, %one, %start : fp32[10] { (%i: i32, %u: fp32[10]);
            %inner = for %zero, %sixty, %one, %u : fp32[10] { (%j: i32, %v: fp32[10]);
                %w = add %v, %v : fp32[10];
                yield %w;
            }
            yield %inner;
        }
        store %as, %sum;
        return;
    }
    );
    Arena *a = arena_new(NULL);
    uint64_t args[] = {0};
    double all = 0;

    (void)state;
    for (int p = 0; p < 1000; p++)
        all += 60.0 * 10 * (40 + p / 8);
    InterpCounts c = counts_of(spell_out(a, text, NULL, NULL), 1000, 256, args);
    assert_true(c.known && fabs(c.flops - all) < 0.05 * all);
    arena_free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_long_programs_are_counted_by_fewer),
        cmocka_unit_test(test_counts_of_an_elementwise_kernel),
        cmocka_unit_test(test_counts_follow_loops_and_calls),
        cmocka_unit_test(test_products_of_integers_count),
        cmocka_unit_test(test_integers_count_where_they_become_data),
        cmocka_unit_test(test_products_of_narrow_types),
        cmocka_unit_test(test_counts_depend_on_arguments_not_on_data),
        cmocka_unit_test(test_counting_ends),
        cmocka_unit_test(test_bytes_of_a_tail_are_its_own),
        cmocka_unit_test(test_masks_are_followed),
        cmocka_unit_test(test_masks_of_data_count_all_lanes),
        cmocka_unit_test(test_lines_are_told_all_or_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
