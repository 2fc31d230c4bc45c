/*
 * ast.c - print the syntax tree
 *
 * One node a line, children indented below it.  The line has the node's kind and what it holds
 * itself: a name, an operator, a number or a quoted string.  A child that may be missing between
 * others (of a slice) prints as `-`; lists of statements stand below a line that names them.
 */
#include "ast.h"

static const char *const kind_names[] = {
    [N_NAME] = "name",
    [N_INT] = "int",
    [N_FLOAT] = "float",
    [N_STRING] = "string",
    [N_FSTRING] = "fstring",
    [N_FORMAT] = "format",
    [N_TRUE] = "true",
    [N_FALSE] = "false",
    [N_NONE] = "none",
    [N_ELLIPSIS] = "ellipsis",
    [N_TUPLE] = "tuple",
    [N_LIST] = "list",
    [N_ATTRIBUTE] = "attribute",
    [N_SUBSCRIPT] = "subscript",
    [N_SLICE] = "slice",
    [N_CALL] = "call",
    [N_KEYWORD] = "keyword",
    [N_STARRED] = "starred",
    [N_DOUBLE_STARRED] = "double-starred",
    [N_UNARY] = "unary",
    [N_BINARY] = "binary",
    [N_BOOL] = "bool",
    [N_COMPARE] = "compare",
    [N_CONDITIONAL] = "conditional",
    [N_WALRUS] = "walrus",
    [N_COMPREHENSION] = "comprehension",
    [N_UNSUPPORTED_EXPR] = "unsupported",
    [N_ASSIGN] = "assign",
    [N_AUGMENTED] = "augmented",
    [N_ANNOTATED] = "annotated",
    [N_EXPR] = "expr",
    [N_IF] = "if",
    [N_FOR] = "for",
    [N_WHILE] = "while",
    [N_RETURN] = "return",
    [N_PASS] = "pass",
    [N_ASSERT] = "assert",
    [N_WITH] = "with",
    [N_FUNCTION] = "function",
    [N_UNSUPPORTED_STMT] = "unsupported",
};

static const char *const unary_names[] = {"+", "-", "~", "not"};
static const char *const binary_names[] = {"+", "-", "*", "/", "//", "%", "**",
                                           "@", "&", "|", "^", "<<", ">>"};
static const char *const bool_names[] = {"and", "or"};
static const char *const compare_names[] = {"==", "!=", "<",      "<=", ">",
                                            ">=", "is", "is not", "in", "not in"};

static void indent(Text *out, int depth)
{
    text_printf(out, "%*s", 2 * depth, "");
}

static void put_integer(Text *out, __int128 v)
{
    char digits[48];
    int n = sizeof digits;

    digits[--n] = '\0';
    do
        digits[--n] = (char)('0' + (int)(v % 10));
    while ((v /= 10) > 0);
    text_printf(out, " %s", digits + n);
}

static void put_quoted(Text *out, const char *s, size_t n)
{
    text_put(out, " \"");
    for (size_t i = 0; i < n; i++) {
        unsigned char c = (unsigned char)s[i];

        if (c == '\n')
            text_put(out, "\\n");
        else if (c < 0x20 || c == 0x7f)
            text_printf(out, "\\x%02x", c);
        else if (c == '"' || c == '\\')
            text_printf(out, "\\%c", c);
        else
            text_putn(out, s + i, 1);
    }
    text_put(out, "\"");
}

/* What the node holds itself, behind its kind. */
static void put_details(Text *out, const Node *n)
{
    if (n->name)
        text_printf(out, " %s", n->name);
    switch (n->kind) {
    case N_INT:
        put_integer(out, n->integer);
        break;
    case N_FLOAT:
        text_put(out, " ");
        text_put_double(out, n->real, 17);
        break;
    case N_STRING:
        put_quoted(out, n->text, n->ntext);
        break;
    case N_FORMAT:
        if (n->op)
            text_printf(out, " !%c", n->op);
        break;
    case N_UNARY:
        text_printf(out, " %s", unary_names[n->op]);
        break;
    case N_BINARY:
    case N_AUGMENTED:
        text_printf(out, " %s", binary_names[n->op]);
        break;
    case N_BOOL:
        text_printf(out, " %s", bool_names[n->op]);
        break;
    case N_COMPARE:
        for (int i = 0; i < n->nitems; i++)
            text_printf(out, " %s", compare_names[n->ops[i]]);
        break;
    default:
        break;
    }
}

static void print_node(Text *out, const Node *n, int depth);

static void print_list(Text *out, Node *const *list, int n, int depth)
{
    for (int i = 0; i < n; i++)
        print_node(out, list[i], depth);
}

static void print_block(Text *out, const char *title, Node *const *list, int n, int depth)
{
    if (n == 0)
        return;
    indent(out, depth);
    text_printf(out, "%s\n", title);
    print_list(out, list, n, depth + 1);
}

static void print_node(Text *out, const Node *n, int depth)
{
    bool is_slice = n && n->kind == N_SLICE;

    indent(out, depth);
    if (!n) {
        text_put(out, "-\n");
        return;
    }
    text_put(out, kind_names[n->kind]);
    put_details(out, n);
    text_put(out, "\n");
    if (n->kind == N_ASSIGN)
        print_list(out, n->items, n->nitems, depth + 1);
    if (n->left || is_slice)
        print_node(out, n->left, depth + 1);
    if (n->right || is_slice)
        print_node(out, n->right, depth + 1);
    if (n->extra || is_slice)
        print_node(out, n->extra, depth + 1);
    if (n->kind != N_ASSIGN)
        print_list(out, n->items, n->nitems, depth + 1);
    print_block(out, "body", n->body, n->nbody, depth + 1);
    print_block(out, "else", n->orelse, n->norelse, depth + 1);
}

static void print_param(Text *out, const AstParam *p)
{
    text_printf(out, "  param %s%s%s\n", p->is_star ? "*" : "", p->name,
                p->is_constexpr ? " constexpr" : "");
    if (p->annotation && !p->is_constexpr) {
        text_put(out, "    annotation\n");
        print_node(out, p->annotation, 3);
    }
    if (p->default_value) {
        text_put(out, "    default\n");
        print_node(out, p->default_value, 3);
    }
}

void ast_print(Text *out, const AstFunc *f)
{
    text_printf(out, "%s %s%s\n", f->is_constexpr_function ? "constexpr_function" : "jit", f->name,
                f->noinline ? " noinline" : "");
    for (int i = 0; i < f->nparams; i++)
        print_param(out, &f->params[i]);
    print_block(out, "body", f->body, f->nbody, 1);
}
