/*
 * numbers.c - Python's functions of numbers, and its math
 *
 * math's functions have no NaN or infinity of finite numbers: Python raises there, and they fail.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../syntax/lex.h"
#include "functions.h"
#include "messages.h"

enum { INT_BITS = 126 }; /* floats up to 2 to this become ints */

static bool no_number(Py *p, const Const *c)
{
    (void)py_fail(p, p->at, PY_E_NUMBER, py_function_name(&(PyFunction){.builtin = p->callee}),
                  const_brief(c, p->arena));
    if (c->kind == CONST_FLOAT && fabs(c->real) < 1e15 && c->real == floor(c->real))
        py_hint(p, PY_H_WHOLE, (long long)c->real);
    return false;
}

/* --- conversions --- */

static bool is_space(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

/* The text of a number as C reads it: without the space around it, and without the `_` that Python
 * has between digits.  NULL where Python has something else there. */
static const char *number_text(Py *p, const Const *c)
{
    const char *from = c->text, *end = c->text + c->ntext;
    Text t = text_new(p->arena);

    while (from < end && is_space(*from))
        from++;
    while (from < end && is_space(end[-1]))
        end--;
    text_put(&t, "");
    for (const char *s = from; s < end; s++) {
        bool between = s > from && s + 1 < end && is_digit(s[-1]) && is_digit(s[1]);

        if (!*s || is_space(*s) || (*s == '_' && !between))
            return NULL;
        if (*s != '_')
            text_putn(&t, s, 1);
    }
    return t.s;
}

static bool int_of_text(Py *p, const Const *c, Const *out)
{
    const char *s = number_text(p, c);
    bool negative = s && *s == '-';
    const char *digits = s ? s + (negative || *s == '+') : "";
    __int128 v;

    while (digits[0] == '0' && digits[1])
        digits++;
    if (!*digits || digits[strspn(digits, "0123456789")] ||
        !literal_int(digits, (uint32_t)strlen(digits), &v))
        return no_number(p, c);
    *out = const_int(negative ? -v : v);
    return true;
}

/* A float without its fraction, as an int. */
static bool whole(Py *p, double v, const Const *of, Const *out)
{
    if (!(fabs(v) < ldexp(1, INT_BITS)))
        return no_number(p, of);
    *out = const_int((__int128)v);
    return true;
}

bool py_int(Py *p, const Const *args, int n, Const *out)
{
    if (n == 0) {
        *out = const_int(0);
        return true;
    }
    if (n > 1 && !(args[1].kind == CONST_INT && args[1].integer == 10))
        return false;
    if (args[0].kind == CONST_STRING)
        return int_of_text(p, &args[0], out);
    if (args[0].kind == CONST_FLOAT)
        return whole(p, args[0].real, &args[0], out);
    *out = const_int(args[0].integer);
    out->symbol = args[0].symbol;
    return const_is_integral(&args[0]) || no_number(p, &args[0]);
}

bool py_scalar(Py *p, DType t, const PyArgs *args, Span at, Const *out)
{
    const Const *x = args->len == 1 && !args->at[0].keyword ? &args->at[0].value : NULL;

    if (!x || !const_is_number(x))
        return py_fail(p, at, PY_E_SCALAR, dtype_long_name(t));
    if (!scalar_cast_to(t, x, out))
        return py_fail(p, at, PY_E_SCALAR_RANGE, const_brief(x, p->arena), dtype_long_name(t));
    out->is_scalar = t != DT_BF16 && !dtype_is_fp8(t); /* NumPy has none of these */
    return true;
}

bool py_float(Py *p, const Const *args, int n, Const *out)
{
    const char *s, *end;

    *out = const_float(n > 0 ? const_to_double(&args[0]) : 0);
    if (n == 0 || const_is_number(&args[0])) {
        out->symbol = n == 0 ? NULL : args[0].symbol;
        return true;
    }
    s = args[0].kind == CONST_STRING ? number_text(p, &args[0]) : NULL;
    if (!s || !*s || strpbrk(s, "xX(")) /* what C reads too, but Python does not */
        return no_number(p, &args[0]);
    out->real = double_from_text(s, &end);
    return !*end || no_number(p, &args[0]);
}

/* --- arithmetic --- */

bool py_abs(Py *p, const Const *args, int n, Const *out)
{
    const Const *x = &args[0];

    (void)n;
    if (!const_is_number(x))
        return no_number(p, x);
    if (x->kind == CONST_BOOL && x->is_scalar) {
        *out = *x;
        return true;
    }
    *out = *x;
    if (x->kind == CONST_FLOAT)
        out->real = fabs(x->real);
    return x->kind == CONST_FLOAT ||
           py_unary(p, x->integer < 0 ? UN_MINUS : UN_PLUS, x, p->at, out);
}

bool py_pow(Py *p, const Const *args, int n, Const *out)
{
    (void)n;
    return py_binary(p, BIN_POW, &args[0], &args[1], p->at, out);
}

bool py_divmod(Py *p, const Const *args, int n, Const *out)
{
    Const *both = NEW_N(p->arena, Const, 2);

    (void)n;
    *out = const_tuple(both, 2);
    return py_binary(p, BIN_FLOORDIV, &args[0], &args[1], p->at, &both[0]) &&
           py_binary(p, BIN_MOD, &args[0], &args[1], p->at, &both[1]);
}

/* The decimal number of so many digits that is nearest to the exact value of `x`. */
static double round_digits(double x, int digits)
{
    char text[400]; /* the largest double has 309 digits before the point */

    snprintf(text, sizeof text, "%.*f", digits, x);
    return strtod(text, NULL);
}

/* To the nearest, halves to the even one. */
bool py_round(Py *p, const Const *args, int n, Const *out)
{
    const Const *x = &args[0];
    bool has_digits = n > 1 && args[1].kind != CONST_NONE;

    if (!const_is_number(x))
        return no_number(p, x);
    if (has_digits && x->is_scalar)
        return py_fail(p, p->at, PY_E_ROUND);
    if (has_digits && (!const_is_integral(&args[1]) || args[1].integer < 0 || args[1].integer > 15))
        return false;
    if (x->kind != CONST_FLOAT)
        *out = const_int(x->integer);
    else if (has_digits)
        *out = const_float(round_digits(x->real, (int)args[1].integer));
    return x->kind != CONST_FLOAT || has_digits || whole(p, nearbyint(x->real), x, out);
}

/* (x + y - 1) // y, as Triton has it. */
static bool divide_up(Py *p, const Const *args, Const *out)
{
    const Const one = const_int(1);
    Const quotient, rest;
    bool more;

    if (!const_is_integral(&args[0]) || !const_is_integral(&args[1]))
        return no_number(p, const_is_integral(&args[0]) ? &args[1] : &args[0]);
    if (!py_binary(p, BIN_FLOORDIV, &args[0], &args[1], p->at, &quotient) ||
        !py_binary(p, BIN_MOD, &args[0], &args[1], p->at, &rest))
        return false;
    more = args[1].integer > 0 && rest.integer != 0;
    *out = quotient;
    if (args[1].integer < 0) /* (x + y - 1) // y steps the other way */
        return py_binary(p, BIN_ADD, &args[0], &args[1], p->at, out) &&
               py_binary(p, BIN_SUB, out, &one, p->at, out) &&
               py_binary(p, BIN_FLOORDIV, out, &args[1], p->at, out);
    return !more || py_binary(p, BIN_ADD, &quotient, &one, p->at, out);
}

bool py_cdiv(Py *p, const Const *args, int n, Const *out)
{
    (void)n;
    if (!divide_up(p, args, out))
        return false;
    out->symbol = NULL;
    const_name(p->arena, SYMBOL_cdiv, &args[0], &args[1], out);
    return true;
}

/* Triton's, which works on 64 bits: 0 gives 0. */
bool py_next_power_of_2(Py *p, const Const *args, int n, Const *out)
{
    __int128 power = 1;

    (void)n;
    if (!const_is_integral(&args[0]) || args[0].integer < 0 || args[0].integer >> 64 != 0)
        return no_number(p, &args[0]);
    while (power < args[0].integer)
        power *= 2;
    *out = const_int(args[0].integer == 0 ? 0 : power);
    const_name(p->arena, SYMBOL_next_power_of_2, &args[0], NULL, out);
    return true;
}

bool py_gcd(Py *p, const Const *args, int n, Const *out)
{
    __int128 a = args[0].integer, b = args[1].integer;

    (void)n;
    if (!const_is_integral(&args[0]) || !const_is_integral(&args[1]))
        return no_number(p, const_is_integral(&args[0]) ? &args[1] : &args[0]);
    while (b != 0 && b != -1) {
        __int128 rest = a % b;
        a = b;
        b = rest;
    }
    *out = const_int(b == -1 ? 1 : a);
    return a >= 0 || py_unary(p, UN_MINUS, out, p->at, out);
}

bool py_isqrt(Py *p, const Const *args, int n, Const *out)
{
    __int128 low = 0, high = (__int128)1 << 63, x = args[0].integer;

    (void)n;
    if (!const_is_integral(&args[0]) || x < 0 || x >= (__int128)1 << 126)
        return no_number(p, &args[0]);
    while (high - low > 1) {
        __int128 middle = (low + high) / 2;

        if (middle * middle <= x)
            low = middle;
        else
            high = middle;
    }
    *out = const_int(low);
    return true;
}

bool py_bit_length(Py *p, const Const *args, int n, Const *out)
{
    __int128 i = args[0].integer;
    int bits = 0;

    (void)p;
    (void)n;
    for (unsigned __int128 u = i < 0 ? -(unsigned __int128)i : (unsigned __int128)i; u; u >>= 1)
        bits++;
    *out = const_int(bits);
    return true;
}

bool py_is_integer(Py *p, const Const *args, int n, Const *out)
{
    (void)p;
    (void)n;
    *out = const_bool(isfinite(args[0].real) && args[0].real == floor(args[0].real));
    return true;
}

/* --- math --- */

static bool outside(Py *p, const Const *c)
{
    return py_fail(p, p->at, PY_E_DOMAIN, p->callee->name, const_brief(c, p->arena));
}

static bool of_number(Py *p, const Const *c, double (*f)(double), Const *out)
{
    double x = const_to_double(c);

    if (!const_is_number(c))
        return py_fail(p, p->at, PY_E_MATH, p->callee->name, const_brief(c, p->arena));
    *out = const_float(f(x));
    return isfinite(out->real) || isnan(x) || (isinf(x) && !isnan(out->real)) || outside(p, c);
}

/* name, C's function */
#define MATH(name, function)                                                                       \
    bool py_##name(Py *p, const Const *args, int n, Const *out)                                    \
    {                                                                                              \
        (void)n;                                                                                   \
        return of_number(p, &args[0], function, out);                                              \
    }
MATH(cos, cos)
MATH(exp, exp)
MATH(exp2, exp2)
MATH(fabs, fabs)
MATH(log10, log10)
MATH(log2, log2)
MATH(sin, sin)
MATH(sqrt, sqrt)
MATH(tan, tan)
MATH(tanh, tanh)
#undef MATH

bool py_log(Py *p, const Const *args, int n, Const *out)
{
    Const base;

    if (!of_number(p, &args[0], log, out) || n == 1 || args[1].kind == CONST_NONE)
        return !p->failed;
    if (!of_number(p, &args[1], log, &base))
        return false;
    out->real /= base.real;
    return isfinite(out->real) || outside(p, &args[0]);
}

bool py_math_pow(Py *p, const Const *args, int n, Const *out)
{
    Const x, y;

    (void)n;
    if (!of_number(p, &args[0], fabs, &x) || !of_number(p, &args[1], fabs, &y))
        return false;
    *out = const_float(pow(const_to_double(&args[0]), const_to_double(&args[1])));
    return isfinite(out->real) || !isfinite(x.real) || !isfinite(y.real) || outside(p, &args[0]);
}

/* An int stays as it is. */
static bool to_whole(Py *p, const Const *c, double (*f)(double), Const *out)
{
    *out = const_int(c->integer);
    if (const_is_integral(c))
        return true;
    return of_number(p, c, f, out) && whole(p, out->real, c, out);
}

bool py_ceil(Py *p, const Const *args, int n, Const *out)
{
    (void)n;
    return to_whole(p, &args[0], ceil, out);
}

bool py_floor(Py *p, const Const *args, int n, Const *out)
{
    (void)n;
    return to_whole(p, &args[0], floor, out);
}

bool py_trunc(Py *p, const Const *args, int n, Const *out)
{
    (void)n;
    return to_whole(p, &args[0], trunc, out);
}

static bool asks(Py *p, const Const *c, bool yes, Const *out)
{
    *out = const_bool(yes);
    return const_is_number(c) || no_number(p, c);
}

bool py_isfinite(Py *p, const Const *args, int n, Const *out)
{
    (void)n;
    return asks(p, &args[0], isfinite(const_to_double(&args[0])) != 0, out);
}

bool py_isinf(Py *p, const Const *args, int n, Const *out)
{
    (void)n;
    return asks(p, &args[0], isinf(const_to_double(&args[0])) != 0, out);
}

bool py_isnan(Py *p, const Const *args, int n, Const *out)
{
    (void)n;
    return asks(p, &args[0], isnan(const_to_double(&args[0])) != 0, out);
}
