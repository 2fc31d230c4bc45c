/*
 * outside.c - what the lanes hold that the mask of a load leaves out
 *
 * A masked load without `other` leaves lanes undefined; what runs here gives 0, and so do GPUs.
 * They are followed through the IR as far as it is built, by operators and functions of single
 * elements, by what moves elements and by products of matrices: for each such load, what do the
 * lanes outside of its mask hold here?  A number, as exp(x) does; *some* number that is of no use,
 * such as x - mean; or it is not known.
 *
 * A reduction inside of the value is a number of its own, a mean: nothing is known of it.  But
 * where it is asked for lanes that are left out along dimensions which it keeps, it is made of such
 * lanes.
 *
 * What masks them again makes a number of them: tl.where with the mask of the load, or one that is
 * part of another.
 */
#include "outside.h"

#include <math.h>

Outside outside_of(Arena *arena, const Op *load, unsigned along)
{
    return (Outside){arena, load->operands[LOAD_MASK], map_new(arena), along, 0};
}

/* --- masks --- */

const Value *outside_unmoved(const Value *v)
{
    Move m;

    while (v->def && op_has(v->def, MOVES) && v->def->code != OP_splat && op_renames(v->def, &m))
        v = v->def->operands[0];
    return v;
}

/* Is it false in all lanes where `mask` is? */
static bool is_false_outside(const Value *v, const Value *mask, int depth)
{
    v = outside_unmoved(v);
    if (ir_same(v, outside_unmoved(mask), OUTSIDE_SAME_DEPTH))
        return true;
    return depth > 0 && v->def && v->def->code == OP_and &&
           (is_false_outside(v->def->operands[0], mask, depth - 1) ||
            is_false_outside(v->def->operands[1], mask, depth - 1));
}

/* The distance, in elements, between neighbours along a dimension. */
static int64_t step_along(const Type *t, int dim)
{
    int64_t n = 1;

    for (int d = t->rank - 1; d > dim; d--)
        n *= t->dims[d];
    return n;
}

static bool divide(int64_t a, int64_t b)
{
    return a % b == 0 || b % a == 0;
}

/* Looked at where one of the two parts an extent of the other. */
bool outside_reshape_follows(const Op *op, int dim, int from)
{
    const Type *new = op->results[0]->type, *old = op->operands[0]->type;
    int64_t a = step_along(new, dim), b = step_along(old, from);
    int64_t a_end = a * new->dims[dim], b_end = b * old->dims[from];
    bool nested = divide(a, b) && divide(a, b_end) && divide(a_end, b) && divide(a_end, b_end);

    return !nested || (a < b_end && b < a_end);
}

/* `seen`, by value and dimension: asked already, and it counts where it was. */
static bool varies(Map *seen, const Value *v, int dim, int depth)
{
    const Op *op = v->def;
    uint64_t key = ((uint64_t)v->id + 1) * MAX_RANK + (uint64_t)dim;
    bool any = false;
    Move m;

    if (v->type->rank == 0 || v->type->dims[dim] == 1 || (op && op->code == OP_splat))
        return false;
    if (!op || depth == 0)
        return true;
    if (map_get(seen, key))
        return false;
    map_put(seen, key, (void *)v);
    if (op_has(op, MOVES) && op_renames(op, &m)) {
        for (int d = 0; d < op->operands[0]->type->rank; d++)
            any |= m.follows[d] == dim && varies(seen, op->operands[0], d, depth - 1);
        return any;
    }
    if (op->code == OP_reshape) {
        for (int d = 0; d < op->operands[0]->type->rank; d++)
            any |=
                outside_reshape_follows(op, dim, d) && varies(seen, op->operands[0], d, depth - 1);
        return any;
    }
    if (!op_has(op, FOLDS))
        return op->code != OP_const;
    for (int i = 0; i < op->noperands; i++)
        any |= varies(seen, op->operands[i], dim, depth - 1);
    return any;
}

bool outside_varies(Arena *arena, const Value *v, int dim)
{
    return varies(map_new(arena), v, dim, OUTSIDE_DEEPEST);
}

/* --- what the lanes hold --- */

static const Lane unknown = {LANE_UNKNOWN, 0}, some = {LANE_SOME, 0};

static Lane number(uint64_t bits)
{
    return (Lane){LANE_NUMBER, bits};
}

bool outside_is_zero(const Lane *x, DType t)
{
    return x->kind == LANE_NUMBER && scalar_to_double(t, x->bits) == 0;
}

/* So large that some number that is added to it does not show. */
static bool is_huge(const Lane *x, DType t)
{
    return x->kind == LANE_NUMBER && !(fabs(scalar_to_double(t, x->bits)) < 1e4);
}

static Lane lane_of_load(Outside *o, const Op *load)
{
    OpAccess m = ir_access(load);
    const Value *mask = op_operand(load, m.mask), *other = op_operand(load, m.other);

    if (!mask || !is_false_outside(mask, o->mask, 4))
        return unknown;
    return other ? outside_lane(o, other) : number(0);
}

static Lane lane_of_select(Outside *o, const Op *op)
{
    Lane c = outside_lane(o, op->operands[0]);

    return c.kind == LANE_NUMBER ? outside_lane(o, op->operands[c.bits ? 1 : 2]) : unknown;
}

static Lane computed(const Op *op, const Lane *x)
{
    const void *src[MAX_ELEMENTWISE_OPERANDS];
    uint64_t bits = 0;

    for (int i = 0; i < op->noperands; i++)
        src[i] = &x[i].bits;
    if (!scalar_apply(op->code, op->attrs, op->operands[0]->type->dtype,
                      op->results[0]->type->dtype, src, &bits, 1))
        return unknown;
    return number(bits);
}

/* A sum, of which one may be the divisor that it is divided by. */
typedef struct {
    const Value *divisor;
    int64_t divisors, numbers;
    bool others;
} Terms;

static void add_terms(Outside *o, Terms *t, const Value *v, int sign, int depth)
{
    const Op *op;

    v = ir_unmoved(v);
    op = v->def;
    Lane x = outside_lane(o, v);
    if (ir_same(v, t->divisor, OUTSIDE_SAME_DEPTH)) {
        t->divisors += sign;
    } else if (x.kind == LANE_NUMBER) {
        t->numbers += sign * scalar_to_int(v->type->dtype, x.bits);
    } else if (depth > 0 && op && (op->code == OP_add || op->code == OP_sub)) {
        add_terms(o, t, op->operands[0], sign, depth - 1);
        add_terms(o, t, op->operands[1], op->code == OP_sub ? -sign : sign, depth - 1);
    } else {
        t->others = true;
    }
}

/* Is it (x + n - 1) // n of an x that is 0 there?  That rounds up, to 0. */
static bool rounds_up_zero(Outside *o, const Op *division)
{
    Terms t = {.divisor = ir_unmoved(division->operands[1])};

    if (!dtype_is_int(division->results[0]->type->dtype))
        return false;
    add_terms(o, &t, division->operands[0], 1, 4);
    return !t.others && t.divisors == 1 && t.numbers == -1;
}

/* The sum or difference of an infinity and a number that is not known; unknown: it is none. */
static Lane infinite_sum(const Op *op, const Lane *x)
{
    DType t = op->operands[0]->type->dtype;

    for (int i = 0; i < op->noperands && dtype_is_float(t); i++) {
        if (x[i].kind != LANE_NUMBER || x[1 - i].kind != LANE_SOME ||
            !isinf(scalar_to_double(t, x[i].bits)))
            continue;
        double v = scalar_to_double(t, x[i].bits);
        return number(scalar_from_double(t, op->code == OP_sub && i == 1 ? -v : v));
    }
    return unknown;
}

/* Of operands that are not all numbers. */
static Lane combined(Outside *o, const Op *op, const Lane *x)
{
    DType t = op->operands[0]->type->dtype;
    bool any_unknown = false, any_huge = false;

    for (int i = 0; i < op->noperands; i++) {
        any_unknown |= x[i].kind == LANE_UNKNOWN;
        any_huge |= is_huge(&x[i], t);
    }
    switch (op->code) {
    case OP_mul:
        if (outside_is_zero(&x[0], t) || outside_is_zero(&x[1], t))
            return number(0);
        break;
    case OP_div:
        if (outside_is_zero(&x[0], t) || rounds_up_zero(o, op))
            return number(0);
        break;
    case OP_add:
    case OP_sub:
        if (any_huge && infinite_sum(op, x).kind == LANE_NUMBER)
            return infinite_sum(op, x);
        break;
    default:
        if (op->noperands > 1)
            return unknown;
    }
    return any_unknown || any_huge ? unknown : some;
}

static Lane lane_of_elements(Outside *o, const Op *op)
{
    Lane x[MAX_ELEMENTWISE_OPERANDS];
    bool all_numbers = true;

    for (int i = 0; i < op->noperands; i++) {
        x[i] = outside_lane(o, op->operands[i]);
        all_numbers &= x[i].kind == LANE_NUMBER;
    }
    return all_numbers ? computed(op, x) : combined(o, op, x);
}

/* The same for an operand, of which o->along becomes `along`. */
static Lane lane_along(Outside *o, const Value *v, unsigned along)
{
    unsigned outer = o->along;

    o->along = along;
    Lane lane = outside_lane(o, v);
    o->along = outer;
    return lane;
}

/* The dimensions of what is moved that o->along are made of. */
static unsigned along_before(const Op *op, unsigned along)
{
    const Type *in = op->operands[0]->type, *out = op->results[0]->type;
    unsigned before = 0;
    Move m;

    if (!op_renames(op, &m) && op->code != OP_reshape)
        return along;
    for (int d = 0; d < in->rank; d++) {
        for (int k = 0; in->dims[d] > 1 && k < out->rank; k++) {
            bool comes = op_renames(op, &m) ? m.follows[d] == k : outside_reshape_follows(op, k, d);
            before |= (unsigned)(comes && (along >> k & 1)) << d;
        }
    }
    return before;
}

static Lane lane_of_reduce(Outside *o, const Op *op)
{
    const Op *only = ir_combine_kind(op).only;
    unsigned below = (1u << attr_axis(op)) - 1;
    unsigned along = (o->along & below) | ((o->along & ~below) << 1);

    if (along == 0 || op->noperands > 1 || !only)
        return some; /* of its kind: a mean, a parameter */
    Lane lane = lane_along(o, op->operands[0], along);
    if (lane.kind != LANE_NUMBER)
        return lane;
    bool adds = only->code == OP_add;
    return !adds || outside_is_zero(&lane, op->operands[0]->type->dtype) ? lane : unknown;
}

/* A product of matrices: where a row of the one, or a column of the other, is left out and holds
 * zeros, so do their products. */
static Lane lane_of_dot(Outside *o, const Op *op)
{
    const int rank = op->results[0]->type->rank;
    const unsigned row = 1u << (rank - 2), column = 1u << (rank - 1);
    const unsigned along[2] = {o->along & ~column, o->along & ~row};

    for (int i = 0; i < 2; i++) {
        Lane lane = along[i] ? lane_along(o, op->operands[i], along[i]) : unknown;
        if (outside_is_zero(&lane, op->operands[i]->type->dtype))
            return outside_lane(o, op->operands[2]);
    }
    return unknown;
}

/* What is moved; a number of its own where the lanes that are outside do not differ in it. */
static Lane lane_of_moved(Outside *o, const Op *op)
{
    unsigned before = along_before(op, o->along);
    Lane lane = lane_along(o, op->operands[0], before);
    bool is_own = o->along != 0 && before == 0 && dtype_is_float(op->results[0]->type->dtype);

    return lane.kind == LANE_UNKNOWN && is_own ? some : lane;
}

static Lane find_lane(Outside *o, const Value *v)
{
    const Op *op = v->def;

    if (op && op->code == OP_const)
        return number((uint64_t)op->attrs[0]);
    if (v->type->pointer || v->type->handle != HANDLE_NONE)
        return unknown;
    if (v->type->dtype == DT_I1 && v->type->rank > 0 && is_false_outside(v, o->mask, 4))
        return number(0);
    if (v->type->rank == 0)
        return some;
    if (ir_reduces(op))
        return lane_of_reduce(o, op);
    if (!op)
        return unknown;
    if (op_only_reads(op))
        return lane_of_load(o, op);
    if (op->code == OP_select)
        return lane_of_select(o, op);
    if (op_has(op, MOVES))
        return lane_of_moved(o, op);
    if (op->code == OP_dot)
        return lane_of_dot(o, op);
    return op_has(op, FOLDS) && op->noperands <= MAX_ELEMENTWISE_OPERANDS ? lane_of_elements(o, op)
                                                                          : unknown;
}

Lane outside_lane(Outside *o, const Value *v)
{
    uint64_t key = ((uint64_t)v->id + 1) << MAX_RANK | o->along;
    const Lane *known = map_get(o->known, key);
    Lane *found;

    if (known)
        return *known;
    if (o->depth == OUTSIDE_DEEPEST)
        return unknown;
    o->depth++;
    found = NEW(o->arena, Lane);
    *found = find_lane(o, v);
    o->depth--;
    map_put(o->known, key, found);
    return *found;
}
