/*
 * formula_bits.c - the upper bits of a number that become another one, beside its lower ones
 *
 * (x & 15) and (x >> 4) are the two numbers of 4 bits in a byte, where the byte is unsigned.  Of an
 * int8, or what was made wider of one, the shift brings the sign along, and the upper number is
 * negative from 8 on.  Told where the two together are all bits that were loaded, and each becomes
 * a float as it is: (x >> 4) & 15 is right, and of two numbers with signs the lower one is
 * (x << 4) >> 4 or ((x & 15) ^ 8) - 8; a float that is compared may get its sign that way.
 *
 * So is (x >> i % 2) & 15, for which (x >> i % 2 * 4) & 15 was meant.
 *
 * So is x >> (i % 8) * 4 of a word of 32 bits, without the & 15.
 *
 * So is x & 0xF0 beside x & 15, where both become floats: it is 16 times the upper number.
 */
#include "formula.h"

enum { MOST_BITS = 62 };

/* How many of the lowest bits a mask leaves; 0: it is none of these. */
static int lowest_bits(const Value *mask)
{
    int64_t m;

    if (!value_const_int(mask, &m) || m < 1)
        return 0;
    for (int n = 1; n < MOST_BITS; n++) {
        if (m == (INT64_C(1) << n) - 1)
            return n;
    }
    return 0;
}

static bool is_loaded(const Value *v)
{
    return v->def && op_only_reads(v->def);
}

/* Does it become floats, which nobody compares, and nothing else? */
static bool becomes_float(const Suspect *s, const Value *v)
{
    const UseLists *uses = tell_uses(s);

    for (int i = 0; i < uses_count(uses, v); i++) {
        const Op *cast = uses_of(uses, v)[i].op;
        if (cast->code != OP_cast || !dtype_is_float(cast->results[0]->type->dtype))
            return false;
        for (int k = 0; k < uses_count(uses, cast->results[0]); k++) {
            if (op_has(uses_of(uses, cast->results[0])[k].op, COMPARES))
                return false;
        }
    }
    return uses_count(uses, v) > 0;
}

/* Does somebody make floats of so many lowest bits of the number? */
static bool has_lower(const Suspect *s, const Value *v, int bits, int depth)
{
    const UseLists *uses = tell_uses(s);

    for (int i = 0; i < uses_count(uses, v); i++) {
        const Op *op = uses_of(uses, v)[i].op;
        if (op->code == OP_and && lowest_bits(op->operands[op->operands[0] == v ? 1 : 0]) == bits)
            return becomes_float(s, op->results[0]);
        if (op->code == OP_cast && depth > 0 && has_lower(s, op->results[0], bits, depth - 1))
            return true;
    }
    return false;
}

/* x & 0xF0: how many bits below the ones of a mask are 0, where the ones go up to the highest bit
 * of the type; 0: it is another mask. */
static int bits_below(const Value *mask, DType t)
{
    uint64_t all = UINT64_MAX >> (64 - dtype_bits(t)), m;
    int64_t given;

    if (!value_const_int(mask, &given))
        return 0;
    m = (uint64_t)given & all;
    for (int n = 1; n < dtype_bits(t); n++) {
        if (m == (all & (all << n)))
            return n;
    }
    return 0;
}

static void look_at_mask(const Suspect *s, const Op *op)
{
    for (int i = 0; i < 2; i++) {
        const Value *v = ir_uncast(op->operands[i]);
        bool is_number = is_loaded(v) && !v->type->pointer && dtype_bits(v->type->dtype) > 1;
        int n = is_number ? bits_below(op->operands[1 - i], v->type->dtype) : 0;
        if (n == 0 || !becomes_float(s, op->results[0]) || !has_lower(s, v, n, 2))
            continue;
        tell_warn(s, op,
                  arena_printf(s->arena, "(x >> %d) & %lld", n,
                               (long long)((INT64_C(1) << (dtype_bits(v->type->dtype) - n)) - 1)),
                  "the upper bits stay where they are: as a number this is %lld times what they "
                  "are beside the lower %d",
                  (long long)(INT64_C(1) << n), n);
    }
}

/* (x >> i % k) & 15: fields of 4 bits that lie one bit apart */
static void look_at_field(const Suspect *s, const Op *op)
{
    for (int i = 0; i < 2; i++) {
        const Op *shift = ir_uncast(op->operands[i])->def;
        const Op *rest = shift && shift->code == OP_shr ? ir_bare(shift->operands[1])->def : NULL;
        int64_t fields;
        int bits = lowest_bits(op->operands[1 - i]);
        if (bits < 2 || !rest || rest->code != OP_rem ||
            !value_const_int(ir_bare(rest->operands[1]), &fields) || fields < 2 ||
            fields * bits > dtype_bits(ir_uncast(shift->operands[0])->type->dtype))
            continue;
        tell_warn(s, op, arena_printf(s->arena, "x >> (i %% %lld) * %d", (long long)fields, bits),
                  "numbers of %d bits are taken from places that are one bit apart", bits);
    }
}

/* v * b, with constant b; 1: v as it is. */
static int64_t factor_of(const Value **v)
{
    const Op *op = ir_bare(*v)->def;
    int64_t by;

    for (int i = 0; op && op->code == OP_mul && i < 2; i++) {
        if (value_const_int(ir_bare(op->operands[i]), &by)) {
            *v = op->operands[1 - i];
            return by;
        }
    }
    return op && op->code == OP_shl && value_const_int(ir_bare(op->operands[1]), &by) && by < 8
               ? (*v = op->operands[0], INT64_C(1) << by)
               : 1;
}

/* x >> (i % 8) * 4 of a word with eight numbers of 4 bits, which becomes a float as it is */
static void look_at_place(const Suspect *s, const Op *op)
{
    const Value *x = ir_uncast(ir_bare(op->operands[0])), *place = op->operands[1];
    int64_t bits = factor_of(&place), fields;
    const Op *rest = ir_bare(place)->def;

    if (bits < 2 || !is_loaded(x) || x->type->pointer || !rest || rest->code != OP_rem ||
        !value_const_int(ir_bare(rest->operands[1]), &fields) || fields < 2 ||
        fields * bits != dtype_bits(x->type->dtype) || !becomes_float(s, op->results[0]))
        return;
    tell_warn(s, op, arena_printf(s->arena, "(x >> place) & %lld", (long long)(1 << bits) - 1),
              "the numbers above this one, of %d bits each, stay in front of it", (int)bits);
}

static void look_at(Op *op, void *suspect)
{
    const Suspect *s = suspect;
    int64_t by;

    if (op->code == OP_shr)
        look_at_place(s, op);

    if (op->code == OP_and && op->results[0]->type->dtype != DT_I1) {
        look_at_mask(s, op);
        look_at_field(s, op);
    }
    if (op->code != OP_shr || !value_const_int(op->operands[1], &by))
        return;
    const Value *v = ir_uncast(op->operands[0]);
    DType t = v->type->dtype;
    if (!is_loaded(v) || v->type->pointer || !dtype_is_signed(t) || by < 1 || by >= dtype_bits(t) ||
        !becomes_float(s, op->results[0]) || !has_lower(s, v, dtype_bits(t) - (int)by, 2))
        return;
    tell_warn(s, op,
              arena_printf(s->arena, "(x >> %d) & %lld, or load it as unsigned", (int)by,
                           (long long)((INT64_C(1) << (dtype_bits(t) - by)) - 1)),
              "this shift brings the sign of %s along: the upper bits are a negative number "
              "where the lower ones, of a mask, are none",
              dtype_triton_name(t));
}

static bool is_part(const Op *op)
{
    return op->code == OP_shr || op->code == OP_and;
}

void formula_bits(const Suspect *s)
{
    if (tell_any(s, is_part))
        ir_walk(s->func->body, look_at, (void *)s);
}
