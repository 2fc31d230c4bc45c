/*
 * nv_land.c - where products of groups of warps are waited for: as late as can be
 *
 * The unit for matrices works by itself, so a product is only on its way behind its step.  A step
 * that lands it (NV_LAND) stands in front of the first one that reads its sum, or at the end of its
 * block; those that were on their way before have ended by then, and land with it.  Until then it
 * reads shared memory, so the landing counts as a read of what it reads.
 */
#include "nv_schedule.h"
#include "../gpu_plan/nv_dot.h"

typedef VEC(NvStep *) Products;

static bool is_on_its_way(const NvStep *s)
{
    const NvDot *d = s->kind == NV_DOT ? s->detail : NULL;

    return d && d->kind == DOT_WGMMA && d->in_flight == 0 && d->part == 0;
}

static bool reads(const NvStep *s, const NvTile *t)
{
    for (int i = 0; i < s->nin; i++) {
        if (s->in[i] == t)
            return true;
    }
    return false;
}

/* How many of them, from the first on, must have landed before the step. */
static int needed(const NvStep *s, const Products *pending)
{
    int n = 0;

    if (s->body[0] && s->kind != NV_REDUCE && s->kind != NV_SCAN) /* these combine two scalars */
        return pending->len;
    for (int i = 0; i < pending->len; i++) {
        if (reads(s, pending->at[i]->out[0]))
            n = i + 1;
    }
    return n;
}

static void list_landing(NvPlan *p, NvBlock *out, Products *pending, int n)
{
    const NvStep *last = n > 0 ? pending->at[n - 1] : NULL;

    if (!last)
        return;
    NvStep *s = nv_step(p, NV_LAND, NULL);
    s->op = last->op;
    s->who = last->who;
    s->in = NEW_N(p->arena, const NvTile *, n);
    s->within = (NvWait){.kind = NV_WAIT_PRODUCTS, .who = s->who, .in_flight = pending->len - n};
    for (int i = 0; i < n; i++) {
        const NvStep *product = pending->at[i];
        s->in[s->nin++] = product->out[0];
        for (int k = 0; k < product->uses.len; k++)
            nv_use(p, s, product->uses.at[k].buffer, false, false);
    }
    for (int i = n; i < pending->len; i++)
        pending->at[i - n] = pending->at[i];
    pending->len -= n;
    vec_push(p->arena, &out->steps, s);
}

static void land_block(NvPlan *p, NvBlock *b)
{
    Products pending = {0};
    NvBlock out = {0};

    for (int i = 0; i < b->steps.len; i++) {
        NvStep *s = b->steps.at[i];
        list_landing(p, &out, &pending, needed(s, &pending));
        vec_push(p->arena, &out.steps, s);
        for (int r = 0; r < COUNT(s->body); r++) {
            if (s->body[r])
                land_block(p, s->body[r]);
        }
        if (is_on_its_way(s))
            vec_push(p->arena, &pending, s);
    }
    list_landing(p, &out, &pending, pending.len);
    b->steps.at = out.steps.at;
    b->steps.len = out.steps.len;
    b->steps.cap = out.steps.cap;
}

void nv_land_products(NvPlan *p)
{
    if (p->has_groups)
        land_block(p, p->body);
}
