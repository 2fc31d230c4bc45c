/*
 * test_interp_tiles.c - the interpreter on whole tiles: reductions, scans, products, and atomics
 */
/* the kernels inside IR() are not C */
/* clang-format off */
#include "../../src/interp/machine.h" /* before cmocka.h, as in interp_text.h */
#include "interp_text.h"

/* --- reduce --- */

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

static void test_sums_are_pairwise_along_any_axis(void **state)
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
static void test_reduce_with_any_region(void **state)
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
static void test_reduce_captures_and_crosses(void **state)
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

/* --- sort --- */

static const char sort_kernel[] = IR(
    kernel @k(%x: *TYPE, %up: *TYPE, %most: *TYPE) {
        %r = arange start=0 : i32[10];
        %xs = splat %x : *TYPE[10];
        %xp = addptr %xs, %r : *TYPE[10];
        %v0 = load %xp : TYPE[10];
        %v = reshape %v0 : TYPE[2,5];
        %s = sort %v : TYPE[2,5];
        %s0 = reshape %s : TYPE[10];
        %us = splat %up : *TYPE[10];
        %ptrs = addptr %us, %r : *TYPE[10];
        store %ptrs, %s0;
        %t = sort %v descending=1 : TYPE[2,2];
        %t0 = reshape %t : TYPE[4];
        %q = arange start=0 : i32[4];
        %ms = splat %most : *TYPE[4];
        %mp = addptr %ms, %q : *TYPE[4];
        store %mp, %t0;
        return;
    }
);

/* Bytes, with and without a sign. */
static void test_sort_orders_rows(void **state)
{
    static const uint8_t x[10] = {3, 200, 7, 3, 128, 255, 0, 127, 1, 254};
    static const struct {
        const char *type;
        uint8_t up[10], most[4];
    } cases[] = {
        {"u8", {3, 3, 7, 128, 200, 0, 1, 127, 254, 255}, {200, 128, 255, 254}},
        {"i8", {128, 200, 3, 3, 7, 254, 255, 0, 1, 127}, {7, 3, 127, 1}},
    };

    (void)state;
    for (int i = 0; i < COUNT(cases); i++) {
        Arena *a = arena_new(NULL);
        uint8_t up[10], most[4];
        uint64_t args[] = {P(x), P(up), P(most)};
        const char *text = spell_out(a, sort_kernel, "TYPE", cases[i].type);
        assert_string_equal(outcome(a, text, 1, 1, 1, args), "");
        assert_memory_equal(up, cases[i].up, sizeof up);
        assert_memory_equal(most, cases[i].most, sizeof most);
        arena_free(a);
    }
}

/* --- scan --- */

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

static void test_scans_keep_the_order(void **state)
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

static void test_cumulative_sums_and_products(void **state)
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

/* --- dot --- */

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
static void test_dot_of_every_dtype(void **state)
{
    static const DType types[][2] = {{DT_FP32, DT_FP32},    {DT_FP64, DT_FP64}, {DT_FP16, DT_FP32},
                                     {DT_FP16, DT_FP16},    {DT_BF16, DT_FP32}, {DT_I8, DT_I32},
                                     {DT_FP8E4NV, DT_FP32}, {DT_FP8E5, DT_FP16}};

    (void)state;
    for (int i = 0; i < COUNT(types); i++)
        check_dot(types[i][0], types[i][1]);
}

/* --- atomics --- */

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

static void test_atomics_of_every_kind(void **state)
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

    t->status = interp_run(t->func, t->launch, diags_new(a, NULL));
    arena_free(a);
    return NULL;
}

/* Several interpreters on one array, as the thread pool has them: no addition may get lost. */
static void test_atomics_of_several_threads(void **state)
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
        const Func *f = kernel_of(a, spell_out(a, typed, "ONE", types[i][1]), diags_new(a, NULL));
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
static void test_float_atomics_use_the_total_order(void **state)
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

static void test_compare_and_swap_is_bitwise(void **state)
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

/* --- plans --- */

/* The bytes that a frame has for a kernel of so many products and reductions, one after another. */
static size_t frame_bytes(Arena *a, int n)
{
    Text t = text_new(a);
    size_t bytes = 0;

    text_put(&t, "kernel @k(%x: *fp32) {\n%p = program_id axis=0 : i32\n"
                 "%h = cast %p rounding=nearest : fp16\n%t = splat %h : fp16[64,64]\n"
                 "%f = cast %p rounding=nearest : fp32\n%acc0 = splat %f : fp32[64,64]\n");
    for (int i = 0; i < n; i++) {
        text_printf(&t, "%%acc%d = dot %%t, %%t, %%acc%d : fp32[64,64]\n", i + 1, i);
        text_printf(&t, "%%s%d = reduce %%acc%d axis=1 : fp32[64] {\n", i, i + 1);
        text_printf(&t, "(%%a%d: fp32, %%b%d: fp32)\n%%c%d = add %%a%d, %%b%d : fp32\n", i, i, i,
                    i, i);
        text_printf(&t, "yield %%c%d\n}\n", i);
    }
    text_put(&t, "return\n}\n");
    const SlotPlan *plan = slots_plan(a, kernel_of(a, t.s, diags_new(a, NULL)), (SlotOptions){.lanes = 1});
    for (int i = 0; i < plan->nslots; i++)
        bytes += plan->bytes[i];
    return bytes;
}

static void test_temps_lie_where_nothing_is_alive(void **state)
{
    Arena *a = arena_new(NULL);

    (void)state;
    assert_in_range(frame_bytes(a, 40), 1, frame_bytes(a, 2));
    arena_free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sums_are_pairwise_along_any_axis),
        cmocka_unit_test(test_reduce_with_any_region),
        cmocka_unit_test(test_reduce_captures_and_crosses),
        cmocka_unit_test(test_sort_orders_rows),
        cmocka_unit_test(test_scans_keep_the_order),
        cmocka_unit_test(test_cumulative_sums_and_products),
        cmocka_unit_test(test_dot_of_every_dtype),
        cmocka_unit_test(test_atomics_of_every_kind),
        cmocka_unit_test(test_atomics_of_several_threads),
        cmocka_unit_test(test_float_atomics_use_the_total_order),
        cmocka_unit_test(test_compare_and_swap_is_bitwise),
        cmocka_unit_test(test_temps_lie_where_nothing_is_alive),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
