/*
 * plan_keep.c - operands of products that stay for the next programs of a thread
 *
 * Programs that follow each other mostly multiply different tiles of one matrix by the same ones of
 * the other: the grid goes through the rows first, or through the columns, or in groups.  So a tile
 * that one product alone reads is not filled again, and not packed again, where all that it is made
 * of is what it was: the scalars that its op reaches, which the code compares, and memory that the
 * launch only reads.  A loop along K has a tile for each round, in slots one behind the other.
 *
 * Scalars are looked at first: one is *slow* if it stays for several programs in a row, x of the
 * grid being the fastest.  What follows from slow ones is, and so is any quotient by a slow one.
 *
 * A tile of memory that changes with each program mostly comes back with the next row, or column,
 * of the grid, if there is one: so tiles of *several* programs are kept, each in slots of its own.
 * One that each program of the grid has to itself, as in a batch of small products, does not.
 * There are not slots for any row of the grid.  Programs go in any order unless one
 * may wait for another, so where a tile surely comes back with the next row of the grid, they run
 * in *strips*: rows of as many columns of the grid as there are slots for, one behind the other.
 * Rows of a matrix lie far apart, and those of one block often at the same few places of a cache,
 * so it cannot be asked for many of them ahead of time; slots lie densely, so it can be for these
 * (cpu_dot_ahead.c).
 *
 * Neither memory that other threads write meanwhile nor anything that has to be done as often as it
 * is written is kept: a kernel that orders its accesses keeps nothing.
 */
#include "plan_internal.h"

enum {
    MOST_KEPT = 1 << 20,    /* bytes, as much as a second-level cache has, for all products alike */
    MOST_SEVERAL = 5 << 20, /* of those that programs come back to: a share of the last cache */
    MOST_SLOTS = 256,
    MOST_KEYS = 16,    /* scalars to compare, or filling is cheaper */
    MOST_VALUES = 1000 /* that are looked at for one operand */
};

/* --- memory --- */

typedef struct {
    const Plan *plan;
    uint64_t written;
} Writes;

static void note_write(Op *op, void *ctx)
{
    Writes *w = ctx;
    bool orders = op->code == OP_barrier || op->code == OP_atomic_cas || op->code == OP_call ||
                  op->code == OP_inline_asm_volatile ||
                  (op->code == OP_atomic_rmw && attr_sem(op) != SEM_RELAXED);

    if (orders)
        w->written = EVERY_PARAM;
    else if (op_has(op, WRITES))
        w->written |= ir_bases_of(w->plan->bases, plan_pointer(op));
}

static void count_product(Op *op, void *n)
{
    *(int *)n += op->code == OP_dot;
}

void plan_keep_begin(Planner *pl)
{
    const Plan *p = pl->plan;
    Writes w = {.plan = p};
    int products = 0;

    pl->written = EVERY_PARAM;
    if (!p->bases)
        return;
    ir_walk(p->func->body, note_write, &w);
    ir_walk(p->func->body, count_product, &products);
    pl->written = w.written;
    pl->most_kept = MOST_KEPT / MAX(products, 1);
    pl->most_several = MOST_SEVERAL / MAX(products, 1);
}

/* --- scalars --- */

typedef struct {
    Planner *pl;
    Map *seen;         /* values that have been asked about: one that says no ends it all */
    VEC(Value *) todo; /* of what the tile is made of, those that have not been looked at */
    VEC(Value *) by;
    int looked_at;
    bool changes; /* some of `by` may do so with each program */
} Keeping;

static bool is_slow(Keeping *k, const Value *v);

static bool all_slow(Keeping *k, const Op *op, int first)
{
    for (int i = first; i < op->noperands; i++) {
        if (!is_slow(k, op->operands[i]))
            return false;
    }
    return true;
}

/* Of a loop's counter, or of what it carries: from where on, and by what. */
static bool is_slow_argument(Keeping *k, const Value *v)
{
    const Op *loop = v->block->owner;

    if (!loop)
        return true; /* of the kernel */
    if (loop->code != OP_for)
        return false;
    if (v->index == 0)
        return is_slow(k, loop->operands[FOR_LO]) && is_slow(k, loop->operands[FOR_STEP]);
    return is_slow(k, loop->operands[FOR_BOUNDS + v->index - 1]) &&
           is_slow(k, v->block->last->operands[v->index - 1]);
}

static bool is_slow_result(Keeping *k, const Op *op)
{
    switch (op->code) {
    case OP_const:
    case OP_num_programs:
        return true;
    case OP_program_id:
        return attr_axis(op) > 0;
    case OP_div:
    case OP_shr:
        return all_slow(k, op, 1);
    case OP_for:
    case OP_while:
    case OP_if:
        return false;
    default:
        return (op_only_reads(op) || !op_has(op, READS | WRITES | EFFECT)) && all_slow(k, op, 0);
    }
}

/* Where values of loops depend on each other, the others decide. */
static bool is_slow(Keeping *k, const Value *v)
{
    if (map_get(k->seen, MAP_KEY(v)))
        return true;
    if (v->type->rank > 0 || k->looked_at++ > MOST_VALUES)
        return false;
    map_put(k->seen, MAP_KEY(v), k);
    return v->def ? is_slow_result(k, v->def) : is_slow_argument(k, v);
}

/* --- tiles --- */

static void ask_about(Keeping *k, Value *v)
{
    if (map_get(k->seen, MAP_KEY(v)))
        return;
    map_put(k->seen, MAP_KEY(v), k);
    vec_push(k->pl->plan->arena, &k->todo, v);
}

static bool takes_scalar(Keeping *k, Value *v)
{
    Keeping alone = {.pl = k->pl, .seen = map_new(k->pl->plan->arena)};

    if ((v->def && v->def->code == OP_const) || (!v->def && !v->block->owner))
        return true; /* the same in all of a launch */
    if (k->by.len == MOST_KEYS)
        return false;
    k->changes |= !is_slow(&alone, v);
    vec_push(k->pl->plan->arena, &k->by, v);
    return true;
}

/* Is it the same whenever what it is made of is? */
static bool takes(Keeping *k, Value *v)
{
    Op *op = v->def;

    if (v->type->rank == 0)
        return takes_scalar(k, v);
    if (!op || op->regions[0] || k->looked_at++ > MOST_VALUES)
        return false;
    if (op_only_reads(op) && !op_is_volatile(op)) {
        if ((ir_bases_of(k->pl->plan->bases, plan_pointer(op)) & k->pl->written) != 0)
            return false;
    } else if (op_has(op, READS | WRITES | EFFECT)) {
        return false;
    }
    for (int i = 0; i < op->noperands; i++)
        ask_about(k, op->operands[i]);
    return true;
}

static bool is_known_by_scalars(Keeping *k, Value *v)
{
    ask_about(k, v);
    while (k->todo.len > 0) {
        if (!takes(k, k->todo.at[--k->todo.len]))
            return false;
    }
    return true;
}

/* A tile of memory, as it is or in another dtype or order: what is computed shares its nest with
 * other work, and mostly changes with all that a program does. */
static bool is_read(const Value *v)
{
    const Op *op = v->def;

    while (op && (op->code == OP_cast || op->code == OP_permute))
        op = op->operands[0]->def;
    return op && op_only_reads(op);
}

/* --- axes of the grid --- */

enum { ALL_AXES = 7, MOST_BEHIND = 16 /* ops */ };

typedef struct {
    Arena *arena;
    Map *seen;
    VEC(Value *) todo;
    unsigned axes; /* that some of these values depend on */
} Axes;

static void look_at(Axes *x, Value *v)
{
    if (map_get(x->seen, MAP_KEY(v)))
        return;
    map_put(x->seen, MAP_KEY(v), x);
    vec_push(x->arena, &x->todo, v);
}

/* Of a loop: what it begins with, and what a round makes of it. */
static void look_behind_argument(Axes *x, Value *v)
{
    const Op *loop = v->block->owner;

    if (!loop)
        return; /* of the kernel */
    if (loop->code != OP_for) {
        x->axes = ALL_AXES;
        return;
    }
    for (int i = 0; i < FOR_BOUNDS; i++)
        look_at(x, loop->operands[i]);
    if (v->index > 0) {
        look_at(x, loop->operands[FOR_BOUNDS + v->index - 1]);
        look_at(x, v->block->last->operands[v->index - 1]);
    }
}

static void look_behind(Axes *x, Value *v)
{
    const Op *op = v->def;

    if (!op) {
        look_behind_argument(x, v);
        return;
    }
    if (op->code == OP_program_id)
        x->axes |= 1u << attr_axis(op);
    if (op->regions[0])
        x->axes = ALL_AXES;
    for (int i = 0; i < op->noperands; i++)
        look_at(x, op->operands[i]);
}

static unsigned axes_behind(Planner *pl, Value **values, int n)
{
    Arena *a = pl->plan->arena;
    Axes x = {.arena = a, .seen = map_new(a)};

    for (int i = 0; i < n; i++)
        look_at(&x, values[i]);
    while (x.todo.len > 0 && x.axes != ALL_AXES)
        look_behind(&x, x.todo.at[--x.todo.len]);
    return x.axes;
}

static void note_axis(Op *op, void *axes)
{
    if (op->code == OP_program_id)
        *(unsigned *)axes |= 1u << attr_axis(op);
}

static unsigned all_axes(const Plan *p)
{
    unsigned all = 0;

    ir_walk(p->func->body, note_axis, &all);
    return all;
}

/* The operand of a sum or product without which no axis is behind it; NULL: it is another op, or
 * there are several. */
static Value *axis_operand(Planner *pl, const Op *op)
{
    Value *found = NULL;

    if (op->code != OP_cast && op->code != OP_add && op->code != OP_sub && op->code != OP_mul &&
        op->code != OP_addptr)
        return NULL;
    for (int i = 0; i < op->noperands; i++) {
        Value *v = op->operands[i];
        if (axes_behind(pl, &v, 1) == 0)
            continue;
        if (found)
            return NULL;
        found = v;
    }
    return found;
}

/* The axis along which a scalar is another one in each program, as a bit; of what a loop carries in
 * its first round.  0: none is known.  A factor that is 0 would only have tiles not kept. */
static unsigned axis_told_apart(Planner *pl, Value *v)
{
    for (int n = 0; v && n < MOST_BEHIND; n++) {
        const Op *op = v->def, *loop = op ? NULL : v->block->owner;
        if (op && op->code == OP_program_id)
            return 1u << attr_axis(op);
        if (op)
            v = axis_operand(pl, op);
        else if (loop && loop->code == OP_for && v->index > 0)
            v = loop->operands[FOR_BOUNDS + v->index - 1];
        else
            return 0;
    }
    return 0;
}

/* Does each program of the grid have another tile? */
static bool is_never_again(Planner *pl, const Keeping *k)
{
    unsigned apart = 0;

    for (int i = 0; i < k->by.len; i++)
        apart |= axis_told_apart(pl, k->by.at[i]);
    return (all_axes(pl->plan) & ~apart) == 0;
}

/* --- strips --- */

enum { X = 1, Y = 2 };

static bool is_known_before(const Value *v, int most)
{
    const Op *op = v->def;

    if (!op)
        return !v->block->owner;
    if (v->type->rank > 0 || op->code == OP_program_id || op->regions[0] || most == 0 ||
        op_has(op, READS | WRITES | EFFECT))
        return false;
    for (int i = 0; i < op->noperands; i++) {
        if (op->operands[i]->type->rank > 0 || !is_known_before(op->operands[i], most - 1))
            return false;
    }
    return true;
}

bool plan_rounds_are_known(const Op *loop)
{
    for (int i = 0; i < FOR_BOUNDS; i++) {
        if (!is_known_before(loop->operands[i], MOST_BEHIND))
            return false;
    }
    return true;
}

static void note_while(Op *op, void *any)
{
    *(bool *)any |= op->code == OP_while;
}

/* Records are told in the order of the grid, and programs that wait for others rely on it. */
bool plan_wants_order(const Func *f)
{
    bool waits = false;

    ir_walk(f->body, note_while, &waits);
    return waits || func_hidden(f, PARAM_RECORDS);
}

static bool goes_in_strips(const Plan *p, const Op *loop, unsigned axes, unsigned again)
{
    return (axes & X) != 0 && (again & Y) != 0 && !plan_wants_order(p->func) &&
           plan_rounds_are_known(loop);
}

/* --- slots --- */

/* Rounds of a loop, as far as they are known; 0: they are not. */
static int64_t rounds_known(const Op *loop)
{
    uint64_t rounds;

    return opt_trip_count(loop, &rounds) && rounds <= INT64_MAX ? (int64_t)rounds : 0;
}

static int slots_of(const Planner *pl, const Op *loop, int64_t bytes, int rounds)
{
    int64_t slots = MIN(pl->most_kept / bytes, MOST_SLOTS), known = loop ? rounds_known(loop) : 1;

    return (int)(known > 0 ? MIN(slots, (known + rounds - 1) / rounds) : slots);
}

/* The axes along which all programs have the same tile, where along each other one all have another
 * one; -1: nobody can know. */
static int same_along(Planner *pl, const Keeping *k)
{
    unsigned axes = axes_behind(pl, k->by.at, k->by.len), apart = 0;

    for (int i = 0; i < k->by.len; i++)
        apart |= axis_told_apart(pl, k->by.at[i]);
    return (axes & ~apart) == 0 ? (int)(ALL_AXES & ~axes) : -1;
}

int plan_keep(Planner *pl, Value *v, const Op *product, int rounds, int *same)
{
    Plan *p = pl->plan;
    const Op *loop = product->block->owner;
    Keeping k = {.pl = pl, .seen = map_new(p->arena)};
    int64_t bytes = rounds * type_numel(v->type) * dtype_size(plan_register_dtype(v->type->dtype));

    if (p->options->debug || pl->written == EVERY_PARAM || !v->def || v->type->rank != 2 ||
        v->def->block != product->block || (loop && loop->code != OP_for))
        return 0;
    if (!is_known_by_scalars(&k, v))
        return 0;
    *same = same_along(pl, &k);
    if (k.changes && !(loop && is_read(v)))
        return 0;
    if (k.changes && is_never_again(pl, &k))
        return 0;
    Keep keep = {.value = v,
                 .loop = loop,
                 .rounds = rounds,
                 .several = k.changes,
                 .slots = slots_of(pl, k.changes ? NULL : loop, bytes, rounds)};
    if (k.changes) {
        keep.slots = (int)MIN(pl->most_several / bytes, MOST_SLOTS);
        unsigned axes = axes_behind(pl, k.by.at, k.by.len);
        keep.again = all_axes(p) & ~axes; /* that the tile does not depend on */
        keep.strips = goes_in_strips(p, loop, axes, keep.again);
    }
    if (keep.slots == 0)
        return 0;
    keep.by = k.by.at;
    keep.nby = k.by.len;
    keep.keys = plan_add_buffer(pl, DT_I64, keep_words(&keep));
    vec_push(p->arena, &p->keeps, keep);
    return p->keeps.len;
}

void plan_add_slots(Plan *p, int buffer, int keep)
{
    Buffer *b = &p->buffers.at[buffer];

    b->keep = keep;
    b->slot = (b->bytes + PLAN_WIDEST + 63) / 64 * 64;
    b->bytes += b->slot * (keep_all_slots(&p->keeps.at[keep - 1]) - 1);
}
