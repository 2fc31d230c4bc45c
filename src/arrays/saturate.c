/*
 * saturate.c - arrays in the type that `--save NAME:TYPE=FILE` asks for
 *
 * What becomes an integer is rounded to the nearest one, to the even one of two, and what lies
 * beyond the type becomes its least or greatest value, NaN 0: so a result in fp32 becomes an image.
 * `.to(TYPE)` of the language of values is a cast, which cuts off digits and bits.
 */
#include "array.h"
#include "../ir/ir.h"

#include <math.h>

typedef struct {
    const void *from;
    void *to;
    DType source, target;
} Conversion;

/* The bits of an element of `t` nearest to the integer that these bits of `from` are. */
static uint64_t nearest_integer(DType t, DType from, uint64_t bits)
{
    int64_t v = scalar_to_int(from, bits);
    bool is_large = !dtype_is_signed(from) && v < 0; /* beyond 63 bits */
    int digits = dtype_bits(t) - dtype_is_signed(t);
    uint64_t most = digits == 64 ? UINT64_MAX : (UINT64_C(1) << digits) - 1;

    if (!is_large && v < 0) {
        int64_t least = dtype_is_signed(t) ? (int64_t)~most : 0;
        return scalar_truncate(t, (uint64_t)MAX(v, least));
    }
    return MIN((uint64_t)v, most);
}

static uint64_t nearest(const Conversion *k, uint64_t bits)
{
    double v;

    if (dtype_is_int(k->source))
        return nearest_integer(k->target, k->source, bits);
    v = scalar_to_double(k->source, bits);
    return isnan(v) ? 0 : scalar_from_double(k->target, rint(v));
}

static void convert_part(void *conversion, int64_t first, int64_t n)
{
    const Conversion *k = conversion;
    size_t from = (size_t)dtype_size(k->source), to = (size_t)dtype_size(k->target);

    for (int64_t i = first; i < first + n; i++)
        element_put_bits(k->to, i, to, nearest(k, element_get_bits(k->from, i, from)));
}

Array array_saturate(Store *store, const Array *a, tilec_dtype t)
{
    bool is_cast = !dtype_is_int((DType)t) || t == TILEC_I1 || t == a->dtype;
    Array dense = array_cast(store, a, is_cast ? t : a->dtype), out;

    if (is_cast)
        return dense;
    out = array_new(store, t, a->ndim, a->shape);
    parts_run(array_numel(a), convert_part,
              &(Conversion){dense.data, out.data, (DType)a->dtype, (DType)t});
    return out;
}
