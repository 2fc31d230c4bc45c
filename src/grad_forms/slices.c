/*
 * slices.c - parts of a tile from a known place on, which Triton does not have: elements and
 * columns become sums of one element each, longer parts gathers, which have gradients
 *
 *     v[3]        sum(where(arange(0, n) == 3, v, 0.0))
 *     v[n // 2:]  gather(v, arange(n // 2, n), 0)
 */
#include "forms.h"

/* Numbers from `start` on along the axis, in this shape. */
static Value *numbers_along(Builder *b, const Type *shape, int axis, int32_t start)
{
    Value *v = build_arange(b, start, start + shape->dims[axis]);

    for (int d = 0; d < shape->rank; d++)
        v = d == axis ? v : build_expand(b, v, d);
    return build_broadcast(b, v, type_with_dtype(b->module, shape, DT_I32));
}

static Value *element(Builder *b, Value *x, int axis, int64_t at)
{
    Value *numbers = numbers_along(b, x->type, axis, 0);
    Value *mask = build_binary(b, OP_eq, numbers, build_int(b, numbers->type, at));
    Value *none = build_const(b, x->type, 0);

    value_shaped_like(b->module, none, x);
    Value *sum = build_reduce_along(b, OP_add, build_select(b, mask, x, none), axis);
    return build_expand(b, sum, axis);
}

static Value *several(Builder *b, Value *x, int axis, int64_t from, int32_t count)
{
    int32_t dims[MAX_RANK];
    const int64_t along = axis;

    for (int d = 0; d < x->type->rank; d++)
        dims[d] = d == axis ? count : x->type->dims[d];
    const Type *type = type_tile(b->module, x->type->dtype, x->type->rank, dims);
    Value *operands[2] = {x, numbers_along(b, type, axis, (int32_t)from)};
    return build_op(b, OP_gather, 2, operands, 1, &along, 1, &type)->results[0];
}

static void replace(Op *op, void *unused)
{
    int n;

    (void)unused;
    if (op->code != OP_slice || op->results[0]->type->pointer ||
        op->results[0]->type->dtype == DT_I1)
        return;
    Builder b = builder_before(op);
    const int64_t *starts = attr_starts(op, &n);
    const int32_t *dims = op->results[0]->type->dims;
    Value *x = op->operands[0];
    for (int d = 0; d < n; d++) {
        if (dims[d] == x->type->dims[d])
            continue;
        x = dims[d] == 1 ? element(&b, x, d, starts[d]) : several(&b, x, d, starts[d], dims[d]);
    }
    if (!x->name)
        x->name = op->results[0]->name;
    op->results[0]->repl = x;
}

void forms_take_slices(Func *f)
{
    ir_walk(f->body, replace, NULL);
    opt_resolve_all(f->body);
}
