/*
 * nv_begin.c - whether the coordinates of a tile are never negative
 *
 * The unit for tensors brings zeros for what lies in front of a map, where the kernel reads what is
 * there.  So coordinates are made of what cannot be negative, and of parameters of which a launch
 * says that: code without maps is there for those that are.
 */
#include "nv_ring.h"

enum { DEPTH = 32, MOST_WORK = 4000, CARRIED = 4 };

typedef struct {
    NvPlan *plan;
    PolyScope scope;
    uint64_t *assumed;
    bool may_assume;    /* a launch may be asked */
    const Block *inner; /* where values are asked about: conditions of loops around it hold */
    const Value *carried[CARRIED]; /* taken not to be negative when a round begins, while it is */
    int ncarried;                  /* .. found out whether the next one's is */
} Begin;

int nv_parameter_of(const NvPlan *p, const PolyAtom *a)
{
    const Value *v = a->value;

    return v && !v->def && v->block == p->func->body && p->func->params[v->index].kind == PARAM_USER
               ? v->index
               : -1;
}

static bool never_negative(Begin *x, const Value *v, int depth);

static bool is_loop_from_zero(Begin *x, const Value *v, int depth)
{
    const Op *loop = v->block->owner;
    int64_t step;

    return loop && loop->code == OP_for && v->index == 0 &&
           value_const_signed(loop->operands[FOR_STEP], &step) && step > 0 &&
           never_negative(x, loop->operands[FOR_LO], depth);
}

/* The outer one of two blocks, one of which encloses the other. */
static const Block *outer(const Block *a, const Block *b)
{
    return block_encloses(b, a) ? b : a;
}

static bool is_taken(const Begin *x, const Value *v)
{
    for (int i = 0; i < x->ncarried; i++) {
        if (x->carried[i] == v)
            return true;
    }
    return false;
}

/* By induction: it begins so, and each round leaves it so.  What it begins with is computed in
 * front of the loop, whose condition nobody knows of there. */
static bool is_carried_from_zero(Begin *x, const Value *v, int depth)
{
    const Value *from[2];
    const Op *loop = v->block->owner;
    const Block *inner = x->inner;
    int count = loop && x->ncarried < CARRIED ? nv_carried_from(v, from) : 0;
    bool all = count > 0;

    if (is_taken(x, v) || count == 0)
        return is_taken(x, v);
    x->carried[x->ncarried++] = v;
    for (int i = 0; i < count; i++) {
        bool begins = count == 2 && i == 0;
        x->inner = outer(inner, begins ? loop->block : loop->regions[loop->code == OP_while]);
        all = all && never_negative(x, from[i], depth);
    }
    x->inner = inner;
    x->ncarried--;
    return all;
}

/* Rounds of a `while` are only those where it is more than what is not negative. */
static bool is_above_by_condition(Begin *x, const Value *v, int depth)
{
    if (!dtype_is_signed(v->type->dtype))
        return false;
    for (const Block *b = x->inner; b->owner; b = b->owner->block) {
        const Op *loop = b->owner, *test;
        if (loop->code != OP_while || b != loop->regions[1])
            continue;
        test = loop->regions[0]->last->operands[0]->def;
        for (int i = 0; test && i < 2; i++) {
            if (test->code == (i == 0 ? OP_gt : OP_lt) && test->operands[i] == v &&
                never_negative(x, test->operands[1 - i], depth))
                return true;
        }
    }
    return false;
}

/* Such loops nothing else copies ahead.  Elsewhere all warps do, and a producer beside them has
 * cost more than it brought: of masked attention, 64 rows by four warps, a second program no longer
 * fits beside five, and an H200 takes 874 us for 710. */
static bool stands_in_while(const Block *b)
{
    while (b->owner && b->owner->code != OP_while)
        b = b->owner->block;
    return b->owner != NULL;
}

static bool is_number_from_zero(Begin *x, const Value *v, int depth)
{
    int param = v->def ? -1 : nv_parameter_of(x->plan, &(PolyAtom){v, 0});

    if (param >= 0 && param < 64 && dtype_is_signed(v->type->dtype) && x->may_assume) {
        *x->assumed |= UINT64_C(1) << param;
        return true;
    }
    return is_loop_from_zero(x, v, depth) || is_carried_from_zero(x, v, depth);
}

/* n - x % n */
static bool is_rest(const Op *sub)
{
    const Op *rem = sub->operands[1]->def;

    return rem && rem->code == OP_rem && rem->operands[1] == sub->operands[0];
}

/* As the value says that it is made. */
static bool is_made_from_zero(Begin *x, const Value *v, int depth)
{
    const Op *op = v->def;

    switch (op->code) {
    case OP_program_id:
    case OP_num_programs:
        return true;
    case OP_cast:
    case OP_div: /* by what is positive */
    case OP_rem:
    case OP_shr:
        return dtype_is_signed(op->operands[0]->type->dtype) &&
               never_negative(x, op->operands[0], depth);
    case OP_add:
    case OP_mul:
    case OP_min:
        return never_negative(x, op->operands[0], depth) &&
               never_negative(x, op->operands[1], depth);
    case OP_sub:
        return is_rest(op) && never_negative(x, op->operands[1], depth);
    default:
        return false;
    }
}

static bool never_negative(Begin *x, const Value *v, int depth)
{
    const Axis *axis = axis_of(x->plan->axis, v);
    uint64_t before = *x->assumed;

    if (axis->has_range && axis->lo >= 0)
        return true;
    if (depth >= DEPTH || ++x->scope.work > MOST_WORK)
        return false;
    if (is_above_by_condition(x, v, depth + 1))
        return true;
    bool is = v->def ? is_made_from_zero(x, v, depth + 1) : is_number_from_zero(x, v, depth + 1);
    if (!is)
        *x->assumed = before;
    return is;
}

static bool is_positive(Begin *x, const PolyTerm *t)
{
    for (int k = 0; k < t->count && t->scale > 0; k++) {
        if (t->of[k].value && !never_negative(x, t->of[k].value, 0))
            return false;
    }
    return t->scale > 0;
}

/* The counter of a loop upwards among the term's factors: where it begins; NULL: there is none. */
static const Value *begin_of_counter(const PolyTerm *t, PolyTerm *counter)
{
    for (int k = 0; k < t->count; k++) {
        const Value *v = t->of[k].value;
        const Op *loop = v && !v->def ? v->block->owner : NULL;
        int64_t step;
        *counter = (PolyTerm){1, 1, {t->of[k]}};
        if (loop && loop->code == OP_for && v->index == 0 &&
            value_const_signed(loop->operands[FOR_STEP], &step) && step > 0)
            return loop->operands[FOR_LO];
    }
    return NULL;
}

/* Least is what it is in the first rounds, if more of the counters is more of it: takes one counter
 * away.  False: there is none. */
static bool begin_round(Begin *x, Poly *at)
{
    for (int i = 0; i < at->count; i++) {
        PolyTerm counter, t = at->terms[i];
        Poly rest = {.count = 1}, lo, first;
        const Value *begin = begin_of_counter(&t, &counter);
        if (begin && poly_divide(&t, &counter, &rest.terms[0]) && is_positive(x, &rest.terms[0]) &&
            poly_of(&x->scope, begin, NULL, &lo) && poly_product(&rest, &lo, &first))
            return poly_add(at, &(Poly){1, {t}}, -1) && poly_add(at, &first, 1);
    }
    return false;
}

bool nv_begins_at_zero(NvPlan *p, const Op *access, const Poly *coordinate, uint64_t *assumed)
{
    Begin x = {.plan = p,
               .assumed = assumed,
               .may_assume = stands_in_while(access->block),
               .inner = access->block};
    Poly at = *coordinate;
    bool positive;

    do {
        positive = true;
        for (int i = 0; i < at.count; i++)
            positive = positive && is_positive(&x, &at.terms[i]);
    } while (!positive && begin_round(&x, &at));
    return positive;
}
