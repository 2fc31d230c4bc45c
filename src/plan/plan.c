/*
 * plan.c - place every tile value and group the effects of each block into nests
 *
 * Planning is repeated until nothing changes: a round walks the program in order and puts each
 * root into the open nest or a new one; on the way, and afterwards, it finds values that must not
 * or should not be computed where they are used, marks them `buffered`, and the next round starts
 * with these marks.  Marks are only ever added, so the rounds end.  The reasons for a mark:
 *
 *   1. the op cannot be evaluated element by element: dot, sort, scan, reduce, histogram, atomics,
 *      loops, ifs; and so the operands that are read as whole tiles (of dot, scan, reshape, and
 *      what gather takes from);
 *   2. a load would move past a store that may reach the same memory (plan_order.c), or into a loop
 *      or an arm of an if behind it, where nobody looks for such stores;
 *   3. rematerialising it in several nests, in every trip of a loop, or in every row of a nest
 *      (plan_order.c), costs more than a buffer;
 *   4. the source has a name for it, and a debugger wants to show that.
 *
 * Read plan.h first.
 */
#include <string.h>

#include "plan_internal.h"

enum {
    BUFFER_COST = 8,      /* of an element: what is dearer is buffered when several nests need it */
    BUFFER_COST_LOOP = 3, /* the same for values that a loop would compute again every trip */
    MAX_COST = 1 << 20,   /* what several operands share counts for each, and soon overflows */
    MAX_ROUNDS = 64,
    MOST_NAMED = 64 << 20 /* bytes that are spent on names */
};

DType plan_register_dtype(DType t)
{
    return dtype_is_float(t) && dtype_bits(t) < 32 ? DT_FP32 : t;
}

bool plan_is_short_float(const Type *t)
{
    return !t->pointer && dtype_is_float(t->dtype) && dtype_bits(t->dtype) == 16;
}

int plan_buffer(const Plan *p, const Value *v)
{
    return p->facts[v->id].buffer;
}

Value *plan_named(const Plan *p, const Mark *m)
{
    Value *v = m->name && !m->text && m->nvalues == 1 ? ir_resolve(m->values[0]) : NULL;

    return v && v->id < p->func->nvalues && p->facts[v->id].value == v ? v : NULL;
}

Value *plan_gathered(const Op *gather, int8_t *from)
{
    Value *v = gather->operands[GATHER_SOURCE], *in;
    int8_t of[MAX_RANK];

    memcpy(from, plan_identity, MAX_RANK);
    while ((in = access_renamed(v, from, of)) != NULL && in->type->rank > 0) {
        memcpy(from, of, MAX_RANK);
        v = in;
    }
    return v;
}

static bool is_renaming(const Value *v)
{
    int8_t map[MAX_RANK];

    return access_renamed(v, plan_identity, map);
}

/* --- facts that do not change from round to round --- */

int plan_op_cost(const Op *op)
{
    switch (op->code) {
    case OP_const:
    case OP_arange:
    case OP_splat:
    case OP_broadcast:
    case OP_expand:
    case OP_permute:
    case OP_hint:
    case OP_addptr: /* folds into the address */
        return 0;
    case OP_add:
    case OP_sub:
    case OP_mul:
    case OP_shl:
    case OP_neg:
    case OP_cast:
    case OP_lt:
    case OP_le:
    case OP_gt:
    case OP_ge:
    case OP_and: /* of integers: affine indices and masks, mostly bounds and addresses */
        return dtype_is_float(op->operands[0]->type->dtype) || op->results[0]->type->rank == 0;
    case OP_div:
    case OP_rem:
        return dtype_is_float(op->results[0]->type->dtype) ? 5 : 20;
    case OP_sqrt:
        return 5;
    case OP_load:
        return 2;
    case OP_gather:
        return 4;
    default:
        return op_is_elementwise(op) ? 1 : 0;
    }
}

bool plan_is_usual(const Op *op)
{
    const Op *c = op->code == OP_select ? op->operands[SELECT_IF]->def : NULL;

    return c && c->code == OP_hint && attr_hint_kind(c) == HINT_LIKELY;
}

bool plan_is_whole(const Value *v)
{
    if (v->type->rank == 0)
        return false;
    if (!v->def)
        return true; /* carried by a loop */
    switch (v->def->code) {
    case OP_dot:
    case OP_histogram:
    case OP_sort:
    case OP_atomic_rmw:
    case OP_atomic_cas:
    case OP_for:
    case OP_while:
    case OP_if:
        return true;
    default:
        return op_has(v->def, COMBINES);
    }
}

/* Does op read operand i as a whole tile, from a buffer?  Of a dot the accumulator is copied into
 * the result's buffer, so it need not have its own. */
static bool reads_whole(const Op *op, int i)
{
    if (op->operands[i]->type->rank == 0)
        return false;
    return (op->code == OP_dot && i != DOT_ACC) || op->code == OP_sort ||
           (op->nresults > 0 && op->results[0]->type->rank == 0 && !ir_reduces(op)) ||
           (op->nresults > 0 && access_rearranges(op->results[0]));
}

static void gather_value(Planner *pl, Value *v, Block *b, int depth)
{
    ValueFacts *f = &pl->plan->facts[v->id];

    f->value = v;
    f->block = b;
    f->depth = depth;
    f->buffer = NO_BUFFER;
    f->order = pl->order;
    f->buffered = plan_is_whole(v);
}

/* How many regions are blocks of the kernel: those of loops and ifs.  What a reduction or scan
 * combines with is planned by itself, where it is planned at all. */
static int nested_blocks(const Op *op)
{
    if (op_has(op, COMBINES))
        return 0;
    return (op->regions[0] != NULL) + (op->regions[1] != NULL);
}

static void gather_facts(Planner *pl, Block *b, int depth)
{
    for (int i = 0; i < b->nargs; i++)
        gather_value(pl, b->args[i], b, depth);
    for (Op *op = b->first; op; op = op->next) {
        pl->order++;
        for (int i = 0; i < op->nresults; i++)
            gather_value(pl, op->results[i], b, depth);
        for (int i = 0; i < op->noperands; i++) {
            if (reads_whole(op, i))
                pl->plan->facts[op->operands[i]->id].buffered = true;
        }
        if (op->code == OP_gather) {
            int8_t from[MAX_RANK];
            pl->plan->facts[plan_gathered(op, from)->id].buffered = true;
        }
        pl->multiplies |= op->code == OP_dot;
        if (op_is_volatile(op) && op->results[0]->type->rank > 0)
            pl->plan->facts[op->results[0]->id].buffered = true; /* volatile: once, in place */
        for (int r = 0; r < nested_blocks(op); r++)
            gather_facts(pl, op->regions[r], depth + opt_is_loop(op));
    }
}

/* Cost and reach of evaluating one element of v; depends on the marks of this round. */
static void price_value(Planner *pl, Value *v, const Op *op)
{
    ValueFacts *f = &pl->plan->facts[v->id];

    f->cost = plan_op_cost(op);
    f->divided = plan_has_pieces(pl->plan, op) ? MAX(f->cost - 1, 0) : 0;
    f->cost -= f->divided;
    f->has_load = op_only_reads(op);
    f->nest = NEST_NONE;
    f->use_depth = f->depth;
    f->crosses = false;
    for (int i = 0; i < op->noperands; i++) {
        const Value *in = op->operands[i];
        const ValueFacts *g = &pl->plan->facts[in->id];
        if (in->type->rank == 0)
            continue;
        if (g->buffered)
            f->cost += 1;
        else if (!op_only_reads(op) || i != LOAD_PTR) { /* addresses are affine, mostly free */
            f->cost += i == SELECT_ELSE && plan_is_usual(op) ? 0 : g->cost;
            f->divided += g->divided;
            f->has_load |= g->has_load;
        }
    }
    f->cost = MIN(f->cost, MAX_COST);
    f->divided = MIN(f->divided, MAX_COST);
}

static void price_block(Planner *pl, Block *b)
{
    for (Op *op = b->first; op; op = op->next) {
        for (int i = 0; i < op->nresults; i++)
            price_value(pl, op->results[i], op);
        for (int r = 0; r < nested_blocks(op); r++)
            price_block(pl, op->regions[r]);
    }
}

/* --- reasons 2 and 3: where values are computed --- */

/* A place that asks for a value.  block: NULL when several blocks do. */
typedef struct {
    int nest, depth;
    Block *block;
} Site;

static void use_at(ValueFacts *f, Site at)
{
    f->nest = f->nest == NEST_NONE || f->nest == at.nest ? at.nest : NEST_SEVERAL;
    f->use_depth = MAX(f->use_depth, at.depth);
    f->crosses |= at.block != f->block;
}

/* The nest where op is a root or its value is filled; NEST_NONE when it has none in this round. */
static int own_nest(const Planner *pl, const Op *op, const ValueFacts *result)
{
    const void *nest = map_get(pl->nest_of_op, MAP_KEY(op));

    if (nest)
        return (int)(intptr_t)nest - 1;
    return result && result->buffered ? result->fill_nest : NEST_NONE;
}

/* Where op reads its operands: with the consumers of its value when that is virtual, else in a nest
 * of its own.  False when nobody needs the value. */
static bool site_of(Planner *pl, const Op *op, int depth, Site *at)
{
    bool is_tile = op->nresults == 1 && op->results[0]->type->rank > 0;
    const ValueFacts *result = is_tile ? &pl->plan->facts[op->results[0]->id] : NULL;
    int nest = own_nest(pl, op, result);

    if (nest == NEST_NONE && result && !result->buffered) {
        *at =
            (Site){result->nest, MAX(depth, result->use_depth), result->crosses ? NULL : op->block};
        return result->nest != NEST_NONE;
    }
    if (nest == NEST_NONE)
        nest = pl->next_nest++; /* a place that no other op has */
    *at = (Site){nest, depth, op->block};
    return true;
}

/* Renamings are not: their source is smaller and as good. */
static bool may_be_buffered(const ValueFacts *f)
{
    const Op *op = f->value->def;

    return op && op->code != OP_const && op->code != OP_splat && !f->value->type->pointer &&
           !is_renaming(f->value);
}

bool plan_is_worth_a_buffer(const ValueFacts *f)
{
    return f->cost > BUFFER_COST && may_be_buffered(f);
}

bool plan_is_worth_a_row(const ValueFacts *f)
{
    return f->cost > BUFFER_COST_LOOP && may_be_buffered(f);
}

/* Reason 2, of loads that are virtual in another block. */
static bool moves_a_load(const ValueFacts *f)
{
    return f->crosses && f->has_load;
}

/* Reason 3.  Operands of products are filled row by row, and along most rows no index is divided:
 * in each round of a loop they would divide again what may be one tile in front of it. */
static bool is_dear(const Planner *pl, const ValueFacts *f)
{
    int divided = pl->multiplies ? f->divided : 0;

    if (f->use_depth > f->depth && f->cost + divided > BUFFER_COST_LOOP)
        return true;
    return f->nest == NEST_SEVERAL && f->cost > BUFFER_COST;
}

static bool buffer_results(Planner *pl, const Op *op)
{
    bool changed = false;

    for (int i = 0; i < op->nresults; i++) {
        ValueFacts *f = &pl->plan->facts[op->results[i]->id];
        if (op->results[i]->type->rank == 0 || f->buffered || !may_be_buffered(f))
            continue;
        if (!moves_a_load(f) && !is_dear(pl, f))
            continue;
        f->buffered = changed = true;
        f->fill_nest = NEST_NONE;
    }
    return changed;
}

/* Reason 4, as far as memory is plenty. */
static void buffer_names(Planner *pl)
{
    int64_t bytes = 0;

    for (int i = 0; i < pl->plan->func->marks.len; i++) {
        const Value *v = plan_named(pl->plan, &pl->plan->func->marks.at[i]);
        ValueFacts *f = v ? &pl->plan->facts[v->id] : NULL;
        if (!v || v->type->rank == 0 || f->buffered || !may_be_buffered(f))
            continue;
        bytes += type_numel(v->type) * type_size(v->type);
        f->buffered = bytes <= MOST_NAMED;
    }
}

/* Consumers before producers, so that a buffered consumer counts as one place. */
static bool buffer_block(Planner *pl, Block *b, int depth)
{
    bool changed = false;

    for (Op *op = b->last; op; op = op->prev) {
        for (int r = 0; r < nested_blocks(op); r++)
            changed |= buffer_block(pl, op->regions[r], depth + opt_is_loop(op));
        changed |= buffer_results(pl, op);
        Site at;
        if (!site_of(pl, op, depth, &at))
            continue;
        for (int i = 0; i < op->noperands; i++) {
            if (op->operands[i]->type->rank > 0)
                use_at(&pl->plan->facts[op->operands[i]->id], at);
        }
    }
    return changed;
}

/* --- rounds --- */

static bool plan_round(Planner *pl)
{
    Plan *p = pl->plan;

    pl->changed = false;
    pl->order = 0;
    pl->nest_of_op = map_new(p->arena);
    pl->next_nest = 0;
    pl->visits = 0;
    p->buffers.len = p->keeps.len = p->tallies.len = 0;
    for (int i = 0; i < p->func->nvalues; i++) {
        p->facts[i].buffer = NO_BUFFER;
        p->facts[i].fill_nest = NEST_NONE;
        p->facts[i].walked = NEST_NONE;
    }
    price_block(pl, p->func->body);
    p->body = plan_block(pl, p->func->body, NULL);
    if (!pl->changed)
        pl->changed = buffer_block(pl, p->func->body, 0);
    return pl->changed;
}

Plan *plan_nests(const Func *f, const GenOptions *o, Machine m, Arena *a)
{
    Plan *p = NEW(a, Plan);
    Planner pl = {.plan = p};

    p->arena = a;
    p->func = f;
    p->options = o;
    p->machine = m;
    p->axis = axis_analyse(f, a);
    p->facts = NEW_N(a, ValueFacts, f->nvalues);
    gather_facts(&pl, f->body, 0);
    if (o->debug)
        buffer_names(&pl);
    p->uses = ir_uses(f, a);
    if (o->disjoint)
        p->bases = ir_pointer_bases(f, a);
    plan_keep_begin(&pl);
    for (int round = 0; plan_round(&pl); round++) {
        if (round > MAX_ROUNDS + f->nvalues)
            bug("planning does not settle");
    }
    plan_programs(p);
    plan_look_ahead(p);
    plan_shape(p);
    plan_measure(p);
    return p;
}
