/*
 * value_text.c - compile-time values as text: repr() and str(), and short, for messages
 */
#include <math.h>
#include <string.h>

#include "python.h"

enum { MOST_LEVELS = 100 }; /* of values in values */

static void put_int(Text *t, __int128 i)
{
    char digits[48];
    int at = sizeof digits;
    bool negative = i < 0;
    unsigned __int128 u = negative ? -(unsigned __int128)i : (unsigned __int128)i;

    digits[--at] = 0;
    do {
        digits[--at] = (char)('0' + (int)(u % 10));
        u /= 10;
    } while (u != 0);
    if (negative)
        digits[--at] = '-';
    text_put(t, digits + at);
}

/* 10000000000000004, which begins at `first`, becomes 1.0000000000000004e+16. */
static void put_exponent(Text *t, size_t first)
{
    const char *digits = arena_strndup(t->arena, t->s + first, t->len - first);
    size_t n = strlen(digits), last = n;

    while (last > 1 && digits[last - 1] == '0')
        last--;
    t->len = first;
    text_printf(t, "%c%s%.*se+%d", digits[0], last > 1 ? "." : "", (int)last - 1, digits + 1,
                (int)n - 1);
}

/* Python's repr: the shortest decimal that reads back as the same number of that dtype, with an
 * exponent for what is below 1e-4 or at least 1e16, and with ".0" where it looks like an int. */
static void put_float(Text *t, double d, DType of)
{
    size_t start = t->len;

    if (isnan(d) || isinf(d)) {
        text_put(t, isnan(d) ? "nan" : d < 0 ? "-inf" : "inf");
        return;
    }
    scalar_put_shortest(t, of, d);
    if (fabs(d) >= 1 && fabs(d) < 1e16 && strchr(t->s + start, 'e')) {
        t->len = start;
        text_put_double(t, d, 16); /* enough for all digits of an integer of this size */
    }
    if (fabs(d) >= 1e16 && !strchr(t->s + start, 'e'))
        put_exponent(t, start + (d < 0));
    else if (!strpbrk(t->s + start, ".e"))
        text_put(t, ".0");
}

/* A text that ends with "..." where it would be longer than `most` bytes, or deeper than a value
 * should be. */
typedef struct {
    Text t;
    size_t most;
    int levels;
    bool is_cut;
} Repr;

/* Is there no room for more?  Then that shows, once. */
static bool is_full(Repr *p)
{
    bool full = p->t.len > p->most || p->levels > MOST_LEVELS;

    if (full && !p->is_cut)
        text_put(&p->t, "...");
    p->is_cut |= full;
    return p->is_cut;
}

/* In double quotes where that saves a backslash. */
static void put_string(Repr *p, const Const *c)
{
    bool twice = memchr(c->text, '\'', c->ntext) && !memchr(c->text, '"', c->ntext);
    char quote = twice ? '"' : '\'';

    text_putn(&p->t, &quote, 1);
    for (size_t i = 0; i < c->ntext && !is_full(p); i++) {
        unsigned char ch = (unsigned char)c->text[i];

        if (ch == '\n' || ch == '\t' || ch == '\r')
            text_put(&p->t, ch == '\n' ? "\\n" : ch == '\t' ? "\\t" : "\\r");
        else if (ch == quote || ch == '\\')
            text_printf(&p->t, "\\%c", ch);
        else if (ch < 32 || ch == 127)
            text_printf(&p->t, "\\x%02x", ch);
        else
            text_putn(&p->t, (const char *)&ch, 1);
    }
    if (!p->is_cut)
        text_putn(&p->t, &quote, 1);
}

static void put_const(Repr *p, const Const *c);

/* Between brackets; those of a dict are key, value, key... */
static void put_items(Repr *p, const char *open, const Const *items, int n, bool is_dict,
                      const char *close)
{
    text_put(&p->t, open);
    p->levels++;
    for (int i = 0; i < n && !is_full(p); i++) {
        if (i)
            text_put(&p->t, is_dict && i % 2 ? ": " : ", ");
        put_const(p, &items[i]);
    }
    p->levels--;
    if (!p->is_cut)
        text_put(&p->t, close);
}

static void put_const(Repr *p, const Const *c)
{
    switch (c->kind) {
    case CONST_NONE:
        text_put(&p->t, "None");
        return;
    case CONST_BOOL:
        text_put(&p->t, c->integer ? "True" : "False");
        return;
    case CONST_INT:
        put_int(&p->t, c->integer);
        return;
    case CONST_FLOAT:
        put_float(&p->t, c->real, c->is_scalar ? c->dtype : DT_FP64);
        return;
    case CONST_STRING:
        put_string(p, c);
        return;
    case CONST_DTYPE:
        text_put(&p->t, dtype_triton_name(c->dtype));
        return;
    case CONST_TUPLE:
        put_items(p, "(", c->items, c->nitems, false, c->nitems == 1 ? ",)" : ")");
        return;
    case CONST_LIST:
        put_items(p, "[", c->list->at, c->list->len, false, "]");
        return;
    case CONST_DICT:
        put_items(p, "{", c->list->at, c->list->len, true, "}");
        return;
    case CONST_FUNCTION:
        text_printf(&p->t, "<function %s>", py_function_name(c->function));
        return;
    case CONST_OBJECT:
        text_put(&p->t, c->class->text ? c->class->text(c, p->t.arena) : c->class->name);
        return;
    case CONST_SLICE:
    case CONST_UNKNOWN:
        text_put(&p->t, const_kind_name(c));
        return;
    }
}

static const char *text_of(const Const *c, Arena *a, size_t most)
{
    Repr p = {text_new(a), most, 0, false};

    text_put(&p.t, "");
    put_const(&p, c);
    return p.t.s;
}

const char *const_text(const Const *c, Arena *a)
{
    return text_of(c, a, CONST_MAX_STRING);
}

const char *const_brief(const Const *c, Arena *a)
{
    return text_of(c, a, 60);
}

const char *const_str(const Const *c, Arena *a)
{
    return c->kind == CONST_STRING ? arena_strndup(a, c->text, c->ntext) : const_text(c, a);
}
