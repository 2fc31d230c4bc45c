/*
 * move.c - mov, packing and unpacking, addresses between spaces, clocks
 */
#include "../base/base.h"
VECTOR_LOOPS /* in front of the functions of headers, too: they are inlined */

#include "lanes.h"

EACH1(move_16, uint16_t, uint16_t, x)
EACH1(move_32, uint32_t, uint32_t, x)
EACH1(move_64, uint64_t, uint64_t, x)

/* Several registers into one, the first in the lowest bits; and back. */
#define PACK(whole, part, n, W, P)                                                                 \
    void move_pack_##whole##_##part(Warp *w, const Inst *in, uint32_t mask)                        \
    {                                                                                              \
        W *d = OPERAND(w, in, 0, W);                                                               \
                                                                                                   \
        FOR_LANES(i, mask)                                                                         \
        {                                                                                          \
            W all = 0;                                                                             \
                                                                                                   \
            for (int k = 0; k < n; k++)                                                            \
                all |= (W)OPERAND(w, in, 1 + k, P)[i] << (k * part);                               \
            d[i] = all;                                                                            \
        }                                                                                          \
    }                                                                                              \
    void move_unpack_##whole##_##part(Warp *w, const Inst *in, uint32_t mask)                      \
    {                                                                                              \
        const W *all = OPERAND(w, in, n, W);                                                       \
                                                                                                   \
        FOR_LANES(i, mask)                                                                         \
        {                                                                                          \
            W value = all[i];                                                                      \
                                                                                                   \
            for (int k = 0; k < n; k++)                                                            \
                OPERAND(w, in, k, P)                                                               \
            [i] = (P)(value >> (k * part));                                                        \
        }                                                                                          \
    }
PACK(32, 8, 4, uint32_t, uint8_t)
PACK(32, 16, 2, uint32_t, uint16_t)
PACK(64, 16, 4, uint64_t, uint16_t)
PACK(64, 32, 2, uint64_t, uint32_t)

/* cvta: from a space to generic addresses, and back.  Global ones are generic as they are. */
static uint64_t window_of(const Inst *in)
{
    switch (in->space) {
    case SPACE_SHARED:
        return SHARED_WINDOW;
    case SPACE_LOCAL:
        return LOCAL_WINDOW;
    case SPACE_PARAM:
        return PARAM_WINDOW;
    default:
        return 0;
    }
}
EACH1(move_cvta, uint64_t, uint64_t, x + window_of(in))
EACH1(move_cvta_to, uint64_t, uint64_t, x - window_of(in))

/* isspacep */
void move_isspacep(Warp *w, const Inst *in, uint32_t mask)
{
    const uint64_t *x = OPERAND(w, in, 1, uint64_t);
    uint32_t bits = 0;

    FOR_LANES(i, mask)
    {
        uint64_t window = x[i] & ~UINT64_C(0xffffffff);
        PtxSpace space = window == SHARED_WINDOW  ? SPACE_SHARED
                         : window == LOCAL_WINDOW ? SPACE_LOCAL
                                                  : SPACE_GLOBAL;

        bits |= (uint32_t)(space == in->space) << i;
    }
    write_predicate(w, in->op[0], bits, mask);
}

/* Clocks go on by a microsecond whenever a warp of the block asks: so they never go back, who waits
 * for a time comes to its end, and a run gives what the one before it gave.  The lanes of a warp
 * see the same. */
static uint64_t tick(Warp *w)
{
    enum { NANOSECONDS = 1000 };

    return w->block->clock += NANOSECONDS;
}

void move_clock_32(Warp *w, const Inst *in, uint32_t mask)
{
    uint32_t now = (uint32_t)tick(w);

    FOR_LANES(i, mask)
    OPERAND(w, in, 0, uint32_t)
    [i] = now;
}

void move_clock_64(Warp *w, const Inst *in, uint32_t mask)
{
    uint64_t now = tick(w);

    FOR_LANES(i, mask)
    OPERAND(w, in, 0, uint64_t)
    [i] = now;
}

/* What has no effect here: prefetches, fences, hints. */
void move_nothing(Warp *w, const Inst *in, uint32_t mask)
{
    (void)w;
    (void)in;
    (void)mask;
}

/* A cache policy is a number that nobody reads. */
void move_policy(Warp *w, const Inst *in, uint32_t mask)
{
    FOR_LANES(i, mask)
    OPERAND(w, in, 0, uint64_t)
    [i] = 0;
}
