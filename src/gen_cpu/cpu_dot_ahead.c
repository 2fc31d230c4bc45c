/*
 * cpu_dot_ahead.c - ask for operands of the next rounds while those of this one are multiplied
 *
 * Of an operand that several programs come back to, the tiles of the next rounds are in the slots
 * behind this one's (plan_keep.c), and in the last round those of the program that most likely
 * comes next.  The second cache is asked for them: behind a slot nothing is in the way that lies in
 * the same places of it, as rows of a matrix do.
 *
 * Several lines at once would wait for each other, so a product asks for a few in front of each of
 * its blocks; where these are few, in each step along k.
 */
#include "cpu.h"

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

static void begin(Dot *d, int operand, int64_t blocks, int64_t steps)
{
    Cpu *c = d->c;
    Asking *asking = &d->asking[operand];
    int buffer = buffer_of(d, operand);
    int64_t slot = c->plan->buffers.at[buffer].slot, pieces = slot / (PIECE * LINE);
    Val at = cpu_buffer_start(c, c->b, buffer), behind = cpu_keep_behind(c, buffer);

    asking->in_block = rounded_up(pieces, blocks);
    asking->in_step = 0;
    if (asking->in_block > MOST_IN_BLOCK) {
        asking->in_step = rounded_up(pieces, blocks * steps);
        asking->in_block = 0;
    }
    asking->slot = cpu_slot(c, c->l->ptr);
    LLVMBuildStore(c->b, LLVMBuildGEP2(c->b, c->l->i8, at, &behind, 1, ""), asking->slot);
}

void cpu_dot_ahead_begin(Dot *d, int64_t blocks, int64_t steps)
{
    for (int i = 0; i < COUNT(d->asking); i++) {
        if (d->plan.asks[i])
            begin(d, i, blocks, steps);
    }
}

static void ask(Dot *d, const Asking *asking, int count)
{
    Cpu *c = d->c;
    Val size = llvm_int(c->l->i64, (int64_t)count * PIECE * LINE);

    if (count == 0)
        return;
    Val at = LLVMBuildLoad2(c->b, c->l->ptr, asking->slot, "");
    for (int i = 0; i < count * PIECE; i++)
        cpu_prefetch_line(c, c->b, at, i * LINE, LEVEL);
    LLVMBuildStore(c->b, LLVMBuildGEP2(c->b, c->l->i8, at, &size, 1, ""), asking->slot);
}

void cpu_dot_ahead_block(Dot *d)
{
    for (int i = 0; i < COUNT(d->asking); i++)
        ask(d, &d->asking[i], d->asking[i].in_block);
}

void cpu_dot_ahead_step(Dot *d)
{
    for (int i = 0; i < COUNT(d->asking); i++)
        ask(d, &d->asking[i], d->asking[i].in_step);
}
