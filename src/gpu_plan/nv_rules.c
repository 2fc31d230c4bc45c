/*
 * nv_rules.c - what the planner of the GPU target does with each op
 *
 * One table.  An op that is elementwise needs no row: its result lies where its operands do, and
 * emit_op() has the instruction.  Any other one without a row is refused.
 */
#include "nv_plan.h"

/* A scalar that every thread computes, or a tile that needs nothing. */
static void choose_free(NvPlan *p, const Op *op)
{
    for (int i = 0; i < op->nresults; i++)
        *nv_value(p, op->results[i]) = (NvValue){.cost = 1};
}

static void choose_nothing(NvPlan *p, const Op *op)
{
    (void)p;
    (void)op;
}

static void list_nothing(NvPlan *p, const Op *op)
{
    (void)p;
    (void)op;
}

/* Threads wait as the program says, and nothing is handed on. */
static void list_barrier(NvPlan *p, const Op *op)
{
    nv_list(p, nv_step(p, NV_BARRIER, op));
}

static const NvRule elementwise = {nv_choose_elementwise, nv_list_elementwise};

static void list_refused(NvPlan *p, const Op *op)
{
    nv_refuse(p, op, op_info(op->code)->name);
}

static const NvRule refused = {choose_free, list_refused};

/* clang-format off */
static const NvRule rules[OP_COUNT] = {
    [OP_const]        = {choose_free,          nv_list_elementwise},
    [OP_program_id]   = {choose_free,          nv_list_elementwise},
    [OP_num_programs] = {choose_free,          nv_list_elementwise},
    [OP_arange]       = {choose_free,          nv_list_elementwise},
    [OP_addptr]       = {nv_choose_elementwise, nv_list_elementwise},
    [OP_hint]         = {nv_choose_elementwise, nv_list_elementwise},
    [OP_splat]        = {nv_choose_move,       nv_list_move},
    [OP_broadcast]    = {nv_choose_move,       nv_list_move},
    [OP_expand]       = {nv_choose_move,       nv_list_move},
    [OP_reshape]      = {nv_choose_move,       nv_list_move},
    [OP_permute]      = {nv_choose_move,       nv_list_move},
    [OP_slice]        = {nv_choose_move,       nv_list_move},
    [OP_load]         = {nv_choose_load,       nv_list_load},
    [OP_store]        = {choose_nothing,       nv_list_store},
    [OP_atomic_rmw]   = {nv_choose_atomic,     nv_list_atomic},
    [OP_atomic_cas]   = {nv_choose_atomic,     nv_list_atomic},
    [OP_barrier]      = {choose_nothing,       list_barrier},
    [OP_assume]       = {choose_nothing,       list_nothing},
    [OP_inline_asm]   = {nv_choose_inline,     nv_list_inline},
    [OP_inline_asm_volatile] = {nv_choose_inline, nv_list_inline},
    [OP_record]       = {choose_nothing,       nv_list_record},
    [OP_gather]       = {nv_choose_gather,     nv_list_gather},
    [OP_histogram]    = {nv_choose_histogram,  nv_list_histogram},
    [OP_sort]         = {nv_choose_sort,       nv_list_sort},
    [OP_reduce]       = {nv_choose_reduce,     nv_list_reduce},
    [OP_scan]         = {nv_choose_scan,       nv_list_scan},
    [OP_dot]          = {nv_choose_dot,        nv_list_dot},
    [OP_for]          = {nv_choose_control,    nv_list_control},
    [OP_while]        = {nv_choose_control,    nv_list_control},
    [OP_if]           = {nv_choose_control,    nv_list_control},
};
/* clang-format on */

const NvRule *nv_rule(OpCode code)
{
    if (rules[code].list)
        return &rules[code];
    return op_info(code)->flags & FOLDS ? &elementwise : &refused;
}
