/*
 * same.c - are two values the same by how they are computed?
 *
 * What is written twice is two values until equal ones are merged; whoever asks before that
 * compares what they are made of.
 */
#include "ir.h"
#include "analysis.h"

static bool same_op(const Op *a, const Op *b)
{
    bool same = a && b && a->code == b->code && op_has(a, PURE) && a->noperands == b->noperands &&
                a->nattrs == b->nattrs && a->nresults == 1;

    for (int i = 0; same && i < a->nattrs; i++)
        same = a->attrs[i] == b->attrs[i];
    return same;
}

bool ir_same(const Value *a, const Value *b, int depth)
{
    if (a == b)
        return true;
    if (depth == 0 || a->type != b->type || !same_op(a->def, b->def) || a->def->regions[0])
        return false;
    for (int i = 0; i < a->def->noperands; i++) {
        if (!ir_same(a->def->operands[i], b->def->operands[i], depth - 1))
            return false;
    }
    return true;
}
