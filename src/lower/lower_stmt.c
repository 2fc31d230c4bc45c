/*
 * lower_stmt.c - statements, one after the other, and assignments (semantics R14 to R17, R135)
 *
 * A list of statements gives a Flow: whether it falls through its end, returns, or does either.
 * `tail` says that behind the list the function ends, so that falling through is returning.
 */
#include "lower.h"

#include <string.h>

/* --- what assignment does to values --- */

static Val demote(Lower *l, Val v, Span span);

/* What an aggregate holds stays as it is, and so do constexpr fields and functions of a named
 * tuple. */
static bool stays(Lower *l, const Tuple *t, int i)
{
    const AstClass *c = t->class;

    if (!c)
        return false;
    return c->kind == CLASS_AGGREGATE || val_is_function(t->items[i]) ||
           (c->kind == CLASS_NAMED_TUPLE && i < c->nfields &&
            l->language->annotation_is_constexpr(c->fields[i].annotation));
}

static Val demote_tuple(Lower *l, const Tuple *t, Span span)
{
    Val v = val_tuple_like(l, t, t->items);

    l->work += t->n;
    for (int i = 0; i < t->n; i++)
        v.tuple->items[i] = stays(l, t, i) ? t->items[i] : demote(l, t->items[i], span);
    return v;
}

static void hint_no_tensor(Lower *l, Val v)
{
    if (v.kind == VAL_METHOD)
        hint_at(l, H_CALL_IT, v.method->name);
    else
        hint_at(l, H_ANNOTATE_CONSTEXPR);
}

/* R14, R15 */
static Val demote(Lower *l, Val v, Span span)
{
    switch (v.kind) {
    case VAL_CONST:
        return val_is_none(v) ? v : val_run(l->language->val_to_run(l, v, span));
    case VAL_TUPLE:
        return demote_tuple(l, v.tuple, span);
    case VAL_FUNC:
    case VAL_BUILTIN:
    case VAL_LIBDEVICE:
    case VAL_METHOD:
    case VAL_MODULE:
    case VAL_FILE:
        error_at(l, span, E_NOT_A_TENSOR, val_text(l, v));
        hint_no_tensor(l, v);
        return val_unknown();
    default:
        return v;
    }
}

static void bind_constexpr(Lower *l, Sym name, Val v, Span span)
{
    const Binding *old = env_find(l, name);
    bool again = old && old->bound && old->span.start != span.start &&
                 old->val.kind != VAL_UNKNOWN; /* static_range repeats the same statement */

    if (again) {
        error_at(l, span, E_REDECLARED, name);
        note_at(l, old->span, NOTE_ASSIGNED_HERE, name);
        return;
    }
    if (v.kind != VAL_UNKNOWN && !val_is_known(v)) /* Triton wraps what it is, and goes on */
        warn_at(l, span, W_CONSTEXPR_RUN, name, val_text(l, v));
    env_put(l, env_slot(l, name),
            (Binding){.bound = true, .declared = true, .span = span, .val = v});
}

static void bind_name(Lower *l, Sym name, Val v, Span span)
{
    const Binding *old = env_find(l, name);
    Binding b = {.bound = true, .span = span};

    if (old && old->pending) {
        bind_constexpr(l, name, v, span);
        return;
    }
    b.demoted = val_is_number(v);
    b.val = demote(l, v, span);
    if (b.val.kind == VAL_RUN && !b.val.run->name)
        b.val.run->name = name;
    env_put(l, env_slot(l, name), b);
}

static void unpack_single(Lower *l, Val v, Span span)
{
    error_at(l, span, E_UNPACK, val_text(l, v));
    hint_at(l, H_UNPACK);
}

bool lower_unpacks(Lower *l, const Node *target, Val v, Span span)
{
    int n = target->nitems;

    for (int i = 0; i < n; i++) {
        if (target->items[i]->kind != N_STARRED)
            continue;
        error_at(l, target->items[i]->span, E_STARRED_TARGET);
        hint_at(l, H_STARRED_TARGET);
        return false;
    }
    if (v.kind == VAL_TUPLE && v.tuple->n == n)
        return true;
    if (v.kind == VAL_TUPLE) {
        error_at(l, span, v.tuple->n < n ? E_UNPACK_FEW : E_UNPACK_MANY, n, v.tuple->n);
        hint_at(l, H_UNPACK_COUNT);
    } else if (v.kind != VAL_UNKNOWN)
        unpack_single(l, v, span);
    return false;
}

static void assign_tuple(Lower *l, const Node *target, Val v, Span span)
{
    bool usable = lower_unpacks(l, target, v, span);

    for (int i = 0; i < target->nitems; i++)
        lower_assign(l, target->items[i], usable ? v.tuple->items[i] : val_unknown(), span);
}

void lower_assign(Lower *l, const Node *target, Val v, Span span)
{
    switch (target->kind) {
    case N_NAME:
        bind_name(l, target->name, v, span);
        return;
    case N_TUPLE:
    case N_LIST:
        assign_tuple(l, target, v, span);
        return;
    case N_SUBSCRIPT:
        index_assign(l, target, v, span);
        return;
    case N_ATTRIBUTE:
        if (!class_set_field(l, target, v)) {
            error_at(l, target->span, E_SETATTR);
            hint_at(l, H_SETATTR);
        }
        return;
    case N_STARRED: /* was refused with its tuple */
        return;
    default:
        error_at(l, target->span, E_TARGET);
    }
}

/* --- single statements --- */

/* `x: tl.float32 = 0` is an int32 all the same. */
static void check_annotation(Lower *l, const Node *n)
{
    const Node *type = n->extra;
    const Binding *b = env_find(l, n->left->name);
    bool named = type->kind == N_NAME || type->kind == N_ATTRIBUTE;
    DType t;

    if (!named || !dtype_from_long_name(type->name, strlen(type->name), &t) ||
        b->val.kind != VAL_RUN || (!b->val.run->type->pointer && b->val.run->type->dtype == t))
        return;
    warn_at(l, n->span, W_ANNOTATION, n->left->name, val_text(l, b->val));
    hint_at(l, H_ANNOTATION, type->name, type->name);
}

static void lower_annotated(Lower *l, const Node *n)
{
    bool constexpr = l->language->annotation_is_constexpr(n->extra);

    if (n->left->kind != N_NAME) {
        lower_assign(l, n->left, n->right ? lower_expr(l, n->right) : val_unknown(), n->span);
        return;
    }
    if (!n->right && constexpr) {
        Binding b = {.pending = true, .span = n->span};
        env_put(l, env_slot(l, n->left->name), b);
        return;
    }
    if (!n->right)
        return;
    Val v = lower_admitting(l, n->right, constexpr ? ADMIT_CONSTANTS : ADMIT_VALUES);
    if (constexpr) {
        bind_constexpr(l, n->left->name, v, n->span);
        return;
    }
    bind_name(l, n->left->name, v, n->span);
    check_annotation(l, n);
}

static void lower_augmented(Lower *l, const Node *n)
{
    if (n->left->kind == N_SUBSCRIPT) {
        index_augment(l, n);
        return;
    }
    if (n->left->kind != N_NAME) {
        lower_assign(l, n->left, val_unknown(), n->span);
        return;
    }
    lower_assign(l, n->left, lower_binary(l, n), n->span);
}

/* `x =+ 1` for `x += 1`: the sign is at the `=` and not at the value; `x = +v` of what is no number
 * says nothing else that is of use, and is what a formatter makes of it. */
static void warn_of_sign(Lower *l, const Node *n)
{
    const Node *v = n->right;
    const char *text = source_at(l->frame->file->source, v->span.start);
    bool sign = v->kind == N_UNARY && (v->op == UN_PLUS || v->op == UN_MINUS);

    if (!sign)
        return;
    bool at_assignment = text[-1] == '=' && text[1] == ' ';
    if (!at_assignment && (v->op == UN_MINUS || v->left->kind == N_INT || v->left->kind == N_FLOAT))
        return;
    warn_at(l, n->span, W_SIGN_ASSIGNED);
    hint_at(l, H_SIGN_ASSIGNED, text[0]);
}

/* R135: the targets of a refused chain are known from then on, to say no more about them. */
static void lower_assignment(Lower *l, const Node *n)
{
    Val v = lower_expr(l, n->right);

    if (n->nitems != 1) {
        error_at(l, n->span, E_CHAINED_ASSIGN);
        hint_at(l, H_CHAINED_ASSIGN);
        v = val_unknown();
    }
    warn_of_sign(l, n);
    for (int i = 0; i < n->nitems; i++)
        lower_assign(l, n->items[i], v, n->span);
}

static Flow lower_return(Lower *l, const Node *n)
{
    Flow f = {.kind = FLOW_RETURNS, .result = val_none(l)};

    if (n->left)
        f.result = lower_expr(l, n->left);
    if (l->frame->loop_depth > 0) {
        error_at(l, n->span, E_RETURN_IN_LOOP);
        hint_at(l, H_RETURN_IN_LOOP);
    }
    bool gives = f.result.kind != VAL_UNKNOWN && !val_is_none(f.result);
    if (!l->frame->caller && gives) {
        error_at(l, n->span, E_KERNEL_RETURNS, l->frame->fn->name);
        hint_at(l, H_KERNEL_RETURNS);
    }
    return f;
}

void unsupported_syntax(Lower *l, const Node *n)
{
    const char *advice = advice_for_syntax(n->name);

    error_at(l, n->span, E_UNSUPPORTED_SYNTAX, n->name);
    if (advice)
        hint_at(l, "%s", advice);
}

static void lower_unsupported(Lower *l, const Node *n)
{
    env_skip(l, n->span);
    if (n->kind == N_FUNCTION) {
        error_at(l, n->span, E_NESTED_FUNCTION, n->name);
        hint_at(l, H_NESTED_FUNCTION);
        env_miss(l, n->name, n->span);
        return;
    }
    if (n->kind == N_WITH) {
        error_at(l, n->span, E_WITH);
        hint_at(l, H_WITH);
        return;
    }
    unsupported_syntax(l, n);
}

/* Every statement that cannot return. */
static void lower_simple(Lower *l, const Node *n)
{
    switch (n->kind) {
    case N_ASSIGN:
        lower_assignment(l, n);
        return;
    case N_AUGMENTED:
        lower_augmented(l, n);
        return;
    case N_ANNOTATED:
        lower_annotated(l, n);
        return;
    case N_EXPR:
        lower_expr_stmt(l, n);
        return;
    case N_FOR:
        lower_for(l, n);
        return;
    case N_WHILE:
        lower_while(l, n);
        return;
    case N_ASSERT:
        l->language->lower_assert(l, n);
        return;
    case N_PASS:
        return;
    default:
        lower_unsupported(l, n);
    }
}

/* --- lists --- */

/* What the end of a list makes of a flow that may get there. */
static Flow at_end(Flow f, bool tail)
{
    if (tail && f.kind != FLOW_RETURNS)
        f.kind = FLOW_RETURNS;
    return f;
}

bool lower_out_of_budget(Lower *l, Span span)
{
    bool large = arena_used(l->arena) > MAX_LOWER_BYTES;

    if (++l->work < MAX_STATEMENTS && !large)
        return false;
    if (!l->exhausted && large)
        error_at(l, span, E_LOWER_BYTES, MAX_LOWER_BYTES >> 20);
    else if (!l->exhausted)
        error_at(l, span, E_STATEMENTS, MAX_STATEMENTS);
    l->exhausted = l->quiet == 0;
    return true;
}

bool stmts_end(const Stmts *s)
{
    while (s && s->n == 0)
        s = s->then;
    return !s;
}

/* Take one from the front; NULL when none is left. */
static const Node *next_stmt(Stmts *s)
{
    while (s->n == 0 && s->then)
        *s = *s->then;
    if (s->n == 0)
        return NULL;
    s->n--;
    return *s->at++;
}

Flow lower_sequence(Lower *l, Stmts s, bool tail)
{
    for (const Node *n; (n = next_stmt(&s)) && !lower_out_of_budget(l, n->span);) {
        bool took_rest = false;
        Flow f = flow_falls();

        l->b.span = n->span;
        mark_statement(l, n);
        if (n->kind == N_IF)
            f = lower_if(l, n, &s, tail, &took_rest);
        else if (n->kind == N_RETURN)
            f = lower_return(l, n);
        else
            lower_simple(l, n);
        if (!took_rest && f.kind == FLOW_MAYBE && !stmts_end(&s))
            f = lower_guarded(l, f, s, tail);
        if (took_rest || f.kind != FLOW_FALLS)
            return at_end(f, tail);
    }
    return at_end(flow_falls(), tail);
}

Flow lower_stmts(Lower *l, Node *const *stmts, int n, bool tail)
{
    return lower_sequence(l, (Stmts){stmts, n, NULL}, tail);
}
