/*
 * cpu_bounds.c - what is found in front of the inner loop of a nest, for the row as a whole
 *
 * A bound of the plan is a mask that is true up to some index of the row, or from one on: where
 * that is, the inner loop is cut (cpu_nest.c).  What comes around before it ends nowhere, for all
 * we know.  And where the next program's row is thought to begin, its lines are asked for ahead of
 * time.
 */
#include "cpu.h"

/* --- bounds --- */

static Val widen(NestCg *n, Ev e, DType t)
{
    Bld b = n->at[e.level];

    return dtype_is_signed(t) ? LLVMBuildSExtOrBitCast(b, e.v, n->c->l->i64, "")
                              : LLVMBuildZExtOrBitCast(b, e.v, n->c->l->i64, "");
}

/* The number of inner indices i with base + stride * i < limit (or <=), within [0, extent]. */
static Val count_below(NestCg *n, Bld b, Ev base, int64_t stride, Ev limit, DType t, bool or_equal)
{
    Llvm *l = n->c->l;
    Val from = widen(n, base, t);
    Val room = llvm_call2(l, b, "llvm.ssub.sat", widen(n, limit, t), from);

    if (or_equal)
        room = llvm_call2(l, b, "llvm.sadd.sat", room, llvm_int(l->i64, 1));
    if (stride > 1) {
        room = llvm_call2(l, b, "llvm.sadd.sat", room, llvm_int(l->i64, stride - 1));
        room = llvm_call2(l, b, "llvm.smax", room, llvm_int(l->i64, 0));
        room = LLVMBuildUDiv(b, room, llvm_int(l->i64, stride), "");
    }
    room = llvm_call2(l, b, "llvm.smax", room, llvm_int(l->i64, 0));
    return llvm_call2(l, b, "llvm.smin", room, llvm_int(l->i64, n->nest->dims[n->inner]));
}

/* Do all values of the row fit dtype t, the first and the last of them? */
static Val fits(NestCg *n, Bld b, Ev base, int64_t stride, DType t)
{
    LLVMTypeRef i64 = n->c->l->i64;
    int bits = dtype_bits(t) - dtype_is_signed(t);
    int64_t most = bits >= 63 ? INT64_MAX : ((int64_t)1 << bits) - 1, span;
    int64_t least = dtype_is_signed(t) ? -most - 1 : 0;

    if (__builtin_mul_overflow(stride, n->nest->dims[n->inner] - 1, &span) || span > most ||
        span < -most)
        return llvm_int(n->c->l->i1, 0);
    Val first = widen(n, base, t);
    if (span < 0)
        return LLVMBuildICmp(b, LLVMIntSGE, first, llvm_int(i64, least - span), "");
    return LLVMBuildICmp(b, LLVMIntSLE, first, llvm_int(i64, most - span), "");
}

/* Hashes wrap, and are compared like indices. */
static Val does_not_wrap(NestCg *n, const Entry *e, const Access *a, DType t)
{
    Bld b = n->at[e->level];
    Val ok = fits(n, b, cpu_made(n, e->in[IN_STEPS]), a->stride, t);
    int i = IN_WIDENED;

    for (const Widened *w = a->widened; w; w = w->next, i++) {
        Val one = e->in[i] == NO_ENTRY ? llvm_int(n->c->l->i1, 0)
                                       : fits(n, b, cpu_made(n, e->in[i]), w->stride, DT_I32);
        ok = LLVMBuildAnd(b, ok, one, "");
    }
    return ok;
}

/* Known for the whole row: true or false for all of it. */
static Val row_count(NestCg *n, const Entry *e)
{
    LLVMTypeRef t = n->c->l->i64;

    return LLVMBuildSelect(n->at[e->level], cpu_input(n, e, IN_STEPS),
                           llvm_int(t, n->nest->dims[n->inner]), llvm_int(t, 0), "");
}

static Cut row_cut(NestCg *n, const Bound *b, const Entry *e)
{
    Val count = row_count(n, e);

    (void)b;
    return (Cut){.count = count, .none = count};
}

/* Where u is true of `u | x`, so is the row; where it is false, nobody knows. */
static Cut or_cut(NestCg *n, const Bound *b, const Entry *e)
{
    (void)b;
    return (Cut){.count = row_count(n, e), .none = llvm_int(n->c->l->i64, n->nest->dims[n->inner])};
}

/* In how many elements from the first one on is it true, or of BOUND_FROM false?  *known: i1, the
 * values compared do not wrap. */
static Val count_compared(NestCg *n, const Bound *bound, const Entry *e, Val *known)
{
    const Op *op = bound->value->def;
    DType t = op->operands[bound->operand]->type->dtype;
    bool or_equal = op->code == OP_le || op->code == OP_ge;

    *known = does_not_wrap(n, e, &bound->steps, t);
    return count_below(n, n->at[e->level], cpu_made(n, e->in[IN_STEPS]), bound->steps.stride,
                       cpu_made(n, e->in[IN_LIMIT]), t, or_equal != (bound->kind == BOUND_FROM));
}

static Cut compare_cut(NestCg *n, const Bound *bound, const Entry *e)
{
    Val whole, count = count_compared(n, bound, e, &whole);
    Val all = llvm_int(n->c->l->i64, n->nest->dims[n->inner]);
    Bld b = n->at[e->level];

    Val none = LLVMBuildSelect(b, whole, count, all, "");
    return (Cut){.count = LLVMBuildSelect(b, whole, count, llvm_int(n->c->l->i64, 0), ""),
                 .none = none};
}

static Cut from_cut(NestCg *n, const Bound *bound, const Entry *e)
{
    Val whole, first = count_compared(n, bound, e, &whole);
    Val all = llvm_int(n->c->l->i64, n->nest->dims[n->inner]);

    return (Cut){.first = LLVMBuildSelect(n->at[e->level], whole, first, all, ""),
                 .count = all,
                 .none = all};
}

void cpu_cut(NestCg *n, const Entry *e)
{
    static Cut (*const cut_of[])(NestCg *, const Bound *,
                                 const Entry *) = {[BOUND_ROW] = row_cut,
                                                   [BOUND_COMPARE] = compare_cut,
                                                   [BOUND_FROM] = from_cut,
                                                   [BOUND_OR] = or_cut};
    const Bound *b = &n->nest->bounds.at[e->number];

    if (n->full)
        return;
    n->cuts[e->number] = cut_of[b->kind](n, b, e);
    n->cuts[e->number].level = e->level;
}

Val cpu_some(NestCg *n)
{
    Llvm *l = n->c->l;
    Bld b = n->at[n->rank - 1];
    Val from = n->begin, to = n->end;

    if (n->full)
        return llvm_int(l->i1, 1);
    for (int i = 0; i < n->nest->bounds.len; i++) {
        if (n->cuts[i].first)
            from = llvm_call2(l, b, "llvm.smax", from, n->cuts[i].first);
        to = llvm_call2(l, b, "llvm.smin", to, n->cuts[i].count);
    }
    return LLVMBuildICmp(b, LLVMIntSLT, from, to, "");
}

/* --- lines --- */

void cpu_line(NestCg *n, const Entry *e)
{
    LLVMTypeRef i64 = n->c->l->i64;
    Bld b = n->at[e->level];
    const Op *op = n->nest->roots.at[e->number].op;
    int64_t size = dtype_size(op->operands[STORE_PTR]->type->dtype);
    bool again = n->nest->schedule->again;
    int64_t line = again ? MIN(NT_LINE, size * n->nest->lanes) : NT_LINE;
    Val row = LLVMBuildPtrToInt(b, cpu_input(n, e, 0), i64, "");
    Val at = LLVMBuildAdd(b, row, LLVMBuildMul(b, n->begin, llvm_int(i64, size), ""), "");
    Val rest = LLVMBuildAnd(b, LLVMBuildNeg(b, at, ""), llvm_int(i64, line - 1), "");
    Val beside = LLVMBuildAnd(b, at, llvm_int(i64, size - 1), ""), zero = llvm_int(i64, 0);
    Val first = LLVMBuildAdd(b, n->begin, LLVMBuildUDiv(b, rest, llvm_int(i64, size), ""), "");

    /* no element begins at a line: all are in front of the first one, or none is */
    Val none = again ? n->begin : n->end;
    n->line = LLVMBuildSelect(b, LLVMBuildICmp(b, LLVMIntEQ, beside, zero, ""), first, none, "");
}

/* --- prefetching --- */

enum { LINE = 64 };

/* A row at the nest's second but last level: the one that comes so many later.  In a strip as much
 * of it as that is wide. */
static void prefetch_later(NestCg *n, Bld b, const Ahead *a, Val row, Val step)
{
    Cpu *c = n->c;
    int size = dtype_size(a->leaf.value->type->dtype);
    bool strip = n->nest->schedule->strips;
    int64_t bytes = (int64_t)size * (strip ? n->copies * n->lanes : n->nest->dims[n->inner]);
    Val far = LLVMBuildMul(b, step, llvm_int(c->l->i64, a->rows), "");

    if (strip) {
        Val in_row = LLVMBuildMul(b, n->index[n->inner], llvm_int(c->l->i64, size), "");
        far = LLVMBuildAdd(b, far, in_row, "");
    }
    row = LLVMBuildGEP2(b, c->l->i8, row, &far, 1, "");
    for (int64_t k = 0; k < bytes; k += LINE)
        cpu_prefetch_line(c, b, row, k, a->level);
    cpu_prefetch_line(c, b, row, bytes - 1, a->level); /* of a row that begins within a line */
}

/* The next program's row, one step further than this one is from the last; its own row at first. */
void cpu_ahead(NestCg *n, const Entry *e)
{
    Cpu *c = n->c;
    const Ahead *a = &n->nest->ahead.at[e->number];
    Bld b = n->at[e->level];
    Val row = cpu_input(n, e, 0), slot = cpu_slot(c, c->l->i64);

    LLVMBuildStore(c->entry, llvm_int(c->l->i64, 0), slot);
    Val now = LLVMBuildPtrToInt(b, row, c->l->i64, "");
    Val last = LLVMBuildLoad2(b, c->l->i64, slot, "");
    LLVMBuildStore(b, now, slot);
    Val none = LLVMBuildICmp(b, LLVMIntEQ, last, llvm_int(c->l->i64, 0), "");
    Val step = LLVMBuildSub(b, now, LLVMBuildSelect(b, none, now, last, ""), "");
    if (a->operand != 0)
        cpu_dot_note_row(c, b, a->operand - 1, now, step);
    if (a->rows > 0)
        prefetch_later(n, b, a, row, step);
    else
        n->ahead[e->number] = LLVMBuildGEP2(b, c->l->i8, row, &step, 1, "");
}

/* As many lines as the nest's share is, of all unrolled bodies. */
static void prefetch_row(NestCg *n, Val i, const Ahead *a, Val next)
{
    Cpu *c = n->c;
    LLVMTypeRef i64 = c->l->i64;
    int size = dtype_size(a->leaf.value->type->dtype), step = n->lanes * n->unroll * size;
    int64_t row = (int64_t)n->nest->dims[n->inner] * size;
    Val at = LLVMBuildMul(c->b, i, llvm_int(i64, size * a->share), "");

    at = LLVMBuildUDiv(c->b, at, llvm_int(i64, AHEAD_PARTS), "");
    at = LLVMBuildAdd(c->b, at, llvm_int(i64, row * a->first / AHEAD_PARTS), "");
    Val p = LLVMBuildGEP2(c->b, c->l->i8, next, &at, 1, "");
    for (int k = 0; k < MAX(step * a->share / AHEAD_PARTS, 1); k += LINE)
        cpu_prefetch_line(c, c->b, p, k, a->level);
}

void cpu_prefetch(NestCg *n, Val i)
{
    for (int k = 0; k < n->nest->ahead.len; k++) {
        if (n->ahead[k])
            prefetch_row(n, i, &n->nest->ahead.at[k], n->ahead[k]);
    }
}
