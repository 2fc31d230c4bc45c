/*
 * tensor_memory.c - tensor memory: asking for it, and moving it to registers and back
 *
 * By the PTX ISA, "Tensor Memory": an address is a lane and a column.  `.16x256b` moves 16 lanes of
 * 8 columns for each four registers of a thread, as fragments of a sum of mma.sync have them: a
 * thread has columns 2 * (lane % 4) and the next, of row lane / 4 and of 8 rows below.
 *
 * A chip moves at any time up to tcgen05.wait; here it is done at once.  What one warp moves and a
 * product writes must be in order: the warp has to have waited for the product's commit, and who
 * asks for the product for the warp.
 */
#include <stdlib.h>
#include <string.h>

#include "tensor_memory.h"

enum { ROWS = 16, FRAGMENT = 8, FRAGMENT_REGISTERS = 4, QUAD = 4 };

/* --- asking for it, and giving it back --- */

static TensorMemory *need(Warp *w)
{
    Block *b = w->block;

    if (b->tensor)
        return b->tensor;
    b->tensor = calloc(1, sizeof *b->tensor);
    if (!b->tensor) {
        w->worker->status = SIM_NO_MEMORY;
        w->stop = true;
        return NULL;
    }
    tcgen05_start(b);
    return b->tensor;
}

static bool check_count(Warp *w, uint32_t columns)
{
    if (columns >= TENSOR_LEAST && columns <= TENSOR_COLUMNS && (columns & (columns - 1)) == 0)
        return true;
    fault(w, SIM_CODE, -1, "tcgen05.alloc of %u columns: powers of two from %d to %d may be",
          columns, TENSOR_LEAST, TENSOR_COLUMNS);
    return false;
}

/* tcgen05.alloc [at], columns: the address of the first one goes to shared memory */
void tcgen05_alloc(Warp *w, const Inst *in, uint32_t mask)
{
    uint32_t columns = *OPERAND(w, in, 0, uint32_t);
    uint64_t at[LANES];
    char *host[LANES];

    if (!matrix_whole_warp(w, mask) || !check_count(w, columns))
        return;
    TensorMemory *t = need(w);
    access_addresses(w, &in->at[0], at);
    at[0] = (uint32_t)at[0];
    if (!t || !access_resolve(w, SPACE_SHARED, ACCESS_WRITE, 4, 1, at, host))
        return;
    if (t->columns > 0 || t->relinquished) {
        fault(w, SIM_CODE, -1, "tcgen05.alloc of a program that %s",
              t->columns > 0 ? "has tensor memory" : "has given back its right to");
        return;
    }
    t->columns = (int)columns;
    t->first = TENSOR_COLUMNS - t->columns; /* where a program begins is nobody's business */
    uint32_t first = (uint32_t)t->first;
    memcpy(host[0], &first, sizeof first);
}

void tcgen05_relinquish(Warp *w, const Inst *in, uint32_t mask)
{
    (void)in;
    if (matrix_whole_warp(w, mask) && need(w))
        w->block->tensor->relinquished = true;
}

/* tcgen05.dealloc address, columns */
void tcgen05_dealloc(Warp *w, const Inst *in, uint32_t mask)
{
    uint32_t address = *OPERAND(w, in, 0, uint32_t), columns = *OPERAND(w, in, 1, uint32_t);
    TensorMemory *t = w->block->tensor;

    if (!matrix_whole_warp(w, mask))
        return;
    if (!t || t->columns == 0 || (uint32_t)t->first != address || (uint32_t)t->columns != columns) {
        fault(w, SIM_CODE, -1, "tcgen05.dealloc of %u columns at 0x%x, which the program has not",
              columns, address);
        return;
    }
    t->columns = 0;
}

bool tensor_has(Warp *w, const char *what, uint32_t address, uint32_t columns)
{
    const TensorMemory *t = w->block->tensor;
    uint32_t first = tensor_column(address);

    if (t && t->columns > 0 && first >= (uint32_t)t->first &&
        first + columns <= (uint32_t)(t->first + t->columns))
        return true;
    fault(w, SIM_ACCESS, -1, "%s reaches columns %u to %u of tensor memory; the program has %d%s",
          what, first, first + columns - 1, t ? t->columns : 0,
          t && t->columns > 0 ? " others" : "");
    return false;
}

/* --- to registers and back --- */

/* One address for all lanes, in the warp's own quarter. */
static bool find_place(Warp *w, const Inst *in, uint32_t mask, uint32_t columns, uint32_t *out)
{
    int quarter = w->index % TENSOR_QUARTERS;
    uint64_t at[LANES];

    if (!matrix_whole_warp(w, mask))
        return false;
    access_addresses(w, &in->at[0], at);
    for (int i = 1; i < LANES; i++) {
        if (at[i] != at[0]) {
            fault(w, SIM_SYNC, i, "the lanes of a warp give different addresses of tensor memory");
            return false;
        }
    }
    *out = (uint32_t)at[0];
    uint32_t lane = tensor_lane(*out);
    if (lane % ROWS != 0 || lane / TENSOR_QUARTER != (uint32_t)quarter) {
        fault(w, SIM_ACCESS, -1,
              "a warp reaches lane %u of tensor memory, and of 16 lanes from %d or %d on it may",
              lane, quarter * TENSOR_QUARTER, quarter * TENSOR_QUARTER + ROWS);
        return false;
    }
    return tensor_has(w, "it", *out, columns);
}

/* May this warp touch these columns?  It has then. */
static bool touch(Warp *w, uint32_t first, uint32_t columns)
{
    TensorMemory *t = w->block->tensor;

    for (uint32_t c = first; c < first + columns; c++) {
        if (t->product[c] && !shadow_knows_product(w, t->group[c], t->product[c] - 1)) {
            fault(w, SIM_SYNC, -1,
                  "it touches column %u of tensor memory, which a tcgen05.mma writes that it has "
                  "not waited for",
                  c);
            return false;
        }
        t->touched[w->index % TENSOR_QUARTERS][c] = (TensorTouch){w->clock, w->index};
    }
    return true;
}

/* The cell of a register, counted from the first one that is moved. */
static uint32_t *cell(const Warp *w, uint32_t address, uint32_t lane, int r)
{
    uint32_t row = lane / QUAD + 8 * (uint32_t)(r % FRAGMENT_REGISTERS / 2);
    uint32_t column =
        FRAGMENT * (uint32_t)(r / FRAGMENT_REGISTERS) + lane % QUAD * 2 + (uint32_t)r % 2;

    return &w->block->tensor->cells[tensor_lane(address) + row][tensor_column(address) + column];
}

static void move(Warp *w, const Inst *in, uint32_t mask, bool load)
{
    uint32_t columns = (uint32_t)in->nops / FRAGMENT_REGISTERS * FRAGMENT, address;

    if (!find_place(w, in, mask, columns, &address) || !touch(w, tensor_column(address), columns))
        return;
    for (int r = 0; r < in->nops; r++) {
        uint32_t *lanes = OPERAND(w, in, r, uint32_t);

        for (uint32_t lane = 0; lane < LANES; lane++) {
            if (load)
                lanes[lane] = *cell(w, address, lane, r);
            else
                *cell(w, address, lane, r) = lanes[lane];
        }
    }
}

/* tcgen05.ld registers, [address] */
void tcgen05_ld(Warp *w, const Inst *in, uint32_t mask)
{
    move(w, in, mask, true);
}

/* tcgen05.st [address], registers */
void tcgen05_st(Warp *w, const Inst *in, uint32_t mask)
{
    move(w, in, mask, false);
}
