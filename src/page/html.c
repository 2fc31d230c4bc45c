/*
 * html.c - texts as HTML has them, and Python in colours
 *
 * Bytes that are no text, and control characters, which XML has no way to write, are shown as \xNN.
 */
#include "page.h"

#include <ctype.h>
#include <string.h>

void html_put(Text *t, const char *s)
{
    Text clean = text_new(t->arena);

    text_put(&clean, "");
    text_put_printable(&clean, s);
    for (const char *at = clean.s; *at; at++) {
        const char *name = *at == '<'   ? "&lt;"
                           : *at == '>' ? "&gt;"
                           : *at == '&' ? "&amp;"
                           : *at == '"' ? "&quot;"
                                        : NULL;
        if (name)
            text_put(t, name);
        else
            text_putn(t, at, 1);
    }
}

const char *html_text(Arena *a, const char *s)
{
    Text t = text_new(a);

    text_put(&t, "");
    html_put(&t, s);
    return t.s;
}

/* --- Python --- */

static bool is_keyword(const char *s, size_t n)
{
    static const char *const words[] = {
        "and",    "as",   "assert", "break",  "class", "continue", "def",  "del",
        "elif",   "else", "except", "False",  "for",   "from",     "if",   "import",
        "in",     "is",   "not",    "lambda", "None",  "or",       "pass", "raise",
        "return", "True", "try",    "with",   "while", "yield"};

    for (int i = 0; i < COUNT(words); i++) {
        if (strlen(words[i]) == n && memcmp(words[i], s, n) == 0)
            return true;
    }
    return false;
}

/* Behind the end of a text in these quotes, or the end of the line, where *quotes stays. */
static size_t length_to(const char *s, const char **quotes)
{
    size_t k = strlen(*quotes), i = 0;

    for (; s[i]; i += s[i] == '\\' && s[i + 1] ? 2 : 1) {
        if (strncmp(s + i, *quotes, k) != 0)
            continue;
        *quotes = NULL;
        return i + k;
    }
    if (k == 1)
        *quotes = NULL;
    return i;
}

static size_t quoted_length(const char *s, const char **quotes)
{
    static const char *const kinds[] = {"\"\"\"", "'''", "\"", "'"};

    for (int i = 0; i < COUNT(kinds); i++) {
        size_t k = strlen(kinds[i]);
        if (strncmp(s, kinds[i], k) != 0)
            continue;
        *quotes = kinds[i];
        return k + length_to(s + k, quotes);
    }
    return 1;
}

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_' || (unsigned char)c >= 0x80;
}

/* The next piece: its length, and what it is: k, c, s, n, or NULL. */
static size_t next_piece(const char *s, const char **kind, const char **quotes)
{
    size_t len = 0;

    *kind = NULL;
    if (s[0] == '#') {
        *kind = "c";
        return strlen(s);
    }
    if (s[0] == '"' || s[0] == '\'') {
        *kind = "s";
        return quoted_length(s, quotes);
    }
    if (s[0] == '@') {
        for (len = 1; is_word(s[len]) || s[len] == '.';)
            len++;
        *kind = "k";
        return len;
    }
    while (is_word(s[len]) || (len > 0 && isdigit((unsigned char)s[0]) && s[len] == '.'))
        len++;
    if (len > 0 && isdigit((unsigned char)s[0]))
        *kind = "n";
    else if (len > 0 && is_keyword(s, len))
        *kind = "k";
    return MAX(len, 1);
}

void html_put_python(Text *t, const char *s, const char **quotes)
{
    const char *kind;

    for (size_t len; *s; s += len) {
        kind = "s";
        len = *quotes ? length_to(s, quotes) : next_piece(s, &kind, quotes);
        const char *piece = html_text(t->arena, arena_strndup(t->arena, s, len));
        if (kind)
            text_printf(t, "<i class=\"%s\">%s</i>", kind, piece);
        else
            text_put(t, piece);
    }
}
