/*
 * random_layout.h - small tiles and layouts of them, for test_layout.c and test_layout_convert.c
 */
#ifndef TILEC_TEST_RANDOM_LAYOUT_H
#define TILEC_TEST_RANDOM_LAYOUT_H

#include "../../src/layout/layout.h"

typedef struct {
    int rank;
    int32_t dims[4];
} Shape;

static const Shape shapes[] = {
    {0, {0}},          {1, {1}},          {1, {2}},          {1, {5}},        {1, {32}},
    {1, {200}},        {1, {512}},        {2, {1, 1}},       {2, {4, 8}},     {2, {16, 16}},
    {2, {32, 1}},      {2, {1, 64}},      {2, {3, 20}},      {2, {33, 16}},   {2, {16, 64}},
    {2, {64, 24}},     {3, {2, 4, 8}},    {3, {3, 5, 7}},    {3, {4, 1, 16}}, {3, {2, 16, 16}},
    {4, {2, 2, 2, 2}}, {4, {2, 3, 4, 5}}, {4, {1, 8, 1, 8}},
};

static uint32_t random_bits(uint64_t *rng)
{
    *rng = *rng * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*rng >> 33);
}

static int random_below(uint64_t *rng, int n)
{
    return (int)(random_bits(rng) % (uint32_t)n);
}

static void shuffle(uint64_t *rng, uint32_t *v, int n)
{
    for (int i = n - 1; i > 0; i--) {
        int k = random_below(rng, i + 1);
        uint32_t t = v[i];
        v[i] = v[k];
        v[k] = t;
    }
}

/* Of 32 lanes. */
static inline LayoutThreads warps(int warp_bits)
{
    return (LayoutThreads){MMA_LANE_BITS, warp_bits};
}

/* Of 32 or 64 lanes, in 1 << most warps or fewer. */
static inline LayoutThreads random_threads(uint64_t *rng, int most)
{
    int lane_bits = MMA_LANE_BITS + random_below(rng, 2);

    return (LayoutThreads){lane_bits, random_below(rng, most + 1)};
}

/* The coordinate's bits in any order on registers, lanes and warps, with copies here and there.  A
 * `wild` one has bases that move several bits. */
static Layout random_layout(uint64_t *rng, const Shape *s, LayoutThreads threads, bool wild)
{
    int nlane = threads.lane_bits;
    Layout l = {.rank = (int8_t)s->rank,
                .nlane = (int8_t)threads.lane_bits,
                .nwarp = (int8_t)threads.warp_bits};
    uint32_t basis[LAYOUT_MAX_BITS];
    int nthreads = nlane + threads.warp_bits, next = 0;

    for (int d = 0; d < s->rank; d++) {
        l.dims[d] = s->dims[d];
        l.bits[d] = (int8_t)layout_bits_of(s->dims[d]);
    }
    int total = layout_total_bits(&l);
    for (int i = 0; i < total; i++)
        basis[i] = 1u << i;
    shuffle(rng, basis, total);
    for (int i = 0; wild && total > 1 && i < total; i++) {
        int k = random_below(rng, total);
        basis[i] ^= k == i ? 0 : basis[k];
    }
    for (int i = 0; i < nthreads; i++) {
        bool copies = random_below(rng, 4) == 0 || next == total;
        uint32_t b = copies ? 0 : basis[next++];
        if (copies && wild && next > 0 && random_below(rng, 2) == 0)
            b = basis[random_below(rng, next)]; /* a copy that lies elsewhere */
        *(i < nlane ? &l.lane[i] : &l.warp[i - nlane]) = b;
    }
    shuffle(rng, l.lane, nlane);
    while (next < total)
        l.reg[l.nreg++] = basis[next++];
    return l;
}

/* One of the usual kinds, or any. */
static Layout some_layout(uint64_t *rng, const Shape *s, LayoutThreads threads)
{
    int8_t order[4];
    Layout l;

    if (random_below(rng, 3) == 0)
        return random_layout(rng, s, threads, random_below(rng, 2) == 0);
    for (int d = 0; d < s->rank; d++)
        order[d] = (int8_t)d;
    for (int d = s->rank - 1; d > 0; d--) {
        int k = random_below(rng, d + 1);
        int8_t t = order[d];
        order[d] = order[k];
        order[k] = t;
    }
    if (!layout_blocked(&l, s->rank, s->dims, order, random_below(rng, 4), NULL, threads))
        bug("a small tile is too large");
    return l;
}

#endif
