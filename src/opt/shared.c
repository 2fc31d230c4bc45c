/*
 * shared.c - lanes of a store that have one address and values of their own, as far as the program
 * alone shows it: the address stays while an index moves, i // 2 or all of a dimension
 *
 * Which of the values stays is not said.  Nothing is found where a mask may choose among such
 * lanes: one that is more than bounds.
 */
#include "../ir/analysis.h"
#include "opt.h"

enum { DEEPEST = 30, REMEMBERED = 512 };

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

/* What was found last of some values, by id: x // n and x % n in turns are 2^n paths. */
typedef struct {
    const AxisFacts *facts;
    struct {
        const Value *v;
        int d;
        Way way;
    } known[REMEMBERED];
} Search;

static Way way_along(Search *s, const Value *v, int d, int depth);

static Way way_of_move(Search *s, const Op *op, int d, int depth)
{
    const Type *in = op->operands[0]->type;
    Move m;

    if (!op_renames(op, &m))
        return VARIES;
    for (int k = 0; k < in->rank; k++) {
        if (m.follows[k] == d && in->dims[k] > 1)
            return way_along(s, op->operands[0], k, depth - 1);
    }
    return STAYS;
}

static Way find_way(Search *s, const Value *v, int d, int depth)
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
        return way_of_move(s, op, d, depth);
    if (is_quotient(s->facts, op, d))
        return SHARED;
    if (!op_has(op, FOLDS) && op->code != OP_addptr && !op_only_reads(op))
        return VARIES;
    for (int i = 0; way != VARIES && i < op->noperands; i++)
        way = MAX(way, way_along(s, op->operands[i], d, depth - 1));
    return way;
}

static Way way_along(Search *s, const Value *v, int d, int depth)
{
    int at = (int)((unsigned)v->id % REMEMBERED);

    if (s->known[at].v == v && s->known[at].d == d)
        return s->known[at].way;
    Way way = find_way(s, v, d, depth);
    s->known[at].v = v;
    s->known[at].d = d;
    s->known[at].way = way;
    return way;
}

bool opt_stores_most_lanes(const Op *store)
{
    return store->noperands <= STORE_MASK || is_bounds(store->operands[STORE_MASK], 4);
}

int opt_shared_lanes(const AxisFacts *facts, const Op *store)
{
    const Value *p = store->operands[STORE_PTR], *data = store->operands[STORE_DATA];
    Search s = {.facts = facts};

    if (!opt_stores_most_lanes(store))
        return -1;
    for (int d = 0; d < p->type->rank; d++) {
        if (p->type->dims[d] > 1 && way_along(&s, p, d, DEEPEST) != VARIES &&
            way_along(&s, data, d, DEEPEST) == VARIES)
            return d;
    }
    return -1;
}
