/*
 * nv_verify_loop.c - what a loop's rounds are brought, and what they hand to the next one, checked
 *
 * Rules 8, 10 and 11 of nv_verify.c, as far as the loop alone says whether they hold.
 */
#include <string.h>

#include "../gpu_plan/nv_dot.h"
#include "nv_ring.h"

bool nv_is_handed_on(const NvStep *loop, const NvTile *t)
{
    const NvAhead *a = loop ? loop->ahead : NULL;

    for (int i = 0; a && i < a->flying.len; i++) {
        if (a->flying.at[i]->out[0] == t)
            return true;
    }
    return false;
}

/* They have landed behind the loop. */
const char *nv_flying_wrong(const NvStep *loop)
{
    const NvAhead *a = loop->ahead;

    for (int i = 0; a && i < a->flying.len; i++) {
        const NvStep *s = a->flying.at[i];
        if (((const NvDot *)s->detail)->in_flight != a->flying.len ||
            nv_meets(&a->free) == (a->fill != NULL) || a->landed.kind != NV_WAIT_PRODUCTS ||
            a->landed.in_flight != 0)
            return "a product goes on that nobody waits for";
    }
    return NULL;
}

const char *nv_delayed_wrong(const NvPlan *p, const NvStep *loop)
{
    const NvAhead *a = loop->ahead;
    const NvStep *s = a->delayed;
    const NvDot *d = s->kind == NV_DOT ? s->detail : NULL;

    if (!a->fill || !d || d->kind != DOT_WGMMA || d->operand[MMA_A].way != OPERAND_REGISTERS ||
        s->in[MMA_B]->buffer != a->buffer)
        return "it cannot be left to the next round";
    if (loop->body[0]->ends[a->delayed_end] != s->out[0])
        return "it is left to the next round, which begins with another sum";
    if (a->turns && p->warps >> WGMMA_WARP_BITS < 2)
        return "one group of warps cannot take turns";
    if (a->turns && nv_meets_in_turn(loop))
        return "who has its turn waits for those who wait for theirs";
    return NULL;
}

/* A tile of a round: does it lie within a stage, over no other one, as copies lay it down? */
static const char *tensor_wrong(const NvPlan *p, const NvStep *loop, const NvTensor *t, int64_t end)
{
    const NvRing *r = p->ring;
    const NvStep *left = loop->ahead->delayed;
    int64_t bytes = t->boxes * t->bytes;

    if (t->map < 0 || t->map >= p->recipe.nmaps || t->tile->buffer != r->buffer ||
        t->tile->at < end || t->tile->at + bytes > r->bytes)
        return "a tile of a round has no place in the ring";
    if (bytes != shared_bytes(&t->tile->memory) || t->tile->at % WGMMA_ALIGN != 0)
        return "a tile of a round is not what copies bring";
    if (left && t->part != (r->parts > 1 && left->in[MMA_B] == t->tile))
        return "a tile of a round is in a part of the stage for others";
    return NULL;
}

const char *nv_fill_wrong(const NvPlan *p, const NvStep *loop)
{
    const NvFill *f = loop->ahead ? loop->ahead->fill : NULL;
    int64_t end = 0, bytes[NV_RING_PARTS] = {0};

    if (!f)
        return NULL;
    if (!p->ring || map_get(p->ring->fills, MAP_KEY(loop->op)) != f)
        return "it waits for tiles that no producer brings";
    for (int i = 0; i < f->tensors.len; i++) {
        const NvTensor *t = &f->tensors.at[i];
        const char *wrong = tensor_wrong(p, loop, t, end);
        if (wrong)
            return wrong;
        end = t->tile->at + t->boxes * t->bytes;
        bytes[t->part] += t->boxes * t->bytes;
    }
    return memcmp(bytes, f->bytes, sizeof bytes) != 0
               ? "a round waits for other bytes than its tiles have"
               : NULL;
}
