/*
 * cpu_scan.c - scans: roots that combine elements by a region, one after the other
 *
 * A scan is inclusive, out[i] = x[0] o ... o x[i].  Along an outer dimension the running value is
 * the result's own buffer, one row back, or in registers where the nest goes in strips, and rows
 * are vectors.  So it is in a serial nest, whose rows are elements.  Along the inner dimension each
 * vector is scanned in itself, by groups of 2, 4, 8.. lanes, and then takes on what the vectors
 * before it left.  A reverse scan does the same from the other end: the nest takes the vectors from
 * the last to the first, and lanes combine with those behind them.  In all of them the earlier
 * element is the region's first argument.
 */
#include "cpu.h"

#include <string.h>

static bool is_reverse(const Op *op)
{
    return attr_reverse(op) != 0;
}

/* By one op that costs little, and with an element that changes nothing: what runs on begins with
 * that. */
static bool is_simple(const Root *r)
{
    return r->combining.kind.neutral != OP_COUNT;
}

void cpu_scan_begin(NestCg *n, const Root *r)
{
    Cpu *c = n->c;
    Bld row = n->at[n->rank - 1];

    if (r->combining.along != ALONG_LANES && !n->nest->schedule->strips)
        return;
    for (int u = 0; u < (n->nest->schedule->strips ? n->unroll : 1); u++) {
        for (int k = 0; k < r->op->noperands; k++)
            n->running[u][k] = cpu_slot(c, emit_type(&c->e, r->op->operands[k]->type, n->lanes));
    }
    if (is_simple(r) && r->combining.along == ALONG_LANES)
        LLVMBuildStore(row, llvm_splat(row, cpu_neutral(c, r->op, &r->combining.kind), n->lanes),
                       n->running[0][0]);
}

/* A result that somebody reads as a tile. */
static void fill_scanned(NestCg *n, const Op *op, int k, Val x)
{
    const Value *v = op->results[k];
    int buffer = plan_buffer(n->c->plan, v);
    Ev e = {.v = x, .vec = !n->nest->serial, .level = n->rank};

    if (buffer != NO_BUFFER)
        cpu_fill(n, buffer, v->type, plan_identity, e);
}

/* What a step combines: groups of twice so many lanes, each lane of whose later half takes on what
 * the last one of the earlier half has come to. */
typedef struct {
    int from[MAX_LANES]; /* the lane in front; of the earlier half itself */
    Val later;           /* i1 by lane */
} Groups;

static Groups groups_of(NestCg *n, const Op *op, int step)
{
    Groups g;
    Val later[MAX_LANES];

    for (int i = 0; i < n->lanes; i++) {
        int at = is_reverse(op) ? n->lanes - 1 - i : i, last = at / step * step - 1;
        bool takes = (at & step) != 0;
        later[i] = llvm_int(n->c->l->i1, takes);
        g.from[i] = !takes ? i : is_reverse(op) ? n->lanes - 1 - last : last;
    }
    g.later = LLVMConstVector(later, (unsigned)n->lanes);
    return g;
}

/* The vector as it is in all lanes.  Of those that are not asked for LLVM leaves what is in some
 * register, and floats that are subnormal there take hundreds of cycles. */
static Val whole(NestCg *n, Val x)
{
    LLVMTypeRef t = LLVMTypeOf(x);
    LLVMTypeKind kind = LLVMGetTypeKind(LLVMGetElementType(t));
    bool is_float = kind == LLVMFloatTypeKind || kind == LLVMDoubleTypeKind;

    return is_float ? llvm_call(n->c->l, n->at[n->rank], "llvm.arithmetic.fence", 1, &t, 1, &x) : x;
}

/* With an element that changes nothing in front of the earlier half, where one instruction brings
 * lanes of two vectors together. */
static void combine_with_nothing(NestCg *n, const Root *r, Val *x, Groups *g)
{
    Bld b = n->at[n->rank];
    Val nothing = llvm_splat(b, cpu_neutral(n->c, r->op, &r->combining.kind), n->lanes);
    Val args[2] = {NULL, x[0]};

    for (int i = 0; i < n->lanes; i++)
        g->from[i] = g->from[i] == i ? n->lanes : g->from[i];
    args[0] = llvm_shuffle(n->c->l, b, x[0], nothing, n->lanes, g->from);
    cpu_region(n->c, b, r->op->regions[0], args, n->lanes, x);
}

/* Elsewhere the earlier half stays.  So do, backwards, lanes whose earlier one is beyond the
 * extent: forwards it is the later one. */
static void combine_later(NestCg *n, const Op *op, Val *x, const Groups *g)
{
    Cpu *c = n->c;
    Bld b = n->at[n->rank];
    int count = op->noperands;
    Val args[2 * MAX_COMBINED] = {NULL}, results[MAX_COMBINED] = {NULL}, mask = g->later;

    for (int k = 0; k < count; k++) {
        args[k] = whole(n, llvm_shuffle(c->l, b, x[k], NULL, n->lanes, g->from));
        args[count + k] = x[k];
    }
    cpu_region(c, b, op->regions[0], args, n->lanes, results);
    if (is_reverse(op) && n->lane_ok) {
        Val earlier = llvm_shuffle(c->l, b, n->lane_ok, NULL, n->lanes, g->from);
        mask = LLVMBuildAnd(b, mask, earlier, "");
    }
    for (int k = 0; k < count; k++)
        x[k] = LLVMBuildSelect(b, mask, results[k], x[k], "");
}

/* Each lane with all that come before it in its vector. */
static void scan_lanes(NestCg *n, const Root *r, Val *x)
{
    Bld b = n->at[n->rank];
    bool with_nothing = is_simple(r) && n->c->machine->avx512f;

    if (with_nothing && is_reverse(r->op) && n->lane_ok) {
        Val nothing = llvm_splat(b, cpu_neutral(n->c, r->op, &r->combining.kind), n->lanes);
        x[0] = LLVMBuildSelect(b, n->lane_ok, x[0], nothing, "");
    }
    for (int step = 1; step < n->lanes; step *= 2) {
        Groups g = groups_of(n, r->op, step);
        if (with_nothing)
            combine_with_nothing(n, r, x, &g);
        else
            combine_later(n, r->op, x, &g);
    }
}

/* In all lanes what the last one has. */
static Val last_lane(NestCg *n, const Op *op, Val x)
{
    Bld b = n->at[n->rank];

    return llvm_splat(b, llvm_slice(n->c->l, b, x, is_reverse(op) ? 0 : n->lanes - 1, 1), n->lanes);
}

/* What a vector has come to, with what the vectors before it left in front. */
static void take_on(NestCg *n, const Root *r, const Val *args, Val *results)
{
    const Op *op = r->op;

    if (is_simple(r))
        cpu_region(n->c, n->at[n->rank], op->regions[0], args, n->lanes, results);
    else
        cpu_combine(n, op, cpu_at_first(n, n->inner, is_reverse(op)), args, results);
}

/* What runs on is in all lanes of a vector.  The next vector waits for it, so where that costs
 * little it is combined by itself, and not taken out of what the lanes have come to, which is the
 * same. */
static void vector_step(NestCg *n, const Root *r, const Entry *e, Val *results)
{
    Bld b = n->at[n->rank];
    const Op *op = r->op;
    int count = op->noperands;
    Val x[MAX_COMBINED] = {NULL}, args[2 * MAX_COMBINED] = {NULL}, on[MAX_COMBINED] = {NULL};

    for (int k = 0; k < count; k++)
        x[k] = cpu_lanes(n, e, k);
    Val own = x[0];
    scan_lanes(n, r, x);
    for (int k = 0; k < count; k++) {
        LLVMTypeRef t = emit_type(&n->c->e, op->operands[k]->type, n->lanes);
        args[k] = LLVMBuildLoad2(b, t, n->running[0][k], "");
        args[count + k] = x[k];
    }
    take_on(n, r, args, results);
    if (is_simple(r))
        args[1] = r->combining.counts ? cpu_count_lanes(n, own) : last_lane(n, op, x[0]);
    if (is_simple(r))
        take_on(n, r, args, on);
    for (int k = 0; k < count; k++) {
        LLVMBuildStore(b, is_simple(r) ? on[k] : last_lane(n, op, results[k]), n->running[0][k]);
        fill_scanned(n, op, k, results[k]);
    }
}

/* A row of an outer scan: the result one row before, or this row itself at the start.  In a strip
 * that is at hand. */
static void row_step(NestCg *n, const Op *op, const Entry *e, Val *results)
{
    Cpu *c = n->c;
    Bld b = n->at[n->rank];
    int count = op->noperands, axis = (int)attr_axis(op);
    Val args[2 * MAX_COMBINED] = {NULL}, index[MAX_RANK];
    Val first = cpu_at_first(n, axis, is_reverse(op)), here = n->index[axis];
    Val back = LLVMBuildAdd(b, here, llvm_int(c->l->i64, is_reverse(op) ? 1 : -1), "");

    for (int k = 0; k < count; k++)
        args[count + k] = cpu_lanes(n, e, k);
    memcpy(index, n->index, sizeof index);
    index[axis] = LLVMBuildSelect(b, first, here, back, "");
    for (int k = 0; k < count; k++) {
        const Value *v = op->results[k];
        if (n->nest->schedule->strips) {
            args[k] = LLVMBuildLoad2(b, LLVMTypeOf(args[count + k]), n->running[n->copy][k], "");
            continue;
        }
        const Reading r = {.buffer = plan_buffer(c->plan, v),
                           .shape = v->type,
                           .map = plan_identity,
                           .lane = n->nest->serial,
                           .index = index};
        args[k] = cpu_vectorise(n, cpu_read(n, &r));
    }
    cpu_combine(n, op, first, args, results);
    for (int k = 0; k < count; k++) {
        if (n->nest->schedule->strips)
            LLVMBuildStore(b, results[k], n->running[n->copy][k]);
        fill_scanned(n, op, k, results[k]);
    }
}

Val *cpu_scan_body(NestCg *n, const Root *r, const Entry *e)
{
    Val *results = NEW_N(n->c->arena, Val, r->op->nresults);

    if (r->combining.along == ALONG_LANES)
        vector_step(n, r, e, results);
    else
        row_step(n, r->op, e, results);
    return results;
}
