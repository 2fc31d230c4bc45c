/*
 * tensor_memory.h - the memory of the unit for products: 128 lanes of 512 columns of 4 bytes
 *
 * Sums of tcgen05.mma lie there.  A warp reaches the lanes of its quarter, by its number within its
 * group of four.  A program asks for columns and gives them back.
 */
#ifndef TILEC_SIM_TENSOR_MEMORY_H
#define TILEC_SIM_TENSOR_MEMORY_H

#include "execute.h"

enum { TENSOR_LANES = 128, TENSOR_QUARTERS = 4, TENSOR_COLUMNS = 512, TENSOR_LEAST = 32 };
enum { TENSOR_QUARTER = TENSOR_LANES / TENSOR_QUARTERS };

/* Who moved something there last, in a quarter of a column; time 0: nobody. */
typedef struct {
    uint32_t time; /* by the warp's clock */
    int warp;
} TensorTouch;

struct TensorMemory {
    uint32_t cells[TENSOR_LANES][TENSOR_COLUMNS];
    int first, columns; /* that the program has; no columns: none */
    bool relinquished;  /* it may ask for no more */
    TensorTouch touched[TENSOR_QUARTERS][TENSOR_COLUMNS];
    /* of the last product that writes a column: its number and 1, 0: there is none; its group */
    uint32_t product[TENSOR_COLUMNS];
    int group[TENSOR_COLUMNS];
};

/* Columns of an address, which lie at the bits below its lane. */
static inline uint32_t tensor_column(uint32_t address)
{
    return address & 0xffff;
}
static inline uint32_t tensor_lane(uint32_t address)
{
    return address >> 16;
}
/* Does the program have these columns?  False after a fault, which says that `what` reaches them.
 */
bool tensor_has(Warp *w, const char *what, uint32_t address, uint32_t columns);

#endif
