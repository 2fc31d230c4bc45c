/*
 * view.c - which elements an array has, as checks ask for it
 *
 * Shape and strides say which offsets from the pointer are elements.  Sorted by stride, dimensions
 * that continue each other become one, down to the form that ir.h describes: most arrays are one
 * run of elements, the rows of a slice are runs that lie apart.  Where dimensions overlap in a way
 * that this form cannot say, it holds more than the view has: a check never reports what is no
 * mistake.
 */
#include "tensor.h"

typedef struct {
    int64_t stride, count;
} Dim;

/* The dimensions that matter, by stride, all of them positive; the offset of the lowest element.
 * Negative: the numbers are too large. */
static int sorted_dims(const tilec_tensor *t, Dim *dims, int64_t *low)
{
    int64_t dense = 1;
    int n = 0;

    *low = 0;
    for (int i = t->ndim - 1; i >= 0; i--) {
        int64_t stride = t->strides ? t->strides[i] : dense, far;
        if (__builtin_mul_overflow(dense, t->shape[i], &dense) ||
            __builtin_mul_overflow(stride, t->shape[i] - 1, &far) ||
            (far < 0 && __builtin_add_overflow(*low, far, low)))
            return -1;
        if (stride == 0 || t->shape[i] <= 1)
            continue;
        Dim d = {stride < 0 ? -stride : stride, t->shape[i]};
        if (n == MAX_RANK)
            return -1;
        int at = n++;
        for (; at > 0 && dims[at - 1].stride > d.stride; at--)
            dims[at] = dims[at - 1];
        dims[at] = d;
    }
    return n;
}

/* How many offsets from the first to the last that `n` dimensions and the tail reach. */
static __int128 span_of(const Dim *dims, int n, int64_t tail)
{
    __int128 span = tail;

    for (int i = 0; i < n; i++)
        span += (__int128)dims[i].stride * (dims[i].count - 1);
    return span;
}

/* Add the next larger dimension to `n` runs and the tail; gives how many there are then. */
static int add_dim(Dim *runs, int n, int64_t *tail, Dim d)
{
    __int128 span = span_of(runs, n, *tail);

    if (n == 0 && d.stride <= *tail) { /* the next one begins where this one ends, or before */
        *tail += d.stride * (d.count - 1);
        return 0;
    }
    if (n == 0 || d.stride >= span) { /* without runs the span is the tail */
        runs[n] = d;
        return n + 1;
    }
    Dim *last = &runs[n - 1];
    int64_t step = d.stride / last->stride;
    if (d.stride % last->stride == 0 && step <= last->count) {
        last->count += step * (d.count - 1);
        return n;
    }
    *tail = (int64_t)(span + (__int128)d.stride * (d.count - 1));
    return 0;
}

bool view_of(const tilec_tensor *t, View *out)
{
    Dim dims[MAX_RANK], runs[MAX_RANK];
    int64_t tail = 1;
    int n, nruns = 0;

    *out = (View){0};
    for (int i = 0; i < t->ndim; i++) {
        if (t->shape[i] == 0)
            return true; /* no element, no offset */
    }
    n = t->ndim < 0 ? -1 : sorted_dims(t, dims, &out->parts[VIEW_LOW]);
    if (n < 0 || span_of(dims, n, 1) > INT64_MAX)
        return false;
    for (int i = 0; i < n; i++)
        nruns = add_dim(runs, nruns, &tail, dims[i]);
    out->dims = nruns;
    out->parts[VIEW_TAIL] = tail;
    for (int i = 0; i < nruns; i++) { /* the largest first */
        out->parts[VIEW_STRIDE + 2 * i] = runs[nruns - 1 - i].stride;
        out->parts[VIEW_COUNT + 2 * i] = runs[nruns - 1 - i].count;
    }
    return true;
}

int view_dims(const tilec_tensor *t)
{
    View v;

    return view_of(t, &v) ? v.dims : -1;
}
