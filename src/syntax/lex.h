/*
 * lex.h - tokens of Python source text, and the logical lines between them
 *
 * The lexer is a small struct that is advanced one token at a time and may be copied to look
 * ahead.  It never fails: what is no token is T_ERROR with a message, and lexing goes on behind it.
 */
#ifndef TILEC_SYNTAX_LEX_H
#define TILEC_SYNTAX_LEX_H

#include "../base/base.h"

/* clang-format off */
/*     kind            how messages call it */
#define TOKENS(T)                                                                       \
    T(END,             "the end of the text")                                           \
    T(NEWLINE,         "the end of the line")                                           \
    T(INDENT,          "an indented line")                                              \
    T(DEDENT,          "the end of the block")                                          \
    T(ERROR,           "an unreadable token")                                           \
    T(FAILED,          "an error")                                                      \
    T(NAME,            "a name")                                                        \
    T(INT,             "an integer")                                                    \
    T(FLOAT,           "a number")                                                      \
    T(STRING,          "a string")                                                      \
    T(LPAREN,  "`(`")  T(RPAREN,  "`)`")                                                \
    T(LSQUARE, "`[`")  T(RSQUARE, "`]`")                                                \
    T(LBRACE,  "`{`")  T(RBRACE,  "`}`")                                                \
    T(COMMA,   "`,`")  T(COLON,   "`:`")  T(SEMICOLON, "`;`") T(DOT,     "`.`")         \
    T(ARROW,   "`->`") T(WALRUS,  "`:=`") T(ELLIPSIS, "`...`") T(BANG,   "`!`")         \
    T(PLUS,    "`+`")  T(MINUS,   "`-`")  T(STAR,     "`*`")  T(POWER,   "`**`")        \
    T(SLASH,   "`/`")  T(FLOOR,   "`//`") T(PERCENT,  "`%`")  T(AT,      "`@`")         \
    T(SHL,     "`<<`") T(SHR,     "`>>`") T(AMP,      "`&`")  T(BAR,     "`|`")         \
    T(CARET,   "`^`")  T(TILDE,   "`~`")                                                \
    T(EQ,      "`==`") T(NE,      "`!=`") T(LT,       "`<`")  T(LE,      "`<=`")        \
    T(GT,      "`>`")  T(GE,      "`>=`") T(ASSIGN,   "`=`")                            \
    T(PLUS_EQ,  "`+=`") T(MINUS_EQ, "`-=`")  T(STAR_EQ,    "`*=`") T(POWER_EQ, "`**=`") \
    T(SLASH_EQ, "`/=`") T(FLOOR_EQ, "`//=`") T(PERCENT_EQ, "`%=`") T(AT_EQ,    "`@=`")  \
    T(SHL_EQ,  "`<<=`") T(SHR_EQ,  "`>>=`")  T(AMP_EQ,     "`&=`") T(BAR_EQ,   "`|=`")  \
    T(CARET_EQ, "`^=`")
/* sorted, for the search in lex.c */
#define KEYWORDS(K) \
    K(False) K(None) K(True) K(and) K(as) K(assert) K(async) K(await) K(break) K(class) \
    K(continue) K(def) K(del) K(elif) K(else) K(except) K(finally) K(for) K(from)       \
    K(global) K(if) K(import) K(in) K(is) K(lambda) K(nonlocal) K(not) K(or) K(pass)    \
    K(raise) K(return) K(try) K(while) K(with) K(yield)
/* clang-format on */

typedef enum {
#define TOKEN_ID(id, text) T_##id,
#define KEYWORD_ID(word) T_##word,
    TOKENS(TOKEN_ID) KEYWORDS(KEYWORD_ID)
#undef TOKEN_ID
#undef KEYWORD_ID
        T_COUNT
} TokenKind;

/* Prefix letters of a string literal. */
typedef enum { STR_RAW = 1, STR_BYTES = 2, STR_FORMAT = 4 } StringFlags;

typedef struct {
    TokenKind kind;
    Span span;
    Sym name;            /* T_NAME */
    const char *message; /* T_ERROR */
    uint8_t string;      /* T_STRING: StringFlags */
    uint8_t prefix;      /* T_STRING: letters before the quote */
    uint8_t quotes;      /* T_STRING: 1 or 3 */
} Token;

enum { LEX_MAX_INDENT = 100 };

typedef struct {
    Interner *interner;
    const Source *source;
    const char *text;  /* of `source` */
    uint32_t pos, end; /* indices into it; those in tokens are places in the map of sources */
    int brackets;      /* open ones; inside them ends of lines mean nothing */
    bool inside;       /* ends of lines never mean anything */
    bool line_start;   /* the next token is the first of a logical line */
    bool line_open;    /* a token of this logical line was given */
    bool unclosed;     /* the last logical line ended with brackets open */
    int dedents;       /* T_DEDENT still to be given */
    int indents[LEX_MAX_INDENT], nindents;
    int line_indent; /* of the current logical line */
} Lexer;

/* lex.c */
/* Lex a part of a text.  The column that it starts at is the outermost indentation. */
void lex_init(Lexer *lx, Interner *interner, const Source *src, Span where);
/* The same for text in which ends of lines mean nothing, as if inside brackets. */
void lex_init_inside(Lexer *lx, Interner *interner, const Source *src, Span where);
/* Give the next token and go behind it; T_END for good at the end, behind T_NEWLINE and the
 * T_DEDENT of open blocks. */
Token lex_next(Lexer *lx);
/* After an error at `from`, go to the first line behind it that is indented by at most `indent`,
 * an indentation still open; deeper ones are closed without T_DEDENT. */
void lex_recover(Lexer *lx, uint32_t from, int indent);
const char *token_text(TokenKind kind); /* as messages call it, column two of TOKENS */

/* lines.c: text by lines, for what is not worth tokens; numbers are indices into the text. */
typedef struct {
    uint32_t start; /* its first character that is no white space */
    uint32_t end;   /* behind its last character: the newline, or the end of the text */
    int indent;     /* columns; tabs go to multiples of 8 */
} Line;
/* The next logical line at or behind `pos`; blank lines and comments are passed over. */
bool line_next(const char *text, uint32_t pos, uint32_t end, Line *out);
/* The next comment behind the beginning of a line, `pos`, that is alone in its line, be it inside
 * of brackets; none in texts.  It starts at its `#`. */
bool comment_next(const char *text, uint32_t pos, uint32_t end, Line *out);
/* Indentation of the line at `pos`, which moves to the first character that is no white space. */
int line_indent(const char *text, uint32_t *pos, uint32_t end);
/* Inside brackets, a line that starts at `pos` with a word that only starts statements (or with a
 * decorator indented by at most `indent`) tells that a bracket was never closed. */
bool line_breaks_brackets(const char *text, uint32_t pos, uint32_t end, int indent);
/* The end of the string whose first quote is at `pos`; *closed tells whether it has one. */
uint32_t string_end(const char *text, uint32_t pos, uint32_t end, bool format, bool *closed);
/* The `}` that closes the format specification of an f-string which goes on at `pos`; `end` when
 * there is none. */
uint32_t format_spec_end(const char *text, uint32_t pos, uint32_t end);

/* literal.c: the values of tokens. */
bool literal_int(const char *s, uint32_t n, __int128 *out); /* false: 2^127 or more */
/* Of n digits, underscores among them; too large is inf. */
double literal_float(Arena *a, const char *s, uint32_t n);
/* Text between the quotes with escapes replaced; in an f-string also {{ and }}. */
const char *literal_string(Arena *a, const char *s, uint32_t n, int flags, size_t *nout);

static inline bool is_newline(char c)
{
    return c == '\n' || c == '\r';
}
static inline bool is_name_start(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (c & 0x80);
}
static inline bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}
static inline bool is_name_char(char c)
{
    return is_name_start(c) || is_digit(c);
}
/* The bytes of the name that `s` begins with; 0: it begins with none. */
static inline size_t name_length(const char *s)
{
    size_t n = 0;

    while (!is_digit(*s) && is_name_char(s[n]))
        n++;
    return n;
}

#endif
