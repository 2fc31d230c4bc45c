/*
 * messages.h - THE table of messages about Python that runs at compile time
 *
 * Format strings, so that the compiler checks the arguments.
 */
#ifndef TILEC_PYTHON_MESSAGES_H
#define TILEC_PYTHON_MESSAGES_H

/* clang-format off */

/* limits */
#define PY_E_BUDGET          "evaluating this takes too long"
#define PY_E_DEPTH           "this is nested too deeply"
#define PY_E_ROUNDS          "%s repeats its body more than %d times at compile time"
#define PY_E_CALLS           "`%s` is called more than %d levels deep"
#define PY_E_LONG            "the tuple would be too long"
#define PY_E_STRING_LONG     "the string would be too long"

/* names and attributes */
#define PY_E_NOT_DEFINED     "`%s` is not defined"
#define PY_H_DID_YOU_MEAN    "did you mean `%s`?"
#define PY_E_ATTRIBUTE       "%s has no attribute `%s`"

/* operators */
#define PY_E_BINARY          "%s: %s and %s"
#define PY_E_UNARY           "%s: %s"

/* items */
#define PY_E_ITERABLE        "%s cannot be iterated"
#define PY_E_INDEXABLE       "%s cannot be indexed"
#define PY_H_CALLED          "a function is called with parentheses: f(x)"
#define PY_E_INDEX           "the index must be an integer, not %s"
#define PY_E_RANGE           "there are only %d elements"
#define PY_E_KEY             "there is no key %s"
#define PY_E_STEP            "the step of a slice must not be 0"
#define PY_E_UNPACK          "there are %d values for %d names"
#define PY_E_FROZEN          "this cannot be changed here: %s"
#define PY_E_TARGET          "this cannot be assigned to"

/* calls */
#define PY_E_CALLABLE        "%s cannot be called"
#define PY_E_TOO_MANY        "%s() takes %d arguments but %d were given"
#define PY_E_MISSING         "%s() is missing its argument `%s`"
#define PY_E_KEYWORD         "%s() got an unexpected keyword argument `%s`"
#define PY_E_TWICE           "%s() got two values for `%s`"
#define PY_E_VALUE           "`%s` has no value for these arguments"
#define PY_E_LENGTH          "this has no len(): of an array, x.shape(0) is its first extent, and x.numel() counts its elements"
#define PY_E_DECORATED       "what the decorators make of `%s` is not known"

#define PY_H_WHOLE           "it takes whole numbers, written without a point: %lld"
#define PY_E_SCALAR          "%s() makes a scalar of one number"
#define PY_E_SCALAR_RANGE    "%s is no value of %s"
#define PY_E_ROUND           "NumPy rounds to digits in a way of its own: round float(x)"
#define PY_E_NUMBER          "%s() has no value for %s"
#define PY_E_MATH            "%s works on compile-time values, not on %s"
#define PY_E_DOMAIN          "%s has no value here, or one that is too large: %s"

/* statements */
#define PY_E_ASSERT          "static assertion failed%s%s"
#define PY_E_OUTSIDE_LOOP    "`%s` outside of a loop"
#define PY_E_UNSUPPORTED     "unsupported AST node type: %s"
#define PY_E_NESTED          "functions inside of functions are not supported: `%s`"
#define PY_E_EXPRESSION      "this is beyond what can be evaluated here"
#define PY_H_ELLIPSIS        "write `:` for each dimension that is taken whole, as in x[:, :, 0]"

/* clang-format on */

#endif
