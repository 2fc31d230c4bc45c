/*
 * cut.c - cut long functions into pieces that LLVM compiles one at a time
 *
 * Much of what LLVM does with a function takes longer than the function is long: finding phis for
 * loops behind each other, selecting and ordering the instructions of a block, hoisting constants,
 * allocating registers.  A kernel that comes to many instructions, because it repeats itself at
 * compile time, becomes functions that call each other, none much longer than PIECE, and compiling
 * takes as long for each of them as for a short kernel.  A function that is not LONG stays as it
 * is.
 *
 * All that a target has to do for it is to give long straight code a block that is not the first.
 */
#include <stdlib.h>

#include "cut.h"

enum {
    VERY_LONG = 30000,  /* all functions, before any pass; half a second, about */
    MANY_BLOCKS = 2000, /* of what is not cut; long code of tiles has few, and is not slow */
    LONG = 8000,        /* one of them */
    PIECE = 3000,       /* at most, where there are places to cut */
    SMALL = 100,        /* is not worth a call */
    LONG_BLOCK = 1000,  /* straight code, behind all passes */
    DIVISION = 10,
    WIDEST = 128, /* bytes of the widest vectors, and a half */
    SHUFFLED = 8, /* lanes */
    BLOCK = 250   /* between two places of straight code */
};

/* --- weights --- */

static int bytes_of(LLVMTypeRef t)
{
    LLVMTypeRef element = LLVMGetTypeKind(t) == LLVMVectorTypeKind ? LLVMGetElementType(t) : t;
    int count = element == t ? 1 : (int)LLVMGetVectorSize(t);

    switch (LLVMGetTypeKind(element)) {
    case LLVMIntegerTypeKind:
        return count * (int)LLVMGetIntTypeWidth(element) / 8;
    case LLVMHalfTypeKind:
    case LLVMBFloatTypeKind:
        return count * 2;
    case LLVMFloatTypeKind:
        return count * 4;
    default:
        return count * 8;
    }
}

/* How many instructions one of LLVM's comes to, about.  Integers are divided in a dozen; lanes that
 * do not stay in place are masks, which stand in memory. */
static int cut_weight(Val i)
{
    int vectors = 1 + bytes_of(LLVMTypeOf(i)) / WIDEST;

    switch (LLVMGetInstructionOpcode(i)) {
    case LLVMSDiv:
    case LLVMUDiv:
    case LLVMSRem:
    case LLVMURem:
        return vectors * DIVISION;
    case LLVMShuffleVector:
        return vectors + (int)LLVMGetVectorSize(LLVMTypeOf(i)) / SHUFFLED;
    default:
        return vectors;
    }
}

int cut_block_weight(LLVMBasicBlockRef b)
{
    int n = 0;

    for (Val i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
        n += cut_weight(i);
    return n;
}

/* --- short blocks --- */

/* What led to one block leads to another. */
static void lead_to(LLVMBasicBlockRef old, LLVMBasicBlockRef new)
{
    LLVMUseRef u;

    while ((u = LLVMGetFirstUse(LLVMBasicBlockAsValue(old))) != NULL) {
        Val end = LLVMGetUser(u);
        for (unsigned i = 0; i < LLVMGetNumSuccessors(end); i++) {
            if (LLVMGetSuccessor(end, i) == old)
                LLVMSetSuccessor(end, i, new);
        }
    }
}

/* Move what stands in front of `end` to a block of its own, so that the end remains where phis
 * expect it to come from. */
static void take_front(Llvm *l, LLVMBasicBlockRef block, Val end)
{
    LLVMBasicBlockRef front = LLVMInsertBasicBlockInContext(l->ctx, block, "");
    Bld b = LLVMCreateBuilderInContext(l->ctx); /* without a place: these have one */

    lead_to(block, front);
    LLVMPositionBuilderAtEnd(b, front);
    for (Val i = LLVMGetFirstInstruction(block), next; i != end; i = next) {
        next = LLVMGetNextInstruction(i);
        LLVMInstructionRemoveFromParent(i);
        LLVMInsertIntoBuilder(b, i);
    }
    LLVMBuildBr(b, block);
    LLVMDisposeBuilder(b);
}

/* Blocks of this weight, and one for the rest. */
static void divide_block(Llvm *l, LLVMBasicBlockRef block, Val first)
{
    Val end = LLVMGetBasicBlockTerminator(block);
    int weight = 0;

    for (Val i = first; i != end; i = LLVMGetNextInstruction(i)) {
        weight += cut_weight(i);
        if (weight <= BLOCK || i == first)
            continue;
        take_front(l, block, i);
        weight = cut_weight(i);
    }
}

/* The phis, what is computed, and the end are blocks, so that there is a place between any two. */
static void shorten(Llvm *l, LLVMBasicBlockRef block)
{
    Val end = LLVMGetBasicBlockTerminator(block), i = LLVMGetFirstInstruction(block);

    while (LLVMIsAPHINode(i))
        i = LLVMGetNextInstruction(i);
    if (i == end)
        return;
    if (i != LLVMGetFirstInstruction(block))
        take_front(l, block, i);
    divide_block(l, block, i);
    take_front(l, block, end);
}

/* All but the first, in which slots of the stack are made. */
static void shorten_blocks(Llvm *l, Val fn)
{
    LLVMBasicBlockRef b = LLVMGetNextBasicBlock(LLVMGetEntryBasicBlock(fn)), next;

    for (; b; b = next) {
        next = LLVMGetNextBasicBlock(b);
        shorten(l, b);
    }
}

/* --- rows of places --- */

/* Places of one sign, from..to - 1 of Cut.places when these are sorted. */
typedef struct {
    int from, to;
    int span; /* blocks between the first and the last */
} Row;
typedef VEC(Row) Rows;

static int by_sign(const void *a, const void *b)
{
    const CutPlace *x = a, *y = b;

    return x->sign != y->sign ? (x->sign > y->sign) - (x->sign < y->sign) : x->block - y->block;
}

static int by_span(const void *a, const void *b)
{
    const Row *x = a, *y = b;

    return x->span != y->span ? x->span - y->span : x->from - y->from;
}

/* Inner ones first: they are shorter than what is around them. */
static Rows find_rows(const Cut *c)
{
    Rows rows = {0};
    const CutPlace *p = c->places.at;

    qsort(c->places.at, (size_t)c->places.len, sizeof *p, by_sign);
    for (int from = 0, to; from < c->places.len; from = to) {
        for (to = from + 1; to < c->places.len && p[to].sign == p[from].sign;)
            to++;
        Row row = {from, to, p[to - 1].block - p[from].block};
        vec_push(c->arena, &rows, row);
    }
    if (rows.len > 0)
        qsort(rows.at, (size_t)rows.len, sizeof(Row), by_span);
    return rows;
}

/* Of the blocks behind place i up to the next one. */
static int size_behind(const Cut *c, int i)
{
    int size = 0;

    for (int b = c->places.at[i].block + 1; b <= c->places.at[i + 1].block; b++)
        size += c->blocks.at[b].size;
    return size;
}

static void cut_row(Cut *c, const Row *row)
{
    int total = 0, size = 0, first = row->from;

    for (int i = row->from; i < row->to - 1; i++)
        total += size_behind(c, i);
    if (total <= PIECE)
        return;
    for (int i = row->from; i < row->to - 1; i++) {
        int more = size_behind(c, i);
        if (size > 0 && size + more > PIECE) {
            cut_out(c, c->places.at[first].block, c->places.at[i].block);
            first = i;
            size = 0;
        }
        size += more;
    }
    if (size > SMALL)
        cut_out(c, c->places.at[first].block, c->places.at[row->to - 1].block);
}

/* --- functions --- */

static int function_weight(Val fn)
{
    int n = 0;

    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(fn); b; b = LLVMGetNextBasicBlock(b))
        n += cut_block_weight(b);
    return n;
}

/* The function itself, and its frame, whose size is not known yet. */
static void add_rest(Cut *c)
{
    Piece rest = {.fn = c->fn, .entry = LLVMGetEntryBasicBlock(c->fn)};
    Bld b = llvm_builder(c->l, rest.entry);

    LLVMPositionBuilderBefore(b, LLVMGetFirstInstruction(rest.entry));
    rest.frame = LLVMBuildArrayAlloca(b, c->l->i8, llvm_int(c->l->i32, 1), "");
    llvm_drop_builders(c->l, c->l->builders.len - 1);
    vec_push(c->arena, &c->pieces, rest);
    map_put(c->piece_of, MAP_KEY(c->fn), (void *)(intptr_t)1);
}

static void cut_function(Llvm *l, Val fn)
{
    Cut c = {.l = l, .arena = l->arena, .fn = fn, .piece_of = map_new(l->arena)};

    shorten_blocks(l, fn);
    cut_order(&c);
    add_rest(&c);
    Rows rows = find_rows(&c);
    for (int i = 0; i < rows.len; i++)
        cut_row(&c, &rows.at[i]);
    cut_values(&c);
    for (int i = 1; i < c.pieces.len; i++)
        llvm_lines_moved(l, c.pieces.at[i].fn);
}

bool llvm_is_very_long(const Llvm *l)
{
    int64_t weight = 0, blocks = 0;

    for (Val fn = LLVMGetFirstFunction(l->module); fn; fn = LLVMGetNextFunction(fn)) {
        weight += function_weight(fn);
        blocks += LLVMCountBasicBlocks(fn);
    }
    return l->is_text ? blocks > MANY_BLOCKS : weight > VERY_LONG;
}

void llvm_cut(Llvm *l)
{
    Val last = LLVMGetLastFunction(l->module);

    for (Val fn = LLVMGetFirstFunction(l->module); fn; fn = LLVMGetNextFunction(fn)) {
        if (function_weight(fn) > LONG)
            cut_function(l, fn);
        if (fn == last)
            break; /* behind it are pieces */
    }
}

/* A block whose address is taken is never joined with the one in front of it.  Nobody uses these
 * addresses. */
static void keep_apart(Val fn, LLVMBasicBlockRef from, LLVMBasicBlockRef to)
{
    for (LLVMBasicBlockRef b = from; b != to;) {
        b = LLVMGetNextBasicBlock(b);
        LLVMBlockAddress(fn, b);
    }
}

/* Behind phis, and slots of the stack, which are made where a function begins. */
static Val first_that_may_move(LLVMBasicBlockRef b)
{
    Val first = LLVMGetFirstInstruction(b);

    for (Val i = first; i; i = LLVMGetNextInstruction(i)) {
        if (LLVMIsAPHINode(i) || LLVMIsAAllocaInst(i))
            first = LLVMGetNextInstruction(i);
    }
    return first;
}

void llvm_cut_blocks(Llvm *l)
{
    for (Val fn = LLVMGetFirstFunction(l->module); fn; fn = LLVMGetNextFunction(fn)) {
        LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(fn), before;
        for (before = NULL; b; before = b, b = LLVMGetNextBasicBlock(b)) {
            if (cut_block_weight(b) <= LONG_BLOCK)
                continue;
            divide_block(l, b, first_that_may_move(b));
            keep_apart(fn, before ? LLVMGetNextBasicBlock(before) : LLVMGetFirstBasicBlock(fn), b);
        }
    }
}
