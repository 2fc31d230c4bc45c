/*
 * interp_memory.c - addptr, load, store and atomics: the only file that touches the user's arrays
 *
 * A pointer tile is an array of addresses.  Loads and stores look at some lanes at a time: where
 * the mask is true on all of them and the addresses are consecutive, one wide copy does; where it
 * is false on all, nothing is touched; otherwise lane by lane.  Masked lanes never touch memory
 * and give `other`, or 0 (R202).
 */
#include <string.h>

#include "machine.h"

VECTOR_LOOPS

enum { LANES_AT_ONCE = 256 };

/* --- addresses --- */

/* Offsets count elements; signed ones sign-extend, unsigned ones and bool zero-extend (R70). */
#define ADD_OFFSETS(T)                                                                             \
    {                                                                                              \
        const T *o = offsets;                                                                      \
        EACH_LANE for (size_t i = 0; i < n; i++) d[i] = p[i] + ((uint64_t)(int64_t)o[i] << shift); \
        break;                                                                                     \
    }

void exec_addptr(Frame *f, const Op *op)
{
    const uint64_t *p = operand(f, op, 0);
    const void *offsets = operand(f, op, 1);
    uint64_t *d = result(f, op);
    size_t n = value_numel(op->results[0]);
    int shift = __builtin_ctz((unsigned)dtype_size(op->results[0]->type->dtype));

    switch (op->operands[1]->type->dtype) {
    case DT_I8:
        ADD_OFFSETS(int8_t)
    case DT_I16:
        ADD_OFFSETS(int16_t)
    case DT_I32:
        ADD_OFFSETS(int32_t)
    case DT_I1:
    case DT_U8:
        ADD_OFFSETS(uint8_t)
    case DT_U16:
        ADD_OFFSETS(uint16_t)
    case DT_U32:
        ADD_OFFSETS(uint32_t)
    default: /* 64 bits: either way the same */
        ADD_OFFSETS(int64_t)
    }
}

/* --- lanes --- */

typedef enum { LANES_NONE, LANES_SOME, LANES_ALL } Lanes;

static Lanes mask_state(const uint8_t *mask, size_t n)
{
    uint8_t all = 1, any = 0;

    for (size_t i = 0; mask && i < n; i++) {
        all &= mask[i];
        any |= mask[i];
    }
    return all ? LANES_ALL : any ? LANES_SOME : LANES_NONE;
}

static bool is_consecutive(const uint64_t *p, size_t n, size_t size)
{
    uint64_t differs = 0;

    for (size_t i = 1; i < n; i++)
        differs |= (p[i] - p[i - 1]) ^ size;
    return differs == 0;
}

/* Lane by lane, as E of the element's size. */
#define EACH_ACTIVE(E, body)                                                                       \
    for (size_t i = 0; i < n; i++) {                                                               \
        if (!mask || mask[i]) {                                                                    \
            E x;                                                                                   \
            body                                                                                   \
        }                                                                                          \
    }
#define LOAD_LANES(E)                                                                              \
    {                                                                                              \
        E *d = dst;                                                                                \
        EACH_ACTIVE(E, memcpy(&x, (const void *)p[i], sizeof x); d[i] = x;)                        \
        break;                                                                                     \
    }
#define STORE_LANES(E)                                                                             \
    {                                                                                              \
        const E *s = src;                                                                          \
        EACH_ACTIVE(E, x = s[i]; memcpy((void *)p[i], &x, sizeof x);)                              \
        break;                                                                                     \
    }

static void load_lanes(void *dst, const uint64_t *p, const uint8_t *mask, size_t n, size_t size)
{
    switch (size) {
    case 1:
        LOAD_LANES(uint8_t)
    case 2:
        LOAD_LANES(uint16_t)
    case 4:
        LOAD_LANES(uint32_t)
    default:
        LOAD_LANES(uint64_t)
    }
}

static void store_lanes(const void *src, const uint64_t *p, const uint8_t *mask, size_t n,
                        size_t size)
{
    switch (size) {
    case 1:
        STORE_LANES(uint8_t)
    case 2:
        STORE_LANES(uint16_t)
    case 4:
        STORE_LANES(uint32_t)
    default:
        STORE_LANES(uint64_t)
    }
}

/* Consecutive addresses end where the tile's rows do, unless those are very short. */
static size_t row_length(const Type *t)
{
    int32_t row = t->rank > 0 ? t->dims[t->rank - 1] : 1;

    return row >= LANES_AT_ONCE / 16 ? (size_t)row : (size_t)type_numel(t);
}

/* --- races --- */

/* Lane i of a tile is the one of this number and i: lanes of tiles of one shape are the same, since
 * that is how threads have them; 0: a scalar, which all have. */
static uint32_t first_lane(const Type *t)
{
    uint32_t shape = 0;

    for (int d = 0; d < t->rank; d++) {
        if (t->dims[d] > 1)
            shape = (shape + (uint32_t)t->dims[d]) * 2654435761u;
    }
    return shape ? 1 + shape % (RACE_MOST_LANES / 2) : 0;
}

static RaceAt lane_at(const Op *op, uint32_t first, size_t i)
{
    return (RaceAt){op->span.start, first ? first + (uint32_t)i : 0};
}

/* In front of a load, where the launch looks for them. */
static void look_at_loads(Frame *f, const Op *op, const uint64_t *p, const uint8_t *mask, size_t n)
{
    Machine *m = f->machine;
    Races *races = m->launch->races;
    uint32_t size = (uint32_t)value_size(op->results[0]);
    uint32_t first = races ? first_lane(op->results[0]->type) : 0;
    Race race;

    for (size_t i = 0; races && !attr_volatile(op) && i < n; i++) {
        const void *at = (const void *)p[i];
        if (mask && !mask[i])
            continue;
        if (!race_load(races, &m->race, lane_at(op, first, i), at, size, &race))
            machine_stop_race(m, op, "load of", &race);
    }
}

/* Behind a volatile load, which may wait for another program. */
static void observe_loads(Frame *f, const Op *op, const uint64_t *p, const uint8_t *mask, size_t n)
{
    Machine *m = f->machine;
    uint32_t size = (uint32_t)value_size(op->results[0]);

    for (size_t i = 0; m->launch->races && attr_volatile(op) && i < n; i++) {
        if (!mask || mask[i])
            race_observe(m->launch->races, &m->race, (const void *)p[i], size);
    }
}

/* A store, element by element. */
static void store_and_look(Frame *f, const Op *op, const uint64_t *p, const char *src,
                           const uint8_t *mask, size_t n)
{
    Machine *m = f->machine;
    size_t size = value_size(op->operands[STORE_DATA]);
    uint32_t first = first_lane(op->operands[STORE_DATA]->type);
    Race race;

    for (size_t i = 0; i < n; i++) {
        if ((!mask || mask[i]) && !race_store(m->launch->races, &m->race, lane_at(op, first, i),
                                              (void *)p[i], src + i * size, (uint32_t)size, &race))
            machine_stop_race(m, op, "store to", &race);
    }
}

/* Around an atomic. */
static void fence_for(Frame *f, const Op *op, Sem one_way)
{
    Machine *m = f->machine;

    if (!m->launch->races || (attr_sem(op) != SEM_ACQ_REL && attr_sem(op) != one_way))
        return;
    race_fence(m->launch->races, &m->race);
    race_meet(m->launch->races, &m->race); /* the lanes of a program have one result, or wait */
}

static void look_at_atomic(Frame *f, const Op *op, uint64_t p, size_t size)
{
    Machine *m = f->machine;
    bool reads = op->code != OP_atomic_rmw || attr_rmw_kind(op) != RMW_XCHG;
    Race race;

    if (m->launch->races &&
        !race_atomic(m->launch->races, &m->race, (const void *)p, (uint32_t)size, reads, &race))
        machine_stop_race(m, op, "atomic on", &race);
}

/* Behind it. */
static void saw_atomic(Frame *f, uint64_t p, size_t size)
{
    Machine *m = f->machine;

    if (m->launch->races)
        race_seen(m->launch->races, &m->race, (const void *)p, (uint32_t)size);
}

/* --- load and store --- */

static void load_some(void *dst, const uint64_t *p, const uint8_t *mask, const void *other,
                      size_t n, size_t size)
{
    Lanes lanes = mask_state(mask, n);

    if (lanes != LANES_ALL && other)
        memcpy(dst, other, n * size);
    else if (lanes != LANES_ALL)
        memset(dst, 0, n * size);
    if (lanes == LANES_ALL && is_consecutive(p, n, size))
        memcpy(dst, (const void *)p[0], n * size);
    else if (lanes != LANES_NONE)
        load_lanes(dst, p, mask, n, size);
}

void exec_load(Frame *f, const Op *op)
{
    const Type *t = op->results[0]->type;
    const uint64_t *p = operand(f, op, LOAD_PTR);
    const uint8_t *mask = op->noperands > LOAD_MASK ? operand(f, op, LOAD_MASK) : NULL;
    const char *other = op->noperands > LOAD_OTHER ? operand(f, op, LOAD_OTHER) : NULL;
    size_t n = value_numel(op->results[0]), size = value_size(op->results[0]);
    size_t row = row_length(t);
    char *dst = result(f, op);

    look_at_loads(f, op, p, mask, n);
    for (size_t at = 0, lanes; at < n; at += lanes) {
        lanes = MIN(LANES_AT_ONCE, row - at % row);
        load_some(dst + at * size, p + at, mask ? mask + at : NULL,
                  other ? other + at * size : NULL, lanes, size);
    }
    observe_loads(f, op, p, mask, n);
    if (t->dtype == DT_I1) { /* R204: any byte but 0 is true */
        for (size_t i = 0; i < n; i++)
            dst[i] = dst[i] != 0;
    }
}

static void store_some(const void *src, const uint64_t *p, const uint8_t *mask, size_t n,
                       size_t size)
{
    Lanes lanes = mask_state(mask, n);

    if (lanes == LANES_ALL && is_consecutive(p, n, size))
        memcpy((void *)p[0], src, n * size);
    else if (lanes != LANES_NONE)
        store_lanes(src, p, mask, n, size);
}

/* Of several lanes to one address the last wins (R210 leaves it open). */
void exec_store(Frame *f, const Op *op)
{
    const Value *v = op->operands[STORE_DATA];
    const uint64_t *p = operand(f, op, STORE_PTR);
    const char *src = operand(f, op, STORE_DATA);
    const uint8_t *mask = op->noperands > STORE_MASK ? operand(f, op, STORE_MASK) : NULL;
    size_t n = value_numel(v), size = value_size(v), row = row_length(v->type);

    if (f->machine->launch->races) {
        store_and_look(f, op, p, src, mask, n);
        return;
    }
    for (size_t at = 0, lanes; at < n; at += lanes) {
        lanes = MIN(LANES_AT_ONCE, row - at % row);
        store_some(src + at * size, p + at, mask ? mask + at : NULL, lanes, size);
    }
}

/* --- atomics --- */

static uint64_t atomic_read(uint64_t p, size_t size)
{
    switch (size) {
    case 1:
        return __atomic_load_n((uint8_t *)p, __ATOMIC_ACQUIRE);
    case 2:
        return __atomic_load_n((uint16_t *)p, __ATOMIC_ACQUIRE);
    case 4:
        return __atomic_load_n((uint32_t *)p, __ATOMIC_ACQUIRE);
    default:
        return __atomic_load_n((uint64_t *)p, __ATOMIC_ACQUIRE);
    }
}

#define SWAP(E)                                                                                    \
    {                                                                                              \
        E was = (E)*expected;                                                                      \
        bool done = __atomic_compare_exchange_n((E *)p, &was, (E)wanted, false, __ATOMIC_ACQ_REL,  \
                                                __ATOMIC_ACQUIRE);                                 \
        *expected = was;                                                                           \
        return done;                                                                               \
    }

/* Write `wanted` if the memory holds *expected, which then becomes what it held. */
static bool atomic_swap_if(uint64_t p, size_t size, uint64_t *expected, uint64_t wanted)
{
    switch (size) {
    case 1:
        SWAP(uint8_t)
    case 2:
        SWAP(uint16_t)
    case 4:
        SWAP(uint32_t)
    default:
        SWAP(uint64_t)
    }
}

/* A signed integer that orders floats as R221 does: -NaN < -inf < .. < -0 < +0 < .. < +NaN. */
static int64_t total_order(uint64_t bits, size_t size)
{
    int shift = 64 - 8 * (int)size;
    int64_t v = (int64_t)(bits << shift);

    return v < 0 ? v ^ INT64_MAX : v;
}

static uint64_t combine_bits(OpCode op, DType t, uint64_t x, uint64_t y)
{
    const void *src[] = {&x, &y};
    uint64_t r = 0;

    if (!scalar_apply(op, NULL, t, t, src, &r, 1))
        bug("no atomic %s on %s", op_info(op)->name, dtype_name(t));
    return r;
}

/* What an atomic of this kind leaves in memory that held `old`. */
static uint64_t rmw_value(RmwKind kind, DType t, uint64_t old, uint64_t x)
{
    static const OpCode ops[] = {[RMW_ADD] = OP_add, [RMW_MAX] = OP_max, [RMW_MIN] = OP_min,
                                 [RMW_AND] = OP_and, [RMW_OR] = OP_or,   [RMW_XOR] = OP_xor};
    size_t size = (size_t)dtype_size(t);

    if (kind == RMW_XCHG)
        return x;
    if (dtype_is_float(t) && (kind == RMW_MAX || kind == RMW_MIN)) {
        bool greater = total_order(x, size) > total_order(old, size);
        return greater == (kind == RMW_MAX) ? x : old;
    }
    return combine_bits(ops[kind], t, old, x);
}

/* One lane: other threads may change the memory between reading it and writing it. */
static uint64_t rmw_lane(RmwKind kind, DType t, uint64_t p, uint64_t x)
{
    size_t size = (size_t)dtype_size(t);
    uint64_t old = atomic_read(p, size);

    while (!atomic_swap_if(p, size, &old, rmw_value(kind, t, old, x)))
        continue;
    return old;
}

void exec_atomic_rmw(Frame *f, const Op *op)
{
    DType t = op->results[0]->type->dtype;
    const uint64_t *p = operand(f, op, RMW_PTR);
    const char *src = operand(f, op, RMW_DATA);
    const uint8_t *mask = op->noperands > RMW_MASK ? operand(f, op, RMW_MASK) : NULL;
    size_t n = value_numel(op->results[0]), size = value_size(op->results[0]);
    char *dst = result(f, op);

    fence_for(f, op, SEM_RELEASE);
    for (size_t i = 0; i < n; i++) {
        uint64_t x = 0, old = 0;
        memcpy(&x, src + i * size, size);
        if (!mask || mask[i]) {
            look_at_atomic(f, op, p[i], size);
            old = rmw_lane(attr_rmw_kind(op), t, p[i], x);
            saw_atomic(f, p[i], size);
        }
        memcpy(dst + i * size, &old, size);
    }
    fence_for(f, op, SEM_ACQUIRE);
}

void exec_atomic_cas(Frame *f, const Op *op)
{
    const uint64_t *p = operand(f, op, CAS_PTR);
    const char *expected = operand(f, op, CAS_EXPECTED), *wanted = operand(f, op, CAS_NEW);
    size_t n = value_numel(op->results[0]), size = value_size(op->results[0]);
    char *dst = result(f, op);

    fence_for(f, op, SEM_RELEASE);
    for (size_t i = 0; i < n; i++) {
        uint64_t old = 0, x = 0;
        memcpy(&old, expected + i * size, size);
        memcpy(&x, wanted + i * size, size);
        look_at_atomic(f, op, p[i], size);
        atomic_swap_if(p[i], size, &old, x);
        saw_atomic(f, p[i], size);
        memcpy(dst + i * size, &old, size);
    }
    fence_for(f, op, SEM_ACQUIRE);
}
