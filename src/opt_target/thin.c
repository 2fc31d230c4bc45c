/*
 * thin.c - products of which one side is a single row or column become sums of products
 *
 * Takes and gives verified IR, for targets that multiply tiles in memory.  Each element of the
 * other side is multiplied once, so nothing is gained by laying it out for a product: it would be
 * copied only to be read once more.  As a tile that is reduced it is read where it is, in the order
 * in which it lies, by whichever loops suit that:
 *
 *     dot(a[1,K], b[K,N], acc)   ->   acc + expand(reduce(permute(b) * broadcast(a), axis 1), 0)
 *     dot(a[M,K], b[K,1], acc)   ->   acc + expand(reduce(a * broadcast(permute(b)), axis 1), 1)
 *
 * and so behind leading dimensions.  The single row is along the last dimension in both: so it is
 * kept where it is far-fetched (plan_order.c).  All is multiplied and added up in the type that
 * products are, and rounded once to the accumulator's; the order in which a dot adds is unspecified
 * (semantics R262).
 */
#include "opt_target.h"

enum { A, B, ACC };

/* Which operand is the single row, or column; -1: none, or it is a matrix. */
static int thin_operand(const Op *op)
{
    const Type *a, *b;

    if (op->code != OP_dot)
        return -1;
    a = op->operands[A]->type;
    b = op->operands[B]->type;
    if (a->dims[a->rank - 2] == 1)
        return A;
    return b->dims[b->rank - 1] == 1 ? B : -1;
}

static DType type_of_sum(const Op *dot)
{
    DType t = dot->operands[A]->type->dtype;

    return dtype_is_int(t) ? DT_I32 : t == DT_FP64 ? DT_FP64 : DT_FP32;
}

/* The last two dimensions change places. */
static Value *transposed(Builder *b, Value *v)
{
    int dims[MAX_RANK], rank = v->type->rank;

    for (int d = 0; d < rank; d++)
        dims[d] = d;
    dims[rank - 2] = rank - 1;
    dims[rank - 1] = rank - 2;
    return build_permute(b, v, dims);
}

static Value *converted(Builder *b, Value *v, DType t)
{
    return v->type->dtype == t ? v : build_cast(b, v, t, ROUND_NEAREST);
}

static void add_up(Op *dot, int thin)
{
    Builder b = builder_before(dot);
    DType sum = type_of_sum(dot);
    Value *tile = dot->operands[A], *line = dot->operands[thin];

    if (thin == A)
        tile = transposed(&b, dot->operands[B]);
    else
        line = transposed(&b, line);
    tile = converted(&b, tile, sum);
    line = build_broadcast(&b, converted(&b, line, sum), tile->type);
    int last = tile->type->rank - 1;
    Value *all = build_reduce_along(&b, OP_add, build_binary(&b, OP_mul, tile, line), last);
    all = build_expand(&b, all, thin == A ? last - 1 : last);
    all = build_binary(&b, OP_add, converted(&b, dot->operands[ACC], sum), all);
    all = converted(&b, all, dot->results[0]->type->dtype);
    all->name = dot->results[0]->name;
    dot->results[0]->repl = all;
}

static void visit(Op *op, void *unused)
{
    int thin = thin_operand(op);

    (void)unused;
    if (thin < 0)
        return;
    add_up(op, thin);
    op_remove(op);
}

void opt_thin(Func *f)
{
    ir_walk(f->body, visit, NULL);
    opt_resolve_all(f->body);
}
