/*
 * divided.c - windows whose elements are numbered by quotients, as of transposed convolutions
 *
 *     t = o + pad - k                               for k in range(K):
 *     i = t // stride                                   o = i * stride + k - pad
 *     ok = (t >= 0) & (t % stride == 0) & (i < n)       d_x[i] += .. of lane o
 *     .. tl.load(x + i, mask=ok)
 *
 * Where the mask says that nothing is left, t is a multiple of the divisor: of element i it is
 * i * stride, and the lane that reads it has that number, without what is added to a lane's.
 */
#include "gather.h"
#include "windows.h"

/* A quotient, of a tile or of a scalar, by what is the same for all and positive. */
const Op *window_division(const PolyAtom *atom)
{
    const Op *op = atom->value ? atom->value->def : NULL;
    int64_t by;
    Poly p;

    if (!op || op->code != OP_div || atom->value->type->rank > 1 ||
        !terms_polynomial(op->operands[1], &p) || p.count != 1)
        return NULL;
    return (poly_is_constant(&p, &by) ? by > 0 : terms_is_same_poly(&p)) ? op : NULL;
}

/* The axis of the one program whose number it has; -1: none, -2: several. */
static int axis_in(const Poly *p)
{
    int axis = -1;

    for (int i = 0; i < p->count; i++) {
        for (int k = 0; k < p->terms[i].count; k++) {
            const Value *v = p->terms[i].of[k].value;
            if (v && v->def && v->def->code == OP_program_id)
                axis = axis == -1 ? (int)attr_axis(v->def) : -2;
        }
    }
    return axis;
}

/* Made of constants, arguments, and counters? */
static bool is_scalar(const Poly *p)
{
    for (int i = 0; i < p->count; i++) {
        const Value *v = p->terms[i].of[0].value;
        if (p->terms[i].count > 1 ||
            (p->terms[i].count == 1 && (!v || (!terms_same_for_all(v) && !window_is_counter(v)))))
            return false;
    }
    return true;
}

static bool what_is_divided(const Op *division, int d, Poly *out)
{
    PolyScope scope = {0};
    int8_t map[MAX_RANK];

    for (int i = 0; i < MAX_RANK; i++)
        map[i] = (int8_t)d;
    return poly_of(&scope, division->operands[0], map, out);
}

bool window_take_division(Tap *t, const PolyAtom *quotient, int64_t by, const PolyTerm *unit)
{
    const Op *division = window_division(quotient);
    const Type *type = division->operands[0]->type;
    const int d = poly_dim_of_part(quotient);
    Poly p;
    int axis;

    if (by < 0 || !what_is_divided(division, d, &p))
        return false;
    axis = axis_in(&p);
    if (axis == -2 || (axis >= 0 && t->programs[axis].by != 0))
        return false;
    if (axis >= 0)
        t->programs[axis] = (Programs){by * (type->rank > 0 ? type->dims[0] : 1), *unit,
                                       type->rank > 0 ? NULL : division};
    if (type->rank == 0)
        return axis >= 0;
    if (t->sides[d].by != 0)
        return false;
    t->sides[d] = (Side){by, *unit, axis, type->dims[0], division};
    return window_shift_division(t, d);
}

bool window_shift_division(Tap *t, int d)
{
    const Side *s = &t->sides[d];
    Poly lane, *shift = &t->shifts[d];

    if (!what_is_divided(s->division, d, shift) || !window_lane(t, d, &lane) ||
        !poly_add(shift, &lane, -1))
        return false;
    return is_scalar(shift);
}

/* Is it what the division leaves? */
static bool is_rest(const Op *division, const Op *op)
{
    return op && op->code == OP_rem && op->operands[0] == division->operands[0] &&
           op->operands[1] == division->operands[1];
}

static bool is_zero(const Value *v)
{
    int64_t n;

    return value_const_int(v, &n) && n == 0;
}

/* Does the mask say that the division leaves nothing? */
bool window_leaves_nothing(const Value *mask, const Op *division)
{
    const Op *op = mask ? mask->def : NULL;

    if (!op)
        return false;
    if (op->code == OP_eq && is_zero(op->operands[1]))
        return is_rest(division, op->operands[0]->def);
    switch (op->code) {
    case OP_and:
        return window_leaves_nothing(op->operands[0], division) ||
               window_leaves_nothing(op->operands[1], division);
    case OP_splat:
    case OP_broadcast:
    case OP_expand:
        return window_leaves_nothing(op->operands[0], division);
    default:
        return false;
    }
}

static Value *as_type(Mover *m, Value *number, const Value *like)
{
    return build_cast(&m->g->b, number, like->type->dtype, ROUND_NEAREST);
}

/* Of the lanes that hand to their own elements: NULL: it is computed as what else is. */
Value *window_known_of_division(Mover *m, const Op *op)
{
    Builder *b = &m->g->b;

    for (int d = 0; d < m->tap->nsides; d++) {
        const Op *division = m->tap->sides[d].division;

        if (!division)
            continue;
        if (op == division)
            return m->builds ? as_type(m, m->own[d], op->results[0]) : op->results[0];
        if (is_rest(division, op))
            return m->builds ? build_const(b, op->results[0]->type, 0) : op->results[0];
        if (op->code == OP_ge && is_zero(op->operands[1]) &&
            (op->operands[0] == division->operands[0] || op->operands[0] == division->results[0]))
            return m->builds ? build_const(b, op->results[0]->type, 1) : op->results[0];
    }
    return NULL;
}

/* With a scalar added. */
static Value *moved_on(Mover *m, Value *number, const Poly *by)
{
    Value *scalar = by->count > 0 ? window_scalar(m, by, 1) : NULL;

    if (scalar && number->type->rank > 0)
        scalar = build_splat(&m->g->b, scalar, number->type);
    return scalar ? build_binary(&m->g->b, OP_add, number, scalar) : number;
}

Value *window_number_of_division(Mover *m, const Value *v, const int8_t *sides)
{
    if (!dtype_is_int(v->type->dtype) || v->type->dtype == DT_I1 || v->type->rank > 1)
        return NULL;
    for (int d = 0; d < m->tap->nsides; d++) {
        const Op *division = m->tap->sides[d].division;
        const int rank = division ? division->operands[0]->type->rank : -1;
        PolyScope scope = {0};
        Poly own, p;

        if (rank == v->type->rank && (rank == 0 || sides[0] == d) && window_lane(m->tap, d, &own) &&
            poly_of(&scope, v, sides, &p) && poly_add(&p, &own, -1) && is_scalar(&p))
            return m->builds ? as_type(m, moved_on(m, m->numbers[d], &p), v) : (Value *)v;
    }
    return NULL;
}
