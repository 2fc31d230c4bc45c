/*
 * layout_convert.c - the way from one layout of a tile to another
 *
 * Nothing, or registers within each thread, where that is enough; else exchanges within warps
 * (layout_shuffle.c) or through shared memory (layout_exchange.c), whichever takes less time.
 */
#include "layout_internal.h"

/* Every register of the result is the same one of the source in all threads.  A thread's elements
 * must then be among those that it has, for the registers of one thread are independent. */
static const int32_t *registers_between(const Layout *from, const Layout *to, Arena *a)
{
    VectorSpace held = {0};
    uint32_t of[LAYOUT_MAX_REG_BITS];
    int32_t *take;

    for (int i = 0; i < to->nlane; i++) {
        if (from->lane[i] != to->lane[i])
            return NULL;
    }
    for (int i = 0; i < to->nwarp; i++) {
        if (from->warp[i] != to->warp[i])
            return NULL;
    }
    for (int i = 0; i < from->nreg; i++)
        space_add(&held, from->reg[i], 1u << i, NULL);
    for (int i = 0; i < to->nreg; i++) {
        if (space_reduce(&held, to->reg[i], &of[i]) != 0)
            return NULL;
    }
    take = NEW_N(a, int32_t, layout_registers(to));
    for (uint32_t r = 0; r < (uint32_t)layout_registers(to); r++) {
        uint32_t source = 0;
        for (int i = 0; i < to->nreg; i++)
            source ^= r >> i & 1 ? of[i] : 0;
        take[r] = layout_register_live(to, r) ? (int32_t)source : -1;
    }
    return take;
}

static bool is_same(const Conversion *c, const Layout *from)
{
    if (c->nregs != layout_registers(from))
        return false;
    for (int32_t r = 0; r < c->nregs; r++) {
        if (c->take[r] >= 0 && c->take[r] != r)
            return false;
    }
    return true;
}

const Conversion *layout_convert_by(ConvertKind kind, const Layout *from, const Layout *to,
                                    int bytes, int64_t limit, Arena *a)
{
    Conversion *c = NEW(a, Conversion);

    if (!layout_same_shape(from, to) || from->nlane != to->nlane || from->nwarp != to->nwarp)
        bug("a conversion between layouts of different tiles");
    *c = (Conversion){.kind = kind, .nregs = layout_registers(to)};
    switch (kind) {
    case CONVERT_NOTHING:
        c->take = registers_between(from, to, a);
        return c->take && is_same(c, from) ? c : NULL;
    case CONVERT_REGISTERS:
        c->take = registers_between(from, to, a);
        return c->take ? c : NULL;
    case CONVERT_SHUFFLE:
        c->shuffles = shuffles_between(from, to, bytes, a);
        return c->shuffles ? c : NULL;
    case CONVERT_SHARED:
        c->exchange = exchange_between(from, to, bytes, limit, a);
        return c;
    }
    return NULL;
}

const Conversion *layout_convert(const Layout *from, const Layout *to, int bytes, int64_t limit,
                                 Arena *a)
{
    for (int kind = CONVERT_NOTHING; kind <= CONVERT_REGISTERS; kind++) {
        const Conversion *c = layout_convert_by((ConvertKind)kind, from, to, bytes, limit, a);
        if (c)
            return c;
    }
    const Conversion *lanes = layout_convert_by(CONVERT_SHUFFLE, from, to, bytes, limit, a);
    const Conversion *memory = layout_convert_by(CONVERT_SHARED, from, to, bytes, limit, a);
    if (lanes && shuffles_cost(lanes->shuffles, bytes) <= exchange_cost(memory->exchange))
        return lanes;
    return memory;
}

/* --- a layout in the middle --- */

static uint32_t *thread_basis(Layout *l, int bit)
{
    return bit < l->nlane ? &l->lane[bit] : &l->warp[bit - l->nlane];
}

/* The bits of the coordinate that threads move; in *alone those that one bit of the thread's number
 * moves, and that moves nothing else. */
static uint32_t moved_by_threads(const Layout *l, uint32_t *alone)
{
    Layout copy = *l;
    uint32_t moved = 0, shared = 0;

    for (int i = 0; i < l->nlane + l->nwarp; i++) {
        uint32_t basis = *thread_basis(&copy, i);
        shared |= (basis & (basis - 1)) == 0 ? moved & basis : basis;
        moved |= basis;
    }
    *alone = moved & ~shared;
    return moved;
}

static void swap_bases(Layout *l, int reg, uint32_t of_thread)
{
    for (int i = 0; i < l->nlane + l->nwarp; i++) {
        uint32_t *basis = thread_basis(l, i);
        if (*basis == of_thread) {
            *basis = l->reg[reg];
            l->reg[reg] = of_thread;
            return;
        }
    }
}

/* From what the first layout has, bits that only its threads move change places with bits that only
 * those of the second one do.  Each such pair takes a bit of the pieces from the first conversion
 * and gives one to the second; they are to have equally many. */
bool layout_between(const Layout *from, const Layout *to, Layout *middle)
{
    uint32_t alone, unused;
    uint32_t moved = moved_by_threads(from, &alone), wanted = moved_by_threads(to, &unused);
    uint32_t give = alone & ~wanted, take = wanted & ~moved;
    int pairs = 0, most = __builtin_popcount(take) / 2;

    *middle = *from;
    for (int bit = layout_total_bits(from) - 1; bit >= 0 && give && pairs < most; bit--) {
        int reg = take >> bit & 1 ? layout_register_of(from, 1u << bit) : -1;
        if (reg < 0)
            continue;
        swap_bases(middle, reg, give & -give);
        give &= give - 1;
        pairs++;
    }
    return pairs > 0;
}
