/*
 * waits.c - does a program go round a loop until another program has written something?
 *
 * That is a `while` whose condition depends on what the loop itself asks memory for anew: on an
 * atomic, a volatile load, or text of an assembler, in the loop.  A plain load is none, since it
 * may be taken out of the loop.  Who shares out work by an atomic counter looks the same; the
 * answer is never "no" too often.
 *
 * From a condition the walk goes back to operands, through what loops carry and arms give, and from
 * an arm to its own condition.  A call counts if anything in its module asks memory anew.
 */
#include "ir.h"
#include "analysis.h"

typedef struct {
    Arena *arena;
    const Op *loop;
    bool *seen; /* by value id */
    VEC(const Value *) todo;
    bool calls_ask, found;
} Walk;

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

static void need(Walk *w, const Value *v)
{
    if (w->seen[v->id])
        return;
    w->seen[v->id] = true;
    vec_push(w->arena, &w->todo, v);
}

static void need_result(Walk *w, const Op *op, int i)
{
    switch (op->code) {
    case OP_for:
        need(w, op->operands[FOR_BOUNDS + i]);
        need(w, op->regions[0]->last->operands[i]);
        break;
    case OP_while:
        need(w, op->regions[0]->last->operands[1 + i]);
        break;
    case OP_if:
        need(w, op->operands[0]);
        need(w, op->regions[0]->last->operands[i]);
        need(w, op->regions[1]->last->operands[i]);
        break;
    default:
        for (int k = 0; k < op->noperands; k++)
            need(w, op->operands[k]);
    }
}

static void need_argument(Walk *w, const Block *b, int i)
{
    const Op *op = b->owner;

    if (!op || (op->code != OP_for && op->code != OP_while))
        return;
    if (op->code == OP_for && i == 0) {
        for (int k = 0; k < FOR_BOUNDS; k++)
            need(w, op->operands[k]);
    } else if (op->code == OP_for) {
        need_result(w, op, i - 1);
    } else if (b == op->regions[0]) {
        need(w, op->operands[i]);
        need(w, op->regions[1]->last->operands[i]);
    } else {
        need_result(w, op, i);
    }
}

static void look_at(Walk *w, const Value *v)
{
    const Op *op = v->def;

    if (!op) {
        need_argument(w, v->block, v->index);
        return;
    }
    if ((asks_anew(op) || (op->code == OP_call && w->calls_ask)) && is_within(op, w->loop))
        w->found = true;
    need_result(w, op, v->index);
}

typedef struct {
    const Func *func;
    Arena *arena;
    bool calls_ask, waits;
} Search;

static void visit(Op *op, void *search)
{
    Search *s = search;

    if (op->code != OP_while || s->waits)
        return;
    Walk w = {.arena = s->arena, .loop = op, .calls_ask = s->calls_ask};
    w.seen = NEW_N(w.arena, bool, s->func->nvalues + 1);
    need(&w, op->regions[0]->last->operands[0]);
    while (w.todo.len > 0 && !w.found)
        look_at(&w, w.todo.at[--w.todo.len]);
    s->waits = w.found;
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
