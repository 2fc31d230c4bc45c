/*
 * stored_over.c - programs that surely store one element of what is differentiated
 *
 *     tl.store(out + tl.arange(0, BLOCK), f(program_id))                  all store the same ones
 *     tl.store(out + tl.program_id(0) * 15 + tl.arange(0, 16), ..)        15 apart, and 16 long
 *
 * That no two programs store one element is taken for granted where nothing is known.  Where it is
 * seen that they do, one of their values stays, and a gradient of each would count it several
 * times.
 */
#include "alone.h"

/* Is the mask one of the element alone, as `at < n`, whoever stores it? */
static bool is_of_element(const Sum *s, const Value *mask)
{
    PolyScope scope = {0};
    PolyBounds bounds = {0};
    int8_t map[MAX_RANK];

    for (int d = 0; d < MAX_RANK; d++)
        map[d] = (int8_t)d;
    poly_bounds(&scope, mask, map, &bounds);
    for (int i = 0; i < bounds.count; i++) {
        Poly rest = bounds.below[i];
        if (!poly_add(&rest, &s->raw, -1))
            return false;
        for (int k = 0; k < rest.count; k++) {
            for (int f = 0; f < rest.terms[k].count; f++) {
                const Value *v = rest.terms[k].of[f].value;
                if (!v || (!v->type->pointer && !terms_same_for_all(v)))
                    return false;
            }
        }
    }
    return !bounds.others && bounds.count > 0;
}

/* Lanes one behind the other, programs less far apart than there are: how far; 0: not so. */
static int64_t overlapping(const Grad *g, const Op *store, int *axis, int64_t *lanes)
{
    const Value *mask = op_operand(store, ir_access(store).mask);
    const Sum s = terms_of(g->func, store, g->asked);
    int64_t apart = 0;
    bool good = s.ok && s.n == 2 && !store->block->owner && (!mask || is_of_element(&s, mask));

    *lanes = 0;
    for (int i = 0; i < s.n && good; i++) {
        const Term *t = &s.at[i];
        if (t->whose == g->func) {
            *axis = t->dim;
            apart = t->by;
        } else if (!t->whose && t->by == 1) {
            *lanes = t->count;
        }
        good = t->unit.count == 0;
    }
    return good && apart > 0 && apart < *lanes ? apart : 0;
}

bool grad_check_programs(Grad *g, const GradOps *stores)
{
    for (int axis = 0; axis < AXES; axis++) {
        if (!(g->asked >> axis & 1))
            continue;
        const Map *varies = terms_varying(g->func, axis, g->arena);
        for (int i = 0; i < stores->len; i++) {
            if (terms_goes_by(varies, stores->at[i]))
                continue;
            grad_refuse(
                g, stores->at[i],
                "programs along axis %d store the same elements of `%s`, and which of their "
                "values stays is not said: let the address go by tl.program_id(%d), or add "
                "by tl.atomic_add",
                axis, g->wish->of, axis);
            return false;
        }
    }
    for (int i = 0; i < stores->len; i++) {
        int axis = 0;
        int64_t lanes, apart = overlapping(g, stores->at[i], &axis, &lanes);
        if (apart == 0)
            continue;
        grad_refuse(g, stores->at[i],
                    "programs along axis %d are %lld elements apart, and each stores %lld of `%s`: "
                    "which of two values stays is not said",
                    axis, (long long)apart, (long long)lanes, g->wish->of);
        return false;
    }
    return true;
}
