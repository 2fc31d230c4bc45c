/*
 * cpu_code.c - what all files of the CPU target call, and which itself calls none of them
 *
 * Places for code and data, counted loops; what a body of a nest has computed, and where it stands.
 */
#include "cpu.h"

Val cpu_slot(Cpu *c, LLVMTypeRef t)
{
    return LLVMBuildAlloca(c->entry, t, "");
}

Val cpu_buffer(Cpu *c, Bld b, int buffer)
{
    Val offset = llvm_int(c->l->i64, c->plan->buffers.at[buffer].offset);

    return LLVMBuildGEP2(b, c->l->i8, c->scratch, &offset, 1, "");
}

LLVMBasicBlockRef cpu_block(Cpu *c)
{
    return LLVMAppendBasicBlockInContext(c->l->ctx, c->fn, "");
}

Loop cpu_loop_begin(Cpu *c)
{
    Loop l = {.before = LLVMGetInsertBlock(c->b), .head = cpu_block(c)};

    LLVMBuildBr(c->b, l.head);
    LLVMPositionBuilderAtEnd(c->b, l.head);
    l.index = LLVMBuildPhi(c->b, c->l->i64, "");
    return l;
}

void cpu_loop_end(Cpu *c, const Loop *l, int64_t limit, int64_t step)
{
    LLVMBasicBlockRef latch = LLVMGetInsertBlock(c->b), exit = cpu_block(c);
    Val next = LLVMBuildAdd(c->b, l->index, llvm_int(c->l->i64, step), "");
    Val more = LLVMBuildICmp(c->b, LLVMIntSLT, next, llvm_int(c->l->i64, limit), "");

    LLVMBuildCondBr(c->b, more, l->head, exit);
    LLVMAddIncoming(l->index, (Val[]){llvm_int(c->l->i64, 0), next},
                    (LLVMBasicBlockRef[]){l->before, latch}, 2);
    LLVMPositionBuilderAtEnd(c->b, exit);
}

/* --- nests --------------------------------------------------------------------------------- */

Memo cpu_memo_new(Arena *a)
{
    Memo m = {.under = NULL};

    for (int i = 0; i < MEMO_TABLES; i++)
        m.table[i] = map_new(a);
    return m;
}

void *cpu_recall(const NestCg *n, MemoTable table, uint64_t key)
{
    void *found = NULL;

    for (const Memo *m = &n->memo; m && !found; m = m->under)
        found = map_get(m->table[table], key);
    return found;
}

Ask cpu_ask(AskKind kind, Value *v, const int8_t *map)
{
    Ask a = {.kind = kind, .value = v};

    for (int d = 0; d < v->type->rank; d++)
        a.map[d] = map[d];
    return a;
}

Val cpu_vectorise(NestCg *n, Ev e)
{
    if (e.vec || n->nest->serial)
        return e.v;
    return llvm_splat(n->at[e.level], e.v, n->lanes);
}

bool cpu_bound_known(const NestCg *n, const Value *v, const int8_t *map, bool uniform_too,
                     Known *out)
{
    if (!n->in_body || n->segment == SEGMENT_MIXED)
        return false;
    for (int i = 0; i < n->cuts.len; i++) {
        const Bound *b = &n->nest->bounds.at[i];
        if (!plan_same_place(b, v, map) || (b->kind == BOUND_ROW && !uniform_too) ||
            (b->kind == BOUND_OR && n->segment == SEGMENT_DEAD))
            continue;
        *out = n->segment == SEGMENT_MAIN ? KNOWN_TRUE : KNOWN_FALSE;
        return true;
    }
    return false;
}

Val cpu_at_first(const NestCg *n, int axis, bool backwards)
{
    int step = axis == n->inner ? n->lanes : 1;
    int64_t first = backwards ? (n->nest->dims[axis] - 1) / step * step : 0;

    return LLVMBuildICmp(n->at[n->rank], LLVMIntEQ, n->index[axis], llvm_int(n->c->l->i64, first),
                         "");
}
