/*
 * suspect.c - the mistakes that are looked for in a kernel that is right to the compiler
 *
 * One list; each row is one file.  It runs on what was lowered, in front of all passes, where every
 * op still stands for what somebody wrote.
 */
#include "suspect.h"

static Suspicion *const suspicions[] = {suspect_narrow,  suspect_totals,   suspect_lanes,
                                        suspect_nothing, suspect_exchange, suspect_mean,
                                        suspect_axes,    suspect_crossed,  suspect_rounds,
                                        suspect_limit,   suspect_scores};

void suspect_warn(const Suspect *s, const Op *at, const char *hint, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    ir_diag_v(s->diags, DIAG_WARNING, at, fmt, ap);
    va_end(ap);
    if (diag_kept(s->diags))
        diag(s->diags, DIAG_HINT, (Span){0}, "%s", hint);
}

typedef struct {
    bool (*is)(const Op *op);
    bool found;
} Any;

static void look_for(Op *op, void *any)
{
    Any *a = any;

    a->found = a->found || a->is(op);
}

bool suspect_any(const Suspect *s, bool (*is)(const Op *op))
{
    Any any = {is, false};

    ir_walk(s->func->body, look_for, &any);
    return any.found;
}

struct SuspectFacts {
    const AxisFacts *axis;
    UseLists uses; /* without a start: not asked for */
};

const AxisFacts *suspect_axis(const Suspect *s)
{
    if (!s->facts->axis)
        s->facts->axis = axis_analyse(s->func, s->arena);
    return s->facts->axis;
}

const UseLists *suspect_uses(const Suspect *s)
{
    if (!s->facts->uses.start)
        s->facts->uses = ir_uses(s->func, s->arena);
    return &s->facts->uses;
}

void check_suspects(const Module *m, Diags *d)
{
    Arena *arena = m->arena;

    for (int i = 0; i < m->nfuncs; i++) {
        struct SuspectFacts facts = {0};
        const Suspect s = {m->funcs[i], arena, d, &facts};
        for (int k = 0; k < COUNT(suspicions); k++)
            suspicions[k](&s);
    }
}
