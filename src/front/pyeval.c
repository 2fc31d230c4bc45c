/*
 * pyeval.c - the value of the simple Python that stands in decorators
 *
 * Lists of configurations are written as literals, as comprehensions over literals, and with names
 * for both; heuristics are small functions of a launch's arguments.  This evaluates that much of
 * Python, with the operators of const.c, and gives up on everything else, saying why to those who
 * ask.  A budget bounds time and memory whatever is written.
 */
#include <string.h>

#include "lower.h"
#include "pyeval.h"

enum { MAX_EVAL_DEPTH = 64 };

bool pyeval_fail(PyEval *e, const Node *n, const char *fmt, ...)
{
    va_list ap;

    if (!e->trouble || e->trouble->why)
        return false;
    va_start(ap, fmt);
    e->trouble->where = n->span;
    e->trouble->why =
        e->budget > 0 ? arena_vprintf(e->arena, fmt, ap) : "evaluating this takes too long";
    va_end(ap);
    return false;
}

const PyVariable *pyeval_variable(const PyEval *e, Sym name)
{
    for (int i = e->variables.len - 1; i >= e->scope; i--)
        if (e->variables.at[i].name == name)
            return &e->variables.at[i];
    return NULL;
}

const Node *pyeval_alias(const PyEval *e, const Node *n)
{
    const AstGlobal *g;

    for (int i = 0; n->kind == N_NAME && i < MAX_EVAL_DEPTH; i++) {
        g = pyeval_variable(e, n->name) ? NULL : file_global(e->file, n->name);
        if (!g)
            break;
        n = g->value;
    }
    return n;
}

/* Tuples. */

bool pyeval_push(PyEval *e, PyList *list, Const c)
{
    vec_push(e->arena, list, c);
    return --e->budget > 0;
}

bool pyeval_push_all(PyEval *e, PyList *list, const Const *tuple)
{
    for (int i = 0; i < tuple->nitems; i++)
        if (!pyeval_push(e, list, tuple->items[i]))
            return false;
    return tuple->kind == CONST_TUPLE;
}

Const pyeval_tuple(const PyList *list)
{
    return (Const){.kind = CONST_TUPLE, .items = list->at, .nitems = list->len};
}

bool pyeval_display(PyEval *e, const Node *n, Const *out)
{
    PyList list = {0};

    for (int i = 0; i < n->nitems; i++) {
        const Node *item = n->items[i];
        bool star = item->kind == N_STARRED;
        Const c;

        if (!pyeval(e, star ? item->left : item, &c))
            return false;
        if (!(star ? pyeval_push_all(e, &list, &c) : pyeval_push(e, &list, c)))
            return false;
    }
    *out = pyeval_tuple(&list);
    return true;
}

/* Comprehensions. */

/* The generators of any comprehension, as nodes whose left is NULL. */
static int generators_of(const Node *n, const Node **out, int most)
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
        PyVariable v = {.name = target->name, .value = *value};

        vec_push(e->arena, &e->variables, v);
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

static bool assign_unknown(PyEval *e, const Node *target)
{
    bool ok = target->kind == N_NAME || target->kind == N_TUPLE || target->kind == N_LIST;

    if (target->kind == N_NAME) {
        PyVariable v = {.name = target->name, .is_unknown = true};
        vec_push(e->arena, &e->variables, v);
        return --e->budget > 0;
    }
    for (int i = 0; ok && i < target->nitems; i++)
        ok = assign_unknown(e, target->items[i]);
    return ok;
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
    bool some; /* go on with unknown variables */
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
    bool there = pyeval(e, g->extra, &over) && over.kind == CONST_TUPLE;
    if (!there && !loops->some)
        return false;
    for (int i = 0; i < (there ? over.nitems : 1) && known; i++) {
        known = there ? assign(e, g->right, &over.items[i]) : assign_unknown(e, g->right);
        if (known && conditions_hold(e, g, &known))
            known = run_loops(e, loops, level + 1);
        e->variables.len = mark;
    }
    return known;
}

static bool loop(PyEval *e, const Node *n, bool some, PyBody *body, void *ctx)
{
    Loops loops = {.some = some, .element = n->left, .body = body, .ctx = ctx};

    loops.n = generators_of(n, loops.generators, MAX_GENERATORS - 1);
    return is_comprehension(n) && loops.n < MAX_GENERATORS && run_loops(e, &loops, 0);
}

bool pyeval_some(PyEval *e, const Node *n, PyBody *body, void *ctx)
{
    return loop(e, n, true, body, ctx);
}

static bool collect(PyEval *e, const Node *element, void *ctx)
{
    Const c;

    return pyeval(e, element, &c) && pyeval_push(e, ctx, c);
}

static bool eval_comprehension(PyEval *e, const Node *n, Const *out)
{
    PyList list = {0};

    if (!loop(e, n, false, collect, &list))
        return false;
    *out = pyeval_tuple(&list);
    return true;
}

/* Operators. */

static bool eval_unary(PyEval *e, const Node *n, Const *out)
{
    const char *wrong;
    Const x;

    if (!pyeval(e, n->left, &x))
        return false;
    wrong = const_unary((UnaryOp)n->op, &x, out);
    return !wrong || pyeval_fail(e, n, "%s", wrong);
}

static bool eval_binary(PyEval *e, const Node *n, Const *out)
{
    PyList list = {0};
    const char *wrong;
    Const x, y;

    if (!pyeval(e, n->left, &x) || !pyeval(e, n->right, &y))
        return false;
    if (x.kind != CONST_TUPLE && y.kind != CONST_TUPLE) {
        wrong = const_binary(e->arena, (BinaryOp)n->op, &x, &y, out);
        return !wrong || pyeval_fail(e, n, "%s", wrong);
    }
    if (n->op != BIN_ADD || !pyeval_push_all(e, &list, &x) || !pyeval_push_all(e, &list, &y))
        return false;
    *out = pyeval_tuple(&list);
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

/* `is` as it is for None, True, False and small numbers: same type, same value. */
static bool is_same(const Const *x, const Const *y)
{
    return x->kind == y->kind && const_equal(x, y);
}

static bool holds_between(CompareOp op, const Const *x, const Const *y, bool *out)
{
    switch (op) {
    case CMP_IS:
    case CMP_IS_NOT:
        *out = is_same(x, y) == (op == CMP_IS);
        return true;
    case CMP_IN:
    case CMP_NOT_IN:
        *out = is_in(x, y) == (op == CMP_IN);
        return y->kind == CONST_TUPLE;
    default:
        return !const_compare(op, x, y, out);
    }
}

/* `TENSOR is not None`: all that can be asked about an argument without a value.
 * `"x" in args`: all that can be asked about the dictionary. */
static bool is_about_presence(PyEval *e, const Node *n)
{
    const Node *right = n->items[0];
    bool equality = n->ops[0] == CMP_IS || n->ops[0] == CMP_IS_NOT || n->ops[0] == CMP_EQ ||
                    n->ops[0] == CMP_NE;
    bool membership = n->ops[0] == CMP_IN || n->ops[0] == CMP_NOT_IN;

    return n->nitems == 1 && ((equality && right->kind == N_NONE && pyeval_is_object(e, n->left)) ||
                              (membership && pyeval_is_arguments(e, right)));
}

static bool eval_presence(PyEval *e, const Node *n, Const *out)
{
    bool membership = n->ops[0] == CMP_IN || n->ops[0] == CMP_NOT_IN, there = true;
    Const name;

    if (membership && !pyeval(e, n->left, &name))
        return false;
    if (membership)
        there = pyeval_has_argument(e, &name);
    *out = const_bool(there ==
                      (n->ops[0] == CMP_IN || n->ops[0] == CMP_IS_NOT || n->ops[0] == CMP_NE));
    return true;
}

static bool eval_compare(PyEval *e, const Node *n, Const *out)
{
    bool holds = true;
    Const x, y;

    if (is_about_presence(e, n))
        return eval_presence(e, n, out);
    if (!pyeval(e, n->left, &x))
        return false;
    for (int i = 0; i < n->nitems && holds; i++, x = y)
        if (!pyeval(e, n->items[i], &y) || !holds_between((CompareOp)n->ops[i], &x, &y, &holds))
            return pyeval_fail(e, n, "these cannot be compared");
    *out = const_bool(holds);
    return true;
}

/* Names, attributes, subscripts. */

/* tl.float16, torch.float16: dtypes have the same names everywhere (R25). */
static bool eval_dtype(PyEval *e, const Node *n, Const *out)
{
    const char *name = file_full_name_in(e->file, n, e->arena);
    const char *last = name ? strrchr(name, '.') : NULL;

    *out = (Const){.kind = CONST_DTYPE};
    return last && (strncmp(name, "triton", 6) == 0 || strncmp(name, "torch.", 6) == 0) &&
           dtype_from_long_name(last + 1, strlen(last + 1), &out->dtype);
}

/* May the name hold something else than what is read for it?  Of configurations any one will do,
 * but a heuristic's value is what the kernel computes with. */
static bool is_uncertain(const PyEval *e, Sym name)
{
    const AstGlobal *last = file_assigned(e->file, NULL, name, UINT32_MAX);

    return e->arguments && last &&
           (last->is_augmented || (last->is_choice && last->earlier != NULL));
}

static bool eval_name(PyEval *e, const Node *n, Const *out)
{
    const PyVariable *v = pyeval_variable(e, n->name);
    const Node *value;

    if (v && (v->is_arguments || v->is_unknown))
        return false;
    if (v) {
        *out = v->value;
        return true;
    }
    if (is_uncertain(e, n->name))
        return pyeval_fail(e, n, "what `%s` holds depends on more than its assignment", n->name);
    value = pyeval_alias(e, n);
    if (value->kind != N_NAME)
        return pyeval(e, value, out);
    return eval_dtype(e, value, out) ||
           pyeval_fail(e, n, "`%s` is no constant of this file", n->name);
}

static bool eval_attribute(PyEval *e, const Node *n, Const *out)
{
    Const of;

    if (eval_dtype(e, n, out))
        return true;
    if (strcmp(n->name, "itemsize") != 0 || !pyeval(e, n->left, &of) || of.kind != CONST_DTYPE)
        return false;
    *out = const_int(dtype_size(of.dtype));
    return true;
}

static bool eval_subscript(PyEval *e, const Node *n, Const *out)
{
    Const of, at;

    if (!pyeval(e, n->left, &of) || !pyeval(e, n->right, &at))
        return false;
    if (of.kind != CONST_TUPLE || at.kind != CONST_INT)
        return false;
    if (at.integer < 0)
        at.integer += of.nitems;
    if (at.integer < 0 || at.integer >= of.nitems)
        return pyeval_fail(e, n, "there are only %d elements", of.nitems);
    *out = of.items[at.integer];
    return true;
}

static bool eval_node(PyEval *e, const Node *n, Const *out)
{
    Const c;

    if (e->arguments && pyeval_is_argument(e, n))
        return pyeval_argument(e, n, out);
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
        return eval_attribute(e, n, out);
    case N_SUBSCRIPT:
        return eval_subscript(e, n, out);
    case N_TUPLE:
    case N_LIST:
        return pyeval_display(e, n, out);
    case N_COMPREHENSION:
    case N_UNSUPPORTED_EXPR:
        return eval_comprehension(e, n, out);
    case N_CALL:
        return pyeval_call(e, n, out);
    case N_UNARY:
        return eval_unary(e, n, out);
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
    bool known = ++e->depth <= MAX_EVAL_DEPTH && --e->budget > 0 && eval_node(e, n, out);

    e->depth--;
    if (!known)
        pyeval_fail(e, n, "this is beyond what can be evaluated here");
    return known;
}
