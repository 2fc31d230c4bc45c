/*
 * cpu_dot_ahead.c - ask for operands of the next rounds while those of this one are multiplied
 *
 * Of an operand that several programs come back to, the tiles of the next rounds are in the slots
 * behind this one's (plan_keep.c), and in the last round those of the program that most likely
 * comes next.  The second cache is asked for them: behind a slot nothing is in the way that lies in
 * the same places of it, as rows of a matrix do.
 *
 * Where a round has read its tile from memory, so will the next one: its rows are as far from these
 * as these are from those of the round before.  The nest that reads them notes where it is
 * (plan_ahead.c).  One jump to another place, as where a program begins, is no reason to look
 * elsewhere; two of the same length are.
 *
 * Several lines at once would wait for each other, so a product asks for a few in front of each of
 * its blocks; where these are few, in each step along k.
 */
#include "cpu_dot.h"

enum { LINE = 64, PIECE = 4 /* lines */, MOST_IN_BLOCK = 8 /* pieces */, LEVEL = 2 };

/* What the product reads of an operand. */
static int buffer_of(const Dot *d, int operand)
{
    return operand == DOT_B && d->plan.packed != NO_BUFFER ? d->plan.packed : d->buffer[operand];
}

static int rounded_up(int64_t n, int64_t parts)
{
    return (int)((n + parts - 1) / parts);
}

/* --- rows of memory --- */

/* A stack slot that begins with 0. */
static Val noted(Cpu *c)
{
    Val slot = cpu_slot(c, c->l->i64);

    LLVMBuildStore(c->entry, llvm_int(c->l->i64, 0), slot);
    return slot;
}

static SourceRows *rows_of(Cpu *c, int buffer)
{
    SourceRows *s = &c->sources[buffer];
    Val *all[] = {&s->last, &s->pitch, &s->first, &s->jump, &s->steps};

    if (s->last)
        return s;
    for (int i = 0; i < COUNT(all); i++)
        *all[i] = noted(c);
    return s;
}

void cpu_dot_note_row(Cpu *c, Bld b, int buffer, Val row, Val step)
{
    const SourceRows *s = rows_of(c, buffer);

    LLVMBuildStore(b, row, s->last);
    LLVMBuildStore(b, step, s->pitch);
}

static Val get(Cpu *c, Val slot)
{
    return LLVMBuildLoad2(c->b, c->l->i64, slot, "");
}

static Val choose(Cpu *c, Val condition, Val x, Val y)
{
    return LLVMBuildSelect(c->b, condition, x, y, "");
}

/* How far it is to the next product's rows, from `first` on; where nothing was read, nothing is
 * learned. */
static Val learn_step(Cpu *c, const SourceRows *s, Val is_read, Val first)
{
    Val jump = get(c, s->jump), steps = get(c, s->steps);
    Val now = LLVMBuildSub(c->b, first, get(c, s->first), "");
    Val again = LLVMBuildAnd(c->b, is_read, LLVMBuildICmp(c->b, LLVMIntEQ, now, jump, ""), "");

    steps = choose(c, again, now, steps);
    LLVMBuildStore(c->b, steps, s->steps);
    LLVMBuildStore(c->b, choose(c, is_read, now, jump), s->jump);
    LLVMBuildStore(c->b, choose(c, is_read, first, get(c, s->first)), s->first);
    return steps;
}

/* Those of the next product, where this one's operand was read. */
static void ask_for_rows(Dot *d, int operand, Asking *asking)
{
    Cpu *c = d->c;
    LLVMTypeRef i64 = c->l->i64;
    const SourceRows *s = rows_of(c, d->buffer[operand]);
    Val last = get(c, s->last), pitch = get(c, s->pitch);
    Val is_read = LLVMBuildIsNotNull(c->b, last, "");
    Val back = LLVMBuildMul(c->b, pitch, llvm_int(i64, asking->rows - 1), "");
    Val first = LLVMBuildSub(c->b, last, back, "");

    asking->tile =
        LLVMBuildSDiv(c->b, learn_step(c, s, is_read, first), llvm_int(i64, d->plan.rounds), "");
    asking->base = LLVMBuildAdd(c->b, first, asking->tile, "");
    asking->pitch = pitch;
    asking->when = is_read;
    LLVMBuildStore(c->b, llvm_int(i64, 0), s->last);
}

/* A few pieces in front of each block, or as few lines as will do in each step. */
static void share_out_rows(const Dot *d, int operand, Asking *asking, int64_t blocks, int64_t steps)
{
    int lines = MAX(d->plan.from[operand].bytes / LINE, 1);
    int64_t rows = (int64_t)d->plan.rounds * d->plan.from[operand].rows;

    asking->rows = d->plan.from[operand].rows;
    asking->lines = MIN(lines, PIECE);
    asking->in_row = rounded_up(lines, asking->lines);
    asking->in_block = rounded_up(rows * asking->in_row, blocks);
    if (asking->in_block <= MOST_IN_BLOCK)
        return;
    asking->lines = MIN(rounded_up(rows * lines, blocks * steps), asking->lines);
    asking->in_row = rounded_up(lines, asking->lines);
    asking->in_step = rounded_up(rows * asking->in_row, blocks * steps);
    asking->in_block = 0;
}

/* --- slots --- */

/* What is in the one behind this round's, where that was not filled just now. */
static void ask_for_slot(Dot *d, int operand, Asking *asking, const Asking *rows)
{
    Cpu *c = d->c;
    int buffer = buffer_of(d, operand);
    Val at = LLVMBuildPtrToInt(c->b, cpu_buffer_start(c, c->b, buffer), c->l->i64, "");

    asking->base = LLVMBuildAdd(c->b, at, cpu_keep_behind(c, buffer), "");
    if (rows->when)
        asking->when = LLVMBuildNot(c->b, rows->when, "");
}

static void share_out_slot(const Dot *d, int operand, Asking *asking, int64_t blocks, int64_t steps)
{
    int64_t slot = d->c->plan->buffers.at[buffer_of(d, operand)].slot, pieces = slot / PIECE / LINE;

    asking->lines = PIECE;
    asking->in_block = rounded_up(pieces, blocks);
    if (asking->in_block <= MOST_IN_BLOCK)
        return;
    asking->in_step = rounded_up(pieces, blocks * steps);
    asking->in_block = 0;
}

/* --- asking --- */

static void begin(Dot *d, int operand, int64_t blocks, int64_t steps)
{
    Cpu *c = d->c;
    Asking *rows = &d->asking[operand][0], *slot = &d->asking[operand][1];

    if (d->plan.from[operand].rows > 0) {
        share_out_rows(d, operand, rows, blocks, steps);
        ask_for_rows(d, operand, rows);
    }
    if (d->plan.asks[operand]) {
        share_out_slot(d, operand, slot, blocks, steps);
        ask_for_slot(d, operand, slot, rows);
    }
    for (int i = 0; i < COUNT(d->asking[operand]); i++) {
        Asking *asking = &d->asking[operand][i];
        if (!asking->base)
            continue;
        asking->next = cpu_slot(c, c->l->i64);
        LLVMBuildStore(c->b, llvm_int(c->l->i64, 0), asking->next);
    }
}

void cpu_dot_ahead_begin(Dot *d, int64_t blocks, int64_t steps)
{
    for (int i = 0; i < COUNT(d->asking); i++)
        begin(d, i, blocks, steps);
}

/* Bytes from `base` to a piece. */
static Val distance(Cpu *c, const Asking *asking, Val number)
{
    LLVMTypeRef i64 = c->l->i64;
    Val size = llvm_int(i64, asking->lines * LINE);

    if (asking->rows == 0)
        return LLVMBuildMul(c->b, number, size, "");
    Val in_row = llvm_int(i64, asking->in_row), rows = llvm_int(i64, asking->rows);
    Val row = LLVMBuildUDiv(c->b, number, in_row, ""), tile = LLVMBuildUDiv(c->b, row, rows, "");
    Val at = LLVMBuildMul(c->b, LLVMBuildURem(c->b, number, in_row, ""), size, "");
    Val down = LLVMBuildMul(c->b, LLVMBuildURem(c->b, row, rows, ""), asking->pitch, "");
    Val on = LLVMBuildMul(c->b, tile, asking->tile, "");
    return LLVMBuildAdd(c->b, at, LLVMBuildAdd(c->b, down, on, ""), "");
}

static void ask_for_piece(Cpu *c, const Asking *asking, Val number)
{
    Val at = LLVMBuildAdd(c->b, asking->base, distance(c, asking, number), "");
    Val line = LLVMBuildIntToPtr(c->b, at, c->l->ptr, "");

    for (int i = 0; i < asking->lines; i++)
        cpu_prefetch_line(c, c->b, line, i * LINE, LEVEL);
    if (asking->rows > 0) /* which begin within a line */
        cpu_prefetch_line(c, c->b, line, asking->lines * LINE - 1, LEVEL);
}

static void ask(Cpu *c, const Asking *asking, int count)
{
    LLVMBasicBlockRef some = cpu_block(c), after = cpu_block(c);

    if (asking->when)
        LLVMBuildCondBr(c->b, asking->when, some, after);
    else
        LLVMBuildBr(c->b, some);
    LLVMPositionBuilderAtEnd(c->b, some);
    Val next = get(c, asking->next);
    for (int i = 0; i < count; i++)
        ask_for_piece(c, asking, LLVMBuildAdd(c->b, next, llvm_int(c->l->i64, i), ""));
    LLVMBuildStore(c->b, LLVMBuildAdd(c->b, next, llvm_int(c->l->i64, count), ""), asking->next);
    LLVMBuildBr(c->b, after);
    LLVMPositionBuilderAtEnd(c->b, after);
}

static void ask_all(Dot *d, bool in_step)
{
    for (int i = 0; i < COUNT(d->asking); i++) {
        for (int k = 0; k < COUNT(d->asking[i]); k++) {
            const Asking *asking = &d->asking[i][k];
            int count = in_step ? asking->in_step : asking->in_block;
            if (count > 0)
                ask(d->c, asking, count);
        }
    }
}

void cpu_dot_ahead_block(Dot *d)
{
    ask_all(d, false);
}

void cpu_dot_ahead_step(Dot *d)
{
    ask_all(d, true);
}
