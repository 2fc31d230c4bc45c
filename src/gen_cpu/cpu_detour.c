/*
 * cpu_detour.c - fast paths that all lanes of a vector must agree on
 *
 * Some results cost little for nearly all operands and much for a few: exp of a number that is not
 * huge, x / s where nothing under- or overflows.  The usual way, a fast path, is computed for all
 * lanes, and where a lane was not entitled to it, a detour takes the long way and comes back:
 *
 *     usual = ...                    every lane, wrong or right
 *     if not all lanes may: rare = ...
 *     result = phi(usual, rare)
 *
 * A kernel meets this in four places:
 *
 *   1. A pass makes select(likely c, usual, rare), with HINT_LIKELY (docs/ir.md): m_usually() of
 *      opt/math.h.  `rare` is right for every lane, so that one of them may send all there.
 *   2. plan_is_usual() knows such a select.  The planner does not count the work of `rare`, and
 *      notes that the nest branches, which makes copies of its body one wide vector (plan_shape.c).
 *   3. The schedule of a nest (plan_values.c) has such a select of vectors as a detour between two
 *      entries.  Where c is one number for all lanes, the select remains.
 *   4. cpu_divide.c makes a Detour from a division by one number; no select stands for it.
 *
 * A detour computes its operands anew, from memory: they are the same as long as the body has not
 * written, and whatever it took from the usual way would have to be kept in registers there.  For
 * the same reason its loads are volatile, or LLVM would merge them with the ones before, and it
 * gives all lanes, so that the usual result is not needed any more.
 */
#include "cpu.h"

/* x = 0 in all lanes is asked of one register, where the others of a wide x have been joined. */
static Val zero_lanes(NestCg *n, Val x)
{
    Bld b = n->at[n->rank];
    int bits = (int)LLVMGetIntTypeWidth(LLVMGetElementType(LLVMTypeOf(x))), k = llvm_lanes(x);

    for (; k % 2 == 0 && k * bits > n->c->machine->vector_bytes * 8; k /= 2) {
        Val high = llvm_slice(n->c->l, b, x, k / 2, k / 2);
        x = LLVMBuildOr(b, llvm_slice(n->c->l, b, x, 0, k / 2), high, "");
    }
    return LLVMBuildICmp(b, LLVMIntEQ, x, LLVMConstNull(LLVMTypeOf(x)), "");
}

Val cpu_all(NestCg *n, Val lanes)
{
    Bld b = n->at[n->rank];

    if (LLVMIsAICmpInst(lanes) && LLVMGetICmpPredicate(lanes) == LLVMIntEQ &&
        LLVMIsNull(LLVMGetOperand(lanes, 1)))
        lanes = zero_lanes(n, LLVMGetOperand(lanes, 0));
    LLVMTypeRef mask = LLVMIntTypeInContext(n->c->l->ctx, (unsigned)llvm_lanes(lanes));
    return LLVMBuildICmp(b, LLVMIntEQ, LLVMBuildBitCast(b, lanes, mask, ""), llvm_int(mask, -1),
                         "");
}

Detour cpu_detour_begin(NestCg *n, Val all, Val usual)
{
    Cpu *c = n->c;
    Bld b = n->at[n->rank];
    LLVMBasicBlockRef before = LLVMGetInsertBlock(b);
    Detour d = {.usual = usual, .before = before, .after = cpu_block(c)};
    LLVMBasicBlockRef rare = cpu_block(c);

    llvm_likely(c->l, LLVMBuildCondBr(b, all, d.after, rare));
    LLVMPositionBuilderAtEnd(b, rare);
    return d;
}

Val cpu_detour_end(NestCg *n, const Detour *d, Val rare)
{
    Bld b = n->at[n->rank];
    LLVMBasicBlockRef from = LLVMGetInsertBlock(b);

    LLVMBuildBr(b, d->after);
    LLVMPositionBuilderAtEnd(b, d->after);
    Val out = LLVMBuildPhi(b, LLVMTypeOf(d->usual), "");
    LLVMAddIncoming(out, (Val[]){d->usual, rare}, (LLVMBasicBlockRef[]){d->before, from}, 2);
    return out;
}
