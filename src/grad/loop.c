/*
 * loop.c - loops: each round is computed again, and hands gradients to what it read
 *
 * Of a sum, acc = acc + f(round), each round's part has the gradient of the whole, so the order of
 * the rounds does not matter and nothing is kept: the loop runs once more as it was; so it is where
 * a condition says whether it is added, acc = where(c, acc + f(round), acc).  Where more is
 * done to what gradients go through, the rounds go backwards, each from what it began with, which
 * tape.c knows, and hand the gradient of that to the round before.  Gradients of values from
 * outside of the loop are carried, as sums of their own.
 */
#include "../opt/opt.h"
#include "grad.h"

/* Does the op give this operand plus something that has nothing to do with it? */
static bool adds(const Op *op, int operand)
{
    switch (op->code) {
    case OP_add:
        return true;
    case OP_sub:
        return operand == 0;
    case OP_fma:
    case OP_dot:
        return operand == 2;
    default:
        return false;
    }
}

/* where(c, sum + .., sum): the choice, of a sum that has these two uses; NULL: it is none. */
static const Op *chooses_whether(const Grad *g, const Value *sum)
{
    for (int k = 0; uses_count(&g->uses, sum) == 2 && k < 2; k++) {
        const Use *kept = &uses_of(&g->uses, sum)[k], *next = &uses_of(&g->uses, sum)[1 - k];
        if (kept->op->code != OP_select || kept->operand == 0)
            continue;
        while (adds(next->op, next->operand) && next->op->block == kept->op->block &&
               uses_count(&g->uses, next->op->results[0]) == 1)
            next = uses_of(&g->uses, next->op->results[0]);
        if (next->op == kept->op && next->operand == 3 - kept->operand)
            return kept->op;
    }
    return NULL;
}

/* The one use of a carried sum, in a chain of additions that ends in the value for the next round.
 * NULL: it is used in some other way. */
static const Op *adds_to(const Grad *g, const Value *sum)
{
    if (uses_count(&g->uses, sum) != 1)
        return chooses_whether(g, sum);
    const Use *use = uses_of(&g->uses, sum);
    bool through = use->op->code == OP_for && use->operand >= FOR_BOUNDS;
    return use->op->code == OP_yield || through || adds(use->op, use->operand) ? use->op : NULL;
}

/* Does the loop hand argument i on with something added, also by loops in it, and to nobody else?
 */
static bool only_sums(const Grad *g, const Op *loop, int i)
{
    const Value *sum = loop->regions[0]->args[i + 1];
    const Op *op = adds_to(g, sum);

    for (; op && op->code != OP_yield; op = adds_to(g, sum)) {
        int carried = uses_of(&g->uses, sum)->operand - FOR_BOUNDS;

        if (op->block != loop->regions[0] || (op->code == OP_for && !only_sums(g, op, carried)))
            return false;
        sum = op->results[op->code == OP_for ? carried : 0];
    }
    return op && op->block == loop->regions[0] && op->operands[i] == sum;
}

static bool is_active_in(const Grad *g, const Op *loop, int i)
{
    return grad_is_active(g, loop->results[i]) || grad_is_active(g, loop->regions[0]->args[i + 1]);
}

static const GradArray *array_behind(Grad *g, const Value *v)
{
    if (!v->type->pointer)
        return NULL;
    return grad_array_of(g, v) == g->of.array->index ? &g->of : grad_wrt_of(g, v);
}

/* Can carried pointers have twins in the array of gradients? */
static bool check_pointers(Grad *g, const Op *loop)
{
    for (int i = 0; i < loop->nresults; i++) {
        const Value *next = loop->regions[0]->last->operands[i];

        if (!array_behind(g, next) ||
            (grad_can_rebase(next) && grad_can_rebase(loop->operands[FOR_BOUNDS + i])))
            continue;
        grad_refuse(g, loop,
                    "a pointer is carried on from a loop that has ended, which has no "
                    "rule yet");
        return false;
    }
    return true;
}

/* What goes round in the loop of the backward, behind its counter. */
typedef struct {
    Value *forward;   /* an argument of the forward's loop that is no sum; or NULL */
    Value *gradients; /* the same, a pointer, in the array of gradients */
    Value *sum;       /* a value from outside whose gradient grows */
    Value *before;    /* .. of it so far; NULL: none */
    GradMeeting *met; /* what its rounds hand to the same elements */
    bool turned;      /* the gradient of what a round gives, then of what it began with */
    int at;           /* of forward, gradients and turned: which carried value */
} Carry;
typedef struct {
    Grad *g;
    Op *loop;
    bool *is_sum; /* of the carried values */
    bool goes_back;
    GradRounds rounds; /* where it goes back */
    VEC(Carry) all;
    VEC(Value *) init;
} Carries;

static void carry(Carries *c, Carry what, Value *init)
{
    vec_push(c->g->arena, &c->all, what);
    vec_push(c->g->arena, &c->init, init);
}

/* Is more done to some value than to add to it? */
static void find_sums(Carries *c)
{
    c->is_sum = NEW_N(c->g->arena, bool, c->loop->nresults + 1);
    for (int i = 0; i < c->loop->nresults; i++) {
        c->is_sum[i] = is_active_in(c->g, c->loop, i) && only_sums(c->g, c->loop, i);
        c->goes_back |= is_active_in(c->g, c->loop, i) && !c->is_sum[i];
    }
}

static void carry_turned(Carries *c)
{
    for (int i = 0; i < c->loop->nresults; i++) {
        Value *d = grad_adjoint(c->g, c->loop->results[i]);

        if (is_active_in(c->g, c->loop, i) && !c->is_sum[i])
            carry(c, (Carry){.turned = true, .at = i},
                  d ? d : grad_number(c->g, c->loop->results[i], 0));
    }
}

static void carry_forward(Carries *c)
{
    for (int i = 0; i < c->loop->nresults; i++) {
        Value *arg = c->loop->regions[0]->args[i + 1];
        Value *init = c->loop->operands[FOR_BOUNDS + i];
        const GradArray *to = array_behind(c->g, init);

        if (c->is_sum[i])
            continue;
        carry(c, (Carry){.forward = arg, .at = i}, grad_value(c->g, init));
        if (to)
            carry(c, (Carry){.gradients = arg, .at = i}, grad_rebase(c->g, init, to));
    }
}

/* Values from outside that ops in the loop hand gradients to. */
static void carry_sums(Carries *c)
{
    GradValues outside = grad_from_outside(c->g, c->loop);

    for (int i = 0; i < outside.len; i++) {
        Value *sum = grad_adjoint(c->g, outside.at[i]);
        Value *begin = sum ? sum : grad_number(c->g, outside.at[i], 0);
        if (dtype_is_small_float(begin->type->dtype)) /* rounded when all are added up */
            begin = grad_not_rounded(&c->g->b, begin, DT_FP32);
        carry(c, (Carry){.sum = outside.at[i], .before = sum}, begin);
    }
}

static void carry_meetings(Carries *c)
{
    GradMeetings all = grad_meetings_in(c->g, c->loop);

    for (int i = 0; i < all.len; i++)
        carry(c, (Carry){.met = all.at[i]}, grad_meeting_begins(c->g, all.at[i]));
}

static Op *make_loop(Carries *c)
{
    Grad *g = c->g;
    int n = FOR_BOUNDS + c->all.len;
    Value **operands = NEW_N(g->arena, Value *, n);
    const Type **types = NEW_N(g->arena, const Type *, n);

    for (int i = 0; i < n; i++) {
        operands[i] =
            i < FOR_BOUNDS ? grad_value(g, c->loop->operands[i]) : c->init.at[i - FOR_BOUNDS];
        if (i >= FOR_BOUNDS)
            types[i - FOR_BOUNDS] = operands[i]->type;
    }
    Op *made =
        build_op(&g->b, OP_for, n, operands, c->loop->nattrs, c->loop->attrs, c->all.len, types);
    Block *body = made->regions[0];
    if (body->nargs == 0)
        block_add_arg(body, operands[FOR_LO]->type);
    for (int i = body->nargs - 1; i < c->all.len; i++)
        block_add_arg(body, types[i]);
    return made;
}

static Sym gradient_name(const Grad *g, const Value *v)
{
    return v->name ? intern(g->func->module->interner, arena_printf(g->arena, "d_%s", v->name))
                   : NULL;
}

/* What the round began with, where rounds go backwards. */
static void enter_back(Carries *c, Value *back)
{
    Grad *g = c->g;
    const Op *loop = c->loop;
    Value *const *old = loop->regions[0]->args;
    Value *counter = grad_turned_counter(g, &c->rounds, back);

    back->name = intern(g->func->module->interner, "back");
    counter->name = old[0]->name;
    map_put(g->again, MAP_KEY(old[0]), counter);
    grad_go_again(g, &c->rounds, loop, back, counter);
    for (int i = 0; i < loop->nresults; i++) {
        Value *init = loop->operands[FOR_BOUNDS + i], *arg = old[i + 1];
        const GradArray *to = array_behind(g, init);

        if (c->is_sum[i])
            continue;
        Value *now = grad_round_begins(g, &c->rounds, loop, i, counter, grad_value(g, init));
        if (!now->name && now != init)
            now->name = arg->name;
        map_put(g->again, MAP_KEY(arg), now);
        if (to)
            map_put(g->rebased, (uint64_t)arg->id,
                    grad_round_begins(g, &c->rounds, loop, i, counter, grad_rebase(g, init, to)));
    }
}

/* In the body names mean what the loop hands in. */
static void enter(Carries *c, const Op *made)
{
    Grad *g = c->g;
    Value **args = made->regions[0]->args;
    const Block *old = c->loop->regions[0];

    for (int i = 0; i < c->loop->nresults; i++) { /* nothing but itself reads a sum */
        Value *sum = old->args[i + 1];
        if (c->is_sum[i])
            map_put(g->again, MAP_KEY(sum), grad_number(g, sum, 0));
    }
    if (c->goes_back) {
        enter_back(c, args[0]);
    } else {
        map_put(g->again, MAP_KEY(old->args[0]), args[0]);
        args[0]->name = old->args[0]->name;
    }
    for (int i = 0; i < c->all.len; i++) {
        const Carry *what = &c->all.at[i];
        Value *arg = args[i + 1];

        if (what->forward) {
            map_put(g->again, MAP_KEY(what->forward), arg);
            arg->name = what->forward->name;
        } else if (what->gradients) {
            map_put(g->rebased, (uint64_t)what->gradients->id, arg);
            arg->name = gradient_name(g, what->gradients);
        } else if (what->met) {
            what->met->sum = arg;
            arg->name = gradient_name(g, what->met->load->results[0]);
        } else if (what->turned) {
            const Value *v = c->loop->results[what->at];
            arg->name = gradient_name(g, v->name ? v : old->args[what->at + 1]);
            grad_add(g, old->last->operands[what->at], arg);
        } else {
            grad_set_adjoint(g, what->sum, arg);
            arg->name = gradient_name(g, what->sum);
        }
    }
}

static Value *gradient_or_zero(Grad *g, const Value *v)
{
    Value *d = grad_adjoint(g, v);

    return d ? d : grad_number(g, v, 0);
}

/* In the type of the value, or of the sum that goes on. */
static Value *rounded(Grad *g, const Carry *what, Value *sum)
{
    const Type *type = what->before ? what->before->type : what->sum->type;
    Value *d = build_cast(&g->b, sum, type->dtype, ROUND_NEAREST);

    value_shaped_like(g->func->module, d, what->sum);
    return d;
}

static void leave(Carries *c, Op *made, Builder outside)
{
    Grad *g = c->g;
    const Op *end = c->loop->regions[0]->last;
    Value **next = NEW_N(g->arena, Value *, c->all.len);

    for (int i = 0; i < c->all.len; i++) {
        const Carry *what = &c->all.at[i];
        Value *handed = what->sum || what->met ? NULL : end->operands[what->at];
        Value *begun = what->turned ? c->loop->regions[0]->args[what->at + 1] : NULL;

        next[i] = what->forward     ? grad_value(g, handed)
                  : what->gradients ? grad_rebase(g, handed, array_behind(g, what->gradients))
                  : what->met       ? what->met->sum
                  : what->turned    ? gradient_or_zero(g, begun)
                                    : grad_adjoint(g, what->sum);
    }
    build_yield(&g->b, OP_yield, c->all.len, next);
    g->b = outside;
    for (int i = 0; i < c->all.len; i++) {
        const Carry *what = &c->all.at[i];
        const Value *arg = made->regions[0]->args[i + 1];

        made->results[i]->name = arg->name;
        if (what->sum)
            grad_set_adjoint(g, what->sum,
                             next[i] == arg ? what->before : rounded(g, what, made->results[i]));
        if (c->all.at[i].met)
            c->all.at[i].met->sum = made->results[i];
    }
    for (int i = 0; i < c->all.len; i++) {
        if (c->all.at[i].met)
            grad_meeting_ends(g, c->all.at[i].met, c->loop);
    }
}

/* The gradient of what the loop began with. */
static void hand_on(Carries *c, const Op *made)
{
    Grad *g = c->g;
    const Op *loop = c->loop;

    for (int i = 0; i < loop->nresults; i++) {
        if (c->is_sum[i])
            grad_add(g, loop->operands[FOR_BOUNDS + i], grad_adjoint(g, loop->results[i]));
    }
    for (int i = 0; i < c->all.len; i++) {
        if (c->all.at[i].turned)
            grad_add(g, loop->operands[FOR_BOUNDS + c->all.at[i].at], made->results[i]);
    }
}

void grad_loop(Grad *g, Op *loop)
{
    Carries c = {.g = g, .loop = loop};

    find_sums(&c);
    if (!check_pointers(g, loop) || (c.goes_back && !grad_can_go_back(g, loop)))
        return;
    if (c.goes_back) {
        c.rounds = grad_write_tapes(g, loop, c.is_sum);
        carry_turned(&c);
    } else {
        carry_forward(&c);
    }
    carry_sums(&c);
    carry_meetings(&c);
    Op *made = make_loop(&c);
    const Builder outside = g->b;
    g->b = builder_into(&g->b, made->regions[0]);
    enter(&c, made);
    grad_compute_again(g, loop->regions[0]);
    for (int i = 0; i < loop->nresults; i++) { /* each round's part has the gradient of the whole */
        if (c.is_sum[i])
            grad_add(g, loop->regions[0]->last->operands[i], grad_adjoint(g, loop->results[i]));
    }
    grad_block(g, loop->regions[0]);
    if (g->failed)
        return;
    leave(&c, made, outside);
    hand_on(&c, made);
}
