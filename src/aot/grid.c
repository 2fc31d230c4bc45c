/*
 * grid.c - the grid of a kernel that was compiled ahead of time: an expression of Python's as one
 * of C's
 *
 * Takes whole numbers, parameters that are such, + - * // %, comparisons in `a if b else c`, min,
 * max and cdiv; everything is an int64_t there.  What is not whole in Python, as `/` is not, is
 * refused.
 */
#include "aot.h"
#include "../syntax/parse.h"

#include <string.h>

typedef struct {
    const AotHeader *header;
    const Source *source;
    const char *problem; /* the first one; NULL */
} GridText;

/* Gives a text that nobody will see. */
static const char *refuse(GridText *g, const Node *n, const char *what)
{
    int at = (int)(n->span.start - g->source->base);

    if (!g->problem)
        g->problem = arena_printf(
            g->header->arena,
            "the grid: %s\n    %s\n    %*s^\n"
            "hint: it is made of whole numbers, parameters, + - * // %%, min, max and cdiv",
            what, g->header->grid, at, "");
    return "";
}

static const char *translate(GridText *g, const Node *n);

static const char *translate_name(GridText *g, const Node *n)
{
    const AotHeader *h = g->header;

    for (int i = 0; i < h->nparams; i++) {
        const AotParam *p = &h->params[i];
        if (strcmp(p->name, n->name) != 0)
            continue;
        if (p->kind == AOT_CHOSEN || aot_is_integer(p))
            return arena_printf(h->arena, "(int64_t)%s", p->c_name);
        if (p->kind == AOT_FIXED && !p->is_missing && p->value.kind == TILEC_ARG_INT)
            return arena_printf(h->arena, "INT64_C(%lld)", (long long)p->value.integer);
        return refuse(g, n, "this parameter is no whole number");
    }
    return refuse(g, n, "there is no parameter of this name");
}

static const char *translate_two(GridText *g, const char *form, const Node *x, const Node *y)
{
    const char *left = translate(g, x), *right = translate(g, y);

    return arena_printf(g->header->arena, form, left, right);
}

static const char *translate_binary(GridText *g, const Node *n)
{
    static const char *const forms[] = {
        [BIN_ADD] = "(%s + %s)",
        [BIN_SUB] = "(%s - %s)",
        [BIN_MUL] = "(%s * %s)",
        [BIN_FLOORDIV] = "tilec_aot_floordiv(%s, %s)",
        [BIN_MOD] = "tilec_aot_mod(%s, %s)",
    };

    if (n->op >= COUNT(forms) || !forms[n->op])
        return refuse(g, n,
                      n->op == BIN_DIV ? "`/` gives a float; `//` is whole"
                                       : "there is no such operator here");
    return translate_two(g, forms[n->op], n->left, n->right);
}

static const char *translate_call(GridText *g, const Node *n)
{
    const char *name = n->left->kind == N_NAME || n->left->kind == N_ATTRIBUTE ? n->left->name : "";
    const char *form = strcmp(name, "cdiv") == 0  ? "tilec_aot_cdiv(%s, %s)"
                       : strcmp(name, "min") == 0 ? "tilec_aot_min(%s, %s)"
                       : strcmp(name, "max") == 0 ? "tilec_aot_max(%s, %s)"
                                                  : NULL;
    bool folds = form && strcmp(name, "cdiv") != 0;

    if (!form)
        return refuse(g, n, "there is no such function here");
    if (n->nitems < 2 || (!folds && n->nitems > 2))
        return refuse(g, n, "the function takes two numbers");
    const char *all = translate(g, n->items[0]);
    for (int i = 1; i < n->nitems; i++)
        all = arena_printf(g->header->arena, form, all, translate(g, n->items[i]));
    return all;
}

static const char *translate_test(GridText *g, const Node *n)
{
    static const char *const forms[] = {
        [CMP_EQ] = "%s == %s", [CMP_NE] = "%s != %s", [CMP_LT] = "%s < %s",
        [CMP_LE] = "%s <= %s", [CMP_GT] = "%s > %s",  [CMP_GE] = "%s >= %s",
    };

    if (n->kind != N_COMPARE || n->nitems != 1 || n->ops[0] >= COUNT(forms))
        return refuse(g, n, "a condition compares two numbers");
    return translate_two(g, forms[n->ops[0]], n->left, n->items[0]);
}

static const char *translate(GridText *g, const Node *n)
{
    Arena *a = g->header->arena;

    switch (n->kind) {
    case N_INT:
        if (n->integer > INT64_MAX)
            return refuse(g, n, "this number is too large");
        return arena_printf(a, "INT64_C(%lld)", (long long)n->integer);
    case N_NAME:
        return translate_name(g, n);
    case N_BINARY:
        return translate_binary(g, n);
    case N_UNARY:
        if (n->op != UN_MINUS && n->op != UN_PLUS)
            return refuse(g, n, "there is no such operator here");
        return arena_printf(a, "(%c%s)", n->op == UN_MINUS ? '-' : '+', translate(g, n->left));
    case N_CALL:
        return translate_call(g, n);
    case N_CONDITIONAL:
        return arena_printf(a, "(%s ? %s : %s)", translate_test(g, n->right), translate(g, n->left),
                            translate(g, n->extra));
    default:
        return refuse(g, n, "this is no expression of whole numbers");
    }
}

/* One expression, or a tuple of up to three; NULL: g->problem says why not. */
static const Node *parse_grid(GridText *g)
{
    Arena *a = g->header->arena;
    const char *text = g->header->grid;
    Parser p;

    g->source = source_add(source_map_new(a), "grid", text, strlen(text));
    if (!g->source) {
        g->problem = "the grid: this text is too long";
        return NULL;
    }
    parser_init_inside(&p, a, interner_new(a), g->source);
    const Node *n = parse_expressions(&p);
    if (p.errors.len == 0 && p.tok.kind != T_END)
        parse_unexpected(&p, "nothing more");
    if (p.errors.len > 0)
        g->problem = arena_printf(a, "the grid %s: %s", text, p.errors.at[0].message);
    else if (n->kind == N_TUPLE && (n->nitems < 1 || n->nitems > COUNT(g->header->extent)))
        g->problem = arena_printf(a, "the grid %s: a grid has one to three dimensions", text);
    return g->problem ? NULL : n;
}

/* Of a number that the text has itself. */
static const char *translate_extent(GridText *g, const Node *n)
{
    const Node *number = n->kind == N_UNARY ? n->left : n;
    bool is_negative = n->kind == N_UNARY && n->op == UN_MINUS;

    if (number->kind == N_INT && (is_negative || number->integer == 0))
        return refuse(g, n, "this many programs there cannot be: 1 is the least");
    return translate(g, n);
}

const char *aot_grid(AotHeader *h)
{
    GridText g = {.header = h};
    const Node *n = parse_grid(&g);

    for (int d = 0; n && d < COUNT(h->extent); d++)
        h->extent[d] = d >= (n->kind == N_TUPLE ? n->nitems : 1) ? "INT64_C(1)"
                       : n->kind == N_TUPLE                      ? translate_extent(&g, n->items[d])
                                                                 : translate_extent(&g, n);
    return g.problem;
}
