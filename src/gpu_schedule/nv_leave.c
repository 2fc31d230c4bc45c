/*
 * nv_leave.c - programs that end before the ring is made
 *
 * Some programs have nothing to do, as those above a diagonal, or beyond the last tile of a grid
 * that is too large: they begin with a condition, and return.  A ring's mbarriers, which one thread
 * makes and all wait for, made half of what such a program costs: 26,400 of them took 31.6 us on an
 * H200, and 20.8 without.  So where a program computes with numbers alone, then asks, and does
 * nothing where the answer is yes, it asks first of all.  The producer's program begins with all
 * that this takes; what is computed in front is computed again behind, which LLVM sees.
 */
#include "nv_ring.h"
#include "nv_schedule.h"

/* A block's last step, if it chooses what is done behind numbers that wait for nothing. */
static const NvStep *choice_of(const NvBlock *b)
{
    const NvStep *last = b->steps.len > 0 ? b->steps.at[b->steps.len - 1] : NULL;

    for (int i = 0; i + 1 < b->steps.len; i++) {
        if (b->steps.at[i]->kind != NV_COMPUTE)
            return NULL;
    }
    return last && last->kind == NV_IF && last->nout == 0 ? last : NULL;
}

/* Which arm is the one in which nothing is done; -1: neither. */
static int empty_arm(const NvStep *s)
{
    for (int r = 0; r < COUNT(s->body); r++) {
        if (s->body[r]->steps.len == 0)
            return r;
    }
    return -1;
}

static bool is_of_numbers(const NvBlock *b)
{
    for (int i = 0; i + 1 < b->steps.len; i++) {
        const NvStep *s = b->steps.at[i];
        for (int k = 0; k < s->nout; k++) {
            if (!s->out[k] || s->out[k]->layout)
                return false;
        }
    }
    return true;
}

static bool leaves(const NvPlan *p)
{
    const NvStep *all = choice_of(p->body), *own = choice_of(p->producer);

    return all && own && all->op == own->op && p->sum_columns == 0 && is_of_numbers(p->producer) &&
           empty_arm(all) >= 0 && empty_arm(all) == empty_arm(own);
}

void nv_find_leave(NvPlan *p)
{
    if (p->ring && leaves(p)) {
        p->ring->leaves = choice_of(p->producer);
        p->ring->leaves_in = empty_arm(p->ring->leaves);
    }
}

const char *nv_leave_wrong(const NvPlan *p)
{
    const NvRing *r = p->ring;

    if (!r || !r->leaves || (leaves(p) && empty_arm(r->leaves) == r->leaves_in))
        return NULL;
    return "a program leaves before it has done something";
}
