/*
 * unread.c - reductions that count lanes which the mask of a load leaves out
 *
 * Where a tile with such lanes flows into a reduction, by operators and functions of single
 * elements, these lanes count, unless they hold what the reduction passes over: 0 for a sum.
 * outside.c says what they hold; where that is not known, nothing is said.  Products of matrices
 * are followed where that is asked for: by check, and not while the IR is built.
 *
 * Lanes that an `other` fills are followed the same way, but to sums alone: other=0.0 is right for
 * sum(v), and adds mean * mean for each lane to sum((v - mean) * (v - mean)).  For a maximum it is
 * what somebody chose (--check tells where it wins).  A sum of what a loop has added up is one of
 * what it adds in a round.  A product is looked at as a sum is, with 1 for 0.
 *
 * Lanes that are left out together, a whole row of what is reduced, count nowhere.
 */
#include "outside.h"

#include <math.h>

/* In all lanes. */
static bool is_never_negative(const Value *v, int depth)
{
    const Op *op = v->def;
    uint64_t bits;

    if (dtype_is_unsigned(v->type->dtype) ||
        (value_constant(v, &bits) && scalar_to_double(v->type->dtype, bits) >= 0))
        return true;
    if (!op || depth == 0)
        return false;
    switch (op->code) {
    case OP_abs:
    case OP_exp:
    case OP_exp2:
    case OP_exp10:
    case OP_sqrt:
        return true;
    case OP_mul:
        if (ir_same(op->operands[0], op->operands[1], OUTSIDE_SAME_DEPTH))
            return true;
        break;
    case OP_max:
    case OP_maxnan:
        return is_never_negative(op->operands[0], depth - 1) ||
               is_never_negative(op->operands[1], depth - 1);
    case OP_select:
        return is_never_negative(op->operands[1], depth - 1) &&
               is_never_negative(op->operands[2], depth - 1);
    case OP_add:
    case OP_div:
    case OP_cast:
        break;
    default:
        return op_has(op, MOVES) && is_never_negative(op->operands[0], depth - 1);
    }
    for (int i = 0; i < op->noperands; i++) {
        if (!is_never_negative(op->operands[i], depth - 1))
            return false;
    }
    return true;
}

/* May a lane that holds this be part of the result? */
static bool counts(OpCode code, const Value *v, const Lane *x)
{
    DType t = v->type->dtype;
    double n = scalar_to_double(t, x->bits);

    if (x->kind != LANE_NUMBER)
        return x->kind == LANE_SOME;
    if (code == OP_add || code == OP_mul)
        return n != (code == OP_mul);
    if (isnan(n)) /* the other operand */
        return false;
    if (code == OP_max)
        return n > 0 || !(is_never_negative(v, OUTSIDE_SAME_DEPTH) || n <= -1e4);
    return n < 1e4;
}

/* Where a search was.  It ends behind MOST_VISITS: a kernel that repeats itself thousands of times
 * asks for each of its reductions, which are made of all those before. */
enum { MOST_VISITS = 500 };
typedef struct {
    Arena *arena;
    Map *seen;
    int n;
} Visits;

static bool is_new(Visits *v, const void *at, uint64_t key)
{
    if (v->n == MOST_VISITS || map_get(v->seen, key))
        return false;
    map_put(v->seen, key, (void *)at);
    v->n++;
    return true;
}

typedef struct {
    Visits visits; /* by value id + 1 */
    bool filled, products;
    MaskedLoads found;
} Search;

/* Has it a mask that leaves out lanes of which something, or nothing, is known? */
static bool is_suspect(const Search *s, const Op *load)
{
    int64_t always;
    uint64_t bits;

    OpAccess m = ir_access(load);
    const Value *mask = op_operand(load, m.mask), *other = op_operand(load, m.other);

    if (!mask || (value_const_int(mask, &always) && always))
        return false;
    return !other || (s->filled && value_constant(other, &bits));
}

/* A product as tl.sum(q * k, 1) makes it: a sum that leaves a dimension. */
static bool is_product_of_tiles(const Op *op)
{
    if (!ir_reduces(op) || op->noperands != 1 || op->results[0]->type->rank == 0)
        return false;
    const Op *only = ir_combine_kind(op).only, *factors = ir_uncast(op->operands[0])->def;
    return only && only->code == OP_add && factors && factors->code == OP_mul;
}

/* The loads that the value is made of and whose masks leave out lanes. */
static void find_loads(Search *s, const Value *v, bool multiplied, int depth)
{
    const Op *op = v->def;

    if (!op || depth == 0 || s->found.n == UNREAD_MOST_LOADS ||
        !is_new(&s->visits, v, (uint64_t)v->id + 1))
        return;
    if (op_only_reads(op)) {
        if (is_suspect(s, op))
            s->found.at[s->found.n++] = (MaskedLoad){op, multiplied};
        return;
    }
    bool multiplies = s->products && (op->code == OP_dot || is_product_of_tiles(op));
    for (int i = 0; i < op->noperands && (op_has(op, FOLDS) || op_has(op, MOVES) || multiplies);
         i++)
        find_loads(s, op->operands[i], multiplied || multiplies, depth - 1);
}

MaskedLoads unread_loads(Arena *a, const Value *v, bool filled, bool products)
{
    Search s = {.visits = {a, map_new(a), 0}, .filled = filled, .products = products};

    find_loads(&s, v, false, OUTSIDE_DEEPEST);
    return s.found;
}

/* Does the mask leave out some lanes of a row along a dimension of the value, and not all or none
 * of them?  `seen`: by value and dimension; no deeper than find_loads() looks. */
static bool leaves_out_within(Visits *seen, const Op *load, const Value *v, int dim, int depth)
{
    const Op *op = v->def;
    uint64_t key = ((uint64_t)v->id + 1) * MAX_RANK + (uint64_t)dim;
    bool any = false;
    Move m;

    if (!op || depth == 0 || !is_new(seen, v, key))
        return false;
    if (op == load)
        return outside_varies(seen->arena, load->operands[LOAD_MASK], dim);
    if (op->code == OP_dot) {
        int rank = v->type->rank;
        return (dim != rank - 1 &&
                leaves_out_within(seen, load, op->operands[0], dim, depth - 1)) ||
               (dim != rank - 2 &&
                leaves_out_within(seen, load, op->operands[1], dim, depth - 1)) ||
               leaves_out_within(seen, load, op->operands[2], dim, depth - 1);
    }
    if (is_product_of_tiles(op))
        return leaves_out_within(seen, load, op->operands[0], dim + (dim >= attr_axis(op)),
                                 depth - 1);
    bool renames = op_has(op, MOVES) && op_renames(op, &m);
    if (op_has(op, MOVES) && !renames && op->code != OP_reshape)
        return true;
    if (op_has(op, MOVES)) {
        for (int d = 0; d < op->operands[0]->type->rank; d++)
            any |= (renames ? m.follows[d] == dim : outside_reshape_follows(op, dim, d)) &&
                   leaves_out_within(seen, load, op->operands[0], d, depth - 1);
        return any;
    }
    for (int i = 0; i < op->noperands && op_has(op, FOLDS); i++)
        any |= leaves_out_within(seen, load, op->operands[i], dim, depth - 1);
    return any;
}

bool unread_counts(Arena *arena, const Op *load, OpCode code, const Value *v, int axis)
{
    for (int d = 0; d < v->type->rank; d++) {
        Outside o = outside_of(arena, load, 1u << d);
        Visits seen = {arena, map_new(arena), 0};
        if ((axis >= 0 && d != axis) || !leaves_out_within(&seen, load, v, d, OUTSIDE_DEEPEST))
            continue;
        Lane lane = outside_lane(&o, v);
        if (counts(code, v, &lane))
            return true;
    }
    return false;
}

/* What a loop adds to the value in each round, or multiplies it by; NULL: it does neither. */
static const Value *added_in_rounds(const Value *v, OpCode code)
{
    const Op *loop = ir_uncast(v)->def;

    if (!loop || loop->code != OP_for || !loop->regions[0]->last)
        return NULL;
    const Block *body = loop->regions[0];
    int i = ir_uncast(v)->index;
    const Op *sum = body->last->operands[i]->def;
    if (!sum || sum->code != code)
        return NULL;
    for (int k = 0; k < 2; k++) {
        if (sum->operands[k] == body->args[1 + i])
            return sum->operands[1 - k];
    }
    return NULL;
}

const Op *unread_in_reduction(Arena *a, OpCode code, const Value *v, int axis, const Value **of)
{
    const Value *added = code == OP_add || code == OP_mul ? added_in_rounds(v, code) : NULL;

    *of = added ? added : v;
    const MaskedLoads loads = unread_loads(a, *of, code == OP_add || code == OP_mul, false);
    for (int i = 0; i < loads.n; i++) {
        if (unread_counts(a, loads.at[i].load, code, *of, axis))
            return loads.at[i].load;
    }
    return NULL;
}

/* The index of a pointer that begins at the same address in all lanes; NULL: it does not. */
static const Value *index_of(const Value *p)
{
    const Op *op = p->def;

    if (!op || op->code != OP_addptr)
        return NULL;
    const Value *base = outside_unmoved(op->operands[0]);
    bool is_one = base->type->rank == 0 || (base->def && base->def->code == OP_splat);
    return is_one ? op->operands[1] : NULL;
}
const Op *unread_in_atomic(Arena *a, const Value *p, const Value *data, int64_t *at)
{
    const Value *index = index_of(p);

    if (!index || p->type->rank == 0)
        return NULL;
    const MaskedLoads loads = unread_loads(a, index, true, false);
    for (int i = 0; i < loads.n; i++) {
        Outside o = outside_of(a, loads.at[i].load, 0);
        Lane place = outside_lane(&o, index), adds = outside_lane(&o, data);

        if (place.kind != LANE_NUMBER || adds.kind == LANE_UNKNOWN ||
            outside_is_zero(&adds, data->type->dtype))
            continue;
        *at = scalar_to_int(index->type->dtype, place.bits);
        return loads.at[i].load;
    }
    return NULL;
}

/* Is what it fills masked lanes with a number that was chosen, such as that of a bin which nobody
 * looks at? */
static bool fills_with_choice(const Op *load)
{
    uint64_t bits;

    return load->noperands > LOAD_OTHER && value_constant(load->operands[LOAD_OTHER], &bits) &&
           bits != 0;
}
const Op *unread_in_count(Arena *a, const Value *v, int64_t bins, int64_t *number)
{
    const MaskedLoads loads = unread_loads(a, v, true, false);

    for (int i = 0; i < loads.n; i++) {
        Outside o = outside_of(a, loads.at[i].load, 0);
        Lane lane = outside_lane(&o, v);

        *number = scalar_to_int(v->type->dtype, lane.bits);
        if (lane.kind == LANE_NUMBER && *number >= 0 && *number < bins &&
            !fills_with_choice(loads.at[i].load))
            return loads.at[i].load;
    }
    return NULL;
}
