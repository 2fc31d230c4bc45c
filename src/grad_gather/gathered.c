/*
 * gathered.c - the sum of what several taps hand to a lane's own element
 *
 * A tap's gradient counts where its mask holds, which is a conjunction.  What all masks say is left
 * to the store.  Where what else one says makes the gradient 0 anyway, as its load of d_out has
 * that condition, too, and other=0, nothing is chosen.
 */
#include <string.h>

#include "../opt/opt.h"
#include "gather.h"
#include "windows.h"

enum { MOST_PARTS = 16, DEEPEST = 24 };

/* Conditions that all hold. */
typedef struct {
    Value *at[MOST_PARTS];
    int n;
} Parts;

/* Made by the same ops of the same values? */
static bool is_same(const Value *a, const Value *b, int depth)
{
    const Op *x = a->def, *y = b->def;

    if (a == b)
        return true;
    if (!x || !y || depth == 0 || x->code != y->code || x->noperands != y->noperands ||
        x->nresults != 1 || x->regions[0] || !op_has(x, PURE) || x->nattrs != y->nattrs ||
        !type_equal(a->type, b->type) ||
        memcmp(x->attrs, y->attrs, sizeof x->attrs[0] * (size_t)x->nattrs) != 0)
        return false;
    for (int i = 0; i < x->noperands; i++) {
        if (!is_same(x->operands[i], y->operands[i], depth - 1))
            return false;
    }
    return true;
}

/* The one polynomial that the condition says to be less than 0. */
static bool bound_of(const Value *v, Poly *out)
{
    PolyScope scope = {0};
    PolyBounds bounds = {0};

    poly_bounds(&scope, v, window_sides, &bounds);
    if (bounds.count != 1 || bounds.others)
        return false;
    *out = bounds.below[0];
    return true;
}

static bool has_part(const Parts *p, const Value *v)
{
    Poly wanted, bound;
    bool is_bound = bound_of(v, &wanted);

    for (int i = 0; i < p->n; i++) {
        if (is_same(p->at[i], v, DEEPEST) ||
            (is_bound && bound_of(p->at[i], &bound) && poly_equal(&bound, &wanted)))
            return true;
    }
    return false;
}

/* Numbers of lanes and programs that are summed up are not negative. */
static bool is_never_negative(const Poly *p)
{
    for (int i = 0; i < p->count; i++) {
        for (int k = 0; k < p->terms[i].count; k++) {
            const Value *v = p->terms[i].of[k].value;
            if (v &&
                (!v->def || (v->def->code != OP_program_id && v->def->code != OP_num_programs)))
                return false;
        }
        if (p->terms[i].scale < 0)
            return false;
    }
    return true;
}

/* -at - 1 < 0 */
static bool is_always(const Value *v)
{
    uint64_t bits;
    Poly below, number = {0};

    if (value_constant(v, &bits))
        return bits != 0;
    return bound_of(v, &below) && poly_add(&number, &below, -1) &&
           poly_push(&number, &(PolyTerm){-1, 0, {{0}}}) && is_never_negative(&number);
}

static bool add_part(Parts *p, Value *v)
{
    if (is_always(v) || has_part(p, v))
        return true;
    if (p->n == MOST_PARTS)
        return false;
    p->at[p->n++] = v;
    return true;
}

/* Both parts of a conjunction, also where it was spread to its shape as a whole. */
static bool halve(Builder *b, Value *mask, Value **out)
{
    const Op *op = mask->def;

    if (!op)
        return false;
    if (op->code == OP_and) {
        out[0] = op->operands[0];
        out[1] = op->operands[1];
        return true;
    }
    bool spreads = op->code == OP_broadcast || op->code == OP_expand || op->code == OP_splat;
    if (!spreads || !halve(b, op->operands[0], out))
        return false;
    for (int i = 0; i < 2; i++)
        out[i] =
            build_op(b, op->code, 1, &out[i], op->nattrs, op->attrs, 1, &mask->type)->results[0];
    return true;
}

/* False: there are too many. */
static bool take_apart(Builder *b, Value *mask, Parts *out)
{
    Value *parts[2];

    return halve(b, mask, parts) ? take_apart(b, parts[0], out) && take_apart(b, parts[1], out)
                                 : add_part(out, mask);
}

/* The same for all lanes: that it is finite is as likely as that all of them are. */
static bool is_uniform(const Value *v, int depth)
{
    const Op *op = v->def;

    if (v->type->rank == 0 || opt_is_uniform(v))
        return true;
    if (!op || depth == 0 ||
        (op->code != OP_broadcast && op->code != OP_expand && op->code != OP_cast))
        return false;
    return is_uniform(op->operands[0], depth - 1);
}

/* Does the mask of a load say it, too? */
static bool is_said(Grad *g, const Handed *h, Value *mask, const Value *part)
{
    Parts said = {0};

    if (take_apart(&g->b, mask, &said) && has_part(&said, part))
        return true;
    for (int side = 0; side < h->mover->tap->nsides; side++) {
        for (int large = 0; large < 2; large++) {
            if (h->present[side][large] == part &&
                window_is_said(h->mover, mask, window_sides, side, large))
                return true;
        }
    }
    return false;
}

/* Is it 0 wherever the condition does not hold? */
static bool is_zero_without(Grad *g, const Handed *h, const Value *v, const Value *part, int depth)
{
    const Op *op = v->def;
    uint64_t bits;

    if (!op || depth == 0)
        return false;
    switch (op->code) {
    case OP_load:
        return op->noperands > LOAD_OTHER && grad_is_number(op->operands[LOAD_OTHER], 0) &&
               is_said(g, h, op->operands[LOAD_MASK], part);
    case OP_neg:
    case OP_cast:
        return is_zero_without(g, h, op->operands[0], part, depth - 1);
    case OP_add:
    case OP_sub:
        return is_zero_without(g, h, op->operands[0], part, depth - 1) &&
               is_zero_without(g, h, op->operands[1], part, depth - 1);
    case OP_div:
        return value_constant(op->operands[1], &bits) && !grad_is_number(op->operands[1], 0) &&
               is_zero_without(g, h, op->operands[0], part, depth - 1);
    case OP_mul:
        for (int i = 0; i < 2; i++) {
            if (is_uniform(op->operands[1 - i], depth - 1) &&
                is_zero_without(g, h, op->operands[i], part, depth - 1))
                return true;
        }
        return false;
    default:
        return false;
    }
}

static Value *both(Builder *b, Value *x, Value *y)
{
    return x ? build_binary(b, OP_and, x, y) : y;
}

static Value *all_of(Builder *b, const Parts *p)
{
    Value *mask = NULL;

    for (int i = 0; i < p->n; i++)
        mask = both(b, mask, p->at[i]);
    return mask;
}

/* A tap that is not shifted has conditions in the forward's words; else any. */
static int plainest(const Handed *taps, int n)
{
    static const Handed nowhere;

    for (int i = 0; i < n; i++) {
        if (memcmp(taps[i].present, nowhere.present, sizeof nowhere.present) == 0)
            return i;
    }
    return 0;
}

/* What all of them say, as one of them does. */
static void find_common(const Parts *own, int n, int as, Parts *out)
{
    for (int i = 0; i < own[as].n; i++) {
        bool everywhere = true;
        for (int k = 0; k < n; k++)
            everywhere &= k == as || has_part(&own[k], own[as].at[i]);
        if (everywhere)
            out->at[out->n++] = own[as].at[i];
    }
}

static Value *chosen(Grad *g, const Parts *left, const Handed *h)
{
    Value *data = h->data;
    Parts needed = {0};

    for (int i = 0; i < left->n; i++) {
        if (!is_zero_without(g, h, data, left->at[i], DEEPEST))
            needed.at[needed.n++] = left->at[i];
    }
    Value *mask = all_of(&g->b, &needed);
    return mask ? build_select(&g->b, mask, data, grad_number(g, data, 0)) : data;
}

/* Parts of the mask, and those of them that the store does not say anyway. */
static bool find_parts(Grad *g, const Handed *h, Parts *all, Parts *left)
{
    Parts said = {0};

    if ((h->mask && !take_apart(&g->b, h->mask, all)) ||
        (h->where && !take_apart(&g->b, h->where, &said)))
        return false;
    for (int i = 0; i < all->n; i++) {
        if (!has_part(&said, all->at[i]))
            left->at[left->n++] = all->at[i];
    }
    return true;
}

bool window_choose(Grad *g, const Handed *h, Value **data, Value **mask)
{
    Parts all = {0}, left = {0};

    if (!find_parts(g, h, &all, &left))
        return false;
    *data = chosen(g, &left, h);
    *mask = all_of(&g->b, &all);
    return true;
}

bool window_sum(Grad *g, const Handed *taps, int n, Value **sum, Value **any)
{
    Parts *own = NEW_N(g->arena, Parts, n), common = {0};
    Value *either = NULL;
    bool is_one_always = false;

    for (int i = 0; i < n; i++) {
        Parts all = {0};
        if (!find_parts(g, &taps[i], &all, &own[i]))
            return false;
    }
    if (!taps[0].where)
        find_common(own, n, plainest(taps, n), &common);
    *sum = NULL;
    for (int i = 0; i < n; i++) {
        Parts left = {0};
        for (int k = 0; k < own[i].n; k++) {
            if (!has_part(&common, own[i].at[k]))
                left.at[left.n++] = own[i].at[k];
        }
        Value *data = chosen(g, &left, &taps[i]), *mask = all_of(&g->b, &left);
        *sum = *sum ? grad_binary(g, OP_add, *sum, data) : data;
        is_one_always |= !mask;
        if (mask)
            either = either ? build_binary(&g->b, OP_or, either, mask) : mask;
    }
    if (taps[0].where) { /* where no lane hands on, 0 is stored */
        *any = taps[0].where;
        return true;
    }
    *any = all_of(&g->b, &common);
    if (!is_one_always)
        *any = both(&g->b, *any, either);
    return true;
}

/* --- own elements --- */

typedef struct {
    Parts parts;            /* as they are for own elements */
    Poly below[MOST_PARTS]; /* what those say of lanes that are not always true, as they were */
    int n;
    bool all; /* no part may speak of anything else */
} Own;

static bool has_several(const Value *mask)
{
    const Op *op = mask->def;

    return op && (op->code == OP_and ||
                  ((op->code == OP_broadcast || op->code == OP_expand || op->code == OP_splat) &&
                   has_several(op->operands[0])));
}

/* Is it the same for all lanes, rounds, and programs that lanes go on in? */
static bool is_for_all(const Tap *t, const Poly *p)
{
    for (int i = 0; i < p->count; i++) {
        for (int k = 0; k < p->terms[i].count; k++) {
            const Value *v = p->terms[i].of[k].value;
            if (!v || window_is_counter(v) ||
                (v->def && v->def->code == OP_program_id &&
                 (window_axes(t) >> attr_axis(v->def) & 1)))
                return false;
        }
    }
    return true;
}

/* Does the condition compare the number of the tap's element, along one side, with what is the same
 * for all? */
static bool speaks_of_number(const Mover *m, const Value *mask, const int8_t *sides)
{
    PolyScope scope = {0};
    PolyBounds bounds = {0};
    Poly number, left;

    poly_bounds(&scope, mask, sides, &bounds);
    if (bounds.count != 1 || bounds.others)
        return false;
    for (int d = 0; d < m->tap->nsides; d++) {
        for (int sign = -1; sign <= 1; sign += 2) {
            left = bounds.below[0];
            if (window_number(m->tap, d, 1, &number) && poly_add(&left, &number, sign) &&
                is_for_all(m->tap, &left))
                return true;
        }
    }
    return is_for_all(m->tap, &bounds.below[0]);
}

/* What speaks of own elements alone; false: it has too many parts. */
static bool take_own(Mover *m, Value *mask, const int8_t *sides, Own *own)
{
    const Op *op = mask->def;
    Own inner = {.all = own->all};
    PolyScope scope = {0};
    PolyBounds bounds = {0};
    int8_t of[MAX_RANK];

    if (op && op->code == OP_and)
        return take_own(m, op->operands[0], sides, own) && take_own(m, op->operands[1], sides, own);
    if (has_several(mask)) {
        gather_operand_sides(op, op->operands[0], sides, of);
        if (!take_own(m, op->operands[0], of, &inner) || own->n + inner.n > MOST_PARTS)
            return false;
        for (int i = 0; i < inner.parts.n; i++) {
            Value *spread = build_op(&m->g->b, op->code, 1, &inner.parts.at[i], op->nattrs,
                                     op->attrs, 1, &mask->type)
                                ->results[0];
            if (!add_part(&own->parts, spread))
                return false;
        }
        for (int i = 0; i < inner.n; i++)
            own->below[own->n++] = inner.below[i];
        return true;
    }
    if (own->all && !speaks_of_number(m, mask, sides))
        return false;
    Value *now = window_for_lanes(m, mask, sides, true);
    if (!now)
        return !own->all;
    poly_bounds(&scope, mask, sides, &bounds);
    if (!is_always(now) && bounds.count == 1 && own->n < MOST_PARTS)
        own->below[own->n++] = bounds.below[0];
    return add_part(&own->parts, now);
}

/* Is there a condition that the side's number is less than something? */
static bool ends(const Tap *t, int d, const Own *own)
{
    const PolyTerm lane = {1, 1, {{NULL, d}}};
    PolyTerm by;

    for (int i = 0; i < own->n; i++) {
        for (int k = 0; k < own->below[i].count; k++) {
            if (own->below[i].terms[k].scale > 0 &&
                poly_divide(&own->below[i].terms[k], &lane, &by))
                return true;
        }
    }
    return t->sides[d].step.count == 0 && !(own->all && window_is_shifted(t, d));
}

Value *window_own_elements(Grad *g, Mover *movers, int n, bool all)
{
    Parts first = {0};

    for (int i = 0; i < n; i++) {
        Own own = {.all = all};
        Value *mask = op_operand(movers[i].tap->op, STORE_MASK);
        if (!mask || !take_own(&movers[i], mask, window_sides, &own))
            return NULL;
        for (int d = 0; d < movers[i].tap->nsides; d++) {
            if (!ends(movers[i].tap, d, &own))
                return NULL;
        }
        if (i == 0)
            first = own.parts;
        for (int k = 0; k < own.parts.n; k++) {
            if (own.parts.n != first.n || !has_part(&first, own.parts.at[k]))
                return NULL;
        }
    }
    return all_of(&g->b, &first);
}
