/*
 * pyeval.h - the value of the simple Python that stands in decorators
 *
 * Internal to src/front/.
 */
#ifndef TILEC_FRONT_PYEVAL_H
#define TILEC_FRONT_PYEVAL_H

#include "ast.h"

typedef struct {
    Sym name;
    Const value;
} PyVariable;

typedef struct {
    const FrontFile *file;
    VEC(PyVariable) variables; /* of comprehensions, innermost last */
    int depth;
    int budget; /* nodes and elements that may still be looked at */
} PyEval;

/* False when `n` is not made of literals, module-level names for such, and operators on them.
 * Lists and tuples both give CONST_TUPLE. */
bool pyeval(PyEval *e, const Node *n, Const *out);
/* What a name stands for at module level, as an expression; `n` itself when it is no such name. */
const Node *pyeval_alias(const PyEval *e, const Node *n);

/* The generators of any comprehension, as nodes whose left is NULL. */
int pyeval_generators(const Node *comprehension, const Node **out, int most);
/* Call `body` once for each combination of the generators' variables; false when some generator
 * has no value, or body gave false. */
typedef bool PyBody(PyEval *e, const Node *element, void *ctx);
bool pyeval_each(PyEval *e, const Node *comprehension, PyBody *body, void *ctx);

#endif
