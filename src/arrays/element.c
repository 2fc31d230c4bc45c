/*
 * element.c - one element of an array as text
 *
 * Floats print with as many digits as their type can tell apart, shortest form first.
 */
#include "array.h"
#include "../ir/ir.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Digits that tell every two values of the type apart; NumPy stops at 8 when it prints. */
static int digits_of(tilec_dtype t)
{
    if (t == TILEC_FP64 || t == TILEC_FP32)
        return 8;
    return t == TILEC_FP16 ? 5 : 4;
}

static double rounded(double v, int digits)
{
    char text[ELEMENT_TEXT];

    snprintf(text, ELEMENT_TEXT, "%.*e", digits - 1, v);
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
    char text[ELEMENT_TEXT];

    snprintf(text, ELEMENT_TEXT, "%.*e", digits - 1, v);
    return atoi(strchr(text, 'e') + 1);
}

/* The shortest text that reads back as the same element, always with a point. */
static void format_float(char *out, tilec_dtype t, double v, bool exponents)
{
    int digits;

    if (!isfinite(v)) {
        snprintf(out, ELEMENT_TEXT, "%s", isnan(v) ? "nan" : v < 0 ? "-inf" : "inf");
        return;
    }
    digits = shortest(t, v);
    if (exponents)
        snprintf(out, ELEMENT_TEXT, "%#.*e", digits - 1, v);
    else
        snprintf(out, ELEMENT_TEXT, "%#.*f", MAX(0, digits - 1 - exponent_of(v, digits)), v);
}

void element_format(char out[ELEMENT_TEXT], tilec_dtype t, uint64_t bits, bool exponents)
{
    if (t == TILEC_I1)
        strcpy(out, bits ? "True" : "False");
    else if (dtype_is_float((DType)t))
        format_float(out, t, scalar_to_double((DType)t, bits), exponents);
    else if (t >= TILEC_U8 && t <= TILEC_U64)
        snprintf(out, ELEMENT_TEXT, "%llu", (unsigned long long)bits);
    else
        snprintf(out, ELEMENT_TEXT, "%lld", (long long)scalar_to_int((DType)t, bits));
}

bool element_wants_exponent(tilec_dtype t, uint64_t bits)
{
    double v;

    if (!dtype_is_float((DType)t))
        return false;
    v = fabs(scalar_to_double((DType)t, bits));
    return isfinite(v) && v != 0 && (v < 1e-4 || v >= 1e8);
}
