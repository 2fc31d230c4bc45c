/*
 * build_grid.c - the grid of `tilec build`: an expression of Python's as one of C's
 *
 * Takes whole numbers, parameters that are such, + - * // %, comparisons in `a if b else c`, min,
 * max and cdiv; everything is an int64_t there.  What is not whole in Python, as `/` is not, is
 * refused.
 */
#include "build.h"
#include "../syntax/parse.h"

#include <string.h>

typedef struct {
    const Build *b;
    const Source *source;
    const char *text;
} GridText;

NORETURN static void refuse(const GridText *g, const Node *n, const char *what)
{
    int at = (int)(n->span.start - g->source->base);

    stop(g->b->cli, CLI_USAGE,
         "--grid: %s\n    %s\n    %*s^\n"
         "hint: it is made of whole numbers, parameters, + - * // %%, min, max and cdiv",
         what, g->text, at, "");
}

static const char *translate(const GridText *g, const Node *n);

static const char *translate_name(const GridText *g, const Node *n)
{
    const Build *b = g->b;

    for (int i = 0; i < b->nparams; i++) {
        const BuildParam *p = &b->params[i];
        if (strcmp(p->name, n->name) != 0)
            continue;
        if (p->kind == BUILD_CHOSEN || build_is_integer(p))
            return arena_printf(b->cli->arena, "(int64_t)%s", p->c_name);
        if (p->kind == BUILD_FIXED && !p->is_missing && p->value.kind == TILEC_ARG_INT)
            return arena_printf(b->cli->arena, "INT64_C(%lld)", (long long)p->value.integer);
        refuse(g, n, "this parameter is no whole number");
    }
    refuse(g, n, "there is no parameter of this name");
}

static const char *translate_two(const GridText *g, const char *form, const Node *x, const Node *y)
{
    const char *left = translate(g, x), *right = translate(g, y);

    return arena_printf(g->b->cli->arena, form, left, right);
}

static const char *translate_binary(const GridText *g, const Node *n)
{
    static const char *const forms[] = {
        [BIN_ADD] = "(%s + %s)",
        [BIN_SUB] = "(%s - %s)",
        [BIN_MUL] = "(%s * %s)",
        [BIN_FLOORDIV] = "tilec_aot_floordiv(%s, %s)",
        [BIN_MOD] = "tilec_aot_mod(%s, %s)",
    };

    if (n->op >= COUNT(forms) || !forms[n->op])
        refuse(g, n,
               n->op == BIN_DIV ? "`/` gives a float; `//` is whole"
                                : "there is no such operator here");
    return translate_two(g, forms[n->op], n->left, n->right);
}

static const char *translate_call(const GridText *g, const Node *n)
{
    const char *name = n->left->kind == N_NAME || n->left->kind == N_ATTRIBUTE ? n->left->name : "";
    const char *form = strcmp(name, "cdiv") == 0  ? "tilec_aot_cdiv(%s, %s)"
                       : strcmp(name, "min") == 0 ? "tilec_aot_min(%s, %s)"
                       : strcmp(name, "max") == 0 ? "tilec_aot_max(%s, %s)"
                                                  : NULL;
    bool folds = form && strcmp(name, "cdiv") != 0;

    if (!form)
        refuse(g, n, "there is no such function here");
    if (n->nitems < 2 || (!folds && n->nitems > 2))
        refuse(g, n, "the function takes two numbers");
    const char *all = translate(g, n->items[0]);
    for (int i = 1; i < n->nitems; i++)
        all = arena_printf(g->b->cli->arena, form, all, translate(g, n->items[i]));
    return all;
}

static const char *translate_test(const GridText *g, const Node *n)
{
    static const char *const forms[] = {
        [CMP_EQ] = "%s == %s", [CMP_NE] = "%s != %s", [CMP_LT] = "%s < %s",
        [CMP_LE] = "%s <= %s", [CMP_GT] = "%s > %s",  [CMP_GE] = "%s >= %s",
    };

    if (n->kind != N_COMPARE || n->nitems != 1 || n->ops[0] >= COUNT(forms))
        refuse(g, n, "a condition compares two numbers");
    return translate_two(g, forms[n->ops[0]], n->left, n->items[0]);
}

static const char *translate(const GridText *g, const Node *n)
{
    Arena *a = g->b->cli->arena;

    switch (n->kind) {
    case N_INT:
        if (n->integer > INT64_MAX)
            refuse(g, n, "this number is too large");
        return arena_printf(a, "INT64_C(%lld)", (long long)n->integer);
    case N_NAME:
        return translate_name(g, n);
    case N_BINARY:
        return translate_binary(g, n);
    case N_UNARY:
        if (n->op != UN_MINUS && n->op != UN_PLUS)
            refuse(g, n, "there is no such operator here");
        return arena_printf(a, "(%c%s)", n->op == UN_MINUS ? '-' : '+', translate(g, n->left));
    case N_CALL:
        return translate_call(g, n);
    case N_CONDITIONAL:
        return arena_printf(a, "(%s ? %s : %s)", translate_test(g, n->right), translate(g, n->left),
                            translate(g, n->extra));
    default:
        refuse(g, n, "this is no expression of whole numbers");
    }
}

void build_grid(Build *b, const char *text)
{
    Cli *c = b->cli;
    GridText g = {.b = b, .text = text};
    Parser p;

    g.source = source_add(source_map_new(c->arena), "--grid", text, strlen(text));
    if (!g.source)
        stop(c, CLI_USAGE, "--grid: this text is too long");
    parser_init_inside(&p, c->arena, c->words, g.source);
    const Node *n = parse_expressions(&p);
    if (p.errors.len == 0 && p.tok.kind != T_END)
        parse_unexpected(&p, "nothing more");
    if (p.errors.len > 0)
        stop(c, CLI_USAGE, "--grid %s: %s", text, p.errors.at[0].message);
    int dims = n->kind == N_TUPLE ? n->nitems : 1;
    if (dims < 1 || dims > COUNT(b->grid))
        stop(c, CLI_USAGE, "--grid %s: a grid has one to three dimensions", text);
    for (int d = 0; d < COUNT(b->grid); d++)
        b->grid[d] = d >= dims            ? "INT64_C(1)"
                     : n->kind == N_TUPLE ? translate(&g, n->items[d])
                                          : translate(&g, n);
}
