/*
 * test_interp.c - IR text and arrays in, expected arrays out: memory, shapes, control, elementwise
 *
 * Expectations are computed here by plain loops.  Extents are odd on purpose.
 */
/* the kernels inside IR() are not C */
/* clang-format off */
#include "interp_text.h"

/* --- memory --- */

/* The arrays end where n says: AddressSanitizer sees any masked lane that touches memory. */
static void test_add_with_a_masked_tail(void **state)
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
    RUN_WITH(ADD_KERNEL, "BLOCK", "224", (N + 223) / 224, P(x), P(y), P(out), N);
    check_floats(out, want, N);
    memset(out, 0, N * 4);
    RUN_WITH(ADD_KERNEL, "BLOCK", "1024", 1, P(x), P(y), P(out), N);
    check_floats(out, want, N);
    memset(out, 0, N * 4);
    RUN_WITH(ADD_KERNEL, "BLOCK", "7", (N + 6) / 7, P(x), P(y), P(out), N);
    check_floats(out, want, N);
    free(x);
    free(y);
    free(out);
}

static void test_masked_lanes_give_other_or_zero(void **state)
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
static void test_strided_and_scalar_access(void **state)
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
static void test_offsets_extend_by_signedness(void **state)
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

/* --- shape --- */

static void test_shapes_move_elements(void **state)
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

/* --- programs --- */

static void test_programs_see_their_place_in_the_grid(void **state)
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
    Diags *d = diags_new(a, NULL);
    uint64_t args[] = {P(out)};

    (void)state;
    run_grid(text, NULL, NULL, 3, 4, 5, args);
    for (int i = 0; i < 60; i++)
        assert_int_equal(out[i], 7 * i);
    memset(out, 0, sizeof out);
    InterpLaunch part = {.args = args, .grid = {3, 4, 5}, .first = 7, .last = 31};
    assert_int_equal(interp_run(kernel_of(a, spell_out(a, text, NULL, NULL), d), &part, d), INTERP_OK);
    for (int i = 0; i < 60; i++)
        assert_int_equal(out[i], i >= 7 && i < 31 ? 7 * i : 0);
    arena_free(a);
}

static void test_a_run_can_be_watched_and_cancelled(void **state)
{
    static const char text[] = IR(
    kernel @k(%out: *i32) {
        %one = const 1 : i32;
        store %out, %one;
        return;
    }
    );
    int32_t out = 0;
    int64_t begun, ended;
    Arena *a = arena_new(NULL);
    Diags *d = diags_new(a, NULL);
    uint64_t args[] = {P(&out)};
    Watch *watch = watch_new(1000, 1);
    InterpLaunch launch = {.args = args, .grid = {1000, 1, 1}, .last = 1000, .watch = watch};
    const Func *f = kernel_of(a, spell_out(a, text, NULL, NULL), d);

    (void)state;
    assert_int_equal(interp_run(f, &launch, d), INTERP_OK);
    assert_int_equal(watch_look(watch, NULL, 0, &begun, &ended), 0);
    assert_true(begun == 1000 && ended == 1000);
    out = 0;
    watch_cancel(watch);
    assert_false(watch_cut_short(watch)); /* all have ended */
    assert_int_equal(interp_run(f, &launch, d), INTERP_STOPPED);
    assert_int_equal(diag_errors(d), 1);
    assert_int_equal(out, 0);
    watch_free(watch);
    arena_free(a);
}

/* --- control flow --- */

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

static void test_for_counts_both_ways(void **state)
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
static void test_loops_carry_tiles(void **state)
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
static void test_loops_rotate_values(void **state)
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

static void test_while_runs_until_its_condition_fails(void **state)
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

static void test_if_takes_one_arm(void **state)
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

/* --- calls --- */

static void test_calls_take_and_give_tiles(void **state)
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
static void test_recursion_ends_or_is_reported(void **state)
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

static void test_a_broken_assumption_is_reported(void **state)
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

/* --- elementwise --- */

static void test_elementwise_ops_on_tiles(void **state)
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

/* --- memory of the interpreter --- */

/* Even the diagnostic may find no memory: then the caller's guard is told. */
static void test_running_out_of_memory_is_an_error(void **state)
{
    float x[8] = {1}, y[8] = {2}, out[8] = {0};
    uint64_t args[] = {P(x), P(y), P(out), 8};
    InterpLaunch launch = {.args = args, .grid = {1, 1, 1}, .first = 0, .last = 1};
    volatile int failures = 0, status = 1;
    Guard guard;
    Arena *a = arena_new(&guard);
    Diags *d = diags_new(a, NULL);
    const Func *f = kernel_of(a, spell_out(a, ADD_KERNEL, "BLOCK", "8"), d);

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
        cmocka_unit_test(test_add_with_a_masked_tail),
        cmocka_unit_test(test_masked_lanes_give_other_or_zero),
        cmocka_unit_test(test_strided_and_scalar_access),
        cmocka_unit_test(test_offsets_extend_by_signedness),
        cmocka_unit_test(test_shapes_move_elements),
        cmocka_unit_test(test_programs_see_their_place_in_the_grid),
        cmocka_unit_test(test_a_run_can_be_watched_and_cancelled),
        cmocka_unit_test(test_for_counts_both_ways),
        cmocka_unit_test(test_loops_carry_tiles),
        cmocka_unit_test(test_loops_rotate_values),
        cmocka_unit_test(test_while_runs_until_its_condition_fails),
        cmocka_unit_test(test_if_takes_one_arm),
        cmocka_unit_test(test_calls_take_and_give_tiles),
        cmocka_unit_test(test_recursion_ends_or_is_reported),
        cmocka_unit_test(test_a_broken_assumption_is_reported),
        cmocka_unit_test(test_elementwise_ops_on_tiles),
        cmocka_unit_test(test_running_out_of_memory_is_an_error),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
