/*
 * lower_loop.c - `for` and `while` (semantics R125 to R130)
 *
 * lower_carry.c says what a loop carries; here are the ranges of a `for`, the condition of a
 * `while`, and the ops.
 *
 * The condition of a `while` may assign as well, with `:=`.  It is evaluated once more than the
 * body, so a name that it binds first is there in the body and behind the loop.
 */
#include "lower_carry.h"

/* --- the op --- */

/* At its end the names of the block mean what its last statement made of them. */
static void end_block(Lower *l, Block *b, OpCode ends, const Values *v)
{
    Builder old = l->b;

    l->b.block = b;
    l->b.before = NULL;
    l->b.mark = l->b.func->marks.len;
    build_yield(&l->b, ends, v->len, v->at);
    l->b = old;
}

/* `kept` has the types of the results. */
static Op *build_loop(Loop *loop, OpCode code, const Values *operands, const Values *kept,
                      Block *const *blocks, int regions)
{
    Lower *l = loop->l;
    const Type **types = NEW_N(l->arena, const Type *, kept->len + 1);

    for (int i = 0; i < kept->len; i++)
        types[i] = kept->at[i]->type;
    Op *op = build_op(&l->b, code, operands->len, operands->at, 0, NULL, kept->len, types);
    for (int i = 0; i < kept->len; i++)
        value_shaped_like(l->module, op->results[i], kept->at[i]);
    for (int r = 0; r < regions; r++) {
        op->regions[r] = blocks[r];
        blocks[r]->owner = op;
    }
    return op;
}

/* --- for --- */

typedef struct {
    Val start, stop, step;
    const Node *node[3];
    int64_t unroll, num_stages, flatten, warp_specialize, disallow_acc_multi_buffer, disable_licm;
} Range;

/* A wish that only some targets follow; 0 when it is not a known number. */
static int64_t range_wish(Lower *l, const Args *a, ArgName name)
{
    Val v = l->language->arg(a, name);
    bool known = v.kind == VAL_CONST && const_is_integral(v.c);

    return known && v.c->integer >= 0 && v.c->integer < 1 << 16 ? (int64_t)v.c->integer : 0;
}

static void report_iterator(Lower *l, const Node *iter)
{
    Val v = lower_expr(l, iter);

    if (v.kind == VAL_UNKNOWN)
        return;
    error_at(l, iter->span, E_ITERATOR);
    if (v.kind == VAL_RUN && v.run->type->rank > 0)
        hint_at(l, H_ITERATE_TILE);
    else if (iter->kind == N_NAME && (v.kind == VAL_RUN || val_is_number(v)))
        hint_at(l, H_ITERATE_NUMBER, iter->name);
    else
        hint_at(l, H_ITERATOR);
}

/* range(stop) or range(start, stop[, step]), with the keywords of tl.range. */
static bool lower_range(Lower *l, const Node *iter, Range *out, bool *is_static)
{
    Args a;
    ArgList list;

    l->language->chain_begin(l, iter);
    Val f = iter->kind == N_CALL ? lower_expr(l, iter->left) : val_unknown();
    bool is_range = f.kind == VAL_BUILTIN &&
                    (f.builtin->data == RANGE_STATIC || f.builtin->data == RANGE_DYNAMIC);

    if (!is_range) {
        if (iter->kind != N_CALL || f.kind != VAL_UNKNOWN)
            report_iterator(l, iter);
        return false;
    }
    *is_static = f.builtin->data == RANGE_STATIC;
    list = lower_arguments(l, iter, ADMIT_VALUES);
    if (!l->language->bind_builtin(l, f.builtin, &list, &a) || l->language->arg_unknown(&a))
        return false;
    bool one = !l->language->arg_given(&a, ARG_arg2);
    ArgName stop = one ? ARG_arg1 : ARG_arg2;
    *out = (Range){
        .start = one ? val_int(l, 0) : l->language->arg(&a, ARG_arg1),
        .stop = l->language->arg(&a, stop),
        .step = l->language->arg(&a, ARG_step),
        .node = {l->language->arg_node(&a, ARG_arg1), l->language->arg_node(&a, stop),
                 l->language->arg_node(&a, ARG_step)},
    };
    if (*is_static)
        return true;
    out->num_stages = range_wish(l, &a, ARG_num_stages);
    out->disallow_acc_multi_buffer = range_wish(l, &a, ARG_disallow_acc_multi_buffer);
    out->flatten = range_wish(l, &a, ARG_flatten);
    out->warp_specialize = range_wish(l, &a, ARG_warp_specialize);
    out->disable_licm = range_wish(l, &a, ARG_disable_licm);
    return !l->language->arg_given(&a, ARG_loop_unroll_factor) ||
           l->language->arg_int(l, &a, ARG_loop_unroll_factor, &out->unroll);
}

static Span range_span(const Range *r, int i, Span loop)
{
    return r->node[i] ? r->node[i]->span : loop;
}

static bool static_bound(Lower *l, const Range *r, int i, Val v, Span span, __int128 *out)
{
    static const char *const names[] = {"start", "end", "step"};

    *out = 0;
    if (v.kind == VAL_CONST && const_is_integral(v.c)) {
        *out = v.c->integer;
        return true;
    }
    error_at(l, range_span(r, i, span), E_STATIC_RANGE, names[i], val_text(l, v));
    l->language->hint_not_constexpr(l, r->node[i]);
    return false;
}

static void bind_static(Lower *l, const Node *target, __int128 i)
{
    Binding b = {.bound = true, .round = true, .span = target->span, .val = val_int(l, i)};

    if (target->kind == N_NAME)
        env_put(l, env_slot(l, target->name), b);
    else
        error_at(l, target->span, E_TARGET);
}

/* R128: the body once per value, in the same scope. */
static void lower_static_for(Lower *l, const Node *n, const Range *r)
{
    __int128 a, b, s, trips = 0;
    bool ok_a = static_bound(l, r, 0, r->start, n->span, &a);
    bool ok_b = static_bound(l, r, 1, r->stop, n->span, &b);
    bool ok_s = static_bound(l, r, 2, r->step, n->span, &s), ok = ok_a && ok_b && ok_s;
    int errors = error_count(l), values = l->b.func->nvalues;

    if (!ok || s == 0) {
        if (ok)
            error_at(l, n->right->span, E_STEP_ZERO);
        forget_assigned(l, n->body, n->nbody);
        return;
    }
    l->frame->loop_depth++;
    for (__int128 i = a; s > 0 ? i < b : i > b;) {
        if (++trips > MAX_STATIC_TRIPS) {
            error_at(l, n->right->span, E_STATIC_TRIPS, "static_range", MAX_STATIC_TRIPS);
            break;
        }
        bind_static(l, n->left, i);
        lower_stmts(l, n->body, n->nbody, false);
        if (error_count(l) != errors)
            break; /* the next round would only repeat it */
        if (__builtin_add_overflow(i, s, &i))
            break; /* beyond every end */
    }
    l->frame->loop_depth--;
    const Unrolled u = {n->right->span, (int)trips, l->b.func->nvalues - values};
    vec_push(l->module->arena, &l->module->unrolled, u);
}

static bool is_int_scalar(const Value *v)
{
    return !v->type->pointer && v->type->rank == 0 && dtype_is_int(v->type->dtype);
}

static void refuse_bound(Lower *l, Val bound, Span span)
{
    error_at(l, span, E_RANGE_BOUND, val_text(l, bound));
    if (val_is_number(bound))
        hint_at(l, H_RANGE_FRACTION);
    else if (bound.run->type->rank > 0)
        hint_at(l, H_RANGE_TILE);
    else
        hint_at(l, bound.run->type->pointer ? H_RANGE_POINTER : H_RANGE_FLOAT);
}

/* The three bounds as run-time values of one integer dtype (R125). */
static bool dynamic_bounds(Lower *l, const Range *r, Span span, Values *out)
{
    Val given[3] = {r->start, r->stop, r->step};
    Value *v[3];
    DType t = DT_I32;

    if (val_is_number(r->step) && const_to_double(r->step.c) == 0) {
        error_at(l, range_span(r, 2, span), E_STEP_ZERO);
        return false;
    }
    for (int i = 0; i < 3; i++) {
        v[i] = l->language->val_to_run(l, given[i], range_span(r, i, span));
        if (v[i] && !is_int_scalar(v[i]))
            refuse_bound(l, given[i], range_span(r, i, span));
        if (!v[i] || !is_int_scalar(v[i]))
            return false;
        bool first = i == 0 && v[0]->type->dtype != DT_I1;
        if (first)
            t = v[0]->type->dtype;
        else if (!l->language->promote_types(l, t, v[i]->type->dtype, false, span, &t))
            return false;
    }
    for (int i = 0; i < 3; i++)
        vec_push(l->arena, out, build_cast(&l->b, v[i], t, ROUND_NEAREST));
    return true;
}

static void bind_variable(Lower *l, const Node *target, Value *iv)
{
    if (target->kind == N_NAME)
        iv->name = target->name;
    lower_assign(l, target, val_run(iv), target->span);
}

static void lose_variable(Lower *l, const Node *target)
{
    Binding b = {.lost = LOST_LOOP_VARIABLE, .span = target->span};

    if (target->kind == N_NAME)
        env_put(l, env_slot(l, target->name), b);
}

static Changes lower_loop_body(Loop *loop, const Node *n, Block *body, Value *iv)
{
    Lower *l = loop->l;
    Builder old = l->b;
    int mark = env_mark(l);

    l->b.block = body;
    l->b.before = NULL;
    carry_open(loop, iv ? 0 : 1, body);
    if (iv)
        bind_variable(l, n->left, iv);
    l->frame->loop_depth++;
    lower_stmts(l, n->body, n->nbody, false);
    l->frame->loop_depth--;
    carry_close(loop, iv ? 0 : 1, &loop->final);
    l->b = old;
    return env_rollback(l, mark);
}

static void put_wishes(Op *op, const Range *r)
{
    attr_set(op, ATTR_unroll, r->unroll);
    attr_set(op, ATTR_num_stages, r->num_stages);
    attr_set(op, ATTR_flatten, r->flatten);
    attr_set(op, ATTR_warp_specialize, r->warp_specialize);
    attr_set(op, ATTR_disallow_acc_multi_buffer, r->disallow_acc_multi_buffer);
    attr_set(op, ATTR_disable_licm, r->disable_licm);
}

static void lower_dynamic_for(Lower *l, const Node *n, const Range *r)
{
    Loop loop = {.l = l};
    Values operands = {0};

    if (!dynamic_bounds(l, r, n->right->span, &operands)) {
        forget_assigned(l, n->body, n->nbody);
        env_bind(l, n->left->kind == N_NAME ? n->left->name : intern(l->interner, ""),
                 val_unknown(), n->span);
        return;
    }
    carry_names(&loop, n);
    Block *body = block_new(l->b.func, NULL);
    Value *iv = block_add_arg(body, operands.at[0]->type);
    Changes changes = lower_loop_body(&loop, n, body, iv);
    l->b.span = n->span;
    carry_drop_fixed(&loop, &body, 1);
    Values kept = carry_changing(&loop, &loop.init), yielded = carry_changing(&loop, &loop.final);
    for (int i = 0; i < kept.len; i++)
        vec_push(l->arena, &operands, kept.at[i]);
    end_block(l, body, OP_yield, &yielded);
    Op *op = build_loop(&loop, OP_for, &operands, &kept, &body, 1);
    put_wishes(op, r);
    lose_variable(l, n->left); /* and is not looked at again by what comes next */
    carry_leave(&loop, changes);
    carry_take_results(&loop, &loop.init, op);
}

static void refuse_else(Lower *l, const Node *n)
{
    if (n->norelse)
        fail_hint(l, n->orelse[0]->span, H_LOOP_ELSE, E_LOOP_ELSE);
}

void lower_for(Lower *l, const Node *n)
{
    bool is_static = false;
    Range r;

    refuse_else(l, n);
    if (!lower_range(l, n->right, &r, &is_static)) {
        forget_assigned(l, n->body, n->nbody);
        if (n->left->kind == N_NAME)
            env_bind(l, n->left->name, val_unknown(), n->span);
        return;
    }
    if (is_static)
        lower_static_for(l, n, &r);
    else
        lower_dynamic_for(l, n, &r);
}

/* --- while --- */

/* Names that the condition assigns and that are not carried. */
static void pass_fresh(Loop *loop, Changes changes)
{
    for (int i = 0; i < changes.n; i++) {
        const Change *c = &changes.at[i];
        Carried fresh = {c->slot, c->new, loop->passed.len};
        if (carry_has_slot(&loop->names, c->slot))
            continue;
        if (c->old.bound || !c->new.bound) {
            carry_leave_name(loop, c);
            continue;
        }
        vec_push(loop->l->arena, &loop->fresh, fresh);
        val_flatten(loop->l, c->new.val, &loop->passed);
    }
}

/* The first region: evaluates the condition from the carried names. */
static Value *lower_while_condition(Loop *loop, const Node *n, Block *block)
{
    Lower *l = loop->l;
    Builder old = l->b;
    int mark = env_mark(l);
    Value *c;

    l->b.block = block;
    l->b.before = NULL;
    carry_open(loop, 0, block);
    Val v = lower_expr(l, n->left);
    if (v.kind == VAL_CONST) {
        error_at(l, n->left->span, E_WHILE_CONST, val_text(l, v));
        hint_at(l, H_WHILE_CONST);
        c = NULL;
    } else {
        c = lower_condition(l, v, n->left->span, H_AMBIGUOUS_WHILE);
    }
    carry_close(loop, 0, &loop->passed);
    l->b = old;
    pass_fresh(loop, env_rollback(l, mark));
    return c;
}

void lower_while(Lower *l, const Node *n)
{
    Loop loop = {.l = l};
    Block *blocks[2];

    refuse_else(l, n);
    carry_names(&loop, n);
    for (int r = 0; r < 2; r++)
        blocks[r] = block_new(l->b.func, NULL);
    Value *cond = lower_while_condition(&loop, n, blocks[0]);
    Changes changes = lower_loop_body(&loop, n, blocks[1], NULL);
    if (!cond) {
        forget_assigned(l, &n->left, 1);
        forget_assigned(l, n->body, n->nbody);
        return;
    }
    l->b.span = n->span;
    carry_drop_fixed(&loop, blocks, 2);
    Values condition = {0}, init = carry_changing(&loop, &loop.init);
    Values passed = carry_changing(&loop, &loop.passed),
           yielded = carry_changing(&loop, &loop.final);
    vec_push(l->arena, &condition, ir_resolve(cond));
    for (int i = 0; i < passed.len; i++)
        vec_push(l->arena, &condition, passed.at[i]);
    end_block(l, blocks[0], OP_condition, &condition);
    end_block(l, blocks[1], OP_yield, &yielded);
    Op *op = build_loop(&loop, OP_while, &init, &passed, blocks, 2);
    carry_leave(&loop, changes);
    carry_take_results(&loop, &loop.passed, op);
}
