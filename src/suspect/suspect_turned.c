/*
 * suspect_turned.c - a tile whose two offsets are turned around, and whose elements are not
 *
 * desc.load([i, j]) stored by other.store([j, i], v) puts each tile where the transpose has it, and
 * the elements of the tile as they were: v.T turns them.  In square tiles nothing else shows it.
 * Nothing is said where the tile was turned on the way, nor where both offsets are one.
 */
#include "suspect.h"

enum { DEEPEST = 24, SAME_DEPTH = 12 };

/* The load by offsets that a tile was made of, element by element; NULL: another, or several. */
static const Op *load_of(const Value *v, int depth)
{
    const Op *op = ir_uncast(v)->def, *found = NULL;

    if (!op || depth == 0 || op->code == OP_load_block)
        return op && op->code == OP_load_block ? op : NULL;
    for (int i = 0; i < op->noperands && op_has(op, FOLDS); i++) {
        const Op *load = load_of(op->operands[i], depth - 1);
        if (load && found)
            return NULL;
        found = load ? load : found;
    }
    return found;
}

static bool is_same(const Value *a, const Value *b)
{
    return ir_same(ir_uncast(a), ir_uncast(b), SAME_DEPTH);
}

static void look_at(Op *op, void *suspect)
{
    enum { FROM = BLOCK_HANDLE + 1, TO = BLOCK_DATA + 1, OFFSETS = 2 };
    const Op *load = op->code == OP_store_block ? load_of(op->operands[BLOCK_DATA], DEEPEST) : NULL;

    if (!load || op->noperands != TO + OFFSETS || load->noperands != FROM + OFFSETS ||
        is_same(load->operands[FROM], load->operands[FROM + 1]) ||
        !is_same(load->operands[FROM], op->operands[TO + 1]) ||
        !is_same(load->operands[FROM + 1], op->operands[TO]))
        return;
    tell_warn(
        suspect, op, "store v.T, or tl.trans(v)",
        "this tile was loaded at [i, j] and is stored at [j, i], and its rows are still rows");
}

void suspect_turned(const Suspect *s)
{
    ir_walk(s->func->body, look_at, (void *)s);
}
