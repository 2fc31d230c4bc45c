/*
 * programs.c - how many programs a grid may have so that their numbers, times constants, fit 32
 * bits
 *
 * A kernel says `tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)`.  Only the grid says that this
 * does not wrap, so a launch compares; code for grids that are small enough knows what it is not
 * below.
 */
#include "ir.h"
#include "analysis.h"

enum { DEPTH = 4 };                    /* of what is computed from a program's number */
static const int64_t room = 1LL << 30; /* as much again may be added */

static bool counts_programs(const Value *v, int depth)
{
    const Op *op = v->def;

    if (!op || depth == 0 || v->type->rank > 0 || v->type->dtype != DT_I32)
        return false;
    if (op->code == OP_program_id)
        return true;
    for (int i = 0; op_is_elementwise(op) && i < op->noperands; i++) {
        if (counts_programs(op->operands[i], depth - 1))
            return true;
    }
    return false;
}

static void note_factor(Op *op, void *largest)
{
    int64_t *most = largest, n;

    if (op->code != OP_mul)
        return;
    for (int i = 0; i < 2; i++) {
        if (value_const_int(op->operands[i], &n) && n > *most && n <= MAX_TILE &&
            counts_programs(op->operands[1 - i], DEPTH))
            *most = n;
    }
}

int32_t ir_most_programs(const Module *m)
{
    int64_t largest = 1;

    for (int i = 0; i < m->nfuncs; i++)
        ir_walk(m->funcs[i]->body, note_factor, &largest);
    return largest > 1 ? (int32_t)(room / largest) : 0;
}
