/*
 * bulk.c - cp.async.bulk: copies of many bytes that one thread asks for
 *
 * Those to shared memory bring their bytes to an mbarrier, when somebody waits for it; until then
 * nobody may touch them.  Those from shared memory read it when their group is waited for, as late
 * as may be, so that what a program writes there too early comes out.  A copy does not see what
 * threads wrote to shared memory unless they fence it.
 */
#include <string.h>

#include "execute.h"

bool bulk_keep(Warp *w, Bulks *all, Bulk bulk)
{
    Bulk *at = room_for_one(w, all->at, all->len, &all->cap, sizeof bulk);

    if (!at)
        return false;
    all->at = at;
    all->at[all->len++] = bulk;
    return true;
}

/* What the copy asks for, 16 bytes as if by a lane. */
void bulk_count(Warp *w, uint64_t from, uint64_t to, uint32_t bytes)
{
    enum { UNIT = 16 };
    uint64_t a[LANES], b[LANES];

    for (uint32_t done = 0; w->worker->counts && done < bytes; done += LANES * UNIT) {
        uint32_t n = MIN(LANES, (bytes - done + UNIT - 1) / UNIT);

        for (uint32_t i = 0; i < n; i++) {
            a[i] = from + done + i * UNIT;
            b[i] = to + done + i * UNIT;
        }
        count_copies(w, n == LANES ? ALL_LANES : (UINT32_C(1) << n) - 1, a, b);
    }
}

/* Both sides of a copy, 16 bytes after 16 bytes; false after a fault. */
static bool resolve(Warp *w, uint32_t lane, AccessKind shared, uint64_t at, AccessKind global,
                    uint64_t address, uint32_t bytes)
{
    enum { UNIT = 16 };
    uint32_t mask = UINT32_C(1) << lane;
    WorkCount *counts = w->worker->counts; /* bulk_count() counts it as a whole */
    bool good = true;
    uint64_t a[LANES];
    char *host[LANES];

    if (bytes == 0 || bytes % UNIT != 0) {
        fault(w, SIM_CODE, (int)lane, "cp.async.bulk of %u bytes, which is no multiple of %d",
              bytes, UNIT);
        return false;
    }
    w->worker->counts = NULL;
    for (uint32_t i = 0; good && i < bytes; i += UNIT) {
        a[lane] = at + i;
        good = access_resolve(w, SPACE_SHARED, shared, UNIT, mask, a, host);
        a[lane] = address + i;
        good = good && access_resolve(w, SPACE_GLOBAL, global, UNIT, mask, a, host);
    }
    w->worker->counts = counts;
    return good;
}

/* cp.async.bulk [shared], [global], bytes, [mbarrier] */
void bulk_load(Warp *w, const Inst *in, uint32_t mask)
{
    const uint32_t *bytes = OPERAND(w, in, 0, uint32_t);
    uint64_t to[LANES], from[LANES], at[LANES];

    access_addresses(w, &in->at[0], to);
    access_addresses(w, &in->at[1], from);
    access_addresses(w, &in->at[2], at);
    FOR_LANES(lane, mask)
    {
        Bulk b = {.host = (char *)(uintptr_t)from[lane],
                  .at = (uint32_t)to[lane],
                  .bytes = bytes[lane],
                  .mbarrier = (uint32_t)at[lane],
                  .due = pace_copied(w),
                  .warp = (uint8_t)w->index,
                  .lane = (uint8_t)lane};

        if (!mbarrier_at(w, (int)lane, at[lane]) ||
            !resolve(w, lane, ACCESS_COPY, b.at, ACCESS_FETCH, from[lane], b.bytes) ||
            !order_load(w, (int)lane, b.host, b.bytes) || !bulk_keep(w, &w->block->loads, b))
            return;
        bulk_count(w, from[lane], b.at, b.bytes);
        mbarrier_wake(w->block);
    }
}

void bulk_deliver(Block *b, Mbarrier *m)
{
    int kept = 0, n = b->loads.len;
    uint32_t phase = m->phase;

    for (int i = 0; i < n; i++) {
        const Bulk load = b->loads.at[i];
        Warp *w = &b->warps[load.warp];

        if (load.mbarrier != m->at || m->phase != phase || w->worker->status != SIM_OK) {
            b->loads.at[kept++] = load;
            continue;
        }
        if (load.tile.map.rank > 0)
            tensor_bring(w, &load);
        else
            memcpy(b->shared + load.at, load.host, load.bytes);
        shadow_end_copy(w, load.at, load.bytes, true);
        m->is_copy |= load.due > m->due;
        m->due = MAX(m->due, load.due);
        mbarrier_bring(w, m, load.bytes);
    }
    b->loads.len = kept;
}

bool bulk_end(Block *b)
{
    const Bulk *load = b->loads.len > 0 ? &b->loads.at[0] : NULL;

    if (load)
        fault(&b->warps[load->warp], SIM_SYNC, load->lane,
              "the block ends while cp.async.bulk copies to byte %u of its shared memory",
              load->at);
    for (int i = 0; i < b->nwarps && !load; i++) {
        const Bulks *stores = &b->warps[i].stores;

        if (stores->len > 0) {
            fault(&b->warps[i], SIM_SYNC, stores->at[0].lane,
                  "it ends with a cp.async.bulk from shared memory that nobody has waited for");
            return false;
        }
    }
    return !load;
}

/* --- from shared memory --- */

/* cp.async.bulk [global], [shared], bytes */
void bulk_store(Warp *w, const Inst *in, uint32_t mask)
{
    const uint32_t *bytes = OPERAND(w, in, 0, uint32_t);
    uint64_t to[LANES], from[LANES];

    access_addresses(w, &in->at[0], to);
    access_addresses(w, &in->at[1], from);
    FOR_LANES(lane, mask)
    {
        Bulk b = {.host = (char *)(uintptr_t)to[lane],
                  .at = (uint32_t)from[lane],
                  .bytes = bytes[lane],
                  .group = w->bulk_groups[lane],
                  .warp = (uint8_t)w->index,
                  .lane = (uint8_t)lane};

        if (!resolve(w, lane, ACCESS_READ, b.at, ACCESS_WRITE, to[lane], b.bytes) ||
            !shadow_fenced(w, (int)lane, b.at, b.bytes, "cp.async.bulk") ||
            !bulk_keep(w, &w->stores, b))
            return;
        bulk_count(w, to[lane], b.at, b.bytes);
    }
}

void bulk_commit(Warp *w, const Inst *in, uint32_t mask)
{
    (void)in;
    FOR_LANES(lane, mask)
    w->bulk_groups[lane]++;
}

/* All but the last groups of these lanes are done; `.read` or not, since here both come at once. */
void bulk_wait_group(Warp *w, const Inst *in, uint32_t mask)
{
    int kept = 0;

    for (int i = 0; i < w->stores.len; i++) {
        const Bulk store = w->stores.at[i];
        bool is_due = (mask >> store.lane & 1) &&
                      store.group + (uint64_t)in->number < w->bulk_groups[store.lane];

        if (is_due && store.tile.map.rank > 0)
            tensor_take(w, &store);
        else if (is_due)
            order_store(w, store.lane, store.host, w->block->shared + store.at, store.bytes);
        else
            w->stores.at[kept++] = store;
    }
    w->stores.len = kept;
}

/* fence.proxy.async; that of global memory alone orders nothing here */
void bulk_fence(Warp *w, const Inst *in, uint32_t mask)
{
    (void)mask;
    if (!has(in, MOD_GLOBAL))
        w->seen.at[known_fence(w->block, w->index)] = ++w->clock;
}
