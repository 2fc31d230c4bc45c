/*
 * combine.c - what a reduce or scan combines with: is it a sum, a maximum, ..., and from where does
 * that begin?
 */
#include "ir.h"
#include "analysis.h"

/* The region's one op on the region's own arguments, whatever their order; NULL when it is more. */
static const Op *only_op(const Op *op)
{
    const Block *region = op->regions[0];
    const Op *only = region->first;

    if (op->noperands != 1 || !op_has(only, FOLDS) || only->noperands != 2)
        return NULL;
    for (int i = 0; i < 2; i++) {
        if (only->operands[i]->block != region || only->operands[i]->def)
            return NULL;
    }
    return only->next == region->last && region->last->operands[0] == only->results[0] ? only
                                                                                       : NULL;
}

OpCode ir_combine_code(const Op *op)
{
    const Op *only = op->regions[0]->first;

    if (only && only->code == OP_call)
        only = only->callee->body->first;
    return only && only->next && op_has(only->next, ENDS) && only->noperands == 2 ? only->code
                                                                                  : OP_COUNT;
}

uint64_t ir_extreme(DType t, bool highest)
{
    uint64_t all = scalar_truncate(t, UINT64_MAX);
    uint64_t top = (uint64_t)1 << (dtype_bits(t) - 1);

    if (dtype_is_unsigned(t))
        return highest ? all : 0;
    return highest ? all & ~top : top;
}

static double neutral_float(OpCode code)
{
    switch (code) {
    case OP_add:
        return -0.0;
    case OP_mul:
        return 1;
    case OP_maxnan:
        return -__builtin_inf();
    case OP_minnan:
        return __builtin_inf();
    default: /* min and max ignore it */
        return __builtin_nan("");
    }
}

static uint64_t neutral_int(OpCode code, DType t)
{
    switch (code) {
    case OP_min:
        return ir_extreme(t, true);
    case OP_max:
        return ir_extreme(t, false);
    case OP_and:
        return scalar_truncate(t, UINT64_MAX);
    case OP_mul:
        return 1;
    default:
        return 0;
    }
}

static bool has_neutral(OpCode code)
{
    switch (code) {
    case OP_add:
    case OP_mul:
    case OP_min:
    case OP_max:
    case OP_minnan:
    case OP_maxnan:
    case OP_and:
    case OP_or:
    case OP_xor:
        return true;
    default:
        return false;
    }
}

/* --- argmax and its kin --- */

/*
 * Which of two pairs (x, i) and (y, j) stays depends on how x and y compare, and i and j, which
 * differ.  So whatever the region computes of comparisons is tried in each case.
 */
typedef enum { BELOW, ALIKE, ABOVE, UNORDERED } Relation; /* of x to y */
typedef struct {
    Relation values;
    bool x_nan, y_nan, earlier; /* i is less than j */
    int work;                   /* conditions that may still be looked at: they may share parts */
} Meeting;
enum { MOST_CONDITIONS = 100 };
typedef enum { WRONG, RIGHT, UNKNOWN } Truth;

static bool holds(OpCode code, Relation r)
{
    switch (code) {
    case OP_lt:
        return r == BELOW;
    case OP_le:
        return r == BELOW || r == ALIKE;
    case OP_gt:
        return r == ABOVE;
    case OP_ge:
        return r == ABOVE || r == ALIKE;
    case OP_eq:
        return r == ALIKE;
    default: /* OP_ne */
        return r != ALIKE;
    }
}

/* Which argument of the region it is; -1: none. */
static int argument(const Op *op, const Value *v)
{
    return !v->def && v->block == op->regions[0] ? v->index : -1;
}

static Truth compared(const Op *op, const Op *by, const Meeting *m)
{
    static const Relation back[] = {
        [BELOW] = ABOVE, [ALIKE] = ALIKE, [ABOVE] = BELOW, [UNORDERED] = UNORDERED};
    int a = argument(op, by->operands[0]), b = argument(op, by->operands[1]);
    Relation r;

    if (a < 0 || b < 0 || a % 2 != b % 2)
        return UNKNOWN;
    if (a == b)
        r = (a == 0 && m->x_nan) || (a == 2 && m->y_nan) ? UNORDERED : ALIKE;
    else if (a % 2 == 1)
        r = m->earlier == (a < b) ? BELOW : ABOVE;
    else
        r = a < b ? m->values : back[m->values];
    return holds(by->code, r) ? RIGHT : WRONG;
}

static Truth truth(const Op *op, const Value *v, Meeting *m)
{
    const Op *by = v->def;
    Truth a, b;

    if (!by || m->work-- <= 0)
        return UNKNOWN;
    switch (by->code) {
    case OP_lt:
    case OP_le:
    case OP_gt:
    case OP_ge:
    case OP_eq:
    case OP_ne:
        return compared(op, by, m);
    case OP_isnan:
        if (argument(op, by->operands[0]) < 0)
            return UNKNOWN;
        return (argument(op, by->operands[0]) == 0 ? m->x_nan : m->y_nan) ? RIGHT : WRONG;
    case OP_not:
        a = truth(op, by->operands[0], m);
        return a == UNKNOWN ? a : a == RIGHT ? WRONG : RIGHT;
    case OP_and:
    case OP_or:
    case OP_xor:
        a = truth(op, by->operands[0], m);
        b = truth(op, by->operands[1], m);
        if (a == UNKNOWN || b == UNKNOWN)
            return UNKNOWN;
        return by->code == OP_and ? a & b : by->code == OP_or ? a | b : a ^ b;
    default:
        return UNKNOWN;
    }
}

/* What says that the first pair stays; NULL: it is no such choice. */
static const Value *choice(const Op *op)
{
    const Op *end = op->regions[0]->last, *both[2];

    if (!ir_reduces(op) || op->noperands != 2 || op->operands[0]->type->pointer ||
        op->operands[1]->type->pointer || !dtype_is_int(op->operands[1]->type->dtype))
        return NULL;
    for (int k = 0; k < 2; k++) {
        both[k] = end->operands[k]->def;
        if (!both[k] || both[k]->code != OP_select || argument(op, both[k]->operands[1]) != k ||
            argument(op, both[k]->operands[2]) != k + 2)
            return NULL;
    }
    return both[0]->operands[0] == both[1]->operands[0] ? both[0]->operands[0] : NULL;
}

static OpCode winner(const Op *op)
{
    const Value *stays = choice(op);
    bool may_be_nan = stays && dtype_is_float(op->operands[0]->type->dtype);
    bool largest = true, smallest = true;

    for (int i = 0; i < 2 * 6 && stays; i++) {
        Meeting m = {
            .work = MOST_CONDITIONS, .earlier = i % 2, .values = (Relation)MIN(i / 2, UNORDERED)};
        m.x_nan = i / 2 == UNORDERED || i / 2 == UNORDERED + 2;
        m.y_nan = i / 2 > UNORDERED;
        if (m.values == UNORDERED && !may_be_nan)
            break;
        Truth t = truth(op, stays, &m);
        bool first = m.values == ALIKE || (m.x_nan && m.y_nan) ? m.earlier : m.y_nan;
        bool ordered = m.values == BELOW || m.values == ABOVE;
        largest = largest && t == (Truth)(ordered ? m.values == ABOVE : first);
        smallest = smallest && t == (Truth)(ordered ? m.values == BELOW : first);
    }
    return !stays ? OP_COUNT : largest ? OP_max : smallest ? OP_min : OP_COUNT;
}

CombineKind ir_combine_kind(const Op *op)
{
    CombineKind k = {.only = only_op(op), .neutral = OP_COUNT, .winner = winner(op)};

    if (!k.only || k.only->operands[0]->index != 0 || k.only->operands[1]->index != 1 ||
        !has_neutral(k.only->code))
        return k;
    DType t = op->operands[0]->type->dtype;
    k.neutral = k.only->code;
    if (dtype_is_float(t))
        k.real = neutral_float(k.neutral);
    else
        k.bits = neutral_int(k.neutral, t);
    return k;
}
