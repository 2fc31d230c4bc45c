/*
 * domain.c - for which lanes, rounds and programs is something handed on?
 *
 * Limits are polynomials that are less than 0 there: of the masks of loads, where other elements
 * are 0, of choices between a value and 0, and of loops.  What one or two of them say, with what is
 * known of lanes, programs and counters, is all that is proven here: `u - t - 1 < 0` and
 * `t - n < 0` say that `u - n < 0`.
 */
#include <math.h>

#include "../opt/opt.h"
#include "transposed.h"

static Poly constant(int64_t n)
{
    Poly p = {0};

    poly_push(&p, &(PolyTerm){.scale = n});
    return p;
}

Domain domain_of(Grad *g, const Type *tile, const Value *counter)
{
    Domain d = {.g = g, .counter = counter, .nsides = tile->rank};

    for (int s = 0; s < tile->rank; s++) {
        d.extents[s] = tile->dims[s];
        d.order[s] = (int8_t)s;
    }
    return d;
}

void limits_add(Limits *l, const Poly *p)
{
    if (l->n < MOST_LIMITS)
        l->at[l->n++] = *p;
    else
        l->others = true;
}

void limits_of_mask(Limits *l, const Value *mask, const int8_t *sides)
{
    PolyScope scope = {0};
    PolyBounds bounds;

    poly_bounds(&scope, mask, sides, &bounds);
    l->others |= bounds.others;
    for (int i = 0; i < bounds.count; i++)
        limits_add(l, &bounds.below[i]);
}

bool limits_say(const Limits *l, const Limits *wanted)
{
    for (int i = 0; i < wanted->n; i++) {
        bool found = false;
        for (int k = 0; k < l->n && !found; k++)
            found = poly_equal(&l->at[k], &wanted->at[i]);
        if (!found)
            return false;
    }
    return !wanted->others;
}

static bool is_zero(const Value *v)
{
    uint64_t bits;

    return !v || (value_constant(v, &bits) && bits == 0);
}

int domain_add_side(Domain *d, const Op *sum, const int8_t *sides)
{
    const Type *type = sum->operands[0]->type;
    const int axis = (int)attr_axis(sum), side = d->nsides++;
    int at = side;

    d->extents[side] = type->dims[axis];
    for (int dim = axis + 1; dim < type->rank && at == side; dim++) { /* in front of the next */
        for (int k = 0; k < side && sides[dim] >= 0; k++)
            at = d->order[k] == sides[dim] ? k : at;
    }
    for (int k = side; k > at; k--)
        d->order[k] = d->order[k - 1];
    d->order[at] = (int8_t)side;
    return side;
}

enum { DEEPEST = 24 };

static bool is_infinite(const Value *v, int sign)
{
    uint64_t bits;

    return v && value_constant(v, &bits) && dtype_is_float(v->type->dtype) &&
           scalar_to_double(v->type->dtype, bits) == sign * (double)INFINITY;
}

/* Where the float may be anything but that infinity, of which exp makes 0. */
static void not_infinite(Limits *l, const Value *v, int sign, const int8_t *sides, int depth)
{
    const Op *op = v->def;
    int8_t of[MAX_RANK];

    if (!op || depth == 0)
        return;
    switch (op->code) {
    case OP_load:
        if (op_operand(op, LOAD_MASK) && is_infinite(op_operand(op, LOAD_OTHER), sign))
            limits_of_mask(l, op->operands[LOAD_MASK], sides);
        return;
    case OP_select:
        if (!is_infinite(op->operands[2], sign))
            return;
        limits_of_mask(l, op->operands[0], sides);
        not_infinite(l, op->operands[1], sign, sides, depth - 1);
        return;
    case OP_add:
    case OP_sub:
        not_infinite(l, op->operands[0], sign, sides, depth - 1);
        not_infinite(l, op->operands[1], op->code == OP_sub ? -sign : sign, sides, depth - 1);
        return;
    case OP_splat:
    case OP_broadcast:
    case OP_expand:
    case OP_permute:
        gather_operand_sides(op, op->operands[0], sides, of);
        not_infinite(l, op->operands[0], sign, of, depth - 1);
        return;
    default:
        return;
    }
}

static void nonzero(Domain *dom, Limits *l, const Value *v, const int8_t *sides, int depth)
{
    const Op *op = v->def;
    int8_t of[MAX_RANK];

    if (!op || depth == 0)
        return;
    switch (op->code) {
    case OP_load:
        if (op_operand(op, LOAD_MASK) && is_zero(op_operand(op, LOAD_OTHER)))
            limits_of_mask(l, op->operands[LOAD_MASK], sides);
        return;
    case OP_select:
        if (!is_zero(op->operands[2]))
            return;
        limits_of_mask(l, op->operands[0], sides);
        nonzero(dom, l, op->operands[1], sides, depth - 1);
        return;
    case OP_mul:
        nonzero(dom, l, op->operands[0], sides, depth - 1);
        nonzero(dom, l, op->operands[1], sides, depth - 1);
        return;
    case OP_neg:
    case OP_cast:
    case OP_splat:
    case OP_broadcast:
    case OP_expand:
    case OP_permute:
        gather_operand_sides(op, op->operands[0], sides, of);
        nonzero(dom, l, op->operands[0], of, depth - 1);
        return;
    case OP_reduce:
        if (ir_combine_code(op) != OP_add || dom->nsides == MOST_SIDES_ANEW)
            return;
        gather_operand_sides(op, op->operands[0], sides, of);
        of[attr_axis(op)] = (int8_t)domain_add_side(dom, op, of);
        nonzero(dom, l, op->operands[0], of, depth - 1);
        return;
    case OP_exp:
    case OP_exp2:
        not_infinite(l, op->operands[0], -1, sides, depth - 1);
        return;
    case OP_dot: /* both operands are, where they are summed up */
        if (dom->nsides == MOST_SIDES_ANEW || !is_zero(op->operands[2]) ||
            op->results[0]->type->rank != 2)
            return;
        of[0] = sides[0];
        of[1] = (int8_t)dom->nsides;
        dom->order[dom->nsides] = of[1];
        dom->extents[dom->nsides++] = op->operands[0]->type->dims[1];
        nonzero(dom, l, op->operands[0], of, depth - 1);
        of[0] = of[1];
        of[1] = sides[1];
        nonzero(dom, l, op->operands[1], of, depth - 1);
        return;
    default:
        return;
    }
}

void limits_of_nonzero(Domain *d, Limits *l, const Value *v, const int8_t *sides)
{
    nonzero(d, l, v, sides, DEEPEST);
}

/* --- what is known of numbers --- */

const Value *domain_program(const Grad *g, int axis)
{
    for (const Op *op = g->func->body->first; op; op = op->next) {
        if (op->code == OP_program_id && attr_axis(op) == axis && op->results[0]->id < g->nfacts)
            return op->results[0];
    }
    return NULL;
}

bool domain_add_program(Grad *g, int axis, int64_t times, Poly *to)
{
    const Value *v = domain_program(g, axis);

    return v && poly_push(to, &(PolyTerm){times, 1, {{v, MAX_RANK + v->id}}});
}

bool domain_add_programs(Grad *g, int axis, int64_t times, Poly *to)
{
    const Value *v = grad_number_of_programs(g, axis);

    return poly_push(to, &(PolyTerm){times, 1, {{v, MAX_RANK + v->id}}});
}

bool domain_knows(const Value *v, int axis, const Value *counter, Map *seen)
{
    const Op *op = v->def;

    if (v == counter)
        return true;
    if (map_get(seen, MAP_KEY(v)))
        return false;
    map_put(seen, MAP_KEY(v), (void *)v);
    if (!op)
        return v->block->owner != NULL;
    if (op->code == OP_program_id)
        return attr_axis(op) == axis;
    for (int i = 0; i < op->noperands; i++) {
        if (domain_knows(op->operands[i], axis, counter, seen))
            return true;
    }
    return op->regions[0] && !op_has(op, COMBINES);
}

bool domain_scale(const Poly *p, PolyAtom atom, int64_t *scale)
{
    *scale = 0;
    for (int i = 0; i < p->count; i++) {
        const PolyTerm *t = &p->terms[i];
        for (int k = 0; k < t->count; k++) {
            if (t->of[k].key != atom.key)
                continue;
            if (t->count > 1)
                return false;
            *scale = t->scale;
        }
    }
    return true;
}

static bool is_atom_not_negative(const Domain *d, const PolyAtom *a)
{
    const Value *v = a->value;
    const Op *loop;
    int64_t lo, step;

    if (!v || v == d->counter || v == d->now)
        return true;
    if (v->def)
        return v->def->code == OP_program_id || v->def->code == OP_num_programs;
    loop = v->block->owner;
    return loop && loop->code == OP_for && v->index == 0 &&
           value_const_int(loop->operands[FOR_LO], &lo) && lo >= 0 &&
           value_const_int(loop->operands[FOR_STEP], &step) && step > 0;
}

/* In place of a number that is subtracted the most that it may be. */
static bool push_most(Domain *d, const PolyTerm *t, Poly *out)
{
    const PolyAtom *a = &t->of[0];

    if (t->count != 1)
        return false;
    if (!a->value)
        return a->key < d->nsides &&
               poly_push(out, &(PolyTerm){.scale = t->scale * (d->extents[a->key] - 1)});
    return a->value->def && a->value->def->code == OP_program_id &&
           domain_add_programs(d->g, (int)attr_axis(a->value->def), t->scale, out) &&
           poly_push(out, &(PolyTerm){.scale = -t->scale});
}

/* There is one program at least. */
static void add_least(const PolyTerm *t, int64_t *sum)
{
    const Value *v = t->count == 1 ? t->of[0].value : NULL;

    if (t->count == 0 || (v && v->def && v->def->code == OP_num_programs))
        *sum += t->scale;
}

bool domain_is_not_negative(Domain *d, const Poly *p)
{
    Poly least = {0};
    int64_t sum = 0;

    for (int i = 0; i < p->count; i++) {
        const PolyTerm *t = &p->terms[i];
        if (t->scale < 0 && t->count > 0 ? !push_most(d, t, &least) : !poly_push(&least, t))
            return false;
    }
    for (int i = 0; i < least.count; i++) {
        const PolyTerm *t = &least.terms[i];
        bool good = t->scale > 0 || t->count == 0;
        for (int k = 0; k < t->count; k++)
            good &= is_atom_not_negative(d, &t->of[k]);
        if (!good)
            return false;
        add_least(t, &sum);
    }
    return sum >= 0;
}

bool domain_is_below_zero(Domain *d, const Poly *p)
{
    Poly turned = constant(-1);

    return poly_add(&turned, p, -1) && domain_is_not_negative(d, &turned);
}

bool domain_implies(Domain *d, const Limits *l, const Poly *p)
{
    if (domain_is_below_zero(d, p))
        return true;
    for (int i = 0; i < l->n; i++) { /* p <= limit */
        Poly apart = l->at[i];
        if (poly_add(&apart, p, -1) && domain_is_not_negative(d, &apart))
            return true;
    }
    for (int i = 0; i < l->n; i++) { /* p <= limit + limit + 1 */
        for (int k = 0; k < i; k++) {
            Poly apart = l->at[i], one = constant(1);
            if (poly_add(&apart, &l->at[k], 1) && poly_add(&apart, &one, 1) &&
                poly_add(&apart, p, -1) && domain_is_not_negative(d, &apart))
                return true;
        }
    }
    return false;
}
