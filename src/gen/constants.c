/*
 * constants.c - numbers that all lanes have, where instructions take them from memory
 *
 * AVX2 has instructions of a vector and a vector of memory.  LLVM keeps a number that all lanes
 * have once, and makes a vector of it by an instruction of its own, so a polynomial has two for
 * each coefficient; a fifth of those that a core can have on their way at once, which bounds
 * functions of long chains.  Here such a number is a vector of constant memory, where one block has
 * it in one instruction of floats.  AVX-512 has no need: its instructions repeat a number of
 * memory.
 */
#include <string.h>

#include "llvm.h"

enum {
    VECTOR_BITS = 256,
    MOST_VECTORS = 2, /* of one operand: more of them share the instruction */
    KEPT = 8          /* half of the registers: so many constants of a block may stay there */
};

typedef struct {
    Llvm *l;
    Map *uses;    /* a constant in this block -> how often, as Count */
    int used;     /* so many constants are in this block */
    Map *globals; /* a constant -> memory that has it */
    Bld b;
} Constants;

typedef struct {
    int n;
} Count;

static bool is_arithmetic(Val i)
{
    switch (LLVMGetInstructionOpcode(i)) {
    case LLVMFAdd:
    case LLVMFSub:
    case LLVMFMul:
        return true;
    case LLVMCall:
        return llvm_is_call(i, "llvm.fma");
    default:
        return false;
    }
}

static int operands_of(Val i)
{
    return LLVMGetNumOperands(i) - (LLVMIsACallInst(i) != NULL); /* a call's last one is called */
}

/* A number other than 0 in all lanes of a few vectors. */
static bool is_repeated(Val v)
{
    LLVMTypeRef t = LLVMTypeOf(v);

    if (!LLVMIsConstant(v) || LLVMIsNull(v) || LLVMGetTypeKind(t) != LLVMVectorTypeKind)
        return false;
    LLVMTypeKind kind = LLVMGetTypeKind(LLVMGetElementType(t));
    int bits = llvm_lanes(v) * (kind == LLVMFloatTypeKind    ? 32
                                : kind == LLVMDoubleTypeKind ? 64
                                                             : 0);
    if (bits == 0 || bits % VECTOR_BITS != 0 || bits > MOST_VECTORS * VECTOR_BITS)
        return false;
    Val first = LLVMGetAggregateElement(v, 0);
    for (int k = 0; k < llvm_lanes(v); k++) {
        Val lane = LLVMGetAggregateElement(v, (unsigned)k);
        if (!lane || lane != first || !LLVMIsAConstantFP(lane))
            return false;
    }
    return true;
}

static void count_use(Constants *c, Val i, unsigned k)
{
    Count *uses = map_get(c->uses, MAP_KEY(LLVMGetOperand(i, k)));

    if (!uses) {
        uses = NEW(c->l->arena, Count);
        map_put(c->uses, MAP_KEY(LLVMGetOperand(i, k)), uses);
        c->used++;
    }
    uses->n++;
}

static Val memory_of(Constants *c, Val v)
{
    Val g = map_get(c->globals, MAP_KEY(v));

    if (g)
        return g;
    g = LLVMAddGlobal(c->l->module, LLVMTypeOf(v), "");
    LLVMSetInitializer(g, v);
    LLVMSetGlobalConstant(g, 1);
    LLVMSetLinkage(g, LLVMPrivateLinkage);
    LLVMSetUnnamedAddress(g, LLVMGlobalUnnamedAddr);
    LLVMSetAlignment(g, VECTOR_BITS / 8);
    map_put(c->globals, MAP_KEY(v), g);
    return g;
}

/* As an operand from memory, if it stands there once. */
static void place(Constants *c, Val i, unsigned k)
{
    Val v = LLVMGetOperand(i, k);
    const Count *uses = map_get(c->uses, MAP_KEY(v));

    if (!uses || uses->n != 1)
        return;
    LLVMPositionBuilderBefore(c->b, i);
    LLVMSetOperand(i, k, llvm_load(c->b, LLVMTypeOf(v), memory_of(c, v), VECTOR_BITS / 8));
}

static void visit_operands(Constants *c, LLVMBasicBlockRef block,
                           void (*visit)(Constants *c, Val i, unsigned k))
{
    for (Val i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i)) {
        for (int k = 0; is_arithmetic(i) && k < operands_of(i); k++) {
            if (is_repeated(LLVMGetOperand(i, (unsigned)k)))
                visit(c, i, (unsigned)k);
        }
    }
}

void llvm_place_constants(Llvm *l)
{
    Val f = LLVMGetFirstFunction(l->module);
    Constants c = {.l = l, .globals = map_new(l->arena)};

    if (!f || !strstr(l->features, "+avx2") || strstr(l->features, "+avx512f"))
        return;
    c.b = llvm_builder(l, LLVMGetEntryBasicBlock(f));
    for (; f; f = LLVMGetNextFunction(f)) {
        LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(f);
        for (; block; block = LLVMGetNextBasicBlock(block)) {
            c.uses = map_new(l->arena);
            c.used = 0;
            visit_operands(&c, block, count_use);
            if (c.used > KEPT)
                visit_operands(&c, block, place);
        }
    }
}
