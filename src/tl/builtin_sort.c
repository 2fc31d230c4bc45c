/*
 * builtin_sort.c - sort, topk and bitonic_merge (semantics R256)
 *
 * The op sorts integers.  Floats become integers in the same order, *keys*, and come back from
 * them: the bits of a positive number are in order already, those of a negative one the other way
 * round.  NaN is greater than all numbers, whatever its sign, which it loses.
 *
 * Both zeros are one number, and equal elements keep their order.  So the key of a zero says where
 * in the row it stood, and which of the two it is: a row of n takes 2 n keys for that, and negative
 * numbers move away from the positive ones to make room.  That is theirs as long as n is not more
 * than there are NaNs.
 */
#include "tl.h"

enum { LONGEST_SINGLE = 1 << 22 }; /* rows whose zeros have room among the keys of fp32 */

/* A tile and the type of its keys. */
typedef struct {
    Lower *l;
    const Type *type; /* signed integers as wide as the floats */
    int64_t n;        /* of a row */
    bool descending;
} Keys;

static Value *integer(const Keys *k, const Value *like, int64_t v)
{
    return build_int(&k->l->b, like->type, v);
}

static Value *op2(const Keys *k, OpCode code, Value *x, Value *y)
{
    return build_binary(&k->l->b, code, x, y);
}

/* All ones of what is negative, else 0. */
static Value *signs(const Keys *k, Value *x)
{
    return op2(k, OP_shr, x, integer(k, x, dtype_bits(k->type->dtype) - 1));
}

static int64_t most(const Keys *k)
{
    return INT64_MAX >> (64 - dtype_bits(k->type->dtype));
}

/* How far negative numbers move: of the 2 n keys of zeros they had one, as positive ones have. */
static int64_t room(const Keys *k)
{
    return 2 * k->n - 2;
}

/* -room - 1 for the first element of a row if it is -0, to 0 for the last one if it is 0. */
static Value *keys_of_zeros(const Keys *k, Value *sign)
{
    Value *index = indices_along(k->l, sign, sign->type->rank - 1);

    if (k->descending)
        index = op2(k, OP_sub, integer(k, index, k->n - 1), index);
    Value *shift = integer(k, index, room(k));
    index = op2(k, OP_sub, op2(k, OP_add, index, index), shift);
    return op2(k, OP_add, build_cast(&k->l->b, index, k->type->dtype, ROUND_NEAREST), sign);
}

static Value *to_keys(const Keys *k, Value *v)
{
    Builder *b = &k->l->b;
    Value *bits = build_bitcast(b, v, k->type->dtype), *sign = signs(k, bits);
    Value *positive = op2(k, OP_and, bits, integer(k, bits, most(k)));
    Value *ordered = op2(k, OP_xor, bits, op2(k, OP_and, sign, integer(k, bits, most(k))));
    Value *zero = op2(k, OP_eq, v, build_float(b, v->type, 0));

    ordered = op2(k, OP_sub, ordered, op2(k, OP_and, sign, integer(k, bits, room(k))));
    ordered = build_select(b, zero, keys_of_zeros(k, sign), ordered);
    return build_select(b, build_unary(b, OP_isnan, v), positive, ordered);
}

static Value *from_keys(const Keys *k, Value *keys, DType t)
{
    Builder *b = &k->l->b;
    DType bits = k->type->dtype;
    Value *sign = signs(k, keys), *last_bit = integer(k, keys, dtype_bits(bits) - 1);
    Value *moved = op2(k, OP_add, keys, op2(k, OP_and, sign, integer(k, keys, room(k))));
    Value *number = op2(k, OP_xor, moved, op2(k, OP_and, sign, integer(k, keys, most(k))));
    Value *behind = op2(k, OP_add, keys, integer(k, keys, room(k) + 1));

    behind = build_bitcast(b, behind, bits == DT_I32 ? DT_U32 : DT_U64);
    Value *zero = op2(k, OP_le, behind, integer(k, behind, room(k) + 1));
    number = build_select(b, zero, op2(k, OP_shl, keys, last_bit), number); /* odd: -0 */
    return build_bitcast(b, number, t);
}

/* The first `wanted` integers of each row in order. */
static Value *sort_integers(Lower *l, Value *v, int64_t wanted, bool descending)
{
    Type first = *v->type;
    const int64_t attr = descending;

    first.dims[first.rank - 1] = (int32_t)wanted;
    const Type *t = type_tile(l->module, first.dtype, first.rank, first.dims);
    return build_op(&l->b, OP_sort, 1, &v, 1, &attr, 1, &t)->results[0];
}

static Value *sort_floats(Lower *l, Value *v, int64_t wanted, bool descending)
{
    DType t = v->type->dtype;
    Keys k = {.l = l, .n = v->type->dims[v->type->rank - 1], .descending = descending};

    k.type = type_with_dtype(l->module, v->type, t == DT_FP64 ? DT_I64 : DT_I32);
    return from_keys(&k, sort_integers(l, to_keys(&k, v), wanted, descending), t);
}

/* The dtype in which those are sorted, which holds each of them. */
static DType sorted_dtype(const Type *t)
{
    if (t->dtype == DT_I1)
        return DT_U8;
    if (!dtype_is_float(t->dtype))
        return t->dtype;
    return t->dims[t->rank - 1] > LONGEST_SINGLE || t->dtype == DT_FP64 ? DT_FP64 : DT_FP32;
}

static Value *first_in_order(Lower *l, Value *v, int64_t wanted, bool descending)
{
    DType t = v->type->dtype;

    v = build_cast(&l->b, v, sorted_dtype(v->type), ROUND_NEAREST);
    v = dtype_is_float(t) ? sort_floats(l, v, wanted, descending)
                          : sort_integers(l, v, wanted, descending);
    return build_cast(&l->b, v, t, ROUND_NEAREST);
}

/* --- arguments --- */

/* The last dimension is the only one that may be named; false after an error. */
static bool minor_dim(Lower *l, const Args *a, const Value *v)
{
    int axis;

    if (!arg_given(a, ARG_dim))
        return true;
    if (!arg_axis(l, a, ARG_dim, v->type->rank, &axis))
        return false;
    if (axis == v->type->rank - 1)
        return true;
    error_at(l, arg_span(a, ARG_dim), E_MINOR_DIM);
    hint_at(l, H_MINOR_DIM, a->builtin->name);
    return false;
}

/* sort, and bitonic_merge, whose input happens to rise and fall once. */
Val tile_sort(Lower *l, const Args *a)
{
    Value *v = arg_numbers(l, a, ARG_x);
    bool descending;

    if (!v || !minor_dim(l, a, v) || !arg_bool(l, a, ARG_descending, &descending))
        return val_unknown();
    int last = v->type->rank - 1;
    unread_warn(l, a, ARG_x, descending ? OP_max : OP_min, v, last);
    return val_run(first_in_order(l, v, v->type->dims[last], descending));
}

Val tile_topk(Lower *l, const Args *a)
{
    Value *v = arg_numbers(l, a, ARG_x);
    bool descending;
    int64_t k;

    if (!v || !arg_int(l, a, ARG_k, &k) || !minor_dim(l, a, v) ||
        !arg_bool(l, a, ARG_descending, &descending))
        return val_unknown();
    int32_t n = v->type->dims[v->type->rank - 1];
    if (k < 1 || k > n)
        return fail_val(l, arg_span(a, ARG_k), E_TOPK, n, (long long)k);
    if (k < n)
        v = build_cast(&l->b, v, extremum_dtype(v->type->dtype), ROUND_NEAREST);
    return val_run(first_in_order(l, v, k, descending));
}
