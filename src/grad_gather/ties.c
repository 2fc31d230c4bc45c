/*
 * ties.c - what the smaller and the larger of two hand to one of them, compared once
 *
 *     tl.where(x == y, a * 0.5, tl.where(x == tl.maximum(x, y), a, 0.0))
 *         + tl.where(x == y, b * 0.5, tl.where(x == tl.minimum(x, y), b, 0.0))
 *     ->  tl.where(x > y, a, tl.where(x < y, b, (a + b) * 0.5))
 *
 * So it is of boxes, ranges and sorted pairs.  Where one of the two is no number, half of both is
 * handed on.
 */
#include "../opt_target/opt_target.h"
#include "gather.h"

enum { MOST_PARTS = 8 };

/* A part of a sum. */
typedef struct {
    Value *v;
    bool is_less; /* it is taken off */
} Part;

typedef struct {
    Part at[MOST_PARTS];
    int n;
    bool is_full;
} Parts;

static void take_apart(const UseLists *uses, Parts *s, Value *v, bool is_less, bool is_top)
{
    const Op *op = v->def;
    const bool is_sum = op && (op->code == OP_add || op->code == OP_sub);

    if (is_sum && (is_top || (uses_count(uses, v) == 1 && !v->name))) {
        take_apart(uses, s, op->operands[0], is_less, false);
        take_apart(uses, s, op->operands[1], is_less ^ (op->code == OP_sub), false);
        return;
    }
    s->is_full |= s->n == MOST_PARTS;
    if (!s->is_full)
        s->at[s->n++] = (Part){v, is_less};
}

/* where(x == y, half, where(x == extreme, whole, 0)) */
typedef struct {
    const Op *extreme;
    const Value *x;
    Value *whole, *half;
} Tie;

static bool is_zero(const Value *v)
{
    uint64_t bits;

    return value_constant(v, &bits) && bits == 0;
}

static bool compares(const Value *v, const Value *x, const Value *y)
{
    const Op *op = opt_made_by(v, OP_eq);

    return op && ((op->operands[0] == x && op->operands[1] == y) ||
                  (op->operands[0] == y && op->operands[1] == x));
}

static bool find_tie(const Value *v, Tie *t)
{
    const Op *outer = opt_made_by(v, OP_select);
    const Op *inner = outer ? opt_made_by(outer->operands[2], OP_select) : NULL;
    const Op *taken = inner ? opt_made_by(inner->operands[0], OP_eq) : NULL;

    if (!taken || !is_zero(inner->operands[2]))
        return false;
    for (int i = 0; i < 2; i++) {
        const Op *m = taken->operands[i]->def;
        const Value *x = taken->operands[1 - i];
        if (!m || (m->code != OP_max && m->code != OP_min) ||
            (x != m->operands[0] && x != m->operands[1]) ||
            !compares(outer->operands[0], m->operands[0], m->operands[1]))
            continue;
        *t = (Tie){m, x, inner->operands[1], outer->operands[1]};
        return true;
    }
    return false;
}

static bool are_of_one_pair(const Tie *a, const Tie *b)
{
    Value *const *x = a->extreme->operands, *const *y = b->extreme->operands;

    return a->x == b->x && a->extreme->code != b->extreme->code &&
           ((x[0] == y[0] && x[1] == y[1]) || (x[0] == y[1] && x[1] == y[0]));
}

/* d for where(.., d * 0.5, ..) */
static bool is_half(const Tie *t)
{
    const Op *op = opt_made_by(t->half, OP_mul);
    uint64_t bits;

    return op && op->operands[0] == t->whole && value_constant(op->operands[1], &bits) &&
           scalar_to_double(t->half->type->dtype, bits) == 0.5;
}

static Value *joined(Builder *b, const Tie *one, const Tie *two)
{
    const Tie *more = one->extreme->code == OP_max ? one : two, *less = more == one ? two : one;
    Value *x = one->extreme->operands[0], *y = one->extreme->operands[1];
    const bool is_first = one->x == x;
    Value *greater = build_binary(b, is_first ? OP_gt : OP_lt, x, y);
    Value *smaller = build_binary(b, is_first ? OP_lt : OP_gt, x, y);
    Value *equal;

    if (is_half(one) && is_half(two)) {
        Value *both = build_binary(b, OP_add, more->whole, less->whole);
        equal = build_binary(b, OP_mul, both, build_float(b, both->type, 0.5));
    } else {
        equal = build_binary(b, OP_add, more->half, less->half);
    }
    return build_select(b, greater, more->whole, build_select(b, smaller, less->whole, equal));
}

static Value *sum_of(Builder *b, const Parts *s)
{
    Value *sum = NULL;

    for (int less = 0; less < 2; less++) {
        for (int i = 0; i < s->n; i++) {
            Value *v = s->at[i].v;
            if (v && s->at[i].is_less == less)
                sum = !sum   ? (less ? build_unary(b, OP_neg, v) : v)
                      : less ? build_binary(b, OP_sub, sum, v)
                             : build_binary(b, OP_add, sum, v);
        }
    }
    return sum;
}

typedef struct {
    UseLists uses;
    bool changed;
} Ties;

static bool join_pair(Builder *b, Parts *s)
{
    for (int i = 0; i < s->n; i++) {
        Tie one, two;
        if (!s->at[i].v || !find_tie(s->at[i].v, &one))
            continue;
        for (int k = i + 1; k < s->n; k++) {
            if (!s->at[k].v || s->at[k].is_less != s->at[i].is_less ||
                !find_tie(s->at[k].v, &two) || !are_of_one_pair(&one, &two))
                continue;
            s->at[i].v = joined(b, &one, &two);
            s->at[k].v = NULL;
            return true;
        }
    }
    return false;
}

static void look_at(Op *op, void *ties)
{
    Ties *t = ties;
    Parts s = {0};
    bool found = false;

    if ((op->code != OP_add && op->code != OP_sub) ||
        !dtype_is_float(op->results[0]->type->dtype) || op->results[0]->repl)
        return;
    take_apart(&t->uses, &s, op->results[0], false, true);
    Builder b = builder_before(op);
    while (!s.is_full && join_pair(&b, &s))
        found = true;
    if (!found)
        return;
    Value *sum = sum_of(&b, &s);
    sum->name = op->results[0]->name;
    op->results[0]->repl = sum;
    t->changed = true;
}

bool gather_join_ties(Grad *g, Diags *d)
{
    Ties t = {.changed = true};

    while (t.changed) { /* a sum whose parts were one is a part itself */
        t = (Ties){.uses = ir_uses(g->func, g->arena)};
        ir_walk(g->func->body, look_at, &t);
        opt_resolve_all(g->func->body);
        if (t.changed &&
            !(opt_run_pass(g->func->module, "cse", d) && opt_run_pass(g->func->module, "dce", d)))
            return false;
    }
    return true;
}
