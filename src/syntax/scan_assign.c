/*
 * scan_assign.c - what lines outside of kernels assign
 *
 * Takes lines that scan.c has found and gives one AstGlobal for each name.  Values stay syntax
 * trees, evaluated when a kernel asks for them; a name whose value has no expression of its own,
 * such as the variable of a `for`, gets a node that has no value.
 */
#include <string.h>

#include "parse.h"
#include "scan.h"

/* A longer assignment is data, not a setting; it is not parsed. */
enum { MAX_GLOBAL_TEXT = 1 << 16 };

typedef struct {
    Parser parser;
    const ScanLine *line;
    uint32_t start; /* of the statement */
    AstGlobals *out;
} Reader;

static void add_global(Reader *r, const Node *target, Node *annotation, Node *value, bool augmented)
{
    const ScanLine *line = r->line;
    AstGlobal g = {
        .name = target->name,
        .annotation = annotation,
        .value = value,
        .span = target->span,
        .start = r->start,
        .scope = line->scope,
        .in_except = line->in_except,
        .choice = line->choice,
        .is_augmented = augmented,
    };

    if (target->kind == N_NAME)
        vec_push(r->parser.arena, r->out, g);
}

static Node *no_value(Reader *r, const Node *target)
{
    Node *n = node_unsupported(&r->parser, N_UNSUPPORTED_EXPR, "Unpacked", target->span.start);

    n->span = target->span;
    return n;
}

static bool is_sequence(const Node *n)
{
    return n->kind == N_TUPLE || n->kind == N_LIST;
}

static bool has_star(const Node *n)
{
    for (int i = 0; i < n->nitems; i++) {
        if (n->items[i]->kind == N_STARRED)
            return true;
    }
    return false;
}

/* One target of an assignment; a tuple takes a tuple apart.  `value` may be NULL. */
static void add_assignment(Reader *r, const Node *target, Node *value)
{
    bool apart = value && is_sequence(value) && value->nitems == target->nitems &&
                 !has_star(target) && !has_star(value);

    if (target->kind == N_STARRED)
        add_assignment(r, target->left, NULL);
    else if (is_sequence(target))
        for (int i = 0; i < target->nitems; i++)
            add_assignment(r, target->items[i], apart ? value->items[i] : NULL);
    else
        add_global(r, target, NULL, value ? value : no_value(r, target), false);
}

/* name op= value is name = name op value. */
static void assign_augmented(Reader *r, const Node *n)
{
    Node *sum = node_new(&r->parser, N_BINARY, n->span.start);

    sum->op = n->op;
    sum->left = n->left;
    sum->right = n->right;
    add_global(r, n->left, NULL, node_end(&r->parser, sum), true);
}

/* What a call of a list's method puts behind it, as the items of a list; NULL: it does not. */
static Node *appended(Reader *r, const Node *call)
{
    const Node *method = call->left;
    Node *list, *item;

    if (method->kind != N_ATTRIBUTE || call->nitems != 1 || call->items[0]->kind == N_KEYWORD)
        return NULL;
    item = call->items[0];
    if (strcmp(method->name, "extend") == 0) {
        item = node_new(&r->parser, N_STARRED, call->items[0]->span.start);
        item->left = call->items[0];
        item->span = call->items[0]->span;
    } else if (strcmp(method->name, "append") != 0) {
        return NULL;
    }
    list = node_new(&r->parser, N_LIST, item->span.start);
    list->span = item->span;
    list->items = NEW_N(r->parser.arena, Node *, 1);
    list->items[0] = item;
    list->nitems = 1;
    return list;
}

/* name.append(x) is name += [x], and name.extend(x) is name += [*x]; in a function the name may be
 * one of the module. */
static void assign_appended(Reader *r, const Node *call)
{
    Node *list = call->kind == N_CALL && !r->line->scope ? appended(r, call) : NULL;
    Node *sum;

    if (!list)
        return;
    sum = node_new(&r->parser, N_BINARY, call->span.start);
    sum->op = BIN_ADD;
    sum->left = call->left->left;
    sum->right = list;
    add_global(r, sum->left, NULL, node_end(&r->parser, sum), true);
}

/* Keep that there is such a name, though its value is beyond us. */
static void unreadable(Reader *r)
{
    const char *text = parse_text(&r->parser, r->start);
    Node *target = node_new(&r->parser, N_NAME, r->start);
    uint32_t n = 0;

    while (is_name_char(text[n]))
        n++;
    target->name = intern_n(r->parser.interner, text, n);
    target->span.end = r->start + n;
    if (n > 0)
        add_global(r, target, NULL,
                   node_unsupported(&r->parser, N_UNSUPPORTED_EXPR, "SyntaxError", r->start),
                   false);
}

/* statement = (target '=')+ value | NAME ':' annotation '=' value | NAME op '=' value
 *   | NAME '.append' '(' value ')' | NAME '.extend' '(' value ')' | other */
static void statement(Reader *r)
{
    Parser *p = &r->parser;
    const Node *n;

    r->start = p->tok.span.start;
    n = parse_simple_statement(p);
    if (p->tok.kind == T_FAILED) {
        unreadable(r);
        return;
    }
    if (n->kind == N_ANNOTATED && n->right)
        add_global(r, n->left, n->extra, n->right, false);
    if (n->kind == N_AUGMENTED)
        assign_augmented(r, n);
    if (n->kind == N_EXPR)
        assign_appended(r, n->left);
    for (int i = 0; n->kind == N_ASSIGN && i < n->nitems; i++)
        add_assignment(r, n->items[i], n->right);
}

/* statements = statement (';' statement)* */
static void statements(Reader *r)
{
    Parser *p = &r->parser;

    do
        if (p->tok.kind != T_NEWLINE && p->tok.kind != T_END)
            statement(r);
    while (accept(p, T_SEMICOLON));
}

/* header = ('if' | 'elif' | 'while') named ':' | 'for' targets 'in' expressions ':' | 'else' ':' */
static void header(Reader *r)
{
    Parser *p = &r->parser;
    bool is_for = p->tok.kind == T_for, is_else = p->tok.kind == T_else;

    advance(p);
    if (is_for) {
        add_assignment(r, parse_targets(p), NULL);
        expect(p, T_in);
        parse_expressions(p);
    } else if (!is_else) {
        parse_named(p);
    }
    expect(p, T_COLON);
}

void scan_assignments(Arena *a, Interner *interner, const Source *src, const ScanLine *line,
                      AstGlobals *out)
{
    bool is_long = line->span.end - line->span.start > MAX_GLOBAL_TEXT;
    Span read = {line->span.start, is_long ? line->span.start : line->span.end};
    Reader r = {.line = line, .start = line->span.start, .out = out};

    parser_init(&r.parser, a, interner, src, read);
    switch (r.parser.tok.kind) {
    case T_if:
    case T_elif:
    case T_else:
    case T_while:
    case T_for:
        header(&r);
        if (r.parser.tok.kind != T_FAILED)
            statements(&r);
        break;
    default:
        statements(&r);
    }
}

/* Behind the bracket, each name that a comma or a star stands in front of. */
void scan_parameters(Arena *a, Interner *interner, const Source *src, const ScanDef *def,
                     AstGlobals *out)
{
    const ScanLine line = {.span = def->extent, .scope = def->body};
    Reader r = {.line = &line, .start = def->extent.start, .out = out};
    Parser *p = &r.parser;
    bool may_begin = true;

    parser_init(p, a, interner, src, def->extent);
    while (p->tok.kind != T_LPAREN && p->tok.kind != T_NEWLINE && p->tok.kind != T_END)
        advance(p);
    for (advance(p); p->openings.len > 0 && p->tok.kind != T_FAILED; advance(p)) {
        bool top = p->openings.len == 1;

        if (p->tok.kind == T_NAME && top && may_begin) {
            Node *target = node_new(p, N_NAME, p->tok.span.start);

            target->name = p->tok.name;
            target->span = p->tok.span;
            add_assignment(&r, target, NULL);
        }
        may_begin =
            top && (p->tok.kind == T_COMMA || p->tok.kind == T_STAR || p->tok.kind == T_POWER);
    }
}

/* header = NAME ['(' arguments ')'] ':' */
Node *scan_class_header(Arena *a, Interner *interner, const Source *src, Span header)
{
    Parser p;
    Node *n;

    parser_init(&p, a, interner, src, header);
    n = parse_expression(&p);
    return p.tok.kind == T_COLON ? n : NULL;
}

bool scan_field(Arena *a, Interner *interner, const Source *src, const ScanLine *line,
                AstField *out)
{
    Parser p;
    const Node *n;

    parser_init(&p, a, interner, src, line->span);
    n = parse_simple_statement(&p);
    if (p.tok.kind == T_FAILED || n->kind != N_ANNOTATED || n->left->kind != N_NAME)
        return false;
    *out = (AstField){n->left->name, n->left->span, n->extra, n->right};
    return true;
}
