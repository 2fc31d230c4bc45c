/*
 * formula_totals.c - sums that are kept in a type that loses them
 *
 * What a loop carries has one type in all rounds.  An accumulator of fp16 loses every summand that
 * is 2048 times smaller than it, bf16 256 times, and one of int8 wraps around behind 127.  Said of
 * what is added to the carried value itself in each round, in more than a few rounds.  So is one of
 * fp32 to which elements of fp64 are added, converted, where fp64 is stored.
 *
 * So is a tile of fp16 that is summed up as it is, and the sum made fp32: tl.sum(v).to(tl.float32).
 *
 * Nothing is said of products whose accumulator was asked for in fp16 (out_dtype), nor where the
 * error is kept beside the sum (Kahan).
 */
#include "formula.h"

enum { FEW_ROUNDS = 8, MOST_NARROW_BITS = 16 };

/* The value of the round's beginning that this is, behind the arguments of a `while`'s body. */
static const Value *carried(const Value *v)
{
    const Op *loop = v->block->owner;

    if (v->def || !loop || loop->code != OP_while || v->block != loop->regions[1])
        return v;
    return opt_last(loop->regions[0])->operands[1 + v->index];
}

/* The addition whose result a round hands on, past a choice between it and what there was. */
static const Op *addition(const Value *next, const Value *total)
{
    const Op *op = next->def;

    if (op && op->code == OP_select) {
        for (int i = 1; i < 3; i++) {
            if (carried(op->operands[3 - i]) == total)
                return addition(op->operands[i], total);
        }
    }
    if (!op || (op->code != OP_add && op->code != OP_sub && op->code != OP_fma))
        return NULL;
    for (int i = 0; i < op->noperands; i++) {
        bool added = op->code == OP_add || (op->code == OP_sub ? i == 0 : i == 2);
        if (added && carried(op->operands[i]) == total)
            return op;
    }
    return NULL;
}

/* Is it, in the same round, the result less what it was added to? */
static bool keeps_error(const UseLists *uses, const Op *sum, const Value *total)
{
    const Use *at = uses_of(uses, sum->results[0]);

    for (int i = 0; i < uses_count(uses, sum->results[0]); i++) {
        if (at[i].op->code == OP_sub && at[i].operand == 0 &&
            carried(at[i].op->operands[1]) == total)
            return true;
    }
    return false;
}

static bool is_asked_product(const Op *sum)
{
    for (int i = 0; i < sum->noperands; i++) {
        if (sum->operands[i]->def && sum->operands[i]->def->code == OP_dot)
            return true;
    }
    return false;
}

static bool is_narrow(const Type *t)
{
    return !t->pointer && t->handle == HANDLE_NONE && t->dtype != DT_I1 &&
           dtype_bits(t->dtype) <= MOST_NARROW_BITS;
}

static void tell(const Suspect *s, const Op *sum)
{
    DType t = sum->results[0]->type->dtype;
    int bits = dtype_bits(t);

    if (dtype_is_float(t)) {
        tell_warn(s, sum, "begin with fp32, tl.zeros(.., tl.float32), and convert behind the loop",
                  "this sum is kept in %s from round to round: it loses what is %d times "
                  "smaller than it",
                  dtype_triton_name(t), 2 << dtype_mantissa_bits(t));
        return;
    }
    tell_warn(s, sum, "begin with int32, tl.zeros(.., tl.int32), and convert behind the loop",
              "this sum is kept in %s from round to round: above %d it wraps around",
              dtype_triton_name(t), (1 << (bits - dtype_is_signed(t))) - 1);
}

/* --- fp64 in fp32 --- */

static bool is_double(const Type *t)
{
    return !t->pointer && t->dtype == DT_FP64;
}

static void note_double_store(Op *op, void *any)
{
    *(bool *)any |= op->code == OP_store && op->operands[STORE_PTR]->type->pointer &&
                    op->operands[STORE_PTR]->type->dtype == DT_FP64;
}

static void look_at_doubles(const Suspect *s, const Op *sum, const Value *total)
{
    bool stored = false;

    for (int i = 0; i < sum->noperands; i++) {
        const Op *cast = ir_unmoved(sum->operands[i])->def;
        if (sum->operands[i] == total || !cast || cast->code != OP_cast ||
            !is_double(cast->operands[0]->type))
            continue;
        ir_walk(s->func->body, note_double_store, &stored);
        if (stored)
            tell_warn(s, sum, "begin with fp64, tl.zeros(.., tl.float64)",
                      "this sum is kept in fp32 from round to round, what is added is fp64, "
                      "and so is what is stored: it has half of the digits");
        return;
    }
}

/* --- a tile in fp16 --- */

/* Is it made a wider float? */
static bool is_widened(const UseLists *uses, const Value *v, int depth)
{
    for (int i = 0; i < uses_count(uses, v) && depth > 0; i++) {
        const Op *op = uses_of(uses, v)[i].op;
        if (op->code == OP_cast && dtype_is_float(op->results[0]->type->dtype) &&
            dtype_bits(op->results[0]->type->dtype) > dtype_bits(v->type->dtype))
            return true;
        if (op_has(op, MOVES) && is_widened(uses, op->results[0], depth - 1))
            return true;
    }
    return false;
}

static void look_at_tile(const Suspect *s, const Op *sum)
{
    enum { DEEPEST = 4, FEW_LANES = 16 };

    if (!ir_reduces(sum) || sum->noperands != 1 || !is_narrow(sum->results[0]->type) ||
        !dtype_is_float(sum->results[0]->type->dtype) || ir_combine_code(sum) != OP_add ||
        sum->operands[0]->type->dims[attr_axis(sum)] <= FEW_LANES ||
        !is_widened(tell_uses(s), sum->results[0], DEEPEST))
        return;
    DType t = sum->results[0]->type->dtype;
    tell_warn(s, sum, "convert first: tl.sum(v.to(tl.float32), axis=0)",
              "this sum is made in %s, and converted behind it: it has %d bits by then",
              dtype_triton_name(t), dtype_mantissa_bits(t) + 1);
}

static void look_at(Op *loop, void *suspect)
{
    const Suspect *s = suspect;

    look_at_tile(s, loop);
    if (!opt_is_loop(loop))
        return;
    const Block *body = loop->regions[loop->code == OP_while];
    const Block *head = loop->regions[0];
    int first = loop->code == OP_for; /* behind the counter */
    const Op *end = opt_last(body);
    uint64_t trips;

    if (loop->code == OP_for && opt_trip_count(loop, &trips) && trips <= FEW_ROUNDS)
        return;
    for (int i = 0; i < end->noperands; i++) {
        const Value *total = head->args[first + i];
        const Op *sum = is_narrow(total->type) ? addition(end->operands[i], total) : NULL;
        const Op *single = total->type->dtype == DT_FP32 && !total->type->pointer
                               ? addition(end->operands[i], total)
                               : NULL;
        if (single)
            look_at_doubles(s, single, total);
        if (sum && !is_asked_product(sum) && !keeps_error(tell_uses(s), sum, total))
            tell(s, sum);
    }
}

static bool has_narrow_total(const Op *op)
{
    bool any = false;

    for (int i = 0; opt_is_loop(op) && i < op->nresults; i++)
        any |= is_narrow(op->results[i]->type) || op->results[i]->type->dtype == DT_FP32;
    return any || (ir_reduces(op) && is_narrow(op->results[0]->type));
}

void formula_totals(const Suspect *s)
{
    if (tell_any(s, has_narrow_total))
        ir_walk(s->func->body, look_at, (void *)s);
}
