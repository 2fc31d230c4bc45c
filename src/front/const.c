/*
 * const.c - compile-time values: what Python would hold, and Python's arithmetic on them
 *
 * Takes Const values and gives Const values in an arena.  The operators follow Python, not the
 * tiles of the language: `//` floors, `%` has the divisor's sign, `/` divides truly (semantics
 * R13).  Ints have 128 bits; what does not fit is an error and never wraps.
 * Operators return NULL, or the text of what Python would raise.
 */
#include "lower.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- making and asking --- */

Const const_none(void)
{
    return (Const){.kind = CONST_NONE};
}

Const const_bool(bool b)
{
    return (Const){.kind = CONST_BOOL, .integer = b};
}

Const const_int(__int128 i)
{
    return (Const){.kind = CONST_INT, .integer = i};
}

Const const_float(double d)
{
    return (Const){.kind = CONST_FLOAT, .real = d};
}

Const const_string(const char *s, size_t n)
{
    return (Const){.kind = CONST_STRING, .text = s, .ntext = n};
}

bool const_is_integral(const Const *c)
{
    return c->kind == CONST_INT || c->kind == CONST_BOOL;
}

bool const_is_number(const Const *c)
{
    return const_is_integral(c) || c->kind == CONST_FLOAT;
}

double const_to_double(const Const *c)
{
    return c->kind == CONST_FLOAT ? c->real : (double)c->integer;
}

/* Python's bool(c). */
bool const_truth(const Const *c)
{
    switch (c->kind) {
    case CONST_NONE:
        return false;
    case CONST_BOOL:
    case CONST_INT:
        return c->integer != 0;
    case CONST_FLOAT:
        return c->real != 0;
    case CONST_STRING:
        return c->ntext != 0;
    case CONST_DTYPE:
        return true;
    case CONST_TUPLE:
        return c->nitems != 0;
    }
    return true;
}

/* --- text --- */

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

/* The shortest decimal that reads back as the same double, with ".0" where it looks like an int. */
static void put_float(Text *t, double d)
{
    size_t start = t->len;
    const char *end;

    if (isnan(d) || isinf(d)) {
        text_put(t, isnan(d) ? "nan" : d < 0 ? "-inf" : "inf");
        return;
    }
    for (int digits = 1; digits <= 17; digits++) {
        t->len = start;
        text_put_double(t, d, digits);
        if (double_from_text(t->s + start, &end) == d)
            break;
    }
    if (!strpbrk(t->s + start, ".e"))
        text_put(t, ".0");
}

static void put_string(Text *t, const Const *c)
{
    text_put(t, "'");
    for (size_t i = 0; i < c->ntext; i++) {
        unsigned char ch = (unsigned char)c->text[i];
        if (ch == '\n')
            text_put(t, "\\n");
        else if (ch == '\'' || ch == '\\')
            text_printf(t, "\\%c", ch);
        else if (ch < 32 || ch == 127)
            text_printf(t, "\\x%02x", ch);
        else
            text_putn(t, (const char *)&ch, 1);
    }
    text_put(t, "'");
}

static void put_const(Text *t, const Const *c)
{
    switch (c->kind) {
    case CONST_NONE:
        text_put(t, "None");
        return;
    case CONST_BOOL:
        text_put(t, c->integer ? "True" : "False");
        return;
    case CONST_INT:
        put_int(t, c->integer);
        return;
    case CONST_FLOAT:
        put_float(t, c->real);
        return;
    case CONST_STRING:
        put_string(t, c);
        return;
    case CONST_DTYPE:
        text_put(t, dtype_triton_name(c->dtype));
        return;
    case CONST_TUPLE:
        text_put(t, "(");
        for (int i = 0; i < c->nitems; i++) {
            if (i)
                text_put(t, ", ");
            put_const(t, &c->items[i]);
        }
        text_put(t, c->nitems == 1 ? ",)" : ")");
        return;
    }
}

const char *const_text(const Const *c, Arena *a)
{
    Text t = text_new(a);
    text_put(&t, "");
    put_const(&t, c);
    return t.s;
}

const char *const_str(const Const *c, Arena *a)
{
    return c->kind == CONST_STRING ? arena_strndup(a, c->text, c->ntext) : const_text(c, a);
}

/* --- equality and order --- */

bool const_equal(const Const *a, const Const *b)
{
    if ((a->kind == CONST_BOOL) != (b->kind == CONST_BOOL))
        return false;
    if (const_is_number(a) && const_is_number(b)) {
        if (const_is_integral(a) && const_is_integral(b))
            return a->integer == b->integer;
        return const_to_double(a) == const_to_double(b);
    }
    if (a->kind != b->kind)
        return false;
    switch (a->kind) {
    case CONST_STRING:
        return a->ntext == b->ntext && memcmp(a->text, b->text, a->ntext) == 0;
    case CONST_DTYPE:
        return a->dtype == b->dtype;
    case CONST_TUPLE:
        for (int i = 0; i < a->nitems && a->nitems == b->nitems; i++)
            if (!const_equal(&a->items[i], &b->items[i]))
                return false;
        return a->nitems == b->nitems;
    default:
        return true;
    }
}

/* Python's ==, where True == 1. */
static bool python_equal(const Const *x, const Const *y)
{
    Const a = *x, b = *y;

    if (a.kind == CONST_BOOL)
        a.kind = CONST_INT;
    if (b.kind == CONST_BOOL)
        b.kind = CONST_INT;
    return const_equal(&a, &b);
}

static int sign_of(bool less, bool greater)
{
    return less ? -1 : greater;
}

/* Python's <=> for numbers and strings.  False when Python has no order for the two; *nan is set
 * when one is NaN, and then no order holds. */
static bool const_order(const Const *x, const Const *y, int *order, bool *nan)
{
    *nan = false;
    if (const_is_integral(x) && const_is_integral(y)) {
        *order = sign_of(x->integer<y->integer, x->integer> y->integer);
        return true;
    }
    if (const_is_number(x) && const_is_number(y)) {
        double a = const_to_double(x), b = const_to_double(y);
        *nan = isnan(a) || isnan(b);
        *order = sign_of(a<b, a> b);
        return true;
    }
    if (x->kind == CONST_STRING && y->kind == CONST_STRING) {
        int c = memcmp(x->text, y->text, MIN(x->ntext, y->ntext));
        *order = c ? c : sign_of(x->ntext<y->ntext, x->ntext> y->ntext);
        return true;
    }
    return false;
}

const char *const_compare(CompareOp op, const Const *x, const Const *y, bool *out)
{
    int order;
    bool nan;

    if (op == CMP_EQ || op == CMP_NE) {
        *out = python_equal(x, y) == (op == CMP_EQ);
        return NULL;
    }
    if (!const_order(x, y, &order, &nan))
        return "these two have no order";
    *out = !nan && (op == CMP_LT   ? order < 0
                    : op == CMP_LE ? order <= 0
                    : op == CMP_GT ? order > 0
                                   : order >= 0);
    return NULL;
}

/* --- arithmetic --- */

static const char *const too_large = "the integer needs more than 128 bits";
static const __int128 int_min = (__int128)((unsigned __int128)1 << 127);

static __int128 floor_div(__int128 a, __int128 b)
{
    __int128 q = a / b;
    return q - (a % b != 0 && (a < 0) != (b < 0));
}

static const char *shift_left(__int128 a, __int128 n, __int128 *out)
{
    if (n < 0)
        return "negative shift count";
    *out = 0;
    if (a == 0)
        return NULL;
    if (n > 126 || (a << n) >> n != a)
        return too_large;
    *out = a << n;
    return NULL;
}

static const char *shift_right(__int128 a, __int128 n, __int128 *out)
{
    if (n < 0)
        return "negative shift count";
    *out = a >> (n > 127 ? 127 : n);
    return NULL;
}

static const char *int_pow(__int128 base, __int128 n, Const *out)
{
    __int128 r = 1;

    if (n < 0) {
        if (base == 0)
            return "0 cannot be raised to a negative power";
        *out = const_float(pow((double)base, (double)n));
        return NULL;
    }
    if (base >= -1 && base <= 1)
        n = base == 0 ? n != 0 : base == 1 ? 0 : n % 2;
    for (__int128 i = 0; i < n; i++)
        if (__builtin_mul_overflow(r, base, &r))
            return too_large;
    *out = const_int(r);
    return NULL;
}

static const char *int_binary(BinaryOp op, __int128 a, __int128 b, Const *out)
{
    __int128 r = 0;
    const char *wrong = NULL;
    bool overflow = false;

    if ((op == BIN_DIV || op == BIN_FLOORDIV || op == BIN_MOD) && b == 0)
        return "division by zero";
    switch (op) {
    case BIN_ADD:
        overflow = __builtin_add_overflow(a, b, &r);
        break;
    case BIN_SUB:
        overflow = __builtin_sub_overflow(a, b, &r);
        break;
    case BIN_MUL:
        overflow = __builtin_mul_overflow(a, b, &r);
        break;
    case BIN_DIV:
        *out = const_float((double)a / (double)b);
        return NULL;
    case BIN_FLOORDIV:
        overflow = b == -1 && a == int_min;
        r = overflow ? 0 : floor_div(a, b);
        break;
    case BIN_MOD:
        r = b == -1 ? 0 : a - floor_div(a, b) * b;
        break;
    case BIN_POW:
        return int_pow(a, b, out);
    case BIN_AND:
        r = a & b;
        break;
    case BIN_OR:
        r = a | b;
        break;
    case BIN_XOR:
        r = a ^ b;
        break;
    case BIN_SHL:
        wrong = shift_left(a, b, &r);
        break;
    case BIN_SHR:
        wrong = shift_right(a, b, &r);
        break;
    case BIN_MATMUL:
        return "`@` is not supported on numbers";
    }
    *out = const_int(r);
    return overflow ? too_large : wrong;
}

static double float_mod(double a, double b)
{
    double r = fmod(a, b);
    return r != 0 && (r < 0) != (b < 0) ? r + b : r;
}

static const char *float_binary(BinaryOp op, double a, double b, Const *out)
{
    double r;

    if ((op == BIN_DIV || op == BIN_FLOORDIV || op == BIN_MOD) && b == 0)
        return "division by zero";
    switch (op) {
    case BIN_ADD:
        r = a + b;
        break;
    case BIN_SUB:
        r = a - b;
        break;
    case BIN_MUL:
        r = a * b;
        break;
    case BIN_DIV:
        r = a / b;
        break;
    case BIN_FLOORDIV:
        r = floor(a / b);
        break;
    case BIN_MOD:
        r = float_mod(a, b);
        break;
    case BIN_POW:
        r = pow(a, b);
        break;
    default:
        return "floats have no such operator";
    }
    *out = const_float(r);
    return NULL;
}

static const char *string_concat(Arena *arena, const Const *x, const Const *y, Const *out)
{
    size_t n = x->ntext + y->ntext;

    if (n > MAX_STRING)
        return "the string is too long";
    char *s = arena_alloc(arena, n + 1);
    memcpy(s, x->text, x->ntext);
    memcpy(s + x->ntext, y->text, y->ntext);
    *out = const_string(s, n);
    return NULL;
}

const char *const_binary(Arena *arena, BinaryOp op, const Const *x, const Const *y, Const *out)
{
    bool logical = op == BIN_AND || op == BIN_OR || op == BIN_XOR;

    if (const_is_integral(x) && const_is_integral(y)) {
        const char *wrong = int_binary(op, x->integer, y->integer, out);
        if (logical && x->kind == CONST_BOOL && y->kind == CONST_BOOL)
            out->kind = CONST_BOOL;
        return wrong;
    }
    if (const_is_number(x) && const_is_number(y))
        return float_binary(op, const_to_double(x), const_to_double(y), out);
    if (op == BIN_ADD && x->kind == CONST_STRING && y->kind == CONST_STRING)
        return string_concat(arena, x, y, out);
    return "unsupported operand types";
}

const char *const_unary(UnaryOp op, const Const *x, Const *out)
{
    if (op == UN_NOT) {
        *out = const_bool(!const_truth(x));
        return NULL;
    }
    if (!const_is_number(x))
        return "bad operand type";
    if (op == UN_MINUS && x->integer == int_min)
        return too_large;
    if (op == UN_INVERT && x->kind == CONST_FLOAT)
        return "floats have no `~`";
    if (x->kind == CONST_FLOAT)
        *out = const_float(op == UN_MINUS ? -x->real : x->real);
    else
        *out = const_int(op == UN_MINUS ? -x->integer : op == UN_INVERT ? ~x->integer : x->integer);
    return NULL;
}
