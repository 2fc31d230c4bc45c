/*
 * print_access.c - who adds to what: of each array of gradients, how it is filled and why, and
 * what is summed before, load by load
 *
 *     d_w: partial sums: programs along axis 0 meet; each stores a row of n elements, and
 *         ln_grad_sum adds them up
 *         line 12: w = tl.load(weight + columns): summed first over the rounds of line 9
 */
#include <string.h>

#include "print.h"

static void put_axes(Text *t, unsigned axes)
{
    const char *lead = "";

    for (int axis = 0; axis < MAX_RANK; axis++) {
        if (!(axes >> axis & 1))
            continue;
        text_printf(t, "%s%d", lead, axis);
        lead = " and ";
    }
}

static void put_parts(Writer *p, const GradArray *a)
{
    Writer width = *p;

    width.text = text_new(p->arena);
    put_value(&width, a->width, LEVEL_ATOM);
    text_put(&p->text, "partial sums: programs along axis ");
    put_axes(&p->text, a->meeting);
    text_put(&p->text, " meet; ");
    if (grad_is_walked(p->g, a))
        text_printf(&p->text, "%s do the work of all; ", print_programs(p, a->meeting));
    text_printf(&p->text,
                "each stores a row of %s element%s, and %s_grad_sum adds them up in a fixed order",
                width.text.s, strcmp(width.text.s, "1") == 0 ? "" : "s", p->g->wish->kernel);
}

static void put_fill(Writer *p, const GradArray *a)
{
    if (a->fill == GRAD_PARTS)
        put_parts(p, a);
    else if (a->is_transposed && a->fill == GRAD_STORED)
        text_put(&p->text, "gather: rounds of several programs meet; each program sums what all "
                           "hand to its own elements, and stores it");
    else if (a->is_gathered)
        text_put(&p->text, "gather: windows overlap; each lane sums what is handed to its own "
                           "element, and stores it");
    else if (a->is_picked)
        text_put(&p->text, "plain store: with what is handed to an element by itself");
    else if (a->in_last_pass)
        text_put(&p->text, "plain store: in the last pass, with what the others hand on");
    else if (a->fill == GRAD_STORED)
        text_put(&p->text, "plain store: no element is met twice");
    else if (a->in_order)
        text_put(&p->text, "added in order: accesses of one program meet, no two programs do");
    else if (a->is_transposed)
        text_put(&p->text, "atomics: rounds of several programs meet; each program sums what "
                           "others hand to its own elements, and adds it once");
    else
        text_put(&p->text, grad_by_atomics(p->g, a)
                               ? "atomics, as wished: elements may be met twice"
                               : "atomics: it is not known which programs meet at an element");
}

static const char *load_text(const Writer *of, const Op *load)
{
    const GradMeeting *m = grad_meeting(of->g, load);
    Writer w = *of, *p = &w;
    const char *code, *lead = ": summed first over ";
    int line = print_line_of(p, load, &code);

    w.text = text_new(of->arena);
    text_printf(&p->text, "    line %d: %s", line, code);
    if (m && m->lanes) {
        text_printf(&p->text, "%slanes along axis ", lead);
        put_axes(&p->text, m->lanes);
        lead = ", then ";
    }
    if (m && m->rounds)
        text_printf(&p->text, "%sthe rounds of line %d", lead, print_line_of(p, m->rounds, &code));
    text_put(&p->text, "\n");
    return w.text.s;
}

/* A line of the forward once, of which an unrolled loop has many loads. */
static void put_loads(Writer *p, const GradOps *loads)
{
    const char *before = "";

    for (int i = 0; i < loads->len; i++) {
        const char *text = load_text(p, loads->at[i]);
        text_put(&p->text, strcmp(text, before) == 0 ? "" : text);
        before = text;
    }
}

static void put_saved(Writer *p, const GradSaved *s)
{
    const char *code;
    int line = print_line_of(p, s->store, &code);

    text_printf(&p->text,
                "%s: read as %s left it, in place of computing it again\n    line %d: %s\n",
                p->g->func->params[s->array].name, p->g->wish->kernel, line, code);
}

/* What only is measured from them is the same: a line of the forward once. */
static void put_references(Writer *p)
{
    const char *code;
    int before = 0;

    if (p->g->references.len > 0)
        text_printf(&p->text, "no gradient goes through these: %s is the same whatever they are\n",
                    p->g->wish->of);
    for (int i = 0; i < p->g->references.len; i++) {
        int line = print_line_of(p, p->g->references.at[i], &code);
        if (line != before)
            text_printf(&p->text, "    line %d: %s\n", line, code);
        before = line;
    }
}

const char *print_accesses(const Writer *of)
{
    Grad *g = of->g;
    Writer p = *of;

    p.text = text_new(of->arena);
    for (int i = 0; i < g->nwrt; i++) {
        const GradArray *a = &g->wrt[i];
        text_printf(&p.text, "d_%s: ", g->func->params[a->array->index].name);
        put_fill(&p, a);
        text_put(&p.text, "\n");
        put_loads(&p, &a->loads);
    }
    for (int i = 0; i < g->tapes.len; i++) {
        const GradTape *t = g->tapes.at[i];
        if (t->is_read)
            text_printf(&p.text, "%s: tape: %s %s is kept, and read backwards\n",
                        g->func->params[t->tape->index].name, t->of, print_kept_rounds(t));
    }
    for (int i = 0; i < g->saved.len; i++) {
        if (g->saved.at[i].is_loaded)
            put_saved(&p, &g->saved.at[i]);
    }
    put_references(&p);
    print_needs(&p);
    return p.text.s;
}
