/*
 * cpu_combine.c - reductions: roots that combine elements by a region; scans are in cpu_scan.c
 *
 * A reduction along the inner dimension keeps vector accumulators, one for each unrolled copy, and
 * folds their lanes once per row.  Along another dimension the accumulators are the result's
 * buffer, read and written as the rows go by.  A region that is one op with a neutral element
 * (sum, max, ...) starts from that; so does one by which of two pairs the better stays (argmax),
 * from a pair that loses to all; any other region tracks which lanes hold something yet.  In a
 * serial nest there are no lanes, only one accumulator.
 *
 * The order of combination depends on extents and the machine's vectors, never on threads.  Sums
 * of small floats are kept in fp32 and rounded once.
 */
#include "cpu.h"

#include <math.h>
#include <string.h>

enum { MAX_COPIES = MAX_PLANES * MAX_UNROLL };

struct Reduction {
    const Op *op;
    Combining plan;
    int n; /* values reduced together */
    Val slot[MAX_COPIES][MAX_COMBINED];
    Val have[MAX_COPIES]; /* i1 lanes that hold something; NULL where there is a start_of() */
    Reduction *next;
};

/* --- regions --- */

/* Any other region, as the scalar code it is.  Only where there is something earlier: nobody
 * knows how long its loops would run on what the accumulators hold before. */
static void combine_one(Cpu *c, const Root *root, Val first, const Val *args, Val *results)
{
    const Block *region = root->op->regions[0];
    LLVMBasicBlockRef before = LLVMGetInsertBlock(c->b), run = cpu_block(c), after = cpu_block(c);
    int n = root->op->noperands;

    LLVMBuildCondBr(c->b, first, after, run);
    LLVMPositionBuilderAtEnd(c->b, run);
    for (int i = 0; i < region->nargs; i++)
        c->scalars[region->args[i]->id] = args[i];
    cpu_steps(c, root->combine);
    run = LLVMGetInsertBlock(c->b);
    LLVMBuildBr(c->b, after);
    LLVMPositionBuilderAtEnd(c->b, after);
    for (int k = 0; k < n; k++) {
        Val now = c->scalars[region->last->operands[k]->id];
        results[k] = LLVMBuildPhi(c->b, LLVMTypeOf(now), "");
        LLVMAddIncoming(results[k], (Val[]){args[n + k], now}, (LLVMBasicBlockRef[]){before, run},
                        2);
    }
}

void cpu_combine(NestCg *n, const Op *op, Val first, const Val *args, Val *results)
{
    if (n->nest->serial) {
        combine_one(n->c, &n->nest->roots.at[0], first, args, results);
        return;
    }
    Bld b = n->at[n->rank];
    cpu_region(n->c, b, op->regions[0], args, n->lanes, results);
    for (int k = 0; k < op->noperands; k++)
        results[k] = LLVMBuildSelect(b, first, args[op->noperands + k], results[k], "");
}

/* One op, and an element that changes nothing in it. */
static bool is_simple(const Reduction *r)
{
    return r->plan.kind.neutral != OP_COUNT;
}

Val cpu_neutral(Cpu *c, const Op *op, const CombineKind *kind)
{
    DType t = op->operands[0]->type->dtype;
    LLVMTypeRef reg = emit_register_type(&c->e, t, 0);

    return dtype_is_float(t) ? llvm_real(reg, kind->real) : LLVMConstInt(reg, kind->bits, 0);
}

/* That element. */
static Val neutral(Cpu *c, const Reduction *r)
{
    return cpu_neutral(c, r->op, &r->plan.kind);
}

static bool is_winner(const Reduction *r)
{
    return r->plan.kind.winner != OP_COUNT;
}

/* What an accumulator begins with, if nothing is tracked; NULL: it is.  A number wins over NaN, and
 * the lower index over the highest. */
static Val start_of(Cpu *c, const Reduction *r, int k)
{
    DType t = r->op->operands[k]->type->dtype;

    if (is_simple(r))
        return neutral(c, r);
    if (!is_winner(r))
        return NULL;
    LLVMTypeRef reg = emit_register_type(&c->e, t, 0);
    if (dtype_is_float(t))
        return llvm_real(reg, (double)NAN);
    return LLVMConstInt(reg, ir_extreme(t, k > 0 || r->plan.kind.winner == OP_min), 0);
}

static Val combine_simple(Cpu *c, Bld b, const Reduction *r, Val x, Val y)
{
    DType t = r->op->operands[0]->type->dtype;
    bool small = dtype_is_float(t) && dtype_bits(t) < 32;

    if (small && r->plan.kind.neutral == OP_add)
        return LLVMBuildFAdd(b, x, y, ""); /* rounded at the end */
    return emit_op(&c->e, b, r->op->regions[0]->first, (Val[]){x, y});
}

/* --- reductions along the inner dimension --- */

static Reduction *find_reduction(const NestCg *n, const Op *op)
{
    Reduction *r = n->reductions;

    while (r && r->op != op)
        r = r->next;
    return r;
}

static void begin_serial(NestCg *n, Reduction *r)
{
    for (int k = 0; k < r->n; k++)
        r->slot[0][k] = cpu_slot(n->c, emit_type(&n->c->e, r->op->operands[k]->type, 0));
}

/* So many elements that are x, at least one, as their sum where they are added. */
static Val repeated(Bld b, const Reduction *r, Val x, Val times)
{
    if (r->plan.kind.neutral != OP_add || LLVMIsNull(x)) /* LLVM knows not of 0 that it stays */
        return x;
    return dtype_is_float(r->op->operands[0]->type->dtype)
               ? LLVMBuildFMul(b, x, LLVMBuildSIToFP(b, times, LLVMTypeOf(x), ""), "")
               : LLVMBuildMul(b, x, LLVMBuildIntCast2(b, times, LLVMTypeOf(x), 0, ""), "");
}

/* The infinity that loses to all numbers. */
static Val loser(Cpu *c, const Reduction *r)
{
    LLVMTypeRef reg = emit_register_type(&c->e, r->op->operands[0]->type->dtype, 0);

    return llvm_real(reg, r->plan.kind.neutral == OP_max ? -INFINITY : INFINITY);
}

/* What the accumulators of a copy hold before there is anything. */
static void start_copy(NestCg *n, const Reduction *r, int u, Bld b)
{
    Cpu *c = n->c;

    for (int k = 0; k < r->n; k++) {
        LLVMTypeRef vector = emit_type(&c->e, r->op->operands[k]->type, n->lanes);
        Val start = n->picks ? loser(c, r) : start_of(c, r, k);
        LLVMBuildStore(b, start ? llvm_splat(b, start, n->lanes) : LLVMConstNull(vector),
                       r->slot[u][k]);
    }
    if (r->have[u])
        LLVMBuildStore(b, LLVMConstNull(llvm_vector(c->l->i1, n->lanes)), r->have[u]);
}

/* The number of copy i of all planes', each of which has so many. */
static int copy_of(int i, int copies)
{
    return i / copies * MAX_UNROLL + i % copies;
}

static void add_slots(NestCg *n, Reduction *r)
{
    Cpu *c = n->c;

    for (int i = 0; i < n->planes * n->unroll; i++) {
        int u = copy_of(i, n->unroll);
        for (int k = 0; k < r->n; k++)
            r->slot[u][k] = cpu_slot(c, emit_type(&c->e, r->op->operands[k]->type, n->lanes));
        if (!is_simple(r) && !is_winner(r))
            r->have[u] = cpu_slot(c, llvm_vector(c->l->i1, n->lanes));
    }
}

static void begin_inner(NestCg *n, Reduction *r)
{
    add_slots(n, r);
    for (int u = 0; u < n->unroll; u++)
        start_copy(n, r, u, n->at[nest_row_level(n->nest)]);
}

void cpu_reduce_begin_strip(NestCg *n)
{
    for (const Reduction *r = n->reductions; r; r = r->next) {
        for (int i = 0; i < n->planes * n->copies; i++)
            start_copy(n, r, copy_of(i, n->copies), n->c->b);
    }
}

Val cpu_reduce_none_picked(NestCg *n)
{
    Cpu *c = n->c;
    Val some = NULL;

    for (const Reduction *r = n->reductions; r; r = r->next) {
        LLVMTypeRef vector = emit_type(&c->e, r->op->operands[0]->type, n->lanes);
        Val start = llvm_splat(c->b, loser(c, r), n->lanes);
        for (int i = 0; i < n->planes * n->copies; i++) {
            Val x = LLVMBuildLoad2(c->b, vector, r->slot[copy_of(i, n->copies)][0], "");
            Val one = LLVMBuildFCmp(c->b, LLVMRealUNE, x, start, "");
            some = some ? LLVMBuildAnd(c->b, some, one, "") : one;
        }
    }
    return LLVMBuildNot(c->b, cpu_all(n, some), "");
}

void cpu_reduce_begin(NestCg *n)
{
    for (int i = 0; i < n->nest->roots.len; i++) {
        const Root *root = &n->nest->roots.at[i];
        if (root->kind != ROOT_REDUCE)
            continue;
        Reduction *r = NEW(n->c->arena, Reduction);
        r->op = root->op;
        r->n = root->op->noperands;
        r->plan = root->combining;
        r->next = n->reductions;
        n->reductions = r;
        if (r->plan.along == ALONG_ELEMENTS)
            begin_serial(n, r);
        if (r->plan.along == ALONG_LANES)
            begin_inner(n, r);
        if (n->nest->schedule->strips)
            add_slots(n, r);
    }
}

/* Of a number, which `old` is, and one that may be NaN: one instruction. */
static Val pick(Bld b, const Reduction *r, Val old, Val x)
{
    LLVMRealPredicate better = r->plan.kind.neutral == OP_max ? LLVMRealOGT : LLVMRealOLT;

    return LLVMBuildSelect(b, LLVMBuildFCmp(b, better, x, old, ""), x, old, "");
}

static void inner_simple(NestCg *n, const Reduction *r, const Entry *e)
{
    Cpu *c = n->c;
    Bld b = n->at[n->rank];
    Val x = n->times == 1
                ? cpu_lanes(n, e, 0)
                : llvm_splat(b, repeated(b, r, cpu_input(n, e, 0), llvm_int(c->l->i64, n->times)),
                             n->lanes);

    if (n->lane_ok)
        x = LLVMBuildSelect(b, n->lane_ok, x, llvm_splat(b, neutral(c, r), n->lanes), "");
    Val slot = r->slot[n->copy][0];
    Val old = LLVMBuildLoad2(b, LLVMTypeOf(x), slot, "");
    LLVMBuildStore(b, n->picks ? pick(b, r, old, x) : combine_simple(c, b, r, old, x), slot);
}

/* i1 lanes: of two pairs the later one, whose index is higher than that of any element that the
 * other one may be, wins.  It does where it is better, or the other one is NaN: as a number, or if
 * that is no element but what an accumulator begins with.  The first copy, which begins each row,
 * has the first NaN of one without numbers. */
static Val later_wins(NestCg *n, const Reduction *r, const Val *args)
{
    Bld b = n->at[n->rank];
    bool is_signed = dtype_is_signed(r->op->operands[1]->type->dtype);
    Val x = args[r->n], y = args[r->n + 1];
    Val wins =
        LLVMBuildFCmp(b, r->plan.kind.winner == OP_max ? LLVMRealUGT : LLVMRealULT, x, args[0], "");
    Val is_number = LLVMBuildFCmp(b, LLVMRealORD, x, x, "");

    if (n->copy == 0) {
        Val first = LLVMBuildICmp(b, is_signed ? LLVMIntSGT : LLVMIntUGT, args[1], y, "");
        is_number = LLVMBuildOr(b, is_number, first, "");
    }
    return LLVMBuildAnd(b, wins, is_number, "");
}

/* Two pairs, as above or by the region. */
static void inner_winner(NestCg *n, const Reduction *r, const Val *args)
{
    Cpu *c = n->c;
    Bld b = n->at[n->rank];
    Val results[MAX_COMBINED] = {NULL};

    if (r->plan.rising) {
        Val wins = later_wins(n, r, args);
        for (int k = 0; k < r->n; k++)
            results[k] = LLVMBuildSelect(b, wins, args[r->n + k], args[k], "");
    } else
        cpu_region(c, b, r->op->regions[0], args, n->lanes, results);
    for (int k = 0; k < r->n; k++) {
        if (n->lane_ok)
            results[k] = LLVMBuildSelect(b, n->lane_ok, results[k], args[k], "");
        LLVMBuildStore(b, results[k], r->slot[n->copy][k]);
    }
}

static void inner_general(NestCg *n, const Reduction *r, const Entry *e)
{
    Cpu *c = n->c;
    Bld b = n->at[n->rank];
    Val args[2 * MAX_COMBINED] = {NULL}, results[MAX_COMBINED] = {NULL};

    for (int k = 0; k < r->n; k++) {
        args[r->n + k] = cpu_lanes(n, e, k);
        args[k] = LLVMBuildLoad2(b, LLVMTypeOf(args[r->n + k]), r->slot[n->copy][k], "");
    }
    if (is_winner(r)) {
        inner_winner(n, r, args);
        return;
    }
    Val all = llvm_int(llvm_vector(c->l->i1, n->lanes), -1);
    Val ok = n->lane_ok ? n->lane_ok : all;
    Val have = LLVMBuildLoad2(b, LLVMTypeOf(all), r->have[n->copy], "");
    cpu_region(c, b, r->op->regions[0], args, n->lanes, results);
    for (int k = 0; k < r->n; k++) {
        Val next = LLVMBuildSelect(b, have, results[k], args[r->n + k], "");
        LLVMBuildStore(b, LLVMBuildSelect(b, ok, next, args[k], ""), r->slot[n->copy][k]);
    }
    LLVMBuildStore(b, LLVMBuildOr(b, have, ok, ""), r->have[n->copy]);
}

static void inner_serial(NestCg *n, const Reduction *r, const Entry *e)
{
    Bld b = n->at[n->rank];
    Val args[2 * MAX_COMBINED] = {NULL}, results[MAX_COMBINED] = {NULL};

    for (int k = 0; k < r->n; k++) {
        args[r->n + k] = cpu_input(n, e, k);
        args[k] = LLVMBuildLoad2(b, LLVMTypeOf(args[r->n + k]), r->slot[0][k], "");
    }
    cpu_combine(n, r->op, cpu_at_first(n, n->inner, false), args, results);
    for (int k = 0; k < r->n; k++)
        LLVMBuildStore(b, results[k], r->slot[0][k]);
}

/* Fold two sets of lanes of a general reduction: what only one of them has is taken as it is; NULL
 * where nothing is tracked. */
static void fold_general(Cpu *c, Bld b, const Reduction *r, Val *x, Val have_x, const Val *y,
                         Val have_y, int lanes)
{
    Val args[2 * MAX_COMBINED] = {NULL}, results[MAX_COMBINED] = {NULL};

    for (int k = 0; k < r->n; k++) {
        args[k] = x[k];
        args[r->n + k] = y[k];
    }
    cpu_region(c, b, r->op->regions[0], args, lanes, results);
    if (!have_x)
        memcpy(x, results, (size_t)r->n * sizeof *x);
    for (int k = 0; k < r->n && have_x; k++) {
        Val both = LLVMBuildSelect(b, have_y, results[k], x[k], "");
        x[k] = LLVMBuildSelect(b, have_x, both, y[k], "");
    }
}

static Val finish_simple(NestCg *n, const Reduction *r)
{
    Cpu *c = n->c;
    Bld b = c->b;
    DType t = r->op->operands[0]->type->dtype;
    LLVMTypeRef vector = emit_register_type(&c->e, t, n->lanes);
    Val x = LLVMBuildLoad2(b, vector, r->slot[0][0], "");

    for (int u = 1; u < n->unroll; u++)
        x = combine_simple(c, b, r, x, LLVMBuildLoad2(b, vector, r->slot[u][0], ""));
    for (int lanes = n->lanes / 2; lanes >= 1; lanes /= 2) {
        Val high = llvm_slice(c->l, b, x, lanes, lanes);
        x = combine_simple(c, b, r, llvm_slice(c->l, b, x, 0, lanes), high);
    }
    if (n->lanes == 1)
        x = llvm_slice(c->l, b, x, 0, 1);
    return emit_round(&c->e, b, x, t);
}

static Val tracked(NestCg *n, const Reduction *r, int u)
{
    LLVMTypeRef bools = llvm_vector(n->c->l->i1, n->lanes);

    return r->have[u] ? LLVMBuildLoad2(n->c->b, bools, r->have[u], "") : NULL;
}

static void finish_general(NestCg *n, const Reduction *r, Val *x)
{
    Cpu *c = n->c;
    Bld b = c->b;
    Val y[MAX_COMBINED] = {NULL}, have = NULL, low = NULL, high = NULL;

    for (int u = 0; u < n->unroll; u++) {
        Val now = tracked(n, r, u);
        for (int k = 0; k < r->n; k++) {
            LLVMTypeRef t = emit_type(&c->e, r->op->operands[k]->type, n->lanes);
            (u ? y : x)[k] = LLVMBuildLoad2(b, t, r->slot[u][k], "");
        }
        if (u > 0)
            fold_general(c, b, r, x, have, y, now, n->lanes);
        have = u && now ? LLVMBuildOr(b, have, now, "") : now;
    }
    for (int lanes = n->lanes / 2; lanes >= 1; lanes /= 2) {
        if (have) {
            low = llvm_slice(c->l, b, have, 0, lanes);
            high = llvm_slice(c->l, b, have, lanes, lanes);
        }
        for (int k = 0; k < r->n; k++) {
            y[k] = llvm_slice(c->l, b, x[k], lanes, lanes);
            x[k] = llvm_slice(c->l, b, x[k], 0, lanes);
        }
        fold_general(c, b, r, x, low, y, high, lanes == 1 ? 0 : lanes);
        have = have ? LLVMBuildOr(b, low, high, "") : NULL;
    }
    for (int k = 0; k < r->n && n->lanes == 1; k++)
        x[k] = llvm_slice(c->l, b, x[k], 0, 1);
}

static void finish_serial(NestCg *n, const Reduction *r, Val *x)
{
    for (int k = 0; k < r->n; k++)
        x[k] = LLVMBuildLoad2(n->c->b, emit_type(&n->c->e, r->op->operands[k]->type, 0),
                              r->slot[0][k], "");
}

static void put_result(NestCg *n, const Reduction *r, int k, Val x)
{
    Cpu *c = n->c;
    Value *v = r->op->results[k];
    Val index[MAX_RANK] = {NULL};

    if (v->type->rank == 0) {
        c->scalars[v->id] = x;
        return;
    }
    for (int d = 0; d < v->type->rank; d++)
        index[d] = n->index[d < n->inner ? d : d + 1];
    int buffer = plan_buffer(c->plan, v);
    Val at = cpu_element(c, c->b, buffer, v->type, index);
    llvm_store(c->b, cpu_to_buffer(c, c->b, buffer, x), at, cpu_buffer_size(c, buffer));
}

void cpu_reduce_end(NestCg *n)
{
    for (const Reduction *r = n->reductions; r; r = r->next) {
        Val x[MAX_COMBINED] = {NULL};
        if (r->plan.along == ALONG_ROWS)
            continue;
        if (r->plan.along == ALONG_ELEMENTS)
            finish_serial(n, r, x);
        else if (is_simple(r))
            x[0] = finish_simple(n, r);
        else
            finish_general(n, r, x);
        for (int k = 0; k < r->n; k++)
            put_result(n, r, k, x[k]);
    }
}

/* The first pair of what is left. */
static void winner_rest(NestCg *n, const Reduction *r, const Entry *e)
{
    Bld b = n->at[n->rank];
    Val args[2 * MAX_COMBINED] = {NULL}, results[MAX_COMBINED] = {NULL};

    for (int k = 0; k < r->n; k++) {
        Val rest = llvm_splat(b, start_of(n->c, r, k), n->lanes);
        args[r->n + k] =
            LLVMBuildInsertElement(b, rest, cpu_input(n, e, k), llvm_int(n->c->l->i32, 0), "");
        args[k] = LLVMBuildLoad2(b, LLVMTypeOf(rest), r->slot[0][k], "");
    }
    cpu_region(n->c, b, r->op->regions[0], args, n->lanes, results);
    for (int k = 0; k < r->n; k++)
        LLVMBuildStore(b, results[k], r->slot[0][k]);
}

/* Every lane of what is left of the row has the same value: combine it once, or count times for a
 * sum. */
void cpu_reduce_rest(NestCg *n, const Op *op, const Entry *e)
{
    const Reduction *r = find_reduction(n, op);
    Cpu *c = n->c;
    Bld b = n->at[n->rank];
    DType t = op->operands[0]->type->dtype;
    LLVMTypeRef vector = emit_register_type(&c->e, t, n->lanes);

    if (is_winner(r)) {
        winner_rest(n, r, e);
        return;
    }
    Val count = LLVMBuildSub(b, n->end, n->index[n->inner], "");
    Val x = repeated(b, r, cpu_input(n, e, 0), count);

    Val rest = llvm_splat(b, neutral(c, r), n->lanes);
    Val add = LLVMBuildInsertElement(b, rest, x, llvm_int(c->l->i32, 0), "");
    Val old = LLVMBuildLoad2(b, vector, r->slot[0][0], "");
    LLVMBuildStore(b, combine_simple(c, b, r, old, add), r->slot[0][0]);
}

/* --- reductions along another dimension --- */

static Ev as_ev(NestCg *n, Val v, bool vec)
{
    return (Ev){.v = v, .vec = vec, .level = n->rank};
}

/* By which dimensions of the nest the result is indexed. */
static void map_result(const NestCg *n, const Reduction *r, int8_t *map)
{
    int axis = (int)attr_axis(r->op);

    for (int d = 0; d < nest_tile_rank(n->nest) - 1; d++)
        map[d] = (int8_t)(d < axis ? d : d + 1);
}

static void outer_body(NestCg *n, const Reduction *r, const Entry *e)
{
    Cpu *c = n->c;
    Bld b = n->at[n->rank];
    int axis = (int)attr_axis(r->op);
    int8_t map[MAX_RANK];
    Val args[2 * MAX_COMBINED] = {NULL}, results[MAX_COMBINED] = {NULL};

    map_result(n, r, map);
    for (int k = 0; k < r->n; k++) {
        const Value *v = r->op->results[k];
        const Reading old = {.buffer = plan_buffer(c->plan, v),
                             .shape = v->type,
                             .map = map,
                             .lane = n->nest->serial};
        args[k] = cpu_vectorise(n, cpu_read(n, &old));
        args[r->n + k] = cpu_lanes(n, e, k);
    }
    Val first = cpu_at_first(n, axis, false);
    Val last = LLVMBuildICmp(b, LLVMIntEQ, n->index[axis],
                             llvm_int(c->l->i64, n->nest->dims[axis] - 1), "");
    if (is_simple(r))
        results[0] =
            LLVMBuildSelect(b, first, args[1], combine_simple(c, b, r, args[0], args[1]), "");
    else
        cpu_combine(n, r->op, first, args, results);
    for (int k = 0; k < r->n; k++) {
        const Value *v = r->op->results[k];
        Val x = results[k];
        if (r->plan.kind.neutral == OP_add && plan_register_dtype(v->type->dtype) != v->type->dtype)
            x = LLVMBuildSelect(b, last, emit_round(&c->e, b, x, v->type->dtype), x, "");
        cpu_fill(n, plan_buffer(c->plan, v), v->type, map, as_ev(n, x, !n->nest->serial));
    }
}

/* What a copy's columns have come to. */
void cpu_reduce_end_strip(NestCg *n)
{
    Cpu *c = n->c;
    int8_t map[MAX_RANK];

    for (const Reduction *r = n->reductions; r; r = r->next) {
        map_result(n, r, map);
        for (int k = 0; k < r->n; k++) {
            const Value *v = r->op->results[k];
            Val x = LLVMBuildLoad2(c->b, emit_type(&c->e, r->op->operands[k]->type, n->lanes),
                                   r->slot[n->copy][k], "");
            if (is_simple(r))
                x = emit_round(&c->e, c->b, x, v->type->dtype);
            cpu_fill(n, plan_buffer(c->plan, v), v->type, map, as_ev(n, x, true));
        }
    }
}

void cpu_reduce_body(NestCg *n, const Op *op, const Entry *e)
{
    Reduction *r = find_reduction(n, op);

    if (r->plan.along == ALONG_ROWS && !n->nest->schedule->strips)
        outer_body(n, r, e);
    else if (r->plan.along == ALONG_ELEMENTS)
        inner_serial(n, r, e);
    else if (is_simple(r))
        inner_simple(n, r, e);
    else
        inner_general(n, r, e);
}
