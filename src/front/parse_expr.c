/*
 * parse_expr.c - expressions
 *
 * Python's expression grammar, the production above each function.  What the language has no
 * meaning for becomes N_UNSUPPORTED_EXPR under the name of Python's own AST class, since a static
 * `if` may hold it in an arm that is never looked at (R21, R100).
 */
#include <string.h>

#include "parse.h"
#include "syntax.h"

bool starts_expression(TokenKind kind)
{
    switch (kind) {
    case T_NAME:
    case T_INT:
    case T_FLOAT:
    case T_STRING:
    case T_LPAREN:
    case T_LSQUARE:
    case T_LBRACE:
    case T_PLUS:
    case T_MINUS:
    case T_TILDE:
    case T_STAR:
    case T_ELLIPSIS:
    case T_True:
    case T_False:
    case T_None:
    case T_not:
    case T_lambda:
    case T_await:
        return true;
    default:
        return false;
    }
}

static Node *constant(Parser *p, NodeKind kind)
{
    Node *n = node_new(p, kind, p->tok.span.start);

    advance(p);
    return node_end(p, n);
}

/* An expression that was not there: the error says so. */
static Node *missing(Parser *p)
{
    Node *n = node_new(p, N_NONE, p->tok.span.start);

    parse_unexpected(p, "an expression");
    n->span.end = n->span.start;
    n->depth = 1;
    return n;
}

/* A production that may contain itself, one level down. */
static Node *deeper(Parser *p, Node *(*production)(Parser *))
{
    Node *n = enter(p) ? production(p) : missing(p);

    leave(p);
    return n;
}

static Node *integer(Parser *p)
{
    Node *n = node_new(p, N_INT, p->tok.span.start);
    const char *text = p->lex.text + n->span.start;

    if (!literal_int(text, p->tok.span.end - n->span.start, &n->integer))
        parse_error(p, p->tok.span, E_INTEGER_SIZE);
    advance(p);
    return node_end(p, n);
}

static Node *real(Parser *p)
{
    Node *n = node_new(p, N_FLOAT, p->tok.span.start);
    const char *text = p->lex.text + n->span.start;

    n->real = literal_float(p->arena, text, p->tok.span.end - n->span.start);
    advance(p);
    return node_end(p, n);
}

static Node *binary(Parser *p, int least);

/* star = '*' binary, at the star */
static Node *star(Parser *p)
{
    Node *n = node_new(p, N_STARRED, p->tok.span.start);

    expect(p, T_STAR);
    n->left = binary(p, 1);
    return node_end(p, n);
}

/* starred = star | named */
static Node *starred(Parser *p)
{
    return p->tok.kind == T_STAR ? star(p) : parse_named(p);
}

/* Comprehensions. */

static Node *disjunction(Parser *p);

/* target = star | binary, so that `in` ends it */
static Node *target(Parser *p)
{
    return p->tok.kind == T_STAR ? star(p) : binary(p, 1);
}

/* targets = target (',' target)* [',']: what stands between `for` and `in` */
Node *parse_targets(Parser *p)
{
    return parse_tuple(p, target);
}

/* generator = ['async'] 'for' targets 'in' disjunction ('if' disjunction)* */
static Node *generator(Parser *p)
{
    Node *n = node_new(p, N_COMPREHENSION, p->tok.span.start);
    int mark = p->list.len;

    accept(p, T_async);
    expect(p, T_for);
    n->right = parse_targets(p);
    expect(p, T_in);
    n->extra = disjunction(p);
    while (accept(p, T_if)) {
        Node *condition = disjunction(p);

        vec_push(p->arena, &p->list, condition);
    }
    n->items = list_take(p, mark, &n->nitems);
    return node_end(p, n);
}

static bool at_generator(const Parser *p)
{
    return p->tok.kind == T_for || p->tok.kind == T_async;
}

/* comprehension = element generator+, `element` being there already.  `n` gets the generators. */
static void generators(Parser *p, Node *n, Node *element)
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

/* Displays: brackets with elements. */

/* elements = [starred (',' starred)* [',']] up to the closing bracket; true if there was a comma.
 * Pushed to p->list. */
static bool elements(Parser *p, TokenKind closing)
{
    bool comma = false;

    while (p->tok.kind != closing && p->tok.kind != T_FAILED) {
        Node *n = starred(p);

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

    n->name = intern(p->names, python_name);
    generators(p, n, p->list.at[mark]);
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
        key->left = binary(p, 1);
        key = node_end(p, key);
    } else {
        key = starred(p);
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
        n->name = intern(p->names, is_dict ? "Dict" : "Set");
        n->items = list_take(p, mark, &n->nitems);
    }
    expect_closing(p, T_RBRACE);
    return node_end(p, n);
}

/* atom = NAME | INT | FLOAT | STRING+ | '...' | 'True' | 'False' | 'None' | group | list | braces
 */
static Node *atom(Parser *p)
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
        return missing(p);
    }
}

/* Calls, subscripts, attributes. */

/* argument = '*' expression | '**' expression | NAME '=' expression | named [generator+] */
static Node *argument(Parser *p)
{
    uint32_t start = p->tok.span.start;
    Node *n, *value;

    if (accept(p, T_STAR)) {
        n = node_new(p, N_STARRED, start);
        n->left = parse_expression(p);
        return node_end(p, n);
    }
    if (accept(p, T_POWER)) {
        n = node_new(p, N_DOUBLE_STARRED, start);
        n->left = parse_expression(p);
        return node_end(p, n);
    }
    value = parse_named(p);
    if (at_generator(p)) {
        n = node_new(p, N_UNSUPPORTED_EXPR, start);
        n->name = intern(p->names, "GeneratorExp");
        generators(p, n, value);
        return node_end(p, n);
    }
    if (p->tok.kind != T_ASSIGN || value->kind != N_NAME)
        return value;
    advance(p);
    n = node_new(p, N_KEYWORD, start);
    n->name = value->name;
    n->left = parse_expression(p);
    return node_end(p, n);
}

/* call = primary '(' [argument (',' argument)* [',']] ')' */
static Node *call(Parser *p, Node *callee, uint32_t start)
{
    Node *n = node_new(p, N_CALL, start);
    int mark = p->list.len;

    advance(p);
    while (p->tok.kind != T_RPAREN && p->tok.kind != T_FAILED) {
        Node *arg = argument(p);

        vec_push(p->arena, &p->list, arg);
        if (!accept(p, T_COMMA))
            break;
    }
    n->left = callee;
    n->items = list_take(p, mark, &n->nitems);
    expect_closing(p, T_RPAREN);
    return node_end(p, n);
}

static bool at_slice_end(const Parser *p)
{
    return p->tok.kind == T_RSQUARE || p->tok.kind == T_COMMA || p->tok.kind == T_COLON;
}

/* slice = [expression] ':' [expression] [':' [expression]] | starred */
static Node *slice(Parser *p)
{
    uint32_t start = p->tok.span.start;
    Node *first = p->tok.kind == T_COLON ? NULL : starred(p), *n;

    if (first && p->tok.kind != T_COLON)
        return first;
    n = node_new(p, N_SLICE, start);
    n->left = first;
    expect(p, T_COLON);
    if (!at_slice_end(p))
        n->right = parse_expression(p);
    if (accept(p, T_COLON) && !at_slice_end(p))
        n->extra = parse_expression(p);
    return node_end(p, n);
}

/* subscript = primary '[' slice (',' slice)* [','] ']' */
static Node *subscript(Parser *p, Node *base, uint32_t start)
{
    Node *n = node_new(p, N_SUBSCRIPT, start);
    int mark = p->list.len;
    Node *index;

    advance(p);
    n->left = base;
    start = p->tok.span.start;
    n->right = slice(p);
    if (p->tok.kind == T_COMMA) {
        index = node_new(p, N_TUPLE, start);
        vec_push(p->arena, &p->list, n->right);
        while (accept(p, T_COMMA) && p->tok.kind != T_RSQUARE) {
            Node *next = slice(p);

            vec_push(p->arena, &p->list, next);
        }
        index->items = list_take(p, mark, &index->nitems);
        n->right = node_end(p, index);
    }
    expect_closing(p, T_RSQUARE);
    return node_end(p, n);
}

/* primary = atom ('.' NAME | call | subscript)* */
static Node *primary(Parser *p)
{
    uint32_t start = p->tok.span.start;
    Node *n = atom(p);

    for (;;) {
        if (p->tok.kind == T_LPAREN) {
            n = call(p, n, start);
        } else if (p->tok.kind == T_LSQUARE) {
            n = subscript(p, n, start);
        } else if (accept(p, T_DOT)) {
            Node *outer = node_new(p, N_ATTRIBUTE, start);

            outer->left = n;
            outer->name = expect_name(p);
            n = node_end(p, outer);
        } else {
            return n;
        }
    }
}

/* Operators. */

static Node *unary(Parser *p);

/* power = ['await'] primary ['**' unary] */
static Node *power(Parser *p)
{
    uint32_t start = p->tok.span.start;
    bool await = accept(p, T_await);
    Node *n = primary(p);

    if (await)
        n = node_unsupported(p, N_UNSUPPORTED_EXPR, "Await", start);
    if (accept(p, T_POWER)) {
        Node *outer = node_new(p, N_BINARY, start);

        outer->op = BIN_POW;
        outer->left = n;
        outer->right = deeper(p, unary);
        n = node_end(p, outer);
    }
    return n;
}

/* unary = ('+' | '-' | '~') unary | power */
static Node *unary(Parser *p)
{
    TokenKind kind = p->tok.kind;
    Node *n;

    if (kind != T_PLUS && kind != T_MINUS && kind != T_TILDE)
        return power(p);
    n = node_new(p, N_UNARY, p->tok.span.start);
    n->op = kind == T_PLUS ? UN_PLUS : kind == T_MINUS ? UN_MINUS : UN_INVERT;
    advance(p);
    n->left = deeper(p, unary);
    return node_end(p, n);
}

/* How tightly a binary operator binds; 0: the token is none. */
static const struct {
    uint8_t strength, op;
} binary_operators[T_COUNT] = {
    /* clang-format off */
    [T_BAR]     = {1, BIN_OR},
    [T_CARET]   = {2, BIN_XOR},
    [T_AMP]     = {3, BIN_AND},
    [T_SHL]     = {4, BIN_SHL}, [T_SHR]   = {4, BIN_SHR},
    [T_PLUS]    = {5, BIN_ADD}, [T_MINUS] = {5, BIN_SUB},
    [T_STAR]    = {6, BIN_MUL}, [T_SLASH] = {6, BIN_DIV}, [T_FLOOR] = {6, BIN_FLOORDIV},
    [T_PERCENT] = {6, BIN_MOD}, [T_AT]    = {6, BIN_MATMUL},
    /* clang-format on */
};

/* binary = unary (OPERATOR binary)*, with operators at least as strong as `least` */
static Node *binary(Parser *p, int least)
{
    uint32_t start = p->tok.span.start;
    Node *n = unary(p);

    while (binary_operators[p->tok.kind].strength >= least) {
        Node *outer = node_new(p, N_BINARY, start);
        TokenKind kind = p->tok.kind;

        advance(p);
        outer->op = binary_operators[kind].op;
        outer->left = n;
        outer->right = binary(p, binary_operators[kind].strength + 1);
        n = node_end(p, outer);
    }
    return n;
}

/* compare_op = '==' | '!=' | '<' | '<=' | '>' | '>=' | ['not'] 'in' | 'is' ['not'] */
static bool compare_operator(Parser *p, uint8_t *op)
{
    switch (p->tok.kind) {
    case T_EQ:
        *op = CMP_EQ;
        break;
    case T_NE:
        *op = CMP_NE;
        break;
    case T_LT:
        *op = CMP_LT;
        break;
    case T_LE:
        *op = CMP_LE;
        break;
    case T_GT:
        *op = CMP_GT;
        break;
    case T_GE:
        *op = CMP_GE;
        break;
    case T_in:
        *op = CMP_IN;
        break;
    case T_not:
        advance(p);
        expect(p, T_in);
        *op = CMP_NOT_IN;
        return true;
    case T_is:
        advance(p);
        *op = accept(p, T_not) ? CMP_IS_NOT : CMP_IS;
        return true;
    default:
        return false;
    }
    advance(p);
    return true;
}

/* comparison = binary (compare_op binary)* */
static Node *comparison(Parser *p)
{
    Node *outer, *left;
    uint32_t start = p->tok.span.start;
    int mark = p->list.len;
    VEC(uint8_t) ops = {0};
    uint8_t op;

    left = binary(p, 1);
    if (!compare_operator(p, &op))
        return left;
    outer = node_new(p, N_COMPARE, start);
    outer->left = left;
    do {
        Node *right = binary(p, 1);

        vec_push(p->arena, &p->list, right);
        vec_push(p->arena, &ops, op);
    } while (compare_operator(p, &op));
    outer->ops = ops.at;
    outer->items = list_take(p, mark, &outer->nitems);
    return node_end(p, outer);
}

/* inversion = 'not' inversion | comparison */
static Node *inversion(Parser *p)
{
    Node *n;

    if (p->tok.kind != T_not)
        return comparison(p);
    n = node_new(p, N_UNARY, p->tok.span.start);
    n->op = UN_NOT;
    advance(p);
    n->left = deeper(p, inversion);
    return node_end(p, n);
}

/* Operands of `inner`, joined by `word`; one alone is itself. */
static Node *joined(Parser *p, TokenKind word, BoolOp op, Node *(*inner)(Parser *))
{
    uint32_t start = p->tok.span.start;
    Node *n = inner(p);
    int mark = p->list.len;

    if (p->tok.kind != word)
        return n;
    vec_push(p->arena, &p->list, n);
    while (accept(p, word)) {
        n = inner(p);
        vec_push(p->arena, &p->list, n);
    }
    n = node_new(p, N_BOOL, start);
    n->op = op;
    n->items = list_take(p, mark, &n->nitems);
    return node_end(p, n);
}

/* conjunction = inversion ('and' inversion)* */
static Node *conjunction(Parser *p)
{
    return joined(p, T_and, BOOL_AND, inversion);
}

/* disjunction = conjunction ('or' conjunction)* */
static Node *disjunction(Parser *p)
{
    return joined(p, T_or, BOOL_OR, conjunction);
}

/* lambda = 'lambda' [['*' | '**'] NAME ['=' expression] (',' ...)*] ':' expression */
static Node *lambda(Parser *p)
{
    Node *n = node_new(p, N_UNSUPPORTED_EXPR, p->tok.span.start);

    n->name = intern(p->names, "Lambda");
    expect(p, T_lambda);
    while (p->tok.kind != T_COLON && p->tok.kind != T_FAILED) {
        bool bare = accept(p, T_SLASH) || accept(p, T_STAR) || accept(p, T_POWER);

        if (!bare || p->tok.kind == T_NAME)
            expect_name(p);
        if (accept(p, T_ASSIGN))
            parse_expression(p);
        if (!accept(p, T_COMMA))
            break;
    }
    expect(p, T_COLON);
    parse_expression(p);
    return node_end(p, n);
}

/* expression = lambda | disjunction ['if' disjunction 'else' expression] */
static Node *conditional(Parser *p)
{
    Node *n, *outer;
    uint32_t start = p->tok.span.start;

    if (p->tok.kind == T_lambda)
        return lambda(p);
    n = disjunction(p);
    if (!accept(p, T_if))
        return n;
    outer = node_new(p, N_CONDITIONAL, start);
    outer->left = n;
    outer->right = disjunction(p);
    expect(p, T_else);
    outer->extra = parse_expression(p);
    return node_end(p, outer);
}

Node *parse_expression(Parser *p)
{
    return deeper(p, conditional);
}

/* named = NAME ':=' expression | expression */
Node *parse_named(Parser *p)
{
    Node *n = parse_expression(p), *outer;

    if (p->tok.kind != T_WALRUS || n->kind != N_NAME)
        return n;
    advance(p);
    outer = node_new(p, N_WALRUS, n->span.start);
    outer->name = n->name;
    outer->left = parse_expression(p);
    return node_end(p, outer);
}

/* tuple = item (',' item)* [',']; one item without a comma is itself */
Node *parse_tuple(Parser *p, Node *(*item)(Parser *))
{
    uint32_t start = p->tok.span.start;
    int mark = p->list.len;
    Node *n = item(p);

    if (p->tok.kind != T_COMMA)
        return n;
    vec_push(p->arena, &p->list, n);
    while (accept(p, T_COMMA) && starts_expression(p->tok.kind)) {
        n = item(p);
        vec_push(p->arena, &p->list, n);
    }
    n = node_new(p, N_TUPLE, start);
    n->items = list_take(p, mark, &n->nitems);
    return node_end(p, n);
}

/* expressions = starred (',' starred)* [','] */
Node *parse_expressions(Parser *p)
{
    return parse_tuple(p, starred);
}

/* yield = 'yield' ['from' expression | expressions] */
Node *parse_yield(Parser *p)
{
    uint32_t start = p->tok.span.start;
    bool from;

    expect(p, T_yield);
    from = accept(p, T_from);
    if (from || starts_expression(p->tok.kind))
        parse_expressions(p);
    return node_unsupported(p, N_UNSUPPORTED_EXPR, from ? "YieldFrom" : "Yield", start);
}
