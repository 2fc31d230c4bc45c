/*
 * cpu_segment.c - the segments of an inner loop
 *
 * Bounds cut a row into a main segment, where all of them hold, mixed ones beside it, where masks
 * are real, and a dead one (cpu_nest.c).  In which order they come, and how vectors lie in them,
 * depends on the nest: overlapping, edges first, from a line of the cache on, or from the last to
 * the first.
 */
#include "../plan_schedule/plan_schedule.h"
#include "cpu.h"

/* Does a part of the program have a range of what the inner loop goes through? */
static bool has_range(const NestCg *n)
{
    return n->split == n->inner;
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

/* Where all cuts are known, and with them where segments begin and end. */
static Bld behind_cuts(const NestCg *n)
{
    int level = 0;

    if (!n->nest->schedule->edges)
        return n->at[n->front];
    for (int i = 0; i < n->nest->bounds.len; i++)
        level = MAX(level, n->cuts[i].level);
    return n->at[level];
}

/* Where the dead segment begins: the first of the last bounds ends there; without any, all do.  Of
 * what is left of a mask where a BOUND_OR is false nobody knows. */
static Val dead_from(NestCg *n)
{
    Llvm *l = n->c->l;
    Bld row = behind_cuts(n);
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
    Bld row = behind_cuts(n);
    Val extent = row_end(n), last = LLVMBuildSub(row, extent, llvm_int(t, n->lanes), "");
    Val has = LLVMBuildICmp(row, LLVMIntSLE, from, last, "");

    return LLVMBuildSelect(row, has, from, extent, "");
}

/* Up to where all bounds hold; what is the same for all rows is found in front of them. */
static Val lowest_end(NestCg *n)
{
    Llvm *l = n->c->l;
    Val extent = llvm_int(l->i64, n->nest->dims[n->inner]), low = extent;

    for (int level = 0; level <= n->front; level++) {
        for (int i = 0; i < n->nest->bounds.len; i++) {
            if (n->cuts[i].level == level)
                low = llvm_call2(l, n->at[level], "llvm.smin", low, n->cuts[i].count);
        }
    }
    if (low == extent || n->end == extent)
        return low == extent ? n->end : low;
    return llvm_call2(l, n->at[n->front], "llvm.smin", low, n->end);
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

/* The first vector of a main segment, where whole ones go on further behind. */
static void vector_before(NestCg *n, Val first, Val next)
{
    Cpu *c = n->c;
    LLVMBasicBlockRef in = cpu_block(c), after = cpu_block(c);

    LLVMBuildCondBr(c->b, LLVMBuildICmp(c->b, LLVMIntSLT, first, next, ""), in, after);
    LLVMPositionBuilderAtEnd(c->b, in);
    cpu_bodies(n, PART_MAIN, first, 1);
    LLVMBuildBr(c->b, after);
    LLVMPositionBuilderAtEnd(c->b, after);
}

/* One that begins anywhere; gives where whole ones go on, so that their places in rows are
 * multiples of what they are long. */
static Val first_vector(NestCg *n, Val first)
{
    LLVMTypeRef t = n->c->l->i64;
    Val up = LLVMBuildAdd(n->c->b, first, llvm_int(t, n->lanes - 1), "");
    Val next = LLVMBuildAnd(n->c->b, up, llvm_int(t, -n->lanes), "");

    vector_before(n, first, next);
    return next;
}

/* One for each vector of the extent, where it is or as near to that as the main segment lets it be:
 * the same places in all rows, and nothing to ask on the way. */
static void all_vectors(NestCg *n, Val first, Val end)
{
    Llvm *l = n->c->l;
    Bld row = behind_cuts(n);
    Val last = LLVMBuildSub(row, end, llvm_int(l->i64, n->lanes), "");

    for (int i = 0; i < n->nest->dims[n->inner]; i += n->lanes) {
        Val at = llvm_call2(l, row, "llvm.smax", llvm_int(l->i64, i), first);
        cpu_bodies(n, PART_MAIN, llvm_call2(l, row, "llvm.smin", at, last), 1);
    }
}

/* What lies on both sides of the main segment, from `first` to `end`, and then this over it. */
static void between_edges(NestCg *n, Val first, Val end, Val extent)
{
    segment(n, PART_DEAD, n->begin, first, 1);
    segment(n, PART_DEAD, end, extent, 1);
    if (n->nest->schedule->whole && !has_range(n))
        all_vectors(n, first, end);
    else
        main_segment(n, first, first == n->begin ? first : first_vector(n, first), end);
}

/* Where the dead segment begins, if there is one. */
static Val end_of_mixed(NestCg *n)
{
    const Schedule *s = n->nest->schedule;
    Val high = n->end;

    if (s->ends)
        high = llvm_call2(n->c->l, behind_cuts(n), "llvm.smin", dead_from(n), high);
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
static void live_row(NestCg *n, Val extent)
{
    Cpu *c = n->c;
    Bld row = behind_cuts(n);
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

/* i1: do all bounds hold that are the same for a whole row?  NULL: there is none.  They are taken
 * to hold from here on. */
static Val whole_row_holds(NestCg *n)
{
    Bld row = n->at[n->front];
    Val holds = NULL, all = llvm_int(n->c->l->i64, n->nest->dims[n->inner]);

    for (int i = 0; i < n->nest->bounds.len; i++) {
        if (n->nest->bounds.at[i].kind != BOUND_ROW)
            continue;
        Val one = LLVMBuildICmp(row, LLVMIntEQ, n->cuts[i].count, all, "");
        holds = holds ? LLVMBuildAnd(row, holds, one, "") : one;
        n->cuts[i] = (Cut){.count = all, .none = all};
    }
    return holds;
}

/* A row that is dead as a whole is told apart first: where others have their edges is the same for
 * all of them, then, and found once.  Not of a part of a row, which may be shorter than a vector.
 */
static void edged_loops(NestCg *n, Val extent)
{
    Cpu *c = n->c;
    Val holds = has_range(n) ? NULL : whole_row_holds(n);

    if (!holds) {
        live_row(n, extent);
        return;
    }
    LLVMBasicBlockRef live = cpu_block(c), dead = cpu_block(c), after = cpu_block(c);
    LLVMBuildCondBr(c->b, holds, live, dead);
    LLVMPositionBuilderAtEnd(c->b, live);
    live_row(n, extent);
    LLVMBuildBr(c->b, after);
    LLVMPositionBuilderAtEnd(c->b, dead);
    segment(n, PART_DEAD, n->begin, extent, 1);
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

/* Vectors begin at a line of the cache; what is in front of the first one goes under masks. */
static void lined_loops(NestCg *n)
{
    Val low = lowest_end(n), high = end_of_mixed(n);
    Val first = llvm_call2(n->c->l, n->at[n->front], "llvm.smin", n->line, n->end);

    n->until = first;
    segment(n, PART_MIXED, n->begin, first, 1);
    n->until = NULL;
    rest_of_row(n, main_segment(n, first, first, low), high);
}

/* The same into the cache: the first vector begins where the row does, and may reach into the next
 * one. */
static void lines_in_cache(NestCg *n)
{
    Cpu *c = n->c;
    Val low = lowest_end(n), high = end_of_mixed(n);
    Val end = LLVMBuildAdd(c->b, n->begin, llvm_int(c->l->i64, n->lanes), "");
    Val fits = LLVMBuildICmp(c->b, LLVMIntSLE, end, low, "");
    Val next = LLVMBuildSelect(c->b, fits, n->line, n->begin, "");

    vector_before(n, n->begin, next);
    rest_of_row(n, main_segment(n, n->begin, next, low), high);
}

/* --- from the last vector to the first --- */

/* The first trip of vectors that lie in front of `at`, rounded down to a whole one, or up. */
static Val trip_of(NestCg *n, Val at, bool up)
{
    LLVMTypeRef t = n->c->l->i64;
    Bld row = n->at[n->front];
    int extent = n->nest->dims[n->inner], whole = extent / n->lanes * n->lanes;

    if (up)
        at = LLVMBuildAdd(row, at, llvm_int(t, n->lanes - 1), "");
    at = LLVMBuildAnd(row, at, llvm_int(t, -n->lanes), "");
    return LLVMBuildSub(row, llvm_int(t, whole), at, "");
}

/* Loops count up, from the vector that the extent cuts, at -lanes, or the last whole one, at 0.
 * First comes what is dead, then what is not whole in front of it. */
static void backward_loops(NestCg *n)
{
    LLVMTypeRef t = n->c->l->i64;
    const Schedule *s = n->nest->schedule;
    int rest = n->nest->dims[n->inner] % n->lanes;
    Val zero = llvm_int(t, 0), first = highest_start(n);
    Val i = llvm_int(t, rest > 0 ? -n->lanes : 0), whole = trip_of(n, zero, false);

    if (s->ends)
        i = segment(n, PART_DEAD, i, trip_of(n, dead_from(n), true), 1);
    i = segment(n, PART_MIXED, i, trip_of(n, lowest_end(n), false), 1);
    Val limit = first ? trip_of(n, first, true) : whole;
    i = segment(n, PART_MAIN, i, limit, n->unroll);
    i = segment(n, PART_MAIN, i, limit, 1);
    if (first)
        segment(n, PART_MIXED, i, whole, 1);
}

void cpu_segments(NestCg *n)
{
    if (n->nest->backwards)
        backward_loops(n);
    else if (n->full)
        full_loops(n);
    else if (n->nest->lined != 0 && n->nest->schedule->again)
        lines_in_cache(n);
    else if (n->nest->lined != 0)
        lined_loops(n);
    else if (n->nest->schedule->edges)
        edged_loops(n, row_end(n));
    else
        masked_loops(n);
}
