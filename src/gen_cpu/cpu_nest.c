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

/* Does a part of the program have a range of what the inner loop goes through? */
static bool has_range(const NestCg *n)
{
    return n->split == n->inner;
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

/* --- segments --- */

/* Where the whole row ends, of which a piece may be at hand. */
static Val row_end(const NestCg *n)
{
    return has_range(n) ? n->to : llvm_int(n->c->l->i64, n->nest->dims[n->inner]);
}

static bool constant_value(Val v, int64_t *out)
{
    if (!LLVMIsAConstantInt(v))
        return false;
    *out = LLVMConstIntGetSExtValue(v);
    return true;
}

/* Run bodies from i while a whole step fits below limit (main) or i is below it (others); gives
 * the index where it stopped.  Known trip counts of 0 and 1 need no loop. */
static Val segment(NestCg *n, Part part, Val i, Val limit, int copies)
{
    Cpu *c = n->c;
    int64_t from, to, step = (int64_t)copies * n->lanes, trips = 2;

    bool known = constant_value(i, &from) && constant_value(limit, &to);
    if (known)
        trips = part == PART_MAIN ? (to - from) / step : (to - from + step - 1) / step;
    if (trips <= 0)
        return i;
    if (trips == 1) {
        cpu_bodies(n, part, i, copies);
        return llvm_int(c->l->i64, from + step);
    }
    LLVMBasicBlockRef before = LLVMGetInsertBlock(c->b), in = cpu_block(c), exit = cpu_block(c);
    if (part == PART_MAIN) /* in front of the loop, which then counts with one register */
        limit = LLVMBuildSub(c->b, limit, llvm_int(c->l->i64, step - 1), "");
    LLVMBuildCondBr(c->b, LLVMBuildICmp(c->b, LLVMIntSLT, i, limit, ""), in, exit);
    LLVMPositionBuilderAtEnd(c->b, in);
    Val at = LLVMBuildPhi(c->b, c->l->i64, "");
    cpu_bodies(n, part, at, copies);
    LLVMBasicBlockRef latch = LLVMGetInsertBlock(c->b);
    Val next = LLVMBuildAdd(c->b, at, llvm_int(c->l->i64, step), "");
    LLVMBuildCondBr(c->b, LLVMBuildICmp(c->b, LLVMIntSLT, next, limit, ""), in, exit);
    LLVMAddIncoming(at, (Val[]){i, next}, (LLVMBasicBlockRef[]){before, latch}, 2);
    LLVMPositionBuilderAtEnd(c->b, exit);
    Val stop = LLVMBuildPhi(c->b, c->l->i64, "");
    LLVMAddIncoming(stop, (Val[]){i, next}, (LLVMBasicBlockRef[]){before, latch}, 2);
    return known ? llvm_int(c->l->i64, from + trips * step) : stop;
}

/* Vectors from i on up to the limit exactly: the last one begins earlier where that cuts it.  Not
 * if it would begin in front of `first`. */
static Val overlapping_segment(NestCg *n, Val first, Val i, Val limit)
{
    Cpu *c = n->c;
    LLVMTypeRef t = c->l->i64;
    LLVMBasicBlockRef before = LLVMGetInsertBlock(c->b), in = cpu_block(c), exit = cpu_block(c);
    Val last = LLVMBuildSub(c->b, limit, llvm_int(t, n->lanes), "");
    Val has_room = LLVMBuildICmp(c->b, LLVMIntSLE, first, last, "");
    Val some = LLVMBuildAnd(c->b, LLVMBuildICmp(c->b, LLVMIntSLT, i, limit, ""), has_room, "");
    Val start = llvm_call2(c->l, c->b, "llvm.smin", i, last);

    LLVMBuildCondBr(c->b, some, in, exit);
    LLVMPositionBuilderAtEnd(c->b, in);
    Val at = LLVMBuildPhi(c->b, t, "");
    cpu_bodies(n, PART_MAIN, at, 1);
    LLVMBasicBlockRef latch = LLVMGetInsertBlock(c->b);
    Val next = LLVMBuildAdd(c->b, at, llvm_int(t, n->lanes), "");
    Val more = LLVMBuildICmp(c->b, LLVMIntSLT, next, limit, "");
    Val back = llvm_call2(c->l, c->b, "llvm.smin", next, last);
    LLVMBuildCondBr(c->b, more, in, exit);
    LLVMAddIncoming(at, (Val[]){start, back}, (LLVMBasicBlockRef[]){before, latch}, 2);
    LLVMPositionBuilderAtEnd(c->b, exit);
    Val stop = LLVMBuildPhi(c->b, t, "");
    LLVMAddIncoming(stop, (Val[]){i, limit}, (LLVMBasicBlockRef[]){before, latch}, 2);
    return stop;
}

/* All whole vectors from i on, below a limit.  first: where the segment begins. */
static Val main_segment(NestCg *n, Val first, Val i, Val limit)
{
    i = segment(n, PART_MAIN, i, limit, n->unroll);

    if (n->nest->schedule->again)
        return overlapping_segment(n, first, i, limit);
    return n->unroll > 1 ? segment(n, PART_MAIN, i, limit, 1) : i;
}

/* The lanes where every bound is false: what is done at once, and a loop for what is left. */
static void dead_segment(NestCg *n, Val i, Val extent)
{
    Cpu *c = n->c;
    LLVMBasicBlockRef once = cpu_block(c), after = cpu_block(c);

    LLVMBuildCondBr(c->b, LLVMBuildICmp(c->b, LLVMIntSLT, i, extent, ""), once, after);
    LLVMPositionBuilderAtEnd(c->b, once);
    cpu_begin_body(n, PART_REST, i, 0);
    cpu_part(n, PART_REST, ANY_LEVEL);
    if (n->nest->schedule->part[PART_DEAD].len > 0)
        segment(n, PART_DEAD, i, extent, 1);
    LLVMBuildBr(c->b, after);
    LLVMPositionBuilderAtEnd(c->b, after);
}

/* The vector that the extent cuts, then the whole ones from the last to the first. */
static void backward_loop(NestCg *n)
{
    LLVMTypeRef t = n->c->l->i64;
    int extent = n->nest->dims[n->inner], rest = extent % n->lanes;
    Val i = llvm_int(t, rest > 0 ? -n->lanes : 0);

    i = segment(n, PART_MIXED, i, llvm_int(t, 0), 1);
    segment(n, PART_MAIN, i, llvm_int(t, extent - rest), 1);
}

/* Where the dead segment begins: the first of the last bounds ends there; without any, all do.  Of
 * what is left of a mask where a BOUND_OR is false nobody knows. */
static Val dead_from(NestCg *n)
{
    Llvm *l = n->c->l;
    Bld row = n->at[n->front];
    Val all = llvm_int(l->i64, 0), first = NULL;
    bool some = false;

    for (int i = 0; i < n->nest->bounds.len; i++) {
        const Bound *b = &n->nest->bounds.at[i];
        Val none = n->cuts[i].none;

        if (n->cuts[i].level > n->front) /* of rows in a strip, each by itself */
            continue;
        some |= b->kind != BOUND_OR;
        if (bound_ends(b))
            all = llvm_call2(l, row, "llvm.smax", all, none);
        if (b->is_last)
            first = first ? llvm_call2(l, row, "llvm.smin", first, none) : none;
    }
    return first ? first : some ? all : n->end;
}

/* Where vectors overlap, what is dead has one of its own, or is none: others must not be computed
 * as if they were. */
static Val whole_dead(NestCg *n, Val from)
{
    LLVMTypeRef t = n->c->l->i64;
    Bld row = n->at[n->front];
    Val extent = row_end(n), last = LLVMBuildSub(row, extent, llvm_int(t, n->lanes), "");
    Val has = LLVMBuildICmp(row, LLVMIntSLE, from, last, "");

    return LLVMBuildSelect(row, has, from, extent, "");
}

/* Up to where all bounds hold; what is the same for all rows is found in front of them. */
static Val lowest_end(NestCg *n)
{
    Llvm *l = n->c->l;
    Val low = llvm_int(l->i64, n->nest->dims[n->inner]);

    for (int level = 0; level <= n->front; level++) {
        for (int i = 0; i < n->nest->bounds.len; i++) {
            if (n->cuts[i].level == level)
                low = llvm_call2(l, n->at[level], "llvm.smin", low, n->cuts[i].count);
        }
    }
    return low == llvm_int(l->i64, n->nest->dims[n->inner])
               ? n->end
               : llvm_call2(l, n->at[n->front], "llvm.smin", low, n->end);
}

/* Where the last of the bounds that begin does so; NULL: none begins. */
static Val highest_start(NestCg *n)
{
    Llvm *l = n->c->l;
    Val head = NULL;

    for (int level = 0; level <= n->front; level++) {
        for (int i = 0; i < n->nest->bounds.len; i++) {
            Val first = n->cuts[i].first;
            if (first && n->cuts[i].level == level)
                head = head ? llvm_call2(l, n->at[level], "llvm.smax", head, first) : first;
        }
    }
    return head;
}

/* Whole vectors with masks up to there, but not into what is dead; none where no bound begins. */
static Val head_segment(NestCg *n, Val high)
{
    Llvm *l = n->c->l;
    Val head = highest_start(n);

    if (!head)
        return n->begin;
    head = llvm_call2(l, n->at[n->front], "llvm.smin", head, high);
    return segment(n, PART_MIXED, n->begin, head, 1);
}

/* The first vector of a main segment that begins anywhere; gives where whole ones go on, so that
 * their places in rows are multiples of what they are long. */
static Val first_vector(NestCg *n, Val first)
{
    Cpu *c = n->c;
    LLVMTypeRef t = c->l->i64;
    Val up = LLVMBuildAdd(c->b, first, llvm_int(t, n->lanes - 1), "");
    Val next = LLVMBuildAnd(c->b, up, llvm_int(t, -n->lanes), "");
    LLVMBasicBlockRef in = cpu_block(c), after = cpu_block(c);

    LLVMBuildCondBr(c->b, LLVMBuildICmp(c->b, LLVMIntSLT, first, next, ""), in, after);
    LLVMPositionBuilderAtEnd(c->b, in);
    cpu_bodies(n, PART_MAIN, first, 1);
    LLVMBuildBr(c->b, after);
    LLVMPositionBuilderAtEnd(c->b, after);
    return next;
}

/* What lies on both sides of the main segment, from `first` to `end`, and then this over it. */
static void between_edges(NestCg *n, Val first, Val end, Val extent)
{
    segment(n, PART_DEAD, n->begin, first, 1);
    segment(n, PART_DEAD, end, extent, 1);
    main_segment(n, first, first == n->begin ? first : first_vector(n, first), end);
}

/* Where the dead segment begins, if there is one. */
static Val end_of_mixed(NestCg *n)
{
    const Schedule *s = n->nest->schedule;
    Val high = n->end;

    if (s->ends)
        high = llvm_call2(n->c->l, n->at[n->front], "llvm.smin", dead_from(n), high);
    return s->ends && s->again ? whole_dead(n, high) : high;
}

/* From i on: vectors under masks up to `high`, and what is dead. */
static void rest_of_row(NestCg *n, Val i, Val high)
{
    if (!n->nest->schedule->again || n->nest->bounds.len > 0)
        i = segment(n, PART_MIXED, i, high, 1);
    if (n->nest->schedule->ends)
        dead_segment(n, i, n->end);
}

static void cut_loops(NestCg *n, Val low)
{
    Val high = end_of_mixed(n), i = head_segment(n, high);

    rest_of_row(n, main_segment(n, i, i, low), high);
}

/* Rows where all bounds hold everywhere are most of them, and have whole vectors, as many as the
 * extent says. */
static void masked_loops(NestCg *n)
{
    Cpu *c = n->c;
    Bld row = n->at[n->front];
    Val extent = llvm_int(c->l->i64, n->nest->dims[n->inner]), zero = llvm_int(c->l->i64, 0);
    Val low = lowest_end(n), first = highest_start(n);

    if (has_range(n) || !plan_has_short_rows(n->nest)) {
        cut_loops(n, low);
        return;
    }
    LLVMBasicBlockRef whole = cpu_block(c), cut = cpu_block(c), after = cpu_block(c);
    Val all = LLVMBuildICmp(row, LLVMIntSGE, low, extent, "");
    if (first)
        all = LLVMBuildAnd(row, all, LLVMBuildICmp(row, LLVMIntSLE, first, zero, ""), "");
    llvm_likely(c->l, LLVMBuildCondBr(c->b, all, whole, cut));
    LLVMPositionBuilderAtEnd(c->b, whole);
    segment(n, PART_MAIN, segment(n, PART_MAIN, zero, extent, n->unroll), extent, 1);
    LLVMBuildBr(c->b, after);
    LLVMPositionBuilderAtEnd(c->b, cut);
    cut_loops(n, low);
    LLVMBuildBr(c->b, after);
    LLVMPositionBuilderAtEnd(c->b, after);
}

/* Of rows that have a whole vector between their edges; of others masks say which elements are
 * there. */
static void edged_loops(NestCg *n, Val extent)
{
    Cpu *c = n->c;
    Bld row = n->at[n->front];
    Val first = highest_start(n), end = lowest_end(n);
    LLVMBasicBlockRef plain = cpu_block(c), masked = cpu_block(c), after = cpu_block(c);

    if (!first)
        first = n->begin;
    else if (has_range(n))
        first = llvm_call2(c->l, row, "llvm.smax", first, n->begin);
    Val length = LLVMBuildSub(row, end, first, "");
    Val has = LLVMBuildICmp(row, LLVMIntSGE, length, llvm_int(c->l->i64, n->lanes), "");
    LLVMBuildCondBr(c->b, has, plain, masked);
    LLVMPositionBuilderAtEnd(c->b, plain);
    between_edges(n, first, end, extent);
    LLVMBuildBr(c->b, after);
    LLVMPositionBuilderAtEnd(c->b, masked);
    rest_of_row(n, n->begin, end_of_mixed(n));
    LLVMBuildBr(c->b, after);
    LLVMPositionBuilderAtEnd(c->b, after);
}

/* All bounds hold: whole vectors, as many at once as there may be. */
static void full_loops(NestCg *n)
{
    int extent = n->nest->dims[n->inner], copies = extent / n->lanes;
    Val end = llvm_int(n->c->l->i64, extent);

    if (n->nest->schedule->strips) {
        segment(n, PART_MAIN, segment(n, PART_MAIN, n->begin, end, n->unroll), end, 1);
        return;
    }
    while (copies > MAX_UNROLL)
        copies = copies % 2 == 0 ? copies / 2 : 1;
    segment(n, PART_MAIN, n->begin, end, copies);
}

static void inner_loops(NestCg *n)
{
    if (n->full)
        full_loops(n);
    else if (n->nest->schedule->edges)
        edged_loops(n, row_end(n));
    else
        masked_loops(n);
}

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
    else if (n->nest->backwards)
        backward_loop(n);
    else
        inner_loops(n);
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
    n.split = SPLIT_NONE;
    if (is_split(c, nest)) {
        n.split = nest->split;
        n.from = c->from[nest->split_range];
        n.to = c->to[nest->split_range];
    }
    if (has_range(&n)) {
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
