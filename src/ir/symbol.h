/*
 * symbol.h - what a number was called: the name of a constexpr, or an expression over such names
 *
 * A kernel is compiled for one BLOCK, and everything goes on by the number.  Beside it stands the
 * symbol, where one is known: `BLOCK`, `BLOCK * 2`, `cdiv(K, BLOCK_K)`.  Nothing is decided by it;
 * it is for those who read (dumps, debuggers, printers of source).  A symbol has the value that the
 * kernel's constexprs give it, and one that has not the number's value is never put beside that.
 *
 * Symbols are trees in an arena, made once and shared.  They stay small: what would have more than
 * SYMBOL_MOST leaves and operators has no symbol.
 *
 *   symbol.c         making, comparing, printing
 *   symbol_value.c   what the operators mean
 *   extents.c        symbols of values: constants and extents
 *   read_symbol.c    reading
 */
#ifndef TILEC_IR_SYMBOL_H
#define TILEC_IR_SYMBOL_H

#include "../base/base.h"

enum { SYMBOL_MOST = 32 };

typedef enum {
    SYMBOL_NAME,
    SYMBOL_NUMBER,
#define SYMBOL_OP(name, text, level, operands) SYMBOL_##name,
#include "symbol_ops.h"
    SYMBOL_CODES
} SymbolCode;

/* Numbers as Python has them, ints as far as 64 bits go. */
typedef enum { SYMBOL_IS_BOOL, SYMBOL_IS_INT, SYMBOL_IS_FLOAT } SymbolKind;
typedef struct {
    SymbolKind kind;
    union {
        int64_t integer; /* also of SYMBOL_IS_BOOL */
        double real;
    };
} SymbolValue;

typedef struct Symbol Symbol;
struct Symbol {
    SymbolCode code;
    int size; /* leaves and operators */
    SymbolValue value;
    Sym name;                  /* of SYMBOL_NAME: may go on, `config.BLOCK`, `SIZES[1]` */
    const Symbol *operands[2]; /* of operators */
};

typedef struct {
    const char *text; /* "//" */
    int level, operands;
} SymbolInfo;

/* symbol.c: the makers give NULL for NaN and the least of the integers, which have no literal */
const Symbol *symbol_of_name(Arena *a, Sym name, SymbolValue value);
const Symbol *symbol_of_number(Arena *a, SymbolValue value);
/* NULL where an operand is, where Python has no such value or it is beyond 64 bits, and where it
 * would be too large.  y is NULL of an operator with one operand. */
const Symbol *symbol_apply(Arena *a, SymbolCode op, const Symbol *x, const Symbol *y);
bool symbol_same(const Symbol *a, const Symbol *b); /* the same expression; either may be NULL */
const SymbolInfo *symbol_info(SymbolCode op);       /* of an operator */
void symbol_put(Text *t, const Symbol *s);          /* as Python writes it */
/* The same where a number follows behind `=`: in parentheses, unless it is a name. */
void symbol_put_label(Text *t, const Symbol *s);

/* symbol_value.c */
double symbol_to_double(SymbolValue n);                /* rounded to nearest */
bool symbol_value_equal(SymbolValue a, SymbolValue b); /* by their values: 1 is 1.0 and True */
/* y is not looked at of an operator with one operand.  False: there is no such value. */
bool symbol_value(SymbolCode op, SymbolValue x, SymbolValue y, SymbolValue *out);

/* extents.c: all symbols of a module are made of the constexprs that it binds. */
typedef struct Module Module;
typedef struct Value Value;
typedef struct Op Op;
const Symbol *module_constexpr(const Module *m, Sym name); /* NULL: there is none of that name */
/* The symbol of a name from now on; NULL where it means something else already. */
const Symbol *module_bind(Module *m, Sym name, SymbolValue value);
const Symbol *value_extent(const Value *v, int d); /* of dimension d; NULL: a number */
/* Say what the number of a constant, or the extents of a tile, were called.  What has a symbol
 * keeps it; a symbol that is NULL or has another value is passed over. */
void value_name_number(Value *v, const Symbol *s);
void value_name_extents(Module *m, Value *v, const Symbol *const *names); /* one a dimension */
void value_shaped_like(Module *m, Value *v, const Value *like); /* nothing where shapes differ */
/* `v` stands for `other`, too: what the two call differently has no name any more. */
void value_symbols_meet(Module *m, Value *v, const Value *other);
void extents_follow(Module *m, const Op *op); /* the results' extents are called as the operands' */
/* One that is not what the constexprs make of it, or not the number beside it; NULL: none. */
const Symbol *value_wrong_symbol(const Module *m, const Value *v);

#endif
