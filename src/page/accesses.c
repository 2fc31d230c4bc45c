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

/* What is not there at the end is hidden: page.js shows it where it goes back. */
static void put_legend(Text *t, const AccessCells *c)
{
    text_put(t, "<p class=\"legend\">");
    for (int i = 0; i < ACCESS_KINDS; i++) {
        bool is_there = false;

        for (int64_t k = 0; k < (int64_t)c->width * c->height; k++)
            is_there |= c->programs[k] != -2 && c->kinds[k] == i;
        text_printf(t, "<span class=\"cell-%s\"%s>%s</span> ", access_kinds[i].name,
                    is_there ? "" : " hidden=\"hidden\"", access_kinds[i].text);
    }
    text_put(t, "</p>\n");
}

/* What is done one by one, for page.js: of each access its program, its line as "f0l12", what it
 * does, to which of the figures, and the cells. */
static void put_steps(Text *t, const PageFiles *f, const RunView *v)
{
    const int32_t *grid = v->timing.grid;

    if (v->steps.len == 0)
        return;
    text_printf(t,
                "<figure class=\"stepper\" hidden=\"hidden\" data-grid=\"%d %d\" "
                "data-steps=\"",
                grid[0], grid[1]);
    for (int i = 0; i < v->steps.len; i++) {
        const ViewStep *s = &v->steps.at[i];
        const char *id = files_id(f, s->file, s->line), *dash = id ? strchr(id, '-') : NULL;

        text_printf(t, "%s%lld,%s,%s,%d,%s", i ? ";" : "", (long long)s->program,
                    dash ? dash + 1 : "",
                    s->reads && s->writes ? "b"
                    : s->writes           ? "w"
                                          : "r",
                    s->access, s->cells);
    }
    text_printf(t,
                "\">\n<figcaption>access by access <span>%s, one program after the other: arrow "
                "keys go by accesses, page up and down by programs</span></figcaption>\n"
                "<input type=\"range\" min=\"0\" max=\"%d\" value=\"%d\" "
                "aria-label=\"up to which access\"/>\n<output></output>\n</figure>\n",
                v->steps_in_part ? "the first ones" : "all of them", v->steps.len, v->steps.len);
}

void accesses_figures(Text *t, const PageFiles *f, const RunView *v)
{
    const int32_t *grid = v->timing.grid;
    const char *about = ": what programs do with it";

    if (v->accesses_of > 0)
        about = arena_printf(t->arena, ": what the first %lld of %lld programs do with it",
                             (long long)v->accesses_of, (long long)grid[0] * grid[1] * grid[2]);
    put_steps(t, f, v);
    for (int i = 0; i < v->accesses.len; i++) {
        const ViewAccess *x = &v->accesses.at[i];

        text_printf(t,
                    "<figure class=\"accesses\" data-name=\"%s\"><figcaption>%s "
                    "<span>%s%s</span></figcaption>\n",
                    html_text(t->arena, x->name), html_text(t->arena, x->name),
                    html_text(t->arena, x->type), about);
        put_cells(t, &x->cells, arena_printf(t->arena, "accesses of %s", x->name), false);
        put_legend(t, &x->cells);
        text_printf(t, "<p class=\"about\">%s</p>\n", html_text(t->arena, x->counts));
        text_put(t, "<details><summary>by program</summary>\n");
        put_cells(t, &x->cells, arena_printf(t->arena, "programs of %s", x->name), true);
        text_put(t, "</details></figure>\n");
    }
}
