/*
 * cpu_pack.c - stores of what a mask keeps, one behind the other (plan_pack.c)
 */
#include "cpu.h"

enum { WORD = 4 /* bytes: of what is packed */ };

/* The lanes of a mask that are set, i64. */
static Val count_of(NestCg *n, Val mask)
{
    Cpu *c = n->c;
    Bld b = n->at[n->rank];
    LLVMTypeRef bits = LLVMIntTypeInContext(c->l->ctx, (unsigned)llvm_lanes(mask));

    Val count = llvm_call1(c->l, b, "llvm.ctpop", LLVMBuildBitCast(b, mask, bits, ""));
    return LLVMBuildZExtOrBitCast(b, count, c->l->i64, "");
}

Val cpu_count_lanes(NestCg *n, Val x)
{
    Bld b = n->at[n->rank];
    LLVMTypeRef t = LLVMGetElementType(LLVMTypeOf(x));
    Val mask = LLVMBuildICmp(b, LLVMIntNE, x, LLVMConstNull(LLVMTypeOf(x)), "");

    return llvm_splat(b, LLVMBuildIntCast2(b, count_of(n, mask), t, 0, ""), n->lanes);
}

/* What the mask keeps in the first lanes; small elements as words. */
static Val pack(NestCg *n, Val v, int size, Val mask)
{
    Llvm *l = n->c->l;
    Bld b = n->at[n->rank];
    LLVMTypeRef given = LLVMTypeOf(v), words = given;
    LLVMTypeRef same = llvm_vector(LLVMIntTypeInContext(l->ctx, 8 * (unsigned)size), llvm_lanes(v));

    if (size < WORD) {
        words = llvm_vector(l->i32, llvm_lanes(v));
        v = LLVMBuildZExt(b, LLVMBuildBitCast(b, v, same, ""), words, "");
    }
    v = llvm_call(l, b, "llvm.experimental.vector.compress", 1, &words, 3,
                  (Val[]){v, mask, LLVMGetPoison(words)});
    return size < WORD ? LLVMBuildBitCast(b, LLVMBuildTrunc(b, v, same, ""), given, "") : v;
}

/* What is kept of one register; gives how many that is, i64. */
static Val store_register(NestCg *n, Val v, Val at, int size, Val mask)
{
    Bld b = n->at[n->rank];
    LLVMTypeRef i64 = n->c->l->i64;
    LLVMTypeRef bits = LLVMIntTypeInContext(n->c->l->ctx, (unsigned)llvm_lanes(mask));
    Val count = count_of(n, mask);
    Val end = LLVMBuildShl(b, llvm_int(i64, 1), count, "");
    Val first = LLVMBuildTrunc(b, LLVMBuildSub(b, end, llvm_int(i64, 1), ""), bits, "");

    first = LLVMBuildBitCast(b, first, LLVMTypeOf(mask), "");
    cpu_masked_store(n->c, b, pack(n, v, size, mask), at, size, first);
    return count;
}

void cpu_store_packed(NestCg *n, const Root *r, const Entry *e, Val v, Val mask)
{
    Llvm *l = n->c->l;
    Bld b = n->at[n->rank];
    DType t = r->op->operands[STORE_PTR]->type->dtype;
    LLVMTypeRef element = emit_memory_type(&n->c->e, t);
    int size = dtype_size(t), lanes = MIN(n->lanes, MAX_VECTOR / MAX(size, WORD));
    Val at = llvm_slice(l, b, cpu_lanes(n, e, IN_ADDRESS), 0, 1);

    if (!mask)
        mask = llvm_int(llvm_vector(l->i1, n->lanes), -1);
    Val off = LLVMBuildZExt(b, LLVMBuildNot(b, llvm_slice(l, b, mask, 0, 1), ""), l->i64, "");
    Val further = LLVMBuildMul(b, off, llvm_int(l->i64, r->access->skip), "");
    for (int i = 0; i < n->lanes; i += lanes) {
        at = LLVMBuildGEP2(b, element, at, &further, 1, "");
        Val part = llvm_slice(l, b, v, i, lanes), own = llvm_slice(l, b, mask, i, lanes);
        further = store_register(n, part, at, size, own);
    }
}
