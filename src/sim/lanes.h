/*
 * lanes.h - functions that do one thing to each lane
 *
 * EACH writes such a function from an expression of x, y, z, its operands behind the result.  The
 * loop over all lanes is one that compilers make vectors of; the other is for some lanes.
 */
#ifndef TILEC_SIM_LANES_H
#define TILEC_SIM_LANES_H

#include "execute.h"

/* One lane of a register of 2, 4 or 8 bytes. */
static inline void lane_put(Warp *w, uint32_t place, uint32_t bytes, uint32_t lane, uint64_t value)
{
    if (bytes == 2)
        REG(w, place, uint16_t)[lane] = (uint16_t)value;
    else if (bytes == 4)
        REG(w, place, uint32_t)[lane] = (uint32_t)value;
    else
        REG(w, place, uint64_t)[lane] = value;
}

static inline uint64_t lane_get(Warp *w, uint32_t place, uint32_t bytes, uint32_t lane)
{
    if (bytes == 2)
        return REG(w, place, uint16_t)[lane];
    return bytes == 4 ? REG(w, place, uint32_t)[lane] : REG(w, place, uint64_t)[lane];
}

#define LOOP_LANES(mask, ...)                                                                      \
    if ((mask) == ALL_LANES) {                                                                     \
        EACH_LANE for (int i = 0; i < LANES; i++)                                                  \
        {                                                                                          \
            __VA_ARGS__                                                                            \
        }                                                                                          \
    } else {                                                                                       \
        FOR_LANES(i, mask)                                                                         \
        {                                                                                          \
            __VA_ARGS__                                                                            \
        }                                                                                          \
    }

/* from types: of the result, of each operand */
#define EACH1(name, D, X, expr)                                                                    \
    void name(Warp *w, const Inst *in, uint32_t mask)                                              \
    {                                                                                              \
        D *d = OPERAND(w, in, 0, D);                                                               \
        const X *xs = OPERAND(w, in, 1, X);                                                        \
                                                                                                   \
        LOOP_LANES(mask, X x = xs[i]; d[i] = (D)(expr);)                                           \
    }
#define EACH2(name, D, X, Y, expr)                                                                 \
    void name(Warp *w, const Inst *in, uint32_t mask)                                              \
    {                                                                                              \
        D *d = OPERAND(w, in, 0, D);                                                               \
        const X *xs = OPERAND(w, in, 1, X);                                                        \
        const Y *ys = OPERAND(w, in, 2, Y);                                                        \
                                                                                                   \
        LOOP_LANES(mask, X x = xs[i]; Y y = ys[i]; d[i] = (D)(expr);)                              \
    }
#define EACH3(name, D, X, Y, Z, expr)                                                              \
    void name(Warp *w, const Inst *in, uint32_t mask)                                              \
    {                                                                                              \
        D *d = OPERAND(w, in, 0, D);                                                               \
        const X *xs = OPERAND(w, in, 1, X);                                                        \
        const Y *ys = OPERAND(w, in, 2, Y);                                                        \
        const Z *zs = OPERAND(w, in, 3, Z);                                                        \
                                                                                                   \
        LOOP_LANES(mask, X x = xs[i]; Y y = ys[i]; Z z = zs[i]; d[i] = (D)(expr);)                 \
    }

#endif
