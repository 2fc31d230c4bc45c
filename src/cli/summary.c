/*
 * summary.c - what an array holds, in one line: dtype, shape, least, greatest, mean, what is not
 * finite
 *
 * Least, greatest and mean are those of the finite elements, so that one infinity does not hide the
 * rest.  Of integers all 64 bits count.
 */
#include "cli.h"
#include "../ir/ir.h"

#include <math.h>
#include <string.h>

typedef struct {
    DType dtype;
    int64_t nans, infinities, finite;
    uint64_t least, greatest; /* as bits of the element */
    long double sum;
} Tally;

static bool is_less(DType t, uint64_t a, uint64_t b)
{
    if (dtype_is_float(t))
        return scalar_to_double(t, a) < scalar_to_double(t, b);
    return dtype_is_unsigned(t) ? a < b : scalar_to_int(t, a) < scalar_to_int(t, b);
}

static void tally_element(Tally *s, uint64_t bits)
{
    double v = scalar_to_double(s->dtype, bits);

    if (!isfinite(v)) {
        s->nans += isnan(v);
        s->infinities += !isnan(v);
        return;
    }
    if (s->finite == 0 || is_less(s->dtype, bits, s->least))
        s->least = bits;
    if (s->finite == 0 || is_less(s->dtype, s->greatest, bits))
        s->greatest = bits;
    s->finite++;
    s->sum += v;
}

/* All elements from `at` on, along this dimension and those behind it. */
static void tally_dimension(Tally *s, const Array *a, int depth, const char *at)
{
    size_t size = tilec_dtype_size(a->dtype);

    if (depth == a->ndim) {
        uint64_t bits = 0;

        memcpy(&bits, at, size);
        tally_element(s, bits);
        return;
    }
    for (int64_t i = 0; i < a->shape[depth]; i++)
        tally_dimension(s, a, depth + 1, at + i * a->strides[depth] * (int64_t)size);
}

void summary_put_shape(Text *t, const Array *a)
{
    text_put(t, a->ndim == 0 ? "scalar" : "");
    for (int i = 0; i < a->ndim; i++)
        text_printf(t, "%s%lld", i ? "x" : "", (long long)a->shape[i]);
}

const char *summary_shape(Cli *c, const Array *a)
{
    Text t = text_new(c->arena);

    summary_put_shape(&t, a);
    return t.s;
}

static void put_extreme(Text *t, const char *what, tilec_dtype dtype, uint64_t bits)
{
    char word[ELEMENT_TEXT];

    element_format(word, dtype, bits, element_wants_exponent(dtype, bits));
    text_printf(t, "  %s %s", what, word);
}

void summary_put(Text *t, const Array *a)
{
    Tally s = {.dtype = (DType)a->dtype};

    text_printf(t, "%s ", tilec_dtype_name(a->dtype));
    summary_put_shape(t, a);
    if (array_numel(a) == 0)
        return;
    tally_dimension(&s, a, 0, a->data);
    if (s.finite > 0 && a->dtype != TILEC_I1) {
        put_extreme(t, "min", a->dtype, s.least);
        put_extreme(t, "max", a->dtype, s.greatest);
    }
    if (s.finite > 0)
        text_printf(t, "  mean %.6Lg", s.sum / (long double)s.finite);
    if (dtype_is_float(s.dtype))
        text_printf(t, "  nan %lld  inf %lld", (long long)s.nans, (long long)s.infinities);
}
