/*
 * waits.c - does a program go round a loop until another program has written something?
 *
 * That is a `while` whose condition depends on what the loop itself asks memory for anew: on an
 * atomic, a volatile load, or text of an assembler, in the loop.  A plain load is none, since it
 * may be taken out of the loop.  Who shares out work by an atomic counter looks the same; the
 * answer is never "no" too often.
 *
 * A call counts if anything in its module asks memory anew.
 */
#include "ir.h"
#include "analysis.h"

static bool asks_anew(const Op *op)
{
    if (op_only_reads(op))
        return op_is_volatile(op) || attr_cache(op) == CACHE_CV;
    return ir_access(op).effect == (READS | WRITES) || op->code == OP_inline_asm_volatile;
}

static void note_asking(Op *op, void *asks)
{
    *(bool *)asks |= asks_anew(op);
}

static bool module_asks(const Module *m)
{
    bool asks = false;

    for (int i = 0; i < m->nfuncs; i++)
        ir_walk(m->funcs[i]->body, note_asking, &asks);
    return asks;
}

static bool is_within(const Op *op, const Op *loop)
{
    while (op && op != loop)
        op = op->block->owner;
    return op == loop;
}

typedef struct {
    const Func *func;
    Arena *arena;
    bool calls_ask, waits;
    const Op *loop;
} Search;

static bool goes_on(const Op *op, void *search)
{
    const Search *s = search;
    bool asks = asks_anew(op) || (op->code == OP_call && s->calls_ask);

    return !asks || !is_within(op, s->loop);
}

static void visit(Op *op, void *search)
{
    Search *s = search;

    if (op->code != OP_while || s->waits)
        return;
    const Value *condition = op->regions[0]->last->operands[0];
    s->loop = op;
    s->waits = !ir_slice(s->func, s->arena, &condition, 1, goes_on, s);
}

bool ir_waits(const Module *m, Arena *a)
{
    bool calls_ask = module_asks(m);
    Search s = {.arena = a, .calls_ask = calls_ask};

    for (int i = 0; calls_ask && i < m->nfuncs && !s.waits; i++) {
        s.func = m->funcs[i];
        ir_walk(s.func->body, visit, &s);
    }
    return s.waits;
}
