/*
 * names.c - what names mean at a place, and the values that they have at the moment
 */
#include <string.h>

#include "inside.h"

/* --- masks --- */

enum { MOST_STEPS_TO_LOAD = 16 };

/* The mask of the load that a value is made of, element by element; NULL: of none, or of several.
 */
static const Value *mask_of(const Value *v, int steps)
{
    const Op *op = v->def;
    const Value *mask = NULL;

    if (!op || steps == 0)
        return NULL;
    if (op_only_reads(op))
        return op_operand(op, ir_access(op).mask);
    if (!op_is_elementwise(op) || op->code == OP_select)
        return NULL;
    for (int i = 0; i < op->noperands; i++) {
        const Value *its = mask_of(op->operands[i], steps - 1);
        if (mask && its && mask != its)
            return NULL;
        mask = its ? its : mask;
    }
    return mask;
}

static const uint8_t *mask_now(const InterpFrame *f, const Value *v)
{
    const Value *mask = v->type->rank > 0 ? mask_of(v, MOST_STEPS_TO_LOAD) : NULL;

    if (!mask || type_numel(mask->type) != type_numel(v->type))
        return NULL;
    return interp_value(f, mask);
}

/* --- pointers --- */

/* How far an address is from the memory of an array; 0: it is in it. */
static uint64_t distance_to(const tilec_tensor *t, uint64_t at)
{
    int64_t low = 0, high = 0, step = 1;
    int64_t size = dtype_size((DType)t->dtype);

    for (int i = t->ndim - 1; i >= 0; i--) {
        int64_t last = (MAX(t->shape[i], 1) - 1) * (t->strides ? t->strides[i] : step);

        low += MIN(last, 0);
        high += MAX(last, 0);
        step *= t->shape[i];
    }
    uint64_t from = (uint64_t)(uintptr_t)t->data + (uint64_t)(low * size);
    uint64_t end = from + (uint64_t)((high - low + 1) * size);
    return at < from ? from - at : at >= end ? at - end + 1 : 0;
}

/* The array of the launch that these addresses are in, else the one that lies nearest; NULL: there
 * is none. */
static const tilec_tensor *tensor_of(const Debugger *d, const uint64_t *at, int64_t n,
                                     const char **name, bool *is_outside)
{
    const tilec_tensor *nearest = NULL;
    uint64_t least = UINT64_MAX;

    for (int i = 0; i < d->launch.nargs; i++) {
        const tilec_arg *arg = &d->launch.args[i];

        if (arg->kind != TILEC_ARG_TENSOR || distance_to(&arg->tensor, at[n / 2]) >= least)
            continue;
        least = distance_to(&arg->tensor, at[n / 2]);
        nearest = &arg->tensor;
        *name = arg->name;
    }
    *is_outside = least > 0;
    return nearest;
}

/* Pointers as numbers of elements. */
static void count_elements(const Debugger *d, DebugTile *t, const Type *type, Arena *a)
{
    int64_t n = type_numel(type), size = dtype_size(type->dtype);
    const uint64_t *at = t->data;

    t->dtype = DT_I64;
    t->array = "?";
    if (!at || n == 0)
        return;
    t->tensor = tensor_of(d, at, n, &t->array, &t->is_outside);
    int64_t *offsets = NEW_N(a, int64_t, n);
    for (int64_t i = 0; i < n; i++)
        offsets[i] =
            ((int64_t)at[i] - (int64_t)(uintptr_t)(t->tensor ? t->tensor->data : NULL)) / size;
    t->data = offsets;
}

/* Before there are any addresses: into the array of that name, else into one of that type. */
static void point_anywhere(const Debugger *d, DebugTile *t, const char *name)
{
    const tilec_arg *into = NULL;

    for (int i = 0; i < d->launch.nargs; i++) {
        const tilec_arg *arg = &d->launch.args[i];
        bool is_it = arg->name && strcmp(arg->name, name) == 0;

        if (arg->kind == TILEC_ARG_TENSOR && (DType)arg->tensor.dtype == t->dtype &&
            (!into || is_it))
            into = arg;
    }
    t->dtype = DT_I64;
    t->array = into ? into->name : "?";
    t->tensor = into ? &into->tensor : NULL;
}

/* --- values --- */

/* Without a frame all numbers are 0, where somebody asks for one. */
static DebugTile tile_of(const Debugger *d, const InterpFrame *f, const Value *v, const char *name,
                         Arena *a)
{
    static const uint64_t nothing;

    while (v->repl)
        v = v->repl;
    DebugTile t = {.dtype = v->type->dtype,
                   .ndim = v->type->rank,
                   .data = f ? interp_value(f, v) : &nothing,
                   .mask = f ? mask_now(f, v) : NULL};

    for (int i = 0; i < v->type->rank; i++)
        t.shape[i] = v->type->dims[i];
    if (v->type->pointer && f)
        count_elements(d, &t, v->type, a);
    else if (v->type->pointer)
        point_anywhere(d, &t, name);
    return t;
}

static DebugValue value_of_mark(const Debugger *d, const InterpFrame *f, const Mark *m, Arena *a)
{
    DebugValue v = {.name = m->name, .text = m->text, .n = m->nvalues};

    v.tiles = NEW_N(a, DebugTile, v.n + 1);
    for (int i = 0; i < v.n; i++)
        v.tiles[i] = tile_of(d, f, m->values[i], m->name, a);
    return v;
}

static DebugValues values_of(const Debugger *d, const InterpFrame *f, const MarkWalk *w, Arena *a)
{
    DebugValues all = {0};

    for (int i = 0; i < w->live.len; i++) {
        const Mark *m = mark_shown(w, i);

        if (m)
            vec_push(a, &all, value_of_mark(d, f, m, a));
    }
    return all;
}

DebugValues debug_names(const Debugger *d, const InterpPlace *at, Arena *a)
{
    MarkWalk w = mark_walk(interp_func(at->frame), at->site, a);

    mark_walk_to(&w, at->mark, at->block);
    return values_of(d, at->frame, &w, a);
}

DebugValues names_at_statement(const Debugger *d, const Func *f, int mark, Arena *a)
{
    const Mark *m = &f->marks.at[mark];
    MarkWalk w = mark_walk(f, m->site, a);

    mark_walk_to(&w, mark, m->block);
    return values_of(d, NULL, &w, a);
}
