/*
 * configs.c - the configurations of @triton.autotune as text, and what is wrong with one
 */
#include "command.h"

#include <string.h>

static const char *quoted(Arena *a, const char *s)
{
    Text t = text_new(a);

    text_put(&t, "'");
    for (; *s; s++) {
        if (*s == '\'' || *s == '\\')
            text_put(&t, "\\");
        text_putn(&t, s, 1);
    }
    text_put(&t, "'");
    return t.s;
}

const char *config_value_text(Arena *a, const tilec_arg *v)
{
    switch (v->kind) {
    case TILEC_ARG_NONE:
        return "None";
    case TILEC_ARG_BOOL:
        return v->integer ? "True" : "False";
    case TILEC_ARG_INT:
        return arena_printf(a, "%lld", (long long)v->integer);
    case TILEC_ARG_UINT:
        return arena_printf(a, "%llu", (unsigned long long)v->uinteger);
    case TILEC_ARG_FLOAT:
        return arena_printf(a, "%.17g", v->real);
    case TILEC_ARG_STRING:
        return quoted(a, v->text);
    case TILEC_ARG_DTYPE:
        return tilec_dtype_name(v->dtype);
    default:
        bug("a value of a configuration that has no text");
    }
}

const char *config_text(Arena *a, const tilec_config *c)
{
    Text t = text_new(a);

    text_put(&t, "");
    for (int i = 0; i < c->nvalues; i++)
        text_printf(&t, "%s%s=%s", i ? " " : "", c->values[i].name,
                    config_value_text(a, &c->values[i]));
    return t.s;
}

const char *config_problem(Cli *c, const char *kernel, int i)
{
    static const char mark[] = ": error: ";
    const char *text = tilec_config_problem(c->file, kernel, i);
    const char *error = text ? strstr(text, mark) : NULL;

    if (!error)
        return text;
    return arena_printf(c->arena, "%.*s: %.*s", (int)(error - text), text,
                        (int)strcspn(error + strlen(mark), "\n"), error + strlen(mark));
}
