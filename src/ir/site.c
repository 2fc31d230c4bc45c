/*
 * site.c - through which calls an op came to be where it is, and messages that say so
 *
 * The inliner puts a helper's body in place of a call.  Each op of it keeps the place in its text
 * and gets a site: which call it replaces, and whose body it is; the site of that call is the
 * parent.  Sites are numbers in a table of the module, 0 is none, and a parent's number is smaller
 * than its own.
 */
#include <string.h>

#include "ir.h"

int call_site_new(Module *m, const Op *call)
{
    CallSite s = {.call = call->span,
                  .mark = call->mark,
                  .callee = call->callee->name,
                  .callee_span = call->callee->span};

    return call_site_under(m, s, call->site);
}

int call_site_under(Module *m, CallSite s, int parent)
{
    if (m->sites.len == 0)
        vec_push(m->arena, &m->sites, (CallSite){0});
    s.parent = parent;
    vec_push(m->arena, &m->sites, s);
    return m->sites.len - 1;
}

const CallSite *call_site(const Module *m, int site)
{
    return site > 0 && site < m->sites.len ? &m->sites.at[site] : NULL;
}

const char *site_function(const Func *f, int site, Arena *a)
{
    const CallSite *inlined = call_site(f->module, site);
    const char *name = inlined ? inlined->callee : f->name;
    uint32_t start = inlined ? inlined->callee_span.start : f->span.start;
    const Source *s = source_of(f->module->sources, start);
    const char *written = s ? source_at(s, start) : "";

    written += strncmp(written, "def ", 4) == 0 ? 4 : 0;
    size_t n = strcspn(written, "( \t");
    return n > 0 && strncmp(name, written, n) == 0 ? arena_strndup(a, written, n) : name;
}

void ir_diag_calls(Diags *d, const Module *m, int site)
{
    const CallSite *s = call_site(m, site);

    for (int i = 0; s && i < MOST_CALLS_SHOWN; i++, s = call_site(m, s->parent))
        diag_call(d, s->call, s->callee);
}

void ir_diag_v(Diags *d, DiagKind kind, const Op *op, const char *fmt, va_list ap)
{
    diag_v(d, kind, op->span, fmt, ap);
    ir_diag_calls(d, op->block->func->module, op->site);
}

void ir_diag(Diags *d, DiagKind kind, const Op *op, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    ir_diag_v(d, kind, op, fmt, ap);
    va_end(ap);
}

const Unrolled *ir_most_unrolled(const Module *m, int values)
{
    const Unrolled *most = NULL;

    for (int i = 0; i < m->unrolled.len; i++) {
        if (!most || m->unrolled.at[i].values > most->values)
            most = &m->unrolled.at[i];
    }
    return most && most->values >= values / 2 && most->rounds > 1 ? most : NULL;
}
