/*
 * cpu_nest.c - the loops of one nest
 *
 * A nest of rank r has r levels: scalar loops over the outer dimensions, and an inner loop that
 * runs in vectors.  Code is placed by level: at[l] is the place in front of loop l+1, so whatever
 * changes only with the first l indices is emitted there once.
 *
 *     at[0] ...                    what no index changes
 *       for i0: at[1] ...
 *         for i1: at[2] ...        rows
 *           inner: main, mixed, dead segments of i2
 *
 * Masks that compare an affine index with something fixed in a row are bounds: the inner range is
 * cut into a main segment where all of them hold, a mixed one (usually a single vector) where
 * masks are real, and a dead one where none holds.  In the main segment there are no masks, and
 * code size does not depend on extents anywhere.
 */
#include "cpu.h"

/* --- loops --------------------------------------------------------------------------------- */

static bool runs_backwards(const NestCg *n, int dim)
{
    const Root *r = &n->nest->roots.at[0];

    return r->kind == ROOT_SCAN && attr_reverse(r->op) != 0 && attr_axis(r->op) == dim;
}

/* Loops count up; a reverse scan sees its axis from the other end, at 0 the last whole vector. */
static Val in_direction(const NestCg *n, Bld b, int dim, Val i)
{
    int step = dim == n->inner ? n->lanes : 1;

    if (!runs_backwards(n, dim))
        return i;
    int last = (n->nest->dims[dim] / step - 1) * step;
    return LLVMBuildSub(b, llvm_int(n->c->l->i64, last), i, "");
}

/* Open the scalar loops; at[k + 1] stays open for code of its level until close_loops(). */
static void open_loops(NestCg *n)
{
    Cpu *c = n->c;

    n->at[0] = llvm_builder(c->l, LLVMGetInsertBlock(c->b));
    for (int k = 0; k < n->rank - 1; k++) {
        int dim = n->nest->order[k];
        if (n->nest->dims[dim] == 1) {
            n->index[dim] = llvm_int(c->l->i64, 0);
            n->at[k + 1] = n->at[k];
            continue;
        }
        n->at[k + 1] = llvm_builder(c->l, cpu_block(c));
        n->counter[dim] = LLVMBuildPhi(n->at[k + 1], c->l->i64, "");
        n->index[dim] = in_direction(n, n->at[k + 1], dim, n->counter[dim]);
        n->level_of_dim[dim] = k + 1;
    }
    n->level_of_dim[n->inner] = n->rank;
}

/* c->b stands behind the inner loops; close from the inside out. */
static void close_loops(NestCg *n, LLVMBasicBlockRef inner_entry)
{
    Cpu *c = n->c;

    LLVMBuildBr(n->at[n->rank - 1], inner_entry);
    for (int k = n->rank - 2; k >= 0; k--) {
        int dim = n->nest->order[k];
        if (n->nest->dims[dim] == 1)
            continue;
        Val i = n->counter[dim];
        LLVMBasicBlockRef head = LLVMGetInstructionParent(i), exit = cpu_block(c);
        Val next = LLVMBuildAdd(c->b, i, llvm_int(c->l->i64, 1), "");
        Val more =
            LLVMBuildICmp(c->b, LLVMIntSLT, next, llvm_int(c->l->i64, n->nest->dims[dim]), "");
        LLVMBasicBlockRef latch = LLVMGetInsertBlock(c->b), before = LLVMGetInsertBlock(n->at[k]);
        LLVMBuildCondBr(c->b, more, head, exit);
        LLVMBuildBr(n->at[k], head);
        LLVMAddIncoming(i, (Val[]){llvm_int(c->l->i64, 0), next},
                        (LLVMBasicBlockRef[]){before, latch}, 2);
        LLVMPositionBuilderAtEnd(c->b, exit);
    }
}

/* --- bounds -------------------------------------------------------------------------------- */

static Val widen(NestCg *n, Ev e, DType t)
{
    Bld b = n->at[e.level];

    return dtype_is_signed(t) ? LLVMBuildSExtOrBitCast(b, e.v, n->c->l->i64, "")
                              : LLVMBuildZExtOrBitCast(b, e.v, n->c->l->i64, "");
}

/* The number of inner indices i with base + stride * i < limit (or <=), within [0, extent]. */
static Val count_below(NestCg *n, Ev base, int64_t stride, Ev limit, DType t, bool or_equal)
{
    Llvm *l = n->c->l;
    Bld b = n->at[n->rank - 1];
    Val room = llvm_call2(l, b, "llvm.ssub.sat", widen(n, limit, t), widen(n, base, t));

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
static Val fits(NestCg *n, Ev base, int64_t stride, DType t)
{
    LLVMTypeRef i64 = n->c->l->i64;
    Bld b = n->at[n->rank - 1];
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

static Val wide_fits(NestCg *n, const Widened *w)
{
    return w->value ? fits(n, cpu_row(n, w->value, w->map), w->stride, DT_I32)
                    : llvm_int(n->c->l->i1, 0);
}

/* Hashes wrap, and are compared like indices. */
static Val does_not_wrap(NestCg *n, Ev base, const Access *a, DType t)
{
    Val ok = fits(n, base, a->stride, t);

    for (const Widened *w = a->widened; w; w = w->next)
        ok = LLVMBuildAnd(n->at[n->rank - 1], ok, wide_fits(n, w), "");
    return ok;
}

/* Known for the whole row: true or false for all of it. */
static Val row_count(NestCg *n, Value *v, const int8_t *map)
{
    LLVMTypeRef t = n->c->l->i64;

    return LLVMBuildSelect(n->at[n->rank - 1], cpu_eval(n, v, map).v,
                           llvm_int(t, n->nest->dims[n->inner]), llvm_int(t, 0), "");
}

static Cut row_cut(NestCg *n, const Bound *b)
{
    Val count = row_count(n, b->value, b->map);

    return (Cut){count, count};
}

/* Where u is true of `u | x`, so is the row; where it is false, nobody knows. */
static Cut or_cut(NestCg *n, const Bound *b)
{
    return (Cut){row_count(n, b->value->def->operands[b->operand], b->map),
                 llvm_int(n->c->l->i64, n->nest->dims[n->inner])};
}

static Cut compare_cut(NestCg *n, const Bound *bound)
{
    const Op *op = bound->value->def;
    Value *steps = op->operands[bound->operand], *limit = op->operands[1 - bound->operand];
    DType t = steps->type->dtype;
    Access a = cpu_access(n, steps, bound->map);
    Ev base = cpu_row(n, steps, bound->map);
    bool or_equal = op->code == OP_le || op->code == OP_ge;
    Val count = count_below(n, base, a.stride, cpu_eval(n, limit, bound->map), t, or_equal);
    Val whole = does_not_wrap(n, base, &a, t),
        all = llvm_int(n->c->l->i64, n->nest->dims[n->inner]);
    Bld b = n->at[n->rank - 1];

    Val none = LLVMBuildSelect(b, whole, count, all, "");
    return (Cut){LLVMBuildSelect(b, whole, count, llvm_int(n->c->l->i64, 0), ""), none};
}

static void find_cuts(NestCg *n)
{
    static Cut (*const cut_of[])(NestCg *, const Bound *) = {
        [BOUND_ROW] = row_cut, [BOUND_COMPARE] = compare_cut, [BOUND_OR] = or_cut};

    for (int i = 0; i < n->nest->bounds.len; i++) {
        const Bound *b = &n->nest->bounds.at[i];
        vec_push(n->c->arena, &n->cuts, cut_of[b->kind](n, b));
    }
}

/* --- prefetching --------------------------------------------------------------------------- */

enum { LINE = 64 };
static const int locality[] = {[1] = 3, [2] = 2}; /* what LLVM calls the levels of the cache */

/* The next program's row, one step further than this one is from the last; its own row at first. */
static void begin_prefetch(NestCg *n)
{
    Cpu *c = n->c;
    Bld b = n->at[0];

    for (int i = 0; i < n->nest->ahead.len; i++) {
        const Leaf *leaf = &n->nest->ahead.at[i].leaf;
        Value *ptr = leaf->value->def->operands[LOAD_PTR];
        Access a = cpu_access(n, ptr, leaf->map);
        bool steps = a.ok && a.stride == 1 && !a.scale && !a.chunked;
        Ev base = steps ? cpu_row(n, ptr, leaf->map) : (Ev){.level = n->rank};
        Val next = NULL;
        if (base.level == 0) {
            Val slot = cpu_slot(c, c->l->i64);
            LLVMBuildStore(c->entry, llvm_int(c->l->i64, 0), slot);
            Val now = LLVMBuildPtrToInt(b, base.v, c->l->i64, "");
            Val last = LLVMBuildLoad2(b, c->l->i64, slot, "");
            LLVMBuildStore(b, now, slot);
            Val none = LLVMBuildICmp(b, LLVMIntEQ, last, llvm_int(c->l->i64, 0), "");
            Val step = LLVMBuildSub(b, now, LLVMBuildSelect(b, none, now, last, ""), "");
            next = LLVMBuildGEP2(b, c->l->i8, base.v, &step, 1, "");
        }
        vec_push(c->arena, &n->ahead, next);
    }
}

/* The first of the unrolled bodies asks for the lines of all, as many as the nest's share is. */
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
    for (int k = 0; k < MAX(step * a->share / AHEAD_PARTS, 1); k += LINE) {
        Val offset = llvm_int(i64, k);
        Val line = LLVMBuildGEP2(c->b, c->l->i8, p, &offset, 1, "");
        llvm_call(c->l, c->b, "llvm.prefetch", 1, &c->l->ptr, 4,
                  (Val[]){line, llvm_int(c->l->i32, 0), llvm_int(c->l->i32, locality[a->level]),
                          llvm_int(c->l->i32, 1)});
    }
}

static void prefetch(NestCg *n, Val i, int copy)
{
    for (int k = 0; copy == 0 && n->segment == SEGMENT_MAIN && k < n->ahead.len; k++) {
        if (n->ahead.at[k])
            prefetch_row(n, i, &n->nest->ahead.at[k], n->ahead.at[k]);
    }
}

/* --- bodies -------------------------------------------------------------------------------- */

static void root_body(NestCg *n, const Root *r)
{
    const Op *around = llvm_at(n->c->l, r->op ? r->op : r->value->def);

    switch (r->kind) {
    case ROOT_STORE:
        cpu_store_root(n, r);
        n->stored = true;
        break;
    case ROOT_ATOMIC:
        cpu_atomic_root(n, r->op);
        break;
    case ROOT_REDUCE:
        cpu_reduce_body(n, r->op);
        break;
    case ROOT_SCAN:
        cpu_scan_body(n, r->op);
        break;
    case ROOT_FILL: {
        Ev e = r->source == NO_BUFFER
                   ? cpu_eval(n, r->value, plan_identity)
                   : cpu_eval_buffer(n, r->source, 0, plan_identity, r->value->type);
        cpu_fill(n, r->buffer, r->value->type, plan_identity, e);
        n->stored = true;
        break;
    }
    }
    llvm_at(n->c->l, around);
}

static void begin_body(NestCg *n, Val i, int copy)
{
    Cpu *c = n->c;

    n->at[n->rank] = c->b;
    n->index[n->inner] = i;
    n->copy = copy;
    n->memo = cpu_memo_new(c->arena);
    n->values = 0;
    n->in_body = true;
    n->stored = false;
    n->lane_ok = NULL;
    int extent = n->nest->dims[n->inner];
    if (n->segment == SEGMENT_MAIN || extent % n->lanes == 0)
        return;
    Val lane = LLVMBuildIntCast2(c->b, i, c->l->i32, 1, "");
    lane = LLVMBuildAdd(c->b, llvm_splat(c->b, lane, n->lanes), llvm_iota(c->l->i32, n->lanes), "");
    n->lane_ok = LLVMBuildICmp(c->b, LLVMIntSLT, lane, llvm_int(LLVMTypeOf(lane), extent), "");
}

static void body(NestCg *n, Val i, int copy, const bool *skip)
{
    i = in_direction(n, n->c->b, n->inner, i);
    begin_body(n, i, copy);
    prefetch(n, i, copy);
    for (int r = 0; r < n->nest->roots.len; r++) {
        if (!skip || !skip[r])
            root_body(n, &n->nest->roots.at[r]);
    }
    n->in_body = false;
}

static bool constant(Val v, int64_t *out)
{
    if (!LLVMIsAConstantInt(v))
        return false;
    *out = LLVMConstIntGetSExtValue(v);
    return true;
}

static void bodies(NestCg *n, Val i, int copies, const bool *skip)
{
    for (int u = 0; u < copies; u++)
        body(n, u ? LLVMBuildAdd(n->c->b, i, llvm_int(n->c->l->i64, u * n->lanes), "") : i, u,
             skip);
}

/* Run bodies from i while a whole step fits below limit (main) or i is below it (others); gives
 * the index where it stopped.  Known trip counts of 0 and 1 need no loop. */
static Val segment(NestCg *n, Segment kind, Val i, Val limit, int copies, const bool *skip)
{
    Cpu *c = n->c;
    int64_t from, to, step = (int64_t)copies * n->lanes, trips = 2;

    n->segment = kind;
    bool known = constant(i, &from) && constant(limit, &to);
    if (known)
        trips = kind == SEGMENT_MAIN ? (to - from) / step : (to - from + step - 1) / step;
    if (trips <= 0)
        return i;
    if (trips == 1) {
        bodies(n, i, copies, skip);
        return llvm_int(c->l->i64, from + step);
    }
    LLVMBasicBlockRef before = LLVMGetInsertBlock(c->b), in = cpu_block(c), exit = cpu_block(c);
    if (kind == SEGMENT_MAIN) /* in front of the loop, which then counts with one register */
        limit = LLVMBuildSub(c->b, limit, llvm_int(c->l->i64, step - 1), "");
    LLVMBuildCondBr(c->b, LLVMBuildICmp(c->b, LLVMIntSLT, i, limit, ""), in, exit);
    LLVMPositionBuilderAtEnd(c->b, in);
    Val at = LLVMBuildPhi(c->b, c->l->i64, "");
    bodies(n, at, copies, skip);
    LLVMBasicBlockRef latch = LLVMGetInsertBlock(c->b);
    Val next = LLVMBuildAdd(c->b, at, llvm_int(c->l->i64, step), "");
    LLVMBuildCondBr(c->b, LLVMBuildICmp(c->b, LLVMIntSLT, next, limit, ""), in, exit);
    LLVMAddIncoming(at, (Val[]){i, next}, (LLVMBasicBlockRef[]){before, latch}, 2);
    LLVMPositionBuilderAtEnd(c->b, exit);
    Val stop = LLVMBuildPhi(c->b, c->l->i64, "");
    LLVMAddIncoming(stop, (Val[]){i, next}, (LLVMBasicBlockRef[]){before, latch}, 2);
    return known ? llvm_int(c->l->i64, from + trips * step) : stop;
}

/* The lanes where every bound is false: stores under a bound vanish, reductions of what is then
 * the same for all lanes are done at once, the rest is looped over. */
static void dead_segment(NestCg *n, Val i, Val extent)
{
    Cpu *c = n->c;
    int roots = n->nest->roots.len, left = 0;
    bool *skip = NEW_N(c->arena, bool, roots);
    LLVMBasicBlockRef once = cpu_block(c), after = cpu_block(c);

    LLVMBuildCondBr(c->b, LLVMBuildICmp(c->b, LLVMIntSLT, i, extent, ""), once, after);
    LLVMPositionBuilderAtEnd(c->b, once);
    n->segment = SEGMENT_DEAD;
    begin_body(n, i, 0);
    for (int r = 0; r < roots; r++) {
        const Root *root = &n->nest->roots.at[r];
        if (root->kind == ROOT_STORE)
            skip[r] = root->dies;
        else if (root->kind == ROOT_REDUCE)
            skip[r] = cpu_reduce_dead(n, root->op, LLVMBuildSub(c->b, extent, i, ""));
        left += !skip[r];
    }
    n->in_body = false;
    if (left > 0)
        segment(n, SEGMENT_DEAD, i, extent, 1, skip);
    LLVMBuildBr(c->b, after);
    LLVMPositionBuilderAtEnd(c->b, after);
}

/* The vector that the extent cuts, then the whole ones from the last to the first. */
static void backward_loop(NestCg *n)
{
    LLVMTypeRef t = n->c->l->i64;
    int extent = n->nest->dims[n->inner], rest = extent % n->lanes;
    Val i = llvm_int(t, rest > 0 ? -n->lanes : 0);

    i = segment(n, SEGMENT_MIXED, i, llvm_int(t, 0), 1, NULL);
    segment(n, SEGMENT_MAIN, i, llvm_int(t, extent - rest), 1, NULL);
    n->segment = SEGMENT_MAIN;
}

static void inner_loops(NestCg *n)
{
    Cpu *c = n->c;
    Bld row = n->at[n->rank - 1];
    Val extent = llvm_int(c->l->i64, n->nest->dims[n->inner]);
    Val low = extent, high = llvm_int(c->l->i64, 0);
    bool ends = false;

    for (int i = 0; i < n->cuts.len; i++) {
        low = llvm_call2(c->l, row, "llvm.smin", low, n->cuts.at[i].count);
        if (n->nest->bounds.at[i].kind == BOUND_OR)
            continue;
        high = llvm_call2(c->l, row, "llvm.smax", high, n->cuts.at[i].none);
        ends = true;
    }
    high = ends ? high : extent;
    Val i = llvm_int(c->l->i64, 0);
    i = segment(n, SEGMENT_MAIN, i, low, n->unroll, NULL);
    if (n->unroll > 1)
        i = segment(n, SEGMENT_MAIN, i, low, 1, NULL);
    i = segment(n, SEGMENT_MIXED, i, high, 1, NULL);
    if (ends)
        dead_segment(n, i, extent);
    n->segment = SEGMENT_MAIN;
}

/* One element at a time. */
static void serial_loop(NestCg *n)
{
    Cpu *c = n->c;
    Loop l = cpu_loop_begin(c);

    begin_body(n, in_direction(n, c->b, n->inner, l.index), 0);
    root_body(n, &n->nest->roots.at[0]);
    n->in_body = false;
    cpu_loop_end(c, &l, n->nest->dims[n->inner], 1);
}

void cpu_nest(Cpu *c, const Nest *nest)
{
    NestCg n = {.c = c, .nest = nest, .rank = nest->rank, .inner = nest->order[nest->rank - 1]};
    int builders = c->l->builders.len;

    n.lanes = nest->lanes;
    n.unroll = nest->unroll;
    n.scalar_lane = nest->serial;
    n.outer = map_new(c->arena);
    n.memo = cpu_memo_new(c->arena);
    n.rows = map_new(c->arena);
    open_loops(&n);
    cpu_reduce_begin(&n);
    if (nest->roots.at[0].kind == ROOT_SCAN)
        cpu_scan_begin(&n, nest->roots.at[0].op);
    bool backwards = runs_backwards(&n, n.inner);
    find_cuts(&n);
    begin_prefetch(&n);
    LLVMBasicBlockRef entry = cpu_block(c);
    LLVMPositionBuilderAtEnd(c->b, entry);
    if (nest->serial)
        serial_loop(&n);
    else
        (backwards ? backward_loop : inner_loops)(&n);
    cpu_reduce_end(&n);
    close_loops(&n, entry);
    llvm_drop_builders(c->l, builders);
}
