/*
 * budget.c - registers for a kernel's threads, by what ptxas made of the last try
 *
 * A multiprocessor's registers are shared by the programs on it.  The planner says in PTX how many
 * there shall be where it knows; where that leaves too few for a thread, so that some are spilled
 * to memory, the target is asked for PTX without a word of them.  Of other kernels that wait at
 * barriers with much in registers the planner only says that two programs on a multiprocessor are
 * worth an attempt (`together`), for while a single one waits, nothing happens: if ptxas took more
 * than that leaves, the target is asked for PTX that says it, and a few spilled words are a small
 * price.  On an H200, softmax of rows of 16384 by 16 or 32 warps then takes between 1.0 and 0.6 of
 * the time.
 */
#include "device_cuda.h"

/* Programs that the registers of a multiprocessor are enough for. */
static int fitting(const PtxasReport *r, int warps)
{
    enum { REGISTERS = 65536, LANES = 32, UNIT = 8 };
    int each = (r->registers + UNIT - 1) / UNIT * UNIT * LANES * warps;

    return each > 0 ? REGISTERS / each : 0;
}

GenBudget cuda_wish(const GenOutput *ptx, GenBudget asked, const PtxasReport *r)
{
    enum { WORTH_IT = 64 }; /* spilled bytes of a thread */

    switch (asked) {
    case GEN_BUDGET_PLAN:
        if (ptx->budgeted)
            return r->spilled > 0 ? GEN_BUDGET_NONE : asked;
        return ptx->together > 0 && r->spilled == 0 && r->registers > 0 &&
                       fitting(r, ptx->warps) < ptx->together
                   ? GEN_BUDGET_TOGETHER
                   : asked;
    case GEN_BUDGET_TOGETHER:
        return r->spilled <= WORTH_IT ? asked : GEN_BUDGET_PLAN;
    default:
        return asked;
    }
}
