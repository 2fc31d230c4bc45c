/*
 * nv_homes.c - giving a value its home: the layout in which its op makes it
 *
 * Which one that is, nv_choose.c and the rules of the ops say.
 */
#include "nv_plan.h"

void nv_set_home(NvPlan *p, const Value *v, const Layout *l, NvStrength s)
{
    NvValue *facts = nv_value(p, v);

    facts->home = l ? nv_layout(p, l) : NULL;
    facts->strength = s;
    facts->cost = 0;
}

const Layout *nv_default_layout(NvPlan *p, const Type *t)
{
    int8_t order[MAX_RANK];
    Layout l;
    int64_t per_thread = type_numel(t) / ((int64_t)nv_thread_count(p));
    int vector = 0;

    for (int d = 0; d < t->rank; d++)
        order[d] = (int8_t)(t->rank - 1 - d);
    while (vector < 2 && t->dims[t->rank - 1] % (2 << vector) == 0 && 2 << vector <= per_thread)
        vector++;
    if (!layout_blocked(&l, t->rank, t->dims, order, vector, NULL, nv_block_threads(p))) {
        diag(p->diags, DIAG_ERROR, p->func->span,
             "a tile %s is too large for the %d threads of a program: use a smaller block",
             type_text(p->arena, t), nv_thread_count(p));
        p->refused = true;
        return NULL;
    }
    return nv_layout(p, &l);
}

const Layout *nv_need_home(NvPlan *p, const Value *v)
{
    if (!nv_home(p, v))
        nv_set_home(p, v, nv_default_layout(p, v->type), NV_WEAK);
    return nv_home(p, v);
}
