/*
 * formula_power.c - `^` where a power was meant
 *
 * (a - b) ^ 2 is a square in MATLAB, and 2 ^ n a power. In Python, and here, `^` is exclusive or:
 * of floats it is refused, and of integers it gives some number.
 *
 * Told of an integer that was loaded, with 2 or 3 behind the `^`, where what comes of it is added
 * up, multiplied, stored or made a float; and of 2 or 10 in front of it.  Indices are exchanged
 * with their neighbours by i ^ 2, and bits set by mask ^ 2.
 */
#include "formula.h"

enum { DEEPEST = 8, MOST_ASKED = 64 };

static bool loads_nothing(const Op *op, void *unused)
{
    (void)unused;
    return !op_only_reads(op);
}

static bool is_loaded(const Suspect *s, const Value *v)
{
    return !ir_slice(s->func, s->arena, &v, 1, loads_nothing, NULL);
}

static bool is_arithmetic(const Op *op)
{
    return op->code == OP_add || op->code == OP_sub || op->code == OP_mul || op->code == OP_div ||
           op->code == OP_store || (op_has(op, COMBINES) && ir_combine_code(op) == OP_add) ||
           (op->code == OP_cast && dtype_is_float(op->results[0]->type->dtype));
}

/* Is it computed with as a number, wherever it is used? */
static bool is_number(const Suspect *s, const Value *v, int depth)
{
    const UseLists *uses = tell_uses(s);
    const Use *use = uses_of(uses, v);
    int n = uses_count(uses, v);

    for (int i = 0; i < n; i++) {
        const Op *op = use[i].op;
        bool goes_on = depth > 0 && (op_has(op, MOVES) || op->code == OP_cast);
        if (!is_arithmetic(op) && !(goes_on && is_number(s, op->results[0], depth - 1)))
            return false;
    }
    return n > 0;
}

typedef struct {
    const Suspect *s;
    int asked; /* how often it was looked for what an operand is made of */
} Search;

static bool is_meant_as_power(Search *search, const Op *op)
{
    const Suspect *s = search->s;
    const Value *x = op->operands[0], *y = op->operands[1];
    int64_t c;

    if (value_const_int(x, &c))
        return c == 2 || c == 10;
    return value_const_int(y, &c) && (c == 2 || c == 3) && is_number(s, op->results[0], DEEPEST) &&
           ++search->asked <= MOST_ASKED && is_loaded(s, x);
}

static bool is_exclusive_or(const Op *op)
{
    return op->code == OP_xor && op->results[0]->type->dtype != DT_I1;
}

static void look_at(Op *op, void *search)
{
    Search *x = search;

    if (is_exclusive_or(op) && is_meant_as_power(x, op))
        tell_warn(x->s, op, "a square is x * x, a power of two 1 << n or tl.exp2(x)",
                  "`^` is exclusive or, of bits, and no power");
}

void formula_power(const Suspect *s)
{
    Search x = {.s = s};

    if (tell_any(s, is_exclusive_or))
        ir_walk(s->func->body, look_at, &x);
}
