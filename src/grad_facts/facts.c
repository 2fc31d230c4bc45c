/*
 * facts.c - what an op is to gradients, by itself, and what all say who find a kernel that has none
 */
#include "facts.h"

static const GradRow rows[] = {
#define RULE(op, function) [OP_##op] = {GRAD_RULE, NULL},
#define OWN(op, where) [OP_##op] = {GRAD_OWN, where},
#define ZERO(op, why) [OP_##op] = {GRAD_ZERO, why},
#define REFUSED(op, why) [OP_##op] = {GRAD_REFUSED, why},
#include "adjoints.h"
};
enum {
#define RULE(op, function) ROW_##op,
#define OWN(op, where) ROW_##op,
#define ZERO(op, why) ROW_##op,
#define REFUSED(op, why) ROW_##op,
#include "adjoints.h"
    NROWS
};
#define OP(name, operands, result, attrs, flags)                                                   \
    _Static_assert((int)ROW_##name == (int)OP_##name, "a row of adjoints.h for each of ops.h");
#include "../ir/ops.h"
_Static_assert((int)NROWS == (int)OP_COUNT, "no row of adjoints.h twice");

const GradRow *grad_row(OpCode code)
{
    return &rows[code];
}

void grad_refuse(Grad *g, const Op *op, const char *fmt, ...)
{
    va_list ap;

    if (g->failed)
        return;
    g->failed = true;
    va_start(ap, fmt);
    if (op)
        ir_diag_v(g->diags, DIAG_ERROR, op, fmt, ap);
    else
        diag(g->diags, DIAG_ERROR, g->func->span, "%s", arena_vprintf(g->arena, fmt, ap));
    va_end(ap);
}

bool grad_puts_in_memory(const Op *op)
{
    return op->code == OP_store || (op->code == OP_atomic_rmw && attr_rmw_kind(op) == RMW_ADD);
}

bool grad_by_atomics(const Grad *g, const GradArray *a)
{
    for (int i = 0; i < MIN(g->nwrt, 32); i++) {
        if (a == &g->wrt[i])
            return g->wish->atomics >> i & 1;
    }
    return g->wish->atomics == GRAD_ALL;
}

/* The axes along which programs ask for their number. */
static void find_asked(Op *op, void *grad)
{
    if (op->code == OP_program_id)
        ((Grad *)grad)->asked |= 1u << attr_axis(op);
}

void grad_find_asked(Grad *g)
{
    ir_walk(g->func->body, find_asked, g);
}
