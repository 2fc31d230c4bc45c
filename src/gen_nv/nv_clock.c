/*
 * nv_clock.c - warps that note how long each line of the source took them, for profiles
 *
 * Of code with GenOptions.clocks the last parameter says where: GEN_CLOCK_ROWS rows of GEN_CLOCKS
 * GenClocks, all zero before the launch.  Where steps of another line begin, and where control
 * comes together, a warp reads its multiprocessor's clock, and what went by is added to the line
 * that it was at; then it reads it again, so that noting is not part of any line.  What waits for a
 * value is at the line that wants it, not at the load.  The sums are in local memory: in registers
 * they would push out those of the kernel. At the end each warp adds its own to the row of its
 * multiprocessor.
 *
 * The warp that brings a ring's tiles has no clock: it is there to wait.
 */
#include <stddef.h>

#include "nv.h"

typedef struct {
    const Source *source;
    int line;
    uint32_t place; /* an offset of the source map in that line; 0: of all further lines together */
    Val cell;       /* i64 */
} Line;
struct NvClock {
    Line lines[GEN_CLOCKS];
    int count, now; /* -1: what goes by now belongs to the line that comes next */
    int paused;
    Val last;  /* a cell (i64): when the clock was last read, */
    Val noted; /* .. and the instruction that keeps that */
};

/* Of a sum, which stays in local memory. */
static Val new_sum(Nv *n)
{
    LLVMBasicBlockRef now = nv_at_head(n);
    Val cell = LLVMBuildAlloca(n->b, n->l->i64, "");

    LLVMSetVolatile(LLVMBuildStore(n->b, llvm_int(n->l->i64, 0), cell), 1);
    nv_leave_head(n, now);
    return cell;
}

static Val read_clock(Nv *n)
{
    return nv_asm(n, n->l->i64, "mov.u64 $0, %clock64;", "=l,~{memory}", NULL, 0);
}

static int line_of(Nv *n, Span span)
{
    NvClock *c = n->clock;
    const Place at = source_place(n->func->module->sources, span.start);

    for (int i = 0; i < c->count; i++) {
        if (c->lines[i].line == at.line && c->lines[i].source == at.source)
            return i;
    }
    if (c->count == GEN_CLOCKS)
        return GEN_CLOCKS - 1;
    bool is_last = c->count == GEN_CLOCKS - 1;
    c->lines[c->count] = (Line){at.source, at.line, is_last ? 0 : span.start, new_sum(n)};
    return c->count++;
}

void nv_clock_note(Nv *n)
{
    NvClock *c = n->clock;

    if (!c || c->paused || c->now < 0)
        return;
    if (LLVMGetLastInstruction(LLVMGetInsertBlock(n->b)) == c->noted) {
        c->now = -1; /* the line is none of this thread's work */
        return;
    }
    Val cell = c->lines[c->now].cell, now = read_clock(n);
    Val by = LLVMBuildSub(n->b, now, LLVMBuildLoad2(n->b, n->l->i64, c->last, ""), "");
    Val sum = LLVMBuildLoad2(n->b, n->l->i64, cell, "");
    LLVMSetVolatile(sum, 1);
    LLVMSetVolatile(LLVMBuildStore(n->b, LLVMBuildAdd(n->b, sum, by, ""), cell), 1);
    c->noted = LLVMBuildStore(n->b, read_clock(n), c->last);
    c->now = -1;
}

void nv_clock_at(Nv *n, const Op *op)
{
    NvClock *c = n->clock;

    if (!c || c->paused || !op || op->span.start == 0)
        return;
    int line = line_of(n, op->span);
    if (line != c->now)
        nv_clock_note(n);
    c->now = line;
}

void nv_clock_pause(Nv *n, bool paused)
{
    if (n->clock)
        n->clock->paused += paused ? 1 : -1;
}

void nv_clock_begin(Nv *n)
{
    if (!n->options->clocks || !n->func->module->sources)
        return;
    n->clock = NEW(n->arena, NvClock);
    *n->clock = (NvClock){.now = -1};
    LLVMBasicBlockRef now = nv_at_head(n);
    n->clock->last = LLVMBuildAlloca(n->b, n->l->i64, "");
    nv_leave_head(n, now);
    n->clock->noted = LLVMBuildStore(n->b, read_clock(n), n->clock->last);
}

/* Where the row of this multiprocessor is, a pointer. */
static Val own_row(Nv *n)
{
    Val all = LLVMGetParam(n->fn, LLVMCountParams(n->fn) - 1);
    Val unit = nv_asm(n, n->l->i32, "mov.u32 $0, %smid;", "=r", NULL, 0);
    Val row = LLVMBuildAnd(n->b, unit, llvm_int(n->l->i32, GEN_CLOCK_ROWS - 1), "");
    Val at = LLVMBuildMul(n->b, row, llvm_int(n->l->i32, GEN_CLOCKS * sizeof(GenClock)), "");

    return LLVMBuildGEP2(n->b, n->l->i8, all, &at, 1, "");
}

void nv_clock_end(Nv *n)
{
    NvClock *c = n->clock;
    const char *text = arena_printf(n->arena,
                                    "{ st.global.b32 [$0+%zu], $1; "
                                    "red.global.add.u64 [$0+%zu], $2; }",
                                    offsetof(GenClock, place), offsetof(GenClock, cycles));

    if (!c)
        return;
    nv_clock_note(n);
    Val is_first = LLVMBuildICmp(n->b, LLVMIntEQ, n->lane, llvm_int(n->l->i32, 0), "");
    LLVMBasicBlockRef after = nv_begin_if(n, is_first);
    Val row = own_row(n);
    for (int i = 0; i < c->count; i++) {
        Val at = llvm_int(n->l->i32, i * (int64_t)sizeof(GenClock));
        Val sum = LLVMBuildLoad2(n->b, n->l->i64, c->lines[i].cell, "");
        LLVMSetVolatile(sum, 1);
        nv_asm(n, n->l->none, text, "l,r,l,~{memory}",
               (Val[]){LLVMBuildGEP2(n->b, n->l->i8, row, &at, 1, ""),
                       llvm_int(n->l->i32, c->lines[i].place), sum},
               3);
    }
    nv_end_if(n, after);
}
