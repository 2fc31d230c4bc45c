/*
 * help.c - small questions and edits that several passes share
 */
#include <string.h>

#include "opt.h"

bool opt_inside(const Block *b, const Op *op)
{
    for (; b && b->owner; b = b->owner->block) {
        if (b->owner == op)
            return true;
    }
    return false;
}

bool opt_is_int(const Value *v)
{
    return !v->type->pointer && dtype_is_int(v->type->dtype);
}

Op *opt_made_by(const Value *v, OpCode code)
{
    return v->def && v->def->code == code ? v->def : NULL;
}

bool opt_is_loop(const Op *op)
{
    return op->code == OP_for || op->code == OP_while;
}

bool opt_in_loop(const Block *b)
{
    for (; b->owner; b = b->owner->block) {
        if (opt_is_loop(b->owner))
            return true;
    }
    return false;
}

bool opt_is_index(const Value *v, int axis)
{
    const int count = v->type->dims[axis];

    for (const Op *op; (op = v->def) != NULL; v = op->operands[0]) {
        if (op->code == OP_arange)
            return axis == 0 && attr_start(op) == 0 && v->type->dims[0] == count;
        if (op->code == OP_expand && attr_axis(op) != axis)
            axis -= attr_axis(op) < axis;
        else if (op->code != OP_broadcast || op->operands[0]->type->dims[axis] == 1)
            return false;
    }
    return false;
}

bool opt_commutes(const Op *op)
{
    switch (op->code) {
    case OP_min:
    case OP_max:
    case OP_minnan:
    case OP_maxnan:
        return opt_is_int(op->operands[0]);
    default:
        return op_has(op, COMMUTES);
    }
}

Op *opt_last(const Block *b)
{
    if (!b->last || !op_has(b->last, ENDS))
        bug("a block of %s has no terminator", b->func->name);
    return b->last;
}

bool opt_is_uniform(const Value *v)
{
    return type_is_tile(v->type) && v->def &&
           (v->def->code == OP_splat || v->def->code == OP_const);
}

Value *opt_uniform_scalar(Builder *b, Value *v)
{
    if (!type_is_tile(v->type))
        return v;
    if (v->def->code == OP_splat)
        return v->def->operands[0];
    return build_const(b, type_element(b->module, v->type), (uint64_t)attr_bits(v->def));
}

Op *opt_splice(Block *from, Op *before)
{
    Op *first = before;

    for (Op *op = from->first, *next; op && !op_has(op, ENDS); op = next) {
        next = op->next;
        op_insert_before(op, before);
        if (first == before)
            first = op;
    }
    return first;
}

bool opt_trip_count(const Op *loop, uint64_t *trips)
{
    int64_t lo, hi, step;

    if (!value_const_signed(loop->operands[FOR_LO], &lo) ||
        !value_const_signed(loop->operands[FOR_HI], &hi) ||
        !value_const_signed(loop->operands[FOR_STEP], &step) || step == 0)
        return false;
    if (step > 0 ? lo >= hi : lo <= hi) {
        *trips = 0;
        return true;
    }
    uint64_t distance = step > 0 ? (uint64_t)hi - (uint64_t)lo : (uint64_t)lo - (uint64_t)hi;
    uint64_t stride = step > 0 ? (uint64_t)step : -(uint64_t)step;
    *trips = (distance - 1) / stride + 1;
    return true;
}

int opt_count_ops(const Block *b)
{
    int n = 0;

    for (const Op *op = b->first; op; op = op->next) {
        n++;
        for (int r = 0; r < COUNT(op->regions); r++)
            n += op->regions[r] ? opt_count_ops(op->regions[r]) : 0;
    }
    return n;
}

static void resolve(Op *op, void *ctx)
{
    (void)ctx;
    ir_resolve_operands(op);
}

void opt_resolve_all(Block *b)
{
    ir_walk(b, resolve, NULL);
}

/* Elements along the axis combined by this op. */
Value *opt_reduce_along(Builder *b, OpCode how, Value *v, int axis)
{
    Op *op = build_reduce(b, 1, &v, axis);
    Builder in = builder_into(b, op->regions[0]);
    Value *both = build_binary(&in, how, op->regions[0]->args[0], op->regions[0]->args[1]);
    build_yield(&in, OP_yield, 1, &both);
    return op->results[0];
}

Value *opt_reduce_all(Builder *b, OpCode how, Value *v)
{
    while (v->type->rank > 0)
        v = opt_reduce_along(b, how, v, v->type->rank - 1);
    return v;
}

Value *opt_numbers(Builder *b, const Type *shape)
{
    const Type *t = type_with_dtype(b->module, shape, DT_I32);
    Value *sum = NULL;
    int64_t pitch = 1;

    for (int d = t->rank - 1; d >= 0; d--) {
        Value *v = build_arange(b, 0, t->dims[d]);
        if (pitch > 1)
            v = build_binary(b, OP_mul, v, build_int(b, v->type, pitch));
        for (int k = 0; k < t->rank; k++) {
            if (k != d)
                v = build_expand(b, v, k);
        }
        v = t->rank > 1 ? build_broadcast(b, v, t) : v;
        sum = sum ? build_binary(b, OP_add, sum, v) : v;
        pitch *= t->dims[d];
    }
    return sum;
}

Op *opt_carry_more(Op *loop, int n, Value *const *init, Value *const *next, Value **out)
{
    int before = loop->nresults, all = before + n;
    Value *operands[FOR_BOUNDS + all], *ends[all];
    const Type *types[all];
    Block *body = loop->regions[0];
    Op *yield = opt_last(body);
    Builder b = builder_before(loop);

    memcpy(operands, loop->operands, sizeof *operands * (size_t)(FOR_BOUNDS + before));
    for (int i = 0; i < all; i++) {
        operands[FOR_BOUNDS + i] = i < before ? loop->operands[FOR_BOUNDS + i] : init[i - before];
        types[i] = operands[FOR_BOUNDS + i]->type;
        ends[i] = i < before ? yield->operands[i] : next[i - before];
    }
    Op *wide =
        build_op(&b, OP_for, FOR_BOUNDS + all, operands, loop->nattrs, loop->attrs, all, types);
    Block *to = wide->regions[0];
    for (int i = 0; i < body->nargs; i++) {
        body->args[i]->repl = block_add_arg(to, body->args[i]->type);
        body->args[i]->repl->name = body->args[i]->name;
    }
    for (int i = 0; i < n; i++) {
        out[i] = block_add_arg(to, types[before + i]);
        out[i]->name = init[i]->name;
    }
    op_remove(yield);
    while (body->first)
        op_append(to, body->first);
    b = builder_into(&b, to);
    build_yield(&b, OP_yield, all, ends);
    for (int i = 0; i < before; i++) {
        loop->results[i]->repl = wide->results[i];
        wide->results[i]->name = loop->results[i]->name;
    }
    op_remove(loop);
    return wide;
}

Value *opt_load_like(Builder *b, const Op *load, Value *pointer, Value *mask, Value *other)
{
    Op *copy = build_load(b, pointer, mask, other);

    for (int i = 0; i < load->nattrs; i++)
        copy->attrs[i] = load->attrs[i];
    copy->span = load->span;
    copy->site = load->site;
    copy->mark = load->mark;
    copy->results[0]->name = load->results[0]->name;
    return copy->results[0];
}
