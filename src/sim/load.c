/*
 * load.c - text to module: what src/ptx reads, and what executing it needs besides
 *
 * flow.c finds where branches meet, wgmma_check.c which registers wgmma has, pace.c which unit does
 * what.
 */
#include <setjmp.h>
#include <stdio.h>
#include <string.h>

#include "execute.h"

static void no_memory(SimError *error)
{
    snprintf(error->text, sizeof error->text, "out of memory");
}

static SimStatus read_text(const char *text, size_t len, Arena *a, SimModule **out, SimError *error)
{
    PtxError bad;
    PtxStatus status = ptx_read(text, len, &sim_table, a, out, &bad);

    if (status == PTX_NO_MEMORY)
        no_memory(error);
    if (status != PTX_BAD)
        return status == PTX_OK ? SIM_OK : SIM_NO_MEMORY;
    snprintf(error->text, sizeof error->text, "%s", bad.text);
    snprintf(error->ptx, sizeof error->ptx, "%s", bad.line_text);
    error->ptx_line = bad.line;
    return SIM_BAD_PTX;
}

/* False: memory is out. */
static bool prepare(SimModule *m)
{
    Guard guard = {0};
    Arena *scratch = arena_new(NULL);

    if (!scratch)
        return false;
    arena_set_guard(m->arena, &guard);
    arena_set_guard(scratch, &guard);
    if (setjmp(guard.env)) {
        arena_free(scratch);
        return false;
    }
    for (const PtxFunc *f = m->funcs; f; f = f->next) {
        if (f->is_defined)
            flow_find_meets(m, f, scratch);
    }
    wgmma_mark(m);
    pace_mark(m);
    arena_free(scratch);
    arena_set_guard(m->arena, NULL);
    return true;
}

SimStatus sim_load(const char *text, size_t len, SimModule **out, SimError *error)
{
    Arena *arena = arena_new(NULL);
    SimModule *m = NULL;

    *error = (SimError){.warp = -1, .lane = -1};
    if (!arena)
        return SIM_NO_MEMORY;
    SimStatus status = read_text(text, len, arena, &m, error);
    if (status == SIM_OK && !prepare(m)) {
        no_memory(error);
        status = SIM_NO_MEMORY;
    }
    if (status == SIM_OK)
        *out = m;
    else
        arena_free(arena);
    return status;
}

void sim_unload(SimModule *m)
{
    if (m)
        arena_free(m->arena);
}

const SimKernel *sim_kernel(const SimModule *m, const char *name)
{
    for (const SimKernel *k = m->kernels; k; k = k->next) {
        if (!name || strcmp(k->func->name, name) == 0)
            return k;
    }
    return NULL;
}
