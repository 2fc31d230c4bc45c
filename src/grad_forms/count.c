/*
 * count.c - a `while` that counts becomes a `for`, whose rounds can go backwards
 *
 *     while i < n:          for i in range(i, n, 2):
 *         ..                    ..
 *         i += 2
 *
 * where n comes from in front of the loop, and the step is a constant.
 */
#include "forms.h"

/* A loop and what it counts. */
typedef struct {
    const Op *loop;
    int at; /* which carried value */
    int64_t step;
    Value *end;    /* as the condition has it */
    bool includes; /* the end is a round of its own */
} Count;

static const Block *body_of(const Op *loop)
{
    return loop->regions[1];
}

/* What each round adds to carried value i; 0: it does something else. */
static int64_t step_of(const Op *loop, int i)
{
    const Value *arg = body_of(loop)->args[i];
    const Op *next = opt_made_by(body_of(loop)->last->operands[i], OP_add);
    int64_t step = 0;

    if (next && next->operands[0] == arg && value_const_int(next->operands[1], &step))
        return step;
    if (next && next->operands[1] == arg && value_const_int(next->operands[0], &step))
        return step;
    return 0;
}

/* Is the condition handed all that is carried as it is, and nothing but compared? */
static bool is_plain(const Op *loop)
{
    const Block *head = loop->regions[0];

    for (int i = 0; i < loop->nresults; i++) {
        if (head->last->operands[i + 1] != head->args[i])
            return false;
    }
    return loop->noperands == loop->nresults;
}

static OpCode swapped(OpCode code)
{
    return code == OP_lt ? OP_gt : code == OP_gt ? OP_lt : code == OP_le ? OP_ge : OP_le;
}

static bool is_order(OpCode code)
{
    return code == OP_lt || code == OP_le || code == OP_gt || code == OP_ge;
}

static bool is_from_outside(const Value *v, const Op *loop)
{
    return !opt_inside(v->block, loop) || (v->def && v->def->code == OP_const);
}

/* Does it count?  A counter whose end is the largest integer would wrap. */
static bool find_count(const Op *loop, Count *out)
{
    const Block *head = loop->regions[0];
    const Op *compare = head->last->operands[0]->def;

    if (!is_plain(loop) || !compare || compare->block != head || !is_order(compare->code))
        return false;
    for (int side = 0; side < 2; side++) {
        const Value *counter = compare->operands[side];
        OpCode code = side == 0 ? compare->code : swapped(compare->code);
        bool rises = code == OP_lt || code == OP_le;

        if (counter->def || counter->block != head || !dtype_is_signed(counter->type->dtype) ||
            !is_from_outside(compare->operands[1 - side], loop))
            continue;
        *out = (Count){.loop = loop,
                       .at = counter->index,
                       .step = step_of(loop, counter->index),
                       .end = compare->operands[1 - side],
                       .includes = code == OP_le || code == OP_ge};
        return rises ? out->step > 0 : out->step < 0;
    }
    return false;
}

static Value *end_of(Builder *b, const Count *c)
{
    Value *end = c->end;
    const Type *type = c->loop->operands[c->at]->type;

    if (opt_inside(end->block, c->loop))
        end = op_clone(b, end->def, map_new(b->module->arena))->results[0];
    return c->includes ? build_binary(b, OP_add, end, build_int(b, type, c->step > 0 ? 1 : -1))
                       : end;
}

/* The counter is carried, too, for those who read it behind the loop. */
static Op *counted(Builder *b, const Count *c)
{
    const Op *loop = c->loop;
    const Block *from = body_of(loop);
    const int n = loop->nresults;
    Value **operands = NEW_N(b->module->arena, Value *, FOR_BOUNDS + n);
    const Type **types = NEW_N(b->module->arena, const Type *, n);
    Map *to = map_new(b->module->arena);

    operands[FOR_LO] = loop->operands[c->at];
    operands[FOR_HI] = end_of(b, c);
    operands[FOR_STEP] = build_int(b, operands[FOR_LO]->type, c->step);
    for (int i = 0; i < n; i++) {
        operands[FOR_BOUNDS + i] = loop->operands[i];
        types[i] = loop->operands[i]->type;
    }
    Op *made = build_op(b, OP_for, FOR_BOUNDS + n, operands, 0, NULL, n, types);
    Block *body = made->regions[0];
    if (body->nargs == 0)
        block_add_arg(body, operands[FOR_LO]->type);
    for (int i = body->nargs - 1; i < n; i++)
        block_add_arg(body, types[i]);
    body->args[0]->name = from->args[c->at]->name;
    for (int i = 0; i < n; i++) {
        body->args[i + 1]->name = from->args[i]->name;
        made->results[i]->name = loop->results[i]->name;
        map_put(to, MAP_KEY(from->args[i]), body->args[i == c->at ? 0 : i + 1]);
    }
    Builder inside = builder_into(b, body);
    for (const Op *op = from->first; op != from->last; op = op->next)
        op_clone(&inside, op, to);
    for (int i = 0; i < n; i++) {
        Value *next = map_get(to, MAP_KEY(from->last->operands[i]));
        operands[i] = next ? next : from->last->operands[i];
    }
    operands[c->at] = build_binary(&inside, OP_add, body->args[c->at + 1],
                                   build_int(&inside, body->args[0]->type, c->step));
    build_yield(&inside, OP_yield, n, operands);
    return made;
}

typedef struct {
    Op *first;
    Count count;
} Found;

static void find(Op *op, void *found)
{
    Found *f = found;

    if (!f->first && op->code == OP_while && find_count(op, &f->count))
        f->first = op;
}

void forms_count_rounds(Func *func)
{
    for (;;) {
        Found f = {0};

        ir_walk(func->body, find, &f);
        if (!f.first)
            return;
        Builder b = builder_before(f.first);
        Op *made = counted(&b, &f.count);
        for (int i = 0; i < made->nresults; i++)
            f.first->results[i]->repl = made->results[i];
        opt_resolve_all(func->body);
        op_remove(f.first);
    }
}
