/*
 * pyeval.c - the value of the simple Python that stands in decorators
 *
 * Lists of configurations are written as literals, as comprehensions over literals, and with names
 * for both.  This evaluates that much of Python, with the operators of const.c, and gives up
 * without a message on everything else.  A budget bounds time and memory whatever is written.
 */
#include <string.h>

#include "lower.h"
#include "pyeval.h"

enum { MAX_EVAL_DEPTH = 64 };

static Arena *arena_of(const PyEval *e)
{
    return e->file->arena;
}

static bool variable(const PyEval *e, Sym name, Const *out)
{
    for (int i = e->variables.len - 1; i >= 0; i--) {
        if (e->variables.at[i].name == name) {
            *out = e->variables.at[i].value;
            return true;
        }
    }
    return false;
}

const Node *pyeval_alias(const PyEval *e, const Node *n)
{
    const AstGlobal *g;
    Const ignored;

    for (int i = 0; n->kind == N_NAME && i < MAX_EVAL_DEPTH; i++) {
        g = variable(e, n->name, &ignored) ? NULL : file_global(e->file, n->name);
        if (!g)
            break;
        n = g->value;
    }
    return n;
}

/* Tuples. */

typedef VEC(Const) ConstList;

static bool push(PyEval *e, ConstList *list, Const c)
{
    vec_push(arena_of(e), list, c);
    return --e->budget > 0;
}

static bool push_all(PyEval *e, ConstList *list, const Const *tuple)
{
    for (int i = 0; i < tuple->nitems; i++)
        if (!push(e, list, tuple->items[i]))
            return false;
    return tuple->kind == CONST_TUPLE;
}

static Const tuple_of(const ConstList *list)
{
    return (Const){.kind = CONST_TUPLE, .items = list->at, .nitems = list->len};
}

static bool eval_display(PyEval *e, const Node *n, Const *out)
{
    ConstList list = {0};

    for (int i = 0; i < n->nitems; i++) {
        const Node *item = n->items[i];
        bool star = item->kind == N_STARRED;
        Const c;

        if (!pyeval(e, star ? item->left : item, &c))
            return false;
        if (!(star ? push_all(e, &list, &c) : push(e, &list, c)))
            return false;
    }
    *out = tuple_of(&list);
    return true;
}

/* Comprehensions. */

int pyeval_generators(const Node *n, const Node **out, int most)
{
    if (n->kind == N_COMPREHENSION) {
        out[0] = n;
        return 1;
    }
    for (int i = 0; i < n->nitems && i < most; i++)
        out[i] = n->items[i];
    return n->nitems;
}

/* One that gives a list.  (Of the others some give the same, but nobody writes them here.) */
static bool is_comprehension(const Node *n)
{
    return n->kind == N_COMPREHENSION ||
           (n->kind == N_UNSUPPORTED_EXPR &&
            (strcmp(n->name, "ListComp") == 0 || strcmp(n->name, "GeneratorExp") == 0));
}

static bool assign(PyEval *e, const Node *target, const Const *value)
{
    if (target->kind == N_NAME) {
        vec_push(arena_of(e), &e->variables, ((PyVariable){target->name, *value}));
        return --e->budget > 0;
    }
    if ((target->kind != N_TUPLE && target->kind != N_LIST) || value->kind != CONST_TUPLE ||
        target->nitems != value->nitems)
        return false;
    for (int i = 0; i < target->nitems; i++)
        if (!assign(e, target->items[i], &value->items[i]))
            return false;
    return true;
}

/* Do all conditions of a generator hold?  False in *known when one has no value. */
static bool conditions_hold(PyEval *e, const Node *generator, bool *known)
{
    Const c;

    for (int i = 0; i < generator->nitems; i++) {
        *known = pyeval(e, generator->items[i], &c);
        if (!*known || !const_truth(&c))
            return false;
    }
    return true;
}

enum { MAX_GENERATORS = 16 };

typedef struct {
    const Node *generators[MAX_GENERATORS];
    int n;
    const Node *element;
    PyBody *body;
    void *ctx;
} Loops;

static bool run_loops(PyEval *e, const Loops *loops, int level)
{
    const Node *g = loops->generators[level];
    int mark = e->variables.len;
    bool known = true;
    Const over;

    if (level == loops->n)
        return loops->body(e, loops->element, loops->ctx);
    if (!pyeval(e, g->extra, &over) || over.kind != CONST_TUPLE)
        return false;
    for (int i = 0; i < over.nitems && known; i++) {
        known = assign(e, g->right, &over.items[i]);
        if (known && conditions_hold(e, g, &known))
            known = run_loops(e, loops, level + 1);
        e->variables.len = mark;
    }
    return known;
}

bool pyeval_each(PyEval *e, const Node *n, PyBody *body, void *ctx)
{
    Loops loops = {.element = n->left, .body = body, .ctx = ctx};

    loops.n = pyeval_generators(n, loops.generators, MAX_GENERATORS - 1);
    return is_comprehension(n) && loops.n < MAX_GENERATORS && run_loops(e, &loops, 0);
}

static bool collect(PyEval *e, const Node *element, void *ctx)
{
    Const c;

    return pyeval(e, element, &c) && push(e, ctx, c);
}

static bool eval_comprehension(PyEval *e, const Node *n, Const *out)
{
    ConstList list = {0};

    if (!pyeval_each(e, n, collect, &list))
        return false;
    *out = tuple_of(&list);
    return true;
}

/* Calls of range, list, tuple, and itertools.product. */

static bool eval_range(PyEval *e, const Const *args, int n, Const *out)
{
    __int128 bounds[3] = {0, 0, 1};
    ConstList list = {0};

    for (int i = 0; i < n; i++)
        if (args[i].kind != CONST_INT)
            return false;
    if (n < 1 || n > 3)
        return false;
    bounds[1] = args[0].integer;
    for (int i = 0; i < n && n > 1; i++)
        bounds[i] = args[i].integer;
    if (bounds[2] == 0)
        return false;
    for (__int128 i = bounds[0]; bounds[2] > 0 ? i < bounds[1] : i > bounds[1]; i += bounds[2])
        if (!push(e, &list, const_int(i)))
            return false;
    *out = tuple_of(&list);
    return true;
}

/* All tuples with one element of each argument, the last changing fastest. */
static bool eval_product(PyEval *e, const Const *args, int n, Const *out)
{
    Const none = {.kind = CONST_TUPLE};
    ConstList list = {0};

    push(e, &list, none);
    for (int i = 0; i < n; i++) {
        ConstList longer = {0};

        for (int k = 0; k < list.len; k++) {
            for (int j = 0; j < args[i].nitems; j++) {
                ConstList one = {0};

                if (!push_all(e, &one, &list.at[k]) || !push(e, &one, args[i].items[j]))
                    return false;
                push(e, &longer, tuple_of(&one));
            }
        }
        list = longer;
    }
    *out = tuple_of(&list);
    return true;
}

static bool eval_call(PyEval *e, const Node *n, Const *out)
{
    const char *name = file_full_name(e->file, n->left);
    Node arguments = {.kind = N_TUPLE, .items = n->items, .nitems = n->nitems};
    Const args;

    if (!name || !eval_display(e, &arguments, &args))
        return false;
    if (strcmp(name, "range") == 0)
        return eval_range(e, args.items, args.nitems, out);
    if (strcmp(name, "itertools.product") == 0)
        return eval_product(e, args.items, args.nitems, out);
    if (args.nitems != 1 || (strcmp(name, "list") != 0 && strcmp(name, "tuple") != 0))
        return false;
    *out = args.items[0];
    return out->kind == CONST_TUPLE;
}

/* Operators. */

static bool eval_binary(PyEval *e, const Node *n, Const *out)
{
    ConstList list = {0};
    Const x, y;

    if (!pyeval(e, n->left, &x) || !pyeval(e, n->right, &y))
        return false;
    if (x.kind != CONST_TUPLE && y.kind != CONST_TUPLE)
        return const_binary(arena_of(e), (BinaryOp)n->op, &x, &y, out) == NULL;
    if (n->op != BIN_ADD || !push_all(e, &list, &x) || !push_all(e, &list, &y))
        return false;
    *out = tuple_of(&list);
    return true;
}

static bool eval_bool(PyEval *e, const Node *n, Const *out)
{
    for (int i = 0; i < n->nitems; i++) {
        if (!pyeval(e, n->items[i], out))
            return false;
        if (const_truth(out) == (n->op == BOOL_OR))
            break;
    }
    return true;
}

static bool is_in(const Const *x, const Const *tuple)
{
    for (int i = 0; i < tuple->nitems; i++) {
        bool equal;

        if (!const_compare(CMP_EQ, x, &tuple->items[i], &equal) && equal)
            return true;
    }
    return false;
}

static bool eval_compare(PyEval *e, const Node *n, Const *out)
{
    bool holds = true;
    Const x, y;

    if (!pyeval(e, n->left, &x))
        return false;
    for (int i = 0; i < n->nitems && holds; i++, x = y) {
        CompareOp op = (CompareOp)n->ops[i];

        if (!pyeval(e, n->items[i], &y))
            return false;
        if ((op == CMP_IN || op == CMP_NOT_IN) && y.kind == CONST_TUPLE)
            holds = is_in(&x, &y) == (op == CMP_IN);
        else if (const_compare(op, &x, &y, &holds))
            return false;
    }
    *out = const_bool(holds);
    return true;
}

static bool eval_name(PyEval *e, const Node *n, Const *out)
{
    const Node *value;

    if (variable(e, n->name, out))
        return true;
    value = pyeval_alias(e, n);
    return value->kind != N_NAME && pyeval(e, value, out);
}

/* tl.float16 and the like. */
static bool eval_dtype(PyEval *e, const Node *n, Const *out)
{
    const char *name = file_full_name(e->file, n), *last = name ? strrchr(name, '.') : NULL;

    *out = (Const){.kind = CONST_DTYPE};
    return last && strstr(name, "triton") == name &&
           dtype_from_long_name(last + 1, strlen(last + 1), &out->dtype);
}

static bool eval_node(PyEval *e, const Node *n, Const *out)
{
    Const c;

    switch (n->kind) {
    case N_INT:
        *out = const_int(n->integer);
        return true;
    case N_FLOAT:
        *out = const_float(n->real);
        return true;
    case N_STRING:
        *out = const_string(n->text, n->ntext);
        return true;
    case N_TRUE:
    case N_FALSE:
        *out = const_bool(n->kind == N_TRUE);
        return true;
    case N_NONE:
        *out = const_none();
        return true;
    case N_NAME:
        return eval_name(e, n, out);
    case N_ATTRIBUTE:
        return eval_dtype(e, n, out);
    case N_TUPLE:
    case N_LIST:
        return eval_display(e, n, out);
    case N_COMPREHENSION:
    case N_UNSUPPORTED_EXPR:
        return eval_comprehension(e, n, out);
    case N_CALL:
        return eval_call(e, n, out);
    case N_UNARY:
        return pyeval(e, n->left, &c) && !const_unary((UnaryOp)n->op, &c, out);
    case N_BINARY:
        return eval_binary(e, n, out);
    case N_BOOL:
        return eval_bool(e, n, out);
    case N_COMPARE:
        return eval_compare(e, n, out);
    case N_CONDITIONAL:
        return pyeval(e, n->right, &c) && pyeval(e, const_truth(&c) ? n->left : n->extra, out);
    default:
        return false;
    }
}

bool pyeval(PyEval *e, const Node *n, Const *out)
{
    bool known = --e->budget > 0 && ++e->depth <= MAX_EVAL_DEPTH && eval_node(e, n, out);

    e->depth--;
    return known;
}
