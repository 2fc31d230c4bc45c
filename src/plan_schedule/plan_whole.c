/*
 * plan_whole.c - which loops that add products up are one product of what lies in memory
 *
 * Where each round multiplies tiles that may be read in place (plan_place.c), those of the next
 * one mostly follow: a's along its rows, and b's row by row.  Then the loop is one product, with
 * as many elements along k as all rounds have, whose sum stays in registers.  It goes through no
 * more rows, columns and elements along k than count (plan_live.c), so that tiles which masks cut
 * may be in place, too, where these masks have no other comparisons.
 *
 * Numbers of a round follow its own by sums, and by products with what stays; so the code asks the
 * first round, the second and the last one whether tiles follow one another, and along k so many
 * elements less are left.
 *
 * Of one row, or a few, each element of b is multiplied once or little more often: to lay it out
 * would take longer than that, however far its rows are apart.  So it is for a of one column. Where
 * b's columns are dense, as those of a layer's weights mostly are, vectors go along k.
 *
 * Rows of a and columns of b may be taken % n, as Triton's tutorial has it.  Then they lie side by
 * side in all programs but the last ones, and there, too, as far as stores let them through.
 */
#include "plan_schedule_internal.h"

enum { MOST_BEHIND = 40 /* ops, of a number */ };

/* Rows of blocks of DOT_MAX_VECTORS, in half as many registers at most; and how many such blocks of
 * wide vectors the second cache feeds in the time of one. */
enum { FEW_ROWS = 2, FEW_ROWS_OF_32 = 4, BLOCKS_OF_32 = 2 };

/* The same of blocks whose vectors go along k, which have four columns. */
enum { ROWS_ALONG = 3, ROWS_ALONG_OF_32 = 4, BLOCKS_ALONG = 3 };

typedef struct {
    const Plan *plan;
    const Op *loop, *dot;
    const Step *product;
    const Nest *of[2];
    PlaceOrder order[2];
} Search;

/* --- numbers of a round --- */

/* Is it the same in all rounds? */
static bool stays(const void *ctx, const Value *v)
{
    const Block *around = ((const Search *)ctx)->loop->block;

    while (around && around != v->block)
        around = around->owner ? around->owner->block : NULL;
    return around || (v->def && v->def->code == OP_const);
}

/* Does what the loop carries there grow by one number? */
static bool steps(const Search *s, const Value *argument)
{
    const Op *next = argument->block->last->operands[argument->index - 1]->def;

    return next && next->code == OP_add && next->operands[0] == argument &&
           stays(s, next->operands[1]);
}

static bool follows_rounds(const Search *s, const Value *v, int most)
{
    const Op *op = v->def;

    if (stays(s, v) || (op && op->code == OP_arange))
        return true;
    if (!op)
        return v->block == s->loop->regions[0] && (v->index == 0 || steps(s, v));
    bool moves = op_has(op, MOVES) && op->code != OP_slice;
    bool scales = op->code == OP_mul && (stays(s, op->operands[0]) || stays(s, op->operands[1]));
    bool widens = op->code == OP_cast && dtype_is_int(op->operands[0]->type->dtype) &&
                  dtype_size(v->type->dtype) >= dtype_size(op->operands[0]->type->dtype);
    if (most == 0 || !(moves || scales || widens || op->code == OP_add || op->code == OP_sub ||
                       op->code == OP_addptr))
        return false;
    for (int i = 0; i < op->noperands; i++) {
        if (!follows_rounds(s, op->operands[i], most - 1))
            return false;
    }
    return true;
}

/* What else the loop carries is a number of each round, for that alone. */
static bool carries_steps(const Search *s)
{
    for (int i = 0; i < s->loop->nresults; i++) {
        const Value *argument = s->loop->regions[0]->args[i + 1];
        if (argument != s->dot->operands[DOT_ACC] &&
            (argument->type->rank > 0 || !steps(s, argument) ||
             uses_count(&s->plan->uses, s->loop->results[i]) > 0))
            return false;
    }
    return true;
}

/* --- tiles --- */

/* Is the nest's tile cut by nothing but what cuts the product? */
static bool is_cut_alike(const Search *s, const Nest *n, Value *mask, int rows, int columns)
{
    Value *const live[] = {s->product->dot.live[rows], s->product->dot.live[columns]};

    for (int i = 0; i < n->full.len; i++) {
        if (!plan_cuts(s->plan, s->dot, mask, n->full.at[i], live))
            return false;
    }
    return true;
}

static bool goes_on(const Search *s, int operand, int rows, int columns)
{
    const Op *load = s->dot->operands[operand]->def;

    return s->of[operand] && follows_rounds(s, load->operands[LOAD_PTR], MOST_BEHIND) &&
           is_cut_alike(s, s->of[operand], op_operand(load, LOAD_MASK), rows, columns);
}

/* Rows that no whole block has are multiplied twice: nothing may be read that was stored. */
static bool may_be_twice(const Search *s, const Nest *stored)
{
    const Op *store = stored->roots.at[0].op;
    uint64_t bases = ir_bases_of(s->plan->bases, store->operands[STORE_PTR]);

    for (int i = 0; i < stored->leaves.len; i++) {
        const Leaf *leaf = &stored->leaves.at[i];
        if (leaf->load &&
            (ir_bases_of(s->plan->bases, plan_pointer(leaf->value->def)) & bases) != 0)
            return false;
    }
    return is_cut_alike(s, stored, op_operand(store, STORE_MASK), LIVE_ROWS, LIVE_COLUMNS);
}

static bool counts_before(const Search *s, int which)
{
    const Value *v = s->product->dot.live[which];

    if (v && which == LIVE_DEPTH)
        return follows_rounds(s, plan_counted(v), MOST_BEHIND) &&
               follows_rounds(s, plan_limit(v), MOST_BEHIND);
    return !v || plan_can_count(v, stays, s);
}

/* --- loops --- */

/* Notes the nest that fills an operand of the product; false: it may not be read in memory. */
static bool note_operand(Search *s, const Nest *n)
{
    const Value *v = n->roots.at[0].value;
    const Use *u = v ? uses_of(&s->plan->uses, v) : NULL;

    if (!v || uses_count(&s->plan->uses, v) != 1 || u->op->code != OP_dot || u->operand == DOT_ACC)
        return false;
    PlaceOrder order = plan_place_order(s->plan, n, v);
    s->of[u->operand] = n;
    s->order[u->operand] = order;
    return order == PLACE_ROWS || (order != PLACE_NONE && u->operand == DOT_B);
}

static bool find_steps(Search *s, const BlockPlan *body)
{
    for (int i = 0; i < body->steps.len; i++) {
        const Step *step = &body->steps.at[i];
        const Nest *n = step->nest;
        if (step->kind == STEP_DOT && !s->product)
            s->product = step;
        else if (step->kind == STEP_NEST && note_operand(s, n))
            continue;
        else if (step->kind != STEP_SCALAR || op_has(step->op, READS | WRITES | EFFECT))
            return false;
    }
    s->dot = s->product ? s->product->op : NULL;
    if (!s->dot || s->product->dot.unit != DOT_FMA || !plan_only_adds(s->plan, s->dot))
        return false;
    const Type *sum = s->dot->results[0]->type;
    bool along = s->order[DOT_B] == PLACE_COLUMNS;
    return sum->rank == 2 && s->dot->operands[DOT_A] != s->dot->operands[DOT_B] &&
           (along ? dtype_is_float(sum->dtype) : s->product->dot.packed == NO_BUFFER);
}

static bool is_one_product(Search *s, const BlockPlan *body)
{
    if (!find_steps(s, body) || !carries_steps(s))
        return false;
    const Buffer *sum = &s->plan->buffers.at[plan_buffer(s->plan, s->dot->results[0])];
    bool alike = sum->begins == s->loop && goes_on(s, DOT_A, LIVE_ROWS, LIVE_DEPTH) &&
                 goes_on(s, DOT_B, LIVE_DEPTH, LIVE_COLUMNS) &&
                 (!sum->stored || may_be_twice(s, sum->stored));
    for (int i = 0; i < LIVES && alike; i++)
        alike = counts_before(s, i);
    return alike;
}

/* --- thin ones --- */

static void set_few_rows(const Search *s, Whole *w)
{
    const DotPlan *d = &s->product->dot;
    const Type *sum = s->dot->results[0]->type;
    bool many = s->plan->machine.registers > 16;

    if (w->dense_columns) {
        w->column = false;
        w->few = many ? ROWS_ALONG_OF_32 : ROWS_ALONG;
        w->most = w->few * BLOCKS_ALONG;
        w->thin = true;
        return;
    }
    for (int i = DOT_A; i <= DOT_B; i++) {
        int buffer = plan_buffer(s->plan, s->dot->operands[i]);
        w->thin |= s->plan->buffers.at[buffer].alike < 0;
    }
    if (sum->dims[1] < DOT_MAX_VECTORS * d->lanes)
        return;
    w->few = MIN(sum->dims[0], many ? FEW_ROWS_OF_32 : FEW_ROWS);
    w->most = many ? BLOCKS_OF_32 * w->few : w->few;
}

/* Columns that count end with the first one of the matrix: there most likely is no other. */
static bool has_one_column(const Search *s)
{
    const Value *live = s->product->dot.live[LIVE_COLUMNS];
    int64_t columns;

    return live && dtype_is_float(s->dot->results[0]->type->dtype) &&
           value_const_int(plan_limit(live), &columns) && columns == 1;
}

static void look_at_block(const Plan *p, const BlockPlan *b)
{
    for (int i = 0; b && i < b->steps.len; i++) {
        Step *s = &b->steps.at[i];
        Search search = {.plan = p, .loop = s->op};
        if (s->kind == STEP_FOR && is_one_product(&search, s->body[0])) {
            s->whole = NEW(p->arena, Whole);
            *s->whole = (Whole){.product = search.product,
                                .of = {search.of[DOT_A], search.of[DOT_B]},
                                .column = has_one_column(&search),
                                .dense_columns = search.order[DOT_B] == PLACE_COLUMNS,
                                .dense_rows = search.order[DOT_B] != PLACE_ROWS_MAYBE};
            set_few_rows(&search, s->whole);
            if (s->whole->thin && s->whole->few == 0)
                s->whole = NULL;
        }
        look_at_block(p, s->body[0]);
        look_at_block(p, s->body[1]);
    }
}

void plan_whole(const Plan *p)
{
    if (!p->options->debug)
        look_at_block(p, p->body);
}
