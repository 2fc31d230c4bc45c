/*
 * memory.c - loads and stores
 *
 * The lanes' elements go between the host's memory and registers that may be wider than they are:
 * signed types are extended by their sign, all others by zeros.
 */
#include <string.h>

#include "lanes.h"

enum { MOST_VECTOR = 8 }; /* elements of an instruction */

/* An element of memory, extended to 64 bits. */
static uint64_t fetch_bytes(const char *from, uint32_t bytes, bool extend)
{
    uint8_t b;
    uint16_t h;
    uint32_t s;
    uint64_t d;

    switch (bytes) {
    case 1:
        memcpy(&b, from, sizeof b);
        return extend ? (uint64_t)(int8_t)b : b;
    case 2:
        memcpy(&h, from, sizeof h);
        return extend ? (uint64_t)(int16_t)h : h;
    case 4:
        memcpy(&s, from, sizeof s);
        return extend ? (uint64_t)(int32_t)s : s;
    default:
        memcpy(&d, from, sizeof d);
        return d;
    }
}

/* The host's memory of each lane for the vector of an instruction; false after a fault. */
static bool resolve_access(Warp *w, const Inst *in, AccessKind kind, uint32_t mask,
                           char *host[LANES])
{
    uint32_t bytes = ptx_type_bits[in->type[0]] / 8u * in->count;
    uint64_t address[LANES];

    access_addresses(w, &in->at[0], address);
    return access_resolve(w, (PtxSpace)in->space, kind, bytes, mask, address, host);
}

/* What may stand in a loop that waits for another program orders the two, and races with none. */
static bool may_wait(const Inst *in)
{
    return has(in, MOD_VOLATILE) || has(in, MOD_RELAXED) || has(in, MOD_ACQUIRE);
}

static bool note_loads(Warp *w, const Inst *in, uint32_t mask, char *const host[LANES])
{
    uint32_t bytes = ptx_type_bits[in->type[0]] / 8u * in->count;

    if (!w->worker->launch->races || may_wait(in))
        return true;
    FOR_LANES(i, mask)
    {
        if (!order_load(w, (int)i, host[i], bytes))
            return false;
    }
    return true;
}

static void fetch_lanes(Warp *w, const Inst *in, uint32_t mask, char *const host[LANES])
{
    PtxType type = (PtxType)in->type[0];
    uint32_t size = ptx_type_bits[type] / 8u;
    bool extend = ptx_is_signed(type);

    for (int k = 0; k < in->count; k++) {
        uint32_t place = in->op[k];

        if (size == 4 && in->bytes[0] == 4) {
            FOR_LANES(i, mask)
            memcpy(&REG(w, place, uint32_t)[i], host[i] + 4 * k, 4);
            continue;
        }
        FOR_LANES(i, mask)
        lane_put(w, place, in->bytes[0], i,
                 fetch_bytes(host[i] + size * (uint32_t)k, size, extend));
    }
}

void move_load(Warp *w, const Inst *in, uint32_t mask)
{
    uint32_t bytes = ptx_type_bits[in->type[0]] / 8u * in->count;
    char *host[LANES];

    if (!resolve_access(w, in, ACCESS_READ, mask, host) || !note_loads(w, in, mask, host))
        return;
    fetch_lanes(w, in, mask, host);
    if (!may_wait(in))
        return;
    FOR_LANES(i, mask)
    order_observe(w, host[i], bytes);
}

void move_store(Warp *w, const Inst *in, uint32_t mask)
{
    uint32_t size = ptx_type_bits[in->type[0]] / 8u;
    char *host[LANES];

    if (!resolve_access(w, in, ACCESS_WRITE, mask, host))
        return;
    FOR_LANES(i, mask)
    {
        char bytes[8 * MOST_VECTOR];

        for (int k = 0; k < in->count; k++) {
            uint64_t value = lane_get(w, in->op[k], in->bytes[0], i);

            memcpy(bytes + size * (uint32_t)k, &value, size); /* the host is little-endian */
        }
        order_store(w, (int)i, host[i], bytes, size * in->count);
    }
}
