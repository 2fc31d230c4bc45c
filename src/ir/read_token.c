/*
 * read_token.c - the tokens of the text form of the IR, and what stands in them
 */
#include <ctype.h>
#include <string.h>

#include "read.h"

void read_report(Reader *r, Span span, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    diag_v(r->diags, DIAG_ERROR, span, fmt, ap);
    va_end(ap);
}

/* --- tokens --- */

static char peek(const Reader *r, uint32_t ahead)
{
    return (size_t)r->at + ahead < r->src->len ? r->src->text[r->at + ahead] : '\0';
}

/* Gives true when a new line was begun. */
static bool skip_blanks(Reader *r)
{
    bool line = r->at == 0;

    for (; r->at < r->src->len; r->at++) {
        char c = peek(r, 0);

        if (c == '#') {
            while (r->at < r->src->len && peek(r, 0) != '\n')
                r->at++;
            c = peek(r, 0);
        }
        line |= c == '\n';
        if (c != ' ' && c != '\t' && c != '\r' && c != '\n')
            break;
    }
    return line;
}

/* A number goes on over the sign of an exponent: 1.5e-3. */
static void scan_number(Reader *r)
{
    bool hex = peek(r, 0) == '0' && peek(r, 1) == 'x';

    for (r->at++; ir_is_name_char(peek(r, 0)); r->at++) {
        bool exponent = !hex && (peek(r, 0) == 'e' || peek(r, 0) == 'E');

        if (exponent && (peek(r, 1) == '-' || peek(r, 1) == '+'))
            r->at++;
    }
}

/* A text goes on to its quote, but not over the end of the line. */
static void scan_text(Reader *r)
{
    for (r->at++; peek(r, 0) != '"' && peek(r, 0) != '\n' && r->at < r->src->len; r->at++)
        r->at += peek(r, 0) == '\\' && peek(r, 1) != '\n';
    r->at += peek(r, 0) == '"';
}

void read_next(Reader *r)
{
    bool line = skip_blanks(r);
    uint32_t start = r->at;
    char c = peek(r, 0);
    bool named = c == '%' || c == '@';
    TokenKind kind = TOK_PUNCT;

    if (r->at >= r->src->len) {
        kind = TOK_END;
    } else if (isdigit((unsigned char)c) || (c == '-' && peek(r, 1) != '>')) {
        kind = TOK_NUMBER;
        scan_number(r);
    } else if (named || ir_is_name_char(c)) {
        kind = c == '%' ? TOK_VALUE : c == '@' ? TOK_SYMBOL : TOK_NAME;
        for (r->at++; ir_is_name_char(peek(r, 0)); r->at++)
            continue;
    } else if (c == '"') {
        kind = TOK_TEXT;
        scan_text(r);
    } else {
        r->at += c == '-' ? 2 : 1;
    }
    uint32_t skip = named ? 1 : 0;
    r->tok = (Token){kind, r->src->text + start + skip, r->at - start - skip,
                     source_span(r->src, start, r->at), line};
}

bool token_is(const Token *t, const char *s)
{
    return strlen(s) == t->len && memcmp(t->s, s, t->len) == 0;
}

bool read_is_at(const Reader *r, const char *s)
{
    return r->tok.kind == TOK_PUNCT && token_is(&r->tok, s);
}

bool read_accept(Reader *r, const char *punct)
{
    if (!read_is_at(r, punct))
        return false;
    read_next(r);
    return true;
}

bool read_unexpected(Reader *r, const char *want)
{
    if (r->tok.kind == TOK_END)
        return read_error(r, r->tok.span, "expected %s, found the end", want);
    return read_error(r, r->tok.span, "expected %s", want);
}

bool read_expect(Reader *r, const char *punct)
{
    return read_accept(r, punct) || read_unexpected(r, arena_printf(r->arena, "`%s`", punct));
}

bool read_expect_kind(Reader *r, TokenKind kind, const char *want, Token *out)
{
    *out = r->tok;
    if (r->tok.kind != kind || r->tok.len == 0)
        return read_unexpected(r, want);
    read_next(r);
    return true;
}

Sym read_symbol(const Reader *r, const Token *t)
{
    return intern_n(r->module->interner, t->s, t->len);
}

/* --- numbers --- */

/* decimal or 0x: the magnitude, and whether a minus stands in front */
bool token_magnitude(const Token *t, bool *negative, uint64_t *out)
{
    const char *p = t->s, *end = t->s + t->len;
    unsigned base = 10;

    *negative = p < end && *p == '-';
    p += *negative;
    if (end - p > 2 && p[0] == '0' && p[1] == 'x') {
        base = 16;
        p += 2;
    }
    *out = 0;
    if (p == end)
        return false;
    for (; p < end; p++) {
        unsigned digit = isdigit((unsigned char)*p) ? (unsigned)(*p - '0')
                         : *p >= 'a' && *p <= 'f'   ? (unsigned)(*p - 'a') + 10
                                                    : 99;
        if (digit >= base || __builtin_mul_overflow(*out, (uint64_t)base, out) ||
            __builtin_add_overflow(*out, (uint64_t)digit, out))
            return false;
    }
    return true;
}

bool read_int(Reader *r, int64_t least, int64_t most, int64_t *out)
{
    uint64_t magnitude;
    bool negative;
    Token t;

    if (!read_expect_kind(r, TOK_NUMBER, "an integer", &t))
        return false;
    if (!token_magnitude(&t, &negative, &magnitude) ||
        magnitude > (uint64_t)INT64_MAX + (negative ? 1 : 0))
        return read_error(r, t.span, "not an integer of 64 bits");
    *out = (int64_t)(negative ? -magnitude : magnitude);
    if (*out < least || *out > most)
        return read_error(r, t.span, "must be between %lld and %lld", (long long)least,
                          (long long)most);
    return true;
}
