/*
 * show.c - print an array the way NumPy does
 *
 * Long dimensions show their first and last three elements; numbers of one array line up.  Floats
 * print with as many digits as their type can tell apart, shortest form first: with exponents when
 * any shown one is below 1e-4 or from 1e8 on, else without.
 */
#include "cli.h"
#include "../ir/ir.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EDGE = 3, LONGEST_WHOLE = 100, WORD = 32, LINE = 90 };

/* "4096x781" */
static const char *shape_text(Arena *a, const Array *x)
{
    Text t = text_new(a);

    text_put(&t, x->ndim == 0 ? "scalar" : "");
    for (int i = 0; i < x->ndim; i++)
        text_printf(&t, "%s%lld", i ? "x" : "", (long long)x->shape[i]);
    return t.s;
}

/* Digits that tell every two values of the type apart; NumPy stops at 8 when it prints. */
static int digits_of(tilec_dtype t)
{
    if (t == TILEC_FP64 || t == TILEC_FP32)
        return 8;
    return t == TILEC_FP16 ? 5 : 4;
}

static double rounded(double v, int digits)
{
    char text[WORD];

    snprintf(text, WORD, "%.*e", digits - 1, v);
    return strtod(text, NULL);
}

/* How few significant digits read back as the same element as all that are shown.  The greatest one
 * must not be exceeded, though what is beyond it reads back as that where a type saturates. */
static int shortest(tilec_dtype t, double v)
{
    DType dtype = (DType)t;
    int most = digits_of(t), d = 1;
    uint64_t bits = scalar_from_double(dtype, rounded(v, most));
    bool greatest = scalar_from_double(dtype, 2 * v) == bits;

    while (d < most && (scalar_from_double(dtype, rounded(v, d)) != bits ||
                        (greatest && fabs(rounded(v, d)) > fabs(v))))
        d++;
    return d;
}

/* The decimal exponent that `v` has when it is rounded to so many digits. */
static int exponent_of(double v, int digits)
{
    char text[WORD];

    snprintf(text, WORD, "%.*e", digits - 1, v);
    return atoi(strchr(text, 'e') + 1);
}

/* The shortest text that reads back as the same element, always with a point. */
static void format_float(char *out, tilec_dtype t, double v, bool exponents)
{
    int digits;

    if (!isfinite(v)) {
        snprintf(out, WORD, "%s", isnan(v) ? "nan" : v < 0 ? "-inf" : "inf");
        return;
    }
    digits = shortest(t, v);
    if (exponents)
        snprintf(out, WORD, "%#.*e", digits - 1, v);
    else
        snprintf(out, WORD, "%#.*f", MAX(0, digits - 1 - exponent_of(v, digits)), v);
}

static uint64_t element_bits(const Array *a, const int64_t *index)
{
    uint64_t bits = 0;

    memcpy(&bits, array_at(a, index), tilec_dtype_size(a->dtype));
    return bits;
}

static void format_element(char *out, const Array *a, const int64_t *index, bool exponents)
{
    uint64_t bits = element_bits(a, index);

    if (a->dtype == TILEC_I1)
        strcpy(out, bits ? "True" : "False");
    else if (dtype_is_float((DType)a->dtype))
        format_float(out, a->dtype, scalar_to_double((DType)a->dtype, bits), exponents);
    else if (a->dtype >= TILEC_U8 && a->dtype <= TILEC_U64)
        snprintf(out, WORD, "%llu", (unsigned long long)bits);
    else
        snprintf(out, WORD, "%lld", (long long)scalar_to_int((DType)a->dtype, bits));
}

/* A float that would be too long, or lose its digits, without an exponent. */
static bool wants_exponent(const Array *a, const int64_t *index)
{
    double v;

    if (!dtype_is_float((DType)a->dtype))
        return false;
    v = fabs(scalar_to_double((DType)a->dtype, element_bits(a, index)));
    return isfinite(v) && v != 0 && (v < 1e-4 || v >= 1e8);
}

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
    int64_t index[CLI_MAX_DIMS];
} Show;

static void show_element(Show *s)
{
    char word[WORD];

    if (s->pass == CHOOSE) {
        s->exponents |= wants_exponent(s->array, s->index);
        return;
    }
    format_element(word, s->array, s->index, s->exponents);
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

void show_array(Text *t, const char *name, const Array *a)
{
    Show s = {.array = a, .shortened = array_numel(a) > LONGEST_WHOLE, .out = t};

    text_printf(t, "%s: %s %s\n", name, tilec_dtype_name(a->dtype), shape_text(t->arena, a));
    if (array_numel(a) == 0) { /* its other extents may be of any size */
        text_put(t, "[]\n");
        return;
    }
    for (s.pass = CHOOSE; s.pass <= PRINT; s.pass++)
        show_dimension(&s, 0);
    text_put(t, "\n");
}
