/*
 * configs.c - what is wrong with a configuration of @triton.autotune
 */
#include "command.h"

#include <string.h>

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
