/*
 * cpu_code.c - what all files of the CPU target call, and which itself calls none of them
 *
 * Places for code and data, counted loops; what entries have given, and where a body stands.
 */
#include "cpu.h"

Val cpu_slot(Cpu *c, LLVMTypeRef t)
{
    return LLVMBuildAlloca(c->entry, t, "");
}

Val cpu_buffer_start(Cpu *c, Bld b, int buffer)
{
    Val offset = llvm_int(c->l->i64, c->plan->buffers.at[buffer].offset);
    Val start = LLVMBuildGEP2(b, c->l->i8, c->scratch, &offset, 1, ""), slot = c->in_slot[buffer];

    return slot ? LLVMBuildGEP2(b, c->l->i8, start, &slot, 1, "") : start;
}

Val cpu_buffer(Cpu *c, Bld b, int buffer)
{
    Val start = cpu_buffer_start(c, b, buffer);

    return c->shift[buffer] ? LLVMBuildGEP2(b, c->l->i8, start, &c->shift[buffer], 1, "") : start;
}

LLVMBasicBlockRef cpu_block(Cpu *c)
{
    return LLVMAppendBasicBlockInContext(c->l->ctx, c->fn, "");
}

Loop cpu_loop_begin(Cpu *c)
{
    LLVMBasicBlockRef before = LLVMGetInsertBlock(c->b);
    Loop l = {.before = before, .head = cpu_block(c)};

    LLVMBuildBr(c->b, l.head);
    LLVMPositionBuilderAtEnd(c->b, l.head);
    l.index = LLVMBuildPhi(c->b, c->l->i64, "");
    return l;
}

void cpu_loop_end(Cpu *c, const Loop *l, int64_t limit, int64_t step)
{
    cpu_loop_end_at(c, l, llvm_int(c->l->i64, limit), step);
}

void cpu_loop_end_at(Cpu *c, const Loop *l, Val limit, int64_t step)
{
    LLVMBasicBlockRef latch = LLVMGetInsertBlock(c->b), exit = cpu_block(c);
    Val next = LLVMBuildAdd(c->b, l->index, llvm_int(c->l->i64, step), "");
    Val more = LLVMBuildICmp(c->b, LLVMIntSLT, next, limit, "");

    LLVMBuildCondBr(c->b, more, l->head, exit);
    LLVMAddIncoming(l->index, (Val[]){llvm_int(c->l->i64, 0), next},
                    (LLVMBasicBlockRef[]){l->before, latch}, 2);
    LLVMPositionBuilderAtEnd(c->b, exit);
}

/* --- nests --- */

Ev cpu_made(const NestCg *n, int entry)
{
    const Entry *e = &n->nest->schedule->entries.at[entry];

    return (Ev){.v = n->made[entry].value, .vec = e->vector, .level = e->level};
}

Val cpu_input(const NestCg *n, const Entry *e, int i)
{
    return e->in[i] == NO_ENTRY ? NULL : n->made[e->in[i]].value;
}

Val cpu_vectorise(NestCg *n, Ev e)
{
    if (e.vec || n->nest->serial)
        return e.v;
    return llvm_splat(n->at[e.level], e.v, n->lanes);
}

Val cpu_turned(const NestCg *n, Val v)
{
    int lanes[MAX_LANES];

    for (int i = 0; i < n->lanes; i++)
        lanes[i] = n->lanes - 1 - i;
    return llvm_shuffle(n->c->l, n->at[n->rank], v, NULL, n->lanes, lanes);
}

Val cpu_lanes(NestCg *n, const Entry *e, int i)
{
    return cpu_vectorise(n, cpu_made(n, e->in[i]));
}

Val cpu_at_first(const NestCg *n, int axis, bool backwards)
{
    int step = axis == n->inner ? n->lanes : 1;
    int64_t first = backwards ? (n->nest->dims[axis] - 1) / step * step : 0;

    return LLVMBuildICmp(n->at[n->rank], LLVMIntEQ, n->index[axis], llvm_int(n->c->l->i64, first),
                         "");
}
