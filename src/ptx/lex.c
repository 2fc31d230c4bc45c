/*
 * lex.c - the tokens of PTX
 *
 * An instruction with all its modifiers is one word, and so is a directive with its dot; `::` is
 * part of a word, a single colon is not.  Numbers keep the bits that they are written with:
 * 0f3F800000 is a float of 32 bits, 0d... of 64, a decimal with a point too.
 */
#include <ctype.h>
#include <string.h>

#include "parser.h"

typedef struct {
    Parser *p;
    const char *at, *end;
    uint32_t line;
} Lexer;

static bool is_word_char(int c)
{
    return isalnum(c) || c == '_' || c == '$' || c == '%' || c == '.';
}

/* Go to the next token: behind white space and comments. */
static void skip_to_token(Lexer *l)
{
    while (l->at < l->end) {
        const char *s = l->at;
        bool two = s + 1 < l->end;

        if (*s == '\n') {
            l->line++;
            l->at++;
        } else if (isspace((unsigned char)*s)) {
            l->at++;
        } else if (two && s[0] == '/' && s[1] == '/') {
            while (l->at < l->end && *l->at != '\n')
                l->at++;
        } else if (two && s[0] == '/' && s[1] == '*') {
            l->at += 2;
            while (l->at < l->end && !(l->at > s + 2 && l->at[0] == '/' && l->at[-1] == '*'))
                l->line += *l->at++ == '\n';
            l->at += l->at < l->end;
        } else {
            return;
        }
    }
}

static Token word_token(Lexer *l)
{
    const char *start = l->at;

    while (l->at < l->end) {
        if (is_word_char((unsigned char)*l->at))
            l->at++;
        else if (l->at + 2 < l->end && l->at[0] == ':' && l->at[1] == ':')
            l->at += 2;
        else
            break;
    }
    return (Token){.kind = TOKEN_WORD,
                   .word = intern_n(l->p->names, start, (size_t)(l->at - start)),
                   .line = l->line};
}

static int digit_value(int c)
{
    if (isdigit(c))
        return c - '0';
    return isxdigit(c) ? tolower(c) - 'a' + 10 : 99;
}

/* Digits of that base, as many as there are. */
static uint64_t digits(Lexer *l, int base)
{
    uint64_t value = 0;

    while (l->at < l->end && digit_value((unsigned char)*l->at) < base)
        value = value * (uint64_t)base + (uint64_t)digit_value((unsigned char)*l->at++);
    return value;
}

/* A decimal with a point or an exponent starts here. */
static bool is_decimal_fraction(const Lexer *l)
{
    const char *s = l->at;

    while (s < l->end && isdigit((unsigned char)*s))
        s++;
    return s < l->end && (*s == '.' || *s == 'e' || *s == 'E');
}

static Token number_token(Lexer *l)
{
    Token t = {.kind = TOKEN_NUMBER, .line = l->line};
    int kind = l->at[0] == '0' && l->at + 1 < l->end ? l->at[1] : 0;

    if (kind == 'x' || kind == 'X' || kind == 'b' || kind == 'B') {
        l->at += 2;
        t.value = digits(l, kind == 'x' || kind == 'X' ? 16 : 2);
    } else if (kind == 'f' || kind == 'F' || kind == 'd' || kind == 'D') {
        l->at += 2;
        t.value = digits(l, 16);
        t.is_float = true;
        t.bits = kind == 'f' || kind == 'F' ? 32 : 64;
    } else if (is_decimal_fraction(l)) {
        double d = double_from_text(l->at, &l->at);

        memcpy(&t.value, &d, sizeof d);
        t.is_float = true;
        t.bits = 64;
    } else {
        t.value = digits(l, kind >= '0' && kind <= '7' ? 8 : 10);
    }
    if (l->at < l->end && (*l->at == 'U' || *l->at == 'u'))
        l->at++;
    return t;
}

/* The byte behind a backslash, or that of three octal digits, as LLVM writes names of files. */
static char escaped_byte(Lexer *l)
{
    int byte = 0, n = 0;

    for (; n < 3 && l->at < l->end && *l->at >= '0' && *l->at <= '7'; n++)
        byte = 8 * byte + *l->at++ - '0';
    return (char)(n > 0 || l->at >= l->end ? byte : *l->at++);
}

static Token string_token(Lexer *l)
{
    Text text = text_new(l->p->scratch);

    text_put(&text, "");
    for (l->at++; l->at < l->end && *l->at != '"' && *l->at != '\n';) {
        char byte = *l->at++;
        if (byte == '\\')
            byte = escaped_byte(l);
        text_putn(&text, &byte, 1);
    }
    Token t = {
        .kind = TOKEN_STRING, .word = intern_n(l->p->names, text.s, text.len), .line = l->line};
    if (l->at >= l->end || *l->at != '"')
        ptx_error(l->p, l->line, "a string does not end");
    l->at++;
    return t;
}

static Token next_token(Lexer *l)
{
    skip_to_token(l);
    if (l->at >= l->end)
        return (Token){.kind = TOKEN_END, .line = l->line};
    int c = (unsigned char)*l->at;
    if (isdigit(c))
        return number_token(l);
    if (is_word_char(c))
        return word_token(l);
    if (c == '"')
        return string_token(l);
    if (!ispunct(c))
        ptx_error(l->p, l->line, "a byte that is no part of PTX: 0x%02x", (unsigned)c);
    l->at++;
    return (Token){.kind = TOKEN_MARK, .mark = (char)c, .line = l->line};
}

const Token *lex_ptx(Parser *p, const char *text, size_t len)
{
    const char *ends = arena_strndup(p->scratch, text, len); /* with a NUL: strtod() wants one */
    Lexer l = {.p = p, .at = ends, .end = ends + len, .line = 1};
    VEC(Token) tokens = {0};

    do
        vec_push(p->scratch, &tokens, next_token(&l));
    while (tokens.at[tokens.len - 1].kind != TOKEN_END);
    return tokens.at;
}
