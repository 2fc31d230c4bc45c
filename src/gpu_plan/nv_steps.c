/*
 * nv_steps.c - the steps of a block, from its last op to its first
 *
 * Whoever uses a value comes before its op here, so when the walk arrives at an op it is known in
 * which layouts its results are wanted: an op whose results nobody wants is dropped, what has a
 * home is computed there and then converted (nv_want.c), what is free is computed in each layout.
 *
 * Steps are listed last one first; nv_list_block() turns the list over at its end.
 */
#include "nv_plan.h"

/* Call `list` for each tile of the one result that the op has to compute. */
static void for_each_tile(NvPlan *p, const Op *op,
                          void (*list)(NvPlan *p, const Op *op, const NvTile *t))
{
    NvValue *facts = nv_value(p, op->results[0]);

    if (facts->tiles.len == 0)
        return;
    if (!facts->home && facts->tiles.len > 1 && facts->cost > NV_CHEAP)
        facts->home = facts->tiles.at[0]->layout;
    if (facts->home) {
        list(p, op, nv_result(p, op, 0));
        return;
    }
    for (int i = 0; i < facts->tiles.len; i++)
        list(p, op, facts->tiles.at[i]);
}

/* --- elementwise --- */

static void list_elementwise(NvPlan *p, const Op *op, const NvTile *t)
{
    NvStep *s = nv_step(p, NV_COMPUTE, op);

    s->out[0] = t;
    s->same = t->layout && op->noperands > 0 ? nv_equal_registers(p, t->value, t->layout) : 0;
    for (int i = 0; i < op->noperands; i++)
        nv_want(p, s, i, t->layout);
    nv_list(p, s);
}

/* Is it a cast to something wider, all of whose tiles are in registers?  Then each of them is cast
 * where it is wanted, so that it is the shorter elements that are converted. */
static bool is_cast_behind(const NvPlan *p, const Op *op)
{
    const NvValue *facts = nv_value(p, op->results[0]);
    const Type *to = op->results[0]->type, *from;

    if (op->code != OP_cast || !facts->home || !nv_home(p, op->operands[0]))
        return false;
    from = op->operands[0]->type;
    for (int i = 0; i < facts->tiles.len; i++) {
        if (facts->tiles.at[i]->buffer != NV_NO_BUFFER || facts->tiles.at[i]->whole)
            return false;
    }
    return dtype_bits(to->dtype) > dtype_bits(from->dtype);
}

void nv_list_elementwise(NvPlan *p, const Op *op)
{
    const NvValue *facts = nv_value(p, op->results[0]);

    if (!is_cast_behind(p, op)) {
        for_each_tile(p, op, list_elementwise);
        return;
    }
    for (int i = 0; i < facts->tiles.len; i++)
        list_elementwise(p, op, facts->tiles.at[i]);
}

/* --- moves --- */

/* Register r of a broadcast is this one of the operand. */
static const int32_t *take_by_mask(NvPlan *p, const Layout *l, uint32_t mask)
{
    int n = layout_registers(l);
    int32_t *take = NEW_N(p->arena, int32_t, n);

    for (int r = 0; r < n; r++)
        take[r] = (int32_t)layout_extract((uint32_t)r, mask);
    return take;
}

static const int32_t *take_always(NvPlan *p, const Layout *l, int32_t which)
{
    int n = layout_registers(l);
    int32_t *take = NEW_N(p->arena, int32_t, n);

    for (int r = 0; r < n; r++)
        take[r] = which;
    return take;
}

/* The layout of the one element of a tile: every thread has it. */
static Layout single(const NvPlan *p, const Type *t)
{
    Layout l = {
        .rank = t->rank, .nlane = (int8_t)p->chip->lane_bits, .nwarp = (int8_t)nv_warp_bits(p)};

    for (int d = 0; d < t->rank; d++)
        l.dims[d] = 1;
    return l;
}

/* What the operand's layout must be for the result to have `l` without anything moving between
 * threads; *take as in NvStep.  False: there is none. */
static bool operand_layout(NvPlan *p, const Op *op, const Layout *l, Layout *out,
                           const int32_t **take)
{
    const Type *from = op->operands[0]->type;
    const int64_t *list;
    int dims[MAX_RANK], n;

    switch (op->code) {
    case OP_broadcast:
        *take = take_by_mask(p, l, layout_broadcast_operand(l, from->dims, out));
        return true;
    case OP_expand:
        layout_remove(l, (int)attr_axis(op), out);
        return true;
    case OP_permute:
        list = attr_dims(op, &n);
        for (int d = 0; d < n; d++)
            dims[list[d]] = d;
        layout_permute(l, dims, out);
        return true;
    case OP_reshape:
        return layout_reshape(l, from->rank, from->dims, out);
    default: { /* a slice keeps to what its operand has */
        const Layout *home = nv_home(p, op->operands[0]);
        Layout result;
        if (!home)
            return layout_slice_operand(l, attr_starts(op, &n), from->dims, out, p->arena, take);
        if (!layout_slice(home, attr_starts(op, &n), op->results[0]->type->dims, &result, p->arena,
                          take))
            return false;
        *out = *home;
        return layout_equal(&result, l);
    }
    }
}

static void list_move(NvPlan *p, const Op *op, const NvTile *t)
{
    const Type *from = op->operands[0]->type;
    NvStep *s = nv_step(p, NV_COMPUTE, op);
    Layout l = single(p, from);

    s->out[0] = t;
    if (t->layout && from->rank > 0 && !operand_layout(p, op, t->layout, &l, &s->take)) {
        nv_list_far_move(p, op, t);
        return;
    }
    if (t->layout && from->rank == 0)
        s->take = take_always(p, t->layout, 0);
    nv_want(p, s, 0, &l);
    nv_list(p, s);
}

void nv_list_move(NvPlan *p, const Op *op)
{
    for_each_tile(p, op, list_move);
}

/* --- blocks --- */

static void reverse(NvBlock *b)
{
    for (int i = 0, k = b->steps.len - 1; i < k; i++, k--) {
        NvStep *s = b->steps.at[i];
        b->steps.at[i] = b->steps.at[k];
        b->steps.at[k] = s;
    }
}

static void list_arguments(NvPlan *p, const Block *b, NvBlock *out)
{
    out->nargs = b->nargs;
    out->args = NEW_N(p->arena, const NvTile *, b->nargs + 1);
    for (int i = 0; i < b->nargs; i++) {
        NvTile *t = nv_tile(p, b->args[i], nv_home(p, b->args[i]));
        nv_list_conversions(p, t);
        out->args[i] = t;
    }
}

void nv_list_block(NvPlan *p, const Block *b, NvBlock *out)
{
    NvBlock *outer = p->at;

    p->at = out;
    for (const Op *op = b->last->prev; op && !p->refused; op = op->prev)
        nv_rule(op->code)->list(p, op);
    list_arguments(p, b, out);
    reverse(out);
    p->at = outer;
}

/* The i-th tile that the terminator hands over, in the layout of who takes it. */
static void want_end(NvPlan *p, const Block *b, NvBlock *out, int i, const Value *taker)
{
    const Value *v = b->last->operands[i];

    if (!out->ends) {
        out->nends = b->last->noperands;
        out->ends = NEW_N(p->arena, const NvTile *, out->nends + 1);
    }
    out->ends[i] = nv_tile(p, v, taker ? nv_home(p, taker) : NULL);
}

NvBlock *nv_list_region(NvPlan *p, const Block *region)
{
    NvBlock *b = NEW(p->arena, NvBlock);
    bool outside = p->alone;

    p->alone = true;
    for (int i = 0; i < region->last->noperands; i++)
        want_end(p, region, b, i, NULL);
    nv_list_block(p, region, b);
    p->alone = outside;
    return b;
}

/* Tiles of the results in their homes. */
static NvStep *control_step(NvPlan *p, NvStepKind kind, const Op *op)
{
    NvStep *s = nv_step(p, kind, op);

    for (int i = 0; i < op->nresults; i++) {
        NvTile *t = nv_tile(p, op->results[i], nv_home(p, op->results[i]));
        nv_list_conversions(p, t);
        s->out[i] = t;
    }
    for (int r = 0; r < 2; r++)
        s->body[r] = op->regions[r] ? NEW(p->arena, NvBlock) : NULL;
    return s;
}

static void list_for(NvPlan *p, const Op *op)
{
    const Block *body = op->regions[0];
    NvStep *s = control_step(p, NV_FOR, op);

    for (int i = 0; i < op->nresults; i++)
        want_end(p, body, s->body[0], i, body->args[i + 1]);
    nv_list_block(p, body, s->body[0]);
    for (int i = 0; i < op->noperands; i++)
        nv_want(p, s, i, i < FOR_BOUNDS ? NULL : nv_home(p, body->args[i - FOR_BOUNDS + 1]));
    nv_list(p, s);
}

static void list_while(NvPlan *p, const Op *op)
{
    const Block *test = op->regions[0], *body = op->regions[1];
    NvStep *s = control_step(p, NV_WHILE, op);

    for (int i = 0; i < body->last->noperands; i++)
        want_end(p, body, s->body[1], i, test->args[i]);
    nv_list_block(p, body, s->body[1]);
    for (int i = 0; i < test->last->noperands; i++)
        want_end(p, test, s->body[0], i, i == 0 ? NULL : body->args[i - 1]);
    nv_list_block(p, test, s->body[0]);
    for (int i = 0; i < op->noperands; i++)
        nv_want(p, s, i, nv_home(p, test->args[i]));
    nv_list(p, s);
}

static void list_if(NvPlan *p, const Op *op)
{
    NvStep *s = control_step(p, NV_IF, op);

    for (int r = 1; r >= 0; r--) {
        for (int i = 0; i < op->nresults; i++)
            want_end(p, op->regions[r], s->body[r], i, op->results[i]);
        nv_list_block(p, op->regions[r], s->body[r]);
    }
    nv_want(p, s, 0, NULL);
    nv_list(p, s);
}

const NvStep *nv_load_of(const NvBlock *b, const NvTile *t)
{
    for (int k = 0; k < b->steps.len; k++) {
        const NvStep *s = b->steps.at[k];
        const NvStep *found = s->kind == NV_SLICES ? nv_load_of(s->body[0], t) : NULL;
        if ((s->kind == NV_LOAD || s->kind == NV_TAKE) && s->nout > 0 && s->out[0] == t)
            return s;
        if (found)
            return found;
    }
    return NULL;
}

bool nv_carries_words(const NvStep *loop, int i)
{
    const NvTile *end = loop->body[0]->ends[i];
    int size = end && end->layout ? type_size(end->value->type) : 0;
    const NvStep *s = size > 0 ? nv_load_of(loop->body[0], end) : NULL;
    int bits = size == 1 ? 2 : size == 2 ? 1 : 0;

    if (!s || s->detail)
        return false;
    for (int b = 0; b < bits; b++) {
        if (b >= s->access->vector_bits || s->access->regs[b] != b)
            return false;
    }
    return bits > 0;
}

void nv_list_control(NvPlan *p, const Op *op)
{
    if (op->code == OP_for)
        list_for(p, op);
    else if (op->code == OP_while)
        list_while(p, op);
    else
        list_if(p, op);
}
