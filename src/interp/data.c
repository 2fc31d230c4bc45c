/*
 * data.c - which values of a kernel make what it stores, and which only say where and whether
 *
 * Takes a kernel in any stage, helpers followed; gives the set of values that reach the data of a
 * store or an atomic.  It goes backwards from these, stops at loads, and leaves out addresses,
 * masks and the control of loops.  count.c needs it: index arithmetic is no work of the user's.
 */
#include "machine.h"

typedef struct {
    Map *data; /* Value* that are known to be */
    Map *seen; /* Func* that were searched */
    VEC(const Value *) work;
    VEC(const Op *) calls;
    Arena *arena;
} Search;

static void mark(Search *s, const Value *v)
{
    if (v->type->pointer || map_get(s->data, MAP_KEY(v)))
        return;
    map_put(s->data, MAP_KEY(v), (void *)v);
    vec_push(s->arena, &s->work, v);
}

/* --- where data ends --- */

static void search_function(Search *s, const Func *f);

static void find_stored(Op *op, void *search)
{
    Search *s = search;

    switch (op->code) {
    case OP_store:
        mark(s, op->operands[STORE_DATA]);
        break;
    case OP_store_block:
        mark(s, op->operands[BLOCK_DATA]);
        break;
    case OP_atomic_rmw:
        mark(s, op->operands[RMW_DATA]);
        break;
    case OP_atomic_cas:
        mark(s, op->operands[CAS_EXPECTED]);
        mark(s, op->operands[CAS_NEW]);
        break;
    case OP_call:
        vec_push(s->arena, &s->calls, op);
        search_function(s, op->callee);
        break;
    default:
        break;
    }
}

static void search_function(Search *s, const Func *f)
{
    if (map_get(s->seen, MAP_KEY(f)))
        return;
    map_put(s->seen, MAP_KEY(f), (void *)f);
    ir_walk(f->body, find_stored, s);
}

/* --- where it comes from --- */

/* What the arguments of a region, or a function, are in the first place and later. */
static void mark_sources_of_argument(Search *s, const Value *v)
{
    const Op *owner = v->block->owner;
    int i = v->index;

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

    switch (op->code) {
    case OP_load:
        if (op->noperands > LOAD_OTHER)
            mark(s, op->operands[LOAD_OTHER]);
        break;
    case OP_load_block:
    case OP_atomic_rmw:
    case OP_atomic_cas:
        break;
    case OP_gather:
    case OP_histogram:
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

Map *count_data(const Func *f, Arena *a)
{
    Search s = {.data = map_new(a), .seen = map_new(a), .arena = a};

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
