/*
 * fold_memory.c - loads, stores and atomics whose mask or address says more than it seems
 *
 * A lane that is masked off touches no memory and gives `other`, or 0 (semantics R202).
 */
#include "fold.h"

enum { WRITE_MASK = STORE_MASK }; /* of stores and of read-modify-writes */
_Static_assert((int)STORE_MASK == (int)RMW_MASK, "both have it there");

static bool is_zero_bits(const Value *v)
{
    uint64_t bits;

    return value_constant(v, &bits) && bits == 0;
}

/* The same load with its first n operands. */
static Value *shorter_load(Op *op, int n)
{
    return fold_new(op, op->code, n, op->operands, op->nattrs, op->attrs, op->results[0]->type);
}

Value *fold_load(Op *op)
{
    bool masked = op->noperands > LOAD_MASK, has_other = op->noperands > LOAD_OTHER;

    if (masked && fold_is_const(op->operands[LOAD_MASK], 1))
        return shorter_load(op, 1);
    if (masked && fold_is_const(op->operands[LOAD_MASK], 0))
        return has_other ? op->operands[LOAD_OTHER] : fold_const(op, op->results[0]->type, 0);
    if (has_other && is_zero_bits(op->operands[LOAD_OTHER]))
        return shorter_load(op, 2);
    return attr_volatile(op) ? NULL : fold_uniform(op); /* every lane would read one address */
}

/* A store or read-modify-write under a constant mask, and a fulfilled assumption. */
Op *fold_write(Op *op)
{
    if (op->code == OP_assume)
        return fold_is_const(op->operands[0], 1) ? NULL : op;
    if ((op->code != OP_store && op->code != OP_atomic_rmw) || op->noperands <= WRITE_MASK)
        return op;
    const Value *mask = op->operands[WRITE_MASK];
    if (fold_is_const(mask, 0)) {
        if (op->nresults > 0)
            op->results[0]->repl = fold_const(op, op->results[0]->type, 0);
        return NULL;
    }
    if (!fold_is_const(mask, 1))
        return op;
    Builder b = builder_before(op);
    const Type *t = op->nresults > 0 ? op->results[0]->type : NULL;
    Op *plain = build_op(&b, op->code, WRITE_MASK, op->operands, op->nattrs, op->attrs,
                         op->nresults, t ? &t : NULL);
    if (t)
        op->results[0]->repl = plain->results[0];
    return plain;
}
