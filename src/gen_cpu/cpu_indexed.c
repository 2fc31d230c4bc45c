/*
 * cpu_indexed.c - loads at indices that may well lie together
 *
 * A tile of indices says where each lane is: (start + i) % size, (start + i) // width, a table.  No
 * vector of them is known to be a run when compiling, and nearly all may be when running.  So each
 * one is looked at: consecutive indices are one vector of memory, equal ones one element, and only
 * the rest is gathered lane by lane.
 */
#include "cpu.h"

/* i1: the lanes of a vector of t are consecutive numbers, from *first on, and do not come around,
 * as addresses would not.  Of i32 that is taken for granted, as in axis/access.c. */
static Val is_run(NestCg *n, DType t, Val lanes, Val *first)
{
    Cpu *c = n->c;
    Bld b = n->at[n->rank];
    LLVMTypeRef element = LLVMGetElementType(LLVMTypeOf(lanes));

    *first = llvm_slice(c->l, b, lanes, 0, 1);
    Val run = LLVMBuildAdd(b, llvm_splat(b, *first, n->lanes), llvm_iota(element, n->lanes), "");
    LLVMTypeRef bits = LLVMIntTypeInContext(c->l->ctx, (unsigned)n->lanes);
    Val same = LLVMBuildBitCast(b, LLVMBuildICmp(b, LLVMIntEQ, lanes, run, ""), bits, "");
    Val steps = LLVMBuildICmp(b, LLVMIntEQ, same, llvm_int(bits, -1), "");
    if (t == DT_I32 || dtype_bits(t) == 64)
        return steps;
    Val last = LLVMConstInt(element, ir_extreme(t, true) - (uint64_t)(n->lanes - 1), 0);
    Val ends = LLVMBuildICmp(b, dtype_is_signed(t) ? LLVMIntSLE : LLVMIntULE, *first, last, "");
    return LLVMBuildAnd(b, steps, ends, "");
}

/* i1: are all lanes the same number? */
static Val is_one(NestCg *n, Val lanes, Val first)
{
    Bld b = n->at[n->rank];

    return cpu_all(n, LLVMBuildICmp(b, LLVMIntEQ, lanes, llvm_splat(b, first, n->lanes), ""));
}

typedef struct {
    Val address, base, lanes;    /* of the first lane; of index 0, and all indices */
    LLVMTypeRef element, vector; /* as they lie in memory */
    int align;
    bool is_signed, again; /* again: for a detour */
} Indexed;

enum { AS_RUN, AS_ONE, AS_GATHER, WAYS };

/* Right where they are needed: LLVM looks no further for indices of 32 bits, of which a gather
 * takes twice as many. */
static Val pointers(NestCg *n, const Indexed *x)
{
    Bld b = n->at[n->rank];
    LLVMTypeRef wide = llvm_vector(n->c->l->i64, n->lanes);
    Val offsets = LLVMBuildIntCast2(b, x->lanes, wide, x->is_signed, "");

    return LLVMBuildGEP2(b, x->element, x->base, &offsets, 1, "");
}

/* Where the machine gathers nothing, or no elements that are so small, each lane's index would be
 * taken out of a register, of which there is one at a time.  Two loads a cycle take it from the
 * stack, and what it stands for; being volatile, they are not put back into registers.  A few lanes
 * are taken out before they would be there. */
enum { FEW_LANES = 4 };
static Val look_up(NestCg *n, const Indexed *x)
{
    Cpu *c = n->c;
    Bld b = n->at[n->rank];
    LLVMTypeRef index = LLVMGetElementType(LLVMTypeOf(x->lanes));
    Val slot = cpu_slot(c, LLVMTypeOf(x->lanes)), out = LLVMGetUndef(x->vector);

    LLVMSetVolatile(LLVMBuildStore(b, x->lanes, slot), 1);
    for (int i = 0; i < n->lanes; i++) {
        Val lane = llvm_int(c->l->i64, i);
        Val at = LLVMBuildLoad2(b, index, LLVMBuildGEP2(b, index, slot, &lane, 1, ""), "");
        LLVMSetVolatile(at, 1);
        Val offset = LLVMBuildIntCast2(b, at, c->l->i64, x->is_signed, "");
        Val ptr = LLVMBuildGEP2(b, x->element, x->base, &offset, 1, "");
        Val v = llvm_load(b, x->element, ptr, x->align);
        out = LLVMBuildInsertElement(b, out, v, llvm_int(c->l->i32, i), "");
    }
    return out;
}

static bool gathers(const Cpu *c, int size)
{
    enum { WORD = 4 };

    return c->machine->avx512f && size >= WORD;
}

static Val load_by(NestCg *n, const Indexed *x, int way)
{
    Bld b = n->at[n->rank];

    if (way == AS_RUN)
        return cpu_load_row(n, x->vector, x->address, x->align, x->again);
    if (way == AS_ONE)
        return llvm_splat(b, cpu_load_row(n, x->element, x->address, x->align, x->again), n->lanes);
    if (!gathers(n->c, x->align) && n->lanes > FEW_LANES)
        return look_up(n, x);
    return cpu_gather_pointers(n->c, b, x->vector, pointers(n, x), x->align, NULL);
}

static Indexed find_indexed(NestCg *n, const Entry *e, Val lanes, Val first)
{
    Cpu *c = n->c;
    Bld b = n->at[n->rank];
    LLVMTypeRef i64 = c->l->i64, element = emit_memory_type(&c->e, e->value->type->dtype);
    bool is_signed = dtype_is_signed(e->access->index->type->dtype);
    Val offset = LLVMBuildIntCast2(b, first, i64, is_signed, "");
    Val base = cpu_input(n, e, IN_ADDRESS);
    Val address = LLVMBuildGEP2(b, element, base, &offset, 1, "");

    return (Indexed){.address = address,
                     .base = base,
                     .lanes = lanes,
                     .is_signed = is_signed,
                     .element = element,
                     .vector = llvm_vector(element, n->lanes),
                     .align = type_size(e->value->type),
                     .again = e->rare};
}

Val cpu_load_indexed(NestCg *n, const Entry *e)
{
    Cpu *c = n->c;
    Bld b = n->at[n->rank];
    Val lanes = cpu_lanes(n, e, IN_INDEX), first, loaded[WAYS];
    Val run = is_run(n, e->access->index->type->dtype, lanes, &first);
    Val one = is_one(n, lanes, first);
    Indexed x = find_indexed(n, e, lanes, first);
    LLVMBasicBlockRef ways[WAYS], apart = cpu_block(c), after = cpu_block(c);

    for (int i = 0; i < WAYS; i++)
        ways[i] = cpu_block(c);
    LLVMBuildCondBr(b, run, ways[AS_RUN], apart);
    LLVMPositionBuilderAtEnd(b, apart);
    LLVMBuildCondBr(b, one, ways[AS_ONE], ways[AS_GATHER]);
    for (int i = 0; i < WAYS; i++) {
        LLVMPositionBuilderAtEnd(b, ways[i]);
        loaded[i] = load_by(n, &x, i);
        LLVMBuildBr(b, after);
    }
    LLVMPositionBuilderAtEnd(b, after);
    Val out = LLVMBuildPhi(b, x.vector, "");
    LLVMAddIncoming(out, loaded, ways, WAYS);
    return out;
}
