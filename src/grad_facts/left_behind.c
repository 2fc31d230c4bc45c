/*
 * left_behind.c - a kernel that was derived, and reads what its forward left
 *
 * Its docstring says so, as print_head.c writes it, of each array: a gradient of that kernel would
 * take the array for a constant, though the forward computes it of its own arguments.  Of what
 * comes from behind, the gradient of what was differentiated, it is a constant.
 */
#include <string.h>

#include "facts.h"

/* From the kernel's `def` to the end of its docstring; empty: it has none. */
static const char *docstring(const Grad *g)
{
    const Module *m = g->func->module;
    const Source *s = m->sources ? source_of(m->sources, g->func->span.start) : NULL;
    const char *from = s ? s->text + (g->func->span.start - s->base) : "";
    const char *colon = strstr(from, "):\n");
    const char *begin = colon ? strstr(colon, "\"\"\"") : NULL;
    const char *end = begin ? strstr(begin + 3, "\"\"\"") : NULL;

    /* nothing but blanks stands in front of it */
    if (!end || (size_t)(begin - colon) != strlen("):\n") + strspn(colon + strlen("):\n"), " "))
        return "";
    return arena_printf(g->arena, "%.*s", (int)(end - begin), begin);
}

static bool comes_from_behind(const Grad *g, const char *said, const char *name)
{
    return strstr(said, arena_printf(g->arena, " %s: the gradient of ", name)) != NULL;
}

bool grad_check_left_behind(Grad *g)
{
    const char *said = docstring(g), *line = strstr(said, GRAD_LEFT_BEHIND);
    bool all = true;

    for (int i = 0; i < g->wish->nwrt; i++)
        all &= comes_from_behind(g, said, g->wish->wrt[i]);
    if (!line || all)
        return true;
    while (line > said && line[-1] != '\n')
        line--;
    line += strspn(line, " ");
    grad_refuse(g, NULL,
                "`%.*s` would be taken for a constant, which the forward of this kernel computes: "
                "derive that with --recompute, and then this",
                (int)strcspn(line, ":"), line);
    return false;
}
