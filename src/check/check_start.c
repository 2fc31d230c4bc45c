/*
 * check_start.c - a greatest or least value that a loop begins with wins, where accesses are
 * checked
 *
 * m = tl.zeros(..), and tl.maximum(m, x) in each round: 0 where all of x is negative.  0 is right
 * where nothing is, or where the maximum with 0 is meant, so it is asked when the programs run: is
 * what the loop begins with, a number of the kernel's own, greater than all that it met?  Behind
 * what a loop carries for a maximum or minimum goes the same of x alone, which is compared in the
 * end.
 *
 * Takes and gives verified IR, without calls.  Nothing is asked of integers, which are numbers of
 * lanes as often, where all that was met is a mark, nor of what an exponential subtracts.
 */
#include <math.h>
#include <string.h>

#include "check.h"

enum { DEEPEST = 40 };
#define A_MARK 1e4 /* from there on a number stands for nothing, as infinities do */

typedef struct {
    Op *choice; /* of the round: the greater of what is carried and of */
    Value *met; /* .. this */
    Value *begun;
} Start;

/* What carried value number `i` is, if it is of this kind. */
static bool read_start(const Op *loop, int i, Start *s)
{
    const Value *next = opt_last(loop->regions[0])->operands[i],
                *arg = loop->regions[0]->args[1 + i];
    uint64_t bits;

    *s = (Start){.choice = next->def, .begun = loop->operands[FOR_BOUNDS + i]};
    if (!s->choice || s->choice->block != loop->regions[0] || next->type->pointer ||
        !dtype_is_float(next->type->dtype) || !value_constant(s->begun, &bits) ||
        !(fabs(scalar_to_double(next->type->dtype, bits)) < A_MARK))
        return false;
    OpCode code = s->choice->code;
    if (code != OP_max && code != OP_maxnan && code != OP_min && code != OP_minnan)
        return false;
    s->met = s->choice->operands[s->choice->operands[0] == arg];
    return s->choice->operands[0] == arg || s->choice->operands[1] == arg;
}

/* The loop with one more carried value, in its place. */
static Op *with_carried(Op *loop, Value *first)
{
    int n = loop->nresults, m = loop->noperands;
    Builder b = builder_before(loop);
    Value **operands = NEW_N(b.module->arena, Value *, m + 1);
    const Type **types = NEW_N(b.module->arena, const Type *, n + 1);

    memcpy(operands, loop->operands, sizeof operands[0] * (size_t)m);
    operands[m] = first;
    for (int i = 0; i < n; i++)
        types[i] = loop->results[i]->type;
    types[n] = first->type;
    Op *new = build_op(&b, OP_for, m + 1, operands, loop->nattrs, loop->attrs, n + 1, types);
    new->regions[0] = loop->regions[0];
    new->regions[0]->owner = new;
    new->span = loop->span;
    new->site = loop->site;
    new->mark = loop->mark;
    for (int i = 0; i < n; i++) {
        new->results[i]->name = loop->results[i]->name;
        loop->results[i]->repl = new->results[i];
    }
    op_remove(loop);
    return new;
}

static void carry_met(const Op *loop, const Start *s)
{
    Op *end = opt_last(loop->regions[0]);
    int n = end->noperands;
    Value *arg = block_add_arg(loop->regions[0], s->met->type);
    Builder b = builder_before(end);
    Value **values = NEW_N(b.module->arena, Value *, n + 1);

    memcpy(values, end->operands, sizeof values[0] * (size_t)n);
    values[n] = build_binary(&b, s->choice->code, arg, s->met);
    build_yield(&b, OP_yield, n + 1, values);
    op_remove(end);
}

static Op *ask(Op *loop, const Start *s)
{
    bool greatest = s->choice->code == OP_max || s->choice->code == OP_maxnan;
    double worst = greatest ? -INFINITY : INFINITY;
    Builder b = builder_before(loop);
    const char *text =
        arena_printf(b.module->arena,
                     "the number that this begins with in front of the loop is %s than all "
                     "that it meets: begin with %sfloat(\"inf\")",
                     greatest ? "greater" : "less", greatest ? "-" : "");

    Op *new = with_carried(loop, build_float(&b, s->begun->type, worst));
    carry_met(new, s);
    b = builder_before(new->next);
    b.span = s->choice->span;
    b.site = s->choice->site;
    b.mark = s->choice->mark;
    Value *met = new->results[new->nresults - 1];
    Value *lost = build_binary(&b, greatest ? OP_lt : OP_gt, met, s->begun);
    Value *mark = build_float(&b, met->type, A_MARK);
    Value *number = build_binary(&b, OP_lt, build_unary(&b, OP_abs, met), mark);
    Value *right = build_unary(&b, OP_not, build_binary(&b, OP_and, lost, number));
    int64_t attrs[] = {attr_of_text(b.module, text, strlen(text)), 0, 1};
    build_op(&b, OP_assert, 1, &right, COUNT(attrs), attrs, 0, NULL);
    return new;
}

typedef struct {
    Arena *arena;
    VEC(Op *) found;
} Loops;

static void note_loop(Op *op, void *loops)
{
    Loops *l = loops;

    if (op->code == OP_for)
        vec_push(l->arena, &l->found, op);
}

static void resolve(Op *op, void *nothing)
{
    (void)nothing;
    ir_resolve_operands(op);
}

void check_starts(Func *f)
{
    Loops l = {.arena = f->module->arena};

    ir_walk(f->body, note_loop, &l);
    for (int k = 0; k < l.found.len; k++) {
        Op *loop = l.found.at[k];
        int n = loop->nresults; /* those that are added are ours */
        for (int i = 0; i < n; i++) {
            UseLists uses = ir_uses(f, l.arena);
            Start s;
            if (!read_start(loop, i, &s) ||
                check_flows_into_power(&uses, loop->results[i], DEEPEST) ||
                check_flows_into_power(&uses, loop->regions[0]->args[1 + i], DEEPEST))
                continue;
            loop = ask(loop, &s);
            ir_walk(f->body, resolve, NULL);
        }
    }
}
