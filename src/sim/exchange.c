/*
 * exchange.c - what the lanes of a warp tell each other
 *
 * Every such instruction names the lanes that take part.  They must all be there: lanes that have
 * gone another way would be waited for on a GPU, or give garbage, so that stops the launch.
 */
#include "lanes.h"

/* Do the lanes that run take part, and do all that take part run?  False after a fault. */
static bool check_members(Warp *w, const Inst *in, uint32_t mask, int operand)
{
    const uint32_t *members = OPERAND(w, in, operand, uint32_t);

    FOR_LANES(lane, mask)
    {
        uint32_t missing = members[lane] & w->live & ~mask;

        if (!(members[lane] >> lane & 1)) {
            fault(w, SIM_SYNC, (int)lane, "a lane that is not in the mask 0x%08x", members[lane]);
            return false;
        }
        if (missing) {
            fault(w, SIM_SYNC, __builtin_ctz(missing), "a lane of the mask 0x%08x is elsewhere",
                  members[lane]);
            return false;
        }
    }
    return true;
}

/* shfl: the lane that each one reads; the ranges of segments come with `c`. */
static int lane_read_by(const Inst *in, int lane, int b, uint32_t c, bool *inside)
{
    int bound = (int)(c & 31), segment = (int)(c >> 8 & 31);
    int most = (lane & segment) | (bound & ~segment), least = lane & segment;
    int from;

    if (has(in, MOD_UP)) {
        from = lane - b;
        *inside = from >= most;
    } else if (has(in, MOD_DOWN)) {
        from = lane + b;
        *inside = from <= most;
    } else if (has(in, MOD_BFLY)) {
        from = lane ^ b;
        *inside = from <= most;
    } else {
        from = least | (b & ~segment);
        *inside = from <= most;
    }
    return *inside ? from & 31 : lane;
}

/* ops d, p or none, a, b, c, members */
void exchange_shfl(Warp *w, const Inst *in, uint32_t mask)
{
    const uint32_t *a = OPERAND(w, in, 2, uint32_t), *b = OPERAND(w, in, 3, uint32_t);
    const uint32_t *c = OPERAND(w, in, 4, uint32_t);
    uint32_t got[LANES], insides = 0, *d = OPERAND(w, in, 0, uint32_t);

    if (!check_members(w, in, mask, 5))
        return;
    FOR_LANES(lane, mask)
    {
        bool inside;
        int from = lane_read_by(in, (int)lane, (int)(b[lane] & 31), c[lane], &inside);

        if (!(mask >> from & 1)) {
            fault(w, SIM_SYNC, (int)lane,
                  "it reads a register of lane %d, which does not take part", from);
            return;
        }
        got[lane] = a[from];
        insides |= (uint32_t)inside << lane;
    }
    FOR_LANES(lane, mask)
    d[lane] = got[lane];
    if (in->op[1] != NO_OPERAND)
        write_predicate(w, in->op[1], insides, mask);
}

/* vote: ops d, p, members */
static uint32_t votes(Warp *w, const Inst *in, uint32_t mask)
{
    uint32_t p = *OPERAND(w, in, 1, uint32_t);

    return (in->not_op ? ~p : p) & mask;
}

void exchange_vote(Warp *w, const Inst *in, uint32_t mask)
{
    if (!check_members(w, in, mask, 2))
        return;
    uint32_t p = votes(w, in, mask);
    bool yes = has(in, MOD_ALL) ? p == mask : has(in, MOD_ANY) ? p != 0 : p == mask || p == 0;
    write_predicate(w, in->op[0], yes ? ALL_LANES : 0, mask);
}

void exchange_ballot(Warp *w, const Inst *in, uint32_t mask)
{
    if (!check_members(w, in, mask, 2))
        return;
    uint32_t p = votes(w, in, mask);
    FOR_LANES(lane, mask)
    OPERAND(w, in, 0, uint32_t)
    [lane] = p;
}

void exchange_activemask(Warp *w, const Inst *in, uint32_t mask)
{
    FOR_LANES(lane, mask)
    OPERAND(w, in, 0, uint32_t)
    [lane] = mask;
}

/* match: ops d, p or none, a, members */
static uint32_t same_lanes(Warp *w, const Inst *in, uint32_t mask, uint32_t lane)
{
    uint32_t same = 0;

    FOR_LANES(other, mask)
    {
        bool equal = ptx_type_bits[in->type[0]] == 64
                         ? OPERAND(w, in, 2, uint64_t)[other] == OPERAND(w, in, 2, uint64_t)[lane]
                         : OPERAND(w, in, 2, uint32_t)[other] == OPERAND(w, in, 2, uint32_t)[lane];

        same |= (uint32_t)equal << other;
    }
    return same;
}

void exchange_match_any(Warp *w, const Inst *in, uint32_t mask)
{
    uint32_t same[LANES];

    if (!check_members(w, in, mask, 3))
        return;
    FOR_LANES(lane, mask)
    same[lane] = same_lanes(w, in, mask, lane);
    FOR_LANES(lane, mask)
    OPERAND(w, in, 0, uint32_t)
    [lane] = same[lane];
}

void exchange_match_all(Warp *w, const Inst *in, uint32_t mask)
{
    if (!check_members(w, in, mask, 3))
        return;
    bool all = same_lanes(w, in, mask, (uint32_t)__builtin_ctz(mask)) == mask;
    FOR_LANES(lane, mask)
    OPERAND(w, in, 0, uint32_t)
    [lane] = all ? mask : 0;
    if (in->op[1] != NO_OPERAND)
        write_predicate(w, in->op[1], all ? ALL_LANES : 0, mask);
}

/* redux: ops d, a, members */
#define REDUCE(name, T, expr)                                                                      \
    void name(Warp *w, const Inst *in, uint32_t mask)                                              \
    {                                                                                              \
        const T *a = OPERAND(w, in, 1, T);                                                         \
                                                                                                   \
        if (!check_members(w, in, mask, 2))                                                        \
            return;                                                                                \
        T x = a[__builtin_ctz(mask)];                                                              \
        FOR_LANES(lane, mask &(mask - 1))                                                          \
        {                                                                                          \
            T y = a[lane];                                                                         \
                                                                                                   \
            x = (T)(expr);                                                                         \
        }                                                                                          \
        FOR_LANES(lane, mask)                                                                      \
        OPERAND(w, in, 0, T)                                                                       \
        [lane] = x;                                                                                \
    }
REDUCE(exchange_redux_add, uint32_t, x + y)
REDUCE(exchange_redux_and, uint32_t, x &y)
REDUCE(exchange_redux_or, uint32_t, x | y)
REDUCE(exchange_redux_xor, uint32_t, x ^ y)
REDUCE(exchange_redux_min_u, uint32_t, x < y ? x : y)
REDUCE(exchange_redux_max_u, uint32_t, x > y ? x : y)
REDUCE(exchange_redux_min_s, int32_t, x < y ? x : y)
REDUCE(exchange_redux_max_s, int32_t, x > y ? x : y)

/* elect: ops d, p, members: the lowest one */
void exchange_elect(Warp *w, const Inst *in, uint32_t mask)
{
    if (!check_members(w, in, mask, 2))
        return;
    uint32_t leader = (uint32_t)__builtin_ctz(mask);
    FOR_LANES(lane, mask)
    OPERAND(w, in, 0, uint32_t)
    [lane] = leader;
    if (in->op[1] != NO_OPERAND)
        write_predicate(w, in->op[1], UINT32_C(1) << leader, mask);
}

/* bar.warp.sync */
void exchange_sync(Warp *w, const Inst *in, uint32_t mask)
{
    check_members(w, in, mask, 0);
}
