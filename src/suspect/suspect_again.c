/*
 * suspect_again.c - what is done twice, or for nothing
 *
 *   - v = tl.max(row, 0) in each round of a loop that changes nothing of the row, stored to another
 *     place each time, as where tl.where that was to take out the greatest got another name;
 *   - two stores to the same elements one behind the other, of which the first is lost;
 *   - two loads of the same elements, between which nothing is written: one of the two was to be of
 *     another array, or of another part of it;
 *   - a load of what was stored above, where what was there before was loaded, too;
 *   - sums over tiles that overlap: range(0, n, BLOCK // 2) with tl.arange(0, BLOCK), whose rounds
 *     add half of the elements twice, or range(0, n), which adds most of them BLOCK times;
 *   - products or sums of programs that all add to the same elements, where each begins with a tile
 *     of its own and goes on with those of the others.
 */
#include "suspect.h"

enum { DEEPEST = 24, SAME_DEPTH = 12, FURTHEST = 500 };

/* --- the same in each round --- */

static bool is_loaded(const Value *v, int depth)
{
    const Op *op = v->def;

    if (!op || depth == 0)
        return false;
    if (op_only_reads(op))
        return true;
    for (int i = 0; i < op->noperands; i++) {
        if ((op_has(op, FOLDS) || op_has(op, MOVES)) && is_loaded(op->operands[i], depth - 1))
            return true;
    }
    return false;
}

/* A reduction of a tile from outside of the loop. */
static void look_at_reduced(const Suspect *s, const Op *store)
{
    const Op *loop = tell_loop_around(store), *op = ir_bare(store->operands[STORE_DATA])->def;

    if (!loop || !ir_reduces(op) || !tell_is_inside(op->results[0], loop) ||
        !tell_is_moved(store->operands[STORE_PTR], loop, DEEPEST) ||
        !is_loaded(op->operands[0], DEEPEST))
        return;
    for (int i = 0; i < op->noperands; i++) {
        if (tell_is_moved(op->operands[i], loop, DEEPEST))
            return;
    }
    tell_warn(s, op,
              "what a round is to leave out, or to change, gets the name that the next one uses",
              "each round makes this of the same tile, and stores it to another place");
}

/* --- stores that are lost --- */

static bool same_mask(const Value *a, const Value *b)
{
    return a == b || (a && b && ir_same(a, b, SAME_DEPTH));
}

/* May anybody ask for it in between?  Loads of other arrays do not. */
static bool may_be_read(const Suspect *s, const Op *from, const Op *to)
{
    const PointerBases *bases = ir_pointer_bases(s->func, s->arena);
    uint64_t stored = ir_bases_of(bases, from->operands[STORE_PTR]);

    for (const Op *op = from->next; op && op != to; op = op->next) {
        bool is_apart =
            op->code == OP_load && (ir_bases_of(bases, op->operands[LOAD_PTR]) & stored) == 0;
        if (op_contains(op, READS | EFFECT) && !is_apart)
            return true;
    }
    return false;
}

typedef struct {
    const Value *pointer;
    bool found;
} LoadOf;

static void look_for_load(Op *op, void *load)
{
    LoadOf *l = load;

    l->found |= op->code == OP_load && ir_same(op->operands[LOAD_PTR], l->pointer, SAME_DEPTH);
}

/* Of elements that the kernel loads, too, as what an optimizer keeps. */
static void look_at_lost(const Suspect *s, const Op *store)
{
    LoadOf l = {store->operands[STORE_PTR], false};

    if (l.pointer->type->rank > 0 || s->func->module->unrolled.len == 0)
        ir_walk(s->func->body, look_for_load, &l);
    if (!l.found)
        return;
    for (const Op *op = store->next; op; op = op->next) {
        if (op->code != OP_store ||
            !ir_same(op->operands[STORE_PTR], store->operands[STORE_PTR], SAME_DEPTH) ||
            !same_mask(op_operand(op, STORE_MASK), op_operand(store, STORE_MASK)))
            continue;
        bool is_other = op->operands[STORE_DATA] != store->operands[STORE_DATA];
        if (is_other && !may_be_read(s, store, op))
            tell_warn(s, op, "is it the array, or the offset, of another store?",
                      "this stores to the elements that were stored before, and what was stored "
                      "there is lost");
        return;
    }
}

/* --- what was stored, instead of what was there --- */

static bool is_load_of(const Op *op, const Op *load)
{
    return op->code == OP_load &&
           ir_same(op->operands[LOAD_PTR], load->operands[LOAD_PTR], SAME_DEPTH);
}

static bool is_store_of(const Op *op, const Op *load)
{
    return op->code == OP_store &&
           ir_same(op->operands[STORE_PTR], load->operands[LOAD_PTR], SAME_DEPTH);
}

/* v = tl.load(p), tl.store(p, ..), tl.load(p): who has a name for what was there, and one for what
 * was stored, needs no load of either.  Where a store came first the array is one for results on
 * their way. */
static void look_at_back(const Suspect *s, const Op *load)
{
    bool stored = false, was_there = false;
    int ops = FURTHEST;

    if (load->results[0]->type->rank == 0 || op_is_volatile(load))
        return;
    for (const Op *op = load->prev; op && ops > 0; op = op->prev, ops--) {
        if (op->code != OP_store && op_contains(op, WRITES | EFFECT))
            break;
        if (is_store_of(op, load) && was_there)
            return;
        stored |= is_store_of(op, load);
        was_there |= stored && is_load_of(op, load);
    }
    if (was_there)
        tell_warn(s, load,
                  "load it in front of the store; what was stored there has a name already",
                  "this loads what was stored to the same elements above, and no longer what "
                  "was there when the kernel began");
}

/* --- two names for one load --- */

/* The name that was given what is loaded, as it is or converted; NULL: none. */
static Sym name_of(const Func *f, const Op *load)
{
    for (int i = 0; i < f->marks.len; i++) {
        const Mark *m = &f->marks.at[i];
        if (m->name && !m->text && m->nvalues == 1 && m->name[0] != '_' &&
            ir_bare(m->values[0]) == load->results[0])
            return m->name;
    }
    return NULL;
}

/* Nothing is said where lowering wrote out a loop: its rounds share what is at their edges. */
static void look_at_twin(const Suspect *s, const Op *load)
{
    if (load->results[0]->type->rank == 0 || op_is_volatile(load) ||
        s->func->module->unrolled.len > 0)
        return;
    for (const Op *op = load->next; op && !op_contains(op, WRITES | EFFECT); op = op->next) {
        bool same = op->code == OP_load && op->noperands == load->noperands;
        for (int i = 0; same && i < op->noperands; i++)
            same = ir_same(op->operands[i], load->operands[i], SAME_DEPTH);
        if (!same)
            continue;
        Sym first = name_of(s->func, load), second = name_of(s->func, op);
        if (first && second && first != second)
            tell_warn(s, op, "is one of the two at another offset, or of another array?",
                      "`%s` and `%s` are the same elements: both are loaded from one address",
                      first, second);
        return;
    }
}

/* --- tiles that overlap --- */

/* Is it added up over all of a tile? */
static bool is_summed(const Suspect *s, const Value *v, int depth)
{
    const UseLists *uses = tell_uses(s);

    for (int i = 0; i < uses_count(uses, v) && depth > 0; i++) {
        const Op *op = uses_of(uses, v)[i].op;
        if (ir_reduces(op) && op->noperands == 1)
            return ir_combine_code(op) == OP_add;
        if (op->nresults == 1 &&
            (op->code == OP_add || op->code == OP_cast || op->code == OP_fma) &&
            is_summed(s, op->results[0], depth - 1))
            return true;
        if (op->code == OP_yield && op->block->owner && op->block->owner->code == OP_for &&
            is_summed(s, op->block->owner->results[uses_of(uses, v)[i].operand], depth - 1))
            return true;
    }
    return false;
}

/* Does a total that the loop carries grow by it, as it is, by its sum, or by a power of it? */
static bool is_added(const Value *v, const Value *from, const Op *loop, int depth)
{
    const Op *op = v->def;

    if (v == from)
        return true;
    if (!op || depth == 0 || !tell_is_inside(v, loop))
        return false;
    for (int i = 0; i < op->noperands; i++) {
        if ((op_has(op, FOLDS) || op_has(op, MOVES) || ir_reduces(op)) &&
            is_added(op->operands[i], from, loop, depth - 1))
            return true;
    }
    return false;
}

/* Elements of tl.arange(0, E) from the counter on, where rounds are `step` < E apart. */
static bool overlaps(const Op *load, const Op *loop, int64_t *step, int *extent)
{
    const Value *p = load->operands[ir_access(load).pointer];
    const Value *counter = loop->regions[0]->args[0];
    const Value *index = NULL;
    bool counts = false;

    if (!value_const_signed(loop->operands[FOR_STEP], step) || *step < 1)
        return false;
    for (int depth = DEEPEST; depth > 0 && p->def; depth--) {
        const Op *op = p->def;
        if (op->code != OP_addptr && op->code != OP_add)
            break;
        for (int i = op->code == OP_addptr; i < op->noperands; i++) {
            const Value *v = ir_bare(op->operands[i]);
            const Op *sum = v->def;
            for (int k = 0; sum && sum->code == OP_add && k < 2; k++) {
                const Value *part = ir_bare(sum->operands[k]);
                index = part->def && part->def->code == OP_arange ? part : index;
                counts |= part == counter;
            }
            index = sum && sum->code == OP_arange ? v : index;
            counts |= v == counter;
        }
        p = ir_bare(op->operands[0]);
    }
    *extent = index ? index->type->dims[0] : 0;
    return counts && index && *step < *extent && *extent % *step == 0;
}

/* Is it made of the load alone, and of what is the same in all rounds?  Windows that go on one by
 * one are those of a filter, where each round has a weight of its own. */
static bool is_of_load(const Value *v, const Value *load, const Op *loop, int depth, int *left)
{
    const Op *op = v->def;

    if (v == load || !tell_is_inside(v, loop) || v->type->dtype == DT_I1)
        return true;
    if (!op || depth == 0 || --*left < 0 ||
        !(op_has(op, FOLDS) || op_has(op, MOVES) || ir_reduces(op)))
        return false;
    for (int i = 0; i < op->noperands; i++) {
        if (!is_of_load(op->operands[i], load, loop, depth - 1, left))
            return false;
    }
    return true;
}

static void look_at_overlap(const Suspect *s, const Op *load)
{
    const Op *loop = tell_loop_around(load);
    int64_t step;
    int extent;

    if (!loop || !overlaps(load, loop, &step, &extent))
        return;
    const Op *end = opt_last(loop->regions[0]);
    for (int i = 0; i < loop->nresults; i++) {
        const Op *sum = end->operands[i]->def;
        const Value *was = loop->regions[0]->args[1 + i];
        for (int k = 0; sum && sum->code == OP_add && k < 2; k++) {
            if (sum->operands[k] != was ||
                !is_added(sum->operands[1 - k], load->results[0], loop, DEEPEST) ||
                (step == 1 && !is_of_load(sum->operands[1 - k], load->results[0], loop, DEEPEST,
                                          &(int){FURTHEST})) ||
                (was->type->rank > 0 && !is_summed(s, loop->results[i], DEEPEST)))
                continue;
            tell_warn(s, load, "rounds as far apart as the tile is long: range(0, n, BLOCK)",
                      "rounds are %lld element%s apart, and each adds up %d: most of them are "
                      "counted more than once",
                      (long long)step, step == 1 ? "" : "s", extent);
            return;
        }
    }
}

/* --- programs that add the tiles of others --- */

typedef struct {
    const Op *load;
    const Value *pointer; /* of the atomic */
    int axis;
    const Op *loop; /* the load is in; NULL: in none */
    int64_t by;     /* programs are so many elements apart */
    const Value *index;
} Added;

static bool has_program(const Value *v, int axis, int depth)
{
    const Op *op = v->def;

    if (!op || depth == 0)
        return false;
    if (op->code == OP_program_id)
        return attr_axis(op) == axis;
    for (int i = 0; i < op->noperands; i++) {
        if (has_program(op->operands[i], axis, depth - 1))
            return true;
    }
    return false;
}

/* Loads that v is the sum, or the product, of. */
static void find_added(Added *a, const Value *v, int depth)
{
    const Op *op = v->def;

    if (!op || depth == 0 || a->load)
        return;
    if (op_only_reads(op)) {
        const Value *p = op->operands[ir_access(op).pointer];
        const Value *index = axis_program_march(p, a->axis, &a->by);
        const Op *loop = tell_loop_around(op);
        bool marches = index && loop && a->by == index->type->dims[0] &&
                       axis_march(p, loop) == index &&
                       !has_program(loop->operands[FOR_HI], a->axis, DEEPEST) &&
                       !has_program(loop->operands[FOR_LO], a->axis, DEEPEST);
        bool is_short = index && !loop && a->by > 1 && a->by < index->type->dims[0] &&
                        index->type->dims[0] % a->by == 0;
        if (marches || is_short) {
            a->load = op;
            a->loop = loop;
            a->index = index;
        }
        return;
    }
    for (int i = 0; op->code == OP_for && i < op->nresults; i++) {
        if (op->results[i] == v)
            find_added(a, opt_last(op->regions[0])->operands[i], depth - 1);
    }
    for (int i = 0; i < op->noperands && (op_has(op, FOLDS) || op_has(op, MOVES) ||
                                          ir_reduces(op) || op->code == OP_dot);
         i++)
        find_added(a, op->operands[i], depth - 1);
}

static bool is_reduced(const Value *v, int depth)
{
    const Op *op = v->def;

    if (!op || depth == 0)
        return false;
    if (ir_reduces(op) || op->code == OP_dot)
        return true;
    for (int i = 0; op->code == OP_for && i < op->nresults; i++) {
        if (op->results[i] == v)
            return is_reduced(opt_last(op->regions[0])->operands[i], depth - 1);
    }
    for (int i = 0; i < op->noperands; i++) {
        if ((op_has(op, FOLDS) || op_has(op, MOVES)) && is_reduced(op->operands[i], depth - 1))
            return true;
    }
    return false;
}

static void look_at_atomic(const Suspect *s, const Op *op)
{
    const Value *p = op->operands[RMW_PTR], *data = op->operands[RMW_DATA];

    for (int axis = 0; axis < 3 && is_reduced(data, DEEPEST); axis++) {
        Added a = {.axis = axis};
        if (has_program(p, axis, DEEPEST))
            continue;
        find_added(&a, data, DEEPEST);
        if (!a.load)
            continue;
        tell_warn(s, a.load,
                  a.loop ? "go on by the tiles of all programs: j * BLOCK * (how many there are)"
                         : "programs as far apart as the tile is long: pid * BLOCK",
                  a.loop ? "each program begins with its own tile, and goes on with the tiles "
                           "of those behind it: they are added more than once"
                         : "tiles of programs overlap here, and all are added to the same "
                           "elements: what two of them load is counted twice");
        return;
    }
}

static void look_at(Op *op, void *suspect)
{
    const Suspect *s = suspect;

    if (op->code == OP_store) {
        look_at_reduced(s, op);
        look_at_lost(s, op);
    } else if (op_only_reads(op) && op->code == OP_load) {
        look_at_overlap(s, op);
        look_at_twin(s, op);
        look_at_back(s, op);
    } else if (op->code == OP_atomic_rmw && attr_rmw_kind(op) == RMW_ADD) {
        look_at_atomic(s, op);
    }
}

void suspect_again(const Suspect *s)
{
    ir_walk(s->func->body, look_at, (void *)s);
}
