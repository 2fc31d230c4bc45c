/*
 * plan_alias.c - which memory a pointer can reach
 *
 * A pointer's base is the kernel parameter it was computed from.  Two pointers with different
 * bases are apart when the launch promised so (GenOptions.disjoint); two with one base are told
 * apart only by being the very same value.  Anything that cannot be traced may reach everything.
 */
#include "plan.h"

enum { TRACE_DEPTH = 64 };

static const Value *trace(const Value *v, int depth);

/* The base that a loop's carried argument starts from, if the loop keeps it. */
static const Value *trace_argument(const Value *v, int depth)
{
    const Op *owner = v->block->owner;
    if (owner == NULL)
        return v; /* a parameter */
    int first = owner->code == OP_for ? 3 : 0, skip = owner->code == OP_for ? 1 : 0;
    if (v->index < skip || (owner->code != OP_for && owner->code != OP_while))
        return NULL;
    int operand = first + v->index - skip;
    return operand < owner->noperands ? trace(owner->operands[operand], depth + 1) : NULL;
}

static const Value *trace_result(const Value *v, int depth)
{
    const Op *op = v->def;
    switch (op->code) {
    case OP_addptr:
    case OP_splat:
    case OP_broadcast:
    case OP_expand:
    case OP_reshape:
    case OP_permute:
    case OP_hint:
        return trace(op->operands[0], depth + 1);
    case OP_bitcast:
    case OP_cast:
        return op->operands[0]->type->pointer ? trace(op->operands[0], depth + 1) : NULL;
    case OP_select: {
        const Value *a = trace(op->operands[1], depth + 1);
        return a == trace(op->operands[2], depth + 1) ? a : NULL;
    }
    case OP_for: {
        const Value *a = trace(op->operands[3 + v->index], depth + 1);
        return a == trace(op->regions[0]->last->operands[v->index], depth + 1) ? a : NULL;
    }
    default:
        return NULL;
    }
}

static const Value *trace(const Value *v, int depth)
{
    if (depth > TRACE_DEPTH || !v->type->pointer)
        return NULL;
    return v->def != NULL ? trace_result(v, depth) : trace_argument(v, depth);
}

/* A carried pointer keeps its base only if every loop on its way yields the same one. */
static bool yields_agree(const Value *base, const Value *v, int depth)
{
    if (depth > TRACE_DEPTH)
        return false;
    if (v->def == NULL) {
        const Op *owner = v->block->owner;
        if (owner == NULL)
            return true;
        if (owner->code != OP_for)
            return false;
        const Value *next = owner->regions[0]->last->operands[v->index - 1];
        return trace(next, 0) == base &&
               yields_agree(base, owner->operands[3 + v->index - 1], depth + 1);
    }
    if (v->def->code == OP_select)
        return yields_agree(base, v->def->operands[1], depth + 1) &&
               yields_agree(base, v->def->operands[2], depth + 1);
    int from = v->def->code == OP_for ? 3 + v->index : 0;
    return yields_agree(base, v->def->operands[from], depth + 1);
}

const Value *plan_pointer_base(const Value *ptr)
{
    const Value *base = trace(ptr, 0);
    return base != NULL && yields_agree(base, ptr, 0) ? base : NULL;
}

bool plan_may_alias(const Plan *p, const Value *a, const Value *b)
{
    const Value *x = plan_pointer_base(a), *y = plan_pointer_base(b);
    return x == NULL || y == NULL || x == y || !p->options->disjoint;
}
