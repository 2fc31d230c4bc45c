/*
 * literal.c - the values of number and string tokens
 *
 * Takes text that the lexer accepted, so nothing here can fail but for integers that are too large.
 */
#include <string.h>

#include "lex.h"

static int digit_value(char c)
{
    if (is_digit(c))
        return c - '0';
    return (c | 0x20) - 'a' + 10;
}

bool literal_int(const char *s, uint32_t n, __int128 *out)
{
    const __int128 max = (__int128)(~(unsigned __int128)0 >> 1);
    __int128 v = 0;
    int base = 10;
    uint32_t i = 0;

    if (n > 2 && s[0] == '0' && !is_digit(s[1]) && s[1] != '_') {
        char letter = (char)(s[1] | 0x20);

        base = letter == 'x' ? 16 : letter == 'o' ? 8 : 2;
        i = 2;
    }
    for (; i < n; i++) {
        int digit = s[i] == '_' ? 0 : digit_value(s[i]);

        if (s[i] == '_')
            continue;
        if (v > (max - digit) / base)
            return false;
        v = v * base + digit;
    }
    *out = v;
    return true;
}

double literal_float(Arena *a, const char *s, uint32_t n)
{
    char *digits = arena_alloc(a, (size_t)n + 1);
    size_t len = 0;

    for (uint32_t i = 0; i < n; i++) {
        if (s[i] != '_')
            digits[len++] = s[i];
    }
    return double_from_text(digits, &s);
}

/* One code point as UTF-8; what is none becomes U+FFFD. */
static size_t put_utf8(char *out, uint32_t c)
{
    if (c > 0x10ffff)
        c = 0xfffd;
    if (c < 0x80) {
        out[0] = (char)c;
        return 1;
    }
    if (c < 0x800) {
        out[0] = (char)(0xc0 | c >> 6);
        out[1] = (char)(0x80 | (c & 0x3f));
        return 2;
    }
    if (c < 0x10000) {
        out[0] = (char)(0xe0 | c >> 12);
        out[1] = (char)(0x80 | (c >> 6 & 0x3f));
        out[2] = (char)(0x80 | (c & 0x3f));
        return 3;
    }
    out[0] = (char)(0xf0 | c >> 18);
    out[1] = (char)(0x80 | (c >> 12 & 0x3f));
    out[2] = (char)(0x80 | (c >> 6 & 0x3f));
    out[3] = (char)(0x80 | (c & 0x3f));
    return 4;
}

/* Up to `most` digits of `base`; gives how many there were. */
static uint32_t read_code(const char *s, uint32_t n, int base, uint32_t most, uint32_t *code)
{
    uint32_t i = 0;

    *code = 0;
    while (i < n && i < most) {
        char c = s[i];
        bool hex = (c | 0x20) >= 'a' && (c | 0x20) <= 'f';

        if (!(base == 16 ? hex || is_digit(c) : c >= '0' && c <= '7'))
            break;
        *code = *code * (uint32_t)base + (uint32_t)digit_value(c);
        i++;
    }
    return i;
}

/* Replace the escape at s[0] == '\\'.  Writes at most as many bytes as it takes; gives how many it
 * takes, 0 when this is no escape and the backslash stays. */
static uint32_t unescape(const char *s, uint32_t n, char *out, size_t *len)
{
    static const char letters[] = "\\'\"abfnrtv", values[] = "\\'\"\a\b\f\n\r\t\v";
    char c = n > 1 ? s[1] : '\0';
    const char *simple = c ? strchr(letters, c) : NULL;
    uint32_t digits, code;

    if (is_newline(c))
        return c == '\r' && n > 2 && s[2] == '\n' ? 3 : 2;
    if (simple) {
        out[(*len)++] = values[simple - letters];
        return 2;
    }
    if (c >= '0' && c <= '7') {
        digits = read_code(s + 1, n - 1, 8, 3, &code);
        *len += put_utf8(out + *len, code);
        return 1 + digits;
    }
    if (c != 'x' && c != 'u' && c != 'U')
        return 0;
    digits = c == 'x' ? 2 : c == 'u' ? 4 : 8;
    if (read_code(s + 2, n - 2, 16, digits, &code) < digits)
        return 0;
    *len += put_utf8(out + *len, code);
    return 2 + digits;
}

const char *literal_string(Arena *a, const char *s, uint32_t n, int flags, size_t *nout)
{
    char *out = arena_alloc(a, (size_t)n + 1);
    size_t len = 0;

    for (uint32_t i = 0; i < n; i++) {
        uint32_t taken = 0;

        if (s[i] == '\\' && !(flags & STR_RAW))
            taken = unescape(s + i, n - i, out, &len);
        if (taken == 0)
            out[len++] = s[i];
        else
            i += taken - 1;
        if ((flags & STR_FORMAT) && taken == 0 && i + 1 < n && s[i] == s[i + 1] &&
            (s[i] == '{' || s[i] == '}'))
            i++;
    }
    out[len] = '\0';
    *nout = len;
    return out;
}
