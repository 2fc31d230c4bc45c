/*
 * cpu_made.c - what entries have given, and where a body stands
 */
#include "cpu.h"

Ev cpu_made(const NestCg *n, int entry)
{
    const Entry *e = &n->nest->schedule->entries.at[entry];

    return (Ev){.v = n->made[entry].value, .vec = e->vector, .level = e->level};
}

Val cpu_input(const NestCg *n, const Entry *e, int i)
{
    return e->in[i] == NO_ENTRY ? NULL : n->made[e->in[i]].value;
}

Val cpu_vectorise(NestCg *n, Ev e)
{
    if (e.vec || n->nest->serial)
        return e.v;
    return llvm_splat(n->at[e.level], e.v, n->lanes);
}

Val cpu_turned(const NestCg *n, Val v)
{
    int lanes[MAX_LANES];

    for (int i = 0; i < n->lanes; i++)
        lanes[i] = n->lanes - 1 - i;
    return llvm_shuffle(n->c->l, n->at[n->rank], v, NULL, n->lanes, lanes);
}

Val cpu_lanes(NestCg *n, const Entry *e, int i)
{
    return cpu_vectorise(n, cpu_made(n, e->in[i]));
}

Val cpu_at_first(const NestCg *n, int axis, bool backwards)
{
    int step = axis == n->inner ? n->lanes : 1;
    int64_t first = backwards ? (n->nest->dims[axis] - 1) / step * step : 0;

    return LLVMBuildICmp(n->at[n->rank], LLVMIntEQ, n->index[axis], llvm_int(n->c->l->i64, first),
                         "");
}
