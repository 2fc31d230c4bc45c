/*
 * parse.c - the directives, scopes and labels of PTX
 *
 * What is declared goes into scopes: the module, a function, and the braces of inline assembly,
 * which may declare registers and labels that are declared again elsewhere.  A branch to a label
 * that was not seen yet is searched when its scope ends, and then in the one around it.
 */
#include <stdio.h>
#include <string.h>

#include "parser.h"

/* Depth of the scope with the parameters of a function; labels are inside. */
enum { FUNCTION_DEPTH = 2 };

void ptx_error(Parser *p, uint32_t line, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(p->error->text, sizeof p->error->text, fmt, ap);
    va_end(ap);
    p->error->ptx_line = (int)line;
    if (line >= 1 && (int)line <= p->m->nlines)
        snprintf(p->error->ptx, sizeof p->error->ptx, "%s", p->m->lines[line - 1]);
    fail(p->guard);
}

bool ptx_mark(Parser *p, char mark)
{
    if (p->token->kind != TOKEN_MARK || p->token->mark != mark)
        return false;
    p->token++;
    return true;
}

void ptx_expect(Parser *p, char mark)
{
    if (!ptx_mark(p, mark))
        ptx_error(p, p->token->line, "'%c' is missing", mark);
}

Sym ptx_word(Parser *p, const char *what)
{
    if (p->token->kind != TOKEN_WORD)
        ptx_error(p, p->token->line, "%s is missing", what);
    return p->token++->word;
}

/* Take this word if it comes next. */
static bool take_word(Parser *p, const char *word)
{
    if (p->token->kind != TOKEN_WORD || strcmp(p->token->word, word) != 0)
        return false;
    p->token++;
    return true;
}

static uint64_t take_number(Parser *p)
{
    if (p->token->kind != TOKEN_NUMBER)
        ptx_error(p, p->token->line, "a number is missing");
    return p->token++->value;
}

/* scopes */

static void open_scope(Parser *p)
{
    Scope *s = NEW(p->scratch, Scope);

    *s = (Scope){.outer = p->scope, .symbols = map_new(p->scratch)};
    p->scope = s;
    p->depth++;
}

Symbol *ptx_lookup(const Parser *p, Sym name)
{
    for (const Scope *s = p->scope; s; s = s->outer) {
        Symbol *found = map_get(s->symbols, MAP_KEY(name));

        if (found)
            return found;
    }
    return NULL;
}

static void declare(Parser *p, Sym name, Symbol symbol)
{
    Symbol *s = NEW(p->scratch, Symbol);

    *s = symbol;
    map_put(p->scope->symbols, MAP_KEY(name), s);
}

static void set_target(Parser *p, const Fixup *f, uint32_t target)
{
    if (f->in_jumps)
        *f->in_jumps = target;
    else
        p->m->code.at[f->inst].target = target;
}

/* Search labels in the scope that ends; those that are not there go to the one around it. */
static void close_scope(Parser *p)
{
    int kept = 0;

    for (int i = 0; i < p->fixups.len; i++) {
        Fixup f = p->fixups.at[i];
        Symbol *s = f.depth == p->depth ? map_get(p->scope->symbols, MAP_KEY(f.label)) : NULL;

        if (s && (s->kind == SYMBOL_LABEL || s->kind == SYMBOL_JUMPS)) {
            set_target(p, &f, s->place);
            continue;
        }
        if (f.depth == p->depth)
            f.depth--;
        if (f.depth <= FUNCTION_DEPTH)
            ptx_error(p, f.line, "there is no label '%s'", f.label);
        p->fixups.at[kept++] = f;
    }
    p->fixups.len = kept;
    p->scope = p->scope->outer;
    p->depth--;
}

/* variables */

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
    SimModule *m = p->m;

    if (v->space == SPACE_SHARED && !v->dynamic) {
        v->address = align_up(m->shared_bytes, align);
        m->shared_bytes = v->address + v->bytes;
    } else if (v->space == SPACE_SHARED) {
        m->dynamic_at = MAX(m->dynamic_at, align); /* until load.c knows what is in front */
    } else if (v->space == SPACE_LOCAL) {
        v->address = align_up(m->local_bytes, align);
        m->local_bytes = v->address + v->bytes;
    } else {
        v->address = global_memory(p, v->bytes, align);
        vec_push(m->arena, &m->globals,
                 ((SimRange){.address = v->address, .bytes = v->bytes, .read_only = is_const}));
    }
}

/* The value of one element of an initialiser. */
static uint64_t take_element(Parser *p, PtxType type)
{
    bool negative = ptx_mark(p, '-');
    const Token *t = p->token;
    uint64_t value = take_number(p);

    if (t->is_float && t->bits == 64 && ptx_type_bits[type] == 32) {
        double d;
        float f;

        memcpy(&d, &value, sizeof d);
        f = (float)d;
        value = 0;
        memcpy(&value, &f, sizeof f);
    }
    if (negative && t->is_float)
        return value ^ UINT64_C(1) << (ptx_type_bits[type] - 1);
    return negative ? -value : value;
}

/* A number, or such in braces; what is not given stays zero. */
static void take_initialiser(Parser *p, PtxVar *v, PtxType type, uint64_t *at)
{
    uint64_t bytes = ptx_type_bits[type] / 8;

    if (ptx_mark(p, '{')) {
        while (!ptx_mark(p, '}')) {
            take_initialiser(p, v, type, at);
            if (!ptx_mark(p, ','))
                continue;
        }
        return;
    }
    if (p->token->kind == TOKEN_WORD)
        ptx_error(p, p->token->line, "an initialiser may not have addresses");
    uint64_t value = take_element(p, type);
    if (*at + bytes > v->bytes)
        ptx_error(p, p->token->line, "too many values for '%s'", v->name);
    memcpy((char *)(uintptr_t)v->address + *at, &value, (size_t)bytes);
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
        if (take_word(p, ".align")) {
            uint64_t align = take_number(p);

            if (align == 0 || align > 4096 || (align & (align - 1)) != 0)
                ptx_error(p, p->token->line, "no alignment");
            if (t.type == PTX_NONE) /* behind the type it is that of what a pointer points to */
                t.align = align;
        } else if (take_word(p, ".v2")) {
            t.vector = 2;
        } else if (take_word(p, ".v4")) {
            t.vector = 4;
        } else if (t.type != PTX_NONE && take_word(p, ".ptr")) {
            if (!take_word(p, ".global") && !take_word(p, ".const") && !take_word(p, ".shared"))
                take_word(p, ".local");
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
        uint64_t n = take_number(p);
        if (n > UINT64_C(1) << 32 || v->bytes * n > UINT64_C(1) << 32)
            ptx_error(p, at->line, "'%s' is too large", v->name);
        v->bytes *= n;
        ptx_expect(p, ']');
    }
    return v;
}

/* The rest of a declaration behind `.shared` and its kin. */
static void parse_vars(Parser *p, PtxSpace space, bool is_const, bool is_extern)
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
        declare(p, v->name, (Symbol){.kind = SYMBOL_VAR, .var = v});
        if (ptx_mark(p, '=')) {
            if (space != SPACE_GLOBAL)
                ptx_error(p, p->token->line, "only global memory has initial values");
            take_initialiser(p, v, t.type, &filled);
        }
    } while (ptx_mark(p, ','));
    ptx_expect(p, ';');
}

/* `.reg .b32 %r<5>, t;` */
static void parse_regs(Parser *p)
{
    int bits = ptx_type_bits[take_type(p)];

    do {
        Sym name = ptx_word(p, "a register");

        if (!ptx_mark(p, '<')) {
            declare(p, name,
                    (Symbol){.kind = SYMBOL_REG, .bits = bits, .place = place_new(p, bits)});
            continue;
        }
        uint64_t n = take_number(p);
        ptx_expect(p, '>');
        if (n > 1000000)
            ptx_error(p, p->token->line, "too many registers");
        for (uint64_t i = 0; i < n; i++) {
            char numbered[200];

            snprintf(numbered, sizeof numbered, "%s%d", name, (int)i);
            declare(p, intern(p->names, numbered),
                    (Symbol){.kind = SYMBOL_REG, .bits = bits, .place = place_new(p, bits)});
        }
    } while (ptx_mark(p, ','));
    ptx_expect(p, ';');
}

/* Where a directive says what is in force from here on. */
static void parse_loc(Parser *p)
{
    uint32_t line = p->token->line;
    PtxPlace place = {.file_number = (int)take_number(p)};

    place.line = (int)take_number(p);
    place.column = (int)take_number(p);
    while (p->token->kind != TOKEN_END && p->token->line == line)
        p->token++; /* where it was inlined */
    if (place.line == 0) {
        p->source = 0;
        return;
    }
    vec_push(p->m->arena, &p->m->places, place);
    p->source = (uint32_t)p->m->places.len - 1;
}

static void parse_file(Parser *p)
{
    uint32_t line = p->token->line;
    uint64_t number = take_number(p);

    if (p->token->kind != TOKEN_STRING || number > 10000)
        ptx_error(p, p->token->line, "no file");
    while ((uint64_t)p->files.len <= number)
        vec_push(p->scratch, &p->files, NULL);
    p->files.at[number] = p->token++->word;
    while (p->token->kind != TOKEN_END && p->token->line == line)
        p->token++; /* its time and size */
}

/* Debug data: everything to the closing brace. */
static void skip_section(Parser *p)
{
    while (p->token->kind != TOKEN_END && !ptx_mark(p, '{'))
        p->token++;
    while (p->token->kind != TOKEN_END && !ptx_mark(p, '}'))
        p->token++;
}

static void skip_pragma(Parser *p)
{
    while (p->token->kind == TOKEN_STRING || ptx_mark(p, ','))
        p->token += p->token->kind == TOKEN_STRING;
    ptx_mark(p, ';');
}

/* A declaration that both a module and a function may have.  False: it is another directive. */
static bool parse_common(Parser *p)
{
    static const struct {
        const char *word;
        PtxSpace space;
        bool is_const;
    } spaces[] = {{".shared", SPACE_SHARED, false},
                  {".local", SPACE_LOCAL, false},
                  {".global", SPACE_GLOBAL, false},
                  {".const", SPACE_GLOBAL, true}};
    bool is_extern = take_word(p, ".extern");

    if (take_word(p, ".visible") || take_word(p, ".weak") || take_word(p, ".common"))
        is_extern = false;
    for (int i = 0; i < COUNT(spaces); i++) {
        if (take_word(p, spaces[i].word)) {
            parse_vars(p, spaces[i].space, spaces[i].is_const, is_extern);
            return true;
        }
    }
    if (take_word(p, ".loc"))
        parse_loc(p);
    else if (take_word(p, ".file"))
        parse_file(p);
    else if (take_word(p, ".pragma"))
        skip_pragma(p);
    else
        return false;
    return true;
}

/* functions */

/* A label, or the table of `NAME: .branchtargets A, B;`. */
static void parse_label(Parser *p)
{
    Sym name = ptx_word(p, "a label");

    if (map_get(p->scope->symbols, MAP_KEY(name)))
        ptx_error(p, p->token->line, "'%s' is declared twice", name);
    ptx_expect(p, ':');
    if (!take_word(p, ".branchtargets")) {
        declare(p, name, (Symbol){.kind = SYMBOL_LABEL, .place = (uint32_t)p->m->code.len});
        return;
    }
    VEC(Sym) labels = {0};
    do
        vec_push(p->scratch, &labels, ptx_word(p, "a label"));
    while (ptx_mark(p, ','));
    PtxJumps jumps = {.targets = NEW_N(p->m->arena, uint32_t, labels.len), .count = labels.len};
    for (int i = 0; i < labels.len; i++) {
        Fixup f = {.label = labels.at[i],
                   .depth = p->depth,
                   .in_jumps = &jumps.targets[i],
                   .line = p->token->line};

        vec_push(p->scratch, &p->fixups, f);
    }
    declare(p, name, (Symbol){.kind = SYMBOL_JUMPS, .place = (uint32_t)p->m->jumps.len});
    vec_push(p->m->arena, &p->m->jumps, jumps);
    ptx_expect(p, ';');
}

/* An instruction with its `@p` or `@!p`. */
static void parse_inst(Parser *p)
{
    Inst in = {.guard = NO_OPERAND,
               .target = NO_TARGET,
               .meet = NO_TARGET,
               .count = 1,
               .line = p->token->line,
               .place = p->source};

    if (ptx_mark(p, '@')) {
        in.guard_not = ptx_mark(p, '!');
        Sym name = ptx_word(p, "a predicate");
        Symbol *s = ptx_lookup(p, name);

        if (!s || s->kind != SYMBOL_REG || s->bits != 1)
            ptx_error(p, in.line, "'%s' is no predicate", name);
        in.guard = s->place;
    }
    if (p->token->kind != TOKEN_WORD)
        ptx_error(p, p->token->line, "an instruction is missing");
    decode_inst(p, in);
}

/* An argument of a call, declared where it is called: one place for each thread. */
static void parse_call_param(Parser *p)
{
    VarType t = take_var_type(p);

    do {
        PtxVar *v = take_var_name(p, SPACE_LOCAL, t);

        place_var(p, v, MAX(t.align, 8), false);
        declare(p, v->name, (Symbol){.kind = SYMBOL_VAR, .var = v});
    } while (ptx_mark(p, ','));
    ptx_expect(p, ';');
}

static void parse_statement(Parser *p)
{
    bool is_label =
        p->token->kind == TOKEN_WORD && p->token[1].kind == TOKEN_MARK && p->token[1].mark == ':';

    if (ptx_mark(p, ';'))
        return;
    if (is_label)
        parse_label(p);
    else if (p->token->kind != TOKEN_WORD || p->token->word[0] != '.')
        parse_inst(p);
    else if (take_word(p, ".reg"))
        parse_regs(p);
    else if (take_word(p, ".param"))
        parse_call_param(p);
    else if (!parse_common(p))
        ptx_error(p, p->token->line, "unknown directive '%s'", p->token->word);
}

static void parse_body(Parser *p)
{
    int depth = p->depth;

    open_scope(p);
    while (p->depth > depth) {
        if (p->token->kind == TOKEN_END)
            ptx_error(p, p->token->line, "a function does not end");
        if (ptx_mark(p, '{'))
            open_scope(p);
        else if (ptx_mark(p, '}'))
            close_scope(p);
        else
            parse_statement(p);
    }
}

/* `(.param ..., .param ...)`; a kernel's lie 8 bytes apart, a function's in every thread. */
static void parse_params(Parser *p, PtxFunc *f, bool results)
{
    uint64_t at = 0;

    while (!ptx_mark(p, ')')) {
        if (!take_word(p, ".param"))
            ptx_error(p, p->token->line, "'.param' is missing");
        VarType t = take_var_type(p);
        PtxVar *v = take_var_name(p, f->is_entry ? SPACE_PARAM : SPACE_LOCAL, t);

        v->address = at;
        at += 8;
        if (f->is_entry && v->bytes > 8)
            ptx_error(p, p->token->line, "'%s' has more than 8 bytes", v->name);
        if (!f->is_entry)
            place_var(p, v, MAX(t.align, 8), false);
        declare(p, v->name, (Symbol){.kind = SYMBOL_VAR, .var = v});
        if (results)
            vec_push(p->m->arena, &f->results, v);
        else
            vec_push(p->m->arena, &f->params, v);
        ptx_mark(p, ',');
    }
}

/* What stands between a function's parameters and its body, as far as it matters here. */
static void parse_tuning(Parser *p, PtxFunc *f)
{
    while (p->token->kind == TOKEN_WORD) {
        uint32_t line = p->token->line;
        Sym word = p->token++->word;
        int n = 1;

        if (strcmp(word, ".pragma") == 0) {
            skip_pragma(p);
            continue;
        }
        if (strcmp(word, ".noreturn") == 0 || strcmp(word, ".explicitcluster") == 0)
            continue;
        if (p->token->kind != TOKEN_NUMBER)
            ptx_error(p, line, "unknown directive '%s'", word);
        do {
            uint64_t factor = take_number(p);

            n = factor < 65536 / (uint64_t)MAX(n, 1) ? n * (int)factor : 65536;
        } while (ptx_mark(p, ','));
        if (strcmp(word, ".maxntid") == 0 || strcmp(word, ".reqntid") == 0)
            f->threads = n;
        else if (strcmp(word, ".minnctapersm") != 0 && strcmp(word, ".maxnreg") != 0)
            ptx_error(p, line, "unknown directive '%s'", word);
    }
}

static PtxFunc *function_named(Parser *p, Sym name)
{
    for (PtxFunc *f = p->m->funcs; f; f = f->next) {
        if (f->name == name)
            return f;
    }
    return NULL;
}

/* A function may be declared before it is defined; its parameters then are the definition's. */
static PtxFunc *new_function(Parser *p, bool is_entry)
{
    PtxFunc *f = NEW(p->m->arena, PtxFunc);

    f->is_entry = is_entry;
    f->next = p->m->funcs;
    return f;
}

static void define_function(Parser *p, PtxFunc *f)
{
    f->is_defined = true;
    f->first = (uint32_t)p->m->code.len;
    p->func = f;
    p->source = 0;
    parse_body(p);
    f->end = (uint32_t)p->m->code.len;
    Inst end = {.guard = NO_OPERAND, .target = NO_TARGET, .meet = NO_TARGET};
    vec_push(p->m->arena, &p->m->code, end);
    p->func = NULL;
}

static void add_kernel(Parser *p, const PtxFunc *f)
{
    SimKernel **last = &p->m->kernels;

    while (*last)
        last = &(*last)->next;
    *last = NEW(p->m->arena, SimKernel);
    **last = (SimKernel){.module = p->m, .func = f};
}

static void parse_function(Parser *p, bool is_entry)
{
    PtxFunc *f = new_function(p, is_entry), *before;
    uint32_t line = p->token->line;

    open_scope(p);
    if (ptx_mark(p, '('))
        parse_params(p, f, true);
    f->name = ptx_word(p, "a name");
    if (ptx_mark(p, '('))
        parse_params(p, f, false);
    parse_tuning(p, f);
    before = function_named(p, f->name);
    if (before && (before->is_defined || before->params.len != f->params.len ||
                   before->results.len != f->results.len))
        ptx_error(p, line, "'%s' is defined twice", f->name);
    if (before) { /* calls have its parameters */
        for (int i = 0; i < f->params.len; i++)
            before->params.at[i]->same_as = f->params.at[i];
        for (int i = 0; i < f->results.len; i++)
            before->results.at[i]->same_as = f->results.at[i];
        PtxFunc *next = before->next;
        f->next = next;
        *before = *f;
        f = before;
    } else {
        p->m->funcs = f;
        Scope *inner = p->scope;
        p->scope = inner->outer;
        declare(p, f->name, (Symbol){.kind = SYMBOL_FUNC, .func = f});
        p->scope = inner;
    }
    if (!ptx_mark(p, ';')) {
        ptx_expect(p, '{');
        define_function(p, f);
    }
    p->scope = p->scope->outer;
    p->depth--;
    if (is_entry && f->is_defined)
        add_kernel(p, f);
}

static void parse_directive(Parser *p)
{
    uint32_t line = p->token->line;

    if (take_word(p, ".version") || take_word(p, ".address_size")) {
        p->token++;
    } else if (take_word(p, ".target")) {
        do
            ptx_word(p, "a target");
        while (ptx_mark(p, ','));
    } else if (take_word(p, ".section")) {
        skip_section(p);
    } else if (!parse_common(p)) {
        /* `.visible` and the like are behind us by now */
        if (take_word(p, ".entry"))
            parse_function(p, true);
        else if (take_word(p, ".func"))
            parse_function(p, false);
        else
            ptx_error(p, line, "unknown directive");
    }
}

void ptx_module(Parser *p)
{
    open_scope(p);
    vec_push(p->m->arena, &p->m->places, ((PtxPlace){0}));
    while (p->token->kind != TOKEN_END)
        parse_directive(p);
    for (int i = 0; i < p->m->places.len; i++) {
        PtxPlace *place = &p->m->places.at[i];

        if (place->file_number < p->files.len && p->files.at[place->file_number])
            place->file = p->files.at[place->file_number];
    }
}
