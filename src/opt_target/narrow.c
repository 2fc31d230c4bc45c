/*
 * narrow.c - arithmetic on bytes and 16-bit integers, without widening them to 32 bits
 *
 * Takes and gives verified IR, for targets whose vectors have more lanes of smaller elements.
 * Programs widen what they load, (77 * r + 150 * g + 29 * b) >> 8 of bytes as i32, so that nothing
 * wraps; where the ranges of all that is computed fit 16 bits, or 8, it does not wrap in these
 * either, and the result is the same; of sums whose low bits alone are kept it may.  It begins at a
 * conversion to such a type, or a comparison, and goes back to what was widened, constants and
 * scalars.  What an integer of unknown range is compared with has one: beyond it the answer is that
 * of its ends.
 *
 * Offsets stay as they are: their comparisons become bounds of loops (plan_access.c).
 */
#include "opt_target.h"
#include "../ir/analysis.h"

enum { SMALL = 16 /* bits */, WHOLE = 64, DEEPEST = 32 };

typedef struct {
    Func *func;
    const AxisFacts *axis;
    UseLists uses;
    int64_t lo, hi; /* what the type holds that is tried */
    DType to;
    bool shifts;  /* the tree multiplies, or shifts: no machine does that to vectors of bytes */
    bool widened; /* it has something that was small in memory */
} Narrow;

static bool is_small(const Type *t)
{
    return !t->pointer && dtype_is_int(t->dtype) && t->dtype != DT_I1 &&
           dtype_bits(t->dtype) <= SMALL;
}

static bool is_wide(const Type *t)
{
    return t->rank > 0 && !t->pointer && dtype_is_int(t->dtype) && dtype_bits(t->dtype) > SMALL;
}

static bool fits(const Narrow *x, const Value *v)
{
    const Axis *a = axis_of(x->axis, v);

    return a && a->has_range && a->lo >= x->lo && a->hi <= x->hi;
}

/* Ops whose result, where it and the operands fit, is the same in fewer bits. */
static bool is_exact(OpCode code)
{
    switch (code) {
    case OP_add:
    case OP_sub:
    case OP_mul:
    case OP_div:
    case OP_shl:
    case OP_shr:
    case OP_and:
    case OP_or:
    case OP_xor:
    case OP_min:
    case OP_max:
    case OP_select:
        return true;
    default:
        return false;
    }
}

static bool is_shift(OpCode code)
{
    return code == OP_mul || code == OP_div || code == OP_shl || code == OP_shr;
}

/* Do low bits of the result depend on those of the operands alone? */
static bool keeps_low_bits(OpCode code)
{
    return code == OP_add || code == OP_sub || code == OP_mul || code == OP_and || code == OP_or ||
           code == OP_xor || code == OP_select;
}

/* May v be computed in the type that is tried, and does nobody else want it in its own?  low: the
 * bits of that type are all that is asked for. */
static bool may_narrow(Narrow *x, const Value *v, bool low, int depth)
{
    const Op *op = v->def;

    if (!op || depth >= DEEPEST)
        return false;
    low &= keeps_low_bits(op->code) || op->code == OP_const || op->code == OP_splat ||
           (op->code == OP_cast && is_small(op->operands[0]->type));
    if (!low && !fits(x, v))
        return false;
    if (op->code == OP_const || op->code == OP_splat)
        return true;
    if (op->code == OP_cast && is_small(op->operands[0]->type)) {
        x->widened = true;
        return true;
    }
    if (!is_exact(op->code) || uses_count(&x->uses, v) > 1)
        return false;
    x->shifts |= is_shift(op->code);
    for (int i = op->code == OP_select; i < op->noperands; i++) {
        if (!may_narrow(x, op->operands[i], low, depth + 1))
            return false;
    }
    return true;
}

static Value *narrow(const Narrow *x, Value *v)
{
    Op *op = v->def;
    Builder b = builder_before(op);
    const Type *t = type_with_dtype(b.module, v->type, x->to);
    Value *in[MAX_ELEMENTWISE_OPERANDS];
    uint64_t bits;

    if (op->code == OP_const && value_constant(v, &bits))
        return build_const(&b, t, scalar_truncate(x->to, bits));
    if (op->code == OP_splat)
        return build_splat(&b, build_cast(&b, op->operands[0], x->to, ROUND_NEAREST), t);
    if (op->code == OP_cast)
        return op->operands[0]->type == t ? op->operands[0]
                                          : build_cast(&b, op->operands[0], x->to, ROUND_NEAREST);
    for (int i = 0; i < op->noperands; i++)
        in[i] = op->code == OP_select && i == 0 ? op->operands[0] : narrow(x, op->operands[i]);
    return build_op(&b, op->code, op->noperands, in, op->nattrs, op->attrs, 1, &t)->results[0];
}

/* --- in which type --- */

static void set_type(Narrow *x, DType t)
{
    int64_t half = (int64_t)1 << (dtype_bits(t) - 1);

    x->lo = dtype_is_signed(t) ? -half : 0;
    x->hi = dtype_is_signed(t) ? half - 1 : 2 * half - 1;
    x->to = t;
    x->shifts = x->widened = false;
}

/* The smallest that all of these fit, or that has so many bits as are asked for; false: none. */
static bool choose_type(Narrow *x, Value *const *v, int n, int bits)
{
    static const DType types[] = {DT_U8, DT_I8, DT_U16, DT_I16};

    for (int i = 0; i < COUNT(types); i++) {
        bool all = true;
        set_type(x, types[i]);
        for (int k = 0; k < n && all; k++)
            all = may_narrow(x, v[k], dtype_bits(x->to) >= bits, 0);
        if (all && !(x->shifts && dtype_bits(x->to) == 8))
            return true;
    }
    return false;
}

/* --- where to begin --- */

static void narrow_cast(Narrow *x, Op *op)
{
    Value *v = op->operands[0];

    if (!is_small(op->results[0]->type) || !is_wide(v->type) || !v->def ||
        v->def->code == OP_cast || v->def->code == OP_const || v->def->code == OP_splat ||
        !choose_type(x, &v, 1, dtype_bits(op->results[0]->type->dtype)))
        return;
    op->operands[0] = narrow(x, v);
}

/* A scalar, in the shape of what it is compared with. */
static Value *spread_scalar(const Value *v)
{
    return v->def && v->def->code == OP_splat ? v->def->operands[0] : NULL;
}

/* One that is compared with numbers from lo to hi, as near to them as says the same. */
static Value *clamped(Op *op, Value *scalar, const Axis *other, DType to)
{
    Builder b = builder_before(op);
    Value *least = build_int(&b, scalar->type, other->lo - 1);
    Value *most = build_int(&b, scalar->type, other->hi + 1);
    Value *near = build_binary(&b, OP_min, build_binary(&b, OP_max, scalar, least), most);

    return build_splat(&b, build_cast(&b, near, to, ROUND_NEAREST),
                       type_with_dtype(b.module, op->operands[0]->type, to));
}

static bool compare_with_scalar(Narrow *x, Op *op, int which)
{
    Value *v = op->operands[1 - which], *scalar = spread_scalar(op->operands[which]);
    const Axis *a = axis_of(x->axis, v);

    if (!scalar || !dtype_is_signed(scalar->type->dtype) || !a || !a->has_range)
        return false;
    set_type(x, DT_I16);
    if (a->lo <= x->lo || a->hi >= x->hi || !may_narrow(x, v, false, 0) || !x->widened)
        return false;
    op->operands[which] = clamped(op, scalar, a, x->to);
    op->operands[1 - which] = narrow(x, v);
    return true;
}

/* Does all that is made of it choose between small elements?  Others would have the mask wide. */
static bool chooses_small(const Narrow *x, const Value *mask, int depth)
{
    for (int i = 0; i < uses_count(&x->uses, mask); i++) {
        const Op *op = uses_of(&x->uses, mask)[i].op;
        const Value *v = op->nresults == 1 ? op->results[0] : NULL;
        bool goes_on = v && v->type->dtype == DT_I1 && op_is_elementwise(op) && depth < DEEPEST;
        bool small = v && (op->code == OP_select || op->code == OP_cast) && is_small(v->type);
        if (!small && !(goes_on && chooses_small(x, v, depth + 1)))
            return false;
    }
    return true;
}

static void narrow_comparison(Narrow *x, Op *op)
{
    if (!is_wide(op->operands[0]->type) || !chooses_small(x, op->results[0], 0))
        return;
    if (choose_type(x, op->operands, 2, WHOLE) && x->widened) {
        Value *left = narrow(x, op->operands[0]), *right = narrow(x, op->operands[1]);
        op->operands[0] = left;
        op->operands[1] = right;
    } else if (!compare_with_scalar(x, op, 1))
        compare_with_scalar(x, op, 0);
}

static void visit_cast(Op *op, void *narrow)
{
    if (op->code == OP_cast)
        narrow_cast(narrow, op);
}

static void visit_comparison(Op *op, void *narrow)
{
    if (op_has(op, COMPARES))
        narrow_comparison(narrow, op);
}

static void walk(Func *f, void (*visit)(Op *op, void *narrow))
{
    Arena *a = f->module->arena;
    Narrow x = {.func = f, .axis = axis_analyse(f, a), .uses = ir_uses(f, a)};

    ir_walk(f->body, visit, &x);
}

static void see_widening(Op *op, void *seen)
{
    *(bool *)seen |=
        op->code == OP_cast && is_wide(op->results[0]->type) && is_small(op->operands[0]->type);
}

/* Comparisons ask what is left of those who use them. */
void opt_narrow(Func *f)
{
    bool widens = false;

    ir_walk(f->body, see_widening, &widens);
    if (!widens)
        return;
    opt_resolve_all(f->body);
    walk(f, visit_cast);
    opt_dce(f);
    walk(f, visit_comparison);
}
