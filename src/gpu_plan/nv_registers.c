/*
 * nv_registers.c - how many registers a multiprocessor has for a thread of groups of warps
 */
#include "nv_dot.h"

enum { GROUP = 1 << WGMMA_WARP_BITS, MOST = 240 };

int nv_quarter_registers(const NvPlan *p)
{
    return p->chip->registers / NV_QUARTERS >> p->chip->lane_bits;
}

/* A warp of each group lives in a quarter. */
int nv_launched_registers(const NvPlan *p)
{
    int each = nv_quarter_registers(p) / (p->warps / GROUP + 1);

    return each / NV_REGISTER_UNIT * NV_REGISTER_UNIT;
}

int nv_ring_registers(const NvPlan *p)
{
    int groups = p->warps / GROUP, all = nv_launched_registers(p) * (groups + 1);
    int each = (all - NV_PRODUCER_REGISTERS) / groups;

    return MIN(each / NV_REGISTER_UNIT * NV_REGISTER_UNIT, MOST);
}
