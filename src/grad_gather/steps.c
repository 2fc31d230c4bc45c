/*
 * steps.c - windows in steps, as of strided convolutions and pooling, by what masks say of elements
 *
 *     i = o * stride + k - pad                      for phase in range(stride):
 *     ok = (i >= 0) & (i < n)                           i = lane * stride + phase
 *     .. tl.load(x + i, mask=ok)                        for k in range(K):
 *                                                           t = phase + pad - k
 *                                                           if t % stride == 0:
 *                                                               d += .. of lane o = lane + t //
 * stride tl.store(d_x + i, d)
 *
 * A lane has as many elements as windows step over, and of each the lanes that hand to it lie the
 * same way off: which they are is one number for the tile.  That the element is o * stride + k -
 * pad, not pad further on, the mask says, by `i >= 0` or by `i < n`; so it says of windows that
 * step by one, but are moved by what is known at run time, `t - k * dilation`.
 */
#include <stdlib.h>

#include "../opt/opt.h"
#include "gather.h"
#include "windows.h"

/* --- what masks say --- */

/* Of a lane's number; false: it is in no term, or in several. */
static bool coefficient_of(const Poly *p, int side, PolyTerm *out)
{
    const PolyTerm lane = {1, 1, {{NULL, side}}};
    int found = 0;

    for (int i = 0; i < p->count; i++)
        found += poly_divide(&p->terms[i], &lane, out) ? 1 : 0;
    for (int i = 0; i < p->count && found == 1; i++) {
        if (poly_divide(&p->terms[i], &lane, out))
            return true;
    }
    return false;
}

static bool is_made_of_arguments(const PolyTerm *t)
{
    for (int k = 0; k < t->count; k++) {
        if (!t->of[k].value || !terms_same_for_all(t->of[k].value))
            return false;
    }
    return true;
}

/* -number - 1 < 0, or number - end < 0, where the end is made of arguments */
static bool number_in(const Poly *below, int64_t sign, Poly *out)
{
    *out = (Poly){0};
    if (sign < 0)
        return poly_push(out, &(PolyTerm){.scale = -1}) && poly_add(out, below, -1);
    for (int i = 0; i < below->count; i++) {
        const PolyTerm *t = &below->terms[i];
        if (!(t->count > 0 && is_made_of_arguments(t)) && !poly_push(out, t))
            return false;
    }
    return true;
}

/* Counters that step within what the lanes lie over, times arguments, and constants. */
static bool is_shift(const Side *s, const Poly *p, int64_t step)
{
    for (int i = 0; i < p->count; i++) {
        const PolyTerm *t = &p->terms[i];
        int counters = 0;
        for (int k = 0; k < t->count; k++) {
            const Value *v = t->of[k].value;
            int64_t by, far;
            if (v && terms_same_for_all(v))
                continue;
            if (!window_is_counter(v) || counters++ ||
                !value_const_int(v->block->owner->operands[FOR_STEP], &by) ||
                __builtin_mul_overflow(by, t->scale, &far) || llabs(far) >= s->count * step)
                return false;
        }
    }
    return true;
}

/* More than a lane's number and constants. */
static bool is_stepped(const Poly *step, const Poly *shift)
{
    int64_t by;
    bool is_plain = poly_is_constant(step, &by) && by == 1;

    for (int i = 0; i < shift->count; i++)
        is_plain &= shift->terms[i].count == 0 ||
                    (shift->terms[i].count == 1 && window_is_counter(shift->terms[i].of[0].value));
    return !is_plain;
}

/* Side d as elements that this says to be less than 0: then *left is without them.  only: of those
 * that are stepped over, or shifted by arguments. */
static bool take_number(Tap *t, int d, const Poly *below, bool only, Poly *left)
{
    Side *s = &t->sides[d];
    Poly number, lane, whole, step = {0}, shift, pitch = {0}, part;
    PolyTerm by, place, per;
    int64_t constant = 1;

    if (!coefficient_of(below, d, &by) || !is_made_of_arguments(&by) ||
        !number_in(below, by.scale, &number) || !coefficient_of(&t->place, d, &place))
        return false;
    by.scale = llabs(by.scale);
    if (!poly_divide(&place, &by, &per) || per.scale <= 0 || !is_made_of_arguments(&per) ||
        !poly_push(&step, &by) || !poly_push(&pitch, &per) || !window_lane(t, d, &lane) ||
        !poly_product(&lane, &step, &whole))
        return false;
    shift = number;
    poly_is_constant(&step, &constant);
    if (!poly_add(&shift, &whole, -1) || !is_shift(s, &shift, constant) ||
        (only && !is_stepped(&step, &shift)) || !poly_product(&number, &pitch, &part) ||
        !poly_add(left, &part, -1))
        return false;
    s->by = per.scale;
    s->unit = per;
    s->unit.scale = 1;
    s->step = step;
    t->shifts[d] = shift;
    return true;
}

static bool take_side(Tap *t, int d, const PolyBounds *bounds, bool only, Poly *left)
{
    for (int i = 0; i < bounds->count && t->sides[d].by > 0 && !t->sides[d].division; i++) {
        Poly rest = *left;
        if (take_number(t, d, &bounds->below[i], only, &rest)) {
            *left = rest;
            return true;
        }
    }
    return false;
}

static bool bounds_of(Grad *g, const Tap *t, PolyBounds *out)
{
    Value *mask = op_operand(t->op, STORE_MASK);
    PolyScope scope = {.parts = true};

    *out = (PolyBounds){0};
    if (mask)
        poly_bounds(&scope, mask, window_sides, out);
    for (int i = 0; i < out->count; i++) {
        if (!window_without_remainders(g, &out->below[i]))
            return false;
    }
    return mask != NULL;
}

unsigned window_numbered(Grad *g, const Tap *t)
{
    PolyBounds bounds;
    unsigned sides = 0;

    for (int d = 0; d < t->op->operands[0]->type->rank && bounds_of(g, t, &bounds); d++) {
        Tap with = *t;
        Poly left = t->place;
        sides |= take_side(&with, d, &bounds, true, &left) ? 1u << d : 0;
    }
    return sides;
}

bool window_take_numbers(Grad *g, Tap *t, unsigned sides, Poly *left)
{
    PolyBounds bounds;

    if (!sides || !bounds_of(g, t, &bounds))
        return false;
    for (int d = 0; d < t->op->operands[0]->type->rank; d++) {
        if (sides >> d & 1 && !take_side(t, d, &bounds, true, left) &&
            !take_side(t, d, &bounds, false, left))
            return false;
    }
    return true;
}

bool window_steps(const Side *s)
{
    int64_t by;

    return s->step.count > 0 && !(poly_is_constant(&s->step, &by) && by == 1);
}

bool window_elements(Grad *g, const Side *s, PolyTerm *out)
{
    const PolyTerm lanes = window_lanes(g, s);
    Poly all = {0}, product;

    *out = lanes;
    if (!window_steps(s))
        return true;
    if (!poly_push(&all, &lanes) || !poly_product(&all, &s->step, &product) || product.count != 1)
        return false;
    *out = product.terms[0];
    return true;
}

/* --- what launches are to meet --- */

bool window_need_all_lanes(Grad *g, const GradArray *a, const Tap *t, int d,
                           const PolyBounds *bounds)
{
    const PolyTerm lanes = window_lanes(g, &t->sides[d]);
    Poly own, number;

    if (!window_lane(t, d, &own) || !window_number(t, d, 1, &number))
        return false;
    for (int i = 0; i < bounds->count; i++) {
        Poly last = own, end = number;
        const bool is_of_element = t->shifts[d].count > 0 &&
                                   poly_add(&end, &bounds->below[i], -1) &&
                                   terms_is_same_poly(&end);
        if (!is_of_element && poly_add(&last, &bounds->below[i], -1) && terms_is_same_poly(&last))
            grad_need(g, a, &last, &lanes);
    }
    return true;
}

bool window_without_taken_off(Grad *g, const GradArray *a, Poly *end)
{
    const Poly one = {1, {{.scale = 1}}};
    Poly out = {0};

    for (int i = 0; i < end->count; i++) {
        PolyTerm t = end->terms[i];
        const bool is_argument = t.count == 1 && t.scale < 0;
        t.scale = 1;
        if (is_argument ? !grad_need(g, a, &one, &t) : !poly_push(&out, &end->terms[i]))
            return false;
    }
    *end = out;
    return true;
}

/* --- what is built --- */

static bool is_integer(const Value *v)
{
    return !v->type->pointer && dtype_is_int(v->type->dtype) && v->type->dtype != DT_I1;
}

Value *window_own_number(Mover *m, Value *v, const int8_t *sides)
{
    int d = -1, along = -1;
    PolyScope scope = {0};
    Poly number, p;

    for (int k = 0; k < v->type->rank && is_integer(v); k++) {
        if (v->type->dims[k] == 1)
            continue;
        d = d == -1 ? sides[k] : -2;
        along = k;
    }
    if (d < 0 || m->tap->sides[d].step.count == 0 || !window_number(m->tap, d, 1, &number) ||
        !poly_of(&scope, v, sides, &p) || !poly_equal(&p, &number))
        return NULL;
    if (!m->builds)
        return v;
    Value *own = build_cast(&m->g->b, m->own[d], v->type->dtype, ROUND_NEAREST);
    for (int axis = 0; axis < v->type->rank; axis++) {
        if (axis != along)
            own = build_expand(&m->g->b, own, axis);
    }
    return own;
}

/* It is at least 0; NULL: that is not what is asked. */
Value *window_known_of_steps(Mover *m, const Op *op, const int8_t *sides)
{
    Mover asks = *m;
    uint64_t bits;

    asks.builds = false;
    if (op->code != OP_ge || !value_constant(op->operands[1], &bits) || bits != 0 ||
        !window_own_number(&asks, op->operands[0], sides))
        return NULL;
    return m->builds ? build_const(&m->g->b, op->results[0]->type, 1) : op->results[0];
}

static Value *by_step(Mover *m, OpCode code, Value *apart, Value *step, int64_t known, int64_t by)
{
    if (known == INT64_MIN)
        return build_binary(&m->g->b, code, apart, step);
    return build_int(&m->g->b, apart->type, code == OP_div ? known / by : known % by);
}

/* How far off the lanes are that hand to the own elements; *divides: that they are there, NULL:
 * they are.  False: they are not. */
bool window_find_steps(Mover *m, int d, Value **divides)
{
    Builder *b = &m->g->b;
    Value *apart = window_scalar(m, &m->tap->shifts[d], -1), *phase = m->phases[d];
    int64_t known, more = 0, by;

    if (!window_steps(&m->tap->sides[d])) {
        m->shifts[d] = apart;
        return true;
    }
    Value *step = window_scalar(m, &m->tap->sides[d].step, 1);
    bool is_known = value_const_int(phase, &known) && value_const_int(step, &by) &&
                    (!apart || value_const_int(apart, &more));
    known = is_known ? known + more : INT64_MIN;
    if (is_known && known % by != 0)
        return false;
    apart = !apart ? phase : is_known ? phase : build_binary(b, OP_add, phase, apart);
    m->shifts[d] = by_step(m, OP_div, apart, step, known, by);
    if (is_known)
        return true;
    Value *rest = build_binary(b, OP_rem, apart, step);
    Value *good = build_binary(b, OP_eq, rest, build_int(b, rest->type, 0));
    *divides = *divides ? build_binary(b, OP_and, *divides, good) : good;
    return true;
}

/* .. of all taps known when the kernel is derived: phases are written out. */
static bool is_fixed(const Taps *taps, int d, int64_t *step)
{
    bool fixed = poly_is_constant(&taps->at[0]->sides[d].step, step);
    int64_t constant;

    for (int i = 0; i < taps->len; i++)
        fixed &=
            !taps->at[i]->op->block->owner && poly_is_constant(&taps->at[i]->shifts[d], &constant);
    return fixed;
}

enum { MOST_PHASES = 4 }; /* that are written out */

static void gather_from(Grad *g, const Taps *taps, int d, Value **phases)
{
    const Type *i32 = type_scalar(g->func->module, DT_I32);
    int64_t step;

    while (d < taps->at[0]->nsides && !window_steps(&taps->at[0]->sides[d]))
        d++;
    if (d == taps->at[0]->nsides) {
        window_gather_phase(g, taps, phases);
        return;
    }
    if (is_fixed(taps, d, &step) && step <= MOST_PHASES) {
        for (int64_t phase = 0; phase < step; phase++) {
            phases[d] = build_int(&g->b, i32, phase);
            gather_from(g, taps, d + 1, phases);
        }
        return;
    }
    const Builder outside = g->b;
    Mover m = {.g = g, .tap = taps->at[0], .builds = true, .inside = map_new(g->arena)};
    Value *all = window_scalar(&m, &taps->at[0]->sides[d].step, 1);
    Value *none = build_int(&g->b, i32, 0);
    Value *bounds[FOR_BOUNDS] = {none, all, build_int(&g->b, i32, 1)};
    Op *loop = build_op(&g->b, OP_for, FOR_BOUNDS, bounds, 0, NULL, 0, NULL);
    if (loop->regions[0]->nargs == 0)
        block_add_arg(loop->regions[0], i32);
    phases[d] = loop->regions[0]->args[0];
    phases[d]->name = intern(g->func->module->interner, "phase");
    g->b = builder_into(&g->b, loop->regions[0]);
    gather_from(g, taps, d + 1, phases);
    build_yield(&g->b, OP_yield, 0, NULL);
    g->b = outside;
}

void window_gather_phases(Grad *g, const Taps *taps)
{
    Value *phases[MAX_RANK] = {0};

    gather_from(g, taps, 0, phases);
}
