/*
 * strides.c - how a kernel goes through its arrays, where addresses are sums of products
 *
 * Which arrays have lanes next to each other that take elements next to each other; which are
 * stored to; and which numbers of the launch an index is multiplied with.
 */
#include "programs.h"
#include "../ir/analysis.h"
#include "../opt/opt.h"

enum { DEEPEST = 30 };

static const Value *unmoved(const Value *v)
{
    v = ir_bare(v);
    while (v->def && v->def->code == OP_hint)
        v = ir_bare(v->def->operands[0]);
    return v;
}

int strides_slot_of(const Func *f, const Value *v)
{
    v = unmoved(v);
    return !v->def && v->block == f->body && v->index < INT8_MAX ? v->index : -1;
}

static void add_step(Steps *s, int array, int number)
{
    for (int i = 0; i < s->nsteps; i++) {
        if (s->steps[i].array == array && s->steps[i].number == number)
            return;
    }
    if (s->nsteps < MOST_STEPS)
        s->steps[s->nsteps++] = (Stride){(int8_t)array, (int8_t)number};
}

/* The products in an index of an array. */
static void find_steps(Steps *s, const Func *f, int array, const Value *index, int depth)
{
    const Op *op = unmoved(index)->def;

    if (!op || depth == 0 || (op->code != OP_add && op->code != OP_sub && op->code != OP_mul))
        return;
    for (int i = 0; i < 2; i++) {
        int number = op->code == OP_mul ? strides_slot_of(f, op->operands[i]) : -1;
        if (number >= 0)
            add_step(s, array, number);
        else if (op->code != OP_mul)
            find_steps(s, f, array, op->operands[i], depth - 1);
    }
}

static void find_in_address(Steps *s, const Func *f, const Value *address)
{
    const Value *base = unmoved(address);

    while (base->def && base->def->code == OP_addptr)
        base = unmoved(base->def->operands[0]);
    int array = strides_slot_of(f, base);
    for (const Value *p = unmoved(address); array >= 0 && p->def; p = unmoved(p->def->operands[0]))
        find_steps(s, f, array, p->def->operands[1], DEEPEST);
}

typedef struct {
    Steps *steps;
    const Func *func;
    const PointerBases *bases;
    const AxisFacts *facts;
} Walk;

static void visit(Op *op, void *walk)
{
    const Walk *w = walk;

    if (!op_has(op, READS | WRITES) || op->noperands == 0 || op->code == OP_call)
        return;
    const Value *p = op->operands[ir_access(op).pointer];
    const Axis *x = p->type->pointer && p->type->rank > 0 ? axis_of(w->facts, p) : NULL;
    uint64_t base = ir_bases_of(w->bases, p);
    w->steps->stores |= op->code == OP_store ? base : 0;
    for (int d = 0; x && d < p->type->rank; d++) {
        if (x->contiguity[d] > 1 && (base & (base - 1)) == 0)
            w->steps->runs |= base;
    }
    if (p->type->pointer)
        find_in_address(w->steps, w->func, p);
}

Steps strides_of(const Func *f)
{
    Steps s = {0};
    Arena *a = f->module->arena;
    Walk w = {&s, f, ir_pointer_bases(f, a), axis_analyse(f, a)};

    ir_walk(f->body, visit, &w);
    return s;
}
