/*
 * points.c - loops that go round backwards, of which not each round is kept
 *
 * With N points the forward's loop keeps what the first round of each of N parts begins with, and
 * the backward's, before it enters a part, goes through that once more and keeps its rounds:
 *
 *     for k in range(0, n):                        for back in range(0, n):
 *         if k % each == 0:                            k = n - 1 - back
 *             tl.store(h_points + k // each, h)        if back == 0 or k % each == each - 1:
 *         h = ..                                           for k in range(k // each * each, k + 1):
 *                                                              tl.store(h_tape + k % each, h)
 *                                                              h = ..
 *
 * so that a program needs room for N + n / N rounds, and computes each twice.  With none at all a
 * round of the backward begins with all the rounds before it.
 */
#include "../opt/opt.h"
#include "grad.h"

static Value *by_int(Builder *b, OpCode code, Value *x, int64_t y)
{
    return build_binary(b, code, x, build_int(b, x->type, y));
}

Value *grad_rounds_apart(Grad *g, Builder *b, Value *rounds)
{
    const int n = g->wish->tape;
    Value *apart = by_int(b, OP_div, by_int(b, OP_add, rounds, n - 1), n);

    apart->name = intern(b->module->interner, "each");
    return apart;
}

/* An `if` without results; what follows goes into its first arm. */
static Builder enter_if(Builder *b, Value *condition)
{
    Op *made = build_op(b, OP_if, 1, &condition, 0, NULL, 0, NULL);
    Builder other = builder_into(b, made->regions[1]);

    build_yield(&other, OP_yield, 0, NULL);
    Builder in = builder_into(b, made->regions[0]);
    build_yield(&in, OP_yield, 0, NULL);
    Builder arm = builder_before(made->regions[0]->last);
    arm.span = b->span;
    arm.site = b->site;
    return arm;
}

static Op *store(Builder *b, const GradTape *t, Value *at, Value *what)
{
    Value *operands[2] = {grad_tape_place(b, t, at, what->type), what};

    return build_op(b, OP_store, 2, operands, 0, NULL, 0, NULL);
}

void grad_write_points(const GradRounds *r)
{
    Op *forward = (Op *)r->forward;
    Block *body = forward->regions[0];
    Builder b = builder_before(body->first);

    b.span = forward->span;
    b.site = forward->site;
    Value *round = grad_round_of(&b, forward, body->args[0]);
    Value *within = build_binary(&b, OP_rem, round, r->each);
    Builder in = enter_if(&b, by_int(&b, OP_eq, within, 0));
    Value *point = build_binary(&in, OP_div, round, r->each);
    for (int i = 0; i < forward->nresults; i++) {
        if (r->points[i])
            r->points[i]->store = store(&in, r->points[i], point, body->args[i + 1]);
    }
}

/* The forward's loop from one round on, with what that begins with, up to another. */
static Op *go(Grad *g, Builder *b, const GradRounds *r, Value *const *begins, Value *lo, Value *hi)
{
    Op *made = op_clone(b, r->forward, map_new(g->arena));

    made->operands[FOR_LO] = lo;
    made->operands[FOR_HI] = hi;
    for (int i = 0; i < made->nresults; i++)
        made->operands[FOR_BOUNDS + i] = begins[i];
    grad_without_effects(g, r->forward, made);
    return made;
}

static Value *past(Builder *b, const Op *loop, Value *counter)
{
    int64_t step = 1;

    value_const_int(loop->operands[FOR_STEP], &step);
    return by_int(b, OP_add, counter, step);
}

static Value *counter_of(Builder *b, const Op *loop, Value *round)
{
    int64_t step = 1;

    value_const_int(loop->operands[FOR_STEP], &step);
    Value *gone = step == 1 ? round : by_int(b, OP_mul, round, step);
    return build_binary(b, OP_add, loop->operands[FOR_LO], gone);
}

/* What the round with this counter begins with, the first behind that point; NULL: the loop does.
 */
static Value **begins_at(Grad *g, const GradRounds *r, const Op *loop, Value *counter, Value *point)
{
    Value **out = NEW_N(g->arena, Value *, loop->nresults);

    for (int i = 0; i < loop->nresults; i++) {
        Value *from = r->forward->operands[FOR_BOUNDS + i];
        const Type *type = from->type;
        out[i] = from;
        if (!counter)
            continue;
        if (r->points[i]) {
            Value *place = grad_tape_place(&g->b, r->points[i], point, type);
            out[i] = build_load(&g->b, place, NULL, NULL)->results[0];
            out[i]->name = loop->regions[0]->args[i + 1]->name;
        } else if (grad_is_active(g, loop->results[i])) {
            continue; /* a sum, which nobody reads here */
        } else {
            out[i] = grad_round_begins(g, r, loop, i, counter, from);
        }
    }
    return out;
}

static void keep_part(const GradRounds *r, Op *made)
{
    Block *body = made->regions[0];
    Builder b = builder_before(body->first);

    b.span = made->span;
    b.site = made->site;
    Value *round = grad_round_of(&b, r->forward, body->args[0]);
    Value *within = build_binary(&b, OP_rem, round, r->each);
    for (int i = 0; i < made->nresults; i++) {
        if (r->tapes[i])
            r->tapes[i]->store = store(&b, r->tapes[i], within, body->args[i + 1]);
    }
}

static void enter_part(Grad *g, const GradRounds *r, const Op *loop, Value *back, Value *counter)
{
    const Builder outside = g->b;
    Value *round = grad_round_of(&g->b, r->forward, counter);
    Value *within = build_binary(&g->b, OP_rem, round, r->each);
    Value *is_last = build_binary(&g->b, OP_eq, within, by_int(&g->b, OP_sub, r->each, 1));
    Value *is_first = build_binary(&g->b, OP_eq, back, r->forward->operands[FOR_LO]);

    g->b = enter_if(&g->b, build_binary(&g->b, OP_or, is_first, is_last));
    Value *begun = counter_of(&g->b, r->forward, build_binary(&g->b, OP_sub, round, within));
    Value **begins = begins_at(g, r, loop, begun, build_binary(&g->b, OP_div, round, r->each));
    grad_put_barrier(g, &g->b);
    keep_part(r, go(g, &g->b, r, begins, begun, past(&g->b, r->forward, counter)));
    grad_put_barrier(g, &g->b);
    g->b = outside;
}

void grad_go_again(Grad *g, GradRounds *r, const Op *loop, Value *back, Value *counter)
{
    if (r->each)
        enter_part(g, r, loop, back, counter);
    if (!r->begun)
        return;
    Value **begins = begins_at(g, r, loop, NULL, NULL);
    const Op *made = go(g, &g->b, r, begins, r->forward->operands[FOR_LO], counter);
    for (int i = 0; i < loop->nresults; i++) {
        r->begun[i] = made->results[i];
        r->begun[i]->name = loop->regions[0]->args[i + 1]->name;
    }
}
