/*
 * read_symbol.c - symbols in the text form of the IR: what numbers were called
 *
 * Expressions have Python's operators, so they are read letter by letter, by the levels of
 * symbol_ops.h; the tokens of the IR begin again behind them.
 */
#include <ctype.h>
#include <string.h>

#include "read.h"

enum { MOST_NESTED = 4 * SYMBOL_MOST };

typedef struct {
    Reader *r;
    const char *start, *p, *end;
    int depth;
    bool failed; /* which was reported */
} Scan;

static const Symbol *refuse(Scan *s, const char *why)
{
    uint32_t from = (uint32_t)(s->start - s->r->src->text), to = (uint32_t)(s->p - s->start);

    if (!s->failed)
        read_report(s->r, source_span(s->r->src, from, from + to), "%s", why);
    s->failed = true;
    return NULL;
}

static char next(Scan *s)
{
    while (s->p < s->end && (*s->p == ' ' || *s->p == '\t'))
        s->p++;
    return s->p < s->end ? *s->p : '\0';
}

static bool accept(Scan *s, char c)
{
    if (next(s) != c)
        return false;
    s->p++;
    return true;
}

/* The operator or function that these letters are; SYMBOL_NAME: none. */
static SymbolCode find_code(const char *text, size_t n, int operands, bool function)
{
    for (int i = SYMBOL_NUMBER + 1; i < SYMBOL_CODES; i++) {
        const SymbolInfo *info = symbol_info((SymbolCode)i);

        if ((info->level == 0) == function && (function || info->operands == operands) &&
            strlen(info->text) == n && memcmp(info->text, text, n) == 0)
            return (SymbolCode)i;
    }
    return SYMBOL_NAME;
}

/* The longest that begins here; *n are its letters. */
static SymbolCode operator_at(Scan *s, int operands, size_t *n)
{
    next(s);
    for (*n = 2; *n > 0; --*n) {
        SymbolCode op =
            (size_t)(s->end - s->p) >= *n ? find_code(s->p, *n, operands, false) : SYMBOL_NAME;
        if (op != SYMBOL_NAME)
            return op;
    }
    return SYMBOL_NAME;
}

static const Symbol *expression(Scan *s, int level);

static const Symbol *apply(Scan *s, SymbolCode op, const Symbol *x, const Symbol *y)
{
    const Symbol *made = s->failed ? NULL : symbol_apply(s->r->arena, op, x, y);

    return made ? made : refuse(s, "this symbol has no value, or is too large");
}

/* call = NAME `(` symbol [ `,` symbol ] `)` */
static const Symbol *call(Scan *s, SymbolCode op)
{
    const Symbol *x = expression(s, 1), *y = NULL;

    if (symbol_info(op)->operands == 2) {
        if (!accept(s, ','))
            return refuse(s, "expected `,` and another symbol");
        y = expression(s, 1);
    }
    return accept(s, ')') ? apply(s, op, x, y) : refuse(s, "expected `)`");
}

static const Symbol *number(Scan *s, const char *text, size_t n)
{
    SymbolValue v = {.kind = SYMBOL_IS_INT};
    const char *end;

    if (strcspn(text, ".eE") < n) {
        v.kind = SYMBOL_IS_FLOAT;
        v.real = double_from_text(text, &end);
        if (end != text + n)
            return refuse(s, "not a number");
        return symbol_of_number(s->r->arena, v);
    }
    for (size_t i = 0; i < n; i++) {
        if (!isdigit((unsigned char)text[i]) ||
            __builtin_mul_overflow(v.integer, (int64_t)10, &v.integer) ||
            __builtin_add_overflow(v.integer, (int64_t)(text[i] - '0'), &v.integer))
            return refuse(s, "not an integer of 64 bits");
    }
    return symbol_of_number(s->r->arena, v);
}

/* word = `True` | `False` | `inf` | call | NAME */
static const Symbol *word(Scan *s, const char *text, size_t n)
{
    Token t = {.s = text, .len = n};
    bool truth = token_is(&t, "True");
    SymbolCode op = next(s) == '(' ? find_code(text, n, 0, true) : SYMBOL_NAME;

    if (truth || token_is(&t, "False"))
        return symbol_of_number(s->r->arena,
                                (SymbolValue){.kind = SYMBOL_IS_BOOL, .integer = truth});
    if (token_is(&t, "inf"))
        return symbol_of_number(s->r->arena,
                                (SymbolValue){.kind = SYMBOL_IS_FLOAT, .real = __builtin_inf()});
    if (op != SYMBOL_NAME && accept(s, '('))
        return call(s, op);
    const Symbol *c = module_constexpr(s->r->module, read_symbol(s->r, &t));
    return c ? c : refuse(s, "no `constexpr` of that name stands above");
}

/* items = { `[` NUMBER `]` { LETTER } }: how many letters of a name they are, without spaces. */
static size_t items_length(const char *text, const char *end)
{
    const char *p = text;

    while (p < end && *p == '[') {
        const char *digit = p + 1;
        while (digit < end && isdigit((unsigned char)*digit))
            digit++;
        if (digit == p + 1 || digit == end || *digit != ']')
            break;
        for (p = digit + 1; p < end && ir_is_name_char(*p);)
            p++;
    }
    return (size_t)(p - text);
}

/* leaf = `(` symbol `)` | NUMBER | word */
static const Symbol *leaf(Scan *s)
{
    const char *text;

    if (accept(s, '(')) {
        const Symbol *inner = expression(s, 1);
        return accept(s, ')') ? inner : refuse(s, "expected `)`");
    }
    text = s->p;
    bool is_number = s->p < s->end && isdigit((unsigned char)*s->p);
    while (s->p < s->end && ir_is_name_char(*s->p)) {
        bool exponent = is_number && (*s->p == 'e' || *s->p == 'E') && s->end - s->p > 1;
        s->p += exponent && (s->p[1] == '-' || s->p[1] == '+') ? 2 : 1;
    }
    if (!is_number && s->p > text)
        s->p += items_length(s->p, s->end);
    size_t n = (size_t)(s->p - text);
    if (n == 0)
        return refuse(s, "expected a symbol such as BLOCK * 2");
    return is_number ? number(s, text, n) : word(s, text, n);
}

static const Symbol *operand(Scan *s)
{
    size_t n;
    SymbolCode op = operator_at(s, 1, &n);

    if (op == SYMBOL_NAME)
        return leaf(s);
    s->p += n;
    return apply(s, op, expression(s, symbol_info(op)->level), NULL);
}

/* symbol = operands with Python's operators between them, none less tight than `level` */
static const Symbol *expression(Scan *s, int level)
{
    const Symbol *x;
    size_t n;

    if (s->depth == MOST_NESTED)
        return refuse(s, "this symbol is too large");
    s->depth++;
    x = operand(s);
    for (SymbolCode op; !s->failed && (op = operator_at(s, 2, &n)) != SYMBOL_NAME;) {
        if (symbol_info(op)->level < level)
            break;
        s->p += n;
        x = apply(s, op, x, expression(s, symbol_info(op)->level + 1));
    }
    s->depth--;
    return x;
}

/* What begins with the next token; the one behind it is next then. */
static const Symbol *read_expression(Reader *r, const Symbol *(*parse)(Scan *s))
{
    Scan s = {.r = r, .start = r->tok.s, .p = r->tok.s, .end = r->src->text + r->src->len};
    const Symbol *symbol = parse(&s);

    r->at = (uint32_t)(s.p - r->src->text);
    read_next(r);
    return s.failed ? NULL : symbol;
}

bool read_label(Reader *r, const Symbol **out)
{
    bool labelled = read_is_at(r, "(");

    *out = NULL;
    if (r->tok.kind == TOK_NAME) {
        Scan behind = {.p = r->tok.s + r->tok.len, .end = r->src->text + r->src->len};
        behind.p += items_length(behind.p, behind.end);
        labelled = next(&behind) == '=';
    }
    if (!labelled)
        return true;
    *out = read_expression(r, leaf);
    return *out && read_expect(r, "=");
}

bool read_constexprs(Reader *r)
{
    while (r->tok.kind == TOK_NAME && token_is(&r->tok, "constexpr")) {
        const Symbol *value;
        Token name;

        read_next(r);
        name = r->tok;
        if (name.kind == TOK_NAME)
            name.len += items_length(name.s + name.len, r->src->text + r->src->len);
        r->at = (uint32_t)(name.s + name.len - r->src->text);
        read_next(r);
        if (name.kind != TOK_NAME || !read_is_at(r, "="))
            return read_unexpected(r, name.kind != TOK_NAME ? "a name" : "`=`");
        r->at = (uint32_t)(r->tok.s + 1 - r->src->text);
        read_next(r);
        value = read_expression(r, operand);
        if (!value)
            return false;
        if (value->code != SYMBOL_NUMBER)
            return read_error(r, name.span, "a constexpr is a number");
        if (!module_bind(r->module, read_symbol(r, &name), value->value))
            return read_error(r, name.span, "another number has this name");
    }
    return true;
}
