/*
 * active.c - which values gradients go through: those that depend on an array differentiated by
 * (VARIES), and on which what is differentiated depends (MATTERS), but for what it does not
 * change with (REFERENCE)
 *
 * Both are found by going over the function until nothing changes, as loops hand values round.
 */
#include "grad.h"

bool grad_is_active(const Grad *g, const Value *v)
{
    return v->id < g->nfacts && dtype_is_float(v->type->dtype) && !v->type->pointer &&
           v->type->handle == HANDLE_NONE && g->facts[v->id] == (VARIES | MATTERS);
}

/* The parameter that it steps from; NULL: several, or none is known. */
static const Value *origin(const Value *v)
{
    while (v->def || v->block->owner) {
        const Op *op = v->def ? v->def : v->block->owner;

        if (op->code == OP_for && (v->def || v->index > 0))
            v = op->operands[FOR_BOUNDS + v->index - (v->def ? 0 : 1)];
        else if (v->def && (op->code == OP_addptr || op->code == OP_hint || op_has(op, MOVES)))
            v = op->operands[0];
        else
            return NULL;
    }
    return v;
}

int grad_array_of(const Grad *g, const Value *pointer)
{
    const Value *v = origin(pointer);

    return v && v->block == g->func->body ? v->index : -1;
}

static bool mark(Grad *g, const Value *v, GradFacts fact)
{
    const unsigned known = fact == VARIES ? VARIES | REFERENCE : fact;
    bool is_new = v->id < g->nfacts && (g->facts[v->id] & known) == 0;

    if (is_new)
        g->facts[v->id] |= fact;
    return is_new;
}

static bool varies(const Grad *g, const Op *op)
{
    if (op_only_reads(op) && grad_wrt_of((Grad *)g, op->operands[LOAD_PTR]))
        return true;
    for (int i = 0; i < op->noperands; i++) {
        if (g->facts[op->operands[i]->id] & VARIES && grad_row(op->code)->kind != GRAD_ZERO)
            return true;
    }
    return false;
}

static bool forward(Grad *g, Block *b);

/* A region's arguments vary with what they are handed, results with what its end hands out. */
static bool forward_regions(Grad *g, Op *op)
{
    bool changed = false;

    for (int r = 0; r < COUNT(op->regions) && op->regions[r]; r++) {
        Block *b = op->regions[r];
        int lead = op->code == OP_for ? 1 : 0, from = op->code == OP_for ? FOR_BOUNDS : 0;

        for (int i = lead; i < b->nargs && op->code != OP_if; i++) {
            bool handed = i - lead + from < op->noperands &&
                          g->facts[op->operands[i - lead + from]->id] & VARIES;
            bool round = b->last && i - lead < b->last->noperands &&
                         g->facts[b->last->operands[i - lead]->id] & VARIES;
            if (handed || round || (op_has(op, COMBINES) && varies(g, op)))
                changed |= mark(g, b->args[i], VARIES);
        }
        changed |= forward(g, b);
        for (int i = 0; i < op->nresults && i < b->last->noperands; i++) {
            int k = b->last->code == OP_condition ? i + 1 : i;
            if (k < b->last->noperands && g->facts[b->last->operands[k]->id] & VARIES)
                changed |= mark(g, op->results[i], VARIES);
        }
    }
    return changed;
}

static bool forward(Grad *g, Block *b)
{
    bool changed = false;

    for (Op *op = b->first; op; op = op->next) {
        if (op->regions[0])
            changed |= forward_regions(g, op);
        bool by_rounds = op->code == OP_for || op->code == OP_while || op->code == OP_if;
        for (int i = 0; i < op->nresults && !by_rounds && varies(g, op); i++)
            changed |= mark(g, op->results[i], VARIES);
    }
    return changed;
}

/* Not where it may be anything. */
static bool is_wanted(const Grad *g, const Value *v)
{
    return (g->facts[v->id] & (MATTERS | REFERENCE)) == MATTERS;
}

static bool matters(const Grad *g, const Op *op)
{
    if (op->code == OP_store || op->code == OP_atomic_rmw)
        return grad_array_of(g, op->operands[STORE_PTR]) == g->of.array->index;
    for (int i = 0; i < op->nresults; i++) {
        if (is_wanted(g, op->results[i]))
            return true;
    }
    return false;
}

static bool backward(Grad *g, Block *b)
{
    bool changed = false;

    for (Op *op = b->last; op; op = op->prev) {
        bool needed = matters(g, op);
        const Op *owner = b->owner;

        if (op->code == OP_yield && (owner->code == OP_for || owner->code == OP_while)) {
            for (int i = 0; i < op->noperands; i++) { /* for the result, or for the next round */
                const Value *arg = b->args[i + (owner->code == OP_for)];
                if (is_wanted(g, owner->results[i]) || is_wanted(g, arg))
                    changed |= mark(g, op->operands[i], MATTERS);
            }
            continue;
        }
        if (op->code == OP_for) {
            for (int i = FOR_BOUNDS; i < op->noperands; i++) {
                const Value *arg = op->regions[0]->args[i - FOR_BOUNDS + 1];
                if (is_wanted(g, op->results[i - FOR_BOUNDS]) || is_wanted(g, arg))
                    changed |= mark(g, op->operands[i], MATTERS);
            }
        } else {
            needed |= op_has(op, ENDS) && owner && matters(g, owner);
            for (int i = 0; i < op->noperands && needed; i++)
                changed |= mark(g, op->operands[i], MATTERS);
        }
        for (int r = 0; r < COUNT(op->regions) && op->regions[r]; r++)
            changed |= backward(g, op->regions[r]);
    }
    return changed;
}

static void find(Grad *g)
{
    while (forward(g, g->func->body))
        continue;
    while (backward(g, g->func->body))
        continue;
}

void grad_find_active(Grad *g)
{
    g->nfacts = g->func->nvalues;
    g->facts = NEW_N(g->arena, uint8_t, g->nfacts);
    for (int i = 0; i < g->held.len; i++)
        g->facts[g->held.at[i]->id] = REFERENCE;
    find(g);
    grad_find_references(g);
    for (int i = 0; i < g->nfacts; i++)
        g->facts[i] &= REFERENCE;
    find(g);
}
