/*
 * test_interp.c - IR text and arrays in, expected arrays out, for every family of ops
 *
 * Expectations are computed here by plain loops.  Extents are odd on purpose.
 */
/* the kernels inside IR() are not C */
/* clang-format off */
#include <math.h>
#include <pthread.h>
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

#define RUN_WITH(text, word, by, programs, ...)                                                    \
    run_grid(text, word, by, programs, 1, 1, (const uint64_t[]){__VA_ARGS__})
#define RUN(text, programs, ...) RUN_WITH(text, NULL, NULL, programs, __VA_ARGS__)

static uint64_t random_state = 11;

static uint64_t random_bits(void)
{
    random_state += 0x9e3779b97f4a7c15u;
    return hash_bytes(&random_state, sizeof random_state, 3);
}

static float random_float(void)
{
    return (float)((double)(int64_t)random_bits() * 0x1p-62);
}

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
    assert_int_not_equal(interp_run(kernel_of(a, spell_out(a, text, NULL, NULL), d), &launch, d),
                         0);
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
        {0, 10, 1, 10, 45},
        {0, 10, 3, 4, 18},
        {0, 0, 1, 0, 0},
        {5, 2, 1, 0, 0},
        {10, 0, -3, 4, 10 + 7 + 4 + 1},
        {0, 10, -1, 0, 0},
        {3, -4, -7, 1, 3},
        {0, 10, 0, 0, 0},
        {-5, 5, 5, 2, -5},
        {INT32_MAX - 1, INT32_MAX, 2, 1, INT32_MAX - 1}, /* the step past the end must not wrap */
        {INT32_MIN + 1, INT32_MIN, -5, 1, INT32_MIN + 1},
    };
    int64_t out[2];

    (void)state;
    for (int i = 0; i < COUNT(cases); i++) {
        const Trips *t = &cases[i];
        RUN_WITH(for_kernel, "TYPE", "i32", 1, P(out), (uint32_t)t->lo, (uint32_t)t->hi,
                 (uint32_t)t->step);
        assert_int_equal(out[0], t->trips);
        assert_int_equal(out[1], t->sum);
        RUN_WITH(for_kernel, "TYPE", "i64", 1, P(out), (uint64_t)t->lo, (uint64_t)t->hi,
                 (uint64_t)t->step);
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
        %a, %b, %c = for %zero, %n, %one, %a0, %b0, %c0
            : i32[21], i32[21], i32[21] { (%i: i32, %x: i32[21], %y: i32[21], %z: i32[21]);
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
        %a, %b, %c = for %zero, %n, %one, %a0, %b0, %c0
            : i32[9], i32[9], i32[9] { (%i: i32, %x: i32[9], %y: i32[9], %z: i32[9]);
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
        %acc, %count, %last = while %n, %zero, %acc0
            : i32[11], i32, i32 { (%x: i32, %c: i32, %t: i32[11]);
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

/* ---- calls ---- */

static void calls_take_and_give_tiles(void **state)
{
    static const char text[] = IR(
    func @inner(%x: i32[5], %k: i32) -> i32[5] {
        %ks = splat %k : i32[5];
        %y = mul %x, %ks : i32[5];
        return %y;
    }
    func @outer(%x: i32[5]) -> i32[5], i32 {
        %two = const 2 : i32;
        %three = const 3 : i32;
        %a = call @inner(%x, %two) : i32[5];
        %b = call @inner(%a, %three) : i32[5];
        %c = add %a, %b : i32[5];
        return %c, %three;
    }
    kernel @k(%out: *i32) {
        %x = arange start=1 : i32[5];
        %y, %n = call @outer(%x) : i32[5], i32;
        %z, %m = call @outer(%y) : i32[5], i32;
        %ns = splat %n : i32[5];
        %s = add %z, %ns : i32[5];
        %s2 = add %s, %x : i32[5];
        %r = arange start=0 : i32[5];
        %os = splat %out : *i32[5];
        %op = addptr %os, %r : *i32[5];
        store %op, %s2;
        return;
    }
    );
    int32_t out[5];

    (void)state;
    RUN(text, 3, P(out));
    for (int i = 0; i < 5; i++)
        assert_int_equal(out[i], 8 * 8 * (i + 1) + 3 + i + 1);
}

/* Each activation has a frame of its own. */
static void recursion_ends_or_is_reported(void **state)
{
    static const char text[] = IR(
    func @fib(%n: i32) -> i32 {
        %two = const 2 : i32;
        %one = const 1 : i32;
        %c = lt %n, %two : i1;
        %r = if %c : i32 {
            yield %n;
        } {
            %a = sub %n, %one : i32;
            %b = sub %n, %two : i32;
            %x = call @fib(%a) : i32;
            %y = call @fib(%b) : i32;
            %s = add %x, %y : i32;
            yield %s;
        }
        return %r;
    }
    kernel @k(%out: *i32, %n: i32) {
        %r = call @fib(%n) : i32;
        store %out, %r;
        return;
    }
    );
    int32_t out;
    Arena *a = arena_new(NULL);
    uint64_t args[] = {P(&out), 5000};

    (void)state;
    RUN(text, 2, P(&out), 13);
    assert_int_equal(out, 233);
    const char *message = outcome(a, spell_out(a, text, NULL, NULL), 1, 1, 1, args);
    assert_non_null(strstr(message, "calls nest deeper than"));
    arena_free(a);
}

static void a_broken_assumption_is_reported(void **state)
{
    static const char text[] = IR(
    kernel @k(%n: i32) {
        %p = program_id axis=0 : i32;
        %c = lt %p, %n : i1;
        assume %c;
        return;
    }
    );
    Arena *a = arena_new(NULL);
    const char *spelled = spell_out(a, text, NULL, NULL);
    uint64_t args[] = {3};

    (void)state;
    assert_string_equal(outcome(a, spelled, 3, 1, 1, args), "");
    assert_non_null(strstr(outcome(a, spelled, 4, 1, 1, args), "program (3, 0, 0)"));
    arena_free(a);
}

/* ---- elementwise ---- */

static void elementwise_ops_on_tiles(void **state)
{
    static const char text[] = IR(
    kernel @k(%x: *fp16, %f: *fp32, %i: *i8) {
        %r = arange start=0 : i32[781];
        %xs = splat %x : *fp16[781];
        %xp = addptr %xs, %r : *fp16[781];
        %v = load %xp : fp16[781];
        %two = const 2.0 : fp16[781];
        %w = mul %v, %two : fp16[781];
        %g = cast %w : fp32[781];
        %e = exp %g : fp32[781];
        %h = cast %v : fp32[781];
        %q = fma %h, %h, %e : fp32[781];
        %small = lt %w, %two : i1[781];
        %s = select %small, %q, %h : fp32[781];
        %fs = splat %f : *fp32[781];
        %fp = addptr %fs, %r : *fp32[781];
        store %fp, %s;
        %n = cast %s : i8[781];
        %is = splat %i : *i8[781];
        %ip = addptr %is, %r : *i8[781];
        %b = bitcast %n : u8[781];
        %three = const 3 : u8[781];
        %b2 = shr %b, %three : u8[781];
        %n2 = bitcast %b2 : i8[781];
        store %ip, %n2;
        return;
    }
    );
    uint16_t x[781];
    float f[781];
    int8_t n[781];

    (void)state;
    for (int i = 0; i < 781; i++)
        x[i] = (uint16_t)scalar_from_double(DT_FP16, i == 3 ? NAN : i == 4 ? INFINITY : i * 0.01);
    RUN(text, 1, P(x), P(f), P(n));
    for (int i = 0; i < 781; i++) {
        float v = (float)scalar_to_double(DT_FP16, x[i]);
        float w = (float)scalar_to_double(DT_FP16, scalar_from_double(DT_FP16, 2.0 * v));
        float want = w < 2 ? fmaf(v, v, (float)exp(w)) : v;
        check_floats(&f[i], &want, 1);
        assert_int_equal(n[i], (uint8_t)scalar_from_double(DT_I8, want) >> 3);
    }
}

/* ---- reduce ---- */

/* Pairwise over adjacent elements, the odd last one carried on. */
static float tree_sum(float *x, int n)
{
    while (n > 1) {
        for (int i = 0; i < n / 2; i++)
            x[i] = x[2 * i] + x[2 * i + 1];
        if (n % 2)
            x[n / 2] = x[n - 1];
        n -= n / 2;
    }
    return x[0];
}

static const char sum_kernel[] = IR(
    kernel @k(%x: *fp32, %out: *fp32) {
        %r = arange start=0 : i32[ALL];
        %xs = splat %x : *fp32[ALL];
        %xp = addptr %xs, %r : *fp32[ALL];
        %v = load %xp : fp32[ALL];
        %t = reshape %v : fp32[DIMS];
        %s = reduce %t axis=AXIS : fp32[LEFT] { (%a: fp32, %b: fp32);
            %c = add %a, %b : fp32;
            yield %c;
        }
        %u = reshape %s : fp32[REST];
        %q = arange start=0 : i32[REST];
        %os = splat %out : *fp32[REST];
        %op = addptr %os, %q : *fp32[REST];
        store %op, %u;
        return;
    }
);

static const char *sum_over(Arena *a, const int *dims, int axis)
{
    int all = dims[0] * dims[1] * dims[2], first = axis == 0, second = axis == 2 ? 1 : 2;
    const char *words[][2] = {
        {"ALL", arena_printf(a, "%d", all)},
        {"REST", arena_printf(a, "%d", all / dims[axis])},
        {"DIMS", arena_printf(a, "%d,%d,%d", dims[0], dims[1], dims[2])},
        {"LEFT", arena_printf(a, "%d,%d", dims[first], dims[second])},
        {"AXIS", arena_printf(a, "%d", axis)},
    };
    const char *text = sum_kernel;

    for (int i = 0; i < COUNT(words); i++)
        text = spell_out(a, text, words[i][0], words[i][1]);
    return text;
}

static void check_sums(const int *dims, int axis)
{
    int all = dims[0] * dims[1] * dims[2], length = dims[axis], inner = 1;
    float *x = malloc((size_t)all * 4), *out = malloc((size_t)(all / length) * 4);
    float *line = malloc((size_t)length * 4);
    uint64_t args[] = {P(x), P(out)};
    Arena *a = arena_new(NULL);

    fill_floats(x, all);
    assert_string_equal(outcome(a, sum_over(a, dims, axis), 1, 1, 1, args), "");
    for (int i = axis + 1; i < 3; i++)
        inner *= dims[i];
    for (int i = 0; i < all / length; i++) {
        for (int k = 0; k < length; k++)
            line[k] = x[(i / inner * length + k) * inner + i % inner];
        float want = tree_sum(line, length);
        check_floats(&out[i], &want, 1);
    }
    arena_free(a);
    free(x);
    free(out);
    free(line);
}

static void sums_are_pairwise_along_any_axis(void **state)
{
    static const int shapes[][3] = {{3, 5, 7},   {1, 1, 1},   {2, 781, 1}, {4, 9, 100}, {16, 64, 2},
                                    {1, 1, 224}, {13, 1, 40}, {5, 33, 31}, {2, 3, 1031}};

    (void)state;
    for (int i = 0; i < COUNT(shapes); i++) {
        for (int axis = 0; axis < 3; axis++)
            check_sums(shapes[i], axis);
    }
}

/* Two operands, and a region of several ops: NaN loses, ties go to the lower index (R252). */
static const char argmax_kernel[] = IR(
    func @better(%v: fp32, %w: fp32) -> i1 {
        %nan = isnan %w : i1;
        %ge = ge %v, %w : i1;
        %r = or %nan, %ge : i1;
        return %r;
    }
    kernel @k(%x: *fp32, %out: *fp32, %at: *i32) {
        %r = arange start=0 : i32[1700];
        %xs = splat %x : *fp32[1700];
        %xp = addptr %xs, %r : *fp32[1700];
        %v0 = load %xp : fp32[1700];
        %v = reshape %v0 : fp32[DIMS];
        %q = arange start=0 : i32[100];
        %e = expand %q axis=AXIS : i32[ONE];
        %n = broadcast %e : i32[DIMS];
        %m, %i = reduce %v, %n axis=LONG : fp32[17], i32[17] {
                (%a: fp32, %ai: i32, %b: fp32, %bi: i32);
            BODY
            yield %c, %ci;
        }
        %s = arange start=0 : i32[17];
        %os = splat %out : *fp32[17];
        %op = addptr %os, %s : *fp32[17];
        store %op, %m;
        %is = splat %at : *i32[17];
        %ip = addptr %is, %s : *i32[17];
        store %ip, %i;
        return;
    }
);

static void argmax_by(const char *body, bool rows)
{
    const char *words[][2] = {{"BODY", body},
                              {"DIMS", rows ? "17,100" : "100,17"},
                              {"ONE", rows ? "1,100" : "100,1"},
                              {"AXIS", rows ? "0" : "1"},
                              {"LONG", rows ? "1" : "0"}};
    Arena *a = arena_new(NULL);
    const char *text = argmax_kernel;
    float x[1700], out[17];
    int32_t at[17];
    uint64_t args[] = {P(x), P(out), P(at)};

    for (int i = 0; i < 1700; i++)
        x[i] = i % 7 == 3 ? NAN : (float)(random_bits() % 50);
    for (int i = 0; i < COUNT(words); i++)
        text = spell_out(a, text, words[i][0], words[i][1]);
    assert_string_equal(outcome(a, text, 1, 1, 1, args), "");
    for (int i = 0; i < 17; i++) {
        float best = -1;
        int where = -1;
        for (int k = 0; k < 100; k++) {
            float v = rows ? x[i * 100 + k] : x[k * 17 + i];
            if (v > best) {
                best = v;
                where = k;
            }
        }
        assert_true(out[i] == best);
        assert_int_equal(at[i], where);
    }
    arena_free(a);
}

/* The same region as selects, as a call, as an if, and as an if that calls, which runs both arms
 * on all lanes; and with a loop in it, which runs lane by lane. */
static void reduce_with_any_region(void **state)
{
    static const char *const bodies[] = {
        "%nan = isnan %b : i1; %ge = ge %a, %b : i1; %t = or %nan, %ge : i1;"
        "%c = select %t, %a, %b : fp32; %ci = select %t, %ai, %bi : i32;",
        "%t = call @better(%a, %b) : i1;"
        "%c = select %t, %a, %b : fp32; %ci = select %t, %ai, %bi : i32;",
        "%t = call @better(%a, %b) : i1;"
        "%c, %ci = if %t : fp32, i32 { yield %a, %ai; } { yield %b, %bi; }",
        "%no = const false : i1; %z = const 0 : i32; %o = const 1 : i32;"
        "%t = for %z, %o, %o, %no : i1 { (%k: i32, %u: i1);"
        "  %t2 = call @better(%a, %b) : i1; yield %t2; }"
        "%c, %ci = if %t : fp32, i32 { yield %a, %ai; } { yield %b, %bi; }",
    };

    (void)state;
    for (int i = 0; i < COUNT(bodies); i++) {
        argmax_by(bodies[i], true);
        argmax_by(bodies[i], false);
    }
}

/* A region that uses scalars from outside, and yields its operands crosswise. */
static void reduce_captures_and_crosses(void **state)
{
    static const char text[] = IR(
    kernel @k(%out: *i32, %n: i32) {
        %r = arange start=1 : i32[1000];
        %p = program_id axis=0 : i32;
        %q = mul %p, %n : i32;
        %x, %y = reduce %r, %r axis=0 : i32, i32 { (%a: i32, %b: i32, %c: i32, %d: i32);
            %s = add %a, %c : i32;
            %t = mul %s, %n : i32;
            %u = add %t, %q : i32;
            yield %d, %a;
        }
        %m = reduce %r axis=0 : i32 { (%e: i32, %f: i32);
            %v = max %e, %f : i32;
            %w = min %v, %q : i32;
            yield %w;
        }
        store %out, %x;
        %one = const 1 : i32;
        %o1 = addptr %out, %one : *i32;
        store %o1, %y;
        %o2 = addptr %o1, %one : *i32;
        store %o2, %m;
        return;
    }
    );
    int32_t out[3], x[1000], y[1000];

    (void)state;
    RUN(text, 4, P(out), 99);
    for (int i = 0; i < 1000; i++)
        x[i] = y[i] = i + 1;
    for (int n = 1000; n > 1; n -= n / 2) {
        for (int i = 0; i < n / 2; i++) {
            int a = x[2 * i], d = y[2 * i + 1];
            x[i] = d;
            y[i] = a;
        }
        if (n % 2) {
            x[n / 2] = x[n - 1];
            y[n / 2] = y[n - 1];
        }
    }
    assert_int_equal(out[0], x[0]);
    assert_int_equal(out[1], y[0]);
    assert_int_equal(out[2], 3 * 99);
}

/* ---- scan ---- */

static const char scan_kernel[] = IR(
    kernel @k(%x: *TYPE, %out: *TYPE) {
        %r = arange start=0 : i32[ALL];
        %xs = splat %x : *TYPE[ALL];
        %xp = addptr %xs, %r : *TYPE[ALL];
        %v = load %xp : TYPE[ALL];
        %t = reshape %v : TYPE[DIMS];
        %s = scan %t axis=AXIS reverse=BACK : TYPE[DIMS] { (%a: TYPE, %b: TYPE);
            BODY
            yield %c;
        }
        %u = reshape %s : TYPE[ALL];
        %os = splat %out : *TYPE[ALL];
        %op = addptr %os, %r : *TYPE[ALL];
        store %op, %u;
        return;
    }
);

/* Elements are linear functions mod 256, two bytes each, composed: associative, not commutative. */
static uint16_t compose(uint16_t a, uint16_t b)
{
    unsigned fa = a >> 8, fb = b >> 8, ca = a & 255, cb = b & 255;

    return (uint16_t)((fa * fb % 256) << 8 | (ca * fb + cb) % 256);
}

static const char compose_body[] =
    "%k = const 255 : u16; %h = const 8 : u16;"
    "%fa = shr %a, %h : u16; %fb = shr %b, %h : u16; %ca = and %a, %k : u16;"
    "%cb = and %b, %k : u16; %f = mul %fa, %fb : u16; %f2 = shl %f, %h : u16;"
    "%g = mul %ca, %fb : u16; %g2 = add %g, %cb : u16; %g3 = and %g2, %k : u16;"
    "%c = or %f2, %g3 : u16;";

static const char *scan_text(Arena *a, const char *type, const char *body, const int *dims,
                             int axis, bool back)
{
    const char *words[][2] = {
        {"TYPE", type},
        {"BODY", body},
        {"ALL", arena_printf(a, "%d", dims[0] * dims[1] * dims[2])},
        {"DIMS", arena_printf(a, "%d,%d,%d", dims[0], dims[1], dims[2])},
        {"AXIS", arena_printf(a, "%d", axis)},
        {"BACK", back ? "1" : "0"},
    };
    const char *text = scan_kernel;

    for (int i = 0; i < COUNT(words); i++)
        text = spell_out(a, text, words[i][0], words[i][1]);
    return text;
}

static void check_scan(const int *dims, int axis, bool back)
{
    int all = dims[0] * dims[1] * dims[2], length = dims[axis], inner = 1;
    uint16_t *x = malloc((size_t)all * 2), *out = malloc((size_t)all * 2);
    uint64_t args[] = {P(x), P(out)};
    Arena *a = arena_new(NULL);

    for (int i = 0; i < all; i++)
        x[i] = (uint16_t)random_bits();
    for (int i = axis + 1; i < 3; i++)
        inner *= dims[i];
    const char *text = scan_text(a, "u16", compose_body, dims, axis, back);
    assert_string_equal(outcome(a, text, 1, 1, 1, args), "");
    for (int i = 0; i < all / length; i++) {
        uint16_t want = 0;
        for (int k = 0; k < length; k++) {
            int at = (i / inner * length + (back ? length - 1 - k : k)) * inner + i % inner;
            want = k == 0 ? x[at] : compose(want, x[at]);
            assert_int_equal(out[at], want);
        }
    }
    arena_free(a);
    free(x);
    free(out);
}

static void scans_keep_the_order(void **state)
{
    static const int shapes[][3] = {{3, 5, 7}, {1, 1, 1}, {2, 81, 1}, {4, 9, 100}, {1, 1, 224}};

    (void)state;
    for (int i = 0; i < COUNT(shapes); i++) {
        for (int axis = 0; axis < 3; axis++) {
            check_scan(shapes[i], axis, false);
            check_scan(shapes[i], axis, true);
        }
    }
}

static void cumulative_sums_and_products(void **state)
{
    static const int dims[] = {3, 1, 70};
    float x[210], out[210], want[210];
    int32_t n[210], nout[210];
    Arena *a = arena_new(NULL);
    uint64_t args[] = {P(x), P(out)}, iargs[] = {P(n), P(nout)};

    (void)state;
    fill_floats(x, 210);
    for (int i = 0; i < 210; i++) {
        n[i] = (int32_t)random_bits();
        want[i] = i % 70 == 0 ? x[i] : want[i - 1] + x[i];
    }
    const char *text = scan_text(a, "fp32", "%c = add %a, %b : fp32;", dims, 2, false);
    assert_string_equal(outcome(a, text, 1, 1, 1, args), "");
    check_floats(out, want, 210);
    text = scan_text(a, "i32", "%c = mul %a, %b : i32;", dims, 2, true);
    assert_string_equal(outcome(a, text, 1, 1, 1, iargs), "");
    for (int i = 209; i >= 0; i--)
        assert_int_equal(nout[i],
                         i % 70 == 69 ? n[i] : (int32_t)((uint32_t)nout[i + 1] * (uint32_t)n[i]));
    arena_free(a);
}

/* ---- dot ---- */

static const char dot_kernel[] = IR(
    kernel @k(%a: *TYPE, %b: *TYPE, %c: *ACC) {
        %ra = arange start=0 : i32[60];
        %as = splat %a : *TYPE[60];
        %ap = addptr %as, %ra : *TYPE[60];
        %av = load %ap : TYPE[60];
        %x = reshape %av : TYPE[2,6,5];
        %rb = arange start=0 : i32[70];
        %bs = splat %b : *TYPE[70];
        %bp = addptr %bs, %rb : *TYPE[70];
        %bv = load %bp : TYPE[70];
        %y = reshape %bv : TYPE[2,5,7];
        %rc = arange start=0 : i32[84];
        %cs = splat %c : *ACC[84];
        %cp = addptr %cs, %rc : *ACC[84];
        %cv = load %cp : ACC[84];
        %z = reshape %cv : ACC[2,6,7];
        %d = dot %x, %y, %z : ACC[2,6,7];
        %e = dot %x, %y, %d : ACC[2,6,7];
        %f = reshape %e : ACC[84];
        store %cp, %f;
        return;
    }
);

static void check_dot(DType t, DType acc_type)
{
    const char *words[][2] = {{"TYPE", dtype_name(t)}, {"ACC", dtype_name(acc_type)}};
    uint64_t storage[3][90] = {{0}}, args[] = {P(storage[0]), P(storage[1]), P(storage[2])};
    double v[3][90];
    Arena *arena = arena_new(NULL);
    const char *text = dot_kernel;

    for (int i = 0; i < 3; i++) {
        DType d = i == 2 ? acc_type : t;
        for (int k = 0; k < 90; k++) {
            uint64_t bits = scalar_from_double(d, (double)(int)(random_bits() % 33) - 16);
            v[i][k] = scalar_to_double(d, bits);
            memcpy((char *)storage[i] + k * dtype_size(d), &bits, (size_t)dtype_size(d));
        }
    }
    for (int i = 0; i < COUNT(words); i++)
        text = spell_out(arena, text, words[i][0], words[i][1]);
    assert_string_equal(outcome(arena, text, 1, 1, 1, args), "");
    for (int i = 0; i < 84; i++) {
        int batch = i / 42, row = i % 42 / 7, col = i % 7;
        double want = v[2][i];
        uint64_t got = 0;
        for (int twice = 0; twice < 2; twice++) {
            for (int k = 0; k < 5; k++)
                want += v[0][batch * 30 + row * 5 + k] * v[1][batch * 35 + k * 7 + col];
            want = scalar_to_double(acc_type, scalar_from_double(acc_type, want));
        }
        memcpy(&got, (char *)storage[2] + i * dtype_size(acc_type), (size_t)dtype_size(acc_type));
        assert_true(scalar_to_double(acc_type, got) == want);
    }
    arena_free(arena);
}

/* Small whole numbers: every product and sum is exact, so the order does not matter. */
static void dot_of_every_dtype(void **state)
{
    static const DType types[][2] = {{DT_FP32, DT_FP32},    {DT_FP64, DT_FP64}, {DT_FP16, DT_FP32},
                                     {DT_FP16, DT_FP16},    {DT_BF16, DT_FP32}, {DT_I8, DT_I32},
                                     {DT_FP8E4NV, DT_FP32}, {DT_FP8E5, DT_FP16}};

    (void)state;
    for (int i = 0; i < COUNT(types); i++)
        check_dot(types[i][0], types[i][1]);
}

/* ---- atomics ---- */

static const char rmw_kernel[] = IR(
    kernel @k(%p: *TYPE, %v: *TYPE, %old: *TYPE) {
        %r = arange start=0 : i32[7];
        %four = const 4 : i32[7];
        %two = const 2 : i32[7];
        %at = rem %r, %two : i32[7];
        %m = ne %r, %four : i1[7];
        %ps = splat %p : *TYPE[7];
        %pp = addptr %ps, %at : *TYPE[7];
        %vs = splat %v : *TYPE[7];
        %vp = addptr %vs, %r : *TYPE[7];
        %x = load %vp : TYPE[7];
        %o = atomic_rmw %pp, %x, %m kind=KIND : TYPE[7];
        %os = splat %old : *TYPE[7];
        %op = addptr %os, %r : *TYPE[7];
        store %op, %o;
        return;
    }
);

static double rmw_reference(const char *kind, double old, double x)
{
    switch (kind[1]) {
    case 'd': /* add */
        return old + x;
    case 'a': /* max */
        return fmax(old, x);
    case 'i': /* min */
        return fmin(old, x);
    case 'n': /* and */
        return (double)((int64_t)old & (int64_t)x);
    case 'r': /* or */
        return (double)((int64_t)old | (int64_t)x);
    case 'o': /* xor */
        return (double)((int64_t)old ^ (int64_t)x);
    default: /* xchg */
        return x;
    }
}

/* Duplicates all count, masked lanes do nothing and give 0 (R220). */
static void check_rmw(DType t, const char *kind)
{
    static const double values[] = {5, -3, 9, 12, 100, -7, 2};
    uint64_t p[2] = {0}, v[7] = {0}, old[7], args[] = {P(p), P(v), P(old)};
    double memory[2] = {6, -2};
    size_t size = (size_t)dtype_size(t);
    Arena *a = arena_new(NULL);
    bool is_signed = dtype_is_float(t) || dtype_is_signed(t);

    for (int i = 0; i < 7; i++) {
        uint64_t bits = scalar_from_double(t, is_signed ? values[i] : fabs(values[i]));
        memcpy((char *)v + (size_t)i * size, &bits, size);
    }
    for (int i = 0; i < 2; i++) {
        memory[i] = is_signed ? memory[i] : fabs(memory[i]);
        uint64_t bits = scalar_from_double(t, memory[i]);
        memcpy((char *)p + (size_t)i * size, &bits, size);
    }
    const char *text = spell_out(a, rmw_kernel, "TYPE", dtype_name(t));
    assert_string_equal(outcome(a, spell_out(a, text, "KIND", kind), 1, 1, 1, args), "");
    for (int i = 0; i < 7; i++) {
        uint64_t got = 0;
        double x = is_signed ? values[i] : fabs(values[i]);
        memcpy(&got, (char *)old + (size_t)i * size, size);
        assert_true(scalar_to_double(t, got) == (i == 4 ? 0 : memory[i % 2]));
        if (i != 4)
            memory[i % 2] = rmw_reference(kind, memory[i % 2], x);
    }
    for (int i = 0; i < 2; i++) {
        uint64_t got = 0;
        memcpy(&got, (char *)p + (size_t)i * size, size);
        assert_true(scalar_to_double(t, got) == memory[i]);
    }
    arena_free(a);
}

static void atomics_of_every_kind(void **state)
{
    static const char *const kinds[] = {"add", "max", "min", "xchg", "and", "or", "xor"};
    static const DType types[] = {DT_FP32, DT_FP64, DT_FP16, DT_BF16,
                                  DT_I32,  DT_I64,  DT_U32,  DT_U64};

    (void)state;
    for (int t = 0; t < COUNT(types); t++) {
        for (int k = 0; k < COUNT(kinds); k++) {
            if (k < 4 || dtype_is_int(types[t]))
                check_rmw(types[t], kinds[k]);
        }
    }
}

typedef struct {
    const Func *func;
    const InterpLaunch *launch;
    int status;
} Thread;

static void *run_thread(void *arg)
{
    Thread *t = arg;
    Arena *a = arena_new(NULL);

    t->status = interp_run(t->func, t->launch, diags_new(a));
    arena_free(a);
    return NULL;
}

/* Several interpreters on one array, as the thread pool has them: no addition may get lost. */
static void atomics_of_several_threads(void **state)
{
    static const char text[] = IR(
    kernel @k(%p: *TYPE) {
        %one = const ONE : TYPE[50];
        %ps = splat %p : *TYPE[50];
        %o = atomic_rmw %ps, %one kind=add : TYPE[50];
        return;
    }
    );
    static const char *const types[][2] = {{"fp16", "1.0"}, {"fp32", "1.0"}, {"i64", "1"}};
    enum { THREADS = 4, PROGRAMS = 10 };

    (void)state;
    for (int i = 0; i < COUNT(types); i++) {
        Arena *a = arena_new(NULL);
        uint64_t memory = 0, args[] = {P(&memory)};
        const char *typed = spell_out(a, text, "TYPE", types[i][0]);
        const Func *f = kernel_of(a, spell_out(a, typed, "ONE", types[i][1]), diags_new(a));
        InterpLaunch launch = {.args = args, .grid = {PROGRAMS, 1, 1}, .last = PROGRAMS};
        pthread_t threads[THREADS];
        Thread runs[THREADS];
        for (int t = 0; t < THREADS; t++) {
            runs[t] = (Thread){f, &launch, -1};
            assert_int_equal(pthread_create(&threads[t], NULL, run_thread, &runs[t]), 0);
        }
        for (int t = 0; t < THREADS; t++) {
            pthread_join(threads[t], NULL);
            assert_int_equal(runs[t].status, 0);
        }
        DType type = f->body->args[0]->type->dtype;
        assert_true(scalar_to_double(type, memory) == THREADS * PROGRAMS * 50);
        arena_free(a);
    }
}

/* R221: -NaN < -inf < .. < -0 < +0 < .. < +inf < +NaN. */
static void float_atomics_use_the_total_order(void **state)
{
    static const char text[] = IR(
    kernel @k(%p: *fp32, %q: *fp32, %v: fp32) {
        %a = atomic_rmw %p, %v kind=max : fp32;
        %b = atomic_rmw %q, %v kind=min : fp32;
        return;
    }
    );
    static const uint32_t rising[] = {0xffc00000, 0xff800000, 0xbf800000, 0x80000000,
                                      0,          0x3f800000, 0x7f800000, 0x7fc00000};

    (void)state;
    for (int i = 0; i < COUNT(rising); i++) {
        for (int j = 0; j < COUNT(rising); j++) {
            uint32_t p = rising[i], q = rising[i];
            RUN(text, 1, P(&p), P(&q), rising[j]);
            assert_int_equal(p, rising[MAX(i, j)]);
            assert_int_equal(q, rising[MIN(i, j)]);
        }
    }
}

static void compare_and_swap_is_bitwise(void **state)
{
    static const char text[] = IR(
    kernel @k(%p: *fp32, %e: fp32, %n: fp32, %old: *fp32) {
        %o = atomic_cas %p, %e, %n : fp32;
        store %old, %o;
        return;
    }
    );
    uint32_t p = 0x80000000, old;

    (void)state;
    RUN(text, 1, P(&p), 0, 0x3f800000, P(&old)); /* +0 is not -0 here */
    assert_int_equal(p, 0x80000000);
    assert_int_equal(old, 0x80000000);
    RUN(text, 1, P(&p), 0x80000000, 0x3f800000, P(&old));
    assert_int_equal(p, 0x3f800000);
    assert_int_equal(old, 0x80000000);
}

/* ---- counting ---- */

static InterpCounts counts_of(const char *text, int programs, int sample, const uint64_t *args)
{
    Arena *a = arena_new(NULL);
    Diags *d = diags_new(a);
    const Func *f = kernel_of(a, text, d);
    InterpLaunch launch = {.args = args, .grid = {programs, 1, 1}, .first = 0, .last = programs};
    InterpCounts counts;

    assert_int_equal(interp_count(f, &launch, sample, &counts), 0);
    arena_free(a);
    return counts;
}

static void counts_of_an_elementwise_kernel(void **state)
{
    Arena *a = arena_new(NULL);
    uint64_t args[] = {0, 0, 0, 781}; /* null pointers: nothing is touched */
    const char *text = spell_out(a, add_kernel, "BLOCK", "224");

    (void)state;
    for (int sample = 0; sample < 6; sample++) {
        InterpCounts c = counts_of(text, 4, sample, args);
        assert_true(c.flops_known && c.flops == 4 * 224);
    }
    arena_free(a);
}

/* Loops of known length, long and short, with pointers carried; dot, fma and reductions. */
static void counts_follow_loops_and_calls(void **state)
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
    assert_true(c.flops_known);
    assert_true(c.flops == 3 * (7 * 30 + 1000.0 * 2 * 6 * 6 * 5 + 30 + 2 * 6));
    arena_free(a);
}

static void counts_depend_on_arguments_not_on_data(void **state)
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
    assert_true(c.flops_known && c.flops == 10 * (5 + 4 + 3));
    c = counts_of(spell_out(a, data, NULL, NULL), 3, 3, args);
    assert_false(c.flops_known);
    arena_free(a);
}

static void counting_ends(void **state)
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
    assert_false(counts_of(spell_out(a, text, NULL, NULL), 3, 3, args).flops_known);
    arena_free(a);
}

/* ---- memory of the interpreter ---- */

/* Even the diagnostic may find no memory: then the caller's guard is told. */
static void running_out_of_memory_is_an_error(void **state)
{
    float x[8] = {1}, y[8] = {2}, out[8] = {0};
    uint64_t args[] = {P(x), P(y), P(out), 8};
    InterpLaunch launch = {.args = args, .grid = {1, 1, 1}, .first = 0, .last = 1};
    volatile int failures = 0, status = 1;
    Guard guard;
    Arena *a = arena_new(&guard);
    Diags *d = diags_new(a);
    const Func *f = kernel_of(a, spell_out(a, add_kernel, "BLOCK", "8"), d);

    (void)state;
    for (volatile int n = 1; status != 0; n++) {
        assert_true(n < 1000);
        if (setjmp(guard.env) == 0) {
            arena_inject_failure(n);
            status = interp_run(f, &launch, d);
        } else {
            assert_int_equal(guard.why, GUARD_NO_MEMORY);
        }
        arena_inject_failure(-1);
        failures += status != 0;
    }
    assert_true(failures > 0);
    assert_true(out[0] == 3);
    arena_free(a);
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
        cmocka_unit_test(calls_take_and_give_tiles),
        cmocka_unit_test(recursion_ends_or_is_reported),
        cmocka_unit_test(a_broken_assumption_is_reported),
        cmocka_unit_test(elementwise_ops_on_tiles),
        cmocka_unit_test(sums_are_pairwise_along_any_axis),
        cmocka_unit_test(reduce_with_any_region),
        cmocka_unit_test(reduce_captures_and_crosses),
        cmocka_unit_test(scans_keep_the_order),
        cmocka_unit_test(cumulative_sums_and_products),
        cmocka_unit_test(dot_of_every_dtype),
        cmocka_unit_test(atomics_of_every_kind),
        cmocka_unit_test(atomics_of_several_threads),
        cmocka_unit_test(float_atomics_use_the_total_order),
        cmocka_unit_test(compare_and_swap_is_bitwise),
        cmocka_unit_test(counts_of_an_elementwise_kernel),
        cmocka_unit_test(counts_follow_loops_and_calls),
        cmocka_unit_test(counts_depend_on_arguments_not_on_data),
        cmocka_unit_test(counting_ends),
        cmocka_unit_test(running_out_of_memory_is_an_error),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
