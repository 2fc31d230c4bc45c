/*
 * suspect_scan.c - scans that begin anew in each round of a loop
 *
 * A row longer than a tile is scanned tile by tile, and each tile goes on with the sum of all that
 * lie in front of it: tl.cumsum(v) + carry, and carry += tl.sum(v) behind it.  Told where a loop
 * marches along a row (src/axis/march.c), and stores what scans give as it is.
 *
 * carry += tl.sum(c), of what the scan has given, and carry += tl.max(v) are other totals than
 * that.
 *
 * tl.store(out + tl.cumsum(flag), v, mask=flag) packs what has the flag from element 1 on: the sum
 * up to an element counts that one, too.
 */
#include "suspect.h"

enum { DEEPEST = 8 };

static bool is_scan(const Op *op)
{
    return op->code == OP_scan && op->noperands == 1;
}

/* The load of the elements that are scanned, as they are or as another type. */
static const Op *load_of(const Value *v)
{
    const Op *op = ir_uncast(v)->def;

    return op && op_only_reads(op) ? op : NULL;
}

static bool marches_along(const Op *access, const Op *loop, const Type *tile, int axis)
{
    const Value *index = axis_march(access->operands[ir_access(access).pointer], loop);

    return index && index->type->dims[0] == tile->dims[axis];
}

/* A sum with what is the same in all rounds, as with a total that none of them changes. */
static bool adds_same(const Op *op, const Value *v, const Op *loop)
{
    const Value *other = op->operands[op->operands[0] == v];
    uint64_t bits;

    return op->code == OP_add && value_constant(other, &bits) && tell_loop_around(op) == loop;
}

/* Do all of its users store it, where the loop marches? */
static bool is_only_stored(const Suspect *s, const Value *v, const Op *scan, int depth)
{
    const UseLists *uses = tell_uses(s);
    int n = uses_count(uses, v);

    for (int i = 0; i < n; i++) {
        const Op *user = uses_of(uses, v)[i].op;
        if (user->code == OP_store && user->operands[STORE_DATA] == v) {
            if (!marches_along(user, tell_loop_around(scan), v->type, attr_axis(scan)))
                return false;
        } else if ((user->code != OP_cast && !adds_same(user, v, tell_loop_around(scan))) ||
                   depth == 0 || !is_only_stored(s, user->results[0], scan, depth - 1)) {
            return false;
        }
    }
    return n > 0;
}

/* --- places by an inclusive sum --- */

/* Of a condition, as a number. */
static const Value *condition_of(const Value *v)
{
    v = ir_uncast(v);
    return v->type->dtype == DT_I1 && v->type->rank == 1 ? v : NULL;
}

static bool is_part_of(const Value *mask, const Value *condition, int depth)
{
    const Op *op = mask->def;

    return ir_same(mask, condition, DEEPEST) ||
           (op && depth > 0 && op->code == OP_and &&
            (is_part_of(op->operands[0], condition, depth - 1) ||
             is_part_of(op->operands[1], condition, depth - 1)));
}

/* tl.store(out + tl.cumsum(flag), v, mask=flag) */
static void look_at_places(const Suspect *s, const Op *store)
{
    const Op *address = store->operands[STORE_PTR]->def;
    const Value *mask = op_operand(store, STORE_MASK);
    const Op *scan =
        mask && address && address->code == OP_addptr ? ir_uncast(address->operands[1])->def : NULL;

    if (!scan || !is_scan(scan) || attr_reverse(scan) || ir_combine_code(scan) != OP_add ||
        ir_bare(address->operands[0])->def)
        return;
    const Value *condition = condition_of(scan->operands[0]);
    if (condition && is_part_of(mask, condition, DEEPEST))
        tell_warn(s, store, "out + tl.cumsum(flag) - 1, or - flag",
                  "the first place that this stores to is element 1: a sum up to an element "
                  "counts that one, too");
}

/* --- a total that grows by more than the tile --- */

/* The scan that it is a sum of, by elements; NULL: it is none.  *total: the value is among them. */
static const Op *scan_in(const Value *v, const Value *was, bool *total, int depth)
{
    const Op *op = ir_bare(v)->def, *found = NULL;

    *total |= ir_bare(v) == was;
    if (!op || depth == 0)
        return NULL;
    if (is_scan(op))
        return op;
    for (int i = 0; i < op->noperands && op->code == OP_add; i++) {
        const Op *scan = scan_in(op->operands[i], was, total, depth - 1);
        found = found ? found : scan;
    }
    return found;
}

typedef struct {
    const Value *was;
    bool found;
} GoesOn;

static void look_for_scan(Op *op, void *goes_on)
{
    GoesOn *g = goes_on;
    bool total = false;

    g->found |= op->code == OP_add && scan_in(op->results[0], g->was, &total, DEEPEST) && total;
}

/* carry += tl.sum(c), or tl.max(v), of c = tl.cumsum(v) + carry */
static void look_at_total(const Suspect *s, const Op *loop, int i)
{
    const Value *was = loop->regions[0]->args[1 + i];
    const Op *sum = opt_last(loop->regions[0])->operands[i]->def;
    GoesOn g = {.was = was};

    if (!sum || sum->code != OP_add)
        return;
    const Value *added = sum->operands[ir_bare(sum->operands[0]) == was];
    const Op *reduce = ir_bare(added)->def;
    bool has_total = ir_bare(sum->operands[0]) == was || ir_bare(sum->operands[1]) == was;
    bool total = false;
    if (!has_total || !ir_reduces(reduce) || reduce->noperands != 1)
        return;
    const Op *scan = scan_in(reduce->operands[0], was, &total, DEEPEST);
    bool is_sum = ir_combine_code(reduce) == OP_add;
    ir_walk(loop->regions[0], look_for_scan, &g);
    if (!g.found || (is_sum ? scan == NULL : scan && !total))
        return;
    tell_warn(s, sum, "carry += tl.sum(v), of the elements that are scanned",
              is_sum || total ? "this grows by a %s of what the scan has added up already"
                              : "this grows by a %s of a tile, and the scan goes on from its sum",
              is_sum ? "sum" : "greatest or least");
}

static void look_at(Op *op, void *suspect)
{
    const Suspect *s = suspect;

    if (op->code == OP_store)
        look_at_places(s, op);
    for (int i = 0; op->code == OP_for && i < op->nresults; i++)
        look_at_total(s, op, i);
    const Op *loop = is_scan(op) ? tell_loop_around(op) : NULL;
    const Op *load = loop ? load_of(op->operands[0]) : NULL;

    if (load && marches_along(load, loop, op->operands[0]->type, attr_axis(op)) &&
        is_only_stored(s, op->results[0], op, DEEPEST))
        tell_warn(s, op, "tl.cumsum(v) + carry, and carry += tl.sum(v) at the end of the round",
                  "this begins anew in each round of the loop, whose tiles lie one behind the "
                  "other");
}

void suspect_scan(const Suspect *s)
{
    if (tell_any(s, is_scan))
        ir_walk(s->func->body, look_at, (void *)s);
}
