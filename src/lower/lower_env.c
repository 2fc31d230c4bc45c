/*
 * lower_env.c - the names in scope, and what a piece of code changed
 *
 * A function's names have slots in one array.  Every change is logged, so the lowering of an arm
 * of an `if` or of a loop body can be undone, and the log tells which names it assigned.
 */
#include "lower.h"
#include "../syntax/lex.h"

#include <string.h>

Frame *frame_new(Lower *l, const AstFunc *fn, Span call)
{
    Frame *f = NEW(l->arena, Frame);

    f->fn = fn;
    f->file = fn->file;
    f->scope = fn->scope;
    f->before = UINT32_MAX;
    f->slots = map_new(l->arena);
    f->caller = l->frame;
    f->call = call;
    f->depth = l->frame ? l->frame->depth + 1 : 0;
    return f;
}

int env_slot(Lower *l, Sym name)
{
    Frame *f = l->frame;
    uintptr_t slot = (uintptr_t)map_get(f->slots, MAP_KEY(name));
    Binding none = {0};

    if (slot)
        return (int)slot - 1;
    vec_push(l->arena, &f->env, none);
    vec_push(l->arena, &f->names, name);
    map_put(f->slots, MAP_KEY(name), (void *)(uintptr_t)f->env.len);
    return f->env.len - 1;
}

Binding *env_find(Lower *l, Sym name)
{
    uintptr_t slot = l->frame ? (uintptr_t)map_get(l->frame->slots, MAP_KEY(name)) : 0;

    return slot ? &l->frame->env.at[slot - 1] : NULL;
}

void env_put(Lower *l, int slot, Binding b)
{
    Frame *f = l->frame;
    Change c = {slot, f->env.at[slot], b};

    vec_push(l->arena, &f->log, c);
    f->env.at[slot] = b;
    mark_binding(l, slot, &b);
}

void env_bind(Lower *l, Sym name, Val v, Span span)
{
    env_put(l, env_slot(l, name), (Binding){.bound = true, .span = span, .val = v});
}

void env_miss(Lower *l, Sym name, Span span)
{
    Binding b = {.bound = true, .missing = true, .span = span, .val = val_unknown()};

    env_put(l, env_slot(l, name), b);
}

void env_skip(Lower *l, Span statement)
{
    vec_push(l->arena, &l->frame->skipped, statement);
}

/* Does the name stand in that text, as a whole word? */
static bool names_in_text(const char *text, size_t n, Sym name)
{
    size_t len = strlen(name);

    for (size_t i = 0; i + len <= n; i++) {
        bool begins = i == 0 || !is_name_char(text[i - 1]);
        bool ends = i + len == n || !is_name_char(text[i + len]);

        if (begins && ends && memcmp(text + i, name, len) == 0)
            return true;
    }
    return false;
}

bool env_was_skipped(const Lower *l, Sym name)
{
    const Frame *f = l->frame;

    for (int i = 0; i < f->skipped.len; i++) {
        Span s = f->skipped.at[i];

        if (names_in_text(source_at(f->file->source, s.start), s.end - s.start, name))
            return true;
    }
    return false;
}

bool env_is_local(const Binding *b)
{
    return b->declared || b->round;
}

int env_mark(Lower *l)
{
    return l->frame->log.len;
}

static Change *find_change(Change *at, int n, int slot)
{
    for (int i = 0; i < n; i++) {
        if (at[i].slot == slot)
            return &at[i];
    }
    return NULL;
}

Changes env_rollback(Lower *l, int mark)
{
    Frame *f = l->frame;
    int n = f->log.len - mark;
    Changes out = {NEW_N(l->arena, Change, n + 1), 0};

    for (int i = mark; i < f->log.len; i++) {
        Change *c = &f->log.at[i];
        Change *seen = find_change(out.at, out.n, c->slot);
        if (seen)
            seen->new = c->new;
        else
            out.at[out.n++] = *c;
    }
    for (int i = 0; i < out.n; i++)
        f->env.at[out.at[i].slot] = out.at[i].old;
    f->log.len = mark;
    return out;
}

void env_redo(Lower *l, Changes c)
{
    for (int i = 0; i < c.n; i++)
        env_put(l, c.at[i].slot, c.at[i].new);
}
