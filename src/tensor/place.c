/*
 * place.c - where an address is that lies outside of an array, as messages say it
 */
#include <stdlib.h>

#include "tensor.h"

/* Split an offset into an index for each dimension, the largest stride first.  False when some is
 * left over: it is between the elements. */
static bool split_offset(const tilec_tensor *t, int64_t offset, int64_t *index)
{
    bool done[MAX_RANK] = {false};

    for (int i = 0; i < t->ndim; i++)
        index[i] = 0;
    for (;;) {
        int next = -1;
        for (int i = 0; i < t->ndim; i++) {
            if (!done[i] && tensor_stride(t, i) != 0 && t->shape[i] > 1 &&
                (next < 0 || llabs(tensor_stride(t, i)) > llabs(tensor_stride(t, next))))
                next = i;
        }
        if (next < 0)
            return offset == 0;
        done[next] = true;
        index[next] = offset / tensor_stride(t, next);
        offset %= tensor_stride(t, next);
    }
}

static void put_list(Text *t, const char *open, const int64_t *values, int n, const char *close)
{
    for (int i = 0; i < n; i++)
        text_printf(t, "%s%lld", i == 0 ? open : ", ", (long long)values[i]);
    text_put(t, n == 0 ? "" : close);
}

void place_put(Text *t, const tilec_tensor *array, int64_t offset)
{
    int64_t index[MAX_RANK];

    if (array->ndim > MAX_RANK || array->ndim <= 0 || !split_offset(array, offset, index))
        text_printf(t, " at offset %lld", (long long)offset);
    else
        put_list(t, "[", index, array->ndim, "]");
}

void place_put_outside(Text *t, const tilec_tensor *array, int64_t offset)
{
    int64_t index[MAX_RANK];
    int rank = MIN(array->ndim, MAX_RANK); /* what stands behind is told by none */

    place_put(t, array, offset);
    if (array->ndim == 1 && tensor_stride(array, 0) == 1) {
        text_printf(t, " is outside of its %lld elements", (long long)array->shape[0]);
        return;
    }
    put_list(t, " is outside of its shape (", array->shape, rank, ")");
    text_put(t, array->ndim == 0 ? " is outside of its one element" : "");
    for (int i = 0; i < rank && array->strides; i++)
        index[i] = tensor_stride(array, i);
    if (array->strides)
        put_list(t, ", strides (", index, rank, ")");
}
