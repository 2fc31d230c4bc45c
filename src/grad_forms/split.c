/*
 * split.c - parts of a tile, which `tl.split` takes by their bits: as sums, which have a gradient
 *
 *     bitcast(or along the axis of where(index == k, bitcast(x), 0))    is element k along the axis
 *     sum along the axis of where(index == k, x, 0.0)                   too, but for the sign of -0
 */
#include "forms.h"

/* Is it true at one index along the axis: index == a constant? */
static bool picks_one(const Value *mask, int axis)
{
    while (opt_made_by(mask, OP_broadcast) && mask->def->operands[0]->type->dims[axis] > 1)
        mask = mask->def->operands[0];
    const Op *eq = opt_made_by(mask, OP_eq);
    int64_t at;

    return eq && value_const_int(eq->operands[1], &at) && at >= 0 && at < mask->type->dims[axis] &&
           opt_is_index(eq->operands[0], axis);
}

/* The tile of floats that these are the bits of; NULL. */
static Value *floats_behind(const Value *bits)
{
    const Op *cast = opt_made_by(bits, OP_bitcast);

    return cast && dtype_is_float(cast->operands[0]->type->dtype) ? cast->operands[0] : NULL;
}

static void replace(Op *op, void *unused)
{
    (void)unused;
    const Op *either = op->code == OP_bitcast ? opt_made_by(op->operands[0], OP_reduce) : NULL;
    const Op *select = either ? opt_made_by(either->operands[0], OP_select) : NULL;
    Value *x = select ? floats_behind(select->operands[1]) : NULL;
    uint64_t zero;

    if (!x || ir_combine_code(either) != OP_or || !value_constant(select->operands[2], &zero) ||
        zero != 0 || x->type->dtype != op->results[0]->type->dtype ||
        !picks_one(select->operands[0], (int)attr_axis(either)))
        return;
    Builder b = builder_before(op);
    Value *none = build_float(&b, x->type, 0);
    value_shaped_like(b.module, none, x);
    Value *part = build_select(&b, select->operands[0], x, none);
    op->results[0]->repl = build_reduce_along(&b, OP_add, part, (int)attr_axis(either));
    op->results[0]->repl->name = op->results[0]->name;
}

void forms_sum_parts_of_tiles(Func *f)
{
    ir_walk(f->body, replace, NULL);
    opt_resolve_all(f->body);
}
