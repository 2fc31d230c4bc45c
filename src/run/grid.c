/* grid.c - how many programs a grid has */
#include "run.h"

int64_t grid_programs(const int32_t grid[3])
{
    int64_t total = 1;

    if (grid[0] < 0 || grid[1] < 0 || grid[2] < 0)
        return -1;
    for (int i = 0; i < 3; i++) {
        if (__builtin_mul_overflow(total, (int64_t)grid[i], &total))
            return grid[0] == 0 || grid[1] == 0 || grid[2] == 0 ? 0 : -1;
    }
    return total < INT64_C(1) << 62 ? total : -1;
}
