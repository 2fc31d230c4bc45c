/*
 * declare.c - variables, registers and parameters: their types, their places, their first values
 *
 * Shared and local memory are laid out here, each from 0 on; global memory is allocated.  Kernels'
 * parameters have 8 bytes each, or their own size where that is more; those of functions, and the
 * arguments of calls, in local memory.
 */
#include <stdio.h>
#include <string.h>

#include "parser.h"

/* Braces in the braces of an initialiser, and bytes of all variables of a space: more is no program
 * but an accident. */
enum { MOST_BRACES = 8, MOST_BYTES = 1 << 28, MOST_PARAM = 4096 };

static PtxType take_type(Parser *p)
{
    Sym word = ptx_word(p, "a type");
    PtxType t = word[0] == '.' ? ptx_type_from(word + 1, strlen(word + 1)) : PTX_NONE;

    if (t == PTX_NONE)
        ptx_error(p, p->token[-1].line, "'%s' is no type", word);
    return t;
}

static uint64_t align_up(uint64_t n, uint64_t align)
{
    return (n + align - 1) / align * align;
}

/* Memory of the module, zeroed; the arena aligns to 16 only. */
static uint64_t global_memory(Parser *p, uint64_t bytes, uint64_t align)
{
    char *at = arena_alloc(p->m->arena, (size_t)(bytes + align));

    return align_up((uint64_t)(uintptr_t)at, align);
}

/* Give a variable its place in its space. */
static void place_var(Parser *p, PtxVar *v, uint64_t align, bool is_const)
{
    PtxModule *m = p->m;

    if (m->shared_bytes + m->local_bytes + p->global_bytes + v->bytes > MOST_BYTES)
        ptx_error(p, p->token->line, "'%s' is too large", v->name);
    if (v->space == SPACE_SHARED && !v->dynamic) {
        v->address = align_up(m->shared_bytes, align);
        m->shared_bytes = v->address + v->bytes;
    } else if (v->space == SPACE_SHARED) {
        m->dynamic_at = MAX(m->dynamic_at, align); /* until read.c knows what is in front */
    } else if (v->space == SPACE_LOCAL) {
        v->address = align_up(m->local_bytes, align);
        m->local_bytes = v->address + v->bytes;
    } else {
        v->address = global_memory(p, v->bytes, align);
        p->global_bytes += v->bytes;
        vec_push(m->arena, &m->globals,
                 ((PtxGlobal){.address = v->address, .bytes = v->bytes, .read_only = is_const}));
    }
}

/* The value of one element of an initialiser. */
static uint64_t take_element(Parser *p, PtxType type)
{
    bool negative = ptx_mark(p, '-');
    const Token *t = p->token;

    ptx_take_number(p);
    return ptx_number_bits(t, ptx_type_bits[type], negative);
}

/* A number, or such in braces; what is not given stays zero. */
static void take_initialiser(Parser *p, PtxVar *v, PtxType type, uint64_t *at, int depth)
{
    uint64_t bytes = ptx_type_bits[type] / 8;

    if (depth > MOST_BRACES)
        ptx_error(p, p->token->line, "too many braces");
    if (ptx_mark(p, '{')) {
        while (!ptx_mark(p, '}')) {
            take_initialiser(p, v, type, at, depth + 1);
            ptx_mark(p, ',');
        }
        return;
    }
    if (p->token->kind == TOKEN_WORD)
        ptx_error(p, p->token->line, "an initialiser may not have addresses");
    uint64_t value = take_element(p, type);
    if (*at + bytes > v->bytes)
        ptx_error(p, p->token->line, "too many values for '%s'", v->name);
    memcpy((char *)(uintptr_t)v->address + *at, &value, (size_t)MIN(bytes, sizeof value));
    *at += bytes;
}

typedef struct {
    PtxType type;
    uint64_t align;
    int vector; /* elements of .v2 or .v4, else 1 */
} VarType;

/* `[.align N] [.ptr [.space] [.align N]] [.vN] .type`, in the orders that there are. */
static VarType take_var_type(Parser *p)
{
    VarType t = {.type = PTX_NONE, .vector = 1};

    for (;;) {
        if (ptx_take_word(p, ".align")) {
            uint64_t align = ptx_take_number(p);

            if (align == 0 || align > 4096 || (align & (align - 1)) != 0)
                ptx_error(p, p->token->line, "no alignment");
            if (t.type == PTX_NONE) /* behind the type it is that of what a pointer points to */
                t.align = align;
        } else if (ptx_take_word(p, ".v2")) {
            t.vector = 2;
        } else if (ptx_take_word(p, ".v4")) {
            t.vector = 4;
        } else if (t.type != PTX_NONE && ptx_take_word(p, ".ptr")) {
            if (!ptx_take_word(p, ".global") && !ptx_take_word(p, ".const") &&
                !ptx_take_word(p, ".shared"))
                ptx_take_word(p, ".local");
        } else if (p->token->kind == TOKEN_WORD && p->token->word[0] == '.' && t.type == PTX_NONE) {
            t.type = take_type(p);
        } else {
            break;
        }
    }
    if (t.type == PTX_NONE)
        ptx_error(p, p->token->line, "a type is missing");
    if (t.align == 0)
        t.align = (uint64_t)MAX(1, ptx_type_bits[t.type] / 8 * t.vector);
    return t;
}

/* `NAME[N][M]`: its size.  A first extent that is left out makes it dynamic. */
static PtxVar *take_var_name(Parser *p, PtxSpace space, VarType t)
{
    PtxVar *v = NEW(p->m->arena, PtxVar);
    const Token *at = p->token;

    *v = (PtxVar){.name = ptx_word(p, "a name"),
                  .space = space,
                  .bytes = (uint64_t)(ptx_type_bits[t.type] / 8 * t.vector)};
    while (ptx_mark(p, '[')) {
        if (ptx_mark(p, ']')) {
            v->dynamic = true;
            v->bytes = 0;
            continue;
        }
        uint64_t n = ptx_take_number(p);
        if (n > MOST_BYTES || v->bytes * n > MOST_BYTES)
            ptx_error(p, at->line, "'%s' is too large", v->name);
        v->bytes *= n;
        ptx_expect(p, ']');
    }
    return v;
}

/* The rest of a declaration behind `.shared` and its kin. */
void declare_vars(Parser *p, PtxSpace space, bool is_const, bool is_extern)
{
    VarType t = take_var_type(p);

    do {
        PtxVar *v = take_var_name(p, space, t);
        uint64_t filled = 0;

        if (v->dynamic && (space != SPACE_SHARED || !is_extern))
            ptx_error(p, p->token->line, "'%s' has no size", v->name);
        if (is_extern && space != SPACE_SHARED)
            ptx_error(p, p->token->line, "'%s' is not here", v->name);
        v->dynamic = is_extern;
        place_var(p, v, t.align, is_const);
        ptx_declare(p, v->name, (Symbol){.kind = SYMBOL_VAR, .var = v});
        if (ptx_mark(p, '=')) {
            if (space != SPACE_GLOBAL)
                ptx_error(p, p->token->line, "only global memory has initial values");
            take_initialiser(p, v, t.type, &filled, 0);
        }
    } while (ptx_mark(p, ','));
    ptx_expect(p, ';');
}

/* `.reg .b32 %r<5>, t;` */
void declare_regs(Parser *p)
{
    int bits = ptx_type_bits[take_type(p)];

    do {
        Sym name = ptx_word(p, "a register");

        if (!ptx_mark(p, '<')) {
            ptx_declare(p, name,
                        (Symbol){.kind = SYMBOL_REG, .bits = bits, .place = place_new(p, bits)});
            continue;
        }
        uint64_t n = ptx_take_number(p);
        ptx_expect(p, '>');
        if (n > 1000000)
            ptx_error(p, p->token->line, "too many registers");
        for (uint64_t i = 0; i < n; i++) {
            char numbered[200];

            snprintf(numbered, sizeof numbered, "%s%d", name, (int)i);
            ptx_declare(p, intern(p->names, numbered),
                        (Symbol){.kind = SYMBOL_REG, .bits = bits, .place = place_new(p, bits)});
        }
    } while (ptx_mark(p, ','));
    ptx_expect(p, ';');
}

/* An argument of a call, declared where it is called: one place for each thread. */
void declare_call_params(Parser *p)
{
    VarType t = take_var_type(p);

    do {
        PtxVar *v = take_var_name(p, SPACE_LOCAL, t);

        v->is_argument = true;
        place_var(p, v, MAX(t.align, 8), false);
        ptx_declare(p, v->name, (Symbol){.kind = SYMBOL_VAR, .var = v});
    } while (ptx_mark(p, ','));
    ptx_expect(p, ';');
}

/* `(.param ..., .param ...)`; a kernel's lie side by side, a function's in every thread. */
void declare_params(Parser *p, PtxFunc *f, bool results)
{
    uint64_t at = 0;

    while (!ptx_mark(p, ')')) {
        if (!ptx_take_word(p, ".param"))
            ptx_error(p, p->token->line, "'.param' is missing");
        VarType t = take_var_type(p);
        PtxVar *v = take_var_name(p, f->is_entry ? SPACE_PARAM : SPACE_LOCAL, t);

        if (f->is_entry && v->bytes > MOST_PARAM)
            ptx_error(p, p->token->line, "'%s' has more than %d bytes", v->name, MOST_PARAM);
        v->address = align_up(at, MAX(t.align, 8));
        at = align_up(v->address + v->bytes, 8);
        f->has_large |= v->bytes > 8;
        if (!f->is_entry)
            place_var(p, v, MAX(t.align, 8), false);
        ptx_declare(p, v->name, (Symbol){.kind = SYMBOL_VAR, .var = v});
        if (results)
            vec_push(p->m->arena, &f->results, v);
        else
            vec_push(p->m->arena, &f->params, v);
        ptx_mark(p, ',');
    }
    if (f->is_entry && !results)
        f->param_bytes = at;
}
