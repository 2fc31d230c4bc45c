/*
 * transposed.c - loops in which programs add to elements that others add to, too: each program sums
 * up what all hand to its own
 *
 *     t = program * BLOCK + lanes           u = program * BLOCK + lanes
 *     for u in range(n):             ->     for t in range(n):
 *         atomic d_x[u] += sum f(t, u)          d_x[u] += f(t, u)
 *
 *     t = program * BLOCK + lanes           d = program * BLOCK + lanes
 *     for u in range(n):             ->     for u in range(n):
 *         atomic d_w[t - u] += f(t, u)          d_w[d] += f(d + u, u)
 *
 * In the first lanes that are summed up and rounds take each other's place, in the second a lane
 * stands for what it has in common with others.  Either way the sum has the same parts, where
 *
 *   1. what is handed on is made of program * BLOCK + lane and of the round alone (anew.c);
 *   2. each element has a lane: rounds go no further than lanes of all programs do;
 *   3. of rounds that some programs have, and others not, the others would hand on 0 (domain.c).
 *
 * A loop that was split in two, one part of which has masks that are true in the other, is one.
 * The sum is stored where nobody else meets the element (alone.c), and else added by one atomic.
 */
#include "../opt/opt.h"
#include "gather.h"
#include "transposed.h"

enum { MOST_TAPS = 16 };
typedef struct {
    Grad *g;
    const GradArray *array;
    Tap taps[MOST_TAPS];
    int n, others; /* that are no taps */
    GradOps adds;
} Search;

static bool adds_to(const Search *s, const Op *op)
{
    return op->code == OP_atomic_rmw &&
           grad_array_of(s->g, op->operands[0]) == s->array->gradient->index;
}

static void find_add(Op *op, void *search)
{
    Search *s = search;

    if (adds_to(s, op))
        vec_push(s->g->arena, &s->adds, op);
}

static void find_tap(Op *op, void *search)
{
    Search *s = search;

    if (!adds_to(s, op))
        return;
    if (s->n < MOST_TAPS && tap_of(op, &s->taps[s->n]))
        s->n++;
    else
        s->others++;
}

static bool goes_by_round(const Tap *t)
{
    Poly place;
    PolyTerm by;

    return tap_polynomial(t->pointer, &place) && tap_factors_of(&place, tap_atom(t->counter), &by);
}

/* Does each lane have an element of its own, in its program? */
static Op *if_alone(Grad *g, const GradArray *a, Op *store)
{
    const GradOps one = {.at = &store, .len = 1};

    if (!store || grad_alone(g, a, &one, 0))
        return store;
    op_remove(store);
    return NULL;
}

/* Sums it up in another loop; gives what stores the sum, or NULL. */
static Op *transpose(Grad *g, GradArray *a, const Tap *t)
{
    const int needs = g->needs.len;
    Op *made = NULL;

    if (!goes_by_round(t))
        return NULL;
    grad_stand_for(g, t->op);
    for (int axis = 0; axis < AXES && !made; axis++) {
        if (!(g->asked >> axis & 1))
            continue;
        made = if_alone(g, a, way_exchange(g, a, t, axis));
        if (!made)
            g->needs.len = needs;
        for (int side = 0; side < t->pointer->type->rank && !made; side++) {
            made = if_alone(g, a, way_share(g, a, t, side, axis));
            if (!made)
                g->needs.len = needs;
        }
    }
    return made;
}

void gather_add_atomically(Grad *g, Op *store)
{
    const int64_t add[3] = {RMW_ADD, SEM_RELAXED, 0};
    const Builder before = g->b;

    g->b = builder_before(store);
    build_op(&g->b, OP_atomic_rmw, store->noperands, store->operands, 3, add, 1,
             &store->operands[STORE_DATA]->type);
    op_remove(store);
    g->b = before;
}

void gather_transposed(Grad *g, GradArray *a)
{
    Search *s = NEW(g->arena, Search);
    GradOps made = {0};
    const int needs = g->needs.len;

    *s = (Search){.g = g, .array = a};
    if (a->fill != GRAD_ADDED || a->in_last_pass || grad_by_atomics(g, a))
        return;
    ir_walk(g->func->body, find_tap, s);
    tap_join_parts(g, s->taps, s->n);
    for (int i = 0; i < s->n; i++) {
        Tap *t = &s->taps[i];
        Op *store = t->op ? transpose(g, a, t) : NULL;
        if (!store) {
            s->others += t->op != NULL;
            continue;
        }
        vec_push(g->arena, &made, store);
        op_remove(t->op);
        if (t->part)
            op_remove(t->part);
    }
    const int then = g->needs.len;
    if (made.len == 1 && s->others == 0 && grad_alone(g, a, &made, g->asked)) {
        a->fill = GRAD_STORED;
        a->is_gathered = a->is_transposed = true;
        return;
    }
    g->needs.len = made.len > 0 ? then : needs;
    for (int i = 0; i < made.len; i++)
        gather_add_atomically(g, made.at[i]);
    if (made.len == 0)
        return;
    a->is_transposed = true;
    *s = (Search){.g = g, .array = a};
    ir_walk(g->func->body, find_add, s);
    a->adds = s->adds;
}
