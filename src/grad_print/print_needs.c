/*
 * print_needs.c - what must hold of a launch, or gradients are wrong: as data, in the docstring,
 * and as assertions
 *
 * A condition that several arrays have is said once, of all of them.
 */
#include <stdlib.h>
#include <string.h>

#include "print.h"

/* The axis of the grid, if it is how many programs the forward has along it; -1: it is not. */
static int grid_axis(const Writer *w, const Value *v)
{
    for (int axis = 0; axis < AXES; axis++) {
        if (v == w->g->walk.all[axis])
            return axis;
    }
    return v->def && v->def->code == OP_num_programs ? (int)attr_axis(v->def) : -1;
}

static void put_factor(Writer *w, const Value *v, bool in_launch)
{
    const int axis = grid_axis(w, v);
    const Value *all = axis >= 0 ? w->g->walk.all[axis] : NULL;
    const Value *whole = v->def && v->def->code == OP_div ? print_rounded_up(w, v->def) : NULL;

    if (axis >= 0 && (in_launch || !all)) {
        text_printf(&w->text, in_launch ? "grid[%d]" : "tl.num_programs(%d)", axis);
    } else if (whole && grid_axis(w, whole) >= 0) {
        text_put(&w->text, "tl.cdiv(");
        put_factor(w, whole, in_launch);
        text_put(&w->text, ", ");
        put_value(w, v->def->operands[1], LEVEL_ANY);
        text_put(&w->text, ")");
    } else {
        put_value(w, all ? all : v, LEVEL_UNARY);
    }
}

/* Products with the most factors first. */
void print_polynomial(Writer *w, const Poly *p, bool in_launch)
{
    if (p->count == 0)
        text_put(&w->text, "0");
    for (int i = p->count - 1; i >= 0; i--) {
        const PolyTerm *t = &p->terms[i];
        int64_t scale = i == p->count - 1 ? t->scale : llabs(t->scale);
        const char *times = "";

        if (i < p->count - 1)
            text_put(&w->text, t->scale < 0 ? " - " : " + ");
        if (t->count == 0 || scale != 1) {
            text_printf(&w->text, "%lld", (long long)scale);
            times = " * ";
        }
        for (int k = 0; k < t->count; k++) {
            text_put(&w->text, times);
            put_factor(w, t->of[k].value, in_launch);
            times = " * ";
        }
    }
}

static const char *need_text(const Writer *p, const GradNeed *n, bool in_launch)
{
    Writer w = *p;

    w.text = text_new(p->arena);
    print_polynomial(&w, &n->least, in_launch);
    text_put(&w.text, " <= ");
    print_polynomial(&w, &n->most, in_launch);
    return w.text.s;
}

/* Has the array it in common with what is differentiated, or with none that comes before? */
static bool says_same(const Writer *p, const GradNeed *a, const GradNeed *b)
{
    const GradArray *of = &p->g->of;

    return (a->array == of) == (b->array == of) && poly_equal(&a->least, &b->least) &&
           poly_equal(&a->most, &b->most);
}

/* Did another array say so before? */
static bool is_said(const Writer *p, int which)
{
    for (int i = 0; i < which; i++) {
        if (says_same(p, &p->g->needs.at[i], &p->g->needs.at[which]))
            return true;
    }
    return false;
}

/* The option that takes nothing for granted, of the array if there are others. */
static const char *atomics_of(const Writer *p, const char *array)
{
    return p->g->nwrt > 1 ? arena_printf(p->arena, "--atomics=%s", array) : "--atomics";
}

/* What is wrong where it does not hold. */
static const char *need_missed(const Writer *p, const GradNeed *n)
{
    Text wrong = text_new(p->arena), names = text_new(p->arena);
    int arrays = 0, so_far = 0;

    if (n->array == &p->g->of)
        return arena_printf(p->arena, "elements of %s are stored twice", p->g->wish->of);
    for (int i = 0; i < p->g->needs.len; i++)
        arrays += says_same(p, &p->g->needs.at[i], n);
    for (int i = 0; i < p->g->needs.len; i++) {
        const GradArray *a = p->g->needs.at[i].array;
        if (!says_same(p, &p->g->needs.at[i], n))
            continue;
        const Param *params = p->g->func->params;
        const bool is_itself = a->array == p->g->of.array; /* d_x is that of what is left */
        text_printf(&wrong, "%s%s%s",
                    so_far == 0            ? ""
                    : so_far == arrays - 1 ? " and "
                                           : ", ",
                    is_itself ? "" : "d_",
                    params[(is_itself ? a->gradient : a->array)->index].name);
        text_printf(&names, "%s%s", so_far ? "," : "", params[a->array->index].name);
        so_far++;
    }
    return arena_printf(p->arena, "%s %s wrong: derive with %s", wrong.s, arrays > 1 ? "are" : "is",
                        arrays < p->g->nwrt ? atomics_of(p, names.s) : "--atomics");
}

/* Is it about the grid alone?  Whoever launches sees to that, and the docstring says it: an
 * assertion would have each program of a GPU wait for the host's answer before it begins. */
static bool is_of_grid(const GradNeed *n)
{
    const PolyTerm *t = &n->least.terms[0];

    for (int i = 0; i < t->count; i++) {
        const Op *op = t->of[i].value ? t->of[i].value->def : NULL;
        if (!op || op->code != OP_num_programs)
            return false;
    }
    return n->least.count == 1 && poly_is_constant(&n->most, &(int64_t){0});
}

void print_assert_needs(Writer *p)
{
    for (int i = 0; i < p->g->needs.len; i++) {
        const GradNeed *n = &p->g->needs.at[i];
        if (is_of_grid(n) || is_said(p, i))
            continue;
        const char *text = need_text(p, n, false), *missed = need_missed(p, n);
        const bool is_long = strlen(text) + strlen(missed) + 26 > LINE;
        text_printf(&p->text, "    tl.device_assert(%s,%s\"%s\")\n", text,
                    is_long ? "\n                     " : " ", missed);
    }
}

/* What an element by itself must be, of a row that is gone through. */
static const char *granted_text(const Writer *p, const GradGranted *a, const char *where)
{
    const char *name = p->g->func->params[a->array->array->index].name, *code;

    return arena_printf(
        p->arena, "%s line %d reads %s outside of the row, d_%s is wrong: derive with %s", where,
        print_line_of(p, a->asserted, &code), name, name, atomics_of(p, name));
}

void print_needs(Writer *p)
{
    for (int i = 0; i < p->g->needs.len; i++) {
        if (!is_said(p, i))
            text_printf(&p->text, "where not %s, %s\n", need_text(p, &p->g->needs.at[i], true),
                        need_missed(p, &p->g->needs.at[i]));
    }
    for (int i = 0; i < p->g->granted.len; i++)
        text_printf(&p->text, "%s\n", granted_text(p, &p->g->granted.at[i], "where"));
}

void print_say_needs(Writer *p)
{
    for (int i = 0; i < p->g->needs.len; i++) {
        const GradNeed *n = &p->g->needs.at[i];
        if (!is_said(p, i))
            print_line(p, arena_printf(p->arena, "Where not %s, %s.", need_text(p, n, true),
                                       need_missed(p, n)));
    }
    for (int i = 0; i < p->g->granted.len; i++)
        print_line(p,
                   arena_printf(p->arena, "%s.", granted_text(p, &p->g->granted.at[i], "Where")));
}

void print_describe_needs(Writer *p)
{
    const Grad *g = p->g;

    for (int i = 0; i < g->needs.len; i++)
        vec_push(g->arena, &p->result->needs,
                 ((GradNeedText){g->func->params[g->needs.at[i].array->array->index].name,
                                 need_text(p, &g->needs.at[i], true)}));
}

/* Of the docstring: what does not fit into LINE columns stands in a next line, further in. */
void print_line(Writer *p, const char *line)
{
    enum { MARGIN = 4 };
    int left = LINE - MARGIN;

    text_printf(&p->text, "%*s", MARGIN, "");
    while ((int)strlen(line) > left) {
        int n = left;
        while (n > 0 && line[n] != ' ')
            n--;
        if (n == 0)
            break;
        text_printf(&p->text, "%.*s\n%*s", n, line, 2 * MARGIN, "");
        line += n + 1;
        left = LINE - 2 * MARGIN;
    }
    text_printf(&p->text, "%s\n", line);
}
