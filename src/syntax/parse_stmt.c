/*
 * parse_stmt.c - statements and blocks
 *
 * Statement lists are where errors stop: after one, the list goes on at the next line that is
 * indented as itself or less, so independent errors are all found.  Statements that no kernel may
 * hold become N_UNSUPPORTED_STMT, their inside skipped.
 */
#include <string.h>

#include "parse.h"
#include "messages.h"

/* Skip tokens up to the end of a simple statement. */
static void skip_simple(Parser *p)
{
    while (p->tok.kind != T_NEWLINE && p->tok.kind != T_SEMICOLON && p->tok.kind != T_FAILED &&
           p->tok.kind != T_END)
        advance(p);
}

/* Skip the rest of a compound statement: its header and the block. */
static void skip_compound(Parser *p)
{
    int depth = 0;

    while (p->tok.kind != T_NEWLINE && p->tok.kind != T_FAILED && p->tok.kind != T_END)
        advance(p);
    if (!accept(p, T_NEWLINE) || p->tok.kind != T_INDENT)
        return;
    do {
        depth += (p->tok.kind == T_INDENT) - (p->tok.kind == T_DEDENT);
        if (p->tok.kind == T_DEDENT && depth == 0)
            break;
        advance(p);
    } while (p->tok.kind != T_END && p->tok.kind != T_FAILED);
    accept(p, T_DEDENT);
}

/* --- simple statements --- */

static Node *unsupported_simple(Parser *p, const char *python_name)
{
    uint32_t start = p->tok.span.start;

    skip_simple(p);
    return node_unsupported(p, N_UNSUPPORTED_STMT, python_name, start);
}

/* return = 'return' [expressions] */
static Node *return_statement(Parser *p)
{
    Node *n = node_new(p, N_RETURN, p->tok.span.start);

    advance(p);
    if (starts_expression(p->tok.kind))
        n->left = parse_expressions(p);
    return node_end(p, n);
}

/* assert = 'assert' expression [',' expression] */
static Node *assert_statement(Parser *p)
{
    Node *n = node_new(p, N_ASSERT, p->tok.span.start);

    advance(p);
    n->left = parse_expression(p);
    if (accept(p, T_COMMA))
        n->right = parse_expression(p);
    return node_end(p, n);
}

/* May this be assigned to?  Tuples are looked into. */
static void check_target(Parser *p, const Node *n, bool allow_tuple)
{
    switch (n->kind) {
    case N_NAME:
    case N_ATTRIBUTE:
    case N_SUBSCRIPT:
        return;
    case N_STARRED:
        check_target(p, n->left, allow_tuple);
        return;
    case N_TUPLE:
    case N_LIST:
        if (!allow_tuple)
            parse_error(p, n->span, E_ASSIGN_SEVERAL);
        for (int i = 0; i < n->nitems; i++)
            check_target(p, n->items[i], true);
        return;
    case N_COMPARE:
        parse_error(p, n->span, E_ASSIGN_COMPARISON);
        return;
    case N_CALL:
        parse_error(p, n->span, E_ASSIGN_CALL);
        return;
    case N_BINARY: /* float* p = x */
        if (n->op == BIN_MUL && n->left->kind == N_NAME && n->right->kind == N_NAME) {
            parse_error(p, n->span, E_ASSIGN_POINTER, n->left->name);
            return;
        }
        break;
    default:
        break;
    }
    parse_error(p, n->span, E_ASSIGN_TO);
}

static const uint8_t augmented_operators[T_COUNT] = {
    [T_PLUS_EQ] = 1 + BIN_ADD,  [T_MINUS_EQ] = 1 + BIN_SUB,      [T_STAR_EQ] = 1 + BIN_MUL,
    [T_SLASH_EQ] = 1 + BIN_DIV, [T_FLOOR_EQ] = 1 + BIN_FLOORDIV, [T_PERCENT_EQ] = 1 + BIN_MOD,
    [T_POWER_EQ] = 1 + BIN_POW, [T_AT_EQ] = 1 + BIN_MATMUL,      [T_AMP_EQ] = 1 + BIN_AND,
    [T_BAR_EQ] = 1 + BIN_OR,    [T_CARET_EQ] = 1 + BIN_XOR,      [T_SHL_EQ] = 1 + BIN_SHL,
    [T_SHR_EQ] = 1 + BIN_SHR,
};

/* value = yield | expressions */
static Node *value(Parser *p)
{
    return p->tok.kind == T_yield ? parse_yield(p) : parse_expressions(p);
}

/* annotated = target ':' expression ['=' value] */
static Node *annotated(Parser *p, Node *target, uint32_t start)
{
    Node *n = node_new(p, N_ANNOTATED, start);

    check_target(p, target, false);
    expect(p, T_COLON);
    n->left = target;
    n->extra = parse_expression(p);
    if (accept(p, T_ASSIGN))
        n->right = value(p);
    return node_end(p, n);
}

/* augmented = target OPERATOR= value */
static Node *augmented(Parser *p, Node *target, uint32_t start)
{
    Node *n = node_new(p, N_AUGMENTED, start);

    n->op = augmented_operators[p->tok.kind] - 1;
    check_target(p, target, false);
    advance(p);
    n->left = target;
    n->right = value(p);
    return node_end(p, n);
}

/* assignment = (targets '=')+ value */
static Node *assignment(Parser *p, Node *target, uint32_t start)
{
    Node *n = node_new(p, N_ASSIGN, start);
    int mark = p->list.len;

    n->right = target;
    while (p->tok.kind == T_ASSIGN) {
        if (n->right->kind == N_STARRED)
            parse_error(p, n->right->span, E_ASSIGN_STARRED);
        check_target(p, n->right, true);
        vec_push(p->arena, &p->list, n->right);
        advance(p);
        n->right = value(p);
    }
    n->items = list_take(p, mark, &n->nitems);
    return node_end(p, n);
}

/* expression_statement = value | assignment | annotated | augmented */
static Node *expression_statement(Parser *p)
{
    uint32_t start = p->tok.span.start;
    bool begins_with_name = p->tok.kind == T_NAME;
    Node *first = value(p), *n;

    if (begins_with_name && first->kind == N_WALRUS)
        parse_error(p, first->span, E_WALRUS_STATEMENT, first->name);
    if (p->tok.kind == T_COLON)
        return annotated(p, first, start);
    if (p->tok.kind == T_ASSIGN)
        return assignment(p, first, start);
    if (augmented_operators[p->tok.kind])
        return augmented(p, first, start);
    n = node_new(p, N_EXPR, start);
    n->left = first;
    return node_end(p, n);
}

/* simple = return | assert | 'pass' | expression_statement | one that is not supported */
Node *parse_simple_statement(Parser *p)
{
    Node *n;

    switch (p->tok.kind) {
    case T_return:
        return return_statement(p);
    case T_assert:
        return assert_statement(p);
    case T_pass:
        n = node_new(p, N_PASS, p->tok.span.start);
        advance(p);
        return node_end(p, n);
    case T_break:
        return unsupported_simple(p, "Break");
    case T_continue:
        return unsupported_simple(p, "Continue");
    case T_raise:
        return unsupported_simple(p, "Raise");
    case T_del:
        return unsupported_simple(p, "Delete");
    case T_global:
        return unsupported_simple(p, "Global");
    case T_nonlocal:
        return unsupported_simple(p, "Nonlocal");
    case T_import:
        return unsupported_simple(p, "Import");
    case T_from:
        return unsupported_simple(p, "ImportFrom");
    default:
        return expression_statement(p);
    }
}

/* What stands behind a statement does not belong there. */
static void statement_goes_on(Parser *p)
{
    bool closes = p->tok.kind == T_RPAREN || p->tok.kind == T_RSQUARE || p->tok.kind == T_RBRACE;

    if (closes)
        parse_error(p, p->tok.span, E_CLOSES_NOTHING, *parse_text(p, p->tok.span.start));
    else
        parse_unexpected(p, "an operator or the end of the line");
}

/* simple_line = simple (';' simple)* [';'] NEWLINE; pushed to p->list */
static void simple_line(Parser *p)
{
    do {
        Node *n = parse_simple_statement(p);

        vec_push(p->arena, &p->list, n);
    } while (accept(p, T_SEMICOLON) && p->tok.kind != T_NEWLINE && p->tok.kind != T_END);
    if (p->tok.kind != T_END && !accept(p, T_NEWLINE))
        statement_goes_on(p);
}

/* --- compound statements --- */

/* else = 'else' ':' block */
static void else_block(Parser *p, Node *n)
{
    if (!accept(p, T_else))
        return;
    expect(p, T_COLON);
    n->orelse = parse_block(p, &n->norelse);
}

/* A block ends where its last statement ends, not at the dedent. */
static Node *compound_end(Parser *p, Node *n)
{
    Node **last = n->norelse ? n->orelse : n->body;
    int count = n->norelse ? n->norelse : n->nbody;

    n = node_end(p, n);
    if (count > 0)
        n->span.end = last[count - 1]->span.end;
    return n;
}

/* condition = named ':' */
static Node *parse_condition(Parser *p)
{
    Node *n = parse_named(p);

    if (p->tok.kind == T_ASSIGN)
        parse_error(p, p->tok.span, E_ASSIGN_IN_TEST);
    expect(p, T_COLON);
    return n;
}

/* branch = ('if' | 'elif') condition block */
static Node *branch(Parser *p)
{
    Node *n = node_new(p, N_IF, p->tok.span.start);

    advance(p);
    n->left = parse_condition(p);
    n->body = parse_block(p, &n->nbody);
    return n;
}

/* Readers of the tree go one deeper with each `elif`. */
static void too_many_branches(Parser *p)
{
    parse_complaint(p, p->tok.span, E_BRANCHES, PARSE_MAX_BRANCHES);
    while (p->tok.kind == T_elif || p->tok.kind == T_else)
        skip_compound(p);
}

/* if = branch branch* [else] */
static Node *if_statement(Parser *p)
{
    Node *first = branch(p), *n = first;
    VEC(Node *) all = {0};

    vec_push(p->arena, &all, n);
    while (p->tok.kind == T_elif && all.len < PARSE_MAX_BRANCHES) {
        n->orelse = NEW(p->arena, Node *);
        n->norelse = 1;
        n = n->orelse[0] = branch(p);
        vec_push(p->arena, &all, n);
    }
    if (p->tok.kind == T_elif)
        too_many_branches(p);
    else
        else_block(p, n);
    for (int i = all.len - 1; i >= 0; i--)
        compound_end(p, all.at[i]);
    return first;
}

/* `for i in 1:3:`, at the first colon: does the line end in another one? */
static bool at_slice(const Parser *p)
{
    Lexer ahead = p->lex;
    TokenKind last = p->tok.kind, kind = lex_next(&ahead).kind;

    if (last != T_COLON || kind == T_NEWLINE)
        return false;
    for (; kind != T_NEWLINE && kind != T_END; kind = lex_next(&ahead).kind)
        last = kind;
    return last == T_COLON;
}

/* for = 'for' targets 'in' expressions ':' block [else] */
static Node *for_statement(Parser *p)
{
    Node *n = node_new(p, N_FOR, p->tok.span.start);

    p->loop = n->span.start;
    advance(p);
    n->left = parse_targets(p);
    check_target(p, n->left, true);
    expect(p, T_in);
    n->right = parse_expressions(p);
    if (at_slice(p))
        parse_error(p, n->right->span, E_LOOP_SLICE);
    expect(p, T_COLON);
    p->loop = 0;
    n->body = parse_block(p, &n->nbody);
    else_block(p, n);
    return compound_end(p, n);
}

/* while = 'while' condition block [else] */
static Node *while_statement(Parser *p)
{
    Node *n = node_new(p, N_WHILE, p->tok.span.start);

    advance(p);
    n->left = parse_condition(p);
    n->body = parse_block(p, &n->nbody);
    else_block(p, n);
    return compound_end(p, n);
}

/* Does the parenthesis in hand hold `as`, and so the items of a `with` rather than a tuple? */
static bool holds_as(const Parser *p)
{
    Lexer ahead = p->lex;
    TokenKind kind = p->tok.kind;

    while (ahead.brackets > 0 && kind != T_END && kind != T_NEWLINE && kind != T_as)
        kind = lex_next(&ahead).kind;
    return kind == T_as;
}

/* with = 'with' item (',' item)* ':' block; item = expression ['as' target], maybe all in () */
static Node *with_statement(Parser *p)
{
    Node *n = node_new(p, N_WITH, p->tok.span.start);
    int mark = p->list.len;
    bool inside;

    advance(p);
    inside = p->tok.kind == T_LPAREN && holds_as(p) && accept(p, T_LPAREN);
    do {
        Node *item = parse_expression(p);

        vec_push(p->arena, &p->list, item);
        if (accept(p, T_as))
            parse_expression(p);
    } while (accept(p, T_COMMA) && p->tok.kind != T_RPAREN);
    n->items = list_take(p, mark, &n->nitems);
    if (inside)
        expect_closing(p, T_RPAREN);
    expect(p, T_COLON);
    n->body = parse_block(p, &n->nbody);
    return compound_end(p, n);
}

static Node *unsupported_compound(Parser *p, const char *python_name)
{
    Node *n = node_unsupported(p, N_UNSUPPORTED_STMT, python_name, p->tok.span.start);

    skip_compound(p);
    n->span.end = p->last_end;
    return n;
}

/* try = 'try' ':' block (('except' ... | 'else' | 'finally') ':' block)+ */
static Node *try_statement(Parser *p)
{
    Node *n = unsupported_compound(p, "Try");

    while (p->tok.kind == T_except || p->tok.kind == T_else || p->tok.kind == T_finally)
        skip_compound(p);
    n->span.end = p->last_end;
    return n;
}

/* function = ('@' named NEWLINE)* 'def' NAME ... */
static Node *inner_function(Parser *p)
{
    Node *n = node_new(p, N_FUNCTION, p->tok.span.start);

    while (accept(p, T_AT)) {
        parse_named(p);
        expect(p, T_NEWLINE);
    }
    if (p->tok.kind == T_class)
        return unsupported_compound(p, "ClassDef");
    if (p->tok.kind == T_async)
        return unsupported_compound(p, "AsyncFunctionDef");
    expect(p, T_def);
    n->name = expect_name(p);
    n = node_end(p, n);
    skip_compound(p);
    n->span.end = p->last_end;
    return n;
}

static Node *async_statement(Parser *p)
{
    Lexer ahead = p->lex;
    TokenKind kind = lex_next(&ahead).kind;

    return unsupported_compound(p, kind == T_for    ? "AsyncFor"
                                   : kind == T_with ? "AsyncWith"
                                                    : "AsyncFunctionDef");
}

/* `match` is a name unless an expression and a colon at the end of the line follow it.  A longer
 * line than any that people write is not looked through. */
static bool at_match(const Parser *p)
{
    enum { MOST_TOKENS = 256 };
    Lexer ahead = p->lex;
    TokenKind kind, last = T_END;

    if (p->tok.kind != T_NAME || strcmp(p->tok.name, "match") != 0)
        return false;
    kind = lex_next(&ahead).kind;
    if (!starts_expression(kind))
        return false;
    for (int i = 0; i < MOST_TOKENS && kind != T_NEWLINE && kind != T_END; i++) {
        last = kind;
        kind = lex_next(&ahead).kind;
    }
    return last == T_COLON && kind == T_NEWLINE;
}

static void indented_too_far(Parser *p)
{
    uint32_t place = p->tok.span.start;
    const char *text = parse_text(p, place);
    int before = (int)(place - p->lex.source->base);
    bool tab = false;

    for (int i = 1; i <= before && (text[-i] == ' ' || text[-i] == '\t'); i++)
        tab |= text[-i] == '\t';
    parse_error(p, (Span){place, place}, E_INDENT, tab ? TAB_COUNTS : "");
}

/* statement = if | for | while | with | function | simple_line | one that is not supported */
static void statement(Parser *p)
{
    Node *n;

    switch (p->tok.kind) {
    case T_if:
        n = if_statement(p);
        break;
    case T_for:
        n = for_statement(p);
        break;
    case T_while:
        n = while_statement(p);
        break;
    case T_with:
        n = with_statement(p);
        break;
    case T_def:
    case T_AT:
        n = inner_function(p);
        break;
    case T_class:
        n = unsupported_compound(p, "ClassDef");
        break;
    case T_try:
        n = try_statement(p);
        break;
    case T_async:
        n = async_statement(p);
        break;
    case T_INDENT:
        indented_too_far(p);
        return;
    default:
        if (!at_match(p)) {
            simple_line(p);
            return;
        }
        n = unsupported_compound(p, "Match");
    }
    vec_push(p->arena, &p->list, n);
}

/* Go on behind an error, in a block that is indented by `indent`.  What is left of a statement
 * whose head was wrong is part of the error.  After many errors the rest is given up. */
static void recover(Parser *p, int indent)
{
    if (p->errors.len == PARSE_MAX_ERRORS)
        p->error_at = p->lex.end;
    p->openings.len = 0;
    do {
        lex_recover(&p->lex, p->error_at, indent);
        p->tok = (Token){.kind = T_NEWLINE};
        advance(p);
        p->error_at = p->tok.span.start;
    } while (p->tok.kind == T_else || p->tok.kind == T_elif || p->tok.kind == T_except ||
             p->tok.kind == T_finally);
}

/* block = NEWLINE INDENT statement+ DEDENT | simple_line */
Node **parse_block(Parser *p, int *n)
{
    int mark = p->list.len, indent;

    if (p->tok.kind != T_NEWLINE) {
        simple_line(p);
        return list_take(p, mark, n);
    }
    advance(p);
    if (p->tok.kind != T_INDENT) {
        parse_error(p, (Span){p->last_end, p->last_end}, E_BLOCK_MISSING);
        p->error_at = p->last_end;
        return list_take(p, mark, n);
    }
    indent = p->lex.indents[p->lex.nindents - 1];
    advance(p);
    while (p->tok.kind != T_DEDENT && p->tok.kind != T_END) {
        if (p->tok.kind == T_FAILED)
            recover(p, indent);
        else
            statement(p);
    }
    accept(p, T_DEDENT);
    return list_take(p, mark, n);
}
