/*
 * eval.c - expressions: names, operators, conditions, f-strings
 *
 * Every expression gives a value or fails; the first failure is what p->trouble tells.  A tolerant
 * evaluation, of decorators, gives CONST_UNKNOWN in place of a failure and goes on: whatever needs
 * that value is unknown in its turn, and lists and dicts may hold it.
 */
#include <string.h>

#include "messages.h"
#include "python.h"

Py py_new(Arena *a, const PyHost *host, void *context, long budget, int max_depth)
{
    Py p = {.arena = a, .host = host, .context = context, .budget = budget};

    p.max_depth = max_depth;
    p.frame = NEW(a, PyFrame);
    p.frame->before = UINT32_MAX;
    return p;
}

/* --- failing --- */

void py_report(Py *p, Span where, const char *fmt, ...)
{
    va_list ap;

    if (p->failed)
        return;
    p->failed = true;
    p->trouble = (PyTrouble){.where = where, .why = "", .frame = p->frame};
    if (p->is_silent)
        return;
    va_start(ap, fmt);
    p->trouble.why = arena_vprintf(p->arena, fmt, ap);
    va_end(ap);
}

void py_hint(Py *p, const char *fmt, ...)
{
    va_list ap;

    if (p->is_silent || p->trouble.hint)
        return;
    va_start(ap, fmt);
    p->trouble.hint = arena_vprintf(p->arena, fmt, ap);
    va_end(ap);
}

bool py_fail_told(Py *p, Span where)
{
    if (!p->failed)
        p->trouble = (PyTrouble){.where = where, .frame = p->frame};
    p->failed = true;
    return false;
}

bool py_fail_unknown(Py *p, const Const *c, Span where)
{
    if (p->failed || !c->trouble)
        return py_fail(p, where, PY_E_EXPRESSION);
    p->failed = true;
    p->trouble = *c->trouble;
    return false;
}

bool py_spend(Py *p, long n, Span at)
{
    p->budget -= n;
    return p->budget > 0 || py_fail(p, at, PY_E_BUDGET);
}

/* --- names --- */

static bool is_named(const char *a, const char *b)
{
    return a == b || strcmp(a, b) == 0;
}

static Const *find_in(const PyFrame *f, const char *name)
{
    for (int i = f->variables.len - 1; i >= 0; i--) {
        if (is_named(f->variables.at[i].name, name))
            return &f->variables.at[i].value;
    }
    return NULL;
}

/* A variable that the running code sees, in its frame or those around it; NULL: there is none. */
static const Const *find_variable(const Py *p, Sym name)
{
    const Const *found = NULL;

    for (const PyFrame *f = p->frame; f && !found; f = f->outer)
        found = find_in(f, name);
    return found;
}

void py_bind_variable(Py *p, Sym name, const Const *value)
{
    Const *there = find_in(p->frame, name);
    PyVariable v = {name, *value};

    if (there)
        *there = *value;
    else
        vec_push(p->arena, &p->frame->variables, v);
}

static bool undefined(Py *p, const Node *n)
{
    const char *near = p->is_silent ? NULL : py_near_builtin(n->name);

    py_report(p, n->span, PY_E_NOT_DEFINED, n->name);
    if (near)
        py_hint(p, PY_H_DID_YOU_MEAN, near);
    return false;
}

/* A name that imports explain: `from math import sqrt`, `import triton.language as tl`. */
static bool eval_path(Py *p, const Node *n, Const *out, bool *found)
{
    return !p->host->path || p->host->path(p, n, out, found);
}

static bool eval_name(Py *p, const Node *n, Const *out)
{
    const Const *variable = find_variable(p, n->name);
    const PyBuiltin *b;
    bool found = false;

    if (variable) {
        *out = *variable;
        return out->kind != CONST_UNKNOWN || py_fail_unknown(p, variable, n->span);
    }
    if (p->host->name && !p->host->name(p, n, out, &found))
        return false;
    if (!found && !eval_path(p, n, out, &found))
        return false;
    if (found)
        return true;
    b = py_builtin(n->name);
    if (!b)
        return undefined(p, n);
    *out = py_builtin_value(p, b);
    return true;
}

/* Does a chain of names begin with a variable?  Then it is no path. */
static bool begins_with_variable(const Py *p, const Node *n)
{
    while (n->kind == N_ATTRIBUTE)
        n = n->left;
    return n->kind != N_NAME || find_variable(p, n->name);
}

static bool eval_attribute(Py *p, const Node *n, Const *out)
{
    Span word = {n->span.end - (uint32_t)strlen(n->name), n->span.end};
    bool found = false;
    Const self;

    if (!begins_with_variable(p, n) && !eval_path(p, n, out, &found))
        return false;
    return found || (py_eval(p, n->left, &self) && py_attribute(p, &self, n->name, word, out));
}

/* --- operators --- */

static const PyClass *class_of(const Const *c)
{
    return c->kind == CONST_OBJECT ? c->class : NULL;
}

/* The one that is unknown, of two; NULL: none. */
static const Const *unknown_of(const Const *x, const Const *y)
{
    return x->kind == CONST_UNKNOWN ? x : y->kind == CONST_UNKNOWN ? y : NULL;
}

/* What a value that is made costs. */
static long weight(const Const *c)
{
    const Const *items;
    int n = 0;

    if (c->kind == CONST_STRING)
        return (long)(c->ntext / 64);
    return const_items(c, &items, &n) ? n : 0;
}

/* A list and another that cannot be read: one unknown element stands for that. */
static bool add_unknown(Py *p, const Const *x, const Const *y, Const *out)
{
    const Const *known = x->kind == CONST_UNKNOWN ? y : x;
    const Const *unknown = known == x ? y : x;
    Const both[2] = {const_new_list(p->arena, x, 1), const_new_list(p->arena, y, 1)};

    if (!p->tolerant || known->kind != CONST_LIST || unknown->kind != CONST_UNKNOWN)
        return false;
    both[known == y] = *known;
    return !const_binary(p->arena, BIN_ADD, &both[0], &both[1], out);
}

bool py_binary(Py *p, BinaryOp op, const Const *x, const Const *y, Span at, Const *out)
{
    const PyClass *class = class_of(x) ? class_of(x) : class_of(y);
    const char *wrong;

    if (class && class->binary)
        return class->binary(p, op, x, y, at, out);
    if (unknown_of(x, y))
        return (op == BIN_ADD && add_unknown(p, x, y, out)) ||
               py_fail_unknown(p, unknown_of(x, y), at);
    wrong = const_binary(p->arena, op, x, y, out);
    if (wrong)
        return py_fail(p, at, PY_E_BINARY, wrong, const_brief(x, p->arena),
                       const_brief(y, p->arena));
    return py_spend(p, weight(out), at);
}

bool py_unary(Py *p, UnaryOp op, const Const *x, Span at, Const *out)
{
    const PyClass *class = class_of(x);
    const char *wrong;
    bool truth;

    if (op == UN_NOT) {
        *out = const_bool(py_truth(p, x, at, &truth) && !truth);
        return !p->failed;
    }
    if (class && class->unary)
        return class->unary(p, op, x, at, out);
    wrong = const_unary(p->arena, op, x, out);
    return !wrong || py_fail(p, at, PY_E_UNARY, wrong, const_brief(x, p->arena));
}

bool py_truth(Py *p, const Const *c, Span at, bool *out)
{
    const PyClass *class = class_of(c);

    if (class && class->truth)
        return class->truth(p, c, at, out);
    *out = const_truth(c);
    return c->kind != CONST_UNKNOWN || py_fail_unknown(p, c, at);
}

bool py_keeps(Py *p, bool known, bool *holds)
{
    if (known || !p->tolerant || p->budget <= 0)
        return known;
    p->failed = false;
    *holds = true;
    return true;
}

/* A comparison of two, as Python's True and False. */
static bool compare_known(Py *p, CompareOp op, const Const *x, const Const *y, Span at, bool *out)
{
    const PyClass *container = class_of(y);
    bool membership = op == CMP_IN || op == CMP_NOT_IN;
    const char *wrong;

    if (unknown_of(x, y))
        return py_fail_unknown(p, unknown_of(x, y), at);
    if (membership && container && container->contains) {
        if (!container->contains(p, y, x, at, out))
            return false;
        *out = *out == (op == CMP_IN);
        return true;
    }
    wrong = const_compare(op, x, y, out);
    return !wrong ||
           py_fail(p, at, PY_E_BINARY, wrong, const_brief(x, p->arena), const_brief(y, p->arena));
}

/* `is` and `in` never ask the class for its operator. */
static bool compare(Py *p, CompareOp op, const Const *x, const Const *y, Span at, Const *out)
{
    const PyClass *class = class_of(x) ? class_of(x) : class_of(y);
    bool by_value = op <= CMP_GE;
    bool holds = false;

    if (class && class->compare && by_value)
        return class->compare(p, op, x, y, at, out);
    if (!compare_known(p, op, x, y, at, &holds))
        return false;
    *out = by_value ? const_holds(x, y, holds) : const_bool(holds);
    return true;
}

static bool eval_unary(Py *p, const Node *n, Const *out)
{
    Const x;

    return py_eval(p, n->left, &x) && py_unary(p, (UnaryOp)n->op, &x, n->span, out);
}

static bool eval_binary(Py *p, const Node *n, Const *out)
{
    Const x, y;

    return py_eval(p, n->left, &x) && py_eval(p, n->right, &y) &&
           py_binary(p, (BinaryOp)n->op, &x, &y, n->span, out);
}

static bool eval_bool(Py *p, const Node *n, Const *out)
{
    bool truth;

    for (int i = 0; i < n->nitems; i++) {
        if (!py_eval(p, n->items[i], out))
            return false;
        if (i + 1 == n->nitems)
            break;
        if (!py_truth(p, out, n->items[i]->span, &truth))
            return false;
        if (truth == (n->op == BOOL_OR))
            break;
    }
    return true;
}

static bool eval_compare(Py *p, const Node *n, Const *out)
{
    bool holds;
    Const x, y;

    if (!py_eval(p, n->left, &x))
        return false;
    for (int i = 0; i < n->nitems; i++, x = y) {
        if (!py_eval(p, n->items[i], &y) || !compare(p, (CompareOp)n->ops[i], &x, &y, n->span, out))
            return false;
        if (i + 1 == n->nitems)
            break;
        if (!py_truth(p, out, n->span, &holds))
            return false;
        if (!holds)
            break;
    }
    return true;
}

/* Nothing says which arm counts: a value that stands for both. */
static bool eval_either(Py *p, const Node *n, Const *out)
{
    Const x;

    p->failed = false;
    return py_eval(p, n->left, &x) && py_eval(p, n->extra, out) &&
           (p->host->either(p, &x, out) || py_fail(p, n->right->span, PY_E_EXPRESSION));
}

static bool eval_conditional(Py *p, const Node *n, Const *out)
{
    bool chosen;
    Const c;

    if (py_eval(p, n->right, &c) && py_truth(p, &c, n->right->span, &chosen))
        return py_eval(p, chosen ? n->left : n->extra, out);
    return p->is_silent && p->budget > 0 && p->host->either && eval_either(p, n, out);
}

/* --- the rest --- */

static bool eval_fstring(Py *p, const Node *n, Const *out)
{
    Text t = text_new(p->arena);
    Const c;

    text_put(&t, "");
    for (int i = 0; i < n->nitems; i++) {
        const Node *part = n->items[i];

        if (part->kind == N_STRING) {
            text_putn(&t, part->text, part->ntext);
            continue;
        }
        if (!py_eval(p, part->left, &c))
            return false;
        if (c.kind == CONST_UNKNOWN)
            return py_fail_unknown(p, &c, part->span);
        c = const_plain(&c); /* so are NumPy's formatted */
        text_put(&t, part->op == 'r' || part->op == 'a' ? const_text(&c, p->arena)
                                                        : const_str(&c, p->arena));
        if (t.len > CONST_MAX_STRING)
            return py_fail(p, n->span, PY_E_STRING_LONG);
    }
    *out = const_string(t.s, t.len);
    return py_spend(p, (long)(t.len / 64), n->span);
}

static bool eval_walrus(Py *p, const Node *n, Const *out)
{
    PyFrame *frame = p->frame;

    if (!py_eval(p, n->left, out))
        return false;
    while (p->frame->is_block)
        p->frame = p->frame->outer;
    py_bind_variable(p, n->name, out);
    p->frame = frame;
    return true;
}

static bool eval_lambda(Py *p, const Node *n, Const *out)
{
    PyFunction *f = NEW(p->arena, PyFunction);

    *f = (PyFunction){.lambda = n, .frame = p->frame};
    *out = (Const){.kind = CONST_FUNCTION, .function = f};
    return true;
}

static bool eval_other(Py *p, const Node *n, Const *out)
{
    if (!n->name)
        return py_fail(p, n->span, PY_E_EXPRESSION);
    if (strcmp(n->name, "Lambda") == 0)
        return eval_lambda(p, n, out);
    if (strcmp(n->name, "Dict") == 0)
        return py_dict_display(p, n, out);
    if (strcmp(n->name, "ListComp") == 0 || strcmp(n->name, "GeneratorExp") == 0)
        return py_comprehension(p, n, out);
    return py_fail(p, n->span, PY_E_UNSUPPORTED, n->name);
}

static bool eval_literal(const Node *n, Const *out)
{
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
    default:
        return false;
    }
}

static bool eval_node(Py *p, const Node *n, Const *out)
{
    switch (n->kind) {
    case N_NAME:
        return eval_name(p, n, out);
    case N_ATTRIBUTE:
        return eval_attribute(p, n, out);
    case N_SUBSCRIPT:
        return py_subscript(p, n, out);
    case N_TUPLE:
    case N_LIST:
        return py_display(p, n, out);
    case N_COMPREHENSION:
        return py_comprehension(p, n, out);
    case N_CALL:
        return py_eval_call(p, n, out);
    case N_UNARY:
        return eval_unary(p, n, out);
    case N_BINARY:
        return eval_binary(p, n, out);
    case N_BOOL:
        return eval_bool(p, n, out);
    case N_COMPARE:
        return eval_compare(p, n, out);
    case N_CONDITIONAL:
        return eval_conditional(p, n, out);
    case N_FSTRING:
        return eval_fstring(p, n, out);
    case N_WALRUS:
        return eval_walrus(p, n, out);
    case N_UNSUPPORTED_EXPR:
        return eval_other(p, n, out);
    default:
        if (eval_literal(n, out))
            return true;
        py_report(p, n->span, PY_E_EXPRESSION);
        if (n->kind == N_ELLIPSIS)
            py_hint(p, PY_H_ELLIPSIS);
        return false;
    }
}

/* In place of the value of `n`, which has none; no more of this once the budget is used up. */
static bool unknown(Py *p, const Node *n, Const *out)
{
    PyTrouble *trouble;

    *out = (Const){.kind = CONST_UNKNOWN, .node = n};
    if (!p->tolerant || p->budget <= 0)
        return false;
    trouble = NEW(p->arena, PyTrouble);
    *trouble = p->trouble;
    out->trouble = trouble;
    p->failed = false;
    return true;
}

bool py_eval(Py *p, const Node *n, Const *out)
{
    bool known;

    if (p->depth >= p->max_depth) {
        py_report(p, n->span, PY_E_DEPTH);
        return unknown(p, n, out);
    }
    p->depth++;
    known = py_spend(p, 1, n->span) && eval_node(p, n, out);
    p->depth--;
    if (known)
        return true;
    py_report(p, n->span, PY_E_EXPRESSION);
    return unknown(p, n, out);
}
