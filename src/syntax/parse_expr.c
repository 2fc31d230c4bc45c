/*
 * parse_expr.c - expressions
 *
 * Python's expression grammar, the production above each function.  What the language has no
 * meaning for becomes N_UNSUPPORTED_EXPR under the name of Python's own AST class, since a static
 * `if` may hold it in an arm that is never looked at (R21, R100).
 */
#include "parse.h"
#include "messages.h"

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

/* An expression that was not there: the error says so. */
Node *parse_missing(Parser *p)
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
    Node *n = parse_enter(p) ? production(p) : parse_missing(p);

    parse_leave(p);
    return n;
}

/* star = '*' binary, at the star */
static Node *star(Parser *p)
{
    Node *n = node_new(p, N_STARRED, p->tok.span.start);

    expect(p, T_STAR);
    n->left = parse_binary(p, 1);
    return node_end(p, n);
}

/* starred = star | named */
Node *parse_starred(Parser *p)
{
    return p->tok.kind == T_STAR ? star(p) : parse_named(p);
}

/* target = star | binary, so that `in` ends it */
static Node *target(Parser *p)
{
    return p->tok.kind == T_STAR ? star(p) : parse_binary(p, 1);
}

/* targets = target (',' target)* [',']: what stands between `for` and `in` */
Node *parse_targets(Parser *p)
{
    return parse_tuple(p, target);
}

/* --- calls, subscripts, attributes --- */

/* argument = '*' expression | '**' expression | NAME '=' expression | named [generator+] */
static Node *call_argument(Parser *p)
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
        n->name = intern(p->interner, "GeneratorExp");
        parse_generators(p, n, value);
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

/* Python's order: values, then keywords; `*t` may stand between those, but not behind `**d`. */
static void check_order(Parser *p, const Node *arg, int *past)
{
    int least = arg->kind == N_DOUBLE_STARRED ? 2 : arg->kind == N_KEYWORD;
    int most = arg->kind == N_STARRED ? 1 : arg->kind == N_KEYWORD || least == 2 ? 2 : 0;

    if (*past > most)
        parse_complaint(p, arg->span, E_POSITIONAL);
    *past = MAX(*past, least);
}

/* call = primary '(' [argument (',' argument)* [',']] ')' */
static Node *call(Parser *p, Node *callee, uint32_t start)
{
    Node *n = node_new(p, N_CALL, start);
    int mark = p->list.len, past = 0;

    advance(p);
    while (p->tok.kind != T_RPAREN && p->tok.kind != T_FAILED) {
        Node *arg = call_argument(p);

        check_order(p, arg, &past);
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
    Node *first = p->tok.kind == T_COLON ? NULL : parse_starred(p), *n;

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
    Node *n = parse_atom(p);

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

/* --- operators --- */

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
Node *parse_binary(Parser *p, int least)
{
    uint32_t start = p->tok.span.start;
    Node *n = unary(p);

    while (binary_operators[p->tok.kind].strength >= least) {
        Node *outer = node_new(p, N_BINARY, start);
        TokenKind kind = p->tok.kind;

        advance(p);
        outer->op = binary_operators[kind].op;
        outer->left = n;
        outer->right = parse_binary(p, binary_operators[kind].strength + 1);
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

    left = parse_binary(p, 1);
    if (!compare_operator(p, &op))
        return left;
    outer = node_new(p, N_COMPARE, start);
    outer->left = left;
    do {
        Node *right = parse_binary(p, 1);

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
Node *parse_disjunction(Parser *p)
{
    return joined(p, T_or, BOOL_OR, conjunction);
}

/* formal = '*' | '/' | ['*' | '**'] NAME ['=' expression]; NULL for '/', and a star without a name
 * for
 * '*', behind which arguments have names */
static Node *formal(Parser *p)
{
    uint32_t start = p->tok.span.start;
    NodeKind kind = p->tok.kind == T_STAR    ? N_STARRED
                    : p->tok.kind == T_POWER ? N_DOUBLE_STARRED
                                             : N_NAME;
    bool sign = accept(p, T_SLASH) || accept(p, T_STAR) || accept(p, T_POWER);
    Node *n;

    if (sign && p->tok.kind != T_NAME && kind != N_STARRED)
        return NULL;
    n = node_new(p, kind, start);
    n->name = p->tok.kind == T_NAME ? expect_name(p) : intern(p->interner, "");
    if (!*n->name)
        return node_end(p, n);
    if (accept(p, T_ASSIGN)) {
        n->kind = N_KEYWORD;
        n->left = parse_expression(p);
    }
    return node_end(p, n);
}

/* lambda = 'lambda' [formal (',' formal)* [',']] ':' expression */
static Node *lambda(Parser *p)
{
    Node *n = node_new(p, N_UNSUPPORTED_EXPR, p->tok.span.start), *param;
    int mark = p->list.len;

    n->name = intern(p->interner, "Lambda");
    expect(p, T_lambda);
    while (p->tok.kind != T_COLON && p->tok.kind != T_FAILED) {
        param = formal(p);
        if (param)
            vec_push(p->arena, &p->list, param);
        if (!accept(p, T_COMMA))
            break;
    }
    n->items = list_take(p, mark, &n->nitems);
    expect(p, T_COLON);
    n->left = parse_expression(p);
    return node_end(p, n);
}

/* expression = lambda | disjunction ['if' disjunction 'else' expression] */
static Node *conditional(Parser *p)
{
    Node *n, *outer;
    uint32_t start = p->tok.span.start;

    if (p->tok.kind == T_lambda)
        return lambda(p);
    n = parse_disjunction(p);
    if (!accept(p, T_if))
        return n;
    outer = node_new(p, N_CONDITIONAL, start);
    outer->left = n;
    outer->right = parse_disjunction(p);
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
    return parse_tuple(p, parse_starred);
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
