/*
 * csv.c - numbers with commas between them, one row a line
 *
 * Fields may stand in quotes, which makes no difference to a number; a first line may be titles.
 * Read in two walks over the text: the first counts rows and columns, finds every mistake of form
 * and the narrowest of i64, u64 and fp64 that holds all numbers; the second stores.  Floats are
 * written with the fewest digits that read back as the same element.
 */
#include "io.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    Io *io;
    const char *at, *end;
    int64_t line; /* from 1 */
    int column;   /* of the field, from 1 */
} Walk;

/* A field without the spaces around it, and without its quotes. */
typedef struct {
    const char *at;
    size_t len;
    bool ends_row;
    bool is_quoted;
} Field;

typedef enum { NOTHING, WHOLE, REAL } NumberKind;
typedef struct {
    NumberKind kind;
    bool negative;
    uint64_t magnitude; /* of a whole one */
    double real;        /* of either */
} Number;

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

/* To the next line that is not empty; false: there is none. */
static bool next_row(Walk *w)
{
    for (; w->at < w->end && (is_blank(*w->at) || *w->at == '\n'); w->at++) {
        if (*w->at == '\n')
            w->line++;
    }
    w->column = 0;
    return w->at < w->end;
}

static bool at_char(const Walk *w, char c)
{
    return w->at < w->end && *w->at == c;
}

/* Behind the quote that closes a field; two of them are one of its text. */
static void skip_quoted(Walk *w)
{
    int64_t line = w->line;

    for (w->at++; w->at < w->end; w->at++) {
        if (at_char(w, '"') && !(++w->at < w->end && *w->at == '"'))
            return;
        w->line += at_char(w, '\n');
    }
    io_refuse(w->io, "line %lld, column %d: a quote is not closed", (long long)line, w->column);
}

static void trim(Field *f)
{
    for (; f->len > 0 && is_blank(*f->at); f->len--)
        f->at++;
    while (f->len > 0 && is_blank(f->at[f->len - 1]))
        f->len--;
}

static Field next_field(Walk *w)
{
    const char *closed = NULL;
    Field f;

    w->column++;
    while (w->at < w->end && is_blank(*w->at))
        w->at++;
    f = (Field){.at = w->at};
    if (at_char(w, '"')) {
        skip_quoted(w);
        closed = w->at;
    }
    while (w->at < w->end && *w->at != ',' && *w->at != '\n')
        w->at++;
    f.ends_row = !at_char(w, ',');
    f.len = (size_t)(w->at - f.at);
    trim(&f);
    f.is_quoted = closed && closed == f.at + f.len;
    if (f.is_quoted) {
        f.at++;
        f.len -= 2;
        trim(&f);
    }
    w->at += !f.ends_row;
    return f;
}

/* digits := ['+' | '-'] 0-9...; false where it is something else, or beyond 64 bits. */
static bool parse_whole(const Field *f, Number *out)
{
    size_t i = f->len > 0 && (*f->at == '-' || *f->at == '+');

    out->negative = i && *f->at == '-';
    out->magnitude = 0;
    if (i == f->len)
        return false;
    for (; i < f->len; i++) {
        if (f->at[i] < '0' || f->at[i] > '9' ||
            __builtin_mul_overflow(out->magnitude, UINT64_C(10), &out->magnitude) ||
            __builtin_add_overflow(out->magnitude, (uint64_t)(f->at[i] - '0'), &out->magnitude))
            return false;
    }
    return !out->negative || out->magnitude <= UINT64_C(1) << 63;
}

static bool begins_as_number(const Field *f)
{
    size_t i = f->len > 0 && (*f->at == '-' || *f->at == '+');

    i += i < f->len && f->at[i] == '.';
    return i < f->len && f->at[i] >= '0' && f->at[i] <= '9';
}

/* The whole field as a number; false: it is none, or beyond fp64.  strtod() knows more forms. */
static bool parse_number(const Field *f, Number *out)
{
    enum { LONGEST = 400 };
    char text[LONGEST], *end;

    *out = (Number){.kind = NOTHING, .real = (double)NAN};
    if (f->len == 0)
        return true;
    if (f->len >= LONGEST || memchr(f->at, '\0', f->len) || memchr(f->at, 'x', f->len) ||
        memchr(f->at, 'X', f->len))
        return false;
    memcpy(text, f->at, f->len);
    text[f->len] = '\0';
    out->kind = parse_whole(f, out) ? WHOLE : REAL;
    out->real = strtod(text, &end);
    return *end == '\0' && !(isinf(out->real) && begins_as_number(f));
}

/* Is it a number but for commas: "1,5", as where a comma is the point, or "1,000"?  The quote
 * behind it ends strspn(). */
static bool has_commas(const Field *f)
{
    bool any = f->is_quoted && begins_as_number(f) && memchr(f->at, ',', f->len);

    return any && strspn(f->at, "+-.,0123456789eE") >= f->len;
}

/* Only now that it is known to be no number: what it says, and what may have been meant. */
NORETURN static void refuse_field(const Walk *w, const Field *f)
{
    enum { SHOWN = 40 };
    const char *text = arena_strndup(w->io->arena, f->at, MIN(f->len, SHOWN));
    const char *hint = "";

    if (has_commas(f))
        hint = "; numbers have a point, 1.5, and no commas";
    else if (strpbrk(text, ";\t"))
        hint = "; fields have commas between them";
    else if (w->line == 1 && w->column == 1)
        hint = "; a title that begins like a number stands in quotes";
    else if (w->line == 1)
        hint = "; a line of titles begins with one";
    io_refuse(w->io, "line %lld, column %d: '%s' is not a number%s", (long long)w->line, w->column,
              text, hint);
}

/* Is it a title?  No number, nor what begins like one or has commas in it, which is a slip. */
static bool is_title(const Field *f)
{
    Number n;

    return !parse_number(f, &n) && !has_commas(f) && (f->is_quoted || !begins_as_number(f));
}

/* The first line is a header when its first field that is not empty is a title: behind that may be
 * years. */
static bool is_header(Walk w)
{
    Field f;

    do
        f = next_field(&w);
    while (f.len == 0 && !f.ends_row);
    return is_title(&f);
}

typedef struct {
    const char *begin; /* of the first row of numbers */
    int64_t line;
    int64_t rows, columns;
    bool real, negative, large; /* some are no whole numbers, are below 0, are beyond 63 bits */
    bool drops_numbers;         /* the line of titles has some */
} Survey;

static void count_in(Survey *s, const Number *n)
{
    s->real |= n->kind != WHOLE;
    s->negative |= n->kind == WHOLE && n->negative;
    s->large |= n->kind == WHOLE && n->magnitude > INT64_MAX && !n->negative;
}

/* Over a line of titles.  Numbers among them may be data behind a field that is a slip. */
static void skip_header(Walk *w, Survey *s)
{
    Number n;
    Field f;

    do {
        f = next_field(w);
        s->drops_numbers |= f.len > 0 && !f.is_quoted && parse_number(&f, &n);
    } while (!f.ends_row);
}

static Survey survey(Walk w)
{
    Survey s = {0};
    Field f;
    Number n;

    if (next_row(&w) && is_header(w))
        skip_header(&w, &s);
    next_row(&w);
    s.begin = w.at;
    s.line = w.line;
    for (; next_row(&w); s.rows++) {
        do {
            f = next_field(&w);
            if (!parse_number(&f, &n))
                refuse_field(&w, &f);
            count_in(&s, &n);
        } while (!f.ends_row);
        if (s.rows > 0 && w.column != s.columns)
            io_refuse(w.io, "line %lld has %d columns, but those above have %lld",
                      (long long)w.line, w.column, (long long)s.columns);
        s.columns = w.column;
    }
    if (s.rows == 0)
        io_refuse(w.io, "there are no numbers in it");
    return s;
}

/* Store it as element k, or say that the type does not hold it. */
static void put_number(const Walk *w, const Field *f, const Number *n, tilec_dtype t, int64_t k)
{
    int size = dtype_size((DType)t), bits = dtype_bits((DType)t) - dtype_is_signed((DType)t);
    uint64_t limit = bits == 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1, value;

    if (dtype_is_float((DType)t))
        value = scalar_from_double((DType)t, n->real);
    else {
        if (n->kind != WHOLE || (n->negative && n->magnitude && !dtype_is_signed((DType)t)) ||
            n->magnitude > limit + (n->negative && dtype_is_signed((DType)t)))
            io_refuse(w->io, "line %lld, column %d: %s does not hold '%.*s'", (long long)w->line,
                      w->column, dtype_name((DType)t), (int)MIN(f->len, 40), f->at);
        value = n->negative ? -n->magnitude : n->magnitude;
    }
    memcpy((char *)w->io->array.data + k * size, &value, (size_t)size);
}

static tilec_dtype narrowest(const Survey *s)
{
    if (s->real || (s->negative && s->large))
        return TILEC_FP64;
    return s->large ? TILEC_U64 : TILEC_I64;
}

void csv_read(Io *io)
{
    static const char mark[] = "\xef\xbb\xbf"; /* of UTF-8, which some programs put in front */
    Walk w = {.io = io, .line = 1};
    int64_t k = 0;
    Survey s;
    tilec_dtype t;

    io_get_all(io);
    w.at = (const char *)io->in.at;
    w.end = (const char *)io->in.end;
    if (w.end - w.at >= 3 && memcmp(w.at, mark, 3) == 0)
        w.at += 3;
    s = survey(w);
    t = io->options.as ? *io->options.as : narrowest(&s);
    io_array_new(io, t, s.columns > 1 ? 2 : 1, (int64_t[]){s.rows, s.columns});
    io->array.drops_numbers = s.drops_numbers;
    w.at = s.begin;
    w.line = s.line;
    while (next_row(&w)) {
        Field f;
        Number n;

        do {
            f = next_field(&w);
            parse_number(&f, &n);
            put_number(&w, &f, &n, t, k++);
        } while (!f.ends_row);
    }
}

/* --- writing --- */

enum { MOST_DIGITS = 17, LARGEST_PLAIN = 1 << 24 };

/* Whole numbers of moderate size are written in full, for readers who do not know the type. */
static int put_float(char *to, DType t, uint64_t bits)
{
    double v = scalar_to_double(t, bits);
    int n = 0;

    if (isnan(v))
        return snprintf(to, CSV_NUMBER, "nan");
    if (v == trunc(v) && fabs(v) <= LARGEST_PLAIN)
        return snprintf(to, CSV_NUMBER, "%.0f", v);
    for (int digits = t == DT_FP64 ? 15 : t == DT_FP32 ? 6 : 2; digits <= MOST_DIGITS; digits++) {
        n = snprintf(to, CSV_NUMBER, "%.*g", digits, v);
        if (scalar_from_double(t, strtod(to, NULL)) == bits)
            break;
    }
    return n;
}

int csv_put_element(char *to, DType t, uint64_t bits)
{
    if (dtype_is_float(t))
        return put_float(to, t, bits);
    if (dtype_is_signed(t))
        return snprintf(to, CSV_NUMBER, "%lld", (long long)scalar_to_int(t, bits));
    return snprintf(to, CSV_NUMBER, "%llu", (unsigned long long)bits);
}

void csv_write(Io *io, const tilec_tensor *t)
{
    const char *elements = io_dense(io, t);
    size_t size = (size_t)dtype_size((DType)t->dtype);
    int64_t n = io_numel(t->ndim, t->shape), columns = t->ndim == 2 ? t->shape[1] : 1;
    char text[CSV_NUMBER];

    if (t->ndim > 2)
        io_refuse(io, "CSV holds rows and columns, not %d dimensions; .npy holds any", t->ndim);
    if (n == 0)
        io_refuse(io, "CSV does not hold an array without elements; .npy does");
    for (int64_t k = 0; k < n; k++) {
        uint64_t bits = 0;

        memcpy(&bits, elements + (size_t)k * size, size);
        io_put(io, text, (size_t)csv_put_element(text, (DType)t->dtype, bits));
        io_put(io, (k + 1) % columns == 0 ? "\n" : ",", 1);
    }
}
