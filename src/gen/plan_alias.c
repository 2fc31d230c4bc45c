/*
 * plan_alias.c - which memory a pointer can reach
 *
 * A pointer's base is the kernel parameter it was computed from.  Two pointers with different
 * bases are apart when the launch promised so (GenOptions.disjoint); two with one base are told
 * apart only by being the very same value.  Anything that cannot be traced may reach everything.
 */
#include "plan.h"

/* A walk over everything that a pointer may have come from, around loops as often as it takes. */
typedef struct {
    Arena *arena;
    Map *seen;
    VEC(const Value *) todo;
    const Value *base; /* the one parameter found so far */
} Trace;

static void trace_later(Trace *t, const Value *v)
{
    vec_push(t->arena, &t->todo, v);
}

static bool trace_parameter(Trace *t, const Value *v)
{
    if (!t->base)
        t->base = v;
    return t->base == v;
}

/* What a loop carries: its first value, and what every trip hands on. */
static bool trace_carried(Trace *t, const Op *loop, int i)
{
    trace_later(t, loop->operands[FOR_BOUNDS + i]);
    trace_later(t, loop->regions[0]->last->operands[i]);
    return true;
}

static bool trace_result(Trace *t, const Value *v)
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
    case OP_cast:
        trace_later(t, op->operands[0]);
        return true;
    case OP_select:
        trace_later(t, op->operands[SELECT_THEN]);
        trace_later(t, op->operands[SELECT_ELSE]);
        return true;
    case OP_if:
        trace_later(t, op->regions[0]->last->operands[v->index]);
        trace_later(t, op->regions[1]->last->operands[v->index]);
        return true;
    case OP_for:
        return trace_carried(t, op, v->index);
    default:
        return false;
    }
}

/* False when v comes from anything but the parameter that was found before. */
static bool trace_value(Trace *t, const Value *v)
{
    if (!v->type->pointer)
        return false;
    if (map_get(t->seen, MAP_KEY(v)))
        return true; /* it says so where it was met first */
    map_put(t->seen, MAP_KEY(v), (void *)v);
    if (v->def)
        return trace_result(t, v);
    const Op *owner = v->block->owner;
    if (!owner)
        return trace_parameter(t, v);
    return owner->code == OP_for && trace_carried(t, owner, v->index - 1);
}

/* True when all that v may come from is one parameter. */
static bool trace(Trace *t, const Value *v)
{
    bool one = true;

    trace_later(t, v);
    while (one && t->todo.len > 0)
        one = trace_value(t, t->todo.at[--t->todo.len]);
    return one;
}

static const Value *pointer_base(const Plan *p, const Value *ptr)
{
    ValueFacts *f = &p->facts[ptr->id];

    if (f->traced)
        return f->base;
    Trace t = {.arena = p->arena, .seen = map_new(p->arena)};
    f->traced = true;
    return f->base = trace(&t, ptr) ? t.base : NULL;
}

bool plan_may_alias(const Plan *p, const Value *a, const Value *b)
{
    if (!p->options->disjoint)
        return true;
    const Value *x = pointer_base(p, a), *y = pointer_base(p, b);
    return !x || !y || x == y;
}
