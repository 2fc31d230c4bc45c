/*
 * memory.c - what a kernel writes to, and what the arguments of a launch promise
 *
 * memory_stored() follows pointers through lowered IR, helpers included, to the parameters they
 * can come from.  It may name too many parameters but never too few: a pointer that cannot be
 * traced comes from all of them.
 *
 * memory_disjoint() looks at the bytes that each tensor of a launch spans.  Code may be reordered
 * freely across arguments when every two of them are apart or both only read.
 */
#include "api.h"

#define EVERYWHERE UINT64_MAX

/* following pointers */

typedef struct Trace Trace;
struct Trace {
    Arena *arena;
    Map *helpers;    /* from Func to its Trace */
    uint64_t *roots; /* by value id: the parameters that a pointer can come from */
    uint64_t stored;
    uint64_t returned; /* the parameters that a returned pointer can come from */
    bool changed, finished;
};

static Trace *trace_func(const Func *f, Arena *a, Map *helpers);

static uint64_t roots_of(const Trace *t, const Value *v)
{
    return v->type->pointer ? t->roots[v->id] : 0;
}

static void flow(Trace *t, const Value *to, uint64_t roots)
{
    if (!to->type->pointer || (t->roots[to->id] | roots) == t->roots[to->id])
        return;
    t->roots[to->id] |= roots;
    t->changed = true;
}

static uint64_t roots_of_operands(const Trace *t, const Op *op)
{
    uint64_t roots = 0;

    for (int i = 0; i < op->noperands; i++)
        roots |= roots_of(t, op->operands[i]);
    return roots;
}

/* A pointer made from a number, or read from memory, can be any. */
static void trace_results(Trace *t, const Op *op)
{
    bool unknown =
        op->code == OP_load || op->code == OP_atomic_rmw || op->code == OP_atomic_cas ||
        ((op->code == OP_bitcast || op->code == OP_cast) && !op->operands[0]->type->pointer);
    uint64_t roots = unknown || op->code == OP_const ? EVERYWHERE : roots_of_operands(t, op);

    for (int i = 0; i < op->nresults; i++)
        flow(t, op->results[i], roots);
}

/* Values go into regions by position; `skip` operands of the op are its own. */
static void trace_entry(Trace *t, const Op *op, int skip, const Block *region, int first)
{
    for (int i = skip; i < op->noperands; i++)
        flow(t, region->args[first + i - skip], roots_of(t, op->operands[i]));
}

static void trace_to_results(Trace *t, const Op *from, int skip, const Op *to)
{
    for (int i = 0; i < to->nresults && skip + i < from->noperands; i++)
        flow(t, to->results[i], roots_of(t, from->operands[skip + i]));
}

/* A terminator: where its values go depends on the op whose region it ends. */
static void trace_end(Trace *t, const Op *op)
{
    const Op *owner = op->block->owner;

    if (op->code == OP_return) {
        t->returned |= roots_of_operands(t, op);
    } else if (op->code == OP_condition) {
        trace_entry(t, op, 1, owner->regions[1], 0);
        trace_to_results(t, op, 1, owner);
    } else if (owner->code == OP_while) {
        trace_entry(t, op, 0, owner->regions[0], 0);
    } else if (owner->code == OP_for) {
        trace_entry(t, op, 0, owner->regions[0], 1);
        trace_to_results(t, op, 0, owner);
    } else if (owner->code == OP_if) {
        trace_to_results(t, op, 0, owner);
    }
}

static void trace_call(Trace *t, const Op *op)
{
    const Trace *callee = trace_func(op->callee, t->arena, t->helpers);
    uint64_t stored = callee->finished ? callee->stored : EVERYWHERE; /* recursion */
    uint64_t returned = callee->finished ? callee->returned : EVERYWHERE;

    for (int i = 0; i < op->noperands; i++)
        if (memory_bit(stored, i))
            t->stored |= roots_of(t, op->operands[i]);
    if (stored == EVERYWHERE)
        t->stored = EVERYWHERE;
    if (returned != EVERYWHERE)
        returned = roots_of_operands(t, op);
    for (int i = 0; i < op->nresults; i++)
        flow(t, op->results[i], returned);
}

static void trace_op(Op *op, void *ctx)
{
    Trace *t = ctx;

    switch (op->code) {
    case OP_store:
    case OP_atomic_rmw:
    case OP_atomic_cas:
        t->stored |= roots_of(t, op->operands[0]);
        trace_results(t, op);
        break;
    case OP_for:
        trace_entry(t, op, 3, op->regions[0], 1);
        trace_to_results(t, op, 3, op);
        break;
    case OP_while:
        trace_entry(t, op, 0, op->regions[0], 0);
        break;
    case OP_if:
        break;
    case OP_yield:
    case OP_condition:
    case OP_return:
        trace_end(t, op);
        break;
    case OP_call:
        trace_call(t, op);
        break;
    default:
        trace_results(t, op);
    }
}

static Trace *trace_func(const Func *f, Arena *a, Map *helpers)
{
    Trace *t = map_get(helpers, MAP_KEY(f));

    if (t)
        return t;
    t = NEW(a, Trace);
    t->arena = a;
    t->helpers = helpers;
    t->roots = NEW_N(a, uint64_t, f->nvalues);
    map_put(helpers, MAP_KEY(f), t);
    for (int i = 0; i < f->body->nargs; i++)
        flow(t, f->body->args[i], UINT64_C(1) << MIN(i, 63));
    do {
        t->changed = false;
        ir_walk(f->body, trace_op, t);
    } while (t->changed);
    t->finished = true;
    return t;
}

uint64_t memory_stored(const Func *f, Arena *a)
{
    return trace_func(f, a, map_new(a))->stored;
}

/* the bytes that tensors span */

/* [lo, hi) as addresses; whole: nobody knows, so all of memory. */
typedef struct {
    uint64_t lo, hi;
    bool whole;
    double bytes; /* of its elements, each once */
} Extent;

static int64_t dense_stride(const tilec_tensor *t, int dim)
{
    int64_t stride = 1;

    for (int i = dim + 1; i < t->ndim; i++)
        if (__builtin_mul_overflow(stride, t->shape[i], &stride))
            return INT64_MAX;
    return stride;
}

/* Add what dimension `i` reaches below and above the first element; false on overflow. */
static bool reach(const tilec_tensor *t, int i, int64_t size, int64_t *below, int64_t *above)
{
    int64_t stride = t->strides ? t->strides[i] : dense_stride(t, i), far;

    if (__builtin_mul_overflow(t->shape[i] - 1, stride, &far) ||
        __builtin_mul_overflow(far, size, &far))
        return false;
    return !__builtin_add_overflow(far < 0 ? *below : *above, far, far < 0 ? below : above);
}

static Extent extent_of(const tilec_tensor *t)
{
    static const Extent unknown = {.whole = true}, empty = {0};
    int64_t size = (int64_t)tilec_dtype_size(t->dtype), below = 0, above = size;
    double elements = (double)size;

    if (t->ndim < 0)
        return unknown;
    for (int i = 0; i < t->ndim; i++) {
        if (t->shape[i] == 0)
            return empty;
        elements *= (double)t->shape[i];
    }
    for (int i = 0; i < t->ndim; i++)
        if (!reach(t, i, size, &below, &above))
            return unknown;
    uint64_t start = (uint64_t)(uintptr_t)t->data;
    double span = (double)above - (double)below;
    return (Extent){start + (uint64_t)below, start + (uint64_t)above, false, MIN(elements, span)};
}

static bool apart(const Extent *a, const Extent *b)
{
    return !a->whole && !b->whole && (a->hi <= b->lo || b->hi <= a->lo);
}

/* Whether slot `i` reaches memory that an earlier slot reaches, and one of them is written. */
static bool clashes(const Binding *b, const Extent *extents, int i, uint64_t stored)
{
    for (int k = 0; k < i; k++)
        if (b->tensors[k] && (memory_bit(stored, i) || memory_bit(stored, k)) &&
            !apart(&extents[i], &extents[k]))
            return true;
    return false;
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

double memory_bytes(const Binding *b, uint64_t params)
{
    double bytes = 0;

    for (int i = 0; i < b->nslots; i++)
        if (b->tensors[i] && memory_bit(params, i))
            bytes += extent_of(b->tensors[i]).bytes;
    return bytes;
}
