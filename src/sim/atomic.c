/*
 * atomic.c - atom and red
 *
 * The lanes of a warp update memory one after the other, each with the host's own atomic
 * operations, so that other blocks on other threads are right, too.  As on the chips, f32 sums in
 * global memory know no denormals: they are zeros, before and after.
 */
#include <math.h>

#include "lanes.h"
#include "small.h"

/* What one instruction does to each lane's memory. */
typedef struct {
    PtxModifier op;
    PtxType type;
    uint32_t bytes;
    bool flush;
} Update;

static Update update_of(const Inst *in)
{
    static const PtxModifier ops[] = {MOD_ADD, MOD_MIN_, MOD_MAX_, MOD_INC, MOD_DEC,
                                      MOD_AND, MOD_OR,   MOD_XOR,  MOD_EXCH};
    PtxType t = (PtxType)in->type[0];
    Update u = {.op = MOD_CAS,
                .type = t,
                .bytes = ptx_type_bits[t] / 8u,
                .flush = t == PTX_F32 && in->space != SPACE_SHARED};

    for (int i = 0; i < COUNT(ops); i++) {
        if (has(in, ops[i]))
            u.op = ops[i];
    }
    return u;
}

static uint64_t add_small(PtxType t, uint64_t a, uint64_t b)
{
    double sum = odd_add(small_to_double(t, (uint32_t)a), small_to_double(t, (uint32_t)b));

    return small_from_double(t, sum, ROUND_NEAREST, false);
}

static uint64_t add_pair(PtxType t, uint64_t a, uint64_t b)
{
    return add_small(t, a & 0xffff, b & 0xffff) | add_small(t, a >> 16, b >> 16) << 16;
}

static uint64_t sum(const Update *u, uint64_t a, uint64_t b)
{
    uint32_t x = (uint32_t)a, y = (uint32_t)b, z;

    switch (u->type) {
    case PTX_F32:
        z = bits_of(float_of(u->flush ? flush32(x) : x) + float_of(u->flush ? flush32(y) : y));
        z = u->flush ? flush32(z) : z;
        return (z & UINT32_C(0x7fffffff)) > UINT32_C(0x7f800000) ? NAN_F32 : z;
    case PTX_F64:
        return bits_of_double(double_of(a) + double_of(b));
    case PTX_F16:
    case PTX_BF16:
        return add_small(u->type, a, b);
    case PTX_F16X2:
        return add_pair(PTX_F16, a, b);
    case PTX_BF16X2:
        return add_pair(PTX_BF16, a, b);
    default:
        return a + b;
    }
}

static bool less(const Update *u, uint64_t a, uint64_t b)
{
    if (u->type == PTX_S32)
        return (int32_t)a < (int32_t)b;
    return u->type == PTX_S64 ? (int64_t)a < (int64_t)b : a < b;
}

/* What memory gets in place of `old`. */
static uint64_t updated(const Update *u, uint64_t old, uint64_t b, uint64_t c)
{
    switch (u->op) {
    case MOD_ADD:
        return sum(u, old, b);
    case MOD_MIN_:
        return less(u, b, old) ? b : old;
    case MOD_MAX_:
        return less(u, old, b) ? b : old;
    case MOD_INC:
        return old >= b ? 0 : old + 1;
    case MOD_DEC:
        return old == 0 || old > b ? b : old - 1;
    case MOD_AND:
        return old & b;
    case MOD_OR:
        return old | b;
    case MOD_XOR:
        return old ^ b;
    case MOD_EXCH:
        return b;
    default:
        return old == b ? c : old;
    }
}

#define UPDATE(T)                                                                                  \
    static uint64_t update_##T(const Update *u, T *at, uint64_t b, uint64_t c)                     \
    {                                                                                              \
        T old = __atomic_load_n(at, __ATOMIC_SEQ_CST), new;                                        \
                                                                                                   \
        do                                                                                         \
            new = (T)updated(u, old, b, c);                                                        \
        while (!__atomic_compare_exchange_n(at, &old, new, false, __ATOMIC_SEQ_CST,                \
                                            __ATOMIC_SEQ_CST));                                    \
        return old;                                                                                \
    }
UPDATE(uint16_t)
UPDATE(uint32_t)
UPDATE(uint64_t)

/* Elements of one lane: neighbours in memory, each updated by itself. */
enum { MOST_ELEMENTS = 4 };
static int elements_of(const Inst *in)
{
    return has(in, MOD_V2) ? 2 : has(in, MOD_V4) ? 4 : 1;
}

static uint64_t update_element(const Update *u, char *at, uint64_t b, uint64_t c)
{
    if (u->bytes == 2)
        return update_uint16_t(u, (uint16_t *)(void *)at, b, c);
    if (u->bytes == 4)
        return update_uint32_t(u, (uint32_t *)(void *)at, b, c);
    return update_uint64_t(u, (uint64_t *)(void *)at, b, c);
}

/* Operands start with b at `first`; what was there before goes to `old`. */
static bool update_lanes(Warp *w, const Inst *in, uint32_t mask, int first,
                         uint64_t old[MOST_ELEMENTS][LANES])
{
    Update u = update_of(in);
    int n = elements_of(in);
    uint64_t address[LANES];
    char *host[LANES];

    access_addresses(w, &in->at[0], address);
    if (!access_resolve(w, (PtxSpace)in->space, ACCESS_ATOMIC, u.bytes * (uint32_t)n, mask, address,
                        host))
        return false;
    if (has(in, MOD_RELEASE) || has(in, MOD_ACQ_REL))
        order_fence(w);
    FOR_LANES(i, mask)
    {
        if (!order_atomic(w, (int)i, host[i], u.bytes * (uint32_t)n, u.op != MOD_EXCH))
            return false;
        uint64_t c = u.op == MOD_CAS ? lane_get(w, in->op[first + 1], u.bytes, i) : 0;

        for (int k = 0; k < n; k++) {
            uint64_t b = lane_get(w, in->op[first + k], u.bytes, i);
            old[k][i] = update_element(&u, host[i] + (uint32_t)k * u.bytes, b, c);
        }
        order_seen(w, host[i], u.bytes * (uint32_t)n);
    }
    if (has(in, MOD_ACQUIRE) || has(in, MOD_ACQ_REL))
        order_fence(w);
    return true;
}

/* ops d, b, c for cas */
void atomic_atom(Warp *w, const Inst *in, uint32_t mask)
{
    uint64_t old[MOST_ELEMENTS][LANES];
    uint32_t bytes = ptx_type_bits[in->type[0]] / 8u;
    int n = elements_of(in);

    if (!update_lanes(w, in, mask, n, old))
        return;
    for (int k = 0; k < n; k++) {
        FOR_LANES(i, mask)
        lane_put(w, in->op[k], bytes, i, old[k][i]);
    }
}

/* ops b */
void atomic_red(Warp *w, const Inst *in, uint32_t mask)
{
    uint64_t old[MOST_ELEMENTS][LANES];

    update_lanes(w, in, mask, 0, old);
}
