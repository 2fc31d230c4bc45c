/*
 * lower_dropped.c - expressions that are statements, and results that nobody takes
 *
 * tl.trans(v), v.to(tl.float32) and clip(v) as statements leave v as it is: in kernels nothing
 * changes in place, and what a function assigns to its parameters stays its own.  Told of calls
 * that came to operations, none of which does anything but give a result.  Nothing is said of a
 * function whose body has statements that stand for what they do, stores, prints, assertions,
 * which constants may have left out of it this time.
 */
#include "../ir/analysis.h"
#include "lower.h"

/* A function of the program or of the class of a value, or NULL. */
static const AstFunc *function_called(Lower *l, const Node *callee)
{
    bool attribute = callee->kind == N_ATTRIBUTE && callee->left->kind == N_NAME;
    const Node *name = attribute ? callee->left : callee;
    Val v = name->kind == N_NAME ? l->language->lower_name(l, name) : val_unknown();

    if (!attribute)
        return v.kind == VAL_FUNC ? v.func : NULL;
    const AstClass *c = v.kind == VAL_TUPLE ? v.tuple->class : NULL;
    return class_function(l, c, callee->name);
}

/* R143. */
static bool check_must_use(Lower *l, const Node *callee, Span span)
{
    const AstFunc *fn = function_called(l, callee);

    if (!fn || !fn->must_use)
        return true;
    error_at(l, span, E_RESULT_UNUSED, fn->name);
    if (fn->must_use[0])
        hint_at(l, "%s", fn->must_use);
    return false;
}

/* An operator's result is for somebody. */
static void warn_of_unused(Lower *l, const Node *n)
{
    if (n->kind != N_COMPARE && n->kind != N_BINARY && n->kind != N_UNARY)
        return;
    warn_at(l, n->span, W_UNUSED);
    if (n->kind == N_COMPARE && n->ops[0] == CMP_EQ)
        hint_at(l, H_UNUSED_EQUAL);
    else if (n->kind == N_UNARY && n->left->kind == N_UNARY)
        hint_at(l, n->op == UN_MINUS ? H_UNUSED_COUNT_DOWN : H_UNUSED_COUNT);
    else
        hint_at(l, H_UNUSED);
}

/* --- calls that only give a result --- */

static bool does_something(const Op *op);

static bool has_doing(const Block *b)
{
    for (const Op *op = b->first; op; op = op->next) {
        if (does_something(op))
            return true;
    }
    return false;
}

/* More than to give results: statements of the language that hint at values do, too. */
static bool does_something(const Op *op)
{
    if (op->code == OP_call)
        return has_doing(op->callee->body);
    for (int r = 0; r < COUNT(op->regions); r++) {
        if (op->regions[r] && has_doing(op->regions[r]))
            return true;
    }
    return op->code == OP_hint || op->code == OP_inline_asm || op_has(op, WRITES | EFFECT) ||
           (op_has(op, READS) && op_is_volatile(op));
}

/* Is there a statement that stands for what it does? */
static bool has_statements(Node *const *nodes, int n)
{
    for (int i = 0; i < n; i++) {
        const Node *s = nodes[i];
        if (s->kind == N_ASSERT || (s->kind == N_EXPR && s->left->kind == N_CALL) ||
            has_statements(s->body, s->nbody) || has_statements(s->orelse, s->norelse))
            return true;
    }
    return false;
}

/* `first`: of the operations that the call came to. */
static void warn_of_dropped(Lower *l, const Node *call, Val v, const Op *first)
{
    const AstFunc *fn = function_called(l, call->left);

    if (!first || (fn && has_statements(fn->body, fn->nbody)))
        return;
    for (const Op *op = first; op; op = op->next) {
        if (does_something(op))
            return;
    }
    if (v.kind == VAL_RUN || v.kind == VAL_TUPLE) {
        warn_at(l, call->span, W_UNUSED);
        hint_at(l, H_UNUSED);
    } else if (fn) {
        warn_at(l, call->span, W_CHANGES_NOTHING, fn->name);
        hint_at(l, H_CHANGES_NOTHING, fn->name);
    }
}

/* R20: constants that stand alone do nothing; of these `...` is no value elsewhere. */
void lower_expr_stmt(Lower *l, const Node *n)
{
    if (n->left->kind == N_ELLIPSIS)
        return;
    const Block *block = l->b.block;
    const Op *last = block->last;
    Val v = lower_expr(l, n->left);
    bool is_call = n->left->kind == N_CALL;

    if (v.kind == VAL_BUILTIN || v.kind == VAL_FUNC || v.kind == VAL_METHOD)
        warn_at(l, n->left->span, W_NOT_CALLED);
    else if (v.kind != VAL_UNKNOWN)
        warn_of_unused(l, n->left);
    if (is_call && val_is_handle(v)) {
        error_at(l, n->span, E_RESULT_UNUSED, "advance");
        hint_at(l, H_ADVANCE);
    } else if (is_call && v.kind != VAL_UNKNOWN && check_must_use(l, n->left->left, n->span) &&
               block == l->b.block) {
        warn_of_dropped(l, n->left, v, last ? last->next : block->first);
    }
}
