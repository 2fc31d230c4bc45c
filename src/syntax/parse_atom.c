/*
 * parse_atom.c - names, literals, and what stands in brackets
 *
 * Displays and comprehensions share their beginnings: the first element is parsed before it is
 * known which of the two it begins.  Dicts, sets and generators have no meaning in a kernel, but
 * their parts are kept for tuning.c.
 */
#include "parse.h"
#include "messages.h"

/* --- atoms that are one token --- */

static Node *constant(Parser *p, NodeKind kind)
{
    Node *n = node_new(p, kind, p->tok.span.start);

    advance(p);
    return node_end(p, n);
}

static Node *integer(Parser *p)
{
    Node *n = node_new(p, N_INT, p->tok.span.start);
    const char *text = parse_text(p, n->span.start);

    if (!literal_int(text, p->tok.span.end - n->span.start, &n->integer))
        parse_error(p, p->tok.span, E_INTEGER_SIZE);
    advance(p);
    return node_end(p, n);
}

static Node *real(Parser *p)
{
    Node *n = node_new(p, N_FLOAT, p->tok.span.start);
    const char *text = parse_text(p, n->span.start);

    n->real = literal_float(p->arena, text, p->tok.span.end - n->span.start);
    advance(p);
    return node_end(p, n);
}

/* --- comprehensions --- */

/* generator = ['async'] 'for' targets 'in' disjunction ('if' disjunction)* */
static Node *generator(Parser *p)
{
    Node *n = node_new(p, N_COMPREHENSION, p->tok.span.start);
    int mark = p->list.len;

    accept(p, T_async);
    expect(p, T_for);
    n->right = parse_targets(p);
    expect(p, T_in);
    n->extra = parse_disjunction(p);
    while (accept(p, T_if)) {
        Node *condition = parse_disjunction(p);

        vec_push(p->arena, &p->list, condition);
    }
    n->items = list_take(p, mark, &n->nitems);
    return node_end(p, n);
}

bool at_generator(const Parser *p)
{
    return p->tok.kind == T_for || p->tok.kind == T_async;
}

/* comprehension = element generator+, `element` being there already.  `n` gets the generators. */
void parse_generators(Parser *p, Node *n, Node *element)
{
    int mark = p->list.len;

    while (at_generator(p)) {
        Node *g = generator(p);

        vec_push(p->arena, &p->list, g);
    }
    n->left = element;
    n->items = list_take(p, mark, &n->nitems);
}

/* A list over one generator is a node of its own; all others are unsupported. */
static Node *simplify_list(Parser *p, Node *n)
{
    if (n->nitems == 1) {
        const Node *g = n->items[0];

        n->kind = N_COMPREHENSION;
        n->name = NULL;
        n->right = g->right;
        n->extra = g->extra;
        n->nitems = g->nitems;
        n->items = g->items;
    }
    return node_end(p, n);
}

/* --- displays: brackets with elements --- */

/* elements = [starred (',' starred)* [',']] up to the closing bracket; true if there was a comma.
 * Pushed to p->list. */
static bool elements(Parser *p, TokenKind closing)
{
    bool comma = false;

    while (p->tok.kind != closing && p->tok.kind != T_FAILED) {
        Node *n = parse_starred(p);

        vec_push(p->arena, &p->list, n);
        if (!accept(p, T_COMMA))
            break;
        comma = true;
    }
    return comma;
}

static Node *comprehension(Parser *p, const char *python_name, uint32_t start, int mark)
{
    Node *n = node_new(p, N_UNSUPPORTED_EXPR, start);

    n->name = intern(p->interner, python_name);
    parse_generators(p, n, p->list.at[mark]);
    p->list.len = mark;
    return n;
}

/* list = '[' elements ']' | '[' comprehension ']' */
static Node *list_display(Parser *p)
{
    uint32_t start = p->tok.span.start;
    int mark = p->list.len;
    Node *n;

    advance(p);
    elements(p, T_RSQUARE);
    if (at_generator(p) && p->list.len == mark + 1) {
        n = comprehension(p, "ListComp", start, mark);
        expect_closing(p, T_RSQUARE);
        return simplify_list(p, n);
    }
    n = node_new(p, N_LIST, start);
    n->items = list_take(p, mark, &n->nitems);
    expect_closing(p, T_RSQUARE);
    return node_end(p, n);
}

/* group = '(' (yield | named) ')' | '(' elements ')' | '(' comprehension ')' */
static Node *group(Parser *p)
{
    uint32_t start = p->tok.span.start;
    int mark = p->list.len;
    bool comma;
    Node *n;

    advance(p);
    if (p->tok.kind == T_yield) {
        n = parse_yield(p);
        expect_closing(p, T_RPAREN);
        return n;
    }
    comma = elements(p, T_RPAREN);
    if (at_generator(p) && p->list.len == mark + 1) {
        n = comprehension(p, "GeneratorExp", start, mark);
    } else if (p->list.len == mark + 1 && !comma && p->list.at[mark]->kind != N_STARRED) {
        n = p->list.at[mark];
        p->list.len = mark;
        expect_closing(p, T_RPAREN);
        return n;
    } else {
        n = node_new(p, N_TUPLE, start);
        n->items = list_take(p, mark, &n->nitems);
    }
    expect_closing(p, T_RPAREN);
    return node_end(p, n);
}

/* entry = '**' bitwise_or | expression ':' expression | starred; gives true for the first two */
static bool brace_entry(Parser *p)
{
    Node *key = node_new(p, N_DOUBLE_STARRED, p->tok.span.start), *value = NULL;
    bool is_dict = true;

    if (accept(p, T_POWER)) {
        key->left = parse_binary(p, 1);
        key = node_end(p, key);
    } else {
        key = parse_starred(p);
        is_dict = accept(p, T_COLON);
        if (is_dict)
            value = parse_expression(p);
    }
    vec_push(p->arena, &p->list, key);
    if (is_dict)
        vec_push(p->arena, &p->list, value);
    return is_dict;
}

/* braces = '{' [entry (',' entry)* [',']] '}' | '{' entry generator+ '}' */
static Node *braces(Parser *p)
{
    uint32_t start = p->tok.span.start;
    int mark = p->list.len;
    bool is_dict = true;
    Node *n;

    advance(p);
    while (p->tok.kind != T_RBRACE && p->tok.kind != T_FAILED) {
        is_dict = brace_entry(p);
        if (!accept(p, T_COMMA))
            break;
    }
    if (at_generator(p) && p->list.len > mark) {
        n = comprehension(p, is_dict ? "DictComp" : "SetComp", start, mark);
    } else {
        n = node_new(p, N_UNSUPPORTED_EXPR, start);
        n->name = intern(p->interner, is_dict ? "Dict" : "Set");
        n->items = list_take(p, mark, &n->nitems);
    }
    expect_closing(p, T_RBRACE);
    return node_end(p, n);
}

/* atom = NAME | INT | FLOAT | STRING+ | '...' | 'True' | 'False' | 'None' | group | list | braces
 */
Node *parse_atom(Parser *p)
{
    Node *n;

    switch (p->tok.kind) {
    case T_NAME:
        n = node_new(p, N_NAME, p->tok.span.start);
        n->name = p->tok.name;
        advance(p);
        return node_end(p, n);
    case T_INT:
        return integer(p);
    case T_FLOAT:
        return real(p);
    case T_STRING:
        return parse_strings(p);
    case T_ELLIPSIS:
        return constant(p, N_ELLIPSIS);
    case T_True:
        return constant(p, N_TRUE);
    case T_False:
        return constant(p, N_FALSE);
    case T_None:
        return constant(p, N_NONE);
    case T_LPAREN:
        return group(p);
    case T_LSQUARE:
        return list_display(p);
    case T_LBRACE:
        return braces(p);
    default:
        return parse_missing(p);
    }
}
