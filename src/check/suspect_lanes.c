/*
 * suspect_lanes.c - two lanes of one store at one address
 *
 * Which of two values stays where lanes of a store share an address is not said; what both add to
 * what they found there counts once.  Told here where the program alone shows it:
 *   - the address stays while an index moves, i // 2 or all of a dimension, and the value does not;
 *   - h[b] = h[b] + 1, by load and store, where b is data: a histogram that counts no lane twice.
 * The rest is found by --check (check_value.c).
 *
 * Nothing is said where a mask may choose among such lanes: one that is more than bounds.
 */
#include "suspect.h"

enum { SAME_DEPTH = 12, DEEPEST_SUM = 12, DEEPEST = 30 };

/* --- an address that stays --- */

/* Made of comparisons of an index with a bound that is no number: it leaves on all lanes but the
 * last ones. */
static bool is_bounds(const Value *mask, int depth)
{
    const Op *op = ir_unmoved(mask)->def;
    int64_t c;

    if (!op || depth == 0)
        return false;
    if (op->code == OP_and)
        return is_bounds(op->operands[0], depth - 1) && is_bounds(op->operands[1], depth - 1);
    return (op->code == OP_lt || op->code == OP_le) && !value_const_int(op->operands[1], &c);
}

/* How a value follows an index: not at all, the same for neighbours, or any way. */
typedef enum { STAYS, SHARED, VARIES } Way;

/* x // 2, of what steps by one: neighbours get the same, wherever it begins. */
static bool is_quotient(const AxisFacts *facts, const Op *op, int d)
{
    int64_t c;

    if ((op->code != OP_div && op->code != OP_shr) || !opt_is_int(op->operands[0]) ||
        !value_const_int(op->operands[1], &c))
        return false;
    const Axis *x = axis_of(facts, op->operands[0]);
    return x && x->contiguity[d] > 2 && c >= (op->code == OP_div ? 2 : 1);
}

static Way way_along(const AxisFacts *facts, const Value *v, int d, int depth);

static Way way_of_move(const AxisFacts *facts, const Op *op, int d, int depth)
{
    const Type *in = op->operands[0]->type;
    Move m;

    if (!op_renames(op, &m))
        return VARIES;
    for (int k = 0; k < in->rank; k++) {
        if (m.follows[k] == d && in->dims[k] > 1)
            return way_along(facts, op->operands[0], k, depth - 1);
    }
    return STAYS;
}

static Way way_along(const AxisFacts *facts, const Value *v, int d, int depth)
{
    const Op *op = v->def;
    uint64_t bits;
    Way way = STAYS;

    if (v->type->rank == 0 || v->type->dims[d] == 1 || value_constant(v, &bits))
        return STAYS;
    if (!op || depth == 0)
        return VARIES;
    if (op->code == OP_splat)
        return STAYS;
    if (op_has(op, MOVES))
        return way_of_move(facts, op, d, depth);
    if (is_quotient(facts, op, d))
        return SHARED;
    if (!op_has(op, FOLDS) && op->code != OP_addptr && !op_only_reads(op))
        return VARIES;
    for (int i = 0; way != VARIES && i < op->noperands; i++)
        way = MAX(way, way_along(facts, op->operands[i], d, depth - 1));
    return way;
}

/* The dimension along which neighbours have one address and values of their own; -1. */
static int shared_dimension(const AxisFacts *facts, const Op *store)
{
    const Value *p = store->operands[STORE_PTR], *data = store->operands[STORE_DATA];

    for (int d = 0; d < p->type->rank; d++) {
        if (p->type->dims[d] > 1 && way_along(facts, p, d, DEEPEST) != VARIES &&
            way_along(facts, data, d, DEEPEST) == VARIES)
            return d;
    }
    return -1;
}

static bool tell_shared(const Suspect *s, const AxisFacts *facts, const Op *store)
{
    int d = shared_dimension(facts, store);

    if (d < 0 || (store->noperands > STORE_MASK && !is_bounds(store->operands[STORE_MASK], 4)))
        return false;
    suspect_warn(s, store,
                 "reduce the values first, or give each lane an address of its own; tl.atomic_add "
                 "adds them up",
                 "lanes of this store that follow each other along dimension %d have one address "
                 "and different values: which one stays is not said",
                 d);
    return true;
}

/* --- a sum at an address that is data --- */

static bool is_data(const Value *v, int depth)
{
    const Op *op = v->def;

    if (!op || depth == 0)
        return false;
    if (op_only_reads(op))
        return v->type->rank > 0;
    for (int i = 0; i < op->noperands && (op_has(op, FOLDS) || op_has(op, MOVES)); i++) {
        if (is_data(op->operands[i], depth - 1))
            return true;
    }
    return false;
}

/* The same for all lanes? */
static bool is_uniform(const Value *v)
{
    uint64_t bits;

    v = ir_uncast(v);
    return value_constant(v, &bits) || (v->def && v->def->code == OP_splat);
}

/* Does it add one number for all lanes to what was loaded from these addresses? */
static bool counts_there(const Value *data, const Value *p)
{
    const Op *sum = ir_uncast(data)->def;

    if (!sum || sum->code != OP_add)
        return false;
    for (int i = 0; i < 2; i++) {
        const Op *load = ir_uncast(sum->operands[i])->def;
        if (load && op_only_reads(load) && is_uniform(sum->operands[1 - i]) &&
            ir_same(load->operands[ir_access(load).pointer], p, SAME_DEPTH))
            return true;
    }
    return false;
}

static void tell_count(const Suspect *s, const Op *store)
{
    const Value *p = store->operands[STORE_PTR];

    if (!p->def || p->def->code != OP_addptr || !is_data(p->def->operands[1], DEEPEST_SUM) ||
        !counts_there(store->operands[STORE_DATA], p))
        return;
    suspect_warn(s, store, "tl.atomic_add(pointer, 1) counts each of them; so does tl.histogram",
                 "lanes whose index is the same count once here: all of them add to what was there "
                 "before");
}

static bool stores_tile(const Op *op)
{
    return op->code == OP_store && type_numel(op->operands[STORE_PTR]->type) > 1;
}

static void look_at(Op *op, void *suspect)
{
    const Suspect *s = suspect;

    if (stores_tile(op) && !tell_shared(s, suspect_axis(s), op))
        tell_count(s, op);
}

void suspect_lanes(const Suspect *s)
{
    ir_walk(s->func->body, look_at, (void *)s);
}
