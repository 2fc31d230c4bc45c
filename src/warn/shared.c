/*
 * shared.c - what all programs along an axis store to the same elements
 *
 * Found when the kernel is lowered (src/check/shared.c), and said once, at a launch with more than
 * one program along that axis.
 */
#include <stdio.h>

#include "warn.h"

static void tell(const Launch *l, int axis)
{
    const Shared *s = &l->programs->shared;
    char what[300], hint[200];

    snprintf(what, sizeof what,
             s->adds ? "the %d programs along axis %d change the same elements by a load and a "
                       "store: what one stores between the two of another one is lost"
                     : "the %d programs along axis %d store to the same elements, each what is its "
                       "own: one of them stays, and which one is not said",
             l->grid[axis], axis);
    snprintf(hint, sizeof hint,
             "tl.atomic_add(pointer, value) adds up what programs have, tl.atomic_max keeps the "
             "greatest; else each has a place of its own, out + tl.program_id(%d)",
             axis);
    l->say_at(l->user, s->span, what, hint);
}

void warn_of_shared(const Launch *l)
{
    for (int i = 0; i < 3; i++) {
        if (!(l->programs->shared.axes >> i & 1) || l->grid[i] < 2)
            continue;
        if (warn_claim(l, TOLD_SHARED, 0))
            tell(l, i);
        return;
    }
}
