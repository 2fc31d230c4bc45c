/*
 * covers.c - is each element of the array stored, so that nobody has to zero it before?
 *
 *     d_x + program * BLOCK + lane           mask: < n          min(n, grid[0] * BLOCK) elements
 *     d_x + row * stride + column            mask: column < n   grid[0] * n, if n is the stride
 *
 * The address of the one access is a sum of terms (../opt/terms.h), of which the lowest level must
 * leave no gap, and the next, the rows, neither, and begin where that ends.  Whether the array is
 * as long as this is known when it is launched.
 */
#include "../opt/terms.h"
#include "gather.h"

static bool add_constant(Poly *p, int64_t n)
{
    return poly_push(p, &(PolyTerm){n, 0, {{0}}});
}

/* It runs once, in all rounds of one loop at most; which then is *loop.  In an arm of an `if`,
 * where the other one stores zeros. */
static bool is_run(const GradArray *a, const Op *access, const Op **loop)
{
    const Op *owner = access->block->owner;

    *loop = owner && owner->code == OP_for ? owner : NULL;
    owner = *loop ? owner->block->owner : owner;
    return !owner || (owner->code == OP_if && a->has_zeros && !owner->block->owner);
}

/* The only one that stores to the array, maybe beside elements picked of a row, or for passes over
 * the same elements; NULL. */
static const Op *store_of(const GradArray *a)
{
    const Op *found = NULL;

    if (a->fill != GRAD_STORED || a->is_gathered)
        return NULL;
    for (int i = 0; i < a->loads.len && !(found && a->in_last_pass); i++) {
        if (a->is_picked && a->loads.at[i]->operands[LOAD_PTR]->type->rank == 0)
            continue;
        if (found)
            return NULL;
        found = a->loads.at[i];
    }
    return found;
}

/* How far the level goes from 0 on without a gap: lanes, and rounds or programs behind them. */
static bool find_total(Grad *g, const Sum *level, const Op *loop, Poly *total)
{
    int64_t so_far = 1, lo;

    for (int i = 0; i < level->n; i++) { /* sorted by terms_are_digits() */
        const Term *t = &level->at[i];

        if (t->by != so_far)
            return false;
        if (!t->whose) {
            if (__builtin_mul_overflow(so_far, t->count, &so_far))
                return false;
            continue;
        }
        if (i < level->n - 1)
            return false;
        if (t->whose == loop)
            return value_const_int(loop->operands[FOR_LO], &lo) && lo == 0 &&
                   terms_polynomial(loop->operands[FOR_HI], total) && grad_is_same_poly(total);
        if (t->whose != g->func)
            return false;
        const Value *programs = grad_number_of_programs(g, t->dim);
        return poly_push(total, &(PolyTerm){so_far, 1, {{programs, MAX_RANK + programs->id}}});
    }
    return add_constant(total, so_far);
}

/* What of the address has these factors, without them. */
static bool find_place(const Sum *s, const PolyTerm *factors, Poly *out)
{
    *out = (Poly){0};
    for (int i = 0; i < s->raw.count; i++) {
        PolyTerm rest;
        bool shared;
        const PolyAtom *atom = terms_split(s, &s->raw.terms[i], &rest, &shared);
        const int64_t scale = s->raw.terms[i].scale;

        if (!atom || !terms_same_unit(&rest, factors))
            continue;
        if (scale % factors->scale != 0 ||
            !poly_push(out, &(PolyTerm){scale / factors->scale, 1, {*atom}}))
            return false;
    }
    return true;
}

/* Each part of the mask bounds one level, and there are no others. */
static bool find_bounds(const Op *access, const Sum *s, const PolyTerm *factors, GradCover *c)
{
    GradExtent *levels[2] = {&c->row, &c->rows};
    PolyScope scope = {0};
    PolyBounds bounds = {0};
    int8_t map[MAX_RANK];
    bool is_bound[2] = {false};

    for (int d = 0; d < MAX_RANK; d++)
        map[d] = (int8_t)d;
    if (op_operand(access, LOAD_MASK))
        poly_bounds(&scope, op_operand(access, LOAD_MASK), map, &bounds);
    for (int i = 0; i < bounds.count; i++) {
        bool found = false;
        for (int k = 0; k < 2 && !found; k++) {
            Poly end;
            found = !is_bound[k] && find_place(s, &factors[k], &end) &&
                    poly_add(&end, &bounds.below[i], -1) && grad_is_same_poly(&end);
            if (found)
                levels[k]->bound = end;
            is_bound[k] |= found;
        }
        if (!found)
            return false;
    }
    return !bounds.others;
}

/* The factors of the level above the lowest, if there is one: 0 of them, if not. */
static bool find_stride(const Sum *s, PolyTerm *stride)
{
    *stride = (PolyTerm){.scale = 1};
    for (int i = 0; i < s->n; i++) {
        const Term *t = &s->at[i];
        if (t->by == 0 || t->unit.count == 0)
            continue;
        if (stride->count > 0 && !terms_same_unit(&t->unit, stride))
            return false;
        const int64_t by = stride->count > 0 ? MIN(stride->scale, t->by) : t->by;
        *stride = t->unit;
        stride->scale = by;
    }
    return stride->scale > 0;
}

/* Rows, each a stride further on. */
static bool find_rows(Grad *g, const Sum *s, const PolyTerm *stride, const Op *loop, GradCover *c)
{
    Sum level = terms_level(s, stride);

    if (stride->count == 0)
        return true;
    for (int i = 0; i < level.n; i++) {
        if (level.at[i].by % stride->scale != 0)
            return false;
        level.at[i].by /= stride->scale;
    }
    return terms_are_digits(&level, (Constants){0}) &&
           find_total(g, &level, loop, &c->rows.total) && poly_push(&c->stride, stride);
}

/* Nothing but the array is the same for all. */
static bool begins_at_array(const Sum *s, const GradArray *a)
{
    const PolyTerm *t = &s->shared.terms[0];

    return s->shared.count == 1 && t->count == 1 && t->scale == 1 && t->of[0].value == a->array;
}

static bool find_cover(Grad *g, const GradArray *a, const Op *access, GradCover *c)
{
    PolyTerm factors[2] = {{.scale = 1}};
    const GradMeeting *meeting = grad_meeting(g, access);
    const Op *loop;

    if (!is_run(a, access, &loop) || (meeting && (meeting->lanes || meeting->rounds)))
        return false;
    const Sum s = terms_of(g->func, access, g->asked);
    if (!s.ok || s.covered != 0 || !begins_at_array(&s, a) || terms_programs(&s) != g->asked)
        return false;
    Sum level = terms_level(&s, &factors[0]);
    if (!terms_are_digits(&level, (Constants){0}) || !find_total(g, &level, loop, &c->row.total) ||
        !find_stride(&s, &factors[1]) || !find_rows(g, &s, &factors[1], loop, c))
        return false;
    c->row.bound = c->row.total;
    c->rows.bound = c->rows.total;
    return find_bounds(access, &s, factors, c);
}

/* Numbers that a launch has names for: parameters, and how many programs there are. */
static bool is_named(const Poly *p)
{
    for (int i = 0; i < p->count; i++) {
        for (int k = 0; k < p->terms[i].count; k++) {
            const Value *v = p->terms[i].of[k].value;
            if (!v || (v->def ? v->def->code != OP_num_programs : v->block->owner != NULL))
                return false;
        }
    }
    return true;
}

static bool is_named_extent(const GradExtent *e)
{
    return is_named(&e->bound) && is_named(&e->total);
}

void gather_find_covers(Grad *g)
{
    for (int i = 0; i < g->nwrt; i++) {
        GradArray *a = &g->wrt[i];
        GradCover c = {0};
        const Op *access = store_of(a);

        if (access && find_cover(g, a, access, &c) && is_named_extent(&c.row) &&
            is_named_extent(&c.rows) && is_named(&c.stride)) {
            a->cover = c;
            a->cover.is_known = true;
        }
    }
}
