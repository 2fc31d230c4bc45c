/*
 * cpu_limits.c - kernels that are too long, or whose tiles are too large, and what would help
 */
#include "target_cpu.h"

/* Beyond what LLVM does in bounds of time and memory.  The place is that of the loop that makes it
 * so long, where one does. */
static void refuse_long(Diags *d, const Plan *p)
{
    const Unrolled *most = ir_most_unrolled(p->func->module, p->func->nvalues);

    if (most)
        diag(d, DIAG_ERROR, most->span,
             "this kernel is too long: with %d rounds of this loop, which is unrolled, it comes to "
             "more than %d operations",
             most->rounds, PLAN_MOST_OPS);
    else
        ir_diag(d, DIAG_ERROR, p->beyond,
                "this kernel is too long: up to here it comes to more than %d operations, where "
                "loops count once and unrolled ones for every round",
                PLAN_MOST_OPS);
    diag(d, DIAG_HINT, (Span){0, 0},
         "a loop over range() instead of tl.static_range() stays short");
}

static void refuse_large(Diags *d, const Plan *p)
{
    long long mebibytes = p->front >> 20;

    diag(d, DIAG_ERROR, p->func->span,
         "this kernel holds too many tiles at once: they take %lld MiB for each thread, and at "
         "most %d go",
         mebibytes, IR_MOST_TILE_BYTES >> 20);
    diag(d, DIAG_HINT, (Span){0, 0}, "use a smaller block and a loop, or more programs");
}

bool cpu_takes(Diags *d, const Plan *p)
{
    if (p->beyond)
        refuse_long(d, p);
    else if (p->front > IR_MOST_TILE_BYTES)
        refuse_large(d, p);
    if (p->beyond || p->front > IR_MOST_TILE_BYTES || !plan_verify(p, d))
        return false;
    const Op *wrong = split_wrong(p);
    if (wrong)
        ir_diag(d, DIAG_ERROR, wrong,
                "internal error: the plan of `%s` is wrong: a part lacks what it reads or stores",
                p->func->name);
    return !wrong;
}
