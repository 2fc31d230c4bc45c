/*
 * check_count.c - lanes that are not there and are counted, where accesses are checked
 *
 * tl.sum((v < t).to(tl.int32)) of v = tl.load(x + i, mask=i < n, other=0.0) counts lanes that the
 * mask leaves out where 0 < t.  That depends on t, so it is asked when the programs run: no lane
 * that the mask leaves out may count.  So of tl.sum((v[None, :] == bins[:, None]).to(tl.int32), 1).
 */
#include <string.h>

#include "check.h"

/* A value of the tile, as it is or as v[None, :], v[:, None]: `*axis` is the one that was added. */
static const Value *before_broadcast(const Value *v, int *axis)
{
    const Op *op = v->def;

    *axis = -1;
    if (!op || op->code != OP_broadcast || !(op = op->operands[0]->def) || op->code != OP_expand)
        return v;
    *axis = (int)attr_axis(op);
    return op->operands[0];
}

/* The load of which a comparison looks at the elements as they were loaded. */
static const Op *compared_load(const Op *compare, int *axis)
{
    for (int i = 0; compare && op_has(compare, COMPARES) && i < 2; i++) {
        const Op *load = ir_uncast(before_broadcast(compare->operands[i], axis))->def;
        if (load && op_only_reads(load))
            return load;
    }
    return NULL;
}

/* Are elements compared with the largest of them, or the least?  Then how many are is asked, where
 * there is a tie: of a row that the mask leaves out all are, and nobody stores what comes of it. */
static bool is_tie(const Op *compare)
{
    for (int i = 0; i < 2; i++) {
        const Value *v = compare->operands[i];
        while (v->def && (v->def->code == OP_broadcast || v->def->code == OP_expand ||
                          v->def->code == OP_splat))
            v = v->def->operands[0];
        if (compare->code == OP_eq && v->def && ir_reduces(v->def) &&
            v->def->operands[0] == compare->operands[1 - i])
            return true;
    }
    return false;
}

static void look_at(Op *op, void *unused)
{
    static const char text[] = "this counts a lane that the mask of the load leaves out: "
                               "tl.sum((condition & mask).to(tl.int32))";
    const Op *cast, *load;
    Value *mask, *counted;
    int axis = -1;

    (void)unused;
    if (!ir_reduces(op) || op->noperands != 1 || ir_combine_code(op) != OP_add)
        return;
    cast = op->operands[0]->def;
    counted = cast && cast->code == OP_cast ? cast->operands[0] : NULL;
    load = counted ? compared_load(counted->def, &axis) : NULL;
    load = load && !is_tie(counted->def) ? load : NULL;
    mask = load ? op_operand(load, ir_access(load).mask) : NULL;
    bool along = axis < 0 ? mask && type_same_shape(mask->type, counted->type)
                          : mask && mask->type->rank == 1 && axis != attr_axis(op);
    if (!along || counted->type->dtype != DT_I1)
        return;
    Builder b = builder_before(op);
    int64_t attrs[] = {attr_of_text(b.module, text, strlen(text)), 0, 1};
    b.span = op->span;
    b.site = op->site;
    b.mark = op->mark;
    if (axis >= 0)
        mask = build_broadcast(&b, build_expand(&b, mask, axis), counted->type);
    Value *right = build_binary(&b, OP_or, mask, build_unary(&b, OP_not, counted));
    build_op(&b, OP_assert, 1, &right, COUNT(attrs), attrs, 0, NULL);
}

void check_counts(Func *f)
{
    ir_walk(f->body, look_at, NULL);
}
