/*
 * warn.c - what is said of a grid that the kernel does not go with
 *
 * A grid counts programs, and each of them works on a whole tile.  Who comes from CUDA gives blocks
 * and threads, (4, 256): where the kernel never uses tl.program_id(1), 256 programs do the same
 * work, and what they add by atomics is 256 times as much.  Or writes a kernel of one element a
 * program, which works, up to 90 times slower than tiles of a thousand.
 *
 * Those are found when a kernel is lowered (src/check/programs.c) and said once, at the first
 * launch with such a grid. Nothing is said where an atomic's result is used, since programs may
 * then share out the work by tickets; nor of one axis where none is asked for, and programs only
 * count or print.
 *
 * strides.c, reach.c, shared.c and loaded.c look at more of a launch, and say it in the same way.
 */
#include <stdio.h>

#include "warn.h"

enum { MANY_SINGLE = 1 << 14 }; /* programs of one element that are worth a word */

const char *warn_name_of(const Launch *l, const tilec_tensor *t)
{
    for (int i = 0; i < l->nargs; i++) {
        if (&l->args[i].tensor == t)
            return l->args[i].name ? l->args[i].name : l->signature->params[i].name;
    }
    return "an item of a tuple";
}

void warn_say(const Launch *l, const char *text)
{
    l->say(l->user, text);
}

void warn_say_of(const Launch *l, const tilec_tensor *t, const char *what, const char *hint)
{
    char text[1100];

    snprintf(text, sizeof text, "warning: %s: %s\nhint: %s\n", warn_name_of(l, t), what, hint);
    warn_say(l, text);
}

void warn_of_none(const Launch *l)
{
    char text[200];

    snprintf(text, sizeof text, "warning: the grid %dx%dx%d has no programs: nothing runs\n%s",
             l->grid[0], l->grid[1], l->grid[2],
             "hint: cdiv(n, BLOCK) rounds up, n / BLOCK rounds down\n");
    warn_say(l, text);
}

/* The axis with more than one program that the kernel does not ask for; -1: none. */
static int idle_axis(const Launch *l)
{
    const Programs *p = l->programs;

    if (p->takes_tickets || (p->axes == 0 && (p->has_atomics || p->speaks || !p->has_stores)))
        return -1;
    for (int i = 0; i < 3; i++) {
        if (l->grid[i] > 1 && !(p->axes >> i & 1))
            return i;
    }
    return -1;
}

static void warn_of_axis(const Launch *l, int axis)
{
    char text[600];

    snprintf(text, sizeof text,
             "warning: the grid is %dx%dx%d, and kernel `%s` never uses tl.program_id(%d): all "
             "%d programs along that axis do the same\n"
             "hint: a grid counts programs, each of which works on a whole tile, and no threads: "
             "the extent of an axis that is not used is 1\n",
             l->grid[0], l->grid[1], l->grid[2], l->kernel, axis, l->grid[axis]);
    warn_say(l, text);
}

static void warn_of_scalars(const Launch *l, int64_t programs)
{
    char text[600];

    snprintf(text, sizeof text,
             "warning: each of the %lld programs of kernel `%s` works on single elements, which is "
             "up to 90 times slower than tiles\n"
             "hint: i = tl.program_id(0) * 1024 + tl.arange(0, 1024), loads and stores with "
             "mask=i < n, and a grid of as many programs as there are tiles\n",
             (long long)programs, l->kernel);
    warn_say(l, text);
}

bool warn_claim(const Launch *l, Told kind, int slot)
{
    enum { BITS = 64 }; /* slots beyond share them */
    uint64_t bit = UINT64_C(1) << slot % BITS;
    unsigned said = 1u << kind;

    if (*l->said & said ||
        atomic_fetch_or_explicit(&l->told[kind], bit, memory_order_relaxed) & bit)
        return false;
    *l->said |= said;
    return true;
}

void warn_of_launch(const Launch *l)
{
    const Programs *p = l->programs;
    int64_t programs = (int64_t)l->grid[0] * l->grid[1] * l->grid[2];
    int axis = idle_axis(l);

    if (axis >= 0 && warn_claim(l, TOLD_AXES, 0))
        warn_of_axis(l, axis);
    else if (axis < 0)
        warn_of_shared(l);
    if (!p->has_tiles && !p->has_loops && !p->has_atomics && !p->speaks && p->has_stores &&
        p->axes != 0 && programs >= MANY_SINGLE && warn_claim(l, TOLD_SCALARS, 0))
        warn_of_scalars(l, programs);
    warn_of_arrays(l);
    warn_of_reach(l);
    warn_of_rows(l);
}
