/*
 * value.h - a value known at compile time: what Python would hold
 *
 * Values are small, copied freely, and own nothing: what they point to lives in the arena of
 * whoever made them.  Lists and dicts are shared by all who hold them, as in Python; all else never
 * changes.
 */
#ifndef TILEC_PYTHON_VALUE_H
#define TILEC_PYTHON_VALUE_H

#include "../ir/ir.h"
#include "../syntax/ast.h"

typedef enum {
    CONST_NONE,
    CONST_BOOL,
    CONST_INT,
    CONST_FLOAT,
    CONST_STRING,
    CONST_DTYPE,
    CONST_TUPLE,
    CONST_LIST,
    CONST_DICT,
    CONST_SLICE,    /* items: start, stop, step; between brackets only */
    CONST_FUNCTION, /* one of Python's, or of the file */
    CONST_OBJECT,   /* what the host of an evaluation brings: an array, a type, a module */
    CONST_UNKNOWN   /* no value could be found for `node`; tolerant evaluations only */
} ConstKind;

typedef struct Const Const;
typedef struct PyFunction PyFunction;
typedef struct PyClass PyClass;
typedef struct PyTrouble PyTrouble;

/* Lists and dicts change only where they were made: in the arena of that evaluation. */
typedef struct {
    struct Const *at;
    int len, cap;
    Arena *arena;
} ConstList;

struct Const {
    ConstKind kind;
    DType dtype;    /* CONST_DTYPE; of a scalar its own */
    bool is_scalar; /* of NumPy, of kind CONST_BOOL, _INT or _FLOAT: operators keep to its dtype */
    const PyClass *class; /* CONST_OBJECT; of other kinds what a host has marked them with */
    const Symbol *symbol; /* what a number was called (ir/symbol.h); NULL; no operator asks it */
    union {
        __int128 integer; /* CONST_INT, CONST_BOOL */
        double real;      /* CONST_FLOAT */
        struct {
            const char *text; /* CONST_STRING */
            size_t ntext;
        };
        struct {
            const Const *items; /* CONST_TUPLE, CONST_SLICE */
            int nitems;
            const Sym *fields; /* what the items are called, of a named tuple; else NULL */
        };
        ConstList *list; /* CONST_LIST; of a CONST_DICT a key, its value, the next key... */
        const PyFunction *function;
        const void *object; /* CONST_OBJECT: what `class` knows about */
        struct {
            const Node *node;         /* CONST_UNKNOWN */
            const PyTrouble *trouble; /* why; NULL: nothing more is known */
        };
    };
};

/* --- making --- */
Const const_none(void);                       /* what a `def` without `return` gives */
Const const_bool(bool b);                     /* `b` as True or False */
Const const_int(__int128 i);                  /* Python's int, as far as 128 bits go */
Const const_float(double d);                  /* fp64, as in Python */
Const const_string(const char *s, size_t n);  /* keeps the pointer */
Const const_dtype(DType t);                   /* tl.float32 and the like */
Const const_tuple(const Const *items, int n); /* keeps the pointer */
/* The item of that name in a named tuple; NULL: there is none. */
const Const *const_field(const Const *tuple, const char *name);
/* Its place in `n` names; -1, also where `fields` is NULL: there is none. */
int field_index(const Sym *fields, int n, const char *name);
/* Copies the items; only an evaluation in this arena may change it. */
Const const_new_list(Arena *a, const Const *items, int n);
Const const_new_dict(Arena *a); /* empty; to be changed as a list */
/* Sets the value of a key, which is put at the end if it is new.  Keys that are unknown stay apart.
 */
void const_dict_put(ConstList *dict, const Const *key, const Const *value);
/* The same without what can change: lists are tuples.  False when a part is no plain value, but a
 * dict, a function, an object... */
bool const_freeze(Arena *a, const Const *c, Const *out);

/* --- asking --- */
bool const_is_integral(const Const *c); /* int or bool */
bool const_is_number(const Const *c);   /* int, bool or float */
double const_to_double(const Const *c); /* of a number, rounded to nearest */
bool const_truth(const Const *c);       /* Python's bool(c) */
/* The elements of a tuple or a list; false when it is neither. */
bool const_items(const Const *c, const Const **items, int *n);
const char *const_kind_name(const Const *c);       /* "an int", "a tuple", for messages */
const char *const_text(const Const *c, Arena *a);  /* Python's repr, cut at CONST_MAX_STRING */
const char *const_brief(const Const *c, Arena *a); /* the same cut at some 60 bytes, for messages */
const char *const_str(const Const *c, Arena *a);   /* Python's str() */
bool const_equal(const Const *a, const Const *b);  /* Python's ==, but True is not 1 */
/* The value of a key in a dict; NULL when it has none. */
const Const *const_lookup(const ConstList *dict, const Const *key);

/* --- operators: NULL, or the text of what Python would raise --- */
/* Of numbers, texts, tuples and lists; *out is made in the arena, and set where there is NULL. */
const char *const_binary(Arena *arena, BinaryOp op, const Const *x, const Const *y, Const *out);
/* Of numbers, but `not` of anything known. */
const char *const_unary(Arena *arena, UnaryOp op, const Const *x, Const *out);
/* Call `out`, which a function of the table made of the numbers x and y, so; y is NULL of one with
 * one operand.  Nothing where neither has a symbol, or that symbol had another value. */
void const_name(Arena *arena, SymbolCode op, const Const *x, const Const *y, Const *out);
/* A number of Python's as symbols have it; false: it is none, or too large. */
bool const_symbol_value(const Const *c, SymbolValue *out);
bool float_basic(BinaryOp op, double a, double b, double *out); /* + - * /; false: another one */
/* All of Python's comparisons, `is` and `in` too. */
const char *const_compare(CompareOp op, const Const *x, const Const *y, bool *out);

/* --- scalars.c: those of NumPy; the operators above call these where one side is a scalar --- */
Const const_plain(const Const *c); /* the number of Python's that a scalar is worth */
/* What NumPy makes of t(number): of a scalar of ints by its low bits; false where it does not fit.
 */
bool scalar_cast_to(DType t, const Const *number, Const *out);
const char *scalar_binary(BinaryOp op, const Const *x, const Const *y, Const *out);
const char *scalar_unary(UnaryOp op, const Const *x, Const *out); /* not of `not` */
Const const_holds(const Const *x, const Const *y,
                  bool holds); /* what comparing them gives: a bool */
/* Two numbers as those of Python's that compare as they do. */
void scalar_comparable(const Const *x, const Const *y, Const *a, Const *b);

enum { CONST_MAX_STRING = 1 << 20, CONST_MAX_TUPLE = 1 << 16 };

#endif
