/*
 * present.c - is there a lane of the number that a tap's lanes stand for?
 *
 * Lanes that are shifted stand for others, of which the first and the last few are none.  That is
 * asked where no mask says it by itself, and no condition that launches are to meet.
 */
#include "../opt/opt.h"
#include "windows.h"

/* The number of the lane that hands on, with counters as they are here. */
static bool number_here(Mover *m, int side, Poly *out)
{
    Poly number;

    *out = (Poly){0};
    if (m->tap->sides[side].step.count > 0) {
        return window_lane(m->tap, side, out) &&
               (!m->shifts[side] ||
                (terms_polynomial(m->shifts[side], &number) && poly_add(out, &number, 1)));
    }
    if (!window_number(m->tap, side, -1, &number))
        return false;
    for (int i = 0; i < number.count; i++) {
        PolyTerm t = number.terms[i];
        const Value *v = t.count == 1 ? t.of[0].value : NULL;
        const Value *now = window_is_counter(v) ? map_get(m->inside, MAP_KEY(v)) : NULL;
        if (now)
            t.of[0] = (PolyAtom){now, MAX_RANK + now->id};
        if (!poly_push(out, &t))
            return false;
    }
    return true;
}

/* Is it made of lanes, programs and counters from 0 on that are added? */
static bool is_never_too_small(Mover *m, int side)
{
    Poly number;
    bool good = m->tap->sides[side].step.count == 0 && window_number(m->tap, side, -1, &number);

    for (int i = 0; i < number.count && good; i++) {
        const PolyTerm *t = &number.terms[i];
        const Value *v = t->count == 1 ? t->of[0].value : NULL;
        bool is_program = v && v->def && v->def->code == OP_program_id;
        good = t->scale > 0 && t->count <= 1 && (!v || is_program || window_counts_from_zero(v));
    }
    return good;
}

bool window_is_said(Mover *m, const Value *mask, const int8_t *sides, int side, bool large)
{
    const PolyTerm lanes = window_lanes(m->g, &m->tap->sides[side]);
    PolyScope scope = {0};
    PolyBounds bounds;
    Poly number;
    int64_t constant;

    if (!mask || !number_here(m, side, &number))
        return false;
    poly_bounds(&scope, mask, sides, &bounds);
    for (int i = 0; i < bounds.count; i++) {
        Poly end = number, apart = {0};
        if (large ? poly_add(&end, &bounds.below[i], -1) && terms_is_same_poly(&end) &&
                        grad_is_granted(m->g, &end, &lanes)
                  : poly_add(&apart, &number, -1) && poly_add(&apart, &bounds.below[i], -1) &&
                        poly_is_constant(&apart, &constant) && constant <= 1)
            return true;
    }
    return false;
}

static Value *compared(Builder *b, OpCode code, Value *lanes, Value *with)
{
    return build_binary(b, code, lanes,
                        lanes->type->rank > 0 ? build_splat(b, with, lanes->type) : with);
}

/* Is the lane along dimension d of a tile there?  Compared in the tile's shape, where what compiles
 * the kernel sees which elements are read. */
static Value *is_there(Mover *m, int side, bool large, int d, const Type *shape)
{
    Builder *b = &m->g->b;
    Value *number = m->numbers[side];

    for (int axis = 0; axis < shape->rank && d >= 0; axis++) {
        if (axis != d)
            number = build_expand(b, number, axis);
    }
    Value *zero = build_int(b, type_scalar(m->g->func->module, DT_I32), 0);
    Value *there =
        large ? compared(b, OP_lt, number, m->ends[side]) : compared(b, OP_ge, number, zero);
    const Type *type =
        type_with_shape(m->g->func->module, type_element(m->g->func->module, there->type), shape);
    return type_same_shape(there->type, type) ? there
           : d < 0                            ? build_splat(b, there, type)
                                              : build_broadcast(b, there, type);
}

/* The mask, and is the row there that the program stands for? */
static Value *where_row_is(Mover *m, Value *mask, const Type *shape, const int8_t *sides)
{
    const Value *said = mask;

    for (int side = m->tap->op->operands[0]->type->rank; side < m->tap->nsides; side++) {
        for (int large = 0; large < 2 && m->numbers[side]; large++) {
            if (!m->asks[side][large] || window_is_said(m, said, sides, side, large))
                continue;
            Value *there = is_there(m, side, large, -1, shape);
            m->spread[side][large] = there;
            mask = mask ? build_binary(&m->g->b, OP_and, mask, there) : there;
        }
    }
    return mask;
}

Value *window_where_present(Mover *m, Value *mask, const Type *shape, const int8_t *sides,
                            bool of_row)
{
    const Value *said = mask;

    for (int d = 0; d < shape->rank; d++) {
        for (int large = 0; large < 2 && sides[d] >= 0 && shape->dims[d] > 1; large++) {
            if (!m->asks[sides[d]][large] || window_is_said(m, said, sides, sides[d], large))
                continue;
            Value *there = is_there(m, sides[d], large, d, shape);
            m->spread[sides[d]][large] = there;
            mask = mask ? build_binary(&m->g->b, OP_and, mask, there) : there;
        }
    }
    return of_row ? where_row_is(m, mask, shape, sides) : mask;
}

static Value *plus(Builder *b, Value *number, Value *scalar)
{
    Value *more = number->type->rank > 0 ? build_splat(b, scalar, number->type) : scalar;

    return build_binary(b, OP_add, number, more);
}

/* Of elements that are numbered by quotients: their own number times the divisor. */
static Value *number_by_quotient(Mover *m, int d, Value *lanes, Value *first)
{
    Builder *b = &m->g->b;
    Value *by = m->tap->sides[d].division->operands[1];

    m->own[d] = first ? plus(b, lanes, first) : lanes;
    return build_binary(b, OP_mul, m->own[d], by);
}

/* Of elements that a lane steps over: that of the phase. */
static Value *number_by_steps(Mover *m, int d, Value *lanes, Value *first)
{
    Builder *b = &m->g->b;
    const Side *s = &m->tap->sides[d];
    Value *own = first ? plus(b, lanes, first) : lanes, *phase = m->phases[d];
    int64_t none;

    if (!window_steps(s))
        return own;
    Value *step = window_scalar(m, &s->step, 1);
    own = build_binary(b, OP_mul, own, build_splat(b, step, own->type));
    return value_const_int(phase, &none) && none == 0 ? own : plus(b, own, phase);
}

void window_find_lanes(Mover *m, int d)
{
    Builder *b = &m->g->b;
    const Side *s = &m->tap->sides[d];
    const Type *i32 = type_scalar(m->g->func->module, DT_I32);
    const bool is_row = d >= m->tap->op->operands[0]->type->rank;
    Value *lanes = is_row ? window_program(m->tap, d) : build_arange(b, 0, s->count);
    Value *end = build_int(b, i32, s->count), *first = NULL;
    int64_t constant = 0;
    bool fixed = poly_is_constant(&m->tap->shifts[d], &constant);

    if (is_row) {
        const int64_t axis = s->axis;
        end = build_op(b, OP_num_programs, 0, NULL, 1, &axis, 1, &i32)->results[0];
    } else if (s->axis >= 0) {
        const int64_t axis = s->axis;
        Value *program = s->division
                             ? window_program(m->tap, d)
                             : build_op(b, OP_program_id, 0, NULL, 1, &axis, 1, &i32)->results[0];
        Value *programs = build_op(b, OP_num_programs, 0, NULL, 1, &axis, 1, &i32)->results[0];
        first = build_binary(b, OP_mul, program, end);
        end = build_binary(b, OP_mul, programs, end);
    }
    Value *number = s->division ? number_by_quotient(m, d, lanes, first) : lanes;
    if (m->shifts[d])
        number = plus(b, number, m->shifts[d]);
    if (first && !s->division)
        number = plus(b, number, first);
    if (s->step.count > 0)
        m->own[d] = number_by_steps(m, d, lanes, first);
    m->numbers[d] = number;
    m->ends[d] = end;
    fixed = fixed && !s->division;
    if (s->step.count > 0) {
        constant = 0;
        fixed = !m->shifts[d] || value_const_int(m->shifts[d], &constant);
        constant = -constant;
    }
    m->asks[d][0] = fixed ? constant > 0 : !is_never_too_small(m, d);
    m->asks[d][1] = !fixed || constant < 0;
}
