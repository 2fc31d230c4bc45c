/*
 * lower_expr.c - expressions: literals, displays, subscripts, comparisons, and/or (semantics R13,
 * R20, R21, R103, R110, R111, R136, R153)
 */
#include <string.h>

#include "lower.h"

static Val lower_items(Lower *l, Node *const *nodes, int n, Span span)
{
    VEC(Val) items = {0};

    for (int i = 0; i < n; i++) {
        bool star = nodes[i]->kind == N_STARRED;
        Val v = lower_expr(l, star ? nodes[i]->left : nodes[i]);
        if (star && v.kind != VAL_TUPLE) {
            if (v.kind != VAL_UNKNOWN)
                error_at(l, nodes[i]->span, E_STARRED, val_text(l, v));
            return val_unknown();
        }
        for (int k = 0; star && k < v.tuple->n; k++)
            vec_push(l->arena, &items, v.tuple->items[k]);
        if (!star)
            vec_push(l->arena, &items, v);
    }
    return val_new_tuple(l, items.len, items.at, span);
}

/* --- f-strings (R20) --- */

static bool put_formatted(Lower *l, Text *t, const Node *n)
{
    Val v = val_plain_type(lower_expr(l, n->left));
    Const c;

    if (v.kind == VAL_TYPE) {
        text_put(t, val_type_text(l, v.type));
        return true;
    }
    if (v.kind == VAL_UNKNOWN)
        return false;
    if (!val_to_const(l, v, &c)) {
        error_at(l, n->left->span, E_FSTRING, val_text(l, v));
        hint_at(l, H_FSTRING);
        return false;
    }
    text_put(t, n->op == 'r' || n->op == 'a' ? const_text(&c, l->arena) : const_str(&c, l->arena));
    return true;
}

static Val lower_fstring(Lower *l, const Node *n)
{
    Text t = text_new(l->arena);

    text_put(&t, "");
    for (int i = 0; i < n->nitems; i++) {
        if (n->items[i]->kind == N_STRING)
            text_putn(&t, n->items[i]->text, n->items[i]->ntext);
        else if (!put_formatted(l, &t, n->items[i]))
            return val_unknown();
        if (t.len > CONST_MAX_STRING)
            return fail_val(l, n->span, E_STRING_LONG);
    }
    return val_const(l, const_string(t.s, t.len));
}

/* An object of the host where a value is needed. */
static Val refuse_object(Lower *l, Val v, const Node *n)
{
    const char *name = dotted_text(l->arena, n);

    error_at(l, n->span, E_HOST_VALUE, name ? name : "this", v.file->object);
    hint_at(l, "%s", v.file->advice ? v.file->advice : H_OBJECT_VALUE);
    return val_unknown();
}

/* --- and, or --- */

/* Python's truth of what is known at compile time. */
static bool known_truth(Val v)
{
    if (v.kind == VAL_CONST)
        return const_truth(v.c);
    return v.kind != VAL_TUPLE || v.tuple->n != 0;
}

/* R110: operands known at compile time short-circuit and are otherwise dropped; those that are
 * not combine elementwise, but one alone stays as it is. */
static Val lower_bool(Lower *l, const Node *n)
{
    bool is_or = n->op == BOOL_OR;
    Span first = n->span; /* of `rest`, while that is one operand */
    Val rest = {.kind = VAL_UNDEFINED}, last = rest;

    for (int i = 0; i < n->nitems; i++) {
        last = lower_expr(l, n->items[i]);
        if (last.kind == VAL_UNKNOWN)
            return last;
        if (last.kind != VAL_RUN && known_truth(last) == is_or)
            return last;
        if (last.kind != VAL_RUN)
            continue;
        if (rest.kind == VAL_UNDEFINED) {
            rest = last;
            first = n->items[i]->span;
            continue;
        }
        l->b.span = n->span;
        rest = val_run(l->language->ops_logical(l, is_or ? BIN_OR : BIN_AND, rest.run, first,
                                                last.run, n->items[i]->span));
        if (rest.kind == VAL_UNKNOWN)
            return rest;
        first = n->span;
    }
    return rest.kind == VAL_RUN ? rest : last;
}

/* --- subscripts --- */

static bool slice_part(Lower *l, const Node *n, __int128 fallback, __int128 *out)
{
    Val v = n ? lower_expr(l, n) : val_unknown();

    *out = fallback;
    if (!n || val_is_none(v))
        return true;
    if (v.kind != VAL_CONST || !const_is_integral(v.c)) {
        if (v.kind == VAL_CONST)
            error_at(l, n->span, E_INDEX_KIND, val_text(l, v));
        else if (v.kind != VAL_UNKNOWN)
            error_at(l, n->span, E_TUPLE_INDEX, val_text(l, v));
        l->language->hint_not_constexpr(l, n);
        return false;
    }
    *out = v.c->integer;
    return true;
}

static __int128 clamp_index(__int128 i, int n, __int128 lo, __int128 hi)
{
    i = i < 0 ? i + n : i;
    return i < lo ? lo : i > hi ? hi : i;
}

static Val slice_tuple(Lower *l, const Tuple *t, const Node *n)
{
    __int128 step, from, to;
    VEC(Val) items = {0};

    if (!slice_part(l, n->extra, 1, &step) || step == 0)
        return val_unknown();
    bool down = step < 0;
    if (!slice_part(l, n->left, down ? t->n - 1 : 0, &from) ||
        !slice_part(l, n->right, down ? -(__int128)t->n - 1 : t->n, &to))
        return val_unknown();
    from = clamp_index(from, t->n, down ? -1 : 0, down ? t->n - 1 : t->n);
    to = clamp_index(to, t->n, down ? -1 : 0, down ? t->n - 1 : t->n);
    for (__int128 i = from; down ? i > to : i < to;) {
        vec_push(l->arena, &items, t->items[(int)i]);
        if (__builtin_add_overflow(i, step, &i))
            break;
    }
    return val_tuple(l, items.len, items.at);
}

/* Is it `p.shape` of a pointer, which is empty? */
static bool is_pointer_shape(Lower *l, const Node *n)
{
    const Binding *b =
        n->kind == N_ATTRIBUTE && n->left->kind == N_NAME ? env_find(l, n->left->name) : NULL;

    return b && b->bound && b->val.kind == VAL_RUN && b->val.run->type->pointer;
}

bool lower_put_outside(Lower *l, const Node *n, Text *t)
{
    if (n->kind == N_ATTRIBUTE) {
        if (!lower_put_outside(l, n->left, t))
            return false;
        text_put(t, ".");
    } else if (n->kind != N_NAME || env_find(l, n->name)) {
        return false;
    }
    text_put(t, n->name);
    return true;
}

/* An item of what stands outside of the kernel is called as it is written. */
static Val name_item(Lower *l, const Node *whole, int i, Val item)
{
    Text name = text_new(l->arena);

    if (item.kind != VAL_CONST || !lower_put_outside(l, whole, &name))
        return item;
    text_printf(&name, "[%d]", i);
    return val_called(l, intern(l->interner, name.s), item);
}

/* Item `n` of the tuple that `whole` gave. */
static Val index_tuple(Lower *l, const Tuple *t, const Node *whole, const Node *n)
{
    __int128 i;

    if (n->kind == N_SLICE)
        return slice_tuple(l, t, n);
    if (!slice_part(l, n, 0, &i))
        return val_unknown();
    if (i < -t->n || i >= t->n) {
        error_at(l, n->span, E_TUPLE_RANGE, (long long)i, t->n);
        if (is_pointer_shape(l, whole))
            hint_at(l, H_POINTER_SHAPE);
        else if (t->n > 0)
            hint_at(l, H_TUPLE_RANGE, t->n - 1);
        return val_unknown();
    }
    int at = (int)(i < 0 ? i + t->n : i);
    return name_item(l, whole, at, t->items[at]);
}

/* An aggregate has what its own function says. */
static Val index_aggregate(Lower *l, Val v, const Node *n)
{
    const AstFunc *fn = class_function(l, v.tuple->class, intern(l->interner, "__getitem__"));
    Arg index = {.v = lower_expr(l, n->right), .node = n->right};
    const ArgList one = {&index, 1, n->span};

    if (!fn)
        return fail_val(l, n->span, E_NOT_INDEXABLE, val_text(l, v));
    if (index.v.kind == VAL_UNKNOWN)
        return index.v;
    const ArgList both = arguments_behind(l, v, &one, n->left->span);
    return call_function(l, fn, &both);
}

static Val lower_subscript(Lower *l, const Node *n)
{
    Val v = lower_expr(l, n->left);
    Value *run;

    l->b.span = n->span;
    if (val_is_aggregate(v))
        return index_aggregate(l, v, n);
    if (v.kind == VAL_TUPLE)
        return index_tuple(l, v.tuple, n->left, n->right);
    if (v.kind == VAL_RUN && !val_is_handle(v))
        return index_tile(l, v.run, n->right, n->span);
    if (val_is_number(v)) {
        run = l->language->val_to_run(l, v, n->span);
        return run ? index_tile(l, run, n->right, n->span) : val_unknown();
    }
    if (v.kind != VAL_UNKNOWN)
        error_at(l, n->span, E_NOT_INDEXABLE, val_text(l, v));
    if (v.kind == VAL_FUNC)
        hint_at(l, H_LAUNCH_INSIDE, v.func->name);
    else if (v.kind == VAL_BUILTIN)
        hint_at(l, H_CALL_BY_BRACKETS);
    return val_unknown();
}

/* --- the rest --- */

static Val lower_walrus(Lower *l, const Node *n)
{
    Node target = {.kind = N_NAME, .name = n->name, .span = n->span};
    Binding *b;

    lower_assign(l, &target, lower_expr(l, n->left), n->span);
    b = env_find(l, n->name);
    return b && b->bound ? b->val : val_unknown();
}

/* Does the target of a comprehension bind the name? */
static bool binds(const Node *target, Sym name)
{
    bool found = target->kind == N_NAME && target->name == name;

    for (int i = 0; i < target->nitems && !found; i++)
        found = binds(target->items[i], name);
    return found;
}

/* The variables of a comprehension are its own; what `:=` binds in it stays. */
static void leave_comprehension(Lower *l, int mark, const Node *target)
{
    Changes changes = env_rollback(l, mark);

    for (int i = 0; i < changes.n; i++) {
        const Change *c = &changes.at[i];

        if (!binds(target, l->frame->names.at[c->slot]))
            env_put(l, c->slot, c->new);
        else
            mark_binding(l, c->slot, &c->old);
    }
}

/* Constants stay constants. */
static bool bind_element(Lower *l, const Node *target, Val v)
{
    if (target->kind == N_NAME) {
        env_bind(l, target->name, v, target->span);
        return true;
    }
    if (target->kind != N_TUPLE && target->kind != N_LIST) {
        error_at(l, target->span, E_TARGET);
        return false;
    }
    bool good = lower_unpacks(l, target, v, target->span);
    for (int i = 0; i < target->nitems && good; i++)
        good = bind_element(l, target->items[i], v.tuple->items[i]);
    return good;
}

/* Do all of its `if` hold?  False too, and *out unknown, after an error. */
static bool is_wanted(Lower *l, const Node *comprehension, Val *out)
{
    for (int i = 0; i < comprehension->nitems; i++) {
        Val c = lower_expr(l, comprehension->items[i]);

        if (c.kind == VAL_RUN)
            c = fail_val(l, comprehension->items[i]->span, E_COMPREHENSION_IF, val_text(l, c));
        if (c.kind == VAL_UNKNOWN)
            *out = c;
        if (c.kind == VAL_UNKNOWN || !known_truth(c))
            return false;
    }
    return true;
}

/* A range is none of the tuples that a comprehension runs over. */
static bool is_range_call(Lower *l, const Node *n)
{
    Val f = n->kind == N_CALL && n->left->kind == N_NAME ? l->language->lower_name(l, n->left)
                                                         : val_unknown();

    return f.kind == VAL_BUILTIN && !l->frame->is_static &&
           (f.builtin->data == RANGE_DYNAMIC || f.builtin->data == RANGE_STATIC);
}

/* [e for v in t if c] over a tuple (R21). */
static Val lower_comprehension(Lower *l, const Node *n)
{
    if (is_range_call(l, n->extra)) {
        error_at(l, n->extra->span, E_COMPREHENSION, "a range");
        hint_at(l, H_COMPREHENSION);
        return val_unknown();
    }
    Val source = lower_expr(l, n->extra);
    VEC(Val) items = {0};
    int mark = env_mark(l);

    if (source.kind != VAL_TUPLE) {
        if (source.kind != VAL_UNKNOWN)
            error_at(l, n->extra->span, E_COMPREHENSION, val_text(l, source));
        if (source.kind == VAL_RUN)
            hint_at(l, H_COMPREHENSION_TILE);
        return val_unknown();
    }
    Val v = val_none(l);
    /* behind one that is unknown the others would only say the same */
    for (int i = 0; i < source.tuple->n && v.kind != VAL_UNKNOWN; i++) {
        if (lower_out_of_budget(l, n->span) || !bind_element(l, n->right, source.tuple->items[i])) {
            v = val_unknown();
        } else if (is_wanted(l, n, &v)) {
            v = lower_expr(l, n->left);
            vec_push(l->arena, &items, v);
        }
    }
    leave_comprehension(l, mark, n->right);
    return v.kind == VAL_UNKNOWN ? v : val_new_tuple(l, items.len, items.at, n->span);
}

Val lower_binary(Lower *l, const Node *n)
{
    const Arg x = {.v = lower_expr(l, n->left), .node = n->left};
    const Arg y = {.v = lower_expr(l, n->right), .node = n->right};
    Val v;

    l->b.span = n->span;
    return class_binary(l, (BinaryOp)n->op, &x, &y, n->span, &v)
               ? v
               : l->language->ops_binary(l, (BinaryOp)n->op, x.v, y.v, n->span);
}

static Val lower_unary(Lower *l, const Node *n)
{
    const Arg x = {.v = lower_expr(l, n->left), .node = n->left};
    Val v;

    l->b.span = n->span;
    if (n->op == UN_NOT)
        return l->language->ops_truth_not(l, x.v, n->span);
    return class_unary(l, (UnaryOp)n->op, &x, n->span, &v)
               ? v
               : l->language->ops_unary(l, (UnaryOp)n->op, x.v, n->span);
}

static Val lower_literal(Lower *l, const Node *n)
{
    switch (n->kind) {
    case N_INT:
        return val_int(l, n->integer);
    case N_FLOAT:
        return val_float(l, n->real);
    case N_STRING:
        return val_const(l, const_string(n->text, n->ntext));
    case N_TRUE:
    case N_FALSE:
        return val_bool(l, n->kind == N_TRUE);
    default:
        return val_none(l);
    }
}

static Val lower_any(Lower *l, const Node *n)
{
    l->b.span = n->span;
    switch (n->kind) {
    case N_INT:
    case N_FLOAT:
    case N_STRING:
    case N_TRUE:
    case N_FALSE:
    case N_NONE:
        return lower_literal(l, n);
    case N_NAME:
        return l->language->lower_name(l, n);
    case N_FSTRING:
        return lower_fstring(l, n);
    case N_TUPLE:
    case N_LIST:
        return lower_items(l, n->items, n->nitems, n->span);
    case N_ATTRIBUTE:
        return l->language->lower_attribute(l, n);
    case N_SUBSCRIPT:
        return lower_subscript(l, n);
    case N_CALL:
        return lower_call(l, n);
    case N_UNARY:
        return lower_unary(l, n);
    case N_BINARY:
        return lower_binary(l, n);
    case N_BOOL:
        return lower_bool(l, n);
    case N_COMPARE:
        return lower_compare(l, n);
    case N_CONDITIONAL:
        return lower_conditional(l, n);
    case N_WALRUS:
        return lower_walrus(l, n);
    case N_COMPREHENSION:
        return lower_comprehension(l, n);
    case N_UNSUPPORTED_EXPR:
        unsupported_syntax(l, n);
        return val_unknown();
    default:
        error_at(l, n->span, E_NOT_AN_EXPRESSION);
        if (n->kind == N_STARRED)
            hint_at(l, H_STARRED_VALUE);
        return val_unknown();
    }
}

static bool is_admitted(Admitted admitted, Val object)
{
    return admitted == ADMIT_OBJECTS || (admitted == ADMIT_CONSTANTS && !object.file->advice);
}

Val lower_admitting(Lower *l, const Node *n, Admitted admitted)
{
    bool is_name = n->kind == N_NAME || n->kind == N_ATTRIBUTE;
    Admitted before = l->admitted;
    Val v;

    if (l->depth >= LOWER_MAX_DEPTH)
        return fail_val(l, n->span, E_DEPTH);
    l->depth++;
    l->admitted = admitted;
    v = lower_any(l, n);
    if (is_name && val_is_object(v) && !is_admitted(admitted, v))
        v = refuse_object(l, v, n);
    l->admitted = before;
    l->depth--;
    return v;
}

Val lower_expr(Lower *l, const Node *n)
{
    return lower_admitting(l, n, ADMIT_VALUES);
}
