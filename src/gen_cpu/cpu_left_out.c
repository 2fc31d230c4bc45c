/*
 * cpu_left_out.c - nests of operands and results that run only where the product does not do
 * without
 *
 * A tile may be there from a program before (cpu_keep.c), or be read where memory has it, and a
 * result may have been stored from registers (cpu_place.c).
 */
#include "cpu.h"

/* The nest, where that does not hold. */
static void run_unless(Cpu *c, Val holds, const Nest *n)
{
    LLVMBasicBlockRef run = cpu_block(c), after = cpu_block(c);

    LLVMBuildCondBr(c->b, holds, after, run);
    LLVMPositionBuilderAtEnd(c->b, run);
    cpu_nest(c, n);
    LLVMBuildBr(c->b, after);
    LLVMPositionBuilderAtEnd(c->b, after);
}

void cpu_keep_fill(Cpu *c, const Nest *n, Val unless)
{
    Filling f = cpu_keep_begin_fill(c, n->keep, unless);

    cpu_nest(c, n);
    cpu_keep_end_fill(c, &f);
}

void cpu_place_fill(Cpu *c, const Nest *n)
{
    Val when = cpu_place_find(c, n, n->place - 1);

    if (n->keep != 0)
        cpu_keep_fill(c, n, when);
    else
        run_unless(c, when, n);
}

void cpu_place_results(Cpu *c, const Op *whole, Val when)
{
    bool part = c->part && !c->plan->split.loop; /* which stores its share alone */

    for (int i = 0; i < c->plan->buffers.len; i++) {
        const Nest *n = c->plan->buffers.at[i].stored;
        if (!n || c->plan->buffers.at[i].last != whole)
            continue;
        for (int k = 0; k < n->early.len; k++)
            cpu_scalar(c, n->early.at[k]);
        cpu_place_find_result(c, i, part ? llvm_int(c->l->i1, 0) : when);
    }
}

void cpu_place_store(Cpu *c, const Nest *n)
{
    run_unless(c, c->placed[n->result - 1].when, n);
}
