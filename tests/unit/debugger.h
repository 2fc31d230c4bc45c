/*
 * debugger.h - a small debugger of kernels, which needs nothing but an observer of the interpreter
 *
 * It obeys a list of commands, and writes down what it sees.  A command is `line N`, `out` (of the
 * helper that it stands in), `run`, `up` (to the caller's names), or a name to show.
 */
#ifndef TILEC_TEST_DEBUGGER_H
#define TILEC_TEST_DEBUGGER_H

#include <stdlib.h>
#include <string.h>

#include "../../src/interp/interp.h"
#include "../../src/ir/mark.h"

typedef struct {
    Arena *arena;
    const SourceMap *sources;
    const char *const *commands; /* those to come; NULL ends them, and then the launch */
    int32_t program;             /* along x; others are not looked at */
    int line, depth;             /* go on to this line, and to less than this depth; 0: to any */
    bool tells_calls;
    const float *out; /* stores are told as places in it */
    Text seen;
} Debugger;

enum { NOWHERE = -1 };

static int line_at(const Debugger *d, const InterpPlace *at)
{
    return source_place(d->sources, at->span.start).line;
}

/* The frames of the place, the innermost first. */
static void show_place(Debugger *d, InterpPlace at)
{
    const char *between = "";

    do {
        const Module *m = interp_func(at.frame)->module;
        const CallSite *inlined = call_site(m, at.site);
        text_printf(&d->seen, "%s%s:%d", between,
                    inlined ? inlined->callee : interp_func(at.frame)->name, line_at(d, &at));
        between = " < ";
    } while (interp_caller(&at));
    text_put(&d->seen, "\n");
}

static void show_elements(Debugger *d, const Type *t, const char *elements)
{
    for (int64_t i = 0; i < type_numel(t); i++) {
        uint64_t bits = 0;
        memcpy(&bits, elements + i * type_size(t), (size_t)type_size(t));
        text_printf(&d->seen, " %g", scalar_to_double(t->dtype, bits));
    }
}

static void show_name(Debugger *d, const InterpPlace *at, const char *name)
{
    const Mark *m = interp_name(at, name, d->arena);
    const void *elements = m && !m->text ? interp_value(at->frame, m->values[0]) : NULL;

    if (elements) {
        text_printf(&d->seen, "%s:", name);
        show_elements(d, m->values[0]->type, elements);
    } else if (m && m->text) {
        mark_put(&d->seen, m);
    } else {
        text_printf(&d->seen, "%s: %s", name, m ? "not computed" : "no such name");
    }
    text_put(&d->seen, "\n");
}

/* Obey commands up to one that lets the program go on; false: end it. */
static bool obey(Debugger *d, InterpPlace here)
{
    InterpPlace at = here;

    show_place(d, at);
    d->line = d->depth = 0;
    for (const char *word = *d->commands; word; word = *++d->commands) {
        if (strncmp(word, "line ", 5) == 0)
            d->line = atoi(word + 5);
        else if (strcmp(word, "run") == 0)
            d->line = NOWHERE;
        else if (strcmp(word, "out") == 0)
            d->depth = interp_depth(here);
        else if (strcmp(word, "up") == 0)
            interp_caller(&at);
        else
            show_name(d, &at, word);
        if (d->line || d->depth) {
            d->commands++;
            return true;
        }
    }
    return false;
}

static bool is_watched(const Debugger *d, const InterpFrame *f)
{
    return interp_program(f)[0] == d->program;
}

static bool before_op(void *debugger, const InterpFrame *f, const Op *op)
{
    Debugger *d = debugger;
    InterpPlace at = interp_place(f, op);

    if (!is_watched(d, f) || (d->line && line_at(d, &at) != d->line) ||
        (d->depth && interp_depth(at) >= d->depth))
        return true;
    return obey(d, at);
}

static void before_access(void *debugger, const InterpFrame *f, const InterpAccess *a)
{
    Debugger *d = debugger;

    if (!is_watched(d, f) || !(a->effect & WRITES))
        return;
    text_printf(&d->seen, "store of %d bytes to", a->size);
    for (int64_t i = 0; i < a->lanes; i++) {
        if (!a->mask || a->mask[i])
            text_printf(&d->seen, " %d", (int)((const float *)a->addresses[i] - d->out));
    }
    text_put(&d->seen, "\n");
}

static void at_round(void *debugger, const InterpFrame *f, const Op *loop)
{
    Debugger *d = debugger;
    const Value *counter = loop->regions[0]->args[0];

    if (!is_watched(d, f))
        return;
    text_put(&d->seen, "round");
    show_elements(d, counter->type, interp_value(f, counter));
    text_put(&d->seen, "\n");
}

static void at_call(Debugger *d, const char *what, InterpPlace at)
{
    if (!d->tells_calls || !is_watched(d, at.frame))
        return;
    text_printf(&d->seen, "%s ", what);
    show_place(d, at);
}

static void at_enter(void *debugger, const InterpPlace *at)
{
    at_call(debugger, "enter", *at);
}

static void at_leave(void *debugger, const InterpPlace *at)
{
    at_call(debugger, "leave", *at);
}

static inline InterpObserver debugger_observer(Debugger *d)
{
    return (InterpObserver){.ctx = d,
                            .keeps_values = true,
                            .op = before_op,
                            .access = before_access,
                            .round = at_round,
                            .enter = at_enter,
                            .leave = at_leave};
}

#endif
