/*
 * suspect_local.c - indices that count from where a round's tile begins
 *
 * A loop that goes through keys tile by tile loads them by j + i, and a causal mask that compares
 * i alone with the rows of the program is that of the first round in all of them.  Told is, in a
 * loop that marches along i (src/axis/march.c),
 *   - a comparison or a difference of i with an index of the program, pid * BLOCK +
 *     tl.arange(..), and whether i equals what was loaded in front of the loop, as a label;
 *   - tl.argmax of a round's tile that is kept for behind the loop without j; of a tile that begins
 *     at pid * BLOCK, too, where it is stored without that, and a mask compares pid * BLOCK + i:
 *     without one it may be a row, in which the place is meant to count.
 *
 * So is tl.where(i == label, v - 1, v) of a v that such a loop loads, and a comparison of values
 * with the place of the greatest among them, or of places with the greatest value.
 *
 * Nothing is said where both sides count within the round, as in a chunk on the diagonal, nor of
 * limits, i < n - j.
 */
#include "suspect.h"

enum { DEEPEST = 24, SAME_DEPTH = 12 };

/* --- comparisons --- */

typedef struct {
    bool program, range, loaded, others;
} Parts;

static void find_parts(const Value *v, Parts *p, int depth)
{
    const Op *op = v->def;

    if (!op || depth == 0) {
        p->others |= depth == 0;
        return;
    }
    p->program |= op->code == OP_program_id;
    p->range |= op->code == OP_arange;
    p->loaded |= op_only_reads(op);
    for (int i = 0; i < op->noperands && (op_has(op, FOLDS) || op_has(op, MOVES)); i++)
        find_parts(op->operands[i], p, depth - 1);
}

/* Does a load of the loop march along that tl.arange? */
typedef struct {
    const Op *loop;
    const Value *index; /* that it is to be */
    bool same_name;     /* .. by name, not just by its extent */
    bool found;
} Marching;

static void note_march(Op *op, void *marching)
{
    Marching *m = marching;

    if (m->found || !op_only_reads(op))
        return;
    const Value *index = axis_march(op->operands[ir_access(op).pointer], m->loop);
    m->found = index && (m->same_name ? index == m->index : ir_same(index, m->index, SAME_DEPTH));
}

static bool marches_along(const Op *loop, const Value *index, bool same_name)
{
    Marching m = {loop, index, same_name, false};

    ir_walk(loop->regions[0], note_march, &m);
    return m.found;
}

static bool is_arange(const Value *v)
{
    return v->def && v->def->code == OP_arange;
}

/* --- the place of the greatest --- */

/* The tl.argmax or tl.argmin whose index it is, as it is; NULL: it is another one. */
static const Op *place_of_winner(const Value *v)
{
    const Op *op = ir_bare(v)->def;

    if (!op || !ir_reduces(op) || op->noperands != 2 || ir_bare(v) != op->results[1] ||
        ir_combine_kind(op).winner == OP_COUNT || !is_arange(ir_bare(op->operands[1])))
        return NULL;
    return op;
}

/* A load of the tile that marches along as many elements as were numbered. */
static bool is_loaded_marching(const Value *v, const Op *loop, int extent, int depth)
{
    const Op *op = v->def;

    if (!op || depth == 0 || !tell_is_inside(v, loop))
        return false;
    if (op_only_reads(op)) {
        const Value *index = axis_march(op->operands[ir_access(op).pointer], loop);
        return index && index->type->dims[0] == extent;
    }
    for (int i = 0; i < op->noperands; i++) {
        if ((op_has(op, FOLDS) || op_has(op, MOVES) || op->code == OP_dot) &&
            is_loaded_marching(op->operands[i], loop, extent, depth - 1))
            return true;
    }
    return false;
}

/* Does tl.where choose by the comparison among elements of a tile that marches along? */
static bool chooses_marching(const Suspect *s, const Op *compare, const Op *loop)
{
    const Value *v = compare->results[0];
    const UseLists *uses = tell_uses(s);

    for (int i = 0; v->type->rank == 1 && i < uses_count(uses, v); i++) {
        const Op *choice = uses_of(uses, v)[i].op;
        if (choice->code == OP_select && choice->operands[0] == v &&
            (is_loaded_marching(choice->operands[1], loop, v->type->dims[0], DEEPEST) ||
             is_loaded_marching(choice->operands[2], loop, v->type->dims[0], DEEPEST)))
            return true;
    }
    return false;
}

static void look_at_pair(const Suspect *s, const Op *op)
{
    bool equal = op->code == OP_eq || op->code == OP_ne;
    const Op *loop = tell_loop_around(op);

    if (!loop || !opt_is_int(op->operands[0]) || (!op_has(op, COMPARES) && op->code != OP_sub))
        return;
    for (int i = 0; i < 2; i++) {
        const Value *index = ir_bare(op->operands[i]), *other = op->operands[1 - i];
        Parts p = {false};
        if (!is_arange(index) || tell_is_moved(other, loop, DEEPEST))
            continue;
        find_parts(other, &p, DEEPEST);
        bool is_index = p.program && p.range && !p.others;
        bool is_number = equal && p.loaded && !p.others;
        if ((is_index && marches_along(loop, index, false)) ||
            (is_number && (marches_along(loop, index, true) || chooses_marching(s, op, loop))))
            tell_warn(s, op, "add what the loop has reached: (start + offsets), as in the address",
                      "this index counts from where the tile of the round begins, and what it "
                      "is compared with does not");
    }
}

/* v == tl.argmax(v), and tl.arange(..) == tl.max(v) */
static void look_at_place(const Suspect *s, const Op *op)
{
    if (op->code != OP_eq && op->code != OP_ne)
        return;
    for (int i = 0; i < 2; i++) {
        const Op *place = place_of_winner(op->operands[i]);
        const Op *greatest = ir_bare(op->operands[i])->def;
        const Value *other = ir_bare(op->operands[1 - i]);
        if (place && other == ir_bare(place->operands[0]) && !is_arange(other))
            tell_warn(s, op, "compare the index of the elements with it: tl.arange(..) == place",
                      "this compares values with the place of the greatest or least of them");
        if (greatest && ir_reduces(greatest) && is_arange(other) &&
            ir_bare(op->operands[i]) == greatest->results[0] &&
            dtype_is_float(greatest->results[0]->type->dtype))
            tell_warn(s, op, "compare with tl.argmax(v, 0), or the values with tl.max(v, 0)",
                      "this compares places with a value that is the result of a reduction");
    }
}

static void look_at_carried(const Suspect *s, const Op *loop, int i)
{
    const Value *was = loop->regions[0]->args[1 + i];
    const Op *choice = ir_bare(opt_last(loop->regions[0])->operands[i])->def;

    if (!choice || choice->code != OP_select || uses_count(tell_uses(s), loop->results[i]) == 0)
        return;
    for (int k = 1; k <= 2; k++) {
        const Op *place = place_of_winner(choice->operands[k]);
        if (!place || ir_bare(choice->operands[3 - k]) != was)
            continue;
        const Type *t = place->operands[0]->type;
        if (is_loaded_marching(place->operands[0], loop, t->dims[attr_axis(place)], DEEPEST))
            tell_warn(s, place, "add what the loop has reached: start + tl.argmax(v, 0)",
                      "this index counts from where the tile of the round begins, and is kept "
                      "behind the loop without what tells the rounds apart");
    }
}

/* The place of the greatest within a program's tile, stored beside those of other programs. */
static void look_at_stored(const Suspect *s, const Op *store)
{
    const Op *place = place_of_winner(store->operands[STORE_DATA]);
    int64_t by;

    if (!place || !place->operands[0]->def || place->operands[0]->type->rank != 1)
        return;
    const Op *load = ir_bare(place->operands[0])->def;
    if (!load || !op_only_reads(load) || load->noperands <= LOAD_MASK)
        return;
    Parts mask = {false};
    find_parts(load->operands[LOAD_MASK], &mask, DEEPEST);
    const Value *index = axis_program_march(load->operands[LOAD_PTR], -1, &by);
    if (mask.program && index && by == index->type->dims[0])
        tell_warn(s, place, "add where the tile begins: pid * BLOCK + tl.argmax(v, 0)",
                  "this index counts from where the tile of the program begins, and is stored "
                  "without what tells the programs apart");
}

static void look_at(Op *op, void *suspect)
{
    const Suspect *s = suspect;

    if (op->code == OP_store)
        look_at_stored(s, op);
    if (op->noperands == 2) {
        look_at_pair(s, op);
        look_at_place(s, op);
    }
    for (int i = 0; op->code == OP_for && i < op->nresults; i++)
        look_at_carried(s, op, i);
}

static bool is_looked_at(const Op *op)
{
    return op->code == OP_for || ir_reduces(op);
}

void suspect_local(const Suspect *s)
{
    if (tell_any(s, is_looked_at))
        ir_walk(s->func->body, look_at, (void *)s);
}
