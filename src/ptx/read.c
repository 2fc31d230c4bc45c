/*
 * read.c - text to module
 *
 * Reads the whole text, then gives dynamic shared memory its place behind all that is static, and
 * fills in the addresses of variables and what is called.
 */
#include <setjmp.h>
#include <stdio.h>
#include <string.h>

#include "parser.h"

/* Of calls in calls: fewer than Warp.waiting has room for. */
enum { MOST_CALLS = 60 };

/* The lines of the text, for messages. */
static void keep_lines(PtxModule *m, const char *text, size_t len)
{
    char *copy = arena_strndup(m->arena, text, len);
    VEC(const char *) lines = {0};
    char *end = copy + len;

    for (char *s = copy; s <= end;) {
        char *stop = memchr(s, '\n', (size_t)(end - s));

        vec_push(m->arena, &lines, s);
        if (!stop)
            break;
        *stop = 0;
        s = stop + 1;
    }
    m->lines = lines.at;
    m->nlines = lines.len;
}

static Map *index_rows(Parser *p)
{
    Map *rows = map_new(p->scratch);

    for (int i = p->table->count; i > 0; i--) {
        const char *name = p->table->rows[i - 1].name;
        Sym first = intern_n(p->names, name, strcspn(name, "."));

        map_put(rows, MAP_KEY(first), (void *)(uintptr_t)i);
    }
    return rows;
}

static uint64_t address_of(const PtxVar *v, uint64_t dynamic_at)
{
    while (v->same_as)
        v = v->same_as;
    return v->dynamic ? dynamic_at : v->address;
}

/* All variables have places now. */
static void fill_in_addresses(Parser *p)
{
    PtxModule *m = p->m;
    uint64_t align = MAX(m->dynamic_at, 16);

    m->dynamic_at = (m->shared_bytes + align - 1) / align * align;
    for (int i = 0; i < m->consts.len; i++) {
        PtxConst *c = &m->consts.at[i];

        if (c->var)
            c->value += address_of(c->var, m->dynamic_at);
    }
    for (int i = 0; i < p->var_fixups.len; i++) {
        VarFixup *f = &p->var_fixups.at[i];

        int64_t *offset = &m->code.at[f->inst].at[f->which].offset;
        *offset = (int64_t)((uint64_t)*offset + address_of(f->var, m->dynamic_at));
    }
}

/* Find the longest chain of calls that starts in `f`, `level` calls below where this began.
 * Functions have places for one activation only, and warps for so many calls. */
static int find_call_depth(Parser *p, PtxFunc *f, uint32_t line, int level)
{
    int depth = 0;

    if (f->call_depth > 0)
        return f->call_depth;
    if (f->call_depth < 0)
        ptx_error(p, line, "'%s' is recursive", f->name);
    f->call_depth = -1;
    for (int i = 0; i < p->calls.len; i++) {
        const CallFixup *c = &p->calls.at[i];

        if (c->caller == f && level < MOST_CALLS)
            depth = MAX(depth, find_call_depth(p, c->callee, line, level + 1));
    }
    if (depth >= MOST_CALLS || level >= MOST_CALLS)
        ptx_error(p, line, "calls in calls, too many, from '%s' on", f->name);
    f->call_depth = depth + 1;
    return f->call_depth;
}

static void fill_in_calls(Parser *p)
{
    for (int i = 0; i < p->calls.len; i++) {
        CallFixup *c = &p->calls.at[i];
        Inst *in = &p->m->code.at[c->inst];

        if (!c->callee->is_defined)
            ptx_error(p, in->line, "there is no function '%s'", c->callee->name);
        find_call_depth(p, c->callee, in->line, 0);
        in->target = c->callee->first;
        in->meet = c->callee->end;
    }
}

static void read_module(Parser *p, const char *text, size_t len)
{
    PtxModule *m = p->m;

    keep_lines(m, text, len);
    m->file_bytes = SPECIAL_COUNT * SPECIAL_BYTES;
    p->names = interner_new(m->arena);
    p->const_places = map_new(p->scratch);
    p->rows = index_rows(p);
    p->trash = place_new(p, 128);
    p->token = lex_ptx(p, text, len);
    ptx_module(p);
    fill_in_addresses(p);
    fill_in_calls(p);
}

PtxStatus ptx_read(const char *text, size_t len, const PtxTable *table, Arena *a, PtxModule **out,
                   PtxError *error)
{
    Guard guard = {0};
    Arena *scratch = arena_new(NULL);

    *error = (PtxError){.line = 0};
    if (!scratch)
        return PTX_NO_MEMORY;
    arena_set_guard(a, &guard);
    arena_set_guard(scratch, &guard);
    if (setjmp(guard.env)) {
        arena_set_guard(a, NULL);
        arena_free(scratch);
        return guard.why == GUARD_NO_MEMORY ? PTX_NO_MEMORY : PTX_BAD;
    }
    PtxModule *m = NEW(a, PtxModule);
    *m = (PtxModule){.arena = a};
    Parser p = {.m = m, .scratch = scratch, .guard = &guard, .error = error, .table = table};
    read_module(&p, text, len);
    arena_free(scratch);
    arena_set_guard(a, NULL);
    *out = m;
    return PTX_OK;
}
