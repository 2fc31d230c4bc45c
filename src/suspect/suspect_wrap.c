/*
 * suspect_wrap.c - remainders of numbers that are negative in some lanes
 *
 * (i - 1) % n is the neighbour around the end in Python, where a remainder has the sign of n.  Here
 * it has that of i - 1, as in C and in Triton: -1 % n is -1, an element in front of the array.
 *
 * Told of what counts from 0 less a constant.  Nothing is said where the sign is looked at, or n
 * added, behind it; nor where 0 is most likely kept apart, by an `if` around it or a comparison
 * with a constant.
 */
#include "suspect.h"

enum { SAME_DEPTH = 12, DEEPEST = 8, MOST_USES = 100 };

static bool adds(const Op *op, const Value *by)
{
    for (int i = 0; i < op->noperands && op->code == OP_add; i++) {
        if (ir_same(ir_bare(op->operands[i]), ir_bare(by), SAME_DEPTH))
            return true;
    }
    return false;
}

/* Is it mended behind the remainder: is its sign looked at, or what it is divided by added? */
static bool is_mended(const Suspect *s, const Value *v, const Value *by, int depth)
{
    const UseLists *uses = tell_uses(s);
    const Use *use = uses_of(uses, v);

    if (uses_count(uses, v) > MOST_USES)
        return true; /* who knows */
    for (int i = 0; i < uses_count(uses, v); i++) {
        const Op *op = use[i].op;
        bool moves = op_has(op, MOVES) || op->code == OP_cast;
        if (op_has(op, COMPARES) || op->code == OP_abs || adds(op, by) ||
            (moves && depth > 0 && is_mended(s, op->results[0], by, depth - 1)))
            return true;
    }
    return false;
}

/* Is it 0 in some lane of some program: the number of one, of a lane or of a round, and what is
 * made of these? */
static bool begins_at_zero(const Value *v, int depth)
{
    const Op *op = ir_bare(v)->def;
    int64_t lo;

    v = ir_bare(v);
    if (!op) {
        const Op *loop = v->block->owner;
        return loop && loop->code == OP_for && v->index == 0 &&
               value_const_int(loop->operands[FOR_LO], &lo) && lo == 0;
    }
    if (op->code == OP_program_id || (op->code == OP_arange && attr_start(op) == 0))
        return true;
    if (depth == 0 ||
        (op->code != OP_add && op->code != OP_mul && op->code != OP_div && op->code != OP_rem))
        return false;
    bool first = begins_at_zero(op->operands[0], depth - 1);
    if (op->code == OP_add)
        return first && begins_at_zero(op->operands[1], depth - 1);
    return first || (op->code == OP_mul && begins_at_zero(op->operands[1], depth - 1));
}

/* Such a number less a constant. */
static bool begins_below_zero(const Value *v)
{
    const Op *op = ir_bare(v)->def;
    int64_t c;

    if (!op || (op->code != OP_sub && op->code != OP_add) || !value_const_int(op->operands[1], &c))
        return false;
    return (op->code == OP_sub ? c > 0 : c < 0) && begins_at_zero(op->operands[0], DEEPEST);
}

static bool is_in_arm(const Op *op)
{
    while (op && op->code != OP_if)
        op = op->block->owner;
    return op != NULL;
}

/* Is 0 told from the others, as by i > 0? */
static bool is_kept_apart(const Suspect *s, const Value *v)
{
    const UseLists *uses = tell_uses(s);
    const Use *use = uses_of(uses, v);
    int64_t c;

    if (uses_count(uses, v) > MOST_USES)
        return true; /* who knows */
    for (int i = 0; i < uses_count(uses, v); i++) {
        const Op *op = use[i].op;
        if (op_has(op, COMPARES) && value_const_int(op->operands[1 - use[i].operand], &c))
            return true;
    }
    return false;
}

static void look_at(Op *op, void *suspect)
{
    const Suspect *s = suspect;

    if (op->code != OP_rem || !dtype_is_signed(op->results[0]->type->dtype) ||
        !begins_below_zero(op->operands[0]) || is_in_arm(op) ||
        is_kept_apart(s, ir_bare(op->operands[0])->def->operands[0]) ||
        is_mended(s, op->results[0], op->operands[1], DEEPEST))
        return;
    tell_warn(s, op, "add what it is divided by first: (i - 1 + n) % n",
              "this remainder is negative where what it is of is: -1 %% n is -1, as in C, and "
              "not n - 1, as in Python");
}

static bool is_remainder(const Op *op)
{
    return op->code == OP_rem && opt_is_int(op->results[0]);
}

void suspect_wrap(const Suspect *s)
{
    if (tell_any(s, is_remainder))
        ir_walk(s->func->body, look_at, (void *)s);
}
