/*
 * cpu_code.c - what all files of the CPU target call, and which itself calls none of them
 *
 * Places for code and data, counted loops; what entries have given, and where a body stands.
 */
#include "cpu_code.h"

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

/* --- buffers --- */

int cpu_buffer_size(const Cpu *c, int buffer)
{
    const Buffer *f = &c->plan->buffers.at[buffer];

    return f->pointer ? 8 : dtype_size(f->dtype);
}

LLVMTypeRef cpu_buffer_type(Cpu *c, int buffer, int lanes)
{
    const Buffer *f = &c->plan->buffers.at[buffer];

    return llvm_vector(f->pointer ? c->l->ptr : emit_memory_type(&c->e, f->dtype), lanes);
}

Val cpu_from_buffer(Cpu *c, Bld b, int buffer, Val v)
{
    const Buffer *f = &c->plan->buffers.at[buffer];

    return f->pointer ? v : emit_from_memory(&c->e, b, v, f->dtype);
}

Val cpu_to_buffer(Cpu *c, Bld b, int buffer, Val v)
{
    const Buffer *f = &c->plan->buffers.at[buffer];

    if (f->biased)
        return LLVMBuildXor(b, v, llvm_int(LLVMTypeOf(v), -128), "");
    return f->pointer ? v : emit_to_memory(&c->e, b, v, f->dtype);
}

/* --- the cache --- */

static const int locality[] = {[1] = 3, [2] = 2}; /* what LLVM calls the levels of the cache */

void cpu_prefetch_line(Cpu *c, Bld b, Val row, int64_t offset, int level)
{
    Val at = llvm_int(c->l->i64, offset);
    Val line = LLVMBuildGEP2(b, c->l->i8, row, &at, 1, "");

    llvm_call(c->l, b, "llvm.prefetch", 1, &c->l->ptr, 4,
              (Val[]){line, llvm_int(c->l->i32, 0), llvm_int(c->l->i32, locality[level]),
                      llvm_int(c->l->i32, 1)});
}
