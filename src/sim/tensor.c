/*
 * tensor.c - cp.async.bulk.tensor: tiles of tensors, which a map of 128 bytes describes
 *
 * A tile is a box of elements that may reach out of its tensor: what is outside comes as zeros, and
 * is not stored.  As H100s had it (tests/sim/gpu_tensor.c): along dimension 0 a tile begins at a
 * multiple of 16 bytes, or the instruction is illegal; so is a store that begins in front of its
 * tensor; and of 16 bytes that begin inside a store writes all.  In shared memory it is packed,
 * dimension 0 first, in units of 16 bytes, whose places a swizzle changes: by the PTX ISA,
 * "Swizzling modes", the unit's number in its row is changed by xor with bits of the address from 7
 * on, as many as the swizzle has units. When bytes are copied is as in bulk.c; an mbarrier gets all
 * bytes of the tile, inside or not.
 *
 * What a chip's driver writes into the 128 bytes is nobody's business, so the simulator has an
 * encoding of its own, Encoded, which begins with a word that no driver writes.
 */
#include <string.h>

#include "execute.h"

enum { UNIT = 16, SMEM_ALIGN = 128, MOST_ROW = 256 * 8 };
#define MAGIC UINT64_C(0x70616d2d636c6974) /* "tilc-map" */

typedef struct {
    uint64_t magic, address;
    uint64_t stride[TENSOR_MAP_RANK - 1]; /* of dimensions from 1 on */
    uint32_t last[TENSOR_MAP_RANK];       /* element of each dimension */
    uint16_t box[TENSOR_MAP_RANK];
    uint8_t rank, element, swizzle;
    uint8_t rest[TENSOR_MAP_BYTES - 81];
} Encoded;
_Static_assert(sizeof(Encoded) == TENSOR_MAP_BYTES, "as large as a chip's");

const char *sim_encode_tensor_map(const TensorMap *t, void *out)
{
    Encoded e = {.magic = MAGIC,
                 .address = t->address,
                 .rank = t->rank,
                 .element = t->element,
                 .swizzle = t->swizzle};
    const char *why = tensor_map_refuse(t);

    if (why)
        return why;
    for (int d = 0; d < t->rank; d++) {
        if (d > 0)
            e.stride[d - 1] = t->stride[d];
        e.last[d] = (uint32_t)(t->extent[d] - 1);
        e.box[d] = (uint16_t)t->box[d];
    }
    memcpy(out, &e, sizeof e);
    return NULL;
}

/* False: it is no map. */
static bool decode(const void *from, TensorMap *out)
{
    Encoded e;

    memcpy(&e, from, sizeof e);
    if (e.magic != MAGIC || e.rank < 1 || e.rank > TENSOR_MAP_RANK)
        return false;
    *out = (TensorMap){
        .address = e.address, .rank = e.rank, .element = e.element, .swizzle = e.swizzle};
    for (int d = 0; d < e.rank; d++) {
        out->stride[d] = d > 0 ? e.stride[d - 1] : e.element;
        out->extent[d] = (uint64_t)e.last[d] + 1;
        out->box[d] = e.box[d];
    }
    return tensor_map_refuse(out) == NULL;
}

/* --- rows of a tile --- */

/* Elements along dimension 0. */
typedef struct {
    uint64_t address; /* of the first that is inside */
    uint32_t before;  /* bytes in front of it that are outside */
    uint32_t bytes;   /* that are inside; 0: none are */
} Row;

static uint32_t row_bytes(const TensorMap *t)
{
    return t->box[0] * t->element;
}

static uint32_t rows_of(const TensorMap *t)
{
    return tensor_map_box_bytes(t) / row_bytes(t);
}

/* `stores`: with the rest of a unit of which something is inside. */
static Row row_at(const Tile *tile, uint32_t number, bool stores)
{
    const TensorMap *t = &tile->map;
    int64_t first = tile->first[0], from = MAX(first, 0);
    int64_t to = MIN(first + (int64_t)t->box[0], (int64_t)t->extent[0]);
    uint64_t address = t->address;

    if (from >= to)
        return (Row){0};
    for (int d = 1; d < t->rank; d++) {
        int64_t at = (int64_t)tile->first[d] + number % t->box[d];

        if (at < 0 || at >= (int64_t)t->extent[d])
            return (Row){0};
        address += (uint64_t)at * t->stride[d];
        number /= t->box[d];
    }
    uint32_t bytes = (uint32_t)(to - from) * t->element;
    return (Row){.address = address + (uint64_t)from * t->element,
                 .before = (uint32_t)(from - first) * t->element,
                 .bytes = stores ? (bytes + UNIT - 1) / UNIT * UNIT : bytes};
}

/* Where a unit lies that would be at `at` if nothing were swizzled. */
static uint32_t place_of(const TensorMap *t, uint32_t at)
{
    uint32_t units = tensor_swizzle_span(t) / UNIT;

    return at ^ (at / SMEM_ALIGN & (units - 1)) * UNIT;
}

void tensor_bring(Warp *w, const Bulk *b)
{
    const TensorMap *t = &b->tile.map;
    uint32_t bytes = row_bytes(t), n = rows_of(t);

    for (uint32_t i = 0; i < n; i++) {
        Row r = row_at(&b->tile, i, false);
        char row[MOST_ROW];

        memset(row, 0, bytes);
        if (r.bytes > 0)
            memcpy(row + r.before, (const char *)(uintptr_t)r.address, r.bytes);
        for (uint32_t j = 0; j < bytes; j += UNIT)
            memcpy(w->block->shared + place_of(t, b->at + i * bytes + j), row + j, UNIT);
    }
}

void tensor_take(Warp *w, const Bulk *b)
{
    const TensorMap *t = &b->tile.map;
    uint32_t bytes = row_bytes(t), n = rows_of(t);

    for (uint32_t i = 0; i < n; i++) {
        Row r = row_at(&b->tile, i, true);
        char row[MOST_ROW];

        for (uint32_t j = 0; r.bytes > 0 && j < bytes; j += UNIT)
            memcpy(row + j, w->block->shared + place_of(t, b->at + i * bytes + j), UNIT);
        if (r.bytes > 0)
            order_store(w, b->lane, (char *)(uintptr_t)r.address, row + r.before, r.bytes);
    }
}

/* --- asking for them --- */

/* The map at an address, which is a generic one, and the tile of it that a lane wants. */
static bool find_tile(Warp *w, const Inst *in, uint32_t lane, uint64_t at, Tile *out)
{
    uint64_t address[LANES];
    char *host[LANES];
    char bytes[TENSOR_MAP_BYTES];

    if (at % TENSOR_MAP_ALIGN != 0) {
        fault(w, SIM_ACCESS, (int)lane, "a tensor map at 0x%llx, which is not a multiple of %d",
              (unsigned long long)at, TENSOR_MAP_ALIGN);
        return false;
    }
    for (uint32_t i = 0; i < TENSOR_MAP_BYTES; i += UNIT) {
        address[lane] = at + i;
        if (!access_resolve(w, SPACE_GENERIC, ACCESS_READ, UNIT, UINT32_C(1) << lane, address,
                            host))
            return false;
        memcpy(bytes + i, host[lane], UNIT);
    }
    int rank = in->nops - 1; /* and a cache policy */
    if (!decode(bytes, &out->map) || out->map.rank != rank) {
        fault(w, SIM_CODE, (int)lane, "there is no tensor map of %d dimensions at 0x%llx", rank,
              (unsigned long long)at);
        return false;
    }
    for (int d = 0; d < rank; d++)
        out->first[d] = OPERAND(w, in, d, int32_t)[lane];
    return true;
}

/* Does the tile begin where one may? */
static bool check_first(Warp *w, const Bulk *b, bool loads)
{
    const Tile *t = &b->tile;

    if ((int64_t)t->first[0] * t->map.element % UNIT != 0) {
        fault(w, SIM_CODE, b->lane,
              "a tile that begins at element %d along dimension 0, which is at no multiple of %d "
              "bytes",
              t->first[0], UNIT);
        return false;
    }
    for (int d = 0; d < t->map.rank; d++) {
        if (loads || t->first[d] >= 0)
            continue;
        fault(w, SIM_CODE, b->lane, "it stores a tile that begins at element %d along dimension %d",
              t->first[d], d);
        return false;
    }
    return true;
}

/* Both sides, and what programs do to global memory together; false after a fault. */
static bool resolve(Warp *w, const Bulk *b, bool loads)
{
    uint32_t n = rows_of(&b->tile.map), bytes = row_bytes(&b->tile.map);
    AccessKind shared = loads ? ACCESS_COPY : ACCESS_READ;
    AccessKind global = loads ? ACCESS_FETCH : ACCESS_WRITE;

    if (!check_first(w, b, loads))
        return false;
    if (b->at % SMEM_ALIGN != 0) {
        fault(w, SIM_ACCESS, b->lane,
              "a tile at byte %u of shared memory, which is not a multiple of %d", b->at,
              SMEM_ALIGN);
        return false;
    }
    if (!access_run(w, SPACE_SHARED, shared, b->lane, b->at, b->bytes))
        return false;
    for (uint32_t i = 0; i < n; i++) {
        Row r = row_at(&b->tile, i, !loads);

        if (r.bytes == 0)
            continue;
        if (!access_run(w, SPACE_GLOBAL, global, b->lane, r.address, r.bytes) ||
            (loads && !order_load(w, b->lane, (const char *)(uintptr_t)r.address, r.bytes)))
            return false;
        bulk_count(w, r.address, b->at + i * bytes, r.bytes);
    }
    return true;
}

static bool start(Warp *w, const Inst *in, uint32_t lane, uint64_t map, uint64_t shared, Bulk *b)
{
    *b = (Bulk){.at = (uint32_t)shared, .warp = (uint8_t)w->index, .lane = (uint8_t)lane};
    if (!find_tile(w, in, lane, map, &b->tile))
        return false;
    b->host = (char *)(uintptr_t)b->tile.map.address;
    b->bytes = tensor_map_box_bytes(&b->tile.map);
    return true;
}

/* cp.async.bulk.tensor [shared], [map, {coordinates}], [mbarrier] */
void tensor_load(Warp *w, const Inst *in, uint32_t mask)
{
    uint64_t to[LANES], map[LANES], at[LANES];

    access_addresses(w, &in->at[0], to);
    access_addresses(w, &in->at[1], map);
    access_addresses(w, &in->at[2], at);
    FOR_LANES(lane, mask)
    {
        Bulk b;

        if (!start(w, in, lane, map[lane], to[lane], &b))
            return;
        b.mbarrier = (uint32_t)at[lane];
        b.due = pace_copied(w);
        if (!mbarrier_at(w, (int)lane, at[lane]) || !resolve(w, &b, true) ||
            !bulk_keep(w, &w->block->loads, b))
            return;
        mbarrier_wake(w->block);
    }
}

/* cp.async.bulk.tensor [map, {coordinates}], [shared] */
void tensor_store(Warp *w, const Inst *in, uint32_t mask)
{
    uint64_t map[LANES], from[LANES];

    access_addresses(w, &in->at[0], map);
    access_addresses(w, &in->at[1], from);
    FOR_LANES(lane, mask)
    {
        Bulk b;

        if (!start(w, in, lane, map[lane], from[lane], &b))
            return;
        b.group = w->bulk_groups[lane];
        if (!resolve(w, &b, false) ||
            !shadow_fenced(w, (int)lane, b.at, b.bytes, "cp.async.bulk.tensor") ||
            !bulk_keep(w, &w->stores, b))
            return;
    }
}
