/*
 * plan_pack.c - stores of what a mask keeps, one behind the other
 *
 * `tl.cumsum(keep) - 1` numbers the elements that a mask keeps, and a store under that mask to
 * these numbers packs them.  The address of each lane that is stored is one further than that of
 * the one before, so a vector needs no addresses but one: its lanes are brought together, which
 * AVX-512 has an instruction for, and stored at that of the first one.  Known of the first lane of
 * a vector is where it is, or would be; the scan has counted it where the mask keeps it.
 */
#include "plan_internal.h"

/* 1 where the mask keeps an element, and 0 where it does not? */
static bool is_number_of(const Value *v, const Value *mask)
{
    const Op *op = v->def;
    int64_t yes, no;

    if (!op || dtype_is_float(v->type->dtype))
        return false;
    if (op->code == OP_cast)
        return op->operands[0] == mask;
    return op->code == OP_select && op->operands[0] == mask &&
           value_const_int(op->operands[1], &yes) && value_const_int(op->operands[2], &no) &&
           yes == 1 && no == 0;
}

static bool counts(const Nest *n, const Op *op, const Value *mask)
{
    return op->noperands == 1 && attr_axis(op) == n->order[n->rank - 1] && attr_reverse(op) == 0 &&
           ir_combine_kind(op).neutral == OP_add && is_number_of(op->operands[0], mask);
}

/* Does it follow the row as the count does?  *own: times that an element's own number is added,
 * besides. */
static bool steps_with_count(const Nest *n, const Value *v, const Value *mask, int *own)
{
    const Op *op = v->def;
    DType t = v->type->dtype;

    if (!op || v->type->rank != mask->type->rank || dtype_is_float(t) || dtype_bits(t) < 32 ||
        (dtype_bits(t) < 64 && dtype_is_unsigned(t)))
        return false;
    if (op->code == OP_scan)
        return counts(n, op, mask);
    if (op->code == OP_cast)
        return steps_with_count(n, op->operands[0], mask, own);
    if (op->code != OP_add && op->code != OP_sub)
        return false;
    const Value *x = op->operands[0], *y = op->operands[1];
    if (op->code == OP_sub && is_number_of(y, mask)) {
        --*own;
        return steps_with_count(n, x, mask, own);
    }
    if (!access_follows(n->space, y, plan_identity))
        return steps_with_count(n, x, mask, own);
    return op->code == OP_add && !access_follows(n->space, x, plan_identity) &&
           steps_with_count(n, y, mask, own);
}

/* Of a pointer that steps so. */
static bool points_by_count(const Nest *n, const Value *ptr, const Value *mask, int *own)
{
    const Op *op = ptr->def;

    if (!op || op->code != OP_addptr || ptr->type->rank != mask->type->rank)
        return false;
    if (!access_follows(n->space, op->operands[1], plan_identity))
        return points_by_count(n, op->operands[0], mask, own);
    return !access_follows(n->space, op->operands[0], plan_identity) &&
           steps_with_count(n, op->operands[1], mask, own);
}

bool plan_packs(const Plan *p, const Nest *n, const Op *store, int *skip)
{
    const Value *ptr = store->operands[STORE_PTR], *mask = op_operand(store, STORE_MASK);
    int own = 0;

    if (!p->machine.avx512f || n->serial || n->backwards || n->lanes < 4 || !mask ||
        mask->type->rank != nest_tile_rank(n))
        return false;
    if (!points_by_count(n, ptr, mask, &own) || own < -1)
        return false;
    *skip = 1 + own;
    return true;
}

bool plan_counts_packed(const Nest *n)
{
    const Op *op = n->roots.at[0].op;

    for (int i = 1; i < n->roots.len; i++) {
        const Root *r = &n->roots.at[i];
        if (r->access && r->access->form == FORM_PACKED &&
            counts(n, op, op_operand(r->op, STORE_MASK)))
            return true;
    }
    return false;
}
