/*
 * accesses.c - which elements of arrays programs read and write: a figure for each array
 *
 * A cell is as wide as it is high, and cells of one kind are one path, of strokes along rows.
 */
#include "page.h"

#include <string.h>

enum {
    SHADES = 24, /* colours of programs, which come again */
    LARGEST_CELL = 28,
    WIDEST = 620 /* pixels */
};

/* The colour of a cell: a kind, or behind these one of a program's; -1: it has none. */
static int shade_of(const AccessCells *c, int64_t cell, bool programs)
{
    if (c->programs[cell] == -2)
        return -1;
    if (programs && c->programs[cell] >= 0)
        return ACCESS_KINDS + (int)(c->programs[cell] % SHADES);
    return c->kinds[cell];
}

/* The cells of one shade. */
static void put_path(Text *t, const AccessCells *c, int shade, bool programs)
{
    for (int y = 0; y < c->height; y++) {
        for (int x = 0, n; x < c->width; x += n) {
            const int64_t at = (int64_t)y * c->width + x;

            for (n = 1; x + n < c->width; n++) {
                if (shade_of(c, at + n, programs) != shade_of(c, at, programs))
                    break;
            }
            if (shade_of(c, at, programs) == shade)
                text_printf(t, "M%d %d.5h%d", x, y, n);
        }
    }
}

static void put_cells(Text *t, const AccessCells *c, const char *label, bool programs)
{
    text_printf(t,
                "<svg class=\"cells\" style=\"max-width: %dpx\" viewBox=\"0 0 %d %d\" "
                "preserveAspectRatio=\"xMinYMid\" role=\"img\" aria-label=\"%s\">\n",
                MIN(c->width * LARGEST_CELL, WIDEST), c->width, c->height,
                html_text(t->arena, label));
    for (int shade = 0; shade < ACCESS_KINDS + SHADES; shade++) {
        Text path = text_new(t->arena);

        text_put(&path, "");
        put_path(&path, c, shade, programs);
        if (path.len == 0)
            continue;
        if (shade < ACCESS_KINDS)
            text_printf(t, "<path class=\"cell-%s\" d=\"%s\"/>\n", access_kinds[shade].name,
                        path.s);
        else
            text_printf(t, "<path style=\"stroke: hsl(%d 60%% 58%%)\" d=\"%s\"/>\n",
                        (shade - ACCESS_KINDS) * 222 % 360, path.s);
    }
    text_put(t, "</svg>\n");
}

static void put_legend(Text *t, const AccessCells *c)
{
    text_put(t, "<p class=\"legend\">");
    for (int i = 0; i < ACCESS_KINDS; i++) {
        bool is_there = false;

        for (int64_t k = 0; k < (int64_t)c->width * c->height; k++)
            is_there |= c->programs[k] != -2 && c->kinds[k] == i;
        if (is_there)
            text_printf(t, "<span class=\"cell-%s\">%s</span> ", access_kinds[i].name,
                        access_kinds[i].text);
    }
    text_put(t, "</p>\n");
}

void accesses_figures(Text *t, const RunView *v)
{
    for (int i = 0; i < v->accesses.len; i++) {
        const ViewAccess *x = &v->accesses.at[i];

        text_printf(t, "<figure><figcaption>%s <span>%s%s</span></figcaption>\n",
                    html_text(t->arena, x->name), html_text(t->arena, x->type),
                    v->accesses_in_part ? ": what the first programs do with it"
                                        : ": what programs do with it");
        put_cells(t, &x->cells, arena_printf(t->arena, "accesses of %s", x->name), false);
        put_legend(t, &x->cells);
        text_printf(t, "<p class=\"about\">%s</p>\n", html_text(t->arena, x->counts));
        text_put(t, "<details><summary>by program</summary>\n");
        put_cells(t, &x->cells, arena_printf(t->arena, "programs of %s", x->name), true);
        text_put(t, "</details></figure>\n");
    }
}
