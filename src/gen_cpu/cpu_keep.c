/*
 * cpu_keep.c - tiles that stay for the next programs of a thread (plan_keep.c)
 *
 * A thread's scratch memory has what is known of the slots, in words of 64 bits: for each slot
 *
 *     KEEP_PACKED    elements along k that its panels have; 0: there are none
 *     KEEP_SMALLEST  of panels of bf16 what cpu_dot_pack.c has found in them
 *
 * and for each round of the loop that has a tile there whether it is filled, and the scalars that
 * it was made of.  Scratch memory begins with a mark that a launch clears: where it is 0, nothing
 * is known yet.  What was packed is stale once a round has filled its tile anew.
 */
#include "cpu.h"

static const Keep *keep_of(const Cpu *c, int keep)
{
    return &c->plan->keeps.at[keep - 1];
}

static Val word_at(Cpu *c, Val words, int64_t number)
{
    Val n = llvm_int(c->l->i64, number);

    return LLVMBuildGEP2(c->b, c->l->i64, words, &n, 1, "");
}

/* The words of the slot that this round has. */
static Val slot_words(Cpu *c, int keep)
{
    const Keep *k = keep_of(c, keep);
    Val start = cpu_buffer(c, c->b, k->keys), slot = c->slot[keep];

    if (!slot)
        return start;
    Val at = LLVMBuildMul(c->b, slot, llvm_int(c->l->i64, keep_slot_words(k)), "");
    return LLVMBuildGEP2(c->b, c->l->i64, start, &at, 1, "");
}

/* Of all keeps, when a thread begins with a launch. */
static void forget_all(Cpu *c)
{
    for (int i = 0; i < c->plan->keeps.len; i++) {
        int keys = c->plan->keeps.at[i].keys;
        Val bytes = llvm_int(c->l->i64, c->plan->buffers.at[keys].bytes);
        LLVMBuildMemSet(c->b, cpu_buffer(c, c->b, keys), llvm_int(c->l->i8, 0), bytes, 8);
    }
}

void cpu_keep_begin(Cpu *c)
{
    int n = c->plan->keeps.len;
    Val at = llvm_int(c->l->i64, PLAN_MARK);
    LLVMBasicBlockRef first = cpu_block(c), after = cpu_block(c);

    c->slot = NEW_N(c->arena, Val, n + 1);
    c->stale = NEW_N(c->arena, Val, n + 1);
    for (int i = 1; i <= n; i++)
        c->stale[i] = cpu_slot(c, c->l->i1);
    Val mark = LLVMBuildGEP2(c->b, c->l->i8, c->scratch, &at, 1, "");
    Val is_first = LLVMBuildIsNull(c->b, llvm_load(c->b, c->l->i64, mark, 8), "");
    LLVMBuildCondBr(c->b, is_first, first, after);
    LLVMPositionBuilderAtEnd(c->b, first);
    forget_all(c);
    llvm_store(c->b, llvm_int(c->l->i64, 1), mark, 8);
    LLVMBuildBr(c->b, after);
    LLVMPositionBuilderAtEnd(c->b, after);
}

void cpu_keep_round(Cpu *c, const Op *loop)
{
    LLVMTypeRef i64 = c->l->i64;

    for (int i = 1; i <= c->plan->keeps.len; i++) {
        const Keep *k = keep_of(c, i);
        if (k->loop != loop)
            continue;
        Val group = LLVMBuildUDiv(c->b, c->round, llvm_int(i64, k->rounds), "");
        c->slot[i] = llvm_extreme(c->l, c->b, false, false, group, llvm_int(i64, k->slots));
    }
    for (int i = 0; i < c->plan->buffers.len; i++) {
        const Buffer *b = &c->plan->buffers.at[i];
        if (b->keep != 0 && keep_of(c, b->keep)->loop == loop)
            c->in_slot[i] = LLVMBuildMul(c->b, c->slot[b->keep], llvm_int(i64, b->slot), "");
    }
}

/* --- tiles --- */

/* All bits of a scalar. */
static Val bits_of(Cpu *c, Val v)
{
    LLVMTypeRef t = LLVMTypeOf(v), i64 = c->l->i64;

    if (LLVMGetTypeKind(t) == LLVMPointerTypeKind)
        return LLVMBuildPtrToInt(c->b, v, i64, "");
    if (LLVMGetTypeKind(t) == LLVMDoubleTypeKind)
        return LLVMBuildBitCast(c->b, v, i64, "");
    if (LLVMGetTypeKind(t) == LLVMFloatTypeKind)
        v = LLVMBuildBitCast(c->b, v, c->l->i32, "");
    return LLVMBuildZExtOrBitCast(c->b, v, i64, "");
}

/* Number of the round among those of its slot; NULL: there is one. */
static Val round_in_slot(Cpu *c, const Keep *k)
{
    return k->rounds == 1 ? NULL
                          : LLVMBuildAnd(c->b, c->round, llvm_int(c->l->i64, k->rounds - 1), "");
}

/* Is the tile of this round there, made of the same scalars? */
static Val is_there(Cpu *c, int keep, Val words)
{
    const Keep *k = keep_of(c, keep);
    LLVMTypeRef i64 = c->l->i64;
    Val same = LLVMBuildIsNotNull(c->b, llvm_load(c->b, i64, words, 8), "");

    if (c->slot[keep]) {
        Val is_kept = LLVMBuildICmp(c->b, LLVMIntULT, c->slot[keep], llvm_int(i64, k->slots), "");
        same = LLVMBuildAnd(c->b, same, is_kept, "");
    }
    for (int i = 0; i < k->nby; i++) {
        Val was = llvm_load(c->b, i64, word_at(c, words, 1 + i), 8);
        Val is = bits_of(c, c->scalars[k->by[i]->id]);
        same = LLVMBuildAnd(c->b, same, LLVMBuildICmp(c->b, LLVMIntEQ, was, is, ""), "");
    }
    return same;
}

static void note_stale(Cpu *c, int keep, Val in_slot, Val is_new)
{
    if (in_slot) {
        Val is_first = LLVMBuildIsNull(c->b, in_slot, "");
        Val before = LLVMBuildLoad2(c->b, c->l->i1, c->stale[keep], "");
        before = LLVMBuildAnd(c->b, before, LLVMBuildNot(c->b, is_first, ""), "");
        is_new = LLVMBuildOr(c->b, is_new, before, "");
    }
    LLVMBuildStore(c->b, is_new, c->stale[keep]);
}

void cpu_keep_fill(Cpu *c, const Nest *n)
{
    const Keep *k = keep_of(c, n->keep);
    LLVMTypeRef i64 = c->l->i64;
    LLVMBasicBlockRef fill = cpu_block(c), after = cpu_block(c);
    Val words = word_at(c, slot_words(c, n->keep), KEEP_HEAD), in_slot = round_in_slot(c, k);

    if (in_slot) {
        Val skip = LLVMBuildMul(c->b, in_slot, llvm_int(i64, keep_round_words(k)), "");
        words = LLVMBuildGEP2(c->b, i64, words, &skip, 1, "");
    }
    Val is_new = LLVMBuildNot(c->b, is_there(c, n->keep, words), "");
    note_stale(c, n->keep, in_slot, is_new);
    LLVMBuildCondBr(c->b, is_new, fill, after);
    LLVMPositionBuilderAtEnd(c->b, fill);
    cpu_nest(c, n);
    llvm_store(c->b, llvm_int(i64, 1), words, 8);
    for (int i = 0; i < k->nby; i++) {
        Val place = word_at(c, words, 1 + i);
        llvm_store(c->b, bits_of(c, c->scalars[k->by[i]->id]), place, 8);
    }
    LLVMBuildBr(c->b, after);
    LLVMPositionBuilderAtEnd(c->b, after);
}

/* --- panels --- */

void cpu_keep_pack(Dot *d)
{
    Cpu *c = d->c;
    int keep = d->plan.keep;
    LLVMTypeRef i64 = c->l->i64, i16 = c->l->i16;
    LLVMBasicBlockRef pack = cpu_block(c), after = cpu_block(c);
    Val words = slot_words(c, keep), packed = word_at(c, words, KEEP_PACKED),
        smallest = word_at(c, words, KEEP_SMALLEST);
    Val other = LLVMBuildICmp(c->b, LLVMIntNE, llvm_load(c->b, i64, packed, 8), d->along, "");
    Val stale = LLVMBuildLoad2(c->b, c->l->i1, c->stale[keep], "");

    LLVMBuildCondBr(c->b, LLVMBuildOr(c->b, stale, other, ""), pack, after);
    LLVMPositionBuilderAtEnd(c->b, pack);
    cpu_dot_pack(d);
    llvm_store(c->b, d->along, packed, 8);
    if (d->smallest)
        llvm_store(c->b, llvm_load(c->b, i16, d->smallest, 2), smallest, 2);
    LLVMBuildBr(c->b, after);
    LLVMPositionBuilderAtEnd(c->b, after);
    if (d->smallest)
        llvm_store(c->b, llvm_load(c->b, i16, smallest, 2), d->smallest, 2);
}
