/*
 * show.c - print an array the way NumPy does, below one line about all of it
 *
 * Long dimensions show their first and last three elements; numbers of one array line up.  Floats
 * print with exponents when any shown one is below 1e-4 or from 1e8 on, else without.
 */
#include "show.h"

#include <string.h>

enum { EDGE = 3, LONGEST_WHOLE = 100, LINE = 90 };

/* The shown elements are walked three times: to choose the notation, which is one for the whole
 * array, for the width of the widest, and to print. */
typedef enum { CHOOSE, MEASURE, PRINT } Pass;

typedef struct {
    const Array *array;
    bool shortened;
    Pass pass;
    bool exponents;
    int width;
    Text *out;
    int64_t index[ARRAY_MAX_DIMS];
} Show;

static uint64_t element_bits(const Show *s)
{
    uint64_t bits = 0;

    memcpy(&bits, array_at(s->array, s->index), tilec_dtype_size(s->array->dtype));
    return bits;
}

static void show_element(Show *s)
{
    char word[ELEMENT_TEXT];

    if (s->pass == CHOOSE) {
        s->exponents |= element_wants_exponent(s->array->dtype, element_bits(s));
        return;
    }
    element_format(word, s->array->dtype, element_bits(s), s->exponents);
    if (s->pass == MEASURE)
        s->width = MAX(s->width, (int)strlen(word));
    else
        text_printf(s->out, "%*s", s->width, word);
}

static void put(Show *s, const char *text)
{
    if (s->pass == PRINT)
        text_put(s->out, text);
}

static void new_line(Show *s, int depth, int empty_lines)
{
    for (int i = 0; i <= empty_lines; i++)
        put(s, "\n");
    for (int i = 0; i <= depth; i++)
        put(s, " ");
}

/* The space between two elements, or a new line where this one is full. */
static void separate(Show *s, int depth, int per_line, int64_t shown)
{
    if (depth + 1 < s->array->ndim)
        new_line(s, depth, s->array->ndim - depth - 2);
    else if (shown % per_line == 0)
        new_line(s, depth, 0);
    else
        put(s, " ");
}

static void show_dimension(Show *s, int depth)
{
    int64_t extent = depth < s->array->ndim ? s->array->shape[depth] : 0, shown = 0;
    int per_line = MAX(2 * EDGE + 1, LINE / (s->width + 1)); /* a cut row is one line */
    bool cut = s->shortened && extent > 2 * EDGE;

    if (depth == s->array->ndim) {
        show_element(s);
        return;
    }
    put(s, "[");
    for (int64_t i = 0; i < extent; i++) {
        if (shown++)
            separate(s, depth, per_line, shown - 1);
        if (cut && i == EDGE) {
            put(s, "...");
            i = extent - EDGE - 1;
            continue;
        }
        s->index[depth] = i;
        show_dimension(s, depth + 1);
    }
    put(s, "]");
}

static void show_elements(Text *t, const Array *a, bool whole)
{
    Show s = {.array = a, .shortened = !whole && array_numel(a) > LONGEST_WHOLE, .out = t};

    if (array_numel(a) == 0) { /* its other extents may be of any size */
        text_put(t, "[]\n");
        return;
    }
    for (s.pass = CHOOSE; s.pass <= PRINT; s.pass++)
        show_dimension(&s, 0);
    text_put(t, "\n");
}

void show_array(Text *t, const char *name, const Array *a, ShowWay way, int terminal)
{
    text_printf(t, "%s: ", name);
    summary_put(t, a);
    text_put(t, "\n");
    if (way == SHOW_BRIEF || way == SHOW_WHOLE)
        show_elements(t, a, way == SHOW_WHOLE);
    else
        picture_put(t, a, way, terminal);
}
