/*
 * parse.h - what the files of the parser share
 *
 * The parser is recursive descent with one token in hand.  After an error that token is T_FAILED,
 * which no production accepts, so everything returns without further tests; statement lists then
 * go on at the next line (see parse_stmt.c).  Productions never return NULL unless they say so.
 */
#ifndef TILEC_SYNTAX_PARSE_H
#define TILEC_SYNTAX_PARSE_H

#include "ast.h"
#include "lex.h"

/* Nested brackets, operators and blocks; each level takes a few C frames. */
enum { PARSE_MAX_DEPTH = 200, PARSE_MAX_BRANCHES = 900, PARSE_MAX_ERRORS = 20 };

typedef struct {
    Arena *arena;
    Interner *interner;
    Lexer lex;
    Token tok;         /* the next token */
    uint32_t last_end; /* end of the token before it */
    uint32_t error_at; /* where recovery starts when tok is T_FAILED */
    uint32_t loop;     /* where the `for` begins whose header is parsed; 0: none */
    int depth;
    VEC(Node *) list;   /* lists that are being parsed, innermost last */
    VEC(Span) openings; /* brackets that are open, innermost last */
    VEC(AstError) errors;
} Parser;

/* parse.c */
/* Over a part of a text; p->tok is its first token. */
void parser_init(Parser *p, Arena *a, Interner *interner, const Source *src, Span where);
/* All of a text, in which ends of lines mean nothing. */
void parser_init_inside(Parser *p, Arena *a, Interner *interner, const Source *src);
/* Keep the error for AstFunc.errors and drop the token in hand: T_FAILED.  Until the parser
 * recovers, further errors are consequences and are not kept; nor are more than
 * PARSE_MAX_ERRORS. */
void parse_error(Parser *p, Span where, const char *fmt, ...) PRINTF(3, 4);
/* The same where the text can be understood all the same: parsing goes on. */
void parse_complaint(Parser *p, Span where, const char *fmt, ...) PRINTF(3, 4);
void parse_unexpected(Parser *p, const char *wanted); /* "expected WANTED, found ...", or better */
const char *
parse_advice(const Parser *p); /* "; Python writes ..." about the token in hand, or "" */
/* Take the token in hand, whatever it is, and read the next.  T_FAILED stays. */
void advance(Parser *p);
bool accept(Parser *p, TokenKind kind);                  /* take it if it is that */
const char *parse_text(const Parser *p, uint32_t place); /* what stands there */
void expect(Parser *p, TokenKind kind);         /* take it, or an error that says what was wanted */
void expect_closing(Parser *p, TokenKind kind); /* a bracket, behind a list */
Sym expect_name(Parser *p);                     /* "" and an error where there is no name */
/* One level deeper; every call, also one that gives false, needs parse_leave(). */
bool parse_enter(Parser *p);
void parse_leave(Parser *p); /* back from parse_enter() */

Node *node_new(Parser *p, NodeKind kind, uint32_t start); /* from `start` on; zeroed */
Node *node_end(Parser *p, Node *n); /* its children are there; the last token was its last */
/* A node for what Python has and kernels do not, ended; the lowering refuses it by that name. */
Node *node_unsupported(Parser *p, NodeKind kind, const char *python_name, uint32_t start);
Node **list_take(Parser *p, int mark, int *n); /* p->list from `mark` on, which it then drops */

/* The function that stands at f->extent: fills name, span, parameters, body and errors. */
void parse_function(Arena *a, Interner *interner, const Source *src, AstFunc *f);

/* parse_expr.c */
/* Conditional or lambda, as in Python's grammar: no comma, no star, no walrus. */
Node *parse_expression(Parser *p);
Node *parse_named(Parser *p);                          /* expression or NAME := expression */
Node *parse_starred(Parser *p);                        /* named, or one behind a star */
Node *parse_expressions(Parser *p);                    /* a tuple when there are commas */
Node *parse_tuple(Parser *p, Node *(*item)(Parser *)); /* the same over any production */
Node *parse_targets(Parser *p);                        /* of `for` */
Node *parse_disjunction(Parser *p);                    /* no conditional, no lambda */
Node *parse_binary(Parser *p, int least);              /* 1: all but comparisons and logic */
/* At `yield`, with what follows it; not supported. */
Node *parse_yield(Parser *p);
Node *parse_missing(Parser *p); /* an expression that was not there: the error says so */
/* May an expression begin with it?  Stars count too. */
bool starts_expression(TokenKind kind);

/* parse_atom.c */
Node *parse_atom(Parser *p);        /* the operand of `.`, `[` and `(`, which are not part of it */
bool at_generator(const Parser *p); /* at the `for` or `async for` of a comprehension */
void parse_generators(Parser *p, Node *n, Node *element); /* of a comprehension, into n */

/* parse_string.c */
Node *parse_strings(Parser *p); /* at T_STRING */

/* parse_stmt.c */
Node **parse_block(Parser *p, int *n); /* behind the colon */
/* One without a block, up to what ends it: a semicolon or the line, which the caller takes. */
Node *parse_simple_statement(Parser *p);

#endif
