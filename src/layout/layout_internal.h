/*
 * layout_internal.h - what the files of layout.h share, above all vector spaces over GF(2)
 *
 * A vector is the bits of a number, and to add is the exclusive or.
 */
#ifndef TILEC_LAYOUT_LAYOUT_INTERNAL_H
#define TILEC_LAYOUT_LAYOUT_INTERNAL_H

#include "layout.h"

/* What some vectors span, as an echelon basis: that with its highest bit at p is vec[p], 0 when
 * there is none.  made[p] says which vectors that were added, by the bits that named them, give it.
 */
typedef struct {
    int rank;
    uint32_t vec[32], made[32];
} VectorSpace;

/* layout.c */
int highest_bit(uint32_t v); /* v is not 0 */
/* The smallest number that v becomes by adding vectors of the space, 0 when v is in it; *made (may
 * be NULL) says which were added. */
uint32_t space_reduce(const VectorSpace *s, uint32_t v, uint32_t *made);
/* False when v was in it already; *made then says which vectors give it. */
bool space_add(VectorSpace *s, uint32_t v, uint32_t name, uint32_t *made);
static inline bool space_has(const VectorSpace *s, uint32_t v)
{
    return space_reduce(s, v, NULL) == 0;
}
/* The unit vector of a bit of a dimension's index; 0 when the index has no such bit. */
uint32_t layout_unit(const Layout *l, int dim, int bit);
/* Set the shape of `l` and no bits of registers, lanes, warps; false: too many bits. */
bool layout_begin(Layout *l, int rank, const int32_t *dims);
/* The holders of `l` in `out`, whose dimensions are as many and as long or longer. */
void layout_widen(const Layout *l, Layout *out);
bool layout_add_register(Layout *l, uint32_t basis); /* as the highest bit; false: too many */
/* Which bit of registers alone moves that bit of the coordinate, and nothing else; -1: none. */
int layout_register_of(const Layout *l, uint32_t unit);

/* layout_shared.c: shared_choose() for those bits of the coordinate alone; the others stay out of
 * it */
void shared_choose_bits(uint32_t bits, int bytes, const SharedAccess *accesses, int n,
                        SharedLayout *out);

/* layout_shuffle.c */
/* NULL where no way within the warps was found. */
const Shuffles *shuffles_between(const Layout *from, const Layout *to, int bytes, Arena *a);
/* Cycles of a multiprocessor for one warp, more or less. */
int shuffles_cost(const Shuffles *s, int bytes);

/* layout_exchange.c */
/* There is always one; `limit` as in layout_convert(). */
const Exchange *exchange_between(const Layout *from, const Layout *to, int bytes, int64_t limit,
                                 Arena *a);
int exchange_cost(const Exchange *e); /* in what shuffles_cost() gives */

#endif
