/*
 * check_spoils.c - results that are none, or another number than was meant
 *
 * Where accesses are checked, check_value.c follows such results to where somebody uses them:
 *   - of integers divided by zero, and shifted by their width or more;
 *   - of floats in 8 or 16 bits that do not reach so far, those of fp8 included;
 *   - of v + 0.5 below 0 that is cut off toward zero, and of positions below 0 of which the
 * fraction is used, too;
 *   - of the absolute value of the least number, which is negative;
 *   - of sums, along an axis too, and products of 32 bits that have wrapped around when they are
 * made wider, and of 8 and 16 bits where they are indices;
 *   - of indices in fp16 and bf16, which count by 2, 4, 8 from 2048 and 256 on;
 *   - of indices below 0 that are divided and cut off toward zero, as in C.
 */
#include <math.h>

#include "check.h"
#include "../ir/analysis.h"

enum { DEEPEST = 8, BITS_OF_SUMS = 32, NARROW_BITS = 16, HASH_FACTOR = 1 << 16 };

bool check_may_spoil(const Op *op)
{
    return op->code == OP_div || op->code == OP_rem || op->code == OP_shl || op->code == OP_shr ||
           op->code == OP_cast || op->code == OP_abs || op->code == OP_addptr;
}

/* --- indices --- */

static bool is_counter(const Value *v)
{
    const Op *op = v->def;

    if (op)
        return op->code == OP_arange || op->code == OP_program_id;
    return v->block->owner && v->block->owner->code == OP_for && v->index == 0;
}

/* Is it made of the numbers of lanes, rounds and programs, and of nothing that was loaded? */
static bool is_index(const Value *v, int depth, bool *counts)
{
    const Op *op = v->def;

    if (is_counter(v)) {
        *counts = true;
        return true;
    }
    if (!op)
        return v->block->owner == NULL && opt_is_int(v); /* a parameter */
    if (ir_reduces(op) && op->noperands > 1)             /* as argmax does */
        return depth > 0 && opt_is_int(v) && is_index(op->operands[v->index], depth - 1, counts);
    if (!opt_is_int(v) || depth == 0 ||
        (!op_has(op, FOLDS) && !op_has(op, MOVES) && op->code != OP_hint && op->code != OP_const))
        return op->code == OP_num_programs;
    for (int i = 0; i < op->noperands; i++) {
        if (!is_index(op->operands[i], depth - 1, counts))
            return false;
    }
    return true;
}

static bool counts(const Value *v)
{
    bool any = false;

    return is_index(v, DEEPEST, &any) && any;
}

static bool is_small_float(DType t)
{
    return t == DT_FP16 || t == DT_BF16;
}

/* --- what is made wider too late --- */

static bool is_sum(const Op *op)
{
    return op && (op->code == OP_add || op->code == OP_sub || op->code == OP_mul) &&
           opt_is_int(op->results[0]);
}

/* tl.sum of integers */
static bool is_reduced_sum(const Op *op)
{
    return op && ir_reduces(op) && op->noperands == 1 && ir_combine_code(op) == OP_add &&
           opt_is_int(op->results[0]);
}

/* .. that keeps within 32 bits */
static bool is_wide_sum(const Op *op)
{
    return (is_sum(op) || is_reduced_sum(op)) && dtype_is_signed(op->results[0]->type->dtype) &&
           dtype_bits(op->results[0]->type->dtype) == BITS_OF_SUMS;
}

static bool is_narrow_sum(const Op *op)
{
    return is_sum(op) && dtype_bits(op->results[0]->type->dtype) <= NARROW_BITS &&
           op->results[0]->type->dtype != DT_I1;
}

/* Hashes multiply by large numbers, and are meant to wrap around. */
static bool is_hash(const Value *v, int depth)
{
    const Op *op = ir_unmoved(v)->def;
    int64_t c;

    if (is_reduced_sum(op) && depth > 0)
        return is_hash(op->operands[0], depth - 1);
    if (!is_sum(op) || depth == 0)
        return false;
    for (int i = 0; i < op->noperands; i++) {
        if ((op->code == OP_mul && value_const_int(op->operands[i], &c) &&
             (c >= HASH_FACTOR || c <= -HASH_FACTOR)) ||
            is_hash(op->operands[i], depth - 1))
            return true;
    }
    return false;
}

/* The same in 64 bits, as far down as there are sums and products. */
static Value *exact(Builder *b, Value *v, int depth)
{
    const Op *op = v->def;

    if (op && depth > 0 && op_has(op, MOVES) && op->noperands == 1) {
        Value *in = exact(b, op->operands[0], depth - 1);
        const Type *t = type_with_dtype(b->module, v->type, DT_I64);
        return build_op(b, op->code, 1, &in, op->nattrs, op->attrs, 1, &t)->results[0];
    }
    if (depth > 0 && is_reduced_sum(op))
        return build_reduce_along(b, OP_add, exact(b, op->operands[0], depth - 1), attr_axis(op));
    if (depth > 0 && is_sum(op)) {
        Value *first = exact(b, op->operands[0], depth - 1);
        return build_binary(b, op->code, first, exact(b, op->operands[1], depth - 1));
    }
    return build_cast(b, v, DT_I64, ROUND_NEAREST);
}

static Value *differs(Builder *b, Value *v)
{
    Value *right = exact(b, v, DEEPEST);

    return build_binary(b, OP_ne, right, build_cast(b, v, DT_I64, ROUND_NEAREST));
}

static bool makes_sum_wider(const Op *cast)
{
    const Value *v = cast->operands[0];
    DType to = cast->results[0]->type->dtype;

    return is_wide_sum(ir_unmoved(v)->def) && !is_hash(v, DEEPEST) &&
           (dtype_is_float(to) || dtype_bits(to) > BITS_OF_SUMS) && !is_small_float(to);
}

/* --- each kind --- */

/* A float as an integer of 8 or 16 bits, where that ends before it: by way of wider ones on some
 * targets, or is NaN.  Wider ones end at their least or greatest number (R81), and NaN is 0. */
static Value *is_beyond_integer(Builder *b, const Op *cast)
{
    Value *v = cast->operands[0];
    DType to = cast->results[0]->type->dtype;
    int bits = dtype_bits(to), sign = dtype_is_signed(to);

    if (!dtype_is_float(v->type->dtype) || !dtype_is_int(to) || to == DT_I1 || bits > 16)
        return NULL;
    Value *wide = v->type->dtype == DT_FP64 ? v : build_cast(b, v, DT_FP32, ROUND_NEAREST);
    Value *past = build_float(b, wide->type, ldexp(1, bits - sign));
    Value *below = build_float(b, wide->type, sign ? -ldexp(1, bits - 1) - 1 : -1);
    Value *low = build_binary(b, OP_le, wide, below);
    Value *none = build_binary(b, OP_ne, wide, wide);
    return build_binary(b, OP_or, build_binary(b, OP_or, build_binary(b, OP_ge, wide, past), low),
                        none);
}

/* The greatest number of a float type of 8 bits. */
static double greatest_of(DType t)
{
    double most = 0;

    for (uint64_t bits = 0; bits < 128; bits++) {
        double x = scalar_to_double(t, bits);
        most = isfinite(x) && x > most ? x : most;
    }
    return most;
}

/* A float as one of 8 bits that ends before it: it is the greatest, or NaN, there. */
static Value *is_beyond_float(Builder *b, const Op *cast)
{
    Value *v = cast->operands[0];
    DType from = v->type->dtype, to = cast->results[0]->type->dtype;
    uint64_t bits;

    if (!dtype_is_float(from) || !dtype_is_fp8(to) || dtype_is_fp8(from) ||
        value_constant(v, &bits))
        return NULL;
    Value *wide = build_cast(b, v, DT_FP32, ROUND_NEAREST);
    double most = greatest_of(to), step = ldexp(1, ilogb(most));
    Value *past = build_float(b, wide->type, most + step / (double)(2 << dtype_mantissa_bits(to)));
    Value *size = build_unary(b, OP_abs, wide);
    Value *no_end = build_float(b, wide->type, INFINITY);
    Value *finite = build_binary(b, OP_lt, size, no_end);
    return build_binary(b, OP_and, finite, build_binary(b, OP_gt, size, past));
}

/* v + 0.5 */
static bool is_half_more(const Value *v)
{
    const Op *op = ir_unmoved(v)->def;
    uint64_t bits;

    return op && op->code == OP_add && value_constant(op->operands[1], &bits) &&
           scalar_to_double(v->type->dtype, bits) == 0.5;
}

typedef struct {
    const Op *cast;
    bool fraction, address;
} Position;

static bool is_made_of(const Value *v, const Op *cast, int depth)
{
    const Op *op = v->def;

    if (!op || depth == 0)
        return false;
    if (op == cast)
        return true;
    for (int i = 0; i < op->noperands && (op_has(op, FOLDS) || op_has(op, MOVES)); i++) {
        if (is_made_of(op->operands[i], cast, depth - 1))
            return true;
    }
    return false;
}

static void look_for_position(Op *op, void *position)
{
    Position *p = position;

    if (op->code == OP_addptr)
        p->address |= is_made_of(op->operands[1], p->cast, DEEPEST);
    if (op->code == OP_sub && ir_unmoved(op->operands[0]) == ir_unmoved(p->cast->operands[0])) {
        const Op *back = ir_unmoved(op->operands[1])->def;
        p->fraction |= back && back->code == OP_cast &&
                       ir_unmoved(back->operands[0]) == ir_unmoved(p->cast->results[0]);
    }
}

/* at = p.to(tl.int32), and p - at as a weight of neighbours. */
static bool is_position(const Op *cast)
{
    Position p = {.cast = cast};

    ir_walk(cast->block->func->body, look_for_position, &p);
    return p.fraction && p.address;
}

/* Is it rounded the wrong way below 0?  An unsigned number of 8 or 16 bits has no room there. */
static bool is_cut(const Op *cast)
{
    DType to = cast->results[0]->type->dtype;

    return dtype_is_float(cast->operands[0]->type->dtype) && opt_is_int(cast->results[0]) &&
           (dtype_is_signed(to) || dtype_bits(to) > 16) &&
           (is_half_more(cast->operands[0]) || is_position(cast));
}

static Value *is_cut_below_zero(Builder *b, const Op *cast)
{
    Value *v = cast->operands[0];

    Value *below = build_binary(b, OP_lt, v, build_float(b, v->type, 0));
    Value *cut = build_binary(b, OP_lt, build_unary(b, OP_floor, v), v);
    return build_binary(b, OP_and, below, cut);
}

static Value *spoils_cast(Builder *b, const Op *cast)
{
    Value *v = cast->operands[0], *made = cast->results[0];
    DType from = v->type->dtype;

    if (v->type->pointer || made->type->pointer)
        return NULL;
    if (dtype_is_int(from) && is_small_float(made->type->dtype)) {
        if (dtype_bits(from) < BITS_OF_SUMS || !counts(v))
            return NULL;
        Value *back =
            build_cast(b, build_cast(b, made, DT_FP32, ROUND_NEAREST), from, ROUND_NEAREST);
        return build_binary(b, OP_ne, back, v);
    }
    if (dtype_is_int(from) && makes_sum_wider(cast))
        return differs(b, v);
    if (is_cut(cast)) {
        Value *cut = is_cut_below_zero(b, cast), *beyond = is_beyond_integer(b, cast);
        return beyond ? build_binary(b, OP_or, cut, beyond) : cut;
    }
    return dtype_is_fp8(made->type->dtype) ? is_beyond_float(b, cast) : is_beyond_integer(b, cast);
}

typedef struct {
    const Op *quotient;
    bool found;
} Rest;

static void look_for_rest(Op *op, void *rest)
{
    Rest *r = rest;

    r->found |= op->code == OP_rem && ir_same(op->operands[0], r->quotient->operands[0], DEEPEST) &&
                ir_same(op->operands[1], r->quotient->operands[1], DEEPEST);
}

/* Who asks for the remainder, too, knows that it may be negative. */
static bool is_mended(const Op *quotient)
{
    Rest r = {.quotient = quotient};

    ir_walk(quotient->block->func->body, look_for_rest, &r);
    return r.found;
}

static Value *spoils_quotient(Builder *b, const Op *op)
{
    Value *v = op->operands[0], *by = op->operands[1], *zero = build_int(b, by->type, 0);
    int64_t c;
    bool by_constant = value_const_int(by, &c) && c != 0;

    if (!opt_is_int(by))
        return NULL;
    if (!by_constant)
        return build_binary(b, OP_eq, by, zero);
    if (op->code != OP_div || !dtype_is_signed(by->type->dtype) || c < 0 || !counts(v) ||
        is_mended(op))
        return NULL;
    Value *rest = build_binary(b, OP_rem, v, by);
    return build_binary(b, OP_lt, rest, zero);
}

static Value *spoils_shift(Builder *b, const Op *op)
{
    Value *by = op->operands[1];
    int bits = dtype_bits(by->type->dtype);
    int64_t c;

    if (value_const_int(by, &c) && ((c >= 0 && c < bits) || op->code == OP_shr))
        return NULL; /* seed >> 32 is meant, of a seed that is an int32, too */
    Value *far = build_binary(b, OP_ge, by, build_int(b, by->type, bits));
    if (!dtype_is_signed(by->type->dtype))
        return far;
    return build_binary(b, OP_or, far, build_binary(b, OP_lt, by, build_int(b, by->type, 0)));
}

static Value *spoils_magnitude(Builder *b, const Op *op)
{
    Value *v = op->operands[0];
    DType t = v->type->dtype;

    if (!opt_is_int(v) || !dtype_is_signed(t) || t == DT_I1)
        return NULL;
    return build_binary(b, OP_lt, op->results[0], build_int(b, v->type, 0));
}

bool check_mends(const Op *op, const Op *source)
{
    DType to = op->results[0]->type->dtype;

    return op->code == OP_cast && source->code == OP_abs && dtype_is_unsigned(to) &&
           dtype_bits(to) == dtype_bits(op->operands[0]->type->dtype);
}

Value *check_spoils(Builder *b, const Op *op)
{
    switch (op->code) {
    case OP_cast:
        return spoils_cast(b, op);
    case OP_div:
    case OP_rem:
        return spoils_quotient(b, op);
    case OP_shl:
    case OP_shr:
        return spoils_shift(b, op);
    case OP_abs:
        return spoils_magnitude(b, op);
    case OP_addptr:
        return is_narrow_sum(ir_unmoved(op->operands[1])->def) ? differs(b, op->operands[1]) : NULL;
    default:
        return NULL;
    }
}

/* --- what is said --- */

static const char *text_of_cast(const Op *cast, Arena *a)
{
    DType from = cast->operands[0]->type->dtype, to = cast->results[0]->type->dtype;

    if (is_cut(cast) && dtype_bits(to) <= 16)
        return arena_printf(
            a,
            "this float is cut off toward zero where it is below 0, or does not fit "
            "in %s: tl.floor it, and tl.clamp it",
            dtype_triton_name(to));
    if (is_cut(cast))
        return is_half_more(cast->operands[0])
                   ? "v + 0.5 below 0 is cut off toward zero, and -1.2 becomes 0: "
                     "tl.floor(v + 0.5).to(tl.int32)"
                   : "a position below 0 is cut off toward zero, and its fraction is negative: "
                     "tl.floor(p).to(tl.int32)";
    if (dtype_is_fp8(to))
        return arena_printf(a,
                            "this does not fit in %s, which ends at %g: scale it, or tl.clamp it",
                            dtype_triton_name(to), greatest_of(to));
    if (dtype_is_float(from))
        return arena_printf(a,
                            "this float does not fit in %s, and what comes of it depends on the "
                            "device: tl.clamp it first",
                            dtype_triton_name(to));
    if (is_small_float(to))
        return arena_printf(a,
                            "this index is another number in %s, which holds all of them up to %d "
                            "only: .to(tl.float32)",
                            dtype_triton_name(to), 2 << dtype_mantissa_bits(to));
    return arena_printf(a,
                        "this has wrapped around in %s before it was made wider: convert what it "
                        "is made of first, x.to(tl.%s) * y",
                        dtype_triton_name(from), dtype_is_float(to) ? "float32" : "int64");
}

const char *check_spoilt_text(const Op *source)
{
    Arena *a = source->block->func->module->arena;
    int64_t c;

    switch (source->code) {
    case OP_cast:
        return text_of_cast(source, a);
    case OP_abs:
        return arena_printf(a,
                            "the least %s has no absolute value in %s, and stays negative: "
                            ".to(tl.int32) first",
                            dtype_triton_name(source->results[0]->type->dtype),
                            dtype_triton_name(source->results[0]->type->dtype));
    case OP_addptr:
        return arena_printf(a, "this index has wrapped around in %s: .to(tl.int32) first",
                            dtype_triton_name(source->operands[1]->type->dtype));
    case OP_div:
    case OP_rem:
        return value_const_int(source->operands[1], &c) && c != 0
                   ? "an index below 0 is divided and cut off toward zero, as in C: -1 // 2 is 0, "
                     "and not -1 as in Python"
                   : "a division of integers by zero";
    default:
        return "a shift by as many bits as there are, or by less than none";
    }
}
