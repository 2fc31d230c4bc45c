/*
 * covers.c - is each element of the array stored, so that nobody has to zero it before?
 *
 *     d_x + program * BLOCK + lane           mask: < n          min(n, grid[0] * BLOCK) elements
 *     d_x + row * stride + column            mask: column < n   grid[0] * n, if n is the stride
 *     .. and d_x + row * stride + n + column                    grid[0] * n * 2, if n * 2 is
 *
 * The address of the one access is a sum of terms (../terms/terms.h), of which the lowest level
 * must leave no gap, and the next, the rows, neither, and begin where that ends.  Whether the array
 * is as long as this is known when it is launched.
 */
#include "../terms/terms.h"
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

typedef struct {
    const Grad *g;
    const Value *gradient;
    GradOps stores;
} Search;

static void find_store(Op *op, void *search)
{
    Search *s = search;

    if (op->code == OP_store && grad_array_of(s->g, op->operands[STORE_PTR]) == s->gradient->index)
        vec_push(s->g->arena, &s->stores, op);
}

/* All that store to the array, maybe beside elements picked of a row, or for passes over the same
 * elements; none: they are stored otherwise.  Of what is gathered the stores themselves, else what
 * loads the same elements. */
static GradOps stores_of(const Grad *g, const GradArray *a)
{
    Search found = {.g = g, .gradient = a->gradient};

    if (a->fill != GRAD_STORED)
        return found.stores;
    if (a->is_gathered) {
        ir_walk(g->func->body, find_store, &found);
        return found.stores;
    }
    for (int i = 0; i < a->loads.len && !(found.stores.len > 0 && a->in_last_pass); i++) {
        if (!a->is_picked || a->loads.at[i]->operands[LOAD_PTR]->type->rank > 0)
            vec_push(g->arena, &found.stores, a->loads.at[i]);
    }
    return found.stores;
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
                   terms_polynomial(loop->operands[FOR_HI], total) && terms_is_same_poly(total);
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

/* The factors of the lowest level's lanes, beside what several accesses differ by: the last term.
 */
static PolyTerm lanes_of_row(const Sum *s)
{
    PolyTerm by = {.scale = INT64_MAX};

    for (int i = 0; i < s->n - 1; i++) {
        if (s->at[i].unit.count == 0 && s->at[i].by > 0)
            by.scale = MIN(by.scale, s->at[i].by);
    }
    return by;
}

/* Do the accesses that make the lowest level fill what lies between two of its lanes? */
static bool fill_lanes(const Sum *s, const PolyTerm *lanes)
{
    const Term *offsets = &s->at[s->n - 1];

    return offsets->by == 1 && offsets->count == lanes->scale;
}

/* Each part of the mask bounds one level, and there are no others.  That of the lowest is told
 * already where several accesses make it, and must be one of lanes, whose number is known, or
 * between which they lie. */
static bool find_bounds(const Op *access, const Sum *s, const PolyTerm *factors, bool several,
                        GradCover *c)
{
    const Value *mask = op_operand(access, ir_access(access).mask);
    PolyScope scope = {0};
    PolyBounds bounds = {0};
    int8_t map[MAX_RANK];
    bool is_bound[COVER_LEVELS] = {false};

    for (int d = 0; d < MAX_RANK; d++)
        map[d] = (int8_t)d;
    if (mask)
        poly_bounds(&scope, mask, map, &bounds);
    for (int i = 0; i < bounds.count; i++) {
        bool found = false;
        for (int k = 0; k < c->n && !found; k++) {
            const PolyTerm by = k == 0 && several ? lanes_of_row(s) : factors[k];
            int64_t constant;
            Poly end;
            found = !is_bound[k] && find_place(s, &by, &end) &&
                    poly_add(&end, &bounds.below[i], -1) && terms_is_same_poly(&end) &&
                    (k > 0 || !several || fill_lanes(s, &by) || poly_is_constant(&end, &constant));
            if (found && k == 0 && several && fill_lanes(s, &by)) {
                c->at[k].bound = (Poly){0};
                found = poly_add(&c->at[k].bound, &end, by.scale);
            } else if (found && (k > 0 || !several)) {
                c->at[k].bound = end;
            }
            is_bound[k] |= found;
        }
        if (!found)
            return false;
    }
    return !bounds.others;
}

/* The factors of each level, the smallest first, and what its coefficients are multiples of; 0:
 * there are too many, or one runs backwards. */
static int find_strides(const Sum *s, PolyTerm *factors)
{
    int n = 1;

    factors[0] = (PolyTerm){.scale = 1};
    for (int i = 0; i < s->n; i++) {
        const Term *t = &s->at[i];
        int k = 0;
        if (t->by < 0)
            return 0;
        if (t->by == 0 || t->unit.count == 0)
            continue;
        for (k = 1; k < n && !terms_same_unit(&t->unit, &factors[k]);)
            k++;
        if (k < n) {
            factors[k].scale = MIN(factors[k].scale, t->by);
            continue;
        }
        if (n == COVER_LEVELS)
            return 0;
        for (k = n++; k > 1 && terms_is_lower(&t->unit, &factors[k - 1]); k--)
            factors[k] = factors[k - 1];
        factors[k] = t->unit;
        factors[k].scale = t->by;
    }
    return n;
}

/* Rows, each a stride further on, or elements that lie one behind the other. */
static bool find_level(Grad *g, const Sum *s, const PolyTerm *stride, const Op *loop,
                       GradExtent *out)
{
    PolyTerm unit = *stride;

    unit.scale = 1;
    Sum level = terms_level(s, &unit);
    for (int i = 0; i < level.n; i++) {
        if (level.at[i].by % stride->scale != 0)
            return false;
        level.at[i].by /= stride->scale;
    }
    return terms_are_digits(&level, (Constants){0}) && find_total(g, &level, loop, &out->total);
}

/* What is the same for all lies so far behind the array's beginning. */
static bool find_behind(const Sum *s, const GradArray *a, Poly *behind)
{
    const Value *from = a->is_gathered ? a->gradient : a->array;
    const PolyTerm array = {-1, 1, {{from, MAX_RANK + from->id}}};

    *behind = s->shared;
    return poly_push(behind, &array);
}

/* Are they the same but for that? */
static bool is_same_but_for(const GradOps *stores, int i, const Sum *first, const Sum *s)
{
    const Op *a = stores->at[0], *b = stores->at[i];
    Poly rest = s->raw, moved = s->shared;

    return a->block == b->block &&
           op_operand(a, ir_access(a).mask) == op_operand(b, ir_access(b).mask) &&
           poly_add(&rest, &first->raw, -1) && poly_add(&moved, &first->shared, -1) &&
           poly_equal(&rest, &moved);
}

/* Is each of 0, part, .. (n - 1) * part among them? */
static bool are_parts(const Poly *behind, int n, const Poly *part)
{
    for (int k = 0; k < n; k++) {
        Poly place = {0};
        bool found = false;
        if (!poly_add(&place, part, k))
            return false;
        for (int i = 0; i < n && !found; i++)
            found = poly_equal(&behind[i], &place);
        if (!found)
            return false;
    }
    return true;
}

enum { MOST_TOGETHER = 8 };

/* The accesses as one, whose constants are one more digit: so many, from 0 on, equally far apart.
 * Or they lie one behind the other, each `part` further on, which the row is then to be long. */
static bool put_together(const Grad *g, const GradArray *a, const GradOps *stores, Sum *out,
                         Poly *part)
{
    const int n = stores->len;
    Poly behind[MOST_TOGETHER];
    int64_t step = 0;

    *part = (Poly){0};
    *out = terms_of(g->func, stores->at[0], g->asked);
    if (!out->ok || out->covered != 0 || terms_programs(out) != g->asked || n > MOST_TOGETHER)
        return false;
    for (int i = 0; i < n; i++) {
        const Sum s = terms_of(g->func, stores->at[i], g->asked);
        if (!s.ok || !find_behind(&s, a, &behind[i]) || !is_same_but_for(stores, i, out, &s))
            return false;
    }
    for (int i = 0; i < n && part->count == 0 && n > 1; i++) {
        if (behind[i].count > 0 && are_parts(behind, n, &behind[i]))
            *part = behind[i];
    }
    if (n == 1)
        return behind[0].count == 0;
    if (part->count == 0 || !poly_is_constant(part, &step))
        return part->count > 0;
    *part = (Poly){0};
    if (step <= 0 || out->n == MOST_TERMS) /* of 0, step, .. each once: no two meet */
        return false;
    terms_bound(stores->at[0], out);
    out->at[out->n++] = (Term){.by = step, .count = n, .unit.scale = 1, .from_zero = true};
    return true;
}

/* Of so many that lie one behind the other, where the mask says that each is as long as that. */
static bool lay_behind(GradExtent *row, const Poly *part, int n)
{
    const GradExtent one = *row;

    *row = (GradExtent){0};
    return poly_equal(&one.bound, part) && poly_add(&row->bound, &one.bound, n) &&
           poly_add(&row->total, &one.total, n);
}

static bool find_cover(Grad *g, const GradArray *a, const GradOps *stores, GradCover *c)
{
    PolyTerm factors[COVER_LEVELS];
    const Op *access = stores->at[0];
    const GradMeeting *meeting = grad_meeting(g, access);
    const Op *loop;
    Sum s;
    Poly part;

    if (!is_run(a, access, &loop) || (meeting && (meeting->lanes || meeting->rounds)) ||
        !put_together(g, a, stores, &s, &part))
        return false;
    const bool several = stores->len > 1 && part.count == 0;
    c->n = find_strides(&s, factors);
    for (int i = 0; i < c->n; i++) {
        if (!find_level(g, &s, &factors[i], loop, &c->at[i]) ||
            (i > 0 && !poly_push(&c->stride[i], &factors[i])))
            return false;
        c->at[i].bound = c->at[i].total;
    }
    return c->n > 0 && find_bounds(access, &s, factors, several, c) &&
           (part.count == 0 || lay_behind(&c->at[0], &part, stores->len));
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

static bool is_named_cover(const GradCover *c)
{
    for (int i = 0; i < c->n; i++) {
        if (!is_named(&c->at[i].bound) || !is_named(&c->at[i].total) || !is_named(&c->stride[i]))
            return false;
    }
    return true;
}

void gather_find_covers(Grad *g)
{
    for (int i = 0; i < g->nwrt; i++) {
        GradArray *a = &g->wrt[i];
        const GradOps stores = stores_of(g, a);
        GradCover c = {0};

        if (stores.len > 0 && find_cover(g, a, &stores, &c) && is_named_cover(&c)) {
            a->cover = c;
            a->cover.is_known = true;
        }
    }
}
