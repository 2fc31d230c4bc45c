/*
 * formula_early.c - fractions that are cut off in front of the factor that was to keep them
 *
 * v // top * 100 is 0 for all v below top, and v.to(tl.uint8) * 255 for all below 1: the product
 * first, v * 100 // top.  Told of what was loaded, and is stored behind the two, and nothing else:
 * in an address the parts of an index are meant.  Nor of a factor that goes with the divisor, as in
 * v // 4 * 4, which rounds down.
 */
#include "formula.h"

static bool is_loaded(const Value *v)
{
    const Op *op = ir_uncast(v)->def;

    return op && op_only_reads(op);
}

/* The constant factor of a product of integers, and what it multiplies; NULL: it is none. */
static const Value *multiplied(const Value *v, int64_t *by)
{
    const Op *op = ir_uncast(v)->def;
    uint64_t bits;

    for (int i = 0; op && op->code == OP_mul && opt_is_int(op->results[0]) && i < 2; i++) {
        const Value *factor = ir_bare(op->operands[i]);
        if (!value_constant(factor, &bits))
            continue;
        *by = scalar_to_int(factor->type->dtype, bits);
        if (*by > 1)
            return op->operands[1 - i];
    }
    return NULL;
}

static void look_at(Op *store, void *suspect)
{
    int64_t by = 0, divisor;
    const Value *v = store->code == OP_store ? multiplied(store->operands[STORE_DATA], &by) : NULL;
    const Op *op = v ? v->def : NULL;

    if (op && op->code == OP_cast && opt_is_int(v) &&
        dtype_is_float(op->operands[0]->type->dtype) && is_loaded(op->operands[0]))
        tell_warn(suspect, op, "multiply first: (x * 255.0).to(..)",
                  "this cuts off the fraction of what was loaded, and what is left is "
                  "multiplied by %lld",
                  (long long)by);
    op = v ? ir_uncast(v)->def : NULL;
    if (!op || op->code != OP_div || !opt_is_int(op->results[0]) || !is_loaded(op->operands[0]))
        return;
    if (!value_const_signed(ir_bare(op->operands[1]), &divisor) ||
        (divisor != 0 && divisor % by != 0 && by % divisor != 0))
        tell_warn(suspect, op, "multiply first: x * 100 // n",
                  "this cuts off the remainder of what was loaded, and what is left is "
                  "multiplied by %lld",
                  (long long)by);
}

static bool is_store(const Op *op)
{
    return op->code == OP_store;
}

void formula_early(const Suspect *s)
{
    if (tell_any(s, is_store))
        ir_walk(s->func->body, look_at, (void *)s);
}
