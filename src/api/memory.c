/*
 * memory.c - what the arguments of a launch promise
 *
 * memory_disjoint() looks at the bytes that each tensor of a launch spans.  Code may be reordered
 * freely across arguments when every two of them are apart or both only read.
 */
#include "api.h"

/* [lo, hi) as addresses; whole: nobody knows, so all of memory. */
typedef struct {
    uint64_t lo, hi;
    bool whole;
    double bytes; /* of its elements, each once */
} Extent;

/* Add what dimension `i` reaches below and above the first element; false on overflow. */
static bool reach_of_dimension(const tilec_tensor *t, int i, int64_t size, int64_t *below,
                               int64_t *above)
{
    int64_t stride = tensor_stride(t, i), far;

    if (__builtin_mul_overflow(t->shape[i] - 1, stride, &far) ||
        __builtin_mul_overflow(far, size, &far))
        return false;
    return !__builtin_add_overflow(far < 0 ? *below : *above, far, far < 0 ? below : above);
}

static Extent extent_of(const tilec_tensor *t)
{
    static const Extent unknown = {.whole = true}, empty = {0};
    int64_t size = dtype_size((DType)t->dtype), below = 0, above = size;
    double elements = (double)size;

    if (t->ndim < 0)
        return unknown;
    for (int i = 0; i < t->ndim; i++) {
        if (t->shape[i] == 0)
            return empty;
        elements *= (double)t->shape[i];
    }
    for (int i = 0; i < t->ndim; i++) {
        if (!reach_of_dimension(t, i, size, &below, &above))
            return unknown;
    }
    uint64_t start = (uint64_t)(uintptr_t)t->data, lo, hi;
    double span = (double)above - (double)below;
    if (__builtin_add_overflow(start, below, &lo) || __builtin_add_overflow(start, above, &hi))
        return unknown; /* around the end of the addresses */
    return (Extent){lo, hi, false, MIN(elements, span)};
}

static bool in_set(uint64_t set, int i)
{
    return set >> MIN(i, 63) & 1;
}

static bool apart(const Extent *a, const Extent *b)
{
    return !a->whole && !b->whole && (a->hi <= b->lo || b->hi <= a->lo);
}

/* Whether slot `i` reaches memory that an earlier slot reaches, and one of them is written. */
static bool clashes(const Binding *b, const Extent *extents, int i, uint64_t stored)
{
    for (int k = 0; k < i; k++) {
        if (b->tensors[k] && (in_set(stored, i) || in_set(stored, k)) &&
            !apart(&extents[i], &extents[k]))
            return true;
    }
    return false;
}

const tilec_tensor *memory_written_wrongly(const Binding *b, uint64_t stored)
{
    for (int i = 0; i < b->nslots; i++) {
        if (b->tensors[i] && b->tensors[i]->read_only && in_set(stored, i))
            return b->tensors[i];
    }
    return NULL;
}

enum { MAX_SLOTS_KNOWN = 63 }; /* the last bit of a set stands for several */

static int kinds_of_stores(const Programs *p)
{
    return TILEC_STORES | (p->own_nan ? TILEC_OWN_NAN : 0) | (p->own_inf ? TILEC_OWN_INF : 0);
}

int memory_uses(const Specialisation *s, int slot)
{
    return (in_set(s->use.loaded, slot) ? TILEC_LOADS : 0) |
           (in_set(s->use.stored, slot) ? kinds_of_stores(&s->programs) : 0) |
           (in_set(s->programs.loads_first, slot) && slot < MAX_SLOTS_KNOWN ? TILEC_LOADS_FIRST
                                                                            : 0);
}

bool memory_disjoint(const Binding *b, uint64_t stored, double *bytes)
{
    Extent extents[MAX_PARAMS];
    bool disjoint = true;

    *bytes = 0;
    for (int i = 0; i < b->nslots; i++) {
        if (!b->tensors[i])
            continue;
        extents[i] = extent_of(b->tensors[i]);
        *bytes += extents[i].bytes;
        disjoint = disjoint && !clashes(b, extents, i, stored);
    }
    return disjoint;
}

/* Whether one of these parameters' tensors reaches into `e`. */
static bool reached(const Binding *b, uint64_t params, const Extent *e)
{
    for (int i = 0; i < b->nslots; i++) {
        if (!b->tensors[i] || !in_set(params, i))
            continue;
        Extent other = extent_of(b->tensors[i]);
        if (!apart(&other, e))
            return true;
    }
    return false;
}

bool memory_in_place(const Binding *b, uint64_t loaded, uint64_t stored)
{
    for (int i = 0; i < b->nslots; i++) {
        if (!b->tensors[i] || !in_set(stored, i))
            continue;
        Extent written = extent_of(b->tensors[i]);
        if (reached(b, loaded, &written))
            return true;
    }
    return false;
}

bool memory_is_only_written(const Binding *b, int slot, uint64_t loaded, uint64_t stored)
{
    const Extent written = extent_of(b->tensors[slot]);

    return in_set(stored, slot) && !in_set(loaded, slot) && slot < MAX_SLOTS_KNOWN &&
           !reached(b, loaded, &written);
}

int memory_ranges(const Binding *b, MemoryRange *out)
{
    int n = 0;

    for (int i = 0; i < b->nslots; i++) {
        if (!b->tensors[i])
            continue;
        Extent e = extent_of(b->tensors[i]);
        if (e.whole)
            return -1;
        out[n++] =
            (MemoryRange){e.lo, e.hi - e.lo, (uint32_t)tilec_dtype_size(b->tensors[i]->dtype),
                          b->tensors[i]->blank != 0};
    }
    return n;
}

const tilec_tensor *memory_of_range(const Binding *b, int i)
{
    int slot = 0;

    while (!b->tensors[slot] || i-- > 0)
        slot++;
    return b->tensors[slot];
}

const tilec_tensor *memory_shared(const Binding *b, const tilec_tensor *t, uint64_t address)
{
    for (int i = 0; i < b->nslots; i++) {
        if (!b->tensors[i] || b->tensors[i] == t)
            continue;
        const Extent e = extent_of(b->tensors[i]);
        if (!e.whole && address >= e.lo && address < e.hi)
            return b->tensors[i];
    }
    return NULL;
}

double memory_bytes(const Binding *b, uint64_t params)
{
    double bytes = 0;

    for (int i = 0; i < b->nslots; i++) {
        if (b->tensors[i] && in_set(params, i))
            bytes += extent_of(b->tensors[i]).bytes;
    }
    return bytes;
}
