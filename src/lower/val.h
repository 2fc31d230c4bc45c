/*
 * val.h - what an expression of a kernel gives while it is lowered
 *
 * Numbers that are known at compile time are Python's, what is not is a value of the IR; the rest
 * are objects that only the compiler has: types, functions, classes, modules.
 */
#ifndef TILEC_LOWER_VAL_H
#define TILEC_LOWER_VAL_H

#include "../names/file.h"

typedef struct Builtin Builtin;
typedef struct Libdevice Libdevice;
typedef struct Val Val;
typedef struct Tuple Tuple;
typedef struct Method Method;
typedef struct ConstType ConstType;

typedef enum {
    VAL_UNKNOWN,   /* an error was reported; stay silent */
    VAL_UNDEFINED, /* what a helper gives that falls off its end */
    VAL_CONST,     /* None, bool, int, float, str: known at compile time */
    VAL_RUN,       /* a scalar, tile, block pointer or descriptor at run time */
    VAL_TUPLE,
    VAL_TYPE,       /* a dtype, pointer type or tile type as an object */
    VAL_CONST_TYPE, /* the type of a number known at compile time */
    VAL_FUNC,       /* a function of the file */
    VAL_BUILTIN,    /* a function of the language */
    VAL_LIBDEVICE,  /* a function of libdevice */
    VAL_METHOD,     /* x.f, before it is called */
    VAL_CLASS,      /* a class of the file */
    VAL_MODULE,     /* an imported module that is no file, by its full name */
    VAL_FILE        /* one that is */
} ValKind;

struct Val {
    ValKind kind;
    union {
        const Const *c;
        Value *run;
        const Tuple *tuple;
        const Type *type;
        const ConstType *const_type;
        const AstFunc *func;
        const Builtin *builtin;
        const Libdevice *libdevice;
        const Method *method;
        const AstClass *class;
        Sym module;
        const FrontFile *file;
    };
};

/* Equal where the numbers are; for all else it is the type that the number has at run time. */
struct ConstType {
    const Type *type;
    const Const *c;
};

struct Tuple {
    int n;
    bool is_list; /* Python holds a list; it matters to no kernel */
    long size;    /* of all that is in it: values, tuples, and what is in those */
    Val *items;
    const Sym *fields;     /* what the items are called, `n` of them; NULL: nothing */
    const AstClass *class; /* that made it; NULL: none that is known */
};

struct Method {
    Val self;
    Sym name;
    const Builtin *builtin; /* NULL: `func`, or a predicate of a type object */
    const AstFunc *func;    /* of a class */
};

#endif
