/*
 * check_fraction.c - a store to integers that cuts off fractions, where accesses are checked
 *
 * tl.store(out + i, tl.load(x + i)) of floats into an array of integers is right where they are
 * whole, as counts and indices often are, so it is asked when the programs run.  Only of what was
 * loaded or summed, and of the store's own conversion: one that is written is meant, and what is
 * computed for the store, as v + 0.5, may be, too, or was told when the kernel was compiled.
 *
 * Takes and gives verified IR, without calls.  NaN, infinities and numbers that do not fit are
 * check_spoils.c's.
 */
#include <string.h>

#include "check.h"
#include "../ir/analysis.h"

static bool is_given(const Value *v)
{
    const Op *op = ir_bare(v)->def;

    return op && (op_only_reads(op) || opt_is_loop(op) || ir_reduces(op));
}

/* The store's own conversion of such a float to an integer; NULL: it has none. */
static const Op *conversion(const Op *store)
{
    const Op *cast = ir_unmoved(store->operands[STORE_DATA])->def;

    if (!cast || cast->code != OP_cast || cast->span.start != store->span.start ||
        cast->span.end != store->span.end || cast->operands[0]->type->pointer ||
        !dtype_is_float(cast->operands[0]->type->dtype) || !opt_is_int(cast->results[0]) ||
        cast->results[0]->type->dtype == DT_I1 ||
        !type_same_shape(cast->results[0]->type, store->operands[STORE_DATA]->type))
        return NULL;
    return is_given(cast->operands[0]) ? cast : NULL;
}

static void look_at(Op *op, void *unused)
{
    const Op *cast = op->code == OP_store ? conversion(op) : NULL;

    (void)unused;
    if (!cast)
        return;
    Builder b = builder_before(op);
    Value *v = cast->operands[0], *mask = op_operand(op, STORE_MASK);
    const char *to = dtype_triton_name(cast->results[0]->type->dtype);
    const char *text = arena_printf(b.module->arena,
                                    "this has a fraction, which %s cuts off: .to(tl.%s) says that "
                                    "it is meant",
                                    to, to);
    int64_t attrs[] = {attr_of_text(b.module, text, strlen(text)), 0, 1};
    b.span = op->span;
    b.site = op->site;
    b.mark = op->mark;
    Value *cut = build_binary(&b, OP_lt, build_unary(&b, OP_floor, v), v);
    Value *operands[] = {build_unary(&b, OP_not, cut), mask};
    build_op(&b, OP_assert, mask ? 2 : 1, operands, COUNT(attrs), attrs, 0, NULL);
}

void check_fractions(Func *f)
{
    ir_walk(f->body, look_at, NULL);
}
