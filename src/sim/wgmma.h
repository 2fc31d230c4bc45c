/*
 * wgmma.h - what the files of wgmma share
 */
#ifndef TILEC_SIM_WGMMA_H
#define TILEC_SIM_WGMMA_H

#include "execute.h"

enum { WGMMA_ROWS = 16, WGMMA_MOST_K = 32, WGMMA_MOST_COLUMNS = 256, CHUNK = 16 };

/* The operands of a wgmma.mma_async, as indices of Inst.op.  Registers with the result come first.
 */
typedef struct {
    int results;         /* registers with the result */
    int a, b;            /* the first register of A, or its descriptor; B's descriptor */
    bool a_in_registers; /* four of them */
    bool a_across;       /* transposed in shared memory: */
    bool b_across;       /* elements of a column of A, or a row of B, lie side by side */
    bool negative;       /* products are subtracted */
    int k;
} ProductShape;

static inline int wgmma_results(const Inst *in)
{
    return in->columns / (in->type[0] == PTX_F16 ? 4 : 2);
}

/* wgmma_check.c: may the warp ask for it, as far as its registers go?  False after a fault, else it
 * has them from here on. */
bool wgmma_take_registers(Warp *w, const Inst *in, const ProductShape *s);

/* wgmma_operand.c */
ProductShape wgmma_shape(const Warp *w, const Inst *in);
/* Where the 16 bytes lie that have, of an operand as its descriptor says, elements of line `line`
 * and its part `part`.  A line is a row of A or a column of B, and its parts go along k; if
 * `across`, it is one k, and its parts go along rows or columns. */
uint32_t wgmma_chunk(uint64_t descriptor, bool across, uint32_t line, uint32_t part);
/* Of 16 rows of A and of B so many columns, all along K; into d. */
void wgmma_multiply_rows(int k, int columns, double a[WGMMA_ROWS][WGMMA_MOST_K],
                         double b[WGMMA_MOST_K][WGMMA_MOST_COLUMNS],
                         double d[WGMMA_ROWS][WGMMA_MOST_COLUMNS]);
/* Do it for the four warps of a group; `first` is the first one. */
void wgmma_multiply(Warp *first, const Product *p);

#endif
