/*
 * copy.c - cp.async: copies from global to shared memory that are waited for
 *
 * A chip copies at any time between the instruction and the wait; here the bytes arrive at the
 * wait, as late as may be, so that a kernel that does not wait sees what it must not rely on. Until
 * then nobody may touch them (shadow.c).  Groups are counted for each lane.
 */
#include <string.h>

#include "lanes.h"

static bool keep_copy(Warp *w, Copy copy)
{
    Copies *c = &w->copies;
    Copy *at = room_for_one(w, c->at, c->len, &c->cap, sizeof copy);

    if (!at)
        return false;
    c->at = at;
    c->at[c->len++] = copy;
    return true;
}

/* A part of a copy: it may end where an array ends, in the midst of a unit. */
static bool resolve_part(Warp *w, uint32_t lane, uint64_t from, uint32_t bytes)
{
    uint64_t address[LANES];
    char *host[LANES];
    uint32_t mask = UINT32_C(1) << lane;

    address[lane] = from;
    if (!access_resolve(w, SPACE_GLOBAL, ACCESS_FETCH, 1, mask, address, host))
        return false;
    address[lane] = from + bytes - 1;
    return access_resolve(w, SPACE_GLOBAL, ACCESS_FETCH, 1, mask, address, host);
}

/* Copy `some[lane]` bytes and zeros behind them. */
static void start_copies(Warp *w, const Inst *in, uint32_t mask, const uint32_t some[LANES])
{
    uint32_t bytes = (uint32_t)in->number, full = 0, any = 0;
    uint64_t to[LANES], from[LANES];
    char *to_host[LANES], *from_host[LANES];

    if (bytes != 4 && bytes != 8 && bytes != 16) {
        fault(w, SIM_CODE, -1, "cp.async of %u bytes", bytes);
        return;
    }
    access_addresses(w, &in->at[0], to);
    access_addresses(w, &in->at[1], from);
    FOR_LANES(i, mask)
    {
        full |= (uint32_t)(some[i] == bytes) << i;
        any |= (uint32_t)(some[i] > 0) << i;
    }
    if (!access_resolve(w, SPACE_SHARED, ACCESS_COPY, bytes, mask, to, to_host) ||
        !access_resolve(w, SPACE_GLOBAL, ACCESS_FETCH, bytes, full, from, from_host))
        return;
    if (w->worker->counts && any)
        count_copies(w, any, from, to);
    FOR_LANES(i, mask)
    {
        if (some[i] > 0 && some[i] < bytes && !resolve_part(w, i, from[i], some[i]))
            return;
        if (some[i] > bytes) {
            fault(w, SIM_CODE, (int)i, "cp.async of %u bytes out of %u", bytes, some[i]);
            return;
        }
        if (some[i] > 0 && !order_load(w, (int)i, (const char *)(uintptr_t)from[i], some[i]))
            return;
        Copy c = {.from = (const char *)(uintptr_t)from[i],
                  .to = (uint32_t)to[i],
                  .group = w->copies.committed[i],
                  .bytes = (uint8_t)bytes,
                  .from_bytes = (uint8_t)some[i],
                  .lane = (uint8_t)i};
        if (!keep_copy(w, c))
            return;
    }
}

/* cp.async [to], [from], bytes{, how many of them come from there} */
void copy_async(Warp *w, const Inst *in, uint32_t mask)
{
    uint32_t some[LANES];

    FOR_LANES(i, mask)
    some[i] = in->op[0] == NO_OPERAND ? (uint32_t)in->number : OPERAND(w, in, 0, uint32_t)[i];
    start_copies(w, in, mask, some);
}

/* with a predicate: zeros where it holds */
void copy_async_ignore(Warp *w, const Inst *in, uint32_t mask)
{
    uint32_t some[LANES], ignore = *OPERAND(w, in, 0, uint32_t);

    if (in->not_op)
        ignore = ~ignore;
    FOR_LANES(i, mask)
    some[i] = ignore >> i & 1 ? 0 : (uint32_t)in->number;
    start_copies(w, in, mask, some);
}

void copy_commit(Warp *w, const Inst *in, uint32_t mask)
{
    (void)in;
    FOR_LANES(i, mask)
    w->copies.committed[i]++;
}

static void deliver(Warp *w, const Copy *c)
{
    char *to = w->block->shared + c->to;

    memcpy(to, c->from, c->from_bytes);
    memset(to + c->from_bytes, 0, (size_t)(c->bytes - c->from_bytes));
    shadow_end_copy(w, c->to, c->bytes, false);
}

/* The copies of these lanes arrive, but not those of their last groups, `open` of them; groups that
 * are not committed are later than all. */
static void wait_for_copies(Warp *w, uint32_t mask, uint32_t open)
{
    Copies *c = &w->copies;
    int kept = 0;

    for (int i = 0; i < c->len; i++) {
        const Copy *copy = &c->at[i];

        if ((mask >> copy->lane & 1) && copy->group + open < c->committed[copy->lane])
            deliver(w, copy);
        else
            c->at[kept++] = *copy;
    }
    c->len = kept;
}

void copy_wait_group(Warp *w, const Inst *in, uint32_t mask)
{
    wait_for_copies(w, mask, (uint32_t)in->number);
}

void copy_wait_all(Warp *w, const Inst *in, uint32_t mask)
{
    copy_commit(w, in, mask);
    wait_for_copies(w, mask, 0);
}
