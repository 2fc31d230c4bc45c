/*
 * suspect.c - the mistakes that are looked for in a kernel that is right to the compiler
 *
 * One list; each row is one file.  It runs on what was lowered, in front of all passes, where every
 * op still stands for what somebody wrote.
 */
#include "suspect.h"

static Suspicion *const suspicions[] = {suspect_narrow,  suspect_totals,   suspect_lanes,
                                        suspect_nothing, suspect_exchange, suspect_mean,
                                        suspect_axes,    suspect_crossed,  suspect_rounds};

void suspect_warn(const Suspect *s, const Op *at, const char *hint, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    ir_diag_v(s->diags, DIAG_WARNING, at, fmt, ap);
    va_end(ap);
    if (diag_kept(s->diags))
        diag(s->diags, DIAG_HINT, (Span){0}, "%s", hint);
}

const Op *suspect_made_by(const Value *v)
{
    while (v->def && op_has(v->def, MOVES))
        v = v->def->operands[0];
    return v->def;
}

void check_suspects(const Module *m, Diags *d)
{
    Arena *arena = m->arena;

    for (int i = 0; i < m->nfuncs; i++) {
        const Suspect s = {m->funcs[i], arena, d};
        for (int k = 0; k < COUNT(suspicions); k++)
            suspicions[k](&s);
    }
}
