/*
 * parse.c - the directives, scopes and labels of PTX
 *
 * What is declared goes into scopes: the module, a function, and the braces of inline assembly,
 * which may declare registers and labels that are declared again elsewhere.  A branch to a label
 * that was not seen yet is searched when its scope ends, and then in the one around it.
 */
#include <limits.h>
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
    p->error->line = (int)line;
    if (line >= 1 && (int)line <= p->m->nlines)
        snprintf(p->error->line_text, sizeof p->error->line_text, "%s", p->m->lines[line - 1]);
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

bool ptx_take_word(Parser *p, const char *word)
{
    if (p->token->kind != TOKEN_WORD || strcmp(p->token->word, word) != 0)
        return false;
    p->token++;
    return true;
}

uint64_t ptx_take_number(Parser *p)
{
    if (p->token->kind != TOKEN_NUMBER)
        ptx_error(p, p->token->line, "a number is missing");
    return p->token++->value;
}

/* --- scopes --- */

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

void ptx_declare(Parser *p, Sym name, Symbol symbol)
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

/* Only brx.idx takes a table; all else goes to instructions. */
static bool is_target(const Parser *p, const Fixup *f, const Symbol *s)
{
    bool wants_jumps = !f->in_jumps && p->m->code.at[f->inst].run == p->table->jumps;

    return s && s->kind == (wants_jumps ? SYMBOL_JUMPS : SYMBOL_LABEL);
}

/* Search labels in the scope that ends; those that are not there go to the one around it. */
static void close_scope(Parser *p)
{
    int kept = 0;

    for (int i = 0; i < p->fixups.len; i++) {
        Fixup f = p->fixups.at[i];
        Symbol *s = f.depth == p->depth ? map_get(p->scope->symbols, MAP_KEY(f.label)) : NULL;

        if (is_target(p, &f, s)) {
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

static int take_int(Parser *p)
{
    uint64_t n = ptx_take_number(p);

    if (n > INT_MAX)
        ptx_error(p, p->token[-1].line, "a number is too large");
    return (int)n;
}

/* Where a directive says what is in force from here on. */
static void parse_loc(Parser *p)
{
    uint32_t line = p->token->line;
    PtxPlace place = {.file_number = take_int(p)};

    place.line = take_int(p);
    place.column = take_int(p);
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
    uint64_t number = ptx_take_number(p);

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
    bool is_extern = ptx_take_word(p, ".extern");

    if (ptx_take_word(p, ".visible") || ptx_take_word(p, ".weak") || ptx_take_word(p, ".common"))
        is_extern = false;
    for (int i = 0; i < COUNT(spaces); i++) {
        if (ptx_take_word(p, spaces[i].word)) {
            declare_vars(p, spaces[i].space, spaces[i].is_const, is_extern);
            return true;
        }
    }
    if (ptx_take_word(p, ".loc"))
        parse_loc(p);
    else if (ptx_take_word(p, ".file"))
        parse_file(p);
    else if (ptx_take_word(p, ".pragma"))
        skip_pragma(p);
    else
        return false;
    return true;
}

/* --- functions --- */

/* A label, or the table of `NAME: .branchtargets A, B;`. */
static void parse_label(Parser *p)
{
    Sym name = ptx_word(p, "a label");

    if (map_get(p->scope->symbols, MAP_KEY(name)))
        ptx_error(p, p->token->line, "'%s' is declared twice", name);
    ptx_expect(p, ':');
    if (!ptx_take_word(p, ".branchtargets")) {
        ptx_declare(p, name, (Symbol){.kind = SYMBOL_LABEL, .place = (uint32_t)p->m->code.len});
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
    ptx_declare(p, name, (Symbol){.kind = SYMBOL_JUMPS, .place = (uint32_t)p->m->jumps.len});
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
    else if (ptx_take_word(p, ".reg"))
        declare_regs(p);
    else if (ptx_take_word(p, ".param"))
        declare_call_params(p);
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

/* What stands between a function's parameters and its body, as far as it matters here. */
static void parse_tuning(Parser *p, PtxFunc *f)
{
    while (p->token->kind == TOKEN_WORD) {
        uint32_t line = p->token->line;
        Sym word = p->token->word;
        int n = 1;

        p->token++;
        if (strcmp(word, ".pragma") == 0) {
            skip_pragma(p);
            continue;
        }
        if (strcmp(word, ".noreturn") == 0 || strcmp(word, ".explicitcluster") == 0)
            continue;
        if (p->token->kind != TOKEN_NUMBER)
            ptx_error(p, line, "unknown directive '%s'", word);
        do {
            uint64_t factor = ptx_take_number(p);

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
    PtxKernel **last = &p->m->kernels;

    while (*last)
        last = &(*last)->next;
    *last = NEW(p->m->arena, PtxKernel);
    **last = (PtxKernel){.module = p->m, .func = f};
}

static void parse_function(Parser *p, bool is_entry)
{
    PtxFunc *f = new_function(p, is_entry), *before;
    uint32_t line = p->token->line;

    open_scope(p);
    if (ptx_mark(p, '('))
        declare_params(p, f, true);
    f->name = ptx_word(p, "a name");
    if (ptx_mark(p, '('))
        declare_params(p, f, false);
    parse_tuning(p, f);
    before = function_named(p, f->name);
    if (before && (before->is_defined || before->is_entry != is_entry ||
                   before->params.len != f->params.len || before->results.len != f->results.len))
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
        ptx_declare(p, f->name, (Symbol){.kind = SYMBOL_FUNC, .func = f});
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

    if (ptx_take_word(p, ".version") || ptx_take_word(p, ".address_size")) {
        ptx_take_number(p);
    } else if (ptx_take_word(p, ".target")) {
        do
            ptx_word(p, "a target");
        while (ptx_mark(p, ','));
    } else if (ptx_take_word(p, ".section")) {
        skip_section(p);
    } else if (!parse_common(p)) {
        /* `.visible` and the like are behind us by now */
        if (ptx_take_word(p, ".entry"))
            parse_function(p, true);
        else if (ptx_take_word(p, ".func"))
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
