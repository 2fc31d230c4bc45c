/*
 * extents.c - symbols of values: of constants, and of the extents of tiles
 *
 * They stand beside the type, which is one for all tiles of these numbers.  Whoever makes a
 * constant or a shape says what its numbers were called; from there on build_op() hands the
 * symbols of extents from operands to results, so that passes need not think of it.  Where an op
 * regroups dimensions, or two names meet in one op, symbols are dropped.
 */
#include <math.h>

#include "ir.h"

/* --- asking --- */

const Symbol *value_extent(const Value *v, int d)
{
    return v->extents ? v->extents[d] : NULL;
}

/* Is it the number of these bits? */
static bool is_number_of(const Symbol *s, const Type *t, uint64_t bits)
{
    SymbolValue n = s->value;

    if (t->pointer || t->handle != HANDLE_NONE)
        return false;
    if (dtype_is_float(t->dtype))
        return scalar_from_double(t->dtype, symbol_to_double(n)) == bits;
    if (n.kind == SYMBOL_IS_FLOAT)
        return (t->dtype == DT_I1 ? n.real != 0 : scalar_from_double(t->dtype, trunc(n.real))) ==
               bits;
    return scalar_truncate(t->dtype, (uint64_t)n.integer) == bits;
}

static bool is_extent_of(const Symbol *s, int32_t extent)
{
    return s->value.kind != SYMBOL_IS_FLOAT && s->value.integer == extent;
}

/* The constant of the module that a name in it means is not there, or another. */
static bool is_bound(const Module *m, const Symbol *s)
{
    if (!s || s->code == SYMBOL_NUMBER)
        return true;
    if (s->code != SYMBOL_NAME)
        return is_bound(m, s->operands[0]) && is_bound(m, s->operands[1]);
    const Symbol *c = module_constexpr(m, s->name);
    return c && symbol_same(c, s);
}

const Symbol *value_wrong_symbol(const Module *m, const Value *v)
{
    const Symbol *s = v->number;
    bool constant = v->def && v->def->code == OP_const && v->def->nattrs == 1;

    if (s &&
        (!constant || !is_bound(m, s) || !is_number_of(s, v->type, (uint64_t)v->def->attrs[0])))
        return s;
    for (int d = 0; d < v->type->rank; d++) {
        s = value_extent(v, d);
        if (s && (!is_bound(m, s) || !is_extent_of(s, v->type->dims[d])))
            return s;
    }
    return NULL;
}

/* --- saying --- */

const Symbol *module_constexpr(const Module *m, Sym name)
{
    for (int i = 0; i < m->constexprs.len; i++) {
        if (m->constexprs.at[i]->name == name)
            return m->constexprs.at[i];
    }
    return NULL;
}

const Symbol *module_bind(Module *m, Sym name, SymbolValue value)
{
    const Symbol *s = module_constexpr(m, name);

    if (s)
        return s->value.kind == value.kind && symbol_value_equal(s->value, value) ? s : NULL;
    s = symbol_of_name(m->arena, name, value);
    if (s)
        vec_push(m->arena, &m->constexprs, s);
    return s;
}

void value_name_number(Value *v, const Symbol *s)
{
    bool constant = v->def && v->def->code == OP_const;

    if (s && constant && is_number_of(s, v->type, (uint64_t)v->def->attrs[0]))
        v->number = s;
}

static const Symbol **new_extents(Module *m, const Value *v)
{
    const Symbol **extents = NEW_N(m->arena, const Symbol *, v->type->rank);

    for (int d = 0; d < v->type->rank; d++)
        extents[d] = value_extent(v, d);
    return extents;
}

void value_name_extents(Module *m, Value *v, const Symbol *const *names)
{
    const Symbol **extents = NULL;

    for (int d = 0; d < v->type->rank; d++) {
        if (!names[d] || value_extent(v, d) || !is_extent_of(names[d], v->type->dims[d]))
            continue;
        extents = extents ? extents : new_extents(m, v);
        extents[d] = names[d];
    }
    if (extents)
        v->extents = extents;
}

void value_shaped_like(Module *m, Value *v, const Value *like)
{
    if (v->extents == like->extents || !like->extents || !type_same_shape(v->type, like->type))
        return;
    if (v->extents)
        value_name_extents(m, v, like->extents);
    else
        v->extents = like->extents;
}

void value_symbols_meet(Module *m, Value *v, const Value *other)
{
    const Symbol **extents = NULL;

    if (v->number && !symbol_same(v->number, other->number))
        v->number = NULL;
    for (int d = 0; v->extents != other->extents && d < v->type->rank; d++) {
        const Symbol *a = value_extent(v, d), *b = value_extent(other, d);

        if (!a || !b || symbol_same(a, b))
            continue;
        extents = extents ? extents : new_extents(m, v);
        extents[d] = NULL;
    }
    if (extents)
        v->extents = extents;
}

/* --- from operands to results --- */

/* Of dimensions whose elements are those of one dimension of the operand, in one order. */
static void follow_move(Module *m, const Op *op)
{
    const Symbol *names[MAX_RANK] = {NULL};
    const Value *x = op->operands[0];
    Move move;

    if (!op_move(op, &move))
        return;
    for (int d = 0; d < x->type->rank; d++) {
        if (move.follows[d] >= 0)
            names[move.follows[d]] = value_extent(x, d);
    }
    value_name_extents(m, op->results[0], names);
}

/* Of a reduction the axis is gone; a scan keeps it. */
static void follow_combine(Module *m, const Op *op)
{
    const Symbol *names[MAX_RANK] = {NULL};
    int axis = (int)attr_axis(op);

    for (int i = 0; i < op->nresults; i++) {
        bool keeps = type_same_shape(op->results[i]->type, op->operands[i]->type);

        for (int d = 0; d < op->results[i]->type->rank; d++)
            names[d] = value_extent(op->operands[i], keeps || d < axis ? d : d + 1);
        value_name_extents(m, op->results[i], names);
    }
}

static void follow_dot(Module *m, const Op *op)
{
    const Symbol *names[MAX_RANK] = {NULL};
    int last = op->results[0]->type->rank - 1;

    for (int d = 0; d < last; d++)
        names[d] = value_extent(op->operands[0], d);
    names[last] = value_extent(op->operands[1], last);
    value_shaped_like(m, op->results[0], op->operands[2]);
    value_name_extents(m, op->results[0], names);
}

static void follow_loop(Module *m, const Op *op)
{
    for (int i = 0; i < op->nresults && FOR_BOUNDS + i < op->noperands; i++)
        value_shaped_like(m, op->results[i], op->operands[FOR_BOUNDS + i]);
}

/* All that have one shape name it together. */
static void follow_shape(Module *m, const Op *op)
{
    for (int r = 0; r < op->nresults; r++) {
        for (int i = 0; i < op->noperands; i++)
            value_shaped_like(m, op->results[r], op->operands[i]);
    }
}

void extents_follow(Module *m, const Op *op)
{
    if (op_has(op, MOVES)) {
        follow_move(m, op);
        return;
    }
    if (op_has(op, COMBINES)) {
        follow_combine(m, op);
        return;
    }
    switch (op->code) {
    case OP_dot:
        follow_dot(m, op);
        return;
    case OP_gather: /* in the shape of the places */
        value_shaped_like(m, op->results[0], op->operands[GATHER_INDEX]);
        return;
    case OP_for:
        follow_loop(m, op);
        return;
    case OP_while:
    case OP_call:
    case OP_if:
    case OP_histogram:
        return;
    default:
        follow_shape(m, op);
    }
}
