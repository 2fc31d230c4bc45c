/*
 * suspect_counted.c - lanes that are not there, and are counted by an atomic without a mask
 *
 * b = f(tl.load(x + i, mask=i < n, other=0.0)) and tl.atomic_add(h + b, 1): lanes behind the last
 * element have a bin, too, and are counted in it.  Told of a constant that is added at a place
 * which follows from such a load, element by element; where `other` is another constant than 0 the
 * bin may have been chosen for that.  Bins that are known when the atomic is lowered are told there
 * (../unread/unread.h).
 */
#include "suspect.h"
#include "../unread/unread.h"

/* Lanes that the load leaves out have 0, or nothing that was asked for. */
static bool is_not_chosen(const Op *load)
{
    const Value *other = op_operand(load, ir_access(load).other);
    uint64_t bits;

    return !other || (value_constant(other, &bits) &&
                      scalar_to_double(ir_bare(other)->type->dtype, bits) == 0);
}

static void look_at(Op *op, void *suspect)
{
    const Suspect *s = suspect;
    uint64_t bits;

    if (op->code != OP_atomic_rmw || attr_rmw_kind(op) != RMW_ADD)
        return;
    const OpAccess access = ir_access(op);
    const Value *data = op->operands[access.data], *p = op->operands[access.pointer];
    const Value *mask = op_operand(op, access.mask);
    const Op *address = p->def;
    if ((mask && !value_constant(mask, &bits)) || !value_constant(data, &bits) || bits == 0 ||
        p->type->rank == 0 || !address || address->code != OP_addptr ||
        diag_warned(s->diags, op->span))
        return;
    const MaskedLoads loads = unread_loads(s->arena, address->operands[1], true, false);
    for (int i = 0; i < loads.n; i++) {
        if (!is_not_chosen(loads.at[i].load) || loads.at[i].load->results[0]->type->rank == 0)
            continue;
        tell_warn(s, op, "tl.atomic_add(h + b, 1, mask=mask), with the mask of the load",
                  "lanes that the mask of a load leaves out are counted here, too: its `other` "
                  "has a place as well");
        return;
    }
}

static bool is_atomic(const Op *op)
{
    return op->code == OP_atomic_rmw;
}

void suspect_counted(const Suspect *s)
{
    if (tell_any(s, is_atomic))
        ir_walk(s->func->body, look_at, (void *)s);
}
