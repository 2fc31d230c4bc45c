/*
 * resolve_choice.c - which code outside of kernels is run (semantics R6)
 *
 * A file may bind a name in a host `if`.  Where the tests in front of a block have values (a define
 * may give them, or hasattr()), what it binds counts for sure or not at all; else it may.  Loops
 * and `case` are open for ever.
 */
#include "resolve.h"

/* --- tests --- */

static ChoiceState evaluate_test(Lower *l, const FrontFile *file, const AstChoice *c)
{
    const Where w = {.file = file, .scope = c->scope, .before = c->header.start};
    const Node *test = choice_parse_test(l->arena, file, c);
    Val v = test ? value_of_host(l, &w, test, c->header) : val_unknown();

    if (v.kind != VAL_CONST)
        return CHOICE_OPEN;
    return const_truth(v.c) ? CHOICE_RUN : CHOICE_LEFT_OUT;
}

/* Each is evaluated once; while that goes on it is open. */
static ChoiceState test_state(void *lower, const FrontFile *file, const AstChoice *c)
{
    Lower *l = lower;
    ChoiceState *known = map_get(l->choices, MAP_KEY(c));

    if (known)
        return *known;
    known = NEW(l->arena, ChoiceState);
    *known = CHOICE_OPEN;
    map_put(l->choices, MAP_KEY(c), known);
    if (c->has_test)
        *known = evaluate_test(l, file, c);
    return *known;
}

ChoiceState choice_state(Lower *l, const FrontFile *file, const AstChoice *c)
{
    return choice_of(file, c, test_state, l);
}

/* --- what they bind --- */

const AstGlobal *choice_assigned(Lower *l, const AstGlobal *g)
{
    while (g && choice_state(l, g->file, g->choice) == CHOICE_LEFT_OUT)
        g = g->earlier;
    return g;
}

/* The last other definition of `fn` that may be run. */
static const AstFunc *other_function(Lower *l, const AstFunc *fn)
{
    const FrontFile *f = fn->file;

    for (int i = f->nfuncs - 1; i >= 0; i--) {
        const AstFunc *other = f->funcs[i];

        if (other != fn && other->name == fn->name && other->scope == fn->scope &&
            !other->in_except && choice_state(l, f, other->choice) != CHOICE_LEFT_OUT)
            return other;
    }
    return NULL;
}

const AstFunc *choice_function(Lower *l, const AstFunc *fn)
{
    bool left_out = fn && choice_state(l, fn->file, fn->choice) == CHOICE_LEFT_OUT;

    return left_out ? other_function(l, fn) : fn;
}

const AstClass *choice_class(Lower *l, const FrontFile *f, const AstScope *scope, Sym name)
{
    const AstClass *instead = NULL;

    for (int i = f->nclasses - 1; i >= 0; i--) {
        const AstClass *c = f->classes[i];

        if (c->scope != scope || c->name != name ||
            choice_state(l, f, c->choice) == CHOICE_LEFT_OUT)
            continue;
        if (!c->in_except)
            return c;
        instead = instead ? instead : c;
    }
    return instead;
}

const AstFunc *choice_other(Lower *l, const AstFunc *fn)
{
    return choice_state(l, fn->file, fn->choice) == CHOICE_OPEN ? other_function(l, fn) : NULL;
}
