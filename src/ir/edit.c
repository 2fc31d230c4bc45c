/*
 * edit.c - moves, removes, replaces and copies ops
 *
 * To replace a value, set v->repl and call ir_resolve_operands() on the ops that may use it; a
 * pass does that while it walks, so each op is touched once.
 */
#include "ir.h"

void op_remove(Op *op)
{
    Block *b = op->block;

    *(op->prev ? &op->prev->next : &b->first) = op->next;
    *(op->next ? &op->next->prev : &b->last) = op->prev;
    op->prev = op->next = NULL;
    op->block = NULL;
}

/* Link op into b in front of `next`, at the end when that is NULL. */
static void place(Op *op, Block *b, Op *next)
{
    if (op->block)
        op_remove(op);
    op->block = b;
    op->next = next;
    op->prev = next ? next->prev : b->last;
    *(op->prev ? &op->prev->next : &b->first) = op;
    *(next ? &next->prev : &b->last) = op;
    for (int i = 0; i < op->nresults; i++)
        op->results[i]->block = b;
}

void op_insert_before(Op *op, Op *before)
{
    if (op != before)
        place(op, before->block, before);
}

void op_append(Block *b, Op *op)
{
    place(op, b, NULL);
}

Value *ir_resolve(Value *v)
{
    Value *end = v;

    while (end->repl)
        end = end->repl;
    while (v->repl) {
        Value *next = v->repl;
        v->repl = end;
        v = next;
    }
    return end;
}

void ir_resolve_operands(Op *op)
{
    for (int i = 0; i < op->noperands; i++) {
        if (op->operands[i]->repl)
            op->operands[i] = ir_resolve(op->operands[i]);
    }
}

static void remember(Map *values, const Value *old, Value *new)
{
    new->name = old->name;
    new->number = old->number;
    if (new->type == old->type)
        new->extents = old->extents;
    map_put(values, MAP_KEY(old), new);
}

static void clone_block(Builder b, Block *to, const Block *from, Map *values)
{
    for (int i = 0; i < from->nargs; i++)
        remember(values, from->args[i], block_add_arg(to, from->args[i]->type));
    b.block = to;
    b.before = NULL;
    for (const Op *op = from->first; op; op = op->next)
        op_clone(&b, op, values);
}

Op *op_clone_as(Builder *b, const Op *op, const Type *const *types, Map *values)
{
    Value *operands[op->noperands + 1];
    Builder at = *b;

    for (int i = 0; i < op->noperands; i++) {
        Value *new = map_get(values, MAP_KEY(op->operands[i]));
        operands[i] = new ? new : op->operands[i];
    }
    at.span = op->span;
    at.site = op->site;
    at.mark = op->mark;
    Op *copy = build_op(&at, op->code, op->noperands, operands, op->nattrs, op->attrs, op->nresults,
                        types);
    copy->callee = op->callee;
    for (int i = 0; i < op->nresults; i++)
        remember(values, op->results[i], copy->results[i]);
    for (int r = 0; r < COUNT(op->regions); r++) {
        if (op->regions[r])
            clone_block(at, copy->regions[r], op->regions[r], values);
    }
    return copy;
}

Op *op_clone(Builder *b, const Op *op, Map *values)
{
    const Type *types[op->nresults + 1];

    for (int i = 0; i < op->nresults; i++)
        types[i] = op->results[i]->type;
    return op_clone_as(b, op, types, values);
}

bool block_encloses(const Block *outer, const Block *inner)
{
    while (inner && inner != outer)
        inner = inner->owner ? inner->owner->block : NULL;
    return inner == outer;
}

void ir_walk(Block *b, void (*visit)(Op *op, void *ctx), void *ctx)
{
    for (Op *op = b->first, *next; op; op = next) {
        next = op->next;
        visit(op, ctx);
        for (int r = 0; r < COUNT(op->regions); r++) {
            if (op->regions[r])
                ir_walk(op->regions[r], visit, ctx);
        }
    }
}
