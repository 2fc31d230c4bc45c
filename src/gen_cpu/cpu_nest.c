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
 *           inner: (mixed,) main, mixed, dead segments of i2
 *
 * Where quotients of an index stay in pieces of a row (cpu_pieces.c), the last of the scalar loops
 * goes from one of these to the next, and `row` below is a piece.
 *
 * Masks that compare an affine index with something fixed in a row are bounds: the inner range is
 * cut into a main segment where all of them hold, a mixed one (usually a single vector) where
 * masks are real, another one in front of it where some of them begin to hold, and a dead one where
 * none holds.  In the main segment there are no masks, and code size does not depend on extents
 * anywhere.  Short rows where all bounds hold everywhere are not cut.
 */
#include "cpu.h"

/* --- loops --- */

/* The loop from piece to piece of a row? */
static bool over_pieces(const NestCg *n, int loop)
{
    return loop == nest_row_level(n->nest) && loop < n->rank - 1;
}

/* How many trips of a scalar loop one of its bodies is for. */
static int rows_at_once(const NestCg *n, int level)
{
    if (level == n->rank - 3)
        return n->planes;
    return level == n->rank - 2 ? n->nest->schedule->rows : 1;
}

/* Where a scalar loop begins, and ends. */
static Val first_trip(const NestCg *n, int loop)
{
    int dim = over_pieces(n, loop) ? n->inner : n->nest->order[loop];

    return dim == n->split ? n->from : llvm_int(n->c->l->i64, 0);
}

static Val behind_trips(const NestCg *n, int loop)
{
    int dim = over_pieces(n, loop) ? n->inner : n->nest->order[loop];

    return dim == n->split ? n->to : llvm_int(n->c->l->i64, n->nest->dims[dim]);
}

/* Open the scalar loops; at[k + 1] stays open for code of its level until close_loops(). */
static void open_loops(NestCg *n)
{
    Cpu *c = n->c;

    n->at[0] = llvm_builder(c->l, LLVMGetInsertBlock(c->b));
    for (int k = 0; k < n->front; k++) {
        int dim = n->nest->order[k];
        if (n->nest->dims[dim] == 1 && !over_pieces(n, k)) {
            n->index[dim] = llvm_int(c->l->i64, 0);
            n->at[k + 1] = n->at[k];
            continue;
        }
        n->at[k + 1] = llvm_builder(c->l, cpu_block(c));
        n->counter[dim] = LLVMBuildPhi(n->at[k + 1], c->l->i64, "");
        n->index[dim] = cpu_in_direction(n, n->at[k + 1], dim, n->counter[dim]);
        if (over_pieces(n, k))
            n->begin = n->counter[dim];
    }
}

/* c->b stands behind what is in it. */
static void close_loop(NestCg *n, int k)
{
    Cpu *c = n->c;
    int dim = n->nest->order[k];

    if (n->nest->dims[dim] == 1 && !over_pieces(n, k))
        return;
    Val i = n->counter[dim];
    LLVMBasicBlockRef head = LLVMGetInstructionParent(i), exit = cpu_block(c);
    Val step = llvm_int(c->l->i64, rows_at_once(n, k));
    Val next = over_pieces(n, k) ? n->end : LLVMBuildAdd(c->b, i, step, "");
    Val more = LLVMBuildICmp(c->b, LLVMIntSLT, next, behind_trips(n, k), "");
    LLVMBasicBlockRef latch = LLVMGetInsertBlock(c->b), before = LLVMGetInsertBlock(n->at[k]);
    LLVMBuildCondBr(c->b, more, head, exit);
    LLVMBuildBr(n->at[k], head);
    LLVMAddIncoming(i, (Val[]){first_trip(n, k), next}, (LLVMBasicBlockRef[]){before, latch}, 2);
    LLVMPositionBuilderAtEnd(c->b, exit);
}

/* From the inside out, and what was reduced along a row behind its last piece. */
static void close_loops(NestCg *n, LLVMBasicBlockRef inner_entry)
{
    int rows = nest_row_level(n->nest);

    LLVMBuildBr(n->at[n->front], inner_entry);
    if (rows < n->rank - 1)
        close_loop(n, rows);
    cpu_reduce_end(n);
    for (int k = MIN(rows, n->front) - 1; k >= 0; k--)
        close_loop(n, k);
}

/* --- the inner loop --- */

/* One element at a time. */
static void serial_loop(NestCg *n)
{
    Cpu *c = n->c;
    Loop l = cpu_loop_begin(c);

    cpu_bodies(n, PART_MAIN, l.index, 1);
    cpu_loop_end(c, &l, n->nest->dims[n->inner], 1);
}

static void inner_loop(NestCg *n)
{
    if (n->nest->serial && n->nest->bounds.len == 0)
        serial_loop(n);
    else
        cpu_segments(n);
}

/* Where each bound is found, which of rows in a strip is not in front of the segments. */
static void see_levels(NestCg *n)
{
    const Schedule *s = n->nest->schedule;

    for (int i = 0; i < s->entries.len; i++) {
        if (s->entries.at[i].kind == MAKE_CUT)
            n->cuts[s->entries.at[i].number].level = s->entries.at[i].level;
    }
}

/* Does a part of the program go through a part of it? */
static bool is_split(const Cpu *c, const Nest *n)
{
    return c->part && !c->plan->split.loop && n->split >= 0;
}

/* .. of each of its rows? */
static bool splits_rows(const Cpu *c, const Nest *n)
{
    return is_split(c, n) && n->split == n->order[n->rank - 1];
}

static void one_nest(Cpu *c, const Nest *nest, bool full)
{
    NestCg n = {.c = c, .nest = nest, .rank = nest->rank, .inner = nest->order[nest->rank - 1]};
    int builders = c->l->builders.len;

    n.lanes = nest->lanes;
    n.unroll = nest->unroll;
    n.front = nest->rank - 1 - nest->schedule->strips;
    n.times = 1;
    n.full = full;
    n.begin = llvm_int(c->l->i64, 0);
    n.end = llvm_int(c->l->i64, nest->dims[n.inner]);
    if (nest->schedule->beyond)
        n.end = llvm_int(c->l->i64, (nest->dims[n.inner] + n.lanes - 1) / n.lanes * n.lanes);
    n.split = SPLIT_NONE;
    if (is_split(c, nest)) {
        n.split = nest->split;
        n.from = c->from[nest->split_range];
        n.to = c->to[nest->split_range];
    }
    if (n.split == n.inner) {
        n.begin = n.from;
        n.end = n.to;
    }
    n.made = NEW_N(c->arena, Made, nest->schedule->entries.len + 1);
    n.planes = full || plan_planes_are_alike(nest) ? nest->schedule->planes : 1;
    n.cuts = NEW_N(c->arena, Cut, nest->bounds.len + 1);
    n.ahead = NEW_N(c->arena, Val, nest->ahead.len + 1);
    see_levels(&n);
    open_loops(&n);
    cpu_reduce_begin(&n);
    if (nest->roots.at[0].kind == ROOT_SCAN)
        cpu_scan_begin(&n, &nest->roots.at[0]);
    cpu_count_begin(&n);
    for (int level = 0; level < n.front; level++)
        cpu_part(&n, PART_ROWS, level);
    cpu_begin_planes(&n);
    for (int i = 0; i < n.planes; i++) {
        cpu_plane(&n, i);
        cpu_part(&n, PART_ROWS, n.front);
    }
    LLVMBasicBlockRef entry = cpu_block(c);
    LLVMPositionBuilderAtEnd(c->b, entry);
    inner_loop(&n);
    close_loops(&n, entry);
    cpu_count_end(&n);
    llvm_drop_builders(c->l, builders);
}

/* Scalars that a nest reduces to, as the two ways have made them. */
static void meet_results(Cpu *c, const Nest *n, Val *made, LLVMBasicBlockRef *ways)
{
    for (int i = 0, at = 0; i < n->roots.len; i++) {
        const Op *op = n->roots.at[i].op;
        for (int k = 0; op && k < op->nresults; k++) {
            if (op->results[k]->type->rank > 0)
                continue;
            Val *slot = &c->scalars[op->results[k]->id], now = *slot;
            if (!ways) {
                made[at++] = now;
                continue;
            }
            *slot = LLVMBuildPhi(c->b, LLVMTypeOf(now), "");
            LLVMAddIncoming(*slot, (Val[]){made[at++], now}, ways, 2);
        }
    }
}

/* In pieces, or whole where they would be too short. */
static void either_nest(Cpu *c, const Nest *n)
{
    LLVMBasicBlockRef pieces = cpu_block(c), whole = cpu_block(c), after = cpu_block(c);
    LLVMBasicBlockRef ways[] = {pieces, whole};
    Val *made = NEW_N(c->arena, Val, n->roots.len * MAX_COMBINED);

    llvm_likely(c->l, LLVMBuildCondBr(c->b, cpu_pieces_pay(c, n), ways[0], ways[1]));
    for (int i = 0; i < 2; i++) {
        LLVMPositionBuilderAtEnd(c->b, ways[i]);
        one_nest(c, i == 0 ? n : n->whole, false);
        ways[i] = LLVMGetInsertBlock(c->b);
        LLVMBuildBr(c->b, after);
        if (i == 0)
            meet_results(c, n, made, NULL);
    }
    LLVMPositionBuilderAtEnd(c->b, after);
    meet_results(c, n, made, ways);
}

/* Without bounds where all hold, which nothing is reduced in. */
static void full_nest(Cpu *c, const Nest *n)
{
    LLVMBasicBlockRef full = cpu_block(c), cut = cpu_block(c), after = cpu_block(c);

    llvm_likely(c->l, LLVMBuildCondBr(c->b, cpu_all_hold(c, n), full, cut));
    LLVMPositionBuilderAtEnd(c->b, full);
    one_nest(c, n, true);
    LLVMBuildBr(c->b, after);
    LLVMPositionBuilderAtEnd(c->b, cut);
    one_nest(c, n, false);
    LLVMBuildBr(c->b, after);
    LLVMPositionBuilderAtEnd(c->b, after);
}

void cpu_nest(Cpu *c, const Nest *n)
{
    if (n->whole)
        either_nest(c, n);
    else if (n->full.len > 0 && !splits_rows(c, n))
        full_nest(c, n);
    else
        one_nest(c, n, false);
}
