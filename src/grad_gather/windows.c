/*
 * windows.c - loads that are shifted from each other, as those of convolutions and stencils: the
 * transposed window, a gather in place of atomics
 *
 * Of out[i] = sum over k of w[k] * x[i + k] lane i hands gradients to elements i + k, which other
 * lanes and programs do, too.  But element i gets its own from lanes i - k, and all that they know
 * of themselves is their number.  So what each load hands on is computed once more with numbers of
 * lanes that are less by k, as the numbers of other lanes and other programs, and lane i stores the
 * sum at i.  This holds where
 *
 *   1. addresses agree but for the windows' offsets: constants and counters of loops, times what a
 *      lane's number is multiplied by;
 *   2. what is computed for a lane is made of its number alone: program * BLOCK + lane, and of
 *      values that are the same for the lanes it is shifted along;
 *   3. masks say that what is read begins with the first lane, and launches that it ends with the
 *      last; and rows do not overlap (needs.c).
 *
 * Runs when all is derived: finds the atomics, and leaves them where one of these is not shown.
 */
#include <stdlib.h>

#include "../opt/opt.h"
#include "gather.h"
#include "windows.h"

const int8_t window_sides[MAX_RANK] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};

/* --- addresses --- */

static bool has_same_factors(const PolyTerm *a, const PolyTerm *b)
{
    PolyTerm quotient;

    return a->count == b->count && poly_divide(a, b, &quotient) && quotient.count == 0;
}

bool window_is_counter(const Value *v)
{
    return v && !v->def && v->index == 0 && v->block->owner && v->block->owner->code == OP_for;
}

/* The one factor that is no argument, and what it is multiplied by; false: there are several. */
static bool take_apart(const PolyTerm *t, const PolyAtom **atom, PolyTerm *rest)
{
    *atom = NULL;
    *rest = (PolyTerm){.scale = 1};
    for (int i = 0; i < t->count; i++) {
        const Value *v = t->of[i].value;
        if (v && terms_same_for_all(v))
            rest->of[rest->count++] = t->of[i];
        else if (*atom)
            return false;
        else
            *atom = &t->of[i];
    }
    return true;
}

/* Numbers of lanes and programs in the address. */
static bool find_sides(Tap *t)
{
    const Type *type = t->op->operands[0]->type;

    for (int i = 0; i < t->place.count; i++) {
        const PolyTerm *term = &t->place.terms[i];
        const PolyAtom *atom;
        PolyTerm rest;

        if (!take_apart(term, &atom, &rest))
            return false;
        if (atom && window_division(atom)) {
            if (!window_take_division(t, atom, term->scale, &rest))
                return false;
            continue;
        }
        if (!atom ||
            (atom->value && !(atom->value->def && atom->value->def->code == OP_program_id)))
            continue;
        int64_t *by =
            atom->value ? &t->programs[attr_axis(atom->value->def)].by : &t->sides[atom->key].by;
        if (*by != 0 || term->scale < 0)
            return false;
        *by = term->scale;
        *(atom->value ? &t->programs[attr_axis(atom->value->def)].unit
                      : &t->sides[atom->key].unit) = rest;
    }
    t->nsides = type->rank;
    for (int d = 0; d < type->rank; d++) {
        Side *s = &t->sides[d];
        if (s->division)
            continue;
        s->count = type->dims[d];
        s->axis = -1;
        if (s->by == 0 && s->count > 1)
            return false;
        for (int axis = 0; axis < AXES; axis++) {
            const Programs *p = &t->programs[axis];
            if (s->by > 0 && p->by == s->by * s->count && has_same_factors(&p->unit, &s->unit))
                s->axis = axis;
        }
    }
    return true;
}

/* Programs that no lanes go along are rows of one each. */
static bool add_rows(Tap *t)
{
    for (int axis = 0; axis < AXES && t->nsides < MOST_SIDES; axis++) {
        const Programs *p = &t->programs[axis];
        bool has_lanes = p->by == 0;
        for (int d = 0; d < t->nsides; d++)
            has_lanes |= t->sides[d].axis == axis;
        if (!has_lanes)
            t->sides[t->nsides++] = (Side){p->by, p->unit, axis, 1, p->division};
        if (!has_lanes && p->division && !window_shift_division(t, t->nsides - 1))
            return false;
    }
    return true;
}

static bool is_row(const Tap *t, int side)
{
    return side >= t->op->operands[0]->type->rank;
}

/* The side with these factors that moves farthest, but less than `below`; -1: none. */
static int next_side(const Tap *t, const PolyTerm *unit, int64_t below)
{
    int found = -1;

    for (int d = 0; d < t->nsides; d++) {
        const Side *s = &t->sides[d];
        if (s->by > 0 && s->by < below && s->step.count == 0 && has_same_factors(&s->unit, unit) &&
            (found < 0 || s->by > t->sides[found].by))
            found = d;
    }
    return found;
}

/* A constant, or so many times a counter, as steps along the sides. */
static bool add_shift(Tap *t, int64_t far, const PolyAtom *counter, const PolyTerm *unit)
{
    for (int64_t below = INT64_MAX; far != 0;) {
        int d = next_side(t, unit, below);
        if (d < 0)
            return false;
        int64_t by = t->sides[d].by, half = far < 0 ? -(by / 2) : by / 2;
        int64_t steps = counter ? far % by == 0 ? far / by : 0 : (far + half) / by;
        PolyTerm term = {.scale = steps, .count = counter != NULL};
        if (counter)
            term.of[0] = *counter;
        if (!poly_push(&t->shifts[d], &term))
            return false;
        far -= steps * by;
        below = by;
    }
    return true;
}

/* A counter that steps within a tile: one that steps over it goes on where lanes end. */
static bool is_of_window(const Tap *t, const Value *v, int64_t scale, const PolyTerm *unit)
{
    int d = next_side(t, unit, INT64_MAX);
    int64_t step, far;

    return window_is_counter(v) && d >= 0 &&
           value_const_int(v->block->owner->operands[FOR_STEP], &step) &&
           !__builtin_mul_overflow(step, scale, &far) &&
           llabs(far) < t->sides[d].by * t->sides[d].count + is_row(t, d);
}

/* p: the address, or what is left of it. */
static bool find_shifts(Tap *t, const Poly *p)
{
    for (int i = 0; i < p->count; i++) {
        const PolyTerm *term = &p->terms[i];
        const PolyAtom *atom;
        PolyTerm rest;

        take_apart(term, &atom, &rest);
        if (atom && (!atom->value || window_division(atom) ||
                     (atom->value->def && atom->value->def->code == OP_program_id)))
            continue;
        if (atom && !is_of_window(t, atom->value, term->scale, &rest))
            return false;
        if (!atom && next_side(t, &rest, INT64_MAX) < 0) {
            if (!poly_push(&t->base, term))
                return false;
        } else if (!add_shift(t, term->scale, atom, &rest)) {
            return false;
        }
    }
    return true;
}

static bool has_same_division(const Side *a, const Side *b)
{
    return !a->division == !b->division &&
           (!a->division || a->division->operands[1] == b->division->operands[1]);
}

static bool agree(const Tap *a, const Tap *b)
{
    const Type *x = a->op->operands[0]->type, *y = b->op->operands[0]->type;

    if (x->rank != y->rank || a->nsides != b->nsides || !poly_equal(&a->base, &b->base))
        return false;
    for (int d = 0; d < a->nsides; d++) {
        if (a->sides[d].count != b->sides[d].count || a->sides[d].by != b->sides[d].by ||
            a->sides[d].axis != b->sides[d].axis ||
            !has_same_division(&a->sides[d], &b->sides[d]) ||
            !poly_equal(&a->sides[d].step, &b->sides[d].step) ||
            !has_same_factors(&a->sides[d].unit, &b->sides[d].unit))
            return false;
    }
    for (int axis = 0; axis < AXES; axis++) {
        if (a->programs[axis].by != b->programs[axis].by ||
            !has_same_factors(&a->programs[axis].unit, &b->programs[axis].unit))
            return false;
    }
    return true;
}

bool window_is_shifted(const Tap *t, int d)
{
    return t->shifts[d].count > 0 || t->sides[d].division || t->sides[d].step.count > 0;
}

unsigned window_axes(const Tap *t)
{
    unsigned axes = 0;

    for (int d = 0; d < t->nsides; d++)
        axes |= window_is_shifted(t, d) && t->sides[d].axis >= 0 ? 1u << t->sides[d].axis : 0;
    return axes;
}

unsigned window_rows(const Tap *t)
{
    unsigned axes = 0;

    for (int d = t->op->operands[0]->type->rank; d < t->nsides; d++)
        axes |= window_is_shifted(t, d) ? 1u << t->sides[d].axis : 0;
    return axes;
}

const Value *window_program_in(const Poly *p, int axis)
{
    for (int i = 0; i < p->count; i++) {
        for (int k = 0; k < p->terms[i].count; k++) {
            const Value *v = p->terms[i].of[k].value;
            if (v && v->def && v->def->code == OP_program_id && attr_axis(v->def) == axis)
                return v;
        }
    }
    return NULL;
}

Value *window_program(const Tap *t, int side)
{
    const Op *division = t->sides[side].division;
    Poly p = t->place;

    if (division && !terms_polynomial(division->operands[0], &p))
        return NULL;
    return (Value *)window_program_in(&p, t->sides[side].axis);
}

/* --- 3. where windows begin and end --- */

typedef struct {
    PolyTerm factor;
    Poly end; /* the number is less */
    bool has_end;
} Digit;

bool window_lane(const Tap *t, int d, Poly *out)
{
    const Side *s = &t->sides[d];

    *out = (Poly){0};
    if (!is_row(t, d) && !poly_push(out, &(PolyTerm){1, 1, {{NULL, d}}}))
        return false;
    if (s->axis < 0)
        return true;
    const Value *program = window_program(t, d);
    return program && poly_push(out, &(PolyTerm){s->count, 1, {{program, MAX_RANK + program->id}}});
}

bool window_number(const Tap *t, int d, int64_t times, Poly *out)
{
    const Op *division = t->sides[d].division;
    const Value *quotient = division && times > 0 ? division->results[0] : NULL;
    Poly lane = {0}, by;

    *out = (Poly){0};
    if (quotient) {
        const int key =
            MAX_RANK + quotient->id + (quotient->type->rank > 0 ? poly_key_of_part(d) : 0);
        return poly_push(out, &(PolyTerm){1, 1, {{quotient, key}}});
    }
    if (!window_lane(t, d, &lane))
        return false;
    if (t->sides[d].step.count > 0) {
        if (!poly_product(&lane, &t->sides[d].step, out))
            return false;
    } else if (!division) {
        *out = lane;
    } else if (!terms_polynomial(division->operands[1], &by) || !poly_product(&lane, &by, out)) {
        return false;
    }
    return poly_add(out, &t->shifts[d], times);
}

PolyTerm window_lanes(Grad *g, const Side *s)
{
    PolyTerm all = {s->count, 0, {{0}}};

    if (s->axis >= 0) {
        const Value *n = grad_number_of_programs(g, s->axis);
        all.of[all.count++] = (PolyAtom){n, MAX_RANK + n->id};
    }
    return all;
}

bool window_counts_from_zero(const Value *v)
{
    const Op *loop = window_is_counter(v) ? v->block->owner : NULL;
    int64_t lo, step;

    return loop && value_const_int(loop->operands[FOR_LO], &lo) && lo >= 0 &&
           value_const_int(loop->operands[FOR_STEP], &step) && step > 0;
}

static bool begins_at_zero(Grad *g, const PolyBounds *bounds, const Poly *number, const Poly *shift)
{
    int64_t constant;
    bool never_less = true;

    for (int i = 0; i < shift->count; i++) {
        const PolyTerm *t = &shift->terms[i];
        never_less &= t->scale > 0 &&
                      (t->count == 0 || (t->count == 1 && window_counts_from_zero(t->of[0].value)));
    }
    for (int i = 0; i < bounds->count && !never_less; i++) { /* -number - 1 <= below < 0 */
        Poly apart = {0};
        never_less = poly_add(&apart, number, -1) && poly_add(&apart, &bounds->below[i], -1) &&
                     window_most_of_quotients(g, &apart) && poly_is_constant(&apart, &constant) &&
                     constant <= 1;
    }
    return never_less;
}

/* What it is at most, whatever round of a loop it is: counters are at least 0, and less than where
 * they end. */
static bool drop_counters(Poly *p)
{
    Poly most = {0};

    for (int i = 0; i < p->count; i++) {
        const PolyTerm *t = &p->terms[i];
        Poly end;

        if (t->count != 1 || !window_counts_from_zero(t->of[0].value)) {
            if (!poly_push(&most, t))
                return false;
            continue;
        }
        if (t->scale < 0)
            continue;
        PolyScope scope = {0};
        if (!poly_of(&scope, t->of[0].value->block->owner->operands[FOR_HI], window_sides, &end) ||
            !poly_push(&most, &(PolyTerm){.scale = -t->scale}) || !poly_add(&most, &end, t->scale))
            return false;
    }
    *p = most;
    return true;
}

/* By the mask, or by how many lanes there are. */
static bool find_end(Grad *g, const PolyBounds *bounds, const Poly *number, const Poly *shift,
                     const PolyTerm *lanes, Poly *out)
{
    for (int i = 0; i < bounds->count; i++) {
        *out = *number;
        if (poly_add(out, &bounds->below[i], -1) && drop_counters(out) &&
            window_most_of_quotients(g, out) && terms_is_same_poly(out))
            return true;
    }
    *out = *shift;
    return poly_push(out, lanes) && drop_counters(out) && terms_is_same_poly(out);
}

/* Of elements that are numbered by quotients: the mask says where they end, that nothing is left,
 * and what is divided is not negative. */
static bool find_divided(Grad *g, const GradArray *a, const Tap *t, int d, const PolyBounds *bounds,
                         Poly *end)
{
    const Op *division = t->sides[d].division;
    const PolyTerm lanes = window_lanes(g, &t->sides[d]);
    const Poly one = {1, {{.scale = 1}}};
    Poly number, own, whole, by;
    bool has_end = false;

    if (!window_number(t, d, 1, &number) || !window_lane(t, d, &own) ||
        !terms_polynomial(division->operands[1], &by))
        return false;
    whole = own;
    for (int i = 0; i < bounds->count; i++) {
        Poly apart = number;
        if (!has_end && poly_add(&apart, &bounds->below[i], -1) && terms_is_same_poly(&apart)) {
            *end = apart;
            has_end = true;
        }
    }
    window_need_all_lanes(g, a, t, d, bounds);
    return has_end && poly_add(&whole, &t->shifts[d], 1) &&
           (begins_at_zero(g, bounds, &whole, &t->shifts[d]) ||
            begins_at_zero(g, bounds, &number, &t->shifts[d])) &&
           window_leaves_nothing(op_operand(t->op, STORE_MASK), division) &&
           grad_need(g, a, &one, &by.terms[0]) && grad_need(g, a, end, &lanes);
}

static void add_digit(Digit *all, int *n, const Digit *d)
{
    int at = (*n)++;

    for (; at > 0 && terms_is_lower(&d->factor, &all[at - 1].factor); at--)
        all[at] = all[at - 1];
    all[at] = *d;
}

/* Along each side a number that begins at 0 and ends before the lanes do. */
static bool find_digits(Grad *g, const GradArray *a, const Tap *t, Digit *all, int *n)
{
    Value *mask = op_operand(t->op, STORE_MASK);
    PolyScope scope = {.parts = true};
    PolyBounds bounds = {0};

    if (mask)
        poly_bounds(&scope, mask, window_sides, &bounds);
    for (int i = 0; i < bounds.count; i++) {
        if (!window_without_remainders(g, &bounds.below[i]))
            return false;
    }
    for (int d = 0; d < t->nsides; d++) {
        Digit digit = {.factor = t->sides[d].unit};
        const Poly one = {1, {{.scale = 1}}}, *step = &t->sides[d].step;
        PolyTerm lanes;
        Poly number;

        if (t->sides[d].by == 0)
            continue;
        if (!window_elements(g, &t->sides[d], &lanes) ||
            (step->count > 0 && (!grad_need(g, a, &one, &step->terms[0]) ||
                                 !window_need_all_lanes(g, a, t, d, &bounds))))
            return false;
        digit.factor.scale = t->sides[d].by;
        if (t->sides[d].division) {
            digit.has_end = find_divided(g, a, t, d, &bounds, &digit.end);
            if (!digit.has_end)
                return false;
            add_digit(all, n, &digit);
            continue;
        }
        if (!window_number(t, d, 1, &number))
            return false;
        digit.has_end = find_end(g, &bounds, &number, &t->shifts[d], &lanes, &digit.end);
        if (step->count > 0 && digit.has_end && !window_without_taken_off(g, a, &digit.end))
            return false;
        if (window_is_shifted(t, d) &&
            (!digit.has_end || !begins_at_zero(g, &bounds, &number, &t->shifts[d]) ||
             !grad_need(g, a, &digit.end, &lanes)))
            return false;
        add_digit(all, n, &digit);
    }
    for (int axis = 0; axis < AXES; axis++) {
        Digit digit = {.factor = t->programs[axis].unit, .has_end = true};
        bool is_lanes = t->programs[axis].by == 0;

        for (int d = 0; d < MAX_RANK; d++)
            is_lanes |= t->sides[d].by > 0 && t->sides[d].axis == axis;
        if (is_lanes)
            continue;
        digit.factor.scale = t->programs[axis].by;
        const Side one = {.axis = axis, .count = 1};
        const PolyTerm programs = window_lanes(g, &one);
        if (!poly_push(&digit.end, &programs))
            return false;
        add_digit(all, n, &digit);
    }
    return true;
}

/* Is there one lane for each element that is read? */
static bool has_one_owner(Grad *g, const GradArray *a, const Tap *t)
{
    Digit all[MAX_RANK + AXES];
    int n = 0;
    Poly reached = {0};
    bool good = find_digits(g, a, t, all, &n) && poly_push(&reached, &(PolyTerm){1, 0, {{0}}});

    for (int i = 0; i < n && good; i++) {
        Poly factor = {0};
        good = grad_need(g, a, &reached, &all[i].factor);
        if (good && i < n - 1)
            good = all[i].has_end && poly_push(&factor, &all[i].factor) &&
                   poly_product(&all[i].end, &factor, &reached);
    }
    return good;
}

/* --- all --- */

typedef struct {
    Grad *g;
    const GradArray *array;
    Taps taps;
    bool good;
    bool by_rows;      /* may programs be rows themselves? */
    bool by_numbers;   /* do masks number elements? */
    bool counts;       /* only `numbered` is looked for */
    unsigned numbered; /* .. along these sides */
} Search;

static void find_tap(Op *op, void *search)
{
    Search *s = search;
    PolyScope scope = {.parts = true};

    if (op->code != OP_atomic_rmw ||
        grad_array_of(s->g, op->operands[0]) != s->array->gradient->index)
        return;
    Tap *t = NEW(s->g->arena, Tap);
    t->op = op;
    for (int d = 0; d < MAX_RANK; d++)
        t->sides[d].unit.scale = 1;
    for (int axis = 0; axis < AXES; axis++)
        t->programs[axis].unit.scale = 1;
    s->good = s->good && op->operands[0]->type->rank > 0 &&
              op->operands[0]->type->rank <= MOST_SIDES &&
              poly_of(&scope, op->operands[0], window_sides, &t->place) &&
              window_without_remainders(s->g, &t->place) && find_sides(t);
    for (int axis = 0; axis < AXES; axis++)
        s->good &= s->by_rows || !t->programs[axis].division;
    s->good = s->good && (!s->by_rows || add_rows(t));
    Poly left = t->place;
    if (s->counts) {
        s->numbered |= s->good ? window_numbered(s->g, t) : 0;
        return;
    }
    s->good = s->good && (!s->by_numbers || window_take_numbers(s->g, t, s->numbered, &left));
    s->good = s->good && find_shifts(t, &left) && (s->taps.len == 0 || agree(s->taps.at[0], t));
    for (int axis = 0; axis < AXES; axis++)
        s->good &= !(s->g->asked >> axis & 1) || t->programs[axis].by > 0;
    vec_push(s->g->arena, &s->taps, t);
}

static bool gathers(Grad *g, GradArray *a, bool by_rows, bool by_numbers)
{
    Search s = {.g = g, .array = a, .good = true, .by_rows = by_rows, .by_numbers = by_numbers};
    const int needs = g->needs.len;

    if (by_numbers) {
        s.counts = true;
        ir_walk(g->func->body, find_tap, &s);
        s.counts = false;
    }
    ir_walk(g->func->body, find_tap, &s);
    for (int i = 0; i < s.taps.len && s.good; i++)
        s.good = has_one_owner(g, a, s.taps.at[i]) && window_can_move(g, s.taps.at[i]);
    if (s.good && s.taps.len > 0)
        window_gather(g, a, &s.taps);
    else
        g->needs.len = needs;
    return s.good;
}

void gather_windows(Grad *g, GradArray *a)
{
    if (a->fill == GRAD_ADDED && !grad_by_atomics(g, a) && !gathers(g, a, false, false) &&
        !gathers(g, a, true, false))
        gathers(g, a, false, true);
}
