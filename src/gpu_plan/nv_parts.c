/*
 * nv_parts.c - what a plan is made of: layouts, tiles, steps and buffers, each made once
 *
 * For all files that plan; this one needs none of them.
 */
#include "nv_plan.h"

const Layout *nv_layout(NvPlan *p, const Layout *l)
{
    for (int i = 0; i < p->layouts.len; i++) {
        if (p->layouts.at[i] == l || layout_equal(p->layouts.at[i], l))
            return p->layouts.at[i];
    }
    Layout *copy = NEW(p->arena, Layout);
    *copy = *l;
    vec_push(p->arena, &p->layouts, copy);
    return copy;
}

NvTile *nv_tile(NvPlan *p, const Value *v, const Layout *l)
{
    NvValue *facts = nv_value(p, v);

    if (l)
        l = nv_layout(p, l);
    for (int i = 0; i < facts->tiles.len; i++) {
        if (facts->tiles.at[i]->layout == l)
            return facts->tiles.at[i];
    }
    NvTile *t = NEW(p->arena, NvTile);
    *t = (NvTile){.id = p->tiles.len, .value = v, .layout = l, .buffer = NV_NO_BUFFER};
    vec_push(p->arena, &p->tiles, t);
    vec_push(p->arena, &facts->tiles, t);
    p->registers += l ? layout_registers(l) : 1;
    return t;
}

NvTile *nv_own_tile(NvPlan *p, const NvTile *like, const Layout *l)
{
    NvTile *own = NEW(p->arena, NvTile);

    *own = *like;
    own->layout = l;
    own->id = p->tiles.len;
    vec_push(p->arena, &p->tiles, own);
    return own;
}

NvStep *nv_step(NvPlan *p, NvStepKind kind, const Op *op)
{
    NvStep *s = NEW(p->arena, NvStep);

    *s = (NvStep){.kind = kind, .op = op, .who = nv_all_warps(p)};
    if (kind == NV_BARRIER)
        s->within = nv_wait_warps(p);
    if (!op)
        return s;
    s->nin = op->noperands;
    s->nout = op->nresults;
    s->in = NEW_N(p->arena, const NvTile *, s->nin + 1);
    s->out = NEW_N(p->arena, const NvTile *, s->nout + 1);
    return s;
}

NvStep *nv_step_between(NvPlan *p, NvStepKind kind, const NvTile *from, const NvTile *to)
{
    NvStep *s = nv_step(p, kind, NULL);

    s->op = to->value->def;
    s->nin = s->nout = 1;
    s->in = NEW(p->arena, const NvTile *);
    s->out = NEW(p->arena, const NvTile *);
    s->in[0] = from;
    s->out[0] = to;
    return s;
}

void nv_list(NvPlan *p, NvStep *s)
{
    vec_push(p->arena, &p->at->steps, s);
}

int nv_buffer(NvPlan *p, int64_t bytes)
{
    vec_push(p->arena, &p->buffers, (NvBuffer){.bytes = bytes});
    return p->buffers.len - 1;
}

void nv_use(NvPlan *p, NvStep *s, int buffer, bool write, bool late)
{
    NvUse use = {buffer, write, late};

    vec_push(p->arena, &s->uses, use);
}

void nv_refuse(NvPlan *p, const Op *op, const char *what)
{
    if (op)
        ir_diag(p->diags, DIAG_ERROR, op, "not yet on this target: %s", what);
    else
        diag(p->diags, DIAG_ERROR, p->func->span, "not yet on this target: %s", what);
    p->refused = true;
}

int nv_stages_wanted(const NvPlan *p, const Op *loop)
{
    enum { USUAL = 3, MOST = 8 };
    int64_t n = attr_num_stages(loop);

    if (n <= 0)
        n = p->func->num_stages > 0 ? p->func->num_stages : USUAL;
    return (int)MIN(n, MOST);
}
