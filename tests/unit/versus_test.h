/*
 * versus_test.h - what the CMocka tests on versus.h share: the code generator, and an assertion
 */
#ifndef TILEC_TEST_VERSUS_TEST_H
#define TILEC_TEST_VERSUS_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include "seed.h"
#include "versus.h"

#include <cmocka.h> /* after base.h: both have a fail() */

static const GenPlugin *plugin;
static Arena *plugin_arena;

/* Fixtures of a group. */
static inline int versus_open(void **state)
{
    const char *why = NULL;

    (void)state;
    plugin_arena = arena_new(NULL);
    plugin = run_plugin(plugin_arena, &why);
    if (!plugin)
        fail_msg("no code generator: %s", why);
    return 0;
}

static inline int versus_close(void **state)
{
    (void)state;
    arena_free(plugin_arena);
    return 0;
}

/* Fails when the engine does anything else than the interpreter, if the seed chose this kernel for
 * the engine; TILEC_SHOW prints the kernel. */
static inline void versus_expect(const Case *c, Engine engine, const char *what)
{
    Text why = text_new(c->arena);

    if (!chosen(c->text, engine, 6) || versus_run(c, engine, &why))
        return;
    if (os_env("TILEC_SHOW"))
        fprintf(stderr, "%s\n", c->text);
    fail_msg("%s: %s", what, why.s ? why.s : "");
}

#endif
