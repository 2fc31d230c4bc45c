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
#include "../grad_forms/moves.h"
#include "facts.h"

enum { MOST_MOVED = 64, ONE_BY_ONE = 8 };

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
    Change out = {.how = c->how};

    if (c->how == ANYTHING || c->how == NOT_KNOWN)
        return *c;
    for (int i = 0; i < c->n; i++) {
        const Drift *move = &c->at[i];
        Change more = {.how = SHIFTS, .at = {*move}, .n = 1};
        for (int k = 0; k < n; k++) {
            if (args[k] && args[k] == move->of) {
                more = moves_times(by[k], move->by);
                for (int t = 0; t < more.n; t++) {
                    if (more.at[t].factor && move->factor)
                        return moves_not_known(moves_blame_of(m, c));
                    if (move->factor)
                        more.at[t].factor = move->factor;
                    for (int d = 0; d < MAX_RANK; d++)
                        more.at[t].dims[d] =
                            (int8_t)(more.at[t].dims[d] < 0 ? -1 : move->dims[more.at[t].dims[d]]);
                }
            }
        }
        if (more.how == ANYTHING) /* it is not known yet */
            return more;
        if (more.how == NOT_KNOWN || (more.n && more.how == GROWS))
            return moves_not_known(moves_blame_of(m, c) | moves_blame_of(m, &more));
        out = moves_plus(m, out, &more, 1);
        if (out.how == NOT_KNOWN)
            return out;
        out.how = c->how;
    }
    return out.n ? out : moves_none;
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
    moves_set(m, r->args[i], c);
}

/* What is handed on moves as one value does, which moves by itself: so does the argument. */
static bool becomes_point(Moving *m, Rounds *r, int i)
{
    const Change *c = &r->next[i];

    if (r->assumed[i].how != ANYTHING || !moves_as(c, r->args[i]) ||
        !opt_inside(c->at[0].of->block, r->loop))
        return false;
    map_put(m->blames, (uint64_t)r->args[i]->id,
            (void *)(uintptr_t)(moves_blame_of(m, c) | moves_blame_of(m, &r->init[i])));
    r->points[i] = r->args[i];
    assume(m, r, i, moves_own(r->args[i]));
    return true;
}

/* It moves somehow, in each round. */
static bool check_point(Moving *m, Rounds *r, int i, uint64_t blame)
{
    bool good =
        r->next[i].how == SHIFTS && (r->init[i].how == SHIFTS || r->init[i].how == ANYTHING);

    blame |= moves_blame_of_point(m, r->args[i]);
    map_put(m->blames, (uint64_t)r->args[i]->id, (void *)(uintptr_t)blame);
    if (good)
        return false;
    r->points[i] = NULL;
    assume(m, r, i, moves_not_known(blame));
    return true;
}

/* What was assumed of argument i does not hold, or nothing was yet: the next to try.  False: it
 * holds. */
static bool reassume(Moving *m, Rounds *r, int i)
{
    Value **now = NEW_N(m->arena, Value *, r->n + 1);
    const Change c = r->next[i];
    uint64_t blame = moves_blame_of(m, &c) | moves_blame_of(m, &r->init[i]);

    if (r->assumed[i].how == NOT_KNOWN)
        return false;
    if (r->points[i])
        return check_point(m, r, i, blame);
    for (int k = 0; k < r->n; k++) {
        const Change *by = &r->next[k];
        now[k] = r->points[k] && moves_as(by, r->args[k]) ? (Value *)by->at[0].of : NULL;
    }
    if (r->assumed[i].how == ANYTHING) {
        Change guess = c.how == ANYTHING ? r->init[i] : renamed(c, now, r->args, r->n);
        if (!leaves(&guess, r->loop, r->points, r->n))
            guess = moves_not_known(blame);
        assume(m, r, i, guess);
        return guess.how != ANYTHING; /* a loop around it does not know yet what it begins with */
    }
    const Change then = replaced(m, &r->assumed[i], r->points, r->next, r->n);
    const Change begins = replaced(m, &r->assumed[i], r->points, r->init, r->n);
    const Value *init = r->loop->operands[FOR_BOUNDS + i];
    const bool later = begins.how == ANYTHING || r->init[i].how == ANYTHING;
    bool good = c.how != NOT_KNOWN && moves_equal(&c, &then) && then.how != NOT_KNOWN &&
                begins.how != NOT_KNOWN &&
                (later || moves_equal(&begins, &r->init[i]) ||
                 (r->init[i].n == 0 && moves_fit_any(init, r->assumed[i].how)));
    if (!good)
        assume(m, r, i, moves_not_known(blame | moves_blame_of(m, &r->assumed[i])));
    return !good;
}

/* What the loop gives changes as what a round began with. */
static void end_rounds(Moving *m, const Rounds *r)
{
    Value **results = NEW_N(m->arena, Value *, r->n + 1);

    for (int i = 0; i < r->n; i++) {
        results[i] = r->loop->results[i];
        if (r->points[i])
            map_put(m->blames, (uint64_t)results[i]->id,
                    (void *)(uintptr_t)moves_blame_of_point(m, r->args[i]));
    }
    for (int i = 0; i < r->n; i++) {
        const Change c = r->assumed[i];
        bool later = c.how == ANYTHING && r->init[i].how == ANYTHING;
        moves_set(m, results[i],
                  later               ? c
                  : c.how == ANYTHING ? moves_none
                                      : renamed(c, r->points, results, r->n));
    }
}

static void look_at_loop(Moving *m, const Op *loop)
{
    const Block *body = loop->regions[0];
    const int n = loop->nresults;
    Rounds r = {.loop = loop,
                .n = n,
                .args = NEW_N(m->arena, Value *, n + 1),
                .points = NEW_N(m->arena, Value *, n + 1),
                .assumed = NEW_N(m->arena, Change, n + 1),
                .init = NEW_N(m->arena, Change, n + 1),
                .next = NEW_N(m->arena, Change, n + 1)};
    const Change anything = {.how = ANYTHING};
    bool again = true;

    for (int i = 0; i < n; i++) {
        r.args[i] = body->args[i + 1];
        r.init[i] = moves_change_of(m, loop->operands[FOR_BOUNDS + i]);
        assume(m, &r, i, moves_is_float(r.args[i]) ? anything : moves_none);
    }
    while (again) {
        again = false;
        look_at(m, body);
        for (int i = 0; i < n; i++)
            r.next[i] = moves_change_of(m, body->last->operands[i]);
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
        moves_set(m, op->results[i],
                  moves_either(m, x, y, moves_change_of(m, x), moves_change_of(m, y)));
    }
}

/* Rounds that are not counted: what they are handed, and give, is not known if anything moves. */
static void look_at_while(Moving *m, const Op *op)
{
    uint64_t all = 0;

    for (int i = 0; i < op->noperands; i++) {
        const Change c = moves_change_of(m, op->operands[i]);
        all |= moves_blame_of(m, &c);
    }
    for (int again = 0; again < 2; again++) {
        for (int r = 0; r < COUNT(op->regions) && op->regions[r]; r++) {
            const Block *b = op->regions[r];
            for (int i = 0; i < b->nargs; i++)
                moves_set(m, b->args[i], moves_not_known(all));
            look_at(m, b);
            for (int i = 0; i < b->last->noperands; i++) {
                const Change c = moves_change_of(m, b->last->operands[i]);
                all |= moves_blame_of(m, &c);
            }
        }
    }
    for (int i = 0; i < op->nresults; i++)
        moves_set(m, op->results[i], moves_not_known(all));
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
    const Change c = moves_change_of(m, op->operands[STORE_DATA]);

    if (grad_array_of(m->g, op->operands[STORE_PTR]) == m->g->of.array->index && c.how != ANYTHING)
        m->wrong |= moves_blame_of(m, &c);
}

/* Is something made of what moves, and no float?  But for guards, m == -inf, sum == 0. */
static bool jumps(const Moving *m, const Op *op)
{
    for (int i = 0; i < op->noperands; i++) {
        const Change c = moves_change_of(m, op->operands[i]);
        bool is_guard = (op->code == OP_eq || op->code == OP_ne) &&
                        moves_fit_any(op->operands[1 - i], c.how) && c.how != NOT_KNOWN;
        if ((c.how == NOT_KNOWN || c.n > 0) && !is_guard)
            return true;
    }
    return false;
}

/* Integers stay as they are, but bits of floats, which no gradient goes through. */
static void look_at_results(Moving *m, const Op *op)
{
    bool is_refused = grad_row(op->code)->kind == GRAD_REFUSED;

    for (int i = 0; i < op->nresults; i++) {
        bool may = moves_is_float(op->results[i]) || is_refused;
        m->jumps |= !moves_is_float(op->results[i]) && jumps(m, op);
        moves_set(m, op->results[i], may ? moves_of_op(m, op) : moves_none);
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
            moves_set(m, op->results[0], moves_own(op->results[0]));
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
    vec_push(m->arena, &m->moved, op);
}

/* Those to blame are not moved any more.  One that others are made from, as a clamped temperature
 * is of the scores whose maximum is taken off, may be all that was wrong: so the first of them
 * alone, but for kernels with many. */
static void keep_still(Moving *m, int round)
{
    for (int i = 0; i < m->moved.len; i++) {
        if (m->moved.at[i] && m->wrong >> i & 1) {
            m->moved.at[i] = NULL;
            if (round < ONE_BY_ONE)
                break;
        }
    }
}

void grad_find_references(Grad *g)
{
    Moving *kept = NEW(g->arena, Moving);
    Moving m = {
        .g = g, .arena = g->arena, .changes = map_new(g->arena), .blames = map_new(g->arena)};

    g->moving = kept;
    ir_walk(g->func->body, find_moved, &m);
    if (m.moved.len == 0)
        return;
    for (int round = 0; round == 0 || m.wrong; round++) {
        m.wrong = 0;
        m.jumps = false;
        look_at(&m, g->func->body);
        keep_still(&m, round);
    }
    for (int i = 0; i < m.moved.len; i++) {
        if (!m.moved.at[i])
            continue;
        g->facts[m.moved.at[i]->results[0]->id] |= REFERENCE;
        if (!g->anchors.len && !g->held.len) /* then it is known already */
            vec_push(g->arena, &g->references, m.moved.at[i]);
    }
    *kept = m;
}

bool grad_moves_with(const Grad *g, const Value *v, const Value *point)
{
    const Change c = moves_change_of(g->moving, v);

    for (int i = 0; i < c.n; i++) {
        if (c.at[i].of == point)
            return true;
    }
    return c.how == NOT_KNOWN;
}

bool grad_stays(const Grad *g, const Value *v)
{
    const Change c = moves_change_of(g->moving, v);

    return c.how == SHIFTS && c.n == 0;
}

bool grad_jumps(const Grad *g)
{
    return g->moving->jumps;
}
