/*
 * python.h - runs Python that is known at compile time
 *
 * constexpr_functions, defaults and globals (lower/lower_static.c), heuristics and configurations
 * (names/file_python.c) and the arguments of the command line (cli/value.c) are all evaluated here.
 * The host of an evaluation says what names mean that no variable has, and brings objects of its
 * own: types, modules and kernels of the language, arrays.
 *
 *   value.c, operators.c   what values are, and Python's operators on them; value_text.c: as text
 *   eval.c                 expressions; items.c: displays, subscripts, comprehensions
 *   stmt.c                 statements
 *   bind.c                 which argument goes to which parameter, here and in kernels
 *   call.c                 calls: arguments, functions of the file
 *   scalars.c              those of NumPy, with their dtypes
 *   builtins.c             THE table of Python's functions and methods
 *   functions.c, numbers.c, methods.c   what its rows call, by theme
 *   environ.c              variables of the environment
 *   attribute.c            attributes
 *   messages.h             THE table of messages
 *
 * An evaluation allocates in the arena that it is given and changes nothing else; it interns no
 * name.  So a launch may evaluate without the lock of its file.  A budget bounds time and memory
 * whatever is written.
 */
#ifndef TILEC_PYTHON_H
#define TILEC_PYTHON_H

#include "value.h"

typedef struct Py Py;
typedef struct PyFrame PyFrame;

/* --- functions --- */

/* One argument of a call, by position or with its keyword. */
typedef struct {
    Const value;
    const char *keyword; /* NULL: by position */
    const Node *node;    /* where it stands; NULL: nowhere */
} PyArg;
typedef VEC(PyArg) PyArgs;

/* A function of Python's, of the table in builtins.c.  `args` has all parameters up to the last one
 * given; gives false after py_fail(), or simply false: then no more can be said than that it has no
 * value. */
typedef struct PyBuiltin PyBuiltin;
struct PyBuiltin {
    const char *name;   /* in full: "len", "math.sqrt", "str.upper" */
    const char *params; /* names, in order; the last may be `*NAME`, which takes any number */
    int least;          /* of them that must be given */
    bool (*call)(Py *p, const Const *args, int n, Const *out);
};

/* What a CONST_FUNCTION is: exactly one of builtin, def and lambda. */
struct PyFunction {
    const PyBuiltin *builtin;
    const AstFunc *def; /* with its body parsed */
    const Node *lambda;
    PyFrame *frame;    /* of a lambda: where it stands */
    const Const *self; /* of a method that was asked of a value; else NULL */
};
const char *py_function_name(const PyFunction *f); /* without its module; "lambda" has none */
/* Python's ==: the same function, bound to equal values. */
bool py_function_equal(const PyFunction *a, const PyFunction *b);

/* --- binding --- */

/* A parameter of any function. */
typedef struct {
    const char *name; /* "" of a `*` that only ends the positions */
    bool has_default;
    bool star, dict; /* takes the rest by position, by name */
    bool by_name;    /* not by position */
} PyParam;
typedef enum {
    PY_BIND_TOO_MANY,   /* by position; `n` is how many there may be */
    PY_BIND_UNEXPECTED, /* argument `n` has a name that no parameter has */
    PY_BIND_TWICE,      /* argument `n` is for a parameter that has one already */
    PY_BIND_MISSING     /* parameter `n` gets nothing, and has no default */
} PyBindError;
typedef struct {
    bool (*wrong)(void *context, PyBindError e, int n); /* gives false */
    void *context;
} PyBindReport;
/* bind.c: words[] has the names of the arguments, NULL for one by position.  out[] gets for each
 * parameter the index of its argument, of a star that of the first it takes; -1: none.  False after
 * an error; each unexpected name is reported, else the first error. */
bool py_bind(const PyParam *params, int n, const char *const *words, int nargs, int *out,
             const PyBindReport *report);

/* --- objects of the host --- */

/* What can be done with a kind of object.  Any of these may be NULL; each gives false after
 * py_fail(). */
struct PyClass {
    const char *name; /* "an array", for messages */
    bool (*attribute)(Py *p, const Const *self, const char *name, Span at, Const *out);
    bool (*call)(Py *p, const Const *self, const PyArgs *args, Span at, Const *out);
    bool (*subscript)(Py *p, const Const *self, const Const *index, Span at, Const *out);
    bool (*contains)(Py *p, const Const *self, const Const *item, Span at, bool *out);
    /* One side is of this class; the other may be anything. */
    bool (*binary)(Py *p, BinaryOp op, const Const *x, const Const *y, Span at, Const *out);
    bool (*unary)(Py *p, UnaryOp op, const Const *x, Span at, Const *out);
    bool (*compare)(Py *p, CompareOp op, const Const *x, const Const *y, Span at, Const *out);
    bool (*truth)(Py *p, const Const *self, Span at, bool *out);
    /* sum(x), max(x), min(x), any(x), all(x), math.prod(x), by name; NULL: by its items */
    bool (*reduce)(Py *p, const Const *self, const char *name, Span at, Const *out);
    bool (*is_instance)(Py *p, const Const *value, const Const *self, Span at, bool *out);
    bool takes_unknown; /* `call` may get CONST_UNKNOWN */
    const char *(*text)(const Const *self, Arena *a);
    bool (*equal)(const Const *a, const Const *b);
};

/* --- one evaluation --- */

typedef struct {
    const char *name; /* compared by its letters when it is not the same Sym */
    Const value;
} PyVariable;

/* The names of one function that is running, of a comprehension in it, or of an expression. */
struct PyFrame {
    VEC(PyVariable) variables;
    PyFrame *outer;        /* whose names are seen too: of a lambda or comprehension; else NULL */
    PyFrame *caller;       /* the frame that goes on behind this one; NULL for the first */
    Span call;             /* where the caller stands */
    bool is_block;         /* a comprehension: what `:=` binds goes to `outer` */
    const AstFunc *fn;     /* the `def` that is running, if any; a host may have set it */
    const AstScope *scope; /* where names that are no variables are looked for */
    uint32_t before;       /* what that scope assigns from here on has not happened yet */
    void *host;            /* the host's, NULL at first */
};

/* Why there is no value: what the first failure said. */
struct PyTrouble {
    Span where;
    const char *why;  /* NULL: the host has reported it, or nothing failed */
    const char *hint; /* or NULL */
    PyFrame *frame;   /* that it happened in */
};

typedef struct {
    /* What a name means that no variable has.  False after py_fail(); *found, which was false, says
     * whether it means anything.  May be NULL. */
    bool (*name)(Py *p, const Node *n, Const *out, bool *found);
    /* The same for a name or dotted name that imports explain, such as `math.sqrt`: as
     * py_full_name() has it, and more.  May be NULL, when `name` gives objects for modules. */
    bool (*path)(Py *p, const Node *n, Const *out, bool *found);
    /* The same function with its body parsed; NULL after py_fail(). */
    const AstFunc *(*body)(Py *p, const AstFunc *fn, Span at);
    /* `x if UNKNOWN else y`, where nobody asks why there is no value: can y stand for both?  May be
     * NULL. */
    bool (*either)(Py *p, const Const *x, const Const *y);
} PyHost;

struct Py {
    Arena *arena;
    const PyHost *host;
    void *context; /* the host's */
    PyFrame *frame;
    PyTrouble trouble;
    bool failed;
    bool tolerant;           /* what has no value is CONST_UNKNOWN, and evaluation goes on */
    bool is_silent;          /* nobody asks why it failed: save the words */
    int depth, max_depth;    /* of expressions and calls */
    int calls;               /* of functions of the file within each other */
    Span at;                 /* of the call of a builtin that is running */
    const PyBuiltin *callee; /* that builtin */
    long budget;             /* expressions, statements and elements that may still be looked at */
};

enum { PY_MAX_CALLS = 64, PY_MAX_ROUNDS = 1 << 16 };

/* An evaluation in a frame without variables.  The caller fills in what it needs more. */
Py py_new(Arena *a, const PyHost *host, void *context, long budget, int max_depth);
/* The value of an expression; false when it has none, and then p->failed, with p->trouble. */
bool py_eval(Py *p, const Node *n, Const *out);
/* Call what may be called. */
bool py_call(Py *p, const Const *callee, const PyArgs *args, Span at, Const *out);
/* Run a `def` with the values of its parameters. */
bool py_run(Py *p, const AstFunc *fn, const Const *args, Span call, Const *out);
/* Note why something has no value, unless a part of it was noted already. */
void py_report(Py *p, Span where, const char *fmt, ...) PRINTF(3, 4);
/* The same as an expression: false, which a macro lets whoever reads the caller see. */
#define py_fail(p, ...) (py_report(p, __VA_ARGS__), false)
void py_hint(Py *p, const char *fmt, ...) PRINTF(2, 3); /* to the failure before it */
/* The same where the host has reported it. */
bool py_fail_told(Py *p, Span where);
/* The same for want of a value that is CONST_UNKNOWN: for the reason why it is. */
bool py_fail_unknown(Py *p, const Const *c, Span where);

/* --- for hosts, and between the files --- */

/* All that give a bool and take `out` give false after py_fail(), with nothing in *out. */

/* builtins.c: by its full name; NULL: there is none.  A function of triton may lack its module,
 * since `import *` may have brought it in. */
const PyBuiltin *py_builtin(const char *name);
Const py_builtin_value(Py *p, const PyBuiltin *b); /* as a value */
const char *py_near_builtin(const char *name);     /* what a misspelt name meant, or NULL */
const PyBuiltin *py_method(const char *type, const char *name); /* of "str" and the like, or NULL */
/* Bind arguments to its parameters and call it. */
bool py_call_builtin(Py *p, const PyBuiltin *b, const PyArgs *args, Span at, Const *out);
/* A function or constant by its full name: math.sqrt, math.pi, torch.float16, triton.cdiv.  False,
 * and no failure, when there is none. */
bool py_full_name(Py *p, const char *name, Const *out);
bool py_has_name(const char *name); /* is there one? */

/* attribute.c: `self.NAME`, methods too; `at` is where the name stands. */
bool py_attribute(Py *p, const Const *self, const char *name, Span at, Const *out);
bool py_has_attribute(Py *p, const Const *self, const char *name, Span at); /* never fails */
/* An attribute of a dtype that needs no call, such as itemsize; false when there is none. */
bool py_dtype_attribute(DType t, const char *name, Const *out);
/* is_floating and the like; false when there is no such predicate. */
bool py_dtype_predicate(DType t, const char *name, bool *out);

/* eval.c: operators, on objects of the host too */
/* That of the class which one side has goes first; fails where either is unknown. */
bool py_binary(Py *p, BinaryOp op, const Const *x, const Const *y, Span at, Const *out);
/* The same; `not` is py_truth(). */
bool py_unary(Py *p, UnaryOp op, const Const *x, Span at, Const *out);
bool py_truth(Py *p, const Const *c, Span at, bool *out); /* bool(c); fails where that is unknown */
/* Behind a question whether an element belongs to a list: `known` says whether *holds answers it.
 * Where it does not, a tolerant evaluation keeps the element, and others have failed. */
bool py_keeps(Py *p, bool known, bool *holds);
/* Take n steps from the budget; fails when it is used up. */
bool py_spend(Py *p, long n, Span at);
void py_bind_variable(Py *p, Sym name, const Const *value); /* in the innermost frame */

/* items.c */
/* All elements of what can be iterated: of a tuple, list, text, or the keys of a dict. */
bool py_iterate(Py *p, const Const *c, Span at, const Const **items, int *n);
/* `target = value`: names, what is unpacked into them, items of lists and dicts. */
bool py_assign(Py *p, const Node *target, const Const *value);
/* Put the entries of a dict behind others, or of an unknown one an entry without a key. */
void py_put_entries(ConstList *to, const Const *dict);
bool py_spread_dict(Py *p, ConstList *to, const Node *n); /* `**dict`: its value's entries */
/* The expressions of these kinds: (a, *b) and [a, *b]; {a: b, **c}; a[b]; [a for b in c]. */
bool py_display(Py *p, const Node *n, Const *out);
/* `**` too; a key that comes again takes the later value. */
bool py_dict_display(Py *p, const Node *n, Const *out);
bool py_subscript(Py *p, const Node *n, Const *out); /* `self[index]` */
/* A list, also for a set or a generator; its names are gone behind it, but for what `:=` binds. */
bool py_comprehension(Py *p, const Node *n, Const *out);
/* Was this list or dict made by this evaluation?  Others are shared with other threads. */
bool py_may_change(Py *p, const Const *c, Span at);

/* stmt.c: the statements of a `def`, in p->frame, which has its parameters; gives what it returns.
 */
bool py_run_body(Py *p, const AstFunc *fn, Const *out);

/* call.c */
/* Bind arguments with py_bind(); what is wrong is a failure at the call, in Python's words. */
bool py_bind_args(Py *p, const char *name, const PyParam *params, int n, const PyArgs *args,
                  Span at, int *out);
/* What `**rest` or dict() make of a named argument; the key is unknown where its name is. */
void py_put_keyword(ConstList *dict, const PyArg *a);
/* N_CALL, the callee first, then arguments from left to right */
bool py_eval_call(Py *p, const Node *n, Const *out);

#endif
