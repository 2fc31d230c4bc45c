/*
 * brief.c - the essence of a report for a terminal: numbers, the lines that matter, what to try
 */
#include "page.h"

#include <string.h>

enum { MOST_LINES = 8 };

static void put_numbers(Text *t, const Page *p)
{
    const Numbers one = numbers_of(p->views[0]);
    const Numbers two = p->nviews > 1 ? numbers_of(p->views[1]) : (Numbers){0};
    Table table = table_new(t->arena, p->nviews + 2, 1);

    table_put(&table, "");
    for (int i = 0; i < p->nviews; i++)
        table_put(&table, p->nviews > 1 ? p->views[i]->version : "-");
    table_put(&table, ""); /* what is below is to the left */
    for (int i = 0; i < one.len; i++) {
        const Number *other = NULL;
        for (int k = 0; k < two.len; k++)
            other = strcmp(two.at[k].title, one.at[i].title) == 0 ? &two.at[k] : other;
        table_put(&table, one.at[i].title);
        table_put(&table, one.at[i].text);
        if (p->nviews > 1)
            table_put(&table, other ? other->text : "-");
        table_put(&table, one.at[i].about);
    }
    const char *text = table_text(&table);
    text_put(t, p->nviews > 1 ? text : strchr(text, '\n') + 1);
}

/* By how much each has of the first column. */
static void sort(Measures *m)
{
    for (int i = 1; i < m->lines.len; i++) {
        MeasuredLine l = m->lines.at[i];
        int k = i;
        for (; k > 0 && m->lines.at[k - 1].cells[0].heat < l.cells[0].heat; k--)
            m->lines.at[k] = m->lines.at[k - 1];
        m->lines.at[k] = l;
    }
}

static void put_lines(Text *t, const RunView *v)
{
    Measures m = measures_of(v);
    PageFiles files = files_new(t->arena, 0, v->file);

    if (m.n == 0 || m.lines.len == 0)
        return;
    Table table = table_new(t->arena, m.n + 2, 1);
    table_put(&table, "line");
    for (int i = 0; i < m.n; i++)
        table_put(&table, m.titles[i]);
    table_put(&table, "");
    sort(&m);
    for (int i = 0; i < m.lines.len && i < MOST_LINES; i++) {
        const MeasuredLine *l = &m.lines.at[i];
        int file = l->file ? files_find(&files, l->file) : -1;
        bool is_known = file >= 0 && l->line >= 1 && l->line <= files.all.at[file].nlines;
        const char *text = is_known ? files.all.at[file].lines[l->line - 1] : l->file ? "" : m.rest;

        table_put(&table,
                  l->file ? arena_printf(t->arena, "%s:%d", shown_name(t->arena, l->file), l->line)
                          : "-");
        for (int k = 0; k < m.n; k++)
            table_put(&table, l->cells[k].text && l->cells[k].text[0] ? l->cells[k].text : "-");
        table_put(&table, shown_name(t->arena, text + strspn(text, " \t")));
    }
    text_put(t, "\n");
    text_put(t, table_text(&table));
}

static void put_advice(Text *t, const RunView *v)
{
    const Advices all = advice_find(v);

    for (int i = 0; i < all.len; i++) {
        const Advice *a = &all.at[i];

        text_put(t, i == 0 ? "\nwhat to try:\n" : "");
        text_printf(t, "  %s", a->title);
        if (a->file)
            text_printf(t, ", %s:%d", shown_name(t->arena, a->file), a->line);
        if (a->gains)
            text_printf(t, ": up to %.0f%% of the time", 100 * a->weight);
        text_printf(t, "\n    %s\n    %s\n", a->figure, a->remedy);
    }
}

const char *page_text(const Page *p)
{
    Text t = text_new(p->arena);

    text_printf(&t, "%s on %s, %s\n", p->kernel, p->views[0]->timing.device, p->views[0]->machine);
    if (p->ratio)
        text_printf(&t, "%s\n", p->ratio);
    put_numbers(&t, p);
    for (int i = 0; i < p->nviews; i++) {
        if (p->views[i]->version)
            text_printf(&t, "\n%s\n", p->views[i]->version);
        put_lines(&t, p->views[i]);
        put_advice(&t, p->views[i]);
    }
    return t.s;
}
