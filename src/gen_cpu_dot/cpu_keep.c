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
 * is known yet.  To clear the words of all slots then takes longer than a small product: behind
 * them is, in KEEP_KNOWN, how many have been cleared, and others are when they are first taken.
 * What was packed is stale once a round has filled its tile anew.
 *
 * Tiles of several programs: in the first round of a loop its tile is searched for among those with
 * which the loops began that have slots.  Else the loop takes slots that are free, or the one that
 * is shared: so of tiles that go around, more than there are slots for, some are found each time.
 * Where none was found for long, or another strip of the grid begins, all slots are free again.
 * KEEP_USED and KEEP_MISSED say how many loops have some, and for how many none was found, and
 * KEEP_STRIP the strip for which that is so.
 */
#include "cpu_dot.h"

enum { MOST_LOOPS = 32 /* to search among */ };

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

/* The word of that number behind those of all slots. */
static Val state_word(Cpu *c, const Keep *k, int number)
{
    return word_at(c, cpu_buffer(c, c->b, k->keys), keep_words(k) - KEEP_STATE + number);
}

static void clear_words(Cpu *c, Val words, int64_t n)
{
    LLVMBuildMemSet(c->b, words, llvm_int(c->l->i8, 0), llvm_int(c->l->i64, 8 * n), 8);
}

/* When a thread begins with a launch: the first slot, the one that is shared, and the state. */
static void forget(Cpu *c, const Keep *k)
{
    Val words = cpu_buffer(c, c->b, k->keys);
    int64_t shared = k->slots * (int64_t)keep_slot_words(k);

    clear_words(c, words, keep_slot_words(k));
    if (!k->loop)
        return;
    clear_words(c, word_at(c, words, shared), keep_words(k) - shared);
    llvm_store(c->b, llvm_int(c->l->i64, 1), state_word(c, k, KEEP_KNOWN), 8);
}

static void forget_all(Cpu *c)
{
    for (int i = 0; i < c->plan->keeps.len; i++)
        forget(c, &c->plan->keeps.at[i]);
}

/* Of so many slots from `first` on: nothing is packed there, and no tile. */
static void clear_slots(Cpu *c, const Keep *k, Val first, Val n)
{
    LLVMTypeRef i64 = c->l->i64;
    Val none = llvm_int(i64, 0), start = cpu_buffer(c, c->b, k->keys);
    Loop l = cpu_loop_begin(c);
    Val at = LLVMBuildMul(c->b, LLVMBuildAdd(c->b, first, l.index, ""),
                          llvm_int(i64, keep_slot_words(k)), "");
    Val words = LLVMBuildGEP2(c->b, i64, start, &at, 1, "");

    llvm_store(c->b, none, word_at(c, words, KEEP_PACKED), 8);
    for (int i = 0; i < k->rounds; i++)
        llvm_store(c->b, none, word_at(c, words, KEEP_HEAD + i * keep_round_words(k)), 8);
    cpu_loop_end_at(c, &l, n, 1);
}

/* Clears it, and those in front of it, if it is one that nobody has taken yet. */
static void know_slot(Cpu *c, const Keep *k, Val slot)
{
    LLVMTypeRef i64 = c->l->i64;
    LLVMBasicBlockRef clear = cpu_block(c), after = cpu_block(c);
    Val place = state_word(c, k, KEEP_KNOWN), known = llvm_load(c->b, i64, place, 8);
    Val is_new = LLVMBuildICmp(c->b, LLVMIntUGE, slot, known, "");
    Val is_own = LLVMBuildICmp(c->b, LLVMIntULT, slot, llvm_int(i64, k->slots), "");

    LLVMBuildCondBr(c->b, LLVMBuildAnd(c->b, is_new, is_own, ""), clear, after);
    LLVMPositionBuilderAtEnd(c->b, clear);
    Val end = LLVMBuildAdd(c->b, slot, llvm_int(i64, 1), "");
    clear_slots(c, k, known, LLVMBuildSub(c->b, end, known, ""));
    llvm_store(c->b, end, place, 8);
    LLVMBuildBr(c->b, after);
    LLVMPositionBuilderAtEnd(c->b, after);
}

void cpu_keep_begin(Cpu *c)
{
    int n = c->plan->keeps.len;
    Val at = llvm_int(c->l->i64, PLAN_MARK);
    LLVMBasicBlockRef first = cpu_block(c), after = cpu_block(c);

    c->slot = NEW_N(c->arena, Val, n + 1);
    c->stale = NEW_N(c->arena, Val, n + 1);
    c->begin = NEW_N(c->arena, Val, n + 1);
    c->taken = NEW_N(c->arena, Val, n + 1);
    for (int i = 1; i <= n; i++) {
        c->stale[i] = cpu_slot(c, c->l->i1);
        c->begin[i] = cpu_slot(c, c->l->i64);
        c->taken[i] = cpu_slot(c, c->l->i64);
    }
    Val mark = LLVMBuildGEP2(c->b, c->l->i8, c->scratch, &at, 1, "");
    Val is_first = LLVMBuildIsNull(c->b, llvm_load(c->b, c->l->i64, mark, 8), "");
    LLVMBuildCondBr(c->b, is_first, first, after);
    LLVMPositionBuilderAtEnd(c->b, first);
    forget_all(c);
    llvm_store(c->b, llvm_int(c->l->i64, 1), mark, 8);
    LLVMBuildBr(c->b, after);
    LLVMPositionBuilderAtEnd(c->b, after);
}

/* The slot of this round, and where its tiles are. */
static void set_slot(Cpu *c, int keep, Val slot)
{
    LLVMTypeRef i64 = c->l->i64;

    c->slot[keep] = slot;
    for (int i = 0; i < c->plan->buffers.len; i++) {
        const Buffer *b = &c->plan->buffers.at[i];
        if (b->keep == keep)
            c->in_slot[i] = LLVMBuildMul(c->b, slot, llvm_int(i64, b->slot), "");
    }
}

/* So many behind the first. */
static void place_slot(Cpu *c, int keep, Val first)
{
    const Keep *k = keep_of(c, keep);
    LLVMTypeRef i64 = c->l->i64;
    Val group = LLVMBuildUDiv(c->b, c->round, llvm_int(i64, k->rounds), "");

    group = LLVMBuildAdd(c->b, first, group, "");
    Val slot = llvm_extreme(c->l, c->b, false, false, group, llvm_int(i64, k->slots));
    LLVMBuildStore(c->b, slot, c->taken[keep]);
    know_slot(c, k, slot);
    set_slot(c, keep, slot);
}

Val cpu_keep_behind(Cpu *c, int buffer)
{
    const Buffer *b = &c->plan->buffers.at[buffer];
    LLVMTypeRef i64 = c->l->i64;
    Val slots = llvm_int(i64, keep_of(c, b->keep)->slots);
    Val is_own = LLVMBuildICmp(c->b, LLVMIntULT, c->slot[b->keep], slots, "");

    return LLVMBuildSelect(c->b, is_own, llvm_int(i64, b->slot), llvm_int(i64, 0), "");
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
    return k->rounds == 1 ? NULL : cpu_place_round(c, plan_buffer(c->plan, k->value), k->rounds);
}

/* Is a tile there, made of the same scalars as this round's? */
static Val is_same(Cpu *c, const Keep *k, Val words)
{
    LLVMTypeRef i64 = c->l->i64;
    Val same = LLVMBuildIsNotNull(c->b, llvm_load(c->b, i64, words, 8), "");

    for (int i = 0; i < k->nby; i++) {
        Val was = llvm_load(c->b, i64, word_at(c, words, 1 + i), 8);
        Val is = bits_of(c, c->scalars[k->by[i]->id]);
        same = LLVMBuildAnd(c->b, same, LLVMBuildICmp(c->b, LLVMIntEQ, was, is, ""), "");
    }
    return same;
}

static Val is_there(Cpu *c, int keep, Val words)
{
    const Keep *k = keep_of(c, keep);
    Val same = is_same(c, k, words), slots = llvm_int(c->l->i64, k->slots);

    if (!c->slot[keep])
        return same;
    return LLVMBuildAnd(c->b, same, LLVMBuildICmp(c->b, LLVMIntULT, c->slot[keep], slots, ""), "");
}

/* --- tiles of several programs --- */

/* Loops whose first slot has been cleared, of so many that may have `slots` each; one at least. */
static Val known_loops(Cpu *c, const Keep *k, Val loops, Val slots)
{
    Val known = llvm_load(c->b, c->l->i64, state_word(c, k, KEEP_KNOWN), 8);
    Val before =
        LLVMBuildUDiv(c->b, LLVMBuildSub(c->b, known, llvm_int(c->l->i64, 1), ""), slots, "");
    Val n = LLVMBuildAdd(c->b, before, llvm_int(c->l->i64, 1), "");

    return llvm_extreme(c->l, c->b, false, false, loops, n);
}

/* Of the loops that have slots the number of the one that began with the tile of this round, or
 * -1. */
static Val find_loop(Cpu *c, const Keep *k, Val loops, Val slots)
{
    LLVMTypeRef i64 = c->l->i64;
    Val found = cpu_slot(c, i64), start = cpu_buffer(c, c->b, k->keys);

    loops = known_loops(c, k, loops, slots);

    LLVMBuildStore(c->b, llvm_int(i64, -1), found);
    Loop l = cpu_loop_begin(c);
    Val at = LLVMBuildMul(c->b, LLVMBuildMul(c->b, l.index, slots, ""),
                          llvm_int(i64, keep_slot_words(k)), "");
    at = LLVMBuildAdd(c->b, at, llvm_int(i64, KEEP_HEAD), "");
    Val same = is_same(c, k, LLVMBuildGEP2(c->b, i64, start, &at, 1, ""));
    Val before = LLVMBuildLoad2(c->b, i64, found, "");
    LLVMBuildStore(c->b, LLVMBuildSelect(c->b, same, l.index, before, ""), found);
    cpu_loop_end_at(c, &l, loops, 1);
    return LLVMBuildLoad2(c->b, i64, found, "");
}

/* Of a plane of the grid: which one it is. */
static Val strip_number(Cpu *c)
{
    LLVMTypeRef i64 = c->l->i64;
    Val plane = LLVMBuildZExt(c->b, c->program[2], i64, "");

    plane = LLVMBuildMul(c->b, plane, LLVMBuildZExt(c->b, c->programs[0], i64, ""), "");
    return LLVMBuildAdd(c->b, plane, c->strip_begin, "");
}

/* Is it another one than that for which slots were taken?  Notes that it is this. */
static Val is_new_strip(Cpu *c, const Keep *k, Val place)
{
    if (!k->strips)
        return llvm_int(c->l->i1, 0);
    Val number = strip_number(c);
    Val is_new = LLVMBuildICmp(c->b, LLVMIntNE, llvm_load(c->b, c->l->i64, place, 8), number, "");
    llvm_store(c->b, number, place, 8);
    return is_new;
}

/* It, or where there is none one that is free; all are where none was found for long.  Gives the
 * first of its slots, or the shared one. */
static Val choose_loop(Cpu *c, const Keep *k, Val loops, Val slots)
{
    Val found = find_loop(c, k, loops, slots);
    LLVMTypeRef i64 = c->l->i64;
    Val one = llvm_int(i64, 1), none = llvm_int(i64, 0);
    Val used_at = state_word(c, k, KEEP_USED), missed_at = state_word(c, k, KEEP_MISSED);
    Val used = llvm_load(c->b, i64, used_at, 8), missed = llvm_load(c->b, i64, missed_at, 8);
    Val hit = LLVMBuildICmp(c->b, LLVMIntSGE, found, none, "");
    Val patience = LLVMBuildShl(c->b, loops, one, "");
    Val anew = LLVMBuildICmp(c->b, LLVMIntUGE, missed, patience, "");

    anew = LLVMBuildOr(c->b, anew, is_new_strip(c, k, state_word(c, k, KEEP_STRIP)), "");
    used = LLVMBuildSelect(c->b, anew, none, used, "");
    Val is_free = LLVMBuildICmp(c->b, LLVMIntULT, used, loops, "");
    Val takes = LLVMBuildAnd(c->b, is_free, LLVMBuildNot(c->b, hit, ""), "");
    llvm_store(c->b, LLVMBuildAdd(c->b, used, LLVMBuildZExt(c->b, takes, i64, ""), ""), used_at, 8);
    missed = LLVMBuildAdd(c->b, LLVMBuildSelect(c->b, anew, none, missed, ""), one, "");
    llvm_store(c->b, LLVMBuildSelect(c->b, hit, none, missed, ""), missed_at, 8);
    Val n = LLVMBuildSelect(c->b, hit, found, used, "");
    Val has = LLVMBuildOr(c->b, hit, is_free, "");
    return LLVMBuildSelect(c->b, has, LLVMBuildMul(c->b, n, slots, ""), llvm_int(i64, k->slots),
                           "");
}

/* Will programs come back to a tile at all, before slots for so many loops are taken?  Where axes
 * tell, that is with the next row of the grid. */
static Val comes_again(Cpu *c, const Keep *k, Val loops)
{
    Val so = llvm_int(c->l->i1, k->again == 0);

    for (int axis = 0; axis < COUNT(c->programs); axis++) {
        if ((k->again >> axis & 1) == 0)
            continue;
        Val one = llvm_int(c->l->i32, 1);
        Val more = LLVMBuildICmp(c->b, LLVMIntSGT, c->programs[axis], one, "");
        so = LLVMBuildOr(c->b, so, more, "");
    }
    if (k->again == 0)
        return so;
    Val row = k->strips ? c->strip : LLVMBuildZExt(c->b, c->programs[0], c->l->i64, "");
    return LLVMBuildAnd(c->b, so, LLVMBuildICmp(c->b, LLVMIntULE, row, loops, ""), "");
}

static Val slots_of_loop(Cpu *c, const Keep *k, Val trips)
{
    LLVMTypeRef i64 = c->l->i64;
    Val slots = LLVMBuildAdd(c->b, trips, llvm_int(i64, k->rounds - 1), "");

    return LLVMBuildUDiv(c->b, slots, llvm_int(i64, k->rounds), "");
}

static Val loops_of(Cpu *c, const Keep *k, Val slots)
{
    LLVMTypeRef i64 = c->l->i64;
    Val loops = LLVMBuildUDiv(c->b, llvm_int(i64, k->slots), slots, "");

    return llvm_extreme(c->l, c->b, false, false, loops, llvm_int(i64, MOST_LOOPS));
}

Val cpu_keep_loops(Cpu *c, const Keep *k, Val trips)
{
    Val some = llvm_extreme(c->l, c->b, true, false, trips, llvm_int(c->l->i64, 1));

    return loops_of(c, k, slots_of_loop(c, k, some));
}

/* In the first round of a loop: which slots it has.  None where there is not room for two loops. */
static void choose_slots(Cpu *c, int keep)
{
    const Keep *k = keep_of(c, keep);
    LLVMTypeRef i64 = c->l->i64;
    LLVMBasicBlockRef first = cpu_block(c), search = cpu_block(c), after = cpu_block(c);

    LLVMBuildCondBr(c->b, LLVMBuildIsNull(c->b, c->round, ""), first, after);
    LLVMPositionBuilderAtEnd(c->b, first);
    LLVMBuildStore(c->b, llvm_int(i64, k->slots), c->begin[keep]);
    Val slots = slots_of_loop(c, k, c->trips), loops = loops_of(c, k, slots);
    Val enough = LLVMBuildICmp(c->b, LLVMIntUGE, loops, llvm_int(i64, 2), "");
    enough = LLVMBuildAnd(c->b, enough, comes_again(c, k, loops), "");
    LLVMBuildCondBr(c->b, enough, search, after);
    LLVMPositionBuilderAtEnd(c->b, search);
    LLVMBuildStore(c->b, choose_loop(c, k, loops, slots), c->begin[keep]);
    LLVMBuildBr(c->b, after);
    LLVMPositionBuilderAtEnd(c->b, after);
    place_slot(c, keep, LLVMBuildLoad2(c->b, i64, c->begin[keep], ""));
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

/* Where the tile is not wanted, nobody asks where it would be. */
static void skip_fill(Cpu *c, int keep, Val unless, LLVMBasicBlockRef after)
{
    LLVMBasicBlockRef wanted = cpu_block(c);

    if (keep_of(c, keep)->loop)
        LLVMBuildStore(c->b, llvm_int(c->l->i64, keep_of(c, keep)->slots), c->taken[keep]);
    LLVMBuildCondBr(c->b, unless, after, wanted);
    LLVMPositionBuilderAtEnd(c->b, wanted);
}

Filling cpu_keep_begin_fill(Cpu *c, int keep, Val unless)
{
    const Keep *k = keep_of(c, keep);
    LLVMTypeRef i64 = c->l->i64;
    LLVMBasicBlockRef fill = cpu_block(c);
    Filling f = {.keep = keep, .after = cpu_block(c)};

    if (unless)
        skip_fill(c, keep, unless, f.after);
    if (k->loop && k->several)
        choose_slots(c, keep);
    else if (k->loop)
        place_slot(c, keep, llvm_int(i64, 0));
    f.words = word_at(c, slot_words(c, keep), KEEP_HEAD);
    Val in_slot = round_in_slot(c, k);

    if (in_slot) {
        Val skip = LLVMBuildMul(c->b, in_slot, llvm_int(i64, keep_round_words(k)), "");
        f.words = LLVMBuildGEP2(c->b, i64, f.words, &skip, 1, "");
    }
    Val is_new = LLVMBuildNot(c->b, is_there(c, keep, f.words), "");
    note_stale(c, keep, in_slot, is_new);
    LLVMBuildCondBr(c->b, is_new, fill, f.after);
    LLVMPositionBuilderAtEnd(c->b, fill);
    return f;
}

void cpu_keep_end_fill(Cpu *c, const Filling *f)
{
    const Keep *k = keep_of(c, f->keep);

    llvm_store(c->b, llvm_int(c->l->i64, 1), f->words, 8);
    for (int i = 0; i < k->nby; i++) {
        Val place = word_at(c, f->words, 1 + i);
        llvm_store(c->b, bits_of(c, c->scalars[k->by[i]->id]), place, 8);
    }
    LLVMBuildBr(c->b, f->after);
    LLVMPositionBuilderAtEnd(c->b, f->after);
    if (k->loop)
        set_slot(c, f->keep, LLVMBuildLoad2(c->b, c->l->i64, c->taken[f->keep], ""));
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
