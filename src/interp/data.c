/*
 * data.c - which values of a kernel make what it stores, and which make its masks
 *
 * Takes a kernel in any stage, helpers followed.  count_data() gives the set of values that reach
 * the data of a store or an atomic.  It goes backwards from these, stops at loads, and leaves out
 * addresses, masks and the control of loops: index arithmetic is no work of the user's.
 * count_masks() goes backwards from masks in the same way, over the tiles that a dry run computes.
 */
#include "machine.h"
#include "../ir/analysis.h"

typedef struct {
    Map *data; /* Value* that are known to be */
    Map *seen; /* Func* that were searched */
    VEC(const Value *) work;
    VEC(const Op *) calls;
    Arena *arena;
    bool masks; /* else: data */
} Search;

/* NULL is nothing. */
static void mark(Search *s, const Value *v)
{
    if (!v || v->type->pointer || (s->masks && v->type->rank == 0) || map_get(s->data, MAP_KEY(v)))
        return;
    map_put(s->data, MAP_KEY(v), (void *)v);
    vec_push(s->arena, &s->work, v);
}

/* --- where data ends --- */

static void search_function(Search *s, const Func *f);

static void find_ends(Op *op, void *context)
{
    Search *s = context;
    OpAccess a = ir_access(op);

    if (s->masks) {
        mark(s, op_operand(op, a.mask));
    } else {
        mark(s, op_operand(op, a.data));
        mark(s, op_operand(op, a.compared));
    }
    if (op->callee) {
        vec_push(s->arena, &s->calls, op);
        search_function(s, op->callee);
    }
}

static void search_function(Search *s, const Func *f)
{
    if (map_get(s->seen, MAP_KEY(f)))
        return;
    map_put(s->seen, MAP_KEY(f), (void *)f);
    ir_walk(f->body, find_ends, s);
}

/* --- where it comes from --- */

/* What the arguments of a region, or a function, are in the first place and later. */
static void mark_sources_of_argument(Search *s, const Value *v)
{
    const Op *owner = v->block->owner;
    int i = v->index;

    if (s->masks && owner)
        return;
    if (!owner) {
        for (int k = 0; k < s->calls.len; k++) {
            if (s->calls.at[k]->callee == v->block->func)
                mark(s, s->calls.at[k]->operands[i]);
        }
    } else if (owner->code == OP_for && i > 0) {
        mark(s, owner->operands[FOR_BOUNDS + i - 1]);
        mark(s, owner->regions[0]->last->operands[i - 1]);
    } else if (owner->code == OP_while && v->block == owner->regions[0]) {
        mark(s, owner->operands[i]);
        mark(s, owner->regions[1]->last->operands[i]);
    } else if (owner->code == OP_while) {
        mark(s, owner->regions[0]->last->operands[i + 1]);
    }
}

static void mark_sources(Search *s, const Value *v)
{
    const Op *op = v->def;
    OpAccess a = ir_access(op);

    if (a.effect || (s->masks && !dry_follows(op))) {
        mark(s, op_operand(op, a.other));
        return;
    }
    switch (op->code) {
    case OP_gather:
    case OP_histogram:
    case OP_sort:
        mark(s, op->operands[0]);
        break;
    case OP_for:
        mark(s, op->operands[FOR_BOUNDS + v->index]);
        mark(s, op->regions[0]->last->operands[v->index]);
        break;
    case OP_while:
        mark(s, op->regions[0]->last->operands[v->index + 1]);
        break;
    case OP_if:
        mark(s, op->regions[0]->last->operands[v->index]);
        mark(s, op->regions[1]->last->operands[v->index]);
        break;
    case OP_call:
        mark(s, op->callee->body->last->operands[v->index]);
        break;
    default:
        for (int i = 0; i < op->noperands; i++)
            mark(s, op->operands[i]);
        break;
    }
}

static Map *search(const Func *f, Arena *a, bool masks)
{
    Search s = {.data = map_new(a), .seen = map_new(a), .arena = a, .masks = masks};

    search_function(&s, f);
    while (s.work.len > 0) {
        const Value *v = s.work.at[--s.work.len];
        if (v->def)
            mark_sources(&s, v);
        else
            mark_sources_of_argument(&s, v);
    }
    return s.data;
}

Map *count_data(const Func *f, Arena *a)
{
    return search(f, a, false);
}

Map *count_masks(const Func *f, Arena *a)
{
    return search(f, a, true);
}
