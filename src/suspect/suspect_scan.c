/*
 * suspect_scan.c - scans that begin anew in each round of a loop
 *
 * A row longer than a tile is scanned tile by tile, and each tile goes on with the sum of all that
 * lie in front of it: tl.cumsum(v) + carry, and carry += tl.sum(v) behind it.  Told where a loop
 * marches along a row (src/axis/march.c), and stores what scans give as it is.
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
        } else if (user->code != OP_cast || depth == 0 ||
                   !is_only_stored(s, user->results[0], scan, depth - 1)) {
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

static void look_at(Op *op, void *suspect)
{
    const Suspect *s = suspect;

    if (op->code == OP_store)
        look_at_places(s, op);
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
