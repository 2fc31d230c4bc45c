/*
 * cpu_record.c - prints, and what was found wrong
 *
 * A record is a call through the port of the launch, whose address a hidden parameter holds: with
 * the op's number, the program, and where each operand lies.  Tiles lie in buffers, scalars are put
 * on the stack.  Behind an assertion that failed the kernel returns, from wherever it is, and
 * programs that have not begun look at the port first.
 */
#include "cpu.h"

#include <stddef.h>

static Val port_of(Cpu *c)
{
    const Value *port = func_hidden(c->func, PARAM_RECORDS);

    return port ? c->scalars[port->id] : NULL;
}

static Val field(Cpu *c, Val base, size_t offset)
{
    Val at = llvm_int(c->l->i64, (int64_t)offset);

    return LLVMBuildGEP2(c->b, c->l->i8, base, &at, 1, "");
}

static Val stack_array(Cpu *c, LLVMTypeRef element, int n)
{
    return cpu_slot(c, LLVMArrayType(element, (unsigned)MAX(n, 1)));
}

static Val put_program(Cpu *c)
{
    Val array = stack_array(c, c->l->i32, 3);

    for (int d = 0; d < 3; d++)
        llvm_store(c->b, c->program[d], field(c, array, 4 * (size_t)d), 4);
    return array;
}

/* In register form, but a flag is a byte, as in buffers. */
static Val put_scalar(Cpu *c, const Value *v)
{
    Val x = c->scalars[v->id];

    if (!v->type->pointer && v->type->dtype == DT_I1)
        x = LLVMBuildZExt(c->b, x, c->l->i8, "");
    Val slot = cpu_slot(c, LLVMTypeOf(x));
    LLVMBuildStore(c->b, x, slot);
    return slot;
}

static Val put_operand_places(Cpu *c, const Op *op, const int *buffers)
{
    Val array = stack_array(c, c->l->ptr, op->noperands);

    for (int i = 0; i < op->noperands; i++) {
        const Value *v = op->operands[i];
        Val at = v->type->rank == 0 ? put_scalar(c, v) : cpu_buffer(c, c->b, buffers[i]);
        llvm_store(c->b, at, field(c, array, sizeof(void *) * (size_t)i), sizeof(void *));
    }
    return array;
}

void cpu_record(Cpu *c, const Op *op, const int *buffers)
{
    Llvm *l = c->l;
    Val port = port_of(c);
    LLVMTypeRef params[] = {l->ptr, l->i64, l->ptr, l->ptr};

    if (!port)
        return; /* nobody listens */
    Val put = llvm_load(c->b, l->ptr, field(c, port, offsetof(RecordPort, put)), sizeof(void *));
    Val program = put_program(c);
    Val args[] = {port, llvm_int(l->i64, attr_record_site(op)), program,
                  put_operand_places(c, op, buffers)};
    LLVMBuildCall2(c->b, LLVMFunctionType(l->none, params, COUNT(params), 0), put, args,
                   COUNT(args), "");
    if (attr_record_kind(op) != RECORD_ASSERT)
        return;
    LLVMBuildBr(c->b, c->leave);
    LLVMPositionBuilderAtEnd(c->b, cpu_block(c)); /* for what stands behind, which never runs */
}

void cpu_record_program(Cpu *c)
{
    Val port = port_of(c);

    if (!port)
        return;
    Val stop = llvm_load(c->b, c->l->i32, field(c, port, offsetof(RecordPort, stop)), 4);
    LLVMSetVolatile(stop, 1);
    LLVMBasicBlockRef go = cpu_block(c);
    Val stopped = LLVMBuildICmp(c->b, LLVMIntNE, stop, llvm_int(c->l->i32, 0), "");
    LLVMBuildCondBr(c->b, stopped, c->leave, go);
    LLVMPositionBuilderAtEnd(c->b, go);
}
