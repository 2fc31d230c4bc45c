/*
 * variables.c - names and their values, a level at a time
 *
 * A tile, or an array of the launch, has its summary as value, and unfolds by its first dimension:
 * a row shows its first elements, and unfolds in turn.  Of many elements an editor that pages asks
 * for some; to one that does not, they are ranges that unfold.
 */
#include <stdio.h>
#include <string.h>

#include "inside.h"
#include "../show/show.h"

enum { MOST_CHILDREN = 100, ROW_TEXT = 72 };

/* --- what a ticket is of --- */

/* A part of a tile or an array: the element with that index, or all whose index begins so. */
typedef struct {
    const char *expression;
    const DebugTile *tile;
    const Array *array;
    int depth;
    int64_t index[MOST_DIMS];
} Part;

static Part part_of(const Ticket *h)
{
    Part part = {h->expression, h->tile, &h->array, h->depth, {0}};

    memcpy(part.index, h->index, sizeof part.index);
    return part;
}

/* Row-major: the first element that begins so. */
static int64_t first_of(const Part *x)
{
    int64_t k = 0;

    for (int i = 0; i < x->array->ndim; i++)
        k = k * x->array->shape[i] + (i < x->depth ? x->index[i] : 0);
    return k;
}

static const char *element_of(Arena *a, const Part *x)
{
    char text[ELEMENT_TEXT];
    tilec_dtype dtype = x->array->dtype;

    if (x->tile)
        return debug_element_text(a, x->tile, first_of(x));
    uint64_t bits =
        element_get_bits(array_at(x->array, x->index), 0, (size_t)tilec_dtype_size(dtype));
    element_format(text, dtype, bits, element_wants_exponent(dtype, bits));
    return arena_printf(a, "%s", text);
}

/* "[0. 1. (2.) ...]", of a row of elements; of what has more dimensions, its shape. */
static const char *row_text(Arena *a, const Part *row)
{
    const Array *array = row->array;
    Part x = *row;
    Text t = text_new(a);

    if (row->depth < array->ndim - 1) {
        Array rest = {.ndim = array->ndim - row->depth};
        memcpy(rest.shape, array->shape + row->depth, (size_t)rest.ndim * sizeof rest.shape[0]);
        return summary_shape(a, &rest);
    }
    text_put(&t, "[");
    x.depth++;
    for (int64_t i = 0; i < array->shape[row->depth]; i++) {
        x.index[row->depth] = i;
        text_printf(&t, "%s%s", i ? " " : "", t.len < ROW_TEXT ? element_of(a, &x) : "...");
        if (t.len >= ROW_TEXT + 3)
            break;
    }
    text_put(&t, "]");
    return t.s;
}

/* "[3,7]" */
static const char *index_text(Arena *a, const Part *x)
{
    Text t = text_new(a);

    for (int i = 0; i < x->depth; i++)
        text_printf(&t, "%s%lld", i ? "," : "[", (long long)x->index[i]);
    text_put(&t, "]");
    return t.s;
}

/* --- values --- */

static void put_reference(Dap *p, Text *t, const Part *x, int64_t first, int64_t n)
{
    int64_t number = 0;

    if (x && n > 0) {
        Ticket *h = new_ticket(p, TICKET_TILE, &number);
        h->expression = arena_printf(p->moment, "%s", x->expression);
        h->tile = x->tile;
        h->array = *x->array;
        h->depth = x->depth;
        memcpy(h->index, x->index, sizeof h->index);
        h->first = first;
        h->n = n;
    }
    json_int(t, "variablesReference", number);
    if (number)
        json_int(t, "indexedVariables", n);
}

/* "fp32[4,8]" */
static const char *shaped_type(Arena *a, const char *dtype, const Array *array)
{
    Text t = text_new(a);

    text_put(&t, dtype);
    for (int i = 0; i < array->ndim; i++)
        text_printf(&t, "%s%lld", i ? "," : "[", (long long)array->shape[i]);
    text_put(&t, array->ndim ? "]" : "");
    return t.s;
}

static void put_array(Dap *p, Text *t, const char *key, const char *name, const Array *array)
{
    const Part whole = {.expression = name, .array = array};
    Text value = text_new(p->scratch);

    text_put(&value, "");
    summary_put(&value, array);
    json_printable(t, key, value.s);
    json_text(t, "type", shaped_type(p->scratch, tilec_dtype_name(array->dtype), array));
    put_reference(p, t, &whole, 0, array->ndim ? array->shape[0] : 0);
}

/* Without the newline behind it, which editors add. */
static void put_table(Text *t, const char *expression, const DebugValue *v)
{
    debug_put_value(t, expression, v);
    t->s[--t->len] = '\0';
}

void dap_put_value(Dap *p, Text *t, const char *key, const char *expression, const DebugValue *v,
                   bool is_whole)
{
    Text value = text_new(p->scratch);
    const DebugTile *tile = v->text ? NULL : v->tiles;
    bool is_tile = tile && tile->ndim > 0 && tile->data;

    text_put(&value, "");
    if (is_whole && is_tile)
        put_table(&value, expression, v);
    else
        debug_put_brief(&value, v);
    json_printable(t, key, value.s);
    if (!tile) {
        json_text(t, "type", v->n ? "tuple" : "constexpr");
        json_int(t, "variablesReference", 0);
        return;
    }
    const Array array = debug_tile_array(tile);
    const Part whole = {.expression = expression, .tile = tile, .array = &array};
    json_text(t, "type",
              shaped_type(p->scratch, tile->array ? "pointer" : dtype_name(tile->dtype), &array));
    put_reference(p, t, is_tile && !is_whole ? &whole : NULL, 0, is_tile ? array.shape[0] : 0);
}

/* --- a level of them --- */

static void begin(Dap *p, const char *name, const char *expression)
{
    json_object(&p->body, NULL);
    json_printable(&p->body, "name", name);
    json_printable(&p->body, "evaluateName", expression);
}

static void put_names(Dap *p, const InterpPlace *at)
{
    DebugValues names = debug_names(p->debugger, at, p->moment);

    for (int i = 0; i < names.len; i++) {
        const DebugValue *v = &names.at[i];
        const Array *array = debug_array_named(p->debugger, v->name, &names);
        begin(p, v->name, v->name);
        if (array)
            put_array(p, &p->body, "value", v->name, array);
        else
            dap_put_value(p, &p->body, "value", v->name, v, false);
        json_object_end(&p->body);
    }
}

static void put_arrays(Dap *p)
{
    const Names *names = p->launch->names;

    for (int i = 0; i < names->len; i++) {
        const Array *array = value_array(&names->at[i].value);
        if (!array)
            continue;
        begin(p, names->at[i].name, names->at[i].name);
        put_array(p, &p->body, "value", names->at[i].name, array);
        json_object_end(&p->body);
    }
}

/* A row, or an element. */
static void put_part(Dap *p, const Part *x)
{
    bool is_element = x->depth == x->array->ndim;
    const char *index = index_text(p->scratch, x);

    begin(p, index, arena_printf(p->scratch, "%s%s", x->expression, index));
    json_printable(&p->body, "value",
                   is_element ? element_of(p->scratch, x) : row_text(p->scratch, x));
    put_reference(p, &p->body, is_element ? NULL : x, 0,
                  is_element ? 0 : x->array->shape[x->depth]);
    json_object_end(&p->body);
}

static void put_range(Dap *p, const Part *x, int64_t first, int64_t n)
{
    const char *name =
        arena_printf(p->scratch, "[%lld:%lld]", (long long)first, (long long)(first + n));

    json_object(&p->body, NULL);
    json_text(&p->body, "name", name);
    json_text(&p->body, "value", "");
    put_reference(p, &p->body, x, first, n);
    json_object_end(&p->body);
}

static void put_children(Dap *p, const Ticket *h, int64_t start, int64_t count)
{
    Part x = part_of(h);
    int64_t end = h->first + h->n, step = 1;

    if (count <= 0) {
        while (h->n > step * MOST_CHILDREN)
            step *= MOST_CHILDREN;
        count = h->n;
    }
    start = h->first + MAX(start, 0);
    end = start < end ? MIN(end, start + MIN(count, h->n)) : start;
    for (int64_t i = start; i < end && step > 1; i += step)
        put_range(p, &x, i, MIN(step, end - i));
    x.depth++;
    for (int64_t i = start; i < end && step == 1; i++) {
        x.index[h->depth] = i;
        put_part(p, &x);
    }
}

void request_variables(Dap *p)
{
    const Ticket h = *find_ticket(p, want_whole(p, p->args, "variablesReference"));
    int64_t start = want_whole_or(p, p->args, "start", 0);
    int64_t count = want_whole_or(p, p->args, "count", 0);
    const char *filter = got_text(want_maybe(p, p->args, "filter", GOT_TEXT));
    bool is_indexed = h.kind == TICKET_TILE;
    bool is_wanted = !filter || (strcmp(filter, "indexed") == 0) == is_indexed;

    json_array(&p->body, "variables");
    if (is_wanted && h.kind == TICKET_NAMES)
        put_names(p, &h.at);
    else if (is_wanted && h.kind == TICKET_ARRAYS)
        put_arrays(p);
    else if (is_wanted && is_indexed)
        put_children(p, &h, start, count);
    json_array_end(&p->body);
}
