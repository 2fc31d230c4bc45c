/*
 * cut_pieces.c - make a function of the blocks between two places of another
 *
 *     before:  A - B - ... - C - D        after:  A - call of the piece - D
 *                                         piece:  entry - B - ... - C - return
 *
 * Where B to C may go to the end of the function, too, the piece says whether it did, and its
 * caller goes there.  What it takes and gives lies in memory; see cut_values.c.
 */
#include "cut.h"

enum { CALL_SIZE = 2 };

static LLVMBasicBlockRef new_block(const Cut *c, Val fn)
{
    return LLVMAppendBasicBlockInContext(c->l->ctx, fn, "");
}

/* Where a block goes on at its place, if it does not end the function. */
static unsigned last_way(LLVMBasicBlockRef b)
{
    return LLVMGetNumSuccessors(LLVMGetBasicBlockTerminator(b)) - 1;
}

static bool goes_to(LLVMBasicBlockRef b, LLVMBasicBlockRef to)
{
    Val last = LLVMGetBasicBlockTerminator(b);

    for (unsigned i = 0; i < LLVMGetNumSuccessors(last); i++) {
        if (LLVMGetSuccessor(last, i) == to)
            return true;
    }
    return false;
}

/* May a block of this row end the function? */
static bool may_end(const Cut *c, int first, int last, LLVMBasicBlockRef next)
{
    for (int i = first + 1; c->end && c->end != next && i <= last; i++) {
        if (c->blocks.at[i].block && goes_to(c->blocks.at[i].block, c->end))
            return true;
    }
    return false;
}

static void redirect(LLVMBasicBlockRef b, LLVMBasicBlockRef from, LLVMBasicBlockRef to)
{
    Val last = LLVMGetBasicBlockTerminator(b);

    for (unsigned i = 0; i < LLVMGetNumSuccessors(last); i++) {
        if (LLVMGetSuccessor(last, i) == from)
            LLVMSetSuccessor(last, i, to);
    }
}

static LLVMBasicBlockRef return_block(const Cut *c, Val fn, bool ended)
{
    LLVMBasicBlockRef b = new_block(c, fn);

    LLVMBuildRet(llvm_builder(c->l, b), llvm_int(c->l->i1, ended));
    llvm_drop_builders(c->l, c->l->builders.len - 1);
    return b;
}

static LLVMTypeRef piece_type(const Cut *c)
{
    LLVMTypeRef frame = c->l->ptr;

    return LLVMFunctionType(c->l->i1, &frame, 1, 0);
}

static Val add_piece(Cut *c)
{
    const char *name =
        arena_printf(c->arena, "%s.%d", LLVMGetValueName2(c->fn, &(size_t){0}), c->pieces.len);
    Piece p = {.fn = llvm_function(c->l, name, piece_type(c))};

    LLVMSetLinkage(p.fn, LLVMInternalLinkage);
    llvm_apart(c->l, p.fn, 1); /* nobody else knows where the frame is */
    p.frame = LLVMGetParam(p.fn, 0);
    p.entry = new_block(c, p.fn);
    vec_push(c->arena, &c->pieces, p);
    map_put(c->piece_of, MAP_KEY(p.fn), (void *)(intptr_t)c->pieces.len);
    return p.fn;
}

static void fill_piece(Cut *c, Val fn, int first, int last, LLVMBasicBlockRef next, bool ends)
{
    LLVMBasicBlockRef done = return_block(c, fn, false);
    LLVMBasicBlockRef ended = ends ? return_block(c, fn, true) : NULL;

    for (int i = first + 1; i <= last; i++) {
        CutBlock *b = &c->blocks.at[i];
        if (!b->block)
            continue;
        LLVMRemoveBasicBlockFromParent(b->block);
        LLVMAppendExistingBasicBlock(fn, b->block);
        redirect(b->block, next, done);
        if (ends)
            redirect(b->block, c->end, ended);
        c->pieces.at[b->calls].caller = c->pieces.len - 1; /* of number 0 nobody asks */
        *b = (CutBlock){0};
    }
}

/* The block that stands where the others were. */
static LLVMBasicBlockRef call_block(Cut *c, Val fn, LLVMBasicBlockRef next, bool ends)
{
    LLVMBasicBlockRef b = new_block(c, c->fn);
    Bld at = llvm_builder(c->l, b);
    Val ended = LLVMBuildCall2(at, piece_type(c), fn, &c->pieces.at[0].frame, 1, "");

    if (ends)
        LLVMBuildCondBr(at, ended, c->end, next);
    else
        LLVMBuildBr(at, next);
    llvm_drop_builders(c->l, c->l->builders.len - 1);
    return b;
}

void cut_out(Cut *c, int first, int last)
{
    LLVMBasicBlockRef before = c->blocks.at[first].block, end = c->blocks.at[last].block;
    LLVMBasicBlockRef next = LLVMGetSuccessor(LLVMGetBasicBlockTerminator(end), last_way(end));
    Val leave = LLVMGetBasicBlockTerminator(before);
    LLVMBasicBlockRef start = LLVMGetSuccessor(leave, last_way(before));
    bool ends = may_end(c, first, last, next);
    Val fn = add_piece(c);
    LLVMBasicBlockRef call = call_block(c, fn, next, ends);

    LLVMSetSuccessor(leave, last_way(before), call);
    fill_piece(c, fn, first, last, next, ends);
    Bld b = llvm_builder(c->l, c->pieces.at[c->pieces.len - 1].entry);
    LLVMBuildBr(b, start);
    llvm_drop_builders(c->l, c->l->builders.len - 1);
    c->blocks.at[last] = (CutBlock){call, CALL_SIZE, c->pieces.len - 1};
}
