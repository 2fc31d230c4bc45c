/*
 * help.c - small questions and edits that several passes share
 */
#include <string.h>

#include "opt.h"
#include "../ir/analysis.h"

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

bool opt_stores_apart(const Func *f, Arena *a)
{
    const PointerBases *bases = ir_pointer_bases(f, a);
    uint64_t stored = 0, loaded = 0;

    for (const Op *op = f->body->first; op; op = op->next) {
        if (op->code == OP_load)
            loaded |= ir_bases_of(bases, op->operands[LOAD_PTR]);
        if (op->code != OP_store)
            continue;
        uint64_t own = ir_bases_of(bases, op->operands[STORE_PTR]);
        if (stored & own)
            return false;
        stored |= own;
    }
    return stored != 0 && (stored & loaded) == 0;
}
