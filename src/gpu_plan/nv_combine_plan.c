/*
 * nv_combine_plan.c - the stages of reductions and scans; see nv_combine.h
 */
#include "nv_combine.h"

static void note_flags(Op *op, void *found)
{
    static const uint32_t flags[] = {READS, WRITES, EFFECT};
    uint32_t *seen = found;

    for (int i = 0; i < COUNT(flags); i++)
        *seen |= op_has(op, flags[i]) && !(flags[i] == EFFECT && op_has(op, WRITES)) ? flags[i] : 0;
}

/* READS and WRITES: what the region does to memory.  EFFECT: it says something, to which all
 * threads come together. */
static uint32_t flags_of_region(const Op *op)
{
    uint32_t seen = 0;

    ir_walk(op->regions[0], note_flags, &seen);
    return seen;
}

/* A reduction by that may take elements as they come; nothing else is known to commute. */
static bool is_any_order(const Op *op, CombineKind kind)
{
    return ir_reduces(op) &&
           (kind.winner != OP_COUNT || (kind.neutral != OP_COUNT && op_has(kind.only, COMMUTES)));
}

/* --- stages --- */

static void add_to_stage(NvCombine *c, StepKind kind, int bit)
{
    NvStage *last = c->nstages > 0 ? &c->stages[c->nstages - 1] : NULL;

    if (!last || last->kind != kind) {
        last = &c->stages[c->nstages++];
        *last = (NvStage){.kind = kind, .buffer = NV_NO_BUFFER};
    }
    last->bits |= 1u << bit;
}

static void make_stages(NvCombine *c)
{
    static const StepKind kinds[] = {STEP_REGISTER, STEP_LANE, STEP_WARP};

    if (!c->any_order) {
        for (int i = 0; i < c->walk.nsteps; i++)
            add_to_stage(c, c->walk.step[i].kind, i);
        return;
    }
    for (int k = 0; k < COUNT(kinds); k++) {
        for (int i = 0; i < c->walk.nsteps; i++) {
            if (c->walk.step[i].kind == kinds[k])
                add_to_stage(c, kinds[k], i);
        }
    }
}

/* The bit of the thread's number that moves this bit of the index; 0: a register's does. */
static uint32_t thread_bit(const NvCombine *c, int index_bit)
{
    AxisStep s = c->walk.step[index_bit];

    return s.kind == STEP_REGISTER ? 0
           : s.kind == STEP_LANE   ? 1u << s.bit
                                   : 1u << (s.bit + c->layout->nlane);
}

uint32_t nv_telling_bits(const NvCombine *c, uint32_t done)
{
    const Layout *l = c->layout;
    uint32_t bits = 0;

    for (int i = 0; i < l->nlane; i++)
        bits |= (uint32_t)(l->lane[i] != 0) << i;
    for (int i = 0; i < l->nwarp; i++)
        bits |= (uint32_t)(l->warp[i] != 0) << (i + l->nlane);
    for (int i = 0; i < c->walk.nsteps; i++) {
        if (done >> i & 1)
            bits &= ~thread_bit(c, i);
    }
    return bits;
}

/* Registers that are left when these bits of the index are done. */
static int registers_left(const NvCombine *c, uint32_t done)
{
    int n = c->layout->nreg;

    for (int i = 0; i < c->walk.nsteps; i++)
        n -= (done >> i & 1) && c->walk.step[i].kind == STEP_REGISTER;
    return 1 << n;
}

int nv_stage_vector(const NvStage *g, const Type *t)
{
    return g->neighbours ? MIN(g->each, NV_ACCESS_BYTES / (nv_combined_words(t) * NV_WORD)) : 1;
}

int nv_stage_slots(const NvStage *g, const Type *t)
{
    return g->neighbours ? 1 : MIN(g->slots, NV_ACCESS_BYTES / (nv_combined_words(t) * NV_WORD));
}

int64_t nv_stage_start(const NvStage *g, const Op *op, int k)
{
    int64_t at = 0, parts = (int64_t)g->slots * nv_stage_parts(g) * nv_stage_threads(g);

    for (int i = 0; i < op->noperands; i++) {
        const Type *t = op->operands[i]->type;
        int bytes = nv_combined_words(t) * NV_WORD;
        int vector = bytes * MAX(nv_stage_vector(g, t), nv_stage_slots(g, t));
        at = (at + vector - 1) / vector * vector;
        if (i == k)
            break;
        at += bytes * parts;
    }
    return at;
}

/* With few warps each thread reads all parts; with many, or of many rows, that takes longer, and
 * more registers, than to read one vector of them and to combine those of lanes that would have
 * nothing else to do. */
static bool has_many_parts(const NvStage *g)
{
    enum { FEW = 8, OF_ROWS = 32 };
    int parts = nv_stage_parts(g);

    return parts > FEW || (parts > NV_ACCESS_BYTES / NV_WORD && parts * g->slots > OF_ROWS);
}

static void spread_parts(const Op *op, const NvCombine *c, NvStage *g)
{
    uint32_t idle = ((1u << c->layout->nlane) - 1) & ~g->writers;
    int parts = nv_stage_parts(g), vector = NV_ACCESS_BYTES / NV_WORD;

    g->each = parts;
    for (int i = 0; i < op->noperands; i++)
        vector = MIN(vector, NV_ACCESS_BYTES / NV_WORD / nv_combined_words(op->operands[i]->type));
    int bits = __builtin_ctz((unsigned)parts) - __builtin_ctz((unsigned)vector);
    if (!c->any_order || c->uses_memory || c->deal.rows || !g->neighbours || !has_many_parts(g) ||
        bits > __builtin_popcount(idle))
        return;
    g->each = vector;
    for (; bits > 0; bits--, idle &= idle - 1)
        g->lanes |= idle & -idle;
}

/* Reads of neighbouring parts go in vectors, but many lanes that write so meet in the banks.  Of
 * slots, where there are enough, vectors are written, too. */
static void plan_exchange(const NvPlan *p, const Op *op, const NvCombine *c, NvStage *g,
                          uint32_t done)
{
    uint32_t lanes = (1u << c->layout->nlane) - 1;

    g->writers = nv_telling_bits(c, done | g->bits);
    g->slots = registers_left(c, done);
    int apart = g->slots * nv_stage_parts(g) << __builtin_popcount(g->writers & lanes);
    int parts = nv_stage_parts(g), vector = MIN(parts, NV_ACCESS_BYTES / NV_WORD);
    g->neighbours = apart <= 2 * p->chip->banks && (has_many_parts(g) || g->slots < vector);
    spread_parts(op, c, g);
}

/* The bytes of shared memory that all stages take, were the operands in that layout. */
static int64_t bytes_of_stages(const NvPlan *p, const Op *op, const Layout *l, const AxisWalk *walk)
{
    NvCombine c = {.layout = l, .walk = *walk, .any_order = is_any_order(op, ir_combine_kind(op))};
    uint32_t done = 0;
    int64_t bytes = 0;

    make_stages(&c);
    for (int i = 0; i < c.nstages; i++) {
        NvStage *g = &c.stages[i];
        if (g->kind == STEP_WARP) {
            plan_exchange(p, op, &c, g, done);
            bytes += nv_stage_start(g, op, op->noperands);
        }
        done |= g->bits;
    }
    return bytes;
}

/* --- the layout --- */

/* Of all operands: the home of one, if its bits can be walked along the axis. */
static const Layout *common_home(NvPlan *p, const Op *op)
{
    const Value *best = NULL;
    AxisWalk walk;

    for (int i = 0; i < op->noperands; i++) {
        const Value *v = op->operands[i];
        if (nv_home(p, v) && layout_walk(nv_home(p, v), (int)attr_axis(op), &walk) &&
            (!best || nv_value(p, v)->strength > nv_value(p, best)->strength))
            best = v;
    }
    return best ? nv_home(p, best) : nv_default_layout(p, op->operands[0]->type);
}

/* What a thread combines if bits go from the lowest to the highest. */
static int64_t combinations(const Layout *l, int axis)
{
    int64_t left = (int64_t)1 << l->nreg, all = 0, parts = 1;
    AxisWalk walk;

    if (!layout_walk(l, axis, &walk))
        return INT64_MAX;
    for (int i = 0; i < walk.nsteps; i++) {
        StepKind kind = walk.step[i].kind;
        left /= kind == STEP_REGISTER ? 2 : 1;
        all += left * (kind == STEP_WARP ? parts : 1); /* of warps each thread combines all parts */
        parts *= kind == STEP_WARP ? 2 : 1;
    }
    return all;
}

static void count_op(Op *op, void *count)
{
    (void)op;
    ++*(int *)count;
}

/* Is there memory for what warps tell each other, were the operands in that layout? */
static bool has_memory(const NvPlan *p, const Op *op, const Layout *l)
{
    AxisWalk walk;

    return layout_walk(l, (int)attr_axis(op), &walk) &&
           bytes_of_stages(p, op, l, &walk) <= p->chip->shared;
}

/* Each thread with a run of neighbours, which it combines alone; NULL: that is no less to do.  The
 * results of a scan go back, and its combinations take a shuffle and a choice beside the ops. */
static const Layout *layout_of_runs(NvPlan *p, const Op *op, const Layout *home)
{
    enum { MOVE = 8, BETWEEN_LANES = 2 }; /* instructions; of an element's way to another layout */
    const Type *t = op->operands[0]->type;
    int axis = (int)attr_axis(op), ops = 0, n = 1;
    int64_t each = layout_registers(home);
    int8_t order[MAX_RANK] = {(int8_t)axis};
    Layout l;

    for (int d = t->rank - 1; d >= 0; d--) {
        if (d != axis)
            order[n++] = (int8_t)d;
    }
    int bits = MIN(home->nreg, layout_bits_of(t->dims[axis]));
    ir_walk(op->regions[0], count_op, &ops);
    if (!layout_blocked(&l, t->rank, t->dims, order, bits, NULL, nv_block_threads(p)))
        return NULL;
    int64_t now = combinations(home, axis), then = combinations(&l, axis);
    int moved = op->noperands + (ir_reduces(op) ? 0 : op->nresults);
    ops += ir_reduces(op) ? 0 : BETWEEN_LANES;
    bool pays = (now - then) * ops > MOVE * each * moved || !has_memory(p, op, home);
    return pays ? nv_layout(p, &l) : NULL;
}

/* Where a reduction or scan has its operands.  What keeps the order has many combinations to do
 * where a thread's elements are far apart. */
static const Layout *combined_layout(NvPlan *p, const Op *op, AxisWalk *walk)
{
    const Layout *l = common_home(p, op), *runs = NULL;

    if (l && !is_any_order(op, ir_combine_kind(op)))
        runs = layout_of_runs(p, op, l);
    l = runs ? runs : l;
    if (l && !layout_walk(l, (int)attr_axis(op), walk))
        bug("no way along axis %d", (int)attr_axis(op));
    return l;
}

/* --- rows that are dealt out --- */

static int lowest_row(const Layout *l, uint32_t taken)
{
    int best = -1;

    for (int i = 0; i < l->nreg; i++) {
        if ((taken >> i & 1) == 0 && l->reg[i] != 0 && (best < 0 || l->reg[i] < l->reg[best]))
            best = i;
    }
    return best;
}

/* Of a reduction whose last parts come together through shared memory: the threads that would read
 * the same rows read one after the other each, neighbours in neighbouring lanes. */
static bool deal_out(const Op *op, const Layout *l, const AxisWalk *walk, NvDeal *out)
{
    const Layout *r = &walk->result;
    bool exchanges = false;
    uint32_t taken = 0;

    *out = (NvDeal){.result = *r};
    for (int i = 0; i < walk->nsteps; i++)
        exchanges |= walk->step[i].kind == STEP_WARP;
    for (int d = 0; d < r->rank; d++)
        exchanges &= (r->dims[d] & (r->dims[d] - 1)) == 0;
    if (!exchanges || !is_any_order(op, ir_combine_kind(op)))
        return false;
    for (int bit = 0; bit < l->nlane + l->nwarp; bit++) {
        uint32_t *there =
            bit < l->nlane ? &out->result.lane[bit] : &out->result.warp[bit - l->nlane];
        int row = lowest_row(r, taken);
        if (row < 0)
            break;
        if (*there != 0)
            continue;
        taken |= 1u << row;
        *there = r->reg[row];
        out->each[bit] = layout_deposit(1u << row, walk->across);
        out->rows |= out->each[bit];
    }
    int n = 0;
    for (int i = 0; i < r->nreg; i++) {
        if ((taken >> i & 1) == 0)
            out->result.reg[n++] = r->reg[i];
    }
    out->result.nreg = (int8_t)n;
    return taken != 0;
}

/* Is something made of it that goes back to where the rows are? */
static bool goes_back(const NvPlan *p, const Value *v, int depth)
{
    const Use *uses = uses_of(&p->uses, v);

    for (int i = 0; i < uses_count(&p->uses, v); i++) {
        const Op *op = uses[i].op, *owner = op->block->last == op ? op->block->owner : NULL;
        if (depth == 0 || op->code == OP_while || (owner && owner->code == OP_while))
            return true;
        if (op_has(op, WRITES))
            continue;
        if (owner || !op_is_elementwise(op) || op->nresults != 1 ||
            !type_same_shape(op->results[0]->type, v->type) ||
            goes_back(p, op->results[0], depth - 1))
            return true;
    }
    return false;
}

/* Do its results go to memory, without coming back to the rows that they are of? */
static bool is_dealt_out(const NvPlan *p, const Op *op)
{
    enum { DEPTH = 6 };

    for (int i = 0; i < op->nresults; i++) {
        if (!nv_is_tile(op->results[i]) || goes_back(p, op->results[i], DEPTH))
            return false;
    }
    return true;
}

void nv_choose_reduce(NvPlan *p, const Op *op)
{
    AxisWalk walk;
    NvDeal deal;
    const Layout *l = combined_layout(p, op, &walk);
    bool dealt = l && is_dealt_out(p, op) && deal_out(op, l, &walk, &deal);

    for (int i = 0; i < op->nresults && l; i++) {
        *nv_value(p, op->results[i]) = (NvValue){0};
        if (nv_is_tile(op->results[i]))
            nv_set_home(p, op->results[i], dealt ? &deal.result : &walk.result, NV_PLAIN);
    }
}

void nv_choose_scan(NvPlan *p, const Op *op)
{
    AxisWalk walk;
    const Layout *l = combined_layout(p, op, &walk);

    for (int i = 0; i < op->nresults && l; i++)
        nv_set_home(p, op->results[i], l, NV_PLAIN);
}

/* --- votes --- */

/* Does it end as one bit, and does each thread have one of it? */
static bool is_vote(const Op *op, const AxisWalk *walk)
{
    const Type *t = op->operands[0]->type;
    CombineKind kind = ir_combine_kind(op);

    return ir_reduces(op) && op->noperands == 1 && t->rank == 1 && !t->pointer &&
           t->dtype == DT_I1 && (kind.neutral == OP_or || kind.neutral == OP_and) &&
           walk->nsteps > 0;
}

/* What threads have comes together at once.  Those with copies may ask as well. */
static void make_vote(NvCombine *c)
{
    NvStage all = {.kind = STEP_LANE, .buffer = NV_NO_BUFFER};
    int n = 0;

    for (int i = 0; i < c->nstages; i++) {
        const NvStage *g = &c->stages[i];
        if (g->kind == STEP_REGISTER) {
            c->stages[n++] = *g;
            continue;
        }
        all.bits |= g->bits;
        all.kind = g->kind == STEP_WARP ? STEP_WARP : all.kind;
    }
    c->votes = all.bits != 0;
    if (c->votes)
        c->stages[n++] = all;
    c->nstages = n;
}

/* --- the plan --- */

static const NvCombine *plan_combine(NvPlan *p, NvStep *s)
{
    NvCombine *c = NEW(p->arena, NvCombine);
    uint32_t done = 0, flags = flags_of_region(s->op);

    *c = (NvCombine){.axis = (int)attr_axis(s->op), .kind = ir_combine_kind(s->op)};
    c->layout = combined_layout(p, s->op, &c->walk);
    c->any_order = is_any_order(s->op, c->kind);
    c->uses_memory = (flags & (READS | WRITES)) != 0 && (flags & EFFECT) == 0;
    c->once = c->uses_memory && ir_reduces(s->op) && (flags & WRITES) != 0;
    if (!ir_reduces(s->op) || !is_dealt_out(p, s->op) ||
        !deal_out(s->op, c->layout, &c->walk, &c->deal))
        c->deal = (NvDeal){0};
    make_stages(c);
    if (is_vote(s->op, &c->walk))
        make_vote(c);
    if (c->once) /* of no bits: all read what the one has found that did it */
        c->stages[c->nstages++] = (NvStage){.kind = STEP_WARP};
    for (int i = 0; i < c->nstages; i++) {
        NvStage *g = &c->stages[i];
        if (g->kind == STEP_WARP)
            s->within = nv_wait_warps(p);
        if (g->kind == STEP_WARP && !c->votes) {
            plan_exchange(p, s->op, c, g, done);
            g->buffer = nv_buffer(p, nv_stage_start(g, s->op, s->op->noperands));
            nv_use(p, s, g->buffer, true, false);
            nv_use(p, s, g->buffer, false, true);
        }
        done |= g->bits;
    }
    return c;
}

static void list_combine(NvPlan *p, NvStepKind kind, const Op *op)
{
    NvStep *s = nv_step(p, kind, op);

    if (!nv_is_wanted(p, op))
        return;
    for (int i = 0; i < op->nresults; i++)
        s->out[i] = nv_result(p, op, i);
    const NvCombine *c = plan_combine(p, s);
    s->detail = c;
    s->body[0] = nv_list_region(p, op->regions[0]);
    for (int i = 0; i < op->noperands; i++)
        nv_want(p, s, i, c->layout);
    nv_list(p, s);
}

void nv_list_reduce(NvPlan *p, const Op *op)
{
    list_combine(p, NV_REDUCE, op);
}

void nv_list_scan(NvPlan *p, const Op *op)
{
    list_combine(p, NV_SCAN, op);
}
