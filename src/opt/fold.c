/*
 * fold.c - compute at compile time what can be, and simplify what need not be as it is
 *
 * Takes and gives verified IR; leaves dead ops for dce.  One walk in program order: when an op is
 * reached its operands are settled, so whole chains collapse in one pass.  This file holds the
 * walk and what all elementwise ops share; fold_algebra.c, fold_cast.c, fold_shape.c,
 * fold_memory.c and fold_control.c hold the rules by kind of op.
 *
 * Results never change, floats included: there is no reassociation, no x+0 and no x*0 on them,
 * and constants go through scalar_apply(), which the interpreter uses too.  Payloads of NaN aside:
 * x*1 is x, also where the multiplication would make a signalling NaN quiet.
 *
 * Two rules carry most of the weight.  An elementwise op on uniform tiles (splats, constants)
 * becomes a scalar op and one splat: work for a whole tile becomes work for one number.  And an
 * op on broadcasts of one small tile is done on the small tile and broadcast after.
 */
#include "fold.h"

static Value *simplify_op(Op *op);

Value *fold_new(Op *at, OpCode code, int n, Value *const *operands, int nattrs,
                const int64_t *attrs, const Type *given)
{
    Builder b = builder_before(at);
    Op *op = build_op(&b, code, n, operands, nattrs, attrs, 1, given ? &given : NULL);
    Value *better = simplify_op(op);

    if (!better)
        return op->results[0];
    op_remove(op);
    return better;
}

Value *fold_unary(Op *at, OpCode code, Value *x, const Type *given)
{
    return fold_new(at, code, 1, &x, 0, NULL, given);
}

Value *fold_binary(Op *at, OpCode code, Value *x, Value *y)
{
    return fold_new(at, code, 2, (Value *[]){x, y}, 0, NULL, NULL);
}

Value *fold_const(Op *at, const Type *t, uint64_t bits)
{
    Builder b = builder_before(at);

    return build_const(&b, t, bits);
}

bool fold_is_const(const Value *v, int64_t want)
{
    uint64_t bits;

    return opt_is_int(v) && value_constant(v, &bits) &&
           bits == scalar_truncate(v->type->dtype, (uint64_t)want);
}

static Value *fold_constants(Op *op)
{
    const Type *t = op->results[0]->type;
    uint64_t bits[MAX_ELEMENTWISE_OPERANDS] = {0}, result = 0;
    const void *sources[MAX_ELEMENTWISE_OPERANDS] = {&bits[0], &bits[1], &bits[2]};

    if (!op_has(op, FOLDS) || t->pointer)
        return NULL;
    if (op->code == OP_ldexp && op->operands[1]->type->dtype != DT_I32)
        return NULL;
    for (int i = 0; i < op->noperands; i++) {
        if (op->operands[i]->type->pointer || !value_constant(op->operands[i], &bits[i]))
            return NULL;
    }
    DType in = op->operands[op->code == OP_select ? 1 : 0]->type->dtype;
    if (!scalar_apply(op->code, op->attrs, in, t->dtype, sources, &result, 1))
        return NULL;
    return fold_const(op, t, result);
}

/* Hints say something about the shape they stand on, so they are not carried to another. */
static bool is_tile_arithmetic(const Op *op)
{
    return op_is_elementwise(op) && op->code != OP_hint && type_is_tile(op->results[0]->type);
}

Value *fold_uniform(Op *op)
{
    const Type *t = op->results[0]->type;
    Value *scalars[MAX_ELEMENTWISE_OPERANDS];
    Builder b = builder_before(op);

    for (int i = 0; i < op->noperands; i++) {
        if (!opt_is_uniform(op->operands[i]))
            return NULL;
    }
    for (int i = 0; i < op->noperands; i++)
        scalars[i] = opt_uniform_scalar(&b, op->operands[i]);
    Value *x = fold_new(op, op->code, op->noperands, scalars, op->nattrs, op->attrs,
                        type_element(b.module, t));
    return fold_unary(op, OP_splat, x, t);
}

/* The one shape that all operands but the uniform ones are broadcast from, or NULL. */
static const Type *shape_before_broadcast(const Op *op)
{
    const Type *small = NULL;

    for (int i = 0; i < op->noperands; i++) {
        const Value *v = op->operands[i];
        if (opt_is_uniform(v))
            continue;
        if (!v->def || v->def->code != OP_broadcast)
            return NULL;
        const Type *t = v->def->operands[0]->type;
        if (small && !type_same_shape(small, t))
            return NULL;
        small = t;
    }
    return small;
}

static Value *narrow_broadcasts(Op *op)
{
    const Type *t = op->results[0]->type, *small;
    Value *narrow[MAX_ELEMENTWISE_OPERANDS];
    Builder b = builder_before(op);

    if (!is_tile_arithmetic(op) || !(small = shape_before_broadcast(op)))
        return NULL;
    for (int i = 0; i < op->noperands; i++) {
        Value *v = op->operands[i];
        narrow[i] = opt_is_uniform(v) ? fold_unary(op, OP_splat, opt_uniform_scalar(&b, v),
                                                   type_with_shape(b.module, v->type, small))
                                      : v->def->operands[0];
    }
    Value *x = fold_new(op, op->code, op->noperands, narrow, op->nattrs, op->attrs,
                        type_with_shape(b.module, t, small));
    return fold_unary(op, OP_broadcast, x, t);
}

/* The value to use in place of op's only result, or NULL. */
static Value *simplify_op(Op *op)
{
    Value *v;

    if (op->nresults != 1)
        return NULL;
    if (op->code == OP_load)
        return fold_load(op);
    if (op->code == OP_hint && attr_hint_kind(op) == HINT_WITHIN)
        return op->operands[0]; /* whoever checks has looked at it */
    if (!op_has(op, PURE))
        return NULL;
    if ((v = fold_constants(op)) ||
        (is_tile_arithmetic(op) && ((v = fold_uniform(op)) || (v = fold_choice(op)))) ||
        (v = fold_algebra(op)) || (v = fold_compare(op)) || (v = fold_cast(op)) ||
        (v = fold_shape(op)) || (v = narrow_broadcasts(op)))
        return v;
    return NULL;
}

static void fold_block(Block *b);

/* Ops without a result that may turn into another op, or none. */
static void fold_effect(Op *op)
{
    if (fold_write(op) != op)
        op_remove(op);
}

/* Fold one op that has no regions. */
static void fold_plain(Op *op)
{
    Value *v = simplify_op(op);

    if (!v) {
        if (op_has(op, WRITES | EFFECT))
            fold_effect(op);
        return;
    }
    if (!v->name)
        v->name = op->results[0]->name;
    op->results[0]->repl = v;
    op_remove(op);
}

/* Fold an op with regions, inside too.  Gives the op to go on with. */
static Op *fold_nested(Op *op)
{
    Op *next = op->next, *go_on = fold_control_before(op);

    if (go_on != op)
        return go_on;
    for (int r = 0; r < COUNT(op->regions); r++) {
        if (op->regions[r])
            fold_block(op->regions[r]);
    }
    if (fold_control_after(op) || fold_reduction(op))
        op_remove(op);
    return next;
}

static void fold_block(Block *b)
{
    for (Op *op = b->first, *next; op; op = next) {
        next = op->next;
        ir_resolve_operands(op);
        if (op->regions[0])
            next = fold_nested(op);
        else
            fold_plain(op);
    }
}

void opt_fold(Func *f)
{
    fold_block(f->body);
}
