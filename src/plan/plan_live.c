/*
 * plan_live.c - which rows, columns and elements along k of a product count
 *
 * Tiles go beyond the end of a matrix: a row of one that is cut into blocks of 16 rows, what a
 * product of 100 x 100 leaves for its last blocks of 32.  Rows and columns of a result that no
 * store lets through need not be multiplied.  Nor need elements along k for which both operands are
 * masked off, and zero.  How many there are is known when the program runs: of a comparison
 * `x < limit`, where x steps by one along the extent and limit is one number, as many elements hold
 * as limit is larger than the first x.
 *
 * A result is followed to its stores through sums that a loop carries, other products whose rows or
 * columns are its own, and what is done to each element; whatever else looks at it sees all.  All
 * its stores have the same comparison in their masks.  x and limit are computed in front of the
 * product, of scalars that are there.
 */
#include "plan_internal.h"

enum { MOST_VALUES = 200 /* that are followed */, MOST_BEHIND = 40 /* ops, of a number */ };

/* --- comparisons --- */

Value *plan_counted(const Value *v)
{
    return v->def->operands[v->def->code == OP_lt ? 0 : 1];
}

Value *plan_limit(const Value *v)
{
    return v->def->operands[v->def->code == OP_lt ? 1 : 0];
}

int64_t plan_steps(const Plan *p, const Value *v)
{
    const Axis *a = v->type->rank > 0 ? axis_of(p->axis, v) : NULL;
    int64_t n = 1;

    for (int d = 0; d < v->type->rank; d++)
        n *= a->constancy[d] == v->type->dims[d] ? 1 : v->type->dims[d];
    return n - 1;
}

static bool is_known(const Value *v, int most, IsThere *is_there, const void *ctx)
{
    const Op *op = v->def;

    if (v->type->rank == 0)
        return (op && op->code == OP_const) || is_there(ctx, v);
    if (!op || most == 0 || (v->type->dtype != DT_I32 && v->type->dtype != DT_I64))
        return false;
    if (op->code == OP_const || op->code == OP_arange)
        return true;
    bool moves = op_has(op, MOVES) && op->code != OP_slice;
    if (!moves && !(op_is_elementwise(op) && op_has(op, PURE)))
        return false;
    for (int i = 0; i < op->noperands; i++) {
        if (!is_known(op->operands[i], most - 1, is_there, ctx))
            return false;
    }
    return true;
}

bool plan_can_count(const Value *v, IsThere *is_there, const void *ctx)
{
    if (!v->def || (v->def->code != OP_lt && v->def->code != OP_gt))
        return false;
    return is_known(plan_counted(v), MOST_BEHIND, is_there, ctx) &&
           is_known(plan_limit(v), MOST_BEHIND, is_there, ctx);
}

bool plan_holds_by_ends(const Value *v, IsThere *is_there, const void *ctx)
{
    return v->def && is_known(v->def->operands[0], MOST_BEHIND, is_there, ctx) &&
           is_known(v->def->operands[1], MOST_BEHIND, is_there, ctx);
}

typedef struct {
    const Plan *plan;
    const Op *dot;
} Before;

/* Has it been computed where the product is? */
static bool is_before(const void *ctx, const Value *v)
{
    const Before *b = ctx;
    const Block *around = b->dot->block;

    while (around && around != v->block)
        around = around->owner ? around->owner->block : NULL;
    return around &&
           (!v->def || b->plan->facts[v->id].order < b->plan->facts[b->dot->results[0]->id].order);
}

/* Does it step by one along the dimension that the map calls `dim`, and by nothing else? */
static bool steps_by_one(const Plan *p, const Value *v, const int8_t *map, int dim, int extent)
{
    const Axis *a = axis_of(p->axis, v);
    bool steps = false;

    for (int d = 0; d < v->type->rank; d++) {
        if (v->type->dims[d] == 1)
            continue;
        if (map[d] != dim || v->type->dims[d] != extent || a->contiguity[d] != extent)
            return false;
        steps = true;
    }
    return steps;
}

/* A mask of which a dimension goes along an extent of a product. */
typedef struct {
    Value *value;
    int8_t map[MAX_RANK];
    int dim, extent;
} Mask;

static bool counts(const Plan *p, const Mask *m, const Op *dot)
{
    const Value *v = m->value;
    Before b = {p, dot};

    return plan_can_count(v, is_before, &b) && plan_counted(v)->type->rank > 0 &&
           steps_by_one(p, plan_counted(v), m->map, m->dim, m->extent) &&
           plan_steps(p, plan_limit(v)) == 0;
}

typedef VEC(Value *) Values;

/* The comparisons of a mask that count along the extent. */
static void find_counts(const Plan *p, Mask m, const Op *dot, int most, Values *found)
{
    Mask in = m;

    if (most == 0)
        return;
    in.value = access_renamed(m.value, m.map, in.map);
    if (in.value) {
        find_counts(p, in, dot, most - 1, found);
    } else if (m.value->def && m.value->def->code == OP_and) {
        for (int i = 0; i < 2; i++) {
            in = m;
            in.value = m.value->def->operands[i];
            find_counts(p, in, dot, most - 1, found);
        }
    } else if (counts(p, &m, dot)) {
        vec_push(p->arena, found, m.value);
    }
}

static Mask whole_mask(Value *v, int dim)
{
    Mask m = {.value = v, .dim = dim, .extent = v->type->dims[dim]};

    for (int d = 0; d < MAX_RANK; d++)
        m.map[d] = (int8_t)d;
    return m;
}

/* --- rows and columns --- */

typedef struct {
    const Plan *plan;
    const Op *dot;
    int dim; /* of the result, and of all that is followed */
    Map *seen;
    Values todo;
    Values by; /* comparisons that the masks of all stores so far have */
    bool stored;
} Following;

static void follow(Following *f, Value *v)
{
    if (map_get(f->seen, MAP_KEY(v)))
        return;
    map_put(f->seen, MAP_KEY(v), f);
    vec_push(f->plan->arena, &f->todo, v);
}

static bool has_value(const Values *in, const Value *v)
{
    for (int i = 0; i < in->len; i++) {
        if (in->at[i] == v)
            return true;
    }
    return false;
}

static bool is_let_through(Following *f, const Op *store)
{
    Values found = {0}, both = {0};

    if (store->noperands <= STORE_MASK || !store->operands[STORE_MASK])
        return false;
    find_counts(f->plan, whole_mask(store->operands[STORE_MASK], f->dim), f->dot, MOST_BEHIND,
                &found);
    for (int i = 0; i < found.len; i++) {
        if (!f->stored || has_value(&f->by, found.at[i]))
            vec_push(f->plan->arena, &both, found.at[i]);
    }
    f->by = both;
    f->stored = true;
    return both.len > 0;
}

/* Rows of a are those of the result, and columns of b. */
static bool goes_through_dot(const Following *f, const Use *u)
{
    return u->operand == DOT_ACC || (u->operand == DOT_A && f->dim == 0) ||
           (u->operand == DOT_B && f->dim == 1);
}

/* What takes it has the same rows and columns; false: something sees all of it. */
static bool follow_use(Following *f, const Use *u)
{
    Op *op = u->op;

    if (op->code == OP_store)
        return u->operand == STORE_DATA && is_let_through(f, op);
    if (op->code == OP_for) {
        follow(f, op->regions[0]->args[u->operand - FOR_BOUNDS + 1]);
        follow(f, op->results[u->operand - FOR_BOUNDS]);
        return true;
    }
    if (op->code == OP_yield) {
        Op *owner = op->block->owner;
        if (!owner || (owner->code != OP_for && owner->code != OP_if))
            return false;
        if (owner->code == OP_for)
            follow(f, owner->regions[0]->args[u->operand + 1]);
        follow(f, owner->results[u->operand]);
        return true;
    }
    if (op->code == OP_dot ? !goes_through_dot(f, u) : !(op_is_elementwise(op) && op_has(op, PURE)))
        return false;
    follow(f, op->results[0]);
    return true;
}

static Value *live_along(const Plan *p, const Op *dot, int dim)
{
    Following f = {.plan = p, .dot = dot, .dim = dim, .seen = map_new(p->arena)};
    int values = 0;

    follow(&f, dot->results[0]);
    while (f.todo.len > 0) {
        const Value *v = f.todo.at[--f.todo.len];
        const Use *uses = uses_of(&p->uses, v);
        for (int i = 0; i < uses_count(&p->uses, v); i++) {
            if (values++ > MOST_VALUES || !follow_use(&f, &uses[i]))
                return NULL;
        }
    }
    return f.by.len > 0 ? f.by.at[0] : NULL;
}

/* --- along k --- */

static bool is_zero(const Value *v)
{
    uint64_t bits;

    return value_constant(v, &bits) && bits == 0;
}

/* The comparisons of the load that an operand is, which is zero where they do not hold. */
static void find_in_operand(const Plan *p, const Op *dot, int operand, Values *found)
{
    const Value *v = dot->operands[operand];
    int dim = operand == DOT_A ? 1 : 0;
    Op *op = v->def;

    while (op && (op->code == OP_cast || op->code == OP_permute)) {
        if (op->code == OP_permute)
            dim = 1 - dim;
        v = op->operands[0];
        op = v->def;
    }
    if (!op || op->code != OP_load || v->type->rank != 2 || op->noperands <= LOAD_MASK ||
        !op->operands[LOAD_MASK])
        return;
    if (op->noperands > LOAD_OTHER && op->operands[LOAD_OTHER] &&
        !is_zero(op->operands[LOAD_OTHER]))
        return;
    find_counts(p, whole_mask(op->operands[LOAD_MASK], dim), dot, MOST_BEHIND, found);
}

/* Without other names. */
static const Value *original(const Value *v)
{
    while (v->def && op_has(v->def, MOVES) && v->def->code != OP_slice)
        v = v->def->operands[0];
    return v;
}

static bool counts_same(const Value *v, const Value *w)
{
    return original(plan_counted(v)) == original(plan_counted(w)) &&
           original(plan_limit(v)) == original(plan_limit(w));
}

bool plan_cuts(const Plan *p, const Op *dot, Value *mask, const Value *v, Value *const live[2])
{
    bool cuts = false;

    for (int dim = 0; dim < 2; dim++) {
        Values found = {0};
        find_counts(p, whole_mask(mask, dim), dot, MOST_BEHIND, &found);
        if (!has_value(&found, v))
            continue;
        if (!live[dim] || !counts_same(v, live[dim]))
            return false;
        cuts = true;
    }
    return cuts;
}

static Value *live_depth(const Plan *p, const Op *dot)
{
    Values a = {0}, b = {0};

    find_in_operand(p, dot, DOT_A, &a);
    find_in_operand(p, dot, DOT_B, &b);
    for (int i = 0; i < a.len; i++) {
        for (int k = 0; k < b.len; k++) {
            if (counts_same(a.at[i], b.at[k]))
                return a.at[i];
        }
    }
    return NULL;
}

void plan_live(const Plan *p, const Op *dot, DotPlan *d)
{
    if (p->options->debug || dot->results[0]->type->rank != 2)
        return;
    d->live[LIVE_ROWS] = live_along(p, dot, 0);
    d->live[LIVE_COLUMNS] = live_along(p, dot, 1);
    d->live[LIVE_DEPTH] = live_depth(p, dot);
}
