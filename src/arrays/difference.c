/*
 * difference.c - how far is an array from what it should be?
 *
 * An element is right when |got - want| <= atol + rtol * |want|; a NaN is right where a NaN is
 * wanted.
 */
#include "array.h"
#include "../ir/ir.h"

#include <math.h>

/* --- tolerances --- */

/* What different orders of summation, and functions that round differently, may cost. */
static double usual_rtol(tilec_dtype t)
{
    switch (t) {
    case TILEC_FP64:
        return 1e-9;
    case TILEC_FP32:
        return 1e-5;
    case TILEC_FP16:
        return 2e-3;
    case TILEC_BF16:
        return 1.6e-2;
    case TILEC_FP8E4NV:
    case TILEC_FP8E4B8:
    case TILEC_FP8E4B15:
        return 0.25;
    case TILEC_FP8E5:
    case TILEC_FP8E5B16:
        return 0.5;
    default:
        return 0;
    }
}

/* Of the finite elements; 0 without any. */
static double mean_magnitude(const Array *a)
{
    double sum = 0;
    double v[ARRAY_LANES];
    int64_t n = array_numel(a), finite = 0;

    for (int64_t i = 0; i < n; i++) {
        if (i % ARRAY_LANES == 0)
            array_numbers(a, i, MIN(ARRAY_LANES, n - i), v);
        if (isfinite(v[i % ARRAY_LANES])) {
            sum += fabs(v[i % ARRAY_LANES]);
            finite++;
        }
    }
    return finite ? sum / (double)finite : 0;
}

double difference_atol(double rtol, const Array *want)
{
    return rtol * mean_magnitude(want);
}

/* --- comparing --- */

/* How many times the tolerance an element may be off, to find the worst one. */
static double excess(double d, double allowed)
{
    return d / MAX(allowed, 1e-200);
}

/* What is found in some elements. */
typedef struct {
    int64_t nans, wrong, worst;
    double excess; /* of the worst; below 0: there are no elements */
    double max_abs, max_rel, max_units;
} Findings;
typedef struct {
    const Array *got, *want; /* dense */
    const Difference *limits;
    bool is_long; /* both hold integers, which doubles may not hold */
    Findings *parts;
} Comparing;

static double difference(const Comparing *k, int64_t i, double got, double want)
{
    if (k->is_long)
        return fabs((double)(array_whole(k->got, i) - array_whole(k->want, i)));
    if (got == want || (isnan(got) && isnan(want)))
        return 0; /* infinities too */
    double d = fabs(got - want);
    return isnan(d) ? (double)INFINITY : d;
}

/* The distance of numbers of a type around v. */
static double unit_at(tilec_dtype t, double v)
{
    int digits = dtype_mantissa_bits((DType)t), exponent;

    if (digits == 0) /* whole numbers */
        return 1;
    int least = 1 - dtype_bias((DType)t);
    frexp(v, &exponent);
    return ldexp(1, (isfinite(v) && v != 0 ? MAX(exponent - 1, least) : least) - digits);
}

static void compare_element(const Comparing *k, int64_t i, double got, double want, Findings *f)
{
    double d = difference(k, i, got, want), size = fabs(want);
    double allowed = k->limits->atol + (isfinite(size) ? k->limits->rtol * size : 0);

    f->nans += isnan(got) && isnan(want);
    f->max_abs = MAX(f->max_abs, d);
    if (k->limits->wants_units && d > 0)
        f->max_units = MAX(f->max_units, d / unit_at(k->got->dtype, want));
    if (d > 0 && size > 0)
        f->max_rel = MAX(f->max_rel, isfinite(size) ? d / size : d);
    f->wrong += d > allowed;
    if (excess(d, allowed) > f->excess) {
        f->excess = excess(d, allowed);
        f->worst = i;
    }
}

static void compare_part(void *comparing, int64_t first, int64_t n)
{
    const Comparing *k = comparing;
    double got[ARRAY_LANES], want[ARRAY_LANES];
    Findings f = {.excess = -1};

    for (int64_t i = first; i < first + n; i += ARRAY_LANES) {
        int64_t lanes = MIN(ARRAY_LANES, first + n - i);

        array_numbers(k->got, i, lanes, got);
        array_numbers(k->want, i, lanes, want);
        for (int64_t m = 0; m < lanes; m++)
            compare_element(k, i + m, got[m], want[m], &f);
    }
    k->parts[first / PART_ELEMENTS] = f;
}

static bool is_whole(const Array *a)
{
    return a->dtype <= TILEC_U64;
}

/* Integers of which one side has 64 bits. */
static bool is_long(const Array *a, const Array *b)
{
    enum { LONG = 8 };

    return is_whole(a) && is_whole(b) &&
           (tilec_dtype_size(a->dtype) == LONG || tilec_dtype_size(b->dtype) == LONG);
}

void difference_find(Store *store, const Array *got, const Array *want, Difference *d)
{
    Array dense = array_cast(store, got, got->dtype);
    int64_t n = array_numel(got), parts = (n + PART_ELEMENTS - 1) / PART_ELEMENTS;
    Comparing k = {&dense, want, d, is_long(got, want), NEW_N(store->arena, Findings, parts + 1)};
    double worst = -1;

    parts_run(n, compare_part, &k);
    for (int64_t i = 0; i < parts; i++) {
        const Findings *f = &k.parts[i];

        d->nans += f->nans;
        d->max_abs = MAX(d->max_abs, f->max_abs);
        d->max_rel = MAX(d->max_rel, f->max_rel);
        d->max_units = MAX(d->max_units, f->max_units);
        d->wrong += f->wrong;
        d->worst = f->excess > worst ? f->worst : d->worst;
        worst = MAX(worst, f->excess);
    }
}

Difference difference_usual(const Array *got, const Array *want)
{
    Difference d = {.rtol = MAX(usual_rtol(got->dtype), usual_rtol(want->dtype))};

    d.atol = difference_atol(d.rtol, want);
    return d;
}

bool difference_is_small(Store *store, const Array *got, const Array *want)
{
    Difference d = difference_usual(got, want);

    difference_find(store, got, want, &d);
    return d.wrong == 0;
}
