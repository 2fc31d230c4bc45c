/*
 * layout_tensor.c - tiles in shared memory that copies of tensor maps fill
 *
 * Such a copy lays a box down: rows of at most 128 bytes below each other, whose vectors of 16
 * bytes are exchanged by the three lowest bits of the row's number in blocks of 8 rows (the PTX
 * ISA, "Tensor swizzling modes").  A tile with longer rows is several boxes, one behind the other.
 */
#include "layout_internal.h"

enum { VECTOR_BITS = 4, LEAST_ROW = 5, MOST_ROW = 7, BLOCK_BITS = 3, MOST_BOX = 8 /* bits */ };

typedef struct {
    const SharedLayout *memory;
    int bits[2]; /* of the indices of a tile [rows, columns] */
} Tile;

static uint32_t unit(const Tile *t, int dim, int bit)
{
    return bit >= t->bits[dim] ? 0 : 1u << (dim == 0 ? t->bits[1] + bit : bit);
}

/* Bits of elements that lie side by side along the dimension. */
static int run_bits(const Tile *t, int dim)
{
    int n = 0;

    while (n < t->memory->nbits && n < t->bits[dim] && t->memory->coordinate[n] == unit(t, dim, n))
        n++;
    return n;
}

bool shared_boxes(const SharedLayout *s, int row_bits, int column_bits, SharedBoxes *out)
{
    Tile t = {s, {row_bits, column_bits}};
    int element = layout_bits_of(s->bytes), along = run_bits(&t, 0) > run_bits(&t, 1) ? 0 : 1;
    int row = MIN(t.bits[along] + element, MOST_ROW), vectors = row - VECTOR_BITS, at = 0;

    if (row < LEAST_ROW || s->nbits != row_bits + column_bits || t.bits[1 - along] > MOST_BOX)
        return false;
    for (int i = 0; i < row - element; i++, at++) {
        if (s->coordinate[at] != unit(&t, along, i))
            return false;
    }
    for (int i = 0; i < t.bits[1 - along]; i++, at++) {
        int vector =
            at + element - (VECTOR_BITS + BLOCK_BITS); /* that the bit of the place moves */
        uint32_t moved =
            vector >= 0 && vector < vectors ? unit(&t, along, VECTOR_BITS - element + vector) : 0;
        if (s->coordinate[at] != (unit(&t, 1 - along, i) | moved))
            return false;
    }
    for (int i = row - element; at < s->nbits; i++, at++) {
        if (s->coordinate[at] != unit(&t, along, i))
            return false;
    }
    *out = (SharedBoxes){.along = along,
                         .row = 1 << (row - element),
                         .rows = 1 << t.bits[1 - along],
                         .boxes = 1 << (t.bits[along] + element - row),
                         .swizzle = row - VECTOR_BITS};
    return true;
}
