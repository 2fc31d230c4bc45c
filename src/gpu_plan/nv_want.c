/*
 * nv_want.c - in which layouts values are wanted, and how they come from one to the others
 *
 * A conversion stands right behind the op whose result it converts, so what a loop does not change
 * is converted in front of it.
 */
#include "nv_plan.h"

void nv_want(NvPlan *p, NvStep *s, int operand, const Layout *l)
{
    const Value *v = s->op->operands[operand];

    s->in[operand] = nv_tile(p, v, nv_is_tile(v) ? l : NULL);
}

static const Conversion *conversion_of(NvPlan *p, const NvTile *from, const NvTile *to)
{
    return layout_convert(from->layout, to->layout, nv_exchanged_bytes(p, from->value->type),
                          p->chip->shared / 2, p->arena);
}

NvStep *nv_convert_step(NvPlan *p, const NvTile *from, const NvTile *to)
{
    NvStep *s = nv_step_between(p, NV_CONVERT, from, to);

    s->conversion = conversion_of(p, from, to);
    if (s->conversion->kind == CONVERT_SHARED) {
        const Exchange *x = s->conversion->exchange;
        int buffer = nv_buffer(p, shared_bytes(&x->memory));
        s->within = x->within_warp ? nv_wait_lanes(p) : nv_wait_warps(p);
        nv_use(p, s, buffer, true, false);
        nv_use(p, s, buffer, x->npieces > 1, true);
    }
    return s;
}

/* What pieces cannot bring through shared memory goes by way of a layout in the middle. */
static void list_conversion(NvPlan *p, const NvTile *from, const NvTile *to)
{
    const Conversion *c = conversion_of(p, from, to);
    Layout middle;

    if (c->kind == CONVERT_SHARED && shared_bytes(&c->exchange->memory) > p->chip->shared &&
        layout_between(from->layout, to->layout, &middle)) {
        const NvTile *between = nv_own_tile(p, from, nv_layout(p, &middle));
        p->registers += layout_registers(&middle);
        nv_list(p, nv_convert_step(p, between, to));
        to = between;
    }
    nv_list(p, nv_convert_step(p, from, to));
}

/* Does it come from where it has been copied for all threads? */
static bool is_taken(const NvValue *facts, const NvTile *home, const NvTile *t)
{
    return facts->common && t != home && t->buffer == NV_NO_BUFFER;
}

void nv_list_conversions(NvPlan *p, const NvTile *home)
{
    const NvValue *facts = nv_value(p, home->value);

    for (int i = 0; i < facts->tiles.len; i++) { /* behind all others */
        if (facts->tiles.at[i]->whole)
            nv_list_split(p, facts->tiles.at[i]);
        else if (is_taken(facts, home, facts->tiles.at[i]))
            nv_list_take(p, facts->common, facts->tiles.at[i]);
    }
    for (int i = facts->tiles.len; i-- > 0;) {
        if (facts->tiles.at[i]->whole || is_taken(facts, home, facts->tiles.at[i]))
            continue;
        if (facts->tiles.at[i]->buffer != NV_NO_BUFFER)
            nv_list_put(p, home, facts->tiles.at[i]);
        else if (facts->tiles.at[i] != home)
            list_conversion(p, home, facts->tiles.at[i]);
    }
}

bool nv_is_wanted(const NvPlan *p, const Op *op)
{
    for (int i = 0; i < op->nresults; i++) {
        if (nv_value(p, op->results[i])->tiles.len > 0)
            return true;
    }
    return op_has_effects(op);
}

NvTile *nv_result(NvPlan *p, const Op *op, int i)
{
    const Value *v = op->results[i];
    const NvValue *facts = nv_value(p, v);

    if (facts->tiles.len == 0 && !op_has(op, WRITES | EFFECT) && op->nresults == 1)
        return NULL;
    NvTile *home = nv_tile(p, v, facts->home);
    nv_list_conversions(p, home);
    return home;
}
