/*
 * poly.c - integers and addresses as polynomials of scalars and of the indices of a tile
 */
#include "poly.h"

#include <string.h>

enum { DEPTH = 48, MOST_WORK = 2000 };

/* --- polynomials --- */

/* Fewer atoms first, then by their keys. */
static int compare_atoms(const PolyTerm *a, const PolyTerm *b)
{
    if (a->count != b->count)
        return a->count < b->count ? -1 : 1;
    for (int i = 0; i < a->count; i++) {
        if (a->of[i].key != b->of[i].key)
            return a->of[i].key < b->of[i].key ? -1 : 1;
    }
    return 0;
}

/* Without the cost of clearing all terms, of which no more than the first is looked at. */
static void put_zero(Poly *out)
{
    out->count = 0;
    out->terms[0] = (PolyTerm){0};
}

static void remove_term(Poly *p, int i)
{
    memmove(&p->terms[i], &p->terms[i + 1], sizeof p->terms[0] * (size_t)(p->count - i - 1));
    p->count--;
}

bool poly_push(Poly *to, const PolyTerm *t)
{
    int i = 0;

    if (t->scale == 0)
        return true;
    while (i < to->count && compare_atoms(&to->terms[i], t) < 0)
        i++;
    if (i < to->count && compare_atoms(&to->terms[i], t) == 0) {
        if (__builtin_add_overflow(to->terms[i].scale, t->scale, &to->terms[i].scale))
            return false;
        if (to->terms[i].scale == 0)
            remove_term(to, i);
        return true;
    }
    if (to->count == POLY_TERMS)
        return false;
    memmove(&to->terms[i + 1], &to->terms[i], sizeof to->terms[0] * (size_t)(to->count - i));
    to->terms[i] = *t;
    to->count++;
    return true;
}

bool poly_add(Poly *to, const Poly *p, int64_t scale)
{
    for (int i = 0; i < p->count; i++) {
        PolyTerm t = p->terms[i];
        if (__builtin_mul_overflow(t.scale, scale, &t.scale) || !poly_push(to, &t))
            return false;
    }
    return true;
}

static bool multiply_terms(const PolyTerm *a, const PolyTerm *b, PolyTerm *out)
{
    int i = 0, k = 0;

    *out = (PolyTerm){0};
    if (a->count + b->count > POLY_FACTORS ||
        __builtin_mul_overflow(a->scale, b->scale, &out->scale))
        return false;
    while (i < a->count || k < b->count) {
        bool first = k == b->count || (i < a->count && a->of[i].key <= b->of[k].key);
        out->of[out->count++] = first ? a->of[i++] : b->of[k++];
    }
    return true;
}

bool poly_product(const Poly *a, const Poly *b, Poly *out)
{
    put_zero(out);
    for (int i = 0; i < a->count; i++) {
        for (int k = 0; k < b->count; k++) {
            PolyTerm t;
            if (!multiply_terms(&a->terms[i], &b->terms[k], &t) || !poly_push(out, &t))
                return false;
        }
    }
    return true;
}

bool poly_divide(const PolyTerm *t, const PolyTerm *by, PolyTerm *out)
{
    int k = 0;

    *out = (PolyTerm){0};
    if (t->scale % by->scale != 0)
        return false;
    out->scale = t->scale / by->scale;
    for (int i = 0; i < t->count; i++) {
        if (k < by->count && t->of[i].key == by->of[k].key)
            k++;
        else
            out->of[out->count++] = t->of[i];
    }
    return k == by->count;
}

bool poly_equal(const Poly *a, const Poly *b)
{
    bool equal = a->count == b->count;

    for (int i = 0; equal && i < a->count; i++)
        equal = a->terms[i].scale == b->terms[i].scale &&
                compare_atoms(&a->terms[i], &b->terms[i]) == 0;
    return equal;
}

bool poly_is_constant(const Poly *p, int64_t *constant)
{
    *constant = p->count > 0 ? p->terms[0].scale : 0;
    return p->count == 0 || (p->count == 1 && p->terms[0].count == 0);
}

bool poly_turn(const Poly *p, int from, int to, Poly *out)
{
    put_zero(out);
    for (int i = 0; i < p->count; i++) {
        PolyTerm t = {.scale = p->terms[i].scale};
        for (int k = 0; k < p->terms[i].count; k++) {
            PolyAtom atom = p->terms[i].of[k];
            PolyTerm one = {.scale = 1, .count = 1, .of = {atom}}, all;
            if (!atom.value && atom.key == from)
                one.of[0].key = to;
            if (!multiply_terms(&t, &one, &all))
                return false;
            t = all;
        }
        if (!poly_push(out, &t))
            return false;
    }
    return true;
}

bool poly_has_index(const Poly *p, int dim)
{
    for (int i = 0; i < p->count; i++) {
        for (int k = 0; k < p->terms[i].count; k++) {
            const PolyAtom *atom = &p->terms[i].of[k];
            if (!atom->value && (dim < 0 || atom->key == dim))
                return true;
        }
    }
    return false;
}

static void put_constant(Poly *out, int64_t constant)
{
    put_zero(out);
    poly_push(out, &(PolyTerm){.scale = constant});
}

static void put_atom(Poly *out, PolyAtom atom)
{
    put_zero(out);
    poly_push(out, &(PolyTerm){.scale = 1, .count = 1, .of = {atom}});
}

/* --- values --- */

static bool of_value(PolyScope *s, const Value *v, const int8_t *map, int depth, Poly *out);

/* What is not looked into; a tile is no atom. */
static bool of_atom(const Value *v, Poly *out)
{
    put_atom(out, (PolyAtom){v, MAX_RANK + v->id});
    return v->type->rank == 0 && (v->type->pointer || dtype_is_int(v->type->dtype));
}

static bool of_constant(const Value *v, uint64_t bits, Poly *out)
{
    int width = dtype_bits(v->type->dtype), unused = 64 - width;

    put_constant(out, dtype_is_signed(v->type->dtype) ? (int64_t)(bits << unused) >> unused
                                                      : (int64_t)bits);
    return true;
}

/* Does the loop's body leave all of its atoms alone? */
static bool stays(const Block *body, const Poly *p)
{
    for (int i = 0; i < p->count; i++) {
        for (int k = 0; k < p->terms[i].count; k++) {
            const Value *v = p->terms[i].of[k].value;
            if (v && block_encloses(body, v->block))
                return false;
        }
    }
    return true;
}

/* Which round it is, times the loop's step: its counter, but for where that begins. */
static bool of_rounds(PolyScope *s, const Op *loop, int depth, Poly *out)
{
    const Value *counter = loop->regions[0]->args[0];
    Poly lo;

    put_atom(out, (PolyAtom){counter, MAX_RANK + counter->id});
    return of_value(s, loop->operands[FOR_LO], NULL, depth, &lo) && poly_add(out, &lo, -1);
}

/* What a round of the loop adds to its argument v; NULL: it is not just added to. */
static const Value *added_in_a_round(const Value *v)
{
    const Op *end = v->block->last->operands[v->index - 1]->def;

    if (!end || (end->code != OP_add && end->code != OP_addptr))
        return NULL;
    if (end->operands[0] == v)
        return end->operands[1];
    return end->code == OP_add && end->operands[1] == v ? end->operands[0] : NULL;
}

/* begin + added * (round * step) / step */
static bool of_carried(PolyScope *s, const Value *v, const int8_t *map, int depth, Poly *out)
{
    const Op *loop = v->block->owner;
    const Value *added = added_in_a_round(v);
    Poly each, rounds, sum;
    int64_t step;

    if (!added || !value_const_signed(loop->operands[FOR_STEP], &step) || step <= 0)
        return false;
    if (!of_value(s, added, map, depth, &each) || !stays(v->block, &each) ||
        !of_rounds(s, loop, depth, &rounds))
        return false;
    for (int i = 0; i < each.count; i++) {
        if (each.terms[i].scale % step != 0)
            return false;
        each.terms[i].scale /= step;
    }
    return poly_product(&each, &rounds, &sum) &&
           of_value(s, loop->operands[FOR_BOUNDS + v->index - 1], map, depth, out) &&
           poly_add(out, &sum, 1);
}

static bool of_argument(PolyScope *s, const Value *v, const int8_t *map, int depth, Poly *out)
{
    const Op *owner = v->block->owner;

    if (owner && owner->code == OP_for && v->index > 0 && of_carried(s, v, map, depth, out))
        return true;
    return of_atom(v, out);
}

static bool of_pair(PolyScope *s, const Op *op, const int8_t *map, int depth, Poly *out)
{
    Poly a, b;

    if (!of_value(s, op->operands[0], map, depth, &a) ||
        !of_value(s, op->operands[1], map, depth, &b))
        return false;
    if (op->code == OP_mul)
        return poly_product(&a, &b, out);
    *out = a;
    return poly_add(out, &b, op->code == OP_sub ? -1 : 1);
}

/* What goes along one dimension, and is taken to be the index that it keeps below a bound. */
static bool of_wrap(PolyScope *s, PolyWrap w, Poly *out)
{
    w.dim = -1;
    if (s->nwraps == POLY_WRAPS || poly_has_index(&w.bound, -1))
        return false;
    for (int d = 0; d < MAX_RANK; d++) {
        if (!poly_has_index(&w.index, d))
            continue;
        if (w.dim >= 0)
            return false;
        w.dim = d;
    }
    if (w.dim < 0)
        return false;
    s->wraps[s->nwraps++] = w;
    *out = w.index;
    return true;
}

static bool of_remainder(PolyScope *s, const Op *op, const int8_t *map, int depth, Poly *out)
{
    PolyWrap w = {.op = op, .from_zero = true};

    return of_value(s, op->operands[0], map, depth, &w.index) &&
           of_value(s, op->operands[1], map, depth, &w.bound) && of_wrap(s, w, out);
}

static bool of_comparison(PolyScope *s, const Op *op, const int8_t *map, Poly *out);

/* index < bound ? index : anything */
static bool of_choice(PolyScope *s, const Op *op, const int8_t *map, int depth, Poly *out)
{
    const Op *test = op->operands[0]->def;
    PolyWrap w = {.op = op};
    Poly below;

    if (!test || !of_comparison(s, test, map, &below) ||
        !of_value(s, op->operands[1], map, depth, &w.index))
        return false;
    w.bound = w.index;
    return poly_add(&w.bound, &below, -1) && of_wrap(s, w, out);
}

/* min(index, bound - 1) */
static bool of_minimum(PolyScope *s, const Op *op, const int8_t *map, int depth, Poly *out)
{
    PolyWrap w = {.op = op};

    if (!of_value(s, op->operands[0], map, depth, &w.index) ||
        !of_value(s, op->operands[1], map, depth, &w.bound))
        return false;
    if (!poly_has_index(&w.index, -1)) {
        Poly swap = w.index;
        w.index = w.bound;
        w.bound = swap;
    }
    return poly_push(&w.bound, &(PolyTerm){.scale = 1}) && of_wrap(s, w, out);
}

enum { PART_KEY = 1 << 24 }; /* more than the key of any other atom that is no number of rounds */

int poly_key_of_part(int dim)
{
    return dim * PART_KEY;
}

int poly_dim_of_part(const PolyAtom *part)
{
    return part->value->type->rank == 1 ? part->key / PART_KEY : 0;
}

/* A tile i // W or i % W: as it is, or spread along other dimensions. */
static bool of_part(PolyScope *s, const Value *v, const int8_t *map, int depth, Poly *out)
{
    const int rank = v->type->rank;
    Poly by;

    for (int d = 0; d < rank; d++) {
        if (rank == 1 ? map[d] < 0 : map[d] != d)
            return false;
    }
    put_atom(out, (PolyAtom){v, MAX_RANK + v->id + (rank == 1 ? poly_key_of_part(map[0]) : 0)});
    return v->id < PART_KEY - MAX_RANK && of_value(s, v->def->operands[1], map, depth, &by) &&
           !poly_has_index(&by, -1);
}

static bool of_index(const Op *op, const int8_t *map, Poly *out)
{
    put_constant(out, attr_start(op));
    return map[0] < 0 ||
           poly_push(out, &(PolyTerm){.scale = 1, .count = 1, .of = {{NULL, map[0]}}});
}

/* Numbers that become longer stay what they are. */
static bool keeps_value(const Op *op)
{
    if (op->code != OP_cast)
        return false;
    const Type *from = op->operands[0]->type, *to = op->results[0]->type;
    return dtype_is_signed(from->dtype) && dtype_is_signed(to->dtype) &&
           type_size(to) >= type_size(from);
}

static bool of_op(PolyScope *s, const Value *v, const int8_t *map, int depth, Poly *out)
{
    const Op *op = v->def;
    int8_t in[MAX_RANK];
    Value *renamed;
    Poly negated;

    switch (op->code) {
    case OP_add:
    case OP_sub:
    case OP_mul:
    case OP_addptr:
        return of_pair(s, op, map, depth, out);
    case OP_neg:
        put_zero(out);
        return of_value(s, op->operands[0], map, depth, &negated) && poly_add(out, &negated, -1);
    case OP_div:
        return s->parts && v->type->rank > 0 && of_part(s, v, map, depth, out);
    case OP_rem:
        if (s->parts)
            return v->type->rank > 0 && of_part(s, v, map, depth, out);
        return s->wraps && v->type->rank > 0 && of_remainder(s, op, map, depth, out);
    case OP_select:
        return s->wraps && v->type->rank > 0 && of_choice(s, op, map, depth, out);
    case OP_min:
        return s->wraps && v->type->rank > 0 && of_minimum(s, op, map, depth, out);
    case OP_arange:
        return of_index(op, map, out);
    case OP_splat:
        return of_value(s, op->operands[0], NULL, depth, out);
    default:
        if (keeps_value(op))
            return of_value(s, op->operands[0], map, depth, out);
        renamed = v->type->rank > 0 ? access_renamed(v, map, in) : NULL;
        return renamed && of_value(s, renamed, in, depth, out);
    }
}

static bool of_value(PolyScope *s, const Value *v, const int8_t *map, int depth, Poly *out)
{
    uint64_t bits;

    if (!v->type->pointer && !dtype_is_int(v->type->dtype))
        return false;
    if (!v->type->pointer && value_constant(v, &bits))
        return of_constant(v, bits, out);
    if (depth >= DEPTH || ++s->work > MOST_WORK)
        return of_atom(v, out);
    if (!v->def)
        return of_argument(s, v, map, depth + 1, out);
    bool adds = v->type->pointer || dtype_is_signed(v->type->dtype);
    return (adds && of_op(s, v, map, depth + 1, out)) || of_atom(v, out);
}

bool poly_of(PolyScope *s, const Value *v, const int8_t *map, Poly *out)
{
    return of_value(s, v, map, 0, out);
}

/* --- conditions --- */

/* x < 0, for a comparison of integers; false: it is none. */
static bool of_comparison(PolyScope *s, const Op *op, const int8_t *map, Poly *out)
{
    bool turned = op->code == OP_gt || op->code == OP_ge;
    int64_t less = op->code == OP_le || op->code == OP_ge;
    Poly a, b, one;

    if (op->code != OP_lt && op->code != OP_le && !turned)
        return false;
    if (!dtype_is_signed(op->operands[0]->type->dtype) ||
        !of_value(s, op->operands[turned], map, 0, &a) ||
        !of_value(s, op->operands[!turned], map, 0, &b))
        return false;
    put_constant(&one, 1);
    *out = a;
    return poly_add(out, &b, -1) && poly_add(out, &one, -less);
}

static void bounds_of(PolyScope *s, const Value *v, const int8_t *map, int depth, PolyBounds *out)
{
    const Op *op = v->def;
    int8_t in[MAX_RANK];
    Value *renamed = v->type->rank > 0 && op ? access_renamed(v, map, in) : NULL;
    uint64_t bits;

    if (value_constant(v, &bits) && bits != 0)
        return;
    if (op && op->code == OP_splat)
        renamed = op->operands[0];
    if (++s->work > MOST_WORK)
        depth = DEPTH;
    if (depth < DEPTH && op && op->code == OP_and) {
        bounds_of(s, op->operands[0], map, depth + 1, out);
        bounds_of(s, op->operands[1], map, depth + 1, out);
    } else if (depth < DEPTH && renamed) {
        bounds_of(s, renamed, in, depth + 1, out);
    } else if (op && out->count < POLY_BOUNDS &&
               of_comparison(s, op, map, &out->below[out->count])) {
        out->count++;
    } else {
        out->others = true;
    }
}

void poly_bounds(PolyScope *s, const Value *mask, const int8_t *map, PolyBounds *out)
{
    out->count = 0;
    out->others = false;
    bounds_of(s, mask, map, 0, out);
}
