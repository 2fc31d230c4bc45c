/*
 * split_memory.c - do parts of a program keep to memory of their own?
 *
 * Addresses are taken apart as sums of products of indices, loops' counters and scalars (poly.h).
 * Of a store in a loop that is
 *
 *     base + pitch * counter + offset,  0 <= offset <= reach
 *
 * rounds are apart where the pitch, for a step of the counter, is larger than the reach.  That is
 * so for constants, or is asked when running: of `out + row * stride + columns` under the mask
 * `columns < width`, stride >= width.
 */
#include "../axis/poly.h"
#include "split_internal.h"

static const Op *loop_around(const Block *b)
{
    const Op *op = b->owner;

    while (op && !opt_is_loop(op))
        op = op->block->owner;
    return op;
}

/* --- elements --- */

/* How a pointer's elements lie: those of one round within `reach` of each other, and the first ones
 * of rounds apart by multiples of `pitch` (0: there is one). */
typedef struct {
    int64_t reach, pitch;
} Extent;

/* A term that has an index: by how much the elements lie apart. */
static bool add_index(const Value *ptr, const PolyTerm *t, int64_t *reach)
{
    int64_t scale = t->scale < 0 ? -t->scale : t->scale, more;

    return t->count == 1 && t->scale != INT64_MIN &&
           !__builtin_mul_overflow(scale, ptr->type->dims[t->of[0].key] - 1, &more) &&
           !__builtin_add_overflow(*reach, more, reach);
}

static bool has_index(const PolyTerm *t)
{
    bool has = false;

    for (int k = 0; k < t->count; k++)
        has |= !t->of[k].value;
    return has;
}

/* Does it change within the block? */
static bool varies_in(const PolyTerm *t, const Block *b)
{
    bool varies = false;

    for (int k = 0; k < t->count; k++)
        varies |= t->of[k].value && block_encloses(b, t->of[k].value->block);
    return varies;
}

static bool varies_in_loops(const PolyTerm *t)
{
    bool varies = false;

    for (int k = 0; k < t->count; k++)
        varies |= t->of[k].value && loop_around(t->of[k].value->block);
    return varies;
}

static bool extent_of(const Value *ptr, Extent *out)
{
    PolyScope scope = {0};
    Poly p;

    *out = (Extent){0};
    if (!poly_of(&scope, ptr, plan_identity, &p))
        return false;
    for (int i = 0; i < p.count; i++) {
        const PolyTerm *t = &p.terms[i];
        bool index = has_index(t), varies = varies_in_loops(t);
        if ((index && (varies || !add_index(ptr, t, &out->reach))) || t->scale == INT64_MIN)
            return false;
        if (varies)
            out->pitch = axis_gcd(out->pitch, t->scale < 0 ? -t->scale : t->scale);
    }
    return true;
}

/* Has each element an address that no other one has, in this round or another? */
static bool elements_are_apart(const Splitter *x, const SplitReach *r)
{
    Extent e;

    if (!access_distinct(x->plan->arena, x->plan->axis, r->ptr))
        return false;
    return !loop_around(r->op->block) ||
           (extent_of(r->ptr, &e) && (e.pitch == 0 || e.pitch > e.reach));
}

/* --- rounds --- */

/* Is a term never negative: an index, or a counter that begins there and goes up? */
static bool goes_up(const PolyTerm *t)
{
    const Value *v = t->count == 1 ? t->of[0].value : NULL;
    const Op *loop = v && !v->def ? v->block->owner : NULL;
    int64_t lo, step;

    if (t->count != 1 || t->scale < 0)
        return false;
    return !v || (loop && loop->code == OP_for && v == loop->regions[0]->args[0] &&
                  value_const_int(loop->operands[FOR_LO], &lo) && lo >= 0 &&
                  value_const_int(loop->operands[FOR_STEP], &step) && step > 0);
}

/* A scalar that is there in front of the loop. */
static bool is_before(const Value *v, const Op *loop)
{
    return v->type->rank == 0 && !v->type->pointer && !block_encloses(loop->regions[0], v->block);
}

/* Part of a mask: offset < limit, of exactly that offset? */
static bool bounds_offset(const Poly *below, const Poly *offset, const Op *loop, SplitIf *out)
{
    Poly rest = *below;
    const PolyTerm *t = &rest.terms[0];

    if (!poly_add(&rest, offset, -1) || rest.count != 1 || t->count != 1 || t->scale != -1 ||
        !t->of[0].value || !is_before(t->of[0].value, loop))
        return false;
    out->limit = t->of[0].value;
    return true;
}

/* How far offsets of a round go, as far as that is known: by the tile's extents, or its mask. */
static bool find_reach(const SplitReach *r, const Poly *offset, const Op *loop, SplitIf *out)
{
    const Value *mask = op_operand(r->op, STORE_MASK);
    PolyScope scope = {0};
    PolyBounds bounds = {0};
    bool indices = true, up = true;

    out->reach = 0;
    for (int i = 0; i < offset->count; i++) {
        const PolyTerm *t = &offset->terms[i];
        indices &= has_index(t) && add_index(r->ptr, t, &out->reach);
        up &= goes_up(t);
    }
    if (!indices)
        out->reach = INT64_MAX;
    if (mask && up)
        poly_bounds(&scope, mask, plan_identity, &bounds);
    for (int i = 0; i < bounds.count && !out->limit; i++)
        bounds_offset(&bounds.below[i], offset, loop, out);
    return indices || out->limit;
}

/* The one term that changes from round to round: a counter by a number, or by a scalar. */
static bool find_pitch(const PolyTerm *t, const Op *loop, SplitIf *out)
{
    const Value *counter = loop->regions[0]->args[0];
    int own = t->count > 1 && t->of[1].value == counter;

    if (t->count < 1 || t->count > 2 || t->of[own].value != counter || out->pitch != 0)
        return false;
    out->pitch = t->scale;
    out->scale = t->count == 2 ? t->of[1 - own].value : NULL;
    return !out->scale || is_before(out->scale, loop);
}

static bool is_known(const SplitIf *s)
{
    int64_t pitch = s->pitch < 0 ? -s->pitch : s->pitch;

    return !s->scale && pitch > s->reach;
}

/* Do rounds of the loop store to addresses of their own?  Where it has to be asked when running,
 * that is added to the plan. */
static bool rounds_are_apart(const Splitter *x, const Op *loop, const SplitReach *r)
{
    PolyScope scope = {0};
    SplitIf when = {0};
    Poly p, offset = {0};

    if (attr_any_order(loop))
        return true;
    if (!poly_of(&scope, r->ptr, plan_identity, &p))
        return false;
    for (int i = 0; i < p.count; i++) {
        const PolyTerm *t = &p.terms[i];
        bool index = has_index(t), varies = varies_in(t, loop->regions[0]);
        bool counts = varies && !index && find_pitch(t, loop, &when);
        if (t->scale == INT64_MIN || (index && t->count > 1))
            return false;
        if (!counts && (varies || index) && !poly_push(&offset, t))
            return false;
    }
    if (when.pitch == 0 || !find_reach(r, &offset, loop, &when))
        return false;
    if (!is_known(&when))
        vec_push(x->plan->arena, &x->plan->split.ifs, when);
    return is_known(&when) || when.scale || when.limit;
}

/* --- all --- */

/* May two of them, one of which is a store, come to the same memory? */
static bool meet(const Splitter *x, const SplitReach *a, const SplitReach *b)
{
    return a != b && (ir_bases_of(x->bases, a->ptr) & ir_bases_of(x->bases, b->ptr)) != 0;
}

/* What else reaches memory of that store does so at the same places, in the same part. */
static bool shares_well(const Splitter *x, const SplitReach *store, const Op *loop)
{
    bool alone = true;

    for (int i = 0; i < x->reaches.len; i++) {
        const SplitReach *r = &x->reaches.at[i];
        if (!meet(x, store, r))
            continue;
        alone = false;
        if (r->ptr != store->ptr || (loop && !block_encloses(loop->regions[0], r->op->block)))
            return false;
        if (!loop && (!r->same || r->place < 0 ||
                      x->places.at[r->place].dim != x->places.at[store->place].dim))
            return false;
    }
    if (loop)
        return block_encloses(loop->regions[0], store->op->block) &&
               rounds_are_apart(x, loop, store);
    return (alone && !loop_around(store->op->block)) || elements_are_apart(x, store);
}

bool split_apart(const Splitter *x, const Op *loop)
{
    x->plan->split.ifs.len = 0;
    for (int i = 0; i < x->reaches.len; i++) {
        if (x->reaches.at[i].stores && !shares_well(x, &x->reaches.at[i], loop))
            return false;
    }
    return true;
}
