/*
 * together.c - arrays of which a kernel takes elements by one index
 *
 * out[i] = x[i] + y[i], by addresses: element i of each is what lies there in memory.  Two arrays
 * of one shape go together only if their elements lie in one order, and a launch knows that.
 */
#include "programs.h"
#include "../ir/analysis.h"

enum { SAME_DEPTH = 12, MOST_SLOTS = 64 };

typedef struct {
    const Func *func;
    const Value *index[MOST_TOGETHER];
    Together found;
} Search;

static void visit(Op *op, void *search)
{
    Search *s = search;
    Together *t = &s->found;
    int i = 0;

    if (!op_has(op, READS | WRITES) || op->noperands == 0 || op->code == OP_call)
        return;
    const Op *p = op->operands[ir_access(op).pointer]->def;
    int array = p && p->code == OP_addptr ? strides_slot_of(s->func, p->operands[0]) : -1;
    if (array < 0 || array >= MOST_SLOTS || p->operands[1]->type->rank == 0)
        return;
    while (i < t->n && !ir_same(s->index[i], p->operands[1], SAME_DEPTH))
        i++;
    if (i == MOST_TOGETHER)
        return;
    if (i == t->n)
        s->index[t->n++] = p->operands[1];
    t->arrays[i] |= UINT64_C(1) << array;
}

Together together_of(const Func *f)
{
    Search s = {.func = f};

    ir_walk(f->body, visit, &s);
    return s.found;
}
