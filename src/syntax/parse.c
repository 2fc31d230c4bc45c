/*
 * parse.c - the parser's tools, and function definitions
 *
 * Read parse.h first.  Errors are kept in the parser; who started it decides what to do with them.
 */
#define _GNU_SOURCE /* memmem */
#include <string.h>

#include "parse.h"
#include "messages.h"

void parser_init(Parser *p, Arena *a, Interner *interner, const Source *src, Span where)
{
    *p = (Parser){.arena = a, .interner = interner, .tok = {.span = {where.start, where.start}}};
    lex_init(&p->lex, interner, src, where);
    advance(p);
}

void parser_init_inside(Parser *p, Arena *a, Interner *interner, const Source *src)
{
    Span where = source_span(src, 0, (uint32_t)src->len);

    *p = (Parser){.arena = a, .interner = interner, .tok = {.span = {where.start, where.start}}};
    lex_init_inside(&p->lex, interner, src, where);
    advance(p);
}

const char *parse_text(const Parser *p, uint32_t place)
{
    return source_at(p->lex.source, place);
}

static void complain(Parser *p, Span where, const char *fmt, va_list ap)
{
    if (p->errors.len >= PARSE_MAX_ERRORS || p->tok.kind == T_FAILED)
        return;
    AstError e = {where, arena_vprintf(p->arena, fmt, ap)};
    vec_push(p->arena, &p->errors, e);
}

void parse_complaint(Parser *p, Span where, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    complain(p, where, fmt, ap);
    va_end(ap);
}

void parse_error(Parser *p, Span where, const char *fmt, ...)
{
    va_list ap;

    if (p->tok.kind == T_FAILED)
        return;
    va_start(ap, fmt);
    complain(p, where, fmt, ap);
    va_end(ap);
    p->error_at = p->tok.span.start;
    p->tok.kind = T_FAILED;
}

/* Blame the innermost open bracket.  False when none is open. */
static bool unclosed_error(Parser *p)
{
    Span opening;

    if (p->openings.len == 0)
        return false;
    opening = p->openings.at[p->openings.len - 1];
    parse_error(p, opening, E_UNCLOSED, *parse_text(p, opening.start));
    return true;
}

void parse_unexpected(Parser *p, const char *wanted)
{
    const Token *t = &p->tok;
    bool at_end = t->kind == T_NEWLINE || t->kind == T_END;

    if (at_end && unclosed_error(p)) /* lines end inside brackets only where the lexer gave up */
        return;
    if (t->kind == T_NAME)
        parse_error(p, t->span, E_EXPECTED_NAME, wanted, t->name, parse_advice(p));
    else
        parse_error(p, t->span, E_EXPECTED, wanted, token_text(t->kind), parse_advice(p));
}

static void note_bracket(Parser *p)
{
    switch (p->tok.kind) {
    case T_LPAREN:
    case T_LSQUARE:
    case T_LBRACE:
        vec_push(p->arena, &p->openings, p->tok.span);
        break;
    case T_RPAREN:
    case T_RSQUARE:
    case T_RBRACE:
        p->openings.len -= p->openings.len > 0;
        break;
    default:
        break;
    }
}

void advance(Parser *p)
{
    if (p->tok.kind == T_FAILED)
        return;
    note_bracket(p);
    if (p->tok.kind != T_NEWLINE && p->tok.kind != T_INDENT && p->tok.kind != T_DEDENT)
        p->last_end = p->tok.span.end;
    p->tok = lex_next(&p->lex);
    if (p->tok.kind == T_ERROR)
        parse_error(p, p->tok.span, "%s", p->tok.message);
}

bool accept(Parser *p, TokenKind kind)
{
    if (p->tok.kind != kind)
        return false;
    advance(p);
    return true;
}

void expect(Parser *p, TokenKind kind)
{
    if (!accept(p, kind))
        parse_unexpected(p, token_text(kind));
}

/* Will the logical line that the parser is in end with a bracket open? */
static bool line_is_unclosed(const Parser *p)
{
    Lexer ahead = p->lex;
    TokenKind kind = p->tok.kind;

    while (kind != T_NEWLINE && kind != T_END)
        kind = lex_next(&ahead).kind;
    return ahead.unclosed || ahead.brackets > ahead.inside;
}

void expect_closing(Parser *p, TokenKind kind)
{
    if (accept(p, kind) || p->tok.kind == T_FAILED)
        return;
    if (!line_is_unclosed(p) || !unclosed_error(p))
        parse_unexpected(p, arena_printf(p->arena, "`,` or %s", token_text(kind)));
}

Sym expect_name(Parser *p)
{
    Sym name = p->tok.name;

    if (p->tok.kind != T_NAME) {
        expect(p, T_NAME);
        return intern(p->interner, "");
    }
    advance(p);
    return name;
}

bool parse_enter(Parser *p)
{
    if (++p->depth > PARSE_MAX_DEPTH)
        parse_error(p, p->tok.span, E_NESTED_DEEP);
    return p->tok.kind != T_FAILED;
}

void parse_leave(Parser *p)
{
    p->depth--;
}

Node *node_new(Parser *p, NodeKind kind, uint32_t start)
{
    Node *n = NEW(p->arena, Node);

    n->kind = kind;
    n->span.start = start;
    return n;
}

static int deepest(Node *const *nodes, int n, int depth)
{
    for (int i = 0; i < n; i++) {
        if (nodes[i])
            depth = MAX(depth, nodes[i]->depth);
    }
    return depth;
}

Node *node_end(Parser *p, Node *n)
{
    Node *const children[] = {n->left, n->right, n->extra};

    n->span.end = MAX(p->last_end, n->span.start);
    n->depth = deepest(children, COUNT(children), 0);
    n->depth = deepest(n->items, n->nitems, n->depth);
    n->depth = deepest(n->body, n->nbody, n->depth);
    n->depth = deepest(n->orelse, n->norelse, n->depth) + 1;
    if (n->depth > AST_MAX_DEPTH)
        parse_error(p, n->span, E_LEVELS);
    return n;
}

Node *node_unsupported(Parser *p, NodeKind kind, const char *python_name, uint32_t start)
{
    Node *n = node_new(p, kind, start);

    n->name = intern(p->interner, python_name);
    return node_end(p, n);
}

Node **list_take(Parser *p, int mark, int *n)
{
    Node **items = NULL;

    *n = p->list.len - mark;
    if (*n > 0) {
        items = NEW_N(p->arena, Node *, *n);
        memcpy(items, p->list.at + mark, sizeof(Node *) * (size_t)*n);
    }
    p->list.len = mark;
    return items;
}

/* --- functions --- */

typedef VEC(AstParam) ParamList;

static bool mentions_constexpr(const Parser *p, const Node *annotation)
{
    const char *text = parse_text(p, annotation->span.start);

    return memmem(text, annotation->span.end - annotation->span.start, "constexpr", 9) != NULL;
}

/* parameter = ['*'] NAME [':' expression] ['=' expression] */
static AstParam parameter(Parser *p)
{
    AstParam param = {.span = p->tok.span};

    param.is_star = accept(p, T_STAR);
    param.name = expect_name(p);
    if (accept(p, T_COLON)) {
        accept(p, T_STAR);
        param.annotation = parse_expression(p);
        param.is_constexpr = mentions_constexpr(p, param.annotation);
    }
    if (accept(p, T_ASSIGN))
        param.default_value = parse_expression(p);
    param.span.end = p->last_end;
    return param;
}

/* What Python, or R19, says about one more parameter behind those in `list`. */
static void check_parameter(Parser *p, const ParamList *list, Map *seen, const AstParam *param)
{
    const AstParam *last = list->len ? &list->at[list->len - 1] : NULL;

    if (map_get(seen, MAP_KEY(param->name)))
        parse_error(p, param->span, E_PARAM_TWICE, param->name);
    if (param->is_star && param->by_name)
        parse_error(p, param->span, E_PARAM_STARS);
    if (last && last->default_value && !param->default_value && !param->is_star && !param->by_name)
        parse_error(p, param->span, E_PARAM_DEFAULT, param->name);
    map_put(seen, MAP_KEY(param->name), seen);
}

static bool at_bare_star(const Parser *p)
{
    Lexer ahead = p->lex;

    return p->tok.kind == T_STAR && lex_next(&ahead).kind == T_COMMA;
}

/* parameters = [(parameter | '/' | '*' | '**' NAME) (',' ...)* [',']] */
static void parameters(Parser *p, AstFunc *f)
{
    ParamList list = {0};
    Map *seen = map_new(p->arena);
    bool by_name = false; /* behind a star */

    while (p->tok.kind != T_RPAREN && p->tok.kind != T_FAILED) {
        if (p->tok.kind == T_POWER) {
            parse_error(p, p->tok.span, E_PARAM_DICT);
        } else if (!by_name && at_bare_star(p)) {
            by_name = accept(p, T_STAR);
        } else if (!(p->tok.kind == T_SLASH && list.len > 0 && accept(p, T_SLASH))) {
            AstParam param = parameter(p);

            param.by_name = by_name;
            by_name |= param.is_star;
            check_parameter(p, &list, seen, &param);
            vec_push(p->arena, &list, param);
        }
        if (!accept(p, T_COMMA))
            break;
    }
    f->params = list.at;
    f->nparams = list.len;
}

/* Bytes of one function: its tree takes up to a hundred times as many. */
enum { MOST_FUNCTION_TEXT = 4 << 20 };

/* function = 'def' NAME ['[' ... ']'] '(' parameters ')' ['->' expression] ':' block */
static void function(Parser *p, AstFunc *f)
{
    expect(p, T_def);
    f->name = expect_name(p);
    if (p->tok.kind == T_LSQUARE)
        parse_error(p, p->tok.span, E_TYPE_PARAMS);
    expect(p, T_LPAREN);
    parameters(p, f);
    expect_closing(p, T_RPAREN);
    if (accept(p, T_ARROW))
        parse_expression(p);
    expect(p, T_COLON);
    f->span = (Span){f->extent.start, p->last_end};
    if (f->extent.end - f->extent.start > MOST_FUNCTION_TEXT)
        parse_error(p, f->span, E_FUNCTION_TEXT, (long)(f->extent.end - f->extent.start) >> 10,
                    MOST_FUNCTION_TEXT >> 10);
    else
        f->body = parse_block(p, &f->nbody);
}

void parse_function(Arena *a, Interner *interner, const Source *src, AstFunc *f)
{
    Parser p;

    parser_init(&p, a, interner, src, f->extent);
    function(&p, f);
    f->errors = p.errors.at;
    f->nerrors = p.errors.len;
}
