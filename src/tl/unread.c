/*
 * unread.c - what a reduction makes of lanes that the mask of a load leaves out
 *
 * A masked load without `other` leaves lanes undefined; what runs here gives 0, and so do GPUs.
 * Where such a tile flows into a reduction, by operators and functions of single elements, these
 * lanes count, unless they hold what the reduction passes over: 0 for a sum.  So they are followed
 * through the IR as far as it is built: for each such load, what do the lanes outside of its mask
 * hold here?  A number, as exp(x) does; *some* number that is of no use, such as x - mean; or it is
 * not known, and then nothing is said.
 *
 * Lanes that an `other` fills are followed the same way, but to sums alone: other=0.0 is right for
 * sum(v), and adds mean * mean for each lane to sum((v - mean) * (v - mean)).  For a maximum it is
 * what somebody chose (--check tells where it wins).  A sum of what a loop has added up is one of
 * what it adds in a round.  A product is looked at as a sum is, with 1 for 0.
 *
 * A reduction inside of the value is a number of its own, a mean: nothing is known of it.  But
 * where it is asked for lanes that are left out along dimensions which it keeps, it is made of such
 * lanes.
 *
 * What masks them again makes a number of them: tl.where with the mask of the load, or one that is
 * part of another.  Lanes that are left out together, a whole row of what is reduced, count
 * nowhere.
 */
#include "tl.h"
#include "../ir/analysis.h"

#include <math.h>

enum { DEEPEST = 100, MOST_LOADS = 8 };

typedef enum { LANE_UNKNOWN, LANE_SOME, LANE_NUMBER } LaneKind;
typedef struct {
    LaneKind kind;
    uint64_t bits; /* of a number */
} Lane;

/* One question: lanes outside of the mask of one load. */
typedef struct {
    Arena *arena;
    const Value *mask;
    Map *known;     /* by value id + 1 and `along`: Lane* */
    unsigned along; /* a bit for each dimension of the value along which lanes are outside; 0: of
                     * any that a reduction keeps */
    int depth;
} Outside;

static Outside lanes_outside(Arena *arena, const Op *load, unsigned along)
{
    return (Outside){arena, load->operands[LOAD_MASK], map_new(arena), along, 0};
}

/* --- masks --- */

enum { MASK_DEPTH = 8 };

/* The same elements, or some of them, at more places. */
static const Value *unmoved(const Value *v)
{
    Move m;

    while (v->def && op_has(v->def, MOVES) && v->def->code != OP_splat && op_renames(v->def, &m))
        v = v->def->operands[0];
    return v;
}

/* Is it false in all lanes where `mask` is? */
static bool is_false_outside(const Value *v, const Value *mask, int depth)
{
    v = unmoved(v);
    if (ir_same(v, unmoved(mask), MASK_DEPTH))
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

/* May elements of a reshape that differ along a dimension be ones that differ along dimension
 * `from` of what is reshaped?  Looked at where one of the two parts an extent of the other. */
static bool reshape_follows(const Op *op, int dim, int from)
{
    const Type *new = op->results[0]->type, *old = op->operands[0]->type;
    int64_t a = step_along(new, dim), b = step_along(old, from);
    int64_t a_end = a * new->dims[dim], b_end = b * old->dims[from];
    bool nested = divide(a, b) && divide(a, b_end) && divide(a_end, b) && divide(a_end, b_end);

    return !nested || (a < b_end && b < a_end);
}

/* Does it differ along a dimension? */
static bool varies_along(const Value *v, int dim, int depth)
{
    const Op *op = v->def;
    bool any = false;
    Move m;

    if (v->type->rank == 0 || v->type->dims[dim] == 1 || (op && op->code == OP_splat))
        return false;
    if (!op || depth == 0)
        return true;
    if (op_has(op, MOVES) && op_renames(op, &m)) {
        for (int d = 0; d < op->operands[0]->type->rank; d++)
            any |= m.follows[d] == dim && varies_along(op->operands[0], d, depth - 1);
        return any;
    }
    if (op->code == OP_reshape) {
        for (int d = 0; d < op->operands[0]->type->rank; d++)
            any |= reshape_follows(op, dim, d) && varies_along(op->operands[0], d, depth - 1);
        return any;
    }
    if (!op_has(op, FOLDS))
        return op->code != OP_const;
    for (int i = 0; i < op->noperands; i++)
        any |= varies_along(op->operands[i], dim, depth - 1);
    return any;
}

/* --- what the lanes hold --- */

static const Lane unknown = {LANE_UNKNOWN, 0}, some = {LANE_SOME, 0};

static Lane number(uint64_t bits)
{
    return (Lane){LANE_NUMBER, bits};
}

static bool is_zero(const Lane *x, DType t)
{
    return x->kind == LANE_NUMBER && scalar_to_double(t, x->bits) == 0;
}

/* So large that some number that is added to it does not show. */
static bool is_huge(const Lane *x, DType t)
{
    return x->kind == LANE_NUMBER && !(fabs(scalar_to_double(t, x->bits)) < 1e4);
}

static Lane lane_of(Outside *o, const Value *v);

static Lane lane_of_load(Outside *o, const Op *load)
{
    OpAccess m = ir_access(load);
    const Value *mask = op_operand(load, m.mask), *other = op_operand(load, m.other);

    if (!mask || !is_false_outside(mask, o->mask, 4))
        return unknown;
    return other ? lane_of(o, other) : number(0);
}

static Lane lane_of_select(Outside *o, const Op *op)
{
    Lane c = lane_of(o, op->operands[0]);

    return c.kind == LANE_NUMBER ? lane_of(o, op->operands[c.bits ? 1 : 2]) : unknown;
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

static const Value *unspread(const Value *v)
{
    while (v->def && op_has(v->def, MOVES))
        v = v->def->operands[0];
    return v;
}

static void add_terms(Outside *o, Terms *t, const Value *v, int sign, int depth)
{
    const Op *op;

    v = unspread(v);
    op = v->def;
    Lane x = lane_of(o, v);
    if (ir_same(v, t->divisor, MASK_DEPTH)) {
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
    Terms t = {.divisor = unspread(division->operands[1])};

    if (!dtype_is_int(division->results[0]->type->dtype))
        return false;
    add_terms(o, &t, division->operands[0], 1, 4);
    return !t.others && t.divisors == 1 && t.numbers == -1;
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
        if (is_zero(&x[0], t) || is_zero(&x[1], t))
            return number(0);
        break;
    case OP_div:
        if (is_zero(&x[0], t) || rounds_up_zero(o, op))
            return number(0);
        break;
    case OP_add:
    case OP_sub:
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
        x[i] = lane_of(o, op->operands[i]);
        all_numbers &= x[i].kind == LANE_NUMBER;
    }
    return all_numbers ? computed(op, x) : combined(o, op, x);
}

/* The same for an operand, of which o->along becomes `along`. */
static Lane lane_along(Outside *o, const Value *v, unsigned along)
{
    unsigned outer = o->along;

    o->along = along;
    Lane lane = lane_of(o, v);
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
            bool comes = op_renames(op, &m) ? m.follows[d] == k : reshape_follows(op, k, d);
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
    return !adds || is_zero(&lane, op->operands[0]->type->dtype) ? lane : unknown;
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
        return lane_along(o, op->operands[0], along_before(op, o->along));
    return op_has(op, FOLDS) && op->noperands <= MAX_ELEMENTWISE_OPERANDS ? lane_of_elements(o, op)
                                                                          : unknown;
}

static Lane lane_of(Outside *o, const Value *v)
{
    uint64_t key = ((uint64_t)v->id + 1) << MAX_RANK | o->along;
    const Lane *known = map_get(o->known, key);
    Lane *found;

    if (known)
        return *known;
    if (o->depth == DEEPEST)
        return unknown;
    o->depth++;
    found = NEW(o->arena, Lane);
    *found = find_lane(o, v);
    o->depth--;
    map_put(o->known, key, found);
    return *found;
}

/* --- what a reduction makes of them --- */

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
        if (ir_same(op->operands[0], op->operands[1], MASK_DEPTH))
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
        return n > 0 || !(is_never_negative(v, MASK_DEPTH) || n <= -1e4);
    return n < 1e4;
}

typedef struct {
    Arena *arena;
    Map *seen;   /* by value id + 1 */
    bool filled; /* those with `other` too */
    const Op *at[MOST_LOADS];
    int n;
} Loads;

/* Has it a mask that leaves out lanes of which something, or nothing, is known? */
static bool is_suspect(const Loads *l, const Op *load)
{
    int64_t always;
    uint64_t bits;

    OpAccess m = ir_access(load);
    const Value *mask = op_operand(load, m.mask), *other = op_operand(load, m.other);

    if (!mask || (value_const_int(mask, &always) && always))
        return false;
    return !other || (l->filled && value_constant(other, &bits));
}

/* The loads that the value is made of and whose masks leave out lanes. */
static void find_loads(Loads *l, const Value *v, int depth)
{
    const Op *op = v->def;
    uint64_t key = (uint64_t)v->id + 1;

    if (!op || depth == 0 || l->n == MOST_LOADS || map_get(l->seen, key))
        return;
    map_put(l->seen, key, (void *)v);
    if (op_only_reads(op)) {
        if (is_suspect(l, op))
            l->at[l->n++] = op;
        return;
    }
    for (int i = 0; i < op->noperands && (op_has(op, FOLDS) || op_has(op, MOVES)); i++)
        find_loads(l, op->operands[i], depth - 1);
}

static const Value *uncast(const Value *v)
{
    while (v->def && v->def->code == OP_cast)
        v = v->def->operands[0];
    return v;
}

static const char *neutral(OpCode code, DType t)
{
    if (code == OP_add)
        return dtype_is_float(t) ? "0.0" : "0";
    if (code == OP_mul)
        return dtype_is_float(t) ? "1.0" : "1";
    if (!dtype_is_float(t))
        return code == OP_max ? "the smallest number of its type"
                              : "the largest number of its type";
    return code == OP_max ? "-float(\"inf\")" : "float(\"inf\")";
}

static void warn_of(Lower *l, const Args *a, ArgName of, OpCode code, const Value *v,
                    const Op *load)
{
    Span span = arg_span(a, of);
    DType t = v->type->dtype;

    if (load->noperands > LOAD_OTHER) {
        warn_at(l, span, W_FILLED_FLOW, a->builtin->name);
        hint_at(l, H_UNREAD_FLOW, neutral(code, t));
        note_at(l, load->span, N_FILLED_FLOW);
        return;
    }
    if (uncast(v) == load->results[0]) {
        warn_at(l, span, W_UNREAD_LANES, a->builtin->name);
        hint_at(l, H_UNREAD_LANES, neutral(code, t));
        return;
    }
    warn_at(l, span, W_UNREAD_FLOW, a->builtin->name);
    hint_at(l, H_UNREAD_FLOW, neutral(code, t));
    note_at(l, load->span, N_UNREAD_FLOW);
}

/* Does the mask leave out some lanes of a row along a dimension of the value, and not all or none
 * of them?  `seen`: by value and dimension, where it was looked; no deeper than find_loads() does.
 */
static bool leaves_out_within(Map *seen, const Op *load, const Value *v, int dim, int depth)
{
    const Op *op = v->def;
    uint64_t key = ((uint64_t)v->id + 1) * MAX_RANK + (uint64_t)dim;
    bool any = false;
    Move m;

    if (!op || depth == 0 || map_get(seen, key))
        return false;
    map_put(seen, key, (void *)v);
    if (op == load)
        return varies_along(load->operands[LOAD_MASK], dim, DEEPEST);
    bool renames = op_has(op, MOVES) && op_renames(op, &m);
    if (op_has(op, MOVES) && !renames && op->code != OP_reshape)
        return true;
    if (op_has(op, MOVES)) {
        for (int d = 0; d < op->operands[0]->type->rank; d++)
            any |= (renames ? m.follows[d] == dim : reshape_follows(op, dim, d)) &&
                   leaves_out_within(seen, load, op->operands[0], d, depth - 1);
        return any;
    }
    for (int i = 0; i < op->noperands && op_has(op, FOLDS); i++)
        any |= leaves_out_within(seen, load, op->operands[i], dim, depth - 1);
    return any;
}

/* Do lanes that the load leaves out count in a reduction along `axis`, or along all (-1)? */
static bool counts_along(Arena *arena, const Op *load, OpCode code, const Value *v, int axis)
{
    for (int d = 0; d < v->type->rank; d++) {
        Outside o = lanes_outside(arena, load, 1u << d);
        if ((axis >= 0 && d != axis) || !leaves_out_within(map_new(arena), load, v, d, DEEPEST))
            continue;
        Lane lane = lane_of(&o, v);
        if (counts(code, v, &lane))
            return true;
    }
    return false;
}

/* What a loop adds to the value in each round; NULL: it is no such sum. */
static const Value *added_in_rounds(const Value *v)
{
    const Op *loop = uncast(v)->def;

    if (!loop || loop->code != OP_for || !loop->regions[0]->last)
        return NULL;
    const Block *body = loop->regions[0];
    int i = uncast(v)->index;
    const Op *sum = body->last->operands[i]->def;
    if (!sum || sum->code != OP_add)
        return NULL;
    for (int k = 0; k < 2; k++) {
        if (sum->operands[k] == body->args[1 + i])
            return sum->operands[1 - k];
    }
    return NULL;
}

void unread_warn(Lower *l, const Args *a, ArgName of, OpCode code, const Value *v, int axis)
{
    Loads loads = {
        .arena = l->arena, .seen = map_new(l->arena), .filled = code == OP_add || code == OP_mul};
    const Value *added = code == OP_add ? added_in_rounds(v) : NULL;

    v = added ? added : v;
    find_loads(&loads, v, DEEPEST);
    for (int i = 0; i < loads.n; i++) {
        if (!counts_along(l->arena, loads.at[i], code, v, axis))
            continue;
        warn_of(l, a, of, code, v, loads.at[i]);
        return;
    }
}

/* The index of a pointer that begins at the same address in all lanes; NULL: it does not. */
static const Value *index_of(const Value *p)
{
    const Op *op = p->def;

    if (!op || op->code != OP_addptr)
        return NULL;
    const Value *base = unmoved(op->operands[0]);
    bool is_one = base->type->rank == 0 || (base->def && base->def->code == OP_splat);
    return is_one ? op->operands[1] : NULL;
}

void unread_warn_of_atomic(Lower *l, const Args *a, const Value *p, const Value *data)
{
    Loads loads = {.arena = l->arena, .seen = map_new(l->arena), .filled = true};
    const Value *index = index_of(p);

    if (!index || p->type->rank == 0)
        return;
    find_loads(&loads, index, DEEPEST);
    for (int i = 0; i < loads.n; i++) {
        Outside o = lanes_outside(l->arena, loads.at[i], 0);
        Lane at = lane_of(&o, index), adds = lane_of(&o, data);

        if (at.kind != LANE_NUMBER || adds.kind == LANE_UNKNOWN ||
            is_zero(&adds, data->type->dtype))
            continue;
        warn_at(l, a->span, W_UNREAD_ATOMIC, a->builtin->name,
                (long long)scalar_to_int(index->type->dtype, at.bits));
        hint_at(l, H_UNREAD_ATOMIC, a->builtin->name);
        note_at(l, loads.at[i]->span, N_UNREAD_COUNT);
        return;
    }
}

/* Is what it fills masked lanes with a number that was chosen, such as that of a bin which nobody
 * looks at? */
static bool fills_with_choice(const Op *load)
{
    uint64_t bits;

    return load->noperands > LOAD_OTHER && value_constant(load->operands[LOAD_OTHER], &bits) &&
           bits != 0;
}

void unread_warn_of_count(Lower *l, const Args *a, const Value *v, int32_t bins)
{
    Loads loads = {.arena = l->arena, .seen = map_new(l->arena), .filled = true};

    find_loads(&loads, v, DEEPEST);
    for (int i = 0; i < loads.n; i++) {
        Outside o = lanes_outside(l->arena, loads.at[i], 0);
        Lane lane = lane_of(&o, v);
        int64_t n = scalar_to_int(v->type->dtype, lane.bits);

        if (lane.kind != LANE_NUMBER || n < 0 || n >= bins || fills_with_choice(loads.at[i]))
            continue;
        warn_at(l, arg_span(a, ARG_input), W_UNREAD_COUNT, (long long)n);
        hint_at(l, H_UNREAD_COUNT);
        note_at(l, loads.at[i]->span, N_UNREAD_COUNT);
        return;
    }
}
