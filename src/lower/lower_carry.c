/*
 * lower_carry.c - what a loop carries from round to round
 *
 * Names that are bound before a loop and assigned in it are carried: arguments of the loop's
 * region, results of its op.  Which names a body assigns is found by a walk over its syntax, so
 * some turn out to keep their value (the assignment stood in a dead static branch, the shape of a
 * block pointer never changes); those are taken out again once the body is there.
 */
#include "lower_carry.h"

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
void carry_names(Loop *loop, const Node *n)
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
void carry_open(Loop *loop, int region, Block *block)
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

/* s = 0 in front of the loop, s += 0.5 in it. */
static bool is_int_to_float(Val from, Val to)
{
    const Type *x = from.kind == VAL_RUN ? from.run->type : NULL;
    const Type *y = to.kind == VAL_RUN ? to.run->type : NULL;

    return x && y && x->rank == 0 && y->rank == 0 && !x->pointer && !y->pointer &&
           dtype_is_int(x->dtype) && dtype_is_float(y->dtype);
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
        hint_at(l, is_int_to_float(like, b->val) ? H_CARRIED_FLOAT : H_CARRIED_TYPE, name);
    }
    val_flatten(l, like, out);
    for (int i = parts; i < out->len; i++)
        out->at[i] = loop->args[region][i];
}

void carry_close(Loop *loop, int region, Values *out)
{
    for (int i = 0; i < loop->names.len; i++)
        close_name(loop, &loop->names.at[i], region, out);
}

bool carry_has_slot(const CarriedNames *names, int slot)
{
    for (int i = 0; i < names->len; i++) {
        if (names->at[i].slot == slot)
            return true;
    }
    return false;
}

/* A name that is not carried was assigned: it was not there before, or cannot be carried. */
void carry_leave_name(Loop *loop, const Change *c)
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

void carry_leave(Loop *loop, Changes changes)
{
    for (int i = 0; i < changes.n; i++) {
        if (!carry_has_slot(&loop->names, changes.at[i].slot) &&
            !carry_has_slot(&loop->fresh, changes.at[i].slot))
            carry_leave_name(loop, &changes.at[i]);
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
Values carry_changing(const Loop *loop, const Values *all)
{
    Values out = {0};

    for (int i = 0; i < all->len; i++) {
        if (i >= loop->init.len || !loop->fixed[i])
            vec_push(loop->l->arena, &out, ir_resolve(all->at[i]));
    }
    return out;
}

void carry_drop_fixed(Loop *loop, Block *const *blocks, int regions)
{
    if (!find_fixed(loop, regions))
        return;
    for (int r = 0; r < regions; r++) {
        ir_walk(blocks[r], resolve_op, NULL);
        drop_fixed_args(blocks[r]);
    }
}

/* Bind the names to what they are behind the loop: of `given`, what changes is a result. */
void carry_take_results(Loop *loop, const Values *given, const Op *op)
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
