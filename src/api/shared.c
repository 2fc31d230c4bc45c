/*
 * shared.c - what all programs along an axis store to the same elements
 *
 * Found when the kernel is lowered (src/check/shared.c), and said once, at a launch with more than
 * one program along that axis.
 */
#include <stdlib.h>

#include "api.h"

typedef struct {
    const Request *request;
    int32_t programs;
    int axis;
} Told;

static tilec_status tell(Job *job, void *what)
{
    const Told *t = what;
    const Shared *s = &t->request->spec->programs.shared;

    if (s->adds)
        diag(job->diags, DIAG_WARNING, s->span,
             "the %d programs along axis %d change the same elements by a load and a store: what "
             "one stores between the two of another one is lost",
             t->programs, t->axis);
    else
        diag(job->diags, DIAG_WARNING, s->span,
             "the %d programs along axis %d store to the same elements, each what is its own: one "
             "of them stays, and which one is not said",
             t->programs, t->axis);
    diag(job->diags, DIAG_HINT, (Span){0},
         "tl.atomic_add(pointer, value) adds up what programs have, tl.atomic_max keeps the "
         "greatest; else each has a place of its own, out + tl.program_id(%d)",
         t->axis);
    return TILEC_FAULT;
}

void shared_warn(const Request *r, const int32_t *grid)
{
    unsigned axes = r->spec->programs.shared.axes;
    char *text = NULL;

    for (int i = 0; i < 3; i++) {
        Told told = {r, grid[i], i};
        if (!(axes >> i & 1) || grid[i] < 2)
            continue;
        if (programs_claim(r, TOLD_SHARED)) {
            job_run_with_places(r->file, tell, &told, &text);
            if (text) /* else there was no memory for it */
                programs_say(r, text);
            free(text);
        }
        return;
    }
}
