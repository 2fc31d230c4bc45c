/*
 * same_place.c - does an access go to the element that another one goes to, of another array?
 *
 *     for i in range(begin, end, B): .. tl.load(x + i + lanes, mask=i + lanes < end) ..
 *     for k in range(begin, end, B): .. tl.store(out + k + lanes, .., mask=k + lanes < end)
 *
 * Then no two of the first meet where no two of the second do, wherever `begin` comes from.
 */
#include "terms.h"

enum { MOST_LOOPS = 4 };

/* Loops of the first that go through the same rounds as loops of the second. */
typedef struct {
    const Op *from[MOST_LOOPS], *to[MOST_LOOPS];
    int n;
} Loops;

static bool is_same_bound(const Value *a, const Value *b)
{
    int64_t x, y;

    return a == b || (value_const_int(a, &x) && value_const_int(b, &y) && x == y);
}

static bool have_same_rounds(const Op *a, const Op *b)
{
    return a == b || (a->code == OP_for && b->code == OP_for &&
                      is_same_bound(a->operands[FOR_LO], b->operands[FOR_LO]) &&
                      is_same_bound(a->operands[FOR_HI], b->operands[FOR_HI]) &&
                      is_same_bound(a->operands[FOR_STEP], b->operands[FOR_STEP]));
}

static bool is_taken(const Loops *l, const Op *loop)
{
    for (int i = 0; i < l->n; i++) {
        if (l->from[i] == loop)
            return true;
    }
    return false;
}

/* One loop around a for each around b, and no branch around b but those around a. */
static bool match_loops(const Op *a, const Op *b, Loops *l)
{
    int loops = 0;

    for (const Block *x = b->block; x->owner; x = x->owner->block) {
        const Op *found = NULL;
        if (!opt_is_loop(x->owner) && !block_encloses(x, a->block))
            return false;
        if (!opt_is_loop(x->owner))
            continue;
        for (const Op *o = a->block->owner; o && !found; o = o->block->owner)
            found = opt_is_loop(o) && !is_taken(l, o) && have_same_rounds(o, x->owner) ? o : NULL;
        if (!found || l->n == MOST_LOOPS)
            return false;
        l->from[l->n] = found;
        l->to[l->n++] = x->owner;
    }
    for (const Op *o = a->block->owner; o; o = o->block->owner)
        loops += opt_is_loop(o);
    return loops == l->n;
}

static bool in_other_loops(const Poly *p, const Loops *l, const Poly *there, Poly *out);

/* Is a number of the first what that of the second is? */
static bool is_same_number(const Value *a, const Value *b, const Loops *l)
{
    Poly here, moved, there;

    return terms_polynomial(a, &here) && terms_polynomial(b, &there) &&
           in_other_loops(&here, l, &there, &moved) && poly_equal(&moved, &there);
}

static bool is_same_part(const Value *a, const Value *b, const Loops *l)
{
    const Op *x = terms_is_any_part(a) ? a->def : NULL, *y = terms_is_any_part(b) ? b->def : NULL;

    return x && y && x->code == y->code && is_same_number(x->operands[1], y->operands[1], l) &&
           (is_same_part(x->operands[0], y->operands[0], l) ||
            is_same_number(x->operands[0], y->operands[0], l));
}

/* The part of a tile that the second one has in place of one of the first; NULL: none. */
static const PolyAtom *twin_of_part(const PolyAtom *part, const Poly *there, const Loops *l)
{
    for (int i = 0; i < there->count; i++) {
        for (int k = 0; k < there->terms[i].count; k++) {
            const PolyAtom *atom = &there->terms[i].of[k];
            if (atom->value && atom->value->type->rank > 0 &&
                poly_dim_of_part(atom) == poly_dim_of_part(part) &&
                is_same_part(part->value, atom->value, l))
                return atom;
        }
    }
    return NULL;
}

/* What the second one has in place of what the first is made of. */
static PolyAtom twin_of(const PolyAtom *atom, const Loops *l, const Poly *there)
{
    const bool is_part = atom->value && atom->value->type->rank > 0;
    const PolyAtom *part = is_part ? twin_of_part(atom, there, l) : NULL;

    for (int n = 0; n < l->n; n++) {
        const Value *counter = l->to[n]->regions[0]->args[0];
        if (atom->value == l->from[n]->regions[0]->args[0])
            return (PolyAtom){counter, MAX_RANK + counter->id};
    }
    return part ? *part : *atom;
}

/* As the second one's loops count; `there`: a number of that. */
static bool in_other_loops(const Poly *p, const Loops *l, const Poly *there, Poly *out)
{
    *out = (Poly){0};
    for (int i = 0; i < p->count; i++) {
        Poly product = {0};
        if (!poly_push(&product, &(PolyTerm){.scale = p->terms[i].scale}))
            return false;
        for (int k = 0; k < p->terms[i].count; k++) {
            const PolyAtom atom = twin_of(&p->terms[i].of[k], l, there);
            const Poly so_far = product, one = {1, {{1, 1, {atom}}}};
            if (!poly_product(&so_far, &one, &product))
                return false;
        }
        if (!poly_add(out, &product, 1))
            return false;
    }
    return true;
}

/* How far behind the array's beginning. */
static bool place_of(const Op *access, const Value *array, Poly *out)
{
    const PolyTerm begin = {-1, 1, {{array, MAX_RANK + array->id}}};

    return terms_address(access, out) && poly_push(out, &begin);
}

/* Is each part of b's mask one of a's? */
static bool is_masked_as(const Op *a, const Op *b, const Loops *l)
{
    Value *of_a = op_operand(a, ir_access(a).mask), *of_b = op_operand(b, ir_access(b).mask);
    PolyBounds here = {0}, there = {0};
    PolyScope first = {0}, second = {0};
    int8_t map[MAX_RANK];

    if (!of_b || of_a == of_b)
        return true;
    if (!of_a)
        return false;
    for (int d = 0; d < MAX_RANK; d++)
        map[d] = (int8_t)d;
    poly_bounds(&first, of_a, map, &here);
    poly_bounds(&second, of_b, map, &there);
    for (int i = 0; i < there.count; i++) {
        bool found = false;
        for (int k = 0; k < here.count && !found; k++) {
            Poly moved;
            found = in_other_loops(&here.below[k], l, &there.below[i], &moved) &&
                    poly_equal(&moved, &there.below[i]);
        }
        if (!found)
            return false;
    }
    return !there.others;
}

bool terms_go_where(const Op *a, const Value *array, const Op *b, const Value *other)
{
    const Type *x = a->operands[ir_access(a).pointer]->type;
    const Type *y = b->operands[ir_access(b).pointer]->type;
    Loops loops = {0};
    Poly here, moved, there;
    bool same = x->rank == y->rank && match_loops(a, b, &loops);

    for (int d = 0; d < x->rank && same; d++)
        same = x->dims[d] == y->dims[d];
    return same && place_of(a, array, &here) && place_of(b, other, &there) &&
           in_other_loops(&here, &loops, &there, &moved) && poly_equal(&moved, &there) &&
           is_masked_as(a, b, &loops);
}
