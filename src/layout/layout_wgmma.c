/*
 * layout_wgmma.c - operands of wgmma.mma_async in shared memory
 *
 * The PTX ISA, "Asynchronous warpgroup level matrix shared memory layout": rows of 128, 64 or 32
 * bytes, eight of them a block.  The bits of an address that number the vectors of 16 bytes within
 * a row (4 to 6, 4 to 5, 4) are changed by exclusive or with bits 7 to 9, 7 to 8, or 7.  So of a
 * row of 128 bytes they change with the number of the row, of a row of 32 bytes with its highest
 * bit alone.  Such a map is linear, and so a SharedLayout as any other.
 *
 * Rows along K hold what neighbours there; blocks follow each other along M or N at `stride`.  Rows
 * along M or N (`trans`) follow each other along K, a block of 8 of them after the other at
 * `stride`; what M or N has beyond a row comes `lead` behind.
 */
#include "layout_internal.h"

enum { VECTOR_BITS = 4, LEAST_ROW = 5, MOST_ROW = 7, BLOCK_BITS = 3 }; /* of bytes, and rows */

/* As descriptors count them. */
static int swizzle_of(int row_bits)
{
    return MOST_ROW + 1 - row_bits;
}

/* The next bit of the offset moves the coordinate by that. */
static void put_bit(SharedLayout *s, uint32_t coordinate)
{
    s->coordinate[s->nbits++] = coordinate;
}

/* Fill in how the coordinate moves the offset, which is the other way round. */
static void invert(SharedLayout *s)
{
    VectorSpace space = {0};

    for (int i = 0; i < s->nbits; i++)
        space_add(&space, s->coordinate[i], 1u << i, NULL);
    for (int i = 0; i < s->nbits; i++)
        space_reduce(&space, 1u << i, &s->offset[i]);
}

bool shared_wgmma(const Layout *shape, const WgmmaTile *t, SharedLayout *out, WgmmaOperand *operand)
{
    int element = layout_bits_of(t->bytes), along = t->along, other = 1 - along;
    bool trans = along != t->k;

    if (shape->rank != 2 || (trans && t->bytes != 2))
        return false;
    int row = MIN(shape->bits[along] + element, MOST_ROW), vectors = row - VECTOR_BITS;
    if (row < LEAST_ROW || shape->bits[other] < BLOCK_BITS ||
        shape->bits[t->k] + element < LEAST_ROW)
        return false;
    *out = (SharedLayout){.bytes = t->bytes};
    for (int i = 0; i < row - element; i++)
        put_bit(out, layout_unit(shape, along, i));
    for (int i = 0; i < shape->bits[other]; i++) {
        int vector = i - (BLOCK_BITS - vectors); /* the bit of its number that this one moves */
        uint32_t moved = i < BLOCK_BITS && vector >= 0
                             ? layout_unit(shape, along, VECTOR_BITS - element + vector)
                             : 0;
        put_bit(out, layout_unit(shape, other, i) | moved);
    }
    for (int i = row - element; i < shape->bits[along]; i++)
        put_bit(out, layout_unit(shape, along, i));
    invert(out);
    *operand = (WgmmaOperand){.swizzle = swizzle_of(row),
                              .lead = trans ? 1 << (row + shape->bits[other]) : 0,
                              .stride = 1 << (row + BLOCK_BITS),
                              .trans = trans};
    return true;
}

void shared_transpose(const SharedLayout *s, int row_bits, int column_bits, SharedLayout *out)
{
    uint32_t columns = (1u << column_bits) - 1;

    *out = *s;
    for (int i = 0; i < s->nbits; i++) {
        uint32_t at = s->coordinate[i];
        out->coordinate[i] = (at & columns) << row_bits | at >> column_bits;
        out->offset[i < column_bits ? i + row_bits : i - column_bits] = s->offset[i];
    }
}
