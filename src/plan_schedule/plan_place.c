/*
 * plan_place.c - which operands of products may be read where memory has them
 *
 * To lay out a tile takes about as long as to multiply by 32 columns or rows of it, and pays where
 * several programs, or many columns, need it.  Where few programs of the grid have the same tile,
 * as in a batch of small products, multiply-adds read rows of memory instead: where these are as
 * wide as in scratch, their masks hold all over the tile (plan_full.c), and it is not far from one
 * row to the next, which would come to few places of the first cache.  All that is known when the
 * program runs: of the grid, of the masks, and from the addresses of the first row, the second, and
 * the last.
 *
 * A product whose operands are read in place does not wait for several rounds: each has tiles of
 * its own, and reads and writes the sum.  Where to lay out what else would be in place takes less
 * than that, it waits.
 */
#include "plan_schedule_internal.h"

enum {
    MOST_BEHIND = 40, /* ops, of an address */
    LEAST_ROWS = 4,
    /* of a vector, in the time of multiply-adds: to lay it out; to read and write it as a sum, in
     * the first cache and where the sum does not fit there */
    LAY_OUT = 5,
    ADD = 4,
    ADD_FAR = 8,
    LEVEL_1_SUM = 32 << 10 /* bytes */
};

/* --- addresses --- */

/* Of indices that step by one along a dimension, and stay along others, by one number. */
static bool is_remainder_of_steps(const Plan *p, const Op *op)
{
    const Value *v = op->operands[0];
    const Axis *a = axis_of(p->axis, v);
    int along = 0;

    if (op->code != OP_rem || v->type->pointer || !dtype_is_int(v->type->dtype) ||
        !dtype_is_signed(v->type->dtype) || dtype_size(v->type->dtype) < 4)
        return false;
    for (int d = 0; d < v->type->rank; d++) {
        if (v->type->dims[d] == 1)
            continue;
        if (a->contiguity[d] != v->type->dims[d])
            return false;
        along++;
    }
    return along == 1 && plan_steps(p, op->operands[1]) == 0;
}

typedef struct {
    const Plan *plan;
    IsThere *is_there;
    const void *ctx;
    bool remainders; /* where these come around is asked when running */
} Linear;

static bool is_linear(const Linear *l, const Value *v, int most)
{
    const Plan *p = l->plan;
    const Op *op = v->def;
    bool moves = op && (op->code == OP_splat || op->code == OP_broadcast || op->code == OP_expand ||
                        op->code == OP_permute);

    if (v->type->rank == 0)
        return (op && op->code == OP_const) || l->is_there(l->ctx, v);
    if (!op || most == 0)
        return false;
    if (op->code == OP_const || op->code == OP_arange)
        return true;
    bool scales = op->code == OP_mul &&
                  (plan_steps(p, op->operands[0]) == 0 || plan_steps(p, op->operands[1]) == 0);
    bool widens = op->code == OP_cast && dtype_is_int(op->operands[0]->type->dtype) &&
                  dtype_size(v->type->dtype) >= dtype_size(op->operands[0]->type->dtype);
    bool remains = l->remainders && is_remainder_of_steps(p, op);
    if (!moves && !scales && !widens && !remains && op->code != OP_add && op->code != OP_sub &&
        op->code != OP_addptr)
        return false;
    for (int i = 0; i < op->noperands; i++) {
        if (!is_linear(l, op->operands[i], most - 1))
            return false;
    }
    return true;
}

bool plan_is_linear(const Plan *p, const Value *v, IsThere *is_there, const void *ctx)
{
    const Linear l = {.plan = p, .is_there = is_there, .ctx = ctx};

    return is_linear(&l, v, MOST_BEHIND);
}

const Value *plan_place_behind(const Value *v, const int8_t *map, int8_t *in)
{
    const Value *renamed = access_renamed(v, map, in);

    return renamed ? renamed : v->def->operands[0]; /* of one number */
}

/* --- nests --- */

static bool reads_along(const Nest *n, const Value *v)
{
    for (int i = 0; i < n->leaves.len; i++) {
        const Leaf *leaf = &n->leaves.at[i];
        if (leaf->load && leaf->value == v)
            return leaf->access && leaf->access->form == FORM_CONTIGUOUS;
    }
    return false;
}

/* Under no mask, or under one that is all bounds: what else there is of a mask leaves elements out
 * wherever bounds hold. */
static bool is_cut_by_bounds(const Nest *n, const Op *load)
{
    static const Part parts[] = {PART_ROWS, PART_MAIN};
    const Schedule *s = n->schedule;
    bool whole = load->noperands <= LOAD_MASK;

    for (int k = 0; k < COUNT(parts); k++) {
        for (int i = 0; i < s->part[parts[k]].len; i++) {
            const Entry *e = &s->entries.at[s->part[parts[k]].at[i]];
            if (e->kind != MAKE_LOAD || e->value != load->results[0])
                continue;
            if (e->in[IN_MASK] != NO_ENTRY)
                return false;
            whole = true;
        }
    }
    return whole;
}

/* A nest that does nothing but copy memory to the buffer, which cuts no more than bounds do. */
static bool loads_memory(const Plan *p, const Nest *n, const Value *v)
{
    const Root *r = &n->roots.at[0];
    const Buffer *b = &p->buffers.at[plan_buffer(p, v)];
    const Op *load = v->def;

    return n->roots.len == 1 && r->kind == ROOT_FILL && r->value == v && load &&
           load->code == OP_load && !op_is_volatile(load) && n->rank == 2 && !b->biased &&
           b->dtype == v->type->dtype && (n->bounds.len == 0 || n->full.len > 0) &&
           is_cut_by_bounds(n, load);
}

/* .. row by row. */
static bool copies(const Plan *p, const Nest *n, const Value *v)
{
    return loads_memory(p, n, v) && n->order[1] == 1 && n->dims[0] >= LEAST_ROWS &&
           !p->buffers.at[plan_buffer(p, v)].turned && reads_along(n, v) &&
           plan_is_linear(p, v->def->operands[LOAD_PTR], plan_is_at_hand, n);
}

/* An address's scalars are steps in front of what loads there. */
static bool is_before(const void *ctx, const Value *v)
{
    (void)ctx;
    (void)v;
    return true;
}

PlaceOrder plan_place_order(const Plan *p, const Nest *n, const Value *v)
{
    const Linear l = {.plan = p, .is_there = is_before, .remainders = true};
    bool turned = n->rank == 2 && n->order[1] == 0;

    if (n->pieces.len > 0 || !loads_memory(p, n, v) ||
        !is_linear(&l, v->def->operands[LOAD_PTR], MOST_BEHIND))
        return PLACE_NONE;
    if (reads_along(n, v))
        return turned ? PLACE_COLUMNS : PLACE_ROWS;
    return turned ? PLACE_NONE : PLACE_ROWS_MAYBE;
}

static bool only_fills(const Nest *n)
{
    for (int i = 0; i < n->roots.len; i++) {
        if (n->roots.at[i].kind != ROOT_FILL)
            return false;
    }
    return true;
}

/* What fills that buffer, with nothing behind it up to the product that writes memory; NULL. */
static Nest *nest_before(const BlockPlan *b, int dot, int buffer)
{
    for (int i = dot - 1; i >= 0; i--) {
        const Step *s = &b->steps.at[i];
        if (s->kind == STEP_SCALAR)
            continue;
        if (s->kind != STEP_NEST || !only_fills(s->nest))
            return NULL;
        if (s->nest->roots.at[0].buffer == buffer)
            return s->nest;
    }
    return NULL;
}

static bool may_be_in_place(const Plan *p, const Step *s)
{
    return s->dot.unit == DOT_FMA && s->dot.packed == NO_BUFFER && !p->options->debug &&
           s->op->results[0]->type->rank == 2 && s->op->operands[DOT_A] != s->op->operands[DOT_B];
}

/* Buffer.waits. */
static int waits_of(const Op *product, const Buffer *sum, int rounds)
{
    const Type *a = product->operands[DOT_A]->type, *b = product->operands[DOT_B]->type;
    double m = a->dims[0], k = a->dims[1], n = b->dims[1];
    double add = (sum->bytes <= LEVEL_1_SUM ? ADD : ADD_FAR) * (1 - 1.0 / rounds);
    double of[] = {[DOT_A] = LAY_OUT * k / n, [DOT_B] = LAY_OUT * k / m};
    double all[] = {of[DOT_A], of[DOT_B], [PLACE_BOTH] = of[DOT_A] + of[DOT_B]};
    int waits = 0;

    for (int i = 0; i <= PLACE_BOTH && rounds > 1; i++)
        waits |= (all[i] < add) << i;
    return waits;
}

static void look_at_product(const Plan *p, const BlockPlan *b, int number)
{
    const Step *s = &b->steps.at[number];
    const Op *op = s->op;
    Buffer *of[2];
    int same[2] = {-1, -1};

    for (int i = DOT_A; i <= DOT_B; i++)
        of[i] = &p->buffers.at[plan_buffer(p, op->operands[i])];
    bool can = may_be_in_place(p, s);
    for (int i = DOT_A; i <= DOT_B && can; i++) {
        Nest *n = nest_before(b, number, plan_buffer(p, op->operands[i]));
        if (!n || of[i]->same[i] < 0 || !copies(p, n, op->operands[i]))
            continue;
        of[i]->in_place = op->operands[i]->def;
        n->place = 1 + plan_buffer(p, op->operands[i]);
        same[i] = of[i]->same[i];
    }
    const Buffer *sum = &p->buffers.at[plan_buffer(p, op->results[0])];
    int waits = same[DOT_A] < 0 && same[DOT_B] < 0 ? 0 : waits_of(op, sum, s->dot.rounds);
    for (int i = DOT_A; i <= DOT_B; i++) {
        of[i]->same[DOT_A] = same[DOT_A];
        of[i]->same[DOT_B] = same[DOT_B];
        of[i]->waits = waits;
    }
}

static void look_at_block(const Plan *p, const BlockPlan *b)
{
    for (int i = 0; b && i < b->steps.len; i++) {
        const Step *s = &b->steps.at[i];
        if (s->kind == STEP_DOT)
            look_at_product(p, b, i);
        look_at_block(p, s->body[0]);
        look_at_block(p, s->body[1]);
    }
}

void plan_place(const Plan *p)
{
    look_at_block(p, p->body);
}
