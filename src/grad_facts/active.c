/*
 * active.c - which values gradients go through: those that depend on an array differentiated by
 * (VARIES), and on which what is differentiated depends (MATTERS), but for what it does not
 * change with (REFERENCE)
 *
 * Both are found by going over the function until nothing changes, as loops hand values round.
 */
#include "facts.h"

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

GradArray *grad_wrt_of(Grad *g, const Value *pointer)
{
    int array = grad_array_of(g, pointer);

    for (int i = 0; i < g->nwrt; i++) {
        if (g->wrt[i].array->index == array)
            return &g->wrt[i];
    }
    return NULL;
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

/* The regions of a `while`: its condition hands values to the round and to what stands behind it.
 */
enum { HEAD, BODY };

static bool varies_at(const Grad *g, Value *const *of, int n, int i)
{
    return i < n && g->facts[of[i]->id] & VARIES;
}

/* Is an argument of a region handed anything that varies: from in front of it, or by a round? */
static bool is_handed(const Grad *g, const Op *op, int region, int arg)
{
    const Op *end = op->regions[region]->last;

    if (op_has(op, COMBINES))
        return varies(g, op);
    if (op->code == OP_for)
        return varies_at(g, op->operands, op->noperands, FOR_BOUNDS + arg - 1) ||
               varies_at(g, end->operands, end->noperands, arg - 1);
    if (op->code != OP_while)
        return false;
    if (region == BODY)
        return varies_at(g, op->regions[HEAD]->last->operands, op->regions[HEAD]->last->noperands,
                         arg + 1);
    end = op->regions[BODY]->last;
    return varies_at(g, op->operands, op->noperands, arg) ||
           varies_at(g, end->operands, end->noperands, arg);
}

static bool forward_regions(Grad *g, Op *op)
{
    bool changed = false;

    for (int r = 0; r < COUNT(op->regions) && op->regions[r]; r++) {
        Block *b = op->regions[r];

        for (int i = op->code == OP_for; i < b->nargs; i++) {
            if (is_handed(g, op, r, i))
                changed |= mark(g, b->args[i], VARIES);
        }
        changed |= forward(g, b);
        int from = b->last->code == OP_condition;
        for (int i = 0; i < op->nresults && (op->code != OP_while || r == HEAD); i++) {
            if (varies_at(g, b->last->operands, b->last->noperands, i + from))
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

/* Does anybody want what the end of a loop's region hands on as its i-th value? */
static bool is_handed_on(const Grad *g, const Op *loop, const Op *end, int i)
{
    if (loop->code == OP_for)
        return is_wanted(g, loop->results[i]) || is_wanted(g, end->block->args[i + 1]);
    if (end->code != OP_condition)
        return is_wanted(g, loop->regions[HEAD]->args[i]);
    return i > 0 &&
           (is_wanted(g, loop->results[i - 1]) || is_wanted(g, loop->regions[BODY]->args[i - 1]));
}

static bool wants(const Grad *g, const Op *op, int i)
{
    const Op *owner = op->block->owner;

    if (op_has(op, ENDS) && owner && (owner->code == OP_for || owner->code == OP_while))
        return is_handed_on(g, owner, op, i);
    if (op->code == OP_for)
        return i >= FOR_BOUNDS && (is_wanted(g, op->results[i - FOR_BOUNDS]) ||
                                   is_wanted(g, op->regions[0]->args[i - FOR_BOUNDS + 1]));
    if (op->code == OP_while)
        return is_wanted(g, op->regions[HEAD]->args[i]);
    return matters(g, op) || (op_has(op, ENDS) && owner && matters(g, owner));
}

static bool backward(Grad *g, Block *b)
{
    bool changed = false;

    for (Op *op = b->last; op; op = op->prev) {
        for (int i = 0; i < op->noperands; i++) {
            if (wants(g, op, i))
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
