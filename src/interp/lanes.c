/*
 * lanes.c - how many lanes of a mask are on, as far as that can be said without any memory
 *
 * Takes a mask of a program whose scalars are known or not (count.c); computes it backwards from
 * its last op, through arange, constants, moves and arithmetic, and through parameters of helpers
 * to what their caller gave.  What comes from memory, a reduction, another loop's round or out of a
 * helper is unknown.  Tiles live as long as one answer; a budget bounds what all answers cost.
 */
#include <string.h>

#include "machine.h"

enum { DEEPEST_MASK = 256 }; /* ops behind each other */

/* The tiles of one activation that were computed for one answer. */
typedef struct {
    MaskLanes *lanes;
    Arena *arena;
    const void *activation;
    Map *done; /* const Value* to its elements */
    int depth;
} Tiles;

static void *tile_of(Tiles *t, const Value *v);

static void *scalar_of_tiles(const Tiles *t, const Value *v)
{
    uint64_t bits;

    if (!t->lanes->scalar(t->activation, v, &bits))
        return NULL;
    uint64_t *kept = NEW(t->arena, uint64_t);
    *kept = bits; /* hosts are little-endian: its first bytes are the value */
    return kept;
}

/* What the caller gave for a parameter. */
static void *given_tile(const Tiles *t, const Value *v)
{
    Tiles caller = {.lanes = t->lanes, .arena = t->arena, .depth = t->depth};
    const Value *given = t->lanes->given(t->activation, v, &caller.activation);

    if (!given)
        return NULL;
    caller.done = map_new(t->arena);
    return tile_of(&caller, given);
}

static void *new_tile(const Tiles *t, const Value *v)
{
    return arena_alloc(t->arena, value_size(v) * value_numel(v));
}

static void *computed_tile(Tiles *t, const Op *op)
{
    const Value *typical = op->operands[op->code == OP_select ? 1 : 0], *v = op->results[0];
    const void *src[MAX_ELEMENTWISE_OPERANDS];

    for (int i = 0; i < op->noperands; i++) {
        src[i] = tile_of(t, op->operands[i]);
        if (!src[i])
            return NULL;
    }
    void *dst = new_tile(t, v);
    return scalar_apply(op->code, op->attrs, value_dtype(typical), value_dtype(v), src, dst,
                        value_numel(v))
               ? dst
               : NULL;
}

static void *moved_tile(Tiles *t, const Op *op)
{
    const void *src = tile_of(t, op->operands[0]);

    if (!src)
        return NULL;
    const Value *v = op->results[0];
    void *dst = new_tile(t, v);
    if (op_keeps_order(op))
        memcpy(dst, src, value_size(v) * value_numel(v));
    else
        machine_move(op, dst, src);
    return dst;
}

static void *made_tile(Tiles *t, const Op *op)
{
    const Value *v = op->results[0];
    void *dst;

    switch (op->code) {
    case OP_const:
        dst = new_tile(t, v);
        machine_fill(dst, op->attrs, value_size(v), value_numel(v));
        return dst;
    case OP_arange:
        dst = new_tile(t, v);
        machine_arange(op, dst);
        return dst;
    case OP_hint:
        return tile_of(t, op->operands[0]);
    default:
        if (op_has(op, MOVES))
            return moved_tile(t, op);
        return op_has(op, FOLDS) && op->nresults == 1 ? computed_tile(t, op) : NULL;
    }
}

/* NULL: unknown, or too dear. */
static void *tile_of(Tiles *t, const Value *v)
{
    void *tile = map_get(t->done, MAP_KEY(v));

    if (tile || v->type->pointer || v->type->handle)
        return tile;
    t->lanes->budget -= (int64_t)value_numel(v);
    if (t->lanes->budget < 0 || t->depth == DEEPEST_MASK)
        return NULL;
    t->depth++;
    tile = v->type->rank == 0 ? scalar_of_tiles(t, v)
           : v->def           ? made_tile(t, v->def)
                              : given_tile(t, v);
    t->depth--;
    if (tile)
        map_put(t->done, MAP_KEY(v), tile);
    return tile;
}

static int64_t count_on(const uint8_t *mask, int64_t n)
{
    int64_t on = 0;

    for (int64_t i = 0; i < n; i++)
        on += mask[i];
    return on;
}

int64_t lanes_on(MaskLanes *l, const void *activation, const Value *mask)
{
    Arena *volatile arena = NULL;
    Guard guard;

    if (setjmp(guard.env) != 0) {
        arena_free(arena);
        fail(l->guard);
    }
    arena = arena_new(&guard);
    Tiles t = {
        .lanes = l, .arena = arena, .activation = activation, .done = map_new(arena), .depth = 0};
    const uint8_t *bits = tile_of(&t, mask);
    int64_t on = bits ? count_on(bits, type_numel(mask->type)) : -1;
    arena_free(arena);
    return on;
}
