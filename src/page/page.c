/*
 * page.c - the page: what ran, its numbers, what to try, figures, and the source with the code
 */
#include "page.h"
#include "assets.h" /* page_css, page_js */

#include <string.h>

static void put_head(Text *t, const Page *p)
{
    const char *kernel = html_text(p->arena, p->kernel);

    text_printf(t,
                "<!DOCTYPE html>\n"
                "<html lang=\"en\">\n<head>\n"
                "<meta charset=\"utf-8\"/>\n"
                "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
                "<meta name=\"generator\" content=\"tilec %s\"/>\n"
                "<meta name=\"color-scheme\" content=\"light dark\"/>\n"
                "<link rel=\"icon\" href=\"data:,\"/>\n"
                "<title>%s - tilec report</title>\n",
                tilec_version(), kernel);
    text_printf(t, "<style>\n/*<![CDATA[*/\n%s/*]]>*/\n</style>\n</head>\n", page_css);
}

static void put_header(Text *t, const Page *p)
{
    const RunView *v = p->views[0];

    text_printf(t, "<header>\n<h1>%s</h1>\n", html_text(t->arena, p->kernel));
    text_printf(t, "<p class=\"where\">%s <span class=\"chip\">%s</span> %s</p>\n",
                html_text(t->arena, v->file), html_text(t->arena, v->timing.device),
                html_text(t->arena, v->machine));
    text_printf(t,
                "<pre class=\"command\" role=\"group\" "
                "aria-label=\"the command\" tabindex=\"0\">%s</pre>\n</header>\n",
                html_text(t->arena, p->command));
}

static void put_numbers(Text *t, const RunView *v)
{
    const Numbers all = numbers_of(v);

    text_put(t, "<dl class=\"numbers\">\n");
    for (int i = 0; i < all.len; i++) {
        const Number *n = &all.at[i];
        text_printf(t, "<div><dt>%s</dt><dd>%s</dd><dd class=\"about\">%s</dd></div>\n", n->title,
                    html_text(t->arena, n->text), html_text(t->arena, n->about));
    }
    text_put(t, "</dl>\n");
}

static void put_place(Text *t, const PageFiles *f, const Advice *a)
{
    const char *id = files_id(f, a->file, a->line);

    if (!a->file)
        return;
    text_put(t, " ");
    if (id)
        text_printf(t, "<a href=\"#%s\">", id);
    text_printf(t, "%s:%d", html_text(t->arena, shown_name(t->arena, a->file)), a->line);
    text_put(t, id ? "</a>" : "");
}

static void put_advice(Text *t, const PageFiles *f, const RunView *v)
{
    const Advices all = advice_find(v);

    text_put(t, "<section class=\"advice\">\n<h3>What to try</h3>\n");
    if (all.len == 0)
        text_put(t, "<p class=\"about\">No rule has found anything: nothing that is measured here "
                    "stands out.</p>\n");
    else
        text_put(t, "<ol>\n");
    for (int i = 0; i < all.len; i++) {
        const Advice *a = &all.at[i];
        text_printf(t, "<li data-rule=\"%s\" style=\"--w:%.2f\"><strong>%s</strong>", a->id,
                    a->weight, a->title);
        put_place(t, f, a);
        if (a->gains)
            text_printf(t, " <span class=\"gain\">up to %.0f%% of the time</span>",
                        100 * a->weight);
        text_printf(t, "<br/><span class=\"figure\">%s</span><br/>%s</li>\n",
                    html_text(t->arena, a->figure), html_text(t->arena, a->remedy));
    }
    text_put(t, all.len > 0 ? "</ol>\n</section>\n" : "</section>\n");
}

static void put_figures(Text *t, const Page *p, int version)
{
    const RunView *v = p->views[version];

    text_put(t, "<div class=\"figures\">\n");
    if (roofline_has(v))
        roofline_put(t, p, version);
    if (v->occupancy)
        occupancy_put(t, v);
    bytes_put(t, v);
    if (v->timing.times.n > 0)
        times_put(t, v);
    text_put(t, "</div>\n");
}

/* --- two versions --- */

static const Number *number_called(const Numbers *all, const char *title)
{
    for (int i = 0; i < all->len; i++) {
        if (strcmp(all->at[i].title, title) == 0)
            return &all->at[i];
    }
    return NULL;
}

static void put_cell(Text *t, const Number *n)
{
    text_printf(t, "<td>%s</td>", n ? html_text(t->arena, n->text) : "-");
}

static void put_comparison(Text *t, const Page *p)
{
    const Numbers one = numbers_of(p->views[0]), two = numbers_of(p->views[1]);

    text_put(t, "<section class=\"comparison\">\n<h2>Side by side</h2>\n");
    if (p->ratio)
        text_printf(t, "<p>%s</p>\n", html_text(t->arena, p->ratio));
    text_printf(t,
                "<table><thead><tr><th></th><th scope=\"col\">%s</th><th scope=\"col\">%s</th>"
                "<th scope=\"col\">second by first</th></tr></thead><tbody>\n",
                html_text(t->arena, p->views[0]->version),
                html_text(t->arena, p->views[1]->version));
    for (int i = 0; i < one.len; i++) {
        const Number *a = &one.at[i], *b = number_called(&two, a->title);
        text_printf(t, "<tr title=\"%s\"><th scope=\"row\">%s</th>", html_text(t->arena, a->about),
                    a->title);
        put_cell(t, a);
        put_cell(t, b);
        if (b && a->value > 0 && b->value > 0)
            text_printf(t, "<td>%.3g</td></tr>\n", b->value / a->value);
        else
            text_put(t, "<td></td></tr>\n");
    }
    text_put(t, "</tbody></table>\n</section>\n");
}

static void put_version(Text *t, const Page *p, int version)
{
    const RunView *v = p->views[version];
    PageFiles files = files_new(p->arena, version, v->file);
    Text explorer = text_new(p->arena);

    explorer_put(&explorer, &files, v); /* which finds the lines that others name */
    text_printf(t, "<section class=\"version\" id=\"v%d\">\n", version);
    if (v->version)
        text_printf(t, "<h2>%s</h2>\n", html_text(p->arena, v->version));
    put_numbers(t, v);
    text_put(t, "<div class=\"findings\">\n");
    put_advice(t, &files, v);
    put_figures(t, p, version);
    text_put(t, "</div>\n");
    text_putn(t, explorer.s, explorer.len);
    text_put(t, "<div class=\"figures\">\n");
    accesses_figures(t, &files, v);
    text_put(t, "</div>\n</section>\n");
}

const char *page_html(const Page *p)
{
    Text t = text_new(p->arena);

    put_head(&t, p);
    text_put(&t, "<body>\n");
    put_header(&t, p);
    text_put(&t, p->nviews > 1 ? "<main class=\"two\">\n" : "<main>\n");
    if (p->nviews > 1)
        put_comparison(&t, p);
    for (int i = 0; i < p->nviews; i++)
        put_version(&t, p, i);
    text_printf(&t,
                "</main>\n<footer><p>%s</p><p class=\"keys\">In the source and the stages: arrow "
                "keys move, Enter "
                "pins a line and Escape lets it go. In the tabs: left and right.</p></footer>\n",
                html_text(p->arena, p->made));
    text_printf(&t, "<script>\n/*<![CDATA[*/\n%s/*]]>*/\n</script>\n</body>\n</html>\n", page_js);
    return t.s;
}
