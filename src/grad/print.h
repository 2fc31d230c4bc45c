/*
 * print.h - tile IR as Triton source: print.c has statements, print_expr.c expressions
 */
#ifndef TILEC_GRAD_PRINT_H
#define TILEC_GRAD_PRINT_H

#include "grad.h"

typedef struct {
    Grad *g;
    Arena *arena;
    Text text;
    UseLists uses;
    Map *names; /* MAP_KEY of a value: what it is called in the source; else it is an expression */
    Map *taken; /* a name: not for another value */
    int indent;
} Writer;

/* How tightly Python's operators bind. */
typedef enum {
    LEVEL_ANY,
    LEVEL_COMPARE,
    LEVEL_OR,
    LEVEL_XOR,
    LEVEL_AND,
    LEVEL_SHIFT,
    LEVEL_SUM,
    LEVEL_PRODUCT,
    LEVEL_UNARY,
    LEVEL_ATOM
} Level;

/* print_expr.c */
void put_value(Writer *p, const Value *v, Level level); /* in its own shape */
/* What spreads to its shape where it stands beside something of that shape. */
void put_bare(Writer *p, const Value *v, Level level);
/* How it is made, whatever it is called. */
void put_made(Writer *p, const Value *v, Level level);
/* In an op of this shape that broadcasts: operands from `first` on. */
void put_operands(Writer *p, const Op *op, int first, int n, const char *const *leads);
/* Can the opposite of a condition be written by one operator?  Then it is. */
bool print_opposite(const Writer *p, const Value *condition);
void put_opposite(Writer *p, const Value *condition);
bool print_knows(const Op *op);       /* has it a way to be written? */
bool print_is_inline(const Value *v); /* never a statement of its own */

#endif
