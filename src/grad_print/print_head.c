/*
 * print_head.c - what stands around the statements of the derived kernel: its parameters, what its
 * docstring says of grid and workspaces, and the kernel that adds parts up
 */
#include <string.h>

#include "print.h"

enum { MOST_PROGRAMS = 256 }; /* that walk over all of the forward, rows of parts */

static const char *name_of(const Writer *p, const GradArray *a)
{
    return p->g->func->params[a->gradient->index].name;
}

/* Is how many elements a row has a parameter of its own? */
static bool has_size(const Writer *p, const GradArray *a)
{
    return a->width && !a->width->def && a->width->index >= p->g->of.gradient->index;
}

/* What it is made of, before there are names. */
static const char *text_of(const Writer *p, const Value *v, Level level)
{
    Writer w = *p;

    w.text = text_new(p->arena);
    put_value(&w, v, level);
    return w.text.s;
}

/* With its value as default, where it had one and so have all behind it. */
static const char *parameter(const Writer *p, int i)
{
    const GradWish *wish = p->g->wish;
    const GradParam *param = &wish->params[i];
    bool defaults = true;

    for (int k = i; k < wish->nparams; k++)
        defaults &=
            wish->params[k].is_constexpr && wish->params[k].has_default && wish->params[k].value;
    return arena_printf(p->arena, "%s%s%s%s", param->name,
                        param->is_constexpr ? ": tl.constexpr" : "", defaults ? " = " : "",
                        defaults ? param->value : "");
}

/* The tape of which it is the number of rounds; NULL: none that is read. */
static const GradTape *limited_by(const Writer *p, int parameter)
{
    for (int i = 0; i < p->g->tapes.len; i++) {
        const GradTape *t = p->g->tapes.at[i];
        if (t->is_read && t->rounds == p->g->func->body->args[parameter])
            return t;
    }
    return NULL;
}

static Words parameters(const Writer *p)
{
    const GradWish *wish = p->g->wish;
    const Func *f = p->g->func;
    Words all = {0};
    int first = 0;

    while (first < wish->nparams && !wish->params[first].is_constexpr)
        first++;
    for (int i = 0; i <= wish->nparams; i++) {
        for (int k = p->g->of.gradient->index; k < f->nparams && i == first; k++) {
            if (uses_count(&p->uses, f->body->args[k]) > 0 || limited_by(p, k))
                vec_push(p->arena, &all, f->params[k].name);
        }
        if (i < wish->nparams)
            vec_push(p->arena, &all, parameter(p, i));
    }
    return all;
}

void put_signature(Writer *p)
{
    const Words all = parameters(p);
    const char *head = arena_printf(p->arena, "def %s(", p->result->kernel);

    text_put(&p->text, head);
    put_list(p, &all, (int)strlen(head));
    text_put(&p->text, "):\n");
}

/* The source is what it is for these constants alone. */
void put_asserts(Writer *p)
{
    for (int i = 0; i < p->g->wish->nparams; i++) {
        const GradParam *param = &p->g->wish->params[i];
        bool by_identity = param->value && strcmp(param->value, "None") == 0;

        if (param->value)
            text_printf(&p->text, "    tl.static_assert(%s %s %s)\n", param->name,
                        by_identity ? "is" : "==", param->value);
    }
    print_assert_needs(p);
}

/* "grid[0] * grid[2]": how many programs the forward has along some axes. */
static const char *product_text(const Writer *p, unsigned axes)
{
    Text t = text_new(p->arena);

    for (int axis = 0; axis < AXES; axis++) {
        if (axes >> axis & 1)
            text_printf(&t, "%sgrid[%d]", t.len > 0 ? " * " : "", axis);
    }
    return t.len > 0 ? t.s : "";
}

/* How many programs walk over those of the forward: enough, with those along other axes. */
static const char *walking_text(const Writer *p)
{
    const unsigned axes = p->g->walk.axes, others = p->g->asked & ~axes;
    const char *all = product_text(p, axes);

    if (!others)
        return arena_printf(p->arena, "min(%s, %d)", all, MOST_PROGRAMS);
    return arena_printf(p->arena, "min(%s, triton.cdiv(%d, %s))", all, MOST_PROGRAMS,
                        product_text(p, others));
}

const char *print_programs(const Writer *p, unsigned axes)
{
    const unsigned walked = p->g->walk.axes, others = axes & ~walked;

    if (!walked || (walked & ~axes) != 0)
        return product_text(p, axes);
    return arena_printf(p->arena, "%s%s%s", walking_text(p), others ? " * " : "",
                        product_text(p, others));
}

static void put_parts(Writer *p, const GradArray *a)
{
    const char *programs = print_programs(p, a->meeting), *width = text_of(p, a->width, LEVEL_ATOM);
    DType t = a->gradient->type->dtype;

    print_line(p, arena_printf(p->arena, "%s: %s rows of %s element%s, %s%s; %s * %s * %d bytes.",
                               name_of(p, a), programs, width, strcmp(width, "1") == 0 ? "" : "s",
                               dtype_long_name(t), a->fills_rows ? "" : ": zero it before",
                               programs, width, dtype_size(t)));
    if (has_size(p, a))
        text_printf(&p->text,
                    "        %s: how many elements of %s there are, from its pointer on.\n", width,
                    p->g->func->params[a->array->index].name);
    text_printf(&p->text, "        %s is their sum: %s_grad_sum(%s, %s, %s, %s, ..).\n", a->total,
                p->g->wish->kernel, a->total, name_of(p, a), programs, width);
}

/* "BLOCK_M * D * " */
static const char *elements_text(const Writer *p, const Value *v)
{
    Writer w = *p;

    w.text = text_new(p->arena);
    for (int d = 0; d < v->type->rank; d++) {
        put_extent(&w, v, d);
        text_put(&w.text, " * ");
    }
    return w.text.len > 0 ? w.text.s : "";
}

/* What launches compute: Python's names for what kernels call by tl's. */
static const char *as_python(Arena *a, const char *text)
{
    static const char *const names[][2] = {{"tl.minimum(", "min("}, {"tl.maximum(", "max("}};

    for (int i = 0; i < COUNT(names); i++) {
        const char *at;
        while ((at = strstr(text, names[i][0])))
            text = arena_printf(a, "%.*s%s%s", (int)(at - text), text, names[i][1],
                                at + strlen(names[i][0]));
    }
    return text;
}

/* What a tape has room for. */
static const char *rounds_text(const Writer *p, const GradTape *t)
{
    const Value *rounds = ir_resolve(t->rounds);
    const int points = p->g->wish->tape;

    if (t->kind == TAPE_POINTS)
        return arena_printf(p->arena, "%d", points);
    if (t->kind == TAPE_BETWEEN)
        return arena_printf(p->arena, "triton.cdiv(%s, %d)",
                            as_python(p->arena, text_of(p, rounds, LEVEL_ANY)), points);
    return as_python(p->arena, text_of(p, rounds, LEVEL_UNARY));
}

const char *print_kept_rounds(const GradTape *t)
{
    return t->kind == TAPE_EACH     ? "before each round"
           : t->kind == TAPE_POINTS ? "before the first round of each part"
                                    : "before each round of a part";
}

static void put_tape(Writer *p, const GradTape *t)
{
    const char *rounds = rounds_text(p, t);
    DType type = t->tape->type->dtype;

    print_line(p,
               arena_printf(p->arena, "%s: a workspace of %s%s%s * %s%d bytes, %s: %s %s.",
                            p->g->func->params[t->tape->index].name, print_programs(p, p->g->asked),
                            p->g->asked ? " * " : "", rounds, elements_text(p, t->kept),
                            dtype_size(type), dtype_long_name(type), t->of, print_kept_rounds(t)));
}

/* How many rounds there is room for, where the launch says it. */
static void put_limits(Writer *p)
{
    const Func *f = p->g->func;

    for (int k = p->g->of.gradient->index; k < f->nparams; k++) {
        const GradTape *t = limited_by(p, k);
        if (t)
            text_printf(&p->text,
                        "    %s: at least as many as the loop of %s has in any program.\n",
                        f->params[k].name, t->of);
    }
}

/* "grid[0] * n * BLOCK": a product, without its last factor where that is nothing. */
static const char *count_text(const Writer *p, const GradTape *t)
{
    const char *programs = print_programs(p, p->g->asked), *elements = elements_text(p, t->kept);
    const char *rounds = rounds_text(p, t);

    return arena_printf(p->arena, "%s%s%s * %s1", programs, *programs ? " * " : "", rounds,
                        elements);
}

static const char *polynomial_text(const Writer *p, const Poly *poly)
{
    Writer w = *p;

    w.text = text_new(p->arena);
    print_polynomial(&w, poly, true);
    return w.text.s;
}

static const char *extent_text(const Writer *p, const GradExtent *e)
{
    const char *bound = polynomial_text(p, &e->bound);

    return poly_equal(&e->bound, &e->total)
               ? bound
               : arena_printf(p->arena, "min(%s, %s)", bound, polynomial_text(p, &e->total));
}

/* How many elements are stored, 0 where what is longer begins elsewhere than what is shorter ends;
 * NULL: that is not known. */
static const char *stored_text(const Writer *p, const GradCover *c)
{
    Text all = text_new(p->arena), meet = text_new(p->arena);

    if (!c->is_known)
        return NULL;
    if (c->n == 1)
        return extent_text(p, &c->at[0]);
    for (int i = c->n - 1; i > 0; i--) {
        const char *stride = polynomial_text(p, &c->stride[i - 1]);
        text_printf(&all, "(%s) * ", extent_text(p, &c->at[i]));
        text_put(&meet, meet.len > 0 ? " and " : "");
        if (i == 1)
            text_put(&meet, extent_text(p, &c->at[0]));
        else
            text_printf(&meet, "(%s) * (%s)", extent_text(p, &c->at[i - 1]), stride);
        text_printf(&meet, " == %s", polynomial_text(p, &c->stride[i]));
    }
    return arena_printf(p->arena, "%s(%s) if %s else 0", all.s, extent_text(p, &c->at[0]), meet.s);
}

static void describe_array(Writer *p, const GradArray *a)
{
    GradResult *r = p->result;
    const char *name = name_of(p, a), *array = p->g->func->params[a->array->index].name;
    bool is_of = a == &p->g->of, has_parts = !is_of && a->fill == GRAD_PARTS;

    r->gradients[r->ngradients++] = (GradParameter){
        array, has_parts ? a->total : name, is_of ? GRAD_READ : a->fill, stored_text(p, &a->cover)};
    if (!has_parts)
        return;
    const char *rows = print_programs(p, a->meeting), *width = text_of(p, a->width, LEVEL_ATOM);
    vec_push(p->arena, &r->workspaces,
             ((GradWorkspace){name, a->gradient->type->dtype,
                              arena_printf(p->arena, "%s * %s", rows, width), !a->fills_rows}));
    vec_push(p->arena, &r->sums, ((GradSum){a->total, name, rows, width}));
    if (has_size(p, a))
        vec_push(p->arena, &r->sizes, ((GradSize){width, array}));
}

static void describe_grid(Writer *p)
{
    const GradWalk *w = &p->g->walk;
    const int first = w->axes ? __builtin_ctz(w->axes) : -1;

    for (int axis = 0; axis < AXES; axis++) {
        const char *all = arena_printf(p->arena, "grid[%d]", axis);

        p->result->grid[axis] = axis == first ? walking_text(p) : w->all[axis] ? "1" : all;
        if (w->all[axis])
            vec_push(p->arena, &p->result->programs,
                     ((GradPrograms){p->g->func->params[w->all[axis]->index].name, all}));
    }
}

/* Tapes of one loop have one. */
static void add_limit(const Grad *g, GradResult *r, const char *name)
{
    for (int i = 0; i < r->sizes.len; i++) {
        if (r->sizes.at[i].name == name)
            return;
    }
    vec_push(g->arena, &r->sizes, ((GradSize){name, NULL}));
}

void print_describe(Writer *p)
{
    Grad *g = p->g;
    GradResult *r = p->result;

    r->kernel = arena_printf(g->arena, g->wish->fused ? "%s_fused" : "%s_grad", g->wish->kernel);
    r->gradients = NEW_N(g->arena, GradParameter, g->nwrt + 1);
    describe_array(p, &g->of);
    for (int i = 0; i < g->nwrt; i++)
        describe_array(p, &g->wrt[i]);
    for (int i = 0; i < g->tapes.len; i++) {
        const GradTape *t = g->tapes.at[i];
        if (t->is_read)
            vec_push(g->arena, &r->workspaces,
                     ((GradWorkspace){g->func->params[t->tape->index].name, t->tape->type->dtype,
                                      count_text(p, t), false}));
        if (t->is_read && !t->rounds->def && t->rounds->index >= g->of.gradient->index)
            add_limit(g, r, g->func->params[t->rounds->index].name);
    }
    describe_grid(p);
    for (int i = 0; i < g->saved.len; i++) {
        if (g->saved.at[i].is_loaded)
            vec_push(g->arena, &r->saved, g->func->params[g->saved.at[i].array].name);
    }
    print_describe_needs(p);
}

/* "Launch it with the grid of f." */
static void put_grid(Writer *p)
{
    const GradResult *r = p->result;
    Text t = text_new(p->arena);
    const char *but = ", but ";

    text_printf(&t, "Launch it with the grid of %s", p->g->wish->kernel);
    for (int axis = 0; axis < AXES; axis++) {
        if (!p->g->walk.all[axis])
            continue;
        text_printf(&t, "%s%s programs along axis %d", but, r->grid[axis], axis);
        but = " and ";
    }
    text_put(&t, p->g->walk.axes ? ": each does the work of several.  " : ".  ");
    for (int i = 0; i < r->programs.len; i++)
        text_printf(&t, "%s: %s.  ", r->programs.at[i].name, r->programs.at[i].text);
    text_printf(&t, "%s: the gradient of %s.", name_of(p, &p->g->of), p->g->wish->of);
    print_line(p, t.s);
}

void put_docstring(Writer *p)
{
    const Grad *g = p->g;

    if (g->wish->fused)
        text_printf(&p->text, "    \"\"\"What %s does, and gradients of %s with respect to ",
                    g->wish->kernel, g->wish->of);
    else
        text_printf(&p->text, "    \"\"\"Gradients of %s with respect to ", g->wish->of);
    for (int i = 0; i < g->nwrt; i++)
        text_printf(&p->text, "%s%s", i > 0 ? ", " : "", g->wish->wrt[i]);
    text_put(&p->text, ".\n\n");
    put_grid(p);
    for (int i = 0; i < g->nwrt; i++) {
        if (g->wrt[i].fill == GRAD_PARTS)
            put_parts(p, &g->wrt[i]);
        else if (g->wrt[i].array == g->of.array)
            text_printf(&p->text,
                        "    %s: its elements are stored, each once; where %s neither reads nor\n"
                        "        writes %s, they are those of %s: copy it before.\n",
                        name_of(p, &g->wrt[i]), g->wish->kernel, g->wish->of, name_of(p, &g->of));
        else
            text_printf(&p->text,
                        g->wrt[i].fill == GRAD_STORED
                            ? "    %s: its elements are stored, each once.\n"
                        : g->wrt[i].in_order
                            ? "    %s: is added to, each element by one program: zero it before.\n"
                            : "    %s: is added to, by atomics: zero it before.\n",
                        name_of(p, &g->wrt[i]));
    }
    for (int i = 0; i < g->tapes.len; i++) {
        if (g->tapes.at[i]->is_read)
            put_tape(p, g->tapes.at[i]);
    }
    put_limits(p);
    for (int i = 0; i < p->result->saved.len; i++)
        text_printf(&p->text, "    %s: as %s" GRAD_LEFT_BEHIND "\n", p->result->saved.at[i],
                    g->wish->kernel);
    print_say_needs(p);
    text_put(&p->text, "    \"\"\"\n");
}

/* The kernel that adds rows up. */
void put_sum(Writer *p)
{
    bool any = false;

    static const char body[] =
        "    \"\"\"total: the sum of the rows of parts, always in the same order.\n"
        "\n"
        "    Grid: triton.cdiv(size, BLOCK).  size: elements of a row, and of total; ROWS are read "
        "at\n"
        "    a time: ROWS=16 and BLOCK=128 do.\n"
        "    \"\"\"\n"
        "    columns = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)\n"
        "    rows = tl.arange(0, ROWS).to(tl.int64)\n"
        "    inside = columns < size\n"
        "    result = tl.zeros([BLOCK], parts.dtype.element_ty)\n"
        "    for first in range(0, n_parts, ROWS):\n"
        "        row = first + rows\n"
        "        part = tl.load(parts + row[:, None] * size + columns[None, :],\n"
        "                       mask=(row[:, None] < n_parts) & inside[None, :], other=0.0)\n"
        "        result += tl.sum(part, axis=0)\n"
        "    tl.store(total + columns, result.to(total.dtype.element_ty), mask=inside)\n";

    for (int i = 0; i < p->g->nwrt; i++)
        any |= p->g->wrt[i].fill == GRAD_PARTS;
    if (!any)
        return;
    text_printf(&p->text,
                "\n\n@triton.jit\ndef %s_grad_sum(total, parts, n_parts, size, ROWS: tl.constexpr, "
                "BLOCK: tl.constexpr):\n%s",
                p->g->wish->kernel, body);
}
