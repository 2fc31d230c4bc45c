/*
 * cpu_tally.c - additions to memory that a thread adds up in a table first (plan_tally.c)
 *
 * A slot of the table, which the address says, is two words: the address that it stands for, 0 for
 * none, and what is to be added there.  Who finds another address adds that one's sum to memory and
 * takes the slot; when a piece of the grid is done, all slots are emptied that way.
 *
 * Where addresses do not repeat that is work for nothing.  So a nest counts how often it takes a
 * slot, and where that is more than one element in MISS_SHARE, the next runs of the nest add to
 * memory as it is.  So does a piece that is too short to pay for the table, and a launch that is
 * alone, whose additions need no locks.
 */
#include "cpu.h"

enum {
    LEAST_ELEMENTS = 8 * TALLY_SLOTS, /* of a piece */
    MISS_SHARE = 3,
    SKIPPED = 31,     /* runs of the nest */
    NEVER = INT32_MAX /* will it be run as often */
};

static const Tally *tally_of(const Cpu *c, int buffer)
{
    for (int i = 0; i < c->plan->tallies.len; i++) {
        if (c->plan->tallies.at[i].buffer == buffer)
            return &c->plan->tallies.at[i];
    }
    bug("buffer %d is no table of additions", buffer);
}

static TallyCode *code_of(Cpu *c, const Tally *t)
{
    return &c->tallies[t - c->plan->tallies.at];
}

void cpu_tally_begin(Cpu *c, Val programs)
{
    LLVMTypeRef i32 = c->l->i32, i64 = c->l->i64;

    c->tallies = NEW_N(c->arena, TallyCode, c->plan->tallies.len + 1);
    for (int i = 0; i < c->plan->tallies.len; i++) {
        const Tally *t = &c->plan->tallies.at[i];
        TallyCode *code = &c->tallies[i];
        Val least = llvm_int(i64, (LEAST_ELEMENTS + t->elements - 1) / t->elements);
        Val is_on = LLVMBuildICmp(c->b, LLVMIntSGE, programs, least, "");
        if (c->alone)
            is_on = LLVMBuildAnd(c->b, is_on, LLVMBuildNot(c->b, c->alone, ""), "");
        Val skip = cpu_slot(c, i32);
        *code = (TallyCode){
            .buffer = t->buffer, .is_on = is_on, .skip = skip, .misses = cpu_slot(c, i32)};
        Val bytes = llvm_int(i64, TALLY_SLOTS * TALLY_WORDS * 8);
        LLVMBuildStore(
            c->b, LLVMBuildSelect(c->b, code->is_on, llvm_int(i32, 0), llvm_int(i32, NEVER), ""),
            code->skip);
        bytes = LLVMBuildSelect(c->b, code->is_on, bytes, llvm_int(i64, 0), "");
        LLVMBuildMemSet(c->b, cpu_buffer(c, c->b, t->buffer), llvm_int(c->l->i8, 0), bytes, 8);
    }
}

/* --- one element --- */

static Val word_behind(Cpu *c, Bld b, Val slot)
{
    Val one = llvm_int(c->l->i64, 1);

    return LLVMBuildGEP2(b, c->l->i64, slot, &one, 1, "");
}

/* What a slot has, which may be nothing, to memory: then 0 is added to a place that nobody reads.
 */
static void empty_slot(Cpu *c, Bld b, Val slot, LLVMTypeRef t, int size)
{
    LLVMTypeRef i64 = c->l->i64;
    Val address = llvm_load(b, i64, slot, 8), sum = llvm_load(b, t, word_behind(c, b, slot), 8);
    Val none = LLVMBuildICmp(b, LLVMIntEQ, address, llvm_int(i64, 0), "");
    Val to = LLVMBuildSelect(b, none, c->scratch, LLVMBuildIntToPtr(b, address, c->l->ptr, ""), "");
    Val add =
        LLVMBuildAtomicRMW(b, LLVMAtomicRMWBinOpAdd, to, sum, LLVMAtomicOrderingAcquireRelease, 0);

    LLVMSetAlignment(add, (unsigned)size);
}

static Val slot_of(Cpu *c, Bld b, int buffer, Val address, int size)
{
    LLVMTypeRef i64 = c->l->i64;
    Val at = LLVMBuildLShr(b, address, llvm_int(i64, __builtin_ctz((unsigned)size)), "");

    at = LLVMBuildAnd(b, at, llvm_int(i64, TALLY_SLOTS - 1), "");
    at = LLVMBuildMul(b, at, llvm_int(i64, TALLY_WORDS), "");
    return LLVMBuildGEP2(b, i64, cpu_buffer(c, b, buffer), &at, 1, "");
}

/* Give the slot to another address. */
static void take_slot(Cpu *c, Bld b, Val slot, Val address, LLVMTypeRef t, int size)
{
    Val misses = c->tally->misses, one = llvm_int(c->l->i32, 1);

    empty_slot(c, b, slot, t, size);
    llvm_store(b, address, slot, 8);
    llvm_store(b, llvm_int(c->l->i64, 0), word_behind(c, b, slot), 8);
    Val count = LLVMBuildLoad2(b, c->l->i32, misses, "");
    LLVMBuildStore(b, LLVMBuildAdd(b, count, one, ""), misses);
}

void cpu_tally_add(Cpu *c, Bld b, int buffer, Val ptr, Val data)
{
    LLVMTypeRef t = LLVMTypeOf(data);
    int size = (int)LLVMGetIntTypeWidth(t) / 8;
    LLVMBasicBlockRef taken = cpu_block(c), own = cpu_block(c);
    Val address = LLVMBuildPtrToInt(b, ptr, c->l->i64, "");
    Val slot = slot_of(c, b, buffer, address, size);
    Val is_own = LLVMBuildICmp(b, LLVMIntEQ, llvm_load(b, c->l->i64, slot, 8), address, "");

    llvm_likely(c->l, LLVMBuildCondBr(b, is_own, own, taken));
    LLVMPositionBuilderAtEnd(b, taken);
    take_slot(c, b, slot, address, t, size);
    LLVMBuildBr(b, own);
    LLVMPositionBuilderAtEnd(b, own);
    Val sum = word_behind(c, b, slot);
    llvm_store(b, LLVMBuildAdd(b, llvm_load(b, t, sum, 8), data, ""), sum, 8);
}

/* --- nests and pieces --- */

/* c->b goes on where the nest has run, and knows whether to tally again. */
static void tallied(Cpu *c, const Nest *n, const Tally *t, TallyCode *code)
{
    LLVMTypeRef i32 = c->l->i32;

    LLVMBuildStore(c->b, llvm_int(i32, 0), code->misses);
    c->tally = code;
    cpu_nest(c, n);
    c->tally = NULL;
    Val misses = LLVMBuildLoad2(c->b, i32, code->misses, "");
    Val many = LLVMBuildICmp(c->b, LLVMIntUGT, misses, llvm_int(i32, t->elements / MISS_SHARE), "");
    LLVMBuildStore(c->b, LLVMBuildSelect(c->b, many, llvm_int(i32, SKIPPED), llvm_int(i32, 0), ""),
                   code->skip);
}

void cpu_tally_nest(Cpu *c, const Nest *n)
{
    const Tally *t = tally_of(c, n->roots.at[0].buffer);
    TallyCode *code = code_of(c, t);
    LLVMTypeRef i32 = c->l->i32;
    LLVMBasicBlockRef table = cpu_block(c), direct = cpu_block(c), after = cpu_block(c);
    Val skip = LLVMBuildLoad2(c->b, i32, code->skip, "");

    LLVMBuildCondBr(c->b, LLVMBuildICmp(c->b, LLVMIntEQ, skip, llvm_int(i32, 0), ""), table,
                    direct);
    LLVMPositionBuilderAtEnd(c->b, table);
    tallied(c, n, t, code);
    LLVMBuildBr(c->b, after);
    LLVMPositionBuilderAtEnd(c->b, direct);
    LLVMBuildStore(c->b, LLVMBuildSub(c->b, skip, llvm_int(i32, 1), ""), code->skip);
    cpu_atomic_nest(c, n->direct ? n->direct : n);
    LLVMBuildBr(c->b, after);
    LLVMPositionBuilderAtEnd(c->b, after);
}

void cpu_tally_end(Cpu *c)
{
    for (int i = 0; i < c->plan->tallies.len; i++) {
        const Tally *t = &c->plan->tallies.at[i];
        int size = dtype_size(t->dtype);
        LLVMTypeRef sum = LLVMIntTypeInContext(c->l->ctx, 8 * (unsigned)size);
        LLVMBasicBlockRef all = cpu_block(c), after = cpu_block(c);
        LLVMBuildCondBr(c->b, c->tallies[i].is_on, all, after);
        LLVMPositionBuilderAtEnd(c->b, all);
        Loop l = cpu_loop_begin(c);
        Val slot = LLVMBuildGEP2(c->b, c->l->i64, cpu_buffer(c, c->b, t->buffer), &l.index, 1, "");
        LLVMBasicBlockRef full = cpu_block(c), next = cpu_block(c);
        Val none = LLVMBuildIsNull(c->b, llvm_load(c->b, c->l->i64, slot, 8), "");
        LLVMBuildCondBr(c->b, none, next, full);
        LLVMPositionBuilderAtEnd(c->b, full);
        empty_slot(c, c->b, slot, sum, size);
        LLVMBuildBr(c->b, next);
        LLVMPositionBuilderAtEnd(c->b, next);
        cpu_loop_end(c, &l, TALLY_SLOTS * TALLY_WORDS, TALLY_WORDS);
        LLVMBuildBr(c->b, after);
        LLVMPositionBuilderAtEnd(c->b, after);
    }
}
