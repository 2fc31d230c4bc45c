/*
 * stored.c - what is lost where a value takes the type of the memory that it is stored to
 *
 * A store converts without a word.  That is what most want of fp32 in an array of fp16, and hardly
 * anybody of 0.75 in one of int32, which then holds 0, or of 300 in int8, which holds 44.  So there
 * is a warning where a fraction is cut off that may be there, and where a constant does not fit.
 * The other way round, sum // n of integers in an array of floats has lost what / would have kept.
 *
 * Nothing is said of numbers that are whole although they are floats (rounded, counted, made of
 * integers; x + 0.5 is rounded, too), of what is only copied from array to array, nor where
 * somebody has written the conversion.
 */
#include "tl.h"
#include "../ir/analysis.h"

#include <math.h>

enum { DEEPEST_VALUE = 100, NARROW = 16 };

/* --- is it whole? --- */

typedef struct {
    Map *seen; /* by value id + 1: what is being looked at counts as whole */
    int depth;
} Look;

static bool is_whole(Look *k, const Value *v);

static bool all_whole(Look *k, const Op *op, int first)
{
    for (int i = first; i < op->noperands; i++) {
        if (!is_whole(k, op->operands[i]))
            return false;
    }
    return true;
}

static bool is_half(const Value *v)
{
    const Op *op = v->def;
    uint64_t bits;

    if (value_constant(v, &bits) && dtype_is_float(v->type->dtype))
        return fabs(scalar_to_double(v->type->dtype, bits)) == 0.5;
    return op && op->code == OP_select && is_half(op->operands[1]) && is_half(op->operands[2]);
}

/* What a loop carries or gives: what comes in, and what comes around. */
static bool is_whole_in_loop(Look *k, const Op *loop, int i)
{
    const Op *end = loop->regions[0]->last;

    return loop->code == OP_for && end && end->code == OP_yield && i < end->noperands &&
           is_whole(k, loop->operands[FOR_BOUNDS + i]) && is_whole(k, end->operands[i]);
}

static bool is_whole_reduction(Look *k, const Op *op)
{
    const Op *only = ir_combine_kind(op).only;

    return only && only->code != OP_div && op->noperands == 1 && is_whole(k, op->operands[0]);
}

static bool is_whole_op(Look *k, const Op *op, int result)
{
    switch (op->code) {
    case OP_floor:
    case OP_ceil:
    case OP_trunc:
    case OP_rint:
    case OP_round:
    case OP_exp2: /* of what is not negative */
        return op->code != OP_exp2 || all_whole(k, op, 0);
    case OP_cast:
        return dtype_is_int(op->operands[0]->type->dtype) || all_whole(k, op, 0);
    case OP_add:
    case OP_sub:
        return is_half(op->operands[0]) || is_half(op->operands[1]) || all_whole(k, op, 0);
    case OP_mul:
    case OP_rem:
    case OP_min:
    case OP_max:
    case OP_minnan:
    case OP_maxnan:
    case OP_neg:
    case OP_abs:
    case OP_fma:
    case OP_dot:
    case OP_gather:
        return all_whole(k, op, 0);
    case OP_select:
        return all_whole(k, op, 1);
    case OP_for:
        return is_whole_in_loop(k, op, result);
    case OP_call: /* a helper's result is what its author made of it */
        return true;
    default:
        if (op_has(op, COMBINES))
            return is_whole_reduction(k, op);
        return op_has(op, MOVES) && all_whole(k, op, 0);
    }
}

/* Of what comes from outside: a parameter of the kernel may be anything; what a helper or a round
 * gets is as whole as what is known of it. */
static bool is_whole_argument(Look *k, const Value *v)
{
    const Op *owner = v->block->owner;

    if (!owner)
        return v->block != v->block->func->body || !v->block->func->is_kernel;
    return owner->code != OP_for || v->index == 0 || owner->noperands < FOR_BOUNDS + v->index ||
           is_whole(k, owner->operands[FOR_BOUNDS + v->index - 1]);
}

static bool is_whole(Look *k, const Value *v)
{
    uint64_t key = (uint64_t)v->id + 1, bits;
    bool whole;

    if (v->type->pointer || dtype_is_int(v->type->dtype))
        return true;
    if (value_constant(v, &bits)) {
        double n = scalar_to_double(v->type->dtype, bits);
        return isinf(n) || n == trunc(n);
    }
    if (map_get(k->seen, key) || k->depth == DEEPEST_VALUE)
        return true;
    map_put(k->seen, key, k);
    k->depth++;
    whole = v->def ? is_whole_op(k, v->def, v->index) : is_whole_argument(k, v);
    k->depth--;
    return whole;
}

/* Elements of another array as they are, their sum or largest, or what an atomic found there. */
static bool is_copied(const Value *v)
{
    while (v->def && (op_has(v->def, MOVES | COMBINES) || v->def->code == OP_cast))
        v = v->def->operands[0];
    return v->def && op_has(v->def, READS);
}

/* --- constants --- */

/* Neither as itself nor as the bits of an unsigned number, of which -1 and the sign alone count. */
static bool fits(__int128 n, DType t)
{
    int bits = dtype_bits(t);
    __int128 one = 1, sign = one << (bits - 1), all = (one << bits) - 1;

    if (n < -sign || n > all)
        return false;
    return dtype_is_unsigned(t) || bits > NARROW || n <= sign || n == all;
}

static void warn_of_fraction(Lower *l, Span span, const char *what, DType t)
{
    warn_at(l, span, W_FRACTION, dtype_triton_name(t), what);
    hint_at(l, H_FRACTION, dtype_long_name(t));
}

static bool is_number_type(DType t)
{
    return dtype_is_int(t) && t != DT_I1;
}

static void tell_not_held(Lower *l, Span span, __int128 n, DType t)
{
    const Const c = {.kind = CONST_INT, .integer = n};
    warn_at(l, span, W_NOT_HELD, const_text(&c, l->arena), dtype_triton_name(t),
            (long long)scalar_to_int(t, scalar_truncate(t, (uint64_t)n)));
    hint_at(l, H_NOT_HELD, dtype_long_name(t));
}

static void warn_of_number(Lower *l, Span span, __int128 n, DType t)
{
    if (is_number_type(t) && !fits(n, t))
        tell_not_held(l, span, n, t);
}

void stored_warn_of_literal(Lower *l, const Const *c, DType t, Span span)
{
    if (c->kind == CONST_INT && is_number_type(t)) {
        if (c->integer >= INT64_MIN && c->integer <= UINT64_MAX) /* else it is an error */
            warn_of_number(l, span, c->integer, t);
        return;
    }
    if (c->kind != CONST_FLOAT)
        return;
    if (is_number_type(t) && isfinite(c->real) && c->real != trunc(c->real))
        warn_of_fraction(l, span, const_text(c, l->arena), t);
}

void stored_warn_of_other(Lower *l, const Const *c, DType t, Span span)
{
    if (c->kind == CONST_INT && c->integer < 0 && is_number_type(t) && dtype_is_unsigned(t))
        tell_not_held(l, span, c->integer, t);
    else
        stored_warn_of_literal(l, c, t, span);
}

/* Constants that v may be. */
static void warn_of_constants(Lower *l, const Value *v, DType t, Span span, int depth)
{
    const Op *op = v->def;
    int64_t n;

    if (value_const_int(v, &n)) {
        if (v->type->dtype != DT_U64 || n >= 0)
            warn_of_number(l, span, n, t);
        return;
    }
    for (int i = 1; op && op->code == OP_select && depth > 0 && i < 3; i++)
        warn_of_constants(l, op->operands[i], t, span, depth - 1);
}

/* --- quotients --- */

/* Made of what memory holds, not of indices. */
static bool is_data(const Value *v, int depth)
{
    const Op *op = v->def;

    if (!op || depth == 0)
        return false;
    if (op_has(op, READS))
        return true;
    bool is_made = op_has(op, FOLDS | MOVES | COMBINES);
    for (int i = 0; is_made && i < op->noperands; i++) {
        if (is_data(op->operands[i], depth - 1))
            return true;
    }
    return false;
}

/* data // n; powers of two take bits out. */
static bool is_quotient(const Value *v)
{
    enum { DEEPEST_DATA = 12 };
    int64_t c;

    v = ir_bare(v);
    if (!v->def || v->def->code != OP_div || !dtype_is_int(v->type->dtype) ||
        (value_const_int(v->def->operands[1], &c) && (c & (c - 1)) == 0))
        return false;
    return is_data(v->def->operands[0], DEEPEST_DATA);
}

void stored_warn(Lower *l, const Value *v, DType t, Span span)
{
    enum { CHOICES = 4 };
    Look k = {.seen = map_new(l->arena)};

    if (v->type->pointer || v->type->handle != HANDLE_NONE)
        return;
    if (dtype_is_float(t) && dtype_is_int(v->type->dtype) && is_quotient(v)) {
        warn_at(l, span, W_QUOTIENT);
        hint_at(l, H_QUOTIENT, dtype_long_name(t));
    }
    if (t == DT_I1 && dtype_is_float(v->type->dtype) && !is_copied(v) && !is_whole(&k, v)) {
        warn_at(l, span, W_TRUTH, dtype_triton_name(v->type->dtype));
        hint_at(l, H_TRUTH);
    }
    if (!is_number_type(t))
        return;
    if (!dtype_is_float(v->type->dtype))
        warn_of_constants(l, v, t, span, CHOICES);
    else if (!is_copied(v) && !is_whole(&k, v))
        warn_of_fraction(l, span, dtype_triton_name(v->type->dtype), t);
}
