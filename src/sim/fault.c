/*
 * fault.c - what a program did wrong, with its place, and how people read it
 */
#include <stdio.h>

#include "execute.h"

/* The source line, if there is one, and the line of the PTX. */
static void set_error_place(SimError *e, const SimModule *m, const Inst *in)
{
    const PtxPlace *place = &m->places.at[in->place];

    if (in->place > 0 && place->file) {
        snprintf(e->file, sizeof e->file, "%s", place->file);
        e->line = place->line;
        e->column = place->column;
    }
    e->ptx_line = (int)in->line;
    if (in->line >= 1 && (int)in->line <= m->nlines)
        snprintf(e->ptx, sizeof e->ptx, "%s", m->lines[in->line - 1]);
}

void fault(Warp *w, SimFault kind, int lane, const char *fmt, ...)
{
    Worker *worker = w->worker;
    SimError *e = &worker->error;
    va_list ap;

    w->stop = true;
    if (worker->status != SIM_OK)
        return; /* the first one counts */
    worker->status = SIM_FAULT;
    *e = (SimError){.kind = kind, .warp = w->index, .lane = lane, .range = -1};
    va_start(ap, fmt);
    vsnprintf(e->text, sizeof e->text, fmt, ap);
    va_end(ap);
    for (int i = 0; i < 3; i++)
        e->program[i] = w->block->program[i];
    if (w->inst)
        set_error_place(e, w->module, w->inst);
}

const char *sim_error_text(const SimError *e, Arena *a)
{
    Text t = text_new(a);

    if (e->line > 0)
        text_printf(&t, "%s:%d:%d: ", e->file, e->line, e->column);
    text_printf(&t, "error: %s\n", e->text);
    if (e->ptx_line > 0) {
        const char *s = e->ptx;

        while (*s == ' ' || *s == '\t')
            s++;
        text_printf(&t, "  PTX line %d: %s\n", e->ptx_line, s);
    }
    if (e->program[0] >= 0 && e->warp >= 0 && e->lane >= 0)
        text_printf(&t, "  in program (%d, %d, %d), warp %d, lane %d\n", e->program[0],
                    e->program[1], e->program[2], e->warp, e->lane);
    return t.s;
}
