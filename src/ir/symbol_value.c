/*
 * symbol_value.c - what the operators of symbols mean: Python's, on ints of 64 bits and floats
 *
 * Each gives false where Python raises, and where the result would not be the one that Python has:
 * the symbol is dropped then, and the number stands alone.
 */
#include "ir.h"

double symbol_to_double(SymbolValue n)
{
    return n.kind == SYMBOL_IS_FLOAT ? n.real : (double)n.integer;
}

bool symbol_value_equal(SymbolValue a, SymbolValue b)
{
    if (a.kind != SYMBOL_IS_FLOAT && b.kind != SYMBOL_IS_FLOAT)
        return a.integer == b.integer;
    return symbol_to_double(a) == symbol_to_double(b);
}

/* --- ints --- */

/* Rounded down; y is not 0. */
static bool divide(int64_t x, int64_t y, int64_t *quotient, int64_t *rest)
{
    if (y == 0 || (x == INT64_MIN && y == -1))
        return false;
    *quotient = x / y;
    *rest = x % y;
    if (*rest != 0 && (*rest < 0) != (y < 0)) {
        *quotient -= 1;
        *rest += y;
    }
    return true;
}

static bool power(int64_t x, int64_t y, int64_t *out)
{
    *out = 1;
    if (y < 0 || y > 64)
        return false;
    for (; y > 0; y--) {
        if (__builtin_mul_overflow(*out, x, out))
            return false;
    }
    return true;
}

static bool shift_left(int64_t x, int64_t by, int64_t *out)
{
    return by >= 0 && by < 63 && !__builtin_mul_overflow(x, (int64_t)1 << by, out);
}

static bool shift_right(int64_t x, int64_t by, int64_t *out)
{
    *out = x >> (by >= 0 && by < 63 ? by : 63);
    return by >= 0;
}

static bool divide_up(int64_t x, int64_t y, int64_t *out)
{
    int64_t rest;

    return !__builtin_add_overflow(x, y, out) && !__builtin_sub_overflow(*out, 1, out) &&
           divide(*out, y, out, &rest);
}

/* 0 for what is not positive, as Triton has it. */
static bool next_power(int64_t x, int64_t *out)
{
    *out = x > 0;
    while (*out < x && *out <= INT64_MAX / 4)
        *out *= 2;
    return *out >= x || x <= 0;
}

static bool int_value(SymbolCode op, int64_t x, int64_t y, int64_t *out)
{
    int64_t rest = 0;

    switch (op) {
    case SYMBOL_or:
        *out = x | y;
        return true;
    case SYMBOL_xor:
        *out = x ^ y;
        return true;
    case SYMBOL_and:
        *out = x & y;
        return true;
    case SYMBOL_invert:
        *out = ~x;
        return true;
    case SYMBOL_add:
        return !__builtin_add_overflow(x, y, out);
    case SYMBOL_sub:
        return !__builtin_sub_overflow(x, y, out);
    case SYMBOL_mul:
        return !__builtin_mul_overflow(x, y, out);
    case SYMBOL_neg:
        return !__builtin_sub_overflow(0, x, out);
    case SYMBOL_floordiv:
        return divide(x, y, out, &rest);
    case SYMBOL_rem:
        return divide(x, y, &rest, out);
    case SYMBOL_pow:
        return power(x, y, out);
    case SYMBOL_shl:
        return shift_left(x, y, out);
    case SYMBOL_shr:
        return shift_right(x, y, out);
    case SYMBOL_cdiv:
        return divide_up(x, y, out);
    case SYMBOL_next_power_of_2:
        return next_power(x, out);
    default:
        return false;
    }
}

/* --- floats --- */

static bool float_value(SymbolCode op, double x, double y, double *out)
{
    double rest;

    switch (op) {
    case SYMBOL_add:
        *out = x + y;
        return true;
    case SYMBOL_sub:
        *out = x - y;
        return true;
    case SYMBOL_mul:
        *out = x * y;
        return true;
    case SYMBOL_neg:
        *out = -x;
        return true;
    case SYMBOL_div:
        *out = x / y;
        return y != 0;
    case SYMBOL_floordiv:
        *out = y != 0 ? python_divmod(x, y, &rest) : 0;
        return y != 0;
    case SYMBOL_rem:
        if (y != 0)
            python_divmod(x, y, out);
        return y != 0;
    default:
        return false;
    }
}

/* --- all --- */

static bool is_exact(int64_t x)
{
    return x >= -((int64_t)1 << 53) && x <= (int64_t)1 << 53;
}

bool symbol_value(SymbolCode op, SymbolValue x, SymbolValue y, SymbolValue *out)
{
    bool bools = x.kind == SYMBOL_IS_BOOL && y.kind == SYMBOL_IS_BOOL;
    bool bits = op == SYMBOL_and || op == SYMBOL_or || op == SYMBOL_xor;
    bool ints = x.kind != SYMBOL_IS_FLOAT && y.kind != SYMBOL_IS_FLOAT;

    if (op == SYMBOL_min || op == SYMBOL_max) {
        bool second = ints ? x.integer > y.integer : symbol_to_double(x) > symbol_to_double(y);
        bool first = ints ? x.integer < y.integer : symbol_to_double(x) < symbol_to_double(y);
        *out = (op == SYMBOL_min ? second : first) ? y : x; /* the first of equal ones */
        return true;
    }
    if (ints && op != SYMBOL_div) {
        *out = (SymbolValue){.kind = bools && bits ? SYMBOL_IS_BOOL : SYMBOL_IS_INT};
        return int_value(op, x.integer, y.integer, &out->integer);
    }
    if (ints && (!is_exact(x.integer) || !is_exact(y.integer)))
        return false; /* Python rounds the quotient once */
    *out = (SymbolValue){.kind = SYMBOL_IS_FLOAT};
    return float_value(op, symbol_to_double(x), symbol_to_double(y), &out->real);
}
