/*
 * nv_hold.c - words that the assembler is to keep where they are, and to have when it is told
 *
 * It knows a loop's data flow and moves code along it.  What a loop does not change it moves to the
 * front of the loop: moves of words of A into the registers of an instruction, too.  It then takes
 * these for free behind the product (ptxas 13.0): sums of another product get them, and the next
 * round multiplies what they hold.  And loads for the next round it moves to the end of this one.
 * So a branch that is never taken changes such words, as far as it can know: rows that a loop keeps
 * (NvDot.kept) in every round, and what is loaded ahead (NvStep.issued) behind the last of the
 * loads, which must have begun then, as the branch reads what they bring.  A copy of each row in
 * every round keeps them as well, but in twice the registers (attention of 64 rows and columns,
 * causal: 747 us instead of 650 on an H200).
 */
#include "nv_wgmma.h"

enum { MOST_CHANGED = 64 }; /* words, by one branch */

/* --- the branch --- */

static void change(Nv *n, Val **words, int count, bool again)
{
    LLVMTypeRef types[MOST_CHANGED];
    Text text = text_new(n->arena), constraints = text_new(n->arena);
    Val args[MOST_CHANGED + 1];

    text_printf(&text, "{ .reg .pred p; setp.eq.b32 p, $%d, 0; @p bra SAME; %s", 2 * count,
                again ? "AGAIN: " : "");
    for (int i = 0; i < count; i++) {
        if (again)
            text_printf(&text, "add.s32 $%d, $%d, $%d; ", i, i, 2 * count);
        else
            text_printf(&text, "mov.b32 $%d, $%d; ", i, 2 * count);
        text_put(&constraints, "=r,");
        types[i] = n->l->i32;
        args[i] = *words[i];
    }
    text_printf(&text, "%sSAME: }", again ? "setp.ne.b32 p, $0, 0; @p bra AGAIN; " : "");
    for (int i = 0; i < count; i++)
        text_printf(&constraints, "%d,", i);
    text_put(&constraints, "r");
    args[count] = nv_never(n);
    LLVMTypeRef all = LLVMStructTypeInContext(n->l->ctx, types, (unsigned)count, 0);
    Val changed = nv_asm(n, all, text.s, constraints.s, args, count + 1);
    for (int i = 0; i < count; i++)
        *words[i] = LLVMBuildExtractValue(n->b, changed, (unsigned)i, "");
}

void nv_change(Nv *n, Val **words, int count, bool again)
{
    for (int i = 0; i < count; i += MOST_CHANGED)
        change(n, &words[i], MIN(count - i, MOST_CHANGED), again);
}

/* --- rows that a loop keeps --- */

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

const Val *nv_held_rows(Nv *n, const NvStep *s, int count)
{
    const Val *cells = map_get(n->held, MAP_KEY(s));
    Val *words = NEW_N(n->arena, Val, count), **changed = NEW_N(n->arena, Val *, count);

    for (int i = 0; cells && i < count; i++) {
        words[i] = LLVMBuildLoad2(n->b, n->l->i32, cells[i], "");
        changed[i] = &words[i];
    }
    if (cells)
        nv_change(n, changed, count, false);
    for (int i = 0; cells && i < count; i++)
        LLVMBuildStore(n->b, words[i], cells[i]);
    return cells ? words : NULL;
}
