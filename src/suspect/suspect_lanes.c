/*
 * suspect_lanes.c - two lanes of one store at one address
 *
 * Which of two values stays where lanes of a store share an address is not said; what both add to
 * what they found there counts once.  Told here where the program alone shows it:
 *   - the address stays while an index moves, i // 2 or all of a dimension, and the value does not;
 *   - h[b] = h[b] + 1, by load and store, where b is data: a histogram that counts no lane twice.
 *   - tl.atomic_add of one value for all lanes to one address for all of them, without a mask: it
 *     is added as often as the tile has lanes.  Of a constant these are counted.
 * The rest is found by --check (check_value.c).
 *
 * Nothing is said where a mask may choose among such lanes: one that is more than bounds.
 */
#include "suspect.h"

enum { SAME_DEPTH = 12, DEEPEST_SUM = 12 };

/* --- an address that stays --- */

static bool tell_shared(const Suspect *s, const AxisFacts *facts, const Op *store)
{
    int d = opt_shared_lanes(facts, store);

    if (d < 0)
        return false;
    tell_warn(s, store,
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
    tell_warn(s, store, "tl.atomic_add(pointer, 1) counts each of them; so does tl.histogram",
              "lanes whose index is the same count once here: all of them add to what was there "
              "before");
}

/* --- one sum, added by each lane --- */

static bool is_splat(const Value *v)
{
    while (v->def && (v->def->code == OP_broadcast || v->def->code == OP_cast ||
                      v->def->code == OP_reshape || v->def->code == OP_expand))
        v = v->def->operands[0];
    if (v->def && v->def->code == OP_addptr)
        return is_splat(v->def->operands[0]) && is_splat(v->def->operands[1]);
    if (v->def && (v->def->code == OP_add || v->def->code == OP_mul))
        return is_splat(v->def->operands[0]) && is_splat(v->def->operands[1]);
    return v->type->rank == 0 || is_uniform(v);
}

static void tell_added_by_all(const Suspect *s, const Op *op)
{
    const OpAccess a = ir_access(op);
    const Value *p = op->operands[a.pointer], *data = op->operands[a.data];
    uint64_t bits;

    if (attr_rmw_kind(op) != RMW_ADD || type_numel(p->type) < 2 || op_operand(op, a.mask) ||
        value_constant(ir_bare(data), &bits) || !is_splat(p) || !is_splat(data))
        return;
    tell_warn(s, op, "give tl.atomic_add the pointer and the number themselves, which are no tiles",
              "all %lld lanes add the same to one element: it is added as often",
              (long long)type_numel(p->type));
}

static bool stores_tile(const Op *op)
{
    return op->code == OP_store && type_numel(op->operands[STORE_PTR]->type) > 1;
}

static void look_at(Op *op, void *suspect)
{
    const Suspect *s = suspect;

    if (op->code == OP_atomic_rmw)
        tell_added_by_all(s, op);
    if (stores_tile(op) && !tell_shared(s, tell_axis(s), op))
        tell_count(s, op);
}

void suspect_lanes(const Suspect *s)
{
    ir_walk(s->func->body, look_at, (void *)s);
}
