/*
 * cpu_body.c - what an inner loop does in one step: bodies of a nest
 *
 * A body computes one vector of a row.  A step has copies of it side by side, or several rows'
 * below each other, or all rows': a *strip* is as many columns as the copies have, and the loop
 * over the rows around the inner one runs within it (plan_strips.c), so that what is combined along
 * them stays in registers, and bounds that only columns have cut the tile once:
 *
 *     at[rank - 2] ...                 what is known in front of all rows
 *       inner: (mixed,) main, mixed, dead segments, in strips
 *         for row: at[rank - 1] ...    what changes with the row, for each strip again
 *           bodies
 *
 * A row in which a bound of whole rows is false is dead, whatever the segment.
 *
 * Where several *planes*, trips of the loop around both, go through a strip together, all that is
 * made for one is made for each in turn, and copies of it have numbers of their own.
 */
#include "cpu.h"

#include <string.h>

/* Loops count up; a reverse scan sees its axis from the other end, at 0 the last whole vector. */
Val cpu_in_direction(const NestCg *n, Bld b, int dim, Val i)
{
    int step = dim == n->inner ? n->lanes : 1;

    if (!plan_runs_backwards(n->nest, dim))
        return i;
    int last = (n->nest->dims[dim] / step - 1) * step;
    return LLVMBuildSub(b, llvm_int(n->c->l->i64, last), i, "");
}

/* --- bodies --- */

/* Where the last whole vector of the row begins. */
static Val last_vector(const NestCg *n)
{
    LLVMTypeRef t = n->c->l->i64;

    if (n->split == n->inner)
        return LLVMBuildSub(n->c->b, n->to, llvm_int(t, n->lanes), "");
    return llvm_int(t, n->nest->dims[n->inner] - n->lanes);
}

void cpu_begin_body(NestCg *n, Part part, Val i, int copy)
{
    Cpu *c = n->c;
    int extent = n->nest->dims[n->inner];
    bool pieces = n->nest->pieces.len > 0 && !n->nest->aligned;
    bool again = n->nest->schedule->again && part != PART_MAIN, lined = n->nest->lined != 0;

    if (again)
        i = llvm_call2(c->l, c->b, "llvm.smin", i, last_vector(n));
    n->at[n->rank] = c->b;
    n->index[n->inner] = i;
    n->copy = n->this_plane * MAX_UNROLL + copy;
    n->lane_ok = NULL;
    if (again || part == PART_MAIN || (extent % n->lanes == 0 && !pieces && !lined))
        return;
    Val lane = LLVMBuildIntCast2(c->b, i, c->l->i32, 1, "");
    lane = LLVMBuildAdd(c->b, llvm_splat(c->b, lane, n->lanes), llvm_iota(c->l->i32, n->lanes), "");
    Val end = LLVMBuildIntCast2(c->b, n->until ? n->until : n->end, c->l->i32, 1, "");
    n->lane_ok = LLVMBuildICmp(c->b, LLVMIntSLT, lane, llvm_splat(c->b, end, n->lanes), "");
}

static void body(NestCg *n, Part part, Val i, int copy)
{
    i = cpu_in_direction(n, n->c->b, n->inner, i);
    cpu_begin_body(n, part, i, copy);
    if (copy == 0 && part == PART_MAIN)
        cpu_prefetch(n, i);
    cpu_part(n, part, ANY_LEVEL);
}

static void bodies_of_row(NestCg *n, Part part, Val i, int copies)
{
    for (int u = 0; u < copies; u++)
        body(n, part, u ? LLVMBuildAdd(n->c->b, i, llvm_int(n->c->l->i64, u * n->lanes), "") : i,
             u);
}

static void side_by_side(NestCg *n, Part part, Val i, int copies)
{
    int rows = n->nest->schedule->rows, dim = rows > 1 ? n->nest->order[n->rank - 2] : 0;
    Val first = n->index[dim];

    for (int r = 0; r < rows; r++) {
        if (r > 0)
            n->index[dim] = LLVMBuildAdd(n->at[n->rank - 1], first, llvm_int(n->c->l->i64, r), "");
        bodies_of_row(n, part, i, copies);
    }
    if (rows > 1)
        n->index[dim] = first;
}

/* --- planes --- */

static int plane_dim(const NestCg *n)
{
    return n->nest->order[n->rank - 3];
}

void cpu_begin_planes(NestCg *n)
{
    Bld b = n->at[n->front];
    int entries = n->nest->schedule->entries.len;

    n->plane[0].made = n->made;
    if (n->planes == 1)
        return;
    n->plane[0].index = n->index[plane_dim(n)];
    for (int i = 1; i < n->planes; i++) {
        n->plane[i].index = LLVMBuildAdd(b, n->plane[0].index, llvm_int(n->c->l->i64, i), "");
        n->plane[i].made = NEW_N(n->c->arena, Made, entries + 1);
        memcpy(n->plane[i].made, n->made, sizeof *n->made * (size_t)entries);
    }
}

void cpu_plane(NestCg *n, int plane)
{
    n->this_plane = plane;
    n->made = n->plane[plane].made;
    if (n->planes > 1)
        n->index[plane_dim(n)] = n->plane[plane].index;
}

/* --- strips --- */

/* i1: do all bounds hold that are the same for a whole row?  NULL: none changes with the row. */
static Val row_holds(const NestCg *n)
{
    Bld b = n->at[n->rank - 1];
    Val holds = NULL, all = llvm_int(n->c->l->i64, n->nest->dims[n->inner]);

    for (int i = 0; i < n->nest->bounds.len; i++) {
        if (n->cuts[i].level < n->rank - 1)
            continue;
        Val one = LLVMBuildICmp(b, LLVMIntEQ, n->cuts[i].count, all, "");
        holds = holds ? LLVMBuildAnd(b, holds, one, "") : one;
    }
    return holds;
}

/* Of a row where such a bound is false: as what is dead. */
static void bodies_of_either(NestCg *n, Part part, Val i, Val holds)
{
    Cpu *c = n->c;
    LLVMBasicBlockRef ways[2], after;

    ways[0] = cpu_block(c);
    ways[1] = cpu_block(c);
    after = cpu_block(c);
    LLVMBuildCondBr(c->b, holds, ways[0], ways[1]);
    for (int w = 0; w < 2; w++) {
        LLVMPositionBuilderAtEnd(c->b, ways[w]);
        bodies_of_row(n, w == 0 ? part : PART_DEAD, i, n->copies);
        LLVMBuildBr(c->b, after);
    }
    LLVMPositionBuilderAtEnd(c->b, after);
}

static void bodies_of_rows(NestCg *n, Part part, Val i)
{
    Cpu *c = n->c;
    int dim = n->nest->order[n->rank - 2];
    Loop l = cpu_loop_begin(c);
    Bld row = n->at[n->rank - 1] = llvm_builder(c->l, l.head);

    n->index[dim] = n->counter[dim] = l.index;
    n->index[dim] = cpu_in_direction(n, row, dim, l.index);
    if (n->picks)
        n->index[dim] = LLVMBuildSub(row, llvm_int(c->l->i64, n->nest->dims[dim] - 1), l.index, "");
    n->index[n->inner] = i;
    LLVMBasicBlockRef in = cpu_block(c);
    for (int p = 0; p < n->planes; p++) {
        cpu_plane(n, p);
        cpu_part(n, PART_ROWS, n->rank - 1);
    }
    Val holds = n->full ? NULL : row_holds(n);
    LLVMPositionBuilderAtEnd(c->b, in);
    for (int p = 0; p < n->planes; p++) {
        cpu_plane(n, p);
        if (holds && part != PART_DEAD)
            bodies_of_either(n, part, i, holds);
        else
            bodies_of_row(n, part, i, n->copies);
    }
    LLVMBuildBr(row, in);
    cpu_loop_end(c, &l, n->nest->dims[dim], 1);
}

/* What is dead and the same in all rows is combined at once. */
static void bodies_of_any_row(NestCg *n, Val i)
{
    int dim = n->nest->order[n->rank - 2];

    n->at[n->rank - 1] = n->c->b;
    n->index[dim] = llvm_int(n->c->l->i64, 0);
    n->times = n->nest->dims[dim];
    for (int p = 0; p < n->planes; p++) {
        cpu_plane(n, p);
        bodies_of_row(n, PART_DEAD, i, n->copies);
    }
    n->times = 1;
}

static void rows_of_strip(NestCg *n, Part part, Val i)
{
    cpu_reduce_begin_strip(n);
    if (part == PART_DEAD && n->nest->schedule->alike)
        bodies_of_any_row(n, i);
    else
        bodies_of_rows(n, part, i);
}

/* Numbers are picked; where that was none, which NaN may be behind, all is done again as ever. */
static void picks_of_strip(NestCg *n, Part part, Val i)
{
    Cpu *c = n->c;
    LLVMBasicBlockRef again = cpu_block(c), after = cpu_block(c);

    n->picks = true;
    rows_of_strip(n, part, i);
    n->at[n->rank] = c->b;
    Val none = cpu_reduce_none_picked(n), some = LLVMBuildNot(c->b, none, "");
    n->picks = false;
    llvm_likely(c->l, LLVMBuildCondBr(c->b, some, after, again));
    LLVMPositionBuilderAtEnd(c->b, again);
    rows_of_strip(n, part, i);
    LLVMBuildBr(c->b, after);
    LLVMPositionBuilderAtEnd(c->b, after);
}

static void strip(NestCg *n, Part part, Val i, int copies)
{
    n->copies = copies;
    if (part == PART_MAIN && n->nest->schedule->picks)
        picks_of_strip(n, part, i);
    else
        rows_of_strip(n, part, i);
    for (int p = 0; p < n->planes; p++) {
        cpu_plane(n, p);
        for (int u = 0; u < copies; u++) {
            Val at = LLVMBuildAdd(n->c->b, i, llvm_int(n->c->l->i64, u * n->lanes), "");
            cpu_begin_body(n, part, at, u);
            cpu_reduce_end_strip(n);
        }
    }
    cpu_plane(n, 0);
}

/* --- steps --- */

void cpu_bodies(NestCg *n, Part part, Val i, int copies)
{
    if (n->nest->schedule->strips)
        strip(n, part, i, copies);
    else
        side_by_side(n, part, i, copies);
}
