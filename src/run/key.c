/*
 * key.c - what decides over the code of a kernel, as 128 bits
 *
 * Two kernels with one key have the same code.  So the key has all that the code is a function of:
 * the IR, the options, what makes the code, and the sources that the compiler is built from.
 */
#include "run.h"

/* All of GenOptions.  That the list below has every field is for the compiler to check: one that
 * nobody printed would let launches find code that was made for others.  A promise of the launch
 * is also a bit of spec_variant_index(). */
static void put_options(Text *t, const GenOptions *o)
{
#pragma GCC diagnostic push
#pragma GCC diagnostic error "-Wmissing-field-initializers"
    const GenOptions all = {o->cpu,    o->features, o->disjoint, o->streaming,  o->few_programs,
                            o->lines,  o->debug,    o->shown,    o->no_tensors, o->spans,
                            o->clocks, o->parts,    o->budget,   o->folder};
#pragma GCC diagnostic pop

    text_printf(t,
                "%s %s disjoint %d streaming %d few %d lines %d debug %d shown %d no tensors %d "
                "spans %d clocks %d parts %d budget %d in %s",
                all.cpu, all.features, all.disjoint, all.streaming, all.few_programs, all.lines,
                all.debug, all.shown, all.no_tensors, all.spans, all.clocks, all.parts, all.budget,
                all.folder ? all.folder : "-");
}

/* Where something is written, as code that tells lines has it. */
static void put_place(Text *t, const SourceMap *sources, Span span)
{
    Place at = source_place(sources, span.start);

    if (at.source)
        text_printf(t, "%s:%d:%d @%u\n", at.source->path, at.line, at.column, span.start);
}

typedef struct {
    Text *text;
    const SourceMap *sources;
} Places;

static void put_op_place(Op *op, void *places)
{
    Places *p = places;

    put_place(p->text, p->sources, op->span);
}

/* The file may have been moved or edited around the kernel, which the IR does not show. */
static void put_places(Text *t, const Module *m)
{
    Places p = {t, m->sources};

    for (int i = 0; m->sources && i < m->nfuncs; i++) {
        put_place(t, m->sources, m->funcs[i]->span);
        ir_walk(m->funcs[i]->body, put_op_place, &p);
    }
}

Hash128 cache_key(const Func *f, const char *target, const GenOptions *o, Arena *a)
{
    Text t = text_new(a);

    text_printf(&t, "tilec %s %s ", run_build_id(), target);
    put_options(&t, o);
    text_put(&t, "\n");
    text_put(&t, ir_print(f->module, a));
    if (o->lines || o->debug || o->clocks)
        put_places(&t, f->module);
    return hash128_bytes(t.s, t.len);
}
