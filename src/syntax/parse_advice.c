/*
 * parse_advice.c - what C has that Python writes otherwise, where a statement goes wrong over it
 */
#include "parse.h"

#include <string.h>

/* Does the text at `place` begin with that? */
static bool stands_at(const Parser *p, uint32_t place, const char *text)
{
    size_t n = strlen(text);

    const Source *s = p->lex.source;
    return place >= s->base && place - s->base + n <= s->len &&
           memcmp(parse_text(p, place), text, n) == 0;
}

/* Is the token before the one in hand a name that C begins declarations with? */
static const char *declaration_advice(const Parser *p)
{
    static const char *const words[] = {"int",  "float", "double",  "long",  "short",
                                        "char", "bool",  "auto",    "const", "var",
                                        "let",  "void",  "unsigned"};
    const char *end = parse_text(p, p->last_end);
    uint32_t n = 0, most = p->last_end - p->lex.source->base;

    while (n < most && is_name_char(end[-1 - (int)n]))
        n++;
    for (int i = 0; i < COUNT(words); i++) {
        if (strlen(words[i]) == n && memcmp(words[i], end - n, n) == 0)
            return arena_printf(p->arena, "; names are bound without types: leave `%s` out",
                                words[i]);
    }
    return NULL;
}

/* Does a value begin where the one before it has just ended? */
static bool begins_value(TokenKind kind)
{
    return kind == T_NAME || kind == T_INT || kind == T_FLOAT || kind == T_STRING;
}

const char *parse_advice(const Parser *p)
{
    /* clang-format off */
    static const struct {
        const char *text; /* that the error is in or behind, */
        int before;       /* so many bytes from its start */
        const char *advice;
    } table[] = {
        {"&&",     1, "; Python writes `and`, and `&` between tiles"},
        {"||",     1, "; Python writes `or`, and `|` between tiles"},
        {"++",     2, "; Python writes `i += 1`"},
        {"--",     2, "; Python writes `i -= 1`"},
        {"else if", 5, "; Python writes `elif`"},
        {"//",     0, "; a comment begins with `#`"},
        {"/*",     0, "; a comment begins with `#`"},
        {"{",      0, "; blocks are indented, without braces"},
        {"!=",     0, ""},
        {"!",      0, "; Python writes `not`"},
        {"..",     1, "; numbers are counted by `range(start, end)`"},
        {"print ", 6, "; print is a function: `print(...)`"},
        {"\xc3\x97",     0, "; a product is written `*`"},
        {"\xe2\x88\x92", 0, "; a minus is written `-`"},
        {"\xe2\x80\x93", 0, "; a minus is written `-`"},
    };
    /* clang-format on */
    const uint32_t start = p->tok.span.start;

    for (int i = 0; i < COUNT(table); i++) {
        if (stands_at(p, start - (uint32_t)table[i].before, table[i].text))
            return table[i].advice;
    }
    const char *declaration = p->tok.kind == T_NAME ? declaration_advice(p) : NULL;
    if (declaration)
        return declaration;
    return p->openings.len > 0 && begins_value(p->tok.kind)
               ? "; is a comma or an operator missing in front of it?"
               : "";
}
