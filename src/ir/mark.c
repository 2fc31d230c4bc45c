/*
 * mark.c - what a debugger knows about a function: where statements begin and what names mean
 *
 * The front end adds marks in the order of the program, and every op knows how many there were
 * before it.  So what a name means at an op is told by the last of these marks with that name, of
 * those whose block the op stands in: an arm of an `if` binds a name for the rest of that arm.
 * What a helper's marks say holds in the frame of its site only, when it was inlined.
 *
 * A value may be replaced (ir_resolve) or die; nothing here keeps one alive.
 */
#include "ir.h"
#include "mark.h"

void mark_add(Builder *b, Mark m)
{
    m.block = b->block;
    m.site = b->site;
    vec_push(b->module->arena, &b->func->marks, m);
    b->mark = b->func->marks.len;
}

MarkWalk mark_walk(const Func *f, int site, Arena *a)
{
    return (MarkWalk){.func = f, .arena = a, .site = site, .top = map_new(a)};
}

static void set_top(MarkWalk *w, Sym name, int i)
{
    map_put(w->top, MAP_KEY(name), (void *)(intptr_t)(i + 1));
}

static void leave_blocks(MarkWalk *w, const Block *now)
{
    while (w->live.len > 0 && !block_encloses(w->live.at[w->live.len - 1].mark->block, now)) {
        const LiveName *last = &w->live.at[--w->live.len];

        if (last->outer >= 0)
            w->live.at[last->outer].inner = -1;
        set_top(w, last->mark->name, last->outer);
    }
}

/* The name means this now: in place of what it meant in the same block, else in front of that. */
static void take_mark(MarkWalk *w, const Mark *m)
{
    int outer = (int)(intptr_t)map_get(w->top, MAP_KEY(m->name)) - 1;

    /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): set_top() was given indices of it */
    if (outer >= 0 && w->live.at[outer].mark->block == m->block) {
        w->live.at[outer].mark = m;
        return;
    }
    if (outer >= 0)
        w->live.at[outer].inner = w->live.len;
    set_top(w, m->name, w->live.len);
    vec_push(w->arena, &w->live, ((LiveName){m, outer, -1}));
}

void mark_walk_to(MarkWalk *w, int end, const Block *now)
{
    for (; w->next < MIN(end, w->func->marks.len); w->next++) {
        const Mark *m = &w->func->marks.at[w->next];
        bool gone = !block_encloses(w->func->body, m->block);

        if (m->site != w->site || !m->name || gone)
            continue;
        leave_blocks(w, m->block);
        take_mark(w, m);
    }
    leave_blocks(w, now);
}

static bool is_ended(const Mark *m)
{
    return !m->text && m->nvalues == 0;
}

const Mark *mark_shown(const MarkWalk *w, int i)
{
    const LiveName *n = &w->live.at[i];

    if (n->outer >= 0)
        return NULL;
    while (n->inner >= 0)
        n = &w->live.at[n->inner];
    return is_ended(n->mark) ? NULL : n->mark;
}

/* `i32`, `fp32[BLOCK=1024]`, or `i32 = 5` where the value is known. */
static void put_mark_value(Text *t, const Value *given)
{
    const Value *v = given->repl ? ir_resolve((Value *)given) : given;
    uint64_t bits;

    type_put(t, v->type, v->extents);
    if (!value_constant(v, &bits))
        return;
    text_put(t, " = ");
    ir_put_constant(t, v->type, bits);
}

void mark_put(Text *t, const Mark *m)
{
    int value = 0;

    text_put(t, m->name);
    if (!m->text) {
        text_put(t, ": ");
        put_mark_value(t, m->values[0]);
        return;
    }
    text_put(t, " = ");
    for (const char *s = m->text; *s; s++) {
        if (*s != '%')
            text_putn(t, s, 1);
        else if (*++s == 'v')
            put_mark_value(t, m->values[value++]);
        else
            text_put(t, "%");
    }
}

/* The rows of a function so far. */
typedef struct {
    Text *text;
    Map *told;      /* name -> its mark in the row above */
    VEC(Sym) names; /* that some row has, each once */
    Map *known;     /* .. and the same for a look */
    int entries;    /* of this row */
} Rows;

static void begin_entry(Rows *r)
{
    text_put(r->text, r->entries++ > 0 ? ", " : "  ");
}

static void note_name(Rows *r, Sym name, Arena *a)
{
    if (map_get(r->known, MAP_KEY(name)))
        return;
    map_put(r->known, MAP_KEY(name), (void *)name);
    vec_push(a, &r->names, name);
}

/* What is new, or other than in the row above; `here` becomes name -> mark of all that there is. */
static void put_changes(Rows *r, const MarkWalk *w, Map *here)
{
    for (int k = 0; k < w->live.len; k++) {
        const Mark *m = mark_shown(w, k);
        if (!m)
            continue;
        note_name(r, m->name, w->arena);
        map_put(here, MAP_KEY(m->name), (void *)m);
        if (map_get(r->told, MAP_KEY(m->name)) == m)
            continue;
        begin_entry(r);
        mark_put(r->text, m);
    }
}

/* `-i`: a name that the row above has and this one lacks. */
static void put_ended(Rows *r, const Map *here)
{
    for (int k = 0; k < r->names.len; k++) {
        Sym name = r->names.at[k];
        if (!map_get(r->told, MAP_KEY(name)) || map_get(here, MAP_KEY(name)))
            continue;
        begin_entry(r);
        text_printf(r->text, "-%s", name);
    }
}

static void put_row(Rows *r, const MarkWalk *w)
{
    Map *here = map_new(w->arena);

    r->entries = 0;
    put_changes(r, w, here);
    put_ended(r, here);
    r->told = here;
    text_put(r->text, "\n");
}

/* `kernel @k, k.py:14`, then the line of each statement with what its names mean, as far as that is
 * not what they meant in the row above. */
static void put_func(Text *t, const Func *f)
{
    MarkWalk w = mark_walk(f, 0, t->arena);
    Rows rows = {.text = t, .told = map_new(t->arena), .known = map_new(t->arena)};
    const SourceMap *sources = f->module->sources;
    Place at = source_place(sources, f->span.start);

    text_printf(t, "%s @%s, %s:%d\n", f->is_kernel ? "kernel" : "func", f->name,
                at.source ? at.source->shown : "?", at.line);
    for (int i = 0; i < f->marks.len; i++) {
        const Mark *m = &f->marks.at[i];

        if (m->name || m->site != 0 || !block_encloses(f->body, m->block))
            continue;
        mark_walk_to(&w, i, m->block);
        text_printf(t, "%5d", source_place(sources, m->span.start).line);
        put_row(&rows, &w);
    }
}

const char *ir_print_vars(const Module *m, Arena *a)
{
    Text t = text_new(a);

    text_put(&t, "");
    for (int i = 0; m->sources && i < m->nfuncs; i++) {
        text_put(&t, i > 0 ? "\n" : "");
        put_func(&t, m->funcs[i]);
    }
    return t.s;
}
