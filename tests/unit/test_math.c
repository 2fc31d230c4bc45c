/*
 * test_math.c - the expansions of math_expand against the C library in higher precision
 *
 * For each function a kernel is built, expanded, verified, and run by the interpreter; fp32 is
 * compared with the C library's double, fp64 with its long double.  docs/accuracy.md holds the
 * wanted bounds, and the tests read its table: what it says is what is tested.
 *
 * fp32 takes every 65537th bit pattern, thoroughly every 4099th; with TILEC_EXHAUSTIVE=1 all of
 * them, or with TILEC_EXHAUSTIVE=exp,log all for the functions named.  fp64 takes random bit
 * patterns and random numbers of moderate size.  Both take the neighbours of points where
 * something changes, and functions of two arguments all pairs of such points.
 */
#define _GNU_SOURCE /* exp10l */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../src/interp/interp.h" /* before cmocka.h, whose fail() is a macro */
#include "../../src/math/math.h"
#include "../../src/opt_target/opt_target.h"

#include "seed.h"
#include <cmocka.h>

enum { TILE = 1024, CHUNK = 64 * TILE, STRIDE = 4099, FEWER = 65537, NEIGHBOURS = 8 };

typedef long double Real;

/* --- the functions and what docs/accuracy.md says of them --- */

static double rsqrt(double x)
{
    return 1 / sqrt(x);
}

static Real rsqrtl(Real x)
{
    return 1 / sqrtl(x);
}

typedef struct {
    OpCode op;
    double (*one)(double);
    Real (*one_wide)(Real);
    double (*two)(double, double);
    Real (*two_wide)(Real, Real);
    double limit; /* fp64: the |x| up to which the bound holds; 0: no limit */
} Function;

#define ONE(f)                                                                                     \
    {                                                                                              \
        .op = OP_##f, .one = f, .one_wide = f##l                                                   \
    }
#define TWO(f)                                                                                     \
    {                                                                                              \
        .op = OP_##f, .two = f, .two_wide = f##l                                                   \
    }
#define WAVE(f)                                                                                    \
    {                                                                                              \
        .op = OP_##f, .one = f, .one_wide = f##l, .limit = 0x1p45                                  \
    }

static const Function functions[] = {
    ONE(rsqrt), ONE(exp),   ONE(exp2), ONE(exp10), ONE(expm1), ONE(log),   ONE(log2),
    ONE(log10), ONE(log1p), WAVE(sin), WAVE(cos),  WAVE(tan),  ONE(asin),  ONE(acos),
    ONE(atan),  ONE(sinh),  ONE(cosh), ONE(tanh),  ONE(asinh), ONE(acosh), ONE(atanh),
    ONE(erf),   ONE(erfc),  ONE(cbrt), TWO(pow),   TWO(atan2), TWO(hypot),
};

/* A row of the table: bound and number of ops, by precision. */
typedef struct {
    double ulp[2];
    int ops[2];
} Promise;

static Promise promise_of(OpCode op)
{
    Arena *a = arena_new(NULL);
    const char *root = os_env("TILEC_SOURCE");
    const char *path = arena_printf(a, "%s/docs/accuracy.md", root ? root : ".");
    const char *row = arena_printf(a, "\n| `%s` |", op_info(op)->name);
    char *text;
    size_t len;
    Promise p = {0};

    assert_int_equal(os_read_file(a, path, 1 << 20, &text, &len), 0);
    const char *at = strstr(text, row);
    if (!at)
        fail_msg("docs/accuracy.md has no row for %s", op_info(op)->name);
    assert_int_equal(
        sscanf(at + strlen(row), "%lf |%lf |%d |%d", &p.ulp[0], &p.ulp[1], &p.ops[0], &p.ops[1]),
        4);
    arena_free(a);
    return p;
}

/* --- kernels: out[i] = f(x[i], y[i]) for TILE elements a program --- */

typedef struct {
    Arena *arena;
    Func *func;
    int ops; /* that the function usually takes, without constants and bitcasts */
} Kernel;

/* select(likely c, x, y) usually takes x, without a select. */
static bool is_usual(const Op *op)
{
    const Op *c = op->code == OP_select ? op->operands[0]->def : NULL;

    return c && c->code == OP_hint && attr_hint_kind(c) == HINT_LIKELY;
}

static int count_needed(const Op *op, Map *seen)
{
    bool free = op->code == OP_const || op->code == OP_bitcast || op->code == OP_hint;
    int n = !free && !is_usual(op);

    if (map_get(seen, MAP_KEY(op)))
        return 0;
    map_put(seen, MAP_KEY(op), seen);
    for (int i = 0; i < op->noperands; i++) {
        if (op->operands[i]->def && !(i == 2 && is_usual(op)))
            n += count_needed(op->operands[i]->def, seen);
    }
    return n;
}

static int count_ops(const Func *f)
{
    Map *seen = map_new(f->module->arena);
    int n = 0;

    for (const Op *op = f->body->first; op; op = op->next) {
        if (op_has(op, WRITES | EFFECT))
            n += count_needed(op, seen);
    }
    return n;
}

static int arity(OpCode code)
{
    return strchr(op_info(code)->operands, ' ') ? 2 : 1;
}

static Func *build_kernel(Arena *a, OpCode code, DType t)
{
    static const char *const names[] = {"x", "y", "out"};
    Module *m = module_new(a, interner_new(a), NULL);
    Func *f = func_new(m, "kernel", (Span){0, 0});
    Builder b = builder_at_end(f, f->body);
    const Type *i32 = type_scalar(m, DT_I32);
    Value *id = build_op(&b, OP_program_id, 0, NULL, 1, (int64_t[]){0}, 1, &i32)->results[0];
    Value *base = build_binary(&b, OP_mul, id, build_int(&b, i32, TILE));
    Value *lane = build_arange(&b, 0, TILE);
    Value *index = build_binary(&b, OP_add, lane, build_splat(&b, base, lane->type));
    Value *at[3], *args[2];

    f->is_kernel = true;
    for (int i = 0; i < 3; i++) {
        Value *p = func_add_param(f, names[i], type_pointer(m, t, false), 0);
        at[i] = build_addptr(&b, build_splat(&b, p, lane->type), index);
    }
    for (int i = 0; i < 2; i++)
        args[i] = build_op(&b, OP_load, 1, &at[i], 3, (int64_t[3]){0}, 1, NULL)->results[0];
    Value *y = build_op(&b, code, arity(code), args, 0, NULL, 1, NULL)->results[0];
    build_op(&b, OP_store, 2, (Value *[]){at[2], y}, 2, (int64_t[2]){0}, 0, NULL);
    build_yield(&b, OP_return, 0, NULL);
    return f;
}

static void expand(Func *f, const OptOptions *o)
{
    Diags *d = diags_new(f->module->arena, NULL);

    math_expand(f, o->native, o->straight_math, NULL);
    if (!ir_verify(f->module, d))
        fail_msg("%s", diags_text(d, f->module->arena));
}

static Kernel make_kernel(OpCode code, DType t, bool straight)
{
    Arena *a = arena_new(NULL);
    Kernel k = {.arena = a, .func = build_kernel(a, code, t)};

    k.ops = 1 - count_ops(k.func);
    expand(k.func, &(OptOptions){.straight_math = straight});
    k.ops += count_ops(k.func);
    return k;
}

static void run_kernel(const Kernel *k, const void *x, const void *y, void *out, size_t n)
{
    uint64_t args[3] = {(uintptr_t)x, (uintptr_t)y, (uintptr_t)out};
    InterpLaunch launch = {.args = args, .grid = {(int32_t)(n / TILE), 1, 1}};
    Arena *a = arena_new(NULL);

    launch.last = launch.grid[0];
    assert_int_equal(n % TILE, 0);
    assert_int_equal(interp_run(k->func, &launch, diags_new(a, NULL)), INTERP_OK);
    arena_free(a);
}

/* --- measuring --- */

/* How far `got` is from `want` in units of the last place of want, in a format with `mantissa`
 * stored bits and numbers below 2^top.  Subnormals have the unit of the smallest normal numbers,
 * and infinity counts as 2^top.  Negative when the kind or the sign is wrong. */
static double error_in_ulp(Real got, Real want, int mantissa, int top)
{
    Real limit = ldexpl(1, top);
    int e;

    if (isnan(got) || isnan(want))
        return isnan(got) && isnan(want) ? 0 : -1;
    if (signbit(got) != signbit(want))
        return -2;
    got = fminl(fabsl(got), limit);
    want = fminl(fabsl(want), limit);
    if (got == want)
        return 0;
    frexpl(want, &e);
    e = MAX(MIN(e, top), 3 - top);
    return (double)ldexpl(fabsl(got - want), mantissa + 1 - e);
}

/* Arguments are gathered to be run CHUNK at a time. */
typedef struct {
    const Function *f;
    DType t;
    Kernel kernel;
    size_t n;
    double *x, *y;
    void *memory[3];
    double worst, worst_x, worst_y;
} Trial;

static Trial trial_new(const Function *f, DType t, bool straight)
{
    Trial r = {.f = f, .t = t, .kernel = make_kernel(f->op, t, straight)};

    r.x = NEW_N(r.kernel.arena, double, CHUNK);
    r.y = NEW_N(r.kernel.arena, double, CHUNK);
    for (int i = 0; i < 3; i++)
        r.memory[i] = NEW_N(r.kernel.arena, double, CHUNK);
    return r;
}

static Real reference(const Trial *r, double x, double y)
{
    const Function *f = r->f;

    if (r->t == DT_FP64)
        return f->one ? f->one_wide(x) : f->two_wide(x, y);
    return f->one ? f->one(x) : f->two(x, y);
}

static double load(const Trial *r, int array, size_t i)
{
    if (r->t == DT_FP64)
        return ((double *)r->memory[array])[i];
    if (r->t == DT_FP32)
        return ((float *)r->memory[array])[i];
    return scalar_to_double(r->t, ((uint16_t *)r->memory[array])[i]);
}

static void store(const Trial *r, int array, size_t i, double v)
{
    uint64_t bits = scalar_from_double(r->t, v);

    memcpy((char *)r->memory[array] + i * (size_t)dtype_size(r->t), &bits,
           (size_t)dtype_size(r->t));
}

static void judge(Trial *r, size_t i)
{
    double x = r->x[i], y = r->y[i], got = load(r, 2, i);
    Real want = reference(r, x, y);
    int top = (1 << dtype_exponent_bits(r->t)) - 1 - dtype_bias(r->t);
    double e = error_in_ulp(got, want, dtype_mantissa_bits(r->t), top);

    if (e < 0)
        fail_msg("%s(%a, %a) gives %a, not %La", op_info(r->f->op)->name, x, y, got, want);
    if (e > r->worst) {
        r->worst = e;
        r->worst_x = x;
        r->worst_y = y;
    }
}

static void flush(Trial *r)
{
    size_t whole = (r->n + TILE - 1) / TILE * TILE;

    for (size_t i = 0; i < whole; i++) {
        store(r, 0, i, i < r->n ? r->x[i] : 1);
        store(r, 1, i, i < r->n ? r->y[i] : 1);
    }
    run_kernel(&r->kernel, r->memory[0], r->memory[1], r->memory[2], whole);
    for (size_t i = 0; i < r->n; i++)
        judge(r, i);
    r->n = 0;
}

static void add(Trial *r, double x, double y)
{
    if (r->t == DT_FP64 && r->f->limit != 0 && fabs(x) > r->f->limit && !isinf(x))
        return;
    r->x[r->n] = x;
    r->y[r->n] = y;
    if (++r->n == CHUNK)
        flush(r);
}

/* --- arguments --- */

static double from_bits(DType t, uint64_t bits)
{
    return scalar_to_double(t, bits);
}

/* Where a result becomes 0, 1, infinite or subnormal, an expansion goes from one formula to
 * another, or an argument is as special as 1. */
static const double points[] = {
    0,       INFINITY, NAN,     0x1p-149, 0x1p-126, 0x1p-1074, 0x1p-1022, FLT_MAX, DBL_MAX,
    0x1p-25, 0x1p-54,  1e-3,    0.1,      0.25,     1.0 / 3,   0.5,       0.75,    0.95,
    1,       1.5,      2,       3,        4,        5,         6,         7,       8,
    10,      20,       2.0 / 3, 4.0 / 3,  M_SQRT2,  M_SQRT1_2, M_E,       M_LN2,   M_LN2 / 2,
    0.1505,  0.5403,   0.5493,  16777216, 16777215, 0x1p31,    0x1p53,    0x1p60,  0x1p64,
    88.72,   87.33,    103.97,  89.41,    127,      128,       126,       149,     150,
    38.53,   45.15,    37.9,    44.8,     709.78,   745.13,    708.39,    710.47,  1023,
    1024,    1074,     1075,    308.25,   323.6,    307.65,    9.19,      10.05,   13.1,
    26.5,    27.2,     3.83,    5.92,     0x1p47,   0x1p69,    0x1p91,    0x1p113, 0x1p500,
    0.22936, 0.68807,  1.14679, 1.6055,   2.0642,   2.5229,    3.2110,    3.95,    1e5,
    1e9,     0x1p-450, 1e-30,   1e30,     1e-300,   1e300,
};

static void add_neighbours(Trial *r, double point)
{
    uint64_t bits = scalar_from_double(r->t, point);
    uint64_t sign = (uint64_t)1 << (dtype_bits(r->t) - 1);

    for (uint64_t k = 0; k <= 2 * NEIGHBOURS; k++) {
        uint64_t near = (bits + k - NEIGHBOURS) & (sign - 1);
        add(r, from_bits(r->t, near), 1);
        add(r, from_bits(r->t, near | sign), 1);
    }
}

static void add_points(Trial *r)
{
    for (int i = 0; i < COUNT(points); i++)
        add_neighbours(r, points[i]);
    for (int n = 1; n <= 200; n++) {
        add_neighbours(r, n * M_PI_2);
        add_neighbours(r, n * M_LN2 / 2);
    }
    for (int e = 0; e < 127; e++)
        add_neighbours(r, ldexp(M_PI_2, e));
}

static double rounded(const Trial *r, double v)
{
    return from_bits(r->t, scalar_from_double(r->t, v));
}

static void add_pairs(Trial *r)
{
    for (int i = 0; i < 4 * COUNT(points) * COUNT(points); i++) {
        double x = rounded(r, points[i / 4 % COUNT(points)]);
        double y = rounded(r, points[i / 4 / COUNT(points)]);
        add(r, i & 1 ? -x : x, i & 2 ? -y : y);
    }
}

static uint64_t random_bits(uint64_t *state)
{
    *state += 0x9e3779b97f4a7c15u;
    return hash_bytes(state, sizeof *state, 7);
}

/* Uniform in [-scale, scale]. */
static double random_number(const Trial *r, uint64_t *state, double scale)
{
    return rounded(r, ldexp((double)(int64_t)random_bits(state), -63) * scale);
}

static void add_random(Trial *r)
{
    static const double scales[] = {0.5, 1.5, 4, 40, 750, 1e9, 1e13};
    uint64_t state = own_seed(1), mask = ~(uint64_t)0 >> (64 - dtype_bits(r->t));

    for (uint64_t i = seed_setting("TILEC_NUMBERS", thorough() ? 30000 : 10000); i-- > 0;) {
        double x = from_bits(r->t, random_bits(&state) & mask);
        add(r, x, from_bits(r->t, random_bits(&state) & mask));
        double scale = scales[i % COUNT(scales)];
        double y = random_number(r, &state, 750 / MIN(scale, 40));
        add(r, random_number(r, &state, scale), y);
        /* close to the argument that pow, hypot and atan2 have in common with 1 */
        x = 1 + random_number(r, &state, ldexp(1, -(int)(i % 20)));
        add(r, rounded(r, x), rounded(r, y * 4));
        x = random_number(r, &state, 100);
        add(r, x, rounded(r, x * (1 + y * 0x1p-10)));
    }
}

static bool exhaustive(OpCode op)
{
    const char *names = os_env("TILEC_EXHAUSTIVE");
    size_t len = strlen(op_info(op)->name);

    if (!names || strcmp(names, "1") == 0)
        return names != NULL;
    for (const char *at = names; (at = strstr(at, op_info(op)->name)); at += len) {
        if ((at == names || at[-1] == ',') && (at[len] == 0 || at[len] == ','))
            return true;
    }
    return false;
}

static void add_patterns(Trial *r)
{
    uint64_t step = exhaustive(r->f->op) ? 1 : thorough() ? STRIDE : FEWER;

    for (uint64_t bits = 0; bits < (uint64_t)1 << 32; bits += step)
        add(r, from_bits(DT_FP32, bits), 1);
}

/* --- tests --- */

static void check_function(const Function *f, DType t, bool straight)
{
    Trial r = trial_new(f, t, straight);
    Promise p = promise_of(f->op);
    int precision = t == DT_FP64;

    if (f->two) {
        add_pairs(&r);
        add_random(&r);
    } else {
        add_points(&r);
        if (t == DT_FP32)
            add_patterns(&r);
        else
            add_random(&r);
    }
    flush(&r);
    print_message("%-6s %s %3d ops %.3f ULP at (%a, %a)\n", op_info(f->op)->name, dtype_name(t),
                  r.kernel.ops, r.worst, r.worst_x, r.worst_y);
    if (r.worst > p.ulp[precision])
        fail_msg("%s: %.3f ULP, but docs/accuracy.md says %.2f", op_info(f->op)->name, r.worst,
                 p.ulp[precision]);
    if (!straight && r.kernel.ops != p.ops[precision])
        fail_msg("%s: %d ops, but docs/accuracy.md says %d", op_info(f->op)->name, r.kernel.ops,
                 p.ops[precision]);
    arena_free(r.kernel.arena);
}

static void test_fp32(void **state)
{
    (void)state;
    for (int i = 0; i < COUNT(functions); i++)
        check_function(&functions[i], DT_FP32, false);
}

static void test_fp64(void **state)
{
    (void)state;
    if (LDBL_MANT_DIG < 64)
        skip(); /* nothing to compare with */
    for (int i = 0; i < COUNT(functions); i++)
        check_function(&functions[i], DT_FP64, false);
}

/* Expansions for targets on which tables and branches are dear keep to the same bounds. */
static void test_straight(void **state)
{
    (void)state;
    for (int i = 0; i < COUNT(functions); i++) {
        OpCode op = functions[i].op;
        if (op == OP_exp || op == OP_exp2 || op == OP_exp10)
            check_function(&functions[i], DT_FP32, true);
    }
}

static void check_exact(OpCode op, DType t, int from, int to, bool straight)
{
    for (int i = 0; i < COUNT(functions); i++) {
        if (functions[i].op != op)
            continue;
        Trial r = trial_new(&functions[i], t, straight);
        for (int n = from; n <= to; n++)
            add(&r, op == OP_exp2 ? n : ldexp(1, n), 1);
        flush(&r);
        assert_true(r.worst == 0);
        arena_free(r.kernel.arena);
    }
}

static void test_powers_of_two_are_exact(void **state)
{
    (void)state;
    check_exact(OP_exp2, DT_FP32, -149, 127, false);
    check_exact(OP_log2, DT_FP32, -149, 127, false);
    check_exact(OP_exp2, DT_FP64, -1074, 1023, false);
    check_exact(OP_log2, DT_FP64, -1074, 1023, false);
    check_exact(OP_exp2, DT_FP32, -149, 127, true);
}

/* Through fp32, with one rounding at the end: half an ulp and what 2 ULP of fp32 are. */
static void test_16_bits(void **state)
{
    (void)state;
    static const struct {
        DType t;
        double bound;
    } formats[] = {{DT_FP16, 0.501}, {DT_BF16, 0.5001}};

    for (int i = 0; i < COUNT(functions) * 2; i++) {
        const Function *f = &functions[i / 2];
        Trial r = trial_new(f, formats[i % 2].t, false);
        for (uint32_t bits = 0; bits < 1 << 16; bits += thorough() ? 1 : 5)
            add(&r, from_bits(r.t, bits), from_bits(r.t, (bits * 40503) & 0xffff));
        flush(&r);
        if (r.worst > formats[i % 2].bound)
            fail_msg("%s %s: %.4f ULP", op_info(f->op)->name, dtype_name(r.t), r.worst);
        arena_free(r.kernel.arena);
    }
}

/* fp8 has few enough values for the interpreter's own meaning to be met exactly.  Without fp8e4b15:
 * that has no NaN, and what becomes of one depends on its sign. */
static void test_8_bits(void **state)
{
    (void)state;
    static const DType formats[] = {DT_FP8E4NV, DT_FP8E5, DT_FP8E4B8, DT_FP8E5B16};
    uint8_t x[TILE], y[TILE], got[TILE], want[TILE];

    for (int i = 0; i < TILE; i++) {
        x[i] = (uint8_t)i;
        y[i] = (uint8_t)(i * 37 + i / 256);
    }
    for (int i = 0; i < COUNT(functions) * COUNT(formats); i++) {
        OpCode op = functions[i / COUNT(formats)].op;
        DType t = formats[i % COUNT(formats)];
        Kernel k = make_kernel(op, t, false);
        run_kernel(&k, x, y, got, TILE);
        assert_true(scalar_apply(op, NULL, t, t, (const void *[]){x, y}, want, TILE));
        for (int j = 0; j < TILE; j++) {
            double g = scalar_to_double(t, got[j]), w = scalar_to_double(t, want[j]);
            if (g != w && !(isnan(g) && isnan(w)))
                fail_msg("%s %s(%02x, %02x) gives %a, not %a", op_info(op)->name, dtype_name(t),
                         x[j], y[j], g, w);
        }
        arena_free(k.arena);
    }
}

/* What AVX2 lacks (rule 2 of math.c), and what has no business in an expansion. */
static bool is_forbidden(const Op *op)
{
    DType to = op->nresults ? op->results[0]->type->dtype : DT_I1;
    DType from = op->noperands ? op->operands[0]->type->dtype : DT_I1;

    switch (op->code) {
    case OP_ldexp:
    case OP_if:
        return true;
    case OP_load:
        return false;
    case OP_cast:
        return (dtype_is_float(to) && dtype_is_int(from) && dtype_bits(from) == 64) ||
               (dtype_is_float(from) && dtype_is_int(to) && dtype_bits(to) == 64);
    case OP_mul:
    case OP_mulhi:
        return dtype_is_int(to) && dtype_bits(to) == 64;
    case OP_shr:
        return to == DT_I64;
    default:
        return op_has(op, APPROX);
    }
}

static void test_only_what_vector_units_have(void **state)
{
    (void)state;
    for (int i = 0; i < COUNT(functions) * 2; i++) {
        Kernel k = make_kernel(functions[i / 2].op, i % 2 ? DT_FP64 : DT_FP32, false);
        for (const Op *op = k.func->body->first; op; op = op->next) {
            if (is_forbidden(op))
                fail_msg("%s: %s", op_info(functions[i / 2].op)->name, op_text(op, k.arena));
        }
        arena_free(k.arena);
    }
}

static Module *read_module(Arena *a, const char *text)
{
    Diags *d = diags_new(a, NULL);
    const Source *src = source_add(diags_sources(d), "<test>", text, strlen(text));
    Module *m = ir_read(a, interner_new(a), src, d);
    if (!m)
        fail_msg("%s", diags_text(d, a));
    return m;
}

static void test_native_ops_stay(void **state)
{
    (void)state;
    Arena *a = arena_new(NULL);
    Module *m = read_module(a, "kernel @k(%p: *fp32, %x: fp32) {\n"
                               "  %a = exp %x : fp32\n"
                               "  %b = log %a : fp32\n"
                               "  store %p, %b\n"
                               "  return\n"
                               "}\n");
    bool native[OP_COUNT] = {[OP_exp] = true};
    const OptOptions o = {.native = native};

    expand(m->funcs[0], &o);
    assert_non_null(strstr(ir_print(m, a), " exp "));
    assert_null(strstr(ir_print(m, a), " log "));
    for (int op = 0; op < OP_COUNT; op++)
        native[op] = true;
    const char *before = ir_print(m, a);
    math_expand(m->funcs[0], o.native, o.straight_math, NULL);
    assert_string_equal(ir_print(m, a), before);
    arena_free(a);
}

/* Scalars, functions of functions, and functions inside loops and what loops yield. */
static void test_everywhere(void **state)
{
    (void)state;
    Arena *a = arena_new(NULL);
    Module *m = read_module(a, "kernel @k(%p: *fp32, %n: i32) {\n"
                               "  %zero = const 0 : i32\n"
                               "  %one = const 1 : i32\n"
                               "  %start = const 0.5 : fp32\n"
                               "  %r = for %zero, %n, %one, %start : fp32 { (%i: i32, %x: fp32)\n"
                               "    %s = sin %x : fp32\n"
                               "    %c = cos %s : fp32\n"
                               "    yield %c\n"
                               "  }\n"
                               "  %e = exp %r : fp32\n"
                               "  store %p, %e\n"
                               "  return\n"
                               "}\n");
    float got = 0, x = 0.5f;
    uint64_t args[2] = {(uintptr_t)&got, 5};
    InterpLaunch launch = {.args = args, .grid = {1, 1, 1}, .last = 1};

    expand(m->funcs[0], &(OptOptions){.native = NULL});
    assert_int_equal(interp_run(m->funcs[0], &launch, diags_new(a, NULL)), INTERP_OK);
    for (int i = 0; i < 5; i++)
        x = (float)cos(sin(x));
    assert_float_equal(got, exp(x), 1e-6);
    arena_free(a);
}

/* --- operands that are known to be large --- */

static Kernel make_large(OpCode code)
{
    Arena *a = arena_new(NULL);
    Kernel k = {.arena = a, .func = build_kernel(a, code, DT_FP32)};
    bool *large = NEW_N(a, bool, (size_t)k.func->nvalues + 1);

    for (const Op *op = k.func->body->first; op; op = op->next) {
        if (op->code == code)
            large[op->operands[0]->id] = true;
    }
    k.ops = 1 - count_ops(k.func);
    math_expand(k.func, NULL, true, large);
    k.ops += count_ops(k.func);
    return k;
}

/* The same numbers in fewer operations. */
static void test_large(void **state)
{
    (void)state;
    const OpCode codes[] = {OP_log, OP_log2, OP_log10, OP_log1p};
    const float ends[] = {0x1p-126f, 0x1.fffffep127f, INFINITY, NAN, 1, 0x1.fffffep-1f};
    float x[4 * TILE], want[COUNT(x)], got[COUNT(x)];
    uint64_t seed = own_seed(11);

    for (int i = 0; i < COUNT(x); i++) {
        uint32_t bits = 0x00800000 + (uint32_t)(random_bits(&seed) % 0x7f000000);
        memcpy(&x[i], i < COUNT(ends) ? (const void *)&ends[i] : (const void *)&bits, sizeof bits);
    }
    for (int c = 0; c < COUNT(codes); c++) {
        Kernel any = make_kernel(codes[c], DT_FP32, true), large = make_large(codes[c]);
        run_kernel(&any, x, x, want, COUNT(x));
        run_kernel(&large, x, x, got, COUNT(x));
        assert_memory_equal(got, want, sizeof want);
        assert_true(large.ops <= any.ops - (codes[c] == OP_log1p ? 4 : 7));
        arena_free(any.arena);
        arena_free(large.arena);
    }
}

/* log(x + 1) of what may be anything, and of a power. */
static int ops_of_logarithm(const char *inner)
{
    Arena *a = arena_new(NULL);
    const char *text = arena_printf(a,
                                    "kernel @k(%%p: *fp32, %%x: fp32) {\n"
                                    "  %%one = const 1 : fp32\n"
                                    "  %%e = %s %%x : fp32\n"
                                    "  %%s = add %%e, %%one : fp32\n"
                                    "  %%y = log %%s : fp32\n"
                                    "  store %%p, %%y\n"
                                    "  return\n"
                                    "}\n",
                                    inner);
    bool native[OP_COUNT] = {[OP_exp] = true};
    Module *m = read_module(a, text);

    assert_true(opt_run(m, &(OptOptions){.native = native}, diags_new(a, NULL)));
    int n = count_ops(m->funcs[0]);
    arena_free(a);
    return n;
}

static void test_powers_are_large(void **state)
{
    (void)state;
    assert_true(ops_of_logarithm("exp") <= ops_of_logarithm("neg") - 7);
}

/* --- angles that are known to be moderate --- */

/* sin and cos of an integer times that. */
static Module *angles(Arena *a, const char *times, bool straight)
{
    Module *m = read_module(a, arena_printf(a,
                                            "kernel @k(%%p: *fp32, %%n: i32) {\n"
                                            "  %%one = const 1 : i32\n"
                                            "  %%f = cast %%n : fp32\n"
                                            "  %%c = const %s : fp32\n"
                                            "  %%x = mul %%f, %%c : fp32\n"
                                            "  %%s = sin %%x : fp32\n"
                                            "  %%t = cos %%x : fp32\n"
                                            "  store %%p, %%s\n"
                                            "  %%q = addptr %%p, %%one : *fp32\n"
                                            "  store %%q, %%t\n"
                                            "  return\n"
                                            "}\n",
                                            times));
    const OptOptions o = {.straight_math = straight};

    assert_true(opt_run(m, &o, diags_new(a, NULL)));
    return m;
}

/* Fewer operations, and what other targets give to the last bit. */
static void test_moderate_angles(void **state)
{
    (void)state;
    Arena *a = arena_new(NULL);
    Module *few = angles(a, "9.5e-05", true), *usual = angles(a, "9.5e-05", false);
    Module *any = angles(a, "9.7e-05", true);
    uint64_t seed = own_seed(12);

    assert_true(count_ops(few->funcs[0]) <= count_ops(any->funcs[0]) - 15);
    for (int i = 0; i < 2000; i++) {
        float want[2], got[2];
        int32_t n = i == 0 ? INT32_MIN : (int32_t)random_bits(&seed) >> (i % 31);
        uint64_t args[2] = {(uintptr_t)got, (uint32_t)n};
        InterpLaunch launch = {.args = args, .grid = {1, 1, 1}, .last = 1};
        assert_int_equal(interp_run(few->funcs[0], &launch, diags_new(a, NULL)), INTERP_OK);
        args[0] = (uintptr_t)want;
        assert_int_equal(interp_run(usual->funcs[0], &launch, diags_new(a, NULL)), INTERP_OK);
        assert_memory_equal(got, want, sizeof want);
        assert_float_equal(got[0], sin((double)((float)n * 9.5e-05f)), 1e-6);
        assert_float_equal(got[1], cos((double)((float)n * 9.5e-05f)), 1e-6);
    }
    arena_free(a);
}

/* sin and cos of one number have all but their signs and a choice in common. */
static void test_sine_beside_cosine(void **state)
{
    (void)state;
    Arena *a = arena_new(NULL);
    Kernel alone = make_kernel(OP_sin, DT_FP32, true);

    assert_true(count_ops(angles(a, "1", true)->funcs[0]) <= alone.ops + 12);
    arena_free(alone.arena);
    arena_free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fp32),
        cmocka_unit_test(test_straight),
        cmocka_unit_test(test_fp64),
        cmocka_unit_test(test_powers_of_two_are_exact),
        cmocka_unit_test(test_16_bits),
        cmocka_unit_test(test_8_bits),
        cmocka_unit_test(test_only_what_vector_units_have),
        cmocka_unit_test(test_native_ops_stay),
        cmocka_unit_test(test_everywhere),
        cmocka_unit_test(test_large),
        cmocka_unit_test(test_powers_are_large),
        cmocka_unit_test(test_moderate_angles),
        cmocka_unit_test(test_sine_beside_cosine),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
