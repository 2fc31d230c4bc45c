/*
 * array_math.c - operators on arrays of the command line
 *
 * They work element by element on dense copies, with NumPy's broadcasting, and compute with what
 * the operations of kernels mean (scalar_apply); floor division and remainders are Python's.
 */
#include "value.h"
#include "../ir/ir.h"

/* --- both sides --- */

/* What both are converted to; see docs/cli.md. */
static DType common_dtype(DType a, DType b)
{
    bool wider = dtype_bits(a) >= dtype_bits(b);

    if (a == b || b == DT_I1)
        return a;
    if (a == DT_I1)
        return b;
    if (dtype_is_float(a) != dtype_is_float(b))
        return dtype_is_float(a) ? a : b;
    if (dtype_bits(a) != dtype_bits(b) &&
        (dtype_is_float(a) || dtype_is_signed(a) == dtype_is_signed(b)))
        return wider ? a : b;
    if (dtype_is_float(a))
        return DT_FP32;                               /* fp16 and bf16: neither holds the other */
    switch (dtype_bits(dtype_is_signed(a) ? b : a)) { /* of the unsigned one */
    case 8:
        return MAX(dtype_bits(a), dtype_bits(b)) > 8 ? (wider ? a : b) : DT_I16;
    case 16:
        return MAX(dtype_bits(a), dtype_bits(b)) > 16 ? (wider ? a : b) : DT_I32;
    default:
        return DT_I64;
    }
}

/* A number takes the dtype of the array; a float makes fp32 of integers. */
static DType dtype_with(DType array, const Const *number)
{
    if (number->kind == CONST_FLOAT && !dtype_is_float(array))
        return DT_FP32;
    return array == DT_I1 && number->kind == CONST_INT ? DT_I32 : array;
}

/* The array that a side is, of this dtype. */
static bool operand(Py *p, const Const *c, DType t, Span at, Array *out)
{
    Store *store = value_store(p);

    if (value_array(c)) {
        *out = array_cast(store, value_array(c), (tilec_dtype)t);
        return true;
    }
    *out = array_new(store, (tilec_dtype)t, 0, NULL);
    if (!const_is_number(c))
        return py_fail(p, at, "arithmetic needs numbers and arrays, but one side is %s",
                       const_kind_name(c));
    if (dtype_is_float(t))
        array_fill(out, const_to_double(c));
    else
        array_fill_int(out, (uint64_t)c->integer);
    return true;
}

/* NumPy's: from the last dimension on, extents are equal or one of them is 1. */
static bool common_shape(Py *p, const Array *a, const Array *b, Span at, int *ndim, int64_t *shape)
{
    *ndim = MAX(a->ndim, b->ndim);
    for (int i = 0; i < *ndim; i++) {
        int ia = a->ndim - *ndim + i, ib = b->ndim - *ndim + i;
        int64_t x = ia < 0 ? 1 : a->shape[ia], y = ib < 0 ? 1 : b->shape[ib];

        if (x != y && x != 1 && y != 1) {
            py_report(p, at, "dimension %d is %lld of one side and %lld of the other", i,
                      (long long)x, (long long)y);
            if (a->ndim != b->ndim)
                py_hint(p, "extents are compared from the last on: x.sum(1, keepdims=True) keeps "
                           "the axis, v[:,None] adds one");
            return false;
        }
        shape[i] = x == 1 ? y : x;
    }
    return true;
}

/* The same array as one of this shape, dense. */
static Array spread(Store *store, const Array *a, int ndim, const int64_t *shape)
{
    Array view = {.data = a->data, .dtype = a->dtype, .ndim = ndim}, dense;

    for (int i = 0; i < ndim; i++) {
        int from = a->ndim - ndim + i;

        view.shape[i] = shape[i];
        view.strides[i] = from < 0 || a->shape[from] == 1 ? 0 : a->strides[from];
    }
    if (array_is_dense(&view))
        return view;
    dense = array_new(store, a->dtype, ndim, shape);
    array_copy_dense(&view, dense.data);
    return dense;
}

/* Of integers. */
static bool has_zero(const Array *a)
{
    size_t size = tilec_dtype_size(a->dtype);

    for (int64_t i = 0, n = array_numel(a); i < n; i++) {
        if (element_get_bits(a->data, i, size) == 0)
            return true;
    }
    return false;
}

/* `n` elements of both sides; false: there is no such operator. */
typedef bool Combine(int op, DType in, DType out, const void *x, const void *y, void *to,
                     int64_t n);

/* One operator on all elements, a lane's worth at a time. */
enum { LANES = 4096 };
typedef struct {
    Combine *all;
    int op;
    DType in, out;
    const void *x, *y;
    bool x_repeats, y_repeats; /* these are LANES times one number */
    void *to;
} Combining;

static const void *side(const void *elements, bool repeats, DType t, int64_t first)
{
    return repeats ? elements : (const char *)elements + first * dtype_size(t);
}

static void combine_part(void *combining, int64_t first, int64_t n)
{
    const Combining *k = combining;

    for (int64_t i = first, end = first + n; i < end; i += LANES)
        k->all(k->op, k->in, k->out, side(k->x, k->x_repeats, k->in, i),
               side(k->y, k->y_repeats, k->in, i), (char *)k->to + i * dtype_size(k->out),
               MIN(LANES, end - i));
}

/* A side as combine_part() wants it: what is one number is not made an array of that shape. */
static const void *prepare_side(Store *store, const Array *a, int ndim, const int64_t *shape,
                                bool *repeats)
{
    const int64_t lanes = LANES;

    *repeats = array_numel(a) == 1;
    return *repeats ? spread(store, &(Array){.data = a->data, .dtype = a->dtype}, 1, &lanes).data
                    : spread(store, a, ndim, shape).data;
}

/* Both sides in one dtype and one shape, then all elements. */
static bool combine(Py *p, int op, const Const *x, const Const *y, DType t, DType result,
                    Combine *all, Span at, Const *out)
{
    Store *store = value_store(p);
    int64_t shape[ARRAY_MAX_DIMS];
    Combining k = {.all = all, .op = op, .in = t, .out = result};
    Array a, b, made;
    int ndim;

    if (!operand(p, x, t, at, &a) || !operand(p, y, t, at, &b) ||
        !common_shape(p, &a, &b, at, &ndim, shape))
        return false;
    k.x = prepare_side(store, &a, ndim, shape, &k.x_repeats);
    k.y = prepare_side(store, &b, ndim, shape, &k.y_repeats);
    made = array_new(store, (tilec_dtype)result, ndim, shape);
    k.to = made.data;
    if (!all(op, t, result, k.x, k.y, k.to, 0))
        return py_fail(p, at, "%s has no such operator", tilec_dtype_name((tilec_dtype)t));
    parts_run(array_numel(&made), combine_part, &k);
    *out = value_of_array(store, made);
    return true;
}

static bool apply(int op, DType in, DType out, const void *x, const void *y, void *to, int64_t n)
{
    const void *sources[] = {x, y};

    return scalar_apply((OpCode)op, NULL, in, out, sources, to, (size_t)n);
}

/* Integers divide toward minus infinity, as in Python; the remainder has the divisor's sign.  The
 * least integer divided by -1 wraps.  An unsigned quotient is C's. */
#define FLOOR_SIGNED(T, U)                                                                         \
    for (int64_t i = 0; i < n; i++) {                                                              \
        T a = ((const T *)x)[i], b = ((const T *)y)[i];                                            \
        T q = b == -1 ? (T)(0 - (U)a) : (T)(a / b), r = b == -1 ? 0 : (T)(a % b);                  \
        bool below = r != 0 && (r < 0) != (b < 0);                                                 \
        ((T *)to)[i] = op == BIN_MOD ? (T)(r + (below ? b : 0)) : (T)(q - below);                  \
    }                                                                                              \
    return true
#define FLOOR_UNSIGNED(T)                                                                          \
    for (int64_t i = 0; i < n; i++) {                                                              \
        T a = ((const T *)x)[i], b = ((const T *)y)[i];                                            \
        ((T *)to)[i] = op == BIN_MOD ? (T)(a % b) : (T)(a / b);                                    \
    }                                                                                              \
    return true

static bool floor_integers(int op, DType t, DType out, const void *x, const void *y, void *to,
                           int64_t n)
{
    (void)out;
    switch (t) {
    case DT_I8:
        FLOOR_SIGNED(int8_t, uint8_t);
    case DT_I16:
        FLOOR_SIGNED(int16_t, uint16_t);
    case DT_I32:
        FLOOR_SIGNED(int32_t, uint32_t);
    case DT_I64:
        FLOOR_SIGNED(int64_t, uint64_t);
    case DT_U8:
        FLOOR_UNSIGNED(uint8_t);
    case DT_U16:
        FLOOR_UNSIGNED(uint16_t);
    case DT_U32:
        FLOOR_UNSIGNED(uint32_t);
    case DT_U64:
        FLOOR_UNSIGNED(uint64_t);
    default:
        return false;
    }
}

/* In fp64, LANES elements at most. */
static bool floor_floats(int op, DType t, DType out, const void *x, const void *y, void *to,
                         int64_t n)
{
    double a[LANES], b[LANES];
    const int64_t attrs[] = {ROUND_NEAREST};

    scalar_apply(OP_cast, attrs, t, DT_FP64, &x, a, (size_t)n);
    scalar_apply(OP_cast, attrs, t, DT_FP64, &y, b, (size_t)n);
    for (int64_t i = 0; i < n; i++) {
        double remainder = a[i] / b[i] * 0; /* what is left when b is 0 */
        double quotient = b[i] == 0 ? a[i] / b[i] : python_divmod(a[i], b[i], &remainder);

        a[i] = op == BIN_MOD ? remainder : quotient;
    }
    return scalar_apply(OP_cast, attrs, DT_FP64, out, &(const void *){a}, to, (size_t)n);
}

static const OpCode arithmetic[] = {
    [BIN_ADD] = OP_add, [BIN_SUB] = OP_sub, [BIN_MUL] = OP_mul, [BIN_DIV] = OP_div,
    [BIN_POW] = OP_pow, [BIN_AND] = OP_and, [BIN_OR] = OP_or,   [BIN_XOR] = OP_xor,
    [BIN_SHL] = OP_shl, [BIN_SHR] = OP_shr,
};

static bool dtype_of_both(Py *p, const Const *x, const Const *y, Span at, DType *out)
{
    const Array *a = value_array(x), *b = value_array(y);

    if (a && b)
        *out = common_dtype((DType)a->dtype, (DType)b->dtype);
    else if (!const_is_number(a ? y : x))
        return py_fail(p, at, "arithmetic needs numbers and arrays, but one side is %s",
                       const_kind_name(a ? y : x));
    else
        *out = dtype_with((DType)(a ? a : b)->dtype, a ? y : x);
    return true;
}

bool array_binary(Py *p, BinaryOp op, const Const *x, const Const *y, Span at, Const *out)
{
    bool floors = op == BIN_FLOORDIV || op == BIN_MOD;
    Array divisor;
    DType t;

    if (!dtype_of_both(p, x, y, at, &t))
        return false;
    if (op == BIN_MATMUL)
        return py_fail(p, at, "arrays have no product `@` here");
    if (op == BIN_DIV && !dtype_is_float(t))
        t = DT_FP32;
    if (t == DT_I1 && op <= BIN_POW)
        t = DT_I32;
    if (!floors)
        return combine(p, arithmetic[op], x, y, t, t, apply, at, out);
    if (!dtype_is_float(t) && operand(p, y, t, at, &divisor) && has_zero(&divisor))
        return py_fail(p, at, "division by zero");
    return combine(p, op, x, y, t, t, dtype_is_float(t) ? floor_floats : floor_integers, at, out);
}

bool array_compare(Py *p, CompareOp op, const Const *x, const Const *y, Span at, Const *out)
{
    static const OpCode codes[] = {
        [CMP_EQ] = OP_eq, [CMP_NE] = OP_ne, [CMP_LT] = OP_lt,
        [CMP_LE] = OP_le, [CMP_GT] = OP_gt, [CMP_GE] = OP_ge,
    };
    const Const *other = value_array(x) ? y : x;
    DType t;

    if (!value_array(other) && !const_is_number(other) && op <= CMP_NE) {
        *out = const_bool(op == CMP_NE); /* with None, a text... */
        return true;
    }
    return dtype_of_both(p, x, y, at, &t) && combine(p, codes[op], x, y, t, DT_I1, apply, at, out);
}

bool array_unary(Py *p, UnaryOp op, const Const *x, Span at, Const *out)
{
    const Array *a = value_array(x);
    const Const zero = const_int(0), ones = const_int(-1), yes = const_bool(true);

    if (op == UN_INVERT)
        return array_binary(p, BIN_XOR, x, (DType)a->dtype == DT_I1 ? &yes : &ones, at, out);
    if (op == UN_PLUS) {
        *out = *x;
        return true;
    }
    if (!dtype_is_float((DType)a->dtype))
        return array_binary(p, BIN_SUB, &zero, x, at, out);
    return array_binary(p, BIN_MUL, x, &(Const){.kind = CONST_FLOAT, .real = -1}, at, out);
}
