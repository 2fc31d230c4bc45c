/*
 * lower_loop.c - `for` and `while` (semantics R125 to R130)
 *
 * Names that are bound before a loop and assigned in it are carried: arguments of the loop's
 * region, results of its op.  Which names a body assigns is found by a walk over its syntax, so
 * some turn out to keep their value (the assignment stood in a dead static branch, the shape of a
 * block pointer never changes); those are taken out again once the body is there.
 *
 * The condition of a `while` may assign as well, with `:=`.  It is evaluated once more than the
 * body, so a name that it binds first is there in the body and behind the loop.
 */
#include "lower.h"

typedef struct {
    int slot;
    Binding binding; /* its value is that before the loop */
    int first;       /* of its parts in init, passed, final and args */
} Carried;
typedef VEC(Carried) CarriedNames;

/* The parts of `fresh` stand behind those of `names` in passed and args[1], and nowhere else. */
typedef struct {
    Lower *l;
    CarriedNames names;
    CarriedNames fresh; /* names that the condition of a `while` binds first */
    Values init;
    Values passed; /* by the condition to the body of a `while` */
    Values final;
    Value **args[2]; /* in the region(s) */
    bool *fixed;     /* parts that never change */
} Loop;

/* --- which names a body assigns --- */

typedef VEC(Sym) Syms;

static void collect_name(Lower *l, Sym name, Syms *out)
{
    for (int i = 0; i < out->len; i++) {
        if (out->at[i] == name)
            return;
    }
    vec_push(l->arena, out, name);
}

static void collect_target(Lower *l, const Node *n, Syms *out)
{
    if (n->kind == N_SUBSCRIPT) /* of a tile: the name gets a new one */
        n = n->left;
    if (n->kind == N_NAME)
        collect_name(l, n->name, out);
    for (int i = 0; i < n->nitems && (n->kind == N_TUPLE || n->kind == N_LIST); i++)
        collect_target(l, n->items[i], out);
}

static void collect_list(Lower *l, Node *const *nodes, int n, Syms *out);

/* Of a statement or an expression, which assigns with `:=`. */
static void collect_assigned(Lower *l, const Node *n, Syms *out)
{
    Node *const parts[] = {n->left, n->right, n->extra};

    if (n->kind == N_ASSIGN)
        for (int i = 0; i < n->nitems; i++)
            collect_target(l, n->items[i], out);
    else if (n->kind == N_AUGMENTED || (n->kind == N_ANNOTATED && n->right))
        collect_target(l, n->left, out);
    else if (n->kind == N_WALRUS)
        collect_name(l, n->name, out);
    collect_list(l, parts, COUNT(parts), out);
    collect_list(l, n->items, n->nitems, out);
    collect_list(l, n->body, n->nbody, out);
    collect_list(l, n->orelse, n->norelse, out);
}

static void collect_list(Lower *l, Node *const *nodes, int n, Syms *out)
{
    for (int i = 0; i < n; i++) {
        if (nodes[i])
            collect_assigned(l, nodes[i], out);
    }
}

void forget_assigned(Lower *l, Node *const *nodes, int n)
{
    Syms names = {0};

    collect_list(l, nodes, n, &names);
    for (int i = 0; i < names.len; i++)
        env_bind(l, names.at[i], val_unknown(), l->b.span);
}

/* --- carried names --- */

/* R26, kinder: a parameter that happened to be 1 becomes a run-time value in front of the loop. */
static void strengthen(Lower *l, Sym name, Binding b)
{
    if (!b.weak || !val_is_number(b.val))
        return;
    b.val = val_run(l->language->val_to_run(l, b.val, b.span));
    b.weak = false;
    env_put(l, env_slot(l, name), b);
}

/* The variable of a `for` is not carried: each round begins with its own value of it. */
static void find_carried(Loop *loop, const Node *n)
{
    Lower *l = loop->l;
    Sym variable = n->kind == N_FOR && n->left->kind == N_NAME ? n->left->name : NULL;
    Syms names = {0};

    if (n->kind == N_WHILE)
        collect_assigned(l, n->left, &names);
    collect_list(l, n->body, n->nbody, &names);
    for (int i = 0; i < names.len; i++) {
        const Binding *b = env_find(l, names.at[i]);
        if (!b || !b->bound || names.at[i] == variable)
            continue;
        strengthen(l, names.at[i], *b);
        if (b->val.kind != VAL_UNKNOWN && val_is_known(b->val))
            continue;
        Carried c = {env_slot(l, names.at[i]), *b, loop->init.len};
        vec_push(l->arena, &loop->names, c);
        val_flatten(l, b->val, &loop->init);
    }
}

/* Bind names to the values that stand for their parts. */
static void bind_parts(Lower *l, const CarriedNames *names, Value *const *parts)
{
    for (int i = 0; i < names->len; i++) {
        const Carried *c = &names->at[i];
        Value *const *next = parts + c->first;
        Binding b = c->binding;
        b.val = val_rebuild(l, b.val, &next);
        if (b.val.kind == VAL_RUN && !b.val.run->name)
            b.val.run->name = l->frame->names.at[c->slot];
        env_put(l, c->slot, b);
    }
}

/* What a region is given as its arguments, and the names bound to them. */
static void open_region(Loop *loop, int region, Block *block)
{
    const Values *given = region ? &loop->passed : &loop->init;
    Value **args = NEW_N(loop->l->arena, Value *, given->len + 1);

    for (int i = 0; i < given->len; i++) {
        args[i] = block_add_arg(block, given->at[i]->type);
        value_shaped_like(loop->l->module, args[i], given->at[i]);
    }
    loop->args[region] = args;
    bind_parts(loop->l, &loop->names, args);
    if (region)
        bind_parts(loop->l, &loop->fresh, args);
}

static bool same_form(Val a, Val b)
{
    if (a.kind != b.kind)
        return false;
    if (a.kind == VAL_RUN)
        return a.run->type == b.run->type;
    if (a.kind == VAL_TUPLE) {
        bool same = a.tuple->n == b.tuple->n;
        for (int i = 0; same && i < a.tuple->n; i++)
            same = same_form(a.tuple->items[i], b.tuple->items[i]);
        return same;
    }
    return val_same(a, b);
}

/* What a region leaves in one carried name; its own argument after an error. */
static void close_name(Loop *loop, const Carried *c, int region, Values *out)
{
    Lower *l = loop->l;
    Binding *b = &l->frame->env.at[c->slot];
    Sym name = l->frame->names.at[c->slot];
    Val like = c->binding.val;
    int parts = out->len;

    if (b->bound && same_form(like, b->val)) {
        val_flatten(l, b->val, out);
        return;
    }
    if (b->bound && b->val.kind != VAL_UNKNOWN && like.kind != VAL_UNKNOWN) {
        error_at(l, b->span, E_CARRIED_TYPE, name, val_text(l, like), val_text(l, b->val));
        hint_at(l, H_CARRIED_TYPE, name);
    }
    val_flatten(l, like, out);
    for (int i = parts; i < out->len; i++)
        out->at[i] = loop->args[region][i];
}

static void close_names(Loop *loop, int region, Values *out)
{
    for (int i = 0; i < loop->names.len; i++)
        close_name(loop, &loop->names.at[i], region, out);
}

static bool has_slot(const CarriedNames *names, int slot)
{
    for (int i = 0; i < names->len; i++) {
        if (names->at[i].slot == slot)
            return true;
    }
    return false;
}

/* A name that is not carried was assigned: it was not there before, or cannot be carried. */
static void leave_name(Loop *loop, const Change *c)
{
    Lower *l = loop->l;
    Sym name = l->frame->names.at[c->slot];
    Binding lost = {.lost = LOST_IN_LOOP, .span = c->new.span};

    if (l->frame->env.at[c->slot].lost == LOST_LOOP_VARIABLE)
        return;
    if (env_is_local(&c->new) && c->old.bound)
        return; /* and is what it was */
    if (c->new.round)
        lost.lost = LOST_LOOP_VARIABLE;
    if (!c->old.bound || !c->new.bound) {
        if (c->new.lost || c->new.missing)
            lost = c->new;
        env_put(l, c->slot, lost);
        return;
    }
    bool unknown = c->old.val.kind == VAL_UNKNOWN || c->new.val.kind == VAL_UNKNOWN;
    if (unknown || val_same(c->old.val, c->new.val))
        return;
    if (!val_is_number(c->old.val)) {
        error_at(l, c->new.span, E_CARRIED_KIND, name, val_text(l, c->old.val));
        return;
    }
    error_at(l, c->new.span, E_CARRIED_CONST, name, val_text(l, c->old.val),
             val_text(l, c->new.val));
    hint_at(l, H_MAKE_RUN_TIME, name, name);
}

static void leave_names(Loop *loop, Changes changes)
{
    for (int i = 0; i < changes.n; i++) {
        if (!has_slot(&loop->names, changes.at[i].slot) &&
            !has_slot(&loop->fresh, changes.at[i].slot))
            leave_name(loop, &changes.at[i]);
    }
}

/* --- parts that never change --- */

static void resolve_op(Op *op, void *unused)
{
    (void)unused;
    ir_resolve_operands(op);
}

static bool find_fixed(Loop *loop, int regions)
{
    int n = loop->init.len;
    bool any = false;

    loop->fixed = NEW_N(loop->l->arena, bool, n + 1);
    for (int i = 0; i < n; i++) {
        bool fixed = loop->final.at[i] == loop->args[regions - 1][i] &&
                     (regions == 1 || loop->passed.at[i] == loop->args[0][i]);
        loop->fixed[i] = fixed;
        any |= fixed;
        for (int r = 0; fixed && r < regions; r++)
            loop->args[r][i]->repl = loop->init.at[i];
    }
    return any;
}

static void drop_fixed_args(Block *b)
{
    int kept = 0;

    for (int i = 0; i < b->nargs; i++) {
        if (b->args[i]->repl)
            continue;
        b->args[i]->index = kept;
        b->args[kept++] = b->args[i];
    }
    b->nargs = kept;
}

/* The values that change, of a list that begins with one for every carried part. */
static Values changing(const Loop *loop, const Values *all)
{
    Values out = {0};

    for (int i = 0; i < all->len; i++) {
        if (i >= loop->init.len || !loop->fixed[i])
            vec_push(loop->l->arena, &out, ir_resolve(all->at[i]));
    }
    return out;
}

static void simplify_bounds(Loop *loop, Block *const *blocks, int regions)
{
    if (!find_fixed(loop, regions))
        return;
    for (int r = 0; r < regions; r++) {
        ir_walk(blocks[r], resolve_op, NULL);
        drop_fixed_args(blocks[r]);
    }
}

/* --- the op --- */

static void end_block(Lower *l, Block *b, OpCode ends, const Values *v)
{
    Builder old = l->b;

    l->b.block = b;
    l->b.before = NULL;
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

/* Bind the names to what they are behind the loop: of `given`, what changes is a result. */
static void take_results(Loop *loop, const Values *given, const Op *op)
{
    Value **after = NEW_N(loop->l->arena, Value *, given->len + 1);
    int at = 0;

    for (int i = 0; i < given->len; i++) {
        bool fixed = i < loop->init.len && loop->fixed[i];
        after[i] = fixed ? loop->init.at[i] : op->results[at++];
    }
    bind_parts(loop->l, &loop->names, after);
    bind_parts(loop->l, &loop->fresh, after);
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
    open_region(loop, iv ? 0 : 1, body);
    if (iv)
        bind_variable(l, n->left, iv);
    l->frame->loop_depth++;
    lower_stmts(l, n->body, n->nbody, false);
    l->frame->loop_depth--;
    close_names(loop, iv ? 0 : 1, &loop->final);
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
    find_carried(&loop, n);
    Block *body = block_new(l->b.func, NULL);
    Value *iv = block_add_arg(body, operands.at[0]->type);
    Changes changes = lower_loop_body(&loop, n, body, iv);
    l->b.span = n->span;
    simplify_bounds(&loop, &body, 1);
    Values kept = changing(&loop, &loop.init), yielded = changing(&loop, &loop.final);
    for (int i = 0; i < kept.len; i++)
        vec_push(l->arena, &operands, kept.at[i]);
    end_block(l, body, OP_yield, &yielded);
    Op *op = build_loop(&loop, OP_for, &operands, &kept, &body, 1);
    put_wishes(op, r);
    lose_variable(l, n->left); /* and is not looked at again by what comes next */
    leave_names(&loop, changes);
    take_results(&loop, &loop.init, op);
}

void lower_for(Lower *l, const Node *n)
{
    bool is_static = false;
    Range r;

    if (n->norelse)
        error_at(l, n->orelse[0]->span, E_LOOP_ELSE);
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
        if (has_slot(&loop->names, c->slot))
            continue;
        if (c->old.bound || !c->new.bound) {
            leave_name(loop, c);
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
    open_region(loop, 0, block);
    Val v = lower_expr(l, n->left);
    if (v.kind == VAL_CONST) {
        error_at(l, n->left->span, E_WHILE_CONST, val_text(l, v));
        hint_at(l, H_WHILE_CONST);
        c = NULL;
    } else {
        c = lower_condition(l, v, n->left->span, H_AMBIGUOUS_WHILE);
    }
    close_names(loop, 0, &loop->passed);
    l->b = old;
    pass_fresh(loop, env_rollback(l, mark));
    return c;
}

void lower_while(Lower *l, const Node *n)
{
    Loop loop = {.l = l};
    Block *blocks[2];

    if (n->norelse)
        error_at(l, n->orelse[0]->span, E_LOOP_ELSE);
    find_carried(&loop, n);
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
    simplify_bounds(&loop, blocks, 2);
    Values condition = {0}, init = changing(&loop, &loop.init);
    Values passed = changing(&loop, &loop.passed), yielded = changing(&loop, &loop.final);
    vec_push(l->arena, &condition, ir_resolve(cond));
    for (int i = 0; i < passed.len; i++)
        vec_push(l->arena, &condition, passed.at[i]);
    end_block(l, blocks[0], OP_condition, &condition);
    end_block(l, blocks[1], OP_yield, &yielded);
    Op *op = build_loop(&loop, OP_while, &init, &passed, blocks, 2);
    leave_names(&loop, changes);
    take_results(&loop, &loop.passed, op);
}
