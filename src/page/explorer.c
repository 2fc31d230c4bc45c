/*
 * explorer.c - the source with what is known of each line, and the compiler's texts beside it
 *
 * Of a file the lines are shown that have something, and those around them.  Without page.js all
 * texts stand one below the other; it makes tabs of them, and ties lines to each other.
 */
#include "page.h"

#include <string.h>

enum { CONTEXT = 3, GAP = 10 }; /* lines around those that have something; that are not left out */

/* --- the source --- */

static const MeasuredLine *measured_at(const Measures *m, const char *file, int line)
{
    for (int i = 0; i < m->lines.len; i++) {
        const MeasuredLine *l = &m->lines.at[i];

        if (l->line == line && l->file && strcmp(l->file, file) == 0)
            return l;
    }
    return NULL;
}

static void put_cells(Text *t, const Measures *m, const MeasuredLine *l)
{
    for (int i = 0; i < m->n; i++) {
        const Cell *c = l ? &l->cells[i] : NULL;

        if (c && c->text[0])
            text_printf(t, "<td class=\"m\" style=\"--h:%.3f\">%s</td>", c->heat,
                        html_text(t->arena, c->text));
        else
            text_put(t, "<td class=\"m\"></td>");
    }
}

static void put_row(Text *t, const PageFiles *f, int file, int line, const Measures *m,
                    const char **quotes)
{
    const PageFile *from = &f->all.at[file];
    const MeasuredLine *l = measured_at(m, from->path, line);
    const char *text = from->lines[line - 1];

    if (from->has[line])
        text_printf(t, "<tr id=\"v%d-f%dl%d\" data-l=\"f%dl%d\" tabindex=\"-1\"", f->version, file,
                    line, file, line);
    else
        text_put(t, "<tr");
    if (l && m->n > 0 && l->cells[0].text[0])
        text_printf(t, " style=\"--glow:%.3f\"", l->cells[0].heat);
    text_put(t, ">");
    put_cells(t, m, l);
    text_printf(t, "<th scope=\"row\">%d</th><td class=\"code\">", line);
    html_put_python(t, text, quotes);
    text_put(t, "</td></tr>\n");
}

static void put_skip(Text *t, const Measures *m, int first, int last)
{
    text_printf(t, "<tr class=\"skip\"><td colspan=\"%d\"></td><td>", m->n + 1);
    if (first == last)
        text_printf(t, "line %d is", first);
    else
        text_printf(t, "lines %d to %d are", first, last);
    text_put(t, " not of this kernel</td></tr>\n");
}

/* Which lines of the file are shown: those that have something, some around them, and no gap is
 * left that is hardly longer than the words in its place. */
static bool *shown_lines(Arena *a, const PageFile *file)
{
    bool *shown = NEW_N(a, bool, file->nlines + 1);
    int last = 0;

    memset(shown, 0, sizeof *shown * (size_t)(file->nlines + 1));
    for (int i = 1; i <= file->nlines; i++) {
        if (!file->has[i])
            continue;
        int first = last > 0 && i - last <= GAP ? last : MAX(i - CONTEXT, 1);
        for (int k = first; k <= MIN(i + CONTEXT, file->nlines); k++)
            shown[k] = true;
        last = i;
    }
    return shown;
}

static void put_lines(Text *t, const PageFiles *f, int number, const Measures *m)
{
    const PageFile *file = &f->all.at[number];
    const bool *shown = shown_lines(t->arena, file);
    const char *quotes = NULL;
    Text unseen = text_new(t->arena);
    int last = 0;

    for (int i = 1; i <= file->nlines; i++) {
        if (!shown[i]) {
            html_put_python(&unseen, file->lines[i - 1], &quotes); /* a text may end there */
            continue;
        }
        if (last > 0 && last < i - 1)
            put_skip(t, m, last + 1, i - 1);
        put_row(t, f, number, i, m, &quotes);
        last = i;
    }
}

static void put_file(Text *t, const PageFiles *f, int number, const Measures *m)
{
    const PageFile *file = &f->all.at[number];
    bool any = false;

    for (int i = 1; i <= file->nlines; i++)
        any |= file->has[i];
    if (!any)
        return;
    text_printf(t, "<tbody><tr class=\"file\"><td colspan=\"%d\"></td><td>%s</td></tr>\n", m->n + 1,
                html_text(t->arena, file->shown));
    put_lines(t, f, number, m);
    text_put(t, "</tbody>\n");
}

static void put_rest(Text *t, const Measures *m)
{
    for (int i = 0; i < m->lines.len; i++) {
        if (m->lines.at[i].file)
            continue;
        text_put(t, "<tbody><tr class=\"rest\">");
        put_cells(t, m, &m->lines.at[i]);
        text_put(t, "<th></th><td class=\"code\">");
        text_put(t, m->rest);
        text_put(t, "</td></tr></tbody>\n");
    }
}

static void put_source(Text *t, const PageFiles *f, const Measures *m)
{
    text_put(t, "<table class=\"source\"><thead><tr>");
    for (int i = 0; i < m->n; i++)
        text_printf(t,
                    "<th scope=\"col\" title=\"%s\"><button type=\"button\" class=\"heat\" "
                    "aria-pressed=\"%s\">%s</button></th>",
                    html_text(t->arena, m->abouts[i]), i == 0 ? "true" : "false", m->titles[i]);
    text_put(t, "<th></th><th scope=\"col\" class=\"code\">source</th></tr></thead>\n");
    for (int i = 0; i < f->all.len; i++)
        put_file(t, f, i, m);
    put_rest(t, m);
    text_put(t, "</table>\n");
}

/* --- the stages --- */

static void put_stage(Text *t, int version, int number, const ViewStage *stage,
                      const StageLines *lines)
{
    text_printf(t,
                "<section class=\"stage\" id=\"v%d-s%d\" data-title=\"%s\">\n<h4>%s</h4>"
                "<p class=\"about\">%s</p>\n<div class=\"lines\" role=\"group\" tabindex=\"0\" "
                "aria-label=\"%s\">\n",
                version, number, stage->title, stage->title, stage->about, stage->title);
    for (int i = 0; i < lines->len; i++) {
        const StageLine *l = &lines->at[i];

        text_put(t, "<div");
        files_put_keys(t, &l->of);
        text_put(t, ">");
        if (l->of.len > 0)
            text_printf(t, "<b>%d</b>", l->of.at[0].line);
        else
            text_put(t, "<b></b>");
        html_put(t, l->text);
        text_put(t, "</div>\n");
    }
    text_put(t, "</div>\n</section>\n");
}

void explorer_put(Text *t, PageFiles *f, const RunView *v)
{
    const Measures m = measures_of(v);
    StageLines *stages = NEW_N(t->arena, StageLines, v->stages.len + 1);

    for (int i = 0; i < m.lines.len; i++) {
        if (m.lines.at[i].file)
            files_note(f, m.lines.at[i].file, m.lines.at[i].line);
    }
    for (int i = 0; i < v->stages.len; i++)
        stages[i] = stage_lines(f, &v->stages.at[i]);
    text_printf(t, "<div class=\"explorer\" data-file=\"%s\">\n<div class=\"pane\">\n",
                html_text(t->arena, v->file));
    put_source(t, f, &m);
    text_put(t, "</div>\n<div class=\"pane stages\">\n");
    for (int i = 0; i < v->stages.len; i++)
        put_stage(t, f->version, i, &v->stages.at[i], &stages[i]);
    text_put(t, "</div>\n</div>\n");
}
