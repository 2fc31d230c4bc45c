/*
 * programs.c - what is said of a grid that the kernel does not go with
 *
 * A grid counts programs, and each of them works on a whole tile.  Who comes from CUDA gives blocks
 * and threads, (4, 256): where the kernel never asks for tl.program_id(1), 256 programs do the same
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

#include "api.h"

enum { MANY_SINGLE = 1 << 14 }; /* programs of one element that are worth a word */

void programs_say(const Request *r, const char *text)
{
    if (r->options.on_message)
        r->options.on_message(r->options.user, text);
}

void programs_say_of(const Request *r, const tilec_tensor *t, const char *what, const char *hint)
{
    const char *name = request_name_of_tensor(r, t);
    char text[1100];

    snprintf(text, sizeof text, "warning: %s: %s\nhint: %s\n", name ? name : "an item of a tuple",
             what, hint);
    programs_say(r, text);
}

void programs_warn_of_none(const Request *r, const int32_t *grid)
{
    char text[200];

    snprintf(text, sizeof text, "warning: the grid %dx%dx%d has no programs: nothing runs\n%s",
             grid[0], grid[1], grid[2], "hint: cdiv(n, BLOCK) rounds up, n / BLOCK rounds down\n");
    programs_say(r, text);
}

/* The axis with more than one program that the kernel does not ask for; -1: none. */
static int idle_axis(const Programs *p, const int32_t *grid)
{
    if (p->takes_tickets || (p->axes == 0 && (p->has_atomics || p->speaks || !p->has_stores)))
        return -1;
    for (int i = 0; i < 3; i++) {
        if (grid[i] > 1 && !(p->axes >> i & 1))
            return i;
    }
    return -1;
}

static void warn_of_axis(const Request *r, const int32_t *grid, int axis)
{
    char text[600];

    snprintf(text, sizeof text,
             "warning: the grid is %dx%dx%d, and kernel `%s` never asks for tl.program_id(%d): all "
             "%d programs along that axis do the same\n"
             "hint: a grid counts programs, each of which works on a whole tile, and no threads: "
             "the extent of an axis that is not used is 1\n",
             grid[0], grid[1], grid[2], r->kernel->name, axis, grid[axis]);
    programs_say(r, text);
}

static void warn_of_scalars(const Request *r, int64_t programs)
{
    char text[600];

    snprintf(text, sizeof text,
             "warning: each of the %lld programs of kernel `%s` works on single elements, which is "
             "up to 90 times slower than tiles\n"
             "hint: i = tl.program_id(0) * 1024 + tl.arange(0, 1024), loads and stores with "
             "mask=i < n, and a grid of as many programs as there are tiles\n",
             (long long)programs, r->kernel->name);
    programs_say(r, text);
}

bool programs_claim(const Request *r, unsigned bit)
{
    return !(atomic_fetch_or_explicit(&r->spec->grids_told, bit, memory_order_relaxed) & bit);
}

void programs_warn(const Request *r, const int32_t *grid)
{
    const Programs *p = &r->spec->programs;
    int64_t programs = grid_programs(grid);
    int axis = idle_axis(p, grid);

    if (axis >= 0 && programs_claim(r, TOLD_AXES))
        warn_of_axis(r, grid, axis);
    else if (axis < 0)
        shared_warn(r, grid);
    if (!p->has_tiles && !p->has_loops && !p->has_atomics && !p->speaks && p->has_stores &&
        p->axes != 0 && programs >= MANY_SINGLE && programs_claim(r, TOLD_SCALARS))
        warn_of_scalars(r, programs);
    strides_warn(r);
    reaches_warn(r, grid);
    rows_warn(r);
}
