/*
 * help.h - a Cli to test parts of the command line in
 *
 * A test of what stops a command sets c->guard in a small function of its own (see load_stops()),
 * since setjmp() wants no loop around it.
 */
#ifndef TILEC_TEST_CLI_HELP_H
#define TILEC_TEST_CLI_HELP_H

#include "../../src/cli/call.h"
#include "../../src/ir/ir.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

/* An element as a number. */
static inline double element(const Array *a, const int64_t *index)
{
    uint64_t bits = 0;

    memcpy(&bits, array_at(a, index), tilec_dtype_size(a->dtype)); /* little-endian */
    return scalar_to_double((DType)a->dtype, bits);
}

static inline int open_cli(void **state)
{
    Cli *c = calloc(1, sizeof *c);

    if (!c)
        return -1;
    cli_start(c);
    *state = c;
    return 0;
}

static inline int close_cli(void **state)
{
    Cli *c = *state;

    array_free_from(&c->store, 0);
    arena_free(c->arena);
    free(c);
    return 0;
}

#endif
