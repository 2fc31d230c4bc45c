/*
 * scan.c - find the functions, classes, imports and assignments of a file
 *
 * Reads logical lines and looks at the first word of each; everything else about host code is
 * skipped, whatever it says.  Blocks are followed by indentation alone: a frame is a `def`,
 * `class`, `except`, or an `if` or loop, that the current line stands in.
 */
#include <string.h>

#include "parse.h"
#include "scan.h"

typedef struct {
    int indent;            /* of the line that opens it; deeper lines belong to it */
    int def;               /* index of the nearest `def`, or -1 */
    bool is_def;           /* this frame is that `def` */
    const AstScope *scope; /* what names inside are local to; NULL = the module */
    bool in_except;
    const AstChoice *choice; /* inside an `if` or a loop of that scope */
    /* the last arm of an `if` right in this frame, which `elif` or `else` may follow */
    const AstChoice *arm;
} Frame;

typedef struct {
    Arena *arena;
    Interner *interner;
    const Source *source;
    const char *text; /* of `source`; lines have indices into it */
    Scan *out;
    VEC(Frame) frames; /* innermost last; the first is the module */
    VEC(Span) decorators;
} Scanner;

static Span line_span(const Scanner *s, const Line *line)
{
    return source_span(s->source, line->start, line->end);
}

static Frame *innermost(Scanner *s)
{
    return &s->frames.at[s->frames.len - 1];
}

/* Leave the frames that a line indented by `indent` is not in; they end at `end`. */
static void close_frames(Scanner *s, int indent, uint32_t end)
{
    while (indent <= innermost(s)->indent) {
        const Frame *f = innermost(s);

        if (f->is_def)
            s->out->defs.at[f->def].extent.end = s->source->base + end;
        s->frames.len--;
    }
}

/* Word number `index` of the line; empty when there is none. */
static Sym word_at(Scanner *s, const Line *line, int index)
{
    uint32_t pos = line->start, n = 0;

    for (;; index--, pos += n) {
        line_indent(s->text, &pos, line->end);
        for (n = 0; pos + n < line->end && is_name_char(s->text[pos + n]);)
            n++;
        if (index == 0)
            return intern_n(s->interner, s->text + pos, n);
    }
}

static const AstScope *new_scope(Scanner *s, Sym name, bool is_class)
{
    AstScope *scope = NEW(s->arena, AstScope);

    *scope = (AstScope){name, innermost(s)->scope, is_class};
    return scope;
}

/* Those that stand in front of the line; gives how many there are. */
static int take_decorators(Scanner *s, Span **out)
{
    int n = s->decorators.len;

    *out = NEW_N(s->arena, Span, MAX(n, 1));
    for (int i = 0; i < n; i++)
        (*out)[i] = s->decorators.at[i];
    return n;
}

static void open_def(Scanner *s, const Line *line)
{
    Frame f = *innermost(s);
    ScanDef d = {
        .extent = line_span(s, line), .indent = line->indent, .scope = f.scope, .inside = f.def};

    d.in_except = f.in_except;
    d.choice = f.choice;
    d.ndecorators = take_decorators(s, &d.decorators);
    f.indent = line->indent;
    f.def = s->out->defs.len;
    f.is_def = true;
    f.choice = NULL;
    f.arm = NULL;
    f.scope = d.body = new_scope(s, word_at(s, line, 1), false);
    vec_push(s->arena, &s->out->defs, d);
    vec_push(s->arena, &s->frames, f);
}

/* A class, or an `async def`, which is never a kernel but may hold some. */
static void open_scope(Scanner *s, const Line *line, Sym name, bool is_class)
{
    Frame f = *innermost(s);

    f.indent = line->indent;
    f.is_def = false;
    f.choice = NULL;
    f.arm = NULL;
    f.scope = new_scope(s, name, is_class);
    vec_push(s->arena, &s->frames, f);
}

static void open_class(Scanner *s, const Line *line)
{
    const Frame *around = innermost(s);
    ScanClass c = {.header = line_span(s, line),
                   .scope = around->scope,
                   .in_except = around->in_except,
                   .choice = around->choice};

    c.header.start += (uint32_t)strlen("class");
    c.ndecorators = take_decorators(s, &c.decorators);
    open_scope(s, line, word_at(s, line, 1), true);
    c.body = innermost(s)->scope;
    vec_push(s->arena, &s->out->classes, c);
}

static void open_except(Scanner *s, const Line *line)
{
    Frame f = *innermost(s);

    f.indent = line->indent;
    f.is_def = false;
    f.in_except = true;
    f.arm = NULL;
    vec_push(s->arena, &s->frames, f);
}

/* --- imports --- */

/* dotted = ('.' | '...')* [NAME ('.' NAME)*] */
static Sym dotted(Parser *p)
{
    uint32_t start = p->tok.span.start;

    while (p->tok.kind == T_DOT || p->tok.kind == T_ELLIPSIS)
        advance(p);
    while (accept(p, T_NAME) && accept(p, T_DOT))
        continue;
    return intern_n(p->interner, parse_text(p, start), MAX(p->last_end, start) - start);
}

/* The package for Python has Triton's modules under a name of its own: tilec.language is
 * triton.language. */
static Sym as_triton(Scanner *s, Sym module)
{
    static const char ours[] = "tilec";
    size_t n = strlen(ours);

    if (strncmp(module, ours, n) != 0 || (module[n] && module[n] != '.'))
        return module;
    return intern(s->interner, arena_printf(s->arena, "triton%s", module + n));
}

static void add_import(Scanner *s, Parser *p, uint32_t start, Sym module, Sym member, Sym name)
{
    AstImport i = {.name = name,
                   .module = as_triton(s, module),
                   .member = member,
                   .span = {start, p->last_end},
                   .choice = innermost(s)->choice,
                   .goes_last = innermost(s)->in_except};

    i.goes_last |= innermost(s)->scope != NULL;
    if (p->tok.kind != T_FAILED)
        vec_push(s->arena, &s->out->imports, i);
}

/* `import a.b` binds a; `import a.b as c` binds c to a.b. */
static void import_module(Scanner *s, Parser *p)
{
    uint32_t start = p->tok.span.start;
    Sym module = dotted(p);
    size_t root = strcspn(module, ".");

    if (accept(p, T_as))
        add_import(s, p, start, module, NULL, expect_name(p));
    else if (root > 0)
        add_import(s, p, start, intern_n(s->interner, module, root), NULL,
                   intern_n(s->interner, module, root));
}

static void import_member(Scanner *s, Parser *p, Sym module)
{
    uint32_t start = p->tok.span.start;
    Sym member, name;

    if (accept(p, T_STAR)) {
        member = intern(s->interner, "*");
        add_import(s, p, start, module, member, member);
        return;
    }
    member = name = expect_name(p);
    if (accept(p, T_as))
        name = expect_name(p);
    add_import(s, p, start, module, member, name);
}

/* import = 'import' module (',' module)* | 'from' dotted 'import' ['('] member (',' member)* [')']
 * imports = import (';' import)* */
static void imports(Scanner *s, const Line *line)
{
    Parser p;
    Sym module;

    parser_init(&p, s->arena, s->interner, s->source, line_span(s, line));
    do {
        if (accept(&p, T_import)) {
            do
                import_module(s, &p);
            while (accept(&p, T_COMMA));
        } else if (accept(&p, T_from)) {
            module = dotted(&p);
            expect(&p, T_import);
            accept(&p, T_LPAREN);
            do
                import_member(s, &p, module);
            while (accept(&p, T_COMMA) && p.tok.kind != T_RPAREN);
            accept(&p, T_RPAREN);
        }
    } while (accept(&p, T_SEMICOLON));
}

/* changes = 'global' NAME (',' NAME)* */
static void changes(Scanner *s, const Line *line)
{
    Parser p;

    parser_init(&p, s->arena, s->interner, s->source, line_span(s, line));
    do {
        advance(&p);
        if (p.tok.kind == T_NAME)
            vec_push(s->arena, &s->out->changed, p.tok.name);
    } while (accept(&p, T_NAME) && p.tok.kind == T_COMMA);
}

/* --- assignments --- */

/* Those of functions wait until it is known whether there is a kernel inside. */
static void assignments(Scanner *s, const Line *line)
{
    const Frame *f = innermost(s);
    ScanLine l = {line_span(s, line), f->scope, f->in_except, f->choice};

    if (f->scope)
        vec_push(s->arena, &s->out->locals, l);
    else
        scan_assignments(s->arena, s->interner, s->source, &l, &s->out->globals);
}

static bool begins_with(const Scanner *s, const Line *line, const char *word)
{
    size_t n = strlen(word);
    const char *text = s->text + line->start;

    return line->end - line->start > n && memcmp(text, word, n) == 0 && !is_name_char(text[n]);
}

/* An arm of an `if` knows what stands in front of it; a loop or a `case` knows nothing. */
static const AstChoice *new_choice(Scanner *s, const Line *line)
{
    const Frame *around = innermost(s);
    AstChoice *c = NEW(s->arena, AstChoice);
    bool follows = begins_with(s, line, "elif") || begins_with(s, line, "else");

    *c = (AstChoice){.outer = around->choice, .scope = around->scope};
    if (follows)
        c->before = around->arm;
    c->has_test = begins_with(s, line, "elif") || begins_with(s, line, "if");
    c->header = line_span(s, line);
    return c;
}

/* What is no `elif` or `else` ends an `if`. */
static void end_arms(Scanner *s, const Line *line)
{
    Frame *f = innermost(s);

    if (f->arm && !begins_with(s, line, "elif") && !begins_with(s, line, "else"))
        f->arm = NULL;
}

/* The block of an `if` or a loop, which may begin, and end, behind the colon. */
static void open_choice(Scanner *s, const Line *line)
{
    Frame *around = innermost(s), f = *around;

    f.indent = line->indent;
    f.is_def = false;
    f.choice = around->arm = new_choice(s, line);
    f.arm = NULL;
    vec_push(s->arena, &s->frames, f);
    assignments(s, line);
}

/* Is it an operator with `=` behind it, as in `NAME += value`? */
static bool is_augmenting(const char *text, const char *end)
{
    static const char *const operators[] = {"+", "-", "*",  "/",  "%",  "&", "|",
                                            "^", "@", "**", "//", "<<", ">>"};

    for (int i = 0; i < COUNT(operators); i++) {
        size_t n = strlen(operators[i]);

        if ((size_t)(end - text) > n && memcmp(operators[i], text, n) == 0 && text[n] == '=')
            return true;
    }
    return false;
}

/* Is it the call of a method that puts something behind a list? */
static bool is_appending(const char *text, const char *end)
{
    static const char *const methods[] = {".append(", ".extend("};

    for (int i = 0; i < COUNT(methods); i++) {
        size_t n = strlen(methods[i]);

        if ((size_t)(end - text) > n && memcmp(methods[i], text, n) == 0)
            return true;
    }
    return false;
}

/* Is this `NAME =`, `NAME :`, `NAME ,`, `NAME op=` or `NAME.append(` with a word of n letters that
 * is no keyword, or targets in brackets? */
static bool is_assignment(const Scanner *s, const Line *line, uint32_t n)
{
    static const char *const others[] = {"else", "try", "finally", "except", "lambda"};
    uint32_t pos = line->start + n;
    char c, next;

    line_indent(s->text, &pos, line->end);
    c = pos < line->end ? s->text[pos] : '\0';
    next = pos + 1 < line->end ? s->text[pos + 1] : '\0';
    for (int i = 0; i < COUNT(others); i++) {
        if (strlen(others[i]) == n && memcmp(others[i], s->text + line->start, n) == 0)
            return false;
    }
    if (n == 0)
        return c == '(' || c == '[' || c == '*';
    return c == ':' || c == ',' || (c == '=' && next != '=') ||
           is_augmenting(s->text + pos, s->text + line->end) ||
           is_appending(s->text + pos, s->text + line->end);
}

/* --- what a line may begin with --- */

typedef enum {
    WORD_OTHER,
    WORD_DEF,
    WORD_CLASS,
    WORD_ASYNC,
    WORD_EXCEPT,
    WORD_IMPORT,
    WORD_GLOBAL,
    WORD_CHOICE, /* may not be run, or more than once */
    WORD_CASE    /* the same, but no keyword */
} Word;

static const struct {
    const char *text;
    Word word;
} words[] = {
    {"def", WORD_DEF},       {"class", WORD_CLASS},   {"async", WORD_ASYNC},
    {"except", WORD_EXCEPT}, {"import", WORD_IMPORT}, {"from", WORD_IMPORT},
    {"global", WORD_GLOBAL}, {"if", WORD_CHOICE},     {"elif", WORD_CHOICE},
    {"else", WORD_CHOICE},   {"for", WORD_CHOICE},    {"while", WORD_CHOICE},
    {"case", WORD_CASE},
};

static Word first_word(const Scanner *s, const Line *line, uint32_t *n)
{
    const char *text = s->text + line->start;

    *n = 0;
    if (!is_name_start(text[0]))
        return WORD_OTHER;
    while (line->start + *n < line->end && is_name_char(text[*n]))
        ++*n;
    for (int i = 0; i < COUNT(words); i++) {
        if (strlen(words[i].text) == *n && memcmp(words[i].text, text, *n) == 0)
            return words[i].word;
    }
    return WORD_OTHER;
}

/* Where the header of a class ends, behind its colon; brackets and texts may have others. */
static uint32_t behind_header(const Scanner *s, const Line *line)
{
    int depth = 0;
    char quote = '\0';

    for (uint32_t pos = line->start; pos < line->end; pos++) {
        char c = s->text[pos];

        if (quote)
            quote = c == quote ? '\0' : quote;
        else if (c == '\'' || c == '"')
            quote = c;
        else if (c == '(' || c == '[' || c == '{')
            depth++;
        else if (c == ')' || c == ']' || c == '}')
            depth--;
        else if (c == ':' && depth == 0)
            return pos + 1;
    }
    return line->end;
}

/* What a class on one line assigns: `class Z: WIDTH = 16`. */
static void assignments_of_header(Scanner *s, const Line *line)
{
    Line rest = *line;
    uint32_t n;

    rest.start = behind_header(s, line);
    line_indent(s->text, &rest.start, rest.end);
    if (rest.start < rest.end && first_word(s, &rest, &n) == WORD_OTHER &&
        is_assignment(s, &rest, n))
        assignments(s, &rest);
}

static void scan_line(Scanner *s, const Line *line)
{
    uint32_t n;

    end_arms(s, line);
    if (s->text[line->start] == '@') {
        vec_push(s->arena, &s->decorators, source_span(s->source, line->start + 1, line->end));
        return;
    }
    switch (first_word(s, line, &n)) {
    case WORD_DEF:
        open_def(s, line);
        break;
    case WORD_CLASS:
        open_class(s, line);
        assignments_of_header(s, line);
        break;
    case WORD_ASYNC:
        if (strcmp(word_at(s, line, 1), "def") == 0)
            open_scope(s, line, word_at(s, line, 2), false);
        break;
    case WORD_EXCEPT:
        open_except(s, line);
        break;
    case WORD_IMPORT:
        imports(s, line);
        break;
    case WORD_GLOBAL:
        changes(s, line);
        break;
    case WORD_CHOICE:
        open_choice(s, line);
        break;
    case WORD_CASE:
        if (is_assignment(s, line, n))
            assignments(s, line);
        else
            open_choice(s, line);
        break;
    case WORD_OTHER:
        if (is_assignment(s, line, n))
            assignments(s, line);
        break;
    }
    s->decorators.len = 0;
}

void scan_file(Arena *a, Interner *interner, const Source *src, Scan *out)
{
    Scanner s = {.arena = a, .interner = interner, .source = src, .text = src->text, .out = out};
    uint32_t end = (uint32_t)src->len, pos = 0;
    Line line;

    if (end >= 3 && memcmp(src->text, "\xef\xbb\xbf", 3) == 0)
        pos = 3; /* byte order mark */
    vec_push(a, &s.frames, ((Frame){.indent = -1, .def = -1}));
    while (line_next(src->text, pos, end, &line)) {
        close_frames(&s, line.indent, pos);
        scan_line(&s, &line);
        pos = line.end;
    }
    close_frames(&s, 0, pos);
}
