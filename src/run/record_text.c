/*
 * record_text.c - what a print in a kernel looks like
 *
 * One record a call and program: "(X, Y, Z)", then the words of the call with its values in their
 * places.  Scalars stand in the line; tiles look like NumPy's arrays: brackets for each dimension,
 * columns of one width, long tiles without their middle.  With TILEC_PRINT_THREADS=1, for programs
 * that read what Triton prints: one line for each element, "pid (X, Y, Z) idx (I, J) x: V", and of
 * a scalar as many as there would be threads.
 */
#include <math.h>
#include <string.h>

#include "record.h"

enum {
    WHOLE_TILE = 1000, /* elements up to which all are shown */
    EDGE = 3,          /* at either end of a dimension else */
    LINE_WIDTH = 78,
    ELEMENT = 48 /* characters of one */
};

typedef struct {
    Text out;
    const Type *type;
    const char *data;
    bool hex, wide;
    size_t line; /* where the current line begins in `out` */
    int indent;  /* of the lines behind the first one of a tile */
    int width;   /* of its widest element */
    bool elide;
    bool measure; /* only find the width */
} Tile;

/* The fewest digits that give the same value back; in hexadecimal C's form, 0x1.8p+0. */
static void put_float(Text *t, DType d, double v, bool hex)
{
    size_t start = t->len;

    if (isnan(v) || isinf(v)) {
        text_put(t, isnan(v) ? "nan" : v < 0 ? "-inf" : "inf");
        return;
    }
    if (hex) {
        text_printf(t, "%a", v);
        return;
    }
    if (v == rint(v) && fabs(v) < 1e9 && v != 0) { /* 10.0, not 1e+01 */
        text_printf(t, "%ld.0", (long)v);
        return;
    }
    scalar_put_shortest(t, d, v);
    text_put(t, strpbrk(t->s + start, ".e") ? "" : ".0");
}

static void put_int(Text *t, DType d, uint64_t bits, bool hex)
{
    if (d == DT_I1)
        text_put(t, bits & 1 ? "True" : "False");
    else if (hex)
        text_printf(t, "0x%0*llx", dtype_bits(d) / 4, (unsigned long long)bits);
    else if (dtype_is_signed(d))
        text_printf(t, "%lld", (long long)scalar_to_int(d, bits));
    else
        text_printf(t, "%llu", (unsigned long long)bits);
}

/* Element `i` of the data. */
static void put_element(Text *t, const Tile *tile, int64_t i)
{
    const Type *type = tile->type;
    bool widened = tile->wide && !type->pointer && dtype_is_small_float(type->dtype);
    DType memory = widened ? DT_FP32 : type->dtype;
    size_t size = type->pointer ? sizeof(uint64_t) : (size_t)dtype_size(memory);
    uint64_t bits = 0;

    memcpy(&bits, tile->data + (size_t)i * size, size);
    if (type->pointer)
        text_printf(t, "0x%llx", (unsigned long long)bits);
    else if (dtype_is_float(type->dtype))
        put_float(t, type->dtype, scalar_to_double(memory, bits), tile->hex);
    else
        put_int(t, type->dtype, bits, tile->hex);
}

static void new_line(Tile *t, int depth)
{
    text_printf(&t->out, "\n%*s", t->indent + depth, "");
    t->line = t->out.len - (size_t)(t->indent + depth);
}

static void show_element(Tile *t, int64_t i, bool first, int depth)
{
    Text s = text_new(t->out.arena);

    put_element(&s, t, i);
    if (t->measure) {
        t->width = MAX(t->width, (int)s.len);
        return;
    }
    if (!first && t->out.len - t->line + 1 + (size_t)t->width > LINE_WIDTH)
        new_line(t, depth);
    else if (!first)
        text_put(&t->out, " ");
    text_printf(&t->out, "%*s%s", t->width - (int)s.len, "", s.s);
}

/* The part of the tile whose first `d` indices are fixed; `base` is its first element. */
static void show_part(Tile *t, int d, int64_t base)
{
    const Type *type = t->type;
    int n = type->dims[d];
    int64_t pitch = 1;

    for (int k = d + 1; k < type->rank; k++)
        pitch *= type->dims[k];
    if (!t->measure)
        text_put(&t->out, "[");
    for (int i = 0; i < n; i++) {
        bool inner = d + 1 == type->rank;
        if (t->elide && n > 2 * EDGE && i == EDGE) {
            if (!t->measure && !inner)
                new_line(t, d + 1);
            if (!t->measure)
                text_put(&t->out, inner ? " ..." : "...");
            i = n - EDGE;
        }
        if (inner) {
            show_element(t, base + i, i == 0, d + 1);
            continue;
        }
        if (i > 0 && !t->measure)
            new_line(t, d + 1);
        show_part(t, d + 1, base + i * pitch);
    }
    if (!t->measure)
        text_put(&t->out, "]");
}

static void put_value(Text *out, const Type *type, const void *data, bool hex, bool wide)
{
    const char *last = out->len > 0 ? strrchr(out->s, '\n') : NULL;
    size_t line = last ? (size_t)(last + 1 - out->s) : 0;
    Tile t = {.out = *out,
              .type = type,
              .data = data,
              .hex = hex,
              .wide = wide,
              .line = line,
              .indent = (int)(out->len - line),
              .elide = type_numel(type) > WHOLE_TILE,
              .measure = true};

    if (type->rank == 0) {
        put_element(out, &t, 0);
        return;
    }
    show_part(&t, 0, 0);
    t.measure = false;
    show_part(&t, 0, 0);
    *out = t.out;
}

/* The words of a print: {} is the next value, {{ and }} are braces. */
static void put_words(Text *out, const RecordSite *s, const void *const *values, bool wide)
{
    int value = 0;

    for (const char *p = s->text; *p; p++) {
        if (p[0] == '{' && p[1] == '}' && value < s->nvalues) {
            put_value(out, &s->types[value], values[value], s->hex, wide);
            value++;
            p++;
            continue;
        }
        text_putn(out, p, 1);
        if ((p[0] == '{' || p[0] == '}') && p[1] == p[0])
            p++;
    }
}

/* --- as the threads of a GPU print --- */

static int digits_of(int n)
{
    int digits = 1;

    for (; n > 9; n /= 10)
        digits++;
    return digits;
}

/* "idx ( 3, 12)": columns as wide as the last index of the dimension. */
static void put_index(Text *out, const Type *type, int64_t element)
{
    int64_t index[MAX_RANK];

    for (int d = type->rank - 1; d >= 0; d--) {
        index[d] = element % type->dims[d];
        element /= type->dims[d];
    }
    text_put(out, "idx (");
    for (int d = 0; d < type->rank; d++)
        text_printf(out, "%s%*lld", d > 0 ? ", " : "", digits_of(type->dims[d] - 1),
                    (long long)index[d]);
    text_put(out, ")");
}

/* As C's printf does: floats with six digits or by %a, truth as a number. */
static void put_printed(Text *out, const Tile *tile, int64_t i)
{
    const Type *type = tile->type;
    bool widened = tile->wide && !type->pointer && dtype_is_small_float(type->dtype);
    DType memory = widened ? DT_FP32 : type->dtype;
    uint64_t bits = 0;

    if (!type->pointer && dtype_is_float(type->dtype) && !tile->hex) {
        memcpy(&bits, tile->data + i * dtype_size(memory), (size_t)dtype_size(memory));
        text_printf(out, "%f", scalar_to_double(memory, bits));
    } else if (!type->pointer && type->dtype == DT_I1) {
        text_printf(out, "%d", tile->data[i] & 1);
    } else {
        put_element(out, tile, i);
    }
}

/* The words in front of the first value. */
static void put_front(Text *out, const char *text)
{
    for (const char *p = text; *p && !(p[0] == '{' && p[1] == '}'); p++) {
        text_putn(out, p, 1);
        if ((p[0] == '{' || p[0] == '}') && p[1] == p[0])
            p++;
    }
}

static void put_lines(Text *out, const RecordSite *s, const int32_t program[3],
                      const void *const *values, bool wide)
{
    for (int v = 0; v < MAX(s->nvalues, 1); v++) {
        const Type *type = s->nvalues > 0 ? &s->types[v] : NULL;
        Tile tile = {.type = type, .data = type ? values[v] : NULL, .hex = s->hex, .wide = wide};
        bool scalar = !type || type->rank == 0;
        int64_t n = scalar ? s->threads : type_numel(type);

        for (int64_t i = 0; i < n; i++) {
            text_printf(out, "%spid (%d, %d, %d)", out->len > 0 ? "\n" : "", program[0], program[1],
                        program[2]);
            text_put(out, type ? " " : "");
            if (type)
                put_index(out, type, i);
            put_front(out, s->text);
            if (s->nvalues > 1)
                text_printf(out, "(operand %d) ", v);
            if (type)
                put_printed(out, &tile, scalar ? 0 : i);
        }
    }
}

typedef struct {
    Guard guard;
    Arena *arena;
    char *text;
} Attempt;

/* False: memory ran out. */
static bool attempt(Attempt *a, const RecordSite *s, const int32_t program[3],
                    const void *const *values, bool wide)
{
    if (setjmp(a->guard.env) != 0)
        return false;
    a->arena = arena_new(&a->guard);
    Text out = text_new(a->arena), shown = text_new(a->arena);
    if (s->threads > 0) {
        put_lines(&out, s, program, values, wide);
    } else {
        text_printf(&out, "(%d, %d, %d)", program[0], program[1], program[2]);
        put_words(&out, s, values, wide);
    }
    text_put_printable(&shown, out.s); /* the words may be any */
    a->text = strdup(shown.s);
    return true;
}

char *record_text(const RecordSite *s, const int32_t program[3], const void *const *values,
                  bool wide_floats)
{
    Attempt a = {0};

    attempt(&a, s, program, values, wide_floats);
    arena_free(a.arena);
    return a.text;
}
