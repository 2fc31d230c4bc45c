/*
 * moves.c - how a value changes when maxima and minima move, by how its operands do: it shifts by a
 * sum of moves, or grows by exp of one; reference.c says what for
 */
#include <math.h>

#include "moves.h"

static const double LN2 = 0.693147180559945309, LN10 = 2.302585092994045684, NEAR = 1e-6;

const Change moves_none = {.along = EVERY_DIM};

bool moves_is_float(const Value *v)
{
    return dtype_is_float(v->type->dtype) && !v->type->pointer;
}

Change moves_change_of(const Moving *m, const Value *v)
{
    const Change *c = map_get(m->changes, (uint64_t)v->id);

    return c ? *c : moves_none;
}

void moves_set(Moving *m, const Value *v, Change c)
{
    Change *kept = NEW(m->arena, Change);

    *kept = c;
    map_put(m->changes, (uint64_t)v->id, kept);
}

uint64_t moves_blame_of_point(const Moving *m, const Value *of)
{
    return (uint64_t)(uintptr_t)map_get(m->blames, (uint64_t)of->id);
}

uint64_t moves_blame_of(const Moving *m, const Change *c)
{
    uint64_t all = c->blame;

    for (int i = 0; i < c->n; i++)
        all |= moves_blame_of_point(m, c->at[i].of);
    return all;
}

Change moves_not_known(uint64_t blame)
{
    return blame ? (Change){.how = NOT_KNOWN, .blame = blame} : moves_none;
}

/* Moves by itself: lanes do so each for itself. */
Change moves_own(const Value *v)
{
    Change c = {.how = SHIFTS, .at = {{.of = v, .by = 1}}, .n = 1, .along = EVERY_DIM};

    for (int d = 0; d < v->type->rank; d++) {
        if (v->type->dims[d] > 1)
            c.along &= ~(1u << d);
    }
    return c;
}

/* --- sums of moves --- */

static bool is_same_move(const Drift *a, const Drift *b)
{
    return a->of == b->of && a->factor == b->factor;
}

/* False: there are too many. */
static bool add_move(Change *c, Drift what)
{
    for (int i = 0; i < c->n; i++) {
        if (!is_same_move(&c->at[i], &what))
            continue;
        c->at[i].by += what.by;
        if (fabs(c->at[i].by) < NEAR)
            c->at[i] = c->at[--c->n];
        return true;
    }
    if (c->n == MOST_MOVES)
        return false;
    c->at[c->n++] = what;
    return true;
}

bool moves_equal(const Change *a, const Change *b)
{
    Change rest = *a;

    if (a->how != b->how && a->n + b->n > 0)
        return false;
    for (int i = 0; i < b->n; i++) {
        Drift less = b->at[i];
        less.by = -less.by;
        if (!add_move(&rest, less))
            return false;
    }
    return rest.n == 0;
}

Change moves_times(Change c, double by)
{
    for (int i = 0; i < c.n; i++)
        c.at[i].by *= by;
    return c;
}

/* a plus `by` times b, as sums of moves. */
Change moves_plus(const Moving *m, Change a, const Change *b, double by)
{
    Change out = a;

    out.how = a.n ? a.how : b->how;
    out.along = a.along & b->along;
    for (int i = 0; i < b->n; i++) {
        Drift more = b->at[i];
        more.by *= by;
        if (!add_move(&out, more))
            return moves_not_known(moves_blame_of(m, &a) | moves_blame_of(m, b));
    }
    if (out.n == 0)
        return moves_none;
    return out;
}

/* --- ops --- */

Value *moves_made_of(Value *v)
{
    while (v->def && (op_has(v->def, MOVES) || v->def->code == OP_hint || v->def->code == OP_cast))
        v = v->def->operands[0];
    return v;
}

bool moves_number(const Value *v, double *out)
{
    uint64_t bits;

    v = moves_made_of((Value *)v);
    if (!dtype_is_float(v->type->dtype) || !value_constant(v, &bits))
        return false;
    *out = scalar_to_double(v->type->dtype, bits);
    return true;
}

/* Does it change as `how` says by any moves at all? */
bool moves_fit_any(const Value *v, How how)
{
    double x;

    return moves_number(v, &x) && (how == GROWS ? x == 0 : isinf(x) != 0);
}

/* Either of two values; a and b are how they change. */
Change moves_either(const Moving *m, const Value *x, const Value *y, Change a, Change b)
{
    if (a.how == ANYTHING || b.how == ANYTHING)
        return a.how == ANYTHING ? b : a;
    if (a.how == NOT_KNOWN || b.how == NOT_KNOWN)
        return moves_not_known(moves_blame_of(m, &a) | moves_blame_of(m, &b));
    if (moves_equal(&a, &b)) {
        a.along &= b.along;
        return a;
    }
    if (a.n == 0 && moves_fit_any(x, b.how))
        return b;
    if (b.n == 0 && moves_fit_any(y, a.how))
        return a;
    return moves_not_known(moves_blame_of(m, &a) | moves_blame_of(m, &b));
}

static Change of_sum(const Moving *m, const Op *op, double sign)
{
    Change a = moves_change_of(m, op->operands[0]), b = moves_change_of(m, op->operands[1]);

    if (a.how == ANYTHING || b.how == ANYTHING || a.how == NOT_KNOWN || b.how == NOT_KNOWN ||
        a.how == GROWS || b.how == GROWS)
        return moves_either(m, op->operands[0], op->operands[1], a, b);
    return moves_plus(m, a, &b, sign);
}

/* What shifts, times what does not change. */
static Change scaled(const Moving *m, Change c, const Value *by, bool divides)
{
    const Value *factor = moves_made_of((Value *)by);
    double x;

    if (moves_number(by, &x) && x != 0)
        return moves_times(c, divides ? 1 / x : x);
    bool good = !divides && factor->type->rank == 0 && !opt_in_loop(factor->block);
    for (int i = 0; i < c.n && good; i++) {
        good = !c.at[i].factor;
        c.at[i].factor = factor;
    }
    return good ? c : moves_not_known(moves_blame_of(m, &c));
}

static Change of_product(const Moving *m, const Value *x, const Value *y, Change a, Change b,
                         bool divides)
{
    if (a.how == NOT_KNOWN || b.how == NOT_KNOWN)
        return moves_not_known(moves_blame_of(m, &a) | moves_blame_of(m, &b));
    if (a.how == ANYTHING || b.how == ANYTHING)
        return (Change){.how = ANYTHING, .along = EVERY_DIM};
    if (a.n == 0 && b.n == 0)
        return moves_none;
    bool shifts = (a.n && a.how == SHIFTS) || (b.n && b.how == SHIFTS);
    if (!shifts)
        return moves_plus(m, a, &b, divides ? -1 : 1);
    if (b.n == 0)
        return scaled(m, a, y, divides);
    if (a.n == 0 && !divides)
        return scaled(m, b, x, false);
    return moves_not_known(moves_blame_of(m, &a) | moves_blame_of(m, &b));
}

/* exp of what shifts grows, log of what grows shifts. */
static Change turned(const Moving *m, const Value *x, How from, How to, double by)
{
    Change c = moves_change_of(m, x);

    if (c.how == ANYTHING || c.how == NOT_KNOWN || c.n == 0)
        return c;
    if (c.how != from)
        return moves_not_known(moves_blame_of(m, &c));
    c.how = to;
    return moves_times(c, by);
}

/* where(m == -inf, 0, m), where(sum == 0, 1, sum): the guarded one, as its operand; 0: none is. */
static int guarded(const Moving *m, const Op *select)
{
    const Op *test = moves_made_of(select->operands[0])->def;
    int other = test && test->code == OP_eq ? 2 : test && test->code == OP_ne ? 1 : 0;
    double x;

    if (!other || !moves_number(select->operands[3 - other], &x))
        return 0;
    const Change c = moves_change_of(m, select->operands[other]);
    for (int i = 0; i < 2; i++) {
        const Change tested = moves_change_of(m, test->operands[1 - i]);
        if (c.n > 0 && moves_equal(&c, &tested) && moves_fit_any(test->operands[i], c.how))
            return other;
    }
    return 0;
}

static Change of_select(const Moving *m, const Op *op)
{
    int other = guarded(m, op);

    if (other)
        return moves_change_of(m, op->operands[other]);
    return moves_either(m, op->operands[1], op->operands[2], moves_change_of(m, op->operands[1]),
                        moves_change_of(m, op->operands[2]));
}

/* Axes of the result along which all is the same. */
static Change moved_about(const Moving *m, const Op *op)
{
    const Value *x = op->operands[0], *made = op->results[0];
    const unsigned before = moves_change_of(m, x).along;
    Change c = moves_change_of(m, x);
    int n;

    if (c.n == 0)
        return c;
    switch (op->code) {
    case OP_splat:
        c.along = EVERY_DIM;
        return c;
    case OP_broadcast:
        for (int d = 0; d < made->type->rank; d++)
            c.along |= x->type->dims[d] == 1 ? 1u << d : 0;
        return c;
    case OP_expand: {
        const unsigned low = (1u << attr_axis(op)) - 1;
        c.along = (before & low) | (low + 1) | (before & ~low) << 1;
        return c;
    }
    case OP_permute: {
        const int64_t *dims = attr_dims(op, &n);
        c.along = EVERY_DIM << n;
        for (int d = 0; d < n; d++)
            c.along |= (before >> dims[d] & 1) << d;
        return c;
    }
    case OP_slice:
        return c;
    default:
        for (int d = 0; d < x->type->rank; d++) {
            if (!(before >> d & 1) && x->type->dims[d] > 1)
                return moves_not_known(moves_blame_of(m, &c));
        }
        c.along = EVERY_DIM;
        return c;
    }
}

/* Of what has no rule: it stays as it is, where all that it is made of does. */
static Change of_others(const Moving *m, const Op *op)
{
    uint64_t blame = 0;
    bool anything = false;

    for (int i = 0; i < op->noperands; i++) {
        const Change c = moves_change_of(m, op->operands[i]);
        blame |= moves_blame_of(m, &c);
        anything |= c.how == ANYTHING;
    }
    return blame || !anything ? moves_not_known(blame)
                              : (Change){.how = ANYTHING, .along = EVERY_DIM};
}

/* A sum over lanes that change alike. */
static Change summed(const Moving *m, const Op *op)
{
    const int axis = (int)attr_axis(op);
    Change c = moves_change_of(m, op->operands[0]);

    if (op->nresults != 1)
        return of_others(m, op);
    if (c.how == ANYTHING || c.how == NOT_KNOWN || c.n == 0)
        return c;
    if (ir_combine_code(op) != OP_add || c.how != GROWS || !(c.along >> axis & 1))
        return moves_not_known(moves_blame_of(m, &c));
    const unsigned low = (1u << axis) - 1;
    if (op->code == OP_reduce)
        c.along = (c.along & low) | (c.along >> 1 & ~low);
    return c;
}

/* a [M, K] b [K, N] + acc [M, N] */
static Change of_dot(const Moving *m, const Op *op)
{
    const int rank = op->results[0]->type->rank;
    const unsigned rows = 1u << (rank - 2), columns = 1u << (rank - 1);
    Change a = moves_change_of(m, op->operands[0]), b = moves_change_of(m, op->operands[1]);
    const Change acc = moves_change_of(m, op->operands[2]);
    const bool alike = (a.n == 0 || a.along & columns) && (b.n == 0 || b.along & rows);

    if (a.n + b.n > 0 && (!alike || (a.n && a.how == SHIFTS) || (b.n && b.how == SHIFTS)))
        return moves_not_known(moves_blame_of(m, &a) | moves_blame_of(m, &b) |
                               moves_blame_of(m, &acc));
    a.along |= columns;
    b.along |= rows;
    const Change product = of_product(m, NULL, NULL, a, b, false);
    return moves_either(m, op->results[0], op->operands[2], product, acc);
}

static Change of_fma(const Moving *m, const Op *op)
{
    const Change product =
        of_product(m, op->operands[0], op->operands[1], moves_change_of(m, op->operands[0]),
                   moves_change_of(m, op->operands[1]), false);
    const Change more = moves_change_of(m, op->operands[2]);
    const bool adds = product.how == SHIFTS && more.how == SHIFTS;

    if (adds)
        return moves_plus(m, product, &more, 1);
    return moves_either(m, op->results[0], op->operands[2], product, more);
}

Change moves_of_op(const Moving *m, const Op *op)
{
    switch (op->code) {
    case OP_add:
        return of_sum(m, op, 1);
    case OP_sub:
        return of_sum(m, op, -1);
    case OP_neg: {
        const Change c = moves_change_of(m, op->operands[0]);
        return c.how == SHIFTS ? moves_times(c, -1) : c;
    }
    case OP_mul:
    case OP_div:
        return of_product(m, op->operands[0], op->operands[1], moves_change_of(m, op->operands[0]),
                          moves_change_of(m, op->operands[1]), op->code == OP_div);
    case OP_fma:
        return of_fma(m, op);
    case OP_exp:
        return turned(m, op->operands[0], SHIFTS, GROWS, 1);
    case OP_exp2:
        return turned(m, op->operands[0], SHIFTS, GROWS, LN2);
    case OP_exp10:
        return turned(m, op->operands[0], SHIFTS, GROWS, LN10);
    case OP_log:
        return turned(m, op->operands[0], GROWS, SHIFTS, 1);
    case OP_log2:
        return turned(m, op->operands[0], GROWS, SHIFTS, 1 / LN2);
    case OP_log10:
        return turned(m, op->operands[0], GROWS, SHIFTS, 1 / LN10);
    case OP_select:
        return of_select(m, op);
    case OP_cast:
    case OP_hint:
        return moves_change_of(m, op->operands[0]);
    case OP_reduce:
    case OP_scan:
        return summed(m, op);
    case OP_dot:
        return of_dot(m, op);
    default:
        return op_has(op, MOVES) ? moved_about(m, op) : of_others(m, op);
    }
}
