/*
 * nv_reduce.c - reductions: in registers, among the lanes of a warp, among warps
 *
 * All threads that hold copies of a result get it, bit for bit the same: both lanes of a pair
 * combine the same two parts in the same order.
 */
#include "nv_combining.h"

/* --- registers ----------------------------------------------------------------------------- */

static void reduce_registers(Combining *c, int bit)
{
    int step = combining_register(c, 1u << bit);

    for (int r = 0; r < c->registers; r++) {
        Val when = NULL;
        if (!combining_is_left(c, r) || (r & step) || !c->x[r].v[0])
            continue;
        Certainty there = combining_exists(c, combining_index(c, r | step), &when);
        combining_append(c, &c->x[r], &c->x[r | step], there, when, &c->x[r]);
    }
    c->done |= 1u << bit;
}

/* --- lanes --------------------------------------------------------------------------------- */

static void reduce_lanes(Combining *c, int bit)
{
    int lane_bit = c->plan->walk.step[bit].bit;
    Val upper = c->plan->any_order ? NULL : combining_bit(c, bit);

    c->done |= 1u << bit;
    for (int r = 0; r < c->registers; r++) {
        Part other, first, second;
        Val when = NULL;
        if (!combining_is_left(c, r) || !c->x[r].v[0])
            continue;
        Certainty there = combining_exists(c, combining_index(c, r) | 1u << bit, &when);
        combining_shuffle(c, &c->x[r], lane_bit, &other);
        if (there == NEVER) { /* who would hold it gets the result as well */
            combining_select(c, combining_bit(c, bit), &other, &c->x[r], &c->x[r]);
            continue;
        }
        if (!upper) {
            combining_apply(c, &c->x[r], &other, &c->x[r]);
            continue;
        }
        combining_select(c, upper, &other, &c->x[r], &first);
        combining_select(c, upper, &c->x[r], &other, &second);
        combining_append(c, &first, &second, there, when, &c->x[r]);
    }
}

/* The instruction that reduces 32-bit integers of a whole warp, or NULL: it is not one of those. */
static const char *warp_instruction(const Combining *c, const NvStage *g)
{
    const Type *t = c->step->op->operands[0]->type;

    if (!c->plan->any_order || c->n->plan->chip < 80 || t->pointer || !dtype_is_int(t->dtype) ||
        dtype_bits(t->dtype) > 32 || __builtin_popcount(g->bits) < LAYOUT_LANE_BITS)
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

static void reduce_lane_stage(Combining *c, const NvStage *g)
{
    const char *instruction = warp_instruction(c, g);

    if (instruction) {
        reduce_warp(c, g, instruction);
        return;
    }
    for (int i = 0; i < c->plan->walk.nsteps; i++) {
        if (g->bits >> i & 1)
            reduce_lanes(c, i);
    }
}

/* --- warps --------------------------------------------------------------------------------- */

/* The parts of one register, by pairs that differ in one bit. */
static void reduce_parts(Combining *c, const NvStage *g, int r, Part *parts)
{
    int n = nv_stage_parts(g);

    for (int bit = 1; bit < n; bit *= 2) {
        for (int i = 0; i < n; i += 2 * bit) {
            Val when = NULL;
            uint32_t at = combining_index(c, r) | layout_deposit((uint32_t)(i + bit), g->bits);
            Certainty there = combining_exists(c, at, &when);
            combining_append(c, &parts[i], &parts[i + bit], there, when, &parts[i]);
        }
    }
    c->x[r] = parts[0];
}

static void reduce_warp_stage(Combining *c, const NvStage *g)
{
    Part *parts = combining_exchange(c, g);

    c->done |= g->bits;
    for (int r = 0; r < c->registers; r++) {
        if (combining_is_left(c, r) && c->x[r].v[0])
            reduce_parts(c, g, r, parts + r * nv_stage_parts(g));
    }
}

/* --- the whole ----------------------------------------------------------------------------- */

static void put_results(Combining *c)
{
    const NvStep *s = c->step;

    for (int k = 0; k < c->count; k++) {
        Val *out = nv_set(c->n, s->out[k]);
        for (int r = 0; r < nv_count(s->out[k]); r++) {
            Val v = c->x[layout_deposit((uint32_t)r, c->plan->walk.across)].v[k];
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
        if (g->kind == STEP_LANE)
            reduce_lane_stage(&c, g);
        else if (g->kind == STEP_WARP)
            reduce_warp_stage(&c, g);
        for (int bit = 0; g->kind == STEP_REGISTER && bit < c.plan->walk.nsteps; bit++) {
            if (g->bits >> bit & 1)
                reduce_registers(&c, bit);
        }
    }
    put_results(&c);
}
