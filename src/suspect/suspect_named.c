/*
 * suspect_named.c - vectors that lie along the other dimension of a tile
 *
 * In a tile [N, D] a vector of N elements belongs to its rows, x[:, None], and one of D elements to
 * its columns, x[None, :].  The other way around is refused where N and D are two numbers, and is
 * not where they are one.  The names of extents tell: those of two parameters of the kernel meet,
 * and the vector's is that of the tile's other dimension.
 *
 * Nothing is said of tiles of other names, which some kernels take for the same.
 */
#include "suspect.h"

static bool is_parameter(const Symbol *s)
{
    return s && s->code == SYMBOL_NAME;
}

/* The vector that the value repeats along one of two dimensions, and the one where it lies; NULL.
 */
static const Value *repeated(const Value *v, int *dim)
{
    const Op *op = ir_uncast(v)->def;

    if (op && op->code == OP_broadcast)
        op = ir_uncast(op->operands[0])->def;
    if (!op || op->code != OP_expand || op->operands[0]->type->rank != 1)
        return NULL;
    *dim = 1 - (int)attr_axis(op);
    return op->operands[0];
}

/* Computed, and no address or mask, whose parts are lanes of something else. */
static bool is_number(const Value *v)
{
    return !v->type->pointer && dtype_is_float(v->type->dtype);
}

static void look_at(Op *op, void *suspect)
{
    const Suspect *s = suspect;
    int dim, other;

    for (int i = 0; op_has(op, FOLDS) && op->noperands == 2 && i < 2; i++) {
        const Value *v = op->operands[i], *tile = op->operands[1 - i];
        const Value *vector = v->type->rank == 2 && is_number(v) ? repeated(v, &dim) : NULL;
        if (!vector || repeated(tile, &other) || tile->type->dims[dim] < 2)
            continue;
        const Symbol *name = value_extent(vector, 0), *along = value_extent(tile, dim);
        if (!is_parameter(name) || !is_parameter(along) || symbol_same(name, along) ||
            !symbol_same(name, value_extent(tile, 1 - dim)) || diag_warned(s->diags, op->span))
            continue;
        tell_warn(s, op,
                  dim == 0 ? "x[None, :] is one for each column" : "x[:, None] is one for each row",
                  "this vector of %s elements lies along the %s of a tile, of which there are %s: "
                  "it fits only because both are %d",
                  name->name, dim == 0 ? "rows" : "columns", along->name, tile->type->dims[dim]);
        return;
    }
}

void suspect_named(const Suspect *s)
{
    ir_walk(s->func->body, look_at, (void *)s);
}
