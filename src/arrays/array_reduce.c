/*
 * array_reduce.c - reductions of arrays on the command line: x.sum(), x.max(axis), sum(x)
 *
 * Names, arguments and dtypes are NumPy's: of all elements a number, along an axis an array without
 * that dimension.  Floats are added up in fp64 and rounded once, or as a number not at all;
 * integers in 64 bits.  A NaN makes NaN of what it is in.
 */
#include "value.h"
#include "../ir/ir.h"

#include <math.h>
#include <string.h>

typedef enum {
    FOLD_SUM,
    FOLD_PROD,
    FOLD_MAX,
    FOLD_MIN,
    FOLD_ARGMAX,
    FOLD_ARGMIN,
    FOLD_ANY,
    FOLD_ALL,
    FOLD_MEAN,
    FOLD_VAR,
    FOLD_STD
} Fold;

/* By number of the fold. */
static const char *const folds[] = {"sum", "prod", "max",  "min", "argmax", "argmin",
                                    "any", "all",  "mean", "var", "std"};

/* What one call asks for. */
typedef struct {
    Fold fold;
    int axis; /* -1: all elements */
    bool keeps_dims;
    double correction; /* of var and std */
} Reduction;

static bool is_of_place(Fold f)
{
    return f == FOLD_ARGMAX || f == FOLD_ARGMIN;
}

static bool is_of_mean(Fold f)
{
    return f >= FOLD_MEAN;
}

/* --- one row: n elements, `step` apart --- */

/* The place of the greatest or least element, the first one of several; a NaN is both. */
#define FIND_PLACE(T)                                                                              \
    for (int64_t i = 1; i < n; i++) {                                                              \
        T v = ((const T *)x)[i * step], best = ((const T *)x)[place * step];                       \
        bool better = f == FOLD_MAX || f == FOLD_ARGMAX ? v > best : v < best;                     \
        if (best == best && (better || v != v))                                                    \
            place = i;                                                                             \
    }                                                                                              \
    break

static int64_t place_of_best(Fold f, DType t, const void *x, int64_t n, int64_t step)
{
    int64_t place = 0;

    switch (t) {
    case DT_FP64:
        FIND_PLACE(double);
    case DT_U64:
        FIND_PLACE(uint64_t);
    default:
        FIND_PLACE(int64_t);
    }
    return place;
}

static double sum_of(const double *x, int64_t n, int64_t step)
{
    double sum = 0;

    for (int64_t i = 0; i < n; i++)
        sum += x[i * step];
    return sum;
}

static double variance_of(const double *x, int64_t n, int64_t step, double correction)
{
    double mean = sum_of(x, n, step) / (double)n, sum = 0;

    for (int64_t i = 0; i < n; i++)
        sum += (x[i * step] - mean) * (x[i * step] - mean);
    return sum / ((double)n - correction);
}

static double float_fold(const Reduction *r, const double *x, int64_t n, int64_t step)
{
    double product = 1;

    switch (r->fold) {
    case FOLD_MEAN:
        return sum_of(x, n, step) / (double)n;
    case FOLD_VAR:
        return variance_of(x, n, step, r->correction);
    case FOLD_STD:
        return sqrt(variance_of(x, n, step, r->correction));
    case FOLD_PROD:
        for (int64_t i = 0; i < n; i++)
            product *= x[i * step];
        return product;
    case FOLD_SUM:
        return sum_of(x, n, step);
    default:
        return x[place_of_best(r->fold, DT_FP64, x, n, step) * step];
    }
}

/* Bits of 64, signed or not. */
static uint64_t whole_fold(Fold f, DType t, const uint64_t *x, int64_t n, int64_t step)
{
    uint64_t sum = 0, product = 1;

    if (f != FOLD_SUM && f != FOLD_PROD)
        return x[place_of_best(f, t, x, n, step) * step];
    for (int64_t i = 0; i < n; i++) {
        sum += x[i * step];
        product *= x[i * step];
    }
    return f == FOLD_SUM ? sum : product;
}

/* Is any element, or is each, other than 0? */
static bool truth_fold(Fold f, DType t, const void *x, int64_t n, int64_t step)
{
    bool any = false, all = true;

    for (int64_t i = 0; i < n; i++) {
        bool is = t == DT_FP64 ? ((const double *)x)[i * step] != 0
                               : ((const uint64_t *)x)[i * step] != 0;
        any |= is;
        all &= is;
    }
    return f == FOLD_ANY ? any : all;
}

/* --- all rows --- */

/* What elements are computed with: fp64, i64 or u64. */
static DType wide_dtype(DType t, Fold f)
{
    if (dtype_is_float(t) || is_of_mean(f))
        return DT_FP64;
    return t == DT_I1 || dtype_is_signed(t) ? DT_I64 : DT_U64;
}

/* What the result has. */
static DType result_dtype(DType t, Fold f)
{
    if (f == FOLD_ANY || f == FOLD_ALL)
        return DT_I1;
    if (is_of_place(f))
        return DT_I64;
    if (dtype_is_float(t) || f == FOLD_MAX || f == FOLD_MIN)
        return t;
    return wide_dtype(t, f);
}

/* Element `k` of the result, an array of 64-bit elements: of fp64, or of whole numbers. */
static void fold_row(const Reduction *r, DType t, const void *row, int64_t n, int64_t step,
                     Array *out, int64_t k)
{
    uint64_t whole;
    double real;

    if (r->fold == FOLD_ANY || r->fold == FOLD_ALL) {
        ((uint64_t *)out->data)[k] = truth_fold(r->fold, t, row, n, step);
    } else if (is_of_place(r->fold)) {
        ((int64_t *)out->data)[k] = place_of_best(r->fold, t, row, n, step);
    } else if (t == DT_FP64) {
        real = float_fold(r, row, n, step);
        ((double *)out->data)[k] = real;
    } else {
        whole = whole_fold(r->fold, t, row, n, step);
        ((uint64_t *)out->data)[k] = whole;
    }
}

/* The shape of the result; without an axis it has no dimensions, unless they are kept. */
static Array new_result(Store *store, const Reduction *r, const Array *a, DType t)
{
    int64_t shape[ARRAY_MAX_DIMS];
    int ndim = 0;

    for (int i = 0; i < a->ndim; i++) {
        bool is_reduced = r->axis < 0 || i == r->axis;

        if (!is_reduced || r->keeps_dims)
            shape[ndim++] = is_reduced ? 1 : a->shape[i];
    }
    return array_new(store, (tilec_dtype)t, ndim, shape);
}

static Array reduce(Store *store, const Reduction *r, const Array *a)
{
    DType t = (DType)a->dtype, wide = wide_dtype(t, r->fold);
    bool is_float =
        wide == DT_FP64 && !is_of_place(r->fold) && r->fold != FOLD_ANY && r->fold != FOLD_ALL;
    Array dense = array_cast(store, a, (tilec_dtype)wide);
    Array out = new_result(store, r, a, is_float ? DT_FP64 : wide == DT_U64 ? DT_U64 : DT_I64);
    int64_t n = r->axis < 0 ? array_numel(a) : a->shape[r->axis], inner = 1;

    for (int i = r->axis + 1; r->axis >= 0 && i < a->ndim; i++)
        inner *= a->shape[i];
    for (int64_t k = 0, count = array_numel(&out); k < count; k++) {
        int64_t first = k / inner * n * inner + k % inner;

        fold_row(r, wide, (const char *)dense.data + first * (int64_t)sizeof(int64_t), n, inner,
                 &out, k);
    }
    if (out.ndim == 0 && is_float)
        return out; /* a number has no dtype to be rounded to */
    return array_cast(store, &out, (tilec_dtype)result_dtype(t, r->fold));
}

/* A number for an array without dimensions. */
static Const number_of(const Array *a)
{
    if (dtype_is_float((DType)a->dtype))
        return const_float(array_number(a, 0));
    if (a->dtype == TILEC_I1)
        return const_bool(*(const bool *)a->data);
    return const_int(array_whole(a, 0));
}

/* --- calls --- */

static bool take_axis(Py *p, const Array *a, const Const *v, Span at, Reduction *r)
{
    if (v->kind == CONST_NONE)
        return true;
    if (!const_is_integral(v) || v->integer < -a->ndim || v->integer >= a->ndim)
        return py_fail(p, at, "the axis must be from %d to %d here, not %s", -a->ndim, a->ndim - 1,
                       const_brief(v, p->arena));
    r->axis = (int)v->integer + (v->integer < 0 ? a->ndim : 0);
    return true;
}

static bool is_word(const char *word, const char *numpys, const char *torchs)
{
    return strcmp(word, numpys) == 0 || strcmp(word, torchs) == 0;
}

static bool take_argument(Py *p, const Array *a, const PyArg *arg, bool is_first, Span at,
                          Reduction *r)
{
    const char *name = arg->keyword ? arg->keyword : is_first ? "axis" : "";
    bool is_of_spread = r->fold == FOLD_VAR || r->fold == FOLD_STD;

    if (is_word(name, "axis", "dim"))
        return take_axis(p, a, &arg->value, at, r);
    if (is_word(name, "keepdims", "keepdim"))
        return py_truth(p, &arg->value, at, &r->keeps_dims);
    if (is_of_spread && is_word(name, "ddof", "correction") && const_is_number(&arg->value)) {
        r->correction = const_to_double(&arg->value);
        return true;
    }
    return py_fail(p, at, "it is %s([axis][, keepdims=True]%s)", folds[r->fold],
                   is_of_spread ? "[, ddof=0]" : "");
}

static bool reduce_checked(Py *p, const Reduction *r, const Array *a, Span at, Const *out)
{
    bool needs_one = !is_of_mean(r->fold) && r->fold >= FOLD_MAX && r->fold <= FOLD_ARGMIN;
    int64_t n = r->axis < 0 ? array_numel(a) : a->shape[r->axis];

    if (needs_one && n == 0)
        return py_fail(p, at, "there is no element to take the %s of", folds[r->fold]);
    const Array made = reduce(value_store(p), r, a);
    *out = made.ndim == 0 ? number_of(&made) : value_of_array(value_store(p), made);
    return true;
}

/* A method that is not called yet. */
typedef struct {
    const Array *array;
    Fold fold;
} Method;

static bool call_method(Py *p, const Const *self, const PyArgs *args, Span at, Const *out)
{
    const Method *m = self->object;
    Reduction r = {.fold = m->fold, .axis = -1};

    for (int i = 0; i < args->len; i++) {
        if (!take_argument(p, m->array, &args->at[i], i == 0, at, &r))
            return false;
    }
    return reduce_checked(p, &r, m->array, at, out);
}

/* -1: it is none. */
static int fold_named(const char *name)
{
    for (int i = 0; i < COUNT(folds); i++) {
        if (strcmp(folds[i], name) == 0)
            return i;
    }
    return -1;
}

bool array_reduction(Py *p, const Array *a, const char *name, Const *out)
{
    static const PyClass class = {.name = "a method of an array", .call = call_method};
    int fold = fold_named(name);

    if (fold < 0)
        return false;
    Method *m = NEW(p->arena, Method);
    *m = (Method){a, (Fold)fold};
    *out = (Const){.kind = CONST_OBJECT, .class = &class, .object = m};
    return true;
}

bool array_reduce(Py *p, const Const *self, const char *name, Span at, Const *out)
{
    const Array *a = value_array(self);
    const Reduction r = {.fold = (Fold)fold_named(name), .axis = -1};

    if (a->ndim != 1)
        return py_fail(p, at,
                       "%s() takes an array of one dimension: x.%s() is that of all "
                       "elements, x.%s(0) that along an axis",
                       name, name, name);
    return reduce_checked(p, &r, a, at, out);
}
