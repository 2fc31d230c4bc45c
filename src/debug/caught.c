/*
 * caught.c - NaN and infinities where they are made
 *
 * An op makes one when a result has it and no operand has: what is loaded counts, too, and what a
 * kernel has as a constant, such as the -inf of a mask's other lanes, does not.
 */
#include <math.h>
#include <string.h>

#include "inside.h"

static bool is_odd(double v, int kinds)
{
    return (isnan(v) && kinds & DEBUG_NAN) || (isinf(v) && kinds & DEBUG_INF);
}

/* How many elements are odd, and which is the first. */
static int64_t count_odd(const Debugger *d, const Value *v, int kinds, int64_t *first)
{
    const char *data =
        v->type->pointer || !dtype_is_float(v->type->dtype) ? NULL : interp_value(d->frame, v);
    size_t size = (size_t)type_size(v->type);
    int64_t odd = 0;

    for (int64_t i = 0; data && i < type_numel(v->type); i++) {
        uint64_t bits = 0;
        memcpy(&bits, data + (size_t)i * size, size);
        if (is_odd(scalar_to_double(v->type->dtype, bits), kinds) && odd++ == 0)
            *first = i;
    }
    return odd;
}

/* What makes its results in blocks has been told of before, op by op; a sum of a tile has not. */
static bool is_maker(const Op *op)
{
    return op && op->nresults > 0 && op->code != OP_const && op->code != OP_call &&
           (!op->regions[0] || (op_has(op, COMBINES) && !interp_tells_region(op)));
}

/* "`log` makes NaN: 7 of 8 elements, the first at [0]" */
static const char *tell(const Op *op, const Value *v, int64_t odd, int64_t first, int kind,
                        Arena *a)
{
    const Type *type = v->type;
    int64_t index[MAX_RANK];
    Text t = text_new(a);

    if (op_only_reads(op))
        text_put(&t, "loaded ");
    else if (op_has(op, COMBINES))
        text_printf(&t, "`%s` of a tile's elements makes ",
                    op_info(op->regions[0]->first->code)->name);
    else
        text_printf(&t, "`%s` makes ", op_info(op->code)->name);
    text_put(&t, kind == DEBUG_NAN ? "NaN" : "an infinity");
    if (type->rank == 0)
        return t.s;
    text_printf(&t, ": %lld of %lld elements, the first at [", (long long)odd,
                (long long)type_numel(type));
    for (int i = type->rank - 1; i >= 0; first /= type->dims[i--])
        index[i] = first % type->dims[i];
    for (int i = 0; i < type->rank; i++)
        text_printf(&t, "%s%lld", i ? "," : "", (long long)index[i]);
    text_put(&t, "]");
    return t.s;
}

const char *caught_tell(const Debugger *d, Arena *a)
{
    static const int kinds[] = {DEBUG_NAN, DEBUG_INF};
    const Op *op = d->op;

    for (int k = 0; is_maker(op) && k < COUNT(kinds); k++) {
        int64_t first = 0, ignored;
        bool came_in = !(d->catches & kinds[k]);

        for (int i = 0; i < op->noperands && !came_in; i++)
            came_in = count_odd(d, op->operands[i], kinds[k], &ignored) > 0;
        int64_t odd = came_in ? 0 : count_odd(d, op->results[0], kinds[k], &first);
        if (odd > 0)
            return tell(op, op->results[0], odd, first, kinds[k], a);
    }
    return NULL;
}
