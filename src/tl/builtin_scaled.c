/*
 * builtin_scaled.c - products of operands in microscaling formats (semantics R270 to R272)
 *
 * Each operand becomes bf16, which holds every value of the small formats with its scale, or fp32
 * where an operand is fp16; then it is a product as any other.
 */
#include "tl.h"

#include <string.h>

typedef enum { FORMAT_E2M1, FORMAT_E4M3, FORMAT_E5M2, FORMAT_BF16, FORMAT_FP16 } Format;

/* One side: which arguments it comes from, and where K and the other extent are. */
typedef struct {
    ArgName value, scale, format, k_pack;
    int k, other; /* dimensions, counted from the end */
} Side;

static const Side left = {ARG_lhs, ARG_lhs_scale, ARG_lhs_format, ARG_lhs_k_pack, 1, 2};
static const Side right = {ARG_rhs, ARG_rhs_scale, ARG_rhs_format, ARG_rhs_k_pack, 2, 1};

static bool scaled_format(Lower *l, const Args *a, const Side *s, int64_t *out)
{
    static const char *const names[] = {"e2m1", "e4m3", "e5m2", "bf16", "fp16"};

    return arg_choice(l, a, s->format, names, NULL, COUNT(names), E_SCALED_FORMAT, out);
}

/* fp32 of the codes 0 to 15 in the low bits: 0 .5 1 1.5 2 3 4 6, bit 3 the sign. */
static Value *e2m1_values(Lower *l, Value *codes)
{
    static const int64_t table[] = {0x00000000, 0x3f000000, 0x3f800000, 0x3fc00000,
                                    0x40000000, 0x40400000, 0x40800000, 0x40c00000};
    Value *code = build_cast(&l->b, codes, DT_U32, ROUND_NEAREST);
    Value *sign = build_binary(&l->b, OP_shl, code, build_int(&l->b, code->type, 28));
    Value *bits = build_op(&l->b, OP_lookup8, 1, &code, 8, table, 0, NULL)->results[0];

    sign = build_binary(&l->b, OP_and, sign, build_int(&l->b, sign->type, INT32_MIN));
    return build_bitcast(&l->b, build_binary(&l->b, OP_or, bits, sign), DT_FP32);
}

/* Two values a byte, the low half first, along K or (k_pack=False) the other extent. */
static Value *unpack(Lower *l, const Args *a, const Side *s, Value *v)
{
    bool along_k;

    if (!arg_bool(l, a, s->k_pack, &along_k))
        return NULL;
    v = build_bitcast(&l->b, v, DT_U8);
    Value *high = build_binary(&l->b, OP_shr, v, build_int(&l->b, v->type, 4));
    v = interleave_along(l, v, high, v->type->rank - (along_k ? s->k : s->other), a->span);
    return v ? e2m1_values(l, v) : NULL;
}

/* The operand as floats, without its scale; NULL after an error. */
static Value *scaled_operand(Lower *l, const Args *a, const Side *s, Format format)
{
    static const DType dtypes[] = {DT_U8, DT_FP8E4NV, DT_FP8E5, DT_BF16, DT_FP16};
    Value *v = arg_run(l, a, s->value);
    bool is_pack = format == FORMAT_E2M1;

    if (!v)
        return NULL;
    DType t = v->type->dtype;
    bool fits = !v->type->pointer && v->type->rank >= 2 &&
                dtype_bits(t) == dtype_bits(dtypes[format]) &&
                (t == dtypes[format] || dtype_is_int(t));
    if (!fits) {
        error_at(l, arg_span(a, s->value), E_SCALED_OPERAND, val_type_text(l, v->type),
                 dtype_triton_name(dtypes[format]));
        return NULL;
    }
    return is_pack ? unpack(l, a, s, v) : build_bitcast(&l->b, v, dtypes[format]);
}

/* 2^(s - 127) of a byte, 255 is NaN: the bits are the exponent, but for 2^-127, a subnormal. */
static Value *e8m0_values(Lower *l, Value *bytes)
{
    Value *e = build_cast(&l->b, build_bitcast(&l->b, bytes, DT_U8), DT_U32, ROUND_NEAREST);
    const Type *t = e->type;
    Value *bits = build_binary(&l->b, OP_shl, e, build_int(&l->b, t, 23));
    Value *least = build_binary(&l->b, OP_eq, e, build_int(&l->b, t, 0));
    Value *nan = build_binary(&l->b, OP_eq, e, build_int(&l->b, t, 255));

    bits = build_select(&l->b, least, build_int(&l->b, t, 0x00400000), bits);
    bits = build_select(&l->b, nan, build_int(&l->b, t, 0x7fc00000), bits);
    return build_bitcast(&l->b, bits, DT_FP32);
}

/* Each scale for the elements of K that it is for, in a shape [.., extent, K]; NULL after an error.
 */
static Value *spread_scales(Lower *l, const Args *a, const Side *s, Value *scale, const Type *v)
{
    int rank = v->rank;
    int32_t dims[MAX_RANK];
    Type t = *scale->type;

    memcpy(dims, v->dims, sizeof dims);
    dims[rank - 2] = v->dims[rank - s->other];
    dims[rank - 1] = v->dims[rank - s->k];
    bool fits = t.rank == rank && rank < MAX_RANK && dims[rank - 1] % t.dims[rank - 1] == 0;
    for (int d = 0; fits && d < rank - 1; d++)
        fits = t.dims[d] == dims[d];
    int group = fits ? dims[rank - 1] / t.dims[rank - 1] : 0;
    if (!fits || (group != 16 && group != 32 && t.dims[rank - 1] != 1)) {
        error_at(l, arg_span(a, s->scale), E_SCALED_SCALE, val_type_text(l, scale->type),
                 val_type_text(l, v));
        return NULL;
    }
    scale = build_expand(&l->b, scale, rank);
    t.rank++;
    t.dims[rank] = group;
    scale = build_broadcast(&l->b, scale, type_of(l->module, t));
    return build_reshape(&l->b, scale, rank, dims);
}

/* The scale of each element, fp32 in the shape of v; NULL after an error. */
static Value *scale_factors(Lower *l, const Args *a, const Side *s, const Value *v)
{
    Value *scale = arg_run(l, a, s->scale);
    int order[MAX_RANK];

    if (!scale)
        return NULL;
    DType t = scale->type->dtype;
    if (scale->type->pointer || dtype_bits(t) != 8 || (!dtype_is_int(t) && t != DT_FP8E4NV)) {
        error_at(l, arg_span(a, s->scale), E_SCALED_SCALE, val_type_text(l, scale->type),
                 val_type_text(l, v->type));
        return NULL;
    }
    scale =
        t == DT_FP8E4NV ? build_cast(&l->b, scale, DT_FP32, ROUND_NEAREST) : e8m0_values(l, scale);
    scale = spread_scales(l, a, s, scale, v->type);
    if (!scale || s->k == 1)
        return scale;
    int last = v->type->rank - 1;
    for (int d = 0; d < last - 1; d++)
        order[d] = d;
    order[last - 1] = last;
    order[last] = last - 1;
    return build_permute(&l->b, scale, order);
}

/* The operand with its scale, as `t`; NULL after an error. */
static Value *scaled_value(Lower *l, const Args *a, const Side *s, Format format, DType t)
{
    Value *v = scaled_operand(l, a, s, format), *scale;

    if (!v || !arg_given(a, s->scale))
        return v ? build_cast(&l->b, v, t, ROUND_NEAREST) : NULL;
    scale = scale_factors(l, a, s, v);
    if (!scale)
        return NULL;
    v = build_cast(&l->b, v, DT_FP32, ROUND_NEAREST);
    return build_cast(&l->b, build_binary(&l->b, OP_mul, v, scale), t, ROUND_NEAREST);
}

Val dot_scaled(Lower *l, const Args *a)
{
    int64_t x_format, y_format;
    const Type *asked = NULL;
    Value *x, *y;

    if (!scaled_format(l, a, &left, &x_format) || !scaled_format(l, a, &right, &y_format) ||
        (arg_given(a, ARG_out_dtype) && !arg_dtype(l, a, ARG_out_dtype, &asked)))
        return val_unknown();
    if (asked && asked->dtype != DT_FP32)
        return fail_val(l, arg_span(a, ARG_out_dtype), E_SCALED_OUT, val_type_text(l, asked));
    DType t = x_format == FORMAT_FP16 || y_format == FORMAT_FP16 ? DT_FP32 : DT_BF16;
    x = scaled_value(l, a, &left, (Format)x_format, t);
    y = x ? scaled_value(l, a, &right, (Format)y_format, t) : NULL;
    return y ? dot_of(l, a, x, y, DT_FP32, (int64_t[DOT_ATTRS]){PRECISION_IEEE}) : val_unknown();
}
