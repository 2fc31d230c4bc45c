/*
 * cpu_row.c - addresses, and what masks compare, as a first value and steps
 *
 * What follows the inner index evenly (opt/access.c) needs no vector: its value at the first
 * element of the row is computed in front of the inner loop, and what is chunked at the first lane
 * of each vector.  Both are scalars, made of the same ops as the vector would be.
 */
#include "cpu.h"

Access cpu_access(const NestCg *n, Value *v, const int8_t *map)
{
    return access_of(n->nest->space, v, map);
}

bool cpu_depends(const NestCg *n, const Value *v, const int8_t *map)
{
    return access_follows(n->nest->space, v, map);
}

static Ev *recall_row(const NestCg *n, const Value *v, const int8_t *map)
{
    uint64_t key = access_key(v, map);
    Ev *e = cpu_recall(n, MEMO_ROW, key);

    return e ? e : map_get(n->rows, key);
}

bool cpu_row_known(const NestCg *n, const Value *v, const int8_t *map)
{
    return recall_row(n, v, map) != NULL;
}

bool cpu_row_asks(const NestCg *n, Value *v, const int8_t *map, int i, Ask *out)
{
    int8_t in[MAX_RANK];

    if (!cpu_depends(n, v, map)) {
        *out = cpu_ask(ASK_VALUE, v, map);
        return i == 0;
    }
    Value *source = access_renamed(v, map, in);
    int operands = source ? 1 : v->def->noperands;
    if (i < operands)
        *out = cpu_ask(ASK_ROW, source ? source : v->def->operands[i], source ? in : map);
    return i < operands;
}

static Ev find_row(NestCg *n, Value *v, const int8_t *map)
{
    int8_t in[MAX_RANK];
    const Op *op = v->def;
    Val operands[MAX_ELEMENTWISE_OPERANDS];
    Ev out = {0};

    if (!cpu_depends(n, v, map))
        return cpu_eval(n, v, map);
    Value *source = access_renamed(v, map, in);
    if (source)
        return cpu_row(n, source, in);
    if (op->code == OP_arange)
        return (Ev){.v = llvm_int(n->c->l->i32, op->attrs[0])};
    for (int i = 0; i < op->noperands && i < MAX_ELEMENTWISE_OPERANDS; i++) {
        Ev x = cpu_row(n, op->operands[i], map);
        operands[i] = x.v;
        out.level = MAX(out.level, x.level);
        out.local |= x.local;
    }
    out.v = emit_op(&n->c->e, n->at[out.level], op, operands);
    return out;
}

void cpu_row_compute(NestCg *n, Value *v, const int8_t *map)
{
    Ev *e = NEW(n->c->arena, Ev);

    *e = find_row(n, v, map);
    bool lasting = e->level < n->rank && n->segment == SEGMENT_MAIN && !e->local;
    map_put(lasting ? n->rows : n->memo.table[MEMO_ROW], access_key(v, map), e);
}

Ev cpu_row(NestCg *n, Value *v, const int8_t *map)
{
    if (!cpu_row_known(n, v, map))
        cpu_answer(n, cpu_ask(ASK_ROW, v, map));
    return *recall_row(n, v, map);
}

Ev cpu_chunk(NestCg *n, Value *v, const int8_t *map)
{
    bool scalar_lane = n->scalar_lane;

    n->scalar_lane = true;
    Ev first = cpu_eval(n, v, map);
    n->scalar_lane = scalar_lane;
    first.level = n->rank;
    return first;
}

Val cpu_scale(NestCg *n, const Access *a, int *level)
{
    Ev e = cpu_eval(n, (Value *)a->scale, a->scale_map);

    *level = e.level;
    return LLVMBuildIntCast2(n->at[e.level], e.v, n->c->l->i64,
                             dtype_is_signed(a->scale->type->dtype), "");
}
