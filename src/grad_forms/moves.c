/*
 * moves.c - how a value changes when maxima and minima move, by how its operands do: it shifts by a
 * sum of moves, or grows by exp of one; reference.c says what for
 */
#include <math.h>
#include <string.h>

#include "moves.h"

static const double LN2 = 0.693147180559945309, LN10 = 2.302585092994045684, NEAR = 1e-6;

const Change moves_none = {0};

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
    Change c = {.how = SHIFTS, .at = {{.of = v, .by = 1}}, .n = 1};

    for (int d = 0; d < MAX_RANK; d++)
        c.at[0].dims[d] = (int8_t)(d < v->type->rank && v->type->dims[d] > 1 ? d : -1);
    return c;
}

bool moves_as(const Change *c, const Value *v)
{
    const Change own = moves_own(v);

    return c->how == SHIFTS && c->n == 1 && !c->at[0].factor && c->at[0].by == 1 &&
           memcmp(c->at[0].dims, own.at[0].dims, sizeof own.at[0].dims) == 0;
}

/* Does it change by the same along the axis? */
static bool is_alike(const Change *c, int axis)
{
    for (int i = 0; i < c->n; i++) {
        for (int d = 0; d < MAX_RANK; d++) {
            if (c->at[i].dims[d] == axis)
                return false;
        }
    }
    return true;
}

/* --- sums of moves --- */

static bool is_same_move(const Drift *a, const Drift *b)
{
    return a->of == b->of && a->factor == b->factor &&
           memcmp(a->dims, b->dims, sizeof a->dims) == 0;
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
    if (moves_equal(&a, &b))
        return a;
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
        return (Change){.how = ANYTHING};
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

/* The same where what lay along dimension d lies along to[d]. */
static Change turned_round(Change c, const int8_t *to)
{
    for (int i = 0; i < c.n; i++) {
        for (int d = 0; d < MAX_RANK; d++)
            c.at[i].dims[d] = (int8_t)(c.at[i].dims[d] < 0 ? -1 : to[c.at[i].dims[d]]);
    }
    return c;
}

/* Along which axes of the result it changes. */
static Change moved_about(const Moving *m, const Op *op)
{
    const Value *x = op->operands[0], *made = op->results[0];
    const Change c = moves_change_of(m, x);
    int8_t to[MAX_RANK];
    int n;

    if (c.n == 0)
        return c;
    switch (op->code) {
    case OP_splat:
    case OP_broadcast:
        return c;
    case OP_expand:
        for (int d = 0; d < MAX_RANK; d++)
            to[d] = (int8_t)(d < attr_axis(op) ? d : d + 1);
        return turned_round(c, to);
    case OP_permute: {
        const int64_t *dims = attr_dims(op, &n);
        for (int d = 0; d < n; d++)
            to[dims[d]] = (int8_t)d;
        return turned_round(c, to);
    }
    default: /* other lanes may be elsewhere */
        for (int d = 0; d < x->type->rank; d++) {
            const bool stays = op->code == OP_slice && x->type->dims[d] == made->type->dims[d];
            if (!stays && x->type->dims[d] > 1 && !is_alike(&c, d))
                return moves_not_known(moves_blame_of(m, &c));
        }
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
    return blame || !anything ? moves_not_known(blame) : (Change){.how = ANYTHING};
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
    if (ir_combine_code(op) != OP_add || c.how != GROWS || !is_alike(&c, axis))
        return moves_not_known(moves_blame_of(m, &c));
    int8_t to[MAX_RANK];
    for (int d = 0; d < MAX_RANK; d++)
        to[d] = (int8_t)(d > axis ? d - 1 : d);
    return op->code == OP_reduce ? turned_round(c, to) : c;
}

/* a [M, K] b [K, N] + acc [M, N] */
static Change of_dot(const Moving *m, const Op *op)
{
    const int rank = op->results[0]->type->rank;
    const int rows = rank - 2, columns = rank - 1;
    Change a = moves_change_of(m, op->operands[0]), b = moves_change_of(m, op->operands[1]);
    const Change acc = moves_change_of(m, op->operands[2]);
    const bool alike = is_alike(&a, columns) && is_alike(&b, rows);

    if (a.n + b.n > 0 && (!alike || (a.n && a.how == SHIFTS) || (b.n && b.how == SHIFTS)))
        return moves_not_known(moves_blame_of(m, &a) | moves_blame_of(m, &b) |
                               moves_blame_of(m, &acc));
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
