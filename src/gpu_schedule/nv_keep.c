/*
 * nv_keep.c - rows of products that a loop keeps in registers are made in front of it
 *
 * Code for the loop begins with them (nv_hold.c), whatever its products wait for.
 */
#include "../gpu_plan/nv_dot.h"
#include "nv_schedule.h"

/* Does a step of the block make the tile, or a step within one? */
static bool makes(const NvBlock *b, const NvTile *t)
{
    for (int i = 0; b && i < b->steps.len; i++) {
        const NvStep *s = b->steps.at[i];
        for (int k = 0; k < s->nout; k++) {
            if (s->out[k] == t)
                return true;
        }
        if (makes(s->body[0], t) || makes(s->body[1], t))
            return true;
    }
    return false;
}

/* Do all products in the block have their rows from outside of the loop, where it keeps them? */
static bool has_rows(const NvStep *loop, const NvBlock *b)
{
    for (int i = 0; b && i < b->steps.len; i++) {
        const NvStep *s = b->steps.at[i];
        const NvDot *d = s->kind == NV_DOT ? s->detail : NULL;
        if (d && d->kept == loop->op && makes(loop->body[0], s->in[MMA_A]))
            return false;
        if (!has_rows(loop, s->body[0]) || !has_rows(loop, s->body[1]))
            return false;
    }
    return true;
}

const char *nv_kept_wrong(const NvStep *loop)
{
    return loop->kind == NV_FOR && !has_rows(loop, loop->body[0])
               ? "it makes rows that it is to keep"
               : NULL;
}
