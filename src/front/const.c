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

/* Python's repr: the shortest decimal that reads back as the same double, with an exponent for what
 * is below 1e-4 or at least 1e16, and with ".0" where it looks like an int. */
static void put_float(Text *t, double d)
{
    size_t start = t->len;
    const char *end;
    int digits = 0;

    if (isnan(d) || isinf(d)) {
        text_put(t, isnan(d) ? "nan" : d < 0 ? "-inf" : "inf");
        return;
    }
    do {
        t->len = start;
        text_put_double(t, d, ++digits);
    } while (digits < 17 && double_from_text(t->s + start, &end) != d);
    if (fabs(d) >= 1 && fabs(d) < 1e16 && strchr(t->s + start, 'e')) {
        t->len = start;
        text_put_double(t, d, 16); /* enough for all digits of an integer of this size */
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

static int sign_of(bool less, bool greater)
{
    return less ? -1 : greater;
}

/* Exactly, though a double holds no more than 53 bits of i.  d is no NaN. */
static int order_int_double(__int128 i, double d)
{
    __int128 whole;
    double rest;

    if (fabs(d) >= 0x1p127)
        return d > 0 ? -1 : 1;
    whole = (__int128)d;
    rest = d - (double)whole;
    return i != whole ? sign_of(i < whole, whole < i) : sign_of(0 < rest, rest < 0);
}

/* *nan: one is NaN, and then no order holds. */
static int order_numbers(const Const *x, const Const *y, bool *nan)
{
    *nan = (x->kind == CONST_FLOAT && isnan(x->real)) || (y->kind == CONST_FLOAT && isnan(y->real));
    if (*nan)
        return 0;
    if (x->kind == CONST_FLOAT && y->kind == CONST_FLOAT)
        return sign_of(x->real < y->real, y->real < x->real);
    if (x->kind == CONST_FLOAT)
        return -order_int_double(y->integer, x->real);
    if (y->kind == CONST_FLOAT)
        return order_int_double(x->integer, y->real);
    return sign_of(x->integer < y->integer, y->integer < x->integer);
}

static bool equal(const Const *a, const Const *b, bool bools_are_ints)
{
    bool nan;

    if (!bools_are_ints && (a->kind == CONST_BOOL) != (b->kind == CONST_BOOL))
        return false;
    if (const_is_number(a) && const_is_number(b))
        return order_numbers(a, b, &nan) == 0 && !nan;
    if (a->kind != b->kind)
        return false;
    switch (a->kind) {
    case CONST_STRING:
        return a->ntext == b->ntext && memcmp(a->text, b->text, a->ntext) == 0;
    case CONST_DTYPE:
        return a->dtype == b->dtype;
    case CONST_TUPLE:
        for (int i = 0; i < a->nitems && a->nitems == b->nitems; i++)
            if (!equal(&a->items[i], &b->items[i], bools_are_ints))
                return false;
        return a->nitems == b->nitems;
    default:
        return true;
    }
}

bool const_equal(const Const *a, const Const *b)
{
    return equal(a, b, false);
}

static bool const_order(const Const *x, const Const *y, int *order, bool *nan);

/* The first elements that differ decide, then the lengths. */
static bool order_tuples(const Const *x, const Const *y, int *order, bool *nan)
{
    for (int i = 0; i < x->nitems && i < y->nitems; i++)
        if (!equal(&x->items[i], &y->items[i], true))
            return const_order(&x->items[i], &y->items[i], order, nan);
    *order = sign_of(x->nitems < y->nitems, y->nitems < x->nitems);
    return true;
}

/* Python's <=> for numbers, strings and tuples.  False when Python has no order for the two; *nan
 * is set when one is NaN, and then no order holds. */
static bool const_order(const Const *x, const Const *y, int *order, bool *nan)
{
    *nan = false;
    if (const_is_number(x) && const_is_number(y)) {
        *order = order_numbers(x, y, nan);
        return true;
    }
    if (x->kind == CONST_STRING && y->kind == CONST_STRING) {
        int c = memcmp(x->text, y->text, MIN(x->ntext, y->ntext));
        *order = c ? c : sign_of(x->ntext < y->ntext, y->ntext < x->ntext);
        return true;
    }
    return x->kind == CONST_TUPLE && y->kind == CONST_TUPLE && order_tuples(x, y, order, nan);
}

const char *const_compare(CompareOp op, const Const *x, const Const *y, bool *out)
{
    int order;
    bool nan;

    if (op == CMP_EQ || op == CMP_NE) {
        *out = equal(x, y, true) == (op == CMP_EQ); /* True == 1 */
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

static const char *float_pow(double a, double b, double *out)
{
    bool finite = isfinite(a) && isfinite(b);

    if (a == 0 && b < 0 && finite)
        return "0 cannot be raised to a negative power";
    if (a < 0 && finite && b != floor(b))
        return "the result is a complex number";
    *out = pow(a, b);
    return finite && isinf(*out) ? "the result is too large" : NULL;
}

static const char *int_pow(__int128 base, __int128 n, Const *out)
{
    __int128 r = 1;

    if (n < 0) {
        double power = 0;
        const char *wrong = float_pow((double)base, (double)n, &power);

        *out = const_float(power);
        return wrong;
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

static const char *float_binary(BinaryOp op, double a, double b, Const *out)
{
    const char *wrong = NULL;
    double r = 0;

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
        r = python_divmod(a, b, &(double){0});
        break;
    case BIN_MOD:
        python_divmod(a, b, &r);
        break;
    case BIN_POW:
        wrong = float_pow(a, b, &r);
        break;
    default:
        return "floats have no such operator";
    }
    *out = const_float(r);
    return wrong;
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

static const char *string_repeat(Arena *arena, const Const *x, __int128 times, Const *out)
{
    if (times <= 0 || x->ntext == 0) {
        *out = const_string("", 0);
        return NULL;
    }
    if (times > MAX_STRING / (__int128)x->ntext)
        return "the string is too long";
    size_t n = x->ntext * (size_t)times;
    char *s = arena_alloc(arena, n + 1);
    for (size_t i = 0; i < n; i += x->ntext)
        memcpy(s + i, x->text, x->ntext);
    s[n] = '\0';
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
    if (op == BIN_MUL && x->kind == CONST_STRING && const_is_integral(y))
        return string_repeat(arena, x, y->integer, out);
    if (op == BIN_MUL && const_is_integral(x) && y->kind == CONST_STRING)
        return string_repeat(arena, y, x->integer, out);
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
