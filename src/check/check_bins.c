/*
 * check_bins.c - numbers that name no bin of a histogram, where accesses are checked
 *
 * tl.histogram counts what is 0 to num_bins - 1.  Other numbers count nowhere here; in Triton they
 * are undefined.
 *
 * Takes and gives verified IR, without calls.
 */
#include <string.h>

#include "check.h"
#include "../ir/analysis.h"

static void assert_below(Op *op, Value *v, Value *mask, int64_t end, const char *text)
{
    Builder b = builder_before(op);

    b.span = op->span;
    b.site = op->site;
    b.mark = op->mark;
    Value *wide = build_cast(&b, v, DT_I64, ROUND_NEAREST), *zero = build_int(&b, wide->type, 0);
    Value *below = build_binary(&b, OP_lt, wide, build_int(&b, wide->type, end));
    Value *operands[] = {build_binary(&b, OP_and, build_binary(&b, OP_ge, wide, zero), below),
                         mask};
    int64_t attrs[] = {attr_of_text(b.module, text, strlen(text)), 0, 1};
    build_op(&b, OP_assert, mask ? 2 : 1, operands, COUNT(attrs), attrs, 0, NULL);
}

static void look_at(Op *op, void *unused)
{
    Arena *a = op->block->func->module->arena;

    (void)unused;
    if (op->code == OP_histogram) {
        int bins = op->results[0]->type->dims[op->results[0]->type->rank - 1];
        assert_below(op, op->operands[HISTOGRAM_VALUES], op_operand(op, HISTOGRAM_MASK), bins,
                     arena_printf(a,
                                  "this is counted in none of the %d bins, of 0 to %d: give "
                                  "tl.histogram more, or a mask that leaves it out",
                                  bins, bins - 1));
    }
}

void check_bins(Func *f)
{
    ir_walk(f->body, look_at, NULL);
}
