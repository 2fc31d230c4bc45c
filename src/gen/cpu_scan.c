/*
 * cpu_scan.c - inclusive scans, out[i] = x[0] o ... o x[i]
 *
 * Along an outer dimension the running value is the result's own buffer, one row back, and rows
 * are vectors.  Along the inner dimension each vector is scanned in itself, by steps of 1, 2, 4..
 * lanes, and then takes on what the vectors before it left.  Against the direction of the vectors
 * (reverse, along the inner dimension) the nest is serial and goes element by element.  In all
 * three the earlier element is the region's first argument.
 */
#include "cpu.h"

enum { MAX_LANES = 64 };

static bool is_reverse(const Op *op)
{
    return op->attrs[1] != 0;
}

/* In front of the inner loop: where the running values live. */
void cpu_scan_begin(NestCg *n, const Op *op)
{
    for (int k = 0; k < op->noperands; k++)
        n->running[k] = cpu_slot(n->c, cpu_type(n->c, op->operands[k]->type, 0));
}

static void fill(NestCg *n, const Op *op, int k, Val x, bool vec)
{
    const Value *v = op->results[k];
    Ev e = {.v = x, .vec = vec, .level = n->rank};
    cpu_fill(n, plan_buffer(n->c->plan, v), v->type, cpu_identity, e);
}

/* Is this the first element along the axis, in the scan's direction? */
static Val at_first(NestCg *n, const Op *op)
{
    int axis = (int)op->attrs[0];
    int64_t first = is_reverse(op) ? n->nest->dims[axis] - 1 : 0;
    return LLVMBuildICmp(n->at[n->rank], LLVMIntEQ, n->index[axis], llvm_int(n->c->l->i64, first),
                         "");
}

static void serial_step(NestCg *n, const Op *op)
{
    Cpu *c = n->c;
    Bld b = n->at[n->rank];
    int count = op->noperands;
    Val args[2 * MAX_COMBINED], results[MAX_COMBINED], first = at_first(n, op);
    for (int k = 0; k < count; k++) {
        args[count + k] = cpu_eval(n, op->operands[k], cpu_identity).v;
        args[k] = LLVMBuildLoad2(b, LLVMTypeOf(args[count + k]), n->running[k], "");
    }
    cpu_region(c, b, op->regions[0], args, 0, results);
    for (int k = 0; k < count; k++) {
        Val x = LLVMBuildSelect(b, first, args[count + k], results[k], "");
        LLVMBuildStore(b, x, n->running[k]);
        fill(n, op, k, x, false);
    }
}

/* Combine each lane with the one `step` before it; the first `step` lanes stay. */
static void combine_shifted(NestCg *n, const Op *op, Val *x, int step)
{
    Cpu *c = n->c;
    Bld b = n->at[n->rank];
    int count = op->noperands, shift[MAX_LANES];
    Val args[2 * MAX_COMBINED], results[MAX_COMBINED], stays[MAX_LANES];
    for (int i = 0; i < n->lanes; i++) {
        shift[i] = i < step ? 0 : i - step;
        stays[i] = llvm_int(c->l->i1, i < step);
    }
    for (int k = 0; k < count; k++) {
        args[k] = llvm_shuffle(c->l, b, x[k], NULL, n->lanes, shift);
        args[count + k] = x[k];
    }
    cpu_region(c, b, op->regions[0], args, n->lanes, results);
    Val mask = LLVMConstVector(stays, (unsigned)n->lanes);
    for (int k = 0; k < count; k++)
        x[k] = LLVMBuildSelect(b, mask, x[k], results[k], "");
}

static void vector_step(NestCg *n, const Op *op)
{
    Cpu *c = n->c;
    Bld b = n->at[n->rank];
    int count = op->noperands;
    Val x[MAX_COMBINED], args[2 * MAX_COMBINED], results[MAX_COMBINED], first = at_first(n, op);
    for (int k = 0; k < count; k++)
        x[k] = cpu_vectorise(n, cpu_eval(n, op->operands[k], cpu_identity));
    for (int step = 1; step < n->lanes; step *= 2)
        combine_shifted(n, op, x, step);
    for (int k = 0; k < count; k++) {
        LLVMTypeRef t = cpu_type(c, op->operands[k]->type, 0);
        args[k] = llvm_splat(b, LLVMBuildLoad2(b, t, n->running[k], ""), n->lanes);
        args[count + k] = x[k];
    }
    cpu_region(c, b, op->regions[0], args, n->lanes, results);
    for (int k = 0; k < count; k++) {
        Val y = LLVMBuildSelect(b, first, x[k], results[k], "");
        LLVMBuildStore(b, llvm_slice(c->l, b, y, n->lanes - 1, 1), n->running[k]);
        fill(n, op, k, y, true);
    }
}

/* A row of an outer scan: the result one row before, or this row itself at the start. */
static void row_step(NestCg *n, const Op *op)
{
    Cpu *c = n->c;
    Bld b = n->at[n->rank];
    int count = op->noperands, axis = (int)op->attrs[0];
    Val args[2 * MAX_COMBINED], results[MAX_COMBINED];
    Val first = at_first(n, op), here = n->index[axis];
    Val back = LLVMBuildAdd(b, here, llvm_int(c->l->i64, is_reverse(op) ? 1 : -1), "");
    for (int k = 0; k < count; k++)
        args[count + k] = cpu_vectorise(n, cpu_eval(n, op->operands[k], cpu_identity));
    n->index[axis] = LLVMBuildSelect(b, first, here, back, "");
    int level = n->level_of_dim[axis];
    n->level_of_dim[axis] = n->rank; /* this index is made in the body */
    for (int k = 0; k < count; k++) {
        const Value *v = op->results[k];
        Ev old = cpu_eval_buffer(n, plan_buffer(c->plan, v), cpu_identity, v->type);
        args[k] = cpu_vectorise(n, old);
    }
    n->level_of_dim[axis] = level;
    n->index[axis] = here;
    cpu_region(c, b, op->regions[0], args, n->lanes, results);
    for (int k = 0; k < count; k++)
        fill(n, op, k, LLVMBuildSelect(b, first, args[count + k], results[k], ""), true);
}

void cpu_scan_body(NestCg *n, const Op *op)
{
    if (n->nest->serial)
        serial_step(n, op);
    else if (op->attrs[0] == n->inner)
        vector_step(n, op);
    else
        row_step(n, op);
}
