/*
 * plan_ahead.c - let memory work while a program computes
 *
 * A row kernel reads its row from memory in one nest and computes on the cached copy in the next
 * ones; during those the memory idles.  So of the nests that read a tile again, the dearest one
 * also prefetches what the next program will read first; a tile that is read only once is
 * prefetched there, because the processor's own prefetching stops at the end of a page.  Only
 * launches that move more than the cache holds ask for it.  Where the next row is, the generated
 * code finds out by itself: as far from this program's row as this one is from the one before.
 */
#include "plan_internal.h"

typedef struct {
    const Leaf *leaf;
    Nest *first, *best;
    bool done;
} Reread;

static int nest_cost(const Plan *p, const Nest *n)
{
    int cost = 0;
    for (int i = 0; i < n->roots.len; i++) {
        const Root *r = &n->roots.at[i];
        const Value *v = r->kind == ROOT_FILL ? r->value : r->op->operands[r->kind == ROOT_STORE];
        cost += 1 + p->facts[v->id].cost;
    }
    return cost;
}

static bool known_contiguous(const Plan *p, const Leaf *leaf)
{
    const Axis *a = axis_of(p->axis, leaf->value->def->operands[0]);
    return a != NULL && leaf->identity && a->contiguity[0] == leaf->value->type->dims[0];
}

static void see(Plan *p, Map *seen, Nest *n, const Leaf *leaf)
{
    if (!leaf->load || !known_contiguous(p, leaf))
        return;
    Reread *r = map_get(seen, MAP_KEY(leaf->value));
    if (r == NULL) {
        r = NEW(p->arena, Reread);
        *r = (Reread){.leaf = leaf, .first = n};
        map_put(seen, MAP_KEY(leaf->value), r);
    } else if (n != r->first && (r->best == NULL || nest_cost(p, n) > nest_cost(p, r->best))) {
        r->best = n;
    }
}

void plan_look_ahead(Plan *p)
{
    Map *seen = map_new(p->arena);
    for (int i = 0; p->options->streaming && i < p->body->steps.len; i++) {
        Nest *n = p->body->steps.at[i].nest;
        if (n == NULL || n->rank != 1 || n->serial)
            continue;
        for (int k = 0; k < n->leaves.len; k++)
            see(p, seen, n, &n->leaves.at[k]);
    }
    for (int i = 0; i < p->body->steps.len; i++) {
        Nest *n = p->body->steps.at[i].nest;
        for (int k = 0; n != NULL && k < n->leaves.len; k++) {
            Reread *r = n->leaves.at[k].load ? map_get(seen, MAP_KEY(n->leaves.at[k].value)) : NULL;
            if (r == NULL || r->done)
                continue;
            Nest *at = r->best != NULL ? r->best : r->first;
            vec_push(p->arena, &at->ahead, *r->leaf);
            r->done = true;
        }
    }
}
