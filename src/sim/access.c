/*
 * access.c - from the addresses of a warp to the host's memory
 *
 * Every access is checked: that it is aligned to its size, that global ones lie in what the launch
 * may reach, and shared ones in the block's shared memory, in an order that shadow.c finds safe.
 */
#include "execute.h"

void access_addresses(const Warp *w, const PtxAddress *a, uint64_t address[LANES])
{
    if (a->base == NO_OPERAND) {
        for (int i = 0; i < LANES; i++)
            address[i] = (uint64_t)a->offset;
    } else if (a->wide) {
        const uint64_t *base = REG(w, a->base, uint64_t);

        for (int i = 0; i < LANES; i++)
            address[i] = base[i] + (uint64_t)a->offset;
    } else {
        const uint32_t *base = REG(w, a->base, uint32_t);

        for (int i = 0; i < LANES; i++)
            address[i] = (uint32_t)(base[i] + (uint32_t)a->offset);
    }
}

static bool in_range(const SimRange *r, uint64_t address, uint32_t bytes)
{
    return address - r->address < r->bytes && r->bytes - (address - r->address) >= bytes;
}

/* The range that an access lies in, or NULL. */
static const SimRange *find_range(const Launch *l, uint64_t address, uint32_t bytes)
{
    for (int i = 0; i < l->asked->nranges; i++) {
        if (in_range(&l->asked->ranges[i], address, bytes))
            return &l->asked->ranges[i];
    }
    for (int i = 0; i < l->module->globals.len; i++) {
        if (in_range(&l->globals[i], address, bytes))
            return &l->globals[i];
    }
    return l->own ? own_memory_find(l->own, address) : NULL;
}

int access_range(const Launch *l, uint64_t address)
{
    for (int i = 0; i < l->asked->nranges; i++) {
        if (in_range(&l->asked->ranges[i], address, 1))
            return i;
    }
    return -1;
}

static const char *const verbs[] = {[ACCESS_READ] = "reads",
                                    [ACCESS_WRITE] = "writes",
                                    [ACCESS_ATOMIC] = "updates",
                                    [ACCESS_COPY] = "copies to",
                                    [ACCESS_FETCH] = "reads"};

/* As in "load of x"; of what is told of global memory. */
static const char *const accesses[] = {[ACCESS_READ] = "load of",
                                       [ACCESS_WRITE] = "store to",
                                       [ACCESS_ATOMIC] = "atomic on",
                                       [ACCESS_COPY] = "store to",
                                       [ACCESS_FETCH] = "load of"};

/* A fault that is an access to global memory; call it behind fault(). */
static void note_access(Warp *w, AccessKind kind, int range, uint64_t address)
{
    SimError *e = &w->worker->error;

    if (e->access)
        return; /* the first one counts */
    e->access = accesses[kind];
    e->range = range;
    e->address = address;
}

/* The range that is nearest to an address which is in none, -1 when that is far. */
static int nearest_range(const Launch *l, uint64_t address)
{
    uint64_t best = UINT64_C(1) << 32;
    int nearest = -1;

    for (int i = 0; i < l->asked->nranges; i++) {
        const SimRange *r = &l->asked->ranges[i];
        uint64_t end = r->address + r->bytes;
        uint64_t far = address < r->address ? r->address - address : address - MIN(end, address);

        if (far < best) {
            best = far;
            nearest = i;
        }
    }
    return nearest;
}

/* Say how far an address is from the nearest range. */
static void fault_outside(Warp *w, int lane, AccessKind kind, uint64_t address, uint32_t bytes)
{
    const Launch *l = w->worker->launch;
    int nearest = l->own ? -1 : nearest_range(l, address); /* it may come from anywhere */
    const SimRange *r = nearest < 0 ? NULL : &l->asked->ranges[nearest];

    if (!r)
        fault(w, SIM_ACCESS, lane, "it %s %u bytes at address 0x%llx, which no argument reaches%s",
              verbs[kind], bytes, (unsigned long long)address,
              l->own ? ", and where the process has no memory" : "");
    else
        fault(w, SIM_ACCESS, lane, "it %s %u bytes at offset %lld of an array of %llu bytes",
              verbs[kind], bytes, (long long)(address - r->address), (unsigned long long)r->bytes);
    note_access(w, kind, nearest, address);
}

static bool resolve_global(Warp *w, AccessKind kind, uint32_t bytes, uint32_t mask,
                           const uint64_t address[LANES], char *host[LANES])
{
    const Launch *l = w->worker->launch;
    const SimRange *range = NULL;

    if (w->worker->counts && kind != ACCESS_FETCH)
        count_global(w, bytes, mask, address);
    FOR_LANES(lane, mask)
    {
        host[lane] = (char *)(uintptr_t)address[lane];
        if (l->asked->nranges < 0)
            continue;
        if (!range || !in_range(range, address[lane], bytes))
            range = find_range(l, address[lane], bytes);
        if (!range) {
            fault_outside(w, (int)lane, kind, address[lane], bytes);
            return false;
        }
        if (range->read_only && kind != ACCESS_READ && kind != ACCESS_FETCH) {
            fault(w, SIM_ACCESS, (int)lane, "it %s memory that is read-only", verbs[kind]);
            note_access(w, kind, -1, address[lane]);
            return false;
        }
    }
    return true;
}

static bool resolve_shared(Warp *w, AccessKind kind, uint32_t bytes, uint32_t mask,
                           const uint64_t address[LANES], char *host[LANES])
{
    Block *b = w->block;

    if (w->worker->counts)
        count_shared(w, bytes, mask, address);
    FOR_LANES(lane, mask)
    {
        uint64_t at = address[lane];

        if (at + bytes > b->shared_bytes || at + bytes < at) {
            fault(w, SIM_ACCESS, (int)lane, "it %s %u bytes at %llu of %u bytes of shared memory",
                  verbs[kind], bytes, (unsigned long long)at, b->shared_bytes);
            return false;
        }
        if (!shadow_access(w, kind, (int)lane, (uint32_t)at, bytes))
            return false;
        host[lane] = b->shared + at;
    }
    return true;
}

static bool resolve_local(Warp *w, AccessKind kind, uint32_t bytes, uint32_t mask,
                          const uint64_t address[LANES], char *host[LANES])
{
    uint64_t size = w->module->local_bytes;

    FOR_LANES(lane, mask)
    {
        uint64_t at = address[lane];

        if (at + bytes > size || at + bytes < at) {
            fault(w, SIM_ACCESS, (int)lane, "it %s %u bytes at %llu of %llu bytes of local memory",
                  verbs[kind], bytes, (unsigned long long)at, (unsigned long long)size);
            return false;
        }
        host[lane] = w->local + lane * size + at;
    }
    return true;
}

/* Each parameter has 8 bytes of its own, of which it is the low ones, or more. */
static bool resolve_param(Warp *w, AccessKind kind, uint32_t bytes, uint32_t mask,
                          const uint64_t address[LANES], char *host[LANES])
{
    const Launch *l = w->worker->launch;
    uint64_t size = l->kernel->func->param_bytes;

    FOR_LANES(lane, mask)
    {
        uint64_t at = address[lane];

        if (kind != ACCESS_READ || at + bytes > size || at + bytes < at) {
            fault(w, SIM_ACCESS, (int)lane, "it %s %u bytes at %llu of %llu bytes of parameters",
                  verbs[kind], bytes, (unsigned long long)at, (unsigned long long)size);
            return false;
        }
        host[lane] = (char *)(uintptr_t)(l->params + at);
    }
    return true;
}

/* Generic addresses: each window is an access of its own. */
static bool resolve_generic(Warp *w, AccessKind kind, uint32_t bytes, uint32_t mask,
                            const uint64_t address[LANES], char *host[LANES])
{
    uint64_t inside[LANES];
    uint32_t shared = 0, local = 0, param = 0;

    FOR_LANES(lane, mask)
    {
        uint64_t window = address[lane] & ~UINT64_C(0xffffffff);

        shared |= (uint32_t)(window == SHARED_WINDOW) << lane;
        local |= (uint32_t)(window == LOCAL_WINDOW) << lane;
        param |= (uint32_t)(window == PARAM_WINDOW) << lane;
        inside[lane] = address[lane] & 0xffffffff;
    }
    mask &= ~(shared | local | param);
    return (!shared || resolve_shared(w, kind, bytes, shared, inside, host)) &&
           (!local || resolve_local(w, kind, bytes, local, inside, host)) &&
           (!param || resolve_param(w, kind, bytes, param, inside, host)) &&
           (!mask || resolve_global(w, kind, bytes, mask, address, host));
}

static bool check_aligned(Warp *w, AccessKind kind, uint32_t bytes, uint32_t mask,
                          const uint64_t address[LANES])
{
    FOR_LANES(lane, mask)
    {
        if (address[lane] % bytes != 0) {
            fault(w, SIM_ACCESS, (int)lane,
                  "it %s %u bytes at 0x%llx, which is not a multiple of %u", verbs[kind], bytes,
                  (unsigned long long)address[lane], bytes);
            return false;
        }
    }
    return true;
}

bool access_resolve(Warp *w, PtxSpace space, AccessKind kind, uint32_t bytes, uint32_t mask,
                    const uint64_t address[LANES], char *host[LANES])
{
    if (!check_aligned(w, kind, bytes, mask, address))
        return false;
    switch (space) {
    case SPACE_GLOBAL:
        return resolve_global(w, kind, bytes, mask, address, host);
    case SPACE_SHARED:
        return resolve_shared(w, kind, bytes, mask, address, host);
    case SPACE_LOCAL:
        return resolve_local(w, kind, bytes, mask, address, host);
    case SPACE_PARAM:
        return resolve_param(w, kind, bytes, mask, address, host);
    default:
        return resolve_generic(w, kind, bytes, mask, address, host);
    }
}

bool access_run(Warp *w, PtxSpace space, AccessKind kind, int lane, uint64_t at, uint32_t bytes)
{
    WorkCount *counts = w->worker->counts;
    uint64_t address[LANES];
    char *host[LANES];
    bool good;

    address[lane] = at;
    w->worker->counts = NULL;
    good = space == SPACE_SHARED
               ? resolve_shared(w, kind, bytes, UINT32_C(1) << lane, address, host)
               : resolve_global(w, kind, bytes, UINT32_C(1) << lane, address, host);
    w->worker->counts = counts;
    return good;
}
