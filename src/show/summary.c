/*
 * summary.c - what an array holds, in one line: dtype, shape, least, greatest, mean, what is not
 * finite
 *
 * Least, greatest and mean are those of the finite elements, so that one infinity does not hide the
 * rest.  Of integers all 64 bits count.
 */
#include "show.h"
#include "../ir/ir.h"

#include <math.h>

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

static void add_tally(Tally *s, const Tally *more)
{
    s->nans += more->nans;
    s->infinities += more->infinities;
    if (more->finite == 0)
        return;
    if (s->finite == 0 || is_less(s->dtype, more->least, s->least))
        s->least = more->least;
    if (s->finite == 0 || is_less(s->dtype, s->greatest, more->greatest))
        s->greatest = more->greatest;
    s->finite += more->finite;
    s->sum += more->sum;
}

/* Integers of one type, so few that their sum fits WIDE. */
#define TALLY_INTEGERS(T, WIDE)                                                                    \
    do {                                                                                           \
        const T *v = at;                                                                           \
        T low = v[0], high = v[0];                                                                 \
        WIDE sum = 0;                                                                              \
        for (int64_t i = 0; i < n; i++) {                                                          \
            low = v[i] < low ? v[i] : low;                                                         \
            high = v[i] > high ? v[i] : high;                                                      \
            sum += v[i];                                                                           \
        }                                                                                          \
        s.least = (uint64_t)low;                                                                   \
        s.greatest = (uint64_t)high;                                                               \
        s.sum = (long double)sum;                                                                  \
    } while (0)

/* From 1 to PART_ELEMENTS of them. */
static Tally tally_integers(DType t, const void *at, int64_t n)
{
    Tally s = {.dtype = t, .finite = n};

    switch (t) {
    case DT_I8:
        TALLY_INTEGERS(int8_t, int64_t);
        break;
    case DT_I16:
        TALLY_INTEGERS(int16_t, int64_t);
        break;
    case DT_I32:
        TALLY_INTEGERS(int32_t, int64_t);
        break;
    case DT_I64:
        TALLY_INTEGERS(int64_t, __int128);
        break;
    case DT_U16:
        TALLY_INTEGERS(uint16_t, uint64_t);
        break;
    case DT_U32:
        TALLY_INTEGERS(uint32_t, uint64_t);
        break;
    case DT_U64:
        TALLY_INTEGERS(uint64_t, unsigned __int128);
        break;
    default: /* u8 and i1 */
        TALLY_INTEGERS(uint8_t, uint64_t);
    }
    s.least = scalar_truncate(t, s.least);
    s.greatest = scalar_truncate(t, s.greatest);
    return s;
}

/* Elements of `t`, in fp64. */
static Tally tally_floats(DType t, const double *v, int64_t n)
{
    Tally s = {.dtype = t};
    double low = INFINITY, high = -INFINITY;

    for (int64_t i = 0; i < n; i++) {
        if (!isfinite(v[i])) {
            s.nans += isnan(v[i]);
            s.infinities += !isnan(v[i]);
            continue;
        }
        low = v[i] < low ? v[i] : low;
        high = v[i] > high ? v[i] : high;
        s.sum += v[i];
    }
    s.finite = n - s.nans - s.infinities;
    s.least = scalar_from_double(t, low);
    s.greatest = scalar_from_double(t, high);
    return s;
}

/* Elements without gaps, from 1 to PART_ELEMENTS. */
static Tally tally_run(DType t, const char *at, int64_t n)
{
    enum { LANES = 4096 };
    const int64_t attrs[] = {ROUND_NEAREST};
    double wide[LANES];
    Tally s = {.dtype = t};

    if (dtype_is_int(t))
        return tally_integers(t, at, n);
    for (int64_t i = 0; i < n; i += LANES) {
        int64_t lanes = MIN(LANES, n - i);
        const void *source = at + i * dtype_size(t);

        if (t != DT_FP64)
            scalar_apply(OP_cast, attrs, t, DT_FP64, &source, wide, (size_t)lanes);
        Tally more = tally_floats(t, t == DT_FP64 ? source : wide, lanes);
        add_tally(&s, &more);
    }
    return s;
}

typedef struct {
    const Array *array;
    Tally *parts;
} Tallies;

static void tally_part(void *tallies, int64_t first, int64_t n)
{
    const Tallies *t = tallies;

    t->parts[first / PART_ELEMENTS] =
        tally_run((DType)t->array->dtype, array_element(t->array, first), n);
}

/* Of a dense array; the sum does not depend on the number of threads. */
static void tally_dense(Tally *s, Arena *arena, const Array *a)
{
    int64_t n = array_numel(a), parts = (n + PART_ELEMENTS - 1) / PART_ELEMENTS;
    Tallies t = {a, arena_alloc(arena, sizeof *t.parts * (size_t)parts)};

    parts_run(n, tally_part, &t);
    for (int64_t i = 0; i < parts; i++)
        add_tally(s, &t.parts[i]);
}

/* All elements from `at` on, along this dimension and those behind it; rows are brought together
 * in `row`, which has room for PART_ELEMENTS. */
static void tally_dimension(Tally *s, const Array *a, int depth, const char *at, void *row)
{
    size_t size = tilec_dtype_size(a->dtype);
    int64_t step = a->strides[depth], n = a->shape[depth];

    if (depth < a->ndim - 1) {
        for (int64_t i = 0; i < n; i++)
            tally_dimension(s, a, depth + 1, at + i * step * (int64_t)size, row);
        return;
    }
    for (int64_t i = 0; i < n; i += PART_ELEMENTS) {
        Array part = {.data = (char *)(uintptr_t)at + i * step * (int64_t)size,
                      .dtype = a->dtype,
                      .ndim = 1,
                      .shape = {MIN(PART_ELEMENTS, n - i)},
                      .strides = {step}};

        array_copy_dense(&part, row);
        Tally more = tally_run(s->dtype, row, part.shape[0]);
        add_tally(s, &more);
    }
}

static Tally tally(Arena *arena, const Array *a)
{
    Tally s = {.dtype = (DType)a->dtype};

    if (array_is_dense(a))
        tally_dense(&s, arena, a);
    else
        tally_dimension(&s, a, 0, a->data, arena_alloc(arena, PART_ELEMENTS * sizeof(uint64_t)));
    return s;
}

void summary_bounds(Arena *arena, const Array *a, double *least, double *greatest)
{
    Tally s = tally(arena, a);

    if (s.finite == 0)
        return;
    *least = scalar_to_double(s.dtype, s.least);
    *greatest = scalar_to_double(s.dtype, s.greatest);
}

void summary_put_shape(Text *t, const Array *a)
{
    text_put(t, a->ndim == 0 ? "scalar" : "");
    for (int i = 0; i < a->ndim; i++)
        text_printf(t, "%s%lld", i ? "x" : "", (long long)a->shape[i]);
}

const char *summary_shape(Arena *arena, const Array *a)
{
    Text t = text_new(arena);

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
    Tally s;

    text_printf(t, "%s ", tilec_dtype_name(a->dtype));
    summary_put_shape(t, a);
    if (array_numel(a) == 0)
        return;
    s = tally(t->arena, a);
    if (s.finite > 0 && a->dtype != TILEC_I1) {
        put_extreme(t, "min", a->dtype, s.least);
        put_extreme(t, "max", a->dtype, s.greatest);
    }
    if (s.finite > 0)
        text_printf(t, "  mean %.6Lg", s.sum / (long double)s.finite);
    if (dtype_is_float(s.dtype))
        text_printf(t, "  nan %lld  inf %lld", (long long)s.nans, (long long)s.infinities);
}
