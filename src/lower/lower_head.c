/*
 * lower_head.c - what stands above a function and in its parentheses and has no meaning to Python
 *
 * A kernel is recognised by its text alone, so a file may lack imports that Python would stop at.
 * Of decorators that is warned of; a name that no annotation can have is an error.
 */
#include "lower.h"

#include <string.h>

/* The first name of a dotted expression, or of what is called by one; NULL: it is none. */
static const Node *first_name(const Node *n)
{
    while (n->kind == N_ATTRIBUTE || n->kind == N_CALL)
        n = n->left;
    return n->kind == N_NAME ? n : NULL;
}

/* Does the file bind it, at module level?  What functions around this one bind is not known. */
static bool is_bound(Lower *l, const Node *n)
{
    bool found;

    l->quiet++;
    l->language->global_value(l, n->name, n->span, &found);
    l->quiet--;
    return found || py_builtin(n->name) || strcmp(n->name, "str") == 0 ||
           strcmp(n->name, "object") == 0;
}

/* Python looks these names up when it runs the `def`. */
static const Node *unbound_name(Lower *l, const Node *expression)
{
    const Node *name = first_name(expression);

    return name && !is_bound(l, name) ? name : NULL;
}

static void check_annotation(Lower *l, const AstParam *p)
{
    const Node *unbound = p->annotation ? unbound_name(l, p->annotation) : NULL;

    if (unbound)
        l->language->lower_undefined(l, unbound);
}

static void check_decorator(Lower *l, const Node *decorator)
{
    const Node *unbound = unbound_name(l, decorator);
    const char *advice = unbound ? advice_for_word(unbound->name) : NULL;

    if (!unbound)
        return;
    warn_at(l, unbound->span, W_NOT_DEFINED, unbound->name);
    if (advice)
        hint_at(l, "%s", advice);
}

void lower_head(Lower *l, const AstFunc *fn)
{
    const FrontFile *f = fn->file;
    bool is_told =
        fn->scope || f->set->options.host.find || file_import(f, intern(l->interner, "*"));

    if (is_told || l->frame->is_static) /* by whom is not known here */
        return;
    for (int i = 0; i < fn->ndecorators; i++)
        check_decorator(l, fn->decorators[i]);
    if (file_import(f, intern(l->interner, "annotations")))
        return; /* from __future__: Python does not evaluate them */
    for (int i = 0; i < fn->nparams; i++)
        check_annotation(l, &fn->params[i]);
}

void warn_of_tuning(Lower *l, const AstFunc *fn)
{
    for (int i = 0; fn->tuning && i < fn->tuning->nwarnings; i++) {
        const FrontWarning *w = &fn->tuning->warnings[i];

        warn_at(l, w->span, "%s", w->text);
        hint_at(l, "%s", w->hint);
    }
}
