/*
 * lower_if.c - `if`, early `return` and the conditional expression (semantics R100 to R102, R118
 * to R120, R140)
 *
 * A condition known at compile time selects one arm and the other is never looked at.  Otherwise
 * each arm is lowered into a block of its own, starting from the same names, and then the two are
 * joined: what they changed, what they return, and whether they return become results of the
 * `if` op.
 *
 * IR has no jumps, so a `return` in an arm turns the rest of the function into the other arm:
 *
 *     if c: return 1        if c { yield 1 } else { rest; yield 2 }
 *     rest; return 2
 *
 * Where both arms may get to the rest (an inner `if` returns, say), the `if` also gives an i1 that
 * tells whether it returned, and the rest is guarded by it.
 */
#include "lower.h"

#include <string.h>

typedef struct {
    Block *block;
    Flow flow;
    Changes changes;
} Arm;

/* One thing that both arms give: a name's value, or what is returned. */
typedef struct {
    int slot; /* -1: no name */
    Binding binding;
    Val val;    /* the template of the result */
    bool fixed; /* both arms have the very same: nothing is yielded */
} Joined;

typedef struct {
    Lower *l;
    Arm *arms[2];
    Values values[2]; /* what each arm yields */
    VEC(Joined) items;
} Join;

/* --- arms --- */

/* Go on lowering at the end of another block; gives the builder to come back with. */
static Builder enter_block(Lower *l, Block *b)
{
    Builder old = l->b;

    l->b.block = b;
    l->b.before = NULL;
    return old;
}

static void refuse_depth(Lower *l, const Stmts *s)
{
    error_at(l, l->b.span, E_DEPTH);
    for (; s; s = s->then)
        forget_assigned(l, s->at, s->n);
}

static void lower_into_arm(Lower *l, Arm *a, Stmts s, bool tail)
{
    Builder back = enter_block(l, a->block);
    int mark = env_mark(l);

    env_redo(l, a->changes);
    l->depth += 4; /* an arm takes more of the stack than an expression */
    if (l->depth < LOWER_MAX_DEPTH)
        a->flow = lower_sequence(l, s, tail);
    else if (!stmts_end(&s))
        refuse_depth(l, &s);
    l->depth -= 4;
    a->changes = env_rollback(l, mark);
    l->b = back;
}

static Arm new_arm(Lower *l)
{
    Arm a = {.block = block_new(l->b.func, NULL)};

    a.flow.result.kind = VAL_UNDEFINED;
    return a;
}

static Arm lower_arm(Lower *l, Stmts s, bool tail)
{
    Arm a = new_arm(l);

    lower_into_arm(l, &a, s, tail);
    return a;
}

/* --- making two values alike --- */

/* A value that no path looks at, in the form of `like`. */
static Val filler(Join *j, int arm, Val like)
{
    Builder back = enter_block(j->l, j->arms[arm]->block);
    Values parts = {0}, zeros = {0};

    val_flatten(j->l, like, &parts);
    for (int i = 0; i < parts.len; i++)
        vec_push(j->l->arena, &zeros, build_const(&j->l->b, parts.at[i]->type, 0));
    j->l->b = back;
    Value *const *next = zeros.at;
    return val_rebuild(j->l, like, &next);
}

/* A constant as a run-time value of that arm. */
static Val to_run_in(Join *j, int arm, Val v)
{
    Builder back = enter_block(j->l, j->arms[arm]->block);
    Val out = val_run(j->l->language->val_to_run(j->l, v, j->l->b.span));

    j->l->b = back;
    return out;
}

static bool unify(Join *j, bool weak, Val *x, Val *y);

static bool unify_tuples(Join *j, bool weak, Val *x, Val *y)
{
    int n = x->tuple->n;

    if (n != y->tuple->n)
        return false;
    *x = val_tuple_like(j->l, x->tuple, x->tuple->items);
    *y = val_tuple_like(j->l, y->tuple, y->tuple->items);
    for (int i = 0; i < n; i++) {
        if (!unify(j, weak, &x->tuple->items[i], &y->tuple->items[i]))
            return false;
    }
    return true;
}

/* Bring what the two arms give to one form, or say that there is none.  Constants that differ
 * become run-time values if they are `weak`. */
static bool unify(Join *j, bool weak, Val *x, Val *y)
{
    if (x->kind == VAL_UNKNOWN || y->kind == VAL_UNKNOWN) {
        *x = *y = val_unknown();
        return true;
    }
    if (x->kind == VAL_UNDEFINED)
        *x = filler(j, 0, *y);
    if (y->kind == VAL_UNDEFINED)
        *y = filler(j, 1, *x);
    if (val_same(*x, *y))
        return true;
    if (x->kind == VAL_TUPLE && y->kind == VAL_TUPLE)
        return unify_tuples(j, weak, x, y);
    if (weak && val_is_number(*x))
        *x = to_run_in(j, 0, *x);
    if (weak && val_is_number(*y))
        *y = to_run_in(j, 1, *y);
    return x->kind == VAL_RUN && y->kind == VAL_RUN && x->run->type == y->run->type;
}

/* Note a pair of alike values; what they hold at run time is yielded. */
static void join_pair(Join *j, int slot, Binding b, Val x, Val y)
{
    Joined item = {slot, b, x, val_same(x, y)};

    vec_push(j->l->arena, &j->items, item);
    if (item.fixed)
        return;
    val_flatten(j->l, x, &j->values[0]);
    val_flatten(j->l, y, &j->values[1]);
}

/* At run time, a scalar or a tile of numbers. */
static bool is_number(Val v)
{
    return v.kind == VAL_RUN && !val_is_handle(v) && !v.run->type->pointer;
}

/* --- names --- */

static const Change *change_of(const Arm *a, int slot)
{
    for (int i = 0; i < a->changes.n; i++) {
        if (a->changes.at[i].slot == slot)
            return &a->changes.at[i];
    }
    return NULL;
}

static void report_arms(Join *j, int slot, const Binding *old, const Binding *t, const Binding *e,
                        Val x, Val y)
{
    Lower *l = j->l;
    Sym name = l->frame->names.at[slot];
    bool then = old->bound && strcmp(val_text(l, old->val), val_text(l, x)) != 0;

    if (!old->bound) {
        error_at(l, e->span, E_ARMS_DIFFER, name, val_text(l, x), val_text(l, y));
        note_at(l, t->span, NOTE_ASSIGNED_HERE, name);
        if (is_number(x) && is_number(y))
            hint_at(l, H_ARMS_DIFFER, name);
        return;
    }
    error_at(l, then ? t->span : e->span, E_ARM_REDEFINES, name, val_text(l, old->val),
             then ? "then" : "else", val_text(l, then ? x : y));
    note_at(l, old->span, NOTE_ASSIGNED_HERE, name);
    if (val_is_number(old->val))
        hint_at(l, H_MAKE_RUN_TIME, name, name);
    else if (val_is_none(old->val))
        hint_at(l, H_ARM_NONE);
}

/* The name is not there afterwards, and its use will say why. */
static void lose_name(Join *j, int slot, uint8_t lost, Span span)
{
    Binding b = {.lost = lost, .span = span};

    env_put(j->l, slot, b);
}

/* What only the arm sees changes nothing behind it. */
static const Change *leave_local(Join *j, const Change *c)
{
    if (!c->old.bound)
        lose_name(j, c->slot, LOST_WITH_ARM, c->new.span);
    return NULL;
}

static void join_name(Join *j, int slot)
{
    Binding old = j->l->frame->env.at[slot];
    const Change *ct = change_of(j->arms[0], slot), *ce = change_of(j->arms[1], slot);

    if (ct && env_is_local(&ct->new))
        ct = leave_local(j, ct);
    if (ce && env_is_local(&ce->new))
        ce = leave_local(j, ce);
    if (!ct && !ce)
        return;
    Binding t = ct ? ct->new : old, e = ce ? ce->new : old;
    bool t_returns = j->arms[0]->flow.kind == FLOW_RETURNS;
    bool e_returns = j->arms[1]->flow.kind == FLOW_RETURNS;

    if (t.missing || e.missing) {
        env_put(j->l, slot, t.missing ? t : e);
        return;
    }
    if ((t_returns && !ce) || (e_returns && !ct))
        return; /* whoever looks at the name comes through an arm that left it alone */
    if (t_returns) {
        t = e;
        t.val.kind = VAL_UNDEFINED;
    } else if (e_returns) {
        e = t;
        e.val.kind = VAL_UNDEFINED;
    }
    if (!t.bound || !e.bound) {
        if (t.bound || e.bound)
            lose_name(j, slot, LOST_IN_ARM, t.bound ? t.span : e.span);
        return;
    }
    Val x = t.val, y = e.val;
    if (!unify(j, old.weak || t.weak || e.weak, &x, &y)) {
        report_arms(j, slot, &old, &t, &e, t.val, e.val);
        x = y = val_unknown();
    }
    join_pair(j, slot, ct ? t : e, x, y);
}

static void join_names(Join *j)
{
    for (int i = 0; i < j->arms[0]->changes.n; i++)
        join_name(j, j->arms[0]->changes.at[i].slot);
    for (int i = 0; i < j->arms[1]->changes.n; i++) {
        if (!change_of(j->arms[0], j->arms[1]->changes.at[i].slot))
            join_name(j, j->arms[1]->changes.at[i].slot);
    }
}

/* --- returns --- */

static void join_results(Join *j, Span span)
{
    Val x = j->arms[0]->flow.result, y = j->arms[1]->flow.result;
    Binding none = {0};

    bool nothing =
        (val_is_none(x) || x.kind == VAL_UNDEFINED) && (val_is_none(y) || y.kind == VAL_UNDEFINED);
    if (nothing)
        x = y = val_none(j->l);
    if (!unify(j, true, &x, &y)) {
        error_at(j->l, span, E_RETURNS_DIFFER, val_text(j->l, x), val_text(j->l, y));
        hint_at(j->l, H_RETURNS_DIFFER);
        x = y = val_unknown();
    }
    join_pair(j, -1, none, x, y);
}

/* Does control return from this arm, as a run-time flag of the arm? */
static Value *done_in(Join *j, int arm)
{
    const Flow *f = &j->arms[arm]->flow;

    if (f->kind == FLOW_MAYBE)
        return f->done;
    Builder back = enter_block(j->l, j->arms[arm]->block);
    Value *v = build_int(&j->l->b, type_scalar(j->l->module, DT_I1), f->kind == FLOW_RETURNS);
    j->l->b = back;
    return v;
}

/* --- the op --- */

static Op *build_if(Join *j, Value *cond)
{
    Lower *l = j->l;
    int n = j->values[0].len;
    const Type **types = NEW_N(l->arena, const Type *, n + 1);

    for (int i = 0; i < n; i++)
        types[i] = j->values[0].at[i]->type;
    for (int r = 0; r < 2; r++) {
        Builder back = enter_block(l, j->arms[r]->block);
        build_yield(&l->b, OP_yield, n, j->values[r].at);
        l->b = back;
    }
    Op *op = build_op(&l->b, OP_if, 1, &cond, 0, NULL, n, types);
    for (int r = 0; r < 2; r++) {
        op->regions[r] = j->arms[r]->block;
        op->regions[r]->owner = op;
        for (int i = 0; i < n; i++)
            value_shaped_like(l->module, op->results[i], j->values[r].at[i]);
    }
    return op;
}

/* Bind the names to the op's results; gives what is returned. */
static Val take_results(Join *j, const Op *op)
{
    Value *const *next = op->results;
    Val result = {.kind = VAL_UNDEFINED};

    for (int i = 0; i < j->items.len; i++) {
        Joined *item = &j->items.at[i];
        Val v = item->fixed ? item->val : val_rebuild(j->l, item->val, &next);
        if (item->slot < 0) {
            result = v;
            continue;
        }
        item->binding.val = v;
        item->binding.weak = item->binding.weak && v.kind == VAL_CONST;
        if (v.kind == VAL_RUN && !v.run->name)
            v.run->name = j->l->frame->names.at[item->slot];
        env_put(j->l, item->slot, item->binding);
    }
    return result;
}

static FlowKind joined_kind(FlowKind a, FlowKind b)
{
    return a == b ? a : FLOW_MAYBE;
}

/* The flag for what comes behind: the condition itself tells when exactly one arm returns. */
static Value *joined_done(Join *j, Value *cond, const Op *op)
{
    FlowKind t = j->arms[0]->flow.kind, e = j->arms[1]->flow.kind;

    if (t == FLOW_RETURNS && e == FLOW_FALLS)
        return cond;
    if (t == FLOW_FALLS && e == FLOW_RETURNS)
        return build_unary(&j->l->b, OP_not, cond);
    return op->results[op->nresults - 1];
}

static Flow join_arms(Lower *l, Value *cond, Arm *t, Arm *e, Span span)
{
    Join j = {.l = l, .arms = {t, e}};
    Flow f = {.kind = joined_kind(t->flow.kind, e->flow.kind), .result = {.kind = VAL_UNDEFINED}};
    bool one_returns =
        t->flow.kind != e->flow.kind && t->flow.kind != FLOW_MAYBE && e->flow.kind != FLOW_MAYBE;

    if (f.kind != FLOW_RETURNS)
        join_names(&j);
    if (f.kind != FLOW_FALLS)
        join_results(&j, span);
    if (f.kind == FLOW_MAYBE && !one_returns)
        for (int r = 0; r < 2; r++)
            vec_push(l->arena, &j.values[r], done_in(&j, r));
    Op *op = build_if(&j, cond);
    f.result = take_results(&j, op);
    if (f.kind == FLOW_MAYBE)
        f.done = joined_done(&j, cond, op);
    return f;
}

/* --- conditions --- */

Value *lower_condition(Lower *l, Val c, Span span, const char *hint)
{
    if (c.kind != VAL_RUN) {
        if (c.kind != VAL_UNKNOWN)
            error_at(l, span, E_CONDITION, val_text(l, c));
        return NULL;
    }
    Value *v = c.run;
    if (type_numel(v->type) != 1) {
        error_at(l, span, E_AMBIGUOUS, val_text(l, c));
        hint_at(l, "%s", hint);
        return NULL;
    }
    if (v->type->rank > 0)
        v = build_reshape(&l->b, v, 0, NULL);
    return l->language->ops_cast(l, v, DT_I1, ROUND_NEAREST, span);
}

/* The truth of a compile-time condition, of the few types that may decide an `if` (R100). */
static bool static_condition(Lower *l, Val c, Span span, bool *truth)
{
    bool fits = c.kind == VAL_CONST && (const_is_integral(c.c) || c.c->kind == CONST_NONE);

    *truth = fits && const_truth(c.c);
    if (!fits)
        error_at(l, span, E_IF_TYPE, val_text(l, c));
    return fits;
}

/* --- `if` --- */

/* The statements of an arm in front of those behind the `if`: so a `return` in it ends them all. */
static void choose_arm(Lower *l, Node *const *arm, int n, Stmts *rest)
{
    Stmts *then = NULL;

    if (!stmts_end(rest)) {
        then = NEW(l->arena, Stmts);
        *then = *rest;
    }
    *rest = (Stmts){arm, n, then};
}

static Flow lower_branch(Lower *l, const Node *n, Value *cond, const Stmts *rest, bool tail,
                         bool *took_rest)
{
    bool last = tail && stmts_end(rest);
    Arm t = lower_arm(l, (Stmts){n->body, n->nbody, NULL}, last);
    Arm e = lower_arm(l, (Stmts){n->orelse, n->norelse, NULL}, last);
    Arm *falling = t.flow.kind == FLOW_FALLS ? &t : &e;
    bool one_returns = (t.flow.kind == FLOW_RETURNS && e.flow.kind == FLOW_FALLS) ||
                       (t.flow.kind == FLOW_FALLS && e.flow.kind == FLOW_RETURNS);

    if (one_returns) {
        *took_rest = true;
        lower_into_arm(l, falling, *rest, tail);
    }
    l->b.span = n->span;
    return join_arms(l, cond, &t, &e, n->span);
}

Flow flow_falls(void)
{
    return (Flow){.kind = FLOW_FALLS, .result = {.kind = VAL_UNDEFINED}};
}

/* After an error in the condition: what either arm assigns is unknown. */
static Flow skip_arms(Lower *l, const Node *n)
{
    forget_assigned(l, n->body, n->nbody);
    forget_assigned(l, n->orelse, n->norelse);
    return flow_falls();
}

Flow lower_if(Lower *l, const Node *n, Stmts *rest, bool tail, bool *took_rest)
{
    Val c = lower_expr(l, n->left);
    Value *cond;
    bool truth;

    if (c.kind != VAL_UNKNOWN && val_is_known(c)) {
        if (!static_condition(l, c, n->left->span, &truth))
            return skip_arms(l, n);
        choose_arm(l, truth ? n->body : n->orelse, truth ? n->nbody : n->norelse, rest);
        return flow_falls();
    }
    cond = lower_condition(l, c, n->left->span, H_AMBIGUOUS_IF);
    if (!cond)
        return skip_arms(l, n);
    return lower_branch(l, n, cond, rest, tail, took_rest);
}

Flow lower_guarded(Lower *l, Flow before, Stmts rest, bool tail)
{
    Span span = l->b.span;
    Arm t = new_arm(l), e;

    t.flow = before;
    t.flow.kind = FLOW_RETURNS;
    e = lower_arm(l, rest, tail);
    l->b.span = span;
    return join_arms(l, before.done, &t, &e, span);
}

/* --- a if c else b --- */

static Val lower_side(Lower *l, Arm *a, const Node *n)
{
    Builder back = enter_block(l, a->block);
    int mark = env_mark(l);
    Val v = lower_expr(l, n);

    if (val_is_number(v))
        v = val_run(l->language->val_to_run(l, v, n->span));
    a->changes = env_rollback(l, mark);
    l->b = back;
    return v;
}

static Val lower_dynamic_conditional(Lower *l, const Node *n, Value *cond)
{
    Arm t = new_arm(l), e = new_arm(l);
    Join j = {.l = l, .arms = {&t, &e}};
    Val x = lower_side(l, &t, n->left), y = lower_side(l, &e, n->extra);
    Val given[2] = {x, y};
    Binding none = {0};

    if (!unify(&j, false, &x, &y)) {
        error_at(l, n->span, E_TERNARY, val_text(l, given[0]), val_text(l, given[1]));
        hint_at(l, H_TERNARY);
        x = y = val_unknown();
    }
    join_names(&j); /* what `:=` bound */
    join_pair(&j, -1, none, x, y);
    return take_results(&j, build_if(&j, cond));
}

Val lower_conditional(Lower *l, const Node *n)
{
    Val c = lower_expr(l, n->right);
    bool truth;

    if (c.kind != VAL_UNKNOWN && val_is_known(c)) {
        if (!static_condition(l, c, n->right->span, &truth))
            return val_unknown();
        return lower_expr(l, truth ? n->left : n->extra);
    }
    Value *cond = lower_condition(l, c, n->right->span, H_AMBIGUOUS_CHOICE);
    if (cond)
        return lower_dynamic_conditional(l, n, cond);
    forget_assigned(l, (Node *const[]){n->left, n->extra}, 2);
    return val_unknown();
}
