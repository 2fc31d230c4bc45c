/*
 * nv_reduce.c - reductions: in registers, among the lanes of a warp, among warps
 *
 * All threads that hold copies of a result get it, bit for bit the same: both lanes of a pair
 * combine the same two parts in the same order.
 */
#include "nv_combining.h"

/* --- argmax and its kin --- */

/*
 * Of several pairs (value, index) at once: the best value first, then the lowest index that has it.
 * That is three instructions a pair, where to compare pair by pair takes ten.
 */
static bool is_winner(const Combining *c)
{
    return c->plan->kind.winner != OP_COUNT;
}

static bool has_floats(const Combining *c)
{
    return dtype_is_float(c->step->op->operands[0]->type->dtype);
}

static Val better(const Combining *c, Val a, Val b)
{
    bool largest = c->plan->kind.winner == OP_max;

    if (has_floats(c))
        return llvm_call2(c->n->l, c->n->b, largest ? "llvm.maxnum" : "llvm.minnum", a, b);
    return llvm_extreme(c->n->l, c->n->b, largest,
                        dtype_is_signed(c->step->op->operands[0]->type->dtype), a, b);
}

static Val lower(const Combining *c, Val i, Val j)
{
    bool is_signed = dtype_is_signed(c->step->op->operands[1]->type->dtype);

    return llvm_extreme(c->n->l, c->n->b, false, is_signed, i, j);
}

/* The index of a pair with that value, else one behind all others. */
static Val index_if(const Combining *c, const Part *x, Val best)
{
    Bld b = c->n->b;
    Part none;

    combining_neutral(c, &none);
    Val has = has_floats(c) ? LLVMBuildFCmp(b, LLVMRealOEQ, x->v[0], best, "")
                            : LLVMBuildICmp(b, LLVMIntEQ, x->v[0], best, "");
    return LLVMBuildSelect(b, has, x->v[1], none.v[1], "");
}

/* Where all are NaN none is equal to the best, and the first one wins: behind a branch. */
static Val first_of_nans(const Combining *c, Part *const *x, int n, Val best, Val index)
{
    Nv *nv = c->n;
    LLVMBasicBlockRef before = LLVMGetInsertBlock(nv->b), in = nv_block(nv), after = nv_block(nv);
    Val nan = LLVMBuildFCmp(nv->b, LLVMRealUNO, best, best, "");

    LLVMBuildCondBr(nv->b, nan, in, after);
    LLVMPositionBuilderAtEnd(nv->b, in);
    Val first = x[0]->v[1];
    for (int i = 1; i < n; i++)
        first = lower(c, first, x[i]->v[1]);
    LLVMBuildBr(nv->b, after);
    LLVMPositionBuilderAtEnd(nv->b, after);
    Val phi = LLVMBuildPhi(nv->b, LLVMTypeOf(index), "");
    LLVMAddIncoming(phi, (Val[]){index, first}, (LLVMBasicBlockRef[]){before, in}, 2);
    return phi;
}

static void win(const Combining *c, Part *const *x, int n, Part *out)
{
    Val *best = NEW_N(c->n->arena, Val, n);

    for (int i = 0; i < n; i++)
        best[i] = x[i]->v[0];
    for (int step = 1; step < n; step *= 2) {
        for (int i = 0; i + step < n; i += 2 * step)
            best[i] = better(c, best[i], best[i + step]);
    }
    Val index = index_if(c, x[0], best[0]);
    for (int i = 1; i < n; i++)
        index = lower(c, index, index_if(c, x[i], best[0]));
    if (has_floats(c))
        index = first_of_nans(c, x, n, best[0], index);
    *out = (Part){{best[0], index}};
}

static void win_registers(Combining *c, const NvStage *g)
{
    int gone = combining_register(c, g->bits);
    Part **x = NEW_N(c->n->arena, Part *, c->registers), won;

    for (int r = 0; r < c->registers; r++) {
        int n = 0;
        if (!combining_is_left(c, r) || (r & gone))
            continue;
        for (int i = r; i < c->registers; i++) {
            if ((i & ~gone) == r && c->x[i].v[0])
                x[n++] = &c->x[i];
        }
        if (n > 1) {
            win(c, x, n, &won);
            c->x[r] = won;
        } else if (n == 1) {
            c->x[r] = *x[0];
        }
    }
    c->done |= g->bits;
}

/* The index with which these lanes go for the best value: their own where they have it, and where
 * all are NaN. */
static Val index_for(const Combining *c, const Part *own, Val best)
{
    Val index = index_if(c, own, best);

    if (!has_floats(c))
        return index;
    Val nan = LLVMBuildFCmp(c->n->b, LLVMRealUNO, best, best, "");
    return LLVMBuildSelect(c->n->b, nan, own->v[1], index, "");
}

/* Among lanes that differ in several bits: all find the best value, and then its lowest index. */
static void win_lanes(Combining *c, uint32_t bits, int gone)
{
    const AxisStep *step = c->plan->walk.step;

    c->done |= bits;
    for (int r = 0; r < c->registers; r++) {
        Part *x = &c->x[r], best = *x, other;
        if (!combining_is_left(c, r) || (r & gone) || !x->v[0])
            continue;
        for (uint32_t left = bits; left; left &= left - 1) {
            combining_shuffle(c, &best, step[__builtin_ctz(left)].bit, &other);
            best.v[0] = better(c, best.v[0], other.v[0]);
        }
        best.v[1] = index_for(c, x, best.v[0]);
        for (uint32_t left = bits; left; left &= left - 1) {
            combining_shuffle(c, &best, step[__builtin_ctz(left)].bit, &other);
            best.v[1] = lower(c, best.v[1], other.v[1]);
        }
        *x = best;
    }
}

/* A whole warp, whose indices one instruction reduces. */
static bool win_warp(Combining *c, const NvStage *g)
{
    Nv *n = c->n;

    if (!is_winner(c) || __builtin_popcount(g->bits) < NV_LANE_BITS)
        return false;
    const Type *places = c->step->op->operands[1]->type;
    if (dtype_bits(places->dtype) != 32)
        return false;
    const char *lowest =
        dtype_is_signed(places->dtype) ? "llvm.nvvm.redux.sync.min" : "llvm.nvvm.redux.sync.umin";
    c->done |= g->bits;
    for (int r = 0; r < c->registers; r++) {
        Part *x = &c->x[r], best = *x, other;
        if (!combining_is_left(c, r) || !x->v[0])
            continue;
        for (int lane = 0; lane < NV_LANE_BITS; lane++) {
            combining_shuffle(c, &best, lane, &other);
            best.v[0] = better(c, best.v[0], other.v[0]);
        }
        Val args[] = {index_for(c, x, best.v[0]), llvm_int(n->l->i32, -1)};
        *x = (Part){{best.v[0], llvm_call(n->l, n->b, lowest, 0, NULL, 2, args)}};
    }
    return true;
}

/* --- registers --- */

static void reduce_registers(Combining *c, int bit)
{
    int step = combining_register(c, 1u << bit);

    for (int r = 0; r < c->registers; r++) {
        Val when = NULL;
        if (!combining_is_left(c, r) || (r & step) || !c->x[r].v[0])
            continue;
        Certainty there = combining_exists(c, combining_index(c, r | step), &when);
        combining_append(c, r, &c->x[r], &c->x[r | step], there, when, &c->x[r]);
    }
    c->done |= 1u << bit;
}

/* --- lanes --- */

/* Two lanes that differ in that bit have a part each, which together become register r of both. */
static void join_lanes(Combining *c, int bit, int r, const Part *own, const Part *other)
{
    Val upper = combining_bit(c, bit), when = NULL;
    Certainty there = combining_exists(c, combining_index(c, r) | 1u << bit, &when);
    Part first, second;

    if (there != NEVER && c->plan->any_order) {
        combining_apply(c, r, own, other, NULL, own, &c->x[r]);
        return;
    }
    combining_select(c, upper, other, own, &first);
    combining_select(c, upper, own, other, &second);
    combining_append(c, r, &first, &second, there, when, &c->x[r]);
}

/* Registers that have one of the bits in `gone` hold nothing any more. */
static void reduce_lanes(Combining *c, int bit, int gone)
{
    c->done |= 1u << bit;
    for (int r = 0; r < c->registers; r++) {
        Part other;
        if (!combining_is_left(c, r) || (r & gone) || !c->x[r].v[0])
            continue;
        combining_shuffle(c, &c->x[r], c->plan->walk.step[bit].bit, &other);
        join_lanes(c, bit, r, &c->x[r], &other);
    }
}

/* The instruction that reduces 32-bit integers of a whole warp, or NULL: it is not one of those. */
static const char *warp_instruction(const Combining *c, const NvStage *g)
{
    const Type *t = c->step->op->operands[0]->type;

    if (!c->plan->any_order || t->pointer || !dtype_is_int(t->dtype) || dtype_bits(t->dtype) > 32 ||
        __builtin_popcount(g->bits) < NV_LANE_BITS)
        return NULL;
    switch (c->plan->kind.neutral) {
    case OP_add:
        return "llvm.nvvm.redux.sync.add";
    case OP_min:
        return dtype_is_signed(t->dtype) ? "llvm.nvvm.redux.sync.min" : "llvm.nvvm.redux.sync.umin";
    case OP_max:
        return dtype_is_signed(t->dtype) ? "llvm.nvvm.redux.sync.max" : "llvm.nvvm.redux.sync.umax";
    case OP_and:
        return "llvm.nvvm.redux.sync.and";
    case OP_or:
        return "llvm.nvvm.redux.sync.or";
    case OP_xor:
        return "llvm.nvvm.redux.sync.xor";
    default:
        return NULL;
    }
}

/* Numbers of fewer bits are extended; what a sum has beyond them is cut off. */
static void reduce_warp(Combining *c, const NvStage *g, const char *instruction)
{
    Nv *n = c->n;
    bool is_signed = dtype_is_signed(c->step->op->operands[0]->type->dtype);

    c->done |= g->bits;
    for (int r = 0; r < c->registers; r++) {
        if (!combining_is_left(c, r) || !c->x[r].v[0])
            continue;
        LLVMTypeRef t = LLVMTypeOf(c->x[r].v[0]);
        Val args[2] = {LLVMBuildIntCast2(n->b, c->x[r].v[0], n->l->i32, is_signed, ""),
                       llvm_int(n->l->i32, -1)};
        Val sum = llvm_call(n->l, n->b, instruction, 0, NULL, 2, args);
        c->x[r].v[0] = LLVMBuildTruncOrBitCast(n->b, sum, t, "");
    }
}

/*
 * Several rows: where two lanes combine two rows each, each of them can do one: it keeps that one
 * and gets its other half for the half of the row that it gives away.  That is one shuffle instead
 * of two, half as many registers go on, and at the end each row comes from the lanes that did it.
 */
typedef struct {
    int n, count;           /* bits of registers that tell rows apart, and how many are used */
    int row[NV_LANE_BITS];  /* such a bit, as a mask */
    int lane[NV_LANE_BITS]; /* the bit of the lane that does the rows with that bit set */
    int gone;               /* all of the used ones */
} Rows;

/* Is every register alive whose number differs in that bit from one that is? */
static bool rows_are_alike(const Combining *c, int row)
{
    for (int r = 0; r < c->registers; r++) {
        if (combining_is_left(c, r) && !c->x[r].v[0] != !c->x[r ^ row].v[0])
            return false;
    }
    return true;
}

/* As many as save shuffles.  Where lanes differ in two bits, the selects are as many instructions
 * as what they save, and the result comes a shuffle later: attention of 64 whose threads have four
 * rows took 182 us with them on an H200, and takes 170. */
static Rows find_rows(const Combining *c, const NvStage *g)
{
    enum { FEW_BITS = 2 };
    int lanes = __builtin_popcount(g->bits), left = 1;
    Rows rows = {0};

    for (int i = 0; i < c->plan->layout->nreg; i++) {
        if ((c->plan->walk.across >> i & 1) == 0 || !rows_are_alike(c, 1 << i))
            continue;
        left *= 2;
        if (rows.n < lanes)
            rows.row[rows.n++] = 1 << i;
    }
    int cost = left; /* to hand them out */
    for (int i = 0, n = left; i < lanes; i++) {
        n = i < rows.n ? n / 2 : n;
        cost += n;
    }
    if (cost >= lanes * left || c->plan->once || lanes <= FEW_BITS)
        rows.n = 0;
    return rows;
}

static void share_rows(Combining *c, int bit, Rows *rows)
{
    int row = rows->row[rows->count], lane_bit = c->plan->walk.step[bit].bit;
    Val upper = combining_bit(c, bit);

    c->done |= 1u << bit;
    for (int r = 0; r < c->registers; r++) {
        Part given, own, other;
        if (!combining_is_left(c, r) || (r & (rows->gone | row)) || !c->x[r].v[0])
            continue;
        combining_select(c, upper, &c->x[r], &c->x[r | row], &given);
        combining_select(c, upper, &c->x[r | row], &c->x[r], &own);
        combining_shuffle(c, &given, lane_bit, &other);
        join_lanes(c, bit, r, &own, &other);
    }
    rows->lane[rows->count++] = lane_bit;
    rows->gone |= row;
}

static void hand_rows_out(Combining *c, const Rows *rows)
{
    LLVMTypeRef i32 = c->n->l->i32;
    int lanes = 0;

    for (int i = 0; i < rows->count; i++)
        lanes |= 1 << rows->lane[i];
    Val rest = LLVMBuildAnd(c->n->b, c->n->lane, llvm_int(i32, ~lanes), "");
    for (int r = c->registers - 1; r >= 0; r--) { /* those which are gone first */
        int from = 0;
        if (!combining_is_left(c, r) || !c->x[r & ~rows->gone].v[0])
            continue;
        for (int i = 0; i < rows->count; i++)
            from |= r & rows->row[i] ? 1 << rows->lane[i] : 0;
        Val lane = LLVMBuildOr(c->n->b, rest, llvm_int(i32, from), "");
        combining_fetch(c, &c->x[r & ~rows->gone], lane, &c->x[r]);
    }
}

static void reduce_lane_stage(Combining *c, const NvStage *g)
{
    const char *instruction = warp_instruction(c, g);

    if (win_warp(c, g))
        return;
    if (instruction) {
        reduce_warp(c, g, instruction);
        return;
    }
    Rows rows = find_rows(c, g);
    for (int i = 0; i < c->plan->walk.nsteps; i++) {
        if ((g->bits >> i & 1) == 0)
            continue;
        uint32_t left = g->bits & ~c->done;
        if (rows.count < rows.n)
            share_rows(c, i, &rows);
        else if (is_winner(c) && c->plan->any_order && (left & (left - 1)) != 0)
            win_lanes(c, left, rows.gone);
        else if (left >> i & 1)
            reduce_lanes(c, i, rows.gone);
    }
    if (rows.count > 0)
        hand_rows_out(c, &rows);
}

/* --- warps --- */

/* The parts of one register, by pairs that differ in one bit. */
static void reduce_parts(Combining *c, const NvStage *g, int r, Part *parts)
{
    Part *all[1 << LAYOUT_MAX_WARP_BITS];

    for (int i = 0; i < g->each; i++)
        all[i] = &parts[i];
    if (is_winner(c)) {
        win(c, all, g->each, &c->x[r]);
        return;
    }
    for (int bit = 1; bit < g->each; bit *= 2) {
        for (int i = 0; i < g->each; i += 2 * bit) {
            Val when = NULL;
            uint32_t at = combining_index(c, r) | layout_deposit((uint32_t)(i + bit), g->bits);
            Certainty there = combining_exists(c, at, &when);
            combining_append(c, r, &parts[i], &parts[i + bit], there, when, &parts[i]);
        }
    }
    c->x[r] = parts[0];
}

/* What lanes have of some parts each; only where any order goes, so that all parts exist. */
static void reduce_spread(Combining *c, const NvStage *g, int r)
{
    for (uint32_t left = g->lanes; left; left &= left - 1) {
        Part other;

        combining_shuffle(c, &c->x[r], __builtin_ctz(left), &other);
        combining_apply(c, r, &c->x[r], &other, NULL, &c->x[r], &c->x[r]);
    }
}

static void reduce_warp_stage(Combining *c, const NvStage *g)
{
    Part *parts = combining_exchange(c, g);

    c->done |= g->bits;
    for (int r = 0; r < c->registers; r++) {
        if (!combining_is_left(c, r) || !c->x[r].v[0] || ((uint32_t)r & c->plan->deal.rows))
            continue;
        reduce_parts(c, g, r, parts + r * g->each);
        reduce_spread(c, g, r);
    }
}

/* --- votes --- */

static void vote(Combining *c, const NvStage *g)
{
    Nv *n = c->n;
    bool any = c->plan->kind.neutral == OP_or;
    Val *own = &c->x[0].v[0];

    c->done |= g->bits;
    if (c->step == n->plan->look && n->stopped)
        *own = LLVMBuildOr(n->b, *own, n->stopped, "");
    if (g->kind == STEP_WARP && n->plan->warps > 1) {
        *own = nv_vote(n, any, *own);
        return;
    }
    Val args[] = {llvm_int(n->l->i32, -1), *own};
    *own = llvm_call(n->l, n->b, any ? "llvm.nvvm.vote.any.sync" : "llvm.nvvm.vote.all.sync", 0,
                     NULL, COUNT(args), args);
}

/* --- the whole --- */

static void put_results(Combining *c)
{
    const NvStep *s = c->step;

    for (int k = 0; k < c->count; k++) {
        if (!s->out[k]) /* nobody wants it */
            continue;
        Val *out = nv_set(c->n, s->out[k]);
        for (int r = 0; r < nv_count(s->out[k]); r++) {
            uint32_t rows = c->plan->walk.across & ~c->plan->deal.rows;
            Val v = c->x[layout_deposit((uint32_t)r, rows)].v[k];
            DType t = s->op->operands[k]->type->dtype;
            out[r] = v && c->wide ? emit_round(&c->n->e, c->n->b, v, t) : v;
        }
    }
}

void nv_reduce(Nv *n, const NvStep *s)
{
    Combining c = combining_begin(n, s);

    for (int i = 0; i < c.plan->nstages; i++) {
        const NvStage *g = &c.plan->stages[i];
        if (c.plan->votes && g->kind != STEP_REGISTER)
            vote(&c, g);
        else if (g->kind == STEP_LANE)
            reduce_lane_stage(&c, g);
        else if (g->kind == STEP_WARP)
            reduce_warp_stage(&c, g);
        if (g->kind == STEP_REGISTER && is_winner(&c))
            win_registers(&c, g);
        for (int bit = 0; g->kind == STEP_REGISTER && bit < c.plan->walk.nsteps; bit++) {
            if ((g->bits & ~c.done) >> bit & 1)
                reduce_registers(&c, bit);
        }
    }
    put_results(&c);
}
