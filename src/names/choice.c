/*
 * choice.c - which arms of host `if`s are run, given the values of their tests (semantics R6)
 *
 * Where the tests in front of a block have values, what it binds counts for sure or not at all;
 * else it may.  Loops and `case` are open for ever.
 */
#include "../syntax/parse.h"
#include "file.h"

const Node *choice_parse_test(Arena *a, const FrontFile *f, const AstChoice *c)
{
    const Node *test;
    Parser p;

    parser_init(&p, a, f->interner, f->source, c->header);
    advance(&p);
    test = parse_named(&p);
    return p.tok.kind == T_COLON ? test : NULL;
}

/* Is one of several arms run, as far as the tests in it and in front of it say? */
static ChoiceState arm_state(const FrontFile *f, const AstChoice *c, ChoiceTest *test,
                             void *context)
{
    ChoiceState state = c->has_test ? test(context, f, c) : c->before ? CHOICE_RUN : CHOICE_OPEN;

    for (const AstChoice *a = c->before; a && state != CHOICE_LEFT_OUT; a = a->before) {
        ChoiceState before = test(context, f, a);

        if (before == CHOICE_RUN)
            state = CHOICE_LEFT_OUT;
        else if (before == CHOICE_OPEN)
            state = CHOICE_OPEN;
    }
    return state;
}

ChoiceState choice_of(const FrontFile *f, const AstChoice *c, ChoiceTest *test, void *context)
{
    ChoiceState state = CHOICE_RUN;

    for (; c && state != CHOICE_LEFT_OUT; c = c->outer) {
        ChoiceState arm = arm_state(f, c, test, context);

        if (arm != CHOICE_RUN)
            state = arm;
    }
    return state;
}
