/*
 * lower_python.c - the statements of a constexpr_function (semantics R12)
 *
 * Such a function is Python that runs while the kernel is compiled: all conditions are known, so
 * statements are carried out, not lowered, and `return`, `break` and `continue` mean what they
 * mean in Python.  Expressions are those of kernels, in a frame that is static.
 */
#include "lower.h"

#include <string.h>

typedef enum { RUN_FALLS, RUN_RETURNS, RUN_BREAKS, RUN_CONTINUES, RUN_FAILS } RunFlow;

typedef struct {
    Lower *l;
    Val result; /* of RUN_RETURNS */
} Run;

static RunFlow run_stmts(Run *r, Node *const *stmts, int n);

/* Python's truth of an expression; false in *known after an error. */
static bool holds(Run *r, const Node *n, bool *known)
{
    Val v = lower_expr(r->l, n), negated;

    *known = v.kind != VAL_UNKNOWN && val_is_known(v);
    if (!*known && v.kind != VAL_UNKNOWN)
        error_at(r->l, n->span, E_CONDITION, val_text(r->l, v));
    if (!*known)
        return false;
    negated = ops_truth_not(r->l, v, n->span);
    return !negated.c->integer;
}

/* What a `for` runs over: the elements of a tuple, or numbers. */
typedef struct {
    const Tuple *tuple;
    __int128 at, stop, step;
} Items;

static bool range_items(Run *r, const Node *call, const Builtin *range, Items *out)
{
    __int128 bounds[3] = {0, 0, 1};
    ArgList list = lower_arguments(r->l, call);
    Args a;

    if (!bind_builtin(r->l, range, &list, &a) || arg_unknown(&a))
        return false;
    for (int i = 0; i < 3; i++) {
        if (i > 0 && !arg_given(&a, i))
            continue;
        if (a.v[i].kind != VAL_CONST || !const_is_integral(a.v[i].c)) {
            error_at(r->l, arg_span(&a, i), E_RANGE_BOUND, val_text(r->l, a.v[i]));
            return false;
        }
        bounds[i] = a.v[i].c->integer;
    }
    *out = (Items){NULL, bounds[0], bounds[1], bounds[2]};
    if (!arg_given(&a, 1))
        *out = (Items){NULL, 0, bounds[0], bounds[2]};
    if (bounds[2] == 0)
        error_at(r->l, call->span, E_STEP_ZERO);
    return bounds[2] != 0;
}

static bool items_of(Run *r, const Node *n, Items *out)
{
    Val f = n->kind == N_CALL ? lower_expr(r->l, n->left) : val_unknown(), v;

    if (f.kind == VAL_BUILTIN &&
        (f.builtin->data == RANGE_STATIC || f.builtin->data == RANGE_DYNAMIC))
        return range_items(r, n, f.builtin, out);
    if (n->kind == N_CALL && f.kind == VAL_UNKNOWN)
        return false;
    v = lower_expr(r->l, n);
    *out = (Items){.tuple = v.kind == VAL_TUPLE ? v.tuple : NULL, .step = 1};
    if (v.kind != VAL_TUPLE && v.kind != VAL_UNKNOWN)
        error_at(r->l, n->span, E_NOT_ITERABLE, val_text(r->l, v));
    out->stop = v.kind == VAL_TUPLE ? v.tuple->n : 0;
    return v.kind == VAL_TUPLE;
}

/* Count a round of a loop; false when there were too many. */
static bool next_round(Run *r, int *rounds, const char *loop, Span span)
{
    if (++*rounds > MAX_STATIC_TRIPS)
        error_at(r->l, span, E_STATIC_TRIPS, loop, MAX_STATIC_TRIPS);
    return *rounds <= MAX_STATIC_TRIPS && !lower_out_of_budget(r->l, span);
}

/* What a loop does after a round that ended so: go on, leave, or leave for all. */
static bool goes_on(RunFlow *f)
{
    if (*f == RUN_CONTINUES)
        *f = RUN_FALLS;
    return *f == RUN_FALLS;
}

/* Behind a loop: `else` is for one that no `break` ended. */
static RunFlow run_else(Run *r, const Node *n, RunFlow f)
{
    if (f == RUN_BREAKS)
        return RUN_FALLS;
    return f == RUN_FALLS ? run_stmts(r, n->orelse, n->norelse) : f;
}

static RunFlow run_for(Run *r, const Node *n)
{
    RunFlow f = RUN_FALLS;
    int rounds = 0;
    Items items;

    if (!items_of(r, n->right, &items))
        return RUN_FAILS;
    while (goes_on(&f) && (items.step > 0 ? items.at < items.stop : items.at > items.stop)) {
        int errors = error_count(r->l);

        if (!next_round(r, &rounds, "for", n->right->span))
            return RUN_FAILS;
        lower_assign(r->l, n->left,
                     items.tuple ? items.tuple->items[items.at] : val_int(r->l, items.at),
                     n->left->span);
        f = error_count(r->l) == errors ? run_stmts(r, n->body, n->nbody) : RUN_FAILS;
        if (__builtin_add_overflow(items.at, items.step, &items.at))
            break;
    }
    return run_else(r, n, f);
}

static RunFlow run_while(Run *r, const Node *n)
{
    RunFlow f = RUN_FALLS;
    int rounds = 0;
    bool known;

    while (goes_on(&f) && holds(r, n->left, &known)) {
        if (!next_round(r, &rounds, "while", n->left->span))
            return RUN_FAILS;
        f = run_stmts(r, n->body, n->nbody);
    }
    return f == RUN_FALLS && !known ? RUN_FAILS : run_else(r, n, f);
}

static RunFlow run_if(Run *r, const Node *n)
{
    bool known, chosen = holds(r, n->left, &known);

    if (!known)
        return RUN_FAILS;
    return chosen ? run_stmts(r, n->body, n->nbody) : run_stmts(r, n->orelse, n->norelse);
}

static RunFlow run_assert(Run *r, const Node *n)
{
    bool known, good = holds(r, n->left, &known);
    Val message;

    if (!known || good)
        return known ? RUN_FALLS : RUN_FAILS;
    message = n->right ? lower_expr(r->l, n->right) : val_string(r->l, "");
    if (message.kind == VAL_CONST) {
        const char *s = const_str(message.c, r->l->arena);
        error_at(r->l, n->span, E_STATIC_ASSERT, *s ? ": " : "", s);
    }
    return RUN_FAILS;
}

static RunFlow run_return(Run *r, const Node *n)
{
    r->result = n->left ? lower_expr(r->l, n->left) : val_none(r->l);
    return RUN_RETURNS;
}

static RunFlow run_assignment(Run *r, Node *const *targets, int n, Val v, Span span)
{
    int errors = error_count(r->l);

    for (int i = 0; v.kind != VAL_UNKNOWN && i < n; i++)
        lower_assign(r->l, targets[i], v, span);
    return v.kind != VAL_UNKNOWN && error_count(r->l) == errors ? RUN_FALLS : RUN_FAILS;
}

static RunFlow run_augmented(Run *r, const Node *n)
{
    Val x = lower_expr(r->l, n->left), y = lower_expr(r->l, n->right);

    return run_assignment(r, &n->left, 1, ops_binary(r->l, (BinaryOp)n->op, x, y, n->span),
                          n->span);
}

static RunFlow run_other(Run *r, const Node *n)
{
    if (n->kind == N_UNSUPPORTED_STMT && strcmp(n->name, "Break") == 0)
        return RUN_BREAKS;
    if (n->kind == N_UNSUPPORTED_STMT && strcmp(n->name, "Continue") == 0)
        return RUN_CONTINUES;
    if (n->kind == N_FUNCTION)
        error_at(r->l, n->span, E_NESTED_FUNCTION, n->name);
    else if (n->kind == N_WITH)
        error_at(r->l, n->span, E_WITH);
    else
        error_at(r->l, n->span, E_UNSUPPORTED_SYNTAX, n->name);
    return RUN_FAILS;
}

static RunFlow run_stmt(Run *r, const Node *n)
{
    switch (n->kind) {
    case N_ASSIGN:
        return run_assignment(r, n->items, n->nitems, lower_expr(r->l, n->right), n->span);
    case N_ANNOTATED: /* annotations mean nothing here */
        return n->right ? run_assignment(r, &n->left, 1, lower_expr(r->l, n->right), n->span)
                        : RUN_FALLS;
    case N_AUGMENTED:
        return run_augmented(r, n);
    case N_EXPR:
        return n->left->kind == N_ELLIPSIS || lower_expr(r->l, n->left).kind != VAL_UNKNOWN
                   ? RUN_FALLS
                   : RUN_FAILS;
    case N_IF:
        return run_if(r, n);
    case N_FOR:
        return run_for(r, n);
    case N_WHILE:
        return run_while(r, n);
    case N_RETURN:
        return run_return(r, n);
    case N_ASSERT:
        return run_assert(r, n);
    case N_PASS:
        return RUN_FALLS;
    default:
        return run_other(r, n);
    }
}

/* Nothing runs behind what failed: its errors would only repeat. */
static RunFlow run_stmts(Run *r, Node *const *stmts, int n)
{
    RunFlow f = RUN_FALLS;

    for (int i = 0; i < n && f == RUN_FALLS; i++) {
        r->l->b.span = stmts[i]->span;
        f = lower_out_of_budget(r->l, stmts[i]->span) ? RUN_FAILS : run_stmt(r, stmts[i]);
    }
    return f;
}

Val lower_python_body(Lower *l, const AstFunc *fn)
{
    Run r = {.l = l, .result = val_none(l)};
    RunFlow f = run_stmts(&r, fn->body, fn->nbody);

    if (f == RUN_BREAKS || f == RUN_CONTINUES)
        error_at(l, fn->span, E_OUTSIDE_LOOP, f == RUN_BREAKS ? "break" : "continue");
    return f == RUN_FALLS || f == RUN_RETURNS ? r.result : val_unknown();
}
