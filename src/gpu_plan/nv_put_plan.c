/*
 * nv_put_plan.c - tiles in shared memory: where their elements lie, and who brings them there
 *
 * A tile in shared memory is all of the tile, in memory form, padding included, which is zero
 * there.  Whoever reads it chooses the layout in memory, so that neither side meets conflicts in
 * the banks.  nv_put.c carries it out.
 */
#include "nv_plan.h"

NvTile *nv_shared_tile(NvPlan *p, const Value *v, const SharedLayout *memory)
{
    NvValue *facts = nv_value(p, v);

    for (int i = 0; i < facts->tiles.len; i++) {
        NvTile *t = facts->tiles.at[i];
        if (t->buffer != NV_NO_BUFFER && !t->whole && shared_equal(&t->memory, memory))
            return t;
    }
    NvTile *t = NEW(p->arena, NvTile);
    *t = (NvTile){.id = p->tiles.len, .value = v, .memory = *memory};
    t->buffer = nv_buffer(p, shared_bytes(memory));
    vec_push(p->arena, &p->tiles, t);
    vec_push(p->arena, &facts->tiles, t);
    return t;
}

/* The bit of the register's number that moves just that bit of the coordinate; -1: none. */
static int register_bit(const Layout *l, uint32_t unit)
{
    for (int i = 0; i < l->nreg; i++) {
        if (l->reg[i] == unit)
            return i;
    }
    return -1;
}

int nv_shared_vector(const Layout *l, const SharedLayout *memory, int8_t regs[MAX_VECTOR_BITS])
{
    int n = 0, most = layout_bits_of(NV_ACCESS_BYTES / memory->bytes);

    for (; n < most && n < memory->nbits; n++) {
        int reg = register_bit(l, memory->coordinate[n]);
        if (reg < 0)
            break;
        regs[n] = (int8_t)reg;
    }
    return n;
}

NvPut nv_put_of(const Layout *from, const SharedLayout *to)
{
    NvPut put = {0};
    Inverse inverse;

    put.nvector = nv_shared_vector(from, to, put.regs);
    layout_invert(from, &inverse);
    put.copies = layout_thread(from, inverse.copies);
    return put;
}

void nv_list_put(NvPlan *p, const NvTile *from, const NvTile *to)
{
    NvStep *s = nv_step_between(p, NV_PUT, from, to);
    NvPut *put = NEW(p->arena, NvPut);

    *put = nv_put_of(from->layout, &to->memory);
    put->fence = to->by_unit;
    s->detail = put;
    nv_use(p, s, to->buffer, true, false);
    nv_list(p, s);
}
