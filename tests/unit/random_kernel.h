/*
 * random_kernel.h - random well-typed kernels to compile, for test_random.c
 *
 * A kernel is a list of random statements on tiles of a few shapes: arithmetic, loads and stores
 * through overlapping addresses in program order, masks, reductions, scans, dots, shape changes,
 * loops that carry tiles and scalars, loops that multiply what they load along advancing pointers,
 * ifs.  Statements take values that earlier ones have made, and
 * make what is missing.
 *
 * Those of opt_kernel.h give passes more to do, and only the interpreter runs them.  Here a target
 * must be able to give the same bits: all floats are whole numbers that their type holds, so that
 * no order of summing can be told from another; floats of 16 bits are not summed; the lanes of a
 * store or an atomic never meet; all addresses lie within the arrays.
 *
 * For targets whose programs run side by side, and whose lanes see what others have written only
 * behind a barrier, kernels are made `apart`: each program has its own part of every array, and
 * barriers stand around everything that writes.
 */
#ifndef TILEC_TEST_RANDOM_KERNEL_H
#define TILEC_TEST_RANDOM_KERNEL_H

#include "versus.h"

enum {
    STATEMENTS = 14,
    MAX_VALUES = 600,
    REACH = 512,      /* addresses stay below */
    REGION = 620,     /* elements of an array that are a program's own, */
    LIMIT = 100,      /* magnitude of floats */
    RESULTS = 8,      /* values that are stored in the end, */
    RESULT_SIZE = 512 /* each at a multiple of this */
};

/* The arrays of a kernel, in the order of its parameters, and the type of what lies in each; behind
 * them come the two of results, and a scalar. */
enum { ARRAYS = 8, RESULT_INT = ARRAYS, RESULT_FLOAT };

static const DType array_types[ARRAYS] = {DT_I32,  DT_I32,  DT_I32,  DT_FP32,
                                          DT_FP32, DT_FP16, DT_BF16, DT_FP64};

typedef struct {
    uint64_t rng;
    Module *m;
    Builder b;
    Value *values[MAX_VALUES]; /* that can be used now */
    int n, depth;
    bool aligned, apart;
    Value *arrays[ARRAYS], *out_int, *out_float, *ragged; /* a scalar that only the launch knows */
} Gen;

/* --- choices --- */

static int below(Gen *g, int n)
{
    return random_below(&g->rng, n);
}

static bool one_in(Gen *g, int n)
{
    return below(g, n) == 0;
}

static const Type *random_shape(Gen *g, DType d)
{
    static const struct {
        int rank;
        int32_t dims[3];
    } shapes[] = {{1, {37}},      {1, {64}},    {1, {5}},       {2, {3, 11}}, {2, {8, 16}},
                  {2, {1, 20}},   {2, {16, 1}}, {3, {2, 3, 7}}, {2, {16, 8}}, {1, {130}},
                  {3, {4, 1, 6}}, {2, {32, 8}}, {3, {4, 8, 8}}, {1, {256}},   {2, {2, 64}},
                  {2, {12, 20}},  {1, {1}},     {3, {5, 1, 32}}};
    int i = below(g, COUNT(shapes));
    return type_tile(g->m, d, shapes[i].rank, shapes[i].dims);
}

static Value *keep(Gen *g, Value *v)
{
    if (g->n < MAX_VALUES)
        g->values[g->n++] = v;
    return v;
}

static Value *constant(Gen *g, const Type *t)
{
    int v = below(g, 4) ? below(g, 9) - 2 : below(g, 2 * LIMIT) - LIMIT;
    if (dtype_is_float(t->dtype))
        return build_float(&g->b, t, v);
    return build_int(&g->b, t, t->dtype == DT_I1 ? v & 1 : v);
}

static Value *earlier(Gen *g, const Type *t)
{
    for (int tries = 0; tries < 12 && g->n > 0; tries++) {
        int among = 1 + below(g, g->n); /* the later ones are chosen more often */
        Value *v = g->values[g->n - 1 - below(g, among)];
        if (v->type == t)
            return v;
    }
    return NULL;
}

static Value *load_tile(Gen *g, const Type *t);
static Value *index_tile(Gen *g, const Type *t);

/* Some value of this type, made if there is none. */
static Value *any(Gen *g, const Type *t)
{
    Value *v = earlier(g, t);
    if (v != NULL)
        return v;
    if (t->rank == 0)
        return keep(g, constant(g, t));
    if (t->dtype == DT_I1 || one_in(g, 4)) {
        const Type *ints = type_with_dtype(g->m, t, DT_I32);
        Value *x = index_tile(g, ints), *y = constant(g, ints);
        if (t->dtype == DT_I1)
            return keep(g, build_binary(&g->b, OP_lt, x, y));
        if (t->dtype == DT_I32)
            return keep(g, x);
        return keep(g, build_cast(&g->b, x, t->dtype, ROUND_NEAREST));
    }
    return load_tile(g, t);
}

static const Type *some_type(Gen *g)
{
    static const DType dtypes[] = {DT_I32, DT_I32, DT_I32, DT_FP32, DT_FP32, DT_FP32, DT_I1,
                                   DT_I64, DT_I8,  DT_I16, DT_FP16, DT_BF16, DT_FP64};
    DType d = dtypes[below(g, COUNT(dtypes))];
    if (g->n > 0 && below(g, 8)) {
        const Type *t = g->values[g->n - 1 - below(g, MIN(g->n, 20))]->type;
        return t->pointer || one_in(g, 5) ? type_with_dtype(g->m, t, d) : t;
    }
    return one_in(g, 4) ? type_scalar(g->m, d) : random_shape(g, d);
}

static Value *some_tile(Gen *g)
{
    for (int tries = 0; tries < 10; tries++) {
        const Type *t = some_type(g);
        if (t->rank > 0)
            return any(g, t);
    }
    return any(g, random_shape(g, DT_I32));
}

static Value *scalar_int(Gen *g)
{
    return any(g, type_scalar(g->m, DT_I32));
}

/* 0 to n-1, from any scalar. */
static Value *small_scalar(Gen *g, int n)
{
    const Type *t = type_scalar(g->m, DT_I32);
    return build_binary(&g->b, OP_and, scalar_int(g), build_int(&g->b, t, n - 1));
}

/* --- arithmetic --- */

/* Floats stay small whole numbers. */
static Value *settle(Gen *g, Value *v)
{
    if (!dtype_is_float(v->type->dtype))
        return v;
    Value *low = build_binary(&g->b, OP_max, v, build_float(&g->b, v->type, -LIMIT));
    return build_binary(&g->b, OP_min, low, build_float(&g->b, v->type, LIMIT));
}

static void arithmetic(Gen *g)
{
    static const OpCode ints[] = {OP_add, OP_sub, OP_mul, OP_div, OP_rem, OP_and,  OP_or,
                                  OP_xor, OP_shl, OP_shr, OP_min, OP_max, OP_mulhi};
    static const OpCode floats[] = {OP_add, OP_sub, OP_mul, OP_min, OP_max};
    const Type *t = some_type(g);
    bool is_float = dtype_is_float(t->dtype);
    OpCode op = is_float ? floats[below(g, COUNT(floats))] : ints[below(g, COUNT(ints))];
    Value *x = any(g, t), *y = one_in(g, 4) ? constant(g, t) : any(g, t);
    keep(g, settle(g, build_binary(&g->b, op, x, y)));
}

static void compare(Gen *g)
{
    static const OpCode codes[] = {OP_eq, OP_ne, OP_lt, OP_le, OP_gt, OP_ge};
    const Type *t = some_type(g);
    Value *x = any(g, t), *y = any(g, t);
    Value *c = keep(g, build_binary(&g->b, codes[below(g, COUNT(codes))], x, y));
    const Type *of = type_with_dtype(g->m, t, one_in(g, 2) ? DT_FP32 : DT_I32);
    if (below(g, 3)) {
        Value *yes = any(g, of), *no = any(g, of);
        keep(g, build_select(&g->b, c, yes, no));
    }
}

static void convert(Gen *g)
{
    static const DType dtypes[] = {DT_I32, DT_FP32, DT_I64,  DT_I8,  DT_I1,
                                   DT_I16, DT_FP16, DT_BF16, DT_FP64};
    Value *v = any(g, some_type(g));
    DType to = dtypes[below(g, COUNT(dtypes))];
    Value *c = build_cast(&g->b, v, to, ROUND_NEAREST);
    keep(g, settle(g, c));
}

/* --- addresses --- */

static Value *along(Gen *g, const Type *t, int dim, int64_t stride)
{
    Value *v = build_arange(&g->b, 0, t->dims[dim]);
    for (int d = 0; d < t->rank; d++) {
        if (d != dim)
            v = build_expand(&g->b, v, d);
    }
    v = build_binary(&g->b, OP_mul, v, build_int(&g->b, v->type, stride));
    return build_broadcast(&g->b, v, type_with_dtype(g->m, t, DT_I32));
}

/* An i32 tile whose elements differ, of numbers from 0 to REACH - 1: dense in some order of the
 * dimensions, somewhere. */
static Value *index_tile(Gen *g, const Type *t)
{
    int order[MAX_RANK], step = 1;
    int64_t left = type_numel(t), room = REACH - 1;
    for (int d = 0; d < t->rank; d++)
        order[d] = d;
    if (one_in(g, 3) && t->rank > 1) {
        int d = below(g, t->rank - 1);
        order[d] = d + 1;
        order[d + 1] = d;
    }
    if (one_in(g, 4) && type_numel(t) * 3 < REACH)
        step = 2 + below(g, 2);
    int64_t stride = step;
    Value *sum = NULL;
    for (int i = t->rank - 1; i >= 0; i--) {
        Value *v = along(g, t, order[i], stride);
        sum = sum == NULL ? v : build_binary(&g->b, OP_add, sum, v);
        int32_t extent = t->dims[order[i]];
        room -= stride * (extent - 1);
        left /= extent;
        bool gap = one_in(g, 6) && stride * (extent + 1) * left < REACH;
        stride *= extent + gap;
    }
    if (room < 20)
        return sum;
    Value *base = one_in(g, 2) ? small_scalar(g, 16)
                               : build_int(&g->b, type_scalar(g->m, DT_I32), below(g, 16));
    return build_binary(&g->b, OP_add, sum, build_splat(&g->b, base, sum->type));
}

/* Offsets as rows and columns, by a length that is known when the kernel runs. */
static void divide_offsets(Gen *g)
{
    static const DType dtypes[] = {DT_I32, DT_I32, DT_I64, DT_I16, DT_U8, DT_U32};
    const Type *t = some_tile(g)->type, *ints = type_with_dtype(g->m, t, DT_I32);
    DType d = dtypes[below(g, COUNT(dtypes))];
    Value *v = along(g, t, below(g, t->rank), 1 + below(g, 3));
    Value *start = one_in(g, 4) ? scalar_int(g) : small_scalar(g, 1000);
    Value *by = one_in(g, 4) ? scalar_int(g) : small_scalar(g, 200);
    v = build_binary(&g->b, OP_add, v, build_splat(&g->b, start, ints));
    Value *divisor =
        build_splat(&g->b, build_cast(&g->b, by, d, ROUND_NEAREST), type_with_dtype(g->m, t, d));
    v = build_cast(&g->b, v, d, ROUND_NEAREST);
    v = build_binary(&g->b, one_in(g, 2) ? OP_div : OP_rem, v, divisor);
    keep(g, build_cast(&g->b, v, DT_I32, ROUND_NEAREST));
}

static Value *address_into(Gen *g, Value *array, const Type *t, bool differ)
{
    Value *base = build_splat(&g->b, array, t), *offset;
    const Type *ints = type_with_dtype(g->m, t, DT_I32);
    if (!differ && one_in(g, 4)) {
        offset = build_binary(&g->b, OP_and, any(g, ints), build_int(&g->b, ints, 255));
    } else {
        offset = index_tile(g, t);
    }
    Value *p = build_addptr(&g->b, base, offset);
    return one_in(g, 2) ? p : keep(g, p);
}

/* Pointers into the array, apart from each other. */
static bool is_address(const Value *v, const Value *array, const Type *t)
{
    if (!v->type->pointer || !type_same_shape(v->type, t) || !v->def || v->def->code != OP_addptr)
        return false;
    const Op *base = v->def->operands[0]->def, *offset = v->def->operands[1]->def;
    return base && base->code == OP_splat && base->operands[0] == array && offset->code != OP_and;
}

/* Old addresses are good: what lies there then was written by this kernel. */
static Value *address(Gen *g, Value *array, const Type *t, bool differ)
{
    for (int tries = 0; tries < 6 && g->n > 0; tries++) {
        Value *v = g->values[below(g, g->n)];
        if (is_address(v, array, t))
            return v;
    }
    return address_into(g, array, t, differ);
}

/* What memory keeps a value of this type as. */
static DType stored_as(DType d)
{
    return dtype_is_float(d) ? d : DT_I32;
}

/* One of the arrays of this type. */
static Value *array_of(Gen *g, DType d)
{
    int first = 0, n = 0;
    for (int i = ARRAYS; i-- > 0;) {
        if (array_types[i] == d) {
            first = i;
            n++;
        }
    }
    return g->arrays[first + below(g, n)];
}

static Value *mask_for(Gen *g, const Type *t)
{
    const Type *ints = type_with_dtype(g->m, t, DT_I32);
    if (one_in(g, 2))
        return any(g, type_with_dtype(g->m, t, DT_I1));
    Value *limit = one_in(g, 2) ? small_scalar(g, 64) : constant(g, type_scalar(g->m, DT_I32));
    Value *at = one_in(g, 2) ? along(g, t, below(g, t->rank), 1) : index_tile(g, t);
    return keep(
        g, build_binary(&g->b, one_in(g, 2) ? OP_lt : OP_le, at, build_splat(&g->b, limit, ints)));
}

static Value *load_tile(Gen *g, const Type *t)
{
    DType d = stored_as(t->dtype);
    const Type *memory = type_with_dtype(g->m, t, d);
    Value *operands[3] = {address(g, array_of(g, d), memory, false)};
    int n = 1;
    if (one_in(g, 2))
        operands[n++] = mask_for(g, t);
    if (n == 2 && one_in(g, 2))
        operands[n++] = constant(g, memory);
    const int64_t attrs[3] = {0};
    Value *v = build_op(&g->b, OP_load, n, operands, 3, attrs, 0, NULL)->results[0];
    keep(g, v);
    return t->dtype == d ? v : keep(g, build_cast(&g->b, v, t->dtype, ROUND_NEAREST));
}

static void load(Gen *g)
{
    const Type *t = some_type(g);
    if (t->rank > 0) {
        load_tile(g, t);
        return;
    }
    DType d = stored_as(t->dtype);
    Value *p = build_addptr(&g->b, array_of(g, d), small_scalar(g, 32));
    keep(g, build_op(&g->b, OP_load, 1, &p, 3, (const int64_t[3]){0}, 0, NULL)->results[0]);
}

static void barrier(Gen *g)
{
    if (g->apart)
        build_op(&g->b, OP_barrier, 0, NULL, 0, NULL, 0, NULL);
}

static void store(Gen *g)
{
    Value *v = some_tile(g);
    DType d = stored_as(v->type->dtype);
    if (v->type->dtype != d)
        v = build_cast(&g->b, v, d, ROUND_NEAREST);
    Value *operands[3] = {address(g, array_of(g, d), v->type, true), v};
    int n = 2;
    if (one_in(g, 2))
        operands[n++] = mask_for(g, v->type);
    barrier(g);
    build_op(&g->b, OP_store, n, operands, 2, (const int64_t[2]){0}, 0, NULL);
    barrier(g);
}

static Value *field_address(Gen *g, Value *array, int field, Value *record)
{
    Value *first = build_int(&g->b, type_scalar(g->m, DT_I32), field);

    return build_addptr(&g->b, build_splat(&g->b, build_addptr(&g->b, array, first), record->type),
                        record);
}

/* To all fields of records in some order, or to one less, or once more to one; what lies there is
 * read on the way. */
static void store_fields(Gen *g)
{
    const Type *t = some_tile(g)->type, *ints = type_with_dtype(g->m, t, DT_I32);
    int step = 2 + below(g, 4), first = below(g, 8), turn = below(g, step);
    int count = step - 1 + below(g, 3);
    int64_t stride = step;
    DType d = stored_as(t->dtype);
    if (type_numel(t) * step + 8 > REACH)
        return;
    Value *record = build_int(&g->b, ints, 0), *array = array_of(g, d);
    for (int i = t->rank; i-- > 0; stride *= t->dims[i])
        record = build_binary(&g->b, OP_add, record, along(g, t, i, stride));
    Value *mask = one_in(g, 2) ? mask_for(g, t) : NULL;
    for (int k = 0; k < count; k++) {
        Value *to = field_address(g, array, first + (k + turn) % step, record);
        Value *operands[3] = {to, any(g, t), mask};
        if (t->dtype != d)
            operands[1] = build_cast(&g->b, operands[1], d, ROUND_NEAREST);
        barrier(g);
        build_op(&g->b, OP_store, mask ? 3 : 2, operands, 2, (const int64_t[2]){0}, 0, NULL);
        barrier(g);
        if (t->dtype == d && one_in(g, 4)) {
            Value *from = field_address(g, array, first + below(g, step), record);
            keep(g,
                 build_op(&g->b, OP_load, 1, &from, 3, (const int64_t[3]){0}, 0, NULL)->results[0]);
        }
    }
}

static void scalar_store(Gen *g)
{
    Value *p = build_addptr(&g->b, array_of(g, DT_I32), small_scalar(g, 32));
    Value *v = scalar_int(g);
    barrier(g);
    build_op(&g->b, OP_store, 2, (Value *[]){p, v}, 2, (const int64_t[2]){0}, 0, NULL);
    barrier(g);
}

/* Whole numbers stay whole numbers, and floats small: nothing is added to them. */
static void atomic(Gen *g)
{
    static const int64_t ints[] = {RMW_ADD, RMW_ADD, RMW_AND, RMW_OR,
                                   RMW_XOR, RMW_MIN, RMW_MAX, RMW_XCHG};
    static const int64_t floats[] = {RMW_XCHG, RMW_MIN, RMW_MAX};
    bool is_float = one_in(g, 4);
    const Type *t = random_shape(g, is_float ? DT_FP32 : DT_I32);
    Value *operands[3] = {address(g, array_of(g, t->dtype), t, true), any(g, t)};
    const int64_t attrs[3] = {is_float ? floats[below(g, COUNT(floats))]
                                       : ints[below(g, COUNT(ints))]};
    int n = 2;
    if (one_in(g, 2))
        operands[n++] = mask_for(g, t);
    barrier(g);
    keep(g, build_op(&g->b, OP_atomic_rmw, n, operands, 3, attrs, 0, NULL)->results[0]);
    barrier(g);
}

/* --- whole tiles --- */

static void reshape(Gen *g)
{
    Value *v = some_tile(g);
    int64_t n = type_numel(v->type);
    int32_t dims[3] = {1, 1, 1};
    int rank = 1 + below(g, 3);
    for (int d = 0; d < rank - 1; d++) {
        static const int32_t factors[] = {1, 2, 3, 4, 7, 8};
        int32_t f = factors[below(g, COUNT(factors))];
        dims[d] = n % f == 0 ? f : 1;
        n /= dims[d];
    }
    dims[rank - 1] = (int32_t)n;
    keep(g, build_reshape(&g->b, v, rank, dims));
}

static void move(Gen *g)
{
    Value *v = some_tile(g);
    int rank = v->type->rank, dims[MAX_RANK];
    switch (below(g, 5)) {
    case 0:
        reshape(g);
        break;
    case 4: {
        int64_t starts[MAX_RANK];
        Type part = *v->type;
        for (int d = 0; d < rank; d++) {
            part.dims[d] = 1 + below(g, v->type->dims[d]);
            starts[d] = below(g, v->type->dims[d] - part.dims[d] + 1);
        }
        keep(g, build_slice(&g->b, v, starts, part.dims));
        break;
    }
    case 1:
        for (int d = 0; d < rank; d++)
            dims[d] = (d + 1) % rank;
        keep(g, build_permute(&g->b, v, dims));
        break;
    case 2:
        if (rank < 3)
            keep(g, build_expand(&g->b, v, below(g, rank + 1)));
        break;
    default: {
        Type wide = *v->type;
        for (int d = 0; d < rank; d++) {
            if (wide.dims[d] == 1 && type_numel(&wide) <= 64)
                wide.dims[d] = 2 + below(g, 7);
        }
        keep(g, build_broadcast(&g->b, v, type_of(g->m, wide)));
    }
    }
}

static void fold_region(Gen *g, Op *op, DType d)
{
    static const OpCode ints[] = {OP_add, OP_min, OP_max, OP_and, OP_or, OP_xor, OP_mul};
    static const OpCode floats[] = {OP_min, OP_max, OP_add};
    int sums = dtype_size(d) > 2; /* else they would round */
    Block *r = op->regions[0];
    const Type *t = type_scalar(g->m, d);
    Value *x = block_add_arg(r, t), *y = block_add_arg(r, t);
    Builder b = builder_at_end(g->b.func, r);
    OpCode code = dtype_is_float(d) ? floats[below(g, 2 + sums)] : ints[below(g, COUNT(ints))];
    Value *out = build_binary(&b, code, x, y);
    build_yield(&b, OP_yield, 1, &out);
}

static Value *reduce_along(Gen *g, Value *v, int64_t axis)
{
    Type t = *v->type;
    t.rank--;
    memmove(t.dims + axis, t.dims + axis + 1, sizeof t.dims[0] * (size_t)(t.rank - axis));
    const Type *result = type_of(g->m, t);
    Op *op = build_op(&g->b, OP_reduce, 1, &v, 1, &axis, 1, &result);
    fold_region(g, op, t.dtype);
    return keep(g, settle(g, op->results[0]));
}

static void reduce(Gen *g)
{
    Value *v = some_tile(g);
    reduce_along(g, v, below(g, v->type->rank));
}

static void scan(Gen *g)
{
    Value *v = some_tile(g);
    const int64_t attrs[2] = {below(g, v->type->rank), below(g, 2)};
    Op *op = build_op(&g->b, OP_scan, 1, &v, 2, attrs, 1, &v->type);
    fold_region(g, op, v->type->dtype);
    keep(g, settle(g, op->results[0]));
}

/* The larger of two values and where it is, the first of equal ones: of any two types. */
static void larger_region(Gen *g, Op *op)
{
    Block *r = op->regions[0];
    Value *a[4];
    for (int i = 0; i < 4; i++)
        a[i] = block_add_arg(r, type_scalar(g->m, op->operands[i % 2]->type->dtype));
    Builder b = builder_at_end(g->b.func, r);
    Value *more = build_binary(&b, OP_gt, a[0], a[2]), *same = build_binary(&b, OP_eq, a[0], a[2]);
    Value *first = build_binary(&b, OP_and, same, build_binary(&b, OP_lt, a[1], a[3]));
    Value *take = build_binary(&b, OP_or, more, first);
    Value *out[2] = {build_select(&b, take, a[0], a[2]), build_select(&b, take, a[1], a[3])};
    build_yield(&b, OP_yield, 2, out);
}

/* The largest of a row and where it is, or of a row so far. */
static void argmax(Gen *g)
{
    static const DType dtypes[] = {DT_I32, DT_FP32, DT_I64,  DT_I8,  DT_I32,
                                   DT_I16, DT_FP16, DT_BF16, DT_FP64};
    const Type *t = random_shape(g, dtypes[below(g, COUNT(dtypes))]);
    const int64_t attrs[2] = {below(g, t->rank), below(g, 2)};
    bool scans = one_in(g, 2);
    Value *at = along(g, t, (int)attrs[0], 1);
    Value *in[2] = {any(g, t), at};
    DType to = dtypes[below(g, COUNT(dtypes))];
    if (to != DT_I32)
        in[1] = build_cast(&g->b, at, to, ROUND_NEAREST);
    const Type *given[2];
    for (int i = 0; i < 2; i++) {
        Type small = *in[i]->type;
        small.rank--;
        memmove(small.dims + attrs[0], small.dims + attrs[0] + 1,
                sizeof small.dims[0] * (size_t)(small.rank - attrs[0]));
        given[i] = scans ? in[i]->type : type_of(g->m, small);
    }
    Op *op = build_op(&g->b, scans ? OP_scan : OP_reduce, 2, in, scans ? 2 : 1, attrs, 2, given);
    larger_region(g, op);
    for (int i = 0; i < 2; i++)
        keep(g, settle(g, op->results[i]));
}

static void dot(Gen *g)
{
    static const int32_t extents[] = {1, 3, 8, 16, 17};
    int32_t m = extents[below(g, COUNT(extents))], n = extents[below(g, COUNT(extents))];
    int32_t k = extents[below(g, COUNT(extents))];
    static const DType dtypes[] = {DT_I8, DT_FP16, DT_BF16, DT_FP32};
    DType d = dtypes[below(g, COUNT(dtypes))], sum = d == DT_I8 ? DT_I32 : DT_FP32;
    Value *in[3] = {any(g, type_tile(g->m, d, 2, (int32_t[]){m, k})),
                    any(g, type_tile(g->m, d, 2, (int32_t[]){k, n})),
                    any(g, type_tile(g->m, sum, 2, (int32_t[]){m, n}))};
    const int64_t ieee = PRECISION_IEEE;
    Op *op = build_op(&g->b, OP_dot, 3, in, 1, &ieee, 1, &in[2]->type);
    keep(g, settle(g, op->results[0]));
}

/* --- products in a loop --- */

typedef struct {
    Builder b;
    int n;
} Outside;

static Outside enter(Gen *g, Block *b)
{
    Outside o = {g->b, g->n};
    g->b = builder_at_end(g->b.func, b);
    g->depth++;
    return o;
}

static void leave(Gen *g, Outside o)
{
    g->b = o.b;
    g->n = o.n;
    g->depth--;
}

/* What a loop that advances pointers multiplies. */
typedef struct {
    const Type *type;
    Value *start, *now; /* pointers: in front of the loop, in a round */
    int step;           /* elements from one round to the next */
    DType used;         /* the type that it is multiplied in */
} Factor;

/* An i32 tile of indices along a dimension, of which no more than `most` differ. */
static Value *wrapped(Gen *g, const Type *t, int dim, int most, int64_t stride)
{
    Value *v = build_arange(&g->b, 0, t->dims[dim]);
    if (most < t->dims[dim])
        v = build_binary(&g->b, OP_rem, v, build_int(&g->b, v->type, most));
    v = build_binary(&g->b, OP_mul, v, build_int(&g->b, v->type, stride));
    v = build_expand(&g->b, v, 1 - dim);
    return build_broadcast(&g->b, v, type_with_dtype(g->m, t, DT_I32));
}

/* An i32 tile of a stride times the row's number; one in three strides only the launch knows. */
static Value *rows_apart(Gen *g, const Type *t)
{
    static const int strides[] = {16, 17, 18, 20, 22, 32, 35};
    if (below(g, 3))
        return wrapped(g, t, 0, 8, strides[below(g, COUNT(strides))]);
    Value *v = wrapped(g, t, 0, 8, 1);
    return build_binary(&g->b, OP_mul, v, build_splat(&g->b, g->ragged, v->type));
}

/* Rows mostly begin at no multiple of 16 bytes; all rounds stay below REACH.  What lies in memory
 * as `d` is multiplied as `used`. */
static Factor factor(Gen *g, DType d, DType used, int32_t rows, int32_t columns)
{
    static const int wraps[] = {16, 30, 31, 64};
    Factor f = {.type = type_tile(g->m, d, 2, (int32_t[]){rows, columns}),
                .step = below(g, 21),
                .used = used};
    Value *array = array_of(g, stored_as(d));
    if (d == DT_I8) {
        const Type *bytes = type_pointer(g->m, d, false);
        const int64_t round = ROUND_NEAREST;
        array = build_op(&g->b, OP_cast, 1, &array, 1, &round, 1, &bytes)->results[0];
    }
    Value *at = rows_apart(g, f.type);
    Value *column = wrapped(g, f.type, 1, wraps[below(g, COUNT(wraps))], 1);
    at = build_binary(&g->b, OP_add, at, column);
    f.start = build_addptr(&g->b, build_splat(&g->b, array, f.type), at);
    return f;
}

/* What a round has of a factor, which it may change before it is multiplied. */
static Value *factor_of_round(Gen *g, const Factor *f)
{
    Value *operands[2] = {f->now};
    bool masked = one_in(g, 4);
    if (masked) {
        Value *at = wrapped(g, f->type, below(g, 2), 64, 1);
        operands[1] = build_binary(&g->b, OP_lt, at, build_int(&g->b, at->type, below(g, 70)));
    }
    Value *v = build_op(&g->b, OP_load, 1 + masked, operands, 3, (const int64_t[3]){0}, 0, NULL)
                   ->results[0];
    if (one_in(g, 3))
        v = f->type->dtype == DT_I8
                ? build_binary(&g->b, OP_xor, v, build_int(&g->b, v->type, below(g, 100)))
                : build_binary(&g->b, OP_max, v, build_float(&g->b, v->type, below(g, 9)));
    if (v->type->dtype == DT_I8 && dtype_size(f->used) == 1 && f->used != DT_I8)
        v = build_cast(&g->b, v, DT_FP16, ROUND_NEAREST); /* there is no cast from i8 to fp8 */
    return v->type->dtype == f->used ? v : build_cast(&g->b, v, f->used, ROUND_NEAREST);
}

/* What two factors lie in memory as, and what they are multiplied as; every type of a factor holds
 * all numbers that it may get, but those of 8 bits, which round before they are multiplied. */
static void factor_types(Gen *g, DType memory[2], DType *used)
{
    static const DType in_memory[] = {DT_I8, DT_FP16, DT_BF16, DT_FP32};
    static const DType floats[] = {DT_FP16, DT_BF16, DT_FP32, DT_FP8E5, DT_FP8E4NV};
    memory[0] = in_memory[below(g, COUNT(in_memory))];
    memory[1] = one_in(g, 3) ? in_memory[below(g, COUNT(in_memory))] : memory[0];
    *used = memory[0];
    if (memory[0] != memory[1] || one_in(g, 4))
        *used = floats[below(g, COUNT(floats))];
}

/* As people write a product: loads of rows of any length that a target may ask for some rounds
 * ahead, in blocks that may take more registers than a thread has. */
static void product(Gen *g)
{
    static const int32_t small[] = {5, 8, 16, 32}, large[] = {64, 64, 128};
    bool is_large = one_in(g, 4);
    const int32_t *extents = is_large ? large : small;
    int n_extents = is_large ? COUNT(large) : COUNT(small);
    int32_t m = extents[below(g, n_extents)], n = extents[below(g, n_extents)],
            k = 16 << below(g, 2);
    DType memory[2], used;
    factor_types(g, memory, &used);
    if (is_large && used != DT_FP32 && one_in(g, 3))
        k = 64;
    const Type *i32 = type_scalar(g->m, DT_I32);
    const Type *sum = type_tile(g->m, used == DT_I8 ? DT_I32 : DT_FP32, 2, (int32_t[]){m, n});
    Factor f[2] = {factor(g, memory[0], used, m, k), factor(g, memory[1], used, k, n)};
    Value *trips = one_in(g, 2) ? small_scalar(g, 4) : build_int(&g->b, i32, 1 + below(g, 3));
    Value *in[6] = {build_int(&g->b, i32, 0),   trips,      build_int(&g->b, i32, 1),
                    build_const(&g->b, sum, 0), f[0].start, f[1].start};
    const Type *types[3] = {sum, f[0].start->type, f[1].start->type};
    const int64_t attrs[2] = {0, below(g, 5)}, ieee = PRECISION_IEEE;
    Op *op = build_op(&g->b, OP_for, COUNT(in), in, 2, attrs, 3, types);
    Outside o = enter(g, op->regions[0]);
    block_add_arg(op->regions[0], i32);
    Value *carried[3], *factors[3], *next[3];
    for (int i = 0; i < 3; i++)
        carried[i] = block_add_arg(op->regions[0], types[i]);
    for (int i = 0; i < 2; i++) {
        f[i].now = carried[i + 1];
        factors[i] = factor_of_round(g, &f[i]);
        const Type *steps = type_with_dtype(g->m, f[i].type, DT_I32);
        next[i + 1] = build_addptr(&g->b, f[i].now, build_int(&g->b, steps, f[i].step));
    }
    factors[2] = carried[0];
    next[0] = build_op(&g->b, OP_dot, 3, factors, 1, &ieee, 1, &sum)->results[0];
    build_yield(&g->b, OP_yield, 3, next);
    leave(g, o);
    Value *result = settle(g, op->results[0]);
    if (m * n <= RESULT_SIZE)
        keep(g, result);
    reduce_along(g, result, below(g, 2));
}

/* Integers of which some, and mostly most, are below 16. */
static Value *places(Gen *g, const Type *t)
{
    Value *v = any(g, t);

    if (t->dtype == DT_I1 || one_in(g, 3))
        return v;
    return build_binary(&g->b, OP_and, v, build_int(&g->b, t, 15));
}

static void gather(Gen *g)
{
    static const DType dtypes[] = {DT_I32, DT_I32, DT_I64, DT_I8, DT_I1};
    Value *v = some_tile(g);
    int64_t axis = below(g, v->type->rank);
    Type t = *v->type;
    t.dtype = dtypes[below(g, COUNT(dtypes))];
    if (one_in(g, 2)) /* no larger than other tiles are */
        t.dims[axis] = 1 + below(g, MAX(t.dims[axis], 20 / (int)type_numel(v->type)));
    Value *operands[] = {v, places(g, type_of(g->m, t))};
    const Type *result = type_with_dtype(g->m, operands[1]->type, v->type->dtype);
    keep(g, build_op(&g->b, OP_gather, 2, operands, 1, &axis, 1, &result)->results[0]);
}

static void histogram(Gen *g)
{
    const int32_t extent[] = {(int32_t)type_numel(random_shape(g, DT_I32))};
    const int32_t bins[] = {1 + below(g, 40)};
    const Type *t = type_tile(g->m, one_in(g, 3) ? DT_I8 : DT_I32, 1, extent);
    const Type *counts = type_tile(g->m, DT_I32, 1, bins);
    Value *operands[2] = {places(g, t)};
    int n = 1;
    if (one_in(g, 2))
        operands[n++] = mask_for(g, t);
    keep(g, build_op(&g->b, OP_histogram, n, operands, 0, NULL, 1, &counts)->results[0]);
}

static void sort(Gen *g)
{
    static const DType dtypes[] = {DT_I32, DT_I32, DT_U8, DT_I16, DT_I64, DT_U64};
    Type t = *random_shape(g, DT_I32);
    t.dtype = dtypes[below(g, COUNT(dtypes))];
    Value *v = any(g, type_of(g->m, t));
    const int64_t descending = one_in(g, 2);
    if (one_in(g, 2))
        t.dims[t.rank - 1] = 1 + below(g, t.dims[t.rank - 1]);
    const Type *first = type_of(g->m, t);
    keep(g, build_op(&g->b, OP_sort, 1, &v, 1, &descending, 1, &first)->results[0]);
}

/* --- control --- */

static void statement(Gen *g);

static void some_statements(Gen *g)
{
    for (int i = 1 + below(g, 4); i > 0; i--)
        statement(g);
}

/* Pointers step along by one element, others are any value of the type. */
static Value *next_of(Gen *g, Value *carried)
{
    if (!carried->type->pointer)
        return any(g, carried->type);
    Value *step = build_int(&g->b, type_with_dtype(g->m, carried->type, DT_I32), 1 + below(g, 3));
    return build_addptr(&g->b, carried, step);
}

static Value *something(Gen *g)
{
    Value *v = g->n > 0 ? g->values[g->n - 1 - below(g, MIN(g->n, 30))] : NULL;
    return v != NULL && !v->type->pointer ? v : any(g, some_type(g));
}

static void loop(Gen *g)
{
    const Type *i32 = type_scalar(g->m, DT_I32);
    Value *in[7], *next[4];
    const Type *types[4];
    int n = below(g, 4);
    Value *trips = one_in(g, 2) ? small_scalar(g, 4) : build_int(&g->b, i32, below(g, 5));
    bool down = one_in(g, 5);
    in[0] = down ? trips : build_int(&g->b, i32, 0);
    in[1] = down ? build_int(&g->b, i32, 0) : trips;
    in[2] = build_int(&g->b, i32, down ? -1 : 1);
    for (int i = 0; i < n; i++) {
        in[3 + i] = something(g);
        if (one_in(g, 4))
            in[3 + i] = address(g, array_of(g, DT_I32), random_shape(g, DT_I32), true);
        types[i] = in[3 + i]->type;
    }
    const int64_t unroll = one_in(g, 6) ? 2 : 0;
    Op *op = build_op(&g->b, OP_for, 3 + n, in, 1, &unroll, n, types);
    Outside o = enter(g, op->regions[0]);
    keep(g, block_add_arg(op->regions[0], i32));
    for (int i = 0; i < n; i++)
        keep(g, block_add_arg(op->regions[0], types[i]));
    some_statements(g);
    for (int i = 0; i < n; i++)
        next[i] = next_of(g, op->regions[0]->args[i + 1]);
    build_yield(&g->b, OP_yield, n, next);
    leave(g, o);
    for (int i = 0; i < n; i++) {
        if (!types[i]->pointer)
            keep(g, op->results[i]);
    }
}

/* Counts down from a number below 4 and carries two more values. */
static void while_loop(Gen *g)
{
    const Type *i32 = type_scalar(g->m, DT_I32);
    Value *in[3] = {small_scalar(g, 4), something(g), something(g)};
    const Type *types[3] = {i32, in[1]->type, in[2]->type};
    Op *op = build_op(&g->b, OP_while, 3, in, 0, NULL, 3, types);
    Value *pass[4], *next[3];
    Outside o = enter(g, op->regions[0]);
    for (int i = 0; i < 3; i++)
        pass[i + 1] = block_add_arg(op->regions[0], types[i]);
    keep(g, pass[2]);
    keep(g, pass[3]);
    if (one_in(g, 2))
        statement(g);
    pass[0] = build_binary(&g->b, OP_gt, pass[1], build_int(&g->b, i32, 0));
    if (one_in(g, 2))
        pass[2] = any(g, types[1]);
    build_yield(&g->b, OP_condition, 4, pass);
    leave(g, o);
    o = enter(g, op->regions[1]);
    Value *count = block_add_arg(op->regions[1], i32);
    keep(g, block_add_arg(op->regions[1], types[1]));
    keep(g, block_add_arg(op->regions[1], types[2]));
    some_statements(g);
    next[0] = build_binary(&g->b, OP_sub, count, build_int(&g->b, i32, 1));
    next[1] = any(g, types[1]);
    next[2] = any(g, types[2]);
    build_yield(&g->b, OP_yield, 3, next);
    leave(g, o);
    keep(g, op->results[1]);
    keep(g, op->results[2]);
}

static void branch(Gen *g)
{
    const Type *types[2];
    Value *flag = any(g, type_scalar(g->m, DT_I1)), *out[2];
    int n = below(g, 3);
    for (int i = 0; i < n; i++)
        types[i] = something(g)->type;
    Op *op = build_op(&g->b, OP_if, 1, &flag, 0, NULL, n, types);
    for (int r = 0; r < 2; r++) {
        Outside o = enter(g, op->regions[r]);
        if (r == 0 || one_in(g, 2))
            some_statements(g);
        for (int i = 0; i < n; i++)
            out[i] = any(g, types[i]);
        build_yield(&g->b, OP_yield, n, out);
        leave(g, o);
    }
    for (int i = 0; i < n; i++)
        keep(g, op->results[i]);
}

/* --- the kernel --- */

static void statement(Gen *g)
{
    static void (*const kinds[])(Gen * g) = {
        arithmetic, arithmetic, arithmetic, compare, convert,      load,          load,
        store,      store,      store,      move,    move,         reduce,        reduce,
        scan,       argmax,     atomic,     dot,     scalar_store, gather,        gather,
        histogram,  sort,       argmax,     product, store_fields, divide_offsets};
    static void (*const control[])(Gen * g) = {loop, loop, loop, branch, branch, while_loop};
    if (g->depth < 2 && one_in(g, 6))
        control[below(g, COUNT(control))](g);
    else
        kinds[below(g, COUNT(kinds))](g);
}

static Value *program_id(Gen *g)
{
    const Type *i32 = type_scalar(g->m, DT_I32);
    const int64_t axis = 0;
    return build_op(&g->b, OP_program_id, 0, NULL, 1, &axis, 1, &i32)->results[0];
}

/* Store some of the values, each at a place of its own. */
static void store_results(Gen *g)
{
    Value *pid = program_id(g);
    const Type *i32 = type_scalar(g->m, DT_I32);
    for (int k = 0; k < RESULTS && g->n > 0; k++) {
        Value *v = g->values[g->n - 1 - below(g, MIN(g->n, 24))];
        if (v->type->pointer || type_numel(v->type) > RESULT_SIZE)
            continue;
        bool is_float = dtype_is_float(v->type->dtype);
        Value *x = build_cast(&g->b, v, is_float ? DT_FP32 : DT_I32, ROUND_NEAREST);
        Value *flat = build_reshape(&g->b, x, 1, (const int32_t[]){(int32_t)type_numel(v->type)});
        Value *first =
            build_binary(&g->b, OP_mul, pid, build_int(&g->b, i32, RESULTS * RESULT_SIZE));
        first = build_binary(&g->b, OP_add, first, build_int(&g->b, i32, k * RESULT_SIZE));
        Value *p = build_addptr(&g->b, is_float ? g->out_float : g->out_int, first);
        Value *at = build_addptr(&g->b, build_splat(&g->b, p, flat->type),
                                 build_arange(&g->b, 0, flat->type->dims[0]));
        build_op(&g->b, OP_store, 2, (Value *[]){at, flat}, 2, (const int64_t[2]){0}, 0, NULL);
    }
}

static Value *parameter(Gen *g, Func *f, DType d, const char *name)
{
    return func_add_param(f, name, type_pointer(g->m, d, false), g->aligned ? 16 : 0);
}

/* The array's part that belongs to this program. */
static Value *own_region(Gen *g, Value *array)
{
    const Type *i32 = type_scalar(g->m, DT_I32);
    Value *first = build_binary(&g->b, OP_mul, program_id(g), build_int(&g->b, i32, REGION));
    return build_addptr(&g->b, array, first);
}

/* The text of the kernel with this number.  Its parameters: the arrays, the results of integers and
 * of floats, and a scalar.  Aligned: arrays are promised to lie at multiples of 16 bytes. */
static const char *random_kernel(Arena *a, uint64_t seed, bool aligned, bool apart)
{
    Gen g = {.rng = seed * 1000003, .aligned = aligned, .apart = apart};
    g.m = module_new(a, interner_new(a), NULL);
    Func *f = func_new(g.m, "k", (Span){0});
    static const char *const names[] = {"a", "b", "c", "x", "y", "half", "brain", "wide"};
    f->is_kernel = true;
    for (int i = 0; i < ARRAYS; i++)
        g.arrays[i] = parameter(&g, f, array_types[i], names[i]);
    g.out_int = parameter(&g, f, DT_I32, "out_int");
    g.out_float = parameter(&g, f, DT_FP32, "out_float");
    g.ragged = keep(&g, func_add_param(f, "n", type_scalar(g.m, DT_I32), 0));
    g.b = builder_at_end(f, f->body);
    for (int i = 0; i < ARRAYS && apart; i++)
        g.arrays[i] = own_region(&g, g.arrays[i]);
    keep(&g, program_id(&g));
    for (int i = 0; i < STATEMENTS; i++)
        statement(&g);
    store_results(&g);
    build_yield(&g.b, OP_return, 0, NULL);
    return ir_print(g.m, a);
}

#endif
