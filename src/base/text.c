/*
 * text.c - a growing text buffer in an arena, and decimal numbers
 */
#define _GNU_SOURCE /* strtod_l */
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base.h"

Text text_new(Arena *a)
{
    return (Text){.arena = a};
}

/* Make room for n more bytes and the NUL. */
static void reserve(Text *t, size_t n)
{
    size_t need = t->len + n + 1;

    if (need <= t->cap)
        return;
    size_t cap = MAX(need, MAX(2 * t->cap, (size_t)64));
    t->s = arena_grow(t->arena, t->s, t->cap, cap);
    t->cap = cap;
}

void text_putn(Text *t, const char *s, size_t n)
{
    reserve(t, n);
    if (n > 0)
        memcpy(t->s + t->len, s, n);
    t->len += n;
    t->s[t->len] = '\0';
}

void text_put(Text *t, const char *s)
{
    text_putn(t, s, strlen(s));
}

static void text_vprintf(Text *t, const char *fmt, va_list ap)
{
    va_list again;

    reserve(t, 0);
    va_copy(again, ap);
    int n = vsnprintf(t->s + t->len, t->cap - t->len, fmt, again);
    va_end(again);
    if (n < 0)
        bug("bad format: %s", fmt);
    if ((size_t)n >= t->cap - t->len) {
        reserve(t, (size_t)n);
        vsnprintf(t->s + t->len, t->cap - t->len, fmt, ap);
    }
    t->len += (size_t)n;
}

void text_printf(Text *t, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    text_vprintf(t, fmt, ap);
    va_end(ap);
}

/* A program that links us may have chosen a locale with a decimal comma.  The C locale is static
 * in the C library: nothing is allocated. */
static locale_t c_locale(void)
{
    return newlocale(LC_ALL_MASK, "C", (locale_t)0);
}

void text_put_double(Text *t, double v, int digits)
{
    char s[64];
    locale_t before = uselocale(c_locale());

    snprintf(s, sizeof s, "%.*g", MIN(digits, 40), v); /* into no arena: that may jump */
    uselocale(before);
    text_put(t, s);
}

void text_put_fixed(Text *t, double v, int digits)
{
    char s[400]; /* 309 digits in front of the point */
    locale_t before = uselocale(c_locale());

    snprintf(s, sizeof s, "%.*f", MIN(digits, 40), v);
    uselocale(before);
    text_put(t, s);
}

void text_put_base64(Text *t, const void *bytes, size_t n)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const uint8_t *at = bytes;

    for (size_t i = 0; i < n; i += 3) {
        size_t left = n - i;
        uint32_t v = (uint32_t)at[i] << 16 | (left > 1 ? (uint32_t)at[i + 1] << 8 : 0) |
                     (left > 2 ? at[i + 2] : 0);
        const char four[4] = {digits[v >> 18], digits[v >> 12 & 63],
                              left > 1 ? digits[v >> 6 & 63] : '=',
                              left > 2 ? digits[v & 63] : '='};

        text_putn(t, four, 4);
    }
}

double double_from_text(const char *s, const char **end)
{
    char *stop;
    double v = strtod_l(s, &stop, c_locale());

    *end = stop;
    return v;
}
