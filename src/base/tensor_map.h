/*
 * tensor_map.h - what a tensor map says: where tiles of a tensor lie that a GPU copies by itself
 *
 * A chip has 128 bytes for it, whose meaning only its driver knows; these are the facts in them, by
 * the CUDA driver API, "cuTensorMapEncodeTiled".  Dimension 0 is the one whose elements lie side by
 * side.  Element strides are 1, nothing is interleaved, and what is outside comes as zeros.
 */
#ifndef TILEC_BASE_TENSOR_MAP_H
#define TILEC_BASE_TENSOR_MAP_H

#include "base.h"

enum { TENSOR_MAP_RANK = 5, TENSOR_MAP_BYTES = 128, TENSOR_MAP_ALIGN = 64 };

/* Which bits of an address in shared memory change units of 16 bytes: rows of so many bytes. */
typedef enum {
    TENSOR_SWIZZLE_NONE,
    TENSOR_SWIZZLE_32,
    TENSOR_SWIZZLE_64,
    TENSOR_SWIZZLE_128
} TensorSwizzle;

typedef struct {
    uint64_t address;
    uint64_t extent[TENSOR_MAP_RANK]; /* elements */
    uint64_t stride[TENSOR_MAP_RANK]; /* bytes; that of dimension 0 is an element's */
    uint32_t box[TENSOR_MAP_RANK];    /* elements of a tile */
    uint8_t rank;                     /* 1 to TENSOR_MAP_RANK */
    uint8_t element;                  /* bytes: 1, 2, 4 or 8 */
    uint8_t swizzle;                  /* TensorSwizzle */
} TensorMap;

/* Why no driver takes such a map: static text; NULL: it does. */
const char *tensor_map_refuse(const TensorMap *t);

/* Do they say the same?  Of dimensions that there are. */
bool tensor_map_equal(const TensorMap *a, const TensorMap *b);

/* Bytes of shared memory that a row of a swizzle has: 16 for none. */
static inline uint32_t tensor_swizzle_span(const TensorMap *t)
{
    return UINT32_C(16) << t->swizzle;
}

/* Bytes of a tile in shared memory, all of it, whatever of it lies in the tensor. */
static inline uint32_t tensor_map_box_bytes(const TensorMap *t)
{
    uint32_t bytes = t->element;

    for (int d = 0; d < t->rank; d++)
        bytes *= t->box[d];
    return bytes;
}

#endif
