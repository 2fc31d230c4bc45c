/*
 * opt_kernel.h - random well-typed kernels that passes find something to do in, for
 * test_opt_random.c
 *
 * Arithmetic on scalars and tiles of odd extents, index arithmetic, changes of shape, masked loads
 * and stores to few addresses, loops of all kinds, branches, reductions, pointers that loops step,
 * promises that are true.
 * Ops take their types from what is there already, so that they build on each other.  In the end
 * every value that is left is stored at its own place, so nothing is dead and all can be compared.
 * Values may be any: the interpreter runs them all (random_kernel.h is for targets).
 */
#ifndef TILEC_TEST_OPT_KERNEL_H
#define TILEC_TEST_OPT_KERNEL_H

#include <string.h>

#include "../../src/ir/ir.h"

enum { PROGRAMS = 2 };
enum { MEMORY = 4096, REGION = 1 << 16 }; /* elements of `mem`; bytes of `out` for each program */
enum { MAX_SAVED = 400, MAX_DEPTH = 2 };

/* A value that the kernel stores, and where in the program's region of `out`. */
typedef struct {
    const Value *value;
    int64_t offset;
} Saved;

typedef struct {
    Arena *arena;
    Builder b;
    uint64_t rng;
    int depth;
    VEC(Value *) pool; /* what may be used at this point */
    Value *ints, *floats, *mem, *out;
    Saved saved[MAX_SAVED];
    int nsaved;
} Gen;

/* --- choices --- */

static uint32_t below(Gen *g, uint32_t n)
{
    g->rng ^= g->rng << 13;
    g->rng ^= g->rng >> 7;
    g->rng ^= g->rng << 17;
    return (uint32_t)(g->rng >> 32) % n;
}

static const DType dtypes[] = {DT_I32, DT_I32, DT_I32,  DT_FP32, DT_FP32, DT_I64, DT_I1,
                               DT_U32, DT_I8,  DT_FP16, DT_I16,  DT_U64,  DT_U8,  DT_U16};

static const Type shapes[] = {
    {.rank = 0},
    {.rank = 0},
    {.rank = 1, .dims = {24}},
    {.rank = 1, .dims = {8}},
    {.rank = 1, .dims = {3}},
    {.rank = 2, .dims = {3, 8}},
    {.rank = 2, .dims = {1, 8}},
    {.rank = 2, .dims = {3, 1}},
    {.rank = 2, .dims = {8, 3}},
    {.rank = 3, .dims = {2, 3, 4}},
};

static const Type *type_like(Gen *g, DType d, const Type *shape)
{
    return type_with_dtype(g->b.module, shape, d);
}

/* Mostly the type of a value that there is, so that ops build on each other. */
static const Type *random_type(Gen *g)
{
    int n = g->pool.len, last = MIN(n, 10);
    int i = below(g, 2) ? n - 1 - (int)below(g, (uint32_t)last) : (int)below(g, (uint32_t)n);

    if (below(g, 4) != 0 && !g->pool.at[i]->type->pointer)
        return g->pool.at[i]->type;
    return type_like(g, dtypes[below(g, COUNT(dtypes))], &shapes[below(g, COUNT(shapes))]);
}

static Value *keep(Gen *g, Value *v)
{
    vec_push(g->arena, &g->pool, v);
    return v;
}

static Value *random_const(Gen *g, const Type *t)
{
    static const double floats[] = {0.0,  0.0, 0.0, -0.0, -0.0, 1.0,  1.0,
                                    -1.0, 0.5, 2.0, 3.25, -7.0, 1e30, 1.0 / 0.0};
    static const int64_t ints[] = {0, 1, 2, -1, 3, 8, 16, 5, -4, 31, 127, INT32_MIN, INT64_MIN};

    if (dtype_is_float(t->dtype))
        return build_float(&g->b, t, floats[below(g, COUNT(floats))]);
    return build_int(&g->b, t, ints[below(g, COUNT(ints))]);
}

/* An earlier value of this type, or NULL. */
static Value *earlier(Gen *g, const Type *t)
{
    Value *found = NULL;
    uint32_t seen = 0;

    for (int i = 0; i < g->pool.len; i++) {
        if (g->pool.at[i]->type == t && below(g, ++seen) == 0)
            found = g->pool.at[i];
    }
    return found;
}

/* Some value of this type: an earlier one, mostly. */
static Value *any(Gen *g, const Type *t)
{
    Value *found = below(g, 6) == 0 ? NULL : earlier(g, t);

    if (found)
        return found;
    if (type_is_tile(t) && below(g, 3) != 0)
        return build_splat(&g->b, any(g, type_element(g->b.module, t)), t);
    return random_const(g, t);
}

static Value *any_tile(Gen *g)
{
    const Type *t = random_type(g);

    return any(g, t->rank > 0 ? t : type_like(g, t->dtype, &shapes[5]));
}

static Value *any_scalar(Gen *g, DType d)
{
    return any(g, type_scalar(g->b.module, d));
}

/* --- arithmetic --- */

static OpCode one_of(Gen *g, const OpCode *codes, int n)
{
    return codes[below(g, (uint32_t)n)];
}

static Value *gen_binary(Gen *g)
{
    static const OpCode ints[] = {OP_add, OP_add, OP_sub, OP_mul, OP_mul, OP_div, OP_rem,
                                  OP_and, OP_or,  OP_xor, OP_shl, OP_shr, OP_min, OP_max};
    static const OpCode floats[] = {OP_add, OP_sub, OP_mul, OP_div, OP_min, OP_max, OP_minnan};
    const Type *t = random_type(g);
    OpCode code =
        dtype_is_float(t->dtype) ? one_of(g, floats, COUNT(floats)) : one_of(g, ints, COUNT(ints));
    Value *x = any(g, t), *y = any(g, t);

    if (below(g, 10) == 0)
        y = x;
    else if (below(g, 3) == 0)
        y = random_const(g, t);
    return below(g, 5) == 0 ? build_binary(&g->b, code, y, x) : build_binary(&g->b, code, x, y);
}

/* What index arithmetic is made of: a tile of integers and a uniform amount. */
static Value *gen_index(Gen *g)
{
    static const OpCode codes[] = {OP_add, OP_add, OP_sub, OP_mul, OP_div, OP_rem, OP_and,
                                   OP_shr, OP_shl, OP_lt,  OP_le,  OP_gt,  OP_ge,  OP_min};
    static const int64_t amounts[] = {1, 2, 3, 4, 7, 8, 12, 16, 24, -8, -3};
    static const Type *const of[] = {&shapes[2], &shapes[3], &shapes[5], &shapes[8], &shapes[9]};
    const Type *t = type_like(g, DT_I32, of[below(g, COUNT(of))]);
    Value *x = earlier(g, t), *amount = build_int(&g->b, t, amounts[below(g, COUNT(amounts))]);

    if (below(g, 4) == 0) {
        const Type *i32 = type_element(g->b.module, t);
        amount = build_binary(&g->b, OP_mul, any(g, i32), build_int(&g->b, i32, 1 + below(g, 8)));
        amount = build_splat(&g->b, amount, t);
    }
    if (!x || below(g, 4) == 0) {
        int32_t start = ((int32_t)below(g, 5) - 2) * 12;
        x = build_arange(&g->b, start, start + (int32_t)type_numel(t));
        x = build_reshape(&g->b, x, t->rank, t->dims);
    }
    OpCode code = one_of(g, codes, COUNT(codes));
    return below(g, 4) == 0 ? build_binary(&g->b, code, amount, x)
                            : build_binary(&g->b, code, x, amount);
}

static Value *gen_unary(Gen *g)
{
    static const OpCode ints[] = {OP_neg, OP_abs, OP_not};
    static const OpCode floats[] = {OP_neg, OP_abs, OP_floor, OP_sqrt, OP_exp};
    const Type *t = random_type(g);

    return build_unary(&g->b,
                       dtype_is_float(t->dtype) ? one_of(g, floats, COUNT(floats))
                                                : one_of(g, ints, COUNT(ints)),
                       any(g, t));
}

static Value *gen_compare(Gen *g)
{
    static const OpCode codes[] = {OP_eq, OP_ne, OP_lt, OP_le, OP_gt, OP_ge};
    const Type *t = random_type(g);
    Value *x = any(g, t);

    return build_binary(&g->b, one_of(g, codes, COUNT(codes)), x, below(g, 8) == 0 ? x : any(g, t));
}

static Value *gen_select(Gen *g)
{
    const Type *t = random_type(g);

    return build_select(&g->b, any(g, type_like(g, DT_I1, t)), any(g, t), any(g, t));
}

static void assume_that(Gen *g, OpCode code, Value *x, Value *y)
{
    Value *holds = build_binary(&g->b, code, x, y);

    build_op(&g->b, OP_assume, 1, &holds, 0, NULL, 0, NULL);
}

/* A number within a bound, or a multiple of one, and a promise that it is that. */
static Value *gen_promise(Gen *g)
{
    static const OpCode codes[] = {OP_le, OP_ge, OP_eq};
    DType d = dtypes[below(g, COUNT(dtypes))];
    const Type *t = type_scalar(g->b.module, dtype_is_int(d) && d != DT_I1 ? d : DT_U64);
    Value *x = any(g, t), *bound = random_const(g, t);
    OpCode code = one_of(g, codes, COUNT(codes));

    if (below(g, 3) != 0) {
        x = build_select(&g->b, build_binary(&g->b, code, x, bound), x, bound);
        assume_that(g, code, x, bound);
        return x;
    }
    x = build_binary(&g->b, OP_sub, x, build_binary(&g->b, OP_rem, x, bound));
    assume_that(g, OP_eq, build_binary(&g->b, OP_rem, x, bound), build_int(&g->b, t, 0));
    return x;
}

static Value *gen_cast(Gen *g)
{
    Value *x = any(g, random_type(g));

    return build_cast(&g->b, x, dtypes[below(g, COUNT(dtypes))], ROUND_NEAREST);
}

/* --- shape --- */

static Value *gen_arange(Gen *g)
{
    static const int32_t extents[] = {3, 8, 24};
    int32_t start = (int32_t)below(g, 4) * (int32_t)below(g, 9) - 8;

    return build_arange(&g->b, start, start + extents[below(g, COUNT(extents))]);
}

static Value *gen_broadcast(Gen *g)
{
    const Type *t = type_like(g, dtypes[below(g, COUNT(dtypes))], &shapes[5]);

    return build_broadcast(&g->b, any(g, type_like(g, t->dtype, &shapes[6 + below(g, 2)])), t);
}

static Value *gen_expand(Gen *g)
{
    bool column = below(g, 2) != 0;
    const Type *t = type_like(g, dtypes[below(g, COUNT(dtypes))], &shapes[column ? 4 : 3]);

    return build_expand(&g->b, any(g, t), column ? 1 : 0);
}

static Value *gen_reshape(Gen *g)
{
    static const Type wide[] = {
        {.rank = 1, .dims = {24}},         {.rank = 2, .dims = {3, 8}},
        {.rank = 2, .dims = {8, 3}},       {.rank = 3, .dims = {2, 3, 4}},
        {.rank = 4, .dims = {1, 3, 8, 1}}, {.rank = 2, .dims = {24, 1}},
    };
    DType d = dtypes[below(g, COUNT(dtypes))];
    const Type *from = &wide[below(g, COUNT(wide))], *to = &wide[below(g, COUNT(wide))];

    return build_reshape(&g->b, any(g, type_like(g, d, from)), to->rank, to->dims);
}

static Value *shuffle_dims(Gen *g, Value *x)
{
    int dims[MAX_RANK], rank = x->type->rank;

    for (int i = 0; i < rank; i++)
        dims[i] = i;
    for (int i = rank - 1; i > 0; i--) {
        int j = (int)below(g, (uint32_t)i + 1), old = dims[i];
        dims[i] = dims[j];
        dims[j] = old;
    }
    return build_permute(&g->b, x, dims);
}

static Value *gen_slice(Gen *g)
{
    Value *x = any_tile(g);
    int64_t starts[MAX_RANK];
    int32_t dims[MAX_RANK];

    for (int d = 0; d < x->type->rank; d++) {
        dims[d] = 1 + (int32_t)below(g, (uint32_t)x->type->dims[d]);
        starts[d] = below(g, (uint32_t)(x->type->dims[d] - dims[d] + 1));
    }
    return build_slice(&g->b, x, starts, dims);
}

static Value *gen_permute(Gen *g)
{
    Value *x = shuffle_dims(g, any_tile(g));

    return below(g, 2) ? x : shuffle_dims(g, x);
}

static Value *gen_reduction(Gen *g)
{
    Value *x = any_tile(g);
    Type t = *x->type;
    int64_t axis = below(g, (uint32_t)t.rank);
    bool scan = below(g, 3) == 0;
    int64_t attrs[] = {axis, below(g, 2)};

    if (!scan) {
        memmove(t.dims + axis, t.dims + axis + 1, sizeof t.dims[0] * (size_t)(t.rank - 1 - axis));
        t.rank--;
    }
    const Type *given = type_of(g->b.module, t);
    Op *op = build_op(&g->b, scan ? OP_scan : OP_reduce, 1, &x, scan ? 2 : 1, attrs, 1, &given);
    const Type *element = type_element(g->b.module, x->type);
    Value *a = block_add_arg(op->regions[0], element), *b = block_add_arg(op->regions[0], element);
    Builder inner = builder_at_end(g->b.func, op->regions[0]);
    Value *both = build_binary(&inner, below(g, 2) ? OP_add : OP_max, a, b);
    build_yield(&inner, OP_yield, 1, &both);
    return op->results[0];
}

/* --- memory --- */

/* Few shapes, so that addresses meet again. */
static const Type *memory_shape(Gen *g)
{
    static const Type *const few[] = {&shapes[0], &shapes[3], &shapes[5]};

    return few[below(g, COUNT(few))];
}

/* Offsets that stay within 64 elements. */
static Value *any_offset(Gen *g, const Type *shape)
{
    const Type *t = type_like(g, DT_I32, shape);

    return build_binary(&g->b, OP_and, any(g, t), build_int(&g->b, t, 63));
}

/* Old addresses are good: loads may then be merged, or must not be. */
static Value *pointers(Gen *g, Value *base, const Type *shape)
{
    const Type *t = type_with_shape(g->b.module, base->type, shape);
    Value *p = below(g, 4) ? earlier(g, t) : NULL;

    if (p)
        return p;
    p = build_addptr(&g->b, build_splat(&g->b, base, t), any_offset(g, shape));
    if (below(g, 3) == 0)
        p = build_addptr(&g->b, p, any_offset(g, shape));
    return keep(g, p);
}

static Value *gen_load(Gen *g)
{
    Value *bases[] = {g->ints, g->floats, g->mem, g->mem};
    const Type *shape = memory_shape(g);
    Value *operands[3] = {pointers(g, bases[below(g, COUNT(bases))], shape)};
    const Type *t = type_like(g, operands[0]->type->dtype, shape);
    int n = below(g, 2) ? 1 : 2 + (int)below(g, 2);

    operands[LOAD_MASK] = any(g, type_like(g, DT_I1, shape));
    operands[LOAD_OTHER] = any(g, t);
    return build_op(&g->b, OP_load, n, operands, 3, (int64_t[3]){0, 0, below(g, 10) == 0}, 1, &t)
        ->results[0];
}

/* Lanes must not meet with different values, so the stored value is uniform or the lanes apart. */
static void gen_store(Gen *g)
{
    const Type *shape = memory_shape(g);
    Value *operands[3] = {pointers(g, g->mem, shape)};
    const Type *element = type_scalar(g->b.module, g->mem->type->dtype);

    operands[STORE_DATA] = build_splat(&g->b, any(g, element), shape);
    operands[STORE_MASK] = any(g, type_like(g, DT_I1, shape));
    build_op(&g->b, OP_store, 2 + (int)below(g, 2), operands, 2, (int64_t[]){0, 0}, 0, NULL);
}

/* --- control --- */

static void gen_ops(Gen *g, int n);

typedef struct {
    Builder b;
    int pool;
} Outside;

static Outside enter(Gen *g, Block *b)
{
    Outside outer = {g->b, g->pool.len};

    g->b = builder_at_end(g->b.func, b);
    g->depth++;
    return outer;
}

static void leave(Gen *g, Outside outer)
{
    g->b = outer.b;
    g->pool.len = outer.pool;
    g->depth--;
}

static void yield_like(Gen *g, int n, const Type *const *types, Value *const *instead)
{
    Value *values[n + 1];

    for (int i = 0; i < n; i++)
        values[i] = instead && instead[i] ? instead[i] : any(g, types[i]);
    build_yield(&g->b, OP_yield, n, values);
}

static void gen_if(Gen *g)
{
    const Type *types[3];
    int n = (int)below(g, 4);
    Value *flag = any_scalar(g, DT_I1);

    for (int i = 0; i < n; i++)
        types[i] = random_type(g);
    Op *op = build_op(&g->b, OP_if, 1, &flag, 0, NULL, n, types);
    for (int r = 0; r < 2; r++) {
        Outside outer = enter(g, op->regions[r]);
        gen_ops(g, (int)below(g, 4));
        yield_like(g, n, types, NULL);
        leave(g, outer);
    }
    for (int i = 0; i < n; i++)
        keep(g, op->results[i]);
}

/* The carried value a small step further, or NULL. */
static Value *stepped(Gen *g, Value *v)
{
    const Type *t = v->type;

    if (!t->pointer && (!dtype_is_int(t->dtype) || t->dtype == DT_I1 || below(g, 2) == 0))
        return NULL;
    for (int i = (int)below(g, 3); i >= 0; i--) {
        const Type *offset = type_like(g, t->pointer ? DT_I32 : t->dtype, t);
        const Type *one = type_element(g->b.module, offset);
        Value *step = build_binary(&g->b, OP_and, any(g, one), build_int(&g->b, one, 3));
        step = build_splat(&g->b, step, offset);
        OpCode code = t->pointer ? OP_addptr : below(g, 3) ? OP_add : OP_sub;
        v = build_binary(&g->b, code, v, step);
    }
    return v;
}

static Value *small_int(Gen *g, DType d, int64_t from, uint32_t count)
{
    const Type *t = type_scalar(g->b.module, d);

    if (below(g, 3) != 0)
        return build_int(&g->b, t, from + below(g, count));
    return build_binary(&g->b, OP_and, any(g, t), build_int(&g->b, t, 3));
}

static void gen_for(Gen *g)
{
    static const DType counters[] = {DT_I32, DT_I32, DT_I64, DT_U32, DT_I8};
    static const int64_t steps[] = {1, 1, 2, 3, -1, -2};
    static const int64_t unrolls[] = {0, 0, -1, 2, 3};
    DType d = counters[below(g, COUNT(counters))];
    const Type *index = type_scalar(g->b.module, d), *types[4];
    Value *operands[FOR_BOUNDS + 4] = {small_int(g, d, -2, 5), small_int(g, d, 0, 5)};
    int n = 1 + (int)below(g, 4);

    operands[FOR_STEP] = build_int(&g->b, index, steps[below(g, COUNT(steps))]);
    for (int i = 0; i < n; i++) {
        if (i == 0 && below(g, 2) == 0) {
            Value *middle = build_addptr(&g->b, g->mem,
                                         build_int(&g->b, type_scalar(g->b.module, DT_I32), 1000));
            operands[FOR_BOUNDS] = pointers(g, middle, &shapes[below(g, COUNT(shapes))]);
        } else {
            operands[FOR_BOUNDS + i] = any(g, random_type(g));
        }
        types[i] = operands[FOR_BOUNDS + i]->type;
    }
    int64_t unroll = unrolls[below(g, COUNT(unrolls))];
    Op *op = build_op(&g->b, OP_for, FOR_BOUNDS + n, operands, 1, &unroll, n, types);
    Value *next[4];
    Outside outer = enter(g, op->regions[0]);
    keep(g, block_add_arg(op->regions[0], index));
    for (int i = 0; i < n; i++) {
        next[i] = block_add_arg(op->regions[0], types[i]);
        if (!types[i]->pointer)
            keep(g, next[i]);
    }
    gen_ops(g, 1 + (int)below(g, 5));
    for (int i = 0; i < n; i++) {
        if (types[i]->pointer)
            keep(g, build_op(&g->b, OP_load, 1, &next[i], 3, (int64_t[]){0, 0, 0}, 1,
                             (const Type *[]){type_like(g, types[i]->dtype, types[i])})
                        ->results[0]);
        if (below(g, 6) != 0 || types[i]->pointer)
            next[i] = stepped(g, next[i]);
    }
    yield_like(g, n, types, next);
    leave(g, outer);
    for (int i = 0; i < n; i++) {
        if (!types[i]->pointer)
            keep(g, op->results[i]);
    }
}

/* Counts a number down to zero and carries another along. */
static void gen_while(Gen *g)
{
    const Type *i32 = type_scalar(g->b.module, DT_I32), *types[2] = {i32, random_type(g)};
    Value *operands[2] = {small_int(g, DT_I32, 0, 4), any(g, types[1])};
    Op *op = build_op(&g->b, OP_while, 2, operands, 0, NULL, 2, types);

    Outside outer = enter(g, op->regions[0]);
    Value *left = block_add_arg(op->regions[0], i32);
    keep(g, block_add_arg(op->regions[0], types[1]));
    gen_ops(g, (int)below(g, 3));
    Value *more = build_binary(&g->b, OP_gt, left, build_int(&g->b, i32, 0));
    build_yield(&g->b, OP_condition, 3, (Value *[]){more, left, any(g, types[1])});
    leave(g, outer);

    outer = enter(g, op->regions[1]);
    left = block_add_arg(op->regions[1], i32);
    keep(g, block_add_arg(op->regions[1], types[1]));
    gen_ops(g, (int)below(g, 3));
    left = build_binary(&g->b, OP_sub, left, build_int(&g->b, i32, 1));
    build_yield(&g->b, OP_yield, 2, (Value *[]){left, any(g, types[1])});
    leave(g, outer);
    keep(g, op->results[1]);
}

/* --- the kernel --- */

typedef Value *Maker(Gen *g);

static void gen_op(Gen *g)
{
    static Maker *const makers[] = {
        gen_binary,  gen_binary,    gen_binary,    gen_binary,  gen_unary, gen_compare,
        gen_select,  gen_cast,      gen_cast,      gen_arange,  gen_index, gen_index,
        gen_index,   gen_broadcast, gen_expand,    gen_load,    gen_load,  gen_reshape,
        gen_permute, gen_permute,   gen_reduction, gen_promise, gen_slice,
    };
    uint32_t choice = below(g, COUNT(makers) + 6);

    if (choice < COUNT(makers))
        keep(g, makers[choice](g));
    else if (choice == COUNT(makers) || choice == COUNT(makers) + 5)
        gen_store(g);
    else if (g->depth < MAX_DEPTH && choice == COUNT(makers) + 1)
        gen_if(g);
    else if (g->depth < MAX_DEPTH && choice == COUNT(makers) + 2)
        gen_while(g);
    else if (g->depth < MAX_DEPTH)
        gen_for(g);
}

static void gen_ops(Gen *g, int n)
{
    for (int i = 0; i < n; i++)
        gen_op(g);
}

/* Store v, densely, at its own place in the program's region. */
static void save(Gen *g, Value *v, Value *region, int64_t *offset)
{
    const Type *t = v->type;
    Type pointer = {.dtype = t->dtype, .pointer = true};
    const Type *given = type_of(g->b.module, pointer);

    if (g->nsaved == MAX_SAVED || *offset + type_numel(t) * 8 > REGION)
        return;
    Value *at =
        build_addptr(&g->b, region, build_int(&g->b, type_scalar(g->b.module, DT_I64), *offset));
    at = build_op(&g->b, OP_cast, 1, &at, 1, (int64_t[]){0}, 1, &given)->results[0];
    if (type_is_tile(t)) {
        Value *index = build_arange(&g->b, 0, (int32_t)type_numel(t));
        index = build_reshape(&g->b, index, t->rank, t->dims);
        at = build_splat(&g->b, at, type_with_shape(g->b.module, given, t));
        at = build_addptr(&g->b, at, index);
    }
    build_op(&g->b, OP_store, 2, (Value *[]){at, v}, 2, (int64_t[]){0, 0}, 0, NULL);
    g->saved[g->nsaved++] = (Saved){v, *offset};
    *offset += (type_numel(t) * dtype_size(t->dtype) + 7) / 8 * 8;
}

static Module *gen_kernel(Gen *g, uint64_t seed)
{
    Module *m = module_new(g->arena, interner_new(g->arena), NULL);
    Func *f = func_new(m, "random", (Span){0});

    g->rng = (seed + 1) * 0x9e3779b97f4a7c15;
    g->b = builder_at_end(f, f->body);
    f->is_kernel = true;
    g->ints = func_add_param(f, "ints", type_pointer(m, DT_I32, false), 16);
    g->floats = func_add_param(f, "floats", type_pointer(m, DT_FP32, false), 16);
    g->mem = func_add_param(f, "mem", type_pointer(m, DT_FP32, false), 16);
    g->out = func_add_param(f, "out", type_pointer(m, DT_I8, false), 16);
    keep(g, func_add_param(f, "n", type_scalar(m, DT_I32), 16));
    keep(g, func_add_param(f, "s", type_scalar(m, DT_I32), 0));
    keep(g, func_add_param(f, "w", type_scalar(m, DT_I64), 8));
    keep(g, func_add_param(f, "x", type_scalar(m, DT_FP32), 0));
    const Type *i32 = type_scalar(m, DT_I32);
    Value *pid = build_op(&g->b, OP_program_id, 0, NULL, 1, (int64_t[]){0}, 1, &i32)->results[0];
    Value *base = build_binary(&g->b, OP_mul, pid, build_int(&g->b, i32, MEMORY / PROGRAMS));
    keep(g, pid);
    g->mem = build_addptr(&g->b, g->mem, base);
    gen_ops(g, 10 + (int)below(g, 40));
    base = build_binary(&g->b, OP_mul, pid, build_int(&g->b, i32, REGION));
    Value *region = build_addptr(&g->b, g->out, base);
    int64_t offset = 0;
    for (int i = 0; i < g->pool.len; i++) {
        if (!g->pool.at[i]->type->pointer)
            save(g, g->pool.at[i], region, &offset);
    }
    build_yield(&g->b, OP_return, 0, NULL);
    return m;
}

#endif
