/*
 * tensor_map.c - the rules of tensor maps, by the CUDA driver API, "cuTensorMapEncodeTiled"
 */
#include "tensor_map.h"

enum { UNIT = 16, MOST_BOX = 256, MOST_TILE = 1 << 24 };
#define MOST_EXTENT (UINT64_C(1) << 32)
#define MOST_STRIDE (UINT64_C(1) << 40)

/* stride: 0 of the innermost one, whose elements are neighbours */
static const char *refuse_dimension(uint64_t extent, uint32_t box, uint64_t stride)
{
    if (extent < 1 || extent > MOST_EXTENT)
        return "a dimension of a tensor map has 1 to 2^32 elements";
    if (box < 1 || box > MOST_BOX)
        return "a tile of a tensor map has 1 to 256 elements along each dimension";
    if (stride % UNIT != 0)
        return "a stride of a tensor map is a multiple of 16 bytes";
    if (stride >= MOST_STRIDE)
        return "a stride of a tensor map is less than 2^40 bytes";
    return NULL;
}

const char *tensor_map_refuse(const TensorMap *t)
{
    uint32_t row = t->box[0] * t->element;
    uint64_t bytes = t->element;

    if (t->rank < 1 || t->rank > TENSOR_MAP_RANK)
        return "a tensor map has 1 to 5 dimensions";
    if (t->element != 1 && t->element != 2 && t->element != 4 && t->element != 8)
        return "elements of a tensor map have 1, 2, 4 or 8 bytes";
    if (t->swizzle > TENSOR_SWIZZLE_128)
        return "a tensor map has an unknown swizzle";
    if (t->address % UNIT != 0)
        return "a tensor map's address is a multiple of 16";
    for (int d = 0; d < t->rank; d++) {
        uint64_t stride = d > 0 ? t->stride[d] : 0;
        const char *why = refuse_dimension(t->extent[d], t->box[d], stride);

        bytes *= t->box[d];
        if (why || bytes > MOST_TILE)
            return why ? why : "a tile of a tensor map is larger than any shared memory";
    }
    if (row % UNIT != 0)
        return "rows of a tensor map's tile are multiples of 16 bytes";
    if (t->swizzle != TENSOR_SWIZZLE_NONE && row > tensor_swizzle_span(t))
        return "rows of a tensor map's tile are longer than its swizzle";
    if (t->swizzle != TENSOR_SWIZZLE_NONE && row < tensor_swizzle_span(t))
        return "rows of a tensor map's tile that are shorter than its swizzle are not supported";
    return NULL;
}

bool tensor_map_equal(const TensorMap *a, const TensorMap *b)
{
    bool equal = a->address == b->address && a->rank == b->rank && a->element == b->element &&
                 a->swizzle == b->swizzle;

    for (int d = 0; equal && d < a->rank; d++)
        equal = a->extent[d] == b->extent[d] && a->box[d] == b->box[d] &&
                (d == 0 || a->stride[d] == b->stride[d]);
    return equal;
}
