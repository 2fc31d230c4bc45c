/*
 * suspect_mask.c - a mask of rows that leaves out columns
 *
 * x + r[:, None] * w + c[None, :] with mask=r < h: a mask of one dimension lies along the last one,
 * and in a square tile nothing fails.
 *
 * Told where the index that the mask compares is one of rows in the address, and none of columns.
 */
#include "suspect.h"

enum { SAME_DEPTH = 12, DEEPEST = 16, MOST_MASKS = 6 };

/* Is that index one for each of these along dimension `axis` of the tile? */
static bool lies_along(const Value *v, const Value *index, int axis, int depth)
{
    const Op *op = v->def;

    if (!op || depth == 0)
        return false;
    if (op->code == OP_expand)
        return attr_axis(op) != axis && ir_same(op->operands[0], index, SAME_DEPTH);
    for (int i = 0; i < op->noperands; i++) {
        if ((op_has(op, FOLDS) || op->code == OP_broadcast || op->code == OP_addptr) &&
            lies_along(op->operands[i], index, axis, depth - 1))
            return true;
    }
    return false;
}

/* The index that such a mask compares, of one dimension, which has become the last one. */
static const Value *index_of_columns(const Value *mask, const Value *pointer, int depth)
{
    const Op *op = mask->def;

    while (op && op->code == OP_broadcast)
        op = op->operands[0]->def;
    if (!op || depth == 0)
        return NULL;
    for (int i = 0; op->code == OP_and && i < 2; i++) {
        const Value *found = index_of_columns(op->operands[i], pointer, depth - 1);
        if (found)
            return found;
    }
    if (op->code != OP_expand || attr_axis(op) != 0)
        return NULL;
    const Op *compare = op->operands[0]->def;
    const Value *index = compare && op_has(compare, COMPARES) ? compare->operands[0] : NULL;
    return index && index->type->rank == 1 && lies_along(pointer, index, 0, DEEPEST) &&
                   !lies_along(pointer, index, 1, DEEPEST)
               ? index
               : NULL;
}

static void look_at(Op *op, void *suspect)
{
    const Suspect *s = suspect;
    const OpAccess access = ir_access(op);
    const Value *mask = op_operand(op, access.mask);
    const Value *pointer = access.effect != 0 ? op->operands[access.pointer] : NULL;

    if (!mask || !pointer->type->pointer || pointer->type->rank != 2 ||
        !index_of_columns(mask, pointer, MOST_MASKS))
        return;
    tell_warn(s, op, "mask=rows[:, None] < height leaves out rows",
              "the index that the mask compares is one of rows in the address, and its mask "
              "leaves out columns");
}

void suspect_mask(const Suspect *s)
{
    ir_walk(s->func->body, look_at, (void *)s);
}
