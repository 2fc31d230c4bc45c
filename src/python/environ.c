/*
 * environ.c - variables of the environment, as files outside of kernels read them
 *
 *     FAST = os.environ.get("FAST", "0") == "1"
 *
 * They are those of this process, as they are where they are asked for; what a file itself would
 * write to os.environ is not run, and not seen.
 */
#include <string.h>

#include "functions.h"
#include "messages.h"

/* False where it is not set. */
static bool read_variable(Py *p, const Const *key, Const *out)
{
    const char *name = arena_strndup(p->arena, key->text, key->ntext);
    const char *value = name[0] ? os_env(name) : NULL;

    if (value)
        *out = const_string(arena_strndup(p->arena, value, strlen(value)), strlen(value));
    return value != NULL;
}

bool py_getenv(Py *p, const Const *args, int n, Const *out)
{
    if (args[0].kind != CONST_STRING)
        return false;
    if (!read_variable(p, &args[0], out))
        *out = n > 1 ? args[1] : const_none();
    return true;
}

/* --- os.environ --- */

static bool environ_attribute(Py *p, const Const *self, const char *name, Span at, Const *out)
{
    (void)self;
    if (strcmp(name, "get") != 0)
        return py_fail(p, at, PY_E_ATTRIBUTE, "os.environ", name);
    *out = py_builtin_value(p, py_builtin("os.environ.get"));
    return true;
}

static bool environ_subscript(Py *p, const Const *self, const Const *index, Span at, Const *out)
{
    (void)self;
    return (index->kind == CONST_STRING && read_variable(p, index, out)) ||
           py_fail(p, at, PY_E_KEY, const_brief(index, p->arena));
}

static bool environ_contains(Py *p, const Const *self, const Const *item, Span at, bool *out)
{
    Const ignored;

    (void)self;
    (void)at;
    *out = item->kind == CONST_STRING && read_variable(p, item, &ignored);
    return true;
}

static const PyClass environ_class = {.name = "os.environ",
                                      .attribute = environ_attribute,
                                      .subscript = environ_subscript,
                                      .contains = environ_contains};

Const py_environ(void)
{
    return (Const){.kind = CONST_OBJECT, .class = &environ_class};
}
