/*
 * tensor.h - what shape and strides of an array of a launch say
 *
 * Of one tilec_tensor alone: how far elements lie apart, whether some lie in one place, which
 * offsets are elements, and where an offset is.
 */
#ifndef TILEC_TENSOR_H
#define TILEC_TENSOR_H

#include "tilec.h"
#include "../ir/ir.h"

/* strides.c: of one dimension, in elements; INT64_MAX where there are none and the extents
 * overflow. */
int64_t tensor_stride(const tilec_tensor *t, int dim);
/* Do some of its elements lie in one place?  Gives how many there are, and of places, if so. */
bool tensor_overlaps(const tilec_tensor *t, int64_t *elements, int64_t *places);

/* place.c: "[3]", and "[1027] is outside of its 1000 elements", for an offset in elements; both
 * stand behind the array's name. */
void place_put(Text *t, const tilec_tensor *array, int64_t offset);
void place_put_outside(Text *t, const tilec_tensor *array, int64_t offset);

/* view.c: which elements an array has: the numbers that PARAM_VIEW stands for */
typedef struct {
    int dims; /* beside the tail */
    int64_t parts[VIEW_STRIDE + 2 * MAX_RANK];
} View;
bool view_of(const tilec_tensor *t, View *out); /* false: nobody knows */
int view_dims(const tilec_tensor *t);           /* of its view; negative: nobody knows */

#endif
