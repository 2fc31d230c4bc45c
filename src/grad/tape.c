/*
 * tape.c - loops that go round backwards: what each round began with
 *
 * What steps by the same in every round is computed from the number of the round.  The rest is
 * written to a workspace by the forward's loop, in front of each round, and read by the backward's:
 *
 *     h_tape + (program * rounds + round) * elements + the element's number
 *
 * Of these, what nothing of the backward turns out to read is not kept.
 */
#include <stdlib.h>

#include "../opt_target/opt_target.h"
#include "grad.h"

enum { DEEPEST = 12 };

/* What each round adds to carried value i; NULL: it does something else. */
static Value *step_of(const Op *loop, int i)
{
    const Value *arg = loop->regions[0]->args[i + 1];
    const Op *end = loop->regions[0]->last->operands[i]->def;
    Value *step = NULL;

    if (!end || (!arg->type->pointer && !opt_is_int(arg)))
        return NULL;
    if ((end->code == OP_add || end->code == OP_addptr) && end->operands[0] == arg)
        step = end->operands[1];
    else if (end->code == OP_add && end->operands[1] == arg)
        step = end->operands[0];
    return step && !opt_inside(step->block, loop) ? step : NULL;
}

static bool stays(const Op *loop, int i)
{
    return loop->regions[0]->last->operands[i] == loop->regions[0]->args[i + 1];
}

static const char *name_of(const Op *loop, int i)
{
    const Value *arg = loop->regions[0]->args[i + 1];

    return loop->results[i]->name ? loop->results[i]->name : arg->name ? arg->name : "carried";
}

bool grad_can_go_back(Grad *g, const Op *loop)
{
    int64_t step;

    if (!value_const_int(loop->operands[FOR_STEP], &step) || step == 0) {
        grad_refuse(g, loop,
                    "rounds of a loop whose step is known only at run time cannot be gone through "
                    "backwards: make the step a constant");
        return false;
    }
    for (int i = 0; i < loop->nresults; i++) {
        const Type *t = loop->regions[0]->args[i + 1]->type;

        if ((!t->pointer && t->dtype != DT_I1 && t->handle == HANDLE_NONE) || stays(loop, i) ||
            step_of(loop, i))
            continue;
        grad_refuse(
            g, loop,
            "the rounds go backwards for the gradients, and what `%s` was in each cannot be "
            "told: compute it from the loop's variable",
            name_of(loop, i));
        return false;
    }
    return true;
}

/* --- the workspace --- */

static Value *binary_int(Builder *b, OpCode code, Value *x, int64_t y)
{
    return build_binary(b, code, x, build_int(b, x->type, y));
}

static Value *rounds_between(Builder *b, Value *lo, Value *hi, int64_t step)
{
    Value *span = build_binary(b, OP_sub, hi, lo);

    return step == 1 ? span : binary_int(b, OP_div, binary_int(b, OP_add, span, step - 1), step);
}

static Value *rounds_of(Builder *b, const Op *loop)
{
    int64_t step = 1;
    Value *lo = loop->operands[FOR_LO], *hi = loop->operands[FOR_HI];
    uint64_t trips;

    if (opt_trip_count(loop, &trips) && trips <= INT32_MAX)
        return build_int(b, lo->type, (int64_t)trips);
    value_const_int(loop->operands[FOR_STEP], &step);
    return step < 0 ? rounds_between(b, hi, lo, -step) : rounds_between(b, lo, hi, step);
}

Value *grad_round_of(Builder *b, const Op *loop, Value *counter)
{
    int64_t step = 1;
    Value *lo = loop->operands[FOR_LO];

    value_const_int(loop->operands[FOR_STEP], &step);
    Value *gone = build_binary(b, OP_sub, step > 0 ? counter : lo, step > 0 ? lo : counter);
    return llabs(step) == 1 ? gone : binary_int(b, OP_div, gone, llabs(step));
}

Value *grad_tape_place(Builder *b, const GradTape *t, Value *round, const Type *shape)
{
    Value *first = binary_int(b, OP_mul, build_cast(b, round, DT_I64, ROUND_NEAREST), t->elements);
    Value *at = build_addptr(b, t->begin, first);

    if (shape->rank == 0)
        return at;
    Value *numbers = build_numbers(b, shape);
    return build_addptr(b, build_splat(b, at, type_with_shape(b->module, at->type, shape)),
                        numbers);
}

/* For how many rounds it has room for each program. */
static Value *room_of(Grad *g, Builder *b, GradTapeKind kind, Value *limit)
{
    return kind == TAPE_EACH     ? limit
           : kind == TAPE_POINTS ? build_int(b, limit->type, g->wish->tape)
                                 : grad_rounds_apart(g, b, limit);
}

GradTape *grad_new_tape(Grad *g, const Op *forward, int i, Value *limit, GradTapeKind kind)
{
    const Value *arg = forward->regions[0]->args[i + 1];
    GradTape *t = NEW(g->arena, GradTape);
    Builder b = builder_before((Op *)forward);

    t->kind = kind;
    t->of = name_of(forward, i);
    t->elements = type_numel(arg->type);
    t->kept = arg;
    t->rounds = limit;
    t->tape = grad_new_parameter(
        g, arena_printf(g->arena, kind == TAPE_POINTS ? "%s_points" : "%s_tape", t->of),
        type_pointer(g->func->module, arg->type->dtype, false));
    t->begin = t->tape;
    if (g->asked) {
        Value *rows = build_cast(&b, room_of(g, &b, kind, limit), DT_I64, ROUND_NEAREST);
        Value *program = grad_program_number(g, &b, g->asked);
        t->begin = build_addptr(
            &b, t->tape,
            binary_int(&b, OP_mul, build_binary(&b, OP_mul, program, rows), t->elements));
        t->begin->name =
            intern(g->func->module->interner, arena_printf(g->arena, "%s_rounds", t->of));
    }
    vec_push(g->arena, &g->tapes, t);
    return t;
}

static void write_tape(Op *forward, int i, GradTape *t)
{
    Block *body = forward->regions[0];
    Builder b = builder_before(body->first);
    b.span = forward->span;
    b.site = forward->site;
    Value *arg = body->args[i + 1];
    Value *round = grad_round_of(&b, forward, body->args[0]);
    Value *operands[2] = {grad_tape_place(&b, t, round, arg->type), arg};

    t->store = build_op(&b, OP_store, 2, operands, 0, NULL, 0, NULL);
}

void grad_put_barrier(Grad *g, Builder *b)
{
    vec_push(g->arena, &g->barriers, build_op(b, OP_barrier, 0, NULL, 0, NULL, 0, NULL));
}

static Value *limit_at(Builder *b, Value *v, bool is_most, int depth);

static bool is_constant(const Value *v)
{
    int64_t x;

    return v && value_const_int(v, &x);
}

/* Of a minimum no more than one that is known, and no less than both; of a maximum the other way.
 */
static Value *limit_of_choice(Builder *b, const Op *op, bool is_most, int depth)
{
    Value *x = limit_at(b, op->operands[0], is_most, depth);
    Value *y = limit_at(b, op->operands[1], is_most, depth);

    if (op->code == OP_max && !is_most && (is_constant(x) || is_constant(y)))
        return is_constant(x) ? x : y; /* the other one makes it no less, and longer to read */
    if (x && y)
        return build_binary(b, op->code, x, y);
    return (op->code == OP_min) == is_most ? (x ? x : y) : NULL;
}

/* Of the counter of a loop that goes up. */
static Value *limit_of_counter(Builder *b, const Value *v, bool is_most, int depth)
{
    const Op *loop = v->block->owner;
    int64_t step;

    if (!loop || loop->code != OP_for || v->index != 0 ||
        !value_const_int(loop->operands[FOR_STEP], &step) || step <= 0)
        return NULL;
    Value *end = limit_at(b, loop->operands[is_most ? FOR_HI : FOR_LO], is_most, depth);
    return end && is_most ? binary_int(b, OP_sub, end, 1) : end;
}

/* A number made of arguments alone that it is at most, or at least, in any program; NULL. */
static Value *limit_at(Builder *b, Value *v, bool is_most, int depth)
{
    const Op *op = v->def;
    int64_t by;

    if (terms_same_for_all(v))
        return v;
    if (depth == 0)
        return NULL;
    if (!op)
        return limit_of_counter(b, v, is_most, depth - 1);
    if (op->code == OP_min || op->code == OP_max)
        return limit_of_choice(b, op, is_most, depth - 1);
    if (op->code == OP_program_id)
        return is_most ? NULL : build_int(b, v->type, 0);
    if (terms_is_part(v) && !is_most)
        return build_int(b, v->type, 0);
    if (op->code == OP_rem && terms_is_part(v))
        return binary_int(b, OP_sub, op->operands[1], 1);
    if (op->noperands == 0 || op->regions[0] || op->noperands > 2)
        return NULL;
    Value *x = limit_at(b, op->operands[0], is_most, depth - 1);
    if (op->code == OP_cast && opt_is_int(v) && opt_is_int(op->operands[0]))
        return x ? build_cast(b, x, v->type->dtype, ROUND_NEAREST) : NULL;
    if (op->code == OP_mul || op->code == OP_div)
        return x && value_const_int(op->operands[1], &by) && by > 0
                   ? build_binary(b, op->code, x, op->operands[1])
                   : NULL;
    if (op->code != OP_add && op->code != OP_sub)
        return NULL;
    Value *y = limit_at(b, op->operands[1], (op->code == OP_add) == is_most, depth - 1);
    return x && y ? build_binary(b, op->code, x, y) : NULL;
}

/* How many rounds a program has room for: as many as any has, or a parameter, where that is made of
 * more than arguments. */
static Value *limit_of(Grad *g, Builder *b, const Op *loop, Value *rounds)
{
    int64_t step = 1;

    if (terms_same_for_all(rounds))
        return rounds;
    value_const_int(loop->operands[FOR_STEP], &step);
    Value *lo = limit_at(b, loop->operands[step > 0 ? FOR_LO : FOR_HI], false, DEEPEST);
    Value *hi = limit_at(b, loop->operands[step > 0 ? FOR_HI : FOR_LO], true, DEEPEST);
    if (lo && hi)
        return rounds_between(b, lo, hi, llabs(step));
    return grad_new_parameter(g, "rounds", type_scalar(g->func->module, DT_I32));
}

/* The counter of the first round and that of the last: what those of a round and of its twin in the
 * other direction sum up to. */
static Value *both_of(Builder *b, const Op *loop, Value *rounds)
{
    Value *lo = loop->operands[FOR_LO];
    int64_t step = 1;

    value_const_int(loop->operands[FOR_STEP], &step);
    if (step == 1 || step == -1) {
        Value *last = binary_int(b, OP_sub, loop->operands[FOR_HI], step);
        return build_binary(b, OP_add, lo, last);
    }
    Value *last = binary_int(b, OP_mul, binary_int(b, OP_sub, rounds, 1), step);
    return build_binary(b, OP_add, build_binary(b, OP_add, lo, lo), last);
}

/* Not a sum, which nothing reads, nor told by the number of the round. */
static bool needs_tape(const Op *loop, const bool *is_sum, int i)
{
    return !is_sum[i] && !stays(loop, i) && !step_of(loop, i);
}

/* Are there more rounds than are to be kept? */
static bool has_points(const Grad *g, const Value *limit)
{
    int64_t rounds;

    return g->wish->tape > 0 && !(value_const_int(limit, &rounds) && rounds <= g->wish->tape);
}

static void write_tapes(Grad *g, Builder *b, GradRounds *r, const Op *loop, const bool *is_sum)
{
    Op *forward = (Op *)r->forward;
    Value *limit = limit_of(g, b, forward, rounds_of(b, forward));

    if (has_points(g, limit))
        r->each = grad_rounds_apart(g, b, limit);
    for (int i = 0; i < loop->nresults; i++) {
        if (!needs_tape(loop, is_sum, i))
            continue;
        r->tapes[i] = grad_new_tape(g, forward, i, limit, r->each ? TAPE_BETWEEN : TAPE_EACH);
        if (r->each)
            r->points[i] = grad_new_tape(g, forward, i, limit, TAPE_POINTS);
        else
            write_tape(forward, i, r->tapes[i]);
    }
    if (r->each)
        grad_write_points(r);
    grad_put_barrier(g, &g->b);
}

GradRounds grad_write_tapes(Grad *g, const Op *loop, const bool *is_sum)
{
    Op *forward = grad_value(g, loop->results[0])->def;
    Builder b = builder_before(forward);
    GradRounds r = {.forward = forward,
                    .tapes = NEW_N(g->arena, GradTape *, loop->nresults),
                    .points = NEW_N(g->arena, GradTape *, loop->nresults)};
    bool any = false;

    if (opt_in_loop(forward->block) || g->walk.axes)
        grad_put_barrier(g, &b);
    for (int i = 0; i < loop->nresults; i++)
        any |= needs_tape(loop, is_sum, i);
    if (any && g->wish->tape == GRAD_NO_TAPE)
        r.begun = NEW_N(g->arena, Value *, loop->nresults);
    else if (any)
        write_tapes(g, &b, &r, loop, is_sum);
    r.both = both_of(&g->b, forward, rounds_of(&b, forward));
    return r;
}

Value *grad_turned_counter(Grad *g, const GradRounds *r, Value *back)
{
    return build_binary(&g->b, OP_sub, r->both, back);
}

/* from + step * round */
static Value *stepped(Grad *g, Value *from, Value *step, Value *round)
{
    Value *times = build_cast(&g->b, round, step->type->dtype, ROUND_NEAREST);

    if (step->type->rank > 0)
        times = build_splat(&g->b, times, step->type);
    times = build_binary(&g->b, OP_mul, times, step);
    return from->type->pointer ? build_addptr(&g->b, from, times)
                               : build_binary(&g->b, OP_add, from, times);
}

Value *grad_round_begins(Grad *g, const GradRounds *r, const Op *loop, int i, Value *counter,
                         Value *from)
{
    Value *round = grad_round_of(&g->b, r->forward, counter), *step = step_of(loop, i);
    const Value *arg = loop->regions[0]->args[i + 1];

    if (stays(loop, i))
        return from;
    if (step)
        return stepped(g, from, grad_value(g, step), round);
    if (r->begun)
        return r->begun[i];
    if (r->each)
        round = build_binary(&g->b, OP_rem, round, r->each);
    Value *place = grad_tape_place(&g->b, r->tapes[i], round, arg->type);
    return build_load(&g->b, place, NULL, NULL)->results[0];
}

/* --- at the end --- */

static void note_reads(Op *op, void *grad)
{
    Grad *g = grad;

    for (int i = 0; i < g->tapes.len && op_only_reads(op); i++)
        g->tapes.at[i]->is_read |=
            grad_array_of(g, op->operands[LOAD_PTR]) == g->tapes.at[i]->tape->index;
}

/* What is kept only for what is not kept then goes, too. */
static bool drop_unread(Grad *g)
{
    bool dropped = false;

    for (int i = 0; i < g->tapes.len; i++)
        g->tapes.at[i]->is_read = false;
    ir_walk(g->func->body, note_reads, g);
    for (int i = 0; i < g->tapes.len; i++) {
        GradTape *t = g->tapes.at[i];
        if (t->is_read || !t->store)
            continue;
        op_remove(t->store);
        t->store = NULL;
        dropped = true;
    }
    return dropped;
}

void grad_drop_tapes(Grad *g)
{
    bool any = false;

    while (drop_unread(g)) {
        if (!opt_run_pass(g->func->module, "dce", g->diags))
            return;
    }
    for (int i = 0; i < g->tapes.len; i++)
        any |= g->tapes.at[i]->is_read;
    for (int i = 0; i < g->barriers.len && !any; i++)
        op_remove(g->barriers.at[i]);
}
