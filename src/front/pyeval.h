/*
 * pyeval.h - the value of the simple Python that stands in decorators
 *
 * Evaluation changes nothing in the file and allocates in an arena of its own, so that launches
 * on several threads may evaluate at once.  Internal to src/front/.
 */
#ifndef TILEC_FRONT_PYEVAL_H
#define TILEC_FRONT_PYEVAL_H

#include "file.h"

typedef struct {
    Sym name;
    bool is_arguments; /* the dictionary that a heuristic is called with; no `value` */
    bool is_unknown;   /* it hides what else has the name, and has no `value` */
    Const value;
} PyVariable;

typedef struct {
    const FrontFile *file;
    Arena *arena;                    /* of tuples, texts and messages */
    VEC(PyVariable) variables;       /* of comprehensions and functions, innermost last */
    int scope;                       /* the function being evaluated sees those from here on */
    const FrontArguments *arguments; /* NULL outside of heuristics */
    FrontTrouble *trouble;           /* filled by the first failure; NULL: nobody asks */
    int depth;
    int budget; /* nodes and elements that may still be looked at */
} PyEval;

/* --- pyeval.c --- */
/* False when `n` is not made of literals, module-level names for such, operators on them, and the
 * functions below.  Lists and tuples both give CONST_TUPLE. */
bool pyeval(PyEval *e, const Node *n, Const *out);
/* What a name stands for at module level, as an expression; `n` itself when it is no such name. */
const Node *pyeval_alias(const PyEval *e, const Node *n);
const PyVariable *pyeval_variable(const PyEval *e, Sym name); /* NULL: there is none */
/* Note why `n` has no value, unless a part of it was noted already; gives false. */
bool pyeval_fail(PyEval *e, const Node *n, const char *fmt, ...) PRINTF(3, 4);

/* Call `body` once for each combination of the generators' variables, which are unknown, and one,
 * where a generator has no value; false when a condition has none, or body gave false. */
typedef bool PyBody(PyEval *e, const Node *element, void *ctx);
bool pyeval_some(PyEval *e, const Node *comprehension, PyBody *body, void *ctx);

typedef VEC(Const) PyList;
bool pyeval_push(PyEval *e, PyList *list, Const c); /* false: the budget is used up */
bool pyeval_push_all(PyEval *e, PyList *list, const Const *tuple);
Const pyeval_tuple(const PyList *list);
bool pyeval_display(PyEval *e, const Node *n, Const *out); /* of its items, starred ones too */

/* --- pyeval_call.c --- */
bool pyeval_call(PyEval *e, const Node *n, Const *out);
/* Call a lambda, or a `def` that is one `return` statement, which `callee` is or is a name for. */
bool pyeval_apply(PyEval *e, const Node *callee, const PyVariable *args, int n, Const *out);
/* Stand inside the function of the file that `call` calls: gives the expression that it returns,
 * with the parameters as variables until pyeval_leave().  NULL: there is no such function. */
typedef struct {
    int scope, mark;
} PyScope;
const Node *pyeval_enter(PyEval *e, const Node *call, PyScope *outer);
void pyeval_leave(PyEval *e, PyScope outer);
/* Parse the functions that evaluating `n` may call, while the file is still being read. */
void pyeval_parse_callees(FrontFile *f, const Node *n);

/* --- pyeval_args.c --- */
/* Is it about the arguments of a launch?  `args["x"]`, `args["x"].dtype`, `args.get("x")`... Such
 * nodes have their value here; all others are pyeval()'s. */
bool pyeval_is_argument(PyEval *e, const Node *n);
bool pyeval_argument(PyEval *e, const Node *n, Const *out);
bool pyeval_is_arguments(const PyEval *e, const Node *n); /* the dictionary itself */
/* Whether `n` is an argument that is there and not None, but has no value as such: a tensor. */
bool pyeval_is_object(PyEval *e, const Node *n);
bool pyeval_has_argument(PyEval *e, const Const *name); /* "x" in args */

#endif
