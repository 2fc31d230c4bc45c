/*
 * nv_hold.c - rows of A that a loop does not change, in registers (NvDot.kept)
 *
 * What a loop does not change the assembler moves to the front of it: moves of words into the
 * registers of an instruction, too.  It then takes these for free behind the product (ptxas 13.0
 * and 13.1 of the drivers): sums of another product get them, and the next round multiplies what
 * they hold.  So each round changes the words, as far as the assembler can know: by a move under a
 * condition that is never met.  A copy in every round keeps them as well, but in twice the
 * registers (attention of 64 rows and columns, causal: 747 us instead of 650 on an H200).
 */
#include "nv_wgmma.h"

enum { MOST_CHANGED = 64 }; /* words, by one branch */

/* Behind what makes a word, and behind all phis where that is one. */
static void go_behind(Nv *n, Val word)
{
    Val next = LLVMGetNextInstruction(word);

    while (next && LLVMIsAPHINode(next))
        next = LLVMGetNextInstruction(next);
    LLVMPositionBuilder(n->b, LLVMGetInstructionParent(word), next);
}

/* What holds a word from its definition on, for all loops. */
static Val cell_of(Nv *n, Val word)
{
    Val cell = map_get(n->held, MAP_KEY(word));

    if (cell)
        return cell;
    cell = nv_new_cell(n);
    map_put(n->held, MAP_KEY(word), cell);
    LLVMBasicBlockRef now = nv_at_head(n);
    if (LLVMIsAInstruction(word))
        go_behind(n, word);
    LLVMBuildStore(n->b, word, cell);
    nv_leave_head(n, now);
    return cell;
}

/* In front of the loop. */
static void hold(Nv *n, const NvStep *s)
{
    int count;
    const Val *words = nv_wgmma_rows(n, s, &count);
    Val *cells = NEW_N(n->arena, Val, count);

    for (int i = 0; i < count; i++)
        cells[i] = cell_of(n, words[i]);
    map_put(n->held, MAP_KEY(s), cells);
}

static void hold_in(Nv *n, const NvBlock *b, const Op *loop)
{
    for (int i = 0; b && i < b->steps.len; i++) {
        const NvStep *s = b->steps.at[i];
        if (s->kind == NV_DOT && ((const NvDot *)s->detail)->kept == loop)
            hold(n, s);
        hold_in(n, s->body[0], loop);
        hold_in(n, s->body[1], loop);
    }
}

void nv_hold_rows(Nv *n, const NvStep *loop)
{
    if (nv_never(n))
        hold_in(n, loop->body[0], loop->op);
}

/* Words of this round: by a branch that is never taken, as the assembler makes selections of moves
 * under a condition, whose results it has elsewhere. */
static void change(Nv *n, const Val *cells, int count, Val *words)
{
    LLVMTypeRef t = n->l->i32, types[MOST_CHANGED];
    Text text = text_new(n->arena), constraints = text_new(n->arena);
    Val args[MOST_CHANGED + 1];

    text_printf(&text, "{ .reg .pred p; setp.eq.b32 p, $%d, 0; @p bra SAME; ", 2 * count);
    for (int i = 0; i < count; i++) {
        text_printf(&text, "mov.b32 $%d, $%d; ", i, 2 * count);
        text_put(&constraints, "=r,");
        types[i] = t;
        args[i] = LLVMBuildLoad2(n->b, t, cells[i], "");
    }
    text_put(&text, "SAME: }");
    for (int i = 0; i < count; i++)
        text_printf(&constraints, "%d,", i);
    text_put(&constraints, "r");
    args[count] = nv_never(n);
    Val changed = nv_asm(n, LLVMStructTypeInContext(n->l->ctx, types, (unsigned)count, 0), text.s,
                         constraints.s, args, count + 1);
    for (int i = 0; i < count; i++) {
        words[i] = LLVMBuildExtractValue(n->b, changed, (unsigned)i, "");
        LLVMBuildStore(n->b, words[i], cells[i]);
    }
}

const Val *nv_held_rows(Nv *n, const NvStep *s, int count)
{
    const Val *cells = map_get(n->held, MAP_KEY(s));
    Val *words = NEW_N(n->arena, Val, count);

    for (int i = 0; cells && i < count; i += MOST_CHANGED)
        change(n, &cells[i], MIN(count - i, MOST_CHANGED), &words[i]);
    return cells ? words : NULL;
}
