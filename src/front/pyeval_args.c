/*
 * pyeval_args.c - what a heuristic may ask about the arguments of a launch (R346)
 *
 * The function is called with a dictionary from names to arguments.  Numbers, texts and dtypes are
 * plain values; arrays have no value, but properties.  Neither the dictionary nor an array is a
 * Const, so they are known by the expressions that they stand in.
 */
#include <string.h>

#include "lower.h"
#include "pyeval.h"

bool pyeval_is_arguments(const PyEval *e, const Node *n)
{
    const PyVariable *v = n->kind == N_NAME ? pyeval_variable(e, n->name) : NULL;

    return v && v->is_arguments;
}

/* The key in `args[KEY]` and `args.get(KEY[, default])`; NULL for anything else. */
static const Node *key_of(const PyEval *e, const Node *n, const Node **fallback)
{
    *fallback = NULL;
    if (n->kind == N_SUBSCRIPT)
        return pyeval_is_arguments(e, n->left) ? n->right : NULL;
    if (n->kind != N_CALL || n->left->kind != N_ATTRIBUTE || strcmp(n->left->name, "get") != 0 ||
        !pyeval_is_arguments(e, n->left->left) || n->nitems < 1 || n->nitems > 2)
        return NULL;
    *fallback = n->nitems == 2 ? n->items[1] : n;
    return n->items[0];
}

static FrontGiven find_argument(const PyEval *e, const Const *key)
{
    return key->kind == CONST_STRING && key->ntext == strlen(key->text)
               ? e->arguments->find(e->arguments->context, key->text)
               : (FrontGiven){.kind = GIVEN_NOT};
}

bool pyeval_has_argument(PyEval *e, const Const *name)
{
    return find_argument(e, name).kind != GIVEN_NOT;
}

/* The argument that is the whole of `n`; false when it is none. */
static bool whole_argument(PyEval *e, const Node *n, FrontGiven *out, Const *key)
{
    const Node *fallback, *name = key_of(e, n, &fallback);

    if (!name || !pyeval(e, name, key))
        return false;
    *out = find_argument(e, key);
    return true;
}

bool pyeval_is_object(PyEval *e, const Node *n)
{
    const Node *fallback;
    FrontGiven given;
    Const key;

    return e->arguments && key_of(e, n, &fallback) && whole_argument(e, n, &given, &key) &&
           (given.kind == GIVEN_TENSOR || given.kind == GIVEN_TYPE);
}

/* In `x.shape` and `x.stride(0)`, the node `x.shape` or `x.stride`; NULL for anything else. */
static const Node *property_in(const PyEval *e, const Node *n)
{
    const Node *property = n->kind == N_CALL ? n->left : n, *fallback;

    return property->kind == N_ATTRIBUTE && key_of(e, property->left, &fallback) ? property : NULL;
}

bool pyeval_is_argument(PyEval *e, const Node *n)
{
    const Node *fallback;

    if (n->kind != N_SUBSCRIPT && n->kind != N_CALL && n->kind != N_ATTRIBUTE)
        return false;
    return key_of(e, n, &fallback) || property_in(e, n);
}

/* Properties of arrays, under the names that PyTorch and NumPy have for them. */

typedef enum {
    ASK_DTYPE,
    ASK_ITEMSIZE,
    ASK_NDIM,
    ASK_NUMEL,
    ASK_SHAPE,
    ASK_STRIDE,
    ASK_ADDRESS
} Ask;

/* clang-format off */
static const struct {
    const char *name;
    bool is_method;
    Ask ask;
} properties[] = {
    {"dtype",        false, ASK_DTYPE},
    {"element_size", true,  ASK_ITEMSIZE},
    {"itemsize",     false, ASK_ITEMSIZE},
    {"ndim",         false, ASK_NDIM},
    {"dim",          true,  ASK_NDIM},
    {"numel",        true,  ASK_NUMEL},
    {"shape",        false, ASK_SHAPE},
    {"size",         true,  ASK_SHAPE},
    {"stride",       true,  ASK_STRIDE},
    {"data_ptr",     true,  ASK_ADDRESS},
};
/* clang-format on */

/* The product of the extents from dimension `from` on; false when nothing is that large. */
static bool elements(const FrontGiven *g, int from, __int128 *out)
{
    *out = 1;
    for (int i = from; i < g->ndim; i++)
        if (__builtin_mul_overflow(*out, (__int128)g->shape[i], out))
            return false;
    return true;
}

/* In elements; without strides, rows follow each other. */
static bool stride(const FrontGiven *g, int i, __int128 *out)
{
    if (!g->strides)
        return elements(g, i + 1, out);
    *out = g->strides[i];
    return true;
}

static bool extent(const FrontGiven *g, int i, __int128 *out)
{
    *out = g->shape[i];
    return true;
}

/* All of them, or the one that the call has for its argument. */
static bool one_or_all(PyEval *e, const Node *n, const FrontGiven *g,
                       bool (*each)(const FrontGiven *g, int i, __int128 *out), Const *out)
{
    PyList list = {0};
    __int128 one;
    Const at;

    for (int i = 0; i < g->ndim; i++)
        if (!each(g, i, &one) || !pyeval_push(e, &list, const_int(one)))
            return false;
    *out = pyeval_tuple(&list);
    if (n->kind != N_CALL || n->nitems == 0)
        return true;
    if (n->nitems != 1 || !pyeval(e, n->items[0], &at) || at.kind != CONST_INT)
        return false;
    if (at.integer < -g->ndim || at.integer >= g->ndim)
        return pyeval_fail(e, n, "the array has %d dimensions", g->ndim);
    *out = out->items[at.integer < 0 ? at.integer + g->ndim : at.integer];
    return true;
}

static bool property_of(PyEval *e, const Node *n, const FrontGiven *g, Ask ask, Const *out)
{
    __int128 count;

    switch (ask) {
    case ASK_DTYPE:
        *out = (Const){.kind = CONST_DTYPE, .dtype = g->dtype};
        return true;
    case ASK_ITEMSIZE:
        *out = const_int(dtype_size(g->dtype));
        return true;
    default:
        break;
    }
    if (g->kind == GIVEN_TYPE)
        return pyeval_fail(e, n, "the array was given as a type only");
    if (ask == ASK_ADDRESS) {
        *out = const_int(g->address);
        return true;
    }
    if (g->ndim < 0)
        return pyeval_fail(e, n, "the array was given without a shape");
    if (ask == ASK_SHAPE || ask == ASK_STRIDE)
        return one_or_all(e, n, g, ask == ASK_SHAPE ? extent : stride, out);
    if (!elements(g, 0, &count))
        return false;
    *out = const_int(ask == ASK_NDIM ? g->ndim : count);
    return true;
}

static bool eval_property(PyEval *e, const Node *n, const Node *property, Const *out)
{
    const Node *tensor = property->left;
    const char *name = property->name;
    FrontGiven given;
    Const key;

    if (!whole_argument(e, tensor, &given, &key))
        return false;
    if (given.kind != GIVEN_TENSOR && !(given.kind == GIVEN_TYPE && given.pointer))
        return pyeval(e, tensor, out) && pyeval_fail(e, n, "`%s` is no array", key.text);
    for (int i = 0; i < COUNT(properties); i++)
        if (strcmp(properties[i].name, name) == 0 && properties[i].is_method == (n->kind == N_CALL))
            return property_of(e, n, &given, properties[i].ask, out);
    return pyeval_fail(e, n, "what `%s` of an array is cannot be told here", name);
}

/* The arguments themselves. */

static bool eval_whole(PyEval *e, const Node *n, Const *out)
{
    const Node *fallback;
    FrontGiven given;
    Const key;

    key_of(e, n, &fallback);
    if (!whole_argument(e, n, &given, &key))
        return false;
    if (given.kind == GIVEN_VALUE) {
        *out = given.value;
        return true;
    }
    if (given.kind == GIVEN_TENSOR)
        return pyeval_fail(e, n, "`%s` is an array, which has no value here", key.text);
    if (given.kind == GIVEN_TYPE)
        return pyeval_fail(e, n, "`%s` was given as a type, without a value", key.text);
    if (fallback && fallback != n)
        return pyeval(e, fallback, out);
    *out = const_none();
    if (fallback)
        return true;
    if (key.kind != CONST_STRING)
        return pyeval_fail(e, n, "arguments are asked for by their names");
    if (e->trouble && !e->trouble->why)
        e->trouble->missing = key.text;
    return pyeval_fail(e, n, "`%s` has no value", key.text);
}

bool pyeval_argument(PyEval *e, const Node *n, Const *out)
{
    const Node *fallback;

    return key_of(e, n, &fallback) ? eval_whole(e, n, out)
                                   : eval_property(e, n, property_in(e, n), out);
}

enum { BUDGET = 10000 }; /* a launch waits for it */

bool front_heuristic(const FrontFile *f, const FrontBinding *heuristic, const FrontArguments *args,
                     Arena *a, Const *out, FrontTrouble *trouble)
{
    PyEval e = {.file = f, .arena = a, .arguments = args, .trouble = trouble, .budget = BUDGET};
    const PyVariable dictionary = {.is_arguments = true};

    if (strcmp(heuristic->name, "**") == 0)
        return pyeval_fail(&e, heuristic->node, "what this gives cannot be read");
    return pyeval_apply(&e, heuristic->node, &dictionary, 1, out);
}
