/*
 * window_shift.c - is a tile another one, a few places apart?
 *
 * Both are taken apart side by side.  Integers and addresses that are sums of products of indices
 * are compared as such, with the shift added to the indices of the second one; all else op by op,
 * down to constants and scalars.  The shift is guessed first, from the first such sums that differ.
 */
#include <string.h>

#include "../axis/poly.h"
#include "window.h"
#include "../ir/analysis.h"

static const int8_t identity[MAX_RANK] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};

/* --- is one value another one, shifted? --- */

/* How much larger an atom is: an index by the shift, a counter by its step. */
static int64_t moved_by(const PolyAtom *atom, const Shift *s, const Shifted *q)
{
    if (!atom->value)
        return s ? s->by[atom->key] : 0;
    return q && atom->value == q->counter ? q->step : 0;
}

/* p where its atoms are larger. */
static bool move_poly(const Poly *p, const Shift *s, const Shifted *q, Poly *out)
{
    *out = (Poly){0};
    for (int i = 0; i < p->count; i++) {
        const PolyTerm *t = &p->terms[i];
        Poly all = {.count = 1, .terms = {{.scale = t->scale}}}, product;
        for (int k = 0; k < t->count; k++) {
            Poly atom = {.count = 1, .terms = {{.scale = 1, .count = 1, .of = {t->of[k]}}}};
            if (!poly_push(&atom, &(PolyTerm){.scale = moved_by(&t->of[k], s, q)}) ||
                !poly_product(&all, &atom, &product))
                return false;
            all = product;
        }
        if (!poly_add(out, &all, 1))
            return false;
    }
    return true;
}

static bool polys_of(const Shifted *q, const Value *a, const Value *b, const int8_t *map,
                     Poly *of_a, Poly *of_b)
{
    PolyScope first = {0}, second = {0};
    Poly now;

    return poly_of(&first, a, map, &now) && move_poly(&now, NULL, q, of_a) &&
           poly_of(&second, b, map, of_b);
}

/* Do all elements, and rounds, have the one value? */
static bool is_fixed(const Shifted *q, const Value *v)
{
    return v->type->rank == 0 && (!q->counter || !block_encloses(q->counter->block, v->block));
}

static bool may_be_poly(const Value *v)
{
    return v->type->pointer || (dtype_is_int(v->type->dtype) && v->type->dtype != DT_I1);
}

static bool same_op(const Op *a, const Op *b)
{
    return a->code == b->code && a->noperands == b->noperands && a->nattrs == b->nattrs &&
           memcmp(a->attrs, b->attrs, sizeof a->attrs[0] * (size_t)a->nattrs) == 0;
}

const Value *window_moved(const Value *v, const int8_t *map, int8_t *in)
{
    if (v->def && v->def->code == OP_splat)
        return v->def->operands[0];
    return v->type->rank > 0 ? access_renamed(v, map, in) : NULL;
}

bool window_is_pointwise(const Shifted *q, const Op *op)
{
    return op->code == OP_load ? map_get(q->loads, MAP_KEY(op)) != NULL && !op_is_volatile(op)
                               : op_is_elementwise(op);
}

/* Each element of a is that of b at indices larger by the shift. */
static bool is_shifted(Shifted *q, const Value *a, const Value *b, const int8_t *map,
                       const Shift *s)
{
    uint64_t x, y;
    int8_t in_a[MAX_RANK] = {0}, in_b[MAX_RANK] = {0};
    Poly of_a, of_b, there;

    if (++q->work > WINDOW_MOST_WORK || a->type != b->type)
        return false;
    if (a == b && is_fixed(q, a))
        return true;
    if (may_be_poly(a) && polys_of(q, a, b, map, &of_a, &of_b))
        return move_poly(&of_b, s, NULL, &there) && poly_equal(&of_a, &there);
    if (value_constant(a, &x) && value_constant(b, &y))
        return x == y;
    const Value *from_a = window_moved(a, map, in_a), *from_b = window_moved(b, map, in_b);
    if (from_a && from_b)
        return memcmp(in_a, in_b, sizeof in_a) == 0 && is_shifted(q, from_a, from_b, in_a, s);
    if (!a->def || !b->def || !same_op(a->def, b->def) || !window_is_pointwise(q, a->def))
        return false;
    for (int i = 0; i < a->def->noperands; i++) {
        if (!is_shifted(q, a->def->operands[i], b->def->operands[i], map, s))
            return false;
    }
    return true;
}

/* --- by how much? --- */

/* What index `dim` is multiplied by; false: by more than one product, or by none. */
static bool stride_of(const Poly *p, int dim, PolyTerm *out)
{
    const PolyTerm index = {.scale = 1, .count = 1, .of = {{NULL, dim}}};
    bool found = false;

    for (int i = 0; i < p->count; i++) {
        PolyTerm t;
        if (!poly_divide(&p->terms[i], &index, &t))
            continue;
        if (found)
            return false;
        *out = t;
        found = true;
    }
    return found;
}

static int64_t rounded_quotient(int64_t x, int64_t by)
{
    int64_t q = x / by, rest = x % by;

    if (2 * (rest < 0 ? -rest : rest) > (by < 0 ? -by : by))
        q += (rest < 0) == (by < 0) ? 1 : -1;
    return q;
}

/* Take as many strides off the distance as are in it: all, or of a number the nearest. */
static void take_stride(Poly *distance, const PolyTerm *stride, int64_t *steps)
{
    for (int i = 0; i < distance->count; i++) {
        PolyTerm one = *stride, q;
        one.scale = 1;
        if (distance->terms[i].count != stride->count ||
            !poly_divide(&distance->terms[i], &one, &q))
            continue;
        *steps = rounded_quotient(q.scale, stride->scale);
        one.scale = -*steps * stride->scale;
        poly_push(distance, &one);
        return;
    }
}

/* Long strides first: products, then numbers by their size. */
static bool is_longer(const PolyTerm *a, const PolyTerm *b)
{
    int64_t x = a->scale < 0 ? -a->scale : a->scale, y = b->scale < 0 ? -b->scale : b->scale;

    return a->count != b->count ? a->count > b->count : x > y;
}

/* Set the shifts of the dimensions that the polynomials go along. */
static void solve(const Poly *a, const Poly *b, Shift *s)
{
    Poly distance = *a;
    PolyTerm strides[MAX_RANK];
    int dims[MAX_RANK], n = 0;

    if (!poly_add(&distance, b, -1) || poly_has_index(&distance, -1))
        return;
    for (int d = 0; d < MAX_RANK; d++) {
        PolyTerm t;
        if (!stride_of(b, d, &t))
            continue;
        int at = n++;
        for (; at > 0 && is_longer(&t, &strides[at - 1]); at--) {
            strides[at] = strides[at - 1];
            dims[at] = dims[at - 1];
        }
        strides[at] = t;
        dims[at] = d;
    }
    for (int i = 0; i < n; i++)
        take_stride(&distance, &strides[i], &s->by[dims[i]]);
}

/* Guess the shift from where the two stop looking alike.  Whether it is right is asked later. */
static void guess_shift(Shifted *q, const Value *a, const Value *b, const int8_t *map, Shift *s)
{
    int8_t in_a[MAX_RANK] = {0}, in_b[MAX_RANK] = {0};
    Poly of_a, of_b;

    if (++q->work > WINDOW_MOST_WORK || (a == b && !q->counter) || a->type != b->type)
        return;
    if (may_be_poly(a) && polys_of(q, a, b, map, &of_a, &of_b)) {
        solve(&of_a, &of_b, s);
        return;
    }
    const Value *from_a = window_moved(a, map, in_a), *from_b = window_moved(b, map, in_b);
    if (from_a && from_b) {
        guess_shift(q, from_a, from_b, in_a, s);
    } else if (a->def && b->def && same_op(a->def, b->def)) {
        for (int i = 0; i < a->def->noperands; i++)
            guess_shift(q, a->def->operands[i], b->def->operands[i], map, s);
    }
}

static bool find_shift(const Shifted *question, const Value *a, const Value *b, Shift *shift)
{
    Shifted guess = *question, proof = *question;

    *shift = (Shift){0};
    guess_shift(&guess, a, b, identity, shift);
    return is_shifted(&proof, a, b, identity, shift);
}

bool window_shifted(const Map *loads, const Value *a, const Value *b, Shift *shift)
{
    return find_shift(&(Shifted){.loads = loads}, a, b, shift);
}

bool window_follows(const Map *loads, const Value *v, const Value *counter, int64_t step,
                    Shift *shift)
{
    return find_shift(&(Shifted){.loads = loads, .counter = counter, .step = step}, v, v, shift);
}
