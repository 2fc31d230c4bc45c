/*
 * strides.c - how far apart the elements of an array lie, as NumPy counts it
 */
#include "tensor.h"

int64_t tensor_stride(const tilec_tensor *t, int dim)
{
    int64_t stride = 1;

    if (t->strides)
        return t->strides[dim];
    for (int i = dim + 1; i < t->ndim; i++) {
        if (__builtin_mul_overflow(stride, t->shape[i], &stride))
            return INT64_MAX;
    }
    return stride;
}

bool tensor_overlaps(const tilec_tensor *t, int64_t *elements, int64_t *places)
{
    int64_t far;

    *elements = *places = 1;
    for (int i = 0; i < t->ndim; i++) {
        if (tensor_stride(t, i) < 0 || t->shape[i] == 0 ||
            __builtin_mul_overflow(*elements, t->shape[i], elements) ||
            __builtin_mul_overflow(t->shape[i] - 1, tensor_stride(t, i), &far) ||
            __builtin_add_overflow(*places, far, places))
            return false;
    }
    return *places < *elements;
}
