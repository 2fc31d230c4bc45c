/*
 * test_interp.c - IR text and arrays in, expected arrays out, for every family of ops
 *
 * Expectations are computed here by plain loops.  Extents are odd on purpose.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "../../src/interp/interp.h" /* before cmocka.h, whose fail() is a macro */

#include <cmocka.h>

#define P(array) ((uint64_t)(uintptr_t)(array))

/* ---- running text ---- */

/* IR without quotes: lines end at `;` and around braces, except in `} {`. */
#define IR(...) #__VA_ARGS__

/* The text that IR() means, with `by` in place of every `word`. */
static char *spell_out(Arena *a, const char *s, const char *word, const char *by)
{
    Text t = text_new(a);

    for (; *s; s++) {
        if (word && strncmp(s, word, strlen(word)) == 0) {
            text_put(&t, by);
            s += strlen(word) - 1;
        } else if (*s == ';') {
            text_put(&t, "\n");
        } else {
            bool closes = *s == '}', goes_on = closes && s[1] == ' ' && s[2] == '{';
            text_put(&t, closes ? "\n" : "");
            text_putn(&t, s, 1);
            text_put(&t, *s == '{' || (closes && !goes_on) ? "\n" : "");
        }
    }
    return t.s;
}

static const Func *kernel_of(Arena *a, const char *text, Diags *d)
{
    Source *src = NEW(a, Source);

    *src = (Source){"<test>", text, strlen(text)};
    Module *m = ir_read(a, interner_new(a), src, d);
    if (!m)
        fail_msg("%s", diags_text(d, a));
    for (int i = 0; i < m->nfuncs; i++) {
        if (m->funcs[i]->is_kernel)
            return m->funcs[i];
    }
    fail_msg("no kernel");
    return NULL;
}

/* The diagnostics of a run over a whole grid, in the arena; "" when it went well. */
static const char *outcome(Arena *a, const char *text, int x, int y, int z, const uint64_t *args)
{
    Diags *d = diags_new(a);
    InterpLaunch launch = {.args = args, .grid = {x, y, z}, .first = 0, .last = (int64_t)x * y * z};
    int status = interp_run(kernel_of(a, text, d), &launch, d);

    assert_int_equal(status != 0, diag_errors(d) != 0);
    return diags_text(d, a);
}

static void run_grid(const char *text, const char *word, const char *by, int x, int y, int z,
                     const uint64_t *args)
{
    Arena *a = arena_new(NULL);

    assert_string_equal(outcome(a, spell_out(a, text, word, by), x, y, z, args), "");
    arena_free(a);
}

#define RUN_WITH(text, word, by, programs, ...)                                                \
    run_grid(text, word, by, programs, 1, 1, (const uint64_t[]){__VA_ARGS__})
#define RUN(text, programs, ...) RUN_WITH(text, NULL, NULL, programs, __VA_ARGS__)

static uint64_t random_state = 11;

static uint64_t random_bits(void)
{
    random_state += 0x9e3779b97f4a7c15u;
    return hash_bytes(&random_state, sizeof random_state, 3);
}

static float random_float(void) { return (float)((double)(int64_t)random_bits() * 0x1p-62); }

static void fill_floats(float *x, int n)
{
    for (int i = 0; i < n; i++)
        x[i] = random_float();
}

static void check_floats(const float *got, const float *want, int n)
{
    for (int i = 0; i < n; i++) {
        if (got[i] != want[i] && !(isnan(got[i]) && isnan(want[i])))
            fail_msg("element %d is %.9g, not %.9g", i, got[i], want[i]);
    }
}

/* ---- memory ---- */

static const char add_kernel[] = IR(
    kernel @add(%x: *fp32, %y: *fp32, %out: *fp32, %n: i32) {
        %pid = program_id axis=0 : i32;
        %b = const BLOCK : i32;
        %base = mul %pid, %b : i32;
        %r = arange start=0 : i32[BLOCK];
        %bs = splat %base : i32[BLOCK];
        %offs = add %bs, %r : i32[BLOCK];
        %ns = splat %n : i32[BLOCK];
        %mask = lt %offs, %ns : i1[BLOCK];
        %xs = splat %x : *fp32[BLOCK];
        %xp = addptr %xs, %offs : *fp32[BLOCK];
        %xv = load %xp, %mask : fp32[BLOCK];
        %ys = splat %y : *fp32[BLOCK];
        %yp = addptr %ys, %offs : *fp32[BLOCK];
        %yv = load %yp, %mask : fp32[BLOCK];
        %s = add %xv, %yv : fp32[BLOCK];
        %os = splat %out : *fp32[BLOCK];
        %op = addptr %os, %offs : *fp32[BLOCK];
        store %op, %s, %mask;
        return;
    }
);

/* The arrays end where n says: AddressSanitizer sees any masked lane that touches memory. */
static void add_with_a_masked_tail(void **state)
{
    enum { N = 781 };
    float *x = malloc(N * 4), *y = malloc(N * 4), *out = malloc(N * 4), want[N];

    (void)state;
    fill_floats(x, N);
    fill_floats(y, N);
    x[5] = INFINITY;
    y[5] = -INFINITY;
    for (int i = 0; i < N; i++)
        want[i] = x[i] + y[i];
    RUN_WITH(add_kernel, "BLOCK", "224", (N + 223) / 224, P(x), P(y), P(out), N);
    check_floats(out, want, N);
    memset(out, 0, N * 4);
    RUN_WITH(add_kernel, "BLOCK", "1024", 1, P(x), P(y), P(out), N);
    check_floats(out, want, N);
    memset(out, 0, N * 4);
    RUN_WITH(add_kernel, "BLOCK", "7", (N + 6) / 7, P(x), P(y), P(out), N);
    check_floats(out, want, N);
    free(x);
    free(y);
    free(out);
}

static void masked_lanes_give_other_or_zero(void **state)
{
    static const char text[] = IR(
    kernel @k(%p: *i16, %q: *i16, %z: *i16) {
        %r = arange start=0 : i32[300];
        %c = const 150 : i32[300];
        %m = lt %r, %c : i1[300];
        %o = const -7 : i16[300];
        %ps = splat %p : *i16[300];
        %pp = addptr %ps, %r : *i16[300];
        %a = load %pp, %m, %o : i16[300];
        %b = load %pp, %m : i16[300];
        %qs = splat %q : *i16[300];
        %qp = addptr %qs, %r : *i16[300];
        store %qp, %a;
        %zs = splat %z : *i16[300];
        %zp = addptr %zs, %r : *i16[300];
        store %zp, %b;
        return;
    }
    );
    int16_t p[150], q[300], z[300];

    (void)state;
    for (int i = 0; i < 150; i++)
        p[i] = (int16_t)(i - 50);
    RUN(text, 1, P(p), P(q), P(z));
    for (int i = 0; i < 300; i++) {
        assert_int_equal(q[i], i < 150 ? i - 50 : -7);
        assert_int_equal(z[i], i < 150 ? i - 50 : 0);
    }
}

/* Gather and scatter over a strided row, scalars, and i1 in memory (R204). */
static void strided_and_scalar_access(void **state)
{
    static const char text[] = IR(
    kernel @k(%p: *i64, %f: *i1, %q: *i64) {
        %r = arange start=2 : i32[37];
        %three = const 3 : i32[37];
        %o = mul %r, %three : i32[37];
        %ps = splat %p : *i64[37];
        %pp = addptr %ps, %o : *i64[37];
        %v = load %pp : i64[37];
        %fs = splat %f : *i1[37];
        %fp = addptr %fs, %r : *i1[37];
        %m = load %fp : i1[37];
        %n = not %m : i1[37];
        store %fp, %n;
        %qs = splat %q : *i64[37];
        %qp = addptr %qs, %r : *i64[37];
        store %qp, %v, %m;
        %s = load %p : i64;
        store %q, %s;
        return;
    }
    );
    int64_t p[120], q[39];
    uint8_t flags[39], before[39];

    (void)state;
    for (int i = 0; i < 120; i++)
        p[i] = 1000 + i;
    for (int i = 0; i < 39; i++) {
        q[i] = -1;
        flags[i] = before[i] = i % 3 == 0 ? 0 : (uint8_t)(i * 7);
    }
    RUN(text, 1, P(p), P(flags), P(q));
    for (int i = 2; i < 39; i++) {
        assert_int_equal(q[i], before[i] ? 1000 + 3 * i : -1);
        assert_int_equal(flags[i], before[i] == 0);
    }
    assert_int_equal(q[0], 1000);
}

/* R70: unsigned offsets zero-extend, signed ones sign-extend. */
static void offsets_extend_by_signedness(void **state)
{
    static const char text[] = IR(
    kernel @k(%p: *i32, %a: i8, %b: u8) {
        %pa = addptr %p, %a : *i32;
        %x = const 5 : i32;
        store %pa, %x;
        %pb = addptr %p, %b : *i32;
        %y = const 6 : i32;
        store %pb, %y;
        return;
    }
    );
    int32_t p[300] = {0};

    (void)state;
    RUN(text, 1, P(p + 10), 0xfe, 0xfe);
    assert_int_equal(p[8], 5);
    assert_int_equal(p[264], 6);
}

/* ---- shape ---- */

static void shapes_move_elements(void **state)
{
    static const char text[] = IR(
    kernel @k(%out: *i32, %out2: *i32) {
        %a = arange start=10 : i32[3];
        %b = arange start=0 : i32[35];
        %a1 = expand %a axis=1 : i32[3,1];
        %a2 = expand %a1 axis=2 : i32[3,1,1];
        %a3 = broadcast %a2 : i32[3,5,7];
        %b1 = reshape %b : i32[1,5,7];
        %b2 = broadcast %b1 : i32[3,5,7];
        %c = const 100 : i32[3,5,7];
        %d = mul %a3, %c : i32[3,5,7];
        %e = add %d, %b2 : i32[3,5,7];
        %t = permute %e dims=[2,0,1] : i32[7,3,5];
        %f = reshape %t : i32[105];
        %r = arange start=0 : i32[105];
        %os = splat %out : *i32[105];
        %op = addptr %os, %r : *i32[105];
        store %op, %f;
        %g = reshape %e : i32[105];
        %qs = splat %out2 : *i32[105];
        %qp = addptr %qs, %r : *i32[105];
        store %qp, %g;
        return;
    }
    );
    int32_t out[105], out2[105];

    (void)state;
    RUN(text, 1, P(out), P(out2));
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 5; j++) {
            for (int k = 0; k < 7; k++) {
                int want = (10 + i) * 100 + j * 7 + k;
                assert_int_equal(out[(k * 3 + i) * 5 + j], want);
                assert_int_equal(out2[(i * 5 + j) * 7 + k], want);
            }
        }
    }
}

/* ---- programs ---- */

static void programs_see_their_place_in_the_grid(void **state)
{
    static const char text[] = IR(
    kernel @k(%out: *i32) {
        %x = program_id axis=0 : i32;
        %y = program_id axis=1 : i32;
        %z = program_id axis=2 : i32;
        %nx = num_programs axis=0 : i32;
        %ny = num_programs axis=1 : i32;
        %a = mul %z, %ny : i32;
        %b = add %a, %y : i32;
        %c = mul %b, %nx : i32;
        %d = add %c, %x : i32;
        %p = addptr %out, %d : *i32;
        %e = const 7 : i32;
        %v = mul %d, %e : i32;
        store %p, %v;
        return;
    }
    );
    int32_t out[60] = {0};
    Arena *a = arena_new(NULL);
    Diags *d = diags_new(a);
    uint64_t args[] = {P(out)};

    (void)state;
    run_grid(text, NULL, NULL, 3, 4, 5, args);
    for (int i = 0; i < 60; i++)
        assert_int_equal(out[i], 7 * i);
    memset(out, 0, sizeof out);
    InterpLaunch part = {.args = args, .grid = {3, 4, 5}, .first = 7, .last = 31};
    assert_int_equal(interp_run(kernel_of(a, spell_out(a, text, NULL, NULL), d), &part, d), 0);
    for (int i = 0; i < 60; i++)
        assert_int_equal(out[i], i >= 7 && i < 31 ? 7 * i : 0);
    arena_free(a);
}

static bool stop_at_once(void *ctx, double share)
{
    *(double *)ctx = share;
    return false;
}

static void progress_can_stop_a_run(void **state)
{
    /* every program takes long enough for the clock */
    static const char text[] = IR(
    kernel @k(%out: *i32, %n: i32) {
        %zero = const 0 : i32;
        %one = const 1 : i32;
        %s = for %zero, %n, %one, %zero : i32 { (%i: i32, %c: i32);
            %d = add %c, %i : i32;
            yield %d;
        }
        store %out, %s;
        return;
    }
    );
    int32_t out = 0;
    double share = -1;
    Arena *a = arena_new(NULL);
    Diags *d = diags_new(a);
    uint64_t args[] = {P(&out), 2000000};
    InterpLaunch launch = {args, {1000, 1, 1}, 0, 1000, stop_at_once, &share};

    (void)state;
    assert_int_not_equal(interp_run(kernel_of(a, spell_out(a, text, NULL, NULL), d), &launch, d), 0);
    assert_true(share > 0 && share < 1);
    assert_int_equal(diag_errors(d), 1);
    arena_free(a);
}

/* ---- control flow ---- */

static const char for_kernel[] = IR(
    kernel @k(%out: *i64, %lo: TYPE, %hi: TYPE, %step: TYPE) {
        %zero = const 0 : i64;
        %n, %sum = for %lo, %hi, %step, %zero, %zero : i64, i64      { (%i: TYPE, %c: i64, %s: i64);
            %one = const 1 : i64;
            %c2 = add %c, %one : i64;
            %j = cast %i : i64;
            %s2 = add %s, %j : i64;
            yield %c2, %s2;
        }
        store %out, %n;
        %o = const 1 : i32;
        %p = addptr %out, %o : *i64;
        store %p, %sum;
        return;
    }
);

typedef struct {
    int64_t lo, hi, step, trips, sum;
} Trips;

static void for_counts_both_ways(void **state)
{
    static const Trips cases[] = {
        {0, 10, 1, 10, 45},        {0, 10, 3, 4, 18},  {0, 0, 1, 0, 0},   {5, 2, 1, 0, 0},
        {10, 0, -3, 4, 10 + 7 + 4 + 1}, {0, 10, -1, 0, 0}, {3, -4, -7, 1, 3}, {0, 10, 0, 0, 0},
        {-5, 5, 5, 2, -5},
        {INT32_MAX - 1, INT32_MAX, 2, 1, INT32_MAX - 1}, /* the step past the end must not wrap */
        {INT32_MIN + 1, INT32_MIN, -5, 1, INT32_MIN + 1},
    };
    int64_t out[2];

    (void)state;
    for (int i = 0; i < COUNT(cases); i++) {
        const Trips *t = &cases[i];
        RUN_WITH(for_kernel, "TYPE", "i32", 1, P(out), (uint32_t)t->lo, (uint32_t)t->hi, (uint32_t)t->step);
        assert_int_equal(out[0], t->trips);
        assert_int_equal(out[1], t->sum);
        RUN_WITH(for_kernel, "TYPE", "i64", 1, P(out), (uint64_t)t->lo, (uint64_t)t->hi, (uint64_t)t->step);
        assert_int_equal(out[0], t->trips);
        assert_int_equal(out[1], t->sum);
    }
    RUN_WITH(for_kernel, "TYPE", "i64", 1, P(out), INT64_MAX - 1, INT64_MAX, 5);
    assert_int_equal(out[0], 1);
    RUN_WITH(for_kernel, "TYPE", "u32", 1, P(out), 0xfffffffe, 2, 1); /* R126: bounds are signed */
    assert_int_equal(out[0], 4);
}

/* Carried tiles that change places, one that stays, and a loop in a loop. */
static void loops_carry_tiles(void **state)
{
    static const char text[] = IR(
    kernel @k(%out: *i32, %n: i32) {
        %zero = const 0 : i32;
        %one = const 1 : i32;
        %two = const 2 : i32;
        %a0 = const 0 : i32[21];
        %b0 = arange start=1 : i32[21];
        %c0 = const 5 : i32[21];
        %a, %b, %c = for %zero, %n, %one, %a0, %b0, %c0 : i32[21], i32[21], i32[21] { (%i: i32, %x: i32[21], %y: i32[21], %z: i32[21]);
            %s = add %x, %y : i32[21];
            %t = for %zero, %two, %one, %s : i32[21] { (%j: i32, %w: i32[21]);
                %js = splat %j : i32[21];
                %w2 = add %w, %js : i32[21];
                yield %w2;
            }
            yield %y, %t, %z;
        }
        %u = add %b, %c : i32[21];
        %r = arange start=0 : i32[21];
        %os = splat %out : *i32[21];
        %op = addptr %os, %r : *i32[21];
        store %op, %u;
        %v = add %r, %c0 : i32[21];
        %r2 = arange start=21 : i32[21];
        %op2 = addptr %os, %r2 : *i32[21];
        store %op2, %a;
        return;
    }
    );
    int32_t out[42];

    (void)state;
    for (int n = 0; n < 12; n++) {
        RUN(text, 2, P(out), (uint64_t)n);
        for (int i = 0; i < 21; i++) {
            int x = 0, y = i + 1;
            for (int k = 0; k < n; k++) {
                int s = x + y + 1;
                x = y;
                y = s;
            }
            assert_int_equal(out[i], y + 5);
            assert_int_equal(out[21 + i], x);
        }
    }
}

/* Every permutation of what is carried, in place where the plan reuses slots. */
static void loops_rotate_values(void **state)
{
    static const char text[] = IR(
    kernel @k(%out: *i32, %n: i32) {
        %zero = const 0 : i32;
        %one = const 1 : i32;
        %p = program_id axis=0 : i32;
        %ps = splat %p : i32[9];
        %r = arange start=0 : i32[9];
        %a0 = add %ps, %r : i32[9];
        %b0 = mul %a0, %a0 : i32[9];
        %c0 = sub %b0, %r : i32[9];
        %a, %b, %c = for %zero, %n, %one, %a0, %b0, %c0 : i32[9], i32[9], i32[9] { (%i: i32, %x: i32[9], %y: i32[9], %z: i32[9]);
            %x2 = neg %x : i32[9];
            %y2 = not %y : i32[9];
            yield %y2, %z, %x2;
        }
        %os = splat %out : *i32[9];
        %o1 = addptr %os, %r : *i32[9];
        store %o1, %a;
        %nine = const 9 : i32[9];
        %o2 = addptr %o1, %nine : *i32[9];
        store %o2, %b;
        %o3 = addptr %o2, %nine : *i32[9];
        store %o3, %c;
        return;
    }
    );
    int32_t out[27];

    (void)state;
    for (int n = 0; n < 8; n++) {
        RUN(text, 3, P(out), (uint64_t)n); /* the last program, 2, leaves its values */
        for (int i = 0; i < 9; i++) {
            int x = 2 + i, y = x * x, z = y - i;
            for (int k = 0; k < n; k++) {
                int x2 = -x, y2 = ~y;
                x = y2;
                y = z;
                z = x2;
            }
            assert_int_equal(out[i], x);
            assert_int_equal(out[9 + i], y);
            assert_int_equal(out[18 + i], z);
        }
    }
}

static void while_runs_until_its_condition_fails(void **state)
{
    static const char text[] = IR(
    kernel @k(%out: *i32, %n: i32) {
        %zero = const 0 : i32;
        %one = const 1 : i32;
        %acc0 = const 0 : i32[11];
        %acc, %count, %last = while %n, %zero, %acc0 : i32[11], i32, i32 { (%x: i32, %c: i32, %t: i32[11]);
            %more = gt %x, %one : i1;
            %half = shr %x, %one : i32;
            condition %more, %t, %c, %half;
        } { (%t1: i32[11], %c1: i32, %next: i32);
            %c2 = add %c1, %one : i32;
            %cs = splat %c2 : i32[11];
            %t2 = add %t1, %cs : i32[11];
            yield %next, %c2, %t2;
        }
        %r = arange start=0 : i32[11];
        %os = splat %out : *i32[11];
        %op = addptr %os, %r : *i32[11];
        store %op, %acc;
        %e = const 11 : i32;
        %p = addptr %out, %e : *i32;
        store %p, %count;
        return;
    }
    );
    int32_t out[12];

    (void)state;
    for (int n = 0; n < 70; n += 3) {
        int count = 0, sum = 0;
        RUN(text, 1, P(out), (uint64_t)n);
        for (int x = n; x > 1; x /= 2)
            sum += ++count;
        assert_int_equal(out[11], count);
        for (int i = 0; i < 11; i++)
            assert_int_equal(out[i], sum);
    }
}

static void if_takes_one_arm(void **state)
{
    static const char text[] = IR(
    kernel @k(%p: *i32, %n: i32) {
        %five = const 5 : i32;
        %c = lt %n, %five : i1;
        %a, %b = if %c : i32, i32[3] {
            %v = load %p : i32;
            %t = const 2 : i32[3];
            yield %v, %t;
        } {
            %t2 = arange start=7 : i32[3];
            yield %n, %t2;
        }
        %r = arange start=0 : i32[3];
        %ps = splat %p : *i32[3];
        %pp = addptr %ps, %r : *i32[3];
        %as = splat %a : i32[3];
        %s = add %as, %b : i32[3];
        store %pp, %s;
        return;
    }
    );
    int32_t p[3] = {40, 0, 0};

    (void)state;

    RUN(text, 1, P(p), 4);
    assert_int_equal(p[0], 42);
    assert_int_equal(p[2], 42);
    RUN(text, 1, P(p), 6);
    for (int i = 0; i < 3; i++)
        assert_int_equal(p[i], 6 + 7 + i);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(add_with_a_masked_tail),
        cmocka_unit_test(masked_lanes_give_other_or_zero),
        cmocka_unit_test(strided_and_scalar_access),
        cmocka_unit_test(offsets_extend_by_signedness),
        cmocka_unit_test(shapes_move_elements),
        cmocka_unit_test(programs_see_their_place_in_the_grid),
        cmocka_unit_test(progress_can_stop_a_run),
        cmocka_unit_test(for_counts_both_ways),
        cmocka_unit_test(loops_carry_tiles),
        cmocka_unit_test(loops_rotate_values),
        cmocka_unit_test(while_runs_until_its_condition_fails),
        cmocka_unit_test(if_takes_one_arm),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
