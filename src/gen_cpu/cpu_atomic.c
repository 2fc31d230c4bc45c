/*
 * cpu_atomic.c - atomic read-modify-writes, mostly one lane at a time
 *
 * Integers use the machine's own; what it lacks (small floats, float min and max in the total
 * order of semantics R221) is a compare-and-swap loop.  Masked lanes branch around the access.
 * Where a launch says that nobody else is at it, and the kernel does not speak of the whole system,
 * a load and a store do; in a nest of vectors (plan_tally.c) these are of vectors.
 */
#include "cpu.h"

enum { FEW_VALUES = 100 /* of a nest, whose code stands twice */ };

void cpu_atomics_begin(Cpu *c)
{
    Val at = llvm_int(c->l->i64, GEN_ALONE);

    if (!c->launched)
        return;
    Val word = LLVMBuildGEP2(c->b, c->l->i8, c->scratch, &at, 1, "");
    c->alone = LLVMBuildIsNotNull(c->b, llvm_load(c->b, c->l->i64, word, 8), "");
}

static Val swap_loop(Cpu *c, Bld b, const Op *op, Val ptr, Val data)
{
    LLVMTypeRef bits = LLVMTypeOf(data);
    LLVMBasicBlockRef from = LLVMGetInsertBlock(b);
    LLVMBasicBlockRef loop = cpu_block(c);
    LLVMBasicBlockRef done = cpu_block(c);
    Val start = llvm_load(b, bits, ptr, dtype_size(op->operands[RMW_PTR]->type->dtype));

    LLVMSetOrdering(start, LLVMAtomicOrderingMonotonic);
    LLVMBuildBr(b, loop);
    LLVMPositionBuilderAtEnd(b, loop);
    Val old = LLVMBuildPhi(b, bits, "");
    Val wanted =
        emit_rmw_value(&c->e, b, attr_rmw_kind(op), op->operands[RMW_PTR]->type->dtype, old, data);
    Val pair = LLVMBuildAtomicCmpXchg(b, ptr, old, wanted, LLVMAtomicOrderingAcquireRelease,
                                      LLVMAtomicOrderingAcquire, 0);
    Val seen = LLVMBuildExtractValue(b, pair, 0, "");
    LLVMAddIncoming(old, (Val[]){start, seen}, (LLVMBasicBlockRef[]){from, loop}, 2);
    LLVMBuildCondBr(b, LLVMBuildExtractValue(b, pair, 1, ""), done, loop);
    LLVMPositionBuilderAtEnd(b, done);
    return old;
}

static Val as_bits(Cpu *c, Bld b, Val v, DType t)
{
    Val memory = emit_to_memory(&c->e, b, v, t);

    return LLVMBuildBitCast(b, memory, LLVMIntTypeInContext(c->l->ctx, 8 * (unsigned)dtype_size(t)),
                            "");
}

static Val from_bits(Cpu *c, Bld b, Val bits, DType t)
{
    return emit_from_memory(&c->e, b, LLVMBuildBitCast(b, bits, emit_memory_type(&c->e, t), ""), t);
}

static Val compare_and_swap(Cpu *c, Bld b, const Op *op, const Val *in)
{
    DType t = op->operands[CAS_PTR]->type->dtype;
    Val expected = as_bits(c, b, in[CAS_EXPECTED], t), wanted = as_bits(c, b, in[CAS_NEW], t);
    Val pair =
        LLVMBuildAtomicCmpXchg(b, in[CAS_PTR], expected, wanted, LLVMAtomicOrderingAcquireRelease,
                               LLVMAtomicOrderingAcquire, 0);

    return from_bits(c, b, LLVMBuildExtractValue(b, pair, 0, ""), t);
}

/* Nobody wants to know what was there. */
static Val tally(Cpu *c, Bld b, const Op *op, Val ptr, Val data)
{
    DType t = op->operands[RMW_PTR]->type->dtype;

    cpu_tally_add(c, b, c->tally->buffer, ptr, emit_to_memory(&c->e, b, data, t));
    return LLVMConstNull(LLVMTypeOf(data));
}

static Val locked_rmw(Cpu *c, Bld b, const Op *op, Val ptr, Val data)
{
    DType t = op->operands[RMW_PTR]->type->dtype;
    LLVMAtomicRMWBinOp native;

    if (!emit_native_atomic(attr_rmw_kind(op), t, &native))
        return from_bits(c, b, swap_loop(c, b, op, ptr, as_bits(c, b, data, t)), t);
    LLVMAtomicOrdering order = emit_ordering(attr_sem(op));
    Val old = LLVMBuildAtomicRMW(b, native, ptr, emit_to_memory(&c->e, b, data, t), order, 0);
    return emit_from_memory(&c->e, b, old, t);
}

static Val plain_rmw(Cpu *c, Bld b, const Op *op, Val ptr, Val data)
{
    DType t = op->operands[RMW_PTR]->type->dtype;
    Val bits = as_bits(c, b, data, t);
    Val old = llvm_load(b, LLVMTypeOf(bits), ptr, dtype_size(t));

    llvm_store(b, emit_rmw_value(&c->e, b, attr_rmw_kind(op), t, old, bits), ptr, dtype_size(t));
    return from_bits(c, b, old, t);
}

static Val unmasked_rmw(Cpu *c, Bld b, const Op *op, Val ptr, Val data)
{
    if (c->tally)
        return tally(c, b, op, ptr, data);
    if (!c->alone || attr_scope(op) == SCOPE_SYS)
        return locked_rmw(c, b, op, ptr, data);
    LLVMBasicBlockRef plain = cpu_block(c), locked = cpu_block(c), after = cpu_block(c);
    LLVMBuildCondBr(b, c->alone, plain, locked);
    LLVMPositionBuilderAtEnd(b, plain);
    Val x = plain_rmw(c, b, op, ptr, data);
    LLVMBasicBlockRef plain_end = LLVMGetInsertBlock(b);
    LLVMBuildBr(b, after);
    LLVMPositionBuilderAtEnd(b, locked);
    Val y = locked_rmw(c, b, op, ptr, data);
    LLVMBasicBlockRef locked_end = LLVMGetInsertBlock(b);
    LLVMBuildBr(b, after);
    LLVMPositionBuilderAtEnd(b, after);
    Val old = LLVMBuildPhi(b, LLVMTypeOf(x), "");
    LLVMAddIncoming(old, (Val[]){x, y}, (LLVMBasicBlockRef[]){plain_end, locked_end}, 2);
    return old;
}

Val cpu_scalar_atomic(Cpu *c, Bld b, const Op *op, const Val *in)
{
    if (op->code == OP_atomic_cas)
        return compare_and_swap(c, b, op, in);
    if (!op_operand(op, RMW_MASK) || !in[RMW_MASK])
        return unmasked_rmw(c, b, op, in[RMW_PTR], in[RMW_DATA]);
    LLVMBasicBlockRef from = LLVMGetInsertBlock(b);
    LLVMBasicBlockRef act = cpu_block(c);
    LLVMBasicBlockRef after = cpu_block(c);
    LLVMBuildCondBr(b, in[RMW_MASK], act, after);
    LLVMPositionBuilderAtEnd(b, act);
    Val old = unmasked_rmw(c, b, op, in[RMW_PTR], in[RMW_DATA]);
    LLVMBasicBlockRef end = LLVMGetInsertBlock(b);
    LLVMBuildBr(b, after);
    LLVMPositionBuilderAtEnd(b, after);
    Val result = LLVMBuildPhi(b, LLVMTypeOf(old), "");
    Val none = LLVMConstNull(LLVMTypeOf(old));
    LLVMAddIncoming(result, (Val[]){old, none}, (LLVMBasicBlockRef[]){end, from}, 2);
    return result;
}

/* --- in nests --- */

static void atomic_element(NestCg *n, const Op *op, const Entry *e)
{
    Val *in = NEW_N(n->c->arena, Val, op->noperands + 1);

    for (int i = 0; i < op->noperands; i++)
        in[i] = cpu_input(n, e, i);
    Val old = cpu_scalar_atomic(n->c, n->at[n->rank], op, in);
    int buffer = plan_buffer(n->c->plan, op->results[0]);
    if (buffer != NO_BUFFER)
        cpu_fill(n, buffer, op->results[0]->type, plan_identity, (Ev){.v = old, .level = n->rank});
}

/* What is added to neighbours: the first one's address, the summands as they lie in memory,
 * and which are there (NULL: all). */
typedef struct {
    const Op *op;
    DType t;
    Val ptr, data, mask;
} Row;

static void add_vector(NestCg *n, const Row *r)
{
    Cpu *c = n->c;
    Bld b = c->b;
    LLVMTypeRef vector = LLVMTypeOf(r->data);
    int size = dtype_size(r->t);
    Val old = r->mask ? cpu_masked_load(c, b, vector, r->ptr, size, r->mask)
                      : llvm_load(b, vector, r->ptr, size);
    Val x = emit_from_memory(&c->e, b, old, r->t), y = emit_from_memory(&c->e, b, r->data, r->t);
    Val sum = dtype_is_float(r->t) ? emit_round(&c->e, b, LLVMBuildFAdd(b, x, y, ""), r->t)
                                   : LLVMBuildAdd(b, x, y, "");

    sum = emit_to_memory(&c->e, b, sum, r->t);
    if (r->mask)
        cpu_masked_store(c, b, sum, r->ptr, size, r->mask);
    else
        llvm_store(b, sum, r->ptr, size);
}

/* One lane after the other, out of the stack. */
static void add_lanes(NestCg *n, const Row *r)
{
    Cpu *c = n->c;
    LLVMTypeRef element = LLVMGetElementType(LLVMTypeOf(r->data)), i8 = c->l->i8;
    Val data = cpu_slot(c, LLVMTypeOf(r->data)), set = NULL;
    LLVMBasicBlockRef act = cpu_block(c), next = cpu_block(c);

    LLVMBuildStore(c->b, r->data, data);
    if (r->mask) {
        set = cpu_slot(c, llvm_vector(i8, n->lanes));
        LLVMBuildStore(c->b, LLVMBuildZExt(c->b, r->mask, llvm_vector(i8, n->lanes), ""), set);
    }
    Loop l = cpu_loop_begin(c);
    if (set) {
        Val own = llvm_load(c->b, i8, LLVMBuildGEP2(c->b, i8, set, &l.index, 1, ""), 1);
        LLVMBuildCondBr(c->b, LLVMBuildIsNull(c->b, own, ""), next, act);
    } else
        LLVMBuildBr(c->b, act);
    LLVMPositionBuilderAtEnd(c->b, act);
    Val own = LLVMBuildGEP2(c->b, element, data, &l.index, 1, "");
    Val x = emit_from_memory(&c->e, c->b, llvm_load(c->b, element, own, dtype_size(r->t)), r->t);
    locked_rmw(c, c->b, r->op, LLVMBuildGEP2(c->b, element, r->ptr, &l.index, 1, ""), x);
    LLVMBuildBr(c->b, next);
    LLVMPositionBuilderAtEnd(c->b, next);
    cpu_loop_end(c, &l, n->lanes, 1);
}

static void atomic_row(NestCg *n, const Op *op, const Entry *e)
{
    Cpu *c = n->c;
    DType t = op->operands[RMW_PTR]->type->dtype;
    Row r = {.op = op, .t = t, .data = cpu_to_memory(n, cpu_made(n, e->in[IN_DATA]), t)};

    r.mask = cpu_mask(n, e);
    r.ptr = LLVMBuildGEP2(c->b, emit_memory_type(&c->e, t), cpu_input(n, e, IN_ADDRESS),
                          &n->index[n->inner], 1, "");
    if (!c->alone) {
        add_lanes(n, &r);
        return;
    }
    LLVMBasicBlockRef plain = cpu_block(c), locked = cpu_block(c), after = cpu_block(c);
    LLVMBuildCondBr(c->b, c->alone, plain, locked);
    LLVMPositionBuilderAtEnd(c->b, plain);
    add_vector(n, &r);
    LLVMBuildBr(c->b, after);
    LLVMPositionBuilderAtEnd(c->b, locked);
    add_lanes(n, &r);
    LLVMBuildBr(c->b, after);
    LLVMPositionBuilderAtEnd(c->b, after);
}

void cpu_atomic_root(NestCg *n, const Root *r, const Entry *e)
{
    (r->access ? atomic_row : atomic_element)(n, r->op, e);
}

/* Loops that ask in each round whether they are alone would do little else; long ones may. */
void cpu_atomic_nest(Cpu *c, const Nest *n)
{
    Val alone = c->alone;

    if (!alone || n->values > FEW_VALUES) {
        cpu_nest(c, n);
        return;
    }
    LLVMBasicBlockRef plain = cpu_block(c), locked = cpu_block(c), after = cpu_block(c);
    LLVMBuildCondBr(c->b, alone, plain, locked);
    LLVMPositionBuilderAtEnd(c->b, plain);
    c->alone = llvm_int(c->l->i1, 1);
    cpu_nest(c, n);
    LLVMBuildBr(c->b, after);
    LLVMPositionBuilderAtEnd(c->b, locked);
    c->alone = NULL;
    cpu_nest(c, n);
    LLVMBuildBr(c->b, after);
    LLVMPositionBuilderAtEnd(c->b, after);
    c->alone = alone;
}
