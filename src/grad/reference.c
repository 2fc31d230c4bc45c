/*
 * reference.c - what values are measured from, as the maximum that softmax takes off: where it may
 * be anything and the result stays the same, no gradient goes through it
 *
 *     out = exp(x - m) / sum(exp(x - m))
 *
 * Let m move by c.  Then exp(x - m) is exp(-c) times what it was, so is the sum, and the quotient
 * is what it was: its slope towards m is 0, however m came about.  Of each value is found how it
 * changes when maxima and minima move, each by what it likes:
 *
 *     SHIFTS   by a sum of moves, each times a number, and maybe a factor known at run time
 *     GROWS    exp(such a sum) times
 *
 * A loop that carries m, and sums that fade as m grows, `s * exp(m - new) + exp(x - new)`, gives
 * sums that grow as m of that round says: this is assumed of what is carried, and then shown.
 * Where what is stored to the array that is differentiated does not change, maxima that were moved
 * have no gradient; else those to blame are not moved, and all is looked at again.
 *
 * 0 grows by anything, and infinities shift by anything: where(m == -inf, 0, m) is m.
 */
#include <math.h>

#include "../opt/opt.h"
#include "grad.h"

enum { MOST_MOVES = 4, MOST_MOVED = 64, EVERY_DIM = (1 << MAX_RANK) - 1 };
static const double LN2 = 0.693147180559945309, LN10 = 2.302585092994045684, NEAR = 1e-6;

typedef struct {
    const Value *of, *factor; /* factor: a scalar; NULL: 1 */
    double by;
} Drift;
/* ANYTHING: of what a loop carries, while nothing is known. */
typedef enum { SHIFTS, GROWS, ANYTHING, NOT_KNOWN } How;
typedef struct {
    How how;
    Drift at[MOST_MOVES];
    int n;          /* 0: it does not change */
    unsigned along; /* axes along which it changes by the same: bits */
    uint64_t blame; /* of NOT_KNOWN: what was moved */
} Change;

typedef struct {
    Grad *g;
    GradOps moved;  /* maxima and minima */
    Map *changes;   /* id: Change */
    Map *blames;    /* id of what moves: which of `moved` it comes from, as bits + 1 */
    uint64_t wrong; /* what stores are to blame on */
} Moving;

static const Change same = {.along = EVERY_DIM};

static bool is_float(const Value *v)
{
    return dtype_is_float(v->type->dtype) && !v->type->pointer;
}

static Change change_of(const Moving *m, const Value *v)
{
    const Change *c = map_get(m->changes, (uint64_t)v->id);

    return c ? *c : same;
}

static void set_change(Moving *m, const Value *v, Change c)
{
    Change *kept = NEW(m->g->arena, Change);

    *kept = c;
    map_put(m->changes, (uint64_t)v->id, kept);
}

static uint64_t blame_of_move(const Moving *m, const Value *of)
{
    return (uint64_t)(uintptr_t)map_get(m->blames, (uint64_t)of->id);
}

static uint64_t blame_of(const Moving *m, const Change *c)
{
    uint64_t all = c->blame;

    for (int i = 0; i < c->n; i++)
        all |= blame_of_move(m, c->at[i].of);
    return all;
}

static Change not_known(uint64_t blame)
{
    return blame ? (Change){.how = NOT_KNOWN, .blame = blame} : same;
}

/* Moves by itself: lanes do so each for itself. */
static Change own_move(const Value *v)
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

static bool is_equal(const Change *a, const Change *b)
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

static Change times(Change c, double by)
{
    for (int i = 0; i < c.n; i++)
        c.at[i].by *= by;
    return c;
}

/* a plus `by` times b, as sums of moves. */
static Change plus(const Moving *m, Change a, const Change *b, double by)
{
    Change out = a;

    out.how = a.n ? a.how : b->how;
    out.along = a.along & b->along;
    for (int i = 0; i < b->n; i++) {
        Drift more = b->at[i];
        more.by *= by;
        if (!add_move(&out, more))
            return not_known(blame_of(m, &a) | blame_of(m, b));
    }
    if (out.n == 0)
        return same;
    return out;
}

/* --- ops --- */

static const Value *made_of(const Value *v)
{
    while (v->def && (op_has(v->def, MOVES) || v->def->code == OP_hint || v->def->code == OP_cast))
        v = v->def->operands[0];
    return v;
}

static bool number(const Value *v, double *out)
{
    uint64_t bits;

    v = made_of(v);
    if (!dtype_is_float(v->type->dtype) || !value_constant(v, &bits))
        return false;
    *out = scalar_to_double(v->type->dtype, bits);
    return true;
}

/* Does it change as `how` says by any moves at all? */
static bool fits_any(const Value *v, How how)
{
    double x;

    return number(v, &x) && (how == GROWS ? x == 0 : isinf(x) != 0);
}

/* Either of two values; a and b are how they change. */
static Change either(const Moving *m, const Value *x, const Value *y, Change a, Change b)
{
    if (a.how == ANYTHING || b.how == ANYTHING)
        return a.how == ANYTHING ? b : a;
    if (a.how == NOT_KNOWN || b.how == NOT_KNOWN)
        return not_known(blame_of(m, &a) | blame_of(m, &b));
    if (is_equal(&a, &b)) {
        a.along &= b.along;
        return a;
    }
    if (a.n == 0 && fits_any(x, b.how))
        return b;
    if (b.n == 0 && fits_any(y, a.how))
        return a;
    return not_known(blame_of(m, &a) | blame_of(m, &b));
}

static Change of_sum(const Moving *m, const Op *op, double sign)
{
    Change a = change_of(m, op->operands[0]), b = change_of(m, op->operands[1]);

    if (a.how == ANYTHING || b.how == ANYTHING || a.how == NOT_KNOWN || b.how == NOT_KNOWN ||
        a.how == GROWS || b.how == GROWS)
        return either(m, op->operands[0], op->operands[1], a, b);
    return plus(m, a, &b, sign);
}

/* Known outside of loops: the same in all rounds. */
static bool is_in_loop(const Value *v)
{
    for (const Block *b = v->block; b->owner; b = b->owner->block) {
        if (opt_is_loop(b->owner))
            return true;
    }
    return false;
}

/* What shifts, times what does not change. */
static Change scaled(const Moving *m, Change c, const Value *by, bool divides)
{
    const Value *factor = made_of(by);
    double x;

    if (number(by, &x) && x != 0)
        return times(c, divides ? 1 / x : x);
    bool good = !divides && factor->type->rank == 0 && !is_in_loop(factor);
    for (int i = 0; i < c.n && good; i++) {
        good = !c.at[i].factor;
        c.at[i].factor = factor;
    }
    return good ? c : not_known(blame_of(m, &c));
}

static Change of_product(const Moving *m, const Value *x, const Value *y, Change a, Change b,
                         bool divides)
{
    if (a.how == NOT_KNOWN || b.how == NOT_KNOWN)
        return not_known(blame_of(m, &a) | blame_of(m, &b));
    if (a.how == ANYTHING || b.how == ANYTHING)
        return (Change){.how = ANYTHING, .along = EVERY_DIM};
    if (a.n == 0 && b.n == 0)
        return same;
    bool shifts = (a.n && a.how == SHIFTS) || (b.n && b.how == SHIFTS);
    if (!shifts)
        return plus(m, a, &b, divides ? -1 : 1);
    if (b.n == 0)
        return scaled(m, a, y, divides);
    if (a.n == 0 && !divides)
        return scaled(m, b, x, false);
    return not_known(blame_of(m, &a) | blame_of(m, &b));
}

/* exp of what shifts grows, log of what grows shifts. */
static Change turned(const Moving *m, const Value *x, How from, How to, double by)
{
    Change c = change_of(m, x);

    if (c.how == ANYTHING || c.how == NOT_KNOWN || c.n == 0)
        return c;
    if (c.how != from)
        return not_known(blame_of(m, &c));
    c.how = to;
    return times(c, by);
}

/* where(m == -inf, 0, m), where(sum == 0, 1, sum): the guarded one, as its operand; 0: none is. */
static int guarded(const Moving *m, const Op *select)
{
    const Op *test = made_of(select->operands[0])->def;
    int other = test && test->code == OP_eq ? 2 : test && test->code == OP_ne ? 1 : 0;
    double x;

    if (!other || !number(select->operands[3 - other], &x))
        return 0;
    const Change c = change_of(m, select->operands[other]);
    for (int i = 0; i < 2; i++) {
        const Change tested = change_of(m, test->operands[1 - i]);
        if (c.n > 0 && is_equal(&c, &tested) && fits_any(test->operands[i], c.how))
            return other;
    }
    return 0;
}

static Change of_select(const Moving *m, const Op *op)
{
    int other = guarded(m, op);

    if (other)
        return change_of(m, op->operands[other]);
    return either(m, op->operands[1], op->operands[2], change_of(m, op->operands[1]),
                  change_of(m, op->operands[2]));
}

/* Axes of the result along which all is the same. */
static Change moved_about(const Moving *m, const Op *op)
{
    const Value *x = op->operands[0], *made = op->results[0];
    const unsigned before = change_of(m, x).along;
    Change c = change_of(m, x);
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
                return not_known(blame_of(m, &c));
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
        const Change c = change_of(m, op->operands[i]);
        blame |= blame_of(m, &c);
        anything |= c.how == ANYTHING;
    }
    return blame || !anything ? not_known(blame) : (Change){.how = ANYTHING, .along = EVERY_DIM};
}

/* A sum over lanes that change alike. */
static Change summed(const Moving *m, const Op *op)
{
    const int axis = (int)attr_axis(op);
    Change c = change_of(m, op->operands[0]);

    if (op->nresults != 1)
        return of_others(m, op);
    if (c.how == ANYTHING || c.how == NOT_KNOWN || c.n == 0)
        return c;
    if (ir_combine_code(op) != OP_add || c.how != GROWS || !(c.along >> axis & 1))
        return not_known(blame_of(m, &c));
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
    Change a = change_of(m, op->operands[0]), b = change_of(m, op->operands[1]);
    const Change acc = change_of(m, op->operands[2]);
    const bool alike = (a.n == 0 || a.along & columns) && (b.n == 0 || b.along & rows);

    if (a.n + b.n > 0 && (!alike || (a.n && a.how == SHIFTS) || (b.n && b.how == SHIFTS)))
        return not_known(blame_of(m, &a) | blame_of(m, &b) | blame_of(m, &acc));
    a.along |= columns;
    b.along |= rows;
    const Change product = of_product(m, NULL, NULL, a, b, false);
    return either(m, op->results[0], op->operands[2], product, acc);
}

static Change of_fma(const Moving *m, const Op *op)
{
    const Change product =
        of_product(m, op->operands[0], op->operands[1], change_of(m, op->operands[0]),
                   change_of(m, op->operands[1]), false);
    const Change more = change_of(m, op->operands[2]);
    const bool adds = product.how == SHIFTS && more.how == SHIFTS;

    if (adds)
        return plus(m, product, &more, 1);
    return either(m, op->results[0], op->operands[2], product, more);
}

static Change of_op(const Moving *m, const Op *op)
{
    switch (op->code) {
    case OP_add:
        return of_sum(m, op, 1);
    case OP_sub:
        return of_sum(m, op, -1);
    case OP_neg: {
        const Change c = change_of(m, op->operands[0]);
        return c.how == SHIFTS ? times(c, -1) : c;
    }
    case OP_mul:
    case OP_div:
        return of_product(m, op->operands[0], op->operands[1], change_of(m, op->operands[0]),
                          change_of(m, op->operands[1]), op->code == OP_div);
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
        return change_of(m, op->operands[0]);
    case OP_reduce:
    case OP_scan:
        return summed(m, op);
    case OP_dot:
        return of_dot(m, op);
    default:
        return op_has(op, MOVES) ? moved_about(m, op) : of_others(m, op);
    }
}

/* --- loops and branches --- */

static void look_at(Moving *m, const Block *b);

/* With moves of `to` in place of those of `from`, of which some may be NULL. */
static Change renamed(Change c, Value *const *from, Value *const *to, int n)
{
    for (int i = 0; i < c.n; i++) {
        for (int k = 0; k < n; k++) {
            if (from[k] && c.at[i].of == from[k]) {
                c.at[i].of = to[k];
                break;
            }
        }
    }
    return c;
}

/* The same with what each of these moves by. */
static Change replaced(const Moving *m, const Change *c, Value *const *args, const Change *by,
                       int n)
{
    Change out = {.how = c->how, .along = c->along};

    if (c->how == ANYTHING || c->how == NOT_KNOWN)
        return *c;
    for (int i = 0; i < c->n; i++) {
        const Drift *move = &c->at[i];
        Change more = {.how = SHIFTS, .at = {*move}, .n = 1, .along = EVERY_DIM};
        for (int k = 0; k < n; k++) {
            if (args[k] && args[k] == move->of) {
                more = times(by[k], move->by);
                for (int t = 0; t < more.n; t++) {
                    if (more.at[t].factor && move->factor)
                        return not_known(blame_of(m, c));
                    if (move->factor)
                        more.at[t].factor = move->factor;
                }
            }
        }
        if (more.how == ANYTHING || more.how == NOT_KNOWN || (more.n && more.how == GROWS))
            return not_known(blame_of(m, c) | blame_of(m, &more));
        out = plus(m, out, &more, 1);
        if (out.how == NOT_KNOWN)
            return out;
        out.how = c->how;
    }
    return out.n ? out : same;
}

static bool leaves(const Change *c, const Op *loop, Value *const *args, int n)
{
    for (int i = 0; i < c->n; i++) {
        bool is_arg = false;
        for (int k = 0; k < n; k++)
            is_arg |= args[k] && args[k] == c->at[i].of;
        if (!is_arg && opt_inside(c->at[i].of->block, loop))
            return false;
    }
    return true;
}

typedef struct {
    const Op *loop;
    int n;
    Value **args;   /* of the carried values */
    Value **points; /* those that are points of reference; NULL: it is none */
    Change *assumed, *init, *next;
} Rounds;

static void assume(Moving *m, Rounds *r, int i, Change c)
{
    r->assumed[i] = c;
    set_change(m, r->args[i], c);
}

/* What is handed on moves as one value does, which moves by itself: so does the argument. */
static bool becomes_point(Moving *m, Rounds *r, int i)
{
    const Change *c = &r->next[i];

    if (r->assumed[i].how != ANYTHING || c->how != SHIFTS || c->n != 1 || c->at[0].factor ||
        c->at[0].by != 1 || !opt_inside(c->at[0].of->block, r->loop))
        return false;
    map_put(m->blames, (uint64_t)r->args[i]->id,
            (void *)(uintptr_t)(blame_of(m, c) | blame_of(m, &r->init[i])));
    r->points[i] = r->args[i];
    assume(m, r, i, own_move(r->args[i]));
    return true;
}

/* It moves somehow, in each round. */
static bool check_point(Moving *m, Rounds *r, int i, uint64_t blame)
{
    bool good = r->next[i].how == SHIFTS && r->init[i].how == SHIFTS;

    blame |= blame_of_move(m, r->args[i]);
    map_put(m->blames, (uint64_t)r->args[i]->id, (void *)(uintptr_t)blame);
    if (good)
        return false;
    r->points[i] = NULL;
    assume(m, r, i, not_known(blame));
    return true;
}

/* What was assumed of argument i does not hold, or nothing was yet: the next to try.  False: it
 * holds. */
static bool reassume(Moving *m, Rounds *r, int i)
{
    Value **now = NEW_N(m->g->arena, Value *, r->n + 1);
    const Change c = r->next[i];
    uint64_t blame = blame_of(m, &c) | blame_of(m, &r->init[i]);

    if (r->assumed[i].how == NOT_KNOWN)
        return false;
    if (r->points[i])
        return check_point(m, r, i, blame);
    for (int k = 0; k < r->n; k++) {
        const Change *by = &r->next[k];
        bool is_one = r->points[k] && by->n == 1 && by->at[0].by == 1 && !by->at[0].factor;
        now[k] = is_one ? (Value *)by->at[0].of : NULL;
    }
    if (r->assumed[i].how == ANYTHING) {
        Change guess = c.how == ANYTHING ? r->init[i] : renamed(c, now, r->args, r->n);
        if (!leaves(&guess, r->loop, r->points, r->n))
            guess = not_known(blame);
        if (r->init[i].n > 0)
            guess.along &= r->init[i].along;
        assume(m, r, i, guess);
        return true;
    }
    const Change then = replaced(m, &r->assumed[i], r->points, r->next, r->n);
    const Change begins = replaced(m, &r->assumed[i], r->points, r->init, r->n);
    const Value *init = r->loop->operands[FOR_BOUNDS + i];
    bool good = c.how != NOT_KNOWN && is_equal(&c, &then) && then.how != NOT_KNOWN &&
                begins.how != NOT_KNOWN &&
                (is_equal(&begins, &r->init[i]) ||
                 (r->init[i].n == 0 && fits_any(init, r->assumed[i].how)));
    if (good && (r->assumed[i].along & ~c.along) == 0)
        return false;
    Change next = r->assumed[i];
    next.along &= c.along;
    assume(m, r, i, good ? next : not_known(blame | blame_of(m, &r->assumed[i])));
    return true;
}

/* What the loop gives changes as what a round began with. */
static void end_rounds(Moving *m, const Rounds *r)
{
    Value **results = NEW_N(m->g->arena, Value *, r->n + 1);

    for (int i = 0; i < r->n; i++) {
        results[i] = r->loop->results[i];
        if (r->points[i])
            map_put(m->blames, (uint64_t)results[i]->id,
                    (void *)(uintptr_t)blame_of_move(m, r->args[i]));
    }
    for (int i = 0; i < r->n; i++) {
        const Change c = r->assumed[i];
        set_change(m, results[i], c.how == ANYTHING ? same : renamed(c, r->points, results, r->n));
    }
}

static void look_at_loop(Moving *m, const Op *loop)
{
    const Block *body = loop->regions[0];
    const int n = loop->nresults;
    Rounds r = {.loop = loop,
                .n = n,
                .args = NEW_N(m->g->arena, Value *, n + 1),
                .points = NEW_N(m->g->arena, Value *, n + 1),
                .assumed = NEW_N(m->g->arena, Change, n + 1),
                .init = NEW_N(m->g->arena, Change, n + 1),
                .next = NEW_N(m->g->arena, Change, n + 1)};
    bool again = true;

    for (int i = 0; i < n; i++) {
        r.args[i] = body->args[i + 1];
        r.init[i] = change_of(m, loop->operands[FOR_BOUNDS + i]);
        assume(m, &r, i,
               is_float(r.args[i]) ? (Change){.how = ANYTHING, .along = EVERY_DIM} : same);
    }
    while (again) {
        again = false;
        look_at(m, body);
        for (int i = 0; i < n; i++)
            r.next[i] = change_of(m, body->last->operands[i]);
        for (int i = 0; i < n; i++)
            again |= becomes_point(m, &r, i);
        for (int only = 0; only < 2; only++) { /* last what depends on itself alone */
            for (int i = 0; i < n && !again; i++)
                again = (r.next[i].how == ANYTHING) == only && reassume(m, &r, i);
        }
    }
    end_rounds(m, &r);
}

static void look_at_branch(Moving *m, const Op *op)
{
    for (int r = 0; r < COUNT(op->regions) && op->regions[r]; r++)
        look_at(m, op->regions[r]);
    for (int i = 0; i < op->nresults; i++) {
        const Value *x = op->regions[0]->last->operands[i], *y = op->regions[1]->last->operands[i];
        set_change(m, op->results[i], either(m, x, y, change_of(m, x), change_of(m, y)));
    }
}

/* Rounds that are not counted: what they are handed, and give, is not known if anything moves. */
static void look_at_while(Moving *m, const Op *op)
{
    uint64_t all = 0;

    for (int i = 0; i < op->noperands; i++) {
        const Change c = change_of(m, op->operands[i]);
        all |= blame_of(m, &c);
    }
    for (int again = 0; again < 2; again++) {
        for (int r = 0; r < COUNT(op->regions) && op->regions[r]; r++) {
            const Block *b = op->regions[r];
            for (int i = 0; i < b->nargs; i++)
                set_change(m, b->args[i], not_known(all));
            look_at(m, b);
            for (int i = 0; i < b->last->noperands; i++) {
                const Change c = change_of(m, b->last->operands[i]);
                all |= blame_of(m, &c);
            }
        }
    }
    for (int i = 0; i < op->nresults; i++)
        set_change(m, op->results[i], not_known(all));
}

static int number_moved(const Moving *m, const Op *op)
{
    for (int i = 0; i < m->moved.len; i++) {
        if (m->moved.at[i] == op)
            return i;
    }
    return -1;
}

static void look_at_store(Moving *m, const Op *op)
{
    const Change c = change_of(m, op->operands[STORE_DATA]);

    if (grad_array_of(m->g, op->operands[STORE_PTR]) == m->g->of.array->index && c.how != ANYTHING)
        m->wrong |= blame_of(m, &c);
}

/* Integers stay as they are, but bits of floats, which no gradient goes through. */
static void look_at_results(Moving *m, const Op *op)
{
    bool is_refused = grad_row(op->code)->kind == GRAD_REFUSED;

    for (int i = 0; i < op->nresults; i++) {
        bool may = is_float(op->results[i]) || is_refused;
        set_change(m, op->results[i], may ? of_op(m, op) : same);
    }
}

static void look_at(Moving *m, const Block *b)
{
    for (const Op *op = b->first; op; op = op->next) {
        if (grad_puts_in_memory(op))
            look_at_store(m, op);
        if (op->code == OP_for)
            look_at_loop(m, op);
        else if (op->code == OP_while)
            look_at_while(m, op);
        else if (op->code == OP_if)
            look_at_branch(m, op);
        else if (op->nresults > 0 && number_moved(m, op) >= 0)
            set_change(m, op->results[0], own_move(op->results[0]));
        else
            look_at_results(m, op);
    }
}

/* --- the whole --- */

static void find_moved(Op *op, void *moving)
{
    Moving *m = moving;
    const Op *owner = op->block->owner;
    OpCode code = op->code == OP_reduce ? ir_combine_code(op) : op->code;
    bool is_extreme = code == OP_max || code == OP_min || code == OP_maxnan || code == OP_minnan;

    if (op->nresults != 1 || !is_extreme || (owner && op_has(owner, COMBINES)) ||
        !grad_is_active(m->g, op->results[0]) || m->moved.len == MOST_MOVED)
        return;
    map_put(m->blames, (uint64_t)op->results[0]->id,
            (void *)(uintptr_t)((uint64_t)1 << m->moved.len));
    vec_push(m->g->arena, &m->moved, op);
}

void grad_find_references(Grad *g)
{
    Moving m = {.g = g, .changes = map_new(g->arena), .blames = map_new(g->arena)};

    ir_walk(g->func->body, find_moved, &m);
    if (m.moved.len == 0)
        return;
    do {
        m.wrong = 0;
        look_at(&m, g->func->body);
        for (int i = 0; i < m.moved.len; i++) {
            if (m.wrong >> i & 1)
                m.moved.at[i] = NULL;
        }
    } while (m.wrong);
    for (int i = 0; i < m.moved.len; i++) {
        if (!m.moved.at[i])
            continue;
        g->facts[m.moved.at[i]->results[0]->id] |= REFERENCE;
        vec_push(g->arena, &g->references, m.moved.at[i]);
    }
}
