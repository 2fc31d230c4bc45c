/*
 * nv_registers.c - how many registers a multiprocessor has for a thread of groups of warps
 */
#include "nv_dot.h"

enum { GROUP = 1 << WGMMA_WARP_BITS, MOST = 240 };

int nv_quarter_registers(const NvPlan *p)
{
    return p->chip->registers / NV_QUARTERS >> p->chip->lane_bits;
}

int nv_ring_registers(const NvPlan *p)
{
    int each = (nv_quarter_registers(p) - NV_PRODUCER_REGISTERS) / (p->warps / GROUP);

    return MIN(each / NV_REGISTER_UNIT * NV_REGISTER_UNIT, MOST);
}
