/*
 * moved.c - what a tap hands on, computed for lanes of other numbers, and gathered
 *
 * A value is made once more with the numbers of lanes that it is made of less by the tap's shift.
 * That is another lane's value where no op between looks at more than one lane along a side that
 * is shifted, and where the number is all that is known of lane and program: program * BLOCK +
 * lane.
 */
#include <string.h>

#include "../opt/opt.h"
#include "gather.h"
#include "windows.h"

enum { KNOWS = 1, KNOWS_NOT };

/* Does it depend on which program it is, along these axes?  `told` keeps what is known of values.
 */
static bool knows_program(unsigned axes, const Value *v, Map *told)
{
    const uintptr_t known = (uintptr_t)map_get(told, MAP_KEY(v));
    const Op *op = v->def;
    bool knows = false;

    if (known)
        return known == KNOWS;
    if (!op)
        knows = v->block->owner && !window_is_counter(v);
    else if (op->code == OP_program_id)
        knows = axes >> attr_axis(op) & 1;
    else if (op->regions[0] && !op_has(op, COMBINES))
        knows = true;
    for (int i = 0; op && i < op->noperands && !knows; i++)
        knows = knows_program(axes, op->operands[i], told);
    map_put(told, MAP_KEY(v), (void *)(uintptr_t)(knows ? KNOWS : KNOWS_NOT));
    return knows;
}

static bool is_same_for_programs(const Mover *m, const Value *v)
{
    return m->axes == 0 || !knows_program(m->axes, v, m->know_axes);
}

/* A copy of the op with these operands. */
static Value *with_operands(Mover *m, const Op *op, Value *const *operands)
{
    Map *to = map_new(m->g->arena);

    for (int i = 0; i < op->noperands; i++)
        map_put(to, MAP_KEY(op->operands[i]), operands[i]);
    return op_clone(&m->g->b, op, to)->results[0];
}

static Value *copied(Mover *m, Value *v)
{
    const Op *op = v->def;
    Value *operands[MAX_RANK];

    if (!op || op->nresults != 1 || op->noperands > MAX_RANK ||
        (op->regions[0] && !op_has(op, COMBINES)))
        return NULL;
    for (int i = 0; i < op->noperands; i++) {
        operands[i] = window_here(m, op->operands[i]);
        if (!operands[i])
            return NULL;
    }
    return m->builds ? with_operands(m, op, operands) : v;
}

Value *window_here(Mover *m, Value *v)
{
    Value *known = map_get(m->inside, MAP_KEY(v));

    if (known || !v->block->owner)
        return known ? known : v;
    return copied(m, v);
}

/* Does it depend on which row the program is, if rows are shifted? */
static bool knows_row(const Mover *m, const Value *v)
{
    return m->rows != 0 && knows_program(m->rows, v, m->know_rows);
}

static bool moves(const Mover *m, const Value *v, const int8_t *sides)
{
    if (knows_row(m, v))
        return true;
    for (int d = 0; d < v->type->rank; d++) {
        if (sides[d] >= 0 && window_is_shifted(m->tap, sides[d]))
            return true;
    }
    return false;
}

static bool is_program(const Mover *m, const PolyAtom *a)
{
    const Op *op = a->value ? a->value->def : NULL;

    return op && op->code == OP_program_id && m->axes >> attr_axis(op) & 1;
}

/* The axis of the grid that the number goes on along, of a lane or of a program; -1: none. */
static int axis_behind(const Mover *m, const PolyAtom *a)
{
    if (is_program(m, a))
        return (int)attr_axis(a->value->def);
    int axis = a->value ? -1 : m->tap->sides[a->key].axis;
    return axis >= 0 && m->axes >> axis & 1 ? axis : -1;
}

static PolyTerm without(const PolyTerm *t, int factor)
{
    PolyTerm rest = *t;

    rest.scale = 1;
    rest.count--;
    memmove(&rest.of[factor], &rest.of[factor + 1],
            sizeof rest.of[0] * (size_t)(rest.count - factor));
    return rest;
}

/* Does the polynomial have, for this factor, a lane's number, the program's times the count of
 * lanes, and the other way round? */
static bool has_twin(const Mover *m, const Poly *p, const PolyTerm *t, int factor)
{
    const PolyAtom *a = &t->of[factor];
    const PolyTerm rest = without(t, factor);

    for (int i = 0; i < p->count; i++) {
        const PolyTerm *other = &p->terms[i];
        for (int k = 0; k < other->count && other->count == t->count; k++) {
            const PolyAtom *b = &other->of[k], *lane = a->value ? b : a;
            const PolyTerm left = without(other, k);
            PolyTerm quotient;

            if (axis_behind(m, b) != axis_behind(m, a) || !a->value == !b->value)
                continue;
            int64_t count = m->tap->sides[lane->key].count;
            if (poly_divide(&left, &rest, &quotient) && quotient.count == 0 &&
                (a->value ? t->scale == other->scale * count : other->scale == t->scale * count))
                return true;
        }
    }
    return false;
}

/* Does the number of a lane or program stand in it other than as program * count + lane? */
static bool is_torn(const Mover *m, const Poly *p)
{
    for (int i = 0; i < p->count; i++) {
        for (int k = 0; k < p->terms[i].count; k++) {
            const PolyAtom *a = &p->terms[i].of[k];

            if (is_program(m, a) && m->rows >> attr_axis(a->value->def) & 1)
                continue;
            if (axis_behind(m, a) >= 0 ? !has_twin(m, p, &p->terms[i], k)
                                       : a->value && !is_same_for_programs(m, a->value))
                return true;
        }
    }
    return false;
}

/* Is the integer made of program * count + lane alone, where sides are shifted? */
static bool is_whole(const Mover *m, const Value *v, const int8_t *sides)
{
    PolyScope scope = {0};
    Poly p;

    return (v->type->pointer || dtype_is_int(v->type->dtype)) && v->type->dtype != DT_I1 &&
           poly_of(&scope, v, sides, &p) && !is_torn(m, &p);
}

static Value *moved(Mover *m, Value *v, const int8_t *sides, bool whole);

static Value *shifted_lanes(Mover *m, Value *v, int side)
{
    const bool steps = m->tap->sides[side].step.count > 0;
    if (m->tap->sides[side].division || (m->places && steps) ||
        (m->alone && window_is_shifted(m->tap, side)))
        return NULL; /* they are known as numbers, or not at all */
    if (!m->builds || !m->shifts[side])
        return v;
    Value *shift = build_splat(&m->g->b, m->shifts[side], v->type);
    return build_binary(&m->g->b, OP_add, window_here(m, v), shift);
}

static Value *shifted_row(Mover *m, Value *program)
{
    for (int d = m->tap->op->operands[0]->type->rank; d < m->tap->nsides && m->builds; d++) {
        if (m->tap->sides[d].axis == attr_axis(program->def) && !m->tap->sides[d].division)
            return build_binary(&m->g->b, OP_add, program, m->shifts[d]);
    }
    return program;
}

static Value *moved_load(Mover *m, const Op *op, const int8_t *sides)
{
    Value *pointer = op->operands[LOAD_PTR], *mask = op_operand(op, LOAD_MASK);
    Value *other = op_operand(op, LOAD_OTHER);

    pointer = moved(m, pointer, sides, false);
    mask = pointer && mask ? moved(m, mask, sides, false) : NULL;
    other = pointer && other ? moved(m, other, sides, false) : NULL;
    if (!pointer || (op_operand(op, LOAD_MASK) && !mask) || (op_operand(op, LOAD_OTHER) && !other))
        return NULL;
    if (!m->builds)
        return op->results[0];
    mask =
        window_where_present(m, mask, pointer->type, sides, knows_row(m, op->operands[LOAD_PTR]));
    return build_load(&m->g->b, pointer, mask,
                      mask && !other ? grad_number(m->g, op->results[0], 0) : other)
        ->results[0];
}

static Value *moved_op(Mover *m, const Op *op, const int8_t *sides, bool whole)
{
    bool is_known = op_is_elementwise(op) || op->code == OP_splat || op->code == OP_broadcast ||
                    op->code == OP_expand || op->code == OP_permute ||
                    (op->code == OP_reduce && op->noperands == 1);
    Value *operands[MAX_ELEMENTWISE_OPERANDS];
    int8_t of[MAX_RANK];

    Value *known = window_known_of_division(m, op);
    known = known ? known : window_known_of_steps(m, op, sides);
    if (known)
        return known;
    if (op->code == OP_program_id)
        return m->rows >> attr_axis(op) & 1 ? shifted_row(m, op->results[0]) : NULL;
    if (op->code == OP_arange)
        return whole ? shifted_lanes(m, op->results[0], sides[0]) : NULL;
    if (op_only_reads(op))
        return moved_load(m, op, sides);
    if (!is_known)
        return NULL;
    for (int i = 0; i < op->noperands; i++) {
        gather_operand_sides(op, op->operands[i], sides, of);
        operands[i] = moved(m, op->operands[i], of, whole);
        if (!operands[i])
            return NULL;
    }
    return m->builds ? with_operands(m, op, operands) : op->results[0];
}

static Value *moved(Mover *m, Value *v, const int8_t *sides, bool whole)
{
    uint64_t key = (uint64_t)v->id * 2 + whole;

    for (int d = 0; d < v->type->rank; d++)
        key = key * (MAX_RANK + 1) + (uint64_t)(sides[d] + 1);
    key = key * (MAX_RANK + 1) + (uint64_t)v->type->rank; /* or keys of values of two ranks meet */
    Value *known = map_get(m->moved, key);
    if (known)
        return known;
    if (v->def && v->def->code == OP_const)
        known = m->builds ? op_clone(&m->g->b, v->def, map_new(m->g->arena))->results[0] : v;
    else if (!moves(m, v, sides))
        known = whole || is_same_for_programs(m, v) ? window_here(m, v) : NULL;
    else if (v->def && ((known = window_number_of_division(m, v, sides)) != NULL ||
                        (known = window_own_number(m, v, sides)) != NULL))
        ;
    else if (v->def && v->type->rank <= MOST_SIDES)
        known = moved_op(m, v->def, sides, whole || m->axes == 0 || is_whole(m, v, sides));
    if (known)
        map_put(m->moved, key, known);
    return known;
}

Value *window_for_lanes(Mover *m, Value *v, const int8_t *sides, bool whole)
{
    return moved(m, v, sides, whole);
}

/* --- building --- */

Value *window_scalar(Mover *m, const Poly *p, int64_t times)
{
    Builder *b = &m->g->b;
    const Type *i32 = type_scalar(m->g->func->module, DT_I32);
    Value *sum = NULL;

    for (int i = p->count - 1; i >= 0; i--) {
        const PolyTerm *t = &p->terms[i];
        Value *v = NULL;

        for (int k = 0; k < t->count; k++) {
            Value *x =
                build_cast(b, window_here(m, (Value *)t->of[k].value), DT_I32, ROUND_NEAREST);
            v = v ? build_binary(b, OP_mul, v, x) : x;
        }
        Value *scale = build_int(b, i32, times * t->scale);
        v = !v ? scale : times * t->scale == 1 ? v : build_binary(b, OP_mul, v, scale);
        sum = sum ? build_binary(b, OP_add, sum, v) : v;
    }
    return sum;
}

Mover window_mover(Grad *g, const Tap *t, bool builds)
{
    return (Mover){.g = g,
                   .tap = t,
                   .builds = builds,
                   .axes = window_axes(t),
                   .rows = window_rows(t),
                   .inside = map_new(g->arena),
                   .moved = map_new(g->arena),
                   .know_axes = map_new(g->arena),
                   .know_rows = map_new(g->arena)};
}

int window_loops(const Op *op, const Op **out, int room)
{
    int n = 0;

    for (const Op *o = op->block->owner; o; o = o->block->owner) {
        if (o->code != OP_for || n == room)
            return -1;
        memmove(out + 1, out, sizeof *out * (size_t)n++);
        out[0] = o;
    }
    return n;
}

/* Can what the tap hands on be made for other lanes? */
bool window_can_move(Grad *g, const Tap *t)
{
    const Op *loops[MOST_LOOPS];
    int n = window_loops(t->op, loops, MOST_LOOPS);
    Mover m = window_mover(g, t, false);

    for (int i = 0; i < n; i++) {
        for (int k = 0; k < FOR_BOUNDS; k++) {
            if (!window_here(&m, loops[i]->operands[k]) ||
                !is_same_for_programs(&m, loops[i]->operands[k]))
                return false;
        }
        Value *counter = loops[i]->regions[0]->args[0];
        map_put(m.inside, MAP_KEY(counter), counter);
    }
    for (int i = 0; i < t->op->noperands && n >= 0; i++) {
        if (!moved(&m, t->op->operands[i], window_sides, false))
            return false;
    }
    Mover own = window_mover(g, t, false);
    own.places = true;
    own.inside = m.inside;
    for (int d = 0; d < t->nsides && n >= 0; d++) {
        if (t->sides[d].step.count > 0)
            return moved(&own, t->op->operands[0], window_sides, true) != NULL;
    }
    return n >= 0;
}
