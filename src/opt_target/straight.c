/*
 * straight.c - rounds whose arms load, as rounds that load under masks
 *
 * Takes and gives verified IR, for targets whose threads wait where they use what they loaded.
 * What stands in an arm of an `if` is asked for when the condition is known, and used before the
 * arm ends; a round with such an arm waits for memory twice, and none of it goes ahead (ahead.c):
 *
 *     if c: x = load(p, m)       ->      a = load(p, m and c)
 *     else: x = load(q, m)               b = load(q, m and not c)
 *                                        x = where(c, a, b)
 *
 * Arms are short, without effects, and of a loop without products, which are brought by copies.
 */
#include "opt_target.h"
#include "../ir/analysis.h"

enum { MOST_OPS = 16, MOST_LOADS = 2 }; /* of an arm */

static bool is_plain_load(const Op *op)
{
    return op->code == OP_load && !op_is_volatile(op) && attr_cache(op) != CACHE_CV;
}

/* Can it be done whether the condition holds or not, its loads under a mask? */
static bool is_short(const Block *arm, int *loads)
{
    int ops = 0, own = 0;

    for (const Op *op = arm->first; op != opt_last(arm); op = op->next) {
        own += is_plain_load(op);
        if (++ops > MOST_OPS || op->regions[0] || op_crosses_lanes(op) ||
            (!is_plain_load(op) && !op_has(op, PURE)))
            return false;
    }
    *loads += own;
    return own <= MOST_LOADS;
}

static bool is_fit(const Op *op)
{
    int loads = 0;

    if (op->code != OP_if || !op->regions[1] || !is_short(op->regions[0], &loads) ||
        !is_short(op->regions[1], &loads))
        return false;
    for (int i = 0; i < op->nresults; i++) {
        if (op->results[i]->type->pointer)
            return false;
    }
    return loads > 0;
}

static Value *as_tile(Builder *b, Value *flag, const Type *shape)
{
    return type_is_tile(shape) ? build_splat(b, flag, shape) : flag;
}

static void mask_loads(const Block *arm, Value *flag)
{
    for (Op *op = arm->first, *next; op != opt_last(arm); op = next) {
        next = op->next;
        if (op->code != OP_load)
            continue;
        Builder b = builder_before(op);
        Value *mask = op_operand(op, LOAD_MASK), *pointer = op->operands[LOAD_PTR];
        Value *taken = as_tile(&b, flag, pointer->type);
        mask = mask ? build_binary(&b, OP_and, mask, taken) : taken;
        op->results[0]->repl = build_load_like(&b, op, pointer, mask, op_operand(op, LOAD_OTHER));
        op_remove(op);
    }
}

static void straighten(Op *op)
{
    const Op *yes = opt_last(op->regions[0]), *no = opt_last(op->regions[1]);
    Builder b = builder_before(op);
    Value *flag = op->operands[0];

    mask_loads(op->regions[0], flag);
    mask_loads(op->regions[1], build_binary(&b, OP_xor, flag, build_const(&b, flag->type, 1)));
    opt_splice(op->regions[0], op);
    opt_splice(op->regions[1], op);
    for (int i = 0; i < op->nresults; i++) {
        Value *x = ir_resolve(yes->operands[i]), *y = ir_resolve(no->operands[i]);
        op->results[i]->repl = build_select(&b, as_tile(&b, flag, x->type), x, y);
    }
    op_remove(op);
}

static void find_product(Op *op, void *found)
{
    *(bool *)found |= op->code == OP_dot;
}

static void visit(Op *loop, void *unused)
{
    bool multiplies = false;

    (void)unused;
    if (loop->code != OP_for)
        return;
    ir_walk(loop->regions[0], find_product, &multiplies);
    for (Op *op = multiplies ? NULL : loop->regions[0]->first, *next; op; op = next) {
        next = op->next;
        if (is_fit(op))
            straighten(op);
    }
}

void opt_straight(Func *f)
{
    ir_walk(f->body, visit, NULL);
    opt_resolve_all(f->body);
}
