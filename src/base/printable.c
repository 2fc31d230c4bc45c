/*
 * printable.c - texts that cannot drive a terminal
 *
 * Names of files, texts of users and lines of sources hold any bytes, and what they go out to may
 * obey some: control characters, and those that reorder a line.  These, and bytes that are not
 * UTF-8, become \\xNN; everything that people read goes through here.  Names stand in lines with
 * other words, so there a newline is \\n and a tab \\t.
 */
#include <stdlib.h>
#include <string.h>

#include "base.h"

/* The length of the well-formed UTF-8 sequence at p, at most n bytes; 0 when there is none. */
static int utf8_length(const unsigned char *p, size_t n)
{
    static const uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
    int len = p[0] < 0x80 ? 1 : p[0] < 0xc2 ? 0 : p[0] < 0xe0 ? 2 : p[0] < 0xf0 ? 3 : 4;

    if (p[0] > 0xf4 || (size_t)len > n)
        return 0;
    if (len <= 1)
        return len;
    uint32_t c = p[0] & (0x7fu >> len);
    for (int i = 1; i < len; i++) {
        if ((p[i] & 0xc0) != 0x80)
            return 0;
        c = c << 6 | (p[i] & 0x3f);
    }
    bool surrogate = c >= 0xd800 && c < 0xe000;
    bool reorders = (c >= 0x2028 && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069);
    bool control = c < 0xa0;
    return c < smallest[len] || c > 0x10ffff || surrogate || reorders || control ? 0 : len;
}

size_t printable_character(const char *p, size_t n, char out[PRINTABLE_BYTES], size_t *taken)
{
    static const char digits[] = "0123456789abcdef";
    unsigned char c = (unsigned char)*p;
    int len = utf8_length((const unsigned char *)p, n);
    bool shown = len > 0 && c >= 0x20 && c != 0x7f;

    *taken = shown ? (size_t)len : 1;
    memcpy(out, shown ? p : "\\x", shown ? (size_t)len : 2);
    if (shown)
        return (size_t)len;
    out[2] = digits[c >> 4];
    out[3] = digits[c & 15];
    return PRINTABLE_BYTES;
}

size_t printable_in_name(const char *p, size_t n, char out[PRINTABLE_BYTES], size_t *taken)
{
    if (*p != '\n' && *p != '\t')
        return printable_character(p, n, out, taken);
    *taken = 1;
    out[0] = '\\';
    out[1] = *p == '\n' ? 'n' : 't';
    return 2;
}

void text_put_printable(Text *t, const char *s)
{
    char shown[PRINTABLE_BYTES];

    for (size_t n = strlen(s), taken = 1; n > 0; s += taken, n -= taken) {
        bool stays = *s == '\n' || *s == '\t';
        size_t len = stays ? 1 : printable_character(s, n, shown, &taken);
        text_putn(t, stays ? s : shown, len);
        taken = stays ? 1 : taken;
    }
}

void text_put_name(Text *t, const char *s)
{
    char shown[PRINTABLE_BYTES];

    text_put(t, "");
    for (size_t n = strlen(s), taken; n > 0; s += taken, n -= taken)
        text_putn(t, shown, printable_in_name(s, n, shown, &taken));
}

const char *shown_name(Arena *a, const char *name)
{
    Text t = text_new(a);

    text_put_name(&t, name);
    return t.s;
}

char *printable_copy(const char *s, bool is_line)
{
    char *text = malloc(PRINTABLE_BYTES * strlen(s) + 1), *to = text;

    for (size_t n = strlen(s), taken; text && n > 0; s += taken, n -= taken) {
        taken = 1;
        if (!is_line && (*s == '\n' || *s == '\t'))
            *to++ = *s;
        else
            to += printable_in_name(s, n, to, &taken);
    }
    if (text)
        *to = '\0';
    return text;
}
