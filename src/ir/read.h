/*
 * read.h - what the read*.c files share; nothing else includes it
 *
 * read_token.c cuts the text into tokens, read_attr.c reads attributes and constants,
 * read_symbol.c symbols, read.c all else.  Every function that reads gives false after an error,
 * with the diagnostic made.
 */
#ifndef TILEC_IR_READ_H
#define TILEC_IR_READ_H

#include "ir.h"

typedef enum {
    TOK_END,
    TOK_NAME,
    TOK_NUMBER,
    TOK_VALUE,
    TOK_SYMBOL,
    TOK_TEXT,
    TOK_PUNCT
} TokenKind;

/* The text of `%x` and `@x` goes without its first character; that of "x" as it stands. */
typedef struct {
    TokenKind kind;
    const char *s;
    size_t len;
    Span span;
    bool starts_line;
} Token;

enum { MAX_LIST = 10000 }; /* of operands, results and the like */

/* A call whose function may come later in the text. */
typedef struct {
    Op *op;
    Token name;
} Call;

typedef struct {
    Arena *arena;
    Module *module;
    const Source *src;
    Diags *diags;
    Token tok; /* the next one */
    uint32_t at;
    Map *values; /* of the function being read: Sym to Value* */
    Map *funcs;  /* Sym to Func* */
    VEC(Call) calls;
    int nesting;
} Reader;

typedef VEC(Token) Tokens;
typedef struct {
    const Type **at;
    int len, cap;
    VEC(const Symbol *const *) extents; /* of each; NULL: none has a symbol */
} Types;
typedef VEC(Value *) Values;

/* --- read_token.c --- */

/* An error at a place of the text; reading goes on as the caller decides. */
void read_report(Reader *r, Span span, const char *fmt, ...) PRINTF(3, 4);
/* Say what is wrong; false, which a macro lets whoever reads the caller see. */
#define read_error(r, ...) (read_report(r, __VA_ARGS__), false)
void read_next(Reader *r);                           /* the next token becomes r->tok */
bool token_is(const Token *t, const char *s);        /* a name of these letters */
bool read_is_at(const Reader *r, const char *punct); /* is it the next token? */
bool read_accept(Reader *r, const char *punct);      /* over it, if it is there */
bool read_expect(Reader *r, const char *punct);      /* the same, or an error */
bool read_unexpected(Reader *r, const char *want);   /* an error about the next token */
/* A token of that kind, which the message calls `want`. */
bool read_expect_kind(Reader *r, TokenKind kind, const char *want, Token *out);
Sym read_symbol(const Reader *r, const Token *t); /* its text, interned */
/* Decimal or 0x: the magnitude, and whether a minus stands in front; false: it is no integer. */
bool token_magnitude(const Token *t, bool *negative, uint64_t *out);
/* An integer from `least` to `most`, which the next token must be; false: that was reported. */
bool read_int(Reader *r, int64_t least, int64_t most, int64_t *out);

/* --- read_attr.c --- */

enum { MAX_ATTRS = MAX_OP_ATTRS + MAX_RANK };
typedef struct {
    int64_t at[MAX_ATTRS];
    int n;
    unsigned given; /* bit i: word i of the row was there */
} Attrs;
/* attributes = { attribute }, on the line of the op; those left out are 0. */
bool read_attrs(Reader *r, OpCode code, const Token *op, Attrs *out);
/* The bits of a constant's literal become its attribute. */
bool read_constant(Reader *r, const Token *literal, const Types *types, Attrs *attrs);

/* --- read_symbol.c --- */

/* label = ( NAME | `(` symbol `)` ) `=`, in front of a number; *out is NULL where there is none. */
bool read_label(Reader *r, const Symbol **out);
/* constexprs = { `constexpr` NAME `=` number }; names may be used from there on. */
bool read_constexprs(Reader *r);

#endif
