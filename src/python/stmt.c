/*
 * stmt.c - statements of functions that run at compile time (semantics R12)
 *
 * All conditions are known, so statements are carried out, and `return`, `break` and `continue`
 * mean what they mean in Python.
 */
#include <string.h>

#include "messages.h"
#include "python.h"

typedef enum { RUN_FALLS, RUN_RETURNS, RUN_BREAKS, RUN_CONTINUES, RUN_FAILS } RunFlow;

typedef struct {
    Py *p;
    Const result; /* of RUN_RETURNS */
} Run;

static RunFlow run_stmts(Run *r, Node *const *stmts, int n);

static RunFlow flow_of(bool good)
{
    return good ? RUN_FALLS : RUN_FAILS;
}

static bool condition_holds(Run *r, const Node *n, bool *out)
{
    Const c;

    return py_eval(r->p, n, &c) && py_truth(r->p, &c, n->span, out);
}

/* --- loops --- */

/* Count a round of a loop; false when there were too many. */
static bool next_round(Run *r, int *rounds, const char *loop, Span at)
{
    if (++*rounds > PY_MAX_ROUNDS)
        return py_fail(r->p, at, PY_E_ROUNDS, loop, PY_MAX_ROUNDS);
    return py_spend(r->p, 1, at);
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

/* What a `for` runs over: elements, or numbers that nobody has written down. */
typedef struct {
    const Const *items; /* NULL: numbers */
    __int128 at, stop, step;
} Rounds;

/* `range(...)`, whose numbers need no list. */
static bool is_range(Run *r, const Node *n)
{
    Const f;

    return n->kind == N_CALL && n->left->kind != N_CALL && py_eval(r->p, n->left, &f) &&
           f.kind == CONST_FUNCTION && f.function->builtin &&
           strcmp(f.function->builtin->name, "range") == 0;
}

static bool range_rounds(Run *r, const Node *n, Rounds *out)
{
    __int128 bounds[3] = {0, 0, 1};
    Const c;

    for (int i = 0; i < n->nitems; i++) {
        const Node *arg = n->items[i];

        if (!py_eval(r->p, arg, &c))
            return false;
        if (!const_is_integral(&c))
            return py_fail(r->p, arg->span, PY_E_INDEX, const_brief(&c, r->p->arena));
        bounds[n->nitems == 1 ? 1 : i] = c.integer;
    }
    *out = (Rounds){NULL, bounds[0], bounds[1], bounds[2]};
    return out->step != 0 || py_fail(r->p, n->span, PY_E_STEP);
}

/* Is it called with one to three arguments, all by position? */
static bool is_plain_call(const Node *call)
{
    for (int i = 0; i < call->nitems; i++) {
        if (call->items[i]->kind == N_KEYWORD || call->items[i]->kind == N_STARRED ||
            call->items[i]->kind == N_DOUBLE_STARRED)
            return false;
    }
    return call->nitems >= 1 && call->nitems <= 3;
}

static bool rounds_of(Run *r, const Node *n, Rounds *out)
{
    Const c;
    int count;

    *out = (Rounds){.step = 1};
    if (is_range(r, n) && is_plain_call(n))
        return range_rounds(r, n, out);
    if (r->p->failed || !py_eval(r->p, n, &c) ||
        !py_iterate(r->p, &c, n->span, &out->items, &count))
        return false;
    if (count > 0 && c.kind == CONST_LIST) { /* the loop may change it */
        Const *copy = NEW_N(r->p->arena, Const, count);
        memcpy(copy, out->items, sizeof(Const) * (size_t)count);
        out->items = copy;
    }
    out->stop = count;
    return true;
}

static RunFlow run_for(Run *r, const Node *n)
{
    RunFlow f = RUN_FALLS;
    int rounds = 0;
    Rounds over;

    if (!rounds_of(r, n->right, &over))
        return RUN_FAILS;
    while (goes_on(&f) && (over.step > 0 ? over.at < over.stop : over.at > over.stop)) {
        Const number = const_int(over.at);

        if (!next_round(r, &rounds, "for", n->right->span) ||
            !py_assign(r->p, n->left, over.items ? &over.items[(int)over.at] : &number))
            return RUN_FAILS;
        f = run_stmts(r, n->body, n->nbody);
        if (__builtin_add_overflow(over.at, over.step, &over.at))
            break;
    }
    return run_else(r, n, f);
}

static RunFlow run_while(Run *r, const Node *n)
{
    RunFlow f = RUN_FALLS;
    int rounds = 0;
    bool again;

    for (;;) {
        if (!condition_holds(r, n->left, &again))
            return RUN_FAILS;
        if (!again)
            break;
        if (!next_round(r, &rounds, "while", n->left->span))
            return RUN_FAILS;
        f = run_stmts(r, n->body, n->nbody);
        if (!goes_on(&f))
            break;
    }
    return run_else(r, n, f);
}

/* --- the rest --- */

static RunFlow run_if(Run *r, const Node *n)
{
    bool chosen;

    if (!condition_holds(r, n->left, &chosen))
        return RUN_FAILS;
    return chosen ? run_stmts(r, n->body, n->nbody) : run_stmts(r, n->orelse, n->norelse);
}

static RunFlow run_assert(Run *r, const Node *n)
{
    Const message = const_string("", 0);
    const char *s;
    bool good;

    if (!condition_holds(r, n->left, &good))
        return RUN_FAILS;
    if (good)
        return RUN_FALLS;
    if (n->right && !py_eval(r->p, n->right, &message))
        return RUN_FAILS;
    s = const_str(&message, r->p->arena);
    return flow_of(py_fail(r->p, n->span, PY_E_ASSERT, *s ? ": " : "", s));
}

static RunFlow run_return(Run *r, const Node *n)
{
    r->result = const_none();
    return n->left && !py_eval(r->p, n->left, &r->result) ? RUN_FAILS : RUN_RETURNS;
}

static RunFlow run_assign(Run *r, Node *const *targets, int n, const Node *value)
{
    Const c;

    if (!py_eval(r->p, value, &c))
        return RUN_FAILS;
    for (int i = 0; i < n; i++) {
        if (!py_assign(r->p, targets[i], &c))
            return RUN_FAILS;
    }
    return RUN_FALLS;
}

/* `a += b` changes the list that a is; of all else it makes a new value. */
static RunFlow run_augmented(Run *r, const Node *n)
{
    const Const *items;
    Const x, y, sum;
    int count;

    if (!py_eval(r->p, n->left, &x) || !py_eval(r->p, n->right, &y))
        return RUN_FAILS;
    if (x.kind == CONST_LIST && n->op == BIN_ADD) {
        Const added;

        if (!py_iterate(r->p, &y, n->span, &items, &count) || !py_may_change(r->p, &x, n->span) ||
            !py_spend(r->p, count, n->span))
            return RUN_FAILS;
        if (x.list->len + count > CONST_MAX_TUPLE)
            return flow_of(py_fail(r->p, n->span, PY_E_LONG));
        added = const_new_list(r->p->arena, items, count); /* y may be x */
        for (int i = 0; i < count; i++)
            vec_push(r->p->arena, x.list, added.list->at[i]);
        return RUN_FALLS;
    }
    return flow_of(py_binary(r->p, (BinaryOp)n->op, &x, &y, n->span, &sum) &&
                   py_assign(r->p, n->left, &sum));
}

static RunFlow run_other(Run *r, const Node *n)
{
    if (n->kind == N_UNSUPPORTED_STMT && strcmp(n->name, "Break") == 0)
        return RUN_BREAKS;
    if (n->kind == N_UNSUPPORTED_STMT && strcmp(n->name, "Continue") == 0)
        return RUN_CONTINUES;
    if (n->kind == N_FUNCTION)
        py_report(r->p, n->span, PY_E_NESTED, n->name);
    else
        py_report(r->p, n->span, PY_E_UNSUPPORTED, n->kind == N_WITH ? "With" : n->name);
    return RUN_FAILS;
}

static RunFlow run_stmt(Run *r, const Node *n)
{
    Const ignored;

    switch (n->kind) {
    case N_ASSIGN:
        return run_assign(r, n->items, n->nitems, n->right);
    case N_ANNOTATED: /* annotations mean nothing here */
        return n->right ? run_assign(r, &n->left, 1, n->right) : RUN_FALLS;
    case N_AUGMENTED:
        return run_augmented(r, n);
    case N_EXPR:
        return flow_of(n->left->kind == N_ELLIPSIS || py_eval(r->p, n->left, &ignored));
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

static RunFlow run_stmts(Run *r, Node *const *stmts, int n)
{
    RunFlow f = RUN_FALLS;

    for (int i = 0; i < n && f == RUN_FALLS; i++)
        f = py_spend(r->p, 1, stmts[i]->span) ? run_stmt(r, stmts[i]) : RUN_FAILS;
    return f;
}

bool py_run_body(Py *p, const AstFunc *fn, Const *out)
{
    Run r = {.p = p, .result = const_none()};
    RunFlow f = run_stmts(&r, fn->body, fn->nbody);

    *out = r.result;
    if (f == RUN_BREAKS || f == RUN_CONTINUES)
        return py_fail(p, fn->span, PY_E_OUTSIDE_LOOP, f == RUN_BREAKS ? "break" : "continue");
    return f != RUN_FAILS;
}
