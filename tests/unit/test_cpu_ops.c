/*
 * test_cpu_ops.c - every op on every dtype against the interpreter: the CPU target, and the GPU
 * target in the simulator
 *
 * Kernels are written as text, many ops in one, because compiling is what takes the time.  What
 * the interpreter computes is wanted to the bit (any NaN for a NaN), except from reductions, dots
 * and functions that targets approximate.  TILEC_SHOW=1 prints the kernels that fail.
 */

#include "versus_test.h"

/* --- inputs --- */

/* What machines do to fp16's signalling NaNs when they widen them, so that a bitcast cannot tell.
 */
static uint64_t input_bits(DType t, uint64_t bits)
{
    bits = scalar_truncate(t, bits);
    bool nan = t == DT_FP16 && (bits & 0x7fff) > 0x7c00;
    return nan ? bits | 0x200 : bits;
}

/* The bit patterns of a dtype that matter: all of them up to 8 bits; zeros, extremes, powers of
 * two and their neighbours, infinities and NaNs of the wider ones. */
static size_t special_bits(DType t, uint64_t *out)
{
    int bits = dtype_bits(t);
    size_t n = 0;
    if (bits <= 8) {
        for (uint64_t v = 0; v < 1u << bits; v++)
            out[n++] = v;
        return n;
    }
    uint64_t top = (uint64_t)1 << (bits - 1), all = top | (top - 1);
    const uint64_t ints[] = {0, 1, 2, 3, 7, all, all - 1, top, top - 1, top + 1};
    for (int i = 0; i < COUNT(ints); i++)
        out[n++] = ints[i];
    for (int i = bits / 4; i < bits + 2; i += bits / 4)
        out[n++] = (uint64_t)(i - 1); /* shifts by less than, and by more than, the width */
    if (!dtype_is_float(t))
        return n;
    const double values[] = {1,   -1,  0.5, -0.5, 1.5,   2.5,      -2.5,      0.1,       3,
                             448, 1e5, 1e9, -3e9, 1e-40, INFINITY, -INFINITY, 0.49999997};
    for (int i = 0; i < COUNT(values); i++)
        out[n++] = scalar_from_double(t, values[i]);
    int m = dtype_mantissa_bits(t);
    uint64_t inf = (((uint64_t)1 << dtype_exponent_bits(t)) - 1) << m;
    const uint64_t floats[] = {inf | 1, inf | (inf >> 1), inf - 1, (uint64_t)1 << m, top | inf | 5};
    for (int i = 0; i < COUNT(floats); i++)
        out[n++] = floats[i];
    return n;
}

/* Arrays x and y of one dtype that hold every pair of special values, then random ones. */
typedef struct {
    size_t n;
    uint8_t *x, *y, *z;
} Pairs;

static Pairs pairs_of(Arena *a, DType t, size_t extra)
{
    uint64_t values[512], state = t + 1;
    size_t k = special_bits(t, values), size = (size_t)dtype_size(t);
    size_t step = k > 64 ? 7 : 1; /* of all pairs of bytes, a part that still has every x and y */
    Pairs p = {.n = (k * k + step - 1) / step + extra};
    uint8_t **arrays[] = {&p.x, &p.y, &p.z};
    for (int i = 0; i < 3; i++)
        *arrays[i] = arena_alloc(a, p.n * size);
    for (size_t i = 0; i < p.n; i++) {
        bool random = i >= p.n - extra;
        uint64_t x = random ? random_bits(&state) : values[i * step / k];
        uint64_t y = random ? random_bits(&state) : values[i * step % k];
        uint64_t z =
            random_bits(&state) % 2 ? random_bits(&state) : values[random_bits(&state) % k];
        const uint64_t bits[] = {input_bits(t, x), input_bits(t, y), input_bits(t, z)};
        for (int j = 0; j < 3; j++)
            memcpy(*arrays[j] + i * size, &bits[j], size);
    }
    return p;
}

/* --- writing kernels --- */

/* A kernel over arrays of n elements: program p works on `tile` elements from p * tile on, as a
 * scalar, a row or a table.  Parameters are declared while ops are written. */
typedef struct {
    Case c;
    Text head, body;
    const char *dims; /* "", "[37]", "[3,11]" */
    int tile, values;
    size_t n;
    bool masked;
} Kernel;

static const struct Shape {
    const char *dims;
    int tile;
} shapes[] = {{"", 1}, {"[37]", 37}, {"[3,11]", 33}};

static int add_param(Kernel *k, DType t, size_t n, const void *start)
{
    Argument *p = &k->c.params[k->c.nparams];
    if (k->c.nparams >= VERSUS_PARAMS)
        bug("too many parameters");
    *p = (Argument){.dtype = t, .n = n, .start = start};
    text_printf(&k->head, "%s%%p%d: *%s", k->c.nparams ? ", " : "", k->c.nparams, dtype_name(t));
    return k->c.nparams++;
}

static void write_offsets(Kernel *k)
{
    Text *b = &k->body;
    text_printf(b, "  %%pid = program_id axis=0 : i32\n  %%size = const %d : i32\n", k->tile);
    text_printf(b, "  %%first = mul %%pid, %%size : i32\n  %%limit = const %zu : i32\n", k->n);
    if (k->dims[0] == '\0') {
        text_printf(b, "  %%at = add %%first, %%size : i32\n  %%at1 = sub %%at, %%size : i32\n");
        text_printf(b, "  %%ok = lt %%at1, %%limit : i1\n");
        return;
    }
    if (strchr(k->dims, ',') == NULL) {
        text_printf(b, "  %%steps = arange start=0 : i32%s\n", k->dims);
    } else {
        text_put(b, "  %r0 = arange start=0 : i32[3]\n  %r1 = expand %r0 axis=1 : i32[3,1]\n"
                    "  %r2 = broadcast %r1 : i32[3,11]\n  %eleven = const 11 : i32[3,11]\n"
                    "  %r3 = mul %r2, %eleven : i32[3,11]\n  %c0 = arange start=0 : i32[11]\n"
                    "  %c1 = expand %c0 axis=0 : i32[1,11]\n  %c2 = broadcast %c1 : i32[3,11]\n"
                    "  %steps = add %r3, %c2 : i32[3,11]\n");
    }
    text_printf(b, "  %%firsts = splat %%first : i32%s\n", k->dims);
    text_printf(b, "  %%at1 = add %%firsts, %%steps : i32%s\n", k->dims);
    text_printf(b, "  %%limits = splat %%limit : i32%s\n", k->dims);
    text_printf(b, "  %%ok = lt %%at1, %%limits : i1%s\n", k->dims);
}

static Kernel kernel_begin(const struct Shape *s, size_t n)
{
    Kernel k = {.dims = s->dims, .tile = s->tile, .n = n, .masked = s->tile > 1};
    k.c.arena = arena_new(NULL);
    k.c.plugin = plugin;
    k.c.grid[0] = (int32_t)((n + (size_t)s->tile - 1) / (size_t)s->tile);
    k.c.grid[1] = k.c.grid[2] = 1;
    k.head = text_new(k.c.arena);
    k.body = text_new(k.c.arena);
    text_put(&k.head, "kernel @k(");
    write_offsets(&k);
    return k;
}

/* The pointers into parameter p that this program works on. */
static int write_pointers(Kernel *k, int p)
{
    const char *type = dtype_name(k->c.params[p].dtype);
    int v = k->values++;
    if (k->dims[0] == '\0') {
        text_printf(&k->body, "  %%v%d = addptr %%p%d, %%at1 : *%s\n", v, p, type);
        return v;
    }
    text_printf(&k->body, "  %%s%d = splat %%p%d : *%s%s\n", v, p, type, k->dims);
    text_printf(&k->body, "  %%v%d = addptr %%s%d, %%at1 : *%s%s\n", v, v, type, k->dims);
    return v;
}

static int write_load(Kernel *k, DType t, const void *start)
{
    int at = write_pointers(k, add_param(k, t, k->n, start)), v = k->values++;
    text_printf(&k->body, "  %%v%d = load %%v%d, %%ok : %s%s\n", v, at, dtype_name(t), k->dims);
    return v;
}

static void write_store(Kernel *k, DType t, int v)
{
    int at = write_pointers(k, add_param(k, t, k->n, NULL));
    text_printf(&k->body, "  store %%v%d, %%v%d, %%ok\n", at, v);
}

/* out = op in... attr, stored into an array of its own. */
static void write_op(Kernel *k, OpCode op, int nin, const int *in, const char *attr, DType out)
{
    int v = k->values++;
    text_printf(&k->body, "  %%v%d = %s", v, op_info(op)->name);
    for (int i = 0; i < nin; i++)
        text_printf(&k->body, "%s%%v%d", i ? ", " : " ", in[i]);
    text_printf(&k->body, "%s : %s%s\n", attr, dtype_name(out), k->dims);
    write_store(k, out, v);
}

static void kernel_text(Kernel *k)
{
    Text t = text_new(k->c.arena);
    text_printf(&t, "%s) {\n%s  return\n}\n", k->head.s, k->body.s);
    k->c.text = t.s;
}

/* Fail with what differs; the kernel dies either way. */
static void kernel_check(Kernel *k, Engine engine, const char *what)
{
    kernel_text(k);
    versus_expect(&k->c, engine, what);
    arena_free(k->c.arena);
}

/* --- every op on every dtype --- */

static bool takes(OpCode op, DType t)
{
    const char *list = op_info(op)->operands;
    if (strncmp(list, "int", 3) == 0)
        return dtype_is_int(t);
    return strncmp(list, "float", 5) != 0 || dtype_is_float(t);
}

static bool tested_here(OpCode op)
{
    int flags = op_info(op)->flags;
    return (flags & FOLDS) && !(flags & APPROX) && op != OP_cast && op != OP_bitcast &&
           op != OP_select && op != OP_ldexp;
}

/* Sides are for fp32 and fp64. */
static bool on_side(OpCode op, DType t)
{
    return !(op_info(op)->flags & TOWARD) || t == DT_FP32 || t == DT_FP64;
}

static int operands_of(OpCode op)
{
    int n = 1;
    for (const char *s = op_info(op)->operands; *s; s++)
        n += *s == ' ';
    return n;
}

static void write_ldexp(Kernel *k, int x)
{
    static const int64_t exponents[] = {0,   1,    -1,   3,     -24,  127,       -126,     -149,
                                        200, -300, 1023, -1074, 3000, INT32_MAX, INT32_MIN};
    int32_t *e = NEW_N(k->c.arena, int32_t, k->n);
    for (size_t i = 0; i < k->n; i++)
        e[i] = (int32_t)exponents[i % COUNT(exponents)];
    int shift = write_load(k, DT_I32, e);
    write_op(k, OP_ldexp, 2, (int[]){x, shift}, "", k->c.params[0].dtype);
}

/* A GPU widens fp16's NaNs to one of its own, so nobody knows which sign they had. */
static bool keeps_sign(OpCode op, DType t, Engine engine)
{
    return op != OP_copysign || t != DT_FP16 || !versus_is_gpu(engine);
}

static bool picks(OpCode op)
{
    return op == OP_min || op == OP_max || op == OP_minnan || op == OP_maxnan;
}

static void write_ops(Kernel *k, DType t, const Pairs *p, Engine engine)
{
    int in[3] = {write_load(k, t, p->x), write_load(k, t, p->y), write_load(k, t, p->z)};
    for (OpCode op = 0; op < OP_COUNT; op++) {
        bool is_test = strcmp(op_info(op)->result, "bool") == 0;
        const char *attrs = op == OP_lookup8              ? " table=[0,1,1,0,1,0,0,1]"
                            : op_info(op)->flags & TOWARD ? " rounding=zero"
                                                          : "";
        if (tested_here(op) && takes(op, t) && on_side(op, t) && keeps_sign(op, t, engine))
            write_op(k, op, operands_of(op), in, attrs, is_test ? DT_I1 : t);
        for (int side = 0; op_info(op)->flags & TOWARD && on_side(op, t) && side < 2; side++)
            write_op(k, op, operands_of(op), in, side ? " rounding=up" : " rounding=down", t);
        if (k->c.nparams > 0 && versus_is_gpu(engine) && picks(op))
            k->c.params[k->c.nparams - 1].close = 1e-300; /* of 0 and -0 it takes either */
    }
    int less = k->values++;
    text_printf(&k->body, "  %%v%d = lt %%v%d, %%v%d : i1%s\n", less, in[1], in[2], k->dims);
    write_op(k, OP_select, 3, (int[]){less, in[0], in[1]}, "", t);
    if (dtype_is_float(t))
        write_ldexp(k, in[0]);
}

static void check_ops(const struct Shape *shape, DType t, Engine engine)
{
    Arena *a = arena_new(NULL);
    Pairs p = pairs_of(a, t, 400);
    Kernel k = kernel_begin(shape, p.n);

    write_ops(&k, t, &p, engine);
    kernel_check(&k, engine, arena_printf(a, "%s%s", dtype_name(t), shape->dims));
    arena_free(a);
}

static void test_ops(void **state)
{
    (void)state;
    for (int s = 0; s < COUNT(shapes); s++) {
        for (DType t = 0; t < DT_COUNT; t++) {
            if (thorough() || (s + (int)t) % 2 == 0)
                check_ops(&shapes[s], t, ENGINE_CPU_DISJOINT);
            if (thorough() || (s + (int)t) % 2 != 0)
                check_ops(&shapes[s], t, ENGINE_SIM_DISJOINT);
        }
    }
}

/* --- casts --- */

static bool may_cast(DType from, DType to)
{
    if (dtype_is_fp8(from))
        return dtype_is_float(to);
    return !dtype_is_fp8(to) || dtype_is_float(from);
}

/* Bit patterns of `t`: all of up to 16 bits; of wider floats the values around the ties of every
 * narrower format, in several binades; of wider ints the same around powers of two. */
static size_t cast_bits(Arena *a, DType t, uint64_t **out)
{
    if (dtype_bits(t) <= 16) {
        size_t n = (size_t)1 << dtype_bits(t);
        *out = NEW_N(a, uint64_t, n);
        for (size_t i = 0; i < n; i++)
            (*out)[i] = input_bits(t, i);
        return n;
    }
    size_t n = 0;
    uint64_t state = 99;
    *out = NEW_N(a, uint64_t, 20000);
    n = special_bits(t, *out);
    for (int e = -160; e <= 160; e += e > -30 && e < 66 ? 1 : 9) {
        for (int k = 0; k < 24; k++) {
            static const int kept[] = {2, 3, 4, 8, 11, 24};
            int bits = kept[random_below(&state, COUNT(kept))];
            double tie =
                1 + (double)(2 * random_below(&state, 1 << (bits - 1)) + 1) * ldexp(1, -bits);
            double off = random_below(&state, 3) - 1;
            double v = ldexp(tie, e);
            if (!dtype_is_float(t) && (e < 0 || e > 63))
                continue;
            uint64_t x = scalar_from_double(t, random_below(&state, 2) ? v : -v);
            (*out)[n++] = scalar_truncate(t, x + (uint64_t)(int64_t)off);
        }
    }
    for (int k = 0; k < 2000; k++)
        (*out)[n++] = scalar_truncate(t, random_bits(&state));
    return n;
}

static void write_casts(Kernel *k, DType from, int x)
{
    for (DType to = 0; to < DT_COUNT; to++) {
        bool floats = dtype_is_float(from) && dtype_is_float(to);
        if (may_cast(from, to))
            write_op(k, OP_cast, 1, &x, "", to);
        if (may_cast(from, to) && floats)
            write_op(k, OP_cast, 1, &x, " rounding=zero", to);
        if ((to == DT_FP32 || to == DT_FP64) && !dtype_is_small_float(from) && from != to) {
            write_op(k, OP_cast, 1, &x, " rounding=down", to);
            write_op(k, OP_cast, 1, &x, " rounding=up", to);
        }
        if (dtype_bits(from) == dtype_bits(to))
            write_op(k, OP_bitcast, 1, &x, "", to);
    }
}

static void check_casts(DType t, Engine engine)
{
    static const struct Shape tile = {"[97]", 97};
    Arena *a = arena_new(NULL);
    uint64_t *bits;
    size_t n = cast_bits(a, t, &bits), size = (size_t)dtype_size(t);
    uint8_t *x = arena_alloc(a, n * size);

    for (size_t i = 0; i < n; i++)
        memcpy(x + i * size, &bits[i], size);
    Kernel k = kernel_begin(&tile, n);
    write_casts(&k, t, write_load(&k, t, x));
    kernel_check(&k, engine, arena_printf(a, "casts of %s", dtype_name(t)));
    arena_free(a);
}

static void test_casts(void **state)
{
    (void)state;
    for (DType t = 0; t < DT_COUNT; t++) {
        check_casts(t, ENGINE_CPU_DISJOINT);
        check_casts(t, ENGINE_SIM_DISJOINT);
    }
}

/* Whole numbers that become integers: as they are, and behind a bound, a whole one and another. */
static void write_whole(Kernel *k, OpCode op, DType to, int x)
{
    int v = k->values;
    const char *d = k->dims;

    k->values += 4;
    text_printf(&k->body, "  %%v%d = %s %%v%d : fp32%s\n", v, op_info(op)->name, x, d);
    text_printf(&k->body, "  %%v%d = const %s : fp32%s\n", v + 1, to == DT_I8 ? "93.5" : "93.0", d);
    text_printf(&k->body, "  %%v%d = min %%v%d, %%v%d : fp32%s\n", v + 2, v, v + 1, d);
    text_printf(&k->body, "  %%v%d = cast %%v%d : %s%s\n", v + 3,
                to == DT_I8 || to == DT_U8 ? v + 2 : v, dtype_name(to), d);
    write_store(k, to, v + 3);
}

static void check_whole(Engine engine)
{
    static const struct Shape tile = {"[97]", 97};
    static const OpCode ops[] = {OP_floor, OP_ceil, OP_trunc, OP_rint, OP_round};
    static const DType to[] = {DT_I8, DT_U8, DT_I16, DT_U16, DT_I32, DT_U32};
    Arena *a = arena_new(NULL);
    uint64_t *bits;
    size_t n = cast_bits(a, DT_FP32, &bits);
    uint32_t *x = NEW_N(a, uint32_t, n);

    for (size_t i = 0; i < n; i++)
        x[i] = (uint32_t)bits[i];
    Kernel k = kernel_begin(&tile, n);
    int v = write_load(&k, DT_FP32, x);
    for (int i = 0; i < COUNT(ops) * COUNT(to); i++)
        write_whole(&k, ops[i / COUNT(to)], to[i % COUNT(to)], v);
    kernel_check(&k, engine, "whole numbers to integers");
    arena_free(a);
}

static void test_whole_numbers(void **state)
{
    (void)state;
    check_whole(ENGINE_CPU_DISJOINT);
    check_whole(ENGINE_SIM_DISJOINT);
}

static void check_scalar_casts(DType t, Engine engine)
{
    Arena *a = arena_new(NULL);
    Pairs p = pairs_of(a, t, 300);
    Kernel k = kernel_begin(&shapes[0], p.n);

    write_casts(&k, t, write_load(&k, t, p.y));
    kernel_check(&k, engine, arena_printf(a, "scalar casts of %s", dtype_name(t)));
    arena_free(a);
}

static void test_scalar_casts(void **state)
{
    (void)state;
    for (DType t = 0; t < DT_COUNT; t++) {
        check_scalar_casts(t, ENGINE_CPU);
        check_scalar_casts(t, ENGINE_SIM);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ops),
        cmocka_unit_test(test_casts),
        cmocka_unit_test(test_scalar_casts),
        cmocka_unit_test(test_whole_numbers),
    };
    return cmocka_run_group_tests(tests, versus_open, versus_close);
}
