/*
 * test_cpu_reduce.c - reductions, scans, gathers, sorts and dots on the CPU target, and on the GPU
 * target in the simulator, against the interpreter
 *
 * Every dtype along every axis of tiles that do not fill vectors.  Inputs are halves and small
 * whole numbers, so that fp32 sums are exact in any order; sums of smaller formats, which are
 * rounded at each step in whatever order, get a tolerance.  All else is compared to the bit.
 */

#include "versus_test.h"

enum { PROGRAMS = 2 };

/* A kernel while it is built: parameter i of the function is argument i of the case. */
typedef struct {
    Case c;
    Module *m;
    Func *f;
    Builder b;
    Value *pid;
} Kernel;

static Kernel kernel_begin(void)
{
    Kernel k = {.c = {.arena = arena_new(NULL), .plugin = plugin, .grid = {PROGRAMS, 1, 1}}};
    k.m = module_new(k.c.arena, interner_new(k.c.arena), NULL);
    k.f = func_new(k.m, "k", (Span){0});
    k.f->is_kernel = true;
    k.b = builder_at_end(k.f, k.f->body);
    const Type *i32 = type_scalar(k.m, DT_I32);
    const int64_t axis = 0;
    k.pid = build_op(&k.b, OP_program_id, 0, NULL, 1, &axis, 1, &i32)->results[0];
    return k;
}

static void kernel_check(Kernel *k, Engine engine, const char *what)
{
    build_yield(&k->b, OP_return, 0, NULL);
    k->c.text = ir_print(k->m, k->c.arena);
    versus_expect(&k->c, engine, what);
    arena_free(k->c.arena);
}

/* A new array of one such tile for each program, and the pointers to this program's. */
static Value *array_pointers(Kernel *k, const Type *t, const void *start, double close)
{
    int64_t n = type_numel(t);
    const char *name = arena_printf(k->c.arena, "p%d", k->c.nparams);
    Value *p = func_add_param(k->f, name, type_pointer(k->m, t->dtype, false), 0);
    k->c.params[k->c.nparams++] =
        (Argument){.dtype = t->dtype, .n = (size_t)n * PROGRAMS, .start = start, .close = close};
    Value *first = build_binary(&k->b, OP_mul, k->pid, build_int(&k->b, k->pid->type, n));
    p = build_addptr(&k->b, p, first);
    if (t->rank == 0)
        return p;
    Value *at = build_splat(&k->b, p, t);
    int64_t stride = 1;
    for (int d = t->rank - 1; d >= 0; d--) {
        Value *v = build_arange(&k->b, 0, t->dims[d]);
        for (int i = 0; i < t->rank; i++) {
            if (i != d)
                v = build_expand(&k->b, v, i);
        }
        v = build_binary(&k->b, OP_mul, v, build_int(&k->b, v->type, stride));
        at = build_addptr(&k->b, at, build_broadcast(&k->b, v, t));
        stride *= t->dims[d];
    }
    return at;
}

static Value *load_input(Kernel *k, const Type *t, const void *start)
{
    Value *p = array_pointers(k, t, start, 0);
    return build_op(&k->b, OP_load, 1, &p, 3, (const int64_t[3]){0}, 0, NULL)->results[0];
}

static void store_result(Kernel *k, Value *v, double close)
{
    Value *p = array_pointers(k, v->type, NULL, close);
    build_op(&k->b, OP_store, 2, (Value *[]){p, v}, 2, (const int64_t[2]){0}, 0, NULL);
}

/* Floats: mostly 1 and -1, some 2 and halves; fp8 has many zeros, for sums that it can hold.
 * Integers: any bits. */
static void *data_of(Kernel *k, const Type *t, uint64_t seed)
{
    static const double values[] = {1, -1, 1, -1, 1, -1, 1, -1, 1, -1, -1, 1, 2, 0.5, 1.5, -1.5};
    size_t n = (size_t)type_numel(t) * PROGRAMS, size = (size_t)dtype_size(t->dtype);
    uint8_t *x = arena_alloc(k->c.arena, n * size);
    for (size_t i = 0; i < n; i++) {
        uint64_t bits = scalar_truncate(t->dtype, random_bits(&seed));
        if (t->dtype == DT_I1)
            bits = random_bits(&seed) & 1;
        if (dtype_is_float(t->dtype))
            bits = scalar_from_double(t->dtype, values[random_below(&seed, COUNT(values))]);
        if (dtype_is_fp8(t->dtype) && random_below(&seed, 4))
            bits = 0;
        memcpy(x + i * size, &bits, size);
    }
    return x;
}

/* --- reductions --- */

static const Type shapes[] = {
    {.rank = 1, .dims = {37}},     {.rank = 2, .dims = {5, 64}}, {.rank = 3, .dims = {3, 5, 7}},
    {.rank = 2, .dims = {64, 1}},  {.rank = 2, .dims = {1, 64}}, {.rank = 1, .dims = {1}},
    {.rank = 2, .dims = {130, 3}},
};

/* On GPUs it is the number of warps that makes layouts different. */
typedef struct {
    Engine engine;
    int warps;
} Way;

enum { WAYS = 2 };

static Way way_of(int i, DType d, int shape, int axis)
{
    static const int warps[] = {1, 4, 2, 8};
    int n = (int)d + shape + axis;

    if (i == 0)
        return (Way){(shape + axis) % 2 ? ENGINE_CPU : ENGINE_CPU_DISJOINT, 0};
    return (Way){n % 2 ? ENGINE_SIM : ENGINE_SIM_DISJOINT, warps[n % COUNT(warps)]};
}

static const Type *reduced(Module *m, const Type *t, int axis)
{
    Type r = *t;
    r.rank--;
    memmove(r.dims + axis, r.dims + axis + 1, sizeof r.dims[0] * (size_t)(r.rank - axis));
    return type_of(m, r);
}

static double tolerance(OpCode op, DType t)
{
    if (!dtype_is_float(t) || (op != OP_add && op != OP_mul))
        return 0;
    if (dtype_bits(t) >= 32)
        return op == OP_mul ? 1e-6 : 1e-30; /* of sums the sign of zero */
    return dtype_is_fp8(t) ? 0.8 : 0.02;
}

static void yield_op(Kernel *k, Block *region, OpCode op, const Type *element)
{
    Value *x = block_add_arg(region, element), *y = block_add_arg(region, element);
    Builder b = builder_at_end(k->f, region);
    Value *out = build_binary(&b, op, x, y);
    build_yield(&b, OP_yield, 1, &out);
}

static void write_reduction(Kernel *k, Value *v, OpCode op, int axis)
{
    const Type *t = v->type, *result = reduced(k->m, t, axis);
    const int64_t attr = axis;
    Op *r = build_op(&k->b, OP_reduce, 1, &v, 1, &attr, 1, &result);
    yield_op(k, r->regions[0], op, type_element(k->m, t));
    store_result(k, r->results[0], tolerance(op, t->dtype));
}

/* The largest element and the first place where it is. */
static void write_argmax(Kernel *k, Value *v, int axis)
{
    const Type *t = v->type, *e = type_element(k->m, t), *i32 = type_scalar(k->m, DT_I32);
    Value *at = build_arange(&k->b, 0, t->dims[axis]);
    for (int i = 0; i < t->rank; i++) {
        if (i != axis)
            at = build_expand(&k->b, at, i);
    }
    Value *in[2] = {v, build_broadcast(&k->b, at, t)};
    const Type *given[2] = {reduced(k->m, t, axis), reduced(k->m, in[1]->type, axis)};
    const int64_t attr = axis;
    Op *r = build_op(&k->b, OP_reduce, 2, in, 1, &attr, 2, given);
    const Type *types[4] = {e, i32, e, i32};
    Value *a[4];
    for (int i = 0; i < 4; i++)
        a[i] = block_add_arg(r->regions[0], types[i]);
    Builder b = builder_at_end(k->f, r->regions[0]);
    Value *more = build_binary(&b, OP_gt, a[0], a[2]), *same = build_binary(&b, OP_eq, a[0], a[2]);
    Value *first = build_binary(&b, OP_and, same, build_binary(&b, OP_lt, a[1], a[3]));
    Value *take = build_binary(&b, OP_or, more, first);
    Value *out[2] = {build_select(&b, take, a[0], a[2]), build_select(&b, take, a[1], a[3])};
    build_yield(&b, OP_yield, 2, out);
    store_result(k, r->results[0], 0);
    store_result(k, r->results[1], 0);
}

/* Sums of fp8e4b15 are clamped to 1.75 at every step, in an order that nobody promises. */
static bool reduces(OpCode op, DType t)
{
    if (op == OP_minnan || op == OP_maxnan)
        return dtype_is_float(t);
    if (op == OP_and || op == OP_or || op == OP_xor)
        return !dtype_is_float(t);
    return op != OP_add || t != DT_FP8E4B15;
}

static void check_reductions(DType d, const Type *shape, int axis, Way way)
{
    static const OpCode ops[] = {OP_add,    OP_mul, OP_min, OP_max, OP_minnan,
                                 OP_maxnan, OP_and, OP_or,  OP_xor};
    Kernel k = kernel_begin();
    const Type *t = type_with_dtype(k.m, type_of(k.m, *shape), d);
    Value *v = load_input(&k, t, data_of(&k, t, d + 1));
    for (int i = 0; i < COUNT(ops); i++) {
        if (reduces(ops[i], d))
            write_reduction(&k, v, ops[i], axis);
    }
    write_argmax(&k, v, axis);
    k.c.warps = way.warps;
    kernel_check(&k, way.engine,
                 arena_printf(plugin_arena, "reduce %s along %d, %d warps",
                              type_text(plugin_arena, t), axis, way.warps));
}

/* All shapes of some dtypes, a part of them of the others: a third, and without TILEC_THOROUGH a
 * sixth. */
static bool in_turn(DType d, int shape, int axis)
{
    bool all =
        thorough() ? d == DT_I32 || d == DT_FP32 || d == DT_FP16 || d == DT_I1 : d == DT_FP32;

    return all || ((int)d + shape + axis) % (thorough() ? 3 : 6) == 0;
}

static void test_reductions(void **state)
{
    (void)state;
    for (DType d = 0; d < DT_COUNT; d++) {
        for (int s = 0; s < COUNT(shapes); s++) {
            for (int axis = 0; axis < shapes[s].rank; axis++) {
                for (int i = 0; i < WAYS && in_turn(d, s, axis); i++)
                    check_reductions(d, &shapes[s], axis, way_of(i, d, s, axis));
            }
        }
    }
}

/* --- scans --- */

static void write_scan(Kernel *k, Value *v, OpCode op, int axis, bool reverse)
{
    const int64_t attrs[2] = {axis, reverse};
    Op *r = build_op(&k->b, OP_scan, 1, &v, 2, attrs, 1, &v->type);
    yield_op(k, r->regions[0], op, type_element(k->m, v->type));
    store_result(k, r->results[0], tolerance(op, v->type->dtype));
}

/* x -> a x + b, composed: the order counts. */
static void write_recurrence(Kernel *k, Value *x, Value *y, int axis, bool reverse)
{
    Value *in[2] = {x, y}, *a[4];
    const Type *types[2] = {x->type, y->type}, *e = type_element(k->m, x->type);
    const int64_t attrs[2] = {axis, reverse};
    Op *r = build_op(&k->b, OP_scan, 2, in, 2, attrs, 2, types);
    for (int i = 0; i < 4; i++)
        a[i] = block_add_arg(r->regions[0], e);
    Builder b = builder_at_end(k->f, r->regions[0]);
    Value *scaled = build_binary(&b, OP_mul, a[1], a[2]);
    Value *out[2] = {build_binary(&b, OP_mul, a[0], a[2]), build_binary(&b, OP_add, scaled, a[3])};
    build_yield(&b, OP_yield, 2, out);
    store_result(k, r->results[0], 1e-5);
    store_result(k, r->results[1], 1e-5);
}

static void check_scans(DType d, const Type *shape, int axis, bool reverse, Way way)
{
    Kernel k = kernel_begin();
    const Type *t = type_with_dtype(k.m, type_of(k.m, *shape), d);
    Value *x = load_input(&k, t, data_of(&k, t, d + 5));
    Value *y = load_input(&k, t, data_of(&k, t, d + 6));

    if (reduces(OP_add, d))
        write_scan(&k, x, OP_add, axis, !reverse);
    write_scan(&k, y, OP_max, axis, true);
    if (!dtype_is_float(d) || dtype_bits(d) >= 32)
        write_recurrence(&k, x, y, axis, reverse);
    k.c.warps = way.warps;
    kernel_check(&k, way.engine,
                 arena_printf(plugin_arena, "scan %s along %d, %d warps",
                              type_text(plugin_arena, t), axis, way.warps));
}

static void test_scans(void **state)
{
    (void)state;
    for (DType d = 0; d < DT_COUNT; d++) {
        for (int s = 0; s < COUNT(shapes); s++) {
            for (int axis = 0; axis < shapes[s].rank; axis++) {
                for (int i = 0; i < WAYS && in_turn(d, s, axis + 1); i++)
                    check_scans(d, &shapes[s], axis, (s + axis) % 2, way_of(i, d, s, axis));
            }
        }
    }
}

/* Tiles of which each thread has many elements, on either side of those that lanes and warps are
 * spread along. */
static void test_wide(void **state)
{
    static const Type wide[] = {
        {.rank = 1, .dims = {1000}},     {.rank = 1, .dims = {1024}},
        {.rank = 2, .dims = {3, 700}},   {.rank = 2, .dims = {100, 9}},
        {.rank = 3, .dims = {4, 8, 33}},
    };
    static const DType dtypes[] = {DT_FP32, DT_I64, DT_I8};
    static const int warps[] = {1, 4, 8};

    (void)state;
    for (int s = 0; s < COUNT(wide); s++) {
        for (int axis = 0; axis < wide[s].rank; axis++) {
            for (int i = 0; i < COUNT(warps); i++) {
                if (!thorough() && (s + axis + i) % 3 != 0)
                    continue;
                DType d = dtypes[(s + i) % COUNT(dtypes)];
                check_reductions(d, &wide[s], axis, (Way){ENGINE_SIM_DISJOINT, warps[i]});
                check_scans(d, &wide[s], axis, i % 2, (Way){ENGINE_SIM_DISJOINT, warps[i]});
            }
        }
    }
}

/* --- gathers and histograms --- */

/* Some of them are outside of the `extent` that they are about. */
static void *places(Kernel *k, const Type *t, int32_t extent)
{
    size_t n = (size_t)type_numel(t) * PROGRAMS, size = (size_t)dtype_size(t->dtype);
    uint8_t *x = arena_alloc(k->c.arena, n * size);
    uint64_t state = 23;

    for (size_t i = 0; i < n; i++) {
        int64_t at = random_below(&state, extent + 4) - 2;
        memcpy(x + i * size, &at, size);
    }
    return x;
}

/* `count` elements for each place along the axis, and how often the places are asked for. */
static void check_gather(DType d, DType index, const Type *shape, int axis, int32_t count, Way way)
{
    Kernel k = kernel_begin();
    const Type *t = type_with_dtype(k.m, type_of(k.m, *shape), d);
    Type asked = *shape;
    const int64_t attr = axis;
    const int32_t bins[] = {shape->dims[axis]};
    const Type *result, *counts = type_tile(k.m, DT_I32, 1, bins);

    asked.dims[axis] = count;
    asked.dtype = index;
    const Type *it = type_of(k.m, asked);
    Value *in[] = {load_input(&k, t, data_of(&k, t, d + 31)),
                   load_input(&k, it, places(&k, it, shape->dims[axis]))};
    result = type_with_dtype(k.m, it, d);
    store_result(&k, build_op(&k.b, OP_gather, 2, in, 1, &attr, 1, &result)->results[0], 0);
    const int32_t flat[] = {(int32_t)type_numel(it)};
    Value *all = build_reshape(&k.b, in[1], 1, flat);
    Value *some[] = {all, build_binary(&k.b, OP_gt, all, build_int(&k.b, all->type, 1))};
    for (int n = 1; n <= 2; n++)
        store_result(&k, build_op(&k.b, OP_histogram, n, some, 0, NULL, 1, &counts)->results[0], 0);
    k.c.warps = way.warps;
    kernel_check(&k, way.engine,
                 arena_printf(plugin_arena, "gather %s along %d by %d %s, %d warps",
                              type_text(plugin_arena, t), axis, count, dtype_name(index),
                              way.warps));
}

static void test_gathers(void **state)
{
    static const DType indices[] = {DT_I32, DT_I64, DT_I8, DT_U16, DT_U64};
    static const int32_t counts[] = {1, 7, 64};

    (void)state;
    for (DType d = 0; d < DT_COUNT; d++) {
        for (int s = 0; s < COUNT(shapes); s++) {
            for (int axis = 0; axis < shapes[s].rank; axis++) {
                int turn = (int)d + s + axis;
                for (int i = 0; i < WAYS && turn % (thorough() ? 3 : 6) == 0; i++)
                    check_gather(d, indices[turn % COUNT(indices)], &shapes[s], axis,
                                 counts[turn % COUNT(counts)], way_of(i, d, s, axis));
            }
        }
    }
}

/* --- sort --- */

/* Rows in order, and the first `kept` elements of the other one. */
static void check_sort(DType d, int32_t rows, int32_t columns, int32_t kept, Way way)
{
    Kernel k = kernel_begin();
    const int32_t dims[] = {rows, columns}, first[] = {rows, kept};
    const Type *types[] = {type_tile(k.m, d, 2, dims), type_tile(k.m, d, 2, first)};
    Value *v = load_input(&k, types[0], data_of(&k, types[0], d + 77u * (unsigned)columns));

    for (int64_t descending = 0; descending < 2; descending++) {
        const Type *t = types[(columns + descending) % 2];
        Op *op = build_op(&k.b, OP_sort, 1, &v, 1, &descending, 1, &t);
        store_result(&k, op->results[0], 0);
    }
    k.c.warps = way.warps;
    kernel_check(&k, way.engine,
                 arena_printf(plugin_arena, "sort %dx%d %s, first %d, %d warps", (int)rows,
                              (int)columns, dtype_name(d), (int)kept, way.warps));
}

static void test_sorts(void **state)
{
    static const int32_t extents[] = {1, 2, 3, 4, 7, 8, 16, 31, 64, 65, 100, 256, 300, 1000, 2048};

    (void)state;
    for (DType d = 0; d < DT_COUNT; d++) {
        for (int e = 0; e < COUNT(extents) && dtype_is_int(d) && d != DT_I1; e++) {
            const int32_t kept[] = {1, MIN(extents[e], 6), (extents[e] + 3) / 4, extents[e]};
            int turn = (int)d + e;
            bool runs =
                thorough() || (turn % 3 == 0 && extents[e] <= 300); /* else they compile long */
            for (int i = 0; i < COUNT(kept) && runs; i++)
                check_sort(d, 1 + (turn + i) % 3, extents[e], kept[i], way_of(0, d, e, i));
        }
    }
}

/* --- dots --- */

static void check_dot(DType a, DType b, DType sum, int batch, int32_t m, int32_t n,
                      int32_t k_extent)
{
    Kernel k = kernel_begin();
    const int32_t da[3] = {batch, m, k_extent}, db[3] = {batch, k_extent, n}, ds[3] = {batch, m, n};
    int rank = batch ? 3 : 2, skip = batch ? 0 : 1;
    const Type *types[3] = {type_tile(k.m, a, rank, da + skip), type_tile(k.m, b, rank, db + skip),
                            type_tile(k.m, sum, rank, ds + skip)};
    Value *in[3];
    for (int i = 0; i < 3; i++)
        in[i] = load_input(&k, types[i], data_of(&k, types[i], (uint64_t)i + 11));
    const int64_t ieee = PRECISION_IEEE;
    Op *op = build_op(&k.b, OP_dot, 3, in, 1, &ieee, 1, &types[2]);
    store_result(&k, op->results[0], dtype_is_float(sum) ? 1e-30 : 0);
    kernel_check(&k, m % 2 ? ENGINE_CPU : ENGINE_CPU_DISJOINT,
                 arena_printf(plugin_arena, "dot %s %s %s, batch %d, %dx%dx%d", dtype_name(a),
                              dtype_name(b), dtype_name(sum), batch, (int)m, (int)n,
                              (int)k_extent));
}

static void test_dot_extents(void **state)
{
    (void)state;
    static const int32_t extents[] = {1, 3, 16, 17, 33};
    for (int m = 0; m < 5; m++) {
        for (int n = 0; n < 5; n++) {
            for (int k = 0; k < 5; k++) {
                if ((m + 2 * n + 3 * k) % 4 == 0)
                    check_dot(DT_FP32, DT_FP32, DT_FP32, 0, extents[m], extents[n], extents[k]);
            }
        }
    }
    for (int i = 0; i < 5; i++) {
        check_dot(DT_FP64, DT_FP64, DT_FP64, i % 3, extents[i], extents[(i + 2) % 5],
                  extents[(i + 3) % 5]);
        check_dot(DT_I8, DT_I8, DT_I32, i % 3, extents[i], extents[(i + 1) % 5],
                  extents[(i + 3) % 5]);
        check_dot(DT_FP16, DT_FP16, DT_FP16, i % 4, extents[i], extents[(i + 4) % 5],
                  extents[(i + 1) % 5]);
        check_dot(DT_BF16, DT_BF16, DT_FP32, i % 2, extents[i], extents[(i + 3) % 5],
                  extents[(i + 2) % 5]);
        check_dot(DT_FP32, DT_FP32, DT_FP32, 2 + i, extents[i], extents[(i + 2) % 5],
                  extents[(i + 1) % 5]);
    }
    check_dot(DT_FP16, DT_FP16, DT_FP32, 0, 17, 33, 16);
}

static void test_dot_fp8(void **state)
{
    (void)state;
    for (DType a = DT_FP8E4NV; a <= DT_FP8E4B15; a++) {
        for (DType b = DT_FP8E4NV; b <= DT_FP8E4B15; b++)
            check_dot(a, b, (a + b) % 2 ? DT_FP32 : DT_FP16, 0, 3, 17, 16);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reductions), cmocka_unit_test(test_scans),
        cmocka_unit_test(test_wide),       cmocka_unit_test(test_gathers),
        cmocka_unit_test(test_sorts),      cmocka_unit_test(test_dot_extents),
        cmocka_unit_test(test_dot_fp8),
    };
    return cmocka_run_group_tests(tests, versus_open, versus_close);
}
