/*
 * legalise_tile.c - gather and histogram in terms of comparisons and reductions
 *
 * Takes and gives verified IR.  Needs nothing.  A tile gets one more dimension, a comparison of
 * indices marks the elements that are meant along it, and a reduction brings them together: every
 * element is looked at for each one of the result.
 */
#include "opt.h"

/* n copies of v along a new dimension at `axis`. */
static Value *repeat_along(Builder *b, Value *v, int axis, int32_t n)
{
    v = build_expand(b, v, axis);
    Type shape = *v->type;
    shape.dims[axis] = n;
    return build_broadcast(b, v, type_of(b->module, shape));
}

/* 0, 1, 2... along `axis`, as i64 in that shape. */
static Value *indices(Builder *b, const Type *shape, int axis)
{
    Value *v = build_cast(b, build_arange(b, 0, shape->dims[axis]), DT_I64, ROUND_NEAREST);

    for (int d = 0; d < shape->rank; d++) {
        if (d != axis)
            v = build_expand(b, v, d);
    }
    return build_broadcast(b, v, shape);
}

/* Is there a tile of the operand's elements, each n times?  Else a diagnostic. */
static bool has_room(Diags *d, const Op *op, int64_t n)
{
    const Type *t = op->operands[0]->type;

    if (t->rank < MAX_RANK && type_numel(t) * n <= MAX_TILE)
        return true;
    ir_diag(
        d, DIAG_ERROR, op,
        "this compares %lld elements with %lld places; %lld comparisons is the most, of tiles of "
        "%d dimensions",
        (long long)type_numel(t), (long long)n, (long long)MAX_TILE, MAX_RANK - 1);
    return false;
}

static DType bits_of(DType t)
{
    if (!dtype_is_float(t))
        return t;
    return dtype_bits(t) == 8    ? DT_U8
           : dtype_bits(t) == 16 ? DT_U16
           : dtype_bits(t) == 32 ? DT_U32
                                 : DT_U64;
}

/* Where an index is outside of the tile no element is marked, which gives 0. */
static void expand_gather(Op *op, Diags *d)
{
    Builder b = builder_before(op);
    Value *v = op->operands[GATHER_SOURCE], *at = op->operands[GATHER_INDEX];
    int axis = (int)attr_axis(op);
    DType t = v->type->dtype;

    if (!has_room(d, op, at->type->dims[axis]))
        return;
    int32_t n = v->type->dims[axis];
    v = repeat_along(&b, build_bitcast(&b, v, bits_of(t)), axis, at->type->dims[axis]);
    at = repeat_along(&b, build_cast(&b, at, DT_I64, ROUND_NEAREST), axis + 1, n);
    Value *here = build_binary(&b, OP_eq, at, indices(&b, v->type, axis + 1));
    v = build_select(&b, here, v, build_const(&b, v->type, 0));
    v = opt_reduce(&b, OP_or, v, axis + 1);
    op->results[0]->repl = build_bitcast(&b, v, t);
    op->results[0]->repl->name = op->results[0]->name;
    op_remove(op);
}

static void expand_histogram(Op *op, Diags *d)
{
    Builder b = builder_before(op);
    Value *v = op->operands[HISTOGRAM_VALUES];
    int32_t bins = op->results[0]->type->dims[0];

    if (!has_room(d, op, bins))
        return;
    v = repeat_along(&b, build_cast(&b, v, DT_I64, ROUND_NEAREST), 1, bins);
    Value *hit = build_binary(&b, OP_eq, v, indices(&b, v->type, 1));
    if (op->noperands > HISTOGRAM_MASK)
        hit =
            build_binary(&b, OP_and, hit, repeat_along(&b, op->operands[HISTOGRAM_MASK], 1, bins));
    v = opt_reduce(&b, OP_add, build_cast(&b, hit, DT_I32, ROUND_NEAREST), 0);
    op->results[0]->repl = v;
    v->name = op->results[0]->name;
    op_remove(op);
}

static void expand_tile_op(Op *op, void *diags)
{
    ir_resolve_operands(op);
    if (op->code == OP_gather)
        expand_gather(op, diags);
    else if (op->code == OP_histogram)
        expand_histogram(op, diags);
}

void opt_expand_gathers(Module *m, Diags *d)
{
    for (int i = 0; i < m->nfuncs; i++) {
        ir_walk(m->funcs[i]->body, expand_tile_op, d);
        opt_resolve_all(m->funcs[i]->body);
    }
}
