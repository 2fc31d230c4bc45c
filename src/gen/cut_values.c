/*
 * cut_values.c - values that one piece of a function makes and another reads
 *
 * They go through a frame, a piece of memory on the stack of the function that was cut: stored
 * where they are made, and loaded where they are read, in front of the block if it is one, or where
 * the piece begins.  A slot of the stack that one piece alone knows becomes its own, so it can be a
 * register there, unless it keeps something from one time that the piece runs to the next.
 */
#include "cut.h"

enum { FRAME_ALIGN = 16 };

typedef struct {
    Cut *c;
    LLVMTargetDataRef layout;
    int64_t used;     /* bytes of the frame */
    VEC(Val) readers; /* of the value that is carried, in other pieces */
    int64_t at;       /* its place in the frame */
    int align;
} Values;

static Piece *piece_at(const Cut *c, LLVMBasicBlockRef b)
{
    Val fn = LLVMGetBasicBlockParent(b);

    return &c->pieces.at[(intptr_t)map_get(c->piece_of, MAP_KEY(fn)) - 1];
}

static Piece *piece_of(const Cut *c, Val instruction)
{
    return piece_at(c, LLVMGetInstructionParent(instruction));
}

/* A builder in front of an instruction, at its place in the source. */
static Bld builder_at(const Cut *c, Val before)
{
    Bld b = llvm_builder(c->l, LLVMGetInstructionParent(before));

    LLVMPositionBuilderBefore(b, before);
    return b;
}

static void drop_builder(const Cut *c)
{
    llvm_drop_builders(c->l, c->l->builders.len - 1);
}

static Val first_after_phis(LLVMBasicBlockRef b)
{
    Val i = LLVMGetFirstInstruction(b);

    while (LLVMIsAPHINode(i))
        i = LLVMGetNextInstruction(i);
    return i;
}

/* --- slots of the stack --- */

/* The one piece that all who use a value are in; NULL: several. */
static Piece *only_piece(const Cut *c, Val v)
{
    Piece *found = NULL;

    for (LLVMUseRef u = LLVMGetFirstUse(v); u; u = LLVMGetNextUse(u)) {
        Piece *p = piece_of(c, LLVMGetUser(u));
        if (found && p != found)
            return NULL;
        found = p;
    }
    return found;
}

static bool stores_all(Val i, Val slot)
{
    return LLVMIsAStoreInst(i) && LLVMGetOperand(i, 1) == slot && LLVMGetOperand(i, 0) != slot &&
           LLVMTypeOf(LLVMGetOperand(i, 0)) == LLVMGetAllocatedType(slot);
}

/* Is that what a block does with a slot first?  `users` are all instructions that name it. */
static bool writes_first(LLVMBasicBlockRef b, Val slot, const Map *users)
{
    Val i = LLVMGetFirstInstruction(b);

    while (!map_get(users, MAP_KEY(i)))
        i = LLVMGetNextInstruction(i);
    return stores_all(i, slot);
}

/* May a piece read what was in a slot when it began?  Then that is of a round before.  Only a store
 * to all of it is known not to.  From what reads it it is mostly not far back to such a store, so
 * that all slots together take as long as the piece is long. */
static bool is_kept(const Cut *c, const Piece *p, Val slot)
{
    Map *seen = map_new(c->arena), *users = map_new(c->arena);
    VEC(LLVMBasicBlockRef) left = {0};

    for (LLVMUseRef u = LLVMGetFirstUse(slot); u; u = LLVMGetNextUse(u))
        map_put(users, MAP_KEY(LLVMGetUser(u)), (void *)LLVMGetUser(u));
    for (LLVMUseRef u = LLVMGetFirstUse(slot); u; u = LLVMGetNextUse(u)) {
        LLVMBasicBlockRef b = LLVMGetInstructionParent(LLVMGetUser(u));
        if (!map_get(seen, MAP_KEY(b)) && !writes_first(b, slot, users))
            vec_push(c->arena, &left, b);
        map_put(seen, MAP_KEY(b), (void *)b);
    }
    while (left.len > 0) {
        LLVMBasicBlockRef b = left.at[--left.len];
        if (b == p->entry)
            return true;
        LLVMUseRef u = LLVMGetFirstUse(LLVMBasicBlockAsValue(b));
        for (; u; u = LLVMGetNextUse(u)) {
            LLVMBasicBlockRef from = LLVMGetInstructionParent(LLVMGetUser(u));
            if (!map_get(seen, MAP_KEY(from)))
                vec_push(c->arena, &left, from);
            map_put(seen, MAP_KEY(from), (void *)from);
        }
    }
    return false;
}

static void move_slots(const Cut *c)
{
    for (Val i = LLVMGetFirstInstruction(c->pieces.at[0].entry), next; i; i = next) {
        next = LLVMGetNextInstruction(i);
        Piece *p = LLVMIsAAllocaInst(i) ? only_piece(c, i) : NULL;
        if (!p || p == &c->pieces.at[0] || is_kept(c, p, i))
            continue;
        LLVMInstructionRemoveFromParent(i);
        LLVMInsertIntoBuilder(builder_at(c, LLVMGetFirstInstruction(p->entry)), i);
        drop_builder(c);
    }
}

/* --- the frame --- */

/* Room for a value of this type. */
static void take_place(Values *x, LLVMTypeRef t)
{
    int64_t size = (int64_t)LLVMABISizeOfType(x->layout, t);

    x->align = (int)MIN(LLVMABIAlignmentOfType(x->layout, t), FRAME_ALIGN);
    x->at = (x->used + x->align - 1) / x->align * x->align;
    x->used = x->at + size;
}

static Val frame_address(const Values *x, Bld b, const Piece *p)
{
    Val offset = llvm_int(x->c->l->i64, x->at);

    return LLVMBuildGEP2(b, x->c->l->i8, p->frame, &offset, 1, "");
}

/* Where this value may be stored first. */
static Val behind(const Cut *c, Val v)
{
    if (LLVMIsAArgument(v))
        return LLVMGetBasicBlockTerminator(c->pieces.at[0].entry);
    if (LLVMIsAPHINode(v))
        return first_after_phis(LLVMGetInstructionParent(v));
    return LLVMGetNextInstruction(v);
}

static void note_reader(Values *x, Val v, Val reader, const Piece *owner)
{
    Piece *p = piece_of(x->c, reader);
    LLVMBasicBlockRef b = LLVMGetInstructionParent(reader);

    if (p == owner)
        return;
    if (p->asked != v) {
        p->asked = v;
        p->loaded = NULL;
        p->reader = b;
        p->several = false;
    }
    p->several |= p->reader != b || LLVMIsAPHINode(reader);
    vec_push(x->c->arena, &x->readers, reader);
}

/* Is `p` there, waiting, while the piece that makes a value runs? */
static bool waits_for(const Cut *c, const Piece *p, const Piece *owner)
{
    while (owner != &c->pieces.at[0] && owner != p)
        owner = &c->pieces.at[owner->caller];
    return owner == p;
}

static Val load_before(const Values *x, Val v, const Piece *p, Val before)
{
    Bld b = builder_at(x->c, before);
    Val value = llvm_load(b, LLVMTypeOf(v), frame_address(x, b, p), x->align);

    drop_builder(x->c);
    return value;
}

/* The value where operand i of its reader can have it. */
static Val loaded(const Values *x, Val v, Piece *p, const Piece *owner, Val reader, unsigned i)
{
    if (p->several && waits_for(x->c, p, owner)) {
        if (LLVMIsAPHINode(reader))
            return load_before(x, v, p,
                               LLVMGetBasicBlockTerminator(LLVMGetIncomingBlock(reader, i)));
        return load_before(x, v, p, reader);
    }
    if (!p->loaded)
        p->loaded = load_before(x, v, p,
                                p->several ? LLVMGetBasicBlockTerminator(p->entry)
                                           : first_after_phis(p->reader));
    return p->loaded;
}

static void replace_operands(const Values *x, Val reader, Val v, const Piece *owner)
{
    Piece *p = piece_of(x->c, reader);
    bool is_frame = v == x->c->pieces.at[0].frame;

    for (int i = 0; i < LLVMGetNumOperands(reader); i++) {
        if (LLVMGetOperand(reader, (unsigned)i) != v)
            continue;
        Val new = is_frame ? p->frame : loaded(x, v, p, owner, reader, (unsigned)i);
        LLVMSetOperand(reader, (unsigned)i, new);
    }
}

/* owner: the piece that makes it. */
static void carry_value(Values *x, Val v, Piece *owner)
{
    bool is_frame = v == x->c->pieces.at[0].frame;

    x->readers.len = 0;
    for (LLVMUseRef u = LLVMGetFirstUse(v); u; u = LLVMGetNextUse(u))
        note_reader(x, v, LLVMGetUser(u), owner);
    if (x->readers.len > 0 && !is_frame)
        take_place(x, LLVMTypeOf(v));
    for (int i = 0; i < x->readers.len; i++)
        replace_operands(x, x->readers.at[i], v, owner);
    if (x->readers.len == 0 || is_frame)
        return;
    Bld b = builder_at(x->c, behind(x->c, v));
    llvm_store(b, v, frame_address(x, b, owner), x->align);
    drop_builder(x->c);
}

static void carry_block(Values *x, LLVMBasicBlockRef b, Piece *owner)
{
    for (Val i = LLVMGetFirstInstruction(b), next; i; i = next) {
        next = LLVMGetNextInstruction(i);
        carry_value(x, i, owner);
    }
}

void cut_values(Cut *c)
{
    Values x = {.c = c, .layout = LLVMGetModuleDataLayout(c->l->module)};
    Val frame = c->pieces.at[0].frame;

    move_slots(c);
    for (unsigned i = 0; i < LLVMCountParams(c->fn); i++)
        carry_value(&x, LLVMGetParam(c->fn, i), &c->pieces.at[0]);
    for (int i = 0; i < c->pieces.len; i++) {
        Piece *p = &c->pieces.at[i];
        LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(p->fn);
        for (; b; b = LLVMGetNextBasicBlock(b))
            carry_block(&x, b, p);
    }
    LLVMSetOperand(frame, 0, llvm_int(c->l->i32, MAX(x.used, 1)));
    LLVMSetAlignment(frame, FRAME_ALIGN);
}
