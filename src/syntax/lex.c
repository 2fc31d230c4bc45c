/*
 * lex.c - Python tokens
 *
 * lex_next() gives one token at a time, with T_NEWLINE at the end of a logical line and T_INDENT
 * and T_DEDENT where indentation changes, as the Python reference describes them.  A bracket that
 * is never closed does not swallow the rest of the file: a line that can only begin a statement
 * (see line_breaks_brackets) ends it.  Indentation that matches no open block is T_ERROR and
 * leaves the open blocks as they are, so lex_recover() finds the parser's own state again.
 */
#include <string.h>

#include "lex.h"
#include "messages.h"

static char char_at(const Lexer *lx, uint32_t ahead)
{
    return lx->pos + ahead < lx->end ? lx->text[lx->pos + ahead] : '\0';
}

static Token make_token(Lexer *lx, TokenKind kind, uint32_t start)
{
    return (Token){.kind = kind, .span = source_span(lx->source, start, lx->pos)};
}

static Token error(Lexer *lx, uint32_t start, const char *message)
{
    return (Token){
        .kind = T_ERROR, .span = source_span(lx->source, start, lx->pos), .message = message};
}

static void begin_lexing(Lexer *lx, Interner *interner, const Source *src, Span where)
{
    *lx = (Lexer){.interner = interner, .source = src, .text = src->text, .nindents = 1};
    lx->pos = where.start - src->base;
    lx->end = where.end - src->base;
}

void lex_init(Lexer *lx, Interner *interner, const Source *src, Span where)
{
    begin_lexing(lx, interner, src, where);
    uint32_t line = lx->pos;

    while (line > 0 && !is_newline(lx->text[line - 1]))
        line--;
    lx->indents[0] = line_indent(lx->text, &line, lx->pos);
    lx->line_indent = lx->indents[0];
}

void lex_init_inside(Lexer *lx, Interner *interner, const Source *src, Span where)
{
    begin_lexing(lx, interner, src, where);
    lx->inside = true;
    lx->brackets = 1;
}

/* --- names and keywords --- */

static const struct {
    const char *text;
    TokenKind kind;
} keywords[] = {
#define KEYWORD_ROW(word) {#word, T_##word},
    KEYWORDS(KEYWORD_ROW)
#undef KEYWORD_ROW
};

static TokenKind keyword_of(const char *s, uint32_t n)
{
    int low = 0, high = COUNT(keywords) - 1;

    if (n < 2 || n > 8)
        return T_NAME;
    while (low <= high) {
        int middle = (low + high) / 2;
        const char *word = keywords[middle].text;
        int order = strncmp(s, word, n);

        if (order == 0 && word[n] == '\0')
            return keywords[middle].kind;
        if (order <= 0)
            high = middle - 1;
        else
            low = middle + 1;
    }
    return T_NAME;
}

static Token lex_name(Lexer *lx)
{
    uint32_t start = lx->pos;
    Token t;

    while (is_name_char(char_at(lx, 0)))
        lx->pos++;
    t = make_token(lx, keyword_of(lx->text + start, lx->pos - start), start);
    if (t.kind == T_NAME)
        t.name = intern_n(lx->interner, lx->text + start, lx->pos - start);
    return t;
}

/* --- numbers --- */

static bool is_digit_of(char c, int base)
{
    if (c >= 'a' && c <= 'f')
        c = (char)(c - 'a' + 'A');
    return c >= 'A' && c <= 'F' ? base == 16 : is_digit(c) && c - '0' < base;
}

/* digit ('_'? digit)*; false when an underscore is not between digits. */
static bool skip_digits(Lexer *lx, int base)
{
    bool last_is_digit = true;

    for (;; lx->pos++) {
        char c = char_at(lx, 0);

        if (c == '_' && last_is_digit)
            last_is_digit = false;
        else if (is_digit_of(c, base))
            last_is_digit = true;
        else
            return last_is_digit && c != '_';
    }
}

static int number_base(const Lexer *lx)
{
    if (char_at(lx, 0) != '0')
        return 10;
    switch (char_at(lx, 1)) {
    case 'x':
    case 'X':
        return 16;
    case 'o':
    case 'O':
        return 8;
    case 'b':
    case 'B':
        return 2;
    default:
        return 10;
    }
}

/* digits ['.' digits] [('e' | 'E') ['+' | '-'] digits]; sets *is_float. */
static bool skip_decimal(Lexer *lx, bool *is_float)
{
    bool good = true;
    uint32_t sign;

    if (is_digit(char_at(lx, 0)))
        good = skip_digits(lx, 10);
    if (char_at(lx, 0) == '.') {
        *is_float = true;
        lx->pos++;
        if (is_digit(char_at(lx, 0)))
            good &= skip_digits(lx, 10);
    }
    if (char_at(lx, 0) != 'e' && char_at(lx, 0) != 'E')
        return good;
    sign = char_at(lx, 1) == '+' || char_at(lx, 1) == '-';
    if (!is_digit(char_at(lx, 1 + sign)))
        return good; /* `1else`; the caller looks at what follows */
    *is_float = true;
    lx->pos += 1 + sign;
    return skip_digits(lx, 10) && good;
}

/* Python still reads `0 if x else 1` without the blank behind the number. */
static bool keyword_follows(const Lexer *lx)
{
    uint32_t n = 0;

    while (is_name_char(char_at(lx, n)))
        n++;
    switch (keyword_of(lx->text + lx->pos, n)) {
    case T_and:
    case T_else:
    case T_for:
    case T_if:
    case T_in:
    case T_is:
    case T_not:
    case T_or:
        return true;
    default:
        return false;
    }
}

static Token bad_number(Lexer *lx, uint32_t start, const char *message)
{
    while (is_name_char(char_at(lx, 0)))
        lx->pos++;
    return error(lx, start, message);
}

/* Of letters behind digits: what a suffix of C is there, a unit, or a factor. */
static const char *number_problem(const Lexer *lx, int base)
{
    uint32_t n = 0;

    while (is_name_char(char_at(lx, n)))
        n++;
    const char *text = lx->text + lx->pos;
    if (n == 1 && base == 10 && strchr("fF", *text))
        return E_NUMBER_FLOAT;
    if (n > 0 && strspn(text, "uUlL") >= n)
        return E_NUMBER_INT;
    if (n == 1 && base == 10 && strchr("kKMGT", *text))
        return E_NUMBER_UNIT;
    if (n == 1 && base == 10 && strchr("ij", *text))
        return E_NUMBER_COMPLEX;
    if (strncmp(text, "\xe2\x88\x92", 3) == 0 || strncmp(text, "\xe2\x80\x93", 3) == 0)
        return E_NUMBER_MINUS;
    return base == 10 && is_name_start(*text) && !strchr("eExX", *text) ? E_NUMBER_NAME : E_NUMBER;
}

static Token lex_number(Lexer *lx)
{
    uint32_t start = lx->pos;
    int base = number_base(lx);
    bool is_float = false, good;

    if (base == 10) {
        good = skip_decimal(lx, &is_float);
    } else {
        lx->pos += 2;
        lx->pos += char_at(lx, 0) == '_';
        good = is_digit_of(char_at(lx, 0), base) && skip_digits(lx, base);
    }
    if (base == 10 && (char_at(lx, 0) == 'j' || char_at(lx, 0) == 'J') &&
        !is_name_char(char_at(lx, 1)))
        return bad_number(lx, start, E_IMAGINARY);
    if (!good)
        return bad_number(lx, start, E_NUMBER);
    if (is_name_char(char_at(lx, 0)) && !keyword_follows(lx))
        return bad_number(lx, start, number_problem(lx, base));
    if (!is_float && base == 10 && lx->text[start] == '0')
        for (uint32_t i = start; i < lx->pos; i++) {
            if (lx->text[i] != '0' && lx->text[i] != '_')
                return bad_number(lx, start, E_LEADING_ZERO);
        }
    return make_token(lx, is_float ? T_FLOAT : T_INT, start);
}

/* --- strings --- */

/* The flags of a string prefix of n letters; false when they are none. */
static bool string_prefix(const char *s, uint32_t n, uint8_t *flags)
{
    char lower[2] = {0};

    *flags = 0;
    if (n > 2)
        return false;
    for (uint32_t i = 0; i < n; i++) {
        lower[i] = (char)(s[i] | 0x20);
        *flags |= lower[i] == 'r' ? STR_RAW : lower[i] == 'b' ? STR_BYTES : 0;
        *flags |= lower[i] == 'f' ? STR_FORMAT : 0;
    }
    if (n == 1)
        return *flags != 0 || lower[0] == 'u';
    return n == 0 || (*flags & STR_RAW && *flags != STR_RAW);
}

/* Letters in front of a quote at the current position; false when this is no string. */
static bool string_starts(const Lexer *lx, uint32_t *prefix, uint8_t *flags)
{
    uint32_t n = 0;

    while (n < 3 && is_name_start(char_at(lx, n)))
        n++;
    *prefix = n;
    return (char_at(lx, n) == '"' || char_at(lx, n) == '\'') &&
           string_prefix(lx->text + lx->pos, n, flags);
}

/* Does a value end right in front of this quote, as in MATLAB's x'? */
static bool is_behind_value(const Lexer *lx, uint32_t quote)
{
    char before = quote > 0 ? lx->text[quote - 1] : ' ';

    return lx->text[quote] == '\'' &&
           (is_name_char(before) || before == ')' || before == ']' || before == '.');
}

static Token lex_string(Lexer *lx, uint32_t prefix, uint8_t flags)
{
    uint32_t start = lx->pos, quote = start + prefix;
    bool triple = char_at(lx, prefix) == char_at(lx, prefix + 1) &&
                  char_at(lx, prefix) == char_at(lx, prefix + 2);
    bool closed;
    Token t;

    lx->pos = string_end(lx->text, quote, lx->end, flags & STR_FORMAT, &closed);
    if (!closed) {
        bool transposes = prefix == 0 && is_behind_value(lx, start);
        t = error(lx, start,
                  triple       ? E_TRIPLE_STRING_END
                  : transposes ? E_STRING_TRANSPOSE
                               : E_STRING_END);
        t.span.end = lx->source->base + quote + (triple ? 3 : 1);
        return t;
    }
    t = make_token(lx, T_STRING, start);
    t.string = flags;
    t.prefix = (uint8_t)prefix;
    t.quotes = triple ? 3 : 1;
    return t;
}

/* Operators: what a character means alone, before '=', doubled, and doubled before '='. */

static const struct {
    uint8_t alone, assign, doubled, doubled_assign;
} operators[128] = {
    /* clang-format off */
    ['('] = {T_LPAREN},  [')'] = {T_RPAREN},
    ['['] = {T_LSQUARE}, [']'] = {T_RSQUARE},
    ['{'] = {T_LBRACE},  ['}'] = {T_RBRACE},
    [','] = {T_COMMA},   [';'] = {T_SEMICOLON}, ['.'] = {T_DOT}, ['~'] = {T_TILDE},
    [':'] = {T_COLON,   T_WALRUS},
    ['!'] = {T_BANG,    T_NE},
    ['='] = {T_ASSIGN,  T_EQ},
    ['+'] = {T_PLUS,    T_PLUS_EQ},
    ['-'] = {T_MINUS,   T_MINUS_EQ},
    ['%'] = {T_PERCENT, T_PERCENT_EQ},
    ['@'] = {T_AT,      T_AT_EQ},
    ['&'] = {T_AMP,     T_AMP_EQ},
    ['|'] = {T_BAR,     T_BAR_EQ},
    ['^'] = {T_CARET,   T_CARET_EQ},
    ['*'] = {T_STAR,    T_STAR_EQ,  T_POWER, T_POWER_EQ},
    ['/'] = {T_SLASH,   T_SLASH_EQ, T_FLOOR, T_FLOOR_EQ},
    ['<'] = {T_LT,      T_LE,       T_SHL,   T_SHL_EQ},
    ['>'] = {T_GT,      T_GE,       T_SHR,   T_SHR_EQ},
    /* clang-format on */
};

static TokenKind operator_of(Lexer *lx)
{
    unsigned char c = (unsigned char)char_at(lx, 0);
    char next = char_at(lx, 1);

    if (c == '-' && next == '>') {
        lx->pos += 2;
        return T_ARROW;
    }
    if (c == '.' && next == '.' && char_at(lx, 2) == '.') {
        lx->pos += 3;
        return T_ELLIPSIS;
    }
    lx->pos++;
    if (c >= 128 || operators[c].alone == 0)
        return T_ERROR;
    if (operators[c].doubled && next == (char)c) {
        lx->pos++;
        if (char_at(lx, 0) != '=')
            return operators[c].doubled;
        lx->pos++;
        return operators[c].doubled_assign;
    }
    if (operators[c].assign && next == '=') {
        lx->pos++;
        return operators[c].assign;
    }
    return operators[c].alone;
}

static Token lex_operator(Lexer *lx)
{
    uint32_t start = lx->pos;
    TokenKind kind = operator_of(lx);

    if (kind == T_ERROR)
        return error(lx, start,
                     lx->text[start] == '\\'  ? E_BACKSLASH
                     : lx->text[start] == '?' ? E_QUESTION
                                              : E_CHARACTER);
    if (kind == T_LPAREN || kind == T_LSQUARE || kind == T_LBRACE)
        lx->brackets++;
    if (kind == T_RPAREN || kind == T_RSQUARE || kind == T_RBRACE)
        lx->brackets -= lx->brackets > lx->inside;
    return make_token(lx, kind, start);
}

/* --- lines --- */

static void skip_newline(Lexer *lx)
{
    lx->pos += char_at(lx, 0) == '\r' && char_at(lx, 1) == '\n' ? 2 : 1;
}

static void skip_comment(Lexer *lx)
{
    while (lx->pos < lx->end && !is_newline(lx->text[lx->pos]))
        lx->pos++;
}

/* To the next token on this logical line.  True when an open bracket turns out never to be closed:
 * the logical line ends here. */
static bool skip_space(Lexer *lx)
{
    for (;;) {
        char c = char_at(lx, 0);

        if (c == ' ' || c == '\t' || c == '\f') {
            lx->pos++;
        } else if (c == '#') {
            skip_comment(lx);
        } else if (c == '\\' && is_newline(char_at(lx, 1))) {
            lx->pos++;
            skip_newline(lx);
        } else if (is_newline(c) && lx->brackets > 0) {
            skip_newline(lx);
            if (!lx->inside && line_breaks_brackets(lx->text, lx->pos, lx->end, lx->line_indent))
                return true;
        } else {
            return false;
        }
    }
}

static Token end_line(Lexer *lx, uint32_t start)
{
    lx->line_start = true;
    lx->line_open = false;
    lx->unclosed = lx->brackets > 0;
    lx->brackets = 0;
    return make_token(lx, T_NEWLINE, start);
}

/* Close blocks that are indented by more than `indent`: gives how many there were. */
static int close_blocks(Lexer *lx, int indent)
{
    int n = 0;

    while (lx->nindents > 1 && lx->indents[lx->nindents - 1] > indent) {
        lx->nindents--;
        n++;
    }
    return n;
}

/* Compare the indentation of a new logical line with the open blocks.  Gives T_INDENT, T_DEDENT,
 * T_ERROR, or T_NEWLINE when the line goes on in the same block. */
static Token indentation(Lexer *lx, uint32_t start, int indent)
{
    int top = lx->indents[lx->nindents - 1];

    lx->line_indent = indent;
    if (indent == top)
        return make_token(lx, T_NEWLINE, start);
    if (indent > top && lx->nindents == LEX_MAX_INDENT)
        return error(lx, start, E_BLOCKS_DEEP);
    if (indent > top) {
        lx->indents[lx->nindents++] = indent;
        return make_token(lx, T_INDENT, lx->pos);
    }
    for (int i = lx->nindents - 1; i >= 0 && lx->indents[i] != indent; i--) {
        if (lx->indents[i] < indent)
            return error(lx, start, E_DEDENT);
    }
    lx->dedents = close_blocks(lx, indent) - 1;
    return make_token(lx, lx->dedents < 0 ? T_NEWLINE : T_DEDENT, lx->pos);
}

/* Go over blank lines and comments to the first token of a line. */
static Token begin_line(Lexer *lx)
{
    lx->line_start = false;
    for (;;) {
        uint32_t start = lx->pos;
        int indent = line_indent(lx->text, &lx->pos, lx->end);

        if (lx->pos >= lx->end) {
            lx->dedents = close_blocks(lx, lx->indents[0]) - 1;
            return make_token(lx, lx->dedents < 0 ? T_NEWLINE : T_DEDENT, lx->pos);
        }
        if (char_at(lx, 0) == '#')
            skip_comment(lx);
        else if (!is_newline(char_at(lx, 0)))
            return indentation(lx, start, indent);
        if (lx->pos < lx->end)
            skip_newline(lx);
    }
}

Token lex_next(Lexer *lx)
{
    uint32_t prefix;
    uint8_t flags;
    char c;

    if (lx->dedents > 0) {
        lx->dedents--;
        return make_token(lx, T_DEDENT, lx->pos);
    }
    if (lx->line_start) {
        Token t = begin_line(lx);

        if (t.kind != T_NEWLINE)
            return t;
    }
    if (skip_space(lx))
        return end_line(lx, lx->pos);
    if (lx->pos >= lx->end)
        return lx->line_open && !lx->inside ? end_line(lx, lx->pos)
                                            : make_token(lx, T_END, lx->pos);
    lx->line_open = true;
    c = char_at(lx, 0);
    if (is_newline(c)) {
        uint32_t start = lx->pos;

        skip_newline(lx);
        return end_line(lx, start);
    }
    if (is_digit(c) || (c == '.' && is_digit(char_at(lx, 1))))
        return lex_number(lx);
    if (!is_name_start(c) && c != '"' && c != '\'')
        return lex_operator(lx);
    return string_starts(lx, &prefix, &flags) ? lex_string(lx, prefix, flags) : lex_name(lx);
}

void lex_recover(Lexer *lx, uint32_t from, int indent)
{
    bool closed;

    lx->pos = from - lx->source->base;
    lx->dedents = 0;
    close_blocks(lx, indent);
    while (lx->pos < lx->end) {
        char c = char_at(lx, 0);
        uint32_t line;

        if (c == '#') {
            skip_comment(lx);
        } else if (c == '"' || c == '\'') {
            lx->pos = string_end(lx->text, lx->pos, lx->end, false, &closed);
        } else if (!is_newline(c)) {
            lx->pos++;
        } else {
            skip_newline(lx);
            line = lx->pos;
            if (line_indent(lx->text, &line, lx->end) <= indent && line < lx->end &&
                !strchr("#\r\n)]}", lx->text[line]))
                break;
        }
    }
    end_line(lx, lx->pos);
}

const char *token_text(TokenKind kind)
{
    static const char *const texts[] = {
#define TOKEN_TEXT(id, text) text,
#define KEYWORD_TEXT(word) "`" #word "`",
        TOKENS(TOKEN_TEXT) KEYWORDS(KEYWORD_TEXT)
#undef TOKEN_TEXT
#undef KEYWORD_TEXT
    };

    return texts[kind];
}
