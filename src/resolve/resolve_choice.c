/*
 * resolve_choice.c - which code outside of kernels is run (semantics R6)
 *
 * A file may bind a name in a host `if`.  Where the tests in front of a block have values (a define
 * may give them, or hasattr()), what it binds counts for sure or not at all; else it may.  Loops
 * and `case` are open for ever.
 */
#include "resolve.h"

#include "../syntax/parse.h"

/* --- tests --- */

/* The test of an `if` or `elif`; NULL when it cannot be read. */
static const Node *parse_test(Lower *l, const FrontFile *file, const AstChoice *c)
{
    const Node *test;
    Parser p;

    parser_init(&p, l->arena, l->interner, file->source, c->header);
    advance(&p);
    test = parse_named(&p);
    return p.tok.kind == T_COLON ? test : NULL;
}

static ChoiceState evaluate_test(Lower *l, const FrontFile *file, const AstChoice *c)
{
    const Where w = {.file = file, .scope = c->scope, .before = c->header.start};
    const Node *test = parse_test(l, file, c);
    Val v = test ? value_of_host(l, &w, test, c->header) : val_unknown();

    if (v.kind != VAL_CONST)
        return CHOICE_OPEN;
    return const_truth(v.c) ? CHOICE_RUN : CHOICE_LEFT_OUT;
}

/* Each is evaluated once; while that goes on it is open. */
static ChoiceState test_state(Lower *l, const FrontFile *file, const AstChoice *c)
{
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

/* Is one of several arms run, as far as the tests in it and in front of it say? */
static ChoiceState arm_state(Lower *l, const FrontFile *file, const AstChoice *c)
{
    ChoiceState state = c->has_test ? test_state(l, file, c) : c->before ? CHOICE_RUN : CHOICE_OPEN;

    for (const AstChoice *a = c->before; a && state != CHOICE_LEFT_OUT; a = a->before) {
        ChoiceState before = test_state(l, file, a);

        if (before == CHOICE_RUN)
            state = CHOICE_LEFT_OUT;
        else if (before == CHOICE_OPEN)
            state = CHOICE_OPEN;
    }
    return state;
}

ChoiceState choice_state(Lower *l, const FrontFile *file, const AstChoice *c)
{
    ChoiceState state = CHOICE_RUN;

    for (; c && state != CHOICE_LEFT_OUT; c = c->outer) {
        ChoiceState arm = arm_state(l, file, c);

        if (arm != CHOICE_RUN)
            state = arm;
    }
    return state;
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

const AstFunc *choice_other(Lower *l, const AstFunc *fn)
{
    return choice_state(l, fn->file, fn->choice) == CHOICE_OPEN ? other_function(l, fn) : NULL;
}
