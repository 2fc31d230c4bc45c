/*
 * only.c - which kernel is meant when none is named: the one that no other uses
 *
 * A jit function that another one of the file calls, or hands on as an argument, is a helper, and
 * so are methods of classes and one that returns a value, if there is any other.  Names count as
 * Python reads them: what a function assigns or takes as a parameter is its own.
 */
#include "file.h"

#include <string.h>

enum { MAX_ALIASES = 8 }; /* bounds cycles */

typedef struct {
    const FrontFile *file;
    const AstFunc *inside;
    Map *own;  /* names of `inside`, for the one function */
    Map *used; /* functions of the file */
} Uses;

typedef void See(Uses *u, const Node *n);

static void walk_uses(Uses *u, const Node *n, See *see);

static void walk_list(Uses *u, Node *const *at, int n, See *see)
{
    for (int i = 0; i < n; i++)
        walk_uses(u, at[i], see);
}

static void walk_uses(Uses *u, const Node *n, See *see)
{
    if (!n)
        return;
    see(u, n);
    walk_uses(u, n->left, see);
    walk_uses(u, n->right, see);
    walk_uses(u, n->extra, see);
    walk_list(u, n->items, n->nitems, see);
    walk_list(u, n->body, n->nbody, see);
    walk_list(u, n->orelse, n->norelse, see);
}

/* `x`, or the names in `(x, *y)`; the `x` of `x[i]` is used, not assigned. */
static void assign_use(Uses *u, const Node *target)
{
    if (target->kind == N_NAME)
        map_put(u->own, MAP_KEY(target->name), u->own);
    if (target->kind == N_STARRED)
        assign_use(u, target->left);
    for (int i = 0; (target->kind == N_TUPLE || target->kind == N_LIST) && i < target->nitems; i++)
        assign_use(u, target->items[i]);
}

static void see_assignment(Uses *u, const Node *n)
{
    if (n->kind == N_WALRUS)
        map_put(u->own, MAP_KEY(n->name), u->own);
    if (n->kind == N_FOR || n->kind == N_AUGMENTED || n->kind == N_ANNOTATED)
        assign_use(u, n->left);
    for (int i = 0; n->kind == N_ASSIGN && i < n->nitems; i++)
        assign_use(u, n->items[i]);
}

/* The function that a name stands for, perhaps through other names. */
static const AstFunc *function_named(const Uses *u, Sym name)
{
    const AstFunc *fn = file_find_from(u->file, u->inside, name);
    const AstGlobal *g;

    for (int i = 0; !fn && i < MAX_ALIASES; i++) {
        g = file_global(u->file, name);
        if (!g || g->value->kind != N_NAME)
            return NULL;
        name = g->value->name;
        fn = file_find(u->file, name);
    }
    return fn;
}

static void see_use(Uses *u, const Node *n)
{
    const AstFunc *fn;

    if (n->kind != N_NAME || map_get(u->own, MAP_KEY(n->name)))
        return;
    fn = function_named(u, n->name);
    if (fn && fn != u->inside)
        map_put(u->used, MAP_KEY(fn), u->used);
}

static void add_uses(Uses *u, const AstFunc *fn)
{
    u->inside = fn;
    u->own = map_new(u->file->arena);
    for (int i = 0; i < fn->nparams; i++)
        map_put(u->own, MAP_KEY(fn->params[i].name), u->own);
    walk_list(u, fn->body, fn->nbody, see_assignment);
    walk_list(u, fn->body, fn->nbody, see_use);
}

/* Of several definitions of one name, such as in both arms of an `if`, the one that counts. */
static const AstFunc *counting(const FrontFile *f, const AstFunc *fn)
{
    return fn->scope ? fn : file_find(f, fn->name);
}

static bool returns_value(Node *const *body, int n)
{
    for (int i = 0; i < n; i++) {
        const Node *s = body[i];

        if ((s->kind == N_RETURN && s->left && s->left->kind != N_NONE) ||
            returns_value(s->body, s->nbody) || returns_value(s->orelse, s->norelse))
            return true;
    }
    return false;
}

enum { NONE_LEFT = -1, SEVERAL = -2 };

/* Does it get an object of its class first?  No launch has one.  Kernels in classes get none. */
static bool is_method(const FrontFile *f, const AstFunc *fn)
{
    return fn->scope && !fn->is_static && class_is_body(f, fn->scope) && fn->nparams > 0 &&
           strcmp(fn->params[0].name, "self") == 0;
}

/* The one that is not used and, unless `all`, returns nothing and is no method. */
static int only_unused(const Uses *u, bool all)
{
    const FrontFile *f = u->file;
    int only = NONE_LEFT;

    for (int i = 0; i < f->nkernels; i++) {
        const AstFunc *fn = counting(f, f->kernels[i]);

        if (map_get(u->used, MAP_KEY(fn)) ||
            (!all && (returns_value(fn->body, fn->nbody) || is_method(f, fn))))
            continue;
        if (only >= 0 && counting(f, f->kernels[only]) != fn)
            return SEVERAL;
        if (only < 0)
            only = i;
    }
    return only;
}

int file_only_kernel(const FrontFile *f)
{
    Uses u = {.file = f, .used = map_new(f->arena)};
    int only;

    for (int i = 0; i < f->nkernels; i++)
        add_uses(&u, f->kernels[i]);
    only = only_unused(&u, false);
    if (only == NONE_LEFT)
        only = only_unused(&u, true);
    return MAX(only, -1);
}
