/*
 * lower_compare.c - comparisons, and what is warned of where they stand (semantics R103)
 *
 * Two sides alone are compared; what binds more tightly than it looks, `is` between numbers and
 * dtypes as texts are allowed, and not what was meant.
 */
#include "lower.h"

#include <string.h>

static Val compare_identity(Lower *l, bool is, Val x, Val y)
{
    if (x.kind == VAL_UNKNOWN || y.kind == VAL_UNKNOWN)
        return val_unknown();
    return val_bool(l, val_same(x, y) == is);
}

/* In `a < b & c < d` the `&` binds first, so `b & c` is what stands in the middle. */
static bool binds_bits_first(const Node *chain)
{
    for (int i = 0; i + 1 < chain->nitems; i++) {
        if (chain->items[i]->kind == N_BINARY &&
            (chain->items[i]->op == BIN_AND || chain->items[i]->op == BIN_OR))
            return true;
    }
    return false;
}

static Val compare_two(Lower *l, CompareOp op, Val x, Val y, Span span)
{
    l->b.span = span;
    switch (op) {
    case CMP_IS:
    case CMP_IS_NOT:
        return compare_identity(l, op == CMP_IS, x, y);
    case CMP_IN:
    case CMP_NOT_IN:
        return fail_hint(l, span, H_IN, E_IN);
    default:
        return l->language->ops_compare(l, op, x, y, span);
    }
}

/* A comparison, or a name for what one gave. */
static bool is_condition(Lower *l, const Node *n)
{
    const Binding *b = n->kind == N_NAME ? env_find(l, n->name) : NULL;

    if (b && b->bound && b->val.kind == VAL_RUN)
        return b->val.run->type->dtype == DT_I1 && !b->val.run->type->pointer;
    return n->kind == N_COMPARE || n->kind == N_BOOL;
}

/* `m & n > 3` is `(m & n) > 3`, which is not meant where one of them is a condition. */
static void warn_of_precedence(Lower *l, const Node *compare)
{
    const Node *n = compare->left;
    bool bits = n->kind == N_BINARY && (n->op == BIN_AND || n->op == BIN_OR);

    if (!bits || n->span.start != compare->span.start ||
        is_condition(l, n->left) == is_condition(l, n->right))
        return;
    const char *op = n->op == BIN_AND ? "&" : "|";
    warn_at(l, compare->span, W_PRECEDENCE, op);
    hint_at(l, H_PRECEDENCE, op);
}

/* `v == 1 | 2` is `v == 3`. */
static void warn_of_alternatives(Lower *l, const Node *compare)
{
    const Node *n = compare->items[0];
    bool is_equality = compare->ops[0] == CMP_EQ || compare->ops[0] == CMP_NE;

    if (compare->nitems != 1 || !is_equality || n->kind != N_BINARY || n->op != BIN_OR ||
        n->left->kind != N_INT || n->right->kind != N_INT || n->span.end != compare->span.end)
        return;
    warn_at(l, compare->span, W_PRECEDENCE, "|");
    hint_at(l, H_ALTERNATIVES);
}

static bool is_literal(const Node *n)
{
    return n->kind == N_INT || n->kind == N_FLOAT || n->kind == N_STRING;
}

/* `n is 3`, of which Python warns, too; of a value of the launch it never holds. */
static void warn_of_identity(Lower *l, const Node *compare)
{
    bool is = compare->ops[0] == CMP_IS;

    if ((!is && compare->ops[0] != CMP_IS_NOT) ||
        (!is_literal(compare->left) && !is_literal(compare->items[0])))
        return;
    warn_at(l, compare->span, W_IDENTITY, is ? "is" : "is not");
    hint_at(l, H_IDENTITY, is ? "==" : "!=");
}

static void warn_of_dtype_text(Lower *l, const Node *compare)
{
    const Node *x = compare->left;

    if (x->kind == N_ATTRIBUTE && strcmp(x->name, "dtype") == 0 &&
        compare->items[0]->kind == N_STRING) {
        warn_at(l, compare->span, W_DTYPE_TEXT);
        hint_at(l, H_DTYPE_COMPARED);
    }
}

/* Objects of the host are compared with None only, dtypes of other libraries with any. */
static Val lower_compared(Lower *l, CompareOp op, const Node *n, const Node *other)
{
    bool is = op == CMP_IS || op == CMP_IS_NOT;
    bool to_none = is && other->kind == N_NONE;

    return lower_admitting(l, n, to_none ? ADMIT_OBJECTS : ADMIT_DTYPES);
}

Val lower_compare(Lower *l, const Node *n)
{
    CompareOp op = (CompareOp)n->ops[0];
    Val x = lower_compared(l, op, n->left, n->items[0]);

    warn_of_precedence(l, n);
    warn_of_alternatives(l, n);
    warn_of_identity(l, n);
    warn_of_dtype_text(l, n);
    if (n->nitems > 1) {
        error_at(l, n->span, E_COMPARE_CHAIN);
        if (binds_bits_first(n))
            hint_at(l, H_COMPARE_BITS);
        else
            hint_at(l, H_COMPARE_CHAIN);
        return val_unknown();
    }
    const Arg a = {.v = x, .node = n->left};
    const Arg b = {.v = lower_compared(l, op, n->items[0], n->left), .node = n->items[0]};
    Val v;
    return class_compare(l, op, &a, &b, n->span, &v) ? v : compare_two(l, op, x, b.v, n->span);
}
