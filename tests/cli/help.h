/*
 * help.h - a Cli to test parts of the command line in
 *
 * STOPS(c, expression) runs the expression and gives the exit code that it stopped with, or
 * CLI_DONE; the text is in c->trouble.
 */
#ifndef TILEC_TEST_CLI_HELP_H
#define TILEC_TEST_CLI_HELP_H

#include "../../src/cli/cli.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdlib.h>

static inline int open_cli(void **state)
{
    Cli *c = calloc(1, sizeof *c);

    if (!c)
        return -1;
    c->arena = arena_new(&c->guard);
    *state = c;
    return 0;
}

static inline int close_cli(void **state)
{
    Cli *c = *state;

    array_free_all(c);
    arena_free(c->arena);
    free(c);
    return 0;
}

#define STOPS(c, expression)                                                                       \
    ((c)->code = CLI_DONE, (c)->trouble = NULL,                                                    \
     setjmp((c)->guard.env) == 0 ? ((void)(expression), CLI_DONE) : (c)->code)

#endif
