/*
 * formula_nothing.c - operations that have no result, or always the same, whatever they are given
 *
 * A division by 0, and a shift by as many bits as there are, gives what the target likes.  Where
 * the number is written down, it is told at once; where it is data, --check finds it
 * (check_value.c). So is 1 << 40, which is an int32; not seed >> 32, which is 0 of a scalar that is
 * one, as it should.
 *
 * 1 // n is 0 but for n = 1: where a float is made of it, 1 / n was meant.  So it was of k // n,
 * two numbers of the launch, where that is a factor of floats.
 *
 * v == NaN is always false, and v != NaN always true.
 */
#include "formula.h"

enum { DEEPEST = 4 };

#include <math.h>

/* Halves of a scalar, whose width the launch decides, are taken like that. */
static bool is_of_a_scalar(const Op *op)
{
    return ir_bare(op->operands[0])->type->rank == 0;
}

static bool is_nan(const Value *v)
{
    uint64_t bits;

    return !v->type->pointer && dtype_is_float(v->type->dtype) && value_constant(v, &bits) &&
           isnan(scalar_to_double(v->type->dtype, bits));
}

static void look_at_comparison(const Suspect *s, const Op *op)
{
    if (is_nan(op->operands[0]) || is_nan(op->operands[1]))
        tell_warn(s, op, "v != v holds of NaN alone",
                  "NaN is equal to nothing, nor less or greater: this is always %s",
                  op->code == OP_ne ? "true" : "false");
}

static bool becomes_float(const Suspect *s, const Value *v)
{
    const UseLists *uses = tell_uses(s);

    for (int i = 0; i < uses_count(uses, v); i++) {
        const Op *op = uses_of(uses, v)[i].op;
        if (op->code == OP_cast && !op->results[0]->type->pointer &&
            dtype_is_float(op->results[0]->type->dtype))
            return true;
    }
    return false;
}

static bool is_parameter(const Value *v)
{
    v = ir_uncast(v);
    return !v->def && !v->block->owner && v->type->rank == 0;
}

/* Is a float made of it that others are multiplied with? */
static bool is_factor(const Suspect *s, const Value *v, int depth)
{
    const UseLists *uses = tell_uses(s);

    for (int i = 0; i < uses_count(uses, v); i++) {
        const Op *op = uses_of(uses, v)[i].op;
        bool is_float = op->nresults == 1 && !op->results[0]->type->pointer &&
                        dtype_is_float(op->results[0]->type->dtype);
        if (op->code == OP_mul && is_float)
            return true;
        if (depth > 0 &&
            (op->code == OP_splat || op->code == OP_broadcast ||
             (op->code == OP_cast && is_float)) &&
            is_factor(s, op->results[0], depth - 1))
            return true;
    }
    return false;
}

static void look_at_quotient(const Suspect *s, const Op *op)
{
    int64_t c;

    if (op->code == OP_div && opt_is_int(op->operands[0]) && value_const_int(op->operands[0], &c) &&
        c == 1 && becomes_float(s, op->results[0]))
        tell_warn(s, op, "`/` keeps the fraction",
                  "1 // n is 0 of every n but 1, and a float is made of it");
    if (op->code == OP_div && opt_is_int(op->operands[0]) && is_parameter(op->operands[0]) &&
        is_parameter(op->operands[1]) && is_factor(s, op->results[0], DEEPEST))
        tell_warn(s, op, "`/` keeps the fraction",
                  "this quotient of integers is a whole number, and floats are multiplied with "
                  "it");
}

static void look_at(Op *op, void *suspect)
{
    const Suspect *s = suspect;
    int64_t c;

    if (op_has(op, COMPARES))
        look_at_comparison(s, op);
    look_at_quotient(s, op);
    if (op->noperands < 2 || !opt_is_int(op->operands[1]) || !value_const_int(op->operands[1], &c))
        return;
    int bits = dtype_bits(op->operands[1]->type->dtype);
    if ((op->code == OP_div || op->code == OP_rem) && c == 0)
        tell_warn(s, op, "is it the other one that was meant?",
                  "this divides integers by zero, which has no result");
    bool shifts = op->code == OP_shl || (op->code == OP_shr && !is_of_a_scalar(op));
    if (shifts && (c < 0 || c >= bits))
        tell_warn(s, op, "convert what is shifted first: .to(tl.int64)",
                  "this shifts %s by %lld: it has %d bits, and nothing is left of them",
                  dtype_triton_name(op->operands[0]->type->dtype), (long long)c, bits);
}

void formula_nothing(const Suspect *s)
{
    ir_walk(s->func->body, look_at, (void *)s);
}
